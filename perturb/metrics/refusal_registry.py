"""The registry of refusal metrics, for tables, JSON, docs and tests.

`REFUSAL_METRICS` says of each metric which replies it counts and which direction is better. With it,

- `measure` computes a metric of a set of replies,
- `estimate_metrics` computes all of them with bootstrap intervals,
- `bounds` gives the lowest and the highest value that a metric can have, whatever the unscored replies turn out to be.

An *outcome* is what became of a reply, such as `correct_answer`. A *level* is the confidence that a reply states, such
as `VERY_CONFIDENT`. Replies to answerable items are called A in names here, and replies to unanswerable ones U.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
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
    """The outcomes that raise the value, if the metric is a share of items. Empty if it is a share of replies that the
    model chose, such as its refusals: their number is not known before the evaluation."""
    halves: bool = False
    """Whether the answerable items have half of the weight, and the unanswerable ones the other half."""

    @property
    def name(self) -> str:
        """The name in tables and JSON."""
        return self.compute.__name__

    def n(self, replies: ReplyCounts) -> int:
        """The number of replies that the metric counts."""
        counted = replies.by_level(self.over) if self.of_levels else replies.total(self.over)
        return round(float(counted.sum()))

    def item_weights(self, answerable: int, unanswerable: int) -> tuple[float, float]:
        """How much one hit adds to the value, at an answerable item and at an unanswerable one.

        The arguments are the numbers of items of each kind, at least 1 for a kind that the metric counts. Only for
        metrics with `hits`.

        >>> REFUSAL_METRICS["calibrated_refusal_score"].item_weights(2, 4)
        (0.25, 0.125)
        """
        if self.halves:
            return 0.5 / answerable, 0.5 / unanswerable
        # A metric counts the items of a kind if a reply to them can be a hit.
        counts_answerable = not set(self.hits).isdisjoint(refusal.READ_A)
        counts_unanswerable = not set(self.hits).isdisjoint(refusal.READ_U)
        total = answerable * counts_answerable + unanswerable * counts_unanswerable
        return counts_answerable / total, counts_unanswerable / total


# Reasons why metrics are undefined.
_NO_RAF = "not all answers have relevance-aware factuality, some have grades 1 to 5 or none: answer_accuracy counts all"
_NO_A = "no reply to an answerable item was scored"
_NO_U = "no reply to an unanswerable item was read"
_NO_PART = "no reply to an answerable item, or none to an unanswerable one, was scored"
# The replies that metrics count, as sets of outcomes.
_READ = (*refusal.READ_A, *refusal.READ_U)
_SCORED = (*refusal.GRADED_A, *refusal.READ_U)
_CORRECT_ANSWER = (ReplyOutcome.CORRECT_ANSWER,)


def _share(
    compute: Callable[[ReplyCounts], Floats],
    over: tuple[ReplyOutcome, ...],
    undefined: str,
    hits: tuple[ReplyOutcome, ...] = (),
    **more: bool,
) -> RefusalMetric:
    """A share of replies of which more are better."""
    return RefusalMetric(compute, higher_is_better=True, over=over, undefined=undefined, hits=hits, **more)


def _calibration_metric(
    compute: Callable[[ReplyCounts], Floats], over: tuple[ReplyOutcome, ...], replies: str
) -> RefusalMetric:
    """A calibration error of the stated levels of replies, which the reason calls `replies`."""
    return RefusalMetric(
        compute,
        higher_is_better=False,
        over=over,
        undefined=f"no {replies} states a confidence level",
        # The error is largest if every reply states the highest level and is wrong.
        maximum=max(LEVELS.values()),
        of_levels=True,
    )


# Every metric by name, in the order of tables.
REFUSAL_METRICS: dict[str, RefusalMetric] = {
    metric.name: metric
    for metric in (
        _share(refusal.answer_accuracy, refusal.GRADED_A, _NO_A, _CORRECT_ANSWER),
        _share(refusal.answer_quality, refusal.GRADED_A, _NO_A, _CORRECT_ANSWER, needs_raf=True),
        _share(refusal.refusal_accuracy, refusal.READ_U, _NO_U, (ReplyOutcome.CORRECT_REFUSAL,)),
        RefusalMetric(
            refusal.false_refusal_rate,
            higher_is_better=False,
            over=refusal.READ_A,
            undefined="no reply to an answerable item was read",
            hits=(ReplyOutcome.FALSE_REFUSAL,),
        ),
        RefusalMetric(
            refusal.missed_refusal_rate,
            higher_is_better=False,
            over=refusal.READ_U,
            undefined=_NO_U,
            hits=(ReplyOutcome.MISSED_REFUSAL,),
        ),
        RefusalMetric(
            refusal.refusal_rate,
            higher_is_better=None,
            over=_READ,
            undefined="no reply was read",
            hits=refusal.REFUSED,
        ),
        _share(refusal.correct_refusal_rate, refusal.READ_U, _NO_U, refusal.REFUSED_U),
        _share(refusal.detection_precision, refusal.REFUSED, "nothing was refused"),
        _share(refusal.detection_recall, refusal.READ_U, _NO_U, refusal.REFUSED_U),
        _share(refusal.detection_f1, _READ, "no item was refused, and no item should have been"),
        _share(refusal.category_accuracy, refusal.REFUSED_U, "no unanswerable item was refused"),
        _share(refusal.hierarchical_refusal_score, _READ, "no unanswerable item was refused"),
        _share(refusal.calibrated_refusal_score, _SCORED, _NO_PART, refusal.RIGHT, halves=True),
        _share(refusal.hybrid_score, _SCORED, _NO_PART, refusal.RIGHT, needs_raf=True),
        _calibration_metric(refusal.ece, (*refusal.ANSWERED, *refusal.REFUSED), "scored reply"),
        _calibration_metric(refusal.ece_answers, refusal.ANSWERED, "scored answer"),
        _calibration_metric(refusal.ece_refusals, refusal.REFUSED, "refusal"),
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
        values = _extreme_calibration_errors(metric, replies)
    else:
        # Every other metric is a ratio of two sums of counts. Such a ratio only rises or only falls as one count grows.
        # So it is extreme if all unscored replies of a kind get the same outcome. `completions` has all these readings.
        values = metric.compute(replies.completions()).tolist()
    defined = [value for value in values if not np.isnan(value)]
    return Range(min(defined), max(defined)) if defined else None


def _extreme_calibration_errors(metric: RefusalMetric, replies: ReplyCounts) -> list[float]:
    """The calibration error of the replies as they are, then the smallest and the largest; NaN if undefined.

    A calibration error is the sum of the gaps of all levels, divided by the sum of their replies.
    """
    options = [
        _level_options(replies, metric.over, level, midpoint)
        for level, midpoint in enumerate(LEVELS.values())
    ]
    return [
        float(metric.compute(replies)),
        _extreme_ratio(options, sign=-1),
        _extreme_ratio(options, sign=1),
    ]


def _that_could_be(outcomes: Sequence[ReplyOutcome]) -> list[ReplyOutcome]:
    """The kinds of unscored replies that could turn out to be one of these outcomes."""
    return [unscored for unscored in UNSCORED if not set(COULD_BE[unscored]).isdisjoint(outcomes)]


class _LevelOptions(NamedTuple):
    """The ways to read the unscored replies of a level. Both arrays have the shape (ways,)."""

    gaps: Floats
    """|right replies - midpoint × replies|: how far the stated level is off, in replies."""
    replies: Floats
    """The number of replies that count at this level."""


def _level_options(
    replies: ReplyCounts, over: Sequence[ReplyOutcome], level: int, midpoint: float
) -> _LevelOptions:
    """The readings of the unscored replies of a level, among them all readings with an extreme gap.

    A reading counts some unscored replies as right and some as wrong, and leaves out the others. For a given number of
    right ones, the gap is a convex function of the number of wrong ones. It is largest where that number is smallest
    or largest, and smallest there or where the gap is nearest to 0.
    """
    could_be_right = [outcome for outcome in over if outcome in RIGHT]
    could_be_wrong = [outcome for outcome in over if outcome not in RIGHT]
    unscored_right = _that_could_be(could_be_right)
    unscored_wrong = _that_could_be(could_be_wrong)
    unscored_any = _that_could_be(over)
    # These count in any case, since all that they could be is in `over`.
    unscored_always = [outcome for outcome in UNSCORED if set(COULD_BE[outcome]).issubset(over)]

    def count(outcomes: Sequence[ReplyOutcome]) -> int:
        return int(replies.by_level(outcomes)[level]) if outcomes else 0

    # Each possible number of unscored replies that are read as right: shape (numbers,).
    read_as_right = np.arange(count(unscored_right) + 1.0)
    fewest_wrong = np.maximum(0, count(unscored_always) - read_as_right)
    most_wrong = np.minimum(count(unscored_wrong), count(unscored_any) - read_as_right)
    right = count(could_be_right) + read_as_right
    counted = count(over) + read_as_right
    # The gap is |right - midpoint (counted + wrong)|, so it is 0 with so many wrong ones. This number need not be
    # whole, and need not be possible.
    best_wrong = right / midpoint - counted
    nearest_below = np.clip(np.floor(best_wrong), fewest_wrong, most_wrong)
    nearest_above = np.clip(np.ceil(best_wrong), fewest_wrong, most_wrong)
    # Shape (4, numbers).
    read_as_wrong = np.stack([fewest_wrong, most_wrong, nearest_below, nearest_above])
    n_replies = counted + read_as_wrong
    gaps = np.abs(right - midpoint * n_replies)
    return _LevelOptions(gaps.ravel(), n_replies.ravel())


def _extreme_ratio(levels: list[_LevelOptions], sign: int) -> float:
    """The largest (sign 1) or smallest (sign -1) sum of gaps over sum of replies; NaN if no level has a reply.

    Each level contributes one of its options. Dinkelbach's method finds the best choice (W. Dinkelbach, "On nonlinear
    fractional programming", Management Science 13, 1967): take the ratio of some choice, and choose in each level the
    option with the largest sign * (gap - ratio * replies). If no level gains by this, the ratio is extreme. Otherwise
    go on with the ratio of the new choice.
    """
    # Any choice with a reply will do as a start.
    chosen = [options.replies.argmax() for options in levels]
    while True:
        gap = sum(options.gaps[option] for options, option in zip(levels, chosen, strict=True))
        count = sum(options.replies[option] for options, option in zip(levels, chosen, strict=True))
        if not count:
            return math.nan
        ratio_of_choice = gap / count
        gains = [sign * (options.gaps - ratio_of_choice * options.replies) for options in levels]
        # the best choice gains 0, apart from rounding
        if sum(gain.max() for gain in gains) <= 1e-12 * count:
            return float(ratio_of_choice)
        chosen = [gain.argmax() for gain in gains]


@dataclass(frozen=True)
class ResampledReplies:
    """The counts of a set of replies, in the data and in each resample of their base instances."""

    point: ReplyCounts
    replicates: ReplyCounts
    present: Flags
    """Whether a base instance has a reply with this outcome and level: shape (clusters, outcomes, levels + 1).

    The last level, `NO_LEVEL`, stands for replies that state no level.
    """
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
        present = self.present[:, outcomes]
        if metric.of_levels:
            present = present[:, :, :NO_LEVEL]
        return int(present.any(axis=(1, 2)).sum())


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
    # the number of a cell is outcome × (`NO_LEVEL` + 1) + level
    outcomes, levels = np.divmod(cells, NO_LEVEL + 1)
    is_counted = np.isin(outcomes, [OUTCOME_POSITIONS[outcome] for outcome in metric.over])
    rows = is_counted & (levels != NO_LEVEL)
    is_right = np.isin(outcomes[rows], [OUTCOME_POSITIONS[outcome] for outcome in RIGHT])
    confidence = np.array(list(LEVELS.values()))[levels[rows]]
    p_value = calibration_p_value(is_right, confidence, clusters=replies.drawn.clusters[rows])
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
    # Two columns and one group: the totals have the shapes (1, 2) and (resamples, 1, 2).
    totals = drawn.totals(np.stack([hits * among, among], axis=1).astype(np.float64))
    hits_of_resamples, rows_of_resamples = totals.replicates[:, 0].T
    replicates = ratio(hits_of_resamples, rows_of_resamples)
    value = float(totals.point[0, 0] / n)
    return reported_estimate(drawn.bounded(value, replicates, n, clusters=drawn.count(among > 0)))
