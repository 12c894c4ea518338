"""Every metric of a set of replies with its bootstrap interval, in one go."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from perturb.metrics.estimates import Estimate
from perturb.metrics.inputs import Flags, Floats, Integers, ratio
from perturb.metrics.intervals import Bounded, reported_estimate
from perturb.metrics.outcomes import CELLS, NO_LEVEL, ReplyCounts, ReplyOutcome
from perturb.metrics.refusal_registry import REFUSAL_METRICS, RefusalMetric, measure
from perturb.metrics.resampling import Resamples

_PLACES = {outcome: place for place, outcome in enumerate(ReplyOutcome)}


@dataclass(frozen=True)
class ResampledReplies:
    """The counts of a set of replies, in the data and in each resample of their base instances."""

    point: ReplyCounts
    replicates: ReplyCounts
    present: Flags
    """Which outcomes each base instance has, with and without a level: shape (clusters, 9, 6)."""
    drawn: Resamples

    @classmethod
    def of(cls, cells: Integers, drawn: Resamples, *, raf: bool) -> ResampledReplies:
        """`cells` holds outcome and level of each reply (`reply_cells`), `drawn` the resamples of their units."""
        totals = drawn.totals(np.ones((len(cells), 1)), groups=cells, n_groups=CELLS)
        present = np.zeros((drawn.count(), CELLS), dtype=np.bool_)
        present[drawn.clusters, cells] = True
        return cls(
            ReplyCounts.of_cells(totals.point[:, 0], raf=raf),
            ReplyCounts.of_cells(totals.replicates[:, :, 0], raf=raf),
            present.reshape(-1, len(ReplyOutcome), NO_LEVEL + 1),
            drawn,
        )

    def bounded(self, metric: RefusalMetric) -> Bounded | Estimate:
        """A metric with what its interval is made of, or without a value, and why."""
        one = measure(metric.name, self.point)
        if one.value is None:
            return one
        return self.drawn.bounded(
            one.value,
            metric.compute(self.replicates),
            one.n,
            clusters=self.clusters(metric),
            high=metric.maximum,
        )

    def clusters(self, metric: RefusalMetric) -> int:
        """Base instances with a reply that the metric rests on."""
        outcomes = [_PLACES[outcome] for outcome in metric.over]
        levels = slice(NO_LEVEL if metric.of_levels else None)
        return int(self.present[:, outcomes, levels].any(axis=(1, 2)).sum())


def estimate_metrics(cells: Integers, drawn: Resamples, *, raf: bool) -> dict[str, Estimate]:
    """Each registered metric of the replies, with standard error and 95 % interval."""
    replies = ResampledReplies.of(cells, drawn, raf=raf)
    return {name: reported_estimate(replies.bounded(metric)) for name, metric in REFUSAL_METRICS.items()}


def rate_of(hits: Floats, among: Floats, drawn: Resamples, reason: str) -> Estimate:
    """The share of hits among the flagged rows, with its interval; undefined, for `reason`, where none is flagged."""
    totals = drawn.totals(np.stack([hits * among, among], axis=1))
    n, sums = int(among.sum()), totals.replicates[:, 0]
    if not n:
        return Estimate.undefined(reason)
    shares = ratio(sums[:, 0], sums[:, 1])
    value = float(totals.point[0, 0] / n)
    return reported_estimate(drawn.bounded(value, shares, n, clusters=drawn.count(among > 0)))
