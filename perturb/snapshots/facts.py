"""The facts that a snapshot takes from its run: accepted items with their votes, counts, and licences for the Hub."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from perturb.ledger import queries
from perturb.ledger.plans import CurrentPlan, PlanFacts
from perturb.ledger.planted import difficulties, solver_replies
from perturb.records import Facts, Item, taxonomy_place
from perturb.snapshots.items import build_controls, items_of
from perturb.snapshots.rows import AcceptedItem, SnapshotRow, build_rows
from perturb.snapshots.select import SelectionPlan, Shortfall
from perturb.text.wording import ENGLISH


@dataclass(frozen=True, slots=True)
class ExportedReplies:
    """A file with the replies of a run's models."""

    file: Path
    sha256: str
    """Digest of the content of the file, before compression."""
    replies: int
    """Number of replies."""


@dataclass(frozen=True, slots=True)
class SnapshotFacts:
    """Facts for the manifest and the card that come from the run, not from the rows."""

    run: PlanFacts
    """The plan: name, round, panel, generators and so on."""
    stages: Mapping[str, int]
    """Counts of the run by stage: jobs, candidates, unparsed, votes, accepted and the like."""
    plan: SelectionPlan
    shortfalls: tuple[Shortfall, ...] = ()
    tokens: Mapping[str, int] = field(default_factory=dict)
    """Tokens used by kind, for example `prompt` and `completion`."""
    cost_usd: float | None = None
    """None if the price of a model is unknown."""
    agreement: Facts | None = None
    """Agreement of the verifiers, from `perturb.auditing.audit_report`; None leaves it out."""
    certificate: Facts | None = None
    """The share of wrong labels, from `perturb.auditing.certificate`; None without planted items."""
    people: Facts | None = None
    """The share of the reviewed items that people pass, with its interval; None without reviews."""
    shortcuts: Facts | None = None
    """The scores of baselines that see a part of an item; None if they were not measured."""
    note: str | None = None
    """Remarks on the origin of the rows: the note of the configuration, and unfinished jobs."""
    replies: ExportedReplies | None = None
    """The file from which the rows can be made again."""
    created: datetime | None = None
    """An aware date-time; None leaves it out, for example to compare manifests."""


def count_cells(rows: Sequence[SnapshotRow]) -> dict[str, int]:
    """Cell, as `class/intensity` → number of rows, in the order of the taxonomy; empty cells are left out."""
    counts = Counter(f"{row['perturbation_class']}/{row['intensity']}" for row in rows)
    return {cell: counts[cell] for cell in sorted(counts, key=taxonomy_place)}


def count_values(rows: Sequence[SnapshotRow], name: str) -> dict[str, int]:
    """Value of the text field `name` → number of rows, in alphabetical order."""
    return dict(sorted(Counter(row[name] for row in rows).items()))


def count_languages(rows: Sequence[SnapshotRow]) -> dict[str, int]:
    """Code of a language → number of rows."""
    return dict(sorted(Counter(row.get("language", ENGLISH) for row in rows).items()))


def count_licences(rows: Sequence[SnapshotRow]) -> dict[str | None, int]:
    """Licence in the words of its source, or None → number of rows, the most frequent licence first."""
    counts = Counter(row["licence"] for row in rows)
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0] or "")))


_STRICTNESS = (
    "cc0-1.0 pddl unlicense wtfpl",
    "mit apache-2.0 bsd-2-clause bsd-3-clause isc ms-pl odc-by c-uda cdla-permissive-1.0 cdla-permissive-2.0"
    " cc-by-2.0 cc-by-2.5 cc-by-3.0 cc-by-4.0",
    "cdla-sharing-1.0 odbl gfdl gpl-2.0 gpl-3.0 lgpl-3.0 agpl-3.0 cc-by-sa-3.0 cc-by-sa-4.0",
    "cc-by-nd-4.0",
    "cc-by-nc-2.0 cc-by-nc-3.0 cc-by-nc-4.0",
    "cc-by-nc-sa-2.0 cc-by-nc-sa-3.0 cc-by-nc-sa-4.0",
    "cc-by-nc-nd-3.0 cc-by-nc-nd-4.0",
)
"""Groups of licences, from the most permissive to the strictest."""

_RANKS = {licence: rank for rank, group in enumerate(_STRICTNESS) for licence in group.split()}

_ALIASES = {
    "apache": "apache-2.0",
    "apache-2": "apache-2.0",
    "apache-license-2.0": "apache-2.0",
    "cc0": "cc0-1.0",
    "mit-license": "mit",
    "odc-by-1.0": "odc-by",
    "odbl-1.0": "odbl",
}


def hub_licence(licence: str) -> str | None:
    """The Hub's identifier for a licence; None if it has none, or one that is not listed here.

    >>> hub_licence("CC BY-SA 4.0"), hub_licence("House rules")
    ('cc-by-sa-4.0', None)
    """
    slug = _slug(licence)
    slug = _ALIASES.get(slug, slug)
    return slug if slug in _RANKS else None


def licence_header(licences: Iterable[str | None]) -> dict[str, str]:
    """The licence fields of a card's YAML header for rows under these licences.

    The strictest licence counts, and among equals the newest version. A licence that the Hub does not know cannot be
    ranked: the result is then `other`, with all licences in the name. It is `other` too if some rows have no licence,
    and `unknown` if no row has one.

    >>> licence_header(["MIT", "CC-BY-SA-3.0"])
    {'license': 'cc-by-sa-3.0'}
    >>> licence_header(["House rules", None])
    {'license': 'other', 'license_name': 'house-rules-and-unstated'}
    """
    wordings = set(licences)
    if wordings == {None}:
        return {"license": "unknown"}
    identifiers = {hub_licence(licence) for licence in wordings if licence is not None}
    if None in identifiers or None in wordings:
        names = sorted({_slug(licence) or "unnamed" for licence in wordings if licence is not None})
        if None in wordings:
            names.append("unstated")
        return {"license": "other", "license_name": "-and-".join(names)}
    return {"license": max(filter(None, identifiers), key=lambda licence: (_RANKS[licence], licence))}


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-")


def accepted_rows(
    db: sqlite3.Connection, plan: CurrentPlan, *, originals: bool = False
) -> Sequence[SnapshotRow]:
    """The rows of all accepted items or, with `originals`, their control rows."""
    cells, generators = set(plan.cells), {entry.name for entry in plan.facts.generators}
    ids = sorted(
        accepted.job.id
        for accepted in queries.accepted_jobs(db, plan.number, plan.panel)
        if accepted.job.cell in cells and accepted.job.generator in generators
    )
    build = build_controls if originals else build_rows
    return build(items_with_votes(db, plan, ids), plan.facts.round, plan.facts.panel.name)


def accepted_items(db: sqlite3.Connection, plan: CurrentPlan) -> list[Item]:
    """The accepted items in the form that an evaluation takes."""
    return list(items_of(accepted_rows(db, plan), plan.facts.classes))


def items_with_votes(db: sqlite3.Connection, plan: CurrentPlan, ids: Iterable[str]) -> Iterator[AcceptedItem]:
    """Each of these candidates with its base instance, its votes and its difficulty for the solvers."""
    difficulty_of = difficulties(solver_replies(db, plan.facts.solvers)) if plan.facts.solvers else {}
    for candidate_id in ids:
        difficulty = difficulty_of.get(candidate_id)
        yield AcceptedItem(
            instance=queries.instance_of(db, candidate_id),
            candidate=queries.candidate(db, candidate_id),
            votes=tuple(queries.votes_of(db, candidate_id, plan.judges).values()),
            difficulty=difficulty.wrong if difficulty else None,
        )
