"""Rules of P-Contradiction: the question stays, and the passage comes to disagree with itself."""

from __future__ import annotations

import random
import re

from perturb.records import Cell, Intensity, PerturbationClass
from perturb.rules import contradiction_words as say
from perturb.rules import pools
from perturb.rules.analyse import Analysis
from perturb.rules.answers import AnswerType
from perturb.rules.contradiction_claims import (
    claims,
    denial_for,
    has_claim,
    has_rival,
    known_text,
    said,
    sides,
    voices,
)
from perturb.rules.contradiction_high import HIGH_RULES
from perturb.rules.contradiction_low import LOW_RULES
from perturb.rules.contradiction_sources import Kind, equals, two_names
from perturb.rules.drafts import answer_stands, clash_of_values, fill, quoted
from perturb.rules.rule import Draft, Rule
from perturb.rules.words import capitalise

MEDIUM = Cell(PerturbationClass.CONTRADICTION, Intensity.MEDIUM)

_TIMELY = (AnswerType.DATE, AnswerType.YEAR)


def _not_of_the_day(analysis: Analysis) -> bool:
    timely = re.search(
        r"\b(?:now|current|currently|latest|today|this year|right now|present)\b", analysis.instance.query
    )
    return has_rival(analysis) and timely is None


def _clash(
    analysis: Analysis,
    rng: random.Random,
    wordings: tuple[tuple[str, ...], tuple[str, ...]],
    tails: tuple[str, ...] = ("",),
    answer_first: bool = False,
    kinds: tuple[Kind, ...] = ("title", "house", "person"),
) -> str | None:
    """Two statements of equal standing, in an order that the seed draws.

    The first of the wordings take clauses, where the question makes a claim, the second take quoted sentences.
    With `answer_first` the first statement is the one with the answer.
    """
    found, pair = sides(analysis), equals(rng, known_text(analysis), kinds)
    when = _two_later_times(analysis, rng)
    if found is None or when is None:
        return None
    two = list(found.sentences if found.clauses is None else found.clauses)
    if not answer_first and rng.random() < 0.5:
        two.reverse()
    tail = rng.choice(tails)
    if found.clauses is None:
        return fill(
            rng, tuple(w + tail for w in wordings[1]), one=quoted(two[0]), two=quoted(two[1]), **voices(pair), **when
        )  # fmt: skip
    return fill(
        rng, tuple(w + tail for w in wordings[0]), one=two[0], two=two[1], One=capitalise(two[0]),
        Two=capitalise(two[1]), **voices(pair), **when,
    )  # fmt: skip


def _two_later_times(analysis: Analysis, rng: random.Random) -> dict[str, str] | None:
    """Two times at which sources may have spoken of what the passage tells; None where it tells of the present."""
    told = re.findall(r"\b(?:1[0-9]|20)\d\d\b", f"{analysis.text} {analysis.alternative} {analysis.query}")
    first = max(2014, *map(int, told)) + 1 if told else 2015
    if first > 2024:
        return None
    early = rng.randint(first, 2024)
    late = rng.randint(early + 1, 2025)
    shape = rng.choice(
        ("in {year}", "in {month} {year}", "on {day} {month} {year}", "in the {season} of {year}")
    )
    times = {
        name: shape.format(
            year=year, month=rng.choice(pools.MONTHS), day=rng.randint(1, 28),
            season=rng.choice(("spring", "summer", "autumn")),
        )
        for name, year in (("early", early), ("late", late))
    }  # fmt: skip
    return times | {name.capitalize(): capitalise(time) for name, time in times.items()}


def _reported(analysis: Analysis, rng: random.Random) -> Draft | None:
    found, (speaker, _) = sides(analysis), two_names(rng, known_text(analysis))
    if found is None:
        return None
    one, two = (quoted(sentence) for sentence in rng.sample(found.sentences, 2))
    return said(
        analysis,
        lambda: fill(rng, say.REPORTED, one=one, two=two, speaker=speaker),
        "One and the same speaker is reported with two answers.",
    )


def _drift(analysis: Analysis, rng: random.Random) -> Draft | None:
    tails = tuple(f" {tail}" for tail in say.UNAWARE)
    return said(
        analysis,
        lambda: _clash(analysis, rng, (say.DATED, say.DATED_QUOTED), tails),
        "Two equally good sources of different dates give two answers.",
    )


def _dates(analysis: Analysis, rng: random.Random) -> Draft | None:
    return said(
        analysis,
        lambda: _clash(analysis, rng, (say.BOTH_SAY, say.QUOTED), say.EVEN, kinds=("title", "house")),
        "Two authorities of one rank give two dates.",
    )


def _places(analysis: Analysis, rng: random.Random) -> Draft | None:
    found, pair = sides(analysis), equals(rng, known_text(analysis))
    if found is None:
        return None
    one, two = (quoted(sentence) for sentence in rng.sample(found.sentences, 2))
    return said(
        analysis,
        lambda: fill(rng, say.PLACES, one=one, two=two, **voices(pair)),
        "Two sources of equal authority give two places.",
    )


def _modal(analysis: Analysis, rng: random.Random) -> Draft | None:
    return said(
        analysis,
        lambda: _clash(
            analysis, rng, (say.MODAL, say.MODAL_QUOTED), answer_first=True, kinds=("house", "person")
        ),
        "What one source calls certain an equal one calls impossible.",
    )


def _polarity(analysis: Analysis, rng: random.Random) -> Draft | None:
    found = claims(analysis)
    if found is None:
        return None
    claim, denial = found[0], denial_for(analysis, found[0], rng)

    return said(
        analysis,
        lambda: fill(
            rng, say.DENIED, claim=claim, Claim=capitalise(claim), denial=denial, Denial=capitalise(denial),
            **voices(equals(rng, known_text(analysis))),
        ),
        "The answering statement is affirmed and denied with equal authority.",
    )  # fmt: skip


RULES: tuple[Rule, ...] = (
    *LOW_RULES,
    Rule("Contradiction in Reported Speech", MEDIUM, "one answer in a short claim or sentence; a value of its type",
         has_rival, _reported, clash_of_values),
    Rule("Source-Timing Drift", MEDIUM, "as reported speech; the question is not about the present",
         _not_of_the_day, _drift, clash_of_values),
    Rule("Dual-authoritative Dates", MEDIUM, "a date in the one sentence that answers",
         lambda a: a.answer_type in _TIMELY and has_rival(a), _dates, clash_of_values),
    Rule("Spatial Location Clash", MEDIUM, "a place in the one sentence that answers",
         lambda a: a.answer_type is AnswerType.PLACE and has_rival(a), _places, clash_of_values),
    Rule("Modal Dilution", MEDIUM, "one answer in a short claim or sentence; a value of its type",
         has_rival, _modal, clash_of_values),
    Rule("Direct Polarity Reversal on Safety", MEDIUM, "a question that parses to a short claim; one answer",
         has_claim, _polarity, answer_stands),
    *HIGH_RULES,
)  # fmt: skip
