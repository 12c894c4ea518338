"""The runner of every task, and the plans of tasks over questions.

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

from perturb.errors import BudgetSpent, ConfigError
from perturb.evaluation.bas import DEFAULT_K, BasTask, Elicitation
from perturb.evaluation.loading import find_items, find_models, recorded_questions
from perturb.evaluation.models_under_test import ModelSet, ModelUnderTest
from perturb.evaluation.question_formats import QuestionSet
from perturb.evaluation.reading import DISAGREE, PANEL, votes_needed
from perturb.evaluation.refusal_index import REFUSAL_PROMPTS, QuestionTask, RefusalIndexTask
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
from perturb.llm.factory import ConnectionCheck, open_models
from perturb.llm.limits import LimitedModel
from perturb.llm.model_client import ModelClient
from perturb.llm.recording import ReplayedModel
from perturb.records import Facts
from perturb.runtime import first_error, run_concurrently, run_sync, sigterm_as_interrupt
from perturb.text.wording import counted


def run_task(
    task: Task[Any], models: ModelSet, run: Path, options: RunOptions, *, progress: bool = False
) -> EvaluationReport:
    """Run a task in the run folder, or continue a run that was stopped; then write its table.

    Raises `PerturbError`s for faults that a user can correct. After an interrupt the same call continues from the
    ledger.
    """
    started = time.monotonic()
    task.check(models)
    if options.replay is None or options.replay.fill:
        check_models(models, options)
    with EvaluationLedger(run) as ledger:
        task.register_run(ledger, models)
        # a run that began with a panel stays one, even if this session has a single judge
        if len(models.judges) > 1 or (models.judge and read_facts(ledger.db).get(PANEL_FACT)):
            ledger.write_fact(PANEL_FACT, models.panel_facts())
        ledger.flush()
        try:
            stopped = run_sync(_run_all(task, models, ledger, options, progress))
        except KeyboardInterrupt:
            # The command prints the arguments: batches that were submitted go on at the provider and cost money.
            raise KeyboardInterrupt(*_open_batches(ledger)) from None
        ledger.flush()
        result = run_sync(task.finish(Session(ledger, models), stopped=stopped is not None))
        calls, batches = queries.call_facts(ledger.db, ledger.cached_calls), count_batches(ledger.db)
        facts = {"run": str(run), **result.facts, **calls, "batches": batches}
        # The ledger may hold failed calls of models that this run does not name any more.
        called_names = {*models.under_test, *(judge.name for judge in models.judges)}
        failed = [failure for failure in call_failures(ledger.db) if failure.model in called_names]
        split = tuple(_disagreements(ledger, models))
        facts["params"] = {
            name: model.facts()["params"] for name, model in models.called.items() if model.opener is None
        }
        if options.replay is not None:
            facts["missing_replies"] = missing_answers(ledger.db)
    facts["seconds"] = round(time.monotonic() - started, 2)
    warnings = (*map(str, failed[:_NAMED_FAILURES]), *_warnings(models, options), *split, *result.warnings)
    return replace(result, facts=facts, warnings=warnings, stopped=str(stopped) if stopped else None)


# The largest number of failures that the warnings at the end of a run list.
_NAMED_FAILURES = 5


def check_models(models: ModelSet, options: RunOptions) -> None:
    """Raise `ConfigError` for a model that cannot be called with these options, before anything is written."""
    from perturb.llm.remote import check_model
    from perturb.llm.remote_batches import check_batches

    for judge in models.judges:
        twin = models.under_test.get(judge.name)
        if twin and twin.settings.fingerprint() != judge.settings.fingerprint():
            raise ConfigError(
                f"--judge: a model under test is called '{judge.name}' too: give it another name"
            )
    for model in models.under_test.values():
        if model.opener is None:
            (check_batches if options.batch else check_model)(model.settings)
        elif options.batch:
            raise ConfigError(
                f"model '{model.name}': a service or a function cannot be called with batch APIs: leave out --batch"
            )
    for judge in models.judges:
        if judge.opener is None:
            check_model(judge.settings)


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
    executor = await open_executor(options.executor)
    opened: list[ChatModel] = []
    with sigterm_as_interrupt():  # after the executor: Ray sets a handler of its own
        try:
            replay = options.replay
            called = () if replay and not replay.fill else tuple(models.called.values())
            _note_key_variables(ledger, called)
            called_singly = [
                model.settings for model in called if not model.opener and not _uses_batch_api(model, options)
            ]
            opened += open_models(called_singly, budget, executor.model).values()
            opened += [
                LimitedModel(executor.model(model.settings, model.opener)) for model in called if model.opener
            ]
            if options.batch is not None:
                from perturb.llm.batch_model import open_batch_models

                called_in_batches = [model.settings for model in called if _uses_batch_api(model, options)]
                opened += open_batch_models(
                    called_in_batches, budget, ledger, options.batch, progress.tell_batches
                )
            if replay:
                live = {model.settings.name: model for model in opened}
                opened = [
                    ReplayedModel(model.settings, replay.recording, live.get(model.name))
                    for model in models.called.values()
                ]
            check = None
            # the nodes of a Ray cluster may reach servers that this machine does not reach
            if not options.wait and options.executor.kind != "ray":
                services = [model.settings for model in called if model.opener]
                check = ConnectionCheck([model.settings for model in called if not model.opener], services)
            client = ModelClient(
                {model.settings.name: model for model in opened}, ledger, budget, check and check.passed
            )
            async with progress.watching(opened, budget):
                yield Session(ledger, models, client, retry=retry)
            await asyncio.to_thread(ledger.flush)
        finally:
            for model in opened:
                await model.close()
            await executor.close()


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

            at_once = min(task.at_once, width(models, [models.under_test[model]], options))
            return await run_concurrently(task.agenda(ledger, model), solve_item, at_once)

        async with open_session(models, ledger, options, retry=retry, progress=bar) as session:
            try:
                async with asyncio.TaskGroup() as group:
                    model_runs = [group.create_task(run_model(session, name)) for name in models.under_test]
            except BaseExceptionGroup as failures:
                raise first_error(failures) from None
            stops = [model_run.result() for model_run in model_runs]
            stopped = next((stop for stop in stops if stop is not None), None)
            # judges are checked last: real replies are worth more than planted ones if the budget ends
            if stopped is None:
                try:
                    await task.check_judges(session)
                except BudgetSpent as error:
                    stopped = error
    return stopped


def width(models: ModelSet, asked_models: list[ModelUnderTest], options: RunOptions) -> int:
    """The number of items in progress that keeps the models and the judges busy, or fills the batches."""
    if options.batch is not None:
        return options.batch.most_waiting
    busy = [*asked_models, *models.judges]
    return sum(model.settings.max_connections for model in busy)


def _uses_batch_api(model: ModelUnderTest, options: RunOptions) -> bool:
    """Whether a model is called with batch APIs; a judge that does not support them is called as usual."""
    from perturb.llm.remote_batches import can_batch

    return options.batch is not None and model.opener is None and can_batch(model.settings)


def _open_batches(ledger: EvaluationLedger) -> tuple[str, ...]:
    """One line about the batches that an interrupt leaves open at the providers; empty if there are none."""
    ledger.flush()
    open_batches = count_batches(ledger.db)["open"]
    if not open_batches:
        return ()
    subject = "a batch is" if open_batches == 1 else f"{open_batches} batches are"
    return (
        f"{subject} still open at the provider: run the same command again to collect the replies, nothing is paid"
        " twice",
    )


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


# A function that makes the task over questions. The mapping has the settings of a recording; it may be empty.
Ways = Callable[[QuestionSet, Facts], QuestionTask[Any]]


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


def refusal_ways(settings: Sequence[str] = (), samples: int = 1) -> Ways:
    """A function that makes the two-pass task with these first-pass prompts; empty means all of them.

    For a run that is on record, its own number of samples counts, and its own prompts unless `settings` are given.
    """
    return lambda questions, recorded: RefusalIndexTask(
        questions,
        tuple(settings or recorded.get("settings", REFUSAL_PROMPTS)),
        recorded.get("samples", samples),
    )


def confidence_ways(elicitations: Sequence[str] = (), k: int = DEFAULT_K) -> Ways:
    """A function that makes the task that asks for confidence in these elicitations; empty means direct.

    For a run that is on record, its own `k` counts, and its own elicitations unless `elicitations` are given.
    """
    return lambda questions, recorded: BasTask(
        questions,
        tuple(map(Elicitation, elicitations or recorded.get("elicitations", [Elicitation.DIRECT]))),
        recorded.get("k", k),
    )
