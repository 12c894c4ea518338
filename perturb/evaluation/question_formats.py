"""Questions with known answers: the formats of question sets, and how sets are drawn, mixed and stored.

`find_format` finds out the *format* of a set, such as `medqa`, and `READERS` has a reader of rows for each format. The
*form* of a question says what kind of answer it has: words, the letter of an option, or a number.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from decimal import Decimal, InvalidOperation
from typing import Any, Literal

from pydantic import TypeAdapter

from perturb.curation.source_rows import MAX_PASSAGE_CHARS, MAX_QUERY_CHARS, SourceRow
from perturb.errors import ConfigError
from perturb.files.resources import digest, seed_of
from perturb.files.tables import type_name
from perturb.records import Facts, JsonObject

# The kind of an answer: words that a judge compares, the letter of an option, or one exact number.
AnswerForm = Literal["text", "option", "number"]


@dataclass(frozen=True, slots=True)
class Question:
    """One question, and what is a right answer to it."""

    id: str
    text: str
    answers: tuple[str, ...]
    """Accepted answers, the preferred one first: a letter if there are options; empty if no answer is right."""
    form: AnswerForm = "text"
    options: Mapping[str, str] = field(default_factory=dict)
    """The texts to choose from, by capital letter."""
    context: str | None = None
    """The text to answer from; None if a model answers from memory."""
    source: str = ""
    """The name of the set that it comes from."""
    answerable: bool | None = None
    """False if any answer is wrong, so only a refusal is right; None if the set does not say."""
    metadata: Facts = field(default_factory=dict)

    @property
    def base_id(self) -> str:
        """The base of the question; questions that share a base are not independent."""
        return str(self.metadata.get("base_id", self.id))

    def to_payload(self) -> JsonObject:
        """Everything but the id, as plain values for the ledger."""
        content = asdict(self)
        del content["id"]
        return content


def question_data(question: Question) -> JsonObject:
    """The parts of a question that a model is shown, which never include an answer.

    >>> question_data(Question("q1", "Which letter?", ("A",), "option", {"A": "this", "B": "that"}))
    {'question': 'Which letter?', 'options': {'A': 'this', 'B': 'that'}}
    """
    data: JsonObject = {"question": question.text}
    if question.options:
        data["options"] = dict(question.options)
    if question.context is not None:
        data["context"] = question.context
    return data


def question_from_payload(question_id: str, payload: Facts) -> Question:
    """Read back what `Question.to_payload` gave; raises `ValueError` for anything else."""
    return _QUESTION.validate_python({"id": question_id, **payload})


_QUESTION = TypeAdapter(Question)


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions with different ids, and where they come from."""

    name: str
    questions: tuple[Question, ...]
    warnings: tuple[str, ...] = ()
    """Sentences on what was left out."""

    @property
    def digest(self) -> str:
        """Identifies the questions and their order."""
        return digest([[question.id, question.to_payload()] for question in self.questions])

    def draw(self, size: int | None, seed: int) -> QuestionSet:
        """`size` questions drawn by the seed, in the order of the set; all of them if it has no more."""
        if size is None or size >= len(self.questions):
            return self
        rng = random.Random(seed_of("draw questions", seed))  # noqa: S311 - a draw, not a secret
        positions = sorted(rng.sample(range(len(self.questions)), size))
        return replace(self, questions=tuple(self.questions[position] for position in positions))


def mix_questions(first: QuestionSet, second: QuestionSet, seed: int) -> QuestionSet:
    """The same number of questions from both sets, drawn and shuffled by the seed.

    Ids and base ids are prefixed with the name of their set, so that equal ones of two sets are not taken for one.
    """
    size = min(len(first.questions), len(second.questions))
    second_name = second.name if second.name != first.name else f"{second.name}-2"
    mixed: list[Question] = []
    for name, question_set in ((first.name, first), (second_name, second)):
        for question in question_set.draw(size, seed).questions:
            metadata = {**question.metadata, "base_id": f"{name}/{question.base_id}"}
            mixed.append(replace(question, id=f"{name}/{question.id}", metadata=metadata))
    random.Random(seed_of("mix questions", seed)).shuffle(mixed)  # noqa: S311 - an order, not a secret
    return QuestionSet(f"{first.name}+{second_name}", tuple(mixed), (*first.warnings, *second.warnings))


# Columns that name a question.
ID_FIELDS: tuple[str, ...] = ("id", "qid", "ID", "item_id")
# The format of snapshots and of the published RefusalBench sets, which `perturb.evaluation.loading` reads.
SNAPSHOT = "snapshot"
# The names of options, in order.
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

# The start of an option in a prompt, such as `a) ` on a line of its own; the group is the letter.
_INLINE_OPTIONS = re.compile(r"\n\s*([A-Za-z])\)\s+")
# A number as a whole answer.
_NUMBER = re.compile(
    r"""
    [-+]? (?: \d{1,3}(?:,\d{3})+ | \d+ ) (?:\.\d+)?  # 1,234.5 or 033 or -7
    | [-+]? \.\d+                                    # .5
    """,
    re.VERBOSE,
)


def find_format(set_format: str, name: str, first_row: SourceRow) -> str:
    """The format of a set called `name`; for `auto`, it is detected from the first row.

    Raises `ConfigError` for an unknown format.
    """
    if set_format in READERS:
        return set_format
    if set_format != "auto":
        raise ConfigError(f"--format: '{set_format}' is unknown: use {', '.join(FORMATS)}")
    fields = first_row.fields
    # The order matters: a set with special columns may also have those of a more general format.
    if "perturbed_query" in fields:
        return SNAPSHOT
    if "faitheval" in name.lower() or "answerKey" in fields:
        return "faitheval"
    if "options" in fields:
        return "medqa"
    if isinstance(fields.get("choices"), list) or _INLINE_OPTIONS.search(str(fields.get("prompt"))):
        return "mmlu"
    if "prompt" in fields and "reference" in fields:
        return "precisewikiqa"
    answer = fields.get("answer")
    if isinstance(answer, dict) or {"prompt", "Answer"} <= fields.keys():
        return "triviaqa"
    if "ground_truth_answer" in fields or _is_whole_number(answer):
        return "aime"
    return "simpleqa" if "problem" in fields else "plain"


def _text_and_answer(text_field: str) -> Callable[[SourceRow], Question]:
    """A reader of rows with the question in `text_field` and the right answers in `answer`."""
    return lambda row: _question(row, _text(row, text_field), answers=row.answers("answer"))


def _faitheval(row: SourceRow) -> Question:
    """FaithEval: counterfactual rows have options; to the other two tasks no answer is right."""
    context = _context(row)
    text = _text(row, "question")
    if row.fields.get("choices") is None:
        return _question(row, text, answers=(), context=context, answerable=False)
    choices = row.fields["choices"]
    if not isinstance(choices, dict) or not all(
        isinstance(choices.get(key), list) for key in ("label", "text")
    ):
        raise row.error("choices", "must hold the lists 'label' and 'text'")
    labels, texts = [str(label) for label in choices["label"]], choices["text"]
    key = str(row.fields.get("answerKey"))
    if key not in labels or len(labels) != len(texts):
        raise row.error("answerKey", f"must be one of the labels {', '.join(labels)}")
    options = _lettered(row, texts, "choices.text")
    letter = LETTERS[labels.index(key)]
    return _question(row, text, answers=(letter,), options=options, context=context, answerable=True)


def _medqa(row: SourceRow) -> Question:
    """Multiple choice: `question`, `options` (by letter, or a list), and the letter as `answer_idx` or `answer`."""
    choices = row.fields.get("options")
    if isinstance(choices, dict):
        names = sorted(choices)
        if [str(name).upper() for name in names] != list(LETTERS[: len(names)]):
            raise row.error("options", "must be named A, B, C, … without a gap")
        texts = [choices[name] for name in names]
    elif isinstance(choices, list):
        texts = choices
    else:
        raise row.error("options", f"must be an object by letter or a list, got {type_name(choices)}")
    options = _lettered(row, texts, "options")
    field = "answer_idx" if row.fields.get("answer_idx") is not None else "answer"
    answer = str(row.fields.get(field, "")).strip()
    letter = answer.upper()
    if letter not in options:
        letter = next((letter for letter, text in options.items() if text == answer), "")
    if not letter:
        raise row.error(field, f"must be one of the letters {', '.join(options)}")
    context = _context(row, needed=False)
    return _question(row, _text(row, "question"), answers=(letter,), options=options, context=context)


def _mmlu(row: SourceRow) -> Question:
    """MMLU: `question`, `choices` and the place of the right one from 0; or `prompt` with `a)` … and its letter."""
    if row.fields.get("choices") is not None:
        text, texts, field = _text(row, "question"), row.fields["choices"], "answer"
    else:
        text, texts = _inline_options(row)
        field = "Answer"
    if not isinstance(texts, list):
        raise row.error("choices", f"must be a list, got {type_name(texts)}")
    options = _lettered(row, texts, "choices")
    answer = str(row.fields.get(field, "")).strip().upper()
    if answer.isdigit() and int(answer) < len(options):
        answer = LETTERS[int(answer)]
    if answer not in options:
        raise row.error(field, f"must be one of the letters {', '.join(options)}, or its place from 0")
    return _question(row, text.strip(), answers=(answer,), options=options)


def _inline_options(row: SourceRow) -> tuple[str, list[str]]:
    """The question and the options in a `prompt` that lists them as `a)`, `b)` and so on."""
    prompt = _text(row, "prompt")
    letters = "".join(_INLINE_OPTIONS.findall(prompt)).upper()
    if not LETTERS.startswith(letters):
        raise row.error("prompt", "must list its options as a), b), c), … on lines of their own")
    # The pattern has a group, so `split` returns the letters between the texts; every other part is a text.
    question, *texts = _INLINE_OPTIONS.split(prompt)[::2]
    return question, [text.strip() for text in texts]


def _triviaqa(row: SourceRow) -> Question:
    """TriviaQA: `question`, and `answer` with `value` and `aliases`; or `prompt` and `Answer`."""
    text = _text(row, _first_of(row, ("question", "prompt")))
    field = _first_of(row, ("answer", "Answer"))
    answer = row.fields[field]
    if not isinstance(answer, dict):
        return _question(row, text, answers=(str(answer),) if isinstance(answer, int) else row.answers(field))
    aliases = answer.get("aliases") or []
    if not isinstance(aliases, list):
        raise row.error(f"{field}.aliases", f"must be a list, got {type_name(aliases)}")
    accepted = (
        row.text(alias, f"{field}.value or aliases", MAX_QUERY_CHARS)
        for alias in (answer.get("value"), *aliases)
    )
    return _question(row, text, answers=tuple(dict.fromkeys(accepted)))


def _aime(row: SourceRow) -> Question:
    """One exact number: `question`, `problem` or `Problem`; `answer`, `Answer` or `ground_truth_answer`."""
    name = _first_of(row, ("question", "problem", "Problem"))
    field = _first_of(row, ("answer", "Answer", "ground_truth_answer"))
    number = read_number(str(row.fields[field]))
    if number is None:
        raise row.error(field, "must be one number")
    return _question(row, _text(row, name), answers=(format(number, "f"),), is_number=True)


def _plain(row: SourceRow) -> Question:
    """Any set: `question`, `query` or `problem`; `answers` or `answer`.

    Optional: `context`, `answerable`, `base_id`, and `dataset`, the set that the question comes from.

    An `answer` that is a whole number, not a string, is graded as a number.
    """
    name = _first_of(row, ("question", "query", "problem"))
    answerable = row.flag("answerable")
    answers: tuple[str, ...] = ()
    answer = row.fields.get("answer")
    is_number = _is_whole_number(answer)
    if answerable is not False:
        answers = (str(answer),) if is_number else row.answers(_first_of(row, ("answers", "answer")))
    base_id = row.identifier("base_id")
    return _question(
        row,
        _text(row, name),
        answers=answers,
        is_number=is_number,
        context=_context(row, needed=False),
        answerable=answerable,
        metadata={} if base_id is None else {"base_id": base_id},
        source=row.optional_text("dataset"),
    )


# Format → a reader of rows. It raises `RowError`, with file, line and field, for a row that cannot be used.
READERS: Mapping[str, Callable[[SourceRow], Question]] = {
    "simpleqa": _text_and_answer("problem"),
    "precisewikiqa": _text_and_answer("prompt"),
    "faitheval": _faitheval,
    "medqa": _medqa,
    "mmlu": _mmlu,
    "triviaqa": _triviaqa,
    "aime": _aime,
    "plain": _plain,
}
# The formats that a user may name.
FORMATS: tuple[str, ...] = ("auto", SNAPSHOT, *READERS)


def read_number(text: str) -> Decimal | None:
    """The one number in a text, in a form in which equal numbers are equal; None for no number, or several.

    >>> read_number("$1,234.50"), read_number("x = 033"), read_number("3 or 4")
    (Decimal('1234.5'), Decimal('33'), None)
    """
    try:
        numbers = {Decimal(match.replace(",", "")) for match in _NUMBER.findall(text)}
    except InvalidOperation:
        return None
    if len(numbers) != 1:
        return None
    number = numbers.pop()
    whole_number = number.to_integral_value()
    # `normalize` would write 1200 as 1.2E+3, so it is for other numbers alone.
    return whole_number if number == whole_number else number.normalize()


def _question(
    row: SourceRow,
    text: str,
    *,
    answers: tuple[str, ...],
    options: Mapping[str, str] | None = None,
    is_number: bool = False,
    context: str | None = None,
    answerable: bool | None = None,
    metadata: Facts | None = None,
    source: str | None = None,
) -> Question:
    identifier = next((row.identifier(name) for name in ID_FIELDS if row.fields.get(name) is not None), None)
    form: AnswerForm = "number" if is_number else "text"
    return Question(
        id=identifier or digest(text, context, options, answers),
        text=text,
        answers=answers,
        form="option" if options else form,
        options=options or {},
        context=context,
        source=source or row.header.name,
        answerable=answerable,
        metadata=metadata or {},
    )


def _text(row: SourceRow, field: str) -> str:
    if row.fields.get(field) is None:
        raise row.error(field, "is missing: give it as a string")
    return row.text(row.fields[field], field, MAX_PASSAGE_CHARS)


def _context(row: SourceRow, *, needed: bool = True) -> str | None:
    if row.fields.get("context") is None and not needed:
        return None
    return row.text(row.fields.get("context"), "context", 10 * MAX_PASSAGE_CHARS)


def _is_whole_number(value: Any) -> bool:
    # `type` and not `isinstance`, since True is also an integer.
    return type(value) is int


def _first_of(row: SourceRow, names: tuple[str, ...]) -> str:
    """The first of some fields that has a value. Raises `RowError` if none has."""
    for name in names:
        if row.fields.get(name) is not None:
            return name
    raise row.error(names[0], f"is missing: one of {', '.join(names)} must be there")


def _lettered(row: SourceRow, texts: list[Any], field: str) -> dict[str, str]:
    """The texts of options by letter; `field` is the field that an error names."""
    if not 2 <= len(texts) <= len(LETTERS):
        raise row.error(field, f"must hold 2 to {len(LETTERS)} options, got {len(texts)}")
    return {
        letter: row.text(text, f"{field}[{letter}]", MAX_QUERY_CHARS)
        for letter, text in zip(LETTERS, texts, strict=False)
    }
