"""The runner of every task (`run_task`), and the plans of tasks over questions (`ask_questions`).

The runner takes each model through all items and stores every reply at once. Replies in the ledger are not asked for
again, but failed calls are repeated. A reply is judged as soon as it arrives, and no model waits for another.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from perturb.errors import BudgetSpent
from perturb.evaluation.loading import find_items, find_models, recorded_questions
from perturb.evaluation.models_under_test import ModelSet, ModelUnderTest
from perturb.evaluation.question_formats import QuestionSet
from perturb.evaluation.reading import DISAGREE, PANEL, votes_needed
from perturb.evaluation.refusal_index import QuestionTask
from perturb.evaluation.session import AskPlan, EvaluationReport, ItemT, RunOptions, Session, Task
from perturb.ledger import queries
from perturb.ledger.ends import call_failures, missing_answers
from perturb.ledger.evaluations import (
    KEYS_FACT,
    PANEL_FACT,
    EvaluationLedger,
    count_batches,
    read_facts,
    read_judgements,
)
from perturb.llm.budget import Budget, Progress
from perturb.llm.client import ChatModel
from perturb.llm.executors import open_executor
from perturb.llm.factory import ConnectionCheck, Executor, open_models
from perturb.llm.limits import LimitedModel
from perturb.llm.model_client import ModelClient
from perturb.llm.recording import ReplayedModel
from perturb.records import Facts, JsonObject
from perturb.runtime import first_error, run_concurrently, run_sync, sigterm_as_interrupt
from perturb.text.wording import counted

# The largest number of failures that the warnings at the end of a run list.
_NAMED_FAILURES = 5


def run_task(
    task: Task[Any], models: ModelSet, run: Path, options: RunOptions, *, progress: bool = False
) -> EvaluationReport:
    """Run a task in the run folder, or continue a run that was stopped; then write its table.

    Raises `PerturbError`s for faults that a user can correct. After an interrupt the same call continues from the
    ledger.
    """
    started = time.monotonic()
    task.check(models)
    if options.asks_models:
        models.check(in_batches=options.batch is not None)
    with EvaluationLedger(run) as ledger:
        task.register_run(ledger, models)
        # A run that began with a panel stays one, even if this session has a single judge.
        if len(models.judges) > 1 or (models.judge and read_facts(ledger.db).get(PANEL_FACT)):
            ledger.write_fact(PANEL_FACT, models.panel_facts())
        ledger.flush()
        try:
            stopped = run_sync(_run_all(task, models, ledger, options, progress))
        except KeyboardInterrupt:
            # `run_and_report` of the command line prints the message.
            raise KeyboardInterrupt(*_notes_on_open_batches(ledger)) from None
        ledger.flush()
        result = run_sync(task.finish(Session(ledger, models), stopped=stopped is not None))
        facts = {"run": str(run), **result.facts, **_closing_facts(ledger, models, options)}
        # The ledger may also have failures of models that only earlier sessions called.
        failures = [str(failure) for failure in call_failures(ledger.db) if failure.model in models.called]
        warnings = [
            *failures[:_NAMED_FAILURES],
            *_warnings(models, options),
            *_disagreements(ledger, models),
            *result.warnings,
        ]
    facts["seconds"] = round(time.monotonic() - started, 2)
    reason = None if stopped is None else str(stopped)
    return replace(result, facts=facts, warnings=tuple(warnings), stopped=reason)


def _closing_facts(ledger: EvaluationLedger, models: ModelSet, options: RunOptions) -> JsonObject:
    """What the report says about the calls of a run."""
    facts: JsonObject = {
        **queries.call_facts(ledger.db, ledger.cached_calls),
        "batches": count_batches(ledger.db),
        "params": {
            name: model.facts()["params"] for name, model in models.called.items() if model.opener is None
        },
    }
    if options.replay is not None:
        facts["missing_replies"] = missing_answers(ledger.db)
    return facts


@asynccontextmanager
async def open_session(
    models: ModelSet,
    ledger: EvaluationLedger,
    options: RunOptions,
    *,
    retry: bool = False,
    progress: Progress,
) -> AsyncIterator[Session]:
    """A session with the models of a run, within their limits and the budget; `progress` watches them.

    SIGTERM ends the work as Ctrl-C does, so that paid replies are kept. Raises `ConfigError` for a model that cannot be
    called.
    """
    budget = Budget(options.budget_usd, queries.spent_usd(ledger.db))  # what earlier sessions spent counts
    replay = options.replay
    called = tuple(models.called.values()) if options.asks_models else ()
    executor = await open_executor(options.executor)
    opened: list[ChatModel] = []
    with sigterm_as_interrupt():  # after the executor: Ray sets a handler of its own
        try:
            _note_key_variables(ledger, called)
            # One by one, so that if a model cannot be opened, those before it are closed.
            for model in _open_called(called, ledger, options, budget, executor, progress):
                opened.append(model)
            if replay:
                live = {model.settings.name: model for model in opened}
                opened = [
                    ReplayedModel(model.settings, replay.recording, live.get(model.name))
                    for model in models.called.values()
                ]
            check = _connection_check(called, options)
            by_name = {model.settings.name: model for model in opened}
            client = ModelClient(by_name, ledger, budget, None if check is None else check.passed)
            async with progress.watching(opened, budget):
                yield Session(ledger, models, client, retry=retry)
            await asyncio.to_thread(ledger.flush)
        finally:
            for model in opened:
                await model.close()
            await executor.close()


def _open_called(
    called: Sequence[ModelUnderTest],
    ledger: EvaluationLedger,
    options: RunOptions,
    budget: Budget,
    executor: Executor,
    progress: Progress,
) -> Iterator[ChatModel]:
    """Open the models that are called: those of providers, then services and functions, then those with batch APIs."""
    in_batches = [model.settings for model in called if _uses_batch_api(model, options)]
    singly = [
        model.settings for model in called if model.opener is None and not _uses_batch_api(model, options)
    ]
    yield from open_models(singly, budget, executor.model).values()
    for model in called:
        if model.opener is not None:
            yield LimitedModel(executor.model(model.settings, model.opener))
    if options.batch is not None:
        from perturb.llm.batch_model import open_batch_models

        yield from open_batch_models(in_batches, budget, ledger, options.batch, progress.tell_batches)


def _connection_check(called: Sequence[ModelUnderTest], options: RunOptions) -> ConnectionCheck | None:
    """The check that the servers of the models accept connections; None if nothing can or should be checked."""
    # The nodes of a Ray cluster may reach servers that this machine does not reach.
    if options.wait or options.executor.kind == "ray":
        return None
    return ConnectionCheck(
        proxied=[model.settings for model in called if model.opener is None],
        services=[model.settings for model in called if model.opener is not None],
    )


def _note_key_variables(ledger: EvaluationLedger, called: Iterable[ModelUnderTest]) -> None:
    """Store the names of the variables with the keys of this and earlier sessions, for `key_variables_of`."""
    before = read_facts(ledger.db).get(KEYS_FACT, [])
    names = {model.settings.api_key_env for model in called} | {entry["api_key_env"] for entry in before}
    if entries := [{"api_key_env": name} for name in sorted(filter(None, names))]:
        ledger.write_fact(KEYS_FACT, entries)


async def _run_all(
    task: Task[ItemT], models: ModelSet, ledger: EvaluationLedger, options: RunOptions, progress: bool
) -> BudgetSpent | None:
    """Take all models through all items at the same time.

    Returns the error if a model stopped because the budget was spent; the other models finish what is in progress.
    """
    total = len(task.items) * len(models.under_test)
    retry = options.retry_unscored or task.retries_unscored
    with Progress(total, task.unit, shown=progress) as bar:

        async def run_model(session: Session, model: str) -> BudgetSpent | None:
            async def solve_item(item: ItemT) -> None:
                await task.solve(session, model, item)
                bar.count()
                await ledger.apply_backpressure()

            max_at_once = min(task.at_once, items_at_once(models, [models.under_test[model]], options))
            return await run_concurrently(task.agenda(ledger, model), solve_item, max_at_once)

        async with open_session(models, ledger, options, retry=retry, progress=bar) as session:
            try:
                async with asyncio.TaskGroup() as group:
                    model_runs = [group.create_task(run_model(session, name)) for name in models.under_test]
            except BaseExceptionGroup as failures:
                raise first_error(failures) from None
            stops = [model_run.result() for model_run in model_runs]
            stopped = next((stop for stop in stops if stop is not None), None)
            # The judges are checked last. If the budget ends, real replies are worth more than planted ones.
            if stopped is None:
                try:
                    await task.check_judges(session)
                except BudgetSpent as error:
                    stopped = error
    return stopped


def items_at_once(models: ModelSet, asked_models: Iterable[ModelUnderTest], options: RunOptions) -> int:
    """The number of items in progress that keeps the models and the judges busy, or fills the batches."""
    if options.batch is not None:
        return options.batch.most_waiting
    # An item waits for one connection at a time, so there are as many items as connections.
    return sum(model.settings.max_connections for model in (*asked_models, *models.judges))


def _uses_batch_api(model: ModelUnderTest, options: RunOptions) -> bool:
    """Whether a model is called with batch APIs; a judge that does not support them is called as usual."""
    from perturb.llm.remote_batches import can_batch

    return options.batch is not None and model.opener is None and can_batch(model.settings)


def _notes_on_open_batches(ledger: EvaluationLedger) -> list[str]:
    """One line about the batches that an interrupt leaves open at the providers; no line if there are none.

    Such batches go on at the provider and cost money.
    """
    ledger.flush()
    open_batches = count_batches(ledger.db)["open"]
    if not open_batches:
        return []
    subject = "a batch is" if open_batches == 1 else f"{open_batches} batches are"
    return [
        f"{subject} still open at the provider: run the same command again to collect the replies, nothing is paid"
        " twice"
    ]


def _warnings(models: ModelSet, options: RunOptions) -> Iterator[str]:
    """Warnings about models that judge themselves, and about judges without a batch API."""
    role, advice = "the judge", "name another judge"
    if len(models.judges) > 1:
        role, advice = "one of the judges", "see the bias in its report"
    for name in models.own_judges:
        yield f"{name}: is {role} too and judges its own replies, so its scores may be partial: {advice}"
    for judge in models.judges:
        if options.batch and not _uses_batch_api(judge, options):
            yield (
                f"{judge.name}: cannot be called with batch APIs, so the judge was called one by one, at its full price"
            )


def _disagreements(ledger: EvaluationLedger, models: ModelSet) -> Iterator[str]:
    """A warning about judgements on which too few of several judges agree."""
    if len(models.judges) < 2:
        return
    panel_judgements = [judgement for judgement in read_judgements(ledger.db) if judgement.judge == PANEL]
    # The text of a split judgement comes from `Session._ask_judges`.
    split = sum(judgement.raw.startswith(DISAGREE) for judgement in panel_judgements)
    among = f"{votes_needed(models.rule, len(models.judges))} of {len(models.judges)} judges"
    if split and split == len(panel_judgements):
        yield (
            f"the judges never agree: no {among} say the same of any of {counted(split, 'judgement')}, so nothing they"
            " judged is scored: look at their replies, or take another --judge or --judge-rule"
        )
    elif split:
        total = counted(len(panel_judgements), "judgement")
        yield f"{split} of {total} unscored: the judges disagree ({among} must agree)"


# Makes a task over questions, such as `RefusalIndexTask.of`. The mapping says how a recorded run asked; it may be
# empty.
TaskMaker = Callable[[QuestionSet, Facts], QuestionTask[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionPlan(AskPlan):
    """The questions of a run, its models, and the task to make."""

    kind: Literal["refusal-index", "bas"]
    questions: QuestionSet | None = None
    """None means the questions of the recording."""
    make_task: TaskMaker


def ask_questions(plan: QuestionPlan, *, progress: bool = False) -> EvaluationReport:
    """Run the task, or continue a run that was stopped. Raises `PerturbError`s for faults that a user can correct."""
    task, models = prepare_questions(plan)
    run = plan.out or Path("outputs") / f"{plan.kind}-{task.questions.name}"
    return run_task(task, models, run, plan, progress=progress)


def prepare_questions(plan: QuestionPlan) -> tuple[QuestionTask[Any], ModelSet]:
    """The task over the questions and its models; this calls no model. Raises `PerturbError`s as `ask_questions`."""
    questions = find_items(
        plan.kind, plan.questions, plan.replay, recorded_questions, "no questions are given: name a file"
    )
    recorded = plan.replay.recording.header["ways"] if plan.replay else {}
    task = plan.make_task(questions, recorded)
    return task, find_models(plan)
