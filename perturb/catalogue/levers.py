"""The lever catalogue: reads and checks `levers/*.yaml`.

A class file names its class, target, refusal code, short forms, intensity criteria and levers. A folder of the user
adds levers to existing classes, or a class with its levers.

The first half of this module is the vocabulary of the field `rule` of a lever, which `building/offline` carries out:

    rule:
      do: remark                                # one of `OPERATORS`
      what: before                              # the part that the operator works on, if it has a choice
      say: ["the long forgotten {film|series}"]   # wordings with gaps of `GAPS`
      needs: [question:who]                     # features that the instance must have
      why: Nobody says that it was forgotten.   # the reasoning of the item

The second half reads the files, from the models of their entries down to `Catalogue` and the checks of names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, field, replace
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from perturb.catalogue.classes import ClassEntry, ClassFields, ClassName, OwnCode, clash, class_entry
from perturb.catalogue.features import FEATURES_VERSION, Need, word_table, words_file
from perturb.errors import CatalogueError, location
from perturb.files.resources import data_folder, digest
from perturb.files.yaml_files import Strict, YamlFile
from perturb.records import (
    ALL_CELLS,
    ANSWER_CORRECTLY,
    PUBLISHED_CLASSES,
    REFUSE_OTHER,
    Cell,
    Construction,
    Illustration,
    Intensity,
    Lever,
    PerturbationClass,
    Rule,
)


@dataclass(frozen=True, slots=True)
class OperatorFields:
    """What an operator does, and the fields that its rules have and other rules must not have."""

    summary: str
    texts: Literal["say", "words"] | None = "say"
    """`say`: wordings; `words`: words of the question with their replacements; None if rules have neither."""
    what: tuple[str, ...] = ()
    """The values that the field `what` of a rule may have; empty if rules of this operator have no `what`."""


OPERATORS: Mapping[str, OperatorFields] = {
    "ask": OperatorFields("replaces the question with a new one"),
    "remark": OperatorFields(
        "adds a remark to the question, next to the name of its subject", what=("behind", "before")
    ),
    "reword": OperatorFields("replaces words of the question", "words"),
    "rename": OperatorFields("replaces the subject's name in the question"),
    "add": OperatorFields(
        "adds a sentence to the passage, after the sentence with the answer, or a date or figure next to it",
        what=("answer", "date", "figure"),
    ),
    "substitute": OperatorFields("replaces every mention of the answer"),
    "convert": OperatorFields("adds the same measure in another unit after a measure in the passage", None),
    "delete": OperatorFields(
        "deletes something from the passage",
        None,
        (
            "bracket",
            "opening",
            "city",
            "colour",
            "example",
            "figure",
            "month",
            "alias",
            "companion",
            "answer",
            "time",
            "agent",
        ),
    ),
    "exchange": OperatorFields("replaces the passage with that of another instance", None),
    "join": OperatorFields("adds the passage of another instance that answers a similar question"),
}
"""Name of an operator -> the fields of its rules. `building.offline.operators.OPERATIONS` has the functions."""

GAPS: Mapping[str, str] = {
    "subject": "what the passage is about, with its noun unless it is a person",
    "thing": "the subject, if its kind is unknown",
    "name": "the bare name of the subject",
    "noun": "the noun that says what the subject is",
    "answer": "the answer as the passage writes it",
    "claim": "question and answer as a clause: Jane Austen wrote Emma",
    "denial": "the claim with a negation: Jane Austen did not write Emma",
    "never": "the claim with never: Jane Austen had never written Emma",
    "would": "the deed without its agent, as a possibility: would have written Emma",
    "before": "a year long before the subject and every year in the passage",
    "authored": "the bare name of a work whose author is asked for",
    "living": "the subject, if it is a person who is alive according to the passage",
    "office": "the office that the person in the answer holds now",
    "later": "a year far in the future",
    "nationality": "a nationality other than the subject's",
    "lasting": "nothing; a condition: the passage mentions no end of its subject",
    "unreviewed": "nothing; a condition: the passage mentions no praise, review or award",
    "figure": "the only figure in a sentence beside the answer",
    "round_figure": "that figure rounded, with what it counts",
    "other_date": "a date some days from the one beside the answer",
}
"""Gap -> the text that fills it.

A kind of subject in `levers/words.yaml`, or a group of kinds, is also a gap, which a subject of that kind fills. A kind
after `if:` prints nothing and only limits which subjects fit.
"""

# A gap of a wording with its braces. The group is its text: `film|series`.
_GAP = re.compile(r"\{([^{}]*)\}")


@lru_cache(maxsize=4096)
def gaps_in(text: str) -> tuple[str, ...]:
    """The gaps of a wording, without their braces.

    >>> gaps_in("Did {film|series} come out in {later}?")
    ('film|series', 'later')
    """
    return tuple(_GAP.findall(text))


@lru_cache(maxsize=1024)
def kinds_of_gap(name: str) -> frozenset[str]:
    """The kinds of subject that the name of a kind or a group stands for; empty for any other name."""
    kind = name.removeprefix("if:")
    if kind in word_table("kinds"):
        return frozenset((kind,))
    return frozenset(word_table("kind_groups").get(kind, ()))


class RuleEntry(Strict):
    """The `rule` of a lever in its file."""

    do: str
    what: str | None = None
    say: tuple[str, ...] = ()
    words: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    needs: tuple[str, ...] = ()
    why: str = Field(min_length=1)

    @model_validator(mode="after")
    def _fits_operator(self) -> RuleEntry:
        fields = OPERATORS.get(self.do)
        if fields is None:
            raise ValueError(f"unknown operator '{self.do}': choose from {', '.join(OPERATORS)}")
        if fields.what and self.what not in fields.what:
            raise ValueError(f"'{self.do}' needs 'what', one of {', '.join(fields.what)}")
        # A field that the operator ignores would suggest an effect that it does not have.
        if self.what is not None and not fields.what:
            raise ValueError(f"'{self.do}' takes no 'what'")
        for name, texts in {"say": self.say, "words": self.words}.items():
            is_needed = name == fields.texts
            if is_needed != bool(texts):
                raise ValueError(f"'{self.do}' {'needs' if is_needed else 'takes no'} '{name}'")
        for text in (*self.say, self.why):
            _check_gaps(text)
        for pattern, words in self.words.items():
            _check_pattern(pattern, words)
        for need in self.needs:
            Need.read(need)
        return self

    def rule(self) -> Rule:
        """The rule as the offline engine reads it."""
        return Rule(self.do, self.what, self.say, tuple(self.words.items()), self.needs, self.why)


def _check_gaps(text: str) -> None:
    """Raise `ValueError` for a gap that nothing fills."""
    for gap in gaps_in(text):
        for name in gap.split("|"):
            if name not in GAPS and not kinds_of_gap(name):
                raise ValueError(f"unknown gap '{{{name}}}': `docs/levers.md` lists them")
    # A single brace is a typing error that would end up in an item.
    if re.search(r"[{}]", _GAP.sub("", text)):
        raise ValueError(f"a brace without its other half: {text}")


def _check_pattern(pattern: str, words: tuple[str, ...]) -> None:
    """Raise `ValueError` for a pattern that cannot be compiled, or for a replacement that does not fit it."""
    try:
        for word in words:
            # Compiles the pattern, and checks the groups that the replacement refers to.
            re.sub(pattern, word, "")
    except re.error as error:
        raise ValueError(f"'{pattern}' is not a sound pattern: {error}") from None


class _IllustrationEntry(Strict):
    """An example of a lever's effect: the changed texts, and the expected behaviour with the reason for it."""

    query: str = Field(min_length=1)
    context: str = Field(min_length=1)
    expected: str = Field(min_length=1)


class _LeverEntry(Strict):
    """A lever in a file; `perturb.records.Lever` explains its fields."""

    name: str = Field(min_length=1, max_length=80)
    intensity: Intensity
    instruction: str = Field(min_length=20)
    illustration: _IllustrationEntry
    needs: tuple[str, ...] = ()
    rule: RuleEntry | None = None
    answer: str = Field(default="", max_length=80)

    @field_validator("name")
    @classmethod
    def _one_line(cls, value: str) -> str:
        if value != " ".join(value.split()):
            raise ValueError("a lever's name stands on one line without extra spaces")
        return value

    def lever(self, perturbation_class: PerturbationClass) -> Lever:
        """The lever as the catalogue has it, in a cell of this class."""
        return Lever(
            self.name,
            Cell(perturbation_class, self.intensity),
            instruction=self.instruction.strip(),
            illustration=Illustration(**self.illustration.model_dump()),
            needs=self.needs,
            rule=None if self.rule is None else self.rule.rule(),
            answer=self.answer,
        )


class ClassFile(ClassFields):
    """A file of levers, which may define their class."""

    replaces: tuple[Intensity, ...] = ()
    """Intensities whose levers and criteria this file of the user replaces."""
    levers: tuple[_LeverEntry, ...] = Field(min_length=1)


class _ConstructionIllustration(Strict):
    query: str = Field(min_length=1)
    passages: tuple[Annotated[str, Field(min_length=1)], ...] = Field(min_length=2)
    expected: str = Field(min_length=1)


class _ConstructionEntry(Strict):
    """A construction in a file; `perturb.records.Construction` explains its fields."""

    name: str = Field(min_length=1, max_length=80)
    instruction: str = Field(min_length=20)
    illustration: _ConstructionIllustration
    classes: tuple[ClassName, ...] = ()
    intensities: tuple[Intensity, ...] = ()
    needs: tuple[str, ...] = ()

    @field_validator("needs")
    @classmethod
    def _readable(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for need in value:
            Need.read(need)
        return value

    def construction(self) -> Construction:
        """The construction as prompts use it."""
        return Construction(
            self.name,
            self.instruction.strip(),
            **self.illustration.model_dump(),
            classes=self.classes,
            intensities=self.intensities,
            needs=self.needs,
        )


class ConstructionFile(Strict):
    """A file `constructions.yaml`: ways to lay a deep flaw, and levers that deep jobs are not offered."""

    constructions: tuple[_ConstructionEntry, ...] = ()
    open_levers: tuple[str, ...] = ()


@dataclass(frozen=True)
class Catalogue:
    """All classes and levers: the embedded ones and those of the user.

    >>> len(Catalogue.load().levers) >= 176
    True
    """

    classes: Mapping[PerturbationClass, ClassEntry]
    levers: tuple[Lever, ...]
    constructions: tuple[Construction, ...] = ()
    """Ways to lay a deep flaw. They do not enter the digests of classes, levers or open jobs."""
    open_levers: frozenset[str] = frozenset()
    """The levers that are offered only to open and quiet jobs."""

    @classmethod
    def load(cls, folders: Iterable[Path] = ()) -> Catalogue:
        """Read the embedded catalogue, then each of the user's folders.

        Raises `CatalogueError` with file and line for anything malformed and for a name used twice.
        """
        own_folders = tuple(folders)
        embedded = _embedded(data_folder("levers"))
        # Most runs have no folder of the user, and the embedded catalogue is read once.
        if not own_folders:
            return embedded.catalogue
        builder = embedded.copy()
        for folder in own_folders:
            builder.add_classes(folder)
        # Only now are all levers there to which the construction files may refer.
        for folder in own_folders:
            builder.add_constructions(folder)
        return builder.catalogue

    def with_classes(self, own_classes: Iterable[ClassEntry]) -> Catalogue:
        """This catalogue with the user's classes as a run or a snapshot stores them, which is without levers.

        A stored class replaces a class of the same name. Raises `CatalogueError` if a class or a code clashes with
        another.
        """
        new_classes = {entry.name: entry for entry in own_classes}
        if not new_classes:
            return self
        if not new_classes.keys().isdisjoint(PUBLISHED_CLASSES):
            raise CatalogueError(
                "a class of RefusalBench is stored as a class of the user: restore the run or snapshot"
            )
        classes = {name: entry for name, entry in self.classes.items() if name not in new_classes}
        for entry in new_classes.values():
            if fault := clash(entry, classes):
                raise CatalogueError(f"class {entry.name} as stated: {fault.problem}")
            classes[entry.name] = entry
        return replace(self, classes=classes)

    @cached_property
    def own_classes(self) -> tuple[ClassEntry, ...]:
        """The classes of the user, which runs and snapshots store."""
        return tuple(entry for name, entry in self.classes.items() if name not in PUBLISHED_CLASSES)

    @cached_property
    def own_codes(self) -> tuple[OwnCode, ...]:
        """The refusal codes of the user's classes, as prompts explain them."""
        return tuple(entry.own_code(self.classes) for entry in self.own_classes)

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """Every cell: RefusalBench's, then those of other classes."""
        own_cells = (Cell(entry.name, intensity) for entry in self.own_classes for intensity in Intensity)
        return (*ALL_CELLS, *own_cells)

    @cached_property
    def _by_cell(self) -> dict[Cell, tuple[Lever, ...]]:
        return {cell: tuple(lever for lever in self.levers if lever.cell == cell) for cell in self.cells}

    @cached_property
    def _by_name(self) -> dict[str, Lever]:
        return {_key(lever.name): lever for lever in self.levers}

    def levers_of(self, cell: Cell) -> tuple[Lever, ...]:
        """The levers of one cell, in catalogue order."""
        return self._by_cell[cell]

    def find(self, name: str) -> Lever | None:
        """The lever of this name, ignoring case and extra blanks; None if there is no such lever."""
        return self._by_name.get(_key(name))

    def construction(self, name: str) -> Construction | None:
        """The construction of this name, ignoring case and extra blanks; None if there is no such construction."""
        return next((entry for entry in self.constructions if _key(entry.name) == _key(name)), None)

    def expected_behavior(self, cell: Cell) -> str:
        """The ground truth of a cell: `ANSWER_CORRECTLY` at LOW, else the refusal code of its class."""
        if cell.intensity is Intensity.LOW:
            return ANSWER_CORRECTLY
        return self.classes[cell.perturbation_class].refusal_code

    @cached_property
    def codes(self) -> Mapping[str, str]:
        """Every code that a reply may use, canonical or short → its canonical form."""
        canonical = {ANSWER_CORRECTLY: ANSWER_CORRECTLY, REFUSE_OTHER: REFUSE_OTHER}
        for entry in self.classes.values():
            canonical |= dict.fromkeys((entry.refusal_code, *entry.short_forms), entry.refusal_code)
        return canonical

    # Four digests tell what has changed. The ids of jobs depend on `cell_digest`, and those of the offline engine on
    # `rules_digest` too. `needs_digest` is of what decides which levers a job is offered, and `digest` of all texts.

    def cell_digest(self, cell: Cell) -> str:
        """Digest of everything that a prompt quotes about a cell. A changed lever makes new jobs in its cell only."""
        entry = self.classes[cell.perturbation_class]
        levers = []
        for lever in self.levers_of(cell):
            quoted = [lever.name, lever.instruction, *astuple(lever.illustration)]
            # An empty answer is left out, so that levers without one keep the digests of older catalogues.
            levers.append([*quoted, lever.answer] if lever.answer else quoted)
        return digest(
            str(cell),
            sorted(entry.target),
            entry.refusal_code,
            entry.summary,
            entry.criteria[cell.intensity],
            levers,
        )

    @cached_property
    def digest(self) -> str:
        """Digest of the texts that models read about classes and levers, and of the needs of levers."""
        needs = [[lever.name, lever.needs] for lever in self.levers]
        return digest([self.cell_digest(cell) for cell in self.cells], self.codes, needs, *self.own_codes)

    @cached_property
    def rules_digest(self) -> str:
        """Digest of the rules of all levers, which decide the items of the offline engine."""
        return digest(
            [[lever.name, astuple(lever.rule)] for lever in self.levers if lever.rule], self.needs_digest
        )

    def cells_without_rule(self, cells: Iterable[Cell] | None = None) -> tuple[Cell, ...]:
        """The cells that need a model, since the offline engine has no rule for any of their levers."""
        candidates = self.cells if cells is None else cells
        return tuple(cell for cell in candidates if not any(lever.rule for lever in self.levers_of(cell)))

    @cached_property
    def needs_digest(self) -> str:
        """Digest of what decides which levers fit an instance."""
        return digest([[lever.name, lever.needs] for lever in self.levers], FEATURES_VERSION)


def embedded_levers(folder: Path) -> Path | None:
    """The embedded folder that a path such as `levers/side-clause` names; None if there is no such folder."""
    embedded = data_folder("levers") / folder.name
    return embedded if folder.parent.name == "levers" and embedded.is_dir() else None


def _files(folder: Path) -> list[Path]:
    """The lever files of a folder of the user, or of the embedded folder that the path names."""
    if not folder.is_dir():
        folder = embedded_levers(folder) or folder
    if not folder.is_dir():
        raise CatalogueError(f"{folder}: no such lever folder: check `levers` in the configuration")
    # The vocabulary and the constructions are YAML files in the same folder, but with other content.
    files = sorted({*folder.glob("*.yaml"), *folder.glob("*.yml")} - {words_file(), folder / _CONSTRUCTIONS})
    if not files and not (folder / _CONSTRUCTIONS).exists():
        raise CatalogueError(f"{folder}: holds no .yaml file: put lever files there or drop the folder")
    return files


# The file of a lever folder with ways to lay a deep flaw.
_CONSTRUCTIONS = "constructions.yaml"


@dataclass
class _CatalogueBuilder:
    """A catalogue that grows folder by folder."""

    classes: dict[PerturbationClass, ClassEntry] = field(default_factory=dict)
    levers: list[Lever] = field(default_factory=list)
    constructions: list[Construction] = field(default_factory=list)
    open_levers: set[str] = field(default_factory=set)
    defined_at: dict[str, str] = field(default_factory=dict)
    """The name of each lever in the form of `_key` -> file and line where it is defined."""

    def copy(self) -> _CatalogueBuilder:
        return _CatalogueBuilder(
            classes=dict(self.classes),
            levers=list(self.levers),
            constructions=list(self.constructions),
            open_levers=set(self.open_levers),
            defined_at=dict(self.defined_at),
        )

    @cached_property
    def catalogue(self) -> Catalogue:
        """The finished catalogue. Nothing may be added after it was read."""
        return Catalogue(
            self.classes, tuple(self.levers), tuple(self.constructions), frozenset(self.open_levers)
        )

    def add_classes(self, folder: Path) -> None:
        """Add the classes and levers of a folder."""
        files = [YamlFile(path, CatalogueError) for path in _files(folder)]
        contents = {file: file.parse(ClassFile) for file in files}
        # A file with a refusal code defines a class. Those come first, so that other files can add levers to it.
        for file in sorted(files, key=lambda file: contents[file].refusal_code is None):
            content = contents[file]
            entry = class_entry(file, content, self.classes, content.replaces)
            self.classes[entry.name] = entry
            self._add_levers(file, content, entry)

    def _add_levers(self, file: YamlFile, content: ClassFile, entry: ClassEntry) -> None:
        """Add the levers of a file, whose class is `entry`."""
        insert_at = self._remove_levers({Cell(entry.name, intensity) for intensity in content.replaces})
        added: list[Lever] = []
        for index, item in enumerate(content.levers):
            field_path = ("levers", index)
            name_path = (*field_path, "name")
            key = _key(item.name)
            if key in self.defined_at:
                raise file.fault(
                    name_path,
                    f"lever '{item.name}' is already defined at {self.defined_at[key]}: rename one of them",
                )
            self.defined_at[key] = location(file.path, file.line_of(name_path))
            _check_lever(file, field_path, item, entry)
            added.append(item.lever(entry.name))
        self.levers[insert_at:insert_at] = added

    def _remove_levers(self, cells: set[Cell]) -> int:
        """Remove the levers of these cells. Returns the place for other levers, so that the order is kept."""
        removed = [lever for lever in self.levers if lever.cell in cells]
        place = self.levers.index(removed[0]) if removed else len(self.levers)
        self.levers = [lever for lever in self.levers if lever.cell not in cells]
        for lever in removed:
            del self.defined_at[_key(lever.name)]
        return place

    def add_constructions(self, folder: Path) -> None:
        """Add the constructions and open levers of a folder, if it has a file of them."""
        path = folder / _CONSTRUCTIONS
        if not path.exists():
            return
        file = YamlFile(path, CatalogueError)
        content = file.parse(ConstructionFile)
        for number, name in enumerate(content.open_levers):
            if _key(name) not in self.defined_at:
                raise file.fault(("open_levers", number), f"no lever is called '{name}': check its spelling")
        self.open_levers.update(content.open_levers)
        names = {_key(construction.name) for construction in self.constructions}
        for entry in content.constructions:
            if _key(entry.name) in names:
                raise CatalogueError(f"two constructions are called '{entry.name}': rename one of them")
            names.add(_key(entry.name))
            self.constructions.append(entry.construction())


@cache
def _embedded(folder: Path) -> _CatalogueBuilder:
    """The embedded catalogue, as a builder that must not be changed."""
    builder = _CatalogueBuilder()
    builder.add_classes(folder)
    builder.add_constructions(folder)
    missing = [name for name in PUBLISHED_CLASSES if name not in builder.classes]
    if missing:
        raise CatalogueError(f"the embedded catalogue lacks {missing[0]}: reinstall perturb")
    return builder


def _check_lever(
    file: YamlFile, field_path: tuple[str | int, ...], item: _LeverEntry, entry: ClassEntry
) -> None:
    """Raise `CatalogueError` for a lever that contradicts its class or has an unknown need."""
    label = f"lever '{item.name}'"
    code = ANSWER_CORRECTLY if item.intensity is Intensity.LOW else entry.refusal_code
    if not item.illustration.expected.startswith(code):
        raise file.fault(
            (*field_path, "illustration", "expected"), f"field 'expected' of {label} must begin with {code}"
        )
    if item.answer and item.intensity is not Intensity.LOW:
        raise file.fault((*field_path, "answer"), f"{label} has an 'answer': only LOW items are answered")
    for position, need in enumerate(item.needs):
        try:
            Need.read(need)
        except ValueError as error:
            raise file.fault((*field_path, "needs", position), f"need '{need}' of {label}: {error}") from None


def _key(name: str) -> str:
    """A name in the form in which names are compared: case and extra blanks do not matter."""
    return " ".join(name.split()).casefold()
