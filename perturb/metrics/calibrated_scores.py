"""Scores before and after post-hoc calibration, on rows that no map has learned from.

A split says which rows a map may learn from; every score is taken on the other rows alone. BAS paper, section 4.4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from perturb.metrics.bas import bas_score, bas_utility
from perturb.metrics.bas_report import BASReport
from perturb.metrics.calibration import Closed, aurc, expected_calibration_error
from perturb.metrics.calibrators import METHODS, CalibrationMap, Method, fit_map
from perturb.metrics.estimates import Estimate, plain_value
from perturb.metrics.inputs import Flags, read_flags, read_graded, require_same_length
from perturb.metrics.intervals import Bounded, WeightedSum, reported_estimate, weighted_sum
from perturb.metrics.resampling import bootstrap_means, cluster_codes

ABLATION_SIZES = (10, 25, 50, 100, 250, 500, 1000)
"""The sizes of the paper's table A2."""


class ReportOptions(TypedDict, total=False):
    """How finely scores are computed: arguments of `BASReport`."""

    bins: int
    closed: Closed
    resamples: int
    seed: int


@dataclass(frozen=True, slots=True)
class CalibrationResult:
    """The rows outside the calibration split, scored before and after."""

    before: BASReport
    after: Mapping[Method, BASReport]
    maps: Mapping[Method, CalibrationMap]
    gains: Mapping[Method, Estimate]
    """Uniform BAS after minus before on the same rows, with a paired interval."""

    @property
    def n_scored(self) -> int:
        """Rows that are scored."""
        return self.before.n

    @property
    def n_calibration(self) -> int:
        """Rows that the maps were fitted on."""
        return max((fitted.n for fitted in self.maps.values()), default=0)

    def to_dict(self) -> dict[str, Any]:
        """Counts, the reports before and after by map, and the gains."""
        content = {"before": self.before, "after": self.after, "bas_gain": self.gains}
        return {"n_calibration": self.n_calibration, "n_scored": self.n_scored, **plain_value(content)}


class Spread(NamedTuple):
    """Mean and standard deviation over repeats."""

    mean: float
    sd: float


@dataclass(frozen=True, slots=True)
class AblationRow:
    """Isotonic calibration with a given number of answers."""

    size: int
    repeats: int
    bas: Spread
    ece: Spread
    aurc: Spread


def calibration_split(
    n: int, *, share: float = 0.5, clusters: ArrayLike | None = None, seed: int = 0
) -> Flags:
    """Draw the rows that a map may learn from; True marks them. Rows of one cluster stay together.

    Raises ValueError for a share outside (0, 1), and where either side would be left without a row.

    >>> int(calibration_split(10, share=0.3).sum())
    3
    """
    if not 0 < share < 1:
        raise ValueError(f"the share of the calibration split must lie between 0 and 1, got {share:g}")
    codes = cluster_codes(clusters, n)
    codes = np.arange(n) if codes is None else codes
    units = int(codes.max()) + 1 if n else 0
    taken = round(share * units)
    if not 0 < taken < units:
        raise ValueError(f"{units} questions cannot be split at {share:g}: give more rows or another share")
    chosen = np.zeros(units, dtype=np.bool_)
    chosen[np.random.default_rng(seed).permutation(units)[:taken]] = True
    return np.asarray(chosen[codes])


def calibrate(
    is_correct: ArrayLike,
    confidence: ArrayLike,
    in_calibration: ArrayLike,
    *,
    methods: Sequence[Method] = METHODS,
    clusters: ArrayLike | None = None,
    **options: Unpack[ReportOptions],
) -> CalibrationResult:
    """Fit maps on the rows marked in `in_calibration`, and score the other rows before and after.

    `clusters` and the options as in `BASReport`. Raises ValueError as there, and where either side is empty.

    Reference: BAS paper, table 4.

    >>> rows = calibrate([1, 0, 0, 0] * 20, [0.9] * 80, [True] * 40 + [False] * 40, methods=["isotonic"])
    >>> rows.n_scored, round(rows.after["isotonic"].weighted_score(), 3)
    (40, 0.034)
    """
    correct, stated = read_graded(is_correct, confidence)
    fitting = read_flags(in_calibration, "in_calibration")
    require_same_length(is_correct=correct, in_calibration=fitting)
    if fitting.all() or not fitting.any():
        raise ValueError("the calibration split and the scored rows must both hold a row")
    rest = ~fitting
    maps = {method: fit_map(correct[fitting], stated[fitting], method) for method in methods}
    others = None if clusters is None else np.asarray(clusters)[rest]
    return score_maps(correct[rest], stated[rest], maps, clusters=others, **options)


def score_maps(
    is_correct: ArrayLike,
    confidence: ArrayLike,
    maps: Mapping[Method, CalibrationMap],
    *,
    clusters: ArrayLike | None = None,
    **options: Unpack[ReportOptions],
) -> CalibrationResult:
    """Score answers before and after maps that were fitted on other answers; arguments and errors as in `BASReport`.

    >>> half = CalibrationMap("isotonic", 9, {"stated": (0.0, 1.0), "calibrated": (0.0, 0.5)})
    >>> score_maps([1, 0], [0.9, 0.9], {"isotonic": half}).gains["isotonic"].value.__round__(3)
    0.402
    """
    correct, stated = read_graded(is_correct, confidence)
    applied = {method: fitted.apply(stated) for method, fitted in maps.items()}
    before = BASReport(correct, stated, clusters=clusters, **options)
    drawn = {"resamples": before.resamples, "seed": before.seed}
    gains = {
        method: reported_estimate(paired_bas(correct, values, correct, stated, clusters, **drawn))
        for method, values in applied.items()
    }
    after = {
        method: BASReport(correct, values, clusters=clusters, **options) for method, values in applied.items()
    }
    return CalibrationResult(before, after, dict(maps), gains)


def paired_bas(
    first_correct: ArrayLike,
    first: ArrayLike,
    second_correct: ArrayLike,
    second: ArrayLike,
    clusters: ArrayLike | None,
    *,
    resamples: int,
    seed: int,
) -> WeightedSum | Estimate:
    """Uniform BAS of one column of answers less that of another on the same questions, with its paired interval.

    A sum that knows its p-value too; without an interval, the reason why.

    >>> paired_bas([1, 0], [0.9, 0.1], [1, 0], [0.5, 0.5], None, resamples=9, seed=0).value.__round__(3)
    0.294
    """
    columns = [(first_correct, first), (second_correct, second)]
    scores = np.stack([bas_utility(*column) for column in columns], axis=1)
    codes = cluster_codes(clusters, len(scores))
    replicates = bootstrap_means(scores, clusters=codes, resamples=resamples, seed=seed)
    parts = []
    for place, (_, stated) in enumerate(columns):
        lows, highs = (bas_utility(np.full(len(scores), right), stated) for right in (0, 1))
        value = float(scores[:, place].mean())
        parts.append(
            Bounded.of_mean(value, replicates[:, place], len(scores), codes=codes, lows=lows, highs=highs)
        )
    return weighted_sum(parts, [1.0, -1.0], len(scores))


def calibration_ablation(
    is_correct: ArrayLike,
    confidence: ArrayLike,
    in_calibration: ArrayLike,
    *,
    sizes: Sequence[int] = ABLATION_SIZES,
    repeats: int = 20,
    bins: int = 10,
    seed: int = 0,
) -> list[AblationRow]:
    """Isotonic calibration from ever more answers of the calibration split, scored on the rows outside it.

    Each repeat draws its answers anew, without replacement; sizes larger than the split are left out.

    Raises ValueError for a size or a number of repeats under 1, and as `calibrate`.

    Reference: BAS paper, table A2.

    >>> rows = calibration_ablation([1, 0] * 50, [0.9, 0.6] * 50, [True] * 50 + [False] * 50, repeats=3)
    >>> [row.size for row in rows]
    [10, 25, 50]
    """
    if repeats < 1 or any(size < 1 for size in sizes):
        raise ValueError("sizes and repeats of an ablation must be 1 or more")
    correct, stated = read_graded(is_correct, confidence)
    fitting = read_flags(in_calibration, "in_calibration")
    require_same_length(is_correct=correct, in_calibration=fitting)
    pool, rest = np.flatnonzero(fitting), ~fitting
    rng = np.random.default_rng(seed)

    def scores(size: int) -> tuple[float, float, float]:
        drawn = rng.choice(pool, size, replace=False)
        values = fit_map(correct[drawn], stated[drawn]).apply(stated[rest])
        error = expected_calibration_error(correct[rest], values, bins=bins)
        return bas_score(correct[rest], values), error, aurc(correct[rest], values)

    rows = []
    for size in (size for size in sorted(set(sizes)) if size <= len(pool)):
        table = np.array([scores(size) for _ in range(repeats)])
        sds = table.std(axis=0, ddof=1).tolist() if repeats > 1 else [0.0] * 3
        rows.append(AblationRow(size, repeats, *map(Spread, table.mean(axis=0).tolist(), sds)))
    return rows
