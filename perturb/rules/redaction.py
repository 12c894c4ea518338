"""Blacking out every proper name of a text."""

from __future__ import annotations

import re

from perturb.features import word_pattern
from perturb.rules.sentences import split_sentences
from perturb.rules.words import is_common, is_small, plain

_LINK = r"(?:the|de|la|van|von|du|del|&)"
_CAPITAL = r"(?:(?:Dr|Mrs?|Ms|St|Prof|Jr|Sr)\.|(?:[^\W\d_a-z]\.)+|[^\W\d_a-z][\w’'&-]*)"
_OPENER = r"(?:The|An?|It|He|She|They|This|His|Her|In|On|At|As|After|By|When|While|There)\b"
_NAME = re.compile(
    rf"(?<![\w’'-]){_CAPITAL}(?:(?:\s+|-)(?:(?:{_LINK}\s+){{0,2}}(?!{_OPENER}){_CAPITAL}|\d+\b))*"
)
_QUOTE_OR_NAME = re.compile(rf"[\"“][^\W\d_a-z][^\"“”.?!]{{2,60}}[\"”]|{_NAME.pattern}")


def without_names(text: str, mark: str) -> str:
    """A text with one mark in the place of every proper name; months, weekdays and openings of sentences stay.

    >>> without_names("In May, Ann Lee met the Duke of York. She sang.", "[X]")
    'In May, [X] met the [X] of [X]. She sang.'
    """
    pieces, cursor = [], 0
    common = frozenset(re.findall(r"\b[a-z]{4,}\b", text))
    for sentence in split_sentences(text):
        pieces += [text[cursor : sentence.start], _sentence_without_names(sentence.text, mark, common)]
        cursor = sentence.end
    return "".join([*pieces, text[cursor:]])


def _sentence_without_names(text: str, mark: str, common: frozenset[str]) -> str:
    def blacked(match: re.Match[str]) -> str:
        words = match[0]
        if words[0] in '"“':
            return mark
        if words.lower() in common and is_common(words.lower()):
            return words
        before = text[: match.start()].rstrip()
        opens = not before.strip("\"“'‘(") or before[-1] in ":—.!?"
        first, _, rest = words.partition(" ")
        plain_opening = opens and first[1:].islower() and _opens_plainly(first, rest)
        if plain_opening or word_pattern("month").fullmatch(first) or first in ("I", "AD", "BC", "TV"):
            return f"{first} {_sentence_without_names(f', {rest}', mark, common)[2:]}" if rest else first
        ending = re.search(r"['’]s$", words)
        return mark + (ending[0] if ending else "")

    return _QUOTE_OR_NAME.sub(blacked, text)


def _opens_plainly(first: str, rest: str) -> bool:
    """Whether a capital is that of the sentence and no name's."""
    return is_common(plain(first)) and (not rest[:1].isupper() or is_small(first))
