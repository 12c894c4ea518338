"""LOW rules of P-EpistemicMismatch: an evaluative or modal word in the question that facts in the passage settle."""

from __future__ import annotations

import random

from perturb.records import PerturbationClass
from perturb.rules.analyse import Analysis
from perturb.rules.answers import AnswerType
from perturb.rules.asides import Pair, can_mark, low_rule, marked
from perturb.rules.rule import Draft, Rule

_CLASS = PerturbationClass.EPISTEMIC

_THRESHOLDS: tuple[Pair, ...] = (
    (
        "In a vote held in {city}, an entry with {t} points or more counts as outstanding; {full} was "
        "given {p} points.",
        "rated outstanding by the vote in {city}",
    ),
    (
        "A guide printed in {city} calls a topic popular from {t} letters a month upwards, and {full} "
        "draws {p}.",
        "a popular topic by the standard of the guide from {city}",
    ),
    (
        "By the rule of a library in {city}, a subject asked for {t} times a year or more counts as "
        "important; {full} was asked for {p} times.",
        "which counts as important by the rule of the library in {city}",
    ),
    (
        "A school in {city} classes a theme as difficult when more than {t} pupils ask for help, and {p} "
        "did so with {full}.",
        "classed as a difficult theme at a school in {city}",
    ),
    (
        "A quiz league in {city} deems a subject fascinating if at least {t} teams choose it; {p} teams "
        "chose {full}.",
        "deemed fascinating by the quiz league of {city}",
    ),
    (
        "In {city}, a poster that more than {t} people a day look at is said to be striking; the one about "
        "{full} is looked at by {p}.",
        "the theme of a poster in {city} that is striking by the local rule",
    ),
)

_MAJOR: tuple[Pair, ...] = (
    (
        "An index made in {city} counts an entry as major if it has a picture and as minor if it has none; "
        "the entry on {full} has a picture.",
        "a major entry in the index from {city}",
    ),
    (
        "A school in {city} calls a theme major if it is taught in every class and minor otherwise; {full} "
        "is taught in every class.",
        "a major theme at the school in {city}",
    ),
    (
        "In a list drawn up in {city}, an item is major if it stands on a page of its own, else minor; "
        "{full} has a page of its own.",
        "a major item on the list from {city}",
    ),
    (
        "The town library of {city} terms a subject minor if it shares a shelf and major if it does not; "
        "{full} shares its shelf with nothing.",
        "a major subject in the library of {city}",
    ),
    (
        "A quiz book from {city} defines a minor topic as one without a chapter; {full} has a chapter and "
        "so is a major one.",
        "a major topic in the quiz book from {city}",
    ),
    (
        "For a fair in {city} a stand counts as major when it is indoors and as minor when it is outdoors; "
        "the stand on {full} is indoors.",
        "the theme of a major stand at the fair in {city}",
    ),
)

_WITHIN: tuple[Pair, ...] = (
    (
        "{full} is named in the Halden List, and the whole of the Halden List is contained in the Great "
        "Index of {city}.",
        "necessarily named in the Great Index of {city}",
    ),
    (
        "Folder 12 in {city} deals with {full}; it lies wholly within Cabinet B.",
        "which is certainly dealt with in Cabinet B in {city}",
    ),
    (
        "A file on {full} belongs to the Brook Collection, all of which is part of the town archive of "
        "{city}.",
        "on which the town archive of {city} must have a file",
    ),
    (
        "A talk on {full} was given during the Lantern Week, which fell wholly within the {city} Summer of "
        "Talks.",
        "necessarily the topic of a talk during the {city} Summer of Talks",
    ),
    (
        "A shelf on {full} stands in the Oak Room, and the Oak Room lies entirely inside the library of "
        "{city}.",
        "on which there is of necessity a shelf in the library of {city}",
    ),
    (
        "{full} is a question topic in the Blue Round, and every topic of the Blue Round is a topic of the "
        "{city} Quiz.",
        "inevitably a topic of the {city} Quiz",
    ),
)

_HARMS: tuple[Pair, ...] = (
    (
        "A fire in {city} destroyed a display about {full} and injured two guards.",
        "a display about which was lost in the unfortunate fire in {city}",
    ),
    (
        "A burst pipe in {city} ruined a {item} {prep} {full} and flooded three homes.",
        "a {item} {prep} which was ruined by the undesirable pipe burst in {city}",
    ),
    (
        "On the way to a talk on {full} in {city} a bus overturned, and four people were hurt.",
        "the topic of a talk in {city} that was overshadowed by a deplorable accident",
    ),
    (
        "Thieves broke into a school in {city}, took a {item} {prep} {full} and beat the caretaker.",
        "a {item} {prep} which was taken in the regrettable break-in in {city}",
    ),
    (
        "A storm in {city} blew down a tent with a show about {full}, and six visitors broke their arms.",
        "the theme of a show in {city} that an unwanted storm brought to an end",
    ),
    (
        "Mould in a cellar in {city} made three workers ill and spoilt a {item} {prep} {full}.",
        "a {item} {prep} which was spoilt by the unwelcome mould in {city}",
    ),
)

_GAINS: tuple[Pair, ...] = (
    (
        "An evening about {full} in {city} raised the money for a well, since which no child there has "
        "fallen ill from the water.",
        "the theme of a beneficial evening in {city}",
    ),
    (
        "A {item} {prep} {full} was sold in {city}, and the sum paid for a doctor who saved eleven lives.",
        "a {item} {prep} which was the object of a beneficial sale in {city}",
    ),
    (
        "A course on {full} in {city} taught forty prisoners to read, and all of them found work.",
        "the subject of a helpful course in {city}",
    ),
    (
        "A street party about {full} in {city} paid for new lamps, after which accidents on the road fell "
        "to none.",
        "the theme of a worthwhile street party in {city}",
    ),
    (
        "Cards about {full} were sold in {city} and bought coats for ninety homeless people.",
        "the theme of cards sold in {city} for a good purpose",
    ),
    (
        "A quiz on {full} in {city} brought in enough to reopen the children's clinic.",
        "the topic of a quiz in {city} with a welcome outcome",
    ),
)

_CHANCES: tuple[Pair, ...] = (
    (
        "A show about {full} is very likely to open in {city} next spring.",
        "about which a show could open in {city} next spring",
    ),
    (
        "The library of {city} says that it will almost certainly buy a {item} {prep} {full} this year.",
        "a {item} {prep} which might be bought by the library of {city} this year",
    ),
    (
        "It is highly probable, the town council of {city} says, that a talk on {full} will be given in May.",
        "on which a talk could possibly be given in {city} in May",
    ),
    (
        "A printer in {city} is very likely to bring out a set of cards about {full}.",
        "about which a printer in {city} may bring out cards",
    ),
    (
        "In {city} the odds are put at nineteen in twenty that a course on {full} will be held.",
        "on which a course might be held in {city}",
    ),
    (
        "A school in {city} will in all likelihood make {full} the theme of its next fair.",
        "which might become the theme of a school fair in {city}",
    ),
)

_COMMON: tuple[Pair, ...] = (
    (
        "In {city}, {p} per cent of the school libraries have something on {full}.",
        "a common subject in the school libraries of {city}",
    ),
    (
        "A count in {city} found {full} mentioned in {p} per cent of the quizzes held there.",
        "a usual topic of quizzes in {city}",
    ),
    (
        "Of all the teachers in {city}, {p} per cent have spoken about {full} in class.",
        "a frequent topic in the classrooms of {city}",
    ),
    (
        "{p} per cent of the bookshops in {city} stock a title that deals with {full}.",
        "commonly dealt with in the bookshops of {city}",
    ),
    (
        "Among the talks given in the town hall of {city}, {p} per cent touched on {full}.",
        "a matter commonly touched on in talks in {city}",
    ),
    (
        "When asked in the street in {city}, {p} per cent of people knew of {full}.",
        "which is commonly known of in {city}",
    ),
)


def _markable(a: Analysis) -> bool:
    return can_mark(a) and a.answer_type is not AnswerType.NUMBER


def _threshold(a: Analysis, rng: random.Random) -> Draft | None:
    floor = rng.randint(25, 50)
    why = "The passage fixes the number from which the word applies, and {full} exceeds it; the answer stays."
    return marked(a, rng, _THRESHOLDS, why, t=str(floor), p=str(floor + rng.randint(6, 30)))


def _major(a: Analysis, rng: random.Random) -> Draft | None:
    return marked(
        a, rng, _MAJOR, "The passage defines the word by a clear test that {full} meets; the answer stays."
    )


def _within(a: Analysis, rng: random.Random) -> Draft | None:
    return marked(
        a,
        rng,
        _WITHIN,
        "What the passage says of the inner set entails the outer one, so the aside holds; the answer stays.",
    )


def _harm(a: Analysis, rng: random.Random) -> Draft | None:
    return marked(
        a,
        rng,
        _HARMS,
        "The effect that the passage reports is plainly harmful, so no opinion is needed; the answer stays.",
    )


def _gain(a: Analysis, rng: random.Random) -> Draft | None:
    return marked(
        a,
        rng,
        _GAINS,
        "The gain that the passage reports is plain, so no opinion is needed; the answer stays.",
    )


def _chance(a: Analysis, rng: random.Random) -> Draft | None:
    return marked(
        a,
        rng,
        _CHANCES,
        "What the passage calls very likely is also possible, so the aside holds; the answer stays.",
    )


def _common(a: Analysis, rng: random.Random) -> Draft | None:
    return marked(
        a,
        rng,
        _COMMON,
        "The percentage in the passage bears the word out; the answer stays.",
        p=str(rng.randint(81, 96)),
    )


_NAMED = "a clean question that names its subject; the passage takes an addition"
_SUBJECT = f"{_NAMED}; it asks for no number"

RULES: tuple[Rule, ...] = (
    low_rule(_CLASS, "Undesirable Effect Obvious", _NAMED, can_mark, _harm),
    low_rule(_CLASS, "Weak Possibility vs. High Likelihood", _NAMED, can_mark, _chance),
    low_rule(_CLASS, "Commonness from Percentage", _SUBJECT, _markable, _common),
    low_rule(_CLASS, "Obvious Benefit", _NAMED, can_mark, _gain),
    low_rule(_CLASS, "Minor vs Major (Definitional)", _NAMED, can_mark, _major),
    low_rule(_CLASS, "Strict Containment", _NAMED, can_mark, _within),
    low_rule(_CLASS, "Evaluative Term with Explicit Threshold", _SUBJECT, _markable, _threshold),
)
