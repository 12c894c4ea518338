"""What runs over questions have in common: who is called, what is refused, the driving, the table and the counts."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from tqdm import tqdm

from perturb.blueprint import code_version
from perturb.errors import BudgetSpent, ConfigError, LedgerError, PerturbError
from perturb.evaluate import grade
from perturb.evaluate.questions import QuestionSet
from perturb.llm.asking import Asker
from perturb.llm.budget import Budget
from perturb.llm.client import ModelSettings
from perturb.prompts import template_version
from perturb.store import EvaluationLedger, queries
from perturb.store.evaluations import read_facts
from perturb.workers import first_error, open_asker, work_through

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class QuestionPlan:
    """What every run over questions is told; each kind of run adds how it asks."""

    questions: QuestionSet
    models: tuple[ModelSettings, ...]
    judge: ModelSettings | None
    """Needed where answers are words; option letters and numbers are graded by rule where they are plain."""
    budget_usd: float | None = field(default=None, kw_only=True)

    @property
    def called(self) -> dict[str, ModelSettings]:
        """The models and the judge, by name."""
        return {one.name: one for one in (*self.models, *([self.judge] if self.judge else []))}


def check_models(plan: QuestionPlan) -> None:
    """Raise `ConfigError` if a model is named twice."""
    names = [model.name for model in plan.models]
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(f"--model: '{name}' stands twice: name each model once")


def check_judge(plan: QuestionPlan) -> None:
    """Raise `ConfigError` if the judge shares its name with another model, or is missing where it is needed."""
    judge = plan.judge
    same = [model for model in plan.models if judge and model.name == judge.name]
    if judge and same and same[0].fingerprint() != judge.fingerprint():
        raise ConfigError(f"--judge: a model under test is called '{judge.name}' too: give it another name")
    if judge is None and any(question.form == "text" for question in plan.questions.questions):
        raise ConfigError("--judge: answers in words cannot be graded without one: name a model")


def plan_facts(plan: QuestionPlan, templates: Iterable[str]) -> dict[str, Any]:
    """What a ledger keeps about the plan, with the versions of the templates asked with; no address and no key."""
    return {
        "questions": {
            "name": plan.questions.name,
            "digest": plan.questions.digest,
            "count": len(plan.questions.questions),
        },
        "models": [model.name for model in plan.models],
        "judge": plan.judge.name if plan.judge else None,
        "called": {
            name: {"model": one.model, "params": dict(one.params), "fingerprint": one.fingerprint()}
            for name, one in plan.called.items()
        },
        "templates": {name: template_version(name) for name in (*templates, grade.TEMPLATE)},
        "code_version": code_version(),
    }


def enter(questions: QuestionSet, ledger: EvaluationLedger, fact: str, value: dict[str, Any]) -> None:
    """Enter the questions, and under the name `fact` what the run is made of.

    Raises `LedgerError` if the ledger holds another kind of run.
    """
    known = read_facts(ledger.db)
    other = bool(known) and fact not in known
    if other or ledger.db.execute("SELECT 1 FROM plans").fetchone():
        raise LedgerError(f"{ledger.folder}: holds another kind of run: choose another folder with --out")
    ledger.add_items((question.id, question.to_payload()) for question in questions.questions)
    ledger.write_fact(fact, value)


def run_to_end(work: Coroutine[Any, Any, T]) -> T:
    """The result of the work; a termination ends it as Ctrl-C does."""
    try:
        return asyncio.run(work)
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


def open_plan(plan: QuestionPlan, ledger: EvaluationLedger) -> AbstractAsyncContextManager[Asker]:
    """An asker over the models and the judge, within what is left of the budget."""
    return open_asker(plan.called.values(), ledger, Budget(plan.budget_usd, queries.spent_usd(ledger.db)))


async def bring_through(
    models: Sequence[ModelSettings],
    tasks: Sequence[T],
    do: Callable[[str, T], Awaitable[None]],
    progress: bool,
) -> BudgetSpent | None:
    """Bring every model, by name, through every task, each at its own pace; returns what stopped the first of them.

    Raises the first error of any other kind.
    """
    total = len(tasks) * len(models)
    with tqdm(total=total, unit="question", disable=None if progress else True) as bar:

        async def bring(model: ModelSettings) -> BudgetSpent | None:
            async def do_one(task: T) -> None:
                await do(model.name, task)
                bar.update()

            return await work_through(iter(tasks), do_one, model.max_connections)

        try:
            async with asyncio.TaskGroup() as group:
                passes = [group.create_task(bring(model)) for model in models]
        except* PerturbError as failures:
            raise first_error(failures) from None
    return next((stop for one in passes if (stop := one.result()) is not None), None)


def write_table(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Write the table, one JSON object a line, whole or not at all; raises `LedgerError` if it cannot be."""
    beside = path.with_suffix(".part")
    try:
        with beside.open("w", encoding="utf-8", newline="\n") as file:
            for row in rows:
                file.write(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n")
        beside.replace(path)
    except OSError as exc:
        raise LedgerError(f"{path}: cannot be written ({exc.strerror}): check the folder") from None


def call_facts(ledger: EvaluationLedger) -> dict[str, Any]:
    """Calls, tokens and cost of the run so far; the cost is None where a price is unknown."""
    totals = queries.call_totals(ledger.db).values()
    costs = [entry["cost_usd"] for entry in totals]
    return {
        "calls": sum(entry["calls"] for entry in totals),
        "cached_calls": ledger.cached_calls,
        "tokens": sum((entry["prompt_tokens"] or 0) + (entry["completion_tokens"] or 0) for entry in totals),
        "cost_usd": None if None in costs else round(sum(costs), 6),
    }


def plan_warnings(plan: QuestionPlan) -> Iterator[str]:
    """What a reader of any scores of this plan should know, one line each."""
    yield from plan.questions.warnings
    judge = plan.judge
    if judge and judge.fingerprint() in {model.fingerprint() for model in plan.models}:
        yield f"the judge '{judge.name}' is under test itself: it may favour its own answers"
