"""How the LOW rules of P-EpistemicMismatch settle a word of judgement that then stands before the subject."""

from __future__ import annotations

from perturb.rules.kinds import Pair

MEASURES: dict[str, tuple[Pair, ...]] = {
    "music": (
        ("popular", "radio plays a week"),
        ("successful", "cover versions"),
        ("outstanding", "points in the listeners' poll"),
    ),
    "film": (
        ("popular", "showings in film clubs"),
        ("important", "mentions in film histories"),
    ),
    "series": (
        ("popular", "letters from viewers a week"),
        ("important", "mentions in television histories"),
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
    "the {more} one of the {noun}s {name} and {other}",
)  # fmt: skip
