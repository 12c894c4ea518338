"""The driver's side alone, with places that behave oddly."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence

import pytest

from perturb.errors import ExecutorError, WorkerLostError
from perturb.executors.crew import Crew, Place
from perturb.executors.tasks import Row, Task
from tests.executors.odd_tasks import OddTask

Work = Callable[[Sequence[Task]], AsyncIterator[Row]]


class OnePlace:
    """Both a place and all the places there are."""

    name = "the place"

    def __init__(self, work: Work) -> None:
        self.work = work
        self.dropped = 0

    def free(self) -> Sequence[Place]:
        return [self]

    def tell(self, changed: Callable[[], None]) -> None:
        pass

    def drop(self) -> None:
        self.dropped += 1

    async def close(self) -> None:
        pass


async def first_only(chunk: Sequence[Task]) -> AsyncIterator[Row]:
    yield Row(0, chunk[0].key, "done")


async def wrong_key(chunk: Sequence[Task]) -> AsyncIterator[Row]:
    yield Row(0, "another", "done")


async def never(chunk: Sequence[Task]) -> AsyncIterator[Row]:
    await asyncio.sleep(60)
    yield Row(0, chunk[0].key, "done")


async def fates(work: Work, number: int = 2) -> tuple[list[object], OnePlace]:
    place = OnePlace(work)
    crew = Crew(place, width=4, chunk=4, grace=0.1)
    tasks = (crew.run(OddTask(n, seconds=0.1)) for n in range(number))
    found: list[object] = list(await asyncio.gather(*tasks, return_exceptions=True))
    await crew.close()
    return found, place


async def test_a_stream_that_ends_early_loses_what_has_no_row() -> None:
    (first, second), place = await fates(first_only)
    assert first == "done"
    assert isinstance(second, WorkerLostError)
    assert place.dropped == 0


async def test_a_late_place_is_dropped() -> None:
    found, place = await fates(never)
    assert all(isinstance(one, WorkerLostError) for one in found)
    assert place.dropped == 1


async def test_a_row_of_another_task_ends_the_work() -> None:
    found, _ = await fates(wrong_key)
    assert all(isinstance(one, ExecutorError) for one in found)


async def test_nothing_is_taken_after_a_failure_of_the_whole() -> None:
    taken: list[int] = []

    def work(chunk: Sequence[Task]) -> AsyncIterator[Row]:
        taken.append(len(chunk))
        return wrong_key(chunk)

    crew = Crew(OnePlace(work), width=4, chunk=1, grace=0.1)
    found = await asyncio.gather(*(crew.run(OddTask(n)) for n in range(3)), return_exceptions=True)
    assert all(isinstance(one, ExecutorError) for one in found)
    before = len(taken)
    with pytest.raises(ExecutorError, match="please report"):
        await crew.run(OddTask(4))
    assert len(taken) == before
    await crew.close()


class SeveralPlaces(OnePlace):
    """Places that note what they are given, and answer all of it once `open` is set."""

    def __init__(self, number: int) -> None:
        super().__init__(self.answer)
        self.places = [self] * number
        self.taken: list[list[str]] = []
        self.open = asyncio.Event()

    def free(self) -> Sequence[Place]:
        return self.places

    async def answer(self, chunk: Sequence[Task]) -> AsyncIterator[Row]:
        self.taken.append([task.key for task in chunk])
        await self.open.wait()
        for place, task in enumerate(chunk):
            yield Row(place, task.key, place)


async def test_free_places_share_what_is_ready_and_take_the_rest_at_once() -> None:
    places = SeveralPlaces(2)
    crew = Crew(places, width=4, chunk=2, grace=60)
    running = []
    for number, shares in ((2, [1, 1]), (7, [1, 1, 2, 2, 2, 1])):
        running += [asyncio.ensure_future(crew.run(OddTask(n))) for n in range(number)]
        for _ in range(20):
            await asyncio.sleep(0)
        assert [len(chunk) for chunk in places.taken] == shares, "sent before anything came back"
    places.open.set()
    await asyncio.gather(*running)
    assert crew.lost == 0
    await crew.close()


async def test_what_nobody_waits_for_is_not_sent() -> None:
    places = SeveralPlaces(0)
    crew = Crew(places, width=4, chunk=4, grace=60)
    gone, kept = (asyncio.ensure_future(crew.run(OddTask(n))) for n in range(2))
    await asyncio.sleep(0)
    gone.cancel()
    places.places = [places]
    places.open.set()
    crew._wake()
    assert await kept == 0
    assert places.taken == [["odd-1"]]
    await crew.close()


async def test_a_chunk_has_the_time_of_its_slowest_task() -> None:
    places = SeveralPlaces(1)
    crew = Crew(places, width=4, chunk=2, grace=0.0)
    tasks = (crew.run(OddTask(n, seconds=seconds)) for n, seconds in enumerate((0.05, 60)))
    asyncio.get_running_loop().call_later(0.3, places.open.set)
    assert await asyncio.gather(*tasks) == [0, 1]
    await crew.close()
