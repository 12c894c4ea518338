"""When two texts count as the same, and when an answer stands in one."""

from __future__ import annotations

import re
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
    pattern = re.escape(folded(answer).casefold())
    return re.search(rf"(?<!\w){pattern}(?!\w)", folded(text).casefold()) is not None
