"""Models asked in several settings, or several times.

Settings: what free replies do, and how much the list of codes helps (the exam gap). Samples: how often the behaviour
flips on the same item, and what that adds to standard errors. Intervals resample base instances with all their
replies, so they hold the variance of items and of replies.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from perturb.errors import ConfigError
from perturb.metrics.inputs import Estimate, Integers, plain
from perturb.metrics.intervals import reported_estimate, weighted_sum
from perturb.metrics.outcomes import BehaviourKind, Reading
from perturb.metrics.refusal_registry import REFUSAL_METRICS, RefusalMetric
from perturb.records import ANSWER_CORRECTLY
from perturb.scoring.model_scores import Resampling
from perturb.scoring.own_metrics import ResampledReplies, rate_of
from perturb.scoring.result_rows import ResultRow
from perturb.scoring.table import ModelReplies, in_common, ordered_names
from perturb.snapshots.settings import CODES

GAP_METRICS: tuple[str, ...] = (
    "refusal_accuracy",
    "correct_refusal_rate",
    "false_refusal_rate",
    "answer_accuracy",
)
"""What is compared between settings."""
ALL_CLASSES = "all"


@dataclass(frozen=True, slots=True)
class ExamGap:
    """One metric of a model with the codes minus the same in another setting, on the items asked in both."""

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
    """In [-1, 1]; above 0 where the model scores higher with the codes."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        gap = self.difference.to_dict()
        return plain(self) | {"difference": gap.pop("value")} | gap


@dataclass(frozen=True, slots=True)
class KindCount:
    """How many free replies of a model to items of a class are of a kind."""

    model: str
    perturbation_class: str
    answerable: bool
    kind: str
    """One of `BehaviourKind`, or `unscored`."""
    replies: int


def count_kinds(models: Sequence[ModelReplies]) -> tuple[KindCount, ...]:
    """What the free replies of each model do, by class and whether the item can be answered."""
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


def measure_exam_gaps(
    models: Sequence[ModelReplies], resampling: Resampling, *, raf: bool
) -> tuple[ExamGap, ...]:
    """The gaps of every model that was asked with the codes and in other settings."""
    gaps: list[ExamGap] = []
    with_codes = {model.setting[0]: model for model in models if model.setting[1] in (None, CODES)}
    for other in models:
        name, prompt = other.setting
        if prompt in (None, CODES) or name not in with_codes:
            continue
        first, second = in_common(with_codes[name], other)
        if not first.rows:
            continue
        gaps += _gaps(first, second, "strict", resampling, raf=raf)
        if other.free:
            gaps += _gaps(first, second.lenient(), "lenient", resampling, raf=raf)
    return tuple(gaps)


def _gaps(
    codes: ModelReplies, other: ModelReplies, reading: Reading, resampling: Resampling, *, raf: bool
) -> Iterator[ExamGap]:
    labels = codes.labels("perturbation_class")
    resamples = resampling.draw(codes.rows)
    groups: dict[str, Integers] = {ALL_CLASSES: np.arange(len(labels))}
    groups |= {name: np.flatnonzero([label == name for label in labels]) for name in ordered_names(labels)}
    for group, rows in groups.items():
        part = resamples.part(rows)
        pair = [ResampledReplies.of(replies.cells[rows], part, raf=raf) for replies in (codes, other)]
        for metric in GAP_METRICS:
            sides = [side.bounded(REFUSAL_METRICS[metric]) for side in pair]
            if any(side.value is None for side in sides):
                gap = Estimate.undefined("undefined in one of the settings", len(rows))
            else:
                gap = reported_estimate(weighted_sum(sides, [1.0, -1.0], len(rows)))
            name, prompt = other.setting
            with_codes, without = (side.value for side in sides)
            yield ExamGap(name, prompt or "", reading, metric, group, with_codes, without, gap)


@dataclass(frozen=True, slots=True)
class SampleFlips:
    """How often a model behaves differently when it is asked again about the same item."""

    model: str
    perturbation_class: str
    """A class, or `all`."""
    items: int
    """Items with two or more replies that could be read."""
    samples: float
    """Replies to each of them, on average."""
    flips: Estimate
    """The share of items that are both answered and refused; more samples find more."""
    disagreement: Estimate
    """The chance that two replies to an item differ in behaviour, codes of refusals included; the number of samples
    does not move it."""


@dataclass(frozen=True, slots=True)
class SampleError:
    """What the standard error of a score is made of, in the units of the score."""

    model: str
    metric: str
    se: float
    """Of the score: items and replies together."""
    se_replies: float
    """What would be left on the same items, asked again as often."""
    se_items: float
    """What would be left if each item were asked without end."""
    within: float
    """The part of the variance of a single reply that lies between replies to one item, in [0, 1]."""


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
    readable = ([row for row in rows if row.predicted is not None] for rows in _by_item(model))
    items = [rows for rows in readable if len(rows) > 1]
    if not items:
        return
    resamples = resampling.draw([rows[0] for rows in items])
    counts = [Counter(row.predicted for row in rows) for rows in items]
    sizes = np.array([len(rows) for rows in items], dtype=np.float64)
    alike = np.array([sum(n * (n - 1) for n in count.values()) for count in counts])
    differing = 1 - alike / (sizes * (sizes - 1))
    flipped = np.array([float(ANSWER_CORRECTLY in count and len(count) > 1) for count in counts])
    labels = [rows[0].item.perturbation_class for rows in items]
    for name in (ALL_CLASSES, *ordered_names(labels)):
        among = np.array([float(name in (ALL_CLASSES, label)) for label in labels])
        yield SampleFlips(
            model.model,
            name,
            int(among.sum()),
            float(sizes @ among / among.sum()),
            rate_of(flipped, among, resamples, ""),
            rate_of(differing, among, resamples, ""),
        )


def share_within(models: Sequence[ModelReplies]) -> float:
    """The part of a reply's variance that lies within items, on average over models and both halves of the CRS.

    Raises `ConfigError` if no model was asked several times.
    """
    metrics = [REFUSAL_METRICS[name] for name in _HALVES]
    shares = [parts[1] for model in models for metric in metrics if (parts := _within(model, metric))]
    if not shares:
        raise ConfigError(
            "no model was asked several times about an item: give results of `perturb evaluate --samples`"
        )
    return float(np.mean(shares))


_HALVES = ("answer_accuracy", "refusal_accuracy")


def split_errors(replies: ModelReplies, metrics: Mapping[str, Estimate]) -> Iterator[SampleError]:
    """The standard errors of CRS and its halves in two parts, for a model that was asked several times.

    Formula: the variance that replies add is Σ s_i² k_i / n² over items with k_i replies of n in all, with s_i² the
    variance of the replies to item i (divisor k_i - 1). Items add the rest. Reference: Miller (2024), arXiv 2411.00640.
    """
    halves = [components for name in _HALVES if (components := _within(replies, REFUSAL_METRICS[name]))]
    if len(halves) < len(_HALVES):
        return
    mean_added, mean_within = map(float, np.mean(halves, axis=0))
    parts = [(mean_added / 2, mean_within), *halves]
    names = ("calibrated_refusal_score", *_HALVES)
    for name, (variance, within) in zip(names, parts, strict=True):
        se = metrics[name].se
        if se is not None:
            remaining = max(se**2 - variance, 0.0)
            yield SampleError(replies.model, name, se, variance**0.5, remaining**0.5, within)


def _within(replies: ModelReplies, metric: RefusalMetric) -> tuple[float, float] | None:
    """The variance that replies add to a rate, and the share of a reply's variance that lies within items."""
    counted = ([row for row in rows if row.outcome in metric.over] for rows in _by_item(replies))
    items = [
        np.array([row.outcome in metric.hits for row in rows], dtype=np.float64) for rows in counted if rows
    ]
    several = [values for values in items if len(values) > 1]
    if not several:
        return None
    within = float(np.mean([values.var(ddof=1) for values in several]))
    all_values = np.concatenate(items)
    sizes = np.array([len(values) for values in items])
    variances = np.array([values.var(ddof=1) if len(values) > 1 else within for values in items])
    added = float(variances @ sizes) / len(all_values) ** 2
    total = float(all_values.var())
    return added, min(within / total, 1.0) if total else 0.0
