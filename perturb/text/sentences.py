"""Sentences of a passage with their places, and edits that keep the spacing of the rest."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

_NO_END = re.compile(
    r"(?:\b(?:Sr|Jr|Mr|Mrs|Ms|Dr|Prof|Rev|Gen|Col|Capt|Lt|Sgt|Sen|Rep|Gov|St|Mt|No|Nos|Vol|vs|v|c|ca|cf|e\.g|i\.e|approx|"
    r"U\.S|U\.K|Ft|Inc|Ltd|Co|Corp|Jan|Feb|Mar|Apr|Aug|Sept|Sep|Oct|Nov|Dec|[A-Z])\.|[,;:(\[–-])\s*$"
)
"""A piece that ends so has been cut too early: the next piece belongs to it."""
_ENDING = 20
"""Characters at the end of a piece in which this is looked for; the longest abbreviation has seven."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence and where it stands."""

    passage: int
    """Index of its passage."""
    start: int
    end: int
    """Offsets into the passage's text, without the blanks around."""
    text: str

    @property
    def complete(self) -> bool:
        """Whether it begins and ends like a sentence; the first and last of a passage are often cut."""
        opening = self.text.lstrip("\"'“‘([")[:1]
        return (opening.isupper() or opening.isdigit()) and bool(re.search(r"[.!?][\"'”’)\]]*$", self.text))


_CLEAR_END = re.compile(r"(?:[a-z]{4,}|[)\]\"”’\d])[.!?][\"”’)]?$")
"""A word that ends a sentence for certain: no abbreviation ends so."""

_CERTAIN_END = re.compile(r"(?:(?<=[a-z]{4})|(?<=[)\]\"”’\d]))[.!?][\"”’)]?(?= [\"“‘(\[]*[A-Z])")
"""The same before a word with a capital."""
_DOTTED = re.compile(r"[.!?]")
_SHORT_END = re.compile(r"^(?!(?:etc|Bros|Sr|Jr|Inc|Ltd|Corp|Co)\b)[A-Za-z’'-]{2,}\.$")
_OPENERS = frozenset(
    [
        "The",
        "A",
        "An",
        "It",
        "He",
        "She",
        "They",
        "His",
        "Her",
        "Its",
        "This",
        "These",
        "In",
        "On",
        "At",
        "As",
        "However",
    ]
)
"""Words that open a sentence and hardly ever follow an abbreviation."""
_DECIMAL = re.compile(r"[($£€]*\d[\d,]*\.\d+%?[),;:]*")


@lru_cache(maxsize=1)
def _segmenter() -> Any:
    import pysbd

    return pysbd.Segmenter(language="en", clean=False)


def split_sentences(text: str, passage: int = 0) -> tuple[Sentence, ...]:
    """Split a passage into sentences.

    >>> [s.text for s in split_sentences("Martin Luther King Jr. spoke. It was hot.")]
    ['Martin Luther King Jr. spoke.', 'It was hot.']
    """
    pieces = [piece for piece in _pieces(text) if piece.strip()]
    found: list[tuple[int, int]] = []
    cursor = 0
    for piece in pieces:
        stripped = piece.strip()
        start = text.find(stripped, cursor)
        if start < 0:
            return _plain_split(text, passage)
        cursor = start + len(stripped)
        if found and _joins(text[found[-1][0] : found[-1][1]], stripped):
            found[-1] = (found[-1][0], cursor)
        else:
            found.append((start, cursor))
    return tuple(Sentence(passage, start, end, text[start:end]) for start, end in found)


def _pieces(text: str) -> list[str]:
    pieces: list[str] = []
    for line in text.splitlines():
        for stretch in _stretches(line) if line.strip() else ():
            pieces.extend(_segmented(stretch))
    return pieces


def _stretches(line: str) -> list[str]:
    """Parts of a line that end with a sentence beyond doubt, outside all quotes and brackets.

    >>> _stretches("Martin Luther King Jr. spoke. It was hot.")
    ['Martin Luther King Jr. spoke.', 'It was hot.']
    """
    stretches: list[str] = []
    start = 0
    for end in _CERTAIN_END.finditer(line):
        stretch = line[start : end.end()]
        if (
            all(stretch.count(a) == stretch.count(b) for a, b in ("()", "[]", "“”"))
            and stretch.count('"') % 2 == 0
        ):
            stretches.append(stretch)
            start = end.end() + 1
    return [*stretches, line[start:]] if line[start:] else stretches


@lru_cache(maxsize=512)
def _segmented(stretch: str) -> tuple[str, ...]:
    """The sentences of a stretch; kept, since most of an instance stands unchanged in all of its items."""
    # its own `segment` looks every piece up in the text again, by a pattern made for it
    return tuple(_clear_pieces(stretch) or _segmenter().processor(stretch).process())


def _clear_pieces(line: str) -> list[str] | None:
    """The sentences of a line in which every full stop is beyond doubt; None for all other lines.

    Most lines of prose are such, and need no segmenter, which is a hundred times slower.
    """
    pieces: list[list[str]] = [[]]
    words = line.split(" ")
    quoted = '"' in line or "“" in line
    for word, following in zip(words, [*words[1:], ""], strict=True):
        pieces[-1].append(word)
        if not _DOTTED.search(word):
            continue
        if not quoted and _goes_on(word, following):
            continue
        if not _ends(word, following):
            return None
        opening = next((w for w in (following, "A") if w), "").lstrip('"“‘([')[:1]
        if following and not (opening.isupper() or opening.isdigit()):
            return None
        pieces.append([])
    return [" ".join(piece) for piece in pieces if piece]


def _ends(word: str, following: str) -> bool:
    """Whether a sentence surely ends with a word: it is too long for an abbreviation, or what follows opens another."""
    if _DOTTED.search(word.rstrip('.!?"”’)')):
        return False
    closed = not following or following in _OPENERS
    return _CLEAR_END.search(word) is not None or (closed and _SHORT_END.search(word) is not None)


def _goes_on(word: str, following: str) -> bool:
    """Whether a sentence surely goes on after a word with a dot: an abbreviation, or a figure such as 4.5.

    A piece that begins with a small letter is joined to the one before it in any case.
    """
    if following[:1].islower():
        return True
    if _DOTTED.search(word.rstrip(".,;:)")) and not _DECIMAL.fullmatch(word):
        return False
    return bool(following) and (_NO_END.search(word) is not None or _DECIMAL.fullmatch(word) is not None)


def _joins(left: str, right: str) -> bool:
    unclosed = left.count("(") > left.count(")")
    return bool(_NO_END.search(left[-_ENDING:])) or unclosed or right[:1].islower() or right[:1] in ")]”’,;"


def _plain_split(text: str, passage: int) -> tuple[Sentence, ...]:
    """Split at end marks alone, for texts whose pieces cannot be found again."""
    matches = re.finditer(r"\S(?:.*?[.!?](?=\s|$)|.*$)", text, re.DOTALL)
    return tuple(Sentence(passage, m.start(), m.end(), m.group()) for m in matches)


def without(text: str, sentences: list[Sentence]) -> str:
    """The passage text with some of its sentences taken out, together with the blanks after them.

    >>> text = "One.  Two. Three."
    >>> without(text, [split_sentences(text)[1]])
    'One.  Three.'
    """
    for sentence in sorted(sentences, key=lambda s: s.start, reverse=True):
        head, tail = text[: sentence.start], text[sentence.end :]
        text = head + tail.lstrip() if tail.strip() else head.rstrip()
    return text


def inserted_after(text: str, sentence: Sentence, addition: str) -> str:
    """The passage text with an addition set after one of its sentences.

    >>> text = "One. Two."
    >>> inserted_after(text, split_sentences(text)[0], "And a half.")
    'One. And a half. Two.'
    """
    return f"{text[: sentence.end]} {addition}{text[sentence.end :]}"
