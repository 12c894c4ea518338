"""Runs that elicit confidence, with the real client against a server on the loopback interface."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from perturb.errors import ConfigError
from perturb.evaluation.bas import BasTask, Elicitation
from perturb.evaluation.loading import read_questions
from perturb.evaluation.models_under_test import ModelNames, ModelSet, model_under_test
from perturb.evaluation.question_formats import Question, QuestionSet
from perturb.evaluation.run import run_task
from perturb.evaluation.session import EvaluationReport, RunOptions
from perturb.evaluation.status import read_status
from perturb.llm.client import ModelSettings
from perturb.scoring.confidence_report import score_confidence
from tests.building import write_rows
from tests.loopback import LoopbackServer
from tests.loopback.confiders import GOOD, ConfidencePlayer, is_known, question_rows

# litellm silences this one itself, but pytest puts its own filters in the place of litellm's.
pytestmark = pytest.mark.filterwarnings("ignore:Item.*using the `ReadOnly` qualifier:UserWarning")

ALL = tuple(Elicitation)


@pytest.fixture
def player() -> ConfidencePlayer:
    return ConfidencePlayer()


@pytest.fixture
def server(player: ConfidencePlayer) -> Iterator[LoopbackServer]:
    with LoopbackServer(player) as running:
        yield running


def settings(server: LoopbackServer, name: str, **changes: Any) -> ModelSettings:
    plain = {"api_base": server.url, "max_retries": 0, "timeout": 10.0, "max_connections": 16}
    return ModelSettings(name, f"hosted_vllm/{name}", **{**plain, **changes})


def questions(count: int, tmp_path: Path) -> QuestionSet:
    path = tmp_path / "qa.jsonl"
    write_rows(path, question_rows(count))
    return read_questions(str(path))


@dataclass
class Plan:
    """A task, its models and the budget."""

    questions: QuestionSet
    models: tuple[ModelSettings, ...]
    judge: ModelSettings | None
    elicitations: tuple[Elicitation, ...] = (Elicitation.DIRECT,)
    k: int = 3
    budget_usd: float | None = None


def plan(server: LoopbackServer, asked: QuestionSet, *names: str, **changes: Any) -> Plan:
    models = tuple(settings(server, name) for name in names or ("honest",))
    return Plan(asked, models, settings(server, "judge"), **changes)


def run_confidence(plan: Plan, folder: Path) -> EvaluationReport:
    judges = (model_under_test(plan.judge),) if plan.judge else ()
    models = ModelSet({model.name: model_under_test(model) for model in plan.models}, judges)
    task = BasTask(plan.questions, plan.elicitations, plan.k)
    return run_task(task, models, folder, RunOptions(budget_usd=plan.budget_usd))


def table_of(report: EvaluationReport) -> Path:
    return Path(report.facts["table"])


def rows_of(report: EvaluationReport) -> list[dict[str, Any]]:
    return [json.loads(line) for line in table_of(report).read_text(encoding="utf-8").splitlines()]


# -- three models, four ways -----------------------------------------------------------------------------------


def test_bas_orders_three_models_where_ece_cannot(server: LoopbackServer, tmp_path: Path) -> None:
    names = ("honest", "overconfident", "underconfident")
    report = run_confidence(plan(server, questions(60, tmp_path), *names, elicitations=ALL), tmp_path / "run")
    assert (report.stopped, report.warnings, report.facts["unscored"]) == (None, (), 0)
    assert report.facts["rows"] == 60 * 3 * 4
    scores = {
        (group.group.model, group.group.elicitation): group.report
        for group in score_confidence([table_of(report)]).groups
    }
    assert len(scores) == 12
    for way in map(str, ALL):
        bas = {name: scores[name, way].metrics["bas_uniform"].value for name in names}
        ece = {name: scores[name, way].metrics["ece"].value for name in names}
        assert bas["honest"] > bas["underconfident"] > bas["overconfident"], way  # type: ignore[operator]
        assert ece["overconfident"] == pytest.approx(ece["underconfident"]), way
        assert ece["honest"] == pytest.approx(0, abs=1e-9)
        assert scores["honest", way].metrics["accuracy"].value == pytest.approx(0.65)


def test_two_calls_are_made_where_two_are_needed(
    server: LoopbackServer, player: ConfidencePlayer, tmp_path: Path
) -> None:
    for way, calls in (
        (Elicitation.DIRECT, 1),
        (Elicitation.REFLECTION, 2),
        (Elicitation.TOP_K_REFLECTION, 2),
    ):
        player.asked.clear()
        run_confidence(plan(server, questions(4, tmp_path), elicitations=(way,)), tmp_path / str(way))
        assert sum(model == "honest" for model, _ in player.asked) == 4 * calls


def test_rows_say_what_was_answered_and_how_sure(server: LoopbackServer, tmp_path: Path) -> None:
    report = run_confidence(plan(server, questions(40, tmp_path)), tmp_path / "run")
    for number, row in enumerate(rows_of(report)):
        assert row["item_id"] == f"q{number}"
        assert row["is_correct"] == int(is_known(number))
        assert row["grade"] == ("CORRECT" if is_known(number) else "INCORRECT")
        assert row["confidence"] == pytest.approx((0.55, 0.65, 0.75)[number % 3])
        assert (row["unscored"], row["notes"], row["elicitation"]) == (None, None, "direct")


# -- replies that cannot be read -------------------------------------------------------------------------------


def test_an_unreadable_reply_is_unscored_kept_and_not_asked_again(tmp_path: Path) -> None:
    said = {
        "Question 0?": "I would rather not say.",
        "Question 1?": f"### FINAL DECISION\nAnswer: {GOOD}\nConfidence: high",
        "Question 2?": f"### FINAL DECISION\n1. Answer: {GOOD}, Confidence: 0.9\n2. Answer: Elbe, Confidence: 0.9",
    }
    player = ConfidencePlayer(said)
    with LoopbackServer(player) as server:
        whole = plan(server, questions(4, tmp_path), elicitations=(Elicitation.DIRECT, Elicitation.TOP_K))
        report = run_confidence(whole, tmp_path / "run")
        before = len(player.asked)
        again = run_confidence(whole, tmp_path / "run")
    assert len(player.asked) == before, "nothing is asked twice"
    rows = {(row["item_id"], row["elicitation"]): row for row in rows_of(report)}
    assert rows["q0", "direct"]["unscored"] == "reading: no block that begins with '### FINAL DECISION'"
    assert rows["q1", "direct"]["unscored"] == "reading: a confidence of 'high', which is not a number"
    assert "several answers" in rows["q2", "direct"]["unscored"]
    assert rows["q2", "top-k"]["notes"] == "2 answers instead of 3; probabilities add up to 1.8"
    assert rows["q2", "top-k"]["confidence"] == 0.9
    states = {"done": 3, "unscored": 5, "failed": 0, "not_judged": 0, "not_asked": 0}
    standing = read_status(tmp_path / "run")
    assert (standing["replies"], standing["left"]) == (8, 0), "nothing would be asked again"
    assert standing["under_test"]["honest"] == states
    assert (rows["q0", "direct"]["is_correct"], rows["q0", "direct"]["confidence"]) == (None, None)
    assert rows_of(again) == list(rows.values())
    assert any(
        "no answer with a confidence could be read in 3 of 4 replies" in line for line in report.warnings
    )
    assert any("1 of 4 replies the probabilities do not add up" in line for line in report.warnings)
    scored = score_confidence([table_of(report)]).groups
    assert [(one.report.n, one.group.unscored) for one in scored] == [(1, 3), (2, 2)]


def test_an_unreadable_first_reply_ends_the_question(tmp_path: Path) -> None:
    player = ConfidencePlayer({"Question 0?": "No idea."})
    with LoopbackServer(player) as server:
        ways = (Elicitation.REFLECTION,)
        report = run_confidence(plan(server, questions(1, tmp_path), elicitations=ways), tmp_path / "run")
    assert player.asked == [("honest", "Question 0?")]
    assert rows_of(report)[0]["unscored"].startswith("reading: no block")


# -- where no answer is right ----------------------------------------------------------------------------------


def test_a_refusal_is_right_where_no_answer_is(tmp_path: Path) -> None:
    asked = QuestionSet("set", (Question("n", "Question 3?", (), answerable=False),))
    said = {"Question 3?": "### FINAL DECISION\nAnswer: UNANSWERED\nConfidence: 0.9"}
    with LoopbackServer(ConfidencePlayer(said)) as server:
        (row,) = run_confidence(plan(server, asked), tmp_path / "run").rows
    assert (row.grade, row.is_correct, row.confidence) == ("NOT_ATTEMPTED", 1, 0.9)


# -- resume, failures, budget ----------------------------------------------------------------------------------


def test_changed_settings_are_asked_anew(
    server: LoopbackServer, player: ConfidencePlayer, tmp_path: Path
) -> None:
    asked = questions(3, tmp_path)
    run_confidence(plan(server, asked), tmp_path / "run")
    before = len(player.asked)
    changed = Plan(
        asked, (settings(server, "honest", params={"temperature": 1.0}),), settings(server, "judge")
    )
    run_confidence(changed, tmp_path / "run")
    assert sum(model == "honest" for model, _ in player.asked[before:]) == 3


# -- wrong use -------------------------------------------------------------------------------------------------


def test_what_cannot_be_run_is_refused_before_a_call(
    server: LoopbackServer, player: ConfidencePlayer, tmp_path: Path
) -> None:
    asked = questions(2, tmp_path)
    twice = (Elicitation.DIRECT, Elicitation.DIRECT)
    bad = [
        (plan(server, asked, elicitations=twice), "appears twice"),
        (plan(server, asked, k=1), "--k"),
        (Plan(asked, (settings(server, "honest"),), None), "--judge"),
        (
            Plan(asked, (settings(server, "a"),), settings(server, "a", params={"seed": 1})),
            "give it another name",
        ),
    ]
    for one, words in bad:
        with pytest.raises(ConfigError, match=words):
            run_confidence(one, tmp_path / "run")
    assert player.asked == []
    assert not (tmp_path / "run").exists()


def test_a_folder_of_another_kind_of_run_is_left_alone(server: LoopbackServer, tmp_path: Path) -> None:
    from perturb.ledger.evaluations import EvaluationLedger

    with EvaluationLedger(tmp_path / "run") as ledger:
        ledger.write_fact("models", {})
    with pytest.raises(ConfigError, match="another kind of run"):
        run_confidence(plan(server, questions(1, tmp_path)), tmp_path / "run")


def test_a_service_and_a_function_answer_like_any_model(tmp_path: Path, server: LoopbackServer) -> None:
    """What a function is given of a question: the parts that it names."""
    (tmp_path / "models.yaml").write_text(
        yaml.safe_dump({"models": [{"name": "judge", "model": "hosted_vllm/judge", "api_base": server.url}]})
    )
    models = ModelNames(tmp_path / "models.yaml").find_all([f"{__name__}:say_vltava"], ["judge"])
    report = run_task(BasTask(questions(3, tmp_path)), models, tmp_path / "run", RunOptions())
    assert [(row.answer, row.confidence, row.is_correct) for row in report.rows] == [(GOOD, 0.8, 1)] * 3


def say_vltava(query: str, passages: list[str], prompt: str) -> str:
    assert query.startswith("Question ")
    assert passages == []
    assert "### FINAL DECISION" in prompt
    return f"### FINAL DECISION\nAnswer: {GOOD}\nConfidence: 0.8"
