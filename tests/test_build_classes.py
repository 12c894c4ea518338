"""Panels whose members do not judge every class: who is absent leaves no trace, least of all a pass."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from perturb.auditing.audit_report import audit
from perturb.building.estimate import estimate_build
from perturb.building.plan import plan_build
from perturb.errors import ConfigError
from perturb.evaluation.status import read_status
from perturb.snapshots.replies import verify_snapshot
from tests.building import TWO_CELLS, accepted, configure, content_of, query, run_build, serve
from tests.loopback import LoopbackServer

AMBIGUITY, MISSING = "P-Ambiguity", "P-MissingInfo"


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    with serve({"v1": 1.0, "v2": 1.0, "v3": 0.0}) as running:
        yield running


def limited(url: str, judged: dict[str, list[str]], **changes: Any) -> dict[str, Any]:
    """Two cells, two generators, three verifiers of which some name the classes they judge."""
    content = content_of(url, cells=TWO_CELLS, **changes)
    for entry in content["panel"]["verifiers"]:
        if entry["name"] in judged:
            entry["classes"] = judged[entry["name"]]
    return content


@pytest.mark.parametrize("panel", [{}, {"schedule": "economy", "audit_fraction": 0.0}])
def test_a_class_is_decided_by_those_who_judge_it(
    tmp_path: Path, server: LoopbackServer, panel: dict[str, Any]
) -> None:
    report = run_build(tmp_path, limited(server.url, {"v3": [MISSING], "v2": [AMBIGUITY]}, panel=panel))
    assert report.facts["candidates"] == 8
    votes = query(
        report.run,
        "SELECT j.perturbation_class, v.verifier, count(*) FROM votes v JOIN jobs j ON j.id = v.candidate_id"
        " GROUP BY 1, 2 ORDER BY 1, 2",
    )
    assert {row[:2] for row in map(tuple, votes)} <= {
        (AMBIGUITY, "v1"),
        (AMBIGUITY, "v2"),
        (MISSING, "v1"),
        (MISSING, "v3"),
    }
    assert report.facts["votes"] == sum(row[2] for row in votes) == 16
    assert report.facts["accepted"] == len(accepted(report.run)) == 4, (
        "v3 fails all that it judges, and no other"
    )
    assert read_status(report.run)["left"] == 0
    assert report.snapshot is not None
    rows = pq.read_table(next(report.snapshot.glob("data/**/*.parquet"))).to_pylist()
    assert {tuple(vote["verifier"] for vote in row["verifier_votes"]) for row in rows} == {("v1", "v2")}
    assert verify_snapshot(report.snapshot).problems == ()
    found = audit(report.run, resamples=50)
    assert found.judged == {"v1": 8, "v2": 4, "v3": 4}
    assert (found.basis.candidates, found.basis.note) == ("all", None), "nobody who is absent is missing"
    assert {(pair.a, pair.b): pair.n for pair in found.agreement.pairs} == {
        ("v1", "v2"): 4,
        ("v1", "v3"): 4,
        ("v2", "v3"): 0,
    }
    assert (found.rules.unanimous.accepted, found.rules.unanimous.rejected) == (4, 4)
    assert [one.gained for one in found.rules.leave_one_out] == [0, 0, 4]


def test_votes_on_classes_that_a_verifier_no_longer_judges_do_not_count(
    tmp_path: Path, server: LoopbackServer
) -> None:
    everything = run_build(tmp_path, limited(server.url, {}))
    assert (everything.facts["accepted"], everything.facts["votes"]) == (0, 24)
    asked = server.counters.total
    narrowed = run_build(tmp_path, limited(server.url, {"v3": [MISSING]}))
    assert server.counters.total == asked, "the votes of the others are known"
    assert (narrowed.facts["accepted"], narrowed.facts["votes"]) == (4, 20)
    assert audit(narrowed.run, resamples=50).judged["v3"] == 4
    widened = run_build(tmp_path, limited(server.url, {}))
    assert (server.counters.total, widened.facts["accepted"]) == (asked, 0)


def test_a_dry_run_counts_no_call_that_would_not_be_made(tmp_path: Path, server: LoopbackServer) -> None:
    everybody = estimate_build(plan_build(configure(tmp_path, limited(server.url, {}))))
    some = estimate_build(plan_build(configure(tmp_path, limited(server.url, {"v3": [MISSING]}))))
    assert [model.calls for model in everybody.models] == [4, 4, 8, 8, 8]
    assert [model.calls for model in some.models] == [4, 4, 8, 8, 4]
    assert some.models[3] == everybody.models[3]
    assert some.models[4].prompt_tokens < everybody.models[4].prompt_tokens
    report = run_build(tmp_path, limited(server.url, {"v3": [MISSING]}))
    assert report.facts["calls"] <= some.calls < everybody.calls, (
        "machine checks may reject a candidate before"
    )


@pytest.mark.parametrize(
    ("judged", "panel", "message"),
    [
        (
            {name: [AMBIGUITY] for name in ("v1", "v2", "v3")},
            {},
            "panel 'panel': no verifier judges P-MissingInfo: add it to a verifier's 'classes', or leave its cells out",
        ),
        (
            {"v3": [AMBIGUITY], "v2": [AMBIGUITY]},
            {"consensus": "k_of_n", "k": 2},
            "panel 'panel': only 1 verifier for P-MissingInfo, but 'k' is 2: add it",
        ),
    ],
)
def test_a_class_without_judges_is_an_error(
    tmp_path: Path, server: LoopbackServer, judged: dict[str, list[str]], panel: dict[str, Any], message: str
) -> None:
    content = limited(server.url, judged, panel=panel)
    with pytest.raises(ConfigError, match=message):
        plan_build(configure(tmp_path, content))
    plan_build(configure(tmp_path, content | {"cells": TWO_CELLS[:1]}))
    assert server.counters.total == 0


@pytest.mark.parametrize(
    ("classes", "message"),
    [
        ([AMBIGUITY], "the check 'contradiction' has no opinion on P-Ambiguity: name no other"),
        ([], "classes"),
        (["P-Nonsense"], "classes"),
    ],
)
def test_classes_that_make_no_sense_are_refused(tmp_path: Path, classes: list[str], message: str) -> None:
    check = {"name": "c", "kind": "rules", "check": "contradiction", "classes": classes}
    content = content_of("http://localhost:1", panel={"verifiers": [check]})
    with pytest.raises(ConfigError, match=message):
        plan_build(configure(tmp_path, content))


def test_abstentions_are_stored_and_never_accept(tmp_path: Path, server: LoopbackServer) -> None:
    """`answer-state` has no opinion where no accepted answer stands in the passages."""
    check = {"name": "state", "kind": "rules", "check": "answer-state"}
    long_form = {
        "query": "Why is the sea salt?",
        "passages": ["Rivers carry salts into it."],
        "answers": ["It gathers them."],
    }
    path = tmp_path / "base.jsonl"
    path.write_text(json.dumps(long_form) + "\n", encoding="utf-8")
    changes: dict[str, Any] = {"base_set": {"path": "base.jsonl"}, "generators": ("g1",)}
    alone = run_build(
        tmp_path, content_of(server.url, cells=TWO_CELLS[:1], panel={"verifiers": [check]}, **changes)
    )
    assert (alone.facts["accepted"], alone.facts["undecided"], alone.facts["votes"]) == (0, 1, 0)
    assert any("every verifier of the class abstained" in warning for warning in alone.warnings)
    assert read_status(alone.run)["left"] == 0, "nothing would be asked again"
    both = content_of(server.url, cells=TWO_CELLS[:1], verifiers=("v1",), **changes)
    both["panel"]["verifiers"].append(check)
    report = run_build(tmp_path, both)
    assert [row[0] for row in query(report.run, "SELECT state FROM votes ORDER BY state")] == [
        "abstain",
        "pass",
    ]
    assert report.facts["accepted"] == 1
    assert report.snapshot is not None
    assert verify_snapshot(report.snapshot).problems == ()
    assert audit(report.run, resamples=50).judged == {"state": 0, "v1": 1}
