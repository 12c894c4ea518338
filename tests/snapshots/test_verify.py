"""Verifying a snapshot: sound ones pass, edited and mislabelled rows are named."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from perturb.catalogue.levers import Catalogue
from perturb.errors import SnapshotError
from perturb.records import ALL_CELLS
from perturb.snapshots.replies import verify_snapshot
from perturb.snapshots.rows import SnapshotRow, row_digest
from perturb.snapshots.snapshot import write_snapshot
from tests.building import perturb
from tests.snapshots.test_snapshot import facts, rows_of

CATALOGUE = Catalogue.load()


def sound_rows() -> list[SnapshotRow]:
    """One row of each cell that keeps every rule."""
    rows = []
    for row, cell in zip(rows_of(len(ALL_CELLS)), ALL_CELLS, strict=True):
        target = CATALOGUE.classes[cell.perturbation_class].target
        row |= {
            "lever_selected": CATALOGUE.levers_of(cell)[0].name,
            "expected_answer": CATALOGUE.levers_of(cell)[0].answer or None,
            "expected_rag_behavior": CATALOGUE.expected_behavior(cell),
            "verifier_votes": [{**row["verifier_votes"][0], "verdict": "pass"}],
        }
        for part in {"query", "context"} - target:
            row[f"perturbed_{part}"] = row[f"original_{part}"]
        rows.append(sealed(row))
    return rows


def sealed(row: SnapshotRow) -> SnapshotRow:
    return {**row, "row_digest": row_digest(row)}


def write(folder: Path, rows: list[SnapshotRow]) -> Path:
    digests = {**facts().run.digests, "catalogue": CATALOGUE.digest}
    return write_snapshot(folder, rows, facts({"digests": digests}), "").folder


def test_sound_rows_pass(tmp_path: Path) -> None:
    done = verify_snapshot(write(tmp_path / "s", sound_rows()))
    assert (done.rows, done.problems, done.notes) == (18, (), ())


Edit = Callable[[SnapshotRow], dict[str, Any]]


@pytest.mark.parametrize(
    ("cell", "edit", "problem"),
    [
        (0, lambda row: {"lever_selected": "No such lever"}, "has no lever 'No such lever'"),
        (
            0,
            lambda row: {"lever_selected": CATALOGUE.levers_of(ALL_CELLS[5])[0].name},
            "not to P-Ambiguity/LOW",
        ),
        (0, lambda row: {"expected_rag_behavior": "REFUSE_OTHER"}, "calls for ANSWER_CORRECTLY"),
        (1, lambda row: {"expected_rag_behavior": "ANSWER_CORRECTLY"}, "calls for REFUSE_AMBIGUOUS_QUERY"),
        (
            3,
            lambda row: {"perturbed_query": "Other?"},
            "query was changed, which P-Contradiction does not allow",
        ),
        (
            9,
            lambda row: {"perturbed_context": "Other."},
            "context was changed, which P-FalsePremise does not",
        ),
        (
            3,
            lambda row: {"perturbed_context": row["original_context"]},
            "neither query nor context was changed",
        ),
        (0, lambda row: {"perturbed_query": " "}, "the query is empty"),
        (0, lambda row: {"intensity": "EXTREME"}, "no such cell as P-Ambiguity/EXTREME"),
        (0, lambda row: {"round": "another"}, "is of round 'another'"),
        (0, lambda row: {"verifier_votes": []}, "there is no pass from any verifier"),
    ],
)
def test_a_wrong_row_is_named(tmp_path: Path, cell: int, edit: Edit, problem: str) -> None:
    rows = sound_rows()
    rows[cell] = sealed({**rows[cell], **edit(rows[cell])})
    (found,) = verify_snapshot(write(tmp_path / "s", rows)).problems
    assert found.startswith(f"row {cell} (id 'item-{cell:05d}'): ")
    assert problem in found


def test_an_unanimous_panel_has_no_fail_and_no_unscored_vote(tmp_path: Path) -> None:
    rows = sound_rows()
    votes = [
        {**rows[0]["verifier_votes"][0], "verifier": name, "verdict": name} for name in ("fail", "unscored")
    ]
    rows[0] = sealed({**rows[0], "verifier_votes": votes})
    (found,) = verify_snapshot(write(tmp_path / "s", rows)).problems
    assert "there is no pass from fail, unscored" in found


def test_digests_and_files_are_checked_too(tmp_path: Path) -> None:
    folder = write(tmp_path / "s", sound_rows())
    (folder / "README.md").write_text("", encoding="utf-8")
    assert verify_snapshot(folder).problems == ("README.md: differs from the file that was written",)
    next(folder.rglob("*.parquet")).unlink()
    assert any("missing" in problem for problem in verify_snapshot(folder).problems)


def test_another_catalogue_is_noted(tmp_path: Path) -> None:
    folder = write_snapshot(tmp_path / "s", sound_rows(), facts(), "").folder
    assert "another catalogue" in verify_snapshot(folder).notes[0]


def test_a_folder_without_a_manifest(tmp_path: Path) -> None:
    with pytest.raises(SnapshotError, match="no readable manifest"):
        verify_snapshot(tmp_path)


def test_the_command_exits_with_1_on_problems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write(tmp_path / "s", sound_rows())
    assert perturb("verify-snapshot", folder).returncode == 0
    rows = sound_rows()
    rows[0] = sealed({**rows[0], "expected_rag_behavior": "REFUSE_OTHER"})
    wrong = perturb("verify-snapshot", write(tmp_path / "t", rows), "--json")
    assert (wrong.returncode, json.loads(wrong.stdout)["sound"]) == (1, False)
    monkeypatch.setattr("perturb.cli.publish.MAX_PROBLEMS", 1)
    printed = perturb("verify-snapshot", tmp_path / "t").stdout
    assert printed.count("\n") == 2, "the only problem, and that there is one"
