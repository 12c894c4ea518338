"""The review page: one item at a time on the loopback address, for each annotator under a secret link."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from contextlib import ExitStack
from http import HTTPStatus
from pathlib import Path
from typing import Any

from perturb.local_server import (
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
from perturb.review.review_items import ReviewItem, load_items
from perturb.review.rubric import COMMENT, MAX_COMMENT, check_names, is_finished
from perturb.store.reviews import ReviewLedger, answers_by

_ASSETS = ("report/base.css", "review/review.css", "review/review.js")


class ReviewSession:
    """One annotator's work: the items and this annotator's answers to them, nobody else's."""

    def __init__(self, ledger: ReviewLedger, items: Sequence[ReviewItem], annotator: str) -> None:
        self.items = items
        self.annotator = annotator
        self._ledger = ledger
        self._answers = answers_by(ledger.db, annotator)
        self._lock = threading.Lock()

    def answers(self, item: ReviewItem) -> dict[str, str]:
        """What was answered about an item so far."""
        with self._lock:
            return dict(self._answers.get(item.id, {}))

    def give(self, item: ReviewItem, question: str, answer: str) -> None:
        """Keep one answer; returns when it is on disk. Raises `LedgerError` if it cannot be."""
        with self._lock:
            self._ledger.record_answer(item.id, self.annotator, question, answer)
            self._ledger.flush()
            self._answers.setdefault(item.id, {})[question] = answer

    def is_done(self, item: ReviewItem) -> bool:
        """Whether every question about an item is answered."""
        return is_finished(item.questions, self.answers(item))

    @property
    def done(self) -> int:
        """Items with all their answers."""
        return sum(map(self.is_done, self.items))

    def unfinished(self, after: int = 0) -> ReviewItem | None:
        """The first unfinished item behind the position `after`, else the first of all; None if all is done."""
        ring = [*self.items[after:], *self.items[:after]]
        return next((item for item in ring if not self.is_done(item)), None)

    def state(self, item: ReviewItem) -> str:
        """Where an item stands, in words."""
        if self.is_done(item):
            return item.verdict(self.answers(item))
        return "begun" if self.answers(item) else "open"

    def __call__(self, request: Request) -> Reply:
        """Answer this annotator's browser."""
        return self._get(request) if request.read_json is None else self._post(request)

    def _get(self, request: Request) -> Reply:
        path, token = request.path, request.token
        if path == "":
            item = self.unfinished(_number(request.query.get("after", "0"), len(self.items)))
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
    """Serves the sample of a run until it is closed; a context manager.

    Raises `LedgerError` if the run has no sample or is being worked on, `ConfigError` if a name or the port cannot be
    used.
    """

    def __init__(self, run: Path, annotators: Sequence[str], port: int = 0) -> None:
        check_names(annotators)
        with ExitStack() as opened:
            ledger = opened.enter_context(ReviewLedger.of_run(run))
            items = load_items(ledger.db, run)
            self.desks = tuple(ReviewSession(ledger, items, name) for name in annotators)
            super().__init__({desk.annotator: desk for desk in self.desks}, port)
            self._ledger = opened.pop_all()

    def __exit__(self, *exc_info: object) -> None:
        super().__exit__(*exc_info)
        self._ledger.close()


def _read_answer(request: Request, item: ReviewItem) -> tuple[str, str]:
    content = request.read_json() if request.read_json else None
    try:
        question, answer = content["question"], content["answer"]  # type: ignore[index]
    except (KeyError, TypeError):
        raise Refused(HTTPStatus.BAD_REQUEST, "send an object with question and answer") from None
    if any(question == one.name and answer in one.choices for one in item.questions):
        return question, answer
    if question == COMMENT and isinstance(answer, str) and len(answer) <= MAX_COMMENT:
        return question, answer.encode("utf-8", "replace").decode()
    raise Refused(
        HTTPStatus.BAD_REQUEST,
        "answer one of the item's questions with one of its choices, or send a comment",
    )


def _number(text: str, at_most: int) -> int:
    return min(int(text), at_most) if text.isascii() and text.isdigit() and len(text) < 10 else 0
