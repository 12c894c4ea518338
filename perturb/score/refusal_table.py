"""Reads a table of refusals and errors: one row per question, model and setting."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from perturb.errors import SourceError
from perturb.score.datasets import AnswerGroup, with_datasets
from perturb.store.evaluations import REFUSAL_TABLE
from perturb.tables import Row, read_table, rename


@dataclass(frozen=True)
class RefusalGroup(AnswerGroup):
    """The rows of one model under one setting, those that are scored."""

    refused: list[bool]
    wrong: list[bool]
    bases: list[str]
    """What each question was made from."""
    items: list[str | None]
    """Which question each row is about, where the table says."""
    answering: list[float]
    """P(Answering) of the questions that have it."""

    @property
    def clusters(self) -> list[str] | None:
        """The base of each question, if questions share any: such rows are not independent."""
        return self.bases if len(set(self.bases)) < len(self.bases) else None

    @property
    def cells(self) -> NDArray[np.bool_]:
        """Refused and wrong, refused and right, answered wrongly, answered rightly: shape (rows, 4)."""
        r, w = np.array(self.refused, dtype=bool), np.array(self.wrong, dtype=bool)
        return np.stack([r & w, r & ~w, ~r & w, ~r & ~w], axis=1)


def read_refusals(
    sources: Sequence[Path], columns: Mapping[str, str] | None = None
) -> tuple[RefusalGroup, ...]:
    """The groups of `.csv`, `.jsonl` or `.parquet` tables, or folders of two-pass runs, in order of appearance.

    Columns: `refused` and `wrong` (0/1, empty while unscored); optional `model`, `setting`, `dataset`, `base_id`,
    `item_id`, `p_answering`; `columns` says which are called otherwise, as field → column.
    Raises `SourceError`, with file and line, for anything else and for a question that appears twice in a group.
    """
    return with_datasets([(source, _read(source, columns or {})) for source in sources])


def _read(source: Path, columns: Mapping[str, str]) -> list[RefusalGroup]:
    path = source / REFUSAL_TABLE if source.is_dir() else source
    if source.is_dir() and not path.is_file():
        raise SourceError(f"{source}: holds no two-pass run: give the folder that `refusal-index run` wrote")
    groups: dict[tuple[str | None, str | None, str | None], list[Row]] = {}
    seen: set[tuple[str | None, ...]] = set()
    for row in _with_columns(path, columns):
        key = row.label("model"), row.label("setting"), row.label("dataset")
        item = row.label("item_id")
        if item is not None and (*key, item) in seen:
            raise row.error("item_id", f"'{item}' appears twice under one model and setting: keep one row")
        seen.add((*key, item))
        groups.setdefault(key, []).append(row)
    if not groups:
        raise SourceError(f"{path}: the table holds no rows: give one row per question")
    return [_group(rows, *key) for key, rows in groups.items()]


def _group(rows: Sequence[Row], model: str | None, setting: str | None, dataset: str | None) -> RefusalGroup:
    flags = [(row.flag("refused"), row.flag("wrong")) for row in rows]
    scored = [(r, w, row) for (r, w), row in zip(flags, rows, strict=True) if r is not None and w is not None]
    shares = [row.share("p_answering") for _, _, row in scored]
    return RefusalGroup(
        model,
        setting,
        refused=[refused for refused, _, _ in scored],
        wrong=[wrong for _, wrong, _ in scored],
        # A row that does not say what it was made from stands for itself.
        bases=[row.label("base_id") or f"line {row.line}" for _, _, row in scored],
        items=[row.label("item_id") for _, _, row in scored],
        answering=[share for share in shares if share is not None],
        dataset=dataset,
        unscored=len(rows) - len(scored),
    )


def _with_columns(path: Path, columns: Mapping[str, str]) -> Iterator[Row]:
    """The rows, once it is certain that some row has each needed column."""
    listed: Sequence[Row] = tuple(read_table(path))
    for name in ("refused", "wrong", *columns.values()):
        if listed and not any(name in row.fields for row in listed):
            known = ", ".join(listed[0].fields)
            takes = ": it takes 0 or 1" if name not in columns.values() else ""
            raise SourceError(f"{path}: no column '{name}' (there is {known}){takes}")
    yield from (replace(row, fields=rename(row.fields, columns)) for row in listed)
