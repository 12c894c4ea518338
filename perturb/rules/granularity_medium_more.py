"""Six more MEDIUM rules of P-GranularityMismatch: trends, policies, universal rules and common goals."""

from __future__ import annotations

import random

from perturb.records import Intensity, PerturbationClass
from perturb.rules import pools
from perturb.rules.analyse import Analysis
from perturb.rules.asides import Apply, refusal_rule
from perturb.rules.granularity_scenes import PEOPLE, names, takes_any, told
from perturb.rules.kinds import Pair
from perturb.rules.rule import Draft, Rule

_YEARS_APART: tuple[Pair, ...] = (
    ("The library of {p1}, which owns {one}, had {big} visitors in {y1} and {more} in {y2}.",
     "How did visitor numbers at the library of {p1} with {this} develop over the past forty years?"),
    ("The hall of {event} took in {big} {money} in {y1}, then {more} in {y2}.",
     "What course have the takings of the hall of {that} followed since three decades ago?"),
    ("{p1}, home of {event}, counted {big} {f1} in {y1} and {more} in {y2}.",
     "In which direction has the number of {f1} in {p1}, home of {event}, moved over half a century?"),
    ("A club that put on {event} had {big} members in {y1} and {more} one year on.",
     "By how much has membership of the club behind {that} grown or shrunk in fifty years?"),
    ("The printer of {print} used {big} rolls of paper in {y1} and {more} in {y2}.",
     "To what extent has the use of paper by the printer of {print} changed over several decades?"),
    ("A museum with {one} stayed open {big} hours in {y1}, {more} in {y2}.",
     "What is the trend of opening hours at the museum with {this} during the past thirty years?"),
    ("A school in {p1} that keeps {one} taught {big} children in {y1}, and {more} in {y2}.",
     "How has the roll of the school in {p1} with {this} gone up or down over four decades?"),
    ("The shop in {p1} that stocks {print} rang up {big} sales in {y1} and {more} in {y2}.",
     "Over the past sixty years, what has become of sales in the shop that stocks {print}?"),
    ("A radio station that reported on {event} gave {big} minutes to books in {y1}, {more} in {y2}.",
     "Through the decades before {y1}, how did time for books evolve on the station that reported on {event}?"),
    ("For {event} and the like the bus company of {p1} ran {big} buses in {y1} and {more} in {y2}.",
     "What long line can be drawn of the buses that {p1} ran for {event} and the like in the last forty years?"),
    ("The hostel beside {event} charged {v} {money} in {y1} and {w} in {y2}.",
     "How did prices at the hostel beside {that} behave across two generations?"),
)  # fmt: skip

_DAYS_APART: tuple[Pair, ...] = (
    ("{v}, {w} and {u} people looked at {one} on three days in {month}.",
     "By how much per decade does the number of people who look at {this} change?"),
    ("The room with {one} had {c} degrees on the 3rd of {month}, {d} on the 9th and {c} on the 14th.",
     "How many degrees warmer or colder does the room with {this} get from decade to decade?"),
    ("A desk lent {v} {prints} on one Monday in {month}, {w} on Tuesday and {u} on Friday.",
     "Which way does the lending of {prints} go from one decade to the next?"),
    ("During {month} a shop sold {v}, then {w}, then {u} {prints} in a day.",
     "At what rate per decade do sales of {prints} rise or fall?"),
    ("In {month} calls about {event} came to {v} on one day, {w} on another and {u} on a third.",
     "What is the change per decade in calls about {events}?"),
    ("On single days of {month}, {v}, {w} and {u} {f1} asked for {one}.",
     "Do more or fewer {f1} ask for {this} with every decade, and by what number?"),
    ("{f1} walked past {one} {v} times on the 2nd of {month}, {w} times on the 5th, {u} times on the 6th.",
     "Over the decades, how fast does the number of {f1} walking past {this} grow?"),
    ("The queue for {event} was {v} metres long on one day of {month}, {w} the day after and {u} at the weekend.",
     "How much longer or shorter do queues for {events} become each decade?"),
    ("A card lists {v}, {w} and {u} questions on {full} for three mornings in {month}.",
     "What trend from decade to decade do questions on {full} show?"),
    ("Dust on {one} came to {c} milligrams on one day in {month}, {d} on the next and {c} on the last.",
     "How does the dust on {this} increase or decrease by the decade?"),
)  # fmt: skip

_UNIT_RULES: tuple[Pair, ...] = (
    ("At the museum of {p1} the map room shows {one} to all, while the print room asks for a letter first.",
     "What is the overall policy of the museum of {p1} on showing {this}?"),
    ("One branch of a shop in {p1} takes back {print} within {c} days, another within {d}.",
     "Which rule does the shop in {p1} as a whole have for taking back {prints}?"),
    ("In the college at {p1} one department lets {f1} into {event} free, another charges them.",
     "How does the college at {p1} as a body handle the entry of {f1} to {events}?"),
    ("Of two libraries run by {p1}, the east one lends {one} overnight, the west one for {c} days.",
     "For how long are loans such as {this} allowed under the common policy of {p1}?"),
    ("Cameras are welcome at {event} in the lower hall of the club at {p1} and banned in the upper hall.",
     "What line on cameras does the club at {p1} take across all its halls?"),
    ("The day team of an archive lets {f1} touch {one}; the evening team wants gloves.",
     "What does the archive with {this} as an institution lay down about touching?"),
    ("A firm's office in {p1} gives staff {c} hours off for {event}, its office in {p2} {d} hours.",
     "How much time off for {event} does the firm grant company-wide?"),
    ("The hotels of one chain differ: in {p1} guests may borrow {one}, in {p2} they must leave a deposit.",
     "What is the chain's general policy on borrowing {this}?"),
    ("At {p1} school, class A may eat during {event}, class B may only drink.",
     "Which policy on eating at {events} has {p1} school as a whole adopted?"),
    ("The north ward of {p1} hospital has {one} dusted daily, the south ward weekly.",
     "How often must {one} be dusted under the policy of {p1} hospital itself?"),
)  # fmt: skip

_SUBTYPES: tuple[Pair, ...] = (
    ("{many} may be borrowed for {c} days as a rule; certain kinds have terms of their own.",
     "For how long may {subtype} {kind} {prep} {full} be borrowed?"),
    ("As a rule {prints} cost {c} {money}, though some sorts are priced apart.",
     "At what price does {subtype} {print_kind} {print_prep} {full} sell?"),
    ("{f1} usually pay {c} {money} for {event}; a few groups, not named here, have other rates.",
     "What do {narrow} pay for {that}?"),
    ("Normally {event} lasts {v} minutes, but separate limits hold for some forms of it.",
     "How long does {event} for {narrow} last?"),
    ("In general {one} is insured for {v} {money}; special kinds come under other clauses.",
     "For what sum is {subtype} {kind} {prep} {full} insured?"),
    ("Most {f1} may enter {event} at the age of 1{c}; for several branches another age is set elsewhere.",
     "From what age may {narrow} enter {that}?"),
    ("{many} are kept for {c} years by default, except for types on a list of exceptions.",
     "After how many years is {subtype} {kind} {prep} {full} thrown out?"),
    ("The post carries {many} for {d} {money}, with unlisted surcharges for some varieties.",
     "How much does the post ask to carry {subtype} {kind} {prep} {full}?"),
    ("{f1} get {c} seats at {event}; for groups among them there are contracts that say otherwise.",
     "What number of seats at {that} do {narrow} get?"),
)  # fmt: skip

_SUBTYPE_WORDS = (
    "a bound", "a signed", "a damaged", "a rare", "a coloured", "a foreign", "a hand-made", "a very large",
    "a numbered", "a waterproof", "a miniature", "a gilded",
)  # fmt: skip
_NARROW = {
    "teachers": ("part-time teachers", "swimming teachers"), "librarians": ("music librarians", "prison librarians"),
    "nurses": ("night nurses", "school nurses"), "students": ("evening students", "law students"),
    "commuters": ("weekend commuters", "ferry commuters"), "retired people": ("retired judges", "retired miners"),
    "bakers": ("pastry bakers", "trainee bakers"), "taxi drivers": ("airport taxi drivers", "water taxi drivers"),
    "office workers": ("temporary office workers", "night-shift office workers"),
    "readers": ("blind readers", "proof readers"), "museum visitors": ("museum visitors with dogs", "royal visitors"),
    "shop assistants": ("Saturday shop assistants", "trainee shop assistants"),
    "sailors": ("deep-sea sailors", "retired sailors"), "gardeners": ("tree gardeners", "royal gardeners"),
    "engineers": ("railway engineers", "sound engineers"), "journalists": ("sports journalists", "trainee journalists"),
    "farmers": ("bee farmers", "tenant farmers"), "hikers": ("mountain hikers", "barefoot hikers"),
    "parents": ("foster parents", "single parents"),
}  # fmt: skip
"""Sorts of the people that a scene may name."""

_ONE_CASE: tuple[Pair, ...] = (
    ("{name} looked at {one} for {c} minutes and turned away.", "For how many minutes does everybody look at {one}?"),
    ("A single visitor stood {c} steps away from {one}.", "At what distance do all visitors stand from {many}?"),
    ("Once, in {p1}, {event} ended with {w} {f1} in the room.",
     "With what number of {f1} in the room do all {events} end?"),
    ("On one occasion {one} was sold after {c} days on a shelf.",
     "How long do all {many} stay on a shelf before they are sold?"),
    ("{name} once spoke about {full} for {v} minutes.", "How long does everyone who speaks about {full} go on?"),
    ("One child first heard of {full} at the age of {c}.", "When do children of every country first hear of {full}?"),
    ("An owner in {p1} keeps {one} in a left-hand drawer.", "In which place do all owners of {many} keep them?"),
    ("During one session, {event} was broken off after {v} minutes.",
     "After how many minutes are {events} always broken off?"),
    ("{name} liked {event} best with the windows open.",
     "Under what conditions do people everywhere like {events} best?"),
    ("Rain fell on {p1} as {event} began.", "What is the weather like whenever {event} begins?"),
    ("A copy of {print} faded after {c} months in a window.", "What time does every copy of {print} take to fade?"),
    ("At a sale in {p1} {one} fetched {v} {money}.", "Which sum do {many} fetch at any sale?"),
    ("One of the {f1} came to {event} by canoe.", "By what means do all {f1} come to {events}?"),
    ("{name} bought {one} as a present for a nephew.", "For whom does anybody who buys {one} buy it?"),
    ("In {p1} somebody swapped {one} for a bag of apples.", "Against what are {many} swapped the world over?"),
    ("A dealer wrapped {one} in blue cloth.", "In which colour of cloth does each dealer wrap {one}?"),
)  # fmt: skip

_DEEDS = (
    "planted lime trees", "copied sea charts", "taught bookbinding", "sold honey", "mended clocks", "painted fences",
    "collected bus tickets", "built a raft", "wrote to a newspaper", "learned to whistle", "opened a tea room",
    "photographed owls", "translated recipes", "rang church bells", "repaired bicycles", "counted swallows",
    "ran a marathon", "bought a goat", "knitted socks", "drew maps of caves", "lent out ladders", "moved to the coast",
    "baked rye bread", "gave up smoking", "joined a choir", "sued a neighbour", "cleaned a pond", "studied Greek",
)  # fmt: skip
_GOALS: tuple[Pair, ...] = (
    ("In a circle that met for {event}, {n1} {a1}, {n2} {a2} and {n3} {a3}.",
     "What goal did the circle that met for {that} as a whole pursue?"),
    ("Three owners of {print} were busy in {month}: {n1} {a1}, {n2} {a2}, {n3} {a3}.",
     "To what common end did the three owners of {print} work together?"),
    ("{n1}, {n2} and {n3} ran {event}; the first {a1}, the second {a2}, the third {a3}.",
     "Which purpose did the people who ran {that} share as a group?"),
    ("After {event} a club was formed, whose members {n1} and {n2} {a1} and {a2}.",
     "For what aim did the club formed after {that} stand?"),
    ("A society that keeps {one} had {n1}, who {a1}, and {n2}, who {a2}, on its board.",
     "What is the collective mission of the society that keeps {this}?"),
    ("Among the makers of {one}, {n1} {a1} while {n2} {a2}.",
     "What were the makers of {this} jointly trying to bring about?"),
    ("{n1} {a1} and {n2} {a2}; both belonged to the team behind {event}.",
     "Towards which objective was the team behind {that} heading as one?"),
    ("The choir of {p1} sang at {event}, before which {n1} {a1}, {n2} {a2} and {n3} {a3}.",
     "What did the choir of {p1} as a body mean to achieve?"),
    ("Fans of {full} in {p1} went separate ways: {n1} {a1}, {n2} {a2}.",
     "Why was the group of fans of {full} in {p1} set up, as regards its shared aim?"),
    ("Of the {f1} who paid for {one}, {n1} {a1}, {n2} {a2}, and {n3} {a3}.",
     "What plan did the {f1} who paid for {this} have in common?"),
)  # fmt: skip


def _numbers(rng: random.Random) -> dict[str, str]:
    """Small figures `c` and `d`, larger ones `u`, `v` and `w`, two neighbouring years, a month and a currency."""
    u, v, w = rng.sample(range(24, 88), 3)
    c, d = rng.sample(range(3, 10), 2)
    big, more = rng.sample(range(214, 890), 2)
    first = rng.randint(2019, 2022)
    return {
        "u": str(u), "v": str(v), "w": str(w), "c": str(c), "d": str(d), "big": str(big), "more": str(more),
        "y1": str(first), "y2": str(first + 1),
        "month": rng.choice(pools.MONTHS), "money": rng.choice(("pounds", "dollars", "euros", "crowns", "francs")),
    }  # fmt: skip


def _shaped(shapes: tuple[Pair, ...], why: str) -> Apply:
    """How a rule makes a draft from shapes that need no more than a scene and numbers."""

    def apply(a: Analysis, rng: random.Random) -> Draft | None:
        found = names(a, rng, 1)
        folk = rng.choice(PEOPLE)
        if found is None:
            return None
        words = {"name": found[0], "subtype": rng.choice(_SUBTYPE_WORDS), "f1": folk}
        return told(a, rng, shapes, why, **_numbers(rng), **words, narrow=rng.choice(_NARROW[folk]))

    return apply


def _goals(a: Analysis, rng: random.Random) -> Draft | None:
    people = names(a, rng, 3)
    if people is None:
        return None
    deeds = rng.sample(_DEEDS, 3)
    words = {f"n{i + 1}": who for i, who in enumerate(people)} | {
        f"a{i + 1}": did for i, did in enumerate(deeds)
    }
    why = "What single members did points in different directions and shows no goal of the group."
    return told(a, rng, _GOALS, why, **_numbers(rng), **words)


def _rule(lever: str, apply: Apply) -> Rule:
    precondition = "a named subject, and a passage that takes an addition"
    return refusal_rule(
        PerturbationClass.GRANULARITY, Intensity.MEDIUM, lever, precondition, takes_any, apply
    )


RULES: tuple[Rule, ...] = (
    _rule(
        "Long-range Trend Extrapolation",
        _shaped(_YEARS_APART, "Two neighbouring years show nothing of several decades."),
    ),
    _rule(
        "Decade Trend from Daily Data",
        _shaped(_DAYS_APART, "A few days of one month show no change between decades."),
    ),
    _rule(
        "Cross-level Policy Synthesis",
        _shaped(_UNIT_RULES, "The rules of single units do not make one policy of the whole body."),
    ),
    _rule(
        "Subtype Policy Inquiry",
        _shaped(_SUBTYPES, "The general rule may not hold for the subtype, whose terms are not given."),
    ),
    _rule(
        "Single-Instance to Universal Rule",
        _shaped(_ONE_CASE, "One observed case cannot fix what holds for all."),
    ),
    _rule("Individual Actions vs. Collective Goal", _goals),
)
