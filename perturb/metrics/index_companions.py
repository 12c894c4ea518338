"""Companions of the Refusal Index: other copulas for its table, and classifiers that predict right answers.

Copulas: both rates of a 2x2 table of refusal and error are fixed, so one number is free: the share of questions
that were refused and answered wrong. Every family of copulas that can reach this number fits the table exactly, with
the same log-likelihood. The families differ in what they cannot reach: Clayton (theta > 0) and Gumbel (theta >= 1) have
no negative dependence. The table does not identify the degrees of freedom of a Student-t. Reference: Refusal Index
paper, appendix D and table 6.

Classifiers: a linear probe reads hidden states that the user supplies; a text calibrator reads questions or answers.
Both are trained on some folds and applied to the others, so that no classifier scores an answer that it was trained on.
They measure the classifier as much as the model. Reference: Refusal Index paper, appendix L and table 8.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from perturb.metrics.calibration import auroc, expected_calibration_error
from perturb.metrics.inputs import Estimate, Flags, Floats, read_flags
from perturb.metrics.resampling import cluster_codes

# The families of copulas; the Gaussian, which the Refusal Index assumes, comes first.
FAMILIES = ("gaussian", "student-t", "clayton", "gumbel")
# Of Student-t; a usual choice for heavy tails, since the table does not tell.
DEGREES_OF_FREEDOM = 4.0
# Log-likelihoods closer than this are ties.
SAME_LIKELIHOOD = 1e-6
# The largest arcsin(rho) of the search; at π/2 itself the density is not defined.
_MAX_ANGLE = np.pi / 2 - 1e-9
# The largest log theta of the search; beyond it dependence is complete to within rounding.
_MAX_LOG_THETA = 14.0


@dataclass(frozen=True, slots=True)
class CopulaFit:
    """One family fitted to one table by maximum likelihood, given the rates of refusal and of error."""

    family: str
    """One of `FAMILIES`."""
    parameters: dict[str, float]
    """rho and df, or theta; empty if the best fit is a limit of the family."""
    log_likelihood: float
    """Multinomial log-likelihood without its constant, natural logarithm."""
    n_parameters: int
    """The number of parameters that AIC and BIC count: two for Student-t, one for the others."""
    aic: float
    """2k - 2 log-likelihood, lower is better."""
    bic: float
    """k ln n - 2 log-likelihood, lower is better."""
    exact: bool
    """Whether the family reaches the table."""
    note: str | None
    """What the family cannot reach, or what the table cannot identify."""


@dataclass(frozen=True, slots=True)
class CopulaComparison:
    """The fits of all families to one table, and whether the table distinguishes them."""

    fits: tuple[CopulaFit, ...]
    """In the order of `FAMILIES`; empty if the table has an empty margin."""
    best: tuple[str, ...]
    """The families with the highest log-likelihood; if they are several, the data prefer none of them."""
    reason: str | None
    """The reason why no family is preferred, or why nothing could be fitted."""


def compare_copulas(n11: int, n10: int, n01: int, n00: int) -> CopulaComparison:
    """Fit Gaussian, Student-t, Clayton and Gumbel copulas to a table with fixed margins.

    Cells as in `refusal_index_from_counts`. The copula joins the latent tendencies to refuse and to err, so
    p00 = C(1 - r, 1 - mu). Student-t is fitted at df = 4, since any df fits. AIC and BIC still count df as a parameter,
    as in the paper; that penalty is not evidence against heavy tails.

    Raises ValueError for negative counts.

    Reference: Refusal Index paper, appendix D, equations 9 to 11.

    >>> comparison = compare_copulas(240, 30, 120, 43)
    >>> comparison.best
    ('gaussian', 'student-t', 'clayton', 'gumbel')
    >>> compare_copulas(100, 60, 60, 20).best
    ('gaussian', 'student-t')
    """
    table = np.array([n11, n10, n01, n00], dtype=np.float64)
    if np.any(table < 0):
        raise ValueError(f"counts must not be negative, got {(n11, n10, n01, n00)}")
    if min(n11 + n10, n01 + n00, n11 + n01, n10 + n00) == 0:
        return CopulaComparison((), (), "a margin of the table is empty: no dependence can be fitted")
    fits = tuple(_fit(family, table) for family in FAMILIES)
    top = max(fit.log_likelihood for fit in fits)
    best = tuple(fit.family for fit in fits if top - fit.log_likelihood <= SAME_LIKELIHOOD)
    reason = f"{', '.join(best)} fit the table equally well: it holds no evidence between them"
    return CopulaComparison(fits, best, reason if len(best) > 1 else None)


def gaussian_win_rates(comparisons: Sequence[CopulaComparison]) -> dict[str, dict[str, float]]:
    """The share of tables on which the Gaussian copula beats each rival; a tie counts one half.

    Keys are the rival, then `log_likelihood`, `aic` and `bic`. Range: [0, 1]; 0.5 everywhere means that the tables
    distinguish no families. Against Student-t the wins by AIC and BIC come only from the number of parameters. Tables
    that could not be fitted are left out; if none is left, the result is empty.

    Reference: Refusal Index paper, table 6.

    >>> gaussian_win_rates([compare_copulas(240, 30, 120, 43)])["clayton"]["log_likelihood"]
    0.5
    """
    fitted = [comparison.fits for comparison in comparisons if comparison.fits]
    if not fitted:
        return {}
    # The fits of each family to all tables, in the order of `FAMILIES`.
    gaussian, *rivals = zip(*fitted, strict=True)
    rates: dict[str, dict[str, float]] = {}
    for rival in rivals:
        pairs = list(zip(gaussian, rival, strict=True))
        rates[rival[0].family] = {
            "log_likelihood": _win_rate(
                [ours.log_likelihood - theirs.log_likelihood for ours, theirs in pairs]
            ),
            # lower is better
            "aic": _win_rate([theirs.aic - ours.aic for ours, theirs in pairs]),
            "bic": _win_rate([theirs.bic - ours.bic for ours, theirs in pairs]),
        }
    return rates


def upper_probability(
    family: str, r: float, mu: float, parameter: float, df: float = DEGREES_OF_FREEDOM
) -> float:
    """P(refused and wrong) under a family with margins r and mu in (0, 1).

    `parameter` is rho in (-1, 1) for `gaussian` and `student-t`, theta > 0 for `clayton`, theta >= 1 for `gumbel`.
    The probability rises with the parameter, within the Fréchet bounds.

    Raises ValueError for an unknown family.

    >>> round(upper_probability("gumbel", 0.4, 0.5, 1.0), 6)
    0.2
    """
    if family in ("gaussian", "student-t"):
        return _elliptical(r, mu, float(np.arcsin(parameter)), df if family == "student-t" else None)
    if family not in FAMILIES:
        raise ValueError(f"unknown copula {family!r}: choose one of {', '.join(FAMILIES)}")
    # The copula gives the probability of neither refusal nor error, and that gives the probability of both.
    cdf = _clayton if family == "clayton" else _gumbel
    return float(r + mu - 1 + cdf(np.log1p(-r), np.log1p(-mu), parameter))


def _clayton(log_u: float, log_v: float, theta: float) -> float:
    """C(u, v) = (u^-θ + v^-θ - 1)^(-1/θ), from the logarithms of u and v, so that the powers cannot overflow."""
    log_sum = np.logaddexp(-theta * log_u, -theta * log_v)
    # log(S - 1) = log S + log(1 - 1/S)
    log_sum_less_one = log_sum + np.log1p(-np.exp(-log_sum))
    return float(np.exp(-log_sum_less_one / theta))


def _gumbel(log_u: float, log_v: float, theta: float) -> float:
    """C(u, v) = exp(-((-ln u)^θ + (-ln v)^θ)^(1/θ)), from the logarithms of u and v."""
    log_sum = np.logaddexp(theta * np.log(-log_u), theta * np.log(-log_v))
    return float(np.exp(-np.exp(log_sum / theta)))


def _elliptical(r: float, mu: float, angle: float, df: float | None) -> float:
    """The upper orthant of a bivariate normal (df None) or t: the integral of its slope in arcsin(rho) from rho = -1.

    Genz, A. (2004), Numerical computation of rectangular bivariate and trivariate normal and t probabilities.
    """
    from scipy.integrate import quad
    from scipy.special import ndtri, stdtrit

    # The thresholds that are exceeded with the probabilities r and mu.
    h, k = (-ndtri(r), -ndtri(mu)) if df is None else (-stdtrit(df, r), -stdtrit(df, mu))

    def slope(theta: float) -> float:
        """The derivative at rho = sin(theta): the density at (h, k), times sqrt(1 - rho²)."""
        distance = (h * h - 2 * h * k * np.sin(theta) + k * k) / np.cos(theta) ** 2
        density = np.exp(-distance / 2) if df is None else (1 + distance / df) ** (-df / 2)
        return float(density / (2 * np.pi))

    area, _ = quad(slope, -np.pi / 2 + 1e-12, angle, epsabs=1e-12, epsrel=1e-10, limit=200)
    # at rho = -1 the probability is Fréchet's lower bound
    return max(0.0, r + mu - 1) + float(area)


def _fit(family: str, table: np.ndarray) -> CopulaFit:
    """The fit of a family with the margins of the table. Its one parameter decides how many were refused and wrong."""
    n = table.sum()
    n11, n10, n01, _ = table
    r, mu, target = (n11 + n10) / n, (n11 + n01) / n, n11 / n
    reached, parameters, note = _best_parameters(family, r, mu, target, has_empty_cell=not table.all())
    # the four cells in the order of the table, from the first and both margins
    fitted = np.array([reached, r - reached, mu - reached, 1 - r - mu + reached])
    is_positive = table > 0
    log_likelihood = float(np.sum(table[is_positive] * np.log(fitted[is_positive])))
    k = 2 if family == "student-t" else 1
    return CopulaFit(
        family=family,
        parameters=parameters,
        log_likelihood=log_likelihood,
        n_parameters=k,
        aic=2 * k - 2 * log_likelihood,
        bic=k * float(np.log(n)) - 2 * log_likelihood,
        exact=bool(abs(reached - target) < 1e-9),
        note=note,
    )


def _best_parameters(
    family: str, r: float, mu: float, target: float, *, has_empty_cell: bool
) -> tuple[float, dict[str, float], str | None]:
    """The share of refused and wrong that a family can reach, its parameters there if any, and a note."""
    if family in ("clayton", "gumbel") and target < r * mu:
        return r * mu, {}, "cannot reach negative dependence: the best fit is independence"
    # With an empty cell the best fit is complete dependence, which a family only approaches.
    x = None if has_empty_cell else _solve(family, r, mu, target)
    if x is None:
        return target, {}, "the table lies at the edge of the family: reached in the limit only"
    note = None
    if family == "student-t":
        note = "the degrees of freedom are not identified by a 2x2 table; shown at df = 4"
    return target, _parameters(family, x), note


def _solve(family: str, r: float, mu: float, target: float) -> float | None:
    """The variable of `_parameters` at which the share of refused and wrong is the target; None if there is none."""
    from scipy.optimize import brentq

    is_elliptical = family in ("gaussian", "student-t")
    limit = _MAX_ANGLE if is_elliptical else _MAX_LOG_THETA

    def excess(x: float) -> float:
        """The share of refused and wrong above the target; it rises with x."""
        if is_elliptical:
            # not `upper_probability`: from rho, the angle would lose digits near its limits
            df = DEGREES_OF_FREEDOM if family == "student-t" else None
            return _elliptical(r, mu, x, df) - target
        return upper_probability(family, r, mu, _parameters(family, x)["theta"]) - target

    if not excess(-limit) < 0 < excess(limit):
        return None
    return float(brentq(excess, -limit, limit, xtol=1e-13, rtol=1e-13))


def _parameters(family: str, x: float) -> dict[str, float]:
    """The parameters of a family from the variable of the search: arcsin(rho), log theta, or log(theta - 1)."""
    if family == "gaussian":
        return {"rho": float(np.sin(x))}
    if family == "student-t":
        return {"rho": float(np.sin(x)), "df": DEGREES_OF_FREEDOM}
    theta = float(np.exp(x))
    return {"theta": theta + 1 if family == "gumbel" else theta}


def _win_rate(leads: list[float]) -> float:
    """The share of leads above 0; a tie counts one half."""
    return float(np.mean([0.5 if abs(lead) <= SAME_LIKELIHOOD else float(lead > 0) for lead in leads]))


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """The confidence that a trained classifier gives to each answer, and how good this confidence is."""

    confidence: Floats | None
    """The probability of a right answer, from a classifier trained without that answer; None if undefined."""
    auroc: Estimate
    """Ranking quality, higher is better."""
    ece: Estimate
    """Expected calibration error over 10 bins of equal width, lower is better."""
    reason: str | None
    """The reason why there is no confidence."""


def linear_probe(
    hidden_states: ArrayLike,
    is_correct: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    folds: int = 5,
    seed: int = 0,
) -> ProbeResult:
    """Logistic regression from hidden states, shape (answers, dimensions), to correctness, out of fold.

    States are standardised within each training fold. With `clusters` all answers of a cluster stay in one fold.
    Undefined if the right answers, or the wrong ones, are in fewer clusters than there are folds.

    Raises ValueError for shapes that differ, values that are not finite, and correctness other than 0/1.

    Reference: Refusal Index paper, appendix L.

    >>> states = [[float(i % 2), 0.0] for i in range(40)]
    >>> linear_probe(states, [i % 2 for i in range(40)]).auroc.value
    1.0
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    states, correct = np.asarray(hidden_states, dtype=np.float64), read_flags(is_correct, "is_correct")
    if states.ndim != 2 or len(states) != len(correct):
        raise ValueError(f"hidden_states needs the shape ({len(correct)}, dimensions), got {states.shape}")
    if not np.all(np.isfinite(states)):
        raise ValueError("hidden_states holds a value that is missing or not finite")
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=5000))
    return _out_of_fold(model, states, correct, cluster_codes(clusters, len(correct)), folds, seed)


def text_calibrator(
    texts: Sequence[str],
    is_correct: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    folds: int = 5,
    seed: int = 0,
) -> ProbeResult:
    """Logistic regression from the letter groups (tf-idf, 1 to 4 letters) of texts to correctness, out of fold.

    It replaces calibrators that fine-tune a language model on the outputs. Folds, clusters and undefined cases as in
    `linear_probe`.

    Raises ValueError when texts and correctness differ in length, and for correctness other than 0/1.

    Reference: Refusal Index paper, appendix L.

    >>> texts = ["sure thing", "no idea"] * 20
    >>> text_calibrator(texts, [1, 0] * 20).auroc.value
    1.0
    """
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    correct = read_flags(is_correct, "is_correct")
    if len(texts) != len(correct):
        raise ValueError(
            f"columns differ in length: texts has {len(texts)}, is_correct has {len(correct)} rows"
        )
    letters = TfidfVectorizer(analyzer="char_wb", ngram_range=(1, 4), sublinear_tf=True)
    model = make_pipeline(letters, LogisticRegression(max_iter=5000))
    # An empty text has no letters; a sign of its own lets the classifier learn from emptiness.
    column = np.array([text if text.strip() else "∅" for text in texts], dtype=object)
    return _out_of_fold(model, column, correct, cluster_codes(clusters, len(correct)), folds, seed)


def _out_of_fold(
    model: Any, inputs: np.ndarray, correct: Flags, codes: np.ndarray | None, folds: int, seed: int
) -> ProbeResult:
    from sklearn.model_selection import StratifiedGroupKFold, cross_val_predict

    groups = np.arange(len(correct)) if codes is None else codes
    # Each fold needs right and wrong answers, and a cluster is never split.
    fewest = min(len(np.unique(groups[is_chosen])) for is_chosen in (correct, ~correct))
    if fewest < folds:
        reason = f"{fewest} right or wrong answers are too few for {folds} folds"
        undefined = Estimate.undefined(reason, len(correct))
        return ProbeResult(None, undefined, undefined, reason)
    split = StratifiedGroupKFold(n_splits=folds, shuffle=True, random_state=seed)
    fitted = cross_val_predict(model, inputs, correct, groups=groups, cv=split, method="predict_proba")
    confidence = np.asarray(fitted[:, 1], dtype=np.float64)
    error = expected_calibration_error(correct, confidence)
    return ProbeResult(confidence, auroc(correct, confidence), Estimate(error, n=len(correct)), None)
