"""What calling with batch APIs is made of: limits, a batch, the book that is kept of batches.

`perturb.llm.batch_model` calls with batch APIs, `perturb.ledger.evaluations` keeps the book, and
`perturb.llm.remote_batches` speaks to providers.

Reads the lines of a batch's output and error files: what became of each request, by its custom id.

Lines come in any order and some may be missing or broken; what cannot be read is as good as missing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from perturb.errors import ModelError, PermanentModelError
from perturb.llm.client import ChatReply, ModelSettings
from perturb.llm.transports import chat_reply, failure, is_worth_retrying

_MOST_WAITING = 20_000


@dataclass(frozen=True, slots=True)
class BatchLimits:
    """How large batches are, and how often one asks for them."""

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
    """A batch as the book keeps it."""

    tag: str
    """Our own name for it, known before it exists."""
    input_file: str
    """The provider's id of the file with the requests."""
    batch_id: str | None
    """The provider's id; None if the process ended before it was noted."""
    custom_ids: tuple[str, ...]
    """The rows that are still to come."""


@dataclass(frozen=True, slots=True)
class BatchView:
    """What the provider says of a batch."""

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
        """Note that nothing will come of a batch any more."""

    def take_rows(self, tag: str, custom_ids: Sequence[str]) -> None:
        """Note that these rows need not be asked of the batch again."""


RowOutcome = ChatReply | ModelError
"""A reply, or why it is missing: transient if it is worth asking again."""

_CUT_SHORT = ("max_tokens", "MAX_TOKENS")


@dataclass(frozen=True, slots=True)
class RowReader:
    """Reads the files of one model's batches."""

    settings: ModelSettings

    def read(self, content: bytes) -> Iterator[tuple[str, RowOutcome]]:
        """The custom id and the outcome of each line that can be read."""
        for line in content.splitlines():
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                continue
            custom_id = _at(row, "custom_id") or _at(row, "recordId")
            if isinstance(custom_id, str):
                yield custom_id, self._outcome(row)

    def _outcome(self, row: Mapping[str, Any]) -> RowOutcome:
        status = _at(row, "response", "status_code")
        error = _at(row, "error") or _at(row, "response", "body", "error")
        if error or (isinstance(status, int) and status >= 400):
            return self._error(error, _at(error, "errorCode") if status is None else status)
        body = _at(row, "response", "body") or _at(row, "modelOutput")
        reply = self._reply(body) if isinstance(body, Mapping) else None
        return reply or failure(self.settings, "a row of a batch holds no reply", transient=True)

    def _error(self, error: Any, status: Any) -> ModelError:
        words = error if isinstance(error, str) else json.dumps(error, ensure_ascii=False)
        # Without a status the row was given up together with its batch, which expired or was cancelled.
        said = f"in a batch, status {status or 'unknown'}: {words}"
        return failure(self.settings, said, transient=is_worth_retrying(status, words))

    def _reply(self, body: Mapping[str, Any]) -> ChatReply | None:
        """The reply in a completion as OpenAI, Anthropic or Amazon's Nova write it; None if it has no choices."""
        finish: Any
        if _at(body, "choices"):
            text = _at(body, "choices", 0, "message", "content")
            finish = _at(body, "choices", 0, "finish_reason")
        elif isinstance(_at(body, "content"), list):
            text, finish = _joined(body["content"]), _at(body, "stop_reason")
        elif isinstance(_at(body, "output", "message", "content"), list):
            text, finish = _joined(body["output"]["message"]["content"]), _at(body, "stopReason")
        else:
            return None
        usage = _at(body, "usage")
        tokens = (
            _first(usage, "prompt_tokens", "input_tokens", "inputTokens"),
            _first(usage, "completion_tokens", "output_tokens", "outputTokens"),
        )
        finish = "length" if finish in _CUT_SHORT else finish
        text = text if isinstance(text, str) else ""
        return chat_reply(self.settings, text, tokens, 0.0, finish)


def _joined(parts: list[Any]) -> str:
    return "".join(text for part in parts if isinstance(text := _at(part, "text"), str))


def _first(value: Any, *names: str) -> Any:
    return next((found for name in names if (found := _at(value, name)) is not None), None)


def _at(value: Any, *path: str | int) -> Any:
    """What stands at a path of keys and positions; None where there is nothing."""
    for step in path:
        if isinstance(step, int):
            value = value[step] if isinstance(value, list) and len(value) > step else None
        else:
            value = value.get(step) if isinstance(value, Mapping) else None
    return value
