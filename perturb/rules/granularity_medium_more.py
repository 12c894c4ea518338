"""Six more MEDIUM rules of P-GranularityMismatch: trends, policies, universal rules and common goals."""

from __future__ import annotations

import random

from perturb.records import Intensity, PerturbationClass
from perturb.rules import pools
from perturb.rules.analyse import Analysis
from perturb.rules.fact_kinds import Pair
from perturb.rules.granularity_scenes import PEOPLE, names, takes_any, told
from perturb.rules.query_edits import Apply, refusal_rule
from perturb.rules.rule import Draft, Rule

_YEARS_APART: tuple[Pair, ...] = (
    ("The library of {p1}, which owns {book}, had {big} visitors in {y1} and {more} in {y2}.",
     "How has the number of visitors to the library that owns {book_this} developed over the past forty years?"),
    ("The hall in {p1} used for {event} took in {big} {money} in {y1} and {more} in {y2}.",
     "How have the takings of the hall used for {that} changed over the past three decades?"),
    ("A club that put on {event} had {big} members in {y1} and {more} in {y2}.",
     "How has the membership of the club that put on {that} changed over the past fifty years?"),
    ("A museum that shows {one} had {big} visitors in {y1} and {more} in {y2}.",
     "What is the trend in visitor numbers at the museum that shows {this} over the past sixty years?"),
    ("A school in {p1} that owns {wall} had {big} pupils in {y1} and {more} in {y2}.",
     "How has the number of pupils at the school that owns {wall_this} developed over the last four decades?"),
    ("A shop in {p1} that sells {print} had {big} customers in {y1} and {more} in {y2}.",
     "How have customer numbers at the shop that sells {print} changed over the past half century?"),
    ("{p1}, where {event} was held, had {big} inhabitants in {y1} and {more} in {y2}.",
     "How has the number of inhabitants of {p1}, where {that} was held, developed over the past five decades?"),
    ("The college in {p1} that put on {event} had {big} students in {y1} and {more} in {y2}.",
     "By how much has the number of students at the college that put on {that} grown or shrunk in thirty years?"),
    ("An archive in {p1} that keeps {one} answered {big} letters in {y1} and {more} in {y2}.",
     "What is the trend over several decades in letters to the archive that keeps {this}?"),
)  # fmt: skip

_DAYS_APART: tuple[Pair, ...] = (
    ("On three days in {month}, {v}, {w} and {u} people came to see {one}.",
     "How does the number of people who come to see {this} change from decade to decade?"),
    ("It was {t1} degrees in the room with {one} on the 3rd of {month}, {t2} on the 9th and {t1} on the 14th.",
     "By how many degrees per decade does the room with {this} get warmer or colder?"),
    ("A shop sold {v} {prints} on one day in {month}, {w} on the next and {u} on the third.",
     "How fast do the shop's sales of {prints} rise or fall from decade to decade?"),
    ("A website about {full} had {v} visitors on the 2nd of {month}, {w} on the 9th and {u} on the 20th.",
     "How does the number of visitors to the website about {full} change from decade to decade?"),
    ("On three days in {month}, {v}, {w} and {u} people bought tickets for {event}.",
     "What is the trend from decade to decade in ticket sales for {events}?"),
    ("On three days in {month}, {v}, {w} and {u} people asked libraries in {p1} for {book}.",
     "How fast does the number of people who ask libraries in {p1} for {book} rise or fall from decade to decade?"),
    ("A museum with {one} counted {v} visitors on the 4th of {month}, {w} on the 5th and {u} on the 11th.",
     "By how much per decade does the number of visitors to the museum with {this} change?"),
)  # fmt: skip

_UNIT_RULES: tuple[Pair, ...] = (
    ("At the museum of {p1}, the upper gallery shows {many} to everyone, the lower gallery only to members.",
     "What is the overall policy of the museum of {p1} on showing {many}?"),
    ("Of the two branches of a shop in {p1}, one takes back {prints} within {c} days and the other within {d} days.",
     "What is the general policy of the shop in {p1} on taking back {prints}?"),
    ("At the college in {p1}, one department lets visitors into {events} free of charge, while another charges them.",
     "What is the policy of the college in {p1} as a whole on admitting visitors to {events}?"),
    ("The libraries of {p1} differ: the east branch lends {books} overnight only, the west branch for {c} days.",
     "For how long may {books} be borrowed under the overall policy of the libraries of {p1}?"),
    ("At the club of {p1}, cameras are welcome at {events} in the lower hall and banned in the upper hall.",
     "What is the general policy of the club of {p1} on cameras at {events}?"),
    ("At an archive in {p1}, the day team lets visitors touch {many}, while the evening team asks them to wear gloves.",
     "What is the policy of the archive in {p1} as a whole on touching {many}?"),
    ("A firm's office in {p1} gives staff an hour off for {event}, its office in {p2} two hours.",
     "How many hours off for {event} does the firm with offices in {p1} and {p2} give company-wide?"),
    ("Two hotels of one chain differ: in {p1} guests may borrow {books} freely, in {p2} they must leave a deposit.",
     "What is the general policy of the hotel chain on lending {books}?"),
    ("At the school of {p1}, class A may eat during {events}, while class B may only drink.",
     "What is the policy of the school of {p1} as a whole on eating and drinking during {events}?"),
)  # fmt: skip

_SUBTYPES: tuple[Pair, ...] = (
    ("As a rule {books} may be borrowed for {c} weeks, but some kinds follow separate terms.",
     "For how long may {subtype} {book_kind} {book_prep} {full} be borrowed?"),
    ("As a rule {prints} cost {c} {money}, but some kinds are priced separately.",
     "How much does {subtype} {print_kind} {print_prep} {full} cost?"),
    ("{f1} usually pay {c} {money} for a ticket to {event}, but some groups among them pay other rates.",
     "How much do {narrow} pay for a ticket to {that}?"),
    ("{f1} normally get {c} free seats at {event}, but some groups among them have separate terms.",
     "How many free seats do {narrow} get at {that}?"),
    ("It normally costs {c} {money} to post {one}, but some kinds have separate rates.",
     "How much does it cost to post {subtype} {kind} {prep} {full}?"),
    ("An archive normally keeps {many} for {v} years, but some kinds follow a separate list.",
     "For how many years does the archive keep {subtype} {kind} {prep} {full}?"),
    ("{f1} must usually book {c} days ahead for {event}, but separate rules apply to some groups of them.",
     "How many days ahead must {narrow} book for {that}?"),
    ("An insurer normally covers {books} for up to {v} {money}, but some kinds fall under separate terms.",
     "Up to what sum does the insurer cover {subtype} {book_kind} {book_prep} {full}?"),
)  # fmt: skip

_SUBTYPE_WORDS = ("a signed", "a damaged", "a rare", "a second-hand", "an unusually large", "a very old")
_NARROW = {
    "teachers": ("part-time teachers", "retired teachers"), "librarians": ("music librarians", "trainee librarians"),
    "nurses": ("night nurses", "school nurses"), "students": ("evening students", "law students"),
    "retired people": ("retired judges", "retired miners"), "bakers": ("retired bakers", "trainee bakers"),
    "taxi drivers": ("part-time taxi drivers", "retired taxi drivers"),
    "office workers": ("part-time office workers", "temporary office workers"),
    "shop assistants": ("part-time shop assistants", "trainee shop assistants"),
    "sailors": ("merchant sailors", "retired sailors"), "gardeners": ("landscape gardeners", "trainee gardeners"),
    "engineers": ("railway engineers", "sound engineers"), "journalists": ("sports journalists", "trainee journalists"),
    "farmers": ("dairy farmers", "tenant farmers"), "hikers": ("long-distance hikers", "mountain hikers"),
    "parents": ("foster parents", "single parents"),
}  # fmt: skip
"""Sorts of the people that a scene may name."""

_ONE_CASE: tuple[Pair, ...] = (
    ("Once, in {p1}, {event} ended with {w} people in the room.",
     "How many people are in the room at the end of every {meeting} {event_prep} {full}?"),
    ("On one occasion {one} was sold after {c} days on the shelf.",
     "How long do {many} always stay on the shelf before they are sold?"),
    ("{name} once spoke about {full} for {v} minutes.", "How long does everyone who gives a talk about {full} speak?"),
    ("An owner in {p1} keeps {one} in the attic.", "Where do all owners of {many} keep them?"),
    ("One evening, {event} lasted {v} minutes.", "How long does every {meeting} {event_prep} {full} last?"),
    ("One copy of {print} faded after {c} months in a window.",
     "How many months does it take for every copy of {print} to fade in a window?"),
    ("At one sale in {p1}, {one} fetched {v} {money}.", "What price do {many} fetch at every sale?"),
    ("One of the {f1} at {event} came by bicycle.", "How do all {f1} travel to {events}?"),
    ("{name} bought {one} as a present for a nephew.", "For whom do all buyers of {many} buy them?"),
    ("A teacher in {p1} spent {c} hours on {full} with a class.",
     "How many hours do all teachers spend on {full} with their classes?"),
)  # fmt: skip

_DEEDS = (
    "planted trees", "taught bookbinding", "sold honey", "repaired clocks", "painted fences", "wrote to a newspaper",
    "opened a tea room", "photographed birds", "translated recipes", "repaired bicycles", "ran a marathon",
    "knitted socks", "baked bread", "learned to sail", "cleaned a pond", "studied Greek", "moved to the coast",
    "wrote poems", "collected stamps", "drew maps", "bought a farm", "restored an old boat",
)  # fmt: skip
_GOALS: tuple[Pair, ...] = (
    ("A society met for {event}; of its members, {n1} {a1}, {n2} {a2} and {n3} {a3}.",
     "What goal did the society that met for {that} pursue as a whole?"),
    ("After {event} a club was formed; of its members, {n1} {a1} and {n2} {a2}.",
     "What was the common aim of the club formed after {that}?"),
    ("A society owns {one}; among its members, {n1} {a1}, {n2} {a2} and {n3} {a3}.",
     "What is the shared mission of the society that owns {this}?"),
    ("The choir of {p1} sang at {event}; of its members, {n1} {a1}, {n2} {a2} and {n3} {a3}.",
     "What did the choir of {p1} want to achieve as a group?"),
    ("A group of {f1} paid for {one}; of its members, {n1} {a1}, {n2} {a2} and {n3} {a3}.",
     "What was the common goal of the group of {f1} that paid for {this}?"),
    ("A club from {p1} came to {event}; of its members, {n1} {a1}, {n2} {a2} and {n3} {a3}.",
     "What is the shared purpose of the club from {p1} that came to {that}?"),
    ("A neighbourhood club in {p1} owns {one}; of its members, {n1} {a1} and {n2} {a2}.",
     "What common goal does the neighbourhood club in {p1} that owns {this} pursue?"),
    ("A circle of friends in {p1} lent {one} to a museum; of its members, {n1} {a1} and {n2} {a2}.",
     "What does the circle of friends that lent {this} to a museum want to achieve together?"),
)  # fmt: skip


def _numbers(rng: random.Random) -> dict[str, str]:
    """Small figures `c` and `d`, larger ones `u`, `v` and `w`, degrees `t1` and `t2`,
    two neighbouring years, a month and a currency.
    """
    u, v, w = rng.sample(range(24, 88), 3)
    c, d = rng.sample(range(3, 10), 2)
    t1, t2 = rng.sample(range(16, 23), 2)
    big = rng.randint(214, 890)
    more = big + rng.choice((-1, 1)) * rng.randint(8, 60)
    first = rng.randint(2019, 2022)
    return {
        "u": str(u), "v": str(v), "w": str(w), "c": str(c), "d": str(d),
        "t1": str(t1), "t2": str(t2), "big": str(big), "more": str(more),
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
