"""The driver's side alone, with places that behave oddly."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence

import pytest

from perturb.errors import ExecutorError, WorkerLostError
from perturb.llm.worker_pool import WorkerPool, WorkerSlot
from perturb.llm.worker_tasks import TaskRow, WorkerTask
from perturb.llm.workers import LocalExecutor
from tests.executors.odd_tasks import OddTask

Work = Callable[[Sequence[WorkerTask]], AsyncIterator[TaskRow]]


class OnePlace:
    """Both a place and all the places there are."""

    name = "the place"

    def __init__(self, work: Work) -> None:
        self.work = work
        self.dropped = 0

    def free(self) -> Sequence[WorkerSlot]:
        return [self]

    def set_on_change(self, changed: Callable[[], None]) -> None:
        pass

    def drop(self) -> None:
        self.dropped += 1

    async def close(self) -> None:
        pass


async def first_only(chunk: Sequence[WorkerTask]) -> AsyncIterator[TaskRow]:
    yield TaskRow(0, chunk[0].key, "done")


async def wrong_key(chunk: Sequence[WorkerTask]) -> AsyncIterator[TaskRow]:
    yield TaskRow(0, "another", "done")


async def never(chunk: Sequence[WorkerTask]) -> AsyncIterator[TaskRow]:
    await asyncio.sleep(60)
    yield TaskRow(0, chunk[0].key, "done")


async def fates(work: Work, number: int = 2) -> tuple[list[object], OnePlace]:
    slot = OnePlace(work)
    pool = WorkerPool(slot, width=4, chunk=4, grace=0.1)
    tasks = (pool.run(OddTask(n, seconds=0.1)) for n in range(number))
    found: list[object] = list(await asyncio.gather(*tasks, return_exceptions=True))
    await pool.close()
    return found, slot


async def test_a_stream_that_ends_early_loses_what_has_no_row() -> None:
    (first, second), slot = await fates(first_only)
    assert first == "done"
    assert isinstance(second, WorkerLostError)
    assert slot.dropped == 0


async def test_a_late_place_is_dropped() -> None:
    found, slot = await fates(never)
    assert all(isinstance(one, WorkerLostError) for one in found)
    assert slot.dropped == 1


async def test_a_row_of_another_task_ends_the_work() -> None:
    found, _ = await fates(wrong_key)
    assert all(isinstance(one, ExecutorError) for one in found)


async def test_nothing_is_taken_after_a_failure_of_the_whole() -> None:
    taken: list[int] = []

    def work(chunk: Sequence[WorkerTask]) -> AsyncIterator[TaskRow]:
        taken.append(len(chunk))
        return wrong_key(chunk)

    pool = WorkerPool(OnePlace(work), width=4, chunk=1, grace=0.1)
    found = await asyncio.gather(*(pool.run(OddTask(n)) for n in range(3)), return_exceptions=True)
    assert all(isinstance(one, ExecutorError) for one in found)
    before = len(taken)
    with pytest.raises(ExecutorError, match="please report"):
        await pool.run(OddTask(4))
    assert len(taken) == before
    await pool.close()


class SeveralPlaces(OnePlace):
    """Places that note what they are given, and answer all of it once `open` is set."""

    def __init__(self, number: int) -> None:
        super().__init__(self.answer)
        self.slots = [self] * number
        self.taken: list[list[str]] = []
        self.open = asyncio.Event()

    def free(self) -> Sequence[WorkerSlot]:
        return self.slots

    async def answer(self, chunk: Sequence[WorkerTask]) -> AsyncIterator[TaskRow]:
        self.taken.append([task.key for task in chunk])
        await self.open.wait()
        for slot, task in enumerate(chunk):
            yield TaskRow(slot, task.key, slot)


async def test_free_places_share_what_is_ready_and_take_the_rest_at_once() -> None:
    slots = SeveralPlaces(2)
    pool = WorkerPool(slots, width=4, chunk=2, grace=60)
    running = []
    for number, shares in ((2, [1, 1]), (7, [1, 1, 2, 2, 2, 1])):
        running += [asyncio.ensure_future(pool.run(OddTask(n))) for n in range(number)]
        for _ in range(20):
            await asyncio.sleep(0)
        assert [len(chunk) for chunk in slots.taken] == shares, "sent before anything came back"
    slots.open.set()
    await asyncio.gather(*running)
    assert pool.lost == 0
    await pool.close()


async def test_what_nobody_waits_for_is_not_sent() -> None:
    slots = SeveralPlaces(0)
    pool = WorkerPool(slots, width=4, chunk=4, grace=60)
    gone, kept = (asyncio.ensure_future(pool.run(OddTask(n))) for n in range(2))
    await asyncio.sleep(0)
    gone.cancel()
    slots.slots = [slots]
    slots.open.set()
    pool._schedule_dispatch()
    assert await kept == 0
    assert slots.taken == [["odd-1"]]
    await pool.close()


async def test_a_chunk_has_the_time_of_its_slowest_task() -> None:
    slots = SeveralPlaces(1)
    pool = WorkerPool(slots, width=4, chunk=2, grace=0.0)
    tasks = (pool.run(OddTask(n, seconds=seconds)) for n, seconds in enumerate((0.05, 60)))
    asyncio.get_running_loop().call_later(0.3, slots.open.set)
    assert await asyncio.gather(*tasks) == [0, 1]
    await pool.close()


async def test_a_task_done_here_lets_others_have_their_turn() -> None:
    turns: list[int] = []
    asyncio.get_running_loop().call_soon(turns.append, 1)
    await LocalExecutor().run(OddTask(1))
    assert turns == [1]
