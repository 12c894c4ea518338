"""The lowest and the highest value of a refusal metric, whatever its unscored replies would have been."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from perturb.metrics.inputs import Floats
from perturb.metrics.outcomes import COULD_BE, LEVELS, UNSCORED, ReplyCounts, ReplyOutcome
from perturb.metrics.refusal import RIGHT
from perturb.metrics.refusal_registry import REFUSAL_METRICS


class Range(NamedTuple):
    """What a metric can be."""

    low: float
    high: float


def bounds(name: str, replies: ReplyCounts) -> Range | None:
    """The smallest and the largest value of a metric, whatever the unscored replies would have been, or without them.

    Exact: each end is the value of some reading. A reply that states a confidence level, or none, keeps to that. None
    where the metric is undefined throughout.

    Raises KeyError for a name that is not in `REFUSAL_METRICS`.

    >>> bounds("answer_accuracy", ReplyCounts.of(["correct_answer", "false_refusal"] + 2 * ["ungraded_answer"]))
    Range(low=0.25, high=0.75)
    """
    metric = REFUSAL_METRICS[name]
    if metric.of_levels:
        values = [float(metric.compute(replies)), *_calibration_ends(replies, metric.over)]
    else:  # a ratio, linear-fractional in the counts: its ends are where all unscored replies of a kind are alike
        values = metric.compute(replies.completions()).tolist()
    defined = [value for value in values if not np.isnan(value)]
    return Range(min(defined), max(defined)) if defined else None


def _calibration_ends(replies: ReplyCounts, over: Sequence[ReplyOutcome]) -> list[float]:
    """Least and greatest calibration error: a sum of gaps, one for each level, over a sum of replies."""
    options = [_level_options(replies, over, place, at) for place, at in enumerate(LEVELS.values())]
    return [end for sign in (-1, 1) if (end := _extreme_ratio(options, sign)) is not None]


def _level_options(replies: ReplyCounts, over: Sequence[ReplyOutcome], place: int, midpoint: float) -> Floats:
    """Gaps and numbers of replies that a level can have, of which one pair is extreme: shape (options, 2).

    With x replies read as right and y as wrong, x <= X, y <= Y and L <= x + y <= T. For each x the gap is convex in y:
    an end is where y is as small or as large as it can be, or where the gap is nearest 0.
    """
    of_right, of_wrong = [one for one in over if one in RIGHT], [one for one in over if one not in RIGHT]

    def stated(outcomes: Sequence[ReplyOutcome]) -> int:
        return int(replies.by_level(outcomes)[place]) if outcomes else 0

    def unread(could_be: Sequence[ReplyOutcome], test: Callable[[Iterable[bool]], bool] = any) -> int:
        return stated([one for one in UNSCORED if test(other in could_be for other in COULD_BE[one])])

    x = np.arange(unread(of_right) + 1.0)
    low, high = np.maximum(0, unread(over, all) - x), np.minimum(unread(of_wrong), unread(over) - x)
    right, n = stated(of_right) + x, stated(over) + x
    closest = right / midpoint - n
    y = np.stack([low, high, *(np.clip(one, low, high) for one in (np.floor(closest), np.ceil(closest)))])
    return np.stack([np.abs(right - midpoint * (n + y)), n + y], axis=-1).reshape(-1, 2)


def _extreme_ratio(options: list[Floats], sign: int) -> float | None:
    """The extreme sum of gaps over sum of replies, one option for each level (Dinkelbach's method)."""
    chosen = np.array([one[one[:, 1].argmax()] for one in options])
    while (total := chosen[:, 1].sum()) > 0:
        ratio = chosen[:, 0].sum() / total
        better = np.array([one[(sign * (one[:, 0] - ratio * one[:, 1])).argmax()] for one in options])
        if sign * (better[:, 0] - ratio * better[:, 1]).sum() <= 1e-12 * total:
            return float(ratio)
        chosen = better
    return None
