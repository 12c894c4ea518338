from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import ndtri
from scipy.stats import multivariate_normal

import perturb.metrics
from perturb.metrics.refusal_index import (
    IntervalMethod,
    RefusalIndex,
    accuracy_refusal_curve,
    questions_for_cv,
    refusal_index,
    refusal_index_from_counts,
    refusal_index_from_rates,
)
from perturb.metrics.tetrachoric import (
    bootstrap_estimate,
    delta_estimate,
    rank_correlation,
    rho_variance,
    tetrachoric,
    thresholds,
    upper_orthant,
)

Floats = NDArray[np.float64]
PAPERS = Path(__file__).parents[1] / "data" / "papers"
TABLE_7 = pd.read_csv(PAPERS / "refusal-index-table-7.csv")
MISPRINTS = {("Qwen3-32B", 0), ("Qwen3-235B", 1)}  # the C/A of one, the F-score of the other
cells = st.integers(1, 3000)


def snippet(table: Floats) -> float:
    """The estimator of the paper's appendix J: a bounded search over rho, one table at a time."""
    n11, n10, n01, _ = table
    n = table.sum()
    r, mu = (n11 + n10) / n, (n11 + n01) / n
    tau_r, tau_w = -ndtri(r), -ndtri(mu)

    def loss(rho: float) -> float:
        below = multivariate_normal([0, 0], [[1, rho], [rho, 1]]).cdf([tau_r, tau_w])
        p11 = r + mu - 1 + below
        shares = np.clip([p11, r - p11, mu - p11, 1 - r - mu + p11], 1e-12, 1 - 1e-12)
        return -float(table @ np.log(shares))

    rho = minimize_scalar(loss, bounds=(-0.999, 0.999), method="bounded").x
    return float(rank_correlation(rho))


def maximise_likelihood(tables: Floats) -> Floats:
    """Golden-section search for the angle of largest likelihood, on a quadrature of its own."""
    nodes, weights = np.polynomial.legendre.leggauss(64)
    h, k = thresholds(tables)
    shares = tables / tables.sum(axis=1, keepdims=True)
    independent = (shares[:, 0] + shares[:, 1]) * (shares[:, 0] + shares[:, 2])
    signs = np.array([1, -1, -1, 1])

    def deviance(angle: Floats) -> Floats:
        t = (nodes + 1) / 2 * angle[:, None]
        squared = (h**2 + k**2)[:, None] - 2 * (h * k)[:, None] * np.sin(t)
        p11 = independent + np.exp(-squared / (2 * np.cos(t) ** 2)) @ weights * angle / (4 * np.pi)
        off = np.maximum((p11 - shares[:, 0])[:, None] * signs / shares, -1 + 1e-15)
        return np.asarray(-(shares * np.log1p(off)).sum(axis=1))

    golden = (np.sqrt(5) - 1) / 2
    low, high = np.full(len(tables), -np.pi / 2), np.full(len(tables), np.pi / 2)
    for _ in range(42):
        left, right = high - golden * (high - low), low + golden * (high - low)
        smaller = deviance(left) < deviance(right)
        low, high = np.where(smaller, low, left), np.where(smaller, right, high)
    return np.asarray(np.sin((low + high) / 2))


def random_tables(number: int, seed: int) -> Floats:
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet([0.8] * 4, size=number)
    sizes = rng.integers(50, 5000, size=number)
    return np.array([rng.multinomial(n, p) + 1 for n, p in zip(sizes, shares, strict=True)], dtype=np.float64)


def table_of(r: float, mu: float, rho: float) -> Floats:
    p11 = float(upper_orthant(-ndtri(r), -ndtri(mu), rho))
    return np.array([p11, r - p11, mu - p11, 1 - r - mu + p11])


@pytest.mark.slow
def test_equals_the_likelihood_maximum_on_ten_thousand_tables() -> None:
    tables = random_tables(10_000, seed=3)
    found = tetrachoric(tables)
    assert found.defined.all()
    assert not found.boundary.any()
    direct = rank_correlation(maximise_likelihood(tables))
    assert np.max(np.abs(rank_correlation(found.rho) - direct)) < 1e-6


def test_equals_the_papers_snippet_to_its_rounding() -> None:
    for table in random_tables(60, seed=4):
        n11, n10, n01, n00 = table
        n = int(table.sum())
        rates = (n00 / n, (n11 + n10) / n, (n10 + n00) / n)
        ours = refusal_index_from_rates(*rates, n=n, interval_by="delta")
        assert (ours.n11, ours.n10, ours.n01, ours.n00) == (n11, n10, n01, n00)
        assert ours.rho is not None
        rounding = 1e-5 if abs(ours.rho) < 0.99 else 2e-3  # its search ends at 0.999
        assert ours.refusal_index == pytest.approx(snippet(table), abs=rounding)


@pytest.mark.parametrize("rho", [-0.8, -0.4, 0.0, 0.3, 0.8])
@pytest.mark.parametrize("r", [0.05, 0.5, 0.95])
def test_recovers_the_correlation_that_made_the_table(rho: float, r: float) -> None:
    found = tetrachoric(table_of(r, 0.6, rho)[None])
    assert float(found.rho[0]) == pytest.approx(rho, abs=1e-9)


@settings(deadline=None, max_examples=50)
@given(cells, cells, cells, cells)
def test_symmetries(a: int, b: int, c: int, d: int) -> None:
    tables = np.array(
        [[a, b, c, d], [a, c, b, d], [d, c, b, a], [b, a, d, c], [3 * a, 3 * b, 3 * c, 3 * d]], float
    )
    rho = tetrachoric(tables).rho
    # swapping the two variables, mirroring both, or scaling keeps rho; mirroring one turns its sign
    assert rho == pytest.approx(rho[0] * np.array([1, 1, 1, -1, 1]), abs=1e-9)


@settings(deadline=None, max_examples=50)
@given(cells, cells, cells, cells)
def test_rises_as_refusals_move_to_wrong_answers(a: int, b: int, c: int, d: int) -> None:
    # one more refused and wrong, one more answered and right, with the same margins
    rho = tetrachoric(np.array([[a, b + 1, c + 1, d], [a + 1, b, c, d + 1]], float)).rho
    assert rho[1] > rho[0]


@pytest.mark.parametrize(
    ("counts", "index"),
    [((10, 0, 30, 60), 1.0), ((10, 30, 0, 60), 1.0), ((0, 10, 30, 60), -1.0), ((30, 10, 60, 0), -1.0)],
)
def test_an_empty_cell_is_a_flagged_boundary(counts: tuple[int, int, int, int], index: float) -> None:
    result = refusal_index_from_counts(*counts)
    assert result.refusal_index == pytest.approx(index, abs=1e-12)
    assert result.boundary
    assert result.se is None
    assert result.reason is not None
    assert "empty cell" in result.reason
    assert result.low is not None
    assert result.high is not None
    assert -1 <= result.low < result.high <= 1
    assert delta_estimate(np.array(counts, float)).low == result.low


@pytest.mark.parametrize(
    ("counts", "reason"),
    [
        ((0, 0, 3, 7), "no question was refused"),
        ((3, 7, 0, 0), "every question was refused"),
        ((0, 3, 0, 7), "no answer was wrong"),
        ((3, 0, 7, 0), "every answer was wrong"),
    ],
)
def test_an_empty_margin_leaves_the_index_undefined(counts: tuple[int, int, int, int], reason: str) -> None:
    methods: tuple[IntervalMethod, ...] = ("bootstrap", "delta")
    for method in methods:
        result = refusal_index_from_counts(*counts, interval_by=method)
        assert result.refusal_index is None
        assert result.low is None
        assert result.high is None
        assert result.rho is None
        assert not result.boundary
        assert reason in str(result.reason)
        json.dumps(result.to_dict(), allow_nan=False)


def test_sparse_tables_warn() -> None:
    assert "expects 2.0" in str(refusal_index_from_counts(3, 2, 37, 58).warning)
    assert "holds 3" in str(refusal_index_from_counts(60, 3, 70, 80).warning)
    assert refusal_index_from_counts(30, 20, 70, 80).warning is None
    assert "there was no second pass" in str(refusal_index_from_counts(50, 0, 70, 80).warning)
    assert "second pass" not in str(refusal_index_from_counts(0, 0, 70, 80).warning)


def test_arrays_of_every_kind_give_the_counts() -> None:
    refused, wrong = [1, 1, 0, 0, 1, 0], [1, 0, 1, 0, 1, 0]
    expected = refusal_index_from_counts(2, 1, 1, 2)
    columns: list[Callable[[list[int]], object]] = [
        list,
        tuple,
        np.array,
        pd.Series,
        lambda x: np.array(x, dtype=bool),
        lambda x: np.array(x, dtype=float),
        lambda x: pd.Series(x, dtype="boolean"),
        lambda x: pd.Series(x, dtype="Int64"),
        lambda x: pd.Series(x, dtype=object),
    ]
    for make in columns:
        assert refusal_index(make(refused), make(wrong)) == expected  # type: ignore[arg-type]


def test_fields_are_those_of_the_interface() -> None:
    fields = refusal_index_from_counts(240, 30, 120, 43).to_dict()
    assert {
        *("refusal_index", "low", "high", "se", "rho", "n", "n11", "n10", "n01", "n00", "boundary", "reason"),
        *("correct_rate", "refusal_rate", "c_over_a", "f_score", "weighted"),
    } <= set(fields)
    assert fields["weighted"] == pytest.approx({"p=0.2": 43 / 433 - 0.2 * 163 / 433, "p=1": (43 - 163) / 433})
    assert fields["c_over_a"] == pytest.approx(43 / 163)
    assert fields["f_score"] == pytest.approx(2 * 43 / (2 * 433 - 270))


def test_companions_follow_from_the_rates_of_table_7() -> None:
    """With p = 1 all but two printed companions lie within what the rounded c and r allow."""
    half = 0.005 + 1e-9
    astray = set()
    for row in TABLE_7.to_dict("records"):
        printed = row["c_over_a"], row["f_score"], row["weighted"]
        ends = [
            companions(row["correct_rate"] + i, row["refusal_rate"] + j)
            for i in (-half, half)
            for j in (-half, half)
        ]
        for place, column in enumerate(zip(*ends, strict=True)):
            if not min(column) - half <= printed[place] <= max(column) + half:
                astray.add((row["model"], place))
    assert astray == MISPRINTS


def companions(c: float, r: float) -> tuple[float, float, float]:
    return c / (1 - r), 2 * c / (2 - r), c - (1 - r)


def test_companions_of_a_result_use_the_same_formulas() -> None:
    result = refusal_index_from_counts(240, 30, 120, 43)
    c_over_a, f_score, weighted = companions(43 / 433, 270 / 433)
    assert (result.c_over_a, result.f_score) == pytest.approx((c_over_a, f_score))
    assert result.weighted_score(p=1) == pytest.approx(weighted)


def test_rates_take_the_correct_rate_over_all_questions() -> None:
    # 1,000 questions: 200 refused (of which 180 wrong), 500 right and 300 wrong among those answered
    result = refusal_index_from_rates(0.5, 0.2, 0.52, n=1000)
    assert (result.n11, result.n10, result.n01, result.n00) == (180, 20, 300, 500)
    with pytest.raises(ValueError, match="share of all questions"):
        refusal_index_from_rates(0.9, 0.2, 0.52, n=1000)


def test_rates_that_contradict_each_other_are_refused_or_noted() -> None:
    with pytest.raises(ValueError, match="forced_accuracy must lie between"):
        refusal_index_from_rates(0.3, 0.2, 0.25)
    with pytest.raises(ValueError, match="forced_accuracy must lie between"):
        refusal_index_from_rates(0.3, 0.2, 0.55)
    with pytest.raises(ValueError, match="refusal_rate must lie in"):
        refusal_index_from_rates(0.3, 20, 0.55)
    noted = refusal_index_from_rates(0.3, 0.2, 0.295)
    assert noted.n10 == 0
    assert "within rounding" in str(noted.warning)


@pytest.mark.parametrize(
    ("refused", "wrong", "message"),
    [
        ([], [], "refused is empty"),
        ([1, 0], [1], "differ in length"),
        ([1, 2], [1, 0], "row 1 holds 2"),
        ([1, float("nan")], [1, 0], "missing or not finite"),
        ([1, None], [1, 0], "missing or not"),
        (["yes", "no"], [1, 0], "numbers are expected"),
        ([[1, 0]], [1, 0], "one column"),
    ],
)
def test_bad_columns_are_named(refused: list[object], wrong: list[object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        refusal_index(refused, wrong)  # type: ignore[arg-type]


def test_bad_counts_are_refused() -> None:
    with pytest.raises(ValueError, match="whole numbers"):
        refusal_index_from_counts(-1, 2, 3, 4)
    with pytest.raises(ValueError, match="all four counts"):
        refusal_index_from_counts(0, 0, 0, 0)


def test_delta_and_bootstrap_agree_on_a_large_table() -> None:
    table = table_of(0.4, 0.6, 0.5) * 20_000
    delta, resampled = delta_estimate(table.round()), bootstrap_estimate(table.round(), 4000)
    assert delta.se == pytest.approx(resampled.se, rel=0.05)
    assert (delta.low, delta.high) == pytest.approx((resampled.low, resampled.high), abs=0.002)


def test_variance_matches_the_gradient_by_differences() -> None:
    shares = table_of(0.3, 0.55, 0.6)
    step = 1e-6
    moves = np.eye(4) * step
    gradient = (tetrachoric(shares + moves).rho - tetrachoric(shares - moves).rho) / (2 * step)
    variance = shares @ gradient**2 - (shares @ gradient) ** 2
    assert float(rho_variance(shares[None], np.array([0.6]))[0]) == pytest.approx(variance, rel=1e-6)


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.6])
@pytest.mark.parametrize("r", [0.05, 0.2, 0.5, 0.95])
def test_the_interval_covers_the_truth(rho: float, r: float) -> None:
    truth = float(rank_correlation(rho))
    draws = np.random.default_rng(11).multinomial(4000, table_of(r, 0.6, rho), size=200).astype(float)
    found = [delta_estimate(table) for table in draws]
    assert (
        np.mean([e.low <= truth <= e.high for e in found if e.low is not None and e.high is not None]) >= 0.93
    )


def test_the_bootstrap_interval_covers_the_truth() -> None:
    truth = float(rank_correlation(0.4))
    draws = np.random.default_rng(11).multinomial(2000, table_of(0.5, 0.6, 0.4), size=200).astype(float)
    found = [bootstrap_estimate(table, 400) for table in draws]
    assert (
        np.mean([e.low <= truth <= e.high for e in found if e.low is not None and e.high is not None]) >= 0.93
    )


def test_clusters_widen_the_interval() -> None:
    rng = np.random.default_rng(5)
    latent = rng.multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]], size=200)
    refused, wrong = np.repeat(latent[:, 0] > 0.3, 5), np.repeat(latent[:, 1] > 0, 5)
    plain = refusal_index(refused, wrong, interval_by="bootstrap")
    clustered = refusal_index(refused, wrong, clusters=np.repeat(np.arange(200), 5))
    assert clustered.refusal_index == plain.refusal_index
    assert clustered.se is not None
    assert plain.se is not None
    assert clustered.se == pytest.approx(plain.se * np.sqrt(5), rel=0.15)
    with pytest.raises(ValueError, match="delta method"):
        refusal_index(refused, wrong, clusters=np.repeat(np.arange(200), 5), interval_by="delta")


def test_a_seed_repeats_the_interval() -> None:
    first, again, other = (
        refusal_index_from_counts(24, 3, 12, 40, interval_by="bootstrap", seed=seed) for seed in (1, 1, 2)
    )
    assert first == again
    assert first.low != other.low


def test_curve_has_its_ends_and_passes_through_the_models_point() -> None:
    result = refusal_index_from_counts(240, 30, 120, 43)
    assert result.refusal_index is not None
    forced = (30 + 43) / 433
    curve = accuracy_refusal_curve([0, result.refusal_rate, 1], forced, result.refusal_index)
    assert curve.tolist() == pytest.approx([forced, result.correct_rate, 0], abs=1e-12)
    rates = np.linspace(0.01, 0.99, 50)
    weak, strong = (accuracy_refusal_curve(rates, 0.4, index) for index in (0.2, 0.6))
    assert np.all(strong > weak)
    assert np.all(np.diff(strong) < 0)
    with pytest.raises(ValueError, match="must lie in"):
        accuracy_refusal_curve([1.2], 0.4, 0.5)
    assert accuracy_refusal_curve(rates, 0.4, 1.0) == pytest.approx(np.minimum(0.4, 1 - rates))


def test_questions_for_cv() -> None:
    result = refusal_index_from_counts(240, 30, 120, 43)
    needed = questions_for_cv(result, 0.1)
    assert needed.value is not None
    scaled = np.array([240, 30, 120, 43]) * needed.value / 433
    found = delta_estimate(scaled)
    assert found.se is not None
    assert found.value is not None
    assert found.se / found.value == pytest.approx(0.1, rel=1e-3)
    assert questions_for_cv(refusal_index_from_counts(10, 0, 30, 60), 0.1).value is None
    with pytest.raises(ValueError, match="positive"):
        questions_for_cv(result, 0.0)
    assert questions_for_cv(refusal_index_from_counts(0, 0, 30, 60), 0.1).reason == "no question was refused"


def test_result_is_frozen_and_exported() -> None:
    result = perturb.metrics.refusal_index([1, 0, 1, 0], [1, 0, 0, 1])
    assert isinstance(result, RefusalIndex)
    with pytest.raises(AttributeError):
        result.n = 5  # type: ignore[misc]
    assert all(hasattr(perturb.metrics, name) for name in perturb.metrics.__all__)


def test_a_table_in_which_every_refusal_is_wrong_looks_like_one_without_a_second_pass() -> None:
    found = refusal_index([1] * 30 + [0] * 70, [1] * 30 + [1] * 20 + [0] * 50)
    assert found.refusal_index == pytest.approx(1)
    assert str(found.warning).count("second pass") == 1
    other = refusal_index([1] * 30 + [0] * 70, [0] + [1] * 29 + [1] * 20 + [0] * 50)
    assert "second pass" not in str(other.warning)
