"""Finds the one JSON object that a prompt asked for in whatever a model wrapped around it.

Thinking at the beginning, code fences, prose before and text after the object are passed over. The inside of a string
or of another object is never searched: a passage may quote a verdict, and a quoted verdict does not count. If that
cannot be told for sure, the reply counts as unreadable and is asked for once more. Readers of verdicts and grades
demand more of a reply: see `FoundObject`.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from perturb.files.resources import canonical


class ReplyError(ValueError):
    """A reply that cannot be read; always ends as a stored value, and its message is shown to the model."""


_TAGS = "think|thinking|thought|reasoning|analysis|scratchpad"
_OPENING = re.compile(
    rf"[\s\ufeff]*(?:<(?P<tag>{_TAGS})>|(?P<think>\[THINK\])|(?P<kimi>◁think▷)|(?P<harmony><\|channel\|>analysis<\|message\|>))",
    re.IGNORECASE,
)
_CLOSING = {
    **{tag: re.compile(f"</{tag}>", re.IGNORECASE) for tag in _TAGS.split("|")},
    "[think]": re.compile(r"\[/THINK\]", re.IGNORECASE),
    "◁think▷": re.compile("◁/think▷", re.IGNORECASE),
    "<|channel|>analysis<|message|>": re.compile(r"<\|channel\|>final<\|message\|>", re.IGNORECASE),
}
_TAG = re.compile(rf"<(?P<end>/?)(?:{_TAGS})>|\[(?P<end2>/?)THINK\]|◁(?P<end3>/?)think▷", re.IGNORECASE)
END_OF_THINKING = rf"(?:</(?:{_TAGS})>|\[/THINK\]|◁/think▷|<\|channel\|>final<\|message\|>)"
START_OF_THINKING = rf"(?:<(?:{_TAGS})>|\[THINK\]|◁think▷|<\|channel\|>analysis<\|message\|>)"
"""Patterns of the marks around thinking, for harnesses too; a template may put the first mark into the prompt."""
_THINKING_MARK = re.compile(rf"(?P<end>{END_OF_THINKING})|{START_OF_THINKING}", re.IGNORECASE)
_OBJECT_START = re.compile(r'\{\s*+["}]')
_STRING = r'"(?:[^"\\]++|\\.?)*+(?:"|\Z)'
_STRING_OR_BRACE = re.compile(rf"{_STRING}|[{{}}]", re.DOTALL)
_STRING_OR_SPARE_COMMA = re.compile(rf"{_STRING}|,(?=\s*+[}}\]])", re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class FoundObject:
    """The object of a reply, and what makes it doubtful whether it is the reply's own word.

    A reply may quote an object, from a passage that tries to pass for a verdict, say. An object that is to count as a
    verdict or a grade is therefore held against the rest of the reply and against the texts of the question.
    """

    value: dict[str, Any]
    text: str
    """The text of the object in the reply."""
    around: str
    """The rest of the reply: neither the thinking at its beginning nor the object."""

    @property
    def is_alone(self) -> bool:
        """Whether there is nothing around the object but a code fence."""
        return not re.sub(r"```\w*|\s", "", self.around)

    def must_be_all(self, denial: re.Pattern[str]) -> None:
        """Raise `ReplyError` if anything but thinking and a code fence stands around the object.

        The mark that opens the thinking may be in the prompt; what then stands before the closing one must not say what
        `denial` finds, for the mark may be quoted.
        """
        marks = list(_THINKING_MARK.finditer(self.around))
        stray = marks[0].end() if marks and marks[0]["end"] else 0
        thinking, after = self.around[:stray], self.around[stray:]
        if re.sub(r"```\w*|\s", "", after) or denial.search(_plain(thinking)):
            raise ReplyError("text beside the JSON object: answer with the object alone")

    def must_not_stand_in(self, material: str) -> None:
        """Raise `ReplyError` if the object stands in `material`, the texts that the question was about."""
        if material and _squeezed(self.text) in _squeezed(material):
            raise ReplyError("a JSON object that stands in the texts you were given: write one of your own")

    def must_not_be_denied(self, pattern: re.Pattern[str]) -> None:
        """Raise `ReplyError` if the text around the object says what `pattern` finds, in whatever letters."""
        if denied := pattern.search(_plain(self.around)):
            words = " ".join(denied.group().split())[:40]
            raise ReplyError(f"the text around the JSON object says '{words}', the object something else")

    def must_not_hold_thinking(self) -> None:
        """Raise `ReplyError` if a string of the object holds a tag of thinking."""
        if tag := _TAG.search(self.text):
            raise ReplyError(f"a JSON object with '{tag.group()}' in it")


def read_object(text: str, required: frozenset[str] = frozenset()) -> dict[str, Any]:
    """The JSON object of a reply that has all `required` keys; see `find_object`.

    >>> read_object('Sure!\\n```json\\n{"verdict": "PASS",}\\n```', frozenset({"verdict"}))
    {'verdict': 'PASS'}
    """
    return find_object(text, required).value


def text_of(value: Any, key: str) -> str:
    """What an object says under a key, where a number will do for its text. Raises `ReplyError` for anything else."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise ReplyError(f"'{key}' must be a string")
    return value


def find_object(text: str, required: frozenset[str] = frozenset()) -> FoundObject:
    """The JSON object of a reply that has all `required` keys, and what stands around it.

    Raw line breaks in strings and trailing commas are forgiven. Takes time linear in the length of the text.

    Raises `ReplyError` if there is no such object, if there are several different ones, if a broken one mentions a
    required key, or if the object may be part of the thinking: a tag follows it, or one before it has not ended.
    """
    reply = without_thinking(text)
    pieces: list[_Piece] = []
    incomplete: list[str] = []
    for piece in _pieces(reply):
        value = piece.value
        if value is None:
            if (not pieces and not required) or any(f'"{key}"' in piece.text for key in required):
                raise ReplyError(piece.problem)
            incomplete.append(piece.problem)
        elif required <= value.keys():
            pieces.append(piece)
        else:
            missing = ", ".join(f"'{key}'" for key in sorted(required - value.keys()))
            incomplete.append(f"a JSON object without {missing}")
    if not pieces:
        nothing = "text without a JSON object" if text.strip() else "an empty reply"
        raise ReplyError(incomplete[0] if incomplete else nothing)
    if len(pieces) > 1 and (different := len({canonical(piece.value) for piece in pieces})) > 1:
        raise ReplyError(f"{different} different JSON objects: answer with exactly one")
    first = pieces[0]
    ends = [0, *(piece.start + len(piece.text) for piece in pieces)]
    starts = [*(piece.start for piece in pieces), len(reply)]
    between = [reply[end:start] for end, start in zip(ends, starts, strict=True)]
    before = list(_TAG.finditer(between[0]))
    if (before and not any(before[-1].groups())) or any(_TAG.search(part) for part in between[1:]):
        raise ReplyError("a JSON object that may be part of the thinking: it must come after all of it")
    return FoundObject(first.value or {}, first.text, "\n".join(between))


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of the reply that begins like an object; `value` is None if it is broken."""

    start: int
    text: str
    value: dict[str, Any] | None = None
    problem: str = ""


def without_thinking(text: str) -> str:
    """The reply without the blocks of thinking that it begins with. Raises `ReplyError` if one never ends.

    >>> without_thinking("<think>or not?</think> [THINK]Hm.[/THINK]Yes.")
    'Yes.'
    """
    position = 0
    while opening := _OPENING.match(text, position):
        tag = (opening["tag"] or opening.group().lstrip("\ufeff \t\r\n\f\v")).lower()
        closing = _CLOSING[tag].search(text, opening.end())
        if closing is None:
            raise ReplyError("a thinking block that never ends")
        position = closing.end()
    return text[position:]


def after_thinking(text: str) -> str:
    """A reply in free text without its thinking, wherever that stands: drafts in it do not count.

    The reply begins after the last mark that ends thinking and stops where thinking begins again. It is empty if the
    thinking never ends.

    >>> after_thinking("Draft.</think> Ada <think>or"), after_thinking("<think>Hm.")
    ('Ada', '')
    >>> after_thinking("<|channel|>analysis<|message|>Hm.<|channel|>final<|message|>Ada")
    'Ada'
    """
    marks = list(_THINKING_MARK.finditer(text))
    ends = [mark.end() for mark in marks if mark["end"]]
    start = ends[-1] if ends else 0
    unfinished = [mark.start() for mark in marks if mark.start() >= start]
    return text[start : unfinished[0] if unfinished else len(text)].strip()


def ends_in_thinking(text: str) -> bool:
    """Whether a reply stops within its thinking, so that it may not have come to its end.

    >>> ends_in_thinking("<think>Hm.</think>Ada <think>or"), ends_in_thinking("<think>Hm.</think>Ada")
    (True, False)
    """
    marks = list(_THINKING_MARK.finditer(text))
    return bool(marks) and marks[-1]["end"] is None


def _pieces(text: str) -> Iterator[_Piece]:
    """The outermost objects of a text, in order, readable or not."""
    groups: dict[int, int] | None = None
    start = text.find("{")
    if object_text := _whole_object(text, start):
        yield object_text
        start = text.find("{", start + len(object_text.text))
    while start >= 0:
        if _OBJECT_START.match(text, start):
            end = _object_end(text, start)
            if end is None:
                yield _Piece(start, text[start:], problem="a JSON object that is cut off before its end")
                return
            yield _parse(start, text[start:end])
        else:
            # Not an object: a set in prose, say. What stands inside its braces is not outermost.
            groups = _brace_groups(text) if groups is None else groups
            end = groups.get(start, start) + 1
        start = text.find("{", end)


def _whole_object(text: str, start: int) -> _Piece | None:
    """The object that begins there, if nothing is wrong with it, as with most.

    An error costs time linear in the whole text, so this is for the first object alone.
    """
    if start < 0:
        return None
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    return _Piece(start, text[start:end], _cleaned(value, text[start:end]))


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


def _parse(start: int, text: str) -> _Piece:
    try:
        value = _decode(text)
    except RecursionError:
        return _Piece(start, text, problem="a JSON object nested too deeply")
    except ValueError as error:
        return _Piece(start, text, problem=f"a broken JSON object ({error})")
    return _Piece(start, text, value=value)


def _decode(text: str) -> dict[str, Any]:
    """Decode one object; a second time without trailing commas if need be."""
    value: dict[str, Any]
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError:
        repaired = _STRING_OR_SPARE_COMMA.sub(lambda m: "" if m.group() == "," else m.group(), text)
        if repaired == text:
            raise
        value = _DECODER.decode(repaired)
    return _cleaned(value, text)


def _cleaned(value: dict[str, Any], text: str) -> dict[str, Any]:
    is_clean = "\\u" not in text and (text.isascii() or not _SURROGATE.search(text))
    return value if is_clean else dict(whole_texts(value))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        for key, element in pairs:
            if element != value[key]:
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


def whole_texts(value: Any) -> Any:
    """The value with lone surrogates, which no file or database takes, replaced in all its texts.

    >>> whole_texts(["a", {"b": "\\ud800"}]) == ["a", {"b": "\\ufffd"}]
    True
    """
    if isinstance(value, str):
        return whole_characters(value)
    if isinstance(value, list):
        return [whole_texts(item) for item in value]
    if isinstance(value, dict):
        return {whole_characters(key): whole_texts(item) for key, item in value.items()}
    return value


def whole_characters(text: str) -> str:
    """Join surrogate pairs and replace lone surrogates, so that the text can be encoded.

    >>> whole_characters("caf\\ud800")
    'caf�'
    """
    if text.isascii() or not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _plain(text: str) -> str:
    """The text in lower case, without accents, invisible characters and other forms of the same letters."""
    marks = ("Mn", "Cf")
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(char for char in decomposed if unicodedata.category(char) not in marks).lower()


def _squeezed(text: str) -> str:
    """The text without blanks and escapes, so that a quotation is found however it is laid out."""
    return re.sub(r"\\+(?:u[0-9a-f]{4}|[nrtbf])|[\\\s]", "", text.lower())


def read_ruling(text: str, required: frozenset[str], judged: str) -> FoundObject:
    """The object of a judge's reply; unread if it may be quoted from the `judged` reply. Raises `ReplyError`."""
    ruling = find_object(text, required)
    if not ruling.is_alone:
        ruling.must_not_stand_in(judged)
    return ruling


def read_flags(text: str, keys: Sequence[str], judged: str = "") -> dict[str, bool]:
    """The flags in a judge's reply, none of which the text around them denies. Raises `ReplyError`."""
    ruling = read_ruling(text, frozenset(keys), judged)
    for key in keys:
        if not isinstance(ruling.value[key], bool):
            raise ReplyError(f"'{key}' must be true or false")
        name, denial = key.replace("_", "[_ ]"), "(?:false|no)" if ruling.value[key] else "(?:true|yes)"
        denied = rf"\b{name}[\W_]{{0,12}}(?:is)?[\W_]{{0,12}}{denial}\b(?! ?\w)"
        if ruling.value[key]:
            denied += rf"|(?:\bnot|n['’]t|\bin|\bun)\W{{0,3}}{name}\b"
        ruling.must_not_be_denied(re.compile(denied))
    return {key: ruling.value[key] for key in keys}
