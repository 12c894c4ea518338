"""What tasks over questions have in common: each question is asked in several ways, and each way makes a row."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Generic, TypeVar

from perturb.errors import ConfigError
from perturb.evaluate.grade import TEMPLATE as GRADE_TEMPLATE
from perturb.evaluate.models_under_test import ModelSet
from perturb.evaluate.questions import Question, QuestionSet
from perturb.evaluate.results import write_rows
from perturb.evaluate.session import Session
from perturb.evaluate.task import EvaluationReport, Task
from perturb.prompts import template_version
from perturb.resources import code_version
from perturb.store import EvaluationLedger


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
            found = [await self.solve(session, model, question) for question in self.items]
            rows += [row for of_way in zip(*found, strict=True) for row in of_way]
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
        called = {name: one.settings for name, one in models.called.items()}
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
                    "model": one.model,
                    "params": dict(one.params),
                    "system": one.system,
                    "fingerprint": one.fingerprint(),
                }
                for name, one in called.items()
            },
            "templates": {name: template_version(name) for name in (*self.templates, GRADE_TEMPLATE)},
            "code_version": code_version(),
            **self.way_facts(),
        }
