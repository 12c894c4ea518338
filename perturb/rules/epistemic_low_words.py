"""How the LOW rules of P-EpistemicMismatch settle a word of judgement that then stands before the subject."""

from __future__ import annotations

ADJECTIVES = (
    "popular", "outstanding", "memorable", "important", "notable", "famous", "impressive", "excellent", "great",
    "remarkable", "celebrated", "admirable", "distinguished", "striking", "good", "major", "fine", "successful",
)  # fmt: skip
UNITS = (
    "points from {group}", "votes in {town}", "mentions in {writing}", "votes among {halls}", "stars from {group}",
    "votes at {a_meeting}", "entries in {writing}", "letters from {group}", "marks in {town}",
    "points from the town of {town}", "requests by {halls}", "nominations by {group}",
)  # fmt: skip
"""What is counted before the word of judgement applies."""

THRESHOLDS = (
    "{a_noun} with {t} or more {unit} counts as {adj}; {full} had {p}.",
    "From {t} {unit} upwards {a_noun} is termed {adj}, and {full} got {p}.",
    "{adj} means at least {t} {unit} in the case of {a_noun}; for {full} it is {p}.",
    "With {p} {unit}, {full} is classed as {adj}, for which {t} are enough.",
    "{full} took {p} {unit}; any {noun} that takes {t} is regarded as {adj}.",
    "Under a rule of {town}, {t} {unit} make {a_noun} {adj} by definition, and {full} had {p}.",
    "{someone} defined {adj} as having more than {t} {unit}; {full} has {p}.",
    "{full} qualifies as {adj}, which takes {t} {unit}, for it received {p}.",
    "At {t} {unit} lies the mark above which {someone} calls {a_noun} {adj}; {full} reached {p}.",
    "{p} {unit} went to {full}, {t} being the threshold for the word {adj}.",
    "To be deemed {adj}, {a_noun} must have {t} {unit}; {full} did, having {p}.",
    "{full} came to {p} {unit}, and {t} would do to be labelled {adj}.",
)  # fmt: skip

LARGER: dict[str, tuple[tuple[str, str, tuple[int, int], tuple[int, int]], ...]] = {
    "music": (
        ("longer", "seconds", (231, 262), (158, 197)),
        ("shorter", "seconds", (141, 168), (221, 254)),
        ("briefer", "bars", (48, 72), (96, 140)),
        ("lengthier", "bars", (112, 160), (48, 84)),
    ),
    "film": (
        ("longer", "minutes", (117, 134), (81, 102)),
        ("shorter", "minutes", (84, 98), (121, 143)),
        ("lengthier", "minutes", (119, 136), (80, 99)),
        ("briefer", "minutes", (82, 97), (124, 146)),
    ),
    "book": (
        ("longer", "pages", (352, 428), (180, 274)),
        ("thinner", "pages", (196, 238), (352, 460)),
        ("thicker", "pages", (340, 420), (176, 260)),
        ("shorter", "chapters", (14, 22), (31, 48)),
        ("heavier", "grams", (410, 560), (180, 330)),
    ),
}  # fmt: skip
"""Kind -> (a comparative, its unit, the range of the subject's figure, the range of the other one's)."""

COMPARISONS = (
    "{full} has {p} {unit}; the {noun} {other} has {q}.",
    "{full} runs to {p} {unit} and {other}, also a {noun}, to {q}.",
    "{writing} sets {full} ({p} {unit}) beside the {noun} {other} ({q} {unit}).",
    "In {town} the {noun}s {name} and {other} were paired, of {p} and {q} {unit} each in turn.",
    "{other}, a {noun} of {q} {unit}, was shown to {group} along with {full}, which has {p}.",
    "{a_meeting} also dealt with the {noun} {other}: {q} {unit}, as against {p} in {full}.",
    "Of {q} {unit}, {other} is another {noun}; {full} is of {p}.",
    "Beside {full}, at {p} {unit}, {someone} liked the {noun} {other}, at {q}.",
    "{someone} measured two {noun}s: {name}, {p} {unit}, and {other}, {q}.",
    "{p} {unit} make up {full}, and {q} the {noun} {other}.",
    "The {noun} {other} comes to {q} {unit}, while {full} comes to {p}.",
    "Lent together in {town}, {full} takes {p} {unit} and the {noun} {other} {q}.",
)  # fmt: skip

COMPARED = (
    "the {more} of the two {noun}s {name} and {other}",
    "the {more} of the {noun}s {name} and {other}",
    "whichever {noun} is the {more}, {name} or {other}",
    "the {noun} that is the {more} one of {name} and {other}",
    "the {more} {noun} of the pair {name} and {other}",
    "{name}, the {more} {noun} beside {other}",
)  # fmt: skip
