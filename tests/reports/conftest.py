"""One browser for all tests of report pages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.browser import Browser, open_browser


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with open_browser(tmp_path_factory.mktemp("chromium")) as one:
        yield one
