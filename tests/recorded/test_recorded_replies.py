"""Replies of a language model as writer and as verifiers are read as they were when they came."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from perturb.auditing.audit_report import audit
from perturb.auditing.votes import vote_table
from perturb.building.checks import copy_unchanged_parts, find_fault
from perturb.building.generate import Declined, read_reply
from perturb.building.verify import read_verdict
from perturb.catalogue.levers import Catalogue
from perturb.curation.base_sets import load_base_set
from perturb.records import BaseInstance, Candidate, Cell, Intensity, Passage, PerturbationClass
from perturb.text.passages import without_telling_titles
from tests.building import write_rows

CATALOGUE = Catalogue.load()
RECORDS = ("covering", "nq")


@cache
def record(name: str, kind: str) -> tuple[dict[str, Any], ...]:
    with gzip.open(Path(__file__).parent / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return tuple(
        {key: value for key, value in row.items() if key != "kind"} for row in rows if row["kind"] == kind
    )


def instances_of(name: str, folder: Path) -> dict[str, BaseInstance]:
    path = folder / "base.jsonl"
    write_rows(path, record(name, "instance"))
    return {instance.id: instance for instance in load_base_set(path).instances}


def candidate_of(item: dict[str, Any], instance: BaseInstance) -> Candidate:
    cell = Cell(PerturbationClass(item["perturbation_class"]), Intensity(item["intensity"]))
    query_only = CATALOGUE.classes[cell.perturbation_class].query_only
    reply = read_reply(item["reply"], len(instance.passages), query_only=query_only)
    assert not isinstance(reply, Declined)
    passages = tuple(
        Passage(reply.texts.get(number, passage.text), passage.title, passage.role)
        for number, passage in enumerate(instance.passages, start=1)
    )
    expected = CATALOGUE.expected_behavior(cell)
    candidate = Candidate(
        item["id"], instance.id, "writer", cell, reply.lever, reply.query, passages, reply.reasoning, expected
    )
    return without_telling_titles(instance, copy_unchanged_parts(instance, candidate))


@pytest.mark.parametrize(("name", "items", "levers"), [("covering", 176, 102), ("nq", 228, 100)])
def test_every_reply_of_the_writer_is_an_item_that_passes_the_machine_checks(
    name: str, items: int, levers: int, tmp_path: Path
) -> None:
    instances = instances_of(name, tmp_path)
    used: Counter[str] = Counter()
    for item in record(name, "item"):
        instance = instances[item["base_id"]]
        candidate = candidate_of(item, instance)
        assert candidate.lever == item["lever"]
        assert find_fault(CATALOGUE, instance, candidate, item["offer"]) is None, item["id"]
        used[candidate.lever] += 1
    assert (sum(used.values()), len(used)) == (items, levers)


@pytest.mark.parametrize(
    ("name", "failed"), [("covering", {"first": 8, "second": 12}), ("nq", {"first": 3, "second": 2})]
)
def test_every_vote_is_read_as_it_was(name: str, failed: dict[str, int], tmp_path: Path) -> None:
    instances = instances_of(name, tmp_path)
    counted: Counter[str] = Counter()
    for item in record(name, "item"):
        candidate = candidate_of(item, instances[item["base_id"]])
        material = json.dumps([candidate.query, candidate.context], ensure_ascii=False)
        for verifier, vote in item["votes"].items():
            read = read_verdict(vote["reply"], CATALOGUE.codes, material)
            fails = not (read.passed and all(read.checks.values()))
            assert fails == (vote["state"] == "fail"), (item["id"], verifier)
            counted[verifier] += fails
    assert counted == failed


@pytest.mark.parametrize(
    ("name", "items", "kappa"),
    # Both fail 8, one of them 4 more: agreement .977, chance .894. Both fail 1, each one or two more: .987 and .978.
    [("covering", 176, 0.788), ("nq", 228, 0.394)],
)
def test_the_audit_of_the_recorded_votes(name: str, items: int, kappa: float) -> None:
    rows = [
        {
            "candidate_id": item["id"],
            "base_id": item["base_id"],
            "generator_model": "writer",
            "verifier": verifier,
            **{key: item[key] for key in ("perturbation_class", "intensity", "lever")},
            "verdict": vote["state"],
        }
        for item in record(name, "item")
        for verifier, vote in item["votes"].items()
    ]
    found = audit(vote_table(pd.DataFrame(rows), "recorded"), resamples=200).to_dict()
    accepted = sum(item["acceptance"] == "accepted" for item in record(name, "item"))
    assert found["n_candidates"] == items
    assert found["acceptance"]["unanimous"]["rate"] == pytest.approx(accepted / items)
    assert found["kappa"]["pairs"][0]["kappa"] == pytest.approx(kappa, abs=0.001)


def test_the_covering_plan_of_540_jobs_uses_150_levers() -> None:
    """Every reply is read; each lever, used or declined, is one that was offered then."""
    file = Path(__file__).parent / "covering-540.replies.jsonl.gz"
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    jobs = {row["id"]: row for row in rows if row.get("kind") == "job"}
    used: Counter[str] = Counter()
    declined = 0
    failed: Counter[str] = Counter()
    for row in rows:
        if row.get("kind") != "reply":
            continue
        if row["role"] == "verify":
            read = read_verdict(row["text"], CATALOGUE.codes)
            failed[row["model"]] += not (read.passed and all(read.checks.values()))
            continue
        job = jobs[row["id"]]
        query_only = CATALOGUE.classes[PerturbationClass(job["perturbation_class"])].query_only
        reply = read_reply(row["text"], 1, query_only=query_only)
        if isinstance(reply, Declined):
            declined += 1
            continue
        assert reply.lever in job["offers"][int(row["part"] or 0)]
        used[reply.lever] += 1
    assert (len(jobs), sum(used.values()), len(used)) == (537, 537, 152)  # for three, no lever fitted
    assert declined == 5
    assert failed == {"v1": 18, "v2": 11}


@pytest.mark.parametrize(("reader", "fit", "naturalness"), [(1, 188, 3.60), (2, 188, 3.62)])
def test_readers_found_what_the_documentation_says_of_the_540_jobs(
    reader: int, fit: int, naturalness: float
) -> None:
    found = pd.read_csv(Path(__file__).parent / "covering-540-readings.csv").query("reader == @reader")
    planted, items = found[found.planted.notna()], found[found.planted.isna()]
    assert (len(items), items.label.sum(), items.fit.sum()) == (189, 189, fit)
    assert items.natural.mean() == pytest.approx(naturalness, abs=0.005)
    assert (len(planted), planted.fit.sum()) == (21, 0)
