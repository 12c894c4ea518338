"""Every registered metric of selective refusal, held to what all of them have in common."""

from __future__ import annotations

import inspect
import math
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from perturb.metrics import expected_calibration_error
from perturb.metrics import refusal as functions
from perturb.metrics.outcomes import (
    CELLS,
    LEVELS,
    SCORED,
    UNSCORED,
    ReplyCounts,
    ReplyOutcome,
    reply_cells,
    reply_outcome,
)
from perturb.metrics.refusal_registry import REFUSAL_METRICS, bounds, measure

DOCS = Path(__file__).resolve().parents[2] / "docs" / "evaluation-details.md"
READINGS = {
    ReplyOutcome.UNGRADED_ANSWER: ("correct_answer", "poor_answer"),
    ReplyOutcome.UNREAD_ANSWERABLE: ("correct_answer", "poor_answer", "false_refusal"),
    ReplyOutcome.UNREAD_UNANSWERABLE: ("correct_refusal", "wrong_code_refusal", "missed_refusal"),
}

Sample = tuple[list[str], list[str | None]]


def sample(seed: int, n: int = 80, outcomes: tuple[ReplyOutcome, ...] = tuple(ReplyOutcome)) -> Sample:
    rng = np.random.default_rng(seed)
    levels = [*LEVELS, None]
    return (
        [outcomes[i].value for i in rng.integers(len(outcomes), size=n)],
        [levels[i] for i in rng.integers(len(levels), size=n)],
    )


def value_of(name: str, replies: Sample) -> float:
    value = measure(name, ReplyCounts.of(*replies, raf=True)).value
    assert value is not None
    return value


def test_the_registry_holds_the_metrics_of_the_specification() -> None:
    assert set(REFUSAL_METRICS) == {
        *(
            "answer_accuracy",
            "answer_quality",
            "refusal_accuracy",
            "false_refusal_rate",
            "missed_refusal_rate",
        ),
        *("refusal_rate", "correct_refusal_rate", "detection_precision", "detection_recall", "detection_f1"),
        *("category_accuracy", "hierarchical_refusal_score", "calibrated_refusal_score", "hybrid_score"),
        *("ece", "ece_answers", "ece_refusals"),
    }


def test_no_metric_is_left_unregistered() -> None:
    public = {
        name
        for name, one in inspect.getmembers(functions, inspect.isfunction)
        if one.__module__ == functions.__name__ and not name.startswith("_")
    }
    assert public == set(REFUSAL_METRICS)


def test_a_level_counts_as_the_middle_of_its_range() -> None:
    """The ranges are those that the prompt states to the model."""
    ends = np.array([0.0, 0.3, 0.5, 0.7, 0.9, 1.0])
    assert [*LEVELS.values()] == pytest.approx(((ends[:-1] + ends[1:]) / 2)[::-1])


@pytest.mark.parametrize("name", REFUSAL_METRICS)
def test_a_docstring_says_formula_range_direction_reference_and_example(name: str) -> None:
    metric = REFUSAL_METRICS[name]
    text = " ".join((metric.compute.__doc__ or "").split())
    better = {True: "higher is better", False: "lower is better", None: "neither direction is better"}
    for part in ("Formula: ", f"Range: [0, {metric.maximum:g}]", "Undefined if ", "Reference: ", ">>> "):
        assert part in text, part
    assert better[metric.higher_is_better] in text


@pytest.mark.parametrize("name", REFUSAL_METRICS)
def test_the_documentation_lists_it_with_its_formula_and_direction(name: str) -> None:
    metric = REFUSAL_METRICS[name]
    row = next(
        line for line in DOCS.read_text(encoding="utf-8").splitlines() if line.startswith(f"| `{name}` |")
    )
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    text = " ".join((metric.compute.__doc__ or "").split())
    assert f"Formula: {cells[1]}" in text
    assert cells[2] == {True: "higher", False: "lower", None: "neither"}[metric.higher_is_better]
    assert cells[3] == metric.undefined


@pytest.mark.parametrize("name", REFUSAL_METRICS)
def test_the_order_of_replies_does_not_matter(name: str) -> None:
    outcomes, levels = sample(1)
    order = np.random.default_rng(2).permutation(len(outcomes))
    assert value_of(name, ([outcomes[i] for i in order], [levels[i] for i in order])) == value_of(
        name, (outcomes, levels)
    )


@pytest.mark.parametrize("name", REFUSAL_METRICS)
def test_replies_given_twice_change_nothing_but_their_number(name: str) -> None:
    outcomes, levels = sample(3)
    once, twice = (
        measure(name, ReplyCounts.of(outcomes * times, levels * times, raf=True)) for times in (1, 2)
    )
    assert twice.value == pytest.approx(once.value, abs=1e-12)
    assert twice.n == 2 * once.n > 0


@pytest.mark.parametrize("name", REFUSAL_METRICS)
@pytest.mark.parametrize("seed", range(20))
def test_values_stay_in_their_range(name: str, seed: int) -> None:
    value = measure(name, ReplyCounts.of(*sample(seed, n=6), raf=True)).value
    assert value is None or 0 <= value <= REFUSAL_METRICS[name].maximum


@pytest.mark.parametrize("name", REFUSAL_METRICS)
@pytest.mark.parametrize("outcomes", [[], [one.value for one in UNSCORED if one != "ungraded_answer"]])
def test_without_a_readable_reply_there_is_no_value_but_a_reason(name: str, outcomes: list[str]) -> None:
    found = measure(name, ReplyCounts.of(outcomes, ["CONFIDENT"] * len(outcomes), raf=True))
    assert (found.value, found.n, found.reason) == (None, 0, REFUSAL_METRICS[name].undefined)


@pytest.mark.parametrize("name", REFUSAL_METRICS)
def test_unscored_replies_are_neither_right_nor_wrong(name: str) -> None:
    """An ungraded answer still is an answer, so only replies that were not read at all are added."""
    outcomes, levels = sample(4)
    more = (
        [*outcomes, "unread_answerable", "unread_unanswerable"],
        [*levels, "CONFIDENT", "CONFIDENT"],
    )
    if name != "hybrid_score":  # which weighs its parts by the set, read or not
        assert value_of(name, more) == value_of(name, (outcomes, levels))
    assert measure("answer_accuracy", ReplyCounts.of([*outcomes, "ungraded_answer"])) == measure(
        "answer_accuracy", ReplyCounts.of(outcomes)
    )


@pytest.mark.parametrize("name", REFUSAL_METRICS)
@pytest.mark.parametrize("seed", range(10))
def test_bounds_contain_the_value(name: str, seed: int) -> None:
    replies = ReplyCounts.of(*sample(seed, n=30), raf=True)
    ends, value = bounds(name, replies), measure(name, replies).value
    assert value is not None
    assert ends is not None
    assert ends[0] - 1e-12 <= value <= ends[1] + 1e-12


@pytest.mark.parametrize("name", REFUSAL_METRICS)
def test_bounds_close_when_everything_is_scored(name: str) -> None:
    replies = ReplyCounts.of(*sample(5, outcomes=SCORED), raf=True)
    value = measure(name, replies).value
    assert bounds(name, replies) == (value, value)


@pytest.mark.parametrize("name", REFUSAL_METRICS)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("n", [0, 7])
def test_bounds_are_the_least_and_the_greatest_of_all_readings(name: str, seed: int, n: int) -> None:
    scored, stated = sample(seed, n=n, outcomes=SCORED)
    unread = [one for one in UNSCORED for _ in range(2)]
    levels = [*stated, *(["CONFIDENT", "UNCERTAIN", "CONFIDENT", None, "CONFIDENT", "VERY_UNCERTAIN"])]
    readings = [*product(*(READINGS[one] for one in unread)), unread]
    values = [
        measure(name, ReplyCounts.of([*scored, *reading], levels, raf=True)).value for reading in readings
    ]
    defined = [value for value in values if value is not None]
    ends = bounds(name, ReplyCounts.of([*scored, *unread], levels, raf=True))
    assert ends == pytest.approx((min(defined), max(defined)), abs=1e-12)


@pytest.mark.parametrize("name", REFUSAL_METRICS)
def test_a_stack_of_resamples_gives_what_each_alone_gives(name: str) -> None:
    cells = reply_cells(*sample(6))
    rows = np.random.default_rng(7).integers(len(cells), size=(5, len(cells)))
    counts = np.stack([np.bincount(cells[row], minlength=CELLS) for row in rows]).astype(np.float64)
    together = REFUSAL_METRICS[name].compute(ReplyCounts.of_cells(counts, raf=True))
    alone = [REFUSAL_METRICS[name].compute(ReplyCounts.of_cells(count, raf=True)) for count in counts]
    assert together.shape == (5,)
    assert together.tolist() == [float(one) for one in alone]


@pytest.mark.parametrize("name", REFUSAL_METRICS)
def test_right_replies_get_the_best_value_and_wrong_ones_the_worst(name: str) -> None:
    metric = REFUSAL_METRICS[name]
    right: Sample = (["correct_answer", "correct_refusal"], ["VERY_CONFIDENT"] * 2)
    wrong: Sample = (
        ["poor_answer", "false_refusal", "missed_refusal", "wrong_code_refusal"],
        ["VERY_CONFIDENT"] * 4,
    )
    if metric.higher_is_better is None:
        assert value_of(name, right) == value_of(name, wrong) == 0.5
    elif metric.higher_is_better:
        assert value_of(name, right) == 1 > value_of(name, wrong)
    else:
        assert value_of(name, right) == pytest.approx(0.05 if metric.of_levels else 0)
        assert value_of(name, wrong) > value_of(name, right)


def test_hand_computed_values() -> None:
    """A: 10 items, 4 right, 3 poor, 3 refused. U: 20 items, 9 right code, 6 other code, 5 answered."""
    counts = dict(zip(SCORED, (4, 3, 9, 6, 3, 5), strict=True))
    replies = ReplyCounts.of([one for one, n in counts.items() for _ in range(n)], raf=True)
    expected = {
        "answer_accuracy": 4 / 10,
        "answer_quality": 4 / 10,
        "refusal_accuracy": 9 / 20,
        "false_refusal_rate": 3 / 10,
        "missed_refusal_rate": 5 / 20,
        "refusal_rate": 18 / 30,
        "correct_refusal_rate": 15 / 20,
        "detection_precision": 15 / 18,
        "detection_recall": 15 / 20,
        "detection_f1": 30 / 38,
        "category_accuracy": 9 / 15,
        "hierarchical_refusal_score": 30 / 38 * 9 / 15,
        "calibrated_refusal_score": (4 / 10 + 9 / 20) / 2,
        "hybrid_score": 13 / 30,
    }
    found = {name: measure(name, replies).value for name in expected}
    assert found == pytest.approx(expected)
    assert {name: measure(name, replies).n for name in ("answer_accuracy", "detection_precision", "ece")} == {
        "answer_accuracy": 10,
        "detection_precision": 18,
        "ece": 0,
    }


def test_answer_quality_is_for_several_passages() -> None:
    replies = ReplyCounts.of(["correct_answer", "correct_refusal"])
    for name in ("answer_quality", "hybrid_score"):
        reason = measure(name, replies).reason or ""
        assert reason.startswith(
            "not all answers have relevance-aware factuality, some have grades 1 to 5 or none"
        )


def test_a_model_that_never_refuses_has_an_f1_of_0_and_no_category_accuracy() -> None:
    never = ReplyCounts.of(["correct_answer", "missed_refusal"])
    assert measure("detection_f1", never).value == 0
    for name in ("detection_precision", "category_accuracy", "hierarchical_refusal_score"):
        assert measure(name, never).value is None


@pytest.mark.parametrize(
    ("name", "counted"),
    [
        ("ece", set(SCORED)),
        ("ece_answers", {"correct_answer", "poor_answer", "missed_refusal"}),
        ("ece_refusals", {"correct_refusal", "wrong_code_refusal", "false_refusal"}),
    ],
)
def test_the_calibration_error_is_that_of_the_midpoints(name: str, counted: set[str]) -> None:
    """Ten bins of equal width keep the five midpoints apart, so the general function must agree."""
    outcomes, levels = sample(9, n=200)
    rows = [
        (outcome in ("correct_answer", "correct_refusal"), LEVELS[level])
        for outcome, level in zip(outcomes, levels, strict=True)
        if outcome in counted and level is not None
    ]
    right, stated = zip(*rows, strict=True)
    assert value_of(name, (outcomes, levels)) == pytest.approx(expected_calibration_error(right, stated))


@pytest.mark.parametrize(
    ("expected", "predicted", "correct", "outcome"),
    [
        ("ANSWER_CORRECTLY", "ANSWER_CORRECTLY", True, "correct_answer"),
        ("ANSWER_CORRECTLY", "ANSWER_CORRECTLY", False, "poor_answer"),
        ("ANSWER_CORRECTLY", "ANSWER_CORRECTLY", None, "ungraded_answer"),
        ("ANSWER_CORRECTLY", "REFUSE_OTHER", True, "false_refusal"),
        ("ANSWER_CORRECTLY", None, True, "unread_answerable"),
        ("REFUSE_NONFACTUAL_QUERY", "REFUSE_NONFACTUAL_QUERY", None, "correct_refusal"),
        ("REFUSE_NONFACTUAL_QUERY", "REFUSE_OTHER", None, "wrong_code_refusal"),
        ("REFUSE_NONFACTUAL_QUERY", "ANSWER_CORRECTLY", True, "missed_refusal"),
        ("REFUSE_NONFACTUAL_QUERY", None, None, "unread_unanswerable"),
    ],
)
def test_the_outcome_of_a_reply(
    expected: str, predicted: str | None, correct: bool | None, outcome: str
) -> None:
    assert reply_outcome(expected, predicted, correct) == outcome


def test_unknown_words_and_lengths_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match="'right' is not a known outcome: one of correct_answer"):
        ReplyCounts.of(["right"])
    with pytest.raises(ValueError, match="'SURE' is not a known confidence level: one of VERY_CONFIDENT"):
        ReplyCounts.of(["correct_answer"], ["SURE"])
    with pytest.raises(ValueError, match="outcomes has 1, confidence has 2 rows"):
        ReplyCounts.of(["correct_answer"], ["CONFIDENT", None])


def test_nothing_is_nan_outside_the_room() -> None:
    for raf in (True, False):
        for name in REFUSAL_METRICS:
            for replies in (ReplyCounts.of([], raf=raf), ReplyCounts.of(["missed_refusal"], raf=raf)):
                value, ends = measure(name, replies).value, bounds(name, replies)
                assert value is None or math.isfinite(value)
                assert ends is None or all(math.isfinite(end) for end in ends)
