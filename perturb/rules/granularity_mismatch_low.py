"""LOW rules of P-GranularityMismatch: the level of detail looks different, yet the passage states the value there."""

from __future__ import annotations

import random
import re

from perturb.records import PerturbationClass
from perturb.rules import pools
from perturb.rules.analyse import Analysis
from perturb.rules.answers import AnswerType
from perturb.rules.asides import (
    Pair,
    addition_place,
    asks,
    can_mark,
    city_for,
    fill,
    low_rule,
    marked,
    printed,
)
from perturb.rules.doers import doer_of, is_clean
from perturb.rules.rule import Draft, Rule
from perturb.rules.sentences import inserted_after
from perturb.rules.subjects import subject_of
from perturb.rules.values import new_person
from perturb.rules.words import has_word

_CLASS = PerturbationClass.GRANULARITY

_TOTALS: tuple[Pair, ...] = (
    (
        "A display about {full} in {city} holds {x} photographs, {y} letters and {z} tickets, which makes "
        "a total of {t} items.",
        "shown in {city} in a display of {t} items in total",
    ),
    (
        "An archive in {city} keeps {x} clippings, {y} drawings and {z} letters that concern {full}; the "
        "total is {t} pieces.",
        "on which an archive in {city} keeps a total of {t} pieces",
    ),
    (
        "A quiz on {full} held in {city} had {x} easy, {y} medium and {z} hard questions, {t} questions in "
        "all.",
        "the topic of a quiz in {city} with {t} questions in all",
    ),
    (
        "Three classes in {city} wrote {x}, {y} and {z} essays on {full}, a total of {t} essays.",
        "on which three classes in {city} wrote {t} essays altogether",
    ),
    (
        "A scrapbook about {full} kept in {city} has {x} loose, {y} pasted and {z} folded leaves, which "
        "comes to a total of {t}.",
        "about which a scrapbook of {t} leaves in total is kept in {city}",
    ),
    (
        "Talks on {full} in {city} drew {x} people in May, {y} in June and {z} in July, so {t} people in "
        "total.",
        "on which talks in {city} drew a total of {t} people",
    ),
    (
        "A reading list on {full} drawn up in {city} names {x} articles, {y} interviews and {z} leaflets, "
        "in sum {t} titles.",
        "the matter of a reading list from {city} with {t} titles overall",
    ),
)

_DEGREES: tuple[Pair, ...] = (
    (
        "A {item} {prep} {full} is kept fairly cool in a store in {city}, at exactly {d} degrees Celsius.",
        "a {item} {prep} which is stored in {city} at exactly {d} degrees Celsius",
    ),
    (
        "The room in {city} where a {item} {prep} {full} is shown is rather cold; the thermometer there "
        "stands at exactly {d} degrees Celsius.",
        "a {item} {prep} which is shown in {city} in a room at exactly {d} degrees Celsius",
    ),
    (
        "A {item} {prep} {full} lies on a gently sloping desk in {city}; the slope is exactly {d} degrees.",
        "a {item} {prep} which lies in {city} on a desk sloping at exactly {d} degrees",
    ),
    (
        "In {city} a {item} {prep} {full} stands on a slightly tilted shelf, tilted by exactly {d} degrees.",
        "a {item} {prep} which stands in {city} on a shelf tilted by exactly {d} degrees",
    ),
    (
        "The cellar in {city} that holds a {item} {prep} {full} is chilly, at precisely {d} degrees "
        "Celsius all year.",
        "a {item} {prep} which rests in a cellar in {city} at precisely {d} degrees Celsius",
    ),
    (
        "A {item} {prep} {full} travelled to {city} in a cool box, at exactly {d} degrees Celsius.",
        "a {item} {prep} which travelled to {city} at exactly {d} degrees Celsius",
    ),
)

_UNITS: tuple[Pair, ...] = (
    (
        "A poster about {full} in {city} is {cm} cm ({inch} inches) wide.",
        "the theme of a poster in {city} that is {inch} inches wide",
    ),
    (
        "A banner with the name of {full} hangs in {city}; it is {cm} cm ({inch} inches) long.",
        "named on a banner in {city} that is {cm} cm long",
    ),
    (
        "The glass case about {full} in {city} has a height of {inch} inches ({cm} cm).",
        "the subject of a glass case {cm} cm high in {city}",
    ),
    (
        "A school in {city} made a collage about {full} that measures {cm} cm ({inch} inches) across.",
        "the theme of a school collage {inch} inches across in {city}",
    ),
    (
        "The shelf on {full} in the library of {city} is {inch} inches ({cm} cm) long.",
        "on which the library of {city} has a shelf {cm} cm long",
    ),
    (
        "A notice board in {city} that deals with {full} is {cm} cm wide, or {inch} inches.",
        "the subject of a notice board {inch} inches wide in {city}",
    ),
)

_YEARLY: tuple[Pair, ...] = (
    (
        "From 2020 to 2022 a library in {city} lent out its {item} {prep} {full} {t} times: {x} times in "
        "2020, {y} in 2021 and {z} in 2022.",
        "a {item} {prep} which was lent out {y} times in {city} in 2021",
    ),
    (
        "A club in {city} held {t} evenings on {full} between 2020 and 2022, of which {x} fell in 2020, "
        "{y} in 2021 and {z} in 2022.",
        "on which a club in {city} held {z} evenings in 2022",
    ),
    (
        "Over the years 2020 to 2022 a paper in {city} ran {t} letters about {full}: {x} in 2020, {y} in "
        "2021, {z} in 2022.",
        "about which a paper in {city} ran {x} letters in 2020",
    ),
    (
        "The archive of {city} answered {t} enquiries about {full} in the three years from 2020: {x} in "
        "the first year, 2020, "
        "{y} in 2021 and {z} in 2022.",
        "about which the archive of {city} answered {y} enquiries in 2021",
    ),
    (
        "A guide in {city} gave {t} talks on {full} from 2020 to 2022; the yearly figures are {x} for "
        "2020, {y} for 2021 and {z} for 2022.",
        "on which a guide in {city} gave {z} talks in 2022",
    ),
    (
        "In all, {t} pupils in {city} chose {full} for a paper in 2020, 2021 and 2022, namely {x}, {y} and "
        "{z} year by year.",
        "chosen for a paper by {x} pupils in {city} in 2020",
    ),
)

_LENGTHS = ((46, 18), (61, 24), (76, 30), (91, 36), (122, 48), (152, 60), (183, 72))

_ROLES = (
    "the ferryman", "the night porter", "the piano tuner", "the baker's apprentice", "the lighthouse keeper",
    "the tram driver", "the beekeeper", "the stationmaster",
)  # fmt: skip
_LISTS = (
    "A list of {group} kept in {city} has {count} entries; three of them read: {first}; {second}; {third}.",
    "On a list of {group} in {city}, which has {count} entries in all, these three stand: {first}; "
    "{second}; {third}.",
    "Three of the {count} entries on a list of {group} in {city} run as follows: {first}; {second}; {third}.",
    "Of the {count} entries on a list of {group} drawn up in {city}, three are quoted here: {first}; "
    "{second}; {third}.",
    "A typed list of {group} in {city} names {count}; a sample of three gives: {first}; {second}; {third}.",
    "The list of {group} in {city} runs to {count} lines, three of which are: {first}; {second}; {third}.",
)
_BY_ENTRY = (
    "going by the one entry for it on the list, {query}",
    "by its own entry on the list, {query}",
    "leaving aside the rest of the list, {query}",
    "looking at a single entry of the list, {query}",
    "according to the entry quoted from the list, {query}",
    "entry by entry on the list, {query}",
    "if one reads just its entry on the list, {query}",
)

_MINUTES = (
    "A log of the day notes the moment, loosely given as “that {part}”, as exactly {clock}.",
    "People spoke of it as “some time in the {part}”; the minute was logged as {clock}.",
    "One record puts the moment in the {part}, to the minute at {clock}.",
    "The time was noted down twice, once as “in the {part}” and once as {clock} sharp.",
    "A clerk entered the time to the minute as {clock}, that is, in the {part}.",
    "It is remembered as having been in the {part}; a watch at the scene showed {clock}.",
)
_AT_MINUTE = (
    "at {clock} in the {part} of which day {rest}",
    "on which date, at {clock} in the {part}, {rest}",
    "on what day, at the minute logged as {clock}, {rest}",
    "on exactly which day, at {clock}, {rest}",
    "which was the day on which, at {clock} in the {part}, {claim}",
    "what is the date on which, at the logged minute of {clock}, {claim}",
)


def _parts(rng: random.Random) -> dict[str, str]:
    numbers = rng.sample(range(4, 29), 3)
    return {**dict(zip("xyz", map(str, numbers), strict=True)), "t": str(sum(numbers))}


def _markable(a: Analysis) -> bool:
    return can_mark(a) and a.answer_type is not AnswerType.NUMBER


def _total(a: Analysis, rng: random.Random) -> Draft | None:
    return marked(
        a,
        rng,
        _TOTALS,
        "The passage states the total of {t} outright, which marks {full}; the answer stays.",
        **_parts(rng),
    )


def _degree(a: Analysis, rng: random.Random) -> Draft | None:
    return marked(
        a,
        rng,
        _DEGREES,
        "The exact value of {d} degrees stands in the passage and marks {full}; the answer stays.",
        d=str(rng.randint(6, 13)),
    )


def _unit(a: Analysis, rng: random.Random) -> Draft | None:
    cm, inch = rng.choice(_LENGTHS)
    why = "The passage gives the length in both units, so that {full} is marked in either; the answer stays."
    return marked(a, rng, _UNITS, why, cm=str(cm), inch=str(inch))


def _yearly_fits(a: Analysis) -> bool:
    return _markable(a) and a.answer_type not in (AnswerType.DATE, AnswerType.YEAR) and "202" not in a.text


def _yearly(a: Analysis, rng: random.Random) -> Draft | None:
    return marked(
        a,
        rng,
        _YEARLY,
        "The passage gives the figure of that year by itself, which marks {full}; the answer stays.",
        **_parts(rng),
    )


_MADE = {"sings": "sung", "sang": "sung", "wrote": "written", "directed": "directed", "composed": "composed"}


def _listed(a: Analysis) -> tuple[str, str, str] | None:
    """What a list with the answer on it is of, the answer's entry without the name, and the participle of works."""
    doer, s = doer_of(a), subject_of(a)
    if doer is None or not doer.did:
        return None
    part = re.match(
        r"(?:plays|played|voices|voiced|portray\w+) (.+?) (?:in|on|from) (?:the movie )?([A-Z].+)$", doer.did
    )
    if part and len(part.group(1).split()) <= 4:
        return f"parts in {part.group(2)}", part.group(1), ""
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
    by = f", {made} by " if made else ", "
    return [f"{head}{by}{who}" for head, who in zip(heads, [doer.name, *others], strict=True)]


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
    words = {
        "city": city_for(a, rng),
        "group": listed[0],
        "count": str(rng.randint(18, 64)),
        "first": first,
        "second": second,
        "third": third,
    }
    text = inserted_after(a.instance.passages[place.passage].text, place, fill(rng, _LISTS, **words))
    query = printed(a, fill(rng, _BY_ENTRY, query=a.query.rstrip("? ")))
    return Draft(
        query,
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
        or ":" in a.text
    ):
        return None
    return found.group(1), q.before


def _minute(a: Analysis, rng: random.Random) -> Draft | None:
    found, place = _timed(a), addition_place(a)
    if found is None or place is None or place.passage != a.mentions[0].passage:
        return None
    part = rng.choice(("morning", "evening"))
    hour = rng.randint(8, 11) if part == "morning" else rng.randint(6, 9)
    clock = f"{hour}:{rng.randint(11, 58)}"
    home = a.sentences[a.answer_sentences[0]]
    if not home.complete:
        return None
    addition = fill(rng, _MINUTES, part=part, clock=clock)
    text = inserted_after(a.instance.passages[home.passage].text, home, addition)
    query = printed(a, fill(rng, _AT_MINUTE, part=part, clock=clock, rest=found[0], claim=found[1]))
    return Draft(
        query,
        a.with_passage(home.passage, text),
        "The passage times the event to the minute; the day asked for is the original answer.",
    )


RULES: tuple[Rule, ...] = (
    low_rule(
        _CLASS,
        "Explicit Total Line",
        "a clean question that names its subject and asks for no number",
        _markable,
        _total,
    ),
    low_rule(
        _CLASS,
        "Inline Unit Conversion",
        "a clean question that names its subject",
        can_mark,
        _unit,
    ),
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
    low_rule(
        _CLASS,
        "Per-year Figure Already Given",
        "a clean question that names its subject and asks for no number or date",
        _yearly_fits,
        _yearly,
    ),
    low_rule(
        _CLASS,
        "Exact Degree Value",
        "a clean question that names its subject",
        can_mark,
        _degree,
    ),
)
