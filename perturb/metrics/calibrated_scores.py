"""Post-hoc calibration: maps from stated to calibrated confidence, and scores before and after them.

A map is fitted on some rows and scored on the other rows. There are four maps: isotonic regression, which the paper
uses, and three for comparison. Reference: BAS paper, section 4.4 and appendix F.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypedDict, Unpack, get_args

import numpy as np
from numpy.typing import ArrayLike

from perturb.metrics.bas import bas_score, bas_utility
from perturb.metrics.bas_report import BASReport
from perturb.metrics.calibration import (
    LOG_CLIP,
    Closed,
    aurc,
    bin_places,
    expected_calibration_error,
    log_losses,
)
from perturb.metrics.inputs import (
    Estimate,
    Flags,
    Floats,
    logistic,
    plain_value,
    read_confidences,
    read_flags,
    read_graded,
    require_same_length,
)
from perturb.metrics.intervals import Bounded, WeightedSum, reported_estimate, weighted_sum
from perturb.metrics.resampling import bootstrap_means, cluster_codes

# The maps from stated to calibrated confidence.
Method = Literal["isotonic", "platt", "temperature", "histogram"]
METHODS: tuple[Method, ...] = get_args(Method)
# Bins of equal width of the method `histogram`.
HISTOGRAM_BINS = 10
# The largest temperature, which divides the logit; the smallest is 1 / MAX_TEMPERATURE. The fit ends at one of them if
# all answers are right, or all wrong.
MAX_TEMPERATURE = 100.0

# The parameters of each map, as saved files must have them.
_FIELDS: dict[str, frozenset[str]] = {
    "isotonic": frozenset({"stated", "calibrated"}),
    "platt": frozenset({"slope", "intercept"}),
    "temperature": frozenset({"temperature"}),
    "histogram": frozenset({"edges", "calibrated"}),
}


@dataclass(frozen=True, slots=True)
class CalibrationMap:
    """A fitted map as plain numbers, which can be saved as JSON and applied without scikit-learn."""

    method: Method
    n: int
    """Number of answers that the map was fitted on."""
    parameters: Mapping[str, tuple[float, ...]]
    """`isotonic`: knots `stated` and `calibrated`, with straight lines between them; `platt`: `slope` and `intercept`
    of the logit; `temperature`: the divisor of the logit; `histogram`: bin `edges` and the value `calibrated` of each
    bin."""

    def apply(self, confidence: ArrayLike) -> Floats:
        """Calibrated confidence in [0, 1], row by row.

        Raises ValueError for confidence outside [0, 1] and missing values.

        >>> CalibrationMap("temperature", 9, {"temperature": (2.0,)}).apply([0.5, 0.9]).round(2).tolist()
        [0.5, 0.75]
        """
        confidences = read_confidences(confidence)
        fitted = {name: np.asarray(values) for name, values in self.parameters.items()}
        match self.method:
            case "isotonic":
                return np.asarray(np.interp(confidences, fitted["stated"], fitted["calibrated"]))
            case "platt":
                return logistic(fitted["slope"] * _logit(confidences) + fitted["intercept"])
            case "temperature":
                return logistic(_logit(confidences) / fitted["temperature"])
            case "histogram":
                return np.asarray(fitted["calibrated"][bin_places(confidences, fitted["edges"])])

    def to_dict(self) -> dict[str, Any]:
        """The map as plain values for JSON."""
        parameters = {name: list(values) for name, values in self.parameters.items()}
        return {"method": self.method, "n": self.n, "parameters": parameters}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> CalibrationMap:
        """The map that `to_dict` described. Raises ValueError if `content` is not such a description."""
        method, parameters = content.get("method"), content.get("parameters")
        if method not in METHODS or not isinstance(parameters, Mapping):
            raise ValueError(f"not a calibration map: 'method' must be one of {', '.join(METHODS)}")
        if parameters.keys() != _FIELDS[method]:
            raise ValueError(
                f"not a {method} map: its parameters must be {', '.join(sorted(_FIELDS[method]))}"
            )
        try:
            values = {name: tuple(map(float, column)) for name, column in parameters.items()}
            fitted = cls(method, int(content["n"]), values)
            usable = bool(np.isfinite(fitted.apply([0.0, 0.5, 1.0])).all())
        except (KeyError, TypeError, ValueError, IndexError):
            usable = False
        if not usable:
            raise ValueError(f"not a {method} map: its parameters are damaged")
        return fitted


def fit_map(is_correct: ArrayLike, confidence: ArrayLike, method: Method = "isotonic") -> CalibrationMap:
    """Fit a map from stated confidence to the probability of being right.

    `isotonic`: the non-decreasing least-squares fit. `platt`: logistic regression on the logit, with Platt's smoothed
    targets. `temperature`: the logit divided by the number between 0.01 and 100 with the least log loss. `histogram`:
    the accuracy in each of 10 bins of equal width; an empty bin gets its middle. If all answers are right, or all are
    wrong, every map is defined but means little.

    Raises ValueError for an unknown method, correctness other than 0/1, and confidence outside [0, 1].

    Reference: BAS paper, equation A4; Platt (1999); Guo et al. (2017) for temperature; Zadrozny and Elkan (2001).

    >>> fit_map([0, 1, 0, 1], [0.2, 0.2, 0.9, 0.9]).apply([0.2, 0.9]).tolist()
    [0.5, 0.5]
    """
    if method not in METHODS:
        raise ValueError(f"unknown method {method!r}: choose one of {', '.join(METHODS)}")
    correct, confidences = read_graded(is_correct, confidence)
    fitted = _FIT[method](correct, confidences)
    parameters = {name: tuple(map(float, np.atleast_1d(values))) for name, values in fitted.items()}
    return CalibrationMap(method, len(correct), parameters)


def _fit_isotonic(correct: Flags, confidence: Floats) -> dict[str, ArrayLike]:
    from sklearn.isotonic import IsotonicRegression

    model = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip").fit(confidence, correct)
    return {"stated": model.X_thresholds_, "calibrated": model.y_thresholds_}


def _fit_platt(correct: Flags, confidence: Floats) -> dict[str, ArrayLike]:
    from sklearn.linear_model import LogisticRegression

    right = int(correct.sum())
    # Platt's targets stay away from 0 and 1, so the fit is finite even if confidence separates right from wrong.
    target = np.where(correct, (right + 1) / (right + 2), 1 / (len(correct) - right + 2))
    # scikit-learn does not take targets between 0 and 1. So each row is given twice: as right, with its target as the
    # weight, and as wrong, with 1 - target. Platt's method has no penalty, and with so large a C there is almost none.
    logits = np.tile(_logit(confidence), 2)[:, None]
    labels = np.repeat([1, 0], len(correct))
    model = LogisticRegression(C=1e6, max_iter=1000).fit(
        logits, labels, sample_weight=np.concatenate([target, 1 - target])
    )
    return {"slope": model.coef_[0], "intercept": model.intercept_}


def _fit_temperature(correct: Flags, confidence: Floats) -> dict[str, ArrayLike]:
    from scipy.optimize import minimize_scalar

    logits = _logit(confidence)
    # The search runs over the logarithm: a temperature of 1/2 is as far from 1 as a temperature of 2.
    largest_log = float(np.log(MAX_TEMPERATURE))

    def loss(log_temperature: float) -> float:
        return float(log_losses(correct, logistic(logits / np.exp(log_temperature))).mean())

    minimum = minimize_scalar(loss, bounds=(-largest_log, largest_log), method="bounded")
    return {"temperature": np.exp(minimum.x)}


def _fit_histogram(correct: Flags, confidence: Floats) -> dict[str, ArrayLike]:
    edges = np.linspace(0, 1, HISTOGRAM_BINS + 1)
    bins = bin_places(confidence, edges)
    n = np.bincount(bins, minlength=HISTOGRAM_BINS)
    right = np.bincount(bins, weights=correct, minlength=HISTOGRAM_BINS)
    middles = (edges[:-1] + edges[1:]) / 2
    return {"edges": edges, "calibrated": np.where(n > 0, right / np.maximum(n, 1), middles)}


def _logit(confidence: Floats) -> Floats:
    # a stated confidence of 0 or 1 has no finite logit
    clipped = np.clip(confidence, LOG_CLIP, 1 - LOG_CLIP)
    return np.asarray(np.log(clipped) - np.log1p(-clipped))


# Method → the function that fits its parameters to correctness and confidence.
_FIT: dict[Method, Callable[[Flags, Floats], dict[str, ArrayLike]]] = {
    "isotonic": _fit_isotonic,
    "platt": _fit_platt,
    "temperature": _fit_temperature,
    "histogram": _fit_histogram,
}


# The sizes of the paper's table A2.
ABLATION_SIZES = (10, 25, 50, 100, 250, 500, 1000)


class ReportOptions(TypedDict, total=False):
    """Options of the scores: arguments of `BASReport`."""

    bins: int
    closed: Closed
    resamples: int
    seed: int


@dataclass(frozen=True, slots=True)
class CalibrationResult:
    """The scores of the rows outside the calibration split, before and after the maps."""

    before: BASReport
    after: Mapping[Method, BASReport]
    maps: Mapping[Method, CalibrationMap]
    gains: Mapping[Method, Estimate]
    """Uniform BAS after minus before on the same rows, with a paired interval."""

    @property
    def n_scored(self) -> int:
        """Number of rows that are scored."""
        return self.before.n

    @property
    def n_calibration(self) -> int:
        """Number of rows that the maps were fitted on."""
        return max((fitted.n for fitted in self.maps.values()), default=0)

    def to_dict(self) -> dict[str, Any]:
        """Counts, the reports before and after by map, and the gains."""
        content = {"before": self.before, "after": self.after, "bas_gain": self.gains}
        return {"n_calibration": self.n_calibration, "n_scored": self.n_scored, **plain_value(content)}


class Spread(NamedTuple):
    """Mean and standard deviation over repeats."""

    mean: float
    sd: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread:
        """The spread of some values; the deviation of a single one is 0."""
        column = np.array(list(values))
        return cls(float(column.mean()), float(column.std(ddof=1)) if len(column) > 1 else 0.0)


@dataclass(frozen=True, slots=True)
class AblationRow:
    """The scores after isotonic calibration with `size` answers, over repeated draws."""

    size: int
    repeats: int
    bas: Spread
    ece: Spread
    aurc: Spread


def calibration_split(
    n: int, *, share: float = 0.5, clusters: ArrayLike | None = None, seed: int = 0
) -> Flags:
    """Draw the rows to fit a map on, marked by True. Rows of one cluster stay together.

    Raises ValueError for a share outside (0, 1), and if one of the two sides would be empty.

    >>> int(calibration_split(10, share=0.3).sum())
    3
    """
    if not 0 < share < 1:
        raise ValueError(f"the share of the calibration split must lie between 0 and 1, got {share:g}")
    codes = cluster_codes(clusters, n)
    codes = np.arange(n) if codes is None else codes
    units = len(np.unique(codes))
    n_fitting = round(share * units)
    if not 0 < n_fitting < units:
        raise ValueError(f"{units} questions cannot be split at {share:g}: give more rows or another share")
    drawn = np.random.default_rng(seed).permutation(units)[:n_fitting]
    return np.isin(codes, drawn)


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

    `clusters` and the options as in `BASReport`. Raises ValueError as that does, and if one of the two sides is empty.

    Reference: BAS paper, table 4.

    >>> rows = calibrate([1, 0, 0, 0] * 20, [0.9] * 80, [True] * 40 + [False] * 40, methods=["isotonic"])
    >>> rows.n_scored, round(rows.after["isotonic"].weighted_score(), 3)
    (40, 0.034)
    """
    correct, confidences = read_graded(is_correct, confidence)
    fitting = read_flags(in_calibration, "in_calibration")
    require_same_length(is_correct=correct, in_calibration=fitting)
    if fitting.all() or not fitting.any():
        raise ValueError("the calibration split and the scored rows must both hold a row")
    scored = ~fitting
    maps = {method: fit_map(correct[fitting], confidences[fitting], method) for method in methods}
    scored_clusters = None if clusters is None else np.asarray(clusters)[scored]
    return score_maps(correct[scored], confidences[scored], maps, clusters=scored_clusters, **options)


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
    >>> round(score_maps([1, 0], [0.9, 0.9], {"isotonic": half}).gains["isotonic"].value, 3)
    0.402
    """
    correct, confidences = read_graded(is_correct, confidence)
    applied = {method: fitted.apply(confidences) for method, fitted in maps.items()}
    before = BASReport(correct, confidences, clusters=clusters, **options)
    resampling = {"resamples": before.resamples, "seed": before.seed}
    gains = {
        method: reported_estimate(paired_bas(correct, values, correct, confidences, clusters, **resampling))
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
    """The uniform BAS of one column of answers minus that of another, on the same questions, with a paired interval.

    The result also gives a p-value; if there is no interval, it is an estimate with the reason.

    >>> round(paired_bas([1, 0], [0.9, 0.1], [1, 0], [0.5, 0.5], None, resamples=9, seed=0).value, 3)
    0.294
    """
    scores = np.stack([bas_utility(first_correct, first), bas_utility(second_correct, second)], axis=1)
    n = len(scores)
    codes = cluster_codes(clusters, n)
    replicates = bootstrap_means(scores, clusters=codes, resamples=resamples, seed=seed)

    def bounded_mean(column: int, confidences: ArrayLike) -> Bounded | Estimate:
        # At its stated confidence, an answer scores least if it is wrong and most if it is right. The mean of these
        # limits the interval.
        lows, highs = bas_utility(np.zeros(n), confidences), bas_utility(np.ones(n), confidences)
        value = float(scores[:, column].mean())
        return Bounded.of_mean(value, replicates[:, column], n, codes=codes, lows=lows, highs=highs)

    return weighted_sum([bounded_mean(0, first), bounded_mean(1, second)], [1.0, -1.0], n)


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
    """Isotonic calibration from a growing number of answers of the calibration split, scored on the other rows.

    Each repeat draws new answers, without replacement; sizes larger than the split are left out.

    Raises ValueError for a size or a number of repeats below 1, and as `calibrate` does.

    Reference: BAS paper, table A2.

    >>> rows = calibration_ablation([1, 0] * 50, [0.9, 0.6] * 50, [True] * 50 + [False] * 50, repeats=3)
    >>> [row.size for row in rows]
    [10, 25, 50]
    """
    if repeats < 1 or any(size < 1 for size in sizes):
        raise ValueError("sizes and repeats of an ablation must be 1 or more")
    correct, confidences = read_graded(is_correct, confidence)
    fitting = read_flags(in_calibration, "in_calibration")
    require_same_length(is_correct=correct, in_calibration=fitting)
    pool, scored = np.flatnonzero(fitting), ~fitting
    rng = np.random.default_rng(seed)

    def calibrated_by(size: int) -> Floats:
        sample = rng.choice(pool, size, replace=False)
        return fit_map(correct[sample], confidences[sample]).apply(confidences[scored])

    rows = []
    for size in sorted(set(sizes)):
        if size > len(pool):
            break
        draws = [calibrated_by(size) for _ in range(repeats)]
        rows.append(
            AblationRow(
                size,
                repeats,
                bas=Spread.of(bas_score(correct[scored], values) for values in draws),
                ece=Spread.of(
                    expected_calibration_error(correct[scored], values, bins=bins) for values in draws
                ),
                aurc=Spread.of(aurc(correct[scored], values) for values in draws),
            )
        )
    return rows
