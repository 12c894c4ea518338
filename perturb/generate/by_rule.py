"""Runs a job through the embedded rule engine: no model, no call."""

from __future__ import annotations

from collections.abc import Sequence

from perturb.catalogue import Catalogue
from perturb.digests import seed_of
from perturb.errors import fault_line
from perturb.generate.result import GenerationResult
from perturb.languages import unread_offline
from perturb.records import BaseInstance, Candidate, Job, JobOutcome
from perturb.rules.engine import Abstention, perturb_by_rule
from perturb.verify.checks import find_fault


def generate_by_rule(
    catalogue: Catalogue, job: Job, instance: BaseInstance, seed: int, donors: Sequence[BaseInstance] = ()
) -> GenerationResult:
    """Run one job; an instance that no rule of the cell fits is an abstention, not a failure.

    No text may stop a run: an exception is a fault of ours, and the outcome of this one job.
    """
    try:
        if unread := unread_offline(instance.language):
            return GenerationResult(JobOutcome.ABSTAINED, unread)
        lever = job.offers[0][0] if job.offers else None
        draw = seed_of("rule", instance.id, instance.query, str(job.cell), job.round, seed, job.replicate)
        result = perturb_by_rule(catalogue, instance, job.cell, lever, draw, donors)
        if isinstance(result, Abstention):
            return GenerationResult(JobOutcome.ABSTAINED, result.reason)
        candidate = Candidate(
            id=job.id,
            instance_id=instance.id,
            generator=job.generator,
            cell=job.cell,
            lever=result.lever,
            query=result.query,
            passages=result.passages,
            reasoning=result.reasoning,
            expected_behavior=catalogue.expected_behavior(job.cell),
        )
        fault = find_fault(catalogue, instance, candidate, () if lever is None else (lever,))
        outcome = JobOutcome.CANDIDATE if fault is None else JobOutcome.REJECTED
        return GenerationResult(outcome, fault or candidate.lever, candidate=candidate)
    except Exception as error:  # noqa: BLE001  (whatever a rule stumbles over)
        return GenerationResult(JobOutcome.ERROR, fault_line(error, f"the offline engine, {job.cell}"))
