"""Two models on the same items: differences with paired intervals, and p-values corrected for many pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from perturb.digests import seed_of
from perturb.metrics.estimates import Estimate
from perturb.metrics.inputs import Floats
from perturb.metrics.outcomes import CELLS, ReplyCounts
from perturb.metrics.refusal_registry import REFUSAL_METRICS, RefusalMetric
from perturb.score.intervals import resampled_counts, with_interval
from perturb.score.scores import Resampling
from perturb.score.table import ModelReplies


@dataclass(frozen=True, slots=True)
class Comparison:
    """One metric of model `a` minus that of model `b`, on the items that both replied to."""

    metric: str
    a: str
    b: str
    difference: Estimate
    p_value: float | None
    """Two-sided, by swapping the two models within base instances (or items) at random; None if undefined."""
    p_holm: float | None = None
    """The same after Holm's correction over all pairs of models, metric by metric."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "metric": self.metric,
            "a": self.a,
            "b": self.b,
            "difference": self.difference.value,
            "low": self.difference.low,
            "high": self.difference.high,
            "se": self.difference.se,
            "n": self.difference.n,
            "p_value": self.p_value,
            "p_holm": self.p_holm,
            "reason": self.difference.reason,
        }


def compare_models(
    models: Sequence[ModelReplies], resampling: Resampling, *, raf: bool
) -> tuple[Comparison, ...]:
    """Every pair of models in every metric, metric by metric in the order of the registry."""
    found: dict[str, list[Comparison]] = {name: [] for name in REFUSAL_METRICS}
    for a, b in combinations(models, 2):
        for one in _compare(a, b, resampling, raf=raf):
            found[one.metric].append(one)
    return tuple(one for comparisons in found.values() for one in _corrected(comparisons))


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down correction; None stays None and does not count.

    Formula: the k-th smallest of m p-values is multiplied by m - k + 1, then made no smaller than those before it and
    at most 1. It keeps the chance of any false finding in the family below the level.

    Reference: Holm (1979), Scandinavian Journal of Statistics 6.

    >>> holm([0.01, 0.04, None, 0.03])
    [0.03, 0.06, None, 0.06]
    """
    corrected: list[float | None] = [None] * len(p_values)
    known = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    largest = 0.0
    for rank, (p, place) in enumerate(known):
        largest = max(largest, min(1.0, p * (len(known) - rank)))
        corrected[place] = largest
    return corrected


def _corrected(comparisons: list[Comparison]) -> list[Comparison]:
    p_values = holm([one.p_value for one in comparisons])
    return [replace(one, p_holm=p) for one, p in zip(comparisons, p_values, strict=True)]


def _compare(a: ModelReplies, b: ModelReplies, resampling: Resampling, *, raf: bool) -> list[Comparison]:
    common = frozenset(a.item_ids) & frozenset(b.item_ids)
    if not common:
        nothing = Estimate.undefined("the two models share no item")
        return [Comparison(name, a.model, b.model, nothing, None) for name in REFUSAL_METRICS]
    a, b = a.only(common), b.only(common)
    drawn = resampling.draw(a.labels("base_id"))
    point_a, replicates_a = resampled_counts(a.cells, drawn, raf=raf)
    point_b, replicates_b = resampled_counts(b.cells, drawn, raf=raf)
    swapped_a, swapped_b = (
        ReplyCounts.of_cells(counts, raf=raf) for counts in _swapped(a, b, drawn.clusters, resampling)
    )
    comparisons = []
    for name, metric in REFUSAL_METRICS.items():
        gap = _gap(metric, point_a, point_b)
        if np.isnan(gap):
            difference, p = Estimate.undefined(_reason(metric, a.model, point_a, b.model, point_b)), None
        else:
            replicates = _gap(metric, replicates_a, replicates_b)
            difference = with_interval(float(gap), replicates, len(common), drawn)
            p = _p_value(float(gap), _gap(metric, swapped_a, swapped_b))
        comparisons.append(Comparison(name, a.model, b.model, difference, p))
    return comparisons


def _gap(metric: RefusalMetric, a: ReplyCounts, b: ReplyCounts) -> Floats:
    return np.asarray(metric.compute(a) - metric.compute(b))


def _reason(metric: RefusalMetric, a: str, of_a: ReplyCounts, b: str, of_b: ReplyCounts) -> str:
    name, counts = (a, of_a) if np.isnan(metric.compute(of_a)) else (b, of_b)
    return f"{name}: {metric.why_undefined(counts)}"


def _swapped(a: ModelReplies, b: ModelReplies, units: Any, resampling: Resampling) -> tuple[Floats, Floats]:
    """Counts of both models after their replies changed places in a random half of the units, per permutation."""
    n = int(units.max()) + 1
    per_unit = [
        np.bincount(units * CELLS + one.cells, minlength=n * CELLS).reshape(n, CELLS).astype(np.float64)
        for one in (a, b)
    ]
    rng = np.random.default_rng(seed_of("swap", resampling.seed))
    swap = rng.integers(0, 2, size=(resampling.resamples, n)).astype(np.float64)
    moved = swap @ (per_unit[1] - per_unit[0])
    return per_unit[0].sum(axis=0) + moved, per_unit[1].sum(axis=0) - moved


def _p_value(gap: float, permuted: Floats) -> float:
    """The share of permutations with as large a gap, the data themselves among them; undefined ones left out."""
    defined = np.abs(permuted[~np.isnan(permuted)])
    as_large = int((defined >= abs(gap) - 1e-12).sum())
    return (1 + as_large) / (1 + len(defined))
