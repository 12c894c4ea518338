"""Runs many small tasks with bounded concurrency, stops them cleanly, and reports events.

A coroutine runs to its end even if an event loop is running already, as in a notebook. The first Ctrl-C or SIGTERM
ends the work in order, and a later one ends it at once; a second signal right after the first counts as the same.
Events are records of `logging` with fields. This module imports nothing heavy, since the console script needs it at
once.
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
    """Do every task, `width` at a time; tasks are taken from the iterator one by one.

    Returns `BudgetSpent` if a task raised it: no new task is begun then, and those under way are finished. Any other
    error ends the work and is raised.
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
            for _ in range(width):
                group.create_task(work())
    except BaseExceptionGroup as failures:
        raise first_error(failures) from None
    return spent[0] if spent else None


async def gather_all(work: Iterable[Awaitable[T]]) -> list[T]:
    """The results of all; a failure is raised once the others are done, so that no reply paid for is lost."""
    ended = await asyncio.gather(*work, return_exceptions=True)
    results: list[T] = []
    for end in ended:
        if isinstance(end, BaseException):
            raise end
        results.append(end)
    return results


def first_error(failure: BaseException) -> BaseException:
    """The first error of a group, however deep it is nested; the others are most often its echoes."""
    while isinstance(failure, BaseExceptionGroup):
        failure = failure.exceptions[0]
    return failure


def run_sync(work: Coroutine[Any, Any, T]) -> T:
    """The result of the work, in an event loop of its own; a termination ends it as Ctrl-C does."""

    async def stoppable() -> T:
        if (thread := _THREAD.get()) is not None:
            thread.offer(asyncio.get_running_loop(), asyncio.current_task())
        return await work

    try:
        return asyncio.run(stoppable())
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


def call(work: Callable[[], T]) -> T:
    """The result of a function that uses `run_sync`: called here, or in a thread where a loop is running here."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return work()
    thread = _Thread(work)
    in_main = threading.current_thread() is threading.main_thread()
    # `asyncio.run` would keep a Ctrl-C for its loop, which waits for this call.
    former = signal.signal(signal.SIGINT, signal.default_int_handler) if in_main else None
    try:
        return thread.result.result()
    except KeyboardInterrupt:
        thread.stop()
        wait([thread.result])
        raise
    finally:
        if in_main:
            signal.signal(signal.SIGINT, former)


async def acall(work: Callable[[], T]) -> T:
    """The same without holding up the running loop; a cancellation ends the work in order, then is raised."""
    thread = _Thread(work)
    ended = asyncio.wrap_future(thread.result)
    try:
        return await asyncio.shield(ended)
    except asyncio.CancelledError:
        thread.stop()
        await asyncio.wait([ended])
        ended.exception()
        raise


def in_thread(work: Callable[[], T]) -> Future[T]:
    """Start the function in a thread of its own, which the exit of the process does not wait for."""
    result: Future[T] = Future()
    result.set_running_or_notify_cancel()

    def run() -> None:
        try:
            result.set_result(work())
        except BaseException as error:  # noqa: BLE001 - raised where the result is awaited
            result.set_exception(error)

    threading.Thread(target=run, name="perturb", daemon=True).start()
    return result


class _Thread(Generic[T]):
    """A function at work in a thread of its own, and how to end what it runs with `run_sync`."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._lock = threading.Lock()
        self._stopped = False
        self._running: tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]] | None = None
        context = copy_context()  # a notebook tells by it which cell the output belongs to
        context.run(_THREAD.set, self)
        self.result = in_thread(partial(context.run, work))

    def offer(self, loop: asyncio.AbstractEventLoop, task: asyncio.Task[Any] | None) -> None:
        """Tell what is to be cancelled when the work is to end."""
        with self._lock:
            self._running = (loop, task) if task is not None else None
            if self._stopped and task is not None:
                task.cancel()

    def stop(self) -> None:
        """End the work as an interrupt would."""
        with self._lock:
            self._stopped = True
            if self._running is not None and not self._running[0].is_closed():
                self._running[0].call_soon_threadsafe(self._running[1].cancel)


_THREAD: ContextVar[_Thread[Any] | None] = ContextVar("_THREAD", default=None)


INTERRUPTED = 130
"""The exit code of an interrupt (Ctrl-C), as shells give it."""

_DEBOUNCE_SECONDS = 1.0
"""Interrupts within so many seconds of the first are one: terminals, parents and impatient fingers send several."""

_MESSAGE = "perturb: stopped: run the same command again to resume\n"


_in_command = threading.Event()


def mark_command_started() -> None:
    """Note that the process is a command of ours, which an interrupt ends as a whole."""
    _in_command.set()
    # Python takes its handlers back before it is gone; what comes then must not end the process in another way.
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)


def exit_interrupted() -> NoReturn:
    """Say that the command was interrupted, and exit."""
    _exit_on_next_interrupt()
    sys.stderr.write(_MESSAGE)
    sys.exit(INTERRUPTED)


@contextmanager
def sigterm_as_interrupt() -> Iterator[None]:
    """Within the block, SIGTERM ends the running loop's work as Ctrl-C does: what is done is kept.

    Further interrupts do not break into the clean-up unless they come later than the first.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    import asyncio

    former = signal.getsignal(signal.SIGINT)
    # As for background jobs of a script, which ignore it: a SIGTERM is heeded all the same.
    first = signal.default_int_handler if former is signal.SIG_IGN else former

    def interrupt(number: int, frame: FrameType | None) -> None:
        if _in_command.is_set():
            _exit_on_next_interrupt()
        if callable(first):
            first(number, frame)

    if former is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, interrupt)
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, lambda: interrupt(signal.SIGINT, None))
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGTERM)
        if signal.getsignal(signal.SIGINT) is interrupt or not _in_command.is_set():
            signal.signal(signal.SIGINT, former)


def _exit_on_next_interrupt() -> None:
    """From now on an interrupt ends the process at once, unless it still belongs to the first."""
    began = time.monotonic()

    def force_exit(*_: object) -> None:
        if time.monotonic() - began > _DEBOUNCE_SECONDS:
            os.write(2, _MESSAGE.encode())
            os._exit(INTERRUPTED)

    signal.signal(signal.SIGINT, force_exit)


LOG = logging.getLogger("perturb")
"""The logger of everything below the command line; silent unless a handler is added."""

LOG.addHandler(logging.NullHandler())


def event(level: int, name: str, message: str, **fields: Any) -> None:
    """Log one event: `name` and `fields` are for programs, `message` is for people. No key may stand in any."""
    if LOG.isEnabledFor(level):
        LOG.log(level, "%s", message, extra={"event": name, "fields": fields})
