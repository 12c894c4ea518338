"""Repeats of items with other words here and there, and how many of them are found."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from perturb.snapshots.freshness import TEXT_THRESHOLD, FreshnessIndex, RoundItem, _shingles, _words, jaccard


def reworded(item: RoundItem, words: int, rng: random.Random) -> RoundItem:
    """The item with so many words of its context, anywhere in it, put otherwise."""
    split = item.context.split()
    for place in rng.sample(range(len(split)), min(words, len(split))):
        split[place] = f"other{place}"
    return replace(item, context=" ".join(split))


def alike(one: RoundItem, other: RoundItem) -> bool:
    """Whether the texts are near duplicates by the Jaccard similarity of their shingles."""
    return jaccard(_shingles(_words(one)), _shingles(_words(other))) >= TEXT_THRESHOLD


def recall(items: Sequence[RoundItem], words: int, seed: int = 0) -> tuple[int, int]:
    """How many repeats, one of each item with so many other words, are alike, and how many of those are found."""
    rng = random.Random(seed)
    index = FreshnessIndex(items)
    repeats = [(item, reworded(item, words, rng)) for item in items]
    near = [(one, again) for one, again in repeats if alike(one, again)]
    return len(near), sum(index.find(again) is not None for _, again in near)
