"""Data folders and version of the package, digests, whole text files, folders replaced atomically, and spools of rows.

The data folders are inside the package in a wheel, and at the top level of a checkout.

While a folder is written, it is called `.NAME.MARK.new` beside `NAME`; for a moment the old folder is
`.NAME.MARK.old`. The process holds a lock on both. The system releases the lock when the process dies, so that a later
process can remove what is left. A spool keeps rows on disk, so that a snapshot of any size needs little memory.
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
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import IO, Any, overload

from perturb.errors import ConfigError, PerturbError, SnapshotError

DATA_FOLDERS: tuple[str, ...] = ("levers", "templates", "base_sets", "verifiers")


def data_folder(name: str) -> Path:
    """The folder of embedded data called `name` (one of `DATA_FOLDERS`).

    Raises `ConfigError` if the installation lacks it.
    """
    package = Path(__file__).resolve().parents[1]
    for root in (package / "_data", package.parent):
        if (root / name).is_dir():
            return root / name
    raise ConfigError(f"the embedded folder '{name}' is missing from this installation: reinstall perturb")


def demo_recording(name: str) -> Path | None:
    """The embedded file of recorded replies called `name` (the round is `recorded`), if there is one."""
    path = data_folder("base_sets") / f"{name}.replies.jsonl.gz"
    return path if path.exists() else None


@cache
def code_version() -> str:
    """The version of perturb that is running."""
    try:
        return version("refusalbench-builder")
    except PackageNotFoundError:
        return "unknown"


_ENCODER = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def canonical(value: Any) -> str:
    """JSON with sorted keys and no spare blanks: equal values give equal text.

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
    """A 64-bit seed that depends on nothing but the parts."""
    return int(digest(*parts, length=16), 16)


def fraction_of(*parts: Any) -> float:
    """A number in [0, 1) that depends on nothing but the parts: a coin that can be tossed again."""
    return seed_of(*parts) / 2**64


MAX_BYTES = 16 * 2**20
"""Largest file that is read whole; tables are read line by line instead."""


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

    First, what killed calls have left is removed. Raises `SnapshotError` if the folder
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
    """Remove what dead processes have left beside `place`. If one has moved the folder away, it is moved back."""
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


JsonRow = dict[str, Any]


class Spool(Sequence[JsonRow]):
    """Rows of JSON values in a temporary file, which can be read any number of times; it is deleted with the object."""

    def __init__(self, rows: Iterable[JsonRow] = ()) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the object
        weakref.finalize(self, _close, self._file)
        self._ends = array("q", [0])
        for row in rows:
            self.append(row)

    def append(self, row: JsonRow) -> None:
        """Add a row at the end."""
        line = json.dumps(row, ensure_ascii=False).encode("utf-8", "surrogatepass")
        with _temporary():
            self._file.seek(self._ends[-1])
            self._file.write(line)
        self._ends.append(self._ends[-1] + len(line))

    def __len__(self) -> int:
        return len(self._ends) - 1

    @overload
    def __getitem__(self, place: int) -> JsonRow: ...
    @overload
    def __getitem__(self, place: slice) -> list[JsonRow]: ...
    def __getitem__(self, place: int | slice) -> JsonRow | list[JsonRow]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        place = range(len(self))[place]
        with _temporary():
            self._file.seek(self._ends[place])  # seeking also writes what is still in memory
        line = self._file.read(self._ends[place + 1] - self._ends[place])
        row: JsonRow = json.loads(line.decode("utf-8", "surrogatepass"))
        return row


@contextmanager
def _temporary() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise PerturbError(
            f"{tempfile.gettempdir()}: temporary files cannot be written ({error.strerror}): free some space, or set"
            " TMPDIR to another folder"
        ) from None


def _close(file: IO[bytes]) -> None:
    with suppress(OSError):  # an error of writing was reported before
        file.close()


class RowSelection(Sequence[JsonRow]):
    """Some rows of another sequence, in another order. They are read only when they are used."""

    def __init__(self, rows: Sequence[JsonRow], places: Sequence[int]) -> None:
        self.rows = rows
        self.places = places

    def __len__(self) -> int:
        return len(self.places)

    @overload
    def __getitem__(self, place: int) -> JsonRow: ...
    @overload
    def __getitem__(self, place: slice) -> list[JsonRow]: ...
    def __getitem__(self, place: int | slice) -> JsonRow | list[JsonRow]:
        if isinstance(place, slice):
            return [self.rows[one] for one in self.places[place]]
        return self.rows[self.places[place]]
