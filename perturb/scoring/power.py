"""The number of items that a round needs: bounds on the error of a benchmark's score over several rounds.

A score is a mean of values in [0, 1]. A static benchmark draws n items once; a generative one draws m fresh items in
each round. `epsilon` is the error allowed in any round. `drift` is the largest distance between the true score of a
round and that of the first round. The bounds treat items as independent; separate functions take the variance of stored
scores and shared base instances into account. Reference: RefusalBench, theorem 2.1 and appendix B.

The module has four parts: bounds and the sizes that follow from them, the design effect of items that share a base
instance, the reading of scores and rounds to plan from, and plans (`plan_sizes`, `split_budget`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from perturb.errors import ConfigError, SourceError
from perturb.files.tables import column_names, read_columns
from perturb.metrics.inputs import Floats, read_numbers
from perturb.metrics.intervals import wilson_interval
from perturb.metrics.outcomes import SCORED
from perturb.metrics.refusal import RIGHT
from perturb.metrics.resampling import cluster_codes
from perturb.records import JsonObject
from perturb.scoring.table import read_results
from perturb.snapshots.freshness import HUB_PREFIX, read_set


def static_failure_bound(n: int, epsilon: float, drift: float) -> float:
    """The largest probability that a static benchmark of `n` items errs by more than `epsilon` in some round.

    Formula: min(1, 2 exp(-2 n (epsilon - drift)₊²)). Reference: equation 1. From a drift of epsilon on it is 1, which
    excludes nothing.

    >>> round(static_failure_bound(1000, 0.05, 0.0), 4), static_failure_bound(1000, 0.05, 0.05)
    (0.0135, 1.0)
    """
    return min(1.0, 2 * math.exp(-2 * n * max(epsilon - drift, 0.0) ** 2))


def static_failure_floor(n: int, epsilon: float, drift: float) -> float:
    """The smallest probability that a static benchmark errs by more than `epsilon`; it grows with n if drift > epsilon.

    Formula: max(0, 1 - 2 exp(-2 n (drift - epsilon)₊²)). Reference: corollary B.1.

    >>> static_failure_floor(1000, 0.05, 0.05), round(static_failure_floor(1000, 0.05, 0.1), 4)
    (0.0, 0.9865)
    """
    return max(0.0, 1 - 2 * math.exp(-2 * n * max(drift - epsilon, 0.0) ** 2))


def generative_failure_bound(sizes: Iterable[int], epsilon: float) -> float:
    """The largest probability that one of several fresh rounds errs by more than `epsilon`, for any drift.

    Formula: min(1, Σ 2 exp(-2 m epsilon²)). Reference: equation 2.

    >>> round(generative_failure_bound([1200] * 4, 0.05), 4)
    0.0198
    """
    return min(1.0, sum(2 * math.exp(-2 * m * epsilon**2) for m in sizes))


def generative_size(epsilon: float, delta: float, rounds: int) -> int:
    """The items for each of `rounds` rounds that keep every error below `epsilon` with a probability of 1 - `delta`.

    Formula: ln(2 rounds / delta) / (2 epsilon²), rounded up. Reference: appendix B.4.

    Raises `ConfigError` if a number is out of its range.

    >>> generative_size(0.05, 0.05, 4)
    1016
    """
    _check(epsilon, delta)
    if rounds < 1:
        raise ConfigError(f"rounds is {rounds}: give at least 1")
    return math.ceil(math.log(2 * rounds / delta) / (2 * epsilon**2))


def static_size(epsilon: float, delta: float, drift: float) -> int | None:
    """The items that a static benchmark needs at this drift; None if the drift is epsilon or more: no size is enough.

    Formula: ln(2 / delta) / (2 (epsilon - drift)²), rounded up: equation 1 solved for n.

    Raises `ConfigError` if a number is out of its range.

    >>> static_size(0.05, 0.05, 0.02), static_size(0.05, 0.05, 0.05)
    (2050, None)
    """
    _check(epsilon, delta)
    if not 0 <= drift <= 1:
        raise ConfigError(f"drift is {drift:g}: give a distance between scores, from 0 to 1")
    if drift >= epsilon:
        return None
    return math.ceil(math.log(2 / delta) / (2 * (epsilon - drift) ** 2))


def paper_static_size(epsilon: float, delta: float) -> int:
    """The static size that the paper prints: (2 / epsilon²) ln(2 / delta), which is right for a drift of epsilon / 2.

    Plans show it beside `static_size`, which follows equation 1 for any drift.

    >>> paper_static_size(0.05, 0.05) == static_size(0.05, 0.05, 0.025) == 2952
    True
    """
    _check(epsilon, delta)
    return math.ceil(2 / epsilon**2 * math.log(2 / delta))


def _check(epsilon: float, delta: float) -> None:
    if not 0 < epsilon < 1:
        raise ConfigError(f"epsilon is {epsilon:g}: give an error between 0 and 1, such as 0.05")
    if not 0 < delta < 1:
        raise ConfigError(f"delta is {delta:g}: give a probability between 0 and 1, such as 0.05")


# Up to this number of items the binomial distribution decides; above it the normal approximation is good enough.
EXACT_ITEMS = 5_000
# The end of the search for a size: the logarithm of a number of items that no plan needs.
_LARGEST_LOG_SIZE = 60.0
# Half the width of a 95 % interval, in standard errors.
_Z_95 = 1.96


@dataclass(frozen=True, slots=True)
class DesignEffect:
    """The loss of precision from items that share base instances."""

    n: int
    """Number of items."""
    bases: int
    """Number of base instances."""
    mean: float
    variance: float
    """Variance of a single score, with divisor n - 1."""
    effect: float | None
    """The variance of the mean divided by that of independent items, from 0 up; None if it is undefined.

    It is below 1 if items of one base instance differ more than others. Plans use 1 then, since that is mostly chance.
    """
    reason: str | None = None
    """The reason why `effect` is None."""

    @property
    def effective_n(self) -> float | None:
        """The number of independent items with the same precision; None if `effect` is 0 or None."""
        return self.n / self.effect if self.effect else None


def design_effect(scores: ArrayLike, base_ids: ArrayLike) -> DesignEffect:
    """Measure the design effect of clustering by base instance.

    Formula: [G / (G - 1) Σ_g (Σ_{i in g} (y_i - ȳ))² / n²] / (s² / n) over G base instances. 1 for independent items;
    the size of the clusters if all items of a base instance have the same score. Reference: Kish (1965), section 5.4.

    Raises ValueError if scores are missing or there is not one base instance for each.

    >>> measured = design_effect([1, 1, 0, 0, 1, 1, 0, 0], ["a", "a", "b", "b", "c", "c", "d", "d"])
    >>> round(measured.effect, 2)
    2.33
    """
    values = read_numbers(scores, "scores")
    codes = cluster_codes(base_ids, len(values))
    codes = np.arange(len(values)) if codes is None else codes
    n, bases = len(values), int(codes.max()) + 1
    mean = float(values.mean())
    variance = float(values.var(ddof=1)) if n > 1 else 0.0
    if bases < 2 or variance == 0:
        reason = "all items come from one base instance" if bases < 2 else "all scores are the same"
        return DesignEffect(n, bases, mean, variance, None, reason)
    deviations_of_bases = np.bincount(codes, weights=values - mean)
    variance_of_mean = bases / (bases - 1) * float((deviations_of_bases**2).sum()) / n**2
    variance_if_independent = variance / n
    return DesignEffect(n, bases, mean, variance, variance_of_mean / variance_if_independent)


def size_from_variance(
    epsilon: float, delta: float, rounds: int, variance: float = 0.25, effect: float = 1.0
) -> int:
    """The items for each round that keep the error of a score below `epsilon`; the rounds share `delta`.

    There are three steps. First, the size with which Wilson's interval reaches at most `epsilon`. Then, up to
    `EXACT_ITEMS` items, a check that the binomial probability of a larger error is small enough: near rates of 0 and 1
    the normal approximation plans too few items. Last, the size is multiplied by `effect`, the design effect.

    The result is smaller than Hoeffding's bound, since it uses the variance of a score: p (1 - p) for a rate p, 0.25 at
    worst.

    Raises `ConfigError` if a number is out of its range.

    >>> size_from_variance(0.05, 0.05, 1), size_from_variance(0.05, 0.05, 1, effect=2.0)
    (399, 798)
    >>> size_from_variance(0.05, 0.05, 1, variance=0.0)
    73
    """
    from scipy.optimize import brentq
    from scipy.stats import norm

    if not 0 <= variance <= 0.25 * (1 + 1e-9):
        raise ConfigError(f"variance is {variance:g}: scores in [0, 1] have a variance from 0 to 0.25")
    if not 0 < effect < math.inf:
        raise ConfigError(f"design effect is {effect:g}: give a number above 0")
    _check(epsilon, delta)
    rate = (1 + math.sqrt(max(0.0, 1 - 4 * variance))) / 2  # p from its variance p (1 - p)
    round_delta = delta / rounds
    critical = float(norm.ppf(1 - round_delta / 2))

    def excess(log_size: float) -> float:
        """By how much the interval is too wide; the size is searched by its logarithm, since it may be very large."""
        low, high = wilson_interval(rate, math.exp(log_size), critical)
        return max(rate - low, high - rate) - epsilon

    if excess(0.0) <= 0:  # a single item is enough
        size = 1
    else:
        log_size = brentq(excess, 0.0, _LARGEST_LOG_SIZE, xtol=1e-12)
        size = math.ceil(math.exp(log_size))
    if size <= EXACT_ITEMS:
        size = _exact_size(rate, epsilon, round_delta, size)
    return math.ceil(size * effect)


def _exact_size(rate: float, epsilon: float, delta: float, size: int) -> int:
    """The smallest size, from `size` up, from which on errors above `epsilon` have at most the probability `delta`."""
    from scipy.stats import binom

    # The probability jumps up and down with the size. So the last size that fails decides, not the first that passes.
    sizes = np.arange(size, 2 * size + 50)
    # 1e-9: a product such as 100 * 0.55 must not fall just beside its whole number.
    most_hits = np.floor(sizes * (rate + epsilon) + 1e-9)
    fewest_hits = np.ceil(sizes * (rate - epsilon) - 1e-9)
    chance_of_more = binom.sf(most_hits, sizes, rate)
    chance_of_fewer = binom.cdf(fewest_hits - 1, sizes, rate)
    failing_sizes = sizes[np.asarray(chance_of_more + chance_of_fewer > delta)]
    return int(failing_sizes[-1]) + 1 if len(failing_sizes) else size


# Names under which tables have the score and the base instance; the first that a table has counts.
SCORE_COLUMNS = ("score", "correct", "is_correct")
BASE_COLUMNS = ("base_id", "source_id")


def read_scores(path: Path) -> tuple[Floats, list[str]]:
    """The scores, in [0, 1], and the base instances in a table.

    The file has a column `score` (or `correct`, `is_correct`) and a column `base_id` (or `source_id`), with one row for
    each item and only one model.

    Raises `SourceError` if the file cannot be read, lacks a column, or has values that are not scores.
    """
    table = read_columns(path, (*SCORE_COLUMNS, *BASE_COLUMNS, "model"), texts=(*BASE_COLUMNS, "model"))
    score = next((name for name in SCORE_COLUMNS if name in table.columns), None)
    base = next((name for name in BASE_COLUMNS if name in table.columns), None)
    if score is None or base is None:
        missing_column = "score" if score is None else "base_id"
        raise SourceError(f"{path}: has no column '{missing_column}': it has {', '.join(column_names(path))}")
    if "model" in table.columns and table["model"].nunique() > 1:
        raise SourceError(f"{path}: holds {table['model'].nunique()} models: keep the rows of one")
    try:
        scores = read_numbers(table[score], score)
    except ValueError as error:
        raise SourceError(f"{path}: {error}") from None
    if scores.min() < 0 or scores.max() > 1:
        raise SourceError(
            f"{path}: column '{score}' reaches from {scores.min():g} to {scores.max():g}: scale it to 0 … 1"
        )
    return scores, [str(name) for name in table[base]]


def observe(path: Path) -> DesignEffect:
    """Variance and design effect of the scores in a table, or of one model in the folder of an evaluation.

    The chosen model is the one that needs the most items. Its replies score 1 if they answer the item well or refuse it
    with its code, and 0 otherwise. Unscored replies are left out.

    Raises `SourceError` as `read_scores` does, and `LedgerError` if the folder has no evaluation.
    """
    if not path.is_dir():
        return design_effect(*read_scores(path))
    measured = []
    for model in read_results(path).firsts().models:
        rows = [row for row in model.rows if row.outcome in SCORED]
        right = [float(row.outcome in RIGHT) for row in rows]
        if rows:
            measured.append(design_effect(right, [row.item.base_id for row in rows]))
    if not measured:
        raise SourceError(f"{path}: has no scored reply: run the evaluation with --judge")
    # The number of items that a model needs is proportional to this product.
    return max(measured, key=lambda model: model.variance * max(model.effect or 1.0, 1.0))


@dataclass(frozen=True, slots=True)
class RoundDesign:
    """The items of a round by base instance, before any model is scored on them."""

    source: str
    """The path or the name on the Hub."""
    n: int
    """Number of items."""
    bases: int
    """Number of base instances."""
    effect: float
    """The largest possible design effect, if all items of a base instance get the same score: Σ m² / n, with m the
    number of items of a base instance."""

    def half_width(self, variance: float, effect: float) -> float:
        """Half of the 95 % interval of a mean score over all items.

        >>> round(RoundDesign("q4", 400, 100, 4.0).half_width(0.25, 4.0), 3)
        0.098
        """
        return _Z_95 * math.sqrt(variance * effect / self.n)


def read_design(source: Path) -> RoundDesign | None:
    """The design of a snapshot, of the run of a build, or of `hub:OWNER/NAME`; None for anything else.

    Raises `SnapshotError` or `SourceError` if its items cannot be read.
    """
    is_round = (source / "manifest.json").exists() or (source / "snapshot").is_dir()
    if not is_round and not str(source).startswith(HUB_PREFIX):
        return None
    sizes = Counter(item.base_id for item in read_set(source).items)
    n = sizes.total()
    return RoundDesign(str(source), n, len(sizes), sum(size**2 for size in sizes.values()) / n)


@dataclass(frozen=True, slots=True)
class PowerQuestion:
    """The precision that a score needs, the number of rounds, and the variance of the items."""

    epsilon: float = 0.05
    """The largest error allowed in any round."""
    delta: float = 0.05
    """The probability that a larger error may have."""
    rounds: int = 4
    """Number of rounds, T + 1 in the theorem."""
    drift: float = 0.02
    """The largest distance between the true score of a round and that of the first round."""
    variance: float = 0.25
    """Variance of one score; 0.25 is the worst case."""
    effect: float = 1.0
    """Design effect of items that share a base instance; 1 if no items share one."""


@dataclass(frozen=True, slots=True)
class Budget:
    """A budget of replies, and how much replies to the same item differ."""

    replies: int
    """The budget, in replies of one model."""
    within: float
    """The share of a reply's variance that is between replies to the same item, in [0, 1]."""
    item_cost: float = 0.0
    """The cost of a new item, in replies."""
    items: int | None = None
    """The number of items that exist; None without a limit."""


@dataclass(frozen=True, slots=True)
class Split:
    """A way to spend a budget."""

    samples: int
    """Replies to each item."""
    items: int
    half_width: float
    """Half of the 95 % interval of a rate."""


# The most samples of an item that a plan considers; beyond, further samples gain next to nothing.
MOST_SAMPLES = 20


def split_budget(budget: Budget, variance: float = 0.25, effect: float = 1.0) -> tuple[Split, ...]:
    """The ways to split a budget between items and samples of each item, from one sample up.

    Formula: the mean of n items with K replies each has the variance (effect - within + within / K) variance / n. It
    costs n (K + item cost) replies; `effect` is the design effect of single replies. If new items cost nothing, they
    are always better than more samples. Reference: Miller (2024), arXiv 2411.00640, section 3; Cochran (1977), section
    10.6, for costs.

    Raises `ConfigError` if a number is out of its range, or the budget does not pay for one item.

    >>> [(split.samples, split.items) for split in split_budget(Budget(1000, 0.5, items=400))][:3]
    [(1, 400), (2, 400), (3, 333)]
    >>> min(split_budget(Budget(1000, 0.5, item_cost=8)), key=lambda split: split.half_width).samples
    3
    """
    if not 0 <= budget.within <= 1:
        raise ConfigError(f"within is {budget.within:g}: give a share of the variance, from 0 to 1")
    if not 0 <= budget.item_cost < math.inf:
        raise ConfigError(f"the cost of an item is {budget.item_cost:g}: give a number from 0 up")
    splits = []
    for samples in range(1, MOST_SAMPLES + 1):
        items = int(budget.replies / (samples + budget.item_cost))
        if budget.items is not None:
            items = min(items, budget.items)
        if items < 1:
            break
        # The first factor of the formula. An effect below 1 is mostly chance, so it counts as 1.
        effect_of_samples = max(effect, 1.0) - budget.within * (1 - 1 / samples)
        half_width = _Z_95 * math.sqrt(variance * effect_of_samples / items)
        splits.append(Split(samples, items, half_width))
    if not splits:
        raise ConfigError(f"{budget.replies} replies do not pay for one item: give more --replies")
    return tuple(splits)


def plan_sizes(question: PowerQuestion) -> JsonObject:
    """The sizes and bounds, as plain values for a table or JSON. A size that does not exist is None, with a reason.

    Raises `ConfigError` if a number is out of its range.
    """
    epsilon, delta, drift = question.epsilon, question.delta, question.drift
    static = static_size(epsilon, delta, drift)
    fresh = generative_size(epsilon, delta, question.rounds)
    normal = size_from_variance(epsilon, delta, question.rounds, question.variance, question.effect)
    paper_size = paper_static_size(epsilon, delta)
    no_size = f"no size is enough: the drift ({drift:g}) reaches epsilon ({epsilon:g})"
    settings = asdict(question)
    settings["design_effect"] = settings.pop("effect")
    return {
        **settings,
        "generative": {
            "per_round": fresh,
            "all_rounds": fresh * question.rounds,
            "bound": generative_failure_bound([fresh] * question.rounds, epsilon),
            "per_round_clustered": math.ceil(fresh * question.effect),
        },
        "static": {
            "size": static,
            "reason": None if static else no_size,
            "paper_size": paper_size,
            "paper_size_assumes_drift": epsilon / 2,
            "size_clustered": None if static is None else math.ceil(static * question.effect),
            "bound_at_paper_size": static_failure_bound(paper_size, epsilon, drift),
            "floor_at_paper_size": static_failure_floor(paper_size, epsilon, drift),
        },
        "normal": {"per_round": normal, "effective": math.ceil(normal / question.effect)},
    }
