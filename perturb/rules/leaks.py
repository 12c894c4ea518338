"""What would give an answer away once its sentences or words are gone."""

from __future__ import annotations

import re

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


def telling_words(analysis: Analysis) -> frozenset[str]:
    """The words, plain and small, that betray an answer: those of all aliases but for what the question says itself."""
    asked = {plain(token) for token in tokens(analysis.instance.query)} | {
        stem(token) for token in tokens(analysis.instance.query)
    }
    words: set[str] = set()
    counted = analysis.answer_type is AnswerType.NUMBER
    for alias in analysis.instance.answers:
        for token in tokens(alias.replace("\xa0", " ")):
            word = plain(token)
            if (
                word in STOP_WORDS
                or word in asked
                or stem(word) in asked
                or (word.isdigit() and len(word) < 3)
            ):
                continue
            if counted and not any(c.isdigit() for c in word) and word not in pools.SMALL_NUMBERS:
                continue
            words.add(word)
        words |= {
            pools.ADJECTIVES_OF_PLACES[key] for key in (alias.lower(),) if key in pools.ADJECTIVES_OF_PLACES
        }
        words |= {plain(_ADJECTIVES[key]) for key in (alias.lower(),) if key in _ADJECTIVES}
        number = alias.split()[0] if alias.split() else ""
        if number.isdigit() and int(number) < len(pools.SMALL_NUMBERS):
            words |= {pools.SMALL_NUMBERS[int(number)], number}
        if number.lower() in pools.SMALL_NUMBERS:
            words |= {str(pools.SMALL_NUMBERS.index(number.lower())), number.lower()}
    return frozenset(words)


def leak(analysis: Analysis, text: str) -> str | None:
    """A word of the text that betrays an answer, by being it, sharing its stem or beginning like it; None if clean."""
    telling = telling_words(analysis)
    stems = {stem(word) for word in telling} - {""}
    beginnings = {
        word[:_LEAST_SHARED] for word in telling if len(word) >= _LEAST_SHARED and not word.isdigit()
    }
    asked = content_stems(analysis.instance.query)
    for token in tokens(text):
        word = plain(token)
        for part in {word, *(plain(p) for p in token.split("-"))}:
            if part in telling:
                return token
            if part in STOP_WORDS or stem(part) in asked or len(part) < 3:
                continue
            if stem(part) in stems or part[:_LEAST_SHARED] in beginnings or _root_of(part, telling):
                return token
    aliases = [alias for alias in analysis.instance.answers if telling_in(alias, telling)]
    return next((alias for alias in aliases if has_word(text, alias)), None)


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
        year = word.isdigit() and len(word) == 4 and 1000 < int(word) < 2100
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
    for match in re.finditer(r"\b(?:in|at|near|from|to|of|on|and)\s+(?:the\s+)?([A-Z][\w’'-]+)", text):
        if plain(match.group(1)) not in known:
            return match.group(1)
    return None
