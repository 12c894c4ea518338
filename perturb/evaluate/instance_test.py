"""Tests that instances must pass to be drawn into a base set: models are asked about each, and a ledger keeps it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from perturb.concurrency import run_concurrently
from perturb.errors import BudgetSpent, TransientModelError
from perturb.evaluate.models_under_test import ModelSet
from perturb.evaluate.run import check_models, open_session, width
from perturb.evaluate.session import Session
from perturb.evaluate.task import RunOptions
from perturb.event_loops import run_sync
from perturb.llm.model_client import ModelResult
from perturb.progress import Progress
from perturb.prompts import template_version
from perturb.records import BaseInstance
from perturb.store import EvaluationLedger
from perturb.store.queries import call_facts


class InstanceTest(ABC):
    """Asks models about instances; a context manager, called with the instances to be tested.

    Calls are kept in a ledger in `folder`: what was answered before is not asked again. Raises `ConfigError` where a
    model cannot be called, `BudgetSpent` before the budget is overspent.
    """

    def __init__(self, models: ModelSet, folder: Path, options: RunOptions) -> None:
        """The ledger is opened on entry."""
        self._models = models
        self._folder = folder
        self._options = options
        self._outage: TransientModelError | None = None

    def __enter__(self) -> Self:
        check_models(self._models, self._options)
        self._ledger = EvaluationLedger(self._folder)
        return self

    def __exit__(self, *exc_info: Any) -> None:
        self._ledger.__exit__(*exc_info)

    def __call__(self, instances: Sequence[BaseInstance]) -> Mapping[str, str]:
        """The id of each instance that does not pass, with the first reason why.

        Raises `TransientModelError` if calls failed that another try may mend: the instances have neither passed nor
        failed, and running the same command again resumes from there.
        """
        failed: dict[str, str] = {}
        stopped = run_sync(self._test_all(instances, failed))
        if end := stopped or self._outage:
            raise end
        return failed

    @abstractmethod
    async def fault(self, session: Session, instance: BaseInstance) -> str | None:
        """Why the instance does not pass, if so. Raises `TransientModelError` where that is not known yet."""

    def call_facts(self, templates: Sequence[str]) -> dict[str, Any]:
        """Versions of these templates, and what was called so far, for the manifest."""
        counts = call_facts(self._ledger.db, self._ledger.cached_calls)
        return {
            "templates": {Path(name).name: template_version(name) for name in templates},
            **{name: counts[name] for name in ("calls", "cached_calls", "cost_usd")},
        }

    async def _test_all(
        self, instances: Sequence[BaseInstance], failed: dict[str, str]
    ) -> BudgetSpent | None:
        """Test every instance; after a call that another try may mend, no new one is begun."""
        models, options = self._models, self._options

        async def test(instance: BaseInstance) -> None:
            try:
                fault = None if self._outage else await self.fault(session, instance)
            except TransientModelError as error:
                self._outage = error
            else:
                if fault:
                    failed[instance.id] = fault
            await self._ledger.apply_backpressure()

        with Progress(len(instances), "question", shown=False) as progress:
            async with open_session(models, self._ledger, options, progress=progress) as session:
                at_once = width(models, list(models.under_test.values()), options)
                return await run_concurrently(iter(instances), test, min(len(instances), at_once))


def call_fault(asked: ModelResult[Any], name: str) -> str | None:
    """Why a call gave nothing to go by. Raises `TransientModelError` where another try may give something."""
    if asked.status == "unread":
        return f"'{name}' gives no readable reply"
    if asked.status == "error" and asked.transient:
        raise TransientModelError(
            f"model '{name}': {asked.error}: run the same command again, what was answered is kept"
        )
    return f"the call to '{name}' is refused" if asked.status == "error" else None
