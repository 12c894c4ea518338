"""Evaluations that stop early, in worlds with a known truth: how often the interval misses, and how much is asked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from perturb.evaluation.loading import ItemSet
from perturb.evaluation.stop_rule import AskingOrder, read_stop_rule
from perturb.metrics.inputs import Flags, Floats, Integers
from perturb.metrics.outcomes import ReplyCounts, ReplyOutcome, reply_cells
from perturb.metrics.refusal_registry import estimate_metrics
from perturb.metrics.resampling import Resamples
from perturb.records import ALL_CELLS, Intensity, Item, Passage

RESAMPLES = 200
NORMAL = 1.959963984540054

MODELS = {
    "careful": (0.57, 0.73),
    "bold": (0.80, 0.35),
    "strong": (0.93, 0.88),
    "weak": (0.35, 0.20),
}
"""Model → chance of a right answer, and of a right refusal; by cell they differ by up to 15 points either way."""


@dataclass(frozen=True)
class World:
    """Models that are asked about the items of some base instances."""

    per_cell: int = 89
    bases: int = 100
    alike: float = 0.3
    """Correlation of the replies to two items of one base instance."""
    uneven: bool = False
    """Cells of between a third and five thirds of their size."""

    @property
    def answerable(self) -> Flags:
        """By cell."""
        return np.array([cell.intensity is Intensity.LOW for cell in ALL_CELLS])

    def items(self, rng: np.random.Generator) -> tuple[Item, ...]:
        """As a round has them."""
        spread = rng.uniform(1 / 3, 5 / 3, len(ALL_CELLS)) if self.uneven else np.ones(len(ALL_CELLS))
        sizes = np.maximum(1, (self.per_cell * spread).astype(int))
        return tuple(
            Item(
                f"{cell}-{number}",
                f"b{rng.integers(self.bases)}",
                cell,
                "ANSWER_CORRECTLY" if answerable else "REFUSE",
                "",
                (Passage(""),),
                ("",),
            )
            for cell, size, answerable in zip(ALL_CELLS, sizes, self.answerable, strict=True)
            for number in range(size)
        )

    def right(self, rng: np.random.Generator, chances: Floats, base: Integers) -> Flags:
        """Whether the reply to each item is right; those of one base instance often share their coin."""
        shared = rng.random(base.max() + 1)[base]
        coins = np.where(rng.random(len(base)) < np.sqrt(self.alike), shared, rng.random(len(base)))
        return np.asarray(coins < chances)


@dataclass(frozen=True)
class Ended:
    """One model under a rule."""

    missed_ever: bool
    """The value of the whole set was outside the interval after some block."""
    missed_at_stop: bool
    peeking_missed: bool
    """The same, ever, of the usual 95 % interval looked at after every block."""
    asked: float
    """Share of the items."""
    usual_all: tuple[bool, float]
    """Whether the usual interval of `score`, over base instances, holds the value of all such items; its half-width."""
    usual_asked: tuple[bool, float]
    """The same from what was asked when the rule was met."""


def endings(world: World, rule_text: str, runs: int, seed: int = 0) -> Iterator[Ended]:
    """Rounds one after the other, each with its items, its order and four models."""
    rng = np.random.default_rng(seed)
    rule = read_stop_rule(rule_text)
    for run in range(runs):
        items = world.items(rng)
        order = AskingOrder.of(rule, ItemSet("simulated", f"{seed}-{run}", None, items))
        cells = np.array([ALL_CELLS.index(item.cell) for item in items])
        base = np.unique([item.base_id for item in items], return_inverse=True)[1]
        for a, u in MODELS.values():
            by_cell = np.where(world.answerable, a, u) + rng.uniform(-0.15, 0.15, len(ALL_CELLS))
            chances = np.clip(by_cell, 0.01, 0.99)[cells]
            yield _ending(order, items, base, chances, world.right(rng, chances, base))


def _ending(
    order: AskingOrder, items: tuple[Item, ...], base: Integers, chances: Floats, right: Flags
) -> Ended:
    outcomes = {item.id: _outcome(item, bool(flag)) for item, flag in zip(items, right, strict=True)}
    hits, _ = order.count(outcomes)
    lows, highs = order.intervals(outcomes)
    truth = float(order.rule.metric.compute(ReplyCounts.of(outcomes.values())))
    missed = (lows > truth + 1e-9) | (highs < truth - 1e-9)
    stop = int(np.flatnonzero(highs - lows <= 2 * order.rule.half_width)[0])
    places = {item.id: place for place, item in enumerate(items)}
    asked = np.array([places[item.id] for block in order.blocks[: stop + 1] for item in block])
    expected = np.array([item.answerable for item in items])
    in_hits = [
        np.array([_outcome(item, flag) in order.rule.metric.hits for item in items]) for flag in (True, False)
    ]
    hit_chances = chances * in_hits[0] + (1 - chances) * in_hits[1]
    a, u = order.rule.metric.item_weights(int(expected.sum()), int((~expected).sum()))
    expectation = float(hit_chances @ np.where(expected, a, u))
    everything = np.arange(len(items))
    return Ended(
        bool(missed.any()),
        bool(missed[stop]),
        _peek(order, hits, truth),
        len(asked) / len(items),
        *(_usual(order, items, base, outcomes, rows, expectation) for rows in (everything, asked)),
    )


def _outcome(item: Item, right: bool) -> ReplyOutcome:
    if item.answerable:
        return ReplyOutcome.CORRECT_ANSWER if right else ReplyOutcome.FALSE_REFUSAL
    return ReplyOutcome.CORRECT_REFUSAL if right else ReplyOutcome.MISSED_REFUSAL


def _peek(order: AskingOrder, hits: Integers, truth: float) -> bool:
    """Whether the usual stratified interval misses after some block, from the fifth on."""
    drawn = np.cumsum(order.strata.blocks(), axis=0)
    share = np.cumsum(hits, axis=0) / drawn
    total = order.strata.sizes * order.strata.weights
    variance = (total**2 * share * (1 - share) / drawn * (1 - drawn / order.strata.sizes)).sum(axis=1)
    return bool((np.abs(share @ total - truth) > NORMAL * np.sqrt(variance) + 1e-9)[4:].any())


def _usual(
    order: AskingOrder,
    items: tuple[Item, ...],
    base: Integers,
    outcomes: dict[str, ReplyOutcome],
    rows: Integers,
    truth: float,
) -> tuple[bool, float]:
    drawn = Resamples.draw(base[rows], RESAMPLES, 0)
    cells = reply_cells([outcomes[items[row].id] for row in rows])
    found = estimate_metrics(np.asarray(cells), drawn, raf=False)[order.rule.metric.name]
    assert found.low is not None
    assert found.high is not None
    return found.low <= truth <= found.high, (found.high - found.low) / 2
