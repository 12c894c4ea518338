"""The scores of one model: metrics, breakdowns, confusion matrix, outcomes, calibration, and the parts of its RAF.

Beside the registered metrics there may be functions that users write.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

import numpy as np
from pydantic import Field

from perturb.errors import ConfigError
from perturb.files.yaml_files import Strict, parse_content
from perturb.llm.functions import ADDRESS, FunctionError, find_function, function_errors, name_function
from perturb.metrics.inputs import Estimate, NamedEstimates, plain
from perturb.metrics.intervals import reported_estimate
from perturb.metrics.outcomes import LEVELS, SCORED, UNSCORED, ReplyCounts, ReplyOutcome
from perturb.metrics.refusal import ANSWERED, REFUSED, RIGHT
from perturb.metrics.refusal_registry import REFUSAL_METRICS, Range, bounds, estimate_metrics, rate_of
from perturb.metrics.resampling import Resamples
from perturb.records import ANSWER_CORRECTLY, REFUSE_OTHER, JsonObject
from perturb.scoring.result_rows import ResultRow
from perturb.scoring.table import GROUPINGS, ModelReplies, rows_by_label

# The judgements that relevance-aware factuality (RAF) is made of, and RAF itself.
#
# `eligible`: the answer does what the question asks. `factual_all`: all passages together support it. `factual_signal`:
# the signal passages support it. `raf`: it is eligible, and the signal passages support it.
PARTS: tuple[str, ...] = ("eligible", "factual_all", "factual_signal", "raf")
# The column of the confusion matrix for replies that are not refusals.
NONE = "NONE"
# Metric → its lowest and its highest value, over every way in which the unscored replies could turn out. None if it is
# undefined in all of them.
Bounds = dict[str, Range | None]
# By grouping (`class`, `intensity`, `cell`, …), group and metric.
EstimatesOfGroups = dict[str, dict[str, dict[str, Estimate]]]


class Unit(StrEnum):
    """What a bootstrap resample draws."""

    BASE = "base"
    """Base instances with all their items: items made from one question are not independent."""
    ITEM = "item"
    """Single items, as the paper does."""


@dataclass(frozen=True, slots=True)
class Resampling:
    """How intervals are computed."""

    resamples: int = 1000
    seed: int = 0
    unit: Unit = Unit.BASE

    def draw(self, rows: Sequence[ResultRow]) -> Resamples:
        """The resamples of these replies; all replies to one item stay together."""
        units = [row.item_id if self.unit is Unit.ITEM else row.item.base_id for row in rows]
        return Resamples.draw(np.unique(units, return_inverse=True)[1], self.resamples, self.seed)


@dataclass(frozen=True, slots=True)
class LevelAccuracy:
    """One point of a reliability diagram."""

    replies: str
    """`all`, `answers` or `refusals`."""
    level: str
    midpoint: float
    n: int
    """Number of scored replies that state the level."""
    accuracy: float
    """The share of right replies among them."""


@dataclass(frozen=True, slots=True)
class ModelScores:
    """All scores of one model."""

    model: str
    n: int
    """Number of replies, including unscored ones."""
    metrics: dict[str, Estimate]
    bounds: Bounds
    """Metric → the lowest and the highest value that it could have if the unscored replies were scored."""
    groups: EstimatesOfGroups
    group_bounds: dict[str, dict[str, Bounds]]
    """`bounds` of the groups that have unscored replies."""
    confusion: dict[str, dict[str, int]]
    """Number of replies by ground truth and prediction, `NONE` for an answer; unreadable replies are left out."""
    outcomes: dict[str, float | None]
    """Shares of the six outcomes among the scored replies, with the sum 1; all are None without a scored reply."""
    outcome_counts: dict[str, int]
    """Number of replies by outcome, including the unscored kinds."""
    calibration: tuple[LevelAccuracy, ...]
    answer_parts: dict[str, Estimate]
    """Shares of the `PARTS` among attempted answers; empty if RAF judges no answer."""
    confusion_by_intensity: dict[str, dict[str, dict[str, int]]]
    """`confusion` of the items of one intensity."""
    corrected: NamedEstimates = field(default_factory=dict)
    """Metric → its value corrected by the grades of people; empty without grades."""

    @property
    def unscored(self) -> int:
        """Number of replies with a part that could not be read."""
        return sum(self.outcome_counts[outcome] for outcome in UNSCORED)

    def to_dict(self) -> JsonObject:
        """Plain values, ready for JSON."""
        content = plain(self)
        del content["corrected"]
        # A corrected value stands within its metric, and each grouping becomes a field of its own.
        for name, estimate in self.corrected.items():
            content["metrics"][name]["corrected"] = corrected_values(estimate)
        bounds_by_grouping = content.pop("group_bounds")
        for grouping, scores in content.pop("groups").items():
            content[f"by_{grouping}"] = scores
        content["unscored"] = self.unscored
        content["bounds_by"] = {
            grouping: of_groups for grouping, of_groups in bounds_by_grouping.items() if of_groups
        }
        return content


def plain_difference(comparison: Any) -> JsonObject:
    """The fields of a record as plain values; the interval, n and reason of its `difference` become fields too."""
    difference: Estimate = comparison.difference
    interval = difference.to_dict()
    return plain(comparison) | {"difference": interval.pop("value")} | interval


def corrected_values(estimate: Estimate) -> JsonObject:
    """The fields of a corrected score, whose `n` is the number of human grades."""
    content = estimate.to_dict()
    return content | {"n_human": content.pop("n")}


def score_model(
    replies: ModelReplies,
    resampling: Resampling,
    *,
    codes: Sequence[str],
    own: Sequence[OwnMetric] = (),
    groupings: Collection[str] = GROUPINGS,
) -> ModelScores:
    """Compute every score of one model.

    `codes` are the refusal codes of the classes. `own` are the user's metrics. `groupings` are the names of those in
    which scores of groups are computed too.
    """
    # One draw serves all metrics and groups, so that they can be compared resample by resample.
    resamples = resampling.draw(replies.rows)
    counts = _counts(replies)
    metrics = estimate_metrics(replies.outcome_levels, resamples, raf=replies.raf)
    for metric in own:
        metrics[metric.entry.name] = metric.estimate(replies.rows, resamples)
    groups: EstimatesOfGroups = {grouping: {} for grouping in groupings}
    group_bounds: dict[str, dict[str, Bounds]] = {grouping: {} for grouping in groupings}
    for grouping in groupings:
        rows_of_group = rows_by_label(replies.labels(GROUPINGS[grouping]))
        # With a single language, the group would repeat the scores of the model.
        if grouping == "language" and len(rows_of_group) == 1:
            continue
        for name, rows in rows_of_group.items():
            group = replies.select(rows)
            groups[grouping][name] = estimate_metrics(
                group.outcome_levels, resamples.rows_alone(rows), raf=group.raf
            )
            group_counts = _counts(group)
            if group_counts.total(UNSCORED):
                group_bounds[grouping][name] = _bounds_of_metrics(group_counts)
    rows_of_intensity = rows_by_label(replies.labels("intensity"))
    outcome_counts = Counter(row.outcome for row in replies.rows)
    n_scored = sum(outcome_counts[outcome] for outcome in SCORED)
    return ModelScores(
        model=replies.model,
        n=len(replies.rows),
        metrics=metrics,
        bounds=_bounds_of_metrics(counts),
        groups=groups,
        group_bounds=group_bounds,
        confusion=_confusion_matrix(replies, codes),
        confusion_by_intensity={
            name: _confusion_matrix(replies.select(rows), codes) for name, rows in rows_of_intensity.items()
        },
        answer_parts=_measure_answer_parts(replies, resamples),
        outcomes={outcome: outcome_counts[outcome] / n_scored if n_scored else None for outcome in SCORED},
        outcome_counts={outcome: outcome_counts[outcome] for outcome in ReplyOutcome},
        calibration=_calibration(counts),
    )


def _counts(replies: ModelReplies) -> ReplyCounts:
    return ReplyCounts.of_rows(replies.outcome_levels, raf=replies.raf)


def _confusion_matrix(replies: ModelReplies, codes: Sequence[str]) -> dict[str, dict[str, int]]:
    """The number of replies by ground truth and prediction, each a refusal code or an answer, in this order."""
    counts = Counter((row.expected, row.predicted) for row in replies.rows)
    return {
        expected: {
            **{code: counts[expected, code] for code in (*codes, REFUSE_OTHER)},
            NONE: counts[expected, ANSWER_CORRECTLY],
        }
        for expected in (*codes, ANSWER_CORRECTLY)
    }


def _bounds_of_metrics(counts: ReplyCounts) -> Bounds:
    return {name: bounds(name, counts) for name in REFUSAL_METRICS}


def _measure_answer_parts(replies: ModelReplies, resamples: Resamples) -> dict[str, Estimate]:
    """The share of attempted answers to answerable items that have each part, among the answers judged for it.

    Refusals do not count, as in `answer_quality`. Empty if RAF judges no answer. Reference: RefusalBench, figure 24.
    """
    if all(row.judged_by != "raf" for row in replies.rows):
        return {}
    attempted = np.array([row.expected == row.predicted == ANSWER_CORRECTLY for row in replies.rows])
    shares = {}
    for name in PARTS:
        flags = [getattr(row, name) for row in replies.rows]
        is_judged = attempted & np.array([flag is not None for flag in flags])
        is_hit = np.array([bool(flag) for flag in flags])
        shares[name] = rate_of(is_hit, is_judged, resamples, "no attempted answer was judged for it")
    return shares


def _calibration(counts: ReplyCounts) -> tuple[LevelAccuracy, ...]:
    """The accuracy at each stated level, of all replies, of answers and of refusals."""
    # A model may be sure of its answers and unsure of its refusals, so both are also shown apart.
    outcomes_by_name = {"all": SCORED, "answers": ANSWERED, "refusals": REFUSED}
    points = []
    for name, outcomes in outcomes_by_name.items():
        replies_by_level = counts.by_level(outcomes)
        right_by_level = counts.by_level([outcome for outcome in outcomes if outcome in RIGHT])
        for (level, midpoint), n, right in zip(LEVELS.items(), replies_by_level, right_by_level, strict=True):
            if n:
                points.append(LevelAccuracy(name, level, midpoint, int(n), float(right / n)))
    return tuple(points)


class MetricEntry(Strict):
    """A user's metric, as configurations and calls describe it."""

    name: str = Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")
    kind: Literal["python"] = "python"
    function: str = Field(pattern=rf"^{ADDRESS.pattern}$")
    range: tuple[float, float] = (0.0, 1.0)
    """The lowest and the highest possible value; intervals stay within."""


@dataclass(frozen=True, slots=True)
class OwnMetric:
    """A user's metric with its function, from a list of replies to a number, or None if they define no value."""

    entry: MetricEntry
    function: Callable[[list[JsonObject]], Any]

    def value(self, replies: list[JsonObject]) -> float:
        """The value for the replies, NaN for None.

        Raises `ConfigError` if the function raises an exception, or if its result is not a number.
        """
        try:
            with function_errors():
                result = self.function(replies)
                return float("nan") if result is None else float(result)
        except FunctionError as error:
            raise ConfigError(
                f"metric '{self.entry.name}': {error}: return a number, or None for no value"
            ) from error

    def estimate(self, rows: Sequence[ResultRow], drawn: Resamples) -> Estimate:
        """The value for the rows, with standard error and 95 % interval."""
        replies = [_fields(row) for row in rows]
        value = self.value(replies)
        low, high = self.entry.range
        if np.isnan(value):
            return Estimate.undefined("the function gave None", len(rows))
        if not low <= value <= high:
            reason = f"no interval: the value is beyond the metric's range of {low:g} to {high:g}"
            return Estimate(value, n=len(rows), reason=reason)
        by_cluster: list[list[JsonObject]] = [[] for _ in range(drawn.count())]
        for cluster, reply in zip(drawn.clusters, replies, strict=True):
            by_cluster[cluster].append(reply)
        # The function is the user's, so it has to be called with the replies of each resample.
        replicates = []
        for times in drawn.weights.astype(int):  # how often a resample draws each cluster
            clusters = np.repeat(np.arange(len(times)), times)
            replicates.append(self.value([reply for cluster in clusters for reply in by_cluster[cluster]]))
        return reported_estimate(
            drawn.bounded(value, np.array(replicates, dtype=float), len(rows), low=low, high=high)
        )


def read_metrics(sources: Iterable[Any]) -> tuple[OwnMetric, ...]:
    """The metrics that a user names: each a function, the text `package.module:function`, or an entry.

    Raises `ConfigError` if a metric cannot be used.
    """
    metrics: dict[str, OwnMetric] = {}
    for source in sources:
        content = dict(source) if isinstance(source, Mapping) else {"function": source}
        function = content.get("function")
        if callable(function):
            content.setdefault("name", getattr(function, "__name__", ""))
            content["function"] = name_function(function)
        elif isinstance(function, str):
            if not ADDRESS.fullmatch(function):
                raise ConfigError(f"metric '{function}': not a function: write package.module:function")
            content.setdefault("name", function.rpartition(":")[2])
        entry = parse_content(content, MetricEntry)
        # Scores are stored by name, so a second metric of a name would replace the first.
        if entry.name in REFUSAL_METRICS or entry.name in metrics:
            raise ConfigError(f"metric '{entry.name}': the name is taken: give it another 'name'")
        metrics[entry.name] = OwnMetric(entry, find_function(entry.function, f"metric '{entry.name}'"))
    return tuple(metrics.values())


def _fields(row: ResultRow) -> JsonObject:
    """The dictionary that a user's function gets for a reply: the columns of a results table, and the outcome."""
    return {
        "item_id": row.item_id,
        "model": row.model,
        "sample": row.sample,
        **row.item._asdict(),
        "expected_rag_behavior": row.expected,
        "predicted": row.predicted,
        "outcome": str(row.outcome),
        "quality": row.quality,
        "eligible": row.eligible,
        "factual_all": row.factual_all,
        "factual_signal": row.factual_signal,
        "confidence": row.level,
    }
