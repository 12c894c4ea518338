"""A seeded simulation of static and generative benchmarks under drift, to compare with the bounds, and its figure.

The true score moves from `start` by `drift` over the rounds, in equal steps. The static benchmark keeps the items of
the first round; the generative one draws new ones in each. If items come in clusters that share a base instance, the
bounds are those of as many independent items as the clusters are worth by their design effect.
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
    """How far the true score moves from the first round to the last; negative to move down."""
    size: int = 1016
    """Items of the static benchmark, and of each round of the generative one."""
    start: float = 0.5
    """The true score in the first round."""
    per_base: int = 1
    """Items made from one base instance."""
    icc: float = 0.0
    """Correlation, from 0 up to below 1, of the scores of items from one base instance."""

    @property
    def truth(self) -> Floats:
        """The true score of each round."""
        return np.linspace(self.start, self.start + self.drift, self.rounds)


def clusters_of(effect: float, per_base: int | None = None) -> tuple[int, float]:
    """Items of one base instance and their correlation that give a design effect, 1 + (items - 1) × correlation.

    Without `per_base`, twice as many items as the effect.

    >>> clusters_of(1.0), clusters_of(2.5, 6)
    ((1, 0.0), (6, 0.3))
    """
    if effect <= 1:
        return 1, 0.0
    items = max(math.ceil(2 * effect) if per_base is None else per_base, math.floor(effect) + 1)
    return items, (effect - 1) / (items - 1)


@dataclass(frozen=True, slots=True)
class Simulation:
    """How often each benchmark erred by more than epsilon in some round, beside what the bounds say."""

    setting: DriftSetting
    runs: int
    static: float
    """Share of runs in which the static benchmark failed."""
    generative: float
    static_bound: float
    static_floor: float
    generative_bound: float
    example_static: tuple[float, ...]
    """The estimates of the first run, by round."""
    example_generative: tuple[float, ...]


def simulate(setting: DriftSetting, runs: int = 1000, seed: int = 0) -> Simulation:
    """Run both benchmarks `runs` times.

    Raises `ConfigError` if the setting is impossible.

    >>> done = simulate(DriftSetting(drift=0.1), runs=200)
    >>> done.static >= done.static_floor, done.generative <= done.generative_bound
    (True, True)
    """
    _check(setting, runs)
    rng = np.random.default_rng(seed)
    truth = setting.truth
    fixed = _estimates(rng, setting, np.full((runs, 1), truth[0]))
    fresh = _estimates(rng, setting, np.tile(truth, (runs, 1)))
    static = np.abs(fixed - truth).max(axis=1) > setting.epsilon
    generative = np.abs(fresh - truth).max(axis=1) > setting.epsilon
    drift = float(np.abs(truth - truth[0]).max())
    worth = _effective_size(setting)
    return Simulation(
        setting=setting,
        runs=runs,
        static=float(static.mean()),
        generative=float(generative.mean()),
        static_bound=static_failure_bound(worth, setting.epsilon, drift),
        static_floor=static_failure_floor(worth, setting.epsilon, drift),
        generative_bound=generative_failure_bound([worth] * setting.rounds, setting.epsilon),
        example_static=tuple(np.repeat(fixed[0], setting.rounds).tolist()),
        example_generative=tuple(fresh[0].tolist()),
    )


def sweep_drift(
    setting: DriftSetting, drifts: Floats, runs: int = 1000, seed: int = 0
) -> tuple[Simulation, ...]:
    """The same parameters at several drifts; each drift has its own seed."""
    return tuple(
        simulate(replace(setting, drift=float(drift)), runs, seed + number)
        for number, drift in enumerate(drifts)
    )


def _estimates(rng: np.random.Generator, setting: DriftSetting, truth: Floats) -> Floats:
    """Mean scores of as many samples as `truth` has entries."""
    if setting.icc == 0 or setting.per_base == 1:
        return np.asarray(rng.binomial(setting.size, truth) / setting.size)
    # A base instance has a success rate of its own, Beta with the wanted mean and correlation. Sizes that are not
    # whole multiples have one smaller cluster.
    weight = 1 / setting.icc - 1
    sizes = [setting.per_base] * (setting.size // setting.per_base)
    if remainder := setting.size % setting.per_base:
        sizes.append(remainder)
    right = np.zeros_like(truth)
    for items in sizes:
        right += rng.binomial(items, rng.beta(truth * weight, (1 - truth) * weight))
    return np.asarray(right / setting.size)


def _check(setting: DriftSetting, runs: int) -> None:
    if runs < 1 or setting.rounds < 1 or setting.size < 1 or setting.per_base < 1:
        raise ConfigError("simulation: runs, rounds, size and items per base instance must be at least 1")
    if not 0 <= setting.icc < 1:
        raise ConfigError(f"simulation: the correlation is {setting.icc:g}: give a number from 0 to below 1")
    truth = setting.truth
    if truth.min() <= 0 or truth.max() >= 1:
        raise ConfigError(
            f"simulation: the true score would move from {truth[0]:g} to {truth[-1]:g}: keep both between 0 and 1"
        )


FORMATS = (".png", ".svg", ".pdf")
"""What a figure's name may end in."""
_STATIC, _FRESH, _TRUTH = "#b5442e", "#1f6f8b", "#444444"


def draw_figure(example: Simulation, sweep: Sequence[Simulation], path: Path) -> None:
    """Write the figure to `path` (.png, .svg or .pdf).

    `example` gives the left panel, `sweep` (the same world at rising drifts) the right one. Raises `ConfigError` if the
    file cannot be written.
    """
    from matplotlib.figure import Figure

    if path.is_dir() or path.suffix not in FORMATS:
        raise ConfigError(f"{path}: cannot be the figure's name: give a .png, .svg or .pdf file")
    figure = Figure(figsize=(11, 5), layout="constrained")
    left, right = figure.subplots(1, 2)
    _draw_rounds(left, example)
    _draw_failures(right, sweep)
    try:
        figure.savefig(path, dpi=150)
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: the figure cannot be written ({error}): choose another place") from None


def _draw_rounds(axes: Axes, example: Simulation) -> None:
    setting, numbers = example.setting, np.arange(1, example.setting.rounds + 1)
    truth = setting.truth
    band = (truth - setting.epsilon, truth + setting.epsilon)
    axes.fill_between(numbers, *band, color=_TRUTH, alpha=0.12, lw=0, label="within ε")
    axes.plot(numbers, truth, color=_TRUTH, label="what should be measured")
    axes.plot(numbers, example.example_static, color=_STATIC, ls="--", marker="s", label="static benchmark")
    axes.plot(numbers, example.example_generative, color=_FRESH, ls="", marker="o", label="fresh round")
    axes.set(xlabel="round", ylabel="score", xticks=numbers, title=f"One run, {setting.size} items a round")
    _legend(axes)


def _effective_size(setting: DriftSetting) -> int:
    """How many independent items are as precise as those of the setting."""
    return max(1, math.floor(setting.size / (1 + (setting.per_base - 1) * setting.icc)))


def _draw_failures(axes: Axes, sweep: Sequence[Simulation]) -> None:
    setting = sweep[0].setting
    observed = [result.setting.drift for result in sweep]
    drifts = np.linspace(0, max(observed), 400)
    # As in `simulate`: items of one base instance are worth fewer independent ones.
    n, epsilon = _effective_size(setting), setting.epsilon
    for limit, style, side in ((static_failure_bound, ":", "upper"), (static_failure_floor, "-.", "lower")):
        values = [limit(n, epsilon, d) for d in drifts]
        axes.plot(drifts, values, color=_STATIC, ls=style, label=f"static: {side} bound")
    axes.axhline(sweep[0].generative_bound, color=_FRESH, ls=":", label="fresh rounds: upper bound")
    static, fresh = [result.static for result in sweep], [result.generative for result in sweep]
    axes.plot(observed, static, color=_STATIC, marker="s", ls="", label="static: simulated")
    axes.plot(observed, fresh, color=_FRESH, marker="o", ls="", label="fresh rounds: simulated")
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
