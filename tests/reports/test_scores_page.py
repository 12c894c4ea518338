"""The report page on models under test, of tables and of a run with its replies, in a real Chromium."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

from perturb.evaluation.results import read_run
from perturb.metrics.inputs import Estimate
from perturb.reports.model import CellFormat, Report, Section, Table
from perturb.reports.rendering import render_page, write_page
from perturb.reports.run_data import MAX_CHARACTERS, browse_replies
from perturb.reports.scores_page import make_run_page, make_scores_page
from perturb.reports.scores_sections import MAX_MODELS
from perturb.scoring.score_report import ScoreReport, score
from perturb.scoring.table import read_results
from perturb.text.passages import Piece
from tests.browser import Browser, console_errors, requested
from tests.building import perturb
from tests.evaluation.rows import items_of, run, several, single, write_rows
from tests.loopback import LoopbackServer
from tests.loopback.responders import Responders
from tests.review.made_run import NASTY
from tests.scoring.tables import items, reply, right, table, wrong

ITEMS = 36
FOUR = ("refuse", "never", "sixty", "wrong")


@pytest.fixture(scope="module")
def evaluation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four models of known behaviour on items of both kinds; one of them is the judge, and texts try to be markup."""
    folder = tmp_path_factory.mktemp("evaluation")
    rows = [single(number, perturbed_query=f"{NASTY} {number}?", domain=NASTY) for number in range(18)]
    rows += [several(number) for number in range(18, ITEMS)]
    source = write_rows(folder / "rows.jsonl", rows)
    with LoopbackServer(Responders(items_of(source))) as server:
        run(folder, source, server.url, FOUR, variant="confidence", judge="never")
    return folder / "run"


@pytest.fixture(scope="module")
def page(evaluation: Path) -> Report:
    return make_run_page(evaluation, resamples=20)


@pytest.fixture(scope="module")
def html(evaluation: Path) -> Path:
    """The same page, written by the command."""
    ended = perturb("report", evaluation, "--resamples", 20, "--json")
    assert (ended.returncode, ended.stderr) == (0, "")
    return Path(ended.json["page"])


def scores_of(*models: str, n: int = ITEMS) -> ScoreReport:
    """Models of which the first is always right and the others are always wrong."""
    rows = [
        (right if number == 0 else wrong)(item, model)
        for number, model in enumerate(models)
        for item in items(n)
    ]
    return score(table(rows), resamples=20)


def find(page: Report, name: str) -> Table:
    return next(one for section in page.sections for one in section.tables if one.name == name)


def values(page: Report, name: str) -> dict[str, list[float | None]]:
    """The estimates of each row, by its first cell."""
    return {
        str(row[0]): [cell.value for cell in row if isinstance(cell, Estimate)]
        for row in find(page, name).rows
    }


def test_the_dashboard_shows_what_was_counted() -> None:
    page = make_scores_page(scores_of("good", "bad"))
    assert values(page, "dashboard") == {"bad": [0, 0, 0, 1, 1], "good": [1, 1, 1, 0, 0]}
    assert values(page, "details")["good"] == pytest.approx([2 / 3, 1, 1, 1, 1, 1])
    assert page.sections[0].sentences[1] == (
        "Highest calibrated refusal score: good with 100.0 % [47.6,\N{NO-BREAK SPACE}100.0]."
    )
    assert (
        "NA: category accuracy, hierarchical score of bad: no unanswerable item was refused."
        in find(page, "details").notes
    )


def test_intervals_stand_in_one_cell_and_in_three_columns_of_the_file() -> None:
    page = make_scores_page(scores_of("good", "bad"))
    assert "100.0 [47.6,\N{NO-BREAK SPACE}100.0]" in render_page(page)
    rows = list(csv.DictReader(io.StringIO(find(page, "dashboard").to_csv(), newline="")))
    found = [[float(row[name]) for name in ("CRS", "CRS low", "CRS high")] for row in rows]
    assert [row["model"] for row in rows] == ["good", "bad"]
    assert found == [[1, pytest.approx(0.476, abs=1e-3), 1], [0, 0, pytest.approx(0.524, abs=1e-3)]]
    every = list(csv.DictReader(io.StringIO(find(page, "metrics").to_csv(), newline="")))
    assert len(every) == 2 * 17
    (undefined,) = [row for row in every if (row["model"], row["metric"]) == ("bad", "category_accuracy")]
    assert (undefined["value"], undefined["value reason"]) == ("", "no unanswerable item was refused")


def test_confusion_and_outcomes_are_those_of_the_replies() -> None:
    page = make_scores_page(scores_of("good", "bad"))
    for model, truth, *cells in find(page, "confusion").rows:
        assert sum(int(str(cell)) for cell in cells) == (12 if truth == "ANSWER_CORRECTLY" else 4), model
    figures = {figure.name: figure for section in page.sections for figure in section.figures}
    # the right code of six refusals, and the answer to what is answerable
    assert figures["confusion"].drawing.svg.count("stroke-width: 2.2") == 7
    by_model = [figures[f"confusion-medium-{place}"] for place in (1, 2)]
    assert [one.title for one in by_model] == ["bad, MEDIUM items", "good, MEDIUM items"]
    assert [one.drawing.svg.count(": 100") for one in by_model] == [6, 6]
    assert "confusion-high-1" not in figures
    outcomes = {str(row[0]): row[1:7] for row in find(page, "outcomes").rows}
    assert outcomes["good"] == pytest.approx((1 / 3, 0, 2 / 3, 0, 0, 0))
    assert outcomes["bad"] == pytest.approx((0, 0, 0, 0, 1 / 3, 2 / 3))


def test_figures_are_there_and_those_of_single_models_are_limited() -> None:
    names = [f"m{number:02}" for number in range(MAX_MODELS + 1)]
    page = make_scores_page(scores_of(*names, n=18))
    figures = {figure.name for section in page.sections for figure in section.figures}
    assert {"answer-refusal", "detection-category", "errors", "intensity", "outcomes"} <= figures
    assert {"class-answer-accuracy", "class-refusal-accuracy", "domains", "confusion"} <= figures
    assert f"confusion-{MAX_MODELS}" in figures
    assert f"confusion-{MAX_MODELS + 1}" not in figures
    codes = next(section for section in page.sections if section.name == "codes")
    assert codes.sentences == ("1 more model has no figures of its own; the CSV files have them all.",)


def test_one_model_with_no_readable_reply_has_a_page_without_nan() -> None:
    rows = [reply(item, "mute", None) for item in items(18)]
    page = make_scores_page(score(table(rows), resamples=20))
    text = render_page(page)
    assert not re.search(r"\bnan\b", re.sub(r"base64,[^\"]*", "", text), re.IGNORECASE)
    assert "Unscored replies, which do not count as right or wrong: mute 18." in page.sections[0].sentences
    assert values(page, "dashboard")["mute"] == [None] * 5
    assert [row[1] for row in find(page, "bounds").rows] == ["lowest", "highest"]
    cells = find(page, "bounds-by-cell").rows
    assert [row[:3] for row in cells[:2]] == [
        ("P-Ambiguity/LOW", "mute", 0),
        ("P-Ambiguity/MEDIUM", "mute", 0),
    ]


def test_confidence_is_drawn_where_it_is_stated() -> None:
    rows = [right(item, "m", confidence="CONFIDENT") for item in items(18)]
    page = make_scores_page(score(table(rows), resamples=20))
    assert find(page, "calibration").rows[0] == ("m", "all", "CONFIDENT", 0.8, 18, 1.0)
    assert "calibration" not in [section.name for section in make_scores_page(scores_of("m")).sections]


def test_the_judge_under_test_is_named(page: Report) -> None:
    words = page.sections[0].sentences
    assert "never is the judge too and judged its own replies: its scores may be partial." in words
    assert "Replies were judged by never." in words


def test_it_opens_without_a_request_or_a_complaint(browser: Browser, html: Path, page: Report) -> None:
    browser.get("about:blank")
    requested(browser)
    browser.get(html.as_uri())
    assert requested(browser) == [html.as_uri()]
    assert console_errors(browser) == []
    drawn = "return [...document.querySelectorAll('.drawing svg')].map((one) => one.getBBox().width)"
    sizes = browser.execute_script(drawn)
    assert len(sizes) == sum(len(section.figures) for section in page.sections)
    assert all(sizes)
    assert browser.execute_script("return document.documentElement.scrollWidth <= window.innerWidth")


def test_items_are_found_by_reply_and_text(browser: Browser, html: Path) -> None:
    browser.get(html.as_uri())

    def count() -> str:
        return browser.find_element(By.ID, "count").text

    assert count() == f"1–10 of {ITEMS} items"
    select = Select(browser.find_element(By.CSS_SELECTOR, "select[data-field='reply']"))
    select.select_by_visible_text("never: missed refusal")
    assert count() == "1–10 of 24 items"
    select.select_by_visible_text("wrong: poor answer")
    assert count() == "1–10 of 12 items"
    heads = [element.text for element in browser.find_elements(By.CSS_SELECTOR, ".reply p")][:4]
    assert heads[0] == "never → ANSWER: correct answer, quality: 5"
    assert heads[1] == "refuse → REFUSE_INFO_MISSING_IN_CONTEXT: false refusal"
    assert heads[3] == "wrong → ANSWER: poor answer, quality: 1, confidence: VERY_CONFIDENT"
    browser.find_element(By.ID, "search").send_keys("wrongham")
    assert count() == "1–10 of 12 items"
    assert browser.find_elements(By.CSS_SELECTOR, "#list b") == []
    assert NASTY.split()[0] in browser.find_element(By.ID, "list").text


def test_the_page_leads_with_the_ranking_and_what_it_is_worth() -> None:
    summary = make_scores_page(scores_of("good", "bad")).sections[0]
    assert summary.tables[0].name == "dashboard"
    assert re.fullmatch(
        r"good has a calibrated refusal score of 100.0 % \[.*\]; its lead over bad is beyond chance \(p = 0\.\d+\)\.",
        summary.verdict,
    )
    twins = make_scores_page(scores_of("one", "other", "third", n=4 * ITEMS)).sections[0].verdict
    assert "lead over other is beyond chance" in twins
    alone = make_scores_page(scores_of("good")).sections[0].verdict
    assert re.fullmatch(r"good has a calibrated refusal score of 100.0 % \[.*\]\.", alone)


def test_a_click_on_a_head_sorts_and_undefined_values_come_last(browser: Browser, tmp_path: Path) -> None:
    columns: dict[str, CellFormat] = {"model": "text", "n": "count", "gain": "change"}
    rows = [("b", 1200, -0.1), ("c", 9, None), ("a", 80, 0.2)]
    report = Report("t", "", (Section("one", "One", tables=(Table("t", "t", columns, rows),)),))
    browser.get(write_page(report, tmp_path / "t.html", tmp_path / "t")[0].as_uri())

    def order(head: str) -> str:
        browser.find_element(By.XPATH, f"//th/button[text()='{head}']").click()
        return "".join(element.text for element in browser.find_elements(By.CSS_SELECTOR, "td:first-child"))

    assert [order(head) for head in ("n", "n", "gain", "gain", "model")] == [
        "bac",
        "cab",
        "abc",
        "bac",
        "abc",
    ]
    assert console_errors(browser) == []


def test_an_item_shows_what_the_perturbation_changed(tmp_path: Path) -> None:
    rows = [single(0, original_query="When did it open?", perturbed_query="When did it close?")]
    rows[0]["original_context"] = rows[0]["perturbed_context"] + " And more."
    source = write_rows(tmp_path / "rows.jsonl", rows)
    with LoopbackServer(Responders(items_of(source))) as server:
        run(tmp_path, source, server.url, ("never",))
    browser = browse_replies(tmp_path / "run", read_run(tmp_path / "run"), read_results(tmp_path / "run"), 5)
    assert browser is not None
    (item,) = browser.items
    assert [kind for kind, _ in item["query"]] == ["same", "out", "in", "same"]
    assert item["passages"][0]["pieces"][-1] == Piece("out", " And more.")


def test_the_browser_is_as_long_as_asked(evaluation: Path) -> None:
    replies = read_results(evaluation)
    some = browse_replies(evaluation, read_run(evaluation), replies, 18)
    assert some is not None
    assert len(some.items) == 18
    assert len({(item["class"], item["intensity"]) for item in some.items}) == 18
    assert some.note == "18 of 36 items, drawn evenly over classes and intensities."
    assert browse_replies(evaluation, read_run(evaluation), replies, 0) is None


def test_long_and_empty_replies_are_told_as_such(tmp_path: Path) -> None:
    source = write_rows(tmp_path / "rows.jsonl", [single(0)])
    with LoopbackServer(Responders(items_of(source))) as server:
        run(tmp_path, source, server.url, ("long", "empty"))
    browser = browse_replies(tmp_path / "run", read_run(tmp_path / "run"), read_results(tmp_path / "run"), 5)
    assert browser is not None
    (item,) = browser.items
    empty, long = item["replies"]
    assert (empty["text"], empty["mark"]) == ("(an empty reply)", "wrong")
    assert re.search(r" … \(1\d\d,\d{3} more characters\)$", long["text"])
    assert len(long["text"]) < MAX_CHARACTERS + 50


def test_the_command_picks_the_page_by_what_there_is(evaluation: Path, html: Path, tmp_path: Path) -> None:
    assert html == evaluation / "report.html"
    assert "Answer against refusal accuracy" in html.read_text(encoding="utf-8")
    path = write_rows(tmp_path / "results.jsonl", [right(item, "m") for item in items(36)])
    ended = perturb("score", path, "--resamples", 10, "--report", tmp_path / "page.html")
    assert ended.returncode == 0
    assert (tmp_path / "page/tables/dashboard.csv").is_file()
    assert (tmp_path / "page/figures/answer-refusal.svg").is_file()
