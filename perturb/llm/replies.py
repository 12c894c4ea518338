"""Finds the JSON object that a prompt asked for among the other text of a reply.

Thinking at the beginning, code fences, and text before and after the object are ignored. Strings and the inside of
other objects are not searched, since a passage may quote a verdict, and a quoted verdict must not count. In doubt the
reply counts as unreadable, and the model is asked once more. `FoundObject` has stricter tests for verdicts and grades.
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
    """A reply that cannot be read. The model gets to see the message, and the result is a stored value."""


# Models mark thinking by tags such as <think>, or by marks of their own: [THINK], ◁think▷ and harmony's channels.
_TAGS = "think|thinking|thought|reasoning|analysis|scratchpad"
# The mark that begins a block of thinking at the beginning of a reply.
_OPENING = re.compile(
    rf"""
    [\s\ufeff]*                                  # blanks, or the mark of a file's byte order
    (?: <(?P<tag>{_TAGS})>
      | \[THINK\]
      | ◁think▷
      | <\|channel\|>analysis<\|message\|>
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
# Mark that begins thinking, in small letters and without the angle brackets of a tag -> the mark that ends it.
_CLOSING = {
    **{tag: re.compile(f"</{tag}>", re.IGNORECASE) for tag in _TAGS.split("|")},
    "[think]": re.compile(r"\[/THINK\]", re.IGNORECASE),
    "◁think▷": re.compile("◁/think▷", re.IGNORECASE),
    "<|channel|>analysis<|message|>": re.compile(r"<\|channel\|>final<\|message\|>", re.IGNORECASE),
}
# Tags that begin and end thinking. The group `end` is None for a tag that begins it.
_TAG_START = rf"<(?:{_TAGS})>|\[THINK\]|◁think▷"
_TAG_END = rf"</(?:{_TAGS})>|\[/THINK\]|◁/think▷"
_TAG = re.compile(rf"(?P<end>{_TAG_END})|{_TAG_START}", re.IGNORECASE)
# All marks around thinking: these tags and harmony's channels. Harness files use the patterns too. A chat template may
# put the first mark into the prompt, so that a reply has only the second.
START_OF_THINKING = rf"(?:{_TAG_START}|<\|channel\|>analysis<\|message\|>)"
END_OF_THINKING = rf"(?:{_TAG_END}|<\|channel\|>final<\|message\|>)"
_THINKING_MARK = re.compile(rf"(?P<end>{END_OF_THINKING})|{START_OF_THINKING}", re.IGNORECASE)
# The beginning of an object: a brace before a key, or the braces of an empty object.
_OBJECT_START = re.compile(r'\{\s*+["}]')
# A JSON string: a quotation mark, then plain characters or escapes such as \", then a quotation mark or the end of the
# text. The possessive quantifiers ("++") keep the time linear.
_STRING = r'"(?:[^"\\]++|\\.?)*+(?:"|\Z)'
_STRING_OR_BRACE = re.compile(rf"{_STRING}|[{{}}]", re.DOTALL)
_STRING_OR_SPARE_COMMA = re.compile(rf"{_STRING}|,(?=\s*+[}}\]])", re.DOTALL)
# Half of a pair of surrogates, which cannot be encoded alone.
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class FoundObject:
    """The object of a reply, with tests whether it is the model's own statement.

    A reply may quote an object, for instance from a passage that imitates a verdict. So an object that should count as
    a verdict or a grade is compared with the rest of the reply and with the texts of the question.
    """

    value: dict[str, Any]
    text: str
    """The text of the object in the reply."""
    around: str
    """The rest of the reply: neither the thinking at its beginning nor the object."""

    @property
    def is_alone(self) -> bool:
        """Whether there is nothing around the object but a code fence."""
        return not _without_fences(self.around)

    def must_be_all(self, denial: re.Pattern[str]) -> None:
        """Raise `ReplyError` if the reply has other text than the object, its thinking and a code fence.

        If the prompt already opened the thinking, the reply has only the mark that closes it. The text before that mark
        then counts as thinking. Since the mark may also be a quotation, that text must not match `denial`.
        """
        marks = list(_THINKING_MARK.finditer(self.around))
        thinking_end = marks[0].end() if marks and marks[0]["end"] else 0
        thinking, after = self.around[:thinking_end], self.around[thinking_end:]
        if _without_fences(after) or denial.search(_plain(thinking)):
            raise ReplyError("text beside the JSON object: answer with the object alone")

    def must_not_stand_in(self, material: str) -> None:
        """Raise `ReplyError` if `material`, the texts of the question, contains the object."""
        if material and _squeezed(self.text) in _squeezed(material):
            raise ReplyError("a JSON object that stands in the texts you were given: write one of your own")

    def must_not_be_denied(self, pattern: re.Pattern[str]) -> None:
        """Raise `ReplyError` if the text around the object matches `pattern`, in any kind of letters."""
        if denial := pattern.search(_plain(self.around)):
            words = " ".join(denial.group().split())[:40]
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
    """The value of a key as a text, which may be given as a number. Raises `ReplyError` for anything else."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise ReplyError(f"'{key}' must be a string")
    return value


def find_object(text: str, required: frozenset[str] = frozenset()) -> FoundObject:
    """The JSON object of a reply that has all `required` keys, with the text around it.

    Raw line breaks in strings and trailing commas are accepted. The time is linear in the length of the text.

    Raises `ReplyError` if there is no such object, if there are several different ones, or if a broken object mentions
    a required key. Also raises it if the object may be part of the thinking, because a tag of thinking follows it or is
    still open before it.
    """
    if not text.strip():
        raise ReplyError("an empty reply")
    reply = without_thinking(text)
    pieces = _matching_pieces(reply, required)
    # A model may repeat its object, for instance after a correction of the layout. Only different objects are a
    # problem.
    n_different = len({canonical(piece.value) for piece in pieces})
    if n_different > 1:
        raise ReplyError(f"{n_different} different JSON objects: answer with exactly one")
    before, *later_texts = _texts_around(reply, pieces)
    # An opening tag without its closing tag before the object, or any tag after it, may enclose the object.
    tags_before = list(_TAG.finditer(before))
    is_thinking_open = bool(tags_before) and tags_before[-1]["end"] is None
    if is_thinking_open or any(map(_TAG.search, later_texts)):
        raise ReplyError("a JSON object that may be part of the thinking: it must come after all of it")
    return FoundObject(pieces[0].value or {}, pieces[0].text, "\n".join([before, *later_texts]))


def _matching_pieces(reply: str, required: frozenset[str]) -> list[_Piece]:
    """The objects with all required keys, at least one. Raises `ReplyError` as `find_object`."""
    matching: list[_Piece] = []
    problems: list[str] = []
    for piece in _pieces(reply):
        if piece.value is None:
            # A broken object that mentions a required key may be the verdict itself, so another object must not take
            # its place. If no key is required, that holds for a broken object before all others.
            mentions_key = any(f'"{key}"' in piece.text for key in required)
            if mentions_key or (not required and not matching):
                raise ReplyError(piece.problem)
            problems.append(piece.problem)
        elif required <= piece.value.keys():
            matching.append(piece)
        else:
            missing = ", ".join(f"'{key}'" for key in sorted(required - piece.value.keys()))
            problems.append(f"a JSON object without {missing}")
    if matching:
        return matching
    if problems:
        raise ReplyError(problems[0])
    raise ReplyError("text without a JSON object")


def _texts_around(reply: str, pieces: Sequence[_Piece]) -> list[str]:
    """The text before the first piece, between the pieces, and after the last."""
    ends = [0, *(piece.start + len(piece.text) for piece in pieces)]
    starts = [*(piece.start for piece in pieces), len(reply)]
    return [reply[end:start] for end, start in zip(ends, starts, strict=True)]


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of the reply that begins like an object. `value` is None if it is broken."""

    start: int
    text: str
    value: dict[str, Any] | None = None
    problem: str = ""


def without_thinking(text: str) -> str:
    """The reply without the blocks of thinking at its beginning. Raises `ReplyError` if a block never ends.

    >>> without_thinking("<think>or not?</think> [THINK]Hm.[/THINK]Yes.")
    'Yes.'
    """
    position = 0
    while opening := _OPENING.match(text, position):
        # Of a tag, the word is the key of `_CLOSING`. Of any other mark, it is the whole mark.
        tag = (opening["tag"] or opening.group().lstrip("\ufeff \t\r\n\f\v")).lower()
        closing = _CLOSING[tag].search(text, opening.end())
        if closing is None:
            raise ReplyError("a thinking block that never ends")
        position = closing.end()
    return text[position:]


def after_thinking(text: str) -> str:
    """A reply in free text without its thinking. Drafts of a reply within the thinking do not count.

    The text begins after the last mark that ends thinking, and stops where thinking begins again. It is empty if the
    thinking never ends.

    >>> after_thinking("Draft.</think> Ada <think>or"), after_thinking("<think>Hm.")
    ('Ada', '')
    >>> after_thinking("<|channel|>analysis<|message|>Hm.<|channel|>final<|message|>Ada")
    'Ada'
    """
    marks = list(_THINKING_MARK.finditer(text))
    reply_start = max((mark.end() for mark in marks if mark["end"]), default=0)
    reply_end = min((mark.start() for mark in marks if mark.start() >= reply_start), default=len(text))
    return text[reply_start:reply_end].strip()


def ends_in_thinking(text: str) -> bool:
    """Whether a reply stops within its thinking, so that it may be incomplete.

    >>> ends_in_thinking("<think>Hm.</think>Ada <think>or"), ends_in_thinking("<think>Hm.</think>Ada")
    (True, False)
    """
    marks = list(_THINKING_MARK.finditer(text))
    return bool(marks) and marks[-1]["end"] is None


def _pieces(text: str) -> Iterator[_Piece]:
    """Yield the outermost objects of a text in order, whether or not they can be read."""
    closing_braces: dict[int, int] | None = None  # only texts with braces in prose need them
    start = text.find("{")
    if piece := _faultless_object(text, start):
        yield piece
        start = text.find("{", start + len(piece.text))
    while start >= 0:
        if _OBJECT_START.match(text, start):
            end = _object_end(text, start)
            if end is None:
                yield _Piece(start, text[start:], problem="a JSON object that is cut off before its end")
                return
            yield _parse(start, text[start:end])
        else:
            # Braces in prose, for instance around a set. Objects inside them are not outermost, so they are skipped.
            closing_braces = _closing_braces(text) if closing_braces is None else closing_braces
            end = closing_braces.get(start, start) + 1
        start = text.find("{", end)


def _faultless_object(text: str, start: int) -> _Piece | None:
    """The object that begins at `start`; None if it has any fault. Most replies are read this way, which is fast."""
    # A failed attempt takes time linear in the whole text, so only the first object is tried like this.
    if start < 0:
        return None
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None  # `_parse` reports the fault, or repairs it
    return _Piece(start, text[start:end], _cleaned(value, text[start:end]))


def _closing_braces(text: str) -> dict[int, int]:
    """Position of an opening brace → position of its closing brace. Quotation marks are ignored."""
    closing_braces: dict[int, int] = {}
    still_open: list[int] = []
    for brace in re.finditer(r"[{}]", text):
        if brace.group() == "{":
            still_open.append(brace.start())
        elif still_open:
            closing_braces[still_open.pop()] = brace.start()
    return closing_braces


def _object_end(text: str, start: int) -> int | None:
    """The position after the brace that closes the brace at `start`. Braces in strings do not count."""
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
    """The piece of a reply that begins at `start`, with its value or what is wrong with it."""
    try:
        value = _decode(text)
    except RecursionError:
        return _Piece(start, text, problem="a JSON object nested too deeply")
    except ValueError as error:
        return _Piece(start, text, problem=f"a broken JSON object ({error})")
    return _Piece(start, text, value=value)


def _decode(text: str) -> dict[str, Any]:
    """Decode an object, if necessary in a second attempt without trailing commas."""
    value: dict[str, Any]
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError:
        # The pattern also matches whole strings, which are put back, so that commas inside strings stay.
        repaired = _STRING_OR_SPARE_COMMA.sub(
            lambda match: "" if match.group() == "," else match.group(), text
        )
        if repaired == text:
            raise
        value = _DECODER.decode(repaired)
    return _cleaned(value, text)


def _cleaned(value: dict[str, Any], text: str) -> dict[str, Any]:
    """The value, decoded from `text`, without lone surrogates."""
    # Most replies have neither escapes nor surrogates, and need no walk through the value.
    is_clean = "\\u" not in text and (text.isascii() or not _SURROGATE.search(text))
    return value if is_clean else dict(whole_texts(value))


# The decoder is strict about what JSON leaves open, since a verdict must have one meaning.


def _refuse_two_values(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        # A key that is repeated with the same value is harmless.
        for key, element in pairs:
            if element != value[key]:
                raise ValueError(f"the key '{key}' is given twice")
    return value


def _finite(number: str) -> float:
    value = float(number)
    if not math.isfinite(value):
        raise ValueError(f"the number {number[:20]} is out of range")
    return value


def _refuse_constants(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(
    strict=False,
    object_pairs_hook=_refuse_two_values,
    parse_float=_finite,
    parse_constant=_refuse_constants,
)


def whole_texts(value: Any) -> Any:
    """The value with lone surrogates, which no file or database can store, replaced in all of its texts.

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
    # In UTF-16, two halves of a pair become one character. Decoding replaces a half that is left over.
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _plain(text: str) -> str:
    """The text in lower case, without accents, invisible characters and other forms of the same letters."""
    decomposed = unicodedata.normalize("NFKD", text)
    # The categories of Unicode for marks on letters and for invisible characters.
    return "".join(char for char in decomposed if unicodedata.category(char) not in ("Mn", "Cf")).lower()


def _without_fences(text: str) -> str:
    """The text without blanks and the marks of code fences, such as ```json."""
    return re.sub(r"```\w*|\s", "", text)


def _squeezed(text: str) -> str:
    """The text without blanks and escapes, so that a quotation is found in any layout."""
    return re.sub(r"\\+(?:u[0-9a-f]{4}|[nrtbf])|[\\\s]", "", text.lower())


def read_ruling(text: str, required: frozenset[str], judged: str) -> FoundObject:
    """The object of a judge's reply. Raises `ReplyError` if it may be a quotation from the `judged` reply."""
    ruling = find_object(text, required)
    # An object alone cannot be a quotation with a comment, and short flags are the same in many replies.
    if not ruling.is_alone:
        ruling.must_not_stand_in(judged)
    return ruling


def read_flags(text: str, keys: Sequence[str], judged: str = "") -> dict[str, bool]:
    """The flags in a judge's reply. Raises `ReplyError`, also if the text around the object denies a flag."""
    ruling = read_ruling(text, frozenset(keys), judged)
    for key in keys:
        if not isinstance(ruling.value[key], bool):
            raise ReplyError(f"'{key}' must be true or false")
        ruling.must_not_be_denied(_denial_of(key, ruling.value[key]))
    return {key: ruling.value[key] for key in keys}


def _denial_of(key: str, value: bool) -> re.Pattern[str]:
    """The pattern of words that contradict a flag."""
    name = key.replace("_", "[_ ]")
    opposite = "(?:false|no)" if value else "(?:true|yes)"
    # "correct: false" or "correct is false", but not "correct: no doubt"
    denial = rf"\b{name}[\W_]{{0,12}}(?:is)?[\W_]{{0,12}}{opposite}\b(?! ?\w)"
    if value:
        # "not correct", "isn't correct", "incorrect"
        denial += rf"|(?:\bnot|n['’]t|\bin|\bun)\W{{0,3}}{name}\b"
    return re.compile(denial)
