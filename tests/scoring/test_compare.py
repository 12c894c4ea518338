"""Two models on the same items, and models on the items they made."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

from perturb.metrics.ranking import holm
from perturb.metrics.refusal_registry import REFUSAL_METRICS
from perturb.scoring.model_comparison import ModelComparison, SelfGeneratedComparison, compare_models
from perturb.scoring.model_scores import Resampling
from perturb.scoring.score_report import score
from tests.scoring.tables import Row, items, reply, right, right_at_rate, table, wrong


def comparisons(
    rows: list[Row], metric: str = "refusal_accuracy", resamples: int = 300
) -> list[ModelComparison]:
    found = score(table(rows), resamples=resamples).comparisons
    return [one for one in found if one.metric == metric]


def test_every_metric_is_compared_for_every_pair() -> None:
    rows = [row for model in "abc" for row in right_at_rate(0.6, model, 90, seed=ord(model))]
    found = score(table(rows), resamples=20).comparisons
    assert [(one.metric, one.a, one.b) for one in found] == [
        (metric, *pair) for metric in REFUSAL_METRICS for pair in (("a", "b"), ("a", "c"), ("b", "c"))
    ]


def test_a_single_model_is_not_compared() -> None:
    assert comparisons(right_at_rate(0.6, "a", 90, seed=1)) == []


@pytest.mark.parametrize("metric", REFUSAL_METRICS)
def test_the_difference_is_that_of_the_scores(metric: str) -> None:
    rows = [row for model in "ab" for row in right_at_rate(0.6, model, 90, seed=ord(model))]
    report = score(table(rows), resamples=20)
    a, b = (model.metrics[metric].value for model in report.models)
    (found,) = [comparison for comparison in report.comparisons if comparison.metric == metric]
    if a is None or b is None:
        assert (found.difference.value, found.p_value, found.p_holm) == (None, None, None)
        assert found.difference.reason
    else:
        assert found.difference.value == pytest.approx(a - b)


def test_equal_models_do_not_differ() -> None:
    rows = [{**row, "model": model} for model in "ab" for row in right_at_rate(0.6, "x", 90, seed=1)]
    (found,) = comparisons(rows)
    low, high = found.difference.low, found.difference.high
    assert found.difference.value == 0
    assert low is not None
    assert high is not None
    assert low == pytest.approx(-high)
    assert 0.005 < high < 0.1  # 60 items say no more than that they hardly differ
    assert (found.p_value, found.p_holm) == (1, 1)


def test_a_clear_difference_has_a_small_p_and_an_interval_off_0() -> None:
    rows = right_at_rate(0.9, "a", 360, seed=1) + right_at_rate(0.5, "b", 360, seed=2)
    (found,) = comparisons(rows)
    assert found.p_value is not None
    assert found.p_value < 1e-3  # the smallest that 9,999 patterns of signs can give is 1e-4
    assert found.difference.low is not None
    assert found.difference.low > 0.2


def test_pairing_narrows_the_interval() -> None:
    """Two models that fail on the same items, but for one item in ten."""
    first = right_at_rate(0.5, "a", 900, seed=1)
    rng = np.random.default_rng(2)
    second = [
        {**row, "model": "b"} if rng.random() < 0.9 else right(item, "b")
        for row, item in zip(first, items(900), strict=True)
    ]
    report = score(table(first + second), resamples=500)
    alone = [model.metrics["refusal_accuracy"].se for model in report.models]
    (found,) = [comparison for comparison in report.comparisons if comparison.metric == "refusal_accuracy"]
    assert None not in alone
    assert found.difference.se is not None
    assert found.difference.se < 0.6 * float(np.hypot(*alone))  # type: ignore[arg-type]


def test_p_values_are_small_as_often_as_they_say() -> None:
    """Under no difference, the share of p below 0.2 is about 0.2: 60 pairs, so 0.2 ± 0.15."""
    rows = [row for seed in range(120) for row in right_at_rate(0.6, f"m{seed}", 90, seed=seed)]
    models = table(rows).models
    small = 0
    for pair in zip(models[::2], models[1::2], strict=True):
        compared = compare_models(pair, Resampling(99))
        (p_value,) = [one.p_value for one in compared if one.metric == "refusal_accuracy"]
        assert p_value is not None
        small += p_value < 0.2
    assert 0.05 < small / 60 < 0.35


def test_models_are_compared_on_the_items_they_share() -> None:
    a = right_at_rate(0.9, "a", 180, seed=1)
    b = [wrong(item, "b") for item in items(90)]
    report = score(table(a + b), resamples=20)
    (found,) = [comparison for comparison in report.comparisons if comparison.metric == "missed_refusal_rate"]
    on_shared = [row["predicted"] == "ANSWER" for row in a[:90] if row["intensity"] != "LOW"]
    assert found.difference.n == 90
    assert found.difference.value == pytest.approx(np.mean(on_shared) - 1)
    assert report.warnings == (
        "made up: model 'b' has replies to 90 of 180 items: the others are not scored",
    )


def test_two_models_that_share_no_item_have_no_difference() -> None:
    every = items(60)
    rows = [right(item, "a") for item in every]
    rows += [right(item, "b") for item in every[:30]] + [right(item, "c") for item in every[30:]]
    found = {(comparison.a, comparison.b): comparison for comparison in comparisons(rows, resamples=20)}
    assert found["b", "c"].difference.reason == "the two models share no item"
    assert found["b", "c"].p_holm is None
    assert found["a", "b"].p_holm == 1


@pytest.mark.parametrize("seed", range(5))
def test_holm_is_that_of_statsmodels(seed: int) -> None:
    p_values = np.random.default_rng(seed).random(7) ** 3
    assert holm(p_values.tolist()) == pytest.approx(multipletests(p_values, method="holm")[1])
    assert holm([]) == []


def test_the_correction_is_over_pairs_of_one_metric() -> None:
    rows = [
        row
        for model, rate in zip("abc", (0.9, 0.6, 0.3), strict=True)
        for row in right_at_rate(rate, model, 360, 1)
    ]
    found = comparisons(rows)
    assert [one.p_holm for one in found] == holm([one.p_value for one in found])
    assert all(one.p_holm is not None and one.p_holm < 1e-3 for one in found)


# -- own items -------------------------------------------------------------------------------------------------


def own_items(rows: list[Row]) -> dict[tuple[str, str], SelfGeneratedComparison]:
    found = score(table(rows), resamples=300).own_items
    return {(one.model, one.metric): one for one in found}


def test_a_model_that_knows_its_own_items_is_found_out() -> None:
    """lab/g0 is right on all its own items and on 60 % of the others; g1 on 60 % throughout."""
    favoured = [
        right(item, "lab/g0") if item["generator"] == "g0" else row
        for item, row in zip(items(540), right_at_rate(0.6, "lab/g0", 540, seed=1), strict=True)
    ]
    found = own_items(favoured + right_at_rate(0.6, "g1", 540, seed=2))
    own, other = found["lab/g0", "refusal_accuracy"], found["g1", "refusal_accuracy"]
    assert own.own == 1
    assert own.difference.value == pytest.approx(0.4, abs=0.06)
    assert own.beyond_peers.low is not None
    assert own.beyond_peers.low > 0.2
    assert other.difference.value == pytest.approx(0, abs=0.1)


def test_easy_items_are_not_taken_for_a_models_own_merit() -> None:
    rows = [
        row
        for model, seed in (("g0", 1), ("g1", 2), ("g2", 3))
        for item, drawn in zip(items(540), right_at_rate(0.5, model, 540, seed=seed), strict=True)
        for row in [right(item, model) if item["generator"] == "g0" else drawn]
    ]
    found = own_items(rows)["g0", "refusal_accuracy"]
    assert found.difference.value == pytest.approx(0.5, abs=0.06)
    assert found.beyond_peers.value == pytest.approx(0, abs=0.06)


def test_alone_a_model_has_no_peers() -> None:
    found = own_items(right_at_rate(0.6, "g0", 180, seed=1))["g0", "calibrated_refusal_score"]
    assert found.difference.value is not None
    assert found.beyond_peers.reason == "no other model replied to these items"


def test_models_that_made_nothing_are_not_listed() -> None:
    assert own_items(right_at_rate(0.6, "other", 180, seed=1)) == {}
    everything = [{**row, "generator": "m"} for row in right_at_rate(0.6, "m", 180, seed=1)]
    assert own_items(everything) == {}


def test_an_undefined_side_has_no_difference() -> None:
    rows = [{**reply(item, "g0", None if item["generator"] == "g0" else "ANSWER")} for item in items(180)]
    found = own_items(rows)["g0", "refusal_accuracy"]
    assert (found.own, found.others) == (None, 0)
    assert found.difference.reason == "the metric is undefined on one side"
