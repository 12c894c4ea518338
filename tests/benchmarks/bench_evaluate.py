"""How near an evaluation comes to the ideal wall time: four models on 1,600 items over the loopback provider.

Run as `python -m tests.benchmarks.bench_evaluate`; prints one JSON object. Ideal: the calls of the busiest model at its
connections and the provider's latency, with no time for anything else.

With `--executors local processes ray` it measures instead how many calls a second the whole command makes under each of
them, against a server in a process of its own that answers at once with a refusal code.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.evaluation.rows import items_of, run, single, write_models, write_rows
from tests.loopback import LoopbackServer
from tests.loopback.responders import Responders

MODELS = ("refuse", "never", "sixty", "wrong")


def main() -> None:
    """Evaluate, and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=1600)
    parser.add_argument("--latency", type=float, default=0.5)
    parser.add_argument("--folder", type=Path, default=None, help="keep the run there")
    parser.add_argument("--executors", nargs="*", default=())
    parser.add_argument("--transport", default="auto")
    options = parser.parse_args()
    folder = options.folder or Path(tempfile.mkdtemp())
    source = write_rows(folder / "rows.jsonl", [single(number) for number in range(options.items)])
    if options.executors:
        compare_executors(folder, source, options)
        return
    player = Responders(items_of(source))
    with LoopbackServer(player, latency=(options.latency, options.latency)) as server:
        started = time.perf_counter()
        report = run(folder, source, server.url, MODELS, variant="confidence")
        wall = time.perf_counter() - started
        busiest = max(server.counters.requests.values())
        ideal = busiest * options.latency / 8  # `write_models` gives each model 8 connections
        print(
            json.dumps(
                {
                    "items": options.items,
                    "calls": server.counters.total,
                    "repeated": server.counters.repeated,
                    "wall": round(wall, 1),
                    "ideal": round(ideal, 1),
                    "wall_over_ideal": round(wall / ideal, 2),
                    "cost_usd": report.facts["cost_usd"],
                    "models": report.facts["models"],
                }
            )
        )
    subprocess.run([sys.executable, "-m", "perturb", "score", str(report.run)], check=True)


def compare_executors(folder: Path, source: Path, options: argparse.Namespace) -> None:
    """Run the command under each executor, and print its speed and the processor time of the driver."""
    command = [
        sys.executable,
        "-m",
        "tests.loopback",
        "--port",
        "0",
        "--text",
        "REFUSE_INFO_MISSING_IN_CONTEXT",
    ]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    url = json.loads(server.stdout.readline())["url"]
    models = write_models(folder, url, MODELS, max_connections=64, transport=options.transport)
    named = [word for name in MODELS for word in ("--model", name)]
    try:
        for executor in options.executors:
            command = [
                sys.executable,
                "-m",
                "perturb",
                "evaluate",
                str(source),
                *named,
                "--models",
                str(models),
            ]
            command += ["--executor", executor, "--out", str(folder / f"run-{executor}"), "--json"]
            before = time.perf_counter()
            process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
            assert process.stdout is not None
            facts = json.loads(process.stdout.read())
            _, status, usage = os.wait4(process.pid, 0)
            assert status == 0
            wall, cpu = time.perf_counter() - before, usage.ru_utime + usage.ru_stime
            print(
                f"{executor}: {facts['calls']} calls, {wall:.1f} s, {facts['calls'] / wall:.0f} calls/s with start-up,"
                f" CPU of the driver and its workers {1000 * cpu / facts['calls']:.2f} ms a call",
                flush=True,
            )
    finally:
        server.terminate()
        server.communicate(timeout=30)


if __name__ == "__main__":
    main()
