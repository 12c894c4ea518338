"""What the tests of evaluations share."""

from __future__ import annotations

from pathlib import Path

import pytest

from .rows import several, single, write_rows


@pytest.fixture
def source(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """As many rows as the module's `ITEMS` says: half of them with one passage, half with several."""
    number = request.module.ITEMS
    rows = [single(n) for n in range(number // 2)] + [several(n) for n in range(number // 2, number)]
    return write_rows(tmp_path / "rows.jsonl", rows)
