"""Scores of models that were asked in several settings, or several times.

A setting is the prompt under which a model was asked. Most prompts list the refusal codes. In other settings a model
replies freely, in plain words, and a judge names the kind of each reply (`BehaviourKind`). `count_kinds` counts these,
and `measure_exam_gaps` measures how much better a model does with the list of codes.

The replies of a model to the same item in one setting are samples. `measure_sample_flips` measures how often the
behaviour differs between them, and `split_errors` what that adds to standard errors. Intervals resample base instances
with all their replies, so they include the variance of both items and replies.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from perturb.errors import ConfigError
from perturb.metrics.inputs import Estimate, NamedEstimates
from perturb.metrics.outcomes import BehaviourKind, Reading
from perturb.metrics.refusal_registry import REFUSAL_METRICS, RefusalMetric, rate_of
from perturb.records import ANSWER_CORRECTLY, JsonObject
from perturb.scoring.human_grades import CRS, HALVES
from perturb.scoring.model_comparison import estimate_sum
from perturb.scoring.model_scores import Resampling, plain_difference
from perturb.scoring.result_rows import ResultRow
from perturb.scoring.table import ModelReplies, in_common, ordered_names, rows_by_label

# The metrics that are compared between settings.
GAP_METRICS: tuple[str, ...] = (
    "refusal_accuracy",
    "correct_refusal_rate",
    "false_refusal_rate",
    "answer_accuracy",
)
# What results have as their class if they count all classes together.
ALL_CLASSES = "all"


@dataclass(frozen=True, slots=True)
class ExamGap:
    """One metric of a model with the list of codes, minus the same metric in another setting, on the same items."""

    model: str
    prompt: str
    """The other setting."""
    reading: Reading
    """How free replies are read."""
    metric: str
    perturbation_class: str
    """A class, or `all`."""
    codes: float | None
    other: float | None
    difference: Estimate
    """In [-1, 1]; above 0 if the model scores higher with the codes."""

    def to_dict(self) -> JsonObject:
        """Plain values, ready for JSON."""
        return plain_difference(self)


@dataclass(frozen=True, slots=True)
class KindCount:
    """The number of a model's free replies of one kind, to items of one class."""

    model: str
    perturbation_class: str
    answerable: bool
    kind: str
    """One of `BehaviourKind`, or `unscored`."""
    replies: int


def count_kinds(models: Sequence[ModelReplies]) -> tuple[KindCount, ...]:
    """The kinds of each model's free replies, by class and by whether the item can be answered."""
    kind_counts = []
    for model in models:
        if not model.free:
            continue
        counts = Counter(
            (row.item.perturbation_class, row.expected == ANSWER_CORRECTLY, row.kind or "unscored")
            for row in model.rows
        )
        for name in ordered_names([row.item.perturbation_class for row in model.rows]):
            kind_counts += [
                KindCount(model.model, name, answerable, kind, counts[name, answerable, kind])
                for answerable in (False, True)
                for kind in (*BehaviourKind, "unscored")
                if counts[name, answerable, kind]
            ]
    return tuple(kind_counts)


def measure_exam_gaps(models: Sequence[ModelReplies], resampling: Resampling) -> tuple[ExamGap, ...]:
    """The gaps of every model that was asked with the codes and in other settings."""
    gaps: list[ExamGap] = []
    with_codes = {model.base_model: model for model in models if model.has_codes}
    for other in models:
        if other.has_codes or other.base_model not in with_codes:
            continue
        codes_shared, other_shared = in_common(with_codes[other.base_model], other)
        if not codes_shared.rows:
            continue
        gaps += _gaps(codes_shared, other_shared, "strict", resampling)
        if other.free:  # only replies in plain words have two readings
            gaps += _gaps(codes_shared, other_shared.lenient(), "lenient", resampling)
    return tuple(gaps)


def _gaps(
    codes: ModelReplies, other: ModelReplies, reading: Reading, resampling: Resampling
) -> Iterator[ExamGap]:
    """The gaps of all classes together and of each class. Both settings have the same items in the same order."""
    labels = codes.labels("perturbation_class")
    groups = {ALL_CLASSES: np.arange(len(labels)), **rows_by_label(labels)}
    # Shared resamples make the gap a paired one.
    resamples = resampling.draw(codes.rows)
    for group, rows in groups.items():
        group_resamples = resamples.rows_alone(rows)
        codes_replies = codes.select(rows).resampled(group_resamples)
        other_replies = other.select(rows).resampled(group_resamples)
        for metric in GAP_METRICS:
            codes_rate = codes_replies.bounded(REFUSAL_METRICS[metric])
            other_rate = other_replies.bounded(REFUSAL_METRICS[metric])
            gap = estimate_sum(
                [codes_rate, other_rate], [1.0, -1.0], len(rows), "undefined in one of the settings"
            )
            yield ExamGap(
                other.base_model,
                other.prompt or "",
                reading,
                metric,
                group,
                codes=codes_rate.value,
                other=other_rate.value,
                difference=gap,
            )


@dataclass(frozen=True, slots=True)
class SampleFlips:
    """How often the behaviour of a model changes if it is asked again about the same item."""

    model: str
    perturbation_class: str
    """A class, or `all`."""
    items: int
    """Number of items with two readable replies or more."""
    samples: float
    """Mean number of replies to these items."""
    flips: Estimate
    """The share of items that are both answered and refused; it grows with the number of samples."""
    disagreement: Estimate
    """The probability that two replies to an item differ in behaviour or refusal code, for any number of samples."""


@dataclass(frozen=True, slots=True)
class SampleError:
    """The two parts of a score's standard error, in the units of the score."""

    model: str
    metric: str
    se: float
    """The whole standard error, from items and replies."""
    se_replies: float
    """The standard error over new replies to the same items."""
    se_items: float
    """The standard error over new items, with an unlimited number of replies to each."""
    within: float
    """The share of the variance between replies that is found among replies to the same item, in [0, 1]."""


def measure_sample_flips(models: Sequence[ModelReplies], resampling: Resampling) -> tuple[SampleFlips, ...]:
    """Flips by model and class, for models that were asked about some item more than once."""
    return tuple(flips for model in models for flips in _flips_of(model, resampling))


def _by_item(replies: ModelReplies) -> list[list[ResultRow]]:
    """The replies to each item."""
    by_item: defaultdict[str, list[ResultRow]] = defaultdict(list)
    for row in replies.rows:
        by_item[row.item_id].append(row)
    return list(by_item.values())


def _flips_of(model: ModelReplies, resampling: Resampling) -> Iterator[SampleFlips]:
    """The flips over all classes together and over each class; nothing if no item has two readable replies."""
    readable = ([row for row in rows if row.predicted is not None] for rows in _by_item(model))
    items = [rows for rows in readable if len(rows) > 1]
    if not items:
        return
    resamples = resampling.draw([rows[0] for rows in items])
    counts = [Counter(row.predicted for row in rows) for rows in items]
    sizes = np.array([len(rows) for rows in items], dtype=np.float64)
    # among all ordered pairs of replies to an item, those with the same behaviour
    equal_pairs = np.array([sum(n * (n - 1) for n in count.values()) for count in counts])
    differing = 1 - equal_pairs / (sizes * (sizes - 1))
    # Answered at least once and refused at least once. Two different refusal codes alone are no flip.
    flipped = np.array([float(ANSWER_CORRECTLY in count and len(count) > 1) for count in counts])
    labels = [rows[0].item.perturbation_class for rows in items]
    for name in (ALL_CLASSES, *ordered_names(labels)):
        in_group = np.array([float(name in (ALL_CLASSES, label)) for label in labels])
        yield SampleFlips(
            model.model,
            name,
            items=int(in_group.sum()),
            samples=float(sizes @ in_group / in_group.sum()),
            flips=rate_of(flipped, in_group, resamples, ""),
            disagreement=rate_of(differing, in_group, resamples, ""),
        )


def share_within(models: Sequence[ModelReplies]) -> float:
    """The share of the variance between replies that is found among replies to the same item.

    This is the mean over models and both halves of the CRS.

    Raises `ConfigError` if no model was asked several times.
    """
    metrics = [REFUSAL_METRICS[name] for name in HALVES]
    variance_parts = [_variance_parts(model, metric) for model in models for metric in metrics]
    shares = [part.within for part in variance_parts if part is not None]
    if not shares:
        raise ConfigError(
            "no model was asked several times about an item: give results of `perturb evaluate --samples`"
        )
    return float(np.mean(shares))


def split_errors(replies: ModelReplies, metrics: NamedEstimates) -> Iterator[SampleError]:
    """The standard errors of CRS and its halves in two parts, for a model that was asked several times.

    Formula: replies add the variance Σ s_i² k_i / n² over items, where k_i of the n replies are to item i, and s_i² is
    their variance (divisor k_i - 1). Items add the rest. Reference: Miller (2024), arXiv 2411.00640.
    """
    parts_of_score = {}
    for name in HALVES:
        parts = _variance_parts(replies, REFUSAL_METRICS[name])
        if parts is None:
            return
        parts_of_score[name] = parts
    # The CRS is the mean of two rates on different items. So its variance is a quarter of the sum of their variances,
    # which is half of the mean of their variances.
    mean_from_replies = float(np.mean([parts.from_replies for parts in parts_of_score.values()]))
    mean_within = float(np.mean([parts.within for parts in parts_of_score.values()]))
    crs = {CRS: _VarianceParts(from_replies=mean_from_replies / 2, within=mean_within)}
    for name, parts in (crs | parts_of_score).items():
        se = metrics[name].se
        if se is not None:
            # both are estimates, so the rest may be negative
            from_items = max(se**2 - parts.from_replies, 0.0)
            yield SampleError(
                replies.model,
                name,
                se,
                parts.from_replies**0.5,
                from_items**0.5,
                parts.within,
            )


class _VarianceParts(NamedTuple):
    """The parts of the variance of a rate."""

    from_replies: float
    """The variance that replies add to the rate."""
    within: float
    """`SampleError.within`."""


def _variance_parts(replies: ModelReplies, metric: RefusalMetric) -> _VarianceParts | None:
    """The parts for one metric; None if no item has several replies. The formula is in `split_errors`."""
    counted = ([row for row in rows if row.outcome in metric.over] for rows in _by_item(replies))
    items = [
        np.array([row.outcome in metric.hits for row in rows], dtype=np.float64) for rows in counted if rows
    ]
    repeated = [hits for hits in items if len(hits) > 1]
    if not repeated:
        return None
    mean_variance = float(np.mean([hits.var(ddof=1) for hits in repeated]))
    all_hits = np.concatenate(items)
    sizes = np.array([len(hits) for hits in items])
    # an item with a single reply gets the mean variance of the others
    variances = np.array([hits.var(ddof=1) if len(hits) > 1 else mean_variance for hits in items])
    total_variance = float(all_hits.var())
    return _VarianceParts(
        from_replies=float(variances @ sizes) / len(all_hits) ** 2,
        # both variances are estimates, so their ratio may exceed 1
        within=min(mean_variance / total_variance, 1.0) if total_variance else 0.0,
    )
