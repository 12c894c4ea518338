"""What a call costs: calls a second and processor time, by transport, beside the ideal and a peer.

    python -m tests.benchmarks.bench_calls --calls 5000 --connections 256 --peer PEER_VENV/bin/python

Each way of calling runs in a process of its own against one server in another, which says the same every time. The
ideal is a bare loop over an aiohttp session; the peer is bespoke-curator 0.1.31, in an environment of its own that
`--peer` or the variable `PERTURB_PEER_PYTHON` names.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from perturb.building.generate import read_reply
from perturb.catalogue.levers import Catalogue
from perturb.catalogue.prompts import Prompts
from perturb.curation.base_sets import embedded_path, load_base_set
from perturb.ledger.calls import CallLedger
from perturb.llm.budget import Budget
from perturb.llm.client import ChatModel, ChatRequest, Message, ModelSettings, Price, Transport
from perturb.llm.executors import open_executor
from perturb.llm.factory import ExecutorEntry, open_models, open_transport
from perturb.llm.limits import LimitedModel
from perturb.llm.model_client import ModelClient
from perturb.records import ALL_CELLS
from tests.benchmarks.canned_server import serving

WARM_UP = 200


@dataclass(frozen=True)
class Load:
    """How many calls, how many at a time, and where to."""

    url: str
    calls: int
    connections: int

    def settings(self, transport: Transport) -> ModelSettings:
        return ModelSettings(
            "m",
            "hosted_vllm/tiny",
            api_base=self.url,
            params={"temperature": 0.1, "max_tokens": 2000},
            max_connections=self.connections,
            price=Price(1.0, 2.0),
            transport=transport,
        )


class Questions:
    """Prompts of a generator about the demo set's instances, cell by cell, as a build renders them."""

    def __init__(self) -> None:
        self.prompts = Prompts(Catalogue.load())
        self.instances = load_base_set(embedded_path("demo"), "auto", None).instances

    def __getitem__(self, number: int) -> ChatRequest:
        instance = self.instances[number % len(self.instances)]
        return self.prompts.generation(ALL_CELLS[number % len(ALL_CELLS)], instance)


Call = Callable[[int], Awaitable[object]]


async def timed(call: Call, load: Load) -> dict[str, float]:
    """Warm up, then make the calls; wall and processor time of the second part."""
    figures: dict[str, float] = {}
    for start, count in ((0, WARM_UP), (WARM_UP, load.calls)):
        numbers = iter(range(start, start + count))

        async def work(numbers: Iterator[int] = numbers) -> None:
            for number in numbers:
                await call(number)

        wall, cpu = time.perf_counter(), time.process_time()
        await asyncio.gather(*(work() for _ in range(min(load.connections, count))))
        figures = {
            "calls": count,
            "wall": time.perf_counter() - wall,
            "cpu": time.process_time() - cpu,
        }
    return figures


def numbered(request: ChatRequest, number: int) -> list[dict[str, str]]:
    """Messages that no other call has."""
    turns = [{"role": message.role, "content": message.content} for message in request.messages]
    turns[-1]["content"] += str(number)
    return turns


async def by_bare_aiohttp(load: Load) -> dict[str, float]:
    """The ideal: post, read, decode."""
    import aiohttp

    request = Questions()[0]
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def call(number: int) -> str:
            body = {"model": "tiny", "messages": numbered(request, number), "max_tokens": 2000}
            async with session.post(f"{load.url}/chat/completions", json=body) as response:
                return str((await response.json())["choices"][0]["message"]["content"])

        return await timed(call, load)


async def by_bare_litellm(load: Load) -> dict[str, float]:
    """litellm as it comes, apart from the width of its pool."""
    os.environ |= {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "AIOHTTP_CONNECTOR_LIMIT": "10000"}
    os.environ["AIOHTTP_CONNECTOR_LIMIT_PER_HOST"] = "10000"
    import litellm

    request = Questions()[0]

    async def call(number: int) -> str:
        reply = await litellm.acompletion(
            model="openai/tiny",
            api_base=load.url,
            api_key="no-key",
            messages=numbered(request, number),
            max_tokens=2000,
        )
        return str(reply.choices[0].message.content)

    return await timed(call, load)


async def by_model(
    load: Load, transport: Transport, wrap: Callable[[ChatModel], ChatModel]
) -> dict[str, float]:
    """A model of ours, without what stands around it."""
    request = Questions()[0]
    model = wrap(open_transport(load.settings(transport)))
    system, user = request.messages

    async def call(number: int) -> object:
        return await model.complete(
            ChatRequest((system, Message("user", user.content + str(number))), request.schema)
        )

    try:
        return await timed(call, load)
    finally:
        await model.close()


async def by_whole_path(load: Load, transport: Transport) -> dict[str, float]:
    """Prompt, key, cache, budget, limits, call, reading, ledger: what a build does for each call."""
    questions, budget = Questions(), Budget(1e6)
    with tempfile.TemporaryDirectory() as folder, CallLedger(Path(folder) / "run") as ledger:
        models = open_models([load.settings(transport)], budget)
        client = ModelClient(models, ledger, budget)

        try:
            figures = await timed(asking(client, questions, ledger), load)
        finally:
            for model in models.values():
                await model.close()
        ledger.flush()
        return figures


async def by_workers(load: Load, transport: Transport) -> dict[str, float]:
    """The whole path with the calls themselves made by two workers; the processor time is the driver's alone."""
    questions, budget = Questions(), Budget(1e6)
    executor = await open_executor(ExecutorEntry(kind="ray", workers=2))
    with tempfile.TemporaryDirectory() as folder, CallLedger(Path(folder) / "run") as ledger:
        client = ModelClient(open_models([load.settings(transport)], budget, executor.model), ledger, budget)
        try:
            return await timed(asking(client, questions, ledger), load)
        finally:
            await executor.close()


def asking(client: ModelClient, questions: Questions, ledger: CallLedger) -> Call:
    """A call by everything that stands around it in a build."""

    async def call(number: int) -> None:
        asked = await client.ask(
            "m", questions[number], read_reply, purpose="generate", subject=str(number), salt=str(number)
        )
        assert asked.value is not None, asked.error
        await ledger.apply_backpressure()

    return call


def _bare(model: ChatModel) -> ChatModel:
    return model


WAYS: dict[str, tuple[str, Callable[[Load], Awaitable[dict[str, float]]]]] = {
    "ideal": ("bare aiohttp loop: the ideal", by_bare_aiohttp),
    "direct": ("our direct transport", lambda load: by_model(load, "direct", _bare)),
    "limited": ("direct, within limits", lambda load: by_model(load, "direct", LimitedModel)),
    "path": ("direct, whole path", lambda load: by_whole_path(load, "direct")),
    "litellm": ("bare litellm loop", by_bare_litellm),
    "litellm-model": ("our litellm transport", lambda load: by_model(load, "litellm", _bare)),
    "litellm-path": ("litellm, whole path", lambda load: by_whole_path(load, "litellm")),
    "ray": ("direct, Ray, 2 workers (driver)", lambda load: by_workers(load, "direct")),
    "litellm-ray": ("litellm, Ray, 2 workers (driver)", lambda load: by_workers(load, "litellm")),
}


def reply_text() -> str:
    """What the server says: a generator's reply of ordinary length that `read_reply` reads."""
    instance = Questions().instances[0]
    return json.dumps(
        {
            "perturbed_query": instance.query,
            "perturbed_context": instance.context + " A word more, which changes little.",
            "lever_selected": "Some lever",
            "implementation_reasoning": "The context says something more at its end. " * 4,
            "intensity_achieved": "LOW",
            "answer_constraint_satisfied": "yes",
            "expected_rag_behavior": "ANSWER_CORRECTLY",
        }
    )


def run_way(way: str, load: Load) -> dict[str, Any]:
    """One way of calling in a process of its own."""
    arguments = ["--way", way, "--url", load.url, "--calls", load.calls, "--connections", load.connections]
    command = [sys.executable, "-m", "tests.benchmarks.bench_calls", *map(str, arguments)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=900)
    if ended.returncode:
        raise SystemExit(f"{way}: {ended.stderr}")
    return dict(json.loads(ended.stdout.splitlines()[-1]))


def run_peer(python: str, load: Load) -> dict[str, Any] | str:
    """bespoke-curator on the same calls, or why there are no figures."""
    if not python:
        return "no --peer and no PERTURB_PEER_PYTHON"
    system, user = (message.content for message in Questions()[0].messages)
    with tempfile.TemporaryDirectory() as folder:
        prompt = Path(folder) / "prompt.json"
        prompt.write_text(json.dumps([system, user]), encoding="utf-8")
        script = Path(__file__).parent / "peer_curator.py"
        command = [python, str(script), load.url, str(load.calls), str(load.connections), str(prompt)]
        try:
            ended = subprocess.run(command, capture_output=True, text=True, timeout=900, cwd=folder)
        except (OSError, subprocess.TimeoutExpired) as error:
            return str(error)
    if ended.returncode:
        return (ended.stderr.strip().splitlines() or ["no reason given"])[-1]
    return dict(json.loads(ended.stdout.splitlines()[-1]))


def report(title: str, figures: dict[str, Any], ideal: float, peer: float | None) -> None:
    """One line: rate, processor time, and how that stands to the ideal and the peer."""
    each = 1000 * figures["cpu"] / figures["calls"]
    beside = f"  {peer / each:5.1f} times cheaper than the peer" if peer else ""
    print(
        f"{title:30} {figures['calls'] / figures['wall']:7.0f} calls/s {each:7.3f} ms CPU a call"
        f"  {each / ideal:5.2f} of the ideal{beside}",
        flush=True,
    )


def compare(options: argparse.Namespace) -> None:
    """Run every way, then print the table and the shares."""
    with serving({"": reply_text()}, options.latency) as url:
        load = Load(url, options.calls, options.connections)
        results = {way: run_way(way, load) for way in options.ways.split(",")}
        peer = run_peer(options.peer, load)
    costs = {way: 1000 * figures["cpu"] / figures["calls"] for way, figures in results.items()}
    ideal = costs.get("ideal", 1.0)
    of_peer = None if isinstance(peer, str) else 1000 * peer["cpu"] / peer["calls"]
    for way, figures in results.items():
        report(WAYS[way][0], figures, ideal, of_peer)
    if isinstance(peer, str):
        print(f"bespoke-curator                skipped: {peer}")
    else:
        report("bespoke-curator", peer, ideal, None)
    for path, transport in (("path", "direct"), ("litellm-path", "litellm-model")):
        if path in costs and transport in costs:
            ours = costs[path] - costs[transport]
            print(f"{WAYS[path][0]}: transport {costs[transport]:.3f} ms, ours {ours:.3f} ms")


def main() -> None:
    """Run one way if `--way` names it, else all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=5000)
    parser.add_argument("--connections", type=int, default=256)
    parser.add_argument("--latency", type=float, default=0.02)
    parser.add_argument("--ways", default=",".join(WAYS), help="which, separated by commas")
    parser.add_argument("--peer", default=os.environ.get("PERTURB_PEER_PYTHON", ""))
    parser.add_argument("--way", choices=WAYS, help=argparse.SUPPRESS)
    parser.add_argument("--url", default="", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.way:
        load = Load(options.url, options.calls, options.connections)
        figures = asyncio.run(_as_coroutine(WAYS[options.way][1](load)))
        print(json.dumps(figures))
    else:
        compare(options)


async def _as_coroutine(figures: Awaitable[dict[str, float]]) -> dict[str, float]:
    return await figures


if __name__ == "__main__":
    main()
