"""What an evaluation is made of: items, how a model solves one, and how that is scored."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from perturb.errors import ConfigError
from perturb.evaluate.judge_panel import JudgeRule
from perturb.evaluate.models_under_test import ModelNames, ModelSet
from perturb.evaluate.session import Session
from perturb.executors.tasks import ExecutorEntry
from perturb.llm.batches import BatchLimits
from perturb.llm.recording import Replay
from perturb.store import EvaluationLedger
from perturb.store.evaluations import read_facts

ItemT = TypeVar("ItemT")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """How a task is run; none of it decides what comes out."""

    budget_usd: float | None = None
    """What the calls of the run may cost together; services and functions do not count."""
    retry_unscored: bool = False
    """Ask a judge again where no judgement could be read."""
    batch: BatchLimits | None = None
    """Ask with batch APIs, at half the price, in batches of at most this size."""
    replay: Replay | None = None
    """Replies on record, in the place of models."""
    executor: ExecutorEntry = field(default_factory=ExecutorEntry)
    """Where the calls are made: in this process, by worker processes, or by the nodes of a Ray cluster."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskPlan(RunOptions):
    """Whom to ask, and how."""

    models: Sequence[str] = ()
    """A litellm name, an address (`http://…`), `module:function`, or a name from the models file; of a recording,
    some of its models, or none for all."""
    judge: str | Sequence[str] | None = None
    """Without one, only what a rule can settle is judged; the rest waits for a judge."""
    judge_rule: JudgeRule | None = None
    """How many of several judges must say the same; as the models file says, unless given."""
    names: ModelNames = field(default_factory=ModelNames)
    out: Path | None = None
    """The run folder; under `outputs/`, after the command and what is asked about, unless given."""


@dataclass(frozen=True, slots=True)
class EvaluationReport:
    """How a run ended."""

    run: Path
    facts: Mapping[str, Any]
    """Counts, tokens, cost and seconds, under the names of the command's `--json`."""
    warnings: tuple[str, ...] = ()
    """What a reader of the scores should know, and what is left to do, one line each."""
    table: Path | None = None
    rows: tuple[Any, ...] = ()
    """The rows of the table, for tasks over questions."""
    stopped: str | None = None
    """Why it stopped before its end, if it did."""


class Task(ABC, Generic[ItemT]):
    """Items, a solver and a scorer; the runner does the rest."""

    fact: ClassVar[str]
    """The name under which a ledger keeps what the run is made of."""
    unit: ClassVar[str]
    """What the progress bar counts."""
    retries_unscored: ClassVar[bool] = False
    """Whether judgements that could not be read are asked for again by every run."""

    @property
    @abstractmethod
    def items(self) -> Sequence[ItemT]:
        """What every model is brought through, in order."""

    @property
    def at_once(self) -> int:
        """How many items of one model may be under way at once, whatever the connections allow."""
        return len(self.items)

    def check(self, models: ModelSet) -> None:
        """Raise `ConfigError` if the task cannot be run over these models; nothing is written yet."""

    @abstractmethod
    def register_run(self, ledger: EvaluationLedger, models: ModelSet) -> None:
        """Note in the ledger what is asked of whom. Raises `ConfigError` if it is the ledger of something else."""

    def known_facts(self, ledger: EvaluationLedger) -> dict[str, Any]:
        """What the ledger knows of such a run. Raises `ConfigError` if it is the ledger of something else."""
        if ledger.db.execute("SELECT 1 FROM plans").fetchone():
            raise ConfigError(f"{ledger.folder}: is the run of a build: give another --out")
        known = read_facts(ledger.db)
        if known and self.fact not in known:
            raise ConfigError(f"{ledger.folder}: holds another kind of run: give another --out")
        return known

    def agenda(self, ledger: EvaluationLedger, model: str) -> Iterator[ItemT]:  # noqa: ARG002
        """The items that a model is brought through, one by one; what came of those before may end it early."""
        return iter(self.items)

    @abstractmethod
    async def solve(self, session: Session, model: str, item: ItemT) -> object:
        """Bring one model through one item: its replies, then the judgements they need.

        With a session that asks nobody: what the ledger holds of them. Raises `BudgetSpent`.
        """

    @abstractmethod
    async def finish(self, session: Session, *, stopped: bool) -> EvaluationReport:
        """Write the table and count, with a session that asks nobody; `stopped` if the run is not at its end.

        The runner adds what it knows itself: calls and cost, and why the run stopped.
        """
