"""The driver's side of a Ray cluster, without Ray: what becomes of calls on a node that is gone."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from perturb.llm.client import ChatReply, ChatRequest, Message, ModelSettings
from perturb.llm.limits import LimitedModel
from perturb.llm.ray_cluster import Node, RaySlots
from perturb.llm.worker_pool import WorkerPool
from perturb.llm.worker_tasks import TaskRow, WorkerTask


class GoneError(Exception):
    """What Ray says of a task for a node that is gone."""


class TwoNodes(RaySlots):
    """Two nodes that are listed as alive, of which the first is gone."""

    def __init__(self) -> None:
        errors = SimpleNamespace(RayError=GoneError, RayTaskError=ZeroDivisionError)
        super().__init__(SimpleNamespace(exceptions=errors, cancel=lambda *_, **__: None), None, 1)
        self._nodes = {name: Node(name, name, 1, 1, answers=True) for name in ("gone", "there")}
        self.sent: list[str] = []

    def submit(self, node: Node, chunk: list[WorkerTask]) -> Any:
        self.sent.append(node.name)
        return self._stream(node, chunk)

    async def _stream(self, node: Node, chunk: list[WorkerTask]) -> Any:
        if node.name == "gone":
            raise GoneError
        yield _now([TaskRow(n, task.key, ChatReply("yes")) for n, task in enumerate(chunk)])


async def _now(rows: list[TaskRow]) -> list[TaskRow]:
    return rows


async def test_a_node_that_lost_a_chunk_gets_no_other_before_it_answers() -> None:
    """Ray lists a dead node for a while; a call sent there six times within it would be given up."""
    slots = TwoNodes()
    pool = WorkerPool(slots, width=4, chunk=4, grace=60)
    model = LimitedModel(pool.model(ModelSettings("m", "hosted_vllm/m")))
    reply = await model.complete(ChatRequest((Message("user", "well?"),), key="k"))
    assert (reply.text, reply.tries) == ("yes", 2)
    assert slots.sent == ["gone", "there"]
    assert [slot.name for slot in slots.free()] == ["node there"]
