"""The Behavioral Alignment Score: does stated confidence support decisions to answer or to abstain?

A user with risk threshold t acts on an answer when its confidence is at least t, gains 1 when it is right and loses
t / (1 - t) when it is wrong. BAS is the mean gain over all thresholds. BAS paper, section 2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perturb.metrics.inputs import Flags, Floats, read_graded
from perturb.metrics.risk_priors import RiskPrior, gains_and_losses

CLIP = 1e-4
"""Confidence is clipped to 1 - CLIP, since the loss of a certain error is infinite (BAS paper, appendix D.1)."""


@dataclass(frozen=True, slots=True)
class DecisionCurve:
    """Mean utility of acting on the answers, threshold by threshold."""

    threshold: Floats
    """Risk thresholds t in [0, 1)."""
    utility: Floats
    """Mean utility at t; 0 is the utility of always abstaining."""
    answered: Floats
    """Share of answers acted on at t."""


def bas_utility(is_correct: ArrayLike, confidence: ArrayLike, prior: RiskPrior = "uniform") -> Floats:
    """Utility of each answer, integrated over the risk threshold.

    Formula: the integral over t from 0 to s of [Z - (1 - Z) t/(1 - t)] w(t), with Z correctness and s the confidence
    clipped to 1 - 1e-4. For the uniform prior it is s when right and s + ln(1 - s) when wrong. Range: up to 1, down
    to -8.2 (uniform), -15.4 (linear), -22.1 (quadratic); higher is better. `prior` is `uniform`, `linear` (w = 2t),
    `quadratic` (w = 3t²) or a function w(t) that is 0 or more and integrates to 1.

    Raises ValueError for correctness other than 0/1, confidence outside [0, 1], missing values, different
    lengths, and a prior that is no density.

    Reference: BAS paper, equations 4 and A2.

    >>> bas_utility([1, 0], [0.5, 0.5]).round(4).tolist()
    [0.5, -0.1931]
    >>> bas_utility([0], [0.5], prior=lambda t: 2 * t).round(4).tolist()
    [-0.1363]
    """
    correct, stated = read_graded(is_correct, confidence)
    return utilities(correct, stated, prior)


def bas_score(is_correct: ArrayLike, confidence: ArrayLike, prior: RiskPrior = "uniform") -> float:
    """Behavioral Alignment Score: the mean of `bas_utility`.

    Formula, range and errors as there; higher is better; truthful confidence maximises its expectation, and 0 is what a
    model earns by stating confidence 0 throughout.

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
    """Mean utility of acting on answers whose confidence is at least t, for each risk threshold t.

    Formula: (right answers kept - wrong answers kept x t/(1 - t)) / n. Its integral over t is the uniform BAS. Higher
    is better; at each t truthful confidence is best. `thresholds` lie in [0, 1); by default 0, 0.01, …, 0.99.

    Raises ValueError for thresholds outside [0, 1), and as `bas_utility`.

    Reference: BAS paper, equations 1 to 3.

    >>> decision_curve([1, 0], [0.9, 0.4], [0.3, 0.5]).utility.round(3).tolist()
    [0.286, 0.5]
    """
    correct, stated = read_graded(is_correct, confidence)
    t = np.linspace(0, 0.99, 100) if thresholds is None else np.asarray(thresholds, dtype=np.float64)
    if not np.all((t >= 0) & (t < 1)):
        raise ValueError("thresholds must lie in [0, 1)")
    kept = np.minimum(stated, 1 - CLIP)
    right, wrong = (_at_least(kept[rows], t) for rows in (correct, ~correct))
    n = len(correct)
    return DecisionCurve(t, (right - wrong * t / (1 - t)) / n, (right + wrong) / n)


def utilities(correct: Flags, confidence: Floats, prior: RiskPrior) -> Floats:
    """`bas_utility` of columns that were read already.

    >>> utilities(np.array([True]), np.array([0.5]), "quadratic").tolist()
    [0.125]
    """
    gain, loss = gains_and_losses(prior, np.minimum(confidence, 1 - CLIP))
    return np.where(correct, gain, -loss)


def _at_least(values: Floats, thresholds: Floats) -> Floats:
    return np.asarray(
        len(values) - np.searchsorted(np.sort(values), thresholds, side="left"), dtype=np.float64
    )
