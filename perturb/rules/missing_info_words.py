# ruff: noqa: E501  (one wording a line)
"""Wordings of the P-MissingInfo rules."""

from __future__ import annotations

from perturb.rules.answers import AnswerType

PERSONS = (
    "an unnamed person", "a person who is not named", "a person not identified here", "a certain person",
    "a person whose name is not given", "an unidentified person", "a person left unnamed",
)  # fmt: skip
TIMES = (
    "at a time that is not given", "at an unstated time", "at a time not stated here", "on an undisclosed occasion",
    "at a moment that is not recorded here", "at a time left open here", "at an unspecified time",
)  # fmt: skip
NUMBERS = (
    "an unstated number of", "an unspecified number of", "an undisclosed number of", "an unknown number of",
    "an unreported number of", "an unrecorded number of",
)  # fmt: skip
SITES = (
    "in an unnamed place", "in a place not named here", "in an undisclosed location", "at an unstated location",
    "in a place that is not identified", "in an unspecified place",
)  # fmt: skip
THINGS = (
    "something that is not named here", "something not specified here", "something left unnamed", "something unspecified",
    "something that is not identified", "something not stated here",
)  # fmt: skip

PURGED_PERSONS = ("someone", "somebody", "some person", "one person", "somebody or other", "a person")
PURGED_TIMES = ("at some point", "at some time", "at one point", "at some stage")
PURGED_NUMBERS = (
    "a certain number of",
    "a number of",
    "some number of",
    "an unknown number of",
    "an unrecorded number of",
    "an untold number of",
)
PURGED_SITES = (
    "somewhere",
    "in some place",
    "in one place",
    "in a certain place",
    "someplace",
    "in some location",
)
PURGED_THINGS = (
    "something",
    "something or other",
    "some such thing",
    "a certain thing",
    "one thing",
    "some thing",
)

PLACEHOLDERS: dict[AnswerType, tuple[str, ...]] = {
    AnswerType.PERSON: PERSONS,
    AnswerType.DATE: TIMES,
    AnswerType.YEAR: TIMES,
    AnswerType.NUMBER: NUMBERS,
    AnswerType.PLACE: SITES,
}
PURGED: dict[AnswerType, tuple[str, ...]] = {
    AnswerType.PERSON: PURGED_PERSONS,
    AnswerType.DATE: PURGED_TIMES,
    AnswerType.YEAR: PURGED_TIMES,
    AnswerType.NUMBER: PURGED_NUMBERS,
    AnswerType.PLACE: PURGED_SITES,
}

NUMBERED = ("[{n}]", "[{n}, {m}]", "[{n}a]", "[{n}b]", "[{n}]", "[{n}]")
SOURCES = (
    "note", "ref", "source", "footnote", "endnote", "reference", "document", "entry", "exhibit", "annex", "appendix", "record",
    "table", "doc", "report", "article", "paper", "study", "survey", "volume", "memo", "letter", "file", "page",
)  # fmt: skip
"""What a reference may point to where the answer is one that a bare number might be taken for; none of it is given."""

MARKS = ("█████", "███", "____", "______", "[***]", "[…]", "[—]", "[■■■]", "▒▒▒▒", "[•••]", "[###]")
