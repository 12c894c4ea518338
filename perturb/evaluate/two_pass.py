"""The two passes behind the Refusal Index: models may refuse in the first and must answer in the second.

The first pass is run under several settings, from one that hardly invites a refusal to one that prefers it. The second
pass asks for nothing but what was refused, and once only: settings that refused the same question share its answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from perturb.digests import digest
from perturb.evaluate.answers import Grade
from perturb.evaluate.grade import KIND, Grader, grade_of
from perturb.evaluate.questions import Question, question_data
from perturb.llm.asking import Asker
from perturb.llm.client import ChatRequest, ModelSettings
from perturb.prompts import data_request, system_message
from perturb.records import Judgement, JudgementStatus, Response, ResponseStatus
from perturb.store.evaluations import EvaluationLedger, judgement_of, response_of

SETTINGS: Mapping[str, int] = {"low": 0, "normal": 1, "high": 4, "highest": 6}
"""First-pass prompts by how much they invite a refusal, and how many of their ten examples are unanswered (table 5)."""
FORCED = "forced"
"""The prompt of the second pass."""
TEMPLATE = "two_pass/prompt"


@dataclass(frozen=True, slots=True)
class TwoPassRow:
    """One question under one setting. The fields are the columns of the table, in this order."""

    item_id: str
    base_id: str
    """What the question was made from; rows that share it are not independent."""
    model: str
    setting: str
    refused: int | None
    """1 if the model refused in the first pass; None while unscored."""
    wrong: int | None
    """1 if the answer is wrong, the forced one where the model refused; None while unscored."""
    first_grade: str | None
    forced_grade: str | None
    """None where nothing was refused, and where no answer could be right."""
    answerable: bool | None
    source: str
    unscored: str | None
    """Why `refused` or `wrong` is missing: `PROMPT: reason`."""

    def to_dict(self) -> dict[str, Any]:
        """The row as plain values, columns in order."""
        return asdict(self)


def pass_request(question: Question, variant: str) -> ChatRequest:
    """The question under one of the `SETTINGS`, or `FORCED`."""
    system = system_message(
        TEMPLATE,
        setting=variant,
        unanswered=SETTINGS.get(variant, 0),
        form=question.form,
        context=question.context is not None,
    )
    return data_request(system, question_data(question))


class TwoPass:
    """Runs both passes on single questions, over an open ledger; what it holds and still fits is not asked again."""

    def __init__(
        self, ledger: EvaluationLedger, asker: Asker, grader: Grader, models: Sequence[ModelSettings]
    ) -> None:
        self._ledger = ledger
        self._asker = asker
        self._grader = grader
        self._models = {model.name: model.fingerprint() for model in models}

    async def run(self, question: Question, model: str, settings: Sequence[str]) -> None:
        """Ask a model under every setting, then force the answer if it refused under any of them.

        Failed calls and unscored judgements of an earlier run are tried again. Raises `BudgetSpent`.
        """
        refused = False
        for setting in settings:
            grade = await self._ask(question, model, setting)
            refused = refused or grade is Grade.NOT_ATTEMPTED
        if refused and question.answerable is not False:
            await self._ask(question, model, FORCED)
        await self._ledger.keep_up()

    def row(self, question: Question, model: str, setting: str) -> TwoPassRow:
        """What the ledger says of a question under a setting."""
        refused = wrong = None
        first, missing = self._grade(question, model, setting)
        forced = None
        if first is Grade.NOT_ATTEMPTED:
            refused = 1
            if question.answerable is False:
                wrong = 1
            else:
                forced, missing = self._grade(question, model, FORCED)
                wrong = None if forced is None else int(forced is not Grade.CORRECT)
        elif first is not None:
            refused, wrong = 0, int(first is Grade.INCORRECT)
        return TwoPassRow(
            item_id=question.id,
            base_id=question.base_id,
            model=model,
            setting=setting,
            refused=refused,
            wrong=wrong,
            first_grade=first,
            forced_grade=forced,
            answerable=question.answerable,
            source=question.source,
            unscored=missing,
        )

    async def _ask(self, question: Question, model: str, variant: str) -> Grade | None:
        response = self._response(question, model, variant)
        if response is None or response.status is ResponseStatus.ERROR:
            response = await self._respond(question, model, variant)
            self._ledger.record_response(response)
        if response.status is ResponseStatus.ERROR:
            return None
        judgement = self._judgement(question, response)
        if judgement is None or judgement.status is JudgementStatus.UNSCORED:
            judgement = await self._grader.grade(question, response)
            self._ledger.record_judgement(judgement)
        return grade_of(judgement)

    async def _respond(self, question: Question, model: str, variant: str) -> Response:
        request = pass_request(question, variant)
        asked = await self._asker.ask(model, request, str, purpose=variant, subject=question.id)
        failed = asked.status != "read"
        return Response(
            item_id=question.id,
            model=model,
            variant=variant,
            status=ResponseStatus.ERROR if failed else ResponseStatus.ANSWERED,
            text=asked.value or "",
            error=asked.error,
            fingerprint=self._fingerprint(question, model, variant),
        )

    def _grade(self, question: Question, model: str, variant: str) -> tuple[Grade | None, str | None]:
        """The grade of a reply, or why there is none."""
        response = self._response(question, model, variant)
        if response is None:
            return None, f"{variant}: not asked yet"
        if response.status is ResponseStatus.ERROR:
            return None, f"{variant}: {response.error}"
        judgement = self._judgement(question, response)
        if judgement is None:
            return None, f"{variant}: not graded yet"
        grade = grade_of(judgement)
        return grade, None if grade else f"{variant}: unreadable grade: {_one_line(judgement.raw)}"

    def _response(self, question: Question, model: str, variant: str) -> Response | None:
        """The reply to today's prompt by today's model, if there is one."""
        found = response_of(self._ledger.db, question.id, model, variant)
        current = found is not None and found.fingerprint == self._fingerprint(question, model, variant)
        return found if current else None

    def _judgement(self, question: Question, response: Response) -> Judgement | None:
        found = judgement_of(self._ledger.db, response.item_id, response.model, response.variant, KIND)
        current = found is not None and found.fingerprint == self._grader.fingerprint(question, response)
        return found if current else None

    def _fingerprint(self, question: Question, model: str, variant: str) -> str:
        messages = [message.content for message in pass_request(question, variant).messages]
        return digest(self._models[model], messages)


def _one_line(text: str) -> str:
    return " ".join(text.split())[:200] or "an empty reply"
