"""Every score of every model in one report, with how the perturbation itself moved each model.

Replies to items are held against replies to their unperturbed controls. A model that refuses a control refuses for
reasons of its own. A model that answers the control and refuses the item was moved by the perturbation: as it should
be on unanswerable items, and too easily on answerable ones.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from perturb.errors import ConfigError, SourceError
from perturb.metrics.inputs import Estimate, plain
from perturb.metrics.resampling import check_resampling
from perturb.records import ANSWER_CORRECTLY
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
from perturb.scoring.model_scores import ModelScores, Resampling, Unit, score_model
from perturb.scoring.own_metrics import rate_of, read_metrics
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

SUFFIX = "-control"
"""What the id of a control has after the id of its item; the same in `perturb.snapshots.items`."""


@dataclass(frozen=True, slots=True)
class Flips:
    """One model on its pairs of item and control."""

    model: str
    pairs: int
    """Pairs of which both replies could be read."""
    unread: int
    """Pairs of which one could not."""
    control_refusal_rate: Estimate
    """Refused controls / pairs."""
    flip_rate_unanswerable: Estimate
    """Refused items / pairs whose control was answered, over items that must be refused; higher is better."""
    flip_rate_answerable: Estimate
    """The same over items that must be answered; lower is better."""
    answered_only_perturbed: Estimate
    """Answered items / pairs whose control was refused."""


def measure_flips(
    models: Sequence[ModelReplies], controls: Sequence[ModelReplies], resampling: Resampling
) -> tuple[Flips, ...]:
    """Flip rates of every model that replied to controls, with bootstrap intervals."""
    replied = {model.model: model for model in models}
    flips = []
    for control in controls:
        replies = replied[control.model].rows if control.model in replied else ()
        items = {(row.item_id, row.sample): row for row in replies}
        keyed_rows = (((row.item_id.removesuffix(SUFFIX), row.sample), row) for row in control.rows)
        pairs = [(items[name], control_row) for name, control_row in keyed_rows if name in items]
        if pairs:
            flips.append(_flips(control.model, pairs, resampling))
    return tuple(flips)


def _flips(model: str, pairs: list[tuple[ResultRow, ResultRow]], resampling: Resampling) -> Flips:
    readable = [(item, control) for item, control in pairs if None not in (item.predicted, control.predicted)]
    unread = len(pairs) - len(readable)
    if not readable:
        nothing = Estimate.undefined("no pair of replies was read")
        return Flips(model, 0, unread, nothing, nothing, nothing, nothing)
    refused = np.array([item.predicted != ANSWER_CORRECTLY for item, _ in readable])
    before = np.array([control.predicted != ANSWER_CORRECTLY for _, control in readable])
    answerable = np.array([item.expected == ANSWER_CORRECTLY for item, _ in readable])
    resamples = resampling.draw([item for item, _ in readable])

    def rate(hits: Any, among: Any, reason: str) -> Estimate:
        return rate_of(hits.astype(np.float64), among.astype(np.float64), resamples, reason)

    everything = np.ones(len(readable), dtype=bool)
    answered = "no control of such an item was answered"
    return Flips(
        model,
        len(readable),
        unread,
        rate(before, everything, ""),
        rate(refused, ~before & ~answerable, answered),
        rate(refused, ~before & answerable, answered),
        rate(~refused, before, "no control was refused"),
    )


class PartScores(NamedTuple):
    """The scores on those of the items that are in a snapshot."""

    source: str
    models: tuple[ModelScores, ...]


@dataclass(frozen=True, slots=True)
class ScoreReport:
    """All scores of an evaluation; `to_dict` gives the JSON of spec section 11."""

    source: str
    resampling: Resampling
    warnings: tuple[str, ...]
    """What a reader must know before quoting the scores."""
    models: tuple[ModelScores, ...]
    comparisons: tuple[ModelComparison, ...]
    own_items: tuple[SelfGeneratedComparison, ...]
    flips: tuple[Flips, ...]
    """Empty unless the snapshot has control rows."""
    stops: Mapping[str, Mapping[str, Any]]
    """Of models that were asked under a rule for stopping: how far, and the interval reached."""
    exam_gaps: tuple[ExamGap, ...] = ()
    """How much better each model does when the codes announce the exam; empty with one setting."""
    lenient: tuple[ModelScores, ...] = ()
    """The scores of free replies in the lenient reading; `models` has them in the strict one."""
    kinds: tuple[KindCount, ...] = ()
    """What free replies do, by model and class."""
    samples: tuple[SampleFlips, ...] = ()
    """How often behaviour flips on the same item; empty unless models were asked several times."""
    sample_errors: tuple[SampleError, ...] = ()
    """What the items and the replies add to the standard errors; empty likewise."""
    read_again: tuple[ItemToRead, ...] = ()
    """Items that a person should read again."""
    item_response: ItemResponseReport | None = None
    """None unless asked for."""
    part: PartScores | None = None
    """None unless asked for."""
    judge_errors: tuple[JudgeErrors, ...] | None = None
    """None unless people's grades are taken in."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON: what is undefined is None beside a reason."""
        content = plain(self)
        for asked_for in ("item_response", "part", "judge_errors"):
            if content[asked_for] is None:
                del content[asked_for]
        return {**content.pop("resampling"), "until": content.pop("stops"), **content}


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
    """Score an evaluation's folder, a file of results, or results in memory; no model is asked.

    Intervals are 95 % bootstrap intervals over `unit`s: "base" instances or "item"s. `item_response` also fits item
    response models. Of all models, or of those named. `metrics` are functions of the user's own, as `read_metrics`
    takes them. `part` is a snapshot, such as one of the strategy `hard`: the items in it are also scored alone.
    `grades` are people's, from `read_grades`: the scores corrected by them stand beside the others.

    Raises `SourceError` if the results cannot be read, contradict themselves, or are too few to fit, `LedgerError` if
    the folder holds no evaluation, `ConfigError` if an option cannot be used.
    """
    check_resampling(resamples, seed)
    if unit not in list(Unit):
        raise ConfigError(f"unit is '{unit}': give one of {', '.join(Unit)}")
    table = source if isinstance(source, ResultTable) else read_results(source)
    if models:
        table = table.of_models(models)
    resampling, own_metrics = Resampling(resamples, seed, Unit(unit)), read_metrics(metrics)

    def scores_of(models: Iterable[ModelReplies]) -> tuple[ModelScores, ...]:
        return tuple(
            score_model(replies, resampling, codes=table.codes, raf=table.raf, own=own_metrics)
            for replies in models
        )

    scores = scores_of(table.models)
    report = ScoreReport(
        source=table.source,
        resampling=resampling,
        warnings=table.warnings,
        models=scores,
        comparisons=compare_models(table.models, resampling, raf=table.raf),
        own_items=compare_self_generated(table.models, resampling, raf=table.raf),
        flips=measure_flips(table.models, table.controls, resampling),
        exam_gaps=measure_exam_gaps(table.models, resampling, raf=table.raf),
        lenient=scores_of(replies.lenient() for replies in table.models if replies.free),
        kinds=count_kinds(table.models),
        samples=measure_sample_flips(table.models, resampling),
        sample_errors=tuple(
            error
            for replies, measured in zip(table.models, scores, strict=True)
            for error in split_errors(replies, measured.metrics)
        ),
        read_again=items_to_read_again(table.firsts()),
        item_response=measure_item_response(table.firsts()) if item_response else None,
        stops=table.stops,
        part=None if part is None else PartScores(str(part), scores_of(_in_part(table, part))),
    )
    return report if grades is None else _corrected(report, table, grades)


def _corrected(report: ScoreReport, table: ResultTable, grades: Grades) -> ScoreReport:
    pairs = {(comparison.a, comparison.b) for comparison in report.comparisons}
    corrections = correct_scores(table.models, grades, pairs, report.resampling)
    return replace(
        report,
        models=tuple(replace(model, corrected=corrections.models[model.model]) for model in report.models),
        comparisons=tuple(
            replace(
                comparison, corrected=corrections.pairs[comparison.a, comparison.b].get(comparison.metric)
            )
            for comparison in report.comparisons
        ),
        judge_errors=corrections.judge_errors,
    )


def _in_part(table: ResultTable, part: Path) -> list[ModelReplies]:
    """The replies to the items that are in a snapshot too."""
    from perturb.evaluation.loading import load_made_items

    ids = frozenset(item.id for item in load_made_items(part))
    models = [replies for model in table.models if (replies := model.of_items(ids)).rows]
    if not models:
        raise SourceError(
            f"{part}: {table.source} has no reply to an item of it: give a snapshot of the same run"
        )
    return models
