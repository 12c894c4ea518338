"""The counts that agreement among raters is computed from, and the coefficients as functions of them.

Counts add up over items. So a coefficient of a bootstrap resample is the coefficient of a weighted sum of counts, and
one function serves the data and all resamples at once: counts have shape (…, counts), coefficients shape (…).
Inside this module an undefined coefficient is NaN; `perturb.metrics.agreement` turns it into None with the reason.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from perturb.metrics.inputs import Floats, ratio


def read_votes(votes: Any, name: str = "votes") -> Floats:
    """Votes as floats: 1 passes, 0 fails, NaN where there is none. Takes None, NaN or a mask for a missing vote.

    Raises ValueError when a vote is neither 0 nor 1.

    >>> read_votes([[True, False], [1, None]]).tolist()
    [[1.0, 0.0], [1.0, nan]]
    """
    try:
        numbers = np.asarray(np.ma.getdata(votes), dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must hold 0 and 1, or None where a vote is missing") from None
    if np.ma.isMaskedArray(votes):
        numbers = np.where(np.ma.getmaskarray(votes), np.nan, numbers)
    wrong = ~np.isnan(numbers) & (numbers != 0) & (numbers != 1)
    if wrong.any():
        raise ValueError(
            f"{name} must hold 0 and 1, or None where a vote is missing: got {numbers[wrong][0]:g}"
        )
    return numbers


def pair_codes(first: Floats, second: Floats, kinds: int = 2) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Which items both raters scored, and on those the cell of their table, row by row.

    Raters give one of `kinds` kinds, from 0; NaN where they gave none.
    """
    both = ~np.isnan(first) & ~np.isnan(second)
    return both, (kinds * first[both] + second[both]).astype(np.int64)


def pair_counts(first: Floats, second: Floats) -> Floats:
    """How often two raters both passed, passed and failed, failed and passed, both failed: shape (4,).

    >>> pair_counts(np.array([1.0, 1.0, 0.0, np.nan]), np.array([1.0, 0.0, 0.0, 1.0])).tolist()
    [1.0, 1.0, 0.0, 1.0]
    """
    return np.bincount(pair_codes(1 - first, 1 - second)[1], minlength=4).astype(np.float64)


def panel_counts(votes: Floats) -> Floats:
    """What each item adds to the coefficients of a whole panel: shape (items, 7).

    With r votes of which p pass, the columns are: r ≥ 2; the share of agreeing pairs of votes; r ≥ 1; p/r; the
    same agreeing pairs as they enter Krippendorff's coincidences; p where r ≥ 2; r where r ≥ 2.
    """
    r = (~np.isnan(votes)).sum(axis=1).astype(np.float64)
    p = np.nansum(votes, axis=1)
    paired, rated = r >= 2, r >= 1
    agreeing = np.where(paired, p * (p - 1) + (r - p) * (r - p - 1), 0.0)
    share = agreeing / np.where(paired, r * (r - 1), 1.0)
    coincidence = agreeing / np.where(paired, r - 1, 1.0)
    passed = p / np.where(rated, r, 1.0)
    return np.column_stack([paired, share, rated, passed, coincidence, p * paired, r * paired])


def pair_margins(counts: Floats) -> tuple[Floats, Floats]:
    """How often each of two raters gave each kind; `counts` is their table of k × k, row by row."""
    table = _square(counts)
    return table.sum(axis=-1), table.sum(axis=-2)


def pair_agreement(counts: Floats) -> Floats:
    """Share of items on which two raters agree."""
    return ratio(np.trace(_square(counts), axis1=-2, axis2=-1), counts.sum(axis=-1))


def pair_kappa(counts: Floats) -> Floats:
    """Cohen's κ; undefined where a rater has no variance.

    >>> round(float(pair_kappa(np.array([20.0, 5, 0, 3, 10, 2, 1, 0, 9]))), 4)  # three kinds
    0.6486
    """
    n = counts.sum(axis=-1)
    first, second = pair_margins(counts)
    varied = (first.max(axis=-1) < n) & (second.max(axis=-1) < n)
    by_chance = ratio((first * second).sum(axis=-1), n * n)
    return np.where(varied, _above_chance(pair_agreement(counts), by_chance), np.nan)


def pair_kappa_floor(counts: Floats) -> Floats:
    """The lowest κ that two raters who give each kind so often can have."""
    n = counts.sum(axis=-1)
    first, second = pair_margins(counts)
    fewest = np.maximum(0, first + second - n[..., None]).sum(axis=-1)
    return _above_chance(ratio(fewest, n), ratio((first * second).sum(axis=-1), n * n))


def pair_pabak(counts: Floats) -> Floats:
    """Prevalence- and bias-adjusted κ; of several kinds, the coefficient of Brennan and Prediger."""
    kinds = _square(counts).shape[-1]
    return np.asarray((kinds * pair_agreement(counts) - 1) / (kinds - 1))


def pair_ac1(counts: Floats) -> Floats:
    """Gwet's AC1 of two raters."""
    first, second = pair_margins(counts)
    share = ratio(first + second, 2 * counts.sum(axis=-1)[..., None])
    by_chance = (share * (1 - share)).sum(axis=-1) / (share.shape[-1] - 1)
    return _above_chance(pair_agreement(counts), by_chance)


def panel_agreement(counts: Floats) -> Floats:
    """Mean share of agreeing pairs of votes on an item."""
    return ratio(counts[..., 1], counts[..., 0])


def panel_pabak(counts: Floats) -> Floats:
    """Prevalence- and bias-adjusted κ of a panel (Brennan and Prediger)."""
    return 2 * panel_agreement(counts) - 1


def panel_ac1(counts: Floats) -> Floats:
    """Gwet's AC1 of a panel."""
    prevalence = ratio(counts[..., 3], counts[..., 2])
    return _above_chance(panel_agreement(counts), 2 * prevalence * (1 - prevalence))


def panel_fleiss(counts: Floats) -> Floats:
    """Fleiss' κ of a panel; undefined where all votes are the same."""
    prevalence = ratio(counts[..., 3], counts[..., 2])
    return _above_chance(panel_agreement(counts), prevalence**2 + (1 - prevalence) ** 2)


def panel_alpha(counts: Floats) -> Floats:
    """Krippendorff's α for nominal votes; undefined where all votes are the same."""
    passed, total = counts[..., 5], counts[..., 6]
    failed = total - passed
    expected = ratio(2 * passed * failed, total - 1)
    return 1 - ratio(total - counts[..., 4], expected)


def _square(counts: Floats) -> Floats:
    kinds = math.isqrt(counts.shape[-1])
    return counts.reshape(*counts.shape[:-1], kinds, kinds)


def _above_chance(agreement: Floats, by_chance: Floats) -> Floats:
    return ratio(agreement - by_chance, 1 - by_chance)
