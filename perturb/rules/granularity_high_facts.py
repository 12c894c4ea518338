"""What five HIGH rules of P-GranularityMismatch plant and ask: a spot, an instant, a sum, a room, a molecule.

Gaps such as `{one}` and `{event}` are filled from a scene about the subject (see `granularity_scenes`).
"""

from __future__ import annotations

from perturb.rules.fact_kinds import Pair

STREETS = ("Street", "Road", "Lane", "Avenue", "Hill", "Terrace", "Row")

READINGS: tuple[Pair, ...] = (
    ("A meter in {street}, where {event} was held, showed {loud} decibels.", "noise level on a street"),
    ("{k} cars an hour went down {street} during {event}.", "number of cars an hour on a street"),
    ("{k} people a minute walked down {street}, where {event} was held.",
     "number of people walking down a street in a minute"),
    ("{street}, where {event} was held, slopes at {s} degrees.", "slope of a street"),
    ("The pavement of {street}, where a shop sells {print}, is {s} feet wide.", "width of a pavement"),
    ("{f1} on their way to {event} waited {k} seconds at a crossing in {street}.",
     "waiting time at a pedestrian crossing"),
    ("A street lamp in {street}, where {event} was held, gives {k} lux.", "brightness of a street lamp"),
    ("{k} bicycles were parked in {street} during {event}.", "number of bicycles parked on a street"),
    ("{k} millimetres of rain fell on {street} in the week of {event}.", "weekly rainfall on a street"),
    ("The bus to {event} went along {street} at {k} kilometres an hour.", "speed of a bus on a street"),
    ("After {event}, {k} kilos of litter were picked up in {street}.", "weight of litter left on a street"),
    ("A wind of {k} kilometres an hour blew down {street} during {event}.", "wind speed on a street"),
    ("{k} trees stand in {street}, where {event} was held.", "number of trees on a street"),
    ("{street}, where a shop sells {print}, has {k} street lamps.", "number of lamps on a street"),
)  # fmt: skip
"""One reading at one spot, and the quantity whose average over the world is asked for."""

WORLD_QUESTIONS = (
    "What is the worldwide average {quantity}?",
    "What is the average {quantity} around the world?",
    "What is the global average {quantity}?",
    "Averaged over the whole world, what is the {quantity}?",
    "What is the mean {quantity} across all countries?",
    "Across the whole planet, what is the average {quantity}?",
    "Taking all countries together, what is the average {quantity}?",
    "Worldwide, what is the mean {quantity}?",
)

INSTANTS: tuple[Pair, ...] = (
    ("A flash lit {wall} for {instant}.", "How do the colours of {wall_this} change over a century?"),
    ("A camera shutter was open on {one} for {instant}.", "How much does {this} fade over a hundred years?"),
    ("{wall} shook for {instant} as a lorry passed.", "How does {wall_this} age over a hundred years?"),
    ("A scanner read one line of {book} in {instant}.", "What happens to {book_this} in the course of a century?"),
    ("A server sent a picture of {one} in {instant}.", "How does demand for {many} change over a century?"),
    ("A till took {instant} to record the sale of {print}.",
     "How do the prices of {prints} change over a hundred years?"),
    ("A message about {full} was sent in {instant}.",
     "How does interest in {full} change over the course of a century?"),
    ("A laser measured {wall} in {instant}.", "How much does {wall_this} warp or shrink in a century?"),
    ("A camera filmed one visitor to {event} for {instant}.",
     "How does the behaviour of visitors to {events} change over a hundred years?"),
)  # fmt: skip

SUMS: tuple[Pair, ...] = (
    ("A shop in {p1} took {sum} {money} from sales of {prints} in one year.",
     "the year in which the shop in {p1} sold {prints}"),
    ("{event} cost its organisers {sum} {money}.", "the year of {that}"),
    ("Ticket sales for {event} brought in {sum} {money}.", "the year of {that}"),
    ("A printer in {p1} charged {sum} {money} for copies of {print}.",
     "the year in which the printer in {p1} made copies of {print}"),
    ("{p1} spent {sum} {money} on {event}.", "the year in which {p1} paid for {that}"),
    ("A café in {p1} made {sum} {money} in the year of {event}.", "the year of {that}"),
    ("{f1} raised {sum} {money} for {event}.", "the year in which {f1} raised money for {that}"),
    ("A bus firm in {p1} earned {sum} {money} in the year of {event}.", "the year of {that}"),
    ("A publisher in {p1} earned {sum} {money} from {prints} in one year.",
     "the year in which the publisher in {p1} sold {prints}"),
)  # fmt: skip
"""A sum of one firm, body or person, and the year whose world output is asked for."""

ECONOMY_QUESTIONS = (
    "What did the whole world economy produce in {year}?",
    "How large was the output of the world economy in {year}?",
    "What was the gross product of all countries together in {year}?",
    "What was the world's GDP in {year}?",
    "How much were all goods and services produced on Earth worth in {year}?",
    "How large was global production in {year}?",
    "What was global economic output in {year}?",
    "In {year}, how large was the economy of the whole world?",
)

ROOMS: tuple[Pair, ...] = (
    ("A thermometer in the hall used for {event} showed {c} degrees.", "the hall used for {that}"),
    ("One evening, it was {c} degrees in the room with {wall}.", "the room with {wall_this}"),
    ("The room with {book} is heated to {c} degrees.", "the room with {book_this}"),
    ("In {month}, it was {c} degrees in the hall used for {event}.", "the hall used for {that}"),
    ("During {event} the temperature in the hall rose to {c} degrees.", "the hall used for {that}"),
    ("{f1} came to {event} in a hall heated to {c} degrees.", "the hall used for {that}"),
    ("A stove kept the hall at {c} degrees during {event}.", "the hall used for {that}"),
    ("{name} noted that it was {c} degrees at noon in the room with {one}.", "the room with {this}"),
)
"""The warmth of a room, and the room in a question."""
CONTINENT_QUESTIONS = (
    "What is the climate like on the continent where {tie} is located?",
    "How warm are the summers and how cold are the winters on the continent around {tie}?",
    "How much rainfall does the continent around {tie} get in an average year?",
    "What kind of climate does the continent around {tie} have?",
    "What is the average yearly temperature of the continent where {tie} is located?",
    "By how many degrees do summer and winter differ on the continent where {tie} is located?",
    "What weather is usual from January to December on the continent around {tie}?",
    "Which climate zones does the continent around {tie} have?",
)

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
TISSUES = ("liver", "skin", "muscle", "nerve", "kidney", "lung", "heart", "bone", "cheek", "white blood")
PROTEINS = (
    "transferrin", "haptoglobin", "alpha-1 antitrypsin", "apolipoprotein E", "alcohol dehydrogenase", "complement C4",
    "lactase", "tyrosinase", "filaggrin", "phosphoglucomutase",
)  # fmt: skip
"""Proteins of which people build different variants."""
DISEASES = ("measles", "mumps", "tetanus", "polio", "rubella", "influenza", "chickenpox", "diphtheria")
MOLECULES = (
    "Which alleles of the {gene} gene did {told} inherit?",
    "How many repeats did {told} inherit at the DNA marker {marker}?",
    "Which form of the {gene} gene was {told} born with?",
    "At which sites of chromosome {n} did {told} have methylated DNA {when}?",
    "How many base pairs long were the telomeres that {told} had {when}?",
    "Which point mutations of mitochondrial DNA did {told} carry {when}?",
    "Which amino acids formed the binding site of the {disease} antibodies made by {told} as a child?",
    "Which variant of the protein {protein} did {told} produce {when}?",
    "How many mutations of the {gene} gene had {told} picked up in {tissue} cells by the age of {age}?",
    "Which insertions in the DNA of chromosome {n} was {told} born with?",
    "How much messenger RNA of the {gene} gene did {told} have in {tissue} cells {when}?",
)
"""Questions for what differs between people, so that no textbook answers them.

An age goes with the person, not with cells.
"""
