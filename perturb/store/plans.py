"""The plan that a build's ledger works on."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import yaml
from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from perturb.classes import ClassEntry, ClassName, Judges
from perturb.errors import LedgerError, PerturbError
from perturb.records import PUBLISHED_CLASSES, Cell, taxonomy_place
from perturb.store.db import stored_values
from perturb.store.queries import StageCounts, stage_counts

if TYPE_CHECKING:
    from perturb.catalogue import Catalogue


class _Facts(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="allow")


class PanelFacts(_Facts):
    """Who votes, and how the votes are counted."""

    name: str
    digest: str
    members: dict[str, str]
    """Verifier name → fingerprint."""
    classes: dict[str, list[ClassName]] = {}
    """Verifier name → the classes that it judges, for those that do not judge all."""
    needed: int
    schedule: str
    offline: bool


class BaseSetFacts(_Facts):
    """Whose texts were perturbed."""

    attribution: str | None = None


class ModelFacts(_Facts):
    """A generator or verifier with its settings."""

    name: str
    model: str


class SelectFacts(_Facts):
    """How rows are to be chosen."""

    strategy: Literal["balanced", "natural", "hard"]
    per_generator: int
    min_per_cell: int
    controls: bool = Field(default=False, validation_alias=AliasChoices("controls", "twins"))
    shortcuts: bool = False


class PlanFacts(_Facts):
    """What `Blueprint.facts` said when it was planned."""

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
    """A user's own classes."""
    quota: int | None = None
    """Accepted items wanted in each cell of each generator, if jobs are planned in waves."""


@dataclass(frozen=True, slots=True)
class CurrentPlan:
    """The plan a ledger works on now."""

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
        """Who votes, on which classes."""
        panel = self.facts.panel
        judged = {name: tuple(classes) for name, classes in panel.classes.items()}
        own = (entry.name for entry in self.facts.classes)
        return Judges(panel.members, judged, (*PUBLISHED_CLASSES, *own))

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells in play."""
        return tuple(map(Cell.read, sorted(self.facts.cells, key=taxonomy_place)))

    def count_stages(self, db: sqlite3.Connection) -> StageCounts:
        """How far the jobs of the plan have come."""
        return stage_counts(db, self.number, self.panel, self.judges)

    def load_catalogue(self) -> Catalogue:
        """The embedded levers, and the user's own while their folder is there; classes as the run was planned with."""
        from perturb.catalogue import Catalogue, embedded_levers

        with stored_values():
            try:
                config = yaml.safe_load(self.config) or {}
            except yaml.YAMLError as exc:
                raise ValueError(str(exc)) from None
            folders = [Path(folder) for folder in config.get("levers") or ()]
        try:
            known = Catalogue.load([one for one in folders if one.is_dir() or embedded_levers(one)])
        except PerturbError:  # the folder has changed since: what was chosen is in candidates and votes
            known = Catalogue.load()
        return known.with_classes(self.facts.classes)


def current_plan(db: sqlite3.Connection, run: Path) -> CurrentPlan:
    """The current plan of a ledger.

    Raises `LedgerError` if the run was never planned (a plan counts once all its jobs are in), or if it is not that of
    a build.
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
