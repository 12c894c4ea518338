"""What would give an answer away once its sentences or words are gone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from perturb.rules import pools
from perturb.rules.analyse import Analysis, support
from perturb.rules.answers import AnswerType, is_place
from perturb.rules.words import STOP_WORDS, content_stems, has_word, plain, stem, tokens

_MONTHS = "|".join(pools.MONTHS)
_TIME = re.compile(
    rf"\b(?:1[0-9]|20)\d\d(?:s\b|\b)|\b(?:{_MONTHS})\b|\bcentury\b|\b\d{{1,2}}0s\b|\b(?:yesterday|today|decade)\b"
)
_ADJECTIVES = {adjective: country for country, adjective in pools.ADJECTIVES_OF_PLACES.items()}
_TITLE_CASE = re.compile(
    r"(?<![\w’'-])(?:[A-Z][\w’'-]+\.?(?:\s+(?:de|van|von|of|the|and)\s+(?=[A-Z]))?\s*){2,}"
)
_LEAST_SHARED = 5
"""Letters that two words must share at their beginning to be taken for relatives."""


@dataclass(frozen=True, slots=True)
class _Signs:
    """What betrays an answer: its words, their stems and their beginnings; what the question says does not count."""

    words: frozenset[str]
    stems: frozenset[str]
    beginnings: frozenset[str]
    asked: frozenset[str]


def _signs(analysis: Analysis) -> _Signs:
    instance = analysis.instance
    return _signs_of(instance.query, instance.answers, analysis.answer_type is AnswerType.NUMBER)


@lru_cache(maxsize=1024)
def _signs_of(query: str, answers: tuple[str, ...], counted: bool) -> _Signs:
    asked = {form for token in tokens(query) for form in (plain(token), stem(token))}
    words: set[str] = set()
    for alias in answers:
        for token in tokens(alias):
            word = plain(token)
            numeric = any(c.isdecimal() for c in word)
            if word in STOP_WORDS or word in asked or stem(word) in asked:
                continue
            if counted and not numeric and word not in pools.SMALL_NUMBERS:
                continue
            if not counted and word.isdecimal() and len(word) < 3:
                continue
            words.add(word)
        words |= _other_forms(alias.lower())
    stems = frozenset(stem(word) for word in words) - {""}
    beginnings = frozenset(w[:_LEAST_SHARED] for w in words if len(w) >= _LEAST_SHARED and not w.isdecimal())
    return _Signs(frozenset(words), stems, beginnings, content_stems(query))


def _other_forms(alias: str) -> set[str]:
    """The adjective of a country, the country of an adjective, a small number as figure and word."""
    forms = {plain(table[alias]) for table in (pools.ADJECTIVES_OF_PLACES, _ADJECTIVES) if alias in table}
    number = alias.split(maxsplit=1)[0] if alias.split() else ""
    if number.isdecimal() and int(number) < len(pools.SMALL_NUMBERS):
        forms |= {pools.SMALL_NUMBERS[int(number)], number}
    if number in pools.SMALL_NUMBERS:
        forms |= {str(pools.SMALL_NUMBERS.index(number)), number}
    return forms


def leak(analysis: Analysis, text: str) -> str | None:
    """A word of the text that betrays an answer, by being it, sharing its stem or beginning like it; None if clean."""
    signs = _signs(analysis)
    for token in tokens(text):
        word = plain(token)
        parts = (word, *(plain(part) for part in token.split("-"))) if "-" in token else (word,)
        if any(_betrays(part, signs) for part in parts):
            return token
    aliases = [alias for alias in analysis.instance.answers if telling_in(alias, signs.words)]
    return next((alias for alias in aliases if has_word(text, alias)), None)


def _betrays(word: str, signs: _Signs) -> bool:
    if word in signs.words:
        return True
    if len(word) < 3 or word in STOP_WORDS or stem(word) in signs.asked:
        return False
    return (
        stem(word) in signs.stems or word[:_LEAST_SHARED] in signs.beginnings or _root_of(word, signs.words)
    )


def telling_in(alias: str, telling: frozenset[str]) -> bool:
    """Whether an alias holds a telling word at all, and is not made of the question's words."""
    return any(plain(token) in telling for token in tokens(alias))


def _root_of(word: str, telling: frozenset[str]) -> bool:
    """Whether a longer telling word begins with this one: "Bohr" betrays "bohrium"."""
    return len(word) >= 4 and any(len(t) > len(word) and t.startswith(word) for t in telling)


def substitute_left(analysis: Analysis, text: str) -> str | None:
    """Something of the answer's type in the text that a reader might take for the answer; None if nothing."""
    kind = analysis.answer_type
    if kind in (AnswerType.DATE, AnswerType.YEAR) or analysis.instance.query.lower().startswith("when"):
        found = _TIME.search(text)
        return found.group() if found else None
    if kind is AnswerType.NUMBER:
        return number_left(text)
    if kind is AnswerType.PERSON:
        return _person_left(analysis, text)
    if kind is AnswerType.PLACE or analysis.instance.query.lower().startswith("where"):
        return _place_left(analysis, text)
    if analysis.answer[:1].isupper() or analysis.instance.query.lower().startswith("who"):
        return _person_left(analysis, text)
    return "much of the question" if support(analysis.instance.query, text) > 0.75 else None


def number_left(text: str) -> str | None:
    """A figure or number word from two upwards that is no year; None if there is none."""
    for token in tokens(text):
        word = plain(token)
        year = word.isdecimal() and len(word) == 4 and 1000 < int(word) < 2100
        if (any(c.isdigit() for c in word) and not year) or word in pools.SMALL_NUMBERS[2:]:
            return token
    return None


def _person_left(analysis: Analysis, text: str) -> str | None:
    """A name of two words or more that neither question nor title holds."""
    known = f"{analysis.instance.query} {' '.join(p.title for p in analysis.instance.passages)}"
    known_words = {plain(token) for token in tokens(known)}
    first_names = pools.MALE_NAMES | pools.FEMALE_NAMES
    for match in _TITLE_CASE.finditer(text):
        words = [plain(token) for token in tokens(match.group())]
        if any(word in first_names and word not in known_words for word in words[:-1]):
            return match.group().strip()
        if analysis.answer_type is not AnswerType.PERSON and not set(words) <= known_words | STOP_WORDS:
            return match.group().strip()
        if (
            not set(words) <= known_words | STOP_WORDS
            and len(words) == 2
            and match.start() > 1
            and not is_place(match.group().strip())
        ):
            return match.group().strip()
    return None


def _place_left(analysis: Analysis, text: str) -> str | None:
    known = {plain(token) for token in tokens(analysis.instance.query)}
    known |= {plain(token) for p in analysis.instance.passages for token in tokens(p.title)}
    for match in re.finditer(
        r"\b(?:in|at|near|from|to|of|on|and)\s+(?:the\s+)?(?:(?:north|south|east|west|central|upper|lower)\w*\s+)?"
        r"([A-Z][\w’'-]+)",
        text,
    ):
        if plain(match.group(1)) not in known and match.group(1) not in pools.MONTHS:
            return match.group(1)
    return None
