"""Item response theory on stored results: abilities of models and difficulties of items.

Answering and refusing are different abilities, so each has its own scale: a careful model does well on items that
must be refused, and badly on items that must be answered.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import NamedTuple

import numpy as np

from perturb.errors import ConfigError, SourceError
from perturb.metrics.inputs import Estimate, Floats
from perturb.metrics.item_response import PRIORS, ItemResponses, item_responses
from perturb.metrics.outcomes import SCORED, ReplyOutcome
from perturb.metrics.refusal import RIGHT
from perturb.records import ANSWER_CORRECTLY, JsonObject
from perturb.scoring.result_rows import ResultRow
from perturb.scoring.table import ResultTable, ordered_names

# Abilities at which the information is reported, in logits around the mean ability.
ABILITIES: Floats = np.round(np.arange(-4, 4.01, 0.25), 2)


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
            "items": [asdict(item) for item in self.items],
            "groups": [asdict(group) for group in self.groups],
            "information": [{"ability": ability, "information": value} for ability, value in information],
        }


@dataclass(frozen=True, slots=True)
class ItemResponseReport:
    """The scales of answering and refusing."""

    scales: tuple[Scale, ...]

    def to_dict(self) -> JsonObject:
        """Plain values, ready for JSON."""
        return {"priors": PRIORS, "scales": [scale.to_dict() for scale in self.scales]}


def measure_item_response(table: ResultTable) -> ItemResponseReport:
    """Fit both scales to the scored replies.

    Raises `SourceError` if neither scale has enough models and items with differing replies.
    """
    scales = (_scale("answering", table, answerable=True), _scale("refusing", table, answerable=False))
    if all(scale.fit is None for scale in scales):
        reasons = "; ".join(f"{scale.name}: {scale.reason}" for scale in scales)
        raise SourceError(f"{table.source}: no item response model can be fitted: {reasons}")
    return ItemResponseReport(scales)


def _scale(name: str, table: ResultTable, *, answerable: bool) -> Scale:
    # item → number of the model → its reply
    replies: dict[str, dict[int, ResultRow]] = {}
    for number, model in enumerate(table.models):
        for row in model.rows:
            if (row.expected == ANSWER_CORRECTLY) is answerable and row.outcome in SCORED:
                replies.setdefault(row.item_id, {})[number] = row
    if not replies:
        return Scale(name, reason="no reply was scored")
    # any reply to an item has its fields
    rows = [next(iter(by_model.values())) for by_model in replies.values()]
    cells = ordered_names([row.cell for row in rows])
    right = np.array(
        [
            [_right(by_model.get(number)) for by_model in replies.values()]
            for number in range(len(table.models))
        ]
    )
    bases = np.unique([row.item.base_id for row in rows], return_inverse=True)[1]
    try:  # too few models or items: the report says so, and the other scale may still have a fit
        fit = item_responses(right, np.array([cells.index(row.cell) for row in rows]), bases)
    except ValueError as error:
        return Scale(name, reason=str(error))
    groupings: dict[str, list[str | None]] = {
        "cell": [row.cell for row in rows],
        "lever": [row.item.lever for row in rows],
        "construction": [row.item.construction for row in rows],
    }
    counts = (~np.isnan(right)).sum(axis=0)
    items = [
        ItemEstimate(
            item_id=row.item_id,
            cell=row.cell,
            difficulty=float(fit.difficulty[column]),
            difficulty_se=float(fit.difficulty_se[column]),
            discrimination=float(fit.discrimination[column]),
            discrimination_se=float(fit.discrimination_se[column]),
            n=int(counts[column]),
        )
        for column, row in enumerate(rows)
    ]
    return Scale(
        name,
        fit,
        models=tuple(zip((model.model for model in table.models), fit.abilities, strict=True)),
        cells=tuple(zip(cells, fit.group_difficulties, strict=True)),
        items=tuple(sorted(items, key=lambda item: -item.difficulty)),
        groups=tuple(
            group for grouping, labels in groupings.items() for group in _groups(grouping, labels, fit)
        ),
        cell_of_item=tuple(row.cell for row in rows),
    )


def _groups(grouping: str, labels: Sequence[str | None], fit: ItemResponses) -> Iterator[GroupEstimate]:
    """The means of the items with each label; items without a label are in no group."""
    for name in ordered_names(labels):
        rows = np.array([label == name for label in labels])
        means = float(fit.difficulty[rows].mean()), float(fit.discrimination[rows].mean())
        yield GroupEstimate(grouping, name, int(rows.sum()), *means)


# The reasons why an item should be read again.
ALL_FAIL = "every model fails"
STRONG_FAIL = "the stronger models fail and the weaker ones pass"


def items_to_read_again(table: ResultTable) -> tuple[ItemToRead, ...]:
    """Items that every model fails, or that the stronger models fail and the weaker ones pass.

    The strength of a model is its share of right replies to the other items of the same kind: items to be answered, or
    items to be refused. In the second case every model that passes the item is weaker than every model that fails it.
    Items with scored replies of fewer than two models are left out.
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
        by_item: dict[str, list[_RatedReply]] = {}
        for model, rows in zip(table.models, scored, strict=True):
            right = sum(_right(row) for row in rows)
            for row in rows:
                # without the item itself, which would make every model that passes it stronger
                strength = (right - _right(row)) / max(len(rows) - 1, 1)
                by_item.setdefault(row.item_id, []).append(_RatedReply(strength, model.model, row))
        candidates += [_to_read(replies) for replies in by_item.values()]
    to_read = [item for item in candidates if item is not None]
    return tuple(sorted(to_read, key=lambda item: (item.reason, item.cell, item.item_id)))


class _RatedReply(NamedTuple):
    """A reply with the strength of its model."""

    strength: float
    model: str
    row: ResultRow


def _to_read(replies: Sequence[_RatedReply]) -> ItemToRead | None:
    """The item of these replies, or None if they give no reason to read it again."""
    right = sorted((reply for reply in replies if _right(reply.row)), key=_strength_and_name)
    wrong = sorted((reply for reply in replies if not _right(reply.row)), key=_strength_and_name)
    if len({reply.row.model for reply in replies}) < 2 or not wrong:
        return None
    if right and right[-1].strength >= wrong[0].strength:
        return None
    row = replies[0].row
    return ItemToRead(
        item_id=row.item_id,
        cell=row.cell,
        reason=STRONG_FAIL if right else ALL_FAIL,
        right=tuple(reply.model for reply in right),
        wrong=tuple(reply.model for reply in wrong),
    )


def _strength_and_name(reply: _RatedReply) -> tuple[float, str]:
    return reply.strength, reply.model


def separate_models(report: ItemResponseReport, scores: tuple[float, float]) -> tuple[Separation, ...]:
    """The items of each cell that distinguish two models whose mean scores on all items of a scale are `scores`.

    Formula: n = (z₀.₉₇₅ + z₀.₈)² (mean of p_a q_a + p_b q_b, plus the variance of p_a - p_b, over the items) /
    (mean of p_a - p_b)². The replies of two models to one item are independent, given the item. The cell that needs the
    fewest items comes first.

    Raises `ConfigError` if the scores are equal, or not between 0 and 1.
    """
    from scipy.optimize import brentq
    from scipy.stats import norm

    high, low = max(scores), min(scores)
    if not 0 < low < high < 1:
        raise ConfigError(f"scores are {low:g} and {high:g}: give two that differ, between 0 and 1")
    z = float(norm.ppf(0.975) + norm.ppf(0.8))
    separations = []
    for scale in report.scales:
        if scale.fit is None:
            continue
        # the abilities at which the expected scores on all items are the two scores; ±40 logits are practically 0 and 1
        abilities = [brentq(_excess, -40.0, 40.0, args=(scale.fit, score)) for score in (high, low)]
        p_a, p_b = (scale.fit.chances(ability) for ability in abilities)
        for cell in dict.fromkeys(scale.cell_of_item):
            in_cell = np.array([cell_name == cell for cell_name in scale.cell_of_item])
            a, b = p_a[in_cell], p_b[in_cell]
            difference = float((a - b).mean())
            spread = float((a * (1 - a) + b * (1 - b)).mean() + (a - b).var())
            items = math.ceil(z**2 * spread / difference**2) if difference > _SAME_SCORE else None
            separations.append(Separation(scale.name, cell, float(a.mean()), float(b.mean()), items))
    # cells in which no number of items is enough come last
    return tuple(sorted(separations, key=lambda row: (row.items is None, row.items or 0)))


# If expected scores differ by less, no round of a realistic size distinguishes the models.
_SAME_SCORE = 1e-3


def _excess(ability: float, fit: ItemResponses, score: float) -> float:
    return float(fit.chances(ability).mean()) - score


def _right(row: ResultRow | None) -> float:
    return np.nan if row is None else float(ReplyOutcome(row.outcome) in RIGHT)
