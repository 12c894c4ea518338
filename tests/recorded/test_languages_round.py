"""The recorded round in German and Chinese: built again from the replies, split by language, exported with it."""

from __future__ import annotations

import csv
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from perturb.auditing.audit_report import audit
from perturb.auditing.shortcuts import measure_shortcuts
from perturb.building.results import BuildReport
from perturb.building.run import build
from perturb.config import load_config
from perturb.files.resources import data_folder, demo_recording
from perturb.llm.recording import Replay, read_recording
from perturb.reports.audit_page import make_page
from perturb.snapshots.items import items_of
from perturb.snapshots.snapshot import Snapshot, check_snapshot, read_snapshot
from perturb.text.wording import LANGUAGES
from tests.building import perturb, write_rows

READINGS = Path(__file__).with_name("languages-readings.csv")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> BuildReport:
    config = load_config(data_folder("base_sets") / "languages.build.yaml")
    config = config.model_copy(update={"select": config.select.model_copy(update={"controls": True})})
    run = tmp_path_factory.mktemp("languages") / "run"
    return build(config, run, replay=Replay(read_recording(demo_recording("languages") or Path())))


@pytest.fixture(scope="module")
def snapshot(built: BuildReport) -> Snapshot:
    assert built.snapshot is not None
    return read_snapshot(built.snapshot)


def test_every_reply_is_found_and_passes_the_checks(built: BuildReport) -> None:
    facts = built.facts
    assert (facts["jobs"], facts["candidates"], facts["accepted"]) == (60, 60, 57)
    assert facts["missing_replies"] == []
    assert not [warning for warning in built.warnings if "earlier version of the prompts" not in warning]


def test_rows_card_and_controls_carry_the_language(snapshot: Snapshot) -> None:
    rows = snapshot.read_rows()
    assert Counter(row["language"] for row in rows) == {"de": 28, "zh": 29}
    assert all(row["source_id"].startswith(row["language"]) for row in rows)
    assert {row["language"] for row in snapshot.read_controls()} == {"de", "zh"}
    card = (snapshot.folder / "README.md").read_text("utf-8")
    assert yaml.safe_load(card.split("---")[1])["language"] == ["de", "zh"]
    assert "| German (de) | 28 |" in card
    assert check_snapshot(snapshot.folder) == ()


def test_the_audit_is_split_by_language(built: BuildReport) -> None:
    rates = {pass_rate.name: pass_rate for pass_rate in audit(built.run, resamples=20).pass_rates["language"]}
    assert {name: one.n for name, one in rates.items()} == {"de": 60, "zh": 60}
    shown = perturb("audit", built.run, "--resamples", "20")
    assert "Pass rate by language" in shown.stdout
    page = make_page(built.run, resamples=20)
    names = {figure.name for section in page.sections for figure in section.figures}
    assert "pass-rates-by-language" in names
    assert page.browser is not None
    assert page.browser.filters["language"] == ["de", "zh"]


def test_shortcuts_and_items_know_the_language(snapshot: Snapshot) -> None:
    items = list(items_of(snapshot.read_rows()))
    assert {item.language for item in items} == {"de", "zh"}
    by = measure_shortcuts("x", items, resamples=20).scores[0].by
    assert [group.name for group in by["language"]] == ["de", "zh"]
    english = [replace(item, language="en") for item in items]
    assert "language" not in measure_shortcuts("x", english, resamples=20).scores[0].by


def test_scores_are_split_by_language(snapshot: Snapshot, tmp_path: Path) -> None:
    rows = [
        {
            **{"item_id": item.id, "model": "m", "base_id": item.base_id, "language": item.language},
            **{"perturbation_class": str(item.cell.perturbation_class), "intensity": item.intensity},
            "expected_rag_behavior": item.expected_behavior,
            "predicted": item.expected_behavior if item.language == "de" else "REFUSE_OTHER",
            "quality": 5 if item.answerable and item.language == "de" else None,
        }
        for item in items_of(snapshot.read_rows())
    ]
    path = tmp_path / "r.jsonl"
    write_rows(path, rows)
    said = perturb("score", path, "--json", "--resamples", "20")
    by = said.json["models"][0]["by_language"]
    assert {name: one["refusal_accuracy"]["value"] for name, one in by.items()} == {"de": 1.0, "zh": 0.0}
    assert "By language" in perturb("score", path, "--all", "--resamples", "20").stdout
    path.write_text("".join(json.dumps({**row, "language": "de"}) + "\n" for row in rows), encoding="utf-8")
    said = perturb("score", path, "--json", "--resamples", "20")
    assert said.json["models"][0]["by_language"] == {}


def test_a_model_under_test_and_its_judge_read_both_languages(tmp_path: Path) -> None:
    run = str(tmp_path / "run")
    replies = str(READINGS.with_name("languages-evaluation.jsonl.gz"))
    made = perturb("evaluate", "--replay", replies, "--out", run, "--json")
    assert made.json["missing_replies"] == []
    said = perturb("score", run, "--json", "--resamples", "20")
    by = said.json["models"][0]["by_language"]
    assert {name: one["refusal_rate"]["n"] for name, one in by.items()} == {"de": 28, "zh": 29}
    assert {
        one[metric]["value"] for one in by.values() for metric in ("answer_accuracy", "refusal_accuracy")
    } == {1.0}


def test_what_the_reader_found_is_what_the_docs_say(snapshot: Snapshot) -> None:
    read = list(csv.DictReader(READINGS.read_text("utf-8").splitlines()))
    known = {row["id"]: row["language"] for row in snapshot.read_rows()}
    own = [row for row in read if not row["planted"]]
    assert all(known[row["id"]] == row["language"] in LANGUAGES for row in own)
    fit = Counter(row["language"] for row in own if row["fit"] == "1")
    assert (len(own), sum(row["label"] == "1" for row in own), fit) == (56, 56, {"de": 25, "zh": 27})
    assert all(row["label"] == "0" for row in read if row["planted"])
    measured = Path(__file__).parents[1] / "measurements.md"
    assert "| German | 30 | 28 | 28 of 28 | 25 of 28 | 3.8 |" in measured.read_text("utf-8")
