"""The CSV sheet: what is written comes back, and what cannot be understood is refused with its row."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest

from perturb.auditing.review_exports import read_sheet, sheet_text
from perturb.auditing.review_items import CandidateItem, load_items
from perturb.auditing.rubric import QUESTION_NAMES, draw_candidates
from perturb.errors import ConfigError, SourceError
from perturb.ledger.evaluations import ReviewLedger
from perturb.ledger.plans import current_plan
from tests.review.made_run import NASTY, make_run

HEADER = ",".join(("candidate_id", *QUESTION_NAMES, "comment"))


@pytest.fixture
def items(tmp_path: Path) -> tuple[CandidateItem, ...]:
    run = make_run(tmp_path / "run", per_cell=1, text=NASTY, several=True)
    with ReviewLedger.of_run(run) as ledger:
        plan = current_plan(ledger.db, run)
        ledger.replace_sample(*draw_candidates(ledger.db, plan, per_cell=1))
        return tuple(item for item in load_items(ledger.db, run) if isinstance(item, CandidateItem))


def write(folder: Path, *rows: str, header: str = HEADER) -> Path:
    path = folder / "sheet.csv"
    path.write_text("\n".join((header, *rows)) + "\n", encoding="utf-8")
    return path


def test_a_sheet_comes_back_with_its_answers(items: tuple[CandidateItem, ...], tmp_path: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(sheet_text(items), newline="")))
    assert [row["candidate_id"] for row in rows] == [item.id for item in items]
    assert list(rows[0]) == [*items[0].values, *QUESTION_NAMES, "comment"]
    assert NASTY in rows[0]["perturbed_context"]
    assert "[-1968-]{+June 1969+}" in rows[0]["change"]
    assert "Ferry" not in rows[0]["change"]
    for row in rows:
        row.update(dict.fromkeys(QUESTION_NAMES, "Yes"))
    rows[1]["intensity_achieved"] = "n"
    rows[2]["comment"] = "line one\nline two"
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, list(rows[0]), delimiter=";")
    writer.writeheader()
    writer.writerows(rows)
    path = tmp_path / "filled.csv"
    path.write_bytes(b"\xef\xbb\xbf" + out.getvalue().encode())
    answers = read_sheet(path, items, "ann")
    assert len(answers) == 5 * len(items) + 1
    given = {(item_id, question): answer for item_id, _, question, answer in answers}
    assert given[items[1].id, "intensity_achieved"] == "no"
    assert given[items[2].id, "comment"] == "line one\nline two"


def test_a_text_cannot_become_a_formula(items: tuple[CandidateItem, ...]) -> None:
    candidate = replace(items[0].candidate, query="=HYPERLINK(1)")
    (row,) = csv.DictReader(io.StringIO(sheet_text([replace(items[0], candidate=candidate)]), newline=""))
    assert row["perturbed_query"] == "'=HYPERLINK(1)"


def test_unknown_columns_are_passed_over_and_annotators_may_be_named_in_the_sheet(
    items: tuple[CandidateItem, ...], tmp_path: Path
) -> None:
    row = f"{items[0].id},yes,,,,,fine,ben,9"
    answers = read_sheet(write(tmp_path, row, header=HEADER + ",annotator,lead_time"), items, "ann")
    assert [answer[1:] for answer in answers] == [
        ("ben", "lever_fidelity", "yes"),
        ("ben", "comment", "fine"),
    ]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "no rows: give"),
        (["c1,maybe,,,,,"], "row 2: 'lever_fidelity' is 'maybe': write yes or no"),
        (["c1,yes,,,,,", "c9,yes,,,,,"], "row 3: candidate_id 'c9' is not in the sample"),
        (["c1,yes,,,,,", "c1,no,,,,,"], "row 3: the same item and annotator as in row 2"),
    ],
)
def test_what_cannot_be_understood_is_refused_with_its_row(
    rows: list[str], message: str, items: tuple[CandidateItem, ...], tmp_path: Path
) -> None:
    rows = [row.replace("c1", items[0].id) for row in rows]
    with pytest.raises(SourceError, match=message) as caught:
        read_sheet(write(tmp_path, *rows), items, "ann")
    assert "\n" not in str(caught.value)


def test_files_that_are_no_sheet_are_refused(items: tuple[CandidateItem, ...], tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no such file"):
        read_sheet(tmp_path / "none.csv", items, "ann")
    with pytest.raises(SourceError, match="no column 'lever_fidelity'"):
        read_sheet(write(tmp_path, "c1", header="candidate_id"), items, "ann")
    with pytest.raises(SourceError, match="names no annotator"):
        read_sheet(write(tmp_path, "c1,yes,,,,,"), items)
    with pytest.raises(ConfigError, match="1 to 60 printable characters"):
        read_sheet(write(tmp_path, "c1,yes,,,,,"), items, "a\tb")
    path = tmp_path / "latin.csv"
    path.write_bytes("candidate_id,é".encode("latin-1"))
    with pytest.raises(SourceError, match="not UTF-8 text at byte 13: save the file as UTF-8"):
        read_sheet(path, items, "ann")
