"""A clock that jumps to the next sleeper as soon as nothing else can run."""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections.abc import Coroutine
from typing import Any, TypeVar

from perturb.llm.limits import Clock

T = TypeVar("T")

_SETTLE = 50
"""Turns of the event loop after which everything that can run has run."""


class VirtualClock(Clock):
    """Time that passes when nobody has anything else to do."""

    def __init__(self) -> None:
        self.time = 0.0
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._order = itertools.count()

    def now(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self.time + seconds, next(self._order), woken))
        await woken

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run to the end, however many hours that takes on this clock."""
        task = asyncio.ensure_future(work)
        while not task.done():
            for _ in range(_SETTLE):
                await asyncio.sleep(0)
            if task.done():
                break
            if not self._sleepers:
                task.cancel()
                raise AssertionError("everybody waits and nobody sleeps: a deadlock")
            self.time, _, woken = heapq.heappop(self._sleepers)
            if not woken.done():
                woken.set_result(None)
        return task.result()
