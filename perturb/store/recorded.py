"""What is asked of a ledger about the replies that a recording holds, or should hold."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

from perturb.classes import Judges
from perturb.llm.recording import NO_REPLY
from perturb.store.queries import BY_JUDGE, FIRST_ISSUE, PlannedJob, begins_with, paged_jobs


class AnsweredCalls:
    """The calls of a ledger by what they were made for."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def of(self, subject: str, model: str, purposes: Sequence[str]) -> list[list[sqlite3.Row]]:
        """The answered calls about a subject, in order: one group for each prompt."""
        found: dict[str, list[sqlite3.Row]] = {}
        asked = "FROM {} WHERE subject = ?1 AND model = ?2 AND purpose IN (SELECT value FROM json_each(?3))"
        for row in self._db.execute(
            f"SELECT * FROM calls WHERE key IN (SELECT key {asked.format('calls')} UNION"
            f" SELECT key {asked.format('shared_calls')}) AND status != 'error' ORDER BY id",
            (subject, model, json.dumps(purposes)),
        ):
            found.setdefault(row["key"], []).append(row)
        return list(found.values())

    def behind(self, subject: str, model: str, purposes: Sequence[str], reply: str) -> list[sqlite3.Row]:
        """The calls that a result came from, whose reply is known."""
        groups = self.of(subject, model, purposes)
        holding = [rows for rows in groups if any(row["reply"] == reply for row in rows)]
        return last_pass((holding or groups)[-1]) if groups else []


def last_pass(rows: list[sqlite3.Row]) -> list[sqlite3.Row]:
    """The calls of a prompt that made the result: the last, and the unreadable one before it."""
    return rows[-2:] if len(rows) > 1 and rows[-2]["status"] == "unread" else rows[-1:]


def planned_jobs(db: sqlite3.Connection, plan: int) -> Iterator[PlannedJob]:
    """Every job of the plan, in its order."""
    return paged_jobs(db, "WHERE j.plan = ?", (plan,))


def missing_replies(db: sqlite3.Connection, plan: int, judges: Judges) -> list[dict[str, Any]]:
    """The replies that a replay did not find: job, role and model of each, in the order of the plan."""
    rows = db.execute(
        "SELECT seq, id AS job, 'generate' AS role, generator AS model FROM jobs"
        f" WHERE plan = ?2 AND outcome = 'error' AND {is_missing('detail')}"
        " UNION ALL SELECT j.seq, j.id, 'verify', v.verifier FROM jobs j CROSS JOIN votes v ON v.candidate_id = j.id"
        f" WHERE j.plan = ?2 AND v.state = 'unscored' AND {BY_JUDGE} AND {is_missing(FIRST_ISSUE)} ORDER BY 1, 3, 4",
        (json.dumps(judges.keys), plan),
    ).fetchall()
    return [{name: row[name] for name in ("job", "role", "model")} for row in rows]


def missing_answers(db: sqlite3.Connection) -> list[dict[str, Any]]:
    """The same of an evaluation: item, role and model of each reply that was not found."""
    rows = db.execute(
        "SELECT r.item_id AS item, 'answer' AS role, r.model FROM responses r JOIN items i ON i.id = r.item_id"
        f" WHERE r.status = 'error' AND {is_missing('r.error')}"
        " UNION ALL SELECT j.item_id, j.kind, j.judge FROM judgements j JOIN items i ON i.id = j.item_id"
        f" WHERE j.status = 'unscored' AND {is_missing('j.raw')}"
        " UNION ALL SELECT j.item_id, j.kind, j.judge FROM judge_votes j JOIN items i ON i.id = j.item_id"
        f" WHERE j.status = 'unscored' AND {is_missing('j.raw')} ORDER BY 1, 2, 3"
    ).fetchall()
    return [{name: row[name] for name in ("item", "role", "model")} for row in rows]


def is_missing(column: str) -> str:
    """SQL that is true where the text of a column tells of a reply that is not on record."""
    return begins_with(column, NO_REPLY)
