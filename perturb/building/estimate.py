"""What a build would do and cost, before anything is spent."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any, ClassVar

from perturb.building.jobs import CONSTRUCTIONS_OFFERED, OFFERED, LeverService, lever_service
from perturb.building.plan import BuildPlan
from perturb.building.planting import expected_numbers
from perturb.config import read_quota
from perturb.evaluation.adapters import respond_request
from perturb.evaluation.bas import BasTask, confidence_request
from perturb.evaluation.models_under_test import ModelSet, ModelUnderTest
from perturb.evaluation.question_formats import Question
from perturb.evaluation.refusal_index import FORCED, QuestionTask, RefusalIndexTask, pass_request
from perturb.evaluation.refusalbench import RefusalBench
from perturb.ledger.quotas import JobEnd, jobs_to_go
from perturb.llm.budget import upper_bound
from perturb.llm.client import ChatRequest, Message, ModelSettings
from perturb.records import BaseInstance, Candidate, Cell, Depth, Intensity
from perturb.text.wording import listed

BYTES_PER_TOKEN = 4
"""Rule of thumb, of UTF-8, which tells Chinese from English; the providers' own counts are used once calls are made."""

GENERATION_OVERHEAD_TOKENS = 250
"""Tokens of a generator's reply beside the query and the passages it copies."""

VERDICT_TOKENS = 200
"""Tokens of a verifier's reply."""

DEEP_TOKENS = 1500
"""Tokens that a deep item has beyond the texts of its instance: passages added and lengthened, proof, control."""

ANSWER_TOKENS = 100
"""Tokens of a solver's reply, and of what a judge says of one."""

JUDGE_PROMPT_TOKENS = 900
"""Tokens of a prompt about one reply."""


@dataclass(frozen=True, slots=True)
class ModelEstimate:
    """What one model would be asked."""

    role: str
    """`generator`, `verifier`, `solver`, `model` (under test) or `judge`."""
    name: str
    calls: int
    """At most this many calls, without retries; a verifier is asked about every job's candidate of its classes."""
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None
    """None when the price is unknown."""
    dearest_usd: float | None
    """What a budget sets aside for one call of middling length: its prompt, and a reply as long as it may be."""


class _Sums:
    """What the estimates of all commands add up."""

    __slots__ = ()
    work: ClassVar[str] = "build"
    models: tuple[ModelEstimate, ...]
    missing_keys: tuple[str, ...]
    budget_usd: float | None

    @property
    def obstacles(self) -> tuple[str, ...]:
        """What would keep the build from starting or from reaching its end, one line each."""
        lines = []
        if self.missing_keys:
            lines.append(f"Not set: {', '.join(self.missing_keys)}: export before the {self.work}")
        unpriced = list(dict.fromkeys(one.name for one in self.models if one.cost_usd is None))
        needed = "budget_usd needs one" if self.budget_usd else "the cost is unknown without one"
        if unpriced:
            lines.append(f"No price: {listed(unpriced)}: add 'price', {needed}")
        limit = self.budget_usd or math.inf
        for one in self.models:
            if (one.dearest_usd or 0) > limit:
                lines.append(
                    f"One call to {one.name} ({one.role}) may cost ${one.dearest_usd:.4f}, more than budget_usd"
                    f" (${limit:g}): raise it, or lower max_tokens"
                )
        if (self.cost_usd or 0) > limit:
            lines.append(
                f"The estimate is higher than budget_usd (${limit:g}): the {self.work} would stop before its end"
            )
        return tuple(lines)

    @property
    def calls(self) -> int:
        """Calls to models, at most."""
        return sum(model.calls for model in self.models)

    @property
    def cost_usd(self) -> float | None:
        """The whole cost in USD; None when the price of a model is unknown."""
        costs = [model.cost_usd for model in self.models]
        known = [cost for cost in costs if cost is not None]
        return sum(known) if len(known) == len(costs) else None


@dataclass(frozen=True, slots=True)
class RunEstimate(_Sums):
    """What asking models about items or questions would come to."""

    items: int
    models: tuple[ModelEstimate, ...]
    missing_keys: tuple[str, ...] = ()
    budget_usd: float | None = None
    work: ClassVar[str] = "run"

    def to_dict(self) -> dict[str, Any]:
        """The estimate under the names of `perturb evaluate --dry-run --json`."""
        sums = {"calls": self.calls, "cost_usd": self.cost_usd, "obstacles": list(self.obstacles)}
        return {**asdict(self), **sums, "missing_keys": list(self.missing_keys)}


@dataclass(frozen=True, slots=True)
class CostEstimate(_Sums):
    """What a whole build would do."""

    instances: int
    cells: int
    jobs: int
    models: tuple[ModelEstimate, ...]
    levers: LeverService
    missing_keys: tuple[str, ...] = ()
    """Key variables that the build needs and that are not set."""
    cells_without_rule: tuple[str, ...] = ()
    """Cells that get no item, since the offline engine alone generates and has no rule for them."""
    budget_usd: float | None = None
    audit_fraction: float | None = None
    """Share of the candidates that get every vote under the economy schedule; None under the full one."""
    least_jobs: int | None = None
    """The jobs that it takes to fill the quota if every item is accepted; None without a quota."""
    planted: int = 0
    """Items about which the truth is known, on which every verifier votes too."""
    jobs_to_go: int | None = None
    """About how many more it takes at what was accepted so far; None before anything was."""

    def to_dict(self) -> dict[str, Any]:
        """The estimate under the names of `perturb build --dry-run --json`."""
        return {
            "instances": self.instances,
            "cells": self.cells,
            "jobs": self.jobs,
            "calls": self.calls,
            "cost_usd": self.cost_usd,
            "budget_usd": self.budget_usd,
            "missing_keys": list(self.missing_keys),
            "cells_without_rule": list(self.cells_without_rule),
            "audit_fraction": self.audit_fraction,
            "planted": self.planted,
            **({} if self.least_jobs is None else {"least_jobs": self.least_jobs}),
            **({} if self.jobs_to_go is None else {"jobs_to_go": self.jobs_to_go}),
            "models": [asdict(model) for model in self.models],
            "levers": {name: jobs for served in self.levers.values() for name, jobs in served.items()},
        }


def estimate_build(build_plan: BuildPlan, ends: Sequence[JobEnd] = ()) -> CostEstimate:
    """Count jobs and calls exactly, tokens by their length, and cost where prices are known.

    It is an upper estimate but for levers that a generator declines: abstentions, instances that no lever of a cell
    fits, machine checks and the economy schedule make the number of calls smaller.
    Nothing is called and nothing written. Raises `ConfigError` for a model that could not be called with any key.
    """
    config, panel = build_plan.config, build_plan.panel
    per_generator = len(build_plan.instances) * len(config.chosen_cells) * config.replicates
    jobs = per_generator * len(config.generators)
    texts = sum(_longest_copy(instance) for _, instance in build_plan.instances)
    least, to_go = _quota_jobs(build_plan, ends)
    planted = sum(expected_numbers(build_plan, jobs if least is None else least).values())
    copied = texts / max(1, len(build_plan.instances)) / BYTES_PER_TOKEN
    deep = config.depth.get("deep", 0.0)
    prompt, reply = _generation_prompt(build_plan), copied + GENERATION_OVERHEAD_TOKENS
    if deep:
        prompt = (1 - deep) * prompt + deep * _generation_prompt(build_plan, "deep")
        reply = (1 - deep) * reply + deep * (2 * copied + DEEP_TOKENS)
    # At most, each item of a model is mastered as often as it may be made harder.
    harden = config.difficulty.harden if config.difficulty is not None else 0
    asked = jobs + harden * per_generator * len(build_plan.generator_settings)
    models = [
        _model(settings, "generator", (1 + harden) * per_generator + written, prompt, reply)
        for settings, written in zip(build_plan.generator_settings.values(), _shares(build_plan), strict=True)
    ]
    lengths = _verification_prompts(build_plan)
    for name, settings in build_plan.verifier_settings.items():
        judged = [n for cell, n in lengths.items() if name in panel.judges.of(cell.perturbation_class)]
        calls, prompt = asked * len(judged) // len(lengths), sum(judged) / max(1, len(judged))
        calls += planted * len(judged) // len(lengths)
        # A deep item is decided blind first, and its context is longer.
        blind = math.ceil(
            deep
            * (1 + harden)
            * per_generator
            * len(build_plan.generator_settings)
            * len(judged)
            / len(lengths)
        )
        longer = DEEP_TOKENS * blind / max(1, calls + blind)
        models.append(_model(settings, "verifier", calls + blind, prompt + longer, VERDICT_TOKENS))
    models += _solver_models(build_plan, asked, copied)
    served = lever_service(build_plan.plan, build_plan.instances, build_plan.catalogue)
    everybody = [*build_plan.generator_settings.values(), *build_plan.verifier_settings.values()]
    if build_plan.solvers is not None:
        everybody += [*build_plan.solvers.settings.values(), build_plan.solvers.judge]
    missing = _missing_keys(everybody) if everybody else ()
    audited = panel.audit_fraction if panel.economy and len(panel.members) > 1 else None
    cells = len(config.chosen_cells)
    return CostEstimate(
        len(build_plan.instances),
        cells,
        jobs,
        tuple(models),
        served,
        missing,
        build_plan.cells_without_rule,
        config.budget_usd,
        audited,
        least_jobs=least,
        jobs_to_go=to_go,
        planted=planted,
    )


def estimate_run(
    task: RefusalBench | QuestionTask[Any], models: ModelSet, budget_usd: float | None
) -> RunEstimate:
    """Count the calls of a run, tokens by their length, and cost where prices are known; nobody is asked.

    It is an upper estimate: every reply may need a judge, and every question of the Refusal Index a forced answer. What
    a ledger holds already is not left out. Raises `ConfigError` for a model that could not be called with any key.
    """
    task.check(models)
    if isinstance(task, RefusalBench):
        asked = [
            _tokens(respond_request(item, task.variant, task.catalogue.own_codes, setting))
            for item in task.items
            for setting in task.settings
        ]
        replies = len(asked) * task.samples
        # A reply is classified; an answer to an item that can be answered is graded too.
        judged = replies + task.samples * len(task.settings) * sum(item.answerable for item in task.items)
    else:
        asked = [_tokens(one) for question in task.items for one in _requests(task, question)]
        replies = len(asked)
        judged = sum(len(list(_requests(task, one))) for one in task.items if one.form == "text")
        if isinstance(task, BasTask):
            judged = len(task.ways) * sum(question.form == "text" for question in task.items)
    mean = fmean(asked) if asked else 0.0
    under_test = models.under_test.values()
    # A planted reply to an item that can be answered is graded too.
    planted = 2 * task.planted_number(models) if isinstance(task, RefusalBench) else 0
    told = [_asked(one, "model", replies, mean) for one in under_test]
    told += [
        _asked(judge, "judge", judged * len(under_test) + planted, JUDGE_PROMPT_TOKENS + mean)
        for judge in models.judges
    ]
    providers = [one.settings for one in models.called.values() if one.opener is None]
    return RunEstimate(len(task.items), tuple(told), _missing_keys(providers), budget_usd)


def _requests(task: QuestionTask[Any], question: Question) -> Iterator[ChatRequest]:
    """What a model may be asked about a question at most; a second request is taken to be as long as the first."""
    if isinstance(task, BasTask):
        for way in task.ways:
            yield from [confidence_request(way, question, None, task.k)] * way.calls
    elif isinstance(task, RefusalIndexTask):
        for setting in task.ways:
            yield from [pass_request(question, setting)] * task.samples
        yield pass_request(question, FORCED)


def _asked(one: ModelUnderTest, role: str, calls: int, prompt: float) -> ModelEstimate:
    """What one model would be asked; services and functions cost nothing that we know of."""
    if one.opener is None:
        return _model(one.settings, role, calls, prompt, ANSWER_TOKENS)
    tokens = (round(calls * prompt), calls * ANSWER_TOKENS)
    return ModelEstimate(role, one.name, calls, *tokens, cost_usd=0.0, dearest_usd=None)


def _shares(build_plan: BuildPlan) -> list[int]:
    """How many faults each generator writes, in turn."""
    writers = len(build_plan.generator_settings)
    written = expected_numbers(build_plan, build_plan.count_jobs())["written"]
    return [written // writers + (number < written % writers) for number in range(writers)]


def _solver_models(build_plan: BuildPlan, jobs: int, copied: float) -> list[ModelEstimate]:
    """What solvers and their judge would be asked if every job gave an accepted item."""
    plan = build_plan.solvers
    if plan is None:
        return []
    replies, cells = jobs * plan.samples, build_plan.config.chosen_cells
    answerable = sum(cell.intensity is Intensity.LOW for cell in cells) / len(cells)
    solvers = [_model(one, "solver", replies, copied, ANSWER_TOKENS) for one in plan.settings.values()]
    judged = math.ceil(len(solvers) * replies * (1 + answerable))
    return [*solvers, _model(plan.judge, "judge", judged, JUDGE_PROMPT_TOKENS, ANSWER_TOKENS)]


def _missing_keys(models: Sequence[ModelSettings]) -> tuple[str, ...]:
    from perturb.llm.remote import check_model, missing_key

    for settings in models:
        check_model(settings, needs_key=False)
    return tuple(dict.fromkeys(name for settings in models if (name := missing_key(settings))))


def _longest_copy(instance: BaseInstance) -> int:
    """Bytes that a generator may have to write again: of several passages, those of the signal ones."""
    copied = (instance.query, *(one.text for one in instance.passages if one.role == "signal"))
    return sum(map(_bytes, copied))


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _quota_jobs(build_plan: BuildPlan, ends: Sequence[JobEnd]) -> tuple[int | None, int | None]:
    """The least that a quota takes, and what it takes yet by the ends of the jobs so far."""
    config = build_plan.config
    if config.until is None:
        return None, None
    quota, each = read_quota(config.until), len(build_plan.instances) * config.replicates
    places = [(one.name, cell) for cell in config.chosen_cells for one in config.generators]
    return min(quota, each) * len(places), jobs_to_go(places, ends, quota) if ends else None


def _model(settings: ModelSettings, role: str, calls: int, prompt: float, reply: float) -> ModelEstimate:
    from perturb.llm.remote import with_price

    priced = with_price(settings)
    price, tokens = priced.price, (round(calls * prompt), round(calls * reply))
    request = ChatRequest((Message("user", " " * round(prompt * BYTES_PER_TOKEN)),))
    return ModelEstimate(
        role,
        settings.name,
        calls,
        *tokens,
        price.of(*tokens) if price else None,
        upper_bound(priced, request) if price else None,
    )


def _tokens(request: ChatRequest) -> float:
    """About how many tokens a prompt has."""
    return sum(_bytes(message.content) for message in request.messages) / BYTES_PER_TOKEN


def _generation_prompt(build_plan: BuildPlan, depth: Depth = "open") -> float:
    """Mean tokens of a generation prompt, over the cells and up to 50 instances."""
    prompts, catalogue = build_plan.prompts, build_plan.catalogue
    offered = OFFERED[build_plan.config.lever_choice]
    ways = {
        cell: [one.name for one in catalogue.constructions if one.suits(cell)][:CONSTRUCTIONS_OFFERED]
        for cell in build_plan.config.chosen_cells
    }
    return fmean(
        _tokens(prompts.generation(cell, instance, catalogue.levers_of(cell)[:offered], depth, ways[cell]))
        for cell in build_plan.config.chosen_cells
        for _, instance in build_plan.instances[:50]
    )


def _verification_prompts(build_plan: BuildPlan) -> dict[Cell, float]:
    """Mean tokens of a verification prompt of each cell, taking the candidate to be as long as the original."""

    def tokens(cell: Cell, instance: BaseInstance) -> float:
        copy = Candidate("", instance.id, "", cell, "", instance.query, instance.passages, "", "")
        return _tokens(build_plan.prompts.verification(instance, copy))

    return {
        cell: fmean(tokens(cell, one) for _, one in build_plan.instances[:50])
        for cell in build_plan.config.chosen_cells
    }
