"""Keeps a build from repeating items of earlier rounds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from perturb.compare.freshness import FreshnessIndex
from perturb.compare.round_items import ComparedSet, RoundItem, read_set
from perturb.digests import digest
from perturb.records import NEAR_DUPLICATE, BaseInstance, Candidate


class PriorRounds:
    """The items of the sets that a build avoids.

    Raises `SnapshotError` or `SourceError` if one of the `sources` cannot be read.
    """

    def __init__(self, sources: Sequence[str]) -> None:
        self.sets: tuple[ComparedSet, ...] = tuple(read_set(source) for source in sources)

    @cached_property
    def digest(self) -> str:
        """Stands for all the texts to avoid: jobs that avoid others are other jobs."""
        texts = (f"{item.base_id}\n{item.query}\n{item.context}" for one in self.sets for item in one.items)
        return digest(sorted(texts))

    @cached_property
    def _index(self) -> FreshnessIndex:
        return FreshnessIndex(item for one in self.sets for item in one.items)

    def find_repeat(self, instance: BaseInstance, candidate: Candidate) -> str | None:
        """Why a candidate would be a near duplicate of an avoided item, in one line; None if it is fresh."""
        match = self._index.find(_item(instance, candidate))
        if match is None:
            return None
        return f"{NEAR_DUPLICATE} item '{match.id}' of an avoided set (similarity {match.similarity:.2f})"


def _item(instance: BaseInstance, candidate: Candidate) -> RoundItem:
    return RoundItem(
        id=candidate.id,
        base_id=instance.id,
        query=candidate.query,
        context=candidate.context,
        original_query=instance.query,
        original_context=instance.context,
        perturbation_class=str(candidate.cell.perturbation_class),
        intensity=str(candidate.cell.intensity),
        lever=candidate.lever,
        generator=candidate.generator,
    )
