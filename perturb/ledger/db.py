"""Connections to a ledger, and the single thread that writes to it."""

from __future__ import annotations

import asyncio
import queue
import shutil
import sqlite3
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from perturb.errors import LedgerError
from perturb.files.resources import writing_errors

BATCH_ROWS = 200
"""The most rows of one commit. A crash loses few rows, and yet many rows share the cost of one fsync."""

BEHIND_ROWS = 10 * BATCH_ROWS
"""If more rows than this are queued, callers should wait for the disk before they make more."""


@contextmanager
def ledger_errors(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into one line that says what to do."""
    try:
        yield
    except sqlite3.DatabaseError as exc:
        raise LedgerError(explain(path, exc)) from None


@contextmanager
def stored_values() -> Iterator[None]:
    """Turn errors about the values of rows into an error of SQLite.

    A ledger that we wrote holds no such values, so they mean damage to the file.
    """
    try:
        yield
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as exc:
        raise sqlite3.DatabaseError(f"malformed value: {exc}") from None


REPAIR = "restore a copy, or remove the run folder to start again"
"""The advice about a damaged ledger."""

# Errors about the values of a single row.
_ROW_FAULTS = (
    ValueError,
    OverflowError,
    sqlite3.InterfaceError,
    sqlite3.ProgrammingError,
    sqlite3.DataError,
    sqlite3.IntegrityError,
)

# Words of SQLite's errors about a file that has changed since it was written.
_DAMAGE = ("malformed", "not a database", "corrupt", "no such", "decode", "disk I/O error")


def explain(path: Path, exc: Exception) -> str:
    """One line on an error of the database: what happened, and what the user can do."""
    text, name = str(exc), getattr(exc, "sqlite_errorname", "")
    # SQLite reports a full disk under several names. Errors of reading mean damage instead.
    if "disk is full" in text or (name.startswith("SQLITE_IOERR") and "READ" not in name):
        return (
            f"{path}: no space left for the ledger: free some and run the same command again, nothing is lost"
        )
    if path.is_dir():
        return f"{path}: the ledger is a folder: {REPAIR}"
    if "readonly" in text or "unable to open" in text:
        return f"{path}: the ledger cannot be written: check the folder's permissions"
    if any(word in text for word in _DAMAGE):
        return f"{path}: the ledger is corrupt ({text}): {REPAIR}"
    if "locked" in text:
        return f"{path}: the ledger is locked by another process: wait for it or stop it"
    return f"{path}: the ledger failed ({text}): run the same command again"


def connect(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """Open a connection with the settings of all ledgers: full sync and explicit transactions.

    A ledger that is only read may lie on a volume that is read-only or full.
    """
    # Opening reads the schema, whose texts may be damaged too.
    with ledger_errors(path), stored_values():
        if not read_only:
            return _open(path, "mode=rwc")
        try:
            return _open(path, "mode=ro")
        except sqlite3.OperationalError:
            # SQLite's readers share memory through a file beside the ledger, which cannot be made on a read-only or
            # full volume.
            if not path.is_file():
                raise
            log = path.with_name(f"{path.name}-wal")
            if log.is_file() and log.stat().st_size:
                return _open_copy(path, log)  # the log holds a part of the ledger
            return _open(path, "mode=ro&immutable=1")  # the file is the whole ledger, and nobody writes to it


def _open_copy(path: Path, log: Path) -> sqlite3.Connection:
    """A temporary copy of a ledger that a killed run left with a log."""
    with tempfile.TemporaryDirectory(prefix="perturb-") as folder:
        copied = Path(folder) / path.name
        with writing_errors(copied, LedgerError):
            for source in (path, log):
                shutil.copyfile(source, copied.with_name(source.name))
        with closing(_open(copied, "mode=rw")) as with_log:
            return temporary_copy(with_log)


def temporary_copy(source: sqlite3.Connection) -> sqlite3.Connection:
    """A copy of a database in a temporary file, which SQLite deletes when the connection closes."""
    copy = sqlite3.connect(
        "", isolation_level=None, check_same_thread=False
    )  # an empty name means a temporary file
    copy.row_factory = sqlite3.Row
    source.backup(copy)
    return copy


def _open(path: Path, mode: str) -> sqlite3.Connection:
    """A connection in a mode of SQLite's URIs: `mode=ro`. It is closed if the file cannot be used."""
    connection = sqlite3.connect(
        f"{path.resolve().as_uri()}?{mode}",
        uri=True,
        isolation_level=None,
        timeout=30,
        check_same_thread=False,
    )
    try:
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA synchronous = FULL")
        # This reads the schema, so that a damaged file fails here and not in the middle of a run.
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


@dataclass(frozen=True, slots=True)
class Write:
    """One statement for the writer."""

    sql: str
    values: Sequence[Any]
    committed: Callable[[], object] | None = None
    """A function that the writer's thread calls once the row is on disk."""
    independent: bool = False
    """Whether the row is still correct if rows before it could not be stored."""


class _SharedWait(NamedTuple):
    """A wait for the disk that all tasks share which ask in the same turn of an event loop."""

    loop: asyncio.AbstractEventLoop
    reached: asyncio.Event


class Writer:
    """The only thread that writes. It takes statements in order and commits them in batches.

    A failure stops it for good, and `put`, `flush` and `check` raise it as `LedgerError`. After a row that cannot be
    stored, only `independent` rows are still written. After a failure of the disk, no rows are written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._queue: queue.SimpleQueue[Write | Callable[[], None] | None] = queue.SimpleQueue()
        self._shared_wait: _SharedWait | None = None
        self._failure: LedgerError | None = None
        self._disk_failed = False
        self._connection = connect(path)
        # A daemon, so that a program that forgot to close its ledger can still end.
        self._thread = threading.Thread(target=self._run, name="ledger-writer", daemon=True)
        self._thread.start()

    def put(self, write: Write) -> None:
        """Queue one statement without waiting."""
        self.check()
        self._queue.put(write)

    @property
    def behind(self) -> bool:
        """Whether the queue is so long that callers should flush it before they make more rows."""
        return self._queue.qsize() > BEHIND_ROWS

    def flush(self) -> None:
        """Wait until everything that is queued now is on disk."""
        self.check()
        # The mark goes through the queue behind all rows, and is called after their commit.
        reached = threading.Event()
        self._queue.put(reached.set)
        reached.wait()
        self.check()

    async def wait_until_committed(self) -> None:
        """Like `flush`, but without blocking the loop. Tasks that ask in the same turn of the loop share one wait."""
        self.check()
        loop = asyncio.get_running_loop()
        wait = self._shared_wait
        if wait is None or wait.loop is not loop:
            wait = self._shared_wait = _SharedWait(loop, asyncio.Event())
            loop.call_soon(
                self._queue_mark, wait
            )  # at the end of this turn, so that its other tasks can join
        await wait.reached.wait()
        self.check()

    def _queue_mark(self, wait: _SharedWait) -> None:
        """Queue a mark that ends the wait. Tasks that ask from now on need another one."""
        self._shared_wait = None

        def end_wait() -> None:
            with suppress(RuntimeError):  # the loop is closed, so no task waits any more
                wait.loop.call_soon_threadsafe(wait.reached.set)

        self._queue.put(end_wait)

    def close(self) -> None:
        """Write what is queued, stop the thread and close the connection."""
        self._queue.put(None)
        self._thread.join()
        self._connection.close()

    def check(self) -> None:
        """Raise the failure that stopped the writer, if there was one."""
        if self._failure is not None:
            raise self._failure

    def _run(self) -> None:
        is_open = True
        while is_open:
            batch, marks, is_open = self._take_batch()
            if batch and not self._disk_failed:
                self._commit(batch)
            # Marks are called even after a failure, so that no caller waits for ever. The callers then see the failure.
            for mark in marks:
                mark()

    def _take_batch(self) -> tuple[list[Write], list[Callable[[], None]], bool]:
        """Wait for work, and take what is queued by then: rows, marks, and whether the writer is still open.

        At most `BATCH_ROWS` rows are taken, which go into one commit.
        """
        batch: list[Write] = []
        marks: list[Callable[[], None]] = []
        item: Write | Callable[[], None] | None = self._queue.get()
        while item is not None:  # `close` queues None
            if isinstance(item, Write):
                batch.append(item)
            else:
                marks.append(item)
            if len(batch) >= BATCH_ROWS or self._queue.empty():
                return batch, marks, True
            # Only this thread takes from the queue, so it is still not empty.
            item = self._queue.get()
        return batch, marks, False

    def _commit(self, batch: Sequence[Write]) -> None:
        """Store rows in one transaction. A failure is kept for the callers, see `check`."""
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            written = [write for write in batch if self._execute(write)]
            self._connection.execute("COMMIT")
            for write in written:
                if write.committed is not None:
                    write.committed()
        except Exception as exc:  # noqa: BLE001 - if the thread died silently, others would wait for it for ever
            self._disk_failed = True
            self._failure = LedgerError(explain(self.path, exc))
            if self._connection.in_transaction:
                self._connection.rollback()

    def _execute(self, write: Write) -> bool:
        """Add the row to the transaction. Returns whether it could be stored; if not, other rows are not affected."""
        if self._failure is not None and not write.independent:
            return False
        try:
            self._connection.execute(write.sql, write.values)
        except _ROW_FAULTS as exc:
            # The disk works, so independent rows are still written.
            self._failure = self._failure or LedgerError(explain(self.path, exc))
            return False
        return True
