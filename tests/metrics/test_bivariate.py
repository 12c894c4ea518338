from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr
from scipy.stats import multivariate_normal

from perturb.metrics.tetrachoric import upper_orthant, upper_orthant_slope

NODES, WEIGHTS = np.polynomial.legendre.leggauss(300)
cuts = st.floats(-6, 6)
inner = st.floats(-0.999, 0.999)


def plackett(h: float, k: float, rho: float) -> float:
    """The same probability by integrating the density over the correlation, in arcsin(rho)."""
    angles = (NODES + 1) / 2 * np.arcsin(rho)
    density = np.exp(-(h * h - 2 * h * k * np.sin(angles) + k * k) / (2 * np.cos(angles) ** 2))
    return float(ndtr(-h) * ndtr(-k) + density @ WEIGHTS * np.arcsin(rho) / 2 / (2 * np.pi))


@settings(deadline=None, max_examples=50)
@given(cuts, cuts, inner)
def test_agrees_with_plackett_to_ten_digits(h: float, k: float, rho: float) -> None:
    assert float(upper_orthant(h, k, rho)) == pytest.approx(plackett(h, k, rho), abs=1e-10)


@pytest.mark.parametrize(
    ("h", "k"), [(0.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (1.0, 1.0), (1.0, -1.0), (0.0, -2.0)]
)
@pytest.mark.parametrize("rho", [-0.99999, -0.3, 0.0, 0.3, 0.99999])
def test_special_cuts(h: float, k: float, rho: float) -> None:
    scipys = multivariate_normal([0, 0], [[1, rho], [rho, 1]]).cdf([-h, -k])
    assert float(upper_orthant(h, k, rho)) == pytest.approx(float(scipys), abs=1e-7)


@settings(deadline=None, max_examples=50)
@given(cuts, cuts)
def test_ends_are_the_frechet_bounds(h: float, k: float) -> None:
    assert float(upper_orthant(h, k, 1.0)) == pytest.approx(min(ndtr(-h), ndtr(-k)), abs=1e-15)
    assert float(upper_orthant(h, k, -1.0)) == pytest.approx(max(0.0, ndtr(-h) - ndtr(k)), abs=1e-15)


def test_infinite_cuts_leave_a_margin() -> None:
    found = upper_orthant([-np.inf, np.inf, -np.inf], [0.5, 0.5, -np.inf], 0.4)
    assert found.tolist() == pytest.approx([float(ndtr(-0.5)), 0.0, 1.0])


@settings(deadline=None, max_examples=50)
@given(st.floats(-3, 3), st.floats(-3, 3), st.floats(-0.9, 0.9))
def test_slope_is_the_derivative(h: float, k: float, rho: float) -> None:
    step = 1e-5
    difference = (upper_orthant(h, k, rho + step) - upper_orthant(h, k, rho - step)) / (2 * step)
    assert float(difference) == pytest.approx(float(upper_orthant_slope(h, k, rho)), abs=1e-7)


def test_slope_is_the_density() -> None:
    density = multivariate_normal([0, 0], [[1, -0.6], [-0.6, 1]]).pdf([0.3, -1.2])
    assert float(upper_orthant_slope(0.3, -1.2, -0.6)) == pytest.approx(float(density), rel=1e-12)


def test_a_correlation_outside_its_range_is_refused() -> None:
    with pytest.raises(ValueError, match="rho must lie in"):
        upper_orthant(0.0, 0.0, 1.01)
    with pytest.raises(ValueError, match="rho must lie in"):
        upper_orthant(0.0, 0.0, float("nan"))
    with pytest.raises(ValueError, match="slope does not exist"):
        upper_orthant_slope(0.0, 0.0, 1.0)
