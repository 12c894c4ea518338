"""Four more HIGH rules of P-GranularityMismatch: a component, a trace, a picture of a block, a tally of species."""

from __future__ import annotations

import random
import re

from perturb.records import Intensity, PerturbationClass
from perturb.rules.analyse import Analysis
from perturb.rules.fact_kinds import Pair
from perturb.rules.granularity_scenes import takes_any, told
from perturb.rules.query_edits import Applies, Apply, refusal_rule
from perturb.rules.rule import Draft, Rule

_DEVICES: tuple[Pair, ...] = (
    ("The computer used at {event}", "the computer used at {that}"),
    ("The till in the shop that sells {print}", "the till in the shop that sells {print}"),
    ("The camera that filmed {event}", "the camera that filmed {that}"),
    ("The projector used at {event}", "the projector used at {that}"),
    ("The sound desk used at {event}", "the sound desk used at {that}"),
    ("The camera used to photograph {one}", "the camera used to photograph {this}"),
    ("The scanner used for {book}", "the scanner used for {book_this}"),
    ("The tablet used at {event}", "the tablet used at {that}"),
    ("The ticket machine used for {event}", "the ticket machine used for {that}"),
    ("The printing machine used for {print}", "the printing machine used for {print}"),
)
"""A device in a sentence, and the same in a question."""

_SPECS = (
    "{device} has {gb} gigabytes of memory.",
    "{device} has a memory card of {gb} gigabytes.",
    "The memory of {tail} is a single module of {gb} gigabytes.",
    "{device} was given a new memory module of {gb} gigabytes.",
    "{device} contains a memory chip with {k} pins.",
    "One of the memory chips in {tail} holds {gb} gigabytes.",
)
_BUSES = (
    "What is the bandwidth of the system bus of {tail}?",
    "How wide, in bits, is the system bus of {tail}?",
    "At what clock rate does the system bus of {tail} run?",
    "How much data per second can the system bus of {tail} carry?",
    "Which protocol does the system bus of {tail} use?",
    "At what voltage does the system bus of {tail} run?",
    "How many units share the system bus of {tail}?",
    "What is the delay of a signal on the system bus of {tail}?",
)
_TRACES = (
    "A trace of {tail} covers {us} microseconds, in which one switch closes.",
    "A probe followed the voltage in {tail} for {us} microseconds.",
    "{device} was monitored for {us} microseconds while a pulse passed.",
    "A plot shows the current in {tail} over {us} microseconds at start-up.",
    "A tester watched the voltage in {tail} settle over {us} microseconds.",
    "An engineer recorded the current in {tail} for {us} microseconds.",
    "A log of {tail} covers {us} microseconds and shows a single pulse.",
)
_RELIABILITY = (
    "What is the failure rate of {tail} over thirty years of service?",
    "How many times does {tail} break down in forty years of service?",
    "How reliable is {tail} over five decades of use?",
    "How many faults per decade does {tail} show in long service?",
    "After how many decades of use does {tail} wear out?",
    "How does the reliability of {tail} change from decade to decade?",
    "For what share of a service life of forty years is {tail} out of order?",
    "What is the mean time between failures of {tail} over thirty years of use?",
)

_USES: tuple[Pair, ...] = (
    ("a car park", "car parks"), ("a football pitch", "football pitches"), ("a cemetery", "cemeteries"),
    ("a school", "schools"), ("a playground", "playgrounds"), ("a railway line", "railway lines"),
    ("a petrol station", "petrol stations"), ("a row of garages", "garages"), ("a warehouse", "warehouses"),
    ("a tennis court", "tennis courts"), ("a market square", "market squares"), ("a bus depot", "bus depots"),
    ("a hospital", "hospitals"), ("an office building", "office buildings"), ("a church", "churches"),
    ("a small park", "parks"), ("a hotel", "hotels"), ("a row of shops", "shops"),
)  # fmt: skip
"""What a picture of a block may show, and the land use that goes with it."""
_PICTURES = (
    "An aerial photograph of the city block where {event} was held shows {x}, {y} and {k} roofs.",
    "A map tile of the city block where {event} was held shows {x}, {y} and {k} houses.",
    "A photograph of the city block where {one} is kept shows {x} next to {y}.",
    "A drone picture of the city block where {one} is kept shows {k} houses, {x} and {y}.",
    "{x} and {y} can be seen in an aerial picture of the city block where {event} was held.",
    "A satellite image of the city block where a shop sells {print} shows {x} and {y}.",
    "A picture taken from above shows {x}, {y} and {k} houses in the city block where {event} was held.",
)
_LAND = (
    "What share of all land on Earth is taken up by {use}?",
    "What percentage of the land surface of the Earth is taken up by {use}?",
    "How many square kilometres of land do {use} take up around the world?",
    "How much land is taken up by {use} worldwide?",
    "What fraction of the land in all countries is given over to {use}?",
    "How large is the area of all {use} on Earth put together?",
    "What proportion of the planet's land is used for {use}?",
    "How many hectares of land do {use} cover across all continents?",
)

_TAXA: tuple[Pair, ...] = (
    ("moths", "wing colour"), ("snails", "shell colour"), ("beetles", "body colour"), ("sparrows", "plumage colour"),
    ("ferns", "leaf shape"), ("frogs", "skin colour"), ("dragonflies", "eye colour"), ("bats", "ear length"),
    ("tulips", "petal colour"), ("gulls", "bill colour"), ("finches", "beak shape"),
    ("orchids", "petal colour"), ("butterflies", "wing pattern"), ("spiders", "leg length"),
    ("ducks", "feather colour"), ("roses", "petal colour"),
)  # fmt: skip
_TALLIES: tuple[Pair, ...] = (
    ("In the garden behind the hall used for {event}, {k} {taxa} of {s} species were counted.",
     "in the garden behind the hall used for {that}"),
    ("Before {event}, {f1} counted {k} {taxa} of {s} species.", "that {f1} counted before {that}"),
    ("A count in the park beside the hall used for {event} found {k} {taxa} of {s} species.",
     "in the park beside the hall used for {that}"),
    ("{p1}, where {event} was held, is home to {s} species of {taxa}.", "of {p1}, where {that} was held,"),
    ("In the garden of the library with {book}, there are {k} {taxa} of {s} species.",
     "in the garden of the library with {book_this}"),
    ("A count in the garden of the museum that shows {one} found {k} {taxa} of {s} species.",
     "in the garden of the museum that shows {this}"),
)  # fmt: skip
"""How many living things were counted, and where they were, for a question."""
_GENOMES = (
    "On which chromosome is the gene for {trait} in the {taxa} {tie} located?",
    "How many base pairs long are the genomes of the {taxa} {tie}?",
    "Which DNA sequence controls {trait} in the {taxa} {tie}?",
    "Which alleles for {trait} do the {taxa} {tie} carry?",
    "By how many bases do the genomes of the {taxa} {tie} differ from each other?",
    "How many genes determine {trait} in the {taxa} {tie}?",
    "Which mutation affects {trait} in the {taxa} {tie}?",
    "How many chromosomes do the {taxa} {tie} have?",
)


def _figures(rng: random.Random) -> dict[str, str]:
    return {
        "k": str(rng.randint(14, 48)),
        "s": rng.choice(("two", "three", "four")),
        "us": str(rng.randint(12, 95)),
        "gb": rng.choice(("2", "4", "8", "16", "32")),
    }


def _of_device(sentences: tuple[str, ...], questions: tuple[str, ...], why: str) -> Apply:
    """How a rule makes a draft about a device that has to do with the subject."""

    def apply(a: Analysis, rng: random.Random) -> Draft | None:
        device, tail = rng.choice(_DEVICES)
        first = device[:1].lower() + device[1:]
        sentence = rng.choice(sentences).replace("{device}", device).replace("{tail}", first)
        question = rng.choice(questions).replace("{tail}", tail)
        return told(a, rng, ((sentence, question),), why, **_figures(rng))

    return apply


def _picture(a: Analysis, rng: random.Random) -> Draft | None:
    (x, use), (y, _) = rng.sample(_USES, 2)
    if rng.random() < 0.5:
        x, y = y, x
    pair = (rng.choice(_PICTURES), rng.choice(_LAND))
    why = "A picture of one block cannot measure the use of land on the whole Earth."
    return told(a, rng, (pair,), why, x=x, y=y, use=use, k=str(rng.randint(8, 24)))


def _genome_fits(a: Analysis) -> bool:
    return takes_any(a) and not re.search(r"\b(?:species|genes?|genomes?|DNA|chromosomes?)\b", a.text)


def _genome(a: Analysis, rng: random.Random) -> Draft | None:
    taxa, trait = rng.choice(_TAXA)
    sentence, tie = rng.choice(_TALLIES)
    pair = (sentence, rng.choice(_GENOMES).replace("{tie}", tie).replace(",?", "?"))
    why = "A tally of living things tells nothing of their genome."
    return told(a, rng, (pair,), why, taxa=taxa, trait=trait, **_figures(rng))


def _rule(lever: str, applies: Applies, apply: Apply) -> Rule:
    precondition = "a named subject, and a passage that takes an addition"
    return refusal_rule(PerturbationClass.GRANULARITY, Intensity.HIGH, lever, precondition, applies, apply)


RULES: tuple[Rule, ...] = (
    _rule(
        "System Bus from RAM Spec",
        takes_any,
        _of_device(_SPECS, _BUSES, "One component's data never reach the channel of the whole system."),
    ),
    _rule(
        "Microsecond Trace to Decadal Reliability",
        takes_any,
        _of_device(_TRACES, _RELIABILITY, "A trace of microseconds shows no reliability over decades."),
    ),
    _rule("City-block Image to Global Land-use", takes_any, _picture),
    _rule("Genome Detail from Species Count", _genome_fits, _genome),
)
