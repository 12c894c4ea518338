# ruff: noqa: E501  (one wording a line)
"""Wordings of the P-Ambiguity rules; the gaps are filled from the instance."""

from __future__ import annotations

from perturb.rules.answers import AnswerType

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
    "which {sense} {did}", "what {sense} {did}", "could you say which {sense} {did}", "by name, which {sense} {did}",
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
    ("someone later wrote a report on the matter", "{rival} later wrote a report on the matter."),
    ("someone later held a lecture on the matter", "A lecture on the matter was later held by {rival}."),
    ("someone later made a radio feature about it all", "{rival} later made a radio feature about it all."),
    (
        "someone later put together an exhibition on the subject",
        "An exhibition on the subject was later put together by {rival}.",
    ),
    ("someone later edited a booklet on the subject", "{rival} later edited a booklet on the subject."),
    (
        "someone later gave a prize for an essay on it",
        "A prize for an essay on it was later given by {rival}.",
    ),
)
SLUICED_PAST = (
    ("a report on the matter was printed", "A report on the matter was printed {rival}."),
    ("a lecture on the matter was held", "A lecture on the matter was held {rival}."),
    ("a radio feature about it all was broadcast", "A radio feature about it all was broadcast {rival}."),
    ("an exhibition on the subject was shown", "An exhibition on the subject was shown {rival}."),
    ("a booklet on the subject was presented", "A booklet on the subject was presented {rival}."),
    ("a prize for an essay on it was awarded", "A prize for an essay on it was awarded {rival}."),
)
SLUICED_PRESENT = (
    ("a report on the matter appears", "A report on the matter appears {rival}."),
    ("a lecture on the matter takes place", "A lecture on the matter takes place {rival}."),
    ("a radio feature about it is heard", "A radio feature about it is heard {rival}."),
    ("an exhibition on the subject is shown", "An exhibition on the subject is shown {rival}."),
    ("a booklet on the subject is presented", "A booklet on the subject is presented {rival}."),
    ("a meeting on the subject is held", "A meeting on the subject is held {rival}."),
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
    "{name} is also the name of a wholly unrelated {noun}. {question} For that one, the record says {rival}.",
    "A quite different {noun} bears the very same name, {name}. {question} In its case the record says {rival}.",
    "There is a second {name}, an unrelated {noun}. {question} Its file says {rival}.",
    "The name {name} belongs just as much to a {noun} that has nothing to do with this one. {question} There the answer is {rival}.",
    "Under the same name, {name}, the catalogue lists an unrelated {noun} of equal note. {question} For it, {rival} is given.",
    "No less well known by the name {name} is a {noun} from another world altogether. {question} {rival}, says its entry.",
)
HOMONYM_NOUNS = {
    "music": ("nursery rhyme", "football chant", "school anthem"), "book": ("stage play", "song", "radio play"),
    "film": ("stage play", "puppet show", "radio series"), "series": ("stage play", "puppet show", "radio series"),
    "stage": ("ballad", "radio play", "puppet show"), "game": ("film", "puppet show", "radio series"),
}  # fmt: skip
"""Unrelated kinds of works, by the sort of the real one, of which the same can be asked."""

RESPECTIVELY = (
    "For {names}, the register answers the question “{question}” with {values}, respectively.",
    "“{question}” The file gives {values}, respectively, for {names}.",
    "Asked of {names}, the question “{question}” has the answers {values}, respectively.",
    "In the list, the entries under “{question}” for {names} are {values}, respectively.",
    "As to {names}, one table answers “{question}” by {values}, respectively.",
    "The answers to “{question}” are, for {names}, {values}, respectively.",
)
SIBLINGS = {
    "place": ("Marlow Point", "Tarn Hollow", "Eastmere", "Cobble Bay", "Wrenfield"),
    "body": ("the Halden Institute", "the Merrow Society", "the Corbin Union", "the Ardley Board", "the Tarn League"),
    "event": ("the Marlow Fair", "the Tarn Rising", "the Eastmere Games", "the Halden Meeting", "the Corbin Cup"),
}  # fmt: skip
"""Invented neighbours of a topic, by its sort; those of works are in the pools."""

QUESTION_LISTS = (
    "The sheet lists three questions, {questions}, and below them the answers {values}, respectively.",
    "Three questions are asked on the card: {questions}. Its back says, respectively, {values}.",
    "To {questions} the file replies, respectively, {values}.",
    "Someone asked {questions}; the replies were {values}, respectively.",
    "In the quiz sheet, {questions} stand in one row and the answers {values}, respectively, in the next.",
    "The key to {questions} reads {values}, respectively.",
)
OTHER_QUESTIONS: dict[AnswerType, tuple[str, ...]] = {
    AnswerType.PERSON: ("Who typed this sheet?", "Who proofread this sheet?", "Who signed this sheet?"),
    AnswerType.DATE: (
        "When was this sheet typed?",
        "When was this sheet checked?",
        "When was this sheet filed?",
    ),
    AnswerType.YEAR: (
        "When was this sheet typed?",
        "When was this sheet checked?",
        "When was this sheet filed?",
    ),
    AnswerType.NUMBER: (
        "How many readers had this sheet?",
        "How many drafts were there?",
        "How many copies exist?",
    ),
    AnswerType.PLACE: (
        "Where was this sheet typed?",
        "Where was this sheet checked?",
        "Where is this sheet kept?",
    ),
}
"""Questions on a side matter that the same type of value answers."""
