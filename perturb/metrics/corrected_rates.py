"""Rates corrected by items about which the truth is known: replies that people graded, and planted items.

What people say of a sample of replies moves a judge's rate, stratum by stratum (PPI++). A power-tuning parameter says
how much the judge's grades count: 1 where the judge agrees with people, 0 where its grades say nothing. The interval
rests on sums over base instances, and is Wilson's with the size that has the same variance.

What a panel makes of planted items says how many labels are wrong. A panel accepts a share `a` of all candidates, a
share `f` of items with a wrong label (false passes), and a share `s` of right ones. The share of wrong labels among
the candidates is w = (s - a) / (s - f), and among those accepted q = w f / a. Nothing is assumed of the panel's
members: `f` and `s` are shares of joint verdicts. Intervals are melded: each share has a confidence distribution, the
one that gives Clopper and Pearson's limits, and an end of the interval is a quantile of q over draws from them. It
keeps its level since q only rises, or only falls, with each share.

References: Angelopoulos, Duchi and Zrnic (2023), arXiv 2311.01453; Fisch et al. (2024), arXiv 2406.04291, on strata;
Rogan and Gladen (1978), American Journal of Epidemiology 107; Lang and Reiczigel (2014), Preventive Veterinary
Medicine 113; Fay, Proschan and Brittain (2015), Biometrics 71, on melding.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from perturb.metrics.inputs import Estimate, Flags, Floats, Integers
from perturb.metrics.intervals import TAIL, t_quantile, wilson_interval

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
    pairs = list(zip(weights, parts, strict=True))
    return CorrectedRate(
        float(sum(weight * part.value for weight, part in pairs)),
        np.asarray(sum(weight * part.influence for weight, part in pairs)),
        sum(weight**2 * part.floor for weight, part in pairs),
        sum(part.n_human for part in parts),
        min(part.clusters for part in parts),
        sum(weight * (part.low if weight > 0 else part.high) for weight, part in pairs),
        sum(weight * (part.high if weight > 0 else part.low) for weight, part in pairs),
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


DRAWS = 20_000

CANNOT_TELL = "the panel cannot tell right from wrong: it passes planted faults as often as right items"


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many; both may be effective numbers."""

    hits: float
    n: float

    @property
    def value(self) -> float:
        """The share, in [0, 1]."""
        return self.hits / self.n

    @property
    def misses(self) -> Share:
        """The share of the others."""
        return Share(self.n - self.hits, self.n)

    def draws(self, generator: np.random.Generator, *, upper: bool) -> Floats:
        """Draws from the confidence distribution of the upper or the lower limit."""
        hits, misses = self.hits + upper, self.n - self.hits + (not upper)
        if hits <= 0 or misses <= 0:
            return np.full(DRAWS, 0.0 if hits <= 0 else 1.0)
        return generator.beta(hits, misses, DRAWS)

    def estimate(self) -> Estimate:
        """The share with Clopper and Pearson's 95 % interval.

        >>> Share(0, 24).estimate().high.__round__(3)
        0.142
        """
        from scipy.special import betaincinv

        if not self.n:
            return Estimate.undefined("nothing of the kind was scored")
        low = float(betaincinv(self.hits, self.n - self.hits + 1, TAIL)) if self.hits else 0.0
        high = float(betaincinv(self.hits + 1, self.n - self.hits, 1 - TAIL)) if self.hits < self.n else 1.0
        return Estimate(self.value, low, high, n=round(self.n))


def wrong_label_share(
    false_passes: Share, right_passes: Share, accepted: Share, items: int | None = None, seed: int = 0
) -> Estimate:
    """The share of wrong labels among accepted candidates, in [0, 1], with its 95 % interval.

    `false_passes` are planted faults that the panel accepts, `right_passes` right items that it accepts, `accepted`
    candidates of the round that it accepts. With `items`, the interval is for the share among so many accepted items,
    which chance moves too; else for the share in the long run. Undefined, with 1 as upper end, if the panel passes
    faults as readily as right items.

    >>> found = wrong_label_share(Share(2, 40), Share(36, 36), Share(230, 250))
    >>> round(found.value, 4), found.low < found.value < found.high
    (0.0046, True)
    """
    n = round(false_passes.n)
    if not (false_passes.n and right_passes.n and accepted.hits):
        lacking = [
            what
            for what, share in (("planted faults", false_passes.n), ("right items", right_passes.n))
            if not share
        ]
        reason = f"there are no {' and no '.join(lacking)}" if lacking else "nothing was accepted"
        return Estimate(None, None, 1.0, n=n, reason=reason)
    generator = np.random.default_rng(seed)
    panel = false_passes, right_passes, accepted
    f_high, s_high, a_high = (share.draws(generator, upper=True) for share in panel)
    f_low, s_low, a_low = (share.draws(generator, upper=False) for share in panel)
    if np.quantile(s_low - f_high, TAIL) <= 0:
        return Estimate(None, None, 1.0, n=n, reason=CANNOT_TELL)
    value = float(_wrong_share(*(np.array([share.value]) for share in panel))[0])
    lows, highs = _wrong_share(f_low, s_low, a_high), _wrong_share(f_high, s_high, a_low)
    if items:
        lows, highs = (generator.binomial(items, shares) / items for shares in (lows, highs))
    low, high = float(np.quantile(lows, TAIL)), float(np.quantile(highs, 1 - TAIL))
    return Estimate(value, min(low, value), max(high, value), n=n)


def _wrong_share(f: Floats, s: Floats, a: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        among_all = np.where(s > f, np.clip((s - a) / (s - f), 0.0, 1.0), 1.0)
        return np.where(a > 0, np.clip(among_all * f / a, 0.0, 1.0), 1.0)


def effective_votes(errors: Floats, seed: int = 0, resamples: int = 1000) -> Estimate:
    """How many independent verifiers err as rarely together: k / (1 + (k - 1) r), r the mean correlation of errors.

    `errors` has a row for each item about which the truth is known and a column for each of k verifiers: 1 where it
    erred. In [1, k]; undefined where fewer than two verifiers erred. Reference: Kish (1965), Survey Sampling.

    >>> alike = np.array([[1, 1], [0, 0], [1, 1], [0, 0]], dtype=float)
    >>> effective_votes(alike).value
    1.0
    """
    n, members = errors.shape
    if members < 2:
        return Estimate.undefined("the panel has one verifier", n)
    value = _effective(errors)
    if value is None:
        return Estimate.undefined("fewer than two verifiers erred on planted items", n)
    generator = np.random.default_rng(seed)
    again = [_effective(errors[generator.integers(0, n, n)]) for _ in range(resamples)]
    defined = [one for one in again if one is not None]
    low, high = np.quantile(defined, [TAIL, 1 - TAIL])
    return Estimate(value, float(min(low, value)), float(max(high, value)), n=n)


def _effective(errors: Floats) -> float | None:
    members = errors.shape[1]
    varied = errors[:, errors.std(axis=0) > 0]
    if varied.shape[1] < 2:
        return None
    correlation = np.atleast_2d(np.corrcoef(varied, rowvar=False))
    pairs = correlation[np.triu_indices(varied.shape[1], 1)]
    return float(members / (1 + (members - 1) * max(float(pairs.mean()), 0.0)))
