"""The tetrachoric correlation of many 2x2 tables at once, and the Refusal Index with its sampling error.

A table is a row of four cells `(n11, n10, n01, n00)`: refused and wrong, refused and right, answered and wrong,
answered and right. Cells are counts or weighted counts; a common factor cancels.

References: Owen (1956), Tables for computing bivariate normal probabilities, Annals of Mathematical Statistics 27;
Plackett (1954), A reduction formula for normal multivariate integrals, Biometrika 41.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from perturb.metrics.inputs import Estimate, Flags, Floats
from perturb.metrics.intervals import FEW_DEFINED, ONE_CLUSTER, clustered_se, t_quantile


def upper_orthant(h: ArrayLike, k: ArrayLike, rho: ArrayLike) -> Floats:
    """P(X > h, Y > k) for standard normal X and Y with correlation rho.

    Formula: `(Q(h) + Q(k))/2 - T(h, a) - T(k, b)`, minus 1/2 if h and k differ in sign, with Q the upper tail and T
    Owen's function. Range: 0 to min(Q(h), Q(k)); it rises with rho. Absolute error below 1e-10. The arguments
    broadcast; h and k may be infinite, rho is in [-1, 1].

    Raises ValueError if rho is outside [-1, 1].

    Reference: Refusal Index paper, section 3.1, equation 5.

    >>> round(float(upper_orthant(0.0, 0.0, 0.5)), 6)
    0.333333
    >>> [round(float(p), 6) for p in upper_orthant(0.5, [1.0, -1.0], [1.0, -1.0])]
    [0.158655, 0.149882]
    """
    from scipy.special import ndtr

    x, y, r = _broadcast(h, k, rho)
    upper_x, upper_y = ndtr(-x), ndtr(-y)
    # Fréchet's bounds: no joint distribution with these margins gives a lower or a higher probability.
    lowest, highest = np.maximum(0.0, upper_x - ndtr(y)), np.minimum(upper_x, upper_y)
    is_finite = np.isfinite(x) & np.isfinite(y)
    # Owen's formula divides by sqrt(1 - rho²). At rho = 1 and -1 the probability is a bound. At an infinite threshold
    # one of the margins is 0 or 1, so the probability is their product, whatever rho is.
    bound = np.where(r >= 0, highest, lowest)
    without_formula = np.where(is_finite, bound, upper_x * upper_y)
    use_formula = is_finite & (np.abs(r) < 1)
    # Rounding may carry the formula beyond the bounds.
    by_formula = np.clip(_owen(x, y, r, use_formula), lowest, highest)
    return np.where(use_formula, by_formula, without_formula)


def upper_orthant_slope(h: ArrayLike, k: ArrayLike, rho: ArrayLike) -> Floats:
    """The derivative of `upper_orthant` in rho, which is the bivariate normal density at (h, k).

    Formula: `exp(-(h² - 2 rho h k + k²) / (2 (1 - rho²))) / (2 pi sqrt(1 - rho²))`. Range: positive.
    rho is in (-1, 1), h and k are finite.

    Raises ValueError if rho is outside (-1, 1).

    Reference: Plackett (1954); Refusal Index paper, appendix E, proposition 2.

    >>> round(float(upper_orthant_slope(0.0, 0.0, 0.0)), 6)
    0.159155
    """
    x, y, r = _broadcast(h, k, rho)
    if np.any(np.abs(r) == 1):
        raise ValueError("the slope does not exist at rho = -1 or 1")
    spread = (1 - r) * (1 + r)
    return np.asarray(np.exp(-(x**2 - 2 * r * x * y + y**2) / (2 * spread)) / (2 * np.pi * np.sqrt(spread)))


def _broadcast(h: ArrayLike, k: ArrayLike, rho: ArrayLike) -> tuple[Floats, Floats, Floats]:
    x, y, r = np.broadcast_arrays(*(np.asarray(a, dtype=np.float64) for a in (h, k, rho)))
    if not np.all(np.abs(r) <= 1):
        raise ValueError("rho must lie in [-1, 1]")
    # smaller thresholds do not change any digit of the result, but their products underflow
    x, y = (np.where(np.abs(cut) < 1e-30, 0.0, cut) for cut in (x, y))
    return x, y, r


def _owen(x: Floats, y: Floats, rho: Floats, use_formula: np.ndarray) -> Floats:
    """P(X > x, Y > y) by Owen's formula where `use_formula` is true; an arbitrary number elsewhere."""
    from scipy.special import ndtr, owens_t

    # Owen states the lower orthant, and the distribution is symmetric: P(X > x, Y > y) = P(X < -x, Y < -y). Elements
    # outside the formula's domain become 0, so that they raise no warning.
    a, b, r = (np.where(use_formula, values, 0.0) for values in (-x, -y, rho))
    root = np.sqrt((1 - r) * (1 + r))
    # The formula subtracts 1/2 where a and b lie on opposite sides of 0; with one of them 0, where the other is below.
    subtract_half = (a * b < 0) | ((a * b == 0) & (a + b < 0))
    t_of_a = owens_t(a, _ratio(b - r * a, a * root))
    t_of_b = owens_t(b, _ratio(a - r * b, b * root))
    probability = (ndtr(a) + ndtr(b)) / 2 - t_of_a - t_of_b - np.where(subtract_half, 0.5, 0.0)
    # At a = b = 0 the slopes inside Owen's T are 0/0; there the probability has a closed form.
    return np.where((a == 0) & (b == 0), 0.25 + np.arcsin(r) / (2 * np.pi), probability)


def _ratio(top: Floats, bottom: Floats) -> Floats:
    """The quotient; where the bottom is 0, the limit: infinity with the sign of the top."""
    is_zero = bottom == 0
    return np.where(is_zero, np.copysign(np.inf, top), top / np.where(is_zero, 1.0, bottom))


# The confidence level of intervals, unless another is given.
LEVEL = 0.95
# More than are ever needed: bisection alone would take about 40.
MAX_STEPS = 100
# A step in arcsin(rho) that is smaller ends the search.
ANGLE_TOLERANCE = 1e-12
# The rounding error of a probability: a smaller excess says nothing about the angle.
ROUNDING = 2e-16


class Correlations(NamedTuple):
    """Tetrachoric correlations of a stack of tables."""

    rho: Floats
    """Correlation in [-1, 1]; 0 if it is undefined."""
    defined: Flags
    """False if a margin is empty: no question refused, all refused, none wrong, or all wrong."""
    boundary: Flags
    """True if an empty cell puts the table at a Fréchet bound, so rho is -1 or 1."""


def tetrachoric(tables: Floats) -> Correlations:
    """The correlation of the bivariate normal whose cells, cut at thresholds, equal each table, shape (tables, 4).

    With both margins at their empirical values, the multinomial likelihood is largest if the fitted upper cell equals
    the observed share n11/n, so rho is the root of an increasing function. Newton's method runs in arcsin(rho),
    where the slope is bounded, inside a shrinking bracket.

    Reference: Refusal Index paper, section 3.1, equations 4 to 6.

    >>> rho, defined, boundary = tetrachoric(np.array([[40.0, 10.0, 10.0, 40.0], [5.0, 0.0, 5.0, 10.0]]))
    >>> [round(float(r), 4) for r in rho], boundary.tolist()
    ([0.809, 1.0], [False, True])
    """
    n11, n10, n01, n00 = tables.T
    defined = (n11 + n10 > 0) & (n01 + n00 > 0) & (n11 + n01 > 0) & (n10 + n00 > 0)
    top = defined & ((n10 == 0) | (n01 == 0))
    bottom = defined & ((n11 == 0) | (n00 == 0))
    rho = np.where(top, 1.0, np.where(bottom, -1.0, 0.0))
    inner = defined & ~top & ~bottom
    rho[inner] = np.sin(_solve_angle(tables[inner]))
    return Correlations(rho, defined, top | bottom)


def thresholds(tables: Floats) -> tuple[Floats, Floats]:
    """The normal thresholds (tau_R, tau_W) that give the margins of each table (equation 4).

    >>> [float(cut[0]) for cut in thresholds(np.array([[10.0, 10.0, 10.0, 10.0]]))]
    [0.0, 0.0]
    """
    from scipy.special import ndtri

    _, n10, n01, n00 = tables.T
    total = tables.sum(axis=1)
    return ndtri((n01 + n00) / total), ndtri((n10 + n00) / total)


def rho_variance(tables: Floats, rho: Floats) -> Floats:
    """The variance of sqrt(n) times the estimated rho, by the delta method, for tables without an empty cell.

    It includes the error of both thresholds, which come from the same table.

    >>> float(rho_variance(np.array([[25.0, 25.0, 25.0, 25.0]]), np.array([0.0]))[0]).__round__(4)
    2.4674
    """
    from scipy.special import ndtr

    h, k = thresholds(tables)
    root = np.sqrt((1 - rho) * (1 + rho))
    slope = upper_orthant_slope(h, k, rho)
    # A question is refused if X > h, and wrong if Y > k. P(Y > k | X = h) and P(X > h | Y = k) say how fast the fitted
    # upper cell grows with each margin.
    by_refusal = ndtr((rho * h - k) / root)
    by_error = ndtr((rho * k - h) / root)
    shares = tables / tables.sum(axis=1, keepdims=True)
    # The derivative of rho in the share of each cell, shape (tables, 4). The share of n11 raises the observed upper
    # cell itself, and each share raises the fitted one by the margins that it is in. rho makes up for the gap.
    gradient = np.stack([1 - by_refusal - by_error, -by_refusal, -by_error, np.zeros_like(rho)], axis=1)
    gradient /= slope[:, np.newaxis]
    # By the delta method, the variance is that of the gradient over the cells: Σ share g² - (Σ share g)².
    mean = (shares * gradient).sum(axis=1)
    return np.asarray((shares * gradient**2).sum(axis=1) - mean**2)


def rank_correlation(rho: ArrayLike) -> Floats:
    """Spearman's correlation of a Gaussian copula: (6/pi) arcsin(rho/2), from -1 to 1 (paper, section 3.1).

    >>> float(rank_correlation(1.0)).__round__(12)
    1.0
    """
    return np.asarray(6 / np.pi * np.arcsin(np.asarray(rho, dtype=np.float64) / 2))


def delta_estimate(table: Floats, level: float = LEVEL) -> Estimate:
    """The index of one table with a delta-method interval, which is symmetric in Fisher's z and stays in [-1, 1].

    >>> delta_estimate(np.array([40.0, 10.0, 10.0, 40.0])).se.__round__(4)
    0.0771
    """
    from scipy.special import ndtri

    point = _point(table, level)
    if point.value is None or point.reason:
        return point
    tables = table[np.newaxis]
    rho = tetrachoric(tables).rho
    rho_se = np.sqrt(rho_variance(tables, rho)[0] / table.sum())
    # the derivative of the index (6/pi) arcsin(rho/2) in rho
    slope = 6 / np.pi / np.sqrt(4 - float(rho[0]) ** 2)
    se = float(slope * rho_se)
    # the derivative of Fisher's z = artanh(index) is 1 / (1 - index²)
    z_reach = ndtri((1 + level) / 2) * se / (1 - point.value**2)
    return _with_interval(point, point.value, se, z_reach)


def bootstrap_estimate(table: Floats, resamples: int = 1000, seed: int = 0, level: float = LEVEL) -> Estimate:
    """The index of one table with a bootstrap interval, from multinomial tables.

    >>> bootstrap_estimate(np.array([40.0, 0.0, 10.0, 50.0])).high
    1.0
    """
    total = int(table.sum())
    draws = np.random.default_rng(seed).multinomial(total, table / total, size=resamples)
    return resampled_estimate(table, draws.astype(np.float64), total, level)


def resampled_estimate(table: Floats, draws: Floats, clusters: int, level: float = LEVEL) -> Estimate:
    """The index of one table with the interval of resampled tables, shape (resamples, 4).

    As `delta_estimate`, but with the spread of the resamples in Fisher's z, and a t quantile for the number of
    `clusters`. Half a question is added to each cell of every resample, so that no resample is at a bound (Haldane
    1956).

    >>> table = np.array([40.0, 10.0, 10.0, 40.0])
    >>> resampled_estimate(table, np.array([table, table + 10]), clusters=10).low > 0
    True
    """
    point = _point(table, level)
    if point.value is None or point.reason:
        return point
    if clusters < 2:
        return replace(point, reason=ONE_CLUSTER)
    estimates = tetrachoric(draws + 0.5)
    if estimates.defined.sum() < 2:
        return replace(point, reason=FEW_DEFINED)
    z_of_resamples = np.arctanh(rank_correlation(estimates.rho[estimates.defined]))
    spread = clustered_se(float(z_of_resamples.std(ddof=1)), clusters)
    # the derivative of the index in Fisher's z is 1 - index²
    se = spread * (1 - point.value**2)
    return _with_interval(point, point.value, se, spread * t_quantile(clusters, (1 - level) / 2))


def paired_p_value(first: Floats, second: Floats, clusters: int) -> float | None:
    """Two-sided p-value for two equal indices on the same questions; None if one of them has no interval.

    `first` and `second` are tables of counts, shape (1 + resamples, 4): the questions themselves, then shared
    resamples. Formula: the difference in Fisher's z divided by its spread in the resamples, compared with Student's t
    as in `resampled_estimate`.

    >>> tables = np.array([[40.0, 10.0, 10.0, 40.0], [38.0, 12.0, 9.0, 41.0], [41.0, 9.0, 12.0, 38.0]])
    >>> paired_p_value(tables, tables, clusters=100)
    1.0
    """
    from scipy.special import stdtr

    if clusters < 2 or not (np.all(first[0] > 0) and np.all(second[0] > 0)):
        return None
    # Half a question in each cell, as in `resampled_estimate`.
    first_fit, second_fit = tetrachoric(first + 0.5), tetrachoric(second + 0.5)
    z_gaps = np.arctanh(rank_correlation(first_fit.rho)) - np.arctanh(rank_correlation(second_fit.rho))
    observed, resampled = z_gaps[0], z_gaps[1:]
    resampled = resampled[first_fit.defined[1:] & second_fit.defined[1:]]
    if len(resampled) < 2:
        return None
    spread = clustered_se(float(resampled.std(ddof=1)), clusters)
    return float(2 * stdtr(clusters - 1, -abs(observed) / spread)) if spread else 1.0


def _with_interval(point: Estimate, index: float, se: float, z_reach: float) -> Estimate:
    """The estimate of an index with the interval that reaches this far to both sides of Fisher's z."""
    z = np.arctanh(index)
    return replace(point, low=float(np.tanh(z - z_reach)), high=float(np.tanh(z + z_reach)), se=se)


def _point(table: Floats, level: float) -> Estimate:
    """The index of one table. It still lacks its interval, unless it has a reason.

    The reason says that a margin is empty, so that the index is undefined; or that an empty cell puts the index at -1
    or 1, where it gets its interval here.
    """
    total = int(table.sum())
    n11, n10, n01, n00 = table
    margins = {
        "no question was refused": n11 + n10,
        "every question was refused": n01 + n00,
        "no answer was wrong under forced answering": n11 + n01,
        "every answer was wrong under forced answering": n10 + n00,
    }
    for reason, count in margins.items():
        if count == 0:
            return Estimate.undefined(reason, total)
    fitted = tetrachoric(table[np.newaxis])
    rho, value = float(fitted.rho[0]), float(rank_correlation(fitted.rho)[0])
    if not fitted.boundary[0]:
        return Estimate(value, n=total)
    other_end = float(rank_correlation(_other_end_by_likelihood(table, rho, level)))
    reason = "an empty cell puts the index at its bound: no standard error, interval by likelihood ratio"
    low, high = min(value, other_end), max(value, other_end)
    return Estimate(value, low, high, None, total, reason)


def _other_end_by_likelihood(table: Floats, rho: float, level: float) -> float:
    """The other end of the likelihood-ratio interval that starts at rho = -1 or 1, with fixed margins.

    The interval holds every rho whose log-likelihood is at most `quantile² / 2` below that of the best rho. Divided by
    the number of questions, the gap is the Kullback-Leibler divergence of the observed shares from the expected ones.
    """
    from scipy.optimize import brentq
    from scipy.special import ndtri

    h, k = (float(cut[0]) for cut in thresholds(table[np.newaxis]))
    shares = table / table.sum()
    n11_share, n10_share, n01_share, _ = shares
    refused, wrong = n11_share + n10_share, n11_share + n01_share
    is_positive = shares > 0  # an empty cell adds nothing to the divergence
    observed = shares[is_positive]
    allowed = float(ndtri((1 + level) / 2) ** 2 / (2 * table.sum()))

    def excess(angle: float) -> float:
        """How far the divergence at rho = sin(angle) is above what the level allows; it is 0 at an end."""
        both = float(upper_orthant(h, k, np.sin(angle)))
        # The margins are fixed, so the share of refused and wrong determines the other cells.
        cells = [both, refused - both, wrong - both, 1 - refused - wrong + both]
        # rounding may make a cell 0, which has no logarithm
        expected = np.clip(cells, 1e-300, 1.0)[is_positive]
        return float(np.sum(observed * np.log(observed / expected))) - allowed

    bound = float(np.sign(rho))
    angle_at_bound = bound * np.pi / 2
    if excess(-angle_at_bound) <= 0:
        return -bound  # even the opposite bound is likely enough: the interval covers everything
    return float(np.sin(brentq(excess, angle_at_bound, -angle_at_bound)))


def _solve_angle(tables: Floats) -> Floats:
    """arcsin(rho) for tables without an empty cell."""
    h, k = thresholds(tables)
    target = tables[:, 0] / tables.sum(axis=1)
    low, high = np.full(len(tables), -np.pi / 2), np.full(len(tables), np.pi / 2)
    # the start is Digby's approximation (1983) from the odds ratio
    n11, n10, n01, n00 = tables.T
    log_odds = np.log(n11) + np.log(n00) - np.log(n10) - np.log(n01)
    angle = np.arcsin(np.asarray(np.tanh(0.375 * log_odds) * 0.999))
    last_step = high - low
    for _ in range(MAX_STEPS):
        excess = upper_orthant(h, k, np.sin(angle)) - target
        low, high = np.where(excess < 0, angle, low), np.where(excess > 0, angle, high)
        slope = _slope_in_angle(h, k, angle)
        has_slope = slope > 0
        newton = angle - excess / np.where(has_slope, slope, 1.0)
        step = np.abs(newton - angle)
        is_settled = (has_slope & (step <= ANGLE_TOLERANCE)) | (np.abs(excess) <= ROUNDING)
        if np.all(is_settled):
            break
        # A Newton step that leaves the bracket or shrinks too slowly is replaced by a bisection.
        is_in_bracket = (newton > low) & (newton < high)
        is_usable = has_slope & is_in_bracket & (step < last_step / 2)
        next_angle = np.where(is_usable, newton, (low + high) / 2)
        next_angle = np.where(is_settled, angle, next_angle)
        last_step = np.abs(next_angle - angle)
        angle = next_angle
    return np.asarray(angle)


def _slope_in_angle(h: Floats, k: Floats, angle: Floats) -> Floats:
    """The derivative of the upper orthant in arcsin(rho): the density without its factor 1 / sqrt(1 - rho²)."""
    squared = h**2 - 2 * h * k * np.sin(angle) + k**2
    return np.asarray(np.exp(-squared / (2 * np.cos(angle) ** 2)) / (2 * np.pi))
