"""LOW rules of P-FalsePremise: a false detail in the question that is beside the point."""

from __future__ import annotations

import random
import re

from perturb.records import PerturbationClass
from perturb.rules import false_premise_low_words as say
from perturb.rules.analyse import Analysis
from perturb.rules.answers import AnswerType
from perturb.rules.asides import (
    Applies,
    a_,
    asks,
    fill,
    low_rule,
    printed,
    slots,
    splice_place,
    spliced,
    with_query,
)
from perturb.rules.bases import answers_plainly
from perturb.rules.doers import is_clean
from perturb.rules.rule import Draft, Rule
from perturb.rules.subjects import WORKS, Subject, appeared_in, subject_of
from perturb.rules.words import has_word, spans_of, tokens

_CLASS = PerturbationClass.FALSE_PREMISE

_PRIZE_WORDS = re.compile(
    r"\b(?:award|prize|oscar|emmy|grammy|nominat\w+|medal|trophy|won|win|wins|winner)\b", re.I
)


def _subject(a: Analysis) -> Subject | None:
    return subject_of(a) if splice_place(a) else None


def _aside(a: Analysis, aside: str, why: str) -> Draft | None:
    query = spliced(a, aside)
    return None if query is None else with_query(a, query, why)


_UNBUILT = frozenset(
    (
        "island",
        "islands",
        "river",
        "lake",
        "sea",
        "mountain",
        "mountains",
        "desert",
        "peninsula",
        "state",
        "country",
        "province",
        "city",
        "town",
        "village",
        "region",
        "county",
    )
)


def _plain(fits: Applies) -> Applies:
    """The precondition, and a passage that states the answer plainly."""
    return lambda a: fits(a) and answers_plainly(a)


def _add_on_fits(a: Analysis) -> bool:
    s = _subject(a)
    return s is not None and s.sort in say.FEATURES and s.sort != "thing" and s.noun not in _UNBUILT


def _add_on(a: Analysis, rng: random.Random) -> Draft | None:
    s = subject_of(a)
    if s is None:
        return None
    aside = fill(rng, say.FEATURES[s.sort], **slots(s))
    return _aside(
        a,
        aside,
        f"The question mentions a feature of {s.full} that does not exist; the answer does not depend on it.",
    )


def _award_fits(a: Analysis) -> bool:
    s = _subject(a)
    return s is not None and s.sort in WORKS and not _PRIZE_WORDS.search(f"{a.query} {a.text}")


def _award(a: Analysis, rng: random.Random) -> Draft | None:
    s = subject_of(a)
    if s is None:
        return None
    aside = fill(rng, say.PRIZE_ASIDES, prize=rng.choice(say.PRIZES), **slots(s))
    return _aside(
        a, aside, f"The question gives {s.full} a prize that it never won; the answer does not depend on it."
    )


def _timeless(a: Analysis) -> bool:
    return a.answer_type not in (AnswerType.DATE, AnswerType.YEAR) and "when" not in a.query.lower().split()


def _misdated_fits(a: Analysis) -> bool:
    s = _subject(a)
    return s is not None and s.sort in say.APPEARED and appeared_in(a, s) is not None and _timeless(a)


def _misdated(a: Analysis, rng: random.Random) -> Draft | None:
    s = subject_of(a)
    known = None if s is None else appeared_in(a, s)
    if s is None or known is None:
        return None
    year = known + rng.choice((-23, -19, -17, -14, -12, -9))
    if has_word(f"{a.query} {a.text}", str(year)):
        return None
    aside = fill(rng, say.DATE_ASIDES, done=say.APPEARED[s.sort], year=str(year), **slots(s))
    aside = re.sub(r"\ba (?=[aeiou])", "an ", aside)
    return _aside(
        a,
        aside,
        f"The question dates {s.full} to {year}, the passage to {known}; what is asked does not depend on "
        f"the year.",
    )


def _nation_of(a: Analysis, s: Subject) -> str | None:
    found = re.search(rf"\b(?:is|was) an? (?:\d{{4}} )?({'|'.join(say.NATIONS)}) (?!\w+[–-])", s.definition)
    return (
        found.group(1)
        if found and f"-{found.group(1)}" not in a.text and f"{found.group(1)}-" not in a.text
        else None
    )


def _detail_fits(a: Analysis) -> bool:
    s = _subject(a)
    return s is not None and s.sort in WORKS and _nation_of(a, s) is not None


def _detail(a: Analysis, rng: random.Random) -> Draft | None:
    s = subject_of(a)
    if s is None:
        return None
    nation = rng.choice([n for n in say.OTHER_NATIONS if not has_word(a.text, n)])
    nouns = s.noun if s.noun.endswith("s") else f"{s.noun}s"
    words = {**slots(s), "nation": nation, "a_nation": a_(nation), "nouns": nouns}
    aside = re.sub(r"\ba (?=[aeiou])", "an ", fill(rng, say.NATION_ASIDES, **words))
    return _aside(
        a,
        aside,
        f"The question calls {s.full} {nation}, the passage calls it {_nation_of(a, s)}; the answer stays "
        f"the same.",
    )


def _committee_fits(a: Analysis) -> bool:
    rest = a.query.lower()
    return (
        asks(a)
        and is_clean(a)
        and _matter(a) is not None
        and len(tokens(a.query)) <= 13
        and not re.search(
            r"\b(?:committee|board|council|commission|court|law|act|if|that|which|and)\b", rest[4:]
        )
        and not re.match(r"what (?:is|are|was) (?:the |a )?(?:purpose|meaning|difference)", rest)
    )


def _matter(a: Analysis) -> tuple[str, ...] | None:
    lowered = a.query.lower()
    matching = (
        names
        for pattern, names in say.MATTERS
        if re.search(pattern, a.query if pattern == say.GEOGRAPHY else lowered)
    )
    if re.search(r"\bplay(?:s|ed)? (?:at|in|for|against)\b", lowered) and "film" not in lowered:
        return None
    return next(matching, None)


def _committee(a: Analysis, rng: random.Random) -> Draft | None:
    matters = _matter(a)
    if matters is None:
        return None
    body = fill(rng, say.BODIES, founder=rng.choice(say.FOUNDERS), matter=rng.choice(matters))
    query = printed(a, f"{a.query.rstrip('? ')}, {fill(rng, say.BODY_ASIDES, body=body)}")
    return with_query(
        a,
        query,
        f"The question refers to a record by the {body}, which does not exist; the answer stands without it.",
    )


def _city_in(a: Analysis) -> tuple[str, tuple[int, int]] | None:
    for city in say.FALSE_CAPITALS:
        for start, end in spans_of(a.query, city):
            tail = a.query[end:].rstrip("? ")
            if not tail and a.query[:start].endswith(" in ") and asks(a) and is_clean(a):
                return city, (start, end)
    return None


def _capital_fits(a: Analysis) -> bool:
    found = _city_in(a)
    return found is not None and not re.search(r"\bcapital\b", a.text, re.I)


def _capital(a: Analysis, rng: random.Random) -> Draft | None:
    found = _city_in(a)
    if found is None:
        return None
    city, place = found
    land = say.FALSE_CAPITALS[city]
    query = spliced(a, fill(rng, say.CAPITAL_ASIDES, land=land), place)
    if query is None:
        return None
    return with_query(
        a,
        query,
        f"{city} is not the capital of {land}; which city is meant stays clear, and so does the answer.",
    )


def _edition_fits(a: Analysis) -> bool:
    s = _subject(a)
    if (
        s is None
        or s.sort not in say.EDITIONS
        or re.search(r"\b(?:edition|re-?issued?|re-?released?|version|remake|cover)\b", a.text, re.I)
    ):
        return False
    return s.sort != "music" or bool(re.match(r"who (?:wrote|composed|sings|sang)\b", a.query.lower()))


def _edition(a: Analysis, rng: random.Random) -> Draft | None:
    s = subject_of(a)
    if s is None:
        return None
    aside = fill(rng, say.EDITIONS[s.sort], **slots(s))
    return _aside(
        a, aside, f"The question speaks of a later edition of {s.full} that the passage knows nothing of."
    )


RULES: tuple[Rule, ...] = (
    low_rule(
        _CLASS,
        "Imaginary Add-on",
        "the query names a work, place or body of known kind, with room for an aside after the name",
        _plain(_add_on_fits),
        _add_on,
    ),
    low_rule(
        _CLASS,
        "Assumed Second Edition",
        "the query names a book, film or song, with room for an aside, and no edition or version is spoken "
        "of",
        _plain(_edition_fits),
        _edition,
    ),
    low_rule(
        _CLASS,
        "Award Presupposition",
        "the query names a work, with room for an aside, and neither query nor passage speaks of prizes or "
        "of winning",
        _plain(_award_fits),
        _award,
    ),
    low_rule(
        _CLASS,
        "Misstated Capital City",
        "the query ends on a large city that is no capital, and the passage speaks of no capital",
        _plain(_capital_fits),
        _capital,
    ),
    low_rule(
        _CLASS,
        "Non-existent Committee",
        "a short, clean question that speaks of no committee, board, court or law itself",
        _plain(_committee_fits),
        _committee,
    ),
    low_rule(
        _CLASS,
        "Mis-dated Discovery",
        "the query names a work or body that the passage dates to one year, and does not ask for a date",
        _plain(_misdated_fits),
        _misdated,
    ),
    low_rule(
        _CLASS,
        "Contradiction in Irrelevant Detail",
        "the query names a work whose one nationality the passage states, with room for an aside",
        _plain(_detail_fits),
        _detail,
    ),
)
