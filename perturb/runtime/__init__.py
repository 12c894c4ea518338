"""Runs many small tasks with bounded concurrency, stops them cleanly, and reports events.

- Concurrency: `run_concurrently` and `gather_all` do many tasks.
- From synchronous code: `run_sync` runs a coroutine. In a notebook an event loop is already running, so `call` and
  `acall` do the work in a thread. The context variable `_THREAD` tells `run_sync` about that thread, so that Ctrl-C can
  stop the coroutine in it.
- Interrupts: the first Ctrl-C or SIGTERM ends the work in order, and a later one ends it at once. A second signal right
  after the first is ignored (`sigterm_as_interrupt`).
- Events: `event` writes a record of `logging` with fields.

This module imports nothing heavy, since the console script needs it at once.
"""

from __future__ import annotations

import asyncio
import atexit
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from functools import partial
from types import FrameType
from typing import Any, Generic, NoReturn, TypeVar

from perturb.errors import BudgetSpent

T = TypeVar("T")


async def run_concurrently(
    tasks: Iterator[T], do: Callable[[T], Awaitable[None]], width: int
) -> BudgetSpent | None:
    """Do all tasks, at most `width` at a time. Tasks are taken from the iterator one by one.

    Returns `BudgetSpent` if a task raised it: running tasks then finish, and no new one starts. Any other error ends
    the work and is raised.
    """
    spent: list[BudgetSpent] = []

    async def work() -> None:
        for task in tasks:
            if spent:
                return
            try:
                await do(task)
            except BudgetSpent as exc:
                spent.append(exc)

    try:
        async with asyncio.TaskGroup() as group:
            # All workers share the iterator, so that each task is taken once.
            for _ in range(width):
                group.create_task(work())
    except BaseExceptionGroup as failures:
        raise first_error(failures) from None
    return spent[0] if spent else None


async def gather_all(work: Iterable[Awaitable[T]]) -> list[T]:
    """All results. A failure is raised only when the others are done, so that no paid reply is lost."""
    outcomes = await asyncio.gather(*work, return_exceptions=True)
    results: list[T] = []
    for outcome in outcomes:
        if isinstance(outcome, BaseException):
            raise outcome
        results.append(outcome)
    return results


def first_error(failure: BaseException) -> BaseException:
    """The first error of a group, at any depth. The other errors usually follow from it."""
    while isinstance(failure, BaseExceptionGroup):
        failure = failure.exceptions[0]
    return failure


def run_sync(work: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine, in a new event loop. SIGTERM ends it as Ctrl-C does."""

    async def stoppable() -> T:
        if (thread := _THREAD.get()) is not None:
            thread.register_task(asyncio.get_running_loop(), asyncio.current_task())
        return await work

    try:
        return asyncio.run(stoppable())
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


def call(work: Callable[[], T]) -> T:
    """The result of a function that uses `run_sync`. If an event loop is running, it is called in another thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return work()
    thread = _StoppableThread(work)
    in_main = threading.current_thread() is threading.main_thread()
    # A running loop has a SIGINT handler that acts only when the loop goes on, and it waits for this call. So until the
    # call ends, Ctrl-C raises KeyboardInterrupt here.
    old_handler = signal.signal(signal.SIGINT, signal.default_int_handler) if in_main else None
    try:
        return thread.result.result()
    except KeyboardInterrupt:
        thread.stop()
        wait([thread.result])
        raise
    finally:
        if in_main:
            signal.signal(signal.SIGINT, old_handler)


async def acall(work: Callable[[], T]) -> T:
    """Like `call`, without blocking the running event loop. A cancellation ends the work in order, then is raised."""
    thread = _StoppableThread(work)
    ended = asyncio.wrap_future(thread.result)
    try:
        # Shielded, because a cancellation must not mark the work as ended while the thread still runs.
        return await asyncio.shield(ended)
    except asyncio.CancelledError:
        thread.stop()
        await asyncio.wait([ended])
        # Reads the error of the ended work, which asyncio would otherwise report as never retrieved.
        ended.exception()
        raise


def in_thread(work: Callable[[], T]) -> Future[T]:
    """Start a function in a daemon thread, which does not keep the process from exiting."""
    result: Future[T] = Future()
    result.set_running_or_notify_cancel()  # so that nobody can cancel the future while the thread runs

    def run() -> None:
        try:
            result.set_result(work())
        except BaseException as error:  # noqa: BLE001 - raised where the result is awaited
            result.set_exception(error)

    threading.Thread(target=run, name="perturb", daemon=True).start()
    return result


class _StoppableThread(Generic[T]):
    """A function that runs in a thread, and a way to end the coroutine that it runs with `run_sync`."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._lock = threading.Lock()
        self._stopped = False
        self._running: tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]] | None = None
        context = copy_context()  # a notebook uses it to find the cell to which output belongs
        context.run(_THREAD.set, self)
        self.result = in_thread(partial(context.run, work))

    def register_task(self, loop: asyncio.AbstractEventLoop, task: asyncio.Task[Any] | None) -> None:
        """Register the task that `stop` has to cancel."""
        with self._lock:
            self._running = (loop, task) if task is not None else None
            if self._stopped and task is not None:
                task.cancel()  # directly, since this is the thread of the loop

    def stop(self) -> None:
        """End the work as an interrupt would."""
        with self._lock:
            self._stopped = True
            if self._running is None:
                return
            loop, task = self._running
            if not loop.is_closed():
                loop.call_soon_threadsafe(task.cancel)


# The thread that `call` or `acall` has started for the current work; None in any other thread.
_THREAD: ContextVar[_StoppableThread[Any] | None] = ContextVar("_THREAD", default=None)


INTERRUPTED = 130
"""The exit code after an interrupt (Ctrl-C), as in shells."""

# Interrupts within this time count as one, since terminals and parent processes may send several.
_DEBOUNCE_SECONDS = 1.0

# What an interrupted command prints.
_MESSAGE = "perturb: stopped: run the same command again to resume\n"

# Whether this process is a `perturb` command, and not a program that imports the package.
_in_command = threading.Event()


def mark_command_started() -> None:
    """Note that this process is a `perturb` command, so that an interrupt ends the whole process."""
    _in_command.set()
    # Python restores the default handlers before it exits. A late Ctrl-C must not change the exit code.
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)


def exit_interrupted() -> NoReturn:
    """Print that the command was interrupted, and exit."""
    _exit_on_next_interrupt()
    sys.stderr.write(_MESSAGE)
    sys.exit(INTERRUPTED)


@contextmanager
def sigterm_as_interrupt() -> Iterator[None]:
    """Within the block, SIGTERM ends the work of the running loop like Ctrl-C, and finished work is kept.

    Further interrupts do not disturb the clean-up unless they come more than a second later. In a command, a later
    interrupt ends the process at once, also after the block.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    old_handler = signal.getsignal(signal.SIGINT)
    # Background jobs of a script ignore SIGINT. They must still react to SIGTERM.
    stop_work = signal.default_int_handler if old_handler is signal.SIG_IGN else old_handler

    # The handler of the first signal. In a command, it installs `force_exit` for the signals after it.
    def interrupt(number: int, frame: FrameType | None) -> None:
        if _in_command.is_set():
            _exit_on_next_interrupt()
        if callable(stop_work):
            stop_work(number, frame)

    if old_handler is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, interrupt)
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, lambda: interrupt(signal.SIGINT, None))
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGTERM)
        # After an interrupt in a command, the handler is `force_exit`, which stays.
        was_interrupted = signal.getsignal(signal.SIGINT) is not interrupt
        if not (was_interrupted and _in_command.is_set()):
            signal.signal(signal.SIGINT, old_handler)


def _exit_on_next_interrupt() -> None:
    """Let the next interrupt end the process at once, unless it still counts as the first one."""
    began = time.monotonic()

    def force_exit(*_: object) -> None:
        if time.monotonic() - began > _DEBOUNCE_SECONDS:
            os.write(2, _MESSAGE.encode())
            os._exit(INTERRUPTED)

    signal.signal(signal.SIGINT, force_exit)


LOG = logging.getLogger("perturb")
"""The logger of the package. It is silent unless a handler is added."""

LOG.addHandler(logging.NullHandler())


def event(level: int, name: str, message: str, **fields: Any) -> None:
    """Log an event. `name` and `fields` are for programs, `message` is for people. None of them may hold a key."""
    if LOG.isEnabledFor(level):
        LOG.log(level, "%s", message, extra={"event": name, "fields": fields})
