"""Grades replies CORRECT, INCORRECT or NOT_ATTEMPTED: by rule where that is enough, else by a judge."""

from __future__ import annotations

import re
from typing import Any

from perturb.digests import digest
from perturb.evaluate.answers import Grade, grade_by_rule, read_answer
from perturb.evaluate.questions import Question
from perturb.llm.asking import Asker
from perturb.llm.client import ChatRequest, ModelSettings
from perturb.llm.replies import ReplyError
from perturb.llm.rulings import read_ruling
from perturb.prompts import data_request, object_schema, system_message, template_version
from perturb.records import Judgement, JudgementStatus, Response

KIND = "grade"
"""The kind of these judgements in the ledger; their value is `{"grade": …, "answer": …}`."""
BY_RULE = "rule"
TEMPLATE = "grade/judge"

_STATED = r"grade[\W_]{0,12}(?:is)?[\W_]{0,12}"
_DENIED = {
    Grade.CORRECT: re.compile(
        r"\b(?:incorrect|wrong|not[\W_]+attempted)\b|(?:\bnot|n['’]t)[\W_]+(?:\w+[\W_]+)?correct\b"
    ),
    Grade.INCORRECT: re.compile(rf"{_STATED}(?:correct|not[\W_]+attempted)"),
    Grade.NOT_ATTEMPTED: re.compile(rf"{_STATED}(?:in)?correct"),
}
"""What a judge's reply must not say beside each grade. The favourable one is the strictest: others quote it."""
_LONGEST_ANSWER = 20_000
"""Characters of a reply that a judge is shown."""


class Grader:
    """Grades replies to questions; made once for a run."""

    def __init__(self, asker: Asker, judge: ModelSettings | None) -> None:
        """Without a judge, what no rule can grade is left unscored."""
        self._asker = asker
        self._judge = judge
        self._author = digest(judge.fingerprint() if judge else BY_RULE, template_version(TEMPLATE))

    def fingerprint(self, question: Question, response: Response) -> str:
        """Digest of all that decides the grade; a judgement with another one is out of date."""
        return digest(self._author, question.to_payload(), response.text)

    async def grade(self, question: Question, response: Response) -> Judgement:
        """Grade one reply. What cannot be graded comes back unscored, with the reason or the judge's reply in `raw`.

        Raises `BudgetSpent`.
        """
        answer = read_answer(response.text)
        if not answer:
            return self._judgement(question, response, BY_RULE, None, "the reply holds no answer")
        grade = grade_by_rule(question, answer)
        if grade is not None:
            return self._judgement(question, response, BY_RULE, grade)
        if self._judge is None:
            reason = "no rule can grade the reply and there is no judge"
            return self._judgement(question, response, BY_RULE, None, reason)
        asked = await self._asker.ask(
            self._judge.name,
            grade_request(question, answer),
            lambda text: read_grade(text, question, answer),
            purpose=KIND,
            subject=question.id,
        )
        raw = asked.raw if asked.status != "error" else asked.error
        return self._judgement(question, response, self._judge.name, asked.value, raw)

    def _judgement(
        self, question: Question, response: Response, judge: str, grade: Grade | None, raw: str = ""
    ) -> Judgement:
        value: dict[str, Any] = {}
        if grade is not None:
            value = {"grade": str(grade), "answer": read_answer(response.text)[:_LONGEST_ANSWER]}
        return Judgement(
            item_id=response.item_id,
            model=response.model,
            variant=response.variant,
            kind=KIND,
            judge=judge,
            status=JudgementStatus.UNSCORED if grade is None else JudgementStatus.READ,
            value=value,
            raw=raw,
            fingerprint=self.fingerprint(question, response),
        )


def grade_of(judgement: Judgement) -> Grade | None:
    """The grade of a judgement; None where it is unscored."""
    return Grade(judgement.value["grade"]) if judgement.status is JudgementStatus.READ else None


def grade_request(question: Question, answer: str) -> ChatRequest:
    """Ask a judge about an answer."""
    answerable = question.answerable is not False
    data: dict[str, Any] = {"question": question.text}
    if answerable:
        data["accepted"] = [_spelled_out(question, one) for one in question.answers]
    data["reply"] = answer[:_LONGEST_ANSWER]
    schema = object_schema({"grade": {"type": "string", "enum": [str(one) for one in _allowed(question)]}})
    return data_request(system_message(TEMPLATE, answerable=answerable), data, schema)


def read_grade(text: str, question: Question, judged: str = "") -> Grade:
    """The grade in a judge's reply about the `judged` one. Raises `ReplyError`.

    >>> read_grade('{"grade": "not attempted"}', Question("q", "Who?", ("Ada",)))
    <Grade.NOT_ATTEMPTED: 'NOT_ATTEMPTED'>
    """
    found = read_ruling(text, frozenset({"grade"}), judged)
    stated = found.value["grade"]
    allowed = _allowed(question)
    grade = stated.strip().upper().replace(" ", "_") if isinstance(stated, str) else None
    if grade not in allowed:
        raise ReplyError(f"'grade' must be one of {', '.join(allowed)}")
    found.must_not_be_denied(_DENIED[Grade(grade)])
    return Grade(grade)


def _allowed(question: Question) -> tuple[Grade, ...]:
    """No reply can be correct where the question has no right answer."""
    return tuple(one for one in Grade if question.answerable is not False or one is not Grade.CORRECT)


def _spelled_out(question: Question, answer: str) -> str:
    return f"{answer}: {question.options[answer]}" if question.options else answer
