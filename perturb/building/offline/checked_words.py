"""Word lists and text functions of the offline verifiers: they find words, stems, sentences and phrases.

The lists are in `words.yaml` beside this file. The rules that generate items have text functions of their own in
`words.py`, since a check must not repeat the mistakes of the code that it checks.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from pathlib import Path

from perturb.files.yaml_files import Strict, YamlFile

WORDS_FILE = Path(__file__).with_name("words.yaml")
"""The word lists, which belong to the checks and come with the package."""


class WordBank(Strict):
    """The content of `words.yaml`: lists of words, separated by blanks, and of wordings, separated by semicolons."""

    stop_words: str
    """Words without content: articles, prepositions and the like."""
    openers: str
    """Words that have a capital only because they begin a sentence."""
    asked_kinds: str
    """Stems of words such as `year`: they name the kind of answer, not the topic."""
    common_name_words: str
    """Parts of names that many people share, such as titles."""
    male_names: str
    """Common first names whose bearers are nearly always of one gender, for judging pronouns."""
    female_names: str
    verbs: str
    """Finite verbs without a typical ending; regular expressions of whole words."""
    irregular: dict[str, str]
    """Irregular form → regular form."""
    demonyms: dict[str, str]
    """Places, and a few faiths, with their adjectives."""
    wordings: dict[str, str]
    """Wordings that tell a reader what to believe, by kind."""


# Read once, on import, so that a fault in this file of the package shows at once.
WORDS = YamlFile(WORDS_FILE).parse(WordBank)


def word_set(listing: str) -> frozenset[str]:
    """The words of a list, for look-ups."""
    return frozenset(listing.split())


def _any_wording(kind: str) -> re.Pattern[str]:
    """A pattern for all wordings of a kind. Each wording is a regular expression of whole words."""
    patterns = [pattern.strip() for pattern in " ".join(WORDS.wordings[kind].split()).split(";")]
    # An empty pattern, from a semicolon at the end of the list, would match everywhere.
    return re.compile(r"(?<!\w)(?:" + "|".join(filter(None, patterns)) + r")(?!\w)", re.I)


NEGATION = _any_wording("negation")
"""Wordings that say that something is not so."""
DISMISSAL = _any_wording("dismissal")
"""Wordings that call a statement untrue."""
LOW_CREDIBILITY = _any_wording("low_credibility")
"""Wordings of a source that need not be believed."""
HIGH_CREDIBILITY = _any_wording("high_credibility")
"""Wordings that call one side right."""
EXCLUSION = _any_wording("exclusion")
"""Wordings by which two statements exclude each other."""
BALANCED = _any_wording("balanced")
"""Wordings that give both sides the same weight."""


def word_list(listing: str) -> tuple[str, ...]:
    """The words of a list, in order."""
    return tuple(listing.split())


STOP_WORDS = word_set(WORDS.stop_words)
"""Words without content, such as articles and prepositions."""
# Typographic marks and blanks -> plain ones.
_QUOTES = str.maketrans("’‘“”–—−\xa0", "''\"\"--- ")
# A word of a text that `normal` has made: `songs`, `1,234`, `ray's`.
_WORD = re.compile(r"[a-z0-9]+(?:[.,][0-9]+)*(?:'[a-z]+)?")
# An abbreviation at the end of a text, with its period: `Dr.`, `(b.`, `U.S.`, or an initial such as `J.`
_ABBREVIATION = re.compile(
    r"""
    (?:^|[\s(\["'“‘])
    (?: [A-Z]                                                                         # an initial
      | Mr|Mrs|Ms|Dr|St|Sr|Jr|Prof|Gen|Col|Lt|Sgt|Capt|Rev|Hon|Gov|Sen|Rep            # titles
      | Inc|Ltd|Co|Corp|Bros                                                          # companies
      | U\.S|U\.K|U\.N|D\.C|Mt|Ft                                                     # places
      | Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|a\.m|p\.m                       # times
      | No|vs|etc|e\.g|i\.e|ca|c|approx|Ph\.D|Vol|pp?|fl|b|d|r|ft|al|ref|cf|fn|fig|eds?
    )\.$
    """,
    re.VERBOSE,
)
# How many characters at the end of a text are searched for an abbreviation. The longest has eight.
_ABBREVIATION_REACH = 20
# The gap between sentences
_BOUNDARY = re.compile(
    r"""
      (?<=[.!?]) [\"”’')\]]* \s+                # an end mark, closing marks and blanks
      (?= [\"“‘'(]*[A-Z0-9]                     # before a capital or digit, maybe in quotation marks
        | [\[█_] )                              # or before a place-holder, such as "[redacted]" or a black bar
    | \n+
    """,
    re.VERBOSE,
)


@lru_cache(maxsize=1024)
def normal(text: str) -> str:
    """Lower case, plain quotes and dashes, no accents, single blanks.

    >>> normal("Café –  “Ω”")
    'cafe - "ω"'
    """
    plain = text.translate(_QUOTES)
    if not plain.isascii():
        decomposed = unicodedata.normalize("NFKD", plain)
        plain = "".join(c for c in decomposed if not unicodedata.combining(c))
    return " ".join(plain.lower().split())


@lru_cache(maxsize=2048)
def words(text: str) -> tuple[str, ...]:
    """The words of a text in lower case, without a possessive 's; numbers keep their points and commas.

    >>> words("Ray's 1,234 (re-run) songs")
    ('ray', '1,234', 're', 'run', 'songs')
    """
    return tuple(w[:-2] if w.endswith("'s") else w for w in _WORD.findall(normal(text)))


# Endings that a stem loses. A longer ending comes before the ending that is a part of it.
_ENDINGS = word_list("ations ation ings ing edly ed ers er ies es s ly y e")


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """A crude stem, good enough to match the forms of a word.

    >>> [stem(w) for w in ("wrote", "writes", "cities", "running", "founded")]
    ['writ', 'writ', 'citi', 'run', 'found']
    """
    word = WORDS.irregular.get(word, word)
    # Short words have no endings that could be cut safely.
    if len(word) <= 3 or word[0].isdigit():
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            base = word[: -len(ending)]
            # "cities" and "city" get the same stem.
            if ending in ("ies", "y"):
                return base + "i"
            # "running" has doubled its consonant. In "falling", "passing" and "buzzing" it belongs to the word, and
            # before "s" and "e" nothing is doubled.
            may_be_doubled = ending not in ("s", "e", "es") and base[-1] not in "lsz"
            is_doubled = len(base) > 3 and base[-1] == base[-2]
            return base[:-1] if is_doubled and may_be_doubled else base
    return word


@lru_cache(maxsize=2048)
def content_stems(text: str) -> frozenset[str]:
    """Stems of the words that carry content.

    >>> sorted(content_stems("who wrote the songs of Ray"))
    ['ray', 'song', 'writ']
    """
    return frozenset(stem(word) for word in words(text) if word not in STOP_WORDS)


def overlap(text: str, other: str) -> float:
    """Content stems that two texts share, as a fraction of those of the longer text, 0 to 1."""
    stems, other_stems = content_stems(text), content_stems(other)
    longer = max(len(stems), len(other_stems))
    return len(stems & other_stems) / longer if stems and other_stems else 0.0


def coverage(stems: frozenset[str], text_stems: frozenset[str]) -> float:
    """Share of `stems` that are in `text_stems`, 0 to 1; 0 if `stems` is empty."""
    return len(stems & text_stems) / len(stems) if stems else 0.0


@lru_cache(maxsize=128)
def sentences(text: str) -> tuple[str, ...]:
    """Split a passage into sentences, but not after initials and common abbreviations.

    >>> sentences("Dr. J. Ray sang.  He won. \\"Why?\\" she asked.")
    ('Dr. J. Ray sang.', 'He won.', '"Why?" she asked.')
    """
    pieces: list[str] = []
    start = 0
    for match in _BOUNDARY.finditer(text):
        end = match.end()
        piece = text[start:end].strip()
        if _ABBREVIATION.search(piece[-_ABBREVIATION_REACH:]) and "\n" not in match.group():
            continue  # the sentence goes on after the abbreviation
        if piece:
            pieces.append(piece)
        start = end
    if text[start:].strip():
        pieces.append(text[start:].strip())
    return tuple(pieces)


def stands_in(phrase: str, text: str) -> bool:
    """Whether the text contains the phrase as whole words, ignoring case and accents.

    >>> stands_in("1984", "In 1984, it"), stands_in("Ray", "a stray dog"), stands_in("3", "in 3.5 km")
    (True, False, False)
    """
    needle, haystack = normal(phrase), normal(text)
    start = haystack.find(needle)
    while start >= 0:
        end = start + len(needle)
        before, after = haystack[start - 1 : start], haystack[end : end + 1]
        is_in_word = _is_word_character(before) or _is_word_character(after)
        if not is_in_word and not _is_part_of_number(haystack, start, end):
            return True
        start = haystack.find(needle, start + 1)
    return False


def _is_word_character(char: str) -> bool:
    """Whether a character of normal text, which has no accents, belongs to a word; False for an empty text."""
    return char.isascii() and char.isalnum()


def _is_part_of_number(text: str, start: int, end: int) -> bool:
    """Whether the digits of a span belong to a longer number, as the 3 of 3.5 does."""
    # "3.|5": a digit and a mark stand before the span. "3|.5": a mark and a digit stand after it.
    span = text[start:end]
    goes_on_before = span[:1].isdigit() and re.search(r"\d[.,]$", text[max(0, start - 2) : start])
    goes_on_after = span[-1:].isdigit() and re.match(r"[.,]\d", text[end : end + 2])
    return bool(goes_on_before or goes_on_after)
