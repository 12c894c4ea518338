"""Base sets: their formats, and how they are read from a file, records, a data frame or the Hub."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perturb.curation import garage
from perturb.curation.forms import (
    read_nq_row,
    read_own_row,
    read_refusalbench_row,
    read_squad_row,
    recognises_nq,
    recognises_own,
    recognises_refusalbench,
    recognises_squad,
    render,
    write_row,
)
from perturb.curation.source_rows import (
    Header,
    NoAnswer,
    RowError,
    SkippedRow,
    SourceRow,
    check_columns,
    nested,
    propose_columns,
    read_rows,
)
from perturb.errors import SourceError
from perturb.files.resources import data_folder, digest, writing_errors
from perturb.files.tables import ending_of, plain_value, quote
from perturb.records import BaseInstance
from perturb.text.matching import holds_answer
from perturb.text.wording import ENGLISH, counted, html_table, listed

if TYPE_CHECKING:
    import datasets
    import pandas


@dataclass(frozen=True, slots=True)
class FormatReader:
    """The reader of a format of base sets: it recognises and reads its rows."""

    recognises: Callable[[Mapping[str, Any]], bool]
    """Whether the fields of a row look like this format."""
    read_row: Callable[[SourceRow], BaseInstance | SkippedRow]
    repeats: bool = False
    """Whether several rows may describe one instance. The first row is used, and the others are ignored."""

    def read(self, row: SourceRow) -> BaseInstance | SkippedRow:
        """The instance of a row, in the language of the row or of its set."""
        try:
            instance = self.read_row(row)
        except NoAnswer as fault:
            # Kept, since it is raised if no row of the set can be used.
            return SkippedRow(fault.reason, fault)
        if isinstance(instance, SkippedRow):
            return instance
        return replace(instance, language=row.language())


FORMAT_READERS: dict[str, FormatReader] = {
    "jsonl": FormatReader(recognises_own, read_own_row),
    "garage": FormatReader(garage.recognises, garage.read_row),
    "refusalbench": FormatReader(recognises_refusalbench, read_refusalbench_row, repeats=True),
    "squad": FormatReader(recognises_squad, read_squad_row),
    "nq": FormatReader(recognises_nq, read_nq_row),
}
"""Name in `base_set.format` → reader. The order matters, since `auto` takes the first that recognises a row."""


@dataclass(frozen=True, slots=True, repr=False)
class BaseSet:
    """Questions with the passages that answer them: the base instances that a build perturbs."""

    name: str
    """The name in the header line, or else the file's name without its endings."""
    instances: tuple[BaseInstance, ...]
    digest: str
    """Hash of the instances. It does not depend on the name or the format of the file."""
    licence: str | None
    """The licence that all instances share; None if it is unknown or if they differ."""
    warnings: tuple[str, ...]
    """One line for each kind of trouble, such as rows that were left out."""
    attribution: str | None = None
    """The credit to give when the set is passed on, from the header lines."""
    since: str | None = None
    """The first day of the documents that the questions were written from, if all header lines state a day."""

    @classmethod
    def read(
        cls,
        path: str | PathLike[str],
        form: str = "auto",
        limit: int | None = None,
        columns: Mapping[str, str] | None = None,
    ) -> BaseSet:
        """Read a base set from a file, or an embedded base set by its name. With `limit`, read the first rows only.

        `form` is a format of docs/build-details.md. `auto` recognises it by the first row. `columns` maps our fields to
        columns with other names: `{"context": "passage"}`. Raises `SourceError`.

        >>> len(BaseSet.read("demo"))
        81
        """
        is_embedded = isinstance(path, str) and path in _embedded() and not Path(path).exists()
        file = embedded_path(str(path)) if is_embedded else Path(path)
        return load_base_set(file, form, limit, columns=columns)

    @classmethod
    def from_records(
        cls,
        records: Iterable[Mapping[str, Any] | BaseInstance],
        name: str = "records",
        *,
        licence: str | None = None,
        attribution: str | None = None,
        form: str = "auto",
        language: str = ENGLISH,
        columns: Mapping[str, str] | None = None,
    ) -> BaseSet:
        """Make a base set from dictionaries with the fields of a row, or from instances.

        A row has `query`, `passages` (a list of texts, or of `{"title", "text", "role"}`) or `context`, and
        `answers`. The optional fields are in docs/build-details.md. `columns` maps our fields to fields with other
        names: `{"context": "passage"}`. Raises `SourceError` that names the record and the field.

        >>> facts = {"query": "When was the pier built?", "context": "The pier was built in 1968.", "answers": ["1968"]}
        >>> BaseSet.from_records([facts], name="pier").instances[0].answers
        ('1968',)
        """
        header = Header(name, licence, attribution, language)

        # A generator, since records may come one by one from a generator that takes time.
        def rows() -> Iterator[SourceRow]:
            for number, record in enumerate(records, start=1):
                if columns:
                    yield SourceRow.of_table(Path(name), number, _fields(record), header, columns)
                else:
                    yield SourceRow(Path(name), number, _fields(record), header)

        return _read_rows(rows(), Path(name), form)

    @classmethod
    def from_pandas(cls, frame: pandas.DataFrame, name: str = "frame", **options: Any) -> BaseSet:
        """Make a base set from a data frame with a row for each instance. Options are those of `from_records`.

        A frame that `pandas.read_csv` made gives the same base set as the file: a cell may hold a JSON list, and a
        number counts as text.
        """
        import pyarrow

        check_columns(Path(name), frame.columns, options.get("columns") or {})
        records = pyarrow.Table.from_pandas(frame, preserve_index=False).to_pylist()
        return cls.from_records(map(_as_csv, records), name, **options)

    @classmethod
    def from_dataset(cls, dataset: datasets.Dataset, name: str = "dataset", **options: Any) -> BaseSet:
        """Make a base set from a split of `datasets`. Options are those of `from_records`."""
        return cls.from_records(dataset, name, **options)

    @classmethod
    def from_hub(
        cls,
        name: str,
        *,
        subset: str | None = None,
        split: str | None = None,
        columns: Mapping[str, str] | None = None,
        form: str = "auto",
        limit: int | None = None,
    ) -> BaseSet:
        """Read a data set on the Hub, `OWNER/NAME` or `OWNER/NAME@REVISION`, or a folder that `datasets` can load.

        `columns` maps our fields to columns with other names: `{"query": "question"}`. `perturb.curate` also filters,
        cuts contexts to size and writes a manifest. Raises `SourceError`.
        """
        from perturb.curation.hub import HubSource, open_hub

        source = open_hub(HubSource.named(name, subset, split, columns))
        header = Header(Path(name.partition("@")[0]).name, source.licence)
        rows = (replace(row, header=header) for row in source.rows)
        return _read_rows(rows, Path(name), form, limit)

    def write(self, path: str | PathLike[str]) -> Path:
        """Write the set as JSON Lines, which `BaseSet.read` and `perturb build --base-set` read."""
        header = Header(self.name, self.licence, self.attribution, since=self.since)
        with writing_errors(Path(path), SourceError):
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_text(render(header, self.instances), encoding="utf-8")
        return Path(path)

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages of the instances, in the order of their codes."""
        return tuple(sorted({instance.language for instance in self.instances}))

    def __len__(self) -> int:
        return len(self.instances)

    def __iter__(self) -> Iterator[BaseInstance]:
        return iter(self.instances)

    def __repr__(self) -> str:
        return f"BaseSet({self.name!r}, {counted(len(self), 'instance')})"

    def _repr_html_(self) -> str:
        title = f"Base set {self.name}: {counted(len(self), 'instance')}"
        instances = self.instances[:NOTEBOOK_ROWS]
        rows = [(instance.query, instance.answers[0], instance.context) for instance in instances]
        notes = list(self.warnings)
        if len(rows) < len(self):
            notes.insert(0, f"The first {len(rows)} are shown.")
        return html_table(title, ("query", "answer", "context"), rows, notes)


NOTEBOOK_ROWS = 5
"""How many instances a notebook shows."""


def _fields(record: Mapping[str, Any] | BaseInstance) -> Mapping[str, Any]:
    """The fields of a record. A field that is None counts as missing."""
    if isinstance(record, BaseInstance):
        return write_row(record)
    return {key: value for key, value in record.items() if value is not None}


def _as_csv(record: Mapping[str, Any]) -> dict[str, Any]:
    """The record with its numbers as text, as in a CSV file. A whole number may arrive as a float.

    >>> _as_csv({"id": 7, "answers": 1932.0, "context": '["a"]', "domain": None})
    {'id': '7', 'answers': '1932', 'context': ['a'], 'domain': None}
    """
    cells = {}
    for name, value in record.items():
        # A column of whole numbers with gaps becomes floats in pandas.
        cell = int(value) if isinstance(value, float) and value.is_integer() else value
        cells[str(name)] = str(cell) if isinstance(cell, int | float) else nested(plain_value(cell))
    return cells


def load_base_set(
    path: Path,
    form: str = "auto",
    limit: int | None = None,
    language: str = ENGLISH,
    columns: Mapping[str, str] | None = None,
) -> BaseSet:
    """Read a base set. With `limit`, stop after that many usable rows.

    `form` is a name in `FORMAT_READERS`, or `auto` to recognise it by the first row. Rows are in `language` unless the
    file states another one. Raises `SourceError` with file, line and field at the first malformed row.
    """
    if limit is not None and limit < 1:
        raise SourceError(f"{path}: limit must be at least 1, got {limit}")
    return _read_rows(read_rows(path, language, columns), path, form, limit)


def _read_rows(rows: Iterator[SourceRow], path: Path, form: str, limit: int | None = None) -> BaseSet:
    """The base set of rows in a format; `auto` is recognised by the first row."""
    first_row = next(rows, None)
    if first_row is None:
        raise empty_source(path)
    reader = FORMAT_READERS[recognised_format(form, first_row)]
    collector = _RowCollector(path, reader)
    for row in chain([first_row], rows):
        collector.add(row)
        # Only usable rows count towards the limit.
        if len(collector.instances) == limit:
            break
    return collector.base_set(first_row.header.name)


class _RowCollector:
    """Collects the instances of rows, and the facts for warnings about these rows."""

    def __init__(self, path: Path, reader: FormatReader) -> None:
        self.path = path
        self.reader = reader
        self.instances: list[BaseInstance] = []
        self._line_of: dict[str, int] = {}
        """Id of an instance → its line."""
        self._left_out: dict[str, list[int]] = {}
        """Reason → the lines that were left out."""
        self._first_fault: RowError | None = None
        """The error of the first row without an answer. It is raised if no row can be used."""
        self._attributions: dict[str, None] = {}
        """The distinct attributions of the header lines, in order, as keys."""
        self._first_days: set[str | None] = set()
        """The `since` of the header lines; None for a header that states no day."""

    def add(self, row: SourceRow) -> None:
        """Read a row. Raises `RowError` if it is malformed or repeats the id of another row."""
        instance = self.reader.read(row)
        if isinstance(instance, SkippedRow):
            self._left_out.setdefault(instance.reason, []).append(row.line)
            self._first_fault = self._first_fault or instance.fault
            return
        earlier = self._line_of.get(instance.id)
        if earlier is not None:
            if self.reader.repeats:
                return
            raise row.error("id", f"repeats {quote(instance.id)} of line {earlier}: give each row its own id")
        self._line_of[instance.id] = row.line
        self.instances.append(instance)
        self._first_days.add(row.header.since)
        if row.header.attribution is not None:
            self._attributions[row.header.attribution] = None

    def base_set(self, name: str) -> BaseSet:
        """The base set of all rows. Raises `SourceError` if no row can be used."""
        warnings = [
            f"{self.path}: {counted(len(lines), 'row')} left out because {reason} ({_lines(lines)})"
            for reason, lines in self._left_out.items()
        ]
        if not self.instances:
            # An error with line and field helps more than the sum of all warnings.
            raise self._first_fault or SourceError(f"{warnings[0]}: no row remains")
        warnings += self._answer_warnings()
        licences = {instance.licence for instance in self.instances}
        if len(licences) > 1:
            names = ", ".join(sorted(licence or "none stated" for licence in licences))
            warnings.append(f"{self.path}: the rows differ in licence ({names})")
        # One header without a day makes the first day of the whole set unknown.
        since = None if None in self._first_days else min(filter(None, self._first_days))
        # The name of the file is part of `source`, and a renamed file is still the same base set.
        payloads = [{**instance.to_payload(), "source": None} for instance in self.instances]
        return BaseSet(
            name=name,
            instances=tuple(self.instances),
            digest=digest(payloads),
            licence=licences.pop() if len(licences) == 1 else None,
            warnings=tuple(warnings),
            attribution="; ".join(self._attributions) or None,
            since=since,
        )

    def _answer_warnings(self) -> list[str]:
        """A line on the questions whose answers no passage holds; empty if there are none."""
        lines = [
            self._line_of[instance.id]
            for instance in self.instances
            if not any(holds_answer(passage.text, *instance.answers) for passage in instance.passages)
        ]
        if not lines:
            return []
        return [
            f"{self.path}: {counted(len(lines), 'question')} whose passages do not hold an accepted answer word for"
            f" word ({_lines(lines)}): add one to 'answers', or few levers will fit"
        ]


def embedded_path(name: str) -> Path:
    """The file of the embedded base set `name`. Raises `SourceError` that lists all names."""
    embedded = _embedded()
    if name not in embedded:
        raise SourceError(f"no embedded base set is called {quote(name)}: there is {', '.join(embedded)}")
    return embedded[name]


def _embedded() -> dict[str, Path]:
    """Name of an embedded base set -> its file."""
    return {path.stem: path for path in sorted(data_folder("base_sets").glob("*.jsonl"))}


def recognised_format(name: str, first_row: SourceRow) -> str:
    """The name of the format; for `auto` that of the first format that recognises the row. Raises `SourceError`."""
    if name in FORMAT_READERS:
        return name
    if name != "auto":
        raise SourceError(
            f"{first_row.path}: unknown format {quote(name)}: use auto, {', '.join(FORMAT_READERS)}"
        )
    for format_name, reader in FORMAT_READERS.items():
        if reader.recognises(first_row.fields):
            return format_name
    advice = propose_columns(first_row.fields)
    if not advice:
        fields = ", ".join(quote(key) for key in list(first_row.fields)[:8]) or "no fields"
        advice = f"a row needs query, passages (or context) and answers, this one has {fields}"
    raise SourceError(f"{first_row.place}: field 'query' is missing: {advice}")


def empty_source(path: Path) -> SourceError:
    """The error for a source without rows."""
    content = "one row for each question" if ending_of(path) == ".csv" else "one JSON object per line"
    return SourceError(f"{path}: holds no rows: write {content}")


def _lines(lines: list[int]) -> str:
    """Numbers of lines in words: `line 3`, `lines 3, 7 and 2 more`."""
    return f"{'line' if len(lines) == 1 else 'lines'} {listed(list(map(str, lines)))}"
