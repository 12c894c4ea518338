"""Planted items with their votes, and the replies of solvers to accepted items.

A planted item has a label that is known to be right or wrong. The panel votes on it as on any candidate, so that its
votes show how often it errs. A solver is a model that answers accepted items, which shows how hard they are.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from perturb.catalogue.classes import Judges
from perturb.ledger.db import stored_values
from perturb.ledger.queries import read_vote
from perturb.records import ClassRule, PlantedItem, Verdict, VerdictState


@stored_values()  # a damaged value becomes an error of the ledger
def planted_numbers(db: sqlite3.Connection, plan: int) -> dict[str, int] | None:
    """How many planted items of each origin the plan has; None if the numbers have not been decided."""
    numbers = _json_of_plan(db, plan, "planted")
    return None if numbers is None else {str(name): int(number) for name, number in numbers.items()}


@stored_values()
def class_rules(db: sqlite3.Connection, plan: int) -> dict[str, ClassRule] | None:
    """Class → the rule that the votes on planted items chose; None if rules have not been chosen yet."""
    rules = _json_of_plan(db, plan, "rules")
    if rules is None:
        return None
    return {
        name: ClassRule(tuple(rule["verifiers"]), rule["needed"], rule["bound"])
        for name, rule in rules.items()
    }


def _json_of_plan(db: sqlite3.Connection, plan: int, column: str) -> Any:
    """The value in a column of a plan; None without a plan or a value."""
    row = db.execute(f"SELECT {column} FROM plans WHERE id = ?", (plan,)).fetchone()
    return None if row is None or row[column] is None else json.loads(row[column])


@stored_values()
def planted_items(db: sqlite3.Connection) -> list[PlantedItem]:
    """Every planted item of the run, in the order of the ids, which are digests and do not give away the kind."""
    rows = db.execute("SELECT payload FROM planted ORDER BY id")
    return [PlantedItem.from_payload(json.loads(row["payload"])) for row in rows]


def planted_hosts(db: sqlite3.Connection) -> set[str]:
    """The jobs that planted items were made from; an empty text stands for items without such a job."""
    return {row["host"] for row in db.execute("SELECT host FROM planted")}


@stored_values()
def planted_votes(db: sqlite3.Connection, fingerprints: Mapping[str, str]) -> dict[str, dict[str, Verdict]]:
    """Item → verifier → vote, for votes of verifiers with these settings. `fingerprints` maps names to them."""
    votes: dict[str, dict[str, Verdict]] = defaultdict(dict)
    for row in db.execute("SELECT * FROM planted_votes"):
        # Votes with other settings stay in the table, in case the settings return.
        if fingerprints.get(row["verifier"]) == row["fingerprint"]:
            votes[row["candidate_id"]][row["verifier"]] = read_vote(row)
    return dict(votes)


def count_planted_votes(db: sqlite3.Connection, judges: Judges) -> int:
    """How many passes and fails the panel with its current settings gave to planted items."""
    count = 0
    for votes_on_item in planted_votes(db, judges.fingerprints).values():
        states = [vote.state for vote in votes_on_item.values()]
        count += states.count(VerdictState.PASS) + states.count(VerdictState.FAIL)
    return count


def jobs_have_begun(db: sqlite3.Connection, plan: int) -> bool:
    """Whether any job of the plan has an outcome."""
    rows = db.execute("SELECT 1 FROM jobs WHERE plan = ? AND outcome IS NOT NULL LIMIT 1", (plan,))
    return rows.fetchone() is not None


RIGHT = frozenset({"correct_answer", "correct_refusal"})
"""The values of `ReplyOutcome` that are right. Importing it would load numpy into commands that only read a ledger."""


@dataclass(frozen=True, slots=True)
class SolverReply:
    """A reply of a solver to an item. The table has a column for each field, under the same name."""

    candidate_id: str
    solver: str
    sample: int
    """The number of the sample, from 0."""
    fingerprint: str
    """Digest of solver, prompt and judge."""
    outcome: str | None
    """A `ReplyOutcome`; None if the call failed or no judgement could be read."""
    detail: str = ""
    """Why the reply is unscored, or the kind of a free reply."""
    raw: str = ""
    """The reply as it arrived."""
    judged: tuple[tuple[str, str], ...] = ()
    """Purpose and raw reply of each call to the judge."""

    @property
    def wrong(self) -> bool | None:
        """Whether the reply was wrong; None if unscored."""
        return None if self.outcome is None else self.outcome not in RIGHT


@dataclass(frozen=True, slots=True)
class Difficulty:
    """How hard an item is for solvers."""

    wrong: float
    """Share of scored replies that were wrong."""
    failed: float
    """Share of the solvers that failed, among those with a scored reply. Such a solver is wrong more often than not."""


@stored_values()
def solver_replies(
    db: sqlite3.Connection, fingerprints: Mapping[str, str], candidate_id: str | None = None
) -> list[SolverReply]:
    """The replies of solvers with these settings, to all items or to one. `fingerprints` maps names to them."""
    # The fingerprints are compared below, since each solver has its own.
    condition = "1" if candidate_id is None else "candidate_id = ?"
    rows = db.execute(
        f"SELECT * FROM solver_replies WHERE {condition} ORDER BY candidate_id, solver, sample",
        () if candidate_id is None else (candidate_id,),
    )
    replies = []
    for row in rows:
        if fingerprints.get(row["solver"]) == row["fingerprint"]:
            judged = tuple((purpose, raw) for purpose, raw in json.loads(row["judged"]))
            replies.append(SolverReply(**{**dict(row), "judged": judged}))
    return replies


def difficulties(replies: Iterable[SolverReply]) -> dict[str, Difficulty]:
    """Item → how hard it is, for items with a scored reply."""
    scored: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for reply in replies:
        if reply.wrong is not None:
            scored[reply.candidate_id][reply.solver].append(reply.wrong)
    return {name: _difficulty(list(by_solver.values())) for name, by_solver in scored.items()}


def failed_items(db: sqlite3.Connection, fingerprints: Mapping[str, str], at_least: float) -> set[str]:
    """Ids of the items that at least this share of the solvers failed. `fingerprints` maps names to them."""
    difficulty_of = difficulties(solver_replies(db, fingerprints))
    return {name for name, difficulty in difficulty_of.items() if difficulty.failed >= at_least}


def _difficulty(wrong_by_solver: list[list[bool]]) -> Difficulty:
    """The difficulty of an item. Each list tells for the scored replies of a solver whether they were wrong.

    >>> _difficulty([[True, False], [True, True]])
    Difficulty(wrong=0.75, failed=0.5)
    """
    all_wrong = [wrong for wrong_of_solver in wrong_by_solver for wrong in wrong_of_solver]
    # A solver with exactly half of its replies wrong has not failed.
    has_failed = [2 * sum(wrong_of_solver) > len(wrong_of_solver) for wrong_of_solver in wrong_by_solver]
    return Difficulty(sum(all_wrong) / len(all_wrong), sum(has_failed) / len(has_failed))
