"""Wordings of the P-Ambiguity rules; the gaps are filled from the instance."""

from __future__ import annotations

from perturb.rules import scenery

_ASKED = frozenset((
    "teachers", "librarians", "students", "readers", "museum visitors", "journalists", "parents", "nurses",
    "engineers", "office workers", "commuters",
))  # fmt: skip
PEOPLE = tuple(group for group in scenery.GROUPS if group in _ASKED)
"""Groups of people who may be asked or ask."""
SOURCES = (
    "a newspaper", "a magazine", "a guide", "a leaflet", "a handbook", "a yearbook", "an almanac", "an encyclopaedia",
    "a reference work", "a textbook", "a newsletter", "a report", "a fact sheet", "a website", "a school book",
    "a journal", "a study",
)  # fmt: skip
"""What states facts in writing."""
NEWS = ("a newspaper", "a newsletter", "a magazine", "a report", "a journal", "a yearbook")
"""What tells of small events."""
BOOKS = ("an encyclopaedia", "a reference work", "an almanac", "a handbook", "a yearbook")
"""What has entries."""
_TALKS = frozenset((
    "lecture", "exhibition", "evening class", "quiz", "talk", "debate", "conference", "slide show", "workshop",
    "film evening", "seminar", "course", "radio programme", "museum display",
))  # fmt: skip
TALKS = tuple(side for side in scenery.GATHERINGS if side.noun in _TALKS)
"""What is announced and heard."""
_UNSEEN = frozenset(("radio programme", "course", "evening class", "slide show", "museum display"))
OCCASIONS = tuple(side for side in TALKS if side.noun not in _UNSEEN)
"""What people meet at and take pictures of."""
ODD_OBJECTS = frozenset((
    "jigsaw puzzle", "sheet of music", "thesis", "study", "review", "essay",
    "board game", "stamp", "banner", "display board", "diary entry", "lecture script",
    "typed report", "quiz card", "newspaper page", "fan letter", "collector's card",
    "newspaper advertisement", "notebook", "folder of papers", "set of slides", "quiz book", "trade advertisement",
    "relief model", "letterhead", "framed page", "souvenir album", "school poster", "panorama", "title card",
    "test pressing", "pressing", "piano arrangement", "choir edition", "large-print edition", "clothbound copy",
    "ticket stub from a showing", "group photograph", "badge", "visitors' leaflet", "disc", "box set",
))  # fmt: skip
"""Objects that nobody would expect to be sold or lost."""

DEICTIC_NOTES = (
    "There are two {nouns} on this page, {name} and {sibling}. {claim}.",
    "The other {noun} on this page is {sibling}. {claim}.",
    "This entry is about two {nouns}, and the second is {sibling}. {claim}.",
    "Alongside {name}, this entry covers the {noun} {sibling} just as fully. {claim}.",
    "This page deals with another {noun} as well, {sibling}. {claim}.",
    "The second {noun} described here is {sibling}. {claim}.",
)

DEEDS_AT_GATHERINGS = (
    "announced", "advertised", "planned", "organised", "prepared", "hosted",
)  # fmt: skip
DEEDS_WITH_OBJECTS = (
    "sold", "bought", "found", "donated", "returned", "printed", "lost", "borrowed",
)  # fmt: skip
"""Past forms, which are participles as well, that suit every gathering and every object."""
SLUICES_WHO = (
    "someone {x} and someone {y}, but who",
    "somebody {x} and somebody {y}, but who",
    "someone {x} and someone {y} – who",
    "someone {x} and someone {y}; please tell me who",
    "somebody {x} and somebody {y}; can you tell me who",
    "someone {x} and someone {y}; do you know who",
    "someone {x} and someone {y}; does it say who",
    "I know that someone {x} and that someone {y}, but who",
    "somebody {x} and somebody {y}; any idea who",
    "someone {x} and someone {y}; could you find out who",
    "somebody {x} and somebody {y}; I wonder who",
)
SLUICES = (
    "{x} and {y}, but {wh}",
    "{x} and {y} – {wh}",
    "{x} and {y}, but {wh} exactly",
    "{x} and {y}; please tell me {wh}",
    "{x} and {y}; can you tell me {wh}",
    "{x} and {y}; do you know {wh}",
    "{x} and {y}; does it say {wh}",
    "{x} and {y}; any idea {wh}",
    "I know that {x} and that {y}, but {wh}",
    "{x} and {y}; could you find out {wh}",
    "{x} and {y}; I wonder {wh}",
)

DEED_NOTES = ("{rival} {deed}.", "{event} by {rival}.", "It was {rival} who {deed}.")
EVENT_NOTES = ("{event} {rival}.", "{Rival}, {event}.")

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

IN_ORDER = ("respectively", "respectively", "in that order", "in the same order")
RESPECTIVELY = (
    "{claim}, {order}.",
    "According to {source}, {claim}, {order}.",
    "It is on record that {claim}, {order}.",
    "By one account {claim}, {order}.",
    "{Source} says that {claim}, {order}.",
    "As {source} notes, {claim}, {order}.",
)
THREE_EVENTS = (
    "{News} says {events}: {values}, {order}.",
    "{News} tells readers {events}: {values}, {order}.",
    "{News} states {events}: {values}, {order}.",
    "{News} notes {events}: {values}, {order}.",
    "One can read in {news} {events}: {values}, {order}.",
    "It is on record {events}: {values}, {order}.",
    "From {news} we learn {events}: {values}, {order}.",
)
OLD_SIDE_EVENTS = (
    "a comet was seen", "a great fire broke out", "a stone bridge was built", "a market was founded",
    "a mill burned down", "an inn was opened", "a new road was laid", "a fair was held", "a ferry sank",
    "a town wall was pulled down",
)  # fmt: skip
"""Events for times before photographs, lectures and newspapers."""
SIDE_COUNTS = (
    "people asked about", "people wrote about", "people heard of", "people read about", "people paid for",
    "letters mentioned", "people praised", "people complained about",
)  # fmt: skip
"""What goes on from "how many", before the name of something."""
THREE_QUESTIONS = (
    "{Sheet} asks {questions}, and gives the answers {values}, {order}.",
    "{Sheet} asks {questions}, and the answers given are {values}, {order}.",
    "{Sheet} lists the questions {questions}, with the answers {values}, {order}.",
    "{Sheet} answers the questions {questions} with {values}, {order}.",
    "To the questions {questions}, {sheet} gives the answers {values}, {order}.",
    "Under the headings {questions}, {sheet} has the answers {values}, {order}.",
    "Some {group} who asked {questions} were given the answers {values}, {order}.",
)
SHEETS = (
    "a quiz sheet", "a fact sheet", "a newsletter", "a magazine", "a brochure", "a leaflet",
)  # fmt: skip
"""What asks its readers questions and gives the answers."""
THREE_SEARCHES = (
    "A search log lists {questions} with the answers {values}, {order}.",
    "A list of searches shows {questions} with the answers {values}, {order}.",
    "Some {group} looked up {questions} and found {values}, {order}.",
    "Somebody looked up {questions} and found {values}, {order}.",
    "Some {group} typed {questions} and got the answers {values}, {order}.",
    "A website lists the searches {questions} with the answers {values}, {order}.",
    "When somebody searched for {questions}, the results were {values}, {order}.",
    "Searches for {questions} gave the results {values}, {order}.",
)
"""For a question that only stands as it was typed."""
_PEOPLE_DID = tuple(f"How many {count} the {{noun}}?" for count in SIDE_COUNTS)
SIDE_QUESTIONS = {
    "who": ("Who {verb} the {noun}?",) * 2,
    "when": ("When was the {noun} {verb}?",) * 2,
    "coming": ("When does the {noun} take place?", "When is the {noun}?"),
    "where": ("Where was the {noun} {verb}?",) * 2,
    "few": _PEOPLE_DID,
    "many": _PEOPLE_DID,
    "residents": _PEOPLE_DID,
    "how long": (
        "How long did the work on the {noun} take?", "How long did the preparations for the {noun} take?",
    ),
    "how brief": ("How long did the {noun} last?", "How long did people wait for the {noun}?"),
    "how much": (
        "How much did the {noun} cost?", "How much was paid for the {noun}?", "How much was lost on the {noun}?",
    ),
    "share": (
        "What share of those asked liked the {noun}?", "What share of the letters praised the {noun}?",
        "What share of the members paid for the {noun}?",
    ),
}  # fmt: skip
"""Questions that stand beside the one asked on a list, by the kind of value that answers them."""
