"""When a model has been asked enough: items come in blocks that hold every cell, until an interval is narrow.

All models are asked in one order, and each stops by itself. Only complete blocks decide whether a model stops, so a
run that is resumed stops at the same place.

The intervals hold at every moment at once, for a share of a finite set that is looked at in random order. The set
falls into strata (cells), each in random order; a block takes its part of every stratum. The weighted sum over the
whole set is estimated. Chance lies only in the order, which is drawn, so nothing is assumed about the items, however
alike those of one base instance are.

A wager on the next block, for a sum larger than θ, multiplies a capital of 1 by Π (1 + b (x - g)) exp(b (g - μ)) over
its items x, with a guess g and a bet b fixed before the block. μ is the mean of what is left of the stratum. The wager
is at most fair, since 1 + b (μ - g) ≤ exp(b (μ - g)) and drawing without replacement only helps (Hoeffding). Bets are
proportional to what an item represents, so the sum of all b μ follows from θ and the items seen; the means of the
strata need not be known. A θ for which the capital ever exceeds 2 / α is ruled out (Ville's inequality). Wagers for
smaller sums give the upper end.

References: Waudby-Smith and Ramdas (2024), JRSS B 86, for intervals by betting, with and without replacement; Howard,
Ramdas, McAuliffe and Sekhon (2021), Annals of Statistics 49, for confidence sequences; Hoeffding (1963), theorem 4.
`tests/measurements.md` has the simulations.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from perturb.errors import ConfigError
from perturb.evaluation.loading import ItemSet
from perturb.files.resources import seed_of
from perturb.metrics.inputs import Floats, Integers
from perturb.metrics.outcomes import COULD_BE, ReplyCounts, ReplyOutcome
from perturb.metrics.refusal_registry import REFUSAL_METRICS, RefusalMetric, measure
from perturb.records import Cell, Intensity, Item
from perturb.snapshots.items import SUFFIX

ALPHA = 0.05
MOST_BLOCKS = 100
"""The number of blocks, after each of which an interval is computed."""
MOST_STAKED = 0.5
"""The largest part of the capital that a bet may lose on one item."""
POOLED = 2.0
"""The weight, in items, of the common share in the guess for a stratum."""


@dataclass(frozen=True, slots=True)
class Strata:
    """The set: how many items each stratum has, and what one of them adds to the sum."""

    sizes: Integers
    """Shape (strata,)."""
    weights: Floats
    """0 for strata that the sum leaves out; the others add up to 1 over all items."""

    def blocks(self) -> Integers:
        """How many items of each stratum each block takes, shape (blocks, strata): at least one, spread evenly.

        >>> Strata(np.array([2, 5]), np.array([0.25, 0.1])).blocks().tolist()
        [[1, 2], [1, 3]]
        """
        count = min(int(self.sizes.min()), MOST_BLOCKS)
        return np.diff(np.outer(np.arange(count + 1), self.sizes) // count, axis=0)


def confidence_sequence(
    hits: Integers, possible: Integers, strata: Strata, half_width: float, alpha: float = ALPHA
) -> tuple[Floats, Floats]:
    """Lower and upper ends after each block drawn so far; all of them hold the sum with probability 1 - alpha.

    `hits` counts the items that add to the sum, by block and stratum; `possible` also counts those that may, because
    their reply could not be read: the interval holds whatever they are. Bets are tuned to an interval of `half_width`
    to each side. Shapes: (blocks, strata) in, (blocks,) out.

    >>> strata = Strata(np.array([50, 50]), np.full(2, 0.01))
    >>> drawn = np.array([1, 0] * 50).reshape(50, 2)
    >>> low, high = confidence_sequence(drawn, drawn, strata, 0.1)
    >>> bool(low[19] < 0.5 < high[19]), float(low[-1]), float(high[-1])
    (True, 0.5, 0.5)
    """
    blocks = strata.blocks()[: len(hits)]
    low = _lower_ends(hits, blocks, strata, half_width, alpha / 2)
    return low, 1 - _lower_ends(blocks - possible, blocks, strata, half_width, alpha / 2)


def _lower_ends(hits: Integers, blocks: Integers, strata: Strata, half_width: float, tail: float) -> Floats:
    weights = strata.weights
    before, hits_before = (np.cumsum(counts, axis=0) - counts for counts in (blocks, hits))
    remaining, sum_before = strata.sizes - before, hits_before @ weights
    counted = weights > 0
    pooled = (hits_before[:, counted].sum(1) + 0.5) / (before[:, counted].sum(1) + 1)
    guess = (hits_before + POOLED * pooled[:, None]) / (before + POOLED)
    # An item of the block represents all items left in its stratum.
    represented = weights * remaining / blocks
    variance = (represented**2 * blocks * guess * (1 - guess)).sum(1)
    bet_scale = np.minimum(half_width / variance, MOST_STAKED / represented.max(1))
    bets = bet_scale[:, None] * represented
    log_gains = (
        hits * np.log1p(bets * (1 - guess))
        + (blocks - hits) * np.log1p(-bets * guess)
        + bets * blocks * guess
    )
    log_capital = np.cumsum(log_gains.sum(1) + bet_scale * sum_before)
    by_bets = (log_capital + np.log(tail)) / np.cumsum(bet_scale)
    # The sum is at least what was seen, and a bound that held once holds for good.
    return np.asarray(np.maximum.accumulate(np.maximum(by_bets, sum_before + hits @ weights)))


SHORT_NAMES = {"crs": "calibrated_refusal_score", "frr": "false_refusal_rate", "mrr": "missed_refusal_rate"}
LEAST_IN_STRATUM = 10
"""Smaller cells join another of their kind, answerable or not."""

_RULE = re.compile(r"\s*ci\(\s*(\w+)\s*\)\s*<=\s*(0?\.\d+)\s*")


@dataclass(frozen=True, slots=True)
class StopRule:
    """A model is asked until the interval of a metric has at most this half-width."""

    metric: RefusalMetric
    half_width: float

    def __str__(self) -> str:
        return f"ci({self.metric.name}) <= {self.half_width:g}"


def read_stop_rule(text: str) -> StopRule:
    """The rule that `--until` states. Raises `ConfigError`, which says what may be stated.

    >>> str(read_stop_rule("ci(crs) <= .03"))
    'ci(calibrated_refusal_score) <= 0.03'
    """
    match = _RULE.fullmatch(text)
    rates = [name for name, metric in REFUSAL_METRICS.items() if metric.hits]
    name = SHORT_NAMES.get(match[1], match[1]) if match else ""
    width = float(match[2]) if match else 0.0
    if name not in rates or not 0 < width < 0.5:
        raise ConfigError(
            f"'{text}' is not a rule: write ci(METRIC) <= HALF_WIDTH, as in 'ci(crs) <= 0.03', with a half-width"
            f" from 0 to 0.5 and one of the metrics {', '.join([*SHORT_NAMES, *rates])}"
        )
    return StopRule(REFUSAL_METRICS[name], width)


@dataclass(frozen=True, slots=True)
class Stop:
    """Where a model stopped under a rule. The fields are stored in the ledger and printed by `--json`."""

    rule: str
    low: float
    """Lower end of the 95 % interval for the metric over all items; it is valid whenever asking ends."""
    high: float
    asked: int
    """Items, without controls, in blocks that were asked whole."""
    items: int
    reached: bool
    """Whether the interval is as narrow as the rule demands."""

    @property
    def early(self) -> bool:
        """Whether items were left out."""
        return self.reached and self.asked < self.items

    def __str__(self) -> str:
        return (
            f"stopped early by '{self.rule}': {self.asked:,} of {self.items:,} items asked; over all of them the metric"
            f" lies between {100 * self.low:.1f} and {100 * self.high:.1f} % (95 % interval, valid at any stopping"
            " time)"
        )


def early_stop(entry: Mapping[str, Any]) -> Stop | None:
    """Where a model was stopped, by its entry in the ledger; None if it was not stopped early."""
    stop = Stop(**entry["until"]) if "until" in entry else None
    return stop if stop and stop.early else None


BlockCounts = tuple[Integers, Integers]
"""Of one block, by stratum: the sure hits, and the sure and possible ones together."""


@dataclass(frozen=True, slots=True)
class AskingOrder:
    """The items of a set in blocks, each with its part of every cell; the order within a cell is random."""

    rule: StopRule
    blocks: tuple[tuple[Item, ...], ...]
    """Controls come behind their items."""
    strata: Strata
    stratum: Mapping[str, int]
    """Item → number of its stratum; controls are in none."""

    @classmethod
    def of(cls, rule: StopRule, item_set: ItemSet) -> AskingOrder:
        """Deal the items. Raises `ConfigError` if the set does not define the metric."""
        controls = {item.id.removesuffix(SUFFIX): item for item in item_set.items if item.control}
        items = [item for item in item_set.items if not item.control]
        n_answerable = sum(item.answerable for item in items)
        n_unanswerable = len(items) - n_answerable
        raf = all(item.several for item in items if item.answerable)
        # Whether the metric is defined depends on the kinds of items alone, so one outcome of each kind shows it.
        kinds = {"poor_answer": n_answerable, "missed_refusal": n_unanswerable}
        sample_outcomes = [outcome for outcome, n_items in kinds.items() if n_items]
        if reason := measure(rule.metric.name, ReplyCounts.of(sample_outcomes, raf=raf)).reason:
            raise ConfigError(f"{item_set.name}: no interval for '{rule}': {reason}")
        cells = _strata(items, item_set.digest)
        weights = rule.metric.item_weights(n_answerable, n_unanswerable)
        strata = Strata(
            np.array([len(members) for members in cells]),
            np.array([weights[0 if members[0].answerable else 1] for members in cells]),
        )
        return cls(
            rule,
            tuple(_deal(cells, strata.blocks(), controls)),
            strata,
            {item.id: place for place, members in enumerate(cells) for item in members},
        )

    def until_reached(self, outcomes: Mapping[str, ReplyOutcome]) -> Iterator[Item]:
        """Block by block, until the rule is met. The caller adds to `outcomes` while it takes the items."""
        counted: list[BlockCounts] = []
        needed = len(self.blocks)
        for place, block in enumerate(self.blocks):
            for item in block:
                if new_counts := list(self.count(outcomes, len(counted))):
                    counted += new_counts
                    lows, highs = self.intervals(counted)
                    narrow = np.flatnonzero(highs - lows <= 2 * self.rule.half_width)
                    needed = int(narrow[0]) + 1 if len(narrow) else needed
                if place >= needed:
                    return
                yield item

    def stop(self, outcomes: Mapping[str, ReplyOutcome]) -> Stop:
        """The interval of a model with these outcomes, and whether it may stop."""
        lows, highs = self.intervals(list(self.count(outcomes)))
        low, high = (float(lows[-1]), float(highs[-1])) if len(lows) else (0.0, 1.0)
        answered = int(self.strata.blocks()[: len(lows)].sum())
        reached = high - low <= 2 * self.rule.half_width
        return Stop(str(self.rule), low, high, answered, len(self.stratum), reached)

    def intervals(self, counted: Sequence[BlockCounts]) -> tuple[Floats, Floats]:
        """Lower and upper ends after each block."""
        shape = (len(counted), len(self.strata.sizes))
        sure, possible = (np.array([block[which] for block in counted]).reshape(shape) for which in (0, 1))
        return confidence_sequence(sure, possible, self.strata, self.rule.half_width)

    def count(self, outcomes: Mapping[str, ReplyOutcome], first: int = 0) -> Iterator[BlockCounts]:
        """The counts of each block from the number `first` on, up to the first block that is not complete."""
        for block in self.blocks[first:]:
            if not all(item.control or item.id in outcomes for item in block):
                return
            counts = np.zeros((2, len(self.strata.sizes)), dtype=np.int64)
            for item in block:
                if not item.control:
                    outcome = outcomes[item.id]
                    hits = [
                        possible in self.rule.metric.hits for possible in COULD_BE.get(outcome, (outcome,))
                    ]
                    counts[:, self.stratum[item.id]] += (all(hits), any(hits))
            yield counts[0], counts[1]


def _strata(items: Sequence[Item], seed: str) -> list[list[Item]]:
    """The items of each cell in a random order; small cells join the smallest of the others of their kind."""
    sizes = Counter((item.answerable, item.cell) for item in items)
    number: dict[Cell, int] = {}
    # By kind, then the largest cells first, so that a small cell joins the last stratum of its kind.
    for (answerable, cell), size in sorted(
        sizes.items(), key=lambda entry: (entry[0][0], -entry[1], entry[0][1])
    ):
        last = max(number.values(), default=-1)
        kind_has_stratum = any((other.intensity is Intensity.LOW) is answerable for other in number)
        number[cell] = last if kind_has_stratum and size < LEAST_IN_STRATUM else last + 1
    strata: list[list[Item]] = [[] for _ in set(number.values())]
    for item in sorted(items, key=lambda item: seed_of("order", seed, item.id)):
        strata[number[item.cell]].append(item)
    return strata


def _deal(
    strata: Sequence[Sequence[Item]], sizes: Integers, controls: Mapping[str, Item]
) -> Iterator[tuple[Item, ...]]:
    """The blocks; within one the items of each stratum are spread evenly."""
    ends = np.cumsum(sizes, axis=0)
    for first, last in zip(ends - sizes, ends, strict=True):
        block = [
            (place / len(members[a:b]), stratum, item)
            for stratum, (members, a, b) in enumerate(zip(strata, first, last, strict=True))
            for place, item in enumerate(members[a:b])
        ]
        yield tuple(
            member
            for *_, item in sorted(block, key=lambda entry: entry[:2])
            for member in (item, controls.get(item.id))
            if member is not None
        )
