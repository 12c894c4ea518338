"""Figures hold their numbers, and no name breaks them."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.text import Annotation

from perturb.metrics.inputs import Estimate
from perturb.reports.figures import Drawing, Mark, draw_bars, draw_heat_map, draw_intervals
from perturb.reports.scores_figures import (
    Point,
    draw_grouped_bars,
    draw_points,
    draw_reliability,
    draw_stacks,
)

NAMES = ("$x^2$", "模型 \U0001f600", "a\nb", "x" * 80, "<b>&")


def check(drawing: Drawing) -> None:
    assert ElementTree.fromstring(drawing.svg).tag.endswith("svg")
    assert drawing.png.startswith(b"\x89PNG")
    assert drawing.width > 100


def test_names_are_plain_text_whatever_they_hold() -> None:
    marks = [Mark(name, 50.0, 40.0, 60.0) for name in NAMES]
    text = draw_bars(marks, x_label="%", form=".1f").svg.partition("<!-- $x^2$ -->")[2].partition("<!--")[0]
    assert text.count("<use") == len("$x^2$")
    check(draw_heat_map([[0.5] * 5] * 5, NAMES, NAMES, limits=(0, 1), form=".2f"))
    check(draw_intervals([(NAMES[0], marks), ("b", marks)], x_label="%"))
    check(draw_bars(marks, x_label="%", form=".1f"))


def test_undefined_values_are_drawn_as_such() -> None:
    nothing = [Mark("a", None), Mark("b", None)]
    check(draw_heat_map([[None, None], [1.0, None]], "ab", "ab", limits=(1.0, 1.0), form=".2f"))
    check(draw_intervals([("votes", nothing)], x_label="%"))
    check(draw_bars(nothing, x_label="%", form=".1f"))


def test_an_undefined_cell_differs_from_a_zero() -> None:
    first, second = (
        draw_heat_map([[value, 1.0]], ["a"], ["b", "c"], limits=(0, 1), form=".2f") for value in (None, 0.0)
    )
    assert first.svg != second.svg


def test_a_number_stands_out_from_its_cell() -> None:
    dark, light = (
        draw_heat_map([[value]], ["a"], ["b"], limits=(0, 1), form=".2f").svg for value in (0.0, 1.0)
    )
    assert ("fill: #ffffff" in dark.partition("<!-- 0.00 -->")[2].partition("</g>")[0]) is True
    assert ("fill: #ffffff" in light.partition("<!-- 1.00 -->")[2].partition("</g>")[0]) is False


@pytest.mark.parametrize("form", [".2f", ".0f"])
def test_the_same_values_give_the_same_file(form: str) -> None:
    drawings = [draw_heat_map([[0.25]], ["a"], ["b"], limits=(0, 1), form=form) for _ in range(2)]
    assert drawings[0].svg == drawings[1].svg


def painted(drawing: Drawing) -> Axes:
    axes: Axes = Figure().subplots()
    drawing.paint(axes)
    return axes


def lines_of(axes: Axes) -> list[tuple[list[float], list[float]]]:
    """The coordinates of every line of more than one point."""
    lines = (np.asarray(line.get_xydata()).T.tolist() for line in axes.lines)
    return [(xs, ys) for xs, ys in lines if len(xs) > 1]


def test_intervals_are_drawn_from_end_to_end_and_numbers_stand_beyond_them() -> None:
    axes = painted(
        draw_bars([Mark("a", 50.0, 40.0, 70.0), Mark("b", -5.0, -9.0, -2.0)], x_label="%", form=".1f")
    )
    assert ([40.0, 70.0], [0.0, 0.0]) in lines_of(axes)
    assert [text.xy for text in axes.texts if isinstance(text, Annotation)] == [(70.0, 0), (-9.0, 1)]


def test_a_point_has_the_interval_of_each_metric_in_its_own_direction() -> None:
    point = Point("m", Estimate(0.3, 0.2, 0.45), Estimate(0.8, 0.7, 0.95))
    lines = lines_of(painted(draw_points([point], x_label="x", y_label="y")))
    assert any(xs == pytest.approx([20, 45]) and ys == pytest.approx([80, 80]) for xs, ys in lines)
    assert any(xs == pytest.approx([30, 30]) and ys == pytest.approx([70, 95]) for xs, ys in lines)


def test_the_parts_of_a_stack_follow_each_other() -> None:
    axes = painted(draw_stacks(["m"], [{"one": 0.2, "two": 0.3, "three": 0.5}]))
    bars = [bar for bar in axes.patches if isinstance(bar, Rectangle)]
    assert [(round(bar.get_x()), round(bar.get_width())) for bar in bars] == [(0, 20), (20, 30), (50, 50)]
    assert [round(number.get_position()[0]) for number in axes.texts] == [10, 35, 75]


def test_the_text_of_a_reliability_point_names_confidence_then_accuracy() -> None:
    svg = draw_reliability([("m", [(0.9, 0.4, 12)])]).svg
    assert "m: stated confidence 90.0, accuracy 40.0, 12 replies" in svg


def test_grouped_bars_name_their_rows_and_their_axis() -> None:
    values = [Estimate(0.5, 0.4, 0.6, n=10), Estimate(0.2, 0.1, 0.3, n=10)]
    axes = painted(draw_grouped_bars(["first", "second"], [("fresh", values)], x_label="Accuracy"))
    assert [label.get_text() for label in axes.get_yticklabels()] == ["first", "second"]
    assert axes.get_xlabel() == "Accuracy, percent"
