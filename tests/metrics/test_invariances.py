"""What every metric of answers with confidence has in common."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

import perturb.metrics
from perturb.metrics import (
    aurc,
    auroc,
    bas_score,
    brier_loss,
    expected_calibration_error,
    log_loss,
    refusal_index,
)

Metric = Callable[..., float]


def ranking(correct: object, confidence: object) -> float:
    value = auroc(correct, confidence).value  # type: ignore[arg-type]
    assert value is not None
    return value


def index(refused: object, wrong: object) -> float:
    value = refusal_index(refused, wrong, resamples=2).refusal_index  # type: ignore[arg-type]
    assert value is not None
    return value


OF_CONFIDENCE: dict[str, Metric] = {
    "aurc": aurc,
    "auroc": ranking,
    "bas_score": bas_score,
    "brier_loss": brier_loss,
    "expected_calibration_error": expected_calibration_error,
    "log_loss": log_loss,
}
METRICS = {**OF_CONFIDENCE, "refusal_index": index}
NOT_A_NUMBER_PER_SET = {
    "bas_utility",
    "decision_curve",
    "reliability_bins",
    "risk_coverage_curve",
    "BASReport",
}


def sample(name: str) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(8)
    confidence = rng.integers(0, 11, size=90) / 10
    correct = rng.random(90) < confidence
    return (confidence > 0.6, correct) if name == "refusal_index" else (correct, confidence)


@pytest.mark.parametrize("name", METRICS)
def test_the_order_of_rows_does_not_matter(name: str) -> None:
    first, second = sample(name)
    order = np.random.default_rng(1).permutation(90)
    assert METRICS[name](first[order], second[order]) == pytest.approx(
        METRICS[name](first, second), abs=1e-12
    )


@pytest.mark.parametrize("name", METRICS)
def test_the_kind_of_column_does_not_matter(name: str) -> None:
    first, second = sample(name)
    expected = METRICS[name](first, second)
    frame = pd.DataFrame({"first": first, "second": second}, index=np.arange(90)[::-1])
    assert METRICS[name](first.tolist(), second.tolist()) == expected
    assert METRICS[name](frame["first"], frame["second"]) == expected
    assert METRICS[name](first.astype(float), second.astype(float)) == expected
    assert METRICS[name](frame["first"].astype(object), frame["second"].astype(object)) == expected


@pytest.mark.parametrize("name", sorted(set(METRICS) - {"aurc"}))
def test_rows_given_twice_change_nothing(name: str) -> None:
    first, second = sample(name)
    twice = METRICS[name](np.tile(first, 2), np.tile(second, 2))
    assert twice == pytest.approx(METRICS[name](first, second), abs=1e-9)


@pytest.mark.parametrize("name", METRICS)
def test_inputs_are_left_alone_and_results_are_finite(name: str) -> None:
    first, second = sample(name)
    copies = first.copy(), second.copy()
    found = METRICS[name](first, second)
    assert isinstance(found, float)
    assert math.isfinite(found)
    assert np.array_equal(first, copies[0])
    assert np.array_equal(second, copies[1])


def test_every_exported_metric_of_confidence_is_tested_here() -> None:
    takes_confidence = {
        name
        for name in perturb.metrics.__all__
        if callable(getattr(perturb.metrics, name))
        and {"is_correct", "confidence"} <= set(inspect.signature(getattr(perturb.metrics, name)).parameters)
    }
    assert takes_confidence == set(OF_CONFIDENCE) | NOT_A_NUMBER_PER_SET


@pytest.mark.parametrize("name", [n for n in perturb.metrics.__all__ if n.islower()])
def test_every_exported_function_has_an_example(name: str) -> None:
    assert ">>>" in (getattr(perturb.metrics, name).__doc__ or "")
