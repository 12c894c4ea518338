"""A run that elicits confidence, from question set to table: resumable, within limits and budget."""

from __future__ import annotations

import itertools
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from perturb.errors import BudgetSpent, ConfigError
from perturb.evaluate.confidence import ConfidenceElicitor, ConfidenceRow
from perturb.evaluate.confidence_table import TABLE_FILE
from perturb.evaluate.elicit import DEFAULT_K, Elicitation
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
from perturb.store import EvaluationLedger
from perturb.store.db import ledger_errors

FACT = "confidence"
"""The name under which a run keeps what it is made of."""


@dataclass(frozen=True, slots=True)
class ConfidencePlan(QuestionPlan):
    """What is asked of whom."""

    elicitations: tuple[Elicitation, ...] = (Elicitation.DIRECT,)
    k: int = DEFAULT_K
    """Answers asked for where several are."""

    def facts(self) -> dict[str, Any]:
        """What the ledger keeps about the run; no address and no key."""
        templates = [elicitation.template for elicitation in self.elicitations]
        ways = {"elicitations": [str(elicitation) for elicitation in self.elicitations], "k": self.k}
        return plan_facts(self, templates) | ways


@dataclass(frozen=True, slots=True)
class ConfidenceReport:
    """How a run ended."""

    run: Path
    table: Path
    rows: tuple[ConfidenceRow, ...]
    facts: Mapping[str, Any]
    """Counts, tokens, cost and seconds, under the names of `perturb bas run --json`."""
    stopped: str | None = None
    """Why the run stopped before its end, if it did."""
    warnings: tuple[str, ...] = ()


def run_confidence(plan: ConfidencePlan, run: Path, *, progress: bool = False) -> ConfidenceReport:
    """Elicit in the run folder, or go on with a run that was stopped; then write its table.

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
    warnings = tuple(_warnings(plan, rows, stopped))
    return ConfidenceReport(run, table, rows, facts, str(stopped) if stopped else None, warnings)


def _check(plan: ConfidencePlan) -> None:
    check_models(plan)
    if len(set(plan.elicitations)) < len(plan.elicitations):
        raise ConfigError("--elicitation: one stands twice: name each once")
    if plan.k < 2:
        raise ConfigError(f"--k: {plan.k} answers are not several: give 2 or more")
    check_judge(plan)


async def _drive(
    plan: ConfidencePlan, ledger: EvaluationLedger, progress: bool
) -> tuple[BudgetSpent | None, tuple[ConfidenceRow, ...]]:
    tasks = list(itertools.product(plan.elicitations, plan.questions.questions))
    async with open_plan(plan, ledger) as asker:
        elicitor = ConfidenceElicitor(ledger, asker, Grader(asker, plan.judge), plan.models, plan.k)

        async def run_one(model: str, task: tuple[Elicitation, Question]) -> None:
            elicitation, question = task
            await elicitor.run(question, model, elicitation)

        stopped = await bring_through(plan.models, tasks, run_one, progress)
    ledger.flush()
    rows = tuple(
        elicitor.row(question, model.name, elicitation)
        for model, (elicitation, question) in itertools.product(plan.models, tasks)
    )
    return stopped, rows


def _report_facts(
    plan: ConfidencePlan, ledger: EvaluationLedger, table: Path, rows: tuple[ConfidenceRow, ...]
) -> dict[str, Any]:
    return {
        "run": str(ledger.folder),
        "table": str(table),
        "questions": len(plan.questions.questions),
        "models": [model.name for model in plan.models],
        "elicitations": [str(elicitation) for elicitation in plan.elicitations],
        "rows": len(rows),
        "unscored": sum(row.unscored is not None for row in rows),
        **call_facts(ledger),
    }


def _warnings(
    plan: ConfidencePlan, rows: tuple[ConfidenceRow, ...], stopped: BudgetSpent | None
) -> Iterator[str]:
    """What a reader of the scores should know, one line each."""
    yield from plan_warnings(plan)
    for (model, elicitation), group in _grouped(rows):
        name = f"{model}, {elicitation}"
        sums = sum("add up to" in (row.notes or "") for row in group)
        if sums:
            yield f"{name}: in {sums} of {len(group)} replies the probabilities do not add up to 1; they stand"
        stages = Counter(row.unscored.split(":")[0] for row in group if row.unscored)
        if stages["reading"]:
            yield f"{name}: {stages['reading']} of {len(group)} replies state no readable answer and confidence"
        again = stages["reply"] + stages["grade"]
        if again and stopped is None:
            yield f"{name}: {again} calls or grades failed: run the same command again to ask once more"


def _grouped(rows: tuple[ConfidenceRow, ...]) -> Iterator[tuple[tuple[str, str], list[ConfidenceRow]]]:
    groups: dict[tuple[str, str], list[ConfidenceRow]] = {}
    for row in rows:
        groups.setdefault((row.model, row.elicitation), []).append(row)
    yield from groups.items()
