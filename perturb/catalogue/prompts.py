"""Renders prompts. This is the one place where templates become text for models.

A prompt has two messages. The system message comes from a template that gets only options of ours. So it is the same
for many requests, and providers can cache it. The user message is one JSON object with the texts. They are data: they
are never rendered as a template and cannot break out of their strings. There are templates for single and for several
passages.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from json.encoder import encode_basestring
from pathlib import Path
from typing import Any, Literal

from perturb.catalogue.classes import OwnCode, with_own_codes
from perturb.catalogue.levers import Catalogue
from perturb.files.resources import data_folder, digest
from perturb.files.templating import environment, included_in
from perturb.llm.client import ChatRequest, Message, Schema
from perturb.records import (
    ANSWER_CORRECTLY,
    CHECK_NAMES,
    REFUSE_OTHER,
    BaseInstance,
    Candidate,
    Cell,
    Depth,
    Lever,
    Passage,
    taxonomy_place,
)
from perturb.text.passages import MAX_CHANGED_LOW, removes_answer
from perturb.text.wording import LANGUAGES, is_english, named

GENERATION_KEYS: tuple[str, ...] = (
    "perturbed_query",
    "perturbed_context",
    "lever_selected",
    "implementation_reasoning",
    "intensity_achieved",
    "answer_constraint_satisfied",
    "expected_rag_behavior",
)
"""The fields of a generator's reply about a single passage (spec, section 3)."""

SEVERAL_KEYS: tuple[str, ...] = tuple(
    "changed_passages" if key == "perturbed_context" else key for key in GENERATION_KEYS
)
"""The fields of a generator's reply about several passages: those it changed, in place of the context."""

PASSAGE_KEYS = ("perturbed_context", "changed_passages")
"""The fields that replies leave out where the class changes nothing but the query."""

DECLINED_KEY = "lever_not_applicable"
"""The field by which a generator declines: why none of the levers it was offered can be carried out."""

DEEP_KEYS: tuple[str, ...] = (
    "trap",
    "implementation_reasoning",
    "perturbed_query",
    "passages",
    "construction_selected",
    "proof",
    "lever_selected",
    "intensity_achieved",
    "answer_constraint_satisfied",
    "expected_rag_behavior",
)
"""The fields of a generator's reply with a deep item."""

PromptKind = Literal["single", "several", "quiet", "deep", "blind"]
"""The kinds of prompts: by the passages of the base instance, or of deep items. `quiet` is added to the first two."""


def prompt_kind(instance: BaseInstance) -> PromptKind:
    """Which prompts an instance is perturbed and judged with, unless the item is deep."""
    return "several" if len(instance.passages) > 1 else "single"


_CODES = "respond/codes.j2"
"""The list of codes, which other templates include."""


@cache
def render_template(name: str, own_codes: tuple[OwnCode, ...] = (), **options: Any) -> str:
    """Our template `name` (`grade/judge`, say) rendered with options of ours, never with a text of a data set.

    `own_codes` are those of user-defined classes, for templates that list the codes.
    """
    instead = _codes_of(data_folder("templates"), own_codes)
    return environment(instead=instead).get_template(f"{name}.j2").render(options, own_codes=own_codes)


def _codes_of(folder: Path, own_codes: Sequence[OwnCode]) -> dict[str, str]:
    """The list of codes that stands in place of a folder's, if the user has own codes."""
    if not own_codes:
        return {}
    return {_CODES: with_own_codes((folder / _CODES).read_text(encoding="utf-8"), own_codes)}


@cache
def system_message(name: str, **options: Any) -> str:
    """As `render_template`, without the line end of the file: ledgers know requests by the digest of every byte."""
    return environment(last_newline=False).get_template(f"{name}.j2").render(options)


@cache
def template_version(name: str) -> str:
    """Digest of the source of our template `name`."""
    return digest((data_folder("templates") / f"{name}.j2").read_text(encoding="utf-8"))


_CODE_ENTRY = re.compile(r"^- (\w+): (.*?)(?=^- |\Z)", re.MULTILINE | re.DOTALL)


@cache
def code_meanings(own_codes: tuple[OwnCode, ...] = ()) -> dict[str, str]:
    """Refusal code -> why it is given, as the list of codes words it."""
    listed = render_template("respond/codes", own_codes, examples=False)
    return {code: " ".join(text.split()) for code, text in _CODE_ENTRY.findall(listed)}


@cache
def folder_version(name: str, own_codes: tuple[OwnCode, ...] = ()) -> str:
    """Digest of all our templates in the folder `name`, and of what they are rendered with."""
    files = sorted((data_folder("templates") / name).glob("*.j2"))
    return digest([(file.name, file.read_text(encoding="utf-8")) for file in files], *own_codes)


def data_request(
    system: str, data: Mapping[str, Any], schema: Mapping[str, Any] | None = None
) -> ChatRequest:
    """A request of two messages: the system message, and `data` as JSON."""
    return ChatRequest((Message("system", system), Message("user", _indented(data))), schema)


def _indented(value: Any, line: str = "\n") -> str:
    """`json.dumps(value, ensure_ascii=False, indent=1)` in a third of its time: that encoder is not written in C."""
    deeper = f"{line} "
    if isinstance(value, str):
        return encode_basestring(value)
    if isinstance(value, Mapping) and value:
        entries = [f"{encode_basestring(key)}: {_indented(entry, deeper)}" for key, entry in value.items()]
        return f"{{{deeper}{f',{deeper}'.join(entries)}{line}}}"
    if isinstance(value, list) and value:
        return f"[{deeper}{f',{deeper}'.join(_indented(entry, deeper) for entry in value)}{line}]"
    return json.dumps(value, ensure_ascii=False)


def object_schema(fields: Mapping[str, Any]) -> Schema:
    """JSON schema of an object with just these fields."""
    return Schema(type="object", properties=dict(fields), required=list(fields), additionalProperties=False)


class Prompts:
    """The prompts over one catalogue; templates may come from a folder of the user's own."""

    def __init__(self, catalogue: Catalogue, folder: Path | None = None) -> None:
        self.catalogue = catalogue
        self.folder = folder or data_folder("templates")
        instead = _codes_of(self.folder, catalogue.own_codes)
        self._environment = environment(self.folder, instead=instead)  # which keeps what it has compiled
        self._asked = environment([self.folder / "asked", self.folder], instead=instead)
        self._system = lru_cache(maxsize=4096)(self._render_system)

    def version(self, name: str, kind: PromptKind = "single") -> str:
        """Digest of a template and what it includes: a changed one makes new jobs or new votes of its kind.

        What `asked/` has in place of some of them counts where a lever asks a question of its own.
        """
        asked = any(lever.answer for lever in self.catalogue.levers)
        sources: dict[str, str] = {}
        waiting = [f"{name}/{kind}.j2"]
        while waiting:
            if (file := waiting.pop()) not in sources:
                sources[file] = (self.folder / file).read_text(encoding="utf-8")
                waiting += included_in(sources[file])
                if asked and (own := self.folder / "asked" / file).exists():
                    sources[f"asked/{file}"] = own.read_text(encoding="utf-8")
        return digest(sorted(sources.items()), *self.catalogue.own_codes)

    def generation(
        self,
        cell: Cell,
        instance: BaseInstance,
        levers: Sequence[Lever] = (),
        depth: Depth = "open",
        constructions: Sequence[str] = (),
    ) -> ChatRequest:
        """Ask a generator to perturb `instance` by one of `levers`; of all levers of the cell if none is given.

        A deep flaw is to be laid by one of `constructions`; by any that suits the cell if none is given.
        """
        data = {
            "perturbation_class": str(cell.perturbation_class),
            "intensity": str(cell.intensity),
            "query": instance.query,
            **_context(instance, numbered=depth == "deep"),
            "answers": list(instance.answers),
        }
        kind = "deep" if depth == "deep" else prompt_kind(instance)
        offered = tuple(lever.name for lever in tuple(levers) or self.catalogue.levers_of(cell))
        if depth == "deep":
            suiting = (
                construction.name for construction in self.catalogue.constructions if construction.suits(cell)
            )
            ways = tuple(constructions) or tuple(suiting)
            system = self._system("generate", kind, cell, offered, constructions=ways)
        else:
            system = self._system("generate", kind, cell, offered)
        system += self._additions("generate", instance, depth)
        query_only = self.catalogue.classes[cell.perturbation_class].query_only
        return data_request(system, data, generation_schema(cell, kind, query_only=query_only))

    def quieter(self, request: ChatRequest, earlier: Mapping[str, Any]) -> ChatRequest:
        """The request for a quieter attempt: with an `earlier` item, and what solvers who mastered it replied."""
        system, user = request.messages
        data = {**json.loads(user.content), "earlier": earlier}
        return data_request(system.content + render_template("harden/quieter"), data, request.schema)

    def verification(self, instance: BaseInstance, candidate: Candidate) -> ChatRequest:
        """Ask a verifier about `candidate`.

        The generator's own claims are left out, so that they sway nobody. Of a deep item its proof and reasoning are
        shown: the verifier has decided blind before (`blind_decision`).
        """
        cell, deep = candidate.cell, candidate.depth == "deep"
        kind = "deep" if deep else prompt_kind(instance)
        context: dict[str, Any] = (
            {"changed_passages": _changed(instance, candidate)} if kind == "several" else {}
        )
        if kind == "single":
            context = {"context": candidate.context}
        if deep:
            context = _numbered_passages(candidate.passages)
        data = {
            "perturbation_class": str(cell.perturbation_class),
            "intensity": str(cell.intensity),
            "original": {
                "query": instance.query,
                **_context(instance, numbered=deep),
                "answers": list(instance.answers),
            },
            "candidate": {"lever": candidate.lever, "query": candidate.query, **context},
        }
        if deep:
            data |= {"proof": list(candidate.proof), "claim": candidate.reasoning}
        levers = tuple(lever.name for lever in self.catalogue.levers_of(cell))
        lever = self.catalogue.find(candidate.lever)
        chosen = lever.name if lever else ""
        if deep:
            ways = (candidate.construction,) if candidate.construction else ()
            system = self._system("verify", kind, cell, levers, chosen, constructions=ways)
        else:
            system = self._system("verify", kind, cell, levers, chosen)
        system += self._additions("verify", instance, candidate.depth)
        return data_request(system, data, verification_schema())

    def planted_fault(
        self, cell: Cell, instance: BaseInstance, levers: Sequence[Lever], way: str
    ) -> ChatRequest:
        """Ask a generator for an item whose label is wrong in one quiet `way`: the name of a file in `plant/ways/`."""
        data = {
            "perturbation_class": str(cell.perturbation_class),
            "intensity": str(cell.intensity),
            "query": instance.query,
            **_context(instance),
            "answers": list(instance.answers),
        }
        names = tuple(lever.name for lever in levers)
        system = self._system("plant", prompt_kind(instance), cell, names, "", way)
        return data_request(system + language_rules("generate", instance), data)

    def blind_decision(self, instance: BaseInstance, candidate: Candidate) -> ChatRequest:
        """Ask a verifier, before it sees the claim of a deep item, what a system should do with it."""
        data = {"query": candidate.query, **_numbered_passages(candidate.passages, roles=False)}
        system = self._system("verify", "blind", candidate.cell, ())
        return data_request(system + language_rules("verify", instance), data, blind_schema())

    def _additions(self, name: str, instance: BaseInstance, depth: Depth) -> str:
        """What a prompt says of a quiet flaw, and of the language of its texts."""
        quiet = self._environment.get_template(f"{name}/quiet.j2").render() if depth == "quiet" else ""
        return quiet + language_rules(name, instance)

    def _render_system(
        self,
        name: str,
        kind: PromptKind,
        cell: Cell,
        names: tuple[str, ...],
        chosen: str = "",
        way: str = "",
        constructions: tuple[str, ...] = (),
    ) -> str:
        entry = self.catalogue.classes[cell.perturbation_class]
        levers = [lever for one in names if (lever := self.catalogue.find(one))]
        lever = self.catalogue.find(chosen)
        templates = self._asked if any(one.answer for one in levers) else self._environment
        return templates.get_template(f"{name}/{kind}.j2").render(
            entry=entry,
            cell=cell,
            criterion=entry.criteria[cell.intensity],
            target_words=" and ".join(f"the {part}" for part in sorted(entry.target, reverse=True)),
            expected=self.catalogue.expected_behavior(cell),
            levers=levers,
            lever=lever,
            constructions=[
                laid for construction in constructions if (laid := self.catalogue.construction(construction))
            ],
            others={one.name: _first_sentence(one.instruction) for one in levers if one is not lever},
            check_names=CHECK_NAMES,
            codes=self._codes(),
            own_codes=self.catalogue.own_codes,
            removes_answer=removes_answer(cell),
            max_changed_low=MAX_CHANGED_LOW,
            way=way,
        )

    def _codes(self) -> list[str]:
        """Every code a reply may give, in the order of the taxonomy."""
        names = sorted(self.catalogue.classes, key=taxonomy_place)
        return [
            ANSWER_CORRECTLY,
            *(self.catalogue.classes[name].refusal_code for name in names),
            REFUSE_OTHER,
        ]


def language_rules(name: str, instance: BaseInstance) -> str:
    """What a prompt says of the language of its texts; nothing of English, in which the rest of it is written.

    It stands apart from the other templates, so that their digests, and with them jobs and votes, know nothing of it.
    """
    code = instance.language
    return (
        ""
        if is_english(code)
        else system_message(f"language/{name}", language=LANGUAGES.get(code) or named(code))
    )


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=[.!?]) (?=[A-Z])", text, maxsplit=1)[0]


def _context(instance: BaseInstance, *, numbered: bool = False) -> dict[str, Any]:
    """The context as a prompt gives it: one text, or numbered passages with their roles."""
    if prompt_kind(instance) == "single" and not numbered:
        return {"context": instance.context}
    return _numbered_passages(instance.passages)


def _numbered_passages(passages: Sequence[Passage], *, roles: bool = True) -> dict[str, Any]:
    listed = [_numbered(number, passage) for number, passage in enumerate(passages, start=1)]
    if not roles:
        for passage in listed:
            del passage["role"]
    return {"passages": listed}


def _changed(instance: BaseInstance, candidate: Candidate) -> list[dict[str, Any]]:
    """The passages of the candidate that differ from the original, by number; added ones are among them."""
    added = len(candidate.passages) - len(instance.passages)
    pairs = zip((*instance.passages, *[None] * added), candidate.passages, strict=True)
    return [_numbered(number, new) for number, (old, new) in enumerate(pairs, start=1) if new != old]


def _numbered(number: int, passage: Passage) -> dict[str, Any]:
    return {"number": number, "role": passage.role, "title": passage.title, "text": passage.text}


@cache
def generation_schema(
    cell: Cell, kind: PromptKind = "single", *, query_only: bool = False
) -> Mapping[str, Any]:
    """JSON schema of a generator's reply; with `query_only` it holds no passage."""
    keys = {"single": GENERATION_KEYS, "deep": DEEP_KEYS}.get(kind, SEVERAL_KEYS)
    fields: dict[str, Any] = {
        name: {"type": "string"} for name in keys if not (query_only and name in PASSAGE_KEYS)
    }
    fields["intensity_achieved"] = {"type": "string", "enum": [str(cell.intensity)]}
    fields[DECLINED_KEY] = {"type": "string", "description": "empty, unless no lever can be carried out"}
    if "changed_passages" in fields:
        passage = object_schema({"number": {"type": "integer"}, "text": {"type": "string"}})
        fields["changed_passages"] = {"type": "array", "items": passage}
    if "passages" in fields:
        texts = {name: {"type": "string"} for name in ("title", "text", "without_flaw")}
        fields["passages"] = {"type": "array", "items": object_schema({"from": {"type": "integer"}, **texts})}
        fields["proof"] = {"type": "array", "items": {"type": "string"}}
    return object_schema(fields)


@lru_cache(maxsize=1)
def verification_schema() -> Schema:
    """JSON schema of a verifier's reply."""
    return object_schema(
        {
            "verdict": {"type": "string", "enum": ["PASS", "FAIL"]},
            "checks": object_schema({name: {"type": "boolean"} for name in CHECK_NAMES}),
            "predicted_rag_behavior": {"type": "string"},
            "issues": {"type": "array", "items": {"type": "string"}},
        }
    )


@lru_cache(maxsize=1)
def blind_schema() -> Schema:
    """JSON schema of a verifier's decision before it sees the claim."""
    return object_schema({name: {"type": "string"} for name in ("why", "decision", "answer", "certainty")})
