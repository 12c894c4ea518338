r"""The rule that reads refusal codes, as regular expressions, for harnesses that take nothing else.

They say what `perturb.evaluate.classify.read_code` says: the whole reply is a code or a short form of one, whatever
thinking stands before it, confidence beside it, quotes, brackets and Markdown around it.
"""

from __future__ import annotations

from collections.abc import Mapping

from perturb.llm.replies import END_OF_THINKING
from perturb.records import ANSWER_CORRECTLY

DECORATION = r"""[\s*_`'"\u201c\u201d\u2018\u2019\[\](){}<>|.,:;!-]{0,20}"""
"""Bounded, so that a reply of nothing but such characters is read in linear time."""
_LEVEL = r"(?:VERY|SOMEWHAT)?[\s_-]*(?:CONFIDENT|UNCERTAIN)"
_CONFIDENCE = (
    r"(?:^|[\s|*_`\[(])CONFIDENCE(?:[ _]LEVEL)?[*_`]{0,3}\s?[:=]"
    rf"{DECORATION}{_LEVEL}{DECORATION}"
    r"(?:\([^()\n]{0,60}\))?[*_`.]{0,3}[ \t]*$"
)
STATED_CONFIDENCE = _CONFIDENCE.replace(_LEVEL, f"({_LEVEL})")
"""A statement of confidence at the end of a line; its one group is the level."""


def refusal_spellings(codes: Mapping[str, str]) -> dict[str, str]:
    """Every spelling of a refusal code mapped to the canonical one; `codes` is `Catalogue.codes`."""
    return {spelling: code for spelling, code in codes.items() if code != ANSWER_CORRECTLY}


def code_pattern(codes: Mapping[str, str]) -> str:
    """Matches a reply that is a refusal code; its one group is the code as the reply spells it.

    >>> import re
    >>> pattern = code_pattern({"REFUSE_AMBIGUOUS": "REFUSE_AMBIGUOUS_QUERY"})
    >>> re.findall(pattern, "**refuse_ambiguous**"), re.findall(pattern, "REFUSE_AMBIGUOUS, it seems")
    (['refuse_ambiguous'], [])
    """
    spellings = sorted(refusal_spellings(codes), key=len, reverse=True)
    return _whole_reply(f"({'|'.join(spellings)})")


def mark_pattern(codes: Mapping[str, str]) -> str:
    """As `code_pattern`, with a group around the code's mark alone (`code_marks`), which all its spellings share.

    For harnesses that compare a group with one target text and cannot map one spelling to another.

    >>> import re
    >>> known = {"REFUSE_MISSING": "REFUSE_INFO_MISSING", "REFUSE_INFO_MISSING": "REFUSE_INFO_MISSING"}
    >>> [re.search(mark_pattern(known), spelling).groups() for spelling in known]
    [(None, '_MISSING'), ('_MISSING', None)]
    """
    marks = code_marks(codes)
    spellings = []
    for spelling, code in sorted(refusal_spellings(codes).items(), key=lambda pair: -len(pair[0])):
        before, mark, after = spelling.partition(marks[code])
        spellings.append(f"{before}({mark}){after}")
    return _whole_reply(f"(?:{'|'.join(spellings)})")


def code_marks(codes: Mapping[str, str]) -> dict[str, str]:
    """Canonical refusal code -> the longest part that all its spellings share.

    >>> code_marks({"REFUSE_MISSING": "REFUSE_INFO_MISSING", "REFUSE_INFO_MISSING": "REFUSE_INFO_MISSING"})
    {'REFUSE_INFO_MISSING': '_MISSING'}
    """
    spellings = refusal_spellings(codes)
    return {
        code: _shared_part([one for one in spellings if spellings[one] == code])
        for code in dict.fromkeys(spellings.values())
    }


def _shared_part(texts: list[str]) -> str:
    """The longest text that stands in all of them, the first if there are several."""
    shortest = min(texts, key=len)
    parts = (
        shortest[start:end] for start in range(len(shortest)) for end in range(start + 1, len(shortest) + 1)
    )
    return max((part for part in parts if all(part in text for text in texts)), key=len)


def _whole_reply(code: str) -> str:
    return (
        rf"(?ims)\A(?:.*{END_OF_THINKING})?\s*(?=\S.{{0,199}}\s*\Z)"
        rf"(?:{DECORATION}{_CONFIDENCE})*{DECORATION}{code}{DECORATION}(?:{_CONFIDENCE}{DECORATION})*\s*\Z"
    )
