"""Orthant probability of the bivariate normal distribution, and its slope in the correlation.

Owen, D. B. (1956), Tables for computing bivariate normal probabilities, Annals of Mathematical Statistics 27;
Plackett, R. L. (1954), A reduction formula for normal multivariate integrals, Biometrika 41.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perturb.metrics.inputs import Floats


def upper_orthant(h: ArrayLike, k: ArrayLike, rho: ArrayLike) -> Floats:
    """P(X > h, Y > k) for standard normal X and Y with correlation rho.

    Formula: `(Q(h) + Q(k))/2 - T(h, a) - T(k, b)`, less 1/2 when h and k differ in sign, with Q the upper tail
    and T Owen's function. Range: 0 to min(Q(h), Q(k)); it rises with rho. Absolute error below 1e-10. The
    arguments broadcast; h and k may be infinite, rho lies in [-1, 1].

    Raises ValueError when rho lies outside [-1, 1].

    Reference: Refusal Index paper, section 3.1, equation 5.

    >>> round(float(upper_orthant(0.0, 0.0, 0.5)), 6)
    0.333333
    >>> [round(float(p), 6) for p in upper_orthant(0.5, [1.0, -1.0], [1.0, -1.0])]
    [0.158655, 0.149882]
    """
    from scipy.special import ndtr

    x, y, r = _broadcast(h, k, rho)
    upper_x, upper_y = ndtr(-x), ndtr(-y)
    frechet_low, frechet_high = np.maximum(0.0, upper_x - ndtr(y)), np.minimum(upper_x, upper_y)
    limit = np.where(r >= 0, frechet_high, frechet_low)
    inside = (np.abs(r) < 1) & np.isfinite(x) & np.isfinite(y)
    exact = np.where(np.isfinite(x) & np.isfinite(y), limit, upper_x * upper_y)
    return np.where(inside, np.clip(_owen(x, y, r, inside), frechet_low, frechet_high), exact)


def upper_orthant_slope(h: ArrayLike, k: ArrayLike, rho: ArrayLike) -> Floats:
    """Derivative of `upper_orthant` in rho, which is the bivariate normal density at (h, k).

    Formula: `exp(-(h² - 2 rho h k + k²) / (2 (1 - rho²))) / (2 pi sqrt(1 - rho²))`. Range: positive.
    rho lies in (-1, 1), h and k are finite.

    Raises ValueError when rho lies outside (-1, 1).

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
    # smaller cuts than this are 0 to every digit of the result, but their products underflow
    x, y = (np.where(np.abs(cut) < 1e-30, 0.0, cut) for cut in (x, y))
    return x, y, r


def _owen(x: Floats, y: Floats, rho: Floats, inside: np.ndarray) -> Floats:
    """P(X > x, Y > y) where `inside` holds; any number elsewhere."""
    from scipy.special import ndtr, owens_t

    # P(X > x, Y > y) = P(X < a, Y < b) with a = -x and b = -y
    a, b, r = (np.where(inside, values, 0.0) for values in (-x, -y, rho))
    root = np.sqrt((1 - r) * (1 + r))
    below_zero = (a * b < 0) | ((a * b == 0) & (a + b < 0))
    beside_a = owens_t(a, _ratio(b - r * a, a * root))
    beside_b = owens_t(b, _ratio(a - r * b, b * root))
    total = (ndtr(a) + ndtr(b)) / 2 - beside_a - beside_b - np.where(below_zero, 0.5, 0.0)
    return np.where((a == 0) & (b == 0), 0.25 + np.arcsin(r) / (2 * np.pi), total)


def _ratio(top: Floats, bottom: Floats) -> Floats:
    """The quotient, with the limit for a vanishing bottom."""
    zero = bottom == 0
    return np.where(zero, np.copysign(np.inf, top), top / np.where(zero, 1.0, bottom))
