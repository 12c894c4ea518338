"""Figures hold their numbers, and no name breaks them."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from perturb.reports.figures import Drawing, Mark, draw_bars, draw_heat_map, draw_intervals

NAMES = ("$x^2$", "模型 \U0001f600", "a\nb", "x" * 80, "<b>&")


def check(drawing: Drawing) -> None:
    assert ElementTree.fromstring(drawing.svg).tag.endswith("svg")
    assert drawing.png.startswith(b"\x89PNG")
    assert drawing.width > 100


def test_names_are_plain_text_whatever_they_hold() -> None:
    marks = [Mark(name, 50.0, 40.0, 60.0) for name in NAMES]
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
