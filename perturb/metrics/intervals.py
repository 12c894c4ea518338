"""Confidence intervals: Wilson's interval for an effective number of trials, on the range that a value can have.

A bootstrap shows how far a value moves when other base instances are drawn. It shows nothing if all rows are equal:
with 30 passes of 30 its interval has no width. Wilson's interval takes the ends of the range into account. A share p
with a clustered variance v is as precise as p (1 - p) / v independent trials, but never as more trials than there
are. If there are too few events to tell, the items of a base instance are assumed to be equal. Student's t, with one
degree of freedom less than there are base instances, replaces the normal quantile.

A difference, or another weighted sum, combines the intervals of its parts with the correlation of their replicates
(MOVER). P-values follow from the same intervals: at the confidence level 1 - p, one end of the interval of the
difference is exactly 0. `tests/measurements.md` has the simulations.

References: Wilson (1927); Korn and Graubard (1998), Survey Methodology 24, for effective sizes with t quantiles;
Newcombe (1998) and Zou and Donner (2008), Statistics in Medicine 17 and 27, for differences.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from perturb.metrics.inputs import Estimate, Floats, Integers

# The probability beyond each end of a 95 % interval.
TAIL = 0.025
# Normal quantile of a 95 % interval.
Z = 1.959963984540054
# The weight, in events, of the assumption that the items of a base instance are equal.
ALIKE_EVENTS = 2
# The smallest tail for which an interval is computed. A p-value that would be smaller is reported as twice this.
SMALLEST_TAIL = 1e-12
# Steps of the search for a p-value. The logarithm of its tail is between ln(1e-12) and ln(0.5), a range of 27, so the
# relative error is below 3e-8.
HALVINGS = 30
# If a smaller share of the resamples defines a statistic, the note of its estimate says so.
MIN_DEFINED_SHARE = 0.95
# The reasons why an estimate has no interval.
ONE_CLUSTER = "no interval: everything comes from one base instance"
FEW_DEFINED = "no interval: the statistic is undefined in the resamples"


def wilson_interval(share: float, n: float, critical: float = Z) -> tuple[float, float]:
    """Wilson's interval of a share among n independent trials; n may be an effective number.

    Reference: Wilson (1927), Journal of the American Statistical Association 22.

    >>> low, high = wilson_interval(1.0, 10)
    >>> round(low, 4), high
    (0.7225, 1.0)
    """
    # With z the critical value: (p + z²/2n ± z √(p (1 - p) / n + z²/4n²)) / (1 + z²/n)
    squared = critical * critical
    centre = share + squared / (2 * n)
    spread = critical * math.sqrt(share * (1 - share) / n + squared / (4 * n * n))
    scale = 1 + squared / n
    low, high = (centre - spread) / scale, (centre + spread) / scale
    return (0.0 if share == 0 else low, 1.0 if share == 1 else high)


def bisect(
    holds: Callable[[float], bool], inside: float, outside: float, halvings: int
) -> tuple[float, float]:
    """The border of a condition that holds at `inside` and not at `outside`: the nearest points on both sides of it.

    scipy.optimize has this too, but takes long to import.

    >>> [round(x, 3) for x in bisect(lambda x: x * x < 2, 0.0, 2.0, 20)]
    [1.414, 1.414]
    """
    for _ in range(halvings):
        middle = (inside + outside) / 2
        if holds(middle):
            inside = middle
        else:
            outside = middle
    return inside, outside


def t_quantile(clusters: int, tail: float = TAIL) -> float:
    """The quantile of Student's t that replaces the normal quantile, for this number of base instances.

    >>> round(t_quantile(10), 3)
    2.262
    """
    from scipy.special import stdtrit

    return float(stdtrit(clusters - 1, 1 - tail))


def clustered_se(spread: float, clusters: int) -> float:
    """The standard error from the standard deviation of bootstrap replicates: few clusters vary too little."""
    return spread * math.sqrt(clusters / (clusters - 1))


def effective_size(share: float, variance: float, n: float, clusters: int) -> float:
    """The number of independent trials that is as informative as n trials in clusters.

    `variance` is the clustered variance of the share. The effective number is n divided by the larger of two design
    effects. The observed one is the variance divided by that of independent trials. The assumed one takes the place of
    observations that are missing: without any event (a trial of the rarer kind) it is the size of a cluster, as if the
    items of a cluster were equal. It falls to 1 as the events become many.

    >>> effective_size(1.0, 0.0, n=60, clusters=20), round(effective_size(0.5, 0.25 / 30, n=60, clusters=20), 6)
    (20.0, 30.0)
    """
    # a share of exactly 0 or 1 has a binomial variance of 0, by which nothing can be divided
    inner = min(max(share, 0.5 / n), 1 - 0.5 / n)
    events = n * min(share, 1 - share)
    assumed_effect = 1 + max(n / clusters - 1, 0.0) * ALIKE_EVENTS / (ALIKE_EVENTS + events)
    observed_effect = variance * n / (inner * (1 - inner))
    return n / max(assumed_effect, observed_effect)


@dataclass(frozen=True, slots=True)
class Bounded:
    """A value in a known range, as precise as a share of `size` independent trials."""

    value: float
    size: float
    """The effective number of independent trials."""
    clusters: int
    """The number of base instances behind the value."""
    low: float
    """The lower end of the range."""
    high: float
    """The upper end of the range."""
    se: float
    """Standard error."""
    n: int
    """The number of items, as it is reported."""
    note: str | None
    """A caution about the interval, for the `reason` of the estimate."""
    replicates: Floats
    """The value in each resample, shape (resamples,); NaN where a resample does not define it."""
    drift: float = 0.0
    """The part of the standard error that comes from the range: other items have other ranges."""
    span: tuple[float, float] = (-math.inf, math.inf)
    """The lowest and the highest value that any item can have."""

    @classmethod
    def of(
        cls,
        value: float,
        replicates: Floats,
        n: int,
        *,
        clusters: int,
        low: float = 0.0,
        high: float = 1.0,
        trials: float | None = None,
    ) -> Bounded | Estimate:
        """The value with its precision, from bootstrap replicates; an `Estimate` with a reason if they are too few.

        `clusters` is the number of base instances behind the value. `trials` is the number of independent trials that
        the value would be worth if clusters did not matter; None means n.
        """
        low, high, clusters = float(low), float(high), int(clusters)
        defined = replicates[~np.isnan(replicates)]
        if clusters < 2 or not len(replicates):
            return Estimate(value, n=n, reason=ONE_CLUSTER)
        if len(defined) < 2:
            return Estimate(value, n=n, reason=FEW_DEFINED)
        se = clustered_se(float(defined.std(ddof=1)), clusters)
        reach = high - low
        share = min(max((value - low) / reach, 0.0), 1.0)
        worth = max(float(n if trials is None else trials), 1.0)
        size = effective_size(share, (se / reach) ** 2, worth, clusters)
        note = None
        if len(defined) < MIN_DEFINED_SHARE * len(replicates):
            note = f"interval from the {len(defined)} of {len(replicates)} resamples in which it is defined"
        return cls(value, size, clusters, low, high, se, n, note, replicates)

    @classmethod
    def of_mean(
        cls,
        value: float,
        replicates: Floats,
        n: int,
        *,
        codes: Integers | None,
        lows: Floats,
        highs: Floats,
        counts: Floats | None = None,
    ) -> Bounded | Estimate:
        """The same for a mean of items that each have their own range, from `lows` to `highs`.

        Such a mean is a weighted share: the weight of an item is the width of its range. `codes` number the base
        instances of the items; None means that each item has its own. `counts` says how many items an entry of `lows`
        and `highs` stands for; None means one.
        """
        item_counts = np.ones(len(lows)) if counts is None else counts
        widths = highs - lows
        total_width = float(item_counts @ widths)
        sum_of_squares = float(item_counts @ widths**2)
        if sum_of_squares == 0:
            # every item has only one possible value, so nothing is left to chance
            return Estimate(value, value, value, 0.0, n)
        # items of unequal weight are worth fewer trials: (sum of weights)² / (sum of their squares), Kish (1965)
        trials = total_width**2 / sum_of_squares
        low, reach = float(item_counts @ lows) / n, total_width / n
        clusters = n if codes is None else int(codes.max()) + 1
        bounded = cls.of(value, replicates, n, clusters=clusters, low=low, high=low + reach, trials=trials)
        if isinstance(bounded, Estimate):
            return bounded
        # If every item stood at the same position of its range as the mean does, the items would still differ from
        # the mean, by these amounts. That variance comes from the ranges; the rest is the variance of the share.
        deviations = lows + bounded.share * widths - value
        squares = _sum_of_squares(deviations, item_counts, codes)
        drift = min(bounded.se, math.sqrt(squares * clusters / (clusters - 1)) / n)
        share_variance = (bounded.se**2 - drift**2) / reach**2
        size = effective_size(bounded.share, share_variance, trials, clusters)
        return replace(bounded, size=size, drift=drift, span=(float(lows.min()), float(highs.max())))

    @property
    def share(self) -> float:
        """The position of the value in its range, from 0 to 1."""
        return min(max((self.value - self.low) / (self.high - self.low), 0.0), 1.0)

    def ends(self, tail: float = TAIL) -> tuple[float, float]:
        """The interval that leaves `tail` beyond each end."""
        reach, critical = self.high - self.low, t_quantile(self.clusters, tail)
        low_share, high_share = wilson_interval(self.share, self.size, critical)
        # The share and the range vary independently, so their distances from the value add up as squares.
        drift = critical * self.drift
        below = math.hypot(self.value - self.low - reach * low_share, drift)
        above = math.hypot(self.low + reach * high_share - self.value, drift)
        # No mean is outside the values that its items can have.
        lowest, highest = self.span
        return max(self.value - below, lowest), min(self.value + above, highest)

    def estimate(self, scale: float = 1.0) -> Estimate:
        """The value with its 95 % interval, times `scale`."""
        low, high = self.ends()
        return Estimate(
            self.value * scale, low * scale, high * scale, self.se * scale, self.n, self.note, self.size
        )


def _sum_of_squares(deviations: Floats, counts: Floats, codes: Integers | None) -> float:
    """The sum of squared deviations of base instances; arguments as in `Bounded.of_mean`."""
    if codes is None:
        return float(counts @ deviations**2)
    # The items of a base instance are drawn together, so their deviations add up before they are squared.
    sums = np.bincount(codes, weights=deviations)
    return float(sums @ sums)


@dataclass(frozen=True, slots=True)
class WeightedSum:
    """A weighted sum of values that share their resamples."""

    parts: tuple[Bounded, ...]
    weights: tuple[float, ...]
    n: int

    @property
    def value(self) -> float:
        """The sum itself."""
        return float(sum(w * part.value for w, part in zip(self.weights, self.parts, strict=True)))

    def estimate(self, scale: float = 1.0) -> Estimate:
        """The sum with its 95 % interval, times `scale`."""
        correlation, replicates = self._correlation()
        low, high = self._ends(TAIL, correlation)
        clusters = min(part.clusters for part in self.parts)
        se = clustered_se(float(np.nanstd(replicates, ddof=1)), clusters)
        note = next((part.note for part in self.parts if part.note), None)
        size = min(part.size for part in self.parts)
        return Estimate(self.value * scale, low * scale, high * scale, se * scale, self.n, note, size)

    def p_value(self) -> float:
        """Two-sided p-value of a sum of 0: twice the tail at which an end of the interval reaches 0."""
        value = self.value
        if value == 0:
            return 1.0
        correlation = self._correlation()[0]

        def excludes_0(log_tail: float) -> bool:
            low, high = self._ends(math.exp(log_tail), correlation)
            return low > 0 if value > 0 else high < 0

        # The search runs over the logarithm, since p-values of all sizes need the same relative precision.
        smallest = math.log(SMALLEST_TAIL)
        if excludes_0(smallest):
            return 2 * SMALLEST_TAIL
        excluding, _ = bisect(excludes_0, math.log(0.5), smallest, HALVINGS)
        return min(1.0, 2 * math.exp(excluding))

    def _ends(self, tail: float, correlation: Floats) -> tuple[float, float]:
        """The interval that leaves `tail` beyond each end."""
        below, above = [], []
        for weight, part in zip(self.weights, self.parts, strict=True):
            low, high = part.ends(tail)
            to_low, to_high = weight * (part.value - low), weight * (high - part.value)
            # A part with a negative weight pulls the sum down where it is itself high.
            below.append(to_low if weight > 0 else to_high)
            above.append(to_high if weight > 0 else to_low)
        value = self.value
        return value - _combined(below, correlation), value + _combined(above, correlation)

    def _correlation(self) -> tuple[Floats, Floats]:
        """Correlations of the parts' replicates, and the replicates of the sum: shapes (parts, parts) and (resamples,).

        A correlation that narrows the interval is reduced by half a trial, as in method 10 of Newcombe (1998): two
        models that never differed on these items may differ on others.
        """
        # Shape (parts, resamples), and then without the resamples that leave a part undefined.
        table = np.stack([part.replicates for part in self.parts])
        total = np.asarray(np.array(self.weights) @ table)
        table = table[:, ~np.isnan(total)]
        centred = table - table.mean(axis=1, keepdims=True)
        spread = np.sqrt((centred**2).sum(axis=1))
        # not `np.corrcoef`: it divides by 0 for a part that no resample moves
        scaled = centred / np.where(spread > 0, spread, 1.0)[:, None]
        correlation = scaled @ scaled.T
        # the standard deviation of the number of hits of each part
        deviations = [math.sqrt(max(part.share * (1 - part.share), 1e-12) * part.size) for part in self.parts]
        is_narrowing = correlation * np.sign(np.outer(self.weights, self.weights)) < 0
        reduced = np.maximum(np.abs(correlation) - 0.5 / np.outer(deviations, deviations), 0)
        correlation = np.where(is_narrowing, reduced * np.sign(correlation), correlation)
        # a part that never moved has the correlation 0 with itself too
        np.fill_diagonal(correlation, 1.0)
        return correlation, total


def _combined(distances: Sequence[float], correlation: Floats) -> float:
    """The distance d of a sum from the distances d_i of its correlated parts: d² is the sum of r_ij d_i d_j."""
    column = np.array(distances)
    # rounding may leave a negative square
    return math.sqrt(max(float(column @ correlation @ column), 0.0))


def weighted_sum(
    parts: Sequence[Bounded | Estimate], weights: Sequence[float], n: int
) -> WeightedSum | Estimate:
    """The weighted sum of the parts; if a part has no interval, an estimate without one and with the reason.

    >>> weighted_sum([Estimate(0.5, reason="why")], [2.0], n=3)
    Estimate(value=1.0, low=None, high=None, se=None, n=3, reason='why')
    """
    bounded = tuple(part for part in parts if isinstance(part, Bounded))
    if len(bounded) == len(parts):
        return WeightedSum(bounded, tuple(weights), n)
    first_estimate = next(part for part in parts if isinstance(part, Estimate))
    products = [
        weight * part.value for weight, part in zip(weights, parts, strict=True) if part.value is not None
    ]
    return replace(first_estimate, value=float(sum(products)) if len(products) == len(parts) else None, n=n)


def reported_estimate(value: Bounded | WeightedSum | Estimate, scale: float = 1.0) -> Estimate:
    """The estimate to report, times `scale`: the value with its 95 % interval, or with the reason if it has none.

    >>> reported_estimate(Estimate(0.5, n=2, reason="why"), 100).value
    50.0
    """
    if not isinstance(value, Estimate):
        return value.estimate(scale)
    return value if value.value is None else replace(value, value=value.value * scale)
