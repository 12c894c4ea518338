"""The verifiers' own words, from `words.yaml` beside this file.

Wordings that tell a reader what to believe.

Plain text tools of the verifiers: words, stems, sentences, shares of common words.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from pathlib import Path

from perturb.files.yaml_files import Strict, YamlFile

WORDS_FILE = Path(__file__).with_name("words.yaml")


class WordBank(Strict):
    """Listings of words, parted by blanks, and wordings, parted by semicolons."""

    stop_words: str
    """Words that carry no content of their own."""
    openers: str
    """Words that open a sentence and begin no name."""
    asked_kinds: str
    """Stems of words such as `year`, which say what is asked for and not of what."""
    common_name_words: str
    """Parts of names that give nobody away."""
    male_names: str
    """Common first names whose bearers are nearly always of one gender, for judging pronouns."""
    female_names: str
    verbs: str
    """Finite verbs that no ending shows to be one; regular expressions of whole words."""
    irregular: dict[str, str]
    """Forms of words that no rule brings together."""
    demonyms: dict[str, str]
    """Places, and a few faiths, with the adjective that gives them away."""
    wordings: dict[str, str]
    """What tells a reader whom to believe: see `cues`."""


WORDS = YamlFile(WORDS_FILE).parse(WordBank)


def word_set(listing: str) -> frozenset[str]:
    """The words of a listing, for look-ups."""
    return frozenset(listing.split())


def any_of(wordings: str) -> re.Pattern[str]:
    """A pattern for any of the wordings, which semicolons part; each is a regular expression of whole words."""
    parts = [part.strip() for part in " ".join(wordings.split()).split(";")]
    return re.compile(r"(?<!\w)(?:" + "|".join(part for part in parts if part) + r")(?!\w)", re.I)


NEGATION = any_of(WORDS.wordings["negation"])
DISMISSAL = any_of(WORDS.wordings["dismissal"])
"""The statement is called untrue."""
LOW_CREDIBILITY = any_of(WORDS.wordings["low_credibility"])
"""The source is one that nobody need believe."""
HIGH_CREDIBILITY = any_of(WORDS.wordings["high_credibility"])
"""One side is called the right one."""
EXCLUSION = any_of(WORDS.wordings["exclusion"])
"""Wordings by which two statements shut each other out."""
BALANCED = any_of(WORDS.wordings["balanced"])
"""The two sides are set on one level."""


def word_list(listing: str) -> tuple[str, ...]:
    """The words of a listing, in order."""
    return tuple(listing.split())


STOP_WORDS = word_set(WORDS.stop_words)
"""Words that carry no content of their own."""

_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "−": "-", "\xa0": " "})
_WORD = re.compile(r"[a-z0-9]+(?:[.,][0-9]+)*(?:'[a-z]+)?")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\[\"'“‘])(?:[A-Z]|Mr|Mrs|Ms|Dr|St|Sr|Jr|Prof|Gen|Col|Lt|Sgt|Capt|Rev|Hon|Gov|Sen|Rep|No|vs|etc|e\.g|i\.e|ca|c"
    r"|approx|Inc|Ltd|Co|Corp|Bros|U\.S|U\.K|U\.N|D\.C|Ph\.D|a\.m|p\.m|Mt|Ft|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov"
    r"|Dec|Vol|pp?|fl|b|d|r|ft|al|ref|cf|fn|fig|ed|eds)\.$"
)
_ENDING = 20
"""Characters at the end of a piece in which an abbreviation is looked for; the longest has eight."""
_BOUNDARY = re.compile(r"(?<=[.!?])[\"”’')\]]*\s+(?=[\"“‘'(]*[A-Z0-9]|[\[█_])|\n+")


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
    """The words of a text in lower case, a possessive 's taken off; numbers keep their points and commas.

    >>> words("Ray's 1,234 (re-run) songs")
    ('ray', '1,234', 're', 'run', 'songs')
    """
    return tuple(w[:-2] if w.endswith("'s") else w for w in _WORD.findall(normal(text)))


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """A crude stem, good enough to bring forms of a word together.

    >>> [stem(w) for w in ("wrote", "writes", "cities", "running", "founded")]
    ['writ', 'writ', 'citi', 'run', 'found']
    """
    word = WORDS.irregular.get(word, word)
    if len(word) <= 3 or word[0].isdigit():
        return word
    for ending in (
        "ations",
        "ation",
        "ings",
        "ing",
        "edly",
        "ed",
        "ers",
        "er",
        "ies",
        "es",
        "s",
        "ly",
        "y",
        "e",
    ):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            base = word[: -len(ending)]
            if ending in ("ies", "y"):
                return base + "i"
            if (
                len(base) > 3
                and base[-1] == base[-2]
                and base[-1] not in "lsz"
                and ending not in ("s", "e", "es")
            ):
                return base[:-1]
            return base
    return word


@lru_cache(maxsize=2048)
def content_stems(text: str) -> frozenset[str]:
    """Stems of the words that carry content.

    >>> sorted(content_stems("who wrote the songs of Ray"))
    ['ray', 'song', 'writ']
    """
    return frozenset(stem(word) for word in words(text) if word not in STOP_WORDS)


def overlap(text: str, other: str) -> float:
    """Share of content stems that two texts have in common, 0 to 1, measured on the longer one."""
    a, b = content_stems(text), content_stems(other)
    return len(a & b) / max(len(a), len(b)) if a and b else 0.0


def coverage(part: frozenset[str], whole: frozenset[str]) -> float:
    """Share of `part` that stands in `whole`, 0 to 1; 0 for an empty part."""
    return len(part & whole) / len(part) if part else 0.0


@lru_cache(maxsize=128)
def sentences(text: str) -> tuple[str, ...]:
    """Cut a passage into sentences, minding initials and the usual abbreviations.

    >>> sentences("Dr. J. Ray sang.  He won. \\"Why?\\" she asked.")
    ('Dr. J. Ray sang.', 'He won.', '"Why?" she asked.')
    """
    pieces: list[str] = []
    start = 0
    for match in _BOUNDARY.finditer(text):
        end = match.end()
        piece = text[start:end].strip()
        if _ABBREVIATION.search(piece[-_ENDING:]) and "\n" not in match.group():
            continue
        if piece:
            pieces.append(piece)
        start = end
    if text[start:].strip():
        pieces.append(text[start:].strip())
    return tuple(pieces)


def stands_in(phrase: str, text: str) -> bool:
    """True if the phrase stands in the text as whole words, whatever its case and accents.

    >>> stands_in("1984", "In 1984, it"), stands_in("Ray", "a stray dog"), stands_in("3", "in 3.5 km")
    (True, False, False)
    """
    needle, hay = normal(phrase), normal(text)
    figure = needle[:1].isdigit() or needle[-1:].isdigit()
    start = hay.find(needle)
    while start >= 0:
        end = start + len(needle)
        if not (_is_wordy(hay[start - 1 : start]) or _is_wordy(hay[end : end + 1])) and (
            not figure or _whole_number(hay, start, end)
        ):
            return True
        start = hay.find(needle, start + 1)
    return False


def _is_wordy(char: str) -> bool:
    """Whether a character of a normal text, or none, belongs to a word."""
    return char.isascii() and char.isalnum()


def _whole_number(text: str, start: int, end: int) -> bool:
    """True unless the digits at this place are a part of a longer number."""
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    joined_before = len(before) == 2 and before[1] in ".," and before[0].isdigit() and text[start].isdigit()
    joined_after = len(after) == 2 and after[0] in ".," and after[1].isdigit() and text[end - 1].isdigit()
    return not (joined_before or joined_after)
