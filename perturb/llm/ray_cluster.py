"""Workers on a Ray cluster: the only module that imports ray, and only when a run asks for it.

Every chunk goes to a node of the driver's choice, so that a lost or frozen node costs the chunks it had and no others.
Ray itself repeats nothing: what is lost comes back as `WorkerLostError`, and the driver decides.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from perturb.errors import ConfigError, ExecutorError, WorkerLostError
from perturb.files.resources import code_version
from perturb.llm import ray_worker
from perturb.llm.worker_pool import WorkerPool, WorkerSlot
from perturb.llm.worker_tasks import ExecutorEntry, TaskRow, WorkerTask

NODE_POLL_SECONDS = 2.0
"""Seconds between two looks at which nodes there are."""

CONNECT_TIMEOUT = 10.0
"""Seconds to wait for the head node to take a connection."""

SILENCE_TIMEOUT = 60.0
"""Seconds to wait while no node answers: a worker process must start there and import perturb."""


@dataclass(eq=False)
class Node:
    """One node of the cluster, as the driver sees it."""

    id: str
    name: str
    cpus: float
    slots: int
    """Chunks that it works on at the same time."""
    answers: bool = False
    """Whether it has answered since it came, or since it was last late."""
    busy: int = 0
    asked: asyncio.Future[None] | None = None
    """The question whether it is there, while that is open."""


@dataclass(eq=False)
class NodeSlot:
    """A place on a node, for one chunk."""

    cluster: RaySlots
    node: Node
    reference: Any = None

    @property
    def name(self) -> str:
        """The node's name."""
        return f"node {self.node.name}"

    async def work(self, chunk: Sequence[WorkerTask]) -> AsyncIterator[TaskRow]:
        """Have the chunk done on the node, and pass on its rows as they come."""
        self.node.busy += 1
        try:
            self.reference = self.cluster.submit(self.node, list(chunk))
            while rows := await self.cluster.result(_next(self.reference)):
                for row in rows:
                    yield row
        finally:
            self.node.busy -= 1

    def drop(self) -> None:
        """Take the task back, and give the node nothing more until it answers."""
        self.node.answers = False
        self.cluster.cancel(self.reference)


class RaySlots:
    """The nodes of a cluster that is connected to."""

    def __init__(self, ray: Any, setup: Any, slots: int | None) -> None:
        """`setup` refers to the object store; `slots`: chunks that each node works on, None means two a CPU."""
        self._ray = ray
        self._setup = setup
        self._slots = slots
        self._nodes: dict[str, Node] = {}
        self._changed: Callable[[], None] = lambda: None
        self._watching: asyncio.Task[None] | None = None
        self._silent_since: float | None = None
        self._broken: ExecutorError | None = None

    async def open(self) -> None:
        """Wait until a node answers. Raises `ExecutorError`."""
        changed = asyncio.Event()
        self._changed = changed.set
        self._watching = asyncio.ensure_future(self._watch())
        while not self.free():
            await changed.wait()
            changed.clear()

    def set_on_change(self, changed: Callable[[], None]) -> None:
        """Have `changed` called when a node has come, gone or answered."""
        self._changed = changed

    def free(self) -> Sequence[WorkerSlot]:
        """A slot for each chunk that an answering node could take now, the emptiest node first."""
        if self._broken is not None:
            raise self._broken
        slots = [
            (node.busy + extra, NodeSlot(self, node))
            for node in self._nodes.values()
            if node.answers
            for extra in range(node.slots - node.busy)
        ]
        return [slot for _, slot in sorted(slots, key=lambda pair: pair[0])]

    async def close(self) -> None:
        """Leave the cluster; one that was started for the run ends with it."""
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.gather(self._watching, return_exceptions=True)
        await asyncio.to_thread(self._ray.shutdown)

    @property
    def width(self) -> int:
        """Chunks that all nodes together work on."""
        return sum(node.slots for node in self._nodes.values())

    def submit(self, node: Node, chunk: list[WorkerTask]) -> Any:
        """Send a chunk to a node; returns Ray's generator of references to handfuls of rows."""
        work = self._on(node, ray_worker.work_on, node.cpus / node.slots, num_returns="streaming")
        return work.remote(self._setup, chunk)

    async def result(self, awaited: Awaitable[Any]) -> Any:
        """What a task has to give. Raises `WorkerLostError` for whatever Ray says when a worker or a node is gone."""
        errors = self._ray.exceptions
        try:
            return await awaited
        except errors.RayTaskError as error:
            raise ExecutorError(f"a Ray worker failed: {str(error).splitlines()[-1]}") from None
        except errors.RayError as error:
            raise WorkerLostError(type(error).__name__) from None

    def cancel(self, reference: Any) -> None:
        """Have a task stopped, if anybody is there to stop it."""
        try:
            self._ray.cancel(reference, force=True)
        except (self._ray.exceptions.RayError, TypeError, ValueError):
            return  # it is over, or was never sent

    def _on(self, node: Node, function: Callable[..., Any], cpus: float, **options: Any) -> Any:
        """A function as a task that runs on this node or nowhere, once."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        here = NodeAffinitySchedulingStrategy(node.id, soft=False)
        task = self._ray.remote(function)
        return task.options(scheduling_strategy=here, num_cpus=cpus, max_retries=0, **options)

    async def _watch(self) -> None:
        """Keep the list of nodes, and ask those that are silent whether they are there."""
        try:
            while True:
                self._sort_nodes(await asyncio.to_thread(self._ray.nodes))
                for node in self._nodes.values():
                    if not node.answers and node.asked is None:
                        node.asked = asyncio.ensure_future(self._ask(node))
                self._give_up_if_silent()
                self._changed()
                await asyncio.sleep(NODE_POLL_SECONDS if self.width and self._silent_since is None else 0.1)
        except Exception as error:  # noqa: BLE001  (Ray's client raises anything when the cluster is gone)
            self._broken = ExecutorError(f"the Ray cluster cannot be reached any more: {error}")
            self._changed()

    def _sort_nodes(self, found: list[dict[str, Any]]) -> None:
        alive = {one["NodeID"]: one for one in found if one["Alive"] and one["Resources"].get("CPU")}
        self._nodes = {key: node for key, node in self._nodes.items() if key in alive}
        for key, one in alive.items():
            if key not in self._nodes:
                cpus = one["Resources"]["CPU"]
                slots = self._slots or max(1, int(2 * cpus))
                self._nodes[key] = Node(key, one["NodeManagerAddress"], cpus, slots)

    async def _ask(self, node: Node) -> None:
        """Have the node say its version; only then is it given chunks."""
        try:
            theirs = await self.result(self._on(node, ray_worker.version, 0).remote())
        except (WorkerLostError, ExecutorError):
            return  # it is asked again at the next look, if it is still listed
        finally:
            node.asked = None
        if theirs != code_version():
            self._broken = ExecutorError(
                f"node {node.name} has perturb {theirs}, this is {code_version()}: install the same on all nodes"
            )
        node.answers = True
        self._changed()

    def _give_up_if_silent(self) -> None:
        now = time.monotonic()
        if any(node.answers for node in self._nodes.values()):
            self._silent_since = None
        elif self._silent_since is None:
            self._silent_since = now
        elif now - self._silent_since > SILENCE_TIMEOUT:
            self._broken = ExecutorError(
                f"no node of the Ray cluster has answered for {SILENCE_TIMEOUT:g} s ({len(self._nodes)} have CPUs): "
                "look at 'ray status', and whether perturb is installed on every node"
            )


async def open_ray(entry: ExecutorEntry, setup: Any) -> WorkerPool:
    """An executor over a running cluster, or over one started here for the run.

    Raises `ConfigError` if ray is not installed, `ExecutorError` if the cluster cannot be reached.
    """
    ray = _import_ray()
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
    slots = RaySlots(ray, ray.put(setup), entry.workers)
    try:
        await slots.open()
    except BaseException:
        await slots.close()
        raise
    return WorkerPool(slots, width=2 * entry.chunk * slots.width, chunk=entry.chunk, grace=entry.grace)


async def _next(references: Any) -> list[TaskRow] | None:
    """The next handful of rows; None at the end."""
    try:
        rows: list[TaskRow] = await (await anext(references))
    except StopAsyncIteration:
        return None
    return rows


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


def _import_ray() -> Any:
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    try:
        import ray
    except ImportError:
        raise ConfigError(
            "executor: ray is not installed: pip install 'refusalbench-builder[ray]', or take 'processes'"
        ) from None
    return ray
