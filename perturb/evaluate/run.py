"""Runs an evaluation: every model on every item, replies judged as they come, everything kept in a ledger.

What the ledger holds already is not asked again; calls that failed are. No model waits for another.
"""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tqdm import tqdm

from perturb.errors import BudgetSpent
from perturb.evaluate.classify import ANSWER
from perturb.evaluate.contestants import Contestant
from perturb.evaluate.items import EvaluationItem
from perturb.evaluate.judge import Judge, judge_author, judge_by_rule
from perturb.evaluate.respond import respond
from perturb.evaluate.results import EvaluationRun, answer_kind, judgement_version, run_of, write_results
from perturb.evaluate.setting import EvaluationPlan, Setting, enter, set_up
from perturb.llm.asking import Asker
from perturb.llm.budget import Budget
from perturb.records import Judgement, JudgementStatus, Response, ResponseStatus
from perturb.store import EvaluationLedger, queries
from perturb.store.db import ledger_errors
from perturb.store.evaluations import judgement_of, response_of
from perturb.workers import open_asker, work_through


@dataclass(frozen=True, slots=True)
class EvaluationReport:
    """How an evaluation ended."""

    run: Path
    facts: Mapping[str, Any]
    """Counts, tokens, cost and seconds, under the names of `perturb evaluate --json`."""
    stopped: str | None = None
    """Why it stopped before its end, if it did."""
    warnings: tuple[str, ...] = ()


def evaluate(plan: EvaluationPlan, *, progress: bool = False) -> EvaluationReport:
    """Evaluate models on a snapshot, or go on with an evaluation that was stopped.

    Raises `PerturbError`s for everything a user can mend; after an interrupt the same call goes on from the ledger.
    """
    started = time.monotonic()
    setting = set_up(plan)
    _check_models(setting)
    run = plan.out or Path("outputs") / f"evaluate-{_as_folder(setting.item_set.name)}"
    with EvaluationLedger(run) as ledger, ledger_errors(ledger.path):
        enter(setting, ledger)
        try:
            stopped = asyncio.run(_Session(setting, ledger).run(progress))
        except asyncio.CancelledError:  # a termination ends the run as Ctrl-C does
            raise KeyboardInterrupt from None
        ledger.flush()
        state = run_of(ledger.db, run)
        write_results(run, state.results)
        facts = _report_facts(ledger, run, state, setting)
    facts["seconds"] = round(time.monotonic() - started, 2)
    return EvaluationReport(run, facts, str(stopped) if stopped else None, tuple(_warnings(setting, facts)))


def _check_models(setting: Setting) -> None:
    """Refuse a model that cannot be called before anything is written."""
    from perturb.llm.remote import check_model

    seats = [*setting.contestants.values(), *([setting.judge] if setting.judge else [])]
    for seat in seats:
        if seat.adapter is None:
            check_model(seat.settings)


def _as_folder(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "snapshot"


class _Session:
    """The calls of one session of an evaluation."""

    def __init__(self, setting: Setting, ledger: EvaluationLedger) -> None:
        self._setting = setting
        self._ledger = ledger
        self._versions = {name: setting.response_version(name) for name in setting.contestants}
        self._author = judge_author(setting.judge.settings) if setting.judge else None
        self._settled: Callable[[], object] = lambda: None

    async def run(self, progress: bool) -> BudgetSpent | None:
        """Bring every model through every item, or stop when the budget is spent."""
        seats = {**self._setting.contestants}
        if self._setting.judge is not None:
            seats[self._setting.judge.name] = self._setting.judge
        remote = [seat.settings for seat in seats.values() if seat.adapter is None]
        adapters = [seat.adapter for seat in seats.values() if seat.adapter is not None]
        budget = Budget(self._setting.plan.budget_usd, queries.spent_usd(self._ledger.db))
        total = len(self._setting.item_set.items) * len(self._setting.contestants)
        with tqdm(total=total, unit="reply", disable=None if progress else True) as bar:
            lock = threading.Lock()

            def settled() -> None:
                with lock:
                    bar.update()

            self._settled = settled
            async with open_asker(remote, self._ledger, budget, adapters) as asker:
                ends = await self._all_models(asker)
                await asyncio.to_thread(self._ledger.flush)
        return next((end for end in ends if end is not None), None)

    async def _all_models(self, asker: Asker) -> list[BudgetSpent | None]:
        """All models at the same time, each at its own pace."""
        judge, waiting_for_judge = None, 0
        if (seat := self._setting.judge) is not None:
            judge = Judge(asker, seat.name, judge_author(seat.settings), self._setting.codes)
            waiting_for_judge = seat.settings.max_connections

        async def one_model(contestant: Contestant) -> BudgetSpent | None:
            return await work_through(
                iter(self._setting.item_set.items),
                lambda item: self._settle(asker, judge, contestant.name, item),
                contestant.settings.max_connections + waiting_for_judge,
            )

        tasks = [asyncio.create_task(one_model(one)) for one in self._setting.contestants.values()]
        try:
            return await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _settle(self, asker: Asker, judge: Judge | None, model: str, item: EvaluationItem) -> None:
        """One model on one item: the reply, then the judgements it needs."""
        response = await self._response(asker, model, item)
        if response.status is ResponseStatus.ANSWERED:
            classification = await self._judgement(judge, "classification", item, response)
            attempt = classification is not None and classification.value.get("predicted") == ANSWER
            if attempt and item.answerable:
                await self._judgement(judge, answer_kind(item), item, response)
        self._settled()
        await self._ledger.keep_up()

    async def _response(self, asker: Asker, model: str, item: EvaluationItem) -> Response:
        """The stored reply, if it was made with the settings of today; else a new one."""
        variant, version = self._setting.plan.variant, self._versions[model]
        known = response_of(self._ledger.db, item.id, model, variant)
        if known is not None and known.fingerprint == version and known.status is ResponseStatus.ANSWERED:
            return known
        response = await respond(asker, item, model, variant, version)
        self._ledger.record_response(response)
        return response

    async def _judgement(
        self, judge: Judge | None, kind: str, item: EvaluationItem, response: Response
    ) -> Judgement | None:
        """The judgement of this kind: the rule's, the stored one, or the judge's; None where nobody can judge."""
        known = judgement_of(self._ledger.db, item.id, response.model, response.variant, kind)
        made = judge_by_rule(kind, response, self._setting.codes)
        if made is None:
            if known is not None and self._holds(known, response):
                return known
            if judge is None:
                return None
            made = await judge.judge(kind, item, response)
        if made != known:
            self._ledger.record_judgement(made)
        return made

    def _holds(self, known: Judgement, response: Response) -> bool:
        """Whether a stored judgement need not be asked for again."""
        if known.status is JudgementStatus.UNSCORED and self._setting.plan.retry_unscored:
            return False
        return self._author is None or known.fingerprint == judgement_version(self._author, response.text)


def _report_facts(
    ledger: EvaluationLedger, run: Path, state: EvaluationRun, setting: Setting
) -> dict[str, Any]:
    totals = queries.call_totals(ledger.db).values()
    costs = [entry["cost_usd"] for entry in totals]
    return {
        "run": str(run),
        "snapshot": state.facts["snapshot"],
        "items": state.items,
        "judge": setting.judge.name if setting.judge else None,
        "judge_under_test": list(setting.judges_itself),
        "models": [_counts(name, state) for name in setting.contestants],
        "calls": sum(entry["calls"] for entry in totals),
        "cached_calls": ledger.cached_calls,
        "tokens": sum((entry["prompt_tokens"] or 0) + (entry["completion_tokens"] or 0) for entry in totals),
        "cost_usd": None if None in costs else round(sum(costs), 6),
    }


def _counts(name: str, state: EvaluationRun) -> dict[str, Any]:
    rows = [row for row in state.results if row.model == name]
    unscored = [row.unscored for row in rows if row.unscored is not None]
    errors = [reason.removeprefix("response: ") for reason in unscored if reason.startswith("response: ")]
    return {
        "model": name,
        "replies": len(rows) - len(errors),
        "answers": sum(row.predicted == ANSWER for row in rows),
        "refusals": sum(row.predicted not in (None, ANSWER) for row in rows),
        "unscored": len(unscored) - len(errors),
        "errors": len(errors),
        "missing": state.items - len(rows),
        "first_error": errors[0] if errors else None,
    }


def _warnings(setting: Setting, facts: Mapping[str, Any]) -> Iterator[str]:
    """What a reader of the scores should know, and what is left to do, one line each."""
    yield from setting.item_set.warnings
    for name in setting.judges_itself:
        yield f"{name}: is the judge too and judges its own replies, so its scores may be partial: name another judge"
    for model in facts["models"]:
        name, unscored = model["model"], model["unscored"]
        if model["errors"]:
            yield f"{name}: {model['errors']} calls failed ({model['first_error']}): run the same command to retry"
        if unscored and setting.judge is None:
            yield f"{name}: {unscored} replies wait for a judge: run again with --judge"
        elif unscored:
            yield f"{name}: {unscored} replies are unscored: run again with --retry-unscored to ask the judge once more"
