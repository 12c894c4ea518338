"""Reads YAML strictly: it refuses repeated keys, and knows the line of each value for messages."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from perturb.errors import ConfigError, PerturbError, location, suggestion
from perturb.files.resources import read_text

Model = TypeVar("Model", bound=BaseModel)

# Values with all aliases written out. A few lines of nested aliases can stand for billions.
_MOST_NODES = 1_000_000
# How deeply mappings and lists may be nested.
_MOST_LEVELS = 100

# The loader in C, if PyYAML was built with it. Both loaders create plain values only.
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Strict(BaseModel):
    """A model of a file. Unknown keys are errors, and values cannot be changed later."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, allow_inf_nan=False)


class YamlFile:
    """The content of a YAML file with the line of each value.

    Raises `error`, a class of `PerturbError`, if the file is missing, unreadable or malformed, or repeats a key.
    """

    def __init__(self, path: Path, error: type[PerturbError] = ConfigError, text: str | None = None) -> None:
        """`text` is the YAML if it is only a part of the file."""
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
        """Raise an error if the YAML is nested too deeply."""
        # PyYAML's composer recurses in C for each level, and would crash the process when the stack is full.
        depth = 0
        for event in yaml.parse(text, Loader=_Loader):
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
            if depth > _MOST_LEVELS:
                raise self.error(
                    f"{self.path}: not valid YAML: nested more than {_MOST_LEVELS} deep: write it flatter"
                )

    def _size(self, node: yaml.Node, sizes: dict[int, int]) -> int:
        """The number of values of a node if all of its aliases were written out. Repeated keys raise an error.

        `sizes` keeps the result for each node, and 0 while a node is being counted, so that a cycle is noticed.
        """
        if id(node) in sizes:
            if sizes[id(node)] == 0:
                where = location(self.path, node.start_mark.line + 1)
                raise self.error(f"{where}: not valid YAML: it holds itself as an alias: cut the circle")
            return sizes[id(node)]
        sizes[id(node)] = 0
        children: list[yaml.Node] = []
        if isinstance(node, yaml.MappingNode):
            self._refuse_repeated_keys(node)
            children = [child for pair in node.value for child in pair]
        elif isinstance(node, yaml.SequenceNode):
            children = node.value
        sizes[id(node)] = 1 + sum(self._size(child, sizes) for child in children)
        return sizes[id(node)]

    def _refuse_repeated_keys(self, node: yaml.MappingNode) -> None:
        # PyYAML would take the last value without a word.
        lines: dict[str, int] = {}
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                continue  # no file of ours may have such a key, so the model refuses it later
            line = key.start_mark.line + 1
            name = str(key.value)
            if name in lines:
                raise self.error(
                    f"{location(self.path, line)}: key '{name}' appears twice (first in line {lines[name]}): keep one"
                )
            lines[name] = line

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

    def fault(self, loc: Sequence[str | int], problem: str) -> PerturbError:
        """An error that names the file, the line of the value at `loc`, and the problem."""
        return self.error(f"{location(self.path, self.line_of(loc))}: {problem}")

    def parse(self, model: type[Model]) -> Model:
        """Read the content into `model`. Raises an error with file, line and field of a fault."""
        if not isinstance(self.content, dict):
            raise self.error(f"{self.path}: the file must hold a mapping (key: value lines): rewrite it so")
        try:
            return model.model_validate(self.content)
        except ValidationError as exc:
            fault = _intended_fault(exc)
            loc = self._without_tags(fault["loc"])
            if fault["type"] == "missing":  # a missing field does not exist in the file
                loc.append(fault["loc"][-1])
            raise self.fault(loc, _describe(fault, loc, model)) from None

    def _without_tags(self, loc: Sequence[str | int]) -> list[str | int]:
        """The steps of a loc that exist in the file, without the names of types that pydantic adds."""
        node = self._node
        steps: list[str | int] = []
        for step in loc:
            child = _child(node, step)
            if child is not None:
                node, _ = child
                steps.append(step)
        return steps


def parse_content(content: Mapping[str, Any], model: type[Model]) -> Model:
    """Read a mapping that Python code passes instead of a file. Raises `ConfigError` that names the field.

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
        fault = _intended_fault(exc)
        # pydantic adds names such as `function-after[...]` to a loc. They are not identifiers, as keys are.
        steps = [step for step in fault["loc"] if isinstance(step, int) or step.isidentifier()]
        raise ConfigError(_describe(fault, steps, model)) from None


def _intended_fault(exc: ValidationError) -> ErrorDetails:
    """The fault that the message names.

    For a union, pydantic lists the faults of all alternatives. The alternative with the deepest fault is probably the
    intended one. A field is often missing because its name is misspelt, so the unknown key is named first.
    """
    faults = exc.errors(include_url=False)
    return max(faults, key=lambda fault: (len(fault["loc"]), fault["type"] == "extra_forbidden"))


def _describe(fault: ErrorDetails, loc: Sequence[str | int], model: type[BaseModel]) -> str:
    keys = known_keys(model, loc[:-1]) if fault["type"] == "extra_forbidden" else {}
    return describe_fault(loc, fault["type"], fault["msg"], keys)


def _child(node: yaml.Node | None, step: str | int) -> tuple[yaml.Node, int] | None:
    """The value under a key or at an index, and the line on which it begins; None if it does not exist."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == str(step):
                return value, key.start_mark.line + 1
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        item = node.value[step]
        return item, item.start_mark.line + 1
    return None


def known_keys(model: type[BaseModel], loc: Sequence[str | int]) -> dict[str, set[str]]:
    """The keys that a mapping at `loc` may have, each with the keys of its own mapping, from the JSON schema."""
    schema = model.model_json_schema()
    nodes = list(_alternatives(schema, schema))
    for step in loc:
        children = [
            node.get("items") if isinstance(step, int) else node.get("properties", {}).get(step)
            for node in nodes
        ]
        nodes = [alternative for child in children if child for alternative in _alternatives(child, schema)]
    keys: dict[str, set[str]] = {}
    for node in nodes:
        for name, value in node.get("properties", {}).items():
            keys[name] = set()
            for alternative in _alternatives(value, schema):
                keys[name].update(alternative.get("properties", ()))
    return keys


def _alternatives(node: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield a node of a JSON schema, with its reference resolved, and all of its alternatives."""
    if "$ref" in node:
        _, _, name = node["$ref"].rpartition("/")
        node = schema["$defs"][name]
    yield node
    for alternative in node.get("anyOf", ()):
        yield from _alternatives(alternative, schema)


def describe_fault(
    loc: Sequence[str | int],
    kind: str,
    message: str,
    allowed: Mapping[str, Collection[str]] | None = None,
) -> str:
    """A fault of a strict model in words, with the path of its field.

    `allowed` are the keys that the field's mapping may have, each with the keys of its own mapping.

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
        key, allowed = str(loc[-1]), allowed or {}
        parents = (f"put it under '{name}'" for name, inner_keys in allowed.items() if key in inner_keys)
        advice = next(parents, "") or suggestion(key, allowed) or "remove it or correct its spelling"
        return f"unknown key '{field}': {advice}"
    if kind == "missing":
        return f"field '{field}' is missing: add it"
    text = message.removeprefix("Value error, ")
    return f"field '{field}': {text[:1].lower() + text[1:]}" if field else text
