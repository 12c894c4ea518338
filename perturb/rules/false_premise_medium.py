"""MEDIUM rules of P-FalsePremise: what is asked hinges on something that the passage rules out."""

from __future__ import annotations

import random
import re

from perturb.records import Intensity, PerturbationClass
from perturb.rules import false_premise_medium_words as say
from perturb.rules import pools
from perturb.rules.analyse import Analysis
from perturb.rules.answer_person import answer_person_of, is_clean
from perturb.rules.false_premise_denials import factive, factive_fits, is_hedged
from perturb.rules.false_premise_endings import ended, ended_fits
from perturb.rules.false_premise_geography import border, border_fits
from perturb.rules.marking import named_subject
from perturb.rules.query_edits import fill, question_of, refusal_rule, slots, told_in, with_query
from perturb.rules.question_parsing import inflected
from perturb.rules.rule import Draft, Rule
from perturb.rules.subjects import Subject, subject_of
from perturb.rules.words import has_word, spans_of

_CLASS = PerturbationClass.FALSE_PREMISE

_COPULA = frozenset(("is", "was", "are", "were", "become", "became"))


def _living(a: Analysis) -> tuple[str, str] | None:
    """A person whom a passage gives a recent birth date and speaks of in the present: name, and name with deed."""
    doer, s = answer_person_of(a), subject_of(a)
    names = [(doer.name, doer.relative)] if doer else []
    if s is not None and s.sort == "person":
        names.append((s.name, s.name))
    for name, told in names:
        last = re.escape(name.split()[-1])
        born = re.search(
            rf"{last}[^.()]{{0,20}}\([^()]*\bborn\b[^()]*\b(19[5-9]\d|200\d)\)[^.]{{0,40}}?\bis an?\b", a.text
        )
        if born and not re.search(r"\b(?:died|death|late|killed|funeral|buried|posthumous\w*)\b", a.text):
            return name, told
    return None


def _burial(a: Analysis, rng: random.Random) -> Draft | None:
    found = _living(a)
    if found is None:
        return None
    text = told_in(rng, say.BURIALS, told=found[1])
    return with_query(
        a, question_of(text), f"The passage speaks of {found[0]} as alive, so that there was no funeral."
    )


def _post(a: Analysis) -> tuple[str, str] | None:
    """Holder and post, where question and passage speak of the post in the present."""
    doer = answer_person_of(a)
    if doer is None or not doer.did.startswith("is the "):
        return None
    post = doer.did.removeprefix("is the ").removeprefix("current ")
    if re.search(
        r"\b(?:original|first|director of|singer|writer|author|signatory|composer|designer|speaker in|\w+th)\b",
        post,
    ):
        return None
    now = re.search(r"\b(?:current|incumbent|serving|currently|present|is the|is an?)\b", a.text)
    return (
        (doer.name, post)
        if now and re.search(r"ceo|coach|president|leader|chair|minister|host|governor", post.lower())
        else None
    )


def _resigned(a: Analysis, rng: random.Random) -> Draft | None:
    found = _post(a)
    if found is None:
        return None
    text = fill(rng, say.RESIGNED, name=found[0], post=found[1])
    return with_query(
        a, question_of(text), f"By the passage {found[0]} still holds the post, so that nobody took it over."
    )


def _first_thing(a: Analysis) -> tuple[str, str, str] | None:
    """Verb, participle and thing of a question about the first of its kind, where the passage calls it so."""
    found = re.match(r"who (\w+) the (?:very )?first ((?:[\w'’-]+ ?){1,7})$", a.query.rstrip("? "))
    if found is None or not is_clean(a) or not has_word(a.text, "first"):
        return None
    verb, thing = found.groups()
    participle = inflected(verb.lower(), "VBN")
    if (
        participle is None
        or verb.lower() in _COPULA
        or re.match(r"(?:lady|wife|president|world)\b", thing, re.I)
    ):
        return None
    return (verb, participle, thing) if inflected(verb.lower(), "VBD") == verb.lower() else None


_DATED_FIRST = re.compile(
    r"(?:when|where) (was|were) the (?:very )?first ((?:[\w'’-]+ ){1,7}?)(\w+(?:ed|en|lt|de|ut))"
    r"((?: in| on| at) [\w' ]+)?$"
)
_FIRST_DONE = re.compile(r"(?:when|where) (was|were) ((?:[\w'’&:.-]+ ){1,8}?)first (\w+(?:ed|en|lt|de))$")


def _dated_first(a: Analysis) -> dict[str, str] | None:
    """The words of a question for the date of the first of its kind."""
    found = _DATED_FIRST.match(a.query.rstrip("? "))
    if found is None or not is_clean(a) or not re.search(r"\b(?:first|earliest|debut\w*)\b", a.text):
        return None
    was, thing, done, rest = found.groups()
    return {"was": was, "thing": thing.strip(), "done": f"{done}{rest or ''}"}


def _first_done(a: Analysis) -> dict[str, str] | None:
    """The words of a question for the date or place at which something was first done."""
    found = _FIRST_DONE.match(a.query.rstrip("? "))
    if found is None or not is_clean(a) or not re.search(r"\b(?:first|originally|debut\w*)\b", a.text):
        return None
    was, who, done = found.groups()
    return {"who": who.strip(), "verb": "it was" if was == "was" else "they were", "done": done}


def _before_first_fits(a: Analysis) -> bool:
    return a.single_answer and not is_hedged(a) and bool(_first_thing(a) or _dated_first(a) or _first_done(a))


def _before_first(a: Analysis, rng: random.Random) -> Draft | None:
    found = _first_thing(a)
    if found is not None:
        verb, done, thing = found
        text = fill(rng, say.BEFORE_FIRST, verb=verb, done=done, thing=thing)
        why = f"The passage speaks of the first {thing}, so that none can have come before it."
        return with_query(a, question_of(text), why)
    why = "Nothing of the kind can have come before the first, or have been done before it first was."
    dated, begun = _dated_first(a), _first_done(a)
    if dated is not None:
        return with_query(a, question_of(fill(rng, say.DATED_BEFORE_FIRST, **dated)), why)
    if begun is not None:
        return with_query(a, question_of(fill(rng, say.BEFORE_BEGINNING, **begun)), why)
    return None


def _season_count(a: Analysis) -> tuple[Subject, int] | None:
    """The number of seasons that a series had in all, by the passage."""
    s = subject_of(a) or named_subject(a)
    if (
        s is None
        or s.sort != "series"
        or re.search(r"\b(?:renewed|ongoing|upcoming|currently|current|spin-off)\b", a.text)
    ):
        return None
    words = "|".join(pools.SMALL_NUMBERS[1:10])
    counts = re.findall(rf"\b({words}|[1-9])[ -](?:complete |full )?seasons?\b", a.text.lower())
    ended = re.search(
        r"\b(?:cancell?ed|ended|concluded|final season|final episode|last episode|ran for|one season|after one"
        r"|aired over)\b",
        a.text,
    )
    values = {pools.SMALL_NUMBERS.index(c) if c in pools.SMALL_NUMBERS else int(c) for c in counts}
    if len(values) != 1 or not ended:
        return None
    number = values.pop()
    return (s, number) if number <= 9 else None


def _phantom(a: Analysis, rng: random.Random) -> Draft | None:
    found = _season_count(a)
    if found is None:
        return None
    s, number = found
    ordinal = pools.ORDINALS[min(number + rng.randint(0, 1), len(pools.ORDINALS) - 1)]
    if spans_of(a.text, f"{ordinal} season"):
        return None
    text = fill(rng, say.PHANTOM, ordinal=ordinal, **slots(s))
    return with_query(
        a,
        question_of(text),
        f"By the passage {s.full} ended after {number} seasons, so that there is no {ordinal} one.",
    )


RULES: tuple[Rule, ...] = (
    refusal_rule(
        _CLASS,
        Intensity.MEDIUM,
        "First vs. Second Mission Clash",
        "a question about the first of its kind, or when something was first done; the passage speaks of a first",
        _before_first_fits,
        _before_first,
    ),
    refusal_rule(
        _CLASS,
        Intensity.MEDIUM,
        "Stopped vs. Never Started",
        "a work, body, building or event that began in one year, or a person whose year of birth is told",
        ended_fits,
        ended,
    ),
    refusal_rule(
        _CLASS,
        Intensity.MEDIUM,
        "Abdication Falsehood",
        "a who-is question about the holder of a post, whom the passage speaks of in the present",
        lambda a: _post(a) is not None,
        _resigned,
    ),
    refusal_rule(
        _CLASS,
        Intensity.MEDIUM,
        "Burial for a Living Person",
        "a person whom the passage gives a birth date after 1950 and no death, and speaks of in the present",
        lambda a: _living(a) is not None,
        _burial,
    ),
    refusal_rule(
        _CLASS,
        Intensity.MEDIUM,
        "Phantom Product Line",
        "a series that by the passage has ended after a number of seasons that it states",
        lambda a: _season_count(a) is not None,
        _phantom,
    ),
    refusal_rule(
        _CLASS,
        Intensity.MEDIUM,
        "Factive Verb Contradiction",
        "the query parses to a claim, of a deed, a date or a place, every qualifier of which the passage says",
        factive_fits,
        factive,
    ),
    refusal_rule(
        _CLASS,
        Intensity.MEDIUM,
        "Impossible Geography",
        "question and passage name one country or state",
        border_fits,
        border,
    ),
)
