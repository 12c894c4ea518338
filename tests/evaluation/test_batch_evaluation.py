"""Whole evaluations with batch APIs over the loopback provider, killed and resumed ones among them."""

from __future__ import annotations

import dataclasses
import json
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import perturb as api
from perturb.errors import ConfigError
from perturb.evaluation.loading import ItemSource
from perturb.evaluation.models_under_test import ModelNames
from perturb.evaluation.refusalbench import EvaluationPlan, evaluate
from perturb.evaluation.results import read_run
from perturb.llm.client import BatchLimits
from tests.building import begin, perturb_process, query
from tests.loopback import BatchPlan, LoopbackServer
from tests.loopback.responders import Responders

from .rows import items_of, run, write_models

pytestmark = pytest.mark.filterwarnings("ignore:Item.*using the `ReadOnly` qualifier:UserWarning")

ITEMS = 36
MODELS = ("never", "sixty")
QUICK = BatchLimits(idle_seconds=0.1, first_poll=0.02, longest_poll=0.1)


@pytest.fixture
def server(source: Path) -> Iterator[LoopbackServer]:
    with LoopbackServer(Responders(items_of(source))) as started:
        yield started


def test_an_evaluation_by_batch_equals_one_by_single_calls(
    tmp_path: Path, source: Path, server: LoopbackServer
) -> None:
    single_calls = run(tmp_path / "single", source, server.url, MODELS, variant="confidence")
    asked = server.counters.total
    by_batch = run(tmp_path, source, server.url, MODELS, variant="confidence", batch=QUICK)
    assert by_batch.warnings == ()
    assert server.counters.total == asked, "nothing was asked one by one"
    assert read_run(tmp_path / "run").results == read_run(tmp_path / "single" / "run").results
    assert by_batch.facts["tokens"] == single_calls.facts["tokens"] > 0
    assert by_batch.facts["cost_usd"] == pytest.approx(single_calls.facts["cost_usd"] / 2)
    # As many rows as calls; for each model a batch of answers, one to classify and one to grade.
    desk = server.batches
    assert desk.rows.total() == len(desk.rows) == asked == by_batch.facts["calls"]
    assert len(desk.batches) <= 3 * len(MODELS)
    assert by_batch.facts["batches"] == {"submitted": len(desk.batches), "rows": asked, "open": 0}
    again = run(tmp_path, source, server.url, MODELS, variant="confidence", batch=QUICK)
    assert desk.rows.total() == asked, "nothing is submitted twice"
    assert again.facts["cost_usd"] == by_batch.facts["cost_usd"]


def test_python_asks_with_batch_apis(tmp_path: Path, source: Path, server: LoopbackServer) -> None:
    model = {"name": "never", "model": "hosted_vllm/never", "api_base": server.url}
    done = api.evaluate(
        source, [model], out=tmp_path / "run", batch={"rows": 20, "poll": 0.02}, progress=False
    )
    assert done.facts["batches"]["rows"] == ITEMS
    assert len(server.batches.batches) == 2
    assert done.status["under_test"]["never"]["failed"] == 0


def test_bad_batches_change_nothing_but_the_number_of_rows(
    tmp_path: Path, source: Path, server: LoopbackServer
) -> None:
    server.batches.plans = [
        BatchPlan(missing=2, malformed=2, limited=2, answered=10),
        BatchPlan(failure="No."),
        BatchPlan(),
        BatchPlan(gone=True),
    ]
    # The first answers are judged while the rest is submitted again: three bad batches may hit the same row.
    patient = dataclasses.replace(QUICK, submissions=4)
    report = run(tmp_path, source, server.url, ("never",), batch=patient)
    assert report.warnings == ()
    assert report.facts["batches"]["open"] == 0
    run(tmp_path / "single", source, server.url, ("never",))
    assert read_run(tmp_path / "run").results == read_run(tmp_path / "single" / "run").results


def test_refused_rows_are_errors_that_the_next_run_asks_again(
    tmp_path: Path, source: Path, server: LoopbackServer
) -> None:
    server.batches.plans = [BatchPlan(refused=4)]
    report = run(tmp_path, source, server.url, ("never",), batch=QUICK)
    assert report.facts["models"][0]["errors"] == 4
    assert "status 400" in report.facts["models"][0]["first_error"]
    first = [len(batch.rows) for batch in server.batches.batches]
    assert first[0] == ITEMS
    assert run(tmp_path, source, server.url, ("never",), batch=QUICK).warnings == ()
    assert [len(batch.rows) for batch in server.batches.batches][len(first)] == 4


def test_a_budget_holds_for_batches_at_half_the_price(
    tmp_path: Path, source: Path, server: LoopbackServer
) -> None:
    report = run(tmp_path, source, server.url, MODELS, batch=QUICK, budget_usd=0.02)
    assert report.stopped is not None
    assert report.facts["cost_usd"] <= 0.02
    assert report.facts["batches"]["open"] == 0, "what is submitted is awaited"
    assert run(tmp_path, source, server.url, MODELS, batch=QUICK, budget_usd=5).stopped is None
    assert len(read_run(tmp_path / "run").results) == len(MODELS) * ITEMS
    assert server.batches.rows.total() == len(server.batches.rows)


def test_models_that_cannot_be_batched_are_refused_before_anything_is_written(
    tmp_path: Path, source: Path, server: LoopbackServer
) -> None:
    file = write_models(tmp_path, server.url, ["ollama"], model="ollama_chat/tiny")
    for name, words in (
        ("ollama", "provider ollama_chat has no batches .* openai, azure, vertex_ai, bedrock, hosted_vllm"),
        ("http://127.0.0.1:1/ask", "a service or a function cannot be called with batch APIs"),
        ("json:dumps", "a service or a function cannot be called with batch APIs"),
    ):
        plan = EvaluationPlan(
            ItemSource(str(source)), models=(name,), out=tmp_path / "run", names=ModelNames(file), batch=QUICK
        )
        with pytest.raises(ConfigError, match=words):
            evaluate(plan)
    assert not (tmp_path / "run").exists()
    assert server.counters.total == 0


def test_a_judge_that_cannot_be_batched_is_called_one_by_one(
    tmp_path: Path, source: Path, server: LoopbackServer
) -> None:
    entries = json.loads(json.dumps({"models": []}))
    for name, provider in (("never", "hosted_vllm"), ("judge", "lm_studio")):
        entries["models"].append(
            {
                "name": name,
                "model": f"{provider}/{name}",
                "api_base": server.url,
                "price": {"input": 1, "output": 2},
            }
        )
    file = tmp_path / "models.yaml"
    file.write_text(json.dumps(entries))
    plan = EvaluationPlan(
        ItemSource(str(source), limit=6),
        models=("never",),
        judges=("judge",),
        out=tmp_path / "run",
        names=ModelNames(file),
        batch=QUICK,
    )
    report = evaluate(plan)
    assert report.warnings == (
        "judge: cannot be called with batch APIs, so the judge was called one by one, at its full price",
    )
    assert server.batches.rows.total() == 6
    assert set(server.counters.requests) == {"judge"}
    assert {row.unscored for row in read_run(tmp_path / "run").results} == {None}


def command(tmp_path: Path, source: Path, url: str) -> list[str]:
    models = write_models(tmp_path, url, [*MODELS, "judge"], api_key_env="LOOPBACK_KEY")
    words: list[Any] = ["evaluate", source, "--models", models, "--out", tmp_path / "run", "--batch"]
    words += ["--batch-poll", "0.05", "--judge", "judge", "--json"]
    words += [option for name in MODELS for option in ("--model", name)]
    return list(map(str, words))


KEY = "sk-loopback-0123456789abcdef"


@pytest.mark.slow
@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGINT])
def test_stopped_after_a_submission_and_resumed_no_row_is_submitted_twice(
    tmp_path: Path,
    source: Path,
    server: LoopbackServer,
    monkeypatch: pytest.MonkeyPatch,
    ending: signal.Signals,
) -> None:
    monkeypatch.setenv("LOOPBACK_KEY", KEY)
    again, desk = command(tmp_path, source, server.url), server.batches
    desk.frozen = True
    process = begin(*again)
    _wait_for(lambda: desk.calls["view"] >= 2 and len(desk.batches) == 2, process)
    process.send_signal(ending)
    _, said = process.communicate(timeout=60)
    if ending is signal.SIGINT:
        assert process.returncode == 130
        assert said.splitlines()[-2].startswith(
            "2 batches are still open at the provider: run the same command again"
        )
    assert desk.rows.total() == 2 * ITEMS
    desk.frozen = False
    ended = perturb_process(*again)  # litellm leaves connections open
    facts = ended.json
    assert desk.rows.total() == len(desk.rows) == facts["calls"] == facts["batches"]["rows"]
    assert facts["batches"]["open"] == 0
    assert server.counters.repeated == 0
    run(tmp_path / "single", source, server.url, MODELS)
    assert read_run(tmp_path / "run").results == read_run(tmp_path / "single" / "run").results
    kept = b"".join(path.read_bytes() for path in (tmp_path / "run").iterdir() if path.is_file())
    assert KEY.encode() not in kept
    assert KEY not in said + ended.stdout + ended.stderr


@pytest.mark.slow
def test_killed_between_a_batch_and_its_note_no_row_is_submitted_twice(
    tmp_path: Path, source: Path, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOOPBACK_KEY", KEY)
    again, desk = command(tmp_path, source, server.url), server.batches
    desk.plans = [BatchPlan(create_seconds=60)] * 2
    process = begin(*again)
    _wait_for(lambda: len(desk.batches) == 2, process)
    process.kill()
    process.communicate(timeout=60)
    noted = query(tmp_path / "run", "SELECT count(batch_id), count(*) FROM batches")
    assert [tuple(row) for row in noted] == [(0, 2)]
    facts = perturb_process(*again).json
    assert desk.calls["list"] >= 2
    assert desk.rows.total() == len(desk.rows) == facts["calls"]


def _wait_for(reached: Any, process: subprocess.Popen[str]) -> None:
    while not reached():
        assert process.poll() is None, "it ended too early"
        time.sleep(0.02)
