"""Reads YAML strictly: duplicate keys are refused, and every value knows its line."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

import yaml
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, ValidationError, WithJsonSchema
from pydantic_core import ErrorDetails

from perturb.errors import ConfigError, PerturbError, location
from perturb.files.resources import read_text
from perturb.text.wording import LANGUAGES, VARIETY, read_language, suggestion

Model = TypeVar("Model", bound=BaseModel)

Language = Annotated[
    str,
    BeforeValidator(lambda value: "no" if value is False else value),  # what YAML makes of Norwegian
    AfterValidator(read_language),
    WithJsonSchema({"anyOf": [{"enum": list(LANGUAGES)}, {"type": "string", "pattern": f"^{VARIETY}$"}]}),
]
"""The code of a language."""

_MOST_NODES = 1_000_000
_MOST_LEVELS = 100

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Strict(BaseModel):
    """A model at a file boundary: unknown keys are errors, values cannot be changed afterwards."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, allow_inf_nan=False)


class YamlFile:
    """The content of one YAML file with the line of each value.

    Raises `error` (a `PerturbError` class) when the file is missing, unreadable, malformed, or repeats a key.
    """

    def __init__(self, path: Path, error: type[PerturbError] = ConfigError, text: str | None = None) -> None:
        """`text` is the YAML where it is not the whole file."""
        self.path = path
        self.error = error
        text = read_text(path, error) if text is None else text
        try:
            self._refuse_depth(text)
            self._node: yaml.Node | None = yaml.compose(text, Loader=_Loader)
            if self._node is not None and self._size(self._node, {}) > _MOST_NODES:
                raise error(
                    f"{path}: its aliases stand for more than {_MOST_NODES:,} values: write out fewer"
                )
            self.content: Any = yaml.load(text, Loader=_Loader)  # noqa: S506 - a safe loader
        except yaml.MarkedYAMLError as exc:
            line = exc.problem_mark.line + 1 if exc.problem_mark else None
            raise error(f"{location(path, line)}: not valid YAML: {exc.problem}: fix this line") from None
        except (yaml.YAMLError, ValueError, RecursionError) as exc:
            reason = " ".join(str(exc).split())
            raise error(f"{path}: not valid YAML: {reason}: fix the file") from None

    def _refuse_depth(self, text: str) -> None:
        """The composer calls itself for each level, in C, where nothing stops it before the stack is full."""
        depth = 0
        for event in yaml.parse(text, Loader=_Loader):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > _MOST_LEVELS:
                raise self.error(
                    f"{self.path}: not valid YAML: nested more than {_MOST_LEVELS} deep: write it flatter"
                )

    def _size(self, node: yaml.Node, known: dict[int, int]) -> int:
        """How many values a node stands for with its aliases written out, each counted once; refuses repeated keys."""
        if id(node) in known:
            if known[id(node)] == 0:
                place = location(self.path, node.start_mark.line + 1)
                raise self.error(f"{place}: not valid YAML: it holds itself as an alias: cut the circle")
            return known[id(node)]
        known[id(node)] = 0
        children: list[yaml.Node] = []
        if isinstance(node, yaml.MappingNode):
            self._refuse_repeated_keys(node)
            children = [child for pair in node.value for child in pair]
        elif isinstance(node, yaml.SequenceNode):
            children = node.value
        known[id(node)] = 1 + sum(self._size(child, known) for child in children)
        return known[id(node)]

    def _refuse_repeated_keys(self, node: yaml.MappingNode) -> None:
        seen: dict[str, int] = {}
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                continue  # no key that a file of ours may have
            line = key.start_mark.line + 1
            name = str(key.value)
            if name in seen:
                raise self.error(
                    f"{location(self.path, line)}: key '{name}' appears twice (first in line {seen[name]}): keep one"
                )
            seen[name] = line

    def line_of(self, loc: Sequence[str | int]) -> int:
        """The line of the value at `loc` (keys and indices), or of the nearest parent that exists."""
        node = self._node
        line = 1
        for step in loc:
            child = _child(node, step)
            if child is None:
                break
            node, line = child
        return line

    def fault(self, loc: Sequence[str | int], what: str) -> PerturbError:
        """An error that names the file, the line of the value at `loc`, and what is wrong with it."""
        return self.error(f"{location(self.path, self.line_of(loc))}: {what}")

    def parse(self, model: type[Model]) -> Model:
        """Read the content into `model`; the first fault becomes one error with file, line and field."""
        if not isinstance(self.content, dict):
            raise self.error(f"{self.path}: the file must hold a mapping (key: value lines): rewrite it so")
        try:
            return model.model_validate(self.content)
        except ValidationError as exc:
            fault = _meant(exc)
            loc = self._without_tags(fault["loc"], fault["type"])
            known = known_keys(model, loc[:-1]) if fault["type"] == "extra_forbidden" else {}
            raise self.fault(loc, describe_fault(loc, fault["type"], fault["msg"], known)) from None

    def _without_tags(self, loc: Sequence[str | int], kind: str) -> list[str | int]:
        """The steps of a loc that stand in the file; pydantic adds names of types to it."""
        node = self._node
        steps: list[str | int] = []
        for position, step in enumerate(loc):
            child = _child(node, step)
            if child is not None:
                node = child[0]
            if child is not None or (kind == "missing" and position == len(loc) - 1):
                steps.append(step)
        return steps


def parse_content(content: Mapping[str, Any], model: type[Model]) -> Model:
    """What Python code gives in place of a file. Raises `ConfigError` that names the field.

    >>> class Entry(Strict):
    ...     name: str
    >>> parse_content({"nam": "a"}, Entry)
    Traceback (most recent call last):
        ...
    perturb.errors.ConfigError: unknown key 'nam': did you mean 'name'?
    """
    try:
        return model.model_validate(content)
    except ValidationError as exc:
        fault = _meant(exc)
        # pydantic adds names of types to a loc, in brackets where they are functions
        steps = [step for step in fault["loc"] if isinstance(step, int) or step.isidentifier()]
        known = known_keys(model, steps[:-1]) if fault["type"] == "extra_forbidden" else {}
        raise ConfigError(describe_fault(steps, fault["type"], fault["msg"], known)) from None


def _meant(exc: ValidationError) -> ErrorDetails:
    """The fault to name: of the alternatives of a union, the one that was read deepest is the one that was meant; and a
    field is often missing because it is misspelt.
    """
    faults = exc.errors(include_url=False)
    return max(faults, key=lambda fault: (len(fault["loc"]), fault["type"] == "extra_forbidden"))


def _child(node: yaml.Node | None, step: str | int) -> tuple[yaml.Node, int] | None:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == str(step):
                return value, key.start_mark.line + 1
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        item = node.value[step]
        return item, item.start_mark.line + 1
    return None


def known_keys(model: type[BaseModel], loc: Sequence[str | int]) -> dict[str, set[str]]:
    """The keys that a mapping at `loc` may have, each with the keys of its own mapping, by the model's JSON schema."""
    schema = model.model_json_schema()
    nodes = list(_alternatives(schema, schema))
    for step in loc:
        inner = [
            node.get("items") if isinstance(step, int) else node.get("properties", {}).get(step)
            for node in nodes
        ]
        nodes = [alternative for node in inner if node for alternative in _alternatives(node, schema)]
    return {
        name: {
            key for alternative in _alternatives(inside, schema) for key in alternative.get("properties", ())
        }
        for node in nodes
        for name, inside in node.get("properties", {}).items()
    }


def _alternatives(node: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """A node of a JSON schema with its reference followed, or the nodes that it may be."""
    if "$ref" in node:
        node = schema["$defs"][node["$ref"].rpartition("/")[2]]
    yield node
    for one in node.get("anyOf", ()):
        yield from _alternatives(one, schema)


def describe_fault(
    loc: Sequence[str | int], kind: str, message: str, known: Mapping[str, Collection[str]] | None = None
) -> str:
    """One fault of a strict model in words, with the path of its field.

    `known` are the keys that its mapping may have, each with the keys of its own mapping.

    >>> describe_fault(("generators", 0, "modle"), "extra_forbidden", "", {"name": (), "model": ()})
    "unknown key 'generators[0].modle': did you mean 'model'?"
    >>> describe_fault(("verifiers",), "extra_forbidden", "", {"name": (), "panel": ("verifiers",)})
    "unknown key 'verifiers': put it under 'panel'"
    """
    field = ""
    for step in loc:
        if isinstance(step, int):
            field += f"[{step}]"
        else:
            field += f".{step}" if field else step
    if kind == "extra_forbidden":
        word, known = str(loc[-1]), known or {}
        places = (f"put it under '{name}'" for name, inside in known.items() if word in inside)
        advice = next(places, "") or suggestion(word, known) or "remove it or correct its spelling"
        return f"unknown key '{field}': {advice}"
    if kind == "missing":
        return f"field '{field}' is missing: add it"
    text = message.removeprefix("Value error, ")
    return f"field '{field}': {text[:1].lower() + text[1:]}" if field else text
