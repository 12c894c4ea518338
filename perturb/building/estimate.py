"""Estimates what a build or a run of models would do and cost, before anything is spent.

`estimate_build` adds up the generators, verifiers and solvers of a build. `estimate_run` adds up the models under test
and their judges. For each model, the calls are counted and multiplied by a mean length of prompt and of reply. The
lengths of replies are the rules of thumb below.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any, ClassVar, NamedTuple

from perturb.building.jobs import CONSTRUCTIONS_OFFERED, OFFERED, LeverService, jobs_to_go, lever_service
from perturb.building.plan import BuildPlan
from perturb.building.planting import expected_numbers
from perturb.evaluation.adapters import respond_request
from perturb.evaluation.bas import BasTask, confidence_request
from perturb.evaluation.models_under_test import ModelSet, ModelUnderTest
from perturb.evaluation.question_formats import Question
from perturb.evaluation.refusal_index import FORCED, QuestionTask, RefusalIndexTask, pass_request
from perturb.evaluation.refusalbench import RefusalBench
from perturb.ledger.ends import JobEnd
from perturb.llm.budget import upper_bound
from perturb.llm.client import ChatRequest, Message, ModelSettings
from perturb.records import BaseInstance, Candidate, Cell, Depth, Intensity
from perturb.text.wording import listed

BYTES_PER_TOKEN = 4
"""A rule of thumb. It counts bytes of UTF-8, since a Chinese character takes more tokens than an English letter."""

GENERATION_OVERHEAD_TOKENS = 250
"""Tokens of a generator's reply beyond the query and the passages that it copies."""

VERDICT_TOKENS = 200
"""Tokens of a verifier's reply."""

DEEP_TOKENS = 1500
"""Tokens of a deep item beyond the texts of its instance: added and longer passages, proof, control."""

ANSWER_TOKENS = 100
"""Tokens of a reply by a solver, and of a judge's verdict on it."""

JUDGE_PROMPT_TOKENS = 900
"""Tokens of a prompt about one reply."""

# How many instances of a build are measured for the mean length of its prompts.
_MEASURED_INSTANCES = 50


@dataclass(frozen=True, slots=True)
class ModelEstimate:
    """The estimated calls, tokens and costs of a model."""

    role: str
    """`generator`, `verifier`, `solver`, `model` (under test) or `judge`."""
    name: str
    calls: int
    """At most this many calls, without retries; a verifier is asked about every job's candidate of its classes."""
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None
    """None if the price is unknown."""
    dearest_usd: float | None
    """The amount that a budget sets aside for an average call: the cost of its prompt and of the longest reply."""


class _Estimate:
    """The part that the estimates of all commands share: the models, their sums, and the obstacles."""

    work: ClassVar[str] = "build"
    models: tuple[ModelEstimate, ...]
    missing_keys: tuple[str, ...]
    budget_usd: float | None

    @property
    def obstacles(self) -> tuple[str, ...]:
        """One line for each reason why the work could not start, or would stop before its end."""
        lines = []
        if self.missing_keys:
            pronoun = "it" if len(self.missing_keys) == 1 else "them"
            lines.append(f"Not set: {', '.join(self.missing_keys)}: export {pronoun} before the {self.work}")
        unpriced = list(dict.fromkeys(model.name for model in self.models if model.cost_usd is None))
        if unpriced:
            needed = "budget_usd needs one" if self.budget_usd else "the cost is unknown without one"
            lines.append(f"No price: {listed(unpriced)}: add 'price', {needed}")
        limit = self.budget_usd or math.inf
        for model in self.models:
            if (model.dearest_usd or 0) > limit:
                lines.append(
                    f"One call to {model.name} ({model.role}) may cost ${model.dearest_usd:.4f}, more than budget_usd"
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
        """The cost of all models in USD; None if the price of a model is unknown."""
        costs = [model.cost_usd for model in self.models if model.cost_usd is not None]
        return sum(costs) if len(costs) == len(self.models) else None


@dataclass(frozen=True)
class RunEstimate(_Estimate):
    """The estimate for asking models about items or questions."""

    items: int
    models: tuple[ModelEstimate, ...]
    missing_keys: tuple[str, ...] = ()
    budget_usd: float | None = None
    work: ClassVar[str] = "run"

    def to_dict(self) -> dict[str, Any]:
        """The estimate under the names of `perturb evaluate --dry-run --json`."""
        sums = {"calls": self.calls, "cost_usd": self.cost_usd, "obstacles": list(self.obstacles)}
        return {**asdict(self), **sums, "missing_keys": list(self.missing_keys)}


@dataclass(frozen=True)
class CostEstimate(_Estimate):
    """The estimate for a whole build."""

    instances: int
    cells: int
    jobs: int
    models: tuple[ModelEstimate, ...]
    levers: LeverService
    missing_keys: tuple[str, ...] = ()
    """Key variables that the build needs and that are not set."""
    cells_without_rule: tuple[str, ...] = ()
    """Cells that get no item: only the offline engine generates, and it has no rule for them."""
    budget_usd: float | None = None
    audit_fraction: float | None = None
    """Share of the candidates that get every vote under the economy schedule; None under the full schedule."""
    least_jobs: int | None = None
    """Jobs that fill the quota if every item is accepted; None without a quota."""
    planted: int = 0
    """Items with a known label, on which every verifier votes too."""
    jobs_to_go: int | None = None
    """The expected number of further jobs, at the rate of acceptance so far; None before any job has ended."""

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


@dataclass(frozen=True, slots=True)
class _Volume:
    """How much a build asks for at most. The estimates of several roles share these figures.

    Every generator does `jobs_per_generator` jobs. A model may do each of its jobs up to `rounds` times, since an item
    that is too easy goes back to it; a rule engine does each job once.

    A *deep* candidate hides its flaw in several passages, which makes its texts longer.
    """

    jobs_per_generator: int
    rounds: int
    """How often a job of a model may generate: once, and once more each time that its item is made harder."""
    candidates: int
    """The candidates of all generators, rule engines included."""
    deep_candidates: float
    deep_share: float
    """The share of deep jobs among the jobs of a model, in [0, 1]."""
    copied_tokens: float
    """The mean number of tokens of an instance that a generator may have to copy."""
    planted: int

    @classmethod
    def of(cls, build_plan: BuildPlan, planted: int) -> _Volume:
        config, instances = build_plan.config, build_plan.base_set.instances
        jobs_per_generator = build_plan.most_jobs // len(config.generators)
        rounds = 1 if build_plan.solvers is None else 1 + build_plan.solvers.harden
        deep_share = config.depth.get("deep", 0.0)
        model_jobs = jobs_per_generator * len(build_plan.generator_settings)
        copied_bytes = sum(map(_longest_copy, instances))
        return cls(
            jobs_per_generator=jobs_per_generator,
            rounds=rounds,
            candidates=jobs_per_generator * len(config.generators) + (rounds - 1) * model_jobs,
            deep_candidates=deep_share * rounds * model_jobs,
            deep_share=deep_share,
            copied_tokens=copied_bytes / max(1, len(instances)) / BYTES_PER_TOKEN,
            planted=planted,
        )


def estimate_build(build_plan: BuildPlan, ends: Sequence[JobEnd] = ()) -> CostEstimate:
    """Estimate a build. Jobs and calls are counted, tokens follow from lengths, and costs from known prices.

    The estimate is high, since abstentions, instances that no lever fits, machine checks and the economy schedule save
    calls. Only levers that a generator declines may add calls. Nothing is called and nothing is written. Raises
    `ConfigError` for a model that could not be called with any key.
    """
    config, panel = build_plan.config, build_plan.panel
    quota = config.quota
    planted = sum(expected_numbers(build_plan).values())
    volume = _Volume.of(build_plan, planted)
    models = (
        *_estimate_generators(build_plan, volume),
        *_verifier_models(build_plan, volume),
        *_estimate_solvers(build_plan, volume),
    )
    return CostEstimate(
        instances=len(build_plan.instances),
        cells=len(config.chosen_cells),
        jobs=build_plan.most_jobs,
        models=models,
        levers=lever_service(build_plan.job_settings, build_plan.instances, build_plan.catalogue),
        missing_keys=_missing_keys(build_plan.model_settings),
        cells_without_rule=build_plan.cells_without_rule,
        budget_usd=config.budget_usd,
        audit_fraction=panel.audit_fraction if panel.economy and len(panel.members) > 1 else None,
        least_jobs=build_plan.least_jobs if quota else None,
        planted=planted,
        jobs_to_go=jobs_to_go(build_plan.places, ends, quota) if quota and ends else None,
    )


def _estimate_generators(build_plan: BuildPlan, volume: _Volume) -> list[ModelEstimate]:
    """The estimates of the generators. Prompts and replies have the mean length over open and deep jobs."""
    deep = volume.deep_share
    prompt = _generation_prompt(build_plan)
    reply = volume.copied_tokens + GENERATION_OVERHEAD_TOKENS
    if deep:
        # A deep reply copies the texts twice: into the flawed context and into its control.
        deep_reply = 2 * volume.copied_tokens + DEEP_TOKENS
        prompt = (1 - deep) * prompt + deep * _generation_prompt(build_plan, "deep")
        reply = (1 - deep) * reply + deep * deep_reply
    generated = volume.rounds * volume.jobs_per_generator
    settings = build_plan.generator_settings.values()
    return [
        _estimate_model(model, "generator", generated + faults, prompt, reply)
        for model, faults in zip(settings, _written_faults(build_plan), strict=True)
    ]


def _verifier_models(build_plan: BuildPlan, volume: _Volume) -> list[ModelEstimate]:
    """The estimates of the verifiers, each over the cells whose class it judges."""
    prompts = _verification_prompts(build_plan)
    judges, models = build_plan.panel.judges, []
    for name, settings in build_plan.verifier_settings.items():
        judged = [tokens for cell, tokens in prompts.items() if name in judges.of(cell.perturbation_class)]
        # Jobs and planted items are spread evenly over the cells.
        candidates = volume.candidates * len(judged) // len(prompts)
        planted = volume.planted * len(judged) // len(prompts)
        # A verifier first decides a deep item blind, which is another call.
        blind_votes = math.ceil(volume.deep_candidates * len(judged) / len(prompts))
        calls = candidates + planted + blind_votes
        # The context of a deep item is longer. The further tokens are spread over all calls.
        mean_further_tokens = DEEP_TOKENS * blind_votes / max(1, calls)
        prompt = sum(judged) / max(1, len(judged)) + mean_further_tokens
        models.append(_estimate_model(settings, "verifier", calls, prompt, VERDICT_TOKENS))
    return models


def estimate_run(
    task: RefusalBench | QuestionTask[Any], models: ModelSet, budget_usd: float | None
) -> RunEstimate:
    """Estimate a run. Calls are counted, tokens follow from lengths, and costs from known prices. Nothing is called.

    The estimate is high: every reply may need a judge, and every question of the Refusal Index a forced answer. Replies
    that a ledger already holds are counted too. Raises `ConfigError` for a model that could not be called with any key.
    """
    task.check(models)
    work = _items_work(task, models) if isinstance(task, RefusalBench) else _questions_work(task)
    mean_prompt = fmean(work.prompts) if work.prompts else 0.0
    judge_calls = work.judgements * len(models.under_test) + work.planted
    judge_prompt = JUDGE_PROMPT_TOKENS + mean_prompt
    estimates = [
        *(
            _estimate_model_under_test(model, "model", work.replies, mean_prompt)
            for model in models.under_test.values()
        ),
        *(_estimate_model_under_test(judge, "judge", judge_calls, judge_prompt) for judge in models.judges),
    ]
    providers = [model.settings for model in models.called.values() if model.opener is None]
    return RunEstimate(len(task.items), tuple(estimates), _missing_keys(providers), budget_usd)


class _Work(NamedTuple):
    """What a run asks for at most: the figures are for each model under test, apart from `planted`."""

    prompts: list[float]
    """The tokens of each prompt."""
    replies: int
    judgements: int
    planted: int = 0
    """Judgements of planted replies."""


def _items_work(task: RefusalBench, models: ModelSet) -> _Work:
    """What the items of RefusalBench ask for: each setting is another prompt about the same item."""
    prompts = [
        _tokens(respond_request(item, task.variant, task.catalogue.own_codes, setting))
        for item in task.items
        for setting in task.settings
    ]
    replies = len(prompts) * task.samples
    # Every reply is classified. An answer to an answerable item is graded too.
    graded = task.samples * len(task.settings) * sum(item.answerable for item in task.items)
    # A planted reply may be graded too, like any other.
    return _Work(prompts, replies, replies + graded, planted=2 * task.planted_number(models))


def _questions_work(task: QuestionTask[Any]) -> _Work:
    """What the questions of the Refusal Index or of the Behavioral Alignment Score ask for."""
    prompts = [_tokens(request) for question in task.items for request in _requests(task, question)]
    # Options and numbers are compared with the answer. Only free texts need a judge.
    free_text = [question for question in task.items if question.form == "text"]
    if isinstance(task, BasTask):
        # There is one grade for each way, even if it takes two calls.
        judgements = len(task.ways) * len(free_text)
    else:
        judgements = sum(len(list(_requests(task, question))) for question in free_text)
    return _Work(prompts, len(prompts), judgements)


def _requests(task: QuestionTask[Any], question: Question) -> Iterator[ChatRequest]:
    """Yield every request that a question may lead to. A second request counts as long as the first."""
    if isinstance(task, BasTask):
        for way in task.ways:
            yield from [confidence_request(way, question, None, task.k)] * way.calls
    elif isinstance(task, RefusalIndexTask):
        for setting in task.ways:
            yield from [pass_request(question, setting)] * task.samples
        yield pass_request(question, FORCED)


def _estimate_model_under_test(model: ModelUnderTest, role: str, calls: int, prompt: float) -> ModelEstimate:
    """The estimate of one model. Services and functions count as free, since their price is unknown."""
    if model.opener is None:
        return _estimate_model(model.settings, role, calls, prompt, ANSWER_TOKENS)
    return ModelEstimate(
        role=role,
        name=model.name,
        calls=calls,
        prompt_tokens=round(calls * prompt),
        completion_tokens=calls * ANSWER_TOKENS,
        cost_usd=0.0,
        dearest_usd=None,
    )


def _written_faults(build_plan: BuildPlan) -> list[int]:
    """How many planted faults each generator writes, in the order of the generators."""
    n_writers = len(build_plan.generator_settings)
    if not n_writers:
        return []
    written = expected_numbers(build_plan)["written"]
    each, remainder = divmod(written, n_writers)
    # The first generators write one fault more each until the remainder is used up.
    return [each + (number < remainder) for number in range(n_writers)]


def _estimate_solvers(build_plan: BuildPlan, volume: _Volume) -> list[ModelEstimate]:
    """The estimates of the solvers and their judge, if every candidate were accepted."""
    plan = build_plan.solvers
    if plan is None:
        return []
    cells = build_plan.config.chosen_cells
    answerable_share = sum(cell.intensity is Intensity.LOW for cell in cells) / len(cells)
    replies = volume.candidates * plan.samples
    solvers = [
        _estimate_model(solver, "solver", replies, volume.copied_tokens, ANSWER_TOKENS)
        for solver in plan.settings.values()
    ]
    # Every reply is classified. The answer to an answerable item is graded too.
    judgements = math.ceil(len(solvers) * replies * (1 + answerable_share))
    return [*solvers, _estimate_model(plan.judge, "judge", judgements, JUDGE_PROMPT_TOKENS, ANSWER_TOKENS)]


def _missing_keys(models: Sequence[ModelSettings]) -> tuple[str, ...]:
    """The variables with keys that the models need and that are not set. Raises `ConfigError` for an unknown model."""
    if not models:
        return ()  # the module below loads litellm, which takes seconds
    from perturb.llm.remote import check_model, missing_key

    for settings in models:
        check_model(settings, needs_key=False)
    missing = [missing_key(settings) for settings in models]
    # Several models may need the same key.
    return tuple(dict.fromkeys(name for name in missing if name))


def _longest_copy(instance: BaseInstance) -> int:
    """The bytes that a generator may have to copy: the query and the signal passages."""
    signal_texts = [passage.text for passage in instance.passages if passage.role == "signal"]
    return sum(map(_bytes, [instance.query, *signal_texts]))


def _bytes(text: str) -> int:
    # Texts of data sets may hold lone surrogates, which plain UTF-8 refuses.
    return len(text.encode("utf-8", "surrogatepass"))


def _estimate_model(
    settings: ModelSettings, role: str, calls: int, prompt: float, reply: float
) -> ModelEstimate:
    """The estimate of a model with a number of calls; `prompt` and `reply` are mean numbers of tokens."""
    from perturb.llm.remote import with_price

    priced = with_price(settings)
    price = priced.price
    prompt_tokens, completion_tokens = round(calls * prompt), round(calls * reply)
    # A budget sets aside an amount by the length of a request, so only the length of this prompt counts.
    request = ChatRequest((Message("user", " " * round(prompt * BYTES_PER_TOKEN)),))
    return ModelEstimate(
        role=role,
        name=settings.name,
        calls=calls,
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        cost_usd=price.of(prompt_tokens, completion_tokens) if price else None,
        dearest_usd=upper_bound(priced, request) if price else None,
    )


def _tokens(request: ChatRequest) -> float:
    """About how many tokens a prompt has."""
    return sum(_bytes(message.content) for message in request.messages) / BYTES_PER_TOKEN


def _generation_prompt(build_plan: BuildPlan, depth: Depth = "open") -> float:
    """Mean tokens of a generation prompt, over the cells and the first instances."""
    prompts, catalogue = build_plan.prompts, build_plan.catalogue
    instances = build_plan.base_set.instances[:_MEASURED_INSTANCES]
    offered = OFFERED[build_plan.config.lever_choice]
    lengths = []
    for cell in build_plan.config.chosen_cells:
        # As many levers and constructions as a job offers.
        levers = catalogue.levers_of(cell)[:offered]
        suiting = [entry.name for entry in catalogue.constructions if entry.suits(cell)]
        constructions = suiting[:CONSTRUCTIONS_OFFERED]
        lengths += [
            _tokens(prompts.generation(cell, instance, levers, depth, constructions))
            for instance in instances
        ]
    return fmean(lengths)


def _verification_prompts(build_plan: BuildPlan) -> dict[Cell, float]:
    """Mean tokens of a verification prompt of each cell, if the candidate is as long as the original."""

    def tokens(cell: Cell, instance: BaseInstance) -> float:
        copy = Candidate(
            id="",
            instance_id=instance.id,
            generator="",
            cell=cell,
            lever="",
            query=instance.query,
            passages=instance.passages,
            reasoning="",
            expected_behavior="",
        )
        return _tokens(build_plan.prompts.verification(instance, copy))

    instances = build_plan.base_set.instances[:_MEASURED_INSTANCES]
    return {
        cell: fmean(tokens(cell, instance) for instance in instances)
        for cell in build_plan.config.chosen_cells
    }
