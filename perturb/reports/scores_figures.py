"""Figures on models side by side: points, bars in groups, stacks, lines, reliability. Axes are in percent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from perturb.metrics.inputs import Estimate, Floats
from perturb.reports.figures import (
    BLUE,
    GREEN,
    GREY,
    INK,
    ORANGE,
    PURPLE,
    SERIES,
    SKY,
    VERMILLION,
    Drawing,
    Mark,
    add_to_legend,
    describe,
    hover,
    name_rows,
    plot_interval,
    plot_points,
    put_legend,
    short_label,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# A grey line for orientation: its label, x and y, in percent.
Guide = tuple[str, Floats, Floats]

# Colour and hatching of the shares of a stack, from left to right; there are as many as outcomes of a reply.
_STACK = (
    (BLUE, ""),
    (SKY, ""),
    (ORANGE, "///"),
    (PURPLE, "\\\\\\"),
    (GREEN, "..."),
    (VERMILLION, "xxx"),
    (SKY, "///"),
    (BLUE, "..."),
    (GREY, ""),
)
# Colour and hatching of bars in groups: at most four series.
_BARS = ((BLUE, ""), (VERMILLION, "///"), (GREEN, "..."), (ORANGE, "xxx"))
# The share from which a part of a bar has room for its number.
_MIN_NUMBERED_SHARE = 0.06
# The number in a part of a stack stands on a white patch, so that hatching does not cross its digits.
_NUMBER_ON_PATCH: dict[str, Any] = {
    "ha": "center",
    "va": "center",
    "fontsize": 8.5,
    "color": INK,
    "bbox": {"facecolor": "white", "edgecolor": "none", "pad": 1.2},
}
# The area of the smallest bubble in square points, and how much more the largest has.
_SMALLEST_BUBBLE, _BUBBLE_RANGE = 20, 700.0
# Percent on both axes, with a margin so that markers at 0 and 100 are drawn whole.
_SQUARE: Any = {"xlim": (-4, 104), "ylim": (-4, 104)}


@dataclass(frozen=True, slots=True)
class Point:
    """One model in the plane of two metrics."""

    label: str
    x: Estimate
    y: Estimate
    weight: int | None = None
    """The value that the area of the bubble shows; None draws a marker."""


def look_of(number: int) -> tuple[str, str]:
    """Colour and marker of the n-th model; 36 models differ.

    Models 0 to 5 have colour i and marker i, models 6 to 11 have colour i and marker i + 1, and so on.

    >>> look_of(0) == look_of(36), look_of(0)[0] == look_of(6)[0], look_of(0)[1] == look_of(6)[1]
    (True, True, False)
    """
    rounds = number // len(SERIES)
    colour, _ = SERIES[number % len(SERIES)]
    _, marker = SERIES[(number + rounds) % len(SERIES)]
    return colour, marker


def plot_series(
    axes: Axes,
    points: Iterable[tuple[float, Mark]],
    label: str,
    number: int,
    line: str = "",
    form: str = ".3f",
) -> None:
    """The n-th series: the points that have a value, which shows under the pointer, with upright intervals.

    A `line` style joins them.
    """
    colour, marker = look_of(number)
    drawable = [(x, mark.value, mark) for x, mark in points if mark.value is not None]
    if drawable:
        xs, ys, _ = zip(*drawable, strict=True)
        axes.plot(xs, ys, f"{marker}{line}", color=colour, label=short_label(label), linewidth=1.2)
    plot_points(axes, ((x, y, describe(mark, form)) for x, y, mark in drawable), marker, colour)
    for x, _, mark in drawable:
        plot_interval(axes, mark, x, upright=True, color=colour, linewidth=1.4)


def draw_points(
    points: Sequence[Point], *, x_label: str, y_label: str, guides: Sequence[Guide] = ()
) -> Drawing:
    """Models as points with the intervals of both metrics; one that lacks a metric is named in the legend alone."""
    largest = max((point.weight or 0 for point in points), default=0) or 1  # divides the weights, so never 0

    def paint(axes: Axes) -> None:
        _draw_guides(axes, guides)
        for number, point in enumerate(points):
            colour, marker = look_of(number)
            if point.x.value is None or point.y.value is None:
                axes.plot([], [], linestyle="none", label=f"{short_label(point.label)}: NA")
                continue
            x, y = 100 * point.x.value, 100 * point.y.value
            plot_interval(axes, Mark.of("", point.x, 100), y, color=colour, linewidth=1.2)
            plot_interval(axes, Mark.of("", point.y, 100), x, upright=True, color=colour, linewidth=1.2)
            # The legend gets a marker of fixed size; that of the bubble could fill it.
            add_to_legend(axes, point.label, colour, marker)
            area = 50.0  # without a weight
            if point.weight is not None:
                area = _SMALLEST_BUBBLE + _BUBBLE_RANGE * point.weight / largest
            text = f"{point.label}: {x_label} {x:.1f}, {y_label} {y:.1f}"
            # Transparent, and smaller ones in front, so that no marker hides another.
            look: Any = {"facecolor": (colour, 0.35), "edgecolor": colour, "zorder": 3 + 1 / area}
            _draw_bubble(axes, (x, y), area, text, marker=marker, linewidth=1.6, **look)
        axes.set(**_SQUARE, xlabel=f"{x_label}, percent", ylabel=f"{y_label}, percent")
        put_legend(axes, ncols=2, below=True)

    return Drawing((5.6, 4.4 + 0.1 * len(points)), paint)


def _draw_guides(axes: Axes, guides: Sequence[Guide]) -> None:
    """Draw grey lines for orientation, each with its label at the middle."""
    for text, xs, ys in guides:
        axes.plot(xs, ys, color="#c4c4c4", linewidth=0.9, zorder=0)
        middle = len(xs) // 2
        axes.annotate(text, (xs[middle], ys[middle]), color=GREY, fontsize=8, ha="center")


def draw_grouped_bars(
    labels: Sequence[str], series: Sequence[tuple[str, Sequence[Estimate]]], *, x_label: str
) -> Drawing:
    """For each label one horizontal bar per series, with its interval; the series differ in hatching as well."""
    height = 0.8 / len(series)

    def paint(axes: Axes) -> None:
        for number, (name, values) in enumerate(series):
            # The bars of a label stand around its place on the axis.
            offset = height * (number - (len(series) - 1) / 2)
            colour, hatch = _BARS[number]
            lengths = [100 * (value.value or 0.0) for value in values]
            rows = np.arange(len(labels)) + offset
            bars = axes.barh(
                rows, lengths, height * 0.92, color=colour, hatch=hatch, label=name, edgecolor="white"
            )
            for label, bar, row, value in zip(labels, bars, rows, values, strict=True):
                mark = Mark.of(label, value, 100)
                hover(bar, f"{name}, {describe(mark)}")
                _write_at_end(axes, row, mark)
        name_rows(axes, labels, f"{x_label}, percent")
        axes.set(xlim=(0, 112), xticks=range(0, 101, 20))  # room for the value behind a bar of 100 percent
        put_legend(axes, ncols=len(series))

    return Drawing((5.6, 1.2 + 0.28 * len(series) * len(labels)), paint)


def draw_stacks(labels: Sequence[str], shares: Sequence[Mapping[str, float | None]]) -> Drawing:
    """One bar of 100 percent for each label, cut into the shares; a label without shares says NA."""
    names = list(shares[0])

    def paint(axes: Axes) -> None:
        lefts = np.zeros(len(labels))
        for name, (colour, hatch) in zip(names, _STACK, strict=False):
            widths = np.array([100 * (share[name] or 0.0) for share in shares])
            words = name.replace("_", " ")
            look: Any = {"color": colour, "hatch": hatch, "label": words, "edgecolor": "white"}
            bars = axes.barh(range(len(labels)), widths, 0.66, lefts, **look)
            for row, width in enumerate(widths):
                hover(bars[row], f"{labels[row]}, {words}: {width:.1f}")
                # A number would not fit into a narrower piece; it is shown when the mouse is over it.
                if width >= 100 * _MIN_NUMBERED_SHARE:
                    axes.text(lefts[row] + width / 2, row, f"{width:.0f}", **_NUMBER_ON_PATCH)
            lefts += widths
        for row, share in enumerate(shares):
            if share[names[0]] is None:
                axes.text(1, row, "NA", color=GREY, va="center")
        name_rows(axes, labels, "share of scored replies, percent", grid=False)
        axes.set_xlim(0, 100)
        put_legend(axes, ncols=3)

    return Drawing((7.6, 1.8 + 0.4 * len(labels)), paint)


def draw_lines(
    groups: Sequence[str], series: Sequence[tuple[str, Sequence[Estimate | None]]], *, y_label: str
) -> Drawing:
    """One line for each series over named groups, with intervals; the lines stand a little beside one another."""

    def paint(axes: Axes) -> None:
        for number, (name, values) in enumerate(series):
            shift = 0.3 * ((number + 0.5) / len(series) - 0.5)
            marks = ((group + shift, Mark.of(name, value, 100)) for group, value in enumerate(values))
            plot_series(axes, marks, name, number, "-", ".1f")
        axes.set_xticks(range(len(groups)), groups)
        axes.set(xlim=(-0.4, len(groups) - 0.6), ylim=(-4, 104), ylabel=f"{y_label}, percent")
        axes.grid(axis="y")
        put_legend(axes, ncols=2, below=True)

    return Drawing((5.6, 4.0 + 0.1 * len(series)), paint)


def draw_reliability(
    series: Sequence[tuple[str, Sequence[tuple[float, float, int]]]], x_label: str = "stated confidence"
) -> Drawing:
    """Accuracy by confidence, with points (confidence, accuracy, number of replies) for each name.

    Replies whose point is below the diagonal are overconfident.
    """
    largest = max((n for _, points in series for _, _, n in points), default=1)

    def paint(axes: Axes) -> None:
        axes.plot([0, 100], [0, 100], color=GREY, linewidth=0.8)
        for number, (name, points) in enumerate(series):
            colour, marker = look_of(number)
            in_percent = [(100 * x, 100 * y, n) for x, y, n in points]
            axes.plot(
                [x for x, _, _ in in_percent], [y for _, y, _ in in_percent], "-", color=colour, linewidth=1
            )
            # The first series contains the replies of the others: hollow and in front, it does not hide them.
            face = "none" if number == 0 else colour
            look: Any = {"facecolor": face, "edgecolor": colour, "zorder": 3 - 0.1 * number}
            for x, y, n in in_percent:
                area = _SMALLEST_BUBBLE + 140 * n / largest
                text = f"{name}: {x_label} {x:.1f}, accuracy {y:.1f}, {n:,} replies"
                _draw_bubble(axes, (x, y), area, text, marker=marker, **look)
            add_to_legend(axes, name, colour, marker)
        axes.set(**_SQUARE, xlabel=f"{x_label}, percent", ylabel="accuracy, percent")
        put_legend(axes, ncols=len(series))

    return Drawing((3.5, 3.6), paint)


def _draw_bubble(axes: Axes, centre: tuple[float, float], area: float, text: str, **look: Any) -> None:
    """A marker of an area in square points, which is whole at the edge of the axes and shows a text."""
    x, y = centre
    hover(axes.scatter([x], [y], area, clip_on=False, **look), text)


def _write_at_end(axes: Axes, row: float, mark: Mark) -> None:
    """The interval and the value, right of a bar and its interval."""
    if mark.value is None:
        axes.text(1, row, "NA", color=GREY, va="center", fontsize=8.5)
        return
    plot_interval(axes, mark, row, color="black", linewidth=1.4)
    end = mark.value if mark.high is None else max(mark.value, mark.high)
    axes.text(end + 1, row, f"{mark.value:.1f}", va="center", fontsize=8.5)
