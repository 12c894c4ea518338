"""What four MEDIUM rules of P-GranularityMismatch plant and ask: shares, medians, nations, pieces inside parts.

Gaps such as `{one}` and `{event}` are filled from a scene about the subject (see `granularity_scenes`).
"""

from __future__ import annotations

from perturb.rules.kinds import Pair

SHARE_UNITS = (
    "in one family", "on one coach", "in one village", "at one table", "on one tram", "in one street",
    "in one office", "at one party", "on one ferry", "in one queue", "at one bus stop", "in one lift",
    "on one staircase", "in one waiting room", "at one wedding", "in one carpool", "at one market stall",
)  # fmt: skip
SHARE_DEEDS = (
    "heard of {full}", "read about {full}", "owned {one}", "bought {one}", "seen {one}", "been given {one}",
    "been to {event}", "asked for {one}", "talked about {full}", "told a child about {full}", "kept {one}",
    "written about {full}", "borrowed {one}", "lost {one}", "missed {event}", "left {event} early",
    "spoken at {event}", "wrapped up {one}", "dreamt about {full}", "paid for {event}", "thrown away {one}",
)  # fmt: skip
REGIONS = (
    "in the country", "worldwide", "across Europe", "in Asia", "in South America", "in the English-speaking world",
    "in Africa", "in all of Canada", "throughout Australia", "in the whole of France", "on every continent",
    "in the United States", "across Scandinavia", "in all the Alps", "around the Mediterranean",
)  # fmt: skip
SHARE_SENTENCES = (
    "Of the {n} {small}, {k} had {did}, a tiny group beside all {all}.",
    "{k} of {n} {small} had {did}; {all} run to many thousands.",
    "There were {n} {small}, and {k} of them had {did}, while {all} are past counting.",
    "Though {all} are very many, only {n} {unit} were asked, {k} of whom had {did}.",
    "A diary mentions {n} {small}, says that {k} had {did}, and leaves out the mass of {all}.",
    "Among {all}, that great crowd, somebody picked {n} {unit}; {k} had {did}.",
    "{k} out of {n} {small} said they had {did}; the host of {all} kept quiet.",
    "Sitting with {n} {small}, a traveller learned that {k} had {did}, and never met the bulk of {all}.",
    "Whatever {all} may have done, of {n} {unit} it is known that {k} had {did}.",
    "{n} {small} put up their hands if they had {did}, and {k} did so; nobody polled {all}.",
    "A note puts at {k} in {n} the {small} who had {did}; {all} form a far larger body.",
    "When {n} {small} met, {k} turned out to have {did}, few indeed next to {all}.",
)  # fmt: skip
SHARE_QUESTIONS = (
    "What proportion of all {all} had {did}?",
    "How many in every hundred of all {all} had {did}?",
    "One in how many of all {all} had {did}?",
    "What percentage of {all} had {did}?",
    "What part of all {all} had {did}?",
    "Which fraction of {all} as a body had {did}?",
    "Out of every thousand {all}, what number had {did}?",
    "To what extent, in per cent, had {all} in general {did}?",
    "What share of {all} do those make up who had {did}?",
    "Of all {all}, how large a share had {did}?",
    "How common was it among all {all} to have {did}?",
    "Taking all {all}, how big is the part that had {did}?",
)  # fmt: skip

MEDIAN_OF_THINGS = (
    "weight in grams", "price in pounds", "width in centimetres", "age in years", "height in millimetres",
    "price in euros", "length in inches", "weight in ounces", "cost in dollars", "breadth in centimetres",
)  # fmt: skip
MEDIAN_OF_EVENTS = (
    "length in minutes", "number of guests", "number of chairs", "entrance fee in francs", "number of speakers",
    "attendance", "cost in crowns", "duration in minutes", "number of questions", "income in pounds",
)  # fmt: skip
MEDIAN_SENTENCES = (
    "For all but one of {size} {group} the {measure} is known: {list}.",
    "Of {size} {group}, one has no recorded {measure}; the rest come to {list}.",
    "{size} {group} stand in a table by {measure}, with {list} and a blank.",
    "Somebody noted the {measure} of {size} {group} as {list}, and one entry is torn off.",
    "The {measure} of {known} out of {size} {group} came to {list}; nobody took the remaining one.",
    "There were {size} {group}, whose {measure} was {list} and, in a single case, unreadable.",
    "A clerk wrote down {list} as the {measure} of {known} of the {size} {group} and skipped the last.",
    "Ink hides the {measure} of one of {size} {group}; the others have {list}.",
    "{list} make up the column for {measure} of {size} {group}, where another line is empty.",
    "Out of {size} {group}, {known} were checked for {measure}, giving {list}, and one was missed.",
    "{p1} had {size} {group}; by {measure} they reached {list}, with no value for one.",
    "While {known} of {size} {group} show {list} for {measure}, the figure of the other has faded.",
)  # fmt: skip
MEDIAN_QUESTIONS = (
    "What was the median {measure} of the {size} {group}?",
    "Which {measure} lies in the middle when all {size} {group} are put in order?",
    "How high was the median {measure} among the {size} {group}?",
    "For the {size} {group}, what was the median {measure}?",
    "With the {size} {group} sorted by {measure}, what does the middle one have?",
    "When the {size} {group} are ranked by {measure}, which value stands in the middle?",
    "To what does the median {measure} of the {size} {group} amount?",
    "By {measure}, what is the middle value for the {size} {group}?",
    "Where does the median lie for the {measure} of the {size} {group}?",
    "Lining up all {size} {group} by {measure}, which figure comes in the middle?",
    "If every one of the {size} {group} counts, what is the median {measure}?",
)  # fmt: skip

NATION_SHAPES: tuple[Pair, ...] = (
    ("In {town} {p} per cent of {f1} had {did}, in {other} {q} per cent.",
     "What percentage of {f1} in {land} as a whole had {did}?"),
    ("{p} in every hundred {f1} in {town} and {q} in {other} had {did}.",
     "How many in every hundred {f1} had {did} in the whole of {land}?"),
    ("Libraries in {town} lend {one} for {p} days, those in {other} for {q}.",
     "For how long may libraries lend {one} in {land} as a whole?"),
    ("{town} puts on {event} {p} times a year, {other} {q} times.",
     "How often a year is {event} put on in the whole of {land}?"),
    ("Shops sold {p} copies of {print} in {town}, and {q} in {other}.",
     "What number of copies of {print} did shops sell across {land}?"),
    ("{p} {f1} own {print} in {town}, against {q} in {other}.",
     "By how many {f1} is {print} owned in all of {land}?"),
    ("The waiting list for {event} holds {p} names in {town} and {q} in {other}.",
     "How long is the waiting list for {event} in {land} as a nation?"),
    ("With {p} speakers in {town} and {q} in {other}, {event} was well served.",
     "What was the number of speakers at {event} throughout {land}?"),
    ("{f1} in {town} wait {p} days for {one}; in {other} it takes {q}.",
     "How long is the wait for {one} in {land} taken as a whole?"),
    ("By rule, {event} may have {p} speakers in {town}, but {q} in {other}.",
     "Which limit on speakers holds for {event} in the whole country of {land}?"),
    ("{town} has {p} schools with {one} on the wall, {other} has {q}.",
     "On the walls of how many schools all over {land} does {one} hang?"),
    ("In {town} children under {p} are kept out of {event}, in {other} those under {q}.",
     "From what age may children in {land} at large go to {event}?"),
    ("{other} gave {q} prizes for {many}, and {town} {p}.",
     "How many prizes for {many} did {land} as a country give?"),
    ("Of {f1} asked in {town}, {p} per cent had {did}; of those in {other}, {q} per cent.",
     "Over the whole of {land}, what share of {f1} had {did}?"),
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
    ("{one} is kept in a case with a brass lock.", "How many pins has the lock on the case with {this}?"),
    ("{one} hangs in a carved frame.", "How many leaves are carved into the left side of the frame around {this}?"),
    ("A drawer with two knobs holds {one}.", "Which metal are the screws of the knobs on the drawer with {this}?"),
    ("{one} lies in an envelope with a wax seal.", "What does the seal on the envelope with {this} weigh?"),
    ("A folder tied with ribbon protects {one}.", "From how many threads is the ribbon of the folder with {this}?"),
    ("{one} stands in a cabinet with glass doors.", "Who made the hinges of the doors on the cabinet with {this}?"),
    ("A tin with a painted lid is home to {one}.", "What is the rim of the lid on the tin with {this} made of?"),
    ("{one} came in a crate with rope handles.", "How thick is the knot in each handle of the crate with {this}?"),
    ("An alarm with a small battery guards {one}.",
     "By whom was the cap of the battery in the alarm beside {this} made?"),
    ("{one} is lit by a lamp on a swivel arm.", "Of what length is the spring in the arm of the lamp above {this}?"),
    ("A shelf on iron brackets carries {one}.", "How wide are the bolts in the brackets of the shelf with {this}?"),
    ("{one} was moved on a trolley with rubber wheels.",
     "What number of spokes has each wheel of the trolley that moved {this}?"),
    ("The hall of {event} has a wooden stage.", "How many boards make up the stage in the hall of {that}?"),
    ("A projector with a long lens served {event}.",
     "Of how many glass elements does the lens of the projector at {that} consist?"),
    ("{event} began when a clock with a pendulum struck.",
     "What weight has the bob on the pendulum of the clock at {that}?"),
    ("A microphone on a stand was used at {event}.", "Who built the clamp on the stand of the microphone at {that}?"),
    ("The door to {event} had a heavy handle.", "Which alloy is the bolt in the handle of the door to {that} made of?"),
    ("A piano with worn pedals stood beside {event}.",
     "How long is the rod behind the pedals of the piano beside {that}?"),
    ("The speaker at {event} had glasses with round lenses.",
     "How large are the screws at the lenses of the glasses worn by the speaker at {that}?"),
    ("Coffee for {event} came from an urn with a tap.",
     "What is the washer inside the tap of the urn at {that} made of?"),
    ("{event} was held under a roof with two skylights.",
     "How many rivets hold the frame of the skylights over {that}?"),
    ("{event} was recorded on a machine with one dial.",
     "What colour is the needle in the dial of the machine that recorded {that}?"),
    ("A bus with leather seats took {f1} to {event}.",
     "How many springs are in each seat of the bus that went to {that}?"),
    ("The stairs to {event} have an iron railing.",
     "How many bars has the lowest section of the railing on the stairs to {that}?"),
    ("Guests at {event} got a pen with a clip.", "From which foundry is the steel in the clip of the pen from {that}?"),
    ("Heat for {event} came from a stove with a flue.",
     "How far apart are the ridges on the flue of the stove at {that}?"),
)  # fmt: skip
"""A part of what stands around the subject, and the question for a piece inside that part."""
