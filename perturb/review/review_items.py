"""What an annotator gets to see of a candidate: goal, lever, original and result, and nothing of the votes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from perturb.catalogue import Catalogue
from perturb.changes import MarkedPassage, Piece, mark_change, mark_passages
from perturb.records import BaseInstance, Candidate
from perturb.review.judged_replies import JudgedReply, read_judged_replies
from perturb.review.rubric import QUESTIONS, RubricQuestion, human_verdict
from perturb.store import queries
from perturb.store.evaluations import holds_items
from perturb.store.plans import current_plan
from perturb.store.reviews import sample_ids

_HEADINGS = {
    "goal": "Goal",
    "expected_behavior": "Expected behaviour",
    "lever": "Lever",
    "lever_instruction": "What the lever asks for",
    "original_query": "Original question",
    "original_context": "Original context",
    "original_answers": "Accepted answers",
    "perturbed_query": "Resulting question",
    "perturbed_context": "Resulting context",
    "change": "The change: [-out-] {+in+}",
}


@dataclass(frozen=True)
class CandidateItem:
    """One candidate of the sample."""

    page: ClassVar[str] = "review/candidate.html.j2"
    id_column: ClassVar[str] = "candidate_id"
    focus: ClassVar[str] = "perturbed_query"
    grouped_by: ClassVar[tuple[str, ...]] = ("perturbation_class", "intensity")
    guidelines: ClassVar[str] = "An item passes if all five questions are answered with yes."
    questions: ClassVar[tuple[RubricQuestion, ...]] = QUESTIONS
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

    @property
    def id(self) -> str:
        """That of the candidate."""
        return self.candidate.id

    @property
    def label(self) -> str:
        """What an overview calls it."""
        return str(self.candidate.cell)

    @property
    def headings(self) -> Mapping[str, str]:
        """The columns of `values` that other tools show, with their headings."""
        return _HEADINGS

    @property
    def values(self) -> dict[str, str]:
        """The item as text, by the names of a sheet's columns."""
        candidate, instance = self.candidate, self.instance
        return {
            "item": str(self.position),
            self.id_column: candidate.id,
            "perturbation_class": str(candidate.cell.perturbation_class),
            "intensity": str(candidate.cell.intensity),
            "goal": self.criterion,
            "expected_behavior": candidate.expected_behavior,
            "lever": candidate.lever,
            "lever_instruction": self.lever_instruction,
            "original_query": instance.query,
            "original_context": instance.context,
            "original_answers": " | ".join(instance.answers),
            "perturbed_query": candidate.query,
            "perturbed_context": candidate.context,
            "change": self._change,
        }

    @property
    def _change(self) -> str:
        parts = [f"Question: {_marked(self.query)}"]
        parts += [f"[{one.number}] {_marked(one.pieces)}" for one in self.passages if one.changed]
        return "\n\n".join(parts)

    def verdict(self, answers: Mapping[str, str]) -> str:
        """What finished answers come to, in a word."""
        return "pass" if human_verdict(answers) else "fail"


ReviewItem = CandidateItem | JudgedReply


def load_items(db: sqlite3.Connection, run: Path) -> tuple[ReviewItem, ...]:
    """What was drawn from a run, in order: candidates of a build, or judged replies of an evaluation.

    Raises `LedgerError` if nothing was drawn.
    """
    if holds_items(db):
        return read_judged_replies(db, run)
    ids, catalogue = sample_ids(db, run), current_plan(db, run).load_catalogue()
    return tuple(_item(db, catalogue, position, one) for position, one in enumerate(ids, start=1))


def _marked(pieces: Iterable[Piece]) -> str:
    forms = {"same": "{}", "out": "[-{}-]", "in": "{{+{}+}}"}
    return "".join(forms[piece.kind].format(piece.text) for piece in pieces)


def _item(db: sqlite3.Connection, catalogue: Catalogue, position: int, candidate_id: str) -> CandidateItem:
    candidate = queries.candidate(db, candidate_id)
    lever = catalogue.find(candidate.lever)
    entry = catalogue.classes[candidate.cell.perturbation_class]
    return CandidateItem(
        position=position,
        instance=queries.instance_of(db, candidate_id),
        candidate=candidate,
        criterion=entry.criteria[candidate.cell.intensity],
        lever_instruction=lever.instruction if lever else "",
    )
