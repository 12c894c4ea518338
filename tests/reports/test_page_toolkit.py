"""The toolkit under every report: tables, files, and texts that try to be markup."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from perturb.errors import ConfigError
from perturb.metrics.inputs import Estimate
from perturb.reports.figures import Mark, draw_bars
from perturb.reports.model import Figure, ItemBrowser, Report, Section, Table, show
from perturb.reports.rendering import render_page, write_page
from tests.review.made_run import NASTY


def page_of(*tables: Table, browser: ItemBrowser | None = None) -> Report:
    figure = Figure("bars", NASTY, NASTY, draw_bars([Mark("a", 1.0)], x_label="n", form=".0f"))
    return Report(NASTY, NASTY, (Section("one", NASTY, (NASTY,), (figure,), tables),), browser)


TABLE = Table("rates", NASTY, {"name": "text", "n": "count", "rate": "share"}, [(NASTY, 1200, None)])


def test_values_are_shown_by_the_form_of_their_column() -> None:
    assert [show(0.123456, form) for form in ("share", "number", "points")] == ["12.3 %", "0.123", "+0.1"]
    assert (show(-0.5, "number"), show(1234567, "count"), show(2.5, "usd")) == (
        "−0.500",
        "1,234,567",
        "$2.50",
    )
    assert show(None, "share") == "NA"


def test_no_text_becomes_markup() -> None:
    page = render_page(page_of(TABLE, browser=ItemBrowser("all", {"class": [NASTY]}, [{"id": NASTY}])))
    assert page.count("<script") == 2
    assert page.count("</script>") == 2
    assert "<b>" not in page
    assert "{{ 7 * 7 }}" in page


def test_a_page_is_one_file_that_asks_for_nothing() -> None:
    page = render_page(page_of(TABLE))
    assert "default-src 'none'" in page
    assert "http://" not in page
    assert "https://" not in page
    assert "<svg" in page
    assert "<title>a: 1</title>" in page  # said where a pointer rests


def test_csv_keeps_plain_values_and_all_rows() -> None:
    table = Table("t", "t", {"a": "text", "b": "share"}, [("x", 0.125), ("y", None)], shown=1)
    assert list(csv.reader(io.StringIO(table.to_csv(), newline=""))) == [
        ["a", "b"],
        ["x", "0.125"],
        ["y", ""],
    ]
    assert "1 of 2 rows; t.csv holds them all." in render_page(page_of(table))
    rows = [("x", Estimate(0.5, 0.25, 0.75), 1), ("y", None, 2)]
    wide = Table("t", "t", {"a": "text", "b": "share", "n": "count"}, rows)
    header, *lines = csv.reader(io.StringIO(wide.to_csv(), newline=""))
    assert [dict(zip(header, line, strict=True))["n"] for line in lines] == ["1", "2"]


def test_columns_without_a_word_and_hidden_tables_are_not_on_the_page() -> None:
    table = Table("t", "seen", {"a": "text", "note": "text"}, [("x", "")])
    hidden = Table("h", "unseen", {"a": "text"}, [("x",)], shown=0)
    page = render_page(page_of(table, hidden))
    assert ">note<" not in page
    assert "seen" in page
    assert "unseen" not in page


def test_every_figure_and_table_is_a_file_as_well(tmp_path: Path) -> None:
    paths = write_page(page_of(TABLE), tmp_path / "report.html", tmp_path / "audit")
    names = [str(path.relative_to(tmp_path)) for path in paths]
    assert names == [
        "report.html",
        "audit/figures/bars.svg",
        "audit/figures/bars.png",
        "audit/tables/rates.csv",
    ]
    assert all(path.stat().st_size for path in paths)


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="choose another place"):
        write_page(page_of(), tmp_path / "file" / "report.html", tmp_path)
