"""Four ways to have a model answer a question and say how sure it is. BAS paper, section 3 and appendix G.1.

Direct: answer and confidence at once. Reflection: an answer, then, in a call of its own, the confidence in it. Top-k:
the k likeliest answers with their probabilities, of which the likeliest counts. Top-k with reflection: the k answers,
then, in a call of its own, their probabilities. Probabilities of several answers come with that of `NONE_OF_THESE`: the
paper has the k alone add up to 1, which makes a model that doubts all of them overstate its doubtful best.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from perturb.evaluate.decision_block import DecisionEntry, read_block
from perturb.evaluate.questions import AnswerForm, Question, question_data
from perturb.evaluate.requests import item_request
from perturb.llm.client import ChatRequest
from perturb.llm.replies import ReplyError
from perturb.prompts import data_request, system_message

DEFAULT_K = 3
NONE_OF_THESE = ("none of these", "none of the above")
"""What stands in the place of an answer where the probability is that of all others."""
SUM_TOLERANCE = 0.01
"""How far the probabilities, of none of the answers too, may be from adding up to 1 before it is noted."""

_ANSWER_WORDS: dict[AnswerForm, str] = {
    "text": "as short as can be: a name, a number, a date or a phrase",
    "option": "the letter of one of the `options`",
    "number": "one number, in digits",
}

_SEVERAL = "a block with several answers where one was asked for"


class Elicitation(StrEnum):
    """How confidence is asked for."""

    DIRECT = "direct"
    REFLECTION = "reflection"
    TOP_K = "top-k"
    TOP_K_REFLECTION = "top-k-reflection"

    @property
    def calls(self) -> int:
        """Calls that one question takes."""
        return 2 if self in (Elicitation.REFLECTION, Elicitation.TOP_K_REFLECTION) else 1

    @property
    def several(self) -> bool:
        """Whether the model names several answers."""
        return self in (Elicitation.TOP_K, Elicitation.TOP_K_REFLECTION)

    @property
    def template(self) -> str:
        """The name of the template under `templates/`."""
        return f"confidence/{self.value.replace('-', '_')}"


@dataclass(frozen=True, slots=True)
class Stated:
    """What a model answered and how sure it said to be."""

    answer: str
    confidence: float
    """In [0, 1], as stated: sums that are not 1 are not mended."""
    entries: tuple[DecisionEntry, ...]
    """Every answer it named; one unless several were asked for."""
    notes: tuple[str, ...] = ()
    """What is odd about the reply, in words."""


def confidence_request(
    elicitation: Elicitation, question: Question, first_reply: str | None = None, k: int = DEFAULT_K
) -> ChatRequest:
    """What a model is asked first; with its reply to that, what it is asked about it.

    Raises `ReplyError` if the first reply cannot be read.
    """
    data: dict[str, Any] = question_data(question)
    options: dict[str, Any] = {"context": question.context is not None}
    if elicitation.calls == 2:
        options["step"] = 1 if first_reply is None else 2
    if first_reply is None:
        options["answer_words"] = _ANSWER_WORDS[question.form]
        if elicitation.several:
            options["k"] = answers_wanted(question, k)
    else:
        named = [entry.answer for entry in _named(elicitation, read_block(first_reply, confidence=False))]
        if len(named) > 1 and not elicitation.several:
            raise ReplyError(_SEVERAL)
        data |= {"candidates": named} if elicitation.several else {"proposed_answer": named[0]}
    system = system_message(elicitation.template, **options)
    return item_request(data_request(system, data), question)


def answers_wanted(question: Question, k: int = DEFAULT_K) -> int:
    """How many answers a question is asked for where several are: no more than it has options.

    >>> answers_wanted(Question("q", "Which?", ("A",), "option", {"A": "this", "B": "that"}))
    2
    """
    return min(k, len(question.options) or k)


def read_stated(elicitation: Elicitation, replies: Sequence[str], k: int = DEFAULT_K) -> Stated:
    """Read the replies to the one or two requests of an elicitation; `k` as `answers_wanted` gives it.

    Of several answers the likeliest counts, the one named first where two are equal. Raises `ReplyError` if a reply
    cannot be read, or if the second is not about the answers of the first.

    >>> reply = "### FINAL DECISION\\n1. Answer: Po, Confidence: 0.2\\n2. Answer: Elbe, Confidence: 0.7"
    >>> stated = read_stated(Elicitation.TOP_K, [reply])
    >>> stated.answer, stated.confidence, stated.notes
    ('Elbe', 0.7, ('2 answers instead of 3', 'probabilities add up to 0.9'))
    """
    last = read_block(replies[-1], answers=elicitation is not Elicitation.REFLECTION)
    entries, notes = _named(elicitation, last), list[str]()
    if elicitation.calls == 2:
        first = read_block(replies[0], confidence=False)
        entries = _join(elicitation, _named(elicitation, first), entries)
    if elicitation.several:
        notes += _oddities(entries, sum(map(_confidence, last)), k)
    elif len(entries) > 1:
        raise ReplyError(_SEVERAL)
    best = max(entries, key=_confidence)
    return Stated(best.answer, _confidence(best), entries, tuple(notes))


def _join(
    elicitation: Elicitation, first: tuple[DecisionEntry, ...], second: tuple[DecisionEntry, ...]
) -> tuple[DecisionEntry, ...]:
    if elicitation is Elicitation.REFLECTION:
        if len(first) > 1:
            raise ReplyError(_SEVERAL)
        return (DecisionEntry(first[0].answer, second[0].confidence),)
    if sorted(map(_plain, first)) != sorted(map(_plain, second)):
        raise ReplyError("the second reply is not about the answers of the first")
    return second


def _named(elicitation: Elicitation, entries: tuple[DecisionEntry, ...]) -> tuple[DecisionEntry, ...]:
    """The entries that name an answer. Raises `ReplyError` if there are none."""
    if not elicitation.several:
        return entries
    named = tuple(entry for entry in entries if _plain(entry) not in NONE_OF_THESE)
    if not named:
        raise ReplyError("a block that names no answer")
    return named


def _oddities(entries: tuple[DecisionEntry, ...], total: float, k: int) -> list[str]:
    notes = []
    if len(entries) != k:
        notes.append(f"{len(entries)} answers instead of {k}")
    if len(set(map(_plain, entries))) < len(entries):
        notes.append("the same answer twice")
    if abs(total - 1) > SUM_TOLERANCE:
        notes.append(f"probabilities add up to {total:.3g}")
    return notes


def _confidence(entry: DecisionEntry) -> float:
    if entry.confidence is None:
        raise ReplyError("an answer without a confidence")
    return entry.confidence


def _plain(entry: DecisionEntry) -> str:
    return re.sub(r"[\W_]+", " ", entry.answer).casefold().strip()
