"""Solvers of a build over the loopback provider: asked in the plain setting, judged, and selected by."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from perturb.building.estimate import estimate_build
from perturb.building.plan import plan_build
from perturb.building.results import BuildReport
from perturb.building.run import build
from perturb.config import load_config
from perturb.errors import ConfigError
from perturb.ledger.planted import SolverReply, difficulties
from perturb.llm.recording import Replay, read_recording
from perturb.snapshots.replies import export_replies, verify_snapshot
from perturb.snapshots.snapshot import check_snapshot, read_snapshot
from tests.building import configure, content_of, model, perturb, query, run_build
from tests.loopback import LoopbackServer
from tests.loopback.players import GeneratorPlayer, RolePlayer, VerifierPlayer
from tests.loopback.replay import Turns

CELLS = ({"class": "P-Contradiction", "intensity": "MEDIUM"}, {"class": "P-Ambiguity", "intensity": "LOW"})


class WithSolvers(RolePlayer):
    """`bold` answers everything, `wary` refuses everything, `mute` says nothing that the judge can place."""

    def play(self, model: str, messages: Turns) -> str:
        """The reply of a solver, of their judge, or of a generator or verifier."""
        said = {"bold": "It was so.", "wary": "I cannot tell.", "mute": "Hm."}
        if model in said:
            return said[model]
        if model == "judge":
            asked = next(turn["content"] for turn in messages if turn["role"] == "user")  # before any repair
            return json.dumps(_ruling(json.loads(asked)))
        return super().play(model, messages)


def _ruling(data: dict[str, Any]) -> dict[str, Any]:
    if "accepted" in data:
        return {"quality": 5, "reason": ""}
    if "signal" in data:
        return {"eligible": True, "factual_all": True, "factual_signal": True}
    if data["reply"] == "Hm.":
        return {"kind": "unreadable", "reason": ""}
    refusal = "refuses_right_reason" if data["flaw"] else "refuses_other_reason"
    return {"kind": "answers" if data["reply"] == "It was so." else refusal, "reason": ""}


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    with LoopbackServer(WithSolvers(GeneratorPlayer(), VerifierPlayer({}))) as running:
        yield running


def content(url: str, *solvers: str, **changes: Any) -> dict[str, Any]:
    difficulty = {
        "solvers": [model(name, url) for name in solvers],
        "judge": model("judge", url),
        "samples": 2,
    }
    return content_of(url, cells=CELLS, limit=3, difficulty=difficulty, **changes)


def test_every_accepted_item_is_asked_about_and_its_row_says_how_hard_it_is(
    tmp_path: Path, server: LoopbackServer
) -> None:
    report = run_build(tmp_path, content(server.url, "bold", "wary"))
    assert report.facts["solver_calls"] == report.facts["accepted"] * 4
    assert report.facts["hard"] == report.facts["accepted"]
    assert report.snapshot is not None
    assert {row["difficulty"] for row in read_snapshot(report.snapshot).read_rows()} == {0.5}
    asked = len(query(report.run, "SELECT 1 FROM calls"))
    again = build(load_config(tmp_path / "build.yaml"), report.run)
    assert len(query(again.run, "SELECT 1 FROM calls")) == asked


def test_hard_keeps_what_enough_solvers_fail(tmp_path: Path, server: LoopbackServer) -> None:
    select = {"strategy": "hard", "at_least": 1.0, "per_generator": 10, "min_per_cell": 1}
    made = content(server.url, "bold")
    made["select"] = select
    report = run_build(tmp_path, made)
    assert report.snapshot is not None
    rows = list(read_snapshot(report.snapshot).read_rows())
    assert {row["intensity"] for row in rows} == {"MEDIUM"}
    assert report.facts["hard"] == len(rows)
    assert "100 % of the solvers failed" in (report.snapshot / "README.md").read_text()
    assert verify_snapshot(report.snapshot).problems == ()


def test_the_hard_part_is_certified_by_itself(tmp_path: Path, server: LoopbackServer) -> None:
    made = content(server.url, "bold", select={"strategy": "hard", "at_least": 1.0, "min_per_cell": 1})
    made["panel"]["planted"] = 24
    report = run_build(tmp_path, made)
    assert report.snapshot is not None
    hard = read_snapshot(report.snapshot).manifest["certificate"]["hard"]
    assert hard["n"] == report.facts["hard"] > 0
    done = perturb(
        "export", report.run, "--out", tmp_path / "strict", "--max-wrong", max(0.0, hard["high"] - 0.01)
    )
    assert done.returncode == 1
    assert "above" in done.stderr


def test_a_run_of_the_earlier_strategy_hard_opens_and_is_exported_otherwise(
    tmp_path: Path, server: LoopbackServer
) -> None:
    """Until 0.2 `hard` filtered against word counts and asked no solver."""
    report = run_build(tmp_path, content_of(server.url, cells=CELLS, limit=3))
    with sqlite3.connect(report.run / "ledger.sqlite") as db:
        db.execute("UPDATE plans SET facts = json_set(facts, '$.select.strategy', 'hard')")
    for command in ("status", "audit", "report"):
        assert perturb(command, report.run).returncode == 0
    refused = perturb("export", report.run, "--out", tmp_path / "hard")
    assert refused.returncode == 1
    assert "strategy hard now needs difficulty.solvers; use balanced" in refused.stderr
    again = perturb("export", report.run, "--out", tmp_path / "balanced", "--strategy", "balanced")
    assert again.returncode == 0, again.stderr


def test_a_reply_that_the_judge_cannot_place_is_unscored(tmp_path: Path, server: LoopbackServer) -> None:
    report = run_build(tmp_path, content(server.url, "mute"))
    assert report.facts["hard"] == 0
    assert query(report.run, "SELECT DISTINCT outcome FROM solver_replies") == [(None,)]
    assert report.snapshot is not None
    assert all(row.get("difficulty") is None for row in read_snapshot(report.snapshot).read_rows())


def test_strategy_hard_without_solvers_is_refused(tmp_path: Path, server: LoopbackServer) -> None:
    made = content_of(server.url, cells=CELLS)
    made["select"] = {"strategy": "hard", "min_per_cell": 1}
    with pytest.raises(ConfigError, match=r"^strategy hard now needs difficulty\.solvers; use balanced$"):
        plan_build(configure(tmp_path, made))


def test_a_solver_that_also_writes_is_flagged(tmp_path: Path, server: LoopbackServer) -> None:
    report = run_build(tmp_path, content(server.url, "bold", generators=("bold-writer",)))
    assert not [line for line in report.warnings if "judgement of its own work" in line]
    made = content(server.url, "bold", generators=("g1",))
    made["generators"][0]["model"] = "hosted_vllm/bold"
    plan = plan_build(configure(tmp_path / "own", made))
    assert plan.facts["solver_roles"] == {"bold": ["writes"]}


def test_manifest_and_card_flag_a_solver_with_another_role(tmp_path: Path, server: LoopbackServer) -> None:
    made = content(server.url, "bold", "wary", generators=("g1",))
    made["difficulty"]["solvers"][1]["model"] = "hosted_vllm/g1"
    report = run_build(tmp_path, made)
    assert report.snapshot is not None
    assert read_snapshot(report.snapshot).manifest["solvers"] == {"bold": [], "wary": ["writes"]}
    card = (report.snapshot / "README.md").read_text(encoding="utf-8")
    assert "- **Solvers** tried every accepted item: bold, wary." in card
    assert "  - wary also writes: how hard it finds items is a judgement of its own work." in card
    assert check_snapshot(report.snapshot) == ()


def test_a_budget_stops_solvers_and_more_money_goes_on(tmp_path: Path, server: LoopbackServer) -> None:
    made = content(server.url, "bold")
    free = run_build(tmp_path / "free", made)
    cost = free.facts["cost_usd"]
    solver_cost = query(free.run, "SELECT sum(cost_usd) FROM calls WHERE purpose = 'solve'")[0][0]
    before = query(free.run, "SELECT sum(cost_usd) FROM calls WHERE purpose IN ('generate', 'verify')")[0][0]
    assert cost > before + solver_cost > before
    stopped = run_build(tmp_path, {**made, "budget_usd": before + 0.003})
    assert stopped.stopped
    done = run_build(tmp_path, {**made, "budget_usd": 10})
    assert done.stopped is None
    assert done.facts["solver_calls"] == done.facts["accepted"] * 2


def test_solvers_are_replayed_from_their_replies(tmp_path: Path, server: LoopbackServer) -> None:
    report = run_build(tmp_path, content(server.url, "bold", "wary"))
    file = tmp_path / "replies.jsonl.gz"
    export_replies(report.run, file)
    config = load_config(tmp_path / "build.yaml")
    again = build(config, tmp_path / "again", replay=Replay(read_recording(file)))
    assert again.facts["hard"] == report.facts["hard"]
    assert again.facts["cost_usd"] == 0
    assert report.snapshot is not None
    assert again.snapshot is not None
    assert list(read_snapshot(again.snapshot).read_rows()) == list(read_snapshot(report.snapshot).read_rows())


class Quieter(WithSolvers):
    """A generator that numbers its attempts in the query, and a solver that masters those before number `mastered`."""

    def __init__(self, generator: GeneratorPlayer, verifier: VerifierPlayer, mastered: int = 1) -> None:
        super().__init__(generator, verifier)
        self.mastered = mastered
        self.requests: list[dict[str, Any]] = []

    def play(self, model: str, messages: Turns) -> str:
        """The reply; a generator counts from the attempt that it is shown."""
        text = str(messages[-1]["content"])
        if model == "wise":
            return (
                "It was so."
                if f"attempt {self.mastered}" in text or "P-Ambiguity" in text
                else "I cannot tell."
            )
        reply = super().play(model, messages)
        if model == "g1":
            asked = json.loads(text)
            number = 0
            if "earlier" in asked:
                self.requests.append(asked)
                number = int(asked["earlier"]["query"].partition("attempt ")[2][:1] or 0) + 1
            made = json.loads(reply)
            made["perturbed_query"] = f"{made['perturbed_query'].rstrip('?')} (attempt {number})?"
            return json.dumps(made)
        return reply


MEDIUM = ({"class": "P-Ambiguity", "intensity": "MEDIUM"},)


def hardened(url: str, harden: int, **changes: Any) -> dict[str, Any]:
    made = content(url, "wise", **changes)
    made["difficulty"]["harden"] = harden
    return {**made, "cells": MEDIUM, "generators": [model("g1", url)]}


def test_an_item_that_solvers_master_is_replaced_by_a_harder_one(tmp_path: Path) -> None:
    player = Quieter(GeneratorPlayer(), VerifierPlayer({}), mastered=2)
    with LoopbackServer(player) as server:
        plain = run_build(tmp_path / "plain", hardened(server.url, 0))
        report = run_build(tmp_path / "harder", hardened(server.url, 2))
        asked = len(query(report.run, "SELECT 1 FROM calls"))
        again = build(load_config(tmp_path / "harder" / "build.yaml"), report.run)
        assert len(query(again.run, "SELECT 1 FROM calls")) == asked
        file = tmp_path / "replies.jsonl.gz"
        export_replies(report.run, file)
    ids = "SELECT id FROM jobs WHERE hardens IS NULL ORDER BY id"
    assert query(report.run, ids) == query(plain.run, ids)
    assert report.facts["accepted"] == plain.facts["accepted"] == again.facts["accepted"] > 0
    rows = rows_of(report)
    assert {row["difficulty"] for row in rows_of(plain)} == {0.0}
    assert {row["difficulty"] for row in rows} == {1.0}
    assert {row["perturbed_query"].partition("(")[2] for row in rows} == {"attempt 2)?"}
    assert len({row["source_id"] for row in rows}) == len(rows) == report.facts["accepted"]
    assert {tuple(request["earlier"]["replies"]) for request in player.requests} == {("I cannot tell.",)}
    replayed = build(
        load_config(tmp_path / "harder" / "build.yaml"),
        tmp_path / "again",
        replay=Replay(read_recording(file)),
    )
    assert replayed.facts["missing_replies"] == []
    assert rows_of(replayed) == rows


def test_without_a_better_attempt_the_original_stays(tmp_path: Path) -> None:
    """Every attempt is mastered, and the panel takes none of them."""

    class Strict(VerifierPlayer):
        def play(self, model: str, messages: Turns) -> str:
            reply = super().play(model, messages)
            return reply if "attempt 0" in str(messages[-1]["content"]) else reply.replace("PASS", "FAIL")

    with LoopbackServer(Quieter(GeneratorPlayer(), Strict({}), mastered=9)) as server:
        report = run_build(tmp_path, hardened(server.url, 2))
    attempts = query(report.run, "SELECT hardens, count(*) FROM jobs WHERE hardens IS NOT NULL GROUP BY 1")
    assert {count for _, count in attempts} == {2}
    assert report.facts["accepted"] == len(attempts)
    rows = rows_of(report)
    assert {row["perturbed_query"].partition("(")[2] for row in rows} == {"attempt 0)?"}
    assert {row["difficulty"] for row in rows} == {0.0}


def test_a_budget_stops_attempts_and_more_money_goes_on(tmp_path: Path) -> None:
    with LoopbackServer(Quieter(GeneratorPlayer(), VerifierPlayer({}), mastered=2)) as server:
        free = run_build(tmp_path / "free", hardened(server.url, 2))
        sql = (
            "SELECT sum(c.cost_usd) FROM calls c JOIN jobs j ON j.id = c.subject WHERE j.hardens IS NOT NULL"
        )
        limit = free.facts["cost_usd"] - query(free.run, sql)[0][0] / 2
        stopped = run_build(tmp_path / "paid", {**hardened(server.url, 2), "budget_usd": limit})
        assert stopped.stopped
        done = run_build(tmp_path / "paid", {**hardened(server.url, 2), "budget_usd": 10})
    assert done.stopped is None
    assert rows_of(done) == rows_of(free)


def test_attempts_are_in_the_estimate_and_bounded(tmp_path: Path) -> None:
    url = "http://127.0.0.1:9"
    estimates = [estimate_build(plan_build(configure(tmp_path / str(n), hardened(url, n)))) for n in (0, 2)]
    for role in ("generator", "verifier", "solver", "judge"):
        none, two = (sum(one.calls for one in each.models if one.role == role) for each in estimates)
        assert two == 3 * none
    with pytest.raises(ConfigError, match="harden"):
        configure(tmp_path / "three", hardened(url, 3))


def rows_of(report: BuildReport) -> list[dict[str, Any]]:
    assert report.snapshot is not None
    return [dict(row) for row in read_snapshot(report.snapshot).read_rows()]


def test_a_solver_fails_an_item_when_more_than_half_of_its_scored_replies_are_wrong() -> None:
    right, wrong = "correct_refusal", "missed_refusal"
    said: dict[str, list[str | None]] = {"a": [wrong, right], "b": [wrong, wrong, right], "c": [None, wrong]}
    replies = [
        SolverReply("item", name, sample, "f", outcome)
        for name, outcomes in said.items()
        for sample, outcome in enumerate(outcomes)
    ]
    found = difficulties(replies)["item"]
    assert found.failed == pytest.approx(2 / 3)
    assert found.wrong == pytest.approx(4 / 6)
