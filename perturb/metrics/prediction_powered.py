"""Rates corrected by people: what a judge says of every reply, and what people say of a sample of them.

The judge's rate is moved by what people change in the sample, stratum by stratum (PPI++). A power-tuning parameter says
how much the judge's grades count: 1 where the judge agrees with people, 0 where its grades say nothing. The interval
rests on sums over base instances, and is Wilson's with the size that has the same variance.

Reference: Angelopoulos, Duchi and Zrnic (2023), arXiv 2311.01453; Fisch et al. (2024), arXiv 2406.04291, on strata.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from perturb.metrics.inputs import Estimate, Flags, Floats, Integers
from perturb.metrics.intervals import t_quantile, wilson_interval

FEWEST_GRADES = 10
"""With fewer grades of what a judge decided, nothing is corrected."""
SMALLEST_STRATUM = 5
"""Strata with fewer grades are put together."""


@dataclass(frozen=True)
class CorrectedRate:
    """A rate, or a weighted sum of rates, with what its interval is made of."""

    value: float
    influence: Floats
    """What each base instance adds to the error: shape (base instances); the squares sum to the variance."""
    floor: float
    """The variance that one more disagreement would add: the sample may have missed some."""
    n_human: int
    """Replies that people graded."""
    clusters: int
    """Base instances with a reply that counts, or with a grade of one where a judge decided: the smaller number."""
    low: float = 0.0
    high: float = 1.0
    reason: str | None = None
    """Why there is no value."""

    @classmethod
    def of(
        cls, judge: Floats, human: Floats, decided: Flags, strata: Sequence[str], bases: Integers, total: int
    ) -> CorrectedRate:
        """From one row for each reply that the rate counts.

        `judge` holds 0 or 1, `human` the same and NaN where no person graded the reply. `decided` is False for replies
        that were graded by rule, which are taken as they are. `strata` names the group of each reply, `bases` numbers
        base instances from 0 to `total` - 1.

        >>> rows = np.tile([1.0, 0.0], 20)
        >>> one = CorrectedRate.of(rows, rows, rows > -1, ["a"] * 40, np.arange(40), 40)
        >>> one.value, one.n_human
        (0.5, 40)
        """
        graded = ~np.isnan(human) & decided
        n_human = int(graded.sum())
        if not len(judge):
            return cls._undefined("no reply counts", total)
        if decided.any() and n_human < min(FEWEST_GRADES, int(decided.sum())):
            reason = (
                f"people graded {n_human} of the replies that a judge decided: {FEWEST_GRADES} are needed"
            )
            return cls._undefined(reason, total, n_human)
        alone, tuned = np.zeros(len(judge)), np.zeros(len(judge))
        value, moved, n = 0.0, 0.0, len(judge)
        for rows in _strata(graded, decided, strata):
            sample = rows & graded if decided[rows].any() else rows
            said = np.where(sample, human if decided[rows].any() else judge, 0.0)[sample]
            share, size = rows.sum() / n, sample.sum()
            # the judge's mean in the sample and in all, and people's mean in the sample
            by_judge, by_people = judge[sample].mean(), said.mean()
            value += share * by_people
            moved += share * (judge[rows].mean() - by_judge)
            spread = share / size * math.sqrt(size / max(size - 1, 1))
            alone[rows] += by_people / n
            alone[sample] += spread * (said - by_people)
            tuned[rows] += (judge[rows] - by_judge) / n
            tuned[sample] -= spread * (judge[sample] - by_judge)
        a = np.bincount(bases, alone - value / n, minlength=total)
        b = np.bincount(bases, tuned - moved / n, minlength=total)
        weight = float(np.clip(-(a @ b) / (b @ b), 0, 1)) if b @ b > 0 else 1.0
        clusters = len(np.unique(bases))
        if n_human:
            clusters = min(clusters, len(np.unique(bases[graded])))
        floor = (decided.mean() / n_human) ** 2 if 0 < n_human < decided.sum() else 0.0
        return cls(float(value + weight * moved), a + weight * b, floor, n_human, clusters)

    @classmethod
    def _undefined(cls, reason: str, total: int, n_human: int = 0) -> CorrectedRate:
        return cls(math.nan, np.zeros(total), 0.0, n_human, 0, reason=reason)

    def estimate(self) -> Estimate:
        """The value with its 95 % interval; `n` is the number of human grades."""
        if self.reason:
            return Estimate.undefined(self.reason, self.n_human)
        value = min(max(self.value, self.low), self.high)
        if self.clusters < 2:
            return Estimate(value, n=self.n_human, reason="there is only one base instance")
        count = np.count_nonzero(self.influence) or self.clusters
        seen = float(self.influence @ self.influence) * count / max(count - 1, 1)
        # half a disagreement more than were seen, and never fewer than two
        variance = max(seen + self.floor / 2, 2 * self.floor)
        if self.low < 0:
            reach = t_quantile(self.clusters) * math.sqrt(variance)
            ends = value - reach, value + reach
        else:
            # the share is moved towards a half, so that it has a variance at 0 and 1
            size = max(self.n_human, self.clusters)
            share = (value * size + 1) / (size + 2)
            trials = min(share * (1 - share) / variance, size * 1e6) if variance else float(size)
            ends = wilson_interval(value, trials, t_quantile(self.clusters))
        return Estimate(
            value, max(ends[0], self.low), min(ends[1], self.high), math.sqrt(variance), self.n_human
        )


@dataclass(frozen=True)
class GradingStrata:
    """The strata of a score that people are to grade: what each adds to its variance, by the number of grades.

    Neyman's allocation: grades go where weight times spread is largest. References: Neyman (1934), Journal of the Royal
    Statistical Society 97; Fisch et al. (2024), arXiv 2406.04291.
    """

    sizes: Integers
    """Replies that a judge decided, shape (strata,); so are the others."""
    weights: Floats
    """The part of the score that rests on them."""
    spreads: Floats
    """Standard deviation of judge minus human."""
    graded: Integers
    """Grades that are there."""
    rates: Integers
    """The number of the rate that a stratum belongs to; a score may be made of several."""
    variance: float
    """Of the score, if people graded everything."""
    bases: int
    """Base instances."""

    def counts(self, pace: float) -> Integers:
        """Grades by stratum, those that are there included; more with a larger `pace`."""
        # with fewer in a stratum, too few disagreements are seen to know its variance
        least = np.maximum(FEWEST_GRADES, self.graded)
        wanted = np.maximum(np.ceil(pace * self.weights * self.spreads), least)
        return np.minimum(wanted, self.sizes).astype(np.int64)

    def half_width(self, counts: Integers) -> float:
        """Half of the 95 % interval that so many grades give, as `CorrectedRate` would have it."""
        added = (self.weights * self.spreads) ** 2 * (1 / counts - 1 / self.sizes)
        floor = 0.0
        for rate in np.unique(self.rates):
            rows = self.rates == rate
            if counts[rows].sum() < self.sizes[rows].sum():
                floor += float(self.weights[rows].sum() / counts[rows].sum()) ** 2
        variance = max(self.variance + float(added.sum()) + floor / 2, 2 * floor)
        return t_quantile(max(min(self.bases, int(counts.sum())), 2)) * math.sqrt(variance)

    def fewest(self, half_width: float) -> Integers | None:
        """As few grades as give at most this half width; None if not even all of them do.

        >>> strata = GradingStrata(
        ...     *(np.array(one) for one in ([400, 400], [0.5, 0.5], [0.4, 0.1], [0, 0], [0, 0])), 1e-4, 100
        ... )
        >>> strata.fewest(0.04).tolist(), strata.fewest(0.01)
        ([128, 32], None)
        """
        if self.half_width(self.sizes) > half_width:
            return None
        low, high = 0.0, float((self.sizes / np.maximum(self.weights * self.spreads, 1e-9)).max())
        if self.half_width(self.counts(low)) <= half_width:
            return self.counts(low)
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (
                (low, middle) if self.half_width(self.counts(middle)) <= half_width else (middle, high)
            )
        return self.counts(high)


def combined(parts: Sequence[CorrectedRate], weights: Sequence[float]) -> CorrectedRate:
    """The weighted sum of rates over the same base instances, such as a mean or a difference.

    >>> rows = np.tile([1.0, 0.0], 20)
    >>> one = CorrectedRate.of(rows, rows, rows > -1, ["a"] * 40, np.arange(40), 40)
    >>> combined([one, one], [1.0, -1.0]).estimate().value
    0.0
    """
    if broken := [one for one in parts if one.reason]:
        return replace(broken[0], n_human=sum(one.n_human for one in parts))
    return CorrectedRate(
        float(sum(weight * one.value for one, weight in zip(parts, weights, strict=True))),
        np.asarray(sum(weight * one.influence for one, weight in zip(parts, weights, strict=True))),
        sum(weight**2 * one.floor for one, weight in zip(parts, weights, strict=True)),
        sum(one.n_human for one in parts),
        min(one.clusters for one in parts),
        sum(
            weight * (one.low if weight > 0 else one.high) for one, weight in zip(parts, weights, strict=True)
        ),
        sum(
            weight * (one.high if weight > 0 else one.low) for one, weight in zip(parts, weights, strict=True)
        ),
    )


def _strata(graded: Flags, decided: Flags, names: Sequence[str]) -> list[Flags]:
    """The rows of each stratum: those graded by rule, then those decided by a judge; small ones are put together."""
    labels = np.array(names, dtype=str)
    large = [decided & (labels == name) for name in np.unique(labels[decided])]
    kept = [
        rows
        for rows in large
        if (rows & graded).sum() >= SMALLEST_STRATUM or not (rows & ~graded).any()  # graded in full
    ]
    rest = decided & ~np.any([np.zeros_like(decided), *kept], axis=0)
    if rest.any() and (rest & graded).sum() < SMALLEST_STRATUM and kept:
        kept[0] = kept[0] | rest
    elif rest.any():
        kept.append(rest)
    return [rows for rows in (*kept, ~decided) if rows.any()]
