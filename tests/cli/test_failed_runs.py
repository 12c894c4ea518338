"""Runs in which every call fails: exit code 1, and a last line of ours that says so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.building import KEY, KEY_NAME, environment, model, perturb, serve
from tests.evaluate.rows import single, write_rows
from tests.loopback.faults import Fault, RandomFaults


@pytest.fixture
def models(tmp_path: Path) -> Iterator[Path]:
    """A model whose provider takes no key."""
    path = tmp_path / "models.yaml"
    with serve(faults=RandomFaults({Fault.UNAUTHORISED: 1.0})) as server:
        path.write_text(yaml.safe_dump({"models": [model("m", server.url)]}), encoding="utf-8")
        yield path


def last_line(folder: Path, *arguments: object) -> str:
    ended = perturb(*arguments, cwd=folder, env=environment(**{KEY_NAME: KEY}))
    assert ended.returncode == 1, ended.stderr
    return ended.stderr.splitlines()[-1]


def test_an_evaluation_without_a_reply(tmp_path: Path, models: Path) -> None:
    rows = write_rows(tmp_path / "rows.jsonl", [single(0)])
    said = last_line(tmp_path, "evaluate", rows, "--model", "m", "--models", models, "--out", "run")
    assert said.startswith("perturb: run: no model replied: ")


def test_two_passes_without_a_score(tmp_path: Path, models: Path) -> None:
    (tmp_path / "qa.csv").write_text("problem,answer\nWho built it?,Ada\n", encoding="utf-8")
    run = ("refusal-index", "run", "qa.csv", "--model", "m", "--judge", "m", "--models", models)
    said = last_line(tmp_path, *run, "--out", "run")
    assert said == "perturb: run/refusals.jsonl: no row is scored: see column 'unscored'"
