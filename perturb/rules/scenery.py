"""What may stand around any subject: objects, gatherings, groups of people. Every class draws from here.

What one class alone spoke of would tell the class of an item by a word (see `docs/offline-engine.md`, Fingerprints).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Side(NamedTuple):
    """Something about a subject: a noun and how it is tied to the subject."""

    noun: str
    prep: str

    @property
    def one(self) -> str:
        """With the indefinite article and a gap for the subject.

        >>> Side("essay", "on").one
        'an essay on {full}'
        """
        return f"{'an' if self.noun[0] in 'aeiou' else 'a'} {self.noun} {self.prep} {{full}}"

    @property
    def this(self) -> str:
        """With the definite article and a gap for the subject."""
        return f"the {self.noun} {self.prep} {{full}}"

    @property
    def of_which(self) -> str:
        """For a relative clause.

        >>> Side("essay", "on").of_which
        'on which an essay'
        """
        return f"{self.prep} which {'an' if self.noun[0] in 'aeiou' else 'a'} {self.noun}"


def _sides(text: str) -> tuple[Side, ...]:
    """Nouns, each with the last word as its preposition, parted by commas."""
    return tuple(Side(*" ".join(part.split()).rsplit(" ", 1)) for part in text.split(","))


OBJECTS: Mapping[str, tuple[Side, ...]] = {
    "music": _sides(
        """
        songbook with, lyric sheet of, printed score of, record sleeve of, sheet of music from, pressing of,
        piano arrangement of, choir edition of, handwritten copy of, test pressing of
        """
    ),
    "film": _sides(
        """
        lobby card from, press kit for, cinema programme for, shooting script of, ticket stub from a showing of,
        film magazine about, photograph from, disc of, storyboard for, trade advertisement for
        """
    ),
    "series": _sides(
        """
        box set of, call sheet from, press kit for, fan magazine about, script of, photograph from the set of,
        television guide about, title card from, storyboard for, quiz book about
        """
    ),
    "book": _sides(
        """
        paperback of, first printing of, page proof of, book jacket of, large-print edition of, pocket edition of,
        bound manuscript of, clothbound copy of, reading guide to, school edition of
        """
    ),
    "place": _sides(
        """
        plan of, guidebook to, aerial photograph of, survey map of, engraving of, picture postcard of, relief model of,
        visitors' leaflet about, panorama of, travel poster of
        """
    ),
    "body": _sides(
        """
        badge of, yearbook of, membership card of, letterhead of, annual report of, flag of, brochure about,
        banner of, group photograph of, handbook of
        """
    ),
    "text": _sides("facsimile of, printed copy of, wall chart about, study edition of, framed page of, translation of"),
    "work": _sides(
        """
        poster for, collector's card about, review of, essay on, fan letter about,
        newspaper advertisement for, collector's guide to
        """
    ),
    "any": _sides(
        """
        book on, booklet about, handbook on, scrapbook about, leaflet on, lecture script on, study on,
        school poster about, calendar about, wall chart about, notebook on, magazine article on, typed report on,
        pamphlet on, picture book about, folder of papers on, diary entry about, quiz card about, set of slides on,
        souvenir album on, thesis on, newspaper page about, collection of essays on, letter about, jigsaw puzzle about,
        display board about, board game about, postcard about, stamp about, banner about
        """
    ),
}  # fmt: skip
"""Things of paper and the like, that can be looked at, measured, kept, printed and sold; by the kind of the subject."""

GATHERINGS: tuple[Side, ...] = _sides(
    """
    lecture on, exhibition on, evening class on, quiz about, talk about, panel on, debate about, conference on,
    slide show about, school project on, workshop on, film evening about, reading about, seminar on, course on,
    radio programme about, discussion of, museum display about, podcast about, study day on, open evening about,
    walk-in session on, round table on, library display about, summer school on, televised debate about
    """
)
"""What people come to, hear or hold."""

GROUPS: tuple[str, ...] = (
    "teachers", "librarians", "nurses", "students", "commuters", "retired people", "bakers", "taxi drivers",
    "office workers", "readers", "museum visitors", "shop assistants", "sailors", "gardeners", "engineers",
    "journalists", "farmers", "hikers", "parents", "secondary schools", "public libraries", "bookshops",
    "village halls", "community centres", "choirs", "reading groups", "youth clubs", "hotels", "cafés", "hospitals",
)  # fmt: skip
"""People and places that can be counted and asked."""
