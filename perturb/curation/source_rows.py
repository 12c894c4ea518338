"""Reads the rows of base sets, and checks their fields strictly.

`read_rows` yields the rows of a file. A format reads the fields of a row with its methods, which raise `RowError`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from perturb.errors import SourceError, location
from perturb.files import tables
from perturb.files.resources import canonical, digest
from perturb.files.tables import quote, read_lines, type_name
from perturb.records import BaseInstance, Passage, Role
from perturb.text.wording import ENGLISH, read_language

MAX_PASSAGE_CHARS = 50_000
"""The most characters of a passage and of a reference answer. A longer text is refused and never cut."""
MAX_QUERY_CHARS = 4_000
"""The most characters of a query and of an answer."""
MAX_NAME_CHARS = 500
"""The most characters of an id, title, source, domain, licence or name of a set."""

FIELDS_OF_A_QUESTION = ("query", "question", "passages", "context", "ctxs", "answers")
"""Columns of a table that are read even if they are not mapped."""

# The index in `passages[3]`, which differs between rows with the same fault.
_INDEX = re.compile(r"\[\d+\]")


@dataclass(frozen=True, slots=True)
class Header:
    """The optional first line of a base set, which describes the set. By default, the set has the name of the file."""

    name: str
    licence: str | None = None
    attribution: str | None = None
    language: str = ENGLISH
    """The language of rows that do not state one."""
    since: str | None = None
    """The first day of the documents that the questions were written from, as `YYYY-MM-DD`."""


class RowError(SourceError):
    """A row that cannot be used. `reason` has the same words for every row with this fault, for counting."""

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


class NoAnswer(RowError):
    """A row without an answer. Every format leaves it out, unless no row has an answer."""


@dataclass(frozen=True, slots=True)
class SourceRow(tables.Row):
    """A row of a base set or of another set of questions."""

    header: Header

    @classmethod
    def of_table(
        cls, path: Path, line: int, cells: Mapping[str, Any], header: Header, columns: Mapping[str, str]
    ) -> SourceRow:
        """A row of a table. A cell may hold a JSON list or object; an empty cell counts as a missing field.

        `columns` maps our fields to columns with other names. If it maps any, only these columns and those in
        `FIELDS_OF_A_QUESTION` are read.
        """
        if columns:
            renamed = tables.rename(cells, columns)
            names = (*columns, *FIELDS_OF_A_QUESTION)
            cells = {name: renamed[name] for name in names if name in renamed}
        fields = {name: nested(cell) for name, cell in cells.items() if cell is not None}
        return cls(path, line, fields, header)

    def error(self, field: str, problem: str, reason: str = "") -> RowError:
        """An error that names the file, the line and the field.

        `problem` has the form `WHAT IS WRONG: WHAT TO DO`. The report counts equal reasons, by default what is wrong.
        """
        reason = reason or problem.partition(":")[0]
        message = f"{self.place}: field '{field}' {problem}"
        return RowError(message, f"{_INDEX.sub('[]', field)} {reason}")

    def text(self, value: Any, field: str, limit: int) -> str:
        """`value` if it is a string that is not blank and has at most `limit` characters. Raises `RowError` if not."""
        if not isinstance(value, str):
            raise self.error(field, f"must be a string, got {type_name(value)}: write it in double quotes")
        if not value.strip():
            raise self.error(field, "is empty: fill it in or remove the row")
        if len(value) > limit:
            too_long = f"characters, the limit is {limit:,}"
            problem = f"has {len(value):,} {too_long}: shorten it or remove the row"
            raise self.error(field, problem, reason=f"has too many {too_long}")
        return value

    def question(self, field: str) -> str:
        """The question in a required field."""
        if self.fields.get(field) is None:
            raise self.error(field, "is missing: give the question as a string")
        return self.text(self.fields[field], field, MAX_QUERY_CHARS)

    def passage(self, field: str, item: Mapping[str, Any], role: Role = "signal") -> Passage:
        """The passage in an object: its text, and its title if it has one."""
        if item.get("text") is None:
            raise self.error(f"{field}.text", "is missing: give the passage as a string")
        text = self.text(item["text"], f"{field}.text", MAX_PASSAGE_CHARS)
        title = item.get("title") or ""
        return Passage(text, self.text(title, f"{field}.title", MAX_NAME_CHARS) if title else "", role)

    def optional_text(self, field: str, limit: int = MAX_NAME_CHARS) -> str | None:
        """The text of a top-level field; None if it is absent or null."""
        value = self.fields.get(field)
        return None if value is None else self.text(value, field, limit)

    def language(self) -> str:
        """The language of the row, or else of its set."""
        code = self.optional_text("language")
        return self.header.language if code is None else self.language_code(code, "language")

    def language_code(self, value: Any, field: str) -> str:
        """`value` if it is the code of a language."""
        try:
            return read_language(str(value))
        except ValueError as error:
            raise self.error(field, f"is an {error}") from None

    def identifier(self, field: str = "id") -> str | None:
        """The row's id as text, which may be given as a whole number; None if the row has no id."""
        value = self.fields.get(field)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        return self.optional_text(field)

    def answers(self, field: str) -> tuple[str, ...]:
        """The accepted answers, given as a list of strings or as a string. Raises `NoAnswer` if there are none."""
        value = self.fields.get(field)
        if value is None or value == []:
            problem = "is missing" if value is None else "must be a list of strings, got an empty list"
            words = f"{self.place}: field '{field}' {problem}: write [\"…\"] with at least one answer"
            raise NoAnswer(words, "it has no answer")
        values = [value] if isinstance(value, str) else value
        if not isinstance(values, list):
            problem = f'must be a list of strings, got {type_name(value)}: write it as ["…"]'
            raise self.error(field, problem)
        for position, answer in enumerate(values):
            if not isinstance(answer, str):
                problem = f"must hold strings only, got {type_name(answer)} at {position}: put it in quotes"
                raise self.error(field, problem)
            self.text(answer, f"{field}[{position}]", MAX_QUERY_CHARS)
        # Repeated answers count once, in their order.
        return tuple(dict.fromkeys(values))

    def instance(
        self, query: str, passages: tuple[Passage, ...], answers: tuple[str, ...], **others: Any
    ) -> BaseInstance:
        """The base instance of the row. Id, source and licence come from the row and its set if `others` lacks them."""
        contents = [[passage.title, passage.text, passage.role] for passage in passages]
        fields = {
            "id": self.identifier() or digest(query, contents, answers),
            "source": self.header.name,
            "licence": self.header.licence,
            **others,
        }
        return BaseInstance(query=query, passages=passages, answers=answers, **fields)

    def objects(self, field: str) -> list[dict[str, Any]]:
        """The JSON objects of a top-level list that is not empty."""
        value = self.fields.get(field)
        if not isinstance(value, list) or not value:
            actual = "an empty list" if value == [] else type_name(value)
            raise self.error(field, f"must be a list of passages, got {actual}")
        for position, item in enumerate(value):
            if not isinstance(item, dict):
                raise self.error(f"{field}[{position}]", f"must be an object, got {type_name(item)}")
        return value


@dataclass(frozen=True, slots=True)
class SkippedRow:
    """A well-formed row that cannot be used. The warnings of the base set count such rows."""

    reason: str
    fault: RowError | None = None
    """The error that is raised if no row remains."""


def row_label(row: SourceRow, field: str) -> str:
    """The name of a row in a report: its id if it is usable, or else its line."""
    value = row.fields.get(field)
    is_usable = isinstance(value, str | int) and 0 < len(str(value)) <= MAX_NAME_CHARS
    return str(value) if is_usable else f"line {row.line}"


def read_rows(
    path: Path, language: str = ENGLISH, columns: Mapping[str, str] | None = None
) -> Iterator[SourceRow]:
    """Yield the rows of a CSV or Parquet table, or of a file with a JSON object per line. Blank lines are ignored.

    A header line describes the rows below it, so that one file may contain several base sets. Rows without a language
    are in `language` unless a header states another one. `columns` works as in `SourceRow.of_table`. Raises
    `SourceError` for a file that is missing, not readable, not UTF-8 or in another format.
    """
    default_header = Header(name=path.name.split(".")[0] or path.name, language=language)
    if tables.ending_of(path) in (".csv", ".parquet"):
        for number, row in enumerate(tables.read_table(path)):
            if number == 0:
                check_columns(path, row.fields, columns or {})
            yield SourceRow.of_table(path, row.line, row.fields, default_header, columns or {})
        return
    header = default_header
    is_first_row = True
    for number, text in read_lines(path):
        if not text.strip():
            continue
        fields = parse_line(path, number, text.rstrip("\r\n"))
        # In the first row, `base_set` always means a header. Later it means one only if it stands alone. Otherwise the
        # line is a row, and its format reports `base_set` as an unknown field.
        if "base_set" in fields and (is_first_row or len(fields) == 1):
            header = _header(SourceRow(path, number, fields, default_header))
        elif columns:
            yield SourceRow.of_table(path, number, fields, header, columns)
        else:
            yield SourceRow(path, number, fields, header)
        is_first_row = False


def check_columns(path: Path, columns_present: Iterable[Any], columns: Mapping[str, str]) -> None:
    """Raise `SourceError` if a table lacks one of the columns that are mapped."""
    names = list(map(str, columns_present))
    for column in columns.values():
        if column not in names:
            raise SourceError(f"{path}: no column '{column}': there is {', '.join(names)}")


def nested(cell: Any) -> Any:
    """The value of a table's cell: the JSON list or object in its text, or the cell itself.

    >>> nested('["Paris", "Paname"]'), nested("[sic] Paris")
    (['Paris', 'Paname'], '[sic] Paris')
    """
    if isinstance(cell, str) and cell.lstrip()[:1] in ("[", "{"):
        try:
            return json.loads(cell)
        except (ValueError, RecursionError):
            return cell
    return cell


# Our field → common names of columns with the same content.
_OTHER_NAMES = {
    "query": ("question", "prompt", "q"),
    "context": ("passage", "text", "document", "paragraph", "evidence", "reference", "content"),
    "answers": ("answer", "gold_answer", "gold", "target", "label", "output"),
}


def propose_columns(fields: Mapping[str, Any]) -> str:
    """A hint with options that map the columns to our fields; empty if that is impossible or not needed.

    >>> propose_columns({"question": "", "passage": "", "answers": []})
    'your columns: question, passage, answers; try --column query=question --column context=passage'
    """
    pairs = {}
    for field, other_names in _OTHER_NAMES.items():
        if field not in fields and not (field == "context" and "passages" in fields):
            pairs[field] = next((name for name in fields if name.lower() in (field, *other_names)), None)
    # An incomplete mapping would only lead to the next error.
    if not pairs or None in pairs.values():
        return ""
    options = " ".join(f"--column {field}={column}" for field, column in pairs.items())
    return f"your columns: {', '.join(list(fields)[:12])}; try {options}"


def parse_line(path: Path, number: int, text: str | bytes) -> dict[str, Any]:
    """The JSON object of a line. Raises `SourceError` for anything else, for repeated keys and for lone surrogates."""
    place = location(path, number)
    try:
        value = json.loads(
            text, object_pairs_hook=_refuse_repeats, parse_constant=_refuse_constants, parse_float=_finite
        )
    except json.JSONDecodeError as error:
        hint = "write one JSON object per line, closed on the same line"
        raise SourceError(f"{place}: not JSON at column {error.colno} ({error.msg}): {hint}") from error
    except (ValueError, RecursionError) as error:
        raise SourceError(f"{place}: not usable JSON ({error}): fix the line") from error
    if not isinstance(value, dict):
        raise SourceError(
            f"{place}: a row must be an object, got {type_name(value)}: write one object per line"
        )
    # Field by field, so that the message can name the field.
    for field, content in value.items():
        try:
            # Lone surrogates are legal in JSON, but no ledger and no model API takes them.
            canonical([field, content]).encode("utf-8")
        except UnicodeEncodeError as error:
            problem = "holds half a character (a lone surrogate): fix the text"
            raise SourceError(f"{place}: field {quote(field)} {problem}") from error
    return value


def _refuse_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        keys = [key for key, _ in pairs]
        repeated = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {quote(repeated)} appears twice")
    return fields


def _refuse_constants(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"the number {quote(digits)} is too large")
    return number


def _header(row: SourceRow) -> Header:
    """The header in a line. What it leaves out comes from the name of the file and the language of the source."""
    value = row.fields["base_set"]
    if len(row.fields) > 1 or not isinstance(value, dict):
        raise row.error("base_set", "must be an object and stand alone on its line, as the header")
    header_fields = ("name", "licence", "attribution", "language", "since")
    for key in value:
        if key not in header_fields:
            raise row.error(
                "base_set", f"has the unknown key {quote(key)}: the header takes {', '.join(header_fields)}"
            )
    values = {
        key: row.text(content, f"base_set.{key}", MAX_QUERY_CHARS if key == "attribution" else MAX_NAME_CHARS)
        for key, content in value.items()
        if content is not None
    }
    if "language" in values:
        row.language_code(values["language"], "base_set.language")
    return Header(**{"name": row.header.name, "language": row.header.language, **values})
