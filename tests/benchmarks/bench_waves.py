"""Builds by quota: what they save on the pass rates of the paper, against plans of a fixed size.

Run `python -m tests.benchmarks.bench_waves [ROUNDS]` from the top of a checkout. The planner is the real one, on 100
questions of Natural Questions, four generators and all cells; panels of four accept by the pass rates of RefusalBench,
figure 12. One build of fewer questions then goes through the loopback provider ("served").
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import expit, logit

from perturb.building.jobs import plan_wave
from perturb.building.plan import plan_build
from perturb.files.resources import fraction_of, seed_of
from perturb.ledger.ends import JobEnd, Place, missing_items
from perturb.records import Cell, Job, PerturbationClass
from tests.building import KEY, KEY_NAME, configure, content_of, run_build
from tests.loopback import LoopbackServer
from tests.loopback.players import GeneratorPlayer, RolePlayer, VerifierPlayer, read_request
from tests.loopback.replay import Turns

QUESTIONS = Path(__file__).parents[1] / "data" / "nq-400.jsonl.gz"
QUOTA = 22
FOUR = ("m1", "m2", "m3", "m4")
PASSES: dict[PerturbationClass, float] = {
    PerturbationClass.AMBIGUITY: 0.725,
    PerturbationClass.MISSING_INFO: 0.928,
    PerturbationClass.GRANULARITY: 0.938,
    PerturbationClass.FALSE_PREMISE: 0.943,
    PerturbationClass.CONTRADICTION: 0.972,
    PerturbationClass.EPISTEMIC: 0.978,
}
"""Share of votes that pass, by class."""
ALIKE = 0.15
"""Agreement of verifiers beyond chance; the paper's is below .2."""
LEVERS_DIFFER = 0.7
"""Standard deviation of levers' acceptance, on the logit scale."""


def acceptance(cell: Cell) -> float:
    """How often four verifiers pass an item alike."""
    rate = PASSES[cell.perturbation_class]
    return ALIKE * rate + (1 - ALIKE) * rate ** len(FOUR)


def end_of(job: Job, seed: int) -> JobEnd:
    """What becomes of a job: a lever of its first offer, accepted by the class's rate and the lever's own."""
    offered = job.offers[0] if job.offers else ("none",)
    lever = offered[int(fraction_of("chosen", seed, job.id) * len(offered))]
    shift = LEVERS_DIFFER * np.random.default_rng(seed_of("lever", seed, str(job.cell), lever)).normal()
    chance = float(expit(logit(acceptance(job.cell)) + shift))
    accepted = fraction_of("accepted", seed, job.id) < chance
    return JobEnd((job.generator, job.cell), "accepted" if accepted else "lost", (lever,))


def in_waves(jobs: Sequence[Job], seed: int) -> tuple[list[JobEnd], int]:
    """The ends of a build by quota, and its waves."""
    ends: list[JobEnd] = []
    begun: set[str] = set()
    waves = 0
    while wave := plan_wave((job for job in jobs if job.id not in begun), ends, QUOTA):
        begun |= {job.id for job in wave}
        ends += [end_of(job, seed) for job in wave]
        waves += 1
    return ends, waves


def smallest_plan(jobs: Sequence[Job], seed: int, places: Sequence[Place]) -> int:
    """Jobs of the plan with the fewest instances that fills every cell, had one known."""
    ends: list[JobEnd] = []
    per_instance = len(places)
    for start in range(0, len(jobs), per_instance):
        ends += [end_of(job, seed) for job in jobs[start : start + per_instance]]
        if not missing_items(places, ends, QUOTA):
            break
    return len(ends)


def spread(ends: Sequence[JobEnd], seed: int) -> float:
    """Entropy of the levers of the quota's items within a cell, in bits, averaged over cells."""
    kept: Counter[tuple[Cell, str]] = Counter()
    held: Counter[Place] = Counter()
    for number in np.random.default_rng(seed).permutation(len(ends)):
        one = ends[number]
        if one.end == "accepted" and held[one.place] < QUOTA:
            held[one.place] += 1
            kept[one.place[1], one.levers[0]] += 1
    entropies = []
    for cell in {cell for cell, _ in kept}:
        counts = np.array([n for (place, _), n in kept.items() if place == cell])
        shares = counts / counts.sum()
        entropies.append(-(shares * np.log2(shares)).sum())
    return float(np.mean(entropies))


class ByClass:
    """Verifiers that pass by the class of the item."""

    def __init__(self) -> None:
        self._players = {one: VerifierPlayer({"*": rate}, correlation=ALIKE) for one, rate in PASSES.items()}

    def play(self, model: str, messages: Turns) -> str:
        """The reply of `model` to a verification prompt."""
        return self._players[read_request(messages).cell.perturbation_class].play(model, messages)


def serve() -> None:
    """Two whole builds through the loopback provider: the fixed plan, and a quota."""
    os.environ[KEY_NAME] = KEY
    for rule in (None, "cell >= 4"):
        player = RolePlayer(GeneratorPlayer(), ByClass())
        with tempfile.TemporaryDirectory() as folder, LoopbackServer(player) as server:
            content = content_for(server.url, FOUR[:2], 25, "covering")
            facts = run_build(Path(folder), {**content, "until": rule}).facts
            lacking = len(facts["quota"]["missing"]) if rule else 0
            jobs, calls, accepted = facts["jobs"], server.counters.total, facts["accepted"]
            print(
                f"{rule or 'whole plan':<12}{jobs:,} jobs, {calls:,} calls, {accepted:,} accepted, {lacking} unfilled"
            )


def content_for(url: str, generators: Sequence[str], limit: int, choice: str) -> dict[str, Any]:
    """The configuration: questions, generators, the four on the panel."""
    base_set = {"path": str(QUESTIONS), "limit": limit}
    return content_of(url, generators=generators, verifiers=FOUR, base_set=base_set, lever_choice=choice)


def main(arguments: list[str]) -> None:
    """Print one line for each way of offering levers."""
    rounds = int(arguments[0]) if arguments else 3
    os.environ[KEY_NAME] = KEY
    for choice in ("covering", "generator", "assigned"):
        with tempfile.TemporaryDirectory() as folder:
            config = configure(Path(folder), content_for("http://localhost:1", FOUR, 100, choice))
            jobs = list(plan_build(config).jobs())
        places = sorted({(job.generator, job.cell) for job in jobs})
        rows = []
        for seed in range(rounds):
            ends, waves = in_waves(jobs, seed)
            whole = [end_of(job, seed) for job in jobs]
            accepted = sum(end.end == "accepted" for end in ends)
            lacking = len(missing_items(places, ends, QUOTA))
            smallest = smallest_plan(jobs, seed, places)
            rows.append(
                (len(ends), waves, accepted, lacking, smallest, spread(ends, seed), spread(whole, seed))
            )
        used, waves, accepted, lacking, smallest, bits, whole_bits = np.mean(rows, axis=0)
        print(
            f"{choice:<11}{used:,.0f} of {len(jobs):,} jobs in {waves:.0f} waves, {accepted:,.0f} accepted of"
            f" {QUOTA * len(places):,}, {lacking:.1f} unfilled; smallest fixed plan {smallest:,.0f}; levers of the"
            f" quota {bits:.2f} bits within a cell, {whole_bits:.2f} from the whole plan",
            flush=True,
        )
    serve()


if __name__ == "__main__":
    main(sys.argv[1:])
