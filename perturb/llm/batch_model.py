"""Calls a model with batch APIs: it collects requests, submits them as one file, and answers when the batch has ended.

A batch may take a day and outlive the process that submitted it. So a book on disk lists all batches. If a batch of an
earlier process holds a request, the model waits for that batch and does not submit the request again.

A request is a *row*. It goes through these states:

1. queued: it is in the file of the next batch (`_enqueue`),
2. submitted: its batch is in the book (`_make`), and this process polls it (`_follow`),
3. settled: its batch has ended, and the caller gets the reply or an error (`_settle`). A row without an answer is
   queued again, up to the limit of submissions,
4. delivered: the caller has recorded the reply, and the book no longer lists the row (`_note_delivered`).
"""

from __future__ import annotations

import asyncio
import itertools
import secrets
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from perturb.errors import ModelError, PermanentModelError, TransientModelError
from perturb.files.resources import digest
from perturb.llm.budget import Budget, bounded
from perturb.llm.client import (
    BatchGoneError,
    BatchLimits,
    BatchStore,
    BatchView,
    ChatReply,
    ChatRequest,
    HeldBatch,
    ModelSettings,
    RowOutcome,
)
from perturb.llm.limits import OutOfTriesError, retry_transient
from perturb.llm.remote import with_price
from perturb.llm.remote_batches import LiteLLMBatches, check_batches, discounted
from perturb.text.wording import counted

FAILED_POLLS = 50
"""After this many failed polls in a row, each with all its tries, waiting for a batch ends with an error."""

GONE_POLLS = 5
"""How many polls in a row must miss a batch or file before it counts as gone. Providers list a new one with delay."""


@dataclass(slots=True)
class _WaitingRow:
    """A request whose caller waits for the reply."""

    custom_id: str
    request: ChatRequest
    reply: asyncio.Future[ChatReply]
    submissions: int = 0
    tag: str | None = None
    """The tag of the batch that holds it; None while it is in the queue."""


@dataclass(slots=True)
class _LiveBatch:
    """A batch at the provider, submitted by this process or an earlier one."""

    held: HeldBatch
    waiting: dict[str, _WaitingRow] = field(default_factory=dict)
    early: dict[str, RowOutcome] = field(default_factory=dict)
    """Outcomes that were read before a caller asked for them."""
    ended: bool = False
    follower: asyncio.Task[None] | None = None


class BatchModel:
    """A chat model whose replies come from batch APIs, at the price of batches."""

    def __init__(
        self,
        service: LiteLLMBatches,
        book: BatchStore,
        limits: BatchLimits,
        tell: Callable[[str], object] = lambda _: None,
    ) -> None:
        """`tell` is called with a short message when a batch starts and when it ends."""
        self._tell = tell
        self._service = service
        self._book = book
        self._limits = limits
        self._fingerprint = service.settings.fingerprint()
        self._queue: list[_WaitingRow] = []
        """The rows of the next batch."""
        self._content = bytearray()
        """The file of the next batch, with a line for each row of the queue."""
        self._timer: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._asked: set[str] = set()
        """The ids of requests whose callers wait."""
        self.settings = service.settings
        self._retry = partial(retry_transient, retries=self.settings.max_retries)
        # Batches of earlier processes are followed only when a caller asks for one of their rows.
        live_batches = (_LiveBatch(held_batch) for held_batch in book.held_batches(self._fingerprint))
        self._holders = {custom_id: batch for batch in live_batches for custom_id in batch.held.custom_ids}
        """Id of a request → the batch of an earlier process that holds it."""

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer a request when its batch has ended.

        Raises `OutOfTriesError` (a `TransientModelError`) if several batches ended without an answer or if the provider
        could not be reached, and `PermanentModelError` if the request was refused.
        """
        started = time.perf_counter()
        row = _WaitingRow(self._custom_id(request), request, asyncio.get_running_loop().create_future())
        self._asked.add(row.custom_id)
        batch = self._holders.pop(row.custom_id, None)
        if batch is None:
            self._enqueue(row)
        else:
            row.submissions = 1
            self._await_earlier_batch(row, batch)
        try:
            reply = await row.reply
        except ModelError:
            self._note_delivered(row)
            raise
        finally:
            self._asked.discard(row.custom_id)
        self._note_delivered(row)
        return replace(reply, seconds=time.perf_counter() - started, tries=row.submissions)

    async def close(self) -> None:
        """Stop waiting. Batches continue at the provider."""
        if self._timer is not None:
            self._timer.cancel()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        # A note of `_note_delivered` that is due in the next turn of the loop still reaches the book.
        await asyncio.sleep(0)
        await self._service.close()

    def _custom_id(self, request: ChatRequest) -> str:
        """An id that is the same for the same request in every process.

        If an equal request waits at the same time, the second gets another id.
        """
        content = [(message.role, message.content) for message in request.messages]
        # The id depends on the content alone, so that another process recognises the request in the book.
        schema = None if request.schema is None else dict(request.schema)
        ids = (
            digest(self._fingerprint, request.key, content, schema, number, length=32)
            for number in itertools.count()
        )
        return next(custom_id for custom_id in ids if custom_id not in self._asked)

    def _enqueue(self, row: _WaitingRow) -> None:
        """Put a request into the next batch, which is submitted when it is full or when no more requests come."""
        row.tag = None
        line = self._service.line(row.custom_id, row.request)
        if self._queue and len(self._content) + len(line) > self._limits.max_bytes:
            self._submit()
        self._queue.append(row)
        self._content += line
        if len(self._queue) >= self._limits.max_rows:
            self._submit()
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(self._limits.idle_seconds, self._submit)

    def _submit(self) -> None:
        """Make a batch of the queue, and begin a new queue."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        rows, content = self._queue, bytes(self._content)
        self._queue, self._content = [], bytearray()
        if rows:
            waiting = {row.custom_id: row for row in rows}
            self._start(self._make(waiting, content), waiting)

    def _start(self, work: Awaitable[None], waiting: Mapping[str, _WaitingRow]) -> asyncio.Task[None]:
        """Do the work in a task. If it fails, every row that still waits fails with the same error.

        `waiting` is the dictionary of the batch, from which settled rows are taken while the task runs.
        """

        async def do() -> None:
            try:
                await work
            except Exception as error:  # noqa: BLE001  (otherwise the callers of these rows would wait for ever)
                for row in waiting.values():
                    row.tag = None  # the batch, if there is one, still holds it
                    if not row.reply.done():
                        row.reply.set_exception(error)

        task = asyncio.create_task(do())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _make(self, waiting: dict[str, _WaitingRow], content: bytes) -> None:
        """Upload the requests, create their batch and follow it.

        The book gets the batch before it is created, so that no batch can cost money without being in the book.
        """
        upload = partial(self._service.upload, content)
        del content  # it may be large, and this coroutine may live for a day
        input_file = await self._retry(upload)
        del upload
        entry = HeldBatch(secrets.token_hex(12), input_file, None, tuple(waiting))
        await self._book.intend_batch(entry, self.settings.name, self._fingerprint)
        entry = replace(entry, batch_id=await self._create(entry))
        await self._book.note_batch(entry.tag, str(entry.batch_id))
        for row in waiting.values():
            row.submissions += 1
            row.tag = entry.tag
        await self._follow(_LiveBatch(entry, waiting))

    async def _create(self, entry: HeldBatch) -> str:
        """Create the batch. Returns its id."""
        tries = 0

        async def create() -> str:
            nonlocal tries
            tries += 1
            if tries > 1:
                # The failed try may have created the batch all the same.
                existing = await self._service.find(entry.input_file, entry.tag)
                if existing:
                    return existing
            return await self._service.create(entry.input_file, entry.tag)

        try:
            return await self._retry(create)
        except PermanentModelError:
            # A batch that was refused at the first try does not exist. Any other may exist, so it stays in the book.
            if tries == 1:
                self._book.drop_batch(entry.tag)
            raise

    def _await_earlier_batch(self, row: _WaitingRow, batch: _LiveBatch) -> None:
        """Wait for a request that a batch of an earlier process holds."""
        row.tag = batch.held.tag
        outcome = batch.early.pop(row.custom_id, None)
        if outcome is not None or batch.ended:
            self._settle(row, outcome)
            return
        batch.waiting[row.custom_id] = row
        if batch.follower is None or batch.follower.done():
            batch.follower = self._start(self._resume(batch), batch.waiting)

    async def _resume(self, batch: _LiveBatch) -> None:
        """Follow a batch of an earlier process, which may have ended before it noted the id of the batch."""
        entry = batch.held
        if entry.batch_id is None:
            try:
                batch_id = await self._retry(lambda: self._service.find(entry.input_file, entry.tag))
            except BatchGoneError:
                batch_id = None  # this provider has no list of batches to look it up in
            if batch_id is None:
                # The batch was never created, so it does not count.
                for row in batch.waiting.values():
                    row.submissions = 0
                self._forget(batch)
                return
            await self._book.note_batch(entry.tag, batch_id)
            batch.held = replace(entry, batch_id=batch_id)
        await self._follow(batch)

    async def _follow(self, batch: _LiveBatch) -> None:
        """Poll a batch until it has ended, then hand out its outcomes."""
        label = f"{self.settings.name}: batch of {len(batch.held.custom_ids)}"
        self._tell(f"{label} under way")
        try:
            view = await self._ended(str(batch.held.batch_id))
        except BatchGoneError:
            self._forget(batch)
            return
        self._tell(f"{label} {view.status}")
        n_answers = 0
        for file_id in view.files:
            n_answers += await self._hand_out(batch, file_id)
        batch.ended = True
        self._book.end_batch(batch.held.tag, view.status)
        reason = f"model '{self.settings.name}': batch {view.status}"
        if view.problem:
            reason += f": {view.problem}"
        missing = list(batch.waiting.values())
        batch.waiting.clear()
        # A batch without any answer points to trouble at the provider, so the next batch waits a while.
        if missing and not n_answers:
            await asyncio.sleep(self._limits.wait(max(row.submissions for row in missing)))
        for row in missing:
            self._settle(row, None, reason)

    async def _ended(self, batch_id: str) -> BatchView:
        """Poll a batch less and less often until it has ended. An outage of hours does not end the wait."""
        failures = misses = 0
        for polls in itertools.count():
            try:
                view = await self._retry(lambda: self._service.view(batch_id))
                failures = misses = 0
                if view.ended:
                    break
            except TransientModelError:
                failures += 1
                if failures > FAILED_POLLS:
                    raise
            except BatchGoneError:
                misses += 1
                if misses >= GONE_POLLS:
                    raise
            await asyncio.sleep(self._limits.wait(polls))
        return view

    async def _hand_out(self, batch: _LiveBatch, file_id: str) -> int:
        """Settle the rows of a file. Returns their number, which is 0 for a file that is gone."""
        n_answers = 0
        for custom_id, outcome in await self._outcomes(file_id):
            n_answers += 1
            row = batch.waiting.pop(custom_id, None)
            if row is not None:
                self._settle(row, outcome)
            elif self._holders.get(custom_id) is batch:
                # No caller has asked for this row of an earlier process yet.
                batch.early[custom_id] = outcome
        return n_answers

    async def _outcomes(self, file_id: str) -> Iterator[tuple[str, RowOutcome]]:
        """The rows of a file; empty if it is gone."""
        for polls in range(GONE_POLLS):
            try:
                return await self._retry(lambda: self._service.outcomes(file_id))
            except BatchGoneError:
                await asyncio.sleep(self._limits.wait(polls))
        return iter(())

    def _forget(self, batch: _LiveBatch) -> None:
        """Drop a batch that the provider does not have, and ask again for its rows, up to the limit of submissions."""
        batch.ended = True
        self._book.drop_batch(batch.held.tag)
        rows = list(batch.waiting.values())
        batch.waiting.clear()
        for row in rows:
            self._settle(row, None, f"model '{self.settings.name}': the batch is gone")

    def _settle(self, row: _WaitingRow, outcome: RowOutcome | None, reason: str = "") -> None:
        """Answer a row. Without a reply or a refusal, queue it again; after the last submission, fail with `reason`."""
        if row.reply.done():
            return
        if isinstance(outcome, ChatReply):
            row.reply.set_result(outcome)
        elif isinstance(outcome, PermanentModelError):
            row.reply.set_exception(outcome)
        elif row.submissions < self._limits.submissions:
            self._book.take_rows(str(row.tag), [row.custom_id])
            self._enqueue(row)
        else:
            problem = str(outcome or reason or f"model '{self.settings.name}': no batch answered")
            problem += f" (submitted {counted(row.submissions, 'time')})"
            row.reply.set_exception(OutOfTriesError(problem, row.submissions))

    def _note_delivered(self, row: _WaitingRow) -> None:
        """Note in the book that the caller has the reply to a row."""
        # The caller queues the reply for the ledger right after this returns. The note must not reach the disk before
        # the reply, so it follows in the next turn of the event loop.
        if row.tag is not None:
            asyncio.get_running_loop().call_soon(self._book.take_rows, row.tag, [row.custom_id])


def open_batch_models(
    all_settings: Iterable[ModelSettings],
    budget: Budget,
    book: BatchStore,
    limits: BatchLimits,
    tell: Callable[[str], object] = lambda _: None,
) -> list[BatchModel]:
    """Check the models, then open them at half their price. `tell` gets messages about their batches.

    Raises `ConfigError` if a model cannot be called with batch APIs, or has no known price under a limited budget.
    """
    checked = []
    for settings in all_settings:
        check_batches(settings)
        checked.append(discounted(bounded(with_price(settings), budget)))
    return [BatchModel(LiteLLMBatches(settings), book, limits, tell) for settings in checked]
