"""Renders prompts: only here do templates become text for models.

A prompt has two messages. The system message comes from a template whose options come from our code alone, so it is
the same for many requests and providers can cache it. The user message is a JSON object with the texts of data sets and
models. These texts are data: no template contains them, and they cannot break out of their JSON strings.

`Prompts` makes the requests of a build: to generate an item, to verify it, to decide blindly what to do with it, or to
plant a wrong label for the audit of a panel. The flaw of an item may be *open*, or hidden: a *quiet* flaw follows an
additional instruction, and a *deep* flaw shows only when sentences are compared.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
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
from perturb.text.wording import LANGUAGES, is_english, language_with_code

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
"""The fields of a generator's reply about several passages: the changed passages instead of the context."""

PASSAGE_KEYS = ("perturbed_context", "changed_passages")
"""The fields that replies leave out if the class changes only the query."""

DECLINED_KEY = "lever_not_applicable"
"""The field by which a generator declines: the reason why it can carry out none of the levers in the offer."""

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
"""The kinds of prompts: for one passage, for several, or for deep items.

`quiet` is an addition to the first two. `blind` asks a verifier about a deep item before it sees the claim.
"""


def prompt_kind(instance: BaseInstance) -> PromptKind:
    """The kind of the prompts about an instance, unless the item is deep."""
    return "several" if len(instance.passages) > 1 else "single"


# The list of codes, which other templates include.
_CODES = "respond/codes.j2"


@cache
def render_template(name: str, own_codes: tuple[OwnCode, ...] = (), **options: Any) -> str:
    """Render our template `name`, for example `grade/judge`. Options must come from our code, never from a data set.

    `own_codes` are the codes of user-defined classes, for templates that list the codes.
    """
    templates = environment(replacements=_codes_of(data_folder("templates"), own_codes))
    return templates.get_template(f"{name}.j2").render(options, own_codes=own_codes)


def _codes_of(folder: Path, own_codes: Sequence[OwnCode]) -> dict[str, str]:
    """The list of codes with those of the user, which replaces the list of the folder; empty without such codes."""
    if not own_codes:
        return {}
    return {_CODES: with_own_codes((folder / _CODES).read_text(encoding="utf-8"), own_codes)}


@cache
def system_message(name: str, **options: Any) -> str:
    """Like `render_template`, but without the last line break of the file and without codes of the user.

    Both functions stay, since the ledger keys a request by the digest of its bytes: one line break more or less would
    make every call a new one.
    """
    return environment(keep_last_newline=False).get_template(f"{name}.j2").render(options)


@cache
def template_version(name: str) -> str:
    """Digest of the source of our template `name`."""
    return digest((data_folder("templates") / f"{name}.j2").read_text(encoding="utf-8"))


# An entry of the list of codes: the code (group 1) and its meaning up to the next entry (group 2).
_CODE_ENTRY = re.compile(r"^- (\w+): (.*?)(?=^- |\Z)", re.MULTILINE | re.DOTALL)


@cache
def code_meanings(own_codes: tuple[OwnCode, ...] = ()) -> dict[str, str]:
    """Refusal code -> its meaning in the words of the list of codes."""
    code_list = render_template("respond/codes", own_codes, examples=False)
    return {code: " ".join(text.split()) for code, text in _CODE_ENTRY.findall(code_list)}


@cache
def folder_version(name: str, own_codes: tuple[OwnCode, ...] = ()) -> str:
    """Digest of all our templates in the folder `name`, and of the codes that they are rendered with."""
    files = sorted((data_folder("templates") / name).glob("*.j2"))
    return digest([(file.name, file.read_text(encoding="utf-8")) for file in files], *own_codes)


def data_request(
    system: str, data: Mapping[str, Any], schema: Mapping[str, Any] | None = None
) -> ChatRequest:
    """A request of two messages: the system message, and `data` as JSON."""
    user = json.dumps(data, ensure_ascii=False, indent=1)
    return ChatRequest((Message("system", system), Message("user", user)), schema)


def object_schema(fields: Mapping[str, Any]) -> Schema:
    """JSON schema of an object with exactly these fields."""
    return Schema(type="object", properties=dict(fields), required=list(fields), additionalProperties=False)


class Prompts:
    """The prompts about a catalogue. The templates may come from a folder of the user."""

    def __init__(self, catalogue: Catalogue, folder: Path | None = None) -> None:
        self.catalogue = catalogue
        self.folder = folder or data_folder("templates")
        replaced_codes = _codes_of(self.folder, catalogue.own_codes)
        self._environment = environment(self.folder, replacements=replaced_codes)
        # Levers with an answer ask a new question. Templates in `asked/` replace those that assume the original one.
        self._asked = environment([self.folder / "asked", self.folder], replacements=replaced_codes)
        # A system message depends on the cell and the levers alone, so a few texts serve all jobs of a build. The cache
        # belongs to these prompts, and goes with them.
        self._system = lru_cache(maxsize=4096)(self._render_system)

    def version(self, name: str, kind: PromptKind = "single") -> str:
        """Digest of a template and of all templates that it includes. A change makes new jobs or votes of its kind.

        If a lever asks a new question, the digest also covers the templates in `asked/` that replace some of them.
        """
        asks_own_questions = any(lever.answer for lever in self.catalogue.levers)
        sources: dict[str, str] = {}
        waiting = [f"{name}/{kind}.j2"]
        # Templates include others, so the digest must follow all of them.
        while waiting:
            file = waiting.pop()
            if file in sources:
                continue
            sources[file] = (self.folder / file).read_text(encoding="utf-8")
            waiting += included_in(sources[file])
            replacement = self.folder / "asked" / file
            if asks_own_questions and replacement.exists():
                sources[f"asked/{file}"] = replacement.read_text(encoding="utf-8")
        return digest(sorted(sources.items()), *self.catalogue.own_codes)

    def generation(
        self,
        cell: Cell,
        instance: BaseInstance,
        levers: Sequence[Lever] = (),
        depth: Depth = "open",
        constructions: Sequence[str] = (),
    ) -> ChatRequest:
        """Ask a generator to perturb `instance` by one of `levers`, or by any lever of the cell if none are given.

        A deep flaw must use one of `constructions`, or any that suits the cell if none are given.
        """
        kind = "deep" if depth == "deep" else prompt_kind(instance)
        offered = tuple(lever.name for lever in levers or self.catalogue.levers_of(cell))
        usable: tuple[str, ...] = ()
        if depth == "deep":
            suiting = [entry.name for entry in self.catalogue.constructions if entry.suits(cell)]
            usable = tuple(constructions or suiting)
        system = self._system("generate", kind, cell, offered, constructions=usable)
        system += self._additions("generate", instance, depth)
        data = _task(cell, instance, numbered=depth == "deep")
        query_only = self.catalogue.classes[cell.perturbation_class].query_only
        return data_request(system, data, generation_schema(cell, kind, query_only=query_only))

    def quieter(self, request: ChatRequest, earlier: Mapping[str, Any]) -> ChatRequest:
        """The request for a quieter attempt: it adds an `earlier` item with the replies of solvers that mastered it."""
        system, user = request.messages
        # The earlier item goes into the JSON with the other texts, since it is data too.
        data = {**json.loads(user.content), "earlier": earlier}
        return data_request(system.content + render_template("harden/quieter"), data, request.schema)

    def verification(self, instance: BaseInstance, candidate: Candidate) -> ChatRequest:
        """Ask a verifier about `candidate`.

        The generator's claims are left out, since they could sway the verifier. The proof and the reasoning of a deep
        item are shown, because the verifier has already decided without them (`blind_decision`).
        """
        cell, is_deep = candidate.cell, candidate.depth == "deep"
        kind = "deep" if is_deep else prompt_kind(instance)
        context: dict[str, Any]
        if is_deep:
            context = numbered_passages(candidate.passages)
        elif kind == "several":
            # Unchanged passages are in the original already; to repeat them would cost tokens.
            context = {"changed_passages": _changed(instance, candidate)}
        else:
            context = {"context": candidate.context}
        data = {
            "perturbation_class": str(cell.perturbation_class),
            "intensity": str(cell.intensity),
            "original": _original(instance, numbered=is_deep),
            "candidate": {"lever": candidate.lever, "query": candidate.query, **context},
        }
        if is_deep:
            data |= {"proof": list(candidate.proof), "claim": candidate.reasoning}
        levers = tuple(lever.name for lever in self.catalogue.levers_of(cell))
        lever = self.catalogue.find(candidate.lever)
        # A generator may name a lever that the catalogue does not have.
        chosen = lever.name if lever else ""
        # A verifier gets only the construction that the generator chose, while the generator chose among several.
        construction = (candidate.construction,) if is_deep and candidate.construction else ()
        system = self._system("verify", kind, cell, levers, chosen=chosen, constructions=construction)
        system += self._additions("verify", instance, candidate.depth)
        return data_request(system, data, verification_schema())

    def planted_fault(
        self, cell: Cell, instance: BaseInstance, levers: Sequence[Lever], way: str
    ) -> ChatRequest:
        """Ask a generator for an item whose label is wrong in one subtle way. `way` names a file in `plant/ways/`."""
        names = tuple(lever.name for lever in levers)
        system = self._system("plant", prompt_kind(instance), cell, names, way=way)
        data = _task(cell, instance)
        return data_request(system + language_rules("generate", instance), data)

    def blind_decision(self, instance: BaseInstance, candidate: Candidate) -> ChatRequest:
        """Ask a verifier, before it sees the claim of a deep item, what a system should do with it."""
        data = {"query": candidate.query, **numbered_passages(candidate.passages, roles=False)}
        system = self._system("verify", "blind", candidate.cell, ())
        return data_request(system + language_rules("verify", instance), data, blind_schema())

    def _additions(self, name: str, instance: BaseInstance, depth: Depth) -> str:
        """The parts of a prompt about a quiet flaw and about the language of the texts."""
        quiet = self._environment.get_template(f"{name}/quiet.j2").render() if depth == "quiet" else ""
        return quiet + language_rules(name, instance)

    def _render_system(
        self,
        folder: str,
        kind: PromptKind,
        cell: Cell,
        lever_names: tuple[str, ...],
        *,
        chosen: str = "",
        way: str = "",
        constructions: tuple[str, ...] = (),
    ) -> str:
        """The system message of a prompt about a cell.

        `folder` is that of the template. The prompt explains the levers `lever_names`, and `chosen` is the lever of the
        candidate. `way` and `constructions` are for planted and deep items.
        """
        entry = self.catalogue.classes[cell.perturbation_class]
        levers = list(filter(None, map(self.catalogue.find, lever_names)))
        chosen_lever = self.catalogue.find(chosen)
        other_levers = {
            lever.name: _first_sentence(lever.instruction) for lever in levers if lever is not chosen_lever
        }
        explained = list(filter(None, map(self.catalogue.construction, constructions)))
        templates = self._asked if any(lever.answer for lever in levers) else self._environment
        return templates.get_template(f"{folder}/{kind}.j2").render(
            entry=entry,
            cell=cell,
            criterion=entry.criteria[cell.intensity],
            target_words=" and ".join(f"the {part}" for part in sorted(entry.target, reverse=True)),
            expected=self.catalogue.expected_behavior(cell),
            levers=levers,
            lever=chosen_lever,
            constructions=explained,
            others=other_levers,
            check_names=CHECK_NAMES,
            codes=self._codes(),
            own_codes=self.catalogue.own_codes,
            removes_answer=removes_answer(cell),
            max_changed_low=MAX_CHANGED_LOW,
            way=way,
        )

    def _codes(self) -> list[str]:
        """Every code that a reply may give, in the order of the taxonomy."""
        names = sorted(self.catalogue.classes, key=taxonomy_place)
        return [
            ANSWER_CORRECTLY,
            *(self.catalogue.classes[name].refusal_code for name in names),
            REFUSE_OTHER,
        ]


def language_rules(name: str, instance: BaseInstance) -> str:
    """The part of a prompt about the language of its texts; empty for English.

    Its template is not among those that a version covers, so that jobs and votes on English texts kept their ids when
    other languages came.
    """
    code = instance.language
    if is_english(code):
        return ""
    return system_message(f"language/{name}", language=LANGUAGES.get(code) or language_with_code(code))


def _first_sentence(text: str) -> str:
    """The first sentence of an instruction, which says what the lever does."""
    return re.split(r"(?<=[.!?]) (?=[A-Z])", text, maxsplit=1)[0]


def _task(cell: Cell, instance: BaseInstance, *, numbered: bool = False) -> dict[str, Any]:
    """What a generator is told about an instance and the cell for which it is to be perturbed."""
    return {
        "perturbation_class": str(cell.perturbation_class),
        "intensity": str(cell.intensity),
        **_original(instance, numbered=numbered),
    }


def _original(instance: BaseInstance, *, numbered: bool = False) -> dict[str, Any]:
    """An instance in the form that prompts use: its context is one text, or numbered passages with their roles."""
    context: dict[str, Any] = {"context": instance.context}
    if numbered or prompt_kind(instance) == "several":
        context = numbered_passages(instance.passages)
    return {"query": instance.query, **context, "answers": list(instance.answers)}


def numbered_passages(passages: Sequence[Passage], *, roles: bool = True) -> dict[str, Any]:
    """The entry `passages` of the data of a prompt: number from 1, role, title and text of each passage."""
    # Who judges or decides blind must not see the roles, since they tell which passages matter.
    numbered = [_numbered(number, passage) for number, passage in enumerate(passages, start=1)]
    if not roles:
        for passage in numbered:
            del passage["role"]
    return {"passages": numbered}


def _changed(instance: BaseInstance, candidate: Candidate) -> list[dict[str, Any]]:
    """The passages of the candidate that differ from the original or were added, with their numbers."""
    changed = []
    for number, passage in enumerate(candidate.passages, start=1):
        # Deep items may have more passages than their instance.
        is_added = number > len(instance.passages)
        if is_added or passage != instance.passages[number - 1]:
            changed.append(_numbered(number, passage))
    return changed


def _numbered(number: int, passage: Passage) -> dict[str, Any]:
    return {"number": number, "role": passage.role, "title": passage.title, "text": passage.text}


@cache
def generation_schema(
    cell: Cell, kind: PromptKind = "single", *, query_only: bool = False
) -> Mapping[str, Any]:
    """JSON schema of a generator's reply. With `query_only`, it has no passages."""
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


@cache
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


@cache
def blind_schema() -> Schema:
    """JSON schema of a verifier's decision before it sees the claim."""
    return object_schema({name: {"type": "string"} for name in ("why", "decision", "answer", "certainty")})
