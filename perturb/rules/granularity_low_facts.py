"""What the LOW rules of P-GranularityMismatch plant: a sentence, and an aside on it that picks out the subject."""

from __future__ import annotations

from collections.abc import Mapping

from perturb.rules.granularity_scenes import things
from perturb.rules.kinds import Pair

TOTALS: Mapping[str, tuple[Pair, ...]] = things(
    ("{event} drew {x} {f1}, {y} {f2} and {z} {f3}, {t} people in all.", "{at_which} drew {t} people in all"),
    ("Of {print}, {x} copies went to {p1}, {y} to {p2} and {z} to {p3}; together {t} were sent out.",
     "{print_which} went out in {t} copies"),
    ("A shop in {p1} sold {prints} on three days, {x} on {d1}, {y} on {d2} and {z} on {d3}, which makes {t}.",
     "{print_which} found {t} buyers in one shop"),
    ("{event} brought in {x} {money} at the door, {y} for books and {z} for tea, a sum of {t} {money}.",
     "{at_which} brought in {t} {money}"),
    ("{x} people own {print} in {p1}, {y} in {p2} and {z} in {p3}; adding up, one gets {t}.",
     "{print_which} is owned by {t} people"),
    ("{this} was lent {x} times in spring, {y} in summer and {z} in autumn, {t} times overall.",
     "{which} was lent {t} times"),
    ("{x} {f1}, {y} {f2} and {z} {f3} spoke at {event}; the total of speakers was {t}.",
     "{at_which} had {t} speakers"),
    ("{event} filled {x} chairs, {y} stools and {z} cushions, {t} seats combined.", "{at_which} filled {t} seats"),
    ("{x} {f1}, {y} {f2} and {z} {f3} signed {one}, so that it bears {t} names altogether.",
     "{which} was signed by {t} people"),
    ("At {event} guests drank {x} cups of coffee, {y} of tea and {z} of cocoa, together {t} cups.",
     "{at_which} called for {t} cups"),
    ("{f1} gave {x} {money} towards {one}, {f2} {y} and {f3} {z}, making {t} {money}.", "{which} cost {t} {money}"),
    ("On {d1} {x} minutes went into mending {one}, on {d2} {y} and on {d3} {z}, {t} minutes all told.",
     "{which} was mended in {t} minutes"),
    ("{x} people came to {event} by bus, {y} by bicycle and {z} on foot, a sum of {t}.",
     "{at_which} had {t} people come"),
    ("A total of {t} {f1} bought {print}, {x} from {p1}, {y} from {p2} and {z} from {p3}.",
     "{print_which} was bought by {t} {f1}"),
)  # fmt: skip

DEGREES: Mapping[str, tuple[Pair, ...]] = things(
    ("{one} is kept cool, at {exact} {c} degrees Celsius.", "{which} is kept at {c} degrees"),
    ("The room was warm for {event}, {exact} {w} degrees by the thermometer.",
     "{at_which} was held at {exact} {w} degrees"),
    ("{one} leans a little on its shelf, by {exact} {c} degrees.", "{which} leans by {c} degrees"),
    ("{one} is stored far up north, at {exact} {lat} degrees of latitude.",
     "{which} is stored at {lat} degrees north"),
    ("{event} was held far in the south, at {exact} {s} degrees of latitude.",
     "{at_which} was held at {s} degrees south"),
    ("{event} was a quiet affair, at {exact} {q} decibels.", "{at_which} came to {q} decibels"),
    ("A dim lamp of {exact} {lux} lux shines on {one}.", "{which} is lit by {lux} lux"),
    ("The air around {one} is rather dry, with {exact} {q} per cent humidity.",
     "{which} is kept at {q} per cent humidity"),
    ("One gets to the hall of {event} by steep stairs that rise at {exact} {q} degrees.",
     "{at_which} was held above stairs rising at {q} degrees"),
    ("{one} hangs askew in a hall in {p1}, {exact} {c} degrees off level.", "{which} hangs {c} degrees off level"),
    ("A fresh wind, {exact} {b} on the Beaufort scale, blew during {event}.",
     "{at_which} was held in a wind of force {b}"),
    ("It froze outside during {event}, at {exact} {c} degrees below zero.",
     "{at_which} was held at {c} degrees below zero"),
    ("The window beside {one} looks roughly east, at {exact} {east} degrees on the compass.",
     "{which} stands by a window facing {east} degrees"),
    ("{one} lies in a box whose lid opens wide, to {exact} {east} degrees.",
     "{which} lies under a lid opening {east} degrees"),
    ("{event} got a low mark from {f1}, {exact} {m} out of ten.", "{at_which} was given {m} out of ten"),
    ("The road from {p1} to the archive with {one} is steep, with a rise of {exact} {c} per cent.",
     "{which} is reached by a rise of {exact} {c} per cent"),
)  # fmt: skip
"""A quantity in loose words and as one value in degrees or on a scale of its own."""

EXACTNESS = ("exactly", "precisely", "a measured", "a precise", "an exact")

UNITS: Mapping[str, tuple[tuple[str, Pair], ...]] = things(
    ("length", ("{one} measures {u} ({v}) across.", "{which} measures {v} across")),
    ("length", ("In height {one} comes to {u}, or {v}.", "{which} is {u} high")),
    ("length", ("A parcel {u} ({v}) long held {one}.", "{which} came in a parcel {v} long")),
    ("length", ("{f1} hung {one} on a nail {u} ({v}) from the floor.", "{which} hangs {v} from the floor")),
    ("weight", ("{one} weighs {u} ({v}).", "{which} weighs {v}")),
    ("weight", ("With its box, {one} is {u}, that is {v}, in weight.", "{which} weighs {u} with its box")),
    ("weight", ("The postage for {one} was paid by weight: {u} ({v}).", "{which} was posted at {v}")),
    ("distance", ("{event} took place {u} ({v}) outside {p1}.", "{at_which} took place {v} outside {p1}")),
    ("distance", ("{f1} walked {u} ({v}) to {event}.", "{at_which} drew {f1} from {v} away")),
    ("distance", ("{one} is kept {u}, or {v}, from {p1}.", "{which} is kept {u} from {p1}")),
    ("hours", ("{event} lasted {u} ({v}).", "{at_which} lasted {v}")),
    ("hours", ("{f1} sat through {event} for {u}, that is {v}.", "{at_which} went on for {u}")),
    ("hours", ("A clerk spent {u} ({v}) on mending {one}.", "{which} was mended within {v}")),
    ("days", ("{one} was on loan for {u} ({v}).", "{which} was lent for {v}")),
    ("days", ("It took {u}, or {v}, to get ready for {event}.", "{at_which} took {u} to prepare")),
    ("days", ("{one} was away for {u} ({v}) to be mended.", "{which} was away for {v}")),
    ("area", ("A room of {u} ({v}) in {p1} housed {event}.", "{at_which} filled a room of {v}")),
    ("area", ("{one} hangs in a hall of {u}, or {v}.", "{which} hangs in a hall of {u}")),
    ("warmth", ("{one} is stored at {u} ({v}).", "{which} is stored at {v}")),
    ("warmth", ("The room had {u}, or {v}, at {event}.", "{at_which} was held at {u}")),
)  # fmt: skip
"""What is measured, with the sentence and the aside."""

MEASURES: Mapping[str, tuple[Pair, ...]] = {
    "length": (
        ("25 cm", "10 inches"), ("36 cm", "14 inches"), ("46 cm", "18 inches"), ("51 centimetres", "20 inches"),
        ("61 centimetres", "2 feet"), ("305 mm", "12 inches"), ("254 millimetres", "10 inches"), ("33 cm", "13 in"),
    ),
    "weight": (
        ("227 grams", "8 ounces"), ("340 grams", "12 ounces"), ("454 g", "1 pound"), ("170 g", "6 ounces"),
        ("567 grams", "20 oz"), ("0.5 kg", "1.1 pounds"), ("0.9 kilograms", "2 pounds"), ("284 grams", "10 ounces"),
    ),
    "distance": (
        ("8 km", "5 miles"), ("16 kilometres", "10 miles"), ("5 kilometres", "3.1 miles"), ("3 km", "1.9 miles"),
        ("91 metres", "100 yards"), ("183 metres", "200 yards"), ("1.2 km", "0.75 miles"), ("2.4 km", "1.5 miles"),
    ),
    "hours": (
        ("90 minutes", "an hour and a half"), ("105 minutes", "an hour and three quarters"),
        ("75 minutes", "an hour and a quarter"), ("45 minutes", "three quarters of an hour"),
        ("150 minutes", "2.5 hours"), ("1.2 hours", "72 minutes"), ("180 minutes", "3 hours"),
    ),
    "days": (
        ("14 days", "a fortnight"), ("36 hours", "a day and a half"), ("21 days", "3 weeks"), ("72 hours", "3 days"),
        ("42 days", "6 weeks"), ("24 months", "2 years"), ("18 months", "a year and a half"), ("5 weeks", "35 days"),
    ),
    "area": (
        ("93 square metres", "1,000 square feet"), ("46 square metres", "500 square feet"),
        ("74 square metres", "800 square feet"), ("56 square metres", "600 square feet"),
    ),
    "warmth": (("20 °C", "68 °F"), ("15 °C", "59 °F"), ("18 °C", "64 °F"), ("17 °C", "63 °F"), ("22 °C", "72 °F")),
}  # fmt: skip
"""One measurement in two units, by what is measured."""

YEARLY: Mapping[str, tuple[Pair, ...]] = things(
    ("{event} was held {t} times from {y1} to {y3}, with {x} dates in {y1}, {y} in {y2} and {z} in {y3}.",
     "{at_which} was held {y} times in {y2}"),
    ("A library lent {one} {t} times in three years: {x} in {y1}, {y} in {y2} and {z} in {y3}.",
     "{which} was lent {z} times in {y3}"),
    ("Shops took {t} copies of {print}, namely {x} in {y1}, {y} in {y2}, {z} in {y3}.",
     "{print_which} sold {x} copies in {y1}"),
    ("{t} {f1} came to {event} between {y1} and {y3}; {y1} saw {x} of them, {y2} had {y} and {y3} had {z}.",
     "{at_which} drew {y} {f1} in {y2}"),
    ("In {p1} {event} was asked for by {x} schools in {y1}, {y} in {y2} and {z} in {y3}, {t} over that span.",
     "{at_which} was wanted by {z} schools in {y3}"),
    ("Of {t} {prints} given away since {y1}, {x} went out in that year, {y} in {y2} and {z} in {y3}.",
     "{print_which} went out {y} times in {y2}"),
    ("The owner of {one} earned {t} {money} with it, {x} in {y1}, {y} in {y2} and {z} in {y3}.",
     "{which} earned {x} {money} in {y1}"),
    ("{f1} spoke {t} times at {events}, {x} times during {y1}, {y} during {y2}, {z} during {y3}.",
     "{at_which} had {f1} speak {z} times in {y3}"),
    ("Visitors wrote {t} letters after {event}: {x} arrived in {y1}, {y} in {y2} and {z} in {y3}.",
     "{at_which} brought {y} letters in {y2}"),
    ("{one} was shown on {t} days over three years, {y1} having {x} of these, {y2} having {y} and {y3} having {z}.",
     "{which} was shown on {x} days in {y1}"),
    ("{p1} paid {t} {money} for {events}, {x} in {y1}, {y} in {y2} and {z} in {y3}.",
     "{at_which} cost {p1} {y} {money} in {y2}"),
    ("From {y1} until {y3} {one} was put on show {t} times, {x} times in {y1}, {y} times in {y2}, {z} in {y3}.",
     "{which} was put on show {z} times in {y3}"),
    ("{f1} asked {t} questions at {events}, {x} of them in {y1}, {y} in {y2} and {z} in {y3}.",
     "{at_which} raised {x} questions in {y1}"),
    ("A club in {p2} bought {t} {prints} within three years, {x} in {y1}, {y} in {y2} and {z} in {y3}.",
     "{print_which} was bought {z} times in {y3}"),
)  # fmt: skip
