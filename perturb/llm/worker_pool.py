"""The driver's side of every executor with workers: tasks into chunks, chunks to places, rows back to who waits.

A place is wherever one chunk can be worked on: a process, a slot of a cluster's node. It holds nothing that could be
lost but the chunks it is working on. A chunk that is late takes its place down with it, for a frozen worker says
nothing, and the tasks that have no row yet end in `WorkerLostError`.

Objects over a stream between a driver and the workers it has started itself: a length, then a pickle.
"""

from __future__ import annotations

import asyncio
import pickle
import struct
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, Protocol

from perturb.errors import ExecutorError, PerturbError, WorkerLostError
from perturb.files.resources import digest
from perturb.llm.client import ChatModel, ModelSettings
from perturb.llm.factory import open_transport
from perturb.llm.worker_tasks import Failure, Opener, TaskRow, WorkerTask
from perturb.llm.workers import RemoteModel

Waiting = tuple[WorkerTask, "asyncio.Future[Any]"]


class WorkerSlot(Protocol):
    """Where chunks are worked on."""

    @property
    def name(self) -> str:
        """Names the place in error messages."""

    def work(self, chunk: Sequence[WorkerTask]) -> AsyncIterator[TaskRow]:
        """Have a chunk done; rows come in any order.

        Raises `WorkerLostError` when it is known that no more will come.
        """

    def drop(self) -> None:
        """Give up on whatever is under way there."""


class WorkerSlots(Protocol):
    """All the places of an executor."""

    def set_on_change(self, changed: Callable[[], None]) -> None:
        """Have `changed` called whenever a place may have become free."""

    def free(self) -> Sequence[WorkerSlot]:
        """Those that can take a chunk now, the least busy first. Raises `ExecutorError` if none ever will."""

    async def close(self) -> None:
        """Stop them."""


class WorkerPool:
    """An executor over places."""

    def __init__(self, slots: WorkerSlots, *, width: int, chunk: int, grace: float) -> None:
        """`chunk` is the most tasks that go out together; `grace` what a chunk may take over its tasks' own time."""
        self.width = width
        self.lost = 0
        """How many chunks were lost with whoever had them."""
        self._slots = slots
        slots.set_on_change(self._schedule_dispatch)
        self._chunk = chunk
        self._grace = grace
        self._waiting: deque[Waiting] = deque()
        self._running: set[asyncio.Task[None] | None] = set()
        self._dispatch_scheduled = False
        self._broken: ExecutorError | None = None

    def model(self, settings: ModelSettings, opener: Opener = open_transport) -> ChatModel:
        """A model whose calls the places carry out."""
        key = digest(settings.name, settings.fingerprint(), settings.timeout, settings.max_connections)
        return RemoteModel(settings, self, key, opener)

    async def run(self, task: WorkerTask) -> Any:
        """Put the task into the next chunk and wait for its row."""
        if self._broken is not None:
            raise self._broken
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.append((task, future))
        self._schedule_dispatch()
        return await future

    async def close(self) -> None:
        """Drop what is under way and stop the places."""
        carried = [one for one in self._running if one is not None]
        for one in carried:
            one.cancel()
        await asyncio.gather(*carried, return_exceptions=True)
        await self._slots.close()

    def _schedule_dispatch(self) -> None:
        """Send chunks out once everything that is ready now has been put in."""
        if not self._dispatch_scheduled:
            self._dispatch_scheduled = True
            asyncio.get_running_loop().call_soon(self._dispatch)

    def _dispatch(self) -> None:
        self._dispatch_scheduled = False
        try:
            free = self._slots.free() if self._waiting else []
        except ExecutorError as error:
            self._abort(error)
            return
        for number, slot in enumerate(free):
            share = -(-len(self._waiting) // (len(free) - number))
            chunk = self._next_chunk(min(self._chunk, share))
            if not chunk:
                return
            self._running.add(asyncio.ensure_future(self._run_chunk(slot, chunk)))
        if self._waiting and free:
            self._schedule_dispatch()

    def _next_chunk(self, number: int) -> list[Waiting]:
        chunk: list[Waiting] = []
        while self._waiting and len(chunk) < number:
            task, future = self._waiting.popleft()
            if not future.done():
                chunk.append((task, future))
        return chunk

    async def _run_chunk(self, slot: WorkerSlot, chunk: list[Waiting]) -> None:
        """Have one chunk done and hand its rows to those who wait for them."""
        tasks = [task for task, _ in chunk]
        try:
            async with asyncio.timeout(max(task.seconds for task in tasks) + self._grace):
                async for row in slot.work(tasks):
                    _settle(chunk[row.position], row)
            self._fail(chunk, WorkerLostError(f"{slot.name} ended without all rows"))
        except TimeoutError:
            slot.drop()
            self._fail(chunk, WorkerLostError(f"{slot.name} timed out and was abandoned"))
        except WorkerLostError as error:
            slot.drop()  # a cluster lists a dead node as alive for a while, and it would be the least busy
            self._fail(chunk, WorkerLostError(f"{slot.name} was lost: {error}"))
        except Exception as error:  # noqa: BLE001  (nobody may wait for ever, whatever went wrong)
            problem = error if isinstance(error, ExecutorError) else ExecutorError(f"{slot.name}: {error}")
            self._fail(chunk, problem)
            self._abort(problem)
        finally:
            self._running.discard(asyncio.current_task())
            self._schedule_dispatch()

    def _fail(self, chunk: list[Waiting], error: PerturbError) -> None:
        """End the tasks of a chunk that have no row yet."""
        left = [future for _, future in chunk if not future.done()]
        self.lost += bool(left)
        for future in left:
            future.set_exception(error)

    def _abort(self, error: ExecutorError) -> None:
        self._broken = error
        while self._waiting:
            _, future = self._waiting.popleft()
            if not future.done():
                future.set_exception(error)


def _settle(waiting: Waiting, row: TaskRow) -> None:
    task, future = waiting
    if row.key != task.key:
        raise ExecutorError(f"a worker answered {row.key} where {task.key} was asked: please report this")
    if future.done():
        return
    if isinstance(row.value, Failure):
        future.set_exception(row.value.error())
    else:
        future.set_result(row.value)


_LENGTH = struct.Struct("!Q")


def write_frame(writer: asyncio.StreamWriter, content: Any) -> None:
    """Queue one object for sending; never waits."""
    frame = pickle.dumps(content, protocol=pickle.HIGHEST_PROTOCOL)
    writer.write(_LENGTH.pack(len(frame)) + frame)


async def read_frame(reader: asyncio.StreamReader) -> Any:
    """The next object. Raises `EOFError` when the other end is gone."""
    try:
        (length,) = _LENGTH.unpack(await reader.readexactly(_LENGTH.size))
        return pickle.loads(await reader.readexactly(length))  # noqa: S301  (both ends are this program)
    except asyncio.IncompleteReadError:
        raise EOFError from None
