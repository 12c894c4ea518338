# ruff: noqa: E501  (many short wordings a line)
"""Wordings of P-MissingInfo for what stands in the place of a whole passage: recordings and empty tables."""

from __future__ import annotations

from perturb.rules.answers import AnswerType

AUDIO = (
    "listen to {recording} to learn {fact}.",
    "{on}, {speaker} {says} {fact}.",
    "{on}, {speaker} {says} {fact}.",
    "{recording} {says} {fact}.",
    "only {recording} {says} {fact}.",
    "to learn {fact}, play {recording}.",
    "{on}, listeners learn {fact}.",
    "{on} you can hear {fact}.",
    "{speaker} speaks {on} about {fact}.",
    "those who play {recording} find out {fact}.",
    "{fact} can be heard {on}.",
    "{fact}: hear {recording}.",
    "{recording} lets {speaker} explain {fact}.",
    "asked {fact}, {speaker} answers {on}.",
    "{speaker} was asked {fact}; hear the reply {on}.",
    "{start} {recording}, {speaker} {says} {fact}.",
    "{start} {recording}, one hears {fact}.",
    "play {recording}: {speaker} {says} {fact}.",
    "{recording} opens with {speaker} explaining {fact}.",
    "{recording} ends with {speaker} telling {fact}.",
    "hear {speaker} explain {fact}.",
    "by way of {recording}, {speaker} {says} {fact}.",
)
RECORDINGS = (
    "on the tape", "on the old tape", "in the podcast", "on the audio guide", "in the radio talk", "in the recorded interview",
    "on the disc", "on the enclosed disc", "in the broadcast", "in the morning broadcast", "in the voice message",
    "in the audio clip", "in the recording", "in the second recording", "in the radio report", "in the audio tour",
    "in the recorded lecture", "in the recorded speech", "in the radio bulletin", "in the sound file", "in the audio version",
    "in the last podcast", "on the first track", "on the third track", "in the recorded call", "in the sound archive",
)  # fmt: skip
"""A preposition, and the recording."""
SPEAKERS = (
    "a curator", "a guide", "the presenter", "a guest", "a caller", "a teacher", "an archivist", "the announcer", "a fan",
    "a reporter", "a critic", "an expert", "a collector", "the host", "a neighbour", "a student", "a historian", "a journalist",
    "a visitor", "a colleague", "a volunteer", "a clerk", "a librarian", "the moderator", "a scholar", "a witness",
)  # fmt: skip
SAYS = ("says", "tells", "reveals", "mentions", "states", "discloses", "points out")
STARTS = (
    "early in", "late in", "at the end of", "at the start of", "halfway through", "a minute into", "a few minutes into",
    "towards the close of", "shortly before the end of", "in the middle of",
)  # fmt: skip
UNWRITTEN = (
    "No transcript", "Sound only", "Not written out", "Never typed up", "Spoken word only", "Audio only", "No written version",
    "Wording not printed", "Not transcribed", "No text version",
)  # fmt: skip

TITLES = (
    "{fact}:",
    "{fact}:",
    "{fact}:",
    "Table: {fact}",
    "{list}: {fact}.",
    "{list}: {fact}.",
    "this {list} should show {fact}.",
    "{fact} ({list}).",
)
LISTS = (
    "list", "register", "chart", "summary", "record", "catalogue", "directory", "log", "grid", "sheet", "form", "card", "file",
    "table", "survey", "data sheet", "worksheet", "spreadsheet", "draft list", "reference list", "fact sheet", "database",
    "checklist", "page", "short list", "draft table",
)  # fmt: skip
NO_ROWS = (
    "(no entries)", "(empty)", "(none yet)", "(blank)", "(no data)", "(nothing yet)", "(to come)", "(pending)",
    "(unfilled)", "(0 rows)", "(to follow)", "(no lines)", "(no rows)", "(no records)", "(not started)",
)  # fmt: skip
"""What stands below the headings, if anything does; a short title needs it, lest the text be too short."""
FIRST_COLUMNS = (
    "No.", "Entry", "Item", "Line", "Row", "Case", "File", "Box", "Sheet", "Code", "Folio", "Card", "Volume", "Index", "Key",
    "Number in list", "Set", "Group", "Topic", "Section",
)  # fmt: skip
LAST_COLUMNS = (
    "Source", "Page", "Note", "Remarks", "Reference", "Comment", "Status", "Archive", "Edition", "Category", "Link", "Chapter",
    "Document", "Collection", "Citation", "Library", "Publisher", "Checked", "Details", "Evidence", "Footnote", "Proof",
)  # fmt: skip
ENTRY_COLUMNS = ("Entry", "Statement", "Fact", "Finding", "Answer")
ASKED_COLUMNS: dict[AnswerType, tuple[str, ...]] = {
    AnswerType.PERSON: ("Name", "Full name", "Who", "Who", "Person", "Name in full"),
    AnswerType.DATE: ("Date", "When", "When", "Day", "Time", "Date or year", "On which date"),
    AnswerType.YEAR: ("Year", "When", "Date", "Year given"),
    AnswerType.NUMBER: ("Number", "Count", "Figure", "Total", "How many", "How many", "Quantity", "Amount"),
    AnswerType.PLACE: ("Place", "Where", "Where", "Location", "Site", "Place name"),
    AnswerType.WORK: ("Title", "Name", "Work", "Full title"),
}
