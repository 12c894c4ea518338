"""HIGH rules of P-EpistemicMismatch: what no collection of facts could ever settle."""

from __future__ import annotations

import random
import re

from perturb.records import Intensity, PerturbationClass
from perturb.rules import epistemic_high_deeds as deeds
from perturb.rules import epistemic_high_words as say
from perturb.rules.analyse import Analysis
from perturb.rules.answer_person import answer_person_of, done_of
from perturb.rules.epistemic_scenes import beside, for_all, lands_for
from perturb.rules.fact_kinds import fact_kind
from perturb.rules.passage_edits import asked, planted, takes
from perturb.rules.query_edits import Applies, Apply, refusal_rule
from perturb.rules.rule import Draft, Rule
from perturb.rules.subjects import WORKS, about_thing, appeared_in, subject_of

_CLASS = PerturbationClass.EPISTEMIC

_PRAISE = re.compile(
    r"\b(?:beaut\w+|acclaim\w*|praise\w*|masterpiece|best|greatest|finest|iconic|legendary|favou?rite|moving|critics?|reviews?|award\w*|prizes?|"
    r"celebrated|admired|poetic|elegan\w+|charm\w*|lovel\w+|scenic|picturesque|landmark)\b",
    re.I,
)


_GRIM = re.compile(
    r"\b(?:War|Wars|Battle|Dust Bowl|Massacre|Holocaust|Riots?|Attacks?|Bombing|Crisis|Depression|Acts?|Amendment)\b"
)
"""Names of calamities and laws, of which nobody asks for the beauty."""


def _beauty_fits(a: Analysis) -> bool:
    s = subject_of(a)
    if s is None or s.sort == "person" or _GRIM.search(s.name):
        return False
    return not _PRAISE.search(a.text)


def _beauty(a: Analysis, rng: random.Random) -> Draft | None:
    return asked(a, rng, say.BEAUTY, "Beauty is personal, and no fact of the passage ranks it.")


def _necessity_fits(a: Analysis) -> bool:
    return a.single_answer and done_of(answer_person_of(a)) is not None


def _necessity(a: Analysis, rng: random.Random) -> Draft | None:
    doer = answer_person_of(a)
    done = done_of(doer)
    if doer is None or done is None:
        return None
    return asked(
        a,
        rng,
        deeds.NECESSITY,
        "No fact can show an imagined outcome to be inevitable.",
        **beside(a, rng),
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
        say.CHAINS["works" if s.sort in WORKS else "others"],
        "Many imagined steps lie between the facts and what is asked.",
        **beside(a, rng),
        been="taken place" if fact_kind(a, s) == "event" else "existed",
    )


def _worlds(a: Analysis, rng: random.Random) -> Draft | None:
    return asked(a, rng, say.WORLDS, "Facts about {full} have no bearing on what is possible in principle.")


def _being(a: Analysis, rng: random.Random) -> Draft | None:
    return asked(
        a, rng, say.BEING, "Any reply on the mode of being of {full} would be a philosophical stance."
    )


def _regress(a: Analysis, rng: random.Random) -> Draft | None:
    return asked(a, rng, say.REGRESS, "Forecasts of forecasts never settle on an outcome.", **beside(a, rng))


def _vacuum_fits(a: Analysis) -> bool:
    s = subject_of(a)
    return done_of(answer_person_of(a)) is not None or (s is not None and s.sort in WORKS)


def _vacuum(a: Analysis, rng: random.Random) -> Draft | None:
    doer, s = answer_person_of(a), subject_of(a)
    done = done_of(doer)
    why = "The question takes away all that a moral judgement could rest on."
    if doer is not None and done is not None:
        return asked(a, rng, deeds.VACUUM, why, name=doer.name, done=done)
    if s is None:
        return None
    return asked(a, rng, say.VACUUM, why)


def _absolute(a: Analysis, rng: random.Random) -> Draft | None:
    why = "One reported act grounds no verdict on all acts of its type."
    return planted(a, rng.choice(deeds.ABSOLUTES), why, **beside(a, rng))


def _culture(a: Analysis, rng: random.Random) -> Draft | None:
    why = "No shared standard ranks the ways of two countries."
    return planted(a, rng.choice(say.CULTURES), why, **beside(a, rng), **lands_for(a, rng))


def _truth_fits(a: Analysis) -> bool:
    doer = answer_person_of(a)
    return doer is not None and bool(doer.did)


def _truth(a: Analysis, rng: random.Random) -> Draft | None:
    doer = answer_person_of(a)
    if doer is None or not doer.did:
        return None
    return asked(
        a,
        rng,
        deeds.TRUTHS,
        "One case proves no truth about all people and times.",
        name=doer.name,
        did=doer.did,
    )


def _rule(lever: str, precondition: str, applies: Applies, apply: Apply) -> Rule:
    return refusal_rule(_CLASS, Intensity.HIGH, lever, precondition, applies, apply)


_NAMED = "a named subject that is no person"
_PLANTED = "a named subject or a real person as the answer, and a passage that takes an addition"
_takes = takes(for_all(say.CULTURES))
_DEED = "a real person as the answer, with a deed that the query states cleanly"

RULES: tuple[Rule, ...] = (
    _rule("Counterfactual Necessity", f"{_DEED}; no other answer", _necessity_fits, _necessity),
    _rule("Most Beautiful Aspect", f"{_NAMED}; no praise in the passages", _beauty_fits, _beauty),
    _rule(
        "Historical Counterfactual Chain",
        f"{_NAMED} and not of recent years",
        _chain_fits,
        _chain,
    ),
    _rule("Moral Absolute", _PLANTED, _takes, _absolute),
    _rule("Metaphysical Possibility", _NAMED, about_thing, _worlds),
    _rule("Ontological Modality", _NAMED, about_thing, _being),
    _rule("Perfect Vacuum Morality", f"a work of known kind, or {_DEED}", _vacuum_fits, _vacuum),
    _rule("Infinite Regress Prediction", _NAMED, about_thing, _regress),
    _rule("Universal Claim from Single Data-Point", _DEED, _truth_fits, _truth),
    _rule("Normative Cross-Cultural Judgment", _PLANTED, _takes, _culture),
)
