"""Runs the jobs of a plan with bounded concurrency, and records each result at once.

Each generator has its own workers and its own stream of jobs, so a slow generator does not hold up the others. A
candidate goes to the panel as soon as it is generated. The number of candidates that wait for the panel is limited,
which bounds the memory. A build with a quota runs in waves: `Waves` adds jobs until every cell has enough items.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from logging import DEBUG
from typing import Any

from perturb.building.generate import (
    GenerationResult,
    generate_by_function,
    generate_by_model,
    generate_by_rule,
)
from perturb.building.jobs import plan_wave
from perturb.building.panel import decide, gather_votes
from perturb.building.plan import OpenBuild
from perturb.building.planting import Planting
from perturb.building.solvers import earlier_attempt
from perturb.building.verify import ask_function, ask_rule, ask_verifier
from perturb.config import ModelEntry
from perturb.errors import BudgetSpent
from perturb.ledger import queries
from perturb.ledger.ends import JobEnd, job_ends, missing_items
from perturb.ledger.planted import class_rules
from perturb.ledger.queries import PlannedJob
from perturb.llm.factory import Executor
from perturb.llm.model_client import ModelClient
from perturb.records import BaseInstance, Candidate, Cell, Job, JobOutcome, Verdict
from perturb.runtime import event, first_error


@dataclass(frozen=True, slots=True)
class Workers:
    """The clients of generators and verifiers, and the executor of the rule engine."""

    generators: ModelClient
    verifiers: ModelClient
    executor: Executor


class Pipeline:
    """One run of a plan over an open ledger.

    When the end of a job is on disk, the ledger's thread calls `on_done` with the outcome or the decision.
    """

    def __init__(
        self,
        build: OpenBuild,
        workers: Workers,
        on_done: Callable[[str], None],
        planting: Planting | None = None,
    ) -> None:
        self._build = build
        self._plan = build.plan
        self._ledger = build.ledger
        self._planting = planting
        # None if the votes on planted items have not chosen rules yet; empty if they chose none.
        rules = class_rules(build.ledger.db, build.number)
        self._panel = replace(build.plan.panel, rules=rules or {})
        self._waits_for_rules = self._panel.target is not None and rules is None
        """Whether candidates wait in the ledger until the votes on planted items have chosen the rules of the panel."""
        self._workers = workers
        self._on_done = on_done
        self.budget_spent: BudgetSpent | None = None
        """Set once the budget has stopped the run; no further job starts."""
        self._candidates_left: int | None = None
        """About how many candidates are still to come; None until the ledger has been asked.

        It only serves to space planted items evenly, so an error of a few changes nothing.
        """
        verifiers = build.plan.config.verifiers
        # One candidate more than a verifier can take at a time, so that no verifier waits for its next candidate.
        self._panel_slots = asyncio.Semaphore(sum(self._width(entry) + 1 for entry in verifiers))
        self._checks = {entry.name: entry.check for entry in verifiers if entry.check is not None}
        # A few instances at a time are at work, so a small cache saves nearly all reads of the ledger.
        self._instance = lru_cache(maxsize=1024)(lambda key: queries.instance(build.ledger.db, key))

    async def run(self, *, finish_undecided: bool = True) -> None:
        """Bring every job of the plan to its end, or stop when the budget is spent.

        1. The generators run, and the panel votes on each candidate as it comes. With `finish_undecided`, so does it on
           the candidates that an earlier run left without a decision. Planted items are written and mixed in.
        2. The panel votes on the planted items that are left.
        3. If the votes on planted items choose the panel's rules, candidates have waited until now. The panel votes on
           all of them.

        Raises `LedgerError` if the ledger can no longer be written.
        """
        try:
            async with asyncio.TaskGroup() as group:
                if finish_undecided and not self._waits_for_rules:
                    group.create_task(self._submit_undecided(group))
                self._start_generators(group)
            if self._planting is not None and self.budget_spent is None:
                await self._finish_planting(self._planting)
            if self._waits_for_rules and self.budget_spent is None:
                self._choose_rules()
                async with asyncio.TaskGroup() as group:
                    await self._submit_undecided(group)
        except BaseExceptionGroup as failures:
            raise first_error(failures) from None
        self._ledger.flush()

    def _start_generators(self, group: asyncio.TaskGroup) -> None:
        """Start the workers of all generators, and the writing of planted faults, which uses the generators too."""
        if self._planting is not None:
            group.create_task(self._write_faults(self._planting))
        for entry in self._plan.config.generators:
            # All workers of a generator share one iterator, so that each job is taken once.
            jobs = queries.pending_jobs(self._ledger.db, self._build.number, entry.name)
            for _ in range(self._width(entry)):
                group.create_task(self._run_generator(entry, jobs, group))

    def _choose_rules(self) -> None:
        """Choose the rules of the classes by the votes on planted items, before any candidate has a vote."""
        target = self._panel.target
        rules = {} if self._planting is None or target is None else self._planting.choose_rules(target)
        self._ledger.flush()
        self._ledger.store_rules(self._build.number, rules)
        self._panel = replace(self._panel, rules=rules)
        self._waits_for_rules = False

    async def _write_faults(self, planting: Planting) -> None:
        """Have the generators write planted items while their jobs run."""
        widths = [entry.max_connections for entry in self._plan.config.generators]
        try:
            await planting.write(self._workers.generators, max(widths))
        except BudgetSpent as exc:
            self.budget_spent = exc

    async def _finish_planting(self, planting: Planting) -> None:
        """Make the planted items that are still missing, and have the panel vote on all that have no votes yet."""
        self._ledger.flush()
        planting.complete()
        async with asyncio.TaskGroup() as group:
            for item in planting.take_rest():
                await self._start_voting(group, partial(planting.vote, item, self._cast))

    async def _submit_undecided(self, group: asyncio.TaskGroup) -> None:
        """Submit the candidates that lack a decision or votes to the panel."""
        panel = self._panel
        undecided = queries.undecided_jobs(self._ledger.db, self._build.number, panel.digest, panel.judges)
        for planned in undecided:
            if self.budget_spent is not None:
                return
            candidate = queries.candidate(self._ledger.db, planned.job.id)
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
            # Rules may be faster than the disk, and rows in the queue take memory.
            await self._ledger.apply_backpressure()
            if result.outcome is JobOutcome.CANDIDATE and result.candidate is not None:
                await self._submit_to_panel(planned, result.candidate, group)

    async def _generate(self, entry: ModelEntry, planned: PlannedJob) -> GenerationResult:
        """Run a job by its generator: the rule engine, a function of the user, or a model."""
        plan = self._plan
        instance = self._instance(planned.instance_key)
        if entry.kind == "rules":
            # Only the donors of this instance travel to the worker process.
            donors = plan.donors.lent_to(instance)
            result: GenerationResult = await self._workers.executor.run(
                generate_by_rule, planned.job, instance, plan.config.seed, donors
            )
            return result
        if entry.kind == "python":
            function = plan.generator_functions[entry.name]
            return await generate_by_function(
                function, plan.catalogue, planned.job, instance, plan.config.seed
            )
        return await generate_by_model(
            self._workers.generators,
            plan.prompts,
            planned.job,
            instance,
            plan.config.seed,
            self._earlier_attempt(planned.job),
        )

    def _earlier_attempt(self, job: Job) -> Mapping[str, Any] | None:
        """The item that a job should make harder, with replies to it; None for other jobs."""
        solvers = self._plan.solvers
        if job.hardens is None or solvers is None:
            return None
        return earlier_attempt(self._ledger.db, job.hardens, solvers.fingerprints)

    def _refuse_repeat(self, planned: PlannedJob, result: GenerationResult) -> GenerationResult:
        """The result, or a rejection if the candidate repeats an item of a round that the build avoids."""
        prior_rounds = self._plan.prior_rounds
        if prior_rounds is None or result.outcome is not JobOutcome.CANDIDATE or result.candidate is None:
            return result
        repeat = prior_rounds.find_repeat(self._instance(planned.instance_key), result.candidate)
        return result if repeat is None else replace(result, outcome=JobOutcome.REJECTED, detail=repeat)

    def _record(self, planned: PlannedJob, result: GenerationResult) -> None:
        """Store a result."""
        # The candidate comes first: if the process dies in between, no job may claim a candidate that is not stored.
        if result.candidate is not None:
            self._ledger.record_candidate(result.candidate)
        message = f"job {planned.job.id}: {result.outcome}"
        event(DEBUG, "job", message, job=planned.job.id, outcome=result.outcome)
        # A job with a candidate ends with the panel's decision, and only then counts as done.
        goes_to_panel = result.outcome is JobOutcome.CANDIDATE
        on_done = None if goes_to_panel else partial(self._on_done, result.outcome)
        self._ledger.record_outcome(planned.job.id, result.outcome, result.detail, on_done, result.declined)

    async def _submit_to_panel(
        self, planned: PlannedJob, candidate: Candidate, group: asyncio.TaskGroup
    ) -> None:
        """Wait for a free slot of the panel, then start a task that gathers the votes.

        While the rules of the panel are not chosen, the candidate stays in the ledger, and `run` submits it later.
        """
        instance = self._instance(planned.instance_key)
        if self._planting is not None:
            self._planting.offer(candidate, instance)  # planted items are made from candidates
        if self._waits_for_rules:
            return
        await self._start_voting(group, partial(self._verify, instance, candidate))
        if self._planting is not None:
            await self._submit_planted(self._planting, candidate, group)

    async def _submit_planted(
        self, planting: Planting, candidate: Candidate, group: asyncio.TaskGroup
    ) -> None:
        """Submit a planted item after this candidate, if one is due.

        Planted items are spread evenly over the candidates that are still to come, so that both reach the verifiers in
        one stream.
        """
        if self._candidates_left is None:
            self._candidates_left = self._build.count_stages().left
        self._candidates_left -= 1
        if (item := planting.take_due(candidate.id, self._candidates_left)) is not None:
            await self._start_voting(group, partial(planting.vote, item, self._cast))

    async def _start_voting(self, group: asyncio.TaskGroup, voting: Callable[[], Awaitable[None]]) -> None:
        """Wait for a free slot of the panel, then start a task that votes and frees the slot."""
        await self._panel_slots.acquire()
        group.create_task(self._vote_in_slot(voting))

    async def _vote_in_slot(self, voting: Callable[[], Awaitable[None]]) -> None:
        try:
            await voting()
        except BudgetSpent as exc:
            self.budget_spent = exc
        finally:
            self._panel_slots.release()

    async def _verify(self, instance: BaseInstance, candidate: Candidate) -> None:
        """Gather the votes on a candidate, and record the decision."""
        panel = self._panel.of_class(candidate.cell.perturbation_class)
        stored = queries.votes_of(self._ledger.db, candidate.id, panel.judges)
        votes = await gather_votes(
            panel, candidate.id, stored, lambda name: self._vote(name, instance, candidate)
        )
        decision = decide(panel, candidate.id, votes)
        acceptance = decision.acceptance
        self._ledger.record_decision(decision, panel.digest, partial(self._on_done, acceptance))
        event(DEBUG, "decision", f"job {candidate.id}: {acceptance}", job=candidate.id, decision=acceptance)

    async def _vote(self, name: str, instance: BaseInstance, candidate: Candidate) -> Verdict:
        """Get one verifier's vote on a candidate, and record it."""
        vote = await self._cast(name, instance, candidate)
        self._ledger.record_vote(vote)
        return vote

    async def _cast(self, name: str, instance: BaseInstance, candidate: Candidate) -> Verdict:
        """Get one verifier's vote, without recording it."""
        version = self._plan.panel.members[name]
        if (check := self._checks.get(name)) is not None:
            vote: Verdict = await self._workers.executor.run(
                ask_rule, name, check, version, instance, candidate
            )
            return vote
        if (function := self._plan.verifier_functions.get(name)) is not None:
            return await ask_function(function, name, version, instance, candidate)
        return await ask_verifier(
            self._workers.verifiers, self._plan.prompts, name, version, instance, candidate
        )

    def _width(self, entry: ModelEntry) -> int:
        """How many tasks of a generator or verifier run at the same time."""
        return self._workers.executor.width if entry.kind == "rules" else entry.max_connections


@dataclass
class Waves:
    """The waves of a build with a quota: each generator should have that many accepted items in each cell.

    A generator in a cell is called a *place*. A wave enters the ledger before its first call, so that a run that was
    killed finishes its wave first.
    """

    build: OpenBuild
    quota: int
    waiting: Sequence[Job]
    """The jobs that have not been in a wave yet, in the order of the plan."""

    def enter_next(self) -> int:
        """Enter the next wave in the ledger; returns how many jobs it has."""
        wave = plan_wave(self.waiting, self._ends(), self.quota)
        self.build.add_jobs(wave)
        entered = {job.id for job in wave}
        self.waiting = [job for job in self.waiting if job.id not in entered]
        return len(wave)

    def unfilled(self) -> tuple[str, ...]:
        """One line for each cell in which a generator has used up its jobs and still lacks items."""
        ends = self._ends()
        have_jobs = {(job.generator, job.cell) for job in self.waiting}
        have_jobs |= {end.place for end in ends if end.end == "open"}
        generators_short: dict[Cell, list[str]] = defaultdict(list)
        for place, missing in missing_items(self.build.plan.places, ends, self.quota).items():
            if place not in have_jobs:
                generator, cell = place
                accepted = self.quota - missing
                generators_short[cell].append(f"{generator} {accepted} of {self.quota}")
        return tuple(
            f"{cell} cannot be filled ({', '.join(counts)}): every instance was tried: add instances, or raise"
            " 'replicates'"
            for cell, counts in generators_short.items()
        )

    def _ends(self) -> list[JobEnd]:
        """How the jobs that were entered have ended so far."""
        self.build.ledger.flush()
        panel = self.build.plan.panel
        return job_ends(self.build.ledger.db, self.build.number, panel.digest, panel.judges)
