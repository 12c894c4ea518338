"""A two-pass run from question set to table: resumable, within limits and budget."""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tqdm import tqdm

from perturb.blueprint import code_version
from perturb.errors import BudgetSpent, ConfigError, LedgerError, PerturbError
from perturb.evaluate import grade
from perturb.evaluate.grade import Grader
from perturb.evaluate.qa_prompts import template_version
from perturb.evaluate.questions import Question, QuestionSet
from perturb.evaluate.refusal_table import TABLE_FILE
from perturb.evaluate.two_pass import SETTINGS, TEMPLATE, TwoPass, TwoPassRow
from perturb.llm.budget import Budget
from perturb.llm.client import ModelSettings
from perturb.store import EvaluationLedger, queries
from perturb.store.db import ledger_errors
from perturb.store.evaluations import read_facts
from perturb.workers import first_error, open_asker, work_through

FACT = "two_pass"
"""The name under which a run keeps what it is made of."""


@dataclass(frozen=True, slots=True)
class TwoPassPlan:
    """What is asked of whom."""

    questions: QuestionSet
    models: tuple[ModelSettings, ...]
    judge: ModelSettings | None
    """Needed where answers are words; option letters and numbers are graded by rule where they are plain."""
    settings: tuple[str, ...] = tuple(SETTINGS)
    """First-pass prompts, by name."""
    budget_usd: float | None = None

    def facts(self) -> dict[str, Any]:
        """What the ledger keeps about the run; no address and no key."""
        everybody = [*self.models, *([self.judge] if self.judge else [])]
        return {
            "questions": {
                "name": self.questions.name,
                "digest": self.questions.digest,
                "count": len(self.questions.questions),
            },
            "models": [model.name for model in self.models],
            "judge": self.judge.name if self.judge else None,
            "called": {
                one.name: {
                    "model": one.model,
                    "params": dict(one.params),
                    "fingerprint": one.fingerprint(),
                }
                for one in everybody
            },
            "settings": list(self.settings),
            "templates": {name: template_version(name) for name in (TEMPLATE, grade.TEMPLATE)},
            "code_version": code_version(),
        }


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
        _enter(plan, ledger)
        try:
            stopped, rows = asyncio.run(_drive(plan, ledger, progress))
        except asyncio.CancelledError:  # a termination ends the run as Ctrl-C does
            raise KeyboardInterrupt from None
        table = run / TABLE_FILE
        _write(table, rows)
        facts = _report_facts(plan, ledger, table, rows)
    facts["seconds"] = round(time.monotonic() - started, 2)
    return TwoPassReport(
        run, table, rows, facts, str(stopped) if stopped else None, _warnings(plan, facts, stopped)
    )


def _check(plan: TwoPassPlan) -> None:
    names = [model.name for model in plan.models]
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(f"--model: '{name}' stands twice: name each model once")
    for setting in plan.settings:
        if setting not in SETTINGS:
            raise ConfigError(f"--setting: '{setting}' is unknown: use {', '.join(SETTINGS)}")
    judge = plan.judge
    same = [model for model in plan.models if judge and model.name == judge.name]
    if judge and same and same[0].fingerprint() != judge.fingerprint():
        raise ConfigError(f"--judge: a model under test is called '{judge.name}' too: give it another name")
    if judge is None and any(question.form == "text" for question in plan.questions.questions):
        raise ConfigError("--judge: answers in words cannot be graded without one: name a model")


def _enter(plan: TwoPassPlan, ledger: EvaluationLedger) -> None:
    known = read_facts(ledger.db)
    other = bool(known) and FACT not in known
    if other or ledger.db.execute("SELECT 1 FROM plans").fetchone():
        raise LedgerError(f"{ledger.folder}: holds another kind of run: choose another folder with --out")
    ledger.add_items((question.id, question.to_payload()) for question in plan.questions.questions)
    ledger.write_fact(FACT, plan.facts())


async def _drive(
    plan: TwoPassPlan, ledger: EvaluationLedger, progress: bool
) -> tuple[BudgetSpent | None, tuple[TwoPassRow, ...]]:
    budget = Budget(plan.budget_usd, queries.spent_usd(ledger.db))
    called = {one.name: one for one in (*plan.models, *([plan.judge] if plan.judge else []))}
    questions = plan.questions.questions
    total = len(questions) * len(plan.models)
    with tqdm(total=total, unit="question", disable=None if progress else True) as bar:
        async with open_asker(called.values(), ledger, budget) as asker:
            two_pass = TwoPass(ledger, asker, Grader(asker, plan.judge), plan.models)

            async def pass_through(model: ModelSettings) -> BudgetSpent | None:
                async def run_one(question: Question) -> None:
                    await two_pass.run(question, model.name, plan.settings)
                    bar.update()

                return await work_through(iter(questions), run_one, model.max_connections)

            try:
                async with asyncio.TaskGroup() as group:
                    passes = [group.create_task(pass_through(model)) for model in plan.models]
            except* PerturbError as failures:
                raise first_error(failures) from None
    ledger.flush()
    stops = [stop for one in passes if (stop := one.result()) is not None]
    rows = tuple(
        two_pass.row(question, model.name, setting)
        for model, setting, question in itertools.product(plan.models, plan.settings, questions)
    )
    return next(iter(stops), None), rows


def _write(path: Path, rows: tuple[TwoPassRow, ...]) -> None:
    """Write the table whole or not at all."""
    beside = path.with_suffix(".part")
    try:
        with beside.open("w", encoding="utf-8", newline="\n") as file:
            for row in rows:
                file.write(json.dumps(row.to_dict(), ensure_ascii=False, allow_nan=False) + "\n")
        beside.replace(path)
    except OSError as exc:
        raise LedgerError(f"{path}: cannot be written ({exc.strerror}): check the folder") from None


def _report_facts(
    plan: TwoPassPlan, ledger: EvaluationLedger, table: Path, rows: tuple[TwoPassRow, ...]
) -> dict[str, Any]:
    totals = queries.call_totals(ledger.db).values()
    costs = [entry["cost_usd"] for entry in totals]
    return {
        "run": str(ledger.folder),
        "table": str(table),
        "questions": len(plan.questions.questions),
        "models": [model.name for model in plan.models],
        "rows": len(rows),
        "unscored": sum(row.unscored is not None for row in rows),
        "calls": sum(entry["calls"] for entry in totals),
        "cached_calls": ledger.cached_calls,
        "tokens": sum((entry["prompt_tokens"] or 0) + (entry["completion_tokens"] or 0) for entry in totals),
        "cost_usd": None if None in costs else round(sum(costs), 6),
    }


def _warnings(plan: TwoPassPlan, facts: Mapping[str, Any], stopped: BudgetSpent | None) -> tuple[str, ...]:
    notes = list(plan.questions.warnings)
    judge = plan.judge
    if judge and judge.fingerprint() in {model.fingerprint() for model in plan.models}:
        notes.append(f"the judge '{judge.name}' is under test itself: it may favour its own answers")
    if facts["unscored"] and stopped is None:
        notes.append(
            f"{facts['unscored']} of {facts['rows']} rows are unscored: run the same command again to ask once more"
        )
    return tuple(notes)
