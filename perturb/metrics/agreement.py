"""Agreement among raters who pass or fail items: two raters, or a whole panel.

Votes are 1 (pass) and 0 (fail); a missing vote is None, NaN or masked, and counts as neither. The votes of a panel
have the shape (items, raters). Each public function returns an `Estimate`: the value and the number of items behind
it, or no value and the reason. All coefficients grow with agreement and are 1 when it is perfect.

Coefficients are computed from counts, which add up over items. The coefficient of a bootstrap resample is therefore
that of a weighted sum of counts, and one function serves the data and all resamples at once: counts have the shape
(…, counts), coefficients (…). Between these functions an undefined coefficient is NaN.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from perturb.metrics.inputs import Estimate, Flags, Floats, Integers, ratio


def read_votes(votes: Any, name: str = "votes") -> Floats:
    """Votes as floats: 1 passes, 0 fails, NaN if there is no vote. Takes None, NaN or a mask for a missing vote.

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


def pair_codes(a: Floats, b: Floats, kinds: int = 2) -> tuple[Flags, Integers]:
    """Whether both raters scored each item, and for the items that both scored, the cell of their k × k table.

    The raters' values are the numbers of `kinds` kinds, from 0, or NaN. Cells are numbered row by row: the cell of the
    values a and b is kinds × a + b.
    """
    both = ~np.isnan(a) & ~np.isnan(b)
    return both, (kinds * a[both] + b[both]).astype(np.int64)


def pair_counts(a: Floats, b: Floats) -> Floats:
    """How often two raters both passed, passed and failed, failed and passed, both failed: shape (4,).

    >>> pair_counts(np.array([1.0, 1.0, 0.0, np.nan]), np.array([1.0, 0.0, 0.0, 1.0])).tolist()
    [1.0, 1.0, 0.0, 1.0]
    """
    # a pass is the kind 0 of `pair_codes`, so passes come first
    _, codes = pair_codes(1 - a, 1 - b)
    return np.bincount(codes, minlength=4).astype(np.float64)


class PanelColumn(IntEnum):
    """The columns of `panel_counts`. Their sums over items give the coefficients of a panel."""

    PAIRED = 0
    """1 if the item has two votes or more."""
    AGREEING_SHARE = 1
    """The share of the pairs of votes that agree; 0 without a pair."""
    RATED = 2
    """1 if the item has a vote."""
    PASS_SHARE = 3
    """The share of the votes that pass; 0 without a vote."""
    COINCIDENCES = 4
    """The agreeing pairs, divided by the number of votes less one, as in Krippendorff's table of coincidences."""
    PASSES = 5
    """The number of votes that pass, on items with two votes or more."""
    VOTES = 6
    """The number of votes, on items with two votes or more."""


def panel_counts(votes: Floats) -> Floats:
    """The counts of each item that the coefficients of a whole panel are computed from: shape (items, columns).

    The columns are those of `PanelColumn`.
    """
    voters = (~np.isnan(votes)).sum(axis=1).astype(np.float64)
    passes = np.nansum(votes, axis=1)
    fails = voters - passes
    paired, rated = voters >= 2, voters >= 1
    # ordered pairs of votes: r votes of a kind make r (r - 1)
    agreeing = np.where(paired, passes * (passes - 1) + fails * (fails - 1), 0.0)
    counts = np.empty((len(votes), len(PanelColumn)))
    counts[:, PanelColumn.PAIRED] = paired
    counts[:, PanelColumn.AGREEING_SHARE] = agreeing / np.where(paired, voters * (voters - 1), 1.0)
    counts[:, PanelColumn.RATED] = rated
    counts[:, PanelColumn.PASS_SHARE] = passes / np.where(rated, voters, 1.0)
    counts[:, PanelColumn.COINCIDENCES] = agreeing / np.where(paired, voters - 1, 1.0)
    counts[:, PanelColumn.PASSES] = passes * paired
    counts[:, PanelColumn.VOTES] = voters * paired
    return counts


def pair_margins(counts: Floats) -> tuple[Floats, Floats]:
    """The number of times that each rater gave each kind, from their k × k table, row by row."""
    table = _square(counts)
    return table.sum(axis=-1), table.sum(axis=-2)


def pair_agreement(counts: Floats) -> Floats:
    """Share of items on which two raters agree."""
    return ratio(np.trace(_square(counts), axis1=-2, axis2=-1), counts.sum(axis=-1))


def _pair_chance_agreement(counts: Floats) -> Floats:
    """The agreement that two raters with these margins reach by chance: the sum over kinds of n_a n_b / n²."""
    n = counts.sum(axis=-1)
    margin_a, margin_b = pair_margins(counts)
    return ratio((margin_a * margin_b).sum(axis=-1), n * n)


def pair_kappa(counts: Floats) -> Floats:
    """Cohen's κ; undefined if a rater has no variance.

    >>> round(float(pair_kappa(np.array([20.0, 5, 0, 3, 10, 2, 1, 0, 9]))), 4)  # three kinds
    0.6486
    """
    n = counts.sum(axis=-1)
    margin_a, margin_b = pair_margins(counts)
    # a rater who gave only one kind has a margin of n
    both_vary = (margin_a.max(axis=-1) < n) & (margin_b.max(axis=-1) < n)
    kappa = _above_chance(pair_agreement(counts), _pair_chance_agreement(counts))
    return np.where(both_vary, kappa, np.nan)


def pair_kappa_floor(counts: Floats) -> Floats:
    """The lowest κ that two raters with these margins can have."""
    n = counts.sum(axis=-1)
    margin_a, margin_b = pair_margins(counts)
    # two raters who give a kind more than n times together must give it to some items together
    fewest_agreements = np.maximum(0, margin_a + margin_b - n[..., None]).sum(axis=-1)
    return _above_chance(ratio(fewest_agreements, n), _pair_chance_agreement(counts))


def pair_pabak(counts: Floats) -> Floats:
    """Prevalence- and bias-adjusted κ; of several kinds, the coefficient of Brennan and Prediger."""
    kinds = _square(counts).shape[-1]
    return np.asarray((kinds * pair_agreement(counts) - 1) / (kinds - 1))


def pair_ac1(counts: Floats) -> Floats:
    """Gwet's AC1 of two raters."""
    margin_a, margin_b = pair_margins(counts)
    share = ratio(margin_a + margin_b, 2 * counts.sum(axis=-1)[..., None])
    by_chance = (share * (1 - share)).sum(axis=-1) / (share.shape[-1] - 1)
    return _above_chance(pair_agreement(counts), by_chance)


def panel_agreement(counts: Floats) -> Floats:
    """Mean share of agreeing pairs of votes on an item."""
    return ratio(counts[..., PanelColumn.AGREEING_SHARE], counts[..., PanelColumn.PAIRED])


def panel_pabak(counts: Floats) -> Floats:
    """Prevalence- and bias-adjusted κ of a panel (Brennan and Prediger)."""
    return 2 * panel_agreement(counts) - 1


def panel_ac1(counts: Floats) -> Floats:
    """Gwet's AC1 of a panel."""
    prevalence = _panel_prevalence(counts)
    return _above_chance(panel_agreement(counts), 2 * prevalence * (1 - prevalence))


def panel_fleiss(counts: Floats) -> Floats:
    """Fleiss' κ of a panel; undefined if all votes are the same."""
    prevalence = _panel_prevalence(counts)
    return _above_chance(panel_agreement(counts), prevalence**2 + (1 - prevalence) ** 2)


def panel_alpha(counts: Floats) -> Floats:
    """Krippendorff's α for nominal votes; undefined if all votes are the same."""
    # α = 1 - observed / expected disagreement. Both are numbers of votes: of n votes, p pass, and votes drawn at random
    # would have 2 p (n - p) / (n - 1) in disagreeing pairs.
    passes, total = counts[..., PanelColumn.PASSES], counts[..., PanelColumn.VOTES]
    expected = ratio(2 * passes * (total - passes), total - 1)
    observed = total - counts[..., PanelColumn.COINCIDENCES]
    return 1 - ratio(observed, expected)


def _panel_prevalence(counts: Floats) -> Floats:
    """The mean share of passes among the votes on an item."""
    return ratio(counts[..., PanelColumn.PASS_SHARE], counts[..., PanelColumn.RATED])


def _square(counts: Floats) -> Floats:
    """The k × k tables of two raters from their cells, row by row: from shape (…, k²) to (…, k, k)."""
    kinds = math.isqrt(counts.shape[-1])
    return counts.reshape(*counts.shape[:-1], kinds, kinds)


def _above_chance(agreement: Floats, by_chance: Floats) -> Floats:
    """(p_o - p_e) / (1 - p_e); NaN if chance alone gives full agreement."""
    return ratio(agreement - by_chance, 1 - by_chance)


# The reasons why coefficients are undefined.
NO_PAIRS = "no item was scored by two raters or more"
NO_VARIANCE = "all votes are the same: chance agreement is 1"


def cohen_kappa(first: Any, second: Any) -> Estimate:
    """Cohen's κ of two raters on the items that both scored.

    Formula: (p_o − p_e) / (1 − p_e), with p_o the share of agreement and p_e the agreement that the raters' pass rates
    give by chance. Range: −1 to 1; 0 is chance. Undefined if a rater passed, or failed, every item: such votes do not
    show agreement beyond chance, and no convention sets it to 0 or 1. Low if almost all items pass, even if the raters
    hardly ever differ: read it together with `gwet_ac1`.

    Raises ValueError when a vote is neither 0 nor 1, or the columns differ in length.

    Reference: Cohen (1960), Educational and Psychological Measurement 20; RefusalBench, appendix E.1.

    >>> cohen_kappa([1, 1, 0, 0, None], [1, 0, 0, 0, 1]).value
    0.5
    >>> cohen_kappa([1, 1, 1], [1, 0, 1]).reason
    'the first rater passed every item'
    """
    a, b = read_votes(first, "first"), read_votes(second, "second")
    if a.ndim != 1 or a.shape != b.shape:
        raise ValueError(f"two columns of one length are expected, got shapes {a.shape} and {b.shape}")
    counts = pair_counts(a, b)
    n = int(counts.sum())
    reason = no_variance(counts, "the first rater", "the second rater")
    return Estimate.undefined(reason, n) if reason else Estimate(float(pair_kappa(counts)), n=n)


def kappa_half_width(n: float, kappa: float = 0.5, pass_rate: float = 0.85) -> float:
    """Half the expected width of a 95 % interval of Cohen's κ from n independent items.

    Formula: 1.96 √((1 − κ) ((1 − κ)(1 − 2κ) + κ (2 − κ) / (2 π (1 − π))) / n), for two raters with one pass rate π.

    Reference: Donner and Eliasziw (1992), Statistics in Medicine 11.

    >>> round(kappa_half_width(54), 2), round(kappa_half_width(100, kappa=0.0, pass_rate=0.5), 3)
    (0.32, 0.196)
    """
    bracket = (1 - kappa) * (1 - 2 * kappa) + kappa * (2 - kappa) / (2 * pass_rate * (1 - pass_rate))
    return 1.96 * float(np.sqrt((1 - kappa) * bracket / n))


class VoteWords(NamedTuple):
    """The words for items, votes and raters in messages."""

    item: str = "item"
    passed: str = "passed"
    failed: str = "failed"
    raters: str = "raters"


# The words of the public functions, which know nothing of verifiers or people.
PLAIN_WORDS = VoteWords()


def no_variance(counts: Floats, a: str, b: str, words: VoteWords = PLAIN_WORDS) -> str | None:
    """The reason why κ is undefined for a table of `pair_counts`, naming the raters; None if it is defined."""
    n = counts.sum()
    if n == 0:
        return f"no {words.item} was scored by both raters"
    pass_pass, pass_fail, fail_pass, _ = counts
    for name, passes in ((a, pass_pass + pass_fail), (b, pass_pass + fail_pass)):
        if passes == n:
            return f"{name} {words.passed} every {words.item}"
        if passes == 0:
            return f"{name} {words.failed} every {words.item}"
    return None


def raw_agreement(votes: Any) -> Estimate:
    """The share of agreeing pairs of votes on an item: the mean over the items with two votes or more.

    Formula: mean of Σ_k r_k (r_k − 1) / (r (r − 1)), with r_k votes of kind k out of r. Range: 0 to 1. Not
    adjusted for chance: two raters who pass every item agree fully.

    Raises ValueError when a vote is neither 0 nor 1.

    Reference: Fleiss (1971), Psychological Bulletin 76.

    >>> raw_agreement([[1, 1], [1, 0], [0, 0], [1, None]])
    Estimate(value=0.6666666666666666, low=None, high=None, se=None, n=3, reason=None)
    """
    return _of_panel(votes, panel_agreement, NO_PAIRS)


def pabak(votes: Any) -> Estimate:
    """Prevalence- and bias-adjusted κ: the κ of raters for whom pass and fail are equally common.

    Formula: 2 p_o − 1, with p_o the raw agreement. Range: −1 to 1. For more than two raters this is the coefficient of
    Brennan and Prediger.

    Raises ValueError when a vote is neither 0 nor 1.

    Reference: Byrt, Bishop and Carlin (1993), Journal of Clinical Epidemiology 46.

    >>> pabak([[1, 1], [1, 0], [0, 0], [1, 1]]).value
    0.5
    """
    return _of_panel(votes, panel_pabak, NO_PAIRS)


def gwet_ac1(votes: Any) -> Estimate:
    """Gwet's AC1: agreement beyond chance that does not collapse when almost all items pass.

    Formula: (p_o − p_e) / (1 − p_e) with p_e = 2 π (1 − π), π the mean pass share of the items. Range: −1 to 1.

    Raises ValueError when a vote is neither 0 nor 1.

    Reference: Gwet (2008), British Journal of Mathematical and Statistical Psychology 61.

    >>> votes = [[1, 1]] * 118 + [[1, 0]] * 5 + [[0, 1]] * 2
    >>> round(gwet_ac1(votes).value, 4), round(cohen_kappa(*zip(*votes)).value, 4)
    (0.9408, -0.0234)
    """
    return _of_panel(votes, panel_ac1, NO_PAIRS)


def fleiss_kappa(votes: Any) -> Estimate:
    """Fleiss' κ of a panel, in Gwet's form for items that not every rater scored.

    Formula: (p_o − p_e) / (1 − p_e) with p_e = π² + (1 − π)², π the mean pass share of the items. Range: −1 to 1.
    Undefined if all votes are the same.

    Raises ValueError when a vote is neither 0 nor 1.

    Reference: Fleiss (1971), Psychological Bulletin 76; Gwet (2014), Handbook of Inter-Rater Reliability.

    >>> round(fleiss_kappa([[1, 1, 1], [1, 1, 0], [0, 0, 0], [1, 0, 0]]).value, 4)
    0.3333
    """
    return _of_panel(votes, panel_fleiss, NO_VARIANCE)


def krippendorff_alpha(votes: Any) -> Estimate:
    """Krippendorff's α for nominal votes; suited to panels with missing votes.

    Formula: 1 − D_o / D_e, observed over expected disagreement among the votes of items with two votes or more.
    Range: at most 1; 0 is chance, with a correction for small samples. Undefined if all votes are the same.

    Raises ValueError when a vote is neither 0 nor 1.

    Reference: Krippendorff (2011), Computing Krippendorff's Alpha-Reliability.

    >>> round(krippendorff_alpha([[1, 1, 1], [1, 1, None], [0, 0, 0], [1, 0, 0]]).value, 4)
    0.6667
    """
    return _of_panel(votes, panel_alpha, NO_VARIANCE)


def _of_panel(votes: Any, coefficient: Callable[[Floats], Floats], reason: str) -> Estimate:
    """A coefficient of a panel, or the reason if it is undefined although items have two votes."""
    numbers = read_votes(votes)
    if numbers.ndim != 2:
        raise ValueError(f"votes must have the shape (items, raters), got {numbers.shape}")
    counts = panel_counts(numbers).sum(axis=0)
    value, n = float(coefficient(counts)), int(counts[PanelColumn.PAIRED])
    if n == 0:
        return Estimate.undefined(NO_PAIRS)
    return Estimate.undefined(reason, n) if np.isnan(value) else Estimate(value, n=n)
