"""What an annotator gets to see of an item: goal, lever, original and result, and nothing of the votes."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from perturb.catalogue import Catalogue
from perturb.changes import MarkedPassage, Piece, mark_change, mark_passages
from perturb.errors import LedgerError
from perturb.records import BaseInstance, Candidate
from perturb.store import queries
from perturb.store.plans import CurrentPlan
from perturb.store.reviews import sample_ids


@dataclass(frozen=True)
class ReviewItem:
    """One item of the sample."""

    position: int
    """From 1, in the order of review."""
    instance: BaseInstance
    candidate: Candidate
    criterion: str
    """The intensity criterion of its cell."""
    lever_instruction: str
    """Empty if the catalogue no longer has the lever."""

    @cached_property
    def query(self) -> tuple[Piece, ...]:
        """The question with its change marked."""
        return mark_change(self.instance.query, self.candidate.query)

    @cached_property
    def passages(self) -> tuple[MarkedPassage, ...]:
        """The context with its changes marked."""
        return mark_passages(self.instance.passages, self.candidate.passages)


def load_items(db: sqlite3.Connection, plan: CurrentPlan, run: Path) -> tuple[ReviewItem, ...]:
    """The items of the run's sample, in order.

    Raises `LedgerError` if none was drawn.
    """
    ids = sample_ids(db)
    if not ids:
        raise LedgerError(f"{run}: no sample yet: draw one with `perturb review {run} draw`")
    catalogue = plan.load_catalogue()
    return tuple(_item(db, catalogue, position, one) for position, one in enumerate(ids, start=1))


def _item(db: sqlite3.Connection, catalogue: Catalogue, position: int, candidate_id: str) -> ReviewItem:
    candidate = queries.candidate(db, candidate_id)
    lever = catalogue.find(candidate.lever)
    entry = catalogue.classes[candidate.cell.perturbation_class]
    return ReviewItem(
        position=position,
        instance=queries.instance_of(db, candidate_id),
        candidate=candidate,
        criterion=entry.criteria[candidate.cell.intensity],
        lever_instruction=lever.instruction if lever else "",
    )
