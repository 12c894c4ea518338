"""The ledger of a build: plans, jobs, candidates, votes and decisions, besides the calls."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import yaml
from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from perturb.catalogue.classes import ClassEntry, ClassName, Judges
from perturb.errors import LedgerError, PerturbError
from perturb.files.resources import canonical, digest
from perturb.ledger import queries
from perturb.ledger.calls import CallLedger
from perturb.ledger.db import stored_values
from perturb.ledger.planted import SolverReply
from perturb.ledger.queries import StageCounts, stage_counts
from perturb.llm.redaction import key_variables
from perturb.records import (
    PUBLISHED_CLASSES,
    BaseInstance,
    Candidate,
    Cell,
    ClassRule,
    Decision,
    Job,
    JobOutcome,
    PlantedItem,
    Verdict,
    taxonomy_place,
)

if TYPE_CHECKING:
    from perturb.catalogue.levers import Catalogue


class _Facts(BaseModel):
    """A part of the facts of a plan, as JSON in the ledger has it. Keys that a later version added are kept."""

    model_config = ConfigDict(strict=True, frozen=True, extra="allow")


class PanelFacts(_Facts):
    """The voting verifiers, and the rule that counts their votes."""

    name: str
    digest: str
    members: dict[str, str]
    """Verifier name → fingerprint."""
    classes: dict[str, list[ClassName]] = {}
    """Verifier name → the classes that it judges. Verifiers that judge all classes are left out."""
    needed: int
    schedule: str
    target: float | None = None
    """The target of `consensus: certified`."""
    offline: bool

    @property
    def consensus(self) -> str:
        """The rule by which votes are counted: `unanimous`, or for example `2 of 3`."""
        if self.target is not None:
            return f"certified, target {100 * self.target:g} %"
        members = len(self.members)
        return "unanimous" if self.needed == members else f"{self.needed} of {members}"


class BaseSetFacts(_Facts):
    """The origin of the texts that were perturbed."""

    attribution: str | None = None
    since: str | None = None
    """The first day of the documents that the questions were written from."""


class ModelFacts(_Facts):
    """A generator or verifier with its settings."""

    name: str
    model: str


class SelectFacts(_Facts):
    """How the rows of a snapshot are selected."""

    strategy: Literal["balanced", "natural", "hard"]
    per_generator: int
    min_per_cell: int
    at_least: float = 0.5
    # Earlier versions called the controls `twins`.
    controls: bool = Field(default=False, validation_alias=AliasChoices("controls", "twins"))
    shortcuts: bool = False


class PlanFacts(_Facts):
    """The facts of the `BuildPlan` at the time of planning."""

    name: str
    round: str
    seed: int
    code_version: str
    digests: dict[str, str]
    base_set: BaseSetFacts
    panel: PanelFacts
    generators: tuple[ModelFacts, ...]
    verifiers: tuple[ModelFacts, ...]
    cells: tuple[str, ...]
    select: SelectFacts
    note: str | None = None
    classes: tuple[ClassEntry, ...] = ()
    """User-defined classes."""
    quota: int | None = None
    """How many accepted items each generator should have in each cell, if jobs are planned in waves."""
    depth: dict[str, float] = {}
    """Depth → share of the jobs, if some are not `open`."""
    solvers: dict[str, str] = {}
    """Solver → fingerprint of its replies, if solvers are asked."""
    solver_judge: str = ""
    """The name of the judge of the solvers' replies."""
    solver_roles: dict[str, list[str]] = {}
    """Solver → its other roles, for solvers that also write, verify or judge items."""


@dataclass(frozen=True, slots=True)
class CurrentPlan:
    """The plan that a ledger works on now."""

    number: int
    config: str
    """The resolved, redacted configuration (YAML)."""
    facts: PlanFacts

    @property
    def panel(self) -> str:
        """Digest of the panel whose decisions count."""
        return self.facts.panel.digest

    @property
    def judges(self) -> Judges:
        """The verifiers that vote, and the classes that each of them judges."""
        panel = self.facts.panel
        judged = {name: tuple(classes) for name, classes in panel.classes.items()}
        own_classes = (entry.name for entry in self.facts.classes)
        return Judges(panel.members, judged, (*PUBLISHED_CLASSES, *own_classes))

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells of the plan."""
        return tuple(map(Cell.read, sorted(self.facts.cells, key=taxonomy_place)))

    def count_stages(self, db: sqlite3.Connection) -> StageCounts:
        """How many jobs of the plan have reached each stage."""
        return stage_counts(db, self.number, self.panel, self.judges)

    def load_catalogue(self) -> Catalogue:
        """The catalogue of the plan, with the classes as they were when it was planned.

        The user's levers are included if their folder still exists.
        """
        from perturb.catalogue.levers import Catalogue, embedded_levers

        with stored_values():
            # An error of YAML is a sign of damage too, but not one that `stored_values` knows.
            try:
                config = yaml.safe_load(self.config) or {}
            except yaml.YAMLError as exc:
                raise ValueError(str(exc)) from None
            folders = [Path(folder) for folder in config.get("levers") or ()]
        try:
            catalogue = Catalogue.load(
                [folder for folder in folders if folder.is_dir() or embedded_levers(folder)]
            )
        except PerturbError:
            # The folder has changed since and no longer loads. Candidates and votes name the levers that were used.
            catalogue = Catalogue.load()
        return catalogue.with_classes(self.facts.classes)


def current_plan(db: sqlite3.Connection, run: Path) -> CurrentPlan:
    """The current plan of a ledger.

    Raises `LedgerError` if the run is not that of a build, or if it has no plan yet. A plan counts once all of its jobs
    are entered.
    """
    row = db.execute("SELECT id, config, facts FROM plans WHERE current = 1 AND jobs IS NOT NULL").fetchone()
    if row is None and db.execute("SELECT 1 FROM items LIMIT 1").fetchone() is not None:
        raise LedgerError(
            f"{run}: is not the run of a build but of an evaluation: read it with `perturb score`,"
            " `perturb refusal-index` or `perturb bas`"
        )
    if row is None:
        raise LedgerError(f"{run}: the run has no plan yet: start it with `perturb build`")
    with stored_values():
        return CurrentPlan(row["id"], row["config"], PlanFacts.model_validate_json(row["facts"]))


def key_variables_of(db: sqlite3.Connection) -> set[str]:
    """The environment variables that held the keys of a run, by its plans and facts."""
    # `facts` is a column of the plans of builds, and a table with facts about evaluations.
    rows = db.execute("SELECT facts FROM plans UNION ALL SELECT value FROM facts").fetchall()
    with stored_values():
        return key_variables([json.loads(row[0]) for row in rows if row[0]])


# JSON as a ledger stores it. Texts in other scripts stay readable.
_json = partial(json.dumps, ensure_ascii=False)


def _job_values(job: Job, plan: int, key: str) -> tuple[Any, ...]:
    """The values of a new row of `jobs`. `key` is the key of the job's base instance."""
    return (
        job.id,
        plan,
        key,
        job.instance_id,
        job.cell.perturbation_class,
        job.cell.intensity,
        job.generator,
        job.replicate,
        job.round,
        _json(job.offers),
        job.depth,
        _json(job.constructions),
        job.hardens,
    )


class Ledger(CallLedger):
    """The ledger of a build, open for writing."""

    def start_plan(self, plan_digest: str, config: str, facts: Mapping[str, Any]) -> int:
        """Make the plan with this digest the current one and return its number."""
        with self.transaction() as db:
            # A run has one current plan. Plans of earlier configurations stay, so that their results count again if
            # they return.
            db.execute("UPDATE plans SET current = 0")
            row = db.execute(
                "INSERT INTO plans (digest, config, facts, current) VALUES (?, ?, ?, 1)"
                " ON CONFLICT (digest) DO UPDATE SET current = 1, config = excluded.config, facts = excluded.facts"
                " RETURNING id",
                (plan_digest, config, canonical(facts)),
            ).fetchone()
        return int(row["id"])

    def add_jobs(
        self, plan: int, jobs: Iterable[Job], instances: Mapping[str, BaseInstance], *, first: bool = True
    ) -> int:
        """Enter jobs of a plan and their base instances. Returns the number of jobs.

        `instances` are the base instances by id. A job that an earlier plan finished keeps its result and now belongs
        to this plan. The `first` jobs of a run set the number of jobs, and failed jobs will be done again.
        Faults of rules will not, since they come again until the rule changes. Later jobs, such as the next wave of a
        quota, are added to those of the plan.
        """
        # The key is a digest of the content, so that a changed instance with the same id is another row.
        keys = {name: instance_key(instance) for name, instance in instances.items()}
        with self.transaction() as db:
            db.executemany(
                "INSERT OR IGNORE INTO instances VALUES (?, ?)",
                ((keys[name], _json(instance.to_payload())) for name, instance in instances.items()),
            )
            count = db.executemany(
                "INSERT INTO jobs (id, plan, instance_key, base_id, perturbation_class, intensity, generator,"
                " replicate, round, offers, depth, constructions, hardens)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                " ON CONFLICT (id) DO UPDATE SET plan = excluded.plan",
                (_job_values(job, plan, keys[job.instance_id]) for job in jobs),
            ).rowcount
            if first:
                db.execute("UPDATE plans SET jobs = ? WHERE id = ?", (count, plan))
                failed = f"outcome = 'error' AND NOT {queries.is_fault('detail')}"
                db.execute(f"UPDATE jobs SET outcome = NULL WHERE plan = ? AND {failed}", (plan,))
            else:
                db.execute("UPDATE plans SET jobs = jobs + ? WHERE id = ?", (count, plan))
        return count

    def forget_outcomes(self, plan: int, outcome: JobOutcome) -> int:
        """Mark the plan's jobs with this outcome as not done. Returns the number of jobs."""
        with self.transaction() as db:
            return db.execute(
                "UPDATE jobs SET outcome = NULL, detail = NULL WHERE plan = ? AND outcome = ?",
                (plan, outcome.value),
            ).rowcount

    def forget_unread_votes(self, plan: int, panel: str, judges: Judges) -> None:
        """Delete the plan's unread votes that a decision may need, so that their verifiers are asked again."""
        unread = f"SELECT v.candidate_id, v.verifier, v.fingerprint {queries.UNREAD_VOTES}"
        with self.transaction() as db:
            db.execute(
                f"DELETE FROM votes WHERE (candidate_id, verifier, fingerprint) IN ({unread})",
                queries.bind(judges, plan, panel),
            )
            # Planted items have no decision, so all of their unread votes are asked for again.
            unread_planted = f"SELECT rowid FROM planted_votes v WHERE {queries.VOTE_UNREAD}"
            db.execute(f"DELETE FROM planted_votes WHERE rowid IN ({unread_planted})")

    def forget_sample(self) -> None:
        """Let the review begin with a new sample. Its answers are kept."""
        with self.transaction() as db:
            db.execute("DELETE FROM review_samples")

    def record_outcome(
        self,
        job_id: str,
        outcome: JobOutcome,
        detail: str,
        committed: Callable[[], None] | None = None,
        declined: Mapping[str, str] | None = None,
    ) -> None:
        """Record how a job ended, and why its generator declined levers. Its replies are stored with the calls."""
        self._put(
            "UPDATE jobs SET outcome = ?, detail = ?, declined = ? WHERE id = ?",
            outcome.value,
            detail,
            _json(dict(declined or {})),
            job_id,
            committed=committed,
        )

    # The values below are in the order of the columns of their tables, see `perturb.ledger.migrations`.

    def record_candidate(self, candidate: Candidate) -> None:
        """Record a readable candidate. `record_outcome` records the outcome of its job."""
        self._replace(
            "candidates",
            candidate.id,
            candidate.lever,
            candidate.query,
            _json([asdict(passage) for passage in candidate.passages]),
            candidate.reasoning,
            candidate.expected_behavior,
            _json(dict(candidate.stated)),
        )

    def record_vote(self, vote: Verdict, *, planted: bool = False) -> None:
        """Record a vote. A later vote of the same verifier on the same candidate replaces it.

        Votes on `planted` items are in a separate table, so that no other figure counts them.
        """
        self._replace(
            "planted_votes" if planted else "votes",
            vote.candidate_id,
            vote.verifier,
            vote.prompt_version,
            vote.state.value,
            _json(dict(vote.checks)),
            vote.predicted_behavior,
            _json(list(vote.issues)),
            vote.raw,
            _json(dict(vote.blind)),
        )

    def fix_planted(self, plan: int, numbers: Mapping[str, int]) -> None:
        """Store how many items of each origin are planted in the plan."""
        with self.transaction() as db:
            db.execute("UPDATE plans SET planted = ? WHERE id = ?", (_json(dict(numbers)), plan))

    def store_rules(self, plan: int, rules: Mapping[str, ClassRule]) -> None:
        """Store the rules that the votes on planted items chose for the classes. Rules stored earlier stay."""
        payload = _json({name: asdict(rule) for name, rule in rules.items()})
        with self.transaction() as db:
            db.execute("UPDATE plans SET rules = ? WHERE id = ? AND rules IS NULL", (payload, plan))

    def record_planted(self, item: PlantedItem, host: str) -> None:
        """Record a planted item and the job that it was made from."""
        self._put(
            "INSERT OR IGNORE INTO planted (id, kind, host, payload) VALUES (?, ?, ?, ?)",
            item.id,
            item.kind,
            host,
            _json(item.to_payload()),
        )

    def record_solver_reply(self, reply: SolverReply) -> None:
        """Record a reply of a solver. A later reply to the same question replaces it."""
        self._replace(
            "solver_replies",
            reply.candidate_id,
            reply.solver,
            reply.sample,
            reply.fingerprint,
            reply.outcome,
            reply.detail,
            reply.raw,
            _json(reply.judged),
        )

    def record_decision(
        self, decision: Decision, panel: str, committed: Callable[[], None] | None = None
    ) -> None:
        """Record a decision of the panel."""
        self._replace(
            "decisions",
            decision.candidate_id,
            panel,
            decision.acceptance.value,
            decision.reason,
            int(decision.audited),
            committed=committed,
        )


def instance_key(instance: BaseInstance) -> str:
    """Digest of a base instance's whole content."""
    return digest(instance.to_payload())
