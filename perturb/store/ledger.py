"""The ledger of one build: plans, jobs, candidates, votes and decisions, beside the calls."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from functools import partial
from typing import Any

from perturb.classes import Judges
from perturb.digests import canonical, digest
from perturb.records import BaseInstance, Candidate, Decision, Job, JobOutcome, Verdict
from perturb.store import queries
from perturb.store.calls import CallLedger

_json = partial(json.dumps, ensure_ascii=False)


class Ledger(CallLedger):
    """What a build may write."""

    def start_plan(self, plan_digest: str, config: str, facts: Mapping[str, Any]) -> int:
        """Make the plan with this digest the current one and return its number."""
        with self.transaction() as db:
            db.execute("UPDATE plans SET current = 0")
            row = db.execute(
                "INSERT INTO plans (digest, config, facts, current) VALUES (?, ?, ?, 1)"
                " ON CONFLICT (digest) DO UPDATE SET current = 1, config = excluded.config, facts = excluded.facts"
                " RETURNING id",
                (plan_digest, config, canonical(facts)),
            ).fetchone()
        return int(row["id"])

    def add_jobs(
        self, plan: int, jobs: Iterable[Job], instances: Mapping[str, BaseInstance], *, retry: bool = True
    ) -> int:
        """Enter jobs of a plan and their base instances by id; return how many jobs they are.

        A job that an earlier plan finished keeps its result and now belongs to this plan as well. With `retry`, one
        that failed is to be done again, but for faults of rules: they come again until the rule changes, and with it
        the job. Without it, the jobs are some more of the plan.
        """
        keys = {name: instance_key(one) for name, one in instances.items()}
        with self.transaction() as db:
            db.executemany(
                "INSERT OR IGNORE INTO instances VALUES (?, ?)",
                ((keys[name], _json(one.to_payload())) for name, one in instances.items()),
            )
            count = db.executemany(
                "INSERT INTO jobs (id, plan, instance_key, base_id, perturbation_class, intensity, generator,"
                " replicate, round, offers) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                " ON CONFLICT (id) DO UPDATE SET plan = excluded.plan",
                (
                    (
                        *(job.id, plan, keys[job.instance_id], job.instance_id),
                        *(job.cell.perturbation_class, job.cell.intensity, job.generator),
                        *(job.replicate, job.round, _json(job.offers)),
                    )
                    for job in jobs
                ),
            ).rowcount
            db.execute(f"UPDATE plans SET jobs = {'0' if retry else 'jobs'} + ? WHERE id = ?", (count, plan))
            if retry:
                failed = f"outcome = 'error' AND NOT {queries.is_fault('detail')}"
                db.execute(f"UPDATE jobs SET outcome = NULL WHERE plan = ? AND {failed}", (plan,))
        return count

    def forget_outcomes(self, plan: int, outcome: JobOutcome) -> int:
        """Put the plan's jobs with this outcome back to be done; return how many."""
        with self.transaction() as db:
            return db.execute(
                "UPDATE jobs SET outcome = NULL, detail = NULL WHERE plan = ? AND outcome = ?",
                (plan, outcome.value),
            ).rowcount

    def forget_unread_votes(self, plan: int, panel: str, judges: Judges) -> None:
        """Let the panel be asked again for the plan's votes that could not be read and that a decision may need."""
        keys = f"SELECT v.candidate_id, v.verifier, v.fingerprint {queries.UNREAD_VOTES}"
        with self.transaction() as db:
            db.execute(
                f"DELETE FROM votes WHERE (candidate_id, verifier, fingerprint) IN ({keys})",
                (_json(judges.keys), panel, plan),
            )

    def forget_sample(self) -> None:
        """Let the review begin with a new sample; the answers stay."""
        with self.transaction() as db:
            db.execute("DELETE FROM review_samples")

    def record_outcome(
        self,
        job_id: str,
        outcome: JobOutcome,
        detail: str,
        committed: Callable[[], None] | None = None,
        declined: Mapping[str, str] | None = None,
    ) -> None:
        """Record how a job ended, and why its generator declined levers; its replies stand among the calls."""
        self._put(
            "UPDATE jobs SET outcome = ?, detail = ?, declined = ? WHERE id = ?",
            *(outcome.value, detail, _json(dict(declined or {})), job_id),
            committed=committed,
        )

    def record_candidate(self, candidate: Candidate) -> None:
        """Record a readable candidate; its job's outcome is recorded beside it."""
        passages = _json([asdict(passage) for passage in candidate.passages])
        made, stated = candidate, _json(dict(candidate.stated))
        texts = (made.lever, made.query, passages, made.reasoning, made.expected_behavior)
        self._replace("candidates", made.id, *texts, stated)

    def record_vote(self, vote: Verdict) -> None:
        """Record one vote; a later vote of the same verifier on the same candidate takes its place."""
        self._replace(
            "votes",
            *(vote.candidate_id, vote.verifier, vote.prompt_version, vote.state.value),
            *(_json(dict(vote.checks)), vote.predicted_behavior, _json(list(vote.issues)), vote.raw),
        )

    def record_decision(
        self, decision: Decision, panel: str, committed: Callable[[], None] | None = None
    ) -> None:
        """Record what the panel decided."""
        outcome = (decision.acceptance.value, decision.reason, int(decision.audited))
        self._replace("decisions", decision.candidate_id, panel, *outcome, committed=committed)


def instance_key(instance: BaseInstance) -> str:
    """Digest of a base instance's whole content."""
    return digest(instance.to_payload())
