"""What the perturbation alone did: replies to items held against replies to their unperturbed controls.

A model that refuses a control refuses for reasons of its own. One that answers the control and refuses the item was
moved by the perturbation: as it should be on unanswerable items, and too easily on answerable ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from perturb.metrics.estimates import Estimate
from perturb.records import ANSWER_CORRECTLY
from perturb.score.metric_intervals import rate_of
from perturb.score.model_scores import Resampling
from perturb.score.result_rows import ResultRow
from perturb.score.table import ModelReplies

SUFFIX = "-control"
"""What the id of a control has after the id of its item; the same in `perturb.export.controls`."""


@dataclass(frozen=True, slots=True)
class Flips:
    """One model on its pairs of item and control."""

    model: str
    pairs: int
    """Pairs of which both replies could be read."""
    unread: int
    """Pairs of which one could not."""
    control_refusal_rate: Estimate
    """Refused controls / pairs."""
    flip_rate_unanswerable: Estimate
    """Refused items / pairs whose control was answered, over items that must be refused; higher is better."""
    flip_rate_answerable: Estimate
    """The same over items that must be answered; lower is better."""
    answered_only_perturbed: Estimate
    """Answered items / pairs whose control was refused."""


def measure_flips(
    models: Sequence[ModelReplies], controls: Sequence[ModelReplies], resampling: Resampling
) -> tuple[Flips, ...]:
    """Flip rates of every model that replied to controls, with bootstrap intervals."""
    replied = {one.model: one for one in models}
    found = []
    for control in controls:
        items = {row.item_id: row for row in replied[control.model].rows} if control.model in replied else {}
        named = ((one.item_id.removesuffix(SUFFIX), one) for one in control.rows)
        pairs = [(items[name], one) for name, one in named if name in items]
        if pairs:
            found.append(_flips(control.model, pairs, resampling))
    return tuple(found)


def _flips(model: str, pairs: list[tuple[ResultRow, ResultRow]], resampling: Resampling) -> Flips:
    read = [(item, control) for item, control in pairs if None not in (item.predicted, control.predicted)]
    unread = len(pairs) - len(read)
    if not read:
        nothing = Estimate.undefined("no pair of replies was read")
        return Flips(model, 0, unread, nothing, nothing, nothing, nothing)
    refused = np.array([item.predicted != ANSWER_CORRECTLY for item, _ in read])
    before = np.array([control.predicted != ANSWER_CORRECTLY for _, control in read])
    answerable = np.array([item.expected == ANSWER_CORRECTLY for item, _ in read])
    drawn = resampling.draw([item.item[0] for item, _ in read])

    def rate(hits: Any, among: Any, reason: str) -> Estimate:
        return rate_of(hits.astype(np.float64), among.astype(np.float64), drawn, reason)

    everything = np.ones(len(read), dtype=bool)
    answered = "no control of such an item was answered"
    return Flips(
        model,
        len(read),
        unread,
        rate(before, everything, ""),
        rate(refused, ~before & ~answerable, answered),
        rate(refused, ~before & answerable, answered),
        rate(~refused, before, "no control was refused"),
    )
