"""Wordings of the P-Ambiguity rules at LOW; the gaps are filled from the instance."""

from __future__ import annotations

FRONTS = (
    "regarding {full}, {question}",
    "concerning {full}, {question}",
    "about {full}: {question}",
    "with {full} in mind, {question}",
    "as for {full}, {question}",
    "on the subject of {full}, {question}",
    "speaking of {full}, {question}",
    "when it comes to {full}, {question}",
    "with regard to {full}, {question}",
    "in the case of {full}, {question}",
    "thinking of {full}, {question}",
    "turning to {full}, {question}",
    "{full}: {question}",
    "{full} – {question}",
    "you know {full}; {question}",
)
DECOYS = (
    "{Full} is sometimes named side by side with {decoy}, which has nothing to do with it.",
    "{Source} lists {full} next to {decoy}, without linking the two.",
    "Some {group} were once asked what they knew about {full} and about {decoy}.",
    "In {source} the entry on {full} is followed by a short one on {decoy}.",
    "{A_side} {by} {full} was printed on the same day as one {by} {decoy}.",
    "In a quiz, one round dealt with {full} and the next with {decoy}.",
    "In {source} {full} stands on one line and {decoy} on the next.",
    "There was {a_talk} {on} {full} one week and another {on} {decoy} the week after.",
    "One library keeps {a_side} {by} {full} in the same box as a thin leaflet on {decoy}.",
    "First came {a_talk} {on} {full}, then a shorter one {on} {decoy}.",
    "Many {group} who like {full} have never heard of {decoy}.",
    "{A_side} {by} {full} cost twice as much as one {by} {decoy}.",
    "Nobody has yet confused {full} with {decoy}, although both are in {source}.",
    "Whoever looks up {decoy} in {source} is on the wrong page for {full}.",
    "{Decoy} was left out when some {group} voted for {full}.",
    "A friend of {full} may well care little for {decoy}.",
)
WORK_DECOYS = (
    "the {noun} “{sibling}”",
    "the old {noun} “{sibling}”",
    "the amateur {noun} “{sibling}”",
    "the forgotten {noun} “{sibling}”",
    "the short {noun} “{sibling}”",
    "the little-known {noun} “{sibling}”",
    "the student {noun} “{sibling}”",
    "the unfinished {noun} “{sibling}”",
)

SENSES = {
    "sing": ("voice", "star", "act", "artist"),
    "perform": ("act", "outfit"),
    "play": ("star", "talent", "face", "artist"),
    "write": ("hand", "pen", "talent", "mind", "head"),
    "think": ("mind", "brain", "head", "hand"),
    "make": ("hand", "artist", "mind", "talent"),
    "be": ("figure", "head"),
    "win": ("side", "outfit", "party"),
    "own": ("party", "concern", "house"),
    "rule": ("body", "organ", "branch"),
}
"""Words with several senses that may stand for a person or a body, by what was done."""
SENSE_QUESTIONS = (
    "which {sense} {did}",
    "which {sense} {did}",
    "which {sense} {did}",
    "what {sense} {did}",
    "could you say which {sense} {did}",
    "do you know which {sense} {did}",
    "tell me which {sense} {did}",
    "I would like to know which {sense} {did}",
    "according to the passage, which {sense} {did}",
    "from what is said here, which {sense} {did}",
    "which {sense} was it that {did}",
)
VERBS = (
    (r"(?<=[a-z\d] )come out\b(?! of)", ("appear", "drop")),
    (r"\breleased\b", ("issued", "put out", "brought out", "launched")),
    (r"\bfilmed$", ("shot",)),
    (r"(?<=they )film\b", ("shoot",)),
    (r"(?<=[a-z\d] )(?<!it )start$", ("kick off", "get rolling")),
    (r"\b(?:founded|established|formed|created)$", ("set up", "launched", "brought to life")),
    (r"\bfirst aired\b", ("first screened", "first beamed out")),
    (r"\breinstated\b", ("brought back", "restored", "put back")),
    (r"\bget rid of\b", ("drop", "shed", "lift")),
    (r"\bstop using\b", ("drop", "shelve", "retire")),
    (r"\bwritten$", ("penned", "drafted")),
    (r"\bwrote\b", ("penned",)),
    (r"(?<=[a-z] )record(?= [A-Z])", ("cut", "lay down")),
    (
        r"\bwon\b(?= (?:the|most|a)\b.*\b(?:cup|titles?|medals?|metals|championships?|trophy|prize|award|season)\b)",
        ("took", "bagged", "carried off", "picked up"),
    ),
    (r"\bfirst develop$", ("first turn up", "first take shape", "first spring up")),
    (r"\bhappen$", ("come about",)),
    (r"\btake place$", ("run", "fall", "come off")),
    (r"\binvented\b", ("thought up", "hit upon", "cooked up")),
    (r"\bdesigned\b", ("drew up", "drew", "mapped out")),
    (r"(?<=[a-z] )return to\b", ("come back to", "turn back to")),
)
"""Plain verbs of a question, and verbs with several everyday senses that may stand in their place."""

EPITHET_NAMES = (
    "the {noun} known as “{epithet}”", "the {noun} nicknamed “{epithet}”", "the {noun} that many call “{epithet}”",
    "the {noun} with the nickname “{epithet}”", "the {noun} also called “{epithet}”", "the {noun} dubbed “{epithet}”",
    "“{epithet}”", "what people call “{epithet}”", "the {noun} that some know as “{epithet}”",
    "the {noun} “{epithet}”", "the so-called “{epithet}”",
)  # fmt: skip
EPITHET_NOTES = (
    "Many a {noun} has a nickname, but the only one called “{epithet}” is {full}.",
    "Other works and places have similar nicknames, but “{epithet}” belongs to nothing other than {full}.",
    "While “{other}” is something different, people who speak of “{epithet}” always mean {full}.",
    "Whereas “{other}” is used of another {noun}, the nickname “{epithet}” is used only of {full}.",
    "A different {noun} goes by “{other}”, but “{epithet}” is a name for {full} and nothing else.",
    "“{other}” is what people call another {noun}; by “{epithet}” they mean {full}.",
    "Of all that has been called by such names, the only {noun} known as “{epithet}” is {full}.",
    "While “{other}” stands for another {noun}, whoever says “{epithet}” means {full}.",
    "In {source} no other {noun} is called “{epithet}”, which always means {full}.",
    "Two names are easily mixed up: “{other}” is some other {noun}, whereas “{epithet}” is {full}.",
    "{Source} once gave the name “{epithet}”, which no other {noun} has been given, to {full}.",
    "{Full} alone is “{epithet}” to some {group}; “{other}” is another {noun}.",
    "Ask some {group} for “{epithet}”, and they will point to {full} and to no other {noun}.",
    "“{epithet}”, unlike “{other}”, can only be {full}.",
)

COMPARED = (
    ("{Source} gives {full} more room than {other}.", "which is given more room"),
    (
        "Of two entries in {source}, on {full} and on {other}, the first is longer.",
        "the one with the longer entry",
    ),
    ("More {group} had heard of {full} than of {other}.", "the better known one"),
    ("{A_talk} {on} {full} had many followers; one {on} {other} had none.", "which had more followers"),
    ("Some {group} found {full} easy to remember, and {other} not.", "which is easier to remember"),
    ("In a vote among {group}, {full} beat {other}.", "which got more votes"),
    ("{A_side} {by} {full} costs twice as much as one {by} {other}.", "{by} which {a_side} is dearer"),
    ("Some {group} mention {full} daily and {other} once a year.", "which is mentioned more often"),
    ("About {other}, {group} had little to say; about {full}, a lot.", "about which there is more to say"),
    ("Beside {other}, {full} seems familiar to {group}.", "the more familiar of the two"),
    ("A quiz on {full} was hard, one on {other} child's play.", "on which the quiz was harder"),
    ("{Other} is hardly ever spelt wrongly, {full} often is.", "which is misspelt more often"),
    ("Most {group} would rather talk of {full} than of {other}.", "the more popular topic"),
    (
        "It takes {group} an hour to describe {full} and a minute to describe {other}.",
        "which takes longer to describe",
    ),
)
"""A sentence with a comparison, and an aside that leaves out what the comparison is with."""

ADJECTIVES = (
    ("deep", "it makes people think", "nobody can dive into it"),
    ("rich", "it is full of detail", "it cannot own any money"),
    ("clear", "it is easily understood", "nobody can see through it"),
    ("hard", "not everybody understands it", "nobody can knock on it"),
    ("solid", "it is well made", "it is nothing that one can lean on"),
    ("tight", "no part of it is too long", "nothing in it can be unscrewed"),
    ("strong", "it stays in the mind", "it cannot lift anything"),
    ("striking", "it catches the attention", "it never hit anybody"),
    ("moving", "it stirs people's feelings", "it cannot walk or roll"),
    ("touching", "it goes to the heart", "it has no hands"),
    ("dense", "so much goes on in it", "it is not made of metal"),
    ("big", "so many people know it", "no tape measure is meant"),
)
"""Adjectives, why one may be said of a work, and why the other sense is out of the question."""
COERCED = (
    "{full} is called {adj} because {reason}; {other}.",
    "If {group} call {full} {adj}, they mean that {reason}; {other}.",
    "{Source} uses “{adj}” of {full}, as {reason}; {other}.",
    "People find {full} {adj}, for {reason}, and {other}.",
    "No one doubts that {full} is {adj}: {reason}, although {other}.",
    "In {place} {full} counts as {adj}, given that {reason}; {other}, of course.",
    "What is {adj} about {full} is that {reason}; {other}.",
    "Since {reason}, {full} has been described as {adj}. Needless to add, {other}.",
    "Whoever calls {full} {adj} is right: {reason}, and {other}.",
    "{Source} agrees that {full} is {adj}, as {reason}; {other}.",
    "Most {group} think {full} {adj} – {reason} – and know that {other}.",
)
