"""Functions of a user's own: named `package.module:function` in a file, or given as they are in Python."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from perturb.errors import ConfigError
from perturb.files.resources import digest

ADDRESS = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")
"""How a file names a function."""

_GIVEN: dict[str, Callable[..., Any]] = {}
"""Functions that Python code has given, by address: those of a notebook, and those inside others, have no module."""


def name_function(function: Callable[..., Any]) -> str:
    """The address of a function that Python code gives, under which it is found in this process.

    >>> name_function(len)
    'builtins:len'
    """
    name = getattr(function, "__name__", type(function).__name__)
    address = f"{getattr(function, '__module__', None) or '__main__'}:{re.sub(r'[^0-9A-Za-z_]', '', name)}"
    if getattr(function, "__qualname__", "") != name or not name.isidentifier():
        # a lambda, an object, or inside another function: others may have the name
        address += f"_{digest(source_of(function) or repr(function), length=8)}"
    _GIVEN[address] = function
    return address


def find_function(address: str, owner: str) -> Callable[..., Any]:
    """The function at an address. Raises `ConfigError` that begins with `owner` if there is none."""
    if address in _GIVEN:
        return _GIVEN[address]
    module_name, _, name = address.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)  # as for `python -m`: a module of the user's in the working directory
    try:
        found: Callable[..., Any] | None = getattr(importlib.import_module(module_name), name, None)
    except Exception as error:
        text = " ".join(str(error).split())[:200]
        raise ConfigError(
            f"{owner}: module '{module_name}' cannot be imported ({type(error).__name__}: {text})"
        ) from error
    if not callable(found):
        raise ConfigError(f"{owner}: module '{module_name}' has no function '{name}': check the name")
    return found


class OwnFunction:
    """A function that is called with what its parameters name; a plain one in a thread."""

    def __init__(
        self,
        address: str,
        offered: Sequence[str],
        owner: str,
        *,
        width: int = 32,
        timeout: float | None = None,
    ) -> None:
        """`offered` are the names that parameters may have; a single parameter of another name gets the first of them.

        Raises `ConfigError` if there is no such function, or it needs something else.
        """
        self._function = find_function(address, owner)
        self._names = _parameters(self._function, offered, owner)
        self._threads = ThreadPoolExecutor(width, thread_name_prefix="own")
        self._timeout = timeout
        self.version = digest(address, source_of(self._function))
        """Digest of the address and of the function's own text: what it calls is not looked at."""

    async def call(self, parts: Mapping[str, Any]) -> Any:
        """What the function returns. Raises what it raises, and `TimeoutError`."""
        if missing := [name for name in self._names if name not in parts]:
            raise LookupError(f"the parameter '{missing[0]}' is unknown here: leave it out")
        given = [parts[name] for name in self._names]
        async with asyncio.timeout(self._timeout):
            if inspect.iscoroutinefunction(self._function):
                return await self._function(*given)
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._threads, lambda: self._function(*given))

    def close(self) -> None:
        """Let the threads end."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def source_of(function: Callable[..., Any]) -> str:
    """The text of a function; empty where it has none that can be read."""
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):
        return ""


def error_line(error: Exception) -> str:
    """What a function raised, as a run stores it."""
    return " ".join(f"{type(error).__name__}: {error}".split())[:500]


def _parameters(function: Callable[..., Any], offered: Sequence[str], owner: str) -> tuple[str, ...]:
    """What the function is called with, in the order of its parameters."""
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    needed = [
        one.name
        for one in inspect.signature(function).parameters.values()
        if one.kind in positional and (one.default is one.empty or one.name in offered)
    ]
    if len(needed) == 1 and needed[0] not in offered:
        return (offered[0],)
    unknown = [name for name in needed if name not in offered]
    if unknown or not needed:
        raise ConfigError(
            f"{owner}: the function must take {', '.join(offered)} or some of them"
            + (f", not '{unknown[0]}'" if unknown else "")
        )
    return tuple(needed)
