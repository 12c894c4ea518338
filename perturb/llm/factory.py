"""Makes models that can be asked from the settings of a run, and the executors of this machine.

An executor carries calls to models, and tasks of the rule engine, in this process or in several.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import partial
from logging import WARNING
from typing import Any, Literal, Protocol, final
from urllib.parse import urlsplit

from pydantic import Field, model_validator

from perturb.errors import ExecutorError, PerturbError, UnreachableError, WorkerLostError
from perturb.files.yaml_files import Strict
from perturb.llm.budget import Budget, bounded
from perturb.llm.client import ChatModel, ModelSettings
from perturb.llm.limits import LimitedModel
from perturb.llm.recording import Replay, ReplayedModel
from perturb.llm.remote import LiteLLMModel, check_model, with_price
from perturb.llm.transports import proxy_for, transport_of
from perturb.runtime.asyncs import event, in_thread

CONNECT_SECONDS = 3.0
"""Seconds within which a server, or the proxy before it, must accept a connection."""

Opener = Callable[[ModelSettings], ChatModel]
"""Makes a model from its settings, without limits and retries: a function or class that workers can import."""


def open_models(
    all_settings: Iterable[ModelSettings],
    budget: Budget,
    transport: Callable[[ModelSettings], ChatModel] | None = None,
) -> dict[str, ChatModel]:
    """Check every model, then make them, by name; close each when the run is over.

    `transport` makes the model that carries single calls, where it is not one of this process.
    Raises `ConfigError` if a model cannot be called, or has no known price under a limited budget.
    """
    checked = []
    for settings in all_settings:
        check_model(settings)
        checked.append(bounded(with_price(settings), budget))
    return {settings.name: LimitedModel((transport or open_transport)(settings)) for settings in checked}


def open_replay(
    replay: Replay,
    all_settings: Iterable[ModelSettings],
    budget: Budget,
    transport: Callable[[ModelSettings], ChatModel] | None = None,
) -> dict[str, ChatModel]:
    """Models by name that give recorded replies; for replies that are missing, models as `open_models` makes them."""
    settings_list = list(all_settings)
    live = open_models(settings_list, budget, transport) if replay.fill else {}
    return {
        settings.name: ReplayedModel(settings, replay.recording, live.get(settings.name))
        for settings in settings_list
    }


def open_transport(settings: ModelSettings) -> ChatModel:
    """One model over the transport that its calls go by, without limits and retries.

    Raises `ConfigError` if it cannot be called that way.
    """
    if transport_of(settings) == "litellm":
        return LiteLLMModel(settings)
    from perturb.llm.direct import DirectModel

    return DirectModel(with_price(settings))


@dataclass(frozen=True, slots=True)
class _Server:
    """The first address of the calls of some models: a server or a proxy."""

    host: str
    port: int
    proxy_to: str = ""
    """The host that the calls are for, if this is a proxy of the environment."""

    async def connect(self) -> None:
        """Open a connection to any of the addresses of the host, and close it. Raises `OSError`, `TimeoutError`."""
        async with asyncio.timeout(CONNECT_SECONDS):
            # A look-up that hangs must not keep the event loop from closing.
            looking = in_thread(partial(socket.getaddrinfo, self.host, self.port, type=socket.SOCK_STREAM))
            addresses = {entry[4][0] for entry in await asyncio.wrap_future(looking)}
            attempts = [asyncio.create_task(_knock(str(address), self.port)) for address in addresses]
            try:
                for attempt in asyncio.as_completed(attempts):
                    try:
                        return await attempt
                    except OSError as error:
                        failure = error
                raise failure
            finally:
                for attempts_left in attempts:
                    attempts_left.cancel()
                await asyncio.gather(*attempts, return_exceptions=True)

    def __str__(self) -> str:
        """The address, with what it is if it is a proxy."""
        address = f"{self.host}:{self.port}"
        return (
            f"the proxy {address}, which the environment names for {self.proxy_to}"
            if self.proxy_to
            else address
        )


async def _knock(address: str, port: int) -> None:
    _, writer = await asyncio.open_connection(address, port)
    writer.close()
    await writer.wait_closed()


@final
class ConnectionCheck:
    """Connects to every server of a run once, before the first call; nothing is sent."""

    def __init__(self, proxied: Iterable[ModelSettings], services: Iterable[ModelSettings] = ()) -> None:
        """Models without `api_base` are not checked; a proxy of the environment does not apply to `services`."""
        self._models: dict[_Server, list[str]] = {}
        for uses_proxy, group in ((True, proxied), (False, services)):
            for settings in group:
                server = _server_of(settings, uses_proxy)
                if server is not None and settings.name not in self._models.setdefault(server, []):
                    self._models[server].append(settings.name)
        self._checking: asyncio.Task[None] | None = None

    async def passed(self) -> None:
        """Return once all servers took a connection. Raises `UnreachableError` with one line for those that did not."""
        if self._checking is None:
            self._checking = asyncio.create_task(self._connect_all())
        await asyncio.shield(self._checking)

    async def _connect_all(self) -> None:
        ends = await asyncio.gather(*(model.connect() for model in self._models), return_exceptions=True)
        failed = []
        for (server, names), end in zip(self._models.items(), ends, strict=True):
            if isinstance(end, OSError):  # a time-out is one
                failed.append(f"{', '.join(names)}: cannot connect to {server} ({_cause(end)})")
            elif end is not None:
                raise end
        if failed:
            raise UnreachableError(
                f"{'; '.join(failed)}: check that it is running and that the address (api_base, proxy) is right, or"
                " give --wait (wait=True in Python) to keep trying"
            )


def _cause(error: OSError) -> str:
    """The reason of a failed connection; a failed look-up has a negative errno, a time-out has none."""
    if (error.errno or 0) > 0:
        return os.strerror(error.errno or 0)
    return error.strerror or str(error) or f"no connection within {CONNECT_SECONDS:g} s"


def _server_of(settings: ModelSettings, uses_proxy: bool) -> _Server | None:
    """Where the calls of a model go first; None if its settings do not say."""
    host, port, scheme = _parts(settings.api_base)
    proxy = proxy_for(scheme, host) if uses_proxy else None
    if proxy is None:
        return _Server(host, port) if host else None
    proxy_host, proxy_port, _ = _parts(proxy)
    return _Server(proxy_host, proxy_port, host) if proxy_host else None


_PORTS = {"http": 80, "https": 443, "socks5": 1080, "socks5h": 1080, "socks4": 1080}


def _parts(address: str | None) -> tuple[str, int, str]:
    """Host, port and scheme of an address; an empty host if it has none that can be read."""
    try:
        parts = urlsplit(address or "")
        port = parts.port or _PORTS[parts.scheme]
    except (ValueError, KeyError):
        return "", 0, ""
    return parts.hostname or "", port, parts.scheme


MAX_LOST_WORKERS = 3
"""A task of the rule engine that has lost this many workers is not given to another."""


class ExecutorEntry(Strict):
    """The executor of a run; `executor: processes` is short for `executor: {kind: processes}`."""

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
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        self.workers = workers or cores
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
