"""`perturb score RUN --review`: scores corrected by the people who graded what a judge graded."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

import perturb as api
from perturb.records import Item
from tests.building import perturb
from tests.review.judged_run import SECRETS, draw, give, make_evaluated


@pytest.fixture
def reviewed(tmp_path: Path) -> Path:
    """All replies graded: people find half of the qualities too high, and a third of the answers refusals."""
    run = make_evaluated(tmp_path / "run")
    answers = {}
    for one in draw(run):
        even = one.position % 2 == 0
        if one.kind == "classification":
            answers[one.id] = {"predicted": "ANSWER" if one.position % 3 else "REFUSE_OTHER"}
        elif one.kind == "quality":
            answers[one.id] = {"quality": "5" if even else "2"}
        else:
            answers[one.id] = {
                "eligible": "yes",
                "factual_all": "yes",
                "factual_signal": "yes" if even else "no",
            }
    give(run, "ann", answers)
    return run


def scores(*arguments: object) -> dict[str, Any]:
    """The metrics of the one model."""
    done = perturb("score", *arguments, "--json")
    content = done.json
    return {**content["models"][0]["metrics"], "judge_errors": content.get("judge_errors")}


def test_grades_of_every_reply_replace_the_judges(reviewed: Path) -> None:
    found = scores(reviewed, "--review")
    graded = [one for one in draw(reviewed) if one.kind == "classification" and isinstance(one.subject, Item)]
    unanswerable = [one for one in graded if not one.subject.answerable]
    share = sum(one.position % 3 != 0 for one in unanswerable) / len(unanswerable)
    missed = found["missed_refusal_rate"]["corrected"]
    assert found["missed_refusal_rate"]["value"] == 1.0
    assert missed["value"] == pytest.approx(share)
    assert missed["n_human"] == len(unanswerable)
    assert missed["low"] < missed["value"] < missed["high"]
    assert "corrected" not in found["detection_f1"]


def test_the_judges_errors_stand_by_model(reviewed: Path) -> None:
    errors = scores(reviewed, "--review")["judge_errors"]
    quality = next(error for error in errors if error["kind"] == "quality")
    assert quality["model"] == SECRETS[1]
    assert quality["false_pass"]["value"] == 1.0
    assert quality["false_fail"]["value"] == 0.0


def test_a_table_of_answers_says_the_same_as_the_ledger(reviewed: Path, tmp_path: Path) -> None:
    perturb("review", reviewed, "export", "--to", "answers", "--out", tmp_path)
    table = tmp_path / "answers.csv"
    assert scores(reviewed, "--review", table) == scores(reviewed, "--review")
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    with table.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows({**row, "predicted": row["predicted"] and "ANSWER"} for row in rows)
    changed = scores(reviewed, "--review", table)["missed_refusal_rate"]["corrected"]
    assert changed["value"] == pytest.approx(1.0)


def test_python_corrects_as_the_command_does(reviewed: Path, tmp_path: Path) -> None:
    perturb("review", reviewed, "export", "--to", "answers", "--out", tmp_path)
    wanted = scores(reviewed, "--review")["missed_refusal_rate"]
    for review in (True, tmp_path / "answers.csv"):
        found = api.score(reviewed, review=review).to_dict()
        assert found["models"][0]["metrics"]["missed_refusal_rate"] == wanted
    assert api.Evaluation(reviewed).score(review=True).judge_errors
    assert api.score(reviewed).judge_errors is None


def test_the_page_shows_what_people_change(reviewed: Path) -> None:
    done = perturb("score", reviewed, "--review")
    assert "Corrected by people's grades" in done.stdout
    assert "How often the judge errs" in done.stdout


def test_scores_without_grades_are_as_they_were(reviewed: Path) -> None:
    found = scores(reviewed)
    assert found["judge_errors"] is None
    assert not any("corrected" in one for one in found.values() if one)


@pytest.mark.parametrize("drawn", [True, False])
def test_a_run_that_nobody_graded_is_refused(tmp_path: Path, drawn: bool) -> None:
    run = make_evaluated(tmp_path / "run")
    if drawn:
        draw(run)
    done = perturb("score", run, "--review")
    done.fails("nobody has graded a reply")
