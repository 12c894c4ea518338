"""The solvability pre-test: only questions that every solver answers right, before any perturbation, are kept.

An answer from a single passage is right if it equals an accepted answer after normalisation, or if a judge says so.
An answer from several passages is right if its RAF score is 1 (spec, section 7): a judge finds it eligible and every
claim in it supported by the signal passages alone.
"""

from __future__ import annotations

import asyncio
import json
import re
import string
import unicodedata
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import jinja2
from pydantic import Field, model_validator

from perturb.digests import digest
from perturb.errors import ConfigError, TransientModelError
from perturb.llm.asking import Asked, Asker
from perturb.llm.budget import Budget
from perturb.llm.client import ChatModel, ChatRequest, Message
from perturb.llm.replies import ReplyError, read_object
from perturb.llm.rulings import read_flags
from perturb.model_entries import ModelEntry, Name
from perturb.records import BaseInstance
from perturb.resources import data_folder
from perturb.store import CallLedger, queries
from perturb.yaml_files import Strict, YamlFile

TEMPLATES: tuple[str, ...] = ("answer", "judge_single", "judge_several")
"""The templates under `templates/solve/`."""
AT_ONCE = 500
"""Instances that are tested at the same time; their calls keep to the limits of each model."""

_RAF_KEYS = ("eligible", "supported_by_all", "supported_by_relevant")


class SolverPanel(Strict):
    """The file of `--solvers`: models that must all answer right, and who grades them."""

    name: Name = "solvers"
    solvers: tuple[ModelEntry, ...] = Field(min_length=1)
    judge: ModelEntry | None = None
    """Needed for contexts of several passages."""
    budget_usd: float | None = Field(default=None, gt=0)

    @model_validator(mode="after")
    def _models_with_names_of_their_own(self) -> SolverPanel:
        names = [model.name for model in self.models]
        for model in self.models:
            if model.kind != "model":
                raise ValueError(f"'{model.name}' is of kind rules and cannot answer: name a model")
            if names.count(model.name) > 1:
                raise ValueError(f"two models are called '{model.name}': give each its own name")
        return self

    @property
    def models(self) -> tuple[ModelEntry, ...]:
        """The solvers, and the judge after them."""
        return self.solvers if self.judge is None else (*self.solvers, self.judge)


def load_solvers(path: Path) -> SolverPanel:
    """Read a panel of solvers. Raises `ConfigError` with file, line and field."""
    return YamlFile(path).parse(SolverPanel)


class SolvabilityTest:
    """Asks every solver about instances; a context manager, called with the instances to be tested.

    Calls are kept in a ledger in `folder`: what was answered before is not asked again. Raises `ConfigError` where a
    model cannot be called, `BudgetSpent` before the panel's budget is overspent.
    """

    def __init__(self, panel: SolverPanel, folder: Path, *, judged: bool = False) -> None:
        """With `judged`, the judge grades single-passage answers too."""
        if judged and panel.judge is None:
            raise ConfigError(f"panel '{panel.name}': --judge needs a judge: add 'judge' to the panel file")
        self._panel = panel
        self._folder = folder
        self._judged = judged
        self._requests = _Requests()

    def __enter__(self) -> SolvabilityTest:
        # litellm takes seconds to import, so only a test that runs pays for it.
        from perturb.llm.opening import open_models

        settings = [model.settings() for model in self._panel.models]
        budget = Budget(self._panel.budget_usd)
        self._models: dict[str, ChatModel] = open_models(settings, budget)
        self._ledger = CallLedger(self._folder)
        budget.spent = queries.spent_usd(self._ledger.db)
        self._asker = Asker(self._models, self._ledger, budget)
        self._runner = asyncio.Runner()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._runner.run(_close(self._models.values()))
        finally:
            self._runner.close()
            self._ledger.__exit__(kind, error, trace)

    def __call__(self, instances: Sequence[BaseInstance]) -> Mapping[str, str]:
        """The id of each instance that is not solved, with the first reason why.

        Raises `TransientModelError` if calls failed that another try may mend: the instances are neither solved nor
        unsolved, and the same command goes on from there.
        """
        if self._panel.judge is None and any(len(instance.passages) > 1 for instance in instances):
            raise ConfigError(
                f"panel '{self._panel.name}': answers from several passages need a judge: add 'judge' to the file"
            )
        unsolved: dict[str, str] = {}
        for start in range(0, len(instances), AT_ONCE):
            chunk = instances[start : start + AT_ONCE]
            reasons = self._runner.run(_gather([self._fault(instance) for instance in chunk]))
            self._ledger.flush()
            unsolved |= {one.id: why for one, why in zip(chunk, reasons, strict=True) if why is not None}
        return unsolved

    def facts(self) -> dict[str, Any]:
        """What the manifest says of the test."""
        totals = queries.call_totals(self._ledger.db).values()
        costs = [entry["cost_usd"] for entry in totals]
        return {
            "panel": self._panel.name,
            "solvers": {model.name: model.model for model in self._panel.solvers},
            "judge": self._panel.judge.model if self._panel.judge else None,
            "judged": self._judged,
            "templates": self._requests.versions(),
            "calls": sum(entry["calls"] for entry in totals),
            "cached_calls": self._ledger.cached_calls,
            "cost_usd": None if None in costs else round(sum(costs), 6),
        }

    async def _fault(self, instance: BaseInstance) -> str | None:
        """Why the instance is not solved; the solvers are asked in turn, up to the first that fails."""
        for solver in self._panel.solvers:
            asked = await self._asker.ask(
                solver.name,
                self._requests.answer(instance),
                read_answer,
                purpose="solve",
                subject=instance.id,
            )
            fault = _call_fault(asked, solver.name) or await self._answer_fault(instance, solver.name, asked)
            if fault is not None:
                return fault
        return None

    async def _answer_fault(self, instance: BaseInstance, solver: str, asked: Asked[str]) -> str | None:
        """Why a solver's answer does not count as right, if so."""
        answer = asked.value or ""
        wrong = f"'{solver}' does not answer right"
        several = len(instance.passages) > 1
        judge = self._panel.judge
        if judge is None or not (several or self._judged):
            return None if is_exact_match(answer, instance.answers) else wrong
        graded = await self._asker.ask(
            judge.name,
            self._requests.judgement(instance, answer),
            lambda text: (read_raf if several else read_correct)(text, answer),
            purpose="judge",
            subject=instance.id,
        )
        return _call_fault(graded, judge.name) or (None if graded.value else wrong)


def is_exact_match(answer: str, accepted: Iterable[str]) -> bool:
    """Whether an answer equals an accepted one, but for case, punctuation, articles and blanks.

    >>> is_exact_match("The Pancreas.", ["pancreas"]), is_exact_match("", ["the"])
    (True, False)
    """
    normal = _normalised(answer)
    return normal != "" and any(normal == _normalised(other) for other in accepted)


def read_answer(text: str) -> str:
    """The answer in a solver's reply. Raises `ReplyError`."""
    answer = read_object(text, frozenset({"answer"}))["answer"]
    if isinstance(answer, int | float) and not isinstance(answer, bool):
        return str(answer)
    if not isinstance(answer, str):
        raise ReplyError("'answer' must be a string")
    return answer


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


class _Requests:
    """The prompts of the pre-test: a fixed system message, and one JSON object with the texts."""

    def __init__(self) -> None:
        folder = data_folder("templates") / "solve"
        self._sources = {name: (folder / f"{name}.j2").read_text(encoding="utf-8") for name in TEMPLATES}
        environment = jinja2.Environment(
            undefined=jinja2.StrictUndefined,
            autoescape=False,  # noqa: S701 - plain text for models, not HTML
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates = {name: environment.from_string(source) for name, source in self._sources.items()}

    def versions(self) -> dict[str, str]:
        """Digest of each template."""
        return {name: digest(source) for name, source in self._sources.items()}

    def answer(self, instance: BaseInstance) -> ChatRequest:
        """Ask a solver."""
        system = self._templates["answer"].render(several=len(instance.passages) > 1)
        data = {"query": instance.query, "context": instance.context}
        return _request(system, data, {"answer": {"type": "string"}})

    def judgement(self, instance: BaseInstance, answer: str) -> ChatRequest:
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
        return _request(self._templates[name].render(), data, {key: {"type": "boolean"} for key in keys})


def _request(system: str, data: Mapping[str, Any], fields: Mapping[str, Any]) -> ChatRequest:
    schema = {
        "type": "object",
        "properties": dict(fields),
        "required": list(fields),
        "additionalProperties": False,
    }
    text = json.dumps(data, ensure_ascii=False, indent=1)
    return ChatRequest((Message("system", system), Message("user", text)), schema)


def _call_fault(asked: Asked[Any], name: str) -> str | None:
    """Why a call gave nothing to go by. Raises `TransientModelError` where another try may give something."""
    if asked.status == "unread":
        return f"'{name}' gives no readable reply"
    if asked.status == "error" and asked.transient:
        raise TransientModelError(
            f"model '{name}': {asked.error}: run the same command again, what was answered is kept"
        )
    return f"the call to '{name}' is refused" if asked.status == "error" else None


def _normalised(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    words = re.sub(rf"[{re.escape(string.punctuation)}‘’“”–—]", " ", folded.replace("'", "").replace("’", ""))
    return " ".join(word for word in words.split() if word not in ("a", "an", "the"))


async def _gather(questions: Iterable[Coroutine[Any, Any, str | None]]) -> list[str | None]:
    """The results of all. A failure is raised when the others are done, so that no answer paid for is lost."""
    ended = await asyncio.gather(*questions, return_exceptions=True)
    for end in ended:
        if isinstance(end, BaseException):
            raise end
    return [end for end in ended if not isinstance(end, BaseException)]


async def _close(models: Iterable[ChatModel]) -> None:
    for model in models:
        await model.close()
