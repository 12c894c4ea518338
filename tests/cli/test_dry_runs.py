"""`--dry-run` of the commands that ask models: what it counts is what a run asks at most, and it asks nobody."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.building import KEY, KEY_NAME, model, perturb
from tests.evaluation.rows import items_of, several, single, write_rows
from tests.loopback import LoopbackServer
from tests.loopback.answerers import AnswererPlayer
from tests.loopback.confiders import ConfidencePlayer
from tests.loopback.responders import Responders

pytestmark = pytest.mark.filterwarnings("ignore:Item.*using the `ReadOnly` qualifier:UserWarning")


def invoke(*arguments: object) -> Any:
    return perturb(*arguments, "--json").json


def models_file(tmp_path: Path, url: str, *names: str, **changes: Any) -> Path:
    path = tmp_path / "models.yaml"
    path.write_text(yaml.safe_dump({"models": [model(name, url, **changes) for name in names]}))
    return path


def check(estimate: dict[str, Any], facts: dict[str, Any], asked: dict[str, int]) -> None:
    """An estimate against the run: as many calls to models under test at most, and none that it did not foresee."""
    assert set(asked) == {one["name"] for one in estimate["models"]}
    for one in estimate["models"]:
        assert 0 < asked[one["name"]] <= one["calls"]
        assert one["cost_usd"] > 0
    assert facts["calls"] <= estimate["calls"]
    assert estimate["missing_keys"] == []


def test_evaluate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [single(number) for number in range(6)] + [several(number) for number in range(6, 12)]
    source = write_rows(tmp_path / "rows.jsonl", rows)
    with LoopbackServer(Responders(items_of(source))) as server:
        models = models_file(tmp_path, server.url, "refuse", "never", "judge")
        asking = ("evaluate", source, "--models", models, "--model", "refuse", "--model", "never")
        out = tmp_path / "run"
        command = (*asking, "--judge", "judge", "--out", out)
        monkeypatch.delenv(KEY_NAME, raising=False)
        unset = invoke(*command, "--dry-run")
        assert unset["missing_keys"] == [KEY_NAME]
        assert any(KEY_NAME in line for line in unset["obstacles"])
        monkeypatch.setenv(KEY_NAME, KEY)
        estimate = invoke(*command, "--dry-run")
        assert (server.counters.total, out.exists()) == (0, False)
        twice = invoke(*command, "--samples", 2, "--dry-run")
        poor = invoke(*command, "--budget-usd", 0.0001, "--dry-run")
        facts = invoke(*command)
        asked = dict(server.counters.requests)
    assert estimate["items"] == 12
    assert [one["calls"] for one in estimate["models"] if one["role"] == "model"] == [12, 12]
    assert [one["calls"] for one in twice["models"] if one["role"] == "model"] == [24, 24]
    assert poor["obstacles"]
    check(estimate, facts, asked)


def questions(tmp_path: Path) -> tuple[Path, dict[str, str]]:
    answers = {f"What is in box {n}?": f"thing {n}" for n in range(8)}
    path = tmp_path / "boxes.csv"
    with path.open("w", newline="") as stream:
        csv.writer(stream).writerows([("problem", "answer"), *answers.items()])
    return path, answers


@pytest.mark.parametrize(
    ("command", "more", "most"),
    [
        (("refusal-index", "run"), ("--samples", 2), 8 * (4 * 2 + 1)),
        (("bas", "run"), ("--elicitation", "direct", "--elicitation", "reflection"), 8 * 3),
    ],
)
def test_questions(
    tmp_path: Path,
    command: tuple[str, str],
    more: tuple[Any, ...],
    most: int,
) -> None:
    source, answers = questions(tmp_path)
    player = AnswererPlayer(answers) if command[0] == "refusal-index" else ConfidencePlayer()
    with LoopbackServer(player) as server:
        models = models_file(tmp_path, server.url, "honest", "judge")
        out = tmp_path / "run"
        words = (
            *command,
            source,
            "--models",
            models,
            "--model",
            "honest",
            "--judge",
            "judge",
            "--out",
            out,
            *more,
        )
        estimate = invoke(*words, "--dry-run")
        assert (server.counters.total, out.exists()) == (0, False)
        facts = invoke(*words)
        asked = dict(server.counters.requests)
    assert next(one["calls"] for one in estimate["models"] if one["name"] == "honest") == most
    check(estimate, facts, asked)


def test_services_cost_nothing_that_is_known_and_replies_on_record_are_not_estimated(tmp_path: Path) -> None:
    source = write_rows(tmp_path / "rows.jsonl", [single(number) for number in range(3)])
    told = invoke("evaluate", source, "--model", "http://127.0.0.1:9/rag", "--dry-run")
    assert (told["cost_usd"], told["calls"], told["obstacles"]) == (0.0, 3, [])
    assert perturb("evaluate", "--demo", "--dry-run").returncode == 2
