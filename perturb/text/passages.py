"""Passages and sentences: which passages a candidate may change, and what it changed, word by word.

The order, the number and the roles of passages never change. If the class may change the context, it may change the
signal passages. If the answer must go, a noise passage that holds it may change too. Edits of sentences keep the
spacing of the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any, Literal, NamedTuple

from perturb.records import BaseInstance, Candidate, Cell, Intensity, Passage, PerturbationClass
from perturb.text.matching import holds_answer, word_source

MAX_CHANGED_LOW = 2
"""A LOW flaw is subtle and touches at most so many; at MEDIUM and HIGH every signal passage may need a change."""


def removes_answer(cell: Cell) -> bool:
    """Whether items of the cell may hold the answer nowhere."""
    return cell.perturbation_class == PerturbationClass.MISSING_INFO and cell.intensity is not Intensity.LOW


def shown_texts(passages: tuple[Passage, ...]) -> str:
    """All that a model is shown of passages but their numbers, which are not part of what they say.

    >>> shown_texts((Passage("One.", title="A"), Passage("Two.")))
    'A\\nOne.\\n\\nTwo.'
    """
    titled = len(passages) > 1
    return "\n".join(f"{passage.title}\n{passage.text}" if titled else passage.text for passage in passages)


def passages_fault(original: BaseInstance, candidate: Candidate) -> str | None:
    """What is wrong with the choice of the changed passages, in one line; None for a single passage.

    That the class may change the context at all is somebody else's check.
    """
    if len(original.passages) == 1:
        return None
    changed = [
        (number, old, new)
        for number, (old, new) in enumerate(zip(original.passages, candidate.passages, strict=True), start=1)
        if old.text != new.text
    ]
    for number, old, new in changed:
        if not new.text.strip():
            return f"nothing is left of passage {number}"
        if old.role == "signal":
            continue
        if not removes_answer(candidate.cell):
            return (
                f"passage {number} was changed, which is noise: {candidate.cell} changes signal passages only"
            )
        if not holds_answer(old.text, *original.answers):
            return f"passage {number} was changed, which is noise and held no answer"
    if candidate.cell.intensity is Intensity.LOW and len(changed) > MAX_CHANGED_LOW:
        return f"{len(changed)} passages were changed, {candidate.cell} allows {MAX_CHANGED_LOW}"
    return None


def without_telling_titles(original: BaseInstance, candidate: Candidate) -> Candidate:
    """Where the answer must go, take off the titles that hold it: a generator changes texts only."""
    if len(candidate.passages) == 1 or not removes_answer(candidate.cell):
        return candidate
    passages = tuple(
        replace(passage, title="") if holds_answer(passage.title, *original.answers) else passage
        for passage in candidate.passages
    )
    return replace(candidate, passages=passages)


ChangeKind = Literal["same", "out", "in"]

_SENTENCES = re.compile(r"[^.!?。！？।\n]*[.!?。！？।\n]*\s*")
_MAX_PAIRS = 4_000_000
"""Comparing words takes up to words × words steps; longer texts are compared by sentence."""


class Piece(NamedTuple):
    """A stretch of text that stayed, was removed or was added; in JSON a pair, as the pages take it."""

    kind: ChangeKind
    text: str


@dataclass(frozen=True, slots=True)
class MarkedPassage:
    """One passage with its change."""

    number: int
    """From 1, as models see it."""
    title: str
    pieces: tuple[Piece, ...]

    @property
    def changed(self) -> bool:
        """Whether anything was removed or added."""
        return any(piece.kind != "same" for piece in self.pieces)


def mark_change(before: str, after: str) -> tuple[Piece, ...]:
    """The pieces of two texts in reading order: those not `in` make up `before`, those not `out` make up `after`.

    Changes with nothing but blanks or marks between them are joined, so that a rewritten clause reads as one.

    >>> [(piece.kind, piece.text) for piece in mark_change("in May 1968", "in June 1968")]
    [('same', 'in '), ('out', 'May'), ('in', 'June'), ('same', ' 1968')]
    """
    if before == after:
        return (Piece("same", before),) if before else ()
    old, new = _split(before, after)
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    spans = [
        ("".join(old[a:b]), "".join(new[c:d]), tag == "equal") for tag, a, b, c, d in matcher.get_opcodes()
    ]
    pieces: list[Piece] = []
    out = came = ""
    for position, (gone, come, equal) in enumerate(spans):
        between = 0 < position < len(spans) - 1
        if equal and not (between and not any(char.isalnum() for char in gone)):
            pieces += _change(out, came)
            pieces.append(Piece("same", gone))
            out = came = ""
        else:
            out, came = out + gone, came + come
    return (*pieces, *_change(out, came))


def mark_passages(before: Sequence[Passage], after: Sequence[Passage]) -> tuple[MarkedPassage, ...]:
    """The changes of each passage, compared by number."""
    nothing = Passage("")
    return tuple(
        MarkedPassage(number, new.title or old.title, mark_change(old.text, new.text))
        for number, (old, new) in enumerate(zip_longest(before, after, fillvalue=nothing), start=1)
    )


def describe_change(before: BaseInstance, after: Candidate, *, in_full: bool = False) -> dict[str, Any]:
    """Question and passages with marked changes, as pages that show items use them.

    Of several passages only the changed ones are included, and `unchanged` counts the rest. `in_full` adds titles, and
    the unchanged passages with a heading under which a page folds them.
    """
    passages = mark_passages(before.passages, after.passages)
    several = len(passages) > 1
    described: list[dict[str, Any]] = []
    for passage in passages:
        number = f"[{passage.number}] " if several else ""
        if passage.changed or not several:
            title = f"{passage.title}: " if several and in_full and passage.title else ""
            described.append({"pieces": [Piece("same", number + title), *passage.pieces]})
        elif in_full:
            described.append({"pieces": passage.pieces, "folded": f"{number}{passage.title} unchanged"})
    return {
        "query": mark_change(before.query, after.query),
        "passages": described,
        "unchanged": len(passages) - len(described),
    }


def _split(before: str, after: str) -> tuple[list[str], list[str]]:
    pattern = re.compile(rf"{word_source()}|\s+|.", re.DOTALL)
    old, new = pattern.findall(before), pattern.findall(after)
    if len(old) * len(new) > _MAX_PAIRS:
        return _SENTENCES.findall(before), _SENTENCES.findall(after)
    return old, new


def _change(out: str, came: str) -> list[Piece]:
    both = (Piece("out", out), Piece("in", came))
    return [piece for piece in both if piece.text]


_NO_END = re.compile(
    r"(?:\b(?:Sr|Jr|Mr|Mrs|Ms|Dr|Prof|Rev|Gen|Col|Capt|Lt|Sgt|Sen|Rep|Gov|St|Mt|No|Nos|Vol|vs|v|c|ca|cf|e\.g|i\.e|approx|"
    r"U\.S|U\.K|Ft|Inc|Ltd|Co|Corp|Jan|Feb|Mar|Apr|Aug|Sept|Sep|Oct|Nov|Dec|[A-Z])\.|[,;:(\[–-])\s*$"
)
"""The end of a piece that was cut too early: the next piece belongs to the same sentence."""
_ENDING = 20
"""Characters at the end of a piece that are searched for it; the longest abbreviation has seven."""

_END = re.compile(r"(?<=[.!?])[\"”’')\]]*(\s+)(?=[\"“‘(\[]*[A-Z0-9])")
"""Where a sentence may end: a mark, then blanks, then a capital or a digit."""
_INITIALS = re.compile(r"[\"“(]*(?:[A-Za-z]\.)+[A-Za-z]?\.?[\"”’')\]]*")
"""A word such as `p.m.` or `D.C.`. A sentence ends after it only if the next word is a typical first word."""
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
"""Typical first words of a sentence, which hardly ever follow an abbreviation."""
_PAIRS = (("(", ")"), ("[", "]"), ("“", "”"))


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence and its place."""

    passage: int
    """Index of its passage."""
    start: int
    end: int
    """Offsets in the text of the passage, without blanks around the sentence."""
    text: str

    @property
    def complete(self) -> bool:
        """Whether it begins and ends like a sentence. The first and the last of a passage are often cut off."""
        opening = self.text.lstrip("\"'“‘([")[:1]
        return (opening.isupper() or opening.isdigit()) and bool(re.search(r"[.!?][\"'”’)\]]*$", self.text))


def split_sentences(text: str, passage: int = 0) -> tuple[Sentence, ...]:
    """Split a passage into sentences. A line break ends a sentence; a mark within quotes or brackets does not.

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
    """Start and end of each piece between two possible ends of sentences, without blanks around it."""
    offset = 0
    for line in text.splitlines(keepends=True):
        # A quotation or bracket that the line never closes does not count.
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
    """The text of a passage without some of its sentences and the blanks after them.

    >>> text = "One.  Two. Three."
    >>> without(text, [split_sentences(text)[1]])
    'One.  Three.'
    """
    for sentence in sorted(sentences, key=lambda s: s.start, reverse=True):
        head, tail = text[: sentence.start], text[sentence.end :]
        text = head + tail.lstrip() if tail.strip() else head.rstrip()
    return text
