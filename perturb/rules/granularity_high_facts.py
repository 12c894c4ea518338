"""What the HIGH rules of P-GranularityMismatch plant, by the kind of the subject.

Each entry is a sentence such as a paragraph about a subject of its kind might hold, and the question beyond it.
"""

from __future__ import annotations

from perturb.rules.kinds import Pair

GLOBAL: dict[str, tuple[Pair, ...]] = {
    "music": (
        ("A record shop on Canal Street sold {k} copies of {full} on one Saturday.",
         "How many copies of a record does a shop anywhere in the world sell on an average Saturday?"),
        ("At a street concert on Mill Lane a meter read {d} decibels while {full} was played.",
         "How loud, in decibels, are street concerts on average around the world?"),
        ("A busker on Station Road earned {k} dollars in an hour by playing {full}.",
         "What do buskers earn an hour on average across the world?"),
    ),
    "screen": (
        ("A cinema on Canal Street counted {k} people at its first showing of {full}.",
         "What is the average attendance of cinema showings around the world?"),
        ("While {full} was being shot, a meter on Mill Lane read {d} decibels.",
         "How loud is a film set on average worldwide?"),
        ("A video shop on Station Road lent out {full} {k} times in its first week.",
         "How often a week is a video lent out on average by shops worldwide?"),
    ),
    "book": (
        ("A bookshop on Mill Lane sold {k} copies of {full} in one week.",
         "How many copies of a book does a bookshop sell in a week on a worldwide average?"),
        ("The branch library on Elm Row lent {full} {k} times in one year.",
         "How many times a year is a library book lent out on average across the world?"),
    ),
    "work": (
        ("A poster for {full} on Harbour Lane was passed by {k} people in a quarter of an hour.",
         "How many people pass a poster in a quarter of an hour on average worldwide?"),
        ("A stall on Cross Street asked {k} dollars for a signed copy of {full}.",
         "What does a signed copy of a work cost on average around the globe?"),
    ),
    "place": (
        ("A counter on the road beside {full} logged {k} cars in one hour.",
         "How many cars an hour pass along the world's roads on average?"),
        ("One evening a meter on the lane that leads to {full} read {d} decibels.",
         "What is the average noise level of lanes and streets around the world?"),
        ("A kiosk on the street nearest to {full} sold {k} ices one afternoon.",
         "How many ices does a kiosk sell in an afternoon on a worldwide average?"),
    ),
    "body": (
        ("An office that {full} had on Canal Street received {k} visitors on one day.",
         "How many visitors a day does an office receive on average worldwide?"),
        ("A stand of {full} on Mill Lane handed out {k} leaflets in an hour.",
         "How many leaflets an hour does a stand hand out on average across the world?"),
    ),
    "person": (
        ("A bookshop on Mill Lane sold {k} copies of a biography of {full} in one week.",
         "How many copies of biographies do the world's bookshops sell a week on average?"),
        ("When {full} appeared on Canal Street, a meter read {d} decibels.",
         "How loud are crowds in the streets on average around the world?"),
        ("A talk with {full} on Station Road lasted {k} minutes.",
         "What is the worldwide average length of talks with people in public life?"),
        ("A café on Elm Row charged {k} dollars for a table on the day that {full} came in.",
         "What does a table in a café cost on average around the world?"),
    ),
    "any": (
        ("A school on Station Road gave {k} minutes of one lesson to {full}.",
         "How many minutes on average do the world's schools give to {full}?"),
        ("A bookshop on Mill Lane sold {k} books about {full} in one month.",
         "How many books about {full} does a bookshop sell a month on average worldwide?"),
        ("At a debate on {full} in a hall on Canal Street a meter read {d} decibels.",
         "How loud are public debates on average across the world?"),
    ),
}  # fmt: skip

CENTURY: dict[str, tuple[Pair, ...]] = {
    "music": (
        ("The first drum stroke of {full} dies away within {ms} milliseconds.",
         "How does the popularity of {full} change over the course of a century?"),
        ("On the master tape of {full} there is a drop-out of {ms} milliseconds.",
         "How much does the master tape of {full} wear out over a century?"),
        ("The echo set for the voice on {full} is delayed by {ms} milliseconds.",
         "In what way does the singing of {full} change over an entire century?"),
    ),
    "screen": (
        ("The sound of {full} runs {ms} milliseconds ahead of the picture in one shot.",
         "How does the standing of {full} with audiences change over a century?"),
        ("A flash in one scene of {full} was lit for {ms} milliseconds.",
         "By how much do the colours of {full} fade over a hundred years?"),
        ("The shutter that was used to shoot {full} stays open for {ms} milliseconds.",
         "How does the number of people who watch {full} develop over a whole century?"),
    ),
    "book": (
        ("A scanner took one page of the manuscript of {full} in {ms} milliseconds.",
         "How does the paper of the manuscript of {full} age over a century?"),
        ("The press that printed {full} struck each sheet for {ms} milliseconds.",
         "How did the reading of {full} develop over the course of a century?"),
    ),
    "work": (
        ("A search for {full} in the catalogue was answered in {ms} milliseconds.",
         "How does the number of entries on {full} in catalogues change over a century?"),
        ("A press photograph at the launch of {full} was exposed for {ms} milliseconds.",
         "How did public interest in {full} develop over a hundred years?"),
    ),
    "place": (
        ("A sensor at {full} once recorded a tremor of {ms} milliseconds.",
         "By how much did the ground at {full} sink over the past century?"),
        ("A lightning strike near {full} was timed at {ms} milliseconds.",
         "How did the landscape around {full} change over a century?"),
        ("A pulse sent across {full} to measure it came back after {ms} milliseconds.",
         "How has {full} altered over a hundred years?"),
    ),
    "body": (
        ("A server of {full} answers a request within {ms} milliseconds.",
         "How did the number of people who follow {full} develop over a century?"),
        ("A press photograph of {full} was exposed for {ms} milliseconds.",
         "What becomes of {full} over the course of a century?"),
    ),
    "person": (
        ("A press photograph of {full} was exposed for {ms} milliseconds.",
         "How does the fame of {full} change over the course of a century?"),
        ("In a filmed interview {full} can be seen to blink within {ms} milliseconds.",
         "How is {full} judged over an entire century?"),
        ("A recording of {full} has a click of {ms} milliseconds in it.",
         "By how much does the number of people who know of {full} fall over a hundred years?"),
        ("A flash that startled {full} at a reception lasted {ms} milliseconds.",
         "How does what is written on {full} develop over a century?"),
    ),
    "event": (
        ("One flash photograph connected with {full} was lit for {ms} milliseconds.",
         "How did the meaning of {full} change over the course of a century?"),
    ),
    "any": (
        ("A search for {full} in a digital encyclopaedia takes {ms} milliseconds.",
         "How does the number of writings on {full} develop over a century?"),
        ("A scanner copied the first map of {full} in {ms} milliseconds.",
         "How did the public view of {full} change over a hundred years?"),
        ("In a broadcast on {full} the sound dropped out for {ms} milliseconds.",
         "How does public knowledge of {full} change over the course of a century?"),
    ),
}  # fmt: skip

ECONOMY: dict[str, tuple[Pair, ...]] = {
    "music": (
        ("{full} earned its publisher {sum} dollars in the first year.",
         "What did the whole world economy produce in the year in which {full} first earned money for its "
         "publisher?"),
        ("A studio charged {sum} dollars for the work on {full}.",
         "How large was world economic output in the year in which the studio billed the work on {full}?"),
    ),
    "screen": (
        ("A single cinema took {sum} dollars with {full} in its best year.",
         "How much did the entire world economy produce in that cinema's best year with {full}?"),
        ("The firm that made the costumes for {full} was paid {sum} dollars.",
         "What was the output of the world economy in the year in which the costume firm worked on {full}?"),
        ("A caterer billed {sum} dollars for meals on the set of {full}.",
         "How great was the gross product of the world in the year in which the caterer worked on the set of "
         "{full}?"),
    ),
    "book": (
        ("The printer of {full} was paid {sum} dollars for the first run.",
         "What was the gross product of the whole world in the year of the first run of {full}?"),
        ("One bookseller took {sum} dollars with {full} in a single year.",
         "How much did the world economy produce in that bookseller's year with {full}?"),
    ),
    "work": (
        ("An agency received {sum} dollars for the advertisements for {full}.",
         "What did the economy of the world as a whole produce in the year of the advertisements for {full}?"),
        ("A licence to reproduce {full} was sold for {sum} dollars.",
         "How large was the world's total output in the year in which the licence for {full} was sold?"),
    ),
    "place": (
        ("A souvenir shop near {full} took {sum} dollars in one season.",
         "How great was the output of the world economy in the season that brought the shop near {full} its "
         "takings?"),
        ("A firm was paid {sum} dollars for repairs at {full}.",
         "What did the whole world economy produce in the year of the repairs at {full}?"),
        ("A guide firm at {full} reported a turnover of {sum} dollars.",
         "How large was the gross product of the world in the year for which the guide firm at {full} reported?"),
    ),
    "body": (
        ("In one year {full} received {sum} dollars in donations and fees.",
         "What was the output of the whole world economy in the year of those payments to {full}?"),
        ("A supplier of {full} had a turnover of {sum} dollars.",
         "How much did the world economy as a whole produce in the supplier's year with {full}?"),
    ),
    "person": (
        ("A benefit evening with {full} raised {sum} dollars.",
         "How large was the output of the world economy in the year of the benefit evening with {full}?"),
        ("A manager of {full} earned {sum} dollars in commission in one year.",
         "What did the entire world economy produce in the year in which the manager of {full} earned that "
         "commission?"),
        ("Letters by {full} were sold at auction for {sum} dollars.",
         "How great was the gross product of the whole world in the year of the auction of letters by {full}?"),
    ),
    "any": (
        ("A publisher took {sum} dollars with an illustrated book on {full}.",
         "How much did the world economy produce in the year in which the illustrated book on {full} was sold?"),
        ("The firm that produced a documentary on {full} had a turnover of {sum} dollars.",
         "What was the output of the economy of the whole world in the year of the documentary on {full}?"),
        ("A grant of {sum} dollars paid for research into {full}.",
         "How large was world economic output in the year of the grant for research into {full}?"),
    ),
}  # fmt: skip

CLIMATE: tuple[Pair, ...] = (
    ("At noon on 4 March the thermometer in a warden's office near {full} showed {c} degrees.",
     "What is the climate over the year like on the continent where {full} lies?"),
    ("The ticket office at {full} is heated to {c} degrees.",
     "How warm is the continent on which {full} is found, on average over the year?"),
    ("A waiting room not far from {full} was measured at {c} degrees one evening.",
     "How much do winter and summer temperatures differ across the continent where {full} lies?"),
    ("A caretaker's log for a hut near {full} notes an indoor reading of {c} degrees.",
     "Which climate prevails on the continent around {full}?"),
    ("The control room that serves {full} is kept at {c} degrees.",
     "What is the yearly mean temperature of the continent on which {full} lies?"),
    ("In the visitor centre of {full} it was {c} degrees at nine in the morning.",
     "How has the climate of the continent around {full} been in an average year?"),
    ("A first-aid room beside {full} had {c} degrees on the day of an inspection.",
     "What rainfall and temperatures are usual over the continent to which {full} belongs?"),
)  # fmt: skip

MOLECULES = (
    "What is the amino-acid sequence of the keratin in the hair of {told}?",
    "At which binding site does the eye pigment of {told} take up copper?",
    "On which chromosome of {told} does the gene for eye colour carry a point mutation?",
    "How many hydrogen bonds hold the haemoglobin of {told} together?",
    "Which amino acid stands at position 30 of the insulin receptor of {told}?",
    "What is the reaction rate of the lactase molecules of {told} at body temperature?",
    "Which base pair begins the third exon of the collagen gene of {told}?",
    "What sequence has the first peptide of the actin in the muscles of {told}?",
    "Which enzyme variant breaks down alcohol in the liver of {told}?",
    "How many copies of the amylase gene does the genome of {told} contain?",
    "Through which ion channel does calcium enter the heart cells of {told}?",
    "Which codon is repeated most often in the mitochondrial DNA of {told}?",
    "How is the melanin in the skin of {told} put together, molecule by molecule?",
    "Which antibody class makes up the larger part of the serum protein of {told}?",
)  # fmt: skip
