"""Runs a plan: bounded concurrency, no barrier between the stages, everything recorded as it happens.

Each generator has its own workers and its own stream of jobs, so that a slow one holds up nobody else. A candidate
goes to the panel as soon as it is made; how many wait there is bounded, and with it the memory.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial

from perturb.build_plan import BuildPlan
from perturb.catalogue import Catalogue
from perturb.concurrency import first_error
from perturb.errors import BudgetSpent, ExecutorError
from perturb.events import DEBUG, event
from perturb.executors.executor import Executor, run_with_retry
from perturb.executors.tasks import WorkerContext
from perturb.generate.by_function import generate_by_function
from perturb.generate.by_model import generate_by_model
from perturb.generate.by_rule import generate_by_rule
from perturb.generate.result import GenerationResult
from perturb.llm.model_client import ModelClient
from perturb.model_entries import ModelEntry
from perturb.records import BaseInstance, Candidate, Job, JobOutcome, Verdict
from perturb.store import Ledger, PlannedJob, queries
from perturb.verify.by_function import ask_function
from perturb.verify.judge import ask_rule, ask_verifier
from perturb.verify.panel import decide, gather_votes

RULE_SECONDS = 60.0
"""The longest that one task of the rule engine may take; measured ones take milliseconds."""


@dataclass(frozen=True, slots=True)
class RuleTask:
    """One job of the rule engine."""

    job: Job
    instance: BaseInstance
    seed: int
    donors: tuple[BaseInstance, ...] = ()
    """Other instances of the base set, from which the engine may take rivals and passages."""
    seconds = RULE_SECONDS

    @property
    def key(self) -> str:
        """The job's id."""
        return self.job.id

    async def perform(self, context: WorkerContext) -> GenerationResult:
        """Perturb the instance."""
        return generate_by_rule(_catalogue(context), self.job, self.instance, self.seed, self.donors)


@dataclass(frozen=True, slots=True)
class VoteTask:
    """One vote of an offline verifier."""

    verifier: str
    check: str
    version: str
    instance: BaseInstance
    candidate: Candidate
    seconds = RULE_SECONDS

    @property
    def key(self) -> str:
        """Candidate, verifier and its version."""
        return f"{self.candidate.id}:{self.verifier}:{self.version}"

    async def perform(self, context: WorkerContext) -> Verdict:
        """Judge the candidate."""
        return ask_rule(
            _catalogue(context), self.verifier, self.check, self.version, self.instance, self.candidate
        )


def _catalogue(context: WorkerContext) -> Catalogue:
    if not isinstance(context.setup, Catalogue):
        raise ExecutorError("a worker was given a rule task but no catalogue")
    return context.setup


@dataclass(frozen=True, slots=True)
class Workers:
    """Who does the work: the askers of the generators' models and of the verifiers', and the rule engine's place."""

    generators: ModelClient
    verifiers: ModelClient
    executor: Executor


class Pipeline:
    """One run of a plan over an open ledger.

    `on_done` is called in the ledger's thread whenever a job has come to its end on disk, with the outcome or decision.
    """

    def __init__(
        self,
        build_plan: BuildPlan,
        ledger: Ledger,
        plan: int,
        workers: Workers,
        on_done: Callable[[str], None],
    ) -> None:
        self.build_plan = build_plan
        self.ledger = ledger
        self.plan = plan
        self.workers = workers
        self.on_done = on_done
        self.budget_spent: BudgetSpent | None = None
        """Set when the budget stopped the run; no further job was started."""
        verifiers = build_plan.config.verifiers
        self._panel_slots = asyncio.Semaphore(sum(self._width(entry) for entry in verifiers) + len(verifiers))
        self._checks = {entry.name: entry.check for entry in verifiers if entry.check is not None}
        self._instance = lru_cache(maxsize=1024)(lambda key: queries.instance(ledger.db, key))

    async def run(self, *, leftovers: bool = True) -> None:
        """Bring every job of the plan to its end, or stop when the budget is spent.

        With `leftovers`, candidates that were left without a decision go back to the panel.

        Raises `LedgerError` if the ledger can no longer be written.
        """
        try:
            async with asyncio.TaskGroup() as group:
                panel = self.build_plan.panel
                if leftovers:
                    undecided = queries.undecided_jobs(self.ledger.db, self.plan, panel.digest, panel.judges)
                    group.create_task(self._finish_undecided(undecided, group))
                for entry in self.build_plan.config.generators:
                    jobs = queries.pending_jobs(self.ledger.db, self.plan, entry.name)
                    for _ in range(self._width(entry)):
                        group.create_task(self._run_generator(entry, jobs, group))
        except BaseExceptionGroup as failures:
            raise first_error(failures) from None
        self.ledger.flush()

    async def _finish_undecided(self, jobs: Iterator[PlannedJob], group: asyncio.TaskGroup) -> None:
        """Take candidates that an earlier run left without a decision back to the panel."""
        for planned in jobs:
            if self.budget_spent is not None:
                return
            candidate = queries.candidate(self.ledger.db, planned.job.id)
            await self._submit_to_panel(planned, candidate, group)

    async def _run_generator(
        self, entry: ModelEntry, jobs: Iterator[PlannedJob], group: asyncio.TaskGroup
    ) -> None:
        """Take jobs from the generator's stream, one at a time, until it is empty or the budget is spent."""
        for planned in jobs:
            if self.budget_spent is not None:
                return
            try:
                result = self._refuse_repeat(planned, await self._generate(entry, planned))
            except BudgetSpent as exc:
                self.budget_spent = exc
                return
            self._record(planned, result)
            await self.ledger.apply_backpressure()
            if result.outcome is JobOutcome.CANDIDATE and result.candidate is not None:
                await self._submit_to_panel(planned, result.candidate, group)

    async def _generate(self, entry: ModelEntry, planned: PlannedJob) -> GenerationResult:
        build_plan = self.build_plan
        instance = self._instance(planned.instance_key)
        if entry.kind == "rules":
            donors = build_plan.donors.lent_to(instance)
            task = RuleTask(planned.job, instance, build_plan.config.seed, donors)
            result: GenerationResult = await run_with_retry(self.workers.executor, task)
            return result
        if entry.kind == "python":
            function = build_plan.generator_functions[entry.name]
            return await generate_by_function(
                function, build_plan.catalogue, planned.job, instance, build_plan.config.seed
            )
        return await generate_by_model(
            self.workers.generators, build_plan.prompts, planned.job, instance, build_plan.config.seed
        )

    def _refuse_repeat(self, planned: PlannedJob, result: GenerationResult) -> GenerationResult:
        """What was made; or its rejection, if it would repeat an item of a round that the build avoids."""
        prior_rounds = self.build_plan.prior_rounds
        if prior_rounds is None or result.outcome is not JobOutcome.CANDIDATE or result.candidate is None:
            return result
        repeat = prior_rounds.find_repeat(self._instance(planned.instance_key), result.candidate)
        return result if repeat is None else replace(result, outcome=JobOutcome.REJECTED, detail=repeat)

    def _record(self, planned: PlannedJob, result: GenerationResult) -> None:
        """Store what was made; the candidate stands in the ledger before its job says so."""
        if result.candidate is not None:
            self.ledger.record_candidate(result.candidate)
        said = f"job {planned.job.id}: {result.outcome}"
        event(DEBUG, "job", said, job=planned.job.id, outcome=result.outcome)
        done = partial(self.on_done, result.outcome)
        on_done = None if result.outcome is JobOutcome.CANDIDATE else done
        self.ledger.record_outcome(planned.job.id, result.outcome, result.detail, on_done, result.declined)

    async def _submit_to_panel(
        self, planned: PlannedJob, candidate: Candidate, group: asyncio.TaskGroup
    ) -> None:
        """Wait for a place in front of the panel, then let the votes be gathered beside this worker."""
        await self._panel_slots.acquire()
        group.create_task(self._verify(self._instance(planned.instance_key), candidate))

    async def _verify(self, instance: BaseInstance, candidate: Candidate) -> None:
        panel = self.build_plan.panel.of_class(candidate.cell.perturbation_class)
        try:
            known = queries.votes_of(self.ledger.db, candidate.id, panel.judges)
            votes = await gather_votes(
                panel, candidate.id, known, lambda name: self._vote(name, instance, candidate)
            )
        except BudgetSpent as exc:
            self.budget_spent = exc
            return
        finally:
            self._panel_slots.release()
        decision = decide(panel, candidate.id, votes)
        self.ledger.record_decision(decision, panel.digest, partial(self.on_done, decision.acceptance))
        end = decision.acceptance
        event(DEBUG, "decision", f"job {candidate.id}: {end}", job=candidate.id, decision=end)

    async def _vote(self, name: str, instance: BaseInstance, candidate: Candidate) -> Verdict:
        version = self.build_plan.panel.members[name]
        if (check := self._checks.get(name)) is not None:
            vote: Verdict = await run_with_retry(
                self.workers.executor, VoteTask(name, check, version, instance, candidate)
            )
        elif (function := self.build_plan.verifier_functions.get(name)) is not None:
            vote = await ask_function(function, name, version, instance, candidate)
        else:
            vote = await ask_verifier(
                self.workers.verifiers, self.build_plan.prompts, name, version, instance, candidate
            )
        self.ledger.record_vote(vote)
        return vote

    def _width(self, entry: ModelEntry) -> int:
        return self.workers.executor.width if entry.kind == "rules" else entry.max_connections
