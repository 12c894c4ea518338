"""The task behind the Refusal Index: models may refuse in the first pass and must answer in the second.

The first pass uses several prompts, from one that hardly invites a refusal to one that prefers it. The second pass
asks each refused question once, and its answer serves all prompts under which the question was refused. The base
class of tasks over questions is here: each question is asked in several ways, and each way makes a row.
"""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Generic, TypeVar

from perturb.catalogue.prompts import data_request, system_message, template_version
from perturb.errors import ConfigError
from perturb.evaluation.adapters import item_request
from perturb.evaluation.answers import TEMPLATE as GRADE_TEMPLATE
from perturb.evaluation.answers import Grade, grade
from perturb.evaluation.models_under_test import ModelSet
from perturb.evaluation.question_formats import Question, QuestionSet, question_data
from perturb.evaluation.reading import DISAGREE
from perturb.evaluation.results import write_rows
from perturb.evaluation.session import EvaluationReport, Session, Task, Unscored
from perturb.files.resources import code_version
from perturb.ledger.evaluations import REFUSAL_TABLE, EvaluationLedger
from perturb.llm.client import ChatRequest
from perturb.runtime.asyncs import gather_all


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """One question asked of one model in one way. The fields are columns of the table, in order."""

    item_id: str
    base_id: str
    """What the question was made from; rows that share it are not independent."""
    model: str


RowT = TypeVar("RowT", bound=QuestionRow)


@dataclass(frozen=True)
class QuestionTask(Task[Question], Generic[RowT]):
    """Questions with known answers."""

    questions: QuestionSet
    ways: tuple[str, ...]
    """In how many ways each question is asked; rows come in this order."""

    unit = "question"
    retries_unscored = True
    table_file: ClassVar[str]

    @property
    def items(self) -> tuple[Question, ...]:
        """Those of the set."""
        return self.questions.questions

    @property
    @abstractmethod
    def templates(self) -> Sequence[str]:
        """The templates asked with."""

    @abstractmethod
    async def solve(self, session: Session, model: str, item: Question) -> list[RowT]:
        """A question in all ways, at the same time, and the grades of its answers. Raises `BudgetSpent`."""

    @abstractmethod
    def way_facts(self) -> dict[str, Any]:
        """The ways, as ledger and report tell of them."""

    @abstractmethod
    def warnings(self, rows: Sequence[RowT], *, stopped: bool) -> Iterator[str]:
        """What a reader of the rows should know, one line each."""

    def check(self, models: ModelSet) -> None:
        """Option letters and numbers are graded by rule where they are plain; words need a judge."""
        if models.judge is None and any(question.form == "text" for question in self.items):
            raise ConfigError("--judge: answers in words cannot be graded without one: name a model")

    def register_run(self, ledger: EvaluationLedger, models: ModelSet) -> None:
        """Note the questions and what the run is made of."""
        self.known_facts(ledger)
        ledger.add_items((question.id, question.to_payload()) for question in self.items)
        ledger.write_fact(self.fact, self._run_facts(models))

    async def finish(self, session: Session, *, stopped: bool) -> EvaluationReport:
        """Write the table: by model, then by way, then in the order of the questions."""
        rows: list[RowT] = []
        for model in session.models.under_test:
            row_groups = [await self.solve(session, model, question) for question in self.items]
            rows += [row for of_way in zip(*row_groups, strict=True) for row in of_way]
        table = session.ledger.folder / self.table_file
        columns = [asdict(row) for row in rows]
        write_rows(table, columns)
        facts = {
            "table": str(table),
            "questions": len(self.items),
            "models": list(session.models.under_test),
            **self.way_facts(),
            "rows": len(rows),
            "unscored": sum(row["unscored"] is not None for row in columns),
        }
        warnings = (*self.questions.warnings, *self.warnings(rows, stopped=stopped))
        return EvaluationReport(table.parent, facts, warnings, table, tuple(rows))

    def _run_facts(self, models: ModelSet) -> dict[str, Any]:
        """What a ledger keeps, with the versions of the templates; no address and no key."""
        called = {name: model.settings for name, model in models.called.items()}
        return {
            "questions": {
                "name": self.questions.name,
                "digest": self.questions.digest,
                "count": len(self.items),
            },
            "models": list(models.under_test),
            "judge": models.judge_name,
            "called": {
                name: {
                    "model": settings.model,
                    "params": dict(settings.params),
                    "system": settings.system,
                    "fingerprint": settings.fingerprint(),
                }
                for name, settings in called.items()
            },
            "templates": {name: template_version(name) for name in (*self.templates, GRADE_TEMPLATE)},
            "code_version": code_version(),
            **self.way_facts(),
        }


REFUSAL_PROMPTS: Mapping[str, int] = {"low": 0, "normal": 1, "high": 4, "highest": 6}
"""First-pass prompts by how much they invite a refusal, and how many of their ten examples are unanswered (table 5)."""
FORCED = "forced"
"""The prompt of the second pass."""
TEMPLATE = "two_pass/prompt"


@dataclass(frozen=True, slots=True)
class RefusalRow(QuestionRow):
    """One question under one prompt of the first pass."""

    setting: str
    refused: int | None
    """1 if the model refused in the first pass; None while unscored."""
    wrong: int | None
    """1 if the answer is wrong, the forced one where the model refused; None while unscored."""
    first_grade: str | None
    forced_grade: str | None
    """None where nothing was refused, and where no answer could be right."""
    p_answering: float | None
    """The share of the sampled replies that are not refusals, in [0, 1]; None without samples."""
    answerable: bool | None
    source: str
    unscored: str | None
    """Why `refused` or `wrong` is missing: `PROMPT: reason`."""


@dataclass(frozen=True)
class RefusalIndexTask(QuestionTask[RefusalRow]):
    """Both passes."""

    ways: tuple[str, ...] = tuple(REFUSAL_PROMPTS)
    """First-pass prompts, by name."""
    samples: int = 1
    """Replies to each first-pass prompt, 1 or more: the first is scored, all tell how often the model answers."""

    fact = "two_pass"
    table_file = REFUSAL_TABLE
    templates = (TEMPLATE,)

    def check(self, models: ModelSet) -> None:
        """Also: the prompts are known."""
        for setting in self.ways:
            if setting not in REFUSAL_PROMPTS:
                raise ConfigError(f"--setting: '{setting}' is unknown: use {', '.join(REFUSAL_PROMPTS)}")
        if self.samples < 1:
            raise ConfigError(f"--samples must be at least 1, got {self.samples}")
        super().check(models)

    def way_facts(self) -> dict[str, Any]:
        """The prompts, and how often each is asked."""
        return {"settings": list(self.ways), "samples": self.samples}

    async def solve(self, session: Session, model: str, item: Question) -> list[RefusalRow]:
        """A question under all prompts at the same time; the first refusal asks for the forced answer at once."""
        under_way: list[asyncio.Future[Grade]] = []

        def forced() -> Awaitable[Grade]:
            if not under_way:
                under_way.append(asyncio.ensure_future(_graded(session, item, model, FORCED)))
            return under_way[0]

        return await gather_all(self._row(session, item, model, setting, forced) for setting in self.ways)

    async def _row(
        self,
        session: Session,
        question: Question,
        model: str,
        setting: str,
        forced: Callable[[], Awaitable[Grade]],
    ) -> RefusalRow:
        first = second = refused = wrong = answering = unscored = None
        numbers = range(2, self.samples + 1)
        further = asyncio.ensure_future(
            gather_all(_graded(session, question, model, setting, number) for number in numbers)
        )
        try:
            first = await _graded(session, question, model, setting)
            refused = int(first is Grade.NOT_ATTEMPTED)
            if refused and question.answerable is not False:
                second = await forced()
            wrong = int((second or first) is not Grade.CORRECT)
            if grades := await further:
                answered = [grade is not Grade.NOT_ATTEMPTED for grade in (first, *grades)]
                answering = sum(answered) / len(answered)
        except Unscored as why:
            unscored = str(why)
        finally:  # no reply that was paid for is lost
            await asyncio.gather(further, return_exceptions=True)
        return RefusalRow(
            item_id=question.id,
            base_id=question.base_id,
            model=model,
            setting=setting,
            refused=refused,
            wrong=wrong,
            first_grade=first,
            forced_grade=second,
            p_answering=answering,
            answerable=question.answerable,
            source=question.source,
            unscored=unscored,
        )

    def warnings(self, rows: Sequence[RefusalRow], *, stopped: bool) -> Iterator[str]:
        """A warning on the questions that are still to be asked, if any."""
        unscored = sum(row.unscored is not None and f": {DISAGREE}" not in row.unscored for row in rows)
        if unscored and not stopped:
            yield f"{unscored} of {len(rows)} rows are unscored: run the same command again to retry"


def pass_request(question: Question, variant: str) -> ChatRequest:
    """The question under one of the `REFUSAL_PROMPTS`, or `FORCED`."""
    system = system_message(
        TEMPLATE,
        setting=variant,
        unanswered=REFUSAL_PROMPTS.get(variant, 0),
        form=question.form,
        context=question.context is not None,
    )
    return item_request(data_request(system, question_data(question)), question)


async def _graded(session: Session, question: Question, model: str, variant: str, sample: int = 1) -> Grade:
    """The grade of a reply under one prompt. Raises `Unscored`, with the prompt's name."""
    request, salt = pass_request(question, variant), "" if sample == 1 else str(sample)
    part = f"{variant}/{salt}" if salt else variant
    try:
        response = await session.reply(question.id, model, part, request, purpose=variant, salt=salt)
        return await grade(session, question, response)
    except Unscored as why:
        unread = "unreadable grade: " if why.stage == "unread" else ""
        raise Unscored(why.stage, f"{variant}: {unread}{why}") from None
