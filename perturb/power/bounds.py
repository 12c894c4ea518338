"""Bounds on the error of a benchmark's score over several rounds (theorem 2.1 of RefusalBench, appendix B).

A score is a mean of values in [0, 1]. A static benchmark draws n items once; a generative one draws m fresh items in
each round. `epsilon` is the error that may be made in any round, `drift` the largest distance of what should be
measured from what the first round measured. All bounds take items to be independent: see `perturb.power.precision`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from perturb.errors import ConfigError


def static_failure_bound(n: int, epsilon: float, drift: float) -> float:
    """At most this likely a static benchmark of `n` items errs by more than `epsilon` in some round.

    Formula: min(1, 2 exp(-2 n (epsilon - drift)₊²)). Reference: equation 1. It says nothing (1) from a drift of
    epsilon on.

    >>> round(static_failure_bound(1000, 0.05, 0.0), 4), static_failure_bound(1000, 0.05, 0.05)
    (0.0135, 1.0)
    """
    return min(1.0, 2 * math.exp(-2 * n * max(epsilon - drift, 0.0) ** 2))


def static_failure_floor(n: int, epsilon: float, drift: float) -> float:
    """At least this likely a static benchmark errs by more than `epsilon`: it grows with n once drift > epsilon.

    Formula: max(0, 1 - 2 exp(-2 n (drift - epsilon)₊²)). Reference: corollary B.1.

    >>> static_failure_floor(1000, 0.05, 0.05), round(static_failure_floor(1000, 0.05, 0.1), 4)
    (0.0, 0.9865)
    """
    return max(0.0, 1 - 2 * math.exp(-2 * n * max(drift - epsilon, 0.0) ** 2))


def generative_failure_bound(sizes: Iterable[int], epsilon: float) -> float:
    """At most this likely fresh rounds of these sizes err by more than `epsilon` in any of them, whatever the drift.

    Formula: min(1, Σ 2 exp(-2 m epsilon²)). Reference: equation 2.

    >>> round(generative_failure_bound([1200] * 4, 0.05), 4)
    0.0198
    """
    return min(1.0, sum(2 * math.exp(-2 * m * epsilon**2) for m in sizes))


def generative_size(epsilon: float, delta: float, rounds: int) -> int:
    """Items for each of `rounds` rounds (T + 1 of them), so that none errs by more than `epsilon`, but for `delta`.

    Formula: ln(2 rounds / delta) / (2 epsilon²), rounded up. Reference: appendix B.4.

    Raises `ConfigError` if a number is out of its range.

    >>> generative_size(0.05, 0.05, 4)
    1016
    """
    _check(epsilon, delta)
    if rounds < 1:
        raise ConfigError(f"rounds is {rounds}: give at least 1")
    return math.ceil(math.log(2 * rounds / delta) / (2 * epsilon**2))


def static_size(epsilon: float, delta: float, drift: float) -> int | None:
    """Items that a static benchmark needs at this drift; None if no size is enough, which is so from epsilon on.

    Formula: ln(2 / delta) / (2 (epsilon - drift)²), rounded up: equation 1 solved for n.

    Raises `ConfigError` if a number is out of its range.

    >>> static_size(0.05, 0.05, 0.02), static_size(0.05, 0.05, 0.05)
    (2050, None)
    """
    _check(epsilon, delta)
    if not 0 <= drift <= 1:
        raise ConfigError(f"drift is {drift:g}: give a distance between scores, from 0 to 1")
    if drift >= epsilon:
        return None
    return math.ceil(math.log(2 / delta) / (2 * (epsilon - drift) ** 2))


def paper_static_size(epsilon: float, delta: float) -> int:
    """The static size that the paper prints: (2 / epsilon²) ln(2 / delta), which is right for a drift of epsilon / 2.

    >>> paper_static_size(0.05, 0.05) == static_size(0.05, 0.05, 0.025) == 2952
    True
    """
    _check(epsilon, delta)
    return math.ceil(2 / epsilon**2 * math.log(2 / delta))


def _check(epsilon: float, delta: float) -> None:
    if not 0 < epsilon < 1:
        raise ConfigError(f"epsilon is {epsilon:g}: give an error between 0 and 1, such as 0.05")
    if not 0 < delta < 1:
        raise ConfigError(f"delta is {delta:g}: give a probability between 0 and 1, such as 0.05")
