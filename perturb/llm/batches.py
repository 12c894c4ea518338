"""What calling with batch APIs is made of: limits, a batch, the book that is kept of batches.

`perturb.llm.batch_model` calls with batch APIs; `perturb.store.batches` keeps the book; `perturb.llm.remote_batches`
speaks to providers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from perturb.errors import PermanentModelError

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
    """Where batches are kept; `perturb.store.batches.BatchLedger` is one."""

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
