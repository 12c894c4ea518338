"""Does a model do better on the items that it generated itself?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from perturb.metrics.estimates import Estimate
from perturb.metrics.inputs import Flags
from perturb.metrics.intervals import Bounded, reported_estimate, weighted_sum
from perturb.metrics.refusal_registry import REFUSAL_METRICS, RefusalMetric
from perturb.metrics.resampling import Resamples
from perturb.score.metric_intervals import ResampledReplies
from perturb.score.model_scores import Resampling
from perturb.score.table import ModelReplies

METRICS: tuple[str, ...] = ("answer_accuracy", "refusal_accuracy", "calibrated_refusal_score")
"""The metrics that are compared."""


@dataclass(frozen=True, slots=True)
class SelfGeneratedComparison:
    """One metric of a model on its own items and on those of other generators."""

    model: str
    generator: str
    """The generator that is this model."""
    metric: str
    own: float | None
    others: float | None
    difference: Estimate
    """Own minus others: part of it may be that this generator's items are easier for every model."""
    beyond_peers: Estimate
    """The same minus the mean difference of the other models on the same items: what is left is the model's own."""


def compare_self_generated(
    models: Sequence[ModelReplies], resampling: Resampling, *, raf: bool
) -> tuple[SelfGeneratedComparison, ...]:
    """Every model that also generated items, on the items that all models replied to."""
    common = frozenset.intersection(*(frozenset(one.item_ids) for one in models))
    shared = [one.only(common) for one in models]
    if not common:
        return ()
    generators = shared[0].labels("generator")
    drawn = resampling.draw(shared[0].labels("base_id"))
    found: list[SelfGeneratedComparison] = []
    for place, one in enumerate(shared):
        for generator in sorted({name for name in generators if name and same_model(name, one.model)}):
            own = np.array([label == generator for label in generators])
            if own.all():
                continue
            sides = [
                _sides(model, own, drawn, raf=raf) for model in (one, *shared[:place], *shared[place + 1 :])
            ]
            found += [_own_items(REFUSAL_METRICS[name], one.model, generator, sides) for name in METRICS]
    return tuple(found)


def same_model(generator: str, model: str) -> bool:
    """Whether two names mean one model: equal but for the provider in front.

    >>> same_model("openai/gpt-4o", "gpt-4o"), same_model("gpt-4o", "gpt-4.1")
    (True, False)
    """
    return generator.rsplit("/", maxsplit=1)[-1].casefold() == model.rsplit("/", maxsplit=1)[-1].casefold()


_Sides = tuple[ResampledReplies, ResampledReplies]
"""Replies to own items and to those of others."""


def _sides(replies: ModelReplies, own: Flags, drawn: Resamples, *, raf: bool) -> _Sides:
    places = np.flatnonzero(own), np.flatnonzero(~own)
    first, second = (ResampledReplies.of(replies.cells[rows], drawn.only(rows), raf=raf) for rows in places)
    return first, second


def _own_items(
    metric: RefusalMetric, model: str, generator: str, sides: Sequence[_Sides]
) -> SelfGeneratedComparison:
    """`sides` of the model first, then those of its peers."""
    parts = [one.bounded(metric) for pair in sides for one in pair]
    n, peers = sum(metric.n(one.point) for one in sides[0]), len(sides) - 1
    difference = _add_up(parts[:2], [1.0, -1.0], n, "the metric is undefined on one side")
    if peers:
        weights = [1.0, -1.0, *[-1 / peers, 1 / peers] * peers]
        beyond = _add_up(parts, weights, n, "the metric is undefined on one side for some model")
    else:
        beyond = Estimate.undefined("no other model replied to these items")
    return SelfGeneratedComparison(
        model, generator, metric.name, parts[0].value, parts[1].value, difference, beyond
    )


def _add_up(parts: Sequence[Bounded | Estimate], weights: Sequence[float], n: int, reason: str) -> Estimate:
    if any(part.value is None for part in parts):
        return Estimate.undefined(reason, n)
    return reported_estimate(weighted_sum(parts, weights, n))
