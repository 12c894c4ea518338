"""When two texts count as the same, and when an answer stands in one."""

from __future__ import annotations

import unicodedata

_QUOTES = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "\u00a0": " "})


def folded(text: str) -> str:
    """Text with blanks, quotation marks and dashes made alike, for comparison only.

    >>> folded("It’s  so") == folded("It's so")
    True
    """
    return " ".join(unicodedata.normalize("NFC", text).translate(_QUOTES).split())


def holds_answer(text: str, *answers: str) -> bool:
    """Whether one of the answers stands in a text as whole words, whatever the case and blanks.

    Scripts that set no blanks between words, such as Chinese, have no bounds to look for.

    >>> holds_answer("Built in 1984.", "1984"), holds_answer("Built in 19845.", "1984")
    (True, False)
    >>> holds_answer("For US$5 in café Mü.", "$5"), holds_answer("A café.", "caf"), holds_answer("東京都", "東京")
    (True, False, True)
    """
    held = folded(text).casefold()
    return any(_stands_in(held, folded(answer).casefold()) for answer in answers)


def _stands_in(held: str, wanted: str) -> bool:
    # Without a pattern: most answers are looked for once, and to compile one takes longer than to look.
    start = held.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        if not (_is_word(held[max(start - 1, 0) : start + 1]) or _is_word(held[end - 1 : end + 1])):
            return True
        start = held.find(wanted, start + 1)
    return False


def _is_word(pair: str) -> bool:
    """Whether two neighbouring characters belong to one word."""
    return len(pair) == 2 and all(_is_wordy(char) for char in pair)


def _is_wordy(char: str) -> bool:
    return (char.isalnum() or char == "_") and unicodedata.east_asian_width(char) not in "WF"
