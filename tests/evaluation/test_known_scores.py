"""From a snapshot to scores: models of known behaviour, every metric against its value worked out by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from perturb.scoring.score_report import score
from tests.loopback import LoopbackServer
from tests.loopback.responders import Responders, has_right_code

from .rows import items_of, run, several, single, write_rows

ITEMS = 90
ANSWERABLE, UNANSWERABLE, WITHOUT_INFORMATION = 30, 60, 10
"""Five items to each of the 18 cells: a third is LOW; of the rest, a sixth lacks information."""


def always_refuses() -> dict[str, float | None]:
    """Every reply is a refusal for want of information: right for 10 items of 60."""
    right = WITHOUT_INFORMATION / UNANSWERABLE
    return {
        "answer_accuracy": 0,
        "refusal_accuracy": right,
        "false_refusal_rate": 1,
        "missed_refusal_rate": 0,
        "refusal_rate": 1,
        "correct_refusal_rate": 1,
        "detection_precision": 2 / 3,
        "detection_recall": 1,
        "detection_f1": 0.8,
        "category_accuracy": right,
        "hierarchical_refusal_score": 0.8 * right,
        "calibrated_refusal_score": right / 2,
        "ece": None,
    }


def never_refuses() -> dict[str, float | None]:
    """Every reply is the original answer: right for LOW items."""
    return {
        "answer_accuracy": 1,
        "refusal_accuracy": 0,
        "false_refusal_rate": 0,
        "missed_refusal_rate": 1,
        "refusal_rate": 0,
        "correct_refusal_rate": 0,
        "detection_precision": None,
        "detection_recall": 0,
        "category_accuracy": None,
        "hierarchical_refusal_score": None,
        "calibrated_refusal_score": 0.5,
        "ece": None,
    }


def confident_and_wrong() -> dict[str, float | None]:
    """Every reply is wrong and VERY_CONFIDENT, the midpoint of which is .95."""
    changes = {"answer_accuracy": 0, "calibrated_refusal_score": 0}
    return {**never_refuses(), **changes, "ece": 0.95, "ece_answers": 0.95, "ece_refusals": None}


def right_code_in_sixty(right: float) -> dict[str, float | None]:
    """Detects without a fault and names the right code for a share of the unanswerable items."""
    return {
        "answer_accuracy": 1,
        "refusal_accuracy": right,
        "false_refusal_rate": 0,
        "missed_refusal_rate": 0,
        "refusal_rate": 2 / 3,
        "correct_refusal_rate": 1,
        "detection_precision": 1,
        "detection_recall": 1,
        "detection_f1": 1,
        "category_accuracy": right,
        "hierarchical_refusal_score": right,
        "calibrated_refusal_score": (1 + right) / 2,
        "ece": None,
    }


@pytest.mark.parametrize("make", [single, several])
def test_every_metric_has_the_value_worked_out_by_hand(
    tmp_path: Path, make: Callable[[int], dict[str, Any]]
) -> None:
    source = write_rows(tmp_path / "rows.jsonl", [make(number) for number in range(ITEMS)])
    items = items_of(source)
    right = sum(has_right_code(item) for item in items if not item.answerable) / UNANSWERABLE
    expected = {
        "refuse": always_refuses(),
        "never": never_refuses(),
        "sixty": right_code_in_sixty(right),
        "wrong": confident_and_wrong(),
    }
    with LoopbackServer(Responders(items)) as server:
        report = run(tmp_path, source, server.url, tuple(expected), variant="confidence")
    scored = {model["model"]: model for model in score(report.run, resamples=20).to_dict()["models"]}
    assert scored.keys() == expected.keys()
    for model, values in expected.items():
        metrics = scored[model]["metrics"]
        assert scored[model]["n"] == ITEMS
        by_hand = _of_several(values) if make is several else values
        for name, value in by_hand.items():
            assert metrics[name]["value"] == (None if value is None else pytest.approx(value)), (model, name)


def _of_several(values: dict[str, float | None]) -> dict[str, float | None]:
    """Answers from several passages are judged by relevance-aware factuality, and the sizes of A and U weigh in."""
    renamed = {**values, "answer_quality": values["answer_accuracy"]}
    answered, refused = renamed["answer_quality"] or 0, renamed["refusal_accuracy"] or 0
    renamed["hybrid_score"] = (ANSWERABLE * answered + UNANSWERABLE * refused) / ITEMS
    del renamed["answer_accuracy"], renamed["calibrated_refusal_score"]
    return renamed
