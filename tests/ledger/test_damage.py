"""Ledgers with flipped bits: whatever was hit, a command ends in order or says so in one line."""

from __future__ import annotations

import json
import random
import sqlite3
import subprocess
import sys
from contextlib import closing
from itertools import islice
from pathlib import Path

import pytest

from perturb.building.run import build
from perturb.config import BuildConfig, default_config
from perturb.errors import LedgerError
from perturb.ledger import queries
from perturb.ledger.calls import LEDGER_FILE
from perturb.ledger.db import connect, ledger_errors
from perturb.ledger.plans import Ledger
from perturb.records import ALL_CELLS, BaseInstance, Job, Passage
from tests.building import TWO_CELLS, plan_facts, query

PAGE = 4096
SCHEMA_PAGES = 2
"""Pages at the beginning whose damage SQLite finds at once; a flip there teaches nothing new."""

DRIVER = """
import contextlib, io, json, sys
import perturb.cli.main as cli
for line in sys.stdin:
    sys.argv, said, code = ["perturb", *json.loads(line)], io.StringIO(), 0
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        try:
            cli.main()
        except SystemExit as end:
            code = end.code or 0
        except BaseException as error:
            code = repr(error)
    print(json.dumps([sys.argv[1:], code, said.getvalue()]), flush=True)
"""


def flipped(sound: bytes, seed: int, flips: int = 12) -> bytes:
    drawn, damaged = random.Random(seed), bytearray(sound)
    for _ in range(flips):
        damaged[drawn.randrange(SCHEMA_PAGES * PAGE, len(damaged))] ^= 1 << drawn.randrange(8)
    return bytes(damaged)


@pytest.mark.slow
def test_flipped_bits_never_hang_a_command_nor_end_it_in_a_traceback(tmp_path: Path) -> None:
    config = {"base_set": {"demo": "demo", "limit": 2}, "cells": TWO_CELLS, "name": "run"}
    build(BuildConfig.model_validate(default_config().model_dump(by_alias=True) | config), tmp_path / "run")
    jobs = query(tmp_path / "run", "SELECT count(*) FROM jobs")
    with closing(sqlite3.connect(tmp_path / "run" / LEDGER_FILE)) as db, db:
        db.execute("UPDATE jobs SET outcome = NULL WHERE seq % 2")  # so that there is something to go on with
        db.execute("DELETE FROM decisions WHERE rowid % 2 = 0")
    sound = (tmp_path / "run" / LEDGER_FILE).read_bytes()
    commands = []
    for seed in range(16):
        for name in ("status", "audit", "report", "export", "build"):
            run = tmp_path / f"{seed}{name}" / "run"
            run.mkdir(parents=True)
            (run / LEDGER_FILE).write_bytes(flipped(sound, seed))
            (run / "build.yaml").write_bytes((tmp_path / "run" / "build.yaml").read_bytes())
            out = {"report": ["--out", str(run / "page.html")], "export": ["--out", str(run / "snapshot")]}
            what = [str(run / "build.yaml"), "--out", str(run.parent)] if name == "build" else [str(run)]
            commands.append([name, *what, *out.get(name, ())])
    ended = subprocess.run(
        [sys.executable, "-c", DRIVER],
        input="\n".join(map(json.dumps, commands)),
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    outcomes = [json.loads(line) for line in ended.stdout.splitlines()]
    assert [command for command, *_ in outcomes] == commands
    for command, code, said in outcomes:
        assert code in (0, 1), (command, code, said)
        assert code == 0 or said.splitlines()[-1].startswith("perturb: "), (command, said)
        if command[0] == "build" and code == 0:
            assert query(Path(command[3]) / "run", "SELECT count(*) FROM jobs") == jobs, "not started over"
    assert any("the ledger is corrupt" in said for _, _, said in outcomes)
    assert any(code == 0 for _, code, _ in outcomes), "a flip in a text changes a text"


def test_rows_that_stand_out_of_order_end_in_an_error_and_not_in_a_circle(tmp_path: Path) -> None:
    with Ledger(tmp_path) as ledger:
        plan = ledger.start_plan("d", "", plan_facts({}))
        jobs = (Job(f"j{n}", "b", ALL_CELLS[0], "gen", n, "r") for n in range(9))
        ledger.add_jobs(plan, jobs, {"b": BaseInstance("b", "s", "Who?", (Passage("Ann did."),), ("Ann",))})
    path = tmp_path / LEDGER_FILE
    sound = path.read_bytes()
    assert sound.count(b"gen\x09\x09") == 1, "the last entry of the index that jobs are read by"
    path.write_bytes(sound.replace(b"gen\x09\x09", b"gen\x05\x05"))
    with (
        closing(connect(path, read_only=True)) as db,
        pytest.raises(LedgerError, match="the ledger is corrupt"),
        ledger_errors(path),
    ):
        list(islice(queries.pending_jobs(db, plan, "gen"), 1000))
