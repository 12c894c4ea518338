"""Wordings of the P-Ambiguity rules; the gaps are filled from the instance."""

from __future__ import annotations

import re

from perturb.rules import scenery

_HOUSES = re.compile(r"(?:schools|libraries|shops|halls|centres|choirs|groups|clubs|hotels|cafés|hospitals)$")
PEOPLE = tuple(group for group in scenery.GROUPS if not _HOUSES.search(group))
"""Groups of which each member is a person."""

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

DEEDS_AT_GATHERINGS = (
    "announced", "advertised", "planned", "reviewed", "praised", "proposed", "funded", "organised", "arranged",
    "prepared", "suggested", "approved", "supported", "recommended",
)  # fmt: skip
DEEDS_WITH_OBJECTS = (
    "sold", "bought", "found", "lent", "auctioned", "valued", "displayed", "donated", "catalogued", "photographed",
    "returned", "copied", "lost", "borrowed", "restored", "scanned",
)  # fmt: skip
"""Past forms, which are participles as well, that suit every gathering and every object."""
REPEATED = ("repeated", "advertised", "planned", "announced")
"""Participles for the present tense, of gatherings."""
SLUICES_WHO = (
    "someone {x} and someone {y}, but who",
    "somebody {x} and somebody {y}; please tell me who",
    "someone {x} and someone {y} – who",
    "one person {x} and one person {y}; who exactly",
    "if someone {x} and someone {y}, can you tell me who",
    "someone {x} and someone {y}; is it stated who",
    "there is somebody who {x} and somebody who {y}; remind me who",
    "I gather that someone {x} and that someone {y}, yet who",
    "somebody {x} and somebody {y}; any idea who",
    "it is said that somebody {x} and that somebody {y}, though it escapes me who",
    "someone {x} and someone {y}; could you find out who",
    "somebody {x} and somebody {y}; I wonder who",
    "someone {x} and someone {y}; I would love to learn who",
)
SLUICES = (
    "{x} and {y}, but {wh}",
    "{x} and {y} – {wh}",
    "{x} and {y}; {wh} exactly",
    "{x} and {y}; please tell me {wh}",
    "{x} and {y}; remind me {wh}",
    "{x} and {y}, yet {wh}",
    "if {x} and {y}, can you tell me {wh}",
    "{x} and {y}; is it stated {wh}",
    "{x} and {y}: just {wh}",
    "{x} and {y}; any idea {wh}",
    "{x}, and {y}; I would love to learn {wh}",
    "I gather that {x} and that {y}, though it escapes me {wh}",
    "{x} and {y}; could you find out {wh}",
    "{x} and {y}; I wonder {wh}",
)

DEED_NOTES = ("{rival} {deed}.", "{event} by {rival}.", "It was {rival} who {deed}.")
EVENT_NOTES = (
    "{event} {rival}.",
    "{Rival}, {event}.",
    "It is known that {event} {rival}.",
    "As we hear, {event} {rival}.",
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

SIBLINGS = {
    "place": (),
    "body": (
        "Institute", "Society", "Union", "Board", "League", "Foundation", "Trust", "Council", "Guild", "Bureau",
        "Federation", "Alliance", "Office", "Commission",
    ),
    "event": (
        "Fair", "Rising", "Games", "Meeting", "Cup", "Regatta", "Congress", "Festival", "March", "Rally", "Parade",
        "Assembly",
    ),
}  # fmt: skip
"""What may follow an invented place in the name of a neighbour, by its sort; those of works are in the pools."""

IN_ORDER = (
    "respectively", "respectively", "respectively", "in that order", "in the same order", "in turn", "in sequence",
    "as listed", "item by item", "one by one", "from first to last", "each to its own", "taken in turn",
    "going down the list", "one after the other",
)  # fmt: skip
RESPECTIVELY = (
    "{claim}, {order}.",
    "As {source} has it, {claim}, {order}.",
    "According to {source}, {claim}, {order}.",
    "It is on record that {claim}, {order}.",
    "By one account {claim}, {order}.",
    "{Source} says that {claim}, {order}.",
    "In {source} one learns that {claim}, {order}.",
    "Nobody doubts that {claim}, {order}.",
    "All agree that {claim}, {order}.",
    "What is known is only that {claim}, {order}.",
    "Put briefly, {claim}, {order}.",
    "To quote {source}, {claim}, {order}.",
    "Those concerned recall that {claim}, {order}.",
)
THREE_EVENTS = (
    "{Source} tells {events}: {values}, {order}.",
    "Asked {events}, one of the {group} replied: {values}, {order}.",
    "One can read in {source} {events}, namely {values}, {order}.",
    "{Source} leaves no doubt {events}: {values}, {order}.",
    "There is a note on {events}; it has {values}, {order}.",
    "As to {events}, {source} states: {values}, {order}.",
    "Part of {source} sets out {events}: {values}, {order}.",
    "{Source} explains {events}: {values}, {order}.",
    "Some {group} wished to learn {events}; what they heard was: {values}, {order}.",
    "Regarding {events}, the reply given to some {group} was: {values}, {order}.",
    "From {source} we learn {events}, to wit {values}, {order}.",
    "We now know {events}: {values}, {order}.",
)
OLD_SIDE_EVENTS = (
    "a comet was seen", "a great fire broke out", "a stone bridge was built", "a church bell was cast",
    "a bad harvest was noted", "a hard winter came", "a market was founded", "a mill burned down",
    "an inn was opened", "a flood was feared", "a new road was laid", "a fair was held", "a well was dug",
    "a tower was mended", "a ferry sank", "a toll was raised", "an orchard was planted", "a wall was pulled down",
)  # fmt: skip
"""Events for times before photographs, lectures and newspapers."""
SIDE_COUNTS = (
    "people asked about", "people wrote about", "people heard of", "people read about", "people paid for",
    "letters mentioned", "visitors praised", "people complained about", "people voted for", "children liked",
    "neighbours knew of", "members talked about",
)  # fmt: skip
"""What goes on from "how many", before the name of something."""
THREE_QUESTIONS = (
    "{Source} asks {questions} and replies {values}, {order}.",
    "The questions in {source} are {questions}; the words to fill in are {values}, {order}.",
    "Under the headings {questions}, {source} has {values}, {order}.",
    "Asked {questions}, one of the {group} wrote down {values}, {order}.",
    "To the questions {questions}, {source} replies with {values}, {order}.",
    "A table with the lines {questions} holds the entries {values}, {order}.",
    "Some {group} who asked {questions} were told {values}, {order}.",
    "Below {questions}, {source} gives {values}, {order}.",
    "Three things were asked, {questions}, and two were said in reply, {values}, {order}.",
    "As solutions of {questions}, {source} names {values}, {order}.",
    "When {group} had to answer {questions}, the right words were {values}, {order}.",
    "Beside {questions} somebody has pencilled {values}, {order}.",
)
THREE_SEARCHES = (
    "Somebody looked up {questions} and found {values}, {order}.",
    "One machine was asked {questions}; it gave back the lines {values}, {order}.",
    "For {questions}, one index gives the entries {values}, {order}.",
    "A log lists {questions} with the answers {values}, {order}.",
    "Some {group} typed {questions} and got the lines {values}, {order}.",
    "A help desk was sent {questions} and wrote back “{values}”, {order}.",
    "The lines {questions} are followed by two others, {values}, {order}.",
    "On one screen stood {questions} and under them the replies {values}, {order}.",
    "Next to the words {questions}, a card has {values}, {order}.",
    "In three messages some {group} put {questions}; the replies were {values}, {order}.",
    "Someone scribbled {questions} with the solutions {values}, {order}.",
    "When {questions} were entered, the results were {values}, {order}.",
)
"""For a question that only stands as it was typed."""
_PEOPLE_DID = tuple(f"How many {count} the {{noun}}?" for count in SIDE_COUNTS)
SIDE_QUESTIONS = {
    "who": ("Who {verb} the {noun}?",) * 2,
    "when": ("When was the {noun} {verb}?",) * 2,
    "where": ("Where was the {noun} {verb}?",) * 2,
    "few": _PEOPLE_DID,
    "many": _PEOPLE_DID,
    "residents": _PEOPLE_DID,
    "how long": (
        "How long did people talk about the {noun}?", "How long did the work on the {noun} take?",
        "How long did people speak of the {noun}?", "How long did the quarrel over the {noun} go on?",
        "How long was the {noun} put off?", "How long was the {noun} in the news?",
    ),
    "how brief": (
        "How long did it take to describe the {noun}?", "How long did people wait for the {noun}?",
        "How long did the talk on the {noun} run?", "How long did the praise of the {noun} go on?",
    ),
    "how much": (
        "How much did the {noun} cost?", "How much was paid for the {noun}?", "How much was set aside for the {noun}?",
        "How much did the {noun} bring in?", "How much was lost on the {noun}?",
    ),
    "share": (
        "What share of those asked liked the {noun}?", "What share of the letters praised the {noun}?",
        "What share of the costs went on the {noun}?", "What share of the members paid for the {noun}?",
    ),
}  # fmt: skip
"""Questions that stand beside the one asked on a list, by the kind of value that answers them."""
