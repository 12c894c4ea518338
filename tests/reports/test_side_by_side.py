"""Several runs and tables in one page: whose scores stand in it, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from perturb.errors import LedgerError, PerturbError, SourceError
from perturb.metrics.inputs import Estimate
from perturb.reports.any_page import SourceKind, gather, make_side_by_side_page, source_kind
from perturb.reports.model import Table
from perturb.reports.rendering import render_page
from perturb.scoring.confidence_report import ConfidenceOptions, score_confidence
from perturb.scoring.refusal_report import report_refusals
from perturb.scoring.score_report import score
from tests.building import perturb, write_rows
from tests.review.made_run import make_run
from tests.scoring.tables import Row, items, right_at_rate, write_csv, wrong


@pytest.fixture
def tables(tmp_path: Path) -> tuple[Path, Path, Path]:
    """Model m has all three scores, the others one each; it was asked under two settings."""
    rng = np.random.default_rng(0)
    results = right_at_rate(0.8, "m", 36, seed=0) + [wrong(item, "<b>n</b>") for item in items(36)]
    refusals: list[Row] = []
    for model, settings in (("m", ("low", "high")), ("o", ("low",))):
        for setting in settings:
            wrong_ones = rng.uniform(size=200) < 0.5
            refused = rng.uniform(size=200) < np.where(wrong_ones, 0.7, 0.3)
            refusals += [
                {"model": model, "setting": setting, "refused": int(a), "wrong": int(b)}
                for a, b in zip(refused, wrong_ones, strict=True)
            ]
    confidence = rng.uniform(0.1, 0.9, 200)
    sure = [
        {"model": model, "is_correct": int(hit), "confidence": round(float(stated), 3)}
        for model in ("m", "p")
        for hit, stated in zip(rng.uniform(size=200) < confidence, confidence, strict=True)
    ]
    return (
        write_rows(tmp_path / "results.jsonl", results),
        write_csv(tmp_path / "refusals.csv", refusals),
        write_csv(tmp_path / "confidence.csv", sure),
    )


def test_every_model_has_one_line_with_the_scores_of_each_table(tables: tuple[Path, Path, Path]) -> None:
    results, refusals, confidence = tables
    found = gather(tables, resamples=20, seed=5)
    assert found.models == ["<b>n</b>", "m", "o", "p"]
    bench = next(model for model in score(results, resamples=20, seed=5).models if model.model == "m")
    crs = found.combined("m", "calibrated_refusal_score")
    assert crs == bench.metrics["calibrated_refusal_score"]
    indices = {
        group.setting: group.metrics["refusal_index"].value
        for group in report_refusals([refusals]).groups
        if group.model == "m"
    }
    assert {score.way: score.value.value for score in found.of("m", "refusal_index")} == indices
    scores = score_confidence([confidence], options=ConfidenceOptions(resamples=20, seed=5)).groups[0]
    assert found.combined("m", "bas_uniform") == scores.report.metrics["bas_uniform"]

    page = make_side_by_side_page(found)
    (overview,) = page.sections[0].tables
    lines = {row[0]: row for row in overview.rows}
    assert lines["o"][1:4] == [None] * 3
    assert lines["p"][4] is None
    assert lines["p"][6:] == [1, 0, 1]
    assert "<b>n</b>" not in render_page(page)


def test_the_mean_of_settings_has_no_interval(tables: tuple[Path, Path, Path]) -> None:
    overview: Table = make_side_by_side_page(gather(tables, resamples=20)).sections[0].tables[0]
    by_model = {row[0]: row for row in overview.rows}
    several, single = by_model["m"][4], by_model["o"][4]
    assert isinstance(several, Estimate)
    assert isinstance(single, Estimate)
    assert several.low is None
    assert several.value is not None
    assert single.low is not None
    assert (by_model["m"][7], by_model["o"][7]) == (2, 1)


def test_a_mean_is_undefined_where_one_of_its_values_is(tables: tuple[Path, Path, Path]) -> None:
    found = gather(tables, resamples=20)
    first, _ = found.of("m", "refusal_index")
    undefined = first._replace(value=Estimate.undefined("everything was refused", 1))
    scores = tuple(undefined if score is first else score for score in found.scores)
    overview = make_side_by_side_page(replace(found, scores=scores)).sections[0].tables[0]
    mean = next(row for row in overview.rows if row[0] == "m")[4]
    assert mean == Estimate.undefined("everything was refused", n=201)


def test_what_readers_of_a_table_should_know_is_said_of_many_tables_too(tmp_path: Path) -> None:
    rows = [{"model": "m", "is_correct": 1, "confidence": 0.5 + number / 100} for number in range(9)]
    found = gather([write_rows(tmp_path / "sure.jsonl", rows)], resamples=20)
    assert any("every answer is right" in warning for warning in found.warnings)


def test_only_what_there_is_gets_a_chapter(tables: tuple[Path, Path, Path]) -> None:
    page = make_side_by_side_page(gather(tables[1:], resamples=20))
    assert [section.name for section in page.sections] == ["overview", "refusal-index", "bas"]
    assert not page.sections[0].figures


def test_the_same_score_twice_is_refused(tables: tuple[Path, Path, Path], tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    for table in tables:
        copy = tmp_path / "other" / table.name
        copy.write_bytes(table.read_bytes())
        with pytest.raises(SourceError, match=rf"is (also )?in .*{table.stem}\.\w+"):
            gather([table, copy], resamples=20)


def test_sources_are_told_apart(tables: tuple[Path, Path, Path], tmp_path: Path) -> None:
    assert [source_kind(path) for path in tables] == [
        SourceKind.SCORES,
        SourceKind.REFUSALS,
        SourceKind.CONFIDENCE,
    ]
    for name, table, kind in (
        ("refusals.jsonl", '{"refused": 1, "wrong": 0}', SourceKind.REFUSALS),
        ("confidence.jsonl", '{"is_correct": 1, "confidence": 0.5}', SourceKind.CONFIDENCE),
    ):
        folder = tmp_path / kind.value
        folder.mkdir()
        (folder / name).write_text(table + "\n", encoding="utf-8")
        assert source_kind(folder) is kind
    build = make_run(tmp_path / "build", per_cell=1)
    assert source_kind(build) is SourceKind.BUILD
    with pytest.raises(SourceError, match="the run of a build has no scores"):
        gather([tables[0], build], resamples=20)


@pytest.mark.parametrize(
    ("name", "content", "error", "message"),
    [
        ("a.csv", b"a,b\n1,2\n", SourceError, "is not a table of scores"),
        ("a.jsonl", b"[1]\n", SourceError, "a.jsonl:1: not an object"),
        ("a.jsonl", b"{", SourceError, "a.jsonl:1: not JSON"),
        ("a.csv", b"\xff\xfe", SourceError, "a.csv:1: not UTF-8"),
        ("a.parquet", b"PAR1", SourceError, "not a Parquet table"),
        ("a.txt", b"", SourceError, "a table is a"),
        ("a.csv", None, SourceError, "no such file or run"),
        ("folder", None, LedgerError, "no run there"),
    ],
)
def test_other_files_are_refused_with_their_name(
    tmp_path: Path, name: str, content: bytes | None, error: type[PerturbError], message: str
) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    elif name == "folder":
        path.mkdir()
    with pytest.raises(error, match=message) as raised:
        source_kind(path)
    assert str(path) in str(raised.value)


def test_the_command_writes_one_page(tables: tuple[Path, Path, Path], tmp_path: Path) -> None:
    ended = perturb("report", *tables, "--resamples", 10, "--out", tmp_path / "all.html", "--json")
    assert (ended.returncode, ended.stderr) == (0, "")
    told = ended.json
    assert told["run"] == [str(path) for path in tables]
    header = (tmp_path / "all/tables/side-by-side.csv").read_text(encoding="utf-8").splitlines()[0]
    assert header.startswith('model,"CRS, percent","CRS, percent low"')
