"""Reads a table of refusals and errors: one row per question, model and setting."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from perturb.curate.rows import Header, Row, kind_of, read_lines
from perturb.errors import SourceError, at
from perturb.evaluate.csv_rows import read_csv_rows

TABLE_FILE = "refusals.jsonl"
"""What a two-pass run leaves in its folder."""

_FLAGS = {"0": 0, "1": 1, "0.0": 0, "1.0": 1, "false": 0, "true": 1}


@dataclass(slots=True)
class RefusalGroup:
    """The rows of one model under one setting."""

    model: str | None
    """None where the table has no such column; so for the setting."""
    setting: str | None
    refused: list[int] = field(default_factory=list)
    wrong: list[int] = field(default_factory=list)
    bases: list[str] = field(default_factory=list)
    """What each question was made from."""
    unscored: int = 0
    """Rows whose refusal or error is unknown; they count nowhere else."""

    @property
    def clusters(self) -> list[str] | None:
        """The base of each question, if questions share any: such rows are not independent."""
        return self.bases if len(set(self.bases)) < len(self.bases) else None

    @property
    def cells(self) -> NDArray[np.int64]:
        """Counts n11, n10, n01, n00: refused and wrong, refused and right, answered wrongly, answered rightly."""
        r, w = np.array(self.refused, dtype=bool), np.array(self.wrong, dtype=bool)
        return np.array([np.sum(cell) for cell in (r & w, r & ~w, ~r & w, ~r & ~w)])


def read_refusals(source: Path) -> tuple[RefusalGroup, ...]:
    """The groups of a `.csv`, `.jsonl` or `.parquet` table, or of the folder of a two-pass run, in order of appearance.

    Columns: `refused` and `wrong` (0/1, empty while unscored); optional `model`, `setting`, `base_id`, `item_id`.
    Raises `SourceError`, with file and line, for anything else and for a question that stands twice in a group.
    """
    path = source / TABLE_FILE if source.is_dir() else source
    if source.is_dir() and not path.is_file():
        raise SourceError(f"{source}: holds no two-pass run: give the folder that `refusal-index run` wrote")
    groups: dict[tuple[str | None, str | None], RefusalGroup] = {}
    seen: set[tuple[str | None, ...]] = set()
    for row in _rows(path):
        key = _label(row, "model"), _label(row, "setting")
        group = groups.setdefault(key, RefusalGroup(*key))
        item = _label(row, "item_id")
        if item is not None and (*key, item) in seen:
            raise row.error("item_id", f"'{item}' stands twice under one model and setting: keep one row")
        seen.add((*key, item))
        _add(row, group)
    if not groups:
        raise SourceError(f"{path}: the table holds no rows: give one row per question")
    return tuple(groups.values())


def _add(row: Row, group: RefusalGroup) -> None:
    refused, wrong = _flag(row, "refused"), _flag(row, "wrong")
    if refused is None or wrong is None:
        group.unscored += 1
        return
    group.refused.append(refused)
    group.wrong.append(wrong)
    # A row that does not say what it was made from stands for itself.
    group.bases.append(_label(row, "base_id") or f"line {row.line}")


def _rows(path: Path) -> Iterator[Row]:
    form = path.suffix.lower()
    if form == ".csv":
        rows = read_csv_rows(path)
    elif form == ".parquet":
        rows = _parquet_rows(path)
    elif form == ".jsonl" or path.name.lower().endswith(".jsonl.gz"):
        rows = _jsonl_rows(path)
    else:
        raise SourceError(
            f"{path}: a table is a .csv, .jsonl or .parquet file: give one, or the folder of a run"
        )
    yield from _with_columns(path, rows)


def _with_columns(path: Path, rows: Iterator[Row]) -> Iterator[Row]:
    """The rows, once it is certain that some row has each needed column."""
    listed: Sequence[Row] = tuple(rows)
    for name in ("refused", "wrong"):
        if listed and not any(name in row.fields for row in listed):
            known = ", ".join(listed[0].fields)
            raise SourceError(
                f"{path}: no column '{name}' with a value in it (there is {known}): it takes 0 or 1"
            )
    yield from listed


def _jsonl_rows(path: Path) -> Iterator[Row]:
    """One object per line, without the checks of texts that a base set needs: tables are long."""
    header = Header(path.stem)
    for number, line in read_lines(path):
        if not line.strip():
            continue
        try:
            fields = json.loads(line)
        except ValueError as error:
            raise SourceError(f"{at(path, number)}: not JSON ({error}): give one object per line") from None
        if not isinstance(fields, dict):
            raise SourceError(f"{at(path, number)}: not an object: give one question per line")
        yield Row(path, number, fields, header)


def _parquet_rows(path: Path) -> Iterator[Row]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        listed = pq.read_table(path).to_pylist()
    except FileNotFoundError:
        raise SourceError(f"{path}: no such file: check the path") from None
    except (OSError, pa.ArrowException) as error:
        raise SourceError(f"{path}: not a Parquet table: {str(error).splitlines()[0]}") from None
    for number, fields in enumerate(listed, start=1):
        yield Row(path, number, fields, Header(path.stem))


def _label(row: Row, name: str) -> str | None:
    """A name in a row: text, or a number as it is written."""
    value: Any = row.fields.get(name)
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise row.error(name, f"must be a name, got {kind_of(value)}")


def _flag(row: Row, name: str) -> int | None:
    value = row.fields.get(name)
    if value is None:
        return None
    flag = _FLAGS.get(str(value).strip().lower())
    if flag is None:
        raise row.error(name, f"must be 0 or 1, got {str(value)[:40]!r}")
    return flag
