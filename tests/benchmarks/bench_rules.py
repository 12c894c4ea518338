"""The rule engine over one process, several processes and Ray: jobs a second, beside one process.

    python -m tests.benchmarks.bench_rules --base-set FILE --executors local,processes,ray

Each build runs in a process of its own, from its start to the written snapshot; the data files must be the same.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any


def build(kind: str, base_set: Path | None, out: Path) -> dict[str, Any]:
    """One offline build; wall and processor time of the whole command."""
    command = [sys.executable, "-m", "perturb", "build", "--json", "--out", str(out), "--name", kind]
    command += ["--executor", kind, *(["--base-set", str(base_set)] if base_set else [])]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    ended = subprocess.run(command, capture_output=True, text=True)
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if ended.returncode:
        raise SystemExit(f"{kind}: {ended.stderr}")
    facts: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    [data] = Path(facts["snapshot"]).joinpath("data").rglob("*.parquet")
    return facts | {
        "wall": wall,
        "cpu": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        "digest": hashlib.sha256(data.read_bytes()).hexdigest(),
    }


def main() -> None:
    """Build once with each executor and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base-set", type=Path, help="default: the embedded demo set")
    parser.add_argument(
        "--executors", default="local,processes", help="separated by commas; the first is the measure"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        results = {kind: build(kind, options.base_set, Path(folder)) for kind in options.executors.split(",")}
    name, first = next(iter(results.items()))
    for kind, facts in results.items():
        rate, ratio = facts["jobs"] / facts["wall"], facts["wall"] / first["wall"]
        print(
            f"{kind:10} {facts['jobs']} jobs, {facts['candidates']} judged in {facts['wall']:6.1f} s"
            f" ({rate:6.0f} jobs/s, {ratio:.2f} of the time of {name})"
            f"  CPU {facts['cpu']:.1f} s  same rows: {facts['digest'] == first['digest']}"
        )


if __name__ == "__main__":
    main()
