"""Rows on disk in place of memory, so that a snapshot of any size is written in little of it."""

from __future__ import annotations

import json
import tempfile
import weakref
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import IO, Any, overload

from perturb.errors import PerturbError

JsonRow = dict[str, Any]


class Spool(Sequence[JsonRow]):
    """Rows of JSON values, appended once and read back as often as wanted; the file goes with the object."""

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
            self._file.seek(self._ends[place])  # which writes what is still in memory
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
    with suppress(OSError):  # what could not be written was said
        file.close()


class RowSelection(Sequence[JsonRow]):
    """Some rows of another sequence, in an order of their own; they are read when asked for."""

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
