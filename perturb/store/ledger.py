"""The ledger of one run: what may be written to it, and the lock that keeps a second process out."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from perturb.digests import canonical, digest
from perturb.errors import LedgerError
from perturb.llm.asking import Call
from perturb.records import BaseInstance, Candidate, Decision, Job, Outcome, Verdict
from perturb.store.db import Write, Writer, connect, ledger_errors
from perturb.store.migrations import migrate

LEDGER_FILE = "ledger.sqlite"


class Ledger:
    """One run's database, open for writing by this process alone.

    Writes are queued and committed in order by one thread; `db` is a connection for reading. Use it as a context
    manager. Raises `LedgerError` if the folder cannot be written, the file is corrupt or newer than this perturb, or
    another process works on the run.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / LEDGER_FILE
        self._lock = _take_lock(folder)
        try:
            with ledger_errors(self.path):
                connection = connect(self.path)
                migrate(connection, str(self.path))
                connection.close()
                self.db = connect(self.path)
                self._writer = Writer(self.path)
        except BaseException:
            self._lock.release()
            raise
        self.cached_calls = 0
        """Calls that a stored reply saved since the ledger was opened."""
        self._uncommitted: dict[str, str] = {}

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self._writer.close()
        self.db.close()
        (self.folder / "run.pid").unlink(missing_ok=True)
        self._lock.release()

    def flush(self) -> None:
        """Return when everything recorded so far is on disk."""
        self._writer.flush()

    # -- plans ---------------------------------------------------------------------------------------------

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

    def add_jobs(self, plan: int, jobs: Iterable[Job], instances: Mapping[str, BaseInstance]) -> int:
        """Enter a plan's jobs and base instances in batches; return how many jobs it has.

        A job that an earlier plan finished keeps its result and now belongs to this plan as well.
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
                        *(job.replicate, job.round, job.lever),
                    )
                )
                if len(batch) == 2000:
                    count += self._insert_jobs(batch)
                    batch.clear()
            count += self._insert_jobs(batch)
            self.db.execute("UPDATE plans SET jobs = ? WHERE id = ?", (count, plan))
            self.db.execute(
                "UPDATE jobs SET outcome = NULL WHERE plan = ? AND outcome = ?", (plan, Outcome.ERROR.value)
            )
        return count

    def _insert_jobs(self, rows: list[tuple[Any, ...]]) -> int:
        self.db.execute("BEGIN IMMEDIATE")
        self.db.executemany(
            "INSERT INTO jobs (id, plan, instance_key, base_id, perturbation_class, intensity, generator, replicate,"
            " round, lever) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
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
            payload = json.dumps(_plain(instance), ensure_ascii=False)
            self.db.execute("INSERT OR IGNORE INTO instances VALUES (?, ?)", (keys[instance.id], payload))
        self.db.execute("COMMIT")
        return keys

    def forget_outcomes(self, plan: int, outcome: Outcome) -> int:
        """Put the plan's jobs with this outcome back to be done; return how many."""
        with ledger_errors(self.path):
            cursor = self.db.execute(
                "UPDATE jobs SET outcome = NULL, detail = NULL, raw = NULL WHERE plan = ? AND outcome = ?",
                (plan, outcome.value),
            )
        return cursor.rowcount

    # -- results -------------------------------------------------------------------------------------------

    def record_outcome(
        self,
        job_id: str,
        outcome: Outcome,
        detail: str,
        raw: str,
        committed: Callable[[], None] | None = None,
    ) -> None:
        """Record how a job ended."""
        self._writer.put(
            Write(
                "UPDATE jobs SET outcome = ?, detail = ?, raw = ? WHERE id = ?",
                (outcome.value, detail, raw, job_id),
                committed,
            )
        )

    def record_candidate(self, candidate: Candidate) -> None:
        """Record a readable candidate; its job's outcome is recorded beside it."""
        passages = json.dumps([asdict(passage) for passage in candidate.passages], ensure_ascii=False)
        self._writer.put(
            Write(
                "INSERT OR REPLACE INTO candidates VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    candidate.id,
                    candidate.lever,
                    candidate.query,
                    passages,
                    candidate.reasoning,
                    candidate.expected_behavior,
                    json.dumps(dict(candidate.stated), ensure_ascii=False),
                ),
            )
        )

    def record_vote(self, vote: Verdict) -> None:
        """Record one vote; a later vote of the same verifier on the same candidate takes its place."""
        self._writer.put(
            Write(
                "INSERT OR REPLACE INTO votes VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    vote.candidate_id,
                    vote.verifier,
                    vote.prompt_version,
                    vote.state.value,
                    json.dumps(dict(vote.checks)),
                    vote.predicted_behavior,
                    json.dumps(list(vote.issues), ensure_ascii=False),
                    vote.raw,
                ),
            )
        )

    def record_decision(
        self, decision: Decision, panel: str, committed: Callable[[], None] | None = None
    ) -> None:
        """Record what the panel decided."""
        self._writer.put(
            Write(
                "INSERT OR REPLACE INTO decisions VALUES (?, ?, ?, ?, ?)",
                (
                    decision.candidate_id,
                    panel,
                    decision.acceptance.value,
                    decision.reason,
                    int(decision.audited),
                ),
                committed,
            )
        )

    # -- calls (perturb.llm.asking.CallLog) ----------------------------------------------------------------

    def find(self, key: str) -> str | None:
        """The reply to an identical request that was read before; None if there is none."""
        reply = self._uncommitted.get(key)
        if reply is None:
            row = self.db.execute(
                "SELECT reply FROM calls WHERE key = ? AND status = 'read' LIMIT 1", (key,)
            ).fetchone()
            reply = None if row is None else str(row["reply"])
        if reply is not None:
            self.cached_calls += 1
        return reply

    def record(self, call: Call) -> None:
        """Record one call with its reply, tokens and cost."""
        if call.status == "read":
            self._uncommitted[call.key] = call.reply
        row = asdict(call)
        names, marks = ", ".join(row), ", ".join("?" * len(row))
        self._writer.put(
            Write(
                f"INSERT INTO calls ({names}) VALUES ({marks})",
                tuple(row.values()),
                lambda: self._forget_uncommitted(call.key),
            )
        )

    def _forget_uncommitted(self, key: str) -> None:
        self._uncommitted.pop(key, None)


def instance_key(instance: BaseInstance) -> str:
    """Digest of a base instance's whole content."""
    return digest(_plain(instance))


def open_read_only(folder: Path) -> sqlite3.Connection:
    """A reading connection to a run's ledger, for commands that change nothing.

    Raises `LedgerError` if the folder holds no ledger, or one that cannot be read.
    """
    path = folder / LEDGER_FILE
    if not path.is_file():
        raise LedgerError(
            f"{folder}: no run there: give the folder that `perturb build` wrote (outputs/NAME)"
        )
    connection = connect(path, read_only=True)
    with ledger_errors(path):
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    from perturb.store.migrations import STEPS

    if version != len(STEPS):
        word = "newer" if version > len(STEPS) else "older"
        raise LedgerError(
            f"{path}: written by an {word} perturb: run `perturb build` with this one, or upgrade"
        )
    return connection


def _plain(instance: BaseInstance) -> dict[str, Any]:
    content = asdict(instance)
    content["metadata"] = dict(instance.metadata)
    return content


def _take_lock(folder: Path) -> FileLock:
    """Hold the run's lock, or say which process holds it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / "run.lock", timeout=0)
        lock.acquire()
        (folder / "run.pid").write_text(f"{os.getpid()}\n")
    except Timeout:
        pid_file = folder / "run.pid"
        pid = pid_file.read_text().strip() if pid_file.exists() else "unknown"
        raise LedgerError(
            f"run '{folder.name}' is being worked on by process {pid}: wait for it, or stop it first"
        ) from None
    except OSError as exc:
        raise LedgerError(
            f"{folder}: cannot be written ({exc.strerror}): check the folder's permissions"
        ) from None
    return lock
