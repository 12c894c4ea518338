"""A small scene about a subject, from what all classes share: a thing, an event, places, people and numbers."""

from __future__ import annotations

import random
from collections.abc import Mapping

from perturb.rules import pools, scenery
from perturb.rules.analyse import Analysis
from perturb.rules.fact_kinds import Entry, Pair, fact_kind, suiting
from perturb.rules.passage_edits import addition_place, planted
from perturb.rules.query_edits import a_
from perturb.rules.rule import Draft
from perturb.rules.scenery import Side
from perturb.rules.subjects import Subject, anchor_of
from perturb.rules.values import new_person
from perturb.rules.words import has_word, plural

_NOT_TANGIBLE = frozenset(
    {
        "essay", "review", "study", "thesis", "diary entry", "magazine article", "translation", "collection of essays",
        "set of slides", "choir edition", "piano arrangement", "large-print edition", "pocket edition",
        "school edition", "study edition", "panorama", "trade advertisement", "newspaper advertisement", "page proof",
        "test pressing", "pressing", "ticket stub from a showing", "photograph from the set", "stamp", "banner",
        "quiz card", "letterhead", "title card", "call sheet", "sheet of music", "folder of papers", "lecture script",
    }
)  # fmt: skip
"""Things that are texts or scraps rather than objects with a size, a price and a place where they are kept."""
_SINGLE = frozenset(
    {
        "fan letter", "letter", "notebook", "scrapbook", "folder of papers", "typed report", "handwritten copy",
        "bound manuscript", "diary entry", "lecture script", "shooting script", "storyboard",
        "display board", "relief model", "group photograph", "framed page", "first printing", "souvenir album",
        "flag", "badge", "record sleeve", "book jacket", "membership card", "newspaper page", "aerial photograph",
        "photograph", "engraving", "clothbound copy", "printed copy",
    }
)  # fmt: skip
"""Things of which there is one, or which are not sold over a counter."""
_BOOKS = frozenset(
    {
        "book",
        "handbook",
        "picture book",
        "film magazine",
        "box set",
        "quiz book",
        "television guide",
        "fan magazine",
        "paperback",
        "clothbound copy",
        "yearbook",
        "annual report",
        "facsimile",
        "printed copy",
    }
)
"""Things of many pages, that stand on a shelf, are lent by libraries and can be weighed."""
_WALL = frozenset(
    {
        "poster",
        "school poster",
        "travel poster",
        "wall chart",
        "engraving",
        "survey map",
        "aerial photograph",
        "display board",
        "group photograph",
        "framed page",
    }
)
"""Things that hang on a wall."""
_LIVE = frozenset(
    {
        "lecture",
        "evening class",
        "quiz",
        "talk",
        "debate",
        "slide show",
        "workshop",
        "seminar",
        "conference",
    }
)
"""What takes place in one room at one time."""

EVENTS: tuple[Side, ...] = tuple(side for side in scenery.GATHERINGS if side.noun in _LIVE)
_OTHERS = frozenset(
    {
        "secondary schools", "public libraries", "bookshops", "village halls", "community centres", "choirs",
        "reading groups", "youth clubs", "hotels", "cafés", "hospitals", "readers", "museum visitors", "commuters",
    }
)  # fmt: skip
"""Houses and bodies, and people who are only what they are while they read, visit or travel."""
PEOPLE: tuple[str, ...] = tuple(group for group in scenery.GROUPS if group not in _OTHERS)


def _is_tangible(side: Side) -> bool:
    return side.noun not in _NOT_TANGIBLE and side.prep not in ("to", "with")


def scene(a: Analysis, s: Subject, rng: random.Random) -> dict[str, str]:
    """Words for the gaps of a wording: a thing and an event about the subject, three places and three sorts of people.

    `one`, `this` and `many` name the thing, `event`, `that` and `events` the event, `print` and `prints` something of
    which there are many copies, `book` and `wall` something to read and something that hangs; `which` and the gaps
    that end in it open a relative clause about each.
    """
    kind = "any" if s.sort == "person" else fact_kind(a, s)
    tangible = [side for side in suiting(scenery.OBJECTS, kind) if _is_tangible(side)]
    found = rng.choice(tangible)
    printed = rng.choice([side for side in tangible if side.noun not in _SINGLE])
    wider = [*tangible, *filter(_is_tangible, scenery.OBJECTS["any"])]
    book = rng.choice([side for side in wider if side.noun in _BOOKS])
    wall = rng.choice([side for side in wider if side.noun in _WALL])
    event = rng.choice(EVENTS)
    free = [place for place in pools.INVENTED_PLACES if not has_word(f"{a.query} {a.text}", place)]
    places, people = rng.sample(free, 3), rng.sample(PEOPLE, 3)
    return {
        "one": found.one.format(full=s.full),
        "this": found.this.format(full=s.full),
        "many": f"{plural(found.noun)} {found.prep} {s.full}",
        "kind": found.noun,
        "prep": found.prep,
        "which": found.of_which,
        "print": printed.one.format(full=s.full),
        "prints": f"{plural(printed.noun)} {printed.prep} {s.full}",
        "print_kind": printed.noun,
        "print_kinds": plural(printed.noun),
        "print_prep": printed.prep,
        "print_which": printed.of_which,
        "book": book.one.format(full=s.full),
        "book_this": book.this.format(full=s.full),
        "books": f"{plural(book.noun)} {book.prep} {s.full}",
        "book_kind": book.noun,
        "book_prep": book.prep,
        "book_which": book.of_which,
        "a_book": a_(book.noun),
        "wall": wall.one.format(full=s.full),
        "wall_this": wall.this.format(full=s.full),
        "wall_which": wall.of_which,
        "a_wall": a_(wall.noun),
        "event": event.one.format(full=s.full),
        "that": event.this.format(full=s.full),
        "events": f"{plural(event.noun)} {event.prep} {s.full}",
        "meeting": event.noun,
        "meetings": plural(event.noun),
        "event_prep": event.prep,
        "at_which": event.of_which,
        **{f"p{i}": place for i, place in enumerate(places, start=1)},
        **{f"f{i}": folk for i, folk in enumerate(people, start=1)},
    }


def told(
    a: Analysis, rng: random.Random, shapes: tuple[Pair, ...], why: str, /, **values: str
) -> Draft | None:
    """A draft with one of the shapes about a scene: its sentence in the passage, its question in place of the query."""
    subject = anchor_of(a)
    if subject is None:
        return None
    return planted(a, rng.choice(shapes), why, **{**scene(a, subject, rng), **values})


def things(*entries: Entry) -> Mapping[str, tuple[Entry, ...]]:
    """A bank whose entries suit every kind of subject but persons."""
    return {"work": entries, "any": entries}


def names(a: Analysis, rng: random.Random, count: int) -> list[str] | None:
    """Names of invented persons that share no part with each other or with the passages; None if there are too few."""
    found: list[str] = []
    parts: set[str] = set()
    for _ in range(4 * count):
        name = new_person(rng.choice("mf"), a.text, rng)
        if name is not None and parts.isdisjoint(name.split()) and not has_word(a.text, name):
            found.append(name)
            parts.update(name.split())
        if len(found) == count:
            return found
    return None


def takes_any(a: Analysis) -> bool:
    """A precondition: there is a subject, and the passage takes an addition."""
    return anchor_of(a) is not None and addition_place(a) is not None
