"""Files for people who review elsewhere: a CSV sheet, and projects for Label Studio and Argilla.

`read_sheet` reads the answers back, from the sheet or from a table that an annotation tool exported.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from xml.sax.saxutils import quoteattr

from perturb.auditing.review_items import ReviewItem
from perturb.auditing.rubric import COMMENT, MAX_COMMENT, NO, YES, RubricQuestion, check_names, is_finished
from perturb.errors import ConfigError, SourceError
from perturb.files.resources import read_text, writing_errors
from perturb.ledger.evaluations import Reviews
from perturb.records import JsonObject

# What people write for the two answers of a yes-or-no question.
_YES_NO_WORDS = {
    **dict.fromkeys(("yes", "y", "true", "1", "pass"), YES),
    **dict.fromkeys(("no", "n", "false", "0", "fail"), NO),
}
# The characters with which a cell begins that a spreadsheet program runs as a formula.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")

# Item, annotator, question and answer: the arguments of `ReviewLedger.record_answer`.
Answer = tuple[str, str, str, str]


def sheet_text(items: Sequence[ReviewItem]) -> str:
    """The text of a CSV sheet for a spreadsheet program, with empty columns for the answers.

    A text that such a program would run as a formula gets an apostrophe in front.
    """
    out = io.StringIO()
    columns = dict.fromkeys(name for item in items for name in item.values)
    writer = csv.DictWriter(out, (*columns, *question_names(items), COMMENT), restval="")
    writer.writeheader()
    for item in items:
        writer.writerow({name: _guarded(value) for name, value in item.values.items()})
    return out.getvalue()


def question_names(items: Iterable[ReviewItem]) -> tuple[str, ...]:
    """The names of all questions about the items, each once."""
    return tuple(dict.fromkeys(question.name for item in items for question in item.questions))


def read_sheet(path: Path, items: Sequence[ReviewItem], annotator: str | None = None) -> list[Answer]:
    """The answers of a filled-in sheet; an empty cell is not an answer.

    The sheet needs the id column (`candidate_id` or `reply_id`) and a column for each question. `comment` and
    `annotator` are optional. Other columns are ignored, so that tables from other tools can be read. The argument
    `annotator` counts for rows that name nobody. Raises `SourceError` with the row if a row cannot be understood.
    """
    id_column = items[0].id_column
    rows = list(_read_rows(path, (id_column, *question_names(items))))
    if not rows:
        raise SourceError(f"{path}: no rows: give a sheet that `perturb review RUN draw` wrote")
    questions_of = {item.id: item.questions for item in items}
    answers: list[Answer] = []
    earlier_rows: dict[tuple[str, str], int] = {}
    for number, row in enumerate(rows, start=2):  # row 1 of a spreadsheet holds the names of the columns
        name = row.get("annotator", "").strip() or annotator
        row_name = f"{path}: row {number}"
        if not name:
            raise SourceError(f"{row_name}: the row names no annotator: name one with --annotator")
        check_names([name])
        item_id = row[id_column].strip()
        if item_id not in questions_of:
            raise SourceError(
                f"{row_name}: {id_column} '{item_id[:60]}' is not in the sample: read the sheet into its own run"
            )
        earlier_row = earlier_rows.setdefault((item_id, name), number)
        if earlier_row != number:
            raise SourceError(
                f"{row_name}: the same item and annotator as in row {earlier_row}: keep one of the two"
            )
        for question, answer in _read_answers(row, questions_of[item_id], row_name):
            answers.append((item_id, name, question, answer))
    return answers


def _read_rows(path: Path, needed: Sequence[str]) -> Iterator[dict[str, str]]:
    """The rows of a CSV file. Raises `SourceError` if the file is not a table with the `needed` columns."""
    text = read_text(path, SourceError)
    header_line = text.partition("\n")[0]
    # A spreadsheet program writes semicolons in countries with a decimal comma.
    delimiter = max((",", ";", "\t"), key=header_line.count)
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, restval="")
    try:
        columns: Sequence[str] = reader.fieldnames or ()
        missing = [name for name in needed if name not in columns]
        if missing:
            raise SourceError(f"{path}: no column '{missing[0]}': keep the sheet's columns as they were")
        yield from reader
    except csv.Error as exc:
        raise SourceError(f"{path}: not a CSV table: {exc}") from None


def _read_answers(
    row: dict[str, str], questions: Sequence[RubricQuestion], row_name: str
) -> Iterator[tuple[str, str]]:
    """The questions that a row answers, with the answers; `row_name` names the row in errors."""
    for question in questions:
        cell = row[question.name].strip()
        if not cell:
            continue
        accepted_words = {choice.casefold(): choice for choice in question.choices}
        if accepted_words.keys() == {YES, NO}:
            accepted_words = _YES_NO_WORDS
        answer = accepted_words.get(cell.casefold())
        if answer is None:
            raise SourceError(
                f"{row_name}: '{question.name}' is '{cell[:60]}': write {' or '.join(question.choices)}, or leave"
                " it empty"
            )
        yield question.name, answer
    comment = row.get(COMMENT, "").strip()
    if comment:
        yield COMMENT, comment[:MAX_COMMENT]


def _guarded(text: str) -> str:
    """A text that a spreadsheet program does not run as a formula.

    >>> _guarded("=1+1"), _guarded("plain")
    ("'=1+1", 'plain')
    """
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text


def write_label_studio(items: Sequence[ReviewItem], folder: Path) -> tuple[Path, Path]:
    """Write `tasks.json` and `labelling.xml`; return their paths.

    Each control has the name of its question, so that the CSV that Label Studio exports can be read like a sheet.
    """
    headings = _headings(items)
    focus = f"{items[0].focus}_text"  # the text that answers are attached to
    # Every task has every field, if empty, since Label Studio refuses a task that lacks a field of the configuration.
    tasks = [{"data": {**dict.fromkeys(headings, ""), **item.values}} for item in items]
    # Names are identifiers, so only titles, questions and choices need quoting.
    config = "<View>\n"
    for name, title in headings.items():
        config += f'  <Header value={quoteattr(title)} size="5"/>\n'
        config += f'  <Text name="{name}_text" value="${name}"/>\n'
    for question, required in _merged_questions(items):
        choices = "".join(f"<Choice value={quoteattr(choice)}/>" for choice in question.choices)
        attributes = f'toName="{focus}" choice="single" required="{str(required).lower()}"'
        config += f"  <Header value={quoteattr(question.text)}/>\n"
        config += f'  <Choices name="{question.name}" {attributes}>{choices}</Choices>\n'
    config += f'  <TextArea name="{COMMENT}" toName="{focus}" rows="3" maxSubmissions="1"/>\n</View>\n'
    tasks_path, config_path = folder / "tasks.json", folder / "labelling.xml"
    write_text(tasks_path, json.dumps(tasks, ensure_ascii=False, indent=1))
    write_text(config_path, config)
    return tasks_path, config_path


def write_argilla(items: Sequence[ReviewItem], folder: Path, name: str) -> tuple[Path, ...]:
    """Write a folder that Argilla 2 reads with `rg.Dataset.from_disk`; return the paths of its files."""
    records = [
        {
            "id": item.id,
            # Argilla requires every field, so an item without a text gets a hyphen in its place.
            "fields": {column: item.values.get(column) or "-" for column in _headings(items)},
            "metadata": {column: item.values[column] for column in item.grouped_by},
            "suggestions": {},
            "responses": {},
            "vectors": {},
        }
        for item in items
    ]
    contents: JsonObject = {
        ".argilla/dataset.json": {"name": name, "allow_extra_metadata": True},
        ".argilla/settings.json": _argilla_settings(items),
        "records.json": records,
    }
    for path, content in contents.items():
        write_text(folder / path, json.dumps(content, ensure_ascii=False, indent=1))
    return tuple(folder / path for path in contents)


def _argilla_settings(items: Sequence[ReviewItem]) -> JsonObject:
    """The questions and fields of the Argilla project."""
    text = {"type": "text", "use_markdown": False}
    questions: list[JsonObject] = [
        {
            "name": question.name,
            "title": question.label,
            "description": question.text,
            "required": required,
            "settings": {
                "type": "label_selection",
                "options": [{"value": choice, "text": choice} for choice in question.choices],
                "visible_options": None,
            },
        }
        for question, required in _merged_questions(items)
    ]
    questions.append({"name": COMMENT, "title": "Comment", "required": False, "settings": text})
    fields = [
        {"name": name, "title": title, "required": True, "settings": text}
        for name, title in _headings(items).items()
    ]
    return {
        "guidelines": items[0].guidelines,
        "questions": questions,
        "fields": fields,
        "vectors": [],
        "metadata": [],
        "allow_extra_metadata": True,
    }


def _headings(items: Iterable[ReviewItem]) -> dict[str, str]:
    """The texts that a reviewer sees: field → title."""
    return {name: title for item in items for name, title in item.headings.items()}


def _merged_questions(items: Sequence[ReviewItem]) -> Iterator[tuple[RubricQuestion, bool]]:
    """Every question with all its choices, and whether every item has it."""
    for name in question_names(items):
        # Items can have different choices, but a tool has one list for all items. The longest list has all choices.
        variants = [question for item in items for question in item.questions if question.name == name]
        longest = max(variants, key=lambda question: len(question.choices))
        is_in_every_item = len(variants) == len(items)
        yield longest, is_in_every_item


def answers_table(items: Sequence[ReviewItem], reviews: Reviews) -> str:
    """A CSV table with one row per item and annotator: the answers, the verdict (empty if unfinished), the comment."""
    out = io.StringIO()
    writer = csv.writer(out)
    questions = question_names(items)
    writer.writerow((items[0].id_column, "annotator", *questions, "verdict", COMMENT))
    for item in items:
        for annotator, answers in reviews.get(item.id, {}).items():
            cells = [answers.get(name, "") for name in questions]
            verdict = item.verdict(answers) if is_finished(item.questions, answers) else ""
            writer.writerow((item.id, annotator, *cells, verdict, answers.get(COMMENT, "")))
    return out.getvalue()


def write_text(path: Path, text: str) -> None:
    """Write a file and create the folders above it. Raises `ConfigError` if that fails."""
    with writing_errors(path, ConfigError):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", errors="replace", newline="")
