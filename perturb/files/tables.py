"""Reads tables (JSON Lines, CSV, Parquet), either as rows with their place in the file or as columns."""

from __future__ import annotations

import csv
import gzip
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perturb.errors import SourceError, location
from perturb.files.resources import reading_errors

if TYPE_CHECKING:
    import pandas as pd

ENDINGS: tuple[str, ...] = (".jsonl", ".jsonl.gz", ".csv", ".parquet")
"""The endings of names of tables. Letter case does not matter."""

MAX_LINE_BYTES = 16 * 2**20
"""The longest line of a text file, in bytes. A longer line is refused before it fills the memory."""

# The spellings of flags, in small letters.
_FLAGS = {"0": False, "1": True, "0.0": False, "1.0": True, "false": False, "true": True}


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table, with its place in the file."""

    path: Path
    line: int
    """The line on which it begins, from 1; in a Parquet file, the number of the row."""
    fields: Mapping[str, Any]
    """Column → value. In a CSV file, values are text, or None if the cell is empty."""

    @property
    def place(self) -> str:
        """File and line, for messages."""
        if self.path.suffix.lower() == ".parquet":
            return f"{self.path}: row {self.line}"
        return location(self.path, self.line)

    def error(self, field: str, problem: str) -> SourceError:
        """An error that names the file, the line and the column."""
        return SourceError(f"{self.place}: field '{field}' {problem}")

    def label(self, name: str) -> str | None:
        """A name in a column, which may be given as a number; None if it is empty."""
        value = self.fields.get(name)
        if value is None or isinstance(value, str):
            return value
        if isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)
        raise self.error(name, f"must be a name, got {type_name(value)}")

    def flag(self, name: str) -> bool | None:
        """A flag in a column, written as 0 or 1, or as true or false; None if it is empty."""
        value = self.fields.get(name)
        flag = read_flag(value)
        if flag is None and value is not None:
            raise self.error(name, f"must be 0 or 1, got {quote(str(value))}")
        return flag

    def share(self, name: str) -> float | None:
        """A number from 0 to 1 in a column; None if it is empty."""
        value = self.fields.get(name)
        if value is None:
            return None
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = -1.0  # refused below, like other values out of range
        if not 0 <= number <= 1:
            raise self.error(name, f"must be a number from 0 to 1, got {quote(str(value))}")
        return number


def read_flag(value: Any) -> bool | None:
    """True or False for 0, 1, true and false in any spelling; None for anything else.

    >>> read_flag("TRUE"), read_flag(0.0), read_flag("2")
    (True, False, None)
    """
    return _FLAGS.get(str(value).strip().lower())


def type_name(value: Any) -> str:
    """The type of a JSON value in words.

    >>> type_name(3), type_name(None), type_name([])
    ('a number', 'null', 'a list')
    """
    names = {bool: "a boolean", int: "a number", float: "a number", str: "a string", list: "a list"}
    return "null" if value is None else names.get(type(value), "an object")


# Characters of a quotation, so that a message fits on a line or two.
_LONGEST_QUOTE = 60


def quote(text: str) -> str:
    """A text of a file for an error message: on one line, escaped and short.

    >>> quote("a\\nb")
    "'a\\\\nb'"
    """
    return repr(text if len(text) <= _LONGEST_QUOTE else text[: _LONGEST_QUOTE - 1] + "…")


def ending_of(path: Path) -> str | None:
    """The ending of the file's name, which is one of `ENDINGS`; None if it has another ending."""
    name = path.name.lower()
    return next((ending for ending in reversed(ENDINGS) if name.endswith(ending)), None)


def read_table(path: Path) -> Iterator[Row]:
    """Yield the rows of a table. Blank lines are ignored.

    Raises `SourceError`, with file and line, for a file that is missing, not UTF-8, malformed, or not a table.
    """
    readers: dict[str, Callable[[Path], Iterator[Row]]] = {".csv": _read_csv, ".parquet": _read_parquet}
    return readers.get(_known_ending(path), _read_jsonl)(path)


def column_names(path: Path) -> list[str]:
    """The columns of a table: its header, its schema, or the fields of its first object. Raises `SourceError`."""
    if _known_ending(path) == ".parquet":
        with _parquet_errors(path) as pq:
            return list(pq.read_schema(path).names)
    if ending_of(path) == ".csv":
        _, header = next(_csv_cells(path), (1, []))
        return header
    return list(next((row.fields for row in _read_jsonl(path)), ()))


def read_columns(path: Path, columns: Sequence[str], *, texts: Sequence[str] = ()) -> pd.DataFrame:
    """These columns of a table, as far as it has them, or all of its columns if it has none of them.

    A million rows take seconds. Columns in `texts` are read as text, even if they look like numbers. Empty cells are
    missing values. Raises `SourceError`.
    """
    readers = {".csv": _csv_columns, ".parquet": _parquet_columns}
    return readers.get(_known_ending(path), _jsonl_columns)(path, columns, texts)


def rename(fields: Mapping[str, Any], columns: Mapping[str, str]) -> dict[str, Any]:
    """The fields after renaming columns. `columns` maps a field to the column that holds it.

    >>> rename({"model": "m", "setting": "low", "source": "facts"}, {"model": "setting", "dataset": "source"})
    {'model': 'low', 'dataset': 'facts'}
    """
    unmapped = {name: value for name, value in fields.items() if name not in columns.values()}
    return unmapped | {field: fields.get(column) for field, column in columns.items()}


def row_place(path: Path, number: int) -> str:
    """The place of a row of `read_columns`, by its number from 0, for messages. The file is read again up to it."""
    row = next(islice(read_table(path), number, None), None) if ending_of(path) and path.is_file() else None
    return f"{path}: row {number + 1}" if row is None else row.place


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Like `read_raw_lines`, for text. Also raises `SourceError` for bytes that are not UTF-8."""
    offset = 0
    for number, raw in read_raw_lines(path):
        try:
            line = raw.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            place = f"byte {error.start} of the line, {offset + error.start} of the file"
            raise SourceError(
                f"{location(path, number)}: not UTF-8 at {place}: save the file as UTF-8"
            ) from error
        yield number, line
        offset += len(raw)


def read_raw_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield number and content of the lines of a plain or gzipped file. Only a line feed ends a line, not U+2028.

    Raises `SourceError` for a file that is missing or cannot be read, and for a line beyond `MAX_LINE_BYTES`.
    """
    open_file = gzip.open if path.suffix.lower() == ".gz" else Path.open
    with reading_errors(path, SourceError), open_file(path, "rb") as stream:
        for number, raw in enumerate(iter(lambda: stream.readline(MAX_LINE_BYTES + 1), b""), start=1):
            if len(raw) > MAX_LINE_BYTES:
                limit = f"the limit is {MAX_LINE_BYTES // 2**20} MB"
                raise SourceError(f"{location(path, number)}: the line is too long, {limit}: is it a table?")
            yield number, raw


def plain_value(value: Any) -> Any:
    """A value that JSON can hold: a date becomes text, and NaN becomes None."""
    if isinstance(value, Mapping):
        return {str(key): plain_value(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain_value(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, str | int) else str(value)


def _known_ending(path: Path) -> str:
    """The ending of a table that exists. Raises `SourceError` for any other path."""
    ending = ending_of(path)
    if not path.exists():
        raise SourceError(f"{path}: no such file or run: check the path")
    if ending is None:
        raise SourceError(
            f"{path}: not a table: a table is a {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]} file"
        )
    return ending


def _read_jsonl(path: Path) -> Iterator[Row]:
    for number, line in read_lines(path):
        if not line.strip():
            continue
        try:
            fields = json.loads(line)
        except (ValueError, RecursionError) as error:
            reason = error.msg if isinstance(error, json.JSONDecodeError) else "nested too deeply"
            raise SourceError(
                f"{location(path, number)}: not JSON ({reason}): give one object per line"
            ) from None
        if not isinstance(fields, dict):
            raise SourceError(f"{location(path, number)}: not an object: give one object per line")
        yield Row(path, number, fields)


def _csv_cells(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the records of a CSV file, header first, each with its first line. Empty records are ignored."""
    # The default of Python, 128 KB, is too small for passages.
    csv.field_size_limit(MAX_LINE_BYTES)
    reader = csv.reader((line for _, line in read_lines(path)), strict=True)
    line = 1
    try:
        for cells in reader:
            if cells:
                yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise SourceError(f"{location(path, line)}: not a CSV table ({error}): fix the row") from None


# Separators that spreadsheets write instead of commas, with their names for messages.
_OTHER_SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "vertical bars"}


def _read_csv(path: Path) -> Iterator[Row]:
    """Yield the rows of a CSV file, each of which must have as many cells as the header."""
    records = _csv_cells(path)
    _, columns = next(records, (1, []))
    if not columns:
        raise SourceError(f"{path}: the file is empty: a table begins with a line that names the columns")
    if len(columns) == 1 and (mark := next((mark for mark in _OTHER_SEPARATORS if mark in columns[0]), None)):
        name = _OTHER_SEPARATORS[mark]
        raise SourceError(
            f"{location(path, 1)}: the columns are separated by {name}: save the table with commas"
        )
    if len(set(columns)) < len(columns):
        raise SourceError(f"{location(path, 1)}: a column appears twice: name each column once")
    for line, cells in records:
        if len(cells) != len(columns):
            counts = f"{len(cells)} cells where the header has {len(columns)}"
            raise SourceError(
                f"{location(path, line)}: {counts}: fill every column, texts with commas in quotes"
            )
        yield Row(path, line, {name: cell or None for name, cell in zip(columns, cells, strict=True)})


def _read_parquet(path: Path) -> Iterator[Row]:
    with _parquet_errors(path) as pq, pq.ParquetFile(path) as file:
        batches = (batch.to_pylist() for batch in file.iter_batches(batch_size=1024))
        for number, fields in enumerate(chain.from_iterable(batches), start=1):
            yield Row(path, number, plain_value(fields))


@contextmanager
def _parquet_errors(path: Path) -> Iterator[Any]:
    """Yield `pyarrow.parquet`, and turn its errors in the block into a `SourceError`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        yield pq
    except (OSError, pa.ArrowException) as error:
        reason = str(error).strip().splitlines()[0]
        raise SourceError(f"{path}: not a Parquet table: {reason}") from None


def _parquet_columns(path: Path, wanted_columns: Sequence[str], _: Sequence[str]) -> pd.DataFrame:
    with _parquet_errors(path) as pq:
        present = [name for name in wanted_columns if name in pq.read_schema(path).names]
        frame: pd.DataFrame = pq.read_table(path, columns=present or None).to_pandas()
    return frame


def _csv_columns(path: Path, wanted_columns: Sequence[str], texts: Sequence[str]) -> pd.DataFrame:
    """Read columns of a CSV file with pyarrow, which is fast."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    # The strict reader checks the header, about which pyarrow is lenient.
    next(_read_csv(path), None)
    names = column_names(path)
    options = arrow_csv.ConvertOptions(
        include_columns=[name for name in wanted_columns if name in names] or names,
        column_types=dict.fromkeys(texts, pa.string()),
        null_values=[""],
        strings_can_be_null=True,
    )
    lines = arrow_csv.ParseOptions(newlines_in_values=True)
    try:
        table = arrow_csv.read_csv(path, parse_options=lines, convert_options=options)
    except (OSError, pa.ArrowException) as error:
        _refuse_csv(path)
        raise SourceError(f"{path}: not a CSV table: {str(error).strip().splitlines()[0]}") from None
    # pyarrow reads text that is not UTF-8 as bytes.
    if any(pa.types.is_binary(column.type) for column in table.columns):
        _refuse_csv(path)
    frame: pd.DataFrame = table.to_pandas()
    return frame


def _refuse_csv(path: Path) -> None:
    """Read a CSV file with the strict reader, which raises an error that names the line of a fault."""
    for _ in _read_csv(path):
        pass


def _jsonl_columns(path: Path, wanted_columns: Sequence[str], texts: Sequence[str]) -> pd.DataFrame:
    """Read columns of a JSON Lines file."""
    import pandas as pd

    columns: dict[str, list[Any]] = {name: [] for name in wanted_columns}
    # Equal texts are kept once, so that a million rows fit into little memory.
    kept_texts: dict[str, str] = {}
    all_columns: dict[str, None] = {}
    for row in _read_jsonl(path):
        all_columns.update(dict.fromkeys(row.fields))
        for name, values in columns.items():
            value = row.fields.get(name)
            if isinstance(value, list | dict):
                raise row.error(name, f"must be a single value, got {type_name(value)}")
            if value is not None and name in texts and not isinstance(value, str):
                value = json.dumps(value) if isinstance(value, bool) else str(value)
            values.append(kept_texts.setdefault(value, value) if isinstance(value, str) else value)
    present = {name: values for name, values in columns.items() if name in all_columns}
    return pd.DataFrame(present or {name: [] for name in all_columns})
