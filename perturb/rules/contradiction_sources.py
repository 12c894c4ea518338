"""Two sources of one kind and rank, for the statements that P-Contradiction sets against each other."""

from __future__ import annotations

import random
from typing import Literal, NamedTuple

from perturb.rules import pools
from perturb.rules.words import has_word, word_list

TITLES = word_list(
    """
    Almanac Yearbook Gazette Chronicle Encyclopaedia Review Herald Journal Observer Bulletin Guide Handbook Quarterly
    Courier Post Echo Times Standard Tribune Monthly Telegraph Magazine
    """
)
"""Names of publications, after the name of a town."""
HOUSES = (
    "the {} Library", "the {} Museum", "the University of {}", "the {} Archive", "the {} Institute", "the {} Academy",
    "{} College", "the {} History Society", "the {} Records Office", "the {} Study Centre", "the {} Foundation",
    "the {} Research Centre",
)  # fmt: skip
"""Bodies of a town, which have a voice."""
ROLES = word_list(
    """
    teacher librarian historian journalist editor lecturer researcher archivist curator professor critic essayist
    biographer reporter scholar author columnist publisher broadcaster
    """
)
_VERBS = {
    "says": "said", "states": "stated", "maintains": "maintained", "asserts": "asserted", "reports": "reported",
    "declares": "declared", "insists": "insisted",
}  # fmt: skip
"""What any source does with a statement, and did; none of the verbs takes the statement for true."""

Kind = Literal["title", "house", "person"]


class Equals(NamedTuple):
    """Two sources, a verb of saying for both of them, and that verb in the past."""

    a: str
    b: str
    verb: str
    past: str


def two_towns(rng: random.Random, text: str) -> tuple[str, str]:
    """Two invented towns that a text does not name."""
    towns = rng.sample(pools.INVENTED_PLACES, 8)
    first, second, *_ = sorted(towns, key=lambda town: has_word(text, town))
    return first, second


def two_names(rng: random.Random, text: str) -> tuple[str, str]:
    """Two people whom a text does not name, with no name in common."""
    firsts, lasts = (
        sorted(rng.sample(names, 8), key=lambda name: has_word(text, name))[:2]
        for names in (pools.NEW_MALE + pools.NEW_FEMALE, pools.NEW_SURNAMES)
    )
    return f"{firsts[0]} {lasts[0]}", f"{firsts[1]} {lasts[1]}"


def equals(rng: random.Random, text: str, kinds: tuple[Kind, ...] = ("title", "house", "person")) -> Equals:
    """Two named sources of one kind and rank that a text does not name.

    >>> pair = equals(random.Random(1), "")
    >>> pair.a != pair.b
    True
    """
    kind = rng.choice(kinds)
    if kind == "person":
        pattern, names = f"the {rng.choice(ROLES)} {{}}", two_names(rng, text)
    else:
        pattern = f"the {{}} {rng.choice(TITLES)}" if kind == "title" else rng.choice(HOUSES)
        names = two_towns(rng, text)
    first, second = (pattern.format(name) for name in names)
    return Equals(first, second, *rng.choice(tuple(_VERBS.items())))
