"""How scores of the same models differ between two rounds."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from perturb.errors import SourceError
from perturb.text_files import read_text

_TABLES = (".jsonl", ".csv", ".parquet")
Z95 = 1.959964
"""The rounds have different items, so their errors add up; the interval is the normal one."""

Scores = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""Model → metric → `value`, `se` and the like."""


@dataclass(frozen=True, slots=True)
class ScoreChange:
    """One metric of one model in both rounds."""

    model: str
    metric: str
    old: float | None
    new: float | None
    difference: float | None = None
    """New minus old."""
    low: float | None = None
    high: float | None = None
    """Ends of the 95 % interval of the difference."""
    reason: str | None = None
    """Why the difference or its interval is missing."""


@dataclass(frozen=True, slots=True)
class RankAgreement:
    """Whether both rounds rank the models alike by one metric."""

    metric: str
    tau: float | None
    """Kendall's τ-b, from -1 to 1."""
    models: int
    reason: str | None


def read_scores(path: Path) -> Scores:
    """Scores by model: an evaluation's folder, a `.jsonl`, `.csv` or `.parquet` results table, or stored scores.

    Stored scores are what `perturb score --json` printed: one object with `models`, or one object per model.

    Raises `SourceError` if the file cannot be read or holds something else, `LedgerError` for a folder without
    evaluation.
    """
    if path.is_dir() or path.suffix in _TABLES:
        from perturb.score.score_report import score

        return {one.model: one.to_dict()["metrics"] for one in score(path).models}
    text = read_text(path, SourceError)
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        content = _lines(path, text)
    if isinstance(content, dict):
        content = content.get("models", [content])
    known: dict[str, Mapping[str, Mapping[str, Any]]] = {}
    for entry in content if isinstance(content, list) else [content]:
        metrics = entry.get("metrics") if isinstance(entry, dict) else None
        if not isinstance(metrics, dict) or not all(isinstance(one, dict) for one in metrics.values()):
            raise SourceError(f"{path}: no metrics by model: give the output of 'perturb score --json'")
        known[str(entry.get("model"))] = metrics
    return known


def evaluated_ids(path: Path) -> set[str]:
    """The items of an evaluation without their controls; none for stored scores, which do not name them."""
    if not (path.is_dir() or path.suffix in _TABLES):
        return set()
    from perturb.score.result_sources import read_results

    return {name for model in read_results(path).models for name in model.item_ids}


def compare_scores(old: Scores, new: Scores) -> tuple[list[ScoreChange], list[RankAgreement]]:
    """Differences of the models and metrics that both rounds have, and the agreement of the rankings."""
    models = [model for model in old if model in new]
    changes = [
        _change(model, metric, old[model][metric], new[model][metric])
        for model in models
        for metric in old[model]
        if metric in new[model]
    ]
    metrics = list(dict.fromkeys(change.metric for change in changes))
    return changes, [_agreement(metric, changes) for metric in metrics]


def _lines(path: Path, text: str) -> list[Any]:
    try:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError) as error:
        raise SourceError(f"{path}: not JSON ({error}): give the output of 'perturb score --json'") from None


def _change(model: str, metric: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> ScoreChange:
    before, after = old.get("value"), new.get("value")
    change = ScoreChange(model, metric, before, after)
    if before is None or after is None:
        reason = old.get("reason") if before is None else new.get("reason")
        return replace(change, reason=reason or "undefined in one round")
    gap = after - before
    if old.get("se") is None or new.get("se") is None:
        return replace(change, difference=gap, reason="no standard error in one round")
    margin = Z95 * math.hypot(old["se"], new["se"])
    return replace(change, difference=gap, low=gap - margin, high=gap + margin)


def _agreement(metric: str, changes: list[ScoreChange]) -> RankAgreement:
    from scipy.stats import kendalltau

    pairs = [
        (one.old, one.new)
        for one in changes
        if one.metric == metric and one.old is not None and one.new is not None
    ]
    if len(pairs) < 3:
        return RankAgreement(metric, None, len(pairs), "a ranking takes at least 3 models in both rounds")
    before, after = zip(*pairs, strict=True)
    if len(set(before)) == 1 or len(set(after)) == 1:
        return RankAgreement(metric, None, len(pairs), "all models are tied in one round")
    return RankAgreement(metric, float(kendalltau(before, after).statistic), len(pairs), None)
