"""What the bounds leave out: the variance that scores really have, and items that share a base instance."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perturb.errors import ConfigError
from perturb.metrics.inputs import read_numbers
from perturb.metrics.intervals import wilson_interval
from perturb.metrics.resampling import cluster_codes

EXACT_ITEMS = 5_000
"""Up to so many items binomial probabilities are summed; beyond, their normal limit is right."""


@dataclass(frozen=True, slots=True)
class DesignEffect:
    """How much less a clustered sample says than as many independent items."""

    n: int
    """Items."""
    bases: int
    """Base instances."""
    mean: float
    variance: float
    """Variance of a single score, with divisor n - 1."""
    effect: float | None
    """Variance of the mean with clusters / without; None where it is undefined. Below 1 (0 at the least) where items of
    one base instance differ more than others: plans take 1 then, since that is rarely more than chance."""
    reason: str | None = None
    """Why `effect` is None."""

    @property
    def effective_n(self) -> float | None:
        """As many independent items would be as precise; None where none would, or it is not known."""
        return self.n / self.effect if self.effect else None


def design_effect(scores: ArrayLike, base_ids: ArrayLike) -> DesignEffect:
    """Measure the design effect of clustering by base instance.

    Formula: [G / (G - 1) Σ_g (Σ_{i in g} (y_i - ȳ))² / n²] / (s² / n) over G base instances. 1 for independent items;
    the size of the clusters if all items of a base instance have the same score. Reference: Kish (1965), section 5.4.

    Raises ValueError if scores are missing or there is not one base instance for each.

    >>> design_effect([1, 1, 0, 0, 1, 1, 0, 0], ["a", "a", "b", "b", "c", "c", "d", "d"]).effect.__round__(2)
    2.33
    """
    values = read_numbers(scores, "scores")
    codes = cluster_codes(base_ids, len(values))
    codes = np.arange(len(values)) if codes is None else codes
    n, bases, mean = len(values), int(codes.max()) + 1, float(values.mean())
    variance = float(values.var(ddof=1)) if n > 1 else 0.0
    if bases < 2 or variance == 0:
        reason = "all items come from one base instance" if bases < 2 else "all scores are the same"
        return DesignEffect(n, bases, mean, variance, None, reason)
    totals = np.bincount(codes, weights=values - mean)
    clustered = bases / (bases - 1) * float((totals**2).sum()) / n**2
    return DesignEffect(n, bases, mean, variance, clustered / (variance / n))


def size_from_variance(
    epsilon: float, delta: float, rounds: int, variance: float = 0.25, effect: float = 1.0
) -> int:
    """Items for each round, `delta` shared out to the rounds, so that Wilson's interval reaches at most `epsilon`.

    For up to `EXACT_ITEMS` items also large enough that, by the binomial distribution, errors above `epsilon` are no
    likelier than they may be: the normal approximation plans too few near rates of 0 and 1. Times `effect`, the design
    effect. It asks for fewer items than Hoeffding's bound, and rests on the variance of one score: p (1 - p) for a rate
    p, 0.25 at worst.

    Raises `ConfigError` if `variance` or `effect` is out of its range.

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
    if not 0 < epsilon < 1:
        raise ConfigError(f"epsilon is {epsilon:g}: give an error between 0 and 1, such as 0.05")
    rate = (1 + math.sqrt(max(0.0, 1 - 4 * variance))) / 2
    share = delta / rounds
    critical = float(norm.ppf(1 - share / 2))

    def excess(log_size: float) -> float:
        low, high = wilson_interval(rate, math.exp(log_size), critical)
        return max(rate - low, high - rate) - epsilon

    size = 1 if excess(0.0) <= 0 else math.ceil(math.exp(brentq(excess, 0.0, 60.0, xtol=1e-12)))
    if size <= EXACT_ITEMS:
        size = _exact_size(rate, epsilon, share, size)
    return math.ceil(size * effect)


def _exact_size(rate: float, epsilon: float, share: float, size: int) -> int:
    """The smallest size from `size` on at which, and beyond which, errors above `epsilon` have at most this chance."""
    from scipy.stats import binom

    sizes = np.arange(size, 2 * size + 50)
    most, least = np.floor(sizes * (rate + epsilon) + 1e-9), np.ceil(sizes * (rate - epsilon) - 1e-9)
    failing = np.asarray(binom.sf(most, sizes, rate) + binom.cdf(least - 1, sizes, rate) > share)
    return int(sizes[np.flatnonzero(failing)[-1]] + 1) if failing.any() else size
