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
    crew = Crew(OnePlace(wrong_key), width=4, chunk=4, grace=0.1)
    for _ in range(2):
        with pytest.raises(ExecutorError, match="please report"):
            await crew.run(OddTask(1))
    await crew.close()
