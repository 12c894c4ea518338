"""Runs a plan: bounded concurrency, no barrier between the stages, everything recorded as it happens.

Each generator has its own workers and its own stream of jobs, so that a slow one holds up nobody else. A candidate
goes to the panel as soon as it is made; how many wait there is bounded, and with it the memory.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from perturb.blueprint import Blueprint
from perturb.errors import BudgetSpent
from perturb.executors.executor import Executor, run_surely
from perturb.executors.tasks import RuleTask, VoteTask
from perturb.generate.by_model import generate_by_model
from perturb.generate.made import Made
from perturb.llm.asking import Asker
from perturb.model_entries import ModelEntry
from perturb.records import BaseInstance, Candidate, Outcome, Verdict
from perturb.store import Ledger, PlannedJob, queries
from perturb.verify.judge import ask_verifier
from perturb.verify.panel import decide, gather_votes
from perturb.workers import first_error


@dataclass(frozen=True, slots=True)
class Hands:
    """Who does the work: the askers of the generators' models and of the verifiers', and the rule engine's place."""

    generators: Asker
    verifiers: Asker
    executor: Executor


class Pipeline:
    """One run of a plan over an open ledger.

    `settled` is called in the ledger's thread whenever a job has come to its end on disk.
    """

    def __init__(
        self, blueprint: Blueprint, ledger: Ledger, plan: int, hands: Hands, settled: Callable[[], None]
    ) -> None:
        self.blueprint = blueprint
        self.ledger = ledger
        self.plan = plan
        self.hands = hands
        self.settled = settled
        self.budget_spent: BudgetSpent | None = None
        """Set when the budget stopped the run; no further job was started."""
        verifiers = blueprint.config.verifiers
        self._waiting_room = asyncio.Semaphore(
            sum(self._width(entry) for entry in verifiers) + len(verifiers)
        )
        self._checks = {entry.name: entry.check for entry in verifiers if entry.check is not None}
        self._instance = lru_cache(maxsize=1024)(lambda key: queries.instance(ledger.db, key))

    async def run(self) -> None:
        """Bring every job of the plan to its end, or stop when the budget is spent.

        Raises `LedgerError` if the ledger can no longer be written.
        """
        try:
            async with asyncio.TaskGroup() as group:
                panel = self.blueprint.panel
                leftovers = queries.undecided_jobs(self.ledger.db, self.plan, panel.digest, panel.members)
                group.create_task(self._finish_leftovers(leftovers, group))
                for entry in self.blueprint.config.generators:
                    jobs = queries.pending_jobs(self.ledger.db, self.plan, entry.name)
                    for _ in range(self._width(entry)):
                        group.create_task(self._work(entry, jobs, group))
        except BaseExceptionGroup as failures:
            raise first_error(failures) from None
        self.ledger.flush()

    async def _finish_leftovers(self, jobs: Iterator[PlannedJob], group: asyncio.TaskGroup) -> None:
        """Take candidates that an earlier run left without a decision back to the panel."""
        for planned in jobs:
            if self.budget_spent is not None:
                return
            candidate = queries.candidate(self.ledger.db, planned.job.id)
            await self._hand_over(planned, candidate, group)

    async def _work(self, entry: ModelEntry, jobs: Iterator[PlannedJob], group: asyncio.TaskGroup) -> None:
        """Take jobs from the generator's stream, one at a time, until it is empty or the budget is spent."""
        for planned in jobs:
            if self.budget_spent is not None:
                return
            try:
                made = self._refuse_repeat(planned, await self._generate(entry, planned))
            except BudgetSpent as exc:
                self.budget_spent = exc
                return
            self._record(planned, made)
            await self.ledger.keep_up()
            if made.outcome is Outcome.CANDIDATE and made.candidate is not None:
                await self._hand_over(planned, made.candidate, group)

    async def _generate(self, entry: ModelEntry, planned: PlannedJob) -> Made:
        blueprint = self.blueprint
        instance = self._instance(planned.instance_key)
        if entry.kind == "rules":
            made: Made = await run_surely(
                self.hands.executor, RuleTask(planned.job, instance, blueprint.config.seed)
            )
            return made
        return await generate_by_model(
            self.hands.generators, blueprint.prompts, planned.job, instance, blueprint.config.seed
        )

    def _refuse_repeat(self, planned: PlannedJob, made: Made) -> Made:
        """What was made; or its rejection, if it would repeat an item of a round that the build avoids."""
        avoided = self.blueprint.avoided
        if avoided is None or made.outcome is not Outcome.CANDIDATE or made.candidate is None:
            return made
        repeat = avoided.find_repeat(self._instance(planned.instance_key), made.candidate)
        return made if repeat is None else replace(made, outcome=Outcome.REJECTED, detail=repeat)

    def _record(self, planned: PlannedJob, made: Made) -> None:
        """Store what was made; the candidate stands in the ledger before its job says so."""
        if made.candidate is not None:
            self.ledger.record_candidate(made.candidate)
        settled = None if made.outcome is Outcome.CANDIDATE else self.settled
        self.ledger.record_outcome(planned.job.id, made.outcome, made.detail, settled, made.declined)

    async def _hand_over(self, planned: PlannedJob, candidate: Candidate, group: asyncio.TaskGroup) -> None:
        """Wait for a place in front of the panel, then let the votes be gathered beside this worker."""
        await self._waiting_room.acquire()
        group.create_task(self._verify(self._instance(planned.instance_key), candidate))

    async def _verify(self, instance: BaseInstance, candidate: Candidate) -> None:
        panel = self.blueprint.panel
        try:
            known = queries.votes_of(self.ledger.db, candidate.id, panel.members)
            votes = await gather_votes(
                panel, candidate.id, known, lambda name: self._vote(name, instance, candidate)
            )
        except BudgetSpent as exc:
            self.budget_spent = exc
            return
        finally:
            self._waiting_room.release()
        decision = decide(panel, candidate.id, votes)
        self.ledger.record_decision(decision, panel.digest, self.settled)

    async def _vote(self, name: str, instance: BaseInstance, candidate: Candidate) -> Verdict:
        version = self.blueprint.panel.members[name]
        if (check := self._checks.get(name)) is not None:
            vote: Verdict = await run_surely(
                self.hands.executor, VoteTask(name, check, version, instance, candidate)
            )
        else:
            vote = await ask_verifier(
                self.hands.verifiers, self.blueprint.prompts, name, version, instance, candidate
            )
        self.ledger.record_vote(vote)
        return vote

    def _width(self, entry: ModelEntry) -> int:
        """How many workers an entry keeps busy."""
        return self.hands.executor.width if entry.kind == "rules" else entry.max_connections
