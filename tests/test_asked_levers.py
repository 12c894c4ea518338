"""Levers that ask a question of their own, with an answer of its own: the paper's EpistemicMismatch/LOW."""

from __future__ import annotations

from pathlib import Path

import pytest

from perturb.catalogue.levers import Catalogue
from perturb.catalogue.prompts import Prompts
from perturb.errors import CatalogueError
from perturb.ledger.calls import reading
from perturb.ledger.plans import current_plan
from perturb.records import ALL_CELLS, Cell, Intensity, PerturbationClass
from perturb.snapshots.items import items_of
from perturb.snapshots.replies import verify_snapshot
from perturb.snapshots.snapshot import read_snapshot
from tests.building import content_of, run_build, serve

LOW = Cell(PerturbationClass("P-EpistemicMismatch"), Intensity.LOW)
PAPERS = {
    "Undesirable Effect Obvious": "Yes",
    "Weak Possibility vs. High Likelihood": "Yes",
    "Heavier is Factual": "No",
    "Commonness from Percentage": "Yes",
    "Binary Desirability": "No",
}
"""The five levers of the paper's table, with the answers of its examples."""
CELLS = (
    {"class": "P-EpistemicMismatch", "intensity": "LOW"},
    {"class": "P-EpistemicMismatch", "intensity": "HIGH"},
)


SIDE = Path("levers/side-clause")


@pytest.fixture(scope="module")
def side_clause() -> Catalogue:
    return Catalogue.load([SIDE])


def test_the_question_asks_the_evaluative_word_unless_a_folder_says_otherwise(side_clause: Catalogue) -> None:
    default = Catalogue.load()
    answers = {lever.name: lever.answer for lever in default.levers_of(LOW)}
    assert {name: answers[name] for name in PAPERS} == PAPERS
    assert set(answers.values()) == {"Yes", "No"}
    assert not any(lever.answer for lever in side_clause.levers)
    assert [lever.name for lever in side_clause.levers] == [lever.name for lever in default.levers]
    changed = [cell for cell in ALL_CELLS if side_clause.cell_digest(cell) != default.cell_digest(cell)]
    assert changed == [LOW]


def test_prompts_change_in_that_cell_only(side_clause: Catalogue) -> None:
    ours, theirs = Prompts(side_clause), Prompts(Catalogue.load())
    for name in ("generate", "verify"):
        assert ours.version(name, "single") != theirs.version(name, "single")
    names = tuple(PAPERS)
    asked = theirs._system("generate", "single", LOW, names)
    assert "- Heavier is Factual: No" in asked
    assert "can still get the original answer" not in asked
    assert "can still get the original answer" in ours._system("generate", "single", LOW, names)
    verified = theirs._system("verify", "several", LOW, names, chosen="Binary Desirability")
    assert 'Its answer must be "No", derivable from the passages' in verified
    high = Cell(LOW.perturbation_class, Intensity.HIGH)
    levers = tuple(lever.name for lever in side_clause.levers_of(high))
    assert theirs._system("verify", "single", high, levers) == ours._system("verify", "single", high, levers)


def test_rows_carry_the_expected_answer_and_models_are_graded_by_it(tmp_path: Path) -> None:
    with serve() as server:
        content = content_of(server.url, cells=list(CELLS))
        content["select"] = {"strategy": "natural", "controls": True}
        report = run_build(tmp_path, content)
    assert report.snapshot is not None
    assert verify_snapshot(report.snapshot).problems == ()
    assert any("expected_answer" in problem for problem in verify_snapshot(report.snapshot, [SIDE]).problems)
    rows = read_snapshot(report.snapshot).read_rows()
    assert {row["intensity"] for row in rows} == {"LOW", "HIGH"}
    answers = {lever.name: lever.answer for lever in Catalogue.load().levers}
    for row, item in zip(rows, items_of(rows), strict=True):
        if row["intensity"] == "LOW":
            answer = answers[row["lever_selected"]]
            assert (row["expected_answer"], item.answers) == (answer, (answer,))
        else:
            assert row["expected_answer"] is None
            assert list(item.answers) == row["original_answers"]


def test_a_snapshot_of_embedded_levers_is_verified_without_naming_them(tmp_path: Path) -> None:
    with serve() as server:
        report = run_build(tmp_path, content_of(server.url, cells=list(CELLS), levers=[str(SIDE)]))
    assert report.snapshot is not None
    assert "levers:\n- levers/side-clause\n" in (report.snapshot / "build.yaml").read_text(encoding="utf-8")
    done = verify_snapshot(report.snapshot)
    assert (done.problems, done.notes) == ((), ())
    assert "expected_answer" not in read_snapshot(report.snapshot).read_rows()[0]
    with reading(report.snapshot.parent) as db:
        catalogue = current_plan(db, report.snapshot.parent).load_catalogue()
    assert catalogue.digest == Catalogue.load([SIDE]).digest


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("replaces: [HIGH]\ncriteria: {LOW: x}", "'criteria' of P-EpistemicMismatch is fixed"),
        ("criteria: {LOW: x}", "'criteria' of P-EpistemicMismatch is fixed"),
        ("", "has an 'answer': only LOW items are answered"),
    ],
)
def test_what_a_folder_may_not_replace(tmp_path: Path, text: str, problem: str) -> None:
    lever = (
        "levers:\n  - name: Own\n    intensity: HIGH\n    answer: 'Yes'\n    instruction: Ask something quite else.\n"
        "    illustration: {query: a, context: b, expected: REFUSE_NONFACTUAL_QUERY}\n"
    )
    (tmp_path / "own.yaml").write_text(f"class: P-EpistemicMismatch\n{text}\n{lever}", encoding="utf-8")
    with pytest.raises(CatalogueError, match=problem):
        Catalogue.load([tmp_path])
