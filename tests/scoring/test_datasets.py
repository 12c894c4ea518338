"""Several data sets: how groups are named, their means, and the published table of models by data sets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from perturb.errors import SourceError
from perturb.metrics.inputs import Estimate, mean_of_independent
from perturb.metrics.refusal_index import accuracy_refusal_curve
from perturb.reports.refusal_index_page import make_refusal_page
from perturb.scoring.confidence_report import ConfidenceOptions, score_confidence
from perturb.scoring.refusal_report import RefusalOptions, report_refusals
from tests.building import write_rows
from tests.scoring.tables import Row, write_csv

TABLE_4 = {
    "precise-wiki": {"Gemma": 0.36, "Qwen3": 0.48, "Qwen2.5": 0.54, "Llama": 0.52, "Mistral": 0.50},
    "counterfactual": {"Gemma": 0.56, "Qwen3": 0.60, "Qwen2.5": 0.56, "Llama": 0.70, "Mistral": 0.38},
    "inconsistency": {"Gemma": 0.22, "Qwen3": 0.27, "Qwen2.5": 0.22, "Llama": 0.17, "Mistral": 0.34},
    "unanswerable": {"Gemma": 0.12, "Qwen3": 0.24, "Qwen2.5": 0.40, "Llama": 0.31, "Mistral": 0.52},
}
"""The Refusal Index on four benchmarks, as the paper prints it."""
AVERAGES = (0.48, 0.56, 0.24, 0.32)


def rows_of(index: float, n: int = 2000, refused: float = 0.3, right: float = 0.4) -> list[Row]:
    """Questions of a model with this index, refusal rate and forced accuracy."""
    kept = float(accuracy_refusal_curve([refused], right, index)[0])
    shares = (refused - right + kept, right - kept, 1 - refused - kept, kept)
    cells = ((1, 1), (1, 0), (0, 1), (0, 0))
    counts = [round(n * share) for share in shares]
    return [{"refused": r, "wrong": w} for (r, w), m in zip(cells, counts, strict=True) for _ in range(m)]


def test_the_published_table_of_models_by_data_sets_comes_out(tmp_path: Path) -> None:
    paths = [
        write_csv(
            tmp_path / f"{name}.csv",
            [{"model": model, **row} for model, index in values.items() for row in rows_of(index)],
        )
        for name, values in TABLE_4.items()
    ]
    report = report_refusals(paths, RefusalOptions(resamples=20))
    section = next(one for one in make_refusal_page(report).sections if one.name == "datasets")
    table = section.tables[0]
    assert list(table.columns) == ["model", "setting", *TABLE_4, "mean"]
    for row in table.rows[:-1]:
        *values, mean = (cell.value for cell in row[2:] if isinstance(cell, Estimate))
        printed = [TABLE_4[name][str(row[0])] for name in TABLE_4]
        assert values == pytest.approx(printed, abs=0.005)
        assert mean == pytest.approx(np.mean(printed), abs=0.005)
    assert [round(float(str(cell)), 2) for cell in table.rows[-1][2:-1]] == list(AVERAGES)
    assert {one["dataset"] for one in report.to_dict()["results"]} == set(TABLE_4)


def test_the_interval_of_a_mean_covers_as_often_as_it_says() -> None:
    rng = np.random.default_rng(2)
    truth, sizes = (0.2, 0.5, 0.7), (80, 200, 50)
    covered = 0
    for _ in range(2000):
        parts = []
        for p, n in zip(truth, sizes, strict=True):
            share = rng.binomial(n, p) / n
            half = 1.96 * np.sqrt(share * (1 - share) / n)
            parts.append(Estimate(share, share - half, share + half, half / 1.96, n))
        mean = mean_of_independent(parts)
        assert mean.low is not None
        assert mean.high is not None
        covered += int(mean.low <= np.mean(truth) <= mean.high)
    assert 0.93 < covered / 2000 < 0.97


def test_a_column_names_the_data_sets_and_a_hole_leaves_no_mean(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    rows: list[Row] = [
        {"model": model, "dataset": name, "item_id": item, "is_correct": int(hit), "confidence": 0.6}
        for model, sets in (("a", ("med", "aime")), ("b", ("med",)))
        for name in sets
        for item, hit in enumerate(rng.uniform(size=40) < 0.6)
    ]
    found = score_confidence([write_csv(tmp_path / "t.csv", rows)], options=ConfidenceOptions(resamples=20))
    assert [(group.group.model, group.group.dataset) for group in found.groups] == [
        ("a", "med"),
        ("a", "aime"),
        ("b", "med"),
    ]
    # item 3 of one data set is not item 3 of another
    assert [(difference.a, difference.b) for difference in found.differences] == [("a, med", "b, med")]
    a, b = found.means
    accuracies = [group.report.metrics["accuracy"].value or 0 for group in found.groups[:2]]
    assert a.metrics["accuracy"].value == pytest.approx(sum(accuracies) / 2)
    assert b.metrics["accuracy"] == Estimate.undefined("not measured on aime")


def test_the_same_model_twice_in_one_data_set_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    rows = rows_of(0.3)
    paths = [write_csv(tmp_path / place, rows) for place in ("t.csv", "other/t.csv")]
    with pytest.raises(SourceError, match=r"'t' is in .*t\.csv too: rename a file"):
        report_refusals(paths)


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_fields_may_stand_in_columns_of_other_names(tmp_path: Path, form: str) -> None:
    """Prompts in the place of models, and the sets of the questions: nobody has a setting then."""
    rows = [
        {**row, "model": "m", "setting": way, "source": name}
        for way, index in (("low", 0.2), ("high", 0.6))
        for name in ("a", "b")
        for row in rows_of(index, 200)
    ]
    path = (write_csv if form == "csv" else write_rows)(tmp_path / f"t.{form}", rows)
    report = report_refusals([path], RefusalOptions(resamples=20), {"model": "setting", "dataset": "source"})
    assert [(group.model, group.setting, group.dataset) for group in report.groups] == [
        (way, None, name) for way in ("low", "high") for name in ("a", "b")
    ]
    assert {one.metric for one in report.ranking} >= {"refusal_index"}
    assert any(
        table.name == "ranking" for part in make_refusal_page(report).sections for table in part.tables
    )
    with pytest.raises(SourceError, match=r"no column 'way' \(there is"):
        report_refusals([path], columns={"model": "way"})
    answers = [
        {"is_correct": n % 2, "confidence": 0.5, "model": "m", "elicitation": way, "source": "a"}
        for way in ("direct", "top-k")
        for n in range(20)
    ]
    path = (write_csv if form == "csv" else write_rows)(tmp_path / f"c.{form}", answers)
    found = score_confidence([path], columns={"model": "elicitation", "dataset": "source"})
    assert [(group.group.model, group.group.elicitation, group.group.dataset) for group in found.groups] == [
        *(("direct", None, "a"), ("top-k", None, "a"))
    ]
    with pytest.raises(SourceError, match=r"no column 'way' \(there is"):
        score_confidence([path], columns={"model": "way"})


def test_a_setting_under_which_a_model_has_no_index_is_left_out_of_the_ranking(tmp_path: Path) -> None:
    indices = {"a": (0.2, 0.6), "b": (0.3, 0.5), "c": (0.3, None)}
    rows = [
        {**row, "model": model, "dataset": name}
        for name, pair in indices.items()
        for model, index in zip(("x", "y"), pair, strict=True)
        for row in (
            [{"refused": 0, "wrong": n % 2} for n in range(200)] if index is None else rows_of(index, 200)
        )
    ]
    report = report_refusals([write_csv(tmp_path / "t.csv", rows)], RefusalOptions(resamples=20))
    index = next(one for one in report.ranking if (one.metric, one.given) == ("refusal_index", "nothing"))
    assert (index.kendalls_w.value, index.kendalls_w.n) == (1.0, 2)
    tables = {table.name: table for part in make_refusal_page(report).sections for table in part.tables}
    assert tables["ranking"].note.endswith("some model lacks a metric there: c.")
    # table 6 of the paper: a row for each family, over the groups that could be fitted
    fitted = [group.copulas.fits for group in report.groups if group.copulas.fits]
    means = {row[0]: tuple(row[1:]) for row in tables["copulas-mean"].rows}
    count, likelihood = means["clayton"][:2]
    assert count == len(fitted)
    assert likelihood == pytest.approx(sum(fits[2].log_likelihood for fits in fitted) / len(fitted))
    assert means["gumbel"][4:] == tuple(report.win_rates["gumbel"].values())
    few = [row for row in rows if row["dataset"] != "a"]
    report = report_refusals([write_csv(tmp_path / "few.csv", few)], RefusalOptions(resamples=20))
    assert {one.kendalls_w.value for one in report.ranking} == {None}
    assert all(one.kendalls_w.reason for one in report.ranking)
