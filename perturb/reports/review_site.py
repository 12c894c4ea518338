"""The local server of the review page.

A page shows one item, without votes, which would influence people. Each annotator has an address with a token.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from http import HTTPStatus
from pathlib import Path
from typing import Any

from perturb.auditing.review_items import ReviewItem, load_items
from perturb.auditing.rubric import COMMENT, MAX_COMMENT, check_names, is_finished
from perturb.ledger.evaluations import ReviewLedger, answers_by
from perturb.reports.local_server import (
    LocalServer,
    Refused,
    Reply,
    Request,
    asset_reply,
    json_reply,
    nothing_here,
    page_reply,
    redirect,
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
        if request.read_json is None:
            return self._get(request)
        return self._post(request.path, request.read_json)

    def _get(self, request: Request) -> Reply:
        path, token = request.path, request.token
        if path == "":
            item = self.unfinished(request.number("after"))
            return redirect(f"/{token}/" + (f"item/{item.position}" if item else "overview"))
        if reply := asset_reply(path, _ASSETS):
            return reply
        if path == "overview":
            items = [(item, self.state(item)) for item in self.items]
            return self._page("overview.html.j2", token, items=items)
        if path.startswith("answers/"):
            return json_reply({"answers": self.answers(self._item(path, "answers"))})
        item = self._item(path, "item")
        return self._page("item.html.j2", token, item=item, answers=self.answers(item))

    def _post(self, path: str, read_json: Callable[[], Any]) -> Reply:
        item = self._item(path, "answers")
        self.give(item, *_read_answer(read_json(), item))
        return json_reply({"done": self.done})

    def _item(self, path: str, kind: str) -> ReviewItem:
        match = re.fullmatch(rf"{kind}/([1-9][0-9]{{0,8}})", path)
        if match is None or int(match[1]) > len(self.items):
            raise nothing_here()
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
            self._open_ledger = opened.pop_all()

    def __exit__(self, *exc_info: object) -> None:
        super().__exit__(*exc_info)
        self._open_ledger.close()


def _read_answer(content: Any, item: ReviewItem) -> tuple[str, str]:
    """The name of the question and the answer in posted JSON. Raises `Refused` for anything else."""
    try:
        question, answer = content["question"], content["answer"]
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
