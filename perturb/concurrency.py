"""Works through many small tasks with bounded concurrency, and stops cleanly when the budget is spent."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import TypeVar

from perturb.errors import BudgetSpent

T = TypeVar("T")


async def run_concurrently(
    tasks: Iterator[T], do: Callable[[T], Awaitable[None]], width: int
) -> BudgetSpent | None:
    """Do every task, `width` at a time; tasks are taken from the iterator one by one.

    Returns `BudgetSpent` if a task raised it: no new task is begun then, and those under way are finished. Any other
    error ends the work and is raised.
    """
    spent: list[BudgetSpent] = []

    async def work() -> None:
        for task in tasks:
            if spent:
                return
            try:
                await do(task)
            except BudgetSpent as exc:
                spent.append(exc)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(width):
                group.create_task(work())
    except BaseExceptionGroup as failures:
        raise first_error(failures) from None
    return spent[0] if spent else None


async def gather_all(work: Iterable[Awaitable[T]]) -> list[T]:
    """The results of all; a failure is raised once the others are done, so that no reply paid for is lost."""
    ended = await asyncio.gather(*work, return_exceptions=True)
    results: list[T] = []
    for end in ended:
        if isinstance(end, BaseException):
            raise end
        results.append(end)
    return results


def first_error(failure: BaseException) -> BaseException:
    """The first error of a group, however deep it is nested; the others are most often its echoes."""
    while isinstance(failure, BaseExceptionGroup):
        failure = failure.exceptions[0]
    return failure
