"""What models are asked and judges say of it, over a ledger: what it holds and still fits is not asked again."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from perturb.concurrency import gather_all
from perturb.digests import digest
from perturb.evaluate.judge_panel import DISAGREE, PANEL, describe_votes, panel_value
from perturb.evaluate.models_under_test import ModelSet
from perturb.llm.client import ChatRequest
from perturb.llm.model_client import ModelClient
from perturb.llm.recording import judged_part
from perturb.responses import Judgement, JudgementStatus, Response, ResponseStatus
from perturb.store.evaluations import EvaluationLedger, judgement_of, response_of, votes_on

RULE = "rule"
"""Who made a judgement for which nobody had to be asked."""
NOT_ASKED, NOT_JUDGED = "not asked yet", "not judged yet"
"""Why there is no score where the same command would go on."""


Stage = Literal["reply", "grade", "unread", "split"]


class Unscored(Exception):
    """There is no score; the message says why."""

    def __init__(self, stage: Stage, reason: str) -> None:
        """What is missing: the reply, its judgement, a judgement that can be read, or judges who agree on one."""
        super().__init__(reason)
        self.stage = stage


@dataclass(frozen=True, slots=True)
class Rubric:
    """What is to be said of one reply in one respect, and by whom."""

    kind: str
    """The kind of judgement in the ledger."""
    version: str | None
    """Digest of all that decides the judge's word; None without a judge: what an earlier one said counts then."""
    by_rule: Judgement | None
    """The judgement, where nobody needs to be asked."""
    request: Callable[[], ChatRequest]
    read: Callable[[str], dict[str, Any]]
    """The judgement's value from the judge's reply; raises `ReplyError`."""
    purpose: str
    """Under what the call is recorded."""


RubricBy = Callable[[str | None], Rubric]
"""What is to be said of a reply, by the fingerprint of who says it; None where nobody judges."""


def judges_fingerprint(models: ModelSet, fingerprints: Mapping[str, str]) -> str | None:
    """Digest of the judge and its settings, or of several, in whatever order, and their rule; None without one."""
    known = [fingerprints[one.name] for one in models.judges]
    return digest(PANEL, models.rule, sorted(known)) if len(known) > 1 else next(iter(known), None)


class Session:
    """An open ledger and the models of a run. Without an asker, it tells what the ledger holds and asks nobody."""

    def __init__(
        self,
        ledger: EvaluationLedger,
        models: ModelSet,
        client: ModelClient | None = None,
        *,
        retry: bool = False,
    ) -> None:
        """With `retry`, a judge is asked again where no judgement could be read."""
        self.ledger = ledger
        self.db = ledger.db
        self.models = models
        self._client = client
        self._retry = retry
        self.fingerprints = {name: one.settings.fingerprint() for name, one in models.called.items()}

    @property
    def judge_fingerprint(self) -> str | None:
        """Digest of the judge and its settings, or of several and their rule; None where nobody judges."""
        return judges_fingerprint(self.models, self.fingerprints)

    @property
    def client(self) -> ModelClient:
        """For calls of which nothing else is kept. Raises `Unscored` if nobody is to be asked."""
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
        version: str | None = None,
        salt: str = "",
    ) -> Response:
        """What a model replied to a request about an item, be it empty.

        `version` is the digest of all that decides the reply; by default, of the model and the request. With `salt`, as
        in `ModelClient.ask`, the same words are asked again. A call that failed in an earlier run is made again. Raises
        `Unscored` if there is no reply, and `BudgetSpent`.
        """
        version = version or digest(self.fingerprints[model], [turn.content for turn in request.messages])
        response = response_of(self.db, item_id, model, variant)
        if (
            response is None
            or response.fingerprint != version
            or (response.status is ResponseStatus.ERROR and self._client is not None)
        ):
            asked = await self.client.ask(
                model, request, str, purpose=purpose, subject=item_id, part=variant, salt=salt
            )
            status = ResponseStatus.ANSWERED if asked.status == "read" else ResponseStatus.ERROR
            response = Response(item_id, model, variant, status, asked.value or "", asked.error, version)
            self.ledger.record_response(response)
        if response.status is ResponseStatus.ERROR:
            raise Unscored("reply", response.error)
        return response

    async def judge(self, response: Response, rubric_by: RubricBy) -> Mapping[str, Any]:
        """What is said of a reply: by rule, by the ledger, by the judge, or by several and their rule.

        Raises `Unscored` if nothing could be read after the retry, the call failed for good, the judges disagree, or
        nobody can judge; and `BudgetSpent`.
        """
        rubric = rubric_by(self.judge_fingerprint)
        known = judgement_of(self.db, response.item_id, response.model, response.variant, rubric.kind)
        made = rubric.by_rule
        if made is None and known is not None and self._holds(known, rubric):
            made = known
        if made is None:
            made = await self._ask_judges(response, rubric, rubric_by)
        if made != known and self._client is not None:
            self.ledger.record_judgement(made)
        if made.status is JudgementStatus.UNSCORED:
            stage: Stage = "split" if made.raw.startswith(DISAGREE) else "unread"
            raise Unscored(stage, " ".join(made.raw.split())[:200] or "an empty reply")
        return made.value

    def _holds(self, known: Judgement, rubric: Rubric) -> bool:
        """Whether a stored judgement need not be asked for again."""
        if self._client is None:
            return known.fingerprint in ("", rubric.version)
        if known.status is JudgementStatus.UNSCORED and self._retry:
            return False
        return rubric.version in (None, known.fingerprint)

    async def _ask_judges(self, response: Response, rubric: Rubric, rubric_by: RubricBy) -> Judgement:
        """The word of the judge, or what all of several come to."""
        if self._client is None or self.models.judge is None:
            raise Unscored("grade", NOT_JUDGED)
        if len(self.models.judges) == 1:
            return await self._ask_judge(self.models.judge.name, response, rubric)
        known = votes_on(self.db, response.item_id, response.model, response.variant, rubric.kind)

        async def vote(judge: str) -> Judgement:
            own = rubric_by(self.fingerprints[judge])
            said = known.get(judge)
            if said is None or not self._holds(said, own):
                said = await self._ask_judge(judge, response, own)
                self.ledger.record_vote(said)
            return said

        votes = await gather_all(vote(name) for name in sorted(one.name for one in self.models.judges))
        value, words = panel_value(votes, self.models.rule), describe_votes(votes)
        again = any(one.fingerprint == "" for one in votes)  # a call failed: the next run asks again
        return judgement(
            response,
            rubric.kind,
            PANEL,
            "" if again else rubric.version or "",
            value=value,
            raw=words if value is not None else f"{DISAGREE}: {words}",
        )

    async def _ask_judge(self, judge: str, response: Response, rubric: Rubric) -> Judgement:
        """The judge's word; that of a call that failed has no version, so that the next run asks again."""
        asked = await self.client.ask(
            judge,
            rubric.request(),
            rubric.read,
            purpose=rubric.purpose,
            subject=response.item_id,
            part=judged_part(response.model, response.variant),
        )
        failed = asked.status == "error"
        return judgement(
            response,
            rubric.kind,
            judge,
            "" if failed else rubric.version or "",
            value=asked.value,
            raw=asked.error if failed else asked.raw,
        )


class StoredSession(Session):
    """Tells what a ledger holds that is open for reading only, and asks nobody."""

    def __init__(self, db: sqlite3.Connection, models: ModelSet, fingerprints: Mapping[str, str]) -> None:
        """With the fingerprints of the models as they were asked last."""
        self.db, self.models, self.fingerprints = db, models, dict(fingerprints)
        self._client, self._retry = None, False


def judgement(
    response: Response,
    kind: str,
    judge: str,
    version: str,
    *,
    value: Mapping[str, Any] | None = None,
    raw: str = "",
) -> Judgement:
    """A judgement of a reply; unscored without a value."""
    return Judgement(
        item_id=response.item_id,
        model=response.model,
        variant=response.variant,
        kind=kind,
        judge=judge,
        status=JudgementStatus.UNSCORED if value is None else JudgementStatus.READ,
        value=value or {},
        raw=raw,
        fingerprint=version,
    )
