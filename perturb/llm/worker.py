"""The program of a worker process: chunks in, rows out, nothing kept. Ends when its driver does."""

from __future__ import annotations

import asyncio
import gc
import socket
import sys
from collections.abc import Sequence

from perturb.llm.worker_pool import read_frame, write_frame
from perturb.llm.worker_tasks import TaskRow, WorkerContext, WorkerTask, perform_chunk


class Outbox:
    """Rows on their way to the driver; those of one moment travel together."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self._rows: dict[int, list[TaskRow]] = {}

    def put(self, number: int, row: TaskRow) -> None:
        """Add a row of chunk `number`."""
        if not self._rows:
            asyncio.get_running_loop().call_soon(self._send)
        self._rows.setdefault(number, []).append(row)

    def _send(self) -> None:
        rows, self._rows = self._rows, {}
        for number, of_chunk in rows.items():
            write_frame(self._writer, (number, of_chunk))


async def serve(channel: socket.socket) -> None:
    """Work for the driver at the other end of the channel until it closes."""
    reader, writer = await asyncio.open_connection(sock=channel)
    outbox = Outbox(writer)
    context = WorkerContext()
    under_way: set[asyncio.Task[None]] = set()
    try:
        context.setup = await read_frame(reader)
        write_frame(writer, "ready")
        while True:
            number, chunk = await read_frame(reader)
            work = asyncio.ensure_future(_work(number, chunk, context, outbox))
            under_way.add(work)
            work.add_done_callback(under_way.discard)
    except (EOFError, OSError):
        for work in under_way:
            work.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
        await context.close()


async def _work(number: int, chunk: Sequence[WorkerTask], context: WorkerContext, outbox: Outbox) -> None:
    async for row in perform_chunk(chunk, context):
        outbox.put(number, row)


if __name__ == "__main__":
    gc.set_threshold(50_000, 50, 50)  # as in the command that started it
    asyncio.run(serve(socket.socket(fileno=int(sys.argv[1]))))
