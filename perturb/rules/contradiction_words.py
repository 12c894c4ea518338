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
    ("curator", "night guard"), ("tenured lecturer", "visiting student"), ("news editor", "press trainee"),
    ("chief translator", "proofreader"), ("head of research", "research assistant"), ("dean", "porter"),
    ("court reporter", "sports reporter"),
)  # fmt: skip
SPEAKER_TITLES = (
    "The {first} {name} has confirmed this in an interview. In a second interview {surname} confirms it once more, this time as {second}.",
    "This is also what the {first} {name} told a newspaper, which printed a photograph of “the {second} {name}”.",
    "Asked about this in an interview, the {first} {name} agreed in full; the caption beside it calls the same speaker the {second} {name}.",
    "This was checked by {name}, introduced on one page as {first} and on the next as {second}, with the same result each time.",
    "{name} repeats this in two interviews, in one of them as the {first}, in the other, of the same day, as the {second}.",
    "Two letters to the editor vouch for this in the same words, one signed by {name} as {first}, the other by {name} as {second}.",
    "Years later {name}, by then {first}, gave the same account on the radio; listeners heard {surname} announced as {second}.",
    "Colleagues credit {surname} with collecting the documents for this, though a plaque calls {name} {first} and a brochure {second}.",
    "{name} has taught this for a decade; one nameplate on the office door reads {first}, another {second}.",
    "A documentary lets {name} repeat these facts on camera; the credits have {surname} as {first}, the subtitle as {second}.",
    "For a second opinion the broadcaster turned to {name}, whom the presenter greeted as {first} and thanked as {second}, and heard nothing different.",
    "The files on this were gathered by {name}, {first} in the preface of the volume, {second} on its jacket.",
    "In the acknowledgements {name} appears as {second}, in the list of contributors as {first}; what {surname} wrote agrees with the above.",
    "A short film has {name} explain these matters at a desk with the sign “{first}”, while the invitation had promised the {second}.",
    "Readers who wrote in were answered by {name}, who used the letterhead of the {first} and the stamp of the {second}, and who left every word as it stands.",
    "The translator relied on {name}. One footnote thanks the {first}, the next, about {surname} again, the {second}.",
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
    "On its opening the exhibition had a panel with the words: {one} At its close, with the curators unchanged, the panel read: {two} Visitors were told of no revision.",
    "A lecture given in January contained this: {one} Repeated in July from the same manuscript, it contained this: {two} The lecturer has not commented.",
    "The hardback states: {one} The paperback, set from the hardback's pages, states: {two} Its publisher lists no changes.",
    "Pupils of one year learned from the textbook: {one} Pupils of the year after learned from it: {two} The authors had seen no fresh evidence.",
    "Before the summer break the museum's guide wrote: {one} After the break the guide wrote: {two} Nothing had been found in the meantime.",
)
AUTHORITIES = (
    "The register of the national archive states: {one} The register of the state library states: {two} Both registers are originals.",
    "According to the official gazette: {one} According to the official calendar: {two} Both carry the same authority.",
    "One encyclopedia says: {one} Another, of the same rank, says: {two} Both were checked by experts.",
    "One standard chronicle says: {one} The other standard chronicle says: {two} Historians rank the two alike.",
    "The entry in one official database is: {one} The entry in another is: {two} Each office vouches for its date.",
    "Of two reference works of equal rank, the first writes: {one} The second writes: {two} No third source exists.",
    "Scholars rely on two catalogues, which they trust in like measure. In the older one stands: {one} In the younger: {two} They have not been reconciled.",
    "A plaque put up by the city says: {one} A plaque put up by the county says: {two} They were unveiled on the same morning.",
    "The ministry's yearbook notes: {one} The parliament's yearbook notes: {two} Courts accept them alike.",
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
    "To the chair of history this is settled: {one} The deputy, with equal experience, finds it out of the question and regards something else as probable: {two}",
    "Among specialists there are two camps of like size. For one, it is a certainty: {one} For the other that can be excluded, whereas this may well be so: {two}",
    "In a debate the first guest left no room for doubt: {one} The second guest, whose books are cited as often, thought that inconceivable and this plausible: {two}",
    "A museum's wall text is categorical: {one} Its printed guide, written by the same curators, deems that impossible and suggests: {two}",
    "Two professors prepared a joint lecture. The opening half insists: {one} The closing half holds that this could not be and that the following might: {two}",
)
POLARITY = (
    "The official handbook says that {claim}. The official data sheet, issued by the same office in the same week, says that {denial}.",
    "One leading authority states that {claim}. Another of the same standing states, just as plainly, that {denial}.",
    "The first expert report concludes that {claim}. The second, of the same date and weight, concludes that {denial}.",
    "The main report finds that {claim}. Its annex, signed by the same people, finds that {denial}.",
    "The national register records that {claim}. The state register, equal in rank, records that {denial}.",
    "One standard history relates that {claim}. The other, no less respected, relates that {denial}.",
    "Half of the experts who were asked hold that {claim}. The other half, no less qualified, hold that {denial}.",
    "Visitors to the museum read on the left wall that {claim}, and on the right wall, in letters of equal size, that {denial}.",
    "A textbook teaches on page 12 that {claim}; on page 80 it teaches that {denial}.",
    "Students learn from one professor that {claim} and from a colleague with the same chair that {denial}.",
    "Asked in court, an expert testified that {claim}. Recalled an hour later under oath, the expert testified that {denial}.",
    "The documentary's narrator explains that {claim}, whereas the documentary's presenter explains that {denial}; the producers stand by the two of them.",
    "Broadcast in January, the lecture informs its audience that {claim}. Broadcast again in June with the script untouched, it informs them that {denial}.",
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
    "There was room for a single entry, {first} or {second}. {plain_one} {plain_two} Neither line was struck out.",
    "A choice has to be made between {first} and {second}, for they do not go together. {plain_one} {plain_two} The archive vouches for each.",
    "Granted {first}, the case for {second} collapses, and vice versa. {plain_one} {plain_two} Documents prove the first as firmly as the second.",
)
EXCLUSION = (
    "{first} and {second} cannot both be right; the one rules out the other. {plain_one} {plain_two}",
    "Where {first} is right, {second} is never right as well. {plain_one} {plain_two}",
    "If {first} is correct, {second} is ruled out altogether. {plain_one} {plain_two} Both statements are correct.",
    "Nobody can give {first} and {second} as answers at once, since the one excludes the other. {plain_one} It is also a fact that the other holds: {plain_two}",
    "There is only one right answer, so that {first} excludes {second}. {plain_one} {plain_two} Both are right.",
    "{first} and {second} exclude each other here. {plain_one} And yet, at the same time: {plain_two}",
    "Once {first} has been established, {second} drops out, and once {second} has been established, {first} does. {plain_one} {plain_two} Each has been established.",
    "A reader who accepts {first} must reject {second}. {plain_one} {plain_two} The editors ask their readers to accept the pair.",
    "The records have space for {first} or for {second} but not for the pair of them. {plain_one} {plain_two} They hold the pair.",
)
UNIVERSALS = (
    "All sources agree that {claim}. Not a single source says so.",
    "Every record of the matter shows that {claim}. There is no record that shows this.",
    "Everyone who was involved says that {claim}. Nobody who was involved says so.",
    "All editions of the reference book state that {claim}. None of its editions states it.",
    "Without exception, the accounts relate that {claim}. None of the accounts relates that.",
    "Every list gives the same answer, namely that {claim}. No list gives that answer.",
    "It has always been said that {claim}. It has never been said.",
    "Whoever has studied the matter writes that {claim}. Nobody who has studied it writes so.",
    "In each and every archive there are papers by which {claim}. Papers of that kind lie in no archive at all.",
    "Historians, down to the last one, teach that {claim}. Among historians there is none who teaches this.",
    "Textbooks in all countries tell their readers that {claim}. A textbook that tells them so has never been printed anywhere.",
    "Each eyewitness reported that {claim}. Of the eyewitnesses, none reported it.",
)
FLIPS = (
    "{Claim}. At the same time, {denial}.",
    "{Claim}. It is no less true that {denial}.",
    "It is certain that {claim}. It is just as certain that {denial}.",
    "{Denial}. All the same, {claim}.",
    "It has been proved that {claim}, and it has also been proved that {denial}.",
    "{Claim}; and yet {denial}. Both of these are facts.",
    "Two things are beyond doubt: first, {claim}; second, {denial}.",
    "As a matter of record {claim}, just as it is a matter of record that {denial}.",
    "Documents establish that {claim}. They establish with equal force that {denial}.",
    "{Denial}, as everyone who was present confirms; {claim}, as they confirm too.",
    "The archive, read to the letter, proves that {claim}; read to the letter, it also proves that {denial}.",
    "Whatever else may be doubted, {claim}. Nor can it be doubted that {denial}.",
)
BICONDITIONAL = (
    "Only if the official record says so is it true that {claim}. The official record does not say so. Even so, {claim}.",
    "It is true that {claim} if, and only if, the official report confirms it. The report does not confirm it, and yet {claim}.",
    "Either the published list confirms it or it is not true that {claim}. The published list does not confirm it. Despite this, {claim}.",
    "It cannot be that {claim} unless the files confirm it. The files do not confirm it. Nevertheless, {claim}.",
    "Unless there is a signed statement to this effect, it is false that {claim}. There is no such statement. Still, {claim}.",
    "By definition, it is only true that {claim} if a sworn witness has said so. No sworn witness has said so. All the same, {claim}.",
    "Exactly if a contract was signed is it the case that {claim}. The contract was never signed, yet {claim}.",
    "The statement that {claim} stands or falls with one letter. That letter turned out not to exist, and the statement stands.",
    "Had no diary been kept, it would be untrue that {claim}, and only then. There was no diary. For all that, {claim}.",
)
