"""The one bootstrap, and a paired test of two models that flips signs.

What was made from one base instance is not independent, so whole base instances are drawn. A statistic that is a
function of sums is computed for all resamples at once: sums for each base instance, times how often each was drawn.
`perturb.metrics.intervals` makes intervals of these replicates. The mean of a column over a resample is a weighted
mean, so nothing is copied: a resample is a row of weights, and all columns take part in one matrix product. Up to
`EXACT_UNITS` units the weights are multinomial, as in the classic bootstrap. Above, each unit gets an independent
Poisson(1) weight, which is the same in the limit of many units. The weights are read from 16 random bits through a
table, so that 10⁶ units times 1,000 resamples take seconds.

The paired test keeps its power near the ceiling. If two models are equally good, it is chance which of them did better
on a base instance. So the sign of each base instance's contribution to the difference may be flipped, and a difference
is surprising if few patterns of signs make one as large. The test needs no variance, which resamples cannot show if
nearly every reply is right.

References: Efron and Tibshirani (1993); Chamandy et al. (2012) for Poisson weights; Fisher (1935) for the test; Efron
(1982) for contributions by the jackknife.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perturb.errors import ConfigError
from perturb.metrics.inputs import Estimate, Flags, Floats, Integers
from perturb.metrics.intervals import Bounded

EXACT_UNITS = 10_000
CHUNK_CELLS = 4_000_000
BLOCK_ROWS = 4_096


def check_resampling(resamples: int, seed: int) -> None:
    """Raise `ConfigError` for fewer than one resample or a negative seed."""
    if resamples < 1 or seed < 0:
        raise ConfigError(
            f"resamples is {resamples} and seed {seed}: give at least 1 resample and a seed from 0 up"
        )


def cluster_codes(clusters: ArrayLike | None, n: int) -> Integers | None:
    """Number the clusters 0, 1, … from any labels; None stays None: each row is its own cluster.

    Raises ValueError when there is not one label per row.

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
    """How often each unit is drawn, in chunks of shape (some resamples, units).

    `counts` says how many identical items each unit stands for; their sum is the size of a resample. Large sets
    of units get Poisson weights, for which every count must be 1. With `codes`, from `cluster_codes`, clusters are
    drawn and each unit gets the weight of its cluster.

    >>> weights = np.concatenate(list(resampled_weights(np.array([3.0, 1.0]), 5, seed=0)))
    >>> weights.shape, weights.sum(axis=1).tolist()
    ((5, 2), [4.0, 4.0, 4.0, 4.0, 4.0])
    """
    rng = np.random.default_rng(seed)
    unit_counts = counts if codes is None else np.ones(int(codes.max()) + 1)
    size = max(1, CHUNK_CELLS // len(counts))
    for start in range(0, resamples, size):
        weights = _draw(rng, unit_counts, min(size, resamples - start))
        yield weights if codes is None else weights[:, codes]


def bootstrap_means(
    columns: ArrayLike, *, clusters: ArrayLike | None = None, resamples: int = 1000, seed: int = 0
) -> Floats:
    """Means of each column over each resample, shape (resamples, columns).

    `columns` has shape (rows,) or (rows, columns). With `clusters` whole clusters are drawn, and a mean is the sum
    over the drawn clusters divided by their rows. The columns share their resamples, so differences between
    them are paired.

    >>> means = bootstrap_means([0.0, 1.0, 1.0, 1.0], resamples=2000)
    >>> means.shape, bool((means >= 0).all() and (means <= 1).all())
    ((2000, 1), True)
    """
    table = np.asarray(columns, dtype=np.float64)
    table = table[:, None] if table.ndim == 1 else table
    centre = table.mean(axis=0)
    codes = cluster_codes(clusters, len(table))
    # centred, so that single precision in the products costs nothing that shows
    units = np.column_stack([table - centre, np.ones(len(table))])
    if codes is not None:
        units = np.column_stack([np.bincount(codes, weights=column) for column in units.T])
    if len(units) <= EXACT_UNITS:
        chunks = resampled_weights(np.ones(len(units)), resamples, seed)
        sums = np.concatenate([chunk @ units for chunk in chunks])
    else:
        sums = _poisson_sums(units, resamples, seed)
    return np.asarray(centre + sums[:, :-1] / sums[:, -1:])


MAX_CLUSTERS = 10_000
"""More base instances are bundled at random into this number, which bounds time and memory; intervals stay right."""
MAX_LEFT_OUT = 500
"""The same limit for resamples that leave out each base instance in turn."""


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over rows, in the data and in each resample."""

    point: Floats
    """Shape (…)."""
    replicates: Floats
    """Shape (resamples, …)."""


@dataclass(frozen=True, slots=True)
class Resamples:
    """Which base instances each resample holds, and how often."""

    clusters: Integers
    """Number of the cluster of each row."""
    weights: Floats
    """Shape (resamples, clusters); no resamples if there are fewer than two clusters."""

    @classmethod
    def draw(cls, base: Integers, resamples: int, seed: int) -> Resamples:
        """Draw the resamples; `base` numbers the base instance of each row."""
        clusters = bundle(np.unique(base, return_inverse=True)[1], MAX_CLUSTERS, seed)
        count = int(clusters.max()) + 1 if len(clusters) else 0
        if count < 2:
            return cls(clusters, np.ones((0, count)))
        chunks = [chunk.astype(np.float64) for chunk in resampled_weights(np.ones(count), resamples, seed)]
        return cls(clusters, np.concatenate(chunks))

    def part(self, rows: Integers) -> Resamples:
        """The same resamples, as far as they concern some of the rows."""
        clusters, codes = np.unique(self.clusters[rows], return_inverse=True)
        weights = self.weights[:, clusters] if len(clusters) > 1 else np.ones((0, len(clusters)))
        return Resamples(codes, weights)

    def without_each(self, seed: int = 0) -> Resamples:
        """As many resamples as there are clusters, each without one; many clusters are bundled before."""
        clusters = bundle(self.clusters, MAX_LEFT_OUT, seed)
        count = int(clusters.max()) + 1 if len(clusters) else 0
        return Resamples(clusters, np.ones((count, count)) - np.eye(count))

    def only(self, rows: Integers) -> Resamples:
        """The same resamples and clusters for some of the rows."""
        return Resamples(self.clusters[rows], self.weights)

    def count(self, rows: Flags | None = None) -> int:
        """How many clusters have one of the rows that a mask picks, or any row."""
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

        `rows` picks the rows that `values` and `groups` speak of; all by default.
        """
        clusters = self.clusters if rows is None else self.clusters[rows]
        keys = clusters * n_groups + (0 if groups is None else groups)
        count, columns = self.weights.shape[1], values.shape[1]
        units = np.stack(
            [np.bincount(keys, weights=column, minlength=count * n_groups) for column in values.T], axis=1
        ).reshape(count, n_groups * columns)
        shape = (n_groups, columns)
        return Totals(units.sum(axis=0).reshape(shape), (self.weights @ units).reshape(-1, *shape))

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
        """A value with its replicates, as `Bounded.of` takes them; NaN means undefined, for the `reason` given."""
        if np.isnan(value):
            return Estimate.undefined(reason or "there is nothing to compute it from", n)
        count = self.count() if clusters is None else clusters
        return Bounded.of(value, replicates, n, clusters=count, low=low, high=high, trials=trials)


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


def _draw(rng: np.random.Generator, counts: Floats, resamples: int) -> NDArray[np.float32]:
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
    """Poisson(1) quantiles of the 65,536 midpoints of 16-bit numbers: mean and variance are 1 to 1e-4."""
    up_to_twelve = np.cumsum(np.exp(-1.0) / np.cumprod([1, *range(1, 13)]))
    return np.searchsorted(up_to_twelve, (np.arange(2**16) + 0.5) / 2**16).astype(np.float32)


def _poisson_weights(rng: np.random.Generator, shape: tuple[int, int]) -> NDArray[np.float32]:
    cells = shape[0] * shape[1]
    # four 16-bit numbers from each 64-bit one: three times as fast as drawing them singly
    words = rng.integers(0, 2**64, size=-(-cells // 4), dtype=np.uint64).view(np.uint16)
    return _poisson_table()[words[:cells].reshape(shape)]


EXACT_UP_TO = 12
"""Up to this number of base instances all patterns of signs are tried (4,096)."""
SAMPLED = 9_999
"""The number of patterns that are drawn if there are more base instances."""
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
        rejected, accepted = 0.0, self.observed
        for _ in range(HALVINGS):
            middle = (rejected + accepted) / 2
            if self.p_value(middle) <= level:
                rejected = middle
            else:
                accepted = middle
        return accepted


@lru_cache(maxsize=4)
def _patterns(count: int, seed: int) -> Floats:
    """Patterns of signs, one a row: all of them, or a sample."""
    if count <= EXACT_UP_TO:
        return np.array(list(product((-1.0, 1.0), repeat=count)))
    return np.random.default_rng(seed).choice((-1.0, 1.0), size=(SAMPLED, count))
