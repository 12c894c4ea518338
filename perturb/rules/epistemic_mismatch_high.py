"""HIGH rules of P-EpistemicMismatch: what no collection of facts could ever settle."""

from __future__ import annotations

import random
import re

from perturb.records import Intensity, PerturbationClass
from perturb.rules.analyse import Analysis
from perturb.rules.asides import (
    Applies,
    Apply,
    asked,
    refusal_rule,
)
from perturb.rules.doers import doer_of, done_of
from perturb.rules.rule import Draft, Rule
from perturb.rules.subjects import WORKS, about_thing, appeared_in, subject_of

_CLASS = PerturbationClass.EPISTEMIC

_PRAISE = re.compile(
    r"\b(?:beaut\w+|acclaim\w*|praise\w*|masterpiece|best|greatest|finest|iconic|legendary|favou?rite|moving|critics?|reviews?)\b",
    re.I,
)

_BEAUTY = (
    "What is the most beautiful aspect of {full}?",
    "Which feature of {full} is the most sublime?",
    "What is the most moving thing about {full}?",
    "Which side of {full} has the greatest beauty of all?",
    "What is the loveliest detail of {full}?",
    "Which aspect of {full} is the most graceful?",
    "What is the most beautiful thing about {full}?",
)

_NECESSITY = (
    "Had {name} never {done}, what must necessarily have followed, with no other outcome possible?",
    "If {name} had never {done}, which single course of events would have been inevitable?",
    "Had somebody else {done}, what could not possibly have failed to happen to {name}?",
    "If nobody had ever {done}, what would of necessity exist in its place today?",
    "Suppose that {name} had not {done}: what would then have had to happen without any alternative?",
    "What would have been bound to happen, in every conceivable case, if {name} had never {done}?",
)
_CHAINS: dict[str, tuple[str, ...]] = {
    "works": (
        "How would the arts of the whole world look a hundred years on if {full} had never been made?",
        "If {full} had never come out, how would the children of its {people}' children live today?",
        "Which {noun} would the world admire most a century from now if {full} had never existed?",
        "If {full} had never been made, what would people two generations later have sung, read and "
        "watched instead?",
        "How would relations between nations stand a century later if nobody had ever {met} {full}?",
        "What would daily life be like in a hundred years if {full} had never come into being?",
    ),
    "others": (
        "How would the whole world be governed today if {full} had never existed?",
        "If there had never been {full}, which language would people far away speak in a hundred years?",
        "What would daily life in distant countries be like today if {full} had never come about?",
        "If {full} had never existed, how would the grandchildren of those concerned live now?",
        "How would the arts and sciences stand a century from now if {full} had never come into being?",
        "Which cities would be the largest on Earth today if {full} had never existed?",
    ),
}

_WORLDS = (
    "Could there be a possible world in which {full} both exists and has no properties at all?",
    "Is a world conceivable in which {full} is identical to the number seven?",
    "Could {full} exist in a possible world without time and space?",
    "Is there a possible world in which {full} is older than itself?",
    "Might some possible world contain {full} and yet nothing else whatever?",
    "In some possible world, could {full} exist outside every possible world?",
)
_BEING = (
    "Does {full} exist of necessity, or only by chance?",
    "Does {full} exist in itself, or only in the minds of those who {meet} it?",
    "By what essence is {full} the thing that it is?",
    "Would {full} still have being if no mind had ever thought of it?",
    "In what way does {full} have its being, as a thing or as an idea?",
    "Is the existence of {full} a property of it or a condition of having properties?",
)

_REGRESS = (
    "What price will a buyer and a seller settle on for a {item} {prep} {full} if each foresees what the "
    "other foresees, without end?",
    "Whom will two {people} name first when asked about {full} if each predicts the other's prediction for "
    "ever?",
    "Which mark will a judge give {full} if she goes by her forecast of the other judges' forecasts of her "
    "own forecast, and so on?",
    "What will people say about {full} next year if all of them say only what they expect the others to "
    "expect them to say, without end?",
    "How many people will choose {full} as a topic if each chooses it only when the rest foresee that the "
    "rest will foresee it, for ever?",
    "On which day will the next talk on {full} be held if it must surprise all who predict each other's "
    "predictions of it endlessly?",
)

_VACUUM: dict[str, tuple[str, ...]] = {
    "works": (
        "Would it still be virtuous to make {full} in a universe without people, motives or effects?",
        "What moral worth does {full} have once its makers, its {people} and all its effects are thought "
        "away?",
        "In an empty universe without any mind, would {full} be good or evil?",
        "How morally good is {full} when nobody makes it, nobody {meets} it and nothing follows from it?",
        "Stripped of every circumstance, is the making of {full} right or wrong?",
        "Would {full} be just or unjust in a world that holds nothing else at all?",
    ),
    "deeds": (
        "Would it still be virtuous to have {done} in a universe without people, motives or effects?",
        "What moral worth is there in having {done} once every person, motive and effect is thought away?",
        "Stripped of all circumstances, was it right or wrong of {name} to have {done}?",
        "In a world without minds, society or consequences, how good is it to have {done}?",
        "Is there any virtue in having {done} if nobody ever knew, willed or felt it?",
        "What would be the pure moral value of having {done} in complete emptiness?",
    ),
}

_TRUTHS = (
    "What truth about every human life does it prove that {name} {did}?",
    "Since {name} {did}, what law of fate holds for all people at all times?",
    "Which eternal truth about mankind follows from the fact that {name} {did}?",
    "What does the fact that {name} {did} prove about the destiny of all human beings?",
    "From the single fact that {name} {did}, what must be true of every human effort?",
    "What universal law of life is shown for all ages by the fact that {name} {did}?",
)


def _beauty_fits(a: Analysis) -> bool:
    return about_thing(a) and not _PRAISE.search(a.text)


def _beauty(a: Analysis, rng: random.Random) -> Draft | None:
    return asked(a, rng, _BEAUTY, "Beauty is personal, and no fact of the passage ranks it.")


def _necessity(a: Analysis, rng: random.Random) -> Draft | None:
    doer = doer_of(a)
    done = done_of(doer)
    if doer is None or done is None:
        return None
    return asked(
        a,
        rng,
        _NECESSITY,
        "No fact can show an imagined outcome to be inevitable.",
        name=doer.name,
        done=done,
    )


def _chain_fits(a: Analysis) -> bool:
    s = subject_of(a)
    if s is None or s.sort == "person":
        return False
    year = appeared_in(a, s)
    return s.sort not in WORKS or year is None or year < 2000


def _chain(a: Analysis, rng: random.Random) -> Draft | None:
    s = subject_of(a)
    if s is None:
        return None
    return asked(
        a,
        rng,
        _CHAINS["works" if s.sort in WORKS else "others"],
        "Many imagined steps lie between the facts and what is asked.",
    )


def _worlds(a: Analysis, rng: random.Random) -> Draft | None:
    return asked(a, rng, _WORLDS, "Facts about {full} have no bearing on what is possible in principle.")


def _being(a: Analysis, rng: random.Random) -> Draft | None:
    return asked(a, rng, _BEING, "Any reply on the mode of being of {full} would be a philosophical stance.")


def _regress(a: Analysis, rng: random.Random) -> Draft | None:
    return asked(a, rng, _REGRESS, "Forecasts of forecasts never settle on an outcome.")


def _vacuum_fits(a: Analysis) -> bool:
    s = subject_of(a)
    return done_of(doer_of(a)) is not None or (s is not None and s.sort in WORKS)


def _vacuum(a: Analysis, rng: random.Random) -> Draft | None:
    doer, s = doer_of(a), subject_of(a)
    done = done_of(doer)
    why = "The question takes away all that a moral judgement could rest on."
    if doer is not None and done is not None:
        return asked(a, rng, _VACUUM["deeds"], why, name=doer.name, done=done)
    if s is None:
        return None
    meets = {"hear": "hears", "see": "sees", "watch": "watches", "read": "reads", "play": "plays"}
    return asked(
        a,
        rng,
        _VACUUM["works"],
        why,
        meets=meets[
            {
                "music": "hear",
                "film": "see",
                "series": "watch",
                "book": "read",
                "stage": "see",
                "game": "play",
            }[s.sort]
        ],
    )


def _truth_fits(a: Analysis) -> bool:
    doer = doer_of(a)
    return doer is not None and bool(doer.did)


def _truth(a: Analysis, rng: random.Random) -> Draft | None:
    doer = doer_of(a)
    if doer is None or not doer.did:
        return None
    return asked(
        a, rng, _TRUTHS, "One case proves no truth about all people and times.", name=doer.name, did=doer.did
    )


def _rule(lever: str, precondition: str, applies: Applies, apply: Apply) -> Rule:
    return refusal_rule(_CLASS, Intensity.HIGH, lever, precondition, applies, apply)


_NAMED = "a named subject that is no person"
_PLANTED = "a named subject or a real person as the answer, and a passage that takes an addition"
_DEED = "a real person as the answer, with a deed that the query states cleanly"

RULES: tuple[Rule, ...] = (
    _rule("Counterfactual Necessity", _DEED, lambda a: done_of(doer_of(a)) is not None, _necessity),
    _rule("Most Beautiful Aspect", f"{_NAMED}; no praise in the passages", _beauty_fits, _beauty),
    _rule(
        "Historical Counterfactual Chain",
        f"{_NAMED} and not of recent years",
        _chain_fits,
        _chain,
    ),
    _rule("Metaphysical Possibility", _NAMED, about_thing, _worlds),
    _rule("Ontological Modality", _NAMED, about_thing, _being),
    _rule("Perfect Vacuum Morality", f"a work of known kind, or {_DEED}", _vacuum_fits, _vacuum),
    _rule("Infinite Regress Prediction", _NAMED, about_thing, _regress),
    _rule("Universal Claim from Single Data-Point", _DEED, _truth_fits, _truth),
)
