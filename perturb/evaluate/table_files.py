"""Reads columns of `.csv`, `.jsonl` and `.parquet` files into data frames, a million rows in seconds."""

from __future__ import annotations

import csv as plain_csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perturb.errors import SourceError, at

if TYPE_CHECKING:
    import pandas as pd


def read_columns(path: Path, wanted: Sequence[str], *, texts: Sequence[str] = ()) -> pd.DataFrame:
    """The wanted columns of a file, as far as it has them; all of them if it has none.

    Columns in `texts` come as text, whatever they look like; empty cells are missing. Raises `SourceError`.
    """
    readers = {".csv": _read_csv, ".jsonl": _read_jsonl, ".parquet": _read_parquet}
    reader = readers.get(path.suffix.lower())
    if not path.exists():
        raise SourceError(f"{path}: no such file: give a table, or the folder of a run")
    if reader is None:
        raise SourceError(f"{path}: a table is a {', '.join(readers)} file: give one, or the folder of a run")
    try:
        return reader(path, wanted, texts)
    except UnicodeDecodeError:
        raise SourceError(f"{path}: not UTF-8 text: save it as UTF-8") from None
    except OSError as exc:
        raise SourceError(f"{path}: cannot be read ({exc.strerror or exc}): check the file") from None


def _read_csv(path: Path, wanted: Sequence[str], texts: Sequence[str]) -> pd.DataFrame:
    """Strict: every row has as many cells as the header. pandas' own reader lets longer rows shift the columns."""
    import pyarrow as pa
    from pyarrow import csv

    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            names = next(plain_csv.reader(file), [])
    except plain_csv.Error as exc:
        raise SourceError(f"{at(path, 1)}: not a CSV table: {exc}") from None
    if not names:
        raise SourceError(f"{path}: the file is empty: a table has a header and one row per answer")
    if len(set(names)) < len(names):
        raise SourceError(f"{at(path, 1)}: a column stands twice: name each column once")
    convert = csv.ConvertOptions(
        include_columns=[name for name in wanted if name in names] or names,
        column_types=dict.fromkeys(texts, pa.string()),
        null_values=[""],
        strings_can_be_null=True,
    )
    try:
        table = csv.read_csv(
            path, parse_options=csv.ParseOptions(newlines_in_values=True), convert_options=convert
        )
    except pa.ArrowException as exc:
        raise SourceError(f"{path}: not a CSV table: {str(exc).strip().splitlines()[0]}") from None
    if any(pa.types.is_binary(column.type) for column in table.columns):
        raise SourceError(f"{path}: not UTF-8 text: save it as UTF-8")
    frame: pd.DataFrame = table.to_pandas()
    return frame


def _read_jsonl(path: Path, wanted: Sequence[str], _: Sequence[str]) -> pd.DataFrame:
    import pandas as pd

    rows: list[Mapping[str, Any]] = []
    seen: dict[str, None] = {}
    with path.open(encoding="utf-8-sig") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as exc:
                what = exc.msg if isinstance(exc, json.JSONDecodeError) else "nested too deeply"
                raise SourceError(
                    f"{at(path, number)}: not JSON ({what}): give one object per line"
                ) from None
            if not isinstance(row, dict):
                raise SourceError(f"{at(path, number)}: not an object: give one answer per line")
            seen.update(dict.fromkeys(row))
            rows.append({name: row[name] for name in wanted if name in row})
    known = [name for name in wanted if name in seen] or list(seen)
    return pd.DataFrame(rows, columns=known)


def _read_parquet(path: Path, wanted: Sequence[str], _: Sequence[str]) -> pd.DataFrame:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        names = pq.read_schema(path).names
        known = [name for name in wanted if name in names]
        frame: pd.DataFrame = pq.read_table(path, columns=known or None).to_pandas()
    except pa.ArrowException as exc:
        raise SourceError(f"{path}: not a Parquet table: {str(exc).strip().splitlines()[0]}") from None
    return frame
