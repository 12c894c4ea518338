"""Rules of P-Contradiction: the question stays, and the passage comes to disagree with itself."""

from __future__ import annotations

import random
import re

from perturb.records import Cell, Intensity, PerturbationClass
from perturb.rules import contradiction_words as say
from perturb.rules import pools
from perturb.rules.analyse import Analysis
from perturb.rules.answers import AnswerType
from perturb.rules.contradiction_low import LOW_RULES
from perturb.rules.drafts import (
    clash_of_values,
    fill,
    kept_both,
    query_kept,
    quoted,
    rival_statement,
    statement,
    substituted,
    with_replacement,
)
from perturb.rules.rule import Draft, Rule
from perturb.rules.values import changed_number
from perturb.rules.words import has_word

MEDIUM = Cell(PerturbationClass.CONTRADICTION, Intensity.MEDIUM)
HIGH = Cell(PerturbationClass.CONTRADICTION, Intensity.HIGH)

_TIMELY = (AnswerType.DATE, AnswerType.YEAR)


# MEDIUM and HIGH: the answering sentence gives way to two that exclude each other.


def _has_statement(analysis: Analysis) -> bool:
    return statement(analysis) is not None


def _has_rival(analysis: Analysis) -> bool:
    sentence = statement(analysis)
    return sentence is not None and rival_statement(analysis, sentence) is not None


def _not_of_the_day(analysis: Analysis) -> bool:
    timely = re.search(
        r"\b(?:now|current|currently|latest|today|this year|right now|present)\b", analysis.instance.query
    )
    return _has_rival(analysis) and timely is None


def _clash(analysis: Analysis, rng: random.Random, wordings: tuple[str, ...], reasoning: str) -> Draft | None:
    """Two statements of equal standing, in an order that the seed draws, in the place of the one that answers."""
    sentence = statement(analysis)
    rival = rival_statement(analysis, sentence) if sentence else None
    if sentence is None or rival is None:
        return None
    sides = [sentence.text, rival]
    values = [analysis.answer, analysis.alternative or ""]
    if rng.random() < 0.5:
        sides.reverse()
        values.reverse()
    gender = rng.choice(("He", "She"))
    names = pools.NEW_MALE if gender == "He" else pools.NEW_FEMALE
    free = [n for n in pools.NEW_SURNAMES if not has_word(f"{analysis.text} {analysis.alternative}", n)]
    if not free:
        return None
    values = [re.sub(r"^(?:in|on|at|by) ", "", value, flags=re.IGNORECASE) for value in values]
    new = fill(
        rng,
        wordings,
        one=quoted(sides[0]),
        two=quoted(sides[1]),
        plain_one=sides[0],
        plain_two=sides[1],
        first=values[0],
        second=values[1],
        speaker=f"{rng.choice(names)} {rng.choice(free)}",
        pronoun=gender,
    )
    return with_replacement(analysis, sentence, new, analysis.instance.query, reasoning)


def _reported(analysis: Analysis, rng: random.Random) -> Draft | None:
    return _clash(analysis, rng, say.REPORTED, "One and the same speaker is reported with two answers.")


def _drift(analysis: Analysis, rng: random.Random) -> Draft | None:
    return _clash(analysis, rng, say.DRIFT, "Two equally good sources of different dates give two answers.")


def _dates(analysis: Analysis, rng: random.Random) -> Draft | None:
    return _clash(analysis, rng, say.AUTHORITIES, "Two authorities of one rank give two dates.")


def _places(analysis: Analysis, rng: random.Random) -> Draft | None:
    return _clash(analysis, rng, say.PLACES, "Two sources of equal authority give two places.")


def _modal(analysis: Analysis, rng: random.Random) -> Draft | None:
    return _clash(analysis, rng, say.MODAL, "What one source calls certain an equal one calls impossible.")


def _xor(analysis: Analysis, rng: random.Random) -> Draft | None:
    return _clash(analysis, rng, say.EXCLUSIVE, "Only one of two values may hold, and both are asserted.")


def _exclusion(analysis: Analysis, rng: random.Random) -> Draft | None:
    return _clash(analysis, rng, say.EXCLUSION, "Two statements that rule each other out are both asserted.")


def _self_clash(
    analysis: Analysis, rng: random.Random, wordings: tuple[str, ...], reasoning: str
) -> Draft | None:
    sentence = statement(analysis)
    if sentence is None:
        return None
    new = fill(rng, wordings, one=quoted(sentence.text), plain_one=sentence.text)
    return with_replacement(analysis, sentence, new, analysis.instance.query, reasoning)


def _polarity(analysis: Analysis, rng: random.Random) -> Draft | None:
    return _self_clash(
        analysis, rng, say.POLARITY, "The answering statement is affirmed and denied with equal authority."
    )


def _universals(analysis: Analysis, rng: random.Random) -> Draft | None:
    return _self_clash(analysis, rng, say.UNIVERSALS, "All sources are said to make the statement, and none.")


def _flip(analysis: Analysis, rng: random.Random) -> Draft | None:
    return _self_clash(
        analysis, rng, say.FLIPS, "The answering statement is put in two states that exclude each other."
    )


def _biconditional(analysis: Analysis, rng: random.Random) -> Draft | None:
    return _self_clash(
        analysis, rng, say.BICONDITIONAL, "The answer holds only under a condition that is said to fail."
    )


def _is_plain_number(analysis: Analysis) -> bool:
    return analysis.answer_type is AnswerType.NUMBER and _has_statement(analysis)


def _magnitude(analysis: Analysis, rng: random.Random) -> Draft | None:
    sentence = statement(analysis)
    huge = changed_number(analysis.answer, rng, factor=100)
    rival = substituted(analysis, sentence, huge) if sentence and huge else None
    if sentence is None or rival is None or huge is None or has_word(analysis.text, huge):
        return None
    sides = [sentence.text, rival]
    rng.shuffle(sides)
    new = fill(rng, say.MAGNITUDE, plain_one=sides[0], plain_two=sides[1])
    return with_replacement(
        analysis,
        sentence,
        new,
        analysis.instance.query,
        "The figure asked for is stated twice, a hundredfold apart.",
    )


RULES: tuple[Rule, ...] = (
    *LOW_RULES,
    Rule("Contradiction in Reported Speech", MEDIUM, "one sentence answers; a value of its type",
         _has_rival, _reported, clash_of_values),
    Rule("Source-Timing Drift", MEDIUM, "as reported speech; the question is not about the present",
         _not_of_the_day, _drift, clash_of_values),
    Rule("Dual-authoritative Dates", MEDIUM, "a date in the one sentence that answers",
         lambda a: a.answer_type in _TIMELY and _has_rival(a), _dates, clash_of_values),
    Rule("Spatial Location Clash", MEDIUM, "a place in the one sentence that answers",
         lambda a: a.answer_type is AnswerType.PLACE and _has_rival(a), _places, clash_of_values),
    Rule("Modal Dilution", MEDIUM, "one sentence answers; a value of its type",
         _has_rival, _modal, clash_of_values),
    Rule("Direct Polarity Reversal on Safety", MEDIUM, "one complete sentence answers",
         _has_statement, _polarity, kept_both),
    Rule("Order-of-Magnitude Numeric Clash", HIGH, "a number in the one sentence that answers",
         _is_plain_number, _magnitude, query_kept),
    Rule("Exclusive-Or Violation", HIGH, "one sentence answers; a value of its type",
         _has_rival, _xor, clash_of_values),
    Rule("Mutual Exclusion Claim", HIGH, "one sentence answers; a value of its type",
         _has_rival, _exclusion, clash_of_values),
    Rule("Contradictory Universals", HIGH, "one complete sentence answers",
         _has_statement, _universals, kept_both),
    Rule("Logical Biconditional Break", HIGH, "one complete sentence answers",
         _has_statement, _biconditional, kept_both),
    Rule("Binary State Flip", HIGH, "one complete sentence answers",
         _has_statement, _flip, kept_both),
)  # fmt: skip
