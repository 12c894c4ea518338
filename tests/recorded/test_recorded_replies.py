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

from perturb.audit import audit, vote_table
from perturb.catalogue import Catalogue
from perturb.curate import load_base_set
from perturb.generate.by_model import Declined, read_reply
from perturb.passages import without_telling_titles
from perturb.records import BaseInstance, Candidate, Cell, Intensity, Passage, PerturbationClass
from perturb.verify.checks import copy_unchanged_parts, find_fault
from perturb.verify.judge import read_verdict

RECORD = Path(__file__).parent / "covering.jsonl.gz"
CATALOGUE = Catalogue.load()


@cache
def record(kind: str) -> tuple[dict[str, Any], ...]:
    with gzip.open(RECORD, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return tuple(
        {key: value for key, value in row.items() if key != "kind"} for row in rows if row["kind"] == kind
    )


@pytest.fixture(scope="module")
def instances(tmp_path_factory: pytest.TempPathFactory) -> dict[str, BaseInstance]:
    path = tmp_path_factory.mktemp("recorded") / "base.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in record("instance")), encoding="utf-8")
    return {one.id: one for one in load_base_set(path).instances}


def candidate_of(item: dict[str, Any], instance: BaseInstance) -> Candidate:
    reply = read_reply(item["reply"], len(instance.passages))
    assert not isinstance(reply, Declined)
    cell = Cell(PerturbationClass(item["perturbation_class"]), Intensity(item["intensity"]))
    passages = tuple(
        Passage(reply.texts.get(number, passage.text), passage.title, passage.role)
        for number, passage in enumerate(instance.passages, start=1)
    )
    expected = CATALOGUE.expected_behavior(cell)
    candidate = Candidate(
        item["id"], instance.id, "writer", cell, reply.lever, reply.query, passages, reply.reasoning, expected
    )
    return without_telling_titles(instance, copy_unchanged_parts(instance, candidate))


def test_every_reply_of_the_writer_is_an_item_that_passes_the_machine_checks(
    instances: dict[str, BaseInstance],
) -> None:
    levers: Counter[str] = Counter()
    for item in record("item"):
        instance = instances[item["base_id"]]
        candidate = candidate_of(item, instance)
        assert candidate.lever == item["lever"]
        assert find_fault(CATALOGUE, instance, candidate, item["offer"]) is None, item["id"]
        levers[candidate.lever] += 1
    assert (sum(levers.values()), len(levers)) == (176, 102)


def test_every_vote_is_read_as_it_was(instances: dict[str, BaseInstance]) -> None:
    states: Counter[tuple[str, str]] = Counter()
    for item in record("item"):
        candidate = candidate_of(item, instances[item["base_id"]])
        material = json.dumps([candidate.query, candidate.context], ensure_ascii=False)
        for verifier, vote in item["votes"].items():
            read = read_verdict(vote["reply"], CATALOGUE.codes, material)
            failed = not (read.passed and all(read.checks.values()))
            assert failed == (vote["state"] == "fail"), (item["id"], verifier)
            states[verifier, vote["state"]] += 1
    assert states == {
        ("first", "pass"): 168,
        ("first", "fail"): 8,
        ("second", "pass"): 164,
        ("second", "fail"): 12,
    }


def test_the_audit_of_the_recorded_votes() -> None:
    rows = [
        {
            "candidate_id": item["id"],
            "base_id": item["base_id"],
            "generator_model": "writer",
            "verifier": verifier,
            **{key: item[key] for key in ("perturbation_class", "intensity", "lever")},
            "verdict": vote["state"],
        }
        for item in record("item")
        for verifier, vote in item["votes"].items()
    ]
    found = audit(vote_table(pd.DataFrame(rows), "recorded"), resamples=200).to_dict()
    accepted = sum(item["acceptance"] == "accepted" for item in record("item"))
    assert found["n_candidates"] == 176
    assert found["acceptance"]["unanimous"]["rate"] == pytest.approx(accepted / 176)
    # Both fail 8, one of them 4 more: agreement .977, chance .894.
    assert found["kappa"]["pairs"][0]["kappa"] == pytest.approx(0.788, abs=0.001)
