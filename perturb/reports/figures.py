"""Figures that print well and that colour-blind readers can tell apart: cividis for scales, Okabe–Ito for series.

matplotlib is imported when the first figure is drawn. Labels are plain text: a `$` in a model's name does not start a
formula.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Collection, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from perturb.text.wording import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from perturb.metrics.inputs import Estimate, Floats

BLUE, VERMILLION, GREEN = "#0072B2", "#D55E00", "#009E73"
ORANGE, PURPLE, SKY = "#E69F00", "#CC79A7", "#56B4E9"
GREY = "#6b6b6b"
# Colour and marker of the first, second, … series; the markers differ without colour too.
SERIES = ((BLUE, "o"), (VERMILLION, "s"), (GREEN, "^"), (ORANGE, "D"), (PURPLE, "v"), (SKY, "P"))

# Matplotlib's settings. With a fixed salt and paths for letters, the same figure is the same file on every machine.
_STYLE: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 9.5,
    "text.parse_math": False,
    "svg.fonttype": "path",
    "svg.hashsalt": "perturb",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "hatch.color": "#bbbbbb",
}
# Characters of a name that fit beside a figure.
_LABEL_LENGTH = 34
# The start of an SVG group whose id `hover` has set, such as `<g id="hover gpt: 61.5">`; the group is the text.
_HOVER = re.compile(r'<g id="hover ([^"]*)">')
# Larger values are percentages and the like; they are shown with one decimal.
_ONE_DECIMAL_ABOVE = 5.0
# Number of points of a curve that show their values.
_HOVER_POINTS = 41
# A black that stays black on a dark page, for texts on light fields of a figure.
INK = "#010101"


@dataclass(eq=False)
class Drawing:
    """One figure, drawn when it is first looked at."""

    size: tuple[float, float]
    """Width and height in inches."""
    paint: Callable[[Axes], None]
    """Draws into one pair of axes."""

    @property
    def width(self) -> int:
        """In CSS pixels, 96 to the inch."""
        width, _ = self.size
        return round(96 * width)

    @cached_property
    def svg(self) -> str:
        """As SVG, the text as paths."""
        text = self._saved(format="svg", metadata={"Date": None}).decode()
        return _HOVER.sub(r"<g><title>\1</title>", text)

    @cached_property
    def png(self) -> bytes:
        """As PNG at 200 dots per inch."""
        return self._saved(format="png", dpi=200)

    @cached_property
    def _figure(self) -> Figure:
        from matplotlib.figure import Figure

        with _style():
            figure = Figure(figsize=self.size, layout="constrained")
            axes = figure.subplots()
            # By these ids a page with a dark background leaves out the white grounds.
            figure.patch.set_gid("ground")
            axes.patch.set_gid("ground-of-axes")
            self.paint(axes)
        return figure

    def _saved(self, **options: Any) -> bytes:
        stream = io.BytesIO()
        with _style():
            self._figure.savefig(stream, **options)
        return stream.getvalue()


@dataclass(frozen=True, slots=True)
class Mark:
    """A value with its interval; either may be None."""

    label: str
    value: float | None
    low: float | None = None
    high: float | None = None

    @classmethod
    def of(cls, label: str, value: Estimate | None, scale: float = 1) -> Mark:
        """An estimate times `scale`: 100 for percent."""
        if value is None:
            return cls(label, None)
        numbers = (value.value, value.low, value.high)
        return cls(label, *(None if number is None else scale * number for number in numbers))


@contextmanager
def _style() -> Iterator[None]:
    import matplotlib as mpl

    with mpl.rc_context(_STYLE), warnings.catch_warnings():
        # A name may hold characters that the font lacks; they are drawn as boxes.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield


def draw_heat_map(
    values: Sequence[Sequence[float | None]],
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    limits: tuple[float, float],
    form: str,
    cell_width: float = 0.75,
    framed: Collection[tuple[int, int]] = (),
) -> Drawing:
    """A matrix with its numbers written in; None is hatched and says NA.

    `limits` are the values at the ends of the colour scale, `form` is a format specification such as `.2f`, the width
    of a cell is in inches. The cells in `framed`, by row and column, have a frame.
    """
    grid = np.array([[np.nan if value is None else value for value in row] for row in values], dtype=float)
    low, high = limits
    span = (high - low) or 1.0  # one colour for all if the limits are equal

    def paint(axes: Axes) -> None:
        axes.set_facecolor("#f2f2f2")
        axes.patch.set_gid(None)  # the grey behind empty cells stays on a dark page
        axes.imshow(grid, cmap="cividis", vmin=low, vmax=low + span, aspect="auto")
        for (row, column), value in np.ndenumerate(grid):
            label = _number(value, form)
            # An empty rectangle on top shows the text under the pointer, and the frame.
            frame = {"edgecolor": VERMILLION, "linewidth": 2.2 if (row, column) in framed else 0}
            _cell(axes, row, column, f"{rows[row]}, {columns[column]}: {label}", zorder=3, **frame)
            if np.isnan(value):
                _cell(axes, row, column, "", hatch="///", linewidth=0)
                colour = "#333333"
            else:
                # Cividis is darker than medium grey up to about the middle of the scale.
                is_dark = (value - low) / span < 0.55
                colour = "white" if is_dark else INK
            axes.text(column, row, label, ha="center", va="center", color=colour)
        # Long names would run into each other.
        slanted: dict[str, Any] = {"rotation": 30, "ha": "right"} if max(map(len, columns)) > 10 else {}
        axes.set_xticks(range(len(columns)), [short_label(name) for name in columns], **slanted)
        axes.set_yticks(range(len(rows)), [short_label(name) for name in rows])
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)

    # In inches, as all sizes: room for labels and margins, then for each column and row.
    return Drawing((2.6 + cell_width * len(columns), 1.3 + 0.36 * len(rows)), paint)


def draw_intervals(
    series: Sequence[tuple[str, Sequence[Mark]]],
    *,
    x_label: str,
    limits: tuple[float, float] | None = None,
    zero: bool = False,
) -> Drawing:
    """Points with their intervals, one line per label and one marker per series; all series have the same labels.

    `zero` draws a line at 0, for differences.
    """
    _, first_marks = series[0]
    labels = [mark.label for mark in first_marks]

    def paint(axes: Axes) -> None:
        for number, (name, marks) in enumerate(series):
            # The marks of a label stand above each other around its line, and not on those of the next label.
            distance, middle = min(0.26, 0.8 / len(series)), (len(series) - 1) / 2
            offset = distance * (number - middle)
            _paint_marks(axes, name, marks, offset, SERIES[number % len(SERIES)])
        name_rows(axes, labels, x_label)
        if limits is not None:
            axes.set_xlim(*limits)
        if zero:
            axes.axvline(0, color="black", linewidth=1)
        if len(series) > 1:
            put_legend(axes, ncols=min(len(series), 3))

    return Drawing((5.4, 1.1 + (0.3 + 0.12 * len(series)) * len(labels)), paint)


def _paint_marks(axes: Axes, name: str, marks: Sequence[Mark], offset: float, look: tuple[str, str]) -> None:
    colour, marker = look
    add_to_legend(axes, name, colour, marker)
    largest = max((abs(mark.value or 0.0) for mark in marks), default=0.0)
    form = ".1f" if largest > _ONE_DECIMAL_ABOVE else ".3f"
    points = (
        (mark.value, row + offset, f"{name}, {describe(mark, form)}")
        for row, mark in enumerate(marks)
        if mark.value is not None
    )
    plot_points(axes, points, marker, colour, markersize=6)
    for row, mark in enumerate(marks):
        y = row + offset
        plot_interval(axes, mark, y, color=colour, linewidth=1.8)
        if mark.value is None:
            axes.text(0.01, y, "NA", transform=axes.get_yaxis_transform(), va="center", color=GREY)


def draw_bars(marks: Sequence[Mark], *, x_label: str, form: str) -> Drawing:
    """Horizontal bars from zero with the value written at the end; `form` is a format specification."""

    def paint(axes: Axes) -> None:
        values = [mark.value or 0.0 for mark in marks]
        colours = [VERMILLION if value < 0 else BLUE for value in values]
        bars = axes.barh(range(len(marks)), values, color=colours, height=0.62)
        for row, mark in enumerate(marks):
            hover(bars[row], describe(mark, form))
            plot_interval(axes, mark, row, color="black", linewidth=1.6)
            ends = [end for end in (mark.value, mark.low, mark.high) if end is not None]
            is_negative = values[row] < 0
            outermost = min if is_negative else max
            axes.annotate(
                _number(mark.value, form),
                (outermost(ends, default=0.0), row),
                xytext=(-4 if is_negative else 4, 0),
                textcoords="offset points",
                ha="right" if is_negative else "left",
                va="center",
            )
        name_rows(axes, [mark.label for mark in marks], x_label)
        axes.axvline(0, color="black", linewidth=1)
        axes.margins(x=0.14)

    return Drawing((5.4, 0.9 + 0.36 * len(marks)), paint)


def name_rows(axes: Axes, labels: Sequence[str], x_label: str, *, grid: bool = True) -> None:
    """A name beside each row, the first at the top, and one for the axis below."""
    axes.set_yticks(range(len(labels)), [short_label(label) for label in labels])
    axes.set(ylim=(len(labels) - 0.5, -0.5), xlabel=x_label)
    axes.grid(grid, axis="x")
    axes.tick_params(axis="y", length=0)


def plot_interval(axes: Axes, mark: Mark, position: float, *, upright: bool = False, **look: Any) -> None:
    """The interval of a mark, if it has one: a line across at the height `position`, or an upright line at that x."""
    if mark.low is not None and mark.high is not None:
        ends, positions = [mark.low, mark.high], [position, position]
        if upright:
            axes.plot(positions, ends, **look)
        else:
            axes.plot(ends, positions, **look)


def add_to_legend(axes: Axes, name: str, colour: str, marker: str) -> None:
    """Name a series in the legend by an empty plot, so that one without a point is named too."""
    axes.plot([], [], marker, color=colour, label=short_label(name), markersize=7)


def put_legend(axes: Axes, *, ncols: int, below: bool = False) -> None:
    """A legend outside the axes, yet within the figure however long the names are."""
    figure = axes.get_figure(root=True)
    if figure is not None and axes.get_legend_handles_labels()[0]:
        location: Any = "outside lower center" if below else "outside upper center"
        figure.legend(loc=location, ncols=ncols, frameon=False)


def hover(artist: Artist, text: str) -> None:
    """Let the SVG show a text when the pointer rests on this part of it."""
    # matplotlib writes no titles into SVG, but it writes ids; `Drawing.svg` makes titles of these.
    artist.set_gid(f"hover {' '.join(text.split())}")


def plot_points(
    axes: Axes, points: Iterable[tuple[float, float, str]], marker: str, colour: str, **look: Any
) -> None:
    """Draw points (x, y, text) that show their text under the pointer."""
    for x, y, text in points:
        (point,) = axes.plot([x], [y], marker, color=colour, linestyle="none", **look)
        hover(point, text)


def plot_curve(
    axes: Axes, points: tuple[Floats, Floats], style: str, names: tuple[str, str, str], **look: Any
) -> None:
    """A curve that shows its values under the pointer; `names` are those of the curve and of both axes."""
    xs, ys = points
    name, x_label, y_label = names
    axes.plot(xs, ys, style, **look)
    # SVG shows a text for whole elements only, so invisible points along the curve carry the values.
    indices = sorted({round(index) for index in np.linspace(0, len(xs) - 1, _HOVER_POINTS)})
    hover_points = (
        (xs[i], ys[i], f"{name}; {x_label} {xs[i]:.2f}: {y_label} {_number(ys[i], '.3f')}") for i in indices
    )
    plot_points(axes, hover_points, "o", "white", alpha=0.0, markersize=9, zorder=5)


def describe(mark: Mark, form: str = ".1f") -> str:
    """A value with its interval, for `hover`.

    >>> describe(Mark("a", 50, 41, 58.5)), describe(Mark("b", None))
    ('a: 50.0 [41.0, 58.5]', 'b: NA')
    """
    ends = [_number(end, form) for end in (mark.low, mark.high) if end is not None]
    interval = f" [{', '.join(ends)}]" if ends else ""
    return f"{mark.label}: {_number(mark.value, form)}{interval}"


def _cell(axes: Axes, row: int, column: int, text: str, **look: Any) -> None:
    """Draw an empty rectangle over a cell of a heat map, with a text for the pointer."""
    from matplotlib.patches import Rectangle

    cell = Rectangle((column - 0.5, row - 0.5), 1, 1, fill=False, **look)
    hover(cell, text)
    axes.add_patch(cell)


def _number(value: float | None, form: str) -> str:
    """A number as readers see it, with U+2212 for minus; NA for None and NaN."""
    return "NA" if value is None or np.isnan(value) else format(value, form).replace("-", "−")


def short_label(text: str) -> str:
    """A name on one line that fits beside a figure.

    >>> short_label("a\\nb"), len(short_label("x" * 99))
    ('a b', 34)
    """
    line = one_line(text)
    return line if len(line) <= _LABEL_LENGTH else line[: _LABEL_LENGTH - 1] + "…"
