"""What a generator hands over: a candidate, or the reason there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from perturb.records import Candidate, JobOutcome


@dataclass(frozen=True, slots=True)
class GenerationResult:
    """The result of one job."""

    outcome: JobOutcome
    detail: str
    """Why there is no candidate, or which lever it uses; one line."""
    raw: str = ""
    """The reply as it came; the ledger keeps it with the call."""
    candidate: Candidate | None = None
    """There for `CANDIDATE` and `REJECTED`."""
    declined: Mapping[str, str] = field(default_factory=dict)
    """Lever → why, for each lever of the offers that the generator declined."""
