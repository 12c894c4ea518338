"""The report on a table of refusals and errors: Refusal Index, companions, copulas, stability and ranking.

The companions of the index are the other metrics of the same table, such as the rate of correct answers. A copula is a
model of how refusals and errors depend on each other; the index assumes the Gaussian one.

If questions were asked several times, it also measures P(Answering), the share of the replies to a question that are
answers, as a confidence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
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
# The sizes of random subsets on which the spread of metrics is measured, as far as the table is larger.
SUBSET_SIZES: tuple[int, ...] = (50, 100, 200, 500, 1000, 2000)
# The warning of a group without a single scored row.
ALL_UNSCORED = "every row is unscored"
# The figures of such a group.
_UNDEFINED = Estimate.undefined(ALL_UNSCORED)
_NO_COPULAS = CopulaComparison((), (), ALL_UNSCORED)


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


@dataclass(frozen=True, slots=True)
class AnsweringConfidence:
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


def measure_answering(group: RefusalGroup, options: RefusalOptions) -> AnsweringConfidence | None:
    """P(Answering) of a group; None if a row has no samples."""
    if not group.answering or len(group.answering) < len(group.refused):
        return None
    correct = ~np.array(group.wrong)
    p_answering = np.array(group.answering)
    return AnsweringConfidence(
        auroc=_auroc(correct, p_answering, group, options),
        ece=BASReport(
            correct, p_answering, clusters=group.clusters, resamples=options.resamples, seed=options.seed
        ).metrics["ece"],
        reliability=tuple(reliability_bins(correct, p_answering)),
    )


def _auroc(correct: Flags, p_answering: Floats, group: RefusalGroup, options: RefusalOptions) -> Estimate:
    """The AUROC of P(Answering), with a bootstrap interval."""
    estimate = auroc(correct, p_answering)
    if estimate.value is None:
        return estimate
    # P(Answering) has few levels, so the shares of right and of wrong answers at each level are enough.
    levels, level_of_row = np.unique(p_answering, return_inverse=True)
    is_at_level = np.eye(len(levels))[level_of_row]
    right_at_level = is_at_level * correct[:, np.newaxis]
    wrong_at_level = is_at_level * ~correct[:, np.newaxis]
    shares = bootstrap_means(
        np.hstack([right_at_level, wrong_at_level]),
        clusters=group.clusters,
        resamples=options.resamples,
        seed=options.seed,
    )
    # Rounding may leave a share just below 0.
    right_shares, wrong_shares = np.hsplit(np.maximum(shares, 0), 2)
    replicates = _auroc_of_shares(right_shares, wrong_shares)
    # The rarer kind of answer limits the precision.
    rarer = int(min(correct.sum(), (~correct).sum()))
    clusters = len(set(group.bases)) if group.clusters else len(correct)
    return reported_estimate(
        Bounded.of(estimate.value, replicates, estimate.n, clusters=min(clusters, rarer))
    )


def _auroc_of_shares(right: Floats, wrong: Floats) -> Floats:
    """The AUROC from the shares of right and of wrong answers at each level, shape (resamples, levels).

    It is the share of pairs of a right and a wrong answer in which the right one has the higher level. A pair at one
    level counts one half.
    """
    wrong_below = np.cumsum(wrong, axis=1) - wrong / 2
    pairs = right.sum(axis=1) * wrong.sum(axis=1)
    return ratio((right * wrong_below).sum(axis=1), pairs)


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
    # two rows: the values of the metric, and the AUROCs
    both = np.array(pairs, dtype=np.float64).reshape(-1, 2).T
    if len(pairs) < FEWEST_GROUPS or np.any(np.ptp(both, axis=1) == 0):
        return Correlation(name, None, None, len(pairs))
    pearson = float(np.asarray(np.corrcoef(both))[0, 1])
    spearman = float(np.asarray(np.corrcoef(rankdata(both, axis=1)))[0, 1])
    return Correlation(name, pearson, spearman, len(pairs))


@dataclass(frozen=True)
class GroupResult(MeasuredGroup):
    """The figures of one model in one setting on one data set."""

    index: RefusalIndex | None = None
    """None if every row is unscored. The defaults of the other figures are for this case too."""
    copulas: CopulaComparison = _NO_COPULAS
    questions_needed: Estimate = _UNDEFINED
    """The number of questions with which the index has the coefficient of variation of the options."""
    subset_cv: Mapping[str, Mapping[int, Estimate]] = field(default_factory=dict)
    """Coefficient of variation of each of `METRICS` over random subsets, by their size."""
    sampling: AnsweringConfidence | None = None
    """None without P(Answering)."""

    def to_dict(self) -> JsonObject:
        """The object of `perturb refusal-index --json`."""
        subsets = plain_value(self.subset_cv)
        unscored = {"refusal_index": None, "reason": ALL_UNSCORED, "n": 0}
        index = self.index.to_dict() if self.index else unscored
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


@dataclass(frozen=True, slots=True)
class RefusalReport:
    """The report on a table of refusals and errors."""

    source: str
    options: RefusalOptions
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
            "results": plain_value(self.groups),
            "stability": [asdict(row) for row in self.stability],
            "ranking": [asdict(row) for row in self.ranking],
            "agreement": plain_value(self.agreement),
            "auroc_correlations": plain_value(self.correlations),
            "copula_win_rates": plain_value(self.win_rates),
            "means": [mean.to_dict("setting") for mean in self.means],
        }


def report_refusals(
    sources: Sequence[Path],
    options: RefusalOptions | None = None,
    columns: Mapping[str, str] | None = None,
) -> RefusalReport:
    """Read tables and compute all figures; this calls no model. `columns` as in `read_refusals`.

    Raises `SourceError` if a table cannot be used.
    """
    options = options or RefusalOptions()
    tables = read_refusals(sources, columns)
    groups = tuple(_group_result(group, options) for group in tables)
    return RefusalReport(
        source=", ".join(map(str, sources)),
        options=options,
        groups=groups,
        stability=setting_stability(groups),
        ranking=ranking_stability(groups),
        agreement=prompt_agreement(tables, resamples=options.resamples, seed=options.seed),
        means=dataset_means((group, group.metrics) for group in groups),
        correlations=auroc_correlations(groups),
        win_rates=gaussian_win_rates([group.copulas for group in groups]),
    )


def _group_result(group: RefusalGroup, options: RefusalOptions) -> GroupResult:
    unscored = GroupResult(
        group.model,
        group.setting,
        dict.fromkeys(METRICS, _UNDEFINED),
        dataset=group.dataset,
        unscored=group.unscored,
    )
    if not group.refused:
        return unscored
    index = refusal_index(
        group.refused,
        group.wrong,
        clusters=group.clusters,
        interval_by=options.interval_by,
        resamples=options.resamples,
        seed=options.seed,
    )
    return replace(
        unscored,
        index=index,
        metrics=_metrics(group, index, options),
        copulas=compare_copulas(index.n11, index.n10, index.n01, index.n00),
        questions_needed=questions_for_cv(index, options.cv),
        subset_cv={metric: _subset_cv(group, metric, options.seed) for metric in METRICS},
        sampling=measure_answering(group, options),
    )


def _subset_cv(group: RefusalGroup, metric: str, seed: int) -> dict[int, Estimate]:
    """The coefficient of variation of a metric over random subsets, by their size."""
    # A subset as large as the table would always be the table itself.
    sizes = [size for size in SUBSET_SIZES if size < len(group.refused)]
    statistic = None if metric == "refusal_index" else partial(_companion, metric=metric)
    return subset_size_cv(group.refused, group.wrong, sizes, statistic=statistic, seed=seed)


def _metrics(group: RefusalGroup, index: RefusalIndex, options: RefusalOptions) -> dict[str, Estimate]:
    """The index and its companions, each with its interval."""
    values = _companions(np.array([index.correct_rate]), np.array([index.refusal_rate]))
    correct_rates, refusal_rates = _resampled_rates(group, options)
    replicates = _companions(correct_rates, refusal_rates)
    clusters = index.n if group.clusters is None else len(set(group.bases))
    answered = index.n00 + index.n01

    def estimate(name: str, value: float) -> Estimate:
        if np.isnan(value):
            return Estimate.undefined("every question was refused", index.n)
        # C - p (1 - R) is between -p (all answered, all wrong) and 1 - p (all answered, all right).
        penalty = _PENALTIES.get(name, 0.0)
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


def _resampled_rates(group: RefusalGroup, options: RefusalOptions) -> tuple[Floats, Floats]:
    """The rates of correct answers and of refusals in each resample."""
    if group.clusters is None:
        # a resample of independent questions is a multinomial table, which is fast to draw
        n = len(group.refused)
        rng = np.random.default_rng(options.seed)
        tables = rng.multinomial(n, group.cells.sum(axis=0) / n, size=options.resamples)
        refused_wrong, refused_right, _, answered_right = tables.T
        return answered_right / n, (refused_wrong + refused_right) / n
    answered_right = group.cells[:, 3]
    columns = np.column_stack([answered_right, group.refused])
    correct_rates, refusal_rates = bootstrap_means(
        columns, clusters=group.clusters, resamples=options.resamples, seed=options.seed
    ).T
    return correct_rates, refusal_rates


def _companion(tables: Floats, metric: str) -> Floats:
    """A companion, as a function of tables of counts: the cells of `RefusalGroup.cells`."""
    refused_wrong, refused_right, _, answered_right = (tables / tables.sum(axis=1, keepdims=True)).T
    return _companions(answered_right, refused_wrong + refused_right)[metric]


# What a wrong answer costs in the weighted scores.
_PENALTIES = {"weighted p=0.2": 0.2, "weighted p=1": 1.0}


def _companions(correct: Floats, refused: Floats) -> dict[str, Floats]:
    """The companions of every table or resample, from its rates of correct answers and of refusals.

    C/A is the share of correct answers among all answers. The F score is the harmonic mean of C and C/A. A weighted
    score takes a penalty for each answer, so that a correct one counts 1 - p and a wrong one -p.
    """
    answered = 1 - refused
    return {
        "correct_rate": correct,
        "refusal_rate": refused,
        "c_over_a": ratio(correct, answered),
        "f_score": 2 * correct / (2 - refused),
        **{name: correct - penalty * answered for name, penalty in _PENALTIES.items()},
    }
