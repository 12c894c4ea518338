"""What P-EpistemicMismatch sets around a subject: an object, a gathering, people, sums and times, drawn at random."""

from __future__ import annotations

import random
from collections.abc import Mapping

from perturb.rules import pools, scenery
from perturb.rules.analyse import Analysis
from perturb.rules.kinds import Entry, kind_of, suiting
from perturb.rules.scenery import Side
from perturb.rules.subjects import Subject, anchor_of
from perturb.rules.words import has_word

_ON_AIR = ("programme", "podcast", "televised", "project", "discussion", "course", "school", "display")
_MEETINGS = tuple(s for s in scenery.GATHERINGS if not any(word in s.noun for word in _ON_AIR))
"""Gatherings that people come to, in one place and on one day."""

_HOUSES = ("secondary schools", "public libraries", "bookshops", "village halls", "community centres", "choirs",
           "reading groups", "youth clubs", "hotels", "cafés", "hospitals")  # fmt: skip
_PEOPLE = tuple(group for group in scenery.GROUPS if group not in _HOUSES)
_HALLS = ("public libraries", "village halls", "community centres", "secondary schools", "hotels")

_HEARD = ("notice", "website", "documentary", "radio", "label", "footnote", "card", "blog", "obituary", "press",
          "preface", "fact", "programme")  # fmt: skip
_READ = tuple(text for text in scenery.WRITINGS if not any(word in text for word in _HEARD))
"""Writings with pages."""

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
    sides = tuple(s for s in suiting(scenery.OBJECTS, kind) or scenery.OBJECTS["any"] if _plain(s))
    thing, meeting = rng.choice(sides), rng.choice(_MEETINGS)
    writing, surname = rng.choice(_COPIED), rng.choice(pools.NEW_SURNAMES)
    currency, factor = rng.choice(_SUMS)
    group, other = rng.sample(_PEOPLE, 2)
    return {
        "a_thing": thing.one.format(full=full), "the_thing": thing.this.format(full=full), "of_thing": thing.of_which,
        "it_thing": thing.one.format(full="it"),
        "bare_thing": thing.noun,
        "a_meeting": meeting.one.format(full=full), "the_meeting": meeting.this.format(full=full),
        "of_meeting": meeting.of_which,
        "it_meeting": meeting.one.format(full="it"), "bare_meeting": meeting.noun,
        "group": group, "other_group": other, "halls": rng.choice(_HALLS), "writing": rng.choice(_READ),
        "soon": rng.choice(_SOON), "month": rng.choice(pools.MONTHS), "town": rng.choice(pools.INVENTED_PLACES),
        "sum": f"{rng.randint(9, 74) * factor:,} {currency}", "few": rng.choice(_FEW),
        "share": rng.choice(_SHARES).format(p=rng.randint(78, 97)), "later": str(rng.choice(_YEARS)),
        "a_writing": f"a {writing}", "bare_writing": writing,
        "surname": surname, "someone": f"{rng.choice((*pools.NEW_FEMALE, *pools.NEW_MALE))} {surname}",
    }  # fmt: skip


_FEW = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirty")
_COPIED = (
    "leaflet",
    "handbook",
    "guide",
    "brochure",
    "study",
    "textbook",
    "booklet",
    "fact sheet",
    "school book",
)
_YEARS = tuple(range(2051, 2119))
_SHARES = ("{p} per cent of", "{p} percent of", "{p}% of", "fully {p}% of")


def _plain(side: Side) -> bool:
    """Whether "of which a" can stand before the noun."""
    return (
        side.prep not in ("with", "to")
        and " from" not in side.noun
        and not side.noun.startswith("photograph from")
    )


def beside(a: Analysis, rng: random.Random, subject: Subject | None = None) -> dict[str, str]:
    """The words for what stands around a subject, or around the person who is the answer; none without either."""
    found = subject or anchor_of(a)
    return {} if found is None else around(rng, kind_of(a, found), found.full)


def lands_for(a: Analysis, rng: random.Random) -> dict[str, str]:
    """Two countries of which the instance does not speak."""
    free = [land for land in pools.NEW_COUNTRIES if not has_word(f"{a.query} {a.text}", land)]
    one, two = rng.sample(free, 2)
    return {"land": one, "other_land": two}
