"""What an original instance says, read by the verifiers on their own: aliases, support, kind of answer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from perturb.records import BaseInstance, Passage
from perturb.rules.checks.texts import (
    STOP_WORDS,
    content_stems,
    coverage,
    normal,
    sentences,
    stands_in,
    words,
)
from perturb.rules.checks.values import (
    MONTHS,
    ValueKind,
    asked_value_kind,
    numbers_in,
    same_stem,
    values_in,
    years_in,
)
from perturb.rules.checks.word_bank import WORDS, word_set


@dataclass(frozen=True, slots=True)
class Reading:
    """An original instance as a verifier reads it."""

    text: str
    """All passages, one after the other."""
    sentences: tuple[str, ...]
    words: tuple[str, ...]
    query_stems: frozenset[str]
    kind: ValueKind
    """The kind of the preferred answer."""
    aliases: tuple[str, ...]
    """Accepted answers of at most ten words that stand verbatim in a passage."""
    all_aliases: tuple[str, ...]
    """Every accepted answer, whether or not it stands in a passage."""
    alias_stems: frozenset[str]
    """Content stems of all accepted answers."""
    alias_values: frozenset[str]
    """The accepted answers as values of their kind."""
    support: tuple[str, ...]
    """Sentences that hold an alias, those closest to the question first."""

    @property
    def claim_stems(self) -> frozenset[str]:
        """What the question asserts: its content without the answer's words and words such as `year`."""
        return self.query_stems - self.alias_stems - _ASKED_KINDS


_ASKED_KINDS = word_set(WORDS.asked_kinds)


def reading_of(instance: BaseInstance) -> Reading:
    """Read an instance, once for all the candidates made of it."""
    return _reading(instance.query, instance.passages, instance.answers)


@lru_cache(maxsize=256)
def _reading(query: str, passages: tuple[Passage, ...], answers: tuple[str, ...]) -> Reading:
    text = "\n".join(passage.text for passage in passages)
    pieces = tuple(s for passage in passages for s in sentences(passage.text))
    aliases = tuple(a for a in answers if len(a.split()) <= 10 and stands_in(a, text))
    kind = asked_value_kind(query, (aliases or answers)[0])
    asked = content_stems(query)
    support = sorted(
        (s for s in pieces if any(stands_in(alias, s) for alias in aliases)),
        key=lambda s: -coverage(asked, content_stems(s)),
    )
    return Reading(
        text=text,
        sentences=pieces,
        words=words(text),
        query_stems=asked,
        kind=kind,
        aliases=aliases,
        all_aliases=answers,
        alias_stems=frozenset().union(*(content_stems(answer) for answer in answers)),
        alias_values=frozenset().union(*(values_in(kind, answer) for answer in answers)),
        support=tuple(support),
    )


def holds_alias(reading: Reading, text: str) -> bool:
    """True if an accepted answer that the passages held stands in this text."""
    return any(stands_in(alias, text) for alias in reading.aliases)


def traces_of(reading: Reading, query: str, text: str) -> list[str]:
    """Traces from which an answer could be recovered in a text that should hold none; empty if it is clean.

    Aliases, name parts, stems, the digit, word, ordinal or cardinal form of a number, the year of a date, and the
    adjective of a place. Words that the question itself says give nothing away.
    """
    found = [f"'{alias}'" for alias in reading.all_aliases if len(alias) > 1 and stands_in(alias, text)]
    if found:
        return found
    asked = frozenset(words(query))
    there = words(text)
    for answer in reading.all_aliases:
        found += _trace(reading.kind, answer, asked, there, text)
    return list(dict.fromkeys(found))


def _trace(
    kind: ValueKind, answer: str, asked: frozenset[str], there: tuple[str, ...], text: str
) -> list[str]:
    if kind is ValueKind.NUMBER:
        shared = numbers_in(answer) & numbers_in(text) - numbers_in(" ".join(asked))
        return [f"the number {number:g}" for number in sorted(shared)]
    if kind is ValueKind.DATE:
        return [f"the year {year}" for year in sorted(years_in(answer) & years_in(text) - asked)]
    adjectives = [
        WORDS.demonyms[place] for place in (normal(answer).removeprefix("the "),) if place in WORDS.demonyms
    ]
    found = [f"'{adjective}'" for adjective in adjectives if adjective in there and adjective not in asked]
    parts = [w for w in words(answer) if len(w) >= 3 and w not in STOP_WORDS and w not in MONTHS]
    parts = [w for w in parts if not any(same_stem(w, word) for word in asked)]
    if kind is ValueKind.NAME:
        return found + [f"'{part}'" for part in parts if _name_part_stands(part, answer, text)]
    hits = [w for w in parts if any(same_stem(w, other) for other in there)]
    if parts and len(hits) / len(parts) >= 0.6:
        found.append(f"'{' '.join(hits)}'")
    return found


def _name_part_stands(part: str, answer: str, text: str) -> bool:
    """True if a part of a name stands in the text otherwise than within somebody else's name.

    A last word of the name counts anywhere; a first word counts unless another capitalised word follows it.
    """
    if part in _COMMON_NAME_WORDS:
        return False
    last = words(answer)[-1] == part
    plain = normal(text)
    if part not in plain:
        return False
    for match in re.finditer(rf"\b{re.escape(part)}\w{{0,4}}\b", plain):
        shown = text[match.start() : match.end()] if len(plain) == len(text) else part.title()
        if not shown[:1].isupper() or not same_stem(match.group(), part):
            continue
        follow = text[match.end() : match.end() + 2] if len(plain) == len(text) else ""
        if last or not re.match(r"\s[A-Z]", follow):
            return True
    return False


_COMMON_NAME_WORDS = word_set(WORDS.common_name_words)
