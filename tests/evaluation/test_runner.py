"""What the one runner gives every task: executors, services and functions, batches, and no barriers."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml

from perturb.curation.base_sets import embedded_path, load_base_set
from perturb.errors import ConfigError, RecordingError
from perturb.evaluation.bas import BasTask, Elicitation
from perturb.evaluation.loading import ItemSource, load_items, read_questions
from perturb.evaluation.models_under_test import ModelNames, ModelSet
from perturb.evaluation.refusal_index import RefusalIndexTask
from perturb.evaluation.refusalbench import RefusalBench
from perturb.evaluation.run import run_task
from perturb.evaluation.session import RunOptions, Task
from perturb.evaluation.solvability import SolvabilityTest, SolverPanel
from perturb.ledger.calls import LEDGER_FILE
from perturb.ledger.plans import key_variables_of
from perturb.llm.client import BatchLimits
from perturb.llm.factory import ExecutorEntry
from perturb.snapshots.replies import export_replies
from tests.building import query
from tests.loopback import LoopbackServer
from tests.loopback.answerers import AnswererPlayer
from tests.loopback.confiders import ConfidencePlayer, question_rows
from tests.loopback.replay import Player
from tests.loopback.responders import Responders

from .rows import CATALOGUE, single, write_rows
from .test_solvability import SolverPlayer

# litellm silences this one itself, but pytest puts its own filters in the place of litellm's.
pytestmark = pytest.mark.filterwarnings("ignore:Item.*using the `ReadOnly` qualifier:UserWarning")

QUICK = BatchLimits(idle_seconds=0.1, first_poll=0.02, longest_poll=0.1)
TWO_WORKERS = ExecutorEntry(kind="ray", workers=2)
ON_RAY = pytest.param({"executor": TWO_WORKERS}, marks=pytest.mark.slow, id="ray")


def snapshot(folder: Path) -> tuple[Task[Any], Player, str]:
    source = write_rows(folder / "items.jsonl", [single(number) for number in range(6)])
    item_set = load_items(ItemSource(str(source)))
    return RefusalBench(item_set, "plain", CATALOGUE), Responders(item_set.items), "never"


def two_pass(folder: Path) -> tuple[Task[Any], Player, str]:
    rows = [{"id": f"q{n}", "question": f"What is in box {n}?", "answers": [f"thing {n}"]} for n in range(6)]
    questions = read_questions(str(write_rows(folder / "qa.jsonl", rows)))
    answers = {question.text: question.answers[0] for question in questions.questions}
    return RefusalIndexTask(questions), AnswererPlayer(answers), "m1"


def confidence(folder: Path) -> tuple[Task[Any], Player, str]:
    questions = read_questions(str(write_rows(folder / "qa.jsonl", question_rows(6))))
    return BasTask(questions, (Elicitation.DIRECT, Elicitation.REFLECTION)), ConfidencePlayer(), "honest"


Kind = Callable[[Path], tuple[Task[Any], Player, str]]
KINDS: tuple[Kind, ...] = (snapshot, two_pass, confidence)


def models_of(folder: Path, url: str, name: str, **more: str) -> ModelSet:
    entries = [
        {"name": one, "model": f"hosted_vllm/{one}", "api_base": url, **more} for one in (name, "judge")
    ]
    (folder / "models.yaml").write_text(yaml.safe_dump({"models": entries}))
    return ModelNames(folder / "models.yaml").find_all([name], ["judge"])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("options", [pytest.param({"batch": QUICK}, id="batches"), ON_RAY])
def test_every_task_comes_out_the_same_however_its_calls_are_made(
    tmp_path: Path, kind: Kind, options: Mapping[str, Any]
) -> None:
    task, player, name = kind(tmp_path)
    with LoopbackServer(player) as server:
        models = models_of(tmp_path, server.url, name)
        run_task(task, models, tmp_path / "plain", RunOptions())
        single_calls = server.counters.total
        other = run_task(task, models, tmp_path / "other", RunOptions(**options))
        sent = server.counters.total - single_calls
    (table,) = (tmp_path / "plain").glob("*.jsonl")
    assert (tmp_path / "other" / table.name).read_text("utf-8") == table.read_text("utf-8")
    assert sent == (0 if "batch" in options else single_calls)
    assert other.facts["calls"] == single_calls
    assert (other.facts["batches"]["rows"] > 0) == ("batch" in options)


@pytest.mark.parametrize("kind", KINDS)
def test_the_variables_that_held_keys_are_kept_and_what_they_hold_is_not_published(
    tmp_path: Path, kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    task, player, name = kind(tmp_path)
    kept = []
    with LoopbackServer(player) as server:
        for variable in ("CORP_LLM", "CORP_LLM_LATER"):
            monkeypatch.setenv(variable, f"mill-4711-of-{variable}")
            models = models_of(tmp_path, server.url, name, api_key_env=variable)
            run_task(task, models, tmp_path / "run", RunOptions())
            with closing(sqlite3.connect(tmp_path / "run" / LEDGER_FILE)) as db:
                db.row_factory = sqlite3.Row
                kept.append(key_variables_of(db))
    assert kept == [{"CORP_LLM"}, {"CORP_LLM", "CORP_LLM_LATER"}]
    with closing(sqlite3.connect(tmp_path / "run" / LEDGER_FILE)) as db, db:
        db.execute(r"UPDATE calls SET reply = 'secret \u006dill-4711-of-CORP_LLM' WHERE status = 'read'")
    with pytest.raises(RecordingError, match=r"key \(mill…\)"):
        export_replies(tmp_path / "run", tmp_path / "replies.jsonl.gz")


def own_process(prompt: str) -> str:
    return str(os.getpid())


@pytest.mark.slow
def test_a_function_is_called_by_the_workers(tmp_path: Path) -> None:
    task, _, _ = snapshot(tmp_path)
    models = ModelNames().find_all([f"{__name__}:own_process"])
    run_task(task, models, tmp_path / "here", RunOptions())
    run_task(task, models, tmp_path / "workers", RunOptions(executor=TWO_WORKERS))
    said = [
        {text for (text,) in query(tmp_path / run, "SELECT text FROM responses")}
        for run in ("here", "workers")
    ]
    assert said[0] == {str(os.getpid())}
    assert said[1]
    assert str(os.getpid()) not in said[1]


def test_the_prompts_of_a_question_do_not_wait_for_each_other(tmp_path: Path) -> None:
    task, player, name = two_pass(tmp_path)
    assert isinstance(task, RefusalIndexTask)
    with LoopbackServer(player, latency=(0.5, 0.5)) as server:
        models = models_of(tmp_path, server.url, name)
        run_task(RefusalIndexTask(task.questions.draw(1, 0)), models, tmp_path / "run", RunOptions())
        assert server.counters.max_active == 4


# -- the pre-test ----------------------------------------------------------------------------------------------


@pytest.fixture
def solvers() -> Iterator[LoopbackServer]:
    with LoopbackServer(SolverPlayer()) as server:
        yield server


INSTANCES = load_base_set(embedded_path("demo"), limit=4).instances


def panel(server: LoopbackServer, **solver: Any) -> SolverPanel:
    entry = {"name": "one", "model": "hosted_vllm/one", "api_base": server.url, "timeout": 10}
    return SolverPanel.model_validate({"solvers": [entry, *([solver] if solver else [])]})


@pytest.mark.parametrize("options", [pytest.param({"batch": QUICK}, id="batches"), ON_RAY])
def test_the_pre_test_goes_by_batches_and_workers_too(
    tmp_path: Path, solvers: LoopbackServer, options: Mapping[str, Any]
) -> None:
    with SolvabilityTest(panel(solvers), tmp_path / "t", options=RunOptions(**options)) as test:
        assert test(INSTANCES) == {}
        assert test.facts()["calls"] == 4
    assert solvers.counters.total == (0 if "batch" in options else 4)


def knows_the_first(query: str) -> str:
    return INSTANCES[0].answers[0] if query == INSTANCES[0].query else json.dumps({"answer": "?"})


def test_a_function_may_be_a_solver_and_answer_in_plain_text(tmp_path: Path, solvers: LoopbackServer) -> None:
    both = panel(solvers, name="two", function=f"{__name__}:knows_the_first")
    with SolvabilityTest(both, tmp_path / "t") as test:
        assert set(test(INSTANCES)) == {one.id for one in INSTANCES[1:]}
    with pytest.raises(ConfigError, match="cannot be called with batch APIs"):
        SolvabilityTest(both, tmp_path / "b", options=RunOptions(batch=QUICK)).__enter__()
