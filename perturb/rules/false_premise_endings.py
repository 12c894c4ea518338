"""Stopped before it began, at MEDIUM: the passage's dates rule out the end that the question speaks of."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping

from perturb.rules import false_premise_medium_words as say
from perturb.rules.analyse import Analysis
from perturb.rules.answer_person import answer_person_of, is_clean
from perturb.rules.answers import AnswerType
from perturb.rules.false_premise_denials import says_verb
from perturb.rules.query_edits import fill, question_of, told_in, with_query
from perturb.rules.question_parsing import inflected
from perturb.rules.rule import Draft
from perturb.rules.subjects import Subject, appeared_in, subject_of

_BEGAN = re.compile(
    r"^when (?:was|is|did|does) (?:the )?(?:song |movie |film |book |novel |tv show |show )?\x00 (?:first )?"
    r"(?:founded|released|published|written|built|created|made|opened|open|established|formed|aired|air|premiered?|"
    r"start|begin|come out|coming out)$"
)


def _beginning(a: Analysis, s: Subject) -> int | None:
    """The year in which the subject began, by the passage or by the answer."""
    if a.answer_type in (AnswerType.DATE, AnswerType.YEAR) and s.span is not None:
        query = a.query.rstrip("? ")
        bare = f"{query[: s.span[0]].lower()}\x00{query[s.span[1] :].lower()}"
        year = re.search(r"\b(1[5-9]\d\d|20[01]\d)\b", a.answer)
        return int(year.group()) if year and _BEGAN.match(bare) and a.single_answer else s.year
    return appeared_in(a, s)


_OPPOSITES: Mapping[str, tuple[str, str]] = {
    "open": ("closed", ""), "start": ("ended", ""), "begin": ("ended", ""), "join": ("left", ""), "go": ("left", "to"),
    "move": ("left", "to"), "arrive": ("left", "in"), "premiere": ("ended", ""), "air": ("ended", ""),
    "debut": ("ended", ""), "happen": ("ended", ""), "occur": ("ended", ""),
}  # fmt: skip
"""A verb of beginning: the past of the verb that ends it, and the preposition that falls away."""
_UNDONE: Mapping[str, str] = {
    "open": "closed", "opened": "closed", "created": "abolished", "founded": "dissolved", "established": "dissolved",
    "released": "withdrawn", "introduced": "abolished", "built": "torn down",
    "formed": "dissolved", "published": "withdrawn", "aired": "taken off the air", "broadcast": "taken off the air",
    "signed": "revoked", "adopted": "dropped", "ratified": "repealed", "passed": "repealed", "launched": "shut down",
}  # fmt: skip


_BEGUN_AGAIN = re.compile(
    r"\b(?:again|return(?:s|ed)?|reopen\w*|remake|reviv\w+|reinstat\w+|relaunch\w*|predecessor|earlier|old)\b",
    re.IGNORECASE,
)


def _start_year(a: Analysis) -> int | None:
    """The year that answers a when-question, where the passage says plainly that this began then."""
    q = a.question
    year = re.search(r"\b(1[5-9]\d\d|20[012]\d)\b", a.answer)
    fit = (
        q is not None and q.gap == "date" and not q.after and a.single_answer and is_clean(a) and says_verb(a)
    )
    if re.search(r"\b(?:at least|about|around|early|late|mid|by)\b", a.answer.lower()):
        return None
    again = re.search(r"\b(?:last|again|return|second|reopen|re-|remake|new)\b", a.query, re.I)
    return int(year.group()) if fit and year and not again and not _BEGUN_AGAIN.search(a.text) else None


def _stop(a: Analysis) -> tuple[str, str, int] | None:
    """Who or what ended, how, and the year in which that began by the passage."""
    q, began = a.question, _start_year(a)
    if q is None or began is None:
        return None
    did = re.match(r"when (?:did|does) ", a.query)
    verb = inflected(q.verb.lower(), "VB") or ""
    if did and verb in _OPPOSITES and q.before.count(f" {q.verb} ") <= 1:
        who, _, rest = f"{q.before} ".partition(f" {q.verb} ")
        end, prep = _OPPOSITES[verb]
        rest = re.sub(rf"^{prep} ", "", rest) if prep else rest
        return who, f"{end} {rest}".strip(), began
    if did and verb == "come" and q.before.endswith(f" {q.verb} out"):
        return q.before.removesuffix(f" {q.verb} out"), "was withdrawn", began
    made = re.match(r"when was (.+) (\w+)$", a.query.rstrip("? "))
    if made and made.group(2) in _UNDONE and not re.search(r"\bfirst\b", made.group(1)):
        return made.group(1), f"was {_UNDONE[made.group(2)]}", began
    return None


_LIFE = r"\((?:[^()]*?\bborn )?[^()\d]*(?:\d{1,2}[^()\d]*)?\b(1[4-9]\d\d|200\d)\b(?=\)|,| ?[–-]| in\b)"
"""The bracket after a person's name, up to the year of birth."""
_FULL_NAME = r"[A-Z][a-z]+(?: [A-Z][\w.]*){1,3}"


def _born(a: Analysis) -> tuple[str, int] | None:
    """A person, told with the deed, and the year of birth that the passage gives in brackets after the name."""
    doer, s = answer_person_of(a), subject_of(a)
    names = [(doer.name, doer.relative)] if doer else []
    if s is not None and s.sort == "person":
        names.append((s.name, s.name))
    for name, told in names:
        found = re.search(rf"{re.escape(name)} {_LIFE}", a.text)
        if found:
            return told, int(found.group(1))
    other = re.match(rf"({_FULL_NAME}) {_LIFE}(?=[^.]*\b(?:is|was) an?\b)", a.text)
    return (other.group(1), int(other.group(2))) if other else None


_RECENT = 1930
"""What began later may have been on the radio."""


_BANDS = ("band", "group", "duo", "trio")
_YEARS_OF_BUILDING = 12
"""A place may have been there for so long before it opened."""


def ended_fits(a: Analysis) -> bool:
    """Whether the passage dates the beginning of something that can be said to have ended before."""
    return _subject_ended(a) or _born(a) is not None or _stop(a) is not None


def _subject_ended(a: Analysis) -> bool:
    s = subject_of(a)
    if (
        s is None
        or s.sort not in say.ENDED
        or re.search(
            r"\b(?:sequel|remake|revival|original series|based on the|[Vv]ideo|trailer|soundtrack)\b", a.text
        )
    ):
        return False
    if s.sort == "place" and s.noun in (
        "river",
        "lake",
        "island",
        "mountain",
        "mountains",
        "desert",
        "peninsula",
    ):
        return False
    return _beginning(a, s) is not None and "season" not in a.query.lower()


def ended(a: Analysis, rng: random.Random) -> Draft | None:
    """A question about the end of something in a year in which it had not begun."""
    s, born, stop = subject_of(a), _born(a), _stop(a)
    began = _beginning(a, s) if s is not None and _subject_ended(a) else None
    if s is not None and began is not None:
        known = [
            how
            for how in say.ENDED["band" if s.noun in _BANDS else s.sort]
            if began > _RECENT or not set(say.MODERN) & set(how.split())
        ]
        return _asked(
            a, rng, s.full, rng.choice(known), began, _YEARS_OF_BUILDING if s.sort == "place" else 0
        )
    if born is not None:
        year = str(born[1] - rng.randint(4, 12))
        ended = rng.choice(say.GIVEN_UP)
        wordings = tuple(w.replace("{end}", _asked_end("{told}", ended)) for w in say.GIVING_UP)
        text = told_in(rng, wordings, told=born[0], ended=ended, year=year)
        why = f"By the passage the person was born in {born[1]}, and so cannot have given anything up in {year}."
        return with_query(a, question_of(text), why)
    return None if stop is None else _asked(a, rng, *stop)


def _asked_end(who: str, ended: str) -> str:
    """An end as a question has it, the verb before the subject.

    >>> _asked_end("Ann Lee", "left school"), _asked_end("the film Emma", "was banned")
    ('did Ann Lee leave school', 'was the film Emma banned')
    """
    verb, _, rest = ended.partition(" ")
    if verb == "was":
        return f"was {who} {rest}"
    return f"did {who} {inflected(verb, 'VB') or verb} {rest}".strip()


def _asked(a: Analysis, rng: random.Random, who: str, how: str, began: int, back: int = 0) -> Draft:
    """The question about an end 3 to 11 years, and `back` years more, before the beginning."""
    year = str(began - back - rng.randint(3, 11))
    end = _asked_end(who, how)
    text = fill(rng, say.ENDINGS, end=end, who=who, ended=how, year=year)
    why = f"By the passage this began only in {began}, so that nothing of it can have ended in {year}."
    return with_query(a, question_of(text), why)
