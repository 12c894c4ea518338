"""Several judges: their rule, their votes in the ledger, kill and resume, and one judge as before."""

from __future__ import annotations

import json
import signal
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml

from perturb.api.figures import audit
from perturb.auditing.judge_check import measure_judge
from perturb.errors import ConfigError
from perturb.evaluation.loading import ItemSource
from perturb.evaluation.models_under_test import ModelNames, ModelSet
from perturb.evaluation.reading import JudgeRule, panel_value
from perturb.evaluation.refusalbench import EvaluationPlan, evaluate
from perturb.evaluation.results import read_run
from perturb.evaluation.session import EvaluationReport
from perturb.ledger.calls import LEDGER_FILE, open_read_only
from perturb.records import Judgement, JudgementStatus
from perturb.reports.any_page import make_any_page
from tests.building import begin, perturb
from tests.loopback import LoopbackServer
from tests.loopback.confiders import ConfidencePlayer, question_rows
from tests.loopback.replay import Turns
from tests.loopback.responders import WRONG_ANSWER, Responders
from tests.review.judged_run import draw, give

from .rows import items_of, single, write_models, write_rows

JUDGES = ("kind", "fair", "strict")
MODELS = ("never", "sixty")


class Judges(Responders):
    """`strict` gives every answer a quality of 1 and takes each for a refusal of another kind; `mute` says nothing."""

    def play(self, model: str, messages: Turns) -> str:
        if messages[0]["role"] == "system" and model == "mute":
            return "hm"
        if messages[0]["role"] == "system" and model in ("strict", "contrary"):
            data = json.loads(messages[1]["content"])
            if "accepted" in data:
                return '{"quality": 1, "reason": "no"}'
            if model == "contrary":
                return '{"behaviour": "refusal", "code": "REFUSE_OTHER"}'
        return super().play(model, messages)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write_rows(tmp_path / "items.jsonl", [single(number) for number in range(36)])


@pytest.fixture
def server(source: Path) -> Iterator[LoopbackServer]:
    with LoopbackServer(Judges(items_of(source))) as one:
        yield one


def run(
    folder: Path,
    source: Path,
    url: str,
    judges: Sequence[str] = JUDGES,
    rule: JudgeRule | None = None,
    **changes: Any,
) -> EvaluationReport:
    names = ModelNames(write_models(folder, url, [*MODELS, *judges]))
    plan = EvaluationPlan(
        source=ItemSource(str(source)),
        models=MODELS,
        judges=judges,
        judge_rule=rule,
        out=folder / "run",
        names=names,
        **changes,
    )
    return evaluate(plan)


def rows_of(folder: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(folder / "run" / LEDGER_FILE)) as db:
        return db.execute(query).fetchall()


def votes(*values: dict[str, Any] | None) -> list[Judgement]:
    return [
        Judgement(
            *("i", "m", "v", "kind", f"j{number}"),
            JudgementStatus.UNSCORED if value is None else JudgementStatus.READ,
            value or {},
        )
        for number, value in enumerate(values)
    ]


YES, NO = {"grade": "CORRECT", "answer": "Ada"}, {"grade": "INCORRECT", "answer": "Ada"}


@pytest.mark.parametrize(
    ("said", "majority", "unanimity"),
    [
        ([YES, YES, YES], YES, YES),
        ([YES, YES, NO], YES, None),
        ([YES, NO, None], None, None),
        ([YES, YES, None], YES, None),
        ([YES, NO], None, None),
        ([None, None], None, None),
        ([{"quality": 5}, {"quality": 4}, {"quality": 1}], {"quality": 4}, None),
        ([{"quality": 5}, {"quality": 4}, {"quality": 5}], {"quality": 5}, {"quality": 5}),
        ([{"quality": 3}, {"quality": 1}], {"quality": 1}, {"quality": 1}),
        ([{"quality": 3}, {"quality": 4}], None, None),
        ([{"predicted": "A"}, {"predicted": "B"}, {"predicted": "C"}], None, None),
        ([{"a": True, "b": True}, {"a": True, "b": False}, {"a": False, "b": True}], {"a": True, "b": True}, None),
    ],
)  # fmt: skip
def test_what_votes_come_to(
    said: list[dict[str, Any] | None], majority: dict[str, Any] | None, unanimity: dict[str, Any] | None
) -> None:
    assert panel_value(votes(*said), "majority") == majority
    assert panel_value(votes(*said), "unanimity") == unanimity


def test_a_majority_decides_and_every_vote_is_kept(
    tmp_path: Path, source: Path, server: LoopbackServer
) -> None:
    report = run(tmp_path, source, server.url)
    assert report.warnings == ()
    assert (report.facts["judge"], report.facts["judge_under_test"]) == ("fair, kind, strict", [])
    answered = [row for row in read_run(tmp_path / "run").results if row.quality is not None]
    assert {row.quality for row in answered} == {5}
    judged = rows_of(tmp_path, "SELECT count(*), min(judge) FROM judgements WHERE judge != 'rule'")[0]
    by_judge = rows_of(tmp_path, "SELECT judge, count(*) FROM judge_votes GROUP BY 1 ORDER BY 1")
    assert judged[1] == "panel"
    assert by_judge == [(name, judged[0]) for name in sorted(JUDGES)]
    assert len({server.counters.requests[name] for name in JUDGES}) == 1
    said = server.counters.total
    with LoopbackServer(Judges(items_of(source))) as alone:
        run(tmp_path / "one", source, alone.url, ["kind"])
        assert said == alone.counters.total + 2 * alone.counters.requests["kind"]  # what two more judges cost
    assert [row.to_dict() for row in read_run(tmp_path / "one" / "run").results] == [
        row.to_dict() for row in read_run(tmp_path / "run").results
    ]


def test_unanimity_leaves_unscored_what_judges_disagree_on(
    tmp_path: Path, source: Path, server: LoopbackServer
) -> None:
    report = run(tmp_path, source, server.url, rule="unanimity")
    unscored = [row.unscored for row in read_run(tmp_path / "run").results if row.unscored]
    assert unscored
    assert set(unscored) == {"quality: the judges disagree: fair: 5; kind: 5; strict: 1"}
    (line,) = report.warnings
    assert line.endswith("judgements unscored: the judges disagree (3 of 3 judges must agree)")
    assert [model["disagreed"] for model in report.facts["models"]] == [12, 12]
    # the rule alone asks nobody anew
    asked = server.counters.total
    assert run(tmp_path, source, server.url, rule="majority").warnings == ()
    assert server.counters.total == asked
    assert {row.unscored for row in read_run(tmp_path / "run").results} == {None}


def test_judges_that_never_agree_are_one_line(tmp_path: Path, source: Path, server: LoopbackServer) -> None:
    report = run(tmp_path, source, server.url, ["kind", "contrary"])
    assert len(report.warnings) == 1
    assert report.warnings[0].startswith("the judges never agree: no 2 of 2 judges say the same of any of ")
    assert "\n" not in report.warnings[0]
    assert "κ is undefined for every pair of judges" in perturb("audit", tmp_path / "run").stdout
    assert "verifier" not in perturb("audit", tmp_path / "run").stdout


def test_a_judge_that_cannot_be_read_is_outvoted(
    tmp_path: Path, source: Path, server: LoopbackServer
) -> None:
    assert run(tmp_path, source, server.url, ["kind", "mute", "fair"]).warnings == ()
    assert {row.unscored for row in read_run(tmp_path / "run").results} == {None}
    assert rows_of(tmp_path, "SELECT DISTINCT judge FROM judge_votes WHERE status = 'unscored'") == [
        ("mute",)
    ]


def test_one_judge_leaves_what_it_left_before_and_may_become_a_panel(
    tmp_path: Path, source: Path, server: LoopbackServer
) -> None:
    run(tmp_path, source, server.url, ["kind"])
    assert rows_of(tmp_path, "SELECT count(*) FROM judge_votes") == [(0,)]
    assert {name for (name,) in rows_of(tmp_path, "SELECT name FROM facts")} == {"models", "snapshot"}
    assert {judge for (judge,) in rows_of(tmp_path, "SELECT judge FROM judgements")} == {"kind", "rule"}
    asked = server.counters.requests["kind"]
    run(tmp_path, source, server.url)
    assert server.counters.requests["kind"] == asked
    assert rows_of(tmp_path, "SELECT count(DISTINCT judge) FROM judge_votes") == [(3,)]
    run(tmp_path, source, server.url, ["kind"])
    assert {judge for (judge,) in rows_of(tmp_path, "SELECT judge FROM judgements")} == {"kind", "rule"}
    assert rows_of(tmp_path, "SELECT value FROM facts WHERE name = 'judge_panel'") == [("null",)]
    assert server.counters.requests["kind"] == asked


def test_a_panel_is_replayed_from_its_replies(tmp_path: Path, source: Path, server: LoopbackServer) -> None:
    run(tmp_path, source, server.url, rule="unanimity")
    file = tmp_path / "said.jsonl.gz"
    exported = perturb("export", tmp_path / "run", "--replies", file)
    assert exported.returncode == 0, exported.stderr
    again = perturb("evaluate", "--replay", file, "--out", tmp_path / "again", "--json")
    assert again.json["missing_replies"] == []
    assert read_run(tmp_path / "again").results == read_run(tmp_path / "run").results


@pytest.mark.slow
def test_killed_and_resumed_no_judge_is_paid_twice(tmp_path: Path, source: Path) -> None:
    with LoopbackServer(Judges(items_of(source)), latency=(0.03, 0.06)) as slow:
        models = write_models(tmp_path, slow.url, [*MODELS, *JUDGES], max_connections=4)
        judging = {**yaml.safe_load(models.read_text()), "judges": list(JUDGES), "judge_rule": "unanimity"}
        models.write_text(yaml.safe_dump(judging))
        words = ["evaluate", source, "--models", models, "--out", tmp_path / "run", "--json"]
        words += [word for name in MODELS for word in ("--model", name)]
        killed = begin(*words)
        while slow.counters.requests["strict"] < 15 and killed.poll() is None:
            time.sleep(0.01)
        killed.send_signal(signal.SIGKILL)
        killed.communicate(timeout=60)
        assert killed.returncode == -signal.SIGKILL
        ended = perturb(*words)
        assert slow.counters.repeated <= 4 * 5  # what was in flight
    assert ended.json["judge"] == "fair, kind, strict"
    with LoopbackServer(Judges(items_of(source))) as calm:
        run(tmp_path / "calm", source, calm.url, rule="unanimity")
    assert read_run(tmp_path / "run").results == read_run(tmp_path / "calm" / "run").results


class Graders(ConfidencePlayer):
    """Also judges of other names; `harsh` grades every answer as wrong, `soft` as right."""

    def play(self, model: str, messages: Turns) -> str:
        if model in ("harsh", "soft"):
            return json.dumps({"grade": "INCORRECT" if model == "harsh" else "CORRECT"})
        return super().play(model, messages)


@pytest.mark.parametrize("task", ["bas", "refusal-index"])
def test_other_tasks_have_panels_too(tmp_path: Path, task: str) -> None:
    with LoopbackServer(Graders()) as server:
        write_rows(tmp_path / "qa.jsonl", question_rows(60))
        models = write_models(tmp_path, server.url, ["honest", "judge", "harsh", "soft"])
        words = [
            task,
            "run",
            tmp_path / "qa.jsonl",
            "--models",
            models,
            "--model",
            "honest",
            "--judge",
            "judge",
        ]
        words += ["--judge", "harsh", "--judge", "soft", "--out", tmp_path / "run"]
        words += ["--setting", "low"] if task == "refusal-index" else []
        ended = perturb(*words, "--json")
        assert ended.returncode in (0, 1), ended.stderr
        status = perturb("status", tmp_path / "run", "--json").json
        decided = rows_of(tmp_path, "SELECT judge, status, value FROM judgements WHERE judge != 'rule'")
        assert decided, ended.stderr
        assert {(judge, state, json.loads(value)["grade"]) for judge, state, value in decided} == {
            ("panel", "read", "INCORRECT")
        }
        strict = perturb(*words, "--judge-rule", "unanimity", "--json")
        assert "the judges never agree: no 3 of 3 judges say the same of any of" in strict.stderr
    assert status["models"]


def test_wrong_panels_are_one_line(tmp_path: Path) -> None:
    models = write_models(tmp_path, "http://127.0.0.1:9", ["a", "b"])
    with pytest.raises(ConfigError, match="judge 'a' is given twice: its votes would count double"):
        ModelNames(models).find_all(["b"], ["a", "a"])
    found = ModelNames(models).find_all(["b"], ["a", "b"])
    assert isinstance(found, ModelSet)
    assert found.own_judges == {"b": "b"}


class Partial(Judges):
    """The judge `wrong`, which is under test as well, finds its own wrong answers excellent."""

    def play(self, model: str, messages: Turns) -> str:
        if messages[0]["role"] == "system" and model == "wrong":
            data = json.loads(messages[1]["content"])
            if "accepted" in data and WRONG_ANSWER in data["reply"]:
                return '{"quality": 5, "reason": "just so"}'
        return super().play(model, messages)


def test_a_judge_that_favours_its_own_replies_is_found(tmp_path: Path, source: Path) -> None:
    with LoopbackServer(Partial(items_of(source))) as server:
        models = write_models(tmp_path, server.url, ["never", "wrong", "kind", "fair"])
        words = ["evaluate", source, "--models", models, "--model", "never", "--model", "wrong"]
        words += [word for name in ("kind", "fair", "wrong") for word in ("--judge", name)]
        ended = perturb(*words, "--out", tmp_path / "run")
        assert ended.returncode == 0, ended.stderr
        assert "wrong: is one of the judges too" in ended.stderr
    found = perturb("audit", tmp_path / "run", "--json").json
    in_python = audit(str(tmp_path / "run"))
    assert json.loads(json.dumps(in_python.to_dict())) == found
    assert "Pairs of judges" in in_python._repr_html_()
    assert (found["judges"], found["rule"]) == (["fair", "kind", "wrong"], "majority")
    quality, sorting = found["kinds"]["quality"], found["kinds"]["classification"]
    assert (quality["judgements"], quality["undecided"], sorting["undecided"]) == (24, 0, 0)
    (own,) = [row for row in quality["self_bias"] if row["role"] == "both"]
    assert (own["model"], own["n"], own["self"], own["peers"], own["bias_pp"]) == ("wrong", 12, 1.0, 0.0, 100)
    assert own["low"] > 0
    pairs = {(pair["a"], pair["b"]): pair for pair in quality["kappa"]["pairs"]}
    assert pairs["fair", "kind"]["kappa"] == 1.0
    assert pairs["fair", "kind"]["low"] < 1.0
    assert pairs["fair", "wrong"]["agreement"]["value"] == 0.5
    shown = perturb("audit", tmp_path / "run")
    assert "wrong credits its own replies 100.0 percentage points more often" in " ".join(
        shown.stdout.split()
    )
    assert "Pairs of judges" in shown.stdout
    assert max(map(len, shown.stdout.splitlines())) <= 80
    sections = {section.name for section in make_any_page(tmp_path / "run", resamples=50).sections}
    assert "judges" in sections


def test_an_audit_takes_two_judges(tmp_path: Path, source: Path, server: LoopbackServer) -> None:
    run(tmp_path, source, server.url, ["kind"])
    failed = perturb("audit", tmp_path / "run")
    assert failed.returncode == 1
    assert failed.stderr == (
        f"perturb: {tmp_path / 'run'}: is not the run of a build but of an evaluation, and has no panel of judges:"
        " read it with `perturb score`, or name two judges or more with --judge\n"
    )


def test_a_damaged_vote_of_a_judge_is_one_line(tmp_path: Path, source: Path, server: LoopbackServer) -> None:
    run(tmp_path, source, server.url)
    with closing(sqlite3.connect(tmp_path / "run" / LEDGER_FILE)) as db, db:
        db.execute("UPDATE judge_votes SET value = '{}'")
    failed = perturb("audit", tmp_path / "run")
    assert (failed.returncode, failed.stderr.count("\n")) == (1, 1), failed.stderr
    assert "the ledger is corrupt (malformed value" in failed.stderr


def test_people_check_a_panel_and_each_of_its_judges(
    tmp_path: Path, source: Path, server: LoopbackServer
) -> None:
    run(tmp_path, source, server.url)
    replies = [one for one in draw(tmp_path / "run") if one.kind == "quality"]
    assert (replies[0].judge, list(replies[0].votes)) == ("panel", ["fair", "kind", "strict"])
    give(tmp_path / "run", "ann", {reply.id: {"quality": "5"} for reply in replies})
    with open_read_only(tmp_path / "run") as db:
        report = measure_judge(db, tmp_path / "run")
    found = {pair.a: pair.agreement.value for measure in report.measures[-1:] for pair in measure.members}
    assert found == {"judge fair": 1.0, "judge kind": 1.0, "judge strict": 0.0}
