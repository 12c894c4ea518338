"""The recorded round of deep flaws: built again from the replies, certified, read by two experts."""

from __future__ import annotations

import csv
import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from perturb.files.resources import data_folder
from perturb.reports.words import describe_demo
from perturb.snapshots.replies import verify_snapshot
from perturb.snapshots.snapshot import Snapshot, read_snapshot
from tests.building import perturb

READINGS = Path(__file__).with_name("deep-readings.csv")
CODES = {
    "answer": "ANSWER_CORRECTLY",
    "ambiguous": "REFUSE_AMBIGUOUS_QUERY",
    "contradictory": "REFUSE_CONTRADICTORY_CONTEXT",
    "missing": "REFUSE_INFO_MISSING_IN_CONTEXT",
    "false_premise": "REFUSE_FALSE_PREMISE_IN_QUERY",
    "granularity": "REFUSE_GRANULARITY_MISMATCH",
    "nonfactual": "REFUSE_NONFACTUAL_QUERY",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("deep")
    done = perturb("build", "--demo", "deep", "--out", folder, "--json")
    assert done.returncode == 0, done.stderr
    (folder / "facts.json").write_text(done.stdout, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def facts(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / "facts.json").read_text(encoding="utf-8"))
    return content


@pytest.fixture(scope="module")
def snapshot(folder: Path) -> Snapshot:
    return read_snapshot(folder / "deep" / "snapshot")


def test_the_round_is_built_from_its_replies_alone(facts: dict[str, Any], snapshot: Snapshot) -> None:
    assert (facts["jobs"], facts["candidates"], facts["accepted"], facts["rows"]) == (90, 90, 74, 74)
    assert (facts["missing_replies"], facts["cost_usd"]) == ([], 0)
    rows = snapshot.read_rows()
    assert all(row["depth"] == "deep" and len(row["grounding"]) >= 3 and row["proof"] for row in rows)
    recording = data_folder("base_sets") / "deep.replies.jsonl.gz"
    assert verify_snapshot(snapshot.folder).problems == ()
    done = perturb("verify-snapshot", snapshot.folder, "--replay", recording)
    assert done.returncode == 0, done.stdout


def test_the_summary_names_the_verifier_that_rejects_most(folder: Path) -> None:
    lines = list(describe_demo(folder / "deep", folder / "report.html"))
    assert "Rejected: 0 by machine checks, 16 by the panel (12 of them by strict alone)" in lines


def test_the_panel_caught_every_planted_fault(facts: dict[str, Any]) -> None:
    certificate = facts["certificate"]
    assert (certificate["planted"], certificate["caught"]) == (44, 44)
    assert certificate["by_kind"]["written"]["planted"] == 24
    wrong = certificate["wrong_labels"]
    assert wrong["value"] == 0
    assert wrong["high"] < 0.05


def test_two_experts_who_saw_neither_claim_nor_class_agree_with_every_label(snapshot: Snapshot) -> None:
    """Where they give another reason it is missing information, of items that claim another granularity."""
    expected = {row["id"]: row["expected_rag_behavior"] for row in snapshot.read_rows()}
    other_reasons: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    read: Counter[str] = Counter()
    with READINGS.open(encoding="utf-8", newline="") as file:
        for reading in csv.DictReader(file):
            if (label := expected.get(reading["item"])) is None:
                continue
            decision = CODES[reading["decision"]]
            read[reading["reader"]] += 1
            assert (label == "ANSWER_CORRECTLY") == (decision == "ANSWER_CORRECTLY"), reading["item"]
            if decision != label:
                other_reasons[reading["reader"]].append((label, decision))
    assert read == {"1": 74, "2": 74}
    reasons = ("REFUSE_GRANULARITY_MISMATCH", "REFUSE_INFO_MISSING_IN_CONTEXT")
    assert other_reasons == {"1": [reasons] * 3, "2": [reasons] * 3}


def test_one_model_is_at_the_ceiling_with_codes_and_not_without(folder: Path, snapshot: Snapshot) -> None:
    recording = data_folder("base_sets") / "deep-evaluate.replies.jsonl.gz"
    run = folder / "tested"
    done = perturb("evaluate", "--replay", recording, "--out", run, "--json")
    assert done.returncode == 0, done.stderr
    content = perturb("score", run, "--json", "--resamples", "50").json
    refused = {one["model"]: one["metrics"]["refusal_accuracy"] for one in content["models"]}
    assert {name: (round(one["value"] * one["n"]), one["n"]) for name, one in refused.items()} == {
        "tested (codes)": (47, 48),
        "tested (plain)": (33, 48),
    }
    (lenient,) = content["lenient"]
    assert round(lenient["metrics"]["refusal_accuracy"]["value"] * 48) == 44
    asked = {row["item_id"] for row in map(json.loads, (run / "results.jsonl").read_text().splitlines())}
    assert asked == {row["id"] for row in snapshot.read_rows()}


def test_the_demo_stands_alone() -> None:
    done = perturb("build", "--demo", "deep", "--seed", "3")
    assert done.returncode == 2
    assert "--demo: deep replays a round on record" in done.stderr.replace("--demo deep", "--demo: deep")
