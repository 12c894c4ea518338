"""Passages and sentences.

- `passages_fault` checks which passages a candidate has changed. Their order, number and roles never change. A class
  that may change the context may change the signal passages. If the answer must go, a noise passage that holds it may
  change too.
- `mark_change` and `describe_change` show what changed, word by word.
- `split_sentences` finds the sentences of a passage, and `without` takes some of them out.
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
"""The most passages that a LOW flaw, which is subtle, may change. MEDIUM and HIGH may change every signal passage."""


def removes_answer(cell: Cell) -> bool:
    """Whether items of the cell must not hold the answer anywhere."""
    return cell.perturbation_class == PerturbationClass.MISSING_INFO and cell.intensity is not Intensity.LOW


def shown_texts(passages: tuple[Passage, ...]) -> str:
    """The texts that a model sees of passages, with titles if there are several, but without their numbers.

    >>> shown_texts((Passage("One.", title="A"), Passage("Two.")))
    'A\\nOne.\\n\\nTwo.'
    """
    # Models see a single passage without its title.
    if len(passages) == 1:
        return passages[0].text
    return "\n".join(f"{passage.title}\n{passage.text}" for passage in passages)


def passages_fault(original: BaseInstance, candidate: Candidate) -> str | None:
    """One line on a wrong choice of changed passages; None if it is right, and for a single passage."""
    # Whether the class may change the context at all is checked elsewhere.
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
    """The candidate without titles that hold the answer, if the cell removes the answer.

    A generator changes only texts, so the titles are left to us.
    """
    if len(candidate.passages) == 1 or not removes_answer(candidate.cell):
        return candidate
    passages = tuple(
        replace(passage, title="") if holds_answer(passage.title, *original.answers) else passage
        for passage in candidate.passages
    )
    return replace(candidate, passages=passages)


ChangeKind = Literal["same", "out", "in"]
"""Whether a piece of a text stayed, was removed or was added."""

# A sentence in any script with the blanks after it: "It rained. " This is good enough to compare long texts.
_ROUGH_SENTENCES = re.compile(r"[^.!?。！？।\n]*[.!?。！？।\n]*\s*")
# Comparing words takes up to words × words steps. Texts that would need more are compared by sentence.
_MAX_PAIRS = 4_000_000


class Piece(NamedTuple):
    """A part of a text that stayed, was removed or was added. In JSON it is a pair, which the pages read."""

    kind: ChangeKind
    text: str


@dataclass(frozen=True, slots=True)
class MarkedPassage:
    """A passage with its change."""

    number: int
    """The number of the passage, from 1, as models see it."""
    title: str
    pieces: tuple[Piece, ...]

    @property
    def changed(self) -> bool:
        """Whether anything was removed or added."""
        return any(piece.kind != "same" for piece in self.pieces)


def mark_change(before: str, after: str) -> tuple[Piece, ...]:
    """The pieces of two texts in reading order.

    The pieces that are not `in` make up `before`, and those that are not `out` make up `after`.

    Changes with only blanks or punctuation between them are joined, so that a rewritten clause is one change.

    >>> [(piece.kind, piece.text) for piece in mark_change("in May 1968", "in June 1968")]
    [('same', 'in '), ('out', 'May'), ('in', 'June'), ('same', ' 1968')]
    """
    if before == after:
        return (Piece("same", before),) if before else ()
    old, new = _split(before, after)
    steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    pieces: list[Piece] = []
    pending_removed = pending_added = ""
    for position, (tag, old_start, old_end, new_start, new_end) in enumerate(steps):
        removed, added = "".join(old[old_start:old_end]), "".join(new[new_start:new_end])
        is_outermost = position in (0, len(steps) - 1)
        # Equal blanks and punctuation between two changes become part of both. At the ends of the text they stay equal.
        stays_equal = tag == "equal" and (is_outermost or any(char.isalnum() for char in removed))
        if stays_equal:
            pieces += _change(pending_removed, pending_added)
            pieces.append(Piece("same", removed))
            pending_removed = pending_added = ""
        else:
            pending_removed += removed
            pending_added += added
    return (*pieces, *_change(pending_removed, pending_added))


def mark_passages(before: Sequence[Passage], after: Sequence[Passage]) -> tuple[MarkedPassage, ...]:
    """The changes of each passage, compared by number."""
    nothing = Passage("")
    return tuple(
        MarkedPassage(number, new.title or old.title, mark_change(old.text, new.text))
        for number, (old, new) in enumerate(zip_longest(before, after, fillvalue=nothing), start=1)
    )


def describe_change(before: BaseInstance, after: Candidate, *, in_full: bool = False) -> dict[str, Any]:
    """Question and passages with marked changes, for pages that show items.

    Of several passages, only the changed ones are included, and `unchanged` counts the others. `in_full` adds titles,
    and the unchanged passages, each with a heading under which a page folds it.
    """
    passages = mark_passages(before.passages, after.passages)
    several = len(passages) > 1
    described = []
    for passage in passages:
        # A single passage is always shown.
        if passage.changed or in_full or not several:
            described.append(_describe_passage(passage, several=several, in_full=in_full))
    return {
        "query": mark_change(before.query, after.query),
        "passages": described,
        "unchanged": len(passages) - len(described),
    }


def _describe_passage(passage: MarkedPassage, *, several: bool, in_full: bool) -> dict[str, Any]:
    """One passage for a page; `several` says whether it is one of several."""
    number = f"[{passage.number}] " if several else ""
    if several and not passage.changed:
        return {"pieces": passage.pieces, "folded": f"{number}{passage.title} unchanged"}
    title = f"{passage.title}: " if several and in_full and passage.title else ""
    return {"pieces": [Piece("same", number + title), *passage.pieces]}


def _split(before: str, after: str) -> tuple[list[str], list[str]]:
    """Two texts as words, blanks and single marks; as sentences, if comparing the words would take too long."""
    pattern = re.compile(rf"{word_source()}|\s+|.", re.DOTALL)
    old, new = pattern.findall(before), pattern.findall(after)
    if len(old) * len(new) > _MAX_PAIRS:
        return _ROUGH_SENTENCES.findall(before), _ROUGH_SENTENCES.findall(after)
    return old, new


def _change(removed: str, added: str) -> list[Piece]:
    """The pieces of a change. A change may only remove or only add."""
    pieces = (Piece("out", removed), Piece("in", added))
    return [piece for piece in pieces if piece.text]


# A sentence may end at an end mark that blanks and a capital or a digit follow. The blanks are a group.
_POSSIBLE_END = re.compile(r"(?<=[.!?])[\"”’')\]]*(\s+)(?=[\"“‘(\[]*[A-Z0-9])")
# The end of a piece of text after which the sentence goes on: an abbreviation, or a mark such as a comma.
_UNFINISHED = re.compile(
    r"""
    (?: \b(?: Sr|Jr|Mr|Mrs|Ms|Dr|Prof|Rev|Gen|Col|Capt|Lt|Sgt|Sen|Rep|Gov          # titles
            | St|Mt|Ft|U\.S|U\.K|Inc|Ltd|Co|Corp                                   # places, companies
            | Jan|Feb|Mar|Apr|Aug|Sept|Sep|Oct|Nov|Dec
            | No|Nos|Vol|vs|v|c|ca|cf|e\.g|i\.e|approx
            | [A-Z]                                                                # an initial
            )\.
      | [,;:(\[–-]
    )\s*$
    """,
    re.VERBOSE,
)
# How many characters at the end of a piece are searched for `_UNFINISHED`. The longest abbreviation needs far fewer.
_UNFINISHED_REACH = 20
# A word such as `p.m.`, `D.C.` or `(U.S.A.)`. A sentence ends after it only if the next word is a typical first word.
_INITIALS = re.compile(r"[\"“(]*(?:[A-Za-z]\.)+[A-Za-z]?\.?[\"”’')\]]*")
# Typical first words of a sentence, which hardly ever follow an abbreviation.
_PRONOUNS_AND_ARTICLES = ("The", "A", "An", "It", "He", "She", "They", "His", "Her", "Its", "This", "These")
_OPENERS = frozenset((*_PRONOUNS_AND_ARTICLES, "In", "On", "At", "As", "However"))
# Brackets and quotation marks within which no sentence ends.
_PAIRS = (("(", ")"), ("[", "]"), ("“", "”"))


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence and its position."""

    passage: int
    """Index of its passage."""
    start: int
    end: int
    """Offsets in the text of the passage, without blanks around the sentence."""
    text: str

    @property
    def complete(self) -> bool:
        """Whether it begins and ends like a sentence. The first and the last one of a passage are often cut off."""
        opening = self.text.lstrip("\"'“‘([")[:1]
        return (opening.isupper() or opening.isdigit()) and bool(re.search(r"[.!?][\"'”’)\]]*$", self.text))


def split_sentences(text: str, passage: int = 0) -> tuple[Sentence, ...]:
    """Split a passage into sentences.

    A line break ends a sentence unless the text clearly goes on. A mark within quotes or brackets ends none.

    >>> [s.text for s in split_sentences("Martin Luther King Jr. spoke. It was hot.")]
    ['Martin Luther King Jr. spoke.', 'It was hot.']
    >>> [s.text for s in split_sentences('He said: "Stop. Think." At 8 p.m. UTC he left.')]
    ['He said: "Stop. Think."', 'At 8 p.m. UTC he left.']
    """
    spans: list[tuple[int, int]] = []
    for start, end in _pieces(text):
        if spans:
            previous_start, previous_end = spans[-1]
            if _goes_on(text[previous_start:previous_end], text[start:end]):
                spans[-1] = (previous_start, end)
                continue
        spans.append((start, end))
    return tuple(Sentence(passage, start, end, text[start:end]) for start, end in spans)


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each sentence of each line, without the blanks around it."""
    line_start = 0
    for line in text.splitlines(keepends=True):
        start = 0
        for end in (*_real_ends(line), len(line)):
            piece = line[start:end]
            if piece.strip():
                blanks = len(piece) - len(piece.lstrip())
                yield line_start + start + blanks, line_start + start + len(piece.rstrip())
            start = end
        line_start += len(line)


def _real_ends(line: str) -> Iterator[int]:
    """Yield the positions in a line at which a sentence ends, without that at the end of the line."""
    # A quotation or bracket that the line never closes does not count.
    pairs = [(opening, closing) for opening, closing in _PAIRS if line.count(opening) == line.count(closing)]
    has_pairs_of_quotes = line.count('"') % 2 == 0
    # `start` moves at real ends only, so that brackets and quotes are counted from the start of the sentence.
    start = 0
    for match in _POSSIBLE_END.finditer(line):
        end = match.start(1)
        piece = line[start:end]
        is_in_brackets = any(piece.count(opening) > piece.count(closing) for opening, closing in pairs)
        is_in_quotes = has_pairs_of_quotes and piece.count('"') % 2 == 1
        if not (is_in_brackets or is_in_quotes or _ends_with_abbreviation(piece, line[match.end() :])):
            yield end
            start = end


def _ends_with_abbreviation(piece: str, following: str) -> bool:
    """Whether the mark at the end of a piece belongs to an abbreviation, after which the sentence goes on."""
    if _UNFINISHED.search(piece[-_UNFINISHED_REACH:]):
        return True
    *_, last_word = piece.split(" ")
    next_word, *_ = following.split(" ", 1)
    return _INITIALS.fullmatch(last_word) is not None and next_word not in _OPENERS


def _goes_on(piece: str, following: str) -> bool:
    """Whether a sentence goes on after a piece, although a possible end or a line break follows it."""
    if _UNFINISHED.search(piece[-_UNFINISHED_REACH:]) or piece.count("(") > piece.count(")"):
        return True
    return following[:1].islower() or following[:1] in ")]”’,;"


def without(text: str, sentences: list[Sentence]) -> str:
    """The text of a passage without some of its sentences and the blanks after them.

    >>> text = "One.  Two. Three."
    >>> without(text, [split_sentences(text)[1]])
    'One.  Three.'
    """
    for sentence in sorted(sentences, key=lambda s: s.start, reverse=True):
        # From the end, so that the positions of earlier sentences stay valid.
        before, after = text[: sentence.start], text[sentence.end :]
        text = before + after.lstrip() if after.strip() else before.rstrip()
    return text
