"""The review page in a real Chromium: twenty items by keyboard, reloads, several tabs and people, refusals."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from perturb.auditing.judge_check import measure_judge
from perturb.auditing.review_agreement import measure_review
from perturb.auditing.review_items import CandidateItem, load_items
from perturb.auditing.rubric import draw_candidates
from perturb.ledger.calls import open_read_only
from perturb.ledger.evaluations import ReviewLedger, answers_by
from perturb.ledger.plans import current_plan
from perturb.reports.review_site import ReviewServer
from tests.browser import Browser, console_errors, wait_until
from tests.review.judged_run import SECRETS, draw, make_evaluated, make_graded
from tests.review.made_run import NASTY, make_run


@pytest.fixture
def several() -> bool:
    """Whether items have several passages."""
    return False


@pytest.fixture
def run(tmp_path: Path, several: bool) -> Path:
    """A run with a sample of twenty items."""
    folder = make_run(tmp_path / "run", per_cell=5, text=NASTY, several=several)
    with ReviewLedger.of_run(folder) as ledger:
        plan = current_plan(ledger.db, folder)
        ids, facts = draw_candidates(ledger.db, plan, per_cell=2)
        ledger.replace_sample(ids[:20], facts)
    return folder


@pytest.fixture
def server(run: Path) -> Iterator[ReviewServer]:
    with ReviewServer(run, ["ann", "ben"]) as one:
        yield one


def press(browser: Browser, *keys: str) -> None:
    """Press keys one after another, wherever the focus is."""
    actions = ActionChains(browser, duration=0)
    for key in keys:
        actions.send_keys(key)
    actions.perform()


def go(browser: Browser, address: str) -> None:
    browser.get(address)
    wait_until(browser, "document.body && document.body.dataset.ready === 'true'")


def leave(browser: Browser, *keys: str) -> None:
    """Press keys that lead to another page, and wait for it."""
    browser.execute_script("document.body.dataset.old = 'true'")
    press(browser, *keys)
    wait_until(browser, "document.readyState === 'complete' && !document.body.dataset.old")


def shown_answers(browser: Browser) -> list[str]:
    script = "return [...document.querySelectorAll('input:checked')].map((input) => input.value)"
    return list(browser.execute_script(script))


@pytest.mark.slow
def test_twenty_items_are_reviewed_by_keyboard_alone(
    browser: Browser, server: ReviewServer, run: Path
) -> None:
    go(browser, server.links["ann"])
    for number in range(1, 21):
        assert browser.find_element(By.ID, "position").text == str(number)
        if number % 4 == 0:
            press(browser, "y", "y", "n", "y", "y", "c", "a b", Keys.ESCAPE)
        else:
            press(browser, *"yyyyy")
        assert len(shown_answers(browser)) == 5
        leave(browser, Keys.ENTER)
    assert browser.current_url.endswith("/overview")
    assert "That was the last one" in browser.find_element(By.ID, "finished").text
    assert console_errors(browser) == []
    with open_read_only(run) as db:
        report = measure_review(db, current_plan(db, run), run)
        answers = answers_by(db, "ann")
    assert (report.reviewed, report.pass_rates["all"][0].rate) == (20, 0.75)
    assert report.questions[2].rate == 0.75
    assert [question.rate for question in report.questions if question.name != "uncertainty_induction"] == [
        1.0
    ] * 4
    assert sum(answer.get("comment") == "a b" for answer in answers.values()) == 5


def test_a_reload_loses_nothing(browser: Browser, server: ReviewServer) -> None:
    go(browser, server.links["ann"] + "item/3")
    press(browser, "y", "n", "c", "half a thou")
    browser.refresh()
    wait_until(browser, "document.body.dataset.ready === 'true'")
    assert shown_answers(browser) == ["yes", "no"]
    assert browser.find_element(By.ID, "comment").get_property("value") == "half a thou"
    press(browser, "y")
    assert shown_answers(browser) == ["yes", "no", "yes"]


def test_two_tabs_do_not_undo_each_other(browser: Browser, server: ReviewServer) -> None:
    address = server.links["ann"] + "item/5"
    go(browser, address)
    first = browser.current_window_handle
    browser.switch_to.new_window("tab")
    go(browser, address)
    press(browser, "2", "n")
    wait_until(browser, "document.body.dataset.unsaved === '0'")
    browser.close()
    browser.switch_to.window(first)
    press(browser, "1", "y")
    wait_until(browser, "document.body.dataset.unsaved === '0'")
    browser.execute_script("window.dispatchEvent(new Event('focus'))")
    wait_until(browser, "document.querySelectorAll('input:checked').length === 2")
    assert shown_answers(browser) == ["yes", "no"]


def test_annotators_see_neither_each_other_nor_the_votes(browser: Browser, server: ReviewServer) -> None:
    go(browser, server.links["ann"] + "item/1")
    press(browser, *"nnnnn", "c", "mine alone", Keys.ESCAPE)
    wait_until(browser, "document.body.dataset.unsaved === '0'")
    go(browser, server.links["ben"])
    assert browser.find_element(By.ID, "position").text == "1"
    assert shown_answers(browser) == []
    source = browser.page_source
    for secret in (
        "mine alone",
        "secret issue",
        "secret vote",
        "birch",
        "cedar",
        "dune",
        "rejected",
        "accepted",
    ):
        assert secret not in source


def test_two_people_review_over_one_address_and_read_what_the_class_is(
    browser: Browser, server: ReviewServer, run: Path
) -> None:
    with open_read_only(run) as db:
        plan = current_plan(db, run)
        items = {item.position: item for item in load_items(db, run) if isinstance(item, CandidateItem)}
    classes = plan.load_catalogue().classes
    tabs = {"ann": browser.current_window_handle}
    browser.switch_to.new_window("tab")
    tabs["ben"] = browser.current_window_handle
    for name, tab in tabs.items():
        browser.switch_to.window(tab)
        go(browser, server.invitations[name])
    console_errors(browser)
    for number in (1, 2, 3):
        for name, tab in tabs.items():
            browser.switch_to.window(tab)
            assert browser.find_element(By.CLASS_NAME, "who").text == name
            assert browser.find_element(By.ID, "position").text == str(number)
            cell = items[number].candidate.cell
            entry = classes[cell.perturbation_class]
            assert browser.find_element(By.ID, "definition").text == entry.summary
            assert browser.find_element(By.ID, "criterion").text == entry.criteria[cell.intensity]
            press(browser, *("yyyyn" if (name, number) == ("ben", 2) else "yyyyy"))
            leave(browser, Keys.ENTER)
    assert console_errors(browser) == []
    with open_read_only(run) as db:
        report = measure_review(db, plan, run)
    agreement = report.agreement.panel["agreement"]
    assert (report.reviewed, agreement.n) == (3, 3)
    assert agreement.value == pytest.approx(2 / 3)


def test_texts_are_shown_as_they_are_and_changes_are_marked(browser: Browser, server: ReviewServer) -> None:
    go(browser, server.links["ann"] + "item/1")
    result = browser.find_elements(By.CSS_SELECTOR, ".texts .text")[3]
    assert NASTY in result.text
    assert browser.title == "Item 1 of 20"
    assert [element.text for element in result.find_elements(By.TAG_NAME, "ins")] == ["June 1969"]
    original = browser.find_elements(By.CSS_SELECTOR, ".texts .text")[2]
    assert [element.text for element in original.find_elements(By.TAG_NAME, "del")] == ["1968"]


@pytest.mark.parametrize("several", [True])
def test_unchanged_passages_are_folded_under_their_titles(browser: Browser, server: ReviewServer) -> None:
    go(browser, server.links["ann"] + "item/1")
    folded = browser.find_elements(By.CSS_SELECTOR, ".texts details")
    assert [one.text for one in folded] == ["[2] Ferry unchanged", "[3] unchanged"]
    folded[0].find_element(By.TAG_NAME, "summary").click()
    assert folded[0].find_element(By.CLASS_NAME, "text").text == "A ferry ran there before."


def test_arrows_move_between_items_and_questions(browser: Browser, server: ReviewServer) -> None:
    go(browser, server.links["ann"] + "item/2")
    press(browser, Keys.ARROW_DOWN, Keys.ARROW_DOWN, "y", Keys.ARROW_UP, "n")
    assert shown_answers(browser) == ["no"]
    leave(browser, Keys.ARROW_RIGHT)
    assert browser.find_element(By.ID, "position").text == "3"
    leave(browser, Keys.ARROW_LEFT)
    assert browser.find_element(By.ID, "position").text == "2"


def test_a_wrong_token_is_refused(browser: Browser, server: ReviewServer) -> None:
    root = server.links["ann"].rsplit("/", 2)[0]
    browser.get(f"{root}/not-the-token/item/1")
    assert browser.title == "Forbidden"
    assert "When was the" not in browser.page_source


def test_an_answer_that_cannot_be_saved_is_said_aloud(browser: Browser, run: Path) -> None:
    with ReviewServer(run, ["ann"]) as server:
        go(browser, server.links["ann"] + "item/1")
    press(browser, "y")
    wait_until(browser, "!document.getElementById('trouble').hidden")
    assert "Not saved" in browser.find_element(By.ID, "trouble").text
    browser.execute_script("unsaved.clear(); keep()")


def test_replies_are_graded_by_keyboard_with_the_judges_grade_hidden(
    browser: Browser, tmp_path: Path
) -> None:
    run = make_graded(tmp_path / "graded", ["CORRECT"] * 6 + ["INCORRECT"] * 4)
    replies = draw(run)
    console_errors(browser)
    with ReviewServer(run, ["ann"]) as server:
        go(browser, server.links["ann"])
        for reply in replies:
            shown = browser.find_element(By.CSS_SELECTOR, "[data-name=reply]").text
            assert shown == reply.reply
            assert (
                browser.find_element(By.CSS_SELECTOR, "[data-name=question]").text
                == reply.judge_input["question"]
            )
            assert shown_answers(browser) == []
            assert not any(secret in browser.page_source for secret in SECRETS)
            press(browser, "9", "y", "1" if "correct</b>" in shown and "incorrect" not in shown else "3")
            assert len(shown_answers(browser)) == 1
            leave(browser, Keys.ENTER)
        assert "That was the last one" in browser.find_element(By.ID, "finished").text
    assert console_errors(browser) == []
    with open_read_only(run) as db:
        report = measure_judge(db, run)
    assert [(measure.name, measure.agreement.rate) for measure in report.measures] == [
        ("grade", 0.6),
        ("correct", 1.0),
    ]


def test_every_kind_of_judgement_has_its_answers(browser: Browser, tmp_path: Path) -> None:
    run = make_evaluated(tmp_path / "evaluated")
    replies = {reply.kind: reply for reply in draw(run)}
    with ReviewServer(run, ["ann"]) as server:
        for kind, keys, answers in (
            ("classification", "7", ["REFUSE_INFO_MISSING_IN_CONTEXT"]),
            ("quality", "4", ["4"]),
            ("raf", "yn2y3n", ["yes", "yes", "no"]),
        ):
            go(browser, server.links["ann"] + f"item/{replies[kind].position}")
            press(browser, *keys)
            assert shown_answers(browser) == answers
            wait_until(browser, "document.body.dataset.unsaved === '0'")
            assert "All answered." in browser.find_element(By.ID, "verdict").text
    assert console_errors(browser) == []
