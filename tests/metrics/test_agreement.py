"""The agreement coefficients against the libraries that people know, and at their edges."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from perturb.metrics.agreement import (
    VoteWords,
    cohen_kappa,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    no_variance,
    pabak,
    raw_agreement,
)

PANEL_METRICS = [raw_agreement, pabak, gwet_ac1, fleiss_kappa, krippendorff_alpha]


def votes_of(seed: int, raters: int = 4, missing: float = 0.0, prevalence: float = 0.8) -> Any:
    rng = np.random.default_rng(seed)
    quality = rng.random((200, 1)) < prevalence
    slips = rng.random((200, raters)) < 0.2
    votes = (quality ^ slips).astype(float)
    votes[rng.random(votes.shape) < missing] = np.nan
    return votes


@pytest.mark.parametrize("seed", range(5))
def test_cohen_kappa_is_scikit_learns(seed: int) -> None:
    from sklearn.metrics import cohen_kappa_score

    a, b = votes_of(seed, raters=2).T
    assert cohen_kappa(a, b).value == pytest.approx(cohen_kappa_score(a, b))


@pytest.mark.parametrize("seed", range(5))
def test_fleiss_kappa_is_statsmodels(seed: int) -> None:
    inter_rater = pytest.importorskip("statsmodels.stats.inter_rater")
    votes = votes_of(seed)
    counts = inter_rater.aggregate_raters(votes)[0]
    assert fleiss_kappa(votes).value == pytest.approx(inter_rater.fleiss_kappa(counts))


@pytest.mark.parametrize("missing", [0.0, 0.3, 0.6])
def test_krippendorff_alpha_is_the_packages(missing: float) -> None:
    krippendorff = pytest.importorskip("krippendorff")
    votes = votes_of(3, missing=missing)
    reference = krippendorff.alpha(reliability_data=votes.T, level_of_measurement="nominal")
    assert krippendorff_alpha(votes).value == pytest.approx(reference)


def test_for_two_raters_the_panel_pabak_is_the_pairs() -> None:
    votes = votes_of(4, raters=2)
    agreed = float((votes[:, 0] == votes[:, 1]).mean())
    assert raw_agreement(votes).value == pytest.approx(agreed)
    assert pabak(votes).value == pytest.approx(2 * agreed - 1)


def test_high_prevalence_sinks_kappa_and_not_ac1() -> None:
    votes = [[1, 1]] * 96 + [[1, 0]] * 2 + [[0, 1]] * 2
    kappa, ac1 = cohen_kappa(*zip(*votes, strict=True)).value, gwet_ac1(votes).value
    assert kappa is not None
    assert ac1 is not None
    assert kappa < 0 < 0.95 < ac1


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        ([1, 1, 1], [1, 0, 1], "the first rater passed every item"),
        ([1, 0, 1], [0, 0, 0], "the second rater failed every item"),
        ([1, 1], [1, 1], "the first rater passed every item"),
        ([1, None], [None, 0], "no item was scored by both raters"),
        ([], [], "no item was scored by both raters"),
    ],
)
def test_kappa_without_variance_is_undefined_with_the_reason(first: Any, second: Any, reason: str) -> None:
    estimate = cohen_kappa(first, second)
    assert estimate.value is None
    assert estimate.reason == reason


def test_all_votes_alike_leave_the_chance_corrected_coefficients_undefined() -> None:
    votes = [[1, 1, 1]] * 10
    assert fleiss_kappa(votes).value is None
    assert krippendorff_alpha(votes).value is None
    assert fleiss_kappa(votes).reason == "all votes are the same: chance agreement is 1"
    assert gwet_ac1(votes).value == 1
    assert pabak(votes).value == 1


@pytest.mark.parametrize("metric", PANEL_METRICS)
def test_no_two_votes_on_an_item_is_undefined(metric: Any) -> None:
    estimate = metric([[1, None], [None, 0]])
    assert estimate.value is None
    assert estimate.n == 0


@pytest.mark.parametrize("metric", PANEL_METRICS)
def test_the_order_and_the_naming_of_votes_do_not_matter(metric: Any) -> None:
    votes = votes_of(7, missing=0.2)
    value = metric(votes).value
    assert metric(votes[::-1, ::-1]).value == pytest.approx(value)
    assert metric(1 - votes).value == pytest.approx(value)


@pytest.mark.parametrize("metric", PANEL_METRICS)
def test_a_missing_vote_may_be_none_nan_or_masked(metric: Any) -> None:
    with_nan = votes_of(8, missing=0.2)
    with_none = [[None if np.isnan(vote) else bool(vote) for vote in row] for row in with_nan]
    masked = np.ma.masked_array(np.nan_to_num(with_nan).astype(int), mask=np.isnan(with_nan))
    assert metric(with_none) == metric(with_nan) == metric(masked)


@pytest.mark.parametrize("metric", PANEL_METRICS)
def test_an_item_with_a_single_vote_is_no_agreement(metric: Any) -> None:
    votes = votes_of(9, raters=3)
    assert metric(votes).n == 200
    assert metric(np.vstack([votes, [[1, np.nan, np.nan]]])).n == 200


@pytest.mark.parametrize("bad", [[[1, 2]], [["pass", "fail"]], [[1, -1]]])
def test_other_values_are_refused(bad: Any) -> None:
    with pytest.raises(ValueError, match="must hold 0 and 1"):
        raw_agreement(bad)


def test_shapes_are_checked() -> None:
    with pytest.raises(ValueError, match="shape"):
        fleiss_kappa([1, 0, 1])
    with pytest.raises(ValueError, match="one length"):
        cohen_kappa([1, 0], [1, 0, 1])


def test_no_warning_comes_out_of_empty_denominators() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for metric in PANEL_METRICS:
            assert metric(np.empty((0, 3))).value is None


@pytest.mark.parametrize(
    ("counts", "reason"),
    [
        ([0, 0, 0, 0], "no reply was scored by both raters"),
        ([3, 1, 0, 0], "candidate-7b credited every reply"),
        ([0, 0, 0, 4], "candidate-7b did not credit every reply"),
        ([2, 0, 2, 0], "verifiers-1 credited every reply"),
        ([1, 1, 1, 1], None),
    ],
)
def test_a_reason_keeps_the_name_of_a_judge(counts: list[float], reason: str | None) -> None:
    words = VoteWords("reply", "credited", "did not credit", "judges")
    assert no_variance(np.array(counts, dtype=float), "candidate-7b", "verifiers-1", words) == reason
