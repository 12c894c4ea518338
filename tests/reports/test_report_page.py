"""The report of a run, in figures and in a real Chromium."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

from perturb.auditing.review_agreement import measure_review
from perturb.auditing.rubric import QUESTION_NAMES
from perturb.ledger.calls import open_read_only
from perturb.ledger.evaluations import ReviewLedger
from perturb.ledger.plans import Ledger, current_plan
from perturb.metrics.inputs import Estimate
from perturb.metrics.intervals import wilson_interval
from perturb.records import ALL_CELLS, Job
from perturb.reports.audit_page import make_page
from perturb.reports.model import CellValue, Report, Table
from perturb.reports.rendering import write_page
from perturb.reports.run_data import choose_items, read_run_data
from tests.browser import Browser, console_errors, requested
from tests.building import perturb, plan_facts
from tests.review.made_run import NASTY, make_run

RESAMPLES = 50


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """108 candidates, 72 of them accepted, 18 reviewed by two people."""
    folder = make_run(tmp_path_factory.mktemp("runs") / "run", per_cell=6, text=NASTY, several=True)
    with ReviewLedger.of_run(folder) as ledger:
        ids = [f"{cell:02}-0" for cell in range(18)]
        ledger.replace_sample(ids, {"per_cell": 1, "seed": 0, "population": "accepted", "counts": {}})
        for number, one in enumerate(ids):
            for name in ("ann", "ben"):
                for question in QUESTION_NAMES:
                    ledger.record_answer(one, name, question, "no" if number == 0 else "yes")
    return folder


@pytest.fixture(scope="module")
def page(run: Path) -> Report:
    return make_page(run, resamples=RESAMPLES)


@pytest.fixture(scope="module")
def html(page: Report, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    return write_page(page, folder / "report.html", folder / "audit")[0]


def table(page: Report, name: str) -> Table:
    return next(one for section in page.sections for one in section.tables if one.name == name)


def estimate(cell: CellValue) -> Estimate:
    assert isinstance(cell, Estimate)
    return cell


def test_figures_are_those_of_the_ledger(page: Report, run: Path) -> None:
    assert [row[1] for row in table(page, "funnel").rows] == [108, 108, 108, 108, 72]
    coverage = table(page, "coverage").rows
    assert sum(int(str(n)) for row in coverage for n in row[1:]) == 72
    n_empty = sum(not any(row[1:]) for row in coverage)
    words = " ".join(page.sections[0].sentences)
    assert ("Nothing was accepted" in words) == (n_empty > 0)
    (pair,) = table(page, "pairs").rows
    assert pair[:3] == ("birch", "cedar", 108)
    assert (estimate(pair[4]).value, estimate(pair[4]).reason) == (None, "birch passed every candidate")
    assert table(page, "pairs").notes == ["NA: κ of birch / cedar: birch passed every candidate."]
    rates = {row[:2]: estimate(row[3]).value for row in table(page, "pass-rate-matrix").rows}
    assert rates["birch", "birch"] == 1.0
    assert rates["dune", "cedar"] == pytest.approx(2 / 3, abs=0.01)
    assert table(page, "human-pass-rates").rows[0][:2] == ("all", 18)
    rate = estimate(table(page, "human-pass-rates").rows[0][2])
    low, high = wilson_interval(17 / 18, 18)
    assert rate.value == 17 / 18
    assert [rate.low, rate.high] == pytest.approx([low, high])
    with open_read_only(run) as db:
        report = measure_review(db, current_plan(db, run), run, resamples=RESAMPLES)
    told = {row[0]: row[1:5] for row in table(page, "human-against-panel").rows}
    for who in (report.panel, *report.verifiers):
        passed, people_pass, failed, people_fail = told[who.name]
        assert (passed, failed) == (who.passed.n, who.failed.n)
        assert estimate(people_pass).value == who.passed.rate
        assert estimate(people_fail).value == who.failed.rate
    work = {annotator.name: (annotator.finished, annotator.begun) for annotator in report.annotators}
    assert {row[0]: row[1:3] for row in table(page, "human-annotators").rows} == work


def test_key_figures_are_said_in_words(page: Report) -> None:
    words = " ".join(page.sections[0].sentences)
    for part in (
        "2 generators worked through 108 jobs; the panel accepted 72 candidates, 66.7 % of the jobs.",
        "All 18 cells have accepted candidates.",
        "The 2 verifiers unanimously passed 66.7 % of 108 candidates",
        "Agreement beyond chance cannot be determined: birch passed every candidate.",
        "Whether models favour their own work cannot be told (no interval: 3 base instances are too few to say).",
        "2 people reviewed 18 of 18 sampled items; a majority passes 94.4 % of them",
        "No model was called",
    ):
        assert part in words
    assert " nan" not in words


def test_it_opens_without_a_request_or_a_complaint(browser: Browser, html: Path, page: Report) -> None:
    browser.get("about:blank")
    requested(browser)
    browser.get(html.as_uri())
    assert requested(browser) == [html.as_uri()]
    assert console_errors(browser) == []
    assert browser.title == "made: report"
    drawn = "return [...document.querySelectorAll('.drawing svg')].map((one) => one.getBBox().width)"
    sizes = browser.execute_script(drawn)
    assert len(sizes) == sum(len(section.figures) for section in page.sections) >= 7
    assert all(sizes)
    assert browser.execute_script("return document.documentElement.scrollWidth <= window.innerWidth")


def test_filters_and_search_narrow_the_items(browser: Browser, html: Path) -> None:
    browser.get(html.as_uri())

    def count() -> str:
        return browser.find_element(By.ID, "count").text

    def choose(field: str, value: str) -> None:
        element = browser.find_element(By.CSS_SELECTOR, f"select[data-field='{field}']")
        Select(element).select_by_visible_text(value)

    assert count() == "1–10 of 108 items"
    choose("outcome", "rejected")
    assert count() == "1–10 of 36 items"
    choose("class", "P-Ambiguity")
    choose("intensity", "LOW")
    assert count() == "1–2 of 2 items"
    choose("generator", "birch")
    assert count() == "1–1 of 1 items"
    votes = browser.find_elements(By.CSS_SELECTOR, ".votes li")
    assert [vote.text.split(";")[0] for vote in votes] == ["birch: PASS", "cedar: FAIL"]
    assert "secret issue of cedar" in votes[1].text
    for field in ("outcome", "class", "intensity", "generator"):
        choose(field, "all")
    browser.find_element(By.ID, "search").send_keys("no such words")
    assert count() == "No item fits these filters."


def test_items_show_their_change_and_their_texts_as_they_are(browser: Browser, html: Path) -> None:
    browser.get(html.as_uri())
    item = browser.find_element(By.CSS_SELECTOR, ".item")
    assert [element.text for element in item.find_elements(By.TAG_NAME, "del")] == ["1968"]
    assert [element.text.strip() for element in item.find_elements(By.TAG_NAME, "ins")] == [
        "old",
        "June 1969",
    ]
    assert NASTY in item.text
    assert "2 more passages, unchanged" in item.text
    browser.find_element(By.ID, "next").click()
    assert browser.find_element(By.ID, "count").text == "11–20 of 108 items"


def test_many_items_are_drawn_evenly(run: Path) -> None:
    with open_read_only(run) as db:
        items, of = choose_items(db, current_plan(db, run), 72)
    assert (len(items), of) == (72, 108)
    cells = [item["cell"] for item in items]
    assert sum(item["outcome"] == "rejected" for item in items) == 36
    assert {cells.count(str(cell)) for cell in ALL_CELLS} == {4}


def make_plain_run(folder: Path, jobs: Sequence[Job]) -> Path:
    """A run that has been planned and no more."""
    facts = plan_facts(
        {"members": {"v": "f"}},
        name="plain",
        generators=[{"name": "g", "model": "g"}],
        verifiers=[{"name": "v", "model": "v"}],
        cells=[str(ALL_CELLS[0])],
    )
    with Ledger(folder) as ledger:
        plan = ledger.start_plan("d", "", facts)
        ledger.add_jobs(plan, jobs, {})
    return folder


def test_a_run_without_votes_has_a_report_that_says_so(tmp_path: Path) -> None:
    page = make_page(make_plain_run(tmp_path / "run", []), resamples=RESAMPLES)
    words = " ".join(page.sections[0].sentences)
    assert "No verifier has voted yet" in words
    assert "Nothing was accepted in 1 cell: P-Ambiguity/LOW." in words
    assert write_page(page, tmp_path / "report.html", tmp_path / "audit")


def test_a_damaged_manifest_leaves_the_last_stage_out(run: Path, tmp_path: Path) -> None:
    with open_read_only(run) as db:
        plan = current_plan(db, run)
        (tmp_path / "snapshot").mkdir()
        (tmp_path / "snapshot" / "manifest.json").write_text("{")
        assert read_run_data(db, plan, tmp_path).rows is None
        (tmp_path / "snapshot" / "manifest.json").write_text('{"counts": {"rows": 5}}')
        assert read_run_data(db, plan, tmp_path).funnel[-1] == ("rows of the snapshot", 5)


def test_the_command_writes_page_figures_and_tables(run: Path) -> None:
    done = perturb("report", run, "--resamples", "20", "--items", "5", "--json")
    assert done.returncode == 0, done.stderr
    content = done.json
    assert Path(content["page"]) == run / "report.html"
    kinds = {Path(name).suffix for name in content["files"]}
    assert kinds == {".svg", ".png", ".csv"}
    tables = [Path(name) for name in content["files"] if name.endswith(".csv")]
    for path in tables:
        rows = list(csv.reader(path.read_text(encoding="utf-8").splitlines()))
        assert len(rows[0]) > 1
        assert not any(cell.lower() in ("nan", "none", "inf") for row in rows for cell in row)
    failed = perturb("report", run / "none")
    assert (failed.returncode, failed.stderr.count("\n")) == (1, 1)
    assert "no such file or run" in failed.stderr
