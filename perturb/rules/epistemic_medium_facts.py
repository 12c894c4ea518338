"""What the MEDIUM rules of P-EpistemicMismatch plant and ask, by the kind of the subject."""

from __future__ import annotations

from perturb.rules.kinds import Pair

PRICES: dict[str, tuple[Pair, ...]] = {
    "music": (
        ("A first pressing of {full} was sold for {p} dollars.", "Was the first pressing of {full} expensive?"),
        ("The printed score of {full} sells at {p} pounds.", "Is the score of {full} overpriced?"),
        ("A licence to play {full} at an event is {p} dollars.", "How reasonable is the licence fee for {full}?"),
    ),
    "screen": (
        ("A lobby card from {full} changed hands for {p} dollars.", "Was the lobby card from {full} cheap?"),
        ("The boxed disc of {full} is on sale at {p} dollars.", "Is the boxed disc of {full} too expensive?"),
        ("A prop from {full} went to a collector for {p} pounds.",
         "Did the collector get the prop from {full} at a bargain?"),
    ),
    "book": (
        ("The paperback of {full} is listed at {p} dollars.", "Is the paperback of {full} expensive?"),
        ("A clothbound copy of {full} was bought for {p} pounds.",
         "How reasonable was what the buyer gave for the clothbound copy of {full}?"),
    ),
    "work": (
        ("A poster for {full} brought {p} dollars at a sale.", "Did the poster for {full} go too cheap?"),
        ("One study of {full} is offered at {p} euros.", "Is the study of {full} worth that much?"),
    ),
    "place": (
        ("A guided walk at {full} is {p} dollars a head.", "Is the guided walk at {full} overpriced?"),
        ("The large map of {full} sells at {p} pounds.", "Is the large map of {full} too expensive?"),
        ("Parking for the day at {full} comes to {p} dollars.", "How affordable is a day's parking at {full}?"),
    ),
    "body": (
        ("A yearly subscription to the newsletter of {full} is {p} dollars.",
         "Is the newsletter of {full} expensive?"),
        ("A badge of {full} was sold for {p} pounds.", "Was the badge of {full} a bargain?"),
    ),
    "person": (
        ("A signed photograph of {full} was sold for {p} dollars.",
         "Was the signed photograph of {full} expensive?"),
        ("The illustrated biography of {full} sells at {p} pounds.", "Is the biography of {full} too expensive?"),
        ("A seat at an evening with {full} was {p} dollars.",
         "Was a seat at the evening with {full} overpriced?"),
        ("A handwritten note by {full} went for {p} euros.", "Did the note by {full} go too cheap?"),
    ),
    "any": (
        ("An illustrated book on {full} is on sale at {p} dollars.",
         "Is the illustrated book on {full} expensive?"),
        ("An early postcard of {full} was bought for {p} pounds.", "Was the early postcard of {full} a bargain?"),
        ("Admission to an exhibition on {full} came to {p} dollars.",
         "How reasonable was admission to the exhibition on {full}?"),
    ),
}  # fmt: skip

SALES: dict[str, tuple[Pair, ...]] = {
    "music": (
        ("{full} was streamed {x},000 times in one week and {y},000 times in the week after.",
         "How many times will {full} be streamed in the coming week?"),
        ("The publisher sold {x} scores of {full} in spring and {y} in summer.",
         "How many scores of {full} will be sold in the next quarter?"),
    ),
    "screen": (
        ("Discs of {full} sold {x},000 times in one quarter and {y},000 times in the following one.",
         "How many discs of {full} will be sold in the next quarter?"),
        ("{full} was rented {x} times in May and {y} times in June from one online service.",
         "How often will {full} be rented next month?"),
    ),
    "book": (
        ("{full} sold {x},000 copies in one quarter and {y},000 in the quarter before.",
         "How many copies of {full} will be sold next quarter?"),
        ("A library lent out {full} {x} times in spring and {y} times in summer.",
         "How often will the library lend out {full} next season?"),
    ),
    "work": (
        ("Licences for school use of {full} numbered {x} last term and {y} this term.",
         "How many schools will take a licence for {full} next term?"),
        ("Requests to quote from {full} came to {x} in one quarter and {y} in the following one.",
         "How many requests to quote from {full} will come in during the next quarter?"),
        ("An essay on {full} was read online {x} times in May and {y} times in June.",
         "How often will the essay on {full} be read next month?"),
        ("Clubs ordered {x} study guides to {full} last year and {y} this year.",
         "What will orders for the study guide to {full} come to in the coming year?"),
    ),
    "place": (
        ("Tours of {full} drew {x},000 people last season and {y},000 this season.",
         "How many people will go on tours of {full} in the coming season?"),
        ("The kiosk at {full} sold {x} maps in May and {y} in June.",
         "How many maps will the kiosk at {full} sell next month?"),
    ),
    "body": (
        ("{full} took in {x} new people last quarter and {y} this quarter.",
         "How many people will {full} take in during the next quarter?"),
        ("Inquiries to {full} came to {x} in one month and {y} in the following one.",
         "What will the number of inquiries to {full} be in the coming month?"),
    ),
    "person": (
        ("A biography of {full} sold {x} copies in one quarter and {y} in the following one.",
         "How many copies of the biography of {full} will be sold in the next quarter?"),
        ("Letters to {full} numbered {x} in May and {y} in June.",
         "How many letters to {full} will arrive in the coming month?"),
        ("Talks by {full} drew {x} people one year and {y} in another.",
         "How many people will the next talk by {full} draw?"),
    ),
    "any": (
        ("A book on {full} sold {x} copies in one quarter and {y} in the quarter before.",
         "How many copies of the book on {full} will be sold next quarter?"),
        ("An exhibition on {full} drew {x},000 people in its first month and {y},000 in its second.",
         "How many people will see the exhibition on {full} in the coming month?"),
        ("Orders for postcards of {full} came to {x} in May and {y} in June.",
         "What will orders for postcards of {full} come to next month?"),
    ),
}  # fmt: skip

INVESTMENTS: dict[str, tuple[Pair, ...]] = {
    "music": (
        ("The rights to {full} brought their owners {p} per cent last year.",
         "Are the rights to {full} a good investment?"),
        ("First pressings of {full} rose in value by {p} per cent within a year.",
         "Would it be wise to put money into first pressings of {full}?"),
    ),
    "screen": (
        ("Props from {full} gained {p} per cent in value last year.",
         "Are props from {full} worth investing in?"),
        ("A fund that holds a share in {full} returned {p} per cent.",
         "How good an investment is the fund with the share in {full}?"),
    ),
    "book": (
        ("First editions of {full} fetched {p} per cent more than the year before.",
         "Should savings be put into first editions of {full}?"),
    ),
    "work": (
        ("Early posters for {full} rose in price by {p} per cent last year.",
         "Is an early poster for {full} a good investment?"),
        ("Signed contracts for {full} fetched {p} per cent more than the year before.",
         "How sound an investment is a signed contract for {full}?"),
        ("Drafts made for {full} gained {p} per cent in value last year.",
         "Should one put savings into drafts made for {full}?"),
        ("The firm that licenses {full} paid its owners {p} per cent.",
         "Is it sensible to buy into the firm that licenses {full}?"),
    ),
    "place": (
        ("Land near {full} went up in value by {p} per cent within a year.",
         "Is land near {full} a good investment?"),
        ("A hotel firm at {full} paid its owners {p} per cent last year.",
         "Should one buy into the hotel firm at {full}?"),
    ),
    "body": (
        ("A bond linked to {full} yielded {p} per cent last year.", "Is the bond linked to {full} worth buying?"),
        ("Early badges of {full} rose in price by {p} per cent.",
         "How good an investment are early badges of {full}?"),
    ),
    "person": (
        ("Letters by {full} rose in value by {p} per cent within a year.",
         "Are letters by {full} a good investment?"),
        ("A firm that manages the image rights of {full} paid its owners {p} per cent.",
         "Would it be wise to buy into the firm with the image rights of {full}?"),
        ("Signed photographs of {full} fetched {p} per cent more than the year before.",
         "Should savings be put into signed photographs of {full}?"),
    ),
    "any": (
        ("Early prints of {full} rose in value by {p} per cent last year.",
         "Is an early print of {full} a good investment?"),
        ("A publisher known for books on {full} paid its owners {p} per cent.",
         "Would it be wise to buy into the publisher of the books on {full}?"),
        ("Medals struck for {full} fetched {p} per cent more than the year before.",
         "How sound an investment is a medal struck for {full}?"),
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
    "What should schools do about {full}?",
    "How should people today treat the memory of {full}?",
    "What ought to be done with {full} in the coming years?",
    "How should newspapers deal with {full}?",
    "What should be everyone's attitude towards {full}?",
    "How much attention should people pay to {full}?",
    "What should a good teacher tell pupils about {full}?",
    "Who ought to have the last word on {full}?",
    "In what spirit should later generations look at {full}?",
    "To whom should {full} belong?",
    "Which place should {full} be given in public life?",
    "What does {full} deserve that it has not been given?",
    "By whom should {full} be protected, and from what?",
    "What ought every {person} to do about {full}?",
)  # fmt: skip
SHOULD_DO = (
    "What should {told} do next?",
    "How should {told} have spent the years that followed?",
    "What advice should {told} give to young people?",
    "How should {told} be thanked?",
    "To what should {told} devote the most time?",
    "How should {told} be treated by the press?",
    "Which cause ought {told} to support?",
    "With whom should {told} have worked instead?",
    "What ought to be named after {told}?",
    "What does {told} deserve in return?",
    "Of what should {told} be most careful?",
    "Which work ought {told} to have put first?",
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
    "How great are the chances that an unknown record of {full} comes to light?",
    "What odds are there that somebody in the next room knows of {full}?",
    "How likely is a new book on {full} within the year?",
    "What is the chance that a famous person will speak of {full} in public this month?",
    "With what likelihood do two siblings hold the same opinion on {full}?",
)  # fmt: skip

FORECASTS = (
    "How many people will {meet} {full} in the year {later}?",
    "In which year will the last person ever {meet} {full}?",
    "How many books will have been written about {full} by {later}?",
    "What will people think of {full} in {later}?",
    "When will public interest in {full} reach its peak?",
    "How many schools will teach something about {full} in {later}?",
    "By what year will {full} have been forgotten?",
    "Who will be the leading expert on {full} in {later}?",
    "How will {full} be described in an encyclopaedia of {later}?",
    "When will the next important discovery about {full} be made?",
    "What will have become of {full} by {later}?",
    "In how many languages will there be a history of {full} in {later}?",
)  # fmt: skip

IF_NOT = (
    "Who would have {done} if {name} had fallen ill at the time?",
    "Who would have {done} if {name} had turned the chance down?",
    "What would {name} have done instead that year if somebody else had {done}?",
    "If {name} had changed careers a year earlier, who would have {done}?",
    "Who would have {done} had {name} moved abroad shortly before?",
    "If {name} had missed the first meeting about it, who would then have {done}?",
    "Had {name} been delayed by a month, who would have {done} instead?",
    "Who else would have {done} if {name} had asked for more money?",
    "Supposing that {name} had not been free, who would have {done}?",
    "What would have been the first news if somebody other than {name} had {done}?",
    "If {name} had lost interest halfway, who would have {done} in the end?",
    "Whom would people have asked next if {name} had declined to have {done}?",
)  # fmt: skip
WORK_IF: dict[str, tuple[str, ...]] = {
    "works": (
        "How would the first {people} have reacted if {full} had come out a year later?",
        "What would have happened to {full} if its title had been changed at the last minute?",
        "How would the first week of {full} have gone if it had come out in winter instead of summer?",
        "What would its makers have done next if {full} had been a failure at the start?",
        "How would the first {people} have liked {full} if it had been half as long?",
        "If somebody had lost the only draft of {full}, what would its makers have done the next day?",
        "Had {full} been made with half the money, what would have been left out of it?",
        "If a rival {noun} had come out on the same day, how many {people} would {full} have had?",
        "What would the first reviews have said if {full} had ended in another way?",
        "Which title would {full} have been given if its own had been taken?",
        "How would {full} have turned out if its makers had been given one more month?",
        "Had the first {people} disliked {full}, what would its makers have changed?",
    ),
    "others": (
        "What would have happened next if {full} had come about a year later?",
        "How would people at the time have reacted if nobody had told them of {full}?",
        "What would the first news reports have said if {full} had turned out quite differently?",
        "Who would have been the first to complain if {full} had been put off by a year?",
        "If a storm had struck at the very beginning of {full}, what would have happened the next day?",
        "What would have changed within a week if {full} had ended a month earlier?",
        "Had {full} been called off, what would those concerned have done that week?",
        "If twice as many people had taken part in {full}, how would it have ended?",
        "How would {full} have gone if it had been held somewhere else?",
        "Supposing that {full} had failed at the start, who would have stepped in?",
    ),
}  # fmt: skip
