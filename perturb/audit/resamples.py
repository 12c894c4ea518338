"""The cluster bootstrap behind every interval of the audit.

Candidates made from one base instance are not independent, so whole base instances are drawn. A statistic that is a
function of sums over candidates is then computed for all resamples at once: sums per base instance, times how often
each was drawn.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from perturb.metrics.estimates import Estimate
from perturb.metrics.inputs import Floats, Integers
from perturb.metrics.resampling import resampled_weights

MAX_CLUSTERS = 10_000
"""More base instances are bundled at random into as many; the intervals stay right, time and memory stay bounded."""


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over the candidates, in the data and in each resample."""

    point: Floats
    """Shape (…)."""
    replicates: Floats
    """Shape (resamples, …)."""


@dataclass(frozen=True, slots=True)
class Resamples:
    """Which base instances each resample holds, and how often."""

    clusters: Integers
    """Number of the cluster of each candidate."""
    weights: Floats
    """Shape (resamples, clusters)."""

    @classmethod
    def draw(cls, base: Integers, resamples: int, seed: int) -> Resamples:
        """Draw the resamples; `base` numbers the base instance of each candidate."""
        clusters = bundle(np.unique(base, return_inverse=True)[1], MAX_CLUSTERS, seed)
        count = int(clusters.max()) + 1 if len(clusters) else 0
        if count < 2:
            return cls(clusters, np.ones((0, count)))
        chunks = [chunk.astype(np.float64) for chunk in resampled_weights(np.ones(count), resamples, seed)]
        return cls(clusters, np.concatenate(chunks))

    def totals(
        self,
        values: Floats,
        *,
        groups: Integers | None = None,
        n_groups: int = 1,
        rows: Floats | Integers | None = None,
    ) -> Totals:
        """Sums of the columns of `values` by group: shapes (n_groups, columns) and (resamples, n_groups, columns).

        `rows` picks the candidates that `values` and `groups` speak of; all by default.
        """
        clusters = self.clusters if rows is None else self.clusters[rows]
        keys = clusters * n_groups + (0 if groups is None else groups)
        count, columns = self.weights.shape[1], values.shape[1]
        units = np.stack(
            [np.bincount(keys, weights=column, minlength=count * n_groups) for column in values.T], axis=1
        ).reshape(count, n_groups * columns)
        shape = (n_groups, columns)
        return Totals(units.sum(axis=0).reshape(shape), (self.weights @ units).reshape(-1, *shape))

    @property
    def tail(self) -> float:
        """The share of resamples beyond each end of a 95 % interval.

        Plain percentiles are too narrow for few clusters. These are as much wider as a t interval is than a
        normal one, with the variance taken over n - 1 (Hesterberg 2015, expanded percentile interval).
        """
        from scipy.special import ndtr, stdtrit

        n = self.weights.shape[1]
        return float(ndtr(-math.sqrt(n / (n - 1)) * stdtrit(n - 1, 0.975)))

    def estimate(
        self, value: float, replicates: Floats, n: int, reason: str | None = None, *, scale: float = 1.0
    ) -> Estimate:
        """A value with its 95 % interval; NaN means undefined, for the `reason` given.

        Resamples in which the statistic is undefined are left out; if that is more than one in twenty, the reason
        says so.
        """
        if np.isnan(value):
            return Estimate.undefined(reason or "there is nothing to compute it from", n)
        defined = replicates[~np.isnan(replicates)] * scale
        if not len(replicates):
            return Estimate(
                value * scale, n=n, reason="no interval: all candidates come from one base instance"
            )
        if len(defined) < 2:
            return Estimate(
                value * scale, n=n, reason="no interval: the statistic is undefined in the resamples"
            )
        low, high = np.quantile(defined, [self.tail, 1 - self.tail])
        note = None
        if len(defined) < 0.95 * len(replicates):
            note = f"interval from the {len(defined)} of {len(replicates)} resamples in which it is defined"
        return Estimate(value * scale, float(low), float(high), float(defined.std(ddof=1)), n, note)


def bundle(clusters: Integers, at_most: int, seed: int) -> Integers:
    """Put clusters together at random until there are no more than `at_most`, of equal size but for one.

    >>> bundle(np.array([0, 1, 2, 2]), 4, seed=0).tolist()
    [0, 1, 2, 2]
    >>> sorted(set(bundle(np.arange(100), 10, seed=0).tolist()))
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    """
    count = int(clusters.max()) + 1 if len(clusters) else 0
    if count <= at_most:
        return clusters
    place = np.random.default_rng(seed).permutation(count) % at_most
    return np.asarray(place[clusters])
