# ruff: noqa: E501  (one wording a line)
"""Wordings of the P-Ambiguity rules; the gaps are filled from the instance."""

from __future__ import annotations

FRONTS = (
    "regarding {full}, {question}",
    "concerning {full}, {question}",
    "about {full}: {question}",
    "with {full} in mind, {question}",
    "as for {full}, {question}",
    "on the subject of {full}, {question}",
    "taking {full}, {question}",
)
DECOYS = (
    "Filed next to it is a note on {decoy}, about which nothing further is said.",
    "The same shelf holds a leaflet on {decoy}, which is not discussed here.",
    "A reader once left a bookmark about {decoy} at this page.",
    "Elsewhere in the same collection there is an entry on {decoy}.",
    "The page before this one deals with {decoy}.",
    "An advertisement on the back of the sheet praises {decoy}.",
    "The archive also keeps a folder on {decoy}, empty for the time being.",
)
WORK_DECOYS = (
    "the unrelated {noun} “{sibling}”", "a {noun} by the name of “{sibling}”", "“{sibling}”, another {noun}",
    "an amateur {noun} called “{sibling}”",
)  # fmt: skip
THING_DECOYS = (
    "an old lighthouse", "a disused railway station", "a travelling circus", "a school garden", "a village choir",
    "a mountain hut", "a harbour festival",
)  # fmt: skip

SENSES = {
    "sing": ("figure", "voice", "star", "talent"),
    "play": ("figure", "star", "talent"),
    "write": ("figure", "pen", "talent"),
    "other": ("figure", "party"),
}
"""Words with several senses that may stand for a person, by what the person did."""
SENSE_QUESTIONS = (
    "which {sense} {did}", "what {sense} {did}", "which {sense} was it that {did}", "by name, which {sense} {did}",
    "tell me which {sense} {did}", "which {sense} is it who {did}",
)  # fmt: skip

EPITHET_NAMES = (
    "the {noun} known as “{epithet}”", "the {noun} nicknamed “{epithet}”", "the {noun} that fans call “{epithet}”",
    "the {noun} with the nickname “{epithet}”", "the {noun} also called “{epithet}”", "the {noun} dubbed “{epithet}”",
)  # fmt: skip
EPITHET_NOTES = (
    "Several things of its kind have nicknames, but only {full} is called “{epithet}”.",
    "The nickname “{epithet}” belongs to {full} and to nothing else, although others have similar ones.",
    "Fans speak of “{epithet}” and always mean {full}; “{other}” is something different.",
    "Of all names of this sort, “{epithet}” is reserved for {full}, whereas “{other}” is used of another {noun}.",
    "“{epithet}” is an affectionate name for {full} alone; a different {noun} goes by “{other}”.",
    "By “{epithet}” people mean {full}. What they call “{other}” is another {noun}.",
)

DEICTIC_NOTES = (
    "A second {noun} is treated here on equal terms. {claim}.",
    "There are two {noun}s on this page, {name} and {sibling}. {claim}.",
    "The other {noun} on this page is {sibling}. {claim}.",
    "Side by side with it stands another {noun}, {sibling}. {claim}.",
    "This entry is about two {noun}s, and the second is {sibling}. {claim}.",
    "Alongside {name}, the entry deals just as fully with the {noun} {sibling}. {claim}.",
)

SLUICED_WHO = (
    ("someone later wrote a study of it", "{rival} later wrote a study of {full}."),
    ("someone later held a lecture on it", "A lecture on {full} was later held by {rival}."),
    ("someone later made a radio feature about it", "{rival} later made a radio feature about {full}."),
    (
        "someone later put together an exhibition about it",
        "An exhibition about {full} was later put together by {rival}.",
    ),
    ("someone later collected photographs of it", "{rival} later collected photographs of {full}."),
    ("someone later drew a poster of it", "A poster of {full} was later drawn by {rival}."),
)
SLUICED_WHEN = (
    ("a radio feature about it was broadcast", "A radio feature about {full} was broadcast {rival}."),
    ("an exhibition about it was opened", "An exhibition about {full} was opened {rival}."),
    ("a study of it was printed", "A study of {full} was printed {rival}."),
    ("a lecture on it was held", "A lecture on {full} was held {rival}."),
    (
        "a collection of photographs of it was shown",
        "A collection of photographs of {full} was shown {rival}.",
    ),
    ("a prize for an essay on it was awarded", "A prize for an essay on {full} was awarded {rival}."),
)

DUAL = (
    "As {first} explained to {second}, {subject} {did}.",
    "According to what {first} said to {second}, {subject} {did}.",
    "In a talk between {first} and {second} it came out that {subject} {did}.",
    "{first} has confirmed to {second} that {subject} {did}.",
    "It emerged when {first} met {second} that {subject} {did}.",
    "{first} and {second} agree, in a joint letter, that {subject} {did}.",
    "{first} reminded {second} in public that {subject} {did}.",
)
CHAINS = (
    "{first} and {second} came to the press evening together. {Subject} spoke first. Later {subject} answered questions. As the programme has it, {subject} {did}.",
    "{first} and {second} are old friends. {Subject} grew up by the sea. For years {subject} kept a diary. It is well known that {subject} {did}.",
    "{first} shared a table with {second}. {Subject} ordered tea. After a while {subject} began to tell stories. As everybody there knew, {subject} {did}.",
    "{first} once travelled with {second}. {Subject} missed the train. On the way {subject} read the papers. They reported that {subject} {did}.",
    "{first} and {second} were interviewed in the same hour. {Subject} was the more talkative. Then {subject} fell silent. The interviewer added that {subject} {did}.",
    "{first} lived next door to {second}. {Subject} kept bees. In summer {subject} gave honey away. The plaque on the fence says that {subject} {did}.",
)
BRAIDS = (
    "{first} told {second} that {subject} had heard from {possessive} agent that {subject} believed {possessive} notes, which show that {subject} {did}.",
    "{first} wrote to {second} that {subject} was sure {subject} had read in {possessive} diary that {subject} {did}.",
    "When {first} met {second}, {subject} assured {object} that {subject} remembered {possessive} promise and that {subject} {did}.",
    "{first} asked {second} whether {subject} knew that {subject} had been named in {possessive} memoirs as the one of whom it is said that {subject} {did}.",
    "{first} reminded {second} that {subject} owed {object} a letter in which {subject} admits that {subject} {did}.",
    "What {first} sent {second} was {possessive} list, on which {subject} had marked for {object} with {possessive} own pencil that {subject} {did}.",
)

HOMONYMS = (
    "{name} is also the title of a wholly unrelated {noun}; for that one the record says: {claim}.",
    "A quite different {noun} bears the very same title, {name}. Of it the record says: {claim}.",
    "There is a second {name}, an unrelated {noun}. Its entry reads: {claim}.",
    "The title {name} belongs just as much to a {noun} that has nothing to do with the above. In its case, {claim}.",
    "Under the same title, {name}, the catalogue lists an unrelated {noun} of equal note: {claim}.",
    "No less well known under the title {name} is a {noun} from another world altogether: {claim}.",
)
HOMONYM_NOUNS = {
    "music": ("stage play", "short story", "poem"), "book": ("stage play", "song", "radio play"),
    "film": ("stage play", "board game", "radio series"), "series": ("stage play", "comic strip", "radio series"),
    "stage": ("song", "novel", "poem"), "game": ("film", "novel", "song"),
}  # fmt: skip
"""Unrelated kinds of works by the sort of the real one, whose maker and date can be asked for in the same words."""

RESPECTIVELY = (
    "{claim}, respectively.", "In this order, {claim}, respectively.", "As the list puts it, {claim}, respectively.",
    "The entry reads: {claim}, respectively.", "According to the notes, {claim}, respectively.",
    "One line sums it up: {claim}, respectively.",
)  # fmt: skip
