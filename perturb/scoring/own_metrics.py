"""Metrics of a set of replies with bootstrap intervals: those of the registry, and functions that users write."""

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
    """A metric as an entry of a configuration or a call describes it."""

    name: str = Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")
    kind: Literal["python"] = "python"
    function: str = Field(pattern=rf"^{ADDRESS.pattern}$")
    range: tuple[float, float] = (0.0, 1.0)
    """The lowest and the highest value that there can be; intervals stay within."""


@dataclass(frozen=True, slots=True)
class OwnMetric:
    """A function from replies, a dictionary each, to a number, or None where they do not define one."""

    entry: MetricEntry
    function: Callable[[list[dict[str, Any]]], Any]

    def value(self, replies: list[dict[str, Any]]) -> float:
        """The number, NaN for None. Raises `ConfigError` for what the function raises, and for what is not a number."""
        owner = f"metric '{self.entry.name}'"
        try:
            with function_errors():
                result = self.function(replies)
                return float("nan") if result is None else float(result)
        except FunctionError as error:
            raise ConfigError(f"{owner}: {error}: return a number, or None for no value") from error

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
        replicates = [
            self.value(
                [reply for cluster in np.repeat(np.arange(len(times)), times) for reply in members[cluster]]
            )
            for times in drawn.weights.astype(int)
        ]
        return reported_estimate(
            drawn.bounded(value, np.array(replicates, dtype=float), len(rows), low=low, high=high)
        )


def read_metrics(given: Iterable[Any]) -> tuple[OwnMetric, ...]:
    """Metrics as a user names them: a function, `package.module:function`, or an entry. Raises `ConfigError`."""
    metrics: dict[str, OwnMetric] = {}
    for metric in given:
        content = dict(metric) if isinstance(metric, Mapping) else {"function": metric}
        if callable(function := content.get("function")):
            content = {
                "name": getattr(function, "__name__", ""),
                **content,
                "function": name_function(function),
            }
        elif isinstance(function, str):
            if not ADDRESS.fullmatch(function):
                raise ConfigError(f"metric '{function}': names no function: write package.module:function")
            content = {"name": function.rpartition(":")[2], **content}
        entry = parse_content(content, MetricEntry)
        if entry.name in REFUSAL_METRICS or entry.name in metrics:
            raise ConfigError(f"metric '{entry.name}': there is one of this name: give it another 'name'")
        metrics[entry.name] = OwnMetric(entry, find_function(entry.function, f"metric '{entry.name}'"))
    return tuple(metrics.values())


def _fields(row: ResultRow) -> dict[str, Any]:
    """What a function sees of a reply: the columns of a results table, and the outcome."""
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
    """Which outcomes each base instance has, with and without a level: shape (clusters, 9, 6)."""
    drawn: Resamples

    @classmethod
    def of(cls, cells: Integers, drawn: Resamples, *, raf: bool) -> ResampledReplies:
        """`cells` holds outcome and level of each reply (`reply_cells`), `drawn` the resamples of their units."""
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
        """Base instances with a reply that the metric rests on."""
        outcomes = [_PLACES[outcome] for outcome in metric.over]
        levels = slice(NO_LEVEL if metric.of_levels else None)
        return int(self.present[:, outcomes, levels].any(axis=(1, 2)).sum())


def estimate_metrics(cells: Integers, drawn: Resamples, *, raf: bool) -> dict[str, Estimate]:
    """Each registered metric of the replies, with standard error and 95 % interval."""
    replies = ResampledReplies.of(cells, drawn, raf=raf)
    return {
        name: _calibration_error(metric, replies, cells)
        if metric.of_levels
        else reported_estimate(replies.bounded(metric))
        for name, metric in REFUSAL_METRICS.items()
    }


def _calibration_error(metric: RefusalMetric, replies: ResampledReplies, cells: Integers) -> Estimate:
    """Calibration error of the stated levels, computed as `perturb bas` does for stated confidence."""
    value = measure(metric.name, replies.point)
    if value.value is None:
        return value
    outcomes, levels = np.divmod(cells, NO_LEVEL + 1)
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
    """The share of hits among the flagged rows, with its interval; undefined, for `reason`, where none is flagged."""
    totals = drawn.totals(np.stack([hits * among, among], axis=1))
    n, sums = int(among.sum()), totals.replicates[:, 0]
    if not n:
        return Estimate.undefined(reason)
    shares = ratio(sums[:, 0], sums[:, 1])
    value = float(totals.point[0, 0] / n)
    return reported_estimate(drawn.bounded(value, shares, n, clusters=drawn.count(among > 0)))
