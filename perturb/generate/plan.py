"""Crosses instances × cells × generators × replicates into jobs: pure, and seeded by the round."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from perturb.catalogue import Catalogue
from perturb.digests import digest, seed_of
from perturb.records import BaseInstance, Cell, Job

JOB_FORMAT = 1
"""Raised when the meaning of a job changes, so that old results are not taken for new ones."""


@dataclass(frozen=True, slots=True)
class PlanSettings:
    """What the plan of a round depends on, beside instances and catalogue."""

    round: str
    seed: int
    cells: tuple[Cell, ...]
    replicates: int
    generators: Mapping[str, str]
    """Generator name → fingerprint of everything that decides its replies."""
    assignable: Mapping[str, Mapping[Cell, tuple[str, ...]]]
    """Generator name → the levers that are named in advance, by cell; a generator without an entry chooses."""
    several: Mapping[str, str] = field(default_factory=dict)
    """As `generators`, for instances with several passages, which are asked about with templates of their own."""


def plan_jobs(
    settings: PlanSettings, instances: Sequence[tuple[str, BaseInstance]], catalogue: Catalogue
) -> Iterator[Job]:
    """Yield every job of the round; `instances` come with their content keys.

    Instances are the outer loop, so that a run that is cut short has touched every cell and generator alike.
    """
    cell_digests = {cell: catalogue.cell_digest(cell) for cell in settings.cells}
    for position, (key, instance) in enumerate(instances):
        fingerprints = settings.several if len(instance.passages) > 1 else settings.generators
        for replicate in range(settings.replicates):
            turn = position * settings.replicates + replicate
            for cell in settings.cells:
                for generator, fingerprint in fingerprints.items():
                    lever = _assigned_lever(settings, generator, cell, turn)
                    job_id = digest(
                        ("job", JOB_FORMAT, key, str(cell), cell_digests[cell], lever),
                        (generator, fingerprint, settings.round, settings.seed, replicate),
                    )
                    yield Job(job_id, instance.id, cell, generator, replicate, settings.round, lever)


def plan_digest(settings: PlanSettings, instance_keys: Sequence[str], catalogue: Catalogue) -> str:
    """Digest of everything the plan depends on: two equal plans have the same jobs."""
    return digest(
        (JOB_FORMAT, settings.round, settings.seed, settings.replicates, dict(settings.generators)),
        [catalogue.cell_digest(cell) for cell in settings.cells],
        {
            name: {str(c): levers for c, levers in cells.items()}
            for name, cells in settings.assignable.items()
        },
        list(instance_keys),
        *([dict(settings.several)] if settings.several else []),
    )


def _assigned_lever(settings: PlanSettings, generator: str, cell: Cell, turn: int) -> str | None:
    """The lever named for the `turn`-th job of a generator and cell: a seeded order, gone through again and again."""
    levers = settings.assignable.get(generator, {}).get(cell, ())
    if not levers:
        return None
    order = list(levers)
    random.Random(seed_of(settings.round, settings.seed, generator, str(cell))).shuffle(order)  # noqa: S311
    return order[turn % len(order)]
