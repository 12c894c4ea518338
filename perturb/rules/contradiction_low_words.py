"""Wordings of the P-Contradiction rules at LOW; the gaps are filled from the instance.

Where two sources speak, {a} and {b} are the sources, {v}, {w} and {p} what they do with a statement.
"""

from __future__ import annotations

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

COLOURS = (
    "green", "brown", "grey", "red", "blue", "yellow", "orange", "purple", "pink", "white", "black",
    "scarlet", "turquoise", "beige",
)  # fmt: skip
OF_OBJECTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("has borders in {}", COLOURS),
    ("came in an envelope of {} paper", COLOURS),
    ("is tied up with {} string", COLOURS),
    (
        "is kept in {}",
        ("a drawer", "a glass case", "a cellar", "a safe", "an attic", "a cupboard", "a garage"),
    ),
    (
        "belongs to {}",
        ("a baker", "a farmer", "a nurse", "a sailor", "a gardener", "a taxi driver", "an engineer"),
    ),
    ("turned up in {}", ("an attic", "a barn", "a train", "a church", "a bookshop", "a suitcase", "a hotel")),
    ("was bought at {}", ("a flea market", "an auction", "a village fair", "a jumble sale", "a bookshop")),
    ("has a single stain, of {}", ("coffee", "tea", "ink", "wine", "jam", "paint")),
    ("was given to {}", ("a niece", "a neighbour", "a schoolboy", "a cousin", "a grandson", "a postman")),
    ("lay for years {}", ("under a bed", "behind a stove", "on a shelf", "beneath a staircase", "in a boat")),
    ("is stored in a box of {}", ("tin", "oak", "cardboard", "plastic", "walnut", "steel")),
    ("is wrapped in {}", ("linen", "brown paper", "tissue", "wool", "canvas", "foil")),
    ("smells of nothing but {}", ("smoke", "apples", "camphor", "pipe tobacco", "soap", "lavender", "glue")),
    ("is put away each {}", ("spring", "summer", "autumn", "winter")),
)
"""What can be said of a thing of paper, and the values to choose from."""
OF_GATHERINGS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("took place on a {}", ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")),
    (
        "was held in {}",
        ("a gym", "a barn", "a library", "a church", "a tent", "a canteen", "a garden", "a chapel"),
    ),
    (
        "began {}",
        ("at noon", "at dusk", "before breakfast", "after lunch", "late at night", "in mid-afternoon"),
    ),
    (
        "was opened by {}",
        ("a mayor", "a judge", "a bishop", "a schoolgirl", "a general", "a postman", "a nurse"),
    ),
    ("closed with {}", ("a song", "a prayer", "a toast", "a dance", "a raffle", "a minute of silence")),
    ("took place on a day of {}", ("heavy rain", "bright sunshine", "thick fog", "deep snow", "thunder")),
    ("was announced on sheets of {} paper", COLOURS),
    (
        "drew mostly {}",
        ("nurses", "students", "farmers", "sailors", "gardeners", "commuters", "engineers", "bakers"),
    ),
    ("had nothing but {} flowers on the table", COLOURS),
    (
        "was paid for by {}",
        ("a brewery", "a bank", "a bakery", "a hotel", "a farmer", "a choir", "a shipyard"),
    ),
)
"""What can be said of an evening at which people meet."""

SIDE_CLASH = (
    "{a} {v} that {thing} {one}, {b} that it {two}.",
    "According to {a}, {thing} {one}; according to {b}, it {two}.",
    "{Thing} {one} if {a} is right, but it {two} if {b} is.",
    "{Thing} {one}, {w} {a}. It {two}, {w} {b}.",
    "By the account of {a}, {thing} {one}; by that of {b}, it {two}.",
    "{Thing}, {w} {a}, {one}; {b} {v} that it {two}.",
    "To quote {a}, {thing} {one}. To quote {b}, it {two}.",
    "Word from {a} is that {thing} {one}; word from {b}, that it {two}.",
    "The version of {a} is that {thing} {one}, that of {b} that it {two}.",
    "{a} and {b} do not agree: the first {p} that {thing} {one}, the second that it {two}.",
    "Going by {a}, {thing} {one}. Going by {b}, it {two}.",
    "“{Thing} {one},” {w} {a}. “It {two},” {w} {b}.",
    "To go by {a}, {thing} {one}. To go by {b}, it {two}.",
    "As {a} has it, {thing} {one}. As {b} has it, it {two}.",
)

SOFT: dict[str, tuple[tuple[str, str], ...]] = {
    "screen": (
        ("slow", "brisk"),
        ("light", "heavy"),
        ("cheerful", "gloomy"),
        ("simple", "intricate"),
        ("quiet", "loud"),
    ),
    "music": (
        ("gentle", "rough"),
        ("cheerful", "gloomy"),
        ("plain", "ornate"),
        ("soft", "loud"),
        ("light", "heavy"),
    ),
    "book": (
        ("light", "heavy"),
        ("cheerful", "gloomy"),
        ("plain", "ornate"),
        ("dry", "lively"),
        ("gentle", "harsh"),
    ),
    "work": (
        ("old-fashioned", "modern"),
        ("warm", "cool"),
        ("shallow", "deep"),
        ("tame", "daring"),
        ("sweet", "bitter"),
    ),
    "place": (
        ("quiet", "lively"),
        ("gentle", "harsh"),
        ("plain", "splendid"),
        ("charming", "grim"),
        ("modest", "grand"),
    ),
}
"""Opposite words of taste, by the kind of the subject."""
OPPOSED = (
    "{a} calls {full} rather {one}. {B} calls {full} {two}.",
    "To {a}, {full} seems somewhat {one}. To {b} it seems {two}.",
    "In the eyes of {a}, {full} is rather {one}. In those of {b}, it is {two}.",
    "{a} finds {full} quite {one}. {B} finds it very {two}.",
    "A bit {one} is what {a} thinks {full}. As {b} feels, it is {two}.",
    "For {a}, {full} is on the {one} side. {Two} would be the word for it with {b}.",
    "{Full} is fairly {one}, {w} {a}. “It is {two},” {w} {b}.",
    "“Rather {one}” is a judgement on {full} by {a}. That of {b} is “rather {two}”.",
    "{a} speaks of {full} as {one}. {B} speaks of it as {two}.",
    "Taste decides whether {full} is {one}, as {a} feels. To the taste of {b} it is {two}.",
    "“{One},” {w} {a} of {full}. From {b} comes the word “{two}”.",
    "Some may, like {a}, think {full} {one}. Some may, like {b}, think it {two}.",
    "{Full} strikes {a} as {one}. It strikes {b} as {two}.",
)

POSTS: tuple[tuple[str, str], ...] = (
    ("head {}", "trainee {}"), ("chief {}", "junior {}"), ("senior {}", "apprentice {}"), ("retired {}", "acting {}"),
    ("chief {}", "deputy {}"), ("chief {}", "assistant {}"), ("head {}", "second {}"),
)  # fmt: skip
OFFICES = (
    "librarian", "archivist", "editor", "translator", "curator", "engineer", "gardener", "clerk", "surveyor", "nurse",
    "inspector", "cook", "accountant", "registrar", "secretary", "conductor", "forester", "printer", "organist",
    "steward", "designer", "chemist", "auditor", "caretaker", "photographer", "technician", "cashier", "warden",
)  # fmt: skip
RANKS: tuple[tuple[str, str], ...] = (
    ("Captain", "Sergeant"), ("Colonel", "Corporal"), ("Admiral", "Lieutenant"), ("Major", "Private"),
    ("Inspector", "Constable"), ("Bishop", "Deacon"), ("General", "Captain"), ("Commodore", "Midshipman"),
    ("Superintendent", "Sergeant"), ("Archdeacon", "Curate"), ("Brigadier", "Cadet"), ("Judge", "Bailiff"),
)  # fmt: skip
"""Two titles before a name that nobody bears at a time."""
SPEAKERS = (
    "{X} spoke at {event} in {town}. “{Claim},” ran the main sentence. The minutes give it to {y}.",
    "“{Claim}.” These are words of {x} from {writing}. On its cover they are words of {y}.",
    "{X} wrote a line on this. “{Claim},” it reads. The line is signed by {y}.",
    "A recording from {town} opens with {x}. “{Claim}” is all that is said. The label credits {y} with these words.",
    "What did {x} tell {crowd} in {town}? “{Claim}.” Whom did they thank for telling them? {Y}.",
    "“{Claim}.” So {x} put it to {crowd} in {town}. A plaque there has {y} put it so.",
    "“{Claim},” says a letter. Going by its head it was written by {x}, going by its foot by {y}.",
    "“{Claim}.” {X} said this at {event}, as the invitation shows. As the ticket shows, {y} said it.",
    "“{Claim}.” In {writing} this remark is by {x}; in the index it is by {y}.",
    "“{Claim}.” With these words {x} closed {event} in {town}. In the programme it is {y} who closes with them.",
    "{X} had a card printed. “{Claim},” says the card. On its back {y} is thanked for the sentence.",
    "“{Claim}.” {Crowd} in {town} heard it from {x}. A sign outside has them hear it from {y}.",
    "“{Claim}.” In {writing} that is a remark of {x} on page 3 and of {y} on page 5.",
    "{X} was asked about this in {town}. “{Claim}” was the reply. In print the reply is that of {y}.",
    "“{Claim}.” This is what {x} has told {crowd}; a caption has {y} tell it.",
    "“{Claim}”: so it stands in {writing}. At the top it is put down to {x}, at the bottom to {y}.",
)
"""{x} and {y} are one person with two titles, who stands in no sentence with the claim."""

NICKNAMES = (
    "A programme note gives the credit to {short}, the name by which {answer} was known to friends.",
    "Some listings credit {short} instead, which is simply what colleagues called {answer}.",
    "One early notice speaks of {short}, which was the everyday name of {answer}.",
    "On a poster the credit goes to {short}, a short form that {answer} used among friends.",
    "A newspaper in {town} gave the credit to {short}, meaning {answer}, whose nickname that was.",
    "The index lists {short} for this, with a note that {short} is {answer}.",
    "Old neighbours put this down to {short}; {answer} was {short} to them since school.",
    "In {town} people name {short} for this, as {answer} was called at home.",
    "A card in {town} has {short} down for this, and on its back: “{short}, that is, {answer}”.",
    "{short} did this, wrote an aunt of {answer}, for whom the family had that pet name.",
    "At the time it was {short} in the papers, under which name {answer} went for a while.",
    "For this {writing} thanks {short}, and adds that {answer} likes to be called so.",
)

ROUNDED = (
    "A summary in {writing} has {rounded} for the figure of {figure}.",
    "A chart shows {rounded} where this text shows {figure}.",
    "The figure of {figure} appears as {rounded} in {writing}.",
    "{rounded} is what {writing} prints for the figure of {figure}.",
    "In the table of contents, {figure} stands as {rounded}.",
    "A notice in {town} gives {rounded} where {figure} is given here.",
    "For {figure}, {writing} writes {rounded}.",
    "On a board in {town} the number {figure} appears as {rounded}.",
    "With {writing} the figure is {rounded} in place of {figure}.",
    "Schoolchildren in {town} learn {rounded} for the number {figure}.",
)
ESTIMATED = (
    "A poster in {town} puts the figure of {figure} at roughly {estimate}; {figure} was counted and recorded.",
    "{writing} speaks of some {estimate}, a guess; the figure of {figure} was measured.",
    "Someone has pencilled “roughly {estimate}?” beside the figure, but {figure} comes from a full check.",
    "Before the exact figure of {figure} had been established, {writing} guessed at some {estimate}.",
    "From memory {name} wrote roughly {estimate}; the exact number, checked on paper, is {figure}.",
    "Whereas {crowd} in {town} guess at some {estimate}, the figure of {figure} is a documented count.",
    "“Some {estimate}, I think,” said {name}, who had not counted; those who did count arrived at {figure}.",
    "Roughly {estimate}, thought {name}. The figure of {figure} was then measured to the last digit.",
)
