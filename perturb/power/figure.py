"""The figure of `perturb power`: one run over the rounds, and failure rates over the drift with the bounds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from perturb.errors import ConfigError
from perturb.power.bounds import generative_failure_bound, static_failure_bound, static_failure_floor
from perturb.power.simulation import Simulation

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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


def _draw_failures(axes: Axes, sweep: Sequence[Simulation]) -> None:
    setting = sweep[0].setting
    observed = [one.setting.drift for one in sweep]
    drifts = np.linspace(0, max(observed), 400)
    n, epsilon = setting.size, setting.epsilon
    for limit, style, side in ((static_failure_bound, ":", "upper"), (static_failure_floor, "-.", "lower")):
        values = [limit(n, epsilon, d) for d in drifts]
        axes.plot(drifts, values, color=_STATIC, ls=style, label=f"static: {side} bound")
    bound = generative_failure_bound([n] * setting.rounds, epsilon)
    axes.axhline(bound, color=_FRESH, ls=":", label="fresh rounds: upper bound")
    static, fresh = [one.static for one in sweep], [one.generative for one in sweep]
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
    """Below the panel, where it covers nothing."""
    axes.legend(frameon=False, fontsize="small", loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2)
