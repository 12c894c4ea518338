"""Rows kept on disk: the same as in memory, and no more of them in memory than are being written."""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from perturb.files.resources import RowSelection, Spool, digest
from perturb.snapshots.harness import PromptSet
from perturb.snapshots.rows import build_rows
from perturb.snapshots.snapshot import write_snapshot
from tests.snapshots.test_snapshot import facts, item

ROWS: list[dict[str, Any]] = [{"n": n, "text": f"é\ud800\n{n}", "list": [n, None]} for n in range(5)]


@pytest.mark.parametrize(
    "kept", [Spool(ROWS), RowSelection(ROWS, range(5)), RowSelection(Spool(reversed(ROWS)), [4, 3, 2, 1, 0])]
)
def test_rows_come_back_as_often_as_wanted(kept: Sequence[dict[str, Any]]) -> None:
    for _ in range(2):
        assert list(kept) == ROWS
    assert (len(kept), kept[-1], kept[1:9:2], list(reversed(kept))) == (5, ROWS[-1], ROWS[1:9:2], ROWS[::-1])
    with pytest.raises(IndexError):
        kept[5]


def test_rows_are_added_at_the_end_wherever_was_read_last() -> None:
    kept = Spool(ROWS[:4])
    assert kept[0] == ROWS[0]
    kept.append(ROWS[4])
    assert list(kept) == ROWS


def test_prompts_have_the_digest_of_all_of_them_at_once() -> None:
    splits = {"unanswerable": ROWS[:2], "answerable": ROWS[2:]}
    assert PromptSet(splits, "v", "w").digest == digest("v", splits, length=32)


@pytest.mark.slow
def test_the_rows_of_a_snapshot_are_never_all_in_memory(tmp_path: Path) -> None:
    def peak(count: int) -> int:
        items = (item(number, text="x" * 3_000) for number in range(count))
        tracemalloc.start()
        write_snapshot(tmp_path / str(count), build_rows(items, "r", "p"), facts(), "")
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    write_snapshot(tmp_path / "warm", build_rows([item(0)], "r", "p"), facts(), "")
    assert peak(3600) < 1.3 * peak(1200)
