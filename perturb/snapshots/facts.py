"""What a snapshot takes from its run beside the rows: accepted items, facts, counts, and licences for the Hub."""

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
    """A file with the replies that the models of a run gave."""

    file: Path
    sha256: str
    """Digest of everything that the file holds, independent of its compression."""
    replies: int


@dataclass(frozen=True, slots=True)
class SnapshotFacts:
    """Facts for the manifest and the card that only the run knows."""

    run: PlanFacts
    """What was planned: name, round, panel, generators and so on."""
    stages: Mapping[str, int]
    """Counts of the run by stage: jobs, candidates, unparsed, votes, accepted and the like."""
    plan: SelectionPlan
    shortfalls: tuple[Shortfall, ...] = ()
    tokens: Mapping[str, int] = field(default_factory=dict)
    """Tokens used by kind, for example `prompt` and `completion`."""
    cost_usd: float | None = None
    """None if the price of any model is unknown."""
    agreement: Facts | None = None
    """How far the verifiers agree, from `perturb.auditing.audit_report`; None leaves it out."""
    certificate: Facts | None = None
    """How many labels are wrong, from `perturb.auditing.certificate`; None if nothing was planted."""
    people: Facts | None = None
    """The share of the reviewed items that people pass, with its interval; None if nobody reviewed any."""
    shortcuts: Facts | None = None
    """How well baselines guess the label from a part of an item; None if this was not measured."""
    note: str | None = None
    """Remarks on how the rows were made: the note of the configuration, and what is unfinished."""
    replies: ExportedReplies | None = None
    """The file that the rows can be made again from."""
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
    """The Hub's identifier for a licence, or None if it has none that we know.

    >>> hub_licence("CC BY-SA 4.0"), hub_licence("House rules")
    ('cc-by-sa-4.0', None)
    """
    slug = _slug(licence)
    slug = _ALIASES.get(slug, slug)
    return slug if slug in _RANKS else None


def licence_header(licences: Iterable[str | None]) -> dict[str, str]:
    """The licence fields of a card's YAML header for rows under these licences.

    The strictest wins, among equals the newest version. One that is unknown to the Hub cannot be ranked: it makes
    the whole `other`, with all licences in the name. Rows without a licence make it `other` too, or `unknown` if no
    row has one.

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
    """The row of every item that the panel accepted, or the control of each."""
    cells, generators = set(plan.cells), {entry.name for entry in plan.facts.generators}
    ids = sorted(
        accepted.job.id
        for accepted in queries.accepted_jobs(db, plan.number, plan.panel)
        if accepted.job.cell in cells and accepted.job.generator in generators
    )
    make = build_controls if originals else build_rows
    return make(items_with_votes(db, plan, ids), plan.facts.round, plan.facts.panel.name)


def accepted_items(db: sqlite3.Connection, plan: CurrentPlan) -> list[Item]:
    """The accepted items in the form in which an evaluation reads them."""
    return list(items_of(accepted_rows(db, plan), plan.facts.classes))


def items_with_votes(db: sqlite3.Connection, plan: CurrentPlan, ids: Iterable[str]) -> Iterator[AcceptedItem]:
    """Each of these candidates with its base instance, its votes and the share of solvers that failed it."""
    solved = difficulties(solver_replies(db, plan.facts.solvers)) if plan.facts.solvers else {}

    def item(candidate_id: str) -> AcceptedItem:
        votes = queries.votes_of(db, candidate_id, plan.judges)
        candidate = queries.candidate(db, candidate_id)
        difficulty = solved.get(candidate_id)
        return AcceptedItem(
            queries.instance_of(db, candidate_id),
            candidate,
            tuple(votes.values()),
            difficulty.wrong if difficulty else None,
        )

    return map(item, ids)
