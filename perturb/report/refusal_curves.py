"""Correct answers over refusals, before curves on which a metric stays the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from perturb.metrics.inputs import Floats
from perturb.metrics.refusal_index import accuracy_refusal_curve
from perturb.report.figures import GREY, SERIES, Drawing, plot_curve, plot_points
from perturb.report.scores_breakdowns import mean_known
from perturb.score.refusal_report import GroupResult
from perturb.score.refusal_stability import METRICS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ISO_LEVELS: tuple[float, ...] = (0.0, 0.25, 0.5, 0.75)
"""Indices whose curves are drawn behind the points."""
_RATES = np.linspace(0, 1, 201)
_AXES = ("refusal rate", "correct-answer rate")
_STYLES = {"refusal_index": "-", "c_over_a": "--", "f_score": "-.", "weighted p=0.2": ":"}
"""The metrics whose curves are drawn, and their lines."""


def iso_curve(metric: str, value: float, refusal_rates: Floats, forced_accuracy: float) -> Floats:
    """The correct-answer rates at which a metric keeps its value as the refusal rate moves (figure 3 of the paper).

    C/A: c = v (1 - r); F: c = v (2 - r) / 2; weighted: c = v + p (1 - r); RI: `accuracy_refusal_curve`.

    >>> iso_curve("f_score", 0.4, np.array([0.0, 0.5]), 0.4).tolist()
    [0.4, 0.30000000000000004]
    """
    if metric == "refusal_index":
        return accuracy_refusal_curve(refusal_rates, forced_accuracy, value)
    answered = 1 - refusal_rates
    if metric == "c_over_a":
        return value * answered
    if metric == "f_score":
        return value * (1 + answered) / 2
    return value + float(metric.partition("=")[2]) * answered


def draw_iso_curves(groups: list[GroupResult]) -> Drawing:
    """One model's settings before curves of equal index, with the curve of their mean index."""
    accuracy = _forced_accuracy(groups)
    index = mean_known(one.metrics["refusal_index"].value for one in groups)

    def paint(axes: Axes) -> None:
        for level in ISO_LEVELS:
            curve = accuracy_refusal_curve(_RATES, accuracy, level)
            axes.plot(_RATES, curve, color=GREY, linewidth=0.8, zorder=1)
            axes.annotate(f"{level:g}", (_RATES[100], curve[100]), color=GREY, fontsize=8)
        if index is not None:
            curve = accuracy_refusal_curve(_RATES, accuracy, index)
            words = (f"RI {index:.3f}", *_AXES)
            plot_curve(axes, (_RATES, curve), "-", words, color=SERIES[0][0], zorder=2)
        _paint_points(axes, groups, accuracy)

    return Drawing((5.6, 4.2), paint)


def draw_iso_metrics(groups: list[GroupResult]) -> Drawing:
    """One model's settings, and for each metric the curve on which it is equal to its mean over them."""
    accuracy = _forced_accuracy(groups)

    def paint(axes: Axes) -> None:
        for metric, style in _STYLES.items():
            value = mean_known(one.metrics[metric].value for one in groups)
            if value is not None:
                curve = iso_curve(metric, value, _RATES, accuracy)
                words = (f"{METRICS[metric]} {value:.3f}", *_AXES)
                look: Any = {"color": "black", "linewidth": 1.2, "label": METRICS[metric], "zorder": 2}
                plot_curve(axes, (_RATES, curve), style, words, **look)
        _paint_points(axes, groups, accuracy)

    return Drawing((5.6, 4.2), paint)


def _forced_accuracy(groups: list[GroupResult]) -> float:
    shares = [1 - (one.index.n11 + one.index.n01) / one.index.n for one in groups if one.index is not None]
    return float(np.mean(shares))


def _paint_points(axes: Axes, groups: list[GroupResult], accuracy: float) -> None:
    for number, one in enumerate(groups):
        colour, marker = SERIES[number % len(SERIES)]
        name = one.setting or "all rows"
        axes.plot([], [], marker, color=colour, label=name, markersize=8)
        x, y, index = (one.metrics[key].value for key in ("refusal_rate", "correct_rate", "refusal_index"))
        if x is not None and y is not None:
            said = "" if index is None else f", RI {index:.3f}"
            text = f"{name}: refusal rate {x:.3f}, correct-answer rate {y:.3f}{said}"
            plot_points(axes, [(x, y, text)], marker, colour, markersize=8, zorder=6)
    axes.set(xlim=(0, 1), ylim=(0, max(accuracy * 1.1, 0.05)), xlabel=_AXES[0], ylabel=_AXES[1])
    axes.legend(frameon=False)
