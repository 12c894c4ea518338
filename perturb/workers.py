"""Works through many small tasks with bounded concurrency, and stops cleanly when the budget is spent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from typing import TypeVar

from perturb.errors import BudgetSpent
from perturb.interrupts import heeded
from perturb.llm.asking import Asker, CallLog
from perturb.llm.budget import Budget
from perturb.llm.client import ChatModel, ModelSettings
from perturb.llm.opening import open_models

T = TypeVar("T")


@asynccontextmanager
async def open_asker(
    settings: Iterable[ModelSettings], log: CallLog, budget: Budget, others: Iterable[ChatModel] = ()
) -> AsyncIterator[Asker]:
    """An asker over the models with these settings, and over `others` that are made already; closed at the end.

    SIGTERM ends the work as Ctrl-C does, so that what was paid for is kept. Raises `ConfigError` for a model that
    cannot be called.
    """
    with heeded():
        models = open_models(settings, budget) | {model.settings.name: model for model in others}
        try:
            yield Asker(models, log, budget)
        finally:
            for model in models.values():
                await model.close()


async def work_through(
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


def first_error(failure: BaseException) -> BaseException:
    """The first error of a group, however deep it is nested; the others are most often its echoes."""
    while isinstance(failure, BaseExceptionGroup):
        failure = failure.exceptions[0]
    return failure
