"""What the bounds leave out: the variance that scores really have, and items that share a base instance."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perturb.errors import ConfigError
from perturb.metrics.inputs import read_numbers
from perturb.metrics.resampling import cluster_codes


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
    """Variance of the mean with clusters / without; None where it is undefined."""
    reason: str | None = None
    """Why `effect` is None."""

    @property
    def effective_n(self) -> float | None:
        """As many independent items would be as precise."""
        return None if self.effect is None else self.n / self.effect


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
    """Items for each round by the normal approximation, `delta` shared out to the rounds.

    Formula: effect × z² × variance / epsilon², z the (1 - delta / (2 rounds)) quantile of the normal distribution.
    It asks for fewer items than Hoeffding's bound and is an approximation, not a guarantee. `variance` is that of one
    score: p (1 - p) for a rate p, 0.25 at worst.

    Raises `ConfigError` if `variance` or `effect` is out of its range.

    >>> size_from_variance(0.05, 0.05, 1), size_from_variance(0.05, 0.05, 1, effect=2.0)
    (385, 769)
    """
    from scipy.stats import norm

    if not 0 <= variance <= 0.25 * (1 + 1e-9):
        raise ConfigError(f"variance is {variance:g}: scores in [0, 1] have a variance from 0 to 0.25")
    if not 0 < effect < math.inf:
        raise ConfigError(f"design effect is {effect:g}: give a number above 0")
    z = float(norm.ppf(1 - delta / (2 * rounds)))
    return max(1, math.ceil(effect * z**2 * variance / epsilon**2))
