"""MEDIUM rules of P-EpistemicMismatch: a judgement, advice, forecast or short what-if that no fact settles."""

from __future__ import annotations

import random
import re

from perturb.records import Intensity, PerturbationClass
from perturb.rules import pools
from perturb.rules.analyse import Analysis
from perturb.rules.asides import (
    Applies,
    Apply,
    Pair,
    asked,
    can_plant,
    has_anchor,
    planted,
    question_of,
    refusal_rule,
    told_in,
    with_query,
)
from perturb.rules.doers import doer_of, done_of
from perturb.rules.rule import Draft, Rule
from perturb.rules.subjects import WORKS, Subject, about_thing, subject_of
from perturb.rules.words import has_word

_CLASS = PerturbationClass.EPISTEMIC

_PRICES: tuple[Pair, ...] = (
    (
        "A second-hand {item} {prep} {full} was sold in {city} for {p} pounds.",
        "Was the second-hand {item} {prep} {full} in {city} expensive?",
    ),
    (
        "A seat at a talk on {full} in {city} costs {p} dollars.",
        "Is a seat at the talk on {full} in {city} too expensive?",
    ),
    (
        "A poster about {full} is on sale in {city} at {p} euros.",
        "Is the poster about {full} in {city} cheap?",
    ),
    (
        "A stall in {city} asks {p} pounds for a {item} {prep} {full}.",
        "How reasonable is the price of the {item} {prep} {full} in {city}?",
    ),
    (
        "A course on {full} in {city} has a fee of {p} dollars.",
        "Is the course on {full} in {city} overpriced?",
    ),
    (
        "Somebody in {city} paid {p} euros for a {item} {prep} {full}.",
        "Did the buyer in {city} get the {item} {prep} {full} at a bargain price?",
    ),
)

_SALES: tuple[Pair, ...] = (
    (
        "A shop in {city} sold {x} {items} {prep} {full} in the quarter that ended in March and {y} in the "
        "one before.",
        "How many {items} {prep} {full} will the shop in {city} sell next quarter?",
    ),
    (
        "A stall in {city} sold {x} cards about {full} in May and {y} in June.",
        "How many cards about {full} will the stall in {city} sell next month?",
    ),
    (
        "The library of {city} lent out its {item} {prep} {full} {x} times in spring and {y} times in "
        "summer.",
        "How often will the library of {city} lend out its {item} {prep} {full} next season?",
    ),
    (
        "A talk on {full} in {city} sold {x} tickets in its first week and {y} in its second.",
        "How many tickets for the talk on {full} will be sold in {city} in the coming week?",
    ),
    (
        "In {city}, {x} people signed up for a course on {full} last term and {y} this term.",
        "How many people will sign up for the course on {full} in {city} next term?",
    ),
    (
        "A museum shop in {city} sold {x} postcards of {full} last quarter and {y} this quarter.",
        "What will the sale of postcards of {full} in the museum shop in {city} be in the next quarter?",
    ),
)

_INVESTMENTS: tuple[Pair, ...] = (
    (
        "Old posters about {full} rose in price by {p} per cent in {city} last year.",
        "Are old posters about {full} a good investment?",
    ),
    (
        "The value of a signed {item} {prep} {full} in {city} went up by {p} per cent within a year.",
        "Is a signed {item} {prep} {full} a good investment?",
    ),
    (
        "A shop in {city} that sells {items} {prep} {full} paid its owners {p} per cent last year.",
        "Would it be wise to invest in the shop in {city} that sells {items} {prep} {full}?",
    ),
    (
        "At sales in {city} early cards about {full} fetched {p} per cent more than the year before.",
        "Should savings be put into early cards about {full}?",
    ),
    (
        "A club in {city} that owns a rare {item} {prep} {full} saw its value grow by {p} per cent in "
        "twelve months.",
        "How good an investment is a rare {item} {prep} {full}?",
    ),
    (
        "A fund in {city} which buys {items} {prep} {full} returned {p} per cent last year.",
        "Is the fund in {city} that buys {items} {prep} {full} worth investing in?",
    ),
)

_RANKINGS: tuple[Pair, ...] = (
    (
        "A leaflet from {city} lists three {noun}s: {name}, {one} and {two}. Each takes up one page.",
        "Which of the three {noun}s in the leaflet from {city} is the best?",
    ),
    (
        "In {city} three {noun}s were presented on one evening: {name}, then {one}, then {two}.",
        "How do the three {noun}s presented in {city} that evening rank in quality?",
    ),
    (
        "A shelf in {city} holds three {noun}s side by side, {one}, {name} and {two}.",
        "Which of the three {noun}s on the shelf in {city} is of the highest quality?",
    ),
    (
        "The programme of a club in {city} names the {noun}s {name}, {one} and {two} for May, June and July.",
        "Which {noun} on the programme of the club in {city} is the finest?",
    ),
    (
        "A school in {city} deals with the {noun}s {one}, {two} and {name} in one term, two weeks each.",
        "In what order of merit do the three {noun}s dealt with at the school in {city} stand?",
    ),
    (
        "A card game from {city} shows the {noun}s {name} and {one} on blue cards and the {noun} {two} on "
        "a red one.",
        "Which of the {noun}s {name}, {one} and {two} is superior to the other two?",
    ),
)

_SHOULD = (
    "What should schools do about {full}?",
    "How should people today treat the memory of {full}?",
    "What ought to be done with {full} in the coming years?",
    "How should newspapers deal with {full}?",
    "What should be everyone's attitude towards {full}?",
    "How much attention should people pay to {full}?",
    "What should a good teacher tell pupils about {full}?",
)
_SHOULD_DO = (
    "What should {told} do next?",
    "How should {told} have spent the years that followed?",
    "What advice should {told} give to young people?",
    "How should {told} be thanked?",
    "To what should {told} devote the most time?",
    "How should {told} be treated by the press?",
)

_CHANCES = (
    "What is the probability that a {person} who comes across {full} today will think of it again within a "
    "year?",
    "How likely is it that two strangers on a train will talk about {full}?",
    "What are the odds that {full} will be mentioned in a letter written tomorrow?",
    "What is the probability that a child born today will one day {meet} {full}?",
    "How probable is it that a randomly chosen {person} would recommend {full} to a friend?",
    "What is the likelihood that a question about {full} comes up in a quiz tonight?",
    "With what probability will a newspaper print a picture to do with {full} next week?",
)

_FORECASTS = (
    "How many people will {meet} {full} in the year {later}?",
    "In which year will the last person ever {meet} {full}?",
    "How many books will have been written about {full} by {later}?",
    "What will people think of {full} in {later}?",
    "When will public interest in {full} reach its peak?",
    "How many schools will teach something about {full} in {later}?",
)

_IF_NOT = (
    "Who would have {done} if {name} had fallen ill at the time?",
    "Who would have {done} if {name} had turned the chance down?",
    "What would {name} have done instead that year if somebody else had {done}?",
    "If {name} had changed careers a year earlier, who would have {done}?",
    "Who would have {done} had {name} moved abroad shortly before?",
    "If {name} had missed the first meeting about it, who would then have {done}?",
)
_WORK_IF: dict[str, tuple[str, ...]] = {
    "works": (
        "How would the first {people} have reacted if {full} had come out a year later?",
        "What would have happened to {full} if its title had been changed at the last minute?",
        "How would the first week of {full} have gone if it had come out in winter instead of summer?",
        "What would its makers have done next if {full} had been a failure at the start?",
        "How would the first {people} have liked {full} if it had been half as long?",
        "If somebody had lost the only draft of {full}, what would its makers have done the next day?",
    ),
    "others": (
        "What would have happened next if {full} had come about a year later?",
        "How would people at the time have reacted if nobody had told them of {full}?",
        "What would the first news reports have said if {full} had turned out quite differently?",
        "Who would have been the first to complain if {full} had been put off by a year?",
        "If a storm had struck at the very beginning of {full}, what would have happened the next day?",
        "What would have changed within a week if {full} had ended a month earlier?",
    ),
}


def _numbers(rng: random.Random) -> dict[str, str]:
    x, y = rng.sample(range(31, 96), 2)
    return {"x": str(x), "y": str(y)}


def _price_fits(a: Analysis) -> bool:
    return can_plant(a) and not re.search(r"[$£€]|\b(?:price|cost|dollars|pounds|expensive|cheap)", a.text)


def _price(a: Analysis, rng: random.Random) -> Draft | None:
    return planted(
        a,
        rng,
        _PRICES,
        "One price with nothing to hold it against leaves the judgement to opinion.",
        p=str(rng.randint(8, 45)),
    )


def _sales(a: Analysis, rng: random.Random) -> Draft | None:
    return planted(a, rng, _SALES, "Two past counts state no fact about the period to come.", **_numbers(rng))


def _investment(a: Analysis, rng: random.Random) -> Draft | None:
    return planted(
        a,
        rng,
        _INVESTMENTS,
        "One rate of growth, without risk or aims, cannot settle whether to invest.",
        p=str(rng.randint(3, 9)),
    )


def _ranking_fits(a: Analysis) -> bool:
    s = subject_of(a)
    return s is not None and s.sort in WORKS and not s.noun.endswith("s") and can_plant(a)


def _ranking(a: Analysis, rng: random.Random) -> Draft | None:
    free = [t for t in pools.SIBLING_TITLES if not has_word(a.text, t)]
    one, two = rng.sample(free, 2)
    return planted(
        a, rng, _RANKINGS, "The passage names the three without any yardstick of quality.", one=one, two=two
    )


def _should(a: Analysis, rng: random.Random) -> Draft | None:
    doer, s = doer_of(a), subject_of(a)
    why = "Facts alone do not say what ought to be done."
    if doer is not None and doer.did and (s is None or rng.random() < 0.5):
        return with_query(a, question_of(told_in(rng, _SHOULD_DO, told=doer.relative)), why)
    return asked(a, rng, _SHOULD, why) if s is not None and s.sort != "person" else None


def _chance_fits(a: Analysis) -> bool:
    return about_thing(a) and not re.search(r"\b(?:probability|per ?cent|%|odds|likely|likelihood)", a.text)


def _chance(a: Analysis, rng: random.Random) -> Draft | None:
    return asked(
        a, rng, _CHANCES, "The passage holds no counts, rates or odds from which a probability could follow."
    )


def _forecast(a: Analysis, rng: random.Random) -> Draft | None:
    return asked(
        a,
        rng,
        _FORECASTS,
        "Past and present facts give no basis for a forecast.",
        later=str(rng.randrange(2055, 2100, 5)),
    )


def _what_if_fits(a: Analysis) -> bool:
    s = subject_of(a)
    return done_of(doer_of(a)) is not None or (s is not None and (s.sort in WORKS or _happened(s)))


def _happened(s: Subject) -> bool:
    """Whether the subject is something that took place."""
    return s.sort == "event" or bool(
        re.search(r"\b(?:War|Party|Bowl|Cup|Open|Final|Rumble|Battle|Revolution|Games|Election)$", s.name)
    )


def _what_if(a: Analysis, rng: random.Random) -> Draft | None:
    doer, s = doer_of(a), subject_of(a)
    done = done_of(doer)
    why = "The passage tells only what really happened, so that no imagined outcome can be shown to be right."
    if doer is not None and done is not None and (s is None or s.sort not in WORKS or rng.random() < 0.7):
        return asked(a, rng, _IF_NOT, why, done=done, name=doer.name)
    if s is None or not (s.sort in WORKS or _happened(s)):
        return None
    return asked(a, rng, _WORK_IF["works" if s.sort in WORKS else "others"], why)


def _rule(lever: str, precondition: str, applies: Applies, apply: Apply) -> Rule:
    return refusal_rule(_CLASS, Intensity.MEDIUM, lever, precondition, applies, apply)


_NAMED = "a named subject that is no person"
_PLANTED = "a named subject or a real person as the answer, and a passage that takes an addition"
_DEED = "a real person as the answer, with a deed that the query states cleanly"

RULES: tuple[Rule, ...] = (
    _rule(
        "Expensive is Subjective",
        f"{_PLANTED}; no price in the passages",
        _price_fits,
        _price,
    ),
    _rule("Good Investment", _PLANTED, can_plant, _investment),
    _rule("Next-quarter Sales Prediction", _PLANTED, can_plant, _sales),
    _rule("Normative 'Should' from Facts", f"{_NAMED}, or {_DEED}", has_anchor, _should),
    _rule(
        "Quality Ranking without Benchmark",
        "a work of known kind, and a passage that takes an addition",
        _ranking_fits,
        _ranking,
    ),
    _rule(
        "Short Counterfactual Inquiry",
        f"a work or event of known kind, or {_DEED}",
        _what_if_fits,
        _what_if,
    ),
    _rule(
        "Probability without Data",
        f"{_NAMED}; no rates or odds in the passages",
        _chance_fits,
        _chance,
    ),
    _rule("Forecast without Model", _NAMED, about_thing, _forecast),
)
