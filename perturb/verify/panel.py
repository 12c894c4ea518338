"""The panel: whom to ask, when to stop, and what the votes decide."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from perturb.digests import fraction_of
from perturb.errors import FAULT
from perturb.records import Acceptance, Decision, Verdict, VerdictState


@dataclass(frozen=True, slots=True)
class Panel:
    """The verifiers of a run and the rule they decide by."""

    name: str
    members: Mapping[str, str]
    """Verifier name → fingerprint of its model, settings and prompt, in voting order."""
    needed: int
    """How many passes accept a candidate; all of them for unanimity."""
    economy: bool
    """Ask in turn and stop once the decision is certain."""
    audit_fraction: float
    """Share of candidates, in [0, 1], that get every vote under the economy schedule."""
    seed: int
    digest: str
    """Digest of all of the above: decisions of another panel do not count."""

    def is_audited(self, candidate_id: str) -> bool:
        """Whether every verifier is asked about this candidate, whatever the first ones say.

        The share is drawn by a hash of the candidate's id, so it is independent of the votes.
        """
        return not self.economy or fraction_of("audit", self.seed, candidate_id) < self.audit_fraction


def decide(panel: Panel, candidate_id: str, votes: Mapping[str, Verdict]) -> Decision:
    """What the votes say. Unscored and missing votes are never passes and never fails.

    Accepted: at least `needed` passes. Rejected: so many fails that `needed` passes cannot be reached.
    Undecided: neither, since votes are missing or unscored.
    """
    states = {name: votes[name].state if name in votes else None for name in panel.members}
    passed = [name for name, state in states.items() if state is VerdictState.PASS]
    failed = [name for name, state in states.items() if state is VerdictState.FAIL]
    audited = panel.is_audited(candidate_id)
    if len(passed) >= panel.needed:
        reason = f"{len(passed)} of {len(states)} verifiers passed it"
        return Decision(candidate_id, Acceptance.ACCEPTED, reason, audited)
    if len(failed) > len(states) - panel.needed:
        return Decision(candidate_id, Acceptance.REJECTED, f"failed by {', '.join(failed)}", audited)
    open_votes = [name for name, state in states.items() if state in (None, VerdictState.UNSCORED)]
    return Decision(candidate_id, Acceptance.UNDECIDED, f"no vote from {', '.join(open_votes)}", audited)


async def gather_votes(
    panel: Panel, candidate_id: str, known: Mapping[str, Verdict], ask: Callable[[str], Awaitable[Verdict]]
) -> dict[str, Verdict]:
    """Ask the verifiers whose vote is missing or may come yet; return the votes known and new.

    Under `full`, and for the audit share, all are asked at once. Under `economy` they are asked in turn until the
    decision is certain.
    """
    votes = dict(known)
    missing = [name for name in panel.members if not _is_final(votes.get(name))]
    if panel.is_audited(candidate_id):
        # Let every vote that is under way come in, also when one of them raises: it is paid for.
        for result in await asyncio.gather(*(ask(name) for name in missing), return_exceptions=True):
            if isinstance(result, BaseException):
                raise result
            votes[result.verifier] = result
        return votes
    for name in missing:
        if decide(panel, candidate_id, votes).acceptance is not Acceptance.UNDECIDED:
            break
        votes[name] = await ask(name)
    return votes


def _is_final(vote: Verdict | None) -> bool:
    """False if asking may bring a vote: a fault of a check is the same each time for the same code."""
    if vote is None or vote.state is not VerdictState.UNSCORED:
        return vote is not None
    return "".join(vote.issues[:1]).startswith(FAULT)
