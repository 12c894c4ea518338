"""Builds over the loopback provider: configurations, runs, and what the ledger says afterwards."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import chdir, closing, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import yaml

from perturb.building.results import BuildReport
from perturb.building.run import build
from perturb.cli.main import main
from perturb.config import BuildConfig, load_config
from perturb.ledger.calls import LEDGER_FILE
from perturb.llm.model_client import Call
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


class MemoryLog:
    """A call log in a list."""

    def __init__(self) -> None:
        self.calls: list[Call] = []

    def find(self, key: str) -> str | None:
        return next((call.reply for call in self.calls if call.key == key and call.status == "read"), None)

    def record(self, call: Call) -> None:
        self.calls.append(call)

    def record_shared(self, key: str, model: str, purpose: str, subject: str) -> None: ...

    async def wait_until_committed(self) -> None:
        """At once."""


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


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    """Write rows as JSON Lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def configure(folder: Path, content: Mapping[str, Any]) -> BuildConfig:
    """Write a configuration and load it."""
    return load_config(write_config(folder, content))


def run_build(folder: Path, content: Mapping[str, Any], name: str = "run") -> BuildReport:
    """Build in this process into `folder/NAME`."""
    return build(configure(folder, content), folder / name)


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    returncode: int
    stdout: str
    stderr: str

    @property
    def output(self) -> str:
        """What it printed; it must have succeeded."""
        assert self.returncode == 0, self.stderr
        return self.stdout

    @property
    def json(self) -> Any:
        """What it printed, read back; it must have succeeded."""
        return json.loads(self.output)

    def fails(self, *words: str) -> None:
        """It failed and printed nothing but one line on standard error, which holds these words."""
        assert (self.returncode, self.stdout) == (1, ""), self.stderr
        assert re.fullmatch(r"perturb: [^\n]+\n", self.stderr), self.stderr
        for word in words:
            assert word in self.stderr


def perturb(*arguments: object, cwd: Path | None = None, env: Mapping[str, str] | None = None) -> Ended:
    """Run the command line in this process, which proves what a process of its own does and takes less time."""
    words = ["perturb", *map(str, arguments)]
    out, err = io.StringIO(), io.StringIO()
    with (
        chdir(cwd or Path.cwd()),
        mock.patch.dict(os.environ, os.environ if env is None else env, clear=True),
        mock.patch.object(sys, "argv", words),
        redirect_stdout(out),
        redirect_stderr(err),
        pytest.raises(SystemExit) as ended,
    ):
        main()
    code = ended.value.code
    number = code if isinstance(code, int) else int(code is not None)
    return Ended(number, out.getvalue(), err.getvalue())


def perturb_process(*arguments: object, **options: Any) -> Ended:
    """Run the command line in a process of its own, for what depends on one: limits, imports, signals."""
    ended = subprocess.run(command(*arguments), capture_output=True, text=True, timeout=300, **options)
    return Ended(ended.returncode, ended.stdout, ended.stderr)


def command(*arguments: object) -> list[str]:
    """The command line as a list."""
    return [sys.executable, "-m", "perturb", *map(str, arguments)]


def environment(**changes: str) -> dict[str, str]:
    """The environment of this process with some variables more."""
    return {**os.environ, **changes}


def begin(*arguments: object, **options: Any) -> subprocess.Popen[str]:
    """Start the command line in a process of its own."""
    options |= {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command(*arguments), text=True, **options)


def start(config: Path, out: Path, **options: Any) -> subprocess.Popen[str]:
    """Start a build in a process of its own."""
    return begin("build", config, "--out", out, "--json", **options)


def interrupt_after(
    process: subprocess.Popen[str], server: LoopbackServer, calls: int, number: signal.Signals
) -> tuple[str, str]:
    """Send a signal once the server has seen so many calls, and wait for the end."""
    wait_for_calls(process, server, calls)
    process.send_signal(number)
    return process.communicate(timeout=60)


def wait_for_calls(process: subprocess.Popen[str], server: LoopbackServer, calls: int) -> None:
    """Return once the server has seen so many calls; the command must still be at work."""
    deadline = time.monotonic() + 300
    while server.counters.total < calls and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)
    assert process.poll() is None, f"the command ended before it could be stopped: {process.communicate()}"
    assert server.counters.total >= calls, "the command does not get on"


def finish(config: Path, out: Path) -> dict[str, Any]:
    """Run a build to its end, and return its facts."""
    ended = perturb("build", config, "--out", out, "--json")
    return dict(ended.json)


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
