"""Wordings of the P-Contradiction rules at LOW; the gaps are filled from the instance.

Where two sources speak, {a} and {b} are the sources, {v}, {w} and {p} what they do with a statement.
"""

from __future__ import annotations

from perturb.rules.pools import WEEKDAYS

OFFICIAL = (
    "the official register", "the certified record", "the published official file", "the archive's sworn record",
    "the authorised reference work", "the audited official list", "the signed original contract",
)  # fmt: skip
FRINGE = (
    "an unsigned comment on a gossip page", "an anonymous post on a chat board", "a joke page that cites nothing",
    "a scrawled note on a bus shelter", "a self-published rumour sheet", "a prank entry on a quiz forum",
    "an unsigned flyer handed out in the street",
)  # fmt: skip

FRINGE_NAMES = (
    "The name {answer} also stands in {official}; {fringe} insists on {rival}.",
    "While {official} names {answer}, {fringe} claims that it was {rival}.",
    "{official} confirms {answer}. Only {fringe} has ever named {rival}.",
    "There is {fringe} that names {rival} instead, but {official} gives {answer}.",
    "According to {fringe} it was {rival} instead, but {official} gives {answer}.",
    "{official} is clear that {answer} is right here; {rival} is named by nothing but {fringe}.",
)
FRINGE_VALUES = (
    "Here too {official} has {answer}; {fringe} insists on {rival}.",
    "While {official} gives {answer}, {fringe} claims that {rival} is right.",
    "{official} confirms {answer}. Only {fringe} has ever said {rival}.",
    "There is {fringe} that says {rival} instead, but {official} gives {answer}.",
    "According to {fringe} it is {rival} instead, but {official} gives {answer}.",
    "{official} is clear that {answer} is right here; {rival} is given by nothing but {fringe}.",
)

OF_OBJECTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("is kept in a {} box", ("green", "brown", "grey", "red", "blue", "yellow", "white", "black", "purple")),
    ("is kept in {}", ("a drawer", "a glass case", "a safe", "a cupboard")),
    ("is kept in {}", ("a cellar", "an attic", "a garage", "a library")),
    (
        "was found in {}",
        ("an attic", "a barn", "a church", "a bookshop", "a suitcase", "a hotel", "a garage"),
    ),
    ("was bought at {}", ("a flea market", "an auction", "a village fair", "a jumble sale", "a bookshop")),
    ("was sold to {}", ("a museum", "a library", "a hotel", "a university", "a private collector")),
    ("was sold on a {}", WEEKDAYS),
    ("belongs to {}", ("a museum", "a library", "a hotel", "a university", "a private collector")),
)
"""What can be said of a thing of paper, and values of which only one can hold."""
OF_GATHERINGS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("took place on a {}", WEEKDAYS),
    ("was held in {}", ("a gym", "a library", "a church", "a tent", "a canteen", "a school")),
    ("began {}", ("at noon", "at dusk", "in the early morning", "after lunch", "late at night")),
    ("was opened by {}", ("a mayor", "a judge", "a bishop", "a headmistress", "a minister")),
    ("ended with {}", ("a song", "a toast", "a raffle", "a vote of thanks")),
    ("was paid for by {}", ("a bank", "a hotel", "a newspaper", "a university", "a publisher")),
    ("lasted {}", ("half an hour", "an hour", "two hours", "three hours")),
)
"""What can be said of an evening at which people meet, and values of which only one can hold."""

SIDE_CLASH = (
    "{a} {v} that {thing} {one}, and {b} {v} that it {two}.",
    "According to {a}, {thing} {one}; according to {b}, it {two}.",
    "{Thing} {one}, {v} {a}. It {two}, {v} {b}.",
    "“{Thing} {one},” {v} {a}. “It {two},” {v} {b}.",
    "{A} and {b} give different accounts of {thing}: the first {v} that it {one}, the second that it {two}.",
    "As {a} has it, {thing} {one}. As {b} has it, it {two}.",
    "While {a} {v} that {thing} {one}, {b} {v} that it {two}.",
    "There are two accounts of {thing}: it {one} according to {a}, and it {two} according to {b}.",
    "By the account of {a}, {thing} {one}; by the account of {b}, it {two}.",
    "{Thing} {one}, according to {a}. According to {b}, it {two}.",
)

SOFT: dict[str, tuple[tuple[str, str], ...]] = {
    "screen": (("slow", "lively"), ("cheerful", "gloomy"), ("simple", "complicated"), ("quiet", "loud")),
    "music": (("gentle", "harsh"), ("cheerful", "gloomy"), ("plain", "ornate"), ("soft", "loud"),
              ("simple", "complicated")),
    "book": (("light", "heavy"), ("cheerful", "gloomy"), ("plain", "ornate"), ("dry", "lively"),
             ("simple", "complicated")),
    "work": (("old-fashioned", "modern"), ("shallow", "deep"), ("tame", "daring")),
    "place": (("quiet", "lively"), ("plain", "splendid"), ("charming", "grim"), ("modest", "grand")),
}  # fmt: skip
"""Opposite words of taste, by the kind of the subject."""
OPPOSED = (
    "{a} calls {full} rather {one}. {B} calls it {two}.",
    "To {a}, {full} seems rather {one}. To {b}, it seems {two}.",
    "{a} finds {full} quite {one}. {B} finds it very {two}.",
    "{A} describes {full} as {one}. {B} describes it as {two}.",
    "In the opinion of {a}, {full} is rather {one}. In the opinion of {b}, it is {two}.",
    "“{Full} is rather {one},” {w} {a}. “It is {two},” {w} {b}.",
    "{A} has called {full} {one}. {B} has called it {two}.",
    "{Full} strikes {a} as {one}. It strikes {b} as rather {two}.",
    "For {a}, {full} is on the {one} side. For {b}, it is rather {two}.",
)

POSTS: tuple[tuple[str, str], ...] = (
    ("the head {}", "the trainee {}"), ("the chief {}", "the junior {}"), ("the senior {}", "the trainee {}"),
    ("the chief {}", "the deputy {}"), ("the chief {}", "the assistant {}"), ("the head {}", "the deputy {}"),
)  # fmt: skip
OFFICES = (
    "librarian", "archivist", "editor", "translator", "curator", "designer", "photographer", "reporter", "researcher",
    "correspondent", "historian", "critic", "producer", "lecturer", "columnist", "scientist",
)  # fmt: skip
RANKS: tuple[tuple[str, str], ...] = (
    ("Professor", "the student"),
    ("Professor", "the lecturer"),
    ("Dr", "the student"),
)
"""Two titles before a name that nobody bears at a time."""
SPEAKERS = (
    "“{Claim},” says a letter printed in {paper}. The heading names its author as {x}, the last line as {y}.",
    "{X} spoke at {event} in {town}. “{Claim},” the talk began. The minutes name the speaker as {y}.",
    "{X} gave an interview to {paper}. “{Claim},” it begins. A caption on the page names the speaker as {y}.",
    "“{Claim},” says a note in {book}. The index names its author as {x}, the table of contents as {y}.",
    "“{Claim},” says an article in {paper}. It is signed by {x}. In the table of contents, the author is {y}.",
    "{X} has written about this in {book}. “{Claim},” the entry says. The list of authors calls the writer {y}.",
    "“{Claim},” says a report read out at {event}. Its author is {x} on the first page and {y} on the last.",
    "One chapter of {book} is by {x}. “{Claim},” it says. In the table of contents, the author of that chapter is {y}.",
    "“{Claim},” the speaker said at {event}. The minutes call the speaker {x}; the programme says {y}.",
    "{X} wrote a letter to {paper}. “{Claim},” it says. The reply printed below it is addressed to {y}.",
)
"""{x} and {y} are one person with two titles, who stands in no sentence with the claim."""

NICKNAMES = (
    "A programme note has {short} instead of {answer}, but that is only the name that friends used.",
    "Some sources name {short} instead of {answer}; the two are the same person.",
    "A newspaper in {town} gave the name as {short}, which was simply the nickname of {answer}.",
    "{Paper} in {town} credits {short}, which is a short form of {answer}.",
    "{Paper} in {town} speaks of {short} instead, meaning {answer}, whose nickname that was.",
    "One index credits {short}, with a note that {short} and {answer} are the same person.",
    "Some accounts credit {short}; that was the nickname of {answer}.",
)

ROUNDED = (
    "A summary in {writing} has {rounded} instead of {figure}.",
    "A chart in {writing} shows {rounded} in place of {figure}.",
    "The figure of {figure} appears as {rounded} in {writing}.",
    "{Writing} prints {rounded} for the figure of {figure}.",
    "In {writing}, the figure of {figure} is given as {rounded}.",
    "A newspaper in {town} gave {rounded} for the figure of {figure}.",
)
ESTIMATED = (
    "{Writing} guesses at roughly {estimate}; the figure of {figure} comes from {check}.",
    "A poster in {town} says roughly {estimate}, which is a guess, but the figure of {figure} comes from {check}.",
    "Before {check} gave the figure of {figure}, {writing} had guessed at some {estimate}.",
    "From memory, {name} put the figure at roughly {estimate}; {check} gave {figure}.",
    "Some people in {town} guess at roughly {estimate}; the figure of {figure} comes from {check}.",
    "“Some {estimate}, I think,” said {name} of this figure; {check} gave {figure}.",
)
