"""What kind of thing a planted fact is about, and the facts that suit each kind."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeVar

from perturb.rules import pools
from perturb.rules.analyse import Analysis
from perturb.rules.subjects import Subject

Pair = tuple[str, str]
"""A sentence to add to the passage, and the aside or the question that goes with it."""

Entry = TypeVar("Entry")

WIDER: Mapping[str, str] = {
    "film": "screen",
    "series": "screen",
    "screen": "work",
    "music": "work",
    "book": "work",
    "stage": "work",
    "game": "work",
    "place": "any",
    "land": "any",
    "body": "any",
    "event": "any",
    "text": "any",
    "thing": "any",
}
"""Kind -> the wider kind whose facts suit it as well; `person` stands alone."""

_ANIMATED = re.compile(r"\banimat\w+|\banime\b|\bcartoon|\bPixar\b|\bvoiced? ", re.IGNORECASE)

_PLACES = re.compile(
    r"\b(?:Sea|Ocean|Lake|Bay|Gulf|River|Desert|Valley|Park|Street|Steps|Highway|Palace|Castle|Falls)$"
)
_SITES = re.compile(r"^(?:the )?(?:Tower|Palace|Bay|Gulf|Isle|Port|House) of ", re.IGNORECASE)
_EVENTS = re.compile(
    r"\b(?:Cup|Party|Bowl|Rumble|Finals?|Games?|War|Battle|Revolution|Election|Olympics|Championships?|Football)$"
)
_TEXTS = re.compile(
    r"\b(?:Declaration|Act|Treaty|Constitution|Law|Code|Charter|Bill|Convention|Amendment|Guidebook)\b"
)
_PLAYED = re.compile(r"^who(?:se|s| is| was)? (?:plays?|played|voices?|voiced|portray\w+)\b", re.IGNORECASE)
_ON_SCREEN = re.compile(r"\b(?:films?|movies?|television|TV|sitcom|episodes?|seasons?)\b", re.IGNORECASE)
LANDS = frozenset((*pools.COUNTRIES, *pools.US_STATES, *pools.CITIES))
"""Names of countries, states and cities."""


def fact_kind(a: Analysis, s: Subject) -> str:
    """The kind of a subject: its sort, made finer by its name and question where the sort is unknown.

    Of an animated film or series nothing is said that needs a camera, and a name with a capital article is a title
    of a work, whatever place or event it speaks of.
    """
    if s.sort in ("film", "series") and _ANIMATED.search(f"{a.query} {a.text}"):
        return "screen"
    if s.sort != "thing":
        return s.sort
    if re.match(r"(?:The|A|An) ", s.full):
        return "screen" if _PLAYED.match(a.query) and _ON_SCREEN.search(a.text) else "thing"
    if s.name in LANDS or s.name.rpartition(", ")[2] in pools.US_STATES:
        return "land"
    if _SITES.match(s.name) or _PLACES.search(s.name):
        return "place"
    if _TEXTS.search(s.name):
        return "text"
    if _EVENTS.search(s.name):
        return "event"
    return "screen" if _PLAYED.match(a.query) and _ON_SCREEN.search(a.text) else "thing"


def suiting(bank: Mapping[str, tuple[Entry, ...]], kind: str) -> tuple[Entry, ...]:
    """The entries of a bank for a kind and the wider kinds above it; none where nothing plausible can be said.

    >>> suiting({"screen": (1,), "work": (2, 3)}, "film")
    (1, 2, 3)
    >>> suiting({"work": (2,)}, "place")
    ()
    """
    found: tuple[Entry, ...] = ()
    step: str | None = kind
    while step is not None:
        found += bank.get(step, ())
        step = WIDER.get(step)
    return found
