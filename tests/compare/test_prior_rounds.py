"""Builds that may not repeat the items of earlier rounds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from perturb.building.results import select_items
from perturb.curation.base_sets import embedded_path
from perturb.errors import ConfigError, SnapshotError
from perturb.ledger.calls import reading
from perturb.ledger.plans import current_plan
from perturb.records import NEAR_DUPLICATE
from perturb.scoring.round_comparison import compare
from perturb.snapshots.select import SelectionPlan
from perturb.snapshots.snapshot import read_snapshot
from tests.building import configure, query, run_build, write_rows


def content(round_name: str, **changes: Any) -> dict[str, Any]:
    """The configuration of an offline round."""
    return {
        "name": "run",
        "round": round_name,
        "seed": 7,
        "base_set": {"demo": "demo", "limit": 12},
        "generators": [{"name": "rules", "kind": "rules"}],
        "panel": "verifiers/offline.yaml",
        "select": {"strategy": "natural"},
        **changes,
    }


def test_a_round_that_avoids_another_repeats_none_of_its_items(tmp_path: Path) -> None:
    first = run_build(tmp_path, content("r1"), "first")
    free = run_build(tmp_path, content("r2"), "free")
    held = run_build(tmp_path, content("r2", avoid=["first/snapshot"]), "held")
    assert first.snapshot is not None
    assert free.snapshot is not None
    assert held.snapshot is not None
    repeated = compare(first.snapshot, free.snapshot).freshness.near
    assert repeated > 0
    assert free.facts["near_duplicates"] == 0
    assert held.facts["near_duplicates"] >= repeated
    assert held.facts["near_duplicates"] <= held.facts["rejected_by_checks"]
    assert compare(first.snapshot, held.snapshot).freshness.near == 0
    manifest = read_snapshot(held.snapshot).manifest
    assert manifest["counts"]["stages"]["near_duplicates"] == held.facts["near_duplicates"]
    assert "avoided" in manifest["digests"]
    reasons = query(tmp_path / "held", "SELECT detail FROM jobs WHERE outcome = 'rejected_by_checks'")
    assert any(str(reason[0]).startswith(f"{NEAR_DUPLICATE} item '") for reason in reasons)


def test_a_build_may_avoid_a_table_and_goes_on_with_it(tmp_path: Path) -> None:
    first = run_build(tmp_path, content("r1"), "first")
    assert first.snapshot is not None
    rows = read_snapshot(first.snapshot).read_rows()
    write_rows(tmp_path / "rows.jsonl", rows)
    settings = content("r1", avoid=["rows.jsonl"])
    stale = run_build(tmp_path, settings, "stale")
    assert (stale.snapshot, stale.facts["accepted"]) == (None, 0)
    assert stale.facts["near_duplicates"] >= len(rows)
    again = run_build(tmp_path, settings, "stale")
    assert again.facts["near_duplicates"] == stale.facts["near_duplicates"]


def test_avoiding_something_else_makes_new_jobs_in_the_same_run(tmp_path: Path) -> None:
    run_build(tmp_path, content("r1"), "first")
    plain = run_build(tmp_path, content("r2"), "run")
    held = run_build(tmp_path, content("r2", avoid=["first/snapshot"]), "run")
    assert plain.facts["jobs"] == held.facts["jobs"]
    assert held.facts["near_duplicates"] > 0


def test_paths_are_relative_to_the_file_and_the_hub_is_not_a_path(tmp_path: Path) -> None:
    config = configure(tmp_path, content("r1", avoid=["old", "hub:someone/set@r1"]))
    assert config.avoid == (str(tmp_path / "old"), "hub:someone/set@r1")


def test_what_cannot_be_read_is_named_before_anything_is_made(tmp_path: Path) -> None:
    with pytest.raises(SnapshotError, match="no such snapshot"):
        run_build(tmp_path, content("r1", avoid=["absent"]))
    assert not (tmp_path / "run").exists()
    with pytest.raises(ConfigError, match="avoid"):
        configure(tmp_path, content("r1", avoid=[""]))


def test_near_duplicates_within_a_round_are_left_out_and_counted(tmp_path: Path) -> None:
    lines = embedded_path("demo").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines[1:7]]
    copies = [{**row, "id": f"{row['id']}-again", "query": f"{row['query']} "} for row in rows]
    for name, given in (("once", rows), ("twice", [*rows, *copies])):
        text = "".join(json.dumps(row) + "\n" for row in given)
        (tmp_path / f"{name}.jsonl").write_text(text, encoding="utf-8")
    once, twice = (
        run_build(tmp_path, content("r1", base_set={"path": f"{name}.jsonl"}), name)
        for name in ("once", "twice")
    )
    assert once.snapshot is not None
    assert twice.snapshot is not None
    assert once.facts["repeats"] == 0
    assert 0 < twice.facts["repeats"] == twice.facts["accepted"] - twice.facts["rows"]
    snapshot = read_snapshot(twice.snapshot)
    assert snapshot.manifest["counts"]["stages"]["repeats"] == twice.facts["repeats"]
    assert "Near duplicates" in (twice.snapshot / "README.md").read_text(encoding="utf-8")
    texts = {(row["perturbed_query"].strip(), row["perturbed_context"]) for row in snapshot.read_rows()}
    assert len(texts) == len(snapshot.read_rows())
    # As a snapshot from before the rule states it: everything accepted is in.
    old = SelectionPlan("natural", seed=7)
    with reading(tmp_path / "twice") as db:
        plan = current_plan(db, tmp_path / "twice")
        assert len(select_items(db, plan, old).ids) == twice.facts["accepted"]
