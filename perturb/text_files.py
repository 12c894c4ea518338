"""Whole text files, as far as they are of a size that can be meant."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from perturb.errors import PerturbError

MAX_BYTES = 16 * 2**20
"""Largest file that is read whole; tables are read line by line instead."""


@contextmanager
def reading_errors(path: Path, error: type[PerturbError]) -> Iterator[None]:
    """Around the reading of a file, plain or gzipped: what the system says of it becomes `error`."""
    try:
        yield
    except FileNotFoundError:
        raise error(f"{path}: no such file: check the path") from None
    except IsADirectoryError:
        raise error(f"{path}: is a folder: name the file in it") from None
    except (OSError, EOFError, zlib.error) as exc:
        reason = getattr(exc, "strerror", None) or str(exc)
        raise error(f"{path}: cannot be read ({reason}): check the file and its permissions") from None


@contextmanager
def writing_errors(path: Path, error: type[PerturbError]) -> Iterator[None]:
    """The same around the writing of a file."""
    try:
        yield
    except OSError as exc:
        raise error(
            f"{path}: cannot be written ({exc.strerror or exc}): check the folder, or choose another place"
        ) from None


def read_text(path: Path, error: type[PerturbError]) -> str:
    """The text of a UTF-8 file, without a byte order mark.

    Raises `error` for a file that is missing, cannot be read, is not UTF-8, or has more than `MAX_BYTES`.
    """
    with reading_errors(path, error), path.open("rb") as stream:
        raw = stream.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        raise error(f"{path}: has more than {MAX_BYTES:,} bytes: name the right file")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        raise error(f"{path}: not UTF-8 text at byte {exc.start}: save the file as UTF-8") from None
