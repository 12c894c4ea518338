"""Words as the rules compare them: tokens, plain forms, stems, places of phrases, verb forms and measures.

Words and verb forms come from two tables in `_data/english`. A word that is in neither is unknown.
"""

from __future__ import annotations

import gzip
import random
import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any

from perturb.catalogue.features import word_bank, word_table
from perturb.files.resources import data_folder

_TAGS = ("VB", "VBD", "VBN", "VBG", "VBZ")
"""Penn tags of a verb's forms in the order of the table."""


def is_word(word: str) -> bool:
    """Whether a word in small letters is a form of a common noun, verb, adjective or adverb.

    >>> is_word("wrote"), is_word("orwell")
    (True, False)
    """
    return word in _words()


def verb_form(verb: str, tag: str) -> str | None:
    """A form of a verb, given in any form, by its Penn tag; None if the verb is not in the table.

    >>> verb_form("wrote", "VBN"), verb_form("begins", "VB"), verb_form("gramble", "VBD")
    ('written', 'begin', None)
    """
    forms = _verbs().get(verb)
    return (forms[_TAGS.index(tag)] or None) if forms else None


def _table(name: str) -> list[str]:
    packed = (data_folder("english") / name).read_bytes()
    return gzip.decompress(packed).decode().splitlines()


@cache
def _words() -> frozenset[str]:
    return frozenset(_table("words.txt.gz"))


@cache
def _verbs() -> dict[str, list[str]]:
    """Any form of a verb -> its forms, in the order of `_TAGS`."""
    rows = [row.split(",") for row in _table("verbs.csv.gz")]
    return {form: forms for *forms, known in rows for form in known.split()}


_UNITS = {
    "miles": ("km", 1.609344),
    "mile": ("km", 1.609344),
    "feet": ("m", 0.3048),
    "ft": ("m", 0.3048),
    "inches": ("cm", 2.54),
    "pounds": ("kg", 0.45359237),
    "kilometres": ("miles", 0.621371),
    "kilometers": ("miles", 0.621371),
    "km": ("miles", 0.621371),
    "metres": ("ft", 3.28084),
    "meters": ("ft", 3.28084),
    "kg": ("lb", 2.204623),
    "acres": ("ha", 0.404686),
}
_MEASURE = re.compile(
    rf"(?<![\w.,-])(\d[\d,]*(?:\.\d+)?) ({'|'.join(_UNITS)})\b(?!\s*[(/²³]|\s+(?:per|an?) )(?![-–])"
)


def measures_in(text: str) -> Iterator[tuple[int, str]]:
    """Where each measure ends that is given in one unit only, and what it is in another.

    >>> list(measures_in("The canal is 100 miles long."))
    [(22, '161 km')]
    """
    for found in _MEASURE.finditer(text):
        if text[max(0, found.start() - 1) : found.start()] == "(" or re.match(
            r"[^.;]{0,20}\(", text[found.end() :]
        ):
            continue
        unit, factor = _UNITS[found[2]]
        value = float(found[1].replace(",", "")) * factor
        yield found.end(), f"{value:,.1f} {unit}" if value < 10 or "." in found[1] else f"{value:,.0f} {unit}"


compiled = lru_cache(maxsize=4096)(re.compile)
"""A pattern that is put together as it is used, kept for the next time."""

TOKEN = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
Span = tuple[int, int]


def dice(*parts: Any) -> random.Random:
    """A generator of choices that depends on nothing but the parts."""
    return random.Random(repr(parts))  # noqa: S311


def tokens(text: str) -> list[str]:
    """The words of a text as they are written.

    >>> tokens("The R.M.S. Titanic's hull-plate.")
    ['The', 'R.M.S', "Titanic's", 'hull-plate']
    """
    return TOKEN.findall(text)


@lru_cache(maxsize=16384)
def plain(word: str) -> str:
    """A word in lower case without accents, apostrophes, points and a possessive ending.

    >>> plain("Baüm’s"), plain("R.M.S")
    ('baum', 'rms')
    """
    lowered = word.lower().replace("’", "'").removesuffix("'s")
    decomposed = unicodedata.normalize("NFKD", lowered)
    kept = "".join(char for char in decomposed if not unicodedata.combining(char) and char not in "'.-")
    return kept or lowered


@cache
def _irregular() -> dict[str, str]:
    return {form: base for base, forms in word_table("stems").items() for form in forms}


_SUFFIX = re.compile(r"(?<=...)(?:ingly|edly|ations?|ments?|ings?|ers|er|ies|ied|ed|es|s|e|y)$")


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """A crude stem: enough to see that "filmed" and "filming" belong together.

    >>> stem("filmed") == stem("filming"), stem("countries") == stem("country")
    (True, True)
    """
    base = plain(word)
    if base in _irregular():
        return _irregular()[base]
    base = _SUFFIX.sub("", base)
    return base[:-1] if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "aeiouls" else base


def is_small(word: str) -> bool:
    """Whether a word carries no content of its own in a question."""
    return plain(word) in word_bank("stop")


@lru_cache(maxsize=4096)
def content_stems(text: str) -> frozenset[str]:
    """Stems of the words of a text that carry content."""
    return frozenset(stem(token) for token in tokens(text) if not is_small(token)) - {""}


def support(query: str, text: str) -> float:
    """Share of the content words of a question that a text holds, by stem.

    >>> support("who wrote the anthem", "The anthem was written by Ann Lee.")
    1.0
    """
    wanted = content_stems(query)
    return len(wanted & content_stems(text)) / len(wanted) if wanted else 0.0


@lru_cache(maxsize=16384)
def is_common(word: str) -> bool:
    """Whether a word is a form of a common noun, verb or adjective; names and misspellings are not."""
    return is_word(word.lower()) or is_small(word) or word.isdigit()


def spans_of(text: str, phrase: str) -> list[Span]:
    """Start and end of every occurrence of a phrase as whole words, whatever the letter case.

    >>> spans_of("Mars and Marshall on mars", "Mars")
    [(0, 4), (21, 25)]
    """
    low, wanted = _lowered(text), " ".join(phrase.lower().split())
    if not wanted or len(low) != len(text):
        return []
    found, start = [], low.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        if not (start and _joined(low[start - 1 : start + 1])) and not _joined(low[end - 1 : end + 1]):
            found.append((start, end))
        start = low.find(wanted, end)
    return found


@lru_cache(maxsize=1024)
def _lowered(text: str) -> str:
    return text.lower().replace("\xa0", " ")


def _joined(pair: str) -> bool:
    return len(pair) == 2 and all(char.isalnum() or char == "_" for char in pair)


def has_word(text: str, phrase: str) -> bool:
    """Whether a phrase stands in a text as whole words.

    >>> has_word("The Kanawha River", "kanawha"), has_word("Marshall", "Mars")
    (True, False)
    """
    return bool(spans_of(text, phrase))


def capitalise(text: str) -> str:
    """The text with its first letter as a capital, the rest untouched.

    >>> capitalise("“all the World"), capitalise("")
    ('“All the World', '')
    """
    found = re.search(r"[^\W_]", text)
    return text if found is None else text[: found.start()] + found[0].upper() + text[found.end() :]


def without_span(text: str, start: int, end: int) -> str:
    """The text without a span, its blanks and commas closed up."""
    left, right = text[:start].rstrip(" "), text[end:]
    if not left or left[-1] in ".!?\n":
        return f"{text[:start]}{capitalise(right.lstrip(' ,'))}"
    if right[:1] in ",.;:)" or right[:1] == "":
        return left + right
    return f"{left} {right.lstrip()}"
