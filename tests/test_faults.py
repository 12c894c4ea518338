"""A rule or a check that raises: a stored outcome, a count and a line, and never the end of a run."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from perturb.building.generate import generate_by_rule
from perturb.building.offline import engine
from perturb.building.offline.checked_item import CheckedItem, RuleVerdict
from perturb.building.offline.judge import CHECKS
from perturb.building.offline.operators import OPERATIONS, Draft
from perturb.building.verify import ask_rule
from perturb.catalogue.levers import Catalogue
from perturb.curation.base_sets import embedded_path, load_base_set
from perturb.llm.executors import open_executor
from perturb.llm.factory import ExecutorEntry
from perturb.records import ALL_CELLS, Candidate, Job, JobOutcome, Verdict, VerdictState
from tests.building import perturb, query
from tests.shuffled import NQ, write_shuffled

INSTANCE = load_base_set(embedded_path("demo"), limit=1).instances[0]
JOB = Job("job", INSTANCE.id, ALL_CELLS[0], "rules", 0, "r")
CANDIDATE = Candidate(
    "job", INSTANCE.id, "rules", ALL_CELLS[0], "A lever", "Who?", INSTANCE.passages, "", "CODE"
)


def build(out: Path, *options: str) -> tuple[dict[str, Any], str]:
    """An offline build through the command line: what it says on stdout, and on stderr."""
    source = () if "--base-set" in options else ("--demo", "rules")
    told = perturb("build", *source, "--json", "--out", out, "--name", "run", *options)
    assert told.returncode == 0, told.stdout
    return json.loads(told.stdout.splitlines()[-1]), told.stderr


def show(*command: str) -> str:
    told = perturb(*command)
    assert told.returncode == 0, told.stdout
    return told.stdout


@pytest.fixture
def faulty(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """One rule, and one check of one instance, raise; the list says who was asked."""
    asked: list[str] = []
    fluency = CHECKS["fluency"]

    def delete(*_: object) -> Iterator[Draft]:
        asked.append("rule")
        raise IndexError("tuple index\nout of range")

    def check(item: CheckedItem) -> RuleVerdict:
        if item.original.id != INSTANCE.id:
            return fluency(item)
        asked.append("check")
        raise ZeroDivisionError

    monkeypatch.setattr(engine, "OPERATIONS", {**OPERATIONS, "delete": delete})
    monkeypatch.setitem(CHECKS, "fluency", check)
    return asked


def test_faults_are_stored_counted_shown_and_not_tried_again(
    tmp_path: Path, faulty: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    facts, said = build(tmp_path, "--limit", "3")
    rules, checks = faulty.count("rule"), faulty.count("check")
    assert rules == facts["errors"] > 0
    assert checks > 0
    assert facts["faults"] == rules + checks
    assert facts["accepted"] > 0
    assert f"{rules + checks} faults of offline rules and checks" in said
    assert re.search(r"rule '[^']+' \(test_faults\.py:", said)
    assert "IndexError: tuple index out of range): please report this line" in said
    assert "run the same command again" not in said
    lost = query(tmp_path / "run", "SELECT state, issues, raw FROM votes WHERE raw != ''")
    assert len(lost) == checks
    assert {state for state, *_ in lost} == {"unscored"}
    assert all("the check 'fluency'" in raw and raw in json.loads(issues) for _, issues, raw in lost)
    status = json.loads(show("status", str(tmp_path / "run"), "--json"))
    assert (status["stages"]["faults"], status["left"]) == (rules + checks, 0)
    show("report", str(tmp_path / "run"), "--out", str(tmp_path / "page.html"))
    assert f"{rules} fault" in (tmp_path / "page.html").read_text()

    faulty.clear()
    again, _ = build(tmp_path, "--limit", "3")
    assert (faulty, again["faults"], again["rows"]) == ([], facts["faults"], facts["rows"])

    monkeypatch.undo()
    monkeypatch.setattr(engine, "RULE_VERSION", "mended")
    mended, said = build(tmp_path, "--limit", "3")
    assert (mended["errors"], mended["faults"], "report this" in said) == (0, 0, False)


@pytest.mark.parametrize("kind", ["local", "processes", pytest.param("ray", marks=pytest.mark.slow)])
async def test_a_fault_is_the_same_result_wherever_the_work_is_done(kind: Any) -> None:
    no_text = replace(INSTANCE, query=None)  # type: ignore[arg-type]
    executor = await open_executor(
        ExecutorEntry(kind=kind, workers=None if kind == "local" else 1), Catalogue.load()
    )
    try:
        made, vote = await asyncio.gather(
            executor.run(generate_by_rule, JOB, no_text, 7),
            executor.run(ask_rule, "words", "answer-state", "v1", no_text, CANDIDATE),
        )
    finally:
        await executor.close()
    assert (made.outcome, made.candidate) == (JobOutcome.ERROR, None)
    assert made.detail.startswith(f"fault in the offline engine, {ALL_CELLS[0]} (")
    assert isinstance(vote, Verdict)
    assert vote.state is VerdictState.UNSCORED
    assert vote.issues == (vote.raw,)
    assert "\n" not in made.detail + vote.raw


@pytest.mark.slow
@pytest.mark.skipif(not NQ.is_file(), reason="the NQ-like instances are not here")
def test_texts_that_no_rule_was_written_for_do_not_stop_a_build(tmp_path: Path) -> None:
    base_set = write_shuffled(NQ, tmp_path / "base.jsonl", 2000)
    facts, _ = build(tmp_path, "--base-set", str(base_set))
    assert facts["accepted"] > 0
