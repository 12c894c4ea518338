"""What a free reply does: eight kinds, and the table that maps them to the outcomes of RefusalBench in two readings.

A model that is asked as in production gives no code. A judge names the kind of its reply; the table decides the rest.

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

from collections.abc import Mapping
from enum import StrEnum
from typing import Literal

from perturb.metrics.outcomes import ANSWER

Reading = Literal["strict", "lenient"]
"""Strict: only a reply that offers nothing as an answer is a refusal. Lenient: so is a list without a preference."""
READINGS: tuple[Reading, ...] = ("strict", "lenient")

Counts = Literal["right", "other", "ambiguous", "answer"]
"""What a reply counts as: a refusal with the right code, with another, as ambiguous, or an answer attempt."""

OTHER, AMBIGUOUS = "REFUSE_OTHER", "REFUSE_AMBIGUOUS_QUERY"


class BehaviourKind(StrEnum):
    """What a free reply does, from withholding an answer to giving one without a reservation."""

    REFUSES_RIGHT_REASON = "refuses_right_reason"
    REFUSES_OTHER_REASON = "refuses_other_reason"
    ASKS_BACK = "asks_back"
    LISTS_VERSIONS = "lists_versions"
    ANSWERS_FLAGGED = "answers_flagged"
    ANSWERS_OUTSIDE = "answers_outside"
    CORRECTS_PREMISE = "corrects_premise"
    ANSWERS = "answers"


COUNTS: Mapping[BehaviourKind, Mapping[Reading, Counts]] = {
    BehaviourKind.REFUSES_RIGHT_REASON: {"strict": "right", "lenient": "right"},
    BehaviourKind.REFUSES_OTHER_REASON: {"strict": "other", "lenient": "other"},
    BehaviourKind.ASKS_BACK: {"strict": "ambiguous", "lenient": "ambiguous"},
    BehaviourKind.LISTS_VERSIONS: {"strict": "answer", "lenient": "right"},
    BehaviourKind.ANSWERS_FLAGGED: {"strict": "answer", "lenient": "answer"},
    BehaviourKind.ANSWERS_OUTSIDE: {"strict": "answer", "lenient": "answer"},
    BehaviourKind.CORRECTS_PREMISE: {"strict": "answer", "lenient": "answer"},
    BehaviourKind.ANSWERS: {"strict": "answer", "lenient": "answer"},
}
"""The table above."""


def predicted_behaviour(kind: str, expected: str, reading: Reading = "strict") -> str:
    """What a reply of this kind counts as predicting: `ANSWER_CORRECTLY` or a refusal code.

    `expected` is the ground truth of the item, `ANSWER_CORRECTLY` or its code. Raises ValueError for an unknown kind.

    >>> predicted_behaviour("lists_versions", "REFUSE_CONTRADICTORY_CONTEXT")
    'ANSWER_CORRECTLY'
    >>> predicted_behaviour("lists_versions", "REFUSE_CONTRADICTORY_CONTEXT", "lenient")
    'REFUSE_CONTRADICTORY_CONTEXT'
    """
    counts = COUNTS[BehaviourKind(kind)][reading]
    if counts == "answer":
        return ANSWER
    if counts == "ambiguous":
        return AMBIGUOUS
    return OTHER if counts == "other" or expected == ANSWER else expected
