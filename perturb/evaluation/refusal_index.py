"""Tasks over questions with known answers, and the task for the Refusal Index.

`QuestionTask` is the base class of both tasks over questions; the other one is in `evaluation/bas`. Each question is
asked in several *ways*, and each way gives a row of the table.

For the Refusal Index (`RefusalIndexTask`), the ways are prompts that invite a refusal more or less. Models may refuse
in this first pass. The second pass asks each refused question once more, and the model must answer. Its answer counts
for all prompts with which the model refused.
"""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import ClassVar, Generic, Self, TypeVar

from perturb.catalogue.prompts import data_request, system_message, template_version
from perturb.errors import ConfigError
from perturb.evaluation.adapters import item_request
from perturb.evaluation.answers import TEMPLATE as GRADE_TEMPLATE
from perturb.evaluation.answers import Grade, grade
from perturb.evaluation.models_under_test import ModelSet
from perturb.evaluation.question_formats import Question, QuestionSet, question_data
from perturb.evaluation.reading import is_disagreement
from perturb.evaluation.results import write_json_lines
from perturb.evaluation.session import EvaluationReport, Session, Task, Unscored
from perturb.files.resources import code_version
from perturb.ledger.evaluations import REFUSAL_TABLE, EvaluationLedger
from perturb.llm.client import ChatRequest
from perturb.records import Facts, JsonObject
from perturb.runtime import gather_all


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionRow:
    """One question to one model in one way. The fields are the columns of the table, in order."""

    item_id: str
    base_id: str
    """The base instance of the question; rows with the same one are not independent."""
    model: str


RowT = TypeVar("RowT", bound=QuestionRow)


@dataclass(frozen=True)
class QuestionTask(Task[Question], Generic[RowT]):
    """Questions with known answers."""

    questions: QuestionSet
    ways: tuple[str, ...]
    """The ways in which each question is asked, in the order of the rows."""

    unit = "question"
    retries_unscored = True
    table_file: ClassVar[str]

    @property
    def items(self) -> tuple[Question, ...]:
        """The questions of the set."""
        return self.questions.questions

    @property
    @abstractmethod
    def templates(self) -> Sequence[str]:
        """The names of the templates of the prompts."""

    @abstractmethod
    async def solve(self, session: Session, model: str, item: Question) -> list[RowT]:
        """The rows of one question: it is asked in all ways at the same time, and graded. Raises `BudgetSpent`."""

    @abstractmethod
    def way_facts(self) -> JsonObject:
        """The ways, for the ledger and the report."""

    @abstractmethod
    def warnings(self, rows: Sequence[RowT], *, stopped: bool) -> Iterator[str]:
        """Cautions for readers of the rows, one line for each."""

    def check(self, models: ModelSet) -> None:
        """Raise `ConfigError` if answers in words have no judge; a rule grades plain option letters and numbers."""
        if models.judge is None and any(question.form == "text" for question in self.items):
            raise ConfigError("--judge: answers in words cannot be graded without one: name a model")

    def register_run(self, ledger: EvaluationLedger, models: ModelSet) -> None:
        """Store the questions and the facts of the run in the ledger."""
        self.stored_facts(ledger)  # raises if the ledger is of another kind of run
        ledger.add_items((question.id, question.to_payload()) for question in self.items)
        ledger.write_fact(self.fact, self._run_facts(models))

    async def finish(self, session: Session, *, stopped: bool) -> EvaluationReport:
        """Write the table: by model, then by way, then in the order of the questions."""
        rows: list[RowT] = []
        for model in session.models.under_test:
            # Every reply is stored by now, so this only reads them again.
            rows_by_question = [await self.solve(session, model, question) for question in self.items]
            for rows_of_way in zip(*rows_by_question, strict=True):
                rows += rows_of_way
        table = session.ledger.folder / self.table_file
        table_rows = [asdict(row) for row in rows]
        write_json_lines(table, table_rows)
        facts = {
            "table": str(table),
            "questions": len(self.items),
            "models": list(session.models.under_test),
            **self.way_facts(),
            "rows": len(rows),
            "unscored": sum(row["unscored"] is not None for row in table_rows),
        }
        warnings = (*self.questions.warnings, *self.warnings(rows, stopped=stopped))
        return EvaluationReport(session.ledger.folder, facts, warnings, tuple(rows))

    def _run_facts(self, models: ModelSet) -> JsonObject:
        """The facts for the ledger, with the versions of the templates, but without addresses and keys."""
        called = {}
        for name, model in models.called.items():
            settings = model.settings
            called[name] = {
                "model": settings.model,
                "params": dict(settings.params),
                "system": settings.system,
                "fingerprint": settings.fingerprint(),
            }
        return {
            "questions": {
                "name": self.questions.name,
                "digest": self.questions.digest,
                "count": len(self.items),
            },
            "models": list(models.under_test),
            "judge": models.judge_name,
            "called": called,
            "templates": {name: template_version(name) for name in (*self.templates, GRADE_TEMPLATE)},
            "code_version": code_version(),
            **self.way_facts(),
        }


# First-pass prompt → how many of its ten examples are unanswered, which invites refusals (paper, table 5).
REFUSAL_PROMPTS: Mapping[str, int] = {"low": 0, "normal": 1, "high": 4, "highest": 6}
# The prompt of the second pass.
FORCED = "forced"
TEMPLATE = "two_pass/prompt"


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusalRow(QuestionRow):
    """One question under one prompt of the first pass."""

    setting: str
    refused: int | None = None
    """1 if the model refused in the first pass; None while unscored."""
    wrong: int | None = None
    """1 if the answer is wrong, or the forced answer if the model refused; None while unscored."""
    first_grade: str | None = None
    forced_grade: str | None = None
    """None if the model did not refuse, or if no answer can be right."""
    p_answering: float | None = None
    """The share of answers among the sampled replies, in [0, 1]; None without samples."""
    answerable: bool | None
    source: str
    unscored: str | None = None
    """The reason why `refused` or `wrong` is missing: `PROMPT: reason`."""


@dataclass(frozen=True)
class RefusalIndexTask(QuestionTask[RefusalRow]):
    """Both passes over a set of questions."""

    ways: tuple[str, ...] = tuple(REFUSAL_PROMPTS)
    """Names of the first-pass prompts."""
    samples: int = 1
    """Number of replies to each first-pass prompt: the first is scored, all of them give P(Answering)."""

    fact = "two_pass"
    table_file = REFUSAL_TABLE
    templates = (TEMPLATE,)

    @classmethod
    def of(
        cls, questions: QuestionSet, recorded: Facts, settings: Sequence[str] = (), samples: int = 1
    ) -> Self:
        """The task with these first-pass prompts; without any, with those of the recorded run, or else with all.

        A recorded run has no more samples than it was asked for, so its own number counts.
        """
        ways = settings or recorded.get("settings", REFUSAL_PROMPTS)
        return cls(questions, ways=tuple(ways), samples=recorded.get("samples", samples))

    def check(self, models: ModelSet) -> None:
        """Raise `ConfigError` also for an unknown prompt, and for fewer than one sample."""
        for setting in self.ways:
            if setting not in REFUSAL_PROMPTS:
                raise ConfigError(f"--setting: '{setting}' is unknown: use {', '.join(REFUSAL_PROMPTS)}")
        if self.samples < 1:
            raise ConfigError(f"--samples must be at least 1, got {self.samples}")
        super().check(models)

    def way_facts(self) -> JsonObject:
        """The prompts, and the number of samples of each."""
        return {"settings": list(self.ways), "samples": self.samples}

    async def solve(self, session: Session, model: str, item: Question) -> list[RefusalRow]:
        """The rows of a question, asked with all prompts at the same time; the first refusal starts the second pass."""

        # Several prompts may be refused. The second pass is the same for all, so they share one call.
        @cache
        def second_pass() -> Awaitable[Grade]:
            return asyncio.ensure_future(_graded(session, item, model, FORCED))

        return await gather_all(
            self._row(session, item, model, setting, second_pass) for setting in self.ways
        )

    async def _row(
        self,
        session: Session,
        question: Question,
        model: str,
        setting: str,
        second_pass: Callable[[], Awaitable[Grade]],
    ) -> RefusalRow:
        """The row of a question with one prompt; what is missing from it is `unscored`."""
        row = RefusalRow(
            item_id=question.id,
            base_id=question.base_id,
            model=model,
            setting=setting,
            answerable=question.answerable,
            source=question.source,
        )
        # The other samples are asked for while the first reply is graded.
        other_samples = asyncio.ensure_future(
            gather_all(
                _graded(session, question, model, setting, sample) for sample in range(2, self.samples + 1)
            )
        )
        # Each step adds to the row what it finds out, so an unscored reply leaves the rest in place.
        try:
            first = await _graded(session, question, model, setting)
            row = replace(row, first_grade=first, refused=int(first is Grade.NOT_ATTEMPTED))
            forced = None
            # If a question has no answer, every answer is wrong, so nothing is learnt by forcing one.
            if row.refused and question.answerable is not False:
                forced = await second_pass()
            final_grade = forced or first
            row = replace(row, forced_grade=forced, wrong=int(final_grade is not Grade.CORRECT))
            if self.samples > 1:
                grades = [first, *await other_samples]
                answered = sum(sample is not Grade.NOT_ATTEMPTED for sample in grades)
                row = replace(row, p_answering=answered / len(grades))
        except Unscored as error:
            row = replace(row, unscored=str(error))
        finally:
            # The calls in progress are paid for, so their replies must reach the ledger.
            await asyncio.gather(other_samples, return_exceptions=True)
        return row

    def warnings(self, rows: Sequence[RefusalRow], *, stopped: bool) -> Iterator[str]:
        """A warning about unscored rows that a second run would ask again."""
        # Judges that disagree would disagree again.
        unscored = sum(row.unscored is not None and not is_disagreement(row.unscored) for row in rows)
        if unscored and not stopped:
            yield f"{unscored} of {len(rows)} rows are unscored: run the same command again to retry"


def pass_request(question: Question, variant: str) -> ChatRequest:
    """The request for a question with one of the `REFUSAL_PROMPTS`, or `FORCED`."""
    system = system_message(
        TEMPLATE,
        setting=variant,
        unanswered=REFUSAL_PROMPTS.get(variant, 0),
        form=question.form,
        context=question.context is not None,
    )
    return item_request(data_request(system, question_data(question)), question)


async def _graded(session: Session, question: Question, model: str, variant: str, sample: int = 1) -> Grade:
    """The grade of a reply to one prompt. Raises `Unscored` with the name of the prompt."""
    request = pass_request(question, variant)
    try:
        response = await session.reply(question.id, model, variant, request, purpose=variant, sample=sample)
        return await grade(session, question, response)
    except Unscored as error:
        prefix = "unreadable grade: " if error.stage == "unread" else ""
        raise Unscored(error.stage, f"{variant}: {prefix}{error}") from None
