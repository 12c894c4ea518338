"""Opens the models of a run from their settings, and the executors of this machine.

An executor carries out calls to models and tasks of the rule engine, in this process or in several processes.
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
from typing import Any, Literal, NamedTuple, Protocol, final
from urllib.parse import urlsplit

from pydantic import Field, model_validator

from perturb.errors import ExecutorError, PerturbError, UnreachableError, WorkerLostError
from perturb.files.yaml_files import Strict
from perturb.llm.budget import Budget, bounded
from perturb.llm.client import ChatModel, ModelSettings
from perturb.llm.limits import LimitedModel
from perturb.llm.recording import Replay, ReplayedModel
from perturb.llm.remote import LiteLLMModel, check_model, with_price
from perturb.llm.transports import connection_cause, proxy_for, transport_of
from perturb.runtime import event, in_thread

CONNECT_SECONDS = 3.0
"""Seconds within which a server, or the proxy in front of it, must accept a connection."""

Opener = Callable[[ModelSettings], ChatModel]
"""Opens a model without limits and retries. It is a function or class that worker processes can import."""


def open_models(
    all_settings: Iterable[ModelSettings],
    budget: Budget,
    transport: Callable[[ModelSettings], ChatModel] | None = None,
) -> dict[str, ChatModel]:
    """Check every model, then open them all, by name. The caller closes each when the run is over.

    `transport` opens the models that carry single calls, for example on a cluster; None means `open_transport`. Raises
    `ConfigError` if a model cannot be called, or has no known price under a limited budget.
    """
    checked = []
    for settings in all_settings:
        check_model(settings)
        checked.append(bounded(with_price(settings), budget))
    opener = transport or open_transport
    return {settings.name: LimitedModel(opener(settings)) for settings in checked}


def open_replay(
    replay: Replay,
    all_settings: Iterable[ModelSettings],
    budget: Budget,
    transport: Callable[[ModelSettings], ChatModel] | None = None,
) -> dict[str, ChatModel]:
    """Models by name that give recorded replies. If the replay may fill gaps, `open_models` opens models for them."""
    settings_list = list(all_settings)
    live = open_models(settings_list, budget, transport) if replay.fill else {}
    return {
        settings.name: ReplayedModel(settings, replay.recording, live.get(settings.name))
        for settings in settings_list
    }


def open_transport(settings: ModelSettings) -> ChatModel:
    """A model on the transport that its settings choose, without limits and retries.

    Raises `ConfigError` if the model cannot be called on this transport.
    """
    if transport_of(settings) == "litellm":
        return LiteLLMModel(settings)
    from perturb.llm.direct import DirectModel

    return DirectModel(with_price(settings))


@dataclass(frozen=True, slots=True)
class _Server:
    """The address to which the calls of some models connect: a server or a proxy."""

    host: str
    port: int
    proxy_to: str = ""
    """The host that the calls are for, if this is a proxy of the environment."""

    async def connect(self) -> None:
        """Open a connection to any of the addresses of the host, and close it. Raises `OSError`, `TimeoutError`."""
        async with asyncio.timeout(CONNECT_SECONDS):
            # In a thread of our own, since a lookup in the loop's executor that hangs would keep the loop from closing.
            lookup = in_thread(partial(socket.getaddrinfo, self.host, self.port, type=socket.SOCK_STREAM))
            entries = await asyncio.wrap_future(lookup)
            # The last field of an entry is the socket address, which begins with the IP address.
            addresses = {str(socket_address[0]) for *_, socket_address in entries}
            # A host may have addresses of several kinds, of which some do not work.
            attempts = [asyncio.create_task(_knock(address, self.port)) for address in addresses]
            try:
                await _first_success(attempts)
            finally:
                for attempt in attempts:
                    attempt.cancel()
                await asyncio.gather(*attempts, return_exceptions=True)

    def __str__(self) -> str:
        """The address, with an explanation if it is a proxy."""
        address = f"{self.host}:{self.port}"
        if not self.proxy_to:
            return address
        return f"the proxy {address}, which the environment names for {self.proxy_to}"


async def _first_success(attempts: list[asyncio.Task[None]]) -> None:
    """Wait until an attempt succeeds. If none does, raise the error of the last one to end."""
    failure = OSError("the host has no address")
    for attempt in asyncio.as_completed(attempts):
        try:
            return await attempt
        except OSError as error:
            failure = error
    raise failure


async def _knock(address: str, port: int) -> None:
    """Open a connection and close it at once."""
    _, writer = await asyncio.open_connection(address, port)
    writer.close()
    await writer.wait_closed()


@final
class ConnectionCheck:
    """Connects once to every server of a run, before the first call, without sending anything."""

    def __init__(self, proxied: Iterable[ModelSettings], services: Iterable[ModelSettings] = ()) -> None:
        """Models without `api_base` are not checked. A proxy of the environment does not apply to `services`."""
        self._models: dict[_Server, list[str]] = {}
        for uses_proxy, group in ((True, proxied), (False, services)):
            for settings in group:
                server = _server_of(settings, uses_proxy)
                if server is not None and settings.name not in self._models.setdefault(server, []):
                    self._models[server].append(settings.name)
        self._checking: asyncio.Task[None] | None = None

    async def passed(self) -> None:
        """Wait until all servers have accepted a connection. Raises `UnreachableError` with one line on all others."""
        if self._checking is None:
            self._checking = asyncio.create_task(self._connect_all())
        # Many callers wait for one check, and the cancellation of one of them must not end it for the others.
        await asyncio.shield(self._checking)

    async def _connect_all(self) -> None:
        results = await asyncio.gather(*(server.connect() for server in self._models), return_exceptions=True)
        failed = []
        for (server, names), result in zip(self._models.items(), results, strict=True):
            if isinstance(result, OSError):  # `TimeoutError` is a subclass
                cause = (
                    connection_cause(result) or str(result) or f"no connection within {CONNECT_SECONDS:g} s"
                )
                failed.append(f"{', '.join(names)}: cannot connect to {server} ({cause})")
            elif result is not None:
                raise result
        if failed:
            raise UnreachableError(
                f"{'; '.join(failed)}: check that it is running and that the address (api_base, proxy) is right, or"
                " give --wait (wait=True in Python) to keep trying"
            )


def _server_of(settings: ModelSettings, uses_proxy: bool) -> _Server | None:
    """The server or proxy to which the calls of a model connect; None if its settings do not name one."""
    address = _split_address(settings.api_base)
    if address is None:
        return None
    proxy = proxy_for(address.scheme, address.host) if uses_proxy else None
    if proxy is None:
        return _Server(address.host, address.port)
    proxy_address = _split_address(proxy)
    if proxy_address is None:
        return None
    return _Server(proxy_address.host, proxy_address.port, proxy_to=address.host)


_DEFAULT_PORTS = {"http": 80, "https": 443, "socks5": 1080, "socks5h": 1080, "socks4": 1080}


class _Address(NamedTuple):
    scheme: str
    host: str
    port: int


def _split_address(address: str | None) -> _Address | None:
    """The parts of an address; None if it cannot be read or names no host."""
    try:
        url = urlsplit(address or "")
        port = url.port or _DEFAULT_PORTS[url.scheme]
    except (ValueError, KeyError):
        return None
    return _Address(url.scheme, url.hostname, port) if url.hostname else None


MAX_LOST_WORKERS = 3
"""After a task of the rule engine has lost this many workers, it is not tried again."""


class ExecutorEntry(Strict):
    """The executor of a run. `executor: processes` is short for `executor: {kind: processes}`."""

    kind: Literal["local", "processes", "ray"] = "local"
    workers: int | None = Field(default=None, ge=1, le=1024)
    """Processes on this machine, or on each node of a Ray cluster; None: one for each core."""
    chunk: int = Field(default=128, ge=1, le=10_000)
    """Has no effect; accepted because older configurations have it."""
    address: str | None = Field(default=None, min_length=1, max_length=200)
    """The address of a running Ray cluster; None starts a cluster on this machine."""
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
        """How many tasks of the rule engine keep the executor busy."""

    def model(self, settings: ModelSettings, opener: Opener = open_transport) -> ChatModel:
        """A model whose calls this executor makes. The driver adds limits and retries."""

    async def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """The result of `function(setup, *arguments)`, where `setup` is the object that the executor was opened with.

        The function may be called again if a worker is lost. Workers import it by its name. Raises `ExecutorError` if
        the function fails or if no worker is left.
        """

    async def close(self) -> None:
        """End the workers. Tasks that are under way are dropped."""


class LocalExecutor:
    """Does everything in this process."""

    width = 1

    def __init__(self, setup: Any = None) -> None:
        self.setup = setup

    def model(self, settings: ModelSettings, opener: Opener = open_transport) -> ChatModel:
        """The model itself."""
        return opener(settings)

    async def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call the function."""
        await asyncio.sleep(0)  # rules block the loop, so calls in flight get a turn before each of them
        return function(self.setup, *arguments)

    async def close(self) -> None:
        """Do nothing, since there are no workers."""


class ProcessExecutor(LocalExecutor):
    """Runs the rule engine in several processes of this machine.

    Calls to models are made in this process, as by `LocalExecutor`.
    """

    def __init__(self, setup: Any, workers: int | None) -> None:
        super().__init__(setup)
        # In a container or a batch system, the process may use fewer cores than the machine has.
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        self.workers = workers or cores
        # Four tasks per worker, so that no worker waits while results are recorded.
        self.width = 4 * self.workers
        self._pool: ProcessPoolExecutor | None = None
        self._has_warned = False

    def model(self, settings: ModelSettings, opener: Opener = open_transport) -> ChatModel:
        """The model itself, with a warning that its calls are not spread."""
        if not self._has_warned:
            self._has_warned = True
            event(
                WARNING,
                "executor",
                "executor: processes spreads the rule engine only; models are called from this process: "
                "use executor: ray to spread their calls",
            )
        return super().model(settings, opener)

    async def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call the function in a worker process. If processes die, try again in new ones."""
        for _ in range(MAX_LOST_WORKERS):
            if self._pool is None:
                # With "fork", a worker would inherit locks of the ledger's threads and could wait for them for ever.
                context = multiprocessing.get_context("spawn")
                self._pool = ProcessPoolExecutor(self.workers, context, _begin_worker, (self.setup,))
            pool = self._pool
            try:
                return await asyncio.get_running_loop().run_in_executor(
                    pool, _call_in_worker, function, arguments
                )
            except BrokenProcessPool:
                # Another task that lost the same pool may have replaced it already.
                if self._pool is pool:
                    self._pool = None
            except Exception as error:  # noqa: BLE001  (a task may raise anything)
                raise task_error(error) from None
        raise lost_too_many(function)

    async def close(self) -> None:
        """End the processes."""
        if self._pool is not None:
            await asyncio.to_thread(self._pool.shutdown, cancel_futures=True)


def task_error(error: Exception) -> ExecutorError:
    """The error for a failed task of the rule engine. It is a fault of ours, since tasks store failures on texts."""
    words = str(error) if isinstance(error, PerturbError) else f"{type(error).__name__}: {error}"
    return ExecutorError(f"a worker could not do its task ({words}): please report this")


def lost_too_many(function: Callable[..., Any], last_loss: WorkerLostError | None = None) -> ExecutorError:
    """The error for a task that has lost too many workers, and so is likely to be the cause."""
    cause = f", the last one because {last_loss}" if last_loss else ""
    return ExecutorError(
        f"task {function.__name__} has lost {MAX_LOST_WORKERS} workers{cause}: look at the memory of the machine, "
        "or run with the local executor to see the error"
    )


# In a worker process, `setup` is the object that the executor was opened with.
_worker: dict[str, Any] = {}


def _begin_worker(setup: Any) -> None:
    """Prepare a new worker process."""
    _worker["setup"] = setup
    # Ctrl-C reaches all processes, but the driver ends its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_driver, daemon=True).start()


def _end_with_driver() -> None:
    """End this process if the driver is killed. Without this, a worker of the pool would wait for ever."""
    driver = multiprocessing.parent_process()
    if driver is not None:
        driver.join()
        os._exit(1)


def _call_in_worker(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    return function(_worker["setup"], *arguments)
