"""Queries of a ledger, one function for each question. They only read.

The tables are described in `perturb.ledger.migrations`. The constants at the top are parts of SQL that several queries
share. They name their columns by the aliases j for jobs, v for votes and d for decisions, and their values by the
parameters of `bind`. For example, the votes that count on the candidates of a plan are

    f"SELECT v.* FROM jobs j JOIN votes v ON v.candidate_id = j.id WHERE j.plan = :plan AND {BY_JUDGE}"
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from perturb.catalogue.classes import Judges
from perturb.errors import FAULT
from perturb.ledger.db import stored_values
from perturb.records import (
    Acceptance,
    BaseInstance,
    Candidate,
    Cell,
    Intensity,
    Job,
    JobOutcome,
    Passage,
    PerturbationClass,
    Verdict,
    VerdictState,
)
from perturb.text.wording import counted


@dataclass(frozen=True, slots=True)
class PlannedJob:
    """A job with its place in the plan and the content key of its base instance."""

    seq: int
    job: Job
    instance_key: str


@dataclass(frozen=True, slots=True)
class StageCounts:
    """How many jobs of a plan have reached each stage."""

    jobs: int
    outcomes: Mapping[str, int]
    """Outcome → number of jobs. Jobs that have not ended yet are left out."""
    decisions: Mapping[str, int]
    """Decision of the panel → number of candidates. Candidates without a decision are left out."""
    votes: int
    rule_faults: int = 0
    """Jobs that ended with a fault of a rule, among those with the outcome `error`."""
    check_faults: int = 0
    """Votes that a fault of an offline check left unscored."""
    stuck: int = 0
    """Undecided candidates that another run would not change: faults of checks, abstentions or unread replies."""

    @property
    def faults(self) -> int:
        """Faults of rules and checks."""
        return self.rule_faults + self.check_faults

    @property
    def left(self) -> int:
        """Jobs that would get further if the same command ran again."""
        not_ended = self.jobs - sum(self.outcomes.values())
        failed_calls = self.outcomes.get(JobOutcome.ERROR, 0) - self.rule_faults
        decided = sum(n for name, n in self.decisions.items() if name != Acceptance.UNDECIDED)
        undecided = self.outcomes.get(JobOutcome.CANDIDATE, 0) - decided
        return not_ended + failed_calls + undecided - self.stuck

    @property
    def done(self) -> int:
        """Jobs that would not get further if the same command ran again."""
        return self.jobs - self.left

    @property
    def unfinished(self) -> str:
        """A sentence on the jobs that are left; empty if no jobs are left."""
        if not self.left:
            return ""
        return f"Not finished: {self.left:,} of {counted(self.jobs, 'job')} are left; run the same command to go on."


# Jobs that are read at a time for verification.
_PAGE = 64
# SQL of the columns that `_planned_job` reads.
_JOB = (
    "SELECT j.seq, j.id, j.instance_key, j.base_id, j.perturbation_class, j.intensity, j.generator, j.replicate,"
    " j.round, j.offers, j.depth, j.constructions, j.hardens FROM jobs j"
)
# The cross joins make SQLite begin with the jobs that harden another one, rather than with all decisions.
REPLACED = """(j.id, j.plan) IN (
    SELECT h.hardens, h.plan
    FROM jobs h
    CROSS JOIN plans p ON p.id = h.plan
    CROSS JOIN decisions e ON e.candidate_id = h.id AND e.panel = json_extract(p.facts, '$.panel.digest')
    WHERE h.hardens IS NOT NULL AND e.acceptance = 'accepted'
)"""
"""SQL that is true of a job whose item was replaced by a harder one, which the panel accepted."""


def bind(judges: Judges, plan: int, panel: str = "") -> dict[str, str | int]:
    """The parameters of SQL: `:judges`, a JSON list of `Judges.keys`; `:plan`, a number; `:panel`, a digest."""
    return {"judges": json.dumps(judges.keys), "plan": plan, "panel": panel}


def begins_with(column: str, text: str) -> str:
    """SQL that is true if the text of a column begins with `text`."""
    return f"coalesce(substr({column}, 1, {len(text)}) = '{text}', 0)"


def is_fault(column: str) -> str:
    """SQL that is true if the text of a column reports a fault of a rule or check."""
    return begins_with(column, FAULT)


FIRST_ISSUE = "json_extract(v.issues, '$[0]')"
"""SQL of the first issue of a vote."""
VOTE_FAULT = f"(v.state = 'unscored' AND {is_fault(FIRST_ISSUE)})"
"""SQL that is true of a vote that a fault of a check left unscored."""
VOTE_UNREAD = f"(v.state = 'unscored' AND v.raw != coalesce({FIRST_ISSUE}, ''))"
"""SQL that is true of a vote for which `Verdict.is_unread` is true."""
# An entry of `:judges` is a class, a verifier and a fingerprint. None of them contains a blank.
BY_JUDGE = """
    j.perturbation_class || ' ' || v.verifier || ' ' || v.fingerprint IN (SELECT value FROM json_each(:judges))
"""
"""SQL that is true of a vote by a member of the current panel on a class that the member judges."""
_NUMBER_OF_JUDGES = """(
    SELECT count(*) FROM json_each(:judges)
    WHERE substr(value, 1, length(j.perturbation_class) + 1) = j.perturbation_class || ' '
)"""
ALL_FINAL = f"""(
    SELECT count(*) FROM votes v
    WHERE v.candidate_id = j.id AND {BY_JUDGE} AND (v.state != 'unscored' OR {VOTE_FAULT} OR {VOTE_UNREAD})
) >= {_NUMBER_OF_JUDGES}"""
"""SQL that is true of a candidate with a final vote by every verifier that judges its class."""
UNREAD_VOTES = f"""
    FROM votes v
    JOIN jobs j ON j.id = v.candidate_id
    LEFT JOIN decisions d ON d.candidate_id = j.id AND d.panel = :panel
    WHERE j.plan = :plan AND {BY_JUDGE} AND {VOTE_UNREAD} AND coalesce(d.acceptance, 'undecided') = 'undecided'
"""
"""SQL of the unread votes that a decision may depend on."""

# Under the schedule `economy` only audited candidates count: a verifier votes on others only if earlier ones passed.
VOTES_ON_DECIDED = f"""
    SELECT
        v.verifier AS name,
        j.instance_key AS base,
        count(*) AS decided,
        sum(v.state = 'pass') AS accepted,
        sum(v.state = 'pass' AND d.acceptance = 'rejected') AS rejected
    FROM jobs j
    JOIN votes v ON v.candidate_id = j.id
    JOIN decisions d ON d.candidate_id = j.id AND d.panel = :panel
    WHERE j.plan = :plan AND {BY_JUDGE} AND v.state IN ('pass', 'fail')
        AND d.audited AND d.acceptance != 'undecided'
    GROUP BY v.verifier, j.instance_key
"""
"""SQL of the scored votes of each verifier on the decided candidates of each base instance.

`decided` is their number. `accepted` are those that pass the candidate, and `rejected` those that pass it although the
panel rejects it.
"""


def pending_jobs(db: sqlite3.Connection, plan: int, generator: str, page: int = 64) -> Iterator[PlannedJob]:
    """Yield the generator's jobs that have no outcome yet, in plan order, each of them once."""
    condition = "WHERE j.plan = ? AND j.generator = ? AND j.outcome IS NULL"
    return paged_jobs(db, condition, (plan, generator), page)


def undecided_jobs(db: sqlite3.Connection, plan: int, panel: str, judges: Judges) -> Iterator[PlannedJob]:
    """Jobs whose candidate has no decision, or is undecided and lacks votes that another run may get.

    The call fixes the set of jobs, so it does not include candidates that are made later.
    """
    rows = db.execute(
        "SELECT j.seq FROM jobs j LEFT JOIN decisions d ON d.candidate_id = j.id AND d.panel = :panel"
        " WHERE j.plan = :plan AND j.outcome = 'candidate' AND coalesce(d.acceptance, 'undecided') = 'undecided'"
        f" AND (d.acceptance IS NULL OR NOT {ALL_FINAL}) ORDER BY j.seq",
        bind(judges, plan, panel),
    )
    # Only the numbers are kept for all jobs.
    return _jobs_by_seq(db, [seq for (seq,) in rows])


def _jobs_by_seq(db: sqlite3.Connection, numbers: Sequence[int]) -> Iterator[PlannedJob]:
    """Yield the jobs with these places in the plan, which are in order. A page is read when its first job is due."""
    sql = f"{_JOB} WHERE j.seq IN (SELECT value FROM json_each(?)) ORDER BY j.seq"
    for start in range(0, len(numbers), _PAGE):
        page = numbers[start : start + _PAGE]
        for row in db.execute(sql, (json.dumps(page),)).fetchall():
            yield _planned_job(row)


def paged_jobs(
    db: sqlite3.Connection, condition: str, values: tuple[Any, ...], page: int = 1000
) -> Iterator[PlannedJob]:
    """Yield the jobs that meet the SQL of a condition, in plan order. `page` jobs at a time are read."""
    # Reading by pages leaves no statement open, so other queries and writes can come in between.
    seq = 0
    sql = f"{_JOB} {condition} AND j.seq > ? ORDER BY j.seq LIMIT ?"
    while rows := db.execute(sql, (*values, seq, page)).fetchall():
        for row in rows:
            if row["seq"] <= seq:  # only a damaged index can cause this, and the loop would never end
                raise sqlite3.DatabaseError("malformed order of rows")
            seq = row["seq"]
            yield _planned_job(row)


@stored_values()
def _planned_job(row: sqlite3.Row) -> PlannedJob:
    """The job of a row with the columns of `_JOB`."""
    offers = json.loads(row["offers"])
    job = Job(
        row["id"],
        row["base_id"],
        cell_of(row),
        row["generator"],
        row["replicate"],
        row["round"],
        offers=None if offers is None else tuple(tuple(offer) for offer in offers),
        depth=row["depth"],
        constructions=tuple(json.loads(row["constructions"])),
        hardens=row["hardens"],
    )
    return PlannedJob(row["seq"], job, row["instance_key"])


@stored_values()
def instance(db: sqlite3.Connection, key: str) -> BaseInstance:
    """The base instance stored under a content key."""
    row = db.execute("SELECT payload FROM instances WHERE key = ?", (key,)).fetchone()
    return BaseInstance.from_payload(json.loads(row["payload"]))


@stored_values()
def instance_of(db: sqlite3.Connection, candidate_id: str) -> BaseInstance:
    """The base instance that a candidate was made from."""
    row = db.execute("SELECT instance_key FROM jobs WHERE id = ?", (candidate_id,)).fetchone()
    return instance(db, row["instance_key"])


@stored_values()
def candidate(db: sqlite3.Connection, candidate_id: str) -> Candidate:
    """The candidate of a job."""
    row = db.execute(
        "SELECT c.*, j.base_id, j.generator, j.perturbation_class, j.intensity"
        " FROM candidates c JOIN jobs j ON j.id = c.id WHERE c.id = ?",
        (candidate_id,),
    ).fetchone()
    return Candidate(
        id=row["id"],
        instance_id=row["base_id"],
        generator=row["generator"],
        cell=cell_of(row),
        lever=row["lever"],
        query=row["query"],
        passages=tuple(Passage(**passage) for passage in json.loads(row["passages"])),
        reasoning=row["reasoning"],
        expected_behavior=row["expected_behavior"],
        stated=json.loads(row["stated"]),
    )


def votes_of(db: sqlite3.Connection, candidate_id: str, judges: Judges) -> dict[str, Verdict]:
    """The votes on a candidate by the members of the current panel that judge its class."""
    rows = db.execute(
        f"SELECT v.* FROM jobs j CROSS JOIN votes v ON v.candidate_id = j.id WHERE j.id = :id AND {BY_JUDGE}",
        {"judges": json.dumps(judges.keys), "id": candidate_id},
    )
    return {row["verifier"]: read_vote(row) for row in rows}


@stored_values()
def read_vote(row: sqlite3.Row) -> Verdict:
    """The vote that a row of `votes` or `planted_votes` holds."""
    # The tables have a column for each field; only `fingerprint` has another name.
    content = dict(row) | {
        "state": VerdictState(row["state"]),
        "checks": json.loads(row["checks"]),
        "issues": tuple(json.loads(row["issues"])),
        "blind": json.loads(row["blind"]),
    }
    return Verdict(prompt_version=content.pop("fingerprint"), **content)


def accepted_jobs(db: sqlite3.Connection, plan: int, panel: str) -> Iterator[PlannedJob]:
    """Jobs whose candidate the panel accepted, in plan order, without those that a harder item replaced."""
    # The cross join makes SQLite begin with the jobs, and the plus keeps it from using an index on plans. So it reads
    # the jobs in their order, from the end of the last page. Otherwise it would read all decisions for each page.
    decided = "CROSS JOIN decisions d ON d.candidate_id = j.id WHERE d.panel = ? AND +j.plan = ?"
    return paged_jobs(db, f"{decided} AND d.acceptance = 'accepted' AND NOT {REPLACED}", (panel, plan))


def stage_counts(db: sqlite3.Connection, plan: int, panel: str, judges: Judges) -> StageCounts:
    """Count the plan's jobs, outcomes, decisions and votes. Of jobs that a harder item replaced, only votes count."""
    outcomes = db.execute(
        f"SELECT coalesce(outcome, '') AS name, count(*) AS n FROM jobs j WHERE plan = ? AND NOT {REPLACED}"
        " GROUP BY outcome",
        (plan,),
    ).fetchall()
    decisions = db.execute(
        "SELECT d.acceptance AS name, count(*) AS n FROM decisions d JOIN jobs j ON j.id = d.candidate_id"
        f" WHERE j.plan = ? AND d.panel = ? AND NOT {REPLACED} GROUP BY d.acceptance",
        (plan, panel),
    ).fetchall()
    values = bind(judges, plan, panel)
    faults = f"SELECT count(*) FROM jobs WHERE plan = ? AND outcome = 'error' AND {is_fault('detail')}"
    votes = db.execute(
        f"SELECT total(v.state IN ('pass', 'fail')) AS scored, total({VOTE_FAULT}) AS faults"
        f" FROM votes v JOIN jobs j ON j.id = v.candidate_id WHERE j.plan = :plan AND {BY_JUDGE}",
        values,
    ).fetchone()
    stuck = db.execute(
        "SELECT count(*) FROM jobs j JOIN decisions d ON d.candidate_id = j.id AND d.panel = :panel"
        f" WHERE j.plan = :plan AND d.acceptance = 'undecided' AND {ALL_FINAL}",
        values,
    ).fetchone()[0]
    return StageCounts(
        jobs=sum(row["n"] for row in outcomes),
        outcomes={row["name"]: row["n"] for row in outcomes if row["name"]},
        decisions={row["name"]: row["n"] for row in decisions},
        votes=int(votes["scored"]),
        rule_faults=db.execute(faults, (plan,)).fetchone()[0],
        check_faults=int(votes["faults"]),
        stuck=stuck,
    )


@dataclass(frozen=True, slots=True)
class HardeningJob:
    """A quieter attempt at an item that all solvers mastered."""

    job: str
    hardens: str
    """The job of the item."""
    open: bool
    """Whether the attempt has not ended yet."""


def hardening_jobs(db: sqlite3.Connection, plan: int, panel: str) -> list[HardeningJob]:
    """The quieter attempts of the plan, in its order."""
    rows = db.execute(
        """
        SELECT j.id, j.hardens, CASE
            WHEN j.outcome IS NULL OR j.outcome = 'error' THEN 1
            WHEN j.outcome = 'candidate' AND coalesce(d.acceptance, 'undecided') = 'undecided' THEN 1
            ELSE 0 END AS is_open
        FROM jobs j
        LEFT JOIN decisions d ON d.candidate_id = j.id AND d.panel = ?
        WHERE j.plan = ? AND j.hardens IS NOT NULL
        ORDER BY j.seq
        """,
        (panel, plan),
    )
    return [HardeningJob(row["id"], row["hardens"], bool(row["is_open"])) for row in rows]


def count_rejected(db: sqlite3.Connection, plan: int, reason: str) -> int:
    """How many of the plan's candidates a machine check rejected with a reason that begins with `reason`."""
    sql = "SELECT count(*) FROM jobs WHERE plan = ? AND outcome = 'rejected_by_checks' AND substr(detail, 1, ?) = ?"
    return int(db.execute(sql, (plan, len(reason), reason)).fetchone()[0])


def count_decisions(db: sqlite3.Connection, panel: str, plan: int, reason: str) -> int:
    """How many of the plan's candidates the panel decided with this reason."""
    sql = (
        "SELECT count(*) FROM jobs j JOIN decisions d ON d.candidate_id = j.id"
        " WHERE d.panel = ? AND j.plan = ? AND d.reason = ?"
    )
    return int(db.execute(sql, (panel, plan, reason)).fetchone()[0])


def declines(db: sqlite3.Connection, plan: int) -> dict[str, dict[str, Any]]:
    """Lever that generators declined → in how many jobs, and one reason. The most declined lever comes first."""
    rows = db.execute(
        "SELECT d.key AS lever, count(*) AS jobs, min(d.value) AS reason FROM jobs j, json_each(j.declined) d"
        " WHERE j.plan = ? GROUP BY d.key ORDER BY jobs DESC, d.key",
        (plan,),
    ).fetchall()
    return {row["lever"]: {"jobs": row["jobs"], "reason": row["reason"]} for row in rows}


@stored_values()
def cell_counts(db: sqlite3.Connection, plan: int, panel: str) -> dict[Cell, dict[str, int]]:
    """Cell → numbers of jobs, of candidates that reached the panel, and of accepted candidates."""
    rows = _count_by(db, plan, panel, "j.perturbation_class, j.intensity")
    return {cell_of(row): _stage_numbers(row) for row in rows}


def depth_counts(db: sqlite3.Connection, plan: int, panel: str) -> dict[str, dict[str, int]]:
    """Depth → numbers of jobs, candidates that reached the panel, and accepted ones; empty if all jobs are open."""
    counts = {row["depth"]: _stage_numbers(row) for row in _count_by(db, plan, panel, "j.depth")}
    return {} if set(counts) <= {"open"} else counts


def _count_by(db: sqlite3.Connection, plan: int, panel: str, columns: str) -> list[sqlite3.Row]:
    """The plan's jobs counted by some columns, without jobs that a harder item replaced."""
    return db.execute(
        f"""
        SELECT {columns}, count(*) AS jobs, total(j.outcome = 'candidate') AS candidates,
            total(d.acceptance = 'accepted') AS accepted
        FROM jobs j
        LEFT JOIN decisions d ON d.candidate_id = j.id AND d.panel = ?
        WHERE j.plan = ? AND NOT {REPLACED}
        GROUP BY {columns}
        ORDER BY {columns}
        """,
        (panel, plan),
    ).fetchall()


def _stage_numbers(row: sqlite3.Row) -> dict[str, int]:
    return {name: int(row[name]) for name in ("jobs", "candidates", "accepted")}


def call_totals(db: sqlite3.Connection) -> dict[str, dict[str, Any]]:
    """Model → calls, tries, tokens, cost in USD and seconds. The cost is None if that of any call is unknown."""
    rows = db.execute(
        "SELECT model, count(*) AS calls, sum(tries) AS tries, sum(status = 'error') AS errors,"
        " sum(prompt_tokens) AS prompt_tokens, sum(completion_tokens) AS completion_tokens,"
        " CASE WHEN sum(status != 'error' AND cost_usd IS NULL) THEN NULL ELSE coalesce(sum(cost_usd), 0) END"
        " AS cost_usd, sum(seconds) AS seconds FROM calls GROUP BY model ORDER BY model"
    )
    totals = map(dict, rows)
    return {entry.pop("model"): entry for entry in totals}


def call_facts(db: sqlite3.Connection, cached_calls: int) -> dict[str, Any]:
    """Calls, tokens and cost of the run so far. The cost is None if a price is unknown."""
    totals = call_totals(db).values()
    costs = [entry["cost_usd"] for entry in totals]
    return {
        "calls": sum(entry["calls"] for entry in totals),
        "cached_calls": cached_calls,
        "tokens": sum((entry["prompt_tokens"] or 0) + (entry["completion_tokens"] or 0) for entry in totals),
        "cost_usd": None if None in costs else round(sum(costs), 6),
    }


def spent_usd(db: sqlite3.Connection) -> float:
    """The part of the budget that the run's calls have used. A call of unknown cost counts at its highest cost."""
    return float(db.execute("SELECT coalesce(sum(charged_usd), 0) FROM calls").fetchone()[0])


@stored_values()
def acceptance_of(db: sqlite3.Connection, candidate_id: str, panel: str) -> Acceptance | None:
    """The panel's decision on one candidate, if there is one."""
    row = db.execute(
        "SELECT acceptance FROM decisions WHERE candidate_id = ? AND panel = ?", (candidate_id, panel)
    ).fetchone()
    return Acceptance(row["acceptance"]) if row else None


def cell_of(row: sqlite3.Row) -> Cell:
    """The cell that a row's columns name."""
    return Cell(PerturbationClass(row["perturbation_class"]), Intensity(row["intensity"]))
