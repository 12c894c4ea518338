"""Planted items in builds: how many there are, who votes on them, and that they count nowhere else."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from perturb.auditing.audit_report import audit
from perturb.building.planted_faults import FaultMaker
from perturb.building.run import build
from perturb.catalogue.levers import Catalogue
from perturb.config import PanelEntry, PlantedEntry
from perturb.errors import ConfigError
from perturb.llm.recording import Replay, read_recording
from perturb.records import (
    ALL_CELLS,
    BaseInstance,
    Candidate,
    Cell,
    Intensity,
    Passage,
    PerturbationClass,
    PlantedItem,
)
from perturb.snapshots.replies import export_replies
from perturb.snapshots.snapshot import read_snapshot
from tests.building import configure, content_of, query, run_build, serve

BOTH = {"mechanical": 24, "written": 6}


def items(run: Path) -> list[PlantedItem]:
    rows = query(run, "SELECT payload FROM planted ORDER BY id")
    return [PlantedItem.from_payload(json.loads(payload)) for (payload,) in rows]


@pytest.fixture(scope="module")
def planted_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished build with planted items of both sorts."""
    with serve({"v1": 0.8}) as server:
        content = content_of(server.url, limit=4, panel={"planted": BOTH})
        return run_build(tmp_path_factory.mktemp("planted"), content).run


def votes(run: Path, table: str = "planted_votes") -> set[tuple[Any, ...]]:
    return set(query(run, f"SELECT candidate_id, verifier, state FROM {table}"))


def test_every_verifier_votes_on_every_planted_item_and_nothing_else_knows_of_them(tmp_path: Path) -> None:
    plain, planted = {"schedule": "economy"}, {"schedule": "economy", "planted": BOTH}
    with serve({"v1": 0.7, "v2": 0.7, "v3": 0.7}) as server:
        without = run_build(tmp_path, content_of(server.url, limit=4, panel=plain), "without")
        report = run_build(tmp_path, content_of(server.url, limit=4, panel=planted), "with")
    made = items(report.run)
    kinds = Counter(item.kind for item in made)
    assert kinds["written"] == 6
    assert kinds["right"] == 18
    assert sum(kinds.values()) == 48
    assert {name for _, name, _ in votes(report.run)} == {"v1", "v2", "v3"}
    assert len(votes(report.run)) == 3 * 48
    assert report.facts["planted_votes"] == 3 * 48
    assert without.facts["planted_votes"] == 0
    # What the round says without them is what it says with them.
    assert votes(report.run, "votes") == votes(without.run, "votes")
    figures = [audit(run.run, resamples=20).to_dict() for run in (without, report)]
    assert figures[0].pop("certificate") is None
    assert figures[1].pop("certificate")["right"] == 18
    for figure in figures:
        del figure["source"]
    assert figures[0] == figures[1]
    assert without.snapshot is not None
    assert report.snapshot is not None
    snapshots = [read_snapshot(one) for one in (without.snapshot, report.snapshot)]
    assert snapshots[0].content_digest == snapshots[1].content_digest
    assert not {item.id for item in made} & {row["id"] for row in snapshots[1].read_rows()}


def test_a_fault_of_each_kind_is_what_it_says(planted_run: Path) -> None:
    hosts = dict(query(planted_run, "SELECT id, host FROM planted"))
    claimed = {
        name: (kind, intensity)
        for name, kind, intensity in query(planted_run, "SELECT id, perturbation_class, intensity FROM jobs")
    }
    seen = Counter(item.kind for item in items(planted_run))
    for item in items(planted_run):
        cell = item.candidate.cell
        if item.kind in ("written", "right"):
            continue
        host = claimed[hosts[item.id]]
        if item.kind == "class":
            assert host[0] != cell.perturbation_class
            assert host[1] == cell.intensity
        if item.kind == "behaviour":
            assert host[0] == cell.perturbation_class
            assert (host[1] == "LOW") != (cell.intensity == "LOW")
        if item.kind == "nothing":
            assert (item.candidate.query, item.candidate.passages) == (
                item.instance.query,
                item.instance.passages,
            )
        if item.kind == "undone" and cell.perturbation_class == "P-MissingInfo":
            text = item.candidate.context.casefold()
            assert any(answer.casefold() in text for answer in item.instance.answers)
        if item.kind == "degree":
            assert (host[1], cell.intensity) == ("MEDIUM", "HIGH")
    assert {"class", "behaviour", "nothing", "lever", "degree"} <= set(seen)
    assert all(item.proof and item.way for item in items(planted_run) if item.kind == "written")


def test_default_plants_nothing_below_200_jobs_and_at_least_24_from_there_on(tmp_path: Path) -> None:
    with serve() as server:
        small = run_build(tmp_path, content_of(server.url, limit=1), "small")
        large = run_build(tmp_path, content_of(server.url, limit=6), "large")
    assert small.facts["jobs"] == 36
    assert query(small.run, "SELECT planted FROM plans") == [('{"mechanical": 0, "written": 0, "right": 0}',)]
    assert items(small.run) == []
    assert Counter(item.kind == "right" for item in items(large.run)) == {True: 18, False: 24}


def test_a_run_begun_without_planted_items_stays_without_until_it_is_asked(tmp_path: Path) -> None:
    off = {"planted": 0}
    with serve() as server:
        run_build(tmp_path, content_of(server.url, limit=2, panel=off))
        again = run_build(tmp_path, content_of(server.url, limit=2, panel=off))
        assert items(again.run) == []
        asked = run_build(tmp_path, content_of(server.url, limit=2, panel={"planted": 12}))
    assert Counter(item.kind == "right" for item in items(asked.run)) == {True: 18, False: 12}
    assert asked.facts["planted_votes"] == 3 * 30


def test_replies_of_planted_items_are_exported_and_replayed(tmp_path: Path, planted_run: Path) -> None:
    content = content_of("http://localhost:1", limit=4, panel={"planted": BOTH})
    file = tmp_path / "run.replies.jsonl.gz"
    export_replies(planted_run, file)
    with serve({"v1": 0.8}) as server:
        silent = content_of(server.url, limit=4, panel={"planted": 0})
        bare = run_build(tmp_path, silent, "bare")
        old = tmp_path / "old.replies.jsonl.gz"
        export_replies(bare.run, old)
        filled = build(
            configure(tmp_path, content_of(server.url, limit=4, panel={"planted": BOTH})),
            tmp_path / "filled",
            replay=Replay(read_recording(old), fill=True),
        )
    again = build(configure(tmp_path, content), tmp_path / "again", replay=Replay(read_recording(file)))
    assert again.facts["missing_replies"] == []
    assert votes(again.run) == votes(planted_run)
    assert items(again.run) == items(planted_run)
    kept = build(configure(tmp_path, content), tmp_path / "kept", replay=Replay(read_recording(old)))
    assert items(kept.run) == []
    assert filled.facts["planted_votes"] == 3 * 48


def test_an_interrupted_planting_goes_on_where_it_stopped(tmp_path: Path) -> None:
    with serve() as server:
        content = content_of(server.url, limit=2, panel={"planted": BOTH})
        # A budget for about half of the calls.
        first = run_build(tmp_path, {**content, "budget_usd": 0.25})
        assert first.stopped is not None
        before = {item.id for item in items(first.run)}
        report = run_build(tmp_path, content)
    after = {item.id for item in items(report.run)}
    assert before
    assert before <= after
    assert len(after) == 48
    assert len(votes(report.run)) == 3 * 48


@pytest.mark.parametrize(
    ("planted", "jobs", "numbers"),
    [
        ("auto", 199, (0, 0, 0)),
        ("auto", 200, (24, 0, 18)),
        ("auto", 1500, (75, 0, 18)),
        ("auto", 100_000, (5000, 0, 54)),
        (7, 20, (7, 0, 18)),
        (0, 5000, (0, 0, 0)),
        ({"mechanical": "auto", "written": 24}, 270, (24, 24, 18)),
    ],
)
def test_how_many_are_planted(planted: Any, jobs: int, numbers: tuple[int, int, int]) -> None:
    entry = planted if isinstance(planted, dict) else {"mechanical": planted}
    told = PlantedEntry.model_validate(entry).numbers(jobs)
    assert tuple(told[name] for name in ("mechanical", "written", "right")) == numbers
    if planted == "auto" and jobs >= 1500:
        total = sum(numbers)
        assert total / (jobs + total) <= 0.06


def test_planted_stands_beside_a_panel_file_and_leaves_the_panel_as_it_is(tmp_path: Path) -> None:
    with serve() as server:
        content = content_of(server.url, limit=1)
        (tmp_path / "three.yaml").write_text(json.dumps(content["panel"]), encoding="utf-8")
        beside = configure(tmp_path, {**content, "panel": {"file": "three.yaml", "planted": 24}})
        alone = configure(tmp_path, {**content, "panel": "three.yaml"})
    panel = beside.resolved_panel
    assert (panel.name, panel.planted) == ("three", 24)
    assert panel.model_copy(update={"planted": "auto"}) == alone.resolved_panel
    assert "planted" not in alone.to_yaml()
    with pytest.raises(ConfigError, match="'k' stands in the panel file"):
        configure(tmp_path, {**content, "panel": {"file": "three.yaml", "k": 2}})
    assert PanelEntry.model_validate(content["panel"]).plants_by_default


def test_deep_candidates_host_faults_that_are_voted_on_and_replayed_as_they_are(tmp_path: Path) -> None:
    changes: dict[str, Any] = {"limit": 3, "depth": {"open": 0.3, "deep": 0.7}, "panel": {"planted": BOTH}}
    with serve({"v1": 0.8}) as server:
        report = run_build(tmp_path, content_of(server.url, **changes), "first")
        file = tmp_path / "run.replies.jsonl.gz"
        export_replies(report.run, file)
    deep = [item for item in items(report.run) if item.candidate.depth == "deep"]
    assert len({item.kind for item in deep}) >= 3
    for item in deep:
        text = "\n".join(passage.text for passage in item.candidate.passages)
        assert item.candidate.proof
        assert item.candidate.reasoning
        assert any(sentence in text for sentence in item.candidate.proof)
    # An item that differs from its host in the claim alone shares the blind decision.
    blind_calls = "SELECT subject FROM {} WHERE purpose = 'blind'"
    both = " UNION ".join(blind_calls.format(table) for table in ("calls", "shared_calls"))
    asked = query(report.run, both)
    assert {item.id for item in deep} <= {subject for (subject,) in asked}
    silent = configure(tmp_path, content_of("http://localhost:1", **changes))
    again = build(silent, tmp_path / "again", replay=Replay(read_recording(file)))
    assert again.facts["missing_replies"] == []
    blind = "SELECT candidate_id, verifier, state, blind FROM planted_votes ORDER BY 1, 2"
    assert query(again.run, blind) == query(report.run, blind)
    assert again.facts["certificate"] == report.facts["certificate"]


def contradiction(context: str) -> tuple[BaseInstance, Candidate]:
    """A candidate about the length of a race, with this context."""
    before = (Passage("The race is old. It is 42.195 kilometres long. It ends in Athens."),)
    instance = BaseInstance("b", "made", "how long is the race", before, ("42.195 kilometres", "42.195"))
    cell = Cell(PerturbationClass.CONTRADICTION, Intensity.HIGH)
    lever = Catalogue.load().levers_of(cell)[0].name
    return instance, Candidate("c", "b", "g", cell, lever, instance.query, (Passage(context),), "", "")


@pytest.mark.parametrize(
    ("context", "left"),
    [
        (
            "The race is old. It is 42.195 kilometres long today. It is 50 kilometres long. It ends in Athens.",
            "The race is old. It is 42.195 kilometres long today. It ends in Athens.",
        ),
        # The rival quotes the answer, or stands in its sentence.
        ("The race is old. It is 42.195 kilometres long today. It cannot be 42.195 kilometres long.", None),
        ("The race is old. It is 42.195 kilometres long, or 50 kilometres. It is 60 kilometres.", None),
        # Nothing but the original would be left.
        ("The race is old. It is 42.195 kilometres long. It is 50 kilometres long. It ends in Athens.", None),
    ],
)
def test_a_contradiction_is_undone_only_if_no_rival_can_be_left(context: str, left: str | None) -> None:
    maker = FaultMaker(Catalogue.load(), ALL_CELLS, 7)
    made = maker.make("undone", *contradiction(context))
    assert (None if made is None else made.candidate.context) == left


def test_an_item_that_must_be_refused_without_its_answer_is_presented_as_answerable() -> None:
    instance, candidate = contradiction("The race is old. It ends in Athens.")
    missing = replace(candidate, cell=Cell(PerturbationClass.MISSING_INFO, Intensity.HIGH))
    maker = FaultMaker(Catalogue.load(), ALL_CELLS, 7)
    swapped = maker.make("behaviour", instance, missing)
    assert swapped is not None
    assert swapped.candidate.expected_behavior == "ANSWER_CORRECTLY"
    undone = maker.make("undone", instance, missing)
    assert undone is not None
    assert undone.candidate.context == "The race is old. It ends in Athens. It is 42.195 kilometres long."
    # A false premise stays one at any intensity.
    premise = replace(
        candidate, cell=Cell(PerturbationClass.FALSE_PREMISE, Intensity.LOW), passages=instance.passages
    )
    assert maker.make("behaviour", instance, premise) is None
