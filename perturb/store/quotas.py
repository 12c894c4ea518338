"""What a build that works by quota asks of its ledger."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from perturb.classes import Judges
from perturb.quota import JobEnd, missing_items
from perturb.store.calls import LEDGER_FILE, reading
from perturb.store.db import stored_values
from perturb.store.plans import CurrentPlan, current_plan
from perturb.store.queries import ALL_FINAL, cell_of, is_fault

_ENDS = (
    "SELECT j.generator, j.perturbation_class, j.intensity, j.offers, c.lever, CASE"
    " WHEN d.acceptance = 'accepted' THEN 'accepted'"
    f" WHEN j.outcome IS NULL OR (j.outcome = 'error' AND NOT {is_fault('j.detail')}) THEN 'open'"
    " WHEN j.outcome = 'candidate' AND d.acceptance IS NULL THEN 'open'"
    f" WHEN d.acceptance = 'undecided' AND NOT {ALL_FINAL} THEN 'open'"
    " ELSE 'lost' END AS end FROM jobs j LEFT JOIN candidates c ON c.id = j.id"
    " LEFT JOIN decisions d ON d.candidate_id = j.id AND d.panel = ?2 WHERE j.plan = ?3 ORDER BY j.seq"
)


@stored_values()
def job_ends(db: sqlite3.Connection, plan: int, panel: str, judges: Judges) -> list[JobEnd]:
    """What became of each job of the plan so far."""
    return [
        JobEnd(
            (row["generator"], cell_of(row)),
            row["end"],
            (row["lever"],) if row["lever"] else tuple((json.loads(row["offers"]) or [[]])[0]),
        )
        for row in db.execute(_ENDS, (json.dumps(judges.keys), panel, plan))
    ]


def measured_ends(run: Path) -> list[JobEnd]:
    """What became of the jobs of a run's plan; none where there is no run."""
    if not (run / LEDGER_FILE).is_file():
        return []
    with reading(run) as db:
        plan = current_plan(db, run)
        return job_ends(db, plan.number, plan.panel, plan.judges)


def begun_jobs(db: sqlite3.Connection, plan: int) -> Iterator[str]:
    """The ids of jobs that belong to the plan already, or that an earlier one brought to an end."""
    for row in db.execute("SELECT id FROM jobs WHERE plan = ? OR outcome IS NOT NULL", (plan,)):
        yield row["id"]


def quota_status(db: sqlite3.Connection, plan: CurrentPlan) -> dict[str, Any] | None:
    """The quota of a build that has one, and what each cell and generator lacks."""
    quota = plan.facts.quota
    if quota is None:
        return None
    ends = job_ends(db, plan.number, plan.panel, plan.judges)
    places = [(one.name, cell) for cell in plan.cells for one in plan.facts.generators]
    lacking = missing_items(places, ends, quota)
    return {
        "per_cell": quota,
        "missing": [
            {"generator": name, "cell": str(cell), "accepted": quota - n, "missing": n}
            for (name, cell), n in lacking.items()
        ],
    }
