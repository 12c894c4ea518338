"""The status of a run, for builds and evaluations: how far it is, counted from its ledger.

A reply of an evaluation is done, unscored, failed, not judged or not asked.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from perturb.ledger import queries
from perturb.ledger.calls import reading
from perturb.ledger.db import stored_values
from perturb.ledger.ends import call_failures, missing_answers, missing_replies, quota_status, unread_replies
from perturb.ledger.evaluations import PANEL_FACT, count_batches, early_stop, read_facts, read_items
from perturb.ledger.plans import current_plan
from perturb.records import Facts, JobOutcome, JsonObject
from perturb.runtime import run_sync

if TYPE_CHECKING:
    from perturb.evaluation.session import StoredSession

# The status of a build must be quick. Modules of evaluations load NumPy, so functions below import them when called.


def read_status(run: Path) -> JsonObject:
    """The content of `perturb status` for a build or an evaluation, from its ledger.

    Raises `LedgerError` if there is no run, or if it cannot be read.
    """
    with reading(run) as db:
        facts = read_facts(db)
        if not facts:
            return _build_status(db, run)
        # Facts of a run over items have `models`; those of a run over questions are under the name of the task.
        name, counts = _item_counts(db, run) if "models" in facts else _question_counts(db, facts)
        return {
            "kind": "evaluation",
            "run": str(run),
            "name": name,
            "replies": sum(sum(states.values()) for states in counts.values()),
            "left": sum(states[state] for states in counts.values() for state in LEFT),
            "under_test": counts,
            # the stopping rule of each model, and where it stands
            "until": {
                name: model_facts["until"]
                for name, model_facts in facts.get("models", {}).items()
                if "until" in model_facts
            },
            "batches": count_batches(db),
            "missing_replies": missing_answers(db),
            "models": queries.call_totals(db),
            "failures": list(map(asdict, call_failures(db))),
        }


def _build_status(db: sqlite3.Connection, run: Path) -> JsonObject:
    plan = current_plan(db, run)
    counts = plan.count_stages(db)
    cells = queries.cell_counts(db, plan.number, plan.panel)
    quota = quota_status(db, plan)
    depths = queries.depth_counts(db, plan.number, plan.panel)
    return {
        "kind": "build",
        "run": str(run),
        "name": plan.facts.name,
        "round": plan.facts.round,
        "jobs": counts.jobs,
        "left": counts.left,
        "stages": {
            **{str(outcome): counts.outcomes.get(outcome, 0) for outcome in JobOutcome},
            "votes": counts.votes,
            "faults": counts.faults,
            **{name: counts.decisions.get(name, 0) for name in ("accepted", "rejected", "undecided")},
        },
        "cells": {str(cell): cells[cell] for cell in plan.cells if cell in cells},
        **({"depths": depths} if depths else {}),
        **({"quota": quota} if quota else {}),
        "declined": queries.declines(db, plan.number),
        "missing_replies": missing_replies(db, plan.number, plan.judges),
        "models": queries.call_totals(db),
        "failures": list(map(asdict, call_failures(db, plan.number))),
        "unread": list(map(asdict, unread_replies(db, plan.number, plan.panel, plan.judges))),
    }


# The states that a second run of the same command can change.
LEFT = ("failed", "not_judged", "not_asked")
# The states of a reply.
STATES = ("done", "unscored", *LEFT)
# Model under test → state → the number of its replies in this state.
Counts = dict[str, dict[str, int]]


def _item_counts(db: sqlite3.Connection, run: Path) -> tuple[str, Counts]:
    """The name of the snapshot of a run over items, and its counts."""
    from perturb.evaluation.results import run_of
    from perturb.snapshots.settings import samples_by_variant

    evaluation = run_of(db, run)
    counts = {}
    for model, entry in evaluation.facts["models"].items():
        counts[model] = _count_states(
            result.unscored for result in evaluation.results if result.model == model
        )
        # A model that stopped early is not asked about the other items.
        if early_stop(entry) is None:
            expected = evaluation.items * sum(samples_by_variant(entry).values())
            counts[model]["not_asked"] += expected - sum(counts[model].values())
    return evaluation.facts["snapshot"]["name"], counts


@stored_values()
def _question_counts(db: sqlite3.Connection, facts: Facts) -> tuple[str, Counts]:
    """The name of the set of a run over questions, and its counts.

    The task is repeated on the stored replies, so that status and table agree.
    """
    from perturb.evaluation.bas import BasTask
    from perturb.evaluation.question_formats import QuestionSet, question_from_payload
    from perturb.evaluation.refusal_index import RefusalIndexTask

    items = tuple(question_from_payload(item_id, content) for item_id, content in read_items(db))
    is_refusal_index = RefusalIndexTask.fact in facts
    task_facts = facts[RefusalIndexTask.fact if is_refusal_index else BasTask.fact]
    questions = QuestionSet(task_facts["questions"]["name"], items)
    make_task = RefusalIndexTask.of if is_refusal_index else BasTask.of
    task = make_task(questions, task_facts)
    session = _stored_session(db, task_facts, facts.get(PANEL_FACT))

    async def reasons_of(model: str) -> list[str | None]:
        return [row.unscored for item in items for row in await task.solve(session, model, item)]

    counts = {model: _count_states(run_sync(reasons_of(model))) for model in task_facts["models"]}
    return questions.name, counts


def _stored_session(db: sqlite3.Connection, task_facts: Facts, panel: Facts | None) -> StoredSession:
    """The session of a run over questions, with its models and judges as the facts of its task describe them."""
    from perturb.evaluation.loading import recorded_model
    from perturb.evaluation.models_under_test import ModelSet
    from perturb.evaluation.session import StoredSession

    called = {name: recorded_model({**entry, "name": name}) for name, entry in task_facts["called"].items()}
    if panel is None:
        panel = {"judges": [task_facts["judge"]] if task_facts["judge"] else [], "rule": "majority"}
    under_test = {name: called[name] for name in task_facts["models"]}
    models = ModelSet(under_test, tuple(called[name] for name in panel["judges"]), panel["rule"])
    fingerprints = {name: entry["fingerprint"] for name, entry in task_facts["called"].items()}
    return StoredSession(db, models, fingerprints)


def _count_states(reasons: Iterable[str | None]) -> dict[str, int]:
    """The number of replies in each state, from the reasons why their rows are unscored; None for a scored row."""
    states = Counter(map(_reply_state, reasons))
    return {state: states[state] for state in STATES}


# The stages of a reason if a reply or a judgement exists but cannot be read.
_UNREADABLE = frozenset(("reading", "classification", "quality", "raf"))


def _reply_state(unscored: str | None) -> str:
    """The state of a reply, from the reason why its row is unscored: `STAGE: reason`.

    The stage is `response` or a kind of judgement for items, and for questions a prompt, `reading`, `reply` or `grade`.

    >>> _reply_state("low: not asked yet"), _reply_state("quality: maybe"), _reply_state("response: status 500")
    ('not_asked', 'unscored', 'failed')
    """
    from perturb.evaluation.reading import DISAGREE
    from perturb.evaluation.results import JUDGE_FAILED
    from perturb.evaluation.session import NOT_ASKED, NOT_JUDGED

    if unscored is None:
        return "done"
    stage, _, reason = unscored.partition(": ")
    if reason == NOT_ASKED:
        return "not_asked"
    if reason == NOT_JUDGED:
        return "not_judged"
    if reason.startswith(DISAGREE):
        return "unscored"
    if stage not in _UNREADABLE or reason.startswith(JUDGE_FAILED):
        return "failed"
    return "unscored"
