"""`python -m tests.loopback --port 8900 --latency 0.2 0.2`: the server as a process of its own."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json

from .faults import RandomFaults
from .replay import ScriptedPlayer
from .server import LoopbackServer


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m tests.loopback", description=__doc__)
    parser.add_argument("--port", type=int, default=8900)
    parser.add_argument("--latency", type=float, nargs=2, default=(0.0, 0.0), metavar=("LOW", "HIGH"))
    parser.add_argument("--faults", type=json.loads, default={}, help="rates as JSON: '{\"429\": 0.1}'")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--text", default='{"verdict": "PASS"}', help="what every model says")
    options = parser.parse_args()
    server = LoopbackServer(
        ScriptedPlayer([options.text]),
        faults=RandomFaults(options.faults, seed=options.seed),
        latency=tuple(options.latency),
        seed=options.seed,
        port=options.port,
    )
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(server.serve())


if __name__ == "__main__":
    main()
