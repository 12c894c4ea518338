"""How near an evaluation comes to the ideal wall time: four models on 1,600 items over the loopback provider.

Run as `python -m tests.benchmarks.bench_evaluate`; prints one JSON object. Ideal: the calls of the busiest model at its
connections and the provider's latency, with no time for anything else.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.evaluate.rows import items_of, run, single, write_rows
from tests.loopback import LoopbackServer
from tests.loopback.responders import Responders

MODELS = ("refuse", "never", "sixty", "wrong")


def main() -> None:
    """Evaluate, and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=1600)
    parser.add_argument("--latency", type=float, default=0.5)
    parser.add_argument("--folder", type=Path, default=None, help="keep the run there")
    options = parser.parse_args()
    folder = options.folder or Path(tempfile.mkdtemp())
    source = write_rows(folder / "rows.jsonl", [single(number) for number in range(options.items)])
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


if __name__ == "__main__":
    main()
