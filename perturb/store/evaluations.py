"""The ledger of an evaluation: items, responses of models under test, judgements, beside the calls."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from operator import attrgetter
from typing import Any

from perturb.digests import canonical
from perturb.responses import Judgement, JudgementStatus, Response, ResponseStatus
from perturb.store.batches import BatchLedger
from perturb.store.db import stored_values

SAMPLE_FACT = "review_sample"
"""Name of the fact that says how the sample of a review was drawn, in builds and evaluations alike."""
CONFIDENCE_TABLE, REFUSAL_TABLE = "confidence.jsonl", "refusals.jsonl"
"""The tables that `perturb bas run` and `perturb refusal-index run` leave beside their ledger."""
PANEL_FACT = "judge_panel"
"""Name of the fact that says who the judges are, if there are several; None once there is one again."""

_response_values = attrgetter("item_id", "model", "variant", "fingerprint", "status.value", "text", "error")
_judgement_values = attrgetter("item_id", "model", "variant", "kind", "judge", "fingerprint", "status.value")


class EvaluationLedger(BatchLedger):
    """What an evaluation may write.

    A response is kept under item, model and variant, a judgement also under its kind; a newer one replaces the older.
    Fingerprints tell whether what is there was made with today's settings.
    """

    def add_items(self, items: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
        """Enter the items (id, content) that are evaluated, in order; those of an earlier run are replaced."""
        with self.transaction() as db:
            db.execute("DELETE FROM items")
            db.executemany(
                "INSERT INTO items (id, position, payload) VALUES (?, ?, ?)",
                (
                    (item_id, position, json.dumps(dict(content), ensure_ascii=False))
                    for position, (item_id, content) in enumerate(items)
                ),
            )

    def write_fact(self, name: str, value: Any) -> None:
        """Keep a fact about the run (any JSON value) under a name."""
        self._replace("facts", name, canonical(value))

    def record_response(self, response: Response) -> None:
        """Record what a model replied to an item."""
        self._replace("responses", *_response_values(response))

    def record_judgement(self, judgement: Judgement) -> None:
        """Record what a judge said of a response, or what several came to."""
        self._record("judgements", judgement)

    def record_vote(self, vote: Judgement) -> None:
        """Record what one of several judges said of a response."""
        self._record("judge_votes", vote)

    def _record(self, table: str, one: Judgement) -> None:
        value = json.dumps(dict(one.value), ensure_ascii=False)
        self._replace(table, *_judgement_values(one), value, one.raw)


def read_items(db: sqlite3.Connection) -> Iterator[tuple[str, dict[str, Any]]]:
    """The items of an evaluation (id, content), in order."""
    with stored_values():
        for row in db.execute("SELECT id, payload FROM items ORDER BY position"):
            yield row["id"], json.loads(row["payload"])


def holds_items(db: sqlite3.Connection) -> bool:
    """Whether a ledger is that of an evaluation."""
    return db.execute("SELECT 1 FROM items LIMIT 1").fetchone() is not None


@stored_values()
def read_facts(db: sqlite3.Connection) -> dict[str, Any]:
    """The facts kept about an evaluation, by name; empty for a build, whatever was noted of its review."""
    rows = db.execute("SELECT name, value FROM facts WHERE name != ?", (SAMPLE_FACT,))
    return {row["name"]: json.loads(row["value"]) for row in rows}


@stored_values()
def read_sample_fact(db: sqlite3.Connection) -> Any:
    """How the sample of a review was drawn; there must be one."""
    row = db.execute("SELECT value FROM facts WHERE name = ?", (SAMPLE_FACT,)).fetchone()
    return json.loads(row["value"])


_KEYS = {
    "responses": ("item_id", "model", "variant"),
    "judgements": ("item_id", "model", "variant", "kind"),
    "judge_votes": ("item_id", "model", "variant", "kind", "judge"),
}


def _rows(db: sqlite3.Connection, table: str, *key: str) -> sqlite3.Cursor:
    """The rows of a table in the order of its key: all, or those whose key begins like this."""
    names = _KEYS[table]
    wanted = " AND ".join(f"{name} = ?" for name in names[: len(key)]) or "1"
    return db.execute(f"SELECT * FROM {table} WHERE {wanted} ORDER BY {', '.join(names)}", key)


def response_of(db: sqlite3.Connection, item_id: str, model: str, variant: str) -> Response | None:
    """One response, if there is one."""
    row = _rows(db, "responses", item_id, model, variant).fetchone()
    return _response(row) if row else None


def read_responses(db: sqlite3.Connection) -> Iterator[Response]:
    """All responses, by item, model and variant."""
    return map(_response, _rows(db, "responses"))


def judgement_of(
    db: sqlite3.Connection, item_id: str, model: str, variant: str, kind: str
) -> Judgement | None:
    """One judgement, if there is one."""
    row = _rows(db, "judgements", item_id, model, variant, kind).fetchone()
    return _judgement(row) if row else None


def read_judgements(db: sqlite3.Connection) -> Iterator[Judgement]:
    """All judgements, by item, model, variant and kind."""
    return map(_judgement, _rows(db, "judgements"))


def votes_on(
    db: sqlite3.Connection, item_id: str, model: str, variant: str, kind: str
) -> dict[str, Judgement]:
    """What each of several judges said of a response in one respect, by judge."""
    rows = _rows(db, "judge_votes", item_id, model, variant, kind)
    return {row["judge"]: _judgement(row) for row in rows}


def read_judge_votes(db: sqlite3.Connection) -> Iterator[Judgement]:
    """What each of several judges said, by item, model, variant, kind and judge."""
    return map(_judgement, _rows(db, "judge_votes"))


@stored_values()
def _response(row: sqlite3.Row) -> Response:
    return Response(**{**dict(row), "status": ResponseStatus(row["status"])})


@stored_values()
def _judgement(row: sqlite3.Row) -> Judgement:
    status, value = JudgementStatus(row["status"]), json.loads(row["value"])
    return Judgement(**{**dict(row), "status": status, "value": value})
