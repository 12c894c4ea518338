"""The outcomes of replies, and the counts that every refusal metric is computed from.

A reply has one outcome and, if the model was asked for it, one of five confidence levels. Counts of replies by outcome
and level add up over items. A metric of a bootstrap resample is therefore the metric of a weighted sum of counts, and
one function serves the data and all resamples. Reference: RefusalBench, appendix D.

A model that is asked as in production replies in plain words, without a refusal code. A judge names the kind of the
reply, and this table turns it into a prediction, in two readings:

| kind | strict | lenient |
|---|---|---|
| `refuses_right_reason` | refusal, right code | refusal, right code |
| `refuses_other_reason` | refusal, another code | refusal, another code |
| `asks_back` | refusal as ambiguous | refusal as ambiguous |
| `lists_versions` | answer | refusal, right code |
| `answers_flagged` | answer | answer |
| `answers_outside` | answer | answer |
| `corrects_premise` | answer | answer |
| `answers` | answer | answer |

A refusal of an answerable item is a false refusal, whatever its reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import product
from typing import Any, Literal

import numpy as np

from perturb.metrics.inputs import Floats, Integers

# The ground truth of an answerable item; as a prediction, an attempted answer.
ANSWER = "ANSWER_CORRECTLY"

# The verbal confidence levels and the midpoints of their ranges (RefusalBench, appendix F.2).
LEVELS: dict[str, float] = {
    "VERY_CONFIDENT": 0.95,
    "CONFIDENT": 0.80,
    "SOMEWHAT_CONFIDENT": 0.60,
    "UNCERTAIN": 0.40,
    "VERY_UNCERTAIN": 0.15,
}

# The position of replies without a stated confidence, after the levels.
NO_LEVEL = len(LEVELS)


# An answer of this quality or more, from 1 to 5, is correct.
CORRECT_FROM = 4


class ReplyOutcome(StrEnum):
    """The outcome of one reply: six scored outcomes, then three with an unreadable part."""

    CORRECT_ANSWER = "correct_answer"
    """An answerable item, answered correctly."""
    POOR_ANSWER = "poor_answer"
    """An answerable item, answered badly."""
    CORRECT_REFUSAL = "correct_refusal"
    """An unanswerable item, refused with the right code."""
    WRONG_CODE_REFUSAL = "wrong_code_refusal"
    """An unanswerable item, refused with another code."""
    FALSE_REFUSAL = "false_refusal"
    """An answerable item, refused."""
    MISSED_REFUSAL = "missed_refusal"
    """An unanswerable item, answered."""
    UNGRADED_ANSWER = "ungraded_answer"
    """An answerable item, answered; the grade of the answer is unreadable."""
    UNREAD_ANSWERABLE = "unread_answerable"
    """An answerable item; it is unknown whether it was answered or refused."""
    UNREAD_UNANSWERABLE = "unread_unanswerable"
    """An unanswerable item; it is unknown whether it was answered or refused."""


# The outcomes of a reply that could not be read, or whose answer has no grade.
UNSCORED: tuple[ReplyOutcome, ...] = (
    ReplyOutcome.UNGRADED_ANSWER,
    ReplyOutcome.UNREAD_ANSWERABLE,
    ReplyOutcome.UNREAD_UNANSWERABLE,
)
# The six outcomes of a scored reply; their shares sum to 1.
SCORED: tuple[ReplyOutcome, ...] = tuple(outcome for outcome in ReplyOutcome if outcome not in UNSCORED)

# The position of each outcome in tables of counts.
OUTCOME_POSITIONS = {outcome: position for position, outcome in enumerate(ReplyOutcome)}
# The outcomes that an unscored reply could have had.
COULD_BE = {
    ReplyOutcome.UNGRADED_ANSWER: (ReplyOutcome.CORRECT_ANSWER, ReplyOutcome.POOR_ANSWER),
    ReplyOutcome.UNREAD_ANSWERABLE: (
        ReplyOutcome.CORRECT_ANSWER,
        ReplyOutcome.POOR_ANSWER,
        ReplyOutcome.FALSE_REFUSAL,
    ),
    ReplyOutcome.UNREAD_UNANSWERABLE: (
        ReplyOutcome.CORRECT_REFUSAL,
        ReplyOutcome.WRONG_CODE_REFUSAL,
        ReplyOutcome.MISSED_REFUSAL,
    ),
}


def is_correct(
    quality: int | None, eligible: bool | None = None, factual_signal: bool | None = None
) -> bool | None:
    """Whether an answer counts as right, by its quality from 1 to 5 or else by its RAF; None if a judgement is missing.

    >>> is_correct(4), is_correct(None, True, False), is_correct(None, True, None)
    (True, False, None)
    """
    if quality is not None:
        return quality >= CORRECT_FROM
    parts = (eligible, factual_signal)
    if False in parts:
        return False
    return None if None in parts else True


def reply_outcome(expected: str, predicted: str | None, correct: bool | None = None) -> ReplyOutcome:
    """The outcome of one reply.

    `expected` is `ANSWER_CORRECTLY` or a refusal code. `predicted` is one of these too, or None if the reply could not
    be classified. `correct` says whether an answer to an answerable item is right, or is None if that is unreadable;
    it does not matter for other replies.

    Reference: RefusalBench, appendix D.

    >>> reply_outcome("REFUSE_OTHER", "REFUSE_OTHER").value, reply_outcome("ANSWER_CORRECTLY", "REFUSE_OTHER").value
    ('correct_refusal', 'false_refusal')
    """
    if expected == ANSWER:
        if predicted is None:
            return ReplyOutcome.UNREAD_ANSWERABLE
        if predicted != ANSWER:
            return ReplyOutcome.FALSE_REFUSAL
        if correct is None:
            return ReplyOutcome.UNGRADED_ANSWER
        return ReplyOutcome.CORRECT_ANSWER if correct else ReplyOutcome.POOR_ANSWER
    if predicted is None:
        return ReplyOutcome.UNREAD_UNANSWERABLE
    if predicted == ANSWER:
        return ReplyOutcome.MISSED_REFUSAL
    return ReplyOutcome.CORRECT_REFUSAL if predicted == expected else ReplyOutcome.WRONG_CODE_REFUSAL


@dataclass(frozen=True)
class ReplyCounts:
    """The numbers of replies by outcome and confidence level."""

    table: Floats
    """Shape (…, 9 outcomes, 5 levels and no level); leading axes are for example resamples."""
    raf: bool = False
    """Whether answers were judged by relevance-aware factuality (on several passages), rather than by a quality."""

    @classmethod
    def of(
        cls, outcomes: Iterable[str], confidence: Sequence[str | None] | None = None, *, raf: bool = False
    ) -> ReplyCounts:
        """Count replies; `confidence` has the names of levels, or None for a reply without a level.

        Raises ValueError for an unknown outcome or level and for columns of different lengths.

        >>> ReplyCounts.of(["missed_refusal", "missed_refusal"], ["CONFIDENT", None]).total(["missed_refusal"])
        array(2.)
        """
        return cls.of_rows(reply_cells(outcomes, confidence), raf=raf)

    @classmethod
    def of_rows(cls, cells: Integers, *, raf: bool = False) -> ReplyCounts:
        """Count replies from the number of each one's cell (`reply_cells`)."""
        return cls.of_cells(np.bincount(cells, minlength=CELLS).astype(np.float64), raf=raf)

    @classmethod
    def of_cells(cls, counts: Floats, *, raf: bool = False) -> ReplyCounts:
        """The counts from the number of replies in each cell, shape (…, `CELLS`)."""
        return cls(counts.reshape(*counts.shape[:-1], len(ReplyOutcome), NO_LEVEL + 1), raf)

    def total(self, outcomes: Iterable[str]) -> Floats:
        """The number of replies with one of the outcomes, shape (…)."""
        return np.asarray(
            sum(self._by_outcome[OUTCOME_POSITIONS[ReplyOutcome(outcome)]] for outcome in outcomes)
        )

    def by_level(self, outcomes: Iterable[str]) -> Floats:
        """The number of replies with one of the outcomes by stated level, shape (…, 5)."""
        return np.asarray(
            sum(self.table[..., OUTCOME_POSITIONS[ReplyOutcome(outcome)], :NO_LEVEL] for outcome in outcomes)
        )

    def completions(self) -> ReplyCounts:
        """These counts, then the counts for every way in which the unscored replies of each kind could be read.

        All replies of a kind are read alike. Such readings give a ratio of sums of counts its smallest and its largest
        value, because the ratio only rises or only falls as one count grows. The leading axis has 19 entries: these
        counts and 2 × 3 × 3 readings.
        """
        tables = [self.table]
        for choice in product(*COULD_BE.values()):
            table = self.table.copy()
            for unscored, outcome in zip(COULD_BE, choice, strict=True):
                table[..., OUTCOME_POSITIONS[outcome], :] += table[..., OUTCOME_POSITIONS[unscored], :]
                table[..., OUTCOME_POSITIONS[unscored], :] = 0
            tables.append(table)
        return ReplyCounts(np.stack(tables), self.raf)

    @cached_property
    def _by_outcome(self) -> list[Floats]:
        """The number of replies with each outcome, for all levels: nine arrays of shape (…)."""
        outcomes_first = np.moveaxis(self.table.sum(axis=-1), -1, 0)
        # Contiguous, since `total` adds these arrays for every metric and every set of resamples.
        return list(np.ascontiguousarray(outcomes_first))


# The number of combinations of outcome and level, which are called cells here.
CELLS = len(ReplyOutcome) * (NO_LEVEL + 1)


def reply_cells(outcomes: Iterable[str], confidence: Sequence[str | None] | None = None) -> Integers:
    """The combination of outcome and level of each reply, numbered from 0 to 53.

    Raises ValueError for an unknown outcome or level and for columns of different lengths.

    >>> reply_cells(["correct_answer", "poor_answer"], ["VERY_CONFIDENT", None]).tolist()
    [0, 11]
    """
    outcome_numbers = [_position(OUTCOME_POSITIONS, outcome, "outcome") for outcome in outcomes]
    names = [None] * len(outcome_numbers) if confidence is None else list(confidence)
    if len(names) != len(outcome_numbers):
        raise ValueError(
            f"columns differ in length: outcomes has {len(outcome_numbers)}, confidence has {len(names)} rows"
        )
    level_positions = {name: position for position, name in enumerate(LEVELS)}
    level_numbers = [
        NO_LEVEL if name is None else _position(level_positions, name, "confidence level") for name in names
    ]
    # Cells are numbered outcome by outcome: each has `NO_LEVEL` + 1 cells.
    first_cells = np.array(outcome_numbers, dtype=np.int64) * (NO_LEVEL + 1)
    return first_cells + np.array(level_numbers, dtype=np.int64)


def _position(positions: dict[Any, int], name: str, kind: str) -> int:
    """The position of a name. Raises ValueError, which says of what kind the name should be."""
    if name not in positions:
        raise ValueError(f"'{name}' is not a known {kind}: one of {', '.join(positions)} is expected")
    return positions[name]


# Strict: only a reply without any answer is a refusal. Lenient: a list of answers without a preference is one too.
Reading = Literal["strict", "lenient"]
READINGS: tuple[Reading, ...] = ("strict", "lenient")

# A refusal with the right code, with another code, as ambiguous, or an attempted answer.
_CountsAs = Literal["right", "other", "ambiguous", "answer"]

# The codes of two kinds of free replies, whatever the code of the item.
OTHER, AMBIGUOUS = "REFUSE_OTHER", "REFUSE_AMBIGUOUS_QUERY"


class BehaviourKind(StrEnum):
    """The kind of a free reply, from a refusal to an answer without reservation."""

    REFUSES_RIGHT_REASON = "refuses_right_reason"
    REFUSES_OTHER_REASON = "refuses_other_reason"
    ASKS_BACK = "asks_back"
    LISTS_VERSIONS = "lists_versions"
    ANSWERS_FLAGGED = "answers_flagged"
    ANSWERS_OUTSIDE = "answers_outside"
    CORRECTS_PREMISE = "corrects_premise"
    ANSWERS = "answers"


# The table in the docstring of the module.
COUNTS_AS: Mapping[BehaviourKind, Mapping[Reading, _CountsAs]] = {
    BehaviourKind.REFUSES_RIGHT_REASON: {"strict": "right", "lenient": "right"},
    BehaviourKind.REFUSES_OTHER_REASON: {"strict": "other", "lenient": "other"},
    BehaviourKind.ASKS_BACK: {"strict": "ambiguous", "lenient": "ambiguous"},
    BehaviourKind.LISTS_VERSIONS: {"strict": "answer", "lenient": "right"},
    BehaviourKind.ANSWERS_FLAGGED: {"strict": "answer", "lenient": "answer"},
    BehaviourKind.ANSWERS_OUTSIDE: {"strict": "answer", "lenient": "answer"},
    BehaviourKind.CORRECTS_PREMISE: {"strict": "answer", "lenient": "answer"},
    BehaviourKind.ANSWERS: {"strict": "answer", "lenient": "answer"},
}


def predicted_behaviour(kind: str, expected: str, reading: Reading = "strict") -> str:
    """The prediction of a reply of this kind: `ANSWER_CORRECTLY` or a refusal code.

    `expected` is the ground truth of the item, `ANSWER_CORRECTLY` or its code. Raises ValueError for an unknown kind.

    >>> predicted_behaviour("lists_versions", "REFUSE_CONTRADICTORY_CONTEXT")
    'ANSWER_CORRECTLY'
    >>> predicted_behaviour("lists_versions", "REFUSE_CONTRADICTORY_CONTEXT", "lenient")
    'REFUSE_CONTRADICTORY_CONTEXT'
    """
    counts_as = COUNTS_AS[BehaviourKind(kind)][reading]
    if counts_as == "answer":
        return ANSWER
    if counts_as == "ambiguous":
        return AMBIGUOUS
    return OTHER if counts_as == "other" or expected == ANSWER else expected
