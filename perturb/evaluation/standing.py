"""Runs over questions, for the Refusal Index and stated confidence, and the progress of every evaluation.

Progress is counted from the ledger: each reply is done, unscored, failed, not judged or not asked.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from perturb.evaluation.bas import DEFAULT_K, BasTask, Elicitation
from perturb.evaluation.loading import find_items, find_models, recorded_model, recorded_questions
from perturb.evaluation.models_under_test import ModelSet
from perturb.evaluation.question_formats import QuestionSet, question_from_payload
from perturb.evaluation.reading import DISAGREE
from perturb.evaluation.refusal_index import REFUSAL_PROMPTS, QuestionTask, RefusalIndexTask
from perturb.evaluation.results import JUDGE_FAILED, run_of
from perturb.evaluation.run import run_task
from perturb.evaluation.session import NOT_ASKED, NOT_JUDGED, AskPlan, EvaluationReport, StoredSession
from perturb.evaluation.stop_rule import early_stop
from perturb.ledger.db import stored_values
from perturb.ledger.evaluations import PANEL_FACT, read_items
from perturb.runtime.asyncs import run_sync
from perturb.snapshots.settings import samples_of

Ways = Callable[[QuestionSet, Mapping[str, Any]], QuestionTask[Any]]
"""A function that makes the task over questions. The mapping has the settings of a recording; it may be empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionPlan(AskPlan):
    """The questions of a run, its models, and the task to make."""

    kind: Literal["refusal-index", "bas"]
    questions: QuestionSet | None = None
    """None means the questions of the recording."""
    ways: Ways


def ask_questions(plan: QuestionPlan, *, progress: bool = False) -> EvaluationReport:
    """Run the task, or continue a run that was stopped. Raises `PerturbError`s for faults that a user can correct."""
    task, models = prepare_questions(plan)
    run = plan.out or Path("outputs") / f"{plan.kind}-{task.questions.name}"
    return run_task(task, models, run, plan, progress=progress)


def prepare_questions(plan: QuestionPlan) -> tuple[QuestionTask[Any], ModelSet]:
    """The task over the questions and its models; this calls no model. Raises `PerturbError`s as `ask_questions`."""
    missing = "no questions are given: name a file"
    questions = find_items(plan.kind, plan.questions, plan.replay, recorded_questions, missing)
    task = plan.ways(questions, plan.replay.recording.header["ways"] if plan.replay else {})
    return task, find_models(plan)


def refusal_ways(settings: Sequence[str], samples: int) -> Ways:
    """A function that makes the two-pass task with these first-pass prompts; empty means all of them."""
    return lambda questions, recorded: RefusalIndexTask(
        questions,
        tuple(settings or recorded.get("settings", REFUSAL_PROMPTS)),
        recorded.get("samples", samples),
    )


def confidence_ways(elicitations: Sequence[str], k: int) -> Ways:
    """A function that makes the task that asks for confidence in these elicitations; empty means direct."""
    return lambda questions, recorded: BasTask(
        questions,
        tuple(map(Elicitation, elicitations or recorded.get("elicitations", [Elicitation.DIRECT]))),
        recorded.get("k", k),
    )


LEFT = ("failed", "not_judged", "not_asked")
"""The states that a second run of the same command can change."""
STATES = ("done", "unscored", *LEFT)
"""The states of a reply."""


def count_replies(
    db: sqlite3.Connection, facts: Mapping[str, Any], run: Path
) -> tuple[str, dict[str, dict[str, int]]]:
    """The name of the snapshot or the questions, and for each model under test the number of replies by state."""
    name, rows, expected = _snapshot(db, run) if "models" in facts else _questions(db, facts)
    counts = {model: Counter(map(_state, reasons)) for model, reasons in rows.items()}
    for model, states in counts.items():
        if "models" not in facts or early_stop(facts["models"][model]) is None:
            states["not_asked"] += expected[model] - states.total()
    return name, {model: {state: states[state] for state in STATES} for model, states in counts.items()}


Rows = Mapping[str, list[str | None]]
"""Model under test → for each of its rows the reason why it is unscored, or None."""


def _snapshot(db: sqlite3.Connection, run: Path) -> tuple[str, Rows, Mapping[str, int]]:
    state = run_of(db, run)
    rows: dict[str, list[str | None]] = {model: [] for model in state.facts["models"]}
    for result in state.results:
        rows[result.model].append(result.unscored)
    expected = {
        model: state.items * sum(samples_of(entry).values()) for model, entry in state.facts["models"].items()
    }
    return state.facts["snapshot"]["name"], rows, expected


@stored_values()
def _questions(db: sqlite3.Connection, facts: Mapping[str, Any]) -> tuple[str, Rows, Mapping[str, int]]:
    """Name, rows and expected counts of a run over questions, from its task repeated on the stored replies."""
    items = tuple(question_from_payload(item_id, content) for item_id, content in read_items(db))
    kind = next(task.fact for task in (RefusalIndexTask, BasTask) if task.fact in facts)
    task_facts = facts[kind]
    questions = QuestionSet(task_facts["questions"]["name"], items)
    make_task = refusal_ways((), 1) if kind == RefusalIndexTask.fact else confidence_ways((), DEFAULT_K)
    task = make_task(questions, task_facts)
    called = {name: recorded_model({**entry, "name": name}) for name, entry in task_facts["called"].items()}
    panel = facts.get(PANEL_FACT) or {
        "judges": [task_facts["judge"]] if task_facts["judge"] else [],
        "rule": "majority",
    }
    under_test, judges = (
        {name: called[name] for name in names} for names in (task_facts["models"], panel["judges"])
    )
    models = ModelSet(under_test, tuple(judges.values()), panel["rule"])
    session = StoredSession(
        db, models, {name: entry["fingerprint"] for name, entry in task_facts["called"].items()}
    )

    async def rows_of(model: str) -> list[str | None]:
        return [row.unscored for item in items for row in await task.solve(session, model, item)]

    rows = {model: run_sync(rows_of(model)) for model in task_facts["models"]}
    return questions.name, rows, dict.fromkeys(rows, len(items) * len(task.ways))


_UNREADABLE = frozenset(("reading", "classification", "quality", "raf"))
"""The first words of the reason if a reply or a judgement exists but cannot be read."""


def _state(unscored: str | None) -> str:
    """The state of a reply, from the reason why its row is unscored.

    >>> _state("low: not asked yet"), _state("quality: maybe"), _state("response: status 500")
    ('not_asked', 'unscored', 'failed')
    """
    if unscored is None:
        return "done"
    stage, _, reason = unscored.partition(": ")
    if reason == NOT_ASKED:
        return "not_asked"
    if reason == NOT_JUDGED:
        return "not_judged"
    if reason.startswith(DISAGREE):
        return "unscored"
    return "unscored" if stage in _UNREADABLE and not reason.startswith(JUDGE_FAILED) else "failed"
