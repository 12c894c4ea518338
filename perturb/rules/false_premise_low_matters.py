"""LOW rules of P-FalsePremise about the matter of the question: who recorded it, in which year, in which capital."""

from __future__ import annotations

import random
import re
from functools import lru_cache

from perturb.rules import false_premise_low_words as say
from perturb.rules import pools
from perturb.rules.analyse import Analysis
from perturb.rules.answer_person import is_clean
from perturb.rules.answers import AnswerType
from perturb.rules.false_premise_denials import says_verb
from perturb.rules.query_edits import asks, fill, printed, spliced, with_query
from perturb.rules.rule import Draft
from perturb.rules.words import has_word, spans_of, tokens


def timeless(a: Analysis) -> bool:
    """Whether the question asks for no date."""
    return a.answer_type not in (AnswerType.DATE, AnswerType.YEAR) and "when" not in a.query.lower().split()


def committee_fits(a: Analysis) -> bool:
    """Whether a record of the matter can be credited to a body."""
    rest = a.query.lower()
    return (
        asks(a)
        and is_clean(a)
        and bool(_matter(a))
        and _sure(a)
        and len(tokens(a.query)) <= 15
        and not re.search(
            r"\b(?:committee|board|council|commission|court|law|act|if|that|which|and)\b", rest[4:]
        )
        and not re.match(r"what (?:is|are|was) (?:the |a )?(?:purpose|meaning|difference)", rest)
    )


def _sure(a: Analysis) -> bool:
    """Whether a date or figure has no rival, and the date belongs to the very deed that is asked."""
    if timeless(a):
        return a.single_answer or a.answer_type is not AnswerType.NUMBER
    return a.single_answer and says_verb(a)


def _matter(a: Analysis) -> tuple[str, ...]:
    """How a body for what the question is about would be called; nothing where that is not plain."""
    lowered = a.query.lower()
    if re.search(r"\bplay(?:s|ed)? (?:at|in|for|against)\b", lowered) and "film" not in lowered:
        return ()
    matching = (
        names
        for pattern, names in _matters()
        if pattern.search(a.query if pattern.pattern == say.GEOGRAPHY else lowered)
    )
    return next(matching, ())


@lru_cache(maxsize=1)
def _matters() -> tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]:
    return tuple((re.compile(pattern), names) for pattern, names in say.MATTERS)


def body_name(a: Analysis, rng: random.Random) -> str:
    """The name of a body that nobody knows: "Thaxby Guild", "Royal Norbeck Film Jury"."""
    founder, other = rng.sample((*pools.INVENTED_PLACES, *pools.NEW_SURNAMES), 2)
    matter, kind = rng.choice(_matter(a) or ("National",)), rng.choice(say.BODY_KINDS)
    return fill(rng, say.BODY_NAMES, founder=founder, other=other, matter=matter, kind=kind)


def _with_articles(a: Analysis) -> str:
    """The query without its end, its titles with the capital article that they have in the passages."""
    held = " ".join([*(p.title for p in a.instance.passages), a.text])

    def cased(found: re.Match[str]) -> str:
        name = found.group(1)
        titled = re.search(rf"[a-z,] The {re.escape(name)}\b", held) and f"the {name}" not in held
        return f"The {name}" if titled else found.group()

    return re.sub(r"\bthe ([A-Z][\w'’]*)", cased, a.query.rstrip("? "))


def committee(a: Analysis, rng: random.Random) -> Draft | None:
    """The question with a body that nobody knows, to which it is said to have come before."""
    body = body_name(a, rng)
    aside = fill(rng, say.BODY_ASIDES, body=body)
    return with_query(
        a,
        printed(a, f"{_with_articles(a)}, {aside}"),
        f"The question says that it came before the {body}, which does not exist; the answer stands without it.",
    )


def _city_in(a: Analysis) -> tuple[str, tuple[int, int]] | None:
    for city in say.FALSE_CAPITALS:
        for start, end in spans_of(a.query, city):
            tail = a.query[end:].rstrip("? ")
            if not tail and a.query[:start].endswith(" in ") and asks(a) and is_clean(a):
                return city, (start, end)
    return None


def capital_fits(a: Analysis) -> bool:
    """Whether the question ends on a large city that is no capital."""
    found = _city_in(a)
    return found is not None and not re.search(r"\bcapital\b", a.text, re.I)


def capital(a: Analysis, rng: random.Random) -> Draft | None:
    """The question with a city called the capital of its land."""
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


_LASTING = re.compile(
    r"^(?:where (?:is|are) .+ located\b|what (?:river|country|countries|sea|ocean) "
    r"|(?:which|what) (?:\w+ )?(?:flows?|borders?|shares?)\b)",
    re.IGNORECASE,
)
"""Questions about what does not change over the years: where something lies, what runs past it."""


def year_fits(a: Analysis) -> bool:
    """Whether the question is about what does not change."""
    return (
        _LASTING.match(a.query) is not None
        and is_clean(a)
        and timeless(a)
        and not re.search(r"\d{4}", a.query)
        and not a.query.rstrip("? ").endswith(" map")
    )


def year(a: Analysis, rng: random.Random) -> Draft | None:
    """The question with a year that nothing points to."""
    year = str(rng.randint(1996, 2014))
    if has_word(a.text, year):
        return None
    query = printed(a, f"{a.query.rstrip('? ')}, {fill(rng, say.YEAR_ASIDES, year=year)}")
    return with_query(
        a, query, f"Nothing in the passage points to {year}; what is asked is the same in any year."
    )
