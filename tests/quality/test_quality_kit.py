from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from perturb.auditing.rubric import QUESTION_NAMES
from perturb.building.offline.checked_item import CheckedItem, RuleVerdict, verdict
from perturb.errors import SourceError
from perturb.records import ALL_CELLS
from tests.building import write_rows
from tests.quality.__main__ import app
from tests.quality.drawing import draw_items, draw_rejected
from tests.quality.figures import Share, figures_by_cell, figures_by_check
from tests.quality.halves import is_held_out, write_half
from tests.quality.sheets import KEPT, read_sheet, strip_sheet, write_sheet

LOW_CELL = next(cell for cell in ALL_CELLS if str(cell) == "P-MissingInfo/LOW")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    rows = [
        {
            "id": f"s{n}",
            "question": f"who wrote the {name} march",
            "answers": [writer],
            "ctxs": [
                {
                    "title": f"{name} March",
                    "text": f"The {name} March is a tune (an old one). It was written by {writer}. "
                    "The choir of the valley sings it every winter. Its drums are heard far away.",
                    "isgold": True,
                }
            ],
        }
        for n, (name, writer) in enumerate(
            [("Copper", "David Pryce"), ("Harbour", "Ruth Lane"), ("Mill", "Ivo Katz")]
        )
    ]
    path = tmp_path / "source.jsonl"
    return write_rows(path, rows)


def answered(path: Path, **answers: str) -> None:
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row.update(dict.fromkeys(QUESTION_NAMES, "Yes ") | answers)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def test_a_draw_repeats_itself_and_takes_an_instance_once_in_a_cell(source: Path) -> None:
    items = draw_items(source, 5, 2, [LOW_CELL])
    assert [i.digest for i in items] == [i.digest for i in draw_items(source, 5, 2, [LOW_CELL])]
    assert len(items) == 2
    assert len({item.original.id for item in items}) == 2
    assert {item.candidate.cell for item in items} == {LOW_CELL}
    assert len(draw_items(source, 5, 9, [LOW_CELL])) <= 3


def test_a_filled_sheet_gives_figures_and_loses_its_texts(source: Path, tmp_path: Path) -> None:
    sheet, kept = tmp_path / "sheet.csv", tmp_path / "kept.csv"
    write_sheet(sheet, draw_items(source, 5, 2, [LOW_CELL]), 5)
    with pytest.raises(SourceError, match="line 2"):
        read_sheet(sheet)
    with pytest.raises(SourceError, match="already"):
        write_sheet(sheet, [], 5)
    answered(sheet, linguistic_soundness="no")
    cell, low, everything = figures_by_cell(read_sheet(sheet))
    assert (cell.fit, cell.labelled) == (Share(0, 2), Share(2, 2))
    assert low.labelled == everything.labelled == Share(2, 2)
    strip_sheet(sheet, kept)
    assert "choir" not in kept.read_text(encoding="utf-8")
    assert kept.read_text(encoding="utf-8").splitlines()[0] == ",".join(KEPT)
    assert read_sheet(kept) == read_sheet(sheet)


def test_a_sheet_with_an_item_twice_is_refused(source: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.csv"
    item = draw_items(source, 5, 1, [LOW_CELL])[0]
    write_sheet(sheet, [item, item], 5)
    answered(sheet)
    with pytest.raises(SourceError, match="twice"):
        read_sheet(sheet)


def test_the_halves_part_the_questions_and_follow_their_digits(tmp_path: Path) -> None:
    source = tmp_path / "all.jsonl"
    rows = [{"id": f"nq-{n:04}"} for n in range(40)] + [{"sample_id": f"nqg-{n:04}"} for n in range(40)]
    write_rows(source, rows)
    halves = [
        write_half(source, half, tmp_path / half).read_text(encoding="utf-8").splitlines()
        for half in ("development", "held-out")
    ]
    assert sorted(halves[0] + halves[1]) == sorted(map(json.dumps, rows))
    assert all(10 < len(half) < 70 for half in halves)
    assert all(is_held_out(f"nq-{n:04}") == is_held_out(f"nqg-{n:04}") for n in range(40))


def test_a_share_is_shown_with_its_interval() -> None:
    assert str(Share(17, 20)) == "17/20 85 % (64-95)"


def test_commands(source: Path, tmp_path: Path) -> None:
    run = CliRunner()
    sheet = tmp_path / "sheet.csv"
    assert run.invoke(app, ["draw", str(source), str(sheet), "--seed", "3", "--per-cell", "1"]).exit_code == 0
    answered(sheet)
    shown = run.invoke(app, ["figures", str(sheet), "--levers"])
    assert shown.exit_code == 0
    assert "P-MissingInfo/LOW" in shown.output
    assert "1/1 100 %" in shown.output
    told = run.invoke(app, ["yield", str(source), "--seed", "3", "--half", "both"])
    rows = dict(line.strip("| ").split(" | ", 1) for line in told.output.splitlines())
    assert len(rows) == len(ALL_CELLS)
    assert rows["P-MissingInfo/LOW"].endswith("| 3")
    assert rows["P-Ambiguity/HIGH"] == "0 | 0 | 0"


def test_rejected_items_are_drawn_with_the_checks_that_reject_them(source: Path, tmp_path: Path) -> None:
    def refuse(item: CheckedItem) -> RuleVerdict:
        return verdict(item, {"target_compliance": ["no"]})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tests.quality.drawing.CHECKS", {"fluency": refuse})
        patch.setattr("perturb.building.offline.judge.CHECKS", {"fluency": refuse})
        items = draw_rejected(source, 5, 2, [LOW_CELL])
    assert [item.rejected_by for item in items] == [("fluency",)] * 2
    sheet, kept = tmp_path / "rejected.csv", tmp_path / "kept.csv"
    write_sheet(sheet, items, 5)
    answered(sheet)
    strip_sheet(sheet, kept)
    (found,) = figures_by_check(read_sheet(kept))
    assert (found.group, found.fit) == ("fluency", Share(2, 2))


def test_what_cannot_be_read_is_told_in_one_line() -> None:
    command = [sys.executable, "-m", "tests.quality", "draw", "none.jsonl", "sheet.csv", "--seed", "1"]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode == 2
    assert ended.stderr == "none.jsonl: no such file: check the path\n"
