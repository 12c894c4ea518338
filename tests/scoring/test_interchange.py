"""Scores and replies in the formats of others, against their own schemas and readers."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from perturb.evaluation.results import read_run
from perturb.metrics.outcomes import SCORED
from perturb.scoring.interchange import write_every_eval_ever
from perturb.scoring.score_report import score
from perturb.scoring.table import read_results
from tests.building import perturb

SCHEMAS = Path(__file__).parents[1] / "data" / "every_eval_ever"


def schema(name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8"))
    return content


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The evaluation on record, replayed."""
    folder = tmp_path_factory.mktemp("interchange")
    done = perturb("evaluate", "--demo", "--out", folder / "run", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / "run"


def test_every_eval_ever_accepts_the_records_and_each_of_their_rows(run: Path, tmp_path: Path) -> None:
    done = perturb("score", run, "--to", "every-eval-ever", tmp_path)
    assert done.returncode == 0, done.stderr
    aggregate, instance = schema("eval"), schema("instance_level_eval")
    replies = {result.model: 0 for result in read_run(run).results}
    records = list(tmp_path.rglob("*.json"))
    assert len(records) == len(replies)
    reported = {one.model: one for one in score(run).models}
    replies_of = {one.model: one.rows for one in read_results(run).models}
    for path in records:
        record = json.loads(path.read_text(encoding="utf-8"))
        jsonschema.validate(record, aggregate)
        detail = record["detailed_evaluation_results"]
        samples = (tmp_path / detail["file_path"]).read_bytes()
        assert hashlib.sha256(samples).hexdigest() == detail["checksum"]
        rows = [json.loads(line) for line in samples.decode("utf-8").splitlines()]
        assert len(rows) == detail["total_rows"] > 0
        for row in rows:
            jsonschema.validate(row, instance)
            assert row["evaluation_id"] == record["evaluation_id"]
        model = record["evaluation_id"].split("/")[1]
        metrics = {one["evaluation_result_id"]: one["score_details"] for one in record["evaluation_results"]}
        refused = [row for row in rows if row["input"]["reference"][0].startswith("REFUSE_")]
        right = sum(row["evaluation"]["is_correct"] for row in refused)
        assert metrics["refusal_accuracy"]["score"] == pytest.approx(right / len(refused))
        assert metrics["refusal_accuracy"]["score"] == reported[model].metrics["refusal_accuracy"].value
        scored = [row.outcome for row in replies_of[model] if row.outcome in SCORED]
        assert Counter(row["metadata"]["outcome"] for row in rows) == Counter(map(str, scored))


def test_the_same_second_gives_the_same_files(run: Path, tmp_path: Path) -> None:
    report = score(run)
    first, second = (write_every_eval_ever(run, report, tmp_path / name, 1_700_000_000.0) for name in "ab")
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
    assert [path.relative_to(tmp_path / "a") for path in first] == [
        path.relative_to(tmp_path / "b") for path in second
    ]


def test_results_for_the_pages_of_models_are_read_by_the_hubs_library(run: Path, tmp_path: Path) -> None:
    from huggingface_hub import EvalResultEntry, eval_result_entries_to_yaml

    done = perturb("score", run, "--to", "eval-results", tmp_path, "--dataset", "org/my-benchmark")
    assert done.returncode == 0, done.stderr
    reported = {one.model: one.metrics for one in score(run).models}
    for model, metrics in reported.items():
        path = tmp_path / model / ".eval_results" / "org-my-benchmark.yaml"
        entries = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert {one["dataset"]["task_id"] for one in entries} == {"refusal", "answer"}
        for one in entries:
            name = {"refusal": "refusal_accuracy", "answer": "answer_accuracy"}[one["dataset"]["task_id"]]
            assert one["value"] == pytest.approx(100 * (metrics[name].value or 0), abs=0.005)
            entry = EvalResultEntry(
                "org/my-benchmark", one["dataset"]["task_id"], one["value"], notes=one["notes"]
            )
            assert eval_result_entries_to_yaml([entry]) == [one]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--to", "inspect", "out"), "'inspect' is not a format"),
        (("--to", "eval-results", "out"), "goes with --to eval-results"),
        (("--dataset", "org/name"), "goes with --to eval-results"),
    ],
)
def test_options_that_do_not_fit_are_refused(run: Path, options: tuple[str, ...], message: str) -> None:
    done = perturb("score", run, *options)
    assert done.returncode == 2
    assert message in done.stderr
