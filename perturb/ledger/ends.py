"""Queries about how things ended: jobs, failed calls, unread replies, faults of rules, and missing replies.

A job ends with an accepted item, is lost, or stays open; a quota counts the items that are still missing. In a replay,
a recording answers calls in place of a model. If it lacks a reply, the reply is missing.

SQL that is put together from parts of `perturb.ledger.queries` has the parameters of `perturb.ledger.queries.bind`.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from perturb.catalogue.classes import Judges
from perturb.ledger import queries
from perturb.ledger.calls import LEDGER_FILE, reading
from perturb.ledger.db import stored_values
from perturb.ledger.plans import CurrentPlan, current_plan
from perturb.ledger.queries import (
    ALL_FINAL,
    BY_JUDGE,
    FIRST_ISSUE,
    PlannedJob,
    begins_with,
    bind,
    cell_of,
    is_fault,
    paged_jobs,
)
from perturb.llm.recording import NO_REPLY
from perturb.records import Cell
from perturb.text.wording import counted

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

    @property
    def cell_levers(self) -> list[tuple[Cell, str]]:
        """The levers, each with the cell of the job."""
        _, cell = self.place
        return [(cell, lever) for lever in self.levers]


def missing_items(places: Iterable[Place], ends: Iterable[JobEnd], quota: int) -> dict[Place, int]:
    """Place → how many accepted items it lacks. Places with enough items are left out."""
    accepted = Counter(end.place for end in ends if end.end == "accepted")
    return {place: quota - accepted[place] for place in places if accepted[place] < quota}


# SQL of how each job ended.
_ENDS = f"""
    SELECT j.generator, j.perturbation_class, j.intensity, j.offers, c.lever, CASE
        WHEN d.acceptance = 'accepted' THEN 'accepted'
        -- Not done yet, or its call failed. A rule that failed is not called again, since it would fail again.
        WHEN j.outcome IS NULL OR (j.outcome = 'error' AND NOT {is_fault("j.detail")}) THEN 'open'
        -- It has a candidate, on which the panel has not decided yet.
        WHEN j.outcome = 'candidate' AND d.acceptance IS NULL THEN 'open'
        -- The panel could not decide, but a vote is missing that another run asks for.
        WHEN d.acceptance = 'undecided' AND NOT {ALL_FINAL} THEN 'open'
        -- It gave no candidate, or the panel rejected the candidate or can never decide on it.
        ELSE 'lost' END AS end
    FROM jobs j
    LEFT JOIN candidates c ON c.id = j.id
    LEFT JOIN decisions d ON d.candidate_id = j.id AND d.panel = :panel
    WHERE j.plan = :plan AND j.hardens IS NULL
    ORDER BY j.seq
"""


@stored_values()
def job_ends(db: sqlite3.Connection, plan: int, panel: str, judges: Judges) -> list[JobEnd]:
    """How each job of the plan has ended so far.

    A quieter attempt at an item is left out, since it counts with the job of that item.
    """
    ends = []
    for row in db.execute(_ENDS, bind(judges, plan, panel)):
        offers = json.loads(row["offers"])
        first_offer = tuple(offers[0]) if offers else ()
        levers = (row["lever"],) if row["lever"] else first_offer
        ends.append(JobEnd((row["generator"], cell_of(row)), row["end"], levers))
    return ends


def ends_of_run(run: Path) -> list[JobEnd]:
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
            {"generator": name, "cell": str(cell), "accepted": quota - missing, "missing": missing}
            for (name, cell), missing in lacking.items()
        ],
    }


def planned_jobs(db: sqlite3.Connection, plan: int) -> Iterator[PlannedJob]:
    """Every job of the plan, in its order."""
    return paged_jobs(db, "WHERE j.plan = ?", (plan,))


def missing_replies(db: sqlite3.Connection, plan: int, judges: Judges) -> list[dict[str, Any]]:
    """The replies that a replay did not find: job, role and model of each, in the order of the plan."""
    rows = db.execute(
        f"""
        SELECT job, role, model FROM (
            SELECT seq, id AS job, 'generate' AS role, generator AS model
            FROM jobs
            WHERE plan = :plan AND outcome = 'error' AND {is_missing("detail")}
            UNION ALL
            SELECT j.seq, j.id, 'verify', v.verifier
            FROM jobs j CROSS JOIN votes v ON v.candidate_id = j.id
            WHERE j.plan = :plan AND v.state = 'unscored' AND {BY_JUDGE} AND {is_missing(FIRST_ISSUE)}
        )
        ORDER BY seq, role, model
        """,
        bind(judges, plan),
    )
    return [dict(row) for row in rows]


def missing_planted_replies(db: sqlite3.Connection, judges: Judges) -> list[dict[str, str]]:
    """The votes on planted items that a replay did not find, in the form of `missing_replies`."""
    rows = db.execute(
        "SELECT v.candidate_id AS job, 'verify' AS role, v.verifier AS model, v.fingerprint FROM planted_votes v"
        f" WHERE v.state = 'unscored' AND {is_missing(FIRST_ISSUE)} ORDER BY job, model"
    ).fetchall()
    # A later run with changed settings asks anew, so votes with old settings are not missing.
    current = (row for row in rows if judges.fingerprints.get(row["model"]) == row["fingerprint"])
    return [{name: row[name] for name in ("job", "role", "model")} for row in current]


def missing_answers(db: sqlite3.Connection) -> list[dict[str, Any]]:
    """The replies that the replay of an evaluation did not find: item, role and model of each."""
    rows = db.execute(
        f"""
        SELECT r.item_id AS item, 'answer' AS role, r.model AS model
        FROM responses r JOIN items i ON i.id = r.item_id
        WHERE r.status = 'error' AND {is_missing("r.error")}
        UNION ALL
        SELECT j.item_id, j.kind, j.judge
        FROM judgements j JOIN items i ON i.id = j.item_id
        WHERE j.status = 'unscored' AND {is_missing("j.raw")}
        UNION ALL
        SELECT j.item_id, j.kind, j.judge
        FROM judge_votes j JOIN items i ON i.id = j.item_id
        WHERE j.status = 'unscored' AND {is_missing("j.raw")}
        ORDER BY item, role, model
        """
    )
    return [dict(row) for row in rows]


def is_missing(column: str) -> str:
    """SQL that is true if the text of a column says that a reply is not on record."""
    return begins_with(column, NO_REPLY)


# What `perturb.llm` puts around the cause of a failed call: the model before it, the tries after it.
_WRAPPING = re.compile(
    r"^model '[^']*': |(?: \((?:after \d+ (?:tries|refused calls in a row[^)]*)|no call has passed [^)]*)\))+$"
)
# Words with digits, which differ between two messages of one cause: ids of requests, dates, ports.
_CHANGING = re.compile(r"(?<!status )\b\w*\d\w*")

# Pattern of a cause -> what the user can do about it. The first pattern that fits counts.
_ADVICE = (
    ("insufficient_quota", "check the account's credit"),
    ("status 40[13]|Authentication|PermissionDenied", "check its key (api_key_env)"),
    ("status 404|NotFound", "check the model's name and api_base"),
    ("connect|getaddrinfo|Name or service", "check that the server is running, and its address (api_base)"),
    ("status 429|RateLimit", "lower max_connections, or set rpm and tpm"),
    ("status 5|InternalServer|ServiceUnavailable", "look at the server's log"),
    ("no reply within", "raise timeout, or lower max_connections"),
)


@dataclass(frozen=True, slots=True)
class CallFailure:
    """Calls of one model that failed for the same cause."""

    model: str
    calls: int
    cause: str
    """The message of the first of these calls."""

    def __str__(self) -> str:
        """One line: the model, the cause and, if we have any, advice."""
        matching = (text for pattern, text in _ADVICE if re.search(pattern, self.cause, re.IGNORECASE))
        advice = next((f": {text}" for text in matching), "")
        times = f" ({counted(self.calls, 'call')})" if self.calls > 1 else ""
        return f"{self.model}: {self.cause}{times}{advice}"


@dataclass(frozen=True, slots=True)
class UnreadReplies:
    """Items about which a model gave no readable reply, all for the same cause."""

    model: str
    items: int
    cause: str
    """The message of the first of these items."""

    def __str__(self) -> str:
        """One line: the model, the number of items, the cause, and what to do about it."""
        items = counted(self.items, "item")
        return f"{self.model}: no readable reply about {items} ({self.cause}): --retry-unparsed asks again"


def call_failures(db: sqlite3.Connection, plan: int | None = None) -> list[CallFailure]:
    """The calls that failed and that no later call answered, with the most frequent cause first.

    With the `plan` of a build, only the calls about its jobs count.
    """
    of_plan, is_same_question = "", "later.key = c.key"
    if plan is not None:
        of_plan = "AND c.subject IN (SELECT id FROM jobs WHERE plan = :plan)"
        # In a build, a later answer counts even if changed settings gave its call another key.
        is_same_question = (
            "later.subject = c.subject AND later.model = c.model AND later.purpose = c.purpose"
            " AND later.id > c.id"
        )
    rows = db.execute(
        f"""
        SELECT model, error, count(DISTINCT key) AS calls
        FROM calls c
        WHERE status = 'error' AND NOT {is_missing("error")} {of_plan}
            AND NOT EXISTS (SELECT 1 FROM calls later WHERE later.status != 'error' AND {is_same_question})
        GROUP BY model, error
        ORDER BY min(id)
        """,
        {"plan": plan},
    )
    return [CallFailure(*group) for group in _by_cause(rows)]


def unread_replies(db: sqlite3.Connection, plan: int, panel: str, judges: Judges) -> list[UnreadReplies]:
    """The replies of generators and verifiers of a plan that could not be read, the most frequent cause first.

    Votes that the panel's decision did not need are left out, since another run does not ask for them.
    """
    rows = db.execute(
        "SELECT generator, detail, 1 FROM jobs WHERE plan = :plan AND outcome = 'unparsed'"
        f" UNION ALL SELECT v.verifier, coalesce({FIRST_ISSUE}, ''), 1 {queries.UNREAD_VOTES}",
        bind(judges, plan, panel),
    )
    return [UnreadReplies(*group) for group in _by_cause(rows)]


def _by_cause(rows: Iterable[tuple[str, str, int]]) -> list[tuple[str, int, str]]:
    """Group rows of model, message and number by model and cause, with the most frequent cause first.

    Returns the model, the sum of the numbers and the first message of each group.
    """
    numbers: Counter[tuple[str, str]] = Counter()
    first_messages: dict[tuple[str, str], str] = {}
    for model, text, number in rows:
        message = plain_cause(text)
        cause = _CHANGING.sub("", message)
        numbers[model, cause] += number
        first_messages.setdefault((model, cause), message)
    return [(model, number, first_messages[model, cause]) for (model, cause), number in numbers.most_common()]


def first_error(db: sqlite3.Connection, plan: int) -> str:
    """Why the first failed job of the plan failed, apart from faults of rules; empty if no job failed."""
    row = db.execute(
        "SELECT detail FROM jobs WHERE plan = ? AND outcome = 'error'"
        f" AND NOT {is_fault('detail')} ORDER BY seq",
        (plan,),
    ).fetchone()
    return str(row["detail"]) if row else ""


def first_fault(db: sqlite3.Connection, plan: int, judges: Judges) -> str:
    """The message of the plan's first fault of a rule, or of a check if no rule failed; empty if nothing failed."""
    row = db.execute(
        f"SELECT detail FROM jobs WHERE plan = :plan AND outcome = 'error' AND {is_fault('detail')}"
        " UNION ALL SELECT v.raw FROM jobs j JOIN votes v ON v.candidate_id = j.id"
        f" WHERE j.plan = :plan AND {BY_JUDGE} AND {queries.VOTE_FAULT} LIMIT 1",
        bind(judges, plan),
    ).fetchone()
    return str(row["detail"]) if row else ""


def plain_cause(error: str) -> str:
    """The message of a failed call without the model's name and the number of tries.

    >>> plain_cause("model 'beta': status 500: out of memory (no call has passed for 240 seconds) (after 7 tries)")
    'status 500: out of memory'
    """
    return _WRAPPING.sub("", error)
