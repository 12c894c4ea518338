"""HIGH rules of P-GranularityMismatch: the level asked lies too far from the passage's for any inference."""

from __future__ import annotations

import random
import re

from perturb.records import Intensity, PerturbationClass
from perturb.rules import granularity_high_facts as facts
from perturb.rules.analyse import Analysis
from perturb.rules.asides import Applies, Apply, question_of, refusal_rule, told_in, with_query
from perturb.rules.doers import doer_of
from perturb.rules.planting import addition_place, entry_for, planted, takes
from perturb.rules.rule import Draft, Rule
from perturb.rules.subjects import subject_of

_CLASS = PerturbationClass.GRANULARITY


def _person(a: Analysis) -> str | None:
    doer, s = doer_of(a), subject_of(a)
    if doer is not None:
        return doer.relative
    return s.name if s is not None and s.sort == "person" else None


def _molecules_fit(a: Analysis) -> bool:
    science = r"\b(?:gene|genes|genetic|DNA|protein|proteins|molecul\w+|chromosomes?|biochem\w+)\b"
    return _person(a) is not None and not re.search(science, a.text, re.IGNORECASE)


def _molecules(a: Analysis, rng: random.Random) -> Draft | None:
    told = _person(a)
    if told is None:
        return None
    text = told_in(rng, facts.MOLECULES, told=told)
    why = "The passage stays with a person's deeds; the question asks about the person's molecules."
    return with_query(a, question_of(text), why)


def _global(a: Analysis, rng: random.Random) -> Draft | None:
    words = {"d": str(rng.randint(52, 71)), "k": str(rng.randint(6, 38))}
    why = "One reading at a single spot cannot give a worldwide average."
    return planted(a, entry_for(a, rng, facts.GLOBAL), why, **words)


def _century(a: Analysis, rng: random.Random) -> Draft | None:
    why = "An instant of milliseconds says nothing about a century."
    return planted(a, entry_for(a, rng, facts.CENTURY), why, ms=str(rng.randint(3, 9)))


def _economy(a: Analysis, rng: random.Random) -> Draft | None:
    why = "The sum that one small business took cannot lead to the output of the world."
    return planted(
        a, entry_for(a, rng, facts.ECONOMY), why, sum=f"{rng.randint(2, 48)},{rng.randint(11, 98)}0"
    )


def _climate_fits(a: Analysis) -> bool:
    s = subject_of(a)
    unsaid = not re.search(r"\bclimate|temperature\b", a.text)
    small = s is not None and s.sort == "place" and s.noun not in ("island", "peninsula", "desert")
    return small and addition_place(a) is not None and unsaid


def _climate(a: Analysis, rng: random.Random) -> Draft | None:
    why = "The warmth of one room at one moment tells nothing of a continent's climate."
    return planted(a, rng.choice(facts.CLIMATE), why, c=str(rng.randint(17, 23)))


def _rule(lever: str, precondition: str, applies: Applies, apply: Apply) -> Rule:
    return refusal_rule(_CLASS, Intensity.HIGH, lever, precondition, applies, apply)


_SUBJECT = "a named subject or a real person as the answer, and a passage that takes an addition"

RULES: tuple[Rule, ...] = (
    _rule(
        "Molecular vs. Organism",
        "a real person, as answer or title, with no biology in the passages",
        _molecules_fit,
        _molecules,
    ),
    _rule("Global Average from Street Data", _SUBJECT, takes(facts.GLOBAL), _global),
    _rule("Century vs. Millisecond", _SUBJECT, takes(facts.CENTURY), _century),
    _rule(
        "Continental Climate from Room Temp",
        "a place, no island or desert, whose climate the passages do not speak of",
        _climate_fits,
        _climate,
    ),
    _rule("World GDP from Single Firm Revenue", _SUBJECT, takes(facts.ECONOMY), _economy),
)
