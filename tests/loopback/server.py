"""The server of chat completions, of a list of models and of batches, in a thread or in a process of its own.

with LoopbackServer(EchoPlayer()) as server:
    ...  # litellm with api_base=server.url
assert server.counters.requests["echo"] == 3
"""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from aiohttp import web

from perturb.files.resources import digest, fraction_of

from .batches import BatchDesk
from .faults import NO_FAULTS, Fault, Faults, spoil
from .replay import EchoPlayer, Player

_HANG_SECONDS = 3600.0


@dataclass
class Counters:
    """What the server has seen."""

    requests: Counter[str] = field(default_factory=Counter)
    """Requests by model, every attempt counted."""
    faults: Counter[Fault] = field(default_factory=Counter)
    bodies: Counter[str] = field(default_factory=Counter)
    """Requests by the digest of model and messages."""
    active: int = 0
    max_active: int = 0
    """The largest number of requests in flight at the same time."""
    last_request: dict[str, Any] = field(default_factory=dict)
    last_headers: dict[str, str] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """All requests."""
        return self.requests.total()

    @property
    def repeated(self) -> int:
        """Requests whose model and messages had been seen before."""
        return self.bodies.total() - len(self.bodies)


class LoopbackServer:
    """Serves a player; a context manager that runs it in a thread on a free port."""

    def __init__(
        self,
        player: Player | None = None,
        *,
        faults: Faults = NO_FAULTS,
        latency: tuple[float, float] = (0.0, 0.0),
        seed: int = 0,
        retry_after: float = 1,
        host: str = "127.0.0.1",
        port: int = 0,
    ) -> None:
        """`latency` is the range of seconds a reply takes, `retry_after` the hint of a 429 in seconds."""
        self.player: Player = player or EchoPlayer()
        self.faults = faults
        self.counters = Counters()
        self.batches = BatchDesk(self._complete_row)
        self._latency = latency
        self._seed = seed
        self._retry_after = retry_after
        self._host = host
        self._port = port
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._stop: asyncio.Event | None = None

    @property
    def url(self) -> str:
        """The `api_base` of the running server."""
        return f"http://{self._host}:{self._port}/v1"

    def __enter__(self) -> LoopbackServer:
        started = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self.serve(started)), daemon=True)
        self._thread.start()
        if not started.wait(timeout=30):
            raise RuntimeError("the loopback server did not start")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._loop is None or self._stop is None or self._thread is None:
            return
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(timeout=30)

    async def serve(self, started: threading.Event | None = None) -> None:
        """Serve until stopped; sets `started` once the port is known."""
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        runner = web.AppRunner(self.app(), handler_cancellation=True, shutdown_timeout=0.1, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, self._host, self._port, backlog=2048)
        await site.start()
        self._port = runner.addresses[0][1]
        if started:
            started.set()
        try:
            await self._stop.wait()
        finally:
            await runner.cleanup()

    def app(self) -> web.Application:
        """All routes."""
        app = web.Application(client_max_size=256 * 2**20)
        app.router.add_post("/v1/chat/completions", self._complete)
        app.router.add_get("/v1/models", self._models)
        self.batches.add_routes(app)
        return app

    async def _models(self, request: web.Request) -> web.Response:
        seen = [{"id": name, "object": "model"} for name in self.counters.requests]
        return web.json_response({"object": "list", "data": seen})

    def _complete_row(self, model: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
        """The completion of a batch's row; faults of single calls do not touch it."""
        self.counters.bodies[digest(model, messages)] += 1
        return _completion(model, messages, self.player.play(model, messages), None)

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        model, messages = str(body["model"]), body["messages"]
        content = digest(model, messages)
        counters = self.counters
        attempt = counters.bodies[content]
        counters.bodies[content] += 1
        counters.requests[model] += 1
        counters.last_request = body
        counters.last_headers = dict(request.headers)
        counters.active += 1
        counters.max_active = max(counters.max_active, counters.active)
        try:
            return await self._answer(request, model, messages, content, attempt)
        finally:
            counters.active -= 1

    async def _answer(
        self, request: web.Request, model: str, messages: list[dict[str, Any]], content: str, attempt: int
    ) -> web.StreamResponse:
        low, high = self._latency
        if high > 0:
            await asyncio.sleep(low + (high - low) * fraction_of("latency", self._seed, content, attempt))
        fault = self.faults.pick(model, content, attempt)
        if fault:
            self.counters.faults[fault] += 1
            failure = await self._fail(request, fault)
            if failure is not None:
                return failure
        played = self.player.play(model, messages)
        text = spoil(fault, played) if fault else played
        return web.json_response(_completion(model, messages, text, fault))

    async def _fail(self, request: web.Request, fault: Fault) -> web.StreamResponse | None:
        """The response of a fault that fails the call, None for one that spoils the reply."""
        if fault is Fault.HANG:
            await asyncio.sleep(_HANG_SECONDS)
        if fault is Fault.DROP and request.transport is not None:
            request.transport.abort()
            return web.Response()
        if fault is Fault.HTML:
            return web.Response(text="<html><body>Bad gateway</body></html>", content_type="text/html")
        if fault not in _ERRORS:
            return None
        status, code, words = _ERRORS[fault]
        headers = {"Retry-After": f"{self._retry_after:g}"} if fault is Fault.RATE_LIMIT_WITH_HINT else {}
        key = request.headers.get("Authorization", "no key")
        error = {"message": f"{words} (you sent: {key})", "type": code, "code": code}
        return web.json_response({"error": error}, status=status, headers=headers)


_ERRORS: dict[Fault, tuple[int, str, str]] = {
    Fault.RATE_LIMIT: (429, "rate_limit_exceeded", "Too many requests."),
    Fault.RATE_LIMIT_WITH_HINT: (429, "rate_limit_exceeded", "Too many requests."),
    Fault.NO_QUOTA: (429, "insufficient_quota", "You exceeded your current quota."),
    Fault.SERVER_ERROR: (500, "server_error", "Something broke."),
    Fault.OVERLOADED: (503, "overloaded", "Try again later."),
    Fault.UNAUTHORISED: (401, "invalid_api_key", "Incorrect API key provided."),
    Fault.BAD_REQUEST: (400, "invalid_request_error", "The request makes no sense."),
}
"""Status, code and words of the faults that answer with an error; the words quote the key, as some do."""


def _completion(
    model: str, messages: list[dict[str, Any]], text: str | None, fault: Fault | None
) -> dict[str, Any]:
    prompt_tokens = sum(len(str(turn["content"])) // 4 + 4 for turn in messages)
    completion_tokens = len(text or "") // 4 + 1
    finish = "length" if fault is Fault.CUT_JSON else "stop"
    message = {"role": "assistant", "content": text}
    completion: dict[str, Any] = {
        "id": "chatcmpl-loopback",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": completion_tokens,
            "total_tokens": prompt_tokens + completion_tokens,
        },
    }
    if fault is Fault.NO_CHOICES:
        completion["choices"] = []
    if fault is Fault.NO_USAGE:
        del completion["usage"]
    if fault is Fault.HUGE_USAGE:
        completion["usage"] = {
            "prompt_tokens": 10**30,
            "completion_tokens": 10**30,
            "total_tokens": 2 * 10**30,
        }
    return completion
