# ruff: noqa: E501  (many short wordings a line)
"""Wordings of P-MissingInfo for what stands in the place of a whole passage: recordings and empty tables."""

from __future__ import annotations

from perturb.rules.answers import AnswerType

AUDIO = (
    "{on}, {speaker} {says} {fact}.",
    "{on}, {speaker} {says} {fact}.",
    "{on}, {speaker} {says} {fact}.",
    "{on}, {speaker} can be heard explaining {fact}.",
    "{start} {recording}, {speaker} {says} {fact}.",
    "{start} {recording}, {speaker} {says} {fact}.",
    "{start} {recording}, listeners learn {fact}.",
    "{start} {recording}, one hears {fact}.",
    "{on}, listeners learn {fact}.",
    "{on} you can hear {fact}.",
    "{recording} opens with {speaker} explaining {fact}.",
    "{recording} ends with {speaker} explaining {fact}.",
    "listen to {attached} to learn {fact}.",
    "to learn {fact}, play {attached}.",
    "those who listen to {attached} find out {fact}.",
)
ASKED = (
    "asked {on} {fact}, {speaker} gives a clear answer.",
    "{on}, {speaker} is asked {fact} and answers at once.",
)
"""Wordings for a recording in which somebody is asked."""
ATTACHED = (
    "the attached recording", "the attached audio clip", "the recording below", "the attached interview", "the sound file below",
    "the attached audio file", "the audio clip below", "the enclosed tape", "the linked podcast", "the linked recording",
)  # fmt: skip
CLOSINGS = (
    "There is no transcript.", "The recording has not been transcribed.", "The recording is short and clear.",
    "There is no written version.", "The recording lasts a few minutes.", "The recording is in good condition.",
    "The sound quality is good.", "Some music can be heard in the background.", "The recording can be played free of charge.",
    "No transcript has been published.", "The voice is calm and easy to follow.",
)  # fmt: skip
"""A second sentence where nothing else is left to say."""
INTERVIEWS = (
    "in a radio interview", "in a recorded interview", "in a podcast", "in a recent podcast", "in a radio broadcast",
    "in a morning broadcast", "in an audio interview", "in an old radio interview", "in a recorded conversation",
    "in a short podcast", "in a local radio broadcast", "in an interview on tape", "in the attached audio clip",
    "in the attached recording", "on the attached tape",
)  # fmt: skip
"""A preposition, and a recording in which somebody is asked."""
GUESTS = (
    "a guest", "the host", "the presenter", "a reporter", "a critic", "an expert", "a historian", "a journalist",
    "a fan", "a writer", "a collector", "a student", "a teacher", "an archivist", "a scholar",
)  # fmt: skip
TALKS = (
    "in a recorded lecture", "in a recorded talk", "in a radio report", "in a recorded speech", "in a radio talk",
    "in an audio lecture", "in a lecture on tape", "in a short radio talk", "in a recorded university lecture",
)  # fmt: skip
"""A preposition, and a recording in which one person speaks."""
SPEAKERS = (
    "a historian", "a teacher", "an expert", "a scholar", "a journalist", "a critic", "a writer", "an archivist",
    "a researcher", "a collector", "the speaker",
)  # fmt: skip
SAYS = ("says", "tells listeners", "reveals", "mentions", "states", "explains")
STARTS = (
    "early in", "late in", "at the end of", "at the start of", "halfway through", "a minute into", "a few minutes into",
    "shortly before the end of", "in the middle of", "towards the end of", "two minutes into",
)  # fmt: skip
UNWRITTEN = (
    "No transcript", "Sound only", "Audio only", "No written version", "Not transcribed", "No text version",
    "No transcript available", "Audio, not transcribed", "Transcript not available",
)  # fmt: skip

TITLES = (
    "Table: {fact}",
    "Table: {fact}",
    "{list}: {fact}.",
    "{list}: {fact}.",
    "this {list} shows {fact}.",
    "the {list} below shows {fact}.",
)
LISTS = (
    "list", "chart", "summary", "table", "overview", "reference list", "fact sheet", "reference table", "summary table",
    "data sheet", "table of facts", "data table",
)  # fmt: skip
NO_ROWS = (
    "(no entries)", "(empty)", "(none yet)", "(blank)", "(no data)", "(nothing yet)", "(0 rows)", "(no rows)", "(no records)",
    "(no entries yet)", "(no data yet)", "(0 entries)",
)  # fmt: skip
"""What stands below the headings, if anything does; a short title needs it, lest the text be too short."""
FIRST_COLUMNS = ("No.", "Entry", "Item", "Line", "Row", "Number", "Entry no.", "Item no.", "Topic", "Subject")
LAST_COLUMNS = (
    "Source", "Page", "Note", "Remarks", "Reference", "Comment", "Details", "Footnote", "Citation", "Notes", "Link", "Evidence",
    "Sources", "Comments",
)  # fmt: skip
ENTRY_COLUMNS = ("Entry", "Statement", "Fact", "Finding", "Answer")
ASKED_COLUMNS: dict[AnswerType, tuple[str, ...]] = {
    AnswerType.PERSON: ("Name", "Full name", "Who", "Name", "Name in full"),
    AnswerType.DATE: ("Date", "When", "When", "Date", "Date or year", "Exact date"),
    AnswerType.YEAR: ("Year", "When", "Date", "Year given"),
    AnswerType.NUMBER: ("Number", "Count", "Figure", "Total", "How many", "Total number"),
    AnswerType.PLACE: ("Place", "Where", "Where", "Location", "Place name"),
    AnswerType.WORK: ("Title", "Name", "Work", "Full title"),
}
