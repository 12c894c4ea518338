"""The one kind of interval: Wilson's, on the range that a value can have, for an effective number of trials.

Resamples show how far a value moves when other base instances are drawn. They show nothing if all rows are alike: 30
passes of 30 give a bootstrap interval of no width. Wilson's interval knows the ends of the range. A share p with a
clustered variance v is as precise as p (1 - p) / v independent trials, and never as more than there are. If there are
too few events to show how alike the items of a base instance are, they are taken to be alike. The normal quantile is
replaced by that of Student's t with one degree of freedom less than there are base instances.

Differences, and other weighted sums, take the intervals of their parts and the correlation of their replicates
(MOVER). P-values follow from the same intervals: at the confidence level 1 - p, one end of the interval of the
difference is exactly 0. `tests/measurements.md` has the simulations.

References: Wilson (1927); Korn and Graubard (1998), Survey Methodology 24, for effective sizes with t quantiles;
Newcombe (1998) and Zou and Donner (2008), Statistics in Medicine 17 and 27, for differences.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from perturb.metrics.inputs import Estimate, Floats, Integers

TAIL = 0.025
"""The probability beyond each end of a 95 % interval."""
Z = 1.959963984540054
"""Normal quantile of a 95 % interval."""
ALIKE_EVENTS = 2
"""The number of events from which on the data decide how alike the items of a base instance are."""
HALVINGS = 30
"""Of a range of 27: p-values are right to 3e-8 of themselves."""
MOSTLY = 0.95
"""If fewer resamples define a statistic, its estimate says so."""
ONE_CLUSTER = "no interval: everything comes from one base instance"
FEW_DEFINED = "no interval: the statistic is undefined in the resamples"


def wilson_interval(share: float, n: float, critical: float = Z) -> tuple[float, float]:
    """Wilson's interval of a share among n independent trials; n may be an effective number.

    Reference: Wilson (1927), Journal of the American Statistical Association 22.

    >>> low, high = wilson_interval(1.0, 10)
    >>> round(low, 4), high
    (0.7225, 1.0)
    """
    squared = critical * critical
    centre = share + squared / (2 * n)
    spread = critical * math.sqrt(share * (1 - share) / n + squared / (4 * n * n))
    scale = 1 + squared / n
    low, high = (centre - spread) / scale, (centre + spread) / scale
    return (0.0 if share == 0 else low, 1.0 if share == 1 else high)


def t_quantile(clusters: int, tail: float = TAIL) -> float:
    """What the normal quantile becomes with so many base instances.

    >>> round(t_quantile(10), 3)
    2.262
    """
    from scipy.special import stdtrit

    return float(stdtrit(clusters - 1, 1 - tail))


def effective_size(share: float, variance: float, n: float, clusters: int) -> float:
    """As many independent trials say as much as n trials in clusters, by the clustered variance of their share.

    The design effect is the one observed, but never below that of n independent trials, and with few events never far
    below that of clusters that are all alike.

    >>> effective_size(1.0, 0.0, n=60, clusters=20), round(effective_size(0.5, 0.25 / 30, n=60, clusters=20), 6)
    (20.0, 30.0)
    """
    inner = min(max(share, 0.5 / n), 1 - 0.5 / n)  # a value may stand at its end though resamples move it
    events = n * min(share, 1 - share)
    assumed = 1 + max(n / clusters - 1, 0.0) * ALIKE_EVENTS / (ALIKE_EVENTS + events)
    return n / max(assumed, variance * n / (inner * (1 - inner)))


@dataclass(frozen=True, slots=True)
class Bounded:
    """A value in a known range, as precise as a share of `size` independent trials."""

    value: float
    size: float
    clusters: int
    low: float = 0.0
    """The lower end of the range."""
    high: float = 1.0
    se: float | None = None
    n: int = 0
    note: str | None = None
    replicates: Floats | None = None
    """NaN where a resample does not define the value."""
    drift: float = 0.0
    """Standard error that the value would have if its share were known: that of the range itself."""
    span: tuple[float, float] = (-math.inf, math.inf)
    """The lowest and highest value that is possible at all."""

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
        """From bootstrap replicates; an estimate without an interval where they give none.

        `clusters` are the base instances that the value rests on, `trials` the number of independent trials that it
        would be worth at best, n if None.
        """
        low, high, clusters = float(low), float(high), int(clusters)
        defined = replicates[~np.isnan(replicates)]
        if clusters < 2 or not len(replicates):
            return Estimate(value, n=n, reason=ONE_CLUSTER)
        if len(defined) < 2:
            return Estimate(value, n=n, reason=FEW_DEFINED)
        se = float(defined.std(ddof=1)) * math.sqrt(clusters / (clusters - 1))
        reach = high - low
        share = min(max((value - low) / reach, 0.0), 1.0)
        worth = max(float(n if trials is None else trials), 1.0)
        size = effective_size(share, (se / reach) ** 2, worth, clusters)
        note = None
        if len(defined) < MOSTLY * len(replicates):
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
        """The same for a mean whose items could each have had a value from `lows` to `highs`.

        It is a weighted share: an item weighs as much as its range is wide, and n items are worth (sum of weights)² /
        (sum of squares) at best (Kish 1965). Other items have other ranges; that part of the variance is set apart.
        `codes` number the base instances of the items, None for one each; `counts` says how many items each place
        stands for.
        """
        weights = np.ones(len(lows)) if counts is None else counts
        widths = highs - lows
        total, squares = float(weights @ widths), float(weights @ widths**2)
        if squares == 0:
            return Estimate(value, value, value, 0.0, n)
        low, reach = float(weights @ lows) / n, total / n
        clusters = n if codes is None else int(codes.max()) + 1
        bounded = cls.of(
            value, replicates, n, clusters=clusters, low=low, high=low + reach, trials=total**2 / squares
        )
        if isinstance(bounded, Estimate) or bounded.se is None:
            return bounded
        expected = lows + bounded.share * widths - value
        sums = expected if codes is None else np.bincount(codes, weights=expected)
        squared = float((weights if codes is None else np.ones(len(sums))) @ sums**2)
        drift = min(bounded.se, math.sqrt(squared * clusters / (clusters - 1)) / n)
        variance = (bounded.se**2 - drift**2) / reach**2
        size = effective_size(bounded.share, variance, total**2 / squares, clusters)
        return replace(bounded, size=size, drift=drift, span=(float(lows.min()), float(highs.max())))

    @property
    def share(self) -> float:
        """The position of the value in its range, from 0 to 1."""
        return min(max((self.value - self.low) / (self.high - self.low), 0.0), 1.0)

    def ends(self, tail: float = TAIL) -> tuple[float, float]:
        """The interval that leaves `tail` beyond each end."""
        reach, critical = self.high - self.low, t_quantile(self.clusters, tail)
        low, high = wilson_interval(self.share, self.size, critical)
        drift = critical * self.drift
        below = math.hypot(self.value - self.low - reach * low, drift)
        above = math.hypot(self.low + reach * high - self.value, drift)
        return max(self.value - below, self.span[0]), min(self.value + above, self.span[1])

    def estimate(self, scale: float = 1.0) -> Estimate:
        """The value with its 95 % interval, times `scale`."""
        low, high = self.ends()
        se = None if self.se is None else self.se * scale
        return Estimate(self.value * scale, low * scale, high * scale, se, self.n, self.note, self.size)


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
        se = float(np.nanstd(replicates, ddof=1)) * math.sqrt(clusters / (clusters - 1))
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

        # halving the log of the tail; scipy.optimize would take longer to import
        out, within = math.log(0.5), math.log(1e-12)
        if excludes_0(within):
            return 2e-12
        for _ in range(HALVINGS):
            middle = (out + within) / 2
            out, within = (middle, within) if excludes_0(middle) else (out, middle)
        return min(1.0, 2 * math.exp(out))

    def _ends(self, tail: float, correlation: Floats) -> tuple[float, float]:
        down, up = [], []
        for weight, part in zip(self.weights, self.parts, strict=True):
            low, high = part.ends(tail)
            below, above = weight * (part.value - low), weight * (high - part.value)
            down.append(below if weight > 0 else above)
            up.append(above if weight > 0 else below)
        value = self.value
        below, above = (
            math.sqrt(max(float(np.array(side) @ correlation @ np.array(side)), 0.0)) for side in (down, up)
        )
        return value - below, value + above

    def _correlation(self) -> tuple[Floats, Floats]:
        """Correlations of the parts' replicates, and the replicates of the sum.

        Where a correlation narrows the interval it is lessened by half a trial, as Newcombe (1998, method 10) does: two
        models that never differed on the items seen may differ on others.
        """
        table = np.stack([np.asarray(part.replicates) for part in self.parts])
        total = np.asarray(np.array(self.weights) @ table)
        table = table[:, ~np.isnan(total)]
        centred = table - table.mean(axis=1, keepdims=True)
        spread = np.sqrt((centred**2).sum(axis=1))
        scaled = centred / np.where(spread > 0, spread, 1.0)[:, None]
        correlation = scaled @ scaled.T
        spreads = [math.sqrt(max(part.share * (1 - part.share), 1e-12) * part.size) for part in self.parts]
        narrowing = correlation * np.sign(np.outer(self.weights, self.weights)) < 0
        lessened = np.maximum(np.abs(correlation) - 0.5 / np.outer(spreads, spreads), 0) * np.sign(
            correlation
        )
        correlation = np.where(narrowing, lessened, correlation)
        np.fill_diagonal(correlation, 1.0)
        return correlation, total


def weighted_sum(
    parts: Sequence[Bounded | Estimate], weights: Sequence[float], n: int
) -> WeightedSum | Estimate:
    """The weighted sum of the parts; without an interval, and why, where a part has none.

    >>> weighted_sum([Estimate(0.5, reason="why")], [2.0], n=3)
    Estimate(value=1.0, low=None, high=None, se=None, n=3, reason='why')
    """
    for summand in parts:
        if isinstance(summand, Estimate):
            counted = [
                weight * part.value
                for weight, part in zip(weights, parts, strict=True)
                if part.value is not None
            ]
            return replace(summand, value=float(sum(counted)) if len(counted) == len(parts) else None, n=n)
    return WeightedSum(tuple(part for part in parts if isinstance(part, Bounded)), tuple(weights), n)


def reported_estimate(value: Bounded | WeightedSum | Estimate, scale: float = 1.0) -> Estimate:
    """What is reported: the value with its 95 % interval, or why it is missing, times `scale`.

    >>> reported_estimate(Estimate(0.5, n=2, reason="why"), 100).value
    50.0
    """
    if not isinstance(value, Estimate):
        return value.estimate(scale)
    return value if value.value is None else replace(value, value=value.value * scale)
