"""The two passes over a loopback provider: what is asked, what is stored, and what a second run asks again."""

from __future__ import annotations

import json
import signal
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml

from perturb.errors import ConfigError
from perturb.evaluation.loading import read_questions
from perturb.evaluation.models_under_test import PAPER_DECODING, ModelNames, ModelSet, model_under_test
from perturb.evaluation.question_formats import Question, QuestionSet
from perturb.evaluation.refusal_index import FORCED, REFUSAL_PROMPTS, RefusalIndexTask, pass_request
from perturb.evaluation.run import run_task
from perturb.evaluation.session import EvaluationReport, RunOptions
from perturb.evaluation.status import read_status
from perturb.ledger.plans import Ledger
from perturb.llm.client import ModelSettings, Price
from perturb.metrics import refusal_index, refusal_index_from_counts
from perturb.scoring.refusal_report import RefusalOptions, report_refusals
from perturb.snapshots.replies import export_replies
from tests.building import KEY, KEY_NAME, begin, interrupt_after, model, perturb, query
from tests.loopback import Fault, LoopbackServer, ScriptedFaults
from tests.loopback.answerers import AnswererPlayer
from tests.loopback.replay import Turns

# litellm silences this one itself, but pytest puts its own filters in the place of litellm's.
pytestmark = pytest.mark.filterwarnings("ignore:Item.*using the `ReadOnly` qualifier:UserWarning")

TEXTS = [f"What is kept in box {number}?" for number in range(60)]
QUESTIONS = QuestionSet(
    "boxes",
    tuple(Question(f"q{n}", text, (f"thing {n}",), source="boxes") for n, text in enumerate(TEXTS)),
)


@pytest.fixture
def player() -> AnswererPlayer:
    return AnswererPlayer(
        {question.text: question.answers[0] for question in QUESTIONS.questions}, rho={"m1": 0.9, "m2": 0.2}
    )


@pytest.fixture
def server(player: AnswererPlayer) -> Iterator[LoopbackServer]:
    with LoopbackServer(player) as running:
        yield running


def settings(server: LoopbackServer, name: str, **changes: Any) -> ModelSettings:
    return replace(
        ModelSettings(
            name,
            f"hosted_vllm/{name}",
            api_base=server.url,
            api_key_env=KEY_NAME,
            params={"max_tokens": 100},
            max_connections=8,
            price=Price(1, 2),
            max_retries=0,
        ),
        **changes,
    )


@dataclass
class Plan:
    """A task, its models and the budget."""

    questions: QuestionSet
    models: tuple[ModelSettings, ...]
    judge: ModelSettings | None
    settings: tuple[str, ...] = tuple(REFUSAL_PROMPTS)
    samples: int = 1
    budget_usd: float | None = None


def plan(server: LoopbackServer, models: Sequence[str] = ("m1",), size: int = 20, **changes: Any) -> Plan:
    made = Plan(
        replace(QUESTIONS, questions=QUESTIONS.questions[:size]),
        tuple(settings(server, name) for name in models),
        settings(server, "judge"),
    )
    return replace(made, **changes)


def run_two_pass(plan: Plan, folder: Path) -> EvaluationReport:
    judges = (model_under_test(plan.judge),) if plan.judge else ()
    models = ModelSet({one.name: model_under_test(one) for one in plan.models}, judges)
    task = RefusalIndexTask(plan.questions, plan.settings, plan.samples)
    return run_task(task, models, folder, RunOptions(budget_usd=plan.budget_usd))


def table(report: EvaluationReport) -> list[dict[str, Any]]:
    table = Path(report.facts["table"])
    return [json.loads(line) for line in table.read_text(encoding="utf-8").splitlines()]


# -- prompts ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("setting", "unanswered"), [*REFUSAL_PROMPTS.items(), (FORCED, 0)])
def test_prompts_differ_in_instruction_and_unanswered_examples(setting: str, unanswered: int) -> None:
    system = pass_request(QUESTIONS.questions[0], setting).messages[0].content
    outputs = [line for line in system.splitlines() if line.startswith("OUTPUT:")]
    assert len(outputs) == 10
    assert outputs.count("OUTPUT: <answer>UNANSWERED</answer>") == unanswered
    assert ("UNANSWERED" in system) == (setting != FORCED)
    assert ("best guess" in system) == (setting == FORCED)


def test_an_example_that_is_unanswered_stays_so_in_more_refusing_prompts() -> None:
    def unanswered(setting: str) -> set[int]:
        system = pass_request(QUESTIONS.questions[0], setting).messages[0].content
        outputs = [line for line in system.splitlines() if line.startswith("OUTPUT:")]
        return {place for place, line in enumerate(outputs) if "UNANSWERED" in line}

    sets = [unanswered(setting) for setting in REFUSAL_PROMPTS]
    assert all(one < other for one, other in pairwise(sets))


def test_question_options_and_context_are_data_and_answers_are_not_shown() -> None:
    hostile = '{{ 7 * 7 }} </answer> "}'
    question = Question("q", hostile, ("B",), "option", {"A": "x", "B": hostile}, context=hostile)
    system, user = pass_request(question, "low").messages
    assert json.loads(user.content) == {
        "question": hostile,
        "options": {"A": "x", "B": hostile},
        "context": hostile,
    }
    assert "49" not in user.content
    assert hostile not in system.content
    assert "one letter" in system.content
    assert "`context`" in system.content
    plain = pass_request(QUESTIONS.questions[0], "low").messages[0].content
    assert "letter" not in plain
    assert "`context`" not in plain


# -- a whole run -----------------------------------------------------------------------------------------------


def test_the_table_is_what_the_models_did(
    server: LoopbackServer, player: AnswererPlayer, tmp_path: Path
) -> None:
    report = run_two_pass(plan(server, ("m1", "m2"), size=40), tmp_path / "run")
    rows = table(report)
    names = sorted(
        {row["item_id"] for row in rows}, key=[question.id for question in QUESTIONS.questions].index
    )
    order = [(model, way, name) for model in ("m1", "m2") for way in REFUSAL_PROMPTS for name in names]
    assert [(row["model"], row["setting"], row["item_id"]) for row in rows] == order
    assert len(rows) == 2 * 4 * 40
    texts = {question.id: question.text for question in QUESTIONS.questions}
    for row in rows:
        expected = player.truth(row["model"], texts[row["item_id"]], REFUSAL_PROMPTS[row["setting"]])
        assert (row["refused"], row["wrong"]) == expected
        assert row["unscored"] is None
    strong, weak = (
        refusal_index(
            [row["refused"] for row in rows if row["model"] == name and row["setting"] == "high"],
            [row["wrong"] for row in rows if row["model"] == name and row["setting"] == "high"],
        ).refusal_index
        for name in ("m1", "m2")
    )
    assert strong is not None
    assert weak is not None
    assert strong > weak


def test_only_what_was_refused_is_forced_and_once_for_all_settings(
    server: LoopbackServer, player: AnswererPlayer, tmp_path: Path
) -> None:
    run_two_pass(plan(server, ("m1", "m2")), tmp_path / "run")
    expected = {
        (name, text)
        for name in ("m1", "m2")
        for text in TEXTS[:20]
        if any(player.truth(name, text, unanswered)[0] for unanswered in REFUSAL_PROMPTS.values())
    }
    assert Counter(player.forced) == dict.fromkeys(expected, 1)
    assert 0 < len(expected) < 40


def test_all_settings_are_under_way_together_and_a_refusal_is_followed_up_at_once(
    server: LoopbackServer, player: AnswererPlayer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server._latency = (0.3, 0.3)
    waits = replace(plan(server, size=10), models=(settings(server, "m1", max_connections=40),))
    run_two_pass(waits, tmp_path / "wide")
    assert server.counters.max_active > 20, "more than the ten questions of one setting"

    server._latency = (0.0, 0.0)
    asked: list[bool] = []
    play = player.play

    def noted(name: str, messages: Turns) -> str:
        reply = play(name, messages)
        asked.append(player.forced[-1:] == [(name, json.loads(messages[1]["content"])["question"])])
        return reply

    monkeypatch.setattr(player, "play", noted)
    run_two_pass(plan(server, size=40), tmp_path / "narrow")
    assert asked.index(True) < len(asked) / 2, "a second pass before half of the first is done"


def test_where_no_answer_is_right_nothing_is_forced_and_any_answer_is_wrong(
    server: LoopbackServer, player: AnswererPlayer, tmp_path: Path
) -> None:
    nothing = tuple(replace(question, answers=(), answerable=False) for question in QUESTIONS.questions[:20])
    report = run_two_pass(plan(server, questions=QuestionSet("none", nothing)), tmp_path / "run")
    assert player.forced == []
    assert {(row["wrong"], row["forced_grade"]) for row in table(report)} == {(1, None)}
    assert {row["refused"] for row in table(report)} == {0, 1}


def test_a_second_run_asks_nothing(server: LoopbackServer, tmp_path: Path) -> None:
    first = run_two_pass(plan(server), tmp_path / "run")
    sent = server.counters.total
    second = run_two_pass(plan(server), tmp_path / "run")
    assert server.counters.total == sent == first.facts["calls"] == second.facts["calls"]
    assert table(second) == table(first)


def test_another_model_or_setting_of_it_asks_anew(server: LoopbackServer, tmp_path: Path) -> None:
    run_two_pass(plan(server, size=5, settings=("low",)), tmp_path / "run")
    sent = server.counters.requests["m1"]
    hotter = settings(server, "m1", params={"max_tokens": 100, "temperature": 1})
    again = replace(plan(server, size=5, settings=("low",)), models=(hotter,))
    run_two_pass(again, tmp_path / "run")
    assert server.counters.requests["m1"] == 2 * sent


def test_the_ledger_says_what_was_asked_of_whom_without_a_key(server: LoopbackServer, tmp_path: Path) -> None:
    run_two_pass(plan(server, size=3), tmp_path / "run")
    ((facts,),) = query(tmp_path / "run", "SELECT value FROM facts WHERE name = 'two_pass'")
    told = json.loads(facts)
    assert (told["models"], told["judge"], told["questions"]["count"]) == (["m1"], "judge", 3)
    assert KEY not in (tmp_path / "run" / "ledger.sqlite").read_bytes().decode("latin-1")


def test_samples_are_calls_of_their_own_and_tell_how_often_a_model_answers(
    server: LoopbackServer, player: AnswererPlayer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play, times = player.play, Counter[str]()

    def every_third(name: str, messages: Turns) -> str:
        question = json.loads(messages[1]["content"])["question"]
        if name == "judge" or question != TEXTS[0]:
            return play(name, messages)
        times[messages[0]["content"]] += 1
        return (
            "<answer>UNANSWERED</answer>" if times[messages[0]["content"]] % 3 else "<answer>thing 0</answer>"
        )

    monkeypatch.setattr(player, "play", every_third)
    models = plan(server, size=8)
    first = table(run_two_pass(models, tmp_path / "run"))
    sent = server.counters.requests["m1"]
    again = run_two_pass(replace(models, samples=6), tmp_path / "run")
    assert server.counters.requests["m1"] == sent + 5 * 4 * 8
    sampled = {(row["setting"], row["item_id"]): row["p_answering"] for row in table(again)}
    assert {row["p_answering"] for row in first} == {None}
    assert [sampled[setting, "q0"] for setting in REFUSAL_PROMPTS] == pytest.approx([2 / 6] * 4)
    assert {share for (_, item), share in sampled.items() if item != "q0"} == {0.0, 1.0}
    keep = [{**row, "p_answering": None} for row in table(again)]
    assert keep == first, "the first reply is the one that is scored"
    found = report_refusals([tmp_path / "run"], RefusalOptions(resamples=100)).to_dict()
    assert all(0 <= one["p_answering"]["auroc"]["value"] <= 1 for one in found["results"])

    exported = export_replies(tmp_path / "run", tmp_path / "r.jsonl.gz").file
    done = perturb("refusal-index", "run", "--replay", exported, "--out", tmp_path / "b")
    assert done.returncode == 0, done.stdout
    assert (tmp_path / "b" / "refusals.jsonl").read_text() == (
        tmp_path / "run" / "refusals.jsonl"
    ).read_text()


# -- what goes wrong -------------------------------------------------------------------------------------------


def test_an_unreadable_grade_leaves_a_row_unscored_and_is_asked_again(
    server: LoopbackServer, player: AnswererPlayer, tmp_path: Path
) -> None:
    player.unreadable = 0.5
    first = run_two_pass(plan(server), tmp_path / "run")
    missing = [row for row in table(first) if row["unscored"]]
    assert missing
    assert {row["wrong"] for row in missing} == {None}
    assert all("unreadable grade: It is hard to say." in row["unscored"] for row in missing)
    assert first.facts["unscored"] == len(missing) == read_status(tmp_path / "run")["left"]
    assert "run the same command again" in first.warnings[-1]
    player.unreadable = 0.0
    second = run_two_pass(plan(server), tmp_path / "run")
    assert second.facts["unscored"] == 0
    assert len(player.forced) == len(set(player.forced))
    assert server.counters.requests["m1"] == 20 * len(REFUSAL_PROMPTS) + len(player.forced)


def test_failed_calls_are_made_again_by_the_same_command(player: AnswererPlayer, tmp_path: Path) -> None:
    # The first attempt at every request fails: reply, its grade, forced answer, and the grade of that.
    with LoopbackServer(player, faults=ScriptedFaults([Fault.BAD_REQUEST])) as server:
        runs = [run_two_pass(plan(server, settings=("highest",)), tmp_path / "run") for _ in range(5)]
    assert all(row.unscored and row.unscored.startswith("highest: ") for row in runs[0].rows)
    unscored = [run.facts["unscored"] for run in runs]
    assert unscored == sorted(unscored, reverse=True)
    assert (unscored[0], unscored[-1]) == (20, 0)
    assert any(row.unscored and row.unscored.startswith("forced: ") for row in runs[2].rows)


def test_a_spent_budget_stops_the_run_and_more_of_it_goes_on(server: LoopbackServer, tmp_path: Path) -> None:
    whole = run_two_pass(plan(server), tmp_path / "whole")
    first = run_two_pass(plan(server, budget_usd=whole.facts["cost_usd"] / 2), tmp_path / "run")
    assert first.stopped is not None
    assert 0 < first.facts["cost_usd"] <= whole.facts["cost_usd"] / 2
    assert first.facts["unscored"] > 0
    states = read_status(tmp_path / "run")["under_test"]["m1"]
    assert states["done"] == len(table(first)) - first.facts["unscored"]
    assert states["not_asked"] + states["not_judged"] == first.facts["unscored"]
    second = run_two_pass(plan(server, budget_usd=10.0), tmp_path / "run")
    assert second.stopped is None
    assert table(second) == table(whole)


def test_bad_plans_are_refused_before_anything_is_asked(server: LoopbackServer, tmp_path: Path) -> None:
    bad = [
        (plan(server, settings=("lowest",)), "low, normal, high, highest"),
        (plan(server, judge=None), "--judge"),
        (plan(server, judge=settings(server, "m1", params={})), "another name"),
    ]
    for one, words in bad:
        with pytest.raises(ConfigError, match=words):
            run_two_pass(one, tmp_path / "run")
    with Ledger(tmp_path / "build") as ledger:
        ledger.start_plan("digest", "", {})
    with pytest.raises(ConfigError, match="is the run of a build"):
        run_two_pass(plan(server), tmp_path / "build")
    assert server.counters.total == 0


def test_letters_need_no_judge(server: LoopbackServer, player: AnswererPlayer, tmp_path: Path) -> None:
    options = {"A": "nothing", "B": "something else", "C": "all"}
    questions = tuple(
        replace(question, answers=("B",), form="option", options=options)
        for question in QUESTIONS.questions[:10]
    )
    report = run_two_pass(
        plan(server, questions=QuestionSet("letters", questions), judge=None, settings=("highest",)),
        tmp_path / "run",
    )
    graded = [row for row in table(report) if row["unscored"] is None]
    assert graded
    assert server.counters.requests["judge"] == 0


@pytest.mark.parametrize(
    ("words", "sent"),
    [
        (["refusal-index", "run"], {"temperature": 0.7, "top_p": 0.95, "max_tokens": 4096}),
        (["bas", "run"], {"temperature": 0}),
    ],
)
def test_the_preset_of_the_paper_is_sent_and_recorded(
    server: LoopbackServer, tmp_path: Path, words: list[str], sent: dict[str, float]
) -> None:
    (tmp_path / "qa.jsonl").write_text('{"question": "What is kept in box 1?", "answer": 33}')
    params = {"temperature": 1.5, "max_tokens": 7, "seed": 3}
    entries = [model("m1", server.url, max_retries=0, params=params)]
    (tmp_path / "models.yaml").write_text(yaml.safe_dump({"models": entries}), encoding="utf-8")
    named = [tmp_path / "qa.jsonl", "--models", tmp_path / "models.yaml", "--model", "m1"]
    line = [*words, *named, "--preset", "paper", "--json", "--out", tmp_path / "run"]
    done = perturb(*line)
    assert {name: server.counters.last_request.get(name) for name in params | sent} == {
        "temperature": 0,
        "max_tokens": None,
        "seed": 3,
    } | sent
    if words == ["refusal-index", "run"]:
        assert json.loads(done.stdout)["params"] == {"m1": {"seed": 3, **sent}}
    ((facts,),) = query(tmp_path / "run", "SELECT value FROM facts WHERE name IN ('two_pass', 'confidence')")
    assert json.loads(facts)["called"]["m1"]["params"] == {"seed": 3, **sent}
    as_provider = ModelNames(tmp_path / "models.yaml", decoding=PAPER_DECODING["evaluate"])
    assert as_provider.find_all(["m1"]).under_test["m1"].settings.params == {"seed": 3}


# -- kill and resume -------------------------------------------------------------------------------------------


def command_line(folder: Path, server: LoopbackServer) -> list[str]:
    questions = folder / "boxes.jsonl"
    questions.write_text(
        "".join(
            json.dumps({"id": question.id, "question": question.text, "answers": list(question.answers)})
            + "\n"
            for question in QUESTIONS.questions[:30]
        ),
        encoding="utf-8",
    )
    models = folder / "models.yaml"
    entries = [model(name, server.url, max_retries=0) for name in ("m1", "m2", "judge")]
    models.write_text(yaml.safe_dump({"models": entries}), encoding="utf-8")
    arguments = ("run", questions, "--models", models, "--model", "m1", "--model", "m2", "--judge", "judge")
    return list(map(str, ("refusal-index", *arguments, "--out", folder / "run", "--json")))


@pytest.mark.slow
def test_two_models_under_four_prompts_survive_kills(
    server: LoopbackServer, player: AnswererPlayer, tmp_path: Path
) -> None:
    line = command_line(tmp_path, server)
    server._latency = (0.01, 0.05)
    kept = 0
    for moment, number in ((20, signal.SIGKILL), (100, signal.SIGTERM), (100, signal.SIGKILL)):
        process = begin(*line)
        out, err = interrupt_after(process, server, server.counters.total + moment, number)
        assert out == ""
        if number == signal.SIGTERM:
            assert (process.returncode, err.splitlines()[-1]) == (
                130,
                "perturb: stopped: run the same command again to resume",
            )
        ((now,),) = query(tmp_path / "run", "SELECT count(*) FROM responses")
        assert now >= kept
        kept = now
    assert kept > 0
    told = perturb(*line).json
    assert told["unscored"] == 0
    assert len(told["results"]) == 8
    texts = [question.text for question in read_questions(str(tmp_path / "boxes.jsonl")).questions]
    for result in told["results"]:
        pairs = [player.truth(result["model"], text, REFUSAL_PROMPTS[result["setting"]]) for text in texts]
        counts = [pairs.count(pair) for pair in ((1, 1), (1, 0), (0, 1), (0, 0))]
        assert [result[name] for name in ("n11", "n10", "n01", "n00")] == counts
        assert result["refusal_index"] == refusal_index_from_counts(*counts).refusal_index
    in_flight = 3 * 8
    assert server.counters.repeated <= in_flight * 3
