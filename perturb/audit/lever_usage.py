"""Which levers the generators reach for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from perturb.audit.votes import VoteTable


@dataclass(frozen=True, slots=True)
class LeverUsage:
    """How one generator spreads its candidates over the levers."""

    generator: str
    n: int
    """Candidates that reached the panel."""
    levers: int
    """Different levers among them."""
    entropy: float
    """Shannon entropy of its levers, in bits."""
    entropy_within_cells: float
    """The same within a cell, averaged over its candidates: what it chose, as the cell is given to it."""
    never_chosen: tuple[str, ...]
    """Levers of the catalogue, or chosen by another generator, that it never used."""


def lever_usage(table: VoteTable) -> tuple[LeverUsage, ...]:
    """Lever usage of each generator that has candidates."""
    known = table.known_levers | {table.lever.names[code] for code in np.unique(table.lever.codes)}
    cells = table.perturbation_class.codes * len(table.intensity.names) + table.intensity.codes
    usages = []
    for number, name in enumerate(table.generator.names):
        mine = table.generator.codes == number
        if not mine.any():
            continue
        levers, counts = np.unique(table.lever.codes[mine], return_counts=True)
        pairs = np.unique(np.column_stack([cells, table.lever.codes])[mine], axis=0, return_counts=True)[1]
        in_cells = np.unique(cells[mine], return_counts=True)[1]
        chosen = {table.lever.names[code] for code in levers}
        usages.append(
            LeverUsage(
                generator=name,
                n=int(mine.sum()),
                levers=len(levers),
                entropy=_entropy(counts),
                entropy_within_cells=max(0.0, _entropy(pairs) - _entropy(in_cells)),
                never_chosen=tuple(sorted(known - chosen)),
            )
        )
    return tuple(usages)


def _entropy(counts: NDArray[np.integer]) -> float:
    shares = counts / counts.sum()
    return max(0.0, float(-(shares * np.log2(shares)).sum()))
