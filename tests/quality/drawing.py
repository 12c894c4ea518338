"""Draws items of the offline engine: accepted ones, which every offline check lets pass, or rejected ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from perturb.building.generate import generate_by_rule
from perturb.building.offline.engine import DonorTable
from perturb.building.offline.judge import CHECKS, judge_by_rule
from perturb.catalogue.levers import Catalogue
from perturb.curation.curation import curate
from perturb.curation.source import SourceRequest
from perturb.files.resources import digest, fraction_of
from perturb.records import ALL_CELLS, BaseInstance, Candidate, Cell, Job, JobOutcome


@dataclass(frozen=True, slots=True)
class DrawnItem:
    """An accepted item beside what it was made of."""

    original: BaseInstance
    candidate: Candidate
    rejected_by: tuple[str, ...] = ()
    """The offline checks that let it not pass; empty for an accepted item."""

    @property
    def digest(self) -> str:
        """Names the item by all that a reader sees of it."""
        passages = [(passage.title, passage.text) for passage in self.candidate.passages]
        return digest(str(self.candidate.cell), self.candidate.lever, self.candidate.query, passages)


def draw_items(
    source: Path, seed: int, per_cell: int, cells: Sequence[Cell] = ALL_CELLS, per_lever: int | None = None
) -> list[DrawnItem]:
    """Up to `per_cell` accepted items of each cell, every one of another instance; `seed` decides which.

    With `per_lever`, up to so many of each lever instead. Raises `SourceError` if the source cannot be read.
    """
    drawing = Drawing.of(source, seed)
    items: list[DrawnItem] = []
    for cell in cells:
        if per_lever is None:
            items += islice(drawing.accepted(cell), per_cell)
            continue
        for lever in drawing.catalogue.levers_of(cell):
            if lever.rule is not None:
                items += islice(drawing.accepted(cell, lever.name), per_lever)
    return items


def draw_rejected(
    source: Path, seed: int, per_check: int, cells: Sequence[Cell] = ALL_CELLS
) -> list[DrawnItem]:
    """Up to `per_check` items that each check rejects, the first check that does so counting; `seed` decides which.

    Raises `SourceError` if the source cannot be read.
    """
    drawing = Drawing.of(source, seed)
    rejected = [item for cell in cells for item in drawing.judged(cell) if item.rejected_by]
    rejected.sort(key=lambda item: fraction_of("draw", seed, item.digest))
    first = {check: [item for item in rejected if item.rejected_by[0] == check] for check in CHECKS}
    return [item for check in CHECKS for item in first[check][:per_check]]


@dataclass(frozen=True)
class Drawing:
    """Base instances with their donors, from which items are made in an order that the seed decides."""

    catalogue: Catalogue
    instances: Sequence[BaseInstance]
    donors: DonorTable
    seed: int

    @classmethod
    def of(cls, source: Path, seed: int) -> Drawing:
        """The instances of a source. Raises `SourceError` if it cannot be read."""
        instances = curate(SourceRequest(source)).instances
        return cls(Catalogue.load(), instances, DonorTable.of(instances), seed)

    def accepted(self, cell: Cell, lever: str | None = None) -> Iterator[DrawnItem]:
        """The accepted items of one cell or lever, one for each instance that yields any."""
        return (item for item in self.judged(cell, lever) if not item.rejected_by)

    def judged(self, cell: Cell, lever: str | None = None) -> Iterator[DrawnItem]:
        """Every candidate of one cell or lever with the checks that reject it."""
        for instance in sorted(
            self.instances, key=lambda i: fraction_of("draw", self.seed, str(cell), lever or "", i.id)
        ):
            candidate = self.candidate(instance, cell, lever)
            if candidate is not None:
                yield DrawnItem(instance, candidate, self._rejecting(instance, candidate))

    def candidate(self, instance: BaseInstance, cell: Cell, lever: str | None = None) -> Candidate | None:
        """What the engine makes of an instance, before the offline panel; None if it abstains or a check refuses."""
        name = digest(instance.id, str(cell), self.seed)
        job = Job(name, instance.id, cell, "rules", 0, "quality", ((lever,),) if lever else None)
        made = generate_by_rule(self.catalogue, job, instance, self.seed, self.donors.lent_to(instance))
        return made.candidate if made.outcome is JobOutcome.CANDIDATE else None

    def _rejecting(self, instance: BaseInstance, candidate: Candidate) -> tuple[str, ...]:
        target = self.catalogue.classes[candidate.cell.perturbation_class].target
        return tuple(c for c in CHECKS if judge_by_rule(c, instance, candidate, target).passed is False)
