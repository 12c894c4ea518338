"""What a model takes again after a storm of 429s: its share of the ideal in as long a time after the storm's end.

    python -m tests.benchmarks.bench_storm --storm 20 --connections 16

During the storm nine calls in ten fail. The ideal is what the same calls take from the same server without a storm.
PYTHONPATH may name a tree of older code, whose figures are printed the same.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import time
from pathlib import Path

import perturb
from perturb.errors import TransientModelError
from perturb.llm.client import ChatModel, ChatRequest, Message, ModelSettings
from perturb.llm.factory import open_transport
from perturb.llm.limits import LimitedModel
from tests.loopback import LoopbackServer
from tests.loopback.faults import Fault, RandomFaults


class Storm:
    """Nine calls in ten are refused from `begins` on, for so many seconds."""

    def __init__(self, begins: float, seconds: float) -> None:
        self.begins, self.ends = begins, begins + seconds
        self._faults = RandomFaults({Fault.RATE_LIMIT: 0.9})

    def pick(self, model: str, content: str, attempt: int) -> Fault | None:
        during = self.begins <= time.monotonic() < self.ends
        return self._faults.pick(model, content, attempt) if during else None


def measure(storm: Storm, until: float, connections: int, latency: float) -> tuple[list[float], int]:
    """When replies came, and how many calls were lost."""
    with LoopbackServer(faults=storm, latency=(latency, latency)) as server:
        settings = ModelSettings("m", "hosted_vllm/tiny", api_base=server.url, max_connections=connections)
        return asyncio.run(_ask(LimitedModel(open_transport(settings)), until, 2 * connections))


async def _ask(model: ChatModel, until: float, workers: int) -> tuple[list[float], int]:
    passed: list[float] = []
    lost = 0

    async def work(worker: int) -> None:
        nonlocal lost
        number = 0
        while time.monotonic() < until:
            number += 1
            try:
                await model.complete(ChatRequest((Message("user", f"{worker} {number}"),)))
                passed.append(time.monotonic())
            except TransientModelError:
                lost += 1

    tasks = [asyncio.create_task(work(number)) for number in range(workers)]
    await asyncio.wait(tasks, timeout=until - time.monotonic())
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await model.close()
    return passed, lost


def main() -> None:
    """Measure and print one line for the calm and one for the storm."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--storm", type=float, default=20, help="seconds of storm, and as many after it")
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--latency", type=float, default=0.2, help="seconds a reply takes")
    chosen = parser.parse_args()
    now = time.monotonic()
    calm, _ = measure(Storm(now, 0), now + 5, chosen.connections, chosen.latency)
    ideal = sum(moment >= calm[0] for moment in calm) / (max(calm) - min(calm))
    print(f"{Path(perturb.__file__).parent}: ideal {ideal:.0f} calls/s")
    storm = Storm(time.monotonic(), chosen.storm)
    passed, lost = measure(storm, storm.ends + chosen.storm, chosen.connections, chosen.latency)
    during = sum(moment < storm.ends for moment in passed)
    after = len(passed) - during
    moments = [storm.begins, *(moment for moment in passed if moment < storm.ends), storm.ends]
    gap = max(later - earlier for earlier, later in itertools.pairwise(moments))
    print(
        f"during the storm {during} replies, longest time without one {gap:.1f} s; in the {chosen.storm:g} s after it"
        f" {after} replies, {after / (ideal * chosen.storm):.0%} of the ideal; calls lost: {lost}"
    )


if __name__ == "__main__":
    main()
