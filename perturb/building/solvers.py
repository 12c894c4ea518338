"""Solvers: models that are asked about every accepted item, to learn how hard it is.

They are asked as models under test are, and a judge says what their replies do. A reply that cannot be scored counts
nowhere. Calls are cached and paid for from the budget of the build, as all others are.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
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
from perturb.ledger.queries import accepted_jobs, candidate, hardening_jobs
from perturb.llm.client import ChatRequest, ModelSettings
from perturb.llm.model_client import ModelClient
from perturb.llm.recording import RecordedJob
from perturb.llm.replies import after_thinking
from perturb.metrics.outcomes import UNSCORED, predicted_behaviour
from perturb.records import ANSWER_CORRECTLY, Item, Job, JsonObject
from perturb.snapshots.settings import PromptSetting, prompt_setting

EMPTY = "an empty reply"


@dataclass(frozen=True, slots=True)
class SolverPlan:
    """Who solves, how they are asked and who judges."""

    settings: Mapping[str, ModelSettings]
    """Settings of the solvers, by name."""
    judge: ModelSettings
    prompt: PromptSetting
    samples: int
    catalogue: Catalogue

    @classmethod
    def of(cls, entry: DifficultyEntry, catalogue: Catalogue, *, replayed: bool) -> SolverPlan:
        """The plan that a configuration asks for. Raises `ConfigError` for an unknown prompt."""
        return cls(
            {solver.name: solver.settings(replayed=replayed) for solver in entry.solvers},
            entry.judge.settings(replayed=replayed),
            prompt_setting(entry.prompt),
            entry.samples,
            catalogue,
        )

    @property
    def fingerprints(self) -> dict[str, str]:
        """Solver → digest of everything that decides what its replies are and count as."""
        own = self.catalogue.own_codes
        by = (self.judge.identity(), kinds_version(own), judge_version(own), self.prompt.version(own))
        return {name: digest(one.identity(), *by) for name, one in self.settings.items()}


def other_roles(config: BuildConfig) -> dict[str, list[str]]:
    """Solvers that also write, verify or judge items, by name, with those roles: they are graded on work of their own.

    Models are the same if their litellm name is, whatever they are called.
    """
    if config.difficulty is None:
        return {}
    roles = {
        "writes": [entry.model for entry in config.generators],
        "verifies": [entry.model for entry in config.verifiers],
        "judges": [config.difficulty.judge.model],
    }
    found = {
        solver.name: [role for role, models in roles.items() if solver.model in models]
        for solver in config.difficulty.solvers
    }
    return {name: held for name, held in found.items() if held}


HARDEN_FORMAT = 1
"""Raised when the meaning of a quieter attempt changes, so that old results are not taken for new ones."""


def quieter_jobs(
    db: sqlite3.Connection,
    plan: CurrentPlan,
    attempts: int,
    writers: Container[str],
    recorded: Mapping[str, Sequence[RecordedJob]],
) -> Iterator[Job]:
    """A job for each accepted item that no solver failed, unless so many attempts were made at it or one is open.

    Only models among the generators (`writers`) are asked again. `recorded` holds the attempts at each item that are on
    record, whose names jobs take.
    """
    solved = difficulties(solver_replies(db, plan.facts.solvers))
    earlier = hardening_jobs(db, plan.number, plan.panel)
    before = {one.job: one.hardens for one in earlier}

    def first(name: str) -> str:
        while name in before:
            name = before[name]
        return name

    tried = Counter(first(one.job) for one in earlier)
    waiting = {first(one.job) for one in earlier if one.open}
    siblings = Counter(one.hardens for one in earlier)
    version = template_version("harden/quieter")
    for planned in list(accepted_jobs(db, plan.number, plan.panel)):
        job, root = planned.job, first(planned.job.id)
        found = solved.get(job.id)
        if found is None or found.failed or job.generator not in writers:
            continue
        if tried[root] >= attempts or root in waiting:
            continue
        number = siblings[job.id]
        name = digest("harden", HARDEN_FORMAT, job.id, number, plan.facts.solvers, version)
        known = recorded.get(job.id, ())
        yield replace(job, id=known[number].id if number < len(known) else name, hardens=job.id)


def earlier_attempt(db: sqlite3.Connection, candidate_id: str, prints: Mapping[str, str]) -> JsonObject:
    """An item that solvers (name → fingerprint) mastered, and what they replied, as a generator is shown them."""
    item = candidate(db, candidate_id)
    replies = [
        shorten(after_thinking(solver_reply.raw))
        for solver_reply in solver_replies(db, prints, candidate_id)
        if solver_reply.wrong is False
    ]
    return {
        "query": item.query,
        "passages": [{"title": passage.title, "text": passage.text} for passage in item.passages],
        "replies": list(dict.fromkeys(replies)),
    }


class SolverStage:
    """Asks solvers about accepted items, and stores what became of each reply."""

    def __init__(
        self, plan: SolverPlan, ledger: Ledger, solvers: ModelClient, judge: ModelClient, width: int
    ) -> None:
        self._plan = plan
        self._ledger = ledger
        self._solvers = solvers
        self._judge = judge
        self._slots = asyncio.Semaphore(max(1, width))

    async def run(self, items: Sequence[Item]) -> BudgetSpent | None:
        """Ask about all items what has no scored reply yet; returns what stopped it, if the budget did."""
        prints = self._plan.fingerprints
        known = solver_replies(self._ledger.db, prints)
        done = {(one.candidate_id, one.solver, one.sample) for one in known if one.outcome is not None}
        waiting = (
            (item, solver, sample)
            for item in items
            for solver in prints
            for sample in range(self._plan.samples)
            if (item.id, solver, sample) not in done
        )
        stopped: list[BudgetSpent] = []
        async with asyncio.TaskGroup() as group:
            for item, solver, sample in waiting:
                await self._slots.acquire()
                if stopped:
                    self._slots.release()
                    break
                group.create_task(self._solve(item, solver, sample, stopped))
        self._ledger.flush()
        return stopped[0] if stopped else None

    async def _solve(self, item: Item, solver: str, sample: int, stopped: list[BudgetSpent]) -> None:
        try:
            reply = await self._reply(item, solver, sample)
        except BudgetSpent as error:
            stopped.append(error)
        else:
            self._ledger.record_solver_reply(reply)
        finally:
            self._slots.release()

    async def _reply(self, item: Item, solver: str, sample: int) -> SolverReply:
        plan = self._plan
        made = partial(SolverReply, item.id, solver, sample, plan.fingerprints[solver])
        messages = plan.prompt.messages(item, own_codes=plan.catalogue.own_codes)
        answer = await self._solvers.ask(
            solver,
            ChatRequest(messages),
            str,
            purpose="solve",
            subject=item.id,
            part=str(sample),
            salt=digest("solve", sample),
        )
        if answer.value is None:
            return made(None, f"no reply: {answer.error}")
        said = after_thinking(answer.value)
        if not said:
            values = {"predicted": ANSWER, "quality": 1, "eligible": False, "factual_signal": False}
            return made(outcome_of(item.expected_behavior, values).value, EMPTY, answer.value)
        judged: list[tuple[str, str]] = []
        values, why = await self._judged(item, said, f"{solver}/{sample}", judged)
        outcome = outcome_of(item.expected_behavior, values)
        scored = None if outcome in UNSCORED else outcome.value
        return made(scored, why, answer.value, tuple(judged))

    async def _judged(
        self, item: Item, said: str, part: str, judged: list[tuple[str, str]]
    ) -> tuple[dict[str, Any], str]:
        """What a reply predicts and how good an answer is, and the kind of the reply or why it is unscored."""
        plan, own = self._plan, self._plan.catalogue.own_codes

        async def ask(request: ChatRequest, read: Any, name: str) -> tuple[Any, str]:
            answer = await self._judge.ask(
                plan.judge.name, request, read, purpose=f"judge {name}", subject=item.id, part=part
            )
            judged.append((f"judge {name}", answer.raw))
            return answer.value, answer.error

        why = ""
        if plan.prompt.free:
            kind, error = await ask(kind_request(item, said, own), partial(read_kind, judged=said), "kind")
            if kind is None:
                return {}, f"kind: {error}"
            behaviour, why = predicted_behaviour(kind, item.expected_behavior, "lenient"), str(kind)
            values = {"predicted": ANSWER if behaviour == ANSWER_CORRECTLY else behaviour}
        elif (code := read_code(said, plan.catalogue.codes)) is not None:
            values = {"predicted": code}
        else:
            read = partial(read_classification, codes=plan.catalogue.codes, judged=said)
            found, error = await ask(judge_request("classification", item, said, own), read, "classification")
            if found is None:
                return {}, f"classification: {error}"
            values = dict(found)
        if values["predicted"] == ANSWER and item.answerable:
            name = answer_kind(item)
            read = partial(read_raf if name == "raf" else read_quality, judged=said)
            grade, error = await ask(judge_request(name, item, said, own), read, name)
            if grade is None:
                return values, f"{name}: {error}"
            values |= grade
        return values, why
