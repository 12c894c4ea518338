"""Runs and snapshots of earlier versions are opened by every command that takes one, and stay as they are."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

from perturb import Evaluation, Run
from perturb.snapshots.snapshot import read_snapshot
from tests.building import perturb
from tests.offline.test_old_rules import unpacked

BUILDS = {"3068e22": ("run-3068e22.tar.xz", "3068e22/build"), "rules-2": ("rules-2.tar.gz", "rules-2")}
EVALUATIONS = {
    "3068e22": ("run-3068e22.tar.xz", "3068e22/evaluation"),
    "0.1": ("evaluation-0.1.tar.gz", "old-evaluation"),
}
OF_BUILDS = {
    "show {run} --limit 2": (0, "2 of"),
    "show {run}/snapshot --limit 2": (0, "2 of"),
    "evaluate {run}/snapshot --model openai/gpt-4o --judge openai/gpt-4.1 --dry-run": (0, "calls to models"),
    "publish {run}/snapshot --dry-run {out}": (0, "nothing was pushed"),
    "verify-snapshot {run}/snapshot --checklist": (0, "0 problems"),
    "compare {run} {run}/snapshot --check": (1, "Repeats found."),
    "power {run}": (0, "Read from"),
    "power {run}/snapshot": (0, "Read from"),
}
OF_EVALUATIONS = {
    "score {run} --resamples 20 --to every-eval-ever {out}": (0, "refusal accuracy"),
    "score {run} --resamples 20 --to eval-results {out} --dataset own/refusal": (0, "refusal accuracy"),
    "score {run} --resamples 20 --against {run} --gate refusal_rate>=against-0.02": (3, "is undecided"),
    "power {run}": (0, "Observed:"),
}
"""By command: its exit code, and a part of what it prints."""


def contents(folder: Path) -> dict[Path, str]:
    """A digest of every file."""
    return {path: sha256(path.read_bytes()).hexdigest() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("source", "command", "exit_code", "printed"),
    [
        pytest.param(source, command, *ending, id=f"{name}: {command}")
        for sources, commands in ((BUILDS, OF_BUILDS), (EVALUATIONS, OF_EVALUATIONS))
        for name, source in sources.items()
        for command, ending in commands.items()
    ],
)
def test_a_command_opens_what_an_earlier_version_made(
    tmp_path: Path, source: tuple[str, str], command: str, exit_code: int, printed: str
) -> None:
    archive, folder = source
    run = unpacked(archive, tmp_path / "then") / folder
    before = contents(run)
    words = [word.format(run=run, out=tmp_path / "out") for word in command.split()]
    ended = perturb(*words)
    assert ended.returncode == exit_code, ended.stderr
    assert printed in " ".join(f"{ended.stdout} {ended.stderr}".split())
    assert before.items() <= contents(run).items()
    if "{out}" in command:
        assert contents(tmp_path / "out")


@pytest.mark.parametrize(("archive", "folder"), BUILDS.values(), ids=BUILDS)
def test_python_opens_a_build_of_an_earlier_version(tmp_path: Path, archive: str, folder: str) -> None:
    run = Run(unpacked(archive, tmp_path) / folder)
    rows = read_snapshot(run.folder / "snapshot").read_rows()
    assert [row["id"] for row in rows] == list(run.to_pandas()["id"])
    assert {row["id"] for row in rows} <= {item.id for item in run.items}
    assert run.report().is_file()


@pytest.mark.parametrize(("archive", "folder"), EVALUATIONS.values(), ids=EVALUATIONS)
def test_python_opens_an_evaluation_of_an_earlier_version(tmp_path: Path, archive: str, folder: str) -> None:
    evaluation = Evaluation(unpacked(archive, tmp_path) / folder)
    models = evaluation.score(resamples=20).to_dict()["models"]
    assert {model["model"] for model in models} == {result.model for result in evaluation.results}
    assert evaluation.report().is_file()
