"""How often the interval of a corrected rate holds the true rate, and how wide it is, by simulation.

    python -m tests.simulated_corrections [ROUNDS]

Two models reply to 2,400 items of 400 base instances, six perturbation classes each; half of the items can be answered.
Difficulty varies between base instances. A judge grades every reply, people a random sample. The truth is the rate that
people would find in endless rounds. `human` is the same estimate from people alone.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from perturb.metrics.corrected_rates import CorrectedRate, combined
from perturb.metrics.inputs import Estimate, Flags, Floats, Integers

BASES, CLASSES = 400, 6
GRADES = (100, 200, 400)


@dataclass(frozen=True)
class Judge:
    """How often a judge is wrong about each of two models."""

    false_pass: tuple[float, float]
    false_fail: tuple[float, float]


JUDGES: Mapping[str, Judge] = {
    "right": Judge((0.0, 0.0), (0.0, 0.0)),
    "nearly right": Judge((0.03, 0.03), (0.03, 0.03)),
    # Kappa .70 where 75 % of the replies are right, as in the single rate of the first world.
    "kappa .7": Judge((0.12, 0.12), (0.12, 0.12)),
    "lenient": Judge((0.35, 0.35), (0.02, 0.02)),
    "strict": Judge((0.02, 0.02), (0.3, 0.3)),
    "model-partial": Judge((0.4, 0.05), (0.02, 0.2)),
    "by chance": Judge((0.5, 0.5), (0.5, 0.5)),
}


@dataclass(frozen=True)
class World:
    """Rates of right behaviour of each model on answerable and on other items, and how much base instances vary."""

    rates: tuple[tuple[float, float], tuple[float, float]] = ((0.75, 0.55), (0.65, 0.5))
    spread: float = 0.15

    def draw(self, judge: Judge, generator: np.random.Generator) -> tuple[Floats, Floats, Integers]:
        """People's grades and the judge's, shape (2 models, items), and the base instance of each item."""
        bases = np.repeat(np.arange(BASES), CLASSES)
        shift = generator.uniform(-self.spread, self.spread, BASES)[bases]
        answerable = np.arange(len(bases)) % 2
        people, graded = [], []
        for model, rates in enumerate(self.rates):
            right = generator.random(len(bases)) < np.clip(np.array(rates)[answerable] + shift, 0, 1)
            wrong_at = np.where(right, judge.false_fail[model], judge.false_pass[model])
            people.append(right.astype(float))
            graded.append(np.where(generator.random(len(bases)) < wrong_at, ~right, right).astype(float))
        return np.array(people), np.array(graded), bases


def estimates(
    people: Floats, judge: Floats, bases: Integers, sampled: Flags, *, alone: bool = False
) -> dict[str, Estimate]:
    """A single rate, the mean of both rates of a model, and the difference between the models."""
    rows = np.arange(people.shape[1])
    names = np.array([f"class {number % CLASSES}" for number in rows])
    models = []
    for right, graded, seen in zip(people, judge, sampled, strict=True):
        human, by_judge = np.where(seen, right, np.nan), np.zeros_like(graded) if alone else graded
        halves = [
            CorrectedRate.of(
                by_judge[half], human[half], np.ones(half.sum(), dtype=bool), names[half], bases[half], BASES
            )
            for half in (rows % 2 == 0, rows % 2 == 1)
        ]
        models.append((halves[0], combined(halves, [0.5, 0.5])))
    (single, first), (_, second) = models
    return {
        "single rate": single.estimate(),
        "composite": first.estimate(),
        "difference": combined([first, second], [1.0, -1.0]).estimate(),
    }


def truth(world: World) -> dict[str, float]:
    """What the estimates are of."""
    first, second = (sum(rates) / 2 for rates in world.rates)
    return {"single rate": world.rates[0][0], "composite": first, "difference": first - second}


@dataclass(frozen=True)
class Outcome:
    """What the rounds of one world found of one quantity."""

    coverage: float
    width: float
    """Mean width of the interval."""
    human_width: float
    """The same from people alone."""


def play(world: World, judge: Judge, grades: int, rounds: int, seed: int = 0) -> dict[str, Outcome]:
    """Coverage and width by quantity; `grades` is the number over both models."""
    generator = np.random.default_rng(seed)
    right, rows = truth(world), []
    for _ in range(rounds):
        people, graded, bases = world.draw(judge, generator)
        drawn = generator.choice(people.size, grades, replace=False)
        sampled = np.isin(np.arange(people.size), drawn).reshape(people.shape)
        found = estimates(people, graded, bases, sampled)
        alone = estimates(people, graded, bases, sampled, alone=True)
        rows.append({name: _row(found[name], alone[name], right[name]) for name in right})
    means = {name: np.mean([row[name] for row in rows], axis=0) for name in right}
    return {name: Outcome(*map(float, mean)) for name, mean in means.items()}


def _row(found: Estimate, alone: Estimate, right: float) -> tuple[float, float, float]:
    ends = found.low, found.high, alone.low, alone.high
    low, high, human_low, human_high = (np.nan if end is None else end for end in ends)
    return float(low <= right <= high), high - low, human_high - human_low


def table(rounds: int) -> Iterator[str]:
    """One line for each world, judge, number of grades and quantity."""
    worlds = {"middle": World(), "near the ceiling": World(((0.95, 0.93), (0.9, 0.92)), 0.05)}
    yield f"{'world':18}{'judge':15}{'grades':>7}  {'quantity':13}{'coverage':>9}{'width':>8}{'narrower':>9}"
    for name, world in worlds.items():
        for judge, errors in JUDGES.items():
            for grades in GRADES:
                for quantity, one in play(world, errors, grades, rounds).items():
                    gain = 1 - one.width / one.human_width
                    yield (
                        f"{name:18}{judge:15}{grades:7}  {quantity:13}{one.coverage:9.3f}{one.width:8.3f}{gain:9.0%}"
                    )


if __name__ == "__main__":
    for line in table(int(sys.argv[1]) if len(sys.argv) > 1 else 500):
        print(line, flush=True)
