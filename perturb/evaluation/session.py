"""The base class of tasks, and the session in which models reply and judges judge.

A `Task` has items, and solves one item at a time: it takes a reply with `Session.reply`, and a judgement of the reply
with `Session.judge`. A `Rubric` says how a reply is judged.

Replies and judgements are stored with a fingerprint: the digest of everything that affects them. If the fingerprint is
still the same, the stored one is used again. Otherwise the model or the judge is asked.
"""

from __future__ import annotations

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, TypeVar

from perturb.errors import ConfigError
from perturb.evaluation.models_under_test import ModelNames, ModelSet
from perturb.evaluation.reading import DISAGREE, PANEL, JudgeRule, describe_votes, panel_value
from perturb.files.resources import digest
from perturb.ledger.evaluations import EvaluationLedger, judgement_of, read_facts, response_of, votes_on
from perturb.llm.client import BatchLimits, ChatRequest
from perturb.llm.factory import ExecutorEntry
from perturb.llm.model_client import ModelClient
from perturb.llm.recording import Replay, judged_part
from perturb.records import Facts, JsonObject, Judgement, JudgementStatus, Response, ResponseStatus
from perturb.runtime import gather_all
from perturb.snapshots.settings import join_sample

# The author of judgements that are made by rule.
RULE = "rule"
# The fingerprint of a judgement whose call failed. It equals no other, so the next run asks again.
FAILED_CALL = ""
# Reasons for a missing score that a second run of the same command would remove.
NOT_ASKED, NOT_JUDGED = "not asked yet", "not judged yet"

Stage = Literal["reply", "grade", "unread", "split"]


class Unscored(Exception):
    """A reply cannot be scored; the message is the reason."""

    def __init__(self, stage: Stage, reason: str) -> None:
        """`stage` is the missing part: the reply, its judgement, a readable judgement, or the agreement of judges."""
        super().__init__(reason)
        self.stage = stage


@dataclass(frozen=True, slots=True)
class Rubric:
    """One kind of judgement of one reply: the rule or the judge that makes it, and the reader of the judge's reply."""

    kind: str
    """The kind of judgement in the ledger."""
    fingerprint: str | None
    """Digest of everything that affects the judgement; None without a judge: then any stored judgement counts."""
    by_rule: Judgement | None
    """The judgement by rule, if a rule can judge the reply."""
    request: Callable[[], ChatRequest]
    read: Callable[[str], JsonObject]
    """Reads the value of the judgement from the judge's reply; raises `ReplyError`."""
    purpose: str
    """The purpose under which the call is recorded."""


# A function that makes the rubric of a judge, from the judge's fingerprint; None means that there is no judge.
RubricFactory = Callable[[str | None], Rubric]


def judges_fingerprint(models: ModelSet, fingerprints: Mapping[str, str]) -> str | None:
    """The fingerprint of the judge, or of several judges, in any order, with their rule; None without a judge."""
    by_judge = [fingerprints[judge.name] for judge in models.judges]
    if not by_judge:
        return None
    if len(by_judge) == 1:
        return by_judge[0]
    return digest(PANEL, models.rule, sorted(by_judge))


class Session:
    """An open ledger and the models of a run. Without a client, it only reads the ledger and calls no model."""

    def __init__(
        self,
        ledger: EvaluationLedger,
        models: ModelSet,
        client: ModelClient | None = None,
        *,
        retry: bool = False,
    ) -> None:
        """Open a session; with `retry`, a judge is asked again for judgements that could not be read."""
        self.ledger = ledger
        self.db = ledger.db
        self.models = models
        self._client = client
        self._retry = retry
        self.fingerprints = {name: model.settings.fingerprint() for name, model in models.called.items()}

    @property
    def client(self) -> ModelClient:
        """The client, for calls that need no response in the ledger. Raises `Unscored` in a session without one."""
        if self._client is None:
            raise Unscored("reply", NOT_ASKED)
        return self._client

    async def reply(
        self,
        item_id: str,
        model: str,
        variant: str,
        request: ChatRequest,
        *,
        purpose: str,
        fingerprint: str | None = None,
        sample: int = 1,
    ) -> Response:
        """The reply of a model to a request about an item, even if it is empty.

        `fingerprint` is the digest of everything that affects the reply; by default, of the model and the request.
        `sample` is the number of the reply, from 1, if the model replies several times. A call that failed in an
        earlier run is repeated. Raises `Unscored` if there is no reply, and `BudgetSpent`.
        """
        variant = join_sample(variant, sample)
        if fingerprint is None:
            fingerprint = digest(self.fingerprints[model], [turn.content for turn in request.messages])
        response = response_of(self.db, item_id, model, variant)
        is_failed = response is not None and response.status is ResponseStatus.ERROR
        # Without a client nobody can be asked again, so a failed call is what there is to report.
        can_repeat = is_failed and self._client is not None
        if response is None or response.fingerprint != fingerprint or can_repeat:
            # A salt makes another call of the same request. The first sample has none, as in a run with one sample.
            salt = "" if sample == 1 else str(sample)
            result = await self.client.ask(
                model, request, str, purpose=purpose, subject=item_id, part=variant, salt=salt
            )
            status = ResponseStatus.ANSWERED if result.status == "read" else ResponseStatus.ERROR
            response = Response(
                item_id, model, variant, status, result.value or "", result.error, fingerprint
            )
            self.ledger.record_response(response)
        if response.status is ResponseStatus.ERROR:
            raise Unscored("reply", response.error)
        return response

    async def judge(self, response: Response, make_rubric: RubricFactory) -> Facts:
        """The value of a judgement: from the rule, the ledger, the judge, or a panel of judges.

        Raises `Unscored` if the judgement is unreadable after the retry, the call failed finally, the judges disagree,
        or there is no judge; and `BudgetSpent`.
        """
        rubric = make_rubric(judges_fingerprint(self.models, self.fingerprints))
        stored = judgement_of(self.db, response.item_id, response.model, response.variant, rubric.kind)
        # In the order of their price: a rule costs nothing, a stored judgement was paid for, a judge costs a call.
        if rubric.by_rule is not None:
            judgement = rubric.by_rule
        elif stored is not None and self._is_current(stored, rubric):
            judgement = stored
        else:
            judgement = await self._ask_judges(response, rubric, make_rubric)
        # A session without a client only repeats what is stored, and must not write.
        if judgement != stored and self._client is not None:
            self.ledger.record_judgement(judgement)
        if judgement.status is JudgementStatus.UNSCORED:
            # The judgement of a panel that is split has this text, see `_ask_judges`.
            stage: Stage = "split" if judgement.raw.startswith(DISAGREE) else "unread"
            raise Unscored(stage, " ".join(judgement.raw.split())[:200] or "an empty reply")
        return judgement.value

    def _is_current(self, stored: Judgement, rubric: Rubric) -> bool:
        """Whether a stored judgement still counts."""
        if self._client is None:
            # Nobody can be asked again, so a failed call is what there is to report.
            return stored.fingerprint in (FAILED_CALL, rubric.fingerprint)
        if stored.status is JudgementStatus.UNSCORED and self._retry:
            return False
        return rubric.fingerprint is None or rubric.fingerprint == stored.fingerprint

    async def _ask_judges(self, response: Response, rubric: Rubric, make_rubric: RubricFactory) -> Judgement:
        """The judgement of the judge, or the combined one of several judges."""
        if self._client is None or self.models.judge is None:
            raise Unscored("grade", NOT_JUDGED)
        if len(self.models.judges) == 1:
            return await self.ask_judge(self.models.judge.name, response, rubric)
        stored_votes = votes_on(self.db, response.item_id, response.model, response.variant, rubric.kind)

        async def cast_vote(judge: str) -> Judgement:
            own_rubric = make_rubric(self.fingerprints[judge])
            stored = stored_votes.get(judge)
            if stored is not None and self._is_current(stored, own_rubric):
                return stored
            vote = await self.ask_judge(judge, response, own_rubric)
            self.ledger.record_vote(vote)
            return vote

        votes = await gather_all(
            cast_vote(name) for name in sorted(model.name for model in self.models.judges)
        )
        value, description = panel_value(votes, self.models.rule), describe_votes(votes)
        has_failed_call = any(vote.fingerprint == FAILED_CALL for vote in votes)
        return make_judgement(
            response,
            rubric.kind,
            PANEL,
            FAILED_CALL if has_failed_call else rubric.fingerprint,
            value=value,
            raw=description if value is not None else f"{DISAGREE}: {description}",
        )

    async def ask_judge(self, judge: str, response: Response, rubric: Rubric) -> Judgement:
        """The judge's judgement. After a failed call it has no value, and the fingerprint `FAILED_CALL`."""
        result = await self.client.ask(
            judge,
            rubric.request(),
            rubric.read,
            purpose=rubric.purpose,
            subject=response.item_id,
            part=judged_part(response.model, response.variant),
        )
        failed = result.status == "error"
        return make_judgement(
            response,
            rubric.kind,
            judge,
            FAILED_CALL if failed else rubric.fingerprint,
            value=result.value,
            raw=result.error if failed else result.raw,
        )


class StoredSession(Session):
    """A session over a ledger that is open only for reading; it calls no model."""

    def __init__(self, db: sqlite3.Connection, models: ModelSet, fingerprints: Mapping[str, str]) -> None:
        """`fingerprints` are those of the models when they were last asked."""
        # There is no `ledger` to write to. Without a client, no method writes.
        self.db, self.models, self.fingerprints = db, models, dict(fingerprints)
        self._client, self._retry = None, False


def make_judgement(
    response: Response,
    kind: str,
    judge: str,
    fingerprint: str | None,
    *,
    value: Facts | None = None,
    raw: str = "",
) -> Judgement:
    """A judgement of a reply; unscored without a value. `judge` is its author: a model, `RULE` or `PANEL`."""
    return Judgement(
        item_id=response.item_id,
        model=response.model,
        variant=response.variant,
        kind=kind,
        judge=judge,
        status=JudgementStatus.UNSCORED if value is None else JudgementStatus.READ,
        value=value or {},
        raw=raw,
        fingerprint=fingerprint or FAILED_CALL,
    )


ItemT = TypeVar("ItemT")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """Options of a run that do not change its results."""

    budget_usd: float | None = None
    """The largest cost of all calls of the run; services and functions do not count."""
    retry_unscored: bool = False
    """Ask a judge again for judgements that could not be read."""
    batch: BatchLimits | None = None
    """Ask with batch APIs, at half the price, in batches of at most this size."""
    replay: Replay | None = None
    """Recorded replies, instead of models."""
    wait: bool = False
    """Keep trying if a server does not answer at the start."""
    executor: ExecutorEntry = field(default_factory=ExecutorEntry)
    """Makes the calls in this process, or on the nodes of a Ray cluster."""

    @property
    def asks_models(self) -> bool:
        """Whether models are called: for all replies, or for those that a recording lacks."""
        return self.replay is None or self.replay.fill


@dataclass(frozen=True, slots=True, kw_only=True)
class AskPlan(RunOptions):
    """The models to ask, and the options of the run."""

    models: Sequence[str] = ()
    """Each a litellm name, an address (`http://…`), `module:function`, or a name from the models file. With a
    recording: some of its models, or empty for all."""
    judges: Sequence[str] = ()
    """Without a judge, only replies that a rule can judge are judged; the others wait for one."""
    judge_rule: JudgeRule | None = None
    """How many of several judges must agree; None means the rule of the models file."""
    names: ModelNames = field(default_factory=ModelNames)
    out: Path | None = None
    """The run folder; None means a folder under `outputs/` named after the command and the items."""


@dataclass(frozen=True, slots=True)
class EvaluationReport:
    """The end of a run: folder, facts, warnings and rows."""

    run: Path
    facts: Facts
    """Counts, tokens, cost and seconds, under the names of the command's `--json`."""
    warnings: tuple[str, ...] = ()
    """Cautions for readers of the scores, and remaining work, one line for each."""
    rows: tuple[Any, ...] = ()
    """The rows of the table, for tasks over questions."""
    stopped: str | None = None
    """The reason why the run stopped before its end; None if it did not."""


class Task(ABC, Generic[ItemT]):
    """Items, a solver and a scorer; the runner does the rest."""

    fact: ClassVar[str]
    """The name of the entry in the ledger with the facts of the run."""
    unit: ClassVar[str]
    """The unit that the progress bar counts."""
    retries_unscored: ClassVar[bool] = False
    """Whether every run asks again for judgements that could not be read."""

    @property
    @abstractmethod
    def items(self) -> Sequence[ItemT]:
        """The items that every model is asked about, in order."""

    @property
    def at_once(self) -> int:
        """The largest number of items of one model that may be in progress, apart from the limit of connections."""
        return len(self.items)

    def check(self, models: ModelSet) -> None:
        """Raise `ConfigError` if the task cannot run with these models; this comes before anything is written."""

    @abstractmethod
    def register_run(self, ledger: EvaluationLedger, models: ModelSet) -> None:
        """Store the facts of the run in the ledger. Raises `ConfigError` if the ledger is of another kind of run."""

    def stored_facts(self, ledger: EvaluationLedger) -> JsonObject:
        """The stored facts of the run; empty if it is new. Raises `ConfigError` for another kind of run."""
        if ledger.db.execute("SELECT 1 FROM plans").fetchone():
            raise ConfigError(f"{ledger.folder}: is the run of a build: give another --out")
        stored = read_facts(ledger.db)
        if stored and self.fact not in stored:
            raise ConfigError(f"{ledger.folder}: holds another kind of run: give another --out")
        return stored

    def agenda(self, ledger: EvaluationLedger, model: str) -> Iterator[ItemT]:  # noqa: ARG002
        """The items for a model, one by one; the outcomes of earlier items may end the iteration."""
        return iter(self.items)

    async def check_judges(self, session: Session) -> None:
        """Let the judges read planted replies, if the task has any. Raises `BudgetSpent`."""

    @abstractmethod
    async def solve(self, session: Session, model: str, item: ItemT) -> object:
        """Get the replies of one model to one item, and their judgements.

        In a session without a client, both come from the ledger. Raises `BudgetSpent`.
        """

    @abstractmethod
    async def finish(self, session: Session, *, stopped: bool) -> EvaluationReport:
        """Write the table and count, in a session without a client; `stopped` if the run is incomplete.

        The runner adds calls and cost, and the reason why the run stopped.
        """
