"""Wordings of the P-Ambiguity rules at LOW; the gaps are filled from the instance."""

from __future__ import annotations

FRONTS = (
    "regarding {full}, {question}",
    "concerning {full}, {question}",
    "as for {full}, {question}",
    "on the subject of {full}, {question}",
    "speaking of {full}, {question}",
    "when it comes to {full}, {question}",
    "with regard to {full}, {question}",
    "{full}: {question}",
    "{full} – {question}",
)
DECOYS = (
    "{Full} is sometimes mentioned together with {decoy}, although the two have nothing to do with each other.",
    "{Book} lists {full} next to {decoy}, without linking the two.",
    "Some {group} were once asked what they knew about {full} and about {decoy}.",
    "In {book} the entry on {full} is followed by a short one on {decoy}.",
    "In a quiz, one round dealt with {full} and the next with {decoy}.",
    "There was {a_talk} {on} {full} one week and another {on} {decoy} the week after.",
    "First came {a_talk} {on} {full}, then a shorter one {on} {decoy}.",
    "Many {group} who know {full} have never heard of {decoy}.",
    "{A_side} {by} {full} costs twice as much as one {by} {decoy}.",
    "{Book} mentions {decoy} on the page after {full}.",
)
WORK_DECOYS = (
    "the {noun} “{sibling}”",
    "the {noun} “{sibling}”",
    "the short {noun} “{sibling}”",
    "the little-known {noun} “{sibling}”",
    "the forgotten {noun} “{sibling}”",
)

SENSES = {
    "sing": ("voice", "star"),
    "perform": ("star",),
    "play": ("star",),
    "write": ("hand",),
    "think": ("figure",),
    "make": ("figure",),
    "draw": ("hand", "figure"),
    "be": ("figure",),
    "win": ("side", "outfit"),
    "own": ("concern", "party"),
    "rule": ("body",),
}
"""Words with several senses that may stand for a person or a body, by what was done."""
SENSE_QUESTIONS = (
    "which {sense} {did}",
    "which {sense} {did}",
    "which {sense} {did}",
    "can you tell me which {sense} {did}",
    "do you know which {sense} {did}",
    "tell me which {sense} {did}",
    "I would like to know which {sense} {did}",
    "according to the passage, which {sense} {did}",
)
VERBS = (
    (r"(?<=[a-z\d] )come out\b(?! of)", ("drop",)),
    (r"\breleased\b", ("put out", "brought out", "launched")),
    (r"\bfilmed$", ("shot",)),
    (r"(?<=they )film\b", ("shoot",)),
    (r"(?<=[a-z\d] )(?<!it )start$", ("kick off",)),
    (r"(?<!system was )\b(?:founded|established|formed|created)$", ("set up", "launched")),
    (r"\bfirst aired\b", ("first screened",)),
    (r"\breinstated\b", ("brought back", "restored")),
    (r"\bget rid of\b", ("drop", "shed")),
    (r"\bstop using\b", ("drop", "retire")),
    (r"\bwritten$", ("penned",)),
    (r"\bwrote\b", ("penned",)),
    (r"(?<=[a-z] )record(?= [A-Z])", ("cut", "lay down")),
    (
        r"\bwon\b(?= (?:the|most|a)\b.*\b(?:cup|titles?|medals?|metals|championships?|trophy|prize|award|season)\b)",
        ("took", "picked up"),
    ),
    (r"\bfirst develop$", ("first turn up", "first spring up")),
    (r"\binvented\b", ("hit upon", "cooked up")),
    (r"\bdesigned\b", ("drew up", "drew")),
)
"""Plain verbs of a question, and verbs with several everyday senses that may stand in their place."""

EPITHET_NAMES = (
    "the {noun} known as “{epithet}”", "the {noun} nicknamed “{epithet}”", "the {noun} that many call “{epithet}”",
    "the {noun} with the nickname “{epithet}”", "the {noun} also called “{epithet}”", "the {noun} dubbed “{epithet}”",
    "the {noun} that some know as “{epithet}”",
)  # fmt: skip
EPITHET_NOTES = (
    "Many a {noun} has a nickname, but the only one called “{epithet}” is {full}.",
    "While “{other}” is another {noun}, people who speak of “{epithet}” always mean {full}.",
    "Whereas “{other}” is used of another {noun}, the nickname “{epithet}” is used only of {full}.",
    "A different {noun} goes by “{other}”, but “{epithet}” is a name for {full} and nothing else.",
    "“{other}” is what people call another {noun}; by “{epithet}” they mean {full}.",
    "The only {noun} known as “{epithet}” is {full}; “{other}” is the nickname of another {noun}.",
    "According to {source}, the nickname “{epithet}” belongs to {full} and to no other {noun}.",
)

COMPARED = (
    ("{Source} gives {full} more space than {other}.", "which is given more space"),
    (
        "{Book} has entries on {full} and on {other}, of which the first is longer.",
        "the one with the longer entry",
    ),
    ("More {group} have heard of {full} than of {other}.", "the better known one"),
    ("In a survey, {group} found {full} easier to remember than {other}.", "which is easier to remember"),
    ("In a vote among {group}, {full} beat {other}.", "which got more votes"),
    ("In a vote among {group}, {full} finished ahead of {other}.", "the more popular one"),
    ("{Source} mentions {full} far more often than {other}.", "which is mentioned more often"),
    ("Most {group} know less about {other} than about {full}.", "the more familiar one"),
    ("Some {group} found a quiz on {full} harder than one on {other}.", "on which the quiz was harder"),
    (
        "{A_talk} {on} {full} drew a larger audience than one {on} {other}.",
        "the one that drew a larger audience",
    ),
    ("Most {group} would rather talk about {full} than about {other}.", "which is the more popular topic"),
)
"""A sentence with a comparison, and an aside that leaves out what the comparison is with."""

ADJECTIVES = (
    ("deep", "it makes people think", "physical"),
    ("rich", "it is full of detail", "financial"),
    ("hard", "it is difficult to understand", "physical"),
    ("strong", "it stays in the mind", "physical"),
    ("striking", "it catches the attention", "physical"),
    ("moving", "it stirs people's feelings", "literal"),
    ("touching", "it stirs people's feelings", "literal"),
    ("big", "so many people know it", "literal"),
)
"""Adjectives, why one may be said of a work, and the sense that is out of the question."""
COERCED = (
    "{full} is called {adj} because {reason}, not in the {other} sense.",
    "If {group} call {full} {adj}, they mean that {reason}; the {other} sense is not meant.",
    "{Source} calls {full} {adj} because {reason}, and not in the {other} sense.",
    "People find {full} {adj} because {reason}, not in the {other} sense of the word.",
    "Most {group} think {full} {adj} because {reason}; the {other} sense of the word is not meant.",
)
