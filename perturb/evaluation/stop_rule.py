"""The rule that stops asking a model early: when the confidence interval of a metric is narrow enough.

Items are asked in blocks, and each block takes its part of every stratum (cell). All models are asked in the same
order, and each stops by itself. Only complete blocks decide whether a model stops, so a run that is resumed stops at
the same place.

The intervals are a confidence sequence: they hold after every block at once, so a model may stop as soon as its
interval is narrow. They estimate a weighted sum over a finite set of items. The only chance is the random order of the
items in each stratum, so nothing is assumed about the items, however alike those of one base instance are.

Lower ends come from betting. For each value θ that the sum may have, we keep a capital that starts at 1, and bet on
each block that the sum is larger than θ. If the sum is θ, the capital rarely grows: with probability 1 - α / 2 it never
exceeds 2 / α (Ville's inequality). So we rule out each θ for which it ever does. Bets that the sum is smaller give the
upper end in the same way.

For each item of a block, the capital is multiplied by (1 + b (x - g)) exp(b (g - μ)):

- x is 1 for a hit and 0 otherwise (`hits` counts them);
- g is the `guess` of the share of hits in the stratum, and b is the bet (`bets`); both are fixed before the block;
- μ is the share of hits among the items of the stratum that remain before the block, which nobody knows.

If the sum is θ, an item multiplies the capital by at most 1 on average, because x has the mean μ and 1 + b (μ - g) is
at most exp(b (μ - g)). Drawing without replacement only helps (Hoeffding).

A bet is `bet_scale` times what an item represents in the sum. Over a block, b μ therefore adds up to `bet_scale` times
what all remaining items add to the sum: θ minus `sum_before`, what the items before the block have added. So no μ needs
to be known.

References: Waudby-Smith and Ramdas (2024), JRSS B 86, for intervals by betting, with and without replacement; Howard,
Ramdas, McAuliffe and Sekhon (2021), Annals of Statistics 49, for confidence sequences; Hoeffding (1963), theorem 4.
`tests/measurements.md` has the simulations.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from perturb.errors import ConfigError
from perturb.evaluation.loading import ItemSet
from perturb.files.resources import seed_of
from perturb.metrics.inputs import Floats, Integers
from perturb.metrics.outcomes import COULD_BE, ReplyCounts, ReplyOutcome
from perturb.metrics.refusal_registry import REFUSAL_METRICS, RefusalMetric, measure
from perturb.records import Cell, Facts, Intensity, Item
from perturb.snapshots.items import SUFFIX

# The probability that any of the intervals of a model misses its metric.
ALPHA = 0.05
# The number of blocks, after each of which an interval is computed.
MOST_BLOCKS = 100
# The largest part of the capital that a bet may lose on one item. A larger bet could ruin the capital for good.
MOST_STAKED = 0.5
# The weight, in items, of the common share in the guess for a stratum, which has few items at first.
POOLED_WEIGHT = 2.0


@dataclass(frozen=True, slots=True)
class Strata:
    """The sizes of the strata of a set, and what one hit in each adds to the sum."""

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
    """Lower and upper ends after each block so far. With probability 1 - alpha, all of the intervals hold the sum.

    `hits` counts the items that add to the sum, by block and stratum. `possible` also counts items whose reply could
    not be read and that may add to it; the interval holds whatever those replies were. Bets are tuned to an interval of
    `half_width` to each side. Shapes: (blocks, strata) in, (blocks,) out.

    >>> strata = Strata(np.array([50, 50]), np.full(2, 0.01))
    >>> drawn = np.array([1, 0] * 50).reshape(50, 2)
    >>> low, high = confidence_sequence(drawn, drawn, strata, 0.1)
    >>> bool(low[19] < 0.5 < high[19]), float(low[-1]), float(high[-1])
    (True, 0.5, 0.5)
    """
    sizes = strata.blocks()[: len(hits)]
    low = _lower_ends(hits, sizes, strata, half_width, alpha / 2)
    # An upper end for the hits is a lower end for the items that are certainly no hits.
    return low, 1 - _lower_ends(sizes - possible, sizes, strata, half_width, alpha / 2)


def _lower_ends(hits: Integers, sizes: Integers, strata: Strata, half_width: float, tail: float) -> Floats:
    """The lower end after each block; `sizes` has the number of items of each block and stratum, like `hits`."""
    items_before, hits_before = (np.cumsum(counts, axis=0) - counts for counts in (sizes, hits))
    sum_before = hits_before @ strata.weights
    guess = _guesses(hits_before, items_before, strata)
    # An item of the block represents all items that remain in its stratum.
    represented = strata.weights * (strata.sizes - items_before) / sizes
    variance = (represented**2 * sizes * guess * (1 - guess)).sum(1)
    bet_scale = np.minimum(half_width / variance, MOST_STAKED / represented.max(1))
    log_gains = _log_gains(hits, sizes, guess, bet_scale[:, None] * represented)
    # The sum of all b μ is `bet_scale` (θ - `sum_before`), so the logarithm of the capital is `log_capital_at_0` minus
    # θ times the sum of the scales. The capital falls with θ. The lower end is the θ at which it is 1 / tail.
    log_capital_at_0 = np.cumsum(log_gains + bet_scale * sum_before)
    by_bets = (log_capital_at_0 + np.log(tail)) / np.cumsum(bet_scale)
    # The sum is at least what the hits so far add up to, and a bound that held once holds for good.
    return np.asarray(np.maximum.accumulate(np.maximum(by_bets, sum_before + hits @ strata.weights)))


def _guesses(hits_before: Integers, items_before: Integers, strata: Strata) -> Floats:
    """The guess for each block and stratum, from the blocks before: its share of hits, drawn to that of all strata."""
    counted = strata.weights > 0
    # 0.5 and 1 stand for half a hit in one item: the guess is 1/2 before the first block, and never 0 or 1.
    pooled = (hits_before[:, counted].sum(1) + 0.5) / (items_before[:, counted].sum(1) + 1)
    return np.asarray((hits_before + POOLED_WEIGHT * pooled[:, None]) / (items_before + POOLED_WEIGHT))


def _log_gains(hits: Integers, sizes: Integers, guess: Floats, bets: Floats) -> Floats:
    """The logarithm of what a block multiplies the capital by, without the unknown part exp(-b μ) of each item."""
    of_hits, of_others = hits * np.log1p(bets * (1 - guess)), (sizes - hits) * np.log1p(-bets * guess)
    return np.asarray((of_hits + of_others + bets * sizes * guess).sum(1))


# Abbreviations that a rule may use for metrics.
SHORT_NAMES = {"crs": "calibrated_refusal_score", "frr": "false_refusal_rate", "mrr": "missed_refusal_rate"}
# A cell with fewer items joins another cell of its kind (answerable or not), since each block takes of every stratum,
# and the smallest stratum limits the number of blocks.
LEAST_IN_STRATUM = 10

# As in `ci(crs) <= 0.03`; the groups are the metric and the half-width.
_RULE = re.compile(r"\s*ci\(\s*(\w+)\s*\)\s*<=\s*(0?\.\d+)\s*")


@dataclass(frozen=True, slots=True)
class StopRule:
    """A model is asked until the interval of a metric has at most this half-width."""

    metric: RefusalMetric
    half_width: float

    def __str__(self) -> str:
        return f"ci({self.metric.name}) <= {self.half_width:g}"


def read_stop_rule(text: str) -> StopRule:
    """The rule in the text of `--until`. Raises `ConfigError`, which says what the text may be.

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
    """Number of items in complete blocks, without controls."""
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


def early_stop(entry: Facts) -> Stop | None:
    """Where a model was stopped, by its entry in the ledger; None if it was not stopped early."""
    stop = Stop(**entry["until"]) if "until" in entry else None
    return stop if stop and stop.early else None


class BlockCounts(NamedTuple):
    """Hits in one block, by stratum."""

    sure: Integers
    possible: Integers
    """The sure hits, and the replies that could not be read and may be hits."""


@dataclass(frozen=True, slots=True)
class AskingOrder:
    """The items of a set in blocks, each with its part of every cell; the order within a cell is random."""

    rule: StopRule
    blocks: tuple[tuple[Item, ...], ...]
    """Each control comes right behind its item."""
    strata: Strata
    stratum: Mapping[str, int]
    """Item → number of its stratum. Controls are in no stratum: they do not count for the metric."""

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
            {item.id: number for number, members in enumerate(cells) for item in members},
        )

    def until_reached(self, outcomes: Mapping[str, ReplyOutcome]) -> Iterator[Item]:
        """Items block by block, until the rule is met. The caller adds to `outcomes` while it takes the items."""
        counted: list[BlockCounts] = []
        needed = len(self.blocks)
        for number, block in enumerate(self.blocks):
            for item in block:
                # Replies arrive late, so earlier blocks may become complete while a later one is being asked.
                if new_counts := list(self.count(outcomes, len(counted))):
                    counted += new_counts
                    lows, highs = self.intervals(counted)
                    narrow = np.flatnonzero(highs - lows <= 2 * self.rule.half_width)
                    needed = int(narrow[0]) + 1 if len(narrow) else needed
                if number >= needed:
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
        # Without a complete block the arrays are empty; `reshape` gives them their second dimension.
        sure = np.array([block.sure for block in counted]).reshape(shape)
        possible = np.array([block.possible for block in counted]).reshape(shape)
        return confidence_sequence(sure, possible, self.strata, self.rule.half_width)

    def count(self, outcomes: Mapping[str, ReplyOutcome], start: int = 0) -> Iterator[BlockCounts]:
        """The counts of each block from number `start` on, up to the first block that is not complete."""
        for block in self.blocks[start:]:
            if not all(item.control or item.id in outcomes for item in block):
                return
            sure, possible = np.zeros((2, len(self.strata.sizes)), dtype=np.int64)
            for item in block:
                if not item.control:
                    outcome, stratum = outcomes[item.id], self.stratum[item.id]
                    # What a reply that could not be read may have been; any other reply is what it is.
                    candidates = COULD_BE.get(outcome, (outcome,))
                    hits = [candidate in self.rule.metric.hits for candidate in candidates]
                    sure[stratum] += all(hits)
                    possible[stratum] += any(hits)
            yield BlockCounts(sure, possible)


def _strata(items: Sequence[Item], seed: str) -> list[list[Item]]:
    """The items of each stratum in a random order. A stratum is a cell, with which small cells of its kind may join."""
    sizes = Counter(item.cell for item in items)
    stratum: dict[Cell, int] = {}
    # By kind, then the largest cells first, so that a small cell joins the last stratum of its kind.
    for cell in sorted(sizes, key=lambda cell: (_is_answerable(cell), -sizes[cell], cell)):
        latest = max(stratum.values(), default=-1)
        kind_has_stratum = any(_is_answerable(other) is _is_answerable(cell) for other in stratum)
        joins = kind_has_stratum and sizes[cell] < LEAST_IN_STRATUM
        stratum[cell] = latest if joins else latest + 1
    strata: list[list[Item]] = [[] for _ in set(stratum.values())]
    for item in sorted(items, key=lambda item: seed_of("order", seed, item.id)):
        strata[stratum[item.cell]].append(item)
    return strata


def _is_answerable(cell: Cell) -> bool:
    return cell.intensity is Intensity.LOW


def _deal(
    strata: Sequence[Sequence[Item]], sizes: Integers, controls: Mapping[str, Item]
) -> Iterator[tuple[Item, ...]]:
    """The blocks; within a block the items of each stratum are spread evenly."""
    ends = np.cumsum(sizes, axis=0)
    for block_starts, block_ends in zip(ends - sizes, ends, strict=True):
        positions: dict[str, tuple[float, int]] = {}
        members: list[Item] = []
        for stratum, items in enumerate(strata):
            share = items[block_starts[stratum] : block_ends[stratum]]
            members += share
            # The k-th of n items of a stratum comes at k / n of the block.
            positions |= {item.id: (k / len(share), stratum) for k, item in enumerate(share)}
        block = []
        for item in sorted(members, key=lambda item: positions[item.id]):
            block.append(item)
            if item.id in controls:
                block.append(controls[item.id])
        yield tuple(block)
