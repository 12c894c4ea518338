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
    ("the senior archivist", "the junior archivist"), ("the head librarian", "an assistant librarian"),
    ("the chief editor", "a trainee editor"), ("the museum director", "a museum volunteer"),
    ("the head of research", "a research assistant"), ("a professor emeritus", "a first-year student"),
    ("the chief translator", "a trainee translator"), ("the director of the archive", "a visitor to the archive"),
)  # fmt: skip
"""Two titles that nobody holds on one day."""
SPEAKER_TITLES = (
    "{name}, {first}, was asked about this in an interview. The reply was: “{Claim}.” A caption under the interview, with the same reply, has {name} as {second}.",
    "A newspaper quotes {name}, {first}, with the words: “{Claim}.” On another page of that issue the same words are quoted from {name}, {second}.",
    "A letter to the editor is signed by {name} as {first}. It says that {claim}. Another letter of the same date says just the same and is signed by {name} as {second}.",
    "The guest at a talk was {name}, introduced as {first}. The audience was told that {claim}. The host repeated these words at the end and thanked {name} as {second}.",
    "There is a book on the subject by {name}. It says that {claim}. The front flap of its cover calls the author {first}, the back flap {second}, and both repeat the statement.",
    "Two articles of the same morning quote {name}, as {first} in the one and as {second} in the other. Both quotations read: “{Claim}.”",
    "The minutes of a public talk name the speaker as {name}, {first}. According to them, {claim}. The press report of the talk has the same sentence and names the speaker as {name}, {second}.",
    "A brochure on the subject thanks {name}, {first}, for its text. “{Claim},” this text says. Its translation says the same and thanks {name}, {second}.",
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
    "The {a} Almanac of {early} says: {one} The {b} Almanac of {late}, no less respected, says of the same matter: {two} Neither refers to the other.",
    "A report by the {a} Institute, dated May {early}, states: {one} A report by the {b} Institute, dated October {late} and just as thorough, states: {two} Neither institute knew of the other's work.",
    "In {early} the {a} Encyclopedia wrote: {one} In {late} the {b} Encyclopedia, of the same rank, wrote: {two} Neither corrects the other, and both speak of the same moment.",
    "The {a} Yearbook for {early} reads: {one} The {b} Yearbook for {late}, compiled independently and with equal care, reads: {two} Neither cites the other.",
    "Two equally trusted reference works differ. The {a} Companion of {early} has: {one} The {b} Companion of {late} has: {two} Each was written without knowledge of the other.",
    "An article in the {a} Review of March {early} says: {one} An article in the {b} Review of June {late}, by an equally qualified author, says: {two} Both concern the same moment, and neither mentions the other.",
    "The {a} Handbook, printed in {early}, records: {one} The {b} Handbook, printed in {late} and of equal standing, records: {two} Nothing new had been found between the two, and neither knew of the other.",
)
AUTHORITIES = (
    "The {a} Chronicle says: {one} The {b} Chronicle, of the same rank, says: {two} Both are trusted alike.",
    "The register of the {a} Archive states: {one} The register of the {b} Archive states: {two} Both registers are originals.",
    "According to the {a} Encyclopedia: {one} According to the {b} Encyclopedia, which is just as highly regarded: {two}",
    "Two reference works of equal rank differ. The {a} Handbook writes: {one} The {b} Handbook writes: {two}",
    "Two catalogues are trusted in like measure. The {a} Catalogue has: {one} The {b} Catalogue has: {two}",
    "The {a} Institute notes: {one} The {b} Institute, no less careful, notes: {two} The two have not been reconciled.",
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
    "“There is no doubt about it,” writes one leading authority: {one} “That is impossible,” writes another of the same rank in the same year, who thinks this likely: {two}",
    "According to one handbook the following must be right: {one} According to its equal, printed in the same week, it cannot be right, and this may be: {two}",
    "The first expert calls this beyond question: {one} The second, no less qualified, calls it impossible and holds that this could be true: {two}",
    "A first report is definite: {one} A second, equally trusted and of the same date, calls that impossible and says what might be the case instead: {two}",
    "Among specialists there are two camps of like size. For one, it is a certainty: {one} For the other it is impossible, whereas this may well be so: {two}",
    "In a debate the first guest left no room for doubt: {one} The second guest, whose books are cited as often, called that impossible and thought that this might be true: {two}",
    "Two encyclopedias of the same year and rank part ways. The first is categorical: {one} The second rules that out and suggests that this may be so: {two}",
)
POLARITY = (
    "One leading authority states that {claim}. Another of the same standing states, just as plainly, that {denial}.",
    "One expert report concludes that {claim}. Another, of the same date and weight, concludes that {denial}.",
    "One encyclopedia says that {claim}. Another, no less respected, says that {denial}.",
    "A report on the subject finds in one chapter that {claim}, and in another, signed by the same people, that {denial}.",
    "Half of the experts who were asked hold that {claim}. The other half, no less qualified, hold that {denial}.",
    "A textbook teaches on page 12 that {claim}; on page 80 it teaches that {denial}.",
    "Students learn from one professor that {claim} and from a colleague with the same chair that {denial}.",
    "Two reference works of equal rank disagree. In the one it says that {claim}, in the other that {denial}.",
    "A lecture on the subject was given by two speakers of equal rank. One explained that {claim}, the other that {denial}.",
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
    "{Either}, but never both. {One}. {Two}.",
    "It is certain that {either}, and that it cannot be both. {One}. It is no less true that {two}.",
    "{Either}, and only one of the two is possible. It is a fact that {one}. It is also a fact that {two}.",
    "By all accounts {either}, exactly one of them and not both. {One}. {Two}.",
    "{Either}, one or the other but not both. It has been established that {one}. It has been established that {two}.",
    "There is no doubt that {either}, the one excluding the other. {One}, and {two}.",
    "All agree that {either} and that it cannot be both. Documents prove that {one}. They prove just as firmly that {two}.",
)
EXCLUSIVE_STATEMENTS = (
    "Exactly one of the following two statements is true, and the other is not. {one} {two} Both of them are true.",
    "The next two statements exclude each other, so that only one of them can be true. {one} {two} Each has been proved.",
    "Either the first or the second of these statements holds, but never both. {one} {two} Both of them hold.",
    "Of two statements only one can be right. The first: {one} The second: {two} Both are right.",
    "One and only one of these two lines is true. {one} {two} Each of the lines is beyond doubt.",
    "It cannot be both, but either the one or the other: {one} {two} Documents prove the two alike.",
)
EXCLUSION = (
    "The two statements that follow always exclude each other. {One}. {Two}. Both are facts.",
    "It is impossible for the next two lines to be true together. {One}. {Two}. It has been established that they are both true.",
    "If it is true that {one}, every other answer is excluded, without exception. {One}. It is just as certain that {two}.",
    "Of the next two facts, each always rules the other out. {One}. {Two}.",
    "As a fixed rule, each of these two statements makes the other one false. {One}. {Two}. Documents prove them both.",
    "There are no exceptions to this: once the first of the following two statements is true, the second can never be. It is true that {one}. It is also true that {two}.",
    "By a rule without exception, two such statements cannot hold side by side. {One}. {Two}. Each of the two holds.",
)
UNIVERSALS = (
    "All sources agree that {claim}. Not a single source says so.",
    "Every record of the matter shows that {claim}. There is no record that shows this.",
    "Without exception, the accounts relate that {claim}. None of the accounts relates that.",
    "Every reference work gives the same answer, namely that {claim}. No reference work gives that answer.",
    "Whoever has studied the matter writes that {claim}. Nobody who has studied it writes so.",
    "Experts, down to the last one, agree that {claim}. Among the experts there is none who agrees to this.",
    "All books on the matter say that {claim}. No book on the matter says so.",
    "Every report says that {claim}. There has never been a report that says so.",
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
)
BICONDITIONAL = (
    "It is true that {claim} if, and only if, {condition}. {Failure}, and yet {claim}.",
    "If, and only if, {condition}, it is true that {claim}. {Failure}. Nevertheless, {claim}.",
    "It is true that {claim} if {condition}, and false if not. {Failure}; still, {claim}.",
    "“{Claim}.” This statement is true if and only if {condition}. {Condition}, and the statement is false.",
    "It is true that {claim} if and only if {condition}. {Condition}. Nevertheless, {denial}.",
    "If, and only if, {condition}, it is true that {claim}. {Condition}, and yet {denial}.",
)
CONDITIONS = (
    ("the standard work on the subject says so", "the standard work on the subject does not say so"),
    (
        "one of the reference works on the subject confirms it",
        "none of the reference works on the subject confirms it",
    ),
    ("the first printed report says so", "the first printed report does not say so"),
    ("a signed statement to this effect exists", "no signed statement to this effect exists"),
    ("two independent experts vouch for it", "no two independent experts vouch for it"),
    (
        "the earliest record of the matter confirms it",
        "the earliest record of the matter does not confirm it",
    ),
)
"""A condition, and that it failed."""
