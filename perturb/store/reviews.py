"""Human reviews in a run's ledger: the sample that was drawn, and every answer an annotator gave."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from perturb.digests import canonical
from perturb.errors import LedgerError
from perturb.store.calls import LEDGER_FILE, CallLedger
from perturb.store.evaluations import SAMPLE_FACT


class ReviewLedger(CallLedger):
    """What a review may write. Answers are stored one by one, so that two open pages never undo each other."""

    @classmethod
    def of_run(cls, folder: Path) -> Self:
        """Open a run that exists. Raises `LedgerError` as the constructor does, and where there is no run."""
        if not (folder / LEDGER_FILE).exists():
            raise LedgerError(
                f"{folder}: no run there: give the folder that `perturb build` or an evaluation wrote (outputs/NAME)"
            )
        return cls(folder)

    def replace_sample(self, candidate_ids: Sequence[str], drawn: Mapping[str, Any]) -> None:
        """Make these the items to review, in this order; answers stay, also those to items now left out.

        `drawn` says how they were chosen.
        """
        with self.transaction() as db:
            db.execute("DELETE FROM review_samples")
            db.executemany(
                "INSERT INTO review_samples VALUES (?, ?)",
                ((candidate_id, position) for position, candidate_id in enumerate(candidate_ids, start=1)),
            )
            db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (SAMPLE_FACT, canonical(drawn)))

    def record_answer(self, candidate_id: str, annotator: str, question: str, answer: str) -> None:
        """Record one answer in the place of an earlier one to the same question."""
        self._replace("reviews", candidate_id, annotator, question, answer)


def sample_ids(db: sqlite3.Connection, run: Path) -> list[str]:
    """The candidates of the sample, in order. Raises `LedgerError` if none was drawn."""
    ids = [row[0] for row in db.execute("SELECT candidate_id FROM review_samples ORDER BY position")]
    if not ids:
        raise LedgerError(f"{run}: no sample yet: draw one with `perturb review {run} draw`")
    return ids


def answers_by(db: sqlite3.Connection, annotator: str) -> dict[str, dict[str, str]]:
    """What one annotator answered: candidate → question → answer."""
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
