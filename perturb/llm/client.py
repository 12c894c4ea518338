"""The types between tasks and models: requests, replies, models, and batches.

This module makes no call. `perturb.llm.remote` (litellm) and `perturb.llm.direct` carry single calls. For batches,
`perturb.llm.batch_model` collects requests, `perturb.ledger.evaluations` keeps the book, and
`perturb.llm.remote_batches` talks to providers. `ScriptedModel` gives prepared replies, for tests.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Protocol

from perturb.errors import ModelError, PermanentModelError
from perturb.files.resources import canonical, digest

JSONSchemaUse = Literal["auto", "on", "off"]
"""Whether a JSON schema is sent with a request: if litellm knows that the model supports it, always, or never."""

Transport = Literal["auto", "litellm", "direct"]
"""The code that carries the calls, see `perturb.llm.transports`."""

MAX_REPLY_BYTES = 2_000_000
"""The default limit on the text of a reply, in bytes of UTF-8."""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


class Schema(dict[str, Any]):
    """A JSON schema that keeps its text, since it is sent with many requests."""

    @cached_property
    def text(self) -> str:
        """Canonical JSON."""
        return canonical(self)


def schema_text(schema: Mapping[str, Any] | None) -> str:
    """Canonical JSON of a schema; `null` without a schema.

    >>> schema_text(Schema(type="object"))
    '{"type":"object"}'
    """
    return schema.text if isinstance(schema, Schema) else canonical(None if schema is None else dict(schema))


@dataclass(frozen=True, slots=True)
class Topic:
    """The subject of a request, independent of its wording. Recorded replies are looked up by it."""

    role: str
    """`generate`, `verify`, or the purpose of a call of an evaluation."""
    subject: str
    """The id of the job, candidate or item."""
    part: str = ""
    """Tells apart requests with the same role and subject.

    It is the number of the offer of levers for `generate`, the judged model and its prompt for a judge, and the prompt
    for other calls of an evaluation.
    """
    attempt: int = 1
    """2 for the second request, after a reply that could not be read."""


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A request: messages and schema, without the model and its settings."""

    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None
    """JSON schema of the reply. It is sent only to models that support one."""
    key: str = field(default="", compare=False)
    """Digest of everything that decides the reply. The caller sets it, and it is never sent."""
    topic: Topic | None = field(default=None, compare=False)
    """The topic of the request. The caller sets it, and it is never sent."""

    def turns(self) -> list[dict[str, str]]:
        """The messages in the form of a request body."""
        return [{"role": message.role, "content": message.content} for message in self.messages]


@dataclass(frozen=True, slots=True)
class Price:
    """The price of a model, in USD per million tokens."""

    input: float
    output: float

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        """The cost of one call in USD.

        >>> Price(input=2.0, output=10.0).of(1000, 100)
        0.003
        """
        return (prompt_tokens * self.input + completion_tokens * self.output) / 1e6


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """A model with its name in the configuration, and the settings of its calls."""

    name: str
    """The name in the configuration, the ledger and the reports."""
    model: str
    """The model string as litellm reads it: `openai/gpt-4o`, `hosted_vllm/Qwen/Qwen3-8B`."""
    api_base: str | None = None
    api_key_env: str | None = None
    """The environment variable that holds the key. The key itself is never stored."""
    params: Mapping[str, Any] = field(default_factory=dict)
    """Extra parameters of the call: temperature, max_tokens, provider-specific ones."""
    system: str = ""
    """A system message of the user, sent before all other messages; empty if the user has none."""
    max_connections: int = 32
    """The most calls in flight at the same time, at least 1."""
    rpm: int | None = None
    """The most requests per minute, including every try."""
    tpm: int | None = None
    """The most tokens per minute, prompt and completion together."""
    timeout: float = 60.0
    """Seconds that a single try of a call may take."""
    price: Price | None = None
    """A price that overrides litellm's table."""
    json_schema: JSONSchemaUse = "auto"
    max_retries: int = 6
    """The most tries after the first one. Only transient failures are retried."""
    max_reply_bytes: int = MAX_REPLY_BYTES
    """The longest readable reply. Of a longer reply, only the beginning is kept."""
    transport: Transport = "auto"
    """The code that carries the calls. It does not affect replies, so it is not part of the fingerprint."""

    def fingerprint(self) -> str:
        """Digest of the settings that decide replies: model, address, parameters, system message, use of schemas.

        Stored calls are looked up by it.

        >>> settings = ModelSettings(name="a", model="openai/gpt-4o", rpm=60)
        >>> settings.fingerprint() == ModelSettings(name="b", model="openai/gpt-4o").fingerprint()
        True
        """
        # Without a system message the digest is as it was before the setting existed, so that stored calls stay valid.
        system_part = (self.system,) if self.system else ()
        return digest(self.model, self.api_base, dict(self.params), self.json_schema, *system_part)

    def identity(self) -> str:
        """The fingerprint without the address. Jobs and votes go by it, since they stay valid if a server moves."""
        return replace(self, api_base=None).fingerprint()


@dataclass(frozen=True, slots=True)
class ChatReply:
    """The reply of a model. An empty text is also a reply, but an unreadable one."""

    text: str
    prompt_tokens: int | None = None
    """From the usage that the provider reports; None if it reports no usage."""
    completion_tokens: int | None = None
    cost_usd: float | None = None
    """The cost of the call in USD; None, and not 0, if the price or the usage is unknown."""
    seconds: float = 0.0
    finish_reason: str | None = None
    tries: int = 1
    """The number of tries, including failed ones."""
    problem: str = ""
    """The reason why the text counts as unread, whatever it says; empty if it may be read."""


class ChatModel(Protocol):
    """Anything that answers a `ChatRequest`."""

    @property
    def settings(self) -> ModelSettings:
        """The settings that the model was opened with."""

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer one request.

        Raises `TransientModelError` if another try may help, `PermanentModelError` if no further try can help.
        """

    async def close(self) -> None:
        """Close the connections. The model is not used afterwards."""


Line = str | ChatReply | ModelError
"""The result of a scripted request: a text or a reply that is returned, or an error that is raised."""


class ScriptedModel:
    """Answers with the lines of a list in order, repeating the last one, or with a function of the request.

    >>> import asyncio
    >>> model = ScriptedModel(["one", "two"])
    >>> asyncio.run(model.complete(ChatRequest(()))).text
    'one'
    """

    def __init__(
        self,
        script: Sequence[Line] | Callable[[ChatRequest], Line],
        settings: ModelSettings | None = None,
    ) -> None:
        self._script = script
        self.settings = settings or ModelSettings(name="scripted", model="scripted/model")
        self.requests: list[ChatRequest] = []
        """Every request so far."""

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Return the next line, or raise it if it is a `ModelError`."""
        self.requests.append(request)
        line = self._next(request)
        if isinstance(line, ModelError):
            raise line
        return line if isinstance(line, ChatReply) else ChatReply(line, finish_reason="stop")

    async def close(self) -> None:
        """Do nothing, since there are no connections."""

    def _next(self, request: ChatRequest) -> Line:
        """The line that answers the request, which is already in `requests`."""
        if callable(self._script):
            return self._script(request)
        return self._script[min(len(self.requests), len(self._script)) - 1]


# How many requests may wait at the same time: those of two batches of the usual size, which fit into the memory.
_MOST_WAITING = 20_000


@dataclass(frozen=True, slots=True)
class BatchLimits:
    """The size of batches, and how often they are polled."""

    max_rows: int = 10_000
    """The most requests in one batch. Providers allow 50,000."""
    max_bytes: int = 100 * 2**20
    """The largest size of its file. Providers allow 200 MB."""
    idle_seconds: float = 1.0
    """Seconds without a new request after which a batch that is not full is submitted."""
    first_poll: float = 15.0
    """Seconds until a batch is polled for the first time. Each wait is 1.5 times as long as the one before."""
    longest_poll: float = 300.0
    """The longest wait before a poll, in seconds."""
    submissions: int = 3
    """How often a request may be submitted if batches end without it."""

    def wait(self, polls: int) -> float:
        """Seconds to wait before the next poll, after this number of polls in vain.

        >>> BatchLimits().wait(0), BatchLimits().wait(1), BatchLimits().wait(100)
        (15.0, 22.5, 300.0)
        """
        # The exponent is capped, since a float would overflow after some thousand polls.
        return min(self.longest_poll, self.first_poll * 1.5 ** min(polls, 30))

    @property
    def most_waiting(self) -> int:
        """How many requests should wait at the same time: enough to fill a batch, but not too many for the memory."""
        return max(_MOST_WAITING, self.max_rows)


@dataclass(frozen=True, slots=True)
class HeldBatch:
    """A batch as the book stores it. It holds requests, called rows, whose replies have not arrived yet."""

    tag: str
    """Our own id of the batch, which exists before the batch does."""
    input_file: str
    """The provider's id of the file with the requests."""
    batch_id: str | None
    """The provider's id; None if the process ended before it was noted."""
    custom_ids: tuple[str, ...]
    """Ids of those rows."""


@dataclass(frozen=True, slots=True)
class BatchView:
    """The state of a batch as the provider reports it."""

    status: str
    """The provider's word: `in_progress`, `completed`, `expired`, …"""
    ended: bool
    files: tuple[str, ...] = ()
    """The output file and the error file, as far as they exist."""
    problem: str = ""
    """The reason if the batch failed."""


class BatchGoneError(PermanentModelError):
    """The provider does not have a batch or file any more, or has no list of batches."""


class BatchStore(Protocol):
    """A book of batches, such as `perturb.ledger.evaluations.BatchLedger`."""

    def held_batches(self, fingerprint: str) -> list[HeldBatch]:
        """The batches of a model that have rows which have not arrived yet."""

    async def intend_batch(self, batch: HeldBatch, model: str, fingerprint: str) -> None:
        """Note a batch that is about to be created. The note is on disk when this returns."""

    async def note_batch(self, tag: str, batch_id: str) -> None:
        """Note the provider's id of a batch. The note is on disk when this returns."""

    def end_batch(self, tag: str, state: str) -> None:
        """Note how a batch ended."""

    def drop_batch(self, tag: str) -> None:
        """Note that a batch will not deliver anything any more."""

    def take_rows(self, tag: str, custom_ids: Sequence[str]) -> None:
        """Note that these rows are not needed from the batch any more."""


RowOutcome = ChatReply | ModelError
"""A reply, or an error, which is transient if another request may help."""
