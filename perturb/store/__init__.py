"""The ledger: one SQLite file per run that holds every job, candidate, vote, decision and call."""

from perturb.store.ledger import Ledger
from perturb.store.queries import PlannedJob, StageCounts

__all__ = ["Ledger", "PlannedJob", "StageCounts"]
