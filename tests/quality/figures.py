"""What a filled sheet says: shares per cell and per lever, with Wilson intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from perturb.metrics.intervals import wilson_interval
from perturb.records import ALL_CELLS, Intensity
from tests.quality.sheets import Reading

LABEL = "ground_truth_alignment"
"""The question whose yes means that an item is rightly labelled; at LOW, that its answer still stands."""


@dataclass(frozen=True, slots=True)
class Share:
    """How many of the items read have a property."""

    yes: int
    n: int

    @property
    def share(self) -> float:
        """Between 0 and 1."""
        return self.yes / self.n

    def __str__(self) -> str:
        """As in a table: "17/20 85 % (64-95)"."""
        low, high = wilson_interval(self.share, self.n)
        return f"{self.yes}/{self.n} {self.share:.0%} ({low * 100:.0f}-{high * 100:.0f})".replace("% ", " % ")


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of one group of items."""

    group: str
    fit: Share
    """All five answers are yes."""
    labelled: Share
    """The expected behaviour is the right one."""


def figures_of(group: str, readings: Sequence[Reading]) -> Figures:
    """The figures of a group that is not empty."""
    n = len(readings)
    return Figures(
        group,
        Share(sum(reading.fit for reading in readings), n),
        Share(sum(reading.answers[LABEL] for reading in readings), n),
    )


def figures_by_cell(readings: Sequence[Reading]) -> list[Figures]:
    """One entry for each cell that was read, then one for all LOW items, then one for all."""
    by_cell = {cell: [r for r in readings if r.cell == cell] for cell in ALL_CELLS}
    found = [figures_of(str(cell), own) for cell, own in by_cell.items() if own]
    low = [reading for reading in readings if reading.cell.intensity is Intensity.LOW]
    if low:
        found.append(figures_of("all LOW (label: the answer stands)", low))
    return [*found, figures_of("all", readings)]


def figures_by_check(readings: Sequence[Reading]) -> list[Figures]:
    """Of rejected items: one entry for each check that rejected any, by name; the fit ones were wronged."""
    checks = sorted({check for reading in readings for check in reading.rejected_by})
    return [figures_of(check, [r for r in readings if check in r.rejected_by]) for check in checks]


def figures_by_lever(readings: Sequence[Reading]) -> list[Figures]:
    """One entry for each lever that was read, by name."""
    levers = sorted({reading.lever for reading in readings})
    return [figures_of(lever, [r for r in readings if r.lever == lever]) for lever in levers]
