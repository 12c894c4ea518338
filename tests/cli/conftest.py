"""What the tests of commands share."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.building import Ended, perturb

Run = Callable[..., Ended]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, request: pytest.FixtureRequest) -> Run:
    """Run `perturb ARGUMENTS` in an empty folder; the `WORDS` of a module come before the arguments."""
    monkeypatch.chdir(tmp_path)
    return partial(perturb, *getattr(request.module, "WORDS", ()))
