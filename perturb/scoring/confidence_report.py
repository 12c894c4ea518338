"""Scores of stated confidence by model, before and after calibration, on one data set and across data sets.

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
        return BASReport(group.correct, group.confidence, clusters=group.clusters, **self.options)

    @property
    def options(self) -> JsonObject:
        """The options as keyword arguments of the functions in `perturb.metrics`."""
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
            "results": [group.to_dict() for group in self.groups],
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
    precision: ConfidenceOptions | None = None,
    columns: Mapping[str, str] | None = None,
) -> ConfidenceScores:
    """Read tables and score each group; `columns` as in `read_confidence_tables`.

    Raises `SourceError` if a table cannot be used.
    """
    return score_groups(read_confidence_tables(sources, percent=percent, columns=columns), precision)


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


def score_groups(
    groups: Sequence[ConfidenceGroup], precision: ConfidenceOptions | None = None
) -> ConfidenceScores:
    """Score groups that are already in memory."""
    options = precision or ConfidenceOptions()
    prior = read_prior(options.weight) if options.weight else None
    reports = [(group, options.report(group)) for group in groups]
    scores = tuple(
        GroupScores(group, report, options.weight, report.weighted_estimate(prior) if prior else None)
        for group, report in reports
    )
    differences = tuple(compare_confidence(groups, options.resamples, options.seed))
    means = dataset_means((scored.group, scored.report.metrics) for scored in scores)
    return ConfidenceScores(scores, differences, means)


def calibrate_within(
    group: ConfidenceGroup, split: Split | None = None, precision: ConfidenceOptions | None = None
) -> GroupCalibration:
    """Fit maps on a share of a group's rows and score the other rows.

    Raises `ConfigError` if the group is too small to be split.
    """
    options, split = precision or ConfidenceOptions(), split or Split()
    try:
        fitting = calibration_split(
            len(group.correct), share=split.share, clusters=group.clusters, seed=options.seed
        )
    except ValueError as exc:
        raise ConfigError(f"{group.name}: {exc}") from None
    return _calibrated(group, fitting, split, options)


def calibrate_on(
    calibration: ConfidenceGroup,
    group: ConfidenceGroup,
    split: Split | None = None,
    precision: ConfidenceOptions | None = None,
) -> GroupCalibration:
    """Fit maps on the rows of one group and score the rows of another, without the questions that both have.

    Raises `ConfigError` if no row is left to be scored.
    """
    fitted_on = _flat(row_keys(calibration))
    # A map that has seen the answer to a question would look too good on it.
    unseen = _unseen(group, fitted_on)
    if not unseen.any():
        raise ConfigError(
            f"{group.name}: every row is in the calibration table: no row is left to be scored; give other rows"
        )
    # `calibrate` takes one table and the rows to fit on, so the two groups become one.
    joined = _joined(calibration, _only(group, unseen))
    # The rows of `calibration` come first in the joined group.
    fitting = np.arange(len(joined.correct)) < len(calibration.correct)
    calibrated = _calibrated(joined, fitting, split or Split(), precision or ConfidenceOptions())
    return GroupCalibration(group, calibrated.scores, calibrated.ablation, fitted_on, int((~unseen).sum()))


def apply_saved(
    maps: Sequence[SavedMap], group: ConfidenceGroup, precision: ConfidenceOptions | None = None
) -> GroupCalibration:
    """Score a group before and after a map that was fitted earlier, without the rows that it was fitted on.

    Raises `ConfigError` if there is no map for the group, or if no row is left.
    """
    saved = map_for(maps, group.model, group.elicitation)
    unseen = _unseen(group, saved.fitted_on)
    if not unseen.any():
        raise ConfigError(f"{group.name}: the map was fitted on every row: give other rows")
    remaining = _only(group, unseen)
    maps_by_method, options = {saved.fitted.method: saved.fitted}, (precision or ConfidenceOptions()).options
    scores = score_maps(
        remaining.correct, remaining.confidence, maps_by_method, clusters=remaining.clusters, **options
    )
    return GroupCalibration(group, scores, (), saved.fitted_on, int((~unseen).sum()))


def row_keys(group: ConfidenceGroup) -> tuple[tuple[str, ...], ...]:
    """The keys of each row across tables: its question and base or, without both, the table's digest with a number."""
    label_columns = [labels for labels in (group.items, group.bases) if labels is not None]
    if label_columns:
        return tuple(zip(*label_columns, strict=True))
    content = digest(group.correct.tolist(), group.confidence.tolist())
    return tuple((f"{content}#{number}",) for number in range(1, len(group.correct) + 1))


def _unseen(group: ConfidenceGroup, fitted_on: Iterable[str]) -> Flags:
    """True for rows that share neither question nor base with the rows that a map was fitted on."""
    fitted_keys = frozenset(fitted_on)
    return np.array([fitted_keys.isdisjoint(keys) for keys in row_keys(group)])


def _flat(keys: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """All questions and bases of the keys, each once."""
    return tuple(dict.fromkeys(itertools.chain.from_iterable(keys)))


def _calibrated(
    group: ConfidenceGroup, fitting: Flags, split: Split, precision: ConfidenceOptions
) -> GroupCalibration:
    columns = (group.correct, group.confidence, fitting)
    scores = calibrate(*columns, clusters=group.clusters, **precision.options)
    ablation = calibration_ablation(
        *columns, sizes=split.sizes, repeats=split.repeats, bins=precision.bins, seed=precision.seed
    )
    fitted_on = _flat(itertools.compress(row_keys(group), fitting))
    return GroupCalibration(group, scores, tuple(ablation), fitted_on)


def _only(group: ConfidenceGroup, mask: Flags) -> ConfidenceGroup:
    """Some rows of a group. Notes and the number of unscored rows are about the table, so they are left out."""
    items, bases = (
        None if labels is None else tuple(itertools.compress(labels, mask))
        for labels in (group.items, group.bases)
    )
    return replace(
        group,
        correct=group.correct[mask],
        confidence=group.confidence[mask],
        items=items,
        bases=bases,
        unscored=0,
        notes=(),
    )


def _joined(calibration: ConfidenceGroup, group: ConfidenceGroup) -> ConfidenceGroup:
    """The rows of `calibration` followed by those of `group`, under the name of `group`."""
    items, bases = (
        None if a is None or b is None else (*a, *b)
        for a, b in ((calibration.items, group.items), (calibration.bases, group.bases))
    )
    return replace(
        group,
        correct=np.concatenate([calibration.correct, group.correct]),
        confidence=np.concatenate([calibration.confidence, group.confidence]),
        items=items,
        bases=bases,
    )


@dataclass(frozen=True, slots=True)
class Transfer:
    """The scores of a map that was fitted on one data set and applied to another, or to the other rows of the same."""

    model: str
    elicitation: str | None
    fitted_on: str
    scored_on: str
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
    groups: Sequence[ConfidenceGroup], method: Method, split: Split, precision: ConfidenceOptions
) -> tuple[Transfer, ...]:
    """The transfers between all pairs of data sets, for each model and elicitation with several data sets.

    Raises `ConfigError` if a data set is too small to be split, or has only rows of the other one.
    """
    without_ablation = replace(split, sizes=())  # it would take longer than all maps, and is not reported
    by_model: dict[tuple[str, str | None], list[ConfidenceGroup]] = {}
    for group in groups:
        if group.dataset is not None:
            by_model.setdefault((group.model, group.elicitation), []).append(group)
    transfers = []
    for (model, elicitation), datasets in by_model.items():
        if len(datasets) < 2:
            continue
        for fitted, scored in itertools.product(datasets, repeat=2):
            if fitted is scored:
                scores = calibrate_within(fitted, without_ablation, precision).scores
            else:
                scores = calibrate_on(fitted, scored, without_ablation, precision).scores
            transfers.append(
                Transfer(
                    model=model,
                    elicitation=elicitation,
                    fitted_on=str(fitted.dataset),
                    scored_on=str(scored.dataset),
                    method=method,
                    before=scores.before,
                    after=scores.after[method],
                    gain=scores.gains[method],
                )
            )
    return tuple(transfers)
