"""The items of a review as people see them: candidates with goal, lever, original and result, or judged replies.

The votes of verifiers and judges are not shown, since they would influence people.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from perturb.auditing.judged_replies import JudgedReply, read_judged_replies
from perturb.auditing.rubric import QUESTIONS, RubricQuestion, human_verdict
from perturb.ledger import queries
from perturb.ledger.evaluations import holds_items, sample_ids
from perturb.ledger.plans import current_plan
from perturb.records import BaseInstance, Candidate, JsonObject
from perturb.text.passages import Piece, describe_change, mark_passages

# Columns of `CandidateItem.values` → their headings in other tools.
_HEADINGS = {
    "class_definition": "Class",
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
    """A candidate of the sample, with everything that annotators see of it."""

    # What differs between the kinds of review item, for pages and sheets.
    page: ClassVar[str] = "review/candidate.html.j2"
    id_column: ClassVar[str] = "candidate_id"
    focus: ClassVar[str] = "perturbed_query"
    grouped_by: ClassVar[tuple[str, ...]] = ("perturbation_class", "intensity")
    guidelines: ClassVar[str] = "An item passes if all five questions are answered with yes."
    questions: ClassVar[tuple[RubricQuestion, ...]] = QUESTIONS

    position: int
    """The place in the order of review, from 1."""
    instance: BaseInstance
    candidate: Candidate
    definition: str
    """The definition of the candidate's class in the catalogue of the run."""
    criterion: str
    """The intensity criterion of the candidate's cell."""
    lever_instruction: str
    """Empty if the catalogue no longer has the lever."""

    @cached_property
    def change(self) -> JsonObject:
        """Question and context in pieces, with their changes marked. The page shows them in colours."""
        return describe_change(self.instance, self.candidate, in_full=True)

    @property
    def id(self) -> str:
        """The id of the candidate."""
        return self.candidate.id

    @property
    def label(self) -> str:
        """The label of the item in an overview."""
        return str(self.candidate.cell)

    @property
    def headings(self) -> Mapping[str, str]:
        """Columns of `values` that other tools show → their headings."""
        return _HEADINGS

    @property
    def values(self) -> dict[str, str]:
        """One row of a sheet: the item as texts by column."""
        candidate, instance = self.candidate, self.instance
        return {
            "item": str(self.position),
            self.id_column: candidate.id,
            "perturbation_class": str(candidate.cell.perturbation_class),
            "intensity": str(candidate.cell.intensity),
            "class_definition": self.definition,
            "goal": self.criterion,
            "expected_behavior": candidate.expected_behavior,
            "lever": candidate.lever,
            "lever_instruction": self.lever_instruction,
            "original_query": instance.query,
            "original_context": instance.context,
            "original_answers": " | ".join(instance.answers),
            "perturbed_query": candidate.query,
            "perturbed_context": candidate.context,
            "change": self._change_as_text,
        }

    @property
    def _change_as_text(self) -> str:
        """The question and every changed passage, with their changes in brackets."""
        passages = mark_passages(self.instance.passages, self.candidate.passages)
        texts = [f"Question: {_marked(self.change['query'])}"]
        texts += [f"[{passage.number}] {_marked(passage.pieces)}" for passage in passages if passage.changed]
        return "\n\n".join(texts)

    def verdict(self, answers: Mapping[str, str]) -> str:
        """The verdict of finished answers: `pass` or `fail`."""
        return "pass" if human_verdict(answers) else "fail"


# Pages, sheets and exports use what both have: the class variables, `position`, `id`, `label`, `questions`, `headings`,
# `values` and `verdict`.
ReviewItem = CandidateItem | JudgedReply


def load_items(db: sqlite3.Connection, run: Path) -> tuple[ReviewItem, ...]:
    """The sample of a run, in order: candidates of a build, or judged replies of an evaluation.

    Raises `LedgerError` if nothing was drawn.
    """
    if holds_items(db):
        return read_judged_replies(db, run)
    ids = sample_ids(db, run)
    catalogue = current_plan(db, run).load_catalogue()
    items = []
    for position, candidate_id in enumerate(ids, start=1):
        candidate = queries.candidate(db, candidate_id)
        lever = catalogue.find(candidate.lever)
        class_entry = catalogue.classes[candidate.cell.perturbation_class]
        items.append(
            CandidateItem(
                position=position,
                instance=queries.instance_of(db, candidate_id),
                candidate=candidate,
                definition=class_entry.summary,
                criterion=class_entry.criteria[candidate.cell.intensity],
                lever_instruction=lever.instruction if lever else "",
            )
        )
    return tuple(items)


def _marked(pieces: Iterable[Piece]) -> str:
    """A text with its changes as in `the [-old-]{+new+} word`."""
    patterns = {"same": "{}", "out": "[-{}-]", "in": "{{+{}+}}"}
    return "".join(patterns[piece.kind].format(piece.text) for piece in pieces)
