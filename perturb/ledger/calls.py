"""The parts of a ledger that every run has: the lock, the single writer and the log of calls."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import fields
from operator import attrgetter
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from filelock import FileLock, Timeout

from perturb.errors import LedgerError
from perturb.ledger.db import REPAIR, Write, Writer, connect, ledger_errors, temporary_copy
from perturb.ledger.migrations import STEPS, check_version, migrate
from perturb.llm.model_client import Call
from perturb.text.wording import listed

LEDGER_FILE = "ledger.sqlite"
"""The name of the database in the folder of a run."""

# The table of calls has a column for each field of `Call`, under the same name.
_COLUMNS = tuple(field.name for field in fields(Call))
_INSERT = f"INSERT INTO calls ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"
_values = attrgetter(*_COLUMNS)


class CallLedger:
    """The database of a run, which only this process may write. It is a `perturb.llm.model_client.CallLog`.

    Writes are queued, and one thread commits them in order. `db` is a connection for reading. Use the ledger as a
    context manager: the end of the block waits for the writes and frees the lock. Raises `LedgerError` if the folder
    cannot be written, if another process works on the run, or if the file is newer than this perturb or corrupt; the
    last may also show at the end of the block.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / LEDGER_FILE
        # If a step fails, the earlier steps are undone. `pop_all` keeps them once all have succeeded.
        with ExitStack() as undo:
            self._lock = _take_lock(folder)
            undo.callback(self._release)
            with ledger_errors(self.path):
                if not self.path.exists():
                    _create(self.path)
                self.db = undo.enter_context(closing(connect(self.path)))
                _existing_version(self.db, self.path)  # an empty file is refused, rather than migrated
                migrate(self.db, str(self.path))
            self._writer = Writer(self.path)
            undo.pop_all()
        self.cached_calls = 0
        """How many calls stored replies have saved since the ledger was opened."""
        self._uncommitted: dict[str, str] = {}
        """Key → reply of calls that are not on disk yet, where `db` does not see them."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._writer.close()
        self.db.close()
        self._release()
        if isinstance(error, sqlite3.DatabaseError):
            with ledger_errors(self.path):
                raise error
        if kind is None:  # an error in the block is the first cause and must not be replaced
            self._writer.check()

    def _release(self) -> None:
        # The file with the process id goes first, since another process may take the lock at once and write its own.
        (self.folder / "run.pid").unlink(missing_ok=True)
        self._lock.release()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """A transaction for writes of this thread. At the end of the block all of them are on disk, or none is."""
        with ledger_errors(self.path), self.db:
            self.db.execute("BEGIN IMMEDIATE")
            yield self.db

    def flush(self) -> None:
        """Wait until everything that was recorded is on disk."""
        self._writer.flush()

    async def wait_until_committed(self) -> None:
        """Like `flush`, but other tasks continue meanwhile."""
        await self._writer.wait_until_committed()

    async def apply_backpressure(self) -> None:
        """Wait for the disk if it is far behind."""
        if self._writer.behind:
            await self.wait_until_committed()

    def find(self, key: str) -> str | None:
        """The reply to an identical request that was read before; None if there is no such reply."""
        # The same question may come again before the writer has committed the first reply.
        reply = self._uncommitted.get(key)
        if reply is None:
            row = self.db.execute(
                "SELECT reply FROM calls WHERE key = ? AND status = 'read' LIMIT 1", (key,)
            ).fetchone()
            if row is None:
                return None
            reply = str(row["reply"])
        self.cached_calls += 1
        return reply

    def record(self, call: Call) -> None:
        """Record one call with its reply, tokens and cost."""
        if call.status == "read":
            self._uncommitted[call.key] = call.reply

        def forget() -> None:
            self._uncommitted.pop(call.key, None)

        self._writer.put(Write(_INSERT, _values(call), committed=forget, independent=True))

    def record_shared(self, key: str, model: str, purpose: str, subject: str) -> None:
        """Record that the calls with this key have also answered a question about another subject."""
        self._put("INSERT OR IGNORE INTO shared_calls VALUES (?, ?, ?, ?)", subject, model, purpose, key)

    def _put(self, sql: str, *values: Any, committed: Callable[[], None] | None = None) -> None:
        self._writer.put(Write(sql, values, committed))

    def _replace(self, table: str, *values: Any, committed: Callable[[], None] | None = None) -> None:
        """Queue a row. It replaces an earlier row with the same key."""
        parameters = ", ".join("?" * len(values))
        self._put(f"INSERT OR REPLACE INTO {table} VALUES ({parameters})", *values, committed=committed)


def open_read_only(folder: Path) -> sqlite3.Connection:
    """A connection to a run's ledger for commands that change nothing.

    A ledger of an older perturb is copied, and the copy is migrated. Raises `LedgerError` if the folder has no ledger
    or if it cannot be read.
    """
    path = folder / LEDGER_FILE
    if not path.exists():
        raise LedgerError(f"{folder}: no run there: {_known_runs(folder)}")
    with ExitStack() as undo:
        connection = undo.enter_context(closing(connect(path, read_only=True)))
        with ledger_errors(path):
            if _existing_version(connection, path) < len(STEPS):
                copy = temporary_copy(connection)
                migrate(copy, str(path))
                return copy  # leaving the block closes the old connection
        undo.pop_all()  # leaves it open for the caller
    return connection


class AnsweredCalls:
    """The answered calls of a ledger, by the job or item that they are about."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def of(self, subject: str, model: str, purposes: Sequence[str]) -> list[list[sqlite3.Row]]:
        """The answered calls about a subject, in order: one group for each prompt."""
        # A call that answered questions about several subjects is in `shared_calls` for all but the first.
        about_subject = (
            "subject = :subject AND model = :model AND purpose IN (SELECT value FROM json_each(:purposes))"
        )
        rows = self._db.execute(
            f"""
            SELECT * FROM calls
            WHERE status != 'error' AND key IN (
                SELECT key FROM calls WHERE {about_subject}
                UNION SELECT key FROM shared_calls WHERE {about_subject}
            )
            ORDER BY id
            """,
            {"subject": subject, "model": model, "purposes": json.dumps(purposes)},
        )
        groups: dict[str, list[sqlite3.Row]] = {}
        for row in rows:
            groups.setdefault(row["key"], []).append(row)
        return list(groups.values())

    def behind(self, subject: str, model: str, purposes: Sequence[str], reply: str) -> list[sqlite3.Row]:
        """The calls about a subject that led to a result with this reply.

        If no call has the reply, they are those of the last prompt; if there are no calls, none.
        """
        groups = self.of(subject, model, purposes)
        with_reply = [rows for rows in groups if any(row["reply"] == reply for row in rows)]
        candidates = with_reply or groups
        return last_pass(candidates[-1]) if candidates else []


def last_pass(rows: list[sqlite3.Row]) -> list[sqlite3.Row]:
    """The calls of a prompt that led to the result: the last call, and the call before it if it was unreadable."""
    # After a reply that could not be read, the client asks once more under the same key.
    was_asked_again = len(rows) > 1 and rows[-2]["status"] == "unread"
    return rows[-2:] if was_asked_again else rows[-1:]


@contextmanager
def reading(folder: Path) -> Iterator[sqlite3.Connection]:
    """Like `open_read_only`, for a block in which later errors of the database also become `LedgerError`."""
    with closing(open_read_only(folder)) as db, ledger_errors(folder / LEDGER_FILE):
        yield db


def _known_runs(folder: Path) -> str:
    """Advice for a folder that is not a run: the runs that the user may have meant."""
    if (folder.parent / LEDGER_FILE).exists():
        return f"this folder is part of the run {folder.parent}: give that folder"
    runs_inside = sorted(str(path.parent) for path in folder.glob(f"*/{LEDGER_FILE}"))
    return f"give the folder of a run, {f'one of {listed(runs_inside)}' if runs_inside else 'such as outputs/NAME'}"


def _create(path: Path) -> None:
    """Create an empty ledger, which appears under its name only when it is complete.

    So a ledger without tables is always damaged, and never one whose creation was interrupted.
    """
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and log.stat().st_size:
        raise LedgerError(f"{path}: the ledger is missing, but its {log.name} is there: {REPAIR}")
    new_file = path.with_suffix(".new")
    # An earlier process may have died while it created the ledger.
    for ending in ("", "-wal", "-shm"):
        new_file.with_name(f"{new_file.name}{ending}").unlink(missing_ok=True)
    with closing(connect(new_file)) as db:
        migrate(db, str(path))
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()  # closing alone would ignore a full disk
    new_file.replace(path)


def _existing_version(db: sqlite3.Connection, path: Path) -> int:
    """The version of an existing ledger. Raises `LedgerError` if the file is empty, which SQLite accepts as new."""
    version = check_version(db, str(path))
    if version == 0:
        raise LedgerError(f"{path}: the ledger is empty: {REPAIR}")
    return version


def _take_lock(folder: Path) -> FileLock:
    """Take the lock of the run. Raises `LedgerError` that names the process if another process holds it."""
    lock = FileLock(folder / "run.lock", timeout=0)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire()
        (folder / "run.pid").write_text(f"{os.getpid()}\n")
    except Timeout:
        pid_file = folder / "run.pid"
        # The other process may have taken the lock a moment ago and not written its id yet.
        pid = pid_file.read_text().strip() if pid_file.exists() else "unknown"
        raise LedgerError(
            f"run '{folder.name}' is being worked on by process {pid}: wait for it, or stop it first"
        ) from None
    except OSError as exc:
        lock.release()
        raise LedgerError(
            f"{folder}: cannot be written ({exc.strerror}): check the folder's permissions"
        ) from None
    return lock
