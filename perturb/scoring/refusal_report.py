"""The report on a table of refusals and errors: Refusal Index, companions, copulas, stability and ranking.

If questions were asked several times, it also measures P(Answering), the share of the replies to a question that are
answers, as a confidence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np

from perturb.metrics import BASReport
from perturb.metrics.calibration import ReliabilityBin, auroc, reliability_bins
from perturb.metrics.index_companions import CopulaComparison, compare_copulas, gaussian_win_rates
from perturb.metrics.inputs import Estimate, Flags, Floats, NamedEstimates, plain, plain_value, ratio
from perturb.metrics.intervals import Bounded, reported_estimate
from perturb.metrics.ranking import subset_size_cv
from perturb.metrics.refusal_index import IntervalMethod, RefusalIndex, questions_for_cv, refusal_index
from perturb.metrics.resampling import bootstrap_means
from perturb.records import JsonObject
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

# The number of models and settings that a correlation needs: over two it is always 1 or -1.
FEWEST_GROUPS = 3


@dataclass(frozen=True, slots=True)
class Sampling:
    """P(Answering) as a confidence, compared with whether the answer is right (the forced answer after a refusal)."""

    auroc: Estimate
    ece: Estimate
    reliability: tuple[ReliabilityBin, ...]
    """Ten bins of equal width."""


@dataclass(frozen=True, slots=True)
class Correlation:
    """The correlation of a metric with the AUROC of P(Answering), over models and settings (the paper's figure 4)."""

    metric: str
    pearson: float | None
    """In [-1, 1]; None if one of the two does not vary."""
    spearman: float | None
    n: int
    """Number of groups with both values."""


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
    """The AUROC of P(Answering), with a bootstrap interval."""
    estimate = auroc(correct, chance)
    if estimate.value is None:
        return estimate
    # P(Answering) has few levels. The AUROC of a resample is the share of pairs of a right and a wrong answer in which
    # the right one has the higher level, so the shares of right and of wrong answers at each level are enough.
    levels, level_of_row = np.unique(chance, return_inverse=True)
    at_level = np.eye(len(levels))[level_of_row]
    columns = np.hstack([at_level * correct[:, None], at_level * ~correct[:, None]])
    means = bootstrap_means(
        columns, clusters=group.clusters, resamples=precision.resamples, seed=precision.seed
    )
    right, wrong = np.maximum(np.hsplit(means, 2), 0)  # rounding may leave a mean just below 0
    # In half of the pairs at one level the right answer counts as higher.
    wrong_below = np.cumsum(wrong, axis=1) - wrong / 2
    replicates = ratio((right * wrong_below).sum(axis=1), right.sum(axis=1) * wrong.sum(axis=1))
    rarer = int(min(correct.sum(), (~correct).sum()))
    clusters = len(set(group.bases)) if group.clusters else len(correct)
    return reported_estimate(
        Bounded.of(estimate.value, replicates, estimate.n, clusters=min(clusters, rarer))
    )


def auroc_correlations(groups: Sequence[GroupResult]) -> tuple[Correlation, ...]:
    """The correlation of each metric with the AUROC; empty if fewer than `FEWEST_GROUPS` groups have one."""
    values = [(group.metrics, group.sampling.auroc.value) for group in groups if group.sampling]
    defined = [(metrics, value) for metrics, value in values if value is not None]
    if len(defined) < FEWEST_GROUPS:
        return ()
    return tuple(_correlation(name, defined) for name in METRICS)


def _correlation(name: str, measured: Sequence[tuple[NamedEstimates, float]]) -> Correlation:
    """The correlation of a metric with the AUROC; `measured` has the metrics and the AUROC of each group."""
    from scipy.stats import rankdata

    values = [(metrics[name].value, group_auroc) for metrics, group_auroc in measured]
    pairs = [(value, group_auroc) for value, group_auroc in values if value is not None]
    columns = np.array(pairs, dtype=np.float64).reshape(-1, 2).T
    if len(pairs) < FEWEST_GROUPS or np.any(np.ptp(columns, axis=1) == 0):
        return Correlation(name, None, None, len(pairs))
    pearson, spearman = (float(np.corrcoef(*pair)[0, 1]) for pair in (columns, rankdata(columns, axis=1)))
    return Correlation(name, pearson, spearman, len(pairs))


# The sizes of random subsets on which the spread of metrics is measured, as far as the table is larger.
SUBSET_SIZES: tuple[int, ...] = (50, 100, 200, 500, 1000, 2000)


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusalOptions:
    """The options of the intervals and of the sample size."""

    interval_by: IntervalMethod | None = None
    """The method for the index; None means the bootstrap if questions share a base, or else the delta method."""
    resamples: int = 1000
    """For the intervals of the companions, and of the index with the bootstrap."""
    seed: int = 0
    cv: float = 0.1
    """The coefficient of variation that the sample size should reach."""


@dataclass(frozen=True)
class GroupResult(MeasuredGroup):
    """The figures of one model in one setting on one data set."""

    index: RefusalIndex | None
    """None if every row is unscored."""
    copulas: CopulaComparison
    questions_needed: Estimate
    """The number of questions with which the index has the coefficient of variation of the options."""
    subset_cv: Mapping[str, Mapping[int, Estimate]]
    """Coefficient of variation of each of `METRICS` over random subsets, by their size."""
    sampling: Sampling | None = None
    """None without P(Answering)."""

    @property
    def setting(self) -> str | None:
        """The way of asking."""
        return self.way

    def to_dict(self) -> JsonObject:
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


# The warning of a group without a single scored row.
ALL_UNSCORED = "every row is unscored"


@dataclass(frozen=True, slots=True)
class RefusalReport:
    """The report on a table of refusals and errors."""

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
    """The share of groups on which the Gaussian copula beats each rival; a tie counts one half."""

    def to_dict(self) -> JsonObject:
        """Plain values: the object of a single group, or a list of groups with the figures across groups."""
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
    """Read tables and compute all figures; this calls no model. `columns` as in `read_refusals`.

    Raises `SourceError` if a table cannot be used.
    """
    options = precision or RefusalOptions()
    tables = read_refusals(sources, columns)
    groups = tuple(_group_result(group, options) for group in tables)
    return RefusalReport(
        source=", ".join(map(str, sources)),
        precision=options,
        groups=groups,
        stability=setting_stability(groups),
        ranking=ranking_stability(groups),
        agreement=prompt_agreement(tables, resamples=options.resamples, seed=options.seed),
        means=dataset_means((group, group.metrics) for group in groups),
        correlations=auroc_correlations(groups),
        win_rates=gaussian_win_rates([group.copulas for group in groups]),
    )


def _group_result(group: RefusalGroup, precision: RefusalOptions) -> GroupResult:
    if not group.refused:
        undefined = Estimate.undefined(ALL_UNSCORED)
        return GroupResult(
            group.model,
            group.way,
            dataset=group.dataset,
            unscored=group.unscored,
            index=None,
            metrics=dict.fromkeys(METRICS, undefined),
            copulas=CopulaComparison((), (), ALL_UNSCORED),
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
    # A subset as large as the table would always be the table itself.
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
    """The index and its companions, each with its interval."""
    rates = np.array([[index.correct_rate], [index.refusal_rate]])
    values, replicates = _companions(*rates), _companions(*_resampled_rates(group, precision))
    clusters = index.n if group.clusters is None else len(set(group.bases))
    answered = index.n00 + index.n01

    def estimate(name: str, value: float) -> Estimate:
        if np.isnan(value):
            return Estimate.undefined("every question was refused", index.n)
        # c - p (1 - r) is between -p (all answered, all wrong) and 1 - p (all answered, all right)
        penalty = {"weighted p=0.2": 0.2, "weighted p=1": 1.0}.get(name, 0.0)
        trials = answered if name == "c_over_a" else index.n  # C/A is a share of the answered questions alone
        return reported_estimate(
            Bounded.of(
                value,
                replicates[name],
                index.n,
                clusters=min(clusters, trials),
                low=-penalty,
                high=1 - penalty,
                trials=trials,
            )
        )

    metrics = {name: estimate(name, float(value[0])) for name, value in values.items()}
    ends = (index.refusal_index, index.low, index.high)
    return {**metrics, "refusal_index": Estimate(*ends, index.se, index.n, index.reason)}


def _resampled_rates(group: RefusalGroup, precision: RefusalOptions) -> tuple[Floats, Floats]:
    """The rates of correct answers and of refusals in each resample."""
    if group.clusters is None:
        # a resample of independent questions is a multinomial table, which is fast to draw
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
    """A companion, as a function of tables of counts."""
    shares = tables / tables.sum(axis=1, keepdims=True)
    return _companions(shares[:, 3], shares[:, 0] + shares[:, 1])[metric]


def _companions(c: Floats, r: Floats) -> dict[str, Floats]:
    """The companions of every table or resample, from its rates of correct answers (c) and of refusals (r)."""
    return {
        "correct_rate": c,
        "refusal_rate": r,
        "c_over_a": ratio(c, 1 - r),
        "f_score": 2 * c / (2 - r),
        "weighted p=0.2": c - 0.2 * (1 - r),
        "weighted p=1": c - (1 - r),
    }
