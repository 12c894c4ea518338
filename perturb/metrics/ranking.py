"""The ranking of models, and how stable a metric and its ranking are across settings.

A table of scores has one row per model and one column per setting; a higher score is better. Reference: Refusal Index
paper, tables 2 and 3, appendices H and K.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from perturb.metrics.inputs import Estimate, Floats, read_flags, read_numbers, require_same_length
from perturb.metrics.tetrachoric import rank_correlation, tetrachoric

# Two models differ beyond chance if their corrected p-value is below this.
BEYOND_CHANCE = 0.05
# Rounds of the coordinate descent after which it ends although it has not converged.
MAX_SWEEPS = 1000
# Residuals below this share of the largest score are rounding errors, and become 0.
ROUNDING = 1e-10


def common_ranks(
    values: Mapping[str, float | None], p_values: Mapping[tuple[str, str], float | None]
) -> dict[str, int | None]:
    """Rank each model: one more than the number of models that are better beyond chance. Possible ties share a rank.

    `p_values` are the uncorrected ones of all pairs; this applies Holm's correction. A model without a value has no
    rank.

    >>> common_ranks({"a": 0.9, "b": 0.8, "c": 0.1}, {("a", "b"): 0.4, ("a", "c"): 0.001, ("b", "c"): 0.002})
    {'a': 1, 'b': 1, 'c': 3}
    """
    corrected = zip(p_values, holm(list(p_values.values())), strict=True)
    distinct = {frozenset(pair) for pair, p in corrected if p is not None and p < BEYOND_CHANCE}
    defined = {name: value for name, value in values.items() if value is not None}
    ranks: dict[str, int | None] = dict.fromkeys(values)
    for name, value in defined.items():
        better = [
            rival
            for rival, rival_value in defined.items()
            if rival_value > value and frozenset((name, rival)) in distinct
        ]
        ranks[name] = 1 + len(better)
    return ranks


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down correction; None stays None and does not count.

    Formula: the k-th smallest of m p-values is multiplied by m - k + 1, then raised to the largest of those before it,
    and limited to 1. The probability of any false rejection in the family stays below the level.

    Reference: Holm (1979), Scandinavian Journal of Statistics 6.

    >>> holm([0.01, 0.04, None, 0.03])
    [0.03, 0.06, None, 0.06]
    """
    corrected: list[float | None] = [None] * len(p_values)
    ordered = sorted((p, position) for position, p in enumerate(p_values) if p is not None)
    largest = 0.0
    for n_smaller, (p, position) in enumerate(ordered):
        largest = max(largest, min(1.0, p * (len(ordered) - n_smaller)))
        corrected[position] = largest
    return corrected


def normalised_difference(values: ArrayLike, refusal_rates: ArrayLike) -> Estimate:
    """The change of a metric from the setting with the fewest refusals to the setting with the most.

    Formula: (value at the most refusing setting - value at the least refusing one) / |mean over settings|. Any real
    number; closer to 0 is more stable. Undefined if the mean is 0.

    Raises ValueError unless there is one refusal rate for each value.

    Reference: Refusal Index paper, section 4.2, equation 7.

    >>> normalised_difference([0.30, 0.25, 0.20], [0.1, 0.3, 0.5]).value.__round__(2)
    -0.4
    """
    scores, rates = read_numbers(values, "values"), read_numbers(refusal_rates, "refusal_rates")
    require_same_length(values=scores, refusal_rates=rates)
    return _over_mean(scores[np.argmax(rates)] - scores[np.argmin(rates)], scores)


def coefficient_of_variation(values: ArrayLike) -> Estimate:
    """The spread of a metric over settings, relative to its mean.

    Formula: standard deviation / |mean|, with the divisor n. Range: from 0 up; lower is more stable. Undefined if the
    mean is 0. The paper does not name its divisor; the ratios of CV to range in its table 2 are impossible with n - 1.

    Reference: Refusal Index paper, section 4.2, equation 8.

    >>> coefficient_of_variation([1.0, 3.0]).value
    0.5
    """
    scores = read_numbers(values, "values")
    return _over_mean(scores.std(), scores)


def _over_mean(value: float, scores: Floats) -> Estimate:
    # a mean below the rounding errors of the largest score counts as 0
    if not scores.any() or abs(scores.mean()) <= ROUNDING * np.abs(scores).max():
        return Estimate.undefined("the mean over the settings is 0", n=len(scores))
    return Estimate(float(value / abs(scores.mean())), n=len(scores))


def kendalls_w(scores: ArrayLike, *, correct_ties: bool = False) -> Estimate:
    """Agreement of the rankings of models over settings, from a table of shape (models, settings).

    Formula: 12 S / (m² (n³ - n)), with S the squared spread of the rank sums of n models over m settings; tied models
    share their mean rank. With `correct_ties` the ties of each setting reduce the denominator. Range: [0, 1]; higher is
    more stable. Undefined for fewer than two models or settings and, with `correct_ties`, if all models tie in every
    setting.

    Raises ValueError if the table is not two-dimensional, or if a value is missing.

    Reference: Refusal Index paper, appendix K.1 (no correction for ties: full ties give 0).

    >>> kendalls_w([[3, 3], [2, 2], [1, 1]]).value
    1.0
    """
    from scipy.stats import rankdata

    table = _read_scores(scores)
    n, m = table.shape
    if n < 2 or m < 2:
        return Estimate.undefined("agreement needs two models and two settings at least", n=m)
    ranks = rankdata(table, axis=0)
    # the mean rank in a setting is (n + 1) / 2, so this is the mean of the rank sums
    mean_rank_sum = m * (n + 1) / 2
    spread = float(np.sum((ranks.sum(axis=1) - mean_rank_sum) ** 2))
    ties = sum(_tie_excess(column) for column in ranks.T) if correct_ties else 0.0
    largest = m**2 * (n**3 - n) - m * ties
    if largest <= 0:
        return Estimate.undefined("all models tie in every setting", n=m)
    return Estimate(12 * spread / largest, n=m)


def winner_entropy(scores: ArrayLike) -> Estimate:
    """How evenly the models share the first place, from a table of shape (models, settings).

    Formula: -sum p_i log_n p_i over n models, with p_i the share of settings that model i wins; models that tie for
    the first place share it. Range: [0, 1]; 0 means that one model always wins; lower is more stable. Undefined for one
    model.

    Raises ValueError if the table is not two-dimensional, or if a value is missing.

    Reference: Refusal Index paper, appendix K.2.

    >>> winner_entropy([[3, 1], [2, 2]]).value
    1.0
    """
    table = _read_scores(scores)
    n, m = table.shape
    if n < 2:
        return Estimate.undefined("a winner needs two models at least", n=m)
    is_winner = table == table.max(axis=0)
    # shape (models,): within a setting, each of k winners gets 1 / k
    shares = (is_winner / is_winner.sum(axis=0)).mean(axis=1)
    positive = shares[shares > 0]  # a share of 0 adds nothing, but has no logarithm
    entropy = -np.sum(positive * np.log(positive))
    return Estimate(float(abs(entropy / np.log(n))), n=m)  # `abs` turns -0.0 into 0.0


def random_ranking(models: int, settings: int) -> tuple[float, float]:
    """The mean of Kendall's W and of winner entropy over random rankings without ties.

    Formulas: 1/m, and the expectation of the entropy over binomial shares, for n models and m settings. With 5 models
    and 4 settings they are .25 and .62. The paper's table 3 prints .25 and .61 for its eight settings, for which they
    would be .125 and .81.

    Reference: Refusal Index paper, table 3, first row.

    >>> [round(value, 2) for value in random_ranking(5, 4)]
    [0.25, 0.62]
    """
    from scipy.stats import binom

    # The number of settings that a model wins is binomial. A model without a win adds nothing to the entropy.
    wins = np.arange(1, settings + 1)
    chances = binom.pmf(wins, settings, 1 / models)
    shares = wins / settings
    entropy = -models * np.sum(chances * shares * np.log(shares))
    return 1 / settings, float(abs(entropy / np.log(models)))


def isotonic_residuals(scores: ArrayLike, covariate: ArrayLike) -> Floats:
    """The residuals of a metric after a monotone curve in a covariate, fitted for each model.

    `scores` and `covariate`, such as the refusal rate, have shape (models, settings). Each model gets the monotone
    least-squares curve, rising or falling, with the smaller residuals. Settings with equal covariates share a fitted
    value.

    Raises ValueError if the shapes differ.

    Reference: Refusal Index paper, appendix K.4.

    >>> isotonic_residuals([[1.0, 2.0, 4.0]], [[0.1, 0.2, 0.3]]).tolist()
    [[0.0, 0.0, 0.0]]
    """
    table, values = _read_scores(scores), _read_scores(covariate)
    _require_same_shape(table, values)
    fitted = np.array([_monotone(row, x) for row, x in zip(table, values, strict=True)])
    return _tidy(table - fitted, table)


def additive_isotonic_residuals(scores: ArrayLike, first: ArrayLike, second: ArrayLike) -> Floats:
    """The residuals of a metric after a sum of monotone curves in two covariates, fitted for each model.

    Coordinate descent: each curve in turn is fitted to the residuals of the other, until neither changes. All three
    tables have shape (models, settings).

    Raises ValueError if the shapes differ.

    Reference: Refusal Index paper, appendix K.4.

    >>> additive_isotonic_residuals([[3.0, 1.0, 2.0]], [[1, 2, 3]], [[0, 1, 0]]).round(6).tolist()
    [[0.0, 0.0, 0.0]]
    """
    table, first_values, second_values = _read_scores(scores), _read_scores(first), _read_scores(second)
    _require_same_shape(table, first_values)
    _require_same_shape(table, second_values)
    rows = [_without_both(row, x, z) for row, x, z in zip(table, first_values, second_values, strict=True)]
    return _tidy(np.array(rows), table)


def subset_size_cv(
    refused: ArrayLike,
    wrong: ArrayLike,
    sizes: Sequence[int],
    *,
    statistic: Callable[[Floats], Floats] | None = None,
    repeats: int = 50,
    seed: int = 0,
) -> dict[int, Estimate]:
    """The coefficient of variation of the Refusal Index, or of another statistic, over random subsets of each size.

    Subsets are drawn without replacement, `repeats` per size; `n` of an estimate is the number of subsets that define
    the statistic. `statistic` gets tables of counts n11, n10, n01, n00, shape (tables, 4), and returns a value for each
    table, or NaN. Lower is more stable.

    Raises ValueError for a size that is not between 1 and the number of questions.

    Reference: Refusal Index paper, appendix H, figure 10.

    >>> cv = subset_size_cv([1, 0] * 500, [1, 0, 0, 1, 1, 0] * 166 + [1, 0, 0, 1], [50, 500])
    >>> cv[50].value > cv[500].value
    True
    """
    r, w = read_flags(refused, "refused"), read_flags(wrong, "wrong")
    require_same_length(refused=r, wrong=w)
    # n11, n10, n01, n00
    counts = [int(np.sum(cell)) for cell in (r & w, r & ~w, ~r & w, ~r & ~w)]
    rng = np.random.default_rng(seed)
    cv_by_size = {}
    for size in sizes:
        if not 1 <= size <= len(r):
            raise ValueError(f"a subset of {size} questions cannot be drawn from {len(r)}")
        # Drawing the four counts of a random subset is the same as drawing its questions and counting them.
        tables = rng.multivariate_hypergeometric(counts, size, size=repeats).astype(np.float64)
        values = (statistic or _index_of)(tables)
        values = values[~np.isnan(values)]
        undefined = Estimate.undefined("undefined on every subset")
        cv_by_size[size] = coefficient_of_variation(values) if len(values) else undefined
    return cv_by_size


def _index_of(tables: Floats) -> Floats:
    """The Refusal Index of each table, shape (tables,); NaN if it is undefined."""
    fitted = tetrachoric(tables)
    return np.where(fitted.defined, rank_correlation(fitted.rho), np.nan)


def _read_scores(scores: ArrayLike) -> Floats:
    """A table of finite numbers, shape (models, settings)."""
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or table.size == 0:
        raise ValueError(f"scores need the shape (models, settings), got {table.shape}")
    if not np.all(np.isfinite(table)):
        raise ValueError("scores hold a missing value: leave out models or settings that are incomplete")
    return table


def _require_same_shape(table: Floats, covariate: Floats) -> None:
    if table.shape != covariate.shape:
        raise ValueError(f"scores have shape {table.shape}, their covariate {covariate.shape}")


def _tie_excess(ranks: Floats) -> float:
    """Sum of t³ - t over groups of t tied models in one setting."""
    _, sizes = np.unique(ranks, return_counts=True)
    return float(np.sum(sizes**3 - sizes))


def _monotone(values: Floats, covariate: Floats) -> Floats:
    """Least-squares monotone fit, rising or falling; ties in the covariate are pooled."""
    from scipy.optimize import isotonic_regression

    # Equal covariates share a level, which is fitted to the mean of their values.
    _, level, sizes = np.unique(covariate, return_inverse=True, return_counts=True)
    means = np.bincount(level, weights=values) / sizes
    rising = isotonic_regression(means, weights=sizes, increasing=True).x[level]
    falling = isotonic_regression(means, weights=sizes, increasing=False).x[level]
    rising_is_closer = np.sum((values - rising) ** 2) <= np.sum((values - falling) ** 2)
    return np.asarray(rising if rising_is_closer else falling)


def _without_both(values: Floats, first_covariate: Floats, second_covariate: Floats) -> Floats:
    """The residuals of one model after the curves in both covariates."""
    by_second = np.zeros_like(values)
    residuals = values
    negligible = ROUNDING * np.max(np.abs(values), initial=1e-300)
    # Each covariate in turn explains what the other one leaves over, until nothing changes.
    for _ in range(MAX_SWEEPS):
        by_first = _monotone(values - by_second, first_covariate)
        by_second = _monotone(values - by_first, second_covariate)
        previous = residuals
        residuals = values - by_first - by_second
        if np.max(np.abs(residuals - previous)) <= negligible:
            break
    return residuals


def _tidy(residuals: Floats, table: Floats) -> Floats:
    """The residuals, with rounding errors set to exactly 0, so that they do not break ties."""
    return np.where(np.abs(residuals) <= 10 * ROUNDING * np.abs(table).max(), 0.0, residuals)
