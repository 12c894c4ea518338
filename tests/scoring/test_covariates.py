"""Scores against what a models file says of the models."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from perturb.errors import ConfigError
from perturb.evaluation.models_under_test import read_covariates
from perturb.metrics.inputs import Estimate
from perturb.reports.covariates import ALL, covariates_section, report_covariates

TABLE_7 = {
    "Gemma-3-12B": ("Gemma", 12, 0.05, 0.06, 0.25),
    "Qwen2.5-72B": ("Qwen", 72, 0.05, 0.20, 0.49),
    "Qwen3-32B": ("Qwen", 32, 0.03, 0.12, 0.34),
    "Qwen3-32B-Think": ("Qwen", 32, 0.04, 0.14, 0.34),
    "Qwen3-235B": ("Qwen", 235, 0.38, 0.59, 0.33),
    "Mistral-123B": ("Mistral", 123, 0.19, 0.34, 0.39),
    "Llama-3.1-70B": ("Llama", 70, 0.03, 0.21, 0.38),
    "GPT-4.1": ("GPT", None, 0.34, 0.36, 0.28),
    "GPT-4.1-mini": ("GPT", None, 0.13, 0.19, 0.27),
    "Claude-Sonnet-4": ("Claude", None, 0.09, 0.58, 0.52),
    "Claude-3.5-Haiku": ("Claude", None, 0.02, 0.37, 0.52),
    "Gemini-2.5-Flash": ("Gemini", None, 0.19, 0.32, 0.30),
    "Gemini-2.5-Flash-Lite": ("Gemini", None, 0.08, 0.14, 0.12),
    "DeepSeek-V3-0324": ("DeepSeek", 671, 0.16, 0.32, 0.42),
    "GLM-4.5": ("GLM", 355, 0.06, 0.31, 0.30),
    "GLM-4.5-Air": ("GLM", 106, 0.05, 0.17, 0.15),
}
"""Of the RI paper: family, billions of parameters where they are known, correct-answer rate, C/A, Refusal Index."""
SIMPLEQA = {
    "DS-R1": (29.9, -0.48, 52.7, 0.60),
    "DS-V3.2": (17.6, -0.63, 49.0, 0.75),
    "GPT-4o": (21.4, -1.30, 70.5, 0.76),
    "GPT-oss": (12.0, -0.66, 58.5, 0.77),
    "Grok-3": (32.9, -0.90, 60.1, 0.65),
    "Mist-L": (28.7, -1.09, 64.2, 0.68),
    "G3-Mini": (19.6, -0.86, 60.8, 0.71),
    "Llama-3.3": (19.4, -2.97, 68.1, 0.75),
    "Mist-M": (20.2, -1.26, 68.8, 0.74),
    "4o-mini": (8.9, -3.86, 84.2, 0.89),
    "Mist-S": (10.9, -1.63, 82.6, 0.89),
    "Phi-4": (8.5, -3.63, 84.1, 0.91),
}
"""Of table 2 of the BAS paper: accuracy in percent, BAS, ECE in percent, AURC."""


def models_file(path: Path, entries: dict[str, str]) -> Path:
    lines = [f"  - {{name: {name}, model: x/{name}, {content}}}" for name, content in entries.items()]
    path.write_text("models:\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return path


def values(scores: dict[str, float]) -> list[tuple[str, dict[str, Estimate]]]:
    return [(name, {"RI": Estimate(value, n=100)}) for name, value in scores.items()]


def test_lines_are_those_of_least_squares(tmp_path: Path) -> None:
    sized = {name: row for name, row in TABLE_7.items() if row[1]}
    entries = {name: f"family: {family}, size_b: {size}" for name, (family, size, *_) in sized.items()}
    known = read_covariates(models_file(tmp_path / "m.yaml", entries))
    report = report_covariates(values({name: index for name, (*_, index) in sized.items()}), known)
    assert [(one.covariate, one.family) for one in report.trends] == [("size_b", ALL), ("size_b", "Qwen")]
    for one in report.trends:
        rows = [row for row in sized.values() if one.family in (ALL, row[0])]
        x, y = np.log10([float(row[1] or 0) for row in rows]), np.array([index for *_, index in rows])
        slope, intercept = np.polyfit(x, y, 1)
        assert one.slope.value == pytest.approx(slope)
        assert one.intercept == pytest.approx(intercept)
        assert one.r_squared == pytest.approx(np.corrcoef(x, y)[0, 1] ** 2)
        assert one.slope.n == len(rows)
        assert one.slope.low is not None
        assert one.slope.low < slope
    section = covariates_section(report)
    assert [figure.name for figure in section.figures] == ["size_b-1"]


def test_the_index_over_accuracy_is_figure_5_of_the_paper(tmp_path: Path) -> None:
    """It draws C/A, not the correct-answer rate that its axis names: R² 0.235, and who lies above the line."""
    known = read_covariates(
        models_file(tmp_path / "m.yaml", {n: f"family: {r[0]}" for n, r in TABLE_7.items()})
    )
    scores = [
        (name, {"RI": Estimate(index), "correct": Estimate(correct), "C/A": Estimate(attempted)})
        for name, (*_, correct, attempted, index) in TABLE_7.items()
    ]
    report = report_covariates(scores, known)
    lines = {(one.score, one.covariate): one for one in report.trends if one.family == ALL}
    assert lines["RI", "correct"].r_squared == pytest.approx(0.010, abs=5e-4)
    line = lines["RI", "C/A"]
    assert line.r_squared == pytest.approx(0.235, abs=0.005)
    above = {
        name
        for name, (*_, attempted, index) in TABLE_7.items()
        if index > (line.intercept or 0) + (line.slope.value or 0) * attempted
    }
    assert {name for name in TABLE_7 if name.startswith(("Claude", "Qwen"))} - above == {"Qwen3-235B"}
    assert not {name for name in above if name.startswith(("Gemini", "GPT", "GLM"))}
    figures = {figure.name for figure in covariates_section(report).figures}
    assert figures == {"correct-1", "c-over-a-1"}


def test_bas_and_its_companions_over_accuracy_are_figure_2_of_the_paper(tmp_path: Path) -> None:
    """More accurate models have a higher BAS and a lower ECE and AURC."""
    known = read_covariates(models_file(tmp_path / "m.yaml", dict.fromkeys(SIMPLEQA, "family: F")))
    heads = ("accuracy", "BAS", "ECE", "AURC")
    scores = [
        (name, dict(zip(heads, map(Estimate, (row[0] / 100, row[1], row[2] / 100, row[3])), strict=True)))
        for name, row in SIMPLEQA.items()
    ]
    report = report_covariates(scores, known)
    slopes = {one.score: one.slope.value or 0 for one in report.trends if one.family == ALL}
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
