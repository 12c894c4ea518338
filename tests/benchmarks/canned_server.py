"""A server of chat completions that says the same every time and costs next to nothing: for `bench_calls`.

    python -m tests.benchmarks.canned_server --latency 0.02 < REPLY

Prints `{"url": …}` once it listens; on SIGTERM prints how many requests it has answered and its processor time.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sys
import time


class Canned(asyncio.Protocol):
    """One connection: finds the ends of requests, and answers each after the latency."""

    answered = 0

    def __init__(self, response: bytes, latency: float) -> None:
        self._response = response
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
            self._received = self._received[head + 4 + length :]
            asyncio.get_running_loop().call_later(self._latency, self._answer)

    def _answer(self) -> None:
        Canned.answered += 1
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(self._response)


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


async def serve(response: bytes, latency: float) -> None:
    """Serve until terminated."""
    loop, stopped = asyncio.get_running_loop(), asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, stopped.set)
    server = await loop.create_server(lambda: Canned(response, latency), "127.0.0.1", 0, backlog=2048)
    print(json.dumps({"url": f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"}), flush=True)
    started = time.process_time()
    await stopped.wait()
    print(json.dumps({"answered": Canned.answered, "cpu": time.process_time() - started}), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--latency", type=float, default=0.02)
    options = parser.parse_args()
    asyncio.run(serve(response_of(sys.stdin.read()), options.latency))


if __name__ == "__main__":
    main()
