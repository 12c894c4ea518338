"""The task behind the Behavioral Alignment Score: answers with a stated confidence, and their grades.

Replies are stored as they are and read again each time, so a better reader needs no new call. If a reply lists several
answers, only the likeliest is graded. There are four elicitations (BAS paper, section 3 and appendix G.1):

- direct: answer and confidence in one reply
- reflection: an answer; then, in another call, the confidence in it
- top-k: the k likeliest answers with their probabilities; the likeliest counts
- top-k with reflection: the k answers; then, in another call, their probabilities

A list of answers includes a probability for `NONE_OF_THESE`. In the paper the k probabilities add up to 1, which makes
a model that doubts all k answers overstate the best of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import groupby
from typing import Self, TypeVar

from perturb.catalogue.prompts import data_request, system_message
from perturb.errors import ConfigError
from perturb.evaluation.adapters import item_request
from perturb.evaluation.answers import Grade, grade
from perturb.evaluation.models_under_test import ModelSet
from perturb.evaluation.question_formats import AnswerForm, Question, QuestionSet, question_data
from perturb.evaluation.reading import (
    answers_alone,
    answers_with_confidence,
    confidence_alone,
    is_disagreement,
    read_block,
)
from perturb.evaluation.refusal_index import QuestionRow, QuestionTask
from perturb.evaluation.session import Session, Unscored
from perturb.ledger.evaluations import CONFIDENCE_TABLE
from perturb.llm.client import ChatRequest
from perturb.llm.replies import ReplyError
from perturb.records import Facts, JsonObject, Response
from perturb.runtime import gather_all
from perturb.text.wording import counted

# The number of answers that a top-k elicitation asks for by default.
DEFAULT_K = 3
# The answer that stands for all answers that are not listed.
NONE_OF_THESE = ("none of these", "none of the above")
# How far the probabilities may be from adding up to 1 before this is noted.
SUM_TOLERANCE = 0.01

# How a prompt asks for each form of answer.
_ANSWER_WORDS: dict[AnswerForm, str] = {
    "text": "as short as can be: a name, a number, a date or a phrase",
    "option": "the letter of one of the `options`",
    "number": "one number, in digits",
}

# An answer, or an entry with an answer and its confidence.
T = TypeVar("T")


class Elicitation(StrEnum):
    """The four ways to ask for confidence."""

    DIRECT = "direct"
    REFLECTION = "reflection"
    TOP_K = "top-k"
    TOP_K_REFLECTION = "top-k-reflection"

    @property
    def calls(self) -> int:
        """Number of calls for one question."""
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
class StatedAnswer:
    """The answer of a model and the confidence that it stated."""

    answer: str
    confidence: float
    """In [0, 1], as stated: probabilities that do not add up to 1 are not rescaled."""
    notes: tuple[str, ...] = ()
    """What is unusual about the reply: a missing answer, probabilities that do not add up to 1."""


def confidence_request(
    elicitation: Elicitation, question: Question, first_reply: str | None = None, k: int = DEFAULT_K
) -> ChatRequest:
    """The first request of an elicitation; with the reply to it, the second one.

    Raises `ReplyError` if the first reply cannot be read.
    """
    data: JsonObject = question_data(question)
    options: JsonObject = {"context": question.context is not None}
    if elicitation.calls == 2:
        options["step"] = 1 if first_reply is None else 2
    if first_reply is None:
        options["answer_words"] = _ANSWER_WORDS[question.form]
        if elicitation.several:
            options["k"] = answers_wanted(question, k)
    elif elicitation.several:
        data["candidates"] = _without_none_of_these(read_block(first_reply, answers_alone))
    else:
        data["proposed_answer"] = _only(read_block(first_reply, answers_alone))
    system = system_message(elicitation.template, **options)
    return item_request(data_request(system, data), question)


def answers_wanted(question: Question, k: int = DEFAULT_K) -> int:
    """How many answers a top-k elicitation asks for: `k`, but no more than the question has options.

    >>> answers_wanted(Question("q", "Which?", ("A",), "option", {"A": "this", "B": "that"}))
    2
    """
    return min(k, len(question.options) or k)


def read_stated(elicitation: Elicitation, replies: Sequence[str], k: int = DEFAULT_K) -> StatedAnswer:
    """Read the replies to the one or two requests of an elicitation; `k` as `answers_wanted` gives it.

    Of several answers the likeliest counts, the first one if two are equally likely. Raises `ReplyError` if a reply
    cannot be read, or if the second is not about the answers of the first.

    >>> reply = "### FINAL DECISION\\n1. Answer: Po, Confidence: 0.2\\n2. Answer: Elbe, Confidence: 0.7"
    >>> stated = read_stated(Elicitation.TOP_K, [reply])
    >>> stated.answer, stated.confidence, stated.notes
    ('Elbe', 0.7, ('2 answers instead of 3', 'probabilities add up to 0.9'))
    """
    if elicitation is Elicitation.REFLECTION:
        first_reply, second_reply = replies
        answer = _only(read_block(first_reply, answers_alone))
        return StatedAnswer(answer, read_block(second_reply, confidence_alone))
    listed = read_block(replies[-1], answers_with_confidence)
    if elicitation is Elicitation.DIRECT:
        entry = _only(listed)
        return StatedAnswer(entry.answer, entry.confidence)
    answers = _without_none_of_these([entry.answer for entry in listed])
    if elicitation is Elicitation.TOP_K_REFLECTION:
        candidates = _without_none_of_these(read_block(replies[0], answers_alone))
        if sorted(map(_plain, answers)) != sorted(map(_plain, candidates)):
            raise ReplyError("the second reply is not about the answers of the first")
    best = max((entry for entry in listed if entry.answer in answers), key=lambda entry: entry.confidence)
    # The probability of NONE_OF_THESE belongs to the sum.
    total = sum(entry.confidence for entry in listed)
    return StatedAnswer(best.answer, best.confidence, tuple(_oddities(answers, total, k)))


def _only(listed: Sequence[T]) -> T:
    """The single entry or answer that a block lists. Raises `ReplyError` if it lists several."""
    if len(listed) > 1:
        raise ReplyError("a block with several answers where one was asked for")
    return listed[0]


def _without_none_of_these(answers: Sequence[str]) -> list[str]:
    """The answers without NONE_OF_THESE. Raises `ReplyError` if no other answer remains."""
    proper = [answer for answer in answers if _plain(answer) not in NONE_OF_THESE]
    if not proper:
        raise ReplyError("a block that names no answer")
    return proper


def _oddities(answers: Sequence[str], total: float, wanted: int) -> Iterator[str]:
    """Notes on a list of answers, of which so many were `wanted`, with probabilities that add up to `total`."""
    if len(answers) != wanted:
        yield f"{len(answers)} answers instead of {wanted}"
    if len(set(map(_plain, answers))) < len(answers):
        yield "the same answer twice"
    if abs(total - 1) > SUM_TOLERANCE:
        yield f"probabilities add up to {total:.3g}"


def _plain(answer: str) -> str:
    """An answer in letters, digits and single blanks, to compare answers."""
    return re.sub(r"[\W_]+", " ", answer).casefold().strip()


# Added to the key of the first of two replies in the ledger: `reflection/first`.
FIRST = "first"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceRow(QuestionRow):
    """One question under one elicitation."""

    elicitation: str
    is_correct: int | None = None
    """1 if the answer is right, or if no answer is right and the model refused; None while unscored."""
    confidence: float | None = None
    """As stated, in [0, 1]; None if the reply could not be read."""
    answer: str | None = None
    grade: str | None = None
    notes: str | None = None
    """What is odd about the reply; None if nothing is."""
    answerable: bool | None
    source: str
    unscored: str | None = None
    """Why `is_correct` or `confidence` is missing: `STAGE: reason`."""


@dataclass(frozen=True)
class BasTask(QuestionTask[ConfidenceRow]):
    """Confidence elicited in one or more ways."""

    ways: tuple[Elicitation, ...] = (Elicitation.DIRECT,)
    k: int = DEFAULT_K
    """Number of answers that the top-k elicitations ask for."""

    fact = "confidence"
    table_file = CONFIDENCE_TABLE

    @classmethod
    def of(
        cls,
        questions: QuestionSet,
        recorded: Facts,
        elicitations: Sequence[str] = (),
        k: int = DEFAULT_K,
    ) -> Self:
        """The task with these elicitations; without any, with those of the recorded run, or else direct.

        A recorded run asked for a certain number of answers, so its own `k` counts.
        """
        ways = elicitations or recorded.get("elicitations", [Elicitation.DIRECT])
        return cls(questions, ways=tuple(map(Elicitation, ways)), k=recorded.get("k", k))

    @property
    def templates(self) -> Sequence[str]:
        """The template of each elicitation."""
        return [elicitation.template for elicitation in self.ways]

    def check(self, models: ModelSet) -> None:
        """Check also that no elicitation is named twice, and that top-k asks for at least two answers."""
        if len(set(self.ways)) < len(self.ways):
            raise ConfigError("--elicitation: one appears twice: name each once")
        if self.k < 2:
            raise ConfigError(f"--k must be at least 2, got {self.k}")
        super().check(models)

    def way_facts(self) -> JsonObject:
        """The elicitations, and how many answers they ask for."""
        return {"elicitations": list(map(str, self.ways)), "k": self.k}

    async def solve(self, session: Session, model: str, item: Question) -> list[ConfidenceRow]:
        """A question in all ways at the same time; an unreadable reply is not asked for again."""
        return await gather_all(self._row(session, item, model, elicitation) for elicitation in self.ways)

    async def _row(
        self, session: Session, question: Question, model: str, elicitation: Elicitation
    ) -> ConfidenceRow:
        row = ConfidenceRow(
            item_id=question.id,
            base_id=question.base_id,
            model=model,
            elicitation=str(elicitation),
            answerable=question.answerable,
            source=question.source,
        )
        try:
            stated, answer = await self._ask_answer(session, question, model, elicitation)
            notes = "; ".join(stated.notes) or None
            row = replace(row, answer=stated.answer, confidence=stated.confidence, notes=notes)
            answer_grade = await grade(session, question, answer)
        except ReplyError as error:
            return replace(row, unscored=f"reading: {error}")
        except Unscored as error:
            stage = "reply" if error.stage == "reply" else "grade"
            return replace(row, unscored=f"{stage}: {error}")
        # To decline a question that has no answer is right.
        is_right_refusal = question.answerable is False and answer_grade is Grade.NOT_ATTEMPTED
        is_right = answer_grade is Grade.CORRECT or is_right_refusal
        return replace(row, grade=answer_grade, is_correct=int(is_right))

    async def _ask_answer(
        self, session: Session, question: Question, model: str, elicitation: Elicitation
    ) -> tuple[StatedAnswer, Response]:
        """What the model states, and its last reply with the answer as its text. Raises `ReplyError` and `Unscored`."""
        replies: list[Response] = []
        for step in range(1, elicitation.calls + 1):
            # The second call shows the model its first reply.
            first_reply = replies[0].text if replies else None
            request = confidence_request(elicitation, question, first_reply, self.k)
            variant = str(elicitation) if step == elicitation.calls else f"{elicitation}/{FIRST}"
            replies.append(await session.reply(question.id, model, variant, request, purpose="confidence"))
        texts = [response.text for response in replies]
        stated = read_stated(elicitation, texts, answers_wanted(question, self.k))
        return stated, replace(replies[-1], text=stated.answer)

    def warnings(self, rows: Sequence[ConfidenceRow], *, stopped: bool) -> Iterator[str]:
        """Warnings on replies that could not be read, whose probabilities do not add up, or that are missing."""
        # The rows are sorted by model and way, see `QuestionTask.finish`.
        for (model, elicitation), group_rows in groupby(rows, key=lambda row: (row.model, row.elicitation)):
            name, group = f"{model}, {elicitation}", list(group_rows)
            sums = sum("add up to" in (row.notes or "") for row in group)
            if sums:
                yield f"{name}: in {sums} of {len(group)} replies the probabilities do not add up to 1; they stand"
            reasons = [row.unscored for row in group if row.unscored is not None]
            # A reason is `STAGE: reason`. Judges that disagree would disagree again, so they are left out.
            stages = Counter(reason.split(":")[0] for reason in reasons if not is_disagreement(reason))
            if stages["reading"]:
                unread = f"{stages['reading']} of {len(group)} replies"
                yield f"{name}: no answer with a confidence could be read in {unread}"
            n_failed = stages["reply"] + stages["grade"]
            if n_failed and not stopped:
                failed = counted(n_failed, "call or grade", "calls or grades")
                yield f"{name}: {failed} failed: run the same command again to retry"
