"""LOW rules of P-EpistemicMismatch: an evaluative or modal word in the question that facts in the passage settle."""

from __future__ import annotations

import random

from perturb.records import PerturbationClass
from perturb.rules import epistemic_low_facts as facts
from perturb.rules import epistemic_low_words as words
from perturb.rules import pools
from perturb.rules.analyse import Analysis
from perturb.rules.asides import low_rule
from perturb.rules.marking import can_mark, can_qualify, compared, marked, marking_entry, qualified
from perturb.rules.rule import Draft, Rule
from perturb.rules.subjects import subject_of
from perturb.rules.words import has_word

_CLASS = PerturbationClass.EPISTEMIC


def _threshold(a: Analysis, rng: random.Random) -> Draft | None:
    found = marking_entry(a, rng, words.MEASURES)
    if found is None:
        return None
    floor = rng.randint(25, 50)
    gaps = {"adj": found[0], "unit": found[1], "t": str(floor), "p": str(floor + rng.randint(6, 30))}
    why = "The passage fixes the number from which the word applies, and {full} exceeds it; the answer stays."
    return qualified(a, rng.choice(words.THRESHOLDS), found[0], why, **gaps)


def _major(a: Analysis, rng: random.Random) -> Draft | None:
    why = "The passage defines the word by a clear test that {full} meets; the answer stays."
    return marked(a, marking_entry(a, rng, facts.MAJOR), why)


def _common(a: Analysis, rng: random.Random) -> Draft | None:
    why = "The percentage in the passage bears the word out; the answer stays."
    return marked(a, marking_entry(a, rng, facts.COMMON), why, p=str(rng.randint(78, 96)))


def _larger(a: Analysis, rng: random.Random) -> Draft | None:
    found, s = marking_entry(a, rng, words.LARGER), subject_of(a)
    others = [title for title in pools.SIBLING_TITLES if not has_word(a.text, title)]
    if found is None or s is None or not others:
        return None
    more, unit, own, rival = found
    gaps = {
        "more": more,
        "unit": unit,
        "p": str(rng.randint(*own)),
        "q": str(rng.randint(*rival)),
        "other": rng.choice(others),
    }
    why = "Two plain figures make the comparative a matter of fact, and {full} is the one meant; the answer stays."
    return compared(a, rng.choice(words.COMPARISONS), rng.choice(words.COMPARED), why, **gaps)


def _within(a: Analysis, rng: random.Random) -> Draft | None:
    why = (
        "What the passage says of the inner set entails the outer one, so the aside holds; the answer stays."
    )
    return marked(a, marking_entry(a, rng, facts.WITHIN), why)


def _harm(a: Analysis, rng: random.Random) -> Draft | None:
    why = "The effect that the passage reports is plainly harmful, so no opinion is needed; the answer stays."
    return marked(a, marking_entry(a, rng, facts.HARMS), why)


def _gain(a: Analysis, rng: random.Random) -> Draft | None:
    why = "The gain that the passage reports is plain, so no opinion is needed; the answer stays."
    return marked(a, marking_entry(a, rng, facts.GAINS), why)


def _chance(a: Analysis, rng: random.Random) -> Draft | None:
    why = "What the passage calls very likely is also possible, so the aside holds; the answer stays."
    return marked(a, marking_entry(a, rng, facts.CHANCES), why)


_NAMED = "a clean question that names its subject; the passage takes an addition"
_QUALIFIED = f"{_NAMED}, a work; another phrase can take the name's place; no number is asked for"

RULES: tuple[Rule, ...] = (
    low_rule(_CLASS, "Undesirable Effect Obvious", _NAMED, can_mark(facts.HARMS, figures=False), _harm),
    low_rule(
        _CLASS,
        "Weak Possibility vs. High Likelihood",
        _NAMED,
        can_mark(facts.CHANCES, figures=False),
        _chance,
    ),
    low_rule(
        _CLASS,
        "Heavier is Factual",
        f"{_QUALIFIED}; a song, film or book",
        can_qualify(words.LARGER),
        _larger,
    ),
    low_rule(
        _CLASS,
        "Commonness from Percentage",
        f"{_NAMED}; no number is asked for",
        can_mark(facts.COMMON),
        _common,
    ),
    low_rule(_CLASS, "Obvious Benefit", _NAMED, can_mark(facts.GAINS, figures=False), _gain),
    low_rule(_CLASS, "Minor vs Major (Definitional)", _NAMED, can_mark(facts.MAJOR, figures=False), _major),
    low_rule(_CLASS, "Strict Containment", _NAMED, can_mark(facts.WITHIN, figures=False), _within),
    low_rule(
        _CLASS, "Evaluative Term with Explicit Threshold", _QUALIFIED, can_qualify(words.MEASURES), _threshold
    ),
)
