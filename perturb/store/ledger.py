"""The ledger of one build: plans, jobs, candidates, votes and decisions, beside the calls."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from typing import Any

from perturb.digests import canonical, digest
from perturb.records import BaseInstance, Candidate, Decision, Job, JobOutcome, Verdict
from perturb.store import queries
from perturb.store.calls import CallLedger
from perturb.store.db import ledger_errors


class Ledger(CallLedger):
    """What a build may write."""

    def start_plan(self, plan_digest: str, config: str, facts: Mapping[str, Any]) -> int:
        """Make the plan with this digest the current one and return its number."""
        with ledger_errors(self.path):
            self.db.execute("BEGIN IMMEDIATE")
            self.db.execute("UPDATE plans SET current = 0")
            row = self.db.execute(
                "INSERT INTO plans (digest, config, facts, current) VALUES (?, ?, ?, 1)"
                " ON CONFLICT (digest) DO UPDATE SET current = 1, config = excluded.config, facts = excluded.facts"
                " RETURNING id",
                (plan_digest, config, canonical(facts)),
            ).fetchone()
            self.db.execute("COMMIT")
        return int(row["id"])

    def add_jobs(
        self, plan: int, jobs: Iterable[Job], instances: Mapping[str, BaseInstance], *, retry: bool = True
    ) -> int:
        """Enter jobs of a plan and base instances in batches; return how many jobs they are.

        A job that an earlier plan finished keeps its result and now belongs to this plan as well. With `retry`, one
        that failed is to be done again, but for faults of rules: they come again until the rule changes, and with it
        the job. Without it, the jobs are some more of the plan.
        """
        with ledger_errors(self.path):
            keys = self._add_instances(instances.values())
            count = 0
            batch: list[tuple[Any, ...]] = []
            for job in jobs:
                cell = job.cell
                key = keys[job.instance_id]
                batch.append(
                    (
                        *(job.id, plan, key, job.instance_id),
                        *(cell.perturbation_class, cell.intensity, job.generator),
                        *(job.replicate, job.round, json.dumps(job.offers, ensure_ascii=False)),
                    )
                )
                if len(batch) == 2000:
                    count += self._insert_jobs(batch)
                    batch.clear()
            count += self._insert_jobs(batch)
            known = "0" if retry else "jobs"
            self.db.execute(f"UPDATE plans SET jobs = {known} + ? WHERE id = ?", (count, plan))
            if retry:
                self.db.execute(
                    "UPDATE jobs SET outcome = NULL WHERE plan = ? AND outcome = 'error'"
                    f" AND NOT {queries.is_fault('detail')}",
                    (plan,),
                )
        return count

    def _insert_jobs(self, rows: list[tuple[Any, ...]]) -> int:
        self.db.execute("BEGIN IMMEDIATE")
        self.db.executemany(
            "INSERT INTO jobs (id, plan, instance_key, base_id, perturbation_class, intensity, generator, replicate,"
            " round, offers) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (id) DO UPDATE SET plan = excluded.plan",
            rows,
        )
        self.db.execute("COMMIT")
        return len(rows)

    def _add_instances(self, instances: Iterable[BaseInstance]) -> dict[str, str]:
        keys: dict[str, str] = {}
        self.db.execute("BEGIN IMMEDIATE")
        for instance in instances:
            keys[instance.id] = instance_key(instance)
            payload = json.dumps(instance.to_payload(), ensure_ascii=False)
            self.db.execute("INSERT OR IGNORE INTO instances VALUES (?, ?)", (keys[instance.id], payload))
        self.db.execute("COMMIT")
        return keys

    def forget_outcomes(self, plan: int, outcome: JobOutcome) -> int:
        """Put the plan's jobs with this outcome back to be done; return how many."""
        with ledger_errors(self.path):
            cursor = self.db.execute(
                "UPDATE jobs SET outcome = NULL, detail = NULL WHERE plan = ? AND outcome = ?",
                (plan, outcome.value),
            )
        return cursor.rowcount

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
            *(outcome.value, detail, json.dumps(dict(declined or {}), ensure_ascii=False), job_id),
            committed=committed,
        )

    def record_candidate(self, candidate: Candidate) -> None:
        """Record a readable candidate; its job's outcome is recorded beside it."""
        passages = json.dumps([asdict(passage) for passage in candidate.passages], ensure_ascii=False)
        made, stated = candidate, json.dumps(dict(candidate.stated), ensure_ascii=False)
        texts = (made.lever, made.query, passages, made.reasoning, made.expected_behavior)
        self._replace("candidates", made.id, *texts, stated)

    def record_vote(self, vote: Verdict) -> None:
        """Record one vote; a later vote of the same verifier on the same candidate takes its place."""
        self._replace(
            "votes",
            *(vote.candidate_id, vote.verifier, vote.prompt_version, vote.state.value),
            *(json.dumps(dict(vote.checks)), vote.predicted_behavior),
            *(json.dumps(list(vote.issues), ensure_ascii=False), vote.raw),
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
