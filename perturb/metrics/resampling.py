"""Seeded bootstrap: resample items, or whole clusters of items that share a base instance.

The mean of a column over a resample is a weighted mean, so nothing is copied: a resample is a row of weights and
all columns take part in one matrix product. Up to `EXACT_UNITS` units the weights are multinomial, the classic
bootstrap. Above, each unit gets an independent Poisson(1) weight (the Poisson bootstrap, the same in the limit of
many units), read from 16 random bits through a table, so that 10⁶ units times 1,000 resamples take seconds;
`bootstrap_means` visits the units in blocks, which bounds its memory. Efron and Tibshirani (1993); Chamandy et al.
(2012) for Poisson weights.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perturb.metrics.estimates import Estimate
from perturb.metrics.inputs import Floats, Integers, read_numbers, require_same_length

EXACT_UNITS = 10_000
CHUNK_CELLS = 4_000_000
BLOCK_ROWS = 4_096


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
    drawn = counts if codes is None else np.ones(int(codes.max()) + 1)
    size = max(1, CHUNK_CELLS // len(counts))
    for start in range(0, resamples, size):
        weights = _draw(rng, drawn, min(size, resamples - start))
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


def bootstrap(
    statistic: Callable[..., float | None],
    *columns: ArrayLike,
    clusters: ArrayLike | None = None,
    resamples: int = 1000,
    seed: int = 0,
) -> Floats:
    """Replicates of any statistic of whole columns; resamples where it is undefined (None) are left out.

    Slow but general: rows are copied for each resample. Means have `bootstrap_means`.

    >>> bootstrap(lambda x: float(np.median(x)), [1, 2, 3, 4, 5], resamples=3).shape
    (3,)
    """
    arrays = [np.asarray(column) for column in columns]
    n = len(arrays[0])
    codes = cluster_codes(clusters, n)
    codes = np.arange(n) if codes is None else codes
    order = np.argsort(codes, kind="stable")
    members = np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)
    rng = np.random.default_rng(seed)
    replicates = []
    for _ in range(resamples):
        rows = np.concatenate([members[i] for i in rng.integers(0, len(members), len(members))])
        value = statistic(*(array[rows] for array in arrays))
        if value is not None:
            replicates.append(value)
    return np.array(replicates, dtype=np.float64)


def interval(value: float, replicates: Floats, n: int, *, level: float = 0.95) -> Estimate:
    """The estimate with the percentile interval and the standard error of its replicates.

    >>> interval(0.5, np.linspace(0, 1, 101), n=10, level=0.9).low.__round__(9)
    0.05
    """
    if len(replicates) < 2:
        return Estimate(value, n=n, reason="the statistic is undefined in the bootstrap resamples")
    low, high = np.quantile(replicates, [(1 - level) / 2, (1 + level) / 2])
    return Estimate(value, float(low), float(high), float(replicates.std(ddof=1)), n)


def paired_difference(
    first: ArrayLike,
    second: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    resamples: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> Estimate:
    """Mean of `first` minus mean of `second` on the same items, with a paired bootstrap interval.

    Both columns hold one value per item, for example the BAS utilities of two models; positive favours the first.

    Raises ValueError when the columns differ in length.

    >>> paired_difference([1, 1, 0], [0, 0, 0]).value.__round__(2)
    0.67
    """
    a, b = read_numbers(first, "first"), read_numbers(second, "second")
    require_same_length(first=a, second=b)
    gaps = a - b
    replicates = bootstrap_means(gaps, clusters=clusters, resamples=resamples, seed=seed)[:, 0]
    return interval(float(gaps.mean()), replicates, len(gaps), level=level)


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
