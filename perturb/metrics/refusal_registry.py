"""The registry of refusal metrics: what tables, JSON, docs and the common test know of each of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from perturb.metrics import refusal
from perturb.metrics.estimates import Estimate
from perturb.metrics.inputs import Floats
from perturb.metrics.outcomes import LEVELS, ReplyCounts, ReplyOutcome


@dataclass(frozen=True, slots=True)
class RefusalMetric:
    """A registered metric: how to compute it, read it and say why it is missing."""

    compute: Callable[[ReplyCounts], Floats]
    higher_is_better: bool | None
    """None where neither direction is."""
    over: tuple[ReplyOutcome, ...]
    """The replies that the value rests on."""
    undefined: str
    """Why there is no value, when there is none."""
    maximum: float = 1.0
    """The upper end of the range; the lower one is 0."""
    of_levels: bool = False
    """True if it rests on replies that state a confidence level only."""
    needs_raf: bool = False
    """True if it is defined for answers judged by relevance-aware factuality only."""
    hits: tuple[ReplyOutcome, ...] = ()
    """The replies that add to the value, where it is a share of items known before anybody is asked."""
    halves: bool = False
    """True if such a share gives the answerable and the unanswerable items half the weight each."""

    @property
    def name(self) -> str:
        """The name, as in tables and JSON."""
        return self.compute.__name__

    def n(self, replies: ReplyCounts) -> int:
        """How many replies the value rests on."""
        counted = replies.by_level(self.over) if self.of_levels else replies.total(self.over)
        return round(float(counted.sum()))

    def item_weights(self, answerable: int, unanswerable: int) -> tuple[float, float]:
        """What a hit among so many items adds to the value: an answerable item, and an unanswerable one.

        >>> REFUSAL_METRICS["calibrated_refusal_score"].item_weights(2, 4)
        (0.25, 0.125)
        """
        on_a, on_u = (bool({*self.hits} & {*side}) for side in (refusal.READ_A, refusal.READ_U))
        total = answerable * on_a + unanswerable * on_u
        each = (0.5 / answerable, 0.5 / unanswerable) if self.halves else (1 / total, 1 / total)
        return each[0] * on_a, each[1] * on_u


_NO_RAF = "not all answers have relevance-aware factuality, some have grades 1 to 5 or none: answer_accuracy counts all"
_NO_A = "no reply to an answerable item was scored"
_NO_U = "no reply to an unanswerable item was read"
_NO_PART = "no reply to an answerable item, or none to an unanswerable one, was scored"
_NO_LEVEL = "states a confidence level"
_READ = (*refusal.READ_A, *refusal.READ_U)
_SCORED = (*refusal.GRADED_A, *refusal.READ_U)
_CORRECT, _RIGHT_CODE = (ReplyOutcome.CORRECT_ANSWER,), (ReplyOutcome.CORRECT_REFUSAL,)
_TOP = max(LEVELS.values())

REFUSAL_METRICS: dict[str, RefusalMetric] = {
    metric.name: metric
    for metric in (
        RefusalMetric(refusal.answer_accuracy, True, refusal.GRADED_A, _NO_A, hits=_CORRECT),
        RefusalMetric(refusal.answer_quality, True, refusal.GRADED_A, _NO_A, needs_raf=True, hits=_CORRECT),
        RefusalMetric(refusal.refusal_accuracy, True, refusal.READ_U, _NO_U, hits=_RIGHT_CODE),
        RefusalMetric(
            refusal.false_refusal_rate,
            False,
            refusal.READ_A,
            "no reply to an answerable item was read",
            hits=(ReplyOutcome.FALSE_REFUSAL,),
        ),
        RefusalMetric(
            refusal.missed_refusal_rate, False, refusal.READ_U, _NO_U, hits=(ReplyOutcome.MISSED_REFUSAL,)
        ),
        RefusalMetric(refusal.refusal_rate, None, _READ, "no reply was read", hits=refusal.REFUSED),
        RefusalMetric(refusal.correct_refusal_rate, True, refusal.READ_U, _NO_U, hits=refusal.REFUSED_U),
        RefusalMetric(refusal.detection_precision, True, refusal.REFUSED, "nothing was refused"),
        RefusalMetric(refusal.detection_recall, True, refusal.READ_U, _NO_U, hits=refusal.REFUSED_U),
        RefusalMetric(refusal.detection_f1, True, _READ, "nothing was refused, or should have been"),
        RefusalMetric(refusal.category_accuracy, True, refusal.REFUSED_U, "no unanswerable item was refused"),
        RefusalMetric(refusal.hierarchical_refusal_score, True, _READ, "no unanswerable item was refused"),
        RefusalMetric(
            refusal.calibrated_refusal_score, True, _SCORED, _NO_PART, hits=refusal.RIGHT, halves=True
        ),
        RefusalMetric(refusal.hybrid_score, True, _SCORED, _NO_PART, needs_raf=True, hits=refusal.RIGHT),
        RefusalMetric(
            refusal.ece,
            False,
            (*refusal.ANSWERED, *refusal.REFUSED),
            f"no scored reply {_NO_LEVEL}",
            _TOP,
            True,
        ),
        RefusalMetric(
            refusal.ece_answers, False, refusal.ANSWERED, f"no scored answer {_NO_LEVEL}", _TOP, True
        ),
        RefusalMetric(refusal.ece_refusals, False, refusal.REFUSED, f"no refusal {_NO_LEVEL}", _TOP, True),
    )
}
"""Every metric by name, in the order of tables."""


def measure(name: str, replies: ReplyCounts) -> Estimate:
    """One metric of one set of replies, without an interval; undefined is None with the reason.

    Raises KeyError for a name that is not in `REFUSAL_METRICS`.

    >>> measure("category_accuracy", ReplyCounts.of(["missed_refusal"])).reason
    'no unanswerable item was refused'
    """
    metric = REFUSAL_METRICS[name]
    value, n = float(metric.compute(replies)), metric.n(replies)
    if not np.isnan(value):
        return Estimate(value, n=n)
    return Estimate.undefined(_NO_RAF if metric.needs_raf and not replies.raf else metric.undefined, n)
