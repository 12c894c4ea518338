"""Two models on the same items: differences with paired intervals, and p-values corrected for many pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from perturb.metrics.estimates import Estimate, plain
from perturb.metrics.intervals import Bounded, WeightedSum, reported_estimate, weighted_sum
from perturb.metrics.refusal_registry import REFUSAL_METRICS, RefusalMetric
from perturb.score.metric_intervals import ResampledReplies
from perturb.score.model_scores import Resampling
from perturb.score.table import ModelReplies


@dataclass(frozen=True, slots=True)
class ModelComparison:
    """One metric of model `a` minus that of model `b`, on the items that both replied to."""

    metric: str
    a: str
    b: str
    difference: Estimate
    p_value: float | None
    """Two-sided: the level at which the interval of the difference ends at 0; None if there is no interval."""
    p_holm: float | None = None
    """The same after Holm's correction over all pairs of models, metric by metric."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        gap = self.difference.to_dict()
        return plain(self) | {"difference": gap.pop("value")} | gap


def compare_models(
    models: Sequence[ModelReplies], resampling: Resampling, *, raf: bool
) -> tuple[ModelComparison, ...]:
    """Every pair of models in every metric, metric by metric in the order of the registry."""
    found: dict[str, list[ModelComparison]] = {name: [] for name in REFUSAL_METRICS}
    for a, b in combinations(models, 2):
        for one in _compare(a, b, resampling, raf=raf):
            found[one.metric].append(one)
    corrected = []
    for comparisons in found.values():
        p_values = holm([one.p_value for one in comparisons])
        corrected += [replace(one, p_holm=p) for one, p in zip(comparisons, p_values, strict=True)]
    return tuple(corrected)


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


def _compare(a: ModelReplies, b: ModelReplies, resampling: Resampling, *, raf: bool) -> list[ModelComparison]:
    common = frozenset(a.item_ids) & frozenset(b.item_ids)
    if not common:
        nothing = Estimate.undefined("the two models share no item")
        return [ModelComparison(name, a.model, b.model, nothing, None) for name in REFUSAL_METRICS]
    a, b = a.only(common), b.only(common)
    drawn = resampling.draw(a.labels("base_id"))
    of_a, of_b = (ResampledReplies.of(one.cells, drawn, raf=raf) for one in (a, b))
    return [
        _compare_metric(metric, (a.model, of_a.bounded(metric)), (b.model, of_b.bounded(metric)), len(common))
        for metric in REFUSAL_METRICS.values()
    ]


def _compare_metric(
    metric: RefusalMetric, a: tuple[str, Bounded | Estimate], b: tuple[str, Bounded | Estimate], n: int
) -> ModelComparison:
    for model, one in (a, b):
        if one.value is None:
            nothing = Estimate.undefined(f"{model}: {reported_estimate(one).reason}")
            return ModelComparison(metric.name, a[0], b[0], nothing, None)
    gap = weighted_sum([a[1], b[1]], [1.0, -1.0], n)
    return ModelComparison(
        metric.name,
        a[0],
        b[0],
        reported_estimate(gap),
        gap.p_value() if isinstance(gap, WeightedSum) else None,
    )
