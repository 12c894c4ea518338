"""What an instance is about, in words that a new question can use: "the song Emma Lee", "the Suez Canal"."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from perturb.records import Passage
from perturb.rules import pools
from perturb.rules.analyse import Analysis
from perturb.rules.answer_person import answer_person_of, is_small_word
from perturb.rules.answers import gender_of
from perturb.rules.subject_kinds import NAME_TAILS, SORTS, WORKS, Sort, defined, noun_of
from perturb.rules.subject_names import (
    called_by_surname,
    full_name,
    has_cut_title,
    is_good_name,
    is_like_person,
    same_name,
    with_its_article,
)
from perturb.rules.topics import Topic, bare_title, proper_title
from perturb.rules.words import plain, spans_of

__all__ = ["WORKS", "Subject", "about_thing", "anchor_of", "appeared_in", "edited_passage", "subject_of"]


@dataclass(frozen=True, slots=True)
class Subject:
    """A thing that a passage is about."""

    name: str
    noun: str
    """`song`, `film`, `river`, …; empty for a plain thing."""
    sort: Sort
    full: str
    """How a sentence names it: a work with its noun, other things with their article."""
    passage: int
    """The passage whose title it is."""
    definition: str
    """What that passage says it is: the sentence that defines it, or nothing."""
    year: int | None
    """The year of its first appearance, where the definition gives just one."""
    gender: str | None = None
    """Of a person."""
    span: tuple[int, int] | None = None
    """Where it stands in the query."""


_YEAR = re.compile(r"\b(1[5-9]\d\d|20[01]\d)\b")


def subject_of(a: Analysis) -> Subject | None:
    """The subject of an instance: its topic, else the person or named thing that the answering passage is titled by."""
    return _subject(a.query, a.instance.passages, a.topic, _home(a))


def _home(a: Analysis) -> int:
    return edited_passage(a) or 0


def edited_passage(a: Analysis) -> int | None:
    """The first signal passage that holds an answer: the one that a rule may edit."""
    passages = a.instance.passages
    return next((m.passage for m in a.mentions if passages[m.passage].role == "signal"), None)


_TOO_WIDE = frozenset((*pools.COUNTRIES, *pools.US_STATES, "First Lady", "President of the United States"))


@lru_cache(maxsize=64)
def _subject(query: str, passages: tuple[Passage, ...], topic: Topic | None, home: int) -> Subject | None:
    if topic is None or not topic.whole_title:
        work = _work_at_end(query, passages, home)
        if work is not None:
            return work
    found = _titled(query, passages, topic, home)
    if found is None:
        found = _name_at_end(query, passages, home)
        return None if found is None or _plural(found) else found
    if _plural(found):
        return None
    if topic is not None and topic.whole_title and topic.text == found.name:
        return replace(found, span=(topic.start, topic.end))
    return found


def _plural(s: Subject) -> bool:
    """Whether a name calls for a verb in the plural, as "the San Juan Mountains" does."""
    first, last = plain(s.name.split()[0]), plain(s.name.rsplit(maxsplit=1)[-1])
    if s.sort in WORKS or s.sort == "person":
        return False
    return first in ("battles", "islands") or (
        len(last) > 3
        and last.endswith("s")
        and not last.endswith(("ss", "us", "is"))
        and last not in ("series", "olympics")
    )


def _name_at_end(query: str, passages: tuple[Passage, ...], home: int) -> Subject | None:
    """A name of several words that ends the query and stands in the answering passage just so."""
    found = re.search(
        r" (?:in|on|of|for|at|by|from|the) ((?:[A-Z][\w'’.&–-]*)(?: (?:of |the |and |for )*[A-Z][\w'’.&–-]*)+)$",
        query.rstrip("? "),
    )
    if found is None or home >= len(passages):
        return None
    name = found.group(1)
    if name not in passages[home].text or not is_good_name(name) or is_like_person(name) or name in _TOO_WIDE:
        return None
    if any(name in title and name != title for title in map(proper_title, passages)):
        return None
    tail = plain(name.rsplit(maxsplit=1)[-1])
    sort = SORTS.get(tail, "thing")
    noun = tail if tail in NAME_TAILS and sort in ("place", "body", "event") else ""
    full = full_name(name, noun, sort if noun else "thing", query, passages)
    return Subject(name, noun, sort if noun else "thing", full, home, "", None, None, found.span(1))


def _work_at_end(query: str, passages: tuple[Passage, ...], home: int) -> Subject | None:
    """The film or series in which, by the end of the query, somebody played a part."""
    found = re.match(
        r"who (?:plays?|played|voices?|voiced|portray\w+) .+ (?:in|on|from) "
        r"((?:the )?(?:[A-Z][\w'’.&]*(?: |$)|of |the |and |in |to |\d+$)+)$",
        query,
    )
    if found is None or home >= len(passages):
        return None
    name, text = found.group(1), passages[home].text
    bare = re.sub(r"^the ", "", name)
    if not spans_of(f"{passages[home].title} {text}", bare) or not bare[:1].isupper() or len(bare) < 4:
        return None
    films = len(re.findall(r"\b(?:films?|movies?|blockbuster)\b", text, re.IGNORECASE))
    shows = len(re.findall(r"\b(?:series|seasons?|sitcom|episodes?|show)\b", text, re.IGNORECASE))
    if (not films and not shows) or (films and shows and not (films >= 3 * shows or shows >= 3 * films)):
        return None
    noun: str = "film" if films > shows else "series"
    return Subject(
        bare,
        noun,
        "film" if films > shows else "series",
        f"the {noun} {with_its_article(bare, passages)}",
        home,
        "",
        None,
        None,
        found.span(1),
    )


def _titled(query: str, passages: tuple[Passage, ...], topic: Topic | None, home: int) -> Subject | None:
    if topic is not None and topic.whole_title:
        at = next((i for i, p in enumerate(passages) if same_name(proper_title(p), topic.text)), home)
        name = topic.text
    elif home < len(passages):
        at, name = home, bare_title(passages[home].title)
    else:
        return None
    passage = passages[at]
    if is_small_word(name, passage.text):
        return None
    if not is_good_name(name) or has_cut_title(passage.title, name):
        return None
    words, definition = defined(name, passage)
    if re.search(
        r"\b(?:character|superhero|surname|given name|person|protagonist|monster)\b", " ".join(words)
    ):
        return None
    noun = noun_of(words, passage, name, query)
    sort = SORTS.get(noun, "thing")
    in_query = topic is not None and topic.whole_title
    if not in_query and sort not in ("person", "body", "place"):
        return None
    if not spans_of(passage.text, name) and not in_query:
        return None
    if (
        words
        and not noun
        and re.search(r"\b(?:character|surname|given name|person|protagonist)\b", " ".join(words))
    ):
        return None
    if sort == "person":
        return _person(name, noun, at, passage, definition)
    years = set(_YEAR.findall(definition))
    year = int(years.pop()) if len(years) == 1 else None
    if sort == "thing" and (len(name.split()) < 2 or is_like_person(name)):
        return None
    if not definition and sort != "place" and (is_like_person(name) or called_by_surname(name, passage.text)):
        return None
    return Subject(name, noun, sort, full_name(name, noun, sort, query, passages), at, definition, year)


def _person(name: str, noun: str, at: int, passage: Passage, definition: str) -> Subject | None:
    words = name.split()
    known = plain(words[0]) in pools.MALE_NAMES | pools.FEMALE_NAMES
    if not 2 <= len(words) <= 4 or not all(w[0].isupper() for w in words) or not known:
        return None
    born = re.search(r"\b(?:1[5-9]|20)\d\d\b", definition)
    year = int(born.group()) if born else None
    return Subject(name, noun, "person", name, at, definition, year, gender_of(name, passage.text))


_APPEARANCE = re.compile(
    r"\b(?:released|published|premiered|aired|founded|established|opened|broadcast|formed|debuted)\b[^.;]{0,40}?"
    r"\b(1[5-9]\d\d|20[01]\d)\b"
)


def appeared_in(a: Analysis, s: Subject) -> int | None:
    """The one year in which a subject came out or began, by its definition or else by the whole passage."""
    if s.year is not None:
        return s.year
    years = set(_APPEARANCE.findall(a.instance.passages[s.passage].text))
    years |= set(re.findall(r"\b(?:is|was) an? (1[5-9]\d\d|20[01]\d) ", s.definition))
    return int(years.pop()) if len(years) == 1 and s.sort != "person" else None


def about_thing(a: Analysis) -> bool:
    """Whether the instance has a subject that is no person."""
    subject = subject_of(a)
    return subject is not None and subject.sort != "person"


def anchor_of(a: Analysis) -> Subject | None:
    """The subject, or else the real person who is the answer."""
    subject = subject_of(a)
    if subject is not None:
        return subject
    doer = answer_person_of(a)
    if doer is None:
        return None
    return Subject(doer.name, "person", "person", doer.name, _home(a), "", None, doer.gender)
