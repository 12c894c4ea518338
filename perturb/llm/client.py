"""The protocol between tasks and models: a request, a reply, a model that turns one into the other, and batches.

Nothing here knows what carries the call: `perturb.llm.remote` (litellm) or `perturb.llm.direct` does. For batches,
`perturb.llm.batch_model` calls, `perturb.ledger.evaluations` keeps the book, and `perturb.llm.remote_batches` speaks to
providers. `ScriptedModel` gives prepared replies, for tests.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Protocol

from perturb.errors import ModelError, PermanentModelError
from perturb.files.resources import canonical, digest

JSONSchemaUse = Literal["auto", "on", "off"]
"""Whether a JSON schema is sent with the request: where the model is known to read one, always, never."""

Transport = Literal["auto", "litellm", "direct"]
"""What carries the calls: see `perturb.llm.transports`."""

MAX_REPLY_BYTES = 2_000_000
"""The default limit on the text of a reply, in bytes of UTF-8."""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


class Schema(dict[str, Any]):
    """A JSON schema that is made once and sent often: its text is at hand."""

    @cached_property
    def text(self) -> str:
        """Canonical JSON."""
        return canonical(self)


def schema_text(schema: Mapping[str, Any] | None) -> str:
    """Canonical JSON of a schema, `null` for none.

    >>> schema_text(Schema(type="object"))
    '{"type":"object"}'
    """
    return schema.text if isinstance(schema, Schema) else canonical(None if schema is None else dict(schema))


@dataclass(frozen=True, slots=True)
class Topic:
    """The subject of a request, independent of its wording; recorded replies are found by it."""

    role: str
    """`generate`, `verify`, or the purpose of a call of an evaluation."""
    subject: str
    """The id of the job, candidate or item."""
    part: str = ""
    """Which of several requests in this role about the subject: the number of an offer, a prompt, the reply judged."""
    attempt: int = 1
    """2 after a reply that could not be read."""


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A request: messages and schema, without the model and its settings."""

    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None
    """JSON schema of the wanted object; sent only where the model reads one."""
    key: str = field(default="", compare=False)
    """Digest of everything that decides the reply, set by the caller; never sent."""
    topic: Topic | None = field(default=None, compare=False)
    """The topic of the request, set by the caller; never sent."""

    def turns(self) -> list[dict[str, str]]:
        """The messages as the body of a completion has them."""
        return [{"role": message.role, "content": message.content} for message in self.messages]


@dataclass(frozen=True, slots=True)
class Price:
    """What a model costs, in USD per million tokens."""

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
    """A model under the name that a configuration gives it, and how it may be called."""

    name: str
    """The name in the configuration, the ledger and the reports."""
    model: str
    """The model string as litellm reads it: `openai/gpt-4o`, `hosted_vllm/Qwen/Qwen3-8B`."""
    api_base: str | None = None
    api_key_env: str | None = None
    """The environment variable that holds the key; the key itself is never kept."""
    params: Mapping[str, Any] = field(default_factory=dict)
    """Extra parameters of the call: temperature, max_tokens, provider-specific ones."""
    system: str = ""
    """A system message of the user's own, sent before everything else; empty for none."""
    max_connections: int = 32
    """Calls in flight at the same time, at least 1."""
    rpm: int | None = None
    """Requests a minute, every try counted."""
    tpm: int | None = None
    """Tokens a minute, prompt and completion together."""
    timeout: float = 60.0
    """Seconds that one try of a call may take as a whole."""
    price: Price | None = None
    """Overrides litellm's price table."""
    json_schema: JSONSchemaUse = "auto"
    max_retries: int = 6
    """Tries after the first one, for transient failures only."""
    max_reply_bytes: int = MAX_REPLY_BYTES
    """A longer reply counts as unreadable, and only its beginning is kept."""
    transport: Transport = "auto"
    """What carries the calls; decides nothing about the replies, so it is not part of the fingerprint."""

    def fingerprint(self) -> str:
        """Digest of what decides the replies: model, address, parameters, system message, schema use.

        >>> one = ModelSettings(name="a", model="openai/gpt-4o", rpm=60)
        >>> one.fingerprint() == ModelSettings(name="b", model="openai/gpt-4o").fingerprint()
        True
        """
        system_part = (self.system,) if self.system else ()
        return digest(self.model, self.api_base, dict(self.params), self.json_schema, *system_part)

    def identity(self) -> str:
        """The same without the address: a server that moves to another port is still the same model."""
        return replace(self, api_base=None).fingerprint()


@dataclass(frozen=True, slots=True)
class ChatReply:
    """The reply of a model. An empty text is a reply too, but an unreadable one."""

    text: str
    prompt_tokens: int | None = None
    """From the provider's usage; None when it gave none."""
    completion_tokens: int | None = None
    cost_usd: float | None = None
    """None if the price or the usage is unknown; never 0 instead."""
    seconds: float = 0.0
    finish_reason: str | None = None
    tries: int = 1
    """Number of tries, including failed ones."""
    problem: str = ""
    """Why the text counts as unread, whatever it says; empty if it may be read."""


class ChatModel(Protocol):
    """Anything that answers a `ChatRequest`."""

    @property
    def settings(self) -> ModelSettings:
        """The settings that the model was made from."""

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer one request.

        Raises `TransientModelError` where another try may help, `PermanentModelError` where none will.
        """

    async def close(self) -> None:
        """Give back connections; the model is not used afterwards."""


Line = str | ChatReply | ModelError
"""What a scripted model does with one request: return a text or a reply, or raise an error."""


class ScriptedModel:
    """Answers from a list in order, the last line over and over, or from a function of the request.

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
        """Nothing to give back."""

    def _next(self, request: ChatRequest) -> Line:
        if callable(self._script):
            return self._script(request)
        return self._script[min(len(self.requests), len(self._script)) - 1]


_MOST_WAITING = 20_000


@dataclass(frozen=True, slots=True)
class BatchLimits:
    """The size of batches, and how often they are polled."""

    max_rows: int = 10_000
    """Requests in one batch at most; providers allow 50,000."""
    max_bytes: int = 100 * 2**20
    """Size of its file at most; providers allow 200 MB."""
    quiet: float = 1.0
    """Seconds without a new request after which a batch that is not full is submitted."""
    first_look: float = 15.0
    """Seconds until a batch is looked after first; every wait is half as long again as the one before."""
    longest_look: float = 300.0
    submissions: int = 3
    """How often a request is submitted at most, if batches end without it."""

    def wait(self, looks: int) -> float:
        """Seconds between look number `looks` (from 0) and the next."""
        return min(self.longest_look, self.first_look * 1.5 ** min(looks, 30))

    @property
    def most_waiting(self) -> int:
        """Requests that should wait at the same time: enough to fill batches, few enough for the memory."""
        return max(_MOST_WAITING, self.max_rows)


@dataclass(frozen=True, slots=True)
class HeldBatch:
    """A batch as it is stored in the book."""

    tag: str
    """Our tag of the batch, which exists before the batch does."""
    input_file: str
    """The provider's id of the file with the requests."""
    batch_id: str | None
    """The provider's id; None if the process ended before it was noted."""
    custom_ids: tuple[str, ...]
    """Ids of the rows that have not arrived yet."""


@dataclass(frozen=True, slots=True)
class BatchView:
    """The state of a batch as the provider reports it."""

    status: str
    """The provider's word: `in_progress`, `completed`, `expired`, …"""
    ended: bool
    files: tuple[str, ...] = ()
    """Output and error file, as far as there are any."""
    problem: str = ""
    """Why the batch failed, if it did."""


class BatchGoneError(PermanentModelError):
    """The provider knows nothing of a batch or file any more, or has no list of batches."""


class BatchStore(Protocol):
    """Where batches are kept; `perturb.ledger.evaluations.BatchLedger` is one."""

    def held_batches(self, fingerprint: str) -> list[HeldBatch]:
        """The batches of a model with rows that are still to come."""

    async def intend_batch(self, batch: HeldBatch, model: str, fingerprint: str) -> None:
        """Note a batch that is about to be made; on disk when this returns."""

    async def note_batch(self, tag: str, batch_id: str) -> None:
        """Note the id that the provider gave to a batch; on disk when this returns."""

    def end_batch(self, tag: str, state: str) -> None:
        """Note how a batch ended."""

    def drop_batch(self, tag: str) -> None:
        """Note that a batch will deliver nothing any more."""

    def take_rows(self, tag: str, custom_ids: Sequence[str]) -> None:
        """Note that these rows need not be asked of the batch again."""


RowOutcome = ChatReply | ModelError
"""A reply, or why it is missing: transient if it is worth asking again."""
