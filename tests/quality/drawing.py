"""Draws items of the offline engine: accepted ones, which every offline check lets pass, or rejected ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from perturb.catalogue import Catalogue
from perturb.curate.curation import curate
from perturb.curate.source import SourceRequest
from perturb.digests import digest, fraction_of
from perturb.generate.by_rule import generate_by_rule
from perturb.records import ALL_CELLS, BaseInstance, Candidate, Cell, Job, JobOutcome
from perturb.rules.checks import CHECKS, judge_by_rule


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


def draw_items(source: Path, seed: int, per_cell: int, cells: Sequence[Cell] = ALL_CELLS) -> list[DrawnItem]:
    """Up to `per_cell` accepted items of each cell, every one of another instance; `seed` decides which.

    Raises `SourceError` if the source cannot be read.
    """
    instances = curate(SourceRequest(source)).instances
    catalogue = Catalogue.load()
    items: list[DrawnItem] = []
    for cell in cells:
        accepted = accepted_items(catalogue, instances, cell, seed)
        items += [item for item, _ in zip(accepted, range(per_cell), strict=False)]
    return items


def draw_rejected(
    source: Path, seed: int, per_check: int, cells: Sequence[Cell] = ALL_CELLS
) -> list[DrawnItem]:
    """Up to `per_check` items that each check rejects, the first check that does so counting; `seed` decides which.

    Raises `SourceError` if the source cannot be read.
    """
    instances = curate(SourceRequest(source)).instances
    catalogue = Catalogue.load()
    rejected = [
        item for cell in cells for item in _judged(catalogue, instances, cell, seed) if item.rejected_by
    ]
    rejected.sort(key=lambda item: fraction_of("draw", seed, item.digest))
    first = {check: [item for item in rejected if item.rejected_by[0] == check] for check in CHECKS}
    return [item for check in CHECKS for item in first[check][:per_check]]


def accepted_items(
    catalogue: Catalogue, instances: Sequence[BaseInstance], cell: Cell, seed: int
) -> Iterator[DrawnItem]:
    """The accepted items of one cell, one for each instance that yields any, in an order the seed decides."""
    return (item for item in _judged(catalogue, instances, cell, seed) if not item.rejected_by)


def _judged(
    catalogue: Catalogue, instances: Sequence[BaseInstance], cell: Cell, seed: int
) -> Iterator[DrawnItem]:
    """Every candidate of one cell with the checks that reject it, in an order the seed decides."""
    for instance in sorted(instances, key=lambda i: fraction_of("draw", seed, str(cell), i.id)):
        candidate = candidate_of(catalogue, instance, cell, seed)
        if candidate is not None:
            yield DrawnItem(instance, candidate, _rejecting(catalogue, instance, candidate))


def candidate_of(
    catalogue: Catalogue, instance: BaseInstance, cell: Cell, seed: int, lever: str | None = None
) -> Candidate | None:
    """What the engine makes of an instance, before the offline panel; None if it abstains or a check refuses."""
    job = Job(
        digest(instance.id, str(cell), seed),
        instance.id,
        cell,
        "rules",
        0,
        "quality",
        ((lever,),) if lever else None,
    )
    made = generate_by_rule(catalogue, job, instance, seed)
    return made.candidate if made.outcome is JobOutcome.CANDIDATE else None


def _rejecting(catalogue: Catalogue, instance: BaseInstance, candidate: Candidate) -> tuple[str, ...]:
    target = catalogue.classes[candidate.cell.perturbation_class].target
    return tuple(c for c in CHECKS if not judge_by_rule(c, instance, candidate, target).passed)
