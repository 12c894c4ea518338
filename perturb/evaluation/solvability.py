"""The solvability pre-test: only unperturbed questions that every solver answers correctly are kept.

An answer from a single passage is correct if it equals an accepted answer after normalisation, or if a judge says so.
An answer from several passages is correct if its relevance-aware factuality (RAF, spec section 7) is 1: a judge finds
it eligible and every claim in it supported by the signal passages alone. A ledger keeps all replies.

`InstanceTest` is the base class of tests that ask models about instances; `SolvabilityTest` is the pre-test.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self, TypeVar

from pydantic import Field, model_validator

from perturb.catalogue.prompts import data_request, object_schema, system_message, template_version
from perturb.config import Name
from perturb.errors import ConfigError, TransientModelError
from perturb.evaluation.adapters import ItemRequest, item_request
from perturb.evaluation.answers import is_exact_match
from perturb.evaluation.models_under_test import ModelSet, ModelsFileEntry, model_under_test, require_models
from perturb.evaluation.run import items_at_once, open_session
from perturb.evaluation.session import RunOptions, Session
from perturb.files.yaml_files import Strict
from perturb.ledger.evaluations import EvaluationLedger
from perturb.ledger.queries import call_facts
from perturb.llm.budget import Progress
from perturb.llm.client import ChatRequest
from perturb.llm.model_client import ModelResult
from perturb.llm.replies import ReplyError, read_flags, read_object, text_of
from perturb.records import BaseInstance, JsonObject
from perturb.runtime import run_concurrently, run_sync

# The value that is read from a reply.
T = TypeVar("T")


class NotPassed(Exception):
    """An instance does not pass a test; the message says why."""


class InstanceTest(ABC):
    """Asks models about instances; a context manager, called with the instances to be tested.

    A ledger in `folder` keeps the calls, so that no answered request is made again. Raises `ConfigError` if a model
    cannot be called, and `BudgetSpent` before the budget is overspent.
    """

    def __init__(self, models: ModelSet, folder: Path, options: RunOptions) -> None:
        """The ledger is opened on entry."""
        self._models = models
        self._folder = folder
        self._options = options

    def __enter__(self) -> Self:
        self._models.check(in_batches=self._options.batch is not None)
        self._ledger = EvaluationLedger(self._folder)
        return self

    def __exit__(self, *exc_info: Any) -> None:
        self._ledger.__exit__(*exc_info)

    def __call__(self, instances: Sequence[BaseInstance]) -> Mapping[str, str]:
        """The id of each instance that does not pass, with the first reason why.

        Raises `TransientModelError` if calls failed that may succeed later: their instances have neither passed nor
        failed, and running the same command again resumes from there.
        """
        return run_sync(self._test_all(instances))

    @abstractmethod
    async def test(self, session: Session, instance: BaseInstance) -> None:
        """Return if the instance passes.

        Raises `NotPassed` if it does not, and `TransientModelError` if that is not known yet.
        """

    def call_facts(self, templates: Sequence[str]) -> JsonObject:
        """Versions of these templates and the calls so far, for the manifest."""
        counts = call_facts(self._ledger.db, self._ledger.cached_calls)
        return {
            "templates": {Path(name).name: template_version(name) for name in templates},
            **{name: counts[name] for name in ("calls", "cached_calls", "cost_usd")},
        }

    async def _test_all(self, instances: Sequence[BaseInstance]) -> Mapping[str, str]:
        """Test every instance; after a call that failed for the moment, no further instance is begun."""
        models, options = self._models, self._options
        failed: dict[str, str] = {}
        outage: TransientModelError | None = None

        async def test_in_turn(instance: BaseInstance) -> None:
            nonlocal outage
            if outage is not None:
                return
            try:
                await self.test(session, instance)
            except NotPassed as fault:
                failed[instance.id] = str(fault)
            except TransientModelError as error:
                outage = error  # instances in progress go on to their end
            await self._ledger.apply_backpressure()

        with Progress(len(instances), "question", shown=False) as progress:
            async with open_session(models, self._ledger, options, progress=progress) as session:
                max_at_once = items_at_once(models, models.under_test.values(), options)
                budget_spent = await run_concurrently(
                    iter(instances), test_in_turn, min(len(instances), max_at_once)
                )
        # Instances that were not tested would be missing from the base set for good.
        if error := budget_spent or outage:
            raise error
        return failed


def value_of(result: ModelResult[T], name: str) -> T:
    """The value of a call to the model `name`.

    Raises `TransientModelError` if there is none but another try may give one, and else `NotPassed`.
    """
    if result.value is not None:
        return result.value
    if result.transient:
        raise TransientModelError(
            f"model '{name}': {result.error}: run the same command again, what was answered is kept"
        )
    if result.status == "unread":
        raise NotPassed(f"'{name}' gives no readable reply")
    raise NotPassed(f"the call to '{name}' is refused")


# The templates under `templates/solve/`.
TEMPLATES: tuple[str, ...] = ("answer", "judge_single", "judge_several")

# The flags of a judge about an answer from several passages. RAF is 1 if the first and the last hold.
_RAF_KEYS = ("eligible", "supported_by_all", "supported_by_relevant")


class SolverPanel(Strict):
    """The file of `--solvers`: models, services or functions that must all answer right, and who grades them."""

    name: Name = "solvers"
    solvers: tuple[ModelsFileEntry, ...] = Field(min_length=1)
    judge: ModelsFileEntry | None = None
    """Needed for contexts of several passages."""
    budget_usd: float | None = Field(default=None, gt=0)

    @model_validator(mode="after")
    def _different_models(self) -> SolverPanel:
        require_models([*self.solvers, *([self.judge] if self.judge else [])], "answer")
        return self

    def models(self) -> ModelSet:
        """The solvers, in the order in which they are asked, and the judge."""
        solvers = {solver.name: model_under_test(solver.settings()) for solver in self.solvers}
        return ModelSet(solvers, (model_under_test(self.judge.settings()),) if self.judge else ())


class SolvabilityTest(InstanceTest):
    """Asks every solver about instances; an instance passes if all solvers answer it correctly."""

    def __init__(
        self, panel: SolverPanel, folder: Path, *, judged: bool = False, options: RunOptions | None = None
    ) -> None:
        """With `judged`, the judge grades single-passage answers too. The budget is the panel's."""
        if judged and panel.judge is None:
            raise ConfigError(f"panel '{panel.name}': --judge needs a judge: add 'judge' to the panel file")
        budgeted = dataclasses.replace(options or RunOptions(), budget_usd=panel.budget_usd)
        super().__init__(panel.models(), folder, budgeted)
        self._panel = panel
        self._judged = judged

    def __call__(self, instances: Sequence[BaseInstance]) -> Mapping[str, str]:
        """The instances that do not pass, as for any test; also raises `ConfigError` if a judge is missing."""
        if self._panel.judge is None and any(len(instance.passages) > 1 for instance in instances):
            raise ConfigError(
                f"panel '{self._panel.name}': answers from several passages need a judge: add 'judge' to the file"
            )
        return super().__call__(instances)

    def facts(self) -> JsonObject:
        """The entry on the test in the manifest."""
        judge = self._models.judge
        return {
            "panel": self._panel.name,
            "solvers": {name: model.settings.model for name, model in self._models.under_test.items()},
            "judge": judge.settings.model if judge else None,
            "judged": self._judged,
            **self.call_facts([f"solve/{name}" for name in TEMPLATES]),
        }

    async def test(self, session: Session, instance: BaseInstance) -> None:
        """Ask the solvers in turn, up to the first that fails."""
        for solver, model in self._models.under_test.items():
            # A service or a function has an opener. Its reply need not be the JSON that a chat model is asked for.
            read_reply = read_answer if model.opener is None else read_any_answer
            result = await session.client.ask(
                solver, answer_request(instance), read_reply, purpose="solve", subject=instance.id
            )
            if not await self._is_correct(session, instance, value_of(result, solver)):
                raise NotPassed(f"'{solver}' does not answer right")

    async def _is_correct(self, session: Session, instance: BaseInstance, answer: str) -> bool:
        several = len(instance.passages) > 1
        judge = self._models.judge
        # An answer from several passages is a text, which a comparison of words cannot grade.
        if judge is None or not (several or self._judged):
            return is_exact_match(answer, instance.answers)
        read_grade = read_raf if several else read_correct
        result = await session.client.ask(
            judge.name,
            judge_request(instance, answer),
            lambda text: read_grade(text, answer),
            purpose="judge",
            subject=instance.id,
        )
        return value_of(result, judge.name)


def answer_request(instance: BaseInstance) -> ItemRequest:
    """The request to a solver."""
    system = system_message("solve/answer", several=len(instance.passages) > 1)
    data = {"query": instance.query, "context": instance.context}
    schema = object_schema({"answer": {"type": "string"}})
    return item_request(data_request(system, data, schema), instance)


def judge_request(instance: BaseInstance, answer: str) -> ChatRequest:
    """The request to the judge about an answer."""
    data: JsonObject = {"query": instance.query, "context": instance.context}
    flags: tuple[str, ...]
    if len(instance.passages) > 1:
        template, flags = "solve/judge_several", _RAF_KEYS
        data["relevant"] = [
            number for number, passage in enumerate(instance.passages, start=1) if passage.role == "signal"
        ]
        data["reference"] = instance.reference_answer or instance.answers[0]
    else:
        template, flags = "solve/judge_single", ("correct",)
        data["accepted"] = list(instance.answers)
    data["answer"] = answer
    schema = object_schema({flag: {"type": "boolean"} for flag in flags})
    return data_request(system_message(template), data, schema)


def read_answer(text: str) -> str:
    """The answer in a solver's reply. Raises `ReplyError`."""
    return text_of(read_object(text, frozenset({"answer"}))["answer"], "answer")


def read_any_answer(text: str) -> str:
    """The answer of a service or a function, which need not be JSON.

    >>> read_any_answer('{"answer": "Ada"}'), read_any_answer("Ada")
    ('Ada', 'Ada')
    """
    try:
        return read_answer(text)
    except ReplyError:
        return text.strip()


def read_correct(text: str, judged: str = "") -> bool:
    """Whether a judge finds an answer from one passage correct. Raises `ReplyError`.

    `judged` is the answer. If the judge quotes flags from it, they are not taken for the judge's own.
    """
    return read_flags(text, ("correct",), judged)["correct"]


def read_raf(text: str, judged: str = "") -> bool:
    """Whether the RAF score in a judge's reply about the answer `judged` is 1. Raises `ReplyError`.

    >>> read_raf('{"eligible": true, "supported_by_all": true, "supported_by_relevant": false}')
    False
    """
    flags = read_flags(text, _RAF_KEYS, judged)
    return flags["eligible"] and flags["supported_by_relevant"]
