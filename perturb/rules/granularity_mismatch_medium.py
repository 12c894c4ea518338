"""MEDIUM rules of P-GranularityMismatch: the question asks at a level within reach that the passage does not report."""

from __future__ import annotations

import random

from perturb.records import Intensity, PerturbationClass
from perturb.rules import granularity_medium_facts as facts
from perturb.rules import pools
from perturb.rules.analyse import Analysis
from perturb.rules.asides import Applies, Apply, refusal_rule
from perturb.rules.planting import entry_for, planted, takes
from perturb.rules.rule import Draft, Rule
from perturb.rules.words import has_word

_CLASS = PerturbationClass.GRANULARITY


def _shares(a: Analysis, rng: random.Random) -> Draft | None:
    found = entry_for(a, rng, facts.SHARES)
    if found is None:
        return None
    n = rng.randint(6, 11)
    words = {"n": pools.SMALL_NUMBERS[n], "k": pools.SMALL_NUMBERS[rng.randint(2, n - 2)]}
    gaps = dict(zip(("small", "vp", "all"), found, strict=True))
    sentence, question = rng.choice(facts.SHARE_SENTENCES), rng.choice(facts.SHARE_QUESTIONS)
    why = "The share within one very small group says nothing about the large population asked for."
    return planted(a, (_filled(sentence, gaps), _filled(question, gaps)), why, **words)


def _medians(a: Analysis, rng: random.Random) -> Draft | None:
    found = entry_for(a, rng, facts.MEDIANS)
    if found is None:
        return None
    low, high = rng.randint(4, 6), rng.randint(35, 44)
    second, third = rng.randint(8, 13), rng.randint(24, 31)
    words = {"a": str(high), "b": str(low), "c": str(third), "d": str(second)}
    gaps = {"group": found[0], "measure": found[1]}
    sentence, question = rng.choice(facts.MEDIAN_SENTENCES), rng.choice(facts.MEDIAN_QUESTIONS)
    why = "One of the five values is missing, and the median depends on it."
    return planted(a, (_filled(sentence, gaps), _filled(question, gaps)), why, **words)


def _nations(a: Analysis, rng: random.Random) -> Draft | None:
    towns = [t for t in facts.TOWNS if not any(has_word(f"{a.query} {a.text}", part) for part in t[:2])]
    found = entry_for(a, rng, facts.NATIONS)
    if not towns or found is None:
        return None
    town, other, land = rng.choice(towns)
    p, q = rng.sample((rng.randint(12, 26), rng.randint(39, 57)), 2)
    words = {"town": town, "other": other, "land": land, "p": str(p), "q": str(q)}
    gaps = {"did": found[0], "whole": found[1]}
    sentence, question = rng.choice(facts.NATION_SENTENCES), rng.choice(facts.NATION_QUESTIONS)
    why = "Figures for two towns do not give the figure for the whole country."
    return planted(a, (_filled(sentence, gaps), _filled(question, gaps)), why, **words)


def _parts(a: Analysis, rng: random.Random) -> Draft | None:
    why = "The passage names the part but says nothing of the pieces inside it."
    return planted(a, entry_for(a, rng, facts.PARTS), why)


def _filled(frame: str, gaps: dict[str, str]) -> str:
    """A frame with an entry in its gaps; the gaps for the subject and for numbers stay open."""
    for name, words in gaps.items():
        frame = frame.replace(f"{{{name}}}", words)
    return frame


def _rule(lever: str, applies: Applies, apply: Apply) -> Rule:
    precondition = "a named subject or a real person as the answer, and a passage that takes an addition"
    return refusal_rule(_CLASS, Intensity.MEDIUM, lever, precondition, applies, apply)


RULES: tuple[Rule, ...] = (
    _rule("Nation from City Data", takes(facts.NATIONS), _nations),
    _rule("Part-of-part Detail", takes(facts.PARTS), _parts),
    _rule("Micro-to-Macro Proportion", takes(facts.SHARES), _shares),
    _rule("Median-With-Missing Member", takes(facts.MEDIANS), _medians),
)
