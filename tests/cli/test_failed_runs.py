"""Runs in which every call fails: exit code 1, and a last line of ours that says so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.building import model, perturb, serve
from tests.evaluation.rows import single, write_rows
from tests.loopback.faults import Fault, RandomFaults


@pytest.fixture
def models(tmp_path: Path) -> Iterator[Path]:
    """Models whose provider takes no key."""
    path = tmp_path / "models.yaml"
    with serve(faults=RandomFaults({Fault.UNAUTHORISED: 1.0})) as server:
        both = [model(name, server.url) for name in ("m", "n")]
        path.write_text(yaml.safe_dump({"models": both}), encoding="utf-8")
        yield path


def errors(folder: Path, *arguments: object) -> list[str]:
    ended = perturb(*arguments, cwd=folder)
    assert ended.returncode == 1, ended.stderr
    return ended.stderr.splitlines()


def last_line(folder: Path, *arguments: object) -> str:
    return errors(folder, *arguments)[-1]


def test_an_evaluation_without_a_reply(tmp_path: Path, models: Path) -> None:
    rows = write_rows(tmp_path / "rows.jsonl", [single(0)])
    for name in ("m", "n"):  # the failures of `m` say nothing about the second call, which asks `n` alone
        said = errors(tmp_path, "evaluate", rows, "--model", name, "--models", models, "--out", "run")
        assert said[0].startswith(f"{name}: status 401: ")
        assert [line for line in said if ": status 401: " in line] == said[:1]
        assert said[-1].startswith("perturb: run: no model replied: ")


def test_two_passes_without_a_score(tmp_path: Path, models: Path) -> None:
    (tmp_path / "qa.csv").write_text("problem,answer\nWho built it?,Ada\n", encoding="utf-8")
    run = ("refusal-index", "run", "qa.csv", "--model", "m", "--judge", "m", "--models", models)
    said = last_line(tmp_path, *run, "--out", "run")
    assert said == "perturb: run/refusals.jsonl: no row is scored: see column 'unscored'"
