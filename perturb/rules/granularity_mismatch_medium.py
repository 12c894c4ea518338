"""MEDIUM rules of P-GranularityMismatch: the question asks at a level within reach that the passage does not report."""

from __future__ import annotations

import random

from perturb.records import Intensity, PerturbationClass
from perturb.rules import granularity_medium_facts as facts
from perturb.rules import granularity_medium_more, pools
from perturb.rules.analyse import Analysis
from perturb.rules.granularity_scenes import scene, takes_any, told
from perturb.rules.passage_edits import planted
from perturb.rules.query_edits import Applies, Apply, refusal_rule
from perturb.rules.rule import Draft, Rule
from perturb.rules.subjects import anchor_of
from perturb.rules.words import has_word

_CLASS = PerturbationClass.GRANULARITY


def _deed(a: Analysis, rng: random.Random) -> dict[str, str] | None:
    """A scene with something that people may have done with its thing or at its event."""
    subject = anchor_of(a)
    if subject is None:
        return None
    words = scene(a, subject, rng)
    return {**words, "did": rng.choice(facts.SHARE_DEEDS).format(full=subject.full, **words)}


def _shares(a: Analysis, rng: random.Random) -> Draft | None:
    words = _deed(a, rng)
    if words is None:
        return None
    n = rng.randint(5, 12)
    unit = rng.choice(facts.SHARE_UNITS)
    words |= {
        "n": pools.SMALL_NUMBERS[n],
        "k": pools.SMALL_NUMBERS[rng.randint(2, n - 2)],
        "unit": unit,
        "small": f"{words['f1']} {unit}",
        "all": f"{words['f1']} {rng.choice(facts.REGIONS)}",
    }
    pair = (rng.choice(facts.SHARE_SENTENCES), rng.choice(facts.SHARE_QUESTIONS))
    why = "The share within one very small group says nothing about the large population asked for."
    return planted(a, pair, why, **words)


def _medians(a: Analysis, rng: random.Random) -> Draft | None:
    half = rng.randint(1, 3)
    low = rng.sample(range(11, 19), half)
    high = rng.sample(range(29, 58), half)
    values = [str(value) for value in rng.sample(low + high, 2 * half)]
    of_things = rng.random() < 0.5
    words = {
        "size": pools.SMALL_NUMBERS[2 * half + 1],
        "known": pools.SMALL_NUMBERS[2 * half],
        "list": f"{', '.join(values[:-1])} and {values[-1]}",
        "measure": rng.choice(facts.MEDIAN_OF_THINGS if of_things else facts.MEDIAN_OF_EVENTS),
    }
    group = "{books}" if of_things else "{events}"
    sentence = rng.choice(facts.MEDIAN_SENTENCES).replace("{group}", group)
    question = rng.choice(facts.MEDIAN_QUESTIONS).replace("{group}", group)
    why = "One of the values is missing, and the median depends on it."
    return told(a, rng, ((sentence, question),), why, **words)


def _nations(a: Analysis, rng: random.Random) -> Draft | None:
    known = f"{a.query} {a.text}"
    towns = [row for row in facts.TOWNS if not any(has_word(known, place) for place in row)]
    words = _deed(a, rng)
    if not towns or words is None:
        return None
    town, other, land = rng.choice(towns)
    p, q = rng.sample((rng.randint(5, 11), rng.randint(12, 19)), 2)
    words |= {"town": town, "other": other, "land": land, "p": str(p), "q": str(q)}
    why = "Figures for two towns do not give the figure for the whole country."
    return planted(a, rng.choice(facts.NATION_SHAPES), why, **words)


def _parts(a: Analysis, rng: random.Random) -> Draft | None:
    why = "The passage names the part but says nothing of the pieces inside it."
    return told(a, rng, facts.PARTS, why)


def _rule(lever: str, applies: Applies, apply: Apply) -> Rule:
    precondition = "a named subject or a real person as the answer, and a passage that takes an addition"
    return refusal_rule(_CLASS, Intensity.MEDIUM, lever, precondition, applies, apply)


RULES: tuple[Rule, ...] = (
    _rule("Nation from City Data", takes_any, _nations),
    _rule("Part-of-part Detail", takes_any, _parts),
    _rule("Micro-to-Macro Proportion", takes_any, _shares),
    _rule("Median-With-Missing Member", takes_any, _medians),
    *granularity_medium_more.RULES,
)
