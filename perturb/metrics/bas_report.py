"""All confidence metrics of one model on one set of questions, with their intervals."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perturb.metrics.bas import PRIORS, RiskPrior, utilities
from perturb.metrics.calibration import (
    Closed,
    aurc,
    aurc_of_blocks,
    bin_edges,
    bin_places,
    calibration_error_estimate,
    calibration_p_value,
    expected_calibration_error,
    log_losses,
)
from perturb.metrics.inputs import Estimate, Flags, Floats, Integers, read_graded
from perturb.metrics.intervals import Bounded, reported_estimate
from perturb.metrics.resampling import EXACT_UNITS, cluster_codes, resampled_weights

if TYPE_CHECKING:
    import pandas as pd

# The metrics of a report, in their order, and whether higher is better.
HIGHER_IS_BETTER = {
    **{f"bas_{prior}": True for prior in PRIORS},
    "accuracy": True,
    "ece": False,
    "aurc": False,
    "brier": False,
    "log_loss": False,
}


class BASReport:
    """All confidence metrics of one model on one set of questions, with bootstrap intervals.

    `is_correct` and `confidence` as in `bas_utility`. ECE has `bins` bins of equal width, closed on the side `closed`.
    `clusters` has the base instance of each row, so that dependent rows are resampled together. Intervals are computed
    on first use.

    Raises ValueError as `bas_utility` does.

    Reference: BAS paper, appendix H.

    >>> report = BASReport([1, 1, 0, 0], [0.7, 0.7, 0.3, 0.3])
    >>> round(report.metrics["bas_uniform"].value, 2), round(report.weighted_score(prior="quadratic"), 2)
    (0.32, 0.17)
    """

    def __init__(
        self,
        is_correct: ArrayLike,
        confidence: ArrayLike,
        *,
        bins: int = 10,
        closed: Closed = "right",
        clusters: ArrayLike | None = None,
        resamples: int = 1000,
        seed: int = 0,
    ) -> None:
        if bins < 1:
            raise ValueError(f"bins must be 1 or more, got {bins}")
        correct, confidences = read_graded(is_correct, confidence)
        self.n = len(correct)
        self.bins = bins
        self.closed: Closed = closed
        self._columns = correct, confidences
        self._codes = cluster_codes(clusters, len(correct))
        self._rows = _Rows.from_columns(correct, confidences, self._codes, bins, closed)
        self.resamples, self.seed = resamples, seed

    def weighted_score(self, prior: RiskPrior = "uniform") -> float:
        """The BAS for a named prior or a function w(t), as `bas_score` computes it.

        >>> BASReport([1], [0.5]).weighted_score("linear")
        0.25
        """
        rows = self._rows
        return float(rows.counts @ utilities(rows.correct, rows.confidence, prior) / self.n)

    def weighted_estimate(self, prior: RiskPrior) -> Estimate:
        """`weighted_score` with its interval."""
        rows = self._rows
        utility = partial(utilities, confidence=rows.confidence, prior=prior)
        values = utility(rows.correct)
        chunks = rows.resample(self.resamples, self.seed)
        replicates = np.concatenate([weights @ values / weights.sum(axis=1) for weights in chunks])
        return self._mean_estimate(float(rows.counts @ values / self.n), replicates, utility)

    @cached_property
    def metrics(self) -> dict[str, Estimate]:
        """Every metric of `HIGHER_IS_BETTER` with its interval."""
        values, replicates = self._resampled
        return {
            name: self._estimate(name, value, column)
            for (name, value), column in zip(values.items(), replicates.T, strict=True)
        }

    @cached_property
    def calibration_p_value(self) -> float:
        """The probability that a calibrated model has at least this ECE (`calibration.calibration_p_value`)."""
        correct, confidences = self._columns
        return calibration_p_value(
            correct,
            confidences,
            bins=self.bins,
            closed=self.closed,
            clusters=self._codes,
            resamples=self.resamples,
            seed=self.seed,
        )

    @property
    def debiased_ece(self) -> float:
        """ECE minus the bias that resampling shows, at least 0 (Kumar et al. 2019, section 4, with this bootstrap)."""
        values, replicates = self._resampled
        column = list(HIGHER_IS_BETTER).index("ece")
        # The bias is the mean of the replicates minus the value.
        return max(0.0, 2 * values["ece"] - float(replicates[:, column].mean()))

    @cached_property
    def _resampled(self) -> tuple[dict[str, float], Floats]:
        """The value of every metric, and its values in the resamples: shape (resamples, metrics)."""
        # The data are a resample in which each row has its own count.
        data = self._rows.counts[np.newaxis]
        values = self._rows.measure(data)[0].tolist()
        chunks = self._rows.resample(self.resamples, self.seed)
        replicates = np.concatenate([self._rows.measure(weights) for weights in chunks])
        return dict(zip(HIGHER_IS_BETTER, values, strict=True)), replicates

    def _estimate(self, name: str, value: float, replicates: Floats) -> Estimate:
        if name in self._rows.row_scores:
            return self._mean_estimate(value, replicates, self._rows.row_scores[name])
        n_clusters = self._rows.n_clusters
        if name == "ece":
            p_value = self.calibration_p_value
            return calibration_error_estimate(value, replicates, self.n, clusters=n_clusters, p_value=p_value)
        return reported_estimate(Bounded.of(value, replicates, self.n, clusters=n_clusters))

    def _mean_estimate(self, value: float, replicates: Floats, score: Callable[[Flags], Floats]) -> Estimate:
        """A mean of a score over rows, with its interval. The range of each row's score limits the interval."""
        rows = self._rows
        if_right = score(np.ones(len(rows.correct), dtype=np.bool_))
        if_wrong = score(np.zeros(len(rows.correct), dtype=np.bool_))
        return reported_estimate(
            Bounded.of_mean(
                value,
                replicates,
                self.n,
                codes=rows.codes,
                counts=rows.counts,
                lows=np.minimum(if_right, if_wrong),
                highs=np.maximum(if_right, if_wrong),
            )
        )

    def print_summary(self) -> None:
        """Write a table of the metrics, their intervals and directions to standard output."""
        lines = [f"Behavioral Alignment Score, n = {self.n}, ECE over {self.bins} bins of equal width"]
        lines.append(f"{'metric':<15}{'value':>9}   {'95% interval':<19} better")
        for name, estimate in self.metrics.items():
            span = "" if estimate.low is None else f"[{estimate.low:8.4f},{estimate.high:8.4f}]"
            direction = "higher" if HIGHER_IS_BETTER[name] else "lower"
            lines.append(f"{name:<15}{estimate.value:>9.4f}   {span:<19} {direction}")
        sys.stdout.write("\n".join(lines) + "\n")

    def to_frame(self) -> pd.DataFrame:
        """One row per metric: `metric, value, low, high, se, n, higher_is_better`.

        >>> list(BASReport([1, 0], [0.5, 0.5]).to_frame().metric[:2])
        ['bas_uniform', 'bas_linear']
        """
        import pandas as pd

        rows = [
            {"metric": name, **estimate.to_dict(), "higher_is_better": HIGHER_IS_BETTER[name]}
            for name, estimate in self.metrics.items()
        ]
        return pd.DataFrame(rows).drop(columns="reason")

    def to_dict(self) -> dict[str, object]:
        """The object of `perturb bas --json`: values by name, `n`, and `intervals` by metric."""
        values = {name: estimate.value for name, estimate in self.metrics.items()}
        plain = {name: value for name, value in values.items() if not name.startswith("bas_")}
        intervals = {
            name: {
                "low": estimate.low,
                "high": estimate.high,
                "se": estimate.se,
                "reason": estimate.reason,
            }
            for name, estimate in self.metrics.items()
        }
        correct, confidences = self._columns
        return {
            "bas": {prior: values[f"bas_{prior}"] for prior in PRIORS},
            **plain,
            "n": self.n,
            "bins": self.bins,
            "bins_closed": self.closed,
            **{
                f"ece_bins_{closed}": expected_calibration_error(
                    correct, confidences, bins=self.bins, closed=closed
                )
                for closed in get_args(Closed)
            },
            "ece_debiased": self.debiased_ece,
            "calibration_p_value": self.calibration_p_value,
            "aurc_in_row_order": aurc(correct, confidences, ties="rows"),
            "intervals": intervals,
        }


@dataclass(frozen=True)
class _Rows:
    """Answers from the most confident down. Equal answers are merged if there are no clusters, to save time."""

    correct: Flags
    confidence: Floats
    counts: Floats
    """How many equal answers each row stands for."""
    codes: Integers | None
    """The number of each row's cluster; None without clusters."""
    bins: int
    closed: Closed

    @classmethod
    def from_columns(
        cls, correct: Flags, confidence: Floats, codes: Integers | None, bins: int, closed: Closed
    ) -> _Rows:
        """Sort the answers, and merge equal ones if that changes no interval."""
        if codes is None:
            # Every metric is a function of how often each pair of confidence and correctness occurs. The counts of
            # pairs are resampled like single rows, but only while weights are multinomial.
            pairs, counts = np.unique(np.stack([-confidence, correct], axis=1), axis=0, return_counts=True)
            if len(pairs) <= EXACT_UNITS:
                return cls(pairs[:, 1] == 1, -pairs[:, 0], counts.astype(np.float64), None, bins, closed)
        order = np.argsort(-confidence, kind="stable")
        ordered = None if codes is None else codes[order]
        return cls(correct[order], confidence[order], np.ones(len(order)), ordered, bins, closed)

    def resample(self, resamples: int, seed: int) -> Iterator[NDArray[np.float32]]:
        """The weights of the rows in the resamples, in chunks of shape (some resamples, rows)."""
        return resampled_weights(self.counts, resamples, seed, self.codes)

    def measure(self, weights: NDArray[np.floating]) -> Floats:
        """Every metric of `HIGHER_IS_BETTER` for each row of weights, shape (resamples, metrics)."""
        # Shape (resamples, 1), to divide the sums over each resample by its number of rows.
        total = weights.sum(axis=1, dtype=np.float64)[:, np.newaxis]
        column_means = weights @ self._columns / total
        means, bin_gaps = np.split(column_means, [len(self.row_scores)], axis=1)
        # The numbers of answers and of errors in each block of equal confidence: shape (resamples, blocks).
        answers = np.add.reduceat(weights, self._block_starts, axis=1)
        errors = np.add.reduceat(weights * ~self.correct, self._block_starts, axis=1)
        columns = {
            **dict(zip(self.row_scores, means.T, strict=True)),
            # The ECE is the sum over bins of |sum of (correct - confidence) in the bin| / number of rows.
            "ece": np.abs(bin_gaps).sum(axis=1),
            "aurc": aurc_of_blocks(answers, errors),
        }
        return np.stack([columns[name] for name in HIGHER_IS_BETTER], axis=1)

    @cached_property
    def _block_starts(self) -> Integers:
        """The first row of each block of equal confidence."""
        # No confidence equals 2, so the first row starts a block.
        return np.flatnonzero(np.diff(self.confidence, prepend=2.0))

    @cached_property
    def _columns(self) -> Floats:
        """A column for each of `row_scores`, then one for each bin of the ECE: shape (rows, columns).

        The column of a bin has correct - confidence for the rows in the bin, and 0 for the others.
        """
        scores = [score(self.correct) for score in self.row_scores.values()]
        gaps = np.zeros((len(self.correct), self.bins))
        bin_of_row = bin_places(self.confidence, bin_edges(self.confidence, self.bins, "width"), self.closed)
        gaps[np.arange(len(bin_of_row)), bin_of_row] = self.correct - self.confidence
        return np.column_stack([*scores, gaps])

    @cached_property
    def row_scores(self) -> dict[str, Callable[[Flags], Floats]]:
        """The metrics that are means over rows: the score of each row, as a function of whether it is correct."""
        confidence = self.confidence
        priors = {f"bas_{prior}": partial(utilities, confidence=confidence, prior=prior) for prior in PRIORS}
        return {
            **priors,
            "accuracy": lambda correct: correct.astype(np.float64),
            "brier": lambda correct: (confidence - correct) ** 2,
            "log_loss": lambda correct: log_losses(correct, confidence),
        }

    @property
    def n_clusters(self) -> int:
        """Number of base instances, or of rows if no rows share one."""
        return int(self.counts.sum()) if self.codes is None else int(self.codes.max()) + 1
