"""A real headless Chromium for tests of pages."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

Browser = webdriver.Chrome

_FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1400,1000",
)


@contextmanager
def open_browser(folder: Path) -> Iterator[Browser]:
    """Start Chromium with a fresh profile in `folder`; skip the test where there is none, fail in CI."""
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        message = "no Chromium: install the packages chromium and chromium-driver (`make browser`)"
        if os.environ.get("CI", "").lower() in ("1", "true"):
            pytest.fail(message)
        pytest.skip(message)
    options = Options()
    options.binary_location = chromium
    for flag in (*_FLAGS, f"--user-data-dir={folder / 'profile'}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = webdriver.Chrome(options=options, service=Service(driver))
    try:
        yield browser
    finally:
        browser.quit()


def wait_until(browser: Browser, script: str) -> None:
    """Wait until a JavaScript expression is true in the page."""
    WebDriverWait(browser, 20).until(lambda page: page.execute_script(f"return Boolean({script})"))


def console_errors(browser: Browser) -> list[str]:
    """What the page complained about since the last call."""
    return [entry["message"] for entry in _log(browser, "browser") if entry["level"] in ("SEVERE", "WARNING")]


def requested(browser: Browser) -> list[str]:
    """Every address that was asked for since the last call, but what the page and the browser hold themselves."""
    events = [json.loads(entry["message"])["message"] for entry in _log(browser, "performance")]
    sent = [event["params"] for event in events if event["method"] == "Network.requestWillBeSent"]
    addresses = [str(one["request"]["url"]) for one in sent]
    return [address for address in addresses if not address.startswith(("data:", "chrome:"))]


def _log(browser: Browser, kind: str) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = browser.get_log(kind)  # type: ignore[no-untyped-call]
    return entries
