"""Import files of other tools."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from perturb.auditing.review_exports import answers_table, write_argilla, write_label_studio
from perturb.auditing.review_items import ReviewItem, load_items
from perturb.auditing.rubric import QUESTION_NAMES, draw_candidates
from perturb.ledger.evaluations import ReviewLedger
from perturb.ledger.plans import current_plan
from tests.review.made_run import NASTY, make_run


@pytest.fixture
def items(tmp_path: Path) -> tuple[ReviewItem, ...]:
    run = make_run(tmp_path / "run", per_cell=1, text=NASTY)
    with ReviewLedger.of_run(run) as ledger:
        plan = current_plan(ledger.db, run)
        ledger.replace_sample(*draw_candidates(ledger.db, plan, per_cell=1))
        return load_items(ledger.db, run)


def test_label_studio_finds_every_field_that_its_configuration_shows(
    items: tuple[ReviewItem, ...], tmp_path: Path
) -> None:
    tasks_path, config_path = write_label_studio(items, tmp_path / "ls")
    tasks = json.loads(tasks_path.read_text())
    view = ElementTree.fromstring(config_path.read_text())
    assert len(tasks) == len(items)
    shown = {text.get("value", "")[1:] for text in view.iter("Text")}
    assert shown <= set(tasks[0]["data"])
    assert [one.get("name") for one in view.iter("Choices")] == list(QUESTION_NAMES)
    names = {text.get("name") for text in view.iter("Text")}
    assert {one.get("toName") for one in view.iter("Choices")} <= names
    assert [one.get("value") for one in next(view.iter("Choices"))] == ["yes", "no"]
    assert NASTY in tasks[0]["data"]["perturbed_context"]


def test_argilla_finds_every_field_that_its_settings_name(
    items: tuple[ReviewItem, ...], tmp_path: Path
) -> None:
    paths = write_argilla(items, tmp_path / "argilla", "review-made")
    dataset, settings, records = (json.loads(path.read_text()) for path in paths)
    assert [str(path.relative_to(tmp_path / "argilla")) for path in paths] == [
        ".argilla/dataset.json",
        ".argilla/settings.json",
        "records.json",
    ]
    assert dataset["name"] == "review-made"
    fields = {field["name"] for field in settings["fields"]}
    assert all(set(record["fields"]) == fields for record in records)
    assert all(text for record in records for text in record["fields"].values())
    assert [setting["name"] for setting in settings["questions"]] == [*QUESTION_NAMES, "comment"]
    assert [record["id"] for record in records] == [item.id for item in items]
    assert all(re.fullmatch(r"[a-z0-9_]+", name) for name in fields)


def test_votes_leave_with_no_export(items: tuple[ReviewItem, ...], tmp_path: Path) -> None:
    paths = (*write_label_studio(items, tmp_path / "a"), *write_argilla(items, tmp_path / "b", "n"))
    text = "".join(path.read_text() for path in paths)
    assert not any(word in text for word in ("secret", "cedar", "dune"))


def test_answers_are_one_row_per_item_and_annotator(items: tuple[ReviewItem, ...]) -> None:
    first, second = items[0].id, items[1].id
    reviews = {
        first: {"ann": dict.fromkeys(QUESTION_NAMES, "yes"), "ben": {"comment": "hm, no"}},
        second: {"ann": {**dict.fromkeys(QUESTION_NAMES, "yes"), "lever_fidelity": "no"}},
    }
    rows = list(csv.DictReader(io.StringIO(answers_table(items, reviews), newline="")))
    assert [(row["candidate_id"], row["annotator"], row["verdict"]) for row in rows] == [
        (first, "ann", "pass"),
        (first, "ben", ""),
        (second, "ann", "fail"),
    ]
    assert rows[1]["comment"] == "hm, no"
