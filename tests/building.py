"""Builds over the loopback provider: configurations, runs, and what the ledger says afterwards."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import yaml

from perturb.building.run import BuildReport, build
from perturb.config import BuildConfig, load_config
from perturb.ledger.calls import LEDGER_FILE
from tests.loopback import Faults, LoopbackServer
from tests.loopback.faults import NO_FAULTS
from tests.loopback.players import ContentFaults, GeneratorPlayer, RolePlayer, VerifierPlayer

KEY_NAME = "LOOPBACK_KEY"
KEY = "plain-words-that-are-a-key-4711"
"""Not in the form of any provider's keys, so that only knowing it takes it out of a text."""

TWO_CELLS = (
    {"class": "P-Ambiguity", "intensity": "LOW"},
    {"class": "P-MissingInfo", "intensity": "HIGH"},
)


def plan_facts(panel: Mapping[str, Any], **changes: Any) -> dict[str, Any]:
    """What a ledger keeps of a plan, changed as said."""
    voting = {"name": "pair", "digest": "p", "members": {}, "needed": 2, "schedule": "full", "offline": False}
    return {
        **{"name": "made", "round": "r1", "seed": 7, "code_version": "0", "digests": {}, "base_set": {}},
        "panel": {**voting, **panel},
        **{"generators": [], "verifiers": [], "cells": []},
        "select": {"strategy": "natural", "per_generator": 400, "min_per_cell": 22},
        **changes,
    }


def serve(
    pass_rates: Mapping[str, float] | None = None,
    *,
    generator_faults: ContentFaults | None = None,
    verifier_faults: ContentFaults | None = None,
    faults: Faults = NO_FAULTS,
    latency: tuple[float, float] = (0.0, 0.0),
    retry_after: float = 0.05,
) -> LoopbackServer:
    """A provider that plays generators and verifiers; not started yet."""
    player = RolePlayer(
        GeneratorPlayer(faults=generator_faults or ContentFaults({})),
        VerifierPlayer(pass_rates or {}, faults=verifier_faults or ContentFaults({})),
    )
    return LoopbackServer(player, faults=faults, latency=latency, retry_after=retry_after)


def model(name: str, url: str, **changes: Any) -> dict[str, Any]:
    """A model of the loopback provider, as a configuration writes it."""
    return {
        "name": name,
        "model": f"hosted_vllm/{name}",
        "api_base": url,
        "api_key_env": KEY_NAME,
        "params": {"max_tokens": 500},
        "price": {"input": 1, "output": 2},
        "max_connections": 8,
        "timeout": 30,
        **changes,
    }


def content_of(
    url: str,
    *,
    generators: Sequence[str] = ("g1", "g2"),
    verifiers: Sequence[str] = ("v1", "v2", "v3"),
    limit: int = 2,
    panel: Mapping[str, Any] | None = None,
    **changes: Any,
) -> dict[str, Any]:
    """The content of a configuration: the demo set, these generators and these verifiers."""
    return {
        "name": "run",
        "round": "r1",
        "seed": 7,
        "base_set": {"demo": "demo", "limit": limit},
        "generators": [model(name, url) for name in generators],
        "panel": {"verifiers": [model(name, url) for name in verifiers], **(panel or {})},
        "select": {"strategy": "natural"},
        "lever_choice": "generator",
        **changes,
    }


def through(content: Mapping[str, Any], transport: str) -> dict[str, Any]:
    """The configuration with every model's calls carried by this transport."""
    by = {"transport": transport}
    panel = content["panel"]
    return {
        **content,
        "generators": [entry | by for entry in content["generators"]],
        "panel": {**panel, "verifiers": [entry | by for entry in panel["verifiers"]]},
    }


def write_config(folder: Path, content: Mapping[str, Any]) -> Path:
    """Write a configuration file and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "build.yaml"
    path.write_text(yaml.safe_dump(dict(content), sort_keys=False), encoding="utf-8")
    return path


def configure(folder: Path, content: Mapping[str, Any]) -> BuildConfig:
    """Write a configuration and load it."""
    return load_config(write_config(folder, content))


def run_build(folder: Path, content: Mapping[str, Any], name: str = "run") -> BuildReport:
    """Build in this process into `folder/NAME`."""
    return build(configure(folder, content), folder / name)


def perturb(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own."""
    return subprocess.run(command(*arguments), capture_output=True, text=True, timeout=300, **options)


def command(*arguments: object) -> list[str]:
    """The command line as a list."""
    return [sys.executable, "-m", "perturb", *map(str, arguments)]


def environment(**changes: str) -> dict[str, str]:
    """The environment of this process with some variables more."""
    return {**os.environ, **changes}


def start(config: Path, out: Path, **options: Any) -> subprocess.Popen[str]:
    """Start a build in a process of its own."""
    return subprocess.Popen(
        command("build", config, "--out", out, "--json"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(**{KEY_NAME: KEY}),
        **options,
    )


def interrupt_after(
    process: subprocess.Popen[str], server: LoopbackServer, calls: int, number: signal.Signals
) -> tuple[str, str]:
    """Send a signal once the server has seen so many calls, and wait for the end."""
    wait_for_calls(process, server, calls)
    process.send_signal(number)
    return process.communicate(timeout=60)


def wait_for_calls(process: subprocess.Popen[str], server: LoopbackServer, calls: int) -> None:
    """Return once the server has seen so many calls; the build must still be at work."""
    deadline = time.monotonic() + 300
    while server.counters.total < calls and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)
    assert process.poll() is None, f"the build ended before it could be stopped: {process.communicate()}"
    assert server.counters.total >= calls, "the build does not get on"


def finish(config: Path, out: Path) -> dict[str, Any]:
    """Run a build to its end in a process of its own, and return its facts."""
    ended = perturb("build", config, "--out", out, "--json", env=environment(**{KEY_NAME: KEY}))
    assert ended.returncode == 0, ended.stderr
    facts: dict[str, Any] = json.loads(ended.stdout)
    return facts


def query(run: Path, sql: str, *values: Any) -> list[tuple[Any, ...]]:
    """Rows of a run's ledger."""
    with closing(sqlite3.connect(f"file:{run / LEDGER_FILE}?mode=ro", uri=True)) as db:
        return db.execute(sql, values).fetchall()


def accepted(run: Path) -> list[str]:
    """The ids of the accepted candidates, one for each row of the ledger."""
    rows = query(run, "SELECT candidate_id FROM decisions WHERE acceptance = 'accepted' ORDER BY 1")
    return [row[0] for row in rows]


def fates(run: Path) -> dict[str, str]:
    """How each job ended, and the errors of the calls for one that was left undecided."""
    errors = "SELECT group_concat(nullif(c.error, '')) FROM calls c WHERE c.subject = j.id"
    rows = query(
        run,
        "SELECT j.id, coalesce(d.acceptance, j.outcome, 'open'), coalesce(d.reason, j.detail),"
        f" iif(d.acceptance = 'undecided', ({errors}), NULL)"
        " FROM jobs j LEFT JOIN decisions d ON d.candidate_id = j.id",
    )
    return {job: ": ".join(filter(None, words)) for job, *words in rows}
