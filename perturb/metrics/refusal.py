"""The metrics of selective refusal: does a model answer what it can and refuse, for the right reason, what it cannot?

A are the answerable items (LOW intensity), U the unanswerable ones (MEDIUM and HIGH). Each metric is a function of
`ReplyCounts`, so it takes one set of replies or any number of resamples, shape (…), and hands back the same shape.
Replies that could not be read are in no numerator and no denominator; `bounds` says what they could change. Here an
undefined value is NaN; `measure` turns it into None with the reason. `REFUSAL_METRICS` lists all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from perturb.metrics.estimates import Estimate
from perturb.metrics.inputs import Floats
from perturb.metrics.outcomes import LEVELS, Outcome, ReplyCounts

GRADED_A = (Outcome.CORRECT_ANSWER, Outcome.POOR_ANSWER, Outcome.FALSE_REFUSAL)
READ_A = (*GRADED_A, Outcome.UNGRADED_ANSWER)
READ_U = (Outcome.CORRECT_REFUSAL, Outcome.WRONG_CODE_REFUSAL, Outcome.MISSED_REFUSAL)
REFUSED_U = (Outcome.CORRECT_REFUSAL, Outcome.WRONG_CODE_REFUSAL)
REFUSED = (*REFUSED_U, Outcome.FALSE_REFUSAL)
RIGHT = (Outcome.CORRECT_ANSWER, Outcome.CORRECT_REFUSAL)
ANSWERED = (Outcome.CORRECT_ANSWER, Outcome.POOR_ANSWER, Outcome.MISSED_REFUSAL)
EVERYTHING = tuple(Outcome)


def answer_accuracy(replies: ReplyCounts) -> Floats:
    """How often an answerable item is answered, and well.

    Formula: correct answers / A; an answer is correct with a quality of 4 or 5, or with a relevance-aware
    factuality of 1; a refusal is not. Range: [0, 1]; higher is better. Undefined when no item of A was scored.

    Reference: RefusalBench, appendix D.

    >>> float(answer_accuracy(ReplyCounts.of(["correct_answer", "poor_answer", "false_refusal", "false_refusal"])))
    0.25
    """
    return _ratio(replies.total([Outcome.CORRECT_ANSWER]), replies.total(GRADED_A))


def answer_quality(replies: ReplyCounts) -> Floats:
    """Answer quality score of sets with several passages: mean relevance-aware factuality (RAF).

    Formula: sum of RAF over A / A, refusals counting 0. Range: [0, 1]; higher is better. Undefined when answers were
    not judged by RAF, or no item of A was scored.

    Reference: RefusalBench, appendix D.

    >>> float(answer_quality(ReplyCounts.of(["correct_answer", "false_refusal"], raf=True)))
    0.5
    """
    return answer_accuracy(replies) if replies.raf else np.full(replies.table.shape[:-2], np.nan)


def refusal_accuracy(replies: ReplyCounts) -> Floats:
    """How often an unanswerable item is refused for the right reason.

    Formula: refusals with the right code / U. Range: [0, 1]; higher is better. Undefined when no item of U was read.

    Reference: RefusalBench, appendix D.

    >>> float(refusal_accuracy(ReplyCounts.of(["correct_refusal", "wrong_code_refusal"])))
    0.5
    """
    return _ratio(replies.total([Outcome.CORRECT_REFUSAL]), replies.total(READ_U))


def false_refusal_rate(replies: ReplyCounts) -> Floats:
    """Over-caution: how often an answerable item is refused (FRR).

    Formula: refusals on A / A. Range: [0, 1]; lower is better. Undefined when no item of A was read.

    Reference: RefusalBench, appendix D.

    >>> float(false_refusal_rate(ReplyCounts.of(["false_refusal", "ungraded_answer"])))
    0.5
    """
    return _ratio(replies.total([Outcome.FALSE_REFUSAL]), replies.total(READ_A))


def missed_refusal_rate(replies: ReplyCounts) -> Floats:
    """Over-confidence: how often an unanswerable item is answered (MRR).

    Formula: answers on U / U. Range: [0, 1]; lower is better. Undefined when no item of U was read.

    Reference: RefusalBench, appendix D.

    >>> float(missed_refusal_rate(ReplyCounts.of(["missed_refusal", "correct_refusal"])))
    0.5
    """
    return _ratio(replies.total([Outcome.MISSED_REFUSAL]), replies.total(READ_U))


def refusal_rate(replies: ReplyCounts) -> Floats:
    """How often a model refuses, rightly or wrongly.

    Formula: refusals / all items. Range: [0, 1]; neither direction is better: the share of U in the set is a
    well-behaved model's rate. Undefined when no reply was read.

    Reference: RefusalBench, appendix D.

    >>> float(refusal_rate(ReplyCounts.of(["false_refusal", "wrong_code_refusal", "missed_refusal", "poor_answer"])))
    0.5
    """
    return _ratio(replies.total(REFUSED), replies.total((*READ_A, *READ_U)))


def correct_refusal_rate(replies: ReplyCounts) -> Floats:
    """How often an unanswerable item is refused, for whatever reason.

    Formula: refusals on U / U. Range: [0, 1]; higher is better. Undefined when no item of U was read.

    Reference: RefusalBench, appendix D.

    >>> replies = ["correct_refusal", "wrong_code_refusal", "missed_refusal", "missed_refusal"]
    >>> float(correct_refusal_rate(ReplyCounts.of(replies)))
    0.5
    """
    return _ratio(replies.total(REFUSED_U), replies.total(READ_U))


def detection_precision(replies: ReplyCounts) -> Floats:
    """How far a refusal means that the item is unanswerable.

    Formula: refusals on U / refusals. Range: [0, 1]; higher is better. Undefined when nothing was refused.

    Reference: RefusalBench, appendix D.

    >>> float(detection_precision(ReplyCounts.of(["wrong_code_refusal", "false_refusal"])))
    0.5
    """
    return _ratio(replies.total(REFUSED_U), replies.total(REFUSED))


def detection_recall(replies: ReplyCounts) -> Floats:
    """How many of the unanswerable items are refused: the correct refusal rate, under its name beside precision.

    Formula: refusals on U / U. Range: [0, 1]; higher is better. Undefined when no item of U was read.

    Reference: RefusalBench, appendix D.

    >>> float(detection_recall(ReplyCounts.of(["correct_refusal", "missed_refusal"])))
    0.5
    """
    return correct_refusal_rate(replies)


def detection_f1(replies: ReplyCounts) -> Floats:
    """Does a model know when to refuse? Refusing against answering, whatever the code.

    Formula: 2 x refusals on U / (refusals + U), the harmonic mean of precision and recall, and 0 when a model never
    refuses although it should. Range: [0, 1]; higher is better. Undefined when nothing was refused and no
    item of U was read.

    Reference: RefusalBench, appendix D.

    >>> replies = ["correct_refusal", "missed_refusal", "false_refusal", "correct_answer"]
    >>> float(detection_f1(ReplyCounts.of(replies)))
    0.5
    """
    hits = 2 * replies.total(REFUSED_U)
    return _ratio(hits, hits + replies.total([Outcome.FALSE_REFUSAL, Outcome.MISSED_REFUSAL]))


def category_accuracy(replies: ReplyCounts) -> Floats:
    """Does a model know why it refuses?

    Formula: refusals with the right code / refusals on U. Range: [0, 1]; higher is better. Undefined when no item of U
    was refused.

    Reference: RefusalBench, appendix D.

    >>> float(category_accuracy(ReplyCounts.of(["correct_refusal", "wrong_code_refusal", "missed_refusal"])))
    0.5
    """
    return _ratio(replies.total([Outcome.CORRECT_REFUSAL]), replies.total(REFUSED_U))


def hierarchical_refusal_score(replies: ReplyCounts) -> Floats:
    """Knowing when and why to refuse, in one number.

    Formula: detection F1 x category accuracy. Range: [0, 1]; higher is better. Undefined when no item of U was refused,
    since the category accuracy is.

    Reference: RefusalBench, appendix D.

    >>> float(hierarchical_refusal_score(ReplyCounts.of(["correct_refusal", "wrong_code_refusal"])))
    0.5
    """
    return detection_f1(replies) * category_accuracy(replies)


def calibrated_refusal_score(replies: ReplyCounts) -> Floats:
    """The balanced score (CRS): answering what can be answered and refusing what cannot weigh the same.

    Formula: (answer accuracy + refusal accuracy) / 2. Range: [0, 1]; higher is better. Undefined when either part is.

    Reference: RefusalBench, appendix D; its table has 57.7 and 73.0, which give 65.35.

    >>> on_a = ["correct_answer"] * 577 + ["poor_answer"] * 423
    >>> on_u = ["correct_refusal"] * 730 + ["missed_refusal"] * 270
    >>> round(100 * float(calibrated_refusal_score(ReplyCounts.of(on_a + on_u))), 2)
    65.35
    """
    return (answer_accuracy(replies) + refusal_accuracy(replies)) / 2


def hybrid_score(replies: ReplyCounts) -> Floats:
    """Answer quality and refusal accuracy of sets with several passages, weighted as the set is composed.

    Formula: (A x answer quality + U x refusal accuracy) / (A + U). Range: [0, 1]; higher is better. Undefined when
    either part is.

    Reference: RefusalBench, appendix D.

    >>> replies = ["correct_answer", "missed_refusal", "missed_refusal", "correct_refusal"]
    >>> float(hybrid_score(ReplyCounts.of(replies, raf=True)))
    0.5
    """
    a = replies.total((*READ_A, Outcome.UNREAD_ANSWERABLE))
    u = replies.total((*READ_U, Outcome.UNREAD_UNANSWERABLE))
    return _ratio(a * answer_quality(replies) + u * refusal_accuracy(replies), a + u)


def ece(replies: ReplyCounts) -> Floats:
    """Expected calibration error of the five verbal levels, over all scored replies that state one.

    Formula: sum over levels of (n_b / N) |accuracy_b - midpoint_b|; right are correct answers and refusals with the
    right code; midpoints .95, .80, .60, .40, .15. Range: [0, 0.95]; lower is better. Undefined when no scored
    reply states a level.

    Reference: RefusalBench, appendix F.2.

    >>> sure = ReplyCounts.of(["correct_answer", "missed_refusal"], ["VERY_CONFIDENT", "VERY_CONFIDENT"])
    >>> round(float(ece(sure)), 4)
    0.45
    """
    return _calibration_error(replies, (*ANSWERED, *REFUSED))


def ece_answers(replies: ReplyCounts) -> Floats:
    """Expected calibration error of the answers, given to answerable and to unanswerable items.

    Formula: that of `ece`, over answers. Range: [0, 0.95]; lower is better. Undefined when no scored answer states a
    level.

    Reference: RefusalBench, appendix F.2.

    >>> round(float(ece_answers(ReplyCounts.of(["correct_answer", "false_refusal"], ["CONFIDENT", "CONFIDENT"]))), 4)
    0.2
    """
    return _calibration_error(replies, ANSWERED)


def ece_refusals(replies: ReplyCounts) -> Floats:
    """Expected calibration error of the refusals, of answerable and of unanswerable items.

    Formula: that of `ece`, over refusals. Range: [0, 0.95]; lower is better. Undefined when no refusal states a level.

    Reference: RefusalBench, appendix F.2.

    >>> round(float(ece_refusals(ReplyCounts.of(["correct_answer", "false_refusal"], ["CONFIDENT", "CONFIDENT"]))), 4)
    0.8
    """
    return _calibration_error(replies, REFUSED)


@dataclass(frozen=True, slots=True)
class RefusalMetric:
    """A registered metric: how to compute it, read it and say why it is missing."""

    compute: Callable[[ReplyCounts], Floats]
    higher_is_better: bool | None
    """None where neither direction is."""
    over: tuple[Outcome, ...]
    """The replies that the value rests on."""
    undefined: str
    """Why there is no value, when there is none."""
    maximum: float = 1.0
    """The upper end of the range; the lower one is 0."""
    of_levels: bool = False
    """True if it rests on replies that state a confidence level only."""
    needs_raf: bool = False
    """True if it is defined for answers judged by relevance-aware factuality only."""

    @property
    def name(self) -> str:
        """The name, as in tables and JSON."""
        return self.compute.__name__

    def n(self, replies: ReplyCounts) -> int:
        """How many replies the value rests on."""
        counted = replies.by_level(self.over) if self.of_levels else replies.total(self.over)
        return round(float(counted.sum()))

    def why_undefined(self, replies: ReplyCounts) -> str:
        """Why the metric has no value for these replies."""
        if self.needs_raf and not replies.raf:
            return "answers were not judged by relevance-aware factuality"
        return self.undefined


_NO_A = "no reply to an answerable item was scored"
_NO_U = "no reply to an unanswerable item was read"
_NO_PART = "no reply to an answerable item, or none to an unanswerable one, was scored"
_NO_LEVEL = "states a confidence level"
_READ = (*READ_A, *READ_U)
_TOP = max(LEVELS.values())

REFUSAL_METRICS: dict[str, RefusalMetric] = {
    metric.name: metric
    for metric in (
        RefusalMetric(answer_accuracy, True, GRADED_A, _NO_A),
        RefusalMetric(answer_quality, True, GRADED_A, _NO_A, needs_raf=True),
        RefusalMetric(refusal_accuracy, True, READ_U, _NO_U),
        RefusalMetric(false_refusal_rate, False, READ_A, "no reply to an answerable item was read"),
        RefusalMetric(missed_refusal_rate, False, READ_U, _NO_U),
        RefusalMetric(refusal_rate, None, _READ, "no reply was read"),
        RefusalMetric(correct_refusal_rate, True, READ_U, _NO_U),
        RefusalMetric(detection_precision, True, REFUSED, "nothing was refused"),
        RefusalMetric(detection_recall, True, READ_U, _NO_U),
        RefusalMetric(detection_f1, True, _READ, "nothing was refused, or should have been"),
        RefusalMetric(category_accuracy, True, REFUSED_U, "no unanswerable item was refused"),
        RefusalMetric(hierarchical_refusal_score, True, _READ, "no unanswerable item was refused"),
        RefusalMetric(calibrated_refusal_score, True, (*GRADED_A, *READ_U), _NO_PART),
        RefusalMetric(hybrid_score, True, (*GRADED_A, *READ_U), _NO_PART, needs_raf=True),
        RefusalMetric(ece, False, (*ANSWERED, *REFUSED), f"no scored reply {_NO_LEVEL}", _TOP, True),
        RefusalMetric(ece_answers, False, ANSWERED, f"no scored answer {_NO_LEVEL}", _TOP, True),
        RefusalMetric(ece_refusals, False, REFUSED, f"no refusal {_NO_LEVEL}", _TOP, True),
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
    return Estimate.undefined(metric.why_undefined(replies), n) if np.isnan(value) else Estimate(value, n=n)


def bounds(name: str, replies: ReplyCounts) -> tuple[float, float] | None:
    """The smallest and the largest value that a metric takes as the unscored replies are read one way or the other.

    All unscored replies of a kind are right, or wrong in each of the ways there are, or left out. For every metric but
    the calibration errors no reading lies outside. None where the metric is undefined throughout.

    Raises KeyError for a name that is not in `REFUSAL_METRICS`.

    >>> bounds("answer_accuracy", ReplyCounts.of(["correct_answer", "poor_answer", "ungraded_answer"])) == (1 / 3, 2 / 3)
    True
    """
    values = REFUSAL_METRICS[name].compute(replies.completions())
    defined = values[~np.isnan(values)]
    return (float(defined.min()), float(defined.max())) if defined.size else None


def _calibration_error(replies: ReplyCounts, outcomes: tuple[Outcome, ...]) -> Floats:
    stated = replies.by_level(outcomes)
    right = replies.by_level([outcome for outcome in outcomes if outcome in RIGHT])
    gaps = np.abs(right - stated * np.array(list(LEVELS.values())))
    return _ratio(gaps.sum(axis=-1), stated.sum(axis=-1))


def _ratio(top: Floats, bottom: Floats) -> Floats:
    """The quotient; NaN where the bottom is 0."""
    return np.where(bottom > 0, top / np.where(bottom > 0, bottom, 1.0), np.nan)
