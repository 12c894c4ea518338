"""Puts a new folder in the place of an old one: whole or not at all, and with nothing left behind by the dead.

While it is written, the new folder is `.NAME.MARK.new` beside `NAME`; for a moment the old one is `.NAME.MARK.old`. The
process at work holds a lock on each of them, which the system takes back when it dies, however it dies.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from perturb.errors import SnapshotError


@contextmanager
def atomic_directory(folder: Path) -> Iterator[Path]:
    """Give a new folder beside `folder` and, when the block ends well, put it in its place.

    What an earlier call left there when it was killed is cleared away first. Raises `SnapshotError` if the folder
    cannot be written, or another process is about to replace it.
    """
    place = folder.resolve()
    mark = uuid.uuid4().hex[:8]
    workspace, former = (place.with_name(f".{place.name}.{mark}.{kind}") for kind in ("new", "old"))
    with ExitStack() as held:
        try:
            clear_leftovers(place)
            workspace.mkdir(parents=True)
            _hold(workspace, held)
            yield workspace
            if place.exists():
                _hold(place, held)
                place.rename(former)
            try:
                workspace.rename(place)
            except OSError:
                if former.exists():
                    former.rename(place)
                raise
        except BlockingIOError:
            raise SnapshotError(
                f"{folder}: another process is replacing it: wait until it has ended"
            ) from None
        except OSError as error:
            raise SnapshotError(
                f"{folder}: the snapshot cannot be written ({error}): check the disk and the folder's permissions"
            ) from error
        finally:
            shutil.rmtree(workspace, ignore_errors=True)
            if place.exists():
                shutil.rmtree(former, ignore_errors=True)


def clear_leftovers(place: Path) -> None:
    """Clear away what dead processes left beside `place`; a folder that lost its place by their death gets it back."""
    ours = re.compile(rf"\.{re.escape(place.name)}\.[0-9a-f]{{8}}\.(new|old)")
    beside = sorted(place.parent.iterdir()) if place.parent.is_dir() else []
    for folder in beside:
        if not ours.fullmatch(folder.name) or folder.is_symlink() or not folder.is_dir():
            continue
        with suppress(OSError), _locked(folder):  # somebody holds it, or it is not ours to clear away
            if folder.suffix == ".old" and not place.exists():
                folder.rename(place)
            else:
                shutil.rmtree(folder)


def _hold(folder: Path, held: ExitStack) -> None:
    """Lock a folder until `held` ends; raises `BlockingIOError` if another process holds it."""
    try:
        held.enter_context(_locked(folder))
    except BlockingIOError:
        raise
    except OSError:
        return  # a file system without locks: nobody clears anything away there


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)
