"""Curation recipes, and the sources that they are applied to.

A recipe is a YAML file. It says which records of a source are kept, how their contexts are cut to size, and how many
are drawn. A source is a file, a folder of documents, a KILT task, a data set on the Hub, or a function of the user.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from itertools import chain, islice
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import Field, model_validator

from perturb.curation import documents
from perturb.curation.articles import READER, read_instances, recognises_kilt
from perturb.curation.base_sets import FORMAT_READERS, BaseSet, FormatReader, empty_source, recognised_format
from perturb.curation.hub import HubSource, open_hub
from perturb.curation.source_rows import RowError, SkippedRow, SourceRow, read_rows, row_label
from perturb.errors import ConfigError, PerturbError, SourceError
from perturb.files.resources import data_folder
from perturb.files.yaml_files import Strict, YamlFile
from perturb.llm.functions import FunctionError, awaited, find_function, function_errors
from perturb.records import BaseInstance
from perturb.runtime import run_sync
from perturb.text.wording import ENGLISH, Language

RecipeText = Annotated[str, Field(min_length=1, max_length=500)]
"""A short text in a recipe: a name, a licence, or a value that is looked for."""


class FieldFilter(Strict):
    """Keeps or drops records by a field that the source's form puts into the metadata."""

    field: RecipeText
    keep: tuple[str, ...] | None = None
    """The values that are kept. An empty text stands for a field that is absent or empty."""
    drop: tuple[str, ...] | None = None
    """The values that are left out."""

    @model_validator(mode="after")
    def _one_rule(self) -> FieldFilter:
        if (self.keep is None) == (self.drop is None):
            raise ValueError("give either 'keep' or 'drop', a list of values")
        return self

    @property
    def reason(self) -> str:
        """Why a record is dropped, for the report."""
        if self.keep is not None:
            return f"{self.field} is not {' or '.join(value or 'empty' for value in self.keep)}"
        return f"{self.field} is {' or '.join(value or 'empty' for value in self.drop or ())}"

    def admits(self, instance: BaseInstance) -> bool:
        """Whether the instance passes. Letter case and blanks around the value do not matter."""
        value = _folded(instance.metadata.get(self.field))
        if self.keep is not None:
            return value in {_folded(kept_value) for kept_value in self.keep}
        return value not in {_folded(dropped_value) for dropped_value in self.drop or ()}


class PassageBudget(Strict):
    """How contexts are cut (spec, section 2)."""

    count: int = Field(ge=1, le=100)
    """The exact number of passages of every context."""
    max_signal: int = Field(ge=1, le=100)
    """The most signal passages among them."""


class Recipe(Strict):
    """A recipe. All parts except the name are optional."""

    name: RecipeText
    licence: RecipeText | None = None
    """The licence of rows whose source does not state one."""
    language: Language | None = None
    """The language of rows whose source does not state one."""
    attribution: Annotated[str, Field(min_length=1, max_length=4000)] | None = None
    seed: int = 0
    filters: tuple[FieldFilter, ...] = ()
    domains: tuple[RecipeText, ...] = ()
    """The domains that are kept. If empty, all domains are kept."""
    by: RecipeText | None = None
    """A field of the metadata. If given, `domains` lists values of this field instead of domains."""
    passages: PassageBudget | None = None
    answer_in_signal: bool = False
    """Whether a signal passage must hold one of the answers word for word."""
    size: int | None = Field(default=None, ge=1)
    """How many instances are drawn. Without `size` and `per_domain`, all instances that pass are taken."""
    per_domain: int | None = Field(default=None, ge=1)
    """How many instances are drawn from each domain."""

    @model_validator(mode="after")
    def _consistent(self) -> Recipe:
        if self.size is not None and self.per_domain is not None:
            raise ValueError("give either 'size' or 'per_domain', not both")
        if self.per_domain is not None and not self.domains:
            raise ValueError("'per_domain' needs 'domains': name them")
        return self


PLAIN = Recipe(name="plain")
"""The recipe that keeps everything that can be read."""


def load_recipe(name: str) -> Recipe:
    """The embedded recipe `name`, or the recipe of a file. Raises `ConfigError` with file, line and field."""
    path = Path(name)
    if path.suffix not in (".yaml", ".yml"):
        path = data_folder("base_sets") / f"{name}.yaml"
        if "/" in name or not path.is_file():
            raise ConfigError(f"no recipe is called '{name}': use {', '.join(_embedded())} or a .yaml file")
    return YamlFile(path).parse(Recipe)


def _embedded() -> list[str]:
    """The names of the recipes in the package."""
    # The folder also has configurations, whose names have a second dot, such as `demo.build.yaml`.
    return sorted(path.stem for path in data_folder("base_sets").glob("*.yaml") if "." not in path.stem)


def _folded(value: object) -> str:
    """A value as filters compare it. An absent value equals an empty text."""
    return "" if value is None else " ".join(str(value).split()).casefold()


ARTICLES, DOCUMENTS = "articles", "documents"
FORMATS: tuple[str, ...] = ("auto", *FORMAT_READERS, "kilt", ARTICLES, DOCUMENTS)
"""Every format that can be curated.

KILT also needs its knowledge source. Articles and documents have no questions, so that a model must write them.
"""

ReadRecord = tuple[str, BaseInstance | SkippedRow | RowError]
"""The name of a record, and its instance or the reason why it has none."""


@dataclass(frozen=True, slots=True)
class SourceRequest:
    """A source that is to be curated, with the options."""

    source: Path | HubSource
    form: str = "auto"
    recipe: Recipe = PLAIN
    seed: int | None = None
    """A seed that replaces the seed of the recipe."""
    limit: int | None = None
    """The most records of the source that are read."""
    knowledge: Path | None = None
    """The knowledge source of a KILT task."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """Our field → the column of a file with another name."""
    since: date | None = None
    """The first day whose documents are kept, for a folder of documents."""

    @property
    def is_folder(self) -> bool:
        """Whether the source is a folder of documents."""
        is_directory = isinstance(self.source, Path) and self.source.is_dir()
        return self.form == DOCUMENTS or (self.form == "auto" and is_directory)


def read_since(text: str) -> date:
    """The day in `YYYY-MM-DD`. Raises `SourceError` for anything else."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise SourceError(f"since: '{text}' is not a day: write YYYY-MM-DD") from None


@dataclass(frozen=True, slots=True)
class OpenedSource:
    """A source that is being read."""

    name: str
    form: str
    records: Iterable[ReadRecord]
    repeats: bool
    """Whether several records may describe one instance."""
    facts: dict[str, Any]
    licence: str | None
    attribution: str | None


def open_source(request: SourceRequest) -> OpenedSource:
    """Begin to read a source. Raises `SourceError` if that cannot be done."""
    if request.is_folder:
        return _open_folder(request)
    source_name = _name(request.source)
    if request.since is not None:
        raise SourceError(f"{source_name}: --since goes with a folder of documents: leave it out")
    rows, facts, licence = _rows(request.source, request.recipe.language or ENGLISH, request.columns)
    if request.limit is not None:
        rows = islice(rows, request.limit)
    # The first row decides the format. It is put back in front of the others.
    first_row = next(rows, None)
    if first_row is None:
        raise empty_source(Path(source_name))
    rows = chain([first_row], rows)
    if request.form == "kilt" or (request.form == "auto" and recognises_kilt(first_row.fields)):
        records = _kilt_records(rows, request, facts)
        format_name, repeats = "kilt", False
    elif request.knowledge is not None:
        raise SourceError(f"{request.knowledge}: a knowledge source goes with --format kilt: leave it out")
    else:
        if request.form == ARTICLES:
            format_name, reader = ARTICLES, READER
        else:
            format_name = recognised_format(request.form, first_row)
            reader = FORMAT_READERS[format_name]
        id_field = "sample_id" if format_name == "garage" else "id"  # GaRAGe's name of the id
        records = ((row_label(row, id_field), _read(row, reader)) for row in rows)
        repeats = reader.repeats
    header = first_row.header
    return OpenedSource(
        name=header.name,
        form=format_name,
        records=records,
        repeats=repeats,
        facts=facts,
        licence=licence,
        attribution=header.attribution,
    )


def _kilt_records(
    rows: Iterable[SourceRow], request: SourceRequest, facts: dict[str, Any]
) -> Iterable[ReadRecord]:
    """The records of a KILT task; the file of its knowledge source is added to the facts."""
    knowledge = request.knowledge
    if knowledge is None:
        raise SourceError(
            f"{_name(request.source)}: a KILT task needs its knowledge source: give it with --knowledge FILE"
        )
    if knowledge.is_file():
        facts["knowledge"] = {"file": knowledge.name, "bytes": knowledge.stat().st_size}
    return read_instances(rows, knowledge)


def _open_folder(request: SourceRequest) -> OpenedSource:
    folder = request.source
    if not isinstance(folder, Path) or not folder.is_dir():
        raise SourceError(f"{_name(folder)}: not a folder of documents: name one, or another --format")
    name = folder.resolve().name or DOCUMENTS
    facts: dict[str, Any] = {"folder": name, "since": request.since and request.since.isoformat()}
    records = documents.read_folder(folder, request.since, request.recipe.language or ENGLISH, facts)
    return OpenedSource(
        name=name,
        form=DOCUMENTS,
        records=islice(records, request.limit),
        repeats=True,
        facts=facts,
        licence=None,
        attribution=None,
    )


class _Rows(NamedTuple):
    rows: Iterator[SourceRow]
    facts: dict[str, Any]
    """Facts about the source for the manifest."""
    licence: str | None
    """The licence that the Hub states."""


def _rows(source: Path | HubSource, language: str, columns: Mapping[str, str]) -> _Rows:
    """The rows of a source. Rows without a language are in `language`."""
    facts: dict[str, Any]
    if isinstance(source, Path):
        facts = {"file": source.name, "sha256": _sha256(source)}
        if columns:
            facts["columns"] = dict(columns)
        return _Rows(read_rows(source, language, columns), facts, licence=None)
    data_set = open_hub(source, language)
    is_local = source.folder is not None
    facts = {
        # The manifest is published, so it names a local folder without its path.
        "dataset": Path(source.name).name if is_local else source.name,
        "revision": data_set.revision,
        "subset": source.subset,
        "split": source.split,
        "columns": dict(source.columns),
    }
    return _Rows(data_set.rows, facts, data_set.licence)


def _sha256(path: Path) -> str | None:
    """Digest of a file's bytes; None for a pipe and for a file that cannot be read."""
    # An unreadable file is reported later, when its rows are read, with a better message.
    if not path.is_file():
        return None
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return None


def _name(source: Path | HubSource) -> str:
    """The source as messages name it."""
    return str(source) if isinstance(source, Path) else source.name


def _read(row: SourceRow, reader: FormatReader) -> BaseInstance | SkippedRow | RowError:
    """The instance of a row, or why it has none. A curation counts malformed rows and goes on."""
    try:
        return reader.read(row)
    except RowError as error:
        return error


def read_by_function(
    address: str, path: Path | None = None, limit: int | None = None, language: str = ENGLISH
) -> BaseSet:
    """The base set of the records that a function of the user returns or yields. It may be a coroutine function.

    The function gets `path` if it is given. Raises `ConfigError` if there is no such function, and `SourceError` if the
    function raises anything or if its records cannot be used.
    """
    function = find_function(address, f"base_set: {address}")
    try:
        with function_errors():  # turns everything that is raised in the block into a `FunctionError`
            returned = function(path) if path is not None else function()
            records = run_sync(awaited(returned)) if inspect.isawaitable(returned) else returned
            if not isinstance(records, Iterable):
                raise TypeError(f"returned {type(records).__name__}, not records")
            # Inside the block, since a generator runs, and may fail, only while its records are taken.
            first_records = list(islice(records, limit))
    except FunctionError as error:
        # The user's function may use perturb itself. The error of perturb, the cause, then says more.
        cause = error.__cause__
        if isinstance(cause, PerturbError):
            raise cause from None
        raise SourceError(f"base_set: {address}: {error}: correct the function") from error
    return BaseSet.from_records(
        first_records, name=getattr(function, "__name__", "records"), language=language
    )
