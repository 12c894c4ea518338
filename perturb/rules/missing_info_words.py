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
PURGED_TIMES = (
    "at some point",
    "at one time",
    "at some time",
    "at one point",
    "on one occasion",
    "at a certain time",
)
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

NUMBERED = ("[{n}]", "[{n}, {m}]", "[{m}, {n}]", "[{n}a]", "[{n}b]", "[{n}, {m}]", "[{n}]")
CITATIONS = (
    "[see note {n}]", "[ref. {n}]", "[source {n}]", "[cf. footnote {n}]", "[cite {n}]", "[entry {n} of the bibliography]",
    "[see appendix {n}]", "[endnote {n}]", "[reference {n}]", "[annex {n}]", "[source {n}, entry {m}]",
)  # fmt: skip
"""References by words, for answers that a bare number might be taken for."""

MARKS = ("█████", "______", "[***]", "[…]", "[—]", "▒▒▒▒", "[REDACTED]", "[WITHHELD]")

AUDIO = (
    "A narrator tells {fact}. [Audio clip, {time}; no transcript.]",
    "The sound recording that belongs to this page says {fact}. [Listen, {time}; nothing of it is written down.]",
    "In the first minute of the accompanying broadcast listeners hear {fact}. [Recording, {time}, not transcribed.]",
    "An interview on tape explains {fact}. [Tape, {time}; the wording has not been put on paper.]",
    "To find out {fact}, play the audio guide. [Track of {time}; no text version exists.]",
    "A podcast episode reveals {fact}. [Episode extract, {time}, without a transcript.]",
    "Visitors learn from the loudspeaker {fact}. [Sound file, {time}; no written version.]",
    "For this passage there is only a record to be played: a speaker says {fact}. [Playing time {time}; the words have not been typed out.]",
    "{fact_start} can be heard at the listening post. [Length {time}; no wording is printed.]",
    "A lecture on tape deals with {fact}. [Duration {time}, sound alone.]",
    "On the accompanying disc a voice reports {fact}. [{time} of speech that no one has written up.]",
    "Whoever presses the button hears {fact}. [Spoken text of {time}, unprinted.]",
    "{fact_start} is the theme of an oral history interview. [Interview of {time}, kept as sound.]",
)

TABLES = (
    "Table {n}: {title}\nThe table below was set up to show {fact}.\n{head}\n{rule}\n(no entries)",
    "Table: {title}\n{fact_start} is meant to be listed here.\n{head}\n{rule}\n(empty)",
    "Table {n}: {title}\nA table was laid out to say {fact}; its rows are missing.\n{head}\n{rule}\n(no rows)",
    "Table: {title}\nThis page was prepared to state {fact}; nothing has been entered yet.\n{head}\n{rule}\n(0 rows)",
    "Table {n}: {title}\nThe following table would state {fact}.\n{head}\n{rule}\n(no data)",
    "Table: {title}\nIt was planned to set out here {fact}.\n{head}\n{rule}\n(blank)",
    "Table {n}: {title}\n{fact_start} was to be filled in by the editors.\n{head}\n{rule}\n(left open)",
    "Table: {title}\nBelow, readers will one day find {fact}.\n{head}\n{rule}\n(nothing as yet)",
    "Table {n}: {title}\nA grid has been drawn to show {fact}.\n{head}\n{rule}\n(unfilled)",
)
COLUMNS: dict[AnswerType, tuple[str, ...]] = {
    AnswerType.PERSON: ("No. | Name | Source", "Name | Role | Remarks", "Entry | Person | Page"),
    AnswerType.DATE: ("No. | Date | Source", "Event | Date | Remarks", "Entry | Day | Month | Year"),
    AnswerType.YEAR: ("No. | Year | Source", "Event | Year | Remarks", "Entry | Date | Page"),
    AnswerType.NUMBER: ("Item | Number | Source", "Subject | Count | Remarks", "Entry | Figure | Page"),
    AnswerType.PLACE: ("No. | Place | Source", "Event | Location | Remarks", "Entry | Place | Region"),
    AnswerType.WORK: ("No. | Title | Source", "Entry | Title | Remarks", "Title | Page"),
    AnswerType.PHRASE: ("No. | Entry | Source", "Subject | Statement | Remarks", "Heading | Entry | Page"),
}
