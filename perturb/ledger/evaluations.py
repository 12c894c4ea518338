"""The ledger of an evaluation: items, responses, judgements, provider batches and reviews, besides the calls.

A row of a provider batch counts as taken once its result is in the ledger. Other rows are fetched again from the same
batch. A review has a drawn sample of items and the answers of annotators.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any, Self

from perturb.errors import LedgerError
from perturb.files.resources import canonical
from perturb.ledger.calls import LEDGER_FILE, CallLedger
from perturb.ledger.db import stored_values
from perturb.llm.client import HeldBatch
from perturb.records import Facts, Judgement, JudgementStatus, Response, ResponseStatus

SAMPLE_FACT = "review_sample"
"""The fact about how the sample of a review was drawn, in builds and evaluations."""
CONFIDENCE_TABLE, REFUSAL_TABLE = "confidence.jsonl", "refusals.jsonl"
"""The tables that `perturb bas run` and `perturb refusal-index run` write beside their ledger."""
KEYS_FACT = "key_variables"
"""The fact that lists the environment variables with keys of the run."""
PLANTED_FACT = "planted_judgements"
"""The fact about replies of known behaviour: how many were planted, and how they were judged."""
PLANTED_MODEL = "(planted)"
"""The name of the model that planted replies are stored under."""
PANEL_FACT = "judge_panel"
"""The fact that names the judges if there are several. Its value is None if a later run has a single judge again."""

# SQL that is true of a batch `b` with rows that have not been taken yet.
_WAITING = "EXISTS (SELECT 1 FROM batch_rows AS r WHERE r.tag = b.tag AND r.taken = 0)"


class BatchLedger(CallLedger):
    """A `perturb.llm.client.BatchStore`: the batches that a provider works on, and their rows.

    In the life of a batch, `intend_batch` comes before it is submitted, `note_batch` after it, and `take_rows` when
    results are in the ledger. Then `end_batch` notes the provider's word for how it ended, which is its last state.
    `drop_batch` gives it up instead.
    """

    def held_batches(self, fingerprint: str) -> list[HeldBatch]:
        """The batches of a model that have rows which have not arrived yet, oldest first."""
        batches = self.db.execute(
            f"SELECT tag, input_file, batch_id FROM batches AS b WHERE fingerprint = ? AND {_WAITING} ORDER BY rowid",
            (fingerprint,),
        ).fetchall()
        rows = "SELECT custom_id FROM batch_rows WHERE tag = ? AND taken = 0 ORDER BY rowid"
        return [
            HeldBatch(tag, input_file, batch_id, tuple(name for (name,) in self.db.execute(rows, (tag,))))
            for tag, input_file, batch_id in batches
        ]

    async def intend_batch(self, batch: HeldBatch, model: str, fingerprint: str) -> None:
        """Note a batch before it is submitted. The note is on disk when this returns."""
        # The rows come first: if the process dies in between, rows without a batch are harmless, but a batch must know
        # its rows.
        rows = "INSERT INTO batch_rows (tag, custom_id) SELECT ?, value FROM json_each(?)"
        self._put(rows, batch.tag, json.dumps(batch.custom_ids))
        values = (batch.tag, model, fingerprint, batch.input_file)
        self._put("INSERT INTO batches VALUES (?, ?, ?, ?, NULL, 'intended')", *values)
        await self.wait_until_committed()

    async def note_batch(self, tag: str, batch_id: str) -> None:
        """Note the provider's id of a batch. The note is on disk when this returns."""
        self._put("UPDATE batches SET batch_id = ?, state = 'submitted' WHERE tag = ?", batch_id, tag)
        await self.wait_until_committed()

    def end_batch(self, tag: str, state: str) -> None:
        """Note how a batch ended. Rows that are not taken can still be fetched."""
        self._put("UPDATE batches SET state = ? WHERE tag = ?", state, tag)

    def drop_batch(self, tag: str) -> None:
        """Give up a batch that the provider refused or no longer has: no more rows will come from it."""
        self.end_batch(tag, "lost")
        self._put("UPDATE batch_rows SET taken = 1 WHERE tag = ?", tag)

    def take_rows(self, tag: str, custom_ids: Sequence[str]) -> None:
        """Note that these rows need not be fetched again."""
        rows = (
            "UPDATE batch_rows SET taken = 1 WHERE tag = ? AND custom_id IN (SELECT value FROM json_each(?))"
        )
        self._put(rows, tag, json.dumps(custom_ids))


def count_batches(db: sqlite3.Connection) -> dict[str, int]:
    """How many batches were submitted, how many rows they have, and how many batches still have rows to come."""
    row = db.execute(
        f"""
        SELECT
            count(*) AS submitted,
            coalesce(sum((SELECT count(*) FROM batch_rows AS r WHERE r.tag = b.tag)), 0) AS rows,
            coalesce(sum({_WAITING}), 0) AS open
        FROM batches AS b
        WHERE batch_id IS NOT NULL
        """
    ).fetchone()
    return dict(row)


# The first columns of the tables, in the order of `perturb.ledger.migrations`.
_response_values = attrgetter("item_id", "model", "variant", "fingerprint", "status.value", "text", "error")
_judgement_values = attrgetter("item_id", "model", "variant", "kind", "judge", "fingerprint", "status.value")


class EvaluationLedger(BatchLedger):
    """The ledger of an evaluation, open for writing.

    The key of a response is item, model and variant. The key of a judgement has its kind too. A new row replaces the
    row with the same key. Fingerprints show whether a row was made with the current settings.
    """

    def add_items(self, items: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
        """Replace the items of the evaluation by these pairs of id and content, in this order."""
        with self.transaction() as db:
            # A new run may have other items. Responses to former items stay, in case they return.
            db.execute("DELETE FROM items")
            db.executemany(
                "INSERT INTO items (id, position, payload) VALUES (?, ?, ?)",
                (
                    (item_id, position, json.dumps(dict(content), ensure_ascii=False))
                    for position, (item_id, content) in enumerate(items)
                ),
            )

    def write_fact(self, name: str, value: Any) -> None:
        """Store a fact about the run, any JSON value, under a name."""
        self._replace("facts", name, canonical(value))

    def record_response(self, response: Response) -> None:
        """Record a model's response to an item."""
        self._replace("responses", *_response_values(response))

    def record_judgement(self, judgement: Judgement) -> None:
        """Record the judgement of a response by a single judge, or the judgement that several judges agree on."""
        self._record("judgements", judgement)

    def record_vote(self, vote: Judgement) -> None:
        """Record the vote of one of several judges on a response."""
        self._record("judge_votes", vote)

    def _record(self, table: str, judgement: Judgement) -> None:
        """Write a row of `judgements` or `judge_votes`."""
        value = json.dumps(dict(judgement.value), ensure_ascii=False)
        self._replace(table, *_judgement_values(judgement), value, judgement.raw)


def read_items(db: sqlite3.Connection) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield id and content of the items of an evaluation, in order."""
    with stored_values():  # a damaged value becomes a `LedgerError` with advice
        for row in db.execute("SELECT id, payload FROM items ORDER BY position"):
            yield row["id"], json.loads(row["payload"])


def holds_items(db: sqlite3.Connection) -> bool:
    """Whether a ledger belongs to an evaluation."""
    return db.execute("SELECT 1 FROM items LIMIT 1").fetchone() is not None


@stored_values()
def read_facts(db: sqlite3.Connection) -> dict[str, Any]:
    """The facts about an evaluation by name, without the fact about a review; empty for a build."""
    # Builds have the fact about a review too, but no other facts.
    rows = db.execute("SELECT name, value FROM facts WHERE name != ?", (SAMPLE_FACT,))
    return {row["name"]: json.loads(row["value"]) for row in rows}


@stored_values()
def read_sample_fact(db: sqlite3.Connection) -> Any:
    """How the sample of a review was drawn. The ledger must have a sample."""
    row = db.execute("SELECT value FROM facts WHERE name = ?", (SAMPLE_FACT,)).fetchone()
    return json.loads(row["value"])


@dataclass(frozen=True, slots=True)
class Stop:
    """Where a model stopped under a rule. The fields are stored in the ledger and printed by `--json`."""

    rule: str
    low: float
    """Lower end of the 95 % interval for the metric over all items; it is valid whenever asking ends."""
    high: float
    asked: int
    """Number of items in complete blocks, without controls."""
    items: int
    reached: bool
    """Whether the interval is as narrow as the rule demands."""

    @property
    def early(self) -> bool:
        """Whether items were left out."""
        return self.reached and self.asked < self.items

    def __str__(self) -> str:
        return (
            f"stopped early by '{self.rule}': {self.asked:,} of {self.items:,} items asked; over all of them the metric"
            f" lies between {100 * self.low:.1f} and {100 * self.high:.1f} % (95 % interval, valid at any stopping"
            " time)"
        )


def early_stop(entry: Facts) -> Stop | None:
    """Where a model was stopped, by its entry in the ledger; None if it was not stopped early."""
    if "until" not in entry:
        return None
    stop = Stop(**entry["until"])
    return stop if stop.early else None


# Table -> the columns of its key, in the order of its index.
_KEYS = {
    "responses": ("item_id", "model", "variant"),
    "judgements": ("item_id", "model", "variant", "kind"),
    "judge_votes": ("item_id", "model", "variant", "kind", "judge"),
}


def _rows(db: sqlite3.Connection, table: str, *key: str) -> sqlite3.Cursor:
    """The rows of a table whose key begins with `key`, in the order of the key."""
    names = _KEYS[table]
    # The order is that of the index, so that SQLite need not sort.
    condition = " AND ".join(f"{name} = ?" for name in names[: len(key)]) or "1"  # without a key, all rows
    return db.execute(f"SELECT * FROM {table} WHERE {condition} ORDER BY {', '.join(names)}", key)


def response_of(db: sqlite3.Connection, item_id: str, model: str, variant: str) -> Response | None:
    """A response; None if it is not stored."""
    row = _rows(db, "responses", item_id, model, variant).fetchone()
    return _response(row) if row else None


def read_responses(db: sqlite3.Connection) -> Iterator[Response]:
    """All responses, by item, model and variant."""
    return map(_response, _rows(db, "responses"))


def judgement_of(
    db: sqlite3.Connection, item_id: str, model: str, variant: str, kind: str
) -> Judgement | None:
    """A judgement; None if it is not stored."""
    row = _rows(db, "judgements", item_id, model, variant, kind).fetchone()
    return _judgement(row) if row else None


def read_judgements(db: sqlite3.Connection) -> Iterator[Judgement]:
    """All judgements, by item, model, variant and kind."""
    return map(_judgement, _rows(db, "judgements"))


def votes_on(
    db: sqlite3.Connection, item_id: str, model: str, variant: str, kind: str
) -> dict[str, Judgement]:
    """Judge → vote on a response. `kind` is the kind of judgement."""
    rows = _rows(db, "judge_votes", item_id, model, variant, kind)
    return {row["judge"]: _judgement(row) for row in rows}


def read_judge_votes(db: sqlite3.Connection) -> Iterator[Judgement]:
    """All votes of several judges, by item, model, variant, kind and judge."""
    return map(_judgement, _rows(db, "judge_votes"))


@stored_values()
def _response(row: sqlite3.Row) -> Response:
    return Response(**{**dict(row), "status": ResponseStatus(row["status"])})


@stored_values()
def _judgement(row: sqlite3.Row) -> Judgement:
    status, value = JudgementStatus(row["status"]), json.loads(row["value"])
    return Judgement(**{**dict(row), "status": status, "value": value})


class ReviewLedger(CallLedger):
    """The ledger of a review, open for writing. Each answer is a row, so two open pages cannot undo each other."""

    @classmethod
    def of_run(cls, folder: Path) -> Self:
        """Open an existing run. Raises `LedgerError` if there is no run or its ledger cannot be opened."""
        # Opening would create an empty ledger in a folder that was named by mistake.
        if not (folder / LEDGER_FILE).exists():
            raise LedgerError(
                f"{folder}: no run there: give the folder that `perturb build` or an evaluation wrote (outputs/NAME)"
            )
        return cls(folder)

    def replace_sample(self, candidate_ids: Sequence[str], draw: Mapping[str, Any]) -> None:
        """Make these the items to review, in this order.

        All answers are kept, even those about items that leave the sample. `draw` tells how the items were chosen.
        """
        with self.transaction() as db:
            db.execute("DELETE FROM review_samples")
            db.executemany(
                "INSERT INTO review_samples VALUES (?, ?)",
                ((candidate_id, position) for position, candidate_id in enumerate(candidate_ids, start=1)),
            )
            db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (SAMPLE_FACT, canonical(draw)))

    def record_answer(self, candidate_id: str, annotator: str, question: str, answer: str) -> None:
        """Record an answer. It replaces an earlier answer to the same question."""
        self._replace("reviews", candidate_id, annotator, question, answer)


def sample_ids(db: sqlite3.Connection, run: Path) -> list[str]:
    """The candidates of the sample, in order. Raises `LedgerError` if none was drawn."""
    ids = [row[0] for row in db.execute("SELECT candidate_id FROM review_samples ORDER BY position")]
    if not ids:
        raise LedgerError(f"{run}: no sample yet: draw one with `perturb review {run} draw`")
    return ids


def answers_by(db: sqlite3.Connection, annotator: str) -> dict[str, dict[str, str]]:
    """The answers of an annotator: candidate → question → answer."""
    answers: dict[str, dict[str, str]] = {}
    rows = db.execute("SELECT candidate_id, question, answer FROM reviews WHERE annotator = ?", (annotator,))
    for candidate_id, question, answer in rows:
        answers.setdefault(candidate_id, {})[question] = answer
    return answers


Reviews = dict[str, dict[str, dict[str, str]]]
"""Candidate → annotator → question → answer."""


def read_reviews(db: sqlite3.Connection) -> Reviews:
    """Every answer to an item of the sample, in the order of the sample."""
    reviews: Reviews = {}
    rows = db.execute(
        "SELECT r.candidate_id, r.annotator, r.question, r.answer FROM reviews r"
        " JOIN review_samples s ON s.candidate_id = r.candidate_id"
        " ORDER BY s.position, r.annotator, r.question"
    )
    for candidate_id, annotator, question, answer in rows:
        reviews.setdefault(candidate_id, {}).setdefault(annotator, {})[question] = answer
    return reviews
