"""Item response theory: gradients, known parameters found again, what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import check_grad

from perturb.metrics.inputs import Floats
from perturb.metrics.item_response import MIN_ITEMS, MIN_MODELS, _Likelihood, item_responses
from tests.simulated_responses import correlation, held, recover, simulate


def test_the_gradient_is_that_of_the_likelihood() -> None:
    world = simulate(0, 5, 60)
    world.right[1, 3] = np.nan
    likelihood = _Likelihood(world.right, world.groups)
    at = np.random.default_rng(1).normal(0, 0.5, likelihood.n_parameters)

    def value(x: Floats) -> float:
        return likelihood.loss(x)[0]

    def slope(x: Floats) -> Floats:
        return likelihood.loss(x)[1]

    error = check_grad(value, slope, at)
    assert error < 1e-4 * np.abs(likelihood.loss(at)[1]).max()


def test_the_likelihood_sums_to_1_over_all_patterns() -> None:
    """Of one group and four models: sixteen patterns, each once."""
    patterns = np.array([[float(number >> place & 1) for number in range(16)] for place in range(4)])
    likelihood = _Likelihood(patterns, np.zeros(16, dtype=np.int64))
    values, _ = likelihood.terms(np.array([0.3, -0.5, 0.2, 0.4, 0.1, -1.0]))
    assert float(np.exp(-values).sum()) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize(("models", "shared"), [(4, 0.0), (10, 0.8)])
def test_known_parameters_are_found_again(models: int, shared: float) -> None:
    found = recover(models, 240, shared, 6)
    assert all(fit.converged for _, fit in found)
    abilities = [held(fit.abilities, world.abilities) for world, fit in found]
    cells = [held(fit.group_difficulties, world.group_difficulties) for world, fit in found]
    assert np.mean(abilities) > 0.8
    assert np.mean(cells) > 0.8
    for world, fit in found:
        values = np.array([ability.value for ability in fit.abilities], dtype=np.float64)
        assert values.mean() == pytest.approx(0, abs=1e-9)
        assert correlation(values, world.abilities) > 0.9
        # The reliability that the fit states is that of its difficulties.
        assert correlation(fit.difficulty, world.difficulties) ** 2 == pytest.approx(
            fit.difficulty_reliability, abs=0.15
        )


def test_more_models_tell_more_of_items() -> None:
    few, many = (recover(models, 180, 0.0, 1)[0][1] for models in (4, 25))
    assert many.difficulty_se.mean() < few.difficulty_se.mean()
    assert many.difficulty_reliability > few.difficulty_reliability
    assert many.discrimination_reliability > few.discrimination_reliability


def test_replies_that_are_missing_at_random_move_little() -> None:
    world = simulate(3, 8, 300)
    whole = item_responses(world.right, world.groups, world.bases)
    world.right[np.random.default_rng(4).random(world.right.shape) < 0.2] = np.nan
    part = item_responses(world.right, world.groups, world.bases)
    values = [
        np.array([ability.value for ability in fit.abilities], dtype=np.float64) for fit in (whole, part)
    ]
    assert np.abs(values[0] - values[1]).max() < 0.4
    assert [ability.n for ability in whole.abilities] == [300] * 8
    assert [ability.n for ability in part.abilities] == (~np.isnan(world.right)).sum(axis=1).tolist()


def test_base_instances_that_are_alike_widen_intervals() -> None:
    world = simulate(5, 6, 150)
    twice, groups = np.repeat(world.right, 2, axis=1), np.repeat(world.groups, 2)
    fits = [item_responses(twice, groups, bases) for bases in (np.arange(300), np.arange(300) // 2)]
    apart, together = (
        np.mean([group_difficulty.se or 0 for group_difficulty in fit.group_difficulties]) for fit in fits
    )
    assert together / apart == pytest.approx(np.sqrt(2), rel=0.05)


def test_a_model_that_is_always_right_stays_finite() -> None:
    world = simulate(6, 5, 120)
    world.right[0] = 1.0
    fit = item_responses(world.right, world.groups, world.bases)
    assert fit.abilities[0].value is not None
    assert 1.5 < fit.abilities[0].value < 20


def test_information_is_the_sum_over_items_and_falls_away_from_them() -> None:
    fit = recover(6, 120, 0.0, 1)[0][1]
    near, far = fit.information([0.0, 9.0])
    assert near > far > 0
    assert near < 0.25 * float((fit.discrimination**2 + fit.discrimination_se**2).sum()) + 1e-9


def test_one_base_instance_has_no_interval() -> None:
    world = simulate(7, 4, 60)
    fit = item_responses(world.right, world.groups, np.zeros(60, dtype=np.int64))
    assert fit.abilities[0].low is None
    assert fit.abilities[0].reason


@pytest.mark.parametrize(("models", "items"), [(MIN_MODELS - 1, 100), (MIN_MODELS, MIN_ITEMS - 1)])
def test_too_few_are_refused(models: int, items: int) -> None:
    world = simulate(8, models, items)
    with pytest.raises(ValueError, match=f"too few to fit: {models} models, {items} items"):
        item_responses(world.right, world.groups, world.bases)


def test_replies_that_are_all_alike_are_refused() -> None:
    world = simulate(9, 5, 60)
    with pytest.raises(ValueError, match="all replies are right, or all are wrong"):
        item_responses(np.ones_like(world.right), world.groups, world.bases)


def test_inputs_are_checked() -> None:
    world = simulate(10, 5, 60)
    with pytest.raises(ValueError, match=r"right must have the shape \(models, items\)"):
        item_responses(world.right[0])
    with pytest.raises(ValueError, match="groups must have one value for each of 60 items"):
        item_responses(world.right, world.groups[:-1])
    named = item_responses(
        world.right.tolist(), [f"cell {code}" for code in world.groups], world.bases.tolist()
    )
    assert named.abilities == item_responses(world.right, world.groups, world.bases).abilities
