"""What the perturbation alone did: replies to items held against replies to their unperturbed controls.

A model that refuses a control refuses for reasons of its own. One that answers the control and refuses the item was
moved by the perturbation: as it should be on unanswerable items, and too easily on answerable ones.

Does a model do better on the items that it generated itself?

Two models on the same items: differences with paired intervals, and p-values corrected for many pairs.

Every score of every model in one report.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from perturb.errors import ConfigError, SourceError
from perturb.metrics.inputs import Estimate, Flags, plain
from perturb.metrics.intervals import Bounded, WeightedSum, reported_estimate, weighted_sum
from perturb.metrics.refusal_registry import REFUSAL_METRICS, RefusalMetric
from perturb.metrics.resampling import Resamples, SignFlips, check_resampling
from perturb.records import ANSWER_CORRECTLY
from perturb.scoring.human_grades import Grades, JudgeErrors, correct_scores
from perturb.scoring.item_response import (
    ItemResponseReport,
    ItemToRead,
    items_to_read_again,
    measure_item_response,
)
from perturb.scoring.model_scores import ModelScores, Resampling, Unit, corrected_values, score_model
from perturb.scoring.own_metrics import ResampledReplies, rate_of, read_metrics
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
from perturb.scoring.table import ModelReplies, ResultTable, in_common, read_results

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


METRICS: tuple[str, ...] = ("answer_accuracy", "refusal_accuracy", "calibrated_refusal_score")
"""The metrics that are compared."""


@dataclass(frozen=True, slots=True)
class SelfGeneratedComparison:
    """One metric of a model on its own items and on those of other generators."""

    model: str
    generator: str
    """The generator that is this model."""
    metric: str
    own: float | None
    others: float | None
    difference: Estimate
    """Own minus others: part of it may be that this generator's items are easier for every model."""
    beyond_peers: Estimate
    """The same minus the mean difference of the other models on the same items: what is left is the model's own."""


def compare_self_generated(
    models: Sequence[ModelReplies], resampling: Resampling, *, raf: bool
) -> tuple[SelfGeneratedComparison, ...]:
    """Every model that also generated items, on the items that all models replied to."""
    shared = in_common(*models)
    if not shared[0].rows:
        return ()
    generators = shared[0].labels("generator")
    resamples = resampling.draw(shared[0].rows)
    comparisons: list[SelfGeneratedComparison] = []
    for place, replies in enumerate(shared):
        for generator in sorted({name for name in generators if name and same_model(name, replies.model)}):
            is_own = np.array([label == generator for label in generators])
            if is_own.all():
                continue
            sides = [
                _sides(model, is_own, resamples, raf=raf)
                for model in (replies, *shared[:place], *shared[place + 1 :])
            ]
            comparisons += [
                _own_items(REFUSAL_METRICS[name], replies.model, generator, sides) for name in METRICS
            ]
    return tuple(comparisons)


def same_model(generator: str, model: str) -> bool:
    """Whether two names mean one model: equal but for the provider in front.

    >>> same_model("openai/gpt-4o", "gpt-4o"), same_model("gpt-4o", "gpt-4.1")
    (True, False)
    """
    return generator.rsplit("/", maxsplit=1)[-1].casefold() == model.rsplit("/", maxsplit=1)[-1].casefold()


_Sides = tuple[ResampledReplies, ResampledReplies]
"""Replies to own items and to those of others."""


def _sides(replies: ModelReplies, is_own: Flags, drawn: Resamples, *, raf: bool) -> _Sides:
    places = np.flatnonzero(is_own), np.flatnonzero(~is_own)
    first, second = (ResampledReplies.of(replies.cells[rows], drawn.only(rows), raf=raf) for rows in places)
    return first, second


def _own_items(
    metric: RefusalMetric, model: str, generator: str, sides: Sequence[_Sides]
) -> SelfGeneratedComparison:
    """`sides` of the model first, then those of its peers."""
    parts = [side.bounded(metric) for pair in sides for side in pair]
    n, peers = sum(metric.n(side.point) for side in sides[0]), len(sides) - 1
    difference = _add_up(parts[:2], [1.0, -1.0], n, "the metric is undefined on one side")
    if peers:
        weights = [1.0, -1.0, *[-1 / peers, 1 / peers] * peers]
        beyond = _add_up(parts, weights, n, "the metric is undefined on one side for some model")
    else:
        beyond = Estimate.undefined("no other model replied to these items")
    return SelfGeneratedComparison(
        model, generator, metric.name, parts[0].value, parts[1].value, difference, beyond
    )


def _add_up(parts: Sequence[Bounded | Estimate], weights: Sequence[float], n: int, reason: str) -> Estimate:
    if any(part.value is None for part in parts):
        return Estimate.undefined(reason, n)
    return reported_estimate(weighted_sum(parts, weights, n))


@dataclass(frozen=True, slots=True)
class ModelComparison:
    """One metric of model `a` minus that of model `b`, on the items that both replied to."""

    metric: str
    a: str
    b: str
    difference: Estimate
    p_value: float | None
    """Two-sided; None if there is no interval.

    If the metric is a share of items that both models were asked, from a test that flips the signs of base instances.
    Else from the interval of the difference: at the confidence level 1 - p, one of its ends is exactly 0."""
    p_holm: float | None = None
    """The same after Holm's correction over all pairs of models, metric by metric."""
    corrected: Estimate | None = None
    """The difference corrected by people's grades."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        gap = self.difference.to_dict()
        content = plain(self) | {"difference": gap.pop("value")} | gap
        del content["corrected"]
        return (
            content if self.corrected is None else content | {"corrected": corrected_values(self.corrected)}
        )


def compare_models(
    models: Sequence[ModelReplies], resampling: Resampling, *, raf: bool
) -> tuple[ModelComparison, ...]:
    """Every pair of models in every metric, metric by metric in the order of the registry."""
    by_metric: dict[str, list[ModelComparison]] = {name: [] for name in REFUSAL_METRICS}
    for a, b in combinations(models, 2):
        if a.setting[0] != b.setting[0] and a.setting[1] != b.setting[1]:
            continue  # neither the model nor the setting is the same: such a difference says nothing
        for comparison in _compare(a, b, resampling, raf=raf):
            by_metric[comparison.metric].append(comparison)
    corrected = []
    for comparisons in by_metric.values():
        p_values = holm([comparison.p_value for comparison in comparisons])
        corrected += [
            replace(comparison, p_holm=p) for comparison, p in zip(comparisons, p_values, strict=True)
        ]
    return tuple(corrected)


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down correction; None stays None and does not count.

    Formula: the k-th smallest of m p-values is multiplied by m - k + 1, then made no smaller than those before it and
    at most 1. It keeps the chance of any false finding in the family below the level.

    Reference: Holm (1979), Scandinavian Journal of Statistics 6.

    >>> holm([0.01, 0.04, None, 0.03])
    [0.03, 0.06, None, 0.06]
    """
    corrected: list[float | None] = [None] * len(p_values)
    ordered = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    largest = 0.0
    for rank, (p, place) in enumerate(ordered):
        largest = max(largest, min(1.0, p * (len(ordered) - rank)))
        corrected[place] = largest
    return corrected


def _compare(a: ModelReplies, b: ModelReplies, resampling: Resampling, *, raf: bool) -> list[ModelComparison]:
    a, b = in_common(a, b)
    if not a.rows:
        nothing = Estimate.undefined("the two models share no item")
        return [ModelComparison(name, a.model, b.model, nothing, None) for name in REFUSAL_METRICS]
    resamples = resampling.draw(a.rows)
    left_out = resamples.without_each(resampling.seed)
    sides = [(model.model, _sides_of(model, resamples, left_out, raf=raf)) for model in (a, b)]
    return [
        _compare_metric(metric, sides, len(a.rows), resampling.seed) for metric in REFUSAL_METRICS.values()
    ]


_Side = tuple[ResampledReplies, ResampledReplies]
"""The replies of a model in the resamples, and without one base instance each."""


def _sides_of(model: ModelReplies, drawn: Resamples, left_out: Resamples, *, raf: bool) -> _Side:
    return ResampledReplies.of(model.cells, drawn, raf=raf), ResampledReplies.of(
        model.cells, left_out, raf=raf
    )


def _compare_metric(
    metric: RefusalMetric, sides: Sequence[tuple[str, _Side]], n: int, seed: int
) -> ModelComparison:
    (a, (of_a, without_a)), (b, (of_b, without_b)) = sides
    parts = [of_a.bounded(metric), of_b.bounded(metric)]
    for model, part in zip((a, b), parts, strict=True):
        if part.value is None:
            reason = f"{model}: {reported_estimate(part).reason}"
            return ModelComparison(metric.name, a, b, Estimate.undefined(reason), None)
    gap = weighted_sum(parts, [1.0, -1.0], n)
    if not isinstance(gap, WeightedSum):
        return ModelComparison(metric.name, a, b, gap, None)
    estimate, p_value = gap.estimate(), gap.p_value()
    flips = None
    if metric.hits:  # both models share their denominators; otherwise signs cannot be flipped fairly
        without = metric.compute(without_a.replicates) - metric.compute(without_b.replicates)
        flips = SignFlips.of(gap.value, without, seed)
    if flips and estimate.low is not None and estimate.high is not None:
        low, high = flips.agree(estimate.low, estimate.high)
        estimate, p_value = replace(estimate, low=low, high=high), flips.p_value()
    return ModelComparison(metric.name, a, b, estimate, p_value)


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
