"""Asks a model for something that can be read: cache, budget, one repair, and a record of every call."""

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
from perturb.runtime.asyncs import event

T = TypeVar("T")
U = TypeVar("U")

Status = Literal["read", "unread", "error"]
"""Read; answered but unreadable; not answered."""

_QUOTED = 8000
"""Characters of an unreadable reply that are shown to the model again."""

_ENDINGS = {
    "length": " (the reply stopped at its limit of tokens)",
    "content_filter": " (the provider's content filter stopped it)",
    "tool_calls": " (the model called a tool)",
}
"""What a `finish_reason` adds to the problem of an unreadable reply."""

_LOGGED = ("model", "purpose", "subject", "status", "seconds", "tries", "cost_usd", "error")
"""The fields of a call that its event tells."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call as it goes into the ledger; several may share a key: an unread one and its repair."""

    key: str
    """Digest of everything that decides the reply to the first request."""
    model: str
    """The name in the configuration."""
    purpose: str
    subject: str
    """The id of the job or candidate it was made for."""
    status: Status
    reply: str
    error: str
    """Why it could not be read, or why it failed; keys removed."""
    prompt_tokens: int | None
    completion_tokens: int | None
    cost_usd: float | None
    """None when unknown."""
    charged_usd: float
    """What the budget was charged: the cost, or the most the call could cost when it is unknown."""
    seconds: float
    tries: int
    finish_reason: str | None = None
    """Why the model stopped, as the provider says."""
    problem: str = ""
    """Why the reply counts as unread, whatever it says."""


class CallLog(Protocol):
    """Where calls are kept."""

    def find(self, key: str) -> str | None:
        """The text of a `read` call with this key, recorded in this run or an earlier one."""

    def record(self, call: Call) -> None:
        """Keep a call; must not block, and `find` must know of it at once."""

    def record_shared(self, key: str, model: str, purpose: str, subject: str) -> None:
        """Keep that the calls with this key have answered a question about this subject as well."""

    async def committed(self) -> None:
        """Return when everything recorded so far is on disk."""


@dataclass(frozen=True, slots=True)
class ModelResult(Generic[T]):
    """What became of a question."""

    value: T | None
    """What was read; None unless the status is `read`."""
    raw: str
    """The last reply as it came."""
    error: str
    status: Status
    cached: bool = False
    """True if nothing was sent for it."""
    transient: bool = False
    """True for an error that may be gone next time."""
    cut: bool = False
    """True for a reply that was too long to be kept whole; it is not asked for again."""


@dataclass(frozen=True, slots=True)
class _Query(Generic[T]):
    """One thing to ask, with its key and the names it is recorded under."""

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
        """`check` is awaited before each call; what it raises ends the work."""
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
        """Ask a model until its reply can be read, twice at most.

        `read` turns the text of a reply into a value and raises `ValueError` (a `ReplyError`, say) if it
        cannot; the model is then shown the error and asked once more. `part` tells apart requests of one purpose about
        one subject, as `Topic` does; `salt` tells apart questions that are
        meant to be asked again in the same words.

        Raises `BudgetSpent` if the call could overspend the budget, and `UnreachableError` if a server takes no
        connection before the first call; failures of the model are returned.
        """
        model = self._models[model_name]
        if model.settings.system:
            system = Message("system", model.settings.system)
            request = replace(request, messages=(system, *request.messages))
        key = _key(self._fingerprints[model_name], request, salt)
        request = replace(request, key=key, topic=Topic(purpose, subject, part))
        question = _Query(model, request, read, key, purpose, subject)
        while True:
            cached = self._from_log(question)
            if cached is None:
                flight = self._in_flight.get(key)
                if flight is None:
                    return await self._call_and_share(question)
                shared = await asyncio.shield(flight)
                cached = None if shared is None else _reread(shared, read)
            if cached is not None:
                self._log.record_shared(key, model_name, purpose, subject)
                return cached

    def _from_log(self, question: _Query[T]) -> ModelResult[T] | None:
        """The answer that an earlier call paid for, if it still reads."""
        text = self._log.find(question.key)
        logged = None if text is None else _reread(ModelResult(None, text, "", "read"), question.read)
        return logged if logged and logged.status == "read" else None

    async def _call_and_share(self, question: _Query[T]) -> ModelResult[T]:
        """Ask, and tell those who asked the same meanwhile; None tells them to ask for themselves."""
        flight: asyncio.Future[ModelResult[Any] | None] = asyncio.get_running_loop().create_future()
        self._in_flight[question.key] = flight
        answer: ModelResult[T] | None = None
        try:
            answer = await self._ask_with_repair(question)
            return answer
        finally:
            del self._in_flight[question.key]
            flight.set_result(answer)

    async def _ask_with_repair(self, question: _Query[T]) -> ModelResult[T]:
        first = await self._call(question)
        if first.status != "unread" or first.cut:
            return first
        repair = _repair(question.request, first.raw, first.error)
        second = await self._call(replace(question, request=repair))
        return replace(second, raw=first.raw) if second.status == "error" else second

    async def _call(self, question: _Query[T]) -> ModelResult[T]:
        """Send one request within the budget, read the reply, record both."""
        if self._check is not None:
            await self._check()
        bound = upper_bound(question.model.settings, question.request)
        await self._budget.reserve(bound)
        cost: float | None = 0.0
        try:
            # The reply is recorded before its place is free, so that no more replies can be lost than calls in flight.
            async with holding(question.model, question.request) as received:
                reply = _storable(received)
                cost = reply.cost_usd
                result = self._answered(question, reply, bound if cost is None else cost)
                await self._log.committed()
                return result
        except ModelError as error:
            return self._failed(question, error)
        finally:
            self._budget.settle(bound, cost)

    def _answered(self, question: _Query[T], reply: ChatReply, charged: float) -> ModelResult[T]:
        result: ModelResult[T]
        limit = question.model.settings.max_reply_bytes
        beginning = _beginning(reply.text, limit)
        if beginning is not None:
            # What is kept of it stands in the record of the call alone; results quote it.
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

    def _failed(self, question: _Query[T], error: ModelError) -> ModelResult[T]:
        words, transient = whole_characters(redact(str(error))), isinstance(error, TransientModelError)
        result: ModelResult[T] = ModelResult(None, "", words, "error", transient=transient)
        tries = error.tries if isinstance(error, OutOfTriesError) else 1
        self._record(question, result, ChatReply("", tries=tries), 0.0)
        return result

    def _record(self, question: _Query[T], result: ModelResult[T], reply: ChatReply, charged: float) -> None:
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
        event(DEBUG, "call", summary, **{name: getattr(call, name) for name in _LOGGED})
        self._log.record(call)


def _storable(reply: ChatReply) -> ChatReply:
    """The reply as any ledger takes it: whole characters, counts that can be, a cost that is a number."""
    text, cost = whole_characters(reply.text), reply.cost_usd
    counts = count_of(reply.prompt_tokens), count_of(reply.completion_tokens)
    valid_cost = cost if cost is not None and 0 <= cost < math.inf else None
    if (text, *counts, valid_cost) == (reply.text, reply.prompt_tokens, reply.completion_tokens, cost):
        return reply
    return replace(
        reply, text=text, prompt_tokens=counts[0], completion_tokens=counts[1], cost_usd=valid_cost
    )


def _beginning(text: str, limit: int) -> str | None:
    """The first `limit` bytes of a text that is longer than that in UTF-8; None for a shorter text."""
    if 4 * len(text) <= limit or len(encoded := text.encode()) <= limit:
        return None
    return encoded[:limit].decode(errors="ignore")


def _key(fingerprint: str, request: ChatRequest, salt: str) -> str:
    """Digest of fingerprint, messages, schema and salt; a system message, which many requests share, is read once."""
    messages = [(message.role, message.content) for message in request.messages]
    shared = 1 if messages and messages[0][0] == "system" else 0
    key = _key_start(fingerprint, *messages[:shared]).copy()
    own_part = canonical(messages[shared:])[1:]
    comma = "," if 0 < shared < len(messages) else ""
    key.update(
        f"{comma}{own_part},{schema_text(request.schema)},{canonical(salt)}]".encode("utf-8", "surrogatepass")
    )
    return key.hexdigest()[:32]


@lru_cache(maxsize=4096)
def _key_start(fingerprint: str, *messages: tuple[str, str]) -> hashlib._Hash:
    """The hash of a key up to and with these messages, for a copy that goes on from there."""
    return hashlib.sha256(canonical((fingerprint, messages))[:-2].encode("utf-8", "surrogatepass"))


def _reread(shared: ModelResult[U], read: Callable[[str], T]) -> ModelResult[T]:
    """The answer to somebody else's identical question, read our way."""
    if shared.status == "read":
        try:
            return ModelResult(read(shared.raw), shared.raw, "", "read", cached=True)
        except ValueError as error:
            return ModelResult(None, shared.raw, str(error), "unread", cached=True)
    return ModelResult(None, shared.raw, shared.error, shared.status, cached=True, transient=shared.transient)


def _repair(request: ChatRequest, reply: str, error: str) -> ChatRequest:
    """The request with the unreadable reply and what is wrong with it."""
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
