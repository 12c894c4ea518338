"""What five HIGH rules of P-GranularityMismatch plant and ask: a spot, an instant, a sum, a room, a molecule.

Gaps such as `{one}` and `{event}` are filled from a scene about the subject (see `granularity_scenes`).
"""

from __future__ import annotations

from perturb.rules.kinds import Pair

STREETS = (
    "Street",
    "Road",
    "Lane",
    "Row",
    "Square",
    "Hill",
    "Terrace",
    "Avenue",
    "Alley",
    "Crescent",
    "Steps",
)

READINGS: tuple[Pair, ...] = (
    ("A meter outside {event} in {street} read {d} decibels.", "the noise of a street"),
    ("{k} cars an hour went down {street} past {event}.", "the number of cars an hour in a street"),
    ("In {street}, where a window holds {one}, {k} people walked by in a minute.",
     "the number of walkers a minute in a street"),
    ("Outside {event}, {street} slopes at {s} degrees.", "the slope of a street"),
    ("The pavement of {street} is {s} feet wide by a shop with {one}.", "the width of a pavement"),
    ("{f1} on the way to {event} waited {k} seconds at a crossing in {street}.", "the wait at a crossing"),
    ("A lamp in {street} throws {k} lux on {one}.", "the light of a street lamp"),
    ("A stall in {street} sold tea for {s} coins before {event}.", "the price of a cup of tea at a stall"),
    ("{k} bicycles stood in {street} during {event}.", "the number of bicycles parked in a street"),
    ("{d} millimetres of rain fell on {street} in the week of {event}.", "the rain on a street in a week"),
    ("The bus to {event} crawled along {street} at {s} miles an hour.", "the speed of a bus in a street"),
    ("After {event} {k} kilos of litter lay in {street}.", "the weight of litter in a street"),
    ("Wind blew at {k} km/h down {street}, past a shop with {one}.", "the wind at a street corner"),
    ("A kerb in {street}, below a sign for {event}, stands {s} cm high.", "the height of a kerb"),
    ("On a house in {street} with {one}, the paint was {s} years old.", "the age of paint on a house wall"),
    ("{k} grains of pollen were caught in {street} near {one}.", "the amount of pollen in street air"),
    ("Near {one} in {street} {s} sparrows sat on a wire.", "the number of sparrows in a street"),
    ("{street}, the scene of {event}, has {k} steps.", "the number of steps in a stepped street"),
)  # fmt: skip
"""One reading at one spot, and the quantity whose average over the world is asked for."""

WORLD_QUESTIONS = (
    "What is the worldwide average for {quantity}?",
    "Over the whole planet, what does {quantity} come to on average?",
    "What mean value does {quantity} have around the globe?",
    "How great is {quantity} on average if all streets on earth are counted?",
    "Taking every country together, what is the mean of {quantity}?",
    "To what does {quantity} amount in the mean across all continents?",
    "Which value is typical, the world over, of {quantity}?",
    "Where does {quantity} settle on a global average?",
    "If one averages {quantity} over the entire world, what comes out?",
    "Averaged over all the earth, how large is {quantity}?",
    "By international average, what is {quantity}?",
    "What would a mean over all nations on earth give for {quantity}?",
)  # fmt: skip

INSTANTS: tuple[Pair, ...] = (
    ("A flash lit {one} for {instant}.", "How does the colour of {this} change over a century?"),
    ("A shutter stood open on {one} for {instant}.", "To what extent does {this} fade within a hundred years?"),
    ("A scanner passed one line of {one} in {instant}.", "What becomes of {this} in the course of a century?"),
    ("A spark lasting {instant} jumped from a hand to {one}.",
     "Over ten decades, how does the value of {this} develop?"),
    ("{one} shook for {instant} as a lorry passed.", "In what ways does {this} age in a hundred years?"),
    ("A server sent a picture of {one} within {instant}.", "How does demand for {many} hold up over a century?"),
    ("A till took {instant} to book the sale of {print}.",
     "By how much do prices of {prints} move over a hundred years?"),
    ("One letter of a message about {full} crossed a cable in {instant}.",
     "How does talk about {full} change over four generations?"),
    ("The pointer of a scale with {one} trembled for {instant}.",
     "How much weight does {this} lose or gain over a century?"),
    ("An eye tracker followed one reader of a text on {full} for {instant}.",
     "How does interest in {full} rise and fall over the span of a century?"),
    ("At {event} a click was heard for {instant}.", "How does the style of {events} alter in a hundred years?"),
    ("A microphone at {event} was live for {instant}.",
     "How much longer or shorter do {events} become in a century?"),
    ("The lights flickered for {instant} at {event}.", "What changes do {events} undergo over a century?"),
    ("A drop touched {one} for {instant}.", "What does damp do to {this} over a hundred years?"),
    ("A laser measured {one} in {instant}.", "How far does {this} warp or shrink in a century?"),
    ("A gate beeped for {instant} as a guest came to {event}.",
     "From one century to the next, how does attendance at {events} shift?"),
    ("The starting signal for {event} lasted {instant}.",
     "How do starting times of {events} wander over a hundred years?"),
    ("A camera caught {name} for {instant} at {event}.",
     "In what direction does behaviour at {events} go in the space of a century?"),
)  # fmt: skip

SUMS: tuple[Pair, ...] = (
    ("A stall took {sum} {money} for {prints} in one year.", "the year in which a stall sold {prints}"),
    ("{event} cost its hall {sum} {money}.", "the year of {that}"),
    ("{name} earned {sum} {money} with {event}.", "the year in which {name} was paid for {that}"),
    ("A framer was paid {sum} {money} for work on {one}.", "the year of the framer's work on {this}"),
    ("An insurer paid {sum} {money} for damage to {one}.", "the year of the damage to {this}"),
    ("{f1} raised {sum} {money} towards {event}.", "the year in which {f1} raised money towards {that}"),
    ("A bank lent {name} {sum} {money} to buy {one}.", "the year of the loan to {name}"),
    ("An archive gave {sum} {money} for {one}.", "the year in which an archive bought {this}"),
    ("Tickets to {event} brought in {sum} {money}.", "the year of {that}"),
    ("A printer in {p1} billed {sum} {money} for {print}.", "the year of the printer's bill for {print}"),
    ("{p1} paid {sum} {money} in fees for {event}.", "the year in which {p1} paid for {that}"),
    ("The café beside {event} made {sum} {money} that year.", "the year of {that}"),
    ("A courier charged {sum} {money} to move {one}.", "the year in which a courier moved {this}"),
    ("A bus firm in {p1} earned {sum} {money} by driving {f1} to {event}.", "the year of {that}"),
    ("{sum} {money} went to a cleaner of {one}.", "the year in which {this} was cleaned"),
)  # fmt: skip
"""A sum of one firm, body or person, and the year whose world output is asked for."""

ECONOMY_QUESTIONS = (
    "What did the whole world economy produce in {year}?",
    "How large was world output in {year}?",
    "To how much did the gross product of all countries amount in {year}?",
    "In {year}, what were all goods and services made on earth worth?",
    "What sum did global production reach in {year}?",
    "Which figure for world GDP belongs to {year}?",
    "How much did all nations together earn in {year}?",
    "What was the value of everything made in the world in {year}?",
    "How great was the total output of mankind in {year}?",
    "By how much did the income of the entire world grow in {year}?",
    "How big was the economy of the planet in {year}?",
    "At what level did output stand in {year}, taking every economy on earth?",
)  # fmt: skip

ROOMS = (
    "A thermometer in the hall of {event} showed {c} degrees.",
    "{one} hung in a waiting room that had {c} degrees one evening.",
    "The office with {one} is heated to {c} degrees.",
    "A note says that the cellar with {one} had {c} degrees at noon on the 4th of {month}.",
    "{f1} came to {event} in a room of {c} degrees.",
    "During {event} the air in the hall rose to {c} degrees.",
    "It was {c} degrees in the kitchen beside {event}.",
    "{one} was shown in a parlour at {c} degrees.",
    "The stove kept {event} at {c} degrees.",
    "In {month} a lift on the way to {event} had {c} degrees.",
    "{name} read {c} degrees off a dial above {one}.",
)  # fmt: skip
CONTINENT_QUESTIONS = (
    "What is the climate like over the year on the continent around {tie}?",
    "How warm in summer and how cold in winter is the continent that holds {tie}?",
    "What rainfall has the continent on which {tie} was found in an average year?",
    "Which climate prevails on the continent around {tie}?",
    "What yearly mean temperature has the continent that holds {tie}?",
    "By how many degrees do the seasons differ across the continent around {tie}?",
    "What weather is usual from January to December on the continent around {tie}?",
    "When do dry and wet seasons fall on the continent around {tie}?",
    "To what extent do frost and heat alternate on the continent that holds {tie}?",
    "Into which zones of climate does the continent around {tie} fall?",
)  # fmt: skip

GENES = (
    "HLA-A", "HLA-B", "HLA-C", "HLA-DRB1", "HLA-DQB1", "CYP2D6", "CYP2C19", "CYP1A2", "MC1R", "OCA2", "ALDH2", "ADH1B",
    "LCT", "APOE", "ACTN3", "COMT", "MTHFR", "FTO", "TAS2R38", "BDNF", "DRD4", "OPN1LW", "HERC2", "EDAR", "FUT2",
    "UGT1A1", "NAT2", "CCR5", "FOXO3", "PER3", "KIR3DL1", "TYR", "SLC24A5", "VKORC1", "HFE", "MAOA", "OXTR", "CETP",
    "PON1", "ACE", "AGT",
)  # fmt: skip
"""Genes of which people carry different variants."""
MARKERS = (
    "D3S1358", "vWA", "FGA", "TH01", "TPOX", "CSF1PO", "D5S818", "D13S317", "D7S820", "D8S1179", "D21S11", "D18S51",
    "D2S1338", "D19S433",
)  # fmt: skip
"""Sites of the DNA that differ between people in their number of repeats."""
TISSUES = (
    "liver", "skin", "muscle", "nerve", "kidney", "lung", "heart", "bone", "hair", "gut", "fat", "cheek", "thyroid",
    "spleen", "white blood",
)  # fmt: skip
PROTEINS = (
    "transferrin", "haptoglobin", "alpha-1 antitrypsin", "apolipoprotein E", "alcohol dehydrogenase", "red opsin",
    "complement C4", "lactase", "tyrosinase", "filaggrin", "glyoxalase", "phosphoglucomutase", "esterase D",
)  # fmt: skip
"""Proteins of which people build different variants."""
DISEASES = (
    "measles",
    "mumps",
    "tetanus",
    "polio",
    "rubella",
    "influenza",
    "chickenpox",
    "diphtheria",
    "the common cold",
)
MOLECULES = (
    "Which alleles of the {gene} gene did {told} inherit?",
    "How many repeats had the DNA marker {marker} in {told}?",
    "At which sites did chromosome {n} in the {tissue} cells of {told} carry a methyl group {when}?",
    "How many base pairs long were the telomeres in the {tissue} cells of {told} {when}?",
    "What point mutations set the mitochondrial DNA of {told} apart from others {when}?",
    "Which amino acids formed the tip of the antibodies against {disease} in {told} {when}?",
    "What variant of the protein {protein} did {told} carry {when}?",
    "By how many bases did the two copies of the {gene} gene differ in {told}?",
    "To what extent had the {tissue} cells of {told} picked up mutations in the {gene} gene {when}?",
    "Where on chromosome {n} did the genome of {told} have its longest insertion?",
    "With which form of the {gene} gene was {told} born?",
    "In the DNA of {told}, what bases stood at the {marker} site?",
    "Which allele of the {gene} gene did {told} get from the mother's side?",
    "How much messenger RNA of the {gene} gene did the {tissue} cells of {told} hold {when}?",
    "Which sugars sat on the membrane proteins of the {tissue} cells of {told} {when}?",
)  # fmt: skip
"""Questions for what differs between people, so that no textbook answers them."""
