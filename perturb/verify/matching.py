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


def holds_answer(text: str, answer: str) -> bool:
    """Whether an answer stands in a text as whole words, whatever the case.

    >>> holds_answer("Built in 1984.", "1984"), holds_answer("Built in 19845.", "1984")
    (True, False)
    """
    held, wanted = folded(text).casefold(), folded(answer).casefold()
    start = held.find(wanted)
    # Without a pattern: most answers are looked for once, and to compile one takes longer than to look.
    while start >= 0:
        end = start + len(wanted)
        if not (_is_wordy(held[start - 1 : start]) or _is_wordy(held[end : end + 1])):
            return True
        start = held.find(wanted, start + 1)
    return False


def _is_wordy(char: str) -> bool:
    """Whether a character, or none, belongs to a word."""
    return char.isalnum() or char == "_"
