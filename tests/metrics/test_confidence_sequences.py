"""Coverage of confidence sequences at every moment; the large study is `bench_stopping`."""

from __future__ import annotations

import numpy as np
import pytest

from perturb.evaluation.stop_rule import Strata, confidence_sequence
from perturb.metrics.inputs import Integers
from perturb.metrics.outcomes import SCORED, ReplyCounts, ReplyOutcome
from perturb.metrics.refusal import READ_A, READ_U
from perturb.metrics.refusal_registry import REFUSAL_METRICS
from tests.simulated_stopping import World, endings

STRATA = Strata(np.array([30, 60, 45]), np.array([1 / 150, 1 / 75, 0.0]))


def draws(rng: np.random.Generator, strata: Strata, chances: list[float]) -> tuple[Integers, float]:
    """Hits by block, and the sum of the whole set."""
    ends = np.vstack([np.zeros(len(chances), dtype=int), np.cumsum(strata.blocks(), axis=0)])
    columns, total = [], 0.0
    for place, (size, weight, chance) in enumerate(zip(strata.sizes, strata.weights, chances, strict=True)):
        items = rng.permutation(rng.random(size) < chance)
        columns.append(np.diff(np.concatenate([[0], np.cumsum(items)])[ends[:, place]]))
        total += weight * items.sum()
    return np.stack(columns, axis=1), total


def test_blocks_take_every_item_once_and_some_of_every_stratum() -> None:
    blocks = STRATA.blocks()
    assert blocks.sum(axis=0).tolist() == STRATA.sizes.tolist()
    assert blocks.min() >= 1
    assert np.ptp(blocks, axis=0).max() <= 1
    assert len(Strata(np.array([1_000]), np.array([0.001])).blocks()) == 100


@pytest.mark.parametrize("chances", [[0.5, 0.7, 0.1], [0.05, 0.95, 0.5], [0.0, 1.0, 0.0]])
def test_the_interval_holds_the_sum_at_every_moment_and_is_exact_at_the_end(chances: list[float]) -> None:
    rng = np.random.default_rng(3)
    missed = 0
    for _ in range(400):
        hits, truth = draws(rng, STRATA, chances)
        low, high = confidence_sequence(hits, hits, STRATA, 0.08)
        missed += bool(((low > truth + 1e-9) | (high < truth - 1e-9)).any())
        assert (np.diff(high - low) <= 1e-12).all()
        assert (low[-1], high[-1]) == pytest.approx((truth, truth))
    assert missed <= 400 * 0.05


def test_what_could_not_be_read_widens_the_interval_to_hold_every_reading() -> None:
    rng = np.random.default_rng(5)
    hits, truth = draws(rng, STRATA, [0.5, 0.5, 0.5])
    possible = np.minimum(hits + 1, STRATA.blocks())
    low, high = confidence_sequence(hits, possible, STRATA, 0.08)
    read_low, read_high = confidence_sequence(hits, hits, STRATA, 0.08)
    assert (low <= read_low + 1e-12).all()
    assert (high >= read_high - 1e-12).all()
    unread = float((possible - hits).sum(axis=0) @ STRATA.weights)
    assert (low[-1], high[-1]) == pytest.approx((truth, truth + unread))


@pytest.mark.parametrize("name", [name for name, one in REFUSAL_METRICS.items() if one.hits])
def test_a_rate_is_the_weighted_sum_of_its_hits(name: str) -> None:
    rng = np.random.default_rng(7)
    outcomes = [str(SCORED[place]) for place in rng.integers(len(SCORED), size=60)]
    metric = REFUSAL_METRICS[name]
    sides = [sum(outcome in side for outcome in outcomes) for side in (READ_A, READ_U)]
    a, u = metric.item_weights(*sides)
    total = sum(
        (a if outcome in READ_A else u) for outcome in outcomes if ReplyOutcome(outcome) in metric.hits
    )
    assert float(metric.compute(ReplyCounts.of(outcomes, raf=True))) == pytest.approx(total)


def test_no_ratio_of_what_only_replies_tell_is_taken_for_a_rate() -> None:
    without = {name for name, one in REFUSAL_METRICS.items() if not one.hits}
    assert {"detection_f1", "detection_precision", "category_accuracy", "ece"} <= without


@pytest.mark.parametrize(
    ("world", "most_asked"), [(World(alike=0.8), 0.4), (World(per_cell=12, bases=10, uneven=True), 1.0)]
)
def test_items_of_one_base_instance_may_be_as_alike_as_they_like(world: World, most_asked: float) -> None:
    ended = list(endings(world, "ci(crs) <= 0.05", runs=15))
    assert sum(one.missed_ever for one in ended) <= 0.05 * len(ended) + 3
    assert max(one.asked for one in ended) <= most_asked
