"""Runs an evaluation: every model on every item, replies judged as they come, everything kept in a ledger.

What the ledger holds already is not asked again; calls that failed are. No model waits for another. By the batch, a
model answers every item before the judge is asked, so that there are few batches and large ones.
"""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tqdm import tqdm

from perturb.errors import BudgetSpent, ConfigError, LedgerError
from perturb.evaluate.classify import ANSWER
from perturb.evaluate.contestants import Contestant
from perturb.evaluate.judge import Judge, judge_author, judge_by_rule
from perturb.evaluate.question_run import run_to_end
from perturb.evaluate.respond import respond
from perturb.evaluate.results import answer_kind, judgement_version, run_of, write_results
from perturb.evaluate.run_report import report_facts, report_warnings
from perturb.evaluate.setting import EvaluationPlan, Setting, enter, set_up
from perturb.llm.asking import Asker
from perturb.llm.budget import Budget
from perturb.records import Item, Judgement, JudgementStatus, Response, ResponseStatus
from perturb.store import EvaluationLedger, queries
from perturb.store.batches import count_batches
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
            stopped = run_to_end(_Session(setting, ledger).run(progress))
        except KeyboardInterrupt:
            raise KeyboardInterrupt(*_left_open(ledger)) from None
        ledger.flush()
        state = run_of(ledger.db, run)
        write_results(run, state.results)
        facts = report_facts(ledger, run, state, setting)
    facts["seconds"] = round(time.monotonic() - started, 2)
    return EvaluationReport(
        run, facts, str(stopped) if stopped else None, tuple(report_warnings(setting, facts))
    )


def _check_models(setting: Setting) -> None:
    """Refuse a model that cannot be called, or not as it is to be, before anything is written."""
    from perturb.llm.remote import check_model
    from perturb.llm.remote_batches import check_batches

    for seat in setting.contestants.values():
        if seat.adapter is None:
            (check_batches if setting.plan.batch else check_model)(seat.settings)
        elif setting.plan.batch:
            raise ConfigError(
                f"model '{seat.name}': a service or a function cannot be asked by the batch: leave out --batch"
            )
    if setting.judge is not None and setting.judge.adapter is None:
        check_model(setting.judge.settings)


def _left_open(ledger: EvaluationLedger) -> tuple[str, ...]:
    """What an interrupt leaves behind at the providers, as one line if there is anything."""
    ledger.flush()
    still = count_batches(ledger.db)["open"]
    if not still:
        return ()
    which = "a batch goes" if still == 1 else f"{still} batches go"
    return (f"{which} on at the provider: the same command collects what is in it, and does not pay twice",)


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
        total = len(self._setting.item_set.items) * len(self._setting.contestants)
        with tqdm(total=total, unit="reply", disable=None if progress else True) as bar:
            lock = threading.Lock()

            def settled() -> None:
                with lock:
                    bar.update()

            self._settled = settled
            async with self._open_asker(bar.set_postfix_str) as asker:
                ends = await self._all_models(asker)
                await asyncio.to_thread(self._ledger.flush)
        return next((end for end in ends if end is not None), None)

    def _open_asker(self, tell: Callable[[str], object]) -> AbstractAsyncContextManager[Asker]:
        """An asker over everybody who takes part; `tell` is told how batches go."""
        setting = self._setting
        seats = {**setting.contestants, **({setting.judge.name: setting.judge} if setting.judge else {})}
        remote = [seat for seat in seats.values() if seat.adapter is None]
        singly = [seat.settings for seat in remote if not setting.goes_by_batch(seat)]
        others = [seat.adapter for seat in seats.values() if seat.adapter is not None]
        budget = Budget(setting.plan.budget_usd, queries.spent_usd(self._ledger.db))
        if setting.plan.batch is not None:
            from perturb.llm.remote_batches import open_batch_models

            in_batches = [seat.settings for seat in remote if setting.goes_by_batch(seat)]
            others += open_batch_models(in_batches, budget, self._ledger, setting.plan.batch, tell)
        return open_asker(singly, self._ledger, budget, others)

    async def _all_models(self, asker: Asker) -> list[BudgetSpent | None]:
        """All models at the same time, each at its own pace."""
        judge, waiting_for_judge = None, 0
        if (seat := self._setting.judge) is not None:
            judge = Judge(asker, seat.name, judge_author(seat.settings), self._setting.codes)
            waiting_for_judge = seat.settings.max_connections

        async def one_model(contestant: Contestant) -> BudgetSpent | None:
            limits = self._setting.plan.batch
            if limits is not None:
                return await self._by_stages(asker, judge, contestant.name, limits.most_waiting)
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

    async def _settle(self, asker: Asker, judge: Judge | None, model: str, item: Item) -> None:
        """One model on one item: the reply, then the judgements it needs."""
        response = await self._response(asker, model, item)
        if response.status is ResponseStatus.ANSWERED and await self._needs_grade(judge, item, response):
            await self._judgement(judge, answer_kind(item), item, response)
        self._settled()
        await self._ledger.keep_up()

    async def _by_stages(
        self, asker: Asker, judge: Judge | None, model: str, width: int
    ) -> BudgetSpent | None:
        """One model on every item, all items through one stage before any goes through the next."""

        async def answered(item: Item) -> bool:
            return (await self._response(asker, model, item)).status is ResponseStatus.ANSWERED

        async def needs_grade(item: Item) -> bool:
            return await self._needs_grade(judge, item, self._stored(model, item))

        async def graded(item: Item) -> bool:
            await self._judgement(judge, answer_kind(item), item, self._stored(model, item))
            return False

        items: Sequence[Item] = self._setting.item_set.items
        for stage in (answered, needs_grade, graded):
            items, stopped = await self._through(items, stage, width)
            if stopped is not None:
                return stopped
        return None

    async def _through(
        self,
        items: Sequence[Item],
        stage: Callable[[Item], Awaitable[bool]],
        width: int,
    ) -> tuple[Sequence[Item], BudgetSpent | None]:
        """The items that a stage hands on to the next; the others are settled."""
        handed_on: list[Item] = []

        async def do(item: Item) -> None:
            if await stage(item):
                handed_on.append(item)
            else:
                self._settled()
            await self._ledger.keep_up()

        stopped = await work_through(iter(items), do, min(len(items), width))
        await asyncio.to_thread(self._ledger.flush)
        return handed_on, stopped

    def _stored(self, model: str, item: Item) -> Response:
        """The reply that an earlier stage has put into the ledger."""
        found = response_of(self._ledger.db, item.id, model, self._setting.plan.variant)
        if found is None:
            raise LedgerError(
                f"{self._ledger.folder}: a reply to item '{item.id}' is missing: run the command again"
            )
        return found

    async def _needs_grade(self, judge: Judge | None, item: Item, response: Response) -> bool:
        """Whether a reply is an answer attempt on an item that can be answered."""
        classification = await self._judgement(judge, "classification", item, response)
        attempt = classification is not None and classification.value.get("predicted") == ANSWER
        return attempt and item.answerable

    async def _response(self, asker: Asker, model: str, item: Item) -> Response:
        """The stored reply, if it was made with the settings of today; else a new one."""
        variant, version = self._setting.plan.variant, self._versions[model]
        known = response_of(self._ledger.db, item.id, model, variant)
        if known is not None and known.fingerprint == version and known.status is ResponseStatus.ANSWERED:
            return known
        response = await respond(asker, item, model, variant, version)
        self._ledger.record_response(response)
        return response

    async def _judgement(
        self, judge: Judge | None, kind: str, item: Item, response: Response
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
