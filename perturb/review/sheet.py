"""The sample as a CSV sheet: written for a spreadsheet program, read back with the answers filled in."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from perturb.changes import Piece
from perturb.errors import SourceError
from perturb.review.review_items import ReviewItem
from perturb.review.rubric import COMMENT, MAX_COMMENT, NO, QUESTION_NAMES, YES, check_names
from perturb.text_files import read_text

ITEM_COLUMNS: tuple[str, ...] = (
    "item",
    "candidate_id",
    "perturbation_class",
    "intensity",
    "goal",
    "expected_behavior",
    "lever",
    "lever_instruction",
    "original_query",
    "original_context",
    "original_answers",
    "perturbed_query",
    "perturbed_context",
    "change",
)
"""What stands in a row before the answers."""

_WORDS = {
    **dict.fromkeys(("yes", "y", "true", "1", "pass"), YES),
    **dict.fromkeys(("no", "n", "false", "0", "fail"), NO),
}
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class SheetAnswer:
    """One answer of a sheet."""

    candidate_id: str
    annotator: str
    question: str
    answer: str


def sheet_text(items: Iterable[ReviewItem]) -> str:
    """The sheet with empty columns for the answers, ready for a spreadsheet program.

    A text that such a program would take for a formula gets an apostrophe in front.
    """
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow((*ITEM_COLUMNS, *QUESTION_NAMES, COMMENT))
    for item in items:
        writer.writerow([_guarded(value) for value in item_values(item).values()] + [""] * 6)
    return out.getvalue()


def item_values(item: ReviewItem) -> dict[str, str]:
    """An item as text, by the names of `ITEM_COLUMNS`."""
    candidate, instance = item.candidate, item.instance
    values = (
        str(item.position),
        candidate.id,
        str(candidate.cell.perturbation_class),
        str(candidate.cell.intensity),
        item.criterion,
        candidate.expected_behavior,
        candidate.lever,
        item.lever_instruction,
        instance.query,
        instance.context,
        " | ".join(instance.answers),
        candidate.query,
        candidate.context,
        change_in_words(item),
    )
    return dict(zip(ITEM_COLUMNS, values, strict=True))


def change_in_words(item: ReviewItem) -> str:
    """The change with `[-removed-]` and `{+added+}`, unchanged passages left out."""
    parts = [f"Question: {_marked(item.query)}"]
    parts += [f"[{one.number}] {_marked(one.pieces)}" for one in item.passages if one.changed]
    return "\n\n".join(parts)


def read_sheet(path: Path, known: Iterable[str], annotator: str | None = None) -> list[SheetAnswer]:
    """The answers of a filled-in sheet; empty cells are no answers.

    Needed are the columns `candidate_id` and those of the questions; others but `comment` and `annotator` are passed
    over, so that tables from other tools can be read. `annotator` stands for rows that do not name one. Raises
    `SourceError` with the row for whatever cannot be understood.
    """
    rows = list(_read_rows(path))
    if not rows:
        raise SourceError(f"{path}: no rows in it: give a sheet that `perturb review RUN draw` wrote")
    candidates = set(known)
    answers: list[SheetAnswer] = []
    seen: dict[tuple[str, str], int] = {}
    for number, row in enumerate(rows, start=2):
        who = row.get("annotator", "").strip() or annotator
        place = f"{path}: row {number}"
        if not who:
            raise SourceError(f"{place}: nobody is named for this row: say who it was with --annotator")
        check_names([who])
        candidate_id = row["candidate_id"].strip()
        if candidate_id not in candidates:
            raise SourceError(
                f"{place}: candidate '{candidate_id[:60]}' is not in the sample: read the sheet into its own run"
            )
        if (first := seen.setdefault((candidate_id, who), number)) != number:
            raise SourceError(f"{place}: the same item and annotator as in row {first}: keep one of the two")
        answers += [
            SheetAnswer(candidate_id, who, question, answer) for question, answer in _answers(row, place)
        ]
    return answers


def _read_rows(path: Path) -> Iterator[dict[str, str]]:
    text = read_text(path, SourceError)
    head = text.partition("\n")[0]
    delimiter = max((",", ";", "\t"), key=head.count)  # spreadsheet programs follow the country's habit
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, restval="")
    try:
        columns: Sequence[str] = reader.fieldnames or ()
        lacking = [name for name in ("candidate_id", *QUESTION_NAMES) if name not in columns]
        if lacking:
            raise SourceError(f"{path}: no column '{lacking[0]}': keep the sheet's columns as they were")
        yield from reader
    except csv.Error as exc:
        raise SourceError(f"{path}: not a CSV table: {exc}") from None


def _answers(row: dict[str, str], place: str) -> Iterator[tuple[str, str]]:
    for question in QUESTION_NAMES:
        word = row[question].strip()
        if word:
            if word.casefold() not in _WORDS:
                raise SourceError(
                    f"{place}: '{question}' is '{word[:60]}': write yes or no, or leave it empty"
                )
            yield question, _WORDS[word.casefold()]
    comment = row.get(COMMENT, "").strip()
    if comment:
        yield COMMENT, comment[:MAX_COMMENT]


def _marked(pieces: Iterable[Piece]) -> str:
    forms = {"same": "{}", "out": "[-{}-]", "in": "{{+{}+}}"}
    return "".join(forms[piece.kind].format(piece.text) for piece in pieces)


def _guarded(text: str) -> str:
    """
    >>> _guarded("=1+1"), _guarded("plain")
    ("'=1+1", 'plain')
    """
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text
