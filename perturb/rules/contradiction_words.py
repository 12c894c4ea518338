# ruff: noqa: E501  (one wording a line)
"""Wordings of the P-Contradiction rules; the gaps are filled from the instance."""

from __future__ import annotations

OFFICIAL = (
    "the official register", "the certified record", "the published official file", "the archive's sworn record",
    "the authorised reference work", "the audited official list", "the signed original documents",
)  # fmt: skip
FRINGE = (
    "an unsigned comment on a gossip page", "an anonymous post on a chat board", "a joke page that cites nothing",
    "a scrawled note on a bus shelter", "a self-published rumour sheet", "a prank entry on a quiz forum",
    "an unsigned flyer handed out in the street",
)  # fmt: skip

FRINGE_NAMES = (
    "The name {answer} also stands in {official}; {fringe} insists on {rival}.",
    "While {official} names {answer}, {fringe} claims that it was {rival}.",
    "{official} confirms {answer}. Only {fringe} has ever put {rival} in that place.",
    "Against {official}, which names {answer}, there is nothing but {fringe} in favour of {rival}.",
    "According to {fringe} it was {rival} instead, but {official} gives {answer}.",
    "{fringe} brings up {rival}; {official}, checked by experts, has {answer}.",
    "Experts rely on {official}, where {answer} is named, and not on {fringe}, which prefers {rival}.",
)
FRINGE_VALUES = (
    "The same answer, {answer}, stands in {official}; {fringe} insists on {rival}.",
    "While {official} gives {answer}, {fringe} claims that {rival} is right.",
    "{official} confirms {answer}. Only {fringe} has ever said {rival}.",
    "Against {official}, which has {answer}, there is nothing but {fringe} in favour of {rival}.",
    "According to {fringe} it is {rival} instead, but {official} gives {answer}.",
    "{fringe} puts forward {rival}; {official}, checked by experts, has {answer}.",
    "Experts rely on {official}, which says {answer}, and not on {fringe}, which says {rival}.",
)

COLOURS = ("green", "brown", "grey", "red", "blue", "yellow")
PERIPHERAL = (
    "The archive folder on {topic} is {first} according to the shelf list; the loan book says that it is {second}.",
    "One librarian recalls that the pamphlet about {topic} had a {first} cover, another that the cover was {second}.",
    "A leaflet about {topic} was printed on {first} paper, says the printer's log; the delivery note says {second} paper.",
    "The binder in which notes on {topic} are kept is called {first} on one index card and {second} on the next.",
    "Of the poster announcing a talk about {topic}, one visitor wrote that it was {first}, another that it was {second}.",
    "The ribbon around the file on {topic} is {first} in one inventory and {second} in the other.",
    "A lecture about {topic} was held on a Tuesday according to the programme, on a Thursday according to the tickets.",
    "The reading room's box on {topic} carries a {first} label, its catalogue says; a note beside it calls the label {second}.",
)

TITLE_PAIRS = (
    ("senior archivist", "junior archivist"), ("head librarian", "assistant librarian"),
    ("professor", "first-year student"), ("chief editor", "trainee editor"), ("museum director", "museum volunteer"),
    ("retired lecturer", "newly appointed lecturer"), ("staff historian", "freelance historian"),
)  # fmt: skip
SPEAKER_TITLES = (
    "The {first} {name} has confirmed this statement. A page later {surname} confirms it once more, as the {second} {name}.",
    "This is also what the {first} {name} told a reporter, whose photograph shows “the {second} {name}”.",
    "Asked about this point, the {first} {name} agreed in full; the caption calls the same speaker the {second} {name}.",
    "The point was checked by {name}, introduced first as the {first} and then as the {second}, with the same result each time.",
    "{name} repeats this in two interviews, in one of them as the {first}, in the other, of the same day, as the {second}.",
    "Two notes vouch for this in the same words, one signed by {name} as {first}, one by {name} as {second}, on one and the same day.",
)

NICKNAMES = (
    "A programme note gives the credit to {short}, the name by which {answer} was known to friends.",
    "Some listings credit {short} instead, which is simply what colleagues called {answer}.",
    "One early notice has {short} in this place; {short} was the everyday name of {answer}.",
    "On a poster the same credit goes to {short}, a short form that {answer} used among friends.",
    "A newspaper gave the credit to {short}, meaning {answer}, whose nickname that was.",
    "The index lists {short} for this, with a note that {short} and {answer} are the same person.",
)

ROUNDED = (
    "Where this text has {figure}, a summary elsewhere has {rounded}.",
    "A chart of the same material shows {rounded} in the place of {figure}.",
    "The figure {figure} appears as {rounded} in an overview of the same source.",
    "An abstract of this text prints {rounded} for {figure}.",
    "In the table of contents the figure of {figure} stands as {rounded}.",
    "A short notice on the same subject says {rounded} where {figure} is said here.",
    "The press sheet has {rounded} for the figure of {figure} given here.",
)
ESTIMATED = (
    "A poster estimates the figure of {figure} at roughly {estimate}; {figure} is the exact value, as recorded.",
    "Travel notes speak of some {estimate}, a guess; the figure of {figure} was measured and recorded.",
    "Someone has pencilled “roughly {estimate}?” beside the figure, but {figure} is the documented one.",
    "An early estimate said some {estimate}, before the exact figure of {figure} had been established.",
    "From memory one reporter wrote roughly {estimate}; the documents checked for this text give exactly {figure}.",
    "Whereas a leaflet guesses at some {estimate}, the figure of {figure} comes from a full check.",
)

REPORTED = (
    "Questioned on this by a reporter, the archivist {speaker} said: {one} On the same day, in a talk to visitors, {speaker} said: {two}",
    "The historian {speaker} told one audience: {one} To another audience, that same evening, {speaker} said: {two}",
    "In a letter the librarian {speaker} writes: {one} In a second letter of that date {speaker} writes: {two}",
    "{speaker}, the editor in charge, is quoted in one paper as saying: {one} Another paper of the same morning quotes {speaker} with the words: {two}",
    "To the committee the curator {speaker} declared: {one} To the trustees, at the same hour's meeting, {speaker} declared: {two}",
    "On the radio the researcher {speaker} stated: {one} On television, that very day, {speaker} stated: {two}",
    "The guide {speaker} told the first group of the day: {one} The second group heard from {speaker}: {two}",
)
DRIFT = (
    "The spring issue of the yearbook says: {one} The autumn issue, drawn from the same records, says: {two} Neither issue refers to the other.",
    "In its June number the bulletin reported: {one} In its September number, from the same files, it reported: {two} No correction was ever printed.",
    "The first printing of the reference guide has: {one} The second printing, made from the same notes, has: {two} Neither mentions a change.",
    "A report dated Monday states: {one} A report dated Friday, by the same office and on the same facts, states: {two} Neither knows of the other.",
    "The March edition of the almanac reads: {one} The April edition, compiled from the same papers, reads: {two} Nothing marks either as a correction.",
    "One volume of the chronicle, finished in winter, records: {one} Its companion, finished in summer from the same sources, records: {two} Neither volume cites the other.",
)
AUTHORITIES = (
    "The register of the national archive states: {one} The register of the state library states: {two} Both registers are originals.",
    "According to the official gazette: {one} According to the official calendar: {two} Both carry the same authority.",
    "The minutes kept by the first secretary read: {one} The minutes kept by the second secretary read: {two} Both sets were signed on the spot.",
    "One sworn chronicle has: {one} The other sworn chronicle has: {two} Historians rank the two alike.",
    "The entry in the central record office is: {one} The entry in the chief record office is: {two} Each office vouches for its date.",
    "Of two reference works of equal rank, the first writes: {one} The second writes: {two} No third source exists.",
)
PLACES = (
    "The first survey states: {one} The second survey, of equal authority, states: {two} Only one place can be meant, and nothing was ever moved.",
    "One official map sheet is annotated: {one} Its twin, issued with it, is annotated: {two} There is only one such place.",
    "The land register notes: {one} The court register notes: {two} Both rank alike, and only one location can be right.",
    "One gazetteer has: {one} Another of the same repute has: {two} No third source exists, and the places are far apart.",
    "The town clerk's record says: {one} The county clerk's record says: {two} Neither has ever been corrected.",
    "Two handbooks of equal standing differ. The first reads: {one} The second reads: {two} It cannot have been in both places.",
)
MODAL = (
    "One bulletin calls this certain: {one} A bulletin of equal standing and date calls that impossible and says that the right answer may be another: {two}",
    "“There is no doubt,” writes one of two equal authorities: {one} “That is impossible,” writes the other on the same day; it might be so: {two}",
    "According to one handbook the following must be right: {one} According to its equal, printed in the same week, it cannot be right, and this may be: {two}",
    "One office is sure: {one} A sister office of the same rank, on the same day, rules that out and thinks this possible: {two}",
    "The first expert calls this beyond question: {one} The second, no less qualified, excludes it and holds that this could be true: {two}",
    "A first report is definite: {one} A second, equally trusted and of the same date, calls the first impossible and says what could be the case: {two}",
)
POLARITY = (
    "The official handbook affirms the statement {one} The official data sheet, issued in the same week, denies that statement.",
    "One of two equal authorities declares: {one} The other declares on the same day that this is not so.",
    "The first expert opinion is: {one} The second, of the same date and weight, is that the first opinion is not correct.",
    "In the main report it says: {one} In its annex, signed by the same people, it says that this is not the case.",
    "The national register confirms: {one} The state register, equal in rank, states that what is said there is untrue.",
    "One chronicle relates: {one} The other chronicle, written in the same year, relates that it was not so.",
    "Half of the commission signed the statement {one} The other half signed the statement that this is false.",
)

MAGNITUDE = (
    "{plain_one} By the same count, at the same moment and with the same definition: {plain_two}",
    "{plain_one} The same source says on the same line: {plain_two}",
    "{plain_one} It is recorded there as well, of the same thing and time: {plain_two}",
    "The audited record says: {plain_one} The same audited record says: {plain_two}",
    "{plain_one} In the very same respect and without any change in between, this holds too: {plain_two}",
    "Two lines of one table disagree. The first: {plain_one} The second: {plain_two}",
)
EXCLUSIVE = (
    "Either {first} or {second} is correct here, and never both. {plain_one} {plain_two}",
    "It is either {first} or {second}, and it cannot be both. {plain_one} {plain_two}",
    "Only one of the two, {first} or {second}, can be correct. {plain_one} It is just as certain that the second holds: {plain_two}",
    "Of {first} and {second} exactly one is correct and the other is not. {plain_one} {plain_two}",
    "Whoever accepts {first} must reject {second}, and the other way round. {plain_one} {plain_two} Both statements stand.",
    "{first} and {second} exclude each other here. {plain_one} This is no less true: {plain_two}",
    "Exactly one of these applies, {first} or {second}. {plain_one} {plain_two} Both apply.",
)
EXCLUSION = (
    "By a rule without exception, {first} and {second} can never both be recorded for one and the same thing. {plain_one} {plain_two}",
    "Wherever {first} stands in the record, {second} can never stand as well. {plain_one} {plain_two}",
    "Where {first} applies, {second} never applies, without exception. {plain_one} {plain_two}",
    "As a fixed rule, {first} rules out {second} altogether. {plain_one} {plain_two} The rule was never broken.",
    "Nothing of this kind can go with both {first} and {second}. {plain_one} {plain_two} There are no exceptions.",
    "If {first} is true in such a case, {second} is false in it, always. {plain_one} In the same case, this is true: {plain_two}",
)
UNIVERSALS = (
    "Every record on the subject, without exception, says: {one} No record on the subject says so.",
    "All authorities agree on this: {one} There is no authority that agrees on it.",
    "In each and every edition one reads: {one} In no edition does one read it.",
    "All witnesses, each of them, declared: {one} None of the witnesses ever declared it.",
    "The following is true in all cases and at all times: {one} It is true in no case and at no time.",
    "Every list that exists has the entry: {one} No list that exists has it.",
    "Everyone who has looked into it holds: {one} Nobody who has looked into it holds this.",
)
FLIPS = (
    "The following is true: {one} At the same time, and in the same sense, it is false.",
    "This is the case: {one} This is not the case.",
    "It is an established fact that what comes next is so: {one} It is an established fact that it is not so.",
    "The following stands proved: {one} At this same moment it stands disproved.",
    "It was exactly as said here: {one} It was not as said here.",
    "This entry is correct in every respect: {one} That entry is incorrect in the very respect that matters.",
    "The claim has been settled in favour: {one} By the same ruling the claim has been settled against.",
)
BICONDITIONAL = (
    "The next statement is true if and only if the central register contains it. {plain_one} The central register does not contain it.",
    "What follows holds exactly when the board has certified it, and not otherwise. {plain_one} The board has never certified it.",
    "The following is so if, and only if, the seal on the file is unbroken. {plain_one} The seal on the file is broken.",
    "The next sentence is right if and only if both clerks signed it. {plain_one} Only one of the clerks signed it.",
    "Precisely if the ledger has a second entry is the following true. {plain_one} The ledger has no second entry.",
    "It is true that all of this holds if and only if the audit was passed. {plain_one} The audit was not passed.",
)
