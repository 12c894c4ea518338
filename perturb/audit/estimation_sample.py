"""Which candidates the figures may rest on, given that votes can be missing by design.

Under the economy schedule a panel stops asking once its decision is certain. The candidates that have every vote are
then mostly those that nobody failed, so votes are missing exactly where verifiers fail, and figures from whatever votes
there are would be wrong. Only the audited share is safe: it is drawn by a hash, before any vote.
"""

from __future__ import annotations

from dataclasses import dataclass

from perturb.audit.votes import NOT_ASKED, VoteTable


@dataclass(frozen=True, slots=True)
class EstimationSample:
    """The candidates behind agreement, pass rates and bias."""

    candidates: str
    """"all", "audited" (the share drawn to get every vote), or "unknown" (votes are missing, nobody says why)."""
    n: int
    of: int
    """All candidates with a vote or an unscored one."""
    note: str | None = None
    """What a reader must know before quoting the figures."""


def choose_sample(table: VoteTable) -> tuple[EstimationSample, VoteTable]:
    """The candidates to estimate from, and their votes."""
    n = len(table)
    missing = (table.states == NOT_ASKED).any(axis=1)
    if table.full_schedule or not missing.any():
        return EstimationSample("all", n, n), table
    if table.audited is None:
        note = (
            f"{int(missing.sum())} of {n} candidates lack votes and nothing says why: if the panel stopped asking at"
            " the first fail, agreement, pass rates and bias below are distorted; a column 'audited' would tell"
        )
        return EstimationSample("unknown", n, n, note), table
    audited = table.keep(table.audited)
    note = (
        f"votes are missing by design: figures rest on the {len(audited)} of {n} candidates that were drawn to get"
        " every vote"
    )
    if not len(audited):
        note = (
            "votes are missing by design and no candidate was drawn to get every vote: agreement, pass rates and bias"
            " cannot be determined; set audit_fraction in the panel"
        )
    return EstimationSample("audited", len(audited), n, note), audited
