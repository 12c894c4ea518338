from __future__ import annotations

import json
import math
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from scipy.integrate import quad
from scipy.stats import beta

from perturb.metrics import BASReport, bas_score
from perturb.metrics.bas import CLIP, PRIORS, bas_utility, decision_curve
from perturb.metrics.bas_report import HIGHER_IS_BETTER
from perturb.metrics.calibration import aurc, brier_loss, expected_calibration_error, log_loss

EXAMPLES = [  # correctness, confidence, BAS as the paper's appendix C prints it, its digits
    ([1, 1, 0, 0], [0.7, 0.7, 0.3, 0.3], 0.32, 2),
    ([1, 1, 0, 0], [0.9, 0.9, 0.99, 0.01], -0.45, 2),
    ([0, 1, 1, 1, 0, 0], [0.9, 0.8, 0.7, 0.4, 0.3, 0.2], 0.07, 2),
    ([0, 1, 1, 1, 0, 0], [0.99, 0.85, 0.75, 0.45, 0.35, 0.25], -0.28, 2),
    ([1, 1, 0, 0], [0.9, 0.01, 0.1, 0.1], 0.22, 2),
    ([1, 1, 0, 0], [0.9, 0.9, 0.1, 0.99], -0.46, 2),
    ([1, 0], [0.999, 0.999], -2.45, 2),
    ([1, 0], [0.001, 0.001], 0.0005, 4),
]
DENSITIES: dict[str, Callable[[float], float]] = {
    "uniform": lambda t: 1.0,
    "linear": lambda t: 2 * t,
    "quadratic": lambda t: 3 * t**2,
}


def random_answers(n: int, seed: int, digits: int = 2) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    confidence = rng.beta(4, 2, n).round(digits)
    return rng.random(n) < 0.8 * confidence, confidence


@pytest.mark.parametrize(("correct", "confidence", "printed", "digits"), EXAMPLES)
def test_worked_examples(correct: list[int], confidence: list[float], printed: float, digits: int) -> None:
    assert round(bas_score(correct, confidence), digits) == printed


def unbinned(correct: ArrayLike, confidence: ArrayLike) -> float:
    return expected_calibration_error(correct, confidence, binning="unbinned")


@pytest.mark.parametrize(
    ("first", "metric", "printed"),
    [
        (0, unbinned, 0.30),
        (4, log_loss, 1.23),
        (4, brier_loss, 0.25),
        (6, log_loss, 3.45),
        (6, brier_loss, 0.50),
    ],
)
def test_worked_examples_share_another_metric(
    first: int, metric: Callable[[ArrayLike, ArrayLike], float], printed: float
) -> None:
    for correct, confidence, *_ in EXAMPLES[first : first + 2]:
        assert round(metric(correct, confidence), 2) == printed


def test_worked_examples_share_the_area_under_the_curve() -> None:
    assert aurc(*EXAMPLES[2][:2]) == aurc(*EXAMPLES[3][:2])


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("s", [0.0, 0.2, 0.77, 0.999, 1.0])
def test_closed_forms_are_the_integrals(prior: str, s: float) -> None:
    density, end = DENSITIES[prior], min(s, 1 - CLIP)
    gain, _ = quad(density, 0, end)
    loss, _ = quad(lambda t: t / (1 - t) * density(t), 0, end, limit=200)
    assert bas_utility([1, 0], [s, s], prior) == pytest.approx([gain, -loss], abs=1e-8)


@pytest.mark.parametrize("prior", PRIORS)
def test_quadrature_agrees_with_the_closed_forms(prior: str) -> None:
    correct, confidence = random_answers(500, seed=1, digits=5)
    confidence[:3] = [0.0, 1.0, 0.9999]
    named, integrated = (
        bas_utility(correct, confidence, prior),
        bas_utility(correct, confidence, DENSITIES[prior]),
    )
    assert integrated == pytest.approx(named, abs=1e-10)


def test_quadrature_copes_with_steps_and_poles() -> None:
    def step(t: float) -> float:
        return 4.0 if t > 0.75 else 0.0  # takes one number at a time

    gain = bas_utility([1, 1, 1], [0.5, 0.8, 1.0], step)
    assert gain == pytest.approx([0, 0.2, 4 * (0.25 - CLIP)], abs=1e-7)
    density = beta(2, 5).pdf
    loss, _ = quad(lambda t: t / (1 - t) * density(t), 0, 0.6)
    assert bas_utility([0], [0.6], density)[0] == pytest.approx(-loss, abs=1e-9)


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        (lambda t: 0.5, "integrates to 0.5"),
        (lambda t: 4 * t - 1, "negative"),
        (lambda t: np.where(t > 0.5, np.inf, 1.0), "not finite"),
        ("cubic", "unknown prior 'cubic'"),
    ],
)
def test_a_prior_that_is_no_density_is_refused(prior: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bas_score([1, 0], [0.5, 0.5], prior)  # type: ignore[arg-type]


@settings(deadline=None, max_examples=50)
@given(st.floats(0, 0.9999), st.floats(0, 0.9999), st.sampled_from(PRIORS))
def test_truth_maximises_expected_utility(p: float, s: float, prior: str) -> None:
    """Theorems 2.1 and B.1: no report s earns more in expectation than the true probability p."""

    def expected(stated: float) -> float:
        right, wrong = bas_utility([1, 0], [stated, stated], prior)
        return p * float(right) + (1 - p) * float(wrong)

    assert expected(p) >= expected(s) - 1e-12
    if abs(p - s) > 0.01 and max(p, s) > 0.05:
        assert expected(p) > expected(s)


def test_the_best_of_a_grid_of_reports_is_the_truth() -> None:
    grid = np.linspace(0, 0.99, 100)
    for prior in (*PRIORS, beta(2, 3).pdf):
        right, wrong = bas_utility(np.ones(100), grid, prior), bas_utility(np.zeros(100), grid, prior)
        for p in (0.13, 0.5, 0.86):
            assert grid[np.argmax(p * right + (1 - p) * wrong)] == pytest.approx(p)


def test_overconfidence_costs_more_than_its_mirror_image() -> None:
    assert bas_score([0], [0.9]) < bas_score([1], [0.1])
    assert log_loss([0], [0.9]) == pytest.approx(log_loss([1], [0.1]))


def test_certainty_is_clipped() -> None:
    assert bas_utility([1, 0], [1.0, 1.0]).tolist() == pytest.approx([1 - CLIP, 1 - CLIP + math.log(CLIP)])
    assert bas_score([1, 0], [0.0, 0.0]) == 0


def test_decision_curve_integrates_to_bas() -> None:
    correct, confidence = random_answers(300, seed=2)
    t = np.linspace(0, 1, 200_001)[:-1]
    curve = decision_curve(correct, confidence, t)
    area = float(np.sum((curve.utility[1:] + curve.utility[:-1]) / 2 * np.diff(t)))
    assert area == pytest.approx(bas_score(correct, confidence), abs=1e-4)
    assert np.all(np.diff(curve.answered) <= 0)
    assert decision_curve(correct, confidence).utility[0] == pytest.approx(np.mean(correct))
    with pytest.raises(ValueError, match="thresholds"):
        decision_curve(correct, confidence, [1.0])


@pytest.mark.parametrize(
    ("correct", "confidence", "message"),
    [
        ([1, 0], [0.5, 1.2], r"row 1 holds 1.2$"),
        ([1, 0], [0.5, 15], r"row 1 holds 15: these look like percentages"),
        ([1, 0], [85, 90], r"percentages, divide them by 100"),
        ([1, 0], [0.5, -0.1], r"row 1 holds -0.1$"),
        ([1, 0], [0.5, float("nan")], "confidence: row 1 holds nan"),
        ([1, 0], [0.5, None], "missing or not"),
        ([], [], "is_correct is empty"),
        ([1], [0.5, 0.6], "is_correct has 1, confidence has 2"),
        ([1, 3], [0.5, 0.6], "neither 0 nor 1"),
        ([1, 0], ["0.5", "high"], "numbers are expected"),
    ],
)
def test_bad_columns_are_named(correct: ArrayLike, confidence: ArrayLike, message: str) -> None:
    for metric in (bas_score, BASReport, aurc, log_loss):
        with pytest.raises(ValueError, match=message):
            metric(correct, confidence)


def test_the_papers_listing_runs(tmp_path: object, capsys: pytest.CaptureFixture[str]) -> None:
    correct, confidence = random_answers(200, seed=3)
    df = pd.DataFrame({"is_correct": correct, "confidence": confidence})
    score = bas_score(df["is_correct"], df["confidence"])
    report = BASReport(df["is_correct"], df["confidence"])
    report.print_summary()
    safety_score = report.weighted_score(prior="quadratic")
    assert score == pytest.approx(np.where(correct, confidence, confidence + np.log(1 - confidence)).mean())
    assert safety_score == pytest.approx(bas_score(correct, confidence, "quadratic"))
    printed = capsys.readouterr().out
    assert f"{score:.4f}" in printed
    assert f"{safety_score:.4f}" in printed
    assert "n = 200" in printed
    for name, better in (("bas_uniform", "higher"), ("ece", "lower")):
        one = report.metrics[name]
        line = next(line for line in printed.splitlines() if line.startswith(name))
        assert line.endswith(f"{one.value:.4f}   [{one.low:8.4f},{one.high:8.4f}] {better}")


def test_a_report_needs_a_bin_and_prints_without_intervals(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="bins must be 1 or more, got 0"):
        BASReport([1, 0], [0.5, 0.5], bins=0)
    BASReport([1, 0, 1], [0.9, 0.5, 0.7], bins=1, clusters=["q"] * 3).print_summary()
    assert "[" not in capsys.readouterr().out


def test_report_agrees_with_the_single_functions() -> None:
    correct, confidence = random_answers(400, seed=4)
    report = BASReport(correct, confidence, bins=7)
    values = {name: estimate.value for name, estimate in report.metrics.items()}
    assert values == pytest.approx(
        {
            **{f"bas_{prior}": bas_score(correct, confidence, prior) for prior in PRIORS},
            "accuracy": correct.mean(),
            "ece": expected_calibration_error(correct, confidence, bins=7),
            "aurc": aurc(correct, confidence),
            "brier": brier_loss(correct, confidence),
            "log_loss": log_loss(correct, confidence),
        }
    )
    frame = report.to_frame()
    assert frame.set_index("metric")["value"].to_dict() == values
    assert not frame.isna().to_numpy().any()
    assert frame.set_index("metric")["higher_is_better"].to_dict()["aurc"] is False
    fields = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert set(fields["bas"]) == set(PRIORS)
    assert {"accuracy", "ece", "aurc", "brier", "log_loss", "n", "intervals"} <= set(fields)


def test_intervals_do_not_depend_on_merging_equal_rows() -> None:
    correct, confidence = random_answers(300, seed=5)
    merged = BASReport(correct, confidence, resamples=4000)
    single = BASReport(correct, confidence, clusters=np.arange(300), resamples=4000)
    for name, estimate in merged.metrics.items():
        other = single.metrics[name]
        assert estimate.value == pytest.approx(other.value)
        assert estimate.se == pytest.approx(other.se, rel=0.08)


def test_standard_errors_match_theory() -> None:
    correct, confidence = random_answers(2000, seed=6)
    metrics = BASReport(correct, confidence, resamples=2000).metrics
    expected = bas_utility(correct, confidence).std() / np.sqrt(2000)
    assert metrics["bas_uniform"].se == pytest.approx(expected, rel=0.08)
    assert metrics["accuracy"].se == pytest.approx(np.std(correct) / np.sqrt(2000), rel=0.08)


def test_many_distinct_confidences_take_poisson_weights() -> None:
    correct, confidence = random_answers(12_000, seed=7, digits=12)
    metrics = BASReport(correct, confidence, resamples=300).metrics
    expected = bas_utility(correct, confidence).std() / np.sqrt(12_000)
    assert metrics["bas_uniform"].se == pytest.approx(expected, rel=0.15)
    assert metrics["aurc"].value == pytest.approx(aurc(correct, confidence), abs=1e-12)


def test_single_class_and_constant_confidence_have_values() -> None:
    for correct, confidence in (([1, 1, 1], [0.8, 0.8, 0.8]), ([0, 0, 0], [0.2, 0.5, 0.9]), ([1], [1.0])):
        report = BASReport(correct, confidence)
        assert all(e.value is not None and math.isfinite(e.value) for e in report.metrics.values())


def test_without_clusters_equal_answers_are_merged_and_with_them_they_are_not() -> None:
    rows = BASReport([1, 1, 0, 1], [0.9, 0.9, 0.9, 0.4])._rows
    assert (rows.counts.tolist(), rows.codes) == ([1, 2, 1], None)
    kept = BASReport([1, 1, 0, 1], [0.9, 0.9, 0.9, 0.4], clusters=["b", "a", "a", "b"])._rows
    assert kept.codes is not None
    assert (kept.counts.tolist(), kept.codes.tolist()) == ([1] * 4, [1, 0, 0, 1])


def test_one_cluster_has_no_interval_and_says_so() -> None:
    """Nor has a sure model without an error an interval of no width."""
    alone = BASReport([1, 0, 1], [0.9, 0.5, 0.7], clusters=["q"] * 3).metrics["bas_uniform"]
    assert (alone.low, alone.high) == (None, None)
    assert "one base instance" in str(alone.reason)
    sure = BASReport([1] * 30, [1.0] * 30).metrics["bas_uniform"]
    assert sure.low is not None
    assert sure.low < 0 < 0.99 < float(sure.value or 0)


def test_other_questions_may_be_easier_also_where_nothing_was_wrong() -> None:
    """The least Brier loss of these answers is not the least of others, but no loss is below 0."""
    loss = BASReport([1] * 30, [0.5, 0.7, 0.9, 0.95, 0.99, 1.0] * 5).metrics["brier"]
    assert loss.low is not None
    assert 0 <= loss.low < 0.6 * float(loss.value or 0)


def test_a_report_takes_one_bin_or_more() -> None:
    assert BASReport([1, 0], [0.5, 0.9], bins=1).metrics["ece"].value == pytest.approx(0.2)
    with pytest.raises(ValueError, match="bins must be 1 or more, got 0"):
        BASReport([1, 0], [0.5, 0.9], bins=0)


def test_a_summary_shows_intervals_where_there_are_any(capsys: pytest.CaptureFixture[str]) -> None:
    BASReport([1, 0, 1], [0.9, 0.5, 0.7], clusters=["a", "b", "b"]).print_summary()
    assert capsys.readouterr().out.count("[") == 8
    BASReport([1, 0, 1], [0.9, 0.5, 0.7], clusters=["a"] * 3).print_summary()
    printed = capsys.readouterr().out
    assert "[" not in printed
    assert len(printed.splitlines()) == 2 + len(HIGHER_IS_BETTER)


def test_honest_beats_over_and_underconfident_where_ece_sees_no_difference() -> None:
    # accuracy 0.5 in two groups of 0.3 and 0.7; the others overstate or understate by the same 0.2
    correct = np.repeat([1, 0, 1, 0], [300, 700, 700, 300])
    truth = np.repeat([0.3, 0.7], 1000)
    scores = {shift: bas_score(correct, truth + shift) for shift in (0.0, 0.2, -0.2)}
    errors = {shift: expected_calibration_error(correct, truth + shift) for shift in (0.2, -0.2)}
    assert errors[0.2] == pytest.approx(errors[-0.2])
    assert scores[0.0] > scores[-0.2] > scores[0.2]
