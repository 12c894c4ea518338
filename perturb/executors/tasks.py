"""The units of work that can be done elsewhere, and the rows that come back for them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from perturb.catalogue import Catalogue
from perturb.errors import (
    ExecutorError,
    ModelError,
    PermanentModelError,
    PerturbError,
    TransientModelError,
)
from perturb.generate.by_rule import generate_by_rule
from perturb.generate.result import GenerationResult
from perturb.llm.client import ChatModel, ChatReply, ChatRequest, ModelSettings
from perturb.llm.model_factory import open_transport
from perturb.records import BaseInstance, Candidate, Job, Verdict
from perturb.verify.judge import ask_rule

Opener = Callable[[ModelSettings], ChatModel]
"""Makes a model from its settings, without limits and retries: a function or class that workers can import."""

RULE_SECONDS = 60.0
"""The longest that one task of the rule engine may take; measured ones take milliseconds."""


@dataclass
class WorkerContext:
    """What a worker has at hand: the catalogue of the run, and the models it has opened so far."""

    catalogue: Catalogue | None = None
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

    def rules(self) -> Catalogue:
        """The catalogue; a worker that was started without one is given no rule tasks."""
        if self.catalogue is None:
            raise ExecutorError("a worker was given a rule task but no catalogue")
        return self.catalogue

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
class RuleTask:
    """One job of the rule engine."""

    job: Job
    instance: BaseInstance
    seed: int
    donors: tuple[BaseInstance, ...] = ()
    """Other instances of the base set, from which the engine may take rivals and passages."""
    seconds = RULE_SECONDS

    @property
    def key(self) -> str:
        """The job's id."""
        return self.job.id

    async def perform(self, context: WorkerContext) -> GenerationResult:
        """Perturb the instance."""
        return generate_by_rule(context.rules(), self.job, self.instance, self.seed, self.donors)


@dataclass(frozen=True, slots=True)
class VoteTask:
    """One vote of an offline verifier."""

    verifier: str
    check: str
    version: str
    instance: BaseInstance
    candidate: Candidate
    seconds = RULE_SECONDS

    @property
    def key(self) -> str:
        """Candidate, verifier and its version."""
        return f"{self.candidate.id}:{self.verifier}:{self.version}"

    async def perform(self, context: WorkerContext) -> Verdict:
        """Judge the candidate."""
        return ask_rule(
            context.rules(), self.verifier, self.check, self.version, self.instance, self.candidate
        )


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
