"""Commands that only read work on a volume that takes no writes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from perturb.ledger.calls import reading
from tests.building import perturb

KILLED = """
import os, sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("PRAGMA journal_mode = WAL")
db.execute("PRAGMA wal_autocheckpoint = 0")
db.execute("UPDATE jobs SET detail = 'in the log' WHERE seq % 2")
db.commit()
os._exit(0)
"""
"""Writes to a ledger's log as a run that is killed, and leaves it there."""


@pytest.fixture(scope="module")
def volume(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A read-only file system that holds the run `demo`, without the files that SQLite keeps beside a ledger."""
    folder = tmp_path_factory.mktemp("volume")
    mount = ["mount", "-t", "tmpfs", "-o", "size=40m", "tmpfs", str(folder)]
    if (
        os.geteuid() != 0
        or shutil.which("mount") is None
        or subprocess.run(mount, capture_output=True).returncode
    ):
        pytest.skip("mounting a read-only volume needs root and the right to mount")
    try:
        made = perturb("build", "--demo", "rules", "--limit", 3, "--name", "demo", "--out", folder, "-q")
        assert made.returncode == 0, made.stderr
        for beside in (folder / "demo").glob("ledger.sqlite-*"):
            beside.unlink()
        killed = shutil.copytree(folder / "demo", folder / "killed")
        subprocess.run([sys.executable, "-c", KILLED, killed / "ledger.sqlite"], check=True)
        (killed / "ledger.sqlite-shm").unlink()
        assert (killed / "ledger.sqlite-wal").stat().st_size
        subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize("run", ["demo", "killed"])
@pytest.mark.parametrize(
    "line",
    [
        "status RUN",
        "audit RUN --resamples 10",
        "show RUN --limit 1",
        "export RUN --out exported",
        "report RUN --out page.html --resamples 10",
        "view RUN --bundle bundle",
    ],
)
def test_commands_that_read_need_no_writing(volume: Path, tmp_path: Path, line: str, run: str) -> None:
    done = perturb(*line.replace("RUN", str(volume / run)).split(), cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_what_only_the_log_holds_is_read(volume: Path) -> None:
    with reading(volume / "killed") as db:
        assert db.execute("SELECT count(*) FROM jobs WHERE detail = 'in the log'").fetchone()[0]


def test_a_build_there_says_what_is_wrong(volume: Path, tmp_path: Path) -> None:
    done = perturb("build", "--out", str(volume), cwd=tmp_path)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "Read-only file system" in done.stderr or "cannot be written" in done.stderr
