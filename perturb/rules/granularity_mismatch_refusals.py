"""MEDIUM and HIGH rules of P-GranularityMismatch: the question asks at a level that the passage never reaches."""

from __future__ import annotations

import random
import re

from perturb.records import Intensity, PerturbationClass
from perturb.rules.analyse import Analysis
from perturb.rules.asides import (
    Applies,
    Apply,
    Pair,
    can_plant,
    planted,
    question_of,
    refusal_rule,
    told_in,
    with_query,
)
from perturb.rules.doers import doer_of
from perturb.rules.rule import Draft, Rule
from perturb.rules.subjects import subject_of
from perturb.rules.words import has_word

_CLASS = PerturbationClass.GRANULARITY

_SHARES: tuple[Pair, ...] = (
    (
        "In one family of {n} in {city}, {k} members have {met} {full}; {city} as a whole has some {many} "
        "inhabitants.",
        "What proportion of all the inhabitants of {city} have {met} {full}?",
    ),
    (
        "Of the {n} members of a chess club in {city}, {k} had {met} {full}, a matter that people in many "
        "countries know of.",
        "What percentage of people in the whole world have {met} {full}?",
    ),
    (
        "On one bus in {city}, {k} of {n} passengers said that they had {met} {full}; the buses there "
        "carry {many} people a day.",
        "What share of all the bus passengers in {city} have {met} {full}?",
    ),
    (
        "In an office of {n} people in {city}, {k} have {met} {full}; about {many} people work in {city}.",
        "What fraction of all those who work in {city} have {met} {full}?",
    ),
    (
        "One choir in {city} asked round, and {k} of its {n} singers had {met} {full}; the country has "
        "thousands of choirs.",
        "Among all the choir singers in the country, what proportion have {met} {full}?",
    ),
    (
        "At a table of {n} guests in a café in {city}, {k} had {met} {full}; the café serves {many} guests "
        "a year.",
        "What percentage of all the yearly guests of the café in {city} have {met} {full}?",
    ),
    (
        "A teacher in {city} found that {k} of the {n} pupils in her reading group had {met} {full}; "
        "{city} has {many} pupils.",
        "What is the proportion of pupils in the whole of {city} who have {met} {full}?",
    ),
)

_MEDIANS: tuple[Pair, ...] = (
    (
        "Five pupils in {city} sat a test on {full}: Anka scored {a}, Bo {b}, Cal {c} and Dee {d}. The "
        "score of Emmet, the fifth, is not given.",
        "What was the median score of the five pupils in the test on {full}?",
    ),
    (
        "A quiz on {full} in {city} had five teams. Red got {a} points, Blue {b}, Green {c} and White {d}; "
        "the sheet of the Black team is lost.",
        "What is the median of the points that the five teams got in the quiz on {full}?",
    ),
    (
        "Five students in {city} wrote essays on {full}, of {a}, {b}, {c} and {d} pages; how long the "
        "fifth essay was is not recorded.",
        "What was the median length in pages of the five essays on {full}?",
    ),
    (
        "Five evenings on {full} were held in {city}. The first four drew {a}, {b}, {c} and {d} guests, "
        "while nobody counted at the fifth.",
        "What was the median number of guests at the five evenings on {full}?",
    ),
    (
        "Five libraries in {city} own booklets about {full}: the first has {a}, the second {b}, the third "
        "{c} and the fourth {d}. "
        "The fifth sent no figure.",
        "What is the median number of booklets about {full} in the five libraries?",
    ),
    (
        "Five friends in {city} talked about {full} one after another, for {a}, {b}, {c} and {d} minutes; "
        "the fifth talk was not timed.",
        "What was the median length in minutes of the five talks about {full}?",
    ),
)

_TOWNS = (
    ("Leeds", "Bristol", "the United Kingdom"), ("Calgary", "Halifax", "Canada"), ("Porto", "Braga", "Portugal"),
    ("Adelaide", "Hobart", "Australia"), ("Graz", "Linz", "Austria"), ("Utrecht", "Breda", "the Netherlands"),
    ("Tucson", "Omaha", "the United States"),
)  # fmt: skip
_NATIONS: tuple[Pair, ...] = (
    (
        "A survey found that {p} per cent of adults in {town} and {q} per cent of adults in {other} have "
        "{met} {full}.",
        "What percentage of adults in {land} as a whole have {met} {full}?",
    ),
    (
        "In {town}, {p} per cent of those asked had {met} {full}; in {other} it was {q} per cent. No other "
        "place was covered.",
        "For {land} as a whole, what is the percentage of people who have {met} {full}?",
    ),
    (
        "Schools in {town} deal with {full} at the age of {a}, schools in {other} at the age of {b}.",
        "At what age do schools throughout {land} deal with {full}?",
    ),
    (
        "Libraries in {town} lend what they have on {full} for {a} days, libraries in {other} for {b} days.",
        "For how many days is material on {full} lent out in {land} as a whole?",
    ),
    (
        "The town library of {town} holds {p} items on {full} and that of {other} {q}; the report looked "
        "at these two places only.",
        "How many items on {full} are held in all the town libraries of {land}?",
    ),
    (
        "A street poll put the share of people who had {met} {full} at {p} per cent in {town} and at {q} "
        "per cent in {other}.",
        "What is the national share of people in {land} who have {met} {full}?",
    ),
)

_PARTS: tuple[Pair, ...] = (
    (
        "A {item} {prep} {full} kept in {city} has a wrapper that is closed by a brass clasp.",
        "How many turns has the spring inside the clasp on the {item} {prep} {full} in {city}?",
    ),
    (
        "The {item} {prep} {full} in the library of {city} bears a label with a thin metal frame.",
        "What are the rivets in the frame of the label on the {item} {prep} {full} in {city} made of?",
    ),
    (
        "A {item} {prep} {full} owned by a school in {city} comes in a case with a small lock.",
        "How many pins are there in the cylinder of the lock on the case of the {item} {prep} {full} in {city}?",
    ),
    (
        "The case of a {item} {prep} {full} in {city} is fitted with a leather handle.",
        "How many stitches does the seam inside the handle on the case of the {item} {prep} {full} in {city} have?",
    ),
    (
        "A {item} {prep} {full} shown in {city} stands in a frame with four wooden corners.",
        "Who made the glue in the corners of the frame around the {item} {prep} {full} in {city}?",
    ),
    (
        "In {city} a {item} {prep} {full} lies in a glass box whose lid has two hinges.",
        "How thick is the pin in the left hinge of the box that holds the {item} {prep} {full} in {city}?",
    ),
)

_MOLECULES = (
    "What is the amino-acid sequence of the keratin in the hair of {told}?",
    "At which binding site does the eye pigment of {told} take up copper?",
    "On which chromosome of {told} does the gene for eye colour carry a point mutation?",
    "How many hydrogen bonds hold the haemoglobin of {told} together?",
    "Which amino acid stands at position 30 of the insulin receptor of {told}?",
    "What is the reaction rate of the lactase molecules of {told} at body temperature?",
    "Which base pair begins the third exon of the collagen gene of {told}?",
)

_GLOBAL: tuple[Pair, ...] = (
    (
        "On a Tuesday in June a meter outside a café on Mill Street in {city}, where guests were talking "
        "about {full}, read {d} decibels.",
        "How loud, in decibels, are conversations about {full} on average around the world?",
    ),
    (
        "A poster about {full} on Mill Street in {city} was looked at by {k} passers-by in one hour.",
        "How many passers-by an hour, on a worldwide average, look at a poster about {full}?",
    ),
    (
        "A stall on Harbour Lane in {city} asks {k} pounds for a {item} {prep} {full}.",
        "What is the worldwide average price of a {item} {prep} {full}?",
    ),
    (
        "On a bench in Elm Row in {city} two people talked about {full} for {k} minutes.",
        "How long does a conversation about {full} last on average across the world?",
    ),
    (
        "A lesson in a school on Station Road in {city} spent {k} minutes on {full}.",
        "How many minutes do the world's schools spend on {full} on average?",
    ),
    (
        "A pub on Canal Street in {city} counted {k} guests at its quiz round on {full}.",
        "What is the global average number of guests at a quiz round on {full}?",
    ),
    (
        "The door of a shop on Cross Street in {city} that sells {items} {prep} {full} opened {k} times in "
        "one hour.",
        "How many customers an hour do shops that sell {items} {prep} {full} have on average worldwide?",
    ),
)

_CENTURY: tuple[Pair, ...] = (
    (
        "A sensor in {city} timed a single tremor of a {item} {prep} {full}: it was over within {ms} "
        "milliseconds.",
        "How much does a {item} {prep} {full} wear out over the course of a century?",
    ),
    (
        "In a laboratory in {city} the eyelid of one listener moved for {ms} milliseconds when {full} was "
        "mentioned.",
        "How does public interest in {full} change over the course of a century?",
    ),
    (
        "A fast camera in {city} caught a spark of {ms} milliseconds on a shelf that holds a {item} {prep} "
        "{full}.",
        "By how much does a {item} {prep} {full} fade over a hundred years?",
    ),
    (
        "During a talk on {full} in {city} the microphone cut out for {ms} milliseconds.",
        "How does what is said about {full} in public talks change over a century?",
    ),
    (
        "A test in {city} measured that one reader's gaze rested for {ms} milliseconds on the name of "
        "{full}.",
        "How many people take an interest in {full} over an entire century?",
    ),
    (
        "A computer in {city} needed {ms} milliseconds to find the entry on {full} in its files.",
        "How does the number of entries on {full} in the world's files develop over a century?",
    ),
)

_ECONOMY: tuple[Pair, ...] = (
    (
        "In its best year a small shop in {city} took {sum} pounds from the sale of {items} {prep} {full}.",
        "How large was the output of the whole world economy in the best year of the shop in {city} that "
        "sold {items} {prep} {full}?",
    ),
    (
        "A printer in {city} earned {sum} dollars with cards about {full} in a single year.",
        "What was the total output of the world economy in the year in which the printer in {city} sold "
        "cards about {full}?",
    ),
    (
        "A guide in {city} made {sum} pounds in one season with talks on {full}.",
        "How much did the entire world economy produce in the season of the guide's talks on {full} in "
        "{city}?",
    ),
    (
        "One bookseller in {city} reported sales of {sum} dollars for titles that deal with {full}.",
        "What was world economic output in the year for which the bookseller in {city} reported sales of "
        "titles on {full}?",
    ),
    (
        "A museum shop in {city} turned over {sum} pounds with postcards of {full} last year.",
        "What did the economy of the whole world produce in the year in which the museum shop in {city} sold its "
        "postcards of {full}?",
    ),
    (
        "A club in {city} collected {sum} dollars in fees for a course on {full}.",
        "How great was the gross product of the world in the year of the course on {full} in {city}?",
    ),
)

_CLIMATE: tuple[Pair, ...] = (
    (
        "At noon on 4 March the thermometer in a small office near {full} showed {c} degrees.",
        "What is the climate over the year like on the continent where {full} lies?",
    ),
    (
        "The air in a store room near {full} had {c} degrees when it was measured one morning.",
        "How warm is the continent on which {full} is found, on average over the year?",
    ),
    (
        "One evening a heated waiting room not far from {full} was at {c} degrees.",
        "How much do winter and summer temperatures differ across the continent where {full} lies?",
    ),
    (
        "A caretaker who looks after a hut near {full} once read {c} degrees on its indoor thermometer.",
        "Which climate prevails on the continent around {full}?",
    ),
    (
        "In a guest room near {full} the heating was set to {c} degrees on the day of a visit.",
        "What is the yearly mean temperature of the continent on which {full} lies?",
    ),
    (
        "Inside a ticket booth near {full} it was {c} degrees at nine in the morning.",
        "How has the climate of the continent around {full} been in an average year?",
    ),
)


def _shares(a: Analysis, rng: random.Random) -> Draft | None:
    n = rng.randint(5, 9)
    words = {"n": str(n), "k": str(rng.randint(2, n - 2)), "many": f"{rng.randint(12, 80)},000"}
    return planted(
        a,
        rng,
        _SHARES,
        "The share within one very small group says nothing about the large population asked for.",
        **words,
    )


def _medians(a: Analysis, rng: random.Random) -> Draft | None:
    low, second, third, high = sorted(rng.sample(range(5, 19), 4))
    words = {"a": str(high), "b": str(low), "c": str(third), "d": str(second)}
    return planted(
        a, rng, _MEDIANS, "One of the five values is missing, and the median depends on it.", **words
    )


def _nations(a: Analysis, rng: random.Random) -> Draft | None:
    towns = [t for t in _TOWNS if not any(has_word(f"{a.query} {a.text}", part) for part in t)]
    if not towns:
        return None
    town, other, land = rng.choice(towns)
    p, q = rng.sample(range(12, 58), 2)
    low, high = rng.sample(range(10, 16), 2)
    words = {
        "town": town,
        "other": other,
        "land": land,
        "p": str(p),
        "q": str(q),
        "a": str(low),
        "b": str(high),
    }
    return planted(
        a, rng, _NATIONS, "Figures for two towns do not give the figure for the whole country.", **words
    )


def _parts(a: Analysis, rng: random.Random) -> Draft | None:
    return planted(a, rng, _PARTS, "The passage names the part but says nothing of the pieces inside it.")


def _person(a: Analysis) -> str | None:
    doer, s = doer_of(a), subject_of(a)
    if doer is not None:
        return doer.relative
    return s.name if s is not None and s.sort == "person" else None


def _molecules_fit(a: Analysis) -> bool:
    science = r"\b(?:gene|genes|genetic|DNA|protein|proteins|molecul\w+|chromosomes?|biochem\w+)\b"
    return _person(a) is not None and not re.search(science, a.text, re.IGNORECASE)


def _molecules(a: Analysis, rng: random.Random) -> Draft | None:
    told = _person(a)
    if told is None:
        return None
    text = told_in(rng, _MOLECULES, told=told)
    return with_query(
        a,
        question_of(text),
        "The passage stays with a person's deeds; the question asks about the person's molecules.",
    )


def _global(a: Analysis, rng: random.Random) -> Draft | None:
    words = {"d": str(rng.randint(52, 71)), "k": str(rng.randint(6, 38))}
    return planted(a, rng, _GLOBAL, "One reading at a single spot cannot give a worldwide average.", **words)


def _century(a: Analysis, rng: random.Random) -> Draft | None:
    return planted(
        a,
        rng,
        _CENTURY,
        "An instant of milliseconds says nothing about a century.",
        ms=str(rng.randint(3, 9)),
    )


def _economy(a: Analysis, rng: random.Random) -> Draft | None:
    return planted(
        a,
        rng,
        _ECONOMY,
        "The sum that one small seller took cannot lead to the output of the world.",
        sum=f"{rng.randint(2, 9)},{rng.randint(11, 98)}0",
    )


def _climate_fits(a: Analysis) -> bool:
    s = subject_of(a)
    return (
        s is not None
        and s.sort == "place"
        and can_plant(a)
        and not re.search(r"\bclimate|temperature\b", a.text)
    )


def _climate(a: Analysis, rng: random.Random) -> Draft | None:
    return planted(
        a,
        rng,
        _CLIMATE,
        "The warmth of one room at one moment tells nothing of a continent's climate.",
        c=str(rng.randint(17, 23)),
    )


def _rule(intensity: Intensity, lever: str, precondition: str, applies: Applies, apply: Apply) -> Rule:
    return refusal_rule(_CLASS, intensity, lever, precondition, applies, apply)


_SUBJECT = "a named subject or a real person as the answer, and a passage that takes an addition"

RULES: tuple[Rule, ...] = (
    _rule(Intensity.MEDIUM, "Nation from City Data", _SUBJECT, can_plant, _nations),
    _rule(Intensity.MEDIUM, "Part-of-part Detail", _SUBJECT, can_plant, _parts),
    _rule(Intensity.MEDIUM, "Micro-to-Macro Proportion", _SUBJECT, can_plant, _shares),
    _rule(Intensity.MEDIUM, "Median-With-Missing Member", _SUBJECT, can_plant, _medians),
    _rule(
        Intensity.HIGH,
        "Molecular vs. Organism",
        "a real person, as answer or title, with no biology in the passages",
        _molecules_fit,
        _molecules,
    ),
    _rule(Intensity.HIGH, "Global Average from Street Data", _SUBJECT, can_plant, _global),
    _rule(Intensity.HIGH, "Century vs. Millisecond", _SUBJECT, can_plant, _century),
    _rule(
        Intensity.HIGH,
        "Continental Climate from Room Temp",
        "a place whose climate the passages do not speak of",
        _climate_fits,
        _climate,
    ),
    _rule(Intensity.HIGH, "World GDP from Single Firm Revenue", _SUBJECT, can_plant, _economy),
)
