"""The items that the panel of a run accepted, as rows of a snapshot and as an evaluation reads them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence

from perturb.ledger import queries
from perturb.ledger.plans import CurrentPlan
from perturb.ledger.planted import difficulties, solver_replies
from perturb.records import Item
from perturb.snapshots.items import build_controls, items_of
from perturb.snapshots.rows import AcceptedItem, SnapshotRow, build_rows


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
    """The items that the panel accepted, as an evaluation would read them."""
    return list(items_of(accepted_rows(db, plan), plan.facts.classes))


def items_with_votes(db: sqlite3.Connection, plan: CurrentPlan, ids: Iterable[str]) -> Iterator[AcceptedItem]:
    """Each of these candidates with its base instance, its votes and what solvers made of it."""
    solved = difficulties(solver_replies(db, plan.facts.solvers)) if plan.facts.solvers else {}

    def item(candidate_id: str) -> AcceptedItem:
        votes = queries.votes_of(db, candidate_id, plan.judges)
        made = queries.candidate(db, candidate_id)
        found = solved.get(candidate_id)
        return AcceptedItem(
            queries.instance_of(db, candidate_id), made, tuple(votes.values()), found.wrong if found else None
        )

    return map(item, ids)
