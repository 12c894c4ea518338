"""LOW rules of P-GranularityMismatch: the level of detail looks different, yet the passage states the value there."""

from __future__ import annotations

import random
import re

from perturb.records import PerturbationClass
from perturb.rules import granularity_low_facts as facts
from perturb.rules import pools
from perturb.rules.analyse import Analysis
from perturb.rules.answers import AnswerType
from perturb.rules.asides import asks, fill, low_rule, printed
from perturb.rules.doers import doer_of, is_clean
from perturb.rules.marking import can_mark, marked, marking_entry
from perturb.rules.planting import addition_place
from perturb.rules.rule import Draft, Rule
from perturb.rules.sentences import inserted_after
from perturb.rules.subjects import subject_of
from perturb.rules.values import new_person
from perturb.rules.words import capitalise, has_word

_CLASS = PerturbationClass.GRANULARITY

_LENGTHS = ((30, 12), (33, 13), (36, 14), (38, 15), (41, 16), (43, 17), (46, 18))

_ROLES = (
    "a guard", "a messenger", "the innkeeper", "a cook", "the doctor", "a musician", "a neighbour", "a fisherman",
)  # fmt: skip
_CASTS = (
    "The cast list of {work} has {count} names, among them {first}, {second} and {third}.",
    "Of the {count} entries in the cast list of {work}, three may stand as examples: {first}; {second}; {third}.",
    "There are {count} entries in the cast list of {work}, for instance {first}, {second} and {third}.",
    "The cast list of {work} gives {count} parts with their performers: {first}, {second}, {third} and others.",
    "The cast list of {work} names {count} performers; they include {first}, {second} and {third}.",
    "Altogether {count} parts stand in the cast list of {work}, such as {first}, {second} and {third}.",
)
_CATALOGUES = (
    "A catalogue of {count} {group} has, among others, the entries {first}; {second}; {third}.",
    "Of the {count} {group} in one catalogue, three are entered as follows: {first}; {second}; {third}.",
    "One catalogue of {group} runs to {count} entries, for example {first}; {second}; {third}.",
    "Three of the {count} entries in a catalogue of {group} read {first}; {second}; {third}.",
    "One catalogue of {group}, {count} in number, includes {first}; {second}; {third}.",
    "In a printed catalogue of {count} {group} one finds {first}; {second}; {third}.",
)
_BY_CAST = (
    "by the cast list of {work}, {query}",
    "according to the cast list of {work}, {query}",
    "going by the cast list of {work}, {query}",
    "{query}, by the cast list of {work}",
    "{query}, according to the cast list of {work}",
    "in the cast list of {work}, {query}",
)
_BY_ENTRY = (
    "{query}, by its own entry in a catalogue of {count} {group}",
    "by the entry in a catalogue of {count} {group}, {query}",
    "{query}, according to its single entry in a catalogue of {count} {group}",
    "going by the one entry in a catalogue of {count} {group}, {query}",
    "{query}, as entered in a catalogue of {count} {group}",
    "as entered in a catalogue of {count} {group}, {query}",
)

_MINUTES = (
    "On that date, in the {part}, to the minute at {clock}, {claim}.",
    "It was in the {part}, at {clock} by the log of that day, that {claim}.",
    "One record of that day notes that {claim} in the {part}, at exactly {clock}.",
    "Some accounts say only that {claim} that {part}; a log of the day has {clock}.",
    "The exact time of that day at which {claim} was {clock}, in the {part}.",
    "Loosely it was “that {part}”, and by the clock exactly {clock}, when {claim}.",
)
_DAYS = re.compile(rf"\b(?:{'|'.join(pools.MONTHS)}) \d{{1,2}}\b|\b\d{{1,2}} (?:{'|'.join(pools.MONTHS)})\b")
"""A day of the year; a second one in the same sentence may be a rival of the answer."""
_AT_MINUTE = (
    "at {clock} in the {part} of which day {rest}",
    "on which date, at {clock} in the {part}, {rest}",
    "on what day, at exactly {clock}, {rest}",
    "on exactly which day, at {clock}, {rest}",
    "which was the day on which, at {clock} in the {part}, {claim}",
    "what is the date on which, at exactly {clock}, {claim}",
)


def _parts(rng: random.Random) -> dict[str, str]:
    numbers = rng.sample(range(4, 29), 3)
    return {**dict(zip("xyz", map(str, numbers), strict=True)), "t": str(sum(numbers))}


def _total(a: Analysis, rng: random.Random) -> Draft | None:
    why = "The passage states the total of {t} outright, which marks {full}; the answer stays."
    return marked(a, marking_entry(a, rng, facts.TOTALS), why, **_parts(rng))


def _degree(a: Analysis, rng: random.Random) -> Draft | None:
    why = "The exact value of {d} degrees stands in the passage and marks {full}; the answer stays."
    return marked(a, marking_entry(a, rng, facts.DEGREES), why, d=str(rng.randint(6, 13)))


def _unit(a: Analysis, rng: random.Random) -> Draft | None:
    cm, inch = rng.choice(_LENGTHS)
    why = "The passage gives the length in both units, so that {full} is marked in either; the answer stays."
    return marked(a, marking_entry(a, rng, facts.UNITS), why, cm=str(cm), inch=str(inch))


_TIMELESS = can_mark(facts.YEARLY)


def _yearly_fits(a: Analysis) -> bool:
    return _TIMELESS(a) and a.answer_type not in (AnswerType.DATE, AnswerType.YEAR) and "202" not in a.text


def _yearly(a: Analysis, rng: random.Random) -> Draft | None:
    why = "The passage gives the figure of that year by itself, which marks {full}; the answer stays."
    return marked(a, marking_entry(a, rng, facts.YEARLY), why, **_parts(rng))


_MADE = {"sings": "sung", "sang": "sung", "wrote": "written", "directed": "directed", "composed": "composed"}


def _listed(a: Analysis) -> tuple[str, str, str] | None:
    """The work, or the sort of works, that a list with the answer on it is of; the answer's entry; the participle."""
    doer, s = doer_of(a), subject_of(a)
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
    return f"{s.noun or 'work'}s", s.name, made


def _entries(a: Analysis, rng: random.Random) -> list[str] | None:
    """The answering entry and two invented ones of the same kind."""
    doer, listed = doer_of(a), _listed(a)
    others = [new_person(rng.choice("mf"), a.text, rng) for _ in range(2)]
    if doer is None or listed is None or None in others or len({doer.name, *others}) < 3:
        return None
    if any(has_word(a.text, other or "") for other in others):
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
    low_rule(_CLASS, "Explicit Total Line", _NAMED, can_mark(facts.TOTALS), _total),
    low_rule(_CLASS, "Inline Unit Conversion", _NAMED, can_mark(facts.UNITS, figures=False), _unit),
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
        can_mark(facts.DEGREES, figures=False),
        _degree,
    ),
)
