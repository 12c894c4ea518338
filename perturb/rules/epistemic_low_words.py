"""How the LOW rules of P-EpistemicMismatch settle a word of judgement that then stands before the subject."""

from __future__ import annotations

from perturb.rules.kinds import Pair

MEASURES: dict[str, tuple[Pair, ...]] = {
    "music": (
        ("popular", "radio plays a week"),
        ("successful", "cover versions"),
        ("outstanding", "points in the listeners' poll"),
    ),
    "screen": (
        ("popular", "letters from viewers a week"),
        ("impressive", "points from the panel"),
        ("successful", "foreign buyers"),
        ("important", "mentions in film histories"),
    ),
    "book": (
        ("popular", "library loans a month"),
        ("successful", "printings"),
        ("important", "mentions in literary histories"),
    ),
    "work": (
        ("memorable", "points in the readers' poll"),
        ("important", "entries in reference works"),
    ),
    "place": (
        ("busy", "arrivals an hour"),
        ("impressive", "points in the travellers' poll"),
        ("important", "entries in guidebooks"),
    ),
    "body": (
        ("important", "mentions in the press a week"),
        ("successful", "points in the yearly rating"),
    ),
    "any": (
        ("important", "entries in reference works"),
        ("memorable", "points in the readers' poll"),
        ("notable", "chapters in standard works"),
    ),
}  # fmt: skip
"""Kind -> (an evaluative word, what is counted for it)."""

THRESHOLDS = (
    "Anything of its kind with {t} or more {unit} counts as {adj}; {full} reached {p}.",
    "The term {adj} is used from {t} {unit} upwards, and {full} had {p}.",
    "Under the usual definition, {adj} means at least {t} {unit}. For {full} the figure is {p}.",
    "With {p} {unit}, {full} is classed as {adj}, for which {t} are needed.",
    "At {t} {unit} lies the threshold above which the word {adj} applies; {full} came to {p}.",
    "Since {adj} is defined as having more than {t} {unit}, {full} qualifies with {p}.",
    "{full} had {p} {unit}, and by the accepted standard {t} are enough to be called {adj}.",
    "To be deemed {adj}, at least {t} {unit} are required, a mark that {full} passed with {p}.",
)  # fmt: skip

MAJOR: dict[str, tuple[Pair, ...]] = {
    "music": (
        ("has a recording for full orchestra", "such a recording exists"),
        ("has been issued on a disc of its own", "it was issued on one"),
    ),
    "screen": (
        ("was shown in prime time on its first evening", "it was shown then"),
        ("has a complete score written for it", "such a score was written"),
    ),
    "book": (
        ("has been printed in a bound edition", "a bound edition was printed"),
        ("is treated in a chapter of its own in the handbook", "it has such a chapter"),
    ),
    "work": (
        ("has an entry of its own in the standard catalogue", "it has one"),
        ("was registered under its own title", "it was so registered"),
    ),
    "place": (
        ("appears by name on the state map", "its name is there"),
        ("has a warden of its own", "it has one"),
    ),
    "any": (
        ("has an entry of its own in the standard handbook", "it has one"),
        ("is named in the title of a chapter", "there is such a chapter"),
        ("is taught in a course of its own", "such a course is given"),
    ),
}  # fmt: skip
"""Kind -> (the test for `major`, that the subject meets it)."""

MAJOR_SENTENCES = (
    "Whatever {test} counts as major, and all else as minor; in the case of {full}, {met}.",
    "Major, by definition, is what {test}, minor all else; for {full}, {met}.",
    "The rule is that a subject is major if it {test} and minor if not. As to {full}, {met}.",
    "A distinction is drawn between major and minor, major being what {test}; with {full}, {met}.",
    "Classed as major is anything that {test}, as minor anything else, and for {full}, {met}.",
    "The label major belongs to whatever {test}, the label minor to the rest; where {full} is concerned, {met}.",
)  # fmt: skip

COMMON: dict[str, tuple[Pair, ...]] = {
    "music": (
        ("{p} per cent of the oldies stations in a survey had {full} in their rotation.", "commonly played"),
        ("According to a count, {full} was on the set lists of {p} per cent of wedding bands.",
         "commonly played"),
        ("In {p} per cent of the songbooks examined, {full} is included.", "commonly printed"),
    ),
    "screen": (
        ("{p} per cent of the viewers who were asked had seen {full}.", "commonly known"),
        ("A study found {full} on the syllabus of {p} per cent of film courses.", "commonly taught"),
        ("Of the video libraries in a survey, {p} per cent stocked {full}.", "commonly stocked"),
    ),
    "book": (
        ("{p} per cent of the school districts in a survey assign {full}.", "commonly assigned"),
        ("Among public libraries, {p} per cent hold {full}.", "commonly held"),
    ),
    "work": (
        ("In a survey {p} per cent of adults knew {full} by its title.", "commonly known"),
        ("Of the reference works examined, {p} per cent have an entry on {full}.", "commonly described"),
    ),
    "place": (
        ("Of those who travel in the region, {p} per cent stop at {full}.", "commonly visited"),
        ("{p} per cent of the guidebooks examined describe {full}.", "commonly described"),
        ("{full} is marked on {p} per cent of the school maps of the area.", "commonly marked"),
    ),
    "any": (
        ("{p} per cent of the textbooks in a study deal with {full}.", "commonly taught"),
        ("Asked in a survey, {p} per cent of adults had heard of {full}.", "commonly known"),
        ("In {p} per cent of the general encyclopaedias examined there is an entry on {full}.",
         "commonly described"),
    ),
}  # fmt: skip

LARGER: dict[str, tuple[tuple[str, str, tuple[int, int], tuple[int, int]], ...]] = {
    "music": (
        ("longer", "seconds", (231, 262), (158, 197)),
        ("shorter", "seconds", (141, 168), (221, 254)),
    ),
    "film": (
        ("longer", "minutes", (117, 134), (81, 102)),
        ("shorter", "minutes", (84, 98), (121, 143)),
    ),
    "book": (
        ("longer", "pages", (352, 428), (180, 274)),
        ("thinner", "pages", (196, 238), (352, 460)),
    ),
}  # fmt: skip
"""Kind -> (a comparative, its unit, the range of the subject's figure, the range of the other one's)."""

COMPARISONS = (
    "Two {noun}s are often named together: {full}, at {p} {unit}, and {other}, at {q}.",
    "{full} runs to {p} {unit}; {other}, a {noun} with which it was once paired, runs to {q}.",
    "A double bill set {full} ({p} {unit}) beside the {noun} {other} ({q} {unit}).",
    "In length {full} comes to {p} {unit} and {other}, the {noun} issued beside it, to {q}.",
    "One review dealt with {full} and the {noun} {other}, of {p} and {q} {unit} respectively.",
    "Issued in one year, {full} takes up {p} {unit} and the {noun} {other} {q}.",
    "Compared with {other}, a {noun} of {q} {unit}, {full} has {p}.",
)  # fmt: skip

COMPARED = (
    "the {more} of the two {noun}s {name} and {other}",
    "the {more} of the {noun}s {name} and {other}",
    "whichever {noun} is the {more}, {name} or {other}",
    "the {noun} that is the {more} one of {name} and {other}",
    "the {more} {noun} of the pair {name} and {other}",
    "the {noun} {name}, the {more} one beside {other}",
)  # fmt: skip
