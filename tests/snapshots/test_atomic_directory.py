"""A folder put in the place of another: what a kill leaves behind is gone after the next export."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from perturb.errors import SnapshotError
from perturb.files.resources import atomic_directory, clear_leftovers

WRITER = """
import sys
from pathlib import Path
from perturb.files.resources import atomic_directory

def halt():
    print("halted", flush=True)
    sys.stdin.read()

if sys.argv[2] == "between":  # the old folder has lost its place, the new one has not taken it yet
    rename = Path.rename
    Path.rename = lambda path, to: halt() if path.suffix == ".new" else rename(path, to)
with atomic_directory(Path(sys.argv[1])) as workspace:
    (workspace / "file").write_text("half of it")
    if sys.argv[2] == "writing":
        halt()
"""


@contextmanager
def halted(place: Path, moment: str) -> Iterator[subprocess.Popen[str]]:
    """A process that stands still while it replaces `place`; killed in the end, as by `kill -9`."""
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(place), moment],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "halted\n"
        try:
            yield process
        finally:
            process.kill()


def write(place: Path, text: str) -> None:
    with atomic_directory(place) as workspace:
        (workspace / "file").write_text(text)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("moment", ["writing", "between"])
def test_what_a_killed_process_left_is_cleared_away(tmp_path: Path, moment: str) -> None:
    place = tmp_path / "snapshot"
    write(place, "old")
    with halted(place, moment):
        pass
    assert len(names(tmp_path)) == 2
    write(place, "new")
    assert names(tmp_path) == ["snapshot"]
    assert (place / "file").read_text() == "new"


def test_an_old_folder_whose_place_is_taken_is_cleared_away(tmp_path: Path) -> None:
    place = tmp_path / "snapshot"
    for folder in (place, tmp_path / ".snapshot.0123abcd.old"):
        folder.mkdir()
        (folder / "file").write_text(folder.suffix)
    clear_leftovers(place)
    assert names(tmp_path) == ["snapshot"]
    assert (place / "file").read_text() == ""


def test_a_folder_that_lost_its_place_by_a_kill_gets_it_back(tmp_path: Path) -> None:
    place = tmp_path / "snapshot"
    write(place, "old")
    with halted(place, "between"):
        pass
    assert not place.exists()
    with pytest.raises(SnapshotError, match="cannot be written"), atomic_directory(place):
        raise OSError("the disk is full")
    assert names(tmp_path) == ["snapshot"]
    assert (place / "file").read_text() == "old"


def test_a_process_that_is_still_writing_keeps_its_folder(tmp_path: Path) -> None:
    place = tmp_path / "snapshot"
    with halted(place, "writing"):
        write(place, "mine")
        (theirs,) = tmp_path.glob(".snapshot.*.new")
        assert (theirs / "file").read_text() == "half of it"


def test_a_folder_that_another_process_is_about_to_replace_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "snapshot"
    write(place, "old")
    descriptor = os.open(place, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)  # as a process holds it between its two renames
    with pytest.raises(SnapshotError, match="another process is replacing it"):
        write(place, "new")
    os.close(descriptor)
    assert names(tmp_path) == ["snapshot"]
    write(place, "new")


@pytest.mark.parametrize(
    "name",
    [
        *(".snapshot.mine.new", ".snapshot.0123abcd.bak", ".other.0123abcd.new", "snapshot.0123abcd.new"),
        ".snapshot.0123abcd.new.mine",
    ],
)
def test_folders_of_other_names_are_left_alone(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / ".snapshot.0123abcd.new").write_text("a file is none of ours")
    write(tmp_path / "snapshot", "new")
    assert names(tmp_path) == sorted([".snapshot.0123abcd.new", name, "snapshot"])
