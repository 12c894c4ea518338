"""What the MEDIUM rules of P-EpistemicMismatch plant and ask: a bare fact, and a judgement or guess beyond it."""

from __future__ import annotations

from perturb.rules.fact_kinds import Pair

PRICES: tuple[Pair, ...] = (
    ("{a_thing} was sold for {sum}.", "Was {the_thing} expensive?"),
    ("{someone} paid {sum} for {a_thing}.", "Did {someone} pay too much for {the_thing}?"),
    ("In {town}, {a_thing} was bought for {sum}.", "Was {the_thing} cheap?"),
    ("A shop in {town} is asking {sum} for {a_thing}.", "Is {the_thing} overpriced?"),
    ("{someone} bought {a_thing} for {sum}.", "Was {the_thing} a bargain?"),
    ("A ticket for {a_meeting} cost {sum}.", "Was a ticket for {the_meeting} reasonably priced?"),
    ("{someone} sold {a_thing} for {sum}.", "Did {someone} ask too little for {the_thing}?"),
    ("{a_meeting} costs {sum} per person.", "Is {the_meeting} affordable?"),
    ("{group} in {town} spent {large_sum} on {a_meeting}.", "Was {the_meeting} too costly?"),
    ("It cost {large_sum} to restore {a_thing}.", "Was it expensive to restore {the_thing}?"),
    ("{someone} has offered {sum} for {a_thing}.", "Is {sum} a high price for {the_thing}?"),
)  # fmt: skip

INVESTMENTS: tuple[Pair, ...] = (
    ("{a_held} gained {p}% in value last year.", "Is {the_held} a good investment?"),
    ("Last year, the value of {a_held} rose by {p}%.", "Would it be wise to invest in {the_held}?"),
    ("Shares in {surname} Ltd, which publishes {a_writing} about {full}, rose by {p}% last year.",
     "Are shares in {surname} Ltd, the publisher of the {bare_writing} about {full}, a good investment?"),
    ("The {surname} Fund, which owns {a_held}, yielded {p}% last year.",
     "How good an investment is the {surname} Fund, which owns {the_held}?"),
    ("{someone} bought {a_held} and resold it at a profit of {p}%.", "Is {the_held} worth investing in?"),
    ("{surname} Ltd, which organises {a_meeting} every year, paid a dividend of {p}%.",
     "Is {surname} Ltd, the organiser of {the_meeting}, a sound investment?"),
    ("This year, {a_held} was valued {p}% higher than last year.", "Is now a good time to invest in {the_held}?"),
    ("{someone} owns {a_held}, the value of which has risen by {p}%.",
     "Should {someone} keep {the_held} as an investment?"),
    ("At an auction in {town}, {a_held} fetched {p}% more than a year earlier.",
     "Would {the_held} be a sensible investment?"),
)  # fmt: skip

SALES: tuple[Pair, ...] = (
    ("A bookshop in {town} sold {x} copies of {a_writing} about {full} last month and {y} this month.",
     "How many copies of the {bare_writing} about {full} will the bookshop sell next month?"),
    ("{a_meeting} is held every year; it drew {x} people last year and {y} this year.",
     "How many people will {the_meeting} draw next year?"),
    ("A library in {town} lent out {a_writing} about {full} {x} times last quarter and {y} times this quarter.",
     "How often will the library lend out the {bare_writing} about {full} next quarter?"),
    ("Orders for {a_writing} about {full} came to {x} last quarter and {y} this quarter.",
     "How many orders for the {bare_writing} about {full} will come in next quarter?"),
    ("Last week {x} {group} signed up for {a_meeting}, and this week {y} did.",
     "How many {group} will sign up for {the_meeting} next week?"),
    ("Tickets sold for {a_meeting} came to {x} last week and {y} this week.",
     "How many tickets for {the_meeting} will be sold next week?"),
    ("A website about {full} had {x} visitors last week and {y} this week.",
     "How many visitors will the website about {full} have next week?"),
    ("{someone} sold {x} copies of {a_writing} about {full} last quarter and {y} this quarter.",
     "How many copies of the {bare_writing} about {full} will {someone} sell next quarter?"),
    ("An exhibition on {full} had {x} visitors last month and {y} this month.",
     "How many visitors will the exhibition on {full} have next month?"),
)  # fmt: skip

RANKINGS: tuple[Pair, ...] = (
    ("{someone} owns three {nouns}: {name} in a blue {wrap}, {one} in a red {wrap} and {two} in a green {wrap}.",
     "Which of the three {nouns} {name}, {one} and {two} is the best?"),
    ("A library in {town} lends out three {nouns}: {name} for one week, {one} for two weeks and {two} for three weeks.",
     "How do the three {nouns} {name}, {one} and {two} rank in quality?"),
    ("A shop in {town} sells three {nouns}: {one} in a black {wrap}, {two} in a white {wrap} and {name} in a grey "
     "{wrap}.", "Which {noun} is of the highest quality: {name}, {one} or {two}?"),
    ("{group} in {town} discussed three {nouns}: {name} on Monday, {one} on Tuesday and {two} on Wednesday.",
     "Which is the finest {noun}: {name}, {one} or {two}?"),
    ("{book} lists three {nouns}: {name} on page 4, {one} on page 9 and {two} on page 15.",
     "Which of the {nouns} {name}, {one} and {two} is superior to the other two?"),
    ("A course in {town} covers three {nouns}: {one} in May, {two} in June and {name} in July.",
     "Which of the {nouns} {one}, {two} and {name} has the highest quality?"),
)  # fmt: skip
"""Each gives the three something neutral of their own."""

WRAPS = {
    "music": "sleeve",
    "film": "case",
    "series": "case",
    "book": "cover",
    "stage": "folder",
    "game": "box",
}
"""Sort of a work -> what a copy of it comes in."""

ETHICS: tuple[Pair, ...] = (
    ("{someone} gives talks about {full} and charges pupils {sum} each.",
     "Is it ethical of {someone} to charge pupils for talks about {full}?"),
    ("The organisers of {a_meeting} admit {group} but not {other_group}.",
     "Is it fair to exclude {other_group} from {the_meeting}?"),
    ("A museum in {town} keeps {a_thing} locked away and shows it once a year.",
     "Is it right to keep {the_thing} locked away?"),
    ("Children of nine help for two hours to set up {a_meeting}.",
     "Is it ethical to let children set up {the_meeting}?"),
    ("{someone} bought {a_thing} for {sum} and burned it.", "Was it wrong of {someone} to burn {the_thing}?"),
    ("At {a_meeting}, {someone} read aloud from the letters of a dead friend.",
     "Was it ethical to read a dead friend's letters aloud at {the_meeting}?"),
    ("A library in {town} lends {a_thing} to {group} free of charge and to {other_group} for {sum}.",
     "Is it fair to make {other_group} pay for {the_thing}?"),
    ("{someone} records talks about {full} and sells the recordings for {sum} each.",
     "Is it morally acceptable to sell recordings of talks about {full}?"),
    ("{someone} cut up {a_held} and sold the pieces for {sum}.", "Was it morally wrong to cut up {the_held}?"),
    ("{group} in {town} write down the names of all who attend {a_meeting}.",
     "Is it ethical to write down the names of those who attend {the_meeting}?"),
    ("{a_meeting} is held behind closed doors.", "Is it right to hold {the_meeting} behind closed doors?"),
)  # fmt: skip
"""Each reports a practice without a word on whether it is right."""

TASTES: tuple[Pair, ...] = (
    ("A soup of {dish} was served after {a_meeting}.", "Did the soup served after {the_meeting} taste good?"),
    ("Visitors to {a_meeting} were given a stew of {dish}.", "Was the stew served at {the_meeting} delicious?"),
    ("A bakery in {town} sells a cake named after {full}, made with {fruit}.",
     "Does the cake named after {full} taste good?"),
    ("A tea made from {herb} was served at {a_meeting}.", "Did the tea served at {the_meeting} taste good?"),
    ("The room used for {a_meeting} smelled of {herb}.", "Did the room used for {the_meeting} smell pleasant?"),
    ("{a_meeting} opened with a piece of music for {band}.",
     "Did the piece of music that opened {the_meeting} sound good?"),
    ("{a_meeting} closed with a march for {band}.", "Did the closing march at {the_meeting} sound good?"),
    ("A shop in {town} sells a candle named after {full}, scented with {herb}.",
     "Does the candle named after {full} smell nice?"),
    ("A café in {town} serves a soup named after {full}, made of {dish}.", "Is the soup named after {full} tasty?"),
    ("A tart made with {fruit} was served at {a_meeting}.", "Was the tart served at {the_meeting} tasty?"),
    ("{someone} wrote a tune about {full} for {band}.", "Does {someone}'s tune about {full} sound good?"),
)  # fmt: skip
"""Each says what something is made of, and asks a verdict of the tongue, the nose or the ear."""

DISHES = ("leeks and barley", "carrots and ginger", "chickpeas and garlic", "lentils and garlic", "beans and sage",
          "pumpkin and ginger", "beetroot and dill", "parsnips and thyme")  # fmt: skip
FRUITS = ("apples and cinnamon", "plums and almonds", "pears and walnuts", "cherries and honey",
          "lemons and poppy seeds", "figs and honey", "apricots and almonds")  # fmt: skip
HERBS = ("lavender", "camomile", "rosemary", "sage", "fennel", "lemon balm", "mint", "thyme")
BANDS = ("two flutes", "three horns", "a harp and a drum", "four cellos", "two trombones", "a lute and a fiddle",
         "five clarinets", "three violas", "a tuba and a flute")  # fmt: skip
