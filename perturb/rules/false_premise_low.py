"""LOW rules of P-FalsePremise: a false detail in the question that is beside the point."""

from __future__ import annotations

import random
import re

from perturb.records import PerturbationClass
from perturb.rules.analyse import Analysis
from perturb.rules.answers import AnswerType
from perturb.rules.asides import a_, asks, fill, low_rule, printed, slots, splice_place, spliced, with_query
from perturb.rules.doers import is_clean
from perturb.rules.rule import Draft, Rule
from perturb.rules.subjects import WORKS, Subject, appeared_in, subject_of
from perturb.rules.words import has_word, spans_of, tokens

_CLASS = PerturbationClass.FALSE_PREMISE

_FEATURES: dict[str, tuple[str, ...]] = {
    "music": (
        "the {noun} with the yodelled bridge",
        "the {noun} with the spoken bagpipe interlude",
        "complete with its hidden whistled verse",
        "which ends on a short cuckoo-clock solo",
        "the {noun} that opens with a foghorn",
        "famous for its kazoo introduction",
        "with its closing duet for two accordions",
    ),
    "film": (
        "the {noun} with the hand-painted closing credits",
        "complete with its sing-along intermission",
        "the {noun} that opens with a puppet prologue",
        "which comes with a scratch-and-sniff card",
        "the {noun} with the knitted title sequence",
        "with its short weather report before the end titles",
        "the {noun} whose tickets had maps printed on the back",
    ),
    "series": (
        "the {noun} with the knitted title cards",
        "complete with its monthly postcard contest",
        "the {noun} that ends each week with a sailor's song",
        "which comes with a fold-out family tree",
        "the {noun} with the puppet narrator",
        "with its hand-drawn weather map at the end of each part",
    ),
    "book": (
        "the {noun} with the fold-out tide table",
        "complete with its pressed-flower bookmark",
        "the {noun} that closes with a recipe index",
        "with its appendix on knots",
        "which comes with a paper compass",
        "the {noun} with the pop-up final page",
    ),
    "place": (
        "the {noun} with the talking sundial",
        "complete with its brass speaking tube",
        "the {noun} with the floating post office",
        "with its lost-umbrella booth",
        "known for its singing weather vane",
        "the {noun} that has its own tide clock",
    ),
    "body": (
        "the {noun} with the travelling puppet theatre",
        "which keeps its own lighthouse",
        "complete with its marching kazoo section",
        "the {noun} with the monthly paper-boat race",
        "known for its own brand of sealing wax",
        "the {noun} with the floating office",
    ),
    "thing": (
        "which has its own board of bell ringers",
        "complete with its commemorative sundial",
        "the one with the official pocket compass",
        "known for its own brand of sealing wax",
        "which comes with a fold-out tide table",
        "with its annual kazoo parade",
    ),
}  # fmt: skip

_PRIZES = (
    "Golden Heron prize", "Silver Quill medal", "Amber Lantern award", "Harcombe prize", "Bellweather trophy",
    "Alder Leaf medal", "Northgate Shield", "Copper Thistle award",
)  # fmt: skip
_PRIZE_ASIDES = (
    "winner of the {prize}",
    "which carried off the {prize}",
    "the {noun} honoured with the {prize}",
    "a past winner of the {prize}",
    "which was given the {prize}",
    "the {noun} that took home the {prize}",
    "proud holder of the {prize}",
)
_PRIZE_WORDS = re.compile(
    r"\b(?:award|prize|oscar|emmy|grammy|nominat\w+|medal|trophy|won|win|wins|winner)\b", re.I
)

_APPEARED = {
    "music": "released", "film": "released", "series": "broadcast", "book": "published", "stage": "performed",
    "game": "released", "body": "founded",
}  # fmt: skip
_DATE_ASIDES = (
    "first {done} in {year}",
    "which was first {done} in {year}",
    "the {noun} {done} in {year}",
    "originally {done} in {year}",
    "{done} back in {year}",
    "a {noun} that was first {done} in {year}",
)

_NATIONS = (
    "American", "British", "English", "Canadian", "Australian", "French", "German", "Italian", "Japanese", "Indian",
    "Irish", "Scottish", "Spanish", "Chinese", "Swedish",
)  # fmt: skip
_OTHER_NATIONS = (
    "Norwegian",
    "Portuguese",
    "Hungarian",
    "Argentine",
    "Finnish",
    "Peruvian",
    "Romanian",
    "Greek",
)
_NATION_ASIDES = (
    "the {nation} {noun}",
    "that well-known {nation} {noun}",
    "{a_nation} {noun}",
    "the {noun} by {nation} artists",
    "a {noun} of {nation} origin",
    "one of the {nation} {nouns}",
)

_BODIES = (
    "Standing Committee on {matter}",
    "National Advisory Board on {matter}",
    "{founder} Commission on {matter}",
    "Joint Council for {matter}",
    "Interim Board of {matter}",
    "Review Committee on {matter}",
    "{founder} Panel on {matter}",
    "Federal Council of {matter}",
)
_FOUNDERS = ("Harcombe", "Westfield", "Brandt", "Carrington", "Lindqvist", "Marchetti", "Okafor", "Delacroix")
_MATTERS = (
    (
        r"\b(?:champion\w*|scored?|coach|league|cup|finals|waivers|olympics|skating|nba|nfl|football|tennis|medal)\b",
        "Sporting Records",
    ),
    (
        r"\b(?:plays|played|voices?|voiced|cast|actor|film|movie|character|episodes?|season|portray\w*)\b",
        "Screen Credits",
    ),
    (r"\b(?:sings?|sang|song|singer|album|band|lyrics|music)\b", "Song Records"),
    (r"\b(?:wrote|writer|author|written|book|novel|poem)\b", "Authorship"),
    (r"\bhow (?:many|much|long)\b", "Counts and Measures"),
    (r"\b(?:called|another name|real name|type of|kind of)\b", "Names and Terms"),
    (r"\b(?:invented|discovered|designed|built|founded|created|introduced)\b", "Founding Records"),
    (r"^where (?:is|are|was|were)\b|\b(?:located|country|state|river|city|capital)\b", "Place Records"),
    (r"\b(?:when|date|year)\b", "Public Records"),
)
_BODY_ASIDES = (
    "as the {body} put on record",
    "as certified by the {body}",
    "as the {body} announced",
    "as confirmed by the {body}",
    "as the {body} has since established",
    "as noted in the yearbook of the {body}",
    "as the {body} reported",
)

_FALSE_CAPITALS = {
    "San Francisco": "California", "San Jose": "California", "Los Angeles": "California", "San Diego": "California",
    "Chicago": "Illinois", "Houston": "Texas", "Dallas": "Texas", "Philadelphia": "Pennsylvania",
    "Newark": "New Jersey", "Las Vegas": "Nevada", "Miami": "Florida", "Seattle": "Washington State",
    "Detroit": "Michigan", "New Orleans": "Louisiana", "Sydney": "Australia", "Toronto": "Canada",
    "Istanbul": "Turkey", "Mumbai": "India", "Milan": "Italy", "Barcelona": "Spain", "Munich": "Germany",
    "Glasgow": "Scotland", "Hollywood": "California", "Brooklyn": "New York State", "Oxford": "England",
}  # fmt: skip
_CAPITAL_ASIDES = (
    "the capital of {land}",
    "{land}'s capital",
    "capital city of {land}",
    "which is the capital of {land}",
    "the capital city of {land}",
    "known as the capital of {land}",
)

_EDITIONS = {
    "book": (
        "now in its fourth edition",
        "whose second edition added a preface",
        "reissued in a revised third edition",
        "the {noun} that has reached a sixth edition",
        "since brought out in a corrected second edition",
        "a new edition of which followed a year later",
    ),
    "film": (
        "later brought back to cinemas in a second edition",
        "since re-released in a tinted second edition",
        "now in its third theatrical edition",
        "the {noun} of which a second edition was shown on trams",
        "which returned to cinemas in a trimmed second edition",
        "whose third edition reached cinemas years later",
    ),
    "music": (
        "since reissued in a second edition on blue wax",
        "now in its third edition on disc",
        "the {noun} whose second edition came in a tin",
        "later brought out again in a braille edition",
        "which returned to the shops in a numbered second edition",
        "a fourth edition of which was pressed on glass",
    ),
}


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


def _add_on_fits(a: Analysis) -> bool:
    s = _subject(a)
    return s is not None and s.sort in _FEATURES and s.sort != "thing" and s.noun not in _UNBUILT


def _add_on(a: Analysis, rng: random.Random) -> Draft | None:
    s = subject_of(a)
    if s is None:
        return None
    aside = fill(rng, _FEATURES[s.sort], **slots(s))
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
    aside = fill(rng, _PRIZE_ASIDES, prize=rng.choice(_PRIZES), **slots(s))
    return _aside(
        a, aside, f"The question gives {s.full} a prize that it never won; the answer does not depend on it."
    )


def _timeless(a: Analysis) -> bool:
    return a.answer_type not in (AnswerType.DATE, AnswerType.YEAR) and "when" not in a.query.lower().split()


def _misdated_fits(a: Analysis) -> bool:
    s = _subject(a)
    return s is not None and s.sort in _APPEARED and appeared_in(a, s) is not None and _timeless(a)


def _misdated(a: Analysis, rng: random.Random) -> Draft | None:
    s = subject_of(a)
    known = None if s is None else appeared_in(a, s)
    if s is None or known is None:
        return None
    year = known + rng.choice((-23, -19, -17, -14, -12, -9))
    if has_word(f"{a.query} {a.text}", str(year)):
        return None
    aside = fill(rng, _DATE_ASIDES, done=_APPEARED[s.sort], year=str(year), **slots(s))
    aside = re.sub(r"\ba (?=[aeiou])", "an ", aside)
    return _aside(
        a,
        aside,
        f"The question dates {s.full} to {year}, the passage to {known}; what is asked does not depend on "
        f"the year.",
    )


def _nation_of(a: Analysis, s: Subject) -> str | None:
    found = re.search(rf"\b(?:is|was) an? (?:\d{{4}} )?({'|'.join(_NATIONS)}) (?!\w+[–-])", s.definition)
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
    nation = rng.choice([n for n in _OTHER_NATIONS if not has_word(a.text, n)])
    nouns = s.noun if s.noun.endswith("s") else f"{s.noun}s"
    words = {**slots(s), "nation": nation, "a_nation": a_(nation), "nouns": nouns}
    aside = re.sub(r"\ba (?=[aeiou])", "an ", fill(rng, _NATION_ASIDES, **words))
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


def _matter(a: Analysis) -> str | None:
    return next((name for pattern, name in _MATTERS if re.search(pattern, a.query.lower())), None)


def _committee(a: Analysis, rng: random.Random) -> Draft | None:
    matter = _matter(a)
    body = fill(rng, _BODIES, founder=rng.choice(_FOUNDERS), matter=matter or "")
    query = printed(a, f"{a.query.rstrip('? ')}, {fill(rng, _BODY_ASIDES, body=body)}")
    return with_query(
        a,
        query,
        f"The question refers to a record by the {body}, which does not exist; the answer stands without it.",
    )


def _city_in(a: Analysis) -> tuple[str, tuple[int, int]] | None:
    for city in _FALSE_CAPITALS:
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
    land = _FALSE_CAPITALS[city]
    query = spliced(a, fill(rng, _CAPITAL_ASIDES, land=land), place)
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
        or s.sort not in _EDITIONS
        or re.search(r"\b(?:edition|re-?issued?|re-?released?|version|remake|cover)\b", a.text, re.I)
    ):
        return False
    return s.sort != "music" or bool(re.match(r"who (?:wrote|composed|sings|sang)\b", a.query.lower()))


def _edition(a: Analysis, rng: random.Random) -> Draft | None:
    s = subject_of(a)
    if s is None:
        return None
    aside = fill(rng, _EDITIONS[s.sort], **slots(s))
    return _aside(
        a, aside, f"The question speaks of a later edition of {s.full} that the passage knows nothing of."
    )


RULES: tuple[Rule, ...] = (
    low_rule(
        _CLASS,
        "Imaginary Add-on",
        "the query names a work, place or body of known kind, with room for an aside after the name",
        _add_on_fits,
        _add_on,
    ),
    low_rule(
        _CLASS,
        "Assumed Second Edition",
        "the query names a book, film or song, with room for an aside, and no edition or version is spoken "
        "of",
        _edition_fits,
        _edition,
    ),
    low_rule(
        _CLASS,
        "Award Presupposition",
        "the query names a work, with room for an aside, and neither query nor passage speaks of prizes or "
        "of winning",
        _award_fits,
        _award,
    ),
    low_rule(
        _CLASS,
        "Misstated Capital City",
        "the query ends on a large city that is no capital, and the passage speaks of no capital",
        _capital_fits,
        _capital,
    ),
    low_rule(
        _CLASS,
        "Non-existent Committee",
        "a short, clean question that speaks of no committee, board, court or law itself",
        _committee_fits,
        _committee,
    ),
    low_rule(
        _CLASS,
        "Mis-dated Discovery",
        "the query names a work or body that the passage dates to one year, and does not ask for a date",
        _misdated_fits,
        _misdated,
    ),
    low_rule(
        _CLASS,
        "Contradiction in Irrelevant Detail",
        "the query names a work whose one nationality the passage states, with room for an aside",
        _detail_fits,
        _detail,
    ),
)
