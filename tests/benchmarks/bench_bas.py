"""Behavioral Alignment Score: 10⁶ rows with 1,000 resamples.

Run `python tests/benchmarks/bench_bas.py` from an environment that has perturb installed; about two minutes, most of
it for the area under the risk-coverage curve of a million distinct confidences.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from perturb.metrics.bas import BASReport, bas_score, bas_utility
from perturb.metrics.resampling import bootstrap_means, paired_difference

ROWS = 10**6


def timed(label: str, work: Callable[[], object]) -> None:
    wall, processor = time.perf_counter(), time.process_time()
    work()
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    print(f"{label:<55}{wall:8.2f} s, {processor:7.2f} s of processor time", flush=True)


def main() -> None:
    rng = np.random.default_rng(0)
    confidence = rng.beta(5, 2, ROWS)
    correct = rng.random(ROWS) < 0.8 * confidence
    rounded, shaken = confidence.round(2), np.clip(confidence + rng.normal(0, 0.05, ROWS), 0, 1)
    print(f"{ROWS} rows, 1,000 resamples")
    timed("BAS, no interval", lambda: bas_score(correct, confidence))
    timed("BAS with a prior by quadrature", lambda: bas_score(correct, confidence, lambda t: 2 * t))
    timed(
        "BAS with its interval, continuous confidence",
        lambda: bootstrap_means(bas_utility(correct, confidence)),
    )
    timed(
        "paired difference of BAS between two models",
        lambda: paired_difference(bas_utility(correct, confidence), bas_utility(correct, shaken)),
    )
    timed("all eight metrics with intervals, two decimals", lambda: BASReport(correct, rounded).metrics)
    timed("all eight metrics with intervals, continuous", lambda: BASReport(correct, confidence).metrics)


if __name__ == "__main__":
    main()
