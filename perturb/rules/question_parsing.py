"""A question read as a claim with a gap: "who wrote Emma" becomes "… wrote Emma"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from perturb.rules import pools
from perturb.rules.words import plain, tokens, word_list

Gap = Literal["subject", "date", "place", "number", "thing"]

_VERBS = frozenset(
    word_list(
        """
    come start begin open end win join become die happen move stop get leave play take release
    air premiere debut split change cut record make build write publish form found create establish
    launch introduce invent discover occur live originate originated sing perform film shoot arrive
    land enter marry retire close erupt go run last switch gain sign adopt ban abolish reinstate
    pass sell buy appear grow meet fight develop emerge return bring film finish hit reach receive
    separate break lose hold host name declare drop fall rise say use turn move store sit stand flow
    belong graduate attend born celebrate visit lie find
    """
    )
)
"""Base forms that may head a question of the form "when did X … "."""

_NOUN_TOO = frozenset(
    word_list(
        """
    last record play drop air park end land name film store run host game change
    """
    )
)
"""Verbs that a question more often uses as nouns."""

_NO_VERB = frozenset(
    word_list(
        """
    is was are were did does do has have had can could will would should
    """
    )
)
_NOT_SUBJECT_VERB = frozenset(
    word_list(
        """
    other else of in the a an to has all
    """
    )
)
_INTRANSITIVE = frozenset(
    word_list(
        """
    come start begin end premiere happen arrive die occur live return open air debut erupt
    """
    )
)
_AFTER_INTRANSITIVE = frozenset(
    word_list(
        """
    out on in at to from for into of off up back through first the a place by being with after
    before over
    """
    )
)
_PARTICIPLES = frozenset(
    word_list(
        """
    made built born written won held sung shot set found known begun sold bought taken given drawn
    fought put seen worn cut hit laid sent shown thrown spoken broken chosen driven grown led left
    lost met paid read run said told
    """
    )
)


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """A question taken apart."""

    wh: str
    """`who`, `when`, `where`, `how many`, `which`, in lower case."""
    gap: Gap
    """What the answer is in the claim."""
    before: str
    after: str
    """The claim's words on both sides of the answer, in proper letter case; the claim is before + answer + after."""
    verb: str
    """The main verb as the claim uses it."""
    remainder: str
    """What follows the verb when the answer is the subject; else the subject with what follows its verb."""

    def claim(self, value: str) -> str:
        """The claim with a value in the gap, without an end mark.

        >>> parse_question("who wrote Emma").claim("Jane Austen")
        'Jane Austen wrote Emma'
        """
        words = f"{self.before} {self.with_preposition(value)} {self.after}"
        return re.sub(r"\s+", " ", words).strip()

    def with_preposition(self, value: str) -> str:
        """The value as the claim needs it: "in 1984", "on 3 May 1984", "in Rome"."""
        first = plain(tokens(value)[0]) if tokens(value) else ""
        if self.gap == "number" and self.wh == "how many":
            return (
                " ".join(value.split()[: max(1, len(value.split()) - 1)]) if len(value.split()) > 1 else value
            )
        if self.gap not in ("date", "place") or first in (
            "in",
            "on",
            "at",
            "by",
            "after",
            "before",
            "during",
            "around",
            "since",
        ):
            return value
        if self.gap == "place":
            return f"in {value}" if self.verb != "come" else f"from {value}"
        has_day = bool(re.search(r"\b\d{1,2}\b(?!\d)", re.sub(r"\b\d{3,4}\b", "", value)))
        return f"on {value}" if has_day else f"in {value}"


def parse_question(query: str) -> ParsedQuestion | None:
    """Read a question whose names are already in proper case; None where its form is not a known one."""
    words = query.strip().rstrip("?. ").split()
    lowered = [word.lower() for word in words]
    if len(words) < 3 or len(words) > 20 or any(mark in query for mark in ";|{}[]\n"):
        return None
    if lowered[0] == "who":
        return _who(words, lowered)
    if lowered[0] in ("when", "where"):
        return _when_where(words, lowered)
    if lowered[:2] == ["how", "many"]:
        return _how_many(words, lowered)
    if lowered[0] in ("what", "which"):
        return _which(words, lowered)
    return None


def embedded(query: str, question: ParsedQuestion) -> str | None:
    """The question as a clause inside a sentence; None where its form does not allow it.

    >>> embedded("when did Emma come out", parse_question("when did Emma come out"))
    'when Emma came out'
    """
    if question.wh == "who" and question.verb in ("is", "was"):
        return f"who {question.remainder} {question.verb}" if len(question.remainder.split()) <= 8 else None
    if question.wh == "who":
        return query.strip().rstrip("?. ")[:1].lower() + query.strip().rstrip("?. ")[1:]
    if question.gap in ("date", "place"):
        return f"{question.wh} {question.before} {question.after}".strip()
    if question.gap == "number" and not question.before:
        return f"how many {question.after}"
    return None


def _who(words: list[str], lowered: list[str]) -> ParsedQuestion | None:
    verb, rest = lowered[1], " ".join(words[2:])
    if verb in ("is", "was") and len(words) > 3 and lowered[2] in ("the", "a", "an"):
        if {"that", "who", "when", "where"} & set(lowered[3:]) and lowered[-1] in pools.TOPIC_KINDS:
            return None
        return ParsedQuestion("who", "subject", "", f"{verb} {rest}", verb, rest)
    if verb in _NO_VERB or lowered[2] in ("did", "does", "do") or not is_verb(verb):
        return None
    if inflected(verb, "VB") == verb and verb not in (inflected(verb, "VBD"), inflected(verb, "VBZ")):
        return None
    if lowered[-1] in ("and", "or", "of", "by", "with", "from", "when", "where") or " or " in rest.lower():
        return None
    return ParsedQuestion("who", "subject", "", f"{words[1]} {rest}", words[1], rest)


def _when_where(words: list[str], lowered: list[str]) -> ParsedQuestion | None:
    gap: Gap = "date" if lowered[0] == "when" else "place"
    auxiliary, rest, low = lowered[1], words[2:], lowered[2:]
    if auxiliary in ("did", "does", "do"):
        place = _verb_place(low)
        if place is None:
            return None
        following = low[place + 1 : place + 2]
        if "and" in following or (
            low[place] in _INTRANSITIVE and following and following[0] not in _AFTER_INTRANSITIVE
        ):
            return None
        if low[place + 1 : place + 3] == ["come", "out"] or (
            low[place] == "come"
            and "out" in following
            and low[place + 2 : place + 3] not in ([], ["in"], ["on"], ["for"])
        ):
            return None
        tag = {"did": "VBD", "does": "VBZ", "do": "VBP"}[auxiliary]
        verb = inflected(low[place], tag)
        if verb is None:
            return None
        claim = " ".join([*rest[:place], verb, *rest[place + 1 :]])
        if gap == "place" and low[place] == "come" and "from" in following:
            after = " ".join(rest[place + 2 :])
            return ParsedQuestion(
                "where", "thing", f"{' '.join(rest[:place])} {verb} from", after, verb, " ".join(rest)
            )
        if "from" in low[-1:] or "map" in low:
            return None
        return ParsedQuestion(lowered[0], gap, claim, "", verb, " ".join(rest))
    if auxiliary in ("was", "were", "is", "are") and "map" not in low:
        if gap == "date" and low[:2] in (["the", "last"], ["the", "first"]) and "time" in low[:3]:
            return ParsedQuestion("when", gap, f"{' '.join(rest)} {auxiliary}", "", auxiliary, " ".join(rest))
        place = next((i for i, word in enumerate(low) if i and _participle(word)), None)
        if place is None or (low[place - 1] in ("first", "last") and place < 2):
            return None
        subject = rest[:place]
        adverb = subject.pop() if subject[-1].lower() in ("first", "last", "originally", "finally") else ""
        if not subject or plain(subject[-1]) in ("the", "a", "of"):
            return None
        claim = " ".join(part for part in (*subject, auxiliary, adverb, *rest[place:]) if part)
        return ParsedQuestion(lowered[0], gap, claim, "", low[place], " ".join(rest))
    return None


def _how_many(words: list[str], lowered: list[str]) -> ParsedQuestion | None:
    for place in range(3, len(words)):
        if lowered[place] in ("are", "were") and lowered[place + 1 : place + 2] == ["there"]:
            noun, rest = " ".join(words[2:place]), " ".join(words[place + 2 :])
            return ParsedQuestion(
                "how many", "number", f"there {lowered[place]}", f"{noun} {rest}", lowered[place], rest
            )
        if lowered[place] in ("are", "were") and place + 1 < len(words):
            noun, rest = " ".join(words[2:place]), " ".join(words[place:])
            if _participle(lowered[place + 1]) or lowered[place + 1] in ("in", "on", "present"):
                return ParsedQuestion("how many", "number", "", f"{noun} {rest}", lowered[place], rest)
            return None
        if lowered[place] in _NO_VERB:
            return None
    return None


def _which(words: list[str], lowered: list[str]) -> ParsedQuestion | None:
    for place in range(2, min(len(words) - 1, 5)):
        if lowered[place] in _NO_VERB or lowered[place - 1] in ("of", "and"):
            break
        if is_verb(lowered[place]) and inflected(lowered[place], "VBZ", lemma_of=True) is not None:
            noun, rest = " ".join(words[1:place]), " ".join(words[place:])
            return ParsedQuestion("which", "thing", "", f"is the {noun} that {rest}", words[place], rest)
    if lowered[1] in ("is", "was") and lowered[2] == "the":
        rest = " ".join(words[2:])
        return ParsedQuestion("what", "thing", f"{rest} {lowered[1]}", "", lowered[1], rest)
    return None


def _verb_place(low: list[str]) -> int | None:
    """Where the main verb of "did X … " stands: the first likely base form after the subject began."""
    places = [
        i
        for i, word in enumerate(low)
        if i and word in _VERBS and low[i - 1] not in ("the", "a", "an", "of", "to")
    ]
    places = [i for i in places if low[i - 2 : i] not in (["the", "first"], ["the", "last"])]
    sure = [i for i in places if low[i] not in _NOUN_TOO]
    chosen = sure or places
    return chosen[0] if chosen else None


def _participle(word: str) -> bool:
    return word in _PARTICIPLES or (word.endswith("ed") and len(word) > 4 and is_verb(word))


@lru_cache(maxsize=4096)
def is_verb(word: str) -> bool:
    """Whether a word, in lower case, is a form of a verb."""
    from lemminflect import getAllLemmas

    if not word.isalpha() or word in _NOT_SUBJECT_VERB:
        return False
    return "VERB" in getAllLemmas(word)


@lru_cache(maxsize=4096)
def inflected(verb: str, tag: str, lemma_of: bool = False) -> str | None:
    """A form of a verb by its Penn tag; with `lemma_of` only if `verb` is such a finite form itself.

    >>> inflected("begin", "VBD"), inflected("wrote", "VBN")
    ('began', 'written')
    """
    from lemminflect import getInflection, getLemma

    lemmas = getLemma(verb, upos="VERB")
    if not lemmas:
        return None
    forms = getInflection(lemmas[0], tag=tag)
    if lemma_of:
        past = getInflection(lemmas[0], tag="VBD")
        return verb if verb in (*forms, *past) else None
    return str(forms[0]) if forms else None
