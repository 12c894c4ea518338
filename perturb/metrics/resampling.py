"""The bootstrap of all metrics, and a paired test of two models that flips signs.

Items from one base instance are not independent, so whole base instances are drawn. What is drawn is called a *unit*: a
cluster of rows (those of a base instance, or of several bundled ones), or a single row if there are no clusters. A
resample is a row of weights: how often it has each unit. A statistic of sums is computed for all resamples at once, by
one matrix product of the weights with the sums of each unit. `perturb.metrics.intervals` turns the replicates into
intervals.

Up to `EXACT_UNITS` units the weights are multinomial, as in the classic bootstrap. Above, each unit gets an independent
Poisson(1) weight, which is equivalent for many units. A table turns 16 random bits into such a weight, so 10⁶
units times 1,000 resamples take seconds.

The paired test keeps its power if nearly every reply is right, where resamples show hardly any variance. If two models
are equally good, chance decides which one does better on a base instance. The sign of each base instance's contribution
to the difference may then be flipped, and a difference is significant if few patterns of signs give one as large.

References: Efron and Tibshirani (1993); Chamandy et al. (2012) for Poisson weights; Fisher (1935) for the test; Efron
(1982) for contributions by the jackknife.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perturb.errors import ConfigError
from perturb.metrics.inputs import Estimate, Flags, Floats, Integers
from perturb.metrics.intervals import TAIL, Bounded, bisect

# Up to this number of units the weights are multinomial.
EXACT_UNITS = 10_000
# The number of weights in memory at a time.
CHUNK_WEIGHTS = 4_000_000
# The number of units in one block of Poisson weights.
BLOCK_ROWS = 4_096


def check_resampling(resamples: int, seed: int) -> None:
    """Raise `ConfigError` for fewer than one resample or a negative seed."""
    if resamples < 1 or seed < 0:
        raise ConfigError(
            f"resamples is {resamples} and seed {seed}: give at least 1 resample and a seed from 0 up"
        )


def cluster_codes(clusters: ArrayLike | None, n: int) -> Integers | None:
    """The number of each row's cluster, 0, 1, …, from any labels; None, for rows without clusters, stays None.

    Raises ValueError unless there is one label for each row.

    >>> cluster_codes(["q1", "q2", "q1"], 3).tolist()
    [0, 1, 0]
    """
    if clusters is None:
        return None
    labels = np.asarray(clusters)
    if labels.shape != (n,):
        raise ValueError(f"clusters needs one label for each of the {n} rows, got shape {labels.shape}")
    return np.unique(labels.astype(str) if labels.dtype == object else labels, return_inverse=True)[1]


def resampled_weights(
    counts: Floats, resamples: int, seed: int, codes: Integers | None = None
) -> Iterator[NDArray[np.float32]]:
    """The number of times that each unit is drawn, in chunks of shape (some resamples, units).

    `counts` has the number of identical items that each unit stands for; their sum is the size of a resample. Many
    units get Poisson weights, for which every count must be 1. With `codes`, from `cluster_codes`, whole clusters are
    drawn, and each unit gets the weight of its cluster.

    >>> weights = np.concatenate(list(resampled_weights(np.array([3.0, 1.0]), 5, seed=0)))
    >>> weights.shape, weights.sum(axis=1).tolist()
    ((5, 2), [4.0, 4.0, 4.0, 4.0, 4.0])
    """
    rng = np.random.default_rng(seed)
    unit_counts = counts if codes is None else np.ones(int(codes.max()) + 1)
    chunk_size = max(1, CHUNK_WEIGHTS // len(counts))
    for start in range(0, resamples, chunk_size):
        weights = _draw(rng, unit_counts, min(chunk_size, resamples - start))
        yield weights if codes is None else weights[:, codes]


def bootstrap_means(
    columns: ArrayLike, *, clusters: ArrayLike | None = None, resamples: int = 1000, seed: int = 0
) -> Floats:
    """The mean of each column over each resample, shape (resamples, columns).

    `columns` has shape (rows,) or (rows, columns). With `clusters` whole clusters are drawn, and a mean is the sum
    over the drawn clusters divided by the number of their rows. The columns share their resamples, so differences
    between them are paired.

    >>> means = bootstrap_means([0.0, 1.0, 1.0, 1.0], resamples=2000)
    >>> means.shape, bool((means >= 0).all() and (means <= 1).all())
    ((2000, 1), True)
    """
    table = np.asarray(columns, dtype=np.float64)
    table = table[:, None] if table.ndim == 1 else table
    centre = table.mean(axis=0)
    codes = cluster_codes(clusters, len(table))
    # Weights are in single precision. The means are subtracted first, so that the loss of precision does not show.
    # The last column counts the rows, which is what the sums are divided by: shape (units, columns + 1).
    unit_sums = np.column_stack([table - centre, np.ones(len(table))])
    if codes is not None:
        unit_sums = np.column_stack([np.bincount(codes, weights=column) for column in unit_sums.T])
    if len(unit_sums) <= EXACT_UNITS:
        chunks = resampled_weights(np.ones(len(unit_sums)), resamples, seed)
        sums = np.concatenate([chunk @ unit_sums for chunk in chunks])
    else:
        sums = _poisson_sums(unit_sums, resamples, seed)
    # `sums` has the shape (resamples, columns + 1).
    return np.asarray(centre + sums[:, :-1] / sums[:, -1:])


# More base instances are bundled at random into this number, which limits time and memory; intervals stay valid.
MAX_CLUSTERS = 10_000
# The same limit for resamples that leave out each base instance in turn.
MAX_LEFT_OUT = 500


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over rows, in the data and in each resample."""

    point: Floats
    """Shape (…)."""
    replicates: Floats
    """Shape (resamples, …)."""


@dataclass(frozen=True, slots=True)
class Resamples:
    """The number of times that each resample has each base instance."""

    clusters: Integers
    """The number of each row's cluster."""
    weights: Floats
    """Shape (resamples, clusters); without resamples if there are fewer than two clusters."""

    @classmethod
    def draw(cls, base: Integers, resamples: int, seed: int) -> Resamples:
        """Draw the resamples; `base` has the number of each row's base instance."""
        clusters = bundle(np.unique(base, return_inverse=True)[1], MAX_CLUSTERS, seed)
        count = _count(clusters)
        if count < 2:
            return cls(clusters, np.ones((0, count)))
        chunks = [chunk.astype(np.float64) for chunk in resampled_weights(np.ones(count), resamples, seed)]
        return cls(clusters, np.concatenate(chunks))

    def rows_alone(self, rows: Integers) -> Resamples:
        """The same resamples for some of the rows, without the clusters of the other rows.

        For figures of the rows alone, such as those of a class.
        """
        clusters, codes = np.unique(self.clusters[rows], return_inverse=True)
        weights = self.weights[:, clusters] if len(clusters) > 1 else np.ones((0, len(clusters)))
        return Resamples(codes, weights)

    def without_each(self, seed: int = 0) -> Resamples:
        """One resample without each cluster; many clusters are bundled first."""
        clusters = bundle(self.clusters, MAX_LEFT_OUT, seed)
        count = _count(clusters)
        return Resamples(clusters, np.ones((count, count)) - np.eye(count))

    def rows_with_all_clusters(self, rows: Integers) -> Resamples:
        """The same resamples for some of the rows, with all clusters.

        For figures of several sets of rows that are compared resample by resample.
        """
        return Resamples(self.clusters[rows], self.weights)

    def count(self, rows: Flags | None = None) -> int:
        """The number of clusters with a row that the mask marks, or of all clusters."""
        return self.weights.shape[1] if rows is None else len(np.unique(self.clusters[rows]))

    def totals(
        self,
        values: Floats,
        *,
        groups: Integers | None = None,
        n_groups: int = 1,
        rows: Floats | Integers | None = None,
    ) -> Totals:
        """Sums of the columns of `values` by group: shapes (n_groups, columns) and (resamples, n_groups, columns).

        `rows` are the rows that `values` and `groups` belong to; by default all rows.
        """
        clusters = self.clusters if rows is None else self.clusters[rows]
        n_clusters, n_columns = self.count(), values.shape[1]
        # The pairs of a cluster and a group are numbered cluster by cluster.
        n_pairs = n_clusters * n_groups
        pair_of_row = clusters * n_groups + (0 if groups is None else groups)
        sums_of_pairs = [np.bincount(pair_of_row, weights=column, minlength=n_pairs) for column in values.T]
        # A row for each cluster, with the sums of its groups side by side.
        sums_of_clusters = np.stack(sums_of_pairs, axis=1).reshape(n_clusters, n_groups * n_columns)
        point, replicates = sums_of_clusters.sum(axis=0), self.weights @ sums_of_clusters
        return Totals(point.reshape(n_groups, n_columns), replicates.reshape(-1, n_groups, n_columns))

    def bounded(
        self,
        value: float,
        replicates: Floats,
        n: int,
        reason: str | None = None,
        *,
        clusters: int | None = None,
        low: float = 0.0,
        high: float = 1.0,
        trials: float | None = None,
    ) -> Bounded | Estimate:
        """`Bounded.of` a value and its replicates; if the value is NaN, an undefined estimate with the `reason`."""
        if np.isnan(value):
            return Estimate.undefined(reason or "there is nothing to compute it from", n)
        count = self.count() if clusters is None else clusters
        return Bounded.of(value, replicates, n, clusters=count, low=low, high=high, trials=trials)


def bundle(clusters: Integers, at_most: int, seed: int) -> Integers:
    """Merge clusters at random into `at_most` bundles of nearly equal size; fewer clusters do not change.

    >>> bundle(np.array([0, 1, 2, 2]), 4, seed=0).tolist()
    [0, 1, 2, 2]
    >>> sorted(set(bundle(np.arange(100), 10, seed=0).tolist()))
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    """
    count = _count(clusters)
    if count <= at_most:
        return clusters
    bundle_of_cluster = np.random.default_rng(seed).permutation(count) % at_most
    return np.asarray(bundle_of_cluster[clusters])


def _count(clusters: Integers) -> int:
    """The number of clusters that are numbered from 0; no rows have none."""
    return int(clusters.max(initial=-1)) + 1


def _draw(rng: np.random.Generator, counts: Floats, resamples: int) -> NDArray[np.float32]:
    """The weights of units in some resamples: Poisson for many units, or else multinomial."""
    if len(counts) > EXACT_UNITS:
        return _poisson_weights(rng, (resamples, len(counts)))
    total = int(counts.sum())
    return rng.multinomial(total, counts / total, size=resamples).astype(np.float32)


def _poisson_sums(units: Floats, resamples: int, seed: int) -> Floats:
    """Weighted sums of the columns under Poisson weights, block by block of units."""
    rng = np.random.default_rng(seed)
    sums = np.zeros((resamples, units.shape[1]))
    for start in range(0, len(units), BLOCK_ROWS):
        block = units[start : start + BLOCK_ROWS].astype(np.float32)
        sums += _poisson_weights(rng, (resamples, len(block))) @ block
    return sums


@cache
def _poisson_table() -> NDArray[np.float32]:
    """The Poisson(1) weight of each 16-bit number; their mean and variance differ from 1 by less than 1e-4."""
    # The probability of a weight k is exp(-1) / k!. Weights above 12 are too rare for 16 bits.
    probabilities = np.exp(-1.0) / np.cumprod([1, *range(1, 13)])
    # A number stands for the middle of its part of [0, 1), at which the distribution function is inverted.
    middles = (np.arange(2**16) + 0.5) / 2**16
    return np.searchsorted(np.cumsum(probabilities), middles).astype(np.float32)


def _poisson_weights(rng: np.random.Generator, shape: tuple[int, int]) -> NDArray[np.float32]:
    n_weights = shape[0] * shape[1]
    # four 16-bit numbers from each 64-bit number: three times as fast as a draw for each
    n_words = math.ceil(n_weights / 4)
    numbers = rng.integers(0, 2**64, size=n_words, dtype=np.uint64).view(np.uint16)
    return _poisson_table()[numbers[:n_weights].reshape(shape)]


# Up to this number of base instances all patterns of signs are tried (4,096).
EXACT_UP_TO = 12
# The number of patterns that are drawn if there are more base instances.
SAMPLED = 9_999
# Steps of the search for the end of an interval, each of which halves the error.
HALVINGS = 40
# Two sums that differ by less are equal, apart from rounding.
TOLERANCE = 1e-12


@dataclass(frozen=True, slots=True)
class SignFlips:
    """The difference of two models for every pattern of signs of its base instances."""

    observed: float
    """The difference in the data."""
    flipped: Floats
    """The difference for each pattern."""
    signs: Floats
    """The mean sign of each pattern: the factor of a constant shift of all contributions."""
    exact: bool
    """Whether all patterns were tried, rather than a sample."""

    @classmethod
    def of(cls, difference: float, without: Floats, seed: int = 0) -> SignFlips | None:
        """Flip the signs of a difference; `without` has its value without each base instance.

        None if one of these values is undefined.

        >>> from numpy import array
        >>> flips = SignFlips.of(0.75, array([2 / 3, 2 / 3, 2 / 3, 1.0]))  # differences of 1, 1, 1 and 0
        >>> flips.p_value()
        0.25
        """
        count = len(without)
        if count < 2 or np.isnan(without).any():
            return None
        # Pseudo-values of the jackknife. For a mean they are the differences on the base instances themselves.
        pseudo = count * difference - (count - 1) * without
        # Their mean is moved to the difference, so that the contributions add up to it.
        contributions = (pseudo - pseudo.mean() + difference) / count
        patterns = _patterns(count, seed)
        return cls(difference, patterns @ contributions, patterns.mean(axis=1), count <= EXACT_UP_TO)

    def p_value(self, shift: float = 0.0) -> float:
        """Two-sided p-value of a true difference of `shift`, from 0 (exclusive) to 1."""
        reached = np.abs(self.flipped - shift * self.signs) >= abs(self.observed - shift) - TOLERANCE
        if self.exact:
            return float(reached.mean())
        # The data themselves are one more pattern, so that the p-value of a sample is never 0.
        return float((1 + reached.sum()) / (1 + len(reached)))

    def agree(self, low: float, high: float) -> tuple[float, float]:
        """Move the end of a 95 % interval that is closer to 0, so that it excludes 0 if and only if the test rejects 0.

        >>> from numpy import array
        >>> SignFlips.of(0.75, array([2 / 3, 2 / 3, 2 / 3, 1.0])).agree(0.1, 1.0)
        (0.0, 1.0)
        """
        if self.p_value() > 2 * TAIL:
            return min(low, 0.0), max(high, 0.0)
        # The p-value rises from the shift 0 to the observed difference, where it is 1. The new end is the smallest
        # shift away from 0 that the test does not reject.
        _, accepted = bisect(lambda shift: self.p_value(shift) <= 2 * TAIL, 0.0, self.observed, HALVINGS)
        return (max(low, accepted), high) if self.observed > 0 else (low, min(high, accepted))


@lru_cache(maxsize=4)
def _patterns(count: int, seed: int) -> Floats:
    """All patterns of signs, or a sample of them; one pattern in each row."""
    if count <= EXACT_UP_TO:
        return np.array(list(product((-1.0, 1.0), repeat=count)))
    return np.random.default_rng(seed).choice((-1.0, 1.0), size=(SAMPLED, count))
