"""`score`: all scores of all models in one report, with the effect of the perturbation itself on each model.

The effect is measured by a comparison with the replies to unperturbed controls. A model that refuses a control has
other reasons than the perturbation. A model that answers the control and refuses the item reacts to the perturbation:
rightly if the item is unanswerable, wrongly if it is answerable.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from perturb.errors import ConfigError, SourceError
from perturb.metrics.inputs import Estimate, plain
from perturb.metrics.refusal_registry import rate_of
from perturb.metrics.resampling import check_resampling
from perturb.records import ANSWER_CORRECTLY, CONTROL_SUFFIX, Facts, JsonObject
from perturb.scoring.human_grades import Grades, JudgeErrors, correct_scores
from perturb.scoring.item_response import (
    ItemResponseReport,
    ItemToRead,
    items_to_read_again,
    measure_item_response,
)
from perturb.scoring.model_comparison import (
    ModelComparison,
    SelfGeneratedComparison,
    compare_models,
    compare_self_generated,
)
from perturb.scoring.model_scores import ModelScores, Resampling, Unit, read_metrics, score_model
from perturb.scoring.result_rows import ResultRow
from perturb.scoring.settings import (
    ExamGap,
    KindCount,
    SampleError,
    SampleFlips,
    count_kinds,
    measure_exam_gaps,
    measure_sample_flips,
    split_errors,
)
from perturb.scoring.table import ModelReplies, ResultTable, read_results


@dataclass(frozen=True, slots=True)
class Flips:
    """The behaviour of one model on pairs of an item and its control."""

    model: str
    pairs: int
    """Number of pairs with two readable replies."""
    unread: int
    """Number of pairs of which one reply, or both, could not be read."""
    control_refusal_rate: Estimate
    """The share of pairs whose control is refused."""
    flip_rate_unanswerable: Estimate
    """Among items that must be refused and whose control is answered, the share that is refused; higher is better."""
    flip_rate_answerable: Estimate
    """Among items that must be answered and whose control is answered, the share that is refused; lower is better."""
    answered_only_perturbed: Estimate
    """Among items whose control is refused, the share that is answered."""


def measure_flips(
    models: Sequence[ModelReplies], controls: Sequence[ModelReplies], resampling: Resampling
) -> tuple[Flips, ...]:
    """Flip rates of every model that replied to controls, with bootstrap intervals."""
    rows_of_model = {model.model: model.rows for model in models}
    flips = []
    for control in controls:
        items = {(row.item_id, row.sample): row for row in rows_of_model.get(control.model, ())}
        pairs = []
        for control_row in control.rows:
            item = items.get((control_row.item_id.removesuffix(CONTROL_SUFFIX), control_row.sample))
            if item is not None:
                pairs.append((item, control_row))
        if pairs:
            flips.append(_flips(control.model, pairs, resampling))
    return tuple(flips)


def _flips(model: str, pairs: list[tuple[ResultRow, ResultRow]], resampling: Resampling) -> Flips:
    """The flip rates of a model; each pair has the reply to an item, then the reply to its control."""
    readable = [(item, control) for item, control in pairs if None not in (item.predicted, control.predicted)]
    unread = len(pairs) - len(readable)
    if not readable:
        undefined = Estimate.undefined("no pair of replies was read")
        return Flips(model, 0, unread, undefined, undefined, undefined, undefined)
    item_refused = np.array([item.predicted != ANSWER_CORRECTLY for item, _ in readable])
    control_refused = np.array([control.predicted != ANSWER_CORRECTLY for _, control in readable])
    answerable = np.array([item.expected == ANSWER_CORRECTLY for item, _ in readable])
    # An item and its control share their base instance, so one draw serves both.
    resamples = resampling.draw([item for item, _ in readable])
    all_pairs = np.ones_like(control_refused)
    no_answered_control = "no control of such an item was answered"
    return Flips(
        model,
        pairs=len(readable),
        unread=unread,
        control_refusal_rate=rate_of(control_refused, all_pairs, resamples, "there are no pairs"),
        flip_rate_unanswerable=rate_of(
            item_refused, ~control_refused & ~answerable, resamples, no_answered_control
        ),
        flip_rate_answerable=rate_of(
            item_refused, ~control_refused & answerable, resamples, no_answered_control
        ),
        answered_only_perturbed=rate_of(~item_refused, control_refused, resamples, "no control was refused"),
    )


class PartScores(NamedTuple):
    """The scores on the items of a smaller snapshot."""

    source: str
    models: tuple[ModelScores, ...]


@dataclass(frozen=True, slots=True)
class ScoreReport:
    """All scores of an evaluation; `to_dict` gives the JSON of spec section 11."""

    source: str
    resampling: Resampling
    warnings: tuple[str, ...]
    """Cautions for readers who quote the scores."""
    models: tuple[ModelScores, ...]
    comparisons: tuple[ModelComparison, ...]
    own_items: tuple[SelfGeneratedComparison, ...]
    flips: tuple[Flips, ...]
    """Empty unless the snapshot has control rows."""
    stops: Mapping[str, Facts]
    """For models that were asked under a stopping rule: the number of replies, and the interval reached."""
    exam_gaps: tuple[ExamGap, ...] = ()
    """How much better each model does with the list of codes; empty with a single setting."""
    lenient: tuple[ModelScores, ...] = ()
    """The scores of free replies in the lenient reading; `models` has the strict reading."""
    kinds: tuple[KindCount, ...] = ()
    """The kinds of free replies, by model and class."""
    samples: tuple[SampleFlips, ...] = ()
    """How often behaviour flips on the same item; empty unless models were asked several times."""
    sample_errors: tuple[SampleError, ...] = ()
    """The parts of standard errors that come from items and from replies; empty unless asked several times."""
    read_again: tuple[ItemToRead, ...] = ()
    """Items that a person should read again."""
    item_response: ItemResponseReport | None = None
    """None unless the caller asks for it."""
    part: PartScores | None = None
    """None unless the caller names a smaller snapshot."""
    judge_errors: tuple[JudgeErrors, ...] | None = None
    """None without the grades of people."""

    def to_dict(self) -> JsonObject:
        """Plain values, ready for JSON; an undefined value is None, with a reason beside it."""
        content = plain(self)
        for optional in ("item_response", "part", "judge_errors"):
            if content[optional] is None:
                del content[optional]
        resampling = content.pop("resampling")
        # The stopping rules have the name of their option, `--until`.
        return {**resampling, "until": content.pop("stops"), **content}


def score(
    source: ResultTable | Path | str,
    *,
    resamples: int = 1000,
    seed: int = 0,
    unit: Unit | str = Unit.BASE,
    item_response: bool = False,
    models: Collection[str] = (),
    metrics: Iterable[Any] = (),
    part: Path | None = None,
    grades: Grades | None = None,
) -> ScoreReport:
    """Score an evaluation's folder, a file of results, or results in memory; this calls no model.

    Intervals are 95 % bootstrap intervals over `unit`s: "base" instances or "item"s. `item_response` also fits item
    response models. `models` are the names of the models to score, all by default. `metrics` are the user's functions,
    as `read_metrics` takes them. `part` is a snapshot, such as one of the strategy `hard`, whose items are also scored
    separately. `grades` are those of people, from `read_grades`; they give corrected scores beside the others.

    Raises `SourceError` if the results cannot be read, contradict themselves, or are too few to fit, `LedgerError` if
    the folder has no evaluation, `ConfigError` if an option cannot be used.
    """
    check_resampling(resamples, seed)
    if unit not in list(Unit):
        raise ConfigError(f"unit is '{unit}': give one of {', '.join(Unit)}")
    table = source if isinstance(source, ResultTable) else read_results(source)
    if models:
        table = table.of_models(models)
    resampling = Resampling(resamples, seed, Unit(unit))
    user_metrics = read_metrics(metrics)

    # The same scores are needed three times: as they are, with lenient reading, and for a part of the items.
    def scores_of(models: Iterable[ModelReplies]) -> tuple[ModelScores, ...]:
        return tuple(
            score_model(replies, resampling, codes=table.codes, own=user_metrics) for replies in models
        )

    scores = scores_of(table.models)
    # Item response models take one reply of a model to an item.
    first_replies = table.firsts()
    report = ScoreReport(
        source=table.source,
        resampling=resampling,
        warnings=table.warnings,
        models=scores,
        comparisons=compare_models(table.models, resampling),
        own_items=compare_self_generated(table.models, resampling),
        flips=measure_flips(table.models, table.controls, resampling),
        exam_gaps=measure_exam_gaps(table.models, resampling),
        lenient=scores_of(replies.lenient() for replies in table.models if replies.free),
        kinds=count_kinds(table.models),
        samples=measure_sample_flips(table.models, resampling),
        sample_errors=tuple(
            error
            for replies, model_scores in zip(table.models, scores, strict=True)
            for error in split_errors(replies, model_scores.metrics)
        ),
        read_again=items_to_read_again(first_replies),
        item_response=measure_item_response(first_replies) if item_response else None,
        stops=table.stops,
        part=None if part is None else PartScores(str(part), scores_of(_in_part(table, part))),
    )
    return report if grades is None else _with_corrections(report, table, grades)


def _with_corrections(report: ScoreReport, table: ResultTable, grades: Grades) -> ScoreReport:
    """The report with the scores and differences that the grades of people correct, beside those of the judge."""
    pairs = {(comparison.a, comparison.b) for comparison in report.comparisons}
    corrections = correct_scores(table.models, grades, pairs, report.resampling)
    models = [replace(model, corrected=corrections.models[model.model]) for model in report.models]
    comparisons = []
    for comparison in report.comparisons:
        corrected_differences = corrections.pairs[comparison.a, comparison.b]
        comparisons.append(replace(comparison, corrected=corrected_differences.get(comparison.metric)))
    return replace(
        report,
        models=tuple(models),
        comparisons=tuple(comparisons),
        judge_errors=corrections.judge_errors,
    )


def _in_part(table: ResultTable, part: Path) -> list[ModelReplies]:
    """The replies to the items of a snapshot."""
    from perturb.evaluation.loading import load_made_items

    ids = {item.id for item in load_made_items(part)}
    replies_by_model = [model.only(lambda row: row.item_id in ids) for model in table.models]
    models = [replies for replies in replies_by_model if replies.rows]
    if not models:
        raise SourceError(
            f"{part}: {table.source} has no reply to its items: give a snapshot of the same run"
        )
    return models
