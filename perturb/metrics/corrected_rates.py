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

What people say of a random sample of accepted items is combined with that: confidence distributions are added on the
scale of normal deviates, each weighted by how narrow its interval is.

References: Angelopoulos, Duchi and Zrnic (2023), arXiv 2311.01453; Fisch et al. (2024), arXiv 2406.04291, on strata;
Rogan and Gladen (1978), American Journal of Epidemiology 107; Lang and Reiczigel (2014), Preventive Veterinary
Medicine 113; Fay, Proschan and Brittain (2015), Biometrics 71, on melding; Singh, Xie and Strawderman (2005), Annals of
Statistics 33, on combining; Kish (1965), Survey Sampling, on effective sizes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from perturb.metrics.inputs import Estimate, Flags, Floats, Integers
from perturb.metrics.intervals import TAIL, t_quantile, wilson_interval

FEWEST_GRADES = 10
"""The fewest grades of judged replies with which a rate is corrected."""
SMALLEST_STRATUM = 5
"""Strata with fewer grades are merged."""


@dataclass(frozen=True)
class CorrectedRate:
    """A rate, or a weighted sum of rates, with what its interval is made of."""

    value: float
    influence: Floats
    """What each base instance adds to the error: shape (base instances); the squares sum to the variance."""
    floor: float
    """The variance that one more disagreement would add: the sample may have missed some."""
    n_human: int
    """Number of replies that people graded."""
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
        untuned, tuned = np.zeros(len(judge)), np.zeros(len(judge))
        value, moved, n = 0.0, 0.0, len(judge)
        for rows in _strata(graded, decided, strata):
            sample = rows & graded if decided[rows].any() else rows
            label = np.where(sample, human if decided[rows].any() else judge, 0.0)[sample]
            share, size = rows.sum() / n, sample.sum()
            # the judge's mean in the sample and in all, and people's mean in the sample
            by_judge, by_people = judge[sample].mean(), label.mean()
            value += share * by_people
            moved += share * (judge[rows].mean() - by_judge)
            spread = share / size * math.sqrt(size / max(size - 1, 1))
            untuned[rows] += by_people / n
            untuned[sample] += spread * (label - by_people)
            tuned[rows] += (judge[rows] - by_judge) / n
            tuned[sample] -= spread * (judge[sample] - by_judge)
        a = np.bincount(bases, untuned - value / n, minlength=total)
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
        observed = float(self.influence @ self.influence) * count / max(count - 1, 1)
        # half a disagreement more than were seen, and never fewer than two
        variance = max(observed + self.floor / 2, 2 * self.floor)
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


def combined(parts: Sequence[CorrectedRate], weights: Sequence[float]) -> CorrectedRate:
    """The weighted sum of rates over the same base instances, such as a mean or a difference.

    >>> rows = np.tile([1.0, 0.0], 20)
    >>> one = CorrectedRate.of(rows, rows, rows > -1, ["a"] * 40, np.arange(40), 40)
    >>> combined([one, one], [1.0, -1.0]).estimate().value
    0.0
    """
    if broken := [part for part in parts if part.reason]:
        return replace(broken[0], n_human=sum(part.n_human for part in parts))
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
    large_enough = [
        rows
        for rows in large
        if (rows & graded).sum() >= SMALLEST_STRATUM or not (rows & ~graded).any()  # graded in full
    ]
    remaining = decided & ~np.any([np.zeros_like(decided), *large_enough], axis=0)
    if remaining.any() and (remaining & graded).sum() < SMALLEST_STRATUM and large_enough:
        large_enough[0] = large_enough[0] | remaining
    elif remaining.any():
        large_enough.append(remaining)
    return [rows for rows in (*large_enough, ~decided) if rows.any()]


DRAWS = 20_000

CANNOT_TELL = "the panel cannot tell right from wrong: it passes planted faults as often as right items"

HARDER_TO_SEE = 6.0
"""So many times the odds of a planted fault may be those that a natural one is passed.

For a unanimous panel of three, if each verifier misses natural faults twice as often.
"""

CONTRADICTED = "people and planted items contradict each other: these are the figures of people"


@dataclass(frozen=True, slots=True)
class Share:
    """A count of hits among a number of trials; both may be effective numbers."""

    hits: float
    n: float

    @property
    def value(self) -> float:
        """The share, in [0, 1]."""
        return self.hits / self.n

    @property
    def misses(self) -> Share:
        """The share of the trials that are not hits."""
        return Share(self.n - self.hits, self.n)

    @classmethod
    def of_sample(cls, hits: Floats, weights: Floats, bases: Integers) -> Share:
        """The weighted share of hits (0 or 1), of as many independent trials as are as precise.

        Weights say how many items each one stands for; `bases` numbers the base instances. Both lower the number.

        >>> Share.of_sample(np.array([1.0, 0, 0, 0]), np.ones(4), np.arange(4))
        Share(hits=0.75, n=3.0)
        """
        weights = weights / weights.sum()
        share, n = float(weights @ hits), float(1 / (weights @ weights))
        sums = np.bincount(bases, weights * (hits - share))
        clusters = len(np.unique(bases))
        if 0 < share < 1 and clusters > 1:
            variance = float(sums @ sums) * clusters / (clusters - 1)
            n = min(n, share * (1 - share) / variance)
        return cls(share * n, n)

    def confidence(self, shares: Floats, *, upper: bool) -> Floats:
        """The confidence distribution of the upper or the lower limit, at these shares."""
        from scipy.special import betainc

        hits, misses = self.hits + upper, self.n - self.hits + (not upper)
        if hits <= 0 or misses <= 0:
            return (shares >= float(hits > 0)).astype(np.float64)
        return np.asarray(betainc(hits, misses, shares))

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
        # of next to no hits the inverse is exact to some 1e-12 only
        return Estimate(self.value, min(low, self.value), max(high, self.value), n=round(self.n))


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
        missing = [
            kind
            for kind, share in (("planted faults", false_passes.n), ("right items", right_passes.n))
            if not share
        ]
        reason = f"there are no {' and no '.join(missing)}" if missing else "nothing was accepted"
        return Estimate(None, None, 1.0, n=n, reason=reason)
    panel = false_passes, right_passes, accepted
    ends = _limits(*panel, items, seed)
    if ends is None:
        return Estimate(None, None, 1.0, n=n, reason=CANNOT_TELL)
    value = float(_wrong_share(*(np.array([share.value]) for share in panel))[0])
    low, high = float(np.quantile(ends[0], TAIL)), float(np.quantile(ends[1], 1 - TAIL))
    return Estimate(value, min(low, value), max(high, value), n=n)


def _limits(
    false_passes: Share, right_passes: Share, accepted: Share, items: int | None, seed: int, odds: float = 1.0
) -> tuple[Floats, Floats] | None:
    """Draws from the confidence distributions of the lower and upper limit; None if the panel cannot tell.

    For the upper limit, the odds of a false pass are multiplied by `odds`.
    """
    generator, panel = np.random.default_rng(seed), (false_passes, right_passes, accepted)
    f_high, s_high, a_high = (share.draws(generator, upper=True) for share in panel)
    f_low, s_low, a_low = (share.draws(generator, upper=False) for share in panel)
    if np.quantile(s_low - f_high, TAIL) <= 0:
        return None
    f_high = odds * f_high / (1 + (odds - 1) * f_high)
    lows, highs = _wrong_share(f_low, s_low, a_high), _wrong_share(f_high, s_high, a_low)
    if items:
        lows, highs = (generator.binomial(items, shares) / items for shares in (lows, highs))
    return lows, highs


def combined_wrong_share(
    false_passes: Share, right_passes: Share, accepted: Share, people: Share, items: int, seed: int = 0
) -> Estimate:
    """The same share from planted items and from the items that people found to be wrong (`people`), in [0, 1].

    People estimate it directly, planted items by way of the panel. Each gives a confidence distribution; the ends are
    where the weighted sum of their normal deviates is that of an end. Weights are inverse to the widths of the two
    intervals. Natural faults may be harder to see than planted ones: for the upper end, the odds that the panel passes
    them are `HARDER_TO_SEE` times as high. So the interval can be wider than by planted items alone.

    If the two contradict each other at the 5 % level, or the panel cannot tell right from wrong, the figures are those
    of people, and `reason` says so.

    >>> found = combined_wrong_share(Share(0, 40), Share(36, 36), Share(240, 250), Share(0, 60), 240)
    >>> found.value, found.high < Share(0, 60).estimate().high
    (0.0, True)
    """
    from scipy.special import ndtri

    panel = false_passes, right_passes, accepted
    planted, read = wrong_label_share(*panel, items, seed), people.estimate()
    limits = _limits(*panel, items, seed, HARDER_TO_SEE)
    if planted.value is None or limits is None or read.low is None or read.high is None:
        return replace(read, reason=planted.reason or read.reason)
    lows, highs = map(np.sort, limits)
    more = (1 - people.confidence(highs, upper=False)).mean()
    fewer = people.confidence(lows, upper=True).mean()
    if max(more, fewer) > 1 - TAIL:
        return replace(read, reason=CONTRADICTED)
    widths = [read.high - read.low, np.quantile(highs, 1 - TAIL) - np.quantile(lows, TAIL)]
    weights = 1 / np.maximum(widths, 1e-9)
    weights /= np.linalg.norm(weights)
    # Squared weights add up to 1, but for the last digit.
    value = min(1.0, float(weights**2 @ [read.value, planted.value]))
    grid = np.linspace(0.0, 1.0, DRAWS + 1)
    ends = []
    for tail, upper, draws in ((TAIL, False, lows), (1 - TAIL, True, highs)):
        levels = people.confidence(grid, upper=upper), np.searchsorted(draws, grid, side="right") / DRAWS
        deviates = ndtri(np.clip(levels, 1 / DRAWS, 1 - 1 / DRAWS))
        ends.append(float(grid[np.argmax(weights @ deviates >= ndtri(tail))]))
    return Estimate(value, min(ends[0], value), max(ends[1], value), n=planted.n + read.n)


def _wrong_share(f: Floats, s: Floats, a: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        among_all = np.where(s > f, np.clip((s - a) / (s - f), 0.0, 1.0), 1.0)
        return np.where(a > 0, np.clip(among_all * f / a, 0.0, 1.0), 1.0)
