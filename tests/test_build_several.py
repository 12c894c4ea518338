"""Builds from base sets with several passages, alone and mixed with single ones, over the loopback provider."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from perturb.building.estimate import estimate_build
from perturb.building.plan import plan_build
from perturb.config import load_config
from perturb.ledger.plans import Ledger
from perturb.snapshots.snapshot import check_snapshot, read_snapshot
from tests.building import (
    configure,
    content_of,
    model,
    perturb,
    query,
    run_build,
    serve,
    write_config,
)
from tests.loopback import LoopbackServer
from tests.loopback.players import ContentFault, ContentFaults

NOTE = "The stone mill by the weir was built by Ada Stone in 1810 and ground corn for a century."
SINGLE = {"query": "who built the stone mill by the weir", "context": NOTE, "answers": ["Ada Stone"]}
SEVERAL = {
    "query": "who built the stone mill by the weir",
    "passages": [
        {"title": "Weir", "text": "The weir was raised in 1790 by the town.", "role": "noise"},
        {"title": "Stone mill", "text": NOTE, "role": "signal"},
        {"title": "Corn", "text": "Corn was ground here by many people.", "role": "noise"},
    ],
    "answers": ["Ada Stone"],
    "domain": "Business & Industrial",
    "reference_answer": "Ada Stone built it.",
}


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    with serve() as running:
        yield running


def lines(*contents: Any) -> str:
    return "".join(json.dumps(content) + "\n" for content in contents)


def header(name: str, licence: str, attribution: str) -> dict[str, Any]:
    return {"base_set": {"name": name, "licence": licence, "attribution": attribution}}


def test_a_build_from_the_embedded_set_fills_every_cell(tmp_path: Path, server: LoopbackServer) -> None:
    report = run_build(tmp_path, content_of(server.url, base_set={"demo": "garage", "limit": 3}))
    facts = report.facts
    assert facts["jobs"] == facts["candidates"] + facts["not_applicable"] == 3 * 18 * 2
    assert facts["cells_filled"] == 18
    assert report.snapshot is not None
    assert check_snapshot(report.snapshot) == ()
    snapshot = read_snapshot(report.snapshot)
    assert snapshot.configs == ("garage",)
    originals = {
        instance.id: instance
        for instance in plan_build(load_config(tmp_path / "build.yaml")).base_set.instances
    }
    for row in snapshot.read_rows():
        original = originals[row["source_id"]]
        assert len(row["grounding"]) == len(original.passages) == 10
        assert sorted(row["signal_indices"] + row["noise_indices"]) == list(range(10))
        assert row["domain"] == original.domain
        assert row["query"] == row["perturbed_query"]
        gone = row["perturbation_class"] == "P-MissingInfo" and row["intensity"] != "LOW"
        for index in row["noise_indices"]:
            assert row["grounding"][index] == original.passages[index].text or gone
        if gone:
            assert not any(answer in "\n".join(row["grounding"]) for answer in original.answers)


def test_a_build_again_asks_nothing(tmp_path: Path, server: LoopbackServer) -> None:
    content = content_of(server.url, base_set={"demo": "garage", "limit": 1})
    run_build(tmp_path, content)
    asked = server.counters.total
    run_build(tmp_path, content)
    assert server.counters.total == asked


def test_replies_that_name_other_passages_or_cannot_be_read_are_counted(tmp_path: Path) -> None:
    rates: dict[ContentFault | str, float] = {ContentFault.WRONG_TARGET: 0.3, ContentFault.CUT: 0.3}
    with serve(generator_faults=ContentFaults(rates, stubborn=True)) as server:
        content = content_of(server.url, generators=["g"], base_set={"demo": "garage", "limit": 3})
        facts = run_build(tmp_path, content).facts
    assert facts["unparsed"] > 0
    assert facts["rejected_by_checks"] > 0
    assert facts["jobs"] == sum(
        facts[name] for name in ("candidates", "unparsed", "rejected_by_checks", "not_applicable")
    )


def test_a_mixed_base_set_gives_two_parts_and_single_jobs_keep_their_ids(
    tmp_path: Path, server: LoopbackServer
) -> None:
    single = lines(header("nq", "CC-BY-SA-3.0", "The NQ people"), {"id": "s", **SINGLE})
    several = lines(header("garage", "CC-BY-NC-4.0", "The GaRAGe people"), {"id": "m", **SEVERAL})
    (tmp_path / "single.jsonl").write_text(single, encoding="utf-8")
    (tmp_path / "both.jsonl").write_text(single + several, encoding="utf-8")

    def run(name: str) -> Any:
        return run_build(tmp_path, content_of(server.url, base_set={"path": f"{name}.jsonl"}), name)

    alone, both = run("single"), run("both")
    assert both.snapshot is not None
    snapshot = read_snapshot(both.snapshot)
    assert check_snapshot(both.snapshot) == ()
    assert snapshot.configs == ("nq", "garage")
    counts = snapshot.manifest["counts"]["configs"]
    # Both kinds hold the same question, so that some items repeat those of the other kind.
    assert min(counts["nq"]["rows"], counts["garage"]["rows"]) > 0
    assert counts["nq"]["rows"] + counts["garage"]["rows"] == both.facts["rows"]
    assert both.facts["rows"] + both.facts["repeats"] == 72 - both.facts["not_applicable"]
    ids = [{row[0] for row in query(report.run, "SELECT id FROM jobs")} for report in (alone, both)]
    assert ids[0] < ids[1]
    card = (both.snapshot / "README.md").read_text(encoding="utf-8")
    assert "license: cc-by-nc-4.0" in card
    assert "Base set: The NQ people; The GaRAGe people." in card
    row = snapshot.read_rows()[-1]
    assert (row["source"], row["licence"], row["domain"]) == (
        "garage",
        "CC-BY-NC-4.0",
        "Business & Industrial",
    )
    assert row["reference_answer"] == "Ada Stone built it."
    assert read_snapshot(alone.snapshot).configs == ("default",)


def test_the_estimate_of_a_reply_counts_signal_passages(tmp_path: Path) -> None:
    def tokens(entry: dict[str, Any]) -> int:
        (tmp_path / "base.jsonl").write_text(lines(entry), encoding="utf-8")
        content = content_of("http://127.0.0.1:1", generators=["g"], base_set={"path": "base.jsonl"})
        return estimate_build(plan_build(configure(tmp_path, content))).models[0].completion_tokens

    assert tokens(SEVERAL) == tokens(SINGLE)


def test_the_command_takes_an_embedded_set_by_name(tmp_path: Path) -> None:
    # Each job waits for the disk if it is behind, since rules may make rows faster than it takes them.
    with mock.patch.object(Ledger, "apply_backpressure") as wait:
        done = perturb("build", "--demo", "garage", "--limit", "4", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    facts = done.json
    assert facts["run"] == "outputs/garage"
    assert wait.await_count == facts["jobs"]
    assert facts["accepted"] > 0
    assert read_snapshot(tmp_path / facts["snapshot"]).configs == ("garage",)


def test_an_embedded_set_takes_the_place_of_the_configured_one(tmp_path: Path) -> None:
    write_config(tmp_path, content_of("http://127.0.0.1:1", generators=["g"]))
    done = perturb("build", "build.yaml", "--demo", "garage", "--dry-run", "--json", cwd=tmp_path)
    assert done.json["instances"] == 2, done.stderr


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("--demo", "nope"), 2, "no embedded base set is called 'nope': there is deep, demo, garage"),
        (("--demo", "garage", "--base-set", "x.jsonl"), 2, "not both"),
    ],
)
def test_an_unknown_or_a_second_base_set_is_refused(
    tmp_path: Path, options: tuple[str, ...], code: int, words: str
) -> None:
    done = perturb("build", *options, cwd=tmp_path)
    assert done.returncode == code
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_models_and_rules_may_perturb_one_set(tmp_path: Path, server: LoopbackServer) -> None:
    generators = [{"name": "rules", "kind": "rules"}, model("g", server.url)]
    content = content_of(server.url, base_set={"demo": "garage", "limit": 2}, panel={"schedule": "economy"})
    facts = run_build(tmp_path, {**content, "generators": generators}).facts
    assert facts["errors"] == facts["undecided"] == 0
    assert facts["candidates"] + facts["abstained"] + facts["not_applicable"] == facts["jobs"]
