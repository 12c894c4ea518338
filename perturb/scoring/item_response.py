"""Item response theory on stored results: abilities of models and difficulties of items.

Answering and refusing have a scale each. A careful model does well where it must refuse and badly where it must
answer: the two are different abilities.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from perturb.errors import ConfigError, SourceError
from perturb.metrics.inputs import Estimate, Floats
from perturb.metrics.item_response import PRIORS, ItemResponses, item_responses
from perturb.metrics.outcomes import SCORED, ReplyOutcome
from perturb.metrics.refusal import RIGHT
from perturb.records import ANSWER_CORRECTLY
from perturb.scoring.result_rows import ResultRow
from perturb.scoring.table import ResultTable, ordered_names

ABILITIES: Floats = np.round(np.arange(-4, 4.01, 0.25), 2)
"""Abilities at which the information is reported, in logits around the mean ability."""


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
class GroupEstimate:
    """The items of one cell, lever or construction: means of their posterior means."""

    grouping: str
    """`cell`, `lever` or `construction`."""
    name: str
    n: int
    difficulty: float
    """In logits."""
    discrimination: float
    """Greater than 0; a typical item has 1."""


@dataclass(frozen=True, slots=True)
class ItemToRead:
    """An item that a person should read again: it may be wrongly labelled, or harder than meant."""

    item_id: str
    cell: str
    reason: str
    right: tuple[str, ...]
    """Models whose reply was right."""
    wrong: tuple[str, ...]
    """Models whose reply was scored as wrong."""


@dataclass(frozen=True, slots=True)
class Separation:
    """How many items of one cell tell two models of given scores apart."""

    scale: str
    cell: str
    a: float
    """Expected score of the stronger model on items of the cell."""
    b: float
    items: int | None
    """For a two-sided test at 5 % with a power of 80 %; None where the two are expected to score the same."""


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
    groups: tuple[GroupEstimate, ...] = ()
    """Cells, levers and constructions."""
    reason: str | None = None
    cell_of_item: tuple[str, ...] = ()
    """Items in the order of the fit."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        if self.fit is None:
            return {"scale": self.name, "reason": self.reason}
        information = zip(ABILITIES.tolist(), self.fit.information(ABILITIES).tolist(), strict=True)
        fields = ("converged", "message", "log_likelihood", "difficulty_spread", "slope_spread")
        return {
            "scale": self.name,
            "reason": None,
            **{name: getattr(self.fit, name) for name in fields},
            "reliability": {
                "difficulty": self.fit.difficulty_reliability,
                "discrimination": self.fit.discrimination_reliability,
            },
            "models": [{"model": name, **ability.to_dict()} for name, ability in self.models],
            "cells": [{"cell": name, **difficulty.to_dict()} for name, difficulty in self.cells],
            "items": [asdict(item) for item in self.items],
            "groups": [asdict(group) for group in self.groups],
            "information": [{"ability": ability, "information": value} for ability, value in information],
        }


@dataclass(frozen=True, slots=True)
class ItemResponseReport:
    """The scales of answering and refusing."""

    scales: tuple[Scale, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {"priors": PRIORS, "scales": [scale.to_dict() for scale in self.scales]}


def measure_item_response(table: ResultTable) -> ItemResponseReport:
    """Fit both scales to the scored replies.

    Raises `SourceError` if neither has the models, items and differences that a fit needs.
    """
    scales = (_scale("answering", table, answerable=True), _scale("refusing", table, answerable=False))
    if all(scale.fit is None for scale in scales):
        why = "; ".join(dict.fromkeys(f"{scale.name}: {scale.reason}" for scale in scales))
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
    groupings: dict[str, list[str | None]] = {
        "cell": [row.cell for row in rows],
        "lever": [row.item.lever for row in rows],
        "construction": [row.item.construction for row in rows],
    }
    arrays = (fit.difficulty, fit.difficulty_se, fit.discrimination, fit.discrimination_se)
    figures, counts = (array.tolist() for array in arrays), (~np.isnan(right)).sum(axis=0).tolist()
    return Scale(
        name,
        fit,
        tuple(zip((model.model for model in table.models), fit.abilities, strict=True)),
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
        tuple(group for grouping, labels in groupings.items() for group in _groups(grouping, labels, fit)),
        cell_of_item=tuple(row.cell for row in rows),
    )


def _groups(grouping: str, labels: Sequence[str | None], fit: ItemResponses) -> Iterator[GroupEstimate]:
    for name in ordered_names(labels):
        rows = np.array([label == name for label in labels])
        means = float(fit.difficulty[rows].mean()), float(fit.discrimination[rows].mean())
        yield GroupEstimate(grouping, name, int(rows.sum()), *means)


ALL_FAIL = "every model fails"
STRONG_FAIL = "the stronger models fail and the weaker ones pass"


def items_to_read_again(table: ResultTable) -> tuple[ItemToRead, ...]:
    """Items that every model fails, or that the stronger models fail and the weaker ones pass.

    A model is as strong as its share of right replies to the other items of the kind, to be answered or to be refused.
    An item is of the second sort if every model that passes it is weaker than every model that fails it. Items with
    scored replies of fewer than two models are left out.
    """
    candidates = []
    for answerable in (False, True):
        scored = [
            [
                row
                for row in model.rows
                if row.outcome in SCORED and (row.expected == ANSWER_CORRECTLY) is answerable
            ]
            for model in table.models
        ]
        totals = [(sum(_right(row) for row in rows), len(rows)) for rows in scored]
        by_item: dict[str, list[tuple[float, str, ResultRow]]] = {}
        for model, rows, (right, n) in zip(table.models, scored, totals, strict=True):
            for row in rows:
                strength = (right - _right(row)) / max(n - 1, 1)
                by_item.setdefault(row.item_id, []).append((strength, model.model, row))
        candidates += [to_read for item, replies in by_item.items() if (to_read := _to_read(item, replies))]
    return tuple(sorted(candidates, key=lambda item: (item.reason, item.cell, item.item_id)))


def _to_read(item: str, replies: Sequence[tuple[float, str, ResultRow]]) -> ItemToRead | None:
    right = [(strength, model) for strength, model, row in replies if _right(row)]
    wrong = [(strength, model) for strength, model, row in replies if not _right(row)]
    if len({row.model for _, _, row in replies}) < 2 or not wrong:
        return None
    if right and max(right)[0] >= min(wrong)[0]:
        return None
    names = [tuple(model for _, model in sorted(side)) for side in (right, wrong)]
    return ItemToRead(item, replies[0][2].cell, STRONG_FAIL if right else ALL_FAIL, names[0], names[1])


def separate_models(report: ItemResponseReport, scores: tuple[float, float]) -> tuple[Separation, ...]:
    """How many items of each cell tell apart two models whose mean scores on all items of a scale are `scores`.

    Formula: n = (z₀.₉₇₅ + z₀.₈)² (mean of p_a q_a + p_b q_b, plus the variance of p_a - p_b, over the items) /
    (mean of p_a - p_b)², since the replies of two models to one item are independent given the item. The fewest first.

    Raises `ConfigError` for scores that are equal or not between 0 and 1.
    """
    from scipy.optimize import brentq
    from scipy.stats import norm

    high, low = max(scores), min(scores)
    if not 0 < low < high < 1:
        raise ConfigError(f"scores are {low:g} and {high:g}: give two that differ, between 0 and 1")
    z = float(norm.ppf(0.975) + norm.ppf(0.8))
    needs = []
    for scale in report.scales:
        if scale.fit is None:
            continue
        abilities = [brentq(_excess, -40.0, 40.0, args=(scale.fit, score)) for score in (high, low)]
        p_a, p_b = (scale.fit.chances(ability) for ability in abilities)
        for cell in dict.fromkeys(scale.cell_of_item):
            rows = np.array([cell_name == cell for cell_name in scale.cell_of_item])
            a, b = p_a[rows], p_b[rows]
            gap = float((a - b).mean())
            spread = float((a * (1 - a) + b * (1 - b)).mean() + (a - b).var())
            items = math.ceil(z**2 * spread / gap**2) if gap > _SAME else None
            needs.append(Separation(scale.name, cell, float(a.mean()), float(b.mean()), items))
    return tuple(sorted(needs, key=lambda need: (need.items is None, need.items or 0)))


_SAME = 1e-3
"""If expected scores differ by less, no round of a realistic size tells the models apart."""


def _excess(ability: float, fit: ItemResponses, score: float) -> float:
    return float(fit.chances(ability).mean()) - score


def _right(row: ResultRow | None) -> float:
    return np.nan if row is None else float(ReplyOutcome(row.outcome) in RIGHT)
