"""Accepted items as published rows: their columns (spec, section 6) and their parquet files.

A snapshot has one or two parts. Items with a single passage and items with several have different columns; each part
has the rows of one kind, in a parquet file with a configuration name.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from perturb.errors import SnapshotError
from perturb.files.resources import RowSelection, Spool, digest
from perturb.llm.replies import whole_texts
from perturb.records import EXPECTED_ANSWER, BaseInstance, Candidate, JsonObject, Verdict, VerdictState
from perturb.text.wording import ENGLISH

if TYPE_CHECKING:
    import pyarrow as pa

# A row, its fields in published order; built by `build_rows`.
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


# Columns that a snapshot has only if an item has a value for them, so that older snapshots keep their digests.
_OPTIONAL = (
    Column(EXPECTED_ANSWER, "The accepted answer where the perturbed question has one of its own."),
    Column("language", "Code of the language of question, context and answers."),
    Column("depth", "How well the flaw is hidden: open, quiet or deep."),
    Column("construction", "Of a deep item: how its flaw is laid."),
    Column("proof", "Of a deep item: the exact sentences whose comparison shows the flaw.", _TEXTS),
    Column(
        "blind_agreement",
        "Of a deep item: share, in [0, 1], of its verifiers that decided as expected before they saw the claim.",
        ColumnKind.NUMBER,
    ),
    Column(
        "difficulty",
        "Share, in [0, 1], of the solvers' scored replies that were wrong; null if no solver was asked.",
        ColumnKind.NUMBER,
    ),
)
# Optional columns that come together, if items of other depths than open were built.
_DEEP = ("depth", "construction", "proof", "blind_agreement")
# The values of optional columns in a row that has nothing for them, if other rows of its snapshot have them.
_ABSENT: SnapshotRow = {
    EXPECTED_ANSWER: None,
    "language": ENGLISH,
    "depth": "open",
    "construction": None,
    "proof": None,
    "blind_agreement": None,
    "difficulty": None,
}


@cache
def layouts(columns: tuple[Column, ...]) -> tuple[tuple[Column, ...], ...]:
    """All possible layouts of rows: `columns` with every combination of the groups of optional columns.

    The groups are for levers with a new question, for languages other than English, for depths other than open, and for
    items that solvers were asked.
    """
    groups = ((EXPECTED_ANSWER,), ("language",), _DEEP, ("difficulty",))
    layouts = []
    for size in range(len(groups) + 1):
        for chosen in combinations(groups, size):
            names = [name for group in chosen for name in group]
            layouts.append((*columns, *(column for column in _OPTIONAL if column.name in names)))
    return tuple(layouts)


def columns_of(row: SnapshotRow) -> tuple[Column, ...]:
    """The columns of a row, in published order."""
    columns = SEVERAL_COLUMNS if "grounding" in row else SINGLE_COLUMNS
    return (*columns, *(column for column in _OPTIONAL if column.name in row))


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
    shared = {"round": round_name, "panel": panel}
    rows = Spool(_build_row(item, shared) for item in items)
    # Which optional columns the snapshot has is known only after all rows, so they are completed in a second pass.
    used = {name for row in rows for name in _ABSENT if name in row}
    if not used:
        return rows
    defaults = {name: value for name, value in _ABSENT.items() if name in used}
    return Spool(seal({**defaults, **row}) for row in rows)


def row_digest(row: SnapshotRow) -> str:
    """Digest of all fields but `row_digest` itself (32 hexadecimal digits)."""
    return digest({name: value for name, value in row.items() if name != "row_digest"}, length=32)


def _build_row(item: AcceptedItem, shared: dict[str, str]) -> SnapshotRow:
    instance, candidate = item.instance, item.candidate
    columns = SEVERAL_COLUMNS if len(candidate.passages) > 1 else SINGLE_COLUMNS
    roles = [passage.role for passage in candidate.passages]
    # The values of all columns; the layout decides which of them the row has.
    values: JsonObject = {
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
        "signal_indices": [index for index, role in enumerate(roles) if role == "signal"],
        "noise_indices": [index for index, role in enumerate(roles) if role == "noise"],
        "domain": instance.domain,
        "licence": instance.licence,
        "source": instance.source,
        **shared,
    }
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
    if instance.language != ENGLISH:
        values["language"] = instance.language
    # The order of the columns is fixed, since it enters the content digest.
    names = [column.name for column in (*columns, *_OPTIONAL) if column.name in values]
    return seal({name: whole_texts(values[name]) for name in names})


def _blind_agreement(item: AcceptedItem) -> float | None:
    """The share of readable blind decisions that were as expected; None if there are no blind decisions."""
    decisions = [vote.blind["code"] for vote in item.votes if vote.blind]
    return decisions.count(item.candidate.expected_behavior) / len(decisions) if decisions else None


def seal(row: SnapshotRow) -> SnapshotRow:
    """The row in published order, with its digest."""
    sealed = {**row, "row_digest": row_digest(row)}
    return {column.name: sealed[column.name] for column in columns_of(row)}


def _vote(vote: Verdict) -> JsonObject:
    return {
        "verifier": vote.verifier,
        "verdict": str(vote.state),
        "predicted_behavior": vote.predicted_behavior,
        "failed_checks": sorted(name for name, passed in vote.checks.items() if not passed),
        "issues": list(vote.issues) if vote.state is not VerdictState.UNSCORED else [_why_unscored(vote)],
    }


def _why_unscored(vote: Verdict) -> str:
    """The reason why there is no verdict, without the provider's message, which may name accounts or keys."""
    return "unreadable reply" if vote.is_unread else "call failed"


# Name of a part → its columns. Rows with a single passage are `default`, or `nq` if the snapshot has both layouts.
PART_COLUMNS: Mapping[str, tuple[Column, ...]] = {
    "default": SINGLE_COLUMNS,
    "nq": SINGLE_COLUMNS,
    "garage": SEVERAL_COLUMNS,
}

# The configuration with all rows, which loads without a name. A snapshot with two parts has an extra file for it.
DEFAULT = "default"

# Name of a part → its rows, ordered by id.
Parts = Mapping[str, Sequence[SnapshotRow]]

# Number of rows in a row group of a parquet file, which limits the memory for writing.
_ROW_GROUP = 250


def part_rows(rows: Sequence[SnapshotRow]) -> dict[str, RowSelection]:
    """Rows by the part that they belong to; one part, or `nq` before `garage`."""
    # By id, so that the digest does not depend on the order in which items were accepted. Only ids and positions are
    # held in memory; the rows stay on disk.
    ordered = sorted((str(row["id"]), position, "grounding" not in row) for position, row in enumerate(rows))
    single = RowSelection(rows, [position for _, position, is_single in ordered if is_single])
    several = RowSelection(rows, [position for _, position, is_single in ordered if not is_single])
    if single and several:
        return {"nq": single, "garage": several}
    return {"garage": several} if several else {"default": single}


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


def union_of(parts: Iterable[Sequence[Column]]) -> tuple[Column, ...]:
    """The columns that any of the parts has, in published order."""
    present = {column for columns in parts for column in columns}
    return tuple(column for column in (*SEVERAL_COLUMNS, *_OPTIONAL) if column in present)


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
    if table.schema not in map(schema_of, layouts(PART_COLUMNS[part])):
        raise SnapshotError(f"{path}: the columns are not those of a snapshot")
    rows: list[SnapshotRow] = table.to_pylist()
    return rows
