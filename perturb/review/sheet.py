"""The sample as a CSV sheet: written for a spreadsheet program, read back with the answers filled in."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from perturb.errors import SourceError
from perturb.review.review_items import ReviewItem
from perturb.review.rubric import COMMENT, MAX_COMMENT, NO, YES, RubricQuestion, check_names
from perturb.text_files import read_text

_WORDS = {
    **dict.fromkeys(("yes", "y", "true", "1", "pass"), YES),
    **dict.fromkeys(("no", "n", "false", "0", "fail"), NO),
}
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")

Answer = tuple[str, str, str, str]
"""Item, annotator, question and what was answered, as `ReviewLedger.record_answer` takes them."""


def sheet_text(items: Sequence[ReviewItem]) -> str:
    """The sheet with empty columns for the answers, ready for a spreadsheet program.

    A text that such a program would take for a formula gets an apostrophe in front.
    """
    out = io.StringIO()
    columns = dict.fromkeys(name for item in items for name in item.values)
    writer = csv.DictWriter(out, (*columns, *question_names(items), COMMENT), restval="")
    writer.writeheader()
    for item in items:
        writer.writerow({name: _guarded(value) for name, value in item.values.items()})
    return out.getvalue()


def question_names(items: Iterable[ReviewItem]) -> tuple[str, ...]:
    """Every question that one of the items is asked about."""
    return tuple(dict.fromkeys(question.name for item in items for question in item.questions))


def read_sheet(path: Path, items: Sequence[ReviewItem], annotator: str | None = None) -> list[Answer]:
    """The answers of a filled-in sheet; empty cells are no answers.

    Needed are the id of the items (`candidate_id` or `reply_id`) and the columns of the questions; others but `comment`
    and `annotator` are passed over, so that tables from other tools can be read. `annotator` stands for rows that do
    not name one. Raises `SourceError` with the row for whatever cannot be understood.
    """
    id_column = items[0].id_column
    rows = list(_read_rows(path, (id_column, *question_names(items))))
    if not rows:
        raise SourceError(f"{path}: no rows in it: give a sheet that `perturb review RUN draw` wrote")
    known = {item.id: item.questions for item in items}
    answers: list[Answer] = []
    seen: dict[tuple[str, str], int] = {}
    for number, row in enumerate(rows, start=2):
        who = row.get("annotator", "").strip() or annotator
        place = f"{path}: row {number}"
        if not who:
            raise SourceError(f"{place}: nobody is named for this row: say who it was with --annotator")
        check_names([who])
        item_id = row[id_column].strip()
        if item_id not in known:
            raise SourceError(
                f"{place}: {id_column} '{item_id[:60]}' is not in the sample: read the sheet into its own run"
            )
        if (first := seen.setdefault((item_id, who), number)) != number:
            raise SourceError(f"{place}: the same item and annotator as in row {first}: keep one of the two")
        answers += [
            (item_id, who, question, answer) for question, answer in _answers(row, known[item_id], place)
        ]
    return answers


def _read_rows(path: Path, needed: Sequence[str]) -> Iterator[dict[str, str]]:
    text = read_text(path, SourceError)
    head = text.partition("\n")[0]
    delimiter = max((",", ";", "\t"), key=head.count)  # spreadsheet programs follow the country's habit
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, restval="")
    try:
        columns: Sequence[str] = reader.fieldnames or ()
        lacking = [name for name in needed if name not in columns]
        if lacking:
            raise SourceError(f"{path}: no column '{lacking[0]}': keep the sheet's columns as they were")
        yield from reader
    except csv.Error as exc:
        raise SourceError(f"{path}: not a CSV table: {exc}") from None


def _answers(
    row: dict[str, str], questions: Sequence[RubricQuestion], place: str
) -> Iterator[tuple[str, str]]:
    for question in questions:
        word = row[question.name].strip()
        if word:
            words = {choice.casefold(): choice for choice in question.choices}
            answer = (_WORDS if words.keys() == {YES, NO} else words).get(word.casefold())
            if answer is None:
                choices = " or ".join(question.choices)
                raise SourceError(
                    f"{place}: '{question.name}' is '{word[:60]}': write {choices}, or leave it empty"
                )
            yield question.name, answer
    comment = row.get(COMMENT, "").strip()
    if comment:
        yield COMMENT, comment[:MAX_COMMENT]


def _guarded(text: str) -> str:
    """
    >>> _guarded("=1+1"), _guarded("plain")
    ("'=1+1", 'plain')
    """
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text
