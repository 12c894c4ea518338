"""Asks models questions whose replies can be read, within the budget, and records every call.

A question that was answered before takes its reply from the record. A reply that cannot be read gets one more request.
"""

from __future__ import annotations

import asyncio
import hashlib
import math
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from logging import DEBUG
from typing import Any, Generic, Literal, Protocol, TypeVar

from perturb.errors import ModelError, TransientModelError
from perturb.files.resources import canonical
from perturb.llm.budget import Budget, upper_bound
from perturb.llm.client import ChatModel, ChatReply, ChatRequest, Message, Topic, schema_text
from perturb.llm.limits import OutOfTriesError, holding
from perturb.llm.redaction import redact
from perturb.llm.replies import whole_characters
from perturb.llm.transports import count_of
from perturb.runtime import event

# The types of the values that are read from replies.
T = TypeVar("T")
U = TypeVar("U")

Status = Literal["read", "unread", "error"]
"""`read`: the reply was read. `unread`: it could not be read. `error`: there was no reply."""

# How many characters of an unreadable reply the model gets to see again.
_QUOTED = 8000
# `finish_reason` → the explanation that is added to the problem of an unreadable reply.
_ENDINGS = {
    "length": " (the reply stopped at its limit of tokens)",
    "content_filter": " (the provider's content filter stopped it)",
    "tool_calls": " (the model called a tool)",
}


@dataclass(frozen=True, slots=True)
class Call:
    """A call as the ledger stores it. An unread call and its repair share a key."""

    key: str
    """Digest of everything that decides the reply to the first request."""
    model: str
    """The name in the configuration."""
    purpose: str
    subject: str
    """The id of the job or candidate that the call is about."""
    status: Status
    reply: str
    error: str
    """Why the reply could not be read, or why the call failed, without keys."""
    prompt_tokens: int | None
    completion_tokens: int | None
    cost_usd: float | None
    """None if unknown."""
    charged_usd: float
    """The amount charged to the budget: the cost, or the highest possible cost if the cost is unknown."""
    seconds: float
    tries: int
    finish_reason: str | None = None
    """Why the model stopped, in the provider's words."""
    problem: str = ""
    """Why the reply counts as unread, whatever it says; empty if it may be read."""


class CallLog(Protocol):
    """A record of calls, such as the ledger."""

    def find(self, key: str) -> str | None:
        """The reply of a `read` call with this key, recorded in this run or an earlier one."""

    def record(self, call: Call) -> None:
        """Record a call without blocking. `find` must find it at once."""

    def record_shared(self, key: str, model: str, purpose: str, subject: str) -> None:
        """Record that the calls with this key have also answered a question about this subject."""

    async def wait_until_committed(self) -> None:
        """Wait until everything that was recorded is on disk."""


@dataclass(frozen=True, slots=True)
class ModelResult(Generic[T]):
    """The result of a question."""

    value: T | None
    """The value that was read from the reply; None unless the status is `read`."""
    raw: str
    """The last reply as it arrived."""
    error: str
    status: Status
    cached: bool = False
    """Whether an earlier or concurrent call answered the question, so that nothing was sent."""
    transient: bool = False
    """Whether the error may be gone next time."""
    cut: bool = False
    """Whether the reply was longer than allowed. Then only its beginning is kept, and there is no second request."""


@dataclass(frozen=True, slots=True)
class _Question(Generic[T]):
    """A question, with its key and the names under which it is recorded."""

    model: ChatModel
    request: ChatRequest
    read: Callable[[str], T]
    key: str
    purpose: str
    subject: str


class ModelClient:
    """Asks models by name. Identical questions asked at the same time share one call."""

    def __init__(
        self,
        models: Mapping[str, ChatModel],
        log: CallLog,
        budget: Budget,
        check: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """`check` is awaited before each call. An error that it raises ends the work."""
        self._models = models
        self._check = check
        self._fingerprints = {name: model.settings.fingerprint() for name, model in models.items()}
        self._log = log
        self._budget = budget
        self._in_flight: dict[str, asyncio.Future[ModelResult[Any] | None]] = {}

    async def ask(
        self,
        model_name: str,
        request: ChatRequest,
        read: Callable[[str], T],
        *,
        purpose: str,
        subject: str,
        part: str = "",
        salt: str = "",
    ) -> ModelResult[T]:
        """Ask a model until its reply can be read, at most twice.

        `read` turns the text of a reply into a value. If it raises `ValueError` (for instance `ReplyError`), the model
        gets the error and is asked once more. `part` tells apart requests with the same purpose and subject, as in
        `Topic`. `salt` tells apart questions that are meant to be asked again in the same words.

        Failures of the model are returned. Raises `BudgetSpent` if the call could overspend the budget, and
        `UnreachableError` if a server takes no connection before the first call.
        """
        model = self._models[model_name]
        if model.settings.system:
            system = Message("system", model.settings.system)
            request = replace(request, messages=(system, *request.messages))
        key = _key(self._fingerprints[model_name], request, salt)
        request = replace(request, key=key, topic=Topic(purpose, subject, part))
        question = _Question(model, request, read, key, purpose, subject)
        while True:
            cached = self._from_log(question)
            if cached is None:
                if key not in self._in_flight:
                    return await self._call_and_share(question)
                cached = await self._from_flight(question)
            if cached is not None:
                self._log.record_shared(key, model_name, purpose, subject)
                return cached
            # The question in flight was cancelled, or failed. One of the tasks that waited for it asks for itself.

    def _from_log(self, question: _Question[T]) -> ModelResult[T] | None:
        """The answer of an earlier call, if today's `read` accepts it."""
        text = self._log.find(question.key)
        logged = None if text is None else _reread(ModelResult(None, text, "", "read"), question.read)
        return logged if logged and logged.status == "read" else None

    async def _from_flight(self, question: _Question[T]) -> ModelResult[T] | None:
        """The answer to an equal question that is in flight; None if it ends without an answer."""
        shared = await asyncio.shield(self._in_flight[question.key])
        return None if shared is None else _reread(shared, question.read)

    async def _call_and_share(self, question: _Question[T]) -> ModelResult[T]:
        """Ask, and share the answer with tasks that ask the same meanwhile. With None, they ask for themselves."""
        flight: asyncio.Future[ModelResult[Any] | None] = asyncio.get_running_loop().create_future()
        self._in_flight[question.key] = flight
        answer: ModelResult[T] | None = None
        try:
            answer = await self._ask_with_repair(question)
            return answer
        finally:
            del self._in_flight[question.key]
            flight.set_result(answer)

    async def _ask_with_repair(self, question: _Question[T]) -> ModelResult[T]:
        """Ask, and ask once more if the reply cannot be read."""
        result = await self._call(question)
        if result.status != "unread" or result.cut:
            return result
        repair = _repair(question.request, result.raw, result.error)
        second_result = await self._call(replace(question, request=repair))
        # If the second call fails, the result says why, and keeps the first reply.
        return replace(second_result, raw=result.raw) if second_result.status == "error" else second_result

    async def _call(self, question: _Question[T]) -> ModelResult[T]:
        """Send a request within the budget, read the reply and record the call."""
        if self._check is not None:
            await self._check()
        bound = upper_bound(question.model.settings, question.request)
        await self._budget.reserve(bound)
        # What `settle` charges: nothing if the call fails, and the bound if the cost of the reply is unknown (None).
        cost: float | None = 0.0
        try:
            # The reply is on disk before its slot is free. So a crash can lose no more replies than calls in flight.
            async with holding(question.model, question.request) as received:
                reply = _storable(received)
                cost = reply.cost_usd
                result = self._answered(question, reply, bound if cost is None else cost)
                await self._log.wait_until_committed()
                return result
        except ModelError as error:
            return self._failed(question, error)
        finally:
            self._budget.settle(bound, cost)

    def _answered(self, question: _Question[T], reply: ChatReply, charged: float) -> ModelResult[T]:
        """Read a reply, and record its call."""
        result: ModelResult[T]
        limit = question.model.settings.max_reply_bytes
        beginning = _beginning(reply.text, limit)
        if beginning is not None:
            # Only the record of the call keeps the whole beginning. Results hold a short part of it.
            problem = f"the reply is longer than {limit} bytes (max_reply_bytes)"
            result = ModelResult(None, beginning, problem, "unread", cut=True)
            self._record(question, result, reply, charged)
            return replace(result, raw=beginning[:_QUOTED])
        try:
            if reply.problem:
                raise ValueError(reply.problem)
            result = ModelResult(question.read(reply.text), reply.text, "", "read")
        except ValueError as error:
            problem = str(error) + _ENDINGS.get(reply.finish_reason or "", "")
            result = ModelResult(None, reply.text, problem, "unread")
        self._record(question, result, reply, charged)
        return result

    def _failed(self, question: _Question[T], error: ModelError) -> ModelResult[T]:
        """Record a call that failed."""
        message = whole_characters(redact(str(error)))
        transient = isinstance(error, TransientModelError)
        result: ModelResult[T] = ModelResult(None, "", message, "error", transient=transient)
        tries = error.tries if isinstance(error, OutOfTriesError) else 1
        self._record(question, result, ChatReply("", tries=tries), 0.0)
        return result

    def _record(
        self, question: _Question[T], result: ModelResult[T], reply: ChatReply, charged: float
    ) -> None:
        call = Call(
            key=question.key,
            model=question.model.settings.name,
            purpose=question.purpose,
            subject=question.subject,
            status=result.status,
            reply=result.raw,
            error=result.error,
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
            cost_usd=reply.cost_usd,
            charged_usd=charged,
            seconds=reply.seconds,
            tries=reply.tries,
            finish_reason=reply.finish_reason,
            problem=reply.problem,
        )
        summary = f"{call.model}: {call.purpose} {call.subject}: {call.status}"
        logged = ("model", "purpose", "subject", "status", "seconds", "tries", "cost_usd", "error")
        event(DEBUG, "call", summary, **{name: getattr(call, name) for name in logged})
        self._log.record(call)


def _storable(reply: ChatReply) -> ChatReply:
    """The reply in a form that can be stored: whole characters, plausible counts, and a cost that is a number."""
    cost = reply.cost_usd
    return replace(
        reply,
        text=whole_characters(reply.text),
        prompt_tokens=count_of(reply.prompt_tokens),
        completion_tokens=count_of(reply.completion_tokens),
        cost_usd=cost if cost is not None and 0 <= cost < math.inf else None,
    )


def _beginning(text: str, limit: int) -> str | None:
    """The first `limit` bytes of a text that is longer than that in UTF-8; None for a shorter text."""
    # A character has at most four bytes, so most texts need not be encoded.
    if 4 * len(text) <= limit or len(encoded := text.encode()) <= limit:
        return None
    return encoded[:limit].decode(errors="ignore")


def _key(fingerprint: str, request: ChatRequest, salt: str) -> str:
    """Digest of the canonical JSON `[fingerprint, [[role, text], …], schema, salt]`.

    Many requests share a system message, so the hash up to its end is kept and copied.
    """
    messages = [(message.role, message.content) for message in request.messages]
    n_system = 1 if request.messages and request.messages[0].role == "system" else 0
    key = _key_start(fingerprint, *messages[:n_system]).copy()
    # The list of messages goes on where the kept hash has stopped, so its opening bracket is left out.
    later_messages = canonical(messages[n_system:])[1:]
    separator = "," if 0 < n_system < len(messages) else ""
    ending = f"{separator}{later_messages},{schema_text(request.schema)},{canonical(salt)}]"
    key.update(ending.encode("utf-8", "surrogatepass"))
    return key.hexdigest()[:32]


@lru_cache(maxsize=4096)
def _key_start(fingerprint: str, *messages: tuple[str, str]) -> hashlib._Hash:
    """The hash of a key up to the end of these messages, as a start for copies."""
    # The two closing brackets are left out, so that further messages, the schema and the salt can follow.
    return hashlib.sha256(canonical((fingerprint, messages))[:-2].encode("utf-8", "surrogatepass"))


def _reread(shared: ModelResult[U], read: Callable[[str], T]) -> ModelResult[T]:
    """The answer to an identical question, from the log or of another task, read with our `read`."""
    if shared.status == "read":
        try:
            return ModelResult(read(shared.raw), shared.raw, "", "read", cached=True)
        except ValueError as error:
            return ModelResult(None, shared.raw, str(error), "unread", cached=True)
    return ModelResult(None, shared.raw, shared.error, shared.status, cached=True, transient=shared.transient)


def _repair(request: ChatRequest, reply: str, error: str) -> ChatRequest:
    """The request, followed by the unreadable reply and the reason why it could not be read."""
    turns = (
        Message("assistant", reply[:_QUOTED] if reply.strip() else "(empty)"),
        Message(
            "user",
            f"That reply could not be read: {error}. Answer again with the one JSON object that was asked for, "
            "complete and with nothing before or after it.",
        ),
    )
    topic = request.topic and replace(request.topic, attempt=2)
    return replace(request, messages=request.messages + turns, key=f"{request.key}:repair", topic=topic)
