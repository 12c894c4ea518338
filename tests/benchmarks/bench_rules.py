"""The rule engine over one process, several processes and Ray: jobs a second, beside one process.

    python -m tests.benchmarks.bench_rules --base-set FILE --executors local,processes,ray

Each build runs in a process of its own, from its start to the written snapshot; the data files must be the same. With
`--alone` the rules and the verifiers run in this process, without ledger, panel or snapshot: what is left is theirs.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from perturb.errors import PerturbError


def build(kind: str, base_set: Path | None, out: Path) -> dict[str, Any]:
    """One offline build; wall and processor time of the whole command."""
    command = [
        sys.executable,
        "-m",
        "perturb",
        "build",
        "--json",
        "--out",
        str(out),
        "--name",
        kind,
    ]
    command += ["--executor", kind, *(["--base-set", str(base_set)] if base_set else ["--demo", "rules"])]
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


def alone(base_set: Path | None) -> str:
    """Every job of the instances by the rules and every check on what they make, on one core; one line of figures."""
    from perturb.building.generate import generate_by_rule
    from perturb.building.offline.engine import DonorTable
    from perturb.building.offline.judge import CHECKS, judge_by_rule
    from perturb.catalogue.levers import Catalogue
    from perturb.curation.base_sets import embedded_path, load_base_set
    from perturb.records import ALL_CELLS, Job

    catalogue, instances = Catalogue.load(), load_base_set(base_set or embedded_path("demo")).instances
    donors = DonorTable.of(instances)
    jobs = judged = 0
    first = judging = 0.0
    started = time.process_time()
    for instance, cell in itertools.product(instances, ALL_CELLS):
        jobs += 1
        job = Job(f"{instance.id}/{cell}", instance.id, cell, "rules", 0, "bench")
        candidate = generate_by_rule(catalogue, job, instance, 0, donors.lent_to(instance)).candidate
        if candidate is None:
            continue
        target = catalogue.classes[cell.perturbation_class].target
        begun = time.process_time()
        for check in CHECKS:
            judge_by_rule(check, instance, candidate, target)
        judging += time.process_time() - begun
        judged += 1
        first = first or time.process_time()
    ended = time.process_time()
    spent, rate = ended - started, (judged - 1) / max(ended - first, 1e-9)
    return (
        f"rules and checks alone: {jobs} jobs, {judged} judged in {spent:.1f} s of processor time"
        f" ({jobs / spent:.0f} jobs/s, {judged / spent:.0f} judged/s, {rate:.0f} from the first on);"
        f" the checks took {1000 * judging / max(1, judged):.2f} ms an item; the first was judged {first:.2f} s after"
        " the start of the process"
    )


def main() -> None:
    """Build once with each executor and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base-set", type=Path, help="default: the embedded demo set")
    parser.add_argument(
        "--executors", default="local,processes", help="separated by commas; the first is the measure"
    )
    parser.add_argument("--alone", action="store_true", help="time the rules and checks in this process")
    options = parser.parse_args()
    if options.alone:
        print(alone(options.base_set))
        return
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
    try:
        main()
    except PerturbError as error:
        raise SystemExit(str(error)) from None
