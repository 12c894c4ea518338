"""Builds over the loopback provider: wall time over the ideal, CPU a call, memory, kills, and what economy saves.

    python -m tests.benchmarks.bench_build --base-set FILE --instances 40 --latency 0.2 --connections 8

The ideal is the time that the calls alone would take with every connection busy: calls x latency / connections. The
bound is that of the busiest model alone, whose connections nobody else can use.
The server runs in a process of its own, and shares the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

GENERATORS = ("g1", "g2", "g3", "g4")
VERIFIERS = ("v1", "v2", "v3", "v4")
PASS_RATES = {"v1": 0.97, "v2": 0.95, "v3": 0.93, "v4": 0.9}


@dataclass(frozen=True)
class Settings:
    """What a benchmark run is set to."""

    base_set: Path | None
    instances: int
    latency: float
    connections: int
    faults: float
    route: str
    executor: str
    transport: str


@contextmanager
def serving(settings: Settings) -> Any:
    """The loopback provider in a process of its own; yields its address."""
    command = [sys.executable, "-m", "tests.loopback", "--port", "0", "--latency", str(settings.latency)]
    command += ["--faults", str(settings.faults), "--content-faults", str(settings.faults)]
    command += ["--pass-rates", json.dumps(PASS_RATES)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        yield json.loads(server.stdout.readline())["url"]
    finally:
        server.send_signal(signal.SIGTERM)
        server.communicate(timeout=30)


def write_config(folder: Path, name: str, url: str, settings: Settings, schedule: str) -> Path:
    """A build of four generators and four verifiers, all at the loopback provider."""

    def model(entry: str) -> dict[str, Any]:
        return {
            "name": entry,
            "model": f"{settings.route}/{entry}",
            "api_base": f"{url.rstrip('/').removesuffix('/v1')}/v1",
            "max_connections": settings.connections,
            "timeout": 20,
            "transport": settings.transport,
            "price": {"input": 1.0, "output": 1.0},
        }

    base: dict[str, Any] = {"limit": settings.instances}
    base |= {"path": str(settings.base_set.resolve())} if settings.base_set else {"demo": "demo"}
    content = {
        "name": name,
        "round": "bench",
        "seed": 1,
        "base_set": base,
        "generators": [model(entry) for entry in GENERATORS],
        "panel": {
            "schedule": schedule,
            "audit_fraction": 0.1,
            "verifiers": [model(entry) for entry in VERIFIERS],
        },
        "select": {"strategy": "natural"},
        "executor": settings.executor,
    }
    path = folder / f"{name}.yaml"
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    return path


@dataclass(frozen=True)
class Finished:
    """One build as its process ended."""

    facts: dict[str, Any]
    wall: float
    cpu: float
    peak_mb: float


def command_of(config: Path, out: Path, *more: str) -> list[str]:
    """The build's command line."""
    return [sys.executable, "-m", "perturb", "build", str(config), "--out", str(out), "--json", *more]


def run_build(config: Path, out: Path, *more: str) -> Finished:
    """Run a build to its end in a process of its own and measure it."""
    started = time.perf_counter()
    process = subprocess.Popen(command_of(config, out, *more), stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"build failed with status {status}")
    wall = time.perf_counter() - started
    cpu = usage.ru_utime + usage.ru_stime
    return Finished(json.loads(output.splitlines()[-1]), wall, cpu, usage.ru_maxrss / 1024)


def kill_and_resume(config: Path, out: Path, moments: Sequence[float]) -> Finished:
    """Kill the build at each moment (seconds after its start), then let it finish."""
    for moment in moments:
        process = subprocess.Popen(
            command_of(config, out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(moment)
        process.kill()
        process.wait()
    return run_build(config, out)


def accepted_of(run: Path) -> set[str]:
    """The ids of the accepted candidates of a run."""
    with sqlite3.connect(run / "ledger.sqlite") as db:
        rows = db.execute("SELECT candidate_id FROM decisions WHERE acceptance = 'accepted'").fetchall()
    ids = [row[0] for row in rows]
    assert len(ids) == len(set(ids))
    return set(ids)


def busiest_of(run: Path) -> int:
    """The calls of the model that was called most."""
    with sqlite3.connect(run / "ledger.sqlite") as db:
        return int(
            db.execute("SELECT max(n) FROM (SELECT count(*) n FROM calls GROUP BY model)").fetchone()[0]
        )


def report(title: str, done: Finished, settings: Settings) -> None:
    """Print one build's ratios."""
    calls = done.facts["calls"]
    ideal = calls * settings.latency / (settings.connections * (len(GENERATORS) + len(VERIFIERS)))
    bound = busiest_of(Path(done.facts["run"])) * settings.latency / settings.connections
    print(
        f"{title}: jobs {done.facts['jobs']}, calls {calls}, accepted {done.facts['accepted']}, "
        f"wall {done.wall:.1f} s, ideal {ideal:.1f} s, ratio {done.wall / ideal:.2f}, "
        f"bound {bound:.1f} s, ratio {done.wall / bound:.2f}, "
        f"CPU {1000 * done.cpu / calls:.2f} ms a call, peak {done.peak_mb:.0f} MB",
        flush=True,
    )


def main() -> None:
    """Run the full, killed and economy builds and compare them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base-set", type=Path)
    parser.add_argument("--instances", type=int, default=40)
    parser.add_argument("--latency", type=float, default=0.2)
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--faults", type=float, default=0.05)
    parser.add_argument("--route", default="hosted_vllm")
    parser.add_argument("--executor", default="local")
    parser.add_argument("--transport", default="auto")
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--once", action="store_true", help="the full build only")
    options = vars(parser.parse_args())
    kills, once = options.pop("kills"), options.pop("once")
    settings = Settings(**options)
    with tempfile.TemporaryDirectory() as name, serving(settings) as url:
        folder = Path(name)
        full = run_build(write_config(folder, "full", url, settings, "full"), folder)
        report("full", full, settings)
        if once:
            return
        chance = random.Random(11)
        moments = [full.wall * chance.uniform(0.1, 0.35) for _ in range(kills)]
        killed = kill_and_resume(write_config(folder, "killed", url, settings, "full"), folder, moments)
        same = accepted_of(folder / "full") == accepted_of(folder / "killed")
        print(
            f"killed {kills} times at {', '.join(f'{m:.1f}' for m in moments)} s: accepted the same items: {same}; "
            f"calls on record {killed.facts['calls']} against {full.facts['calls']}",
            flush=True,
        )
        economy = run_build(write_config(folder, "economy", url, settings, "economy"), folder)
        report("economy", economy, settings)
        saved = 1 - economy.facts["calls"] / full.facts["calls"]
        same = accepted_of(folder / "full") == accepted_of(folder / "economy")
        print(f"economy: {saved:.1%} of the calls saved; accepted the same items: {same}")


if __name__ == "__main__":
    main()
