"""A build whose disk fills up: it stops, sends no more calls, and goes on when there is room."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.building import Ended, content_of, perturb, query, serve, write_config
from tests.loopback import LoopbackServer

ON_THE_WAY = 20
"""Calls that may be under way when the disk is found full."""


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 700 kB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=700k", "tmpfs", str(folder)]
    if (
        os.geteuid() != 0
        or shutil.which("mount") is None
        or subprocess.run(mount, capture_output=True).returncode
    ):
        pytest.skip("mounting a small file system needs root and the right to mount")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def build(config: Path, out: Path) -> Ended:
    return perturb("build", config, "--out", out, "-q")


def check_stop(server: LoopbackServer, config: Path, out: Path) -> None:
    """Build twice on the full disk: one line, and no more calls than were under way, each time."""
    stopped = build(config, out)
    assert stopped.returncode == 1
    assert len(stopped.stderr.splitlines()) == 1
    assert "no space left" in stopped.stderr
    sent = server.counters.total
    recorded = query(out / "run", "SELECT count(*) FROM calls")[0][0]
    assert 0 <= sent - recorded <= ON_THE_WAY
    assert build(config, out).returncode == 1
    assert server.counters.total - sent <= ON_THE_WAY


def test_a_build_with_models_stops_on_a_full_disk_and_sends_nothing_more(tmp_path: Path, disk: Path) -> None:
    with serve() as server:
        content = content_of(server.url)
        for entry in (*content["generators"], *content["panel"]["verifiers"]):
            entry["max_connections"] = 2
        config = write_config(tmp_path, content)
        check_stop(server, config, disk)
        subprocess.run(["mount", "-o", "remount,size=40m", str(disk)], check=True)
        done = build(config, disk)
    assert done.returncode == 0, done.stderr
    assert query(disk / "run", "PRAGMA integrity_check") == [("ok",)]
