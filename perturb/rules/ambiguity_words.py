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
    "when it comes to {full}, {question}",
    "with regard to {full}, {question}",
    "in the case of {full}, {question}",
    "thinking of {full}, {question}",
    "turning to {full}, {question}",
    "with respect to {full}: {question}",
    "I am reading about {full}; {question}",
)
DECOYS = (
    "{Full} is sometimes named side by side with {decoy}, which has nothing to do with it.",
    "One guide lists {full} next to {decoy}, without linking the two.",
    "Readers of one magazine were once asked what they knew about {full} and about {decoy}.",
    "In one reference book the entry on {full} is followed by a short one on {decoy}.",
    "A newspaper once printed a piece on {full} on the same page as one on {decoy}.",
    "In a quiz, one round dealt with {full} and the next with {decoy}.",
    "In an old catalogue {full} stands on one line and {decoy} on the next.",
    "A school in Leeds held a talk on {full} one week and a talk on {decoy} the week after.",
    "A library keeps a folder on {full} in the same box as a thin one on {decoy}.",
    "On one evening of radio talks, {full} came first and {decoy} second.",
    "A club once showed slides about {full} and then, after a break, a few about {decoy}.",
    "{Full} shares a shelf in one reading room with {decoy}.",
)
WORK_DECOYS = (
    "the old {noun} “{sibling}”",
    "the amateur {noun} “{sibling}”",
    "the forgotten {noun} “{sibling}”",
    "the short {noun} “{sibling}”",
    "the little-known {noun} “{sibling}”",
    "the student {noun} “{sibling}”",
)

SENSES = {
    "sing": ("voice", "star"),
    "perform": ("act",),
    "play": ("star", "talent"),
    "write": ("hand", "pen", "talent"),
    "think": ("mind",),
    "make": ("hand",),
    "be": ("figure",),
    "win": ("side", "outfit"),
    "own": ("party",),
    "rule": ("body",),
}
"""Words with several senses that may stand for a person or a body, by what was done."""
SENSE_QUESTIONS = (
    "which {sense} {did}",
    "what {sense} {did}",
    "could you say which {sense} {did}",
    "do you know which {sense} {did}",
    "tell me which {sense} {did}",
    "I would like to know which {sense} {did}",
    "according to the passage, which {sense} {did}",
    "can the text tell me which {sense} {did}",
    "from what is said here, which {sense} {did}",
    "which {sense}, by this account, {did}",
    "by what the text says, which {sense} {did}",
)

EPITHET_NAMES = (
    "the {noun} known as “{epithet}”", "the {noun} nicknamed “{epithet}”", "the {noun} that many call “{epithet}”",
    "the {noun} with the nickname “{epithet}”", "the {noun} also called “{epithet}”", "the {noun} dubbed “{epithet}”",
    "“{epithet}”", "what people call “{epithet}”", "the {noun} that some know as “{epithet}”",
)  # fmt: skip
EPITHET_NOTES = (
    "Many a {noun} has a nickname, but the only one called “{epithet}” is {full}.",
    "Others have similar nicknames, but “{epithet}” belongs to nothing else than {full}.",
    "While “{other}” is something different, people who speak of “{epithet}” always mean {full}.",
    "Whereas “{other}” is used of another {noun}, the nickname “{epithet}” is used only of {full}.",
    "A different {noun} goes by “{other}”, but “{epithet}” is a name for nothing else than {full}.",
    "“{other}” is what people call another {noun}; by “{epithet}” they mean {full}.",
    "Of all that has been called by such names, the only {noun} known as “{epithet}” is {full}.",
    "While “{other}” stands for another {noun}, whoever says “{epithet}” means {full}.",
    "In letters to the paper no other {noun} is called “{epithet}”, which always means {full}.",
    "Two names are easily mixed up: “{other}” is some other {noun}, whereas “{epithet}” is {full}.",
    "A newspaper once gave the name “{epithet}”, which no other {noun} has been given, to {full}.",
)

DEICTIC_NOTES = (
    "A second {noun} is treated here on equal terms. {claim}.",
    "There are two {nouns} on this page, {name} and {sibling}. {claim}.",
    "The other {noun} on this page is {sibling}. {claim}.",
    "Side by side with it stands another {noun}, {sibling}. {claim}.",
    "This entry is about two {nouns}, and the second is {sibling}. {claim}.",
    "Alongside {name}, the entry deals just as fully with the {noun} {sibling}. {claim}.",
    "As much is known of another {noun}, {sibling}. {claim}.",
    "The text now turns to a {noun} of the same rank, {sibling}. {claim}.",
    "What is said of {name} goes with an equal share on the {noun} {sibling}. {claim}.",
    "Next to {name}, one more {noun} has its place here, {sibling}. {claim}.",
)

SIDE_DEEDS = (
    ("once wrote a report on {thing}", "{rival} once wrote a report on {thing}."),
    ("once held a lecture on {thing}", "A lecture on {thing} was once held by {rival}."),
    ("once made a radio feature about {thing}", "{rival} once made a radio feature about {thing}."),
    ("once set up an exhibition on {thing}", "An exhibition on {thing} was once set up by {rival}."),
    ("once edited a booklet on {thing}", "{rival} once edited a booklet on {thing}."),
    (
        "once gave a prize for an essay about {thing}",
        "A prize for an essay about {thing} was once given by {rival}.",
    ),
    ("once gave a slide show about {thing}", "A slide show about {thing} was once given by {rival}."),
    (
        "once collected newspaper cuttings about {thing}",
        "Newspaper cuttings about {thing} were once collected by {rival}.",
    ),
    ("once drew a poster about {thing}", "{rival} once drew a poster about {thing}."),
    ("once made a scrapbook about {thing}", "A scrapbook about {thing} was once made by {rival}."),
    ("once wrote a magazine column about {thing}", "{rival} once wrote a magazine column about {thing}."),
    ("once taught an evening class on {thing}", "An evening class on {thing} was once taught by {rival}."),
    ("once set a quiz about {thing}", "A quiz about {thing} was once set by {rival}."),
    ("once recorded a podcast about {thing}", "{rival} once recorded a podcast about {thing}."),
)
"""What somebody may have done about any subject: in the question, and in the passage with the name."""
SLUICES_WHO = (
    "someone {did} and someone {deed}, but who",
    "it is known that someone {did} and that someone {deed}, but who",
    "I read that someone {did} and that someone {deed}; who",
    "given that someone {did} and someone {deed}, who",
    "there is someone who {did} and someone who {deed}, but who",
    "someone {did}; someone {deed}; who",
    "somebody {did} and somebody {deed}; do you see who",
    "we read that someone {did} and that someone {deed}, and I wonder who",
)
SIDE_EVENTS_PAST = (
    ("a report on {thing} was printed", "A report on {thing} was printed {rival}."),
    ("a lecture on {thing} was held", "A lecture on {thing} was held {rival}."),
    ("a radio feature about {thing} was broadcast", "A radio feature about {thing} was broadcast {rival}."),
    ("an exhibition on {thing} was shown", "An exhibition on {thing} was shown {rival}."),
    ("a booklet on {thing} was presented", "A booklet on {thing} was presented {rival}."),
    (
        "a prize for an essay about {thing} was awarded",
        "A prize for an essay about {thing} was awarded {rival}.",
    ),
    ("a slide show about {thing} was given", "A slide show about {thing} was given {rival}."),
    ("a quiz about {thing} was held", "A quiz about {thing} was held {rival}."),
    ("an evening class on {thing} was taught", "An evening class on {thing} was taught {rival}."),
    ("a debate about {thing} was held", "A debate about {thing} was held {rival}."),
    ("a magazine column about {thing} was printed", "A magazine column about {thing} was printed {rival}."),
)
SIDE_EVENTS_PRESENT = (
    ("a report on {thing} appears", "A report on {thing} appears {rival}."),
    ("a lecture on {thing} takes place", "A lecture on {thing} takes place {rival}."),
    ("a radio feature about {thing} airs", "A radio feature about {thing} airs {rival}."),
    ("an exhibition on {thing} is shown", "An exhibition on {thing} is shown {rival}."),
    ("a booklet on {thing} is presented", "A booklet on {thing} is presented {rival}."),
    ("a debate about {thing} is held", "A debate about {thing} is held {rival}."),
    ("an evening class on {thing} takes place", "An evening class on {thing} takes place {rival}."),
)
SLUICES = (
    "{claim} and {event}, but {wh}",
    "it is known that {claim} and that {event}, but {wh}",
    "I read that {claim} and that {event}; {wh}",
    "I have been told that {claim} and that {event}, but {wh}",
    "given that {claim} and {event}, {wh}",
    "{claim}; {event}; {wh}",
    "{claim} and {event}; can the passage tell me {wh}",
    "we know that {claim} and that {event}, and I wonder {wh}",
    "{claim} and {event}, so {wh}",
    "it seems that {claim} and {event}; do you see {wh}",
)

DUAL = (
    "In a talk between {first} and {second} it came out that {subject} {did}.",
    "A photograph shows {first} beside {second}; the caption says that {subject} {did}.",
    "The report on a meeting of {first} with {second} says that {subject} {did}.",
    "One portrait shows {first} together with {second}, with the note that {subject} {did}.",
    "{first} is listed next to {second}, with the remark that {subject} {did}.",
    "A reporter met {first} and then {second}, and noted that {subject} {did}.",
    "One entry deals with {first} as well as {second} and adds that {subject} {did}.",
)
CHAINS = (
    "{first} and {second} met while the preparations were under way. {Subject} was new to the business at the time. Years later {subject} described those weeks in an interview. On that occasion it was confirmed that {subject} {did}.",
    "{first} had long been a friend of {second}. {Subject} was the more outgoing of the two. In a later interview {subject} spoke about those years. The interviewer mentioned that {subject} {did}.",
    "{first} shared an agent with {second}. {Subject} rarely spoke to the press. When {subject} finally gave an interview, many were surprised. The article under it notes that {subject} {did}.",
    "{first} and {second} were both present at the announcement. {Subject} gave a short speech. Afterwards {subject} took questions. As the invitation said, {subject} {did}.",
    "{first} and {second} were interviewed on the same programme. {Subject} was the more talkative. Towards the end {subject} fell silent. The presenter added that {subject} {did}.",
    "{first} knew {second} from an earlier project. {Subject} had asked for a larger part in the new one. In the end {subject} was satisfied. It is well documented that {subject} {did}.",
    "{first} once shared a train to Leeds with {second}. {Subject} read a newspaper for most of the way. At the last station {subject} left in a hurry. Everyone on board knew that {subject} {did}.",
    "{first} lived for a time in the same street as {second}. {Subject} kept a small garden there. On Sundays {subject} had visitors. A note in the parish paper says that {subject} {did}.",
)
BRAIDS = (
    "{first} told {second} that {subject} had read in {possessive} diary that {subject} {did}.",
    "When {first} met {second}, {subject} told {object} that {possessive} agent had said that {subject} {did}.",
    "{first} heard from {second} that {possessive} teacher had told {object} how {subject} came to say that {subject} {did}.",
    "{first} and {second} fell out when {subject} said that {possessive} own notes showed {object} that {subject} {did}.",
    "{first} and {second} were on good terms until {subject} told {object} that {possessive} brother had heard that {subject} {did}.",
    "At the last meeting of {first} with {second}, {subject} read {object} a page of {possessive} diary, according to which {subject} {did}.",
    "On a journey of {first} with {second}, {subject} showed {object} a card from {possessive} agent, which said that {subject} {did}.",
    "In the letters between {first} and {second}, {subject} tells {object} that {possessive} neighbours have heard that {subject} {did}.",
    "{first} and {second} were at one table when {subject} let {object} read in {possessive} notebook that {subject} {did}.",
)

HOMONYMS = (
    "The name {name} is borne by {noun} and by {other}, which have nothing to do with each other. {first}. {second}.",
    "There are {noun} called {name} and, in quite another world, {other} called {name}. {first}. {second}.",
    "Both {noun} and {other} are called {name}, without any link between them. {first}. {second}.",
    "Two unrelated things share the name {name}, {noun} and {other}. {first}. {second}.",
    "By {name} one may mean {noun} or {other} that has nothing to do with it. {first}. {second}.",
    "Anyone who looks up {name} finds {noun} and an entry on {other} of that name. {first}. {second}.",
)
HOMONYM_NOUNS = ("board game", "perfume", "garden magazine")
"""Things of another world that come out as works do."""

RESPECTIVELY = (
    "{claim}, respectively.",
    "As the printed overview has it, {claim}, respectively.",
    "According to a summary from that time, {claim}, respectively.",
    "In the words of one survey, {claim}, respectively.",
    "It is on record that {claim}, respectively.",
    "The reference works say that {claim}, respectively.",
    "By one account {claim}, respectively.",
    "A note in the files says that {claim}, respectively.",
    "In the yearbook one reads that {claim}, respectively.",
)
SIBLINGS = {
    "place": ("Marlow Point", "Tarn Hollow", "Eastmere", "Cobble Bay", "Wrenfield"),
    "body": ("the Halden Institute", "the Merrow Society", "the Corbin Union", "the Ardley Board", "the Tarn League"),
    "event": ("the Marlow Fair", "the Tarn Rising", "the Eastmere Games", "the Halden Meeting", "the Corbin Cup"),
}  # fmt: skip
"""Invented neighbours of a topic, by its sort; those of works are in the pools."""

THREE_EVENTS = (
    "The overview tells {events}: {values}, respectively.",
    "The record tells us {events}: {values}, respectively.",
    "Asked {events}, a spokesman replied: {values}, respectively.",
    "A printed summary says {events}: {values}, respectively.",
    "In one line the almanac notes {events}, namely {values}, respectively.",
    "The official guide states {events}: respectively, {values}.",
    "A card in the archive gives {events}: {values}, respectively.",
    "One page of the yearbook sets out {events}: {values}, respectively.",
    "We are told in a footnote {events}: {values}, respectively.",
)
SIDE_EVENTS = (
    "the advisory board met", "a writing contest was held", "a photograph competition was held",
    "a charity concert was given", "a newsletter appeared", "a workshop took place", "a school prize was awarded",
    "a sponsored walk took place",
)  # fmt: skip
"""Events which a date or a place answers as well, and which come neither before nor after the one asked about."""
OLD_SIDE_EVENTS = (
    "a comet was seen", "a great fire broke out", "a stone bridge was built", "a church bell was cast",
    "a bad harvest was noted", "a hard winter came",
)  # fmt: skip
"""The same for times before photographs, lectures and newspapers."""
SIDE_COUNTS = {
    "few": ("experts were asked", "talks were given", "letters arrived", "speakers were invited"),
    "many": (
        "letters arrived",
        "visitors came on the first day",
        "posters were printed",
        "copies of the leaflet were printed",
    ),
}
"""Things around the one counted, which a number answers as well, by its size."""
THREE_QUESTIONS = (
    "A fact sheet asks three things, {questions}, and answers: {values}, respectively.",
    "The questions on the quiz card are {questions}; the card gives {values}, respectively.",
    "Under the headings {questions}, one leaflet has {values}, respectively.",
    "Asked {questions}, the librarian wrote down {values}, respectively.",
    "To the questions {questions}, the yearbook replies with {values}, respectively.",
    "A table with the lines {questions} holds the entries {values}, respectively.",
    "A visitor who asked {questions} was told {values}, respectively.",
    "Below {questions}, one handout prints {values}, respectively.",
)
THREE_SEARCHES = (
    "Somebody typed {questions} into a search page and got {values}, respectively.",
    "A search page was asked {questions}; it returned {values}, respectively.",
    "For the searches {questions}, one search page shows {values}, respectively.",
    "The log of a search page lists {questions} with the answers {values}, respectively.",
    "In a chat, somebody typed {questions} and got the answers {values}, respectively.",
    "A help desk was sent {questions} by text message and gave the answers {values}, respectively.",
)
"""For a question that only stands as it was typed."""
SIDE_QUESTIONS = {
    "who": ("Who wrote the preface?", "Who took the photographs?", "Who signed the invitations?", "Who kept the minutes?", "Who chaired the committee?", "Who paid the bills?"),
    "when": ("When did the advisory board meet?", "When did the website go online?", "When was the photograph competition held?", "When did the newsletter appear?", "When was the school prize awarded?", "When did the press office move?"),
    "where": ("Where was the first plan drawn up?", "Where was a plaque unveiled?", "Where was the first lecture given?", "Where did the newsletter appear?"),
    "few": ("How many experts were asked?", "How many talks were given?", "How many letters arrived?", "How many speakers were invited?"),
    "many": ("How many letters arrived?", "How many visitors came on the first day?", "How many people answered the survey?", "How many copies of the leaflet were printed?"),
    "residents": ("How many books does the main library hold?", "How many trees were counted in the parks?", "How many letters did the post office handle?", "How many visitors came in one summer?"),
    "how long": ("How long did the survey take?", "How long was the exhibition open?", "How long did the appeal last?", "How long did the talks go on?"),
    "how brief": ("How long does the guided tour take?", "How long does the film on the subject run?", "How long did the opening speech last?"),
    "how much": ("How much did the survey cost?", "How much was paid for the report?", "How much was set aside for repairs?", "How much did the last appeal bring in?"),
    "share": ("What share of the letters was answered?", "What share of those asked replied?", "By how much did fees go up?", "What share of the costs was met?"),
}  # fmt: skip
"""Questions that stand beside the one asked on a list, by the kind of value that answers them."""
