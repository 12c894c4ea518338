"""Reads the answer in a reply to a question, and grades it as CORRECT, INCORRECT or NOT_ATTEMPTED.

`grade_by_rule` grades most answers: option letters, numbers, and words that equal an accepted answer. A judge grades
the others: `grade_request` asks it, and `read_grade` reads its reply. `grade` does all of this, and uses stored grades.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import partial

from perturb.catalogue.prompts import data_request, object_schema, system_message, template_version
from perturb.evaluation.question_formats import Question, read_number
from perturb.evaluation.session import RULE, Rubric, Session, make_judgement
from perturb.files.resources import digest
from perturb.llm.client import ChatRequest
from perturb.llm.replies import ReplyError, after_thinking, read_ruling
from perturb.records import JsonObject, Response
from perturb.text.matching import folded

# The word that a model is told to write between the tags if it refuses.
UNANSWERED = "UNANSWERED"

# An answer between tags. No further `<answer>` is in between, in case a model forgot to close an earlier one.
_TAGGED = re.compile(r"<answer>((?:(?!<answer>).)*?)</answer>", re.IGNORECASE | re.DOTALL)
# `(b)` or `B.` as the whole answer.
_LONE_LETTER = re.compile(r"[\W_]*([A-Za-z])[\W_]*")
# `B) Venus` or `[b] Venus`.
_LETTER_FIRST = re.compile(r"[\W_]*([A-Za-z])[).:\]]")
# `The answer is **B**` or `option (B)`; not `option A or B`.
_LETTER_NAMED = re.compile(r"\b(?i:answer|option|choice)(?: is|:| =)?[\s*(\[]*([A-Z])\b(?!'| or\b)")


class Grade(StrEnum):
    """The grades of an answer."""

    CORRECT = "CORRECT"
    INCORRECT = "INCORRECT"
    NOT_ATTEMPTED = "NOT_ATTEMPTED"
    """The reply commits itself to no answer: a refusal."""


def read_answer(text: str) -> str:
    """The text between the last `<answer>` tags. Without such tags, the whole reply except for its thinking.

    The answer is empty for an empty reply, and for a reply that is all thinking.

    >>> read_answer("<think><answer>no</answer></think>Well. <answer> Ada </answer>"), read_answer("Ada.")
    ('Ada', 'Ada.')
    """
    reply = after_thinking(text)
    tagged = _TAGGED.findall(reply)
    return str(tagged[-1] if tagged else reply).strip()


def is_refusal_mark(answer: str) -> bool:
    """Whether an answer is the agreed word for a refusal.

    >>> is_refusal_mark("unanswered."), is_refusal_mark("It is unanswered.")
    (True, False)
    """
    return re.sub(r"[\W_]", "", answer).upper() == UNANSWERED


def grade_by_rule(question: Question, answer: str) -> Grade | None:
    """The grade of an answer that needs no judge; None if it needs one.

    The agreed word is a refusal. An option is graded by its letter and a number by its value. Another answer is correct
    if it equals an accepted one but for case, punctuation and articles; if not, it needs a judge.

    >>> grade_by_rule(Question("q", "How many?", ("33",), "number"), "033")
    <Grade.CORRECT: 'CORRECT'>
    >>> grade_by_rule(Question("q", "Who?", ("Ada",)), "Eve") is None
    True
    """
    if is_refusal_mark(answer):
        return Grade.NOT_ATTEMPTED
    if question.answerable is False:
        return None  # no answer is right, and only a judge can tell a wrong answer from a refusal
    if question.form == "text":
        return Grade.CORRECT if is_exact_match(answer, question.answers) else None
    if question.form == "option":
        letter = read_letter(answer, question.options)
        return None if letter is None else _graded(letter in question.answers)
    number = read_number(answer)
    return None if number is None else _graded(number in map(read_number, question.answers))


def is_exact_match(answer: str, accepted: Iterable[str]) -> bool:
    """Whether an answer equals an accepted one, but for case, punctuation, articles and white space.

    >>> is_exact_match("The Pancreas.", ["pancreas"]), is_exact_match("", ["the"])
    (True, False)
    """
    normal = _normalised(answer)
    return normal != "" and any(normal == _normalised(other) for other in accepted)


def read_letter(answer: str, options: Mapping[str, str]) -> str | None:
    """The option that an answer names, by its letter or by its whole text; None if it is ambiguous.

    >>> options = {"A": "Mars", "B": "Venus"}
    >>> [read_letter(text, options) for text in ("(b)", "B) Venus", "Venus.", "The answer is **A**", "A or B")]
    ['B', 'B', 'B', 'A', None]
    """
    at_start = _LONE_LETTER.fullmatch(answer) or _LETTER_FIRST.match(answer)
    if at_start:
        letter = at_start[1].upper()
        return letter if letter in options else None
    # The text of an option decides before a letter in a sentence.
    letters = {letter for letter, text in options.items() if is_exact_match(answer, [text])}
    if not letters:
        letters = {letter for letter in _LETTER_NAMED.findall(answer) if letter in options}
    return letters.pop() if len(letters) == 1 else None


def _graded(correct: bool) -> Grade:
    return Grade.CORRECT if correct else Grade.INCORRECT


def _normalised(text: str) -> str:
    """A text without case, punctuation, articles and repeated white space."""
    plain = folded(unicodedata.normalize("NFKC", text)).casefold().replace("'", "")
    words = "".join(" " if _is_punctuation(character) else character for character in plain).split()
    return " ".join(word for word in words if word not in ("a", "an", "the"))


def _is_punctuation(character: str) -> bool:
    # `string.punctuation` also has symbols such as `$`, which Unicode does not count as punctuation.
    return character in string.punctuation or unicodedata.category(character).startswith("P")


# The kind of these judgements in the ledger; their value is `{"grade": …, "answer": …}`.
KIND = "grade"
TEMPLATE = "grade/judge"

# `The grade is: "` before the word of a grade.
_GRADE_IS = r"grade[\W_]{0,12}(?:is)?[\W_]{0,12}"
# What a judge's reply must not say beside each grade, since it would contradict the grade.
_CONTRADICTIONS = {
    # `The answer is wrong`, `it isn't quite correct`: any mention of another grade.
    Grade.CORRECT: re.compile(
        r"\b(?:incorrect|wrong|not[\W_]+attempted)\b|(?:\bnot|n['’]t)[\W_]+(?:\w+[\W_]+)?correct\b"
    ),
    # `The grade is correct`. A judge that explains these grades often says "correct", so only a stated grade counts.
    Grade.INCORRECT: re.compile(rf"{_GRADE_IS}(?:correct|not[\W_]+attempted)"),
    Grade.NOT_ATTEMPTED: re.compile(rf"{_GRADE_IS}(?:in)?correct"),
}
# The most characters of a reply that a judge sees.
_LONGEST_ANSWER = 20_000


async def grade(session: Session, question: Question, response: Response) -> Grade:
    """The grade of a reply. Raises `Unscored` if it is missing, and `BudgetSpent`."""
    value = await session.judge(response, lambda judge: grade_rubric(question, response, judge))
    return Grade(value["grade"])


def grade_rubric(question: Question, response: Response, judge: str | None) -> Rubric:
    """How a reply to a question is graded; `judge` is the judge's fingerprint, None without a judge."""
    author = digest(judge or RULE, template_version(TEMPLATE))
    fingerprint = digest(author, question.to_payload(), response.text)
    answer = read_answer(response.text)

    def value_of(grade: Grade) -> JsonObject:
        return {"grade": str(grade), "answer": answer[:_LONGEST_ANSWER]}

    judgement_by_rule = partial(make_judgement, response, KIND, RULE, fingerprint)
    grade = grade_by_rule(question, answer)
    by_rule = None  # a judge has to grade the reply
    if not answer:
        by_rule = judgement_by_rule(raw="the reply holds no answer")
    elif grade is not None:
        by_rule = judgement_by_rule(value=value_of(grade))
    elif judge is None:
        by_rule = judgement_by_rule(raw="no rule can grade the reply and there is no judge")
    return Rubric(
        KIND,
        fingerprint,
        by_rule=by_rule,
        request=lambda: grade_request(question, answer),
        read=lambda text: value_of(read_grade(text, question, answer)),
        purpose=KIND,
    )


def grade_request(question: Question, answer: str) -> ChatRequest:
    """The request to a judge about an answer."""
    answerable = question.answerable is not False
    data: JsonObject = {"question": question.text}
    if answerable:
        options = question.options
        # A judge of multiple-choice answers sees letter and text, since models give either.
        data["accepted"] = [
            f"{accepted}: {options[accepted]}" if options else accepted for accepted in question.answers
        ]
    # The whole of a very long reply might not fit into the judge's context.
    data["reply"] = answer[:_LONGEST_ANSWER]
    schema = object_schema(
        {"grade": {"type": "string", "enum": [str(grade) for grade in allowed_grades(question)]}}
    )
    return data_request(system_message(TEMPLATE, answerable=answerable), data, schema)


def read_grade(text: str, question: Question, judged: str = "") -> Grade:
    """The grade in a judge's reply about the reply `judged`. Raises `ReplyError`.

    >>> read_grade('{"grade": "not attempted"}', Question("q", "Who?", ("Ada",)))
    <Grade.NOT_ATTEMPTED: 'NOT_ATTEMPTED'>
    """
    ruling = read_ruling(text, frozenset({"grade"}), judged)
    grade_word = ruling.value["grade"]
    allowed = allowed_grades(question)
    name = grade_word.strip().upper().replace(" ", "_") if isinstance(grade_word, str) else None
    if name not in allowed:
        raise ReplyError(f"'grade' must be one of {', '.join(allowed)}")
    grade = Grade(name)
    ruling.must_not_be_denied(_CONTRADICTIONS[grade])
    return grade


def allowed_grades(question: Question) -> tuple[Grade, ...]:
    """The grades that a reply can get; CORRECT is not among them if the question has no right answer."""
    if question.answerable is False:
        return (Grade.INCORRECT, Grade.NOT_ATTEMPTED)
    return tuple(Grade)
