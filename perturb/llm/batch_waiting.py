"""Requests that wait for a batch, and the batches they wait for."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from perturb.llm.batch_rows import RowOutcome
from perturb.llm.batches import HeldBatch
from perturb.llm.client import ChatReply, ChatRequest


@dataclass(slots=True)
class WaitingRow:
    """A request that somebody waits for."""

    custom_id: str
    request: ChatRequest
    reply: asyncio.Future[ChatReply]
    submissions: int = 0
    tag: str | None = None
    """The batch that holds it; None while it is in the queue."""


@dataclass(slots=True)
class LiveBatch:
    """A batch at the provider, of this session or an earlier one."""

    held: HeldBatch
    waiting: dict[str, WaitingRow] = field(default_factory=dict)
    early: dict[str, RowOutcome] = field(default_factory=dict)
    """Outcomes that have been read and nobody has asked for yet."""
    ended: bool = False
    follower: asyncio.Task[None] | None = None


def fail_row(row: WaitingRow, error: Exception) -> None:
    """End the wait for a row with an error, if it still goes on."""
    if not row.reply.done():
        row.reply.set_exception(error)
