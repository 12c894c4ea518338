"""Which practices of BetterBench a snapshot meets, by what its manifest says."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from perturb.snapshots.card import ExportedReplies
from perturb.snapshots.publish import check_practices
from perturb.snapshots.snapshot import write_snapshot
from tests.building import perturb
from tests.snapshots.test_snapshot import facts, rows_of

FIGURE = {"value": 0.9, "low": 0.8, "high": 1.0, "reason": None}
MEASURED: dict[str, Any] = {
    "agreement": {"candidates": 9, "note": None, "figures": {"raw agreement": FIGURE}},
    "certificate": {
        **{"planted": 24, "caught": 24, "right": 18, "failed_right": 0, "wrong_labels": FIGURE},
        **{"by_verifier": {}, "panel": {"false_pass": FIGURE, "false_fail": FIGURE}},
    },
    "people": {**FIGURE, "n": 30},
    "shortcuts": {"note": None, "chance": {}, "figures": {}},
    "replies": ExportedReplies(Path("replies.jsonl.gz"), "0" * 64, 9),
    "created": datetime(2026, 11, 1, tzinfo=UTC),
}
OPEN = {
    "Experts of the domain took part": "people",
    "Random performance is known": "shortcuts",
    "Automatic judgements are validated": "agreement",
    "Labels are validated": "certificate",
    "Results can be replicated": "replies",
    "The licence is stated": None,
    "The date of the last check is known": "created",
}
"""Practice -> the fact that it needs."""


def test_each_practice_is_met_by_the_fact_that_it_needs_and_by_no_other(tmp_path: Path) -> None:
    for left_out in (None, *MEASURED):
        given = {name: value for name, value in MEASURED.items() if name != left_out}
        snapshot = write_snapshot(tmp_path / "s", rows_of(4, licence="MIT"), facts(**given), "")
        missed = {
            check_practice.name
            for check_practice in check_practices(snapshot.manifest)
            if check_practice.state == "not met"
        }
        assert missed == {name for name, fact in OPEN.items() if fact and fact == left_out}


def test_a_bare_snapshot_lists_what_is_missing_and_how_to_get_it(tmp_path: Path) -> None:
    snapshot = write_snapshot(tmp_path / "s", rows_of(4), facts(), "")
    done = perturb("verify-snapshot", snapshot.folder, "--checklist", "--json")
    listed = json.loads(done.stdout)["checklist"]
    assert {one["name"] for one in listed if one["state"] == "not met"} == set(OPEN)
    assert {one["stage"] for one in listed} == {"design", "implementation", "documentation", "maintenance"}
    assert any(one["state"] == "unknown" for one in listed)
    shown = perturb("verify-snapshot", snapshot.folder, "--checklist").stdout
    assert "not met  Labels are validated (nothing was planted: build with `panel: {planted: 24}`)" in shown
