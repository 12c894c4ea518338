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
    "speaking of {full}, {question}",
)
DECOYS = (
    "{Full} is sometimes named side by side with {decoy}, which has nothing to do with it.",
    "One guide lists {full} next to {decoy}, without linking the two.",
    "Readers of one magazine were once asked what they knew about {full} and about {decoy}.",
    "In one reference book the entry on {full} is followed by a short one on {decoy}.",
    "A newspaper once printed a piece on {full} on the same page as one on {decoy}.",
    "In a quiz, one round dealt with {full} and the next with {decoy}.",
    "In an old catalogue {full} stands on one line and {decoy} on the next.",
)
WORK_DECOYS = (
    "the unrelated {noun} “{sibling}”", "a {noun} by the name of “{sibling}”", "“{sibling}”, another {noun}",
    "an amateur {noun} called “{sibling}”",
)  # fmt: skip

SENSES = {
    "sing": ("figure", "voice", "star"),
    "play": ("figure", "star"),
    "write": ("figure",),
    "other": ("figure", "party"),
}
"""Words with several senses that may stand for a person, by what the person did."""
SENSE_QUESTIONS = (
    "which {sense} {did}",
    "what {sense} {did}",
    "could you say which {sense} {did}",
    "do you know which {sense} {did}",
    "tell me which {sense} {did}",
    "please name the {sense} who {did}",
)

EPITHET_NAMES = (
    "the {noun} known as “{epithet}”", "the {noun} nicknamed “{epithet}”", "the {noun} that fans call “{epithet}”",
    "the {noun} with the nickname “{epithet}”", "the {noun} also called “{epithet}”", "the {noun} dubbed “{epithet}”",
)  # fmt: skip
EPITHET_NOTES = (
    "Many a {noun} has a nickname, but only {full} is called “{epithet}”.",
    "The nickname “{epithet}” belongs to {full} and to nothing else, although others have similar ones.",
    "Fans speak of “{epithet}” and always mean {full}; “{other}” is something different.",
    "The nickname “{epithet}” is used of {full} alone, whereas “{other}” is used of another {noun}.",
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
    ("someone later wrote a report on this subject", "{rival} later wrote a report on this subject."),
    ("someone later held a lecture on this subject", "A lecture on this subject was later held by {rival}."),
    ("someone later made a radio feature about this", "{rival} later made a radio feature about this."),
    (
        "someone later put together an exhibition on this subject",
        "An exhibition on this subject was later put together by {rival}.",
    ),
    ("someone later edited a booklet on this subject", "{rival} later edited a booklet on this subject."),
    (
        "someone later gave a prize for an essay about this",
        "A prize for an essay about this was later given by {rival}.",
    ),
)
SLUICED_PAST = (
    ("a report on this subject was printed", "A report on this subject was printed {rival}."),
    ("a lecture on this subject was held", "A lecture on this subject was held {rival}."),
    ("a radio feature about this was broadcast", "A radio feature about this was broadcast {rival}."),
    ("an exhibition on this subject was shown", "An exhibition on this subject was shown {rival}."),
    ("a booklet on this subject was presented", "A booklet on this subject was presented {rival}."),
    ("a prize for an essay about this was awarded", "A prize for an essay about this was awarded {rival}."),
)
SLUICED_PRESENT = (
    ("a report on this subject appears", "A report on this subject appears {rival}."),
    ("a lecture on this subject takes place", "A lecture on this subject takes place {rival}."),
    ("a radio feature about it airs", "A radio feature about it airs {rival}."),
    ("an exhibition on this subject is shown", "An exhibition on this subject is shown {rival}."),
    ("a booklet on this subject is presented", "A booklet on this subject is presented {rival}."),
    ("a meeting on this subject is held", "A meeting on this subject is held {rival}."),
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
    "{first} and {second} met while the preparations were under way. {Subject} was new to the business at the time. Years later {subject} described those weeks in an interview. On that occasion it was confirmed that {subject} {did}.",
    "{first} had long been a friend of {second}. {Subject} was the more outgoing of the two. In a later interview {subject} spoke about those years. The interviewer mentioned that {subject} {did}.",
    "{first} shared an agent with {second}. {Subject} rarely spoke to the press. When {subject} finally gave an interview, many were surprised. The article under it notes that {subject} {did}.",
    "{first} and {second} were both present at the announcement. {Subject} gave a short speech. Afterwards {subject} took questions. As the invitation said, {subject} {did}.",
    "{first} and {second} were interviewed on the same programme. {Subject} was the more talkative. Towards the end {subject} fell silent. The presenter added that {subject} {did}.",
    "{first} knew {second} from an earlier project. {Subject} had asked for a larger part in the new one. In the end {subject} was satisfied. It is well documented that {subject} {did}.",
)
BRAIDS = (
    "{first} told {second} that {subject} had read in {possessive} diary that {subject} {did}.",
    "{first} wrote to {second} that {subject} was glad {possessive} agent had told everyone that {subject} {did}.",
    "When {first} met {second}, {subject} told {object} that {possessive} agent had said that {subject} {did}.",
    "{first} assured {second} that {subject} remembered {possessive} promise to say in public that {subject} {did}.",
    "{first} reminded {second} that {subject} had once told {possessive} brother that {subject} {did}.",
    "{first} thanked {second} for the letter in which {subject} had written that {possessive} friends all knew that {subject} {did}.",
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
    "{claim}, respectively.",
    "As the printed overview has it, {claim}, respectively.",
    "According to a summary from that time, {claim}, respectively.",
    "In the words of one survey, {claim}, respectively.",
    "It is on record that {claim}, respectively.",
    "The reference works say that {claim}, respectively.",
)
SIBLINGS = {
    "place": ("Marlow Point", "Tarn Hollow", "Eastmere", "Cobble Bay", "Wrenfield"),
    "body": ("the Halden Institute", "the Merrow Society", "the Corbin Union", "the Ardley Board", "the Tarn League"),
    "event": ("the Marlow Fair", "the Tarn Rising", "the Eastmere Games", "the Halden Meeting", "the Corbin Cup"),
}  # fmt: skip
"""Invented neighbours of a topic, by its sort; those of works are in the pools."""

THREE_PEOPLE = (
    "{people} are the ones of whom it is said that one {one} and one {two}, respectively.",
    "Of {people}, respectively, one {one} and one {two}.",
    "The printed thanks name {people}, of whom, respectively, one {one} and one {two}.",
    "A note of thanks goes to {people}, of whom one {one} and one {two}, respectively.",
    "{people} share the credit: one {one}, and one {two}, respectively.",
    "The press release lists {people}; respectively, one {one} and one {two}.",
)
OTHER_DEEDS = (
    "gave the closing speech", "looked after the accounts", "took the photographs", "answered the letters",
    "wrote the preface", "spoke to the press", "signed the invitations",
)  # fmt: skip
"""Side deeds that one of three people may have done as well."""
THREE_EVENTS = (
    "The overview tells {events}: {values}, respectively.",
    "The record tells us {events}: {values}, respectively.",
    "Asked {events}, a spokesman replied: {values}, respectively.",
    "A printed summary says {events}: {values}, respectively.",
    "In one line the almanac notes {events}, namely {values}, respectively.",
    "The official guide states {events}: respectively, {values}.",
)
SIDE_EVENTS = (
    "the first plan was drawn up", "the first press report appeared", "a book on the subject was published",
    "a public lecture was given", "a plaque was unveiled", "a documentary was shown",
)  # fmt: skip
"""Events around the one asked about, which a date or a place answers as well."""
SIDE_COUNTS = (
    "were planned",
    "were announced at first",
    "experts were asked",
    "reports were written on the subject",
)
"""Things around the one counted, which a number answers as well."""
