"""Two sources of one kind and rank, for the statements that P-Contradiction sets against each other."""

from __future__ import annotations

import random
from typing import NamedTuple

from perturb.rules import pools
from perturb.rules.words import has_word, word_list

TITLES = word_list(
    """
    Almanac Yearbook Gazette Chronicle Companion Handbook Encyclopaedia Register Review Dictionary Survey Bulletin
    Journal Guide Digest Observer Herald Catalogue Quarterly Calendar Reader Courier Messenger Mercury Post Sentinel
    Lexicon Advertiser Argus Echo Times Standard Tribune Monthly Recorder Inquirer Directory Album Telegraph Star
    """
)
"""Names of publications, after the name of a town."""
HOUSES = (
    "the {} Library", "the {} Museum", "the University of {}", "the {} Archive", "the {} Institute", "the {} Academy",
    "{} College", "the {} History Society", "the {} Reading Room", "the {} Records Office", "the {} Study Centre",
    "the {} Foundation", "the {} Book Club", "the {} Learned Society", "the {} Research Unit", "the {} Town Hall",
    "the {} Press Office", "{} Grammar School", "the {} Visitor Centre", "the {} Teachers' Union", "Radio {}",
    "the {} Civic Trust", "the {} Collection", "the {} Heritage Group", "the {} Council", "the {} Polytechnic",
)  # fmt: skip
"""Bodies of a town, which have a voice."""
ROLES = word_list(
    """
    teacher librarian historian journalist editor lecturer researcher archivist curator professor translator critic
    essayist biographer reporter scholar bibliographer tutor author columnist chronicler publisher lexicographer
    broadcaster collector cataloguer correspondent encyclopaedist
    """
)
WRITINGS = (
    "a newspaper", "a magazine", "a guide", "a handbook", "a catalogue", "a yearbook", "a textbook", "a brochure",
    "a newsletter", "a chronicle", "a journal", "a fact sheet", "a school book", "a museum label", "a notice board",
    "a card index", "a register", "an inventory", "a press release", "a programme note", "a bulletin", "a survey",
)  # fmt: skip
VERBS = ("says", "states", "maintains", "reports", "holds", "notes", "records")
"""What any source does with a statement, before "that"."""
VOICED = (
    "declares",
    "asserts",
    "writes",
    "insists",
    "affirms",
    "argues",
    "observes",
    "believes",
    "finds",
    "is sure",
)
"""What only somebody with a voice does with it."""
PAST = {
    "says": "said", "holds": "held", "writes": "wrote", "finds": "found", "is sure": "was sure",
}  # fmt: skip
_WRITTEN = ("says", "states", "reports", "notes", "records")
_SPOKEN = ("says", "states", "maintains", "reports", "declares", "notes", "asserts", "insists")


class Equals(NamedTuple):
    """Two sources, a verb of saying for each of them, and that verb in the past."""

    a: str
    b: str
    verb: str
    past: str
    spoken: str
    """A verb that may stand before its subject: "says the Halden Almanac"."""


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


def equals(rng: random.Random, text: str, named: bool = False) -> Equals:
    """Two sources of one kind that a text does not name; with `named` only such as bear a name of their own.

    >>> pair = equals(random.Random(1), "")
    >>> pair.a != pair.b
    True
    """
    kind = rng.choice(("title", "house", "person") if named else ("title", "house", "person", "writing"))
    if kind == "title":
        pattern = f"the {{}} {rng.choice(TITLES)}"
    elif kind == "house":
        pattern = rng.choice(HOUSES)
    else:
        pattern = f"the {rng.choice(ROLES)} {{}}" if kind == "person" else f"{rng.choice(WRITINGS)} in {{}}"
    first, second = two_names(rng, text) if kind == "person" else two_towns(rng, text)
    verb = rng.choice(VERBS if kind == "writing" else VERBS + VOICED)
    past = PAST.get(verb) or (f"{verb.removesuffix('s')}d" if verb.endswith("es") else f"{verb[:-1]}ed")
    return Equals(
        pattern.format(first),
        pattern.format(second),
        verb,
        past,
        rng.choice(_WRITTEN if kind == "writing" else _SPOKEN),
    )
