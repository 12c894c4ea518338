"""Ctrl-C and SIGTERM: the first ends the work in order, one right after it is the same, a later one ends it at once.

Imports nothing heavy: the console script answers interrupts from its first moment on.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

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
