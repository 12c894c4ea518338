"""Models asked in several settings: what free replies do, and how much the list of codes helps (the exam gap)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from perturb.metrics.inputs import Estimate, Integers, plain
from perturb.metrics.intervals import reported_estimate, weighted_sum
from perturb.metrics.kinds import BehaviourKind, Reading
from perturb.metrics.refusal_registry import REFUSAL_METRICS
from perturb.records import ANSWER_CORRECTLY
from perturb.scoring.model_scores import Resampling
from perturb.scoring.own_metrics import ResampledReplies
from perturb.scoring.table import ModelReplies, ordered_names
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
    found = []
    for one in models:
        if not one.free:
            continue
        counts = Counter(
            (row.item.perturbation_class, row.expected == ANSWER_CORRECTLY, row.kind or "unscored")
            for row in one.rows
        )
        for name in ordered_names([row.item.perturbation_class for row in one.rows]):
            found += [
                KindCount(one.model, name, answerable, kind, counts[name, answerable, kind])
                for answerable in (False, True)
                for kind in (*BehaviourKind, "unscored")
                if counts[name, answerable, kind]
            ]
    return tuple(found)


def measure_exam_gaps(
    models: Sequence[ModelReplies], resampling: Resampling, *, raf: bool
) -> tuple[ExamGap, ...]:
    """The gaps of every model that was asked with the codes and in other settings."""
    found: list[ExamGap] = []
    with_codes = {one.setting[0]: one for one in models if one.setting[1] in (None, CODES)}
    for other in models:
        name, prompt = other.setting
        if prompt in (None, CODES) or name not in with_codes:
            continue
        common = frozenset(other.item_ids) & frozenset(with_codes[name].item_ids)
        if not common:
            continue
        first, second = with_codes[name].only(common), other.only(common)
        found += _gaps(first, second, "strict", resampling, raf=raf)
        if other.free:
            found += _gaps(first, second.lenient(), "lenient", resampling, raf=raf)
    return tuple(found)


def _gaps(
    codes: ModelReplies, other: ModelReplies, reading: Reading, resampling: Resampling, *, raf: bool
) -> Iterator[ExamGap]:
    labels = codes.labels("perturbation_class")
    drawn = resampling.draw(codes.labels("base_id"))
    groups: dict[str, Integers] = {ALL_CLASSES: np.arange(len(labels))}
    groups |= {name: np.flatnonzero([one == name for one in labels]) for name in ordered_names(labels)}
    for group, rows in groups.items():
        part = drawn.part(rows)
        pair = [ResampledReplies.of(one.cells[rows], part, raf=raf) for one in (codes, other)]
        for metric in GAP_METRICS:
            sides = [one.bounded(REFUSAL_METRICS[metric]) for one in pair]
            if any(one.value is None for one in sides):
                gap = Estimate.undefined("undefined in one of the settings", len(rows))
            else:
                gap = reported_estimate(weighted_sum(sides, [1.0, -1.0], len(rows)))
            name, prompt = other.setting
            with_codes, without = (one.value for one in sides)
            yield ExamGap(name, prompt or "", reading, metric, group, with_codes, without, gap)
