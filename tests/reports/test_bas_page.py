"""The report page on confidence: what stands on it, and that it needs nothing else."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import numpy as np
import pytest

from perturb.reports.bas_page import MAX_GROUPS, make_bas_page
from perturb.reports.rendering import render_page, write_page
from perturb.scoring.confidence_report import ConfidenceOptions, Split, calibrate_within, score_groups
from perturb.scoring.confidence_table import ConfidenceGroup

FEW = ConfidenceOptions(resamples=20)


def group(model: str, power: float, n: int = 120) -> ConfidenceGroup:
    rng = np.random.default_rng(0)
    p = rng.uniform(0.05, 0.95, n)
    items = tuple(f"q{i}" for i in range(n))
    return ConfidenceGroup(model, None, rng.uniform(size=n) < p, p**power, items, None)


GROUPS = (group("honest", 1.0), group("<b>over</b>", 0.3))


def test_the_page_has_every_chapter_and_stands_alone(tmp_path: Path) -> None:
    calibrations = [calibrate_within(one, Split(), FEW) for one in GROUPS]
    page = make_bas_page(score_groups(GROUPS, FEW), "a.csv", calibrations)
    assert [section.name for section in page.sections] == [
        "scores",
        "decisions",
        "confidence",
        "against",
        "calibration",
    ]
    html = render_page(page)
    assert not re.findall(r"(?:src|href)=\"(?!data:|#)", html)
    assert "<b>over</b>" not in html
    write_page(page, tmp_path / "page.html", tmp_path / "page")
    with (tmp_path / "page/tables/scores.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert [row["model"] for row in rows] == ["honest", "<b>over</b>"]
    assert float(rows[0]["BAS"]) > float(rows[1]["BAS"])
    figures = {path.stem for path in (tmp_path / "page/figures").glob("*.svg")}
    assert figures == {"bas", "decision-curve", "risk-coverage", "confidence-1", "confidence-2", "reliability-1",
                       "reliability-2", "bas-ece", "bas-aurc", "bas-log_loss", "calibration", "map-1",
                       "map-2"}  # fmt: skip
    with (tmp_path / "page/tables/calibration.csv").open() as stream:
        maps = [row["map"] for row in csv.DictReader(stream)]
    assert maps == ["as stated", "isotonic", "platt", "temperature", "histogram"] * 2


def test_every_figure_says_its_values_where_a_pointer_rests() -> None:
    calibrations = [calibrate_within(GROUPS[0], Split(), FEW)]
    page = make_bas_page(score_groups(GROUPS, FEW), "a.csv", calibrations)
    for figure in (figure for section in page.sections for figure in section.figures):
        assert "<title>" in figure.drawing.svg, figure.name
    drawn = {figure.name: figure.drawing.svg for section in page.sections for figure in section.figures}
    bas = GROUPS[0].model, score_groups(GROUPS[:1], FEW).groups[0].report.metrics["bas_uniform"].value
    assert f"<title>{bas[0]}, BAS: {bas[1]:.3f}" in drawn["decision-curve"]
    right = GROUPS[0].correct.mean()  # at t = 0 every answer is acted on, and a wrong one costs nothing
    assert f"risk threshold t 0.00: mean utility {right:.3f}</title>" in drawn["decision-curve"]
    wrong = sum(0.9 <= one < 0.95 for one in GROUPS[0].confidence[~GROUPS[0].correct])
    assert f"<title>confidence 0.90 to 0.95: {wrong} wrong</title>" in drawn["confidence-1"]
    assert "&lt;b&gt;over&lt;/b&gt;: ECE" in drawn["bas-ece"]


def test_one_group_without_calibration_has_fewer_chapters() -> None:
    page = make_bas_page(score_groups(GROUPS[:1], FEW), "a.csv")
    assert [section.name for section in page.sections] == ["scores", "decisions", "confidence"]


@pytest.mark.parametrize("right", [True, False])
def test_one_class_and_one_confidence_are_drawn(right: bool) -> None:
    one = ConfidenceGroup("m", "top-k", np.full(3, right), np.full(3, 0.5), None, None)
    html = render_page(make_bas_page(score_groups([one], FEW), "a.csv"))
    assert "confidence is 0.5 throughout" in html


def test_many_groups_share_the_figures_that_fit() -> None:
    many = [group(f"m{number}", 1.0, 20) for number in range(MAX_GROUPS + 2)]
    page = make_bas_page(score_groups(many, FEW), "a.csv")
    confidence = page.sections[2]
    assert len(confidence.figures) == 2 * MAX_GROUPS
    assert confidence.sentences == ("2 more groups have no figures here.",)
