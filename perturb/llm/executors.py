"""Opens executors. On a Ray cluster each node has worker processes (actors), and calls go to the least busy one.

This is the only module that imports ray, and only when a run asks for it. Ray repeats nothing: a call that is lost with
its worker ends in `WorkerLostError`, and the driver decides what to do.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from perturb.errors import ConfigError, ExecutorError, ModelError, PermanentModelError, WorkerLostError
from perturb.files.resources import code_version, digest
from perturb.llm.client import ChatModel, ChatReply, ChatRequest, ModelSettings
from perturb.llm.factory import (
    MAX_LOST_WORKERS,
    Executor,
    ExecutorEntry,
    LocalExecutor,
    Opener,
    ProcessExecutor,
    lost_too_many,
    open_transport,
    task_error,
)

NODE_POLL_SECONDS = 2.0
"""Seconds between two queries of the list of nodes."""

CONNECT_TIMEOUT = 10.0
"""Seconds to wait for the head node to take a connection."""

SILENCE_TIMEOUT = 60.0
"""Seconds to wait while no node answers: a worker process must start there and import perturb."""

RULE_SECONDS = 60.0
"""The longest that one task of the rule engine may take; measured ones take milliseconds."""


async def open_executor(entry: ExecutorEntry, setup: Any = None) -> Executor:
    """Start the executor that the entry names; close it when the run is over.

    `setup` is needed for tasks of the rule engine. Raises `ExecutorError` if a Ray cluster cannot be reached, and
    `ConfigError` if ray is asked for and not installed.
    """
    if entry.kind == "processes":
        return ProcessExecutor(setup, entry.workers)
    if entry.kind == "ray":
        return await open_ray(entry, setup)
    return LocalExecutor(setup)


class NodeWorker:
    """The actor that runs on the nodes. It keeps the models that it has opened, by their settings."""

    def __init__(self, setup: Any) -> None:
        self._setup = setup
        self._models: dict[str, ChatModel] = {}

    async def version(self) -> str:
        """The version of perturb on this node."""
        return code_version()

    async def complete(
        self, key: str, settings: ModelSettings, opener: Opener, request: ChatRequest
    ) -> ChatReply | ModelError:
        """Send one request once; an error of the model is returned, since Ray would wrap it."""
        try:
            if key not in self._models:
                check_key(settings)
                self._models[key] = opener(settings)
            return await self._models[key].complete(request)
        except ModelError as error:
            return error

    async def run(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """Call a function of the rule engine; an error is returned."""
        try:
            return function(self._setup, *arguments)
        except Exception as error:  # noqa: BLE001  (the driver raises it)
            return task_error(error)


def check_key(settings: ModelSettings) -> None:
    """Raise `PermanentModelError` if the key of the model is not set on this machine."""
    variable = settings.api_key_env
    if variable and not os.environ.get(variable):
        raise PermanentModelError(
            f"model '{settings.name}': environment variable {variable} is not set where the worker runs "
            f"({os.uname().nodename}): set it on every node before its worker starts"
        )


@dataclass(eq=False)
class Worker:
    """One worker process, as the driver sees it."""

    node: str
    """The id of its node."""
    address: str
    actor: Any
    calls: int = 0
    """Calls in flight."""


class RayExecutor:
    """The workers of a cluster that is connected to; lost ones are replaced as long as their nodes are alive."""

    def __init__(self, ray: Any, setup: Any, workers: int | None, grace: float) -> None:
        """`setup` refers to the object store; `workers` is the number on each node, None means one for each CPU."""
        self._ray = ray
        self._setup = setup
        self._per_node = workers
        self._grace = grace
        self._workers: list[Worker] = []
        self._starting: dict[asyncio.Task[None], str] = {}
        """Workers that do not answer yet, with the ids of their nodes."""
        self._nodes: dict[str, int] = {}
        """How many workers each living node should have."""
        self._changed = asyncio.Condition()
        self._broken: ExecutorError | None = None
        self._watching = asyncio.ensure_future(self._watch())

    @property
    def width(self) -> int:
        """Tasks of the rule engine that keep all nodes busy."""
        return max(1, 4 * sum(self._nodes.values()))

    def model(self, settings: ModelSettings, opener: Opener = open_transport) -> ChatModel:
        """A model whose calls the nodes carry out."""
        key = digest(settings.name, settings.fingerprint(), settings.timeout, settings.max_connections)
        return RayModel(settings, self, key, opener)

    async def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call the function on a node; another one is asked if that node is lost."""
        for _ in range(MAX_LOST_WORKERS):
            try:
                return await self.perform(
                    lambda actor: actor.run.remote(function, arguments), RULE_SECONDS + self._grace
                )
            except WorkerLostError as error:
                last = error
        raise lost_too_many(function, last)

    async def perform(self, submit: Callable[[Any], Awaitable[Any]], seconds: float) -> Any:
        """The result of what `submit` asks of the least busy worker, once; an error that it returns is raised.

        A worker that is late may be frozen and is given up. Raises `WorkerLostError` then and if the worker or its
        node is lost, `ExecutorError` if the cluster is of no use any more.
        """
        worker = await self._least_busy()
        worker.calls += 1
        errors = self._ray.exceptions
        try:
            async with asyncio.timeout(seconds):
                result = await submit(worker.actor)
        except TimeoutError:
            self._drop(worker)
            raise WorkerLostError(f"node {worker.address} timed out and was abandoned") from None
        except errors.RayTaskError as error:
            raise ExecutorError(f"a Ray worker failed: {str(error).splitlines()[-1]}") from None
        except errors.RayError as error:
            self._drop(worker)
            raise WorkerLostError(f"node {worker.address} was lost: {type(error).__name__}") from None
        finally:
            worker.calls -= 1
        if isinstance(result, Exception):
            raise result
        return result

    async def wait_until_ready(self) -> None:
        """Wait until a worker answers. Raises `ExecutorError`."""
        await self._least_busy()

    async def close(self) -> None:
        """Leave the cluster; one that was started for the run ends with it."""
        unfinished = [self._watching, *self._starting]
        for task in unfinished:
            task.cancel()
        await asyncio.gather(*unfinished, return_exceptions=True)
        await asyncio.to_thread(self._ray.shutdown)

    async def _least_busy(self) -> Worker:
        async with self._changed:
            try:
                async with asyncio.timeout(SILENCE_TIMEOUT):
                    await self._changed.wait_for(lambda: self._workers or self._broken)
            except TimeoutError:
                raise ExecutorError(
                    f"no node of the Ray cluster has answered for {SILENCE_TIMEOUT:g} s ({len(self._nodes)} have "
                    "CPUs): look at 'ray status', and whether perturb is installed on every node"
                ) from None
        if self._broken is not None:
            raise self._broken
        return min(self._workers, key=lambda worker: worker.calls)

    def _drop(self, worker: Worker) -> None:
        """Give a worker nothing more; the next look at the nodes replaces it."""
        if worker in self._workers:
            self._workers.remove(worker)
            self._ray.kill(worker.actor)

    async def _watch(self) -> None:
        """Keep the list of nodes, and start the workers that are missing."""
        try:
            while True:
                nodes = await asyncio.to_thread(self._ray.nodes)
                alive = {
                    node["NodeID"]: node for node in nodes if node["Alive"] and node["Resources"].get("CPU")
                }
                self._nodes = {
                    key: self._per_node or max(1, int(node["Resources"]["CPU"]))
                    for key, node in alive.items()
                }
                self._workers = [worker for worker in self._workers if worker.node in alive]
                for key, seconds in self._nodes.items():
                    ready = sum(worker.node == key for worker in self._workers)
                    for _ in range(seconds - ready - list(self._starting.values()).count(key)):
                        starting = asyncio.ensure_future(self._start(key, alive[key]["NodeManagerAddress"]))
                        self._starting[starting] = key
                        starting.add_done_callback(self._starting.pop)
                await asyncio.sleep(NODE_POLL_SECONDS)
        except Exception as error:  # noqa: BLE001  (Ray's client raises anything when the cluster is gone)
            await self._break(ExecutorError(f"the Ray cluster cannot be reached any more: {error}"))

    async def _start(self, node: str, address: str) -> None:
        """Start a worker on this node or nowhere, and give it work once it has told its version."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        # Without a CPU of its own: clusters that are fully booked must not make it wait for ever.
        actor_class = self._ray.remote(NodeWorker).options(
            num_cpus=0,
            max_restarts=0,
            max_concurrency=1000,
            scheduling_strategy=NodeAffinitySchedulingStrategy(node, soft=False),
        )
        actor = actor_class.remote(self._setup)
        try:
            version = await actor.version.remote()
        except self._ray.exceptions.RayError:
            return  # another one is started at the next look, if the node is still alive
        if version != code_version():
            await self._break(
                ExecutorError(
                    f"node {address} has perturb {version}, this is {code_version()}: install the same on all nodes"
                )
            )
        self._workers.append(Worker(node, address, actor))
        async with self._changed:
            self._changed.notify_all()

    async def _break(self, error: ExecutorError) -> None:
        self._broken = error
        async with self._changed:
            self._changed.notify_all()


@dataclass(frozen=True, slots=True)
class RayModel:
    """A model whose calls are made by the workers of a cluster."""

    settings: ModelSettings
    executor: RayExecutor
    key: str
    """Tells the settings apart from those of other models."""
    opener: Opener

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Have one request sent; raises what the transport raises, and `WorkerLostError`."""
        seconds = self.settings.timeout + self.executor._grace
        reply: ChatReply = await self.executor.perform(
            lambda actor: actor.complete.remote(self.key, self.settings, self.opener, request), seconds
        )
        return reply

    async def close(self) -> None:
        """Nothing to close: connections are the workers'."""


async def open_ray(entry: ExecutorEntry, setup: Any) -> RayExecutor:
    """An executor over a running cluster, or over one started here for the run.

    Raises `ConfigError` if ray is not installed, `ExecutorError` if the cluster cannot be reached.
    """
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    try:
        import ray
    except ImportError:
        raise ConfigError("executor: ray is not installed: pip install 'refusalbench-builder[ray]'") from None
    if entry.address not in (None, "auto"):
        await _check_reachable(str(entry.address))
    try:
        ray.init(
            # "local" and not None: a cluster that an earlier, killed run left behind is not for us.
            address=entry.address or "local",
            num_cpus=None if entry.address else entry.workers,
            include_dashboard=None if entry.address else False,
            log_to_driver=False,
            logging_level="ERROR",
        )
    except (ConnectionError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
        where = f"at {entry.address}" if entry.address else "on this machine"
        words = " ".join(str(error).split())
        raise ExecutorError(
            f"no Ray cluster {where}: {words[:300]}: look at 'ray status', and whether it wants a token"
        ) from None
    executor = RayExecutor(ray, ray.put(setup), entry.workers, entry.grace)
    try:
        await executor.wait_until_ready()
    except BaseException:
        await executor.close()
        raise
    return executor


async def _check_reachable(address: str) -> None:
    """Raise `ExecutorError` if nobody listens at the address: Ray itself would try for minutes."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal():
        raise ExecutorError(
            f"executor: '{address}' is not the address of a Ray cluster: write HOST:PORT, or auto"
        )
    try:
        async with asyncio.timeout(CONNECT_TIMEOUT):
            _, writer = await asyncio.open_connection(host, int(port))
        writer.close()
    except (OSError, OverflowError) as error:
        words = str(error) or f"no answer within {CONNECT_TIMEOUT:g} s"
        raise ExecutorError(f"no Ray cluster at {address} ({words}): look at 'ray status' there") from None
