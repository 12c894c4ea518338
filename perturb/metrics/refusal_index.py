"""The Refusal Index: does a model refuse what it does not know?

There are two passes over the same questions. In the first pass the model may refuse; in the second it must answer the
questions that it refused. R means that a question was refused, W that the answer, forced if need be, is wrong. The
index is Spearman's rank correlation between the latent tendencies to refuse and to err, estimated from the 2x2 table of
R and W.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from perturb.metrics.inputs import Estimate, Floats, read_flags, require_same_length
from perturb.metrics.resampling import bootstrap_means, cluster_codes
from perturb.metrics.tetrachoric import (
    LEVEL,
    bootstrap_estimate,
    delta_estimate,
    resampled_estimate,
    upper_orthant,
)

IntervalMethod = Literal["bootstrap", "delta"]
# Three rates may contradict each other by this much, since papers often print two decimals.
RATE_TOLERANCE = 0.01
# With fewer questions in a cell, the normal approximations are not reliable.
SMALL_CELL = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusalIndex:
    """The Refusal Index of one model with one prompt, with its companions (paper, table 1)."""

    refusal_index: float | None
    """Spearman correlation in [-1, 1], higher is better; None if undefined."""
    low: float | None
    """Lower end of the interval."""
    high: float | None
    """Upper end of the interval."""
    se: float | None
    """Standard error."""
    rho: float | None
    """The tetrachoric correlation that the index is computed from."""
    n: int
    """Number of questions."""
    n11: int
    """Refused, and wrong when forced."""
    n10: int
    """Refused, yet right when forced."""
    n01: int
    """Answered wrongly."""
    n00: int
    """Answered rightly."""
    boundary: bool
    """Whether an empty cell forces the index to -1 or 1."""
    reason: str | None
    """The reason why the index, or its interval, is missing."""
    warning: str | None
    """A caution, for example about a sparse table."""
    correct_rate: float
    """c: the share of all questions that were answered rightly."""
    refusal_rate: float
    """r: the share of all questions that were refused."""
    c_over_a: float | None
    """c / (1 - r): accuracy among answered questions; None if all were refused."""
    f_score: float
    """2c / (2 - r): the harmonic mean of c and c / (1 - r)."""

    def weighted_score(self, p: float = 0.2) -> float:
        """c - p (1 - r), from -p to 1 - p, higher is better (paper, table 1). Its text uses p = 0.2, its table 7 p = 1.

        >>> refusal_index_from_counts(50, 10, 20, 20).weighted_score(p=1).__round__(2)
        -0.2
        """
        return self.correct_rate - p * (1 - self.refusal_rate)

    def to_dict(self) -> dict[str, object]:
        """The fields of `perturb refusal-index --json`, and the warning."""
        fields: dict[str, object] = {name: getattr(self, name) for name in self.__slots__}
        return fields | {"weighted": {"p=0.2": self.weighted_score(0.2), "p=1": self.weighted_score(1)}}


def refusal_index(
    refused: ArrayLike,
    wrong: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    interval_by: IntervalMethod | None = None,
    resamples: int = 1000,
    seed: int = 0,
    level: float = LEVEL,
) -> RefusalIndex:
    """The Refusal Index from one row per question.

    `refused` is R, the refusal in the first pass. `wrong` is W, the error of the answer: the first-pass grade if the
    model answered, the second-pass grade if it refused. A reply that makes no attempt to answer counts as wrong. Both
    are 0/1.

    Formula: (6/pi) arcsin(rho/2), with rho the correlation at which a bivariate normal, cut at the margins, gives the
    observed share of refused and wrong questions. Range: [-1, 1]; higher is better. 1 means that the model refuses
    exactly the questions on which it errs most, 0 that refusals do not depend on errors. `clusters` has the base
    instance of each row. The interval comes from the delta method, in Fisher's z; with clusters, or if `interval_by` is
    `bootstrap`, from the bootstrap of questions or whole clusters.

    Raises ValueError for values other than 0/1 and for columns of different lengths.

    Reference: Refusal Index paper, section 3.1, equations 3 to 6.

    >>> result = refusal_index([1, 1, 1, 0, 0, 0, 0, 1], [1, 1, 0, 0, 0, 1, 0, 1])
    >>> result.n11, result.n10, result.n01, result.n00, round(result.refusal_index, 4)
    (3, 1, 1, 3, 0.6902)
    """
    r, w = read_flags(refused, "refused"), read_flags(wrong, "wrong")
    require_same_length(refused=r, wrong=w)
    # A row for each question with a 1 in its cell: n11, n10, n01 or n00. Shape (questions, 4).
    cells = np.stack([r & w, r & ~w, ~r & w, ~r & ~w], axis=1).astype(np.float64)
    table = cells.sum(axis=0)
    if clusters is not None and interval_by == "delta":
        raise ValueError(
            "the delta method takes items as independent: use interval_by='bootstrap' with clusters"
        )
    codes = cluster_codes(clusters, len(r))
    if codes is None:
        return _result(table, _estimate(table, interval_by or "delta", resamples, seed, level))
    shares = bootstrap_means(cells, clusters=codes, resamples=resamples, seed=seed)
    # Rounding may leave a share just below 0.
    draws = np.maximum(shares, 0.0) * len(r)
    return _result(table, resampled_estimate(table, draws, int(codes.max()) + 1, level))


def refusal_index_from_counts(
    n11: int,
    n10: int,
    n01: int,
    n00: int,
    *,
    interval_by: IntervalMethod = "delta",
    resamples: int = 1000,
    seed: int = 0,
    level: float = LEVEL,
) -> RefusalIndex:
    """The Refusal Index from the 2x2 table: refused and wrong, refused and right, answered wrongly, answered rightly.

    Formula, range, intervals and reference as in `refusal_index`; higher is better.

    Raises ValueError for negative counts and for an empty table.

    >>> result = refusal_index_from_counts(2400, 300, 1200, 426)
    >>> round(result.refusal_index, 3), round(result.f_score, 3), result.boundary
    (0.337, 0.143, False)
    >>> refusal_index_from_counts(0, 0, 10, 90).reason
    'no question was refused'
    """
    table = np.array([n11, n10, n01, n00], dtype=np.float64)
    if not np.all((table >= 0) & (table == np.round(table))):
        raise ValueError(f"counts must be whole numbers from 0 up, got {(n11, n10, n01, n00)}")
    if table.sum() == 0:
        raise ValueError("all four counts are 0: the index needs at least one question")
    return _result(table, _estimate(table, interval_by, resamples, seed, level))


def refusal_index_from_rates(
    correct_rate: float,
    refusal_rate: float,
    forced_accuracy: float,
    n: int = 2000,
    *,
    interval_by: IntervalMethod = "delta",
) -> RefusalIndex:
    """The Refusal Index from the rates that papers print.

    `correct_rate` is c, the share of ALL n questions that were answered rightly (not the share of the answered ones, as
    the text around the paper's snippet says). `refusal_rate` is r. `forced_accuracy` is 1 - mu, the accuracy if every
    question is answered. The counts are rounded as in the snippet. The interval is for this n, so pass the real number.

    Formula, range and reference as in `refusal_index`; higher is better. Paper, appendix J, figure 12.

    Raises ValueError if the rates cannot come from one table. A contradiction within `RATE_TOLERANCE` counts as
    rounding, and the result has a warning.

    >>> round(refusal_index_from_rates(0.09, 0.85, 0.16, n=4326).refusal_index, 3)
    0.75
    """
    rates = {"correct_rate": correct_rate, "refusal_rate": refusal_rate, "forced_accuracy": forced_accuracy}
    for name, rate in rates.items():
        if not 0 <= rate <= 1:
            raise ValueError(f"{name} must lie in [0, 1], got {rate:g}")
    wrong_answered = 1 - refusal_rate - correct_rate
    right_refused = forced_accuracy - correct_rate
    wrong_refused = refusal_rate - right_refused
    if wrong_answered < -RATE_TOLERANCE:
        raise ValueError(
            f"correct_rate {correct_rate:g} exceeds 1 - refusal_rate {refusal_rate:g}: "
            "give it as a share of all questions, not of the answered ones"
        )
    if min(right_refused, wrong_refused) < -RATE_TOLERANCE:
        raise ValueError(
            f"forced_accuracy must lie between correct_rate {correct_rate:g} and "
            f"correct_rate + refusal_rate {correct_rate + refusal_rate:g}, got {forced_accuracy:g}"
        )
    # The margins are rounded first and the other cells follow, so that the table keeps both printed rates.
    refused = round(n * refusal_rate)
    n11 = min(max(round(n * wrong_refused), 0), refused)
    n01 = min(max(round(n * wrong_answered), 0), n - refused)
    clipped = min(wrong_answered, right_refused, wrong_refused) < -0.5 / n
    note = (
        "the rates contradict each other within rounding; negative cells were taken as 0" if clipped else None
    )
    table = np.array([n11, refused - n11, n01, n - refused - n01], dtype=np.float64)
    return _result(table, _estimate(table, interval_by), note)


def accuracy_refusal_curve(refusal_rates: ArrayLike, forced_accuracy: float, index: float) -> Floats:
    """The correct-answer rate a(r) along a curve of equal Refusal Index.

    Formula: the bivariate normal probability that a question is answered and right, at the rho of `index`. It falls
    from `forced_accuracy` at r = 0 to 0 at r = 1; a higher index bends the curve upwards.

    Raises ValueError for rates outside [0, 1] and an index outside [-1, 1].

    Reference: Refusal Index paper, appendix E, equation 12.

    >>> accuracy_refusal_curve([0, 0.5, 1], forced_accuracy=0.4, index=0.0).round(3).tolist()
    [0.4, 0.2, 0.0]
    """
    from scipy.special import ndtri

    rates = np.asarray(refusal_rates, dtype=np.float64)
    if not (np.all((rates >= 0) & (rates <= 1)) and 0 <= forced_accuracy <= 1 and -1 <= index <= 1):
        raise ValueError("refusal rates and forced_accuracy must lie in [0, 1], the index in [-1, 1]")
    # the index is (6/pi) arcsin(rho/2), solved for rho
    rho = 2 * np.sin(np.pi * index / 6)
    # With tau_r and tau_w the thresholds of refusal and error, P(Z_R < tau_r, Z_W < tau_w) is the upper orthant of the
    # mirrored thresholds.
    return upper_orthant(ndtri(rates), ndtri(1 - forced_accuracy), np.clip(rho, -1, 1))


def questions_for_cv(result: RefusalIndex, cv: float) -> Estimate:
    """The number of questions with which the index of such a table has a standard error of `cv` times its value.

    Formula: n times (se / (cv RI))², by the delta method. Undefined at the boundary and at an index of 0.

    Raises ValueError if `cv` is not positive.

    Reference: Refusal Index paper, appendix H.

    >>> questions_for_cv(refusal_index_from_counts(240, 30, 120, 43), cv=0.1).value
    2368.0
    """
    if not cv > 0:
        raise ValueError(f"cv must be positive, got {cv:g}")
    table = np.array([result.n11, result.n10, result.n01, result.n00], dtype=np.float64)
    estimate = delta_estimate(table)
    if estimate.se is None or not estimate.value:
        return Estimate.undefined(
            estimate.reason or "the index is 0: no sample makes its CV small", n=result.n
        )
    return Estimate(float(np.ceil(result.n * (estimate.se / (cv * estimate.value)) ** 2)), n=result.n)


def _estimate(
    table: Floats, interval_by: IntervalMethod, resamples: int = 1000, seed: int = 0, level: float = LEVEL
) -> Estimate:
    """The index of independent questions, with the interval of the chosen method."""
    if interval_by == "delta":
        return delta_estimate(table, level)
    return bootstrap_estimate(table, resamples, seed, level)


def _result(table: Floats, estimate: Estimate, note: str | None = None) -> RefusalIndex:
    """The index with its companions and warnings; `note` is a warning of the caller's."""
    n = estimate.n
    n11, n10, n01, n00 = (int(count) for count in table)
    refused, wrong, correct = (n11 + n10) / n, (n11 + n01) / n, n00 / n
    # the smallest count that a cell would have if R and W were independent
    smallest_expected = n * min(refused, 1 - refused) * min(wrong, 1 - wrong)
    warnings = [note] if note else []
    if n11 and not n10:
        warnings.append(
            "every refused question counts as wrong: if they were not asked again and answered, there was no second"
            " pass, and the index says nothing"
        )
    if smallest_expected < SMALL_CELL:
        warnings.append(
            f"a cell expects {smallest_expected:.1f} questions, fewer than {SMALL_CELL}: the index is unreliable"
        )
    if estimate.value is not None and table.min() < SMALL_CELL:
        warnings.append(
            f"a cell holds {table.min():.0f} questions, fewer than {SMALL_CELL}: the interval is rough"
        )
    return RefusalIndex(
        refusal_index=estimate.value,
        low=estimate.low,
        high=estimate.high,
        se=estimate.se,
        rho=None if estimate.value is None else float(2 * np.sin(np.pi * estimate.value / 6)),
        n=n,
        n11=n11,
        n10=n10,
        n01=n01,
        n00=n00,
        boundary=estimate.value is not None and not table.all(),
        reason=estimate.reason,
        warning="; ".join(warnings) or None,
        correct_rate=correct,
        refusal_rate=refused,
        c_over_a=correct / (1 - refused) if refused < 1 else None,
        f_score=2 * correct / (2 - refused),
    )
