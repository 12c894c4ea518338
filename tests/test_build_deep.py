"""Deep items, built over the loopback provider: generated, checked by proof, judged blind, exported and replayed."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from perturb.building.estimate import estimate_build
from perturb.building.generate import read_deep_reply
from perturb.building.plan import plan_build
from perturb.building.run import build
from perturb.catalogue.levers import Catalogue
from perturb.config import load_config
from perturb.errors import CatalogueError, ConfigError
from perturb.evaluation.status import read_status
from perturb.ledger.migrations import STEPS
from perturb.llm.recording import Replay, read_recording
from perturb.llm.replies import ReplyError
from perturb.reports.runs import make_status_report
from perturb.snapshots.replies import export_replies, verify_snapshot
from perturb.snapshots.snapshot import read_snapshot
from tests.building import configure, content_of, query, run_build, serve
from tests.loopback import LoopbackServer
from tests.loopback.players import ContentFaults, GeneratorPlayer, RolePlayer, VerifierPlayer
from tests.loopback.replay import Turns

CELLS = (
    {"class": "P-Contradiction", "intensity": "MEDIUM"},
    {"class": "P-FalsePremise", "intensity": "HIGH"},
    {"class": "P-Ambiguity", "intensity": "LOW"},
)


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    with serve() as running:
        yield running


def deep_content(url: str, **changes: Any) -> dict[str, Any]:
    made = {"depth": {"open": 0.5, "deep": 0.5}, "cells": CELLS, "limit": 4, **changes}
    content = content_of(url, **made)
    content["select"] = {"strategy": "natural", "controls": True}
    return content


def test_a_build_of_open_and_deep_jobs_gives_rows_with_proof_and_controls(
    tmp_path: Path, server: LoopbackServer
) -> None:
    report = run_build(tmp_path, deep_content(server.url))
    assert report.facts["accepted"] == report.facts["jobs"], report.warnings
    assert report.snapshot is not None
    snapshot = read_snapshot(report.snapshot)
    rows = list(snapshot.read_rows())
    deep = [row for row in rows if row["depth"] == "deep"]
    assert 0 < len(deep) < len(rows)
    for row in deep:
        assert len(row["grounding"]) >= 3
        assert row["construction"]
        assert all(any(quote in text for text in row["grounding"]) for quote in row["proof"])
        assert 0 <= row["blind_agreement"] <= 1
        quoted = [i for i, text in enumerate(row["grounding"]) if any(one in text for one in row["proof"])]
        assert set(quoted) <= set(row["signal_indices"])
    assert all(row["proof"] is None for row in rows if row["depth"] == "open")
    assert verify_snapshot(report.snapshot).problems == ()


def test_status_shows_jobs_by_depth_when_not_all_are_open(tmp_path: Path, server: LoopbackServer) -> None:
    mixed = run_build(tmp_path / "mixed", deep_content(server.url))
    plain = run_build(tmp_path / "open", deep_content(server.url, depth={"open": 1.0}))
    depths = read_status(mixed.run)["depths"]
    assert list(depths) == ["deep", "open"]
    jobs = dict(query(mixed.run, "SELECT depth, count(*) FROM jobs GROUP BY depth"))
    assert {name: one["jobs"] for name, one in depths.items()} == jobs
    assert sum(depth["accepted"] for depth in depths.values()) == mixed.facts["accepted"]
    assert "depths" in {
        table.name
        for section in make_status_report(read_status(mixed.run)).sections
        for table in section.tables
    }
    assert "depths" not in read_status(plain.run)


def test_a_deep_job_asks_each_verifier_twice_and_stores_what_it_decided_blind(
    tmp_path: Path, server: LoopbackServer
) -> None:
    report = run_build(tmp_path, deep_content(server.url, depth={"deep": 1.0}))
    votes = query(report.run, "SELECT candidate_id, verifier, blind FROM votes")
    asked = query(report.run, "SELECT subject, model FROM calls WHERE purpose = 'blind' AND status = 'read'")
    assert sorted(asked) == sorted((candidate, verifier) for candidate, verifier, _ in votes)
    assert all(json.loads(blind)["code"] for _, _, blind in votes)
    again = build(load_config(tmp_path / "build.yaml"), report.run)
    assert again.facts["calls"] == report.facts["calls"]


def test_a_false_proof_is_rejected_before_a_vote_is_paid_for(tmp_path: Path) -> None:
    faults = ContentFaults({"false-proof": 1.0}, stubborn=True)
    with serve(generator_faults=faults) as server:
        report = run_build(tmp_path, deep_content(server.url, depth={"deep": 1.0}))
    assert report.facts["rejected_by_checks"] == report.facts["jobs"]
    assert report.facts["votes"] == 0
    [(why,)] = query(report.run, "SELECT DISTINCT detail FROM jobs")
    assert why.startswith("the proof quotes a sentence that the item does not hold: 'Nobody has ever")


def test_a_deep_round_is_replayed_from_its_replies(tmp_path: Path, server: LoopbackServer) -> None:
    report = run_build(tmp_path, deep_content(server.url))
    file = tmp_path / "replies.jsonl.gz"
    export_replies(report.run, file)
    config = load_config(tmp_path / "build.yaml")
    again = build(config, tmp_path / "again", replay=Replay(read_recording(file)))
    assert again.facts["missing_replies"] == []
    assert again.facts["cost_usd"] == 0
    assert report.snapshot is not None
    assert again.snapshot is not None
    assert list(read_snapshot(again.snapshot).read_rows()) == list(read_snapshot(report.snapshot).read_rows())


def test_open_jobs_keep_their_ids(tmp_path: Path, server: LoopbackServer) -> None:
    stated = plan_build(configure(tmp_path, deep_content(server.url, depth={"open": 1.0})))
    content = deep_content(server.url)
    del content["depth"]
    silent = plan_build(configure(tmp_path, content))
    assert [job.id for job in stated.jobs()] == [job.id for job in silent.jobs()]
    assert stated.digest == silent.digest


def test_quiet_jobs_are_told_to_announce_nothing_and_rows_say_that_they_are_quiet(tmp_path: Path) -> None:
    told: list[str] = []

    class Listening(GeneratorPlayer):
        def play(self, model: str, messages: Turns) -> str:
            told.append(f"generator {'DEPTH: QUIET' in messages[0]['content']}")
            return super().play(model, messages)

    class Judging(VerifierPlayer):
        def play(self, model: str, messages: Turns) -> str:
            told.append(f"verifier {'DEPTH: QUIET' in messages[0]['content']}")
            return super().play(model, messages)

    content = {"depth": {"open": 0.5, "quiet": 0.5}, "generators": ("g1",)}
    with LoopbackServer(RolePlayer(Listening(), Judging({}))) as server:
        report = run_build(tmp_path, deep_content(server.url, **content))
    assert report.snapshot is not None
    rows = list(read_snapshot(report.snapshot).read_rows())
    depths = Counter(row["depth"] for row in rows)
    assert depths["quiet"] == depths["open"] == len(rows) / 2 > 0
    assert all(row["proof"] is None and row["construction"] is None for row in rows)
    counts = Counter(told)
    assert counts["generator True"] == counts["generator False"] == depths["quiet"]
    assert counts["verifier True"] == counts["verifier False"] > 0
    open_only = plan_build(
        configure(tmp_path / "open", deep_content("http://localhost:1", depth={"open": 1.0}))
    )
    both = plan_build(configure(tmp_path / "both", deep_content("http://localhost:1", **content)))
    kept = {job.id for job in both.jobs() if job.depth == "open"}
    assert kept <= {job.id for job in open_only.jobs()}


@pytest.mark.parametrize("share", [0.25, 0.5, 0.75])
def test_the_shares_hold_in_every_cell(tmp_path: Path, server: LoopbackServer, share: float) -> None:
    content = deep_content(server.url, depth={"open": 1 - share, "deep": share}, limit=20)
    jobs = list(plan_build(configure(tmp_path, content)).jobs())
    for cell in {job.cell for job in jobs}:
        depths = [job.depth for job in jobs if job.cell == cell]
        assert abs(depths.count("deep") / len(depths) - share) < 0.15


def test_rules_alone_write_no_deep_items(tmp_path: Path, server: LoopbackServer) -> None:
    content = deep_content(server.url)
    content["generators"] = [{"name": "rules", "kind": "rules"}]
    with pytest.raises(ConfigError, match="depth: only models write deep flaws"):
        plan_build(configure(tmp_path, content))


def test_constructions_and_open_levers_of_a_lever_folder_count(
    tmp_path: Path, server: LoopbackServer
) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "constructions.yaml").write_text(
        """
open_levers: [Agent/Patient Role Reversal]
constructions:
  - name: Two Calendars
    classes: [P-Contradiction]
    instruction: Give the two dates in two calendars that a passage compares.
    illustration:
      query: When was the Osk mill built?
      passages: ["The Osk mill was built in 12 R.", "Year 1 R is 1650, and the mill is drawn on a map of 1640."]
      expected: "REFUSE_CONTRADICTORY_CONTEXT: it stood before it was built"
"""
    )
    content = deep_content(server.url, depth={"deep": 1.0}, limit=12, cells=CELLS[:1])
    content["levers"] = [str(folder)]
    build_plan = plan_build(configure(tmp_path, content))
    jobs = list(build_plan.jobs())
    assert any("Two Calendars" in job.constructions for job in jobs)
    open_levers = build_plan.catalogue.open_levers
    assert {"Agent/Patient Role Reversal", "Source-Timing Drift"} <= open_levers
    offered = {name for job in jobs for offer in job.offers or () for name in offer}
    assert offered
    assert offered.isdisjoint(open_levers)
    served = estimate_build(build_plan).levers[build_plan.config.chosen_cells[0]]
    assert {served[name] for name in open_levers if name in served} == {0}


def test_an_open_lever_that_does_not_exist_is_refused_at_its_line(tmp_path: Path) -> None:
    (tmp_path / "constructions.yaml").write_text("open_levers:\n  - Table Gap\n  - Table Gab\n")
    with pytest.raises(CatalogueError, match=r"constructions\.yaml:3: .*no lever is called 'Table Gab'"):
        Catalogue.load([tmp_path])


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"passages": [{"from": 0, "title": "", "text": "New."}]}, "leaves out the original passage 1"),
        ({"passages": [{"from": 7, "text": ""}]}, "'from' of passage 1 must be 0 or"),
        ({"passages": [{"from": 1}, {"from": 0}]}, "passage 2 has no 'text'"),
        ({"proof": "a sentence"}, "field 'proof' must be a list"),
        ({"perturbed_query": ""}, "field 'perturbed_query'"),
    ],
)
def test_a_deep_reply_that_cannot_be_read_says_why(change: dict[str, Any], why: str) -> None:
    reply = {
        "perturbed_query": "when",
        "passages": [{"from": 1}],
        "lever_selected": "a",
        "construction_selected": "b",
        "proof": ["one", "two"],
        "implementation_reasoning": "so",
        **change,
    }
    with pytest.raises(ReplyError, match=why):
        read_deep_reply(json.dumps(reply), 1)


def test_jobs_and_votes_from_before_there_were_depths_are_open_and_without_a_blind_decision() -> None:
    db = sqlite3.connect(":memory:")
    before = next(number for number, step in enumerate(STEPS) if "ADD COLUMN depth" in step)
    for step in STEPS[:before]:
        db.executescript(step)
    db.execute(
        "INSERT INTO jobs (id, plan, instance_key, base_id, perturbation_class, intensity, generator, replicate, round)"
        " VALUES ('j', 1, 'k', 'b', 'P-Ambiguity', 'LOW', 'g', 0, 'r')"
    )
    db.execute("INSERT INTO votes VALUES ('j', 'v', 'f', 'pass', '{}', NULL, '[]', '')")
    for step in STEPS[before:]:
        db.executescript(step)
    assert db.execute("SELECT depth, constructions FROM jobs").fetchone() == ("open", "[]")
    assert db.execute("SELECT blind FROM votes").fetchone() == ("{}",)


def test_the_estimate_counts_blind_decisions(tmp_path: Path, server: LoopbackServer) -> None:
    plan = plan_build(configure(tmp_path, deep_content(server.url, depth={"deep": 1.0})))
    estimate = estimate_build(plan)
    report = build(load_config(tmp_path / "build.yaml"), tmp_path / "run")
    assert estimate.calls == report.facts["calls"]
    shallow = plan_build(configure(tmp_path, deep_content(server.url, depth={"open": 1.0})))
    assert estimate.cost_usd is not None
    assert estimate.cost_usd > 2 * (estimate_build(shallow).cost_usd or 0)
