"""The live page in a real Chromium, over the run of a build: served, followed while it grows, and as a bundle."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from perturb.errors import ConfigError, RecordingError
from perturb.ledger.plans import Ledger
from perturb.llm.model_client import Call
from perturb.records import ALL_CELLS, JobOutcome
from perturb.reports.build_view import Filters
from perturb.reports.local_server import LocalServer
from perturb.reports.site import ViewSite, open_view, write_bundle
from perturb.snapshots.replies import export_replies
from tests.browser import Browser, console_errors, requested, wait_until
from tests.review.made_run import NASTY, make_run

SECRET = "HTTP 401: bad key sk-proj-abcdefghij0123456789"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Six items, two of them rejected with split votes, and a failed call."""
    folder = make_run(tmp_path / "run", per_cell=2, cells=ALL_CELLS[:3], text=NASTY)
    with Ledger(folder) as ledger:
        ledger.record(
            Call("k", "birch", "generate", "00-0", "error", "", SECRET, None, None, None, 0.0, 1.5, 1)
        )
    return folder


@pytest.fixture
def link(run: Path) -> Iterator[str]:
    with closing(open_view(run)) as view, LocalServer({"view": ViewSite(view)}) as server:
        yield server.links["view"]


def go(browser: Browser, address: str) -> None:
    browser.get("about:blank")
    console_errors(browser)  # of the page before, whose server is gone
    browser.get(address)
    wait_until(browser, "document.body?.dataset.ready")


def follow(browser: Browser, action: Callable[[], object] | str, shown: str) -> None:
    """Do something that leads to another state of the page."""
    before = browser.execute_script("return document.body.dataset.ready")
    if callable(action):
        action()
    else:
        ActionChains(browser).send_keys(action).perform()
    wait_until(
        browser, f"document.body.dataset.ready !== '{before}' && !document.getElementById('{shown}').hidden"
    )


def texts(browser: Browser, selector: str) -> list[str]:
    return [element.text for element in browser.find_elements(By.CSS_SELECTOR, selector)]


def test_a_figure_leads_to_its_items_and_keys_from_one_to_the_next(browser: Browser, link: str) -> None:
    go(browser, link)
    assert texts(browser, ".funnel dt")[0] == "jobs"
    assert "HTTP 401" in browser.find_element(By.ID, "figures").text
    follow(browser, browser.find_element(By.LINK_TEXT, "rejected by the panel").click, "items")
    assert texts(browser, "#count") == ["1–2 of 2 items"]
    assert all("disagreement" in text for text in texts(browser, "#list .verdict"))
    follow(browser, browser.find_element(By.CSS_SELECTOR, "#list a").click, "item")
    first = browser.current_url
    assert NASTY in browser.find_element(By.CSS_SELECTOR, ".item").text
    assert browser.title != "broken"
    assert texts(browser, ".item del")[-1] == "1968"
    browser.find_element(By.CSS_SELECTOR, ".votes summary").click()
    assert "secret vote" in browser.find_element(By.CSS_SELECTOR, ".votes").text
    follow(browser, Keys.ARROW_RIGHT, "item")
    assert browser.current_url != first
    follow(browser, Keys.ARROW_LEFT, "item")
    assert browser.current_url == first
    go(browser, first)  # the link of an item, copied
    assert "rejected" in texts(browser, ".item small")[0]
    follow(browser, Keys.ESCAPE, "items")
    assert texts(browser, "#count") == ["1–2 of 2 items"]
    assert console_errors(browser) == []
    go(browser, f"{link}#/item/nothing")  # an old link
    browser.execute_async_script("follow().then(arguments[0])")
    assert texts(browser, "#trouble") == ["There is no such item"]


def test_filters_and_search_choose_items(run: Path) -> None:
    with closing(open_view(run)) as view:

        def found(**query: str) -> int:
            total: int = view.find(Filters.of_query(query))["total"]
            return total

        assert found() == 6
        assert found(cell=str(ALL_CELLS[0])) == found(generator="birch", verdict="accepted") == 2
        assert found(disagreement="1") == found(verdict="rejected") == 2
        assert found(text="OLD bridge") == found(text="</script><script>document.title='broken'") == 6
        assert found(text="100%") == found(text="o_d bridge") == found(lever="no such") == 0
        assert view.find(Filters({}), 4)["items"][0]["id"] == "02-0"
        assert view.item("no such", Filters({})) is None


def test_the_page_follows_a_run_that_grows(browser: Browser, run: Path, link: str) -> None:
    with Ledger(run) as ledger:
        ledger.db.execute("UPDATE jobs SET outcome = NULL WHERE id = '02-1'")
        go(browser, link)
        assert "5 of 6 done · running" in browser.find_element(By.ID, "state").text
        ledger.record_outcome("02-1", JobOutcome.UNPARSED, "no JSON")
        wait_until(browser, "document.getElementById('state').textContent.includes('6 of 6 done')")
        assert "unparsed" in texts(browser, ".funnel dt")
    follow(browser, browser.find_element(By.LINK_TEXT, "unparsed").click, "items")
    follow(browser, browser.find_element(By.CSS_SELECTOR, "#list a").click, "item")
    assert "Decision: no JSON" in browser.find_element(By.CSS_SELECTOR, ".item").text


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_a_phone_in_light_and_dark(browser: Browser, link: str, scheme: str) -> None:
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    size = {"width": 400, "height": 800, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    for path in ("#/", "#/items", "#/item/00-0"):
        go(browser, link + path)
        assert browser.execute_script("return document.documentElement.scrollWidth <= innerWidth"), path
    ground = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") == (scheme == "light")
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_a_bundle_opens_from_its_folder_and_tells_no_errors(
    browser: Browser, run: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "site"
    for _ in range(2):  # a second time in the place of the first
        with closing(open_view(run, published=True)) as view:
            assert write_bundle(view, folder) == 6
    assert not any("sk-proj" in path.read_text() for path in folder.rglob("*") if path.is_file())
    requested(browser)
    go(browser, (folder / "index.html").as_uri() + "#/items?verdict=rejected&text=OLD")
    assert texts(browser, "#count") == ["1–2 of 2 items"]
    follow(browser, browser.find_element(By.CSS_SELECTOR, "#list a").click, "item")
    assert NASTY in browser.find_element(By.CSS_SELECTOR, ".item").text
    follow(browser, Keys.ARROW_RIGHT, "item")
    assert browser.find_element(By.XPATH, "//button[text()='Next →']").get_attribute("disabled")
    assert all(one.startswith(folder.as_uri()) for one in requested(browser) if one != "about:blank")
    assert console_errors(browser) == []


def test_a_bundle_takes_no_folder_of_others_and_publishes_no_key(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(open_view(run, published=True)) as view:
        with pytest.raises(ConfigError, match="has other files"):
            write_bundle(view, tmp_path)
        monkeypatch.setenv("SOME_API_KEY", "secretvoteofthemill1234")
    leaky = make_run(tmp_path / "leaky", per_cell=1, cells=ALL_CELLS[:1], text="secretvoteofthemill1234")
    with (
        closing(open_view(leaky, published=True)) as view,
        pytest.raises(ConfigError, match=r"contain a key \(secr…\)"),
    ):
        write_bundle(view, tmp_path / "site")
    assert not (tmp_path / "site").exists()


def test_an_older_ledger_publishes_no_key_that_stands_in_it_escaped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run's own variable held the key, and this process has read it from nowhere else."""
    monkeypatch.setenv("CORP_LLM_OF_OLD", "mill-4711-of-old")
    text = r"secret \u006dill-4711-of-old"
    run = make_run(tmp_path / "run", per_cell=1, cells=ALL_CELLS[:1], text=text)
    with closing(sqlite3.connect(run / "ledger.sqlite")) as db, db:
        (facts,) = db.execute("SELECT facts FROM plans WHERE current = 1").fetchone()
        content = json.loads(facts)
        content["verifiers"][0]["api_key_env"] = "CORP_LLM_OF_OLD"
        db.execute("UPDATE plans SET facts = ? WHERE current = 1", (json.dumps(content),))
    with (
        closing(open_view(run, published=True)) as view,
        pytest.raises(ConfigError, match=r"contain a key \(mill…\)"),
    ):
        write_bundle(view, tmp_path / "site")
    with pytest.raises(RecordingError, match=r"holds what looks like a key \(mill…\)"):
        export_replies(run, tmp_path / "replies.jsonl.gz")
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
