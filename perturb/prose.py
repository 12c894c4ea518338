"""Which texts the offline engine and its verifiers read: prose, of a length at which all their patterns are quick."""

from __future__ import annotations

import re
from functools import lru_cache

from perturb.records import Passage

MAX_CHARS = 20_000
"""Characters of a question with all its passages and their titles."""
MAX_STRETCH = 3_000
"""Characters between two ends of sentences or lines."""
MAX_RUN = 200
"""Times that one character, or any blanks, may follow each other."""

_RUN = re.compile(rf"(\S)\1{{{MAX_RUN}}}|\s{{{MAX_RUN + 1}}}")
_END = re.compile(r"[^\W\d_]{3}[.!?][\"”’)\]]*\s|[\n\0]")


@lru_cache(maxsize=512)
def beyond_reading(query: str, passages: tuple[Passage, ...]) -> str | None:
    """Why a question with its passages is not read by rule, in a line; None if it is.

    >>> beyond_reading("who sang", (Passage("Ray sang." + "." * 300, "Ray", "signal"),))
    'no prose: one character, or blanks, more than 200 times in a row'
    """
    text = "\0".join([query, *(part for one in passages for part in (one.title, one.text))])
    if len(text) > MAX_CHARS:
        return f"too long to be read by rule: more than {MAX_CHARS:,} characters"
    if _RUN.search(text):
        return f"no prose: one character, or blanks, more than {MAX_RUN} times in a row"
    if len(text) > MAX_STRETCH and max(map(len, _END.split(text))) > MAX_STRETCH:
        return f"no prose: no sentence or line ends within {MAX_STRETCH:,} characters"
    return None
