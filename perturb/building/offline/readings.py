"""The analysis of an original instance for the offline verifiers: aliases, support and kind of the answer.

An alias is an accepted answer, and the support are the sentences that hold one. The module also finds dates, numbers
and names in a text, and the traces by which a text gives an answer away.
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
    """The kind of an answer."""

    DATE = "date"
    NUMBER = "number"
    NAME = "name"
    PHRASE = "phrase"


MONTHS = word_list("january february march april may june july august september october november december")

# The words from which spelled numbers are put together.
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
# Words with a value that is added: "four", "forty", "fourth", "fortieth". Scales such as "hundred" multiply.
_SMALL = {word: float(n) for n, word in enumerate(_ONES)} | {word: float(n) for word, n in _TENS.items()}
_SMALL |= {word: float(n) for n, word in enumerate(_ORDINALS)}
_SMALL |= {f"{word.removesuffix('y')}ieth": float(n) for word, n in _TENS.items()}
_SMALL |= {"twice": 2.0, "thrice": 3.0, "double": 2.0, "triple": 3.0, "couple": 2.0}

# `1984` and the start of `1990s`, but not a part of `1,984`, `1984.5` or `11984`.
YEAR = re.compile(r"(?<![\d,.])(1[0-9]{3}|20[0-9]{2})(?:s)?(?![\d]|,\d|\.\d)")
# A number that is a year by its place: after a preposition, a month or a bracket.
_DATED = re.compile(
    r"(?:\b(?:in|since|by|from|until|to|of|during|around|between|and|before|after|for|early|late|\d{1,2},|[A-Z][a-z]+)\s|[(–-])"
    r"(1[5-9]\d{2}|20[0-3]\d)(?![\d,.]\d)"
)
# `1,200`, `3.5` or `22nd`, in three groups: digits, decimals and the ending of an ordinal.
_NUMBER = re.compile(r"(?<![\w.,])(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?(st|nd|rd|th)?(?![\d]|,\d{3})")
# Words with capitals and the small words between them: `Gulf of Mexico`, `Ludwig van Beethoven`.
_NAME = re.compile(
    r"\b[A-Z][\w'’.&-]*(?:\s+(?:(?:of|the|de|da|del|van|von|der|la|le|bin|al)\s+){0,2}[A-Z0-9][\w'’.&-]*)*"
)
FIRST_NAMES = word_set(f"{WORDS.male_names} {WORDS.female_names}")
"""Common first names in small letters."""


@lru_cache(maxsize=1024)
def years_in(text: str) -> frozenset[str]:
    """The years from 1000 to 2099 in a text.

    >>> sorted(years_in("in 1984 and the 1990s, 1,984 men"))
    ['1984', '1990']
    """
    return frozenset(YEAR.findall(text))


@lru_cache(maxsize=1024)
def numbers_in(text: str) -> frozenset[float]:
    """The numbers in a text, in digits or words, cardinal or ordinal; the word `one` is not counted as a number.

    >>> sorted(numbers_in("the twenty-second of 1,200 and 3.5 million men"))
    [22.0, 1200.0, 3500000.0]
    """
    plain = re.sub(r"\b(?:per|a|each) second\b", " ", normal(text))  # this `second` is a unit, not an ordinal
    numbers: set[float] = set()
    for match in _NUMBER.finditer(plain):
        value = float(match.group(1).replace(",", "") + (match.group(2) or ""))
        following = plain[match.end() :].split(maxsplit=1)
        # "3.5 million" is one number.
        scale = _SCALES.get(following[0].strip(".,;)"), 1) if following else 1
        numbers.add(value * scale)
    return frozenset(numbers | _spelled_numbers(plain))


def _spelled_numbers(plain: str) -> set[float]:
    """The numbers that a text writes in words, put together word by word: `two` `hundred` `and` `five`."""
    numbers: set[float] = set()
    value: float | None = None
    previous = ""
    for word in [*re.findall(r"[a-z]+", plain), ""]:  # the empty word closes a number at the end of the text
        continues = value is None or previous in _SCALES or (previous in _TENS and _SMALL.get(word, 10) < 10)
        if word in _SMALL and continues:
            value = (value or 0.0) + _SMALL[word]
        elif word in _SCALES and value is not None:
            value *= _SCALES[word]
        elif word == "and" and previous in _SCALES:
            continue  # `previous` stays the scale, so that "two hundred and five" is one number
        else:
            if value is not None and previous != "one":
                numbers.add(value)
            value = _SMALL.get(word)
        previous = word
    return numbers


@lru_cache(maxsize=1024)
def names_in(text: str) -> frozenset[str]:
    """Capitalised spans of a text in lower case, without an opening stop word.

    A single capitalised word that opens a sentence counts only if it is a common first name.

    >>> sorted(names_in("The singer Ray Bell met Ann in New York."))
    ['ann', 'new york', 'ray bell']
    """
    names = set()
    for match in _NAME.finditer(text):
        tokens = match.group().strip(".,'’-&").split()
        before = text[: match.start()].rstrip("\"“'‘( ")
        opens = not before or before[-1] in ".!?"
        # The first word of a sentence has a capital in any case, so it may be an ordinary word.
        if opens and len(tokens) == 1 and normal(tokens[0]) not in FIRST_NAMES:
            continue
        while tokens and normal(tokens[0]) in STOP_WORDS | _OPENERS:
            tokens = tokens[1:]
        if tokens and not tokens[0].isdigit():
            name = normal(" ".join(tokens))
            names.add(name[:-2] if name.endswith("'s") else name)
    return frozenset(names)


@lru_cache(maxsize=1024)
def values_in(kind: ValueKind, text: str) -> frozenset[str]:
    """Values of a kind in a text, as strings that can be compared; empty for phrases, which no pattern can find."""
    if kind is ValueKind.DATE:
        return years_in(text) | _days_in(text)
    if kind is ValueKind.NUMBER:
        # A number in a position where a year is usual, such as after "in", does not count anything.
        years = {float(year) for year in _DATED.findall(text)}
        return frozenset(f"{number:g}" for number in numbers_in(text) - years)
    if kind is ValueKind.NAME:
        return frozenset(name for name in names_in(text) if not frozenset(name.split()) & _CALENDAR)
    return frozenset()


def asked_value_kind(query: str, answer: str) -> ValueKind:
    """The kind of value that a question asks for, judged by its answer.

    >>> asked_value_kind("when did it open", "May 1984")
    <ValueKind.DATE: 'date'>
    >>> asked_value_kind("how many men", "three")
    <ValueKind.NUMBER: 'number'>
    """
    answer_text, question = normal(answer), normal(query)
    tokens = words(answer)
    # "may" alone is a verb.
    if any(token in MONTHS for token in tokens) and len(tokens) <= 6 and answer_text != "may":
        return ValueKind.DATE
    if (
        years_in(answer_text)
        and len(tokens) <= 5
        and not re.search(r"\bhow (?:many|much|big|long|far)\b", question)
    ):
        return ValueKind.DATE
    if numbers_in(answer_text) and len(tokens) <= 5 and not answer[:1].isupper():
        return ValueKind.NUMBER
    if re.search(r"\bhow (?:many|much)\b", question) and numbers_in(answer_text):
        return ValueKind.NUMBER
    capitals = re.findall(r"\b[A-Z]", answer)
    content_words = [token for token in tokens if token not in STOP_WORDS]
    # Most words of a name have a capital, but not all: "Mendel's laws of inheritance".
    if len(capitals) >= max(1, len(content_words) * 0.6):
        return ValueKind.NAME
    return ValueKind.PHRASE


# `may 3` (groups 1 and 2) or `3 may` (groups 3 and 4), in a normal text.
_DAY = re.compile(rf"\b({'|'.join(MONTHS)}) (\d{{1,2}})\b|\b(\d{{1,2}}) ({'|'.join(MONTHS)})\b")


def _days_in(text: str) -> frozenset[str]:
    """The days in a text, each with its month first: `may 3`."""
    days = set()
    for month_first, day_second, day_first, month_second in _DAY.findall(normal(text)):
        days.add(f"{month_first or month_second} {day_second or day_first}")
    return frozenset(days)


# Words that have a capital in English without being names.
_CALENDAR = word_set("monday tuesday wednesday thursday friday saturday sunday") | frozenset(MONTHS)
_OPENERS = word_set(WORDS.openers)


def same_stem(word: str, other: str) -> bool:
    """True if two words are forms of each other, judged by their stems and a long shared beginning.

    >>> same_stem("christianity", "christian"), same_stem("portal", "portugal")
    (True, False)
    """
    word_stem, other_stem = stem(word), stem(other)
    shorter = min(len(word_stem), len(other_stem))
    # Unrelated words often share fewer than five letters: "port" begins "portugal" too.
    return word_stem == other_stem or (shorter >= 5 and word_stem[:shorter] == other_stem[:shorter])


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
    """Every accepted answer, even if no passage holds it."""
    alias_stems: frozenset[str]
    """Content stems of all accepted answers."""
    alias_values: frozenset[str]
    """The accepted answers as values of their kind."""
    support: tuple[str, ...]
    """Sentences that hold an alias, those closest to the question first."""

    @property
    def claim_stems(self) -> frozenset[str]:
        """The claim of the question: its content stems without the answer's words and words such as `year`."""
        return self.query_stems - self.alias_stems - _ASKED_KINDS


_ASKED_KINDS = word_set(WORDS.asked_kinds)


def reading_of(instance: BaseInstance) -> Reading:
    """Read an instance, once for all the candidates made of it."""
    return _reading(instance.query, instance.passages, instance.answers)


# A passage holds a longer answer verbatim only by chance.
_MOST_ANSWER_WORDS = 10


@lru_cache(maxsize=256)
def _reading(query: str, passages: tuple[Passage, ...], answers: tuple[str, ...]) -> Reading:
    text = "\n".join(passage.text for passage in passages)
    all_sentences = tuple(s for passage in passages for s in sentences(passage.text))
    # A long answer is a sentence, whose words are not found in one piece.
    aliases = tuple(a for a in answers if len(a.split()) <= _MOST_ANSWER_WORDS and stands_in(a, text))
    kind = asked_value_kind(query, (aliases or answers)[0])
    query_stems = content_stems(query)
    support = sorted(
        (s for s in all_sentences if any(stands_in(alias, s) for alias in aliases)),
        key=lambda s: -coverage(query_stems, content_stems(s)),
    )
    return Reading(
        text=text,
        sentences=all_sentences,
        words=words(text),
        query_stems=query_stems,
        kind=kind,
        aliases=aliases,
        all_aliases=answers,
        alias_stems=frozenset().union(*(content_stems(answer) for answer in answers)),
        alias_values=frozenset().union(*(values_in(kind, answer) for answer in answers)),
        support=tuple(support),
    )


def holds_alias(reading: Reading, text: str) -> bool:
    """True if this text holds an accepted answer that the original passages also held."""
    return any(stands_in(alias, text) for alias in reading.aliases)


def traces_of(reading: Reading, query: str, text: str) -> list[str]:
    """Traces of an answer in a text from which the answer was removed; empty if the text is clean.

    A trace is an alias, a part of a name, a word with the same stem, any form of a number, the year of a date, or the
    adjective of a place. Words of the question are not traces.
    """
    # An answer of one letter would be found in most texts.
    traces = [f"'{alias}'" for alias in reading.all_aliases if len(alias) > 1 and stands_in(alias, text)]
    if traces:
        return traces
    query_words = frozenset(words(query))
    text_words = words(text)
    for answer in reading.all_aliases:
        traces += _trace(reading.kind, answer, query_words, text_words, text)
    return list(dict.fromkeys(traces))


def _trace(
    kind: ValueKind, answer: str, query_words: frozenset[str], text_words: tuple[str, ...], text: str
) -> list[str]:
    """The traces of one accepted answer, of a kind, in a text that does not hold it verbatim."""
    if kind is ValueKind.NUMBER:
        shared = numbers_in(answer) & numbers_in(text) - numbers_in(" ".join(query_words))
        return [f"the number {number:g}" for number in sorted(shared)]
    if kind is ValueKind.DATE:
        return [f"the year {year}" for year in sorted(years_in(answer) & years_in(text) - query_words)]
    adjective = WORDS.demonyms.get(normal(answer).removeprefix("the "))
    has_adjective = adjective in text_words and adjective not in query_words
    traces = [f"'{adjective}'"] if has_adjective else []
    answer_parts = [
        part
        for part in words(answer)
        if len(part) >= 3
        and part not in STOP_WORDS
        and part not in MONTHS
        and not any(same_stem(part, word) for word in query_words)
    ]
    if kind is ValueKind.NAME:
        return traces + [f"'{part}'" for part in answer_parts if _name_part_stands(part, answer, text)]
    # A phrase leaves single words in many texts, so most of its words must be there.
    shared_parts = [part for part in answer_parts if any(same_stem(part, word) for word in text_words)]
    if answer_parts and len(shared_parts) / len(answer_parts) >= _PARTS_OF_A_PHRASE:
        traces.append(f"'{' '.join(shared_parts)}'")
    return traces


# Share of the words of a phrase that must be in a text for it to show there.
_PARTS_OF_A_PHRASE = 0.6


def _name_part_stands(part: str, answer: str, text: str) -> bool:
    """True if the text holds a part of a name, and not as a part of another person's name.

    The last word of the name counts anywhere. Another word counts unless a word with a capital follows it.
    """
    if part in _COMMON_NAME_WORDS:
        return False
    is_last = words(answer)[-1] == part
    plain = normal(text)
    if part not in plain:
        return False
    # `plain` may differ from the text in length, for instance after a ligature. Then positions say nothing about the
    # spelling, and the part counts.
    for match in re.finditer(rf"\b{re.escape(part)}\w{{0,4}}\b", plain):
        spelling = text[match.start() : match.end()] if len(plain) == len(text) else part.title()
        if not spelling[:1].isupper() or not same_stem(match.group(), part):
            continue
        next_characters = text[match.end() : match.end() + 2] if len(plain) == len(text) else ""
        if is_last or not re.match(r"\s[A-Z]", next_characters):
            return True
    return False


_COMMON_NAME_WORDS = word_set(WORDS.common_name_words)
