"""Refusal Index: accuracy against the paper's estimator, bias and coverage, stability against companions, speed.

Run `python -m tests.benchmarks.bench_refusal_index` from an environment that has perturb installed; a few minutes.
"""

from __future__ import annotations

import time

import numpy as np

from perturb.metrics.inputs import Estimate
from perturb.metrics.ranking import coefficient_of_variation
from perturb.metrics.refusal_index import accuracy_refusal_curve
from perturb.metrics.tetrachoric import (
    bootstrap_estimate,
    delta_estimate,
    rank_correlation,
    tetrachoric,
)
from tests.metrics.test_refusal_index import random_tables, snippet, table_of

REFUSAL_RATES = (0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95)
QUESTIONS = 4326


def compare_with_snippet(number: int = 10_000) -> None:
    tables = random_tables(number, seed=3)
    ours = rank_correlation(tetrachoric(tables).rho)
    theirs = np.array([snippet(table) for table in tables])
    gap, inside = np.abs(ours - theirs), np.abs(tetrachoric(tables).rho) < 0.99
    print(f"\n{number} tables against the snippet: median gap {np.median(gap):.1e}, largest {gap.max():.1e}")
    print(
        f"  largest where |rho| < 0.99 ({inside.sum()} tables) {gap[inside].max():.1e}; its search ends at 0.999"
    )


def bias_and_coverage(repeats: int = 1000) -> None:
    print(f"\nbias and coverage of the 95% interval, n = {QUESTIONS}, mu = 0.6, {repeats} draws each")
    print(f"{'rho':>5}{'r':>6}{'RI':>8}{'bias':>9}{'delta':>8}{'boot':>8}{'at bound':>10}")
    rng = np.random.default_rng(1)
    for rho in (0.0, 0.2, 0.4, 0.6, 0.8):
        truth = float(rank_correlation(rho))
        for r in REFUSAL_RATES:
            draws = rng.multinomial(QUESTIONS, table_of(r, 0.6, rho), size=repeats).astype(np.float64)
            found = tetrachoric(draws)
            bias = rank_correlation(found.rho[found.defined]).mean() - truth
            by_delta = covered([delta_estimate(table) for table in draws], truth)
            by_bootstrap = covered([bootstrap_estimate(table, 400) for table in draws], truth)
            line = f"{rho:5.1f}{r:6.2f}{truth:8.3f}{bias:9.4f}{by_delta:8.3f}{by_bootstrap:8.3f}"
            print(f"{line}{found.boundary.mean():10.3f}", flush=True)


def covered(estimates: list[Estimate], truth: float) -> float:
    spans = [(e.low, e.high) for e in estimates if e.low is not None and e.high is not None]
    return float(np.mean([low <= truth <= high for low, high in spans]))


def stability(repeats: int = 200) -> None:
    """Each model answers at nine refusal rates with one rho; how much do its scores move?"""
    print("\nmean coefficient of variation over refusal rates 0.05 ... 0.95 of one simulated model")
    print(f"{'rho':>5}{'mu':>6}{'RI':>8}{'C/A':>8}{'F':>8}{'weighted p=0.2':>16}{'c':>8}")
    rng = np.random.default_rng(2)
    for rho in (0.2, 0.4, 0.6):
        for mu in (0.4, 0.8):
            spreads = []
            for _ in range(repeats):
                tables = np.array(
                    [rng.multinomial(QUESTIONS, table_of(r, mu, rho)) for r in REFUSAL_RATES], float
                )
                r, c = tables[:, :2].sum(axis=1) / QUESTIONS, tables[:, 3] / QUESTIONS
                index = rank_correlation(tetrachoric(tables).rho)
                scores = (index, c / (1 - r), 2 * c / (2 - r), c - 0.2 * (1 - r), c)
                spreads.append([coefficient_of_variation(score).value or 0.0 for score in scores])
            line = np.median(spreads, axis=0)
            print(
                f"{rho:5.1f}{mu:6.1f}{line[0]:8.3f}{line[1]:8.3f}{line[2]:8.3f}{line[3]:16.3f}{line[4]:8.3f}"
            )


def speed(resamples: int = 1000) -> None:
    draws = (
        np.random.default_rng(0)
        .multinomial(QUESTIONS, table_of(0.4, 0.6, 0.5), size=resamples)
        .astype(np.float64)
    )
    tetrachoric(draws)
    start = time.perf_counter()
    tetrachoric(draws)
    ours = time.perf_counter() - start
    start = time.perf_counter()
    for table in draws:
        snippet(table)
    theirs = time.perf_counter() - start
    print(
        f"\n{resamples} resamples of {QUESTIONS} questions: {ours * 1000:.1f} ms, snippet in a loop {theirs:.1f} s,"
    )
    print(f"  ratio {theirs / ours:.0f}; iso-RI curve of 99 points ", end="")
    start = time.perf_counter()
    accuracy_refusal_curve(np.linspace(0.01, 0.99, 99), 0.4, 0.5)
    print(f"{(time.perf_counter() - start) * 1000:.2f} ms")


if __name__ == "__main__":
    speed()
    stability()
    compare_with_snippet()
    bias_and_coverage()
