"""Peak memory of builds of ever more jobs, each generated and voted on over HTTP, and of their replays.

It should hardly grow.

    python -m tests.benchmarks.bench_memory --jobs 1000 10000 100000

Every job makes two calls to a server that always says the same, so 100,000 jobs take some minutes.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

import yaml

from perturb.catalogue.levers import Catalogue
from perturb.records import CHECK_NAMES, Cell, Intensity, PerturbationClass
from perturb.snapshots.replies import export_replies
from tests.benchmarks.bench_build import run_build
from tests.benchmarks.canned_server import NUMBER, serving

CELL = Cell(PerturbationClass.CONTRADICTION, Intensity.HIGH)
INSTANCES = 100


def replies() -> dict[str, str]:
    """What generator and verifier say; the mark of a verifier's request is its schema."""
    catalogue = Catalogue.load()
    code = catalogue.expected_behavior(CELL)
    vote = {
        "verdict": "PASS",
        "checks": dict.fromkeys(CHECK_NAMES, True),
        "predicted_rag_behavior": code,
        "issues": [],
    }
    made = {
        "perturbed_query": "When did the mill open?",
        "perturbed_context": f"The mill opened in 1950. The mill opened in 1920, says page {NUMBER.decode()}. "
        * 20,
        "lever_selected": next(lever.name for lever in catalogue.levers_of(CELL) if not lever.needs),
        "implementation_reasoning": "Two years are given for one opening.",
        "intensity_achieved": str(CELL.intensity),
        "answer_constraint_satisfied": "yes",
        "expected_rag_behavior": code,
    }
    return {"linguistic_soundness": json.dumps(vote), "": json.dumps(made)}


def write_build(folder: Path, url: str, jobs: int, connections: int) -> Path:
    """A build of as many jobs: instances times replicates."""
    rows = (
        {
            "query": "When did the mill open?",
            "context": f"Mill {number} opened in 1950.",
            "answers": ["1950"],
        }
        for number in range(INSTANCES)
    )
    (folder / "base.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")

    def model(name: str) -> dict[str, object]:
        at = {"model": f"hosted_vllm/{name}", "api_base": url, "max_connections": connections}
        return {"name": name, **at, "price": {"input": 1.0, "output": 1.0}, "transport": "direct"}

    content = {
        "name": "big",
        "round": "bench",
        "base_set": {"path": "base.jsonl"},
        "cells": [{"class": str(CELL.perturbation_class), "intensity": str(CELL.intensity)}],
        "lever_choice": "generator",
        "replicates": jobs // INSTANCES,
        "generators": [model("generator")],
        "panel": {"verifiers": [model("verifier")]},
        "select": {"strategy": "balanced", "per_generator": 10, "min_per_cell": 0},
    }
    path = folder / "build.yaml"
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    return path


def main() -> None:
    """Build each size in a process of its own and print its peak."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, nargs="+", default=[1000, 10_000])
    parser.add_argument("--connections", type=int, default=64)
    options = parser.parse_args()
    first = 0.0
    with serving(replies(), 0.001) as url:
        for jobs in options.jobs:
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                config = write_build(folder, url, jobs, options.connections)
                done, file = run_build(config, folder), folder / "replies.jsonl.gz"
                export_replies(folder / "big", file)
                again = run_build(config, folder / "again", "--replay", str(file))
            first = first or done.peak_mb
            calls = done.facts["calls"]
            print(
                f"{jobs} jobs, {calls} calls, {done.facts['accepted']} accepted: peak {done.peak_mb:.0f} MB, "
                f"{done.peak_mb / first:.2f} of the first; {calls / done.wall:.0f} calls/s, "
                f"CPU {1000 * done.cpu / calls:.2f} ms a call; replayed in {again.wall:.0f} s"
                f" (CPU {again.cpu:.0f} s), peak {again.peak_mb:.0f} MB",
                flush=True,
            )


if __name__ == "__main__":
    main()
