"""Solvers: models that answer every accepted item, to measure how hard it is.

They get the same prompts as models under test, and a judge classifies their replies. A reply that cannot be scored does
not count. Like all other calls, these calls are cached and charged to the budget of the build.

`SolverStage` asks for the replies and stores them. `quieter_jobs` then gives a job for each item that was too easy: its
generator should write the item again with a quieter flaw, one that is harder to see. Such a job *hardens* the item.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from typing import Any

from perturb.catalogue.levers import Catalogue
from perturb.catalogue.prompts import template_version
from perturb.config import BuildConfig, DifficultyEntry
from perturb.errors import BudgetSpent
from perturb.evaluation.adapters import (
    judge_request,
    judge_version,
    kind_request,
    kinds_version,
    read_kind,
    shorten,
)
from perturb.evaluation.reading import ANSWER, read_code
from perturb.evaluation.results import answer_kind, outcome_of, read_classification, read_quality, read_raf
from perturb.files.resources import digest
from perturb.ledger.plans import CurrentPlan, Ledger
from perturb.ledger.planted import SolverReply, difficulties, solver_replies
from perturb.ledger.queries import HardeningJob, accepted_jobs, candidate, hardening_jobs
from perturb.llm.client import ChatRequest, ModelSettings
from perturb.llm.model_client import ModelClient
from perturb.llm.recording import RecordedJob
from perturb.llm.replies import after_thinking
from perturb.metrics.outcomes import UNSCORED, predicted_behaviour
from perturb.records import ANSWER_CORRECTLY, Item, Job, JsonObject
from perturb.snapshots.settings import PromptSetting, load_setting

EMPTY = "an empty reply"
"""Why a reply is scored without a judge."""
# An empty reply counts as an answer of the worst quality, which is 1.
_EMPTY_REPLY_VALUES = {"predicted": ANSWER, "quality": 1, "eligible": False, "factual_signal": False}


@dataclass(frozen=True, slots=True)
class SolverPlan:
    """The solvers, their prompt and their judge."""

    settings: Mapping[str, ModelSettings]
    """Settings of the solvers, by name."""
    judge: ModelSettings
    prompt: PromptSetting
    samples: int
    """The number of replies of each solver to each item."""
    harden: int
    """How often an item that all solvers master may go back to its generator."""
    catalogue: Catalogue

    @classmethod
    def of(cls, entry: DifficultyEntry, catalogue: Catalogue, *, replayed: bool) -> SolverPlan:
        """The plan of a configuration. Raises `ConfigError` for an unknown prompt."""
        return cls(
            settings={solver.name: solver.settings(replayed=replayed) for solver in entry.solvers},
            judge=entry.judge.settings(replayed=replayed),
            prompt=load_setting(entry.prompt),
            samples=entry.samples,
            harden=entry.harden,
            catalogue=catalogue,
        )

    @property
    def fingerprints(self) -> dict[str, str]:
        """Solver → digest of everything that decides its replies and their outcomes."""
        own_codes = self.catalogue.own_codes
        judging_versions = (
            self.judge.identity(),
            kinds_version(own_codes),
            judge_version(own_codes),
            self.prompt.version(own_codes),
        )
        return {
            name: digest(settings.identity(), *judging_versions) for name, settings in self.settings.items()
        }


def other_roles(config: BuildConfig) -> dict[str, list[str]]:
    """Solver → its other roles, for solvers that also write, verify or judge items, and so solve their own work.

    Two models are the same if they have the same litellm name.
    """
    if config.difficulty is None:
        return {}
    roles = {
        "writes": [entry.model for entry in config.generators],
        "verifies": [entry.model for entry in config.verifiers],
        "judges": [config.difficulty.judge.model],
    }
    roles_of_solver = {
        solver.name: [role for role, models in roles.items() if solver.model in models]
        for solver in config.difficulty.solvers
    }
    return {solver: own_roles for solver, own_roles in roles_of_solver.items() if own_roles}


HARDEN_FORMAT = 1
"""Increased when the meaning of a quieter attempt changes, so that old results do not count as new ones."""


class _Attempts:
    """The earlier attempts to make items harder.

    If a quieter item is accepted and still too easy, the next attempt starts from it. Such items form a chain.
    """

    def __init__(self, attempts: Sequence[HardeningJob]) -> None:
        self._hardened_by = {attempt.job: attempt.hardens for attempt in attempts}
        self._on_item = Counter(attempt.hardens for attempt in attempts)
        self._in_chain = Counter(self._first_of_chain(attempt.job) for attempt in attempts)
        self._open_chains = {self._first_of_chain(attempt.job) for attempt in attempts if attempt.open}

    def _first_of_chain(self, job_id: str) -> str:
        """The item that a chain began with."""
        while job_id in self._hardened_by:
            job_id = self._hardened_by[job_id]
        return job_id

    def count_on_item(self, job_id: str) -> int:
        """How many attempts started from this item. There are several if an attempt gave no accepted item."""
        return self._on_item[job_id]

    def allow_another(self, job_id: str, limit: int) -> bool:
        """Whether the item's chain has fewer attempts than the limit, and none of them is open."""
        chain = self._first_of_chain(job_id)
        return self._in_chain[chain] < limit and chain not in self._open_chains


def quieter_jobs(
    db: sqlite3.Connection,
    plan: CurrentPlan,
    max_attempts: int,
    writers: Container[str],
    recorded: Mapping[str, Sequence[RecordedJob]],
) -> Iterator[Job]:
    """Yield a job for each accepted item that no solver failed, unless an attempt is open or all attempts are used up.

    `max_attempts` is the limit for a whole chain of items, see `_Attempts`. Only `writers` get such jobs; they are
    the generators that are models. `recorded` has the recorded attempts by item. A job takes the id of its recorded
    attempt if there is one.
    """
    difficulty_of = difficulties(solver_replies(db, plan.facts.solvers))
    earlier = _Attempts(hardening_jobs(db, plan.number, plan.panel))
    version = template_version("harden/quieter")
    # The list is complete before the first job is yielded, since the caller writes to the same tables.
    for planned in list(accepted_jobs(db, plan.number, plan.panel)):
        job = planned.job
        difficulty = difficulty_of.get(job.id)
        if difficulty is None or difficulty.failed or job.generator not in writers:
            continue
        if not earlier.allow_another(job.id, max_attempts):
            continue
        # The number gives each attempt on an item an id of its own. With an old id, it would count as done.
        number = earlier.count_on_item(job.id)
        job_id = digest("harden", HARDEN_FORMAT, job.id, number, plan.facts.solvers, version)
        recorded_attempts = recorded.get(job.id, ())
        if number < len(recorded_attempts):
            job_id = recorded_attempts[number].id
        yield replace(job, id=job_id, hardens=job.id)


def earlier_attempt(db: sqlite3.Connection, candidate_id: str, fingerprints: Mapping[str, str]) -> JsonObject:
    """An item that the solvers mastered, with their right replies, in the form in which its generator sees them.

    `fingerprints` are those of the solvers, by name.
    """
    item = candidate(db, candidate_id)
    replies = [
        shorten(after_thinking(solver_reply.raw))
        for solver_reply in solver_replies(db, fingerprints, candidate_id)
        if solver_reply.wrong is False
    ]
    return {
        "query": item.query,
        "passages": [{"title": passage.title, "text": passage.text} for passage in item.passages],
        "replies": list(dict.fromkeys(replies)),
    }


class SolverStage:
    """Asks solvers about accepted items, and stores each reply with its outcome."""

    def __init__(self, plan: SolverPlan, ledger: Ledger, solvers: ModelClient, judge: ModelClient) -> None:
        self._plan = plan
        self._ledger = ledger
        self._solvers = solvers
        self._judge = judge
        self._slots = asyncio.Semaphore(sum(solver.max_connections for solver in plan.settings.values()))

    async def run(self, items: Sequence[Item]) -> BudgetSpent | None:
        """Ask for every reply that is not scored yet. Returns the error if the budget stopped the work."""
        fingerprints = self._plan.fingerprints
        stored = solver_replies(self._ledger.db, fingerprints)
        done = {
            (reply.candidate_id, reply.solver, reply.sample) for reply in stored if reply.outcome is not None
        }
        every_reply = product(items, fingerprints, range(self._plan.samples))
        missing = (
            (item, solver, sample)
            for item, solver, sample in every_reply
            if (item.id, solver, sample) not in done
        )
        stopped: BudgetSpent | None = None

        async def solve(item: Item, solver: str, sample: int) -> None:
            nonlocal stopped
            try:
                self._ledger.record_solver_reply(await self._reply(item, solver, sample))
            except BudgetSpent as error:
                stopped = stopped or error
            finally:
                self._slots.release()  # the slot that the loop below took for this task

        async with asyncio.TaskGroup() as group:
            for item, solver, sample in missing:
                await self._slots.acquire()
                # While this loop waited for a slot, a task may have used up the budget.
                if stopped is not None:
                    self._slots.release()
                    break
                group.create_task(solve(item, solver, sample))
        self._ledger.flush()
        return stopped

    async def _reply(self, item: Item, solver: str, sample: int) -> SolverReply:
        """Get one reply and have it judged. The outcome is None if a call fails. Raises `BudgetSpent`."""
        plan = self._plan
        # What every outcome of this call has in common.
        make_reply = partial(SolverReply, item.id, solver, sample, plan.fingerprints[solver])
        messages = plan.prompt.messages(item, own_codes=plan.catalogue.own_codes)
        answer = await self._solvers.ask(
            solver,
            ChatRequest(messages),
            str,
            purpose="solve",
            subject=item.id,
            part=str(sample),
            # Without a salt, the second sample would take the cached reply of the first.
            salt=digest("solve", sample),
        )
        if answer.value is None:
            return make_reply(outcome=None, detail=f"no reply: {answer.error}")
        text = after_thinking(answer.value)
        if not text:
            empty_outcome = outcome_of(item.expected_behavior, _EMPTY_REPLY_VALUES)
            return make_reply(empty_outcome.value, detail=EMPTY, raw=answer.value)
        judging = _Judging(plan, self._judge, item, text, f"{solver}/{sample}")
        values = await judging.run()
        outcome = outcome_of(item.expected_behavior, values)
        scored_outcome = None if outcome in UNSCORED else outcome.value
        return make_reply(
            scored_outcome,
            detail=judging.detail,
            raw=answer.value,
            judged=tuple(judging.judgements),
        )


@dataclass
class _Judging:
    """The judgement of one reply to an item. `run` makes it, and fills in `detail` and `judgements`."""

    plan: SolverPlan
    judge: ModelClient
    item: Item
    text: str
    """The reply."""
    part: str
    """Tells the replies to an item apart in the ledger of calls."""
    detail: str = ""
    """The kind of a free reply, or why the reply is unscored."""
    judgements: list[tuple[str, str]] = field(default_factory=list)
    """Purpose of each call to the judge, with the raw reply."""

    async def run(self) -> dict[str, Any]:
        """The behaviour of the reply, and the grade of an answer to an answerable item; incomplete if a call fails."""
        item, text, own_codes = self.item, self.text, self.plan.catalogue.own_codes
        values = await self._read_behaviour()
        if values.get("predicted") == ANSWER and item.answerable:
            name = answer_kind(item)
            read_grade = partial(read_raf if name == "raf" else read_quality, judged=text)
            grade = await self._ask(name, judge_request(name, item, text, own_codes), read_grade)
            values |= grade or {}
        return values

    async def _read_behaviour(self) -> dict[str, Any]:
        """The behaviour of the reply: by its code, or by the judge; empty if the judge's call fails."""
        item, text, codes = self.item, self.text, self.plan.catalogue.codes
        own_codes = self.plan.catalogue.own_codes
        if self.plan.prompt.is_free_form:
            read_kind_of_judge = partial(read_kind, judged=text)
            kind = await self._ask("kind", kind_request(item, text, own_codes), read_kind_of_judge)
            if kind is None:
                return {}
            self.detail = str(kind)
            behaviour = predicted_behaviour(kind, item.expected_behavior, "lenient")
            # Judgements say ANSWER for the behaviour that items call ANSWER_CORRECTLY.
            return {"predicted": ANSWER if behaviour == ANSWER_CORRECTLY else behaviour}
        # A bare code needs no judge, which saves a call.
        code = read_code(text, codes)
        if code is not None:
            return {"predicted": code}
        request = judge_request("classification", item, text, own_codes)
        read_code_of_judge = partial(read_classification, codes=codes, judged=text)
        return dict(await self._ask("classification", request, read_code_of_judge) or {})

    async def _ask(self, name: str, request: ChatRequest, read_reply: Callable[[str], Any]) -> Any:
        """The judge's verdict in one respect; None if the call fails or the reply cannot be read."""
        purpose = f"judge {name}"
        answer = await self.judge.ask(
            self.plan.judge.name,
            request,
            read_reply,
            purpose=purpose,
            subject=self.item.id,
            part=self.part,
        )
        self.judgements.append((purpose, answer.raw))
        if answer.value is None:
            self.detail = f"{name}: {answer.error}"
        return answer.value
