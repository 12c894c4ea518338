"""Simulated panels with a known truth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from perturb.auditing.votes import COLUMNS, NOT_ASKED, Labels, VoteTable
from perturb.metrics.inputs import Floats
from perturb.records import PUBLISHED_CLASSES, Intensity

MODELS = ("amber", "birch", "cedar", "dune")
CLASSES = tuple(str(name) for name in PUBLISHED_CLASSES)
INTENSITIES = tuple(str(name) for name in Intensity)


@dataclass(frozen=True)
class Truth:
    """Pass probabilities: quality of the generator + leniency of the verifier + what a model adds for itself.

    All verifiers pass a candidate on the same coin with probability `likeness`, else each on its own: so each pair
    agrees beyond chance by a known amount. Base instances shift all their candidates up or down by `spread`.
    """

    quality: Sequence[float] = (0.70, 0.72, 0.68, 0.66)
    leniency: Sequence[float] = (0.0, 0.05, -0.05, 0.10)
    own: Sequence[float] = (0.0, 0.0, 0.0, 0.0)
    likeness: float = 0.3
    spread: float = 0.08

    @property
    def matrix(self) -> Floats:
        """Pass probability of each generator by each verifier."""
        table = np.add.outer(np.array(self.quality), np.array(self.leniency))
        return np.asarray(table + np.diag(self.own))

    def bias_pp(self, model: int) -> float:
        """The self-evaluation bias of a model, in percentage points."""
        row = self.matrix[model]
        return float(100 * (row[model] - np.delete(row, model).mean()))

    def kappa(self, a: int, b: int) -> float:
        """κ of two verifiers over all candidates, by summing the model's probabilities."""
        both = passed_a = passed_b = 0.0
        for shift in (-self.spread, self.spread):
            for row in self.matrix + shift:
                p, q = row[a], row[b]
                both += (self.likeness * min(p, q) + (1 - self.likeness) * p * q) / (2 * len(MODELS))
                passed_a += p / (2 * len(MODELS))
                passed_b += q / (2 * len(MODELS))
        agreed = 1 - passed_a - passed_b + 2 * both
        chance = passed_a * passed_b + (1 - passed_a) * (1 - passed_b)
        return (agreed - chance) / (1 - chance)


def simulate(truth: Truth, bases: int, seed: int) -> VoteTable:
    """Every generator makes a candidate in each of the 18 cells of each base instance; everybody votes."""
    rng = np.random.default_rng(seed)
    base, generator, cell = (
        grid.ravel() for grid in np.meshgrid(range(bases), range(4), range(18), indexing="ij")
    )
    shift = rng.choice([-truth.spread, truth.spread], size=bases)[base]
    chances = truth.matrix[generator] + shift[:, None]
    alone = rng.random((len(base), 4))
    shared = np.broadcast_to(rng.random((len(base), 1)), alone.shape)
    coins = np.where(rng.random((len(base), 1)) < truth.likeness, shared, alone)
    return VoteTable(
        source="simulated",
        base=Labels(tuple(f"b{i}" for i in range(bases)), base),
        generator=Labels(MODELS, generator),
        perturbation_class=Labels(CLASSES, cell // 3),
        intensity=Labels(INTENSITIES, cell % 3),
        lever=Labels(tuple(f"lever {i}" for i in range(18)), cell),
        verifiers=MODELS,
        states=(coins < chances).astype(np.int8),
        full_schedule=True,
    )


def stop_at_first_fail(table: VoteTable, audit_fraction: float, seed: int) -> VoteTable:
    """The same panel under the economy schedule: no vote after a fail, but for a random audited share."""
    audited = np.random.default_rng(seed).random(len(table)) < audit_fraction
    failed_before = np.cumsum(table.states == 0, axis=1) - (table.states == 0) > 0
    states = np.where(failed_before & ~audited[:, None], NOT_ASKED, table.states).astype(np.int8)
    return replace(table, states=states, audited=audited, full_schedule=False)


def frame_of(rows: Iterable[Sequence[Any]]) -> pd.DataFrame:
    """A vote table from rows in the order of the columns."""
    return pd.DataFrame(list(rows), columns=list(COLUMNS))


def long_rows(table: VoteTable) -> list[tuple[Any, ...]]:
    """One row per vote that was asked, as a vote table holds them."""
    words = {1: "pass", 0: "fail", -1: "unscored"}
    rows = []
    for i in range(len(table)):
        place = (table.perturbation_class, table.intensity, table.lever)
        cell = [labels.names[labels.codes[i]] for labels in place]
        base, generator = (
            table.base.names[table.base.codes[i]],
            table.generator.names[table.generator.codes[i]],
        )
        for verifier, state in zip(table.verifiers, table.states[i], strict=True):
            if state != NOT_ASKED:
                rows.append((f"c{i}", base, generator, verifier, *cell, words[int(state)]))
    return rows
