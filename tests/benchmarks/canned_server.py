"""A server of chat completions that always says the same and costs next to nothing.

    python -m tests.benchmarks.canned_server --latency 0.02 < REPLIES

The input is a JSON object of replies by a mark: the first whose mark stands in the request is given, with the
number of the request in the place of `0NUMBER`. Prints `{"url": …}` once it listens; on SIGTERM prints how many
requests it has answered and its processor time.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

NUMBER = b"0NUMBER"


class Canned(asyncio.Protocol):
    """One connection: finds the ends of requests, and answers each after the latency."""

    answered = 0

    def __init__(self, responses: dict[bytes, bytes], latency: float) -> None:
        self._responses = responses
        self._latency = latency
        self._received = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        head = self._received.find(b"\r\n\r\n")
        if head < 0:
            return
        fields = self._received[:head].lower()
        start = fields.find(b"content-length:")
        length = int(fields[start + 15 :].split(b"\r\n", 1)[0]) if start >= 0 else 0
        if len(self._received) >= head + 4 + length:
            response = next(said for mark, said in self._responses.items() if mark in self._received)
            self._received = self._received[head + 4 + length :]
            asyncio.get_running_loop().call_later(self._latency, self._answer, response)

    def _answer(self, response: bytes) -> None:
        Canned.answered += 1
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(response.replace(NUMBER, b"%07d" % Canned.answered))


def response_of(text: str) -> bytes:
    """The whole response, head and body."""
    body = json.dumps(
        {
            **{"id": "c", "object": "chat.completion", "created": 1_700_000_000, "model": "tiny"},
            "choices": [
                {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
            ],
            "usage": {"prompt_tokens": 900, "completion_tokens": 300, "total_tokens": 1200},
        }
    ).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


@contextmanager
def serving(replies: dict[str, str], latency: float) -> Iterator[str]:
    """The server in a process of its own; yields its address, and says at the end how fast it could have been."""
    command = [sys.executable, "-m", "tests.benchmarks.canned_server", "--latency", str(latency)]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert server.stdin is not None
    assert server.stdout is not None
    json.dump(replies, server.stdin)
    server.stdin.close()
    try:
        yield json.loads(server.stdout.readline())["url"]
    finally:
        server.send_signal(signal.SIGTERM)
        figures = json.loads(server.stdout.read())
        server.wait(timeout=30)
        ceiling = figures["answered"] / max(figures["cpu"], 1e-9)
        print(f"server: {figures['answered']} requests, its ceiling {ceiling:,.0f} calls/s")


async def serve(responses: dict[bytes, bytes], latency: float) -> None:
    """Serve until terminated."""
    loop, stopped = asyncio.get_running_loop(), asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, stopped.set)
    server = await loop.create_server(lambda: Canned(responses, latency), "127.0.0.1", 0, backlog=2048)
    print(json.dumps({"url": f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"}), flush=True)
    started = time.process_time()
    await stopped.wait()
    print(json.dumps({"answered": Canned.answered, "cpu": time.process_time() - started}), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--latency", type=float, default=0.02)
    options = parser.parse_args()
    responses = {mark.encode(): response_of(text) for mark, text in json.load(sys.stdin).items()}
    asyncio.run(serve(responses, options.latency))


if __name__ == "__main__":
    main()
