"""Do the verifiers agree, and are they partial: figures from stored votes, each with its uncertainty."""

from perturb.audit.audit_report import AuditReport, audit
from perturb.audit.vote_sources import read_votes
from perturb.audit.votes import VoteTable, vote_table
from perturb.callable_modules import make_callable

__all__ = ["AuditReport", "VoteTable", "audit", "read_votes", "vote_table"]

make_callable(__name__, "audit")
