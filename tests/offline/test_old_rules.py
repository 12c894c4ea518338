"""A run of the rules of version 2, of which seven are withdrawn: it still opens, audits, scores and verifies."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest

from tests.building import perturb, query

DATA = Path(__file__).parent.parent / "data"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return unpacked("rules-2.tar.gz", tmp_path) / "rules-2"


def unpacked(name: str, folder: Path) -> Path:
    """The folder, with what an archive of the test data holds."""
    with tarfile.open(DATA / name) as archive:
        archive.extractall(folder, filter="data")
    return folder


def test_an_old_run_opens_audits_scores_and_verifies(run: Path, tmp_path: Path) -> None:
    assert '"accepted": 17' in json.dumps(perturb("status", run, "--json").json)
    assert "kappa" in json.dumps(perturb("audit", run, "--json").json)
    snapshot = str(run / "snapshot")
    for command in (("verify-snapshot", snapshot), ("report", run)):
        assert perturb(*command).returncode == 0, command
    scored = perturb(
        "evaluate", snapshot, "--model", f"{__name__}:refuse", "--out", tmp_path / "e", "--json"
    ).json
    assert "refusal" in json.dumps(scored)


def test_an_evaluation_of_the_first_version_opens_scores_and_reports(tmp_path: Path) -> None:
    folder = unpacked("evaluation-0.1.tar.gz", tmp_path) / "old-evaluation"
    run = folder
    status = perturb("status", run, "--json").json
    assert (status["replies"], status["left"]) == (8, 0)
    results = (folder / "results.jsonl").read_text().splitlines()
    by_ledger = perturb("score", run, "--resamples", "10", "--json").json
    by_table = perturb("score", folder / "results.jsonl", "--resamples", "10", "--json").json
    assert len(results) == 8
    assert by_ledger["models"] == by_table["models"]
    assert perturb("report", run).returncode == 0


def refuse(prompt: str) -> str:
    """A model that refuses whatever it is asked."""
    return "REFUSE_OTHER"


def test_a_build_in_an_old_run_makes_new_jobs_and_keeps_the_old_items(run: Path, tmp_path: Path) -> None:
    [(old,)] = query(run, "SELECT count(*) FROM candidates")
    facts = perturb(
        "build", "--demo", "rules", "--limit", "4", "--out", tmp_path, "--name", run.name, "--json"
    ).json
    assert facts["rows"]
    [(kept,)] = query(run, "SELECT count(*) FROM candidates")
    assert kept > old == 17
