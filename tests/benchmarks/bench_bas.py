"""Behavioral Alignment Score: 10⁶ rows with 1,000 resamples, beside the published formula resampled plainly.

Run `python tests/benchmarks/bench_bas.py` from an environment that has perturb installed; about two minutes, most of
it for the area under the risk-coverage curve of a million distinct confidences.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from perturb.metrics.bas import bas_score, bas_utility
from perturb.metrics.bas_report import BASReport
from perturb.metrics.resampling import bootstrap_means

ROWS = 10**6


PLAIN_RESAMPLES = 5
"""So many are timed of the plain bootstrap; its time for 1,000 is theirs in proportion."""


def published(correct: np.ndarray, confidence: np.ndarray) -> float:
    """The paper's closed form of the score, over arrays: s where right, s + ln(1 - s) where wrong."""
    kept = np.minimum(confidence, 1 - 1e-6)
    return float(np.where(correct, kept, kept + np.log1p(-kept)).mean())


def plain_bootstrap(correct: np.ndarray, confidence: np.ndarray) -> None:
    """What a user of the closed form would write for an interval."""
    rng = np.random.default_rng(1)
    for _ in range(PLAIN_RESAMPLES):
        drawn = rng.integers(0, len(correct), len(correct))
        published(correct[drawn], confidence[drawn])


def timed(label: str, work: Callable[[], object]) -> float:
    wall, processor = time.perf_counter(), time.process_time()
    work()
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    print(f"{label:<55}{wall:8.2f} s, {processor:7.2f} s of processor time", flush=True)
    return processor


def main() -> None:
    rng = np.random.default_rng(0)
    confidence = rng.beta(5, 2, ROWS)
    correct = rng.random(ROWS) < 0.8 * confidence
    rounded, shaken = confidence.round(2), np.clip(confidence + rng.normal(0, 0.05, ROWS), 0, 1)
    print(f"{ROWS} rows, 1,000 resamples")
    timed("BAS, no interval", lambda: bas_score(correct, confidence))
    timed("BAS with a prior by quadrature", lambda: bas_score(correct, confidence, lambda t: 2 * t))
    ours = timed(
        "BAS with its interval, continuous confidence",
        lambda: bootstrap_means(bas_utility(correct, confidence)),
    )
    label = f"the published formula, {PLAIN_RESAMPLES} plain resamples"
    plain = timed(label, lambda: plain_bootstrap(correct, confidence)) * 1000 / PLAIN_RESAMPLES
    print(f"interval: ours {plain / ours:.1f} times cheaper than 1,000 plain resamples ({plain:.0f} s)")
    print(f"score: ours {bas_score(correct, confidence):.9f}, published {published(correct, confidence):.9f}")
    timed(
        "paired difference of BAS between two models",
        lambda: bootstrap_means(bas_utility(correct, confidence) - bas_utility(correct, shaken)),
    )
    timed("all eight metrics with intervals, two decimals", lambda: BASReport(correct, rounded).metrics)
    timed("all eight metrics with intervals, continuous", lambda: BASReport(correct, confidence).metrics)


if __name__ == "__main__":
    main()
