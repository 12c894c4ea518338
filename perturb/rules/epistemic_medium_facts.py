"""What the MEDIUM rules of P-EpistemicMismatch plant and ask, by the kind of the subject."""

from __future__ import annotations

from perturb.rules.kinds import Pair

PRICES: dict[str, tuple[Pair, ...]] = {
    "music": (
        ("An early copy of {full} was sold for {p} dollars.", "Was the early copy of {full} expensive?"),
        ("The printed score of {full} sells at {p} pounds.", "Is the score of {full} overpriced?"),
        ("A recording of {full} is on sale at {p} dollars.", "How reasonable is the price of the recording of {full}?"),
    ),
    "film": (
        ("A lobby card from {full} changed hands for {p} dollars.", "Was the lobby card from {full} cheap?"),
        ("A disc of {full} is on sale at {p} dollars.", "Is the disc of {full} too expensive?"),
    ),
    "series": (
        ("A box set of {full} is on sale at {p} dollars.", "Is the box set of {full} too expensive?"),
        ("A poster for {full} was sold for {p} pounds.", "Was the poster for {full} a bargain?"),
    ),
    "book": (
        ("The paperback of {full} is listed at {p} dollars.", "Is the paperback of {full} expensive?"),
        ("A clothbound copy of {full} was bought for {p} pounds.",
         "How reasonable was the price of the clothbound copy of {full}?"),
    ),
    "work": (
        ("A poster for {full} brought {p} dollars at a sale.", "Was the poster for {full} too cheap?"),
        ("A book about {full} is offered at {p} euros.", "Is the book about {full} too expensive?"),
    ),
    "place": (
        ("A guided walk at {full} is {p} dollars a head.", "Is the guided walk at {full} overpriced?"),
        ("A large map of {full} sells at {p} pounds.", "Is the large map of {full} too expensive?"),
    ),
    "body": (
        ("A book about {full} is offered at {p} euros.", "Is the book about {full} too expensive?"),
        ("A badge of {full} was sold for {p} pounds.", "Was the badge of {full} a bargain?"),
    ),
    "person": (
        ("An illustrated biography of {full} sells at {p} pounds.",
         "Is the illustrated biography of {full} too expensive?"),
        ("A seat at a lecture on {full} was {p} dollars.", "Was a seat at the lecture on {full} overpriced?"),
        ("Admission to an exhibition on {full} came to {p} dollars.",
         "How reasonable was admission to the exhibition on {full}?"),
    ),
    "any": (
        ("An illustrated book on {full} is on sale at {p} dollars.",
         "Is the illustrated book on {full} expensive?"),
        ("A seat at a lecture on {full} was {p} pounds.", "Was a seat at the lecture on {full} overpriced?"),
        ("Admission to an exhibition on {full} came to {p} dollars.",
         "How reasonable was admission to the exhibition on {full}?"),
        ("An evening course on {full} comes to {p} euros.", "Is the evening course on {full} cheap?"),
    ),
}  # fmt: skip

SALES: dict[str, tuple[Pair, ...]] = {
    "music": (
        ("{full} was streamed {x},000 times in one week and {y},000 times in the week after.",
         "How many times will {full} be streamed in the coming week?"),
        ("One publisher sold {x} scores of {full} in spring and {y} in summer.",
         "How many scores of {full} will be sold in the next quarter?"),
    ),
    "film": (
        ("{full} was rented {x} times in May and {y} times in June from one online service.",
         "How often will {full} be rented next month?"),
    ),
    "series": (
        ("Box sets of {full} sold {x},000 times in one quarter and {y},000 times in the following one.",
         "How many box sets of {full} will be sold in the next quarter?"),
    ),
    "book": (
        ("{full} sold {x},000 copies in one quarter and {y},000 in the quarter before.",
         "How many copies of {full} will be sold next quarter?"),
        ("One library lent out {full} {x} times in spring and {y} times in summer.",
         "How often will the library lend out {full} next season?"),
    ),
    "work": (
        ("An essay on {full} was read online {x} times in May and {y} times in June.",
         "How often will the essay on {full} be read next month?"),
        ("Requests to quote from {full} came to {x} in one quarter and {y} in the following one.",
         "How many requests to quote from {full} will come in during the next quarter?"),
    ),
    "place": (
        ("Guided walks near {full} drew {x} people last season and {y} this season.",
         "How many people will go on guided walks near {full} in the coming season?"),
    ),
    "body": (
        ("Inquiries about {full} came to {x} in one month and {y} in the following one.",
         "What will the number of inquiries about {full} be in the coming month?"),
    ),
    "person": (
        ("A podcast on {full} was heard {x} times in one week and {y} times in the week after.",
         "How many times will the podcast on {full} be heard in the coming week?"),
        ("A biography of {full} sold {x} copies in one quarter and {y} in the following one.",
         "How many copies of the biography of {full} will be sold in the next quarter?"),
        ("An essay on {full} was read online {x} times in May and {y} times in June.",
         "How often will the essay on {full} be read next month?"),
        ("An exhibition on {full} drew {x},000 people in its first month and {y},000 in its second.",
         "How many people will see the exhibition on {full} in the coming month?"),
    ),
    "any": (
        ("One library lent out its books on {full} {x} times in spring and {y} times in summer.",
         "How often will the library lend out its books on {full} next season?"),
        ("A podcast on {full} was heard {x} times in one week and {y} times in the week after.",
         "How many times will the podcast on {full} be heard in the coming week?"),
        ("A book on {full} sold {x} copies in one quarter and {y} in the quarter before.",
         "How many copies of the book on {full} will be sold next quarter?"),
        ("An exhibition on {full} drew {x},000 people in its first month and {y},000 in its second.",
         "How many people will see the exhibition on {full} in the coming month?"),
        ("An essay on {full} was read online {x} times in May and {y} times in June.",
         "How often will the essay on {full} be read next month?"),
        ("An evening course on {full} had {x} students in spring and {y} in summer.",
         "How many students will the evening course on {full} have in the coming season?"),
    ),
}  # fmt: skip

INVESTMENTS: dict[str, tuple[Pair, ...]] = {
    "music": (
        ("Early recordings of {full} fetched {p} per cent more than the year before.",
         "Are early recordings of {full} a good investment?"),
        ("Early copies of {full} rose in value by {p} per cent within a year.",
         "Would it be wise to put money into early copies of {full}?"),
    ),
    "film": (
        ("Early posters for {full} rose in price by {p} per cent last year.",
         "Is an early poster for {full} a good investment?"),
        ("A fund that holds a share in {full} returned {p} per cent.",
         "How good an investment is the fund with the share in {full}?"),
    ),
    "series": (
        ("Early posters for {full} rose in price by {p} per cent last year.",
         "Is an early poster for {full} a good investment?"),
        ("Drawings made for {full} gained {p} per cent in value last year.",
         "Should one put savings into drawings made for {full}?"),
    ),
    "book": (
        ("First editions of {full} fetched {p} per cent more than the year before.",
         "Should savings be put into first editions of {full}?"),
    ),
    "work": (
        ("A firm that licenses {full} paid its owners {p} per cent.",
         "Is it sensible to buy into the firm that licenses {full}?"),
    ),
    "place": (
        ("Land near {full} went up in value by {p} per cent within a year.",
         "Is land near {full} a good investment?"),
        ("Old maps of {full} fetched {p} per cent more than the year before.",
         "Should savings be put into old maps of {full}?"),
    ),
    "person": (
        ("Letters about {full} rose in value by {p} per cent within a year.",
         "Are letters about {full} a good investment?"),
        ("A publisher known for books on {full} paid its owners {p} per cent.",
         "Would it be wise to buy into the publisher of the books on {full}?"),
        ("The first edition of a book on {full} gained {p} per cent in value last year.",
         "How sound an investment is the first edition of the book on {full}?"),
    ),
    "any": (
        ("A fund that backs research on {full} returned {p} per cent last year.",
         "How good an investment is the fund that backs research on {full}?"),
        ("A firm that runs courses on {full} paid its owners {p} per cent last year.",
         "Is it sensible to buy into the firm that runs the courses on {full}?"),
        ("Drawings for a book on {full} rose in price by {p} per cent within a year.",
         "Would it be wise to put money into the drawings for the book on {full}?"),
        ("The first edition of a book on {full} gained {p} per cent in value last year.",
         "How sound an investment is the first edition of the book on {full}?"),
        ("A publisher known for books on {full} paid its owners {p} per cent.",
         "Would it be wise to buy into the publisher of the books on {full}?"),
        ("Letters about {full} fetched {p} per cent more than the year before.",
         "Should savings be put into letters about {full}?"),
    ),
}  # fmt: skip

RANKINGS: tuple[Pair, ...] = (
    ("A survey of the period treats three {noun}s on one page each: {name}, {one} and {two}.",
     "Which of the three {noun}s {name}, {one} and {two} is the best?"),
    ("Three {noun}s were announced on one day, {name}, {one} and {two}.",
     "How do the three {noun}s announced that day, {name} among them, rank in quality?"),
    ("In one catalogue the {noun}s {one}, {name} and {two} stand side by side.",
     "Which of the {noun}s {one}, {name} and {two} is of the highest quality?"),
    ("The {noun}s {name}, {one} and {two} have been used as set works in May, June and July.",
     "Which {noun} among {name}, {one} and {two} is the finest?"),
    ("An anthology holds the {noun}s {one}, {two} and {name}, printed in that order.",
     "In what order of merit do {one}, {two} and {name} stand?"),
    ("A study compares the lengths of {name}, {one} and {two}, three {noun}s of a like age.",
     "Which of the {noun}s {name}, {one} and {two} is superior to the other two?"),
    ("The archive acquired {name} together with two other {noun}s, {one} and {two}.",
     "Of the {noun}s {name}, {one} and {two}, which is the most excellent?"),
)  # fmt: skip

SHOULD = (
    "How much time should schools give to {full}?",
    "How should newspapers deal with {full}?",
    "What should be everyone's attitude towards {full}?",
    "How much attention should people pay to {full}?",
    "How often should teachers bring up {full} in class?",
    "Who ought to have the last word on {full}?",
    "In what spirit should later generations look at {full}?",
    "How seriously should every {person} take {full}?",
    "What ought {people} to think of {full}?",
    "With how much respect should {people} speak of {full}?",
)  # fmt: skip
SHOULD_DO = (
    "How should later generations honour {told}?",
    "How severely ought critics to judge {told}?",
    "How grateful should the public be to {told}?",
    "How should newspapers write about {told}?",
    "How much time should teachers give to {told}?",
    "What honour should a government bestow on {told}?",
    "How should people of today thank {told}?",
    "With how much respect should people speak of {told}?",
)  # fmt: skip

CHANCES = (
    "What is the probability that a {person} who comes across {full} today will think of it again within a "
    "year?",
    "How likely is it that two strangers on a train will talk about {full}?",
    "What are the odds that {full} will be mentioned in a letter written tomorrow?",
    "What is the probability that a child born today will one day {meet} {full}?",
    "How probable is it that a randomly chosen {person} would recommend {full} to a friend?",
    "What is the likelihood that a question about {full} comes up in a quiz tonight?",
    "With what probability will a newspaper print a picture to do with {full} next week?",
    "What are the odds that {full} will be a clue in a crossword printed next week?",
    "How likely is a new book on {full} within the year?",
    "What is the chance that a famous person will speak of {full} in public this month?",
    "With what likelihood do two siblings hold the same opinion on {full}?",
)  # fmt: skip

FORECASTS = (
    "How many people will {meet} {full} in the year {later}?",
    "In which year will the last person ever {meet} {full}?",
    "How many books will have been written about {full} by {later}?",
    "What will people think of {full} in {later}?",
    "How many schools will teach something about {full} in {later}?",
    "By what year will {full} have been forgotten?",
    "Who will be the leading expert on {full} in {later}?",
    "How will {full} be described in an encyclopaedia of {later}?",
    "Which country will print the most articles on {full} in {later}?",
    "In how many languages will there be a history of {full} in {later}?",
)  # fmt: skip

IF_NOT = (
    "Who would have {done} if {name} had fallen ill at the time?",
    "Had {name} been too ill that year, who would have {done} instead?",
    "If {name} had been unable to take part, who would have {done}?",
    "Who would have {done} if an accident had kept {name} from it?",
    "If {name} had given up early on, who would have {done} in the end?",
    "Supposing that {name} had been held up by illness, who would have {done} instead?",
    "Who else would have {done} if {name} had lost interest halfway?",
)  # fmt: skip
WORK_IF: dict[str, tuple[str, ...]] = {
    "works": (
        "How would the first {people} have received {full} if it had come out in {after} instead of {year}?",
        "Had {full} come out in {before} and not in {year}, what would the first reviews of it have said?",
        "If {full} had been held back from {year} to {after}, what would have come out in its place?",
        "How many {people} would {full} have had at first if it had come out in {after} and not in {year}?",
        "Supposing that {full} had come out not in {year} but in {after}, how would it have done in its first week?",
        "How would {full} have been received in its first days if it had come out a year before {year}?",
        "If {full} had not come out in {year} but only in {after}, what would its first {people} have said of it?",
    ),
    "others": (
        "If {full} had begun in {after} instead of {year}, what would have happened next?",
        "How would the first day of {full} have gone if it had come in {before} and not in {year}?",
        "Had {full} been put off from {year} to {after}, what would those concerned have done first?",
        "Supposing that {full} had come not in {year} but in {after}, how would it have ended?",
        "What would the first reports of {full} have said if it had come in {after} instead of {year}?",
        "If {full} had come a year before {year}, who would have taken part in it?",
    ),
}  # fmt: skip
"""Each changes the year in which, by the passage, the work came out or the event took place."""
