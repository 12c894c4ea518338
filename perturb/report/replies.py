"""The items of an evaluation with what each model replied, for the browser of a report page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perturb.changes import mark_change
from perturb.metrics.outcomes import SCORED, ReplyOutcome
from perturb.records import NO_INTENSITY, Intensity
from perturb.report.model import ItemBrowser
from perturb.report.run_data import even_draw, item_browser, marked
from perturb.responses import Item
from perturb.score.table import ResultTable
from perturb.store.calls import reading
from perturb.store.evaluations import read_items, read_responses

if TYPE_CHECKING:
    from perturb.evaluate.results import Result

MAX_CHARACTERS = 4000
"""Of a passage or a reply; the rest is left out and counted."""
RIGHT = (ReplyOutcome.CORRECT_ANSWER, ReplyOutcome.CORRECT_REFUSAL)
"""Outcomes that earn credit."""


def browse_replies(run: Path, table: ResultTable, at_most: int) -> ItemBrowser | None:
    """Every item with its replies, or an even draw over classes and intensities; None if none is wanted.

    `table` is what `perturb.score.read_results` made of the run. Raises `LedgerError` if there is no evaluation.
    """
    from perturb.evaluate.results import is_current, run_of

    if at_most < 1:
        return None
    with reading(run) as db:
        state = run_of(db, run)
        items = [Item.from_payload(item_id, payload) for item_id, payload in read_items(db)]
        groups = {item.id: f"{item.cell.perturbation_class}/{item.intensity}" for item in items}
        chosen = set(even_draw(groups, at_most))
        texts = {
            (one.item_id, one.model): one.text
            for one in read_responses(db)
            if one.item_id in chosen and is_current(one, state.facts["models"])
        }
    outcomes = {
        (row.item_id, one.model): row.outcome for one in (*table.models, *table.controls) for row in one.rows
    }
    replies: dict[str, list[dict[str, str]]] = {name: [] for name in chosen}
    for one in state.results:
        key = one.item_id, one.model
        # An evaluation that goes on meanwhile may have more replies than the table.
        if one.item_id in chosen and key in outcomes and key in texts:
            replies[one.item_id].append(_reply(one, outcomes[key], texts[key]))
    described = [describe_item(item, replies[item.id]) for item in items if item.id in chosen]
    intensities = {item.intensity for item in items}
    filters = {
        "class": [str(one.cell.perturbation_class) for one in items],
        "intensity": [name for name in (*map(str, Intensity), NO_INTENSITY) if name in intensities],
        "reply": sorted({name for one in described for name in one["reply"]}),
        "domain": sorted({item.domain for item in items if item.domain}),
        "language": [item.language for item in items],
    }
    return item_browser(described, len(items), "classes and intensities", filters)


def _reply(result: Result, outcome: ReplyOutcome, text: str) -> dict[str, str]:
    judged = [
        f"{name.replace('_', ' ')}: {value}"
        for name in ("quality", "eligible", "factual_all", "factual_signal", "confidence", "unscored")
        if (value := getattr(result, name)) is not None
    ]
    return {
        "model": result.model,
        "predicted": result.predicted or "not read",
        "outcome": outcome.replace("_", " "),
        "mark": mark_of(outcome),
        "judged": ", ".join(judged),
        "text": _cut(text) or "(an empty reply)",
    }


def describe_item(item: Item, replies: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """An item with its replies, as the item browser of a page takes it."""
    several = item.several
    after = [one.text for one in item.passages]
    before = item.original_passages if len(item.original_passages) == len(after) else after
    return {
        "id": item.id,
        "cell": f"{item.cell.perturbation_class}/{item.intensity}",
        "class": str(item.cell.perturbation_class),
        "intensity": item.intensity,
        "domain": item.domain or "",
        "language": item.language,
        "reply": [f"{one['model']}: {one['outcome']}" for one in replies],
        "generator": item.generator,
        "outcome": "",
        "reason": "",
        "lever": "unperturbed" if item.control else item.lever,
        "expected": item.expected_behavior,
        "answers": list(item.answers),
        "query": marked(mark_change(item.original_query or item.query, item.query)),
        "passages": [
            {"pieces": [["same", f"[{number}] " if several else ""], *marked(mark_change(*texts))]}
            for number, texts in enumerate(zip(map(_cut, before), map(_cut, after), strict=True), start=1)
        ],
        "unchanged": 0,
        "votes": [],
        "replies": replies,
    }


def mark_of(outcome: ReplyOutcome) -> str:
    """How a page marks a reply: right, wrong or unscored."""
    return "unscored" if outcome not in SCORED else "right" if outcome in RIGHT else "wrong"


def _cut(text: str) -> str:
    left = len(text) - MAX_CHARACTERS
    return text if left <= 0 else f"{text[:MAX_CHARACTERS]} … ({left:,} more characters)"
