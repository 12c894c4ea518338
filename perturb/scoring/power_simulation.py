"""A seeded simulation of static and generative benchmarks under drift, and a figure of it.

It shows how often a benchmark errs, beside the bounds on that share from `perturb.scoring.power`. The true score moves
`start` by `drift` over the rounds, in equal steps. The static benchmark keeps the items of the first round; the
generative one draws new items in each round (fresh rounds). If items share base instances, the bounds are those of the
effective number of items.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from perturb.errors import ConfigError
from perturb.metrics.inputs import Floats
from perturb.scoring.power import generative_failure_bound, static_failure_bound, static_failure_floor

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True)
class DriftSetting:
    """The parameters of a simulation."""

    epsilon: float = 0.05
    rounds: int = 4
    drift: float = 0.1
    """The change of the true score from the first round to the last; negative if it falls."""
    size: int = 1016
    """Number of items of the static benchmark, and of each round of the generative one."""
    start: float = 0.5
    """The true score in the first round."""
    per_base: int = 1
    """Number of items from one base instance."""
    icc: float = 0.0
    """Correlation of the scores of items from one base instance, at least 0 and below 1."""

    @property
    def truth(self) -> Floats:
        """The true score of each round."""
        return np.linspace(self.start, self.start + self.drift, self.rounds)


def clusters_of(effect: float, per_base: int | None = None) -> tuple[int, float]:
    """The number of items of each base instance, and their correlation, that give a design effect.

    Formula: effect = 1 + (items - 1) × correlation. The number of items is `per_base`, or twice the effect if that is
    None; it is always more than the effect.

    >>> clusters_of(1.0), clusters_of(2.5, 6)
    ((1, 0.0), (6, 0.3))
    """
    if effect <= 1:
        return 1, 0.0
    wanted_items = math.ceil(2 * effect) if per_base is None else per_base
    items = max(wanted_items, math.floor(effect) + 1)
    return items, (effect - 1) / (items - 1)


def _effective_size(setting: DriftSetting) -> int:
    """The number of independent items with the same precision: size / design effect."""
    design_effect = 1 + (setting.per_base - 1) * setting.icc
    return max(1, math.floor(setting.size / design_effect))


@dataclass(frozen=True, slots=True)
class Simulation:
    """How often each benchmark erred by more than epsilon in some round, and the bounds on it."""

    setting: DriftSetting
    runs: int
    static: float
    """Share of runs in which the static benchmark erred by more than epsilon."""
    generative: float
    """The same for the generative benchmark."""
    static_bound: float
    """The largest possible value of `static`, from `static_failure_bound`."""
    static_floor: float
    """The smallest possible value of `static`."""
    generative_bound: float
    """The largest possible value of `generative`."""
    example_static: tuple[float, ...]
    """The estimates of the first run, by round."""
    example_generative: tuple[float, ...]


def simulate(setting: DriftSetting, runs: int = 1000, seed: int = 0) -> Simulation:
    """Run both benchmarks `runs` times.

    Raises `ConfigError` if the setting is impossible.

    >>> simulation = simulate(DriftSetting(drift=0.1), runs=200)
    >>> simulation.static >= simulation.static_floor, simulation.generative <= simulation.generative_bound
    (True, True)
    """
    _refuse_impossible(setting, runs)
    rng = np.random.default_rng(seed)
    truth = setting.truth
    # The static benchmark has one estimate for all rounds, since it asks the same items.
    static = _estimates(rng, setting, np.full((runs, 1), truth[0]))
    fresh = _estimates(rng, setting, np.tile(truth, (runs, 1)))
    static_fails = np.abs(static - truth).max(axis=1) > setting.epsilon
    fresh_fails = np.abs(fresh - truth).max(axis=1) > setting.epsilon
    largest_drift = float(np.abs(truth - truth[0]).max())
    effective_size = _effective_size(setting)
    return Simulation(
        setting=setting,
        runs=runs,
        static=float(static_fails.mean()),
        generative=float(fresh_fails.mean()),
        static_bound=static_failure_bound(effective_size, setting.epsilon, largest_drift),
        static_floor=static_failure_floor(effective_size, setting.epsilon, largest_drift),
        generative_bound=generative_failure_bound([effective_size] * setting.rounds, setting.epsilon),
        example_static=tuple(np.repeat(static[0], setting.rounds).tolist()),
        example_generative=tuple(fresh[0].tolist()),
    )


def sweep_drift(setting: DriftSetting, drifts: Floats, runs: int, seed: int) -> tuple[Simulation, ...]:
    """Simulate the same setting at several drifts, each with its own seed."""
    return tuple(
        simulate(replace(setting, drift=float(drift)), runs, seed + number)
        for number, drift in enumerate(drifts)
    )


def _estimates(rng: np.random.Generator, setting: DriftSetting, truth: Floats) -> Floats:
    """The mean score of one sample of items for each entry of `truth`."""
    if setting.icc == 0 or setting.per_base == 1:
        return np.asarray(rng.binomial(setting.size, truth) / setting.size)
    # A size that is not a multiple of `per_base` has one smaller base instance.
    items_of_bases = [setting.per_base] * (setting.size // setting.per_base)
    if remainder := setting.size % setting.per_base:
        items_of_bases.append(remainder)
    # The items of a base instance share a success rate from a beta distribution. If its two parameters add up to
    # 1 / icc - 1, two of the items have the correlation icc (the beta-binomial distribution).
    concentration = 1 / setting.icc - 1
    n_right = np.zeros_like(truth)
    for n_items in items_of_bases:
        # one base instance in all samples at once
        success_rates = rng.beta(truth * concentration, (1 - truth) * concentration)
        n_right += rng.binomial(n_items, success_rates)
    return np.asarray(n_right / setting.size)


def _refuse_impossible(setting: DriftSetting, runs: int) -> None:
    """Raise `ConfigError` if a number is out of its range, or if the true score would leave the range of scores."""
    if runs < 1 or setting.rounds < 1 or setting.size < 1 or setting.per_base < 1:
        raise ConfigError("simulation: runs, rounds, size and items per base instance must be at least 1")
    if not 0 <= setting.icc < 1:
        raise ConfigError(f"simulation: the correlation is {setting.icc:g}: give a number from 0 to below 1")
    truth = setting.truth
    if truth.min() <= 0 or truth.max() >= 1:
        raise ConfigError(
            f"simulation: the true score would move from {truth[0]:g} to {truth[-1]:g}: keep both between 0 and 1"
        )


# The possible endings of a figure's name.
FORMATS = (".png", ".svg", ".pdf")
# Colours of the static benchmark, of fresh rounds, and of the true score.
_STATIC, _FRESH, _TRUTH = "#b5442e", "#1f6f8b", "#444444"


def draw_figure(example: Simulation, sweep: Sequence[Simulation], path: Path) -> None:
    """Write the figure to `path` (.png, .svg or .pdf).

    The left panel shows `example`, the right panel `sweep`: the same setting at rising drifts. Raises `ConfigError` if
    the file cannot be written.
    """
    from matplotlib.figure import Figure

    if path.is_dir() or path.suffix not in FORMATS:
        raise ConfigError(f"{path}: is not a name for a figure: give a .png, .svg or .pdf file")
    figure = Figure(figsize=(11, 5), layout="constrained")
    left_panel, right_panel = figure.subplots(1, 2)
    _draw_rounds(left_panel, example)
    _draw_failures(right_panel, sweep)
    try:
        figure.savefig(path, dpi=150)
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: the figure cannot be written ({error}): choose another place") from None


def _draw_rounds(axes: Axes, example: Simulation) -> None:
    """The estimates of both benchmarks in one run, round by round."""
    setting, truth = example.setting, example.setting.truth
    numbers = np.arange(1, setting.rounds + 1)
    low, high = truth - setting.epsilon, truth + setting.epsilon
    axes.fill_between(numbers, low, high, color=_TRUTH, alpha=0.12, lw=0, label="within ε")
    axes.plot(numbers, truth, color=_TRUTH, label="true score")
    axes.plot(numbers, example.example_static, color=_STATIC, ls="--", marker="s", label="static benchmark")
    axes.plot(numbers, example.example_generative, color=_FRESH, ls="", marker="o", label="fresh round")
    axes.set(xlabel="round", ylabel="score", xticks=numbers, title=f"One run, {setting.size} items a round")
    _legend(axes)


def _draw_failures(axes: Axes, sweep: Sequence[Simulation]) -> None:
    """How often both benchmarks failed by drift, with the bounds."""
    setting = sweep[0].setting
    simulated_drifts = [result.setting.drift for result in sweep]
    drifts = np.linspace(0, max(simulated_drifts), 400)
    # The bounds are for independent items.
    n, epsilon = _effective_size(setting), setting.epsilon
    for bound, style, side in ((static_failure_bound, ":", "upper"), (static_failure_floor, "-.", "lower")):
        values = [bound(n, epsilon, drift) for drift in drifts]
        axes.plot(drifts, values, color=_STATIC, ls=style, label=f"static: {side} bound")
    axes.axhline(sweep[0].generative_bound, color=_FRESH, ls=":", label="fresh rounds: upper bound")
    static = [result.static for result in sweep]
    fresh = [result.generative for result in sweep]
    axes.plot(simulated_drifts, static, color=_STATIC, marker="s", ls="", label="static: simulated")
    axes.plot(simulated_drifts, fresh, color=_FRESH, marker="o", ls="", label="fresh rounds: simulated")
    axes.axvline(epsilon, color=_TRUTH, lw=0.8, alpha=0.6)
    axes.annotate("drift = ε ", (epsilon, 0.9), color=_TRUTH, ha="right")
    axes.set(
        xlabel="drift over all rounds",
        ylabel="runs with an error above ε",
        ylim=(-0.03, 1.03),
        title=f"ε = {epsilon:g}, {setting.rounds} rounds, {sweep[0].runs} runs a point",
    )
    _legend(axes)


def _legend(axes: Axes) -> None:
    """Put the legend below the panel, where it covers no data."""
    axes.legend(frameon=False, fontsize="small", loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2)
