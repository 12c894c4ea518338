"""Builds that end once every cell of every generator has its quota of accepted items."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from perturb.building.jobs import plan_wave
from perturb.building.plan import plan_build
from perturb.building.run import build, check_replay
from perturb.config import read_quota
from perturb.ledger.ends import JobEnd, missing_items
from perturb.llm.recording import Replay, read_recording
from perturb.records import ALL_CELLS, Job
from perturb.snapshots.replies import export_replies
from tests.building import (
    TWO_CELLS,
    accepted,
    configure,
    content_of,
    finish,
    interrupt_after,
    perturb,
    query,
    run_build,
    serve,
    start,
    write_config,
)
from tests.loopback import LoopbackServer

CELL, OTHER = ALL_CELLS[:2]
QUOTA = 6
RULE = f"cell >= {QUOTA}"
PASSES = {"v1": 0.8, "v2": 0.9, "v3": 0.8}


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    with serve(PASSES) as started:
        yield started


def content(server: LoopbackServer, **changes: Any) -> dict[str, Any]:
    return content_of(server.url, limit=25, cells=list(TWO_CELLS), **{"until": RULE, **changes})


def jobs_of(levers: list[str], cell: Any = CELL) -> list[Job]:
    return [Job(f"{cell}-{n}", f"b{n}", cell, "g", 0, "r", ((name,),)) for n, name in enumerate(levers)]


def ended(end: Any, lever: str, n: int = 1) -> list[JobEnd]:
    return [JobEnd(("g", CELL), end, (lever,))] * n


def by_place(run: Path) -> Counter[Any]:
    return Counter(
        query(
            run,
            "SELECT j.generator, j.perturbation_class FROM jobs j JOIN decisions d ON d.candidate_id = j.id"
            " WHERE d.acceptance = 'accepted'",
        )
    )


def plan_of_jobs(run: Path) -> list[tuple[Any, ...]]:
    return query(run, "SELECT id, outcome FROM jobs ORDER BY seq")


def test_the_first_wave_holds_the_quota_of_every_cell_in_plan_order() -> None:
    waiting = [*jobs_of(["a"] * 9), *jobs_of(["a"] * 2, OTHER)]
    assert [job.id for job in plan_wave(waiting, [], 4)] == [
        *(f"{CELL}-{n}" for n in range(4)),
        *(f"{OTHER}-{n}" for n in range(2)),
    ]


def test_levers_that_were_accepted_come_first_and_untried_ones_between() -> None:
    ends = [*ended("accepted", "good", 4), *ended("lost", "bad", 4)]
    waiting = jobs_of(["bad", "new", "good", "bad", "good"])
    assert [job.id[-1] for job in plan_wave(waiting, ends, 6)] == ["2", "4"]
    assert [job.id[-1] for job in plan_wave(waiting, ends, 7)] == ["1", "2", "4"]


def test_a_wave_is_no_larger_than_what_is_missing_unless_little_is_accepted() -> None:
    waiting = jobs_of(["a"] * 90)
    assert len(plan_wave(waiting, ended("accepted", "a", 5), 9)) == 4
    assert len(plan_wave(waiting, [*ended("accepted", "a", 1), *ended("lost", "a", 18)], 5)) == 21
    assert plan_wave(waiting, [*ended("accepted", "a", 5), *ended("open", "a", 4)], 9) == []


def test_what_is_missing_is_counted_by_accepted_items() -> None:
    ends = [*ended("accepted", "a", 2), *ended("open", "a", 5)]
    assert missing_items([("g", CELL), ("g", OTHER)], ends, 3) == {("g", CELL): 1, ("g", OTHER): 3}


@pytest.mark.parametrize("text", ["cell > 3", "cell >= 0", "class >= 3", "cell >= many", ""])
def test_a_rule_that_cannot_be_read_gets_one_line(text: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is not a rule: write 'cell >= N'"):
        read_quota(text)
    said = perturb("build", "--demo", "rules", "--until", text, "--out", tmp_path)
    assert said.returncode == 2


def test_every_cell_gets_its_quota_with_fewer_jobs_than_the_plan_has(
    tmp_path: Path, server: LoopbackServer
) -> None:
    report = run_build(tmp_path, content(server))
    filled = by_place(report.run)
    assert set(filled) == {(name, cell["class"]) for name in ("g1", "g2") for cell in TWO_CELLS}
    assert min(filled.values()) >= QUOTA
    assert max(filled.values()) <= QUOTA + 1
    assert report.facts["jobs"] < 2 * 2 * 25 * 0.7
    assert report.facts["quota"] == {"per_cell": QUOTA, "missing": []}
    assert report.facts["rows"] == filled.total()
    asked = server.counters.total
    again = run_build(tmp_path, content(server))
    assert (again.facts["jobs"], server.counters.total) == (report.facts["jobs"], asked)


def test_the_same_jobs_are_done_however_the_replies_come_in(tmp_path: Path, server: LoopbackServer) -> None:
    run_build(tmp_path / "calm", content(server))
    with serve(PASSES, latency=(0.0, 0.03)) as uneven:
        run_build(tmp_path / "uneven", content(uneven))
    assert plan_of_jobs(tmp_path / "calm" / "run") == plan_of_jobs(tmp_path / "uneven" / "run")


@pytest.mark.slow
def test_killed_and_resumed_it_does_the_same_jobs_and_repeats_no_call(tmp_path: Path) -> None:
    with serve(PASSES, latency=(0.02, 0.06)) as slow:
        whole = run_build(tmp_path / "whole", content(slow))
        slow.counters.bodies.clear()
        slow.counters.requests.clear()
        config, out = write_config(tmp_path, content(slow)), tmp_path / "out"
        seen = slow.counters.total
        for calls in (40, 120):
            interrupt_after(start(config, out), slow, seen + calls, signal.SIGKILL)
        facts = finish(config, out)
        assert plan_of_jobs(out / "run") == plan_of_jobs(whole.run)
        assert facts["quota"]["missing"] == []
        assert slow.counters.repeated <= 2 * 8 * 5  # those in flight when it was killed


def test_without_the_rule_the_rest_is_done_and_with_it_again_nothing(
    tmp_path: Path, server: LoopbackServer
) -> None:
    first = run_build(tmp_path, content(server))
    kept = set(accepted(first.run))
    everything = run_build(tmp_path, content(server, until=None))
    assert everything.facts["jobs"] == 2 * 2 * 25
    assert kept < set(accepted(everything.run))
    assert server.counters.repeated == 0
    asked = server.counters.total
    higher = run_build(tmp_path, content(server, until="cell >= 8"))
    assert (server.counters.total, higher.facts["quota"]["missing"]) == (asked, [])
    plain = plan_build(configure(tmp_path, content(server, until=None)))
    ruled = plan_build(configure(tmp_path, content(server)))
    assert {job.id for job in plain.jobs()} == {job.id for job in ruled.jobs()}


def test_a_cell_that_cannot_be_filled_is_named(tmp_path: Path, server: LoopbackServer) -> None:
    report = run_build(tmp_path, content(server, until="cell >= 40"))
    named = [words for words in report.warnings if "cannot be filled" in words]
    assert len(named) == 2
    assert named[0].startswith("P-Ambiguity/LOW cannot be filled (g1 ")
    assert "of 40): every instance was tried: add instances, or raise 'replicates'" in named[0]
    assert report.facts["jobs"] == 100
    shown = perturb("status", report.run).stdout
    assert "Quota: 40 accepted items in each cell of each generator" in shown
    status = perturb("status", report.run, "--json").json
    lacking = {(one["generator"], one["cell"]): one["missing"] for one in status["quota"]["missing"]}
    assert lacking["g1", "P-Ambiguity/LOW"] == 40 - by_place(report.run)["g1", "P-Ambiguity"]


def test_jobs_that_fail_are_tried_again_and_not_replaced(tmp_path: Path) -> None:
    with serve(PASSES) as gone:
        url = gone.url
    broken = content_of(url, limit=25, cells=list(TWO_CELLS), until=RULE)
    for entry in (*broken["generators"], *broken["panel"]["verifiers"]):
        entry["max_retries"] = 0
    report = build(configure(tmp_path, broken), tmp_path / "run", wait=True)
    assert (report.facts["jobs"], report.facts["errors"]) == (4 * QUOTA, 4 * QUOTA)
    assert not any("cannot be filled" in words for words in report.warnings)


def test_a_budget_holds_within_waves(tmp_path: Path, server: LoopbackServer) -> None:
    report = run_build(tmp_path, content(server, budget_usd=0.05))
    assert report.stopped is not None
    assert report.facts["cost_usd"] <= 0.05
    ended = run_build(tmp_path, content(server))
    assert ended.facts["quota"]["missing"] == []
    assert server.counters.repeated == 0


def test_replies_on_record_give_the_same_rows(tmp_path: Path, server: LoopbackServer) -> None:
    made = run_build(tmp_path, content(server))
    export_replies(made.run, tmp_path / "replies.jsonl.gz")
    config = configure(tmp_path, content(server))
    again = build(config, tmp_path / "again", replay=Replay(read_recording(tmp_path / "replies.jsonl.gz")))
    assert again.facts["missing_replies"] == []
    assert accepted(tmp_path / "again") == accepted(made.run)
    assert made.snapshot is not None
    assert check_replay(made.snapshot, tmp_path / "replies.jsonl.gz") == ()


def test_a_dry_run_says_the_least_that_it_takes(tmp_path: Path, server: LoopbackServer) -> None:
    config = write_config(tmp_path, content(server))
    shown = perturb("build", config, "--dry-run").stdout
    assert f"Filling the quota takes at least {4 * QUOTA} jobs ($" in shown
    words = ["build", str(config), "--until", "cell >= 12", "--out", str(tmp_path), "--dry-run"]
    told = perturb(*words, "--json").json
    assert (told["jobs"], told["least_jobs"], "jobs_to_go" in told) == (100, 4 * 12, False)
    run_build(tmp_path, content(server))
    told = perturb(*words, "--json").json
    assert 4 * (12 - QUOTA - 1) < told["jobs_to_go"] < 100
    assert "At the acceptance rates so far, about" in perturb(*words).stdout


def test_the_rule_and_the_audited_share_are_part_of_what_a_run_is_known_by(tmp_path: Path) -> None:
    content = content_of("http://localhost:1", limit=3)
    plain = plan_build(configure(tmp_path / "plain", content))
    ruled, other = (
        plan_build(configure(tmp_path / name, {**content, "until": rule}))
        for name, rule in (("one", "cell >= 2"), ("two", "cell >= 3"))
    )
    assert len({plain.digest, ruled.digest, other.digest}) == 3
    audited = plan_build(
        configure(tmp_path / "a", {**content, "panel": {**content["panel"], "audit_fraction": 0.5}})
    )
    assert audited.digest == plain.digest
    assert audited.panel.digest != plain.panel.digest
