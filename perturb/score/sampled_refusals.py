"""P(Answering): how often a model answers a question when asked again and again, and how that goes with being right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from perturb.metrics import BASReport
from perturb.metrics.calibration import ReliabilityBin, auroc, reliability_bins
from perturb.metrics.estimates import Estimate
from perturb.metrics.inputs import Flags, Floats, ratio
from perturb.metrics.intervals import Bounded, reported_estimate
from perturb.metrics.resampling import bootstrap_means
from perturb.score.refusal_stability import METRICS
from perturb.score.refusal_table import RefusalGroup

if TYPE_CHECKING:
    from perturb.score.refusal_report import GroupResult, RefusalOptions

FEWEST_GROUPS = 3
"""Models and settings that a correlation needs; of two it is 1 or -1."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """P(Answering) as a confidence in the answer, against whether the answer (a forced one, if refused) is right."""

    auroc: Estimate
    ece: Estimate
    reliability: tuple[ReliabilityBin, ...]
    """Ten bins of equal width."""


@dataclass(frozen=True, slots=True)
class Correlation:
    """How a metric goes with the AUROC of P(Answering), over models and settings; the paper's figure 4."""

    metric: str
    pearson: float | None
    """In [-1, 1]; None where one of the two does not vary."""
    spearman: float | None
    n: int
    """Groups in which both are defined."""


def sampling_of(group: RefusalGroup, precision: RefusalOptions) -> Sampling | None:
    """What the samples of a group say; None where some row has none."""
    if not group.answering or len(group.answering) < len(group.refused):
        return None
    correct, chance = ~np.array(group.wrong), np.array(group.answering)
    return Sampling(
        auroc=_auroc(correct, chance, group, precision),
        ece=BASReport(
            correct, chance, clusters=group.clusters, resamples=precision.resamples, seed=precision.seed
        ).metrics["ece"],
        reliability=tuple(reliability_bins(correct, chance)),
    )


def _auroc(correct: Flags, chance: Floats, group: RefusalGroup, precision: RefusalOptions) -> Estimate:
    """With a bootstrap interval. Shares of few samples are few numbers, so resamples are counts of each number."""
    found = auroc(correct, chance)
    if found.value is None:
        return found
    levels, place = np.unique(chance, return_inverse=True)
    at_level = np.eye(len(levels))[place]
    columns = np.hstack([at_level * correct[:, None], at_level * ~correct[:, None]])
    means = bootstrap_means(
        columns, clusters=group.clusters, resamples=precision.resamples, seed=precision.seed
    )
    right, wrong = np.maximum(np.hsplit(means, 2), 0)
    pairs = right.sum(axis=1) * wrong.sum(axis=1)
    below = np.cumsum(wrong, axis=1) - wrong / 2
    replicates = ratio((right * below).sum(axis=1), pairs)
    fewer = int(min(correct.sum(), (~correct).sum()))
    some = len(set(group.bases)) if group.clusters else len(correct)
    return reported_estimate(Bounded.of(found.value, replicates, found.n, clusters=min(some, fewer)))


def auroc_correlations(groups: Sequence[GroupResult]) -> tuple[Correlation, ...]:
    """Each metric against the AUROC; none where fewer than `FEWEST_GROUPS` groups have one."""
    values = [(one.metrics, one.sampling.auroc.value) for one in groups if one.sampling]
    known = [(metrics, value) for metrics, value in values if value is not None]
    if len(known) < FEWEST_GROUPS:
        return ()
    return tuple(_correlation(name, known) for name in METRICS)


def _correlation(name: str, known: Sequence[tuple[Mapping[str, Estimate], float]]) -> Correlation:
    from scipy.stats import rankdata

    pairs = [(one, aurocs) for metrics, aurocs in known if (one := metrics[name].value) is not None]
    columns = np.array(pairs, dtype=np.float64).reshape(-1, 2).T
    if len(pairs) < FEWEST_GROUPS or np.any(np.ptp(columns, axis=1) == 0):
        return Correlation(name, None, None, len(pairs))
    pearson, spearman = (float(np.corrcoef(*one)[0, 1]) for one in (columns, rankdata(columns, axis=1)))
    return Correlation(name, pearson, spearman, len(pairs))
