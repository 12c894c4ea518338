"""Scores of stated confidence by model, before and after calibration, on one data set and across data sets.

A group holds the answers of one model on one data set, asked for its confidence by one elicitation. A
calibration map turns a stated confidence into a better one. It is fitted on some rows and scored on others.

A map is never scored on a row that it was fitted on, nor on another row of the same question or base instance.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from perturb.errors import ConfigError
from perturb.files.resources import digest
from perturb.llm.functions import ADDRESS, FunctionError, find_function, function_errors
from perturb.metrics.bas import PRIORS, RiskPrior, gains_and_losses
from perturb.metrics.bas_report import BASReport
from perturb.metrics.calibrated_scores import (
    ABLATION_SIZES,
    AblationRow,
    CalibrationResult,
    Method,
    calibrate,
    calibration_ablation,
    calibration_split,
    score_maps,
)
from perturb.metrics.calibration import Closed
from perturb.metrics.inputs import Estimate, Flags, plain_value
from perturb.records import JsonObject
from perturb.scoring.confidence_table import ConfidenceGroup, SavedMap, map_for, read_confidence_tables
from perturb.scoring.datasets import DatasetMean, dataset_means
from perturb.scoring.model_comparison import Difference, compare_confidence


@dataclass(frozen=True, slots=True)
class ConfidenceOptions:
    """The options of the scores: bins, resamples, seed, and an additional prior."""

    bins: int = 10
    """Number of bins of equal width for the ECE."""
    resamples: int = 1000
    seed: int = 0
    closed: Closed = "right"
    """The side on which a bin includes its edge."""
    weight: str | None = None
    """A density over the risk threshold t: one of `PRIORS`, or the `module:function` of a user."""

    def report(self, group: ConfidenceGroup) -> BASReport:
        """The scores of a group; questions that share a base are resampled together."""
        return BASReport(group.correct, group.confidence, clusters=group.clusters, **self.arguments)

    @property
    def arguments(self) -> JsonObject:
        """The options as keyword arguments of the functions in `perturb.metrics`, which take no weight."""
        return {name: value for name, value in asdict(self).items() if name != "weight"}


@dataclass(frozen=True, slots=True)
class GroupScores:
    """The scores of one model under one elicitation."""

    group: ConfidenceGroup
    report: BASReport
    weight: str | None = None
    weighted: Estimate | None = None
    """BAS under `weight`, if there is one."""

    def to_dict(self) -> JsonObject:
        """The object of `perturb bas --json` for one group (spec, section 11)."""
        return {
            **self.group.labels("elicitation"),
            **self.report.to_dict(),
            "unscored": self.group.unscored,
            "warnings": list(self.group.warnings),
            **({"weight": self.weight, "bas_weighted": self.weighted.to_dict()} if self.weighted else {}),
        }


@dataclass(frozen=True, slots=True)
class ConfidenceScores:
    """The scores of every group, and the paired differences of groups whose tables name the question of each row."""

    groups: tuple[GroupScores, ...]
    differences: tuple[Difference, ...]
    means: tuple[DatasetMean, ...] = ()
    """Means over the data sets, if there are several."""

    def to_dict(self) -> JsonObject:
        """The object of a single group, or a list of groups with their differences."""
        if len(self.groups) == 1:
            return self.groups[0].to_dict()
        return {
            "results": plain_value(self.groups),
            "differences": [
                {"a": difference.a, "b": difference.b, "bas": difference.bas.to_dict()}
                for difference in self.differences
            ],
            "means": [mean.to_dict("elicitation") for mean in self.means],
        }


@dataclass(frozen=True, slots=True)
class GroupCalibration:
    """One group before and after calibration."""

    group: ConfidenceGroup
    scores: CalibrationResult
    ablation: tuple[AblationRow, ...]
    fitted_on: tuple[str, ...]
    """The questions and bases, or keys, of the rows that the maps were fitted on."""
    left_out: int = 0
    """Number of rows that are not scored because the maps were fitted on them."""

    def to_dict(self) -> JsonObject:
        """The labels of the group, its scores before and after, and the ablation."""
        return {
            **self.group.labels("elicitation"),
            **self.scores.to_dict(),
            "left_out": self.left_out,
            "ablation": plain_value(self.ablation),
        }

    def saved_map(self, method: Method) -> SavedMap:
        """The map of this method as an entry of a file of maps."""
        return SavedMap(self.group.model, self.group.elicitation, self.scores.maps[method], self.fitted_on)


@dataclass(frozen=True, slots=True)
class Split:
    """The share of rows for calibration, and the sizes and repeats of the ablation."""

    share: float = 0.5
    sizes: tuple[int, ...] = ABLATION_SIZES
    """Numbers of calibration rows."""
    repeats: int = 20
    """Number of draws for each size."""


def score_confidence(
    sources: Sequence[Path],
    *,
    percent: bool = False,
    options: ConfidenceOptions | None = None,
    columns: Mapping[str, str] | None = None,
) -> ConfidenceScores:
    """Read tables and score each group; `columns` as in `read_confidence_tables`.

    Raises `SourceError` if a table cannot be used.
    """
    groups = read_confidence_tables(sources, percent=percent, columns=columns)
    return score_groups(groups, options or ConfidenceOptions())


def read_prior(weight: str) -> RiskPrior:
    """The prior over the risk threshold t in [0, 1]: a name of `PRIORS`, or the function that `module:function` names.

    Raises `ConfigError` if the function does not exist, or if it is not a density.
    """
    if weight in PRIORS:
        return weight
    if not ADDRESS.fullmatch(weight):
        raise ConfigError(f"weight '{weight}': give one of {', '.join(PRIORS)}, or package.module:function")
    prior = find_function(weight, f"weight '{weight}'")
    try:
        with function_errors():
            # tried once with any confidence, so that a mistake shows before all tables are scored
            gains_and_losses(prior, np.array([0.5]))
    except FunctionError as error:
        raise ConfigError(f"weight '{weight}': {error}") from error
    return prior


def score_groups(groups: Sequence[ConfidenceGroup], options: ConfidenceOptions) -> ConfidenceScores:
    """Score groups that are already in memory."""
    prior = read_prior(options.weight) if options.weight else None
    scores = []
    for group in groups:
        report = options.report(group)
        weighted = report.weighted_estimate(prior) if prior else None
        scores.append(GroupScores(group, report, options.weight, weighted))
    differences = tuple(compare_confidence(groups, options.resamples, options.seed))
    means = dataset_means((scored.group, scored.report.metrics) for scored in scores)
    return ConfidenceScores(tuple(scores), differences, means)


def calibrate_within(group: ConfidenceGroup, split: Split, options: ConfidenceOptions) -> GroupCalibration:
    """Fit maps on a share of a group's rows and score the other rows.

    Raises `ConfigError` if the group is too small to be split.
    """
    try:
        is_fitting_row = calibration_split(
            len(group.correct), share=split.share, clusters=group.clusters, seed=options.seed
        )
    except ValueError as exc:
        raise ConfigError(f"{group.name}: {exc}") from None
    return _fit_and_score(group, is_fitting_row, split, options)


def calibrate_on(
    fitting_group: ConfidenceGroup, group: ConfidenceGroup, split: Split, options: ConfidenceOptions
) -> GroupCalibration:
    """Fit maps on the rows of `fitting_group` and score the rows of `group`, without the questions that both have.

    Raises `ConfigError` if no row is left to be scored.
    """
    fitted_on = _different_keys(row_keys(fitting_group))
    # A map that has seen the answer to a question would look too good on it.
    is_unseen = _unseen_rows(
        group,
        fitted_on,
        "every row is in the calibration table: no row is left to be scored; give other rows",
    )
    # `calibrate` takes a single table and marks for the rows to fit on. So the rows of both groups are joined, with
    # those of `fitting_group` first.
    joined = _join_groups(fitting_group, _select_rows(group, is_unseen))
    is_fitting_row = np.arange(len(joined.correct)) < len(fitting_group.correct)
    calibration = _fit_and_score(joined, is_fitting_row, split, options)
    return replace(calibration, group=group, fitted_on=fitted_on, left_out=int((~is_unseen).sum()))


def apply_saved(
    maps: Sequence[SavedMap], group: ConfidenceGroup, options: ConfidenceOptions
) -> GroupCalibration:
    """Score a group before and after a map that was fitted earlier, without the rows that it was fitted on.

    Raises `ConfigError` if there is no map for the group, or if no row is left.
    """
    saved = map_for(maps, group.model, group.elicitation)
    is_unseen = _unseen_rows(group, saved.fitted_on, "the map was fitted on every row: give other rows")
    remaining = _select_rows(group, is_unseen)
    scores = score_maps(
        remaining.correct,
        remaining.confidence,
        {saved.fitted.method: saved.fitted},
        clusters=remaining.clusters,
        **options.arguments,
    )
    return GroupCalibration(group, scores, (), saved.fitted_on, left_out=int((~is_unseen).sum()))


def row_keys(group: ConfidenceGroup) -> tuple[tuple[str, ...], ...]:
    """The keys that identify each row in any table: its question and its base, as far as the table has them.

    A table without both has the key `DIGEST#NUMBER`: a digest of the table, and the number of the row.

    >>> group = ConfidenceGroup(
    ...     "gpt-4o", None, np.array([True]), np.array([0.9]), items=("question 1",), bases=("base 1",)
    ... )
    >>> row_keys(group)
    (('question 1', 'base 1'),)
    """
    label_columns = [labels for labels in (group.items, group.bases) if labels is not None]
    if label_columns:
        return tuple(zip(*label_columns, strict=True))
    content = digest(group.correct.tolist(), group.confidence.tolist())
    return tuple((f"{content}#{number}",) for number in range(1, len(group.correct) + 1))


def _unseen_rows(group: ConfidenceGroup, fitted_on: Iterable[str], problem: str) -> Flags:
    """True for rows that share neither question nor base with the rows that a map was fitted on.

    Raises `ConfigError` with the problem if there is no such row.
    """
    fitted_keys = frozenset(fitted_on)
    is_unseen = np.array([fitted_keys.isdisjoint(keys) for keys in row_keys(group)])
    if not is_unseen.any():
        raise ConfigError(f"{group.name}: {problem}")
    return is_unseen


def _different_keys(keys_by_row: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """The keys of all rows, each once."""
    return tuple(dict.fromkeys(itertools.chain.from_iterable(keys_by_row)))


def _fit_and_score(
    group: ConfidenceGroup, is_fitting_row: Flags, split: Split, options: ConfidenceOptions
) -> GroupCalibration:
    """Fit maps on the marked rows of a group and score its other rows."""
    scores = calibrate(
        group.correct, group.confidence, is_fitting_row, clusters=group.clusters, **options.arguments
    )
    ablation = calibration_ablation(
        group.correct,
        group.confidence,
        is_fitting_row,
        sizes=split.sizes,
        repeats=split.repeats,
        bins=options.bins,
        seed=options.seed,
    )
    fitted_on = _different_keys(itertools.compress(row_keys(group), is_fitting_row))
    return GroupCalibration(group, scores, tuple(ablation), fitted_on)


# The questions or the bases of the rows of a group; None if its table does not name them.
_Labels = tuple[str, ...] | None


def _select_rows(group: ConfidenceGroup, is_selected: Flags) -> ConfidenceGroup:
    """Some rows of a group. Notes and the number of unscored rows are about the table, so they are left out."""

    def select(labels: _Labels) -> _Labels:
        return None if labels is None else tuple(itertools.compress(labels, is_selected))

    return replace(
        group,
        correct=group.correct[is_selected],
        confidence=group.confidence[is_selected],
        items=select(group.items),
        bases=select(group.bases),
        unscored=0,
        notes=(),
    )


def _join_groups(first: ConfidenceGroup, second: ConfidenceGroup) -> ConfidenceGroup:
    """The rows of `first` followed by those of `second`, under the name of `second`."""

    def join(a: _Labels, b: _Labels) -> _Labels:
        return None if a is None or b is None else a + b

    return replace(
        second,
        correct=np.concatenate([first.correct, second.correct]),
        confidence=np.concatenate([first.confidence, second.confidence]),
        items=join(first.items, second.items),
        bases=join(first.bases, second.bases),
    )


@dataclass(frozen=True, slots=True)
class Transfer:
    """The scores of a map that was fitted on one data set and applied to another, or to the other rows of the same."""

    model: str
    elicitation: str | None
    fitted_on: str
    """The name of the data set."""
    scored_on: str
    """The name of the other data set, or of the same."""
    method: Method
    before: BASReport
    after: BASReport
    gain: Estimate
    """The paired difference in BAS on the same rows."""

    def to_dict(self) -> JsonObject:
        """Plain values, ready for JSON."""

        def metrics(report: BASReport) -> JsonObject:
            return {name: report.metrics[name].to_dict() for name in ("bas_uniform", "ece", "aurc")}

        return {
            "model": self.model,
            **({} if self.elicitation is None else {"elicitation": self.elicitation}),
            "fitted_on": self.fitted_on,
            "scored_on": self.scored_on,
            "method": self.method,
            "gain": self.gain.to_dict(),
            "before": metrics(self.before),
            "after": metrics(self.after),
        }


def calibration_matrix(
    groups: Sequence[ConfidenceGroup], method: Method, split: Split, options: ConfidenceOptions
) -> tuple[Transfer, ...]:
    """The transfers between all pairs of data sets, for each model and elicitation with several data sets.

    Raises `ConfigError` if a data set is too small to be split, or has only rows of the other one.
    """
    # An ablation would take longer than all maps, and it is not reported.
    without_ablation = replace(split, sizes=())
    by_model: dict[tuple[str, str | None], list[ConfidenceGroup]] = {}
    for group in groups:
        if group.dataset is not None:
            by_model.setdefault((group.model, group.elicitation), []).append(group)
    transfers = []
    for (model, elicitation), datasets in by_model.items():
        if len(datasets) < 2:
            continue
        for fitting_group, scored_group in itertools.product(datasets, repeat=2):
            if fitting_group is scored_group:
                scores = calibrate_within(fitting_group, without_ablation, options).scores
            else:
                scores = calibrate_on(fitting_group, scored_group, without_ablation, options).scores
            transfers.append(
                Transfer(
                    model=model,
                    elicitation=elicitation,
                    fitted_on=str(fitting_group.dataset),
                    scored_on=str(scored_group.dataset),
                    method=method,
                    before=scores.before,
                    after=scores.after[method],
                    gain=scores.gains[method],
                )
            )
    return tuple(transfers)
