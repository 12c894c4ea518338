"""LOW rules of P-FalsePremise: a false detail in the question that is beside the point."""

from __future__ import annotations

import random
import re

from perturb.records import PerturbationClass
from perturb.rules import false_premise_low_words as say
from perturb.rules import pools
from perturb.rules.analyse import Analysis
from perturb.rules.bases import answers_plainly
from perturb.rules.fact_kinds import fact_kind
from perturb.rules.false_premise_low_matters import (
    body_name,
    capital,
    capital_fits,
    committee,
    committee_fits,
    timeless,
    year,
    year_fits,
)
from perturb.rules.marking import named_subject
from perturb.rules.query_edits import (
    Applies,
    a_,
    asks,
    fill,
    low_rule,
    slots,
    splice_place,
    spliced,
    with_query,
)
from perturb.rules.rule import Draft, Rule
from perturb.rules.subjects import WORKS, Subject, appeared_in, subject_of
from perturb.rules.words import has_word, plural

_CLASS = PerturbationClass.FALSE_PREMISE

_WITH_A_KEEPSAKE = 0.5
"""Share of the add-ons to a work that it was sold with; the others are parts of the subject."""
_PRIZE_WORDS = re.compile(
    r"\b(?:award|prize|oscar|emmy|grammy|nominat\w+|medal|trophy|won|win|wins|winner)\b", re.I
)


def _subject(a: Analysis) -> Subject | None:
    found = _placed(a)
    return None if found is None else found[0]


def _placed(a: Analysis) -> tuple[Subject, tuple[int, int]] | None:
    """The subject and where an aside can follow it: at the end of the query, or where the query lets one in."""
    subject, place = subject_of(a), splice_place(a)
    if subject is not None and place is not None:
        return subject, place
    named = named_subject(a)
    if named is None or named.span is None or not asks(a) or a.query[named.span[1] :].strip("? "):
        return None
    return named, named.span


def _aside(a: Analysis, aside: str, why: str) -> Draft | None:
    found = _placed(a)
    query = None if found is None else spliced(a, re.sub(r"\ba (?=[aeiou])", "an ", aside), found[1])
    return None if query is None else with_query(a, query, why)


def _plain(fits: Applies) -> Applies:
    """The precondition, and a passage that states the answer plainly."""
    return lambda a: fits(a) and answers_plainly(a)


def _kind(a: Analysis, s: Subject) -> str:
    """The kind of a subject as the banks of this class know it: films that need no camera are films as well."""
    return s.sort if s.sort != "thing" else fact_kind(a, s)


def _words(s: Subject) -> dict[str, str]:
    """The words for a subject; one without a noun is "the one"."""
    return {**slots(s), "noun": s.noun or "one"}


def _add_on_fits(a: Analysis) -> bool:
    s = _subject(a)
    return s is not None and bool(s.noun) and _featured(a, s) is not None


def _featured(a: Analysis, s: Subject) -> str | None:
    kind = {"screen": "film"}.get(_kind(a, s), _kind(a, s))
    built = kind != "place" or s.noun in say.BUILT
    return kind if kind in say.FEATURES and built else None


def _add_on(a: Analysis, rng: random.Random) -> Draft | None:
    s = _subject(a)
    kind = None if s is None else _featured(a, s)
    if s is None or kind is None:
        return None
    if kind in say.KEEPSAKES and _is_past(a) and rng.random() < _WITH_A_KEEPSAKE:
        thing = rng.choice(say.KEEPSAKES[kind])
        words = {"look": rng.choice(say.LOOKS), "thing": thing, "noun": s.noun}
        aside = fill(rng, _unrepeated(a, s, say.KEEPSAKE_ASIDES), **words)
    else:
        aside = fill(rng, _unrepeated(a, s, say.FEATURES[kind]), **slots(s))
    return _aside(
        a,
        aside,
        f"The question mentions a feature of {s.full} that does not exist; the answer does not depend on it.",
    )


def _is_past(a: Analysis) -> bool:
    """Whether the question speaks of what is over."""
    return re.search(r"\b(?:is|are|does|do|will)\b", a.query.lower()) is None


def _unrepeated(a: Analysis, s: Subject, wordings: tuple[str, ...]) -> tuple[str, ...]:
    """The wordings without the subject's noun, where the question has it already."""
    if not has_word(a.query.lower(), s.noun):
        return wordings
    return tuple(wording for wording in wordings if "{noun}" not in wording)


_PRIZED = frozenset((*WORKS, "screen", "body", "person"))
"""What prizes are given to."""


def _award_fits(a: Analysis) -> bool:
    s = _subject(a)
    return s is not None and _kind(a, s) in _PRIZED and not _PRIZE_WORDS.search(a.query)


def _award(a: Analysis, rng: random.Random) -> Draft | None:
    s = _subject(a)
    if s is None:
        return None
    prize = f"{rng.choice((*pools.INVENTED_PLACES, *pools.NEW_SURNAMES))} {rng.choice(say.PRIZES)}"
    wordings = say.PERSON_PRIZES if s.sort == "person" else say.PRIZE_ASIDES
    return _aside(
        a,
        fill(rng, wordings, prize=prize, **_words(s)),
        f"The question gives {s.full} a prize that it never won; the answer does not depend on it.",
    )


def _misdated_fits(a: Analysis) -> bool:
    s = _subject(a)
    return s is not None and s.sort in say.APPEARED and appeared_in(a, s) is not None and timeless(a)


def _misdated(a: Analysis, rng: random.Random) -> Draft | None:
    s = _subject(a)
    known = None if s is None else appeared_in(a, s)
    if s is None or known is None:
        return None
    year = known + rng.choice((-23, -19, -17, -14, -12, -9))
    if has_word(f"{a.query} {a.text}", str(year)):
        return None
    aside = fill(rng, say.DATE_ASIDES, done=say.APPEARED[s.sort], year=str(year), **slots(s))
    return _aside(
        a,
        aside,
        f"The question dates {s.full} to {year}, the passage to {known}; the answer is the same.",
    )


def _nation_of(a: Analysis, s: Subject) -> str | None:
    found = re.search(rf"\b(?:is|was) an? (?:\d{{4}} )?({'|'.join(say.NATIONS)}) (?!\w+[–-])", s.definition)
    nation = found.group(1) if found else None
    return None if nation is None or re.search(rf"-{nation}|{nation}-", a.text) else nation


def _detail_fits(a: Analysis) -> bool:
    s = _subject(a)
    return s is not None and s.sort in WORKS and _nation_of(a, s) is not None


def _detail(a: Analysis, rng: random.Random) -> Draft | None:
    s = _subject(a)
    if s is None:
        return None
    nation = rng.choice([n for n in say.OTHER_NATIONS if not has_word(a.text, n)])
    words = {**slots(s), "nation": nation, "a_nation": a_(nation), "nouns": plural(s.noun)}
    aside = fill(rng, say.NATION_ASIDES, **words)
    return _aside(
        a,
        aside,
        f"The question calls {s.full} {nation}, the passage calls it {_nation_of(a, s)}; the answer stays "
        f"the same.",
    )


_RECORDED = re.compile(r"\b(?:single|album|record(?:s|ed|ing)?|released?)\b")


def _edited(a: Analysis, s: Subject) -> str | None:
    """The kind of a subject that may come out again: a book, or a song of which the passage knows a record."""
    kind = _kind(a, s)
    known = kind in say.EDITIONS and (kind != "music" or _RECORDED.search(a.text))
    return kind if known else None


def _edition_fits(a: Analysis) -> bool:
    s = _subject(a)
    if (
        s is None
        or _edited(a, s) is None
        or not timeless(a)
        or re.search(r"\b(?:edition|re-?issued?|re-?released?|remake)\b", a.text)
    ):
        return False
    written = re.match(r"who (?:wrote|composed)\b|who is the writer", a.query.lower())
    covered = re.search(r"\b(?:versions?|covers?)\b", a.text, re.IGNORECASE)
    return bool(written) or (s.sort != "music" and not covered)


def _edition(a: Analysis, rng: random.Random) -> Draft | None:
    s = _subject(a)
    kind = None if s is None else _edited(a, s)
    if s is None or kind is None:
        return None
    aside = fill(rng, say.EDITIONS[kind], nth=rng.choice(say.NTHS), **_words(s))
    return _aside(
        a, aside, f"The question speaks of a later edition of {s.full} that the passage knows nothing of."
    )


def _step_fits(a: Analysis) -> bool:
    s = _subject(a)
    return s is not None and _kind(a, s) in say.BODY_STEPS and (_kind(a, s) != "land" or a.single_answer)


def _credited(a: Analysis, rng: random.Random) -> Draft | None:
    """A formal step of a body that nobody knows: about the subject, else about the question as such."""
    s = _subject(a)
    if s is None or not _step_fits(a):
        return committee(a, rng)
    body = body_name(a, rng)
    kind = _kind(a, s)
    wordings = say.SURVEY_ASIDES if kind in ("place", "land") else say.BODY_STEP_ASIDES
    aside = fill(rng, wordings, step=rng.choice(say.BODY_STEPS[kind]), body=body)
    return _aside(a, aside, f"The question has {s.full} dealt with by the {body}, which does not exist.")


def _owned_fits(a: Analysis) -> bool:
    s = _subject(a)
    return (
        s is not None
        and _kind(a, s) == "body"
        and not re.search(r"\b(?:subsidiary|owned|owns?|owners?|parent|acquired)\b", f"{a.query} {a.text}")
    )


def _owned(a: Analysis, rng: random.Random) -> Draft | None:
    s = _subject(a)
    if s is None:
        return None
    owner = f"{rng.choice((*pools.INVENTED_PLACES, *pools.NEW_SURNAMES))} {rng.choice(say.OWNER_KINDS)}"
    return _aside(
        a,
        fill(rng, say.OWNER_ASIDES, owner=owner),
        f"{s.full} has no such owner as {owner}; the answer has nothing to do with who owns it.",
    )


RULES: tuple[Rule, ...] = (
    low_rule(
        _CLASS,
        "Over-specific Year",
        "a clean question about where something lies or what runs past it, with no year in it",
        _plain(year_fits),
        year,
    ),
    low_rule(
        _CLASS,
        "False Corporate Parent Claim",
        "the query names a body, with room for an aside, and nothing is said of owners",
        _plain(_owned_fits),
        _owned,
    ),
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
        "the query names a work, with room for an aside, and no edition or version is spoken of",
        _plain(_edition_fits),
        _edition,
    ),
    low_rule(
        _CLASS,
        "Award Presupposition",
        "the query names a work, body or person, with room for an aside, and does not speak of prizes or winning",
        _plain(_award_fits),
        _award,
    ),
    low_rule(
        _CLASS,
        "Misstated Capital City",
        "the query ends on a large city that is no capital, and the passage speaks of no capital",
        _plain(capital_fits),
        capital,
    ),
    low_rule(
        _CLASS,
        "Non-existent Committee",
        "a short, clean question that speaks of no committee, board, court or law itself",
        _plain(lambda a: committee_fits(a) or _step_fits(a)),
        _credited,
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
