"""Scores against what a models file says of the models."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from perturb.errors import ConfigError
from perturb.evaluation.models_under_test import read_covariates
from perturb.metrics.inputs import Estimate
from perturb.reports.covariates import ALL, covariates_section, report_covariates

PAPERS = Path(__file__).parents[1] / "data" / "papers"
TABLE_7 = pd.read_csv(PAPERS / "refusal-index-table-7.csv", index_col="model")
SIMPLEQA = pd.read_csv(PAPERS / "bas-table-2.csv", index_col="model")


def models_file(path: Path, entries: Mapping[Any, str]) -> Path:
    lines = [f"  - {{name: {name}, model: x/{name}, {content}}}" for name, content in entries.items()]
    path.write_text("models:\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return path


def values(scores: Mapping[Any, float]) -> list[tuple[str, dict[str, Estimate]]]:
    return [(name, {"RI": Estimate(value, n=100)}) for name, value in scores.items()]


def test_lines_are_those_of_least_squares(tmp_path: Path) -> None:
    sized = TABLE_7.dropna()
    entries = {row.Index: f"family: {row.family}, size_b: {row.size_b}" for row in sized.itertuples()}
    known = read_covariates(models_file(tmp_path / "m.yaml", entries))
    report = report_covariates(values(sized["refusal_index"].to_dict()), known)
    assert [(trend.covariate, trend.family) for trend in report.trends] == [
        ("size_b", ALL),
        ("size_b", "Qwen"),
    ]
    for trend in report.trends:
        rows = sized if trend.family == ALL else sized[sized["family"] == trend.family]
        x, y = np.log10(rows["size_b"]), rows["refusal_index"]
        slope, intercept = np.polyfit(x, y, 1)
        assert trend.slope.value == pytest.approx(slope)
        assert trend.intercept == pytest.approx(intercept)
        assert trend.r_squared == pytest.approx(np.corrcoef(x, y)[0, 1] ** 2)
        assert trend.slope.n == len(rows)
        assert trend.slope.low is not None
        assert trend.slope.low < slope
    section = covariates_section(report)
    assert [figure.name for figure in section.figures] == ["size_b-1"]


def test_the_index_over_accuracy_is_figure_5_of_the_paper(tmp_path: Path) -> None:
    """It draws C/A, not the correct-answer rate that its axis names: R² 0.235, and who lies above the line."""
    families = (f"family: {family}" for family in TABLE_7["family"])
    known = read_covariates(models_file(tmp_path / "m.yaml", dict(zip(TABLE_7.index, families, strict=True))))
    columns = {"RI": "refusal_index", "correct": "correct_rate", "C/A": "c_over_a"}
    scores = [
        (str(name), {score: Estimate(row[column]) for score, column in columns.items()})
        for name, row in TABLE_7.iterrows()
    ]
    report = report_covariates(scores, known)
    lines = {(trend.score, trend.covariate): trend for trend in report.trends if trend.family == ALL}
    assert lines["RI", "correct"].r_squared == pytest.approx(0.010, abs=5e-4)
    line = lines["RI", "C/A"]
    assert line.r_squared == pytest.approx(0.235, abs=0.005)
    drawn = (line.intercept or 0) + (line.slope.value or 0) * TABLE_7["c_over_a"]
    above = set(TABLE_7.index[TABLE_7["refusal_index"] > drawn])
    assert {name for name in TABLE_7.index if name.startswith(("Claude", "Qwen"))} - above == {"Qwen3-235B"}
    assert not {name for name in above if name.startswith(("Gemini", "GPT", "GLM"))}
    figures = {figure.name for figure in covariates_section(report).figures}
    assert figures == {"correct-1", "c-over-a-1"}


def test_bas_and_its_companions_over_accuracy_are_figure_2_of_the_paper(tmp_path: Path) -> None:
    """More accurate models have a higher BAS and a lower ECE and AURC."""
    known = read_covariates(models_file(tmp_path / "m.yaml", dict.fromkeys(SIMPLEQA.index, "family: F")))
    columns = {"BAS": "bas", "ECE": "ece_percent", "AURC": "aurc"}
    scores = [
        (
            str(name),
            {"accuracy": Estimate(row["accuracy_percent"] / 100)}
            | {score: Estimate(row[column]) for score, column in columns.items()},
        )
        for name, row in SIMPLEQA.iterrows()
    ]
    report = report_covariates(scores, known)
    slopes = {trend.score: trend.slope.value or 0 for trend in report.trends if trend.family == ALL}
    assert {name: value > 0 for name, value in slopes.items()} == {"BAS": True, "ECE": False, "AURC": False}


def test_budgets_stages_and_dates_have_their_figures(tmp_path: Path) -> None:
    entries = {
        f"r{tokens}": f"family: R, size_b: 8, reasoning_tokens: {tokens}, release: 2025-0{place}-01"
        for place, tokens in enumerate((0, 1000, 8000), start=1)
    }
    entries |= {stage: f"family: T, size_b: 7, training: {stage}" for stage in ("dpo", "base", "sft")}
    known = read_covariates(models_file(tmp_path / "m.yaml", entries))
    scores = dict.fromkeys(entries, 0.5) | {"r0": 0.2, "dpo": 0.7}
    report = report_covariates(values(scores), known)
    figures = {figure.name: figure for figure in covariates_section(report).figures}
    assert set(figures) == {"size_b-1", "release-1", "reasoning-1", "stages-1"}
    assert all(figure.drawing.svg for figure in figures.values())
    axes = Figure().subplots()
    figures["reasoning-1"].drawing.paint(axes)
    budgets = {budget for line in axes.lines for budget in np.asarray(line.get_xdata()).tolist()}
    assert {0, 1000, 8000} <= budgets
    assert report.to_dict()["models"][1] == {
        "model": "r1000",
        "family": "R",
        "size_b": 8.0,
        "release": "2025-02-01",
        "reasoning_tokens": 1000,
        "scores": {"RI": Estimate(0.5, n=100).to_dict()},
    }


def test_a_model_with_several_settings_has_their_mean(tmp_path: Path) -> None:
    known = read_covariates(models_file(tmp_path / "m.yaml", {"a": "size_b: 8"}))
    report = report_covariates([*values({"a": 0.2}), *values({"a": 0.4})], known)
    assert report.models[0].scores["RI"].value == pytest.approx(0.3)


@pytest.mark.parametrize(("content", "words"), [("size_b: 0", "size_b"), ("training: late", "training")])
def test_wrong_covariates_are_one_line(tmp_path: Path, content: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words) as caught:
        read_covariates(models_file(tmp_path / "m.yaml", {"a": content}))
    assert "\n" not in str(caught.value)


def test_a_file_of_other_models_is_refused(tmp_path: Path) -> None:
    known = read_covariates(models_file(tmp_path / "m.yaml", {"a": "size_b: 8"}))
    with pytest.raises(ConfigError, match="does not name any model"):
        report_covariates(values({"b": 0.2}), known)
