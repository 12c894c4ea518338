"""HIGH rules of P-FalsePremise: what the question rests on is impossible in itself."""

from __future__ import annotations

import random
import re

from perturb.records import Intensity, PerturbationClass
from perturb.rules import false_premise_high_words as say
from perturb.rules.analyse import Analysis
from perturb.rules.answer_person import answer_person_of
from perturb.rules.fact_kinds import WIDER, fact_kind
from perturb.rules.query_edits import fill, question_of, refusal_rule, told_in, with_query
from perturb.rules.rule import Draft, Rule
from perturb.rules.subjects import Subject, subject_of
from perturb.rules.words import word_list

_CLASS = PerturbationClass.FALSE_PREMISE
_HIGH = Intensity.HIGH

_DENIED = {
    "film": r"\bfilm|\bmovie|\breleas|\bdirect",
    "music": r"\brecord|\breleas|\bperform|\bsung\b|\bsang\b|\bsings?\b|\bsingle\b",
    "series": r"\bair|\bbroadcast|\bpremier|\bepisode|\bseason",
    "book": r"\bwritten\b|\bwrote\b|\bpublish|\bby\b",
    "place": r"\bbuilt\b|\bopen|\bconstruct|\bcomplet|\bis an?\b",
}
"""Words by which a passage says that the subject was made or took place, so that the denial is against it."""
_STRUCTURES = frozenset(word_list("tower bridge canal dam skyscraper building castle"))
_BUILT = _STRUCTURES | set(word_list("arena stadium museum resort hotel"))
_UNPEOPLED = _STRUCTURES | set(word_list("river lake sea mountain mountains desert peninsula volcano"))
"""Places that do not stand for the people who live there."""

_MINDLESS = frozenset(("music", "film", "series", "place"))
"""Sorts of subjects that do not stand for people."""
_WITH_SOMEBODY = 0.4
"""Share of the wilful acts that are done to the person who is the answer, where there is one."""
_UNTOUCHED = frozenset(("music", "series"))
"""Kinds of subjects of which there is no copy to be touched."""
_EVENT = "event"
"""The kind whose name may stand for those who take part, or for a cup of metal: it has no measures here."""
_CREATURELY = 0.35
_SHAPED = 0.6


def _mindless_fits(a: Analysis) -> bool:
    s = subject_of(a)
    return s is not None and s.sort in _MINDLESS and (s.sort != "place" or s.noun in _UNPEOPLED)


def _mindless(a: Analysis, rng: random.Random) -> Draft | None:
    s, doer = subject_of(a), answer_person_of(a)
    if s is None:
        return None
    if doer is not None and rng.random() < _WITH_SOMEBODY:
        text = fill(rng, say.WITH_SOMEBODY, name=doer.name, full=s.full)
    else:
        text = fill(rng, say.WILFUL, deed=rng.choice(say.DEEDS), full=s.full)
    return with_query(
        a, question_of(text), f"{s.full} has no mind and cannot do what the question takes for granted."
    )


def _bodiless(a: Analysis) -> Subject | None:
    s = subject_of(a)
    if s is None or s.sort in ("person", "body") or (s.sort == "place" and s.noun not in _UNPEOPLED | _BUILT):
        return None
    return s if s.sort != "thing" or fact_kind(a, s) in ("event", "text") else None


def _swapped(a: Analysis, rng: random.Random) -> Draft | None:
    s = _bodiless(a)
    if s is None:
        return None
    things = (*say.BODILY, *say.OF_STUFFS) if fact_kind(a, s) in _UNTOUCHED else say.BODILY
    creaturely = rng.random() < _CREATURELY or fact_kind(a, s) == _EVENT
    text = fill(rng, say.CREATURELY if creaturely else say.SWAPPED, full=s.full, thing=rng.choice(things))
    return with_query(
        a,
        question_of(text),
        f"The question asks of {s.full}, which is no creature and no stuff, for what only those have.",
    )


def _sheets(a: Analysis, s: Subject) -> tuple[str, ...]:
    """What goes with the subject and may bear a drawing."""
    kind = fact_kind(a, s)
    return say.SHEETS.get(kind if kind in say.SHEETS else WIDER.get(kind, ""), say.SHEETS["work"])


def _impossible_fits(a: Analysis) -> bool:
    s = subject_of(a)
    return s is not None and s.sort not in ("person", "thing") and (s.sort != "place" or s.noun in _BUILT)


def _impossible(a: Analysis, rng: random.Random) -> Draft | None:
    s = subject_of(a)
    sheets = () if s is None else _sheets(a, s)
    if s is None or not sheets:
        return None
    wordings = say.SHAPED if rng.random() < _SHAPED else say.IMPOSSIBLE
    values = {
        "shape": rng.choice(say.SHAPES),
        "this": f"{rng.choice(sheets)} {s.full}",
        "n": str(rng.randint(5, 19)),
    }
    return with_query(
        a,
        question_of(re.sub(r"\ba (?=[aeiou])", "an ", fill(rng, wordings, **values))),
        "The question rests on a shape or quantity that no object can have.",
    )


def _denying_fits(a: Analysis) -> bool:
    s = subject_of(a)
    if s is None or s.sort not in say.OF_DENIED or re.match(r"\w+['’]s ", s.name):
        return False
    if s.sort == "place" and s.noun not in _BUILT:
        return False
    return re.search(_DENIED[s.sort], a.text, re.IGNORECASE) is not None


def _denying(a: Analysis, rng: random.Random) -> Draft | None:
    s = subject_of(a)
    if s is None:
        return None
    noun_name = s.name.removeprefix("The ") if s.sort == "place" else f"{s.noun} {s.name}"
    phrase = fill(rng, say.SELF_DENYING, noun_name=noun_name, done=rng.choice(say.YES_AND_NO[s.sort]))
    text = fill(rng, say.OF_DENIED[s.sort], np=phrase, groups=rng.choice(say.GROUPS))
    return with_query(
        a,
        question_of(text.replace(",?", "?")),
        f"The question says in one breath that {s.full} was made and never was, and asks of what was both.",
    )


def _told(a: Analysis) -> tuple[str, str | None] | None:
    """A real person by name with the deed, and the gender."""
    doer = answer_person_of(a)
    if doer is not None:
        return doer.relative, doer.gender
    s = subject_of(a)
    return (s.name, s.gender) if s is not None and s.sort == "person" else None


def _status_fits(a: Analysis) -> bool:
    family = r"\b(?:married|wife|husband|daughters?|sons?|children|siblings?|brothers?|sisters?|bachelor)\b"
    return _told(a) is not None and not re.search(family, a.text, re.I)


_OF_KIN = 0.7
"""Share of the questions about a relative; the others are about a rank, a wedding and the like."""


def _status(a: Analysis, rng: random.Random) -> Draft | None:
    found = _told(a)
    if found is None:
        return None
    told, gender = found
    if rng.random() < _OF_KIN:
        known = (*say.KIN, *{"m": say.KIN_OF_MEN, "f": say.KIN_OF_WOMEN}.get(gender or "", ()))
        status, kin = rng.choice(known)
        text = told_in(rng, say.OF_KIN, told=told, status=status, kin=kin)
    else:
        text = told_in(rng, say.RULED_OUT, told=told)
    return with_query(
        a, question_of(text), "The word of status in the question rules out what the question asks about."
    )


RULES: tuple[Rule, ...] = (
    refusal_rule(
        _CLASS,
        _HIGH,
        "Inanimate Agent Verb",
        "a song, film, series or place of known kind",
        _mindless_fits,
        _mindless,
    ),
    refusal_rule(
        _CLASS,
        _HIGH,
        "Impossible Property",
        "a work, body, event or building of known kind",
        _impossible_fits,
        _impossible,
    ),
    refusal_rule(
        _CLASS,
        _HIGH,
        "Category Swap",
        "a work, place, event or other bodiless thing of known kind",
        lambda a: _bodiless(a) is not None,
        _swapped,
    ),
    refusal_rule(
        _CLASS,
        _HIGH,
        "Self-contradictory Entity",
        "a work or building of known kind",
        _denying_fits,
        _denying,
    ),
    refusal_rule(
        _CLASS,
        _HIGH,
        "Married Bachelor Query",
        "a real person, as the answer or as the passage's title, of whose family the passages say nothing",
        _status_fits,
        _status,
    ),
)
