"""How well stated confidence matches correctness: calibration, ranking and proper losses.

All functions take one row per answer: `is_correct` as 0/1 and `confidence` in [0, 1]. They raise ValueError for
other values, for empty columns and for columns of different lengths. Reference: BAS paper, section 2.3.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perturb.metrics.inputs import Estimate, Flags, Floats, Integers, read_graded
from perturb.metrics.intervals import Bounded, reported_estimate

# Bins of equal width, bins of equal numbers of answers, or one for each stated confidence.
Binning = Literal["width", "mass", "unbinned"]
# The side on which a bin includes its edge: right as in Guo et al. (2017), left as in the code of the BAS authors.
Closed = Literal["right", "left"]
# Up to this number of answers `calibration_p_value` draws each answer; above it, it draws normal sums of the bins.
EXACT_ROWS = 10_000
# The number of answers drawn in one step, which limits memory.
DRAWS_AT_ONCE = 2_000_000
# If the test of calibration has a larger p-value, the interval of the ECE begins at 0.
CALIBRATED_UP_TO = 0.05
# `log_loss` clips confidence at this distance from 0 and 1, the distance at which the BAS clips it from 1.
LOG_CLIP = 1e-4


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """One bin of a reliability diagram; empty bins are left out."""

    low: float
    """Lower edge. If bins are closed on the right, it belongs to the bin below, except in the first bin."""
    high: float
    """Upper edge."""
    n: int
    """Number of answers in the bin."""
    confidence: float
    """Their mean confidence."""
    accuracy: float
    """The share of right answers among them."""


@dataclass(frozen=True, slots=True)
class RiskCoverage:
    """The share of errors among the k most confident answers, for each k."""

    coverage: Floats
    """k / n for k = 1 … n."""
    risk: Floats
    """Expected share of errors among the k most confident answers, if ties are broken at random."""


def expected_calibration_error(
    is_correct: ArrayLike,
    confidence: ArrayLike,
    *,
    bins: int = 10,
    binning: Binning = "width",
    closed: Closed = "right",
) -> float:
    """Expected calibration error (ECE).

    Formula: sum over bins of (n_b / n) |accuracy_b - confidence_b|. `width`: bins of equal width, closed on the right
    or the left; `mass`: bins between quantiles, equal confidences staying together; `unbinned`: the mean of
    |confidence - correctness|, the form of the paper's examples. Range: [0, 1]; lower is better. Chance alone makes it
    positive: see `calibration_p_value`.

    Reference: BAS paper, section 2.3 and appendix C.1; Naeini et al. (2015); Guo et al. (2017), equation 5.

    >>> expected_calibration_error([1, 1, 0, 0], [0.7, 0.7, 0.3, 0.3], binning="unbinned").__round__(2)
    0.3
    """
    if binning == "unbinned":
        correct, confidences = read_graded(is_correct, confidence)
        return float(np.mean(np.abs(confidences - correct)))
    points = reliability_bins(is_correct, confidence, bins=bins, binning=binning, closed=closed)
    total = sum(point.n for point in points)
    return sum(point.n * abs(point.accuracy - point.confidence) for point in points) / total


def reliability_bins(
    is_correct: ArrayLike,
    confidence: ArrayLike,
    *,
    bins: int = 10,
    binning: Literal["width", "mass"] = "width",
    closed: Closed = "right",
) -> list[ReliabilityBin]:
    """The points of a reliability diagram: mean confidence against accuracy in each bin.

    Binning as in `expected_calibration_error`.

    Reference: Refusal Index paper, appendix L.

    >>> reliability_bins([1, 0], [0.9, 0.2], bins=2)[1].accuracy
    1.0
    """
    correct, confidences = read_graded(is_correct, confidence)
    edges = bin_edges(confidences, bins, binning)
    bin_of = bin_places(confidences, edges, closed)
    # For each bin: the number of answers, of right ones, and the sum of confidences.
    n = np.bincount(bin_of)
    right, total = np.bincount(bin_of, weights=correct), np.bincount(bin_of, weights=confidences)
    return [
        ReliabilityBin(
            low=float(edges[b]),
            high=float(edges[b + 1]),
            n=int(n[b]),
            confidence=float(total[b] / n[b]),
            accuracy=float(right[b] / n[b]),
        )
        for b in np.flatnonzero(n)
    ]


def bin_edges(confidence: Floats, bins: int, binning: Binning) -> Floats:
    """The `bins + 1` edges of the bins.

    Raises ValueError for fewer than one bin and for an unknown binning.

    >>> bin_edges(np.array([0.1, 0.9]), 2, "width").tolist()
    [0.0, 0.5, 1.0]
    """
    if bins < 1:
        raise ValueError(f"bins must be 1 or more, got {bins}")
    if binning == "width":
        # not `linspace`: 3 / 10 is exactly the number that the text 0.3 stands for, 3 steps of 0.1 are not
        return np.arange(bins + 1) / bins
    if binning == "mass":
        return np.asarray(np.quantile(confidence, np.linspace(0, 1, bins + 1), method="inverted_cdf"))
    raise ValueError(f"binning must be 'width' or 'mass' here, got {binning!r}")


def bin_places(confidence: Floats, edges: Floats, closed: Closed = "right") -> Integers:
    """The bin of each confidence; 0 is in the first bin and 1 in the last, whichever side is closed.

    >>> halves = np.array([0.0, 0.5, 1.0])
    >>> bin_places(np.array([0.0, 0.5, 1.0]), halves).tolist(), bin_places(np.array([0.5]), halves, "left").tolist()
    ([0, 0, 1], [1])
    """
    below = np.searchsorted(edges, confidence, side="left" if closed == "right" else "right")
    return np.clip(below - 1, 0, len(edges) - 2)


def calibration_p_value(
    is_correct: ArrayLike,
    confidence: ArrayLike,
    *,
    bins: int = 10,
    closed: Closed = "right",
    clusters: ArrayLike | None = None,
    resamples: int = 1000,
    seed: int = 0,
) -> float:
    """The probability that a perfectly calibrated model with these confidences has at least this ECE.

    Each simulated answer is right with the stated probability (consistency resampling). With `clusters`, the answers of
    a base instance are as strongly correlated as their residuals. Range: 1/(resamples + 1) to 1.

    Reference: Bröcker and Smith (2007), Weather and Forecasting 22; Vaicenavicius et al. (2019).

    >>> calibration_p_value([1, 0] * 50, [0.5] * 100) > 0.9, calibration_p_value([1, 0] * 50, [0.9] * 100) < 0.01
    (True, True)
    """
    correct, confidences = read_graded(is_correct, confidence)
    bin_of_row = bin_places(confidences, bin_edges(confidences, bins, "width"), closed)
    # n times the ECE: the sum over bins of |sum of (correct - confidence)|
    observed = np.abs(np.bincount(bin_of_row, weights=correct - confidences)).sum()
    # without `clusters`, each row is a cluster of its own
    labels = np.arange(len(correct)) if clusters is None else np.asarray(clusters)
    cluster_of_row = np.unique(labels, return_inverse=True)[1]
    correlation = _correlation_within(correct, confidences, cluster_of_row)
    rng = np.random.default_rng(seed)
    if len(confidences) > EXACT_ROWS:
        # Correlated answers raise the variance of a sum by the design effect 1 + ρ (Σ m² / n - 1) for clusters of m.
        sizes = np.bincount(cluster_of_row)
        design_effect = 1 + correlation * (float(sizes @ sizes) / len(confidences) - 1)
        variance_of_bin = np.bincount(bin_of_row, weights=confidences * (1 - confidences)) * design_effect
        # With so many rows, the sum of (correct - confidence) in a bin is about normal.
        sums = rng.normal(size=(resamples, len(variance_of_bin))) * np.sqrt(variance_of_bin)
        simulated = np.abs(sums).sum(axis=1)
    else:
        # Shape (answers, bins), 1 in the bin of the answer: the product with it sums over each bin.
        is_in_bin = np.eye(bin_of_row.max() + 1)[bin_of_row]
        draws = _calibrated_draws(rng, confidences, cluster_of_row, correlation, resamples)
        bin_sums = [(correctness - confidences) @ is_in_bin for correctness in draws]
        simulated = np.concatenate([np.abs(sums).sum(axis=1) for sums in bin_sums])
    # 1e-9: equal sums may differ by rounding
    return float((1 + np.sum(simulated >= observed - 1e-9)) / (1 + resamples))


def _calibrated_draws(
    rng: np.random.Generator, confidence: Floats, cluster_of_row: Integers, correlation: float, resamples: int
) -> Iterator[Flags]:
    """The correctness of a calibrated model's answers, with a correlation within clusters.

    It comes in chunks of shape (draws, answers), with `resamples` draws in all.
    """
    step = max(1, DRAWS_AT_ONCE // len(confidence))
    for start in range(0, resamples, step):
        count = min(step, resamples - start)
        uniform = rng.random((count, len(confidence)))
        if correlation > 0:
            # Each answer takes the number of its cluster with the probability √correlation. So two answers of a
            # cluster have the same number with the probability `correlation`.
            of_cluster = rng.random((count, int(cluster_of_row.max()) + 1))[:, cluster_of_row]
            takes_it = rng.random(uniform.shape) < np.sqrt(correlation)
            uniform = np.where(takes_it, of_cluster, uniform)
        yield uniform < confidence


def calibration_error_estimate(
    value: float, replicates: Floats, n: int, *, clusters: int, p_value: float, maximum: float = 1.0
) -> Estimate:
    """An expected calibration error with its 95 % interval.

    Chance alone makes the error positive, and resampling adds the same amount again. The centre of the interval is
    therefore the value minus the bias that the replicates show (Kumar et al. 2019). The interval begins at 0 if a
    calibrated model often has such an error: if `p_value`, from `calibration_p_value`, is above .05.

    >>> calibration_error_estimate(0.1, np.array([0.1, 0.14]), 50, clusters=50, p_value=0.4).low
    0.0
    """
    # The bias is the mean of the replicates minus the value.
    centre = max(0.0, 2 * value - float(np.nanmean(replicates))) if len(replicates) else value
    estimate = reported_estimate(Bounded.of(centre, replicates, n, clusters=clusters, high=maximum))
    low = 0.0 if estimate.low is not None and p_value > CALIBRATED_UP_TO else estimate.low
    return replace(estimate, value=value, low=low)


def _correlation_within(correct: Flags, confidence: Floats, cluster_of_row: Integers) -> float:
    """The mean product of two standardised residuals of one cluster, from 0 to 1."""
    has_variance = (confidence > 0) & (confidence < 1)
    variance = np.where(has_variance, confidence * (1 - confidence), 1.0)
    residual = np.where(has_variance, correct - confidence, 0.0) / np.sqrt(variance)
    sums = np.bincount(cluster_of_row, weights=residual)
    squares = np.bincount(cluster_of_row, weights=residual**2)
    sizes = np.bincount(cluster_of_row, weights=has_variance)
    # Both count every pair of rows twice: a square of a sum is the sum of squares and of all products of two members.
    products = float((sums**2 - squares).sum())
    pairs = float((sizes * (sizes - 1)).sum())
    return float(np.clip(products / pairs, 0.0, 1.0)) if pairs else 0.0


def risk_coverage_curve(is_correct: ArrayLike, confidence: ArrayLike) -> RiskCoverage:
    """Selective risk at every coverage.

    Formula: risk(k/n) = expected errors among the k most confident answers / k, where answers of equal confidence are
    in random order. Risk is in [0, 1]; lower is better.

    Reference: BAS paper, section 2.3; Geifman and El-Yaniv (2017).

    >>> risk_coverage_curve([1, 0], [0.5, 0.5]).risk.tolist()
    [0.5, 0.5]
    """
    correct, confidences = read_graded(is_correct, confidence)
    order = np.argsort(-confidences, kind="stable")
    _, starts, sizes = np.unique(-confidences[order], return_index=True, return_counts=True)
    errors = np.add.reduceat((~correct[order]).astype(np.float64), starts)
    # Among answers of equal confidence, each is wrong with the share of errors among them.
    expected_errors = np.cumsum(np.repeat(errors / sizes, sizes))
    answered = np.arange(1, len(confidences) + 1)
    return RiskCoverage(answered / len(confidences), expected_errors / answered)


def aurc(
    is_correct: ArrayLike, confidence: ArrayLike, *, ties: Literal["expected", "rows"] = "expected"
) -> float:
    """Area under the risk-coverage curve.

    Formula: mean of the selective risk over coverages k/n, k = 1 … n. `ties`: the expectation over the order of answers
    with equal confidence, or the order of the `rows`, as in the code of the BAS authors, where sorting a file changes
    the value. Range: [0, 1]; lower is better; it depends only on the order of the confidences.

    Reference: BAS paper, section 2.3; spec section 9.

    >>> aurc([0, 1, 1, 1, 0, 0], [0.9, 0.8, 0.7, 0.4, 0.3, 0.2]).__round__(4)
    0.4972
    """
    if ties == "expected":
        return float(risk_coverage_curve(is_correct, confidence).risk.mean())
    correct, confidences = read_graded(is_correct, confidence)
    wrong = np.cumsum(~correct[np.argsort(-confidences, kind="stable")])
    return float((wrong / np.arange(1, len(wrong) + 1)).mean())


def aurc_of_blocks(sizes: NDArray[np.floating], errors: NDArray[np.floating]) -> Floats:
    """`aurc` of many resamples, from blocks of equal confidence, the most confident first.

    `sizes` and `errors`, of shape (resamples, blocks), are the numbers of answers and of errors. The risks of a block
    with m answers and e errors sum to e + (E - N e/m) (H(N + m) - H(N)), where N and E are the numbers of answers and
    errors before the block, and H are the harmonic numbers.

    >>> aurc_of_blocks(np.array([[2.0, 1.0]]), np.array([[1.0, 0.0]])).round(4).tolist()
    [0.4444]
    """
    answers_through = np.cumsum(sizes, axis=1, dtype=np.float64)
    answers_before = answers_through - sizes
    errors_before = np.cumsum(errors, axis=1, dtype=np.float64) - errors
    error_share = errors / np.maximum(sizes, 1)
    n_answers = answers_through[:, -1]
    # H(0), H(1), …: the entry k is the sum of 1/i for i up to k
    harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, int(n_answers.max()) + 1))])
    # H(N + m) - H(N), shape (resamples, blocks)
    harmonic_gain = harmonic[answers_through.astype(np.int64)] - harmonic[answers_before.astype(np.int64)]
    risks = errors + (errors_before - error_share * answers_before) * harmonic_gain
    return np.asarray(risks.sum(axis=1) / n_answers)


def brier_loss(is_correct: ArrayLike, confidence: ArrayLike) -> float:
    """Brier score, as a loss.

    Formula: mean of (confidence - correctness)². Range: [0, 1]; lower is better; proper.

    Reference: BAS paper, section 2.3.

    >>> brier_loss([1, 0], [0.999, 0.999]).__round__(2)
    0.5
    """
    correct, confidences = read_graded(is_correct, confidence)
    return float(np.mean((confidences - correct) ** 2))


def log_loss(is_correct: ArrayLike, confidence: ArrayLike) -> float:
    """Logarithmic loss.

    Formula: -mean of ln s where right and ln(1 - s) where wrong, with s kept within [1e-4, 1 - 1e-4]. Range: 0.0001 to
    9.21; lower is better; proper up to the clipping.

    Reference: BAS paper, section 2.3.

    >>> log_loss([1, 0], [0.999, 0.999]).__round__(2)
    3.45
    """
    correct, confidences = read_graded(is_correct, confidence)
    return float(log_losses(correct, confidences).mean())


def log_losses(correct: Flags, confidence: Floats) -> Floats:
    """The logarithmic loss of each answer, from columns that are already checked.

    >>> log_losses(np.array([True]), np.array([0.5])).round(4).tolist()
    [0.6931]
    """
    clipped = np.clip(confidence, LOG_CLIP, 1 - LOG_CLIP)
    return np.asarray(-np.log(np.where(correct, clipped, 1 - clipped)))


def auroc(is_correct: ArrayLike, confidence: ArrayLike) -> Estimate:
    """The probability that a right answer has more confidence than a wrong one.

    Formula: Mann-Whitney U / (right x wrong), ties counting one half. Range: [0, 1], 0.5 is chance; higher is better.
    Undefined when all answers are right or all are wrong.

    Reference: Refusal Index paper, section 4.3.

    >>> auroc([1, 0, 1], [0.9, 0.5, 0.5]).value
    0.75
    """
    from scipy.stats import rankdata

    correct, confidences = read_graded(is_correct, confidence)
    right = int(correct.sum())
    wrong = len(correct) - right
    if right == 0 or wrong == 0:
        return Estimate.undefined(f"every answer is {'wrong' if right == 0 else 'right'}", n=len(correct))
    # The number of pairs in which the right answer is more confident: Mann and Whitney's U, from the sum of ranks.
    pairs_in_order = rankdata(confidences)[correct].sum() - right * (right + 1) / 2
    return Estimate(float(pairs_in_order / (right * wrong)), n=len(correct))


def answering_probability(refused_samples: ArrayLike) -> Floats:
    """P(Answering): the share of sampled replies to each question that are not refusals.

    `refused_samples` is 0/1 of shape (questions, samples). Formula: 1 - refusals / samples. Range: [0, 1]. With `auroc`
    and `reliability_bins` it is the sampling reference for the Refusal Index.

    Reference: Refusal Index paper, section 4.3.

    >>> answering_probability([[1, 0, 0, 0], [1, 1, 1, 1]]).tolist()
    [0.75, 0.0]
    """
    samples = np.asarray(refused_samples, dtype=np.float64)
    if samples.ndim != 2 or samples.size == 0 or not np.all((samples == 0) | (samples == 1)):
        raise ValueError("refused_samples needs 0/1 values of shape (questions, samples)")
    return np.asarray(1 - samples.mean(axis=1))
