"""The registry of refusal metrics, for tables, JSON, docs and tests.

It computes them with bootstrap intervals, and gives the bounds that unscored replies leave.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from perturb.metrics import refusal
from perturb.metrics.calibration import calibration_error_estimate, calibration_p_value
from perturb.metrics.inputs import Estimate, Flags, Floats, Integers, ratio
from perturb.metrics.intervals import Bounded, reported_estimate
from perturb.metrics.outcomes import (
    CELLS,
    COULD_BE,
    LEVELS,
    NO_LEVEL,
    OUTCOME_POSITIONS,
    UNSCORED,
    ReplyCounts,
    ReplyOutcome,
)
from perturb.metrics.refusal import RIGHT
from perturb.metrics.resampling import Resamples


@dataclass(frozen=True, slots=True)
class RefusalMetric:
    """A registered metric: its function, its range and direction, and the replies that it counts."""

    compute: Callable[[ReplyCounts], Floats]
    higher_is_better: bool | None
    """None if neither direction is better."""
    over: tuple[ReplyOutcome, ...]
    """Outcomes of the replies that the metric counts."""
    undefined: str
    """The reason to give if there is no value."""
    maximum: float = 1.0
    """The upper end of the range; the lower end is 0."""
    of_levels: bool = False
    """Whether it counts only replies that state a confidence level."""
    needs_raf: bool = False
    """Whether it is defined only for answers judged by relevance-aware factuality."""
    hits: tuple[ReplyOutcome, ...] = ()
    """Outcomes that count as hits, if the metric is a share of a set of items that is fixed before the evaluation."""
    halves: bool = False
    """Whether such a share gives half of the weight to the answerable items and half to the unanswerable ones."""

    @property
    def name(self) -> str:
        """The name in tables and JSON."""
        return self.compute.__name__

    def n(self, replies: ReplyCounts) -> int:
        """The number of replies that the metric counts."""
        counted = replies.by_level(self.over) if self.of_levels else replies.total(self.over)
        return round(float(counted.sum()))

    def item_weights(self, answerable: int, unanswerable: int) -> tuple[float, float]:
        """The contribution of a hit to the value, for an answerable and for an unanswerable item.

        The arguments are the numbers of items of each kind.

        >>> REFUSAL_METRICS["calibrated_refusal_score"].item_weights(2, 4)
        (0.25, 0.125)
        """
        if self.halves:
            return 0.5 / answerable, 0.5 / unanswerable
        # a metric counts the items of a kind if a reply to them can be a hit
        counts_a, counts_u = (bool({*self.hits} & {*kind}) for kind in (refusal.READ_A, refusal.READ_U))
        total = (answerable if counts_a else 0) + (unanswerable if counts_u else 0)
        return (1 / total if counts_a else 0.0), (1 / total if counts_u else 0.0)


# Reasons why metrics are undefined; A are the answerable items, U the unanswerable ones.
_NO_RAF = "not all answers have relevance-aware factuality, some have grades 1 to 5 or none: answer_accuracy counts all"
_NO_A = "no reply to an answerable item was scored"
_NO_U = "no reply to an unanswerable item was read"
_NO_PART = "no reply to an answerable item, or none to an unanswerable one, was scored"
_NO_LEVEL = "states a confidence level"
# The replies that metrics count, as sets of outcomes.
_READ = (*refusal.READ_A, *refusal.READ_U)
_SCORED = (*refusal.GRADED_A, *refusal.READ_U)
_CORRECT, _RIGHT_CODE = (ReplyOutcome.CORRECT_ANSWER,), (ReplyOutcome.CORRECT_REFUSAL,)
# The largest possible calibration error: every reply states the highest level and is wrong.
_MAX_ERROR = max(LEVELS.values())

# Every metric by name, in the order of tables.
REFUSAL_METRICS: dict[str, RefusalMetric] = {
    metric.name: metric
    for metric in (
        RefusalMetric(refusal.answer_accuracy, True, refusal.GRADED_A, _NO_A, hits=_CORRECT),
        RefusalMetric(refusal.answer_quality, True, refusal.GRADED_A, _NO_A, needs_raf=True, hits=_CORRECT),
        RefusalMetric(refusal.refusal_accuracy, True, refusal.READ_U, _NO_U, hits=_RIGHT_CODE),
        RefusalMetric(
            refusal.false_refusal_rate,
            False,
            refusal.READ_A,
            "no reply to an answerable item was read",
            hits=(ReplyOutcome.FALSE_REFUSAL,),
        ),
        RefusalMetric(
            refusal.missed_refusal_rate, False, refusal.READ_U, _NO_U, hits=(ReplyOutcome.MISSED_REFUSAL,)
        ),
        RefusalMetric(refusal.refusal_rate, None, _READ, "no reply was read", hits=refusal.REFUSED),
        RefusalMetric(refusal.correct_refusal_rate, True, refusal.READ_U, _NO_U, hits=refusal.REFUSED_U),
        RefusalMetric(refusal.detection_precision, True, refusal.REFUSED, "nothing was refused"),
        RefusalMetric(refusal.detection_recall, True, refusal.READ_U, _NO_U, hits=refusal.REFUSED_U),
        RefusalMetric(refusal.detection_f1, True, _READ, "no item was refused, and no item should have been"),
        RefusalMetric(refusal.category_accuracy, True, refusal.REFUSED_U, "no unanswerable item was refused"),
        RefusalMetric(refusal.hierarchical_refusal_score, True, _READ, "no unanswerable item was refused"),
        RefusalMetric(
            refusal.calibrated_refusal_score, True, _SCORED, _NO_PART, hits=refusal.RIGHT, halves=True
        ),
        RefusalMetric(refusal.hybrid_score, True, _SCORED, _NO_PART, needs_raf=True, hits=refusal.RIGHT),
        RefusalMetric(
            refusal.ece,
            False,
            (*refusal.ANSWERED, *refusal.REFUSED),
            f"no scored reply {_NO_LEVEL}",
            _MAX_ERROR,
            True,
        ),
        RefusalMetric(
            refusal.ece_answers, False, refusal.ANSWERED, f"no scored answer {_NO_LEVEL}", _MAX_ERROR, True
        ),
        RefusalMetric(
            refusal.ece_refusals, False, refusal.REFUSED, f"no refusal {_NO_LEVEL}", _MAX_ERROR, True
        ),
    )
}


def measure(name: str, replies: ReplyCounts) -> Estimate:
    """One metric of one set of replies, without an interval; undefined is None with the reason.

    Raises KeyError for a name that is not in `REFUSAL_METRICS`.

    >>> measure("category_accuracy", ReplyCounts.of(["missed_refusal"])).reason
    'no unanswerable item was refused'
    """
    metric = REFUSAL_METRICS[name]
    value, n = float(metric.compute(replies)), metric.n(replies)
    if not np.isnan(value):
        return Estimate(value, n=n)
    return Estimate.undefined(_NO_RAF if metric.needs_raf and not replies.raf else metric.undefined, n)


class Range(NamedTuple):
    """The lowest and the highest possible value of a metric."""

    low: float
    high: float


def bounds(name: str, replies: ReplyCounts) -> Range | None:
    """The smallest and the largest value that a metric can have if the unscored replies are scored or left out.

    The bounds are exact: each is the value of one reading of the replies. The stated confidence level of a reply, or
    its absence, does not change. None if the metric is undefined in every reading.

    Raises KeyError for a name that is not in `REFUSAL_METRICS`.

    >>> bounds("answer_accuracy", ReplyCounts.of(["correct_answer", "false_refusal"] + 2 * ["ungraded_answer"]))
    Range(low=0.25, high=0.75)
    """
    metric = REFUSAL_METRICS[name]
    if metric.of_levels:
        # a calibration error is a sum of gaps, one for each level, over a sum of replies
        options = [
            _level_options(replies, metric.over, number, midpoint)
            for number, midpoint in enumerate(LEVELS.values())
        ]
        extremes = [_extreme_ratio(options, sign) for sign in (-1, 1)]
        values = [float(metric.compute(replies)), *[end for end in extremes if end is not None]]
    else:  # a ratio, linear-fractional in the counts: at its extremes all unscored replies of a kind are read alike
        values = metric.compute(replies.completions()).tolist()
    defined = [value for value in values if not np.isnan(value)]
    return Range(min(defined), max(defined)) if defined else None


def _level_options(replies: ReplyCounts, over: Sequence[ReplyOutcome], level: int, midpoint: float) -> Floats:
    """Pairs of gap and number of replies that a level can have, including the extreme pairs: shape (options, 2).

    If x unscored replies are read as right and y as wrong, then x <= X, y <= Y and L <= x + y <= T. For each x the gap
    is convex in y. It is extreme where y is smallest or largest, or where the gap is nearest to 0.
    """
    of_right = [outcome for outcome in over if outcome in RIGHT]
    of_wrong = [outcome for outcome in over if outcome not in RIGHT]

    def count_at_level(outcomes: Sequence[ReplyOutcome]) -> int:
        return int(replies.by_level(outcomes)[level]) if outcomes else 0

    def unread(could_be: Sequence[ReplyOutcome], test: Callable[[Iterable[bool]], bool] = any) -> int:
        """The number of unscored replies that could have one of these outcomes or, with the test `all`, no other."""
        return count_at_level(
            [outcome for outcome in UNSCORED if test(other in could_be for other in COULD_BE[outcome])]
        )

    x = np.arange(unread(of_right) + 1.0)
    fewest = np.maximum(0, unread(over, all) - x)
    most = np.minimum(unread(of_wrong), unread(over) - x)
    right, n = count_at_level(of_right) + x, count_at_level(over) + x
    # the gap |right - midpoint (n + y)| is 0 at this y, which may lie between two whole numbers
    zero = right / midpoint - n
    nearest = [np.clip(rounded, fewest, most) for rounded in (np.floor(zero), np.ceil(zero))]
    y = np.stack([fewest, most, *nearest])
    return np.stack([np.abs(right - midpoint * (n + y)), n + y], axis=-1).reshape(-1, 2)


def _extreme_ratio(options: list[Floats], sign: int) -> float | None:
    """The extreme sum of gaps over sum of replies, one option for each level; None without a reply.

    Dinkelbach's method: for a ratio r, choose in each level the option with the largest sign * (gap - r * replies). If
    their sum is 0, no choice has a better ratio; otherwise r becomes the ratio of the chosen options.
    """

    def choose(points: Floats, ratio: float) -> Floats:
        gains = sign * (points[:, 0] - ratio * points[:, 1])
        return np.asarray(points[gains.argmax()])

    # any choice with a reply will do as a start
    chosen = np.array([points[points[:, 1].argmax()] for points in options])
    while (total := chosen[:, 1].sum()) > 0:
        ratio = chosen[:, 0].sum() / total
        better = np.array([choose(points, ratio) for points in options])
        if sign * (better[:, 0] - ratio * better[:, 1]).sum() <= 1e-12 * total:
            return float(ratio)
        chosen = better
    return None


@dataclass(frozen=True)
class ResampledReplies:
    """The counts of a set of replies, in the data and in each resample of their base instances."""

    point: ReplyCounts
    replicates: ReplyCounts
    present: Flags
    """Whether a base instance has a reply with this outcome and level: (clusters, 9, 6). Level 5 stands for none."""
    drawn: Resamples

    @classmethod
    def of(cls, cells: Integers, drawn: Resamples, *, raf: bool) -> ResampledReplies:
        """Count replies: `cells` has the outcome and level of each (`reply_cells`), `drawn` their resamples."""
        totals = drawn.totals(np.ones((len(cells), 1)), groups=cells, n_groups=CELLS)
        present = np.zeros((drawn.count(), CELLS), dtype=np.bool_)
        present[drawn.clusters, cells] = True
        return cls(
            ReplyCounts.of_cells(totals.point[:, 0], raf=raf),
            ReplyCounts.of_cells(totals.replicates[:, :, 0], raf=raf),
            present.reshape(-1, len(ReplyOutcome), NO_LEVEL + 1),
            drawn,
        )

    def bounded(self, metric: RefusalMetric) -> Bounded | Estimate:
        """A metric as a bounded value, or an undefined estimate with the reason."""
        value = measure(metric.name, self.point)
        if value.value is None:
            return value
        return self.drawn.bounded(
            value.value,
            metric.compute(self.replicates),
            value.n,
            clusters=self.clusters(metric),
            high=metric.maximum,
        )

    def clusters(self, metric: RefusalMetric) -> int:
        """The number of base instances with a reply that the metric counts."""
        outcomes = [OUTCOME_POSITIONS[outcome] for outcome in metric.over]
        levels = slice(NO_LEVEL if metric.of_levels else None)
        return int(self.present[:, outcomes, levels].any(axis=(1, 2)).sum())


def estimate_metrics(cells: Integers, drawn: Resamples, *, raf: bool) -> dict[str, Estimate]:
    """Every registered metric of the replies, with its standard error and 95 % interval."""
    replies = ResampledReplies.of(cells, drawn, raf=raf)
    return {
        name: _calibration_error(metric, replies, cells)
        if metric.of_levels
        else reported_estimate(replies.bounded(metric))
        for name, metric in REFUSAL_METRICS.items()
    }


def _calibration_error(metric: RefusalMetric, replies: ResampledReplies, cells: Integers) -> Estimate:
    """The calibration error of the stated levels, computed as `perturb bas` computes that of stated confidence."""
    value = measure(metric.name, replies.point)
    if value.value is None:
        return value
    # a cell is outcome × (number of levels) + level
    outcomes, levels = np.divmod(cells, NO_LEVEL + 1)
    rows = np.isin(outcomes, [OUTCOME_POSITIONS[outcome] for outcome in metric.over]) & (levels != NO_LEVEL)
    right = np.isin(outcomes[rows], [OUTCOME_POSITIONS[outcome] for outcome in RIGHT])
    p_value = calibration_p_value(
        right, np.array([*LEVELS.values()])[levels[rows]], clusters=replies.drawn.clusters[rows]
    )
    return calibration_error_estimate(
        value.value,
        metric.compute(replies.replicates),
        value.n,
        clusters=replies.clusters(metric),
        p_value=p_value,
        maximum=metric.maximum,
    )


def rate_of(hits: Flags | Floats, among: Flags | Floats, drawn: Resamples, reason: str) -> Estimate:
    """The share of hits among the rows where `among` is 1, with its interval; undefined, for `reason`, without rows."""
    n = int(among.sum())
    if not n:
        return Estimate.undefined(reason)
    totals = drawn.totals(np.stack([hits * among, among], axis=1).astype(np.float64))
    replicates = ratio(totals.replicates[:, 0, 0], totals.replicates[:, 0, 1])
    value = float(totals.point[0, 0] / n)
    return reported_estimate(drawn.bounded(value, replicates, n, clusters=drawn.count(among > 0)))
