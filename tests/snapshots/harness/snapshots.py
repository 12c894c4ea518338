"""A small snapshot for other harnesses: both layouts, every cell, texts that a template engine would trip over."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from perturb.catalogue.levers import Catalogue
from perturb.evaluation.loading import ItemSource, load_items
from perturb.records import (
    ALL_CELLS,
    BaseInstance,
    Candidate,
    Cell,
    Intensity,
    Item,
    Passage,
    Verdict,
    VerdictState,
)
from perturb.snapshots.items import build_controls
from perturb.snapshots.rows import AcceptedItem, build_rows
from perturb.snapshots.snapshot import Snapshot, write_snapshot
from tests.snapshots.test_snapshot import facts

CATALOGUE = Catalogue.load()
HOSTILE = (
    "{{ 7*7 }} {% raw %} {braces} {0} %s $HOME",
    "línea één\n\n\nНева עברית 🏳️‍🌈\ttab  two blanks ",
    "<think>no</think>\\n <|endoftext|> [INST] \r\n end",
)
"""Goes into questions and passages in turn."""


def accepted(number: int, cell: Cell, several: bool) -> AcceptedItem:
    """An item that the panel took, its label that of its cell."""
    text = HOSTILE[number // 3 % len(HOSTILE)]
    passages: tuple[Passage, ...] = (Passage(f"Mill {number} was built by Ada {number}. {text}"),)
    if several:
        passages = (*passages, Passage(f"Nobody knows {text}", title=f"A {text}", role="noise"))
    instance = BaseInstance(
        id=f"base-{number // 3}",
        source="demo",
        query=f"Who built mill {number}?",
        passages=passages,
        answers=(f"Ada {number}", f"Miss A. {number}"),
        licence="MIT",
    )
    candidate = Candidate(
        id=f"item-{number:03}",
        instance_id=instance.id,
        generator="demo",
        cell=cell,
        lever=CATALOGUE.levers_of(cell)[0].name,
        query=f"And who built mill {number}? {text}",
        passages=tuple(replace(passage, text=f"They say: {passage.text}") for passage in passages),
        reasoning="",
        expected_behavior=CATALOGUE.expected_behavior(cell),
    )
    votes = (Verdict(candidate.id, "alpha", VerdictState.PASS),)
    return AcceptedItem(instance, candidate, votes)


def write_both(folder: Path, intensities: tuple[Intensity, ...] = tuple(Intensity)) -> Snapshot:
    """A snapshot with the parts `nq` and `garage`, and control rows."""
    cells = [cell for cell in ALL_CELLS if cell.intensity in intensities]
    items = [accepted(number, cell, several=number % 2 == 0) for number, cell in enumerate(cells * 2)]
    return write_snapshot(
        folder,
        build_rows(items, "2026-Q4", "paper"),
        facts(),
        "seed: 7\n",
        build_controls(items, "2026-Q4", "paper"),
    )


def write_single(folder: Path) -> Snapshot:
    """A snapshot with a single part."""
    items = [accepted(number, cell, several=False) for number, cell in enumerate(ALL_CELLS)]
    return write_snapshot(folder, build_rows(items, "2026-Q4", "paper"), facts(), "seed: 7\n")


def items_of(snapshot: Snapshot) -> dict[str, Item]:
    """Id -> item, as `perturb evaluate` reads them, without the controls."""
    items = load_items(ItemSource(str(snapshot.folder))).items
    return {item.id: item for item in items if not item.control}
