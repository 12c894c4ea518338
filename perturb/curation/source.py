"""Opens what is to be curated: a file, a KILT task with its knowledge source, or a data set of the Hub.

Base sets that a user's function reads.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Any

from perturb.curation import articles, kilt
from perturb.curation.base_sets import FORMAT_READERS, BaseSet, empty_source, format_reader
from perturb.curation.hub import HubSource, open_hub
from perturb.curation.recipes import PLAIN, Recipe
from perturb.curation.source_rows import RowError, SkippedRow, SourceRow, read_rows, row_label
from perturb.errors import PerturbError, SourceError
from perturb.llm.functions import FunctionError, awaited, find_function, function_errors
from perturb.records import BaseInstance
from perturb.runtime.asyncs import run_sync
from perturb.text.wording import ENGLISH

ARTICLES = "articles"
FORMATS: tuple[str, ...] = ("auto", *FORMAT_READERS, "kilt", ARTICLES)
"""Every form that can be curated; KILT needs its knowledge source beside it, articles somebody who writes questions."""

ReadRecord = tuple[str, BaseInstance | SkippedRow | RowError]
"""What a record is called, and its instance or why it has none."""


@dataclass(frozen=True, slots=True)
class SourceRequest:
    """What is curated, and how."""

    source: Path | HubSource
    form: str = "auto"
    recipe: Recipe = PLAIN
    seed: int | None = None
    """Takes the place of the recipe's seed."""
    limit: int | None = None
    """Records of the source that are looked at."""
    knowledge: Path | None = None
    """The knowledge source of a KILT task."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """Our field for columns of a file that have other names."""


@dataclass(frozen=True, slots=True)
class OpenedSource:
    """A source that is being read."""

    name: str
    form: str
    records: Iterable[ReadRecord]
    repeats: bool
    """Whether several records may tell of one instance."""
    facts: dict[str, Any]
    licence: str | None
    attribution: str | None


def open_source(request: SourceRequest) -> OpenedSource:
    """Begin to read a source. Raises `SourceError` if that cannot be done."""
    rows, facts, licence = _rows(request.source, request.recipe.language or ENGLISH, request.columns)
    if request.limit is not None:
        rows = islice(rows, request.limit)
    first = next(rows, None)
    if first is None:
        raise empty_source(Path(_name(request.source)))
    rows, header, knowledge = chain([first], rows), first.header, request.knowledge
    records: Iterable[ReadRecord]
    if request.form == "kilt" or (request.form == "auto" and kilt.recognises(first.fields)):
        if knowledge is None:
            raise SourceError(
                f"{_name(request.source)}: a KILT task needs its knowledge source: give it with --knowledge FILE"
            )
        name, repeats, records = "kilt", False, kilt.read_instances(rows, knowledge)
        if knowledge.is_file():
            facts |= {"knowledge": {"file": knowledge.name, "bytes": knowledge.stat().st_size}}
    elif knowledge is not None:
        raise SourceError(f"{knowledge}: a knowledge source goes with --format kilt: leave it out")
    else:
        form = articles.READER if request.form == ARTICLES else format_reader(request.form, first)
        name = next((name for name, known in FORMAT_READERS.items() if known is form), ARTICLES)
        label = "sample_id" if name == "garage" else "id"
        repeats, records = form.repeats, ((row_label(row, label), _read(row, form.read)) for row in rows)
    return OpenedSource(header.name, name, records, repeats, facts, licence, header.attribution)


def _rows(
    source: Path | HubSource, language: str, columns: Mapping[str, str]
) -> tuple[Iterator[SourceRow], dict[str, Any], str | None]:
    """The rows of a source, what the manifest says of it, and its licence as the Hub states it.

    `language` is that of the rows where nothing else states one.
    """
    facts: dict[str, Any]
    if isinstance(source, Path):
        facts = {"file": source.name, "sha256": _sha256(source)}
        return (
            read_rows(source, language, columns),
            facts | ({"columns": dict(columns)} if columns else {}),
            None,
        )
    opened = open_hub(source, language)
    local = source.folder is not None
    facts = {
        "dataset": Path(source.name).name if local else source.name,
        "revision": opened.revision,
        "subset": source.subset,
        "split": source.split,
        "columns": dict(source.columns),
    }
    return opened.rows, facts, opened.licence


def _sha256(path: Path) -> str | None:
    """Digest of a file's bytes; None if it cannot be read, which the reader then says better, or has no end."""
    if not path.is_file():
        return None
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return None


def _name(source: Path | HubSource) -> str:
    return str(source) if isinstance(source, Path) else source.name


def _read(
    row: SourceRow, read_row: Callable[[SourceRow], BaseInstance | SkippedRow]
) -> BaseInstance | SkippedRow | RowError:
    try:
        return read_row(row)
    except RowError as error:
        return error


def read_by_function(
    address: str, path: Path | None = None, limit: int | None = None, language: str = ENGLISH
) -> BaseSet:
    """The base set of the records that a function returns, yields, or collects as a coroutine.

    It is called with `path` if there is one. Raises `ConfigError` if there is no such function, and `SourceError` for
    whatever it raises and for records that cannot be used.
    """
    function = find_function(address, f"base_set: {address}")

    try:
        with function_errors():
            made = function(path) if path is not None else function()
            records = run_sync(awaited(made)) if inspect.isawaitable(made) else made
            if not isinstance(records, Iterable):
                raise TypeError(f"returned {type(records).__name__}, not records")
            kept = list(islice(records, limit))
    except FunctionError as error:
        if isinstance(error.__cause__, PerturbError):
            raise error.__cause__ from None
        raise SourceError(f"base_set: {address}: {error}: correct the function") from error
    return BaseSet.from_records(kept, name=getattr(function, "__name__", "records"), language=language)
