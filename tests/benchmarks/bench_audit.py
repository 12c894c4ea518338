"""Audit: the κ matrix of 30,000 candidates × 4 verifiers with 1,000 resamples, and a million votes.

Run `python -m tests.benchmarks.bench_audit` from the top of a checkout that has perturb installed; about a minute. The
plain loop draws base instances, copies their rows and calls scikit-learn for each pair. A few of its resamples are
timed and the rest extrapolated: it says so.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from perturb.auditing.agreement import Agreement, measure_agreement
from perturb.auditing.audit_report import audit
from perturb.auditing.votes import VoteTable
from perturb.metrics.resampling import Resamples
from tests.auditing.simulated_panels import Truth, simulate

RESAMPLES = 1000
TIMED_BY_HAND = 5


def timed(label: str, work: Callable[[], object], times: int = 1) -> float:
    """Print and return the processor time of `times` × the work, timed once."""
    wall, processor = time.perf_counter(), time.process_time()
    work()
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    share = f", extrapolated {times} times" if times > 1 else ""
    print(
        f"{label:<62}{wall * times:9.2f} s, {processor * times:9.2f} s of processor time{share}", flush=True
    )
    return processor * times


def vectorised(table: VoteTable) -> Agreement:
    """κ of each pair, and of the panel, with intervals."""
    return measure_agreement(table, Resamples.draw(table.base.codes, RESAMPLES, seed=1))


def plain_loop(table: VoteTable, resamples: int) -> NDArray[np.float64]:
    """The same by copying rows and calling scikit-learn."""
    from sklearn.metrics import cohen_kappa_score

    rng = np.random.default_rng(1)
    members = [np.flatnonzero(table.base.codes == base) for base in range(len(table.base.names))]
    found = []
    for _ in range(resamples):
        rows = np.concatenate([members[i] for i in rng.integers(0, len(members), len(members))])
        votes = table.states[rows]
        found.append([cohen_kappa_score(votes[:, a], votes[:, b]) for a, b in combinations(range(4), 2)])
    return np.array(found)


def main() -> None:
    table = simulate(Truth(), bases=417, seed=1)
    print(
        f"{len(table)} candidates of {len(table.base.names)} base instances, {len(table.verifiers)} verifiers"
    )
    vectorised(table)  # imports and first use are no part of the figure
    plain_loop(table, 1)
    fast = timed(f"κ matrix, {RESAMPLES} resamples, vectorised", lambda: vectorised(table))
    slow = timed(
        f"the same by a loop over scikit-learn ({TIMED_BY_HAND} resamples timed)",
        lambda: plain_loop(table, TIMED_BY_HAND),
        RESAMPLES // TIMED_BY_HAND,
    )
    print(f"ratio {slow / fast:.0f} to 1")
    ours = np.array([pair.kappa.se for pair in vectorised(table).pairs], dtype=float)
    theirs = plain_loop(table, 50).std(axis=0)
    print(f"standard errors of κ, vectorised {ours.round(4)}, by the loop (50 resamples) {theirs.round(4)}")
    timed("the whole audit of this table", lambda: audit(table, resamples=RESAMPLES))
    million = simulate(Truth(), bases=3472, seed=2)
    timed(f"the whole audit of {million.scored.sum()} votes", lambda: audit(million, resamples=RESAMPLES))


if __name__ == "__main__":
    main()
