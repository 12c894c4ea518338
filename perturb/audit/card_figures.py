"""The few figures that go with a snapshot, into its manifest and onto its card: of agreement, and of shortcuts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from perturb.audit.agreement import measure_agreement
from perturb.audit.estimation_sample import choose_sample
from perturb.audit.shortcut_baselines import VIEWS
from perturb.audit.shortcuts import TARGETS, measure_shortcuts
from perturb.audit.votes import VoteTable
from perturb.errors import SourceError
from perturb.metrics.estimates import Estimate
from perturb.metrics.resampling import Resamples
from perturb.responses import Item

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


def shortcut_figures(items: Sequence[Item]) -> dict[str, Any]:
    """What baselines tell from a part of an item: macro-F1, with 95 % intervals, of each target by what is seen.

    `chance` is that of a guess by the shares of the labels; `note` says why there are no `figures`.
    """
    try:
        measured = measure_shortcuts("the rows", items, resamples=RESAMPLES)
    except SourceError as error:
        return {"note": str(error), "chance": {}, "figures": {}}
    f1 = {(one.view, one.target): _rounded(one.macro_f1) for one in measured.scores}
    return {
        "note": None,
        "chance": {TARGETS[one.target]: round(one.chance_macro_f1, _DIGITS) for one in measured.floors},
        "figures": {
            seen: {name: f1[view, target] for target, name in TARGETS.items()} for view, seen in VIEWS.items()
        },
    }


def _rounded(estimate: Estimate) -> dict[str, Any]:
    told = estimate.spread("value")
    return {name: round(one, _DIGITS) if isinstance(one, float) else one for name, one in told.items()}
