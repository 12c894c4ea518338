"""Do the verifiers agree, and are they partial: figures from stored votes, each with its uncertainty."""

from perturb.audit.report import AuditReport, audit
from perturb.audit.sources import read_votes
from perturb.audit.votes import VoteTable, vote_table
from perturb.callable_rooms import make_callable

__all__ = ["AuditReport", "VoteTable", "audit", "read_votes", "vote_table"]

make_callable(__name__, "audit")
