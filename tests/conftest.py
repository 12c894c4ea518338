"""What every test needs before it starts."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from typing import TYPE_CHECKING

# A build freezes the garbage collector's objects, which hides who refers to what. Hypothesis looks at that when it is
# imported, and its plugin imports it at the end of a session: have it imported before anything is frozen.
import hypothesis
import pytest

from tests.building import KEY, KEY_NAME

if TYPE_CHECKING:
    from tests.browser import Browser

# Tests assert no times: a loaded machine is no fault.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")

# A shell starts its background jobs with SIGINT ignored, and so would be the commands that tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The models of the loopback provider name this variable.
os.environ[KEY_NAME] = KEY


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One browser for all tests of pages."""
    from tests.browser import open_browser  # which few of the tests need

    with open_browser(tmp_path_factory.mktemp("chromium")) as one:
        yield one


@pytest.fixture(scope="module")
def browser(chromium: Browser) -> Browser:
    """The browser as it starts, whatever earlier tests did to it."""
    chromium.get("about:blank")
    chromium.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    chromium.set_window_size(1400, 1000)
    for kind in ("browser", "performance"):
        chromium.get_log(kind)  # type: ignore[no-untyped-call]
    return chromium
