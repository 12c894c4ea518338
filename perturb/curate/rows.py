"""Reads JSON Lines, plain or gzipped, into rows that know their place, and checks their fields."""

from __future__ import annotations

import gzip
import json
import math
import re
import unicodedata
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from perturb.digests import canonical
from perturb.errors import SourceError, at

MAX_PASSAGE_CHARS = 50_000
"""Longest passage (and reference answer) in characters; a longer one is refused, never cut."""
MAX_QUERY_CHARS = 4_000
"""Longest query (and answer) in characters."""
MAX_NAME_CHARS = 500
"""Longest id, title, source, domain, licence or name of a set, in characters."""

_PLACE = re.compile(r"\[\d+\]")
_COUNT = re.compile(r"[\d,]*\d(?= characters, the limit)")


@dataclass(frozen=True, slots=True)
class Header:
    """What a base set says of itself in its optional first line, or what its file name says for it."""

    name: str
    licence: str | None = None
    attribution: str | None = None


class RowError(SourceError):
    """A row that cannot be used; `reason` says why in words that are the same for every such row."""

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Row:
    """One JSON object of a file, with the place it comes from."""

    path: Path
    line: int
    """Line number, from 1."""
    fields: Mapping[str, Any]
    header: Header

    def error(self, field: str, problem: str) -> RowError:
        """An error that names the file, the line and the field."""
        message = f"{at(self.path, self.line)}: field '{field}' {problem}"
        reason = _COUNT.sub("too many", problem.partition(":")[0])
        return RowError(message, f"{_PLACE.sub('[]', field)} {reason}")

    def text(self, value: Any, field: str, limit: int) -> str:
        """`value` as it is, if it is a string with something in it and of at most `limit` characters."""
        if not isinstance(value, str):
            raise self.error(field, f"must be a string, got {kind_of(value)}: write it in double quotes")
        if not value.strip():
            raise self.error(field, "is empty: fill it in or remove the row")
        if len(value) > limit:
            raise self.error(
                field, f"has {len(value):,} characters, the limit is {limit:,}: shorten it or remove the row"
            )
        return value

    def optional_text(self, field: str, limit: int = MAX_NAME_CHARS) -> str | None:
        """The text of a top-level field, or None where it is absent or null."""
        value = self.fields.get(field)
        return None if value is None else self.text(value, field, limit)

    def identifier(self, field: str = "id") -> str | None:
        """The row's id as text (a whole number is taken too), or None where it has none."""
        value = self.fields.get(field)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        return self.optional_text(field)

    def answers(self, field: str) -> tuple[str, ...]:
        """The accepted answers: a list of strings, or one string."""
        value = self.fields.get(field)
        if value is None:
            raise self.error(field, 'is missing: write ["…"] with at least one answer')
        listed = [value] if isinstance(value, str) else value
        if not isinstance(listed, list) or not listed:
            got = "an empty list" if listed == [] else kind_of(value)
            raise self.error(field, f'must be a list of strings, got {got}: write it as ["…"]')
        for position, answer in enumerate(listed):
            if not isinstance(answer, str):
                problem = f"must hold strings only, got {kind_of(answer)} at {position}: put it in quotes"
                raise self.error(field, problem)
            self.text(answer, f"{field}[{position}]", MAX_QUERY_CHARS)
        return tuple(dict.fromkeys(listed))

    def objects(self, field: str) -> list[dict[str, Any]]:
        """A top-level list of at least one JSON object."""
        value = self.fields.get(field)
        if not isinstance(value, list) or not value:
            got = "an empty list" if value == [] else kind_of(value)
            raise self.error(field, f"must be a list of passages, got {got}")
        for position, item in enumerate(value):
            if not isinstance(item, dict):
                raise self.error(f"{field}[{position}]", f"must be an object, got {kind_of(item)}")
        return value


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A well-formed row that is of no use; counted in the warnings of the base set."""

    reason: str


def row_label(row: Row, field: str) -> str:
    """What a report calls a row: its id if it has a usable one, else its line."""
    value = row.fields.get(field)
    usable = isinstance(value, str | int) and 0 < len(str(value)) <= MAX_NAME_CHARS
    return str(value) if usable else f"line {row.line}"


def kind_of(value: Any) -> str:
    """What a JSON value is, in words.

    >>> kind_of(3), kind_of(None), kind_of([])
    ('a number', 'null', 'a list')
    """
    if value is None:
        return "null"
    names = ((bool, "a boolean"), ((int, float), "a number"), (str, "a string"), (list, "a list"))
    for types, name in names:
        if isinstance(value, types):
            return name
    return "an object"


def shown(text: str) -> str:
    """A text of the file inside an error message: on one line, escaped and short.

    >>> shown("a\\nb")
    "'a\\\\nb'"
    """
    return repr(text if len(text) <= 60 else text[:59] + "…")


def holds_answer(passage: str, answers: Iterable[str]) -> bool:
    """True if one of the answers stands in the passage, whatever its letter case and blanks.

    A run of Latin letters and digits counts only as a whole, so that "4" is not found in "1492".

    >>> holds_answer("It  opened in\\nMay 1889.", ["may 1889"]), holds_answer("In 1492.", ["4"])
    (True, False)
    """
    text = _folded(passage)
    return any(
        re.search(rf"(?<!\w){re.escape(_folded(answer))}(?!\w)", text, re.ASCII) is not None
        for answer in answers
    )


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def read_rows(path: Path) -> Iterator[Row]:
    """The JSON objects of a file, one per line; blank lines and header lines are passed over.

    A header holds for the rows below it, so that base sets can be written one after the other into one file.
    Raises `SourceError` for a file that is missing, not readable, not UTF-8 or not JSON Lines.
    """
    plain = header = Header(name=path.name.split(".")[0] or path.name)
    first = True
    for number, text in _lines(path):
        fields = parse_line(path, number, text)
        if "base_set" in fields and (first or len(fields) == 1):
            header = _header(Row(path, number, fields, plain))
        else:
            yield Row(path, number, fields, header)
        first = False


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Numbered lines that hold something, as text."""
    offset = 0
    for number, raw in read_lines(path):
        text = _decoded(path, number, offset, raw).rstrip("\r\n")
        offset += len(raw)
        if text.strip():
            yield number, text


def read_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Numbered lines of a file, plain or gzipped, one at a time. Only a line feed ends a line, not U+2028.

    Raises `SourceError` for a file that is missing or cannot be read.
    """
    try:
        with _opened(path) as stream:
            yield from enumerate(stream, start=1)
    except FileNotFoundError as error:
        raise SourceError(f"{path}: no such file: check the path of the base set") from error
    except IsADirectoryError as error:
        raise SourceError(f"{path}: is a folder: name the JSON Lines file in it") from error
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SourceError(f"{path}: cannot be read ({reason}): check the file and its permissions") from error


def _opened(path: Path) -> IO[bytes] | gzip.GzipFile:
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")


def _decoded(path: Path, number: int, offset: int, raw: bytes) -> str:
    try:
        return raw.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        place = f"byte {error.start} of the line, {offset + error.start} of the file"
        raise SourceError(f"{at(path, number)}: not UTF-8 at {place}: save the file as UTF-8") from error


def parse_line(path: Path, number: int, text: str | bytes) -> dict[str, Any]:
    """The JSON object of one line. Raises `SourceError` for anything else, repeated keys and half characters."""
    place = at(path, number)
    try:
        value = json.loads(
            text, object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite_float
        )
    except json.JSONDecodeError as error:
        hint = "write one JSON object per line, closed on the same line"
        raise SourceError(f"{place}: not JSON at column {error.colno} ({error.msg}): {hint}") from error
    except (ValueError, RecursionError) as error:
        raise SourceError(f"{place}: not usable JSON ({error}): mend the line") from error
    if not isinstance(value, dict):
        raise SourceError(
            f"{place}: a row must be an object, got {kind_of(value)}: write one object per line"
        )
    for field, content in value.items():
        try:
            canonical([field, content]).encode("utf-8")
        except UnicodeEncodeError as error:
            problem = "holds half a character (a lone surrogate): mend the text"
            raise SourceError(f"{place}: field {shown(field)} {problem}") from error
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {shown(twice)} stands twice")
    return fields


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def _finite_float(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"the number {shown(digits)} is too large")
    return number


def _header(row: Row) -> Header:
    value = row.fields["base_set"]
    if len(row.fields) > 1 or not isinstance(value, dict):
        raise row.error("base_set", "must be an object and stand alone on its line, as the header")
    known = ("name", "licence", "attribution")
    for key in value:
        if key not in known:
            raise row.error(
                "base_set", f"has the unknown key {shown(key)}: the header takes {', '.join(known)}"
            )
    told = {
        key: row.text(content, f"base_set.{key}", MAX_QUERY_CHARS if key == "attribution" else MAX_NAME_CHARS)
        for key, content in value.items()
        if content is not None
    }
    return Header(told.get("name", row.header.name), told.get("licence"), told.get("attribution"))
