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
    "{A_side} {by} {full} was printed on the same page as a line on {decoy}.",
    "In a quiz, one round dealt with {full} and the next with {decoy}.",
    "In {source} {full} stands on one line and {decoy} on the next.",
    "There was {a_side} {by} {full} one week and another {by} {decoy} the week after.",
    "One library keeps {a_side} {by} {full} in the same box as a thin leaflet on {decoy}.",
    "First came {a_side} {by} {full}, then a shorter one {by} {decoy}.",
    "Many {group} who like {full} have never heard of {decoy}.",
    "{A_side} {by} {full} cost twice as much as one {by} {decoy}.",
    "Nobody has yet confused {full} with {decoy}, although both begin a page of {source}.",
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
    (r"(?<=[a-z\d] )start$", ("kick off", "open", "get rolling")),
    (r"\b(?:founded|established|formed|created)$", ("set up", "launched", "brought to life")),
    (r"\bfirst aired\b", ("first screened", "first beamed out", "first carried")),
    (r"\breinstated\b", ("brought back", "restored", "put back")),
    (r"\bget rid of\b", ("drop", "shed", "lift")),
    (r"\bstop using\b", ("drop", "shelve", "retire")),
    (r"\bwritten$", ("penned", "drafted")),
    (r"\bwrote\b", ("penned", "drew up")),
    (r"(?<=[a-z] )record(?= [A-Z])", ("cut", "lay down")),
    (r"\bwon\b(?= (?:the|most|a)\b)", ("took", "landed", "bagged", "carried off", "picked up")),
    (r"\bfirst develop$", ("first turn up", "first take shape", "first spring up")),
    (r"\bhappen$", ("come about", "fall", "come off")),
    (r"\btake place$", ("run", "fall", "come off")),
    (r"\binvented\b", ("thought up", "hit upon", "cooked up")),
    (r"\bdesigned\b", ("drew up", "drew", "mapped out")),
    (r"\bdirected\b", ("steered", "ran")),
    (r"\bbanned\b", ("barred", "struck")),
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
    ("{Source} gives {full} more pages than {other}.", "which is given more pages"),
    (
        "Of two entries in {source}, on {full} and on {other}, the first is longer.",
        "the one with the longer entry",
    ),
    ("More {group} had heard of {full} than of {other}.", "the better known one"),
    ("{A_side} {by} {full} drew a crowd; one {by} {other} drew nobody.", "which drew the larger crowd"),
    ("Some {group} found {full} easy to remember, and {other} not.", "which is easier to remember"),
    ("In a vote among {group}, {full} beat {other}.", "which got more votes"),
    ("{Source} has a heavy file on {full} and a light one on {other}.", "the one with the heavier file"),
    ("{A_side} {by} {full} costs twice as much as one {by} {other}.", "{by} which {a_side} is dearer"),
    ("Letters in {source} mention {full} daily and {other} once a year.", "which is mentioned more often"),
    ("About {other}, {group} had little to say; about {full}, a lot.", "about which there is more to say"),
    ("Beside {other}, {full} seems familiar to {group}.", "the more familiar of the two"),
    ("A quiz on {full} was hard, one on {other} child's play.", "on which the quiz was harder"),
    ("{Other} is hardly ever spelt wrongly, {full} often is.", "which is misspelt more often"),
    ("{A_side} {by} {full} stands on a higher shelf than one {by} {other}.", "the one on the higher shelf"),
    ("Most {group} would rather talk of {full} than of {other}.", "the more popular topic"),
    (
        "It takes {group} an hour to describe {full} and a minute to describe {other}.",
        "which takes longer to describe",
    ),
)
"""A sentence with a comparison, and an aside that leaves out what the comparison is with."""

ADJECTIVES = (
    ("warm", "it is kind to everybody", "no thermometer comes into it"),
    ("sweet", "its tone is friendly", "nobody can taste it"),
    ("dry", "its humour is sober", "water has nothing to do with it"),
    ("heavy", "it deals with grave matters", "it has no weight of its own"),
    ("light", "it is easy to enjoy", "it gives off no rays"),
    ("sharp", "its wit can hurt", "it has no edge or point"),
    ("rich", "it is full of detail", "it cannot own any money"),
    ("deep", "it makes people think", "nobody can dive into it"),
    ("cool", "the young admire it", "it has no temperature"),
    ("bright", "it puts people in good spirits", "no lamp is meant"),
    ("tender", "it has a gentle side", "it was never cooked"),
    ("hard", "not everybody understands it", "nobody can knock on it"),
    ("big", "so many people know it", "it cannot be measured with a ruler"),
    ("spicy", "it is a little daring", "no pepper was used"),
    ("solid", "it is well made", "it is nothing that one can lean on"),
    ("clear", "it is easily understood", "nobody can see through it"),
)
"""Adjectives, why one may be said of a work, and why the other sense is out of the question."""
COERCED = (
    "{full} is called {adj} because {reason}; {other}.",
    "If {group} call {full} {adj}, they mean that {reason}, since {other}.",
    "{Source} uses “{adj}” of {full}, as {reason}; {other}.",
    "That {full} is {adj} is to say that {reason}: {other}.",
    "People find {full} {adj}, for {reason}, and {other}.",
    "No one doubts that {full} is {adj}: {reason}, although {other}.",
    "In {place} {full} counts as {adj}, given that {reason}; {other}, of course.",
    "What is {adj} about {full} is that {reason}; {other}.",
    "Since {reason}, {full} has been described as {adj}. Needless to add, {other}.",
    "Whoever calls {full} {adj} is right: {reason}, and {other}.",
    "{Source} agrees that {full} is {adj}, seeing that {reason}; {other}.",
    "Most {group} think {full} {adj} – {reason} – and know that {other}.",
)
