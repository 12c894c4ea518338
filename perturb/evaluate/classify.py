"""Reads a reply without a judge: the refusal code where the whole reply is one, and the confidence it states."""

from __future__ import annotations

import re
from collections.abc import Mapping

from perturb.export.harness.patterns import DECORATION, STATED_CONFIDENCE
from perturb.llm.replies import after_thinking, ends_in_thinking
from perturb.records import ANSWER_CORRECTLY, REFUSE_OTHER

ANSWER = "ANSWER"
"""The classification of an answer attempt, right or wrong; that of a refusal is its canonical code."""

CONFIDENCE_LEVELS: tuple[str, ...] = (
    "VERY_CONFIDENT",
    "CONFIDENT",
    "SOMEWHAT_CONFIDENT",
    "UNCERTAIN",
    "VERY_UNCERTAIN",
)
"""The five levels a model may state, from the highest down (spec, section 7: midpoints .95, .80, .60, .40, .15)."""

_CONFIDENCE = re.compile(STATED_CONFIDENCE, re.IGNORECASE | re.MULTILINE)
_CODE = re.compile(rf"{DECORATION}([A-Z]+(?:_[A-Z]+)+){DECORATION}", re.IGNORECASE)
_LONGEST_CODE = 200
"""Characters; a longer reply is more than a code and a line of confidence."""


def read_code(text: str, codes: Mapping[str, str]) -> str | None:
    """The canonical refusal code, if the whole reply is a code or a known short form of one; else None.

    `codes` maps every known spelling to its canonical form (`Catalogue.codes`). Thinking before the code, a
    statement of confidence after it, quotes, brackets and Markdown around it do not matter.

    >>> codes = {"REFUSE_AMBIGUOUS": "REFUSE_AMBIGUOUS_QUERY", "ANSWER_CORRECTLY": "ANSWER_CORRECTLY"}
    >>> read_code("**REFUSE_AMBIGUOUS** | CONFIDENCE: [CONFIDENT]", codes)
    'REFUSE_AMBIGUOUS_QUERY'
    >>> read_code("REFUSE_AMBIGUOUS, since two are meant", codes), read_code("ANSWER_CORRECTLY", codes)
    (None, None)
    """
    bare = after_thinking(text)
    if len(bare) > _LONGEST_CODE or ends_in_thinking(text):
        return None
    whole = _CODE.fullmatch(_CONFIDENCE.sub("", bare))
    code = codes.get(whole[1].upper()) if whole else None
    return None if code == ANSWER_CORRECTLY else code


def read_confidence(text: str) -> str | None:
    """The level of confidence that a reply states at the end of a line, the last if there are several; None if none.

    >>> read_confidence("It is Ada. CONFIDENCE: very confident"), read_confidence("I lack confidence.")
    ('VERY_CONFIDENT', None)
    """
    stated = _CONFIDENCE.findall(after_thinking(text))
    level = "_".join(re.findall("[A-Z]+", stated[-1].upper())) if stated else None
    return level if level in CONFIDENCE_LEVELS else None


def refusal_codes(codes: Mapping[str, str]) -> tuple[str, ...]:
    """The canonical codes of a refusal: one for each class, and `REFUSE_OTHER` at the end."""
    known = dict.fromkeys(code for code in codes.values() if code not in (ANSWER_CORRECTLY, REFUSE_OTHER))
    return (*known, REFUSE_OTHER)
