"""The review page: one item at a time on the loopback address, for each annotator under a secret link."""

from __future__ import annotations

import json
import re
import secrets
import sys
import threading
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

from perturb.digests import canonical
from perturb.errors import ConfigError, LedgerError
from perturb.review.review_items import ReviewItem, load_items
from perturb.review.rubric import (
    COMMENT,
    MAX_COMMENT,
    NO,
    QUESTION_NAMES,
    QUESTIONS,
    YES,
    check_names,
    human_verdict,
)
from perturb.store.plans import current_plan
from perturb.store.reviews import ReviewLedger, answers_by
from perturb.templating import asset, html_environment

HOST = "127.0.0.1"
MAX_BODY = 64_000
_ASSETS = {
    "base.css": ("report/base.css", "text/css"),
    "review.css": ("review/review.css", "text/css"),
    "review.js": ("review/review.js", "text/javascript"),
}
_HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:;"
        " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
}


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
            return dict(self._answers.get(item.candidate.id, {}))

    def give(self, item: ReviewItem, question: str, answer: str) -> None:
        """Keep one answer; returns when it is on disk. Raises `LedgerError` if it cannot be."""
        with self._lock:
            self._ledger.record_answer(item.candidate.id, self.annotator, question, answer)
            self._ledger.flush()
            self._answers.setdefault(item.candidate.id, {})[question] = answer

    @property
    def done(self) -> int:
        """Items with all five answers."""
        return sum(human_verdict(self.answers(item)) is not None for item in self.items)

    def unfinished(self, after: int = 0) -> ReviewItem | None:
        """The first unfinished item behind the position `after`, else the first of all; None if all is done."""
        ring = [*self.items[after:], *self.items[:after]]
        return next((item for item in ring if human_verdict(self.answers(item)) is None), None)

    def state(self, item: ReviewItem) -> str:
        """Where an item stands, in words."""
        verdict = human_verdict(self.answers(item))
        if verdict is None:
            return "begun" if self.answers(item) else "open"
        return "PASS" if verdict else "FAIL"


class ReviewServer:
    """Serves the sample of a run until it is closed; a context manager.

    `links` holds each annotator's address. Raises `LedgerError` if the run has no sample or is being worked on,
    `ConfigError` if a name or the port cannot be used.
    """

    def __init__(self, run: Path, annotators: Sequence[str], port: int = 0) -> None:
        check_names(annotators)
        self._ledger = ReviewLedger.of_run(run)
        try:
            items = load_items(self._ledger.db, current_plan(self._ledger.db, run), run)
            desks = {
                secrets.token_urlsafe(18): ReviewSession(self._ledger, items, name) for name in annotators
            }
            self._http = _Http(desks, port)
        except BaseException as exc:
            self._ledger.__exit__(type(exc), exc, None)
            raise
        self.desks = tuple(desks.values())
        self.links = {
            desk.annotator: f"http://{HOST}:{self._http.server_port}/{token}/"
            for token, desk in desks.items()
        }
        self._thread = threading.Thread(target=self._http.serve_forever, name="review", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()
        self._ledger.__exit__(None, None, None)

    def wait(self) -> None:
        """Return when the server stops; a keyboard interrupt passes through."""
        while self._thread.is_alive():
            self._thread.join(timeout=1)


class _Http(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, desks: Mapping[str, ReviewSession], port: int) -> None:
        self.desks = desks
        try:
            super().__init__((HOST, port), _Handler)
        except (OSError, OverflowError) as exc:
            raise ConfigError(f"port {port} cannot be used ({exc}): choose another with --port") from None

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):  # a browser that went away
            super().handle_error(request, client_address)


class _Refused(Exception):
    """A request that is answered with an error page."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status


class _Handler(BaseHTTPRequestHandler):
    """Answers one request. The path is `/TOKEN/what`; a wrong token learns nothing else."""

    server: _Http
    server_version = "perturb"
    sys_version = ""
    timeout = 30

    def do_GET(self) -> None:
        self._answer(self._get)

    def do_POST(self) -> None:
        self._answer(self._post)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is the base class's
        """Requests are not logged: their paths hold the token."""

    def _answer(self, method: Any) -> None:
        try:
            method(*self._open())
        except _Refused as exc:
            if self.command == "POST":
                self._send_json({"error": str(exc)}, exc.status)
            else:
                self._send_page("refused.html.j2", exc.status, title=exc.status.phrase, message=str(exc))
        except LedgerError as exc:
            self._send_json({"error": str(exc)}, HTTPStatus.INSUFFICIENT_STORAGE)

    def _open(self) -> tuple[str, ReviewSession, str, str]:
        """Check host and token; return token, desk, the rest of the path and the query."""
        if (self.headers.get("Host") or "").rpartition(":")[0] not in (HOST, "localhost"):
            raise _Refused(HTTPStatus.FORBIDDEN, "This page is served to this machine only.")
        try:
            parts = urlsplit(self.path)
        except ValueError:
            raise _Refused(HTTPStatus.BAD_REQUEST, "This is not an address.") from None
        given, _, rest = parts.path.removeprefix("/").partition("/")
        for token, desk in self.server.desks.items():
            if secrets.compare_digest(given.encode(), token.encode()):
                return token, desk, rest, parts.query
        raise _Refused(
            HTTPStatus.FORBIDDEN,
            "This link is not valid, or no longer: use the one printed when the review was started.",
        )

    def _get(self, token: str, desk: ReviewSession, rest: str, query: str) -> None:
        if rest == "":
            item = desk.unfinished(_number(parse_qs(query).get("after", ["0"])[0], len(desk.items)))
            self._redirect(f"/{token}/" + (f"item/{item.position}" if item else "overview"))
        elif rest in _ASSETS:
            name, kind = _ASSETS[rest]
            self._send(asset(name), f"{kind}; charset=utf-8")
        elif rest == "overview":
            items = [(item, desk.state(item)) for item in desk.items]
            self._send_desk("overview.html.j2", token, desk, items=items)
        elif rest.startswith("answers/"):
            self._send_json({"answers": desk.answers(_item(desk, rest))})
        else:
            item = _item(desk, rest, "item")
            self._send_desk(
                "item.html.j2", token, desk, item=item, answers=desk.answers(item), questions=QUESTIONS
            )

    def _post(self, _token: str, desk: ReviewSession, rest: str, _query: str) -> None:
        item = _item(desk, rest)
        question, answer = self._read_answer()
        desk.give(item, question, answer)
        self._send_json({"done": desk.done})

    def _read_answer(self) -> tuple[str, str]:
        if self.headers.get_content_type() != "application/json":
            raise _Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "send JSON")
        length = self.headers.get("Content-Length") or ""
        if not re.fullmatch("[0-9]{1,9}", length) or int(length) > MAX_BODY:
            raise _Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"send at most {MAX_BODY} bytes")
        try:
            content = json.loads(self.rfile.read(int(length)))
            question, answer = content["question"], content["answer"]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise _Refused(HTTPStatus.BAD_REQUEST, "send an object with question and answer") from None
        if question in QUESTION_NAMES and answer in (YES, NO):
            return question, answer
        if question == COMMENT and isinstance(answer, str) and len(answer) <= MAX_COMMENT:
            return question, answer.encode("utf-8", "replace").decode()
        raise _Refused(
            HTTPStatus.BAD_REQUEST, "answer one of the five questions with yes or no, or send a comment"
        )

    def _send_desk(self, template: str, token: str, desk: ReviewSession, **values: Any) -> None:
        values |= {"token": token, "annotator": desk.annotator, "done": desk.done, "total": len(desk.items)}
        self._send_page(template, HTTPStatus.OK, **values)

    def _send_page(self, template: str, status: HTTPStatus = HTTPStatus.OK, **values: Any) -> None:
        page = html_environment().get_template(f"review/{template}").render(**values)
        self._send(page, "text/html; charset=utf-8", status)

    def _send_json(self, content: Any, status: HTTPStatus = HTTPStatus.OK) -> None:
        self._send(canonical(content), "application/json", status)

    def _send(self, text: str, kind: str, status: HTTPStatus = HTTPStatus.OK) -> None:
        body = text.encode("utf-8", "replace")
        self.send_response(status)
        for name, value in {**_HEADERS, "Content-Type": kind, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _redirect(self, path: str) -> None:
        self.send_response(HTTPStatus.FOUND)
        for name, value in {**_HEADERS, "Location": path, "Content-Length": "0"}.items():
            self.send_header(name, value)
        self.end_headers()


def _item(desk: ReviewSession, rest: str, kind: str = "answers") -> ReviewItem:
    match = re.fullmatch(rf"{kind}/([1-9][0-9]{{0,8}})", rest)
    if match is None or int(match[1]) > len(desk.items):
        raise _Refused(HTTPStatus.NOT_FOUND, "There is nothing here.")
    return desk.items[int(match[1]) - 1]


def _number(text: str, at_most: int) -> int:
    return min(int(text), at_most) if text.isascii() and text.isdigit() and len(text) < 10 else 0
