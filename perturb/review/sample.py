"""Draw the items that people review: the same number from each cell (spec, section 5)."""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from perturb.digests import seed_of
from perturb.errors import ConfigError
from perturb.records import Cell, Intensity, PerturbationClass
from perturb.store.plans import CurrentPlan


class Population(StrEnum):
    """Which candidates a sample is drawn from."""

    ACCEPTED = "accepted"
    """Those that the panel accepted: how far can its acceptance be trusted?"""
    DECIDED = "decided"
    """Those that it accepted or rejected: how far do people and panel agree?"""


@dataclass(frozen=True, slots=True)
class SamplePlan:
    """How to draw."""

    per_cell: int = 10
    seed: int = 0
    population: Population = Population.ACCEPTED


@dataclass(frozen=True, slots=True)
class Sample:
    """What was drawn, in the order it is reviewed in."""

    plan: SamplePlan
    candidate_ids: tuple[str, ...]
    counts: dict[str, int]
    """Items by cell, `class/intensity`; every cell of the run, so that a gap is seen."""

    @property
    def shortfalls(self) -> dict[str, int]:
        """Cells that have fewer items than were asked for, and how many they have."""
        return {cell: n for cell, n in self.counts.items() if n < self.plan.per_cell}

    def facts(self) -> dict[str, Any]:
        """How the sample was drawn, for the ledger."""
        return {
            "per_cell": self.plan.per_cell,
            "seed": self.plan.seed,
            "population": str(self.plan.population),
            "counts": self.counts,
        }


def draw_sample(db: sqlite3.Connection, plan: CurrentPlan, wanted: SamplePlan) -> Sample:
    """Draw from the candidates that the run's panel decided on.

    Raises `ConfigError` if there are none, or `wanted` asks for fewer than one item per cell.
    """
    if wanted.per_cell < 1:
        raise ConfigError(f"per_cell is {wanted.per_cell}: draw at least 1 item from each cell")
    words = ("accepted", "rejected") if wanted.population is Population.DECIDED else ("accepted",)
    rows = db.execute(
        "SELECT j.id, j.perturbation_class, j.intensity, d.acceptance FROM jobs j"
        " JOIN decisions d ON d.candidate_id = j.id AND d.panel = ? WHERE j.plan = ? AND j.outcome = 'candidate'",
        (plan.panel, plan.number),
    )
    pool = [(row[0], Cell(PerturbationClass(row[1]), Intensity(row[2]))) for row in rows if row[3] in words]
    if not pool:
        raise ConfigError(
            f"no candidate was {' or '.join(words)} yet: let `perturb build` finish, or draw --from decided"
        )
    return choose(pool, plan.cells, wanted)


def choose(pool: Iterable[tuple[str, Cell]], cells: Sequence[Cell], wanted: SamplePlan) -> Sample:
    """Draw uniformly within each cell, then shuffle the cells together.

    Every choice compares hashes of the seed and the candidate's id, so a larger `per_cell` adds items and takes none
    away.

    >>> cell = Cell(PerturbationClass.AMBIGUITY, Intensity.LOW)
    >>> pool = [(f"c{i}", cell) for i in range(9)]
    >>> few, more = (set(choose(pool, [cell], SamplePlan(n)).candidate_ids) for n in (3, 5))
    >>> few < more, len(more)
    (True, 5)
    """
    by_cell: defaultdict[Cell, list[str]] = defaultdict(list)
    for candidate_id, cell in pool:
        by_cell[cell].append(candidate_id)
    chosen = {
        candidate_id: cell
        for cell, ids in by_cell.items()
        for candidate_id in sorted(ids, key=lambda one: seed_of(wanted.seed, "review", one))[
            : wanted.per_cell
        ]
    }
    order = sorted(chosen, key=lambda one: seed_of(wanted.seed, "review order", one))
    counts = Counter(chosen.values())
    return Sample(wanted, tuple(order), {str(cell): counts[cell] for cell in cells})
