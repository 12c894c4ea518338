"""Keeps benchmarks unseen: no base instance, lever or near duplicate of theirs goes into training data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from perturb.compare.freshness import Freshness, FreshnessIndex, measure_freshness
from perturb.compare.round_items import RoundItem, read_set
from perturb.errors import SourceError


class Exclusion:
    """The sets that training data may not touch, their levers among it unless `levers` says no.

    Raises `SnapshotError` or `SourceError` if one of the `sources` cannot be read.
    """

    def __init__(self, sources: Sequence[str], *, levers: bool = True) -> None:
        self.items = tuple(item for source in sources for item in read_set(source).items)
        self._levers = {item.lever for item in self.items} if levers else set()
        self._bases = {item.base_id for item in self.items}
        originals = {(one.original_query, one.original_context): original_of(one) for one in self.items}
        self._index = FreshnessIndex([*self.items, *originals.values()])

    def apply(self, items: Sequence[RoundItem]) -> tuple[list[RoundItem], dict[str, int]]:
        """The items that may be trained on, and how many of the others fall by base instance, lever, near duplicate.

        A base instance is known again by its id or by its text, should it have another id there. Raises `SourceError`
        if no item is left.
        """
        originals = {item.base_id: original_of(item) for item in items}
        bases = self._bases | {base for base, one in originals.items() if self._index.find(one)}
        reasons: Counter[str] = Counter()
        kept = []
        for item in items:
            if reason := self._reason(item, bases):
                reasons[reason] += 1
            else:
                kept.append(item)
        if not kept:
            counts = ", ".join(f"{n} by {reason}" for reason, n in reasons.items())
            way = " or give --keep-levers" if "lever" in reasons else ""
            raise SourceError(
                f"--exclude: all {len(items)} accepted items are excluded ({counts}): build from other questions{way}"
            )
        return kept, dict(reasons)

    def _reason(self, item: RoundItem, bases: set[str]) -> str | None:
        if item.base_id in bases:
            return "base instance"
        if item.lever in self._levers:
            return "lever"
        return "near duplicate" if self._index.find(item) else None

    def prove(self, written: Iterable[RoundItem]) -> Freshness:
        """What `perturb compare` says of the excluded sets and what was written.

        Raises `SourceError` if anything of the former is in the latter.
        """
        fresh = measure_freshness(self.items, list(written))
        if fresh.near or fresh.same_base:
            raise SourceError(
                f"--exclude: {fresh.near} near duplicates and {fresh.same_base} items of the same base instance are"
                " left: nothing was written"
            )
        return fresh


def original_of(item: RoundItem) -> RoundItem:
    """The item before it was perturbed; its change is not known, so that texts decide alone."""
    return replace(
        item, query=item.original_query, context=item.original_context, original_query="", original_context=""
    )
