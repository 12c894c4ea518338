"""Reads a table of refusals and errors: one row per question, model and setting."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from perturb.errors import SourceError
from perturb.score.datasets import with_datasets
from perturb.store.evaluations import REFUSAL_TABLE
from perturb.tables import Row, read_table, rename


@dataclass(slots=True)
class RefusalGroup:
    """The rows of one model under one setting."""

    model: str | None
    """None where the table has no such column; so for the setting."""
    setting: str | None
    dataset: str | None = None
    refused: list[bool] = field(default_factory=list)
    wrong: list[bool] = field(default_factory=list)
    bases: list[str] = field(default_factory=list)
    """What each question was made from."""
    items: list[str | None] = field(default_factory=list)
    """Which question each row is about, where the table says."""
    answering: list[float] = field(default_factory=list)
    """P(Answering) of the questions that have it."""
    unscored: int = 0
    """Rows whose refusal or error is unknown; they count nowhere else."""

    @property
    def way(self) -> str | None:
        """The setting."""
        return self.setting

    @property
    def name(self) -> str:
        """Model, data set and setting in one label."""
        return group_name(self.model, self.dataset, self.setting)

    @property
    def clusters(self) -> list[str] | None:
        """The base of each question, if questions share any: such rows are not independent."""
        return self.bases if len(set(self.bases)) < len(self.bases) else None

    @property
    def cells(self) -> NDArray[np.bool_]:
        """Refused and wrong, refused and right, answered wrongly, answered rightly: shape (rows, 4)."""
        r, w = np.array(self.refused, dtype=bool), np.array(self.wrong, dtype=bool)
        return np.stack([r & w, r & ~w, ~r & w, ~r & ~w], axis=1)


ALL_ROWS = "all rows"
"""The label of a group of which the table says neither model, nor data set, nor setting."""


def group_name(model: str | None, dataset: str | None, setting: str | None) -> str:
    """Model, data set and setting in one label.

    >>> group_name("gpt", None, "high"), group_name(None, None, None)
    ('gpt / high', 'all rows')
    """
    return " / ".join(part for part in (model, dataset, setting) if part) or ALL_ROWS


def read_refusals(
    sources: Sequence[Path], columns: Mapping[str, str] | None = None
) -> tuple[RefusalGroup, ...]:
    """The groups of `.csv`, `.jsonl` or `.parquet` tables, or folders of two-pass runs, in order of appearance.

    Columns: `refused` and `wrong` (0/1, empty while unscored); optional `model`, `setting`, `dataset`, `base_id`,
    `item_id`, `p_answering`; `columns` says which are called otherwise, as field → column.
    Raises `SourceError`, with file and line, for anything else and for a question that appears twice in a group.
    """
    return with_datasets([(source, _read(source, columns or {})) for source in sources])


def _read(source: Path, columns: Mapping[str, str]) -> tuple[RefusalGroup, ...]:
    path = source / REFUSAL_TABLE if source.is_dir() else source
    if source.is_dir() and not path.is_file():
        raise SourceError(f"{source}: holds no two-pass run: give the folder that `refusal-index run` wrote")
    groups: dict[tuple[str | None, str | None, str | None], RefusalGroup] = {}
    seen: set[tuple[str | None, ...]] = set()
    for row in _with_columns(path, columns):
        key = row.label("model"), row.label("setting"), row.label("dataset")
        group = groups.setdefault(key, RefusalGroup(*key))
        item = row.label("item_id")
        if item is not None and (*key, item) in seen:
            raise row.error("item_id", f"'{item}' appears twice under one model and setting: keep one row")
        seen.add((*key, item))
        _add(row, group)
    if not groups:
        raise SourceError(f"{path}: the table holds no rows: give one row per question")
    return tuple(groups.values())


def _add(row: Row, group: RefusalGroup) -> None:
    refused, wrong = row.flag("refused"), row.flag("wrong")
    if refused is None or wrong is None:
        group.unscored += 1
        return
    group.refused.append(refused)
    group.wrong.append(wrong)
    # A row that does not say what it was made from stands for itself.
    group.items.append(row.label("item_id"))
    if (share := row.share("p_answering")) is not None:
        group.answering.append(share)
    group.bases.append(row.label("base_id") or f"line {row.line}")


def _with_columns(path: Path, columns: Mapping[str, str]) -> Iterator[Row]:
    """The rows, once it is certain that some row has each needed column."""
    listed: Sequence[Row] = tuple(read_table(path))
    for name in ("refused", "wrong", *columns.values()):
        if listed and not any(name in row.fields for row in listed):
            known = ", ".join(listed[0].fields)
            takes = ": it takes 0 or 1" if name not in columns.values() else ""
            raise SourceError(f"{path}: no column '{name}' (there is {known}){takes}")
    yield from (replace(row, fields=rename(row.fields, columns)) for row in listed)
