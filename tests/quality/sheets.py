"""The sheet that a reader fills in: one row for each item, five questions, a comment."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from perturb.auditing.rubric import COMMENT, NO, QUESTION_NAMES, YES
from perturb.errors import SourceError
from perturb.records import ALL_CELLS, Cell
from tests.quality.drawing import DrawnItem

NAMES = ("item", "seed", "class", "intensity", "lever", "instance")
TEXTS = ("original_query", "answers", "query", "original_context", "context")
COLUMNS = (*NAMES, *TEXTS, *QUESTION_NAMES, COMMENT)
KEPT = (*NAMES, *QUESTION_NAMES, COMMENT)
"""Columns of a sheet that is kept: the texts of the source are left out, the digest names the item."""

REJECTED_BY = "rejected_by"
"""One more column of a sheet of rejected items: the checks that rejected them, parted by blanks."""

_CELLS = {(str(cell.perturbation_class), str(cell.intensity)): cell for cell in ALL_CELLS}


@dataclass(frozen=True, slots=True)
class Reading:
    """One row of a filled sheet."""

    item: str
    cell: Cell
    lever: str
    answers: Mapping[str, bool]
    """Question name -> whether the answer is yes; all five are there."""
    comment: str
    rejected_by: tuple[str, ...] = ()
    """The checks that rejected the item; empty for an accepted one."""

    @property
    def fit(self) -> bool:
        """Whether all five answers are yes."""
        return all(self.answers.values())


def write_sheet(path: Path, items: Iterable[DrawnItem], seed: int) -> None:
    """Write a sheet with the questions open. An existing file is not touched: `SourceError`."""
    rows = [_row(item, seed) for item in items]
    rejected = [REJECTED_BY] if any(row[REJECTED_BY] for row in rows) else []
    try:
        with path.open("x", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, [*rejected, *COLUMNS], extrasaction="ignore")
            writer.writeheader()
            writer.writerows(rows)
    except FileExistsError:
        raise SourceError(f"{path}: is there already, perhaps filled in: choose another name") from None


def read_sheet(path: Path) -> list[Reading]:
    """Read a filled sheet. Raises `SourceError` naming the first row that is not answered in full."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    if not rows or not set(KEPT) <= set(rows[0]):
        raise SourceError(f"{path}: holds no rows with the columns {', '.join(KEPT)}")
    readings = [_reading(path, number, row) for number, row in enumerate(rows, start=2)]
    if len({reading.item for reading in readings}) < len(readings):
        raise SourceError(f"{path}: an item stands in it twice: leave one of the two rows out")
    return readings


def strip_sheet(filled: Path, kept: Path) -> None:
    """Write a filled sheet without the texts of its source, to be kept under version control."""
    read_sheet(filled)
    with filled.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    columns = [name for name in (REJECTED_BY, *KEPT) if name in rows[0]]
    with kept.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _row(item: DrawnItem, seed: int) -> dict[str, object]:
    original, candidate = item.original, item.candidate
    return {
        REJECTED_BY: " ".join(item.rejected_by),
        "item": item.digest,
        "seed": seed,
        "class": candidate.cell.perturbation_class,
        "intensity": candidate.cell.intensity,
        "lever": candidate.lever,
        "instance": original.id,
        "original_query": original.query,
        "answers": " | ".join(original.answers),
        "query": candidate.query,
        "original_context": original.context,
        "context": candidate.context,
    }


def _reading(path: Path, number: int, row: Mapping[str, str]) -> Reading:
    given = {name: (row[name] or "").strip().lower() for name in QUESTION_NAMES}
    unread = [name for name, answer in given.items() if answer not in (YES, NO)]
    if unread:
        raise SourceError(f"{path}, line {number}: answer {', '.join(unread)} with '{YES}' or '{NO}'")
    cell = _CELLS.get((row["class"], row["intensity"]))
    if cell is None:
        raise SourceError(f"{path}, line {number}: there is no cell {row['class']}/{row['intensity']}")
    answers = {name: answer == YES for name, answer in given.items()}
    rejected_by = tuple((row.get(REJECTED_BY) or "").split())
    return Reading(row["item"], cell, row["lever"], answers, row[COMMENT] or "", rejected_by)
