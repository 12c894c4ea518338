"""The rule that stops asking a model early: when the confidence interval of a metric is narrow enough.

Items are asked in blocks, and each block takes its part of every stratum. A stratum is a cell (perturbation class and
intensity), or several small cells together. All models are asked in the same order, and each stops by itself. Only
complete blocks decide whether a model stops, so a run that is resumed stops at the same place.

The metric is a sum over a finite set of items: each hit adds a weight. With 60 answerable and 40 unanswerable items, a
metric that is the share of right replies is a sum in which each right reply adds 0.01. The sum over all items is fixed
but unknown. The only chance is the random order of the items in each stratum. So nothing is assumed about the items,
however alike those of one base instance are.

The intervals are a confidence sequence: with high probability all of them hold the sum, so a model may stop as soon as
its interval is narrow. Lower ends come from betting (`_lower_ends`), and upper ends in the same way from the items that
are not hits. The symbols:

- θ is a value that the sum may have, and K(θ) is a capital that starts at 1. It bets that the sum is larger than θ.
- x is 1 if an item is a hit, and 0 otherwise.
- g is a guess of the share of hits in the item's stratum (`guess`). It comes from the blocks before.
- μ is the true share of hits among the items of the stratum that remain before the block. Nobody knows it.
- b is the bet on the item (`bets`). It is fixed before the block.

Each item multiplies K(θ) by (1 + b (x - g)) exp(b (g - μ)). The steps of the proof:

1. If the sum is θ, one item multiplies the capital by at most 1 on average. For x has the mean μ, and 1 + y <= exp(y)
   with y = b (μ - g).
2. The same holds for the items of a block together, although they are drawn without replacement. In each stratum, their
   product is a convex function of the number of hits. Drawing without replacement makes its mean no larger (Hoeffding
   1963, theorem 4).
3. So the capital exceeds 1 / tail at any time with a probability of at most `tail` (Ville's inequality). Each θ for
   which it does is ruled out. The lower end of the interval is the smallest θ that is left.
4. μ need not be known. A bet is `bet_scale` times what the item represents in the sum. So over a block the b μ add up
   to `bet_scale` times what all remaining items add to the sum: θ minus `sum_before`, the sum of the items before.

References: Waudby-Smith and Ramdas (2024), JRSS B 86, for intervals by betting, with and without replacement; Howard,
Ramdas, McAuliffe and Sekhon (2021), Annals of Statistics 49, for confidence sequences. `tests/measurements.md` has the
simulations.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from perturb.errors import ConfigError
from perturb.evaluation.loading import ItemSet
from perturb.files.resources import seed_of
from perturb.ledger.evaluations import Stop
from perturb.metrics.inputs import Floats, Integers
from perturb.metrics.outcomes import COULD_BE, ReplyCounts, ReplyOutcome
from perturb.metrics.refusal_registry import REFUSAL_METRICS, RefusalMetric, measure
from perturb.records import CONTROL_SUFFIX, Cell, Item

# The probability that any of the intervals of a model misses its metric.
ALPHA = 0.05
# The number of blocks, after each of which an interval is computed.
MOST_BLOCKS = 100
# The largest part of the capital that a bet may lose on one item. A larger bet could ruin the capital for good.
MOST_STAKED = 0.5
# A stratum has few items at first. So the share of hits over all strata counts for this many items in its guess.
POOLED_WEIGHT = 2.0


@dataclass(frozen=True, slots=True)
class Strata:
    """The sizes of the strata of a set, and what one hit in each adds to the sum."""

    sizes: Integers
    """The number of items of each stratum."""
    weights: Floats
    """What a hit adds, by stratum: 0 if the sum leaves the stratum out. If all items were hits, the sum would be 1."""

    def blocks(self) -> Integers:
        """How many items of each stratum each block takes, shape (blocks, strata): at least one, spread evenly.

        >>> Strata(np.array([2, 5]), np.array([0.25, 0.1])).blocks().tolist()
        [[1, 2], [1, 3]]
        """
        count = min(int(self.sizes.min()), MOST_BLOCKS)
        return np.diff(np.outer(np.arange(count + 1), self.sizes) // count, axis=0)


def confidence_sequence(
    hits: Integers, possible: Integers, strata: Strata, half_width: float
) -> tuple[Floats, Floats]:
    """Lower and upper ends after each block so far. With probability 1 - `ALPHA`, all of the intervals hold the sum.

    `hits` counts the items that add to the sum, by block and stratum. `possible` also counts items whose reply could
    not be read and that may add to it; the interval holds whatever those replies were. Bets are tuned to an interval of
    `half_width` to each side. Shapes: (blocks, strata) in, (blocks,) out.

    >>> strata = Strata(np.array([50, 50]), np.full(2, 0.01))
    >>> drawn = np.array([1, 0] * 50).reshape(50, 2)
    >>> low, high = confidence_sequence(drawn, drawn, strata, 0.1)
    >>> bool(low[19] < 0.5 < high[19]), float(low[-1]), float(high[-1])
    (True, 0.5, 0.5)
    """
    block_sizes = strata.blocks()[: len(hits)]
    low = _lower_ends(hits, block_sizes, strata, half_width, tail=ALPHA / 2)
    # An upper end for the hits is a lower end for the items that are certainly not hits.
    certain_misses = block_sizes - possible
    return low, 1 - _lower_ends(certain_misses, block_sizes, strata, half_width, tail=ALPHA / 2)


def _lower_ends(
    hits: Integers, block_sizes: Integers, strata: Strata, half_width: float, *, tail: float
) -> Floats:
    """The lower end after each block. `hits` and `block_sizes` count items by block and stratum."""
    items_before = np.cumsum(block_sizes, axis=0) - block_sizes
    hits_before = np.cumsum(hits, axis=0) - hits
    sum_before = hits_before @ strata.weights
    guess = _guesses(hits_before, items_before, strata)
    # The items of a block represent all items that remain in their stratum, in equal parts.
    represented = strata.weights * (strata.sizes - items_before) / block_sizes
    bet_scale = _bet_scales(represented, block_sizes, guess, half_width)
    log_gains = _log_gains(hits, block_sizes, guess, bets=bet_scale[:, None] * represented)
    # After some blocks, log K(θ) is the sum of log_gains + bet_scale * (sum_before - θ) over them. It falls with θ.
    # The lower end is the θ at which it is log(1 / tail).
    log_capital_at_0 = np.cumsum(log_gains + bet_scale * sum_before)
    by_bets = (log_capital_at_0 + np.log(tail)) / np.cumsum(bet_scale)
    # The sum is at least what the hits so far add up to, and a bound that held once holds for good.
    sum_so_far = sum_before + hits @ strata.weights
    return np.asarray(np.maximum.accumulate(np.maximum(by_bets, sum_so_far)))


def _guesses(hits_before: Integers, items_before: Integers, strata: Strata) -> Floats:
    """The guess for each block and stratum, from the blocks before: its share of hits, drawn to that of all strata."""
    counted = strata.weights > 0
    all_hits = hits_before[:, counted].sum(axis=1)
    all_items = items_before[:, counted].sum(axis=1)
    # With half a hit in one item more, the share is 1/2 before the first block, and never 0 or 1.
    pooled_share = (all_hits + 0.5) / (all_items + 1)
    pooled_hits = POOLED_WEIGHT * pooled_share[:, None]
    return np.asarray((hits_before + pooled_hits) / (items_before + POOLED_WEIGHT))


def _bet_scales(represented: Floats, block_sizes: Integers, guess: Floats, half_width: float) -> Floats:
    """The size of the bets of each block.

    If the sum is `half_width` above θ, a block with the scale s adds about s * half_width - s² * variance / 2 to the
    logarithm of the capital (its Taylor series up to s²). This is largest where s is half_width / variance.
    """
    variance = (represented**2 * block_sizes * guess * (1 - guess)).sum(axis=1)
    largest_scale = MOST_STAKED / represented.max(axis=1)
    return np.asarray(np.minimum(half_width / variance, largest_scale))


def _log_gains(hits: Integers, block_sizes: Integers, guess: Floats, bets: Floats) -> Floats:
    """The logarithm of what a block multiplies the capital by, without the unknown factor exp(-b μ) of each item."""
    # log(1 + b (x - g)), for x = 1 and for x = 0
    of_hits = hits * np.log1p(bets * (1 - guess))
    of_misses = (block_sizes - hits) * np.log1p(-bets * guess)
    return np.asarray((of_hits + of_misses + bets * block_sizes * guess).sum(axis=1))


# Abbreviations that a rule may use for metrics.
SHORT_NAMES = {"crs": "calibrated_refusal_score", "frr": "false_refusal_rate", "mrr": "missed_refusal_rate"}
# A cell with fewer items shares a stratum with another cell of its kind (answerable or not). For each block takes items
# of every stratum, so the smallest stratum limits the number of blocks.
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
        controls = {item.id.removesuffix(CONTROL_SUFFIX): item for item in item_set.items if item.control}
        items = [item for item in item_set.items if not item.control]
        n_answerable = sum(item.answerable for item in items)
        raf = all(item.several for item in items if item.answerable)
        # Whether the metric is defined depends on the items alone, so any replies to them show it.
        example_outcomes = [
            ReplyOutcome.POOR_ANSWER if item.answerable else ReplyOutcome.MISSED_REFUSAL for item in items
        ]
        why_undefined = measure(rule.metric.name, ReplyCounts.of(example_outcomes, raf=raf)).reason
        if why_undefined:
            raise ConfigError(f"{item_set.name}: no interval for '{rule}': {why_undefined}")
        members_of = _strata(items, item_set.digest)
        of_answerable, of_unanswerable = rule.metric.item_weights(n_answerable, len(items) - n_answerable)
        # The items of a stratum are all answerable, or all unanswerable.
        weights = [of_answerable if members[0].answerable else of_unanswerable for members in members_of]
        strata = Strata(np.array([len(members) for members in members_of]), np.array(weights))
        return cls(
            rule,
            tuple(_deal(members_of, strata.blocks(), controls)),
            strata,
            {item.id: number for number, members in enumerate(members_of) for item in members},
        )

    def until_reached(self, outcomes: Mapping[str, ReplyOutcome]) -> Iterator[Item]:
        """Items block by block, until the rule is met. The caller adds to `outcomes` while it takes the items."""
        n_complete = 0
        blocks_needed = len(self.blocks)
        for number, block in enumerate(self.blocks):
            for item in block:
                # Replies arrive late, so earlier blocks may become complete while a later one is being asked.
                n_complete_before, n_complete = n_complete, self._count_complete(outcomes, n_complete)
                if n_complete > n_complete_before:
                    blocks_needed = self._blocks_needed(outcomes)
                if number >= blocks_needed:
                    return
                yield item

    def _blocks_needed(self, outcomes: Mapping[str, ReplyOutcome]) -> int:
        """How many blocks meet the rule: those up to the first narrow interval; all blocks if none is narrow yet."""
        lows, highs = self.intervals(outcomes)
        narrow = np.flatnonzero(highs - lows <= 2 * self.rule.half_width)
        return int(narrow[0]) + 1 if len(narrow) else len(self.blocks)

    def stop(self, outcomes: Mapping[str, ReplyOutcome]) -> Stop:
        """The interval of a model with these outcomes, and whether it may stop."""
        lows, highs = self.intervals(outcomes)
        low, high = (float(lows[-1]), float(highs[-1])) if len(lows) else (0.0, 1.0)
        return Stop(
            rule=str(self.rule),
            low=low,
            high=high,
            asked=int(self.strata.blocks()[: len(lows)].sum()),
            items=len(self.stratum),
            reached=high - low <= 2 * self.rule.half_width,
        )

    def intervals(self, outcomes: Mapping[str, ReplyOutcome]) -> tuple[Floats, Floats]:
        """Lower and upper ends after each complete block."""
        sure, possible = self.count(outcomes)
        return confidence_sequence(sure, possible, self.strata, self.rule.half_width)

    def count(self, outcomes: Mapping[str, ReplyOutcome]) -> tuple[Integers, Integers]:
        """The sure and the possible hits in the complete blocks, both of shape (blocks, strata).

        Possible hits are the sure ones, and replies that could not be read and may be hits.
        """
        complete = self.blocks[: self._count_complete(outcomes)]
        sure = np.zeros((len(complete), len(self.strata.sizes)), dtype=np.int64)
        possible = np.zeros_like(sure)
        for number, block in enumerate(complete):
            for item in block:
                if item.control:
                    continue
                outcome, stratum = outcomes[item.id], self.stratum[item.id]
                # What a reply that could not be read may have been; any other reply is what it is.
                candidates = COULD_BE.get(outcome, (outcome,))
                hits = [candidate in self.rule.metric.hits for candidate in candidates]
                sure[number, stratum] += all(hits)
                possible[number, stratum] += any(hits)
        return sure, possible

    def _count_complete(self, outcomes: Mapping[str, ReplyOutcome], start: int = 0) -> int:
        """The number of blocks before the first that is not complete; those before number `start` are complete."""
        for number, block in enumerate(self.blocks[start:], start):
            if not all(item.control or item.id in outcomes for item in block):
                return number
        return len(self.blocks)


def _strata(items: Sequence[Item], seed: str) -> list[list[Item]]:
    """The items of each stratum in a random order. A stratum is a cell, with which small cells of its kind may join."""
    cells_of: list[list[Cell]] = []
    for is_answerable in (False, True):
        sizes = Counter(item.cell for item in items if item.answerable is is_answerable)
        # The largest come first, so small cells join the smallest of the large ones, or each other.
        cells = sorted(sizes, key=lambda cell: (-sizes[cell], cell))
        for cell in cells:
            if cell == cells[0] or sizes[cell] >= LEAST_IN_STRATUM:
                cells_of.append([cell])
            else:
                cells_of[-1].append(cell)
    shuffled = sorted(items, key=lambda item: seed_of("order", seed, item.id))
    return [[item for item in shuffled if item.cell in cells] for cells in cells_of]


def _deal(
    strata: Sequence[Sequence[Item]], sizes: Integers, controls: Mapping[str, Item]
) -> Iterator[tuple[Item, ...]]:
    """The blocks; within a block the items of each stratum are spread evenly.

    `sizes` has the number of items of each block and stratum.
    """
    remaining = [iter(items) for items in strata]
    for block_sizes in sizes.tolist():
        placed: list[tuple[float, int, Item]] = []
        for stratum, n_items in enumerate(block_sizes):
            # The k-th of n items of a stratum comes at k / n of the block.
            for k, item in enumerate(islice(remaining[stratum], n_items)):
                placed.append((k / n_items, stratum, item))
        placed.sort(key=lambda entry: entry[:2])
        block = []
        for _, _, item in placed:
            block.append(item)
            if item.id in controls:
                block.append(controls[item.id])
        yield tuple(block)
