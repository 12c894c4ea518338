"""The few figures of agreement that go with a snapshot: into its manifest and onto its card."""

from __future__ import annotations

from typing import Any

from perturb.audit.agreement import measure_agreement
from perturb.audit.estimation_sample import choose_sample
from perturb.audit.votes import VoteTable
from perturb.metrics.estimates import Estimate
from perturb.metrics.resampling import Resamples

RESAMPLES = 1000
_DIGITS = 4


def agreement_figures(votes: VoteTable) -> dict[str, Any] | None:
    """Agreement over all candidates voted on, with 95 % intervals; None if there are none to tell it from.

    `candidates` says how many, `note` what a reader must know, `figures` holds raw agreement, the mean of Cohen's κ
    over the pairs, Gwet's AC1 and Krippendorff's α, each with `value`, `low`, `high` and the `reason` of a gap.
    """
    basis, table = choose_sample(votes)
    if not len(table):
        return None
    measured = measure_agreement(table, Resamples.draw(table.base.codes, RESAMPLES, 0))
    estimates = {
        "raw agreement": measured.panel["agreement"],
        "mean of Cohen's κ": measured.mean_kappa,
        "Gwet's AC1": measured.panel["ac1"],
        "Krippendorff's α": measured.panel["alpha"],
    }
    figures = {name: _rounded(estimate) for name, estimate in estimates.items()}
    return {"candidates": basis.n, "note": basis.note, "figures": figures}


def _rounded(estimate: Estimate) -> dict[str, Any]:
    numbers = {"value": estimate.value, "low": estimate.low, "high": estimate.high}
    rounded = {name: None if value is None else round(value, _DIGITS) for name, value in numbers.items()}
    return {**rounded, "reason": estimate.reason}
