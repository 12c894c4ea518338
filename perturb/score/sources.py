"""Where results come from: the folder of an evaluation, or a file with one row for each item and model."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perturb.errors import SourceError, at
from perturb.score.rows import OPTIONAL, REQUIRED
from perturb.score.table import ResultTable, result_table

if TYPE_CHECKING:
    from perturb.evaluate.results import EvaluationRun

Located = tuple[str, Mapping[str, Any]]
"""A row and its place in the source."""


def read_results(source: Path | str) -> ResultTable:
    """The results of an evaluation (its folder), or of a `.jsonl`, `.csv` or `.parquet` file.

    Raises `SourceError` if the file cannot be read or its content is wrong, `LedgerError` if the folder holds no
    evaluation.
    """
    path = Path(source)
    if path.is_dir():
        return _read_run(path)
    readers = {".jsonl": _read_jsonl, ".csv": _read_csv, ".parquet": _read_parquet}
    reader = readers.get(path.suffix.lower())
    if not path.exists():
        raise SourceError(
            f"{path}: no such file or run: give the folder of an evaluation or a table of results"
        )
    if reader is None:
        raise SourceError(
            f"{path}: results are read from {', '.join(readers)} files or from the folder of an evaluation"
        )
    try:
        return result_table(reader(path), str(path))
    except UnicodeDecodeError:
        raise SourceError(f"{path}: not UTF-8 text: save it as UTF-8") from None
    except OSError as exc:
        raise SourceError(f"{path}: cannot be read ({exc.strerror or exc})") from None


def _read_run(folder: Path) -> ResultTable:
    from perturb.evaluate.results import read_run

    run = read_run(folder)
    rows = ((f"{folder}: item '{one.item_id}'", one.to_dict()) for one in run.results)
    return result_table(rows, str(folder), items=run.items, warnings=tuple(_warnings(run)))


def _warnings(run: EvaluationRun) -> Iterator[str]:
    replied = {one.model for one in run.results}
    for name, facts in run.facts["models"].items():
        if facts.get("judges_itself"):
            yield f"{name} is the judge too and judged its own replies: its scores may be partial"
        if name not in replied:
            yield f"{name} has no reply yet and is not scored: run `perturb evaluate` again"


def _read_jsonl(path: Path) -> Iterator[Located]:
    with path.open(encoding="utf-8-sig") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except (json.JSONDecodeError, RecursionError) as exc:
                what = exc.msg if isinstance(exc, json.JSONDecodeError) else "nested too deeply"
                raise SourceError(
                    f"{at(path, number)}: not JSON ({what}): give one object per line"
                ) from None
            if not isinstance(row, dict):
                raise SourceError(f"{at(path, number)}: not an object: give one result per line")
            _require_columns(row, at(path, number))
            yield at(path, number), row


def _read_csv(path: Path) -> Iterator[Located]:
    with path.open(encoding="utf-8-sig", newline="") as lines:
        reader = csv.DictReader(lines, strict=True)
        try:
            _require_columns(dict.fromkeys(reader.fieldnames or ()), str(path))
            for row in reader:
                if None in row:
                    raise SourceError(f"{at(path, reader.line_num)}: more fields than the header names")
                yield at(path, reader.line_num), row
        except csv.Error as exc:
            raise SourceError(f"{at(path, reader.line_num)}: not a CSV table: {exc}") from None


def _read_parquet(path: Path) -> Iterator[Located]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        names = pq.read_schema(path).names
        _require_columns(dict.fromkeys(names), str(path))
        table = pq.read_table(path, columns=[name for name in (*REQUIRED, *OPTIONAL) if name in names])
    except pa.ArrowException as exc:
        raise SourceError(f"{path}: not a Parquet table: {str(exc).strip().splitlines()[0]}") from None
    number = 0
    for batch in table.to_batches():
        for row in batch.to_pylist():
            number += 1
            yield f"{path}: row {number}", row


def _require_columns(row: Mapping[str, Any], place: str) -> None:
    missing = [name for name in REQUIRED if name not in row]
    if missing:
        raise SourceError(
            f"{place}: no column '{missing[0]}': a results table has the columns {', '.join(REQUIRED)}"
        )
