"""Models that answered the same questions, pair by pair, and the ranks that follow from such pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from perturb.metrics.calibrated_scores import paired_bas
from perturb.metrics.inputs import Estimate
from perturb.metrics.intervals import WeightedSum, reported_estimate
from perturb.metrics.resampling import bootstrap_means
from perturb.metrics.tetrachoric import paired_p_value
from perturb.scoring.confidence_table import ConfidenceGroup
from perturb.scoring.refusal_table import RefusalGroup
from perturb.scoring.score_report import holm

BEYOND_CHANCE = 0.05
"""A corrected p-value below this tells two models apart."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Uniform BAS of `a` minus that of `b` on the questions both have answered."""

    a: str
    b: str
    bas: Estimate
    p_value: float | None
    """Two-sided, from the interval: at the confidence level 1 - p, one of its ends is exactly 0. None without one."""


def compare_confidence(groups: Sequence[ConfidenceGroup], resamples: int, seed: int) -> Iterator[Difference]:
    """Every pair of groups on one data set whose tables say which question a row answers, and share some."""
    for a, b in combinations(groups, 2):
        if a.dataset != b.dataset or a.items is None or b.items is None:
            continue
        if len({*a.items}) < len(a.items) or len({*b.items}) < len(b.items):
            continue
        left, right = _shared(a.items, b.items)
        if not left:
            continue
        gap = paired_bas(
            a.correct[left],
            a.confidence[left],
            b.correct[right],
            b.confidence[right],
            None if a.bases is None else np.array(a.bases)[left],
            resamples=resamples,
            seed=seed,
        )
        p_value = gap.p_value() if isinstance(gap, WeightedSum) else None
        yield Difference(a.name, b.name, reported_estimate(gap), p_value)


def compare_refusals(a: RefusalGroup, b: RefusalGroup, resamples: int, seed: int) -> float | None:
    """Two-sided p-value of the Refusal Index being the same, on the questions that both groups hold.

    None where they share no question, or where an index has no standard error.
    """
    left, right = _shared(a.items, b.items)
    if not left:
        return None
    columns = np.hstack([a.cells[left], b.cells[right]]).astype(np.float64)
    bases = np.array(a.bases)[left]
    means = bootstrap_means(columns, clusters=bases, resamples=resamples, seed=seed)
    tables = np.maximum(np.vstack([columns.mean(axis=0), means]), 0.0) * len(left)
    return paired_p_value(tables[:, :4], tables[:, 4:], len({*bases}))


def common_ranks(
    values: Mapping[str, float | None], p_values: Mapping[tuple[str, str], float | None]
) -> dict[str, int | None]:
    """One more than the number of those that are better beyond chance, so that all who may be tied share a rank.

    `p_values` are those of all pairs; Holm's correction is applied here. Who has no value has no rank.

    >>> common_ranks({"a": 0.9, "b": 0.8, "c": 0.1}, {("a", "b"): 0.4, ("a", "c"): 0.001, ("b", "c"): 0.002})
    {'a': 1, 'b': 1, 'c': 3}
    """
    corrected = zip(p_values, holm(list(p_values.values())), strict=True)
    apart = {frozenset(pair) for pair, p in corrected if p is not None and p < BEYOND_CHANCE}
    defined = {name: value for name, value in values.items() if value is not None}
    return {
        name: 1
        + sum(defined[name] < other and frozenset((name, rival)) in apart for rival, other in defined.items())
        if name in defined
        else None
        for name in values
    }


def _shared(a: Sequence[str | None], b: Sequence[str | None]) -> tuple[list[int], list[int]]:
    """The places of the questions that both hold, pair by pair."""
    places = {item: place for place, item in enumerate(b) if item is not None}
    pairs = [(place, places[item]) for place, item in enumerate(a) if item in places]
    return [left for left, _ in pairs], [right for _, right in pairs]
