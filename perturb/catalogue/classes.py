"""Perturbation classes as data, both published and user-defined, and which verifiers judge which class.

A class has a refusal code, which is the right reply to its items at MEDIUM and HIGH, and short forms of it, which
replies may use instead. Its criteria say what each intensity means.
"""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, NamedTuple

from pydantic import ConfigDict, Field, TypeAdapter

from perturb.errors import suggestion
from perturb.files.yaml_files import Strict, YamlFile
from perturb.records import (
    ANSWER_CORRECTLY,
    PUBLISHED_CLASSES,
    REFUSE_OTHER,
    Intensity,
    PerturbationClass,
    Target,
    taxonomy_place,
)

ClassName = Annotated[PerturbationClass, Field(examples=[str(name) for name in PUBLISHED_CLASSES])]
"""The name of a class in a file. The catalogue checks whether there is such a class."""
Code = Annotated[str, Field(pattern=r"^REFUSE(_[A-Z]+)+$", max_length=60)]
"""A refusal code: `REFUSE_AMBIGUOUS`."""
Statement = Annotated[str, Field(max_length=1000)]
"""A text that prompts quote. The limit keeps prompts short."""
Sentence = Annotated[Statement, Field(min_length=1)]

# The line width of the template that lists the codes.
_WIDTH = 120


class OwnCode(NamedTuple):
    """The refusal code of a class of the user, as prompts explain it."""

    entry: str
    """The code with its meaning, as an entry of the list of codes."""
    example: str
    before: str
    """The code before which it stands in the list."""


class ClassFields(Strict):
    """The fields of a class in a file. For an existing class, the file has only its name."""

    perturbation_class: ClassName = Field(alias="class")
    target: Annotated[tuple[Target, ...], Field(min_length=1)] | None = None
    refusal_code: Code | None = None
    short_forms: tuple[Code, ...] = ()
    refuse_when: Sentence | None = None
    example: Sentence | None = None
    before: ClassName | None = None
    summary: Sentence | None = None
    criteria: dict[Intensity, Sentence] | None = None


@dataclass(frozen=True, slots=True)
class ClassEntry:
    """One perturbation class in the catalogue."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    name: ClassName
    target: frozenset[Target]
    """The parts that a perturbation of this class may change."""
    refusal_code: Code
    """The ground truth of its MEDIUM and HIGH items."""
    short_forms: tuple[Code, ...]
    """Other spellings of the code that replies may use."""
    summary: Statement
    criteria: Mapping[Intensity, Statement]
    """One sentence for each intensity, quoted in the prompts."""
    refuse_when: Statement = ""
    """The meaning of a user-defined code, for models under test and judges.

    `templates/respond/codes.j2` explains the published codes.
    """
    example: Statement = ""
    before: ClassName | None = None
    """The class before whose code this one stands in the list. If several codes fit, the first in the list is right."""

    @property
    def query_only(self) -> bool:
        """Whether the passages stay unchanged, so that replies need not repeat them."""
        return "context" not in self.target

    def own_code(self, classes: Mapping[PerturbationClass, ClassEntry]) -> OwnCode:
        """The code of a class of the user, as prompts explain it."""
        # Without `before`, the new code comes last, before the code for other reasons.
        before = REFUSE_OTHER if self.before is None else classes[self.before].refusal_code
        entry = f"- {self.refusal_code}: {self.refuse_when}"
        example = f"  Example: {self.example}" if self.example else ""
        return OwnCode(_wrapped(entry), _wrapped(example), before)

    def to_payload(self) -> dict[str, Any]:
        """The values that runs and snapshots store for a class of the user."""
        payload: dict[str, Any] = _ENTRY.dump_python(self, mode="json")
        # A set has no order, and stored values must not differ from run to run.
        return {**payload, "target": sorted(payload["target"])}


def _wrapped(text: str) -> str:
    """A text in lines like those of the template, so that prompts look alike for all codes."""
    return textwrap.fill(text, _WIDTH, subsequent_indent="  ")


@dataclass(frozen=True, slots=True)
class Judges:
    """The members of a panel, and the classes that each of them judges."""

    fingerprints: Mapping[str, str]
    """Verifier name → fingerprint of its model, settings and prompt, in voting order."""
    classes: Mapping[str, tuple[PerturbationClass, ...]] = field(default_factory=dict)
    """Verifier name → the classes that it judges. A verifier that is not listed judges all."""
    every_class: tuple[PerturbationClass, ...] = PUBLISHED_CLASSES
    """All classes: RefusalBench's, then those of the user."""

    def of(self, perturbation_class: PerturbationClass) -> dict[str, str]:
        """The members that judge a class, with their fingerprints."""
        return {
            name: fingerprint
            for name, fingerprint in self.fingerprints.items()
            if perturbation_class in self.classes.get(name, (perturbation_class,))
        }

    @property
    def keys(self) -> list[str]:
        """Class, verifier and fingerprint of each verifier that judges a class, separated by blanks.

        SQL finds the votes of a panel by them, with one comparison for each vote.
        """
        return [
            f"{name} {verifier} {fingerprint}"
            for name in self.every_class
            for verifier, fingerprint in self.of(name).items()
        ]


# Reads and writes the stored form of a class.
_ENTRY = TypeAdapter(ClassEntry)


def read_classes(payloads: Iterable[Mapping[str, Any]]) -> tuple[ClassEntry, ...]:
    """The classes that `to_payload` has written. Raises `ValueError` for anything else."""
    return tuple(map(_ENTRY.validate_python, payloads))


def with_own_codes(source: str, own_codes: Sequence[OwnCode]) -> str:
    """The template that lists the codes, with places for user-defined codes. Rendering puts their texts in.

    >>> print(with_own_codes("- REFUSE_OTHER: no.", [OwnCode("- REFUSE_OLD: too old.", "", "REFUSE_OTHER")]))
    {{ own_codes[0].entry }}
    - REFUSE_OTHER: no.
    """
    for number, code in enumerate(own_codes):
        # Only the places go into the template. The texts themselves are values, so they cannot contain template code.
        places = "{{ own_codes[NUMBER].entry }}\n"
        if code.example:
            places += "{% if examples %}\n{{ own_codes[NUMBER].example }}\n{% endif %}\n"
        marker = f"- {code.before}:"
        source = source.replace(marker, places.replace("NUMBER", str(number)) + marker, 1)
    return source


def class_entry(
    file: YamlFile,
    content: ClassFields,
    classes: Mapping[PerturbationClass, ClassEntry],
    replaced: Collection[Intensity],
) -> ClassEntry:
    """The class of a file: a new class, or an existing class with new criteria for the intensities `replaced`.

    Raises `CatalogueError` with file and line.
    """
    name, values = content.perturbation_class, content.model_dump(exclude_none=True)
    fields = [
        key for key in ("target", "refusal_code", "refuse_when", "summary", "criteria") if key in values
    ]
    criteria = {intensity: text.strip() for intensity, text in (content.criteria or {}).items()}
    existing = classes.get(name)
    if existing is not None:
        # A file that replaces the levers of an intensity must replace its criterion too, and no other.
        if replaced and criteria.keys() == set(replaced):
            existing = replace(existing, criteria={**existing.criteria, **criteria})
            fields.remove("criteria")
        # All other fields of an existing class are fixed.
        if fields:
            raise file.fault((fields[0],), f"'{fields[0]}' of {name} is fixed: the file may hold levers only")
        return existing
    return _new_class(file, content, classes, fields, criteria)


def _new_class(
    file: YamlFile,
    content: ClassFields,
    classes: Mapping[PerturbationClass, ClassEntry],
    fields: Collection[str],
    criteria: Mapping[Intensity, str],
) -> ClassEntry:
    """The class that a file defines; `fields` are the fields of a class that the file has."""
    name = content.perturbation_class
    if not fields:
        advice = unknown_class(name, classes)
        raise file.fault(
            ("class",),
            f"there is no class {name}: {advice}, or give 'refusal_code' and the other fields of a new class",
        )
    needed = ["refusal_code", "target", "summary", "criteria"]
    # The embedded files define the published classes, whose codes a template explains.
    if name not in PUBLISHED_CLASSES:
        needed.append("refuse_when")
    if lacking := [key for key in needed if key not in fields]:
        raise file.fault(("class",), f"class {name} has no '{lacking[0]}': a new class needs it")
    entry = ClassEntry(
        name,
        target=frozenset(content.target or ()),
        refusal_code=content.refusal_code or "",
        short_forms=content.short_forms,
        summary=(content.summary or "").strip(),
        criteria={level: criteria[level] for level in Intensity if level in criteria},
        refuse_when=(content.refuse_when or "").strip(),
        example=(content.example or "").strip(),
        before=content.before,
    )
    if fault := clash(entry, classes):
        raise file.fault((fault.field,), fault.problem)
    return entry


def unknown_class(name: str, names: Iterable[str]) -> str:
    """Advice on the unknown name of a class: the name that is most like it, or all names."""
    in_order = sorted(names, key=taxonomy_place)
    return suggestion(name, in_order) or f"name one of {', '.join(in_order)}"


class Clash(NamedTuple):
    """A contradiction between two classes, or an incomplete class."""

    field: str
    problem: str


def clash(entry: ClassEntry, classes: Mapping[PerturbationClass, ClassEntry]) -> Clash | None:
    """The first field of a class that is incomplete or contradicts one of `classes`; None if all is well."""
    if absent := [intensity for intensity in Intensity if intensity not in entry.criteria]:
        return Clash(
            "criteria", f"field 'criteria.{absent[0]}' is missing: each intensity needs its sentence"
        )
    if entry.before is not None and entry.before not in PUBLISHED_CLASSES:
        return Clash("before", f"'before' is {entry.before}: name one of {', '.join(PUBLISHED_CLASSES)}")
    # A code that two classes share would make verdicts ambiguous.
    owners = dict.fromkeys((ANSWER_CORRECTLY, REFUSE_OTHER), "every class")
    for existing in classes.values():
        owners |= dict.fromkeys((existing.refusal_code, *existing.short_forms), str(existing.name))
    for key, codes in (("refusal_code", (entry.refusal_code,)), ("short_forms", entry.short_forms)):
        for code in codes:
            if code in owners:
                return Clash(
                    key, f"the code {code} is that of {owners[code]}: give {entry.name} one of its own"
                )
    return None
