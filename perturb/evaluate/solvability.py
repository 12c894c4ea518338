"""The solvability pre-test: only questions that every solver answers right, before any perturbation, are kept.

An answer from a single passage is right if it equals an accepted answer after normalisation, or if a judge says so.
An answer from several passages is right if its RAF score is 1 (spec, section 7): a judge finds it eligible and every
claim in it supported by the signal passages alone.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import Field, model_validator

from perturb.errors import ConfigError
from perturb.evaluate.answers import is_exact_match
from perturb.evaluate.instance_test import InstanceTest, call_fault
from perturb.evaluate.models_under_test import (
    ModelSet,
    ModelsFileEntry,
    model_under_test,
    require_models,
)
from perturb.evaluate.requests import ItemRequest, item_request
from perturb.evaluate.session import Session
from perturb.evaluate.task import RunOptions
from perturb.llm.client import ChatRequest
from perturb.llm.replies import ReplyError, read_object, text_of
from perturb.llm.rulings import read_flags
from perturb.model_entries import Name
from perturb.prompts import data_request, object_schema, system_message
from perturb.records import BaseInstance
from perturb.yaml_files import Strict

TEMPLATES: tuple[str, ...] = ("answer", "judge_single", "judge_several")
"""The templates under `templates/solve/`."""

_RAF_KEYS = ("eligible", "supported_by_all", "supported_by_relevant")


class SolverPanel(Strict):
    """The file of `--solvers`: models, services or functions that must all answer right, and who grades them."""

    name: Name = "solvers"
    solvers: tuple[ModelsFileEntry, ...] = Field(min_length=1)
    judge: ModelsFileEntry | None = None
    """Needed for contexts of several passages."""
    budget_usd: float | None = Field(default=None, gt=0)

    @model_validator(mode="after")
    def _models_with_names_of_their_own(self) -> SolverPanel:
        require_models([*self.solvers, *([self.judge] if self.judge else [])], "answer")
        return self

    def models(self) -> ModelSet:
        """The solvers, in the order they are asked in, and the judge."""
        solvers = {one.name: model_under_test(one.settings()) for one in self.solvers}
        return ModelSet(solvers, (model_under_test(self.judge.settings()),) if self.judge else ())


class SolvabilityTest(InstanceTest):
    """Asks every solver about instances; those pass that all of them answer right."""

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
        """As every test; raises `ConfigError` where a judge is missing."""
        if self._panel.judge is None and any(len(instance.passages) > 1 for instance in instances):
            raise ConfigError(
                f"panel '{self._panel.name}': answers from several passages need a judge: add 'judge' to the file"
            )
        return super().__call__(instances)

    def facts(self) -> dict[str, Any]:
        """What the manifest says of the test."""
        judge = self._models.judge
        return {
            "panel": self._panel.name,
            "solvers": {name: one.settings.model for name, one in self._models.under_test.items()},
            "judge": judge.settings.model if judge else None,
            "judged": self._judged,
            **self.call_facts([f"solve/{name}" for name in TEMPLATES]),
        }

    async def fault(self, session: Session, instance: BaseInstance) -> str | None:
        """Why the instance is not solved; the solvers are asked in turn, up to the first that fails."""
        for solver, one in self._models.under_test.items():
            asked = await session.client.ask(
                solver,
                answer_request(instance),
                read_answer if one.opener is None else read_any_answer,
                purpose="solve",
                subject=instance.id,
            )
            fault = call_fault(asked, solver)
            fault = fault or await self._answer_fault(session, instance, solver, asked.value or "")
            if fault is not None:
                return fault
        return None

    async def _answer_fault(
        self, session: Session, instance: BaseInstance, solver: str, answer: str
    ) -> str | None:
        """Why a solver's answer does not count as right, if so."""
        wrong = f"'{solver}' does not answer right"
        several = len(instance.passages) > 1
        judge = self._models.judge
        if judge is None or not (several or self._judged):
            return None if is_exact_match(answer, instance.answers) else wrong
        graded = await session.client.ask(
            judge.name,
            judge_request(instance, answer),
            lambda text: (read_raf if several else read_correct)(text, answer),
            purpose="judge",
            subject=instance.id,
        )
        return call_fault(graded, judge.name) or (None if graded.value else wrong)


def answer_request(instance: BaseInstance) -> ItemRequest:
    """Ask a solver."""
    system = system_message("solve/answer", several=len(instance.passages) > 1)
    data = {"query": instance.query, "context": instance.context}
    schema = object_schema({"answer": {"type": "string"}})
    return item_request(data_request(system, data, schema), instance)


def judge_request(instance: BaseInstance, answer: str) -> ChatRequest:
    """Ask the judge about an answer."""
    data: dict[str, Any] = {"query": instance.query, "context": instance.context}
    keys: tuple[str, ...]
    if len(instance.passages) > 1:
        name, keys = "judge_several", _RAF_KEYS
        data["relevant"] = [n for n, p in enumerate(instance.passages, start=1) if p.role == "signal"]
        data["reference"] = instance.reference_answer or instance.answers[0]
    else:
        name, keys = "judge_single", ("correct",)
        data["accepted"] = list(instance.answers)
    data["answer"] = answer
    return data_request(
        system_message(f"solve/{name}"), data, object_schema({key: {"type": "boolean"} for key in keys})
    )


def read_answer(text: str) -> str:
    """The answer in a solver's reply. Raises `ReplyError`."""
    return text_of(read_object(text, frozenset({"answer"}))["answer"], "answer")


def read_any_answer(text: str) -> str:
    """The answer of a service or a function, which may say it in plain text.

    >>> read_any_answer('{"answer": "Ada"}'), read_any_answer("Ada")
    ('Ada', 'Ada')
    """
    try:
        return read_answer(text)
    except ReplyError:
        return text.strip()


def read_correct(text: str, judged: str = "") -> bool:
    """A judge's grade of an answer from one passage. Raises `ReplyError`."""
    return read_flags(text, ("correct",), judged)["correct"]


def read_raf(text: str, judged: str = "") -> bool:
    """Whether the RAF score in a judge's reply is 1. Raises `ReplyError`.

    >>> read_raf('{"eligible": true, "supported_by_all": true, "supported_by_relevant": false}')
    False
    """
    flags = read_flags(text, _RAF_KEYS, judged)
    return flags["eligible"] and flags["supported_by_relevant"]
