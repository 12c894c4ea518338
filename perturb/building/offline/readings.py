"""How the offline verifiers read an original instance: aliases, support and kind of the answer.

It also finds values of a type in a text, which are dates, numbers and names, and the forms that a value may take.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from perturb.building.offline.checked_words import (
    STOP_WORDS,
    WORDS,
    content_stems,
    coverage,
    normal,
    sentences,
    stands_in,
    stem,
    word_list,
    word_set,
    words,
)
from perturb.records import BaseInstance, Passage


class ValueKind(StrEnum):
    """What kind of thing an answer is."""

    DATE = "date"
    NUMBER = "number"
    NAME = "name"
    PHRASE = "phrase"


MONTHS = word_list("january february march april may june july august september october november december")

_ONES = word_list(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
_TENS = dict(
    zip(word_list("twenty thirty forty fifty sixty seventy eighty ninety"), range(20, 100, 10), strict=True)
)
_ORDINALS = word_list(
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth"
)
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000, "dozen": 12}
_SMALL = {word: float(n) for n, word in enumerate(_ONES)} | {word: float(n) for word, n in _TENS.items()}
_SMALL |= {word: float(n) for n, word in enumerate(_ORDINALS)} | {
    stem_ + "ieth": float(n) for stem_, n in ((t[:-1], n) for t, n in _TENS.items())
}
_SMALL |= {"twice": 2.0, "thrice": 3.0, "double": 2.0, "triple": 3.0, "couple": 2.0}

YEAR = re.compile(r"(?<![\d,.])(1[0-9]{3}|20[0-9]{2})(?:s)?(?![\d]|,\d|\.\d)")
_DATED = re.compile(
    r"(?:\b(?:in|since|by|from|until|to|of|during|around|between|and|before|after|for|early|late|\d{1,2},|[A-Z][a-z]+)\s|[(–-])"
    r"(1[5-9]\d{2}|20[0-3]\d)(?![\d,.]\d)"
)
"""A number that is a year by its place: after a preposition, a month or a bracket."""
_NUMBER = re.compile(r"(?<![\w.,])(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?(st|nd|rd|th)?(?![\d]|,\d{3})")
_NAME = re.compile(
    r"\b[A-Z][\w'’.&-]*(?:\s+(?:(?:of|the|de|da|del|van|von|der|la|le|bin|al)\s+){0,2}[A-Z0-9][\w'’.&-]*)*"
)
FIRST_NAMES = word_set(f"{WORDS.male_names} {WORDS.female_names}")


@lru_cache(maxsize=1024)
def years_in(text: str) -> frozenset[str]:
    """The years from 1000 to 2099 in a text.

    >>> sorted(years_in("in 1984 and the 1990s, 1,984 men"))
    ['1984', '1990']
    """
    return frozenset(YEAR.findall(text))


@lru_cache(maxsize=1024)
def numbers_in(text: str) -> frozenset[float]:
    """The numbers in a text, in digits or words, cardinal or ordinal; the word `one` counts as no number.

    >>> sorted(numbers_in("the twenty-second of 1,200 and 3.5 million men"))
    [22.0, 1200.0, 3500000.0]
    """
    plain = re.sub(r"\b(?:per|a|each) second\b", " ", normal(text))
    found: set[float] = set()
    for match in _NUMBER.finditer(plain):
        value = float(match.group(1).replace(",", "") + (match.group(2) or ""))
        follow = plain[match.end() :].split(maxsplit=1)
        scale = _SCALES.get(follow[0].strip(".,;)"), 1) if follow else 1
        found.add(value * scale)
    return frozenset(found | _spelled_numbers(plain))


def _spelled_numbers(plain: str) -> set[float]:
    found: set[float] = set()
    value: float | None = None
    last = ""
    for word in [*re.findall(r"[a-z]+", plain), ""]:
        if word in _SMALL and (value is None or last in _SCALES or (last in _TENS and _SMALL[word] < 10)):
            value = (value or 0.0) + _SMALL[word]
        elif word in _SCALES and value is not None:
            value *= _SCALES[word]
        elif word == "and" and last in _SCALES:
            continue
        else:
            if value is not None and last != "one":
                found.add(value)
            value = _SMALL.get(word)
        last = word
    return found


@lru_cache(maxsize=1024)
def names_in(text: str) -> frozenset[str]:
    """Capitalised spans of a text in lower case, without an opening stop word.

    A single capitalised word that opens a sentence counts only if it is a common first name.

    >>> sorted(names_in("The singer Ray Bell met Ann in New York."))
    ['ann', 'new york', 'ray bell']
    """
    found = set()
    for match in _NAME.finditer(text):
        tokens = match.group().strip(".,'’-&").split()
        opens = (
            not text[: match.start()].rstrip("\"“'‘( ")
            or text[: match.start()].rstrip("\"“'‘( ")[-1] in ".!?"
        )
        if opens and len(tokens) == 1 and normal(tokens[0]) not in FIRST_NAMES:
            continue
        while tokens and normal(tokens[0]) in STOP_WORDS | _OPENERS:
            tokens = tokens[1:]
        if tokens and not tokens[0].isdigit():
            name = normal(" ".join(tokens))
            found.add(name[:-2] if name.endswith("'s") else name)
    return frozenset(found)


@lru_cache(maxsize=1024)
def values_in(kind: ValueKind, text: str) -> frozenset[str]:
    """Values of a kind in a text, as comparable strings; none for phrases, whose kind has no shape."""
    if kind is ValueKind.DATE:
        return years_in(text) | _days_in(text)
    if kind is ValueKind.NUMBER:
        years = {float(year) for year in _DATED.findall(text)}
        return frozenset(f"{number:g}" for number in numbers_in(text) - years)
    if kind is ValueKind.NAME:
        return frozenset(name for name in names_in(text) if not frozenset(name.split()) & _CALENDAR)
    return frozenset()


def asked_value_kind(query: str, answer: str) -> ValueKind:
    """The kind of value that a question asks for, judged by its answer.

    >>> [
    ...     asked_value_kind(query, answer)
    ...     for query, answer in (("when did it open", "May 1984"), ("how many men", "three"), ("who won", "Ray Bell"))
    ... ]
    [<ValueKind.DATE: 'date'>, <ValueKind.NUMBER: 'number'>, <ValueKind.NAME: 'name'>]
    """
    lowered, asked = normal(answer), normal(query)
    tokens = words(answer)
    if any(token in MONTHS for token in tokens) and len(tokens) <= 6 and lowered != "may":
        return ValueKind.DATE
    if years_in(lowered) and len(tokens) <= 5 and not re.search(r"\bhow (?:many|much|big|long|far)\b", asked):
        return ValueKind.DATE
    if numbers_in(lowered) and len(tokens) <= 5 and not answer[:1].isupper():
        return ValueKind.NUMBER
    if re.search(r"\bhow (?:many|much)\b", asked) and numbers_in(lowered):
        return ValueKind.NUMBER
    capitals = re.findall(r"\b[A-Z]", answer)
    if len(capitals) >= max(1, len([t for t in tokens if t not in STOP_WORDS]) * 0.6):
        return ValueKind.NAME
    return ValueKind.PHRASE


_DAY = re.compile(rf"\b({'|'.join(MONTHS)}) (\d{{1,2}})\b|\b(\d{{1,2}}) ({'|'.join(MONTHS)})\b")


def _days_in(text: str) -> frozenset[str]:
    return frozenset(f"{m[1] or m[4]} {m[2] or m[3]}" for m in _DAY.finditer(normal(text)))


_CALENDAR = word_set("monday tuesday wednesday thursday friday saturday sunday") | frozenset(MONTHS)
_OPENERS = word_set(WORDS.openers)


def same_stem(word: str, other: str) -> bool:
    """True if two words are forms of each other, judged by their stems and a long shared beginning.

    >>> same_stem("christianity", "christian"), same_stem("portal", "portugal")
    (True, False)
    """
    a, b = stem(word), stem(other)
    short = min(len(a), len(b))
    return a == b or (short >= 5 and a[:short] == b[:short])


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
