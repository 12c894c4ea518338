"""What has shifted from one round to the next: shares of cells, levers and generators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from perturb.compare.round_items import RoundItem

ASPECTS: dict[str, Callable[[RoundItem], str]] = {
    "cell": lambda item: item.cell,
    "lever": lambda item: item.lever,
    "generator": lambda item: item.generator,
}
"""What shares are taken of."""


@dataclass(frozen=True, slots=True)
class Share:
    """One value in both rounds."""

    name: str
    old: int
    new: int
    change: float
    """Share in the newer round minus share in the older one, from -1 to 1."""


@dataclass(frozen=True, slots=True)
class Shift:
    """The shares of one aspect."""

    distance: float
    """Total variation distance: the share of items that would have to change place, from 0 to 1."""
    shares: tuple[Share, ...]
    """The largest change first."""


def measure_shift(old: Sequence[RoundItem], new: Sequence[RoundItem]) -> dict[str, Shift]:
    """Shares of each of `ASPECTS` in both rounds; neither may be empty."""
    return {
        name: shift_of([read(item) for item in old], [read(item) for item in new])
        for name, read in ASPECTS.items()
    }


def shift_of(old: Sequence[str], new: Sequence[str]) -> Shift:
    """Compare the shares of values.

    >>> shift_of(["a", "a"], ["a", "b"]).distance
    0.5
    """
    before, after = Counter(old), Counter(new)
    shares = [
        Share(name, before[name], after[name], after[name] / len(new) - before[name] / len(old))
        for name in sorted(before | after)
    ]
    shares.sort(key=lambda share: -abs(share.change))
    return Shift(sum(abs(share.change) for share in shares) / 2, tuple(shares))
