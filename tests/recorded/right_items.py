"""Draws `base_sets/planted/right.jsonl`: accepted items of a recorded round that blind readers found to be right.

    python -m tests.recorded.right_items

Three items of each cell, which every reader called rightly labelled and fit to publish; base instances are used as
evenly as they go.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd

from perturb.building.checks import find_fault
from perturb.building.generate import Reply, read_candidate, read_reply
from perturb.catalogue.levers import Catalogue
from perturb.files.resources import data_folder, seed_of
from perturb.ledger.plans import instance_key
from perturb.llm.client import Topic
from perturb.llm.recording import RecordedJob, Recording, read_recording
from perturb.records import ALL_CELLS, BaseInstance, Candidate, Cell, Intensity, Job, PerturbationClass

HERE = Path(__file__).parent
FILE = data_folder("base_sets") / "planted" / "right.jsonl"
PER_CELL = 3


def draw() -> list[dict[str, Any]]:
    """The items, as the file holds them."""
    recording = read_recording(HERE / "covering-540.replies.jsonl.gz")
    catalogue = Catalogue.load()
    instances = {instance_key(one): one for one in map(BaseInstance.from_payload, recording.instances)}
    right = _right_ids()
    jobs = sorted(
        (job for job in recording.jobs.values() if job.id in right), key=lambda job: seed_of("right", job.id)
    )
    used: Counter[str] = Counter()
    drawn = []
    for cell in ALL_CELLS:
        of_cell = [job for job in jobs if (job.perturbation_class, job.intensity) == tuple(_words(cell))]
        of_cell.sort(key=lambda job: used[job.instance])
        found = 0
        for job in of_cell:
            instance = instances[job.instance]
            candidate = _read(recording, catalogue, job, instance)
            if candidate is None or found == PER_CELL:
                continue
            found += 1
            used[job.instance] += 1
            drawn.append(_row(instance, candidate))
    return drawn


def _words(cell: Cell) -> Iterator[str]:
    yield str(cell.perturbation_class)
    yield str(cell.intensity)


def _right_ids() -> set[str]:
    """Items that every reader called rightly labelled and fit; those with a planted fault have the same ids."""
    readings = pd.read_csv(HERE / "covering-540-readings.csv")
    plain = readings[readings["planted"].isna()]
    verdicts = plain.groupby("id")[["label", "fit"]].min()
    return set(verdicts.index[(verdicts["label"] == 1) & (verdicts["fit"] == 1)])


def _read(
    recording: Recording, catalogue: Catalogue, job: RecordedJob, instance: BaseInstance
) -> Candidate | None:
    """The candidate of a recorded job, if both verifiers passed it and it follows today's catalogue."""
    for name in ("v1", "v2"):
        vote = recording.find(name, Topic("verify", job.id, "", 1))
        if vote is None or '"PASS"' not in vote.text:
            return None
    cell = Cell(PerturbationClass(job.perturbation_class), Intensity(job.intensity))
    for part in range(len(job.offers or [])):
        said = recording.find(job.generator, Topic("generate", job.id, str(part), 1))
        reply = None if said is None else read_reply(said.text, len(instance.passages), query_only=True)
        if isinstance(reply, Reply):
            planned = Job(job.id, instance.id, cell, job.generator, job.replicate, "")
            candidate = read_candidate(catalogue, planned, instance, reply)
            return candidate if find_fault(catalogue, instance, candidate) is None else None
    return None


def _row(instance: BaseInstance, candidate: Candidate) -> dict[str, Any]:
    return {
        "instance": instance.to_payload(),
        "perturbation_class": str(candidate.cell.perturbation_class),
        "intensity": str(candidate.cell.intensity),
        "lever": candidate.lever,
        "query": candidate.query,
        "passages": [asdict(passage) for passage in candidate.passages],
        "reasoning": candidate.reasoning,
    }


if __name__ == "__main__":
    lines = [json.dumps(row, ensure_ascii=False) for row in draw()]
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")
