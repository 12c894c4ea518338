"""The batch endpoints: `/v1/files`, `/v1/batches` and what lies under them, with batches that go as they are told."""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from .replay import Turns

Complete = Callable[[str, Turns], dict[str, Any]]
"""A model's completion of a conversation, as the body of a response."""


@dataclass(frozen=True)
class BatchPlan:
    """How one batch goes. Numbers of rows are taken from the front of its file, one kind after the other."""

    looks: int = 1
    """How often it is still in progress when it is looked at."""
    shuffled: bool = True
    missing: int = 0
    """Rows that stand in no file afterwards."""
    malformed: int = 0
    """Rows whose line of output is cut in half."""
    limited: int = 0
    """Rows with status 429 in the error file."""
    refused: int = 0
    """Rows with status 400 in the error file."""
    answered: int | None = None
    """The batch expires after so many answers."""
    failure: str = ""
    """The file does not pass validation, for this reason."""
    gone: bool = False
    """Nobody knows the batch when it is looked at."""
    create_seconds: float = 0.0
    """What the response to its making takes, once it is made."""


@dataclass
class MadeBatch:
    """A batch at the desk."""

    id: str
    plan: BatchPlan
    rows: list[dict[str, Any]]
    facts: dict[str, Any]
    looks: int = 0


@dataclass
class BatchDesk:
    """Files, batches, and counts of what was asked of them."""

    complete: Complete
    plans: Sequence[BatchPlan] = ()
    """Of the first batches, in order; later ones go well."""
    frozen: bool = False
    """As long as it is set, no batch ends."""
    statuses: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    """Errors still to be given by `upload`, `create`, `list`, `view` and `content`, before they work."""
    batches: list[MadeBatch] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    rows: Counter[str] = field(default_factory=Counter)
    """Rows of all batches, by custom id."""
    calls: Counter[str] = field(default_factory=Counter)
    """Requests by route."""
    keys: set[str] = field(default_factory=set)
    """What stood in the Authorization headers."""

    def add_routes(self, app: web.Application) -> None:
        """Serve the endpoints."""
        for method, path, name, do in (
            ("POST", "/v1/files", "upload", self._upload),
            ("GET", "/v1/files/{id}/content", "content", self._content),
            ("POST", "/v1/batches", "create", self._create),
            ("GET", "/v1/batches", "list", self._list),
            ("GET", "/v1/batches/{id}", "view", self._view),
            ("POST", "/v1/batches/{id}/cancel", "cancel", self._cancel),
        ):
            app.router.add_route(method, path, self._counted(name, do))

    def _counted(self, name: str, do: Callable[[web.Request], Any]) -> Callable[[web.Request], Any]:
        async def handle(request: web.Request) -> web.StreamResponse:
            self.calls[name] += 1
            self.keys.add(request.headers.get("Authorization", ""))
            if self.statuses[name]:
                status = self.statuses[name].pop(0)
                said = f"No. (you sent: {request.headers.get('Authorization')})"
                headers = {
                    "Retry-After": "0.01",
                    "Location": request.path,
                }  # heeded with a status of 3xx alone
                return web.json_response({"error": {"message": said}}, status=status, headers=headers)
            answer: web.StreamResponse = await do(request)
            return answer

        return handle

    async def _upload(self, request: web.Request) -> web.StreamResponse:
        form = await request.post()
        sent: Any = form["file"]
        content = sent.file.read()
        file_id = f"file-{len(self.files)}"
        self.files[file_id] = content
        facts = {"id": file_id, "object": "file", "bytes": len(content), "created_at": 1_700_000_000}
        return web.json_response(
            {**facts, "filename": sent.filename, "purpose": form["purpose"], "status": "processed"}
        )

    async def _content(self, request: web.Request) -> web.StreamResponse:
        content = self.files.get(request.match_info["id"])
        return web.Response(body=content) if content is not None else _not_found()

    async def _create(self, request: web.Request) -> web.StreamResponse:
        asked = await request.json()
        number = len(self.batches)
        plan = self.plans[number] if number < len(self.plans) else BatchPlan()
        rows = [json.loads(line) for line in self.files[asked["input_file_id"]].splitlines()]
        assert len({row["custom_id"] for row in rows}) == len(rows), "a custom id appears twice"
        batch = MadeBatch(f"batch_{number}", plan, rows, {**asked, "status": "validating"})
        self.batches.append(batch)
        self.rows.update(row["custom_id"] for row in rows)
        await asyncio.sleep(plan.create_seconds)
        return web.json_response(_facts(batch))

    async def _list(self, request: web.Request) -> web.StreamResponse:
        newest = self.batches[::-1]
        after = request.query.get("after")
        start = next((n + 1 for n, one in enumerate(newest) if one.id == after), 0)
        page = newest[start : start + 2]
        more = start + 2 < len(newest)
        return web.json_response({"object": "list", "data": [_facts(one) for one in page], "has_more": more})

    async def _view(self, request: web.Request) -> web.StreamResponse:
        batch = self._found(request)
        if batch is None or batch.plan.gone:
            return _not_found()
        if batch.facts["status"] in ("validating", "in_progress") and not self.frozen:
            batch.looks += 1
            if batch.looks > batch.plan.looks:
                self._end(batch)
            else:
                batch.facts["status"] = "in_progress"
        return web.json_response(_facts(batch))

    async def _cancel(self, request: web.Request) -> web.StreamResponse:
        batch = self._found(request)
        if batch is None:
            return _not_found()
        batch.facts["status"] = "cancelled"
        return web.json_response(_facts(batch))

    def _found(self, request: web.Request) -> MadeBatch | None:
        return next((batch for batch in self.batches if batch.id == request.match_info["id"]), None)

    def _end(self, batch: MadeBatch) -> None:
        """Answer the rows and write the files."""
        plan = batch.plan
        if plan.failure:
            problem = {"code": "invalid", "message": plan.failure, "line": 1, "param": None}
            batch.facts |= {"status": "failed", "errors": {"object": "list", "data": [problem]}}
            return
        rows = iter(batch.rows[plan.missing :])
        answers = [_cut(self._answer(next(rows))) for _ in range(plan.malformed)]
        errors = [_error(next(rows), 429, "rate_limit_exceeded") for _ in range(plan.limited)]
        errors += [_error(next(rows), 400, "invalid_request_error") for _ in range(plan.refused)]
        rest = list(rows)
        answered = len(rest) if plan.answered is None else plan.answered
        answers += [json.dumps(self._answer(row)) for row in rest[:answered]]
        errors += [_error(row, None, "batch_expired") for row in rest[answered:]]
        if plan.shuffled:
            random.Random(batch.id).shuffle(answers)
        batch.facts["status"] = "completed" if plan.answered is None else "expired"
        for kind, lines in (("output_file_id", answers), ("error_file_id", errors)):
            if lines:
                batch.facts[kind] = f"{kind}-{batch.id}"
                self.files[batch.facts[kind]] = "\n".join(lines).encode() + b"\n"

    def _answer(self, row: dict[str, Any]) -> dict[str, Any]:
        body = self.complete(row["body"]["model"], row["body"]["messages"])
        response = {"status_code": 200, "request_id": "r", "body": body}
        return {"id": "x", "custom_id": row["custom_id"], "response": response, "error": None}


def _facts(batch: MadeBatch) -> dict[str, Any]:
    return {"id": batch.id, "object": "batch", "created_at": 1_700_000_000, **batch.facts}


def _cut(answer: dict[str, Any]) -> str:
    line = json.dumps(answer)
    return line[: len(line) // 2]


def _error(row: dict[str, Any], status: int | None, code: str) -> str:
    """A line of the error file; without a status the row was never tried."""
    error = {"code": code, "message": f"It is {code}."}
    response = None if status is None else {"status_code": status, "body": {"error": error}}
    return json.dumps(
        {"custom_id": row["custom_id"], "response": response, "error": None if status else error}
    )


def _not_found() -> web.Response:
    return web.json_response({"error": {"message": "There is no such thing."}}, status=404)
