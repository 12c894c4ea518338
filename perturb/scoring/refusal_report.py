"""The report on a table of refusals and errors: Refusal Index, companions, copulas, stability, ranking, P(Answering).

P(Answering) is the share of sampled replies to a question that are answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from perturb.metrics import BASReport
from perturb.metrics.calibration import ReliabilityBin, auroc, reliability_bins
from perturb.metrics.index_companions import CopulaComparison, compare_copulas, gaussian_win_rates
from perturb.metrics.inputs import Estimate, Flags, Floats, plain, plain_value, ratio
from perturb.metrics.intervals import Bounded, reported_estimate
from perturb.metrics.ranking import subset_size_cv
from perturb.metrics.refusal_index import IntervalMethod, RefusalIndex, questions_for_cv, refusal_index
from perturb.metrics.resampling import bootstrap_means
from perturb.scoring.datasets import DatasetMean, dataset_means
from perturb.scoring.refusal_table import (
    METRICS,
    MeasuredGroup,
    PromptAgreement,
    RankingStability,
    RefusalGroup,
    Stability,
    prompt_agreement,
    ranking_stability,
    read_refusals,
    setting_stability,
)

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
    """The correlation of a metric with the AUROC of P(Answering), over models and settings (the paper's figure 4)."""

    metric: str
    pearson: float | None
    """In [-1, 1]; None where one of the two does not vary."""
    spearman: float | None
    n: int
    """Groups in which both are defined."""


def sampling_of(group: RefusalGroup, precision: RefusalOptions) -> Sampling | None:
    """P(Answering) of a group; None if a row has no samples."""
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
    estimate = auroc(correct, chance)
    if estimate.value is None:
        return estimate
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
    return reported_estimate(Bounded.of(estimate.value, replicates, estimate.n, clusters=min(some, fewer)))


def auroc_correlations(groups: Sequence[GroupResult]) -> tuple[Correlation, ...]:
    """Each metric against the AUROC; none where fewer than `FEWEST_GROUPS` groups have one."""
    values = [(group.metrics, group.sampling.auroc.value) for group in groups if group.sampling]
    defined = [(metrics, value) for metrics, value in values if value is not None]
    if len(defined) < FEWEST_GROUPS:
        return ()
    return tuple(_correlation(name, defined) for name in METRICS)


def _correlation(name: str, measured: Sequence[tuple[Mapping[str, Estimate], float]]) -> Correlation:
    from scipy.stats import rankdata

    pairs = [(metric, aurocs) for metrics, aurocs in measured if (metric := metrics[name].value) is not None]
    columns = np.array(pairs, dtype=np.float64).reshape(-1, 2).T
    if len(pairs) < FEWEST_GROUPS or np.any(np.ptp(columns, axis=1) == 0):
        return Correlation(name, None, None, len(pairs))
    pearson, spearman = (float(np.corrcoef(*pair)[0, 1]) for pair in (columns, rankdata(columns, axis=1)))
    return Correlation(name, pearson, spearman, len(pairs))


SUBSET_SIZES: tuple[int, ...] = (50, 100, 200, 500, 1000, 2000)


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusalOptions:
    """How intervals are made, and what precision is asked for."""

    interval_by: IntervalMethod | None = None
    """For the index: the delta method, or the bootstrap where questions share a base; None chooses so."""
    resamples: int = 1000
    """Behind the intervals of the companions, and of the index under the bootstrap."""
    seed: int = 0
    cv: float = 0.1
    """The coefficient of variation that a sample size is given for."""


@dataclass(frozen=True)
class GroupResult(MeasuredGroup):
    """One model under one setting on one data set."""

    index: RefusalIndex | None
    """None where every row is unscored."""
    copulas: CopulaComparison
    questions_needed: Estimate
    """Questions at which the index would have the wanted coefficient of variation."""
    subset_cv: Mapping[str, Mapping[int, Estimate]]
    """Coefficient of variation of each of `METRICS` over random subsets, by their size."""
    sampling: Sampling | None = None
    """Of tables with P(Answering)."""

    @property
    def setting(self) -> str | None:
        """The way of asking."""
        return self.way

    def to_dict(self) -> dict[str, Any]:
        """The object of `perturb refusal-index --json`."""
        subsets = {
            metric: {str(size): estimate.to_dict() for size, estimate in by_size.items()}
            for metric, by_size in self.subset_cv.items()
        }
        index = (
            self.index.to_dict() if self.index else {"refusal_index": None, "reason": ALL_UNSCORED, "n": 0}
        )
        return {
            **self.labels("setting"),
            **index,
            "unscored": self.unscored,
            "intervals": {
                name: estimate.to_dict() for name, estimate in self.metrics.items() if name != "refusal_index"
            },
            "copulas": asdict(self.copulas),
            "questions_needed": self.questions_needed.to_dict(),
            "subset_cv": subsets.get("refusal_index", {}),
            "subset_cv_by_metric": subsets,
            **({"p_answering": plain(self.sampling)} if self.sampling else {}),
        }


ALL_UNSCORED = "every row is unscored"


@dataclass(frozen=True, slots=True)
class RefusalReport:
    """The whole report on a table."""

    source: str
    precision: RefusalOptions
    groups: tuple[GroupResult, ...]
    stability: tuple[Stability, ...]
    ranking: tuple[RankingStability, ...]
    agreement: tuple[PromptAgreement, ...]
    """Between the prompts of each model."""
    means: tuple[DatasetMean, ...]
    """Means over the data sets, if there are several."""
    correlations: tuple[Correlation, ...]
    """Of each metric with the AUROC of P(Answering)."""
    win_rates: Mapping[str, Mapping[str, float]]
    """Share of groups on which the Gaussian copula beats each rival; ties count one half."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values: the object of the one group, or a list of them with what is said across groups."""
        if len(self.groups) == 1:
            return self.groups[0].to_dict()
        return {
            "source": self.source,
            "results": [group.to_dict() for group in self.groups],
            "stability": [asdict(row) for row in self.stability],
            "ranking": [asdict(row) for row in self.ranking],
            "agreement": plain_value(self.agreement),
            "auroc_correlations": plain_value(self.correlations),
            "copula_win_rates": plain_value(self.win_rates),
            "means": [mean.to_dict("setting") for mean in self.means],
        }


def report_refusals(
    sources: Sequence[Path],
    precision: RefusalOptions | None = None,
    columns: Mapping[str, str] | None = None,
) -> RefusalReport:
    """Read tables and compute everything; asks no model. `columns` as in `read_refusals`.

    Raises `SourceError` for a table that cannot be used.
    """
    chosen = precision or RefusalOptions()
    tables = read_refusals(sources, columns)
    groups = tuple(_group_result(group, chosen) for group in tables)
    return RefusalReport(
        source=", ".join(map(str, sources)),
        precision=chosen,
        groups=groups,
        stability=setting_stability(groups),
        ranking=ranking_stability(groups),
        agreement=prompt_agreement(tables, resamples=chosen.resamples, seed=chosen.seed),
        means=dataset_means((group, group.metrics) for group in groups),
        correlations=auroc_correlations(groups),
        win_rates=gaussian_win_rates([group.copulas for group in groups]),
    )


def _group_result(group: RefusalGroup, precision: RefusalOptions) -> GroupResult:
    if not group.refused:
        nothing, undefined = CopulaComparison((), (), ALL_UNSCORED), Estimate.undefined(ALL_UNSCORED)
        scores = dict.fromkeys(METRICS, undefined)
        return GroupResult(
            group.model,
            group.way,
            dataset=group.dataset,
            unscored=group.unscored,
            index=None,
            metrics=scores,
            copulas=nothing,
            questions_needed=undefined,
            subset_cv={},
        )
    clusters = group.clusters
    index = refusal_index(
        group.refused,
        group.wrong,
        clusters=clusters,
        interval_by=precision.interval_by,
        resamples=precision.resamples,
        seed=precision.seed,
    )
    sizes = [size for size in SUBSET_SIZES if size < index.n]
    return GroupResult(
        group.model,
        group.way,
        dataset=group.dataset,
        unscored=group.unscored,
        index=index,
        metrics=_metrics(group, index, precision),
        copulas=compare_copulas(index.n11, index.n10, index.n01, index.n00),
        questions_needed=questions_for_cv(index, precision.cv),
        subset_cv={
            metric: subset_size_cv(
                group.refused,
                group.wrong,
                sizes,
                statistic=None if metric == "refusal_index" else partial(_companion, metric=metric),
                seed=precision.seed,
            )
            for metric in METRICS
        },
        sampling=sampling_of(group, precision),
    )


def _metrics(group: RefusalGroup, index: RefusalIndex, precision: RefusalOptions) -> dict[str, Estimate]:
    rates = np.array([[index.correct_rate], [index.refusal_rate]])
    values, replicates = _replicates(*rates), _replicates(*_resampled_rates(group, precision))
    clusters = index.n if group.clusters is None else len(set(group.bases))
    answered = index.n00 + index.n01

    def estimate(name: str, value: float) -> Estimate:
        if np.isnan(value):
            return Estimate.undefined("every question was refused", index.n)
        # c - p (1 - r) runs from -p (all answered, all wrong) to 1 - p (all answered, all right).
        penalty = {"weighted p=0.2": 0.2, "weighted p=1": 1.0}.get(name, 0.0)
        trials = answered if name == "c_over_a" else index.n
        some = min(clusters, trials)
        return reported_estimate(
            Bounded.of(
                value, replicates[name], index.n, clusters=some, low=-penalty, high=1 - penalty, trials=trials
            )
        )

    metrics = {name: estimate(name, float(value[0])) for name, value in values.items()}
    ends = (index.refusal_index, index.low, index.high)
    return {**metrics, "refusal_index": Estimate(*ends, index.se, index.n, index.reason)}


def _resampled_rates(group: RefusalGroup, precision: RefusalOptions) -> tuple[Floats, Floats]:
    if group.clusters is None:  # to resample questions is to draw multinomial tables
        n = len(group.refused)
        rng = np.random.default_rng(precision.seed)
        n11, n10, _, n00 = rng.multinomial(n, group.cells.sum(axis=0) / n, size=precision.resamples).T
        return n00 / n, (n11 + n10) / n
    columns = np.column_stack([group.cells[:, 3], group.refused])
    correct_rates, refusal_rates = bootstrap_means(
        columns, clusters=group.clusters, resamples=precision.resamples, seed=precision.seed
    ).T
    return correct_rates, refusal_rates


def _companion(tables: Floats, metric: str) -> Floats:
    """One of the companions, as a function of tables of counts."""
    shares = tables / tables.sum(axis=1, keepdims=True)
    return _replicates(shares[:, 3], shares[:, 0] + shares[:, 1])[metric]


def _replicates(c: Floats, r: Floats) -> dict[str, Floats]:
    """The companions on every resample, from its correct-answer and refusal rates."""
    return {
        "correct_rate": c,
        "refusal_rate": r,
        "c_over_a": ratio(c, 1 - r),
        "f_score": 2 * c / (2 - r),
        "weighted p=0.2": c - 0.2 * (1 - r),
        "weighted p=1": c - (1 - r),
    }
