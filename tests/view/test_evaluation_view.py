"""What the live page tells of an evaluation: outcomes as the scores have them, disagreement, judges' words."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from perturb.catalogue.levers import Catalogue
from perturb.evaluation.results import judgement_fingerprint, read_run
from perturb.ledger.evaluations import KEYS_FACT, EvaluationLedger
from perturb.records import ALL_CELLS, Item, Judgement, JudgementStatus, Passage, Response, ResponseStatus
from perturb.reports.build_view import Filters
from perturb.reports.site import open_view
from perturb.scoring.table import result_table

PREDICTED = {"one": ["ANSWER", "REFUSE_AMBIGUOUS_QUERY"], "two": ["ANSWER", "ANSWER"]}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A LOW and a MEDIUM item; `two` misses the refusal, and its reply to the first item is not graded any more."""
    catalogue = Catalogue.load()
    items = [
        Item(
            f"i{n}", "b", cell, catalogue.expected_behavior(cell), "Who?", (Passage("Ada, 100%."),), ("Ada",)
        )
        for n, cell in enumerate(ALL_CELLS[:2])
    ]
    facts = {"variant": "plain", "fingerprint": "f", "authors": ["judge"], "judge": None}
    with EvaluationLedger(tmp_path / "run") as ledger:
        ledger.add_items((one.id, one.to_payload()) for one in items)
        ledger.write_fact("snapshot", {"name": "small", "digest": "d", "round": "r"})
        ledger.write_fact("models", dict.fromkeys(PREDICTED, facts))
        for model, predicted in PREDICTED.items():
            for item, word in zip(items, predicted, strict=True):
                text = f"{model} says Ada"
                ledger.record_response(
                    Response(item.id, model, "plain", ResponseStatus.ANSWERED, text, fingerprint="f")
                )
                said: dict[str, dict[str, Any]] = {"classification": {"predicted": word}}
                if item.answerable:
                    said["quality"] = {"quality": 5}
                for kind, value in said.items():
                    author = "another" if (model, kind) == ("two", "quality") else "judge"
                    ledger.record_judgement(
                        Judgement(
                            *(item.id, model, "plain", kind, "judge", JudgementStatus.READ, value),
                            *(f"as {kind}", judgement_fingerprint(author, text)),
                        )
                    )
    return tmp_path / "run"


def test_outcomes_are_those_of_the_scores(run: Path) -> None:
    rows = [("here", result.to_dict()) for result in read_run(run).results]
    scored = {
        f"{row.item_id} {model.model}: {row.outcome.replace('_', ' ')}"
        for model in result_table(rows, "here").models
        for row in model.rows
    }
    with closing(open_view(run)) as view:
        items = view.find(Filters({}))["items"]
        assert [item["verdict"].split("\n") for item in items] == [
            ["one: correct answer", "two: ungraded answer"],
            ["one: correct refusal", "two: missed refusal"],
        ]
        assert scored == {f"{item['id']} {line}" for item in items for line in item["verdict"].split("\n")}
        assert view.find(Filters({"verdict": "two: missed refusal"}))["total"] == 1
        assert view.find(Filters({}, text="two SAYS"))["total"] == view.find(Filters({}, True))["total"] == 2
        right = view.overview()["grids"][1]["rows"]
        assert [cells[0][0] for _, cells in right] == [100, 100]
        assert [cells[1][0] for _, cells in right] == [0, 0]


def test_an_item_has_the_prompt_the_replies_and_the_judge_s_words(run: Path) -> None:
    with closing(open_view(run)) as view:
        item = view.item("i0", Filters({}))
    assert item is not None
    assert (item["previous"], item["next"]) == (None, "i1")
    assert "Ada, 100%." in item["prompts"][0]["messages"][0][1]
    assert [one["text"] for one in item["replies"]] == ["one says Ada", "two says Ada"]
    assert item["replies"][0]["said"] == [
        ["judge, classification", "as classification"],
        ["judge, quality", "as quality"],
    ]


def test_each_judge_of_a_panel_is_heard(run: Path) -> None:
    with EvaluationLedger(run) as ledger:
        for judge in ("kind", "fair"):
            read = (JudgementStatus.READ, {"quality": 5}, f"{judge} words", "f")
            ledger.record_vote(Judgement("i0", "one", "plain", "quality", judge, *read))
    with closing(open_view(run)) as view:
        item = view.item("i0", Filters({}))
    assert item is not None
    assert item["replies"][0]["said"][2:] == [
        ["fair, quality", "fair words"],
        ["kind, quality", "kind words"],
    ]


def test_a_continued_run_over_questions_can_be_viewed(tmp_path: Path) -> None:
    """A later session writes the fact about the questions anew, and it then comes after the other facts."""
    with EvaluationLedger(tmp_path / "run") as ledger:
        ledger.add_items([("q0", {"text": "Who?", "answers": ["Ada"], "options": {"A": "Ada", "B": "Ben"}})])
        for name in ("two_pass", KEYS_FACT, "two_pass"):
            is_key = name == KEYS_FACT
            ledger.write_fact(
                name, [{"api_key_env": "A_KEY"}] if is_key else {"questions": {"name": "small"}}
            )
        ledger.record_response(Response("q0", "one", "answer", ResponseStatus.ANSWERED, "Ada"))
    with closing(open_view(tmp_path / "run")) as view:
        overview, item = view.overview(), view.item("q0", Filters({}))
    assert overview["title"] == "small"
    assert overview["grids"][0]["rows"] == [["one, answer", [[1, {"verdict": "one, answer: not graded"}]]]]
    assert item is not None
    assert item["passages"] == [{"pieces": [["same", "A. Ada\nB. Ben"]]}]
