"""Questions with known answers, and sets of them: drawn, mixed, kept in a ledger and read back."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from pydantic import TypeAdapter

from perturb.digests import digest, seed_of

AnswerForm = Literal["text", "option", "number"]
"""What an answer is: words that a judge compares, the letter of an option, or one exact number."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question, and what is a right answer to it."""

    id: str
    text: str
    answers: tuple[str, ...]
    """Accepted answers, the preferred one first: a letter where there are options; none where no answer is right."""
    form: AnswerForm = "text"
    options: Mapping[str, str] = field(default_factory=dict)
    """The texts to choose from, by capital letter."""
    context: str | None = None
    """The text to answer from; None where a model answers from memory."""
    source: str = ""
    """The set it comes from."""
    answerable: bool | None = None
    """False where any answer is wrong, so that only a refusal is right; None where the set does not say."""
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def base_id(self) -> str:
        """What it was made from; questions that share it are not independent."""
        return str(self.metadata.get("base_id", self.id))

    def to_payload(self) -> dict[str, Any]:
        """Everything but the id, as plain values for the ledger."""
        content = asdict(self)
        del content["id"]
        return content


def question_data(question: Question) -> dict[str, Any]:
    """What a model is shown of a question: never an answer.

    >>> question_data(Question("q1", "Which letter?", ("A",), "option", {"A": "this", "B": "that"}))
    {'question': 'Which letter?', 'options': {'A': 'this', 'B': 'that'}}
    """
    data: dict[str, Any] = {"question": question.text}
    if question.options:
        data["options"] = dict(question.options)
    if question.context is not None:
        data["context"] = question.context
    return data


def question_from_payload(question_id: str, payload: Mapping[str, Any]) -> Question:
    """Read back what `Question.to_payload` gave; raises `ValueError` for anything else."""
    return _QUESTION.validate_python({"id": question_id, **payload})


_QUESTION = TypeAdapter(Question)


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions with ids of their own, and where they come from."""

    name: str
    questions: tuple[Question, ...]
    warnings: tuple[str, ...] = ()
    """What was left out, in words."""

    @property
    def digest(self) -> str:
        """Stands for the questions and their order."""
        return digest([[question.id, question.to_payload()] for question in self.questions])

    def draw(self, size: int | None, seed: int) -> QuestionSet:
        """`size` questions drawn by the seed, in the order of the set; all of them if it has no more."""
        if size is None or size >= len(self.questions):
            return self
        rng = random.Random(seed_of("draw questions", seed))  # noqa: S311 - a draw, not a secret
        places = sorted(rng.sample(range(len(self.questions)), size))
        return replace(self, questions=tuple(self.questions[place] for place in places))


def mix_questions(first: QuestionSet, second: QuestionSet, seed: int) -> QuestionSet:
    """As many questions of one set as of the other, drawn and shuffled by the seed.

    Ids get the name of their set in front, so that they differ.
    """
    size = min(len(first.questions), len(second.questions))
    names = (first.name, second.name if second.name != first.name else f"{second.name}-2")
    mixed = [
        replace(
            question,
            id=f"{name}/{question.id}",
            metadata={**question.metadata, "base_id": f"{name}/{question.base_id}"},
        )
        for name, one in zip(names, (first, second), strict=True)
        for question in one.draw(size, seed).questions
    ]
    random.Random(seed_of("mix questions", seed)).shuffle(mixed)  # noqa: S311 - an order, not a secret
    return QuestionSet("+".join(names), tuple(mixed), (*first.warnings, *second.warnings))
