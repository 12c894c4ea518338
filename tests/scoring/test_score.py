"""Scores of whole tables: hand-computed values, breakdowns, intervals, and the form of the report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from perturb.errors import ConfigError
from perturb.metrics.refusal_registry import REFUSAL_METRICS
from perturb.records import ANSWER_CORRECTLY
from perturb.scoring.model_scores import ModelScores
from perturb.scoring.score_report import score
from tests.building import write_rows
from tests.scoring.tables import (
    CODES,
    items,
    reply,
    right,
    right_at_rate,
    table,
    write_csv,
    wrong,
)

MISSING = "REFUSE_INFO_MISSING_IN_CONTEXT"


def scores_of(rows: list[dict[str, Any]], **options: Any) -> ModelScores:
    """The scores of the only model."""
    (found,) = score(table(rows), **{"resamples": 50, **options}).models
    return found


def values(scores: ModelScores) -> dict[str, float | None]:
    return {name: estimate.value for name, estimate in scores.metrics.items()}


def test_a_model_that_always_refuses_with_one_code() -> None:
    found = scores_of([reply(item, "m", MISSING, confidence="CONFIDENT") for item in items(180)])
    assert values(found) == pytest.approx(
        {
            "answer_accuracy": 0,
            "answer_quality": None,
            "refusal_accuracy": 1 / 6,
            "false_refusal_rate": 1,
            "missed_refusal_rate": 0,
            "refusal_rate": 1,
            "correct_refusal_rate": 1,
            "detection_precision": 2 / 3,
            "detection_recall": 1,
            "detection_f1": 0.8,
            "category_accuracy": 1 / 6,
            "hierarchical_refusal_score": 0.8 / 6,
            "calibrated_refusal_score": 1 / 12,
            "hybrid_score": None,
            "ece": 0.8 - 20 / 180,
            "ece_answers": None,
            "ece_refusals": 0.8 - 20 / 180,
        }
    )
    assert found.outcomes == pytest.approx(
        {
            "correct_answer": 0,
            "poor_answer": 0,
            "correct_refusal": 20 / 180,
            "wrong_code_refusal": 100 / 180,
            "false_refusal": 60 / 180,
            "missed_refusal": 0,
        }
    )


def test_a_model_that_never_refuses() -> None:
    rows = [
        reply(item, "m", "ANSWER", quality=(3, 4, 5)[place % 3] if item["intensity"] == "LOW" else None)
        for place, item in enumerate(items(18 * 9)[::3] + items(18 * 9)[1::3])
    ]
    found = values(scores_of(rows))
    assert found["answer_accuracy"] == pytest.approx(2 / 3)
    assert (found["refusal_accuracy"], found["missed_refusal_rate"], found["detection_f1"]) == (0, 1, 0)
    assert found["category_accuracy"] is found["hierarchical_refusal_score"] is found["ece"] is None
    assert found["calibrated_refusal_score"] == pytest.approx(1 / 3)


def test_a_model_that_is_confident_and_wrong() -> None:
    found = values(scores_of([wrong(item, "m", confidence="VERY_CONFIDENT") for item in items(90)]))
    assert found["ece"] == found["ece_answers"] == found["ece_refusals"] == pytest.approx(0.95)
    assert (found["calibrated_refusal_score"], found["detection_f1"], found["false_refusal_rate"]) == (
        0,
        0,
        1,
    )


def test_sets_with_several_passages_have_answer_quality_and_hybrid_score() -> None:
    """A: 60 items, of which 15 are RAF 1; U: 120 items, all refused rightly."""
    rows = [right(item, "m") for item in items(180)]
    for place, row in enumerate([row for row in rows if row["predicted"] == "ANSWER"]):
        del row["quality"]
        row |= {"eligible": place % 2 == 0, "factual_all": True, "factual_signal": place % 4 < 2}
    found = values(scores_of(rows))
    assert found["answer_quality"] == found["answer_accuracy"] == pytest.approx(15 / 60)
    assert found["hybrid_score"] == pytest.approx((15 + 120) / 180)
    assert found["calibrated_refusal_score"] == pytest.approx((15 / 60 + 1) / 2)


def test_the_published_score() -> None:
    """57.7 % of A and 73.0 % of U give 65.35 %."""
    answerable = next(item for item in items(18) if item["intensity"] == "LOW")
    other = next(item for item in items(18) if item["intensity"] == "HIGH")
    rows = [
        (right if number < good else wrong)({**item, "item_id": f"{item['item_id']}-{number}"}, "m")
        for item, good in ((answerable, 577), (other, 730))
        for number in range(1000)
    ]
    found = values(scores_of(rows, unit="item"))
    assert found["calibrated_refusal_score"] == pytest.approx(0.6535)


def test_the_shares_of_the_six_outcomes_sum_to_1() -> None:
    rows = right_at_rate(0.6, "m", 180, seed=1)
    rows[0] |= {"predicted": None}
    found = scores_of(rows)
    assert sum(share for share in found.outcomes.values() if share is not None) == pytest.approx(1)
    assert sum(found.outcome_counts.values()) == 180
    assert (found.unscored, found.outcome_counts["unread_answerable"]) == (1, 1)


def test_without_a_scored_reply_nothing_has_a_value() -> None:
    found = scores_of([reply(item, "m", None) for item in items(18)])
    assert set(values(found).values()) == {None}
    assert all(estimate.reason for estimate in found.metrics.values())
    assert set(found.outcomes.values()) == {None}
    assert found.unscored == 18
    assert found.bounds["answer_accuracy"] == found.bounds["missed_refusal_rate"] == (0, 1)


def test_groups_with_unscored_replies_have_bounds_of_their_own() -> None:
    rows = [right(item, "m", confidence="CONFIDENT") for item in items(36)]
    for row in (rows[0], rows[1]):  # P-Ambiguity, LOW and MEDIUM, each with one other item
        row |= {"predicted": None, "quality": None}
    found = scores_of(rows)
    assert list(found.group_bounds["cell"]) == ["P-Ambiguity/LOW", "P-Ambiguity/MEDIUM"]
    ends = found.to_dict()["bounds_by"]
    low, medium = (ends["cell"][name] for name in found.group_bounds["cell"])
    assert low["answer_accuracy"] == {"low": 0.5, "high": 1}
    assert low["refusal_accuracy"] is None
    assert medium["missed_refusal_rate"] == {"low": 0, "high": 0.5}
    assert medium["ece"] == pytest.approx({"low": 0.2, "high": 0.3})  # both right; one right and one wrong
    assert ends["class"]["P-Ambiguity"]["refusal_accuracy"] == {"low": 0.75, "high": 1}
    assert list(found.groups["cell"])[-1] == "P-EpistemicMismatch/HIGH"


def test_the_confusion_matrix_counts_codes_and_answers() -> None:
    rows = [right(item, "m") for item in items(36)]
    rows[1] |= {"predicted": "ANSWER"}  # P-Ambiguity, MEDIUM
    rows[2] |= {"predicted": "REFUSE_OTHER"}
    rows[0] |= {"predicted": MISSING}  # P-Ambiguity, LOW
    rows[4] |= {"predicted": None}
    confusion = scores_of(rows).confusion
    assert list(confusion) == [*CODES, ANSWER_CORRECTLY]
    assert all(list(row) == [*CODES, "REFUSE_OTHER", "NONE"] for row in confusion.values())
    ambiguous = confusion["REFUSE_AMBIGUOUS_QUERY"]
    assert (ambiguous["REFUSE_AMBIGUOUS_QUERY"], ambiguous["NONE"], ambiguous["REFUSE_OTHER"]) == (2, 1, 1)
    assert (confusion[ANSWER_CORRECTLY]["NONE"], confusion[ANSWER_CORRECTLY][MISSING]) == (11, 1)
    assert sum(sum(row.values()) for row in confusion.values()) == 35
    by_intensity = scores_of(rows).confusion_by_intensity
    counts = {name: sum(sum(row.values()) for row in part.values()) for name, part in by_intensity.items()}
    assert counts == {"LOW": 12, "MEDIUM": 11, "HIGH": 12}


@pytest.mark.parametrize(
    ("grouping", "column", "names"),
    [
        (
            "class",
            "perturbation_class",
            ["P-Ambiguity", "P-Contradiction", "P-MissingInfo", "P-FalsePremise"],
        ),
        ("intensity", "intensity", ["LOW", "MEDIUM", "HIGH"]),
        ("domain", "domain", ["Health", "Law"]),
        ("generator", "generator", ["g0", "g1", "g2"]),
        ("lever", "lever", []),
    ],
)
def test_a_group_scores_as_its_rows_alone(grouping: str, column: str, names: list[str]) -> None:
    rows = right_at_rate(0.6, "m", 180, seed=2)
    found = scores_of(rows).groups[grouping]
    assert list(found)[: len(names)] == names
    assert set(found) == {row[column] for row in rows}
    for name, metrics in list(found.items())[:3]:
        alone = values(scores_of([row for row in rows if row[column] == name]))
        assert {metric: estimate.value for metric, estimate in metrics.items()} == alone


def test_a_column_that_is_missing_gives_no_groups() -> None:
    rows = [right(item, "m") for item in items(18)]
    for row in rows:
        del row["domain"]
        row["lever"] = ""
    found = scores_of(rows).groups
    assert found["domain"] == found["lever"] == {}


def test_the_refusal_rate_rises_with_intensity() -> None:
    by_intensity = scores_of(right_at_rate(0.8, "m", 360, seed=3)).groups["intensity"]
    rates = [by_intensity[name]["refusal_rate"].value for name in ("LOW", "MEDIUM")]
    assert None not in rates
    assert rates[0] < rates[1]  # type: ignore[operator]
    assert (
        by_intensity["LOW"]["refusal_accuracy"].value is by_intensity["HIGH"]["answer_accuracy"].value is None
    )


# -- intervals -------------------------------------------------------------------------------------------------


def test_intervals_contain_the_value_and_depend_on_the_seed_alone() -> None:
    rows = right_at_rate(0.6, "m", 360, seed=4)
    first, again, other = (scores_of(rows, seed=seed, resamples=200).metrics for seed in (1, 1, 2))
    assert first == again
    assert first["refusal_accuracy"] != other["refusal_accuracy"]
    for estimate in first.values():
        if estimate.value is not None:
            assert estimate.low is not None
            assert estimate.high is not None
            assert estimate.low <= estimate.value <= estimate.high


def test_the_standard_error_of_items_is_that_of_a_proportion() -> None:
    found = scores_of(right_at_rate(0.6, "m", 1800, seed=5), unit="item", resamples=1000)
    accuracy = found.metrics["refusal_accuracy"]
    assert accuracy.value is not None
    assert accuracy.se == pytest.approx((accuracy.value * (1 - accuracy.value) / 1200) ** 0.5, rel=0.1)


def test_base_instances_that_stand_or_fall_together_widen_intervals() -> None:
    rows = [
        (right if int(item["base_id"].split("-")[1]) % 5 < 3 else wrong)(item, "m") for item in items(900)
    ]
    by_base, by_item = (scores_of(rows, unit=unit, resamples=500) for unit in ("base", "item"))
    wide, narrow = (found.metrics["refusal_accuracy"].se for found in (by_base, by_item))
    assert wide is not None
    assert narrow is not None
    assert 1.7 < wide / narrow < 2.3  # four unanswerable items to a base instance: the root of 4


def test_one_base_instance_has_no_interval() -> None:
    found = scores_of([right(item, "m") for item in items(6)]).metrics["refusal_accuracy"]
    assert (found.value, found.low, found.se) == (1, None, None)
    assert found.reason is not None
    assert found.reason.startswith("no interval")


@pytest.mark.parametrize("options", [{"resamples": 0}, {"seed": -1}, {"unit": "question"}])
def test_options_that_cannot_be_used(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        score(table([right(item, "m") for item in items(6)]), **options)


# -- the report ------------------------------------------------------------------------------------------------


def test_the_json_is_that_of_the_specification() -> None:
    rows = right_at_rate(0.6, "a", 90, seed=6) + right_at_rate(0.7, "b", 90, seed=7)
    found = json.loads(json.dumps(score(table(rows), resamples=20).to_dict(), allow_nan=False))
    assert [one["model"] for one in found["models"]] == ["a", "b"]
    for one in found["models"]:
        assert one["n"] == 90
        assert set(one["metrics"]) == set(REFUSAL_METRICS)
        for estimate in one["metrics"].values():
            assert set(estimate) == {"value", "low", "high", "se", "n", "reason"}
            assert (estimate["value"] is None) <= bool(estimate["reason"])
        assert {"by_class", "by_intensity", "by_domain", "confusion", "outcomes", "bounds"} <= set(one)
        assert set(one["by_class"]["P-Ambiguity"]) == set(REFUSAL_METRICS)


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_the_form_of_the_table_does_not_matter(tmp_path: Path, form: str) -> None:
    import pandas as pd

    rows = right_at_rate(0.6, "a", 90, seed=8) + right_at_rate(0.7, "b", 90, seed=9)
    rows[0] |= {"predicted": None}
    rows[1] |= {"confidence": "SOMEWHAT_CONFIDENT"}
    jsonl = write_rows(tmp_path / "results.jsonl", rows)
    other = tmp_path / f"results.{form}"
    if form == "csv":
        write_csv(other, rows)
    else:
        pd.DataFrame(rows).to_parquet(other)
    first, second = (score(path, resamples=20).to_dict() for path in (jsonl, other))
    assert first.pop("source") != second.pop("source")
    assert first == second


def test_the_order_of_rows_leaves_no_trace() -> None:
    rows = right_at_rate(0.6, "a", 90, seed=8) + right_at_rate(0.7, "b", 90, seed=9)
    assert score(table(rows), resamples=20).to_dict() == score(table(rows[::-1]), resamples=20).to_dict()


def test_the_reliability_diagram_has_a_point_for_each_level() -> None:
    rows = [
        (right if place % 4 else wrong)(item, "m", confidence=("CONFIDENT", "very uncertain")[place % 2])
        for place, item in enumerate(items(180))
    ]
    points = {(one.replies, one.level): one for one in scores_of(rows).calibration}
    assert (points["all", "CONFIDENT"].n, points["all", "CONFIDENT"].accuracy) == (90, 0.5)
    assert (points["all", "VERY_UNCERTAIN"].midpoint, points["all", "VERY_UNCERTAIN"].accuracy) == (0.15, 1)
    assert points["answers", "CONFIDENT"].n + points["refusals", "CONFIDENT"].n == 90
