"""A run that elicits confidence, from question set to table: resumable, within limits and budget."""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tqdm import tqdm

from perturb.blueprint import code_version
from perturb.errors import BudgetSpent, ConfigError, LedgerError, PerturbError
from perturb.evaluate import grade
from perturb.evaluate.confidence import ConfidenceElicitor, ConfidenceRow
from perturb.evaluate.confidence_table import TABLE_FILE
from perturb.evaluate.elicit import DEFAULT_K, Elicitation
from perturb.evaluate.grade import Grader
from perturb.evaluate.qa_prompts import template_version
from perturb.evaluate.questions import Question, QuestionSet
from perturb.llm.budget import Budget
from perturb.llm.client import ModelSettings
from perturb.store import EvaluationLedger, queries
from perturb.store.db import ledger_errors
from perturb.store.evaluations import read_facts
from perturb.workers import first_error, open_asker, work_through

FACT = "confidence"
"""The name under which a run keeps what it is made of."""


@dataclass(frozen=True, slots=True)
class ConfidencePlan:
    """What is asked of whom."""

    questions: QuestionSet
    models: tuple[ModelSettings, ...]
    judge: ModelSettings | None
    """Needed where answers are words; option letters and numbers are graded by rule where they are plain."""
    elicitations: tuple[Elicitation, ...] = (Elicitation.DIRECT,)
    k: int = DEFAULT_K
    """Answers asked for where several are."""
    budget_usd: float | None = None

    def facts(self) -> dict[str, Any]:
        """What the ledger keeps about the run; no address and no key."""
        everybody = [*self.models, *([self.judge] if self.judge else [])]
        templates = [*(elicitation.template for elicitation in self.elicitations), grade.TEMPLATE]
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
            "elicitations": [str(elicitation) for elicitation in self.elicitations],
            "k": self.k,
            "templates": {name: template_version(name) for name in templates},
            "code_version": code_version(),
        }


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
        _enter(plan, ledger)
        try:
            stopped, rows = asyncio.run(_drive(plan, ledger, progress))
        except asyncio.CancelledError:  # a termination ends the run as Ctrl-C does
            raise KeyboardInterrupt from None
        table = run / TABLE_FILE
        _write(table, rows)
        facts = _report_facts(plan, ledger, table, rows)
    facts["seconds"] = round(time.monotonic() - started, 2)
    warnings = tuple(_warnings(plan, rows, stopped))
    return ConfidenceReport(run, table, rows, facts, str(stopped) if stopped else None, warnings)


def _check(plan: ConfidencePlan) -> None:
    names = [model.name for model in plan.models]
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(f"--model: '{name}' stands twice: name each model once")
    if len(set(plan.elicitations)) < len(plan.elicitations):
        raise ConfigError("--elicitation: one stands twice: name each once")
    if plan.k < 2:
        raise ConfigError(f"--k: {plan.k} answers are not several: give 2 or more")
    judge = plan.judge
    same = [model for model in plan.models if judge and model.name == judge.name]
    if judge and same and same[0].fingerprint() != judge.fingerprint():
        raise ConfigError(f"--judge: a model under test is called '{judge.name}' too: give it another name")
    if judge is None and any(question.form == "text" for question in plan.questions.questions):
        raise ConfigError("--judge: answers in words cannot be graded without one: name a model")


def _enter(plan: ConfidencePlan, ledger: EvaluationLedger) -> None:
    known = read_facts(ledger.db)
    other = bool(known) and FACT not in known
    if other or ledger.db.execute("SELECT 1 FROM plans").fetchone():
        raise LedgerError(f"{ledger.folder}: holds another kind of run: choose another folder with --out")
    ledger.add_items((question.id, question.to_payload()) for question in plan.questions.questions)
    ledger.write_fact(FACT, plan.facts())


async def _drive(
    plan: ConfidencePlan, ledger: EvaluationLedger, progress: bool
) -> tuple[BudgetSpent | None, tuple[ConfidenceRow, ...]]:
    budget = Budget(plan.budget_usd, queries.spent_usd(ledger.db))
    called = {one.name: one for one in (*plan.models, *([plan.judge] if plan.judge else []))}
    tasks = list(itertools.product(plan.elicitations, plan.questions.questions))
    with tqdm(
        total=len(tasks) * len(plan.models), unit="question", disable=None if progress else True
    ) as bar:
        async with open_asker(called.values(), ledger, budget) as asker:
            elicitor = ConfidenceElicitor(ledger, asker, Grader(asker, plan.judge), plan.models, plan.k)

            async def pass_through(model: ModelSettings) -> BudgetSpent | None:
                async def run_one(task: tuple[Elicitation, Question]) -> None:
                    await elicitor.run(task[1], model.name, task[0])
                    bar.update()

                return await work_through(iter(tasks), run_one, model.max_connections)

            try:
                async with asyncio.TaskGroup() as group:
                    passes = [group.create_task(pass_through(model)) for model in plan.models]
            except* PerturbError as failures:
                raise first_error(failures) from None
    ledger.flush()
    stops = [stop for one in passes if (stop := one.result()) is not None]
    rows = tuple(
        elicitor.row(question, model.name, elicitation)
        for model, (elicitation, question) in itertools.product(plan.models, tasks)
    )
    return next(iter(stops), None), rows


def _write(path: Path, rows: tuple[ConfidenceRow, ...]) -> None:
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
    plan: ConfidencePlan, ledger: EvaluationLedger, table: Path, rows: tuple[ConfidenceRow, ...]
) -> dict[str, Any]:
    totals = queries.call_totals(ledger.db).values()
    costs = [entry["cost_usd"] for entry in totals]
    return {
        "run": str(ledger.folder),
        "table": str(table),
        "questions": len(plan.questions.questions),
        "models": [model.name for model in plan.models],
        "elicitations": [str(elicitation) for elicitation in plan.elicitations],
        "rows": len(rows),
        "unscored": sum(row.unscored is not None for row in rows),
        "calls": sum(entry["calls"] for entry in totals),
        "cached_calls": ledger.cached_calls,
        "tokens": sum((entry["prompt_tokens"] or 0) + (entry["completion_tokens"] or 0) for entry in totals),
        "cost_usd": None if None in costs else round(sum(costs), 6),
    }


def _warnings(
    plan: ConfidencePlan, rows: tuple[ConfidenceRow, ...], stopped: BudgetSpent | None
) -> Iterator[str]:
    """What a reader of the scores should know, one line each."""
    yield from plan.questions.warnings
    judge = plan.judge
    if judge and judge.fingerprint() in {model.fingerprint() for model in plan.models}:
        yield f"the judge '{judge.name}' is under test itself: it may favour its own answers"
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
