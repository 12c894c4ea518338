"""Item response theory of stored results: how able models are and how hard items, answering and refusing apart.

A careful model does well where it must refuse and badly where it must answer: the two are not one ability.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from perturb.errors import SourceError
from perturb.metrics.inputs import Estimate, Floats
from perturb.metrics.item_response import PRIORS, ItemResponses, item_responses
from perturb.metrics.outcomes import SCORED, ReplyOutcome
from perturb.metrics.refusal import RIGHT
from perturb.records import ANSWER_CORRECTLY
from perturb.scoring.result_rows import ResultRow
from perturb.scoring.table import ResultTable, ordered_names

ABILITIES: Floats = np.round(np.arange(-4, 4.01, 0.25), 2)
"""Where the information is given, in logits around the mean ability."""


@dataclass(frozen=True, slots=True)
class ItemEstimate:
    """One item: its posterior means and standard deviations."""

    item_id: str
    cell: str
    difficulty: float
    difficulty_se: float
    discrimination: float
    discrimination_se: float
    n: int
    """Models whose reply was scored."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The items that must be answered, or those that must be refused; without a fit, `reason` says why."""

    name: str
    """`answering` or `refusing`."""
    fit: ItemResponses | None = None
    models: tuple[tuple[str, Estimate], ...] = ()
    """Abilities in logits, the mean being 0."""
    cells: tuple[tuple[str, Estimate], ...] = ()
    """Mean difficulty of a cell's items in logits: where it is, an average model is right half the time."""
    items: tuple[ItemEstimate, ...] = ()
    """The hardest first."""
    reason: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        if self.fit is None:
            return {"scale": self.name, "reason": self.reason}
        information = zip(ABILITIES.tolist(), self.fit.information(ABILITIES).tolist(), strict=True)
        told = ("converged", "message", "log_likelihood", "difficulty_spread", "slope_spread")
        return {
            "scale": self.name,
            "reason": None,
            **{name: getattr(self.fit, name) for name in told},
            "reliability": {
                "difficulty": self.fit.difficulty_reliability,
                "discrimination": self.fit.discrimination_reliability,
            },
            "models": [{"model": name, **ability.to_dict()} for name, ability in self.models],
            "cells": [{"cell": name, **difficulty.to_dict()} for name, difficulty in self.cells],
            "items": [asdict(item) for item in self.items],
            "information": [{"ability": at, "information": value} for at, value in information],
        }


@dataclass(frozen=True, slots=True)
class ItemResponseReport:
    """Both scales."""

    scales: tuple[Scale, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {"priors": PRIORS, "scales": [one.to_dict() for one in self.scales]}


def measure_item_response(table: ResultTable) -> ItemResponseReport:
    """Fit both scales to the scored replies.

    Raises `SourceError` if neither has the models, items and differences that a fit needs.
    """
    scales = (_scale("answering", table, answerable=True), _scale("refusing", table, answerable=False))
    if all(one.fit is None for one in scales):
        why = "; ".join(dict.fromkeys(f"{one.name}: {one.reason}" for one in scales))
        raise SourceError(f"{table.source}: no item response model can be fitted: {why}")
    return ItemResponseReport(scales)


def _scale(name: str, table: ResultTable, *, answerable: bool) -> Scale:
    replies: dict[str, dict[int, ResultRow]] = {}
    for number, model in enumerate(table.models):
        for row in model.rows:
            if (row.expected == ANSWER_CORRECTLY) is answerable and row.outcome in SCORED:
                replies.setdefault(row.item_id, {})[number] = row
    if not replies:
        return Scale(name, reason="no reply was scored")
    rows = [next(iter(of_item.values())) for of_item in replies.values()]
    cells = ordered_names([row.cell for row in rows])
    right = np.array(
        [[_right(of_item.get(number)) for of_item in replies.values()] for number in range(len(table.models))]
    )
    bases = np.unique([row.item.base_id for row in rows], return_inverse=True)[1]
    try:
        fit = item_responses(right, np.array([cells.index(row.cell) for row in rows]), bases)
    except ValueError as error:
        return Scale(name, reason=str(error))
    arrays = (fit.difficulty, fit.difficulty_se, fit.discrimination, fit.discrimination_se)
    figures, counts = (one.tolist() for one in arrays), (~np.isnan(right)).sum(axis=0).tolist()
    return Scale(
        name,
        fit,
        tuple(zip((one.model for one in table.models), fit.abilities, strict=True)),
        tuple(zip(cells, fit.group_difficulties, strict=True)),
        tuple(
            sorted(
                [
                    ItemEstimate(row.item_id, row.cell, b, b_se, a, a_se, n)
                    for row, b, b_se, a, a_se, n in zip(rows, *figures, counts, strict=True)
                ],
                key=lambda item: -item.difficulty,
            )
        ),
    )


def _right(row: ResultRow | None) -> float:
    return np.nan if row is None else float(ReplyOutcome(row.outcome) in RIGHT)
