"""What an executor is, and the one that needs no workers."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import Any, Protocol

from perturb.errors import ExecutorError, WorkerLostError
from perturb.llm.client import ChatModel, ChatReply, ChatRequest, ModelSettings
from perturb.llm.factory import open_transport
from perturb.llm.worker_tasks import ChatTask, Opener, WorkerContext, WorkerTask

MAX_LOST_WORKERS = 3
"""A task of the rule engine that has lost so many workers is not given to another."""


class Executor(Protocol):
    """Does tasks, here or elsewhere."""

    width: int
    """How many tasks of the rule engine keep it busy."""

    def model(self, settings: ModelSettings, opener: Opener = open_transport) -> ChatModel:
        """A model whose calls this executor carries out, without limits and retries: those are the driver's."""

    async def run(self, task: WorkerTask) -> Any:
        """The result of a task.

        Raises the task's error, `WorkerLostError` if whoever had it is gone, and `ExecutorError` if there is
        nobody left to do it.
        """

    async def close(self) -> None:
        """Let the workers go; tasks under way are dropped."""


class LocalExecutor:
    """Does everything in this process."""

    width = 1

    def __init__(self, setup: Any = None) -> None:
        self._context = WorkerContext(setup)

    def model(self, settings: ModelSettings, opener: Opener = open_transport) -> ChatModel:
        """The model itself."""
        return opener(settings)

    async def run(self, task: WorkerTask) -> Any:
        """Do the task at once, after the calls in flight have had their turn."""
        await asyncio.sleep(0)
        return await task.perform(self._context)

    async def close(self) -> None:
        """Close what was opened."""
        await self._context.close()


@dataclass(frozen=True, slots=True)
class RemoteModel:
    """A model whose calls are made by the workers of an executor."""

    settings: ModelSettings
    executor: Executor
    key: str
    """Tells the settings apart from those of other models."""
    opener: Opener

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Have one request sent; raises what the transport raises, and `WorkerLostError`."""
        request = replace(request, keep=None)  # which belongs to this process
        task = ChatTask(request.key, self.key, self.settings, request, self.opener)
        reply: ChatReply = await self.executor.run(task)
        return reply

    async def close(self) -> None:
        """Nothing: connections are the workers'."""


async def run_with_retry(executor: Executor, task: WorkerTask) -> Any:
    """The result of a task that costs nothing to repeat, whatever happens to the workers that have it.

    Raises `ExecutorError` for a task that has lost `MAX_LOST_WORKERS` workers: it is likely to be the cause.
    """
    for _ in range(MAX_LOST_WORKERS):
        try:
            return await executor.run(task)
        except WorkerLostError as error:
            last = error
    raise ExecutorError(
        f"task {task.key} has lost {MAX_LOST_WORKERS} workers, the last one so: {last}: look at the memory "
        "of the machine, or run with the local executor to see the error"
    )
