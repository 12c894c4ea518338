"""Writes docs/reference.md: `python docs/make_reference.py`.

It is made of the docstrings of what `import perturb` offers, the fields of snapshots, manifests and results, and the
vocabulary of levers and rules.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import perturb
from perturb.api import figures, functions
from perturb.catalogue.features import vocabulary, word_table
from perturb.catalogue.levers import GAPS, OPERATORS
from perturb.evaluation.results import Result
from perturb.snapshots.manifest import Manifest
from perturb.snapshots.rows import OPTIONAL_COLUMNS, SEVERAL_COLUMNS, SINGLE_COLUMNS, ColumnKind

PAGE = Path(__file__).with_name("reference.md")
_HEAD = """# API reference

Made from the docstrings by `python docs/make_reference.py`; [Python and notebooks](python.md) explains
how it goes together. `PathOrName` stands for `str | PathLike[str]`, `ModelLike` for `str | Mapping[str, Any] |
Callable[..., Any]`: a litellm name, an entry as a configuration writes it, or a function of your own.
"""
_WIDTH = 100
_TYPES = {
    ColumnKind.TEXT: "string",
    ColumnKind.TEXTS: "list of strings",
    ColumnKind.INDICES: "list of int32",
    ColumnKind.VOTES: "list of structs",
    ColumnKind.NUMBER: "float64",
}
_SECTION = re.compile(r"^(Args|Returns|Raises|Attributes):$", re.MULTILINE)
_NAMED = re.compile(r"^    (\S.*?): ", re.MULTILINE)


def render() -> str:
    """The whole page."""
    classes = [name for name in perturb.__all__ if inspect.isclass(getattr(perturb, name))]
    parts = [_HEAD]
    modules = (functions, figures)
    defined = (
        name
        for module in modules
        for name, value in vars(module).items()
        if getattr(value, "__module__", "") == module.__name__
    )
    for name in defined:
        if name not in perturb.__all__:
            continue
        parts += [f"## perturb.{name}", *_entry(f"perturb.{name}", getattr(perturb, name))]
        if name == "build":
            parts.append(
                "The further settings are "
                + ", ".join(f"`{key}`" for key in functions.MoreSettings.__annotations__)
                + "."
            )
    for name in classes:
        shown = getattr(perturb, name)
        parts += [f"## perturb.{name}", _text(shown)]
        for member, value in _members(shown):
            parts += [f"### {name}.{member}", *_entry(f"{name}.{member}", value)]
    parts += [
        "## Fields of a snapshot",
        _fields(),
        "## Keys of a manifest",
        _keys(),
        "## Columns of results",
        _results(),
    ]
    parts += ["## Needs of a lever", _needs(), "## Rules of the offline engine", *_rules()]
    return "\n\n".join(part.strip("\n") for part in parts if part) + "\n"


def _fields() -> str:
    """The columns of a snapshot as a table."""
    single = {one.name for one in SINGLE_COLUMNS}
    optional = {one.name for one in OPTIONAL_COLUMNS}
    lines = ["| field | type | rows | content |", "|---|---|---|---|"]
    for column in (*SEVERAL_COLUMNS, *OPTIONAL_COLUMNS):
        rows = "where it says something" if column.name in optional else "all"
        rows = rows if column.name in single | optional else "several passages"
        lines.append(f"| `{column.name}` | {_TYPES[column.kind]} | {rows} | {column.note} |")
    return "\n".join(lines)


def _keys() -> str:
    """The keys of `manifest.json` as a table."""
    return _table(
        "key | content", ((name, field.description) for name, field in Manifest.model_fields.items())
    )


def _results() -> str:
    """The columns of `results.jsonl`, by the docstrings below the fields of `Result`."""
    tree = ast.parse(inspect.getsource(Result))
    body = next(node.body for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    described = (
        (field.target.id, text.value.value)
        for field, text in pairwise(body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
    )
    return _table("column | content", described)


def _needs() -> str:
    """The features that a lever may need."""
    needs = (
        (f"{group}:{name}", text) for group, named in vocabulary().items() for name, text in named.items()
    )
    return _table("need | what question, answer or passage must offer", needs)


def _rules() -> Iterator[str]:
    """The operators of rules, their slots, and the kinds of subjects."""
    operators = (
        (name, ", ".join(f"`{one}`" for one in fields.what), fields.summary)
        for name, fields in OPERATORS.items()
    )
    yield _table("`do` | `what` | effect", operators)
    yield _table("slot | filled with", GAPS.items())
    kinds, groups = word_table("kinds"), word_table("kind_groups")
    yield (
        "A kind, or a group of kinds, is a slot too: it is filled with the subject if it is one. After `if:` it is a"
        " condition, filled with nothing. The kinds are "
        + ", ".join(f"`{name}`" for name in kinds)
        + "; the groups are:"
    )
    yield _table("group | kinds", ((name, ", ".join(members)) for name, members in groups.items()))


def _table(head: str, rows: Iterable[tuple[Any, ...]]) -> str:
    """A Markdown table whose first column is code."""
    lines = [f"| {head} |", "|" + "---|" * (head.count("|") + 1)]
    return "\n".join([*lines, *(f"| `{name}` | {' | '.join(map(str, rest))} |" for name, *rest in rows)])


def _members(shown: type) -> Iterator[tuple[str, Any]]:
    """The public methods and properties of a class, and of our own classes that it is made from."""
    if issubclass(shown, Exception):
        return
    for name in dict.fromkeys(name for one in shown.__mro__[-2::-1] for name in vars(one)):
        value = inspect.getattr_static(shown, name)
        if not name.startswith("_") and (
            isinstance(value, property | classmethod) or inspect.isfunction(value)
        ):
            yield name, value


def _entry(name: str, value: Any) -> Iterator[str]:
    if isinstance(value, property):
        returned = inspect.signature(value.fget).return_annotation if value.fget else ""
        yield f"Property: `{returned}`"
    else:
        function = value.__func__ if isinstance(value, classmethod) else value
        yield f"```python\n{_signature(name, function)}\n```"
    yield _text(value)


def _signature(name: str, function: Any) -> str:
    """A signature as one reads it, a parameter on each line where it is long."""
    known = inspect.signature(function)
    given: list[str] = []
    for one in known.parameters.values():
        if one.kind is one.KEYWORD_ONLY and "*" not in given:
            given.append("*")
        if one.name not in ("self", "cls"):
            given.append(_parameter(one))
    start = "await " if inspect.iscoroutinefunction(function) else ""
    end = f" -> {known.return_annotation}"
    line = f"{start}{name}({', '.join(given)}){end}"
    if len(line) <= _WIDTH:
        return line
    return f"{start}{name}(\n" + "".join(f"    {one},\n" for one in given) + f"){end}"


def _parameter(one: inspect.Parameter) -> str:
    stars = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
    default = (
        ""
        if one.default is one.empty
        else f" = {repr(one.default) if len(repr(one.default)) < _WIDTH else '…'}"
    )
    return f"{stars}{one.name}: {one.annotation}{default}"


def _text(value: Any) -> str:
    """A docstring in Markdown: its sections as lists, its examples as code."""
    text = inspect.getdoc(value) or ""
    examples = re.search(r"^>>> ", text, re.MULTILINE)
    code = ""
    if examples is not None:
        text, code = text[: examples.start()], f"\n\n```pycon\n{text[examples.start() :]}\n```"
    parts = _SECTION.split(text)
    shown = parts[0].strip()
    for head, body in zip(parts[1::2], parts[2::2], strict=True):
        lines = _NAMED.sub(r"- `\1`: ", body.strip("\n")) if head != "Returns" else body
        lines = re.sub(r"\s*\n\s+", " ", lines).strip()
        shown += f"\n\n{head}:\n\n{lines}" if head != "Returns" else f"\n\nReturns: {lines}"
    return shown + code


if __name__ == "__main__":
    PAGE.write_text(render(), encoding="utf-8")
