"""Does a model do better on the items that it generated itself?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from perturb.audit.resamples import Resamples
from perturb.metrics.estimates import Estimate
from perturb.metrics.inputs import Floats
from perturb.metrics.outcomes import CELLS, ReplyCounts
from perturb.metrics.refusal_registry import REFUSAL_METRICS, RefusalMetric
from perturb.score.intervals import with_interval
from perturb.score.scores import Resampling
from perturb.score.table import ModelReplies

METRICS: tuple[str, ...] = ("answer_accuracy", "refusal_accuracy", "calibrated_refusal_score")
"""The metrics that are compared."""


@dataclass(frozen=True, slots=True)
class OwnItems:
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

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "model": self.model,
            "generator": self.generator,
            "metric": self.metric,
            "own": self.own,
            "others": self.others,
            "difference": self.difference.to_dict(),
            "beyond_peers": self.beyond_peers.to_dict(),
        }


def compare_own_items(
    models: Sequence[ModelReplies], resampling: Resampling, *, raf: bool
) -> tuple[OwnItems, ...]:
    """Every model that also generated items, on the items that all models replied to."""
    common = frozenset.intersection(*(frozenset(one.item_ids) for one in models))
    shared = [one.only(common) for one in models]
    if not common:
        return ()
    generators = shared[0].labels("generator")
    drawn = resampling.draw(shared[0].labels("base_id"))
    found: list[OwnItems] = []
    for place, one in enumerate(shared):
        for generator in sorted({name for name in generators if name and same_model(name, one.model)}):
            own = np.array([label == generator for label in generators])
            if own.all():
                continue
            splits = [_Split.of(model, own, drawn, raf=raf) for model in shared]
            found += [
                _own_items(REFUSAL_METRICS[name], place, one.model, generator, splits, drawn)
                for name in METRICS
            ]
    return tuple(found)


def same_model(generator: str, model: str) -> bool:
    """Whether two names mean one model: equal but for the provider in front.

    >>> same_model("openai/gpt-4o", "gpt-4o"), same_model("gpt-4o", "gpt-4.1")
    (True, False)
    """
    return generator.rsplit("/", maxsplit=1)[-1].casefold() == model.rsplit("/", maxsplit=1)[-1].casefold()


@dataclass(frozen=True, slots=True)
class _Split:
    """Counts on own items and on others, in the data and in each resample."""

    own: ReplyCounts
    others: ReplyCounts
    own_replicates: ReplyCounts
    others_replicates: ReplyCounts

    @classmethod
    def of(cls, replies: ModelReplies, own: Any, drawn: Resamples, *, raf: bool) -> _Split:
        groups = np.where(own, replies.cells, replies.cells + CELLS)
        totals = drawn.totals(np.ones((len(groups), 1)), groups=groups, n_groups=2 * CELLS)
        point, replicates = totals.point[:, 0], totals.replicates[:, :, 0]
        return cls(
            ReplyCounts.of_cells(point[:CELLS], raf=raf),
            ReplyCounts.of_cells(point[CELLS:], raf=raf),
            ReplyCounts.of_cells(replicates[:, :CELLS], raf=raf),
            ReplyCounts.of_cells(replicates[:, CELLS:], raf=raf),
        )

    def gaps(self, metric: RefusalMetric) -> tuple[Floats, Floats]:
        """Own minus others, in the data and in each resample."""
        return (
            np.asarray(metric.compute(self.own) - metric.compute(self.others)),
            np.asarray(metric.compute(self.own_replicates) - metric.compute(self.others_replicates)),
        )


def _own_items(
    metric: RefusalMetric,
    place: int,
    model: str,
    generator: str,
    splits: Sequence[_Split],
    drawn: Resamples,
) -> OwnItems:
    gaps = [split.gaps(metric) for split in splits]
    point, replicates = gaps[place]
    peers = [gap for number, gap in enumerate(gaps) if number != place]
    n = metric.n(splits[place].own) + metric.n(splits[place].others)
    if peers:
        beyond = _estimate(
            point - np.mean([gap[0] for gap in peers], axis=0),
            replicates - np.mean([gap[1] for gap in peers], axis=0),
            *("the metric is undefined on one side for some model", n, drawn),
        )
    else:
        beyond = Estimate.undefined("no other model replied to these items")
    values = [metric.compute(side) for side in (splits[place].own, splits[place].others)]
    own, others = (None if np.isnan(value) else float(value) for value in values)
    difference = _estimate(point, replicates, "the metric is undefined on one side", n, drawn)
    return OwnItems(model, generator, metric.name, own, others, difference, beyond)


def _estimate(value: Floats, replicates: Floats, reason: str, n: int, drawn: Resamples) -> Estimate:
    if np.isnan(value):
        return Estimate.undefined(reason, n)
    return with_interval(float(value), replicates, n, drawn)
