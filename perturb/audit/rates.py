"""Pass rates: by generator and verifier, by class, intensity and lever, with two intervals each.

A Wilson interval takes the votes as independent. Votes on candidates of one base instance, and several votes on one
candidate, are not, so a second one is made as all intervals are (`perturb.metrics.intervals`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from perturb.audit.votes import Labels, VoteTable
from perturb.metrics.inputs import Floats, Integers
from perturb.metrics.intervals import effective_size, t_quantile, wilson_interval


@dataclass(frozen=True, slots=True)
class Rate:
    """A share, with what it rests on."""

    name: str
    n: int
    """Votes, or candidates, that the share is taken over."""
    rate: float | None
    low: float | None
    """Wilson interval, as if all were independent."""
    high: float | None
    cluster_low: float | None
    """Wilson interval for the effective number of votes."""
    cluster_high: float | None
    design_effect: float | None
    """How many times wider the variance is than that of independent votes; None where the share is 0 or 1."""
    reason: str | None = None
    """Why the rate, or the second interval, is missing."""


@dataclass(frozen=True, slots=True)
class MatrixRate:
    """What one verifier passes of one generator's candidates."""

    generator: str
    verifier: str
    n: int
    rate: float | None
    low: float | None
    high: float | None
    cluster_low: float | None
    cluster_high: float | None
    reason: str | None


def pass_rates(table: VoteTable, labels: Labels) -> tuple[Rate, ...]:
    """Share of passes among the votes of all verifiers, for each label."""
    scored = table.scored.sum(axis=1).astype(np.float64)
    passed = np.nansum(table.votes, axis=1)
    return grouped_rates(passed, scored, labels, table.base.codes)


def pass_rate_matrix(table: VoteTable) -> tuple[MatrixRate, ...]:
    """Share of passes of each verifier for each generator."""
    rows = []
    columns = []
    for i, verifier in enumerate(table.verifiers):
        scored = table.scored[:, i].astype(np.float64)
        passed = np.nan_to_num(table.votes[:, i])
        columns.append((verifier, grouped_rates(passed, scored, table.generator, table.base.codes)))
    for number in range(len(table.generator.names)):
        for verifier, rates in columns:
            one = rates[number]
            interval = (one.low, one.high, one.cluster_low, one.cluster_high)
            rows.append(MatrixRate(one.name, verifier, one.n, one.rate, *interval, one.reason))
    return tuple(rows)


def grouped_rates(passed: Floats, scored: Floats, labels: Labels, base: Integers) -> tuple[Rate, ...]:
    """`passed` over `scored`, summed by label; `base` numbers the base instance of each candidate."""
    groups = len(labels.names)
    key = base * groups + labels.codes
    blocks, block = np.unique(key[scored > 0], return_inverse=True)
    group = (blocks % groups).astype(np.int64)
    p = np.bincount(block, weights=passed[scored > 0], minlength=len(blocks))
    n = np.bincount(block, weights=scored[scored > 0], minlength=len(blocks))
    total_p, total_n = (np.bincount(group, weights=values, minlength=groups) for values in (p, n))
    share = total_p / np.maximum(total_n, 1)
    squares = np.bincount(group, weights=(p - share[group] * n) ** 2, minlength=groups)
    clusters = np.bincount(group, minlength=groups)
    return tuple(
        _rate(name, float(total_n[g]), float(share[g]), float(squares[g]), int(clusters[g]))
        for g, name in enumerate(labels.names)
    )


def overall_rate(name: str, passed: Floats, base: Integers) -> Rate:
    """Share of ones among candidates."""
    everything = Labels((name,), np.zeros(len(passed), dtype=np.int64))
    return grouped_rates(passed, np.ones(len(passed)), everything, base)[0]


def _rate(name: str, n: float, share: float, squares: float, clusters: int) -> Rate:
    if n == 0:
        return Rate(name, 0, None, None, None, None, None, None, "nothing was scored")
    low, high = wilson_interval(share, n)
    if clusters < 2:
        why = "no interval by base instance: there is only one"
        return Rate(name, int(n), share, low, high, None, None, None, why)
    variance = clusters / (clusters - 1) * squares / n**2
    effect = variance * n / (share * (1 - share)) if 0 < share < 1 else None
    size = effective_size(share, variance, n, clusters)
    ends = wilson_interval(share, size, t_quantile(clusters))
    return Rate(name, int(n), share, low, high, *ends, effect)
