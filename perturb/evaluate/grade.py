"""Grades replies CORRECT, INCORRECT or NOT_ATTEMPTED: by rule where that is enough, else by a judge."""

from __future__ import annotations

import re
from typing import Any

from perturb.digests import digest
from perturb.evaluate.answers import Grade, grade_by_rule, read_answer
from perturb.evaluate.questions import Question
from perturb.evaluate.session import RULE, Rubric, Session, judgement
from perturb.llm.client import ChatRequest
from perturb.llm.replies import ReplyError
from perturb.llm.rulings import read_ruling
from perturb.prompts import data_request, object_schema, system_message, template_version
from perturb.responses import Response

KIND = "grade"
"""The kind of these judgements in the ledger; their value is `{"grade": …, "answer": …}`."""
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


async def grade(session: Session, question: Question, response: Response) -> Grade:
    """The grade of a reply. Raises `Unscored` where there is none, and `BudgetSpent`."""
    value = await session.judge(response, lambda judge: grade_rubric(question, response, judge))
    return Grade(value["grade"])


def grade_rubric(question: Question, response: Response, judge: str | None) -> Rubric:
    """What is to be said of a reply to a question; `judge` is the judge's fingerprint, None where there is none."""
    author = digest(judge or RULE, template_version(TEMPLATE))
    version = digest(author, question.to_payload(), response.text)
    answer = read_answer(response.text)

    def value(found: Grade) -> dict[str, Any]:
        return {"grade": str(found), "answer": answer[:_LONGEST_ANSWER]}

    said, problem = None, ""
    if not answer:
        problem = "the reply holds no answer"
    elif (by_rule := grade_by_rule(question, answer)) is not None:
        said = judgement(response, KIND, RULE, version, value=value(by_rule))
    elif judge is None:
        problem = "no rule can grade the reply and there is no judge"
    if problem:
        said = judgement(response, KIND, RULE, version, raw=problem)
    return Rubric(
        KIND,
        version,
        said,
        request=lambda: grade_request(question, answer),
        read=lambda text: value(read_grade(text, question, answer)),
        purpose=KIND,
    )


def grade_request(question: Question, answer: str) -> ChatRequest:
    """Ask a judge about an answer."""
    answerable = question.answerable is not False
    data: dict[str, Any] = {"question": question.text}
    if answerable:
        options = question.options
        data["accepted"] = [f"{one}: {options[one]}" if options else one for one in question.answers]
    data["reply"] = answer[:_LONGEST_ANSWER]
    schema = object_schema(
        {"grade": {"type": "string", "enum": [str(one) for one in allowed_grades(question)]}}
    )
    return data_request(system_message(TEMPLATE, answerable=answerable), data, schema)


def read_grade(text: str, question: Question, judged: str = "") -> Grade:
    """The grade in a judge's reply about the `judged` one. Raises `ReplyError`.

    >>> read_grade('{"grade": "not attempted"}', Question("q", "Who?", ("Ada",)))
    <Grade.NOT_ATTEMPTED: 'NOT_ATTEMPTED'>
    """
    found = read_ruling(text, frozenset({"grade"}), judged)
    stated = found.value["grade"]
    allowed = allowed_grades(question)
    grade = stated.strip().upper().replace(" ", "_") if isinstance(stated, str) else None
    if grade not in allowed:
        raise ReplyError(f"'grade' must be one of {', '.join(allowed)}")
    found.must_not_be_denied(_DENIED[Grade(grade)])
    return Grade(grade)


def allowed_grades(question: Question) -> tuple[Grade, ...]:
    """No reply can be correct where the question has no right answer."""
    return tuple(one for one in Grade if question.answerable is not False or one is not Grade.CORRECT)
