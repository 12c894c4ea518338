"""The units of work that can be done elsewhere, and the rows that come back for them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from pydantic import Field, model_validator

from perturb.errors import ExecutorError, ModelError, PermanentModelError, PerturbError, TransientModelError
from perturb.files.yaml_files import Strict
from perturb.llm.client import ChatModel, ChatReply, ChatRequest, ModelSettings
from perturb.llm.factory import open_transport

Opener = Callable[[ModelSettings], ChatModel]
"""Makes a model from its settings, without limits and retries: a function or class that workers can import."""


class ExecutorEntry(Strict):
    """Where the work is done; `executor: processes` is short for `executor: {kind: processes}`."""

    kind: Literal["local", "processes", "ray"] = "local"
    workers: int | None = Field(default=None, ge=1, le=1024)
    """Processes on this machine (None: one a core), or chunks that a Ray node works on (None: two a CPU)."""
    chunk: int = Field(default=128, ge=1, le=10_000)
    """The most tasks that are sent out together."""
    address: str | None = Field(default=None, min_length=1, max_length=200)
    """Of a running Ray cluster; None starts one on this machine."""
    grace: float = Field(default=30.0, gt=0)
    """Seconds that a chunk may take beyond the time-out of its calls before its worker is given up."""

    @model_validator(mode="after")
    def _options_fit(self) -> ExecutorEntry:
        if self.address is not None and self.kind != "ray":
            raise ValueError("'address' is that of a Ray cluster: write kind: ray, or leave it out")
        return self


@dataclass
class WorkerContext:
    """What a worker has at hand: what the tasks share, and the models it has opened so far."""

    setup: Any = None
    """What the tasks of the run share: the catalogue, for those of the rule engine."""
    models: dict[str, ChatModel] = field(default_factory=dict)

    def model(self, task: ChatTask) -> ChatModel:
        """The model of a task, opened at its first use. Raises `PermanentModelError` if its key is not here."""
        model = self.models.get(task.model)
        if model is None:
            variable = task.settings.api_key_env
            if variable and not os.environ.get(variable):
                raise PermanentModelError(
                    f"model '{task.settings.name}': environment variable {variable} is not set where the worker runs "
                    f"({os.uname().nodename}): set it on every node before its worker starts"
                )
            model = self.models[task.model] = task.open(task.settings)
        return model

    async def close(self) -> None:
        """Close every model that was opened."""
        for model in self.models.values():
            await model.close()


class WorkerTask(Protocol):
    """Something to be done that depends on nothing but itself and the tools."""

    @property
    def key(self) -> str:
        """Digest of everything that decides the result."""

    @property
    def seconds(self) -> float:
        """After so many seconds the task is late, and whoever has it is taken for lost."""

    async def perform(self, context: WorkerContext) -> Any:
        """Do it; a failure is raised as an error of `perturb.errors`."""


@dataclass(frozen=True, slots=True)
class ChatTask:
    """One try of one call to a model."""

    key: str
    model: str
    """Digest of the settings, under which a worker keeps the opened model."""
    settings: ModelSettings
    request: ChatRequest
    open: Opener = open_transport

    @property
    def seconds(self) -> float:
        """The time-out of the call."""
        return self.settings.timeout

    async def perform(self, context: WorkerContext) -> ChatReply:
        """Send the request once."""
        return await context.model(self).complete(self.request)


@dataclass(frozen=True, slots=True)
class Failure:
    """An error as a row carries it."""

    kind: Literal["transient", "permanent", "broken"]
    message: str
    retry_after: float | None = None

    @classmethod
    def of(cls, error: Exception) -> Failure:
        """The failure that an error of a task stands for."""
        if isinstance(error, TransientModelError):
            return cls("transient", str(error), error.retry_after)
        if isinstance(error, ModelError):
            return cls("permanent", str(error))
        return cls(
            "broken", str(error) if isinstance(error, PerturbError) else f"{type(error).__name__}: {error}"
        )

    def error(self) -> PerturbError:
        """The error again, where the task was asked for."""
        if self.kind == "transient":
            return TransientModelError(self.message, self.retry_after)
        if self.kind == "permanent":
            return PermanentModelError(self.message)
        return ExecutorError(f"a worker could not do its task ({self.message}): please report this")


@dataclass(frozen=True, slots=True)
class TaskRow:
    """What came of one task of a chunk."""

    position: int
    """Its place in the chunk, from 0."""
    key: str
    """The task's key."""
    value: Any
    """The result, or a `Failure`."""


async def perform_task(position: int, task: WorkerTask, context: WorkerContext) -> TaskRow:
    """Do one task; its errors are part of the row."""
    try:
        value = await task.perform(context)
    except Exception as error:  # noqa: BLE001  (a worker must answer for every task of its chunk)
        value = Failure.of(error)
    return TaskRow(position, task.key, value)


async def perform_chunk(chunk: Sequence[WorkerTask], context: WorkerContext) -> AsyncIterator[TaskRow]:
    """Do the tasks of a chunk at the same time; rows come as they are done, in any order."""
    running = [asyncio.ensure_future(perform_task(n, task, context)) for n, task in enumerate(chunk)]
    try:
        for done in asyncio.as_completed(running):
            yield await done
    finally:
        for one in running:
            one.cancel()
