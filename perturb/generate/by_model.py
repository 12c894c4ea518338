"""Asks a model to perturb an instance and reads its reply."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from perturb.digests import digest
from perturb.generate.made import Made
from perturb.llm.asking import Asker
from perturb.llm.replies import ReplyError, read_object
from perturb.prompts import GENERATION_KEYS, Prompts
from perturb.records import BaseInstance, Candidate, Job, Outcome, Passage
from perturb.verify.checks import copy_unchanged_parts, find_fault

_NEEDED = frozenset({"perturbed_query", "perturbed_context", "lever_selected", "implementation_reasoning"})
_CLAIMS = tuple(key for key in GENERATION_KEYS if key not in _NEEDED)


@dataclass(frozen=True, slots=True)
class _Reply:
    """A generator's reply, read."""

    query: str
    context: str
    lever: str
    reasoning: str
    claims: dict[str, Any]


async def generate_by_model(
    asker: Asker, prompts: Prompts, job: Job, instance: BaseInstance, seed: int
) -> Made:
    """Run one job: a candidate that passed the machine checks, or the stored reason why not.

    Raises `BudgetSpent` when the call could overspend; every other failure is a result.
    """
    lever = prompts.catalogue.find(job.lever) if job.lever else None
    asked = await asker.ask(
        job.generator,
        prompts.generation(job.cell, instance, lever),
        read_reply,
        purpose="generate",
        subject=job.id,
        salt=digest(job.round, seed, job.replicate),
    )
    if asked.status == "error":
        return Made(Outcome.ERROR, asked.error)
    if asked.value is None:
        return Made(Outcome.UNPARSED, asked.error, asked.raw)
    candidate = _candidate(prompts, job, instance, asked.value)
    fault = find_fault(prompts.catalogue, instance, candidate, job.lever)
    if fault is not None:
        return Made(Outcome.REJECTED, fault, asked.raw, candidate)
    return Made(Outcome.CANDIDATE, candidate.lever, asked.raw, candidate)


def read_reply(text: str) -> _Reply:
    """Read a generator's reply; raises `ReplyError` that says what is missing."""
    content = read_object(text, _NEEDED)
    for key in sorted(_NEEDED):
        if not isinstance(content[key], str) or not content[key].strip():
            raise ReplyError(f"field '{key}' must be a non-empty string")
    claims = {key: content[key] for key in _CLAIMS if isinstance(content.get(key), str)}
    return _Reply(
        query=content["perturbed_query"].strip(),
        context=content["perturbed_context"].strip(),
        lever=" ".join(content["lever_selected"].split()),
        reasoning=content["implementation_reasoning"].strip(),
        claims=claims,
    )


def _candidate(prompts: Prompts, job: Job, instance: BaseInstance, reply: _Reply) -> Candidate:
    known = prompts.catalogue.find(reply.lever)
    passage = instance.passages[0]
    candidate = Candidate(
        id=job.id,
        instance_id=instance.id,
        generator=job.generator,
        cell=job.cell,
        lever=known.name if known else reply.lever,
        query=reply.query,
        passages=(Passage(reply.context, passage.title, passage.role),),
        reasoning=reply.reasoning,
        expected_behavior=prompts.catalogue.expected_behavior(job.cell),
        stated=reply.claims,
    )
    return copy_unchanged_parts(instance, candidate)
