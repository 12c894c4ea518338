"""What runs on the nodes of a Ray cluster: a chunk in, its rows out. Nothing here needs Ray."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from functools import lru_cache
from typing import Any

from perturb.files.resources import code_version
from perturb.llm.worker_tasks import TaskRow, WorkerContext, WorkerTask, perform_chunk

GATHER_SECONDS = 0.02
"""Seconds that a row waits for others: a trip to the driver costs more than a row."""

_CONTEXT = WorkerContext()
"""Opened models serve every chunk of this process; they are kept by their settings, so runs do not mix."""


@lru_cache(maxsize=1)
def _loop() -> asyncio.AbstractEventLoop:
    """One loop for all the chunks of this process, so that connections are kept."""
    return asyncio.new_event_loop()


def work_on(setup: Any, chunk: Sequence[WorkerTask]) -> Iterator[list[TaskRow]]:
    """Do the tasks of a chunk at the same time; rows come in handfuls, as they are done."""
    _CONTEXT.setup = setup
    batches = _gather(chunk)
    loop = _loop()
    while rows := loop.run_until_complete(_next(batches)):
        yield rows


async def _gather(chunk: Sequence[WorkerTask]) -> AsyncIterator[list[TaskRow]]:
    """The rows of a chunk; those that come within `GATHER_SECONDS` seconds travel together."""
    inbox: asyncio.Queue[TaskRow] = asyncio.Queue()

    async def fill() -> None:
        async for row in perform_chunk(chunk, _CONTEXT):
            inbox.put_nowait(row)

    filling = asyncio.ensure_future(fill())
    left = len(chunk)
    while left:
        rows = [await inbox.get()]
        await asyncio.sleep(GATHER_SECONDS)
        while not inbox.empty():
            rows.append(inbox.get_nowait())
        left -= len(rows)
        yield rows
    await filling


async def _next(batches: AsyncIterator[list[TaskRow]]) -> list[TaskRow] | None:
    return await anext(batches, None)


def version() -> str:
    """The version of perturb on this node."""
    return code_version()
