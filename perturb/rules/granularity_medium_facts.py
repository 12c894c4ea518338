"""What the MEDIUM rules of P-GranularityMismatch plant, by the kind of the subject.

Each entry is such as a paragraph about a subject of its kind might hold. Where a rule has frames, an entry fills their
gaps; else it is a sentence and the question that goes beyond it.
"""

from __future__ import annotations

from perturb.rules.kinds import Pair

SHARES: dict[str, tuple[tuple[str, str, str], ...]] = {
    "music": (
        ("guests at the first playback", "hummed {full} on the way out", "all listeners"),
        ("musicians at the session", "called {full} a certain hit", "all working musicians"),
        ("pupils in one singing class", "knew {full} by heart", "all pupils in the country"),
    ),
    "screen": (
        ("guests at the first test screening", "guessed the ending of {full}", "all viewers worldwide"),
        ("members of the camera crew", "had roles as extras in {full}", "all camera operators in the business"),
        ("critics at the press screening",
         "stayed for the closing credits of {full}",
         "all viewers at home and in cinemas"),
        ("extras hired on the last day", "had never acted before {full}", "all extras in film and television"),
    ),
    "book": (
        ("members of one reading circle", "finished {full} within a week", "all readers"),
        ("students in one seminar", "had read {full} at school", "all students in the English-speaking world"),
    ),
    "work": (
        ("staff at the publisher's office", "preferred another title for {full}", "the public at large"),
        ("callers to a radio phone-in", "named {full} as a favourite", "all listeners in the country"),
        ("tutors in one department", "use {full} in class", "all university tutors in the world"),
    ),
    "place": (
        ("walkers in one party", "had been to {full} before", "all visitors"),
        ("wardens on duty one Sunday", "had grown up near {full}", "the inhabitants of the whole region"),
        ("passengers in the first coach", "took a photograph of {full}", "all travellers to the country"),
    ),
    "body": (
        ("founders who signed the first minutes", "had known {full} from its beginnings", "all later supporters"),
        ("interns taken on that summer", "wished to stay with {full}", "all young people entering the trade"),
    ),
    "person": (
        ("members of an early fan club", "had met {full} in person", "all admirers around the world"),
        ("neighbours whom a reporter asked", "remembered {full} as a child", "the people of the whole country"),
        ("classmates in one school photograph", "stayed in touch with {full}", "all former pupils of the school"),
        ("colleagues quoted in a profile", "described {full} as shy", "all people in the profession"),
    ),
    "any": (
        ("historians on one panel", "mentioned {full} in their opening remarks", "all historians"),
        ("guests in a radio discussion", "had written about {full}", "all authors of non-fiction"),
        ("students in one seminar", "chose {full} for an essay", "all students in the country"),
        ("members of one town council", "had read a book on {full}", "all local politicians in the country"),
    ),
}  # fmt: skip
"""Kind -> (a very small group, what some of it did, the large population asked for)."""

SHARE_SENTENCES = (
    "Of the {n} {small}, {k} {vp}.",
    "{n} {small} were counted, {k} of whom {vp}.",
    "A note of the time says that {k} of the {n} {small} {vp}.",
    "{k} out of {n} {small} {vp}.",
    "There were {n} {small}; {k} {vp}.",
    "By one account, {k} of the {n} {small} {vp}.",
    "As far as is known, {k} among the {n} {small} {vp}, and no wider count was made.",
    "The {n} {small} were divided: {k} {vp}.",
    "It is recorded that, of {n} {small}, {k} {vp}.",
)  # fmt: skip
SHARE_QUESTIONS = (
    "What proportion of {all} {vp}?",
    "What percentage of {all} {vp}?",
    "How large a share of {all} {vp}?",
    "Among {all}, what fraction {vp}?",
    "Taking {all} together, what percentage {vp}?",
    "What is the proportion of {all} who {vp}?",
    "Out of {all}, which share {vp}?",
)  # fmt: skip

MEDIANS: dict[str, tuple[Pair, ...]] = {
    "music": (
        ("sessions at which {full} was recorded", "length in minutes"),
        ("concerts that opened with {full}", "number of encores"),
        ("early covers of {full}", "tempo in beats a minute"),
    ),
    "screen": (
        ("nights of location work on {full}", "number of takes"),
        ("drafts of the script of {full}", "number of scenes"),
        ("costume designs for {full}", "number of fittings"),
    ),
    "book": (
        ("surviving drafts of {full}", "number of pages"),
        ("first translations of {full}", "number of footnotes"),
    ),
    "work": (
        ("early reviews of {full}", "number of paragraphs"),
        ("interviews about the making of {full}", "length in minutes"),
        ("contracts drawn up for {full}", "number of clauses"),
    ),
    "place": (
        ("marked trails near {full}", "number of stopping points"),
        ("surveys made of {full}", "number of days in the field"),
        ("guided tours of {full}", "length in minutes"),
    ),
    "body": (
        ("first meetings of {full}", "number of people present"),
        ("newsletters that {full} sent out that year", "number of pages"),
    ),
    "person": (
        ("interviews that {full} gave that spring", "length in minutes"),
        ("letters from {full} in the collection", "number of pages"),
        ("rehearsals that {full} attended", "length in minutes"),
    ),
    "any": (
        ("television documentaries on {full}", "number of experts heard"),
        ("lectures on {full} in the series", "length in minutes"),
        ("chapters on {full} in the handbook", "number of pages"),
    ),
}  # fmt: skip
"""Kind -> (a group of five, what is measured of each)."""

MEDIAN_SENTENCES = (
    "For four of the five {group} the {measure} is known: {a}, {b}, {c} and {d}.",
    "There were five {group}; the {measure} was {a}, {b}, {c} and {d} in four cases and was not noted in the "
    "fifth.",
    "The {measure} of the first four of five {group} is given as {a}, {b}, {c} and {d}, while the entry for "
    "the last is torn off.",
    "Five {group} are listed, with {a}, {b}, {c} and {d} as the {measure} of four and a blank for the "
    "remaining one.",
    "Among the five {group}, the {measure} ran to {a}, {b}, {c} and {d}; one value has been lost.",
    "Sources give the {measure} for all but one of the five {group}, namely {a}, {b}, {c} and {d}.",
    "The {measure} of the five {group} varied; {a}, {b}, {c} and {d} are on record, and the fifth figure is "
    "not.",
    "Of five {group}, one has no recorded {measure}; the rest come to {a}, {b}, {c} and {d}.",
)  # fmt: skip
MEDIAN_QUESTIONS = (
    "What was the median {measure} of the five {group}?",
    "For the five {group}, what is the median {measure}?",
    "What median {measure} do the five {group} have?",
    "Taking all five {group}, what is the median of the {measure}?",
    "Which value is the median {measure} among the five {group}?",
    "With the five {group} put in order, what is the median {measure}?",
)  # fmt: skip

NATIONS: dict[str, tuple[Pair, ...]] = {
    "music": (
        ("of radio stations played {full} every day",
         "radio stations in {land} as a whole played {full} every day"),
        ("of record shops sold out of {full} within a week",
         "all record shops in {land} sold out of {full} within a week"),
    ),
    "film": (
        ("of cinemas showed {full} in the first week",
         "cinemas throughout {land} showed {full} in the first week"),
    ),
    "series": (
        ("of households with a television watched {full}", "households across {land} watched {full}"),
    ),
    "book": (
        ("of schools had {full} on their reading lists",
         "schools in the whole of {land} had {full} on their lists"),
    ),
    "work": (
        ("of adults recognised {full} by its title",
         "adults in {land} as a whole recognised {full} by its title"),
        ("of public libraries held {full}", "public libraries throughout {land} held {full}"),
    ),
    "place": (
        ("of families planned a trip to {full}", "families in {land} as a whole planned a trip to {full}"),
        ("of schools had taken a class to {full}", "schools throughout {land} had taken a class to {full}"),
    ),
    "person": (
        ("of adults recognised {full} in a photograph",
         "adults in {land} as a whole recognised {full} in a photograph"),
        ("of newspaper readers could place the name of {full}",
         "newspaper readers across {land} could place the name"),
    ),
    "any": (
        ("of adults could say what {full} is", "adults in {land} as a whole could say what {full} is"),
        ("of secondary schools taught {full} in class",
         "secondary schools throughout {land} taught {full} in class"),
    ),
}  # fmt: skip
"""Kind -> (what a share of a town did, the same of a whole country)."""

NATION_SENTENCES = (
    "In {town}, {p} per cent {did}; in {other} it was {q} per cent.",
    "A study of two towns found that {p} per cent {did} in {town} and {q} per cent in {other}.",
    "Some {p} per cent {did} in {town}, against {q} per cent in {other}; no other place was looked at.",
    "For {town} the figure is that {p} per cent {did}, for {other} {q} per cent.",
    "Counts exist for {town}, where {p} per cent {did}, and for {other}, where it was {q} per cent.",
    "According to local papers, {p} per cent {did} in {town} and {q} per cent in {other}.",
)  # fmt: skip
NATION_QUESTIONS = (
    "What percentage of {whole}?",
    "What proportion of {whole}?",
    "How large a share of {whole}?",
    "Nationally, what percentage of {whole}?",
    "What share of {whole}?",
    "Town by town figures aside, what proportion of {whole}?",
    "Overall, which fraction of {whole}?",
)  # fmt: skip

TOWNS = (
    ("Dayton", "Spokane", "the United States"),
    ("Tucson", "Albany", "the United States"),
    ("Omaha", "Fresno", "the United States"),
    ("Toledo", "Mobile", "the United States"),
    ("Leeds", "Bristol", "the United Kingdom"),
    ("Norwich", "Swansea", "the United Kingdom"),
    ("Calgary", "Halifax", "Canada"),
    ("Adelaide", "Hobart", "Australia"),
)  # fmt: skip

PARTS: dict[str, tuple[Pair, ...]] = {
    "music": (
        ("{full} has a bridge that is eight bars long.",
         "How many notes are there in the third bar of the bridge of {full}?"),
        ("The coda of {full} is carried by a short string passage.",
         "How many notes does the viola part within the coda of {full} contain?"),
        ("The arrangement of {full} opens with a figure of four bars.",
         "Which note ends the second bar of the opening figure of {full}?"),
        ("A drum fill leads into the last chorus of {full}.",
         "How many strokes on the snare does the drum fill before the last chorus of {full} have?"),
    ),
    "screen": (
        ("The title sequence of {full} is made up of fourteen shots.",
         "How many frames does the ninth shot of the title sequence of {full} have?"),
        ("A street was built as a set for {full}, with a row of shop fronts.",
         "How many panes are there in the window of the second shop front on the street set of {full}?"),
        ("The lead costume in {full} includes a coat with a stitched lining.",
         "What is the lining inside the coat of the lead costume in {full} made of?"),
        ("The score of {full} contains a theme for solo oboe.",
         "How many notes does the second bar of the oboe theme in {full} contain?"),
    ),
    "book": (
        ("The opening chapter of {full} falls into six sections.",
         "How many sentences does the third section within the opening chapter of {full} contain?"),
        ("The first edition of {full} had a cloth binding with a stamped spine.",
         "What metal was the stamp on the spine of the first edition of {full} made of?"),
        ("{full} closes with a letter of several paragraphs.",
         "How many commas does the second paragraph of the letter at the end of {full} have?"),
    ),
    "work": (
        ("A contract signed for {full} had a schedule of nine items.",
         "How many words long is the fourth item in the schedule of the contract for {full}?"),
        ("The artwork made for {full} shows a clock tower in one corner.",
         "What time do the hands of the clock on the tower in the artwork for {full} show?"),
    ),
    "place": (
        ("The main gate of {full} hangs on two iron hinges.",
         "How thick is the pin inside the upper hinge on the gate of {full}?"),
        ("A small pump house near {full} holds two pumps.",
         "How many blades has the impeller inside the older pump near {full}?"),
        ("A viewing platform at {full} rests on a timber frame.",
         "How many bolts hold the joints of the frame under the viewing platform at {full}?"),
    ),
    "body": (
        ("The charter of {full} contains a preamble of five clauses.",
         "How many words does the fourth clause in the preamble of the charter of {full} have?"),
        ("The emblem of {full} shows a ring around a leaf.",
         "How many veins does the leaf inside the ring on the emblem of {full} have?"),
    ),
    "person": (
        ("A published memoir of {full} begins with a prologue of seven parts.",
         "How many words does the third part of the prologue to the memoir of {full} have?"),
        ("A painted portrait of {full} has a carved frame.",
         "How many leaves are carved on the left side of the frame around the portrait of {full}?"),
        ("{full} kept a watch with a Swiss movement.",
         "How many jewels were there in the movement inside the watch of {full}?"),
        ("A desk that belonged to {full} has a drawer with a lock.",
         "How many pins are there in the lock of the drawer in the desk of {full}?"),
    ),
    "text": (
        ("The oldest copy of {full} is sealed with wax on a ribbon.",
         "How many threads make up the ribbon of the seal on the oldest copy of {full}?"),
        ("The opening section of {full} has a heading of two lines.",
         "How many letters does the second line of the heading of the opening section of {full} have?"),
    ),
    "any": (
        ("The standard handbook has a chapter on {full} with six tables.",
         "How many rows does the third table in the handbook's chapter on {full} have?"),
        ("A commemorative coin for {full} carries a border of small beads.",
         "How wide is each single bead in the border of the coin for {full}?"),
        ("A documentary on {full} contains an animated map.",
         "How many colours does the legend of the animated map in the documentary on {full} use?"),
    ),
}  # fmt: skip
