"""The items of a review, and the local server of the review page.

A page shows an item: goal, lever, original and result, but no votes, which would influence people. Each annotator has
an address with a token.
"""

from __future__ import annotations

import re
import sqlite3
import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from http import HTTPStatus
from pathlib import Path
from typing import Any, ClassVar

from perturb.auditing.judged_replies import JudgedReply, read_judged_replies
from perturb.auditing.rubric import (
    COMMENT,
    MAX_COMMENT,
    QUESTIONS,
    RubricQuestion,
    check_names,
    human_verdict,
    is_finished,
)
from perturb.catalogue.levers import Catalogue
from perturb.ledger import queries
from perturb.ledger.evaluations import ReviewLedger, answers_by, holds_items, sample_ids
from perturb.ledger.plans import current_plan
from perturb.records import BaseInstance, Candidate, JsonObject
from perturb.runtime.local_server import (
    NOTHING_HERE,
    LocalServer,
    Refused,
    Reply,
    Request,
    asset_reply,
    json_reply,
    page_reply,
    redirect,
)
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
        """Question and context with their changes marked, as the page shows them."""
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
            "change": self._change,
        }

    @property
    def _change(self) -> str:
        """The question and every changed passage, with their changes in brackets."""
        passages = mark_passages(self.instance.passages, self.candidate.passages)
        texts = [f"Question: {_marked(self.change['query'])}"]
        texts += [f"[{passage.number}] {_marked(passage.pieces)}" for passage in passages if passage.changed]
        return "\n\n".join(texts)

    def verdict(self, answers: Mapping[str, str]) -> str:
        """The verdict of finished answers: `pass` or `fail`."""
        return "pass" if human_verdict(answers) else "fail"


# Pages, sheets and exports use the attributes that both have, such as `questions`, `headings` and `values`.
ReviewItem = CandidateItem | JudgedReply


def load_items(db: sqlite3.Connection, run: Path) -> tuple[ReviewItem, ...]:
    """The sample of a run, in order: candidates of a build, or judged replies of an evaluation.

    Raises `LedgerError` if nothing was drawn.
    """
    if holds_items(db):
        return read_judged_replies(db, run)
    ids, catalogue = sample_ids(db, run), current_plan(db, run).load_catalogue()
    return tuple(
        _item(db, catalogue, position, candidate_id) for position, candidate_id in enumerate(ids, start=1)
    )


def _marked(pieces: Iterable[Piece]) -> str:
    """A text with its changes as in `the [-old-]{+new+} word`."""
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
        definition=entry.summary,
        criterion=entry.criteria[candidate.cell.intensity],
        lever_instruction=lever.instruction if lever else "",
    )


# The styles and scripts of the page.
_ASSETS = ("report/base.css", "report/items.css", "report/items.js", "review/review.css", "review/review.js")


class ReviewSession:
    """The site of one annotator: the items, and only this annotator's answers."""

    def __init__(self, ledger: ReviewLedger, items: Sequence[ReviewItem], annotator: str) -> None:
        self.items = items
        self.annotator = annotator
        self._ledger = ledger
        self._answers = answers_by(ledger.db, annotator)
        # a browser sends several requests at a time, each of which has a thread
        self._lock = threading.Lock()

    def answers(self, item: ReviewItem) -> dict[str, str]:
        """The answers about an item so far, by question."""
        with self._lock:
            return dict(self._answers.get(item.id, {}))

    def give(self, item: ReviewItem, question: str, answer: str) -> None:
        """Store one answer; it is on disk when this returns. Raises `LedgerError` if that fails."""
        with self._lock:
            self._ledger.record_answer(item.id, self.annotator, question, answer)
            self._ledger.flush()
            self._answers.setdefault(item.id, {})[question] = answer

    def is_done(self, item: ReviewItem) -> bool:
        """Whether every question about an item is answered."""
        return is_finished(item.questions, self.answers(item))

    @property
    def done(self) -> int:
        """The number of items with all their answers."""
        return sum(map(self.is_done, self.items))

    def unfinished(self, after: int = 0) -> ReviewItem | None:
        """The next unfinished item after a position, from the start again after the last; None if all are finished."""
        in_order = [*self.items[after:], *self.items[:after]]
        return next((item for item in in_order if not self.is_done(item)), None)

    def state(self, item: ReviewItem) -> str:
        """The state of an item: its verdict if it is finished, or else `begun` or `open`."""
        if self.is_done(item):
            return item.verdict(self.answers(item))
        return "begun" if self.answers(item) else "open"

    def __call__(self, request: Request) -> Reply:
        """Reply to a request of this annotator's browser."""
        return self._get(request) if request.read_json is None else self._post(request)

    def _get(self, request: Request) -> Reply:
        path, token = request.path, request.token
        if path == "":
            item = self.unfinished(_position(request.query.get("after", "0"), len(self.items)))
            return redirect(f"/{token}/" + (f"item/{item.position}" if item else "overview"))
        for name in _ASSETS:
            if name.endswith(f"/{path}"):
                return asset_reply(name)
        if path == "overview":
            items = [(item, self.state(item)) for item in self.items]
            return self._page("overview.html.j2", token, items=items)
        if path.startswith("answers/"):
            return json_reply({"answers": self.answers(self._item(path, "answers"))})
        item = self._item(path, "item")
        return self._page("item.html.j2", token, item=item, answers=self.answers(item))

    def _post(self, request: Request) -> Reply:
        item = self._item(request.path, "answers")
        self.give(item, *_read_answer(request, item))
        return json_reply({"done": self.done})

    def _item(self, path: str, kind: str) -> ReviewItem:
        match = re.fullmatch(rf"{kind}/([1-9][0-9]{{0,8}})", path)
        if match is None or int(match[1]) > len(self.items):
            raise NOTHING_HERE()
        return self.items[int(match[1]) - 1]

    def _page(self, template: str, token: str, **values: Any) -> Reply:
        values |= {"token": token, "annotator": self.annotator, "done": self.done, "total": len(self.items)}
        return page_reply(f"review/{template}", **values)


class ReviewServer(LocalServer):
    """Serves the sample of a run to all annotators until it is closed; a context manager.

    `invitations[name]` is the address that an annotator opens; it has the annotator's token.

    Raises `LedgerError` if the run has no sample or is being worked on, `ConfigError` if a name or the port cannot be
    used.
    """

    def __init__(self, run: Path, annotators: Sequence[str], port: int = 0) -> None:
        check_names(annotators)
        # the ledger is closed if anything below fails, and stays open with the server otherwise
        with ExitStack() as opened:
            ledger = opened.enter_context(ReviewLedger.of_run(run))
            items = load_items(ledger.db, run)
            self.sessions = tuple(ReviewSession(ledger, items, name) for name in annotators)
            super().__init__({session.annotator: session for session in self.sessions}, port)
            self.invitations = {name: f"{self.address}?token={self.tokens[name]}" for name in annotators}
            self._ledger = opened.pop_all()

    def __exit__(self, *exc_info: object) -> None:
        super().__exit__(*exc_info)
        self._ledger.close()


def _read_answer(request: Request, item: ReviewItem) -> tuple[str, str]:
    """The name of the question and the answer in a request. Raises `Refused` for anything else."""
    content = request.read_json() if request.read_json else None
    try:
        question, answer = content["question"], content["answer"]  # type: ignore[index]
    except (KeyError, TypeError):
        raise Refused(HTTPStatus.BAD_REQUEST, "send an object with question and answer") from None
    if any(question == candidate.name and answer in candidate.choices for candidate in item.questions):
        return question, answer
    if question == COMMENT and isinstance(answer, str) and len(answer) <= MAX_COMMENT:
        # a browser can send half of a surrogate pair, which SQLite cannot store
        return question, answer.encode("utf-8", "replace").decode()
    raise Refused(
        HTTPStatus.BAD_REQUEST,
        "answer one of the item's questions with one of its choices, or send a comment",
    )


def _position(text: str, largest: int) -> int:
    """The position in the query of a request, at most `largest`; 0 if the text is not a number."""
    is_number = text.isascii() and text.isdigit() and len(text) < 10
    return min(int(text), largest) if is_number else 0
