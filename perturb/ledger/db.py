"""Connections to a ledger, and the one thread that writes to it."""

from __future__ import annotations

import asyncio
import queue
import shutil
import sqlite3
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from perturb.errors import LedgerError
from perturb.files.resources import writing_errors

BATCH_ROWS = 200
"""Rows that one commit may carry: few enough to lose little, enough to share one fsync."""

BEHIND_ROWS = 10 * BATCH_ROWS
"""With more rows than this in the queue, whoever makes more should wait for the disk."""


@contextmanager
def ledger_errors(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into one line that says what to do."""
    try:
        yield
    except sqlite3.DatabaseError as exc:
        raise LedgerError(explain(path, exc)) from None


@contextmanager
def stored_values() -> Iterator[None]:
    """Around the reading of rows: a value that no ledger of ours holds is damage, and said as SQLite's errors are."""
    try:
        yield
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as exc:
        raise sqlite3.DatabaseError(f"malformed value: {exc}") from None


REPAIR = "restore a copy, or remove the run folder to start again"
"""What to do about a ledger that is damaged."""

_ROW_FAULTS = (
    ValueError,
    OverflowError,
    sqlite3.InterfaceError,
    sqlite3.ProgrammingError,
    sqlite3.DataError,
    sqlite3.IntegrityError,
)
"""What is wrong with the values of one row alone."""

_DAMAGE = ("malformed", "not a database", "corrupt", "no such", "decode", "disk I/O error")
"""Words of SQLite about a file that is not as it was written."""


def explain(path: Path, exc: Exception) -> str:
    """What an error of the database means for the user."""
    text, name = str(exc), getattr(exc, "sqlite_errorname", "")
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
    """Open a connection with the settings every ledger uses (full sync, explicit transactions).

    A ledger that is only read may lie on a volume that is read-only or full.
    """
    with ledger_errors(path), stored_values():
        if not read_only:
            return _open(path, "mode=rwc")
        try:
            return _open(path, "mode=ro")
        except sqlite3.OperationalError:
            # SQLite shares memory between readers through a file beside the ledger, which cannot be made there. Without
            # a log the ledger alone is complete and can be read as a file that nobody writes to.
            log = path.with_name(f"{path.name}-wal")
            if not path.is_file():
                raise
            if log.is_file() and log.stat().st_size:
                return _open_copy(path, log)
            return _open(path, "mode=ro&immutable=1")


def _open_copy(path: Path, log: Path) -> sqlite3.Connection:
    """A copy of a ledger that a killed run left with a log, in a file that goes with the connection."""
    with tempfile.TemporaryDirectory(prefix="perturb-") as folder:
        copied = Path(folder) / path.name
        with writing_errors(copied, LedgerError):
            for source in (path, log):
                shutil.copyfile(source, copied.with_name(source.name))
        with closing(_open(copied, "mode=rw")) as whole:
            copy = sqlite3.connect("", isolation_level=None, check_same_thread=False)
            copy.row_factory = sqlite3.Row
            whole.backup(copy)
    return copy


def _open(path: Path, mode: str) -> sqlite3.Connection:
    with ExitStack() as undo:
        connection = undo.enter_context(
            closing(
                sqlite3.connect(
                    f"{path.resolve().as_uri()}?{mode}",
                    uri=True,
                    isolation_level=None,
                    timeout=30,
                    check_same_thread=False,
                )
            )
        )
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(
            "SELECT count(*) FROM sqlite_master"
        ).fetchone()  # a damaged schema may not be text
        undo.pop_all()
    return connection


@dataclass(frozen=True, slots=True)
class Write:
    """One statement for the writer."""

    sql: str
    values: Sequence[Any]
    committed: Callable[[], object] | None = None
    """Called, in the writer's thread, once the row is on disk."""
    alone: bool = False
    """True for a row that means the same whatever became of the rows before it."""


class Writer:
    """The only thread that writes: takes statements in order and commits them in batches.

    A failure stops it for good; `put`, `flush` and `check` then raise it as `LedgerError`. After a row that cannot be
    stored only rows that stand alone are still written, after a failure of the disk none.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._queue: queue.SimpleQueue[Write | Callable[[], None] | None] = queue.SimpleQueue()
        self._asked: tuple[asyncio.AbstractEventLoop, asyncio.Event] | None = None
        self._failure: LedgerError | None = None
        self._disk_failed = False
        self._connection = connect(path)
        self._thread = threading.Thread(target=self._run, name="ledger-writer", daemon=True)
        self._thread.start()

    def put(self, write: Write) -> None:
        """Queue one statement without waiting."""
        self.check()
        self._queue.put(write)

    @property
    def behind(self) -> bool:
        """Whether the queue is so long that it should be flushed before more is made."""
        return self._queue.qsize() > BEHIND_ROWS

    def flush(self) -> None:
        """Return when everything queued so far is on disk."""
        self.check()
        reached = threading.Event()
        self._queue.put(reached.set)
        reached.wait()
        self.check()

    async def committed(self) -> None:
        """As `flush`, without blocking the running loop; all who ask in one turn of the loop are told at once."""
        self.check()
        loop = asyncio.get_running_loop()
        if self._asked is None or self._asked[0] is not loop:
            self._asked = loop, asyncio.Event()
            loop.call_soon(self._queue_mark, *self._asked)
        await self._asked[1].wait()
        self.check()

    def _queue_mark(self, loop: asyncio.AbstractEventLoop, reached: asyncio.Event) -> None:
        self._asked = None

        def tell() -> None:
            with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                loop.call_soon_threadsafe(reached.set)

        self._queue.put(tell)

    def close(self) -> None:
        """Write what is queued, stop the thread and close the connection."""
        self._queue.put(None)
        self._thread.join()
        self._connection.close()

    def check(self) -> None:
        """Raise what stopped the writer, if anything did."""
        if self._failure is not None:
            raise self._failure

    def _run(self) -> None:
        open_for_work = True
        while open_for_work:
            batch: list[Write] = []
            marks: list[Callable[[], None]] = []
            item: Write | Callable[[], None] | None = self._queue.get()
            while True:
                if item is None:
                    open_for_work = False
                elif isinstance(item, Write):
                    batch.append(item)
                else:
                    marks.append(item)
                if not open_for_work or len(batch) >= BATCH_ROWS:
                    break
                try:
                    item = self._queue.get_nowait()
                except queue.Empty:
                    break
            if batch and not self._disk_failed:
                self._commit(batch)
            for mark in marks:
                mark()

    def _commit(self, batch: Sequence[Write]) -> None:
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            written = [write for write in batch if self._execute(write)]
            self._connection.execute("COMMIT")
            for write in written:
                if write.committed is not None:
                    write.committed()
        except Exception as exc:  # noqa: BLE001 - a writer that died unheard would leave others waiting for ever
            self._disk_failed = True
            self._failure = LedgerError(explain(self.path, exc))
            if self._connection.in_transaction:
                self._connection.rollback()

    def _execute(self, write: Write) -> bool:
        """Whether the row is in the transaction; one that cannot be stored takes no other with it."""
        if self._failure is not None and not write.alone:
            return False
        try:
            self._connection.execute(write.sql, write.values)
        except _ROW_FAULTS as exc:
            self._failure = self._failure or LedgerError(explain(self.path, exc))
            return False
        return True
