"""The metrics of selective refusal: does a model answer what it can, and refuse what it cannot for the right reason?

A are the answerable items (LOW intensity), U the unanswerable ones (MEDIUM and HIGH). Each metric is a function of
`ReplyCounts`: it takes one set of replies or any number of resamples, of shape (…), and returns the same shape.
Unreadable replies are in neither numerator nor denominator. An undefined value is NaN here.
`perturb.metrics.refusal_registry` lists all metrics, replaces NaN by None with the reason, and gives the bounds that
unreadable replies leave.
"""

from __future__ import annotations

import numpy as np

from perturb.metrics.inputs import Floats, ratio
from perturb.metrics.outcomes import LEVELS, ReplyCounts, ReplyOutcome

# Sets of outcomes that metrics count, of the answerable items (A), of the unanswerable ones (U) or of both. A reply is
# graded if its outcome is fully known, and read if it is known whether the item was answered or refused.
GRADED_A = (ReplyOutcome.CORRECT_ANSWER, ReplyOutcome.POOR_ANSWER, ReplyOutcome.FALSE_REFUSAL)
READ_A = (*GRADED_A, ReplyOutcome.UNGRADED_ANSWER)
READ_U = (ReplyOutcome.CORRECT_REFUSAL, ReplyOutcome.WRONG_CODE_REFUSAL, ReplyOutcome.MISSED_REFUSAL)
REFUSED_U = (ReplyOutcome.CORRECT_REFUSAL, ReplyOutcome.WRONG_CODE_REFUSAL)
REFUSED = (*REFUSED_U, ReplyOutcome.FALSE_REFUSAL)
RIGHT = (ReplyOutcome.CORRECT_ANSWER, ReplyOutcome.CORRECT_REFUSAL)
ANSWERED = (ReplyOutcome.CORRECT_ANSWER, ReplyOutcome.POOR_ANSWER, ReplyOutcome.MISSED_REFUSAL)


def answer_accuracy(replies: ReplyCounts) -> Floats:
    """How often an answerable item is answered, and well.

    Formula: correct answers / A; an answer is correct with a quality of 4 or 5, or with a relevance-aware
    factuality of 1; a refusal is not correct. Range: [0, 1]; higher is better. Undefined if no item of A was scored.

    Reference: RefusalBench, appendix D.

    >>> float(answer_accuracy(ReplyCounts.of(["correct_answer", "poor_answer", "false_refusal", "false_refusal"])))
    0.25
    """
    return ratio(replies.total([ReplyOutcome.CORRECT_ANSWER]), replies.total(GRADED_A))


def answer_quality(replies: ReplyCounts) -> Floats:
    """The answer quality score of sets with several passages: mean relevance-aware factuality (RAF).

    Formula: sum of RAF over A / A, refusals counting 0. Range: [0, 1]; higher is better. Undefined if answers were not
    judged by RAF, or if no item of A was scored.

    Reference: RefusalBench, appendix D.

    >>> float(answer_quality(ReplyCounts.of(["correct_answer", "false_refusal"], raf=True)))
    0.5
    """
    return answer_accuracy(replies) if replies.raf else np.full(replies.table.shape[:-2], np.nan)


def refusal_accuracy(replies: ReplyCounts) -> Floats:
    """How often an unanswerable item is refused for the right reason.

    Formula: refusals with the right code / U. Range: [0, 1]; higher is better. Undefined if no item of U was read.

    Reference: RefusalBench, appendix D.

    >>> float(refusal_accuracy(ReplyCounts.of(["correct_refusal", "wrong_code_refusal"])))
    0.5
    """
    return ratio(replies.total([ReplyOutcome.CORRECT_REFUSAL]), replies.total(READ_U))


def false_refusal_rate(replies: ReplyCounts) -> Floats:
    """Over-caution: how often an answerable item is refused (FRR).

    Formula: refusals on A / A. Range: [0, 1]; lower is better. Undefined if no item of A was read.

    Reference: RefusalBench, appendix D.

    >>> float(false_refusal_rate(ReplyCounts.of(["false_refusal", "ungraded_answer"])))
    0.5
    """
    return ratio(replies.total([ReplyOutcome.FALSE_REFUSAL]), replies.total(READ_A))


def missed_refusal_rate(replies: ReplyCounts) -> Floats:
    """Over-confidence: how often an unanswerable item is answered (MRR).

    Formula: answers on U / U. Range: [0, 1]; lower is better. Undefined if no item of U was read.

    Reference: RefusalBench, appendix D.

    >>> float(missed_refusal_rate(ReplyCounts.of(["missed_refusal", "correct_refusal"])))
    0.5
    """
    return ratio(replies.total([ReplyOutcome.MISSED_REFUSAL]), replies.total(READ_U))


def refusal_rate(replies: ReplyCounts) -> Floats:
    """How often a model refuses, rightly or wrongly.

    Formula: refusals / all items. Range: [0, 1]; neither direction is better: the rate of an ideal model is the share
    of U in the set. Undefined if no reply was read.

    Reference: RefusalBench, appendix D.

    >>> float(refusal_rate(ReplyCounts.of(["false_refusal", "wrong_code_refusal", "missed_refusal", "poor_answer"])))
    0.5
    """
    return ratio(replies.total(REFUSED), replies.total((*READ_A, *READ_U)))


def correct_refusal_rate(replies: ReplyCounts) -> Floats:
    """How often an unanswerable item is refused, for any reason.

    Formula: refusals on U / U. Range: [0, 1]; higher is better. Undefined if no item of U was read.

    Reference: RefusalBench, appendix D.

    >>> replies = ["correct_refusal", "wrong_code_refusal", "missed_refusal", "missed_refusal"]
    >>> float(correct_refusal_rate(ReplyCounts.of(replies)))
    0.5
    """
    return ratio(replies.total(REFUSED_U), replies.total(READ_U))


def detection_precision(replies: ReplyCounts) -> Floats:
    """How often a refused item is unanswerable.

    Formula: refusals on U / refusals. Range: [0, 1]; higher is better. Undefined if nothing was refused.

    Reference: RefusalBench, appendix D.

    >>> float(detection_precision(ReplyCounts.of(["wrong_code_refusal", "false_refusal"])))
    0.5
    """
    return ratio(replies.total(REFUSED_U), replies.total(REFUSED))


def detection_recall(replies: ReplyCounts) -> Floats:
    """How often an unanswerable item is refused: the correct refusal rate, under the name that goes with precision.

    Formula: refusals on U / U. Range: [0, 1]; higher is better. Undefined if no item of U was read.

    Reference: RefusalBench, appendix D.

    >>> float(detection_recall(ReplyCounts.of(["correct_refusal", "missed_refusal"])))
    0.5
    """
    return correct_refusal_rate(replies)


def detection_f1(replies: ReplyCounts) -> Floats:
    """Does a model know when to refuse? The codes of refusals do not matter.

    Formula: 2 x refusals on U / (refusals + U), the harmonic mean of precision and recall, and 0 when a model never
    refuses although it should. Range: [0, 1]; higher is better. Undefined if nothing was refused and no item of U was
    read.

    Reference: RefusalBench, appendix D.

    >>> replies = ["correct_refusal", "missed_refusal", "false_refusal", "correct_answer"]
    >>> float(detection_f1(ReplyCounts.of(replies)))
    0.5
    """
    hits = 2 * replies.total(REFUSED_U)
    return ratio(hits, hits + replies.total([ReplyOutcome.FALSE_REFUSAL, ReplyOutcome.MISSED_REFUSAL]))


def category_accuracy(replies: ReplyCounts) -> Floats:
    """Does a model know why it refuses?

    Formula: refusals with the right code / refusals on U. Range: [0, 1]; higher is better. Undefined if no item of U
    was refused.

    Reference: RefusalBench, appendix D.

    >>> float(category_accuracy(ReplyCounts.of(["correct_refusal", "wrong_code_refusal", "missed_refusal"])))
    0.5
    """
    return ratio(replies.total([ReplyOutcome.CORRECT_REFUSAL]), replies.total(REFUSED_U))


def hierarchical_refusal_score(replies: ReplyCounts) -> Floats:
    """Does a model know when and why to refuse?

    Formula: detection F1 x category accuracy. Range: [0, 1]; higher is better. Undefined if no item of U was refused,
    since the category accuracy is undefined then.

    Reference: RefusalBench, appendix D.

    >>> float(hierarchical_refusal_score(ReplyCounts.of(["correct_refusal", "wrong_code_refusal"])))
    0.5
    """
    return detection_f1(replies) * category_accuracy(replies)


def calibrated_refusal_score(replies: ReplyCounts) -> Floats:
    """The calibrated refusal score (CRS): answers to A and refusals of U have equal weight.

    Formula: (answer accuracy + refusal accuracy) / 2. Range: [0, 1]; higher is better. Undefined if a part is.

    Reference: RefusalBench, appendix D; its table has 57.7 and 73.0, which give 65.35.

    >>> on_a = ["correct_answer"] * 577 + ["poor_answer"] * 423
    >>> on_u = ["correct_refusal"] * 730 + ["missed_refusal"] * 270
    >>> round(100 * float(calibrated_refusal_score(ReplyCounts.of(on_a + on_u))), 2)
    65.35
    """
    return (answer_accuracy(replies) + refusal_accuracy(replies)) / 2


def hybrid_score(replies: ReplyCounts) -> Floats:
    """The mean of answer quality and refusal accuracy of sets with several passages, weighted by the numbers of items.

    Formula: (A x answer quality + U x refusal accuracy) / (A + U). Range: [0, 1]; higher is better. Undefined if a part
    is undefined.

    Reference: RefusalBench, appendix D.

    >>> replies = ["correct_answer", "missed_refusal", "missed_refusal", "correct_refusal"]
    >>> float(hybrid_score(ReplyCounts.of(replies, raf=True)))
    0.5
    """
    a = replies.total((*READ_A, ReplyOutcome.UNREAD_ANSWERABLE))
    u = replies.total((*READ_U, ReplyOutcome.UNREAD_UNANSWERABLE))
    return ratio(a * answer_quality(replies) + u * refusal_accuracy(replies), a + u)


def ece(replies: ReplyCounts) -> Floats:
    """The expected calibration error of the five verbal levels, over all scored replies that state a level.

    Formula: sum over levels of (n_b / N) abs(accuracy_b - midpoint_b). Correct answers and refusals with the right code
    are right; the midpoints are .95, .80, .60, .40, .15. Range: [0, 0.95]; lower is better. Undefined if no scored
    reply states a level.

    Reference: RefusalBench, appendix F.2.

    >>> sure = ReplyCounts.of(["correct_answer", "missed_refusal"], ["VERY_CONFIDENT", "VERY_CONFIDENT"])
    >>> round(float(ece(sure)), 4)
    0.45
    """
    return _calibration_error(replies, (*ANSWERED, *REFUSED))


def ece_answers(replies: ReplyCounts) -> Floats:
    """The expected calibration error of the answers, to answerable and to unanswerable items.

    Formula: that of `ece`, over answers. Range: [0, 0.95]; lower is better. Undefined if no scored answer states a
    level.

    Reference: RefusalBench, appendix F.2.

    >>> round(float(ece_answers(ReplyCounts.of(["correct_answer", "false_refusal"], ["CONFIDENT", "CONFIDENT"]))), 4)
    0.2
    """
    return _calibration_error(replies, ANSWERED)


def ece_refusals(replies: ReplyCounts) -> Floats:
    """The expected calibration error of the refusals, of answerable and of unanswerable items.

    Formula: that of `ece`, over refusals. Range: [0, 0.95]; lower is better. Undefined if no refusal states a level.

    Reference: RefusalBench, appendix F.2.

    >>> round(float(ece_refusals(ReplyCounts.of(["correct_answer", "false_refusal"], ["CONFIDENT", "CONFIDENT"]))), 4)
    0.8
    """
    return _calibration_error(replies, REFUSED)


def _calibration_error(replies: ReplyCounts, outcomes: tuple[ReplyOutcome, ...]) -> Floats:
    """The error of `ece`, over the replies with these outcomes."""
    n_by_level = replies.by_level(outcomes)
    right_by_level = replies.by_level([outcome for outcome in outcomes if outcome in RIGHT])
    gaps = np.abs(right_by_level - n_by_level * np.array(list(LEVELS.values())))
    return ratio(gaps.sum(axis=-1), n_by_level.sum(axis=-1))
