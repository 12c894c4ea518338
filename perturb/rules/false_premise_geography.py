"""Impossible geography, at MEDIUM: a border between lands that lie oceans apart."""

from __future__ import annotations

import random
import re

from perturb.rules import false_premise_medium_words as say
from perturb.rules import pools
from perturb.rules.analyse import Analysis
from perturb.rules.query_edits import fill, question_of, with_query
from perturb.rules.rule import Draft
from perturb.rules.words import has_word, spans_of

_IN_A_NAME = re.compile(
    r"[A-Z][\w'’]* (?:of )?$|\b(?:[Nn]ew|[Nn]orth(?:ern)?|[Ss]outh(?:ern)?|[Ww]est(?:ern)?|[Ee]ast(?:ern)?) $"
)
"""What stands before a land where its name is part of another: "Bank of England", "south Korea"."""
_TOO_NEAR = frozenset(
    (
        "France",
        "Netherlands",
        "Spain",
        "Britain",
        "Great Britain",
        "Hawaii",
        "Washington",
        "Georgia",
        "Turkey",
    )
)
"""Lands with borders overseas, and names of more than one place."""


def border_fits(a: Analysis) -> bool:
    """Whether question and passage speak of one country or state."""
    return _land_of(a) is not None


def border(a: Analysis, rng: random.Random) -> Draft | None:
    """A question about the border between the land and one far over the sea."""
    place = _land_of(a)
    if place is None:
        return None
    american = place in (*say.AMERICAS, *pools.US_STATES)
    far = [
        land for land in (say.FAR_FROM_AMERICA if american else say.IN_AMERICA) if not has_word(a.text, land)
    ]
    land = rng.choice(far)
    the = "the " if place in ("United States", "United Kingdom", "Philippines") else ""
    text = fill(rng, say.BORDERS, place=f"{the}{place}", land=land)
    return with_query(
        a, question_of(text), f"{place} and {land} lie on different continents and share no border."
    )


def _land_of(a: Analysis) -> str | None:
    """The one country or state that question and passage name on its own."""
    found = [land for land in (*pools.COUNTRIES, *pools.US_STATES) if _stands_alone(a.query, land)]
    named = [land for land in found if not any(land != other and land in other for other in found)]
    if len(named) != 1 or named[0] in _TOO_NEAR or not has_word(a.text, named[0]):
        return None
    return named[0]


def _stands_alone(query: str, land: str) -> bool:
    """Whether a land is named on its own, in no longer name."""
    return any(
        not (_IN_A_NAME.search(query[:start]) or re.match(r"['’]?\w* [A-Z]|['’]", query[end:]))
        for start, end in spans_of(query, land)
    )
