"""Every metric of a set of replies with its bootstrap interval, in one go."""

from __future__ import annotations

import numpy as np

from perturb.audit.resamples import Resamples
from perturb.metrics.estimates import Estimate
from perturb.metrics.inputs import Floats, Integers
from perturb.metrics.outcomes import CELLS, ReplyCounts
from perturb.metrics.refusal_registry import REFUSAL_METRICS, measure

ONE_UNIT = "no interval: there is only one base instance, or item, to resample"


def estimate_metrics(cells: Integers, drawn: Resamples, *, raf: bool) -> dict[str, Estimate]:
    """Each registered metric of the replies, with standard error and 95 % interval.

    `cells` holds outcome and level of each reply (`reply_cells`), `drawn` the resamples of their units.
    """
    point, replicates = resampled_counts(cells, drawn, raf=raf)
    estimates = {}
    for name, metric in REFUSAL_METRICS.items():
        one = measure(name, point)
        if one.value is None:
            estimates[name] = one
        else:
            estimates[name] = with_interval(one.value, metric.compute(replicates), one.n, drawn)
    return estimates


def resampled_counts(cells: Integers, drawn: Resamples, *, raf: bool) -> tuple[ReplyCounts, ReplyCounts]:
    """The counts of the replies, and of each resample."""
    totals = drawn.totals(np.ones((len(cells), 1)), groups=cells, n_groups=CELLS)
    return (
        ReplyCounts.of_cells(totals.point[:, 0], raf=raf),
        ReplyCounts.of_cells(totals.replicates[:, :, 0], raf=raf),
    )


def with_interval(value: float, replicates: Floats, n: int, drawn: Resamples) -> Estimate:
    """A value with the interval of its replicates, or without one and why."""
    if not len(replicates):
        return Estimate(value, n=n, reason=ONE_UNIT)
    return drawn.estimate(value, replicates, n)
