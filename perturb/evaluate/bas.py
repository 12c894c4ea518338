"""The task behind the Behavioral Alignment Score: answers with a stated confidence, and their grades.

Replies are kept as they came and read anew each time, so that a better reader needs no new call. Only the answer that
a reply commits itself to is graded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from perturb.concurrency import gather_all
from perturb.errors import ConfigError
from perturb.evaluate.answers import Grade
from perturb.evaluate.elicit import (
    DEFAULT_K,
    Elicitation,
    Stated,
    answers_wanted,
    confidence_request,
    read_stated,
)
from perturb.evaluate.grade import grade
from perturb.evaluate.judge_panel import DISAGREE
from perturb.evaluate.models_under_test import ModelSet
from perturb.evaluate.question_task import QuestionRow, QuestionTask
from perturb.evaluate.questions import Question
from perturb.evaluate.session import Session, Unscored
from perturb.llm.replies import ReplyError
from perturb.responses import Response
from perturb.store.evaluations import CONFIDENCE_TABLE
from perturb.wording import counted

FIRST = "first"
"""Added to the variant of the first of two replies: `reflection/first`."""


@dataclass(frozen=True, slots=True)
class ConfidenceRow(QuestionRow):
    """One question asked in one way."""

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


@dataclass(frozen=True)
class BasTask(QuestionTask[ConfidenceRow]):
    """Confidence elicited in one or more ways."""

    ways: tuple[Elicitation, ...] = (Elicitation.DIRECT,)
    k: int = DEFAULT_K
    """Answers asked for where several are."""

    fact = "confidence"
    table_file = CONFIDENCE_TABLE

    @property
    def templates(self) -> Sequence[str]:
        """One for each elicitation."""
        return [elicitation.template for elicitation in self.ways]

    def check(self, models: ModelSet) -> None:
        """Also: each elicitation once, and several answers where several are asked for."""
        if len(set(self.ways)) < len(self.ways):
            raise ConfigError("--elicitation: one appears twice: name each once")
        if self.k < 2:
            raise ConfigError(f"--k: {self.k} answers are not several: give 2 or more")
        super().check(models)

    def way_facts(self) -> dict[str, Any]:
        """The elicitations, and how many answers they ask for."""
        return {"elicitations": list(map(str, self.ways)), "k": self.k}

    async def solve(self, session: Session, model: str, item: Question) -> list[ConfidenceRow]:
        """A question in all ways at the same time; an unreadable reply is not asked for again."""
        return await gather_all(self._row(session, item, model, way) for way in self.ways)

    async def _row(
        self, session: Session, question: Question, model: str, elicitation: Elicitation
    ) -> ConfidenceRow:
        stated: Stated | None = None
        found: Grade | None = None
        unscored = None
        try:
            stated, answer = await self._stated(session, question, model, elicitation)
            found = await grade(session, question, answer)
        except ReplyError as fault:
            unscored = f"reading: {fault}"
        except Unscored as why:
            unscored = f"{'reply' if why.stage == 'reply' else 'grade'}: {why}"
        right = (Grade.CORRECT, *((Grade.NOT_ATTEMPTED,) if question.answerable is False else ()))
        return ConfidenceRow(
            item_id=question.id,
            base_id=question.base_id,
            model=model,
            elicitation=str(elicitation),
            is_correct=None if found is None else int(found in right),
            confidence=stated.confidence if stated else None,
            answer=stated.answer if stated else None,
            grade=found,
            notes="; ".join(stated.notes) or None if stated else None,
            answerable=question.answerable,
            source=question.source,
            unscored=unscored,
        )

    async def _stated(
        self, session: Session, question: Question, model: str, elicitation: Elicitation
    ) -> tuple[Stated, Response]:
        """What the model states, and its last reply cut down to the answer. Raises `ReplyError` and `Unscored`."""
        replies: list[Response] = []
        for step in range(1, elicitation.calls + 1):
            request = confidence_request(elicitation, question, replies[0].text if replies else None, self.k)
            variant = str(elicitation) if step == elicitation.calls else f"{elicitation}/{FIRST}"
            replies.append(await session.reply(question.id, model, variant, request, purpose="confidence"))
        texts = [response.text for response in replies]
        stated = read_stated(elicitation, texts, answers_wanted(question, self.k))
        return stated, replace(replies[-1], text=stated.answer)

    def warnings(self, rows: Sequence[ConfidenceRow], *, stopped: bool) -> Iterator[str]:
        """What could not be read, what is odd, and what is left to be asked again."""
        for (model, elicitation), of_group in groupby(rows, key=lambda row: (row.model, row.elicitation)):
            name, group = f"{model}, {elicitation}", list(of_group)
            sums = sum("add up to" in (row.notes or "") for row in group)
            if sums:
                yield f"{name}: in {sums} of {len(group)} replies the probabilities do not add up to 1; they stand"
            reasons = (row.unscored for row in group if row.unscored and f": {DISAGREE}" not in row.unscored)
            stages = Counter(reason.split(":")[0] for reason in reasons)
            if stages["reading"]:
                yield f"{name}: {stages['reading']} of {len(group)} replies state no readable answer and confidence"
            again = stages["reply"] + stages["grade"]
            if again and not stopped:
                failed = counted(again, "call or grade", "calls or grades")
                yield f"{name}: {failed} failed: run the same command again to retry"
