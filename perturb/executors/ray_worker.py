"""What runs on the nodes of a Ray cluster: a chunk in, its rows out. Nothing here needs Ray."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import lru_cache

from perturb.blueprint import code_version
from perturb.catalogue import Catalogue
from perturb.executors.tasks import Row, Task, Tools, perform_chunk

_TOOLS = Tools()
"""Opened models serve every chunk of this process; they are kept by their settings, so runs do not mix."""


@lru_cache(maxsize=1)
def _loop() -> asyncio.AbstractEventLoop:
    """One loop for all the chunks of this process, so that connections are kept."""
    return asyncio.new_event_loop()


def work_on(catalogue: Catalogue | None, chunk: Sequence[Task]) -> list[Row]:
    """Do the tasks of a chunk at the same time."""
    _TOOLS.catalogue = catalogue

    async def all_rows() -> list[Row]:
        return [row async for row in perform_chunk(chunk, _TOOLS)]

    return _loop().run_until_complete(all_rows())


def version() -> str:
    """The version of perturb on this node."""
    return code_version()
