"""P(Answering) in tables: AUROC with its interval, reliability, and what goes with it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr

from perturb.errors import SourceError
from perturb.metrics import auroc
from perturb.reports.refusal_index_page import make_refusal_page
from perturb.reports.rendering import render_text
from perturb.scoring.refusal_report import RefusalOptions, report_refusals
from tests.building import write_rows


def table(path: Path, models: int = 4, n: int = 600) -> Path:
    """Models that know ever better what they do not know, asked ten times under one prompt."""
    rng = np.random.default_rng(2)
    rows = []
    for number in range(models):
        rho = 0.1 + 0.8 * number / max(models - 1, 1)
        for item, (doubt, error) in enumerate(rng.multivariate_normal([0, 0], [[1, rho], [rho, 1]], n)):
            refusals = doubt + 0.5 * rng.normal(size=10) > 0.3
            row = {
                "model": f"m{number}",
                "item_id": item,
                "refused": int(refusals[0]),
                "wrong": int(error > 0),
            }
            rows.append({**row, "p_answering": 1 - refusals.mean()})
    return write_rows(path, rows)


def test_auroc_grows_with_what_was_planted_and_the_index_goes_with_it(tmp_path: Path) -> None:
    report = report_refusals([table(tmp_path / "t.jsonl")], RefusalOptions(resamples=300))
    found = report.to_dict()
    areas = [one["p_answering"]["auroc"] for one in found["results"]]
    values = [one["value"] for one in areas]
    assert values == sorted(values)
    assert all(
        one["low"] < one["value"] < one["high"] and 0.03 < one["high"] - one["low"] < 0.15 for one in areas
    )
    rows = [json.loads(line) for line in (tmp_path / "t.jsonl").read_text().splitlines()]
    last = [row for row in rows if row["model"] == "m3"]
    area = auroc([1 - row["wrong"] for row in last], [row["p_answering"] for row in last])
    assert values[-1] == area.value
    by_metric = {one["metric"]: one for one in found["auroc_correlations"]}
    assert by_metric["refusal_index"]["pearson"] > 0.95
    assert by_metric["refusal_index"]["n"] == 4
    assert sum(one["n"] for one in found["results"][0]["p_answering"]["reliability"]) == 600
    page = make_refusal_page(report)
    figures = [figure.name for section in page.sections for figure in section.figures]
    assert {"auroc-correlations", "p-answering-1"} <= {*figures}
    text = render_text(page, 80)
    assert "P(Answering)" in text
    # the path of the table may be longer than a line
    assert max(len(line) for line in text.splitlines() if str(tmp_path) not in line) <= 80


def test_two_groups_have_no_correlation_and_a_table_without_the_column_no_section(tmp_path: Path) -> None:
    found = report_refusals([table(tmp_path / "t.jsonl", models=2)], RefusalOptions(resamples=50)).to_dict()
    assert found["auroc_correlations"] == []
    (tmp_path / "plain.csv").write_text("refused,wrong\n1,1\n0,0\n0,1\n1,0\n")
    plain = report_refusals([tmp_path / "plain.csv"])
    assert "p_answering" not in plain.to_dict()
    assert "P(Answering)" not in render_text(make_refusal_page(plain), 80)


def sampled(path: Path, rows: Sequence[tuple[int, float | None]]) -> Path:
    """A table of one model, from whether each answer was wrong and how often it was given."""
    lines = [
        {"refused": 0, "wrong": wrong, **({} if share is None else {"p_answering": share})}
        for wrong, share in rows
    ]
    return write_rows(path, lines)


def test_the_standard_error_of_the_auroc_counts_ties_as_halves(tmp_path: Path) -> None:
    """With two values of P(Answering) the AUROC is .5 + (p - q) / 2, p and q the shares of the higher one."""
    rows = [(number % 2, 1.0 if number // 2 % 10 == 0 else 0.5) for number in range(800)]
    found = report_refusals([sampled(tmp_path / "t.jsonl", rows)], RefusalOptions(resamples=2000)).to_dict()
    area = found["p_answering"]["auroc"]
    assert area["value"] == 0.5
    assert area["se"] == pytest.approx(np.sqrt(2 * 0.1 * 0.9 / 400) / 2, rel=0.1)


def test_a_single_wrong_answer_gives_no_interval_and_a_table_with_gaps_no_section(tmp_path: Path) -> None:
    rows = [(int(number == 0), 0.1 * (number % 10)) for number in range(60)]
    found = report_refusals([sampled(tmp_path / "t.jsonl", rows)], RefusalOptions(resamples=50)).to_dict()
    area = found["p_answering"]["auroc"]
    assert area["value"] is not None
    assert (area["low"], area["high"]) == (None, None)
    assert area["reason"]
    gaps = sampled(tmp_path / "gaps.jsonl", [*rows, (1, None)])
    assert "p_answering" not in report_refusals([gaps], RefusalOptions(resamples=50)).to_dict()


def test_correlations_are_those_of_scipy(tmp_path: Path) -> None:
    report = report_refusals([table(tmp_path / "t.jsonl", models=5, n=200)], RefusalOptions(resamples=50))
    found = report.to_dict()
    areas = [one["p_answering"]["auroc"]["value"] for one in found["results"]]
    for one in found["auroc_correlations"]:
        metrics = [group.metrics[one["metric"]].value for group in report.groups]
        values = [value for value in metrics if value is not None]
        if one["pearson"] is None or len(values) < len(metrics):
            continue
        assert one["pearson"] == pytest.approx(pearsonr(values, areas).statistic)
        assert one["spearman"] == pytest.approx(spearmanr(values, areas).statistic)


@pytest.mark.parametrize("share", ["1.5", "often", "-0.1"])
def test_a_share_that_is_none_is_named(tmp_path: Path, share: str) -> None:
    (tmp_path / "t.csv").write_text(f"refused,wrong,p_answering\n1,1,{share}\n")
    with pytest.raises(SourceError, match=r"t.csv.*2.* field 'p_answering' must be a number from 0 to 1"):
        report_refusals([tmp_path / "t.csv"])
