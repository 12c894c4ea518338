"""Commands that only read work on a volume that takes no writes."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.building import perturb


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
        made = perturb("build", "-q", cwd=folder)
        assert made.returncode == 0, made.stderr
        (folder / "outputs" / "demo").rename(folder / "demo")
        for beside in (folder / "demo").glob("ledger.sqlite-*"):
            beside.unlink()
        subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


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
def test_commands_that_read_need_no_writing(volume: Path, tmp_path: Path, line: str) -> None:
    done = perturb(*line.replace("RUN", str(volume / "demo")).split(), cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_a_build_there_says_what_is_wrong(volume: Path, tmp_path: Path) -> None:
    done = perturb("build", "--out", str(volume), cwd=tmp_path)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "Read-only file system" in done.stderr or "cannot be written" in done.stderr
