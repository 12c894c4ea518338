"""The comparison of two rounds: repeated items, shares of cells, levers and generators, scores of the same models.

A cell is a class of perturbation with an intensity. A lever is one way to plant a flaw.

`compare` does all of this. `check_gate` decides a gate, which is a rule on a score or on its difference from an earlier
score, such as `crs >= against - 0.02`.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

from perturb.errors import ConfigError, SourceError
from perturb.evaluation.stop_rule import SHORT_NAMES
from perturb.files.resources import read_text
from perturb.metrics.inputs import Estimate, plain_value
from perturb.records import Facts, JsonObject
from perturb.snapshots.freshness import (
    ComparedSet,
    Freshness,
    Overlap,
    RoundItem,
    measure_freshness,
    read_set,
)

# The fields of items whose shares are compared.
FIELDS = ("cell", "lever", "generator")


@dataclass(frozen=True, slots=True)
class Share:
    """The number of items with one value, in both rounds."""

    name: str
    old: int
    new: int
    change: float
    """Share in the newer round minus share in the older one, from -1 to 1."""


@dataclass(frozen=True, slots=True)
class Shift:
    """The shares of all values of one field."""

    distance: float
    """Total variation distance, from 0 to 1: the share of items that would need another value to make rounds equal."""
    shares: tuple[Share, ...]
    """The largest change first."""


def measure_shift(old: Sequence[RoundItem], new: Sequence[RoundItem]) -> dict[str, Shift]:
    """The shares of the values of each of `FIELDS`; both rounds have at least one item."""
    return {
        name: shift_of([getattr(item, name) for item in old], [getattr(item, name) for item in new])
        for name in FIELDS
    }


def shift_of(old: Sequence[str], new: Sequence[str]) -> Shift:
    """Compare the shares of values in two lists.

    >>> shift_of(["a", "a"], ["a", "b"]).distance
    0.5
    """
    old_counts, new_counts = Counter(old), Counter(new)
    shares = []
    for name in sorted(old_counts | new_counts):
        n_old, n_new = old_counts[name], new_counts[name]
        shares.append(Share(name, n_old, n_new, n_new / len(new) - n_old / len(old)))
    shares.sort(key=lambda share: -abs(share.change))
    return Shift(sum(abs(share.change) for share in shares) / 2, tuple(shares))


# The endings of results tables. Other files hold scores that were stored.
_TABLES = (".jsonl", ".csv", ".parquet")

# Model → metric → the fields of an estimate, such as `value`, `low` and `high`.
Scores = Mapping[str, Mapping[str, Facts]]


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
    """Lower end of the 95 % interval of the difference, from the intervals of both rounds (MOVER, Newcombe 1998)."""
    high: float | None = None
    reason: str | None = None
    """The reason why the difference or its interval is missing."""


@dataclass(frozen=True, slots=True)
class RankAgreement:
    """The agreement of both rounds in their ranking of the models by one metric."""

    metric: str
    tau: float | None
    """Kendall's τ-b, from -1 to 1."""
    models: int
    reason: str | None
    """The reason why `tau` is missing."""


def read_scores(path: Path) -> Scores:
    """The scores by model of an evaluation's folder, a `.jsonl`, `.csv` or `.parquet` results table, or stored scores.

    Stored scores are the output of `perturb score --json`: one object with `models`, or one object per model.

    Raises `SourceError` if the file cannot be read or has no scores, `LedgerError` if a folder has no evaluation.
    """
    if path.is_dir() or path.suffix in _TABLES:
        from perturb.scoring.score_report import score

        return {model.model: model.to_dict()["metrics"] for model in score(path).models}
    text = read_text(path, SourceError)
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):  # not a single JSON value, but perhaps a value on each line
        content = _read_lines(path, text)
    if isinstance(content, dict):
        content = content.get("models", [content])
    scores: dict[str, Mapping[str, Facts]] = {}
    for entry in content if isinstance(content, list) else [content]:
        metrics = entry.get("metrics") if isinstance(entry, dict) else None
        if not isinstance(metrics, dict) or not all(isinstance(metric, dict) for metric in metrics.values()):
            raise SourceError(f"{path}: no metrics by model: give the output of 'perturb score --json'")
        scores[str(entry.get("model"))] = metrics
    return scores


def evaluated_ids(path: Path) -> set[str]:
    """The ids of an evaluation's items without controls; empty for stored scores, which have no ids."""
    if not (path.is_dir() or path.suffix in _TABLES):
        return set()
    from perturb.scoring.table import read_results

    return {name for model in read_results(path).models for name in model.item_ids}


def compare_scores(old: Scores, new: Scores) -> tuple[list[ScoreChange], list[RankAgreement]]:
    """The differences in the models and metrics that both rounds have, and the agreement of the rankings."""
    models = [model for model in old if model in new]
    changes = [
        _change(model, metric, old[model][metric], new[model][metric])
        for model in models
        for metric in old[model]
        if metric in new[model]
    ]
    metrics = list(dict.fromkeys(change.metric for change in changes))
    return changes, [_agreement(metric, changes) for metric in metrics]


def _read_lines(path: Path, text: str) -> list[Any]:
    try:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError) as error:
        raise SourceError(f"{path}: not JSON ({error}): give the output of 'perturb score --json'") from None


def _change(model: str, metric: str, old: Facts, new: Facts) -> ScoreChange:
    """The change of one metric; `old` and `new` are the fields of its two estimates."""
    old_value, new_value = old.get("value"), new.get("value")
    change = ScoreChange(model, metric, old_value, new_value)
    if old_value is None or new_value is None:
        undefined = old if old_value is None else new
        return replace(change, reason=undefined.get("reason") or "undefined in one round")
    difference = new_value - old_value
    old_low, old_high = old.get("low"), old.get("high")
    new_low, new_high = new.get("low"), new.get("high")
    if old_low is None or old_high is None or new_low is None or new_high is None:
        return replace(change, difference=difference, reason="no interval in one round")
    # MOVER: the rounds have different items, so their errors are independent and the distances add up as squares. The
    # difference is smallest where the new score is at its lower end and the old score at its upper end.
    width_below = math.hypot(new_value - new_low, old_high - old_value)
    width_above = math.hypot(new_high - new_value, old_value - old_low)
    return replace(change, difference=difference, low=difference - width_below, high=difference + width_above)


def _agreement(metric: str, changes: list[ScoreChange]) -> RankAgreement:
    """The agreement of the rankings by one metric."""
    from scipy.stats import kendalltau

    scores_by_model = [(change.old, change.new) for change in changes if change.metric == metric]
    pairs = [(old, new) for old, new in scores_by_model if old is not None and new is not None]
    if len(pairs) < 3:
        return RankAgreement(metric, None, len(pairs), "a ranking takes at least 3 models in both rounds")
    old_scores, new_scores = zip(*pairs, strict=True)
    if len(set(old_scores)) == 1 or len(set(new_scores)) == 1:
        return RankAgreement(metric, None, len(pairs), "all models are tied in one round")
    return RankAgreement(metric, float(kendalltau(old_scores, new_scores).statistic), len(pairs), None)


Verdict = Literal["fresh", "repeats found", "drifted"]

# Up to this distance in the shares of cells, two rounds do not count as drifted.
DRIFT_DISTANCE = 0.1
# A larger distance counts as drift if its p-value is below this.
DRIFT_CHANCE = 0.01


@dataclass(frozen=True, slots=True)
class RoundComparison:
    """The items of the older round that the newer one repeats, and how the two rounds differ."""

    old: ComparedSet
    new: ComparedSet
    freshness: Freshness
    shifts: Mapping[str, Shift]
    score_changes: tuple[ScoreChange, ...] = ()
    rankings: tuple[RankAgreement, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """Whether the newer round repeats items of the older one or, if not, whether the shares of its cells drifted.

        Shares have drifted if their distance is more than a tenth, and the p-value of a chi-squared test is below 0.01.
        """
        if self.freshness.near:
            return "repeats found"
        cells = self.shifts["cell"]
        if cells.distance <= DRIFT_DISTANCE:
            return "fresh"
        from scipy.stats import chi2_contingency

        p_value = chi2_contingency([[share.old, share.new] for share in cells.shares]).pvalue
        return "drifted" if p_value < DRIFT_CHANCE else "fresh"

    def to_dict(self) -> JsonObject:
        """Plain values for JSON; shares refer to the items of the newer round."""
        fresh = self.freshness
        return {
            "verdict": self.verdict,
            "old": _set_facts(self.old),
            "new": _set_facts(self.new),
            "freshness": {
                "items": fresh.items,
                "exact": _with_share(fresh.exact, fresh.items),
                "near_duplicate": _with_share(fresh.near, fresh.items),
                "same_base_and_lever": _with_share(fresh.same_base_and_lever, fresh.items),
                "same_base": _with_share(fresh.same_base, fresh.items),
                "by_lever": _overlaps(fresh.by_lever),
                "by_cell": _overlaps(fresh.by_cell),
                "pairs": [
                    {"new": new, "old": match.id, "similarity": match.similarity, "exact": match.exact}
                    for new, match in fresh.pairs
                ],
            },
            "drift": plain_value(self.shifts),
            "scores": plain_value(self.score_changes),
            "rankings": plain_value(self.rankings),
        }


def compare(old: str | Path, new: str | Path, scores: tuple[Path, Path] | None = None) -> RoundComparison:
    """Compare a newer round with an older one; `scores` are evaluations of both, the older one first.

    Raises `SnapshotError` or `SourceError` if a round or a score cannot be read.
    """
    old_set, new_set = read_set(old), read_set(new)
    changes, rankings = compare_scores(*_read_both(scores, old_set, new_set)) if scores else ([], [])
    return RoundComparison(
        old=old_set,
        new=new_set,
        freshness=measure_freshness(old_set.items, new_set.items),
        shifts=measure_shift(old_set.items, new_set.items),
        score_changes=tuple(changes),
        rankings=tuple(rankings),
    )


_GATE = re.compile(
    r"""
    \s* (?P<metric>\w+) \s* (?P<sign>>=|<=) \s*
    (?:
        (?P<against>against) \s* (?P<offset>[+-]\s*\d*\.?\d+)?  # crs >= against - 0.02
        | (?P<number>-?\d*\.?\d+)                              # crs >= 0.6
    ) \s*
    """,
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class GateDecision:
    """The decision of a gate on one model."""

    model: str
    passed: bool | None
    """None if the interval has values on both sides of the gate."""
    margin: Estimate
    """The distance of the score from the gate; negative on the wrong side."""
    more_items: int | None = None
    """About how many more items would decide; None if the gate is decided, or if the score is exactly at it."""


def check_gate(rule: str, scores: Scores, against: Scores | None) -> tuple[GateDecision, ...]:
    """Decide a rule such as `METRIC >= against - 0.02` or `METRIC <= NUMBER` for each model, at 95 % confidence.

    A model is compared with the model of the same name in `against`; if both have a single model, the two are compared.
    Raises `ConfigError` if the rule cannot be read, or if a model or a metric is missing.
    """
    gate = _read_gate(rule, next(iter(scores.values()), {}))
    if not gate.is_relative:
        # The difference from a score of exactly 0 is the score itself.
        zero = {"value": 0.0, "low": 0.0, "high": 0.0}
        against = {model: {gate.metric: zero} for model in scores}
    if against is None:
        raise ConfigError(f"'{rule}' compares with other scores: name them with --against")
    is_single_pair = len(scores) == len(against) == 1
    decisions = []
    for model, metrics in scores.items():
        earlier_metrics = next(iter(against.values())) if is_single_pair else against.get(model)
        if earlier_metrics is None:
            raise ConfigError(f"{model}: has no scores in --against: score the same models")
        earlier = earlier_metrics.get(gate.metric)
        if gate.metric not in metrics or not earlier:
            raise ConfigError(f"'{gate.metric}' is not a metric: use {', '.join(metrics)}")
        estimate = metrics[gate.metric]
        change = _change(model, gate.metric, earlier, estimate)
        decisions.append(_decide(change, gate, items=int(estimate.get("n") or 0)))
    return tuple(decisions)


class _Gate(NamedTuple):
    """A rule that was read."""

    metric: str
    sign: int
    """1 if the score must be at least as high, -1 if it must be at most as high."""
    offset: float
    """The number of the rule, or what it adds to the earlier score."""
    is_relative: bool
    """Whether the rule compares with an earlier score."""


def _read_gate(rule: str, metrics: Collection[str]) -> _Gate:
    """The parts of a rule on one of these metrics."""
    match = _GATE.fullmatch(rule)
    if match is None:
        raise ConfigError(f"'{rule}' is not a gate: write 'crs >= against - 0.02' or 'crs >= 0.6'")
    name = match["metric"]
    # A user's metric may have the name of an abbreviation, such as crs. Then the rule means the user's metric.
    metric = name if name in metrics else SHORT_NAMES.get(name, name)
    sign = 1 if match["sign"] == ">=" else -1
    if match["against"] is None:
        return _Gate(metric, sign, float(match["number"]), is_relative=False)
    offset = (match["offset"] or "0").replace(" ", "")
    return _Gate(metric, sign, float(offset), is_relative=True)


def _decide(change: ScoreChange, gate: _Gate, items: int) -> GateDecision:
    """Whether a change passes the gate; `items` is the number of items that the score is from."""
    if change.difference is None or change.low is None or change.high is None:
        return GateDecision(change.model, None, Estimate.undefined(change.reason or "no interval", n=items))
    # With the sign, a margin is positive on the side that passes. A negative sign exchanges the two ends.
    value = gate.sign * (change.difference - gate.offset)
    low, high = sorted((gate.sign * (change.low - gate.offset), gate.sign * (change.high - gate.offset)))
    margin = Estimate(value, low, high, n=items)
    if low >= 0 or high < 0:
        return GateDecision(change.model, low >= 0, margin)
    distance = abs(value)
    if distance <= 1e-9:  # no number of items would decide a score exactly at the gate
        return GateDecision(change.model, None, margin)
    # One end of the interval lies beyond the gate and has to come back to it: its width must shrink to the distance.
    # The width falls with the root of the number of items.
    width = value - low if value > 0 else high - value
    more_items = math.ceil(items * ((width / distance) ** 2 - 1))
    return GateDecision(change.model, None, margin, more_items)


def _read_both(paths: tuple[Path, Path], old: ComparedSet, new: ComparedSet) -> tuple[Scores, Scores]:
    """The scores on each round. Raises `SourceError` if an evaluation belongs to another round."""
    old_path, new_path = paths
    _require_own_round(old_path, own=old, other=new)
    _require_own_round(new_path, own=new, other=old)
    if old_path.resolve() == new_path.resolve() and old.items != new.items:
        raise SourceError(f"{old_path}: the same scores are given for two rounds: give --scores one for each")
    return read_scores(old_path), read_scores(new_path)


def _require_own_round(path: Path, own: ComparedSet, other: ComparedSet) -> None:
    """Raise `SourceError` if the scores in a file are about the other round."""
    evaluated, own_ids = evaluated_ids(path), {item.id for item in own.items}
    # An evaluation may lack items of its round, but it never has items of the other round alone.
    foreign = (evaluated - own_ids) & {item.id for item in other.items}
    if not foreign and evaluated.isdisjoint(own_ids):
        foreign = evaluated
    if foreign:
        raise SourceError(
            f"{path}: is not an evaluation of {own.name}, which has no item '{min(foreign)[:80]}': give --scores the"
            " evaluation of the older round, then that of the newer one"
        )


def _with_share(number: int, total: int) -> dict[str, float]:
    return {"items": number, "share": number / total}


def _set_facts(item_set: ComparedSet) -> JsonObject:
    return {"set": item_set.name, "round": item_set.round, "items": len(item_set.items)}


def _overlaps(tally: Mapping[str, Overlap]) -> list[JsonObject]:
    return [{"name": name, **overlap._asdict()} for name, overlap in tally.items()]
