"""Wordings of the HIGH rules of P-FalsePremise; the gaps are filled from the instance."""

from __future__ import annotations

from perturb.rules.words import word_list

DEEDS: tuple[tuple[str, str], ...] = (
    ("apologise", "apologised"), ("refuse to say sorry", "refused to say sorry"), ("tell a lie", "told a lie"),
    ("make a promise", "made a promise"), ("vote", "voted"), ("swear an oath", "sworn an oath"),
    ("propose marriage", "proposed marriage"), ("write a will", "written a will"),
    ("sign a petition", "signed a petition"), ("ask for advice", "asked for advice"),
    ("learn to knit", "learnt to knit"), ("study law", "studied law"), ("keep a diary", "kept a diary"),
    ("plan a holiday", "planned a holiday"), ("bet on a horse", "bet on a horse"),
    ("file a lawsuit", "filed a lawsuit"),
    ("forgive a debt", "forgiven a debt"), ("whisper a secret", "whispered a secret"), ("take a nap", "taken a nap"),
    ("decide to become a vegetarian", "decided to become a vegetarian"), ("tell a joke", "told a joke"),
    ("book a train ticket", "booked a train ticket"), ("hire a lawyer", "hired a lawyer"),
    ("memorise a poem", "memorised a poem"), ("confess to a theft", "confessed to a theft"),
    ("order a sandwich", "ordered a sandwich"), ("open a bank account", "opened a bank account"),
    ("borrow an umbrella", "borrowed an umbrella"), ("write a letter home", "written a letter home"),
    ("play chess", "played chess"), ("adopt a cat", "adopted a cat"), ("learn to swim", "learnt to swim"),
    ("count to a hundred", "counted to a hundred"), ("say grace", "said grace"),
    ("haggle over a price", "haggled over a price"),
    ("apply for a job", "applied for a job"), ("quit smoking", "quit smoking"), ("go shopping", "gone shopping"),
    ("bake a cake", "baked a cake"), ("ring up a friend", "rung up a friend"), ("take out a loan", "taken out a loan"),
)  # fmt: skip
"""What takes a mind, as the verb and its participle."""
WILFUL = (
    "In which year did {full} {deed}?",
    "On what day of the week does {full} usually {deed}?",
    "How many times has {full} {done}?",
    "Who persuaded {full} to {deed}?",
    "When did {full} make up its mind to {deed}?",
    "Where was {full} when it chose to {deed}?",
    "For how long had {full} hesitated to {deed}?",
    "Of its own free will, how often does {full} {deed}?",
    "What time was it as {full} sat down to {deed}?",
    "Which of its friends saw {full} {deed}?",
    "At what age did {full} first {deed}?",
    "Having {done}, what was {full} proud of?",
    "After it had {done}, whom did {full} thank?",
    "Has {full} {done} out of pity or out of spite?",
    "With what aim in mind did {full} {deed}?",
    "Which teacher taught {full} how to {deed}?",
    "Until what hour did {full} stay up to {deed}?",
    "Does {full} prefer to {deed} in the morning or at night?",
)
WITH_SOMEBODY = (
    "In what words did {full} swear an oath to {name}?",
    "In which letter does {full} beg {name} for forgiveness?",
    "How much money did {full} borrow from {name}?",
    "On which day did {full} invite {name} to supper?",
    "What does {full} secretly think of {name}?",
    "Over which question did {full} quarrel with {name}?",
    "To which school did {full} go together with {name}?",
    "How often has {full} lied to {name} about its age?",
    "What present did {full} pick out for {name}?",
    "Since when has {full} resented {name}?",
    "Which card game did {full} teach {name}?",
)
"""With the person who is the answer: the words of the instance serve, and hardly a new one."""

BODILY = (
    "shoe size", "hat size", "resting pulse", "body temperature", "wingspan", "gestation period", "blood pressure",
    "lung capacity", "brain weight", "collar size", "digestive speed", "tail length", "body fat", "reaction time",
    "red cell count", "waist measurement", "inside leg measurement", "milk yield", "egg size", "hearing range",
    "heart rate", "blood sugar", "liver weight", "muscle mass", "bone density", "step length", "egg count",
    "breathing rate", "skull width", "glove size", "bite force", "nose length", "arm span",
)  # fmt: skip
"""What only living bodies have, as can be measured."""
OF_STUFFS = (
    "melting point", "boiling point", "atomic number", "freezing point", "vitamin C content", "tyre pressure",
    "fuel consumption", "battery voltage", "engine power", "pollen count", "petal count", "root depth",
    "rust resistance", "salt content", "octane number", "braking distance", "solubility in water", "half-life",
)  # fmt: skip
"""What only stuffs, plants and machines have: for songs, series and events, which are no things to be touched."""
SWAPPED = (
    "What is the {thing} of {full}?",
    "Who measured the {thing} of {full}?",
    "Who wrote down the {thing} of {full}?",
    "By how much did the {thing} of {full} change in {year}?",
    "In {year}, what was the {thing} of {full}?",
    "How does the {thing} of {full} vary with age?",
    "On which chart is the {thing} of {full} entered?",
    "What counts as a normal {thing} for {full}?",
    "When was the {thing} of {full} last checked?",
    "How was the {thing} of {full} found out?",
    "Up to what value did the {thing} of {full} rise in {year}?",
    "With which instrument was the {thing} of {full} taken?",
)
CREATURELY = (
    "How many teeth does {full} have left?",
    "What did {full} eat for breakfast on its last birthday?",
    "On which knee does {full} have a scar?",
    "How many hours did {full} sleep last night?",
    "Against which illnesses was {full} vaccinated?",
    "Which of its ankles did {full} sprain in {year}?",
    "Is {full} left-handed or right-handed?",
    "How many eggs does {full} lay in a year?",
    "When did {full} cut its first tooth?",
    "In which ear is {full} hard of hearing?",
    "To which pollen is {full} allergic?",
    "Which glasses does {full} need for reading?",
    "With which hand does {full} hold a fork?",
    "How many puppies were in the litter of {full}?",
    "How tall was {full} on the day it learnt to walk?",
    "What colour is the fur of {full} in winter?",
    "Whose nose did {full} inherit?",
)

SHAPES = (
    "square circle", "round square", "four-sided triangle", "two-sided triangle", "five-sided square",
    "seven-sided hexagon", "triangle with two corners", "circle with three corners", "spherical cube",
    "nine-sided octagon", "straight zigzag line", "circle whose radius exceeds its diameter",
    "square with five corners",
    "triangle of three right angles", "colourless red disc", "open closed curve", "rectangle without any corners",
    "pentagon of six sides", "line segment longer than itself",
    "pair of crossing parallels", "cube with seven faces", "round triangle", "three-ended line segment",
)  # fmt: skip
SHAPED = (
    "How wide is the {shape} on {this}?",
    "What colour is the {shape} on {this}?",
    "Who drew the {shape} that fills {this}?",
    "In which corner of {this} is the {shape}?",
    "What does the {shape} on {this} stand for?",
    "When was the {shape} added to {this}?",
    "How far is the {shape} on {this} from the edge?",
    "On {this} there is a {shape}: how large is it?",
    "Which pen was used for the {shape} on {this}?",
    "What is written next to the {shape} on {this}?",
    "How long did it take to print the {shape} on {this}?",
    "Of what size is the {shape} that adorns {this}?",
)
IMPOSSIBLE = (
    "Who weighed {this} at minus {n} grams?",
    "Where is {this} stored at minus {n}00 degrees Celsius?",
    "How many of the minus {n} pages of {this} are blank?",
    "How many seconds before it was sent did {this} arrive?",
    "What was paid for carrying {this} at twice the speed of light?",
    "By what means was {this} made to weigh {n} grams less than nothing?",
    "Who folded {this} into an area of minus {n} square centimetres?",
    "Which of the words on {this} is made up of minus {n} letters?",
    "What fills the {n}th quarter of {this}, of which there are {n}?",
)

YES_AND_NO: dict[str, tuple[str, ...]] = {
    "film": ("filmed", "finished", "released", "shown", "made", "produced", "completed", "screened"),
    "music": ("recorded", "released", "performed", "made", "finished", "composed", "completed", "sung"),
    "series": ("broadcast", "filmed", "shown", "aired", "made", "produced", "begun"),
    "book": ("written", "printed", "published", "finished", "completed", "begun"),
    "place": ("built", "completed", "erected", "finished", "begun", "put up"),
    "event": ("begun", "started", "ended"),
}  # fmt: skip
"""What was done to the subject, and in the same breath never was."""
SELF_DENYING = (
    "{noun_name}, {done} and yet never {done}",
    "{noun_name}, both {done} and never {done}",
    "{done} but never {done} {noun_name}",
    "never {done} yet long since {done} {noun_name}",
    "{noun_name}, which was {done} without ever having been {done}",
    "{noun_name}, never {done} up to this day but {done} years ago",
    "{noun_name} that was {done} and at no time {done}",
    "existing and non-existent {noun_name}",
    "{noun_name}, at once {done} and not {done}",
)
"""Both facts stand in one noun phrase; "never" bears on just what the other word asserts."""
OF_DENIED: dict[str, tuple[str, ...]] = {
    "film": (
        "How heavy is the only reel of the {np}?",
        "Who owns the poster of the {np}?",
        "What is the price of a ticket to the {np}?",
        "How many {groups} have seen the {np}?",
        "Who keeps the negative of the {np}?",
        "Which colour fills the last frame of the {np}?",
    ),
    "music": (
        "How heavy is the only disc of the {np}?",
        "Who coughs in the middle of the {np}?",
        "How many {groups} have heard the {np}?",
        "Who keeps the only tape of the {np}?",
        "Which bird can be heard at the end of the {np}?",
        "What is the price of the {np}?",
    ),
    "series": (
        "How heavy is the box set of the {np}?",
        "Each week, how many {groups} watch the {np}?",
        "Who falls asleep in the {np}?",
        "What was the weather like on the set of the {np}?",
        "Which door creaks in the {np}?",
        "What is the price of the {np}?",
    ),
    "book": (
        "How heavy is the first copy of the {np}?",
        "How many {groups} have read the {np}?",
        "Which word is misspelt in the {np}?",
        "How wide are the margins of the {np}?",
        "Where is rain mentioned in the {np}?",
        "What is the price of the {np}?",
    ),
    "place": (
        "How many lamps light the {np}?",
        "Who keeps the keys of the {np}?",
        "Each day, how many {groups} pass by the {np}?",
        "Which bird nests on top of the {np}?",
        "How cold is it at noon beside the {np}?",
        "Who paints the {np}?",
    ),
    "event": (
        "On which day of the week was the {np}?",
        "Who blew the trumpet at the {np}?",
        "How many {groups} took part in the {np}?",
        "What was the weather like during the {np}?",
        "How many horses ran away at the {np}?",
        "What was the cost of the {np}?",
    ),
}
"""What is asked no passage tells: striking a word of the phrase leaves no answer."""

KIN: tuple[tuple[str, str], ...] = (
    ("only child", "sister"), ("only child", "elder brother"), ("only child", "twin"), ("childless", "eldest son"),
    ("childless", "daughter"), ("childless", "grandson"), ("never-married", "spouse"), ("childless", "son-in-law"),
    ("never-married", "mother-in-law"), ("never-wed", "father-in-law"), ("brotherless", "brother"),
    ("sisterless", "younger sister"), ("firstborn", "elder brother"), ("firstborn", "older sister"),
    ("lastborn", "younger sister"), ("lastborn", "younger brother"), ("never-married", "first spouse"),
    ("sonless", "son"), ("daughterless", "daughter"), ("siblingless", "sibling"), ("childless", "granddaughter"),
    ("brotherless", "elder brother"), ("sisterless", "sister"), ("never-wed", "spouse"),
)  # fmt: skip
"""A word of status or kinship, and the relative whom its meaning rules out."""
KIN_OF_MEN: tuple[tuple[str, str], ...] = (
    ("bachelor", "wife"),
    ("lifelong bachelor", "wife"),
    ("never-married", "wife"),
)
KIN_OF_WOMEN: tuple[tuple[str, str], ...] = (("never-married", "husband"), ("never-wed", "husband"))
OF_KIN = (
    "What was the first name of the {kin} of the {status} {told}?",
    "Where was the {kin} of the {status} {told} born?",
    "How tall was the {kin} of the {status} {told}?",
    "Which school did the {kin} of the {status} {told} attend?",
    "What did the {kin} of the {status} {told} do for a living?",
    "Who introduced the {kin} of the {status} {told} to the public?",
    "In which month was the birthday of the {kin} of the {status} {told}?",
    "Which language did the {kin} of the {status} {told} speak best?",
    "On which street lived the {kin} of the {status} {told}?",
    "How many letters came from the {kin} of the {status} {told}?",
    "To which town did the {kin} of the {status} {told} move?",
    "For what was the {kin} of the {status} {told} known?",
    "Whose house was bought by the {kin} of the {status} {told}?",
    "What is said in a newspaper about the {kin} of the {status} {told}?",
    "When did the {kin} of the {status} {told} learn to drive?",
)
RULED_OUT = (
    "Which army rank did the lifelong civilian {told} hold?",
    "Of which country is the stateless {told} a citizen?",
    "From which employer does the unemployed {told} draw a salary?",
    "How many pints of beer a week did the lifelong teetotaller {told} drink?",
    "What brand of cigarettes did the lifelong non-smoker {told} smoke?",
    "Which meat did the lifelong vegetarian {told} eat most often?",
    "How long did the marriage of the never-married {told} last?",
    "On what date is the wedding anniversary of the never-married {told}?",
    "Where did the never-married {told} spend the honeymoon?",
    "By how many minutes is the only child {told} older than the other twin?",
    "At what age did the childless {told} become a grandparent?",
    "In which court was the never-wed {told} divorced?",
    "Which clause stands first in the marriage contract of the never-married {told}?",
    "How many children has the childless {told} brought into the world?",
    "What is the second language of the strictly monolingual {told}?",
    "Which inherited title did the untitled commoner {told} bear?",
)
"""The status is asserted plainly, and what is asked takes for granted what its meaning rules out."""

GROUPS = word_list(
    "teachers librarians nurses students bakers readers sailors gardeners engineers farmers hikers"
)
