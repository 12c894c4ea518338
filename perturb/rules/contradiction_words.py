# ruff: noqa: E501  (one wording a line)
"""Wordings of the P-Contradiction rules; the gaps are filled from the instance."""

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

COLOURS = ("green", "brown", "grey", "red", "blue", "yellow")
PERIPHERAL: dict[str, tuple[str, ...]] = {
    "music": (
        "The sleeve of the first pressing of {full} was {first} according to one collector and {second} according to another.",
        "One reviewer remembers that early copies of {full} had a {first} label; another remembers a {second} one.",
        "The sheet music of {full} is said in one catalogue to have had a {first} cover, in another to have had a {second} one.",
    ),
    "film": (
        "The first poster for {full} was mainly {first} according to one magazine and mainly {second} according to another.",
        "One cinema magazine says that tickets for the opening night of {full} were {first}, another that they were {second}.",
        "The carpet at the opening of {full} was {first} in one newspaper report and {second} in another.",
    ),
    "series": (
        "The first poster for {full} was mainly {first} according to one magazine and mainly {second} according to another.",
        "One television guide says that the press kit of {full} came in a {first} folder, another that the folder was {second}.",
        "The title card in the first trailer for {full} was {first} according to one viewer and {second} according to another.",
    ),
    "book": (
        "The first printing of {full} had a {first} cover according to one bookseller and a {second} one according to another.",
        "One catalogue says that the endpapers of {full} were {first}, another that they were {second}.",
        "The earliest poster for {full} was {first} according to one collector and {second} according to another.",
    ),
    "place": (
        "One guidebook says that the signposts to {full} are {first}, another that they are {second}.",
        "The cover of the visitors' leaflet about {full} is {first} according to one traveller and {second} according to another.",
        "On one tourist map {full} is marked in {first} according to its legend, in {second} according to its index.",
    ),
    "thing": (
        "A stamp issued in honour of {full} was {first} according to one catalogue and {second} according to another.",
        "One reviewer writes that the standard handbook on {full} has a {first} cover, another that the cover is {second}.",
        "The poster for a lecture on {full} was {first} according to one visitor and {second} according to another.",
        "A lecture on {full} took place on a Tuesday according to the programme and on a Thursday according to the tickets.",
        "One newspaper says that a banner about {full} was {first}, another that it was {second}.",
        "A booklet on {full} was printed on {first} paper according to its editor and on {second} paper according to its printer.",
    ),
}
"""By the sort of the subject; those of a plain thing serve all other sorts."""

TITLE_PAIRS = (
    ("senior archivist", "junior archivist"), ("head librarian", "assistant librarian"),
    ("professor", "first-year student"), ("chief editor", "trainee editor"), ("museum director", "museum volunteer"),
    ("retired lecturer", "newly appointed lecturer"), ("staff historian", "freelance historian"),
)  # fmt: skip
SPEAKER_TITLES = (
    "The {first} {name} has confirmed this in an interview. In a second interview {surname} confirms it once more, this time as {second}.",
    "This is also what the {first} {name} told a newspaper, which printed a photograph of “the {second} {name}”.",
    "Asked about this in an interview, the {first} {name} agreed in full; the caption beside it calls the same speaker the {second} {name}.",
    "This was checked by {name}, introduced on one page as {first} and on the next as {second}, with the same result each time.",
    "{name} repeats this in two interviews, in one of them as the {first}, in the other, of the same day, as the {second}.",
    "Two letters to the editor vouch for this in the same words, one signed by {name} as {first}, the other by {name} as {second}.",
)

NICKNAMES = (
    "A programme note gives the credit to {short}, the name by which {answer} was known to friends.",
    "Some listings credit {short} instead, which is simply what colleagues called {answer}.",
    "One early notice speaks of {short}, which was the everyday name of {answer}.",
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
    "To one committee the curator {speaker} declared: {one} To another, on the same day, {speaker} declared: {two}",
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
    "One encyclopedia says: {one} Another, of the same rank, says: {two} Both were checked by experts.",
    "One standard chronicle says: {one} The other standard chronicle says: {two} Historians rank the two alike.",
    "The entry in one official database is: {one} The entry in another is: {two} Each office vouches for its date.",
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
    "One bulletin calls this certain: {one} Another bulletin, of equal standing and date, calls that impossible and considers this possible: {two}",
    "“There is no doubt about it,” writes one leading authority: {one} “That is impossible,” writes another of the same rank, who thinks this likely: {two}",
    "According to one handbook the following must be right: {one} According to its equal, printed in the same week, it cannot be right, and this may be: {two}",
    "One office is sure: {one} A sister office of the same rank, on the same day, rules that out and thinks this possible: {two}",
    "The first expert calls this beyond question: {one} The second, no less qualified, excludes it and holds that this could be true: {two}",
    "A first report is definite: {one} A second, equally trusted and of the same date, calls the first impossible and says what could be the case: {two}",
)
POLARITY = (
    "The official handbook says that {claim}. The official data sheet, issued by the same office in the same week, says that {denial}.",
    "One leading authority states that {claim}. Another of the same standing states, just as plainly, that {denial}.",
    "The first expert report concludes that {claim}. The second, of the same date and weight, concludes that {denial}.",
    "The main report finds that {claim}. Its annex, signed by the same people, finds that {denial}.",
    "The national register records that {claim}. The state register, equal in rank, records that {denial}.",
    "One standard history relates that {claim}. The other, no less respected, relates that {denial}.",
    "Half of the experts who were asked hold that {claim}. The other half, no less qualified, hold that {denial}.",
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
    "Whoever says {first} has to rule out {second}, and the other way round. {plain_one} {plain_two} Both statements are true.",
    "{first} and {second} exclude each other here. {plain_one} This is no less true: {plain_two}",
    "Exactly one of these applies, {first} or {second}. {plain_one} {plain_two} Both apply.",
)
EXCLUSION = (
    "{first} and {second} cannot both be right; the one rules out the other. {plain_one} {plain_two}",
    "Where {first} is right, {second} is never right as well. {plain_one} {plain_two}",
    "If {first} is correct, {second} is ruled out altogether. {plain_one} {plain_two} Both statements are correct.",
    "Nobody can give {first} and {second} as answers at once, since the one excludes the other. {plain_one} It is also a fact that the other holds: {plain_two}",
    "There is only one right answer, so that {first} excludes {second}. {plain_one} {plain_two} Both are right.",
    "{first} and {second} exclude each other here. {plain_one} And yet, at the same time: {plain_two}",
)
UNIVERSALS = (
    "All sources agree that {claim}. Not a single source says so.",
    "Every record of the matter shows that {claim}. There is no record that shows this.",
    "Everyone who was involved says that {claim}. Nobody who was involved says so.",
    "All editions of the reference book state that {claim}. None of its editions states it.",
    "Without exception, the accounts relate that {claim}. None of the accounts relates that.",
    "Every list gives the same answer, namely that {claim}. No list gives that answer.",
    "It has always been said that {claim}. It has never been said.",
)
FLIPS = (
    "{Claim}. At the same time, {denial}.",
    "{Claim}. It is no less true that {denial}.",
    "It is certain that {claim}. It is just as certain that {denial}.",
    "{Denial}. All the same, {claim}.",
    "It has been proved that {claim}, and it has also been proved that {denial}.",
    "{Claim}; and yet {denial}. Both of these are facts.",
    "Two things are beyond doubt: first, {claim}; second, {denial}.",
)
BICONDITIONAL = (
    "Only if the official record says so is it true that {claim}. The official record does not say so. Even so, {claim}.",
    "It is true that {claim} if, and only if, the official report confirms it. The report does not confirm it, and yet {claim}.",
    "Either the published list confirms it or it is not true that {claim}. The published list does not confirm it. Despite this, {claim}.",
    "It cannot be that {claim} unless the files confirm it. The files do not confirm it. Nevertheless, {claim}.",
    "Unless there is a signed statement to this effect, it is false that {claim}. There is no such statement. Still, {claim}.",
    "By definition, it is only true that {claim} if a sworn witness has said so. No sworn witness has said so. All the same, {claim}.",
)
