"""Words: tokens, content words, stems and letter case, as the analysis compares them."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

TOKEN = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*", re.UNICODE)


def word_list(text: str) -> tuple[str, ...]:
    """The words of a text, parted at blanks: how the lists of this room are written."""
    return tuple(text.split())


STOP_WORDS = frozenset(
    word_list(
        """
    a an the and or but nor of in on at to from by for with without into onto over under about as
    than then is are was were be been being am do does did done has have had having will would shall
    should can could may might must not no it its he him his she her hers they them their theirs we
    us our you your i me my this that these those there here who whom whose what which when where
    why how many much long old far often s t also all any each every some such so if up out off down
    one name called does's
    """
    )
)
"""Words that carry no content of their own in a question."""

_IRREGULAR = dict(
    pair.split(":")
    for pair in word_list(
        """
    wrote:write written:write writer:write sang:sing sung:sing song:sing won:win winner:win
    began:begin begun:begin built:build made:make came:come sold:sell took:take shot:film us:unite
    usa:unite america:unite united:unite american:unite uk:brit tv:television movie:film
    portrayed:play portray:play portrays:play stars:play starring:play starred:play cast:play
    actor:play released:come premiered:come composed:write author:write located: kind: type:
    voiced:play voice:play recorded:sing singer:sing population:people started:begin start:begin
    starts:begin
    """
    )
)
"""Irregular and near-synonymous words of questions, each with its common stem; an empty one carries nothing."""

_SUFFIXES = (
    "ingly",
    "edly",
    "ations",
    "ation",
    "ments",
    "ment",
    "ings",
    "ing",
    "ers",
    "ies",
    "ied",
    "ed",
    "er",
    "es",
    "s",
    "e",
    "y",
)


def tokens(text: str) -> list[str]:
    """The words of a text as they are written.

    >>> tokens("The R.M.S. Titanic's 2nd hull-plate.")
    ['The', 'R.M.S', "Titanic's", '2nd', 'hull-plate']
    """
    return TOKEN.findall(text)


@lru_cache(maxsize=16384)
def plain(word: str) -> str:
    """A word in lower case without accents, apostrophes, points and a possessive ending.

    >>> plain("Baüm’s"), plain("R.M.S")
    ('baum', 'rms')
    """
    lowered = word.lower().replace("’", "'")
    lowered = lowered.removesuffix("'s")
    decomposed = unicodedata.normalize("NFKD", lowered)
    kept = "".join(c for c in decomposed if not unicodedata.combining(c) and c not in "'.-")
    return kept or lowered


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """A crude stem: enough to see that "filmed" and "filming" belong together.

    >>> stem("filmed") == stem("filming"), stem("countries") == stem("country")
    (True, True)
    """
    base = plain(word)
    if base in _IRREGULAR:
        return _IRREGULAR[base]
    for suffix in _SUFFIXES:
        if base.endswith(suffix) and len(base) - len(suffix) >= 3:
            base = base[: -len(suffix)]
            break
    if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "aeiouls":
        base = base[:-1]
    return base


@lru_cache(maxsize=2048)
def content_stems(text: str) -> frozenset[str]:
    """Stems of the words of a text that are no stop words."""
    return frozenset(stem(token) for token in tokens(text) if plain(token) not in STOP_WORDS) - {""}


@lru_cache(maxsize=16384)
def is_common(word: str) -> bool:
    """Whether a word, in lower case, is a form of a common noun, verb or adjective; names and misspellings are not."""
    from lemminflect import getAllLemmas

    return (
        bool({"NOUN", "VERB", "ADJ", "ADV"} & set(getAllLemmas(word))) or word in STOP_WORDS or word.isdigit()
    )


def has_word(text: str, phrase: str) -> bool:
    """Whether a phrase stands in a text as whole words, whatever the letter case.

    >>> has_word("The Kanawha River", "kanawha"), has_word("Marshall", "Mars")
    (True, False)
    """
    return bool(spans_of(text, phrase))


def spans_of(text: str, phrase: str) -> list[tuple[int, int]]:
    """Start and end of every occurrence of a phrase as whole words; blanks may differ in kind and number."""
    parts = phrase.split()
    lowered = _lowered(text)
    if not parts or any(part.lower() not in lowered for part in parts):
        return []
    if len(lowered) != len(text):
        return [match.span() for match in _phrase_pattern(tuple(parts)).finditer(text)]
    return _places(lowered, [part.lower() for part in parts])


def _places(text: str, parts: list[str]) -> list[tuple[int, int]]:
    """The spans of a phrase as whole words, found without a pattern of its own: most phrases are looked for once."""
    found = []
    start = text.find(parts[0])
    while start >= 0:
        end = -1 if start and _is_wordy(text[start - 1]) else _end_of(text, start, parts)
        if end > start:
            found.append((start, end))
        start = text.find(parts[0], max(start + 1, end))
    return found


def _end_of(text: str, start: int, parts: list[str]) -> int:
    """Where a phrase that begins at `start` ends; -1 if it does not stand there as whole words."""
    end = start + len(parts[0])
    for part in parts[1:]:
        follows = end
        while text[follows : follows + 1].isspace():
            follows += 1
        if follows == end or not text.startswith(part, follows):
            return -1
        end = follows + len(part)
    return -1 if end < len(text) and _is_wordy(text[end]) else end


def _is_wordy(char: str) -> bool:
    return char.isalnum() or char == "_"


@lru_cache(maxsize=1024)
def _lowered(text: str) -> str:
    return text.lower()


@lru_cache(maxsize=16384)
def _phrase_pattern(parts: tuple[str, ...]) -> re.Pattern[str]:
    body = r"\s+".join(re.escape(part) for part in parts)
    return re.compile(rf"(?<!\w){body}(?!\w)", re.IGNORECASE)


def capitalise(text: str) -> str:
    """The text with its first letter as a capital, the rest untouched.

    >>> capitalise("“all the World"), capitalise("")
    ('“All the World', '')
    """
    for index, char in enumerate(text):
        if char.isalpha():
            return text[:index] + char.upper() + text[index + 1 :]
        if char.isdigit():
            break
    return text


def plural(noun: str) -> str:
    """The plural of a noun that may have a tail with "of".

    >>> plural("sheet of music"), plural("story"), plural("play"), plural("quiz"), plural("series")
    ('sheets of music', 'stories', 'plays', 'quizzes', 'series')
    """
    head, of, tail = noun.partition(" of ")
    if head.endswith("y") and head[-2] not in "aeiou":
        head = f"{head[:-1]}ies"
    elif head.endswith(("s", "x", "z", "ch", "sh")) and not head.endswith("series"):
        head += "zes" if head.endswith("quiz") else "es"
    elif not head.endswith("series"):
        head += "s"
    return f"{head}{of}{tail}"


def replace_spans(text: str, spans: list[tuple[int, int]], new: str) -> str:
    """Put `new` in the place of each span; spans may not overlap.

    >>> replace_spans("a b a", [(0, 1), (4, 5)], "x")
    'x b x'
    """
    for start, end in sorted(spans, reverse=True):
        text = text[:start] + new + text[end:]
    return text
