"""Objects over a stream between a driver and the workers it has started itself: a length, then a pickle."""

from __future__ import annotations

import asyncio
import pickle
import struct
from typing import Any

_LENGTH = struct.Struct("!Q")


def write_frame(writer: asyncio.StreamWriter, content: Any) -> None:
    """Queue one object for sending; never waits."""
    frame = pickle.dumps(content, protocol=pickle.HIGHEST_PROTOCOL)
    writer.write(_LENGTH.pack(len(frame)) + frame)


async def read_frame(reader: asyncio.StreamReader) -> Any:
    """The next object. Raises `EOFError` when the other end is gone."""
    try:
        (length,) = _LENGTH.unpack(await reader.readexactly(_LENGTH.size))
        return pickle.loads(await reader.readexactly(length))  # noqa: S301  (both ends are this program)
    except asyncio.IncompleteReadError:
        raise EOFError from None
