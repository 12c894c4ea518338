"""How the LOW rules of P-EpistemicMismatch settle a word of judgement that then stands before the subject."""

from __future__ import annotations

ADJECTIVES = (
    "popular", "outstanding", "memorable", "important", "notable", "famous", "impressive", "excellent",
    "remarkable", "celebrated", "successful",
)  # fmt: skip
UNITS = (
    "votes from {group}", "points from {group}", "votes in {town}", "points from a jury in {town}",
    "nominations from {group}", "requests from {halls}", "mentions in {book}",
)  # fmt: skip
"""What is counted before the word of judgement applies."""

THRESHOLDS = (
    "{a_noun} with {t} or more {unit} counts as {adj}; {full} had {p}.",
    "{someone} calls {a_noun} {adj} if it has at least {t} {unit}; {full} had {p}.",
    "{full} had {p} {unit}, and any {noun} with more than {t} is classed as {adj}.",
    "With {p} {unit}, {full} qualifies as {adj}, for which at least {t} are required.",
    "The threshold for calling {a_noun} {adj} is {t} {unit}; {full} received {p}.",
    "{full} received {p} {unit}; {a_noun} with at least {t} is rated as {adj}.",
    "By definition, {a_noun} is {adj} if it gets {t} or more {unit}, and {full} got {p}.",
    "In a survey, {a_noun} is considered {adj} if it has at least {t} {unit}; {full} had {p}.",
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
        ("thicker", "pages", (340, 420), (176, 260)),
        ("heavier", "grams", (410, 560), (180, 330)),
    ),
}  # fmt: skip
"""Kind -> (a comparative, its unit, the range of the subject's figure, the range of the other one's)."""

COMPARISONS = (
    "Two {nouns} were compared in {town}: {name}, at {p} {unit}, and {other}, at {q} {unit}.",
    "{book} compares two {nouns}: {name}, at {p} {unit}, and {other}, at {q} {unit}.",
    "{full} comes to {p} {unit}, and the {noun} {other} comes to {q}.",
    "{group} in {town} compared the {nouns} {name} ({p} {unit}) and {other} ({q} {unit}).",
    "The {noun} {other}, at {q} {unit}, has been compared with {full}, at {p} {unit}.",
    "{someone} compared the {nouns} {other}, at {q} {unit}, and {name}, at {p} {unit}.",
)

COMPARED = (
    "the {more} of the two {nouns} {name} and {other}",
    "the {more} of the {nouns} {name} and {other}",
    "the {more} {noun} of the two, {name} and {other}",
)
