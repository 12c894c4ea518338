"""A permutation test: is one maker's mean different, beyond what swapping the makers' names does?"""

from __future__ import annotations

import numpy as np

from perturb.audit.resamples import bundle
from perturb.metrics.inputs import Floats, Integers

CHUNK_CELLS = 4_000_000


def swap_p_value(
    gaps: Floats, makers: Integers, maker: int, clusters: Integers, permutations: int, seed: int
) -> float | None:
    """Two-sided p-value of the mean gap of `maker` less the mean gap of all others.

    Within each cluster the blocks of the makers change names at random, so that difficulty shared by a cluster, and
    the likeness of a block's candidates, stay as they are. Where each cluster has one maker, clusters are first bundled
    at random. None if there is no other maker.
    """
    if not ((makers == maker).any() and (makers != maker).any()) or permutations < 1:
        return None
    blocks = _Blocks(gaps, makers, clusters)
    if (blocks.present.sum(axis=1) < 2).all():
        count = len(np.unique(clusters))
        mixed = bundle(
            np.unique(clusters, return_inverse=True)[1], max(1, count // (4 * blocks.makers)), seed
        )
        blocks = _Blocks(gaps, makers, mixed)
    observed = blocks.difference(np.where(blocks.present[:, maker], maker, -1)[None, :])[0]
    rng = np.random.default_rng(seed)
    beyond = 0
    step = max(1, CHUNK_CELLS // len(blocks.present))
    for start in range(0, permutations, step):
        chosen = blocks.draw(maker, min(step, permutations - start), rng)
        beyond += int((np.abs(blocks.difference(chosen)) >= abs(observed) - 1e-12).sum())
    return (1 + beyond) / (1 + permutations)


class _Blocks:
    """Sums of gaps by cluster and maker."""

    def __init__(self, gaps: Floats, makers: Integers, clusters: Integers) -> None:
        self.makers = int(makers.max()) + 1
        cluster = np.unique(clusters, return_inverse=True)[1]
        key = cluster * self.makers + makers
        shape = (int(cluster.max()) + 1, self.makers)
        self.sums = np.bincount(key, weights=gaps, minlength=shape[0] * shape[1]).reshape(shape)
        self.counts = np.bincount(key, minlength=shape[0] * shape[1]).reshape(shape)
        self.present = self.counts > 0
        # the makers of each cluster stand first in its row of `order`
        self.order = np.argsort(~self.present, axis=1, kind="stable")

    def draw(self, maker: int, size: int, rng: np.random.Generator) -> Integers:
        """Whose block bears the maker's name in each cluster; −1 where the maker has none. Shape (size, clusters)."""
        among = self.present.sum(axis=1)
        place = (rng.random((size, len(among))) * among).astype(np.int64)
        drawn = self.order[np.arange(len(among)), place]
        return np.where(self.present[:, maker], drawn, -1)

    def difference(self, chosen: Integers) -> Floats:
        """Mean gap of the chosen blocks less that of all others."""
        clusters = np.arange(len(self.sums))
        taken = chosen >= 0
        own_sum = np.where(taken, self.sums[clusters, chosen], 0.0).sum(axis=1)
        own_count = np.where(taken, self.counts[clusters, chosen], 0).sum(axis=1)
        other_count = self.counts.sum() - own_count
        other = (self.sums.sum() - own_sum) / np.maximum(other_count, 1)
        return np.asarray(own_sum / np.maximum(own_count, 1) - other)
