"""What a ledger knows of solvers: what each replied to an accepted item, and what became of the reply."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from perturb.ledger.db import stored_values

RIGHT = frozenset({"correct_answer", "correct_refusal"})
"""The outcomes of a `ReplyOutcome` that are right; numpy stays away from commands that only read a ledger."""


@dataclass(frozen=True, slots=True)
class SolverReply:
    """One reply of one solver to one item."""

    candidate_id: str
    solver: str
    sample: int
    """From 0."""
    fingerprint: str
    """Digest of solver, prompt and judge."""
    outcome: str | None
    """A `ReplyOutcome`; None while unscored: the call failed, or no judgement could be read."""
    detail: str = ""
    """Why it is unscored, or the kind of a free reply."""
    raw: str = ""
    """The reply as it came."""
    judged: tuple[tuple[str, str], ...] = ()
    """Purpose and raw reply of each call to the judge."""

    @property
    def wrong(self) -> bool | None:
        """Whether the reply was wrong; None while unscored."""
        return None if self.outcome is None else self.outcome not in RIGHT


@dataclass(frozen=True, slots=True)
class Difficulty:
    """How solvers fared with one item."""

    wrong: float
    """Share of scored replies that were wrong."""
    failed: float
    """Share of the solvers with a scored reply that failed: more than half of their scored replies were wrong."""


@stored_values()
def solver_replies(db: sqlite3.Connection, prints: Mapping[str, str]) -> list[SolverReply]:
    """The replies of solvers (name → fingerprint) as they are set now."""
    return [
        SolverReply(
            *(row["candidate_id"], row["solver"], row["sample"], row["fingerprint"]),
            outcome=row["outcome"],
            detail=row["detail"],
            raw=row["raw"],
            judged=tuple((purpose, raw) for purpose, raw in json.loads(row["judged"])),
        )
        for row in db.execute("SELECT * FROM solver_replies ORDER BY candidate_id, solver, sample")
        if prints.get(row["solver"]) == row["fingerprint"]
    ]


def difficulties(replies: Iterable[SolverReply]) -> dict[str, Difficulty]:
    """How hard each item is, by id; an item without a scored reply is left out."""
    scored: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for one in replies:
        if one.wrong is not None:
            scored[one.candidate_id][one.solver].append(one.wrong)
    return {name: _difficulty(list(of_item.values())) for name, of_item in scored.items()}


def failed_items(db: sqlite3.Connection, prints: Mapping[str, str], at_least: float) -> set[str]:
    """Ids of the items that at least this share of the solvers (name → fingerprint) failed."""
    solved = difficulties(solver_replies(db, prints))
    return {name for name, one in solved.items() if one.failed >= at_least}


def _difficulty(of_solvers: list[list[bool]]) -> Difficulty:
    """From whether each scored reply was wrong, by solver.

    >>> _difficulty([[True, False], [True, True]])
    Difficulty(wrong=0.75, failed=0.5)
    """
    every = [wrong for of_solver in of_solvers for wrong in of_solver]
    failed = [2 * sum(of_solver) > len(of_solver) for of_solver in of_solvers]
    return Difficulty(sum(every) / len(every), sum(failed) / len(failed))
