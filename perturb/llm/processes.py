"""Workers as processes of this machine, each at the other end of a socket pair."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import pickle
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from perturb.errors import ExecutorError, WorkerLostError
from perturb.llm.worker_pool import WorkerPool, WorkerSlot, read_frame, write_frame
from perturb.llm.worker_tasks import TaskRow, WorkerTask

START_TIMEOUT = 120.0
"""Seconds that workers may take to start."""

MAX_RESTARTS = 10
"""So many workers in a row may die without having given a row; then something is wrong with all of them."""


@dataclass(eq=False)
class WorkerProcess:
    """One worker and the chunks it is working on."""

    name: str
    process: asyncio.subprocess.Process
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    listening: asyncio.Task[None] | None = None
    gone: str = ""
    """Why it is gone; empty while it lives."""
    ready: bool = False
    """Whether it has started up."""
    useful: bool = False
    """Whether it has given a row."""
    _numbers: itertools.count[int] = field(default_factory=itertools.count)
    _inboxes: dict[int, asyncio.Queue[list[TaskRow] | None]] = field(default_factory=dict)

    @property
    def load(self) -> int:
        """Chunks under way."""
        return len(self._inboxes)

    async def work(self, chunk: Sequence[WorkerTask]) -> AsyncIterator[TaskRow]:
        """Send the chunk, and pass on its rows as they come."""
        number = next(self._numbers)
        inbox = self._inboxes[number] = asyncio.Queue()
        left = len(chunk)
        try:
            if not self.gone:
                write_frame(self.writer, (number, list(chunk)))
            while left and not (self.gone and inbox.empty()):
                rows = await inbox.get()
                if rows is None:
                    break
                left -= len(rows)
                for row in rows:
                    yield row
        finally:
            del self._inboxes[number]
        if left:
            raise WorkerLostError(self.gone)

    def drop(self) -> None:
        """Kill the process: a worker that is late may be frozen."""
        self.ready = False
        # Not `process.kill()`: that may take the exit code away from those who wait for it.
        if self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.process.pid, signal.SIGKILL)

    async def listen(self, ready: Callable[[], None]) -> None:
        """Wait for the worker to be ready, then sort its rows to their chunks until it is gone."""
        try:
            await read_frame(self.reader)
            self.ready = True
            ready()
            while True:
                number, rows = await read_frame(self.reader)
                self.useful = True
                if (inbox := self._inboxes.get(number)) is not None:
                    inbox.put_nowait(rows)
        except (EOFError, OSError, pickle.UnpicklingError):
            pass
        finally:
            self.drop()
            self.writer.close()
            code = await self.process.wait()
            self.gone = f"the process ended {_ending(code)}"
            for inbox in self._inboxes.values():
                inbox.put_nowait(None)

    async def stop(self) -> None:
        """End the process; it has nothing to lose."""
        self.drop()
        if self.listening is not None:
            await asyncio.gather(self.listening, return_exceptions=True)


class ProcessSlots:
    """As many worker processes as were asked for; a dead one is replaced."""

    def __init__(self, number: int, setup: Any) -> None:
        self._changed: Callable[[], None] = lambda: None
        self._number = number
        self._setup = setup
        self._workers: list[WorkerProcess] = []
        self._starting: set[asyncio.Task[None]] = set()
        self._born = itertools.count(1)
        self._closing = False
        self._useless = 0
        """How many workers in a row have died without having given a row."""
        self._last_words = ""

    async def open(self) -> None:
        """Start every worker and wait until all are ready. Raises `ExecutorError` if they cannot be started."""
        changed = asyncio.Event()
        self._changed = changed.set
        for _ in range(self._number):
            self._begin()
        try:
            async with asyncio.timeout(START_TIMEOUT):
                while len(self.free()) < self._number:
                    await changed.wait()
                    changed.clear()
        except TimeoutError:
            raise ExecutorError(
                f"worker processes are not ready after {START_TIMEOUT:g} s: look at what slows their start, "
                "or run with the local executor"
            ) from None

    def set_on_change(self, changed: Callable[[], None]) -> None:
        """Have `changed` called when a worker has come or gone."""
        self._changed = changed

    def free(self) -> Sequence[WorkerSlot]:
        """The living workers; each takes any number of chunks, for calls are mostly waiting."""
        if self._useless >= MAX_RESTARTS:
            raise ExecutorError(
                f"worker processes end before they do anything ({self._last_words}): look at the errors above and at "
                "the memory of the machine, or run with the local executor"
            )
        ready = [worker for worker in self._workers if worker.ready]
        return sorted(ready, key=lambda worker: worker.load)

    async def close(self) -> None:
        """End every worker, and those that are just being started."""
        self._closing = True
        await asyncio.gather(*self._starting, return_exceptions=True)
        await asyncio.gather(*(worker.stop() for worker in self._workers))

    def _begin(self) -> None:
        starting = asyncio.ensure_future(self._start())
        self._starting.add(starting)
        starting.add_done_callback(self._started)

    async def _start(self) -> None:
        """Start one worker; it is given chunks once it says that it is ready."""
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                process = await asyncio.create_subprocess_exec(
                    *(sys.executable, *_path_options(), "-m", "perturb.llm.worker"),
                    str(theirs.fileno()),
                    pass_fds=[theirs.fileno()],
                    stdin=asyncio.subprocess.DEVNULL,
                    # Out of the terminal's process group: Ctrl-C is for the driver, whose end they see.
                    start_new_session=True,
                )
            except OSError as error:
                ours.close()
                raise ExecutorError(
                    f"a worker process cannot be started ({error.strerror}): ask for fewer"
                ) from None
        reader, writer = await asyncio.open_connection(sock=ours)
        worker = WorkerProcess(f"worker {next(self._born)} (process {process.pid})", process, reader, writer)
        self._workers.append(worker)
        write_frame(writer, self._setup)
        worker.listening = asyncio.ensure_future(worker.listen(self._note_change))
        worker.listening.add_done_callback(lambda _: self._replace(worker))

    def _note_change(self) -> None:
        self._changed()

    def _replace(self, worker: WorkerProcess) -> None:
        """Start another worker for one that has died."""
        self._workers.remove(worker)
        if self._closing:
            return
        self._useless = 0 if worker.useful else self._useless + 1
        self._last_words = worker.gone
        if self._useless < MAX_RESTARTS:
            self._begin()
        self._changed()

    def _started(self, starting: asyncio.Task[None]) -> None:
        self._starting.discard(starting)
        if not starting.cancelled() and (error := starting.exception()) is not None:
            self._useless, self._last_words = MAX_RESTARTS, str(error)
            self._changed()


async def open_processes(number: int | None, setup: Any, chunk: int, grace: float) -> WorkerPool:
    """An executor over `number` processes; None means one for each core. Raises `ExecutorError`."""
    number = number or _cores()
    slots = ProcessSlots(number, setup)
    try:
        await slots.open()
    except BaseException:
        await slots.close()
        raise
    return WorkerPool(slots, width=2 * chunk * number, chunk=chunk, grace=grace)


def _path_options() -> tuple[str, ...]:
    """Keep the current folder off a worker's path, as it is off that of the command; unless it is on ours."""
    here = {"", os.curdir, str(Path.cwd())}
    return () if here & set(sys.path) else ("-P",)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _ending(code: int) -> str:
    return f"by signal {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"
