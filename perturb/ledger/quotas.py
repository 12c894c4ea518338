"""Quotas: how many accepted items each generator has in each cell, and which jobs come next.

The jobs of a quota come in waves. For each generator and cell, a wave has as many jobs as items are missing, or half of
the jobs that are needed at the rate of acceptance so far, whichever is more. So a build pays for hardly any item beyond
the quota. Jobs whose levers were accepted most often come first. A wave depends only on how earlier jobs ended.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any, Literal

from perturb.catalogue.classes import Judges
from perturb.ledger.calls import LEDGER_FILE, reading
from perturb.ledger.db import stored_values
from perturb.ledger.plans import CurrentPlan, current_plan
from perturb.ledger.queries import ALL_FINAL, cell_of, is_fault
from perturb.records import Cell, Job

Place = tuple[str, Cell]
"""A generator and a cell."""


@dataclass(frozen=True, slots=True)
class JobEnd:
    """How a planned job ended."""

    place: Place
    end: Literal["accepted", "lost", "open"]
    """An open job would get further if the same command ran again."""
    levers: tuple[str, ...]
    """The lever of the candidate; if there is no candidate, the levers of the first offer."""


def missing_items(places: Iterable[Place], ends: Iterable[JobEnd], quota: int) -> dict[Place, int]:
    """Place → how many accepted items it lacks. Places with enough items are left out."""
    accepted = Counter(end.place for end in ends if end.end == "accepted")
    return {place: quota - accepted[place] for place in places if accepted[place] < quota}


def jobs_to_go(places: Iterable[Place], ends: Sequence[JobEnd], quota: int) -> int:
    """About how many more jobs the quota needs, at each place's rate of acceptance so far."""
    ended = Counter(end.place for end in ends if end.end != "open")
    accepted = Counter(end.place for end in ends if end.end == "accepted")
    # Laplace's rule of succession, (accepted + 1) / (ended + 2), keeps the rate away from 0.
    return sum(
        ceil(missing * (ended[place] + 2) / (accepted[place] + 1))
        for place, missing in missing_items(places, ends, quota).items()
    )


def plan_wave(waiting: Iterable[Job], ends: Iterable[JobEnd], quota: int) -> list[Job]:
    """The jobs to do next, in the order of the plan; empty if every quota is met or its jobs are used up.

    `waiting` are the jobs that have not been in a wave yet, in the order of the plan. Open jobs count as if accepted.
    """
    ends = list(ends)
    closed = [end for end in ends if end.end != "open"]
    accepted = Counter(end.place for end in ends if end.end == "accepted")
    expected = Counter(end.place for end in ends if end.end != "lost")
    ended = Counter(end.place for end in closed)
    tried = Counter((end.place[1], lever) for end in closed for lever in end.levers)
    passed = Counter((end.place[1], lever) for end in closed if end.end == "accepted" for lever in end.levers)
    jobs_in_order = list(waiting)
    numbers: dict[Place, list[int]] = defaultdict(list)
    for number, job in enumerate(jobs_in_order):
        if expected[job.generator, job.cell] < quota:
            numbers[job.generator, job.cell].append(number)
    wave: list[int] = []
    for place, candidates in numbers.items():
        share = (accepted[place] + 1) / (ended[place] + 2)
        missing = quota - expected[place]
        # Every instance is tried once before its next replicate. Among equal replicates the best levers come first.
        ranked = sorted(
            (jobs_in_order[number].replicate, -_rate(jobs_in_order[number], tried, passed, share), number)
            for number in candidates
        )
        wave += [number for _, _, number in ranked[: max(missing, int(missing / share / 2))]]
    return [jobs_in_order[number] for number in sorted(wave)]


def _rate(
    job: Job, tried: Mapping[tuple[Cell, str], int], passed: Mapping[tuple[Cell, str], int], share: float
) -> float:
    """The mean rate of acceptance of the levers in a job's first offer. An untried lever has the rate `share`."""
    levers = job.offers[0] if job.offers else ()
    rates = [(passed[job.cell, lever] + 2 * share) / (tried[job.cell, lever] + 2) for lever in levers]
    return sum(rates) / len(rates) if rates else 0.0


_ENDS = (
    "SELECT j.generator, j.perturbation_class, j.intensity, j.offers, c.lever, CASE"
    " WHEN d.acceptance = 'accepted' THEN 'accepted'"
    f" WHEN j.outcome IS NULL OR (j.outcome = 'error' AND NOT {is_fault('j.detail')}) THEN 'open'"
    " WHEN j.outcome = 'candidate' AND d.acceptance IS NULL THEN 'open'"
    f" WHEN d.acceptance = 'undecided' AND NOT {ALL_FINAL} THEN 'open'"
    " ELSE 'lost' END AS end FROM jobs j LEFT JOIN candidates c ON c.id = j.id"
    " LEFT JOIN decisions d ON d.candidate_id = j.id AND d.panel = ?2 WHERE j.plan = ?3"
    " AND j.hardens IS NULL ORDER BY j.seq"
)


@stored_values()
def job_ends(db: sqlite3.Connection, plan: int, panel: str, judges: Judges) -> list[JobEnd]:
    """How each job of the plan has ended so far.

    A quieter attempt at an item is left out, since it counts with the job of that item.
    """
    ends = []
    for row in db.execute(_ENDS, (json.dumps(judges.keys), panel, plan)):
        offers = json.loads(row["offers"])
        first_offer = tuple(offers[0]) if offers else ()
        levers = (row["lever"],) if row["lever"] else first_offer
        ends.append(JobEnd((row["generator"], cell_of(row)), row["end"], levers))
    return ends


def measured_ends(run: Path) -> list[JobEnd]:
    """How the jobs of a run's plan ended; empty if there is no run."""
    if not (run / LEDGER_FILE).is_file():
        return []
    with reading(run) as db:
        plan = current_plan(db, run)
        return job_ends(db, plan.number, plan.panel, plan.judges)


def begun_jobs(db: sqlite3.Connection, plan: int) -> Iterator[str]:
    """The ids of jobs that belong to the plan already, or that ended under an earlier plan."""
    for row in db.execute("SELECT id FROM jobs WHERE plan = ? OR outcome IS NOT NULL", (plan,)):
        yield row["id"]


def quota_status(db: sqlite3.Connection, plan: CurrentPlan) -> dict[str, Any] | None:
    """The quota of a build and what each generator lacks in each cell; None without a quota."""
    quota = plan.facts.quota
    if quota is None:
        return None
    ends = job_ends(db, plan.number, plan.panel, plan.judges)
    places = [(generator.name, cell) for cell in plan.cells for generator in plan.facts.generators]
    lacking = missing_items(places, ends, quota)
    return {
        "per_cell": quota,
        "missing": [
            {"generator": name, "cell": str(cell), "accepted": quota - n, "missing": n}
            for (name, cell), n in lacking.items()
        ],
    }
