"""The server as a process of its own: `python -m tests.loopback --port 0 --latency 0.2 --faults 0.05`.

Prints `{"url": ...}` on one line once it listens, serves until it is interrupted or terminated, and then prints
what it has counted on another.
"""

from __future__ import annotations

import argparse
import json
import signal
from collections.abc import Iterable
from typing import Any

from .faults import Fault, RandomFaults
from .players import (
    GENERATOR_FAULTS,
    VERIFIER_FAULTS,
    ContentFaults,
    GeneratorPlayer,
    RolePlayer,
    VerifierPlayer,
)
from .replay import Player, ScriptedPlayer
from .server import Counters, LoopbackServer

_PASSING_FAULTS = (
    Fault.RATE_LIMIT,
    Fault.RATE_LIMIT_WITH_HINT,
    Fault.SERVER_ERROR,
    Fault.OVERLOADED,
    Fault.DROP,
)
"""Faults that a retry gets over; a bare number for `--faults` is shared out among them."""

_ENDING = (signal.SIGINT, signal.SIGTERM)


def main() -> None:
    """Serve until interrupted or terminated."""
    options = _parser().parse_args()
    low, high = options.latency[0], options.latency[-1]
    server = LoopbackServer(
        _player(options),
        faults=RandomFaults(_rates(options.faults, _PASSING_FAULTS), seed=options.seed),
        latency=(low, high + options.jitter),
        seed=options.seed,
        retry_after=options.retry_after,
        port=options.port,
    )
    # Blocked before the server's thread starts, so that they wait for us here.
    signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    with server:
        print(json.dumps({"url": server.url}), flush=True)
        signal.sigwait(_ENDING)
    print(json.dumps(_figures(server.counters)), flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.loopback", description=__doc__)
    add = parser.add_argument
    add("--port", type=int, default=8900, help="0 takes a free one")
    add("--latency", type=float, nargs="+", default=[0.0], metavar="SECONDS", help="one figure, or a range")
    add("--jitter", type=float, default=0.0, help="seconds that are added to the latency at most")
    add("--faults", type=json.loads, default={}, help='rate of faulty calls, or rates: {"429": 0.1}')
    add("--retry-after", type=float, default=1.0, help="seconds, the hint of a 429")
    add(
        "--content-faults", type=json.loads, default={}, help='rate of spoilt replies, or rates: {"cut": 0.1}'
    )
    add("--stubborn", action="store_true", help="a reply is as spoilt when it is asked for again")
    add("--pass-rates", type=json.loads, default={}, help='by verifier: {"v1": 0.95, "*": 0.9}')
    add("--correlation", type=float, default=0.0, help="share of items on which the verifiers vote as one")
    add("--seed", type=int, default=0)
    add("--text", help="what every model says, instead of generating and verifying")
    return parser


def _player(options: argparse.Namespace) -> Player:
    if options.text is not None:
        return ScriptedPlayer([options.text])
    seed = options.seed
    generators, verifiers = (
        ContentFaults(_rates(options.content_faults, kinds), seed, stubborn=options.stubborn)
        for kinds in (GENERATOR_FAULTS, VERIFIER_FAULTS)
    )
    return RolePlayer(
        GeneratorPlayer(faults=generators, seed=seed),
        VerifierPlayer(options.pass_rates, correlation=options.correlation, faults=verifiers, seed=seed),
    )


def _rates(given: float | dict[str, float], kinds: Iterable[str]) -> dict[Any, float]:
    """Rates by kind; a single rate is shared out evenly."""
    if isinstance(given, dict):
        return dict(given)
    names = tuple(kinds)
    return {name: given / len(names) for name in names}


def _figures(counters: Counters) -> dict[str, Any]:
    return {
        "total": counters.total,
        "repeated": counters.repeated,
        "max_active": counters.max_active,
        "requests": dict(counters.requests),
        "faults": dict(counters.faults),
    }


if __name__ == "__main__":
    main()
