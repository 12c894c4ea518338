"""Results tables made up for tests."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from perturb.catalogue.levers import Catalogue
from perturb.records import ALL_CELLS, ANSWER_CORRECTLY
from perturb.scoring.table import ResultTable, result_table

CATALOGUE = Catalogue.load()
CODES = tuple(entry.refusal_code for entry in CATALOGUE.classes.values())
SEVERAL_PER_BASE = 6

Row = dict[str, Any]


def items(n: int) -> list[Row]:
    """Items with the 18 cells in turn and six items to a base instance."""
    return [
        {
            "item_id": f"item-{number:04}",
            "base_id": f"base-{number // SEVERAL_PER_BASE}",
            "perturbation_class": str(cell.perturbation_class),
            "intensity": str(cell.intensity),
            "expected_rag_behavior": CATALOGUE.expected_behavior(cell),
            "domain": ("Health", "Law")[number // 18 % 2],
            "lever": CATALOGUE.levers_of(cell)[0].name,
            "generator": ("g0", "g1", "g2")[(number + number // 18) % 3],
        }
        for number, cell in ((number, ALL_CELLS[number % 18]) for number in range(n))
    ]


def reply(item: Mapping[str, Any], model: str, predicted: str | None, **judged: Any) -> Row:
    """The row of one reply."""
    return {**item, "model": model, "predicted": predicted, **judged}


def right(item: Mapping[str, Any], model: str, **more: Any) -> Row:
    """A reply as it should be."""
    if item["expected_rag_behavior"] == ANSWER_CORRECTLY:
        return reply(item, model, "ANSWER", quality=5, **more)
    return reply(item, model, item["expected_rag_behavior"], **more)


def wrong(item: Mapping[str, Any], model: str, **more: Any) -> Row:
    """A refusal where there is an answer, an answer where there is none."""
    answerable = item["expected_rag_behavior"] == ANSWER_CORRECTLY
    return reply(item, model, "REFUSE_OTHER" if answerable else "ANSWER", **more)


def right_at_rate(rate: float, model: str, n: int, seed: int) -> list[Row]:
    """Replies of which each is right with this probability."""
    rng = np.random.default_rng(seed)
    return [(right if rng.random() < rate else wrong)(item, model) for item in items(n)]


def table(rows: Iterable[Row]) -> ResultTable:
    """The rows as a checked table."""
    return result_table([(f"row {number}", row) for number, row in enumerate(rows, start=1)], "made up")


def write_csv(path: Path, rows: Sequence[Row]) -> Path:
    """Write rows as CSV; None becomes an empty field."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows(rows)
    return path
