"""Functions of the user, which a file names as `package.module:function`, or which Python code passes directly.

Whatever such a function raises becomes one stored line, and no run ends or hangs because of it.
"""

from __future__ import annotations

import asyncio
import functools
import importlib
import inspect
import json
import re
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from perturb.errors import ConfigError
from perturb.files.resources import digest
from perturb.llm.redaction import redact
from perturb.llm.replies import whole_characters
from perturb.runtime import in_thread

ADDRESS = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")
"""The name of a function in a file."""

# Address → function that Python code has passed. Functions of notebooks and nested functions cannot be imported.
_REGISTERED: dict[str, Callable[..., Any]] = {}


def name_function(function: Callable[..., Any]) -> str:
    """Register a function that Python code passes. Returns the address under which this process finds it.

    >>> name_function(len)
    'builtins:len'
    """
    name = getattr(function, "__name__", type(function).__name__)
    module = getattr(function, "__module__", None) or "__main__"
    # The name of a lambda is "<lambda>".
    address = f"{module}:{re.sub(r'[^0-9A-Za-z_]', '', name)}"
    if getattr(function, "__qualname__", "") != name or not name.isidentifier():
        # It is a lambda, an object or a nested function, so others may have the same name.
        address += f"_{digest(source_of(function) or repr(function), length=8)}"
    _REGISTERED[address] = function
    return address


def find_function(address: str, owner: str) -> Callable[..., Any]:
    """The function at an address. Raises `ConfigError`, whose message begins with `owner`, if it is missing."""
    if address in _REGISTERED:
        return _REGISTERED[address]
    module_name, _, name = address.partition(":")
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)  # as with `python -m`, modules in the working directory can be imported
    try:
        with function_errors():
            function: Callable[..., Any] | None = getattr(importlib.import_module(module_name), name, None)
    except FunctionError as error:
        raise ConfigError(f"{owner}: module '{module_name}' cannot be imported ({error})") from error
    if not callable(function):
        raise ConfigError(f"{owner}: module '{module_name}' has no function '{name}': check the name")
    return function


class FunctionError(Exception):
    """A function of the user failed or returned a value that cannot be stored. The message is one line."""


@contextmanager
def function_errors() -> Iterator[None]:
    """Turn everything that a function of the user raises into a `FunctionError`. Ctrl-C still ends the run."""
    try:
        yield
    except BaseException as error:
        if isinstance(error, FunctionError) or _ends_the_run(error):
            raise
        raise FunctionError(error_line(error)) from error


def _ends_the_run(error: BaseException) -> bool:
    """Whether an error comes from the end of the run, and not from the function itself."""
    if isinstance(error, asyncio.CancelledError):
        # A cancellation comes from the run if somebody has asked the current task to stop.
        with suppress(RuntimeError):  # outside of an event loop, only the function itself can have raised it
            task = asyncio.current_task()
            return task is not None and task.cancelling() > 0
    if isinstance(error, KeyboardInterrupt):
        # Python raises Ctrl-C in the main thread only. In another thread the function itself raised it.
        return threading.current_thread() is threading.main_thread()
    # Python raises `GeneratorExit` inside a generator or coroutine that is closed before its end.
    return isinstance(error, GeneratorExit)


async def awaited(work: Awaitable[Any]) -> Any:
    """Run a coroutine of the user and return its value. Raises `FunctionError`."""
    with function_errors():
        return await work


class OwnFunction:
    """A function of the user. Its parameters name the arguments that it gets.

    It runs in a separate thread. Neither a time-out nor the end of the process waits for that thread.
    """

    def __init__(
        self,
        address: str,
        available: Sequence[str],
        owner: str,
        *,
        width: int = 32,
        timeout: float | None = None,
    ) -> None:
        """`available` are the names that parameters may have. A single parameter with another name gets the first one.

        `width` is how many calls run at the same time. Raises `ConfigError`, whose message begins with `owner`, if
        there is no such function, or if it needs other arguments.
        """
        self._function = find_function(address, owner)
        self._names = _parameters(self._function, available, owner)
        self._is_async = inspect.iscoroutinefunction(self._function)
        self._slots = asyncio.Semaphore(width)
        self._timeout = timeout
        self.version = digest(address, source_of(self._function))
        """Digest of the address and of the function's text. Changes in functions that it calls do not count."""

    async def call(self, values: Mapping[str, Any]) -> Any:
        """Call the function with the values that its parameters name, and return its result.

        Raises `FunctionError` if the function raises anything or exceeds its time-out.
        """
        if missing := [name for name in self._names if name not in values]:
            raise FunctionError(f"the parameter '{missing[0]}' is unknown here: leave it out")
        arguments = [values[name] for name in self._names]
        async with self._slots:
            try:
                async with asyncio.timeout(self._timeout):
                    result = await asyncio.wrap_future(self._begin(arguments))
            except TimeoutError as error:
                if self._is_async:
                    _abandon_blocked_loop()
                raise FunctionError(f"no reply within {self._timeout:g} s") from error
        with function_errors():
            # Raises for half of a surrogate pair, which no ledger could store. Other faults of the result are left to
            # the caller.
            json.dumps(result, ensure_ascii=False, default=str, skipkeys=True).encode()
        return result

    def _begin(self, arguments: Sequence[Any]) -> Future[Any]:
        """Start the function in a thread or, if it is a coroutine function, in the loop of such functions."""
        if self._is_async:
            return asyncio.run_coroutine_threadsafe(awaited(self._function(*arguments)), _coroutine_loop())

        def work() -> Any:
            with function_errors():
                return self._function(*arguments)

        return in_thread(work)


@functools.cache
def _coroutine_loop() -> asyncio.AbstractEventLoop:
    """The event loop of all coroutine functions of the user.

    It is apart from ours, since a coroutine that blocks its loop would also block our time-outs.
    """
    loop = asyncio.new_event_loop()
    in_thread(loop.run_forever)
    return loop


def _abandon_blocked_loop() -> None:
    """Let the next call have a new loop if a function blocks this one."""
    # A coroutine that waits is not the current task of its loop. One that is the current task after a time-out is at
    # work without a break.
    if asyncio.current_task(_coroutine_loop()) is not None:
        _coroutine_loop.cache_clear()


def source_of(function: Callable[..., Any]) -> str:
    """The source text of a function; empty if it cannot be read."""
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):
        return ""


def error_line(error: BaseException) -> str:
    """One line on an error of a function, for the ledger: without keys and halves of surrogate pairs."""
    line = str(error) if isinstance(error, FunctionError) else f"{type(error).__name__}: {error}"
    return whole_characters(redact(" ".join(line.split())))[:500]


def _parameters(function: Callable[..., Any], available: Sequence[str], owner: str) -> tuple[str, ...]:
    """The names of the arguments that the function takes, in the order of its parameters."""
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    # A parameter with a default gets an argument only if its name is one of the available ones.
    needed = [
        parameter.name
        for parameter in inspect.signature(function).parameters.values()
        if parameter.kind in positional
        and (parameter.default is parameter.empty or parameter.name in available)
    ]
    if len(needed) == 1 and needed[0] not in available:
        return (available[0],)
    unknown = [name for name in needed if name not in available]
    if unknown or not needed:
        raise ConfigError(
            f"{owner}: the function must take {', '.join(available)} or some of them"
            + (f", not '{unknown[0]}'" if unknown else "")
        )
    return tuple(needed)
