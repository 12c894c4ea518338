"""Asks for answers and confidence, one question at a time, and says what came of it.

Replies are kept as they came and read anew each time, so that a better reader needs no new call. Only the answer that
a reply commits itself to is graded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from perturb.digests import digest
from perturb.evaluate.answers import Grade
from perturb.evaluate.elicit import (
    DEFAULT_K,
    Elicitation,
    Stated,
    answers_wanted,
    first_request,
    read_stated,
    second_request,
)
from perturb.evaluate.grade import KIND, Grader, grade_of
from perturb.evaluate.questions import Question
from perturb.llm.asking import Asker
from perturb.llm.client import ChatRequest, ModelSettings
from perturb.llm.replies import ReplyError
from perturb.records import Judgement, JudgementStatus, Response, ResponseStatus
from perturb.store.evaluations import EvaluationLedger, judgement_of, response_of

FIRST = "first"
"""Added to the variant of the first of two replies: `reflection/first`."""


@dataclass(frozen=True, slots=True)
class ConfidenceRow:
    """One question asked in one way. The fields are the columns of the table, in this order."""

    item_id: str
    base_id: str
    """What the question was made from; rows that share it are not independent."""
    model: str
    elicitation: str
    is_correct: int | None
    """1 if the answer is right, or a refusal where no answer is; None while unscored."""
    confidence: float | None
    """As stated, in [0, 1]; None where the reply could not be read."""
    answer: str | None
    grade: str | None
    notes: str | None
    """What is odd about the reply; None if nothing is."""
    answerable: bool | None
    source: str
    unscored: str | None
    """Why `is_correct` or `confidence` is missing: `STAGE: reason`."""

    def to_dict(self) -> dict[str, Any]:
        """The row as plain values, columns in order."""
        return asdict(self)


class ConfidenceElicitor:
    """Elicits over an open ledger; what it holds and still fits is not asked again."""

    def __init__(
        self,
        ledger: EvaluationLedger,
        asker: Asker,
        grader: Grader,
        models: Sequence[ModelSettings],
        k: int = DEFAULT_K,
    ) -> None:
        """`k` is the number of answers asked for where several are."""
        self._ledger = ledger
        self._asker = asker
        self._grader = grader
        self._models = {model.name: model.fingerprint() for model in models}
        self._k = k

    async def run(self, question: Question, model: str, elicitation: Elicitation) -> None:
        """Ask a model one question in one way, and have its answer graded.

        Failed calls and unscored grades of an earlier run are tried again, unreadable replies are not. Raises
        `BudgetSpent`.
        """
        replies: list[Response] = []
        for step in range(elicitation.calls):
            request = self._request(question, elicitation, replies)
            if request is None:
                break
            variant = _variant(elicitation, step)
            response = self._response(question, model, variant, request)
            if response is None or response.status is ResponseStatus.ERROR:
                response = await self._respond(question, model, variant, request)
                self._ledger.record_response(response)
            replies.append(response)
            if response.status is ResponseStatus.ERROR:
                break
        await self._grade(question, elicitation, replies)
        await self._ledger.keep_up()

    def row(self, question: Question, model: str, elicitation: Elicitation) -> ConfidenceRow:
        """What the ledger says of a question asked in one way."""
        stated, grade, unscored = self._found(question, model, elicitation)
        right = (Grade.CORRECT, *((Grade.NOT_ATTEMPTED,) if question.answerable is False else ()))
        return ConfidenceRow(
            item_id=question.id,
            base_id=question.base_id,
            model=model,
            elicitation=str(elicitation),
            is_correct=None if grade is None else int(grade in right),
            confidence=stated.confidence if stated else None,
            answer=stated.answer if stated else None,
            grade=grade,
            notes="; ".join(stated.notes) or None if stated else None,
            answerable=question.answerable,
            source=question.source,
            unscored=unscored,
        )

    def _found(
        self, question: Question, model: str, elicitation: Elicitation
    ) -> tuple[Stated | None, Grade | None, str | None]:
        """The statement, its grade, and why either is missing."""
        replies: list[Response] = []
        for step in range(elicitation.calls):
            request = self._request(question, elicitation, replies)
            if request is None:
                break
            response = self._response(question, model, _variant(elicitation, step), request)
            if response is None:
                return None, None, "reply: not asked yet"
            if response.status is ResponseStatus.ERROR:
                return None, None, f"reply: {response.error}"
            replies.append(response)
        try:
            stated = self._read(question, elicitation, replies)
        except ReplyError as fault:
            return None, None, f"reading: {fault}"
        judgement = self._judgement(question, _committed(replies[-1], stated))
        if judgement is None:
            return stated, None, "grade: not graded yet"
        grade = grade_of(judgement)
        return stated, grade, None if grade else f"grade: {_one_line(judgement.raw)}"

    def _request(
        self, question: Question, elicitation: Elicitation, replies: Sequence[Response]
    ) -> ChatRequest | None:
        """The next request; None where the reply before it cannot be read."""
        if not replies:
            return first_request(elicitation, question, self._k)
        try:
            return second_request(elicitation, question, replies[0].text, self._k)
        except ReplyError:
            return None

    def _read(self, question: Question, elicitation: Elicitation, replies: Sequence[Response]) -> Stated:
        """Raises `ReplyError`, for a first of two replies too, that of the reader of the first request."""
        if len(replies) < elicitation.calls:
            second_request(elicitation, question, replies[0].text, self._k)
        texts = [response.text for response in replies]
        return read_stated(elicitation, texts, answers_wanted(question, self._k))

    async def _respond(self, question: Question, model: str, variant: str, request: ChatRequest) -> Response:
        asked = await self._asker.ask(model, request, str, purpose="confidence", subject=question.id)
        failed = asked.status != "read"
        return Response(
            item_id=question.id,
            model=model,
            variant=variant,
            status=ResponseStatus.ERROR if failed else ResponseStatus.ANSWERED,
            text=asked.value or "",
            error=asked.error,
            fingerprint=self._fingerprint(model, request),
        )

    async def _grade(self, question: Question, elicitation: Elicitation, replies: Sequence[Response]) -> None:
        if replies[-1].status is ResponseStatus.ERROR:
            return
        try:
            stated = self._read(question, elicitation, replies)
        except ReplyError:
            return
        answered = _committed(replies[-1], stated)
        known = self._judgement(question, answered)
        if known is None or known.status is JudgementStatus.UNSCORED:
            self._ledger.record_judgement(await self._grader.grade(question, answered))

    def _response(
        self, question: Question, model: str, variant: str, request: ChatRequest
    ) -> Response | None:
        """The reply of today's model to this very request, if there is one."""
        found = response_of(self._ledger.db, question.id, model, variant)
        current = found is not None and found.fingerprint == self._fingerprint(model, request)
        return found if current else None

    def _judgement(self, question: Question, response: Response) -> Judgement | None:
        found = judgement_of(self._ledger.db, response.item_id, response.model, response.variant, KIND)
        current = found is not None and found.fingerprint == self._grader.fingerprint(question, response)
        return found if current else None

    def _fingerprint(self, model: str, request: ChatRequest) -> str:
        return digest(self._models[model], [message.content for message in request.messages])


def _variant(elicitation: Elicitation, step: int) -> str:
    """Under which name a reply is kept: the last one under that of the elicitation."""
    last = step == elicitation.calls - 1
    return str(elicitation) if last else f"{elicitation}/{FIRST}"


def _committed(response: Response, stated: Stated) -> Response:
    """The reply cut down to the answer that is to be graded."""
    return replace(response, text=stated.answer)


def _one_line(text: str) -> str:
    return " ".join(text.split())[:200] or "an empty reply"
