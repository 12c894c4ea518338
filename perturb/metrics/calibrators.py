"""Post-hoc calibration: a map from stated to calibrated confidence, learned on some answers and applied to others.

Four maps: isotonic regression, which the paper uses, and three to compare it with. `perturb.metrics.calibrated_scores`
splits rows and scores maps. BAS paper, section 4.4 and appendix F.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from perturb.metrics.calibration import LOG_CLIP, bin_places, log_losses
from perturb.metrics.inputs import Flags, Floats, read_confidences, read_graded

Method = Literal["isotonic", "platt", "temperature", "histogram"]
METHODS: tuple[Method, ...] = get_args(Method)
HISTOGRAM_BINS = 10
MAX_TEMPERATURE = 100.0

_FIELDS: dict[str, frozenset[str]] = {
    "isotonic": frozenset({"stated", "calibrated"}),
    "platt": frozenset({"slope", "intercept"}),
    "temperature": frozenset({"temperature"}),
    "histogram": frozenset({"edges", "calibrated"}),
}


@dataclass(frozen=True, slots=True)
class CalibrationMap:
    """A fitted map; plain numbers, so that it can be saved as JSON and applied without scikit-learn."""

    method: Method
    n: int
    """Answers that it was fitted on."""
    parameters: Mapping[str, tuple[float, ...]]
    """`isotonic`: knots `stated` and `calibrated`, straight lines between them; `platt`: `slope` and `intercept` on the
    logit; `temperature`: what the logit is divided by; `histogram`: bin `edges` and the value `calibrated` of each."""

    def apply(self, confidence: ArrayLike) -> Floats:
        """Calibrated confidence in [0, 1], row by row.

        Raises ValueError for confidence outside [0, 1] and missing values.

        >>> CalibrationMap("temperature", 9, {"temperature": (2.0,)}).apply([0.5, 0.9]).round(2).tolist()
        [0.5, 0.75]
        """
        stated = read_confidences(confidence)
        p = {name: np.asarray(values) for name, values in self.parameters.items()}
        match self.method:
            case "isotonic":
                return np.asarray(np.interp(stated, p["stated"], p["calibrated"]))
            case "platt":
                return _sigmoid(p["slope"] * _logit(stated) + p["intercept"])
            case "temperature":
                return _sigmoid(_logit(stated) / p["temperature"])
            case "histogram":
                return np.asarray(p["calibrated"][bin_places(stated, p["edges"])])

    def to_dict(self) -> dict[str, Any]:
        """The map as JSON takes it."""
        parameters = {name: list(values) for name, values in self.parameters.items()}
        return {"method": self.method, "n": self.n, "parameters": parameters}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> CalibrationMap:
        """Read back what `to_dict` gave. Raises ValueError if it is no such map."""
        method, parameters = content.get("method"), content.get("parameters")
        if method not in METHODS or not isinstance(parameters, Mapping):
            raise ValueError(f"not a calibration map: 'method' must be one of {', '.join(METHODS)}")
        if parameters.keys() != _FIELDS[method]:
            raise ValueError(
                f"not a {method} map: its parameters must be {', '.join(sorted(_FIELDS[method]))}"
            )
        try:
            values = {name: tuple(float(v) for v in column) for name, column in parameters.items()}
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
    targets. `temperature`: the logit divided by the number, between 0.01 and 100, of least log loss. `histogram`: the
    accuracy in each of 10 bins of equal width, an empty bin keeping its middle. With one class only every map is
    defined and says little.

    Raises ValueError for an unknown method, correctness other than 0/1, and confidence outside [0, 1].

    Reference: BAS paper, equation A4; Platt (1999); Guo et al. (2017) for temperature; Zadrozny and Elkan (2001).

    >>> fit_map([0, 1, 0, 1], [0.2, 0.2, 0.9, 0.9]).apply([0.2, 0.9]).tolist()
    [0.5, 0.5]
    """
    if method not in METHODS:
        raise ValueError(f"unknown method {method!r}: choose one of {', '.join(METHODS)}")
    correct, stated = read_graded(is_correct, confidence)
    parameters = {
        name: tuple(float(v) for v in np.atleast_1d(values))
        for name, values in _FIT[method](correct, stated).items()
    }
    return CalibrationMap(method, len(correct), parameters)


def _fit_isotonic(correct: Flags, stated: Floats) -> dict[str, ArrayLike]:
    from sklearn.isotonic import IsotonicRegression

    model = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip").fit(stated, correct)
    return {"stated": model.X_thresholds_, "calibrated": model.y_thresholds_}


def _fit_platt(correct: Flags, stated: Floats) -> dict[str, ArrayLike]:
    from sklearn.linear_model import LogisticRegression

    right = int(correct.sum())
    target = np.where(correct, (right + 1) / (right + 2), 1 / (len(correct) - right + 2))
    # a target between 0 and 1 is a right row and a wrong row, weighted
    logits = np.tile(_logit(stated), 2)[:, None]
    labels = np.repeat([1, 0], len(correct))
    model = LogisticRegression(C=1e6, max_iter=1000).fit(
        logits, labels, sample_weight=np.concatenate([target, 1 - target])
    )
    return {"slope": model.coef_[0], "intercept": model.intercept_}


def _fit_temperature(correct: Flags, stated: Floats) -> dict[str, ArrayLike]:
    from scipy.optimize import minimize_scalar

    logits, span = _logit(stated), float(np.log(MAX_TEMPERATURE))

    def loss(log_temperature: float) -> float:
        return float(log_losses(correct, _sigmoid(logits / np.exp(log_temperature))).mean())

    found = minimize_scalar(loss, bounds=(-span, span), method="bounded")
    return {"temperature": np.exp(found.x)}


def _fit_histogram(correct: Flags, stated: Floats) -> dict[str, ArrayLike]:
    edges = np.linspace(0, 1, HISTOGRAM_BINS + 1)
    places = bin_places(stated, edges)
    n = np.bincount(places, minlength=HISTOGRAM_BINS)
    right = np.bincount(places, weights=correct, minlength=HISTOGRAM_BINS)
    middles = (edges[:-1] + edges[1:]) / 2
    return {"edges": edges, "calibrated": np.where(n > 0, right / np.maximum(n, 1), middles)}


def _logit(stated: Floats) -> Floats:
    kept = np.clip(stated, LOG_CLIP, 1 - LOG_CLIP)
    return np.asarray(np.log(kept) - np.log1p(-kept))


def _sigmoid(values: Floats) -> Floats:
    from scipy.special import expit

    return np.asarray(expit(values))


_FIT: dict[Method, Callable[[Flags, Floats], dict[str, ArrayLike]]] = {
    "isotonic": _fit_isotonic,
    "platt": _fit_platt,
    "temperature": _fit_temperature,
    "histogram": _fit_histogram,
}
