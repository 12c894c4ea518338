from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtri
from scipy.stats import t as student
from statsmodels.distributions.copula.api import ClaytonCopula, GumbelCopula

from perturb.metrics.index_companions import (
    FAMILIES,
    CopulaComparison,
    compare_copulas,
    gaussian_win_rates,
    upper_probability,
)
from perturb.metrics.refusal_index import refusal_index_from_counts
from perturb.metrics.tetrachoric import upper_orthant

rates = st.floats(0.02, 0.98)


@settings(deadline=None, max_examples=50)
@given(rates, rates, st.floats(-0.95, 0.95))
def test_gaussian_is_the_bivariate_normal(r: float, mu: float, rho: float) -> None:
    expected = float(upper_orthant(-ndtri(r), -ndtri(mu), rho))
    assert upper_probability("gaussian", r, mu, rho) == pytest.approx(expected, abs=1e-9)


@settings(deadline=None, max_examples=50)
@given(rates, rates, st.floats(0.05, 20))
def test_clayton_and_gumbel_match_statsmodels(r: float, mu: float, theta: float) -> None:
    for family, reference, parameter in (
        ("clayton", ClaytonCopula, theta),
        ("gumbel", GumbelCopula, 1 + theta),
    ):
        below = float(reference(parameter).cdf([1 - r, 1 - mu]))
        assert upper_probability(family, r, mu, parameter) == pytest.approx(r + mu - 1 + below, abs=1e-9)


@pytest.mark.parametrize("rho", [-0.6, 0.0, 0.5])
def test_student_matches_its_scale_mixture(rho: float) -> None:
    # a t vector with 4 degrees of freedom is a normal one over the root of chi² / 4
    h, k = -student.ppf(0.3, 4), -student.ppf(0.6, 4)
    chi = np.random.default_rng(0).chisquare(4, size=400_000)
    mixture = float(upper_orthant(h * np.sqrt(chi / 4), k * np.sqrt(chi / 4), rho).mean())
    assert upper_probability("student-t", 0.3, 0.6, rho) == pytest.approx(mixture, abs=5e-4)
    assert upper_probability("student-t", 0.3, 0.6, rho, df=1e7) == pytest.approx(
        upper_probability("gaussian", 0.3, 0.6, rho), abs=1e-6
    )


def test_families_that_reach_the_table_share_one_likelihood() -> None:
    table = np.array([240, 30, 120, 43])
    saturated = float(np.sum(table * np.log(table / 433)))
    comparison = compare_copulas(*table)
    assert comparison.best == FAMILIES
    assert "no evidence" in str(comparison.reason)
    for fit in comparison.fits:
        assert fit.exact
        assert fit.log_likelihood == pytest.approx(saturated, abs=1e-7)
        assert fit.aic == pytest.approx(2 * fit.n_parameters - 2 * saturated, abs=1e-6)
        assert fit.bic == pytest.approx(np.log(433) * fit.n_parameters - 2 * saturated, abs=1e-6)
    rho = refusal_index_from_counts(240, 30, 120, 43).rho
    assert comparison.fits[0].parameters["rho"] == pytest.approx(rho, abs=1e-8)
    assert "not identified" in str(comparison.fits[1].note)


def test_negative_dependence_is_out_of_reach_for_clayton_and_gumbel() -> None:
    table = np.array([100, 60, 60, 20])
    comparison = compare_copulas(*table)
    assert comparison.best == ("gaussian", "student-t")
    r = mu = 160 / 240
    independent = np.array([r * mu, r * (1 - mu), mu * (1 - r), (1 - r) * (1 - mu)])
    for fit in comparison.fits[2:]:
        assert not fit.exact
        assert fit.parameters == {}
        assert fit.log_likelihood == pytest.approx(float(table @ np.log(independent)), abs=1e-9)
        assert "negative dependence" in str(fit.note)


def test_a_table_at_the_bound_is_reached_in_the_limit() -> None:
    comparison = compare_copulas(10, 0, 30, 60)
    assert comparison.best == FAMILIES
    assert all("limit" in str(fit.note) for fit in comparison.fits)
    assert compare_copulas(0, 10, 30, 60).best == ("gaussian", "student-t")


def test_an_empty_margin_fits_nothing() -> None:
    comparison = compare_copulas(0, 0, 30, 60)
    assert comparison.fits == ()
    assert comparison.best == ()
    assert "margin" in str(comparison.reason)
    with pytest.raises(ValueError, match="negative"):
        compare_copulas(-1, 2, 3, 4)
    with pytest.raises(ValueError, match="unknown copula"):
        upper_probability("frank", 0.5, 0.5, 1.0)


def test_win_rates_are_ties_unless_the_data_speak() -> None:
    reachable, negative = compare_copulas(240, 30, 120, 43), compare_copulas(100, 60, 60, 20)
    rates = gaussian_win_rates([reachable, negative])
    assert rates["student-t"] == {"log_likelihood": 0.5, "aic": 1.0, "bic": 1.0}
    assert rates["clayton"] == {"log_likelihood": 0.75, "aic": 0.75, "bic": 0.75}
    assert rates["gumbel"] == rates["clayton"]
    assert gaussian_win_rates([CopulaComparison((), (), "empty")]) == {}
