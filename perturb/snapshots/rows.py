"""Accepted items as published rows: their columns (spec, section 6) and their parquet files.

Rows of items with a single passage and rows of items with several have different columns: there are two layouts. A
*part* of a snapshot is its rows of one layout, in a parquet file of its own. The name of the part is its configuration
name for `datasets`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from perturb.errors import SnapshotError
from perturb.files.resources import RowSelection, Spool, digest
from perturb.llm.replies import whole_texts
from perturb.records import EXPECTED_ANSWER, BaseInstance, Candidate, Facts, JsonObject, Verdict, VerdictState
from perturb.text.wording import ENGLISH

if TYPE_CHECKING:
    import pyarrow as pa

# A row: name of the column → value, in published order. `build_rows` makes it.
SnapshotRow: TypeAlias = JsonObject


class ColumnKind(Enum):
    """The type of a field. `schema_of` turns it into an Arrow type, so that this module does not import Arrow."""

    TEXT = auto()
    TEXTS = auto()
    INDICES = auto()
    VOTES = auto()
    NUMBER = auto()


@dataclass(frozen=True, slots=True)
class Column:
    """A published field."""

    name: str
    note: str
    """Its description on the data set card."""
    kind: ColumnKind = ColumnKind.TEXT
    absent: str | None = None
    """Of an optional column: the value in a row that has nothing for it, if other rows of the snapshot have."""


_TEXTS, _INDICES, _VOTES = ColumnKind.TEXTS, ColumnKind.INDICES, ColumnKind.VOTES
# The columns that the published RefusalBench data sets have, under the same names.
_PUBLISHED = (
    Column("id", "Identifier of the item; unique in the snapshot."),
    Column("source_id", "Identifier of the base instance it was made from."),
    Column("generator_model", "Name of the generator that made it."),
    Column("perturbation_class", "The perturbation class."),
    Column("intensity", "LOW, MEDIUM or HIGH."),
    Column("expected_rag_behavior", "Ground truth: ANSWER_CORRECTLY or the code of the refusal."),
    Column("lever_selected", "Name of the lever that was applied."),
    Column("original_query", "The question before the perturbation."),
    Column("original_context", "The context before it; several passages are numbered."),
    Column("original_answers", "Accepted answers to the original question, the preferred one first.", _TEXTS),
    Column("perturbed_query", "The question a model is asked."),
    Column("perturbed_context", "The context a model is shown; several passages are numbered."),
    Column("implementation_reasoning", "The generator's account of what it changed."),
    Column(
        "verifier_votes",
        "One vote for each verifier that judges the class, by name; the verdict is pass, fail, abstain or unscored.",
        _VOTES,
    ),
)

# The columns that only rows with several passages have, as in GaRAGe.
_SEVERAL_PASSAGES = (
    Column("query", "The same as perturbed_query."),
    Column("grounding", "Texts of the perturbed passages, without their titles, in the order shown.", _TEXTS),
    Column("reference_answer", "A long answer to the original question, where the source has one."),
    Column(
        "signal_indices", "Positions in grounding, from 0, of passages that bear on the question.", _INDICES
    ),
    Column("noise_indices", "Positions in grounding, from 0, of the other passages.", _INDICES),
)

_DOMAIN = Column("domain", "Subject area, where the source names one.")
_ROUND = Column("round", "The round the item was made in.")

# Columns that the published data sets do not have.
_OURS = (
    Column("licence", "Licence of the base instance, as its source states it."),
    Column("source", "Where the base instance comes from."),
    Column("panel", "Name of the panel of verifiers that accepted the item."),
    Column("row_digest", "Digest of all the other fields."),
)

# Fields of a row whose context is a single passage.
SINGLE_COLUMNS: tuple[Column, ...] = (*_PUBLISHED, _ROUND, _DOMAIN, *_OURS)

# Fields of a row whose context is several passages.
SEVERAL_COLUMNS: tuple[Column, ...] = (*_PUBLISHED, *_SEVERAL_PASSAGES, _DOMAIN, _ROUND, *_OURS)


# Columns that a snapshot has only if an item has a value for them, so that older snapshots keep their digests. The
# columns of a group come together: for levers with a new question, for languages other than English, for depths other
# than open, and for items that solvers were asked.
_OPTIONAL_GROUPS = (
    (Column(EXPECTED_ANSWER, "The accepted answer where the perturbed question has one of its own."),),
    (Column("language", "Code of the language of question, context and answers.", absent=ENGLISH),),
    (
        Column("depth", "How well the flaw is hidden: open, quiet or deep.", absent="open"),
        Column("construction", "Of a deep item: how its flaw is laid."),
        Column("proof", "Of a deep item: the exact sentences whose comparison shows the flaw.", _TEXTS),
        Column(
            "blind_agreement",
            "Of a deep item: share, in [0, 1], of its verifiers that decided as expected before they saw the claim.",
            ColumnKind.NUMBER,
        ),
    ),
    (
        Column(
            "difficulty",
            "Share, in [0, 1], of the solvers' scored replies that were wrong; null if no solver was asked.",
            ColumnKind.NUMBER,
        ),
    ),
)
OPTIONAL_COLUMNS: tuple[Column, ...] = tuple(chain.from_iterable(_OPTIONAL_GROUPS))

# The configuration with all rows, which `datasets` loads without a name. A snapshot with two parts has an extra file
# for it.
DEFAULT = "default"
# The parts of a snapshot with both layouts: rows with a single passage, and rows with several.
_SINGLE_PART, _SEVERAL_PART = "nq", "garage"

# Name of a part → its columns. Rows with a single passage are `default` if the snapshot has no others.
PART_COLUMNS: Mapping[str, tuple[Column, ...]] = {
    DEFAULT: SINGLE_COLUMNS,
    _SINGLE_PART: SINGLE_COLUMNS,
    _SEVERAL_PART: SEVERAL_COLUMNS,
}

# Name of a part → its rows, ordered by id.
Parts = Mapping[str, Sequence[SnapshotRow]]


def columns_of(row: SnapshotRow) -> tuple[Column, ...]:
    """The columns of a row, in published order."""
    columns = SEVERAL_COLUMNS if "grounding" in row else SINGLE_COLUMNS
    return (*columns, *(column for column in OPTIONAL_COLUMNS if column.name in row))


def all_columns(rows: Iterable[SnapshotRow]) -> tuple[Column, ...]:
    """The columns that any of the rows has, in the order of rows with several passages."""
    names = {name for row in rows for name in row}
    return tuple(column for column in (*SEVERAL_COLUMNS, *OPTIONAL_COLUMNS) if column.name in names)


def schema_of(columns: Sequence[Column]) -> pa.Schema:
    """The Arrow schema of `columns`.

    Every file is written with its schema. Otherwise a column without any value would get a type that cannot be loaded.
    """
    import pyarrow as pa

    texts = pa.list_(pa.string())
    names = ("verifier", "verdict", "predicted_behavior")
    vote = [*((name, pa.string()) for name in names), ("failed_checks", texts), ("issues", texts)]
    types = {
        ColumnKind.TEXT: pa.string(),
        ColumnKind.TEXTS: texts,
        ColumnKind.INDICES: pa.list_(pa.int32()),
        ColumnKind.VOTES: pa.list_(pa.struct(vote)),
        ColumnKind.NUMBER: pa.float64(),
    }
    return pa.schema([(column.name, types[column.kind]) for column in columns])


@dataclass(frozen=True, slots=True)
class AcceptedItem:
    """An accepted item with everything that its row needs."""

    instance: BaseInstance
    candidate: Candidate
    votes: tuple[Verdict, ...]
    difficulty: float | None = None
    """Share of the solvers' scored replies that were wrong; None if no solver was asked."""


def build_rows(items: Iterable[AcceptedItem], round_name: str, panel: str) -> Sequence[SnapshotRow]:
    """A row for each item, in the order of the items, stored on disk. The number of passages decides the layout."""
    rows = Spool(_build_row(item, {"round": round_name, "panel": panel}) for item in items)
    # Which optional columns the snapshot has is known only after all rows, so they are completed in a second pass.
    used_names = {name for row in rows for name in row}
    absent = {column.name: column.absent for column in OPTIONAL_COLUMNS if column.name in used_names}
    return Spool(seal({**absent, **row}) for row in rows) if absent else rows


def _build_row(item: AcceptedItem, shared_values: Facts) -> SnapshotRow:
    columns = SEVERAL_COLUMNS if len(item.candidate.passages) > 1 else SINGLE_COLUMNS
    values = {**_required_values(item), **shared_values, **_optional_values(item)}
    # The order of the columns is fixed, since it enters the content digest.
    names = [column.name for column in (*columns, *OPTIONAL_COLUMNS) if column.name in values]
    return seal({name: whole_texts(values[name]) for name in names})


def _required_values(item: AcceptedItem) -> JsonObject:
    """The values of the columns of both layouts that come from the item."""
    instance, candidate = item.instance, item.candidate
    roles = [passage.role for passage in candidate.passages]
    return {
        "id": candidate.id,
        "source_id": instance.id,
        "generator_model": candidate.generator,
        "perturbation_class": str(candidate.cell.perturbation_class),
        "intensity": str(candidate.cell.intensity),
        "expected_rag_behavior": candidate.expected_behavior,
        "lever_selected": candidate.lever,
        "original_query": instance.query,
        "original_context": instance.context,
        "original_answers": list(instance.answers),
        "perturbed_query": candidate.query,
        "perturbed_context": candidate.context,
        "implementation_reasoning": candidate.reasoning,
        "verifier_votes": [_vote(vote) for vote in sorted(item.votes, key=lambda vote: vote.verifier)],
        "query": candidate.query,
        "grounding": [passage.text for passage in candidate.passages],
        "reference_answer": instance.reference_answer,
        "signal_indices": [position for position, role in enumerate(roles) if role == "signal"],
        "noise_indices": [position for position, role in enumerate(roles) if role == "noise"],
        "domain": instance.domain,
        "licence": instance.licence,
        "source": instance.source,
    }


def _vote(vote: Verdict) -> JsonObject:
    issues = list(vote.issues)
    if vote.state is VerdictState.UNSCORED:
        # The issue would be the message of the provider, which may name accounts or keys.
        issues = ["unreadable reply" if vote.is_unread else "call failed"]
    return {
        "verifier": vote.verifier,
        "verdict": str(vote.state),
        "predicted_behavior": vote.predicted_behavior,
        "failed_checks": sorted(name for name, passed in vote.checks.items() if not passed),
        "issues": issues,
    }


def _optional_values(item: AcceptedItem) -> JsonObject:
    """The values of the optional columns for which the item has something."""
    candidate = item.candidate
    values: JsonObject = {}
    if answer := candidate.stated.get(EXPECTED_ANSWER):
        values[EXPECTED_ANSWER] = answer
    if candidate.depth != "open":
        values |= {
            "depth": candidate.depth,
            "construction": candidate.construction,
            "proof": list(candidate.proof) or None,
            "blind_agreement": _blind_agreement(item),
        }
    if item.difficulty is not None:
        values["difficulty"] = item.difficulty
    if item.instance.language != ENGLISH:
        values["language"] = item.instance.language
    return values


def _blind_agreement(item: AcceptedItem) -> float | None:
    """The share of readable blind decisions that were as expected; None if there are no blind decisions."""
    decisions = [vote.blind["code"] for vote in item.votes if vote.blind]
    return decisions.count(item.candidate.expected_behavior) / len(decisions) if decisions else None


def seal(row: SnapshotRow) -> SnapshotRow:
    """The row in published order, with its digest."""
    sealed = {**row, "row_digest": row_digest(row)}
    return {column.name: sealed[column.name] for column in columns_of(row)}


def row_digest(row: SnapshotRow) -> str:
    """Digest of all fields but `row_digest` itself (32 hexadecimal digits)."""
    return digest({name: value for name, value in row.items() if name != "row_digest"}, length=32)


def part_rows(rows: Sequence[SnapshotRow]) -> dict[str, RowSelection]:
    """Rows by the part that they belong to, ordered by id; one part, or `nq` before `garage`."""
    # Only ids and layouts are held in memory; the rows stay on disk.
    ids: list[str] = []
    has_several: list[bool] = []
    for row in rows:
        ids.append(str(row["id"]))
        has_several.append("grounding" in row)
    # By id, so that the digest does not depend on the order in which items were accepted.
    order = sorted(range(len(ids)), key=ids.__getitem__)
    single = RowSelection(rows, [position for position in order if not has_several[position]])
    several = RowSelection(rows, [position for position in order if has_several[position]])
    if single and several:
        return {_SINGLE_PART: single, _SEVERAL_PART: several}
    return {_SEVERAL_PART: several} if several else {DEFAULT: single}


def data_paths(content_digest: str, names: Sequence[str]) -> dict[str, str]:
    """Name of each part → its file, relative to the snapshot's folder.

    >>> data_paths("ab", ["default"])
    {'default': 'data/ab/test.parquet'}
    >>> data_paths("ab", ["nq", "garage"])["garage"]
    'data/ab/garage/test.parquet'
    """
    if len(names) == 1:
        return {names[0]: f"data/{content_digest}/test.parquet"}
    return {name: f"data/{content_digest}/{name}/test.parquet" for name in names}


def whole_path(content_digest: str) -> str:
    """The file with all rows, relative to the snapshot's folder.

    >>> whole_path("ab")
    'data/ab/test.parquet'
    """
    return data_paths(content_digest, [DEFAULT])[DEFAULT]


# Number of rows in a row group of a parquet file, which limits the memory for writing.
_ROW_GROUP = 250


def write_part(path: Path, rows: Sequence[SnapshotRow]) -> None:
    """Write one part; the same rows give the same bytes with the same version of pyarrow."""
    write_rows(path, rows, schema_of(columns_of(rows[0])))


def write_rows(path: Path, rows: Sequence[SnapshotRow], schema: pa.Schema) -> None:
    """Write rows as a parquet file, one row group at a time, so that not all rows need to fit in memory.

    A field that a row does not have is null.
    """
    import pyarrow.parquet as pq

    path.parent.mkdir(parents=True, exist_ok=True)
    with pq.ParquetWriter(path, schema, compression="zstd", version="2.6") as file:
        for start in range(0, len(rows), _ROW_GROUP):
            file.write_table(_table(rows[start : start + _ROW_GROUP], schema))


def _table(rows: Sequence[SnapshotRow], schema: pa.Schema) -> pa.Table:
    """The rows as a table. They pass through JSON because `Table.from_pylist` imports pandas, which takes 40 MB."""
    import pyarrow as pa
    import pyarrow.json

    lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode()
    # In one block, since Arrow refuses a row that is longer than a block.
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
    """The rows of a part of a snapshot. Raises `SnapshotError` as `read_part` does, and for unknown columns."""
    table = read_part(folder / path)
    # The first column of a group shows whether the part has the group.
    groups = [group for group in _OPTIONAL_GROUPS if group[0].name in table.column_names]
    if table.schema != schema_of((*PART_COLUMNS[part], *chain.from_iterable(groups))):
        raise SnapshotError(f"{path}: the columns are not those of a snapshot")
    rows: list[SnapshotRow] = table.to_pylist()
    return rows
