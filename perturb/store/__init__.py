"""The ledger: one SQLite file per run that holds every call and whatever else the run makes."""

from perturb.store.calls import CallLedger, open_read_only
from perturb.store.evaluations import EvaluationLedger
from perturb.store.ledger import Ledger
from perturb.store.queries import PlannedJob, StageCounts

__all__ = ["CallLedger", "EvaluationLedger", "Ledger", "PlannedJob", "StageCounts", "open_read_only"]
