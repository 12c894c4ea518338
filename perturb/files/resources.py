"""Data folders and version of the package, digests, text files, folders that are replaced atomically, and spools.

While a folder `NAME` is written, its new content is in `.NAME.MARK.new` beside it, and its old content is for a moment
in `.NAME.MARK.old`. The process holds a lock on both. The system releases the locks when the process dies, so that a
later process can remove the leftovers. A spool keeps rows on disk, so that a snapshot of any size needs little memory.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shutil
import tempfile
import uuid
import weakref
import zlib
from abc import abstractmethod
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import IO, Any, overload

from perturb.errors import ConfigError, PerturbError, SnapshotError

DATA_FOLDERS: tuple[str, ...] = ("levers", "templates", "base_sets", "verifiers")
"""The folders of embedded data that users may read too."""


def data_folder(name: str) -> Path:
    """The folder of embedded data `name`, which is one of `DATA_FOLDERS`.

    Raises `ConfigError` if it is missing from the installation.
    """
    # In a wheel the data folders are inside the package, and in a checkout beside it.
    package = Path(__file__).resolve().parents[1]
    for root in (package / "_data", package.parent):
        if (root / name).is_dir():
            return root / name
    raise ConfigError(f"the embedded folder '{name}' is missing from this installation: reinstall perturb")


def demo_recording(name: str) -> Path | None:
    """The embedded file of recorded replies `name`, for example `recorded`; None if it does not exist."""
    path = data_folder("base_sets") / f"{name}.replies.jsonl.gz"
    return path if path.exists() else None


@cache
def code_version() -> str:
    """The version of perturb that is running."""
    try:
        return version("refusalbench-builder")
    except PackageNotFoundError:
        return "unknown"


# Kept, since `json.dumps` with options makes a new encoder for each call.
_ENCODER = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def canonical(value: Any) -> str:
    """JSON with sorted keys and without spare blanks, so that equal values give equal texts.

    >>> canonical({"b": 1, "a": "é"})
    '{"a":"é","b":1}'
    """
    return _ENCODER.encode(value)


def digest(*parts: Any, length: int = 16) -> str:
    """Hexadecimal SHA-256 of the parts, cut to `length` digits.

    >>> digest("a", "b") == digest("ab")
    False
    """
    return hashlib.sha256(canonical(parts).encode("utf-8", "surrogatepass")).hexdigest()[:length]


def seed_of(*parts: Any) -> int:
    """A 64-bit seed that depends on the parts alone."""
    return int(digest(*parts, length=16), 16)


def fraction_of(*parts: Any) -> float:
    """A number in [0, 1) that depends on the parts alone, for random choices that can be repeated."""
    return seed_of(*parts) / 2**64


MAX_BYTES = 16 * 2**20
"""The largest file that is read as a whole. Tables are read line by line instead."""


@contextmanager
def reading_errors(path: Path, error: type[PerturbError]) -> Iterator[None]:
    """Turn errors of the system while a plain or gzipped file is read into `error`."""
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
    """Turn errors of the system while a file is written into `error`."""
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


@contextmanager
def atomic_directory(folder: Path) -> Iterator[Path]:
    """Yield a new folder, which replaces `folder` if the block ends without an error.

    Leftovers of killed processes are removed first. Raises `SnapshotError` if the folder cannot be written, or if
    another process is about to replace it.
    """
    target = folder.resolve()
    mark = uuid.uuid4().hex[:8]
    workspace, old_content = (
        target.with_name(f".{target.name}.{mark}.{ending}") for ending in ("new", "old")
    )
    with ExitStack() as locks:
        try:
            clear_leftovers(target)
            workspace.mkdir(parents=True)
            _hold(workspace, locks)
            yield workspace
            if target.exists():
                _hold(target, locks)
                target.rename(old_content)
            try:
                workspace.rename(target)
            except OSError:
                if old_content.exists():
                    old_content.rename(target)
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
            if target.exists():  # otherwise the old content is all that the user has
                shutil.rmtree(old_content, ignore_errors=True)


def clear_leftovers(target: Path) -> None:
    """Remove the leftovers of dead processes beside `target`. If one of them moved the folder away, move it back."""
    pattern = re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{8}}\.(new|old)")
    neighbours = sorted(target.parent.iterdir()) if target.parent.is_dir() else []
    for folder in neighbours:
        if not pattern.fullmatch(folder.name) or folder.is_symlink() or not folder.is_dir():
            continue
        with suppress(OSError), _locked(folder):  # a live process may hold it, or we may lack the permission
            if folder.suffix == ".old" and not target.exists():
                folder.rename(target)
            else:
                shutil.rmtree(folder)


def _hold(folder: Path, locks: ExitStack) -> None:
    """Lock a folder until `locks` is closed. Raises `BlockingIOError` if another process holds it."""
    try:
        locks.enter_context(_locked(folder))
    except BlockingIOError:
        raise
    except OSError:
        return  # on a file system without locks, no process removes leftovers, so no lock is needed


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold a lock on a folder within the block. Raises `BlockingIOError` if another process holds it."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


JsonRow = dict[str, Any]
"""A row as JSON: column -> value."""


class _LazyRows(Sequence[JsonRow]):
    """Rows that are read only when they are used. A slice of them is a list."""

    @abstractmethod
    def _read(self, position: int) -> JsonRow:
        """The row at a position from 0."""

    @overload
    def __getitem__(self, position: int) -> JsonRow: ...
    @overload
    def __getitem__(self, position: slice) -> list[JsonRow]: ...
    def __getitem__(self, position: int | slice) -> JsonRow | list[JsonRow]:
        # The range turns a negative index into a position, and raises `IndexError` if it is out of range.
        positions = range(len(self))[position]
        if isinstance(positions, range):
            return [self._read(index) for index in positions]
        return self._read(positions)


class Spool(_LazyRows):
    """Rows of JSON values in a temporary file, which can be read any number of times.

    The file is deleted with the object.
    """

    def __init__(self, rows: Iterable[JsonRow] = ()) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the object
        weakref.finalize(self, _close, self._file)
        self._ends = array("q", [0])
        """The offset after each row; the first entry is the beginning of the file."""
        for row in rows:
            self.append(row)

    def append(self, row: JsonRow) -> None:
        """Add a row at the end."""
        line = json.dumps(row, ensure_ascii=False).encode("utf-8", "surrogatepass")
        with _spool_errors():
            self._file.seek(self._ends[-1])
            self._file.write(line)
        self._ends.append(self._ends[-1] + len(line))

    def __len__(self) -> int:
        return len(self._ends) - 1

    def _read(self, position: int) -> JsonRow:
        start, end = self._ends[position : position + 2]
        with _spool_errors():
            self._file.seek(start)  # seeking also writes the buffer to the file
        row: JsonRow = json.loads(self._file.read(end - start).decode("utf-8", "surrogatepass"))
        return row


@contextmanager
def _spool_errors() -> Iterator[None]:
    """Turn errors of the system about a temporary file into a `PerturbError`."""
    try:
        yield
    except OSError as error:
        raise PerturbError(
            f"{tempfile.gettempdir()}: temporary files cannot be written ({error.strerror}): free some space, or set"
            " TMPDIR to another folder"
        ) from None


def _close(file: IO[bytes]) -> None:
    with suppress(OSError):  # a failed write has been reported already
        file.close()


class RowSelection(_LazyRows):
    """Some rows of another sequence, in another order."""

    def __init__(self, rows: Sequence[JsonRow], positions: Sequence[int]) -> None:
        self._rows = rows
        self.positions = positions

    def __len__(self) -> int:
        return len(self.positions)

    def _read(self, position: int) -> JsonRow:
        return self._rows[self.positions[position]]
