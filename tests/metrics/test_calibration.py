from __future__ import annotations

from itertools import pairwise, permutations

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given, settings
from hypothesis import strategies as st

from perturb.metrics.calibration import (
    answering_probability,
    aurc,
    aurc_of_blocks,
    auroc,
    brier_loss,
    expected_calibration_error,
    log_loss,
    reliability_bins,
    risk_coverage_curve,
)

tenths = st.integers(0, 10).map(lambda x: x / 10)
answers = st.lists(st.tuples(st.booleans(), tenths), min_size=1, max_size=40)


def columns(rows: list[tuple[bool, float]]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([row[0] for row in rows]), np.array([row[1] for row in rows])


@settings(deadline=None, max_examples=50)
@given(answers)
def test_brier_and_log_loss_match_scikit_learn(rows: list[tuple[bool, float]]) -> None:
    correct, confidence = columns(rows)
    assert brier_loss(correct, confidence) == pytest.approx(
        sklearn.metrics.mean_squared_error(correct, confidence)
    )
    clipped = np.clip(confidence, 1e-4, 1 - 1e-4)
    assert log_loss(correct, confidence) == pytest.approx(
        sklearn.metrics.log_loss(correct, clipped, labels=[False, True])
    )


@settings(deadline=None, max_examples=50)
@given(answers)
def test_auroc_matches_scikit_learn(rows: list[tuple[bool, float]]) -> None:
    correct, confidence = columns(rows)
    found = auroc(correct, confidence)
    if correct.all() or not correct.any():
        assert found.value is None
        assert found.reason
    else:
        assert found.value == pytest.approx(sklearn.metrics.roc_auc_score(correct, confidence))


@settings(deadline=None, max_examples=50)
@given(answers)
def test_ece_matches_a_loop_over_bins(rows: list[tuple[bool, float]]) -> None:
    correct, confidence = columns(rows)
    total = 0.0
    for low in np.arange(5) / 5:
        inside = (confidence > low + 1e-12) & (confidence <= low + 0.2 + 1e-12) | (low == 0) & (
            confidence == 0
        )
        if inside.any():
            total += abs(correct[inside].sum() - confidence[inside].sum())
    expected = total / len(rows)
    assert expected_calibration_error(correct, confidence + 0.0, bins=5) == pytest.approx(expected, abs=1e-9)


@settings(deadline=None, max_examples=50)
@given(answers)
def test_calibration_errors_keep_their_order(rows: list[tuple[bool, float]]) -> None:
    correct, confidence = columns(rows)
    one = expected_calibration_error(correct, confidence, bins=1)
    five = expected_calibration_error(correct, confidence, bins=5)
    unbinned = expected_calibration_error(correct, confidence, binning="unbinned")
    assert one == pytest.approx(abs(correct.mean() - confidence.mean()))
    assert one - 1e-12 <= five <= unbinned + 1e-12


def test_equal_mass_bins_hold_equal_counts() -> None:
    confidence = np.linspace(0.01, 1, 100) ** 3
    bins = reliability_bins(np.ones(100), confidence, bins=4, binning="mass")
    assert [cell.n for cell in bins] == [25, 25, 25, 25]
    assert expected_calibration_error(np.ones(100), confidence, bins=4, binning="mass") == pytest.approx(
        1 - confidence.mean()
    )


def test_equal_confidences_stay_in_one_bin_whatever_their_order() -> None:
    confidence = np.array([0.9] * 7 + [0.2] * 3)
    correct = np.array([1, 0, 1, 0, 1, 0, 1, 0, 0, 1])
    found = expected_calibration_error(correct, confidence, bins=5, binning="mass")
    assert expected_calibration_error(
        correct[::-1], confidence[::-1], bins=5, binning="mass"
    ) == pytest.approx(found)
    assert found == pytest.approx(0.7 * abs(4 / 7 - 0.9) + 0.3 * abs(1 / 3 - 0.2))


def test_reliability_bins_by_hand() -> None:
    low, high = reliability_bins([0, 1, 1, 1], [0.0, 0.5, 0.6, 1.0], bins=2)
    assert (low.low, low.high, low.n, low.confidence, low.accuracy) == (0.0, 0.5, 2, 0.25, 0.5)
    assert (high.n, high.confidence, high.accuracy) == (2, 0.8, 1.0)
    with pytest.raises(ValueError, match="1 or more"):
        reliability_bins([1], [0.5], bins=0)
    with pytest.raises(ValueError, match="binning"):
        expected_calibration_error([1], [0.5], binning="other")  # type: ignore[arg-type]


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(st.booleans(), st.sampled_from([0.2, 0.5, 0.9])), min_size=1, max_size=6))
def test_aurc_is_the_mean_over_all_orders_of_ties(rows: list[tuple[bool, float]]) -> None:
    correct, confidence = columns(rows)
    areas = []
    for order in permutations(range(len(rows))):
        if all(confidence[a] >= confidence[b] for a, b in pairwise(order)):
            wrong = ~correct[list(order)]
            areas.append(np.mean(np.cumsum(wrong) / np.arange(1, len(rows) + 1)))
    assert aurc(correct, confidence) == pytest.approx(np.mean(areas), abs=1e-12)


@settings(deadline=None, max_examples=50)
@given(answers)
def test_aurc_of_blocks_is_aurc(rows: list[tuple[bool, float]]) -> None:
    correct, confidence = columns(rows)
    _, place = np.unique(-confidence, return_inverse=True)
    sizes, errors = np.bincount(place).astype(float), np.bincount(place, weights=~correct)
    # a block that a resample left empty changes nothing
    padded = [np.insert(block, 1, 0.0)[None].astype(np.float64) for block in (sizes, errors)]
    assert float(aurc_of_blocks(padded[0], padded[1])[0]) == pytest.approx(
        aurc(correct, confidence), abs=1e-12
    )


@settings(deadline=None, max_examples=50)
@given(answers)
def test_ranking_metrics_ignore_monotone_maps(rows: list[tuple[bool, float]]) -> None:
    correct, confidence = columns(rows)
    assert aurc(correct, confidence**2 / 2) == pytest.approx(aurc(correct, confidence), abs=1e-12)
    assert auroc(correct, confidence**2 / 2) == auroc(correct, confidence)


def test_risk_coverage_curve_by_hand() -> None:
    curve = risk_coverage_curve([1, 0, 1, 0], [0.9, 0.8, 0.8, 0.1])
    assert curve.coverage.tolist() == [0.25, 0.5, 0.75, 1.0]
    assert curve.risk.tolist() == pytest.approx([0, 0.25, 1 / 3, 0.5])


def test_answering_probability_feeds_the_ranking() -> None:
    rng = np.random.default_rng(0)
    refusal = rng.random(300)
    samples = rng.random((300, 100)) < refusal[:, None]
    answering = answering_probability(samples)
    assert answering == pytest.approx(1 - refusal, abs=0.2)
    found = auroc(rng.random(300) > refusal, answering)
    assert found.value is not None
    assert found.value > 0.75
    with pytest.raises(ValueError, match="shape"):
        answering_probability([0, 1])
