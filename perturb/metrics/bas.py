"""The Behavioral Alignment Score (BAS): does stated confidence support decisions to answer or to abstain?

A user with risk threshold t acts on an answer if its confidence is at least t. The user gains 1 if the answer is right,
and loses t / (1 - t) if it is wrong. BAS is the mean gain over all thresholds. A prior w(t) weights the thresholds. For
a stated confidence s, gain(s) is the integral of w over [0, s], and loss(s) is the integral of w(t) t / (1 - t).
Reference: BAS paper, section 2 and appendix B.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perturb.metrics.inputs import Flags, Floats, read_graded

# A named prior, one of `PRIORS`, or a density on [0, 1].
RiskPrior = str | Callable[..., ArrayLike]
PRIORS = ("uniform", "linear", "quadratic")
# The integral of a prior may differ from 1 by this much.
MASS_TOLERANCE = 1e-6
# The quadrature halves a panel if its two halves differ by more from the whole.
PANEL_TOLERANCE = 1e-12
# A density with a jump is never integrated exactly; after this many halvings its panel is narrow enough.
MAX_HALVINGS = 40
# Panels of the first grid, before any is halved.
_PANELS = 512
# Gauss-Legendre quadrature: exact in a panel for polynomials up to degree 19.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(10)
# x = -ln(1 - t) up to which the panels reach at least. The rest, above t = 1 - e⁻¹⁰, is integrated in t.
_FARTHEST = 10.0


def gains_and_losses(prior: RiskPrior, confidence: Floats) -> tuple[Floats, Floats]:
    """gain(s) and loss(s) at confidences in [0, 1), for a named prior or any density on [0, 1].

    The named priors have closed forms: `uniform` w = 1, `linear` w = 2t, `quadratic` w = 3t². A function is integrated
    by adaptive Gauss-Legendre quadrature in -ln(1 - t), where the loss has no pole. It gets an array if it accepts one.

    Raises ValueError for an unknown name, and for a function that is negative, not finite, or does not integrate to 1
    within 1e-6.

    Reference: BAS paper, equation A2.

    >>> gain, loss = gains_and_losses("linear", np.array([0.5]))
    >>> round(float(gain[0]), 4), round(float(loss[0]), 4)
    (0.25, 0.1363)
    """
    if callable(prior):
        return _by_quadrature(prior, confidence)
    # The integral of t^k / (1 - t) from 0 to s is -ln(1 - s) - s - s²/2 - … - s^k/k. The loss is k times this, with
    # k = 1 for `uniform`, 2 for `linear` and 3 for `quadratic`.
    s, log_rest = confidence, np.log1p(-confidence)
    if prior == "uniform":
        return s, -s - log_rest
    if prior == "linear":
        return s**2, -(s**2) - 2 * s - 2 * log_rest
    if prior == "quadratic":
        return s**3, -(s**3) - 1.5 * s**2 - 3 * s - 3 * log_rest
    raise ValueError(f"unknown prior {prior!r}: choose one of {', '.join(PRIORS)}, or pass a function w(t)")


def _by_quadrature(prior: Callable[..., ArrayLike], confidence: Floats) -> tuple[Floats, Floats]:
    """gain(s) and loss(s) for a density on [0, 1], by quadrature in x = -ln(1 - t).

    The loss has a pole at t = 1. In x its integrand stays finite, and t = 1 lies at infinity.
    """
    # Many rows state the same confidence, and each level is integrated once.
    levels, level_of_row = np.unique(confidence, return_inverse=True)
    x_of_levels = -np.log1p(-levels)
    # Every stated confidence is an edge of a panel, so its integral is a sum of whole panels.
    farthest = max(x_of_levels[-1], _FARTHEST)
    edges = np.union1d(np.linspace(0.0, farthest, _PANELS + 1), x_of_levels)
    # Both have a column for the gain and one for the loss: shapes (panels, 2) and (edges, 2).
    integral_of_panel = _integrate(lambda x: _integrands(prior, x), edges[:-1], edges[1:])
    integral_up_to_edge = np.concatenate([np.zeros((1, 2)), np.cumsum(integral_of_panel, axis=0)])
    gain, loss = integral_up_to_edge.T
    mass = float(gain[-1]) + _mass_above(prior, edges[-1])
    if abs(mass - 1) > MASS_TOLERANCE:
        raise ValueError(f"the prior integrates to {mass:.6g} over [0, 1], not to 1: divide it by that")
    edge_of_row = np.searchsorted(edges, x_of_levels)[level_of_row]
    return gain[edge_of_row], loss[edge_of_row]


def _mass_above(prior: Callable[..., ArrayLike], x: float) -> float:
    """The integral of the density from x = -ln(1 - t) on. It is taken in t, since x would go to infinity."""
    start = np.array([-np.expm1(-x)])
    return _integrate(lambda t: _evaluate(prior, t)[:, np.newaxis], start, np.ones(1)).item()


def _integrands(prior: Callable[..., ArrayLike], x: Floats) -> Floats:
    """The integrands of gain and loss in x = -ln(1 - t), shape (points, 2)."""
    t = -np.expm1(-x)
    weight = _evaluate(prior, t)
    # dt = (1 - t) dx, so w dt = w (1 - t) dx and w t / (1 - t) dt = w t dx
    return np.stack([weight * (1 - t), weight * t], axis=1)


def _evaluate(prior: Callable[..., ArrayLike], t: Floats) -> Floats:
    """w at each t; a function that does not accept an array is called for each number."""
    try:
        weight = np.broadcast_to(np.asarray(prior(t), dtype=np.float64), t.shape)
    except (TypeError, ValueError):
        weight = np.array([float(np.asarray(prior(float(x)))) for x in t])
    if not np.all(np.isfinite(weight)):
        raise ValueError("the prior is not finite everywhere on (0, 1)")
    if np.any(weight < 0):
        raise ValueError(f"the prior is negative at t = {t[np.argmin(weight)]:.4g}: a density is at least 0")
    return weight


def _integrate(function: Callable[[Floats], Floats], low: Floats, high: Floats, depth: int = 0) -> Floats:
    """The integrals of a function's columns over each panel, shape (panels, columns).

    A panel is halved until its halves agree with the whole.
    """
    middle = (low + high) / 2
    whole = _gauss(function, low, high)
    halves = _gauss(function, low, middle) + _gauss(function, middle, high)
    is_rough = np.max(np.abs(whole - halves), axis=1) > PANEL_TOLERANCE
    if depth < MAX_HALVINGS and is_rough.any():
        left = _integrate(function, low[is_rough], middle[is_rough], depth + 1)
        right = _integrate(function, middle[is_rough], high[is_rough], depth + 1)
        halves[is_rough] = left + right
    return halves


def _gauss(function: Callable[[Floats], Floats], low: Floats, high: Floats) -> Floats:
    """The integral over each panel by one Gauss-Legendre rule of ten nodes, shape (panels, columns)."""
    half = ((high - low) / 2)[:, np.newaxis]
    middle = ((low + high) / 2)[:, np.newaxis]
    # The nodes are in [-1, 1]; moved to each panel they have the shape (panels, nodes).
    points = middle + half * _NODES
    values = function(points.ravel()).reshape(len(low), len(_NODES), -1)
    # p: panels, n: nodes of a panel, c: columns of the function
    return np.asarray(np.einsum("pnc,n->pc", values, _WEIGHTS) * half)


# Confidence is clipped to 1 - CLIP, since the loss of a certain error is infinite (BAS paper, appendix D.1).
CLIP = 1e-4


@dataclass(frozen=True, slots=True)
class DecisionCurve:
    """The mean utility of acting on answers, at each risk threshold."""

    threshold: Floats
    """Risk thresholds t in [0, 1)."""
    utility: Floats
    """Mean utility at t; 0 is the utility of always abstaining."""
    answered: Floats
    """The share of answers that a user with threshold t acts on."""


def bas_utility(is_correct: ArrayLike, confidence: ArrayLike, prior: RiskPrior = "uniform") -> Floats:
    """The utility of each answer, integrated over the risk threshold.

    Formula: the integral over t from 0 to s of [Z - (1 - Z) t/(1 - t)] w(t), with correctness Z and the confidence s
    clipped to 1 - 1e-4. For the uniform prior it is s if right and s + ln(1 - s) if wrong. Range: up to 1, down to -8.2
    (uniform), -15.4 (linear), -22.1 (quadratic); higher is better. `prior` is `uniform`, `linear` (w = 2t), `quadratic`
    (w = 3t²) or a function w(t) that is at least 0 and integrates to 1.

    Raises ValueError for correctness other than 0/1, confidence outside [0, 1], missing values, different
    lengths, and a prior that is not a density.

    Reference: BAS paper, equations 4 and A2.

    >>> bas_utility([1, 0], [0.5, 0.5]).round(4).tolist()
    [0.5, -0.1931]
    >>> bas_utility([0], [0.5], prior=lambda t: 2 * t).round(4).tolist()
    [-0.1363]
    """
    correct, confidences = read_graded(is_correct, confidence)
    return utilities(correct, confidences, prior)


def bas_score(is_correct: ArrayLike, confidence: ArrayLike, prior: RiskPrior = "uniform") -> float:
    """Behavioral Alignment Score: the mean of `bas_utility`.

    Formula, range and errors are those of `bas_utility`; higher is better. Truthful confidence maximises the expected
    score. A model that always states confidence 0 has the score 0.

    Reference: BAS paper, equation 5, theorems 2.1 and B.1.

    >>> round(bas_score([1, 1, 0, 0], [0.7, 0.7, 0.3, 0.3]), 2)
    0.32
    >>> round(bas_score([1, 1, 0, 0], [0.9, 0.9, 0.99, 0.01]), 2)
    -0.45
    """
    return float(bas_utility(is_correct, confidence, prior).mean())


def decision_curve(
    is_correct: ArrayLike, confidence: ArrayLike, thresholds: ArrayLike | None = None
) -> DecisionCurve:
    """The mean utility of acting on answers whose confidence is at least t, for each risk threshold t.

    Formula: (right answers acted on - wrong answers acted on x t/(1 - t)) / n. Its integral over t is the uniform BAS.
    Higher is better; truthful confidence is best at each t. `thresholds` are in [0, 1); by default 0, 0.01, …, 0.99.

    Raises ValueError for thresholds outside [0, 1), and as `bas_utility` does.

    Reference: BAS paper, equations 1 to 3.

    >>> decision_curve([1, 0], [0.9, 0.4], [0.3, 0.5]).utility.round(3).tolist()
    [0.286, 0.5]
    """
    correct, confidences = read_graded(is_correct, confidence)
    t = np.linspace(0, 0.99, 100) if thresholds is None else np.asarray(thresholds, dtype=np.float64)
    if not np.all((t >= 0) & (t < 1)):
        raise ValueError("thresholds must lie in [0, 1)")
    clipped = np.minimum(confidences, 1 - CLIP)
    # The numbers of right and of wrong answers that a user with each threshold acts on: shape (thresholds,).
    right, wrong = _at_least(clipped[correct], t), _at_least(clipped[~correct], t)
    n = len(correct)
    return DecisionCurve(t, utility=(right - wrong * t / (1 - t)) / n, answered=(right + wrong) / n)


def utilities(correct: Flags, confidence: Floats, prior: RiskPrior) -> Floats:
    """`bas_utility` of columns that are already checked.

    >>> utilities(np.array([True]), np.array([0.5]), "quadratic").tolist()
    [0.125]
    """
    gain, loss = gains_and_losses(prior, np.minimum(confidence, 1 - CLIP))
    return np.where(correct, gain, -loss)


def _at_least(values: Floats, thresholds: Floats) -> Floats:
    """How many of the values reach each threshold."""
    n_below = np.searchsorted(np.sort(values), thresholds, side="left")
    return np.asarray(len(values) - n_below, dtype=np.float64)
