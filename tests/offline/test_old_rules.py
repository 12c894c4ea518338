"""A run of the rules of version 2, of which seven are withdrawn: it still opens, audits, scores and verifies."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from perturb.cli.main import app
from tests.building import query

DATA = Path(__file__).parent.parent / "data"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    with tarfile.open(DATA / "rules-2.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path / "rules-2"


def told(*command: str) -> dict[str, object]:
    """What a command says in JSON."""
    ended = CliRunner().invoke(app, command)
    assert ended.exit_code == 0, ended.output
    content: dict[str, object] = json.loads(ended.stdout.splitlines()[-1])
    return content


def test_an_old_run_opens_audits_scores_and_verifies(run: Path, tmp_path: Path) -> None:
    assert '"accepted": 17' in json.dumps(told("status", str(run), "--json"))
    assert "kappa" in json.dumps(told("audit", str(run), "--json"))
    snapshot = str(run / "snapshot")
    for command in (("verify-snapshot", snapshot), ("report", str(run))):
        assert CliRunner().invoke(app, command).exit_code == 0, command
    scored = told(
        "evaluate", snapshot, "--model", f"{__name__}:refuse", "--out", str(tmp_path / "e"), "--json"
    )
    assert "refusal" in json.dumps(scored)


def refuse(prompt: str) -> str:
    """A model that refuses whatever it is asked."""
    return "REFUSE_OTHER"


def test_a_build_in_an_old_run_makes_new_jobs_and_keeps_the_old_items(run: Path, tmp_path: Path) -> None:
    [(old,)] = query(run, "SELECT count(*) FROM candidates")
    facts = told(
        "build", "--demo", "rules", "--limit", "4", "--out", str(tmp_path), "--name", run.name, "--json"
    )
    assert facts["rows"]
    [(kept,)] = query(run, "SELECT count(*) FROM candidates")
    assert kept > old == 17
