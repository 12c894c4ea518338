"""A paired test of two models that keeps its power near the ceiling: signs of base instances are flipped.

If two models are equally good, it is chance which of them did better on a base instance. So the sign of each base
instance's contribution to the difference may be flipped, and a difference is surprising if few patterns of signs make
one as large. The test needs no variance, which a resample cannot show where nearly every reply is right.

References: Fisher (1935); Efron (1982) for contributions by the jackknife.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np

from perturb.metrics.inputs import Floats

EXACT_UP_TO = 12
"""So many base instances have all their patterns of signs tried (4,096)."""
SAMPLED = 9_999
"""Patterns drawn where there are more."""
HALVINGS = 40
TOLERANCE = 1e-12
"""Two sums that differ by rounding alone are equal."""


@dataclass(frozen=True, slots=True)
class SignFlips:
    """The difference of two models under every pattern of signs of its base instances."""

    observed: float
    """The difference."""
    flipped: Floats
    """The difference under each pattern."""
    signs: Floats
    """The mean sign of each pattern, which is what a constant shift of the difference is multiplied by."""
    exact: bool

    @classmethod
    def of(cls, difference: float, without: Floats, seed: int = 0) -> SignFlips | None:
        """From a difference and its values without one base instance each; None if one of these is undefined.

        >>> from numpy import array
        >>> flips = SignFlips.of(0.75, array([2 / 3, 2 / 3, 2 / 3, 1.0]))  # differences of 1, 1, 1 and 0
        >>> flips.p_value()
        0.25
        """
        count = len(without)
        if count < 2 or np.isnan(without).any():
            return None
        # Pseudo-values of the jackknife; for a mean they are the differences of the base instances themselves.
        pseudo = count * difference - (count - 1) * without
        contributions = (pseudo - pseudo.mean() + difference) / count
        patterns = _patterns(count, seed)
        return cls(difference, patterns @ contributions, patterns.mean(axis=1), count <= EXACT_UP_TO)

    def p_value(self, shift: float = 0.0) -> float:
        """Two-sided p-value of a true difference of `shift`, from 0 (exclusive) to 1."""
        reached = np.abs(self.flipped - shift * self.signs) >= abs(self.observed - shift) - TOLERANCE
        if self.exact:
            return float(reached.mean())
        return float((1 + reached.sum()) / (1 + len(reached)))

    def agree(self, low: float, high: float, tail: float = 0.025) -> tuple[float, float]:
        """An interval of the difference, with its end near 0 moved so that it excludes 0 if and only if the test does.

        >>> from numpy import array
        >>> SignFlips.of(0.75, array([2 / 3, 2 / 3, 2 / 3, 1.0])).agree(0.1, 1.0)
        (0.0, 1.0)
        """
        rejected = self.p_value() <= 2 * tail
        if self.observed > 0:
            return (max(low, self._near_end(2 * tail)) if rejected else min(low, 0.0)), high
        return low, (min(high, self._near_end(2 * tail)) if rejected else max(high, 0.0))

    def _near_end(self, level: float) -> float:
        """The smallest shift away from 0 that the test does not reject."""
        rejected, kept = 0.0, self.observed
        for _ in range(HALVINGS):
            middle = (rejected + kept) / 2
            if self.p_value(middle) <= level:
                rejected = middle
            else:
                kept = middle
        return kept


@lru_cache(maxsize=4)
def _patterns(count: int, seed: int) -> Floats:
    """Patterns of signs, one a row: all of them, or a sample."""
    if count <= EXACT_UP_TO:
        return np.array(list(product((-1.0, 1.0), repeat=count)))
    return np.random.default_rng(seed).choice((-1.0, 1.0), size=(SAMPLED, count))
