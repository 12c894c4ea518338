"""The driver's side of every executor with workers: tasks into chunks, chunks to places, rows back to who waits.

A place is wherever one chunk can be worked on: a process, a slot of a cluster's node. It holds nothing that could be
lost but the chunks it is working on. A chunk that is late takes its place down with it, for a frozen worker says
nothing, and the tasks that have no row yet end in `WorkerLostError`.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, Protocol

from perturb.digests import digest
from perturb.errors import ExecutorError, PerturbError, WorkerLostError
from perturb.executors.executor import FarModel
from perturb.executors.tasks import Failure, Opener, Row, Task
from perturb.llm.client import ChatModel, ModelSettings
from perturb.llm.opening import open_transport

Waiting = tuple[Task, "asyncio.Future[Any]"]


class Place(Protocol):
    """Where chunks are worked on."""

    @property
    def name(self) -> str:
        """Names the place in error messages."""

    def work(self, chunk: Sequence[Task]) -> AsyncIterator[Row]:
        """Have a chunk done; rows come in any order.

        Raises `WorkerLostError` when it is known that no more will come.
        """

    def drop(self) -> None:
        """Give up on whatever is under way there."""


class Places(Protocol):
    """All the places of an executor."""

    def tell(self, changed: Callable[[], None]) -> None:
        """Have `changed` called whenever a place may have become free."""

    def free(self) -> Sequence[Place]:
        """Those that can take a chunk now, the least busy first. Raises `ExecutorError` if none ever will."""

    async def close(self) -> None:
        """Stop them."""


class Crew:
    """An executor over places."""

    def __init__(self, places: Places, *, width: int, chunk: int, grace: float) -> None:
        """`chunk` is the most tasks that go out together; `grace` what a chunk may take over its tasks' own time."""
        self.width = width
        self.lost = 0
        """How many chunks were lost with whoever had them."""
        self._places = places
        places.tell(self._wake)
        self._chunk = chunk
        self._grace = grace
        self._waiting: deque[Waiting] = deque()
        self._under_way: set[asyncio.Task[None] | None] = set()
        self._woken = False
        self._broken: ExecutorError | None = None

    def model(self, settings: ModelSettings, opener: Opener = open_transport) -> ChatModel:
        """A model whose calls the places carry out."""
        key = digest(settings.name, settings.fingerprint(), settings.timeout, settings.max_connections)
        return FarModel(settings, self, key, opener)

    async def run(self, task: Task) -> Any:
        """Put the task into the next chunk and wait for its row."""
        if self._broken is not None:
            raise self._broken
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.append((task, future))
        self._wake()
        return await future

    async def close(self) -> None:
        """Drop what is under way and stop the places."""
        carried = [one for one in self._under_way if one is not None]
        for one in carried:
            one.cancel()
        await asyncio.gather(*carried, return_exceptions=True)
        await self._places.close()

    def _wake(self) -> None:
        """Send chunks out once everything that is ready now has been put in."""
        if not self._woken:
            self._woken = True
            asyncio.get_running_loop().call_soon(self._send_out)

    def _send_out(self) -> None:
        self._woken = False
        try:
            free = self._places.free() if self._waiting else []
        except ExecutorError as error:
            self._give_up(error)
            return
        for number, place in enumerate(free):
            share = -(-len(self._waiting) // (len(free) - number))
            chunk = self._take(min(self._chunk, share))
            if not chunk:
                return
            self._under_way.add(asyncio.ensure_future(self._carry(place, chunk)))
        if self._waiting and free:
            self._wake()

    def _take(self, number: int) -> list[Waiting]:
        """The next tasks that somebody still waits for."""
        chunk: list[Waiting] = []
        while self._waiting and len(chunk) < number:
            task, future = self._waiting.popleft()
            if not future.done():
                chunk.append((task, future))
        return chunk

    async def _carry(self, place: Place, chunk: list[Waiting]) -> None:
        """Have one chunk done and hand its rows to those who wait for them."""
        tasks = [task for task, _ in chunk]
        try:
            async with asyncio.timeout(max(task.seconds for task in tasks) + self._grace):
                async for row in place.work(tasks):
                    _settle(chunk[row.position], row)
            self._fail(chunk, WorkerLostError(f"{place.name} ended without all rows"))
        except TimeoutError:
            place.drop()
            self._fail(chunk, WorkerLostError(f"{place.name} was late and is given up"))
        except WorkerLostError as error:
            self._fail(chunk, WorkerLostError(f"{place.name} was lost: {error}"))
        except Exception as error:  # noqa: BLE001  (nobody may wait for ever, whatever went wrong)
            problem = error if isinstance(error, ExecutorError) else ExecutorError(f"{place.name}: {error}")
            self._fail(chunk, problem)
            self._give_up(problem)
        finally:
            self._under_way.discard(asyncio.current_task())
            self._wake()

    def _fail(self, chunk: list[Waiting], error: PerturbError) -> None:
        """End the tasks of a chunk that have no row yet."""
        left = [future for _, future in chunk if not future.done()]
        self.lost += bool(left)
        for future in left:
            future.set_exception(error)

    def _give_up(self, error: ExecutorError) -> None:
        self._broken = error
        while self._waiting:
            _, future = self._waiting.popleft()
            if not future.done():
                future.set_exception(error)


def _settle(waiting: Waiting, row: Row) -> None:
    task, future = waiting
    if row.key != task.key:
        raise ExecutorError(f"a worker answered {row.key} where {task.key} was asked: please report this")
    if future.done():
        return
    if isinstance(row.value, Failure):
        future.set_exception(row.value.error())
    else:
        future.set_result(row.value)
