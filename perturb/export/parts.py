"""The parts of a snapshot: rows of one layout, loaded under one configuration name, in one parquet file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from perturb.errors import SnapshotError
from perturb.export.snapshot_rows import (
    SEVERAL_COLUMNS,
    SINGLE_COLUMNS,
    Column,
    SnapshotRow,
    columns_of,
    layouts,
    schema_of,
)
from perturb.spool import RowSelection

if TYPE_CHECKING:
    import pyarrow as pa

PART_COLUMNS: Mapping[str, tuple[Column, ...]] = {
    "default": SINGLE_COLUMNS,
    "nq": SINGLE_COLUMNS,
    "garage": SEVERAL_COLUMNS,
}
"""Name of a part -> its columns. Single passages alone are `default`, beside several passages they are `nq`."""

Parts = Mapping[str, Sequence[SnapshotRow]]
"""Name of a part -> its rows, ordered by id."""

_ROW_GROUP = 250


def part_rows(rows: Sequence[SnapshotRow]) -> dict[str, RowSelection]:
    """Rows by the part that they belong to; one part, or `nq` before `garage`."""
    ordered = sorted((str(row["id"]), place, "grounding" not in row) for place, row in enumerate(rows))
    single = RowSelection(rows, [place for _, place, is_single in ordered if is_single])
    several = RowSelection(rows, [place for _, place, is_single in ordered if not is_single])
    if single and several:
        return {"nq": single, "garage": several}
    return {"garage": several} if several else {"default": single}


def data_paths(content_digest: str, names: Sequence[str]) -> dict[str, str]:
    """Where the parts lie, relative to the snapshot's folder.

    >>> data_paths("ab", ["default"])
    {'default': 'data/ab/test.parquet'}
    >>> data_paths("ab", ["nq", "garage"])["garage"]
    'data/ab/garage/test.parquet'
    """
    if len(names) == 1:
        return {names[0]: f"data/{content_digest}/test.parquet"}
    return {name: f"data/{content_digest}/{name}/test.parquet" for name in names}


def write_part(path: Path, rows: Sequence[SnapshotRow]) -> None:
    """Write one part; the same rows give the same bytes under one version of pyarrow."""
    write_rows(path, rows, schema_of(columns_of(rows[0])))


def write_rows(path: Path, rows: Sequence[SnapshotRow], schema: pa.Schema) -> None:
    """Write rows as a parquet file, a row group at a time, for more than that need not fit in memory."""
    import pyarrow.parquet as pq

    path.parent.mkdir(parents=True, exist_ok=True)
    with pq.ParquetWriter(path, schema, compression="zstd", version="2.6") as file:
        for start in range(0, len(rows), _ROW_GROUP):
            file.write_table(_table(rows[start : start + _ROW_GROUP], schema))


def _table(rows: Sequence[SnapshotRow], schema: pa.Schema) -> pa.Table:
    """Rows as a table by way of JSON: `Table.from_pylist` imports pandas, which takes 40 MB."""
    import pyarrow as pa
    import pyarrow.json

    lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode()
    return pa.json.read_json(
        pa.BufferReader(lines),
        read_options=pa.json.ReadOptions(use_threads=False, block_size=len(lines) + 1),
        parse_options=pa.json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="error"),
    )


def read_part(path: Path) -> pa.Table:
    """Read one part. Raises `SnapshotError` if the file is missing or damaged."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            return file.read()
    except (OSError, pa.ArrowException) as error:
        reason = str(error).splitlines()[0]
        raise SnapshotError(
            f"{path} cannot be read ({reason}): restore it, or export the run again"
        ) from None


def read_rows_of(folder: Path, path: str, part: str) -> list[SnapshotRow]:
    """The rows of a part of a snapshot; as `read_part`, and raises `SnapshotError` for columns that it may not have."""
    table = read_part(folder / path)
    if table.schema not in map(schema_of, layouts(PART_COLUMNS[part])):
        raise SnapshotError(f"{path}: the columns are not those of a snapshot")
    rows: list[SnapshotRow] = table.to_pylist()
    return rows
