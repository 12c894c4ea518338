"""What the panel's rule accepts, what other rules would, and what each verifier adds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from perturb.audit.rates import Rate, grouped_rates, overall_rate
from perturb.audit.votes import ABSENT, FAIL, NOT_ASKED, PASS, VoteTable
from perturb.metrics.estimates import plain
from perturb.metrics.inputs import Flags, Integers


@dataclass(frozen=True, slots=True)
class AcceptanceRate:
    """What one rule does with the candidates; the rate is that of the accepted among all."""

    rate: Rate
    accepted: int
    rejected: int
    """So many fails that the rule cannot be met."""
    undecided: int
    """Neither: a vote is unscored or missing, or nobody judges it, which is never an acceptance."""

    def to_dict(self) -> dict[str, Any]:
        """The rate with the counts beside it."""
        counts = plain(self)
        rate = counts.pop("rate")
        return {name: value for name, value in rate.items() if name != "name"} | counts


@dataclass(frozen=True, slots=True)
class LeaveOneOut:
    """Unanimity without one verifier."""

    verifier: str
    without: AcceptanceRate
    gained: int
    """Candidates that only this verifier kept out."""
    churn: float | None
    """Share of what would be accepted without it that is not accepted with it; None if nothing would be."""

    def to_dict(self) -> dict[str, Any]:
        """One row of the JSON."""
        content = plain(self)
        return {**content.pop("without"), **content}


@dataclass(frozen=True, slots=True)
class PanelRules:
    """Acceptance under the rules a panel may have."""

    unanimous: AcceptanceRate
    unanimous_by: dict[str, tuple[Rate, ...]]
    """Unanimous acceptance by class, intensity, lever and generator."""
    k_of_n: dict[str, AcceptanceRate]
    """By k, as text: "1" accepts what anyone passed, "n" is unanimity. Where fewer judge a candidate, so many."""
    leave_one_out: tuple[LeaveOneOut, ...]


def unanimity_is_known(table: VoteTable) -> bool:
    """Whether no vote that was never asked stands between any candidate and its unanimous decision.

    It holds under a full schedule, and under an economy one that stops at the first fail.
    """
    failed = (table.states == FAIL).any(axis=1)
    return bool((failed | ~(table.states == NOT_ASKED).any(axis=1)).all())


def compare_panel_rules(table: VoteTable, everything: VoteTable) -> PanelRules:
    """Acceptance on the candidates of `table`; that by unanimity on `everything` where it is known of all."""
    wide = everything if unanimity_is_known(everything) else table
    n = len(table.verifiers)
    unanimous = _decide(wide.states, n)[0].astype(np.float64)
    ones = np.ones(len(wide))
    return PanelRules(
        unanimous=_accept(wide.states, n, wide.base.codes),
        unanimous_by={
            name: grouped_rates(unanimous, ones, labels, wide.base.codes)
            for name, labels in wide.groupings.items()
        },
        k_of_n={str(k): _accept(table.states, k, table.base.codes) for k in range(1, n + 1)},
        leave_one_out=_leave_one_out(table) if n > 1 else (),
    )


def _decide(states: NDArray[np.int8], needed: int) -> tuple[Flags, Flags]:
    """Who is accepted and who is rejected if `needed` passes are, or all of those who judge where they are fewer."""
    judges = (states != ABSENT).sum(axis=1)
    passes = np.minimum(needed, judges)
    accepted = ((states == PASS).sum(axis=1) >= passes) & (judges > 0)
    return accepted, (states == FAIL).sum(axis=1) > judges - passes


def _accept(states: NDArray[np.int8], needed: int, base: Integers) -> AcceptanceRate:
    accepted, rejected = _decide(states, needed)
    return AcceptanceRate(
        rate=overall_rate("all", accepted.astype(np.float64), base),
        accepted=int(accepted.sum()),
        rejected=int(rejected.sum()),
        undecided=int((~accepted & ~rejected).sum()),
    )


def _leave_one_out(table: VoteTable) -> tuple[LeaveOneOut, ...]:
    with_all = _decide(table.states, len(table.verifiers))[0]
    rows = []
    for i, verifier in enumerate(table.verifiers):
        others = np.delete(table.states, i, axis=1)
        without = _accept(others, others.shape[1], table.base.codes)
        gained = int((_decide(others, others.shape[1])[0] & ~with_all).sum())
        rows.append(
            LeaveOneOut(verifier, without, gained, gained / without.accepted if without.accepted else None)
        )
    return tuple(rows)
