"""What the rules that ask new questions share: wording, asides, and promises about the result."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass

from perturb.records import Cell, Intensity, PerturbationClass
from perturb.rules.analyse import Analysis
from perturb.rules.answer_person import is_clean
from perturb.rules.rule import Draft, Rule
from perturb.rules.subjects import Subject, subject_of
from perturb.rules.topics import is_cased
from perturb.rules.words import capitalise, content_stems, has_word, spans_of, stem, tokens

MAX_WORDS = 45
"""A question longer than this is no longer one that somebody asks."""

_AFTER_TOPIC = re.compile(
    r"^ (?:first |originally |finally |last )?(?:founded|released|filmed|located|made|written|published|built|"
    r"open(?:ed)?|start(?:ed)?|begin|end|happen|created|formed|aired|premiered?|established|recorded|come out|"
    r"coming out|take place|set|held|shot|played|become popular)\b[^,]{0,40}$"
)
_DIRECT = re.compile(
    r"^(?:when|where) (?:was|were|is|are|did|does|do) (?:(?:the |first |new )*"
    r"(?:song|movie|film|book|tv show|novel|remake|season \d+)(?: of| for)? |the )?$",
    re.IGNORECASE,
)
_OBJECT_WH = (
    "who ",
    "when ",
    "where ",
    "what ",
    "which ",
    "how many ",
    "how long ",
    "how much ",
    "what's ",
    "how ",
)


Applies = Callable[[Analysis], bool]
Apply = Callable[[Analysis, random.Random], Draft | None]


@dataclass(frozen=True, slots=True)
class Kit:
    """How people deal with a sort of thing, for sentences and questions that are made up about it."""

    item: str
    """A thing that can be kept and counted: "recording", "map"."""
    prep: str
    people: str
    person: str
    meet: str
    met: str
    """Participle of `meet`."""


KITS: dict[str, Kit] = {
    "music": Kit("recording", "of", "listeners", "listener", "hear", "heard"),
    "film": Kit("print", "of", "viewers", "viewer", "see", "seen"),
    "series": Kit("box set", "of", "viewers", "viewer", "watch", "watched"),
    "book": Kit("copy", "of", "readers", "reader", "read", "read"),
    "stage": Kit("script", "of", "theatregoers", "theatregoer", "see", "seen"),
    "game": Kit("copy", "of", "players", "player", "play", "played"),
    "place": Kit("map", "of", "visitors", "visitor", "visit", "visited"),
    "body": Kit("booklet", "about", "people", "person", "hear of", "heard of"),
    "event": Kit("booklet", "about", "people", "person", "read about", "read about"),
    "thing": Kit("booklet", "about", "people", "person", "read about", "read about"),
    "person": Kit("booklet", "about", "people", "person", "hear of", "heard of"),
}


def a_(noun: str) -> str:
    """A noun with its indefinite article.

    >>> a_("album"), a_("song")
    ('an album', 'a song')
    """
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"


def fill(rng: random.Random, wordings: tuple[str, ...], /, **values: str) -> str:
    """One of the wordings with its gaps filled; the values are data and stay as they are."""
    return rng.choice(wordings).format(**values)


def told_in(rng: random.Random, wordings: tuple[str, ...], told: str, **values: str) -> str:
    """A wording about a person told with the deed, with the comma that closes the relative clause."""
    closed = f"{told}," if ", who " in told else told
    return re.sub(r",(?=[?,.])", "", fill(rng, wordings, told=closed, **values))


def slots(s: Subject) -> dict[str, str]:
    """The words for a subject that wordings have gaps for."""
    kit = KITS[s.sort]
    noun = s.noun or {"person": "person", "event": "event"}.get(s.sort, "subject")
    return {
        "full": s.full, "name": s.name, "noun": noun, "a_noun": a_(noun), "item": kit.item, "prep": kit.prep,
        "items": kit.item + ("s" if not kit.item.endswith("y") else "") if kit.item != "copy" else "copies",
        "people": kit.people, "person": kit.person, "meet": kit.meet, "met": kit.met,
    }  # fmt: skip


def question_of(text: str) -> str:
    """A whole question made ready for print."""
    body = re.sub(r"\s+", " ", text).strip().rstrip("?. ")
    return f"{capitalise(body)}?"


def printed(a: Analysis, text: str) -> str:
    """A question spliced from the original: clean where its names are known, else in the original's style."""
    body = re.sub(
        r"\b(wrote|sang|sings) ((?:theme )?song)\b", r"\1 the \2", re.sub(r"\s+", " ", text).strip()
    )
    original = a.instance.query.strip()
    if is_cased(original):
        return body.rstrip("? ") + ("?" if original.endswith("?") else "")
    if is_clean(a):
        return question_of(body)
    return body.lower().rstrip("? ") + ("?" if original.endswith("?") else "")


def asks(a: Analysis) -> bool:
    """Whether the query is a question that begins with its question word."""
    low = a.instance.query.lower().strip()
    return low.startswith(_OBJECT_WH) and len(tokens(low)) <= 16


def splice_place(a: Analysis) -> tuple[int, int] | None:
    """Where the subject stands in the query, if an aside can be set after it."""
    subject = subject_of(a)
    if subject is None or subject.span is None or not asks(a):
        return None
    return subject.span if _open_after(a, *subject.span) else None


def _open_after(a: Analysis, start: int, end: int) -> bool:
    query = a.query
    head, rest = query[:start], query[end:].rstrip("? ")
    if re.search(r"\b(?:and|or)\s+(?:the )?$", head):
        return False
    return not rest or bool(is_clean(a) and _DIRECT.match(head) and _AFTER_TOPIC.match(rest))


def spliced(a: Analysis, aside: str, place: tuple[int, int] | None = None) -> str | None:
    """The query with an aside after its subject, between commas; None where there is no place for one."""
    where = place or splice_place(a)
    if where is None:
        return None
    head, rest = a.query[: where[1]], a.query[where[1] :].rstrip("? ")
    return printed(a, f"{head}, {aside}{',' if rest else ''}{rest}")


def low_rule(cls: PerturbationClass, lever: str, precondition: str, applies: Applies, apply: Apply) -> Rule:
    """A rule whose draft must keep the original answer."""
    return Rule(lever, Cell(cls, Intensity.LOW), precondition, applies, apply, _keeps_answer)


def refusal_rule(
    cls: PerturbationClass,
    intensity: Intensity,
    lever: str,
    precondition: str,
    applies: Applies,
    apply: Apply,
) -> Rule:
    """A rule whose draft asks something that must be refused."""
    return Rule(lever, Cell(cls, intensity), precondition, applies, apply, _asks_anew)


def _well_formed(a: Analysis, draft: Draft) -> str | None:
    query = draft.query
    if query != query.strip() or "\n" in query or "  " in query or not query:
        return "stray blanks in the question"
    if len(query.split()) > MAX_WORDS:
        return "the question is too long"
    if (
        re.search(r"\b(the the|a a|an an|of of|the The|the a|a the|,,| ,|who who)\b", query)
        or query.count('"') % 2
    ):
        return "the question is not well formed"
    for old, new in zip(a.instance.passages, draft.passages, strict=True):
        if old.title != new.title or old.role != new.role:
            return "more than a passage's text was changed"
    if sum(o.text != n.text for o, n in zip(a.instance.passages, draft.passages, strict=True)) > 1:
        return "more than one passage was changed"
    return None


def _keeps_answer(a: Analysis, draft: Draft) -> str | None:
    for cluster in a.clusters:
        for alias in cluster.aliases:
            before = sum(len(spans_of(p.text, alias)) for p in a.instance.passages)
            if sum(len(spans_of(p.text, alias)) for p in draft.passages) < before:
                return "an answer was lost"
    if any(has_word(draft.query, alias) for cluster in a.clusters for alias in cluster.aliases):
        return "the question says the answer"
    lost = content_stems(a.instance.query) - {stem(t) for t in tokens(draft.query)}
    if len(lost) > 1:
        return "the question asks for something else"
    return _well_formed(a, draft)


def _asks_anew(a: Analysis, draft: Draft) -> str | None:
    if draft.query.lower().rstrip("? ") == a.instance.query.lower().rstrip("? "):
        return "the question is still the original one"
    return _well_formed(a, draft)


def with_query(a: Analysis, query: str, reasoning: str) -> Draft:
    """A draft that changes the question alone."""
    return Draft(query, a.instance.passages, reasoning)
