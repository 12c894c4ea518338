"""Words as the rules compare them: tokens, plain forms, stems, positions of phrases, verb forms and measures.

The words and verb forms of English come from two tables in `_data/english`.
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

# Penn tags of a verb's forms in the order of the table.
_TAGS = ("VB", "VBD", "VBN", "VBG", "VBZ")


def inflected(verb: str, tag: str) -> str | None:
    """The form of a verb with a Penn tag; None if the verb is not in the table. The verb may come in any form.

    >>> inflected("wrote", "VBN"), inflected("begins", "VB"), inflected("gramble", "VBD")
    ('written', 'begin', None)
    """
    forms = _verbs().get(verb.lower()) if verb.isalpha() else None  # not "air-lift"
    # The table leaves a form empty if the verb lacks it.
    return (forms[_TAGS.index(tag)] or None) if forms else None


def _table(name: str) -> list[str]:
    """The lines of a packed table of English words."""
    packed = (data_folder("english") / name).read_bytes()
    return gzip.decompress(packed).decode().splitlines()


@cache
def _words() -> frozenset[str]:
    return frozenset(_table("words.txt.gz"))


@cache
def _verbs() -> dict[str, list[str]]:
    """Any form of a verb -> its forms, in the order of `_TAGS`."""
    forms_of: dict[str, list[str]] = {}
    for row in _table("verbs.csv.gz"):
        # The last column lists all forms by which the verb is found.
        *forms, known_forms = row.split(",")
        # A form of two verbs, as "found" may be, would belong to the later row.
        forms_of |= dict.fromkeys(known_forms.split(), forms)
    return forms_of


# Unit in a text -> the unit to convert to, and the factor between the two.
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
# "100 miles", as number and unit
_MEASURE = re.compile(
    rf"""
    (?<![\w.,-])                   # not within a word or a longer number
    (\d[\d,]*(?:\.\d+)?)
    [ ]({"|".join(_UNITS)})\b
    (?! \s*[(/²³]                 # not before a conversion, as in "100 miles (161 km)", nor "miles/hour" or "km²"
      | \s+(?:per|an?)[ ]         # not a rate, as in "5 miles per hour"
      | [-–]                      # not a compound, as in "100 miles-long"
    )
    """,
    re.VERBOSE,
)


def measures_in(text: str) -> Iterator[tuple[int, str]]:
    """Yield the end of each measure in a text and its value in another unit, unless the text converts it already.

    >>> list(measures_in("The canal is 100 miles long."))
    [(22, '161 km')]
    """
    for match in _MEASURE.finditer(text):
        is_in_bracket = text[: match.start()].endswith("(")
        if is_in_bracket or re.match(r"[^.;]{0,20}\(", text[match.end() :]):
            continue  # the bracket is, or may hold, a conversion
        figure, old_unit = match.groups()
        unit, factor = _UNITS[old_unit]
        value = float(figure.replace(",", "")) * factor
        # Small and fractional values keep one decimal, since rounding to a whole number would change them.
        decimals = 1 if value < 10 or "." in figure else 0
        yield match.end(), f"{value:,.{decimals}f} {unit}"


def rounded(value: int) -> int:
    """The number to two leading digits, or to three from 10,000 on.

    >>> rounded(1234), rounded(12345)
    (1200, 12300)
    """
    leading_digits = 2 if value < 10_000 else 3
    step: int = 10 ** max(0, len(str(value)) - leading_digits)
    return (value + step // 2) // step * step


compiled = lru_cache(maxsize=4096)(re.compile)
"""Compile a pattern that is put together at run time. Python's own cache would be too small for all of them."""

TOKEN = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
"""A word with the apostrophes, points and hyphens inside it: `Titanic's`, `R.M.S`, `hull-plate`."""
Span = tuple[int, int]
"""Start and end of a phrase in a text, in characters."""


def seeded_random(*values: Any) -> random.Random:
    """A random generator whose choices depend on these values alone."""
    return random.Random(repr(values))  # noqa: S311  (no secret depends on it)


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
    # Data sets and passages often differ in accents.
    decomposed = unicodedata.normalize("NFKD", lowered)
    letters = "".join(char for char in decomposed if not unicodedata.combining(char) and char not in "'.-")
    return letters or lowered


@cache
def _irregular() -> dict[str, str]:
    """Irregular form of a word -> its stem: "wrote" belongs to "writ"."""
    return {form: base for base, forms in word_table("stems").items() for form in forms}


# Endings that a stem loses, longest first. At least three letters must stay.
_SUFFIX = re.compile(r"(?<=...)(?:ingly|edly|ations?|ments?|ings?|ers|er|ies|ied|ed|es|s|e|y)$")


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """A crude stem, which is enough to see that "filmed" and "filming" belong together.

    >>> stem("filmed") == stem("filming"), stem("countries") == stem("country")
    (True, True)
    """
    base = plain(word)
    if base in _irregular():
        return _irregular()[base]
    base = _SUFFIX.sub("", base)
    # "running" loses its second n. A double l, s or vowel belongs to the word, as in "falling" and "passing".
    ends_doubled = len(base) > 3 and base[-1] == base[-2] and base[-1] not in "aeiouls"
    return base[:-1] if ends_doubled else base


def is_function_word(word: str) -> bool:
    """Whether a word carries no content in a question: an article, a preposition or the like."""
    return plain(word) in word_bank("stop")


@lru_cache(maxsize=4096)
def content_stems(text: str) -> frozenset[str]:
    """Stems of the words of a text that carry content."""
    return frozenset(stem(token) for token in tokens(text) if not is_function_word(token)) - {""}


def support(query: str, text: str) -> float:
    """Share of the content words of a question that a text holds, by stem.

    >>> support("who wrote the anthem", "The anthem was written by Ann Lee.")
    1.0
    """
    stems = content_stems(query)
    return len(stems & content_stems(text)) / len(stems) if stems else 0.0


@lru_cache(maxsize=16384)
def is_common(word: str) -> bool:
    """Whether a word is a form of a common noun, verb, adjective or adverb; names and misspellings are not.

    >>> is_common("wrote"), is_common("orwell")
    (True, False)
    """
    return word.lower() in _words() or is_function_word(word) or word.isdigit()


def spans_of(text: str, phrase: str) -> list[Span]:
    """Start and end of every occurrence of a phrase as whole words, in any letter case.

    >>> spans_of("Mars and Marshall on mars", "Mars")
    [(0, 4), (21, 25)]
    """
    lowered, needle = _lowered(text), " ".join(phrase.lower().split())
    if not needle or len(lowered) != len(text):
        return []  # a few letters are longer in lower case, which would shift the positions
    spans = []
    start = lowered.find(needle)
    while start >= 0:
        end = start + len(needle)
        if not _is_inside_word(lowered, start) and not _is_inside_word(lowered, end):
            spans.append((start, end))
        start = lowered.find(needle, end)
    return spans


@lru_cache(maxsize=1024)
def _lowered(text: str) -> str:
    return text.lower().replace("\xa0", " ")


def _is_inside_word(text: str, position: int) -> bool:
    """Whether a word goes on over this position, which is false at both ends of the text."""
    if not 0 < position < len(text):
        return False
    return all(char.isalnum() or char == "_" for char in text[position - 1 : position + 1])


def has_word(text: str, phrase: str) -> bool:
    """Whether a phrase stands in a text as whole words.

    >>> has_word("The Kanawha River", "kanawha"), has_word("Marshall", "Mars")
    (True, False)
    """
    return bool(spans_of(text, phrase))


def capitalise(text: str) -> str:
    """The text with its first letter as a capital and the rest untouched.

    >>> capitalise("“all the World"), capitalise("")
    ('“All the World', '')
    """
    match = re.search(r"[^\W_]", text)
    return text if match is None else text[: match.start()] + match[0].upper() + text[match.end() :]


def without_span(text: str, start: int, end: int) -> str:
    """The text without a span, with the blanks and commas around the gap put right."""
    before, after = text[:start].rstrip(" "), text[end:]
    # The span began a sentence, so the rest of the sentence begins it now.
    if not before or before[-1] in ".!?\n":
        return f"{text[:start]}{capitalise(after.lstrip(' ,'))}"
    # No blank stands before a mark, nor at the end of the text.
    if not after or after[0] in ",.;:)":
        return before + after
    return f"{before} {after.lstrip()}"
