"""Figures from reviews: against counts made by hand."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from perturb.auditing.review_agreement import HumanReport, measure_review
from perturb.auditing.rubric import QUESTION_NAMES, draw_candidates
from perturb.errors import LedgerError
from perturb.ledger.calls import open_read_only
from perturb.ledger.evaluations import ReviewLedger
from perturb.ledger.plans import current_plan
from perturb.reports.review_sections import review_section
from perturb.snapshots.rows import read_part
from perturb.snapshots.snapshot import read_snapshot
from tests.building import perturb
from tests.review.made_run import make_run


def review(run: Path, verdicts: dict[str, Iterable[bool | None]]) -> list[str]:
    """Draw 36 items, a third rejected by cedar, and let each annotator judge them; None leaves one unfinished."""
    with ReviewLedger.of_run(run) as ledger:
        plan = current_plan(ledger.db, run)
        drawn, facts = draw_candidates(ledger.db, plan, per_cell=2, population="decided")
        ids = sorted(drawn)
        ledger.replace_sample(ids, facts)
        for name, words in verdicts.items():
            for candidate_id, word in zip(ids, words, strict=False):
                answers = dict.fromkeys(QUESTION_NAMES, "yes")
                answers["linguistic_soundness"] = "yes" if word else "no"
                if word is None:
                    del answers["lever_fidelity"]
                for question, answer in answers.items():
                    ledger.record_answer(candidate_id, name, question, answer)
    return ids


def measure(run: Path) -> HumanReport:
    with open_read_only(run) as db:
        return measure_review(db, current_plan(db, run), run)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return make_run(tmp_path / "run", per_cell=2)


def test_rates_of_one_annotator(run: Path) -> None:
    ids = review(run, {"ann": [i % 4 != 0 for i in range(36)]})
    report = measure(run)
    overall = report.pass_rates["all"][0]
    assert (report.items, report.reviewed, report.split) == (36, 36, 0)
    assert (overall.n, overall.rate) == (36, 0.75)
    assert overall.low == pytest.approx(0.5893, abs=1e-4)  # Wilson for 27 of 36
    assert overall.high == pytest.approx(0.8625, abs=1e-4)
    assert [rate.n for rate in report.pass_rates["class"]] == [6] * 6
    assert [rate.n for rate in report.pass_rates["cell"]] == [2] * 18
    assert {rate.name: rate.rate for rate in report.questions} == {
        **dict.fromkeys(QUESTION_NAMES, 1.0),
        "linguistic_soundness": 0.75,
    }
    assert report.agreement.mean_kappa.reason == "agreement takes two raters; there is one"
    # made_run rejects each third candidate; people fail each fourth.
    accepted = [i for i in range(36) if i % 3 != 2]
    assert len(ids) == 36
    assert report.panel.passed.n == len(accepted)
    assert report.panel.passed.rate == sum(i % 4 != 0 for i in accepted) / len(accepted)
    assert report.panel.failed.rate == 3 / 12
    assert [verifier.name for verifier in report.verifiers] == ["birch", "cedar"]
    assert report.verifiers[0].kappa.reason == "birch passed every item"
    assert report.verifiers[1].passed == replace(report.panel.passed, name="cedar")


def test_agreement_of_two_annotators_and_split_items(run: Path) -> None:
    review(run, {"ann": [i % 2 == 0 for i in range(36)], "ben": [i % 2 == 0 or i < 6 for i in range(36)]})
    report = measure(run)
    (pair,) = report.agreement.pairs
    assert (pair.a, pair.b, pair.n) == ("ann", "ben", 36)
    assert pair.agreement.value == pytest.approx(33 / 36)
    assert pair.kappa.value == pytest.approx(((33 / 36) - 0.5) / 0.5)
    assert report.split == 3
    assert report.pass_rates["all"][0].rate == 0.5
    assert report.stand_in is not None
    assert [person.annotator for person in report.stand_in.people] == ["ann", "ben"]
    assert report.stand_in.people[0].n == 36
    shown = perturb("review", run, "report").stdout
    assert "stand in for a person" in shown
    assert "Alternative-annotator test" in shown
    shown = " ".join(shown.split())
    assert "base instances are independent" in shown


def test_three_annotators_decide_by_majority(run: Path) -> None:
    review(run, {"ann": [True] * 36, "ben": [True] * 18 + [False] * 18, "eve": [False] * 36})
    report = measure(run)
    assert (report.split, report.pass_rates["all"][0].rate) == (0, 0.5)


def test_unfinished_reviews_count_for_nothing(run: Path) -> None:
    review(run, {"ann": [True, None, None], "ben": [None]})
    report = measure(run)
    assert report.reviewed == 1
    assert [(annotator.name, annotator.finished, annotator.begun) for annotator in report.annotators] == [
        ("ann", 1, 2),
        ("ben", 0, 1),
    ]
    assert report.annotators[1].pass_rate is None
    # A single item has no interval over base instances; the reason stands beside that interval alone.
    assert sum(bool(getattr(cell, "reason", "")) for cell in review_section(report).tables[0].rows[0]) == 1


def test_json_holds_no_nan(run: Path) -> None:
    review(run, {"ann": [True] * 36, "ben": [True] * 36})
    content = measure(run).to_dict()
    assert json.loads(json.dumps(content, allow_nan=False)) is not None
    assert content["agreement"]["mean_kappa"]["value"] is None
    assert content["drawn"]["population"] == "decided"


def test_no_sample_and_no_finished_review_are_said(run: Path) -> None:
    with pytest.raises(LedgerError, match="no sample yet"):
        measure(run)
    review(run, {})
    with pytest.raises(LedgerError, match="no item has all five answers yet"):
        measure(run)


@pytest.mark.parametrize(("rule", "kept"), [("drop-failed", "unread"), ("only-passed", "passed")])
def test_people_decide_what_is_exported(run: Path, tmp_path: Path, rule: str, kept: str) -> None:
    ids = review(run, {"ann": [i % 4 != 0 for i in range(18)]})
    out = tmp_path / "out"
    done = perturb("export", run, "--out", out, "--strategy", "natural", "--reviewed", rule)
    assert done.returncode == 0, done.stdout
    accepted = {one for place, one in enumerate(ids) if place % 3 != 2}
    failed = {one for place, one in enumerate(ids[:18]) if place % 4 == 0}
    wanted = accepted - failed if kept == "unread" else accepted & (set(ids[:18]) - failed)
    snapshot = read_snapshot(out)
    assert {
        row["id"] for path in snapshot.data_files.values() for row in read_part(path).to_pylist()
    } == wanted
    people = snapshot.manifest["people"]
    seen = accepted & set(ids[:18])
    assert people["n"] == len(seen)
    assert people["value"] == pytest.approx(len(seen - failed) / len(seen))
    assert people["low"] < people["value"] < people["high"]
    card = (out / "README.md").read_text(encoding="utf-8")
    assert card.index("People passed") < card.index("test items")


def test_an_export_that_asks_for_people_needs_some(run: Path, tmp_path: Path) -> None:
    done = perturb("export", run, "--out", tmp_path / "out", "--reviewed", "only-passed")
    done.fails("nobody has reviewed")
