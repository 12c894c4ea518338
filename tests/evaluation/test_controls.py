"""Control rows of a snapshot as items of an evaluation."""

from __future__ import annotations

from pathlib import Path

from perturb.evaluation.loading import ItemSource, load_items
from perturb.records import Item
from perturb.snapshots.items import build_controls
from perturb.snapshots.rows import build_rows
from perturb.snapshots.snapshot import write_snapshot
from tests.snapshots.test_snapshot import facts, item


def snapshot(folder: Path, *, twins: bool) -> Path:
    """Four LOW items, one of them with several passages."""
    items = [item(number, several=number == 3) for number in (0, 3, 6, 9)]
    labels = ("2026-Q4", "paper")
    controls = build_controls(items, *labels) if twins else ()
    return write_snapshot(folder, build_rows(items, *labels), facts(), "", controls).folder


def test_controls_follow_the_items_and_must_be_answered(tmp_path: Path) -> None:
    loaded = load_items(ItemSource(str(snapshot(tmp_path / "s", twins=True)))).items
    plain, controls = loaded[:4], loaded[4:]
    assert {control.id for control in controls} == {f"{one.id}-control" for one in plain}
    assert {(control.intensity, control.answerable, control.control) for control in controls} == {
        ("NONE", True, True)
    }
    assert {(one.intensity, one.control) for one in plain} == {("LOW", False)}
    several = next(control for control in controls if control.several)
    assert [passage.text for passage in several.passages] == ["Noise plain", "Signal plain", "More noise"]
    assert Item.from_payload(several.id, several.to_payload()) == several


def test_a_limit_counts_items_and_takes_their_controls(tmp_path: Path) -> None:
    folder = str(snapshot(tmp_path / "s", twins=True))
    ids = [one.id for one in load_items(ItemSource(folder, limit=2)).items]
    assert ids[2:] == [f"{name}-control" for name in ids[:2]]
    assert len(load_items(ItemSource(folder, limit=5)).items) == 8


def test_without_controls_there_are_none(tmp_path: Path) -> None:
    loaded = load_items(ItemSource(str(snapshot(tmp_path / "s", twins=False))))
    assert not [one for one in loaded.items if one.control]
