"""Tables of refusals and errors, with a row for each question, model and setting, and comparisons of the settings.

A setting is a prompt under which a model was asked. A question that the model refuses is asked again in a second pass,
which forces an answer. `read_refusals` reads the tables. Three functions then compare the settings. How much does a
metric change between the settings of a model (`setting_stability`)? How stable is the ranking of the models by a metric
(`ranking_stability`)? Do prompts agree on the questions that a model gets right (`prompt_agreement`)?

Reference for equations and appendices: Refusal Index paper.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from perturb.errors import SourceError
from perturb.files.tables import Row, read_table, rename
from perturb.ledger.evaluations import REFUSAL_TABLE
from perturb.metrics.inputs import Estimate, Flags, Floats, NamedEstimates
from perturb.metrics.intervals import Bounded, reported_estimate
from perturb.metrics.ranking import (
    additive_isotonic_residuals,
    coefficient_of_variation,
    isotonic_residuals,
    kendalls_w,
    normalised_difference,
    random_ranking,
    winner_entropy,
)
from perturb.metrics.resampling import bootstrap_means
from perturb.scoring.datasets import AnswerGroup, GroupT, with_datasets


@dataclass(frozen=True)
class RefusalGroup(AnswerGroup):
    """The scored rows of one model in one setting."""

    refused: list[bool]
    wrong: list[bool]
    bases: list[str]
    """The base instance of each question."""
    items: list[str | None]
    """The id of each question; None if the table has no ids."""
    answering: list[float]
    """P(Answering) of the questions that have it."""

    @property
    def clusters(self) -> list[str] | None:
        """The base of each question; None if no two questions share one, so rows are independent."""
        return self.bases if len(set(self.bases)) < len(self.bases) else None

    @property
    def cells(self) -> Flags:
        """Indicators of the four cells of the table of refusals by errors: shape (rows, 4), one True in each row.

        The columns: refused and wrong, refused and right, answered wrongly, answered rightly.
        """
        refused = np.array(self.refused, dtype=bool)
        wrong = np.array(self.wrong, dtype=bool)
        return np.stack([refused & wrong, refused & ~wrong, ~refused & wrong, ~refused & ~wrong], axis=1)


def read_refusals(
    sources: Sequence[Path], columns: Mapping[str, str] | None = None
) -> tuple[RefusalGroup, ...]:
    """The groups of `.csv`, `.jsonl` or `.parquet` tables, or folders of two-pass runs, in order of appearance.

    Columns: `refused` and `wrong` (0/1, empty if unscored); optional `model`, `setting`, `dataset`, `base_id`,
    `item_id`, `p_answering`. `columns` maps fields to columns with other names.
    Raises `SourceError`, with file and line, for other values, and for a question that appears twice in a group.
    """
    return with_datasets([(source, _read(source, columns or {})) for source in sources])


def _read(source: Path, columns: Mapping[str, str]) -> list[RefusalGroup]:
    """The groups of one table, or of the table in the folder of a run, in order of appearance."""
    path = source / REFUSAL_TABLE if source.is_dir() else source
    if source.is_dir() and not path.is_file():
        raise SourceError(f"{source}: holds no two-pass run: give the folder that `refusal-index run` wrote")
    groups: dict[tuple[str | None, str | None, str | None], list[Row]] = {}
    questions: set[tuple[str | None, ...]] = set()
    for row in _with_columns(path, columns):
        labels = row.label("model"), row.label("setting"), row.label("dataset")
        item = row.label("item_id")
        if item is not None and (*labels, item) in questions:
            raise row.error("item_id", f"'{item}' appears twice under one model and setting: keep one row")
        questions.add((*labels, item))
        groups.setdefault(labels, []).append(row)
    if not groups:
        raise SourceError(f"{path}: the table has no rows: give one row per question")
    return [_group(rows, *labels) for labels, rows in groups.items()]


def _group(rows: Sequence[Row], model: str | None, setting: str | None, dataset: str | None) -> RefusalGroup:
    """The group of the rows with these labels."""
    scored = [row for row in rows if None not in (row.flag("refused"), row.flag("wrong"))]
    shares = [row.share("p_answering") for row in scored]
    return RefusalGroup(
        model,
        setting,
        refused=[bool(row.flag("refused")) for row in scored],
        wrong=[bool(row.flag("wrong")) for row in scored],
        # a row without a base counts as independent of all others
        bases=[row.label("base_id") or f"line {row.line}" for row in scored],
        items=[row.label("item_id") for row in scored],
        answering=[share for share in shares if share is not None],
        dataset=dataset,
        unscored=len(rows) - len(scored),
    )


def _with_columns(path: Path, columns: Mapping[str, str]) -> Iterator[Row]:
    """The rows with their fields renamed. Raises `SourceError` if no row has one of the needed columns."""
    rows: Sequence[Row] = tuple(read_table(path))
    for name in ("refused", "wrong", *columns.values()):
        if rows and not any(name in row.fields for row in rows):
            column_names = ", ".join(rows[0].fields)
            takes = ": it takes 0 or 1" if name not in columns.values() else ""
            raise SourceError(f"{path}: no column '{name}' (there is {column_names}){takes}")
    yield from (replace(row, fields=rename(row.fields, columns)) for row in rows)


# The metrics of a group and their headings. The two rates are also covariates in the rankings by the other metrics.
METRICS: Mapping[str, str] = {
    "correct_rate": "correct",
    "refusal_rate": "refused",
    "c_over_a": "C/A",
    "f_score": "F",
    "weighted p=0.2": "weighted p=0.2",
    "weighted p=1": "weighted p=1",
    "refusal_index": "RI",
}
# The name of the row of the ranking table for a random ranking.
RANDOM = "random"
# The covariates that are removed from a metric before it ranks the models: neither rate, one of them, or both.
GIVEN: tuple[str, ...] = ("nothing", "correct_rate", "refusal_rate", "both")


@dataclass(frozen=True)
class MeasuredGroup(AnswerGroup):
    """The metrics of one model in one setting on one data set."""

    metrics: NamedEstimates
    """Each of `METRICS` with its interval."""


@dataclass(frozen=True, slots=True)
class Stability:
    """How much one metric of one model changes between settings, on one data set."""

    model: str | None
    dataset: str | None
    metric: str
    difference: Estimate
    """The metric in the setting that refuses most, minus the metric in the one that refuses least, divided by the
    absolute mean (equation 7)."""
    cv: Estimate
    """Coefficient of variation over the settings (equation 8)."""


@dataclass(frozen=True, slots=True)
class RankingStability:
    """How stable the ranking of the models by one metric is over the settings of all data sets."""

    metric: str
    """One of `METRICS`, or `RANDOM`."""
    given: str
    """The removed covariates, one of `GIVEN`."""
    kendalls_w: Estimate
    winner_entropy: Estimate


def setting_stability(groups: Sequence[MeasuredGroup]) -> tuple[Stability, ...]:
    """The stability of each metric of each model with several settings."""
    stabilities = []
    for (model, dataset), settings in _by_model_and_dataset(groups).items():
        if len(settings) < 2:
            continue
        for metric in METRICS:
            values = [
                (group.metrics[metric].value, group.metrics["refusal_rate"].value) for group in settings
            ]
            defined = [(value, rate) for value, rate in values if value is not None and rate is not None]
            if len(defined) < len(settings):
                # The metric is not computed on the other settings alone: metrics over different settings cannot be
                # compared.
                difference = cv = Estimate.undefined("undefined under some setting", n=len(defined))
            else:
                scores = [value for value, _ in defined]
                rates = [rate for _, rate in defined]
                difference = normalised_difference(scores, rates)
                cv = coefficient_of_variation(scores)
            stabilities.append(Stability(model, dataset, metric, difference, cv))
    return tuple(stabilities)


def _by_model_and_dataset(groups: Iterable[GroupT]) -> dict[tuple[str | None, str | None], list[GroupT]]:
    """Model and data set → the groups of the model's settings on the data set."""
    grouped: dict[tuple[str | None, str | None], list[GroupT]] = {}
    for group in groups:
        grouped.setdefault((group.model, group.dataset), []).append(group)
    return grouped


# A data set and a setting in which models were asked about it. Either is None if the table does not name it.
_Condition = tuple[str | None, str | None]


def ranking_settings(groups: Sequence[MeasuredGroup]) -> tuple[list[_Condition], list[_Condition]]:
    """The conditions in which every model has every metric, and the other conditions."""
    models = {group.model for group in groups}
    complete_models: dict[_Condition, set[str | None]] = {}
    for group in groups:
        models_with_all_metrics = complete_models.setdefault((group.dataset, group.setting), set())
        if all(group.metrics[metric].value is not None for metric in METRICS):
            models_with_all_metrics.add(group.model)
    usable = [condition for condition, names in complete_models.items() if names == models]
    return usable, [condition for condition in complete_models if condition not in usable]


def ranking_stability(groups: Sequence[MeasuredGroup]) -> tuple[RankingStability, ...]:
    """Kendall's W and winner entropy of each metric and of its residuals; empty for one model or one setting.

    The same prompt on two data sets counts as two settings: four prompts on one data set and one prompt on each of four
    others are eight settings. A setting counts if every model has every metric in it (`ranking_settings`).
    """
    models = list(dict.fromkeys(group.model for group in groups))
    conditions, incomplete = ranking_settings(groups)
    n = len(conditions)
    if len(models) < 2 or n + len(incomplete) < 2:
        return ()
    if n < 2:
        missing = Estimate.undefined("undefined for some model under all settings but one, or all", n)
        return tuple(
            RankingStability(name, given, missing, missing) for name in (RANDOM, *METRICS) for given in GIVEN
        )
    metrics_of = {(group.model, group.dataset, group.setting): group.metrics for group in groups}

    def read_scores(metric: str) -> Floats:
        """A row for each model, and a column for each condition."""
        rows = [[metrics_of[model, *condition][metric].value for condition in conditions] for model in models]
        return np.array(rows, dtype=np.float64)

    random_w, random_entropy = random_ranking(len(models), n)
    stabilities = [
        RankingStability(RANDOM, given, Estimate(random_w, n=n), Estimate(random_entropy, n=n))
        for given in GIVEN
    ]
    # A metric that only follows accuracy or refusal would rank models stably for the wrong reason. Its residuals show
    # what is left without them.
    correct, refused = read_scores("correct_rate"), read_scores("refusal_rate")
    for metric in METRICS:
        scores = read_scores(metric)
        tables_by_covariate = {
            "nothing": scores,
            "correct_rate": isotonic_residuals(scores, correct),
            "refusal_rate": isotonic_residuals(scores, refused),
            "both": additive_isotonic_residuals(scores, correct, refused),
        }
        stabilities += [
            RankingStability(metric, given, kendalls_w(table), winner_entropy(table))
            for given, table in tables_by_covariate.items()
        ]
    return tuple(stabilities)


# The name of the second pass, which forces an answer to refused questions, beside the settings of the first.
FORCED = "forced"


class _Answer(NamedTuple):
    """The answer to a question, which is right or wrong."""

    is_wrong: bool
    base: str
    """The base instance of the question."""


# Id of a question → its answer.
Answers = dict[str, _Answer]


@dataclass(frozen=True, slots=True)
class PromptAgreement:
    """How often one model is right, or wrong, on the same questions with two prompts."""

    model: str | None
    dataset: str | None
    a: str
    """A setting, or `FORCED`."""
    b: str
    agreement: Estimate
    """The share of equal results among the questions that are answered with both prompts; `n` is their number."""


def prompt_agreement(
    groups: Sequence[RefusalGroup], *, resamples: int, seed: int
) -> tuple[PromptAgreement, ...]:
    """The agreement of every two settings, and of each with the forced answers (paper, appendix I, figure 11).

    Empty if the table does not name its questions, or if every model has only one setting.
    """
    agreements = []
    for (model, dataset), settings in _by_model_and_dataset(groups).items():
        settings_with_ids = [group for group in settings if all(group.items)]
        if len(settings_with_ids) < 2:
            continue
        answers_by_setting = [
            (group.setting or "", _answers(group, refused=False)) for group in settings_with_ids
        ]
        # The second pass is the same for all settings, so its answers are joined.
        forced: Answers = {}
        for group in settings_with_ids:
            forced |= _answers(group, refused=True)
        answers_by_setting.append((FORCED, forced))
        for (a, answers_a), (b, answers_b) in combinations(answers_by_setting, 2):
            agreement = _agreement(answers_a, answers_b, resamples, seed)
            agreements.append(PromptAgreement(model, dataset, a, b, agreement))
    return tuple(agreements)


def _answers(group: RefusalGroup, *, refused: bool) -> Answers:
    """The answers to questions that were answered at once or, if `refused`, only when forced."""
    rows = zip(group.items, group.refused, group.wrong, group.bases, strict=True)
    return {
        str(item): _Answer(is_wrong, base)
        for item, was_refused, is_wrong, base in rows
        if was_refused is refused
    }


def _agreement(a: Answers, b: Answers, resamples: int, seed: int) -> Estimate:
    """The share of the questions in both that are right in both or wrong in both."""
    shared = [item for item in a if item in b]
    if not shared:
        return Estimate.undefined("no question was answered under both")
    same = np.array([a[item].is_wrong == b[item].is_wrong for item in shared], dtype=np.float64)
    bases = [a[item].base for item in shared]
    means = bootstrap_means(same, clusters=bases, resamples=resamples, seed=seed)[:, 0]
    return reported_estimate(Bounded.of(float(same.mean()), means, len(shared), clusters=len(set(bases))))
