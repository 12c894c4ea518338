"""LOW rules of P-EpistemicMismatch: an evaluative or modal word in the question that facts in the passage settle."""

from __future__ import annotations

import random

from perturb.records import PerturbationClass
from perturb.rules import epistemic_low_effects as effects
from perturb.rules import epistemic_low_facts as facts
from perturb.rules import epistemic_low_words as words
from perturb.rules import pools
from perturb.rules.analyse import Analysis
from perturb.rules.epistemic_fronts import can_front, fronted, fronted_subject
from perturb.rules.epistemic_scenes import beside, for_all
from perturb.rules.fact_kinds import Pair
from perturb.rules.marking import (
    can_mark,
    can_qualify,
    compared,
    marked,
    marking_entry,
    named_subject,
    qualified,
)
from perturb.rules.query_edits import Applies, a_, low_rule
from perturb.rules.rule import Draft, Rule
from perturb.rules.subjects import WORKS
from perturb.rules.words import has_word, plural

_CLASS = PerturbationClass.EPISTEMIC


def _aside(a: Analysis, rng: random.Random, pairs: tuple[Pair, ...], why: str, **values: str) -> Draft | None:
    """A draft with one of the pairs, its gaps filled from what stands around the subject."""
    subject, told = named_subject(a), f"{why}; the answer stays."
    if fronted_subject(a) is not None:
        return fronted(a, rng, pairs, told)
    if subject is None:
        return None
    return marked(a, rng.choice(pairs), told, **beside(a, rng, subject), **values)


def _takes_remark(pairs: tuple[Pair, ...], figures: bool = False) -> Applies:
    """A precondition: a remark goes after the subject's name or before the question."""
    marks, fronts = can_mark(for_all(pairs), figures), can_front(figures)
    return lambda a: marks(a) or fronts(a)


def _threshold(a: Analysis, rng: random.Random) -> Draft | None:
    subject = named_subject(a)
    if subject is None:
        return None
    gaps = beside(a, rng, subject)
    adjective, floor = rng.choice(words.ADJECTIVES), rng.randint(21, 60)
    gaps |= {"adj": adjective, "unit": rng.choice(words.UNITS).format(**gaps)}
    gaps |= {"t": str(floor), "p": str(floor + rng.randint(6, 30))}
    why = "The passage fixes the number from which the word applies, and {full} exceeds it; the answer stays."
    return qualified(a, rng.choice(words.THRESHOLDS), adjective, why, **gaps)


def _major(a: Analysis, rng: random.Random) -> Draft | None:
    subject = named_subject(a)
    noun = subject.noun if subject is not None and subject.sort in WORKS else ""
    sort = noun or rng.choice(("topic", "subject", "entry"))
    sorts = {"sort": sort, "a_sort": a_(sort), "sorts": plural(sort)}
    why = "The passage defines the word by a clear test that {full} meets"
    return _aside(a, rng, facts.MAJOR, why, **sorts, test=rng.choice(facts.TESTS))


def _common(a: Analysis, rng: random.Random) -> Draft | None:
    return _aside(a, rng, facts.COMMON, "The percentage in the passage bears the word out")


def _larger(a: Analysis, rng: random.Random) -> Draft | None:
    found, s = marking_entry(a, rng, words.LARGER), named_subject(a)
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
        "nouns": plural(s.noun),
    }
    why = "Two plain figures make the comparative a matter of fact, and {full} is the one meant; the answer stays."
    around = beside(a, rng, s)
    return compared(a, rng.choice(words.COMPARISONS), rng.choice(words.COMPARED), why, **around, **gaps)


def _within(a: Analysis, rng: random.Random) -> Draft | None:
    why = "What the passage says of the inner set entails the outer one, so the aside holds"
    return _aside(a, rng, facts.WITHIN, why)


def _harm(a: Analysis, rng: random.Random) -> Draft | None:
    return _aside(a, rng, effects.HARMS, "The effect that the passage reports is plainly harmful")


def _gain(a: Analysis, rng: random.Random) -> Draft | None:
    return _aside(a, rng, effects.GAINS, "The gain that the passage reports is plain")


def _chance(a: Analysis, rng: random.Random) -> Draft | None:
    return _aside(a, rng, facts.CHANCES, "What the passage calls very likely is also possible")


_NAMED = "a clean question that names its subject; the passage takes an addition"
_QUALIFIED = f"{_NAMED}, a work; another phrase can take the name's place; no number is asked for"

RULES: tuple[Rule, ...] = (
    low_rule(_CLASS, "Undesirable Effect Obvious", _NAMED, _takes_remark(effects.HARMS), _harm),
    low_rule(
        _CLASS,
        "Weak Possibility vs. High Likelihood",
        _NAMED,
        _takes_remark(facts.CHANCES),
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
        _takes_remark(facts.COMMON, figures=True),
        _common,
    ),
    low_rule(_CLASS, "Obvious Benefit", _NAMED, _takes_remark(effects.GAINS), _gain),
    low_rule(
        _CLASS, "Minor vs Major (Definitional)", _NAMED, can_mark(for_all(facts.MAJOR), figures=False), _major
    ),
    low_rule(_CLASS, "Strict Containment", _NAMED, _takes_remark(facts.WITHIN), _within),
    low_rule(
        _CLASS,
        "Evaluative Term with Explicit Threshold",
        _QUALIFIED,
        can_qualify(for_all(words.ADJECTIVES)),
        _threshold,
    ),
)
