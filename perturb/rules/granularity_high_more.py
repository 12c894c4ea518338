"""Four more HIGH rules of P-GranularityMismatch: a component, a trace, a picture of a block, a tally of species."""

from __future__ import annotations

import random
import re

from perturb.records import Intensity, PerturbationClass
from perturb.rules.analyse import Analysis
from perturb.rules.asides import Applies, Apply, refusal_rule
from perturb.rules.granularity_scenes import takes_any, told
from perturb.rules.kinds import Pair
from perturb.rules.rule import Draft, Rule

_DEVICES: tuple[Pair, ...] = (
    ("The computer that served {event}", "the computer that served {that}"),
    ("The till in the shop with {print}", "the till in the shop with {print}"),
    ("A camera that took pictures of {one}", "the camera that took pictures of {this}"),
    ("The projector at {event}", "the projector at {that}"),
    ("The sound desk at {event}", "the sound desk at {that}"),
    ("An alarm beside {one}", "the alarm beside {this}"),
    ("A scanner used on {one}", "the scanner used on {this}"),
    ("The printer of {print}", "the machine that printed {print}"),
    ("The recorder behind {event}", "the recorder behind {that}"),
    ("A tablet shown at {event}", "the tablet shown at {that}"),
    ("The ticket machine for {event}", "the ticket machine for {that}"),
    ("The lift to {event}", "the lift to {that}"),
    ("A machine that copied {one}", "the machine that copied {this}"),
)  # fmt: skip
"""A device in a sentence, and the same in a question; the printer is the machine."""

_SPECS = (
    "{device} has a memory card of {k} gigabytes.",
    "{device} holds a chip with {k} pins.",
    "In one corner, {tail} has a resistor of {k} ohms.",
    "{device} switches by means of a relay of {s} amps.",
    "{device} contains a fuse of {s}00 milliamps.",
    "A clock crystal of {k} megahertz sits in {tail}.",
    "{device} carries a battery of {s} volts.",
    "The memory of {tail} is one module of {k} megabytes.",
    "{device} got a new buffer of {k} kilobytes.",
    "One board inside {tail} draws {s} watts.",
)  # fmt: skip
_BUSES = (
    "What is the bandwidth of the bus that links all units of {tail}?",
    "How wide in bits is the bus that joins every part of {tail}?",
    "At what clock rate does the bus through the whole of {tail} run?",
    "How much data a second can pass over the line that connects all parts of {tail}?",
    "Which protocol governs the common channel between the units of {tail}?",
    "By what voltage is the system bus of {tail} driven?",
    "Of how many wires does the trunk that ties together all of {tail} consist?",
    "What delay has a signal on the backbone of {tail} from end to end?",
    "To what length does the main bus in {tail} extend?",
    "How many units at most can share the central bus of {tail}?",
)  # fmt: skip
_TRACES = (
    "A trace of {tail} covers {us} microseconds, in which one switch closes.",
    "For {us} microseconds a probe followed {tail} as a pulse passed.",
    "{device} was logged for {us} microseconds, during which a relay closed twice.",
    "A plot shows {us} microseconds of {tail} at start-up.",
    "Over {us} microseconds a tester watched the voltage of {tail} settle.",
    "{device} drew a short spike within {us} microseconds, and nothing else was noted.",
    "An engineer caught {us} microseconds of {tail} on a screen.",
    "{us} microseconds of current through {tail} were written to a file.",
)  # fmt: skip
_RELIABILITY = (
    "What failure rate has {tail} over thirty years of service?",
    "How many times in forty years does {tail} break down?",
    "What is the mean time between faults, in years, of {tail}?",
    "To what extent does {tail} hold out across five decades of use?",
    "How many faults a decade does {tail} show in long service?",
    "After how many decades does {tail} wear out?",
    "What share of machines like {tail} fail within thirty years?",
    "Of a hundred machines like {tail}, how many still run after half a century?",
    "For what part of a span of forty years is {tail} out of order?",
    "By how much does the reliability of {tail} drop from decade to decade?",
)  # fmt: skip

_USES: tuple[Pair, ...] = (
    ("a car park", "parking"), ("rows of vines", "growing vines"), ("a football pitch", "sport"),
    ("a graveyard", "burial"), ("a school yard", "schooling"), ("two greenhouses", "crops under glass"),
    ("a playground", "children's play"), ("a railway siding", "rail traffic"), ("a petrol station", "selling fuel"),
    ("a potato patch", "growing potatoes"), ("a row of beehives", "keeping bees"), ("a rose bed", "growing flowers"),
    ("some pear trees", "growing fruit"), ("a row of garages", "housing cars"), ("a brick works", "making bricks"),
    ("a duck pond", "keeping ducks"), ("a timber yard", "storing timber"), ("a tennis court", "tennis"),
    ("a market hall", "holding markets"), ("a goat shed", "keeping goats"), ("a bus depot", "parking buses"),
    ("a herb garden", "growing herbs"), ("a hay field", "making hay"), ("a barracks", "housing soldiers"),
)  # fmt: skip
"""What a picture of a block may show, and the land use that goes with it."""
_PICTURES = (
    "An aerial photograph of the block with the hall of {event} shows {k} roofs, {x} and {y}.",
    "On a map tile of the block around {one} one sees {x}, {y} and {k} chimneys.",
    "A snapshot of the square outside {event} has {x} on the left and {y} behind.",
    "From above, the block in {p1} where people came to {event} reveals {k} yards, {x} and {y}.",
    "The picture of one block near {event} is filled by {x}, {y} and {k} houses.",
    "A drone took the block where {one} is kept: {k} walls, {x}, {y}.",
    "Between {k} buildings, a photograph of the block of {event} catches {x} and {y}.",
    "{x} and {y} can be made out in a picture of the block behind {event}.",
    "A sketch of the block with {one} marks {x}, {y} and {k} doors.",
)  # fmt: skip
_LAND = (
    "What share of all land on Earth is given over to {use}?",
    "How many square kilometres of the globe serve {use}?",
    "What percentage of the surface of the planet goes to {use}?",
    "How much land around the world is there for {use}?",
    "To what extent is the land of all continents used for {use}?",
    "Of the whole Earth, what part is set aside for {use}?",
    "By what area does {use} take up land worldwide?",
    "Which fraction of the land in all countries belongs to {use}?",
    "Measured over the entire Earth, how large is the land for {use}?",
    "What total of hectares does mankind keep for {use}?",
)  # fmt: skip

_TAXA: tuple[Pair, ...] = (
    ("moths", "wing bands"), ("snails", "shell coil"), ("spiders", "silk"), ("beetles", "shine"),
    ("sparrows", "song"), ("ferns", "frond shape"), ("bees", "wax"), ("frogs", "croak"),
    ("ants", "scent"), ("dragonflies", "eye colour"), ("bats", "ear length"),
    ("tulips", "petal colour"), ("crickets", "chirp"), ("earthworms", "rings"), ("gulls", "bill colour"),
    ("finches", "beak"), ("mice", "coat"), ("orchids", "lip shape"), ("newts", "crest"),
)  # fmt: skip
_TALLIES = (
    "In the garden behind the hall of {event} {k} species of {taxa} were counted.",
    "{f1} at {event} spotted {k} {taxa} of {s} kinds.",
    "A list drawn up by the house with {one} has {k} sorts of {taxa}.",
    "Within a mile of the house with {one} live {k} kinds of {taxa}.",
    "A count before {event} found {k} {taxa} in {s} species.",
    "{p1}, where {event} was held, is home to {k} species of {taxa}.",
    "At dawn {k} {taxa} were seen beside the house with {one}, of {s} species.",
    "Around the hall of {event}, the {taxa} number {k}, from {s} species.",
    "A patch of ground by the house with {one} has {k} {taxa}, {s} species in all.",
)  # fmt: skip
_GENOMES = (
    "On which chromosome does the gene for the {trait} of the {taxa} near {tie} lie?",
    "How many base pairs has the genome of the commonest {taxa} by {tie}?",
    "What sequence of bases controls the {trait} of {taxa} near {tie}?",
    "Which allele for {trait} do the {taxa} by {tie} carry?",
    "By how many bases do the genomes of the {taxa} near {tie} differ?",
    "At what place in the DNA of the {taxa} around {tie} does the gene for {trait} begin?",
    "How many genes take part in the {trait} of the {taxa} near {tie}?",
    "To what extent do the {taxa} near {tie} share their genes?",
    "What mutation gave the {taxa} by {tie} their {trait}?",
    "How many chromosomes have the rarest {taxa} around {tie}?",
)  # fmt: skip


def _figures(rng: random.Random) -> dict[str, str]:
    return {"k": str(rng.randint(14, 48)), "s": str(rng.randint(3, 9)), "us": str(rng.randint(12, 95))}


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
    return told(a, rng, (pair,), why, x=x, y=y, use=use, **_figures(rng))


def _genome_fits(a: Analysis) -> bool:
    return takes_any(a) and not re.search(r"\b(?:species|genes?|genomes?|DNA|chromosomes?)\b", a.text)


def _genome(a: Analysis, rng: random.Random) -> Draft | None:
    taxa, trait = rng.choice(_TAXA)
    sentence = rng.choice(_TALLIES)
    tie = "{that}" if "{event}" in sentence else "the house with {this}"
    pair = (sentence, rng.choice(_GENOMES).replace("{tie}", tie))
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
