"""What the offline verifiers read in an original instance: aliases, support and kind of the answer.

An *alias* is an accepted answer that a passage holds, and the *support* is the list of the sentences that hold one.
`reading_of` collects them. The first half of the module finds *values* in a text: dates, numbers and names. The second
half finds *traces*: words by which a text gives an answer away although the answer itself is gone.
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


_MONTHS = word_list("january february march april may june july august september october november december")

# The words from which spelled numbers are put together: "forty" adds its value to the number, "hundred" multiplies it.
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
_ADDED = {"twice": 2, "thrice": 3, "double": 2, "triple": 3, "couple": 2} | _TENS
_ADDED |= {word: number for number, word in enumerate(_ONES)}
_ADDED |= {word: number for number, word in enumerate(_ORDINALS)}
_ADDED |= {f"{word.removesuffix('y')}ieth": number for word, number in _TENS.items()}  # "fortieth"
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000, "dozen": 12}

# `1984` and the start of `1990s`, but not a part of `1,984`, `1984.5` or `11984`.
_YEAR = re.compile(r"(?<![\d,.])(1[0-9]{3}|20[0-9]{2})(?:s)?(?![\d]|,\d|\.\d)")
# A number that is a year by its place.
_YEAR_IN_PLACE = re.compile(
    r"""
    (?: \b(?: in|since|by|from|until|to|of|during|around|between|and|before|after|for|early|late
            | \d{1,2},            # "May 4, 1818"
            | [A-Z][a-z]+         # "May 1818"
        )\s
      | [(–-]                     # "(1818–1820)"
    )
    (1[5-9]\d{2}|20[0-3]\d)(?![\d,.]\d)
    """,
    re.VERBOSE,
)
# `1,200`, `3.5` or `22nd`, in three groups: digits, decimals and the ending of an ordinal.
_NUMBER = re.compile(r"(?<![\w.,])(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?(st|nd|rd|th)?(?![\d]|,\d{3})")
# The name of a month, as a group
_MONTH = f"({'|'.join(_MONTHS)})"
# `may 3` (groups 1 and 2) or `3 may` (groups 3 and 4), in a normal text.
_DAY = re.compile(rf"\b{_MONTH} (\d{{1,2}})\b|\b(\d{{1,2}}) {_MONTH}\b")
# Words with capitals and the small words between them: `Gulf of Mexico`, `Ludwig van Beethoven`.
_NAME = re.compile(
    r"\b[A-Z][\w'’.&-]*(?:\s+(?:(?:of|the|de|da|del|van|von|der|la|le|bin|al)\s+){0,2}[A-Z0-9][\w'’.&-]*)*"
)
# Words that have a capital in English without being names.
_CALENDAR = word_set("monday tuesday wednesday thursday friday saturday sunday") | frozenset(_MONTHS)
_OPENERS = word_set(WORDS.openers)
_ASKED_KINDS = word_set(WORDS.asked_kinds)
_COMMON_NAME_WORDS = word_set(WORDS.common_name_words)
# A longer answer with a month or a year is a phrase and not a date, and likewise with numbers.
_MOST_DATE_WORDS, _MOST_NUMBER_WORDS = 6, 5
# Share of the content words of a name that have a capital: not all do in "Mendel's laws of inheritance".
_CAPITALS_OF_A_NAME = 0.6
# Share of the words of a phrase that must be in a text for it to show there.
_PARTS_OF_A_PHRASE = 0.6
# A longer answer is a sentence, which hardly any passage holds word for word.
_MOST_ANSWER_WORDS = 10
# Common first names in small letters.
_FIRST_NAMES = word_set(f"{WORDS.male_names} {WORDS.female_names}")


@lru_cache(maxsize=1024)
def years_in(text: str) -> frozenset[str]:
    """The years from 1000 to 2099 in a text.

    >>> sorted(years_in("in 1984 and the 1990s, 1,984 men"))
    ['1984', '1990']
    """
    return frozenset(_YEAR.findall(text))


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
    """The numbers that a text writes in words.

    A word continues a number after a scale ("two hundred | five") or as a unit after a ten ("twenty | two"). Otherwise
    it begins another number. Numbers that end in "one" are left out, since this word is seldom a number.

    >>> sorted(_spelled_numbers("two hundred and five men, twenty two or thirty forty boys, and one of them"))
    [22.0, 30.0, 40.0, 205.0]
    """
    numbers: set[float] = set()
    value: float | None = None  # of the number that may still go on
    previous = ""
    for word in [*re.findall(r"[a-z]+", plain), ""]:  # the empty word closes a number at the end of the text
        is_unit_after_ten = previous in _TENS and _ADDED.get(word, 10) < 10
        if word in _ADDED and (value is None or previous in _SCALES or is_unit_after_ten):
            value = (value or 0.0) + _ADDED[word]
        elif word in _SCALES and value is not None:
            value *= _SCALES[word]
        elif word == "and" and previous in _SCALES:
            continue  # `previous` stays the scale, so that "two hundred and five" is one number
        else:
            if value is not None and previous != "one":
                numbers.add(float(value))
            value = _ADDED.get(word)
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
        if opens and len(tokens) == 1 and normal(tokens[0]) not in _FIRST_NAMES:
            continue
        while tokens and normal(tokens[0]) in STOP_WORDS | _OPENERS:
            tokens = tokens[1:]
        if tokens and not tokens[0].isdigit():
            names.add(normal(" ".join(tokens)).removesuffix("'s"))
    return frozenset(names)


@lru_cache(maxsize=1024)
def values_in(kind: ValueKind, text: str) -> frozenset[str]:
    """Values of a kind in a text, as strings that can be compared; empty for phrases, which no pattern can find."""
    if kind is ValueKind.DATE:
        return years_in(text) | _days_in(text)
    if kind is ValueKind.NUMBER:
        # A number in a position where a year is usual, such as after "in", does not count anything.
        years = {float(year) for year in _YEAR_IN_PLACE.findall(text)}
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
    has_month = any(token in _MONTHS for token in tokens) and answer_text != "may"
    if has_month and len(tokens) <= _MOST_DATE_WORDS:
        return ValueKind.DATE
    is_short = len(tokens) <= _MOST_NUMBER_WORDS
    asks_for_measure = re.search(r"\bhow (?:many|much|big|long|far)\b", question)
    if years_in(answer_text) and is_short and not asks_for_measure:
        return ValueKind.DATE
    if numbers_in(answer_text):
        # With a capital, it may be a name, such as "Three Mile Island".
        if is_short and not answer[:1].isupper():
            return ValueKind.NUMBER
        if re.search(r"\bhow (?:many|much)\b", question):
            return ValueKind.NUMBER
    capitals = re.findall(r"\b[A-Z]", answer)
    content_words = [token for token in tokens if token not in STOP_WORDS]
    if len(capitals) >= max(1, len(content_words) * _CAPITALS_OF_A_NAME):
        return ValueKind.NAME
    return ValueKind.PHRASE


def _days_in(text: str) -> frozenset[str]:
    """The days in a text, each with its month first: `may 3`."""
    days = set()
    for month_first, day_second, day_first, month_second in _DAY.findall(normal(text)):
        days.add(f"{month_first or month_second} {day_second or day_first}")
    return frozenset(days)


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


def reading_of(instance: BaseInstance) -> Reading:
    """Read an instance, once for all the candidates made of it."""
    return _reading(instance.query, instance.passages, instance.answers)


@lru_cache(maxsize=256)
def _reading(query: str, passages: tuple[Passage, ...], answers: tuple[str, ...]) -> Reading:
    text = "\n".join(passage.text for passage in passages)
    all_sentences = tuple(s for passage in passages for s in sentences(passage.text))
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
        traces += _traces_of_answer(reading.kind, answer, query_words, text_words, text)
    return list(dict.fromkeys(traces))


def _traces_of_answer(
    kind: ValueKind, answer: str, query_words: frozenset[str], text_words: tuple[str, ...], text: str
) -> list[str]:
    """The traces of one accepted answer, of a kind, in a text that does not hold it verbatim."""
    if kind is ValueKind.NUMBER:
        new_numbers = numbers_in(text) - numbers_in(" ".join(query_words))
        return [f"the number {number:g}" for number in sorted(numbers_in(answer) & new_numbers)]
    if kind is ValueKind.DATE:
        new_years = years_in(text) - query_words
        return [f"the year {year}" for year in sorted(years_in(answer) & new_years)]
    # "French" is a trace of "France".
    adjective = WORDS.demonyms.get(normal(answer).removeprefix("the "))
    has_adjective = adjective in text_words and adjective not in query_words
    traces = [f"'{adjective}'"] if has_adjective else []
    answer_parts = [
        part
        for part in words(answer)
        if len(part) >= 3
        and part not in STOP_WORDS
        and part not in _MONTHS
        and not any(same_stem(part, word) for word in query_words)
    ]
    if kind is ValueKind.NAME:
        return traces + [f"'{part}'" for part in answer_parts if _name_part_stands(part, answer, text)]
    # A phrase leaves single words in many texts, so most of its words must be there.
    shared_parts = [part for part in answer_parts if any(same_stem(part, word) for word in text_words)]
    if answer_parts and len(shared_parts) / len(answer_parts) >= _PARTS_OF_A_PHRASE:
        traces.append(f"'{' '.join(shared_parts)}'")
    return traces


def _name_part_stands(part: str, answer: str, text: str) -> bool:
    """True if the text holds a part of a name, and not as a part of another person's name.

    The last word of the name counts anywhere. Another word counts unless a word with a capital follows it.
    """
    plain = normal(text)
    if part in _COMMON_NAME_WORDS or part not in plain:
        return False
    is_last = words(answer)[-1] == part
    # Normal text has no capitals. Those of the text can be looked up if both have the same length, which is not the
    # case after a ligature, for instance. Otherwise every form of a part with letters counts as a name.
    has_spelling = len(plain) == len(text)
    for match in re.finditer(rf"\b{re.escape(part)}\w{{0,4}}\b", plain):
        has_capital = text[match.start()].isupper() if has_spelling else part[0].isalpha()
        if has_capital and same_stem(match.group(), part):
            is_followed_by_name = has_spelling and re.match(r"\s[A-Z]", text[match.end() :][:2])
            if is_last or not is_followed_by_name:
                return True
    return False
