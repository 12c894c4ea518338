"""Item response theory on stored results: abilities of models and difficulties of items.

Answering and refusing are different abilities, so each has its own scale: a careful model does well on items that
must be refused, and badly on items that must be answered.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from perturb.errors import ConfigError, SourceError
from perturb.metrics.inputs import Estimate, Floats, Integers, plain_value
from perturb.metrics.item_response import PRIORS, ItemResponses, item_responses
from perturb.metrics.outcomes import SCORED
from perturb.metrics.refusal import RIGHT
from perturb.records import ANSWER_CORRECTLY, JsonObject
from perturb.scoring.result_rows import ResultRow
from perturb.scoring.table import ModelReplies, ResultTable, ordered_names, rows_by_label

# Abilities at which the information is reported, in logits around the mean ability.
ABILITIES: Floats = np.round(np.arange(-4, 4.01, 0.25), 2)
# The reasons why an item should be read again.
ALL_FAIL = "every model fails"
STRONG_FAIL = "the stronger models fail and the weaker ones pass"
# If the expected scores of two models differ by less, no round of a realistic size distinguishes them.
_SAME_SCORE = 1e-3
# An ability so far from 0, in logits, has an expected score of practically 0 or 1.
_EXTREME_ABILITY = 40.0


@dataclass(frozen=True, slots=True)
class ItemEstimate:
    """The posterior means and standard deviations of one item."""

    item_id: str
    cell: str
    difficulty: float
    difficulty_se: float
    discrimination: float
    discrimination_se: float
    n: int
    """Number of models whose reply was scored."""


@dataclass(frozen=True, slots=True)
class GroupEstimate:
    """The means of the posterior means of the items of one cell, lever or construction."""

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
    """An item that a person should read again: its label may be wrong, or it may be harder than planned."""

    item_id: str
    cell: str
    reason: str
    right: tuple[str, ...]
    """Models whose reply was right."""
    wrong: tuple[str, ...]
    """Models whose reply was scored as wrong."""


@dataclass(frozen=True, slots=True)
class Separation:
    """The number of items of one cell that distinguish two models with certain scores."""

    scale: str
    cell: str
    a: float
    """Expected score of the stronger model on items of the cell."""
    b: float
    items: int | None
    """For a two-sided test at 5 % with a power of 80 %; None if both models have the same expected score."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The fit to the items that must be answered, or to those that must be refused; without a fit, the reason."""

    name: str
    """`answering` or `refusing`."""
    fit: ItemResponses | None = None
    models: tuple[tuple[str, Estimate], ...] = ()
    """Model and ability in logits; the mean ability is 0."""
    cells: tuple[tuple[str, Estimate], ...] = ()
    """Cell and mean difficulty of its items, in logits: the ability of a model that is right half the time."""
    items: tuple[ItemEstimate, ...] = ()
    """The hardest item first."""
    groups: tuple[GroupEstimate, ...] = ()
    """Cells, levers and constructions."""
    reason: str | None = None
    cell_of_item: tuple[str, ...] = ()
    """The cell of each item, in the order of the fit."""

    def to_dict(self) -> JsonObject:
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
            "items": plain_value(self.items),
            "groups": plain_value(self.groups),
            "information": [{"ability": ability, "information": value} for ability, value in information],
        }


@dataclass(frozen=True, slots=True)
class ItemResponseReport:
    """The scales of answering and refusing."""

    scales: tuple[Scale, ...]

    def to_dict(self) -> JsonObject:
        """Plain values, ready for JSON."""
        return {"priors": PRIORS, "scales": plain_value(self.scales)}


def measure_item_response(table: ResultTable) -> ItemResponseReport:
    """Fit both scales to the scored replies.

    Raises `SourceError` if neither scale has enough models and items with differing replies.
    """
    scales = (
        _fit_scale("answering", table, answerable=True),
        _fit_scale("refusing", table, answerable=False),
    )
    if all(scale.fit is None for scale in scales):
        reasons = "; ".join(f"{scale.name}: {scale.reason}" for scale in scales)
        raise SourceError(f"{table.source}: no item response model can be fitted: {reasons}")
    return ItemResponseReport(scales)


def _scored_replies(model: ModelReplies, *, answerable: bool) -> list[ResultRow]:
    """The scored replies of a model to items that must be answered or, if not `answerable`, that must be refused."""
    return [
        row
        for row in model.rows
        if row.outcome in SCORED and (row.expected == ANSWER_CORRECTLY) is answerable
    ]


def _is_right(row: ResultRow) -> bool:
    return row.outcome in RIGHT


def _fit_scale(name: str, table: ResultTable, *, answerable: bool) -> Scale:
    """The fit to the items that must be answered, or to the others; without a fit, the reason."""
    replies = [_scored_replies(model, answerable=answerable) for model in table.models]
    # Every reply to an item has the fields of the item, so the first reply to each is enough.
    first_replies: dict[str, ResultRow] = {}
    for row in itertools.chain.from_iterable(replies):
        first_replies.setdefault(row.item_id, row)
    if not first_replies:
        return Scale(name, reason="no reply was scored")
    # A row for each model and a column for each item; NaN without a scored reply.
    right = np.full((len(table.models), len(first_replies)), np.nan)
    columns = {item_id: column for column, item_id in enumerate(first_replies)}
    for number, replies_of_model in enumerate(replies):
        for row in replies_of_model:
            right[number, columns[row.item_id]] = _is_right(row)
    items = list(first_replies.values())
    cells = ordered_names([row.item.cell for row in items])
    cell_numbers = np.array([cells.index(row.item.cell) for row in items])
    base_numbers = np.unique([row.item.base_id for row in items], return_inverse=True)[1]
    try:
        fit = item_responses(right, cell_numbers, base_numbers)
    except ValueError as error:
        # With too few models or items, the report gives the reason. The other scale may still have a fit.
        return Scale(name, reason=str(error))
    n_models = (~np.isnan(right)).sum(axis=0)
    return Scale(
        name,
        fit,
        models=tuple(zip((model.model for model in table.models), fit.abilities, strict=True)),
        cells=tuple(zip(cells, fit.group_difficulties, strict=True)),
        items=_item_estimates(items, fit, n_models),
        groups=_group_estimates(items, fit),
        cell_of_item=tuple(row.item.cell for row in items),
    )


def _item_estimates(
    items: Sequence[ResultRow], fit: ItemResponses, n_models: Integers
) -> tuple[ItemEstimate, ...]:
    """The estimates of each item, the hardest first."""
    estimates = [
        ItemEstimate(
            item_id=row.item_id,
            cell=row.item.cell,
            difficulty=float(fit.difficulty[column]),
            difficulty_se=float(fit.difficulty_se[column]),
            discrimination=float(fit.discrimination[column]),
            discrimination_se=float(fit.discrimination_se[column]),
            n=int(n_models[column]),
        )
        for column, row in enumerate(items)
    ]
    return tuple(sorted(estimates, key=lambda item: -item.difficulty))


def _group_estimates(items: Sequence[ResultRow], fit: ItemResponses) -> tuple[GroupEstimate, ...]:
    """The means of the items of each cell, lever and construction; an item without a lever is in no group of levers."""
    groupings: dict[str, list[str | None]] = {
        "cell": [row.item.cell for row in items],
        "lever": [row.item.lever for row in items],
        "construction": [row.item.construction for row in items],
    }
    estimates = []
    for grouping, labels in groupings.items():
        for name, rows in rows_by_label(labels).items():
            difficulty = float(fit.difficulty[rows].mean())
            discrimination = float(fit.discrimination[rows].mean())
            estimates.append(GroupEstimate(grouping, name, len(rows), difficulty, discrimination))
    return tuple(estimates)


def items_to_read_again(table: ResultTable) -> tuple[ItemToRead, ...]:
    """Items that every model fails, or that the stronger models fail and the weaker ones pass.

    The strength of a model is its share of right replies to the other items of the same kind: items to be answered, or
    items to be refused. In the second case every model that passes the item is weaker than every model that fails it.
    Items with scored replies of fewer than two models are left out.
    """
    by_item = _rated_replies(table, answerable=False) | _rated_replies(table, answerable=True)
    candidates = [_item_to_read(replies) for replies in by_item.values()]
    to_read = [item for item in candidates if item is not None]
    return tuple(sorted(to_read, key=lambda item: (item.reason, item.cell, item.item_id)))


class _RatedReply(NamedTuple):
    """A reply with the strength of its model."""

    strength: float
    model: str
    row: ResultRow


def _rated_replies(table: ResultTable, *, answerable: bool) -> dict[str, list[_RatedReply]]:
    """The scored replies to each item of one kind."""
    by_item: dict[str, list[_RatedReply]] = {}
    for model in table.models:
        rows = _scored_replies(model, answerable=answerable)
        n_right = sum(_is_right(row) for row in rows)
        for row in rows:
            # The item itself is left out. Otherwise every model that passes it would seem stronger.
            right_elsewhere = n_right - _is_right(row)
            strength = right_elsewhere / max(len(rows) - 1, 1)
            by_item.setdefault(row.item_id, []).append(_RatedReply(strength, model.model, row))
    return by_item


def _item_to_read(replies: Sequence[_RatedReply]) -> ItemToRead | None:
    """The item of these replies, or None if they give no reason to read it again."""
    by_strength = sorted(replies, key=lambda reply: (reply.strength, reply.model))
    right = [reply for reply in by_strength if _is_right(reply.row)]
    wrong = [reply for reply in by_strength if not _is_right(reply.row)]
    if len({reply.row.model for reply in replies}) < 2 or not wrong:
        return None
    # The strongest model that passes must be weaker than the weakest one that fails.
    if right and right[-1].strength >= wrong[0].strength:
        return None
    row = replies[0].row
    return ItemToRead(
        item_id=row.item_id,
        cell=row.item.cell,
        reason=STRONG_FAIL if right else ALL_FAIL,
        right=tuple(reply.model for reply in right),
        wrong=tuple(reply.model for reply in wrong),
    )


def separate_models(report: ItemResponseReport, scores: tuple[float, float]) -> tuple[Separation, ...]:
    """The items of each cell that distinguish two models whose mean scores on all items of a scale are `scores`.

    Formula: n = (z₀.₉₇₅ + z₀.₈)² (mean of p_a q_a + p_b q_b, plus the variance of p_a - p_b, over the items) /
    (mean of p_a - p_b)². p_a is the chance that the first model gets an item right, and q_a = 1 - p_a. The replies of
    two models to one item are independent, given the item. The cell that needs the fewest items comes first.

    Raises `ConfigError` if the scores are equal, or not between 0 and 1.
    """
    high, low = max(scores), min(scores)
    if not 0 < low < high < 1:
        raise ConfigError(f"scores are {low:g} and {high:g}: give two that differ, between 0 and 1")
    separations = []
    for scale in report.scales:
        if scale.fit is None:
            continue
        chances_a = scale.fit.chances(_ability_with_score(scale.fit, high))
        chances_b = scale.fit.chances(_ability_with_score(scale.fit, low))
        for cell in dict.fromkeys(scale.cell_of_item):
            in_cell = np.array([cell_of_item == cell for cell_of_item in scale.cell_of_item])
            p_a, p_b = chances_a[in_cell], chances_b[in_cell]
            items = _items_to_separate(p_a, p_b)
            separations.append(Separation(scale.name, cell, float(p_a.mean()), float(p_b.mean()), items))
    # Cells in which no number of items is enough come last.
    return tuple(sorted(separations, key=lambda row: (row.items is None, row.items or 0)))


def _ability_with_score(fit: ItemResponses, score: float) -> float:
    """The ability at which the expected mean score on all items of the scale is `score`."""
    from scipy.optimize import brentq

    def excess(ability: float) -> float:
        return float(fit.chances(ability).mean()) - score

    return float(brentq(excess, -_EXTREME_ABILITY, _EXTREME_ABILITY))


def _items_to_separate(p_a: Floats, p_b: Floats) -> int | None:
    """The items that distinguish two models with these chances; None if their mean scores are the same."""
    from scipy.stats import norm

    difference = float((p_a - p_b).mean())
    if difference <= _SAME_SCORE:
        return None
    # The difference in score on an item varies with the replies, and with the choice of the item.
    variance_of_replies = float((p_a * (1 - p_a) + p_b * (1 - p_b)).mean())
    variance_over_items = float((p_a - p_b).var())
    z = float(norm.ppf(0.975) + norm.ppf(0.8))
    return math.ceil(z**2 * (variance_of_replies + variance_over_items) / difference**2)
