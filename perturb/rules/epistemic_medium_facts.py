"""What the MEDIUM rules of P-EpistemicMismatch plant and ask: a bare fact, and a judgement or guess beyond it."""

from __future__ import annotations

from perturb.rules.kinds import Pair

PRICES: tuple[Pair, ...] = (
    ("{a_thing} was sold for {sum}.", "Was {the_thing} expensive?"),
    ("{someone} paid {sum} for {a_thing}.", "Did {someone} pay too much for {the_thing}?"),
    ("{sum} bought {a_thing} in {town}.", "Was {the_thing} cheap?"),
    ("A shop in {town} asks {sum} for {a_thing}.", "Is {the_thing} overpriced?"),
    ("{a_thing} went to {someone} at {sum}.", "Was {the_thing} a bargain?"),
    ("Entry to {a_meeting} came to {sum}.", "How reasonable was entry to {the_meeting}?"),
    ("The owner in {town} lets {a_thing} go for {sum}.", "Is {the_thing} worth that?"),
    ("{sum} got {someone} a seat at {a_meeting}.", "Was it a steep price for {the_meeting}?"),
    ("Each of the {group} gave {sum} towards {a_meeting}.", "Was {the_meeting} a costly one?"),
    ("In {month}, {someone} let {a_thing} go for {sum}.", "Did {someone} ask too little for {the_thing}?"),
    ("{a_thing} cost one buyer {sum}.", "Was {the_thing} dear?"),
    ("{a_meeting} costs {sum} a head.", "Can {the_meeting} be called affordable?"),
    ("It took {sum} to repair {a_thing}.", "Was a lot spent on {the_thing}?"),
    ("{town} rented a hall for {a_meeting} at {sum}.", "Was the hall for {the_meeting} pricey?"),
    ("{someone} keeps {a_thing} bought for {sum}.", "Is {sum} a high price for {a_thing}?"),
)  # fmt: skip

INVESTMENTS: tuple[Pair, ...] = (
    ("{a_thing} gained {p}% in value last year.", "Is {the_thing} a good investment?"),
    ("In {town}, {a_thing} fetched {p}% more than the year before.", "Would it be wise to put money into {the_thing}?"),
    ("{surname} Ltd, which prints {a_thing}, paid its owners {p}%.", "Is {surname} Ltd, printer of {the_thing}, a sound firm to buy into?"),
    ("A bond for {a_meeting} bears {p}% interest.", "How attractive to savers is the bond for {the_meeting}?"),
    ("{a_thing} rose by {p}% in price between {month} and {month}.", "Does {the_thing} suit a person's savings?"),
    ("Shares in {surname}, the house behind {a_thing}, went up {p}% in {month}.", "Are shares in {surname}, the house behind {the_thing}, advisable?"),
    ("Fees from {a_meeting} gave its backers a return of {p}%.", "Is backing {the_meeting} a clever use of savings?"),
    ("{group} who held {a_thing} saw it grow by {p}% in worth.", "Should others invest in {the_thing}?"),
    ("The {surname} fund, which owns {a_thing}, yielded {p}%.", "How good an investment is the fund that owns {the_thing}?"),
    ("A stake in {a_meeting} brought {someone} {p}% profit.", "Is it sensible to take a stake in {the_meeting}?"),
    ("Last {month}, {a_thing} was valued {p}% higher.", "Is now a good moment to buy {the_thing}?"),
    ("{town} lends to the hosts of {a_meeting} at {p}%.", "Is the loan for {the_meeting} a prudent placing of funds?"),
    ("{p}% was the yearly gain on {a_thing}.", "Is money safe and well placed in {the_thing}?"),
    ("Its holder, {someone}, has seen {a_thing} climb {p}% in value.", "Is it wise of {someone} to hold on to {the_thing}?"),
)  # fmt: skip

SALES: tuple[Pair, ...] = (
    ("{town} sold {x} copies of {a_writing} on {full} in {month} and {y} a month later.",
     "How many copies of the {bare_writing} is {town} to sell in the coming month?"),
    ("{a_meeting} drew {x} {group} last season and {y} this season.",
     "What attendance awaits {the_meeting} next season?"),
    ("{x} people asked {someone} for {a_thing} in one week, {y} in the week after.",
     "With how many requests can {someone} reckon in the third week, still to come?"),
    ("In spring {x} {group} signed up for {a_meeting}, in summer {y}.",
     "How many are going to sign up for {the_meeting} the following autumn?"),
    ("A kiosk in {town} had sales of {x} postcards of {full} in {month} and {y} in the month before.",
     "What are the kiosk's sales of postcards of {full} next month?"),
    ("{x} visitors came to {a_meeting} one year, {y} the year after.",
     "How many visitors does the upcoming year bring {the_meeting}?"),
    ("{someone} lent out {a_thing} {x} times in one quarter, {y} times in another.",
     "How often does {someone} lend out {the_thing} in the coming quarter?"),
    ("Orders for {a_writing} on {full} came to {x} in the first quarter and {y} in the second.",
     "How many orders for the {bare_writing} on {full} come in during the next quarter?"),
    ("{town} counted {x} visitors at {a_meeting} on Monday and {y} on Tuesday.",
     "How many visitors does the next day of {the_meeting} bring?"),
    ("{group} took out {x} and then {y} leaflets on {full} in two successive months.",
     "For how many leaflets on {full} is there demand in the forthcoming month?"),
    ("{a_writing} on {full} had {x} buyers in {month} and {y} the month after.",
     "How many buyers can the {bare_writing} on {full} expect in the third month, the next to come?"),
    ("Tickets to {a_meeting} went to {x} {group} at first, and then to {y}.",
     "How many tickets to {the_meeting} are {group} going to buy next?"),
)  # fmt: skip

RANKINGS: tuple[Pair, ...] = (
    ("{writing} names three {noun}s on one page: {name}, {one} and {two}.",
     "Which of the three {noun}s {name}, {one} and {two} is the best?"),
    ("{someone} owns three {noun}s, {name}, {one} and {two}.",
     "How do {someone}'s {noun}s {name}, {one} and {two} rank in quality?"),
    ("On a shelf in {town} the {noun}s {one}, {name} and {two} stand side by side.",
     "Is {name}, {one} or {two} of the highest quality?"),
    ("The {noun}s {name}, {one} and {two} were set for {group} in May, June and July.",
     "Which {noun} among {name}, {one} and {two} is the finest?"),
    ("{a_meeting} also took in the {noun}s {one} and {two}.",
     "In what order of merit do {one}, {two} and {name} come?"),
    ("{a_thing} also mentions {one} and {two}, each a {noun} as well.",
     "Which is superior to the rest: {name}, {one} or {two}?"),
    ("{group} in {town} were given {name} and two other {noun}s, {one} and {two}.",
     "Of {name}, {one} and {two}, which is the most excellent {noun}?"),
    ("{town} bought {name}, {one} and {two}, {noun}s all three.",
     "Does {name} surpass {one} and {two} as a {noun}?"),
    ("{someone} spoke of the {noun}s {two}, {one} and {name} in {month}.",
     "Whose makers did better work: those of {name}, {one} or {two}?"),
    ("Besides {full}, {someone} keeps {one} and {two}, two further {noun}s.",
     "Which {noun} deserves the top mark, {name}, {one} or {two}?"),
)  # fmt: skip

ETHICS: tuple[Pair, ...] = (
    ("{someone} copies out {a_thing} for {group} and is paid {sum} a copy.",
     "Is it ethical of {someone} to take money for {the_thing}?"),
    ("The hosts of {a_meeting} let in {group} but no {other_group}.",
     "Is it fair to keep {other_group} out of {the_meeting}?"),
    ("{town} locks {a_thing} away and shows it on one day of {month}.", "Is it just to lock {the_thing} away?"),
    ("Pupils of nine help for two hours to set up {a_meeting}.",
     "Is it morally acceptable to let pupils set up {the_meeting}?"),
    ("{someone} bought {a_thing} for {sum} and burned it at home.", "Was it wrong to burn {the_thing}?"),
    ("At {a_meeting} {someone} reads from private letters.", "Is it decent to read private letters at {the_meeting}?"),
    ("{a_thing} is lent to {group} free and to {other_group} for {sum}.",
     "Is it right that {other_group} pay for {the_thing}?"),
    ("Talks in {town} on {full} are recorded and sold to {group}.", "Is selling the talks on {full} honourable?"),
    ("{someone} cut {a_thing} in two and sold each half to {group}.",
     "Is cutting up {the_thing} morally permissible?"),
    ("{group} take down the names of all who come to {a_meeting}.",
     "Is noting the names at {the_meeting} a moral wrong?"),
    ("Once a year {town} draws lots for {a_thing} among its {group}.", "Is drawing lots for {the_thing} unjust?"),
    ("{a_meeting} in {town} is held behind closed doors.", "Does holding {the_meeting} in private offend morality?"),
)  # fmt: skip
"""Each reports a practice without a word on whether it is right."""

TASTES: tuple[Pair, ...] = (
    ("After {a_meeting} in {town}, a soup of {dish} was served.", "Did the soup after {the_meeting} taste good?"),
    ("{group} at {a_meeting} were given a pie of {dish}.", "Was the pie at {the_meeting} delicious?"),
    ("{town} has a cake named after {full}, made with {dish}.", "Does the cake named after {full} taste nice?"),
    ("A tea of {scent} was poured at {a_meeting}.", "Was the tea at {the_meeting} tasty?"),
    ("The room for {a_meeting} smelled of {scent}.", "Was the smell at {the_meeting} a pleasant one?"),
    ("{someone} opened {a_meeting} with a tune for {band}.", "Did the tune at {the_meeting} sound good?"),
    ("{a_meeting} closed with a march for {band}.", "How fine was the sound of the march at {the_meeting}?"),
    ("A jam of {dish} was on sale beside {a_thing}.", "Has the jam beside {the_thing} a good flavour?"),
    ("Paper with a scent of {scent} was used for {a_thing}.", "Is the scent of {the_thing} agreeable?"),
    ("In {town}, {band} were heard before {a_meeting}.", "Did {band} sound fine before {the_meeting}?"),
    ("{group} cooked {dish} with salt for the guests of {a_meeting}.",
     "Did the dish for the guests of {the_meeting} taste right?"),
    ("{someone} brought bread with {dish} to {a_meeting}.", "Did {someone}'s bread taste savoury enough?"),
)  # fmt: skip
"""Each says what something is made of, and asks a verdict of the tongue, the nose or the ear."""

DISHES = (
    "leeks and barley",
    "apples and pepper",
    "plums and rye",
    "carrots and honey",
    "peas and mint",
    "pears and walnuts",
    "lentils and garlic",
    "beans and sage",
    "pumpkin and ginger",
    "beetroot and dill",
)
SCENTS = (
    "lavender",
    "cloves",
    "pine",
    "camomile",
    "cinnamon",
    "juniper",
    "rosemary",
    "sage",
    "fennel",
    "lemon balm",
)
BANDS = ("two flutes", "three horns", "a harp and a drum", "four cellos", "an oboe and a bell", "two trombones",
         "a lute and a fiddle", "five clarinets", "three violas", "a tuba and a flute")  # fmt: skip
