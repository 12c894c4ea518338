"""Opens executors. On a Ray cluster, each node has worker processes (actors), and calls go to the least busy worker.

Only this module imports ray, and only if a run asks for it. Ray repeats nothing. A call that is lost with its worker
ends in `WorkerLostError`, and the driver decides whether to repeat it.
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
"""Seconds to wait for the first worker. It must start a process on its node and import perturb."""

RULE_SECONDS = 60.0
"""Seconds that a task of the rule engine may take. A normal task takes milliseconds."""


async def open_executor(entry: ExecutorEntry, setup: Any = None) -> Executor:
    """Start the executor that the entry names. The caller closes it when the run is over.

    Tasks of the rule engine need `setup`. Raises `ExecutorError` if a Ray cluster cannot be reached, and `ConfigError`
    if ray is needed but not installed.
    """
    if entry.kind == "processes":
        return ProcessExecutor(setup, entry.workers)
    if entry.kind == "ray":
        return await open_ray(entry, setup)
    return LocalExecutor(setup)


class NodeWorker:
    """The actor that runs on the nodes. It keeps the models that it has opened."""

    def __init__(self, setup: Any) -> None:
        self._setup = setup
        self._models: dict[str, ChatModel] = {}

    async def version(self) -> str:
        """The version of perturb on this node."""
        return code_version()

    async def complete(
        self, key: str, settings: ModelSettings, opener: Opener, request: ChatRequest
    ) -> ChatReply | ModelError:
        """Send a request once. An error of the model is returned, since Ray would wrap a raised one."""
        try:
            # The key is checked here and not only by the driver, since each node has its own environment.
            if key not in self._models:
                check_key(settings)
                self._models[key] = opener(settings)
            return await self._models[key].complete(request)
        except ModelError as error:
            return error

    async def run(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """Call a function of the rule engine. An error is returned, since Ray would wrap a raised one."""
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
    """The workers of a connected cluster. Lost workers are replaced as long as their nodes are alive."""

    def __init__(self, ray: Any, setup: Any, workers: int | None, grace: float) -> None:
        """`setup` is a reference into the object store. `workers` is the number per node, None means one per CPU.

        `grace` is how many seconds a call may exceed its time-out before its worker counts as frozen.
        """
        self._ray = ray
        self._setup = setup
        self._per_node = workers
        self._grace = grace
        self._workers: list[Worker] = []
        self._starting: dict[asyncio.Task[None], str] = {}
        """Task that starts a worker → the id of the worker's node."""
        self._nodes: dict[str, int] = {}
        """How many workers each living node should have."""
        self._changed = asyncio.Condition()
        self._broken: ExecutorError | None = None
        self._watching = asyncio.ensure_future(self._watch())

    @property
    def width(self) -> int:
        """How many tasks of the rule engine keep all nodes busy."""
        # Four per worker, so that tasks are waiting on each node while results travel.
        return max(1, 4 * sum(self._nodes.values()))

    def model(self, settings: ModelSettings, opener: Opener = open_transport) -> ChatModel:
        """A model whose calls are made by the nodes."""
        # Settings with other limits on this side need another model on the nodes too.
        key = digest(settings.name, settings.fingerprint(), settings.timeout, settings.max_connections)
        return RayModel(settings, self, key, opener)

    async def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call the function on a node, and on another one if that node is lost."""
        last_loss: WorkerLostError | None = None
        for _ in range(MAX_LOST_WORKERS):
            try:
                return await self.perform(
                    lambda actor: actor.run.remote(function, arguments), RULE_SECONDS + self._grace
                )
            except WorkerLostError as error:
                last_loss = error
        raise lost_too_many(function, last_loss)

    async def perform(self, submit: Callable[[Any], Awaitable[Any]], seconds: float) -> Any:
        """Submit a call to the least busy worker, once, and return its result. An error in the result is raised.

        A worker that takes longer than `seconds` may be frozen and is dropped. Raises `WorkerLostError` then, and also
        if the worker or its node is lost. Raises `ExecutorError` if the cluster cannot be used any more.
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
        # `NodeWorker` returns errors instead of raising them.
        if isinstance(result, Exception):
            raise result
        return result

    async def wait_until_ready(self) -> None:
        """Wait until a worker answers. Raises `ExecutorError`."""
        await self._least_busy()

    async def close(self) -> None:
        """Leave the cluster. A cluster that was started for the run ends."""
        unfinished = [self._watching, *self._starting]
        for task in unfinished:
            task.cancel()
        await asyncio.gather(*unfinished, return_exceptions=True)
        await asyncio.to_thread(self._ray.shutdown)

    async def _least_busy(self) -> Worker:
        """The worker with the fewest calls in flight. Raises `ExecutorError` if no worker is ready in time."""
        async with self._changed:
            try:
                async with asyncio.timeout(SILENCE_TIMEOUT):
                    # At the start of a run, no worker may be ready yet.
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
        """Stop using a worker. The next look at the nodes replaces it."""
        if worker in self._workers:
            self._workers.remove(worker)
            self._ray.kill(worker.actor)

    async def _watch(self) -> None:
        """Keep the list of nodes up to date, and start missing workers."""
        try:
            while self._broken is None:
                nodes = await asyncio.to_thread(self._ray.nodes)
                self._nodes = {}
                for node in nodes:
                    cores = node["Resources"].get("CPU")
                    if node["Alive"] and cores:
                        self._nodes[node["NodeID"]] = self._per_node or max(1, int(cores))
                # A worker is lost with its node. Its calls end with an error of Ray.
                self._workers = [worker for worker in self._workers if worker.node in self._nodes]
                for node in nodes:
                    self._start_missing(node["NodeID"], node["NodeManagerAddress"])
                await asyncio.sleep(NODE_POLL_SECONDS)
        except Exception as error:  # noqa: BLE001  (Ray's client raises errors of any type if the cluster is gone)
            await self._break(ExecutorError(f"the Ray cluster cannot be reached any more: {error}"))

    def _start_missing(self, node: str, address: str) -> None:
        """Start as many workers on this node as are missing there."""
        n_ready = sum(worker.node == node for worker in self._workers)
        n_starting = sum(starting_on == node for starting_on in self._starting.values())
        n_missing = self._nodes.get(node, 0) - n_ready - n_starting
        for _ in range(n_missing):
            starting = asyncio.ensure_future(self._start(node, address))
            self._starting[starting] = node
            starting.add_done_callback(self._starting.pop)

    async def _start(self, node: str, address: str) -> None:
        """Start a worker on this node, and use it after it has reported the right version."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        # It reserves no CPU, since it would wait for ever on a cluster whose CPUs are all reserved.
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
            return  # the next look starts another worker if the node is still alive
        if version != code_version():
            await self._break(
                ExecutorError(
                    f"node {address} has perturb {version}, this is {code_version()}: install the same on all nodes"
                )
            )
            return
        self._workers.append(Worker(node, address, actor))
        async with self._changed:
            self._changed.notify_all()

    async def _break(self, error: ExecutorError) -> None:
        """Refuse all further calls with this error, and wake those that wait for a worker."""
        self._broken = error
        async with self._changed:
            self._changed.notify_all()


@dataclass(frozen=True, slots=True)
class RayModel:
    """A model whose calls are made by the workers of a cluster."""

    settings: ModelSettings
    executor: RayExecutor
    key: str
    """The key under which workers keep the opened model."""
    opener: Opener

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Send a request from a worker. Raises the errors of the transport, and `WorkerLostError`."""
        seconds = self.settings.timeout + self.executor._grace
        reply: ChatReply = await self.executor.perform(
            lambda actor: actor.complete.remote(self.key, self.settings, self.opener, request), seconds
        )
        return reply

    async def close(self) -> None:
        """Do nothing, since the workers own the connections."""


async def open_ray(entry: ExecutorEntry, setup: Any) -> RayExecutor:
    """An executor on a running cluster, or on a cluster that is started here for the run.

    Raises `ConfigError` if ray is not installed, and `ExecutorError` if the cluster cannot be reached.
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
            # With None, Ray would join a cluster that an earlier, killed run left behind.
            address=entry.address or "local",
            num_cpus=None if entry.address else entry.workers,
            # The dashboard would need a port and more memory on this machine.
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
    """Raise `ExecutorError` if nothing listens at the address. Ray itself would try for minutes."""
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
