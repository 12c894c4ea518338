"""The parts of a snapshot: rows of one layout, loaded under one configuration name, in one parquet file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from perturb.errors import SnapshotError
from perturb.export.rows import (
    SEVERAL_COLUMNS,
    SINGLE_COLUMNS,
    Column,
    SnapshotRow,
    columns_of,
    schema_of,
)

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

_ROW_GROUP = 1000


def part_rows(rows: Sequence[SnapshotRow]) -> Parts:
    """Rows by the part that they belong to; one part, or `nq` before `garage`."""
    ordered = sorted(rows, key=lambda row: str(row["id"]))
    single = [row for row in ordered if columns_of(row) is SINGLE_COLUMNS]
    several = [row for row in ordered if columns_of(row) is SEVERAL_COLUMNS]
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
    import pyarrow as pa
    import pyarrow.parquet as pq

    path.parent.mkdir(parents=True)
    table = pa.Table.from_pylist(list(rows), schema=schema_of(columns_of(rows[0])))
    pq.write_table(table, path, row_group_size=_ROW_GROUP, compression="zstd", version="2.6")


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
