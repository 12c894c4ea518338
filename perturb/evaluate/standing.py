"""How far an evaluation has come: its replies by what is known of them, from the ledger alone."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from perturb.evaluate.bas import BasTask
from perturb.evaluate.elicit import DEFAULT_K
from perturb.evaluate.judge_panel import DISAGREE
from perturb.evaluate.models_under_test import ModelSet
from perturb.evaluate.question_run import confidence_ways, refusal_ways
from perturb.evaluate.questions import QuestionSet, question_from_payload
from perturb.evaluate.refusal_index import RefusalIndexTask
from perturb.evaluate.replayed import recorded_model
from perturb.evaluate.results import JUDGE_FAILED, run_of
from perturb.evaluate.session import NOT_ASKED, NOT_JUDGED, StoredSession
from perturb.evaluate.stop_rule import early_stop
from perturb.event_loops import run_sync
from perturb.store.db import stored_values
from perturb.store.evaluations import PANEL_FACT, read_items

LEFT = ("failed", "not_judged", "not_asked")
"""What running the same command again would bring further."""
STATES = ("done", "unscored", *LEFT)
"""What a reply may be."""


def count_replies(
    db: sqlite3.Connection, facts: Mapping[str, Any], run: Path
) -> tuple[str, dict[str, dict[str, int]]]:
    """The name of what is evaluated, and how many replies of each model under test are in each of the `STATES`."""
    name, rows, expected = _snapshot(db, run) if "models" in facts else _questions(db, facts)
    counts = {model: Counter(map(_state, reasons)) for model, reasons in rows.items()}
    for model, found in counts.items():
        if "models" not in facts or early_stop(facts["models"][model]) is None:
            found["not_asked"] += expected - found.total()
    return name, {model: {state: found[state] for state in STATES} for model, found in counts.items()}


Rows = Mapping[str, list[str | None]]
"""By model under test, of each of its rows why it is unscored, None where it is scored."""


def _snapshot(db: sqlite3.Connection, run: Path) -> tuple[str, Rows, int]:
    state = run_of(db, run)
    rows: dict[str, list[str | None]] = {model: [] for model in state.facts["models"]}
    for one in state.results:
        rows[one.model].append(one.unscored)
    return state.facts["snapshot"]["name"], rows, state.items


@stored_values()
def _questions(db: sqlite3.Connection, facts: Mapping[str, Any]) -> tuple[str, Rows, int]:
    """What the task itself says of the replies, asked of nobody but the ledger."""
    items = tuple(question_from_payload(item_id, content) for item_id, content in read_items(db))
    kind = next(task.fact for task in (RefusalIndexTask, BasTask) if task.fact in facts)
    said = facts[kind]
    questions = QuestionSet(said["questions"]["name"], items)
    ways = refusal_ways((), 1) if kind == RefusalIndexTask.fact else confidence_ways((), DEFAULT_K)
    task = ways(questions, said)
    called = {name: recorded_model({**one, "name": name}) for name, one in said["called"].items()}
    panel = facts.get(PANEL_FACT) or {"judges": [said["judge"]] if said["judge"] else [], "rule": "majority"}
    under_test, judges = (
        {name: called[name] for name in names} for names in (said["models"], panel["judges"])
    )
    models = ModelSet(under_test, tuple(judges.values()), panel["rule"])
    session = StoredSession(db, models, {name: one["fingerprint"] for name, one in said["called"].items()})

    async def rows_of(model: str) -> list[str | None]:
        return [row.unscored for item in items for row in await task.solve(session, model, item)]

    rows = {model: run_sync(rows_of(model)) for model in said["models"]}
    return questions.name, rows, len(items) * len(task.ways)


_UNREADABLE = frozenset(("reading", "classification", "quality", "raf"))
"""What a row's reason begins with where a reply or a judgement is there and cannot be read."""


def _state(unscored: str | None) -> str:
    """One of `STATES`, from why a row is unscored.

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
