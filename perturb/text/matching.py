"""Compares texts in any script: whether two are equal for a reader, whether one holds an answer, and its words.

Three functions make texts comparable, from careful to rough:

- `folded` unifies blanks, marks and digits. Answers are looked for in folded texts.
- `_bare` also takes out accents and case. Inflected answers are looked for in bare texts.
- `comparable` also takes out all that nobody sees, and letters that only look different. Copies are found with it.

`beyond_reading` decides which texts the offline engine and its verifiers read: prose that is short enough for their
patterns.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache

from perturb.records import Passage

# Quotation marks, dashes and blanks -> plain ones; soft hyphens and joiners, which nobody sees -> nothing.
_MARKS_ALIKE = dict.fromkeys("‘’‚‹›", "'") | dict.fromkeys("“”„«»「」『』", '"') | dict.fromkeys("–—", "-")
_MARKS_ALIKE |= {"\u00a0": " "} | dict.fromkeys("\u00ad\u200c\u200d\u200e\u200f", "")
# Latin letters, digits and marks in the width of Chinese characters: "Ａ" -> "A"
_FULL_WIDTH = {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
# The digit 0 of each other script. Its digits 1 to 9 have the next code points.
_ZEROS = "٠۰߀०০੦૦୦௦౦೦൦෦๐໐༠၀႐០᠐᥆᧐᪀᪐᭐᮰᱀᱐꘠꣐꤀꧐꧰꩐꯰"
_DIGITS = {chr(ord(zero) + n): str(n) for zero in _ZEROS for n in range(10)}
_ALIKE = str.maketrans({**_MARKS_ALIKE, **_FULL_WIDTH, **_DIGITS})

# Scripts without blanks between words: Thai, Lao, Burmese, Khmer, Chinese, Japanese.
_UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"


@cache
def word_source() -> str:
    """The pattern of a word. In a script without blanks between words, each character counts as a word.

    For letters without marks it is `\\w+`. Vowel signs and accents belong to the letter before them.
    """
    # No character below U+0300 is a mark. Those beyond U+FFFF belong to scripts that no data set has.
    marks = "".join(char for char in map(chr, range(0x300, 0x10000)) if _is_mark(char))
    letter = rf"[^\W{_UNSPACED}]"
    unspaced_character = rf"(?=\w)[{_UNSPACED}][{marks}]*"
    spaced_word = rf"{letter}+(?:[{marks}]+{letter}*)*"
    return f"{unspaced_character}|{spaced_word}"


@cache
def _words() -> re.Pattern[str]:
    return re.compile(word_source())


def words(text: str) -> list[str]:
    """The words of a text, in their order.

    >>> words("It's 5 km."), words("हिन्दी में"), words("长江 2 号")
    (['It', 's', '5', 'km'], ['हिन्दी', 'में'], ['长', '江', '2', '号'])
    """
    return _words().findall(text)


def folded(text: str) -> str:
    """Text for comparison only, with unified blanks, quotation marks, dashes and digits of all scripts.

    >>> folded("It’s  so") == folded("It's so"), folded("„１９８४“ १९८४")
    (True, '"1984" 1984')
    """
    return " ".join(unicodedata.normalize("NFC", text.translate(_ALIKE)).split())


# Letters of other scripts that look like Latin letters in either case: the most common of Unicode's confusables.
_LOOK_ALIKES = str.maketrans(
    # Cyrillic
    dict(zip("авекмнорстухіјѕһԁԛԝүӏ", "abekmhopctyxijshdqwyl", strict=True))
    # Greek
    | dict(zip("αβεικνορτυχϲ", "abeikvoptuxc", strict=True))
    # Latin and Armenian
    | dict(zip("ıɑɡօսհ", "iagouh", strict=True))
)
# Characters without width that are neither joiners nor marks of direction, which `comparable` takes out by category.
_INVISIBLE = re.compile("[\u034f\u115f\u1160\ufe00-\ufe0f]")


def comparable(text: str) -> str:
    """Text for finding copies: in lower case, with unified characters, Latin look-alikes, and nothing invisible.

    >>> comparable("Ｔｈｅ  Вrid\u00adge") == comparable("the  bridge")
    True
    """
    plain = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
    visible = "".join(char for char in plain if unicodedata.category(char) != "Cf")
    # Letter case first, since the table has small letters only.
    return visible.casefold().translate(_LOOK_ALIKES)


def holds_answer(text: str, *answers: str) -> bool:
    """Whether a text contains one of the answers as whole words, ignoring case and blanks.

    Scripts without blanks between words, such as Chinese, have no word boundaries.

    >>> holds_answer("Built in 1984.", "1984"), holds_answer("Built in 19845.", "1984")
    (True, False)
    >>> holds_answer("For US$5 in café Mü.", "$5"), holds_answer("A café.", "caf"), holds_answer("東京都", "東京")
    (True, False, True)
    >>> holds_answer("रामायण", "राम"), holds_answer("१९८४ में", "1984")
    (False, True)
    """
    haystack = folded(text).casefold()
    return any(_contains(haystack, folded(answer).casefold()) for answer in answers)


def _contains(haystack: str, needle: str) -> bool:
    # Most answers are searched for once, and compiling a pattern would take longer than this search.
    start = haystack.find(needle)
    while start >= 0:
        if not _is_inside_word(haystack, start) and not _is_inside_word(haystack, start + len(needle)):
            return True
        start = haystack.find(needle, start + 1)
    return False


def _is_inside_word(text: str, position: int) -> bool:
    """Whether a word goes on over this position, which is false at both ends of the text."""
    if not 0 < position < len(text):
        return False
    left, right = text[position - 1], text[position]
    if not _is_in_word(left):
        return False
    return _is_mark(right) or (_is_in_word(right) and not _is_unspaced(left) and not _is_unspaced(right))


def _is_in_word(char: str) -> bool:
    """Whether the character may be part of a word."""
    return char.isalnum() or char == "_" or _is_mark(char)


def _is_mark(char: str) -> bool:
    """Whether the character is an accent, a vowel sign or another mark on the letter before it."""
    return unicodedata.category(char)[0] == "M"


def _is_unspaced(char: str) -> bool:
    """Whether a word may begin or end at the character without a blank, as is also the case with Korean endings."""
    return unicodedata.east_asian_width(char) in "WF" or re.match(f"[{_UNSPACED}]", char) is not None


def may_hold_answer(text: str, *answers: str) -> bool:
    """Whether a text may contain one of the answers, perhaps inflected, in a longer word, or without its accents.

    It is true if `holds_answer` is. Numbers must match as a whole, and words may differ in their last two letters.

    >>> may_hold_answer("Goethes Faust", "Goethe"), may_hold_answer("в Москве", "Москва")
    (True, True)
    >>> may_hold_answer("Built in 19845.", "1984"), may_hold_answer("Malaga", "Málaga")
    (False, True)
    """
    bare_text = _bare(text)
    return any(re.search(_inflected(answer), bare_text) for answer in answers)


def _inflected(answer: str) -> str:
    """A pattern for an answer in a bare text: the stem of each word with any ending, then blanks."""
    return r"\S*\s+".join(_stem_pattern(word) for word in _bare(answer).split())


def _bare(text: str) -> str:
    """Folded text without accents and points, which writers often leave out."""
    letters = unicodedata.normalize("NFD", folded(text).casefold())
    return unicodedata.normalize("NFC", "".join(char for char in letters if not _is_accent(char)))


def _is_accent(char: str) -> bool:
    """Whether the character is an accent, or a point of Hebrew or Arabic. Other vowel signs are part of the word."""
    # Unicode's classes: 10 to 35 are the points of Hebrew, Arabic and Syriac, and 200 and more are accents.
    combining_class = unicodedata.combining(char)
    return combining_class >= 200 or 10 <= combining_class <= 35


def _stem_pattern(word: str) -> str:
    """A pattern of the beginning of a word, or of the whole word if it has a digit."""
    # Most inflections change the last two letters. Four letters stay, since a shorter beginning fits many words.
    if not any(map(str.isdecimal, word)):
        return re.escape(word[: max(4, len(word) - 2)])
    lookbehind = r"(?<!\d)" if word[0].isdecimal() else ""
    lookahead = r"(?!\d)" if word[-1].isdecimal() else ""
    return f"{lookbehind}{re.escape(word)}{lookahead}"


MAX_CHARS = 20_000
"""The most characters of a question with all of its passages and their titles."""
MAX_STRETCH = 3_000
"""The most characters between two ends of sentences or lines."""
MAX_RUN = 200
"""How many times a character, or any blanks, may be repeated without a break."""

# More than `MAX_RUN` times the same character, or more than `MAX_RUN` blanks.
_RUN = re.compile(rf"(\S)\1{{{MAX_RUN}}}|\s{{{MAX_RUN + 1}}}")
# The end of a sentence after a word of three letters or more, the end of a line, or the end of a text.
_END = re.compile(r"[^\W\d_]{3}[.!?][\"”’)\]]*\s|[\n\0]")


@lru_cache(maxsize=512)
def beyond_reading(query: str, passages: tuple[Passage, ...]) -> str | None:
    """One line on why rules do not read a question with its passages; None if they do.

    >>> beyond_reading("who sang", (Passage("Ray sang." + "." * 300, "Ray", "signal"),))
    'no prose: one character, or blanks, more than 200 times in a row'
    """
    texts = [query]
    for passage in passages:
        texts += [passage.title, passage.text]
    # A null character separates the texts, since `_END` treats it like the end of a line.
    text = "\0".join(texts)
    if len(text) > MAX_CHARS:
        return f"too long to be read by rule: more than {MAX_CHARS:,} characters"
    if _RUN.search(text):
        return f"no prose: one character, or blanks, more than {MAX_RUN} times in a row"
    if len(text) > MAX_STRETCH and max(map(len, _END.split(text))) > MAX_STRETCH:
        return f"no prose: no sentence or line ends within {MAX_STRETCH:,} characters"
    return None
