"""LOW rules of P-GranularityMismatch: the level of detail looks different, yet the passage states the value there."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import replace

from perturb.records import PerturbationClass
from perturb.rules import granularity_low_facts as facts
from perturb.rules import pools
from perturb.rules.analyse import Analysis
from perturb.rules.answer_person import answer_person_of, is_clean
from perturb.rules.answers import AnswerType
from perturb.rules.fact_kinds import Entry, Pair, fact_kind
from perturb.rules.granularity_scenes import names, scene
from perturb.rules.marking import can_mark, marked, marking_entry, named_subject
from perturb.rules.passage_edits import addition_place
from perturb.rules.query_edits import Applies, asks, fill, low_rule, printed
from perturb.rules.rule import Draft, Rule
from perturb.rules.sentences import inserted_after
from perturb.rules.subjects import subject_of
from perturb.rules.words import capitalise, plural

_CLASS = PerturbationClass.GRANULARITY

_ROLES = (
    "a guard", "a messenger", "the innkeeper", "a cook", "the doctor", "a musician", "a neighbour", "a fisherman",
)  # fmt: skip
_CASTS = (
    "The {list} of {work} has {count} names, among them {first}, {second} and {third}.",
    "Among the {count} names in the {list} of {work} are {first}, {second} and {third}.",
    "The {list} of {work} runs to {count} names, including {first}, {second} and {third}.",
    "{first}, {second} and {third} are three of the {count} names in the {list} of {work}.",
    "There are {count} names in the {list} of {work}, for example {first}, {second} and {third}.",
)
_LISTS = ("cast list", "list of performers", "list of actors")
_CATALOGUES = (
    "A catalogue of {count} {group} includes {first}; {second}; and {third}.",
    "Among the {count} {group} in a catalogue are {first}; {second}; and {third}.",
    "Three of the entries in a catalogue of {count} {group} are {first}; {second}; and {third}.",
    "A catalogue lists {count} {group}, for example {first}; {second}; and {third}.",
)
_BY_CAST = (
    "according to the {list} of {work}, {query}",
    "{query}, according to the {list} of {work}",
    "going by the {list} of {work}, {query}",
    "{query}, going by the {list} of {work}",
)
_BY_ENTRY = (
    "{query}, according to its entry in a catalogue of {count} {group}",
    "according to the entry in a catalogue of {count} {group}, {query}",
    "going by the entry in a catalogue of {count} {group}, {query}",
    "{query}, according to a catalogue of {count} {group}",
)

_MONEY = ("pounds", "dollars", "euros", "crowns", "francs")

_MINUTES = (
    "On that day, {claim} in the {part}, at exactly {clock}.",
    "It was in the {part} of that day, at exactly {clock}, that {claim}.",
    "A record of that day says that {claim} in the {part}, at exactly {clock}.",
    "Most accounts say only that {claim} in the {part} of that day; the exact time was {clock}.",
)
_DAYS = re.compile(rf"\b(?:{'|'.join(pools.MONTHS)}) \d{{1,2}}\b|\b\d{{1,2}} (?:{'|'.join(pools.MONTHS)})\b")
"""A day of the year; a second one in the same sentence may be a rival of the answer."""
_AT_MINUTE = (
    "on what day {rest}, at {clock} in the {part}",
    "on which day {rest}, at exactly {clock} in the {part}",
    "on which date {rest}, at exactly {clock} in the {part}",
    "on what date, at {clock} in the {part}, {rest}",
    "on which day, at exactly {clock} in the {part}, {rest}",
)


_DEGREE_RANGES = {
    "cool": (13, 16), "warm": (26, 31), "tilt": (2, 5), "north": (61, 69), "south": (41, 52), "loud": (81, 94),
    "lux": (41, 59), "dry": (31, 39),
}  # fmt: skip
"""Values that suit the loose words beside them."""


def _parts(rng: random.Random) -> dict[str, str]:
    """Three figures with their sum, as `x`, `y`, `z` and `t`, and what goes with them."""
    numbers = rng.sample(range(4, 58), 3)
    days = sorted(rng.sample(pools.WEEKDAYS, 3), key=pools.WEEKDAYS.index)
    return {
        **dict(zip("xyz", map(str, numbers), strict=True)),
        **dict(zip(("d1", "d2", "d3"), days, strict=True)),
        "t": str(sum(numbers)),
        "money": rng.choice(_MONEY),
    }


def _set_beside(
    a: Analysis, rng: random.Random, pair: Pair | None, why: str, /, **values: str
) -> Draft | None:
    """A draft with a scene about the subject in the passage, which the question takes up as an aside.

    A title keeps its capital article. After a place or before "kept", "on which" might say where something is.
    """
    subject = named_subject(a)
    draft = None if subject is None else marked(a, pair, why, **{**scene(a, subject, rng), **values})
    if subject is None or draft is None:
        return None
    if fact_kind(a, subject) in ("place", "land") or re.search(
        r" on which [^,]* (?:kept|hangs)\b", draft.query
    ):
        draft = replace(draft, query=draft.query.replace(" on which ", " about which "))
    _, article, title = subject.full.partition("The ")
    if not article or draft.query.islower():
        return draft
    return replace(draft, query=draft.query.replace(f" the {title}", f" The {title}"))


_WHERE = re.compile(
    r"(?:in |at )?(?:where|(?:what|which) (?:city|state|country|county|town|place)"
    r"|what (?:is|was) the .*\b(?:capital|setting|location))\b",
    re.IGNORECASE,
)
_POSITION = re.compile(r"\{(?:p\d|north|south)\}|\bin a (?:room|hall)\b|\baway\b")
"""What says where something is, which a where-question would seem to ask about."""


def _entry(a: Analysis, rng: random.Random, bank: Mapping[str, tuple[Entry, ...]]) -> Entry | None:
    """An entry that suits the subject; for a where-question it names no place."""
    if _WHERE.match(a.query):
        bank = {kind: tuple(e for e in found if not _POSITION.search(str(e))) for kind, found in bank.items()}
    return marking_entry(a, rng, bank)


def _can_mark(bank: Mapping[str, tuple[Entry, ...]], figures: bool = True) -> Applies:
    """A precondition: an aside can follow the subject, and no maker, as in "by the Eagles", stands between them."""
    marks = can_mark(bank, figures)

    def fits(a: Analysis) -> bool:
        s = named_subject(a)
        span = None if s is None else s.span
        return marks(a) and span is not None and not a.query[span[1] :].startswith(" by ")

    return fits


def _total(a: Analysis, rng: random.Random) -> Draft | None:
    why = "The passage states the total of {t} outright, which marks {full}; the answer stays."
    return _set_beside(a, rng, _entry(a, rng, facts.TOTALS), why, **_parts(rng))


def _degree(a: Analysis, rng: random.Random) -> Draft | None:
    why = "The exact value stands in the passage beside looser words and marks {full}; the answer stays."
    values = {name: str(rng.randint(low, high)) for name, (low, high) in _DEGREE_RANGES.items()}
    values["mark"] = f"2.{rng.randint(1, 9)}"
    exact = rng.choice(facts.EXACTNESS)
    return _set_beside(a, rng, _entry(a, rng, facts.DEGREES), why, exact=exact, **values)


def _unit(a: Analysis, rng: random.Random) -> Draft | None:
    entry = _entry(a, rng, facts.UNITS)
    if entry is None:
        return None
    u, v = rng.sample(rng.choice(facts.MEASURES[entry[0]]), 2)
    why = "The passage gives the measurement in both units, so that {full} is marked in either; the answer stays."
    return _set_beside(a, rng, entry[1], why, u=u, v=v)


_TIMELESS = _can_mark(facts.YEARLY)
_FIRST_YEARS = range(2019, 2023)
"""After the sources were written, so that everything they speak of was there."""


def _years_free(a: Analysis) -> list[int]:
    """First years of three that the passages and the query do not speak of."""
    known = f"{a.query} {a.text}"
    return [first for first in _FIRST_YEARS if not any(str(first + i) in known for i in range(3))]


def _yearly_fits(a: Analysis) -> bool:
    dated = a.answer_type in (AnswerType.DATE, AnswerType.YEAR)
    return _TIMELESS(a) and not dated and bool(_years_free(a))


def _yearly(a: Analysis, rng: random.Random) -> Draft | None:
    first = rng.choice(_years_free(a))
    years = {f"y{i + 1}": str(first + i) for i in range(3)}
    why = "The passage gives the figure of that year by itself, which marks {full}; the answer stays."
    return _set_beside(a, rng, _entry(a, rng, facts.YEARLY), why, **_parts(rng), **years)


_MADE = {"sings": "sung", "sang": "sung", "wrote": "written", "directed": "directed", "composed": "composed"}


def _listed(a: Analysis) -> tuple[str, str, str] | None:
    """The work, or the sort of works, that a list with the answer on it is of; the answer's entry; the participle."""
    doer, s = answer_person_of(a), subject_of(a)
    if doer is None or not doer.did:
        return None
    part = re.match(
        r"(?:plays|played|voices|voiced|portray\w+) (.+?) (?:in|on|from) (?:the movie )?([A-Z].+)$", doer.did
    )
    if part and len(part.group(1).split()) <= 4:
        return part.group(2), part.group(1), ""
    made = _MADE.get(doer.verb)
    if s is None or made is None or not a.query.rstrip("? ").endswith(s.name):
        return None
    return plural(s.noun or "work"), s.name, made


def _entries(a: Analysis, rng: random.Random) -> list[str] | None:
    """The answering entry and two invented ones of the same kind."""
    doer, listed = answer_person_of(a), _listed(a)
    others = names(a, rng, 2)
    if doer is None or listed is None or others is None:
        return None
    _, own, made = listed
    heads = [own, *rng.sample(pools.SIBLING_TITLES if made else _ROLES, 2)]
    entry = f"{{}}, {made} by {{}}" if made else "{} ({})"
    return [entry.format(head, who) for head, who in zip(heads, [doer.name, *others], strict=True)]


def _named_fits(a: Analysis) -> bool:
    return (
        is_clean(a)
        and asks(a)
        and a.single_answer
        and addition_place(a) is not None
        and _listed(a) is not None
    )


def _named(a: Analysis, rng: random.Random) -> Draft | None:
    entries, listed, place = _entries(a, rng), _listed(a), addition_place(a)
    if entries is None or listed is None or place is None:
        return None
    first, second, third = rng.sample(entries, 3)
    wordings, asking = (_CATALOGUES, _BY_ENTRY) if listed[2] else (_CASTS, _BY_CAST)
    query = a.query.rstrip("? ")
    if not listed[2]:
        query = re.sub(rf" (?:in|on|from) (?:the movie )?{re.escape(listed[0])}$", "", query)
    words = {
        "group": listed[0],
        "work": listed[0],
        "query": query,
        "count": str(rng.randint(18, 64)),
        "list": rng.choice(_LISTS),
        "first": first,
        "second": second,
        "third": third,
    }
    text = inserted_after(
        a.instance.passages[place.passage].text, place, capitalise(fill(rng, wordings, **words))
    )
    return Draft(
        printed(a, fill(rng, asking, **words)),
        a.with_passage(place.passage, text),
        "The list gives the one entry that is asked for by name, beside others.",
    )


def _timed(a: Analysis) -> tuple[str, str] | None:
    """The rest of a when-question and its claim without the date, where a day answers it."""
    found = re.match(r"when ((?:did|was|were) .+)$", a.query.rstrip("? "), re.IGNORECASE)
    q = a.question
    if found is None or q is None or q.gap != "date" or q.after or not is_clean(a) or not a.single_answer:
        return None
    if not re.search(r"\b\d{1,2}\b", re.sub(r"\d{4}", "", a.answer)) or not any(
        m in a.answer for m in pools.MONTHS
    ):
        return None
    if (
        re.search(
            r"\b(?:last time|season|first time|written|made|born|record|happen|fought|battles?|war)\b",
            a.query,
        )
        or re.search(r"\d:\d\d|\b[ap]\.?m\.?\b", a.text)
        or any(len(_DAYS.findall(a.sentences[i].text)) > 1 for i in a.answer_sentences)
    ):
        return None
    return found.group(1), q.before


def _minute(a: Analysis, rng: random.Random) -> Draft | None:
    found = _timed(a)
    if found is None:
        return None
    part = rng.choice(("morning", "evening"))
    hour = rng.randint(8, 11) if part == "morning" else rng.randint(6, 9)
    clock = f"{hour}:{rng.randint(11, 58)}"
    home = a.sentences[a.answer_sentences[0]]
    if not home.complete:
        return None
    addition = capitalise(fill(rng, _MINUTES, part=part, clock=clock, claim=found[1]))
    text = inserted_after(a.instance.passages[home.passage].text, home, addition)
    query = printed(a, fill(rng, _AT_MINUTE, part=part, clock=clock, rest=found[0], claim=found[1]))
    return Draft(
        query,
        a.with_passage(home.passage, text),
        "The passage times the event to the minute; the day asked for is the original answer.",
    )


_NAMED = "a clean question that names its subject and asks for no number"

RULES: tuple[Rule, ...] = (
    low_rule(_CLASS, "Explicit Total Line", _NAMED, _can_mark(facts.TOTALS), _total),
    low_rule(_CLASS, "Inline Unit Conversion", _NAMED, _can_mark(facts.UNITS, figures=False), _unit),
    low_rule(
        _CLASS,
        "Minute Precision Present",
        "a when-question that a single day answers",
        lambda a: _timed(a) is not None,
        _minute,
    ),
    low_rule(
        _CLASS,
        "Named-Individual Ask",
        "a person who played a part or made the work that ends the query, as the only answer",
        _named_fits,
        _named,
    ),
    low_rule(_CLASS, "Per-year Figure Already Given", f"{_NAMED} or date", _yearly_fits, _yearly),
    low_rule(
        _CLASS,
        "Exact Degree Value",
        "a clean question that names a work, a place, a body, a text or an event and asks for no number",
        _can_mark(facts.DEGREES, figures=False),
        _degree,
    ),
)
