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
    "film": (
        ("A cinema on Canal Street counted {k} people at its first showing of {full}.",
         "What is the average attendance of cinema showings around the world?"),
        ("A video shop on Station Road lent out {full} {k} times in one week.",
         "How many times a week does a video shop lend out a film on average worldwide?"),
    ),
    "series": (
        ("A café on Canal Street counted {k} guests on an evening on which it showed {full}.",
         "How many guests does a café have of an evening on average around the world?"),
        ("A shop on Station Road sold {k} box sets of {full} in one month.",
         "How many box sets does a shop sell in a month on average worldwide?"),
    ),
    "book": (
        ("A bookshop on Mill Lane sold {k} copies of {full} in one week.",
         "How many copies of a book does a bookshop sell in a week on a worldwide average?"),
        ("The branch library on Elm Row lent {full} {k} times in one year.",
         "How many times a year is a library book lent out on average across the world?"),
    ),
    "work": (
        ("A shop on Cross Street asked {k} dollars for a poster of {full}.",
         "What does a poster cost on average around the globe?"),
    ),
    "place": (
        ("A counter on the road to {full} logged {k} cars in one hour.",
         "How many cars an hour pass along the world's roads on average?"),
        ("One evening a meter on a lane near {full} read {d} decibels.",
         "What is the average noise level of lanes and streets around the world?"),
    ),
    "person": (
        ("A bookshop on Mill Lane sold {k} copies of a biography of {full} in one week.",
         "How many copies of biographies do the world's bookshops sell a week on average?"),
        ("A lecture on {full} in a hall on Station Road drew {k} people.",
         "How many people does a lecture draw on average around the world?"),
        ("At a debate on {full} in a hall on Canal Street a meter read {d} decibels.",
         "How loud are public debates on average across the world?"),
        ("A school on Elm Row gave {k} minutes of one lesson to {full}.",
         "How many minutes on average do the world's schools give to {full}?"),
    ),
    "any": (
        ("A school on Station Road gave {k} minutes of one lesson to {full}.",
         "How many minutes on average do the world's schools give to {full}?"),
        ("A bookshop on Mill Lane sold {k} books about {full} in one month.",
         "How many books about {full} does a bookshop sell a month on average worldwide?"),
        ("At a debate on {full} in a hall on Canal Street a meter read {d} decibels.",
         "How loud are public debates on average across the world?"),
        ("A lecture on {full} in a hall on Elm Row drew {k} people.",
         "How many people does a lecture draw on average around the world?"),
    ),
}  # fmt: skip

CENTURY: dict[str, tuple[Pair, ...]] = {
    "music": (
        ("In one recording of {full} the second voice comes in {ms} milliseconds late.",
         "How does the way in which {full} is sung change over the course of a century?"),
        ("In one recording of {full} the voice wavers for {ms} milliseconds.",
         "In what way does the singing of {full} change over an entire century?"),
        ("A sound meter followed the loudness of one performance of {full} for {ms} milliseconds.",
         "By how much does the loudness of performances of {full} change over a hundred years?"),
    ),
    "film": (
        ("A light meter followed the brightness of one print of {full} for {ms} milliseconds.",
         "By how much does the brightness of a print of {full} fall over a hundred years?"),
    ),
    "screen": (
        ("A test followed the eyes of one viewer of {full} for {ms} milliseconds.",
         "How does the way in which people watch {full} change over a whole century?"),
        ("The response of one viewer to {full} was recorded for {ms} milliseconds.",
         "How does the response of viewers to {full} change over a century?"),
    ),
    "book": (
        ("A light meter followed the brightness of a page in one copy of {full} for {ms} milliseconds.",
         "By how much does a page of {full} darken over a century?"),
        ("A test followed the eyes of one reader of {full} for {ms} milliseconds.",
         "How does the way in which people read {full} change over the course of a century?"),
    ),
    "place": (
        ("A sensor at {full} recorded the movement of the ground for {ms} milliseconds.",
         "By how much did the ground at {full} move over the past century?"),
        ("A sound meter at {full} recorded the noise for {ms} milliseconds.",
         "How did the noise at {full} change over a century?"),
    ),
    "person": (
        ("One count of online searches for {full} covers {ms} milliseconds.",
         "How does the number of online searches for {full} change over the course of a century?"),
        ("A server logged the requests for articles on {full} over {ms} milliseconds.",
         "How does the demand for articles on {full} develop over an entire century?"),
        ("A test followed the eyes of one reader of a book about {full} for {ms} milliseconds.",
         "How does the way in which people read about {full} change over a hundred years?"),
        ("One listener's response to the name of {full} was recorded for {ms} milliseconds.",
         "How do people's responses to the name of {full} change over the course of a century?"),
    ),
    "any": (
        ("One count of online searches for {full} covers {ms} milliseconds.",
         "How does the number of online searches for {full} change over the course of a century?"),
        ("A server logged the requests for articles on {full} over {ms} milliseconds.",
         "How does the demand for articles on {full} develop over an entire century?"),
        ("A test followed the eyes of one reader of an article on {full} for {ms} milliseconds.",
         "How does the way in which people read about {full} change over a hundred years?"),
        ("One listener's response to the name of {full} was recorded for {ms} milliseconds.",
         "How do people's responses to the name of {full} change over the course of a century?"),
        ("For {ms} milliseconds a sensor recorded how much attention one student paid to a lecture on {full}.",
         "How does the attention paid to lectures on {full} change over an entire century?"),
        ("A sound meter followed the voice of one speaker on {full} for {ms} milliseconds.",
         "How does the way in which speakers talk about {full} change over a hundred years?"),
    ),
}  # fmt: skip

ECONOMY: dict[str, tuple[Pair, ...]] = {
    "music": (
        ("{full} earned its publisher {sum} dollars in one year.",
         "What did the whole world economy produce in the year in which {full} earned its publisher {sum} "
         "dollars?"),
        ("One music shop took {sum} dollars from {full} in a single year.",
         "How large was world economic output in the year in which one music shop took {sum} dollars "
         "from {full}?"),
    ),
    "film": (
        ("One cinema took {sum} dollars from {full} in a single year.",
         "How much did the entire world economy produce in the year in which one cinema took {sum} dollars "
         "from {full}?"),
    ),
    "series": (
        ("One shop took {sum} dollars from box sets of {full} in a single year.",
         "How much did the entire world economy produce in the year in which one shop took {sum} dollars from "
         "box sets of {full}?"),
    ),
    "book": (
        ("One bookseller took {sum} dollars from {full} in a single year.",
         "How much did the world economy produce in the year in which one bookseller took {sum} dollars from "
         "{full}?"),
        ("A printer was paid {sum} dollars for one run of {full}.",
         "What was the gross product of the whole world in the year in which a printer was paid for one run of "
         "{full}?"),
    ),
    "work": (
        ("An agency received {sum} dollars for the advertisements for {full}.",
         "What did the economy of the world as a whole produce in the year of the advertisements for {full}?"),
        ("A licence to use {full} was sold to a firm for {sum} dollars.",
         "How large was the world's total output in the year in which a firm bought a licence to use {full}?"),
    ),
    "place": (
        ("A souvenir shop near {full} took {sum} dollars in one year.",
         "How great was the output of the world economy in the year in which a souvenir shop near {full} took "
         "{sum} dollars?"),
        ("A firm was paid {sum} dollars for a survey of {full}.",
         "What did the whole world economy produce in the year in which a firm was paid for a survey of {full}?"),
    ),
    "body": (
        ("A supplier of {full} had a turnover of {sum} dollars in one year.",
         "How much did the world economy as a whole produce in the year in which a supplier of {full} had a "
         "turnover of {sum} dollars?"),
    ),
    "person": (
        ("The publisher of a biography of {full} took {sum} dollars from it in one year.",
         "What did the entire world economy produce in the year in which a publisher took {sum} dollars from a "
         "biography of {full}?"),
        ("The firm that produced a documentary on {full} was paid {sum} dollars.",
         "How great was the gross product of the whole world in the year of the documentary on {full}?"),
        ("A grant of {sum} dollars paid for research into the life of {full}.",
         "How large was world economic output in the year of the grant for research into the life of {full}?"),
    ),
    "any": (
        ("A bookshop took {sum} dollars from books on {full} in one year.",
         "How great was the gross product of the whole world in the year in which a bookshop took {sum} dollars from "
         "books on {full}?"),
        ("A school spent {sum} dollars on a course about {full}.",
         "What did the entire world economy produce in the year in which a school spent {sum} dollars on a course "
         "about {full}?"),
        ("One museum received {sum} dollars for an exhibition on {full}.",
         "How large was the output of the world economy in the year in which a museum received {sum} dollars for an "
         "exhibition on {full}?"),
        ("A publisher took {sum} dollars from an illustrated book on {full} in one year.",
         "How much did the world economy produce in the year in which a publisher took {sum} dollars from an "
         "illustrated book on {full}?"),
        ("The firm that produced a documentary on {full} was paid {sum} dollars.",
         "What was the output of the economy of the whole world in the year of the documentary on {full}?"),
        ("A grant of {sum} dollars paid for research on {full}.",
         "How large was world economic output in the year of the grant for research on {full}?"),
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
    ("A first-aid room near {full} had {c} degrees on the day of an inspection.",
     "What rainfall and temperatures are usual over the continent to which {full} belongs?"),
)  # fmt: skip

MOLECULES = (
    "With how many copies of the amylase gene was {told} born?",
    "Which bases stood at the lactase regulator site in the DNA of {told} at birth?",
    "How many base pairs long were the telomeres in the white blood cells of {told} at birth?",
    "With which two alleles of the HLA-B gene was {told} born?",
    "For which variant of the alcohol dehydrogenase enzyme did the genes of {told} code at birth?",
    "With which variants of the gene for the enzyme CYP2D6 was {told} born?",
    "How many repeats of the base triplet CAG did the DNA of {told} have in the huntingtin gene at birth?",
    "With which form of the gene for the protein apolipoprotein E was {told} born?",
    "With how many copies of the salivary protein gene PRB1 was {told} born?",
    "Which point mutations set the mitochondrial DNA of {told} apart from the reference sequence at birth?",
    "At how many sites did chromosome 9 in the cells of {told} carry a methyl group at birth?",
    "With which version of the gene for the taste receptor protein TAS2R38 was {told} born?",
)  # fmt: skip
