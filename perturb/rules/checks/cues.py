"""Wordings that tell a reader what to believe."""

from __future__ import annotations

import re

from perturb.rules.checks.word_bank import WORDS


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
