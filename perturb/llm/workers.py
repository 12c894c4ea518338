"""What an executor is, the one that needs no workers, and the one that runs the rule engine in several processes."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Literal, Protocol

from pydantic import Field, model_validator

from perturb.errors import ExecutorError, PerturbError, WorkerLostError
from perturb.files.yaml_files import Strict
from perturb.llm.client import ChatModel, ModelSettings
from perturb.llm.factory import Opener, open_transport
from perturb.runtime.notebook import WARNING, event

MAX_LOST_WORKERS = 3
"""A task of the rule engine that has lost this many workers is not given to another."""


class ExecutorEntry(Strict):
    """Where the work is done; `executor: processes` is short for `executor: {kind: processes}`."""

    kind: Literal["local", "processes", "ray"] = "local"
    workers: int | None = Field(default=None, ge=1, le=1024)
    """Processes on this machine, or on each node of a Ray cluster; None: one for each core."""
    chunk: int = Field(default=128, ge=1, le=10_000)
    """Has no effect; accepted because older configurations have it."""
    address: str | None = Field(default=None, min_length=1, max_length=200)
    """Of a running Ray cluster; None starts one on this machine."""
    grace: float = Field(default=30.0, gt=0)
    """Seconds that a call on a Ray cluster may take beyond its time-out before its worker is given up."""

    @model_validator(mode="after")
    def _options_fit(self) -> ExecutorEntry:
        if self.address is not None and self.kind != "ray":
            raise ValueError("'address' is that of a Ray cluster: write kind: ray, or leave it out")
        return self


class Executor(Protocol):
    """Carries out calls to models and tasks of the rule engine, here or elsewhere."""

    @property
    def width(self) -> int:
        """How many tasks of the rule engine keep it busy."""

    def model(self, settings: ModelSettings, opener: Opener = open_transport) -> ChatModel:
        """A model whose calls this executor carries out, without limits and retries: those are the driver's."""

    async def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """The result of `function(setup, *arguments)`, where `setup` is what the executor was opened with.

        The function costs nothing to repeat. Workers import it by its name. Raises `ExecutorError` if it fails, or if
        nobody is left to call it.
        """

    async def close(self) -> None:
        """Let the workers go; what is under way is dropped."""


class LocalExecutor:
    """Does everything in this process."""

    width = 1

    def __init__(self, setup: Any = None) -> None:
        self.setup = setup

    def model(self, settings: ModelSettings, opener: Opener = open_transport) -> ChatModel:
        """The model itself."""
        return opener(settings)

    async def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call the function after the calls in flight have had their turn."""
        await asyncio.sleep(0)
        return function(self.setup, *arguments)

    async def close(self) -> None:
        """Nothing to close."""


class ProcessExecutor(LocalExecutor):
    """Runs the rule engine in several processes of this machine; calls to models are made in this one."""

    def __init__(self, setup: Any, workers: int | None) -> None:
        super().__init__(setup)
        self.workers = workers or _cores()
        self.width = 4 * self.workers
        self._pool: ProcessPoolExecutor | None = None
        self._told = False

    def model(self, settings: ModelSettings, opener: Opener = open_transport) -> ChatModel:
        """The model itself, with a warning that its calls are not spread."""
        if not self._told:
            self._told = True
            event(
                WARNING,
                "executor",
                "executor: processes spreads the rule engine only; models are called from this process: "
                "use executor: ray to spread their calls",
            )
        return super().model(settings, opener)

    async def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call the function in a worker process; if processes die, try again in new ones."""
        for _ in range(MAX_LOST_WORKERS):
            if self._pool is None:
                # Not "fork": the ledger's threads hold locks that a forked process could wait for in vain.
                context = multiprocessing.get_context("spawn")
                self._pool = ProcessPoolExecutor(self.workers, context, _begin_worker, (self.setup,))
            pool = self._pool
            try:
                return await asyncio.get_running_loop().run_in_executor(
                    pool, _call_in_worker, function, arguments
                )
            except BrokenProcessPool:
                if self._pool is pool:
                    self._pool = None
            except Exception as error:  # noqa: BLE001  (whatever a task of ours raises)
                raise task_error(error) from None
        raise lost_too_many(function)

    async def close(self) -> None:
        """End the processes."""
        if self._pool is not None:
            await asyncio.to_thread(self._pool.shutdown, cancel_futures=True)


def task_error(error: Exception) -> ExecutorError:
    """What a failure of a task of the rule engine is reported as: the engine itself stores what texts do to it."""
    words = str(error) if isinstance(error, PerturbError) else f"{type(error).__name__}: {error}"
    return ExecutorError(f"a worker could not do its task ({words}): please report this")


def lost_too_many(function: Callable[..., Any], last: WorkerLostError | None = None) -> ExecutorError:
    """The error of a task that is likely to be the cause of its lost workers."""
    cause = f", the last one because {last}" if last else ""
    return ExecutorError(
        f"task {function.__name__} has lost {MAX_LOST_WORKERS} workers{cause}: look at the memory of the machine, "
        "or run with the local executor to see the error"
    )


_SETUP: list[Any] = []
"""In a worker process: what the executor was opened with."""


def _begin_worker(setup: Any) -> None:
    _SETUP[:] = [setup]
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the driver, which ends its workers
    threading.Thread(target=_end_with_driver, daemon=True).start()


def _end_with_driver() -> None:
    """End this process if the driver is killed; the pool itself would leave it waiting for ever."""
    driver = multiprocessing.parent_process()
    if driver is not None:
        driver.join()
        os._exit(1)


def _call_in_worker(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    return function(_SETUP[0], *arguments)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
