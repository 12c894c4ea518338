"""Sentences of a passage with their places, and edits that keep the spacing of the rest."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_NO_END = re.compile(
    r"(?:\b(?:Sr|Jr|Mr|Mrs|Ms|Dr|Prof|Rev|Gen|Col|Capt|Lt|Sgt|Sen|Rep|Gov|St|Mt|No|Nos|Vol|vs|v|c|ca|cf|e\.g|i\.e|approx|"
    r"U\.S|U\.K|Ft|Inc|Ltd|Co|Corp|Jan|Feb|Mar|Apr|Aug|Sept|Sep|Oct|Nov|Dec|[A-Z])\.|[,;:(\[–-])\s*$"
)
"""A piece that ends so has been cut too early: the next piece belongs to it."""
_ENDING = 20
"""Characters at the end of a piece in which this is looked for; the longest abbreviation has seven."""

_END = re.compile(r"(?<=[.!?])[\"”’')\]]*(\s+)(?=[\"“‘(\[]*[A-Z0-9])")
"""Where a sentence may end: a mark, then blanks, then a capital or a digit."""
_INITIALS = re.compile(r"[\"“(]*(?:[A-Za-z]\.)+[A-Za-z]?\.?[\"”’')\]]*")
"""A word such as `p.m.` or `D.C.`, after which a sentence ends only if the next word opens another."""
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
_PAIRS = (("(", ")"), ("[", "]"), ("“", "”"))


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


def split_sentences(text: str, passage: int = 0) -> tuple[Sentence, ...]:
    """Split a passage into sentences; a line break ends one, a quotation or bracket that is open does not.

    >>> [s.text for s in split_sentences("Martin Luther King Jr. spoke. It was hot.")]
    ['Martin Luther King Jr. spoke.', 'It was hot.']
    >>> [s.text for s in split_sentences('He said: "Stop. Think." At 8 p.m. UTC he left.')]
    ['He said: "Stop. Think."', 'At 8 p.m. UTC he left.']
    """
    places: list[tuple[int, int]] = []
    for start, end in _pieces(text):
        if places and _joins(text[slice(*places[-1])], text[start:end]):
            places[-1] = (places[-1][0], end)
        else:
            places.append((start, end))
    return tuple(Sentence(passage, start, end, text[start:end]) for start, end in places)


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each stretch between two ends of sentences, without the blanks around."""
    offset = 0
    for line in text.splitlines(keepends=True):
        # A quotation or bracket that the line never closes holds nothing together.
        pairs = [pair for pair in _PAIRS if line.count(pair[0]) == line.count(pair[1])]
        quotes = line.count('"') % 2 == 0
        start = 0
        for found in (*_END.finditer(line), None):
            end = found.start(1) if found else len(line)
            piece = line[start:end]
            if found and not _ends(piece, line[found.end() :], pairs, quotes):
                continue
            if stripped := piece.strip():
                at = offset + start + len(piece) - len(piece.lstrip())
                yield at, at + len(stripped)
            start = end
        offset += len(line)


def _ends(piece: str, rest: str, pairs: list[tuple[str, str]], quotes: bool) -> bool:
    if _NO_END.search(piece[-_ENDING:]):
        return False
    if _INITIALS.fullmatch(piece.rpartition(" ")[2]) and rest.partition(" ")[0] not in _OPENERS:
        return False
    is_open = any(piece.count(left) > piece.count(right) for left, right in pairs)
    return not (is_open or (quotes and piece.count('"') % 2))


def _joins(left: str, right: str) -> bool:
    unclosed = left.count("(") > left.count(")")
    return bool(_NO_END.search(left[-_ENDING:])) or unclosed or right[:1].islower() or right[:1] in ")]”’,;"


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
