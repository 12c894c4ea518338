"""Replies of models to items whose abilities and difficulties are known, and how well item response theory finds them.

`python -m tests.simulated_responses 60` prints the figures of `tests/measurements.md`.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np

from perturb.metrics.inputs import Estimate, Floats, Integers
from perturb.metrics.item_response import ItemResponses, item_responses

GROUPS, PER_BASE, SPREAD, SLOPE_SPREAD = 6, 6, 1.2, 0.4


@dataclass(frozen=True)
class World:
    """Replies and the truth behind them."""

    right: Floats
    groups: Integers
    bases: Integers
    abilities: Floats
    group_difficulties: Floats
    difficulties: Floats
    slopes: Floats


def simulate(seed: int, models: int, items: int, shared: float = 0.0) -> World:
    """Six groups of items, six items to a base instance, whose difficulties share this standard deviation."""
    rng = np.random.default_rng(seed)
    abilities = rng.normal(0, 1, models)
    abilities -= abilities.mean()
    means = np.linspace(-1.5, 0.5, GROUPS)
    groups, bases = np.arange(items) % GROUPS, np.arange(items) // PER_BASE
    own = rng.normal(0, np.sqrt(SPREAD**2 - shared**2), items)
    difficulties = means[groups] + rng.normal(0, shared, items)[bases] + own
    slopes = np.exp(rng.normal(0, SLOPE_SPREAD, items))
    logits = slopes * (abilities[:, np.newaxis] - difficulties)
    right = (rng.random(logits.shape) < 1 / (1 + np.exp(-logits))).astype(np.float64)
    return World(right, groups, bases, abilities, means, difficulties, slopes)


def held(estimates: tuple[Estimate, ...], truth: Floats) -> list[bool]:
    """Whether each interval holds the truth."""
    return [
        one.low is not None and one.high is not None and one.low <= value <= one.high
        for one, value in zip(estimates, truth, strict=True)
    ]


def correlation(found: Floats, truth: Floats) -> float:
    """Pearson's."""
    return float(np.corrcoef(found, truth)[0, 1])


def recover(models: int, items: int, shared: float, replicates: int) -> list[tuple[World, ItemResponses]]:
    """Worlds and what was found of them."""
    worlds = [simulate(seed, models, items, shared) for seed in range(replicates)]
    return [(world, item_responses(world.right, world.groups, world.bases)) for world in worlds]


def main(replicates: int) -> None:
    """One line for each setting."""
    for models, items in ((4, 180), (4, 600), (8, 180), (8, 600), (20, 180), (20, 600)):
        for shared in (0.0, 0.8):
            found = recover(models, items, shared, replicates)
            errors = [
                [ability.value or 0.0 for ability in fit.abilities] - world.abilities for world, fit in found
            ]
            figures = {
                "ability, error": np.sqrt(np.mean(np.square(errors))),
                "intervals": np.mean([held(fit.abilities, world.abilities) for world, fit in found]),
                "of cells": np.mean(
                    [held(fit.group_difficulties, world.group_difficulties) for world, fit in found]
                ),
                "difficulty, r": np.mean([correlation(fit.difficulty, w.difficulties) for w, fit in found]),
                "expected": np.sqrt(np.mean([fit.difficulty_reliability for _, fit in found])),
                "discrimination, r": np.mean([correlation(fit.discrimination, w.slopes) for w, fit in found]),
                "spread": np.mean([fit.difficulty_spread for _, fit in found]),
                "slopes": np.mean([fit.slope_spread for _, fit in found]),
                "converged": np.mean([fit.converged for _, fit in found]),
            }
            shown = "  ".join(f"{name} {value:.3f}" for name, value in figures.items())
            print(f"{models} models, {items} items, shared {shared}: {shown}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
