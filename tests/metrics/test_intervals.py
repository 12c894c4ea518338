"""Coverage of intervals and level of p-values in simulated worlds; the large study is `bench_intervals`."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from perturb.metrics.inputs import Estimate
from perturb.metrics.intervals import (
    Bounded,
    WeightedSum,
    effective_size,
    reported_estimate,
    t_quantile,
    weighted_sum,
    wilson_interval,
)
from tests import simulated_intervals as worlds

RUNS = 150


@pytest.mark.parametrize(
    "study",
    [
        partial(worlds.rates, 33, 0.98, 0.95, 0.95),
        partial(worlds.rates, 15, 0.95, 0.95, 0.95, alike=0.5),
        partial(worlds.confidence, "always 1", 30, 1, 0.05),
        partial(worlds.confidence, "mostly sure", 15, 2, 0.03, alike=0.4),
        partial(worlds.indices, 10, 20, 0.3, 0.5, 0.4, 0.1),
    ],
)
def test_intervals_cover_near_the_ends_and_with_few_clusters(study: partial[worlds.Found]) -> None:
    """0.95 less three Monte Carlo errors of 150 runs is 0.90; before, these worlds had 0.45 to 0.9."""
    for figure, (share, _, n) in worlds.shares(study(runs=RUNS)).items():
        assert share >= 0.9, figure
        assert n == RUNS, figure


@pytest.mark.parametrize(
    "panel",
    [
        "95 % pass, 30 candidates",
        "95 % pass, 100 candidates",
        "75 % pass, 30 audited",
        "additive in rates, 30 audited",
        "95 % pass, 100 audited",
        "20 bases of one maker each, 6 candidates",
    ],
)
def test_agreement_in_small_panels_and_of_few_audited(panel: str) -> None:
    """Where there is an interval it holds the truth; before, κ had 0.33 to 0.83 at 95 % passes."""
    for figure, (share, error, _) in worlds.shares(worlds.agreements(worlds.PANELS[panel], 100)).items():
        assert share >= 0.95 - 3 * error, figure


@pytest.mark.slow
@pytest.mark.parametrize(
    "panel",
    [
        "95 % pass, 100 candidates",
        "75 % pass, 30 audited",
        "additive in rates, 30 audited",
        "20 bases of one maker each, 6 candidates",
        "additive on logits, 4,000 candidates",
        "additive in rates, 4,000 candidates",
    ],
)
def test_biases_hold_the_truth_and_find_no_favour_where_there_is_none(panel: str) -> None:
    for figure, (share, error, _) in worlds.shares(worlds.biases(worlds.PANELS[panel], 40)).items():
        if "p ≤" in figure:
            assert share <= 0.05 + 3 * error, figure
        else:
            assert share >= 0.95 - 3 * error, figure


@pytest.mark.slow
def test_p_values_of_ratios_with_unlike_denominators_hold_their_level() -> None:
    for figure, (share, _, _) in worlds.shares(worlds.equal_models(100, (0.95, 0.10), 0.7, 100)).items():
        assert share <= 0.1, figure


def test_a_p_value_is_where_the_interval_ends_at_0() -> None:
    rng = np.random.default_rng(1)
    a, b = (Bounded.of(p, p + rng.normal(0, 0.05, 400), 60, clusters=20) for p in (0.8, 0.6))
    gap = weighted_sum([a, b], [1.0, -1.0], 60)
    assert isinstance(gap, WeightedSum)
    low, _ = gap._ends(gap.p_value() / 2, gap._correlation()[0])
    assert low == pytest.approx(0, abs=1e-5)


def test_effective_sizes() -> None:
    assert effective_size(0.5, 0.25 / 40, n=40, clusters=40) == pytest.approx(40)
    assert effective_size(0.5, 0.25 / 10, n=40, clusters=20) == pytest.approx(10, rel=0.01)
    assert effective_size(1.0, 0.0, n=40, clusters=10) == 10, "alike, for all that is known"
    assert wilson_interval(1.0, 10, t_quantile(10))[0] < wilson_interval(1.0, 10)[0]


def test_what_gives_no_interval_says_why() -> None:
    one = Bounded.of(0.5, np.array([0.4, 0.6]), 4, clusters=1)
    assert reported_estimate(one) == Estimate(
        0.5, n=4, reason="no interval: everything comes from one base instance"
    )
    undefined = Bounded.of(0.5, np.full(10, np.nan), 4, clusters=3)
    assert "undefined in the resamples" in str(reported_estimate(undefined).reason)
    some = reported_estimate(Bounded.of(0.5, np.array([np.nan] * 5 + [0.4] * 3 + [0.6] * 2), 40, clusters=9))
    assert "from the 5 of 10 resamples" in str(some.reason)
