"""Finds the one JSON object that a reply was asked to be, in whatever a model wrapped around it.

Thinking blocks, code fences, prose before and trailing text after are passed over. What stands inside a string
or inside another object is never looked at: a passage may quote a verdict, and a quoted verdict is no verdict.
Where that cannot be told for sure, the reply counts as unreadable and is asked for once more.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from perturb.digests import canonical


class ReplyError(ValueError):
    """A reply that cannot be read; always ends as a stored value, and its message is shown to the model."""


_TAGS = "think|thinking|thought|reasoning|analysis|scratchpad"
_OPENING = re.compile(rf"<({_TAGS})>", re.IGNORECASE)
_CLOSING = re.compile(rf"</({_TAGS})>", re.IGNORECASE)
_OBJECT_START = re.compile(r'\{\s*+["}]')
_MARK = re.compile(rf"\{{|<(?:{_TAGS})>", re.IGNORECASE)
_STRING = r'"(?:[^"\\]++|\\.?)*+(?:"|\Z)'
_STRING_OR_BRACE = re.compile(rf"{_STRING}|[{{}}]", re.DOTALL)
_STRING_OR_SPARE_COMMA = re.compile(rf"{_STRING}|,(?=\s*+[}}\]])", re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")


def read_object(text: str, required: frozenset[str] = frozenset()) -> dict[str, Any]:
    """The JSON object of a reply that has all `required` keys.

    Raw line breaks in strings and trailing commas are forgiven. Takes time linear in the length of the text.

    Raises `ReplyError` if there is no such object, if there are several different ones, or if a broken one
    mentions a required key.

    >>> read_object('Sure!\\n```json\\n{"verdict": "PASS",}\\n```', frozenset({"verdict"}))
    {'verdict': 'PASS'}
    """
    found: dict[str, dict[str, Any]] = {}
    incomplete: list[str] = []
    for piece in _pieces(_after_thinking(text)):
        value = piece.value
        if value is None:
            if (not found and not required) or any(f'"{key}"' in piece.text for key in required):
                raise ReplyError(piece.problem)
            incomplete.append(piece.problem)
        elif required <= value.keys():
            found[canonical(value)] = value
        else:
            missing = ", ".join(f"'{key}'" for key in sorted(required - value.keys()))
            incomplete.append(f"a JSON object without {missing}")
    if len(found) > 1:
        raise ReplyError(f"{len(found)} different JSON objects: answer with exactly one")
    if not found:
        raise ReplyError(incomplete[0] if incomplete else _describe(text))
    return next(iter(found.values()))


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of the reply that begins like an object; `value` is None if it is broken."""

    text: str
    value: dict[str, Any] | None = None
    problem: str = ""


def _after_thinking(text: str) -> str:
    """Drop what stands before a closing tag whose opening one the server has swallowed."""
    closing = _CLOSING.search(text)
    if closing is None or text.lstrip().startswith(("{", "```")):
        return text
    opening = _OPENING.search(text, 0, closing.start())
    return text if opening else text[closing.end() :]


def _pieces(text: str) -> Iterator[_Piece]:
    """The outermost objects of a text, in order, readable or not."""
    groups: dict[int, int] | None = None
    position = 0
    while mark := _MARK.search(text, position):
        start = mark.start()
        if text[start] == "<":
            closing = _CLOSING.search(text, mark.end())
            if closing is None:
                return
            position = closing.end()
        elif _OBJECT_START.match(text, start):
            end = _object_end(text, start)
            if end is None:
                yield _Piece(text[start:], problem="a JSON object that is cut off before its end")
                return
            yield _parse(text[start:end])
            position = end
        else:
            # Not an object: a set in prose, say. What stands inside its braces is not outermost.
            groups = _brace_groups(text) if groups is None else groups
            position = groups.get(start, start) + 1


def _brace_groups(text: str) -> dict[int, int]:
    """Position of each closing brace by that of its opening one, quotes ignored."""
    groups: dict[int, int] = {}
    stack: list[int] = []
    for brace in re.finditer(r"[{}]", text):
        if brace.group() == "{":
            stack.append(brace.start())
        elif stack:
            groups[stack.pop()] = brace.start()
    return groups


def _object_end(text: str, start: int) -> int | None:
    """The position after the brace that closes the one at `start`; braces in strings do not count."""
    depth = 0
    for token in _STRING_OR_BRACE.finditer(text, start):
        if token.group() == "{":
            depth += 1
        elif token.group() == "}":
            depth -= 1
            if depth == 0:
                return token.end()
    return None


def _parse(text: str) -> _Piece:
    try:
        value = _decode(text)
    except RecursionError:
        return _Piece(text, problem="a JSON object nested too deeply")
    except ValueError as error:
        return _Piece(text, problem=f"a broken JSON object ({error})")
    return _Piece(text, value=value)


def _decode(text: str) -> dict[str, Any]:
    """Decode one object; a second time without trailing commas if need be."""
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError:
        repaired = _STRING_OR_SPARE_COMMA.sub(lambda m: "" if m.group() == "," else m.group(), text)
        if repaired == text:
            raise
        value = _DECODER.decode(repaired)
    return dict(_clean(value))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse an object that says two things under one key."""
    value = dict(pairs)
    if len(value) < len(pairs):
        for key, said in pairs:
            if said != value[key]:
                raise ValueError(f"the key '{key}' is given twice")
    return value


def _finite(number: str) -> float:
    value = float(number)
    if not math.isfinite(value):
        raise ValueError(f"the number {number[:20]} is out of range")
    return value


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(
    strict=False, object_pairs_hook=_unique, parse_float=_finite, parse_constant=_no_constant
)


def _clean(value: Any) -> Any:
    """Replace lone surrogates, which no file or database takes."""
    if isinstance(value, str):
        return whole_characters(value)
    if isinstance(value, list):
        return [_clean(item) for item in value]
    if isinstance(value, dict):
        return {whole_characters(key): _clean(item) for key, item in value.items()}
    return value


def whole_characters(text: str) -> str:
    """Join surrogate pairs and replace lone surrogates, so that the text can be encoded.

    >>> whole_characters("caf\\ud800")
    'caf�'
    """
    if not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _describe(text: str) -> str:
    """Say what an unreadable reply is instead of an object."""
    if not text.strip():
        return "an empty reply"
    if _OPENING.search(text) and not _CLOSING.search(text):
        return "a thinking block that never ends"
    return "text without a JSON object"
