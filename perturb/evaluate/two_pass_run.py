"""A two-pass run from question set to table: resumable, within limits and budget."""

from __future__ import annotations

import itertools
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from perturb.errors import BudgetSpent, ConfigError
from perturb.evaluate.grade import Grader
from perturb.evaluate.question_run import (
    QuestionPlan,
    bring_through,
    call_facts,
    check_judge,
    check_models,
    enter,
    open_plan,
    plan_facts,
    plan_warnings,
    run_to_end,
    write_table,
)
from perturb.evaluate.questions import Question
from perturb.evaluate.refusal_table import TABLE_FILE
from perturb.evaluate.two_pass import SETTINGS, TEMPLATE, TwoPass, TwoPassRow
from perturb.store import EvaluationLedger
from perturb.store.db import ledger_errors

FACT = "two_pass"
"""The name under which a run keeps what it is made of."""


@dataclass(frozen=True, slots=True)
class TwoPassPlan(QuestionPlan):
    """What is asked of whom."""

    settings: tuple[str, ...] = tuple(SETTINGS)
    """First-pass prompts, by name."""

    def facts(self) -> dict[str, Any]:
        """What the ledger keeps about the run; no address and no key."""
        return plan_facts(self, [TEMPLATE]) | {"settings": list(self.settings)}


@dataclass(frozen=True, slots=True)
class TwoPassReport:
    """How a run ended."""

    run: Path
    table: Path
    rows: tuple[TwoPassRow, ...]
    facts: Mapping[str, Any]
    """Counts, tokens, cost and seconds, under the names of `perturb refusal-index run --json`."""
    stopped: str | None = None
    """Why the run stopped before its end, if it did."""
    warnings: tuple[str, ...] = ()


def run_two_pass(plan: TwoPassPlan, run: Path, *, progress: bool = False) -> TwoPassReport:
    """Run both passes in the run folder, or go on with a run that was stopped; then write its table.

    Raises `PerturbError`s for what a user can mend; an interrupt leaves a ledger from which the same call goes on.
    """
    started = time.monotonic()
    _check(plan)
    with EvaluationLedger(run) as ledger, ledger_errors(ledger.path):
        enter(plan.questions, ledger, FACT, plan.facts())
        stopped, rows = run_to_end(_drive(plan, ledger, progress))
        table = run / TABLE_FILE
        write_table(table, (row.to_dict() for row in rows))
        facts = _report_facts(plan, ledger, table, rows)
    facts["seconds"] = round(time.monotonic() - started, 2)
    return TwoPassReport(
        run, table, rows, facts, str(stopped) if stopped else None, _warnings(plan, facts, stopped)
    )


def _check(plan: TwoPassPlan) -> None:
    check_models(plan)
    for setting in plan.settings:
        if setting not in SETTINGS:
            raise ConfigError(f"--setting: '{setting}' is unknown: use {', '.join(SETTINGS)}")
    check_judge(plan)


async def _drive(
    plan: TwoPassPlan, ledger: EvaluationLedger, progress: bool
) -> tuple[BudgetSpent | None, tuple[TwoPassRow, ...]]:
    questions = plan.questions.questions
    async with open_plan(plan, ledger) as asker:
        two_pass = TwoPass(ledger, asker, Grader(asker, plan.judge), plan.models)

        async def run_one(model: str, question: Question) -> None:
            await two_pass.run(question, model, plan.settings)

        stopped = await bring_through(plan.models, questions, run_one, progress)
    ledger.flush()
    rows = tuple(
        two_pass.row(question, model.name, setting)
        for model, setting, question in itertools.product(plan.models, plan.settings, questions)
    )
    return stopped, rows


def _report_facts(
    plan: TwoPassPlan, ledger: EvaluationLedger, table: Path, rows: tuple[TwoPassRow, ...]
) -> dict[str, Any]:
    return {
        "run": str(ledger.folder),
        "table": str(table),
        "questions": len(plan.questions.questions),
        "models": [model.name for model in plan.models],
        "rows": len(rows),
        "unscored": sum(row.unscored is not None for row in rows),
        **call_facts(ledger),
    }


def _warnings(plan: TwoPassPlan, facts: Mapping[str, Any], stopped: BudgetSpent | None) -> tuple[str, ...]:
    notes = list(plan_warnings(plan))
    if facts["unscored"] and stopped is None:
        notes.append(
            f"{facts['unscored']} of {facts['rows']} rows are unscored: run the same command again to ask once more"
        )
    return tuple(notes)
