"""What the MEDIUM rules of P-GranularityMismatch plant, by the kind of the subject.

Each entry is such as a paragraph about a subject of its kind might hold. Where a rule has frames, an entry fills their
gaps; else it is a sentence and the question that goes beyond it.
"""

from __future__ import annotations

from perturb.rules.kinds import Pair

SHARES: dict[str, tuple[tuple[str, str, str], ...]] = {
    "music": (
        ("singers in one choir", "knew {full} by heart", "choir singers in the country"),
        ("pupils in one music class", "could hum {full}", "pupils in the country"),
        ("members of one wedding band", "liked {full} at first hearing", "working musicians"),
    ),
    "film": (
        ("guests at one private showing", "guessed the ending of {full}", "cinema-goers worldwide"),
        ("members of one film club", "sat through {full} a second time", "film club members in the country"),
    ),
    "series": (
        ("residents of one student house", "watched {full} every week", "students in the country"),
        ("members of one family", "named {full} as a favourite", "television viewers in the country"),
    ),
    "book": (
        ("members of one reading circle", "finished {full} within a week", "readers of the book worldwide"),
        ("students in one seminar", "had read {full} at school", "students in the English-speaking world"),
    ),
    "work": (
        ("callers to one radio phone-in", "named {full} as a favourite", "radio listeners in the country"),
        ("tutors in one department", "used {full} in class", "university tutors in the world"),
    ),
    "place": (
        ("walkers in one party", "had once been to {full}", "walkers in the country"),
        ("passengers in one coach", "took a picture of {full}", "coach passengers in the country"),
    ),
    "person": (
        ("members of one reading circle", "had read a book about {full}", "readers in the country"),
        ("guests at one dinner", "had written to {full}", "letter-writers of the time"),
        ("pupils in one class", "chose {full} for an essay", "pupils in the country"),
    ),
    "any": (
        ("historians on one panel", "mentioned {full} in their opening remarks", "historians in the world"),
        ("students in one seminar", "chose {full} for an essay", "students in the country"),
        ("members of one town council", "had read a book on {full}", "local politicians in the country"),
    ),
}  # fmt: skip
"""Kind -> (a very small group, what some of it did, the large population asked for)."""

SHARE_SENTENCES = (
    "Of the {n} {small}, {k} {vp}; the far larger number of {all} was never counted in this way.",
    "There were {n} {small}, {k} of whom {vp}, a tiny group beside the many thousands of {all}.",
    "A note says that {k} of the {n} {small} {vp}, but holds no such count for the great mass of {all}.",
    "Among {n} {small}, {k} {vp}; of the very many {all} nothing of the kind is recorded.",
    "By one account {k} of the {n} {small} {vp}, while nobody asked the far more numerous {all}.",
    "It is recorded that, of {n} {small}, {k} {vp}; about the multitude of {all} the record is silent.",
    "One count covers {n} {small}, of whom {k} {vp}, and leaves aside the vast number of {all}.",
)  # fmt: skip
SHARE_QUESTIONS = (
    "What proportion of all {all} {vp}?",
    "What percentage of all {all} {vp}?",
    "How large a share of all {all} {vp}?",
    "Among all {all}, what fraction {vp}?",
    "Taking all {all} together, what percentage {vp}?",
    "What is the proportion of all {all} who {vp}?",
)  # fmt: skip

MEDIANS: dict[str, tuple[Pair, ...]] = {
    "music": (
        ("radio features on {full}", "length in minutes"),
        ("choir arrangements of {full}", "number of pages"),
    ),
    "film": (
        ("magazine articles on {full}", "number of paragraphs"),
        ("drafts of the script of {full}", "number of scenes added"),
    ),
    "series": (
        ("magazine articles on {full}", "number of paragraphs"),
        ("podcasts on {full}", "length in minutes"),
    ),
    "book": (
        ("school editions of {full}", "number of footnotes"),
        ("radio readings from {full}", "length in minutes"),
    ),
    "work": (
        ("early reviews of {full}", "number of paragraphs"),
        ("essays on {full} in one volume", "number of pages"),
    ),
    "place": (
        ("marked trails near {full}", "number of stopping points"),
        ("surveys made of {full}", "number of days in the field"),
    ),
    "body": (
        ("early meetings of {full}", "number of people present"),
        ("chapters on {full} in one handbook", "number of pages"),
    ),
    "person": (
        ("articles on {full} in one magazine", "number of paragraphs"),
        ("letters about {full} in one collection", "number of lines"),
        ("lectures on {full} in one series", "length in minutes"),
    ),
    "any": (
        ("documentaries on {full} in one archive", "length in minutes"),
        ("lectures on {full} in one series", "length in minutes"),
        ("chapters on {full} in one handbook", "number of pages"),
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
        ("of adults knew {full} from the radio", "adults in {land} as a whole knew {full} from the radio"),
        ("of record shops stocked {full}", "all record shops in {land} stocked {full}"),
    ),
    "film": (
        ("of adults had seen {full}", "adults throughout {land} had seen {full}"),
    ),
    "series": (
        ("of households watched {full}", "households across {land} watched {full}"),
    ),
    "book": (
        ("of schools had {full} on their reading lists",
         "schools in the whole of {land} had {full} on their reading lists"),
    ),
    "work": (
        ("of adults recognised {full} by its title",
         "adults in {land} as a whole recognised {full} by its title"),
        ("of public libraries held a book on {full}", "public libraries throughout {land} held a book on {full}"),
    ),
    "person": (
        ("of adults recognised the name of {full}",
         "adults in {land} as a whole recognised the name of {full}"),
        ("of public libraries held a book on {full}", "public libraries throughout {land} held a book on {full}"),
    ),
    "any": (
        ("of adults had heard of {full}", "adults in {land} as a whole had heard of {full}"),
        ("of public libraries held a book on {full}", "public libraries throughout {land} held a book on {full}"),
        ("of secondary schools taught a lesson on {full}",
         "secondary schools throughout {land} taught a lesson on {full}"),
    ),
}  # fmt: skip
"""Kind -> (what a share of a town did, the same of a whole country)."""

NATION_SENTENCES = (
    "In {town}, {p} per cent {did}; in {other} it was {q} per cent.",
    "A study of two towns found that in {town} {p} per cent {did}, and in {other} {q} per cent.",
    "In {town} some {p} per cent {did}, against {q} per cent in {other}; no other place was looked at.",
    "By one count {p} per cent {did} in {town}, and {q} per cent in {other}.",
    "Counts exist for {town}, where {p} per cent {did}, and for {other}, where it was {q} per cent.",
    "According to local papers, in {town} {p} per cent {did}, in {other} {q} per cent.",
)  # fmt: skip
NATION_QUESTIONS = (
    "What percentage of {whole}?",
    "What proportion of {whole}?",
    "How large a share of {whole}?",
    "What share of {whole}?",
    "Which fraction of {whole}?",
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
    "film": (
        ("A street was built as a set for {full}, with a row of shop fronts.",
         "How many panes are there in the window of the second shop front on the street set of {full}?"),
        ("The first poster for {full} shows a clock tower in one corner.",
         "How long is the minute hand of the clock on the tower in the first poster for {full}?"),
    ),
    "screen": (
        ("The title sequence of {full} is made up of fourteen shots.",
         "How many frames does the ninth shot of the title sequence of {full} have?"),
        ("The theme music of {full} opens with a passage for strings.",
         "How many notes does the viola part have in the opening passage of the theme music of {full}?"),
    ),
    "book": (
        ("A reader's guide to {full} has an opening chapter of six sections.",
         "How many sentences does the third section within the opening chapter of the guide to {full} contain?"),
        ("The first edition of {full} had a cloth binding with a row of stars on the spine.",
         "How many points has each of the stars on the spine of the first edition of {full}?"),
        ("A school edition of {full} has a preface of several paragraphs.",
         "How many commas does the second paragraph of the preface to the school edition of {full} have?"),
    ),
    "work": (
        ("A contract signed for {full} had a schedule of nine items.",
         "How many words long is the fourth item in the schedule of the contract for {full}?"),
        ("A handbook has a chapter on {full} with six tables.",
         "How many rows does the third table in the handbook's chapter on {full} have?"),
    ),
    "place": (
        ("A small pump house near {full} holds two pumps.",
         "How many blades has the impeller inside the older of the two pumps near {full}?"),
        ("A relief model of {full} stands on a carved base.",
         "How many leaves are carved on the left side of the base of the model of {full}?"),
        ("A viewing platform at {full} rests on a timber frame.",
         "How many bolts hold the joints of the frame under the viewing platform at {full}?"),
    ),
    "body": (
        ("The charter of {full} contains a preamble of five clauses.",
         "How many words does the fourth clause in the preamble of the charter of {full} have?"),
        ("A handbook on {full} has an appendix of six tables.",
         "How many rows does the third table in the appendix of the handbook on {full} have?"),
    ),
    "person": (
        ("A published life of {full} begins with a prologue of seven parts.",
         "How many words does the third part of the prologue to the life of {full} have?"),
        ("A painted portrait of {full} has a carved frame.",
         "How many leaves are carved on the left side of the frame around the portrait of {full}?"),
        ("A book about {full} has a chapter of nine sections.",
         "How many sentences does the fourth section of the nine-part chapter in the book about {full} have?"),
    ),
    "text": (
        ("The oldest copy of {full} is sealed with wax on a ribbon.",
         "How many threads make up the ribbon of the seal on the oldest copy of {full}?"),
        ("The opening section of {full} has a heading of two lines.",
         "How many letters does the second line of the heading of the opening section of {full} have?"),
    ),
    "any": (
        ("A handbook has a chapter on {full} with six tables.",
         "How many rows does the third table in the handbook's chapter on {full} have?"),
        ("A book on {full} has a cover with a border of small beads.",
         "How wide is each single bead in the border on the cover of the book on {full}?"),
        ("A documentary on {full} contains an animated map.",
         "How many colours does the legend of the animated map in the documentary on {full} use?"),
    ),
}  # fmt: skip
