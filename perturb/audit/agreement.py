"""Agreement among the verifiers, pair by pair and as a panel, with intervals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from perturb.audit.resamples import Resamples, Totals
from perturb.audit.votes import VoteTable
from perturb.metrics import vote_counts
from perturb.metrics.agreement import NO_PAIRS, NO_VARIANCE, no_variance
from perturb.metrics.estimates import Estimate
from perturb.metrics.inputs import Floats

ONE_VERIFIER = "agreement takes two raters; there is one"

PANEL_NAMES = {
    "agreement": "raw agreement",
    "pabak": "PABAK",
    "ac1": "Gwet's AC1",
    "fleiss": "Fleiss' κ",
    "alpha": "Krippendorff's α",
}
"""The coefficients of a whole panel, as readers know them."""

_PANEL: dict[str, tuple[Callable[[Floats], Floats], str]] = {
    "agreement": (vote_counts.panel_agreement, NO_PAIRS),
    "pabak": (vote_counts.panel_pabak, NO_PAIRS),
    "ac1": (vote_counts.panel_ac1, NO_PAIRS),
    "fleiss": (vote_counts.panel_fleiss, NO_VARIANCE),
    "alpha": (vote_counts.panel_alpha, NO_VARIANCE),
}


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Two verifiers on the candidates that both scored."""

    a: str
    b: str
    n: int
    """Candidates that both scored."""
    prevalence: float | None
    """Share of passes among their votes: κ is low where this is near 0 or 1, however well they agree."""
    kappa: Estimate
    agreement: Estimate
    pabak: Estimate
    ac1: Estimate

    def to_dict(self) -> dict[str, Any]:
        """As in the JSON of the audit: κ and its interval at the top level."""
        return {
            "a": self.a,
            "b": self.b,
            "n": self.n,
            "kappa": self.kappa.value,
            "low": self.kappa.low,
            "high": self.kappa.high,
            "reason": self.kappa.reason,
            "prevalence": self.prevalence,
            "agreement": self.agreement.to_dict(),
            "pabak": self.pabak.to_dict(),
            "ac1": self.ac1.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class Agreement:
    """All that is said about agreement."""

    pairs: tuple[PairAgreement, ...]
    mean_kappa: Estimate
    """Mean of κ over the pairs in which it is defined; `n` counts those pairs."""
    panel: dict[str, Estimate]
    """The whole panel: agreement, pabak, ac1, fleiss, alpha."""


def measure_agreement(table: VoteTable, resamples: Resamples) -> Agreement:
    """Agreement of the panel (spec, section 5)."""
    numbers = list(combinations(range(len(table.verifiers)), 2))
    tables = [_pair_totals(table.votes[:, i], table.votes[:, j], resamples) for i, j in numbers]
    pairs = tuple(
        _pair(table.verifiers[i], table.verifiers[j], totals, resamples)
        for (i, j), totals in zip(numbers, tables, strict=True)
    )
    return Agreement(pairs, _mean_kappa(tables, len(table.verifiers), resamples), _panel(table, resamples))


def kappa_replicates(table: VoteTable, resamples: Resamples) -> Floats:
    """κ of each pair of verifiers in each resample, NaN where undefined: shape (resamples, pairs)."""
    pairs = combinations(table.votes.T, 2)
    columns = [vote_counts.pair_kappa(_pair_totals(a, b, resamples).replicates) for a, b in pairs]
    return np.stack(columns, axis=1)


def _pair_totals(first: Floats, second: Floats, resamples: Resamples) -> Totals:
    both, codes = vote_counts.pair_codes(first, second)
    ones = np.ones((len(codes), 1))
    totals = resamples.totals(ones, groups=codes, n_groups=4, rows=np.flatnonzero(both))
    return Totals(totals.point[..., 0], totals.replicates[..., 0])


def _pair(a: str, b: str, totals: Totals, resamples: Resamples) -> PairAgreement:
    counts, replicates = totals.point, totals.replicates
    n = int(counts.sum())
    why = no_variance(counts, a, b, "candidate")

    def measured(coefficient: Callable[[Floats], Floats]) -> Estimate:
        return resamples.estimate(float(coefficient(counts)), coefficient(replicates), n, why)

    return PairAgreement(
        a=a,
        b=b,
        n=n,
        prevalence=float((2 * counts[0] + counts[1] + counts[2]) / (2 * n)) if n else None,
        kappa=measured(vote_counts.pair_kappa),
        agreement=measured(vote_counts.pair_agreement),
        pabak=measured(vote_counts.pair_pabak),
        ac1=measured(vote_counts.pair_ac1),
    )


def _mean_kappa(tables: list[Totals], verifiers: int, resamples: Resamples) -> Estimate:
    defined = [totals for totals in tables if not np.isnan(vote_counts.pair_kappa(totals.point))]
    if not defined:
        reason = ONE_VERIFIER if verifiers < 2 else "κ is undefined for every pair of verifiers"
        return Estimate.undefined(reason)
    value = float(np.mean([vote_counts.pair_kappa(totals.point) for totals in defined]))
    columns = np.stack([vote_counts.pair_kappa(totals.replicates) for totals in defined])
    known = ~np.isnan(columns)
    sums, counts = np.where(known, columns, 0.0).sum(axis=0), known.sum(axis=0)
    means = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    return resamples.estimate(value, means, len(defined))


def _panel(table: VoteTable, resamples: Resamples) -> dict[str, Estimate]:
    if len(table.verifiers) < 2:
        return {name: Estimate.undefined(ONE_VERIFIER) for name in _PANEL}
    totals = resamples.totals(vote_counts.panel_counts(table.votes))
    counts, replicates = totals.point[0], totals.replicates[:, 0]
    n = int(counts[0])
    return {
        name: resamples.estimate(
            float(coefficient(counts)), coefficient(replicates), n, reason if n else NO_PAIRS
        )
        for name, (coefficient, reason) in _PANEL.items()
    }
