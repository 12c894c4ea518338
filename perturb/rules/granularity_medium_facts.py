"""What four MEDIUM rules of P-GranularityMismatch plant and ask: shares, medians, nations, pieces inside parts.

Gaps such as `{one}` and `{event}` are filled from a scene about the subject (see `granularity_scenes`).
"""

from __future__ import annotations

from perturb.rules.fact_kinds import Pair

SHARE_UNITS = (
    "in one village", "in one street", "in one club", "in one choir", "at one party", "at one wedding",
    "on one coach", "on one ferry", "in one reading group", "in one sports team",
)  # fmt: skip
SHARE_DEEDS = (
    "heard of {full}", "read about {full}", "bought {print}", "seen {one}", "been to {event}", "talked about {full}",
    "written about {full}", "borrowed {book}", "spoken at {event}", "read {book}",
)  # fmt: skip
REGIONS = (
    "worldwide", "across Europe", "in Asia", "in South America", "in Africa", "in Canada", "in Australia", "in France",
    "in the United States", "in Japan", "in Germany", "in India", "in Brazil", "around the world",
)  # fmt: skip
SHARE_SENTENCES = (
    "Of the {n} {small}, {k} had {did}; there are many thousands of {all}.",
    "{k} of the {n} {small} had {did}, a tiny group next to all {all}.",
    "A survey of the {n} {small} found that {k} had {did}; it did not cover the many thousands of {all}.",
    "Out of the {n} {small}, {k} said they had {did}; the thousands of other {all} were not asked.",
    "When the {n} {small} were asked, {k} said that they had {did}, while most {all} were never asked.",
    "Among the {n} {small}, {k} had {did}; {all} number in the many thousands.",
)
SHARE_QUESTIONS = (
    "What proportion of {all} had {did}?",
    "What percentage of {all} had {did}?",
    "What share of all {all} had {did}?",
    "What fraction of all {all} had {did}?",
    "How many in every hundred {all} had {did}?",
    "Out of every thousand {all}, how many had {did}?",
    "How large was the share of {all} who had {did}?",
    "How large a proportion of {all} had {did}?",
)

MEDIAN_OF_THINGS = ("price in pounds", "price in euros", "weight in ounces", "price in dollars")
MEDIAN_OF_EVENTS = ("length in minutes", "number of guests", "attendance", "cost in pounds")
MEDIAN_SENTENCES = (
    "For all but one of {size} {group} the {measure} is known: {list}.",
    "The {measure} was recorded for only {known} of {size} {group}: {list}.",
    "A table gives the {measure} of {size} {group} as {list}, with one entry left blank.",
    "Of {size} {group}, one has no recorded {measure}; the figures for the others are {list}.",
    "The {measure} of one of {size} {group} is missing from a list; the other figures are {list}.",
    "Somebody noted the {measure} of {known} of {size} {group} as {list} and left out the last one.",
)
MEDIAN_QUESTIONS = (
    "What was the median {measure} of the {size} {group}?",
    "For all {size} {group}, what was the median {measure}?",
    "Across the {size} {group}, what was the median {measure}?",
    "When the {size} {group} are ranked by {measure}, which value is in the middle?",
    "If all {size} {group} are put in order of {measure}, what is the middle value?",
    "What is the middle value when all {size} {group} are sorted by {measure}?",
    "Taking all {size} {group} together, what was the median {measure}?",
)

NATION_SHAPES: tuple[Pair, ...] = (
    ("In {town}, {p} per cent of {f1} had {did}, and in {other}, {q} per cent.",
     "What percentage of {f1} in {land} as a whole had {did}?"),
    ("{p} in every hundred {f1} in {town} and {q} in every hundred in {other} had {did}.",
     "In {land} as a whole, how many in every hundred {f1} had {did}?"),
    ("Libraries in {town} lend {book} for {p} days, those in {other} for {q} days.",
     "For how many days do libraries in {land} as a whole lend {book}?"),
    ("Shops sold {p} copies of {print} in {town} and {q} in {other}.",
     "How many copies of {print} did shops sell in the whole of {land}?"),
    ("{p} {f1} in {town} own {print}, compared with {q} in {other}.",
     "How many {f1} in the whole of {land} own {print}?"),
    ("{p} schools in {town} and {q} in {other} have {wall} on the wall.",
     "How many schools in the whole of {land} have {wall} on the wall?"),
    ("Tickets for {event} must be booked {p} days ahead in {town} and {q} days ahead in {other}.",
     "How many days ahead must tickets for {event} be booked in {land} as a whole?"),
    ("{events} drew {p} {f1} in {town} and {q} in {other}.",
     "How many {f1} did {events} draw across {land} as a whole?"),
    ("{p} schools in {town} and {q} in {other} held {event}.",
     "How many schools in {land} as a whole held {event}?"),
    ("Libraries in {town} own {p} copies of {book}, those in {other} {q} copies.",
     "How many copies of {book} do libraries in the whole of {land} own?"),
)  # fmt: skip
"""Figures or rules of two towns, and the question for those of the whole country."""

TOWNS = (
    ("Dayton", "Spokane", "the United States"), ("Tucson", "Albany", "the United States"),
    ("Omaha", "Fresno", "the United States"), ("Toledo", "Mobile", "the United States"),
    ("Leeds", "Bristol", "the United Kingdom"), ("Norwich", "Swansea", "the United Kingdom"),
    ("Calgary", "Halifax", "Canada"), ("Adelaide", "Hobart", "Australia"), ("Lyon", "Nantes", "France"),
    ("Bremen", "Kassel", "Germany"), ("Turin", "Bari", "Italy"), ("Bilbao", "Murcia", "Spain"),
    ("Porto", "Braga", "Portugal"), ("Utrecht", "Breda", "the Netherlands"), ("Graz", "Linz", "Austria"),
    ("Bergen", "Tromsø", "Norway"), ("Malmö", "Uppsala", "Sweden"), ("Tampere", "Oulu", "Finland"),
    ("Odense", "Aalborg", "Denmark"), ("Poznań", "Lublin", "Poland"), ("Cork", "Galway", "Ireland"),
    ("Pune", "Nagpur", "India"), ("Sendai", "Kobe", "Japan"), ("Recife", "Curitiba", "Brazil"),
    ("Arequipa", "Cusco", "Peru"), ("Mombasa", "Kisumu", "Kenya"), ("Dunedin", "Napier", "New Zealand"),
)  # fmt: skip

PARTS: tuple[Pair, ...] = (
    ("{one} is kept in a case with a brass lock.", "How many pins does the lock on the case with {this} have?"),
    ("{wall} hangs in a wooden frame.", "What are the nails in the frame around {wall_this} made of?"),
    ("{book} is kept in a drawer with two knobs.",
     "What metal are the screws in the knobs of the drawer with {book_this} made of?"),
    ("{book} stands in a cabinet with glass doors.",
     "Who made the hinges on the doors of the cabinet with {book_this}?"),
    ("{wall} is lit by a lamp on a swivel arm.",
     "How long is the spring in the arm of the lamp that lights {wall_this}?"),
    ("{book} stands on a shelf with iron brackets.",
     "How wide are the bolts in the brackets of the shelf with {book_this}?"),
    ("{wall} is protected by an alarm with a small battery.",
     "Who made the cells in the battery of the alarm that protects {wall_this}?"),
    ("The hall where {event} was held has a wooden stage.",
     "How many nails are there in the stage of the hall where {that} was held?"),
    ("A projector with a long lens was used at {event}.",
     "How many glass elements does the lens of the projector used at {that} have?"),
    ("A clock with a pendulum stood in the room during {event}.",
     "How much does the bob on the pendulum of the clock at {that} weigh?"),
    ("The speaker at {event} used a microphone on a stand.",
     "Who made the clamp on the stand of the microphone used at {that}?"),
    ("The room where {event} was held has a door with a heavy handle.",
     "What is the spring in the door handle of the room where {that} was held made of?"),
    ("A piano with worn pedals stood in the hall during {event}.",
     "How long are the rods behind the pedals of the piano at {that}?"),
    ("Coffee at {event} came from an urn with a tap.",
     "What is the washer inside the tap of the urn at {that} made of?"),
    ("{f1} went to {event} on a bus with leather seats.",
     "How many springs are in each seat of the bus on which {f1} went to {that}?"),
    ("{event} was held in a hall with two skylights.",
     "What are the hinges on the skylights of the hall where {that} was held made of?"),
    ("{event} was recorded on a machine with a single dial.",
     "What colour is the needle in the dial of the machine that recorded {that}?"),
)  # fmt: skip
"""A part of what stands around the subject, and the question for a piece inside that part."""
