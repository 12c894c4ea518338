"""Metrics of a set of replies with bootstrap intervals: registered metrics, and functions that users write."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from pydantic import Field

from perturb.errors import ConfigError
from perturb.files.yaml_files import Strict, parse_content
from perturb.llm.functions import ADDRESS, FunctionError, find_function, function_errors, name_function
from perturb.metrics.calibration import calibration_error_estimate, calibration_p_value
from perturb.metrics.inputs import Estimate, Flags, Floats, Integers, ratio
from perturb.metrics.intervals import Bounded, reported_estimate
from perturb.metrics.outcomes import CELLS, LEVELS, NO_LEVEL, ReplyCounts, ReplyOutcome
from perturb.metrics.refusal import RIGHT
from perturb.metrics.refusal_registry import REFUSAL_METRICS, RefusalMetric, measure
from perturb.metrics.resampling import Resamples
from perturb.scoring.result_rows import ResultRow


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
    function: Callable[[list[dict[str, Any]]], Any]

    def value(self, replies: list[dict[str, Any]]) -> float:
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
        value, (low, high) = self.value(replies), self.entry.range
        if np.isnan(value):
            return Estimate.undefined("the function gave None", len(rows))
        if not low <= value <= high:
            reason = f"no interval: the value is beyond the metric's range of {low:g} to {high:g}"
            return Estimate(value, n=len(rows), reason=reason)
        members: list[list[dict[str, Any]]] = [[] for _ in range(drawn.count())]
        for cluster, reply in zip(drawn.clusters, replies, strict=True):
            members[cluster].append(reply)
        replicates = []
        for times in drawn.weights.astype(int):  # how often a resample draws each cluster
            drawn_clusters = np.repeat(np.arange(len(times)), times)
            replicates.append(self.value([reply for cluster in drawn_clusters for reply in members[cluster]]))
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
        if callable(function := content.get("function")):
            content = {
                "name": getattr(function, "__name__", ""),
                **content,
                "function": name_function(function),
            }
        elif isinstance(function, str):
            if not ADDRESS.fullmatch(function):
                raise ConfigError(f"metric '{function}': not a function: write package.module:function")
            content = {"name": function.rpartition(":")[2], **content}
        entry = parse_content(content, MetricEntry)
        if entry.name in REFUSAL_METRICS or entry.name in metrics:
            raise ConfigError(f"metric '{entry.name}': the name is taken: give it another 'name'")
        metrics[entry.name] = OwnMetric(entry, find_function(entry.function, f"metric '{entry.name}'"))
    return tuple(metrics.values())


def _fields(row: ResultRow) -> dict[str, Any]:
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


_PLACES = {outcome: place for place, outcome in enumerate(ReplyOutcome)}


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
        outcomes = [_PLACES[outcome] for outcome in metric.over]
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
    outcomes, levels = np.divmod(cells, NO_LEVEL + 1)
    # a cell is outcome × (number of levels) + level
    rows = np.isin(outcomes, [_PLACES[outcome] for outcome in metric.over]) & (levels != NO_LEVEL)
    right = np.isin(outcomes[rows], [_PLACES[outcome] for outcome in RIGHT])
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


def rate_of(hits: Floats, among: Floats, drawn: Resamples, reason: str) -> Estimate:
    """The share of hits among the rows where `among` is 1, with its interval; undefined, for `reason`, without rows."""
    n = int(among.sum())
    if not n:
        return Estimate.undefined(reason)
    totals = drawn.totals(np.stack([hits * among, among], axis=1))
    replicates = ratio(totals.replicates[:, 0, 0], totals.replicates[:, 0, 1])
    value = float(totals.point[0, 0] / n)
    return reported_estimate(drawn.bounded(value, replicates, n, clusters=drawn.count(among > 0)))
