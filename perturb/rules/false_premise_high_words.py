"""Wordings of the HIGH rules of P-FalsePremise; the gaps are filled from the instance."""

from __future__ import annotations

from collections.abc import Mapping

from perturb.rules.words import word_list

DEEDS = (
    "vote in an election", "write a will", "learn to knit", "bet on a horse", "become a vegetarian", "memorise a poem",
    "confess to a theft", "order a sandwich", "borrow an umbrella", "learn to swim",
    "ring up a friend", "learn to ride a bicycle", "take up fencing",
)  # fmt: skip
"""What takes a mind, and the makers of a work do not do in its name."""
WILFUL = (
    "In which year did {full} {deed}?",
    "Why did {full} {deed}?",
    "Who persuaded {full} to {deed}?",
    "When did {full} decide to {deed}?",
    "Why did {full} refuse to {deed}?",
    "What made {full} {deed}?",
    "Who asked {full} to {deed}?",
    "On which day did {full} {deed}?",
)
WITH_SOMEBODY = (
    "Why did {full} lie to {name} about its age?",
    "At what time of day did {full} telephone {name}?",
    "When did {full} propose marriage to {name}?",
    "Why did {full} promise to marry {name}?",
    "What birthday present did {full} choose for {name}?",
    "Where did {full} propose marriage to {name}?",
)
"""With the person who is the answer: the words of the instance serve, and hardly a new one."""

BODILY = (
    "shoe size", "hat size", "blood pressure", "lung capacity", "brain weight", "collar size", "body fat percentage",
    "red blood cell count", "inside leg length", "blood sugar level", "bone density", "glove size", "bite force",
    "cholesterol level",
)  # fmt: skip
"""What only living bodies have, as can be measured."""
OF_STUFFS = (
    "melting point", "boiling point", "atomic number", "freezing point", "vitamin C content", "solubility in water",
)  # fmt: skip
"""What only stuffs have: for songs and series, which are no things to be touched."""
SWAPPED = (
    "What is the {thing} of {full}?",
    "Who measured the {thing} of {full}?",
    "Who first determined the {thing} of {full}?",
    "When was the {thing} of {full} last measured?",
    "How was the {thing} of {full} measured?",
    "Which instrument was used to measure the {thing} of {full}?",
    "In which year was the {thing} of {full} first measured?",
)
CREATURELY = (
    "How many teeth does {full} have left?",
    "What did {full} eat for breakfast on its last birthday?",
    "On which knee does {full} have a scar?",
    "How many hours did {full} sleep last night?",
    "Which of its ankles did {full} sprain?",
    "Is {full} left-handed or right-handed?",
    "How many eggs does {full} lay in a year?",
    "At what age did {full} lose its first tooth?",
    "In which ear is {full} hard of hearing?",
    "What is the blood group of {full}?",
    "Which medicine is {full} allergic to?",
    "What colour is the fur of {full} in winter?",
)

SHAPES = (
    "square circle", "round square", "four-sided triangle", "two-sided triangle", "five-sided square",
    "seven-sided hexagon", "triangle with two corners", "circle with three corners", "nine-sided octagon",
    "circle whose radius exceeds its diameter", "square with five corners", "rectangle without any corners",
    "six-sided pentagon", "rectangle with three sides",
    "eight-sided pentagon", "octagon with three corners", "circle with two centres",
)  # fmt: skip
SHEETS: Mapping[str, tuple[str, ...]] = {
    "music": (
        "the record sleeve of",
        "the lyric sheet of",
        "the cover of the sheet music of",
        "the poster for",
    ),
    "film": ("the poster for", "the cinema ticket for", "the DVD cover of", "the programme for"),
    "series": ("the poster for", "the DVD cover of", "the advertisement for", "the cover of the script of"),
    "book": ("the cover of", "the title page of", "the back cover of", "the first page of"),
    "place": ("the plan of", "the map of", "the postcard of", "the poster of"),
    "body": ("the badge of", "the flag of", "the letterhead of"),
    "event": ("the poster about", "the stamp about", "the painting of", "the leaflet about"),
    "work": ("the poster for", "the advertisement for", "the programme for"),
}
"""What bears a drawing and goes with a subject, by its kind."""
SHAPED = (
    "How wide is the {shape} on {this}?",
    "What colour is the {shape} on {this}?",
    "Who drew the {shape} on {this}?",
    "What does the {shape} on {this} stand for?",
    "When was the {shape} added to {this}?",
    "How far is the {shape} on {this} from the edge?",
    "How large is the {shape} on {this}?",
    "What is written inside the {shape} on {this}?",
    "Who designed the {shape} that appears on {this}?",
    "Why is there a {shape} on {this}?",
)
IMPOSSIBLE = (
    "Who found out that {this} weighs minus {n} grams?",
    "Where is {this} stored at minus {n}00 degrees Celsius?",
    "Why is {this} minus {n} centimetres wide?",
    "Since when has {this} been minus {n} centimetres wide?",
    "Why does {this} weigh minus {n} grams?",
)

YES_AND_NO: dict[str, tuple[str, ...]] = {
    "film": ("filmed", "released", "shown", "completed"),
    "music": ("recorded", "released", "performed", "sung"),
    "series": ("broadcast", "filmed", "aired", "produced"),
    "book": ("written", "printed", "published"),
    "place": ("built", "completed", "erected"),
}  # fmt: skip
"""What was done to the subject, and in the same breath never was."""
SELF_DENYING = (
    "{noun_name}, which was {done} but was never {done},",
    "{noun_name}, which was {done} and yet was never {done},",
    "{noun_name}, which has been {done} but has never been {done},",
)
"""Both facts stand in one noun phrase; "never" bears on just what the other word asserts."""
OF_DENIED: dict[str, tuple[str, ...]] = {
    "film": (
        "Who designed the poster of the {np}?",
        "What does a ticket to the {np} cost?",
        "How many {groups} have seen the {np}?",
        "Who keeps the negative of the {np}?",
        "How long is the last scene of the {np}?",
    ),
    "music": (
        "Who keeps the master tape of the {np}?",
        "How many {groups} have heard the {np}?",
        "Which key is used in the last verse of the {np}?",
        "How many copies of the {np} are kept in libraries?",
    ),
    "series": (
        "How much does the box set of the {np} weigh?",
        "How many {groups} watch the {np}?",
        "Who made the costumes for the {np}?",
        "Who keeps the scripts of the {np}?",
    ),
    "book": (
        "How much does a copy of the {np} weigh?",
        "How many {groups} have read the {np}?",
        "How many words are there in the {np}?",
        "How wide are the margins of the {np}?",
        "Where is the manuscript of the {np} kept?",
    ),
    "place": (
        "How many lamps light the {np}?",
        "How many {groups} visit the {np} each day?",
        "Who cleans the {np}?",
        "How many people work at the {np}?",
    ),
}
"""What is asked no passage tells: striking a word of the phrase leaves no answer."""

KIN: tuple[tuple[str, str], ...] = (
    ("only child", "sister"), ("only child", "elder brother"), ("only child", "twin"), ("only child", "younger sister"),
    ("only child", "older sister"), ("only child", "younger brother"), ("childless", "eldest son"),
    ("childless", "daughter"), ("childless", "grandson"), ("childless", "granddaughter"), ("childless", "son-in-law"),
    ("childless", "youngest daughter"), ("never-married", "spouse"), ("never-married", "mother-in-law"),
    ("never-married", "father-in-law"), ("never-married", "first spouse"),
)  # fmt: skip
"""A word of status or kinship, and the relative whom its meaning rules out."""
KIN_OF_MEN: tuple[tuple[str, str], ...] = (
    ("bachelor", "wife"),
    ("lifelong bachelor", "wife"),
    ("never-married", "wife"),
)
KIN_OF_WOMEN: tuple[tuple[str, str], ...] = (("never-married", "husband"), ("never-married", "first husband"))
OF_KIN = (
    "What was the first name of the {kin} of the {status} {told}?",
    "Where was the {kin} of the {status} {told} born?",
    "How tall was the {kin} of the {status} {told}?",
    "Which school did the {kin} of the {status} {told} attend?",
    "What did the {kin} of the {status} {told} do for a living?",
    "In which month was the {kin} of the {status} {told} born?",
    "Which languages did the {kin} of the {status} {told} speak?",
    "On which street did the {kin} of the {status} {told} live?",
    "To which town did the {kin} of the {status} {told} move?",
)
RULED_OUT = (
    "Of which country is the stateless {told} a citizen?",
    "From which employer does the unemployed {told} draw a salary?",
    "What brand of whisky did the lifelong teetotaller {told} drink most often?",
    "What brand of cigarettes did the lifelong non-smoker {told} smoke?",
    "Which meat did the lifelong vegetarian {told} eat most often?",
    "How long did the marriage of the never-married {told} last?",
    "On what date is the wedding anniversary of the never-married {told}?",
    "By how many minutes is the only child {told} older than the other twin?",
    "At what age did the childless {told} become a grandparent?",
    "In which court was the never-married {told} divorced?",
    "What is the second language of the strictly monolingual {told}?",
)
"""The status is asserted plainly, and what is asked takes for granted what its meaning rules out."""

GROUPS = word_list("teachers librarians students journalists children pensioners")
