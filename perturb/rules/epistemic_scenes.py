"""What P-EpistemicMismatch sets around a subject: an object, a gathering, people, sums and times, drawn at random."""

from __future__ import annotations

import random
from collections.abc import Mapping

from perturb.rules import pools, scenery
from perturb.rules.analyse import Analysis
from perturb.rules.fact_kinds import Entry, fact_kind, suiting
from perturb.rules.query_edits import a_
from perturb.rules.scenery import Side
from perturb.rules.subjects import Subject, anchor_of
from perturb.rules.words import has_word

_NOT_MEETINGS = ("programme", "podcast", "televised", "project", "course", "school", "display", "film evening",
                 "reading", "panel", "walk-in", "round table")  # fmt: skip
_MEETINGS = tuple(s for s in scenery.GATHERINGS if not any(word in s.noun for word in _NOT_MEETINGS))
"""Gatherings that people come to, in one place and on one day."""

_HOUSES = ("secondary schools", "public libraries", "bookshops", "village halls", "community centres", "choirs",
           "reading groups", "youth clubs", "hotels", "cafés", "hospitals")  # fmt: skip
_PEOPLE = tuple(group for group in scenery.GROUPS if group not in (*_HOUSES, "readers", "museum visitors"))
_HALLS = ("public libraries", "community centres", "secondary schools")

_BOOKS = ("a guide", "a handbook", "a catalogue", "a yearbook", "an almanac", "an encyclopaedia", "a reference work",
          "a textbook", "a magazine", "a brochure", "a chronicle", "a dictionary", "a journal")  # fmt: skip
"""Writings with pages and entries."""

_UNSUITED = frozenset((
    "lyric sheet", "choir edition", "piano arrangement", "pressing", "press kit", "cinema programme", "film magazine",
    "disc", "trade advertisement", "fan magazine", "television guide", "review", "essay", "fan letter",
    "newspaper advertisement", "page proof", "letterhead", "membership card", "lecture script", "study",
    "school poster", "calendar", "notebook", "magazine article", "typed report", "folder of papers", "diary entry",
    "quiz card", "set of slides", "thesis", "newspaper page", "letter", "display board", "stamp", "banner",
    "framed page", "postcard", "jigsaw puzzle", "visitors' leaflet", "annual report", "brochure",
    "ticket stub from a showing",
))  # fmt: skip
"""Objects that nobody buys, lends or puts on display."""
_HELD = frozenset((
    "record sleeve", "handwritten copy", "test pressing", "printed score", "lobby card", "shooting script", "script",
    "storyboard", "first printing", "bound manuscript", "clothbound copy", "engraving", "survey map", "travel poster",
    "panorama", "flag", "yearbook", "badge", "facsimile", "poster", "collector's card", "scrapbook",
    "souvenir album", "picture book",
))  # fmt: skip
"""Objects that collectors hold and trade."""

_SUMS = (
    ("dollars", 1), ("pounds", 1), ("euros", 1), ("Swiss francs", 1), ("rupees", 40), ("crowns", 9), ("pesos", 15),
    ("Canadian dollars", 1), ("yen", 110), ("rand", 12),
)  # fmt: skip
"""Currencies, each with what a sum in the first of them is multiplied by."""

_SOON = ("spring", "autumn", "summer", "winter", *pools.MONTHS)


def for_all(entries: tuple[Entry, ...]) -> Mapping[str, tuple[Entry, ...]]:
    """One list of facts for every kind of subject."""
    return {"person": entries, "work": entries, "any": entries}


def around(rng: random.Random, kind: str, full: str) -> dict[str, str]:
    """The words for what stands around a subject of a kind, for the gaps of a wording."""
    sides = tuple(s for s in suiting(scenery.OBJECTS, kind) or scenery.OBJECTS["any"] if _suits(s))
    held = tuple(s for s in sides if s.noun in _HELD) or sides
    writing, surname = Side(rng.choice(_COPIED), "about"), rng.choice(pools.NEW_SURNAMES)
    currency, factor = rng.choice(_SUMS)
    group, other = rng.sample(_PEOPLE, 2)
    return {
        **_named("thing", rng.choice(sides), full), **_named("meeting", rng.choice(_MEETINGS), full),
        **_named("held", rng.choice(held), full), **_named("writing", writing, full),
        "a_writing": a_(writing.noun), "bare_writing": writing.noun,
        "group": group, "other_group": other, "halls": rng.choice(_HALLS), "book": rng.choice(_BOOKS),
        "soon": rng.choice(_SOON), "month": rng.choice(pools.MONTHS), "town": rng.choice(pools.INVENTED_PLACES),
        "sum": f"{rng.randint(19, 74) * factor:,} {currency}",
        "large_sum": f"{rng.randint(18, 74) * 50 * factor:,} {currency}",
        "few": rng.choice(_FEW), "share": rng.choice(_SHARES).format(p=rng.randint(78, 97)),
        "later": str(rng.choice(_YEARS)), "surname": surname,
        "someone": f"{rng.choice((*pools.NEW_FEMALE, *pools.NEW_MALE))} {surname}",
    }  # fmt: skip


def _named(gap: str, side: Side, full: str) -> dict[str, str]:
    """An object or gathering as a phrase of its own, for a relative clause, and for a remark before its subject."""
    return {
        f"a_{gap}": side.one.format(full=full),
        f"the_{gap}": side.this.format(full=full),
        f"of_{gap}": side.one.format(full="which"),
        f"it_{gap}": side.one.format(full="it"),
    }


_FEW = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirty")
_COPIED = ("leaflet", "handbook", "booklet", "brochure", "textbook", "fact sheet", "pamphlet", "picture book")
_YEARS = tuple(range(2051, 2119))
_SHARES = ("{p} per cent of", "{p} percent of", "{p}% of")


def _suits(side: Side) -> bool:
    """Whether the object can be sold or shown, and "a poster of which" can be said of it."""
    return side.noun not in _UNSUITED and side.prep not in ("with", "to", "from") and " from" not in side.noun


def beside(a: Analysis, rng: random.Random, subject: Subject | None = None) -> dict[str, str]:
    """The words for what stands around a subject, or around the person who is the answer; none without either."""
    found = subject or anchor_of(a)
    return {} if found is None else around(rng, fact_kind(a, found), found.full)


def lands_for(a: Analysis, rng: random.Random) -> dict[str, str]:
    """Two countries of which the instance does not speak."""
    free = [land for land in pools.NEW_COUNTRIES if not has_word(f"{a.query} {a.text}", land)]
    one, two = rng.sample(free, 2)
    return {"land": one, "other_land": two}
