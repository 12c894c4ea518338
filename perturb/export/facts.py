"""What a snapshot says about itself beyond its rows: facts given by the caller, counts taken from the rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from perturb.classes import ClassEntry
from perturb.export.snapshot_rows import SnapshotRow
from perturb.languages import ENGLISH
from perturb.records import taxonomy_place
from perturb.select import SelectionPlan, Shortfall


@dataclass(frozen=True, slots=True)
class ExportedReplies:
    """A file with the replies that the models of a run gave."""

    file: Path
    sha256: str
    """Stands for everything that the file holds, however it is compressed."""
    replies: int


@dataclass(frozen=True, slots=True)
class SnapshotFacts:
    """What only the run knows."""

    name: str
    """Name of the benchmark; any text."""
    round: str
    seed: int
    code_version: str
    """Version of perturb that built the rows."""
    digests: Mapping[str, str]
    """Digests of what went in: `catalogue`, `templates`, `base_set`, `panel`."""
    panel: str
    """Name of the panel of verifiers."""
    consensus: str
    """The panel's rule: `unanimous`, or for example `2 of 3`."""
    offline_panel: bool
    """True if any verifier is rule-based rather than a model."""
    generators: tuple[Mapping[str, Any], ...]
    """Name, model and redacted settings of each generator; `name` and `model` are shown on the card."""
    verifiers: tuple[Mapping[str, Any], ...]
    """The same for each verifier."""
    stages: Mapping[str, int]
    """Counts of the run by stage: jobs, candidates, unparsed, votes, accepted and the like."""
    plan: SelectionPlan
    shortfalls: tuple[Shortfall, ...] = ()
    tokens: Mapping[str, int] = field(default_factory=dict)
    """Tokens used by kind, for example `prompt` and `completion`."""
    cost_usd: float | None = None
    """None when the price of any model is unknown."""
    attribution: str | None = None
    """Whom to name for the base set, as its header says."""
    agreement: Mapping[str, Any] | None = None
    """How far the verifiers agree, from `perturb.audit.card_figures`; None leaves it out."""
    shortcuts: Mapping[str, Any] | None = None
    """What baselines tell from a part of an item, from the same; None if it was not measured."""
    note: str | None = None
    """What a reader should know of how the rows were made, as the configuration says it."""
    replies: ExportedReplies | None = None
    """The file that the rows can be made again from."""
    classes: tuple[ClassEntry, ...] = ()
    """A user's own classes."""
    created: datetime | None = None
    """An aware date-time; None leaves it out, for example to compare manifests."""


def count_cells(rows: Sequence[SnapshotRow]) -> dict[str, int]:
    """Rows of each cell that has any, as `class/intensity`, in the order of the taxonomy."""
    counts = Counter(f"{row['perturbation_class']}/{row['intensity']}" for row in rows)
    return {cell: counts[cell] for cell in sorted(counts, key=taxonomy_place)}


def count_values(rows: Sequence[SnapshotRow], name: str) -> dict[str, int]:
    """Rows for each value of the text field `name`, in alphabetical order."""
    return dict(sorted(Counter(row[name] for row in rows).items()))


def count_languages(rows: Sequence[SnapshotRow]) -> dict[str, int]:
    """Rows in each language, by its code."""
    return dict(sorted(Counter(row.get("language", ENGLISH) for row in rows).items()))


def count_licences(rows: Sequence[SnapshotRow]) -> dict[str | None, int]:
    """Rows under each licence as its source words it, the most frequent first; None where none is stated."""
    counts = Counter(row["licence"] for row in rows)
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0] or "")))
