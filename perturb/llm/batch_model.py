"""Calls a model with batch APIs: requests are gathered, submitted as one file, and answered when the batch has ended.

A batch may take a day and outlive the process that submitted it. So its book is kept on disk: if a batch of an earlier
session holds a request, its answer is awaited and the request is not submitted again.
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
from perturb.llm.limits import OutOfTriesError, insist
from perturb.llm.remote import with_price
from perturb.llm.remote_batches import LiteLLMBatches, check_batches, discounted
from perturb.text.wording import counted

FAILED_LOOKS = 50
"""After so many looks in a row that failed, with all their tries, those who wait for a batch are told."""

GONE_LOOKS = 5
"""So many looks must find no batch, or no file, before it is believed: a provider may not know yet of a new one."""


@dataclass(slots=True)
class _WaitingRow:
    """A request that somebody waits for."""

    custom_id: str
    request: ChatRequest
    reply: asyncio.Future[ChatReply]
    submissions: int = 0
    tag: str | None = None
    """The batch that holds it; None while it is in the queue."""


@dataclass(slots=True)
class _LiveBatch:
    """A batch at the provider, of this session or an earlier one."""

    held: HeldBatch
    waiting: dict[str, _WaitingRow] = field(default_factory=dict)
    early: dict[str, RowOutcome] = field(default_factory=dict)
    """Outcomes that have been read and nobody has asked for yet."""
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
        self._content = bytearray()
        self._timer: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._asked: set[str] = set()
        self.settings = service.settings
        self._insist = partial(insist, retries=self.settings.max_retries)
        live_batches = (_LiveBatch(held_batch) for held_batch in book.held_batches(self._fingerprint))
        self._holders = {custom_id: batch for batch in live_batches for custom_id in batch.held.custom_ids}

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer one request when the batch that takes it has ended.

        Raises `OutOfTriesError` (a `TransientModelError`) if batch after batch ended without it, or the provider could
        not be reached; `PermanentModelError` if it was refused.
        """
        started = time.perf_counter()
        row = _WaitingRow(self._custom_id(request), request, asyncio.get_running_loop().create_future())
        self._asked.add(row.custom_id)
        batch = self._holders.pop(row.custom_id, None)
        if batch is None:
            self._enqueue(row)
        else:
            row.submissions = 1
            self._await(row, batch)
        try:
            reply = await row.reply
        except ModelError:
            self._take(row)
            raise
        finally:
            self._asked.discard(row.custom_id)
        self._take(row)
        return replace(reply, seconds=time.perf_counter() - started, tries=row.submissions)

    async def close(self) -> None:
        """Stop waiting; batches go on at the provider."""
        if self._timer is not None:
            self._timer.cancel()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, asyncio.sleep(0), return_exceptions=True)
        await self._service.close()

    def _custom_id(self, request: ChatRequest) -> str:
        """The same for the same request in every session; the second of two that wait at once gets another one."""
        content = [(message.role, message.content) for message in request.messages]
        schema = None if request.schema is None else dict(request.schema)
        ids = (
            digest(self._fingerprint, request.key, content, schema, number, length=32)
            for number in itertools.count()
        )
        return next(custom_id for custom_id in ids if custom_id not in self._asked)

    def _enqueue(self, row: _WaitingRow) -> None:
        """Put a request into the next batch, which is submitted when it is full or no more come."""
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
        self._timer = asyncio.get_running_loop().call_later(self._limits.quiet, self._submit)

    def _submit(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        rows, content = self._queue, bytes(self._content)
        self._queue, self._content = [], bytearray()
        if rows:
            waiting = {row.custom_id: row for row in rows}
            self._start(self._make(waiting, content), waiting)

    def _start(self, work: Awaitable[None], waiting: Mapping[str, _WaitingRow]) -> asyncio.Task[None]:
        """Do the work beside; an error in it is the error of every row that waits for it then."""

        async def do() -> None:
            try:
                await work
            except Exception as error:  # noqa: BLE001  (whatever it is, those who wait must hear of it)
                for row in waiting.values():
                    row.tag = None  # the batch, if there is one, still holds it
                    if not row.reply.done():
                        row.reply.set_exception(error)

        task = asyncio.create_task(do())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _make(self, waiting: dict[str, _WaitingRow], content: bytes) -> None:
        """Upload, note, create, note: so that a batch is known before it can cost anything."""
        upload = partial(self._service.upload, content)
        del content  # it may be large, and the batch may take a day
        input_file = await self._insist(upload)
        del upload
        held = HeldBatch(secrets.token_hex(12), input_file, None, tuple(waiting))
        await self._book.intend_batch(held, self.settings.name, self._fingerprint)
        held = replace(held, batch_id=await self._create(held))
        await self._book.note_batch(held.tag, str(held.batch_id))
        for row in waiting.values():
            row.submissions += 1
            row.tag = held.tag
        await self._follow(_LiveBatch(held, waiting))

    async def _create(self, held: HeldBatch) -> str:
        """Make the batch; before another try, look whether the one that failed has made it all the same.

        Only a batch that was refused at the first try is known not to exist; any other stays in the book.
        """
        tries = 0

        async def create() -> str:
            nonlocal tries
            tries += 1
            if tries > 1 and (batch_id := await self._service.find(held.input_file, held.tag)):
                return batch_id
            try:
                return await self._service.create(held.input_file, held.tag)
            except PermanentModelError:
                if tries == 1:
                    self._book.drop_batch(held.tag)
                raise

        return await self._insist(create)

    def _await(self, row: _WaitingRow, batch: _LiveBatch) -> None:
        """Wait for a request that a batch of an earlier session holds."""
        row.tag = batch.held.tag
        outcome = batch.early.pop(row.custom_id, None)
        if outcome is not None or batch.ended:
            self._settle(row, outcome, "")
            return
        batch.waiting[row.custom_id] = row
        if batch.follower is None or batch.follower.done():
            batch.follower = self._start(self._resume(batch), batch.waiting)

    async def _resume(self, batch: _LiveBatch) -> None:
        """Follow a batch of an earlier session, whose id may not have been noted."""
        held = batch.held
        if held.batch_id is None:
            try:
                batch_id = await self._insist(lambda: self._service.find(held.input_file, held.tag))
            except BatchGoneError:  # no list to find it in
                batch_id = None
            if batch_id is None:
                for row in batch.waiting.values():
                    row.submissions = 0
                self._forget(batch)
                return
            await self._book.note_batch(held.tag, batch_id)
            batch.held = replace(held, batch_id=batch_id)
        await self._follow(batch)

    async def _follow(self, batch: _LiveBatch) -> None:
        """Look after a batch until it has ended, then hand out what came of it."""
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
        reason = f"model '{self.settings.name}': batch {view.status}{view.problem and ': '}{view.problem}"
        missing = list(batch.waiting.values())
        batch.waiting.clear()
        if missing and not n_answers:
            await asyncio.sleep(self._limits.wait(max(row.submissions for row in missing)))
        for row in missing:
            self._settle(row, None, reason)

    async def _ended(self, batch_id: str) -> BatchView:
        """Wait for the end of a batch, looking less and less often; an outage of hours does not end it."""
        failed = gone = 0
        for looks in itertools.count():
            try:
                view = await self._insist(lambda: self._service.view(batch_id))
                failed = gone = 0
                if view.ended:
                    break
            except TransientModelError:
                failed += 1
                if failed > FAILED_LOOKS:
                    raise
            except BatchGoneError:
                gone += 1
                if gone >= GONE_LOOKS:
                    raise
            await asyncio.sleep(self._limits.wait(looks))
        return view

    async def _hand_out(self, batch: _LiveBatch, file_id: str) -> int:
        """Settle the rows of a file; returns how many it has. A file that is gone has none."""
        n_answers = 0
        for custom_id, outcome in await self._outcomes(file_id):
            n_answers += 1
            row = batch.waiting.pop(custom_id, None)
            if row is not None:
                self._settle(row, outcome, "")
            elif self._holders.get(custom_id) is batch:
                batch.early[custom_id] = outcome
        return n_answers

    async def _outcomes(self, file_id: str) -> Iterator[tuple[str, RowOutcome]]:
        """The rows of a file; none once so many looks in a row have not found it."""
        for look in range(GONE_LOOKS):
            try:
                return await self._insist(lambda: self._service.outcomes(file_id))
            except BatchGoneError:
                await asyncio.sleep(self._limits.wait(look))
        return iter(())

    def _forget(self, batch: _LiveBatch) -> None:
        """The provider has no such batch: everything in it is asked again, as far as it may be."""
        batch.ended = True
        self._book.drop_batch(batch.held.tag)
        rows = list(batch.waiting.values())
        batch.waiting.clear()
        for row in rows:
            self._settle(row, None, f"model '{self.settings.name}': the batch is gone")

    def _settle(self, row: _WaitingRow, outcome: RowOutcome | None, reason: str) -> None:
        """Answer a row, or queue it again if its batch left it unanswered."""
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
            words = str(outcome or reason or f"model '{self.settings.name}': no batch answered")
            words += f" (submitted {counted(row.submissions, 'time')})"
            row.reply.set_exception(OutOfTriesError(words, row.submissions))

    def _take(self, row: _WaitingRow) -> None:
        """Note a row as taken, in the next turn of the loop, because its outcome is recorded in this one."""
        if row.tag is not None:
            asyncio.get_running_loop().call_soon(self._book.take_rows, row.tag, [row.custom_id])


def open_batch_models(
    all_settings: Iterable[ModelSettings],
    budget: Budget,
    book: BatchStore,
    limits: BatchLimits,
    tell: Callable[[str], object] = lambda _: None,
) -> list[BatchModel]:
    """Check the models, then make them, each at half its price; `tell` gets messages on their batches.

    Raises `ConfigError` if one cannot be called with batch APIs, or has no known price under a limited budget.
    """
    checked = []
    for settings in all_settings:
        check_batches(settings)
        checked.append(discounted(bounded(with_price(settings), budget)))
    return [BatchModel(LiteLLMBatches(settings), book, limits, tell) for settings in checked]
