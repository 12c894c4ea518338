"""What the LOW rules of P-GranularityMismatch plant: a sentence, and an aside on it that picks out the subject."""

from __future__ import annotations

from collections.abc import Mapping

from perturb.rules.fact_kinds import Pair
from perturb.rules.granularity_scenes import things

TOTALS: Mapping[str, tuple[Pair, ...]] = things(
    ("{event} drew {x} {f1}, {y} {f2} and {z} {f3}, {t} people in all.", "{at_which} drew {t} people"),
    ("{x} copies of {print} went to {p1}, {y} to {p2} and {z} to {p3}, {t} copies in total.",
     "{print_which} was sent out in {t} copies"),
    ("A shop in {p1} sold {x} copies of {print} on {d1}, {y} on {d2} and {z} on {d3}, {t} copies in total.",
     "{print_which} sold {t} copies in one shop"),
    ("{event} brought in {x}0 {money} from tickets, {y}0 from books and {z}0 from drinks, {t}0 {money} altogether.",
     "{at_which} brought in {t}0 {money}"),
    ("{x} people own {print} in {p1}, {y} in {p2} and {z} in {p3}, {t} people altogether.",
     "{print_which} is owned by {t} people"),
    ("A library lent {book} {x} times in spring, {y} times in summer and {z} times in autumn, {t} times overall.",
     "{book_which} was lent {t} times"),
    ("{x} people came to {event} by bus, {y} by bicycle and {z} on foot, {t} people in total.",
     "{at_which} was attended by {t} people"),
    ("Schools in {p1} held {x} {events}, schools in {p2} {y} and schools in {p3} {z}, {t} {meetings} in all.",
     "{t} {meetings} {event_prep} which were held by schools"),
    ("A total of {t} people bought {print}: {x} in {p1}, {y} in {p2} and {z} in {p3}.",
     "{print_which} was bought by {t} people"),
    ("The audience at {event} was made up of {x} {f1}, {y} {f2} and {z} {f3}, {t} people altogether.",
     "{at_which} had an audience of {t} people"),
    ("{x} {f1}, {y} {f2} and {z} {f3} borrowed {book} from a library, {t} people in total.",
     "{book_which} was borrowed by {t} people"),
    ("A museum showed {one} for {x} days in spring, {y} days in summer and {z} days in autumn, {t} days in all.",
     "{which} was on show for {t} days"),
)  # fmt: skip

DEGREES: Mapping[str, tuple[Pair, ...]] = things(
    ("{book} is kept in a cool room, at {exact} {cool} degrees Celsius.",
     "the subject of {a_book} kept at {exact} {cool} degrees Celsius"),
    ("The hall was warm during {event}, at {exact} {warm} degrees Celsius.",
     "{at_which} was held in a hall at {exact} {warm} degrees Celsius"),
    ("{wall} hangs slightly crooked, tilted by {exact} {tilt} degrees.",
     "the subject of {a_wall} that hangs tilted by {exact} {tilt} degrees"),
    ("{event} was held in the far north, at {exact} {north} degrees of latitude.",
     "{at_which} was held at {exact} {north} degrees north"),
    ("{event} was held in the far south, at {exact} {south} degrees of latitude.",
     "{at_which} was held at {exact} {south} degrees south"),
    ("The applause after {event} was loud, at {exact} {loud} decibels.",
     "{at_which} ended in applause of {exact} {loud} decibels"),
    ("{wall} is shown in dim light, at {exact} {lux} lux.", "{wall_which} is shown in light of {exact} {lux} lux"),
    ("{book} is kept in rather dry air, at {exact} {dry} per cent humidity.",
     "the subject of {a_book} kept at {exact} {dry} per cent humidity"),
    ("A fresh wind, {exact} 5 on the Beaufort scale, was blowing outside during {event}.",
     "{at_which} was held on a day with a wind of {exact} 5 on the Beaufort scale"),
    ("{event} got a poor rating from the audience, {exact} {mark} out of ten.",
     "{at_which} was rated {exact} {mark} out of ten"),
    ("{one} was in poor condition when sold, graded {exact} {mark} out of ten.",
     "{which} was graded {exact} {mark} out of ten"),
)  # fmt: skip
"""A quantity in loose words and as one value in degrees or on a scale of its own."""

EXACTNESS = ("exactly", "precisely")

UNITS: Mapping[str, tuple[tuple[str, Pair], ...]] = things(
    ("width", ("{wall} is {u} ({v}) wide.", "the subject of {a_wall} {v} wide")),
    ("width", ("{wall} measures {u} ({v}) across.", "the subject of {a_wall} {v} across")),
    ("height", ("{book} is {u} ({v}) tall.", "the subject of {a_book} {v} tall")),
    ("height", ("{book} measures {u}, or {v}, in height.", "the subject of {a_book} {u} in height")),
    ("weight", ("{book} weighs {u} ({v}).", "the subject of {a_book} weighing {v}")),
    ("distance", ("{event} took place {u} ({v}) outside {p1}.", "{at_which} took place {v} outside {p1}")),
    ("distance", ("{f1} walked {u} ({v}) to {event}.", "{at_which} drew {f1} from {v} away")),
    ("distance", ("{one} is kept in an archive {u}, or {v}, from {p1}.", "{which} is kept {u} from {p1}")),
    ("hours", ("{event} lasted {u} ({v}).", "{at_which} lasted {v}")),
    ("hours", ("{event} went on for {u}, or {v}.", "{at_which} went on for {u}")),
    ("days", ("{book} was on loan for {u} ({v}).", "the subject of {a_book} that was on loan for {v}")),
    ("days", ("Preparations for {event} took {u} ({v}).", "{at_which} took {v} to prepare")),
    ("days", ("{one} was on show for {u}, or {v}.", "{which} was on show for {u}")),
    ("area", ("{event} was held in a room of {u} ({v}).", "{at_which} was held in a room of {v}")),
    ("area", ("{wall} hangs in a room of {u}, or {v}.", "the subject of {a_wall} that hangs in a room of {u}")),
    ("warmth", ("{book} is kept at {u} ({v}).", "the subject of {a_book} kept at {v}")),
    ("warmth", ("It was {u}, or {v}, in the room during {event}.", "{at_which} was held in a room at {u}")),
)  # fmt: skip
"""What is measured, with the sentence and the aside."""

MEASURES: Mapping[str, tuple[Pair, ...]] = {
    "width": (
        ("46 cm", "18 inches"), ("51 centimetres", "20 inches"), ("61 centimetres", "2 feet"), ("76 cm", "30 inches"),
        ("91 cm", "3 feet"), ("61 cm", "24 inches"),
    ),
    "height": (
        ("20 cm", "8 inches"), ("23 cm", "9 inches"), ("25 cm", "10 inches"), ("28 centimetres", "11 inches"),
        ("254 millimetres", "10 inches"), ("30 centimetres", "12 inches"),
    ),
    "weight": (
        ("227 grams", "8 ounces"), ("340 grams", "12 ounces"), ("454 g", "1 pound"), ("284 grams", "10 ounces"),
        ("567 grams", "20 oz"), ("0.5 kg", "1.1 pounds"),
    ),
    "distance": (
        ("8 km", "5 miles"), ("6.4 kilometres", "4 miles"), ("5 kilometres", "3.1 miles"), ("3 km", "1.9 miles"),
        ("3.2 km", "2 miles"), ("4.8 kilometres", "3 miles"), ("2.4 km", "1.5 miles"),
    ),
    "hours": (
        ("90 minutes", "an hour and a half"), ("105 minutes", "an hour and three quarters"),
        ("75 minutes", "an hour and a quarter"), ("45 minutes", "three quarters of an hour"),
        ("150 minutes", "2.5 hours"), ("120 minutes", "2 hours"), ("180 minutes", "3 hours"),
    ),
    "days": (
        ("14 days", "a fortnight"), ("21 days", "3 weeks"), ("72 hours", "3 days"), ("42 days", "6 weeks"),
        ("5 weeks", "35 days"), ("48 hours", "2 days"),
    ),
    "area": (
        ("93 square metres", "1,000 square feet"), ("46 square metres", "500 square feet"),
        ("74 square metres", "800 square feet"), ("56 square metres", "600 square feet"),
    ),
    "warmth": (("20 °C", "68 °F"), ("15 °C", "59 °F"), ("18 °C", "64 °F"), ("17 °C", "63 °F"), ("19 °C", "66 °F")),
}  # fmt: skip
"""One measurement in two units, by what is measured."""

YEARLY: Mapping[str, tuple[Pair, ...]] = things(
    ("Schools held {t} {events} between {y1} and {y3}: {x} in {y1}, {y} in {y2} and {z} in {y3}.",
     "{y} {meetings} {event_prep} which were held by schools in {y2}"),
    ("A library lent {book} {t} times in three years: {x} in {y1}, {y} in {y2} and {z} in {y3}.",
     "{book_which} was lent {z} times in {y3}"),
    ("Shops sold {t} copies of {print} in three years: {x} in {y1}, {y} in {y2} and {z} in {y3}.",
     "{print_which} sold {x} copies in {y1}"),
    ("{t} {f1} came to {events} between {y1} and {y3}: {x} in {y1}, {y} in {y2} and {z} in {y3}.",
     "the {meetings} {event_prep} which drew {y} {f1} in {y2}"),
    ("A publisher gave away {t} {prints} from {y1} to {y3}: {x} in {y1}, {y} in {y2} and {z} in {y3}.",
     "{print_prep} which a publisher gave away {z} {print_kinds} in {y3}"),
    ("{p1} paid {t}0 {money} for {events}: {x}0 in {y1}, {y}0 in {y2} and {z}0 in {y3}.",
     "the {meetings} {event_prep} which cost {p1} {y}0 {money} in {y2}"),
    ("{one} was on show for {t} days over three years: {x} in {y1}, {y} in {y2} and {z} in {y3}.",
     "{which} was on show for {x} days in {y1}"),
    ("A club in {p2} bought {t} {prints} in three years: {x} in {y1}, {y} in {y2} and {z} in {y3}.",
     "{print_prep} which a club bought {z} {print_kinds} in {y3}"),
    ("{events} raised {t}0 {money} for charity from {y1} to {y3}: {x}0 in {y1}, {y}0 in {y2} and {z}0 in {y3}.",
     "the {meetings} {event_prep} which raised {y}0 {money} in {y2}"),
)  # fmt: skip
