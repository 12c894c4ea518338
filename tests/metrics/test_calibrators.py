"""Calibration maps: what they learn, that they survive JSON, and that no row they learned from is scored."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings, strategies
from sklearn.isotonic import IsotonicRegression

from perturb.metrics.calibrated_scores import (
    METHODS,
    CalibrationMap,
    Method,
    calibrate,
    calibration_ablation,
    calibration_split,
    fit_map,
)


def overconfident(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Answers right with probability p that are stated at p³ / (p³ + (1 - p)³): too sure either way."""
    rng = np.random.default_rng(seed)
    p = rng.uniform(0.05, 0.99, n)
    return rng.uniform(size=n) < p, (p**3 / (p**3 + (1 - p) ** 3)).round(3)


def test_the_isotonic_map_is_that_of_scikit_learn() -> None:
    correct, stated = overconfident(400)
    model = IsotonicRegression(out_of_bounds="clip").fit(stated, correct)
    grid = np.linspace(0, 1, 101)
    assert np.allclose(fit_map(correct, stated).apply(grid), model.predict(grid))


@pytest.mark.parametrize("method", METHODS)
def test_every_map_mends_overconfidence_on_rows_it_has_not_seen(method: Method) -> None:
    correct, stated = overconfident(4000)
    rows = calibrate(correct, stated, np.arange(4000) < 2000, methods=[method], resamples=50)
    before, after = rows.before.metrics, rows.after[method].metrics
    assert after["bas_uniform"].value > before["bas_uniform"].value + 0.02  # type: ignore[operator]
    assert after["ece"].value < before["ece"].value  # type: ignore[operator]
    gain = rows.gains[method]
    assert gain.low is not None
    assert gain.low > 0
    assert gain.value == pytest.approx(after["bas_uniform"].value - before["bas_uniform"].value)  # type: ignore[operator]


def test_platt_and_temperature_find_what_was_planted() -> None:
    rng = np.random.default_rng(3)
    logits = rng.normal(0, 1, 40_000)
    stated = 1 / (1 + np.exp(-2 * logits))
    correct = rng.uniform(size=40_000) < 1 / (1 + np.exp(-logits))
    assert fit_map(correct, stated, "temperature").parameters["temperature"][0] == pytest.approx(2, abs=0.1)
    platt = fit_map(correct, stated, "platt").parameters
    assert platt["slope"][0] == pytest.approx(0.5, abs=0.03)
    assert platt["intercept"][0] == pytest.approx(0, abs=0.03)


def test_the_histogram_gives_each_bin_its_accuracy_and_an_empty_one_its_middle() -> None:
    fitted = fit_map([1, 0, 1, 1], [0.15, 0.12, 0.95, 1.0], "histogram")
    assert fitted.apply([0.11, 0.99, 0.55]).tolist() == pytest.approx([0.5, 1.0, 0.55])


@pytest.mark.parametrize("method", METHODS)
@given(data=strategies.data())
@settings(max_examples=25, deadline=None)
def test_maps_stay_in_range_never_decrease_and_survive_json(
    method: Method, data: strategies.DataObject
) -> None:
    cell = strategies.tuples(strategies.booleans(), strategies.floats(0, 1))
    correct, stated = zip(*data.draw(strategies.lists(cell, min_size=1, max_size=30)), strict=True)
    fitted = fit_map(correct, stated, method)
    grid = fitted.apply(np.linspace(0, 1, 51))
    assert np.all((grid >= 0) & (grid <= 1))
    if method in ("isotonic", "temperature"):
        assert np.all(np.diff(grid) >= -1e-12)
    again = CalibrationMap.from_dict(json.loads(json.dumps(fitted.to_dict(), allow_nan=False)))
    assert again == fitted


def test_no_row_of_the_calibration_split_is_scored() -> None:
    correct, stated = overconfident(300)
    split = calibration_split(300, share=0.4, seed=5)
    first = calibrate(correct, stated, split, resamples=10)
    assert (first.n_calibration, first.n_scored, first.before.n) == (120, 180, 180)
    assert all(report.n == 180 for report in first.after.values())

    # scored rows decide nothing of the map …
    changed = np.where(split, correct, ~correct)
    second = calibrate(changed, stated, split, resamples=10)
    assert second.maps == first.maps
    assert second.before.metrics != first.before.metrics
    # … and rows of the split nothing of the scores but by way of the map.
    third = calibrate(np.where(split, ~correct, correct), stated, split, resamples=10)
    assert third.before.metrics == first.before.metrics
    by_hand = np.minimum(first.maps["isotonic"].apply(stated[~split]), 1 - 1e-4)
    assert first.after["isotonic"].weighted_score() == pytest.approx(
        float(np.mean(np.where(correct[~split], by_hand, by_hand + np.log1p(-by_hand))))
    )


def test_rows_of_one_question_stay_on_one_side() -> None:
    questions = np.repeat(np.arange(50), 4)
    split = calibration_split(200, share=0.5, clusters=questions, seed=1)
    assert split.sum() == 100
    assert not set(questions[split]) & set(questions[~split])
    assert (split != calibration_split(200, share=0.5, clusters=questions, seed=2)).any()
    assert (split == calibration_split(200, share=0.5, clusters=questions, seed=1)).all()


def test_the_ablation_learns_from_the_split_alone_and_gets_better_with_size() -> None:
    correct, stated = overconfident(3000)
    split = np.arange(3000) < 1000
    rows = calibration_ablation(correct, stated, split, repeats=10)
    assert [row.size for row in rows] == [10, 25, 50, 100, 250, 500, 1000]
    assert rows[0].bas.mean < rows[-1].bas.mean
    assert rows[0].ece.mean > rows[-1].ece.mean
    assert rows[-1].bas.sd == pytest.approx(0), "the whole split is drawn every time"
    assert rows[0].bas.sd > 0
    fitted = fit_map(correct[split], stated[split]).apply(stated[~split])
    whole = calibrate(correct, stated, split, methods=["isotonic"], resamples=10)
    assert rows[-1].bas.mean == pytest.approx(whole.after["isotonic"].weighted_score())
    assert len(fitted) == 2000
    assert [
        row.size for row in calibration_ablation(correct, stated, split, sizes=[20, 2000], repeats=1)
    ] == [20]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("right", [0, 1])
def test_one_class_and_a_constant_confidence_are_no_failure(method: Method, right: int) -> None:
    assert 0 <= fit_map([right] * 5, [0.7] * 5, method).apply([0.7])[0] <= 1


def test_bad_input_is_one_line() -> None:
    with pytest.raises(ValueError, match="unknown method 'magic'"):
        fit_map([1], [0.5], "magic")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="percentages"):
        fit_map([1, 0], [85, 90])
    with pytest.raises(ValueError, match="must both hold a row"):
        calibrate([1, 0], [0.5, 0.5], [1, 1])
    with pytest.raises(ValueError, match="share"):
        calibration_split(10, share=1.5)
    with pytest.raises(ValueError, match="1 questions cannot be split"):
        calibration_split(1)
    with pytest.raises(ValueError, match="1 or more"):
        calibration_ablation([1, 0], [0.5, 0.5], [1, 0], sizes=[0])


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"method": "magic", "n": 1, "parameters": {}},
        {"method": "platt", "n": 1, "parameters": {"slope": [1]}},
        {"method": "platt", "n": 1, "parameters": {"slope": ["x"], "intercept": [0]}},
        {"method": "isotonic", "n": 1, "parameters": {"stated": [0, 1], "calibrated": [0]}},
        {"method": "isotonic", "n": 1, "parameters": {"stated": [], "calibrated": []}},
        {"method": "temperature", "parameters": {"temperature": [1]}},
        {"method": "temperature", "n": 1, "parameters": {"temperature": [1], "stated": [0]}},
    ],
)
def test_a_damaged_map_is_refused(content: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="not a"):
        CalibrationMap.from_dict(content)
