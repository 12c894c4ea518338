"""HIGH rules of P-GranularityMismatch: the level asked lies too far from the passage's for any inference."""

from __future__ import annotations

import random
import re

from perturb.records import Intensity, PerturbationClass
from perturb.rules import granularity_high_facts as facts
from perturb.rules import granularity_high_more, pools
from perturb.rules.analyse import Analysis
from perturb.rules.answer_person import answer_person_of
from perturb.rules.granularity_scenes import names, takes_any, told
from perturb.rules.query_edits import Applies, Apply, question_of, refusal_rule, told_in, with_query
from perturb.rules.rule import Draft, Rule
from perturb.rules.subjects import subject_of

_CLASS = PerturbationClass.GRANULARITY
_MONEY = ("pounds", "dollars", "euros", "crowns", "francs", "rupees", "pesos")


def _person(a: Analysis) -> str | None:
    doer, s = answer_person_of(a), subject_of(a)
    if doer is not None:
        return doer.relative
    return s.name if s is not None and s.sort == "person" else None


def _molecules_fit(a: Analysis) -> bool:
    science = r"\b(?:gene|genes|genetic|DNA|protein|proteins|molecul\w+|chromosomes?|biochem\w+)\b"
    return _person(a) is not None and not re.search(science, a.text, re.IGNORECASE)


def _molecules(a: Analysis, rng: random.Random) -> Draft | None:
    who = _person(a)
    if who is None:
        return None
    words = {
        "gene": rng.choice(facts.GENES),
        "marker": rng.choice(facts.MARKERS),
        "tissue": rng.choice(facts.TISSUES),
        "protein": rng.choice(facts.PROTEINS),
        "disease": rng.choice(facts.DISEASES),
        "n": str(rng.randint(1, 22)),
        "age": str(rng.randint(6, 15)),
        "when": rng.choice(("at birth", "as a baby", "as a child")),
    }
    text = told_in(rng, facts.MOLECULES, told=who, **words)
    why = "The passage stays with a person's deeds; the question asks about the person's molecules."
    return with_query(a, question_of(text), why)


def _global(a: Analysis, rng: random.Random) -> Draft | None:
    sentence, quantity = rng.choice(facts.READINGS)
    street = f"{rng.choice(pools.INVENTED_PLACES)} {rng.choice(facts.STREETS)}"
    numbers = {"loud": str(rng.randint(52, 71)), "k": str(rng.randint(16, 48)), "s": str(rng.randint(4, 9))}
    why = "One reading at a single spot cannot give a worldwide average."
    question = rng.choice(facts.WORLD_QUESTIONS)
    return told(a, rng, ((sentence, question),), why, street=street, quantity=quantity, **numbers)


def _instant(rng: random.Random) -> str:
    """A few milliseconds, in one of several notations."""
    n = rng.randint(2, 9)
    return rng.choice(
        (
            f"{n} milliseconds",
            f"0.00{n} seconds",
            f"{pools.SMALL_NUMBERS[n]} thousandths of a second",
            f"{n} ms",
            f"{n},000 microseconds",
            f"{pools.SMALL_NUMBERS[n]} milliseconds",
        )
    )


def _century(a: Analysis, rng: random.Random) -> Draft | None:
    why = "An instant of milliseconds says nothing about a century."
    return told(a, rng, facts.INSTANTS, why, instant=_instant(rng))


def _economy(a: Analysis, rng: random.Random) -> Draft | None:
    sentence, year = rng.choice(facts.SUMS)
    question = rng.choice(facts.ECONOMY_QUESTIONS).replace("{year}", year)
    amount = f"{rng.randint(1, 9)},{rng.randint(11, 98)}0"
    why = "The sum that one firm, body or person took or paid cannot lead to the output of the world."
    return told(a, rng, ((sentence, question),), why, sum=amount, money=rng.choice(_MONEY))


def _climate_fits(a: Analysis) -> bool:
    return takes_any(a) and not re.search(r"\b(?:climate|temperature|continent)\b", a.text)


def _climate(a: Analysis, rng: random.Random) -> Draft | None:
    found = names(a, rng, 1)
    if found is None:
        return None
    sentence, tie = rng.choice(facts.ROOMS)
    question = rng.choice(facts.CONTINENT_QUESTIONS).replace("{tie}", tie)
    words = {"c": str(rng.randint(16, 24)), "month": rng.choice(pools.MONTHS), "name": found[0]}
    why = "The warmth of one room at one moment tells nothing of a continent's climate."
    return told(a, rng, ((sentence, question),), why, **words)


def _rule(lever: str, precondition: str, applies: Applies, apply: Apply) -> Rule:
    return refusal_rule(_CLASS, Intensity.HIGH, lever, precondition, applies, apply)


_SUBJECT = "a named subject, and a passage that takes an addition"

RULES: tuple[Rule, ...] = (
    _rule(
        "Molecular vs. Organism",
        "a real person, as answer or title, with no biology in the passages",
        _molecules_fit,
        _molecules,
    ),
    _rule("Global Average from Street Data", _SUBJECT, takes_any, _global),
    _rule("Century vs. Millisecond", _SUBJECT, takes_any, _century),
    _rule(
        "Continental Climate from Room Temp",
        f"{_SUBJECT} and does not speak of a climate",
        _climate_fits,
        _climate,
    ),
    _rule("World GDP from Single Firm Revenue", _SUBJECT, takes_any, _economy),
    *granularity_high_more.RULES,
)
