"""Rules of P-Contradiction: the question stays, and the passage comes to disagree with itself."""

from __future__ import annotations

import random
import re

from perturb.records import Cell, Intensity, PerturbationClass
from perturb.rules import contradiction_words as say
from perturb.rules import pools
from perturb.rules.ambiguity_rivals import hinted_year
from perturb.rules.analyse import Analysis, support
from perturb.rules.answers import AnswerType
from perturb.rules.contradiction_claims import LONGEST_SAID, claims, denial_of, either_of, said, sides
from perturb.rules.contradiction_low import LOW_RULES
from perturb.rules.drafts import (
    answer_stands,
    clash_of_values,
    fill,
    following,
    leans,
    query_kept,
    quoted,
    statement,
    substituted,
    with_replacement,
)
from perturb.rules.leaks import substitute_left
from perturb.rules.rule import Draft, Rule
from perturb.rules.values import changed_number
from perturb.rules.words import capitalise, has_word

MEDIUM = Cell(PerturbationClass.CONTRADICTION, Intensity.MEDIUM)
HIGH = Cell(PerturbationClass.CONTRADICTION, Intensity.HIGH)

_TIMELY = (AnswerType.DATE, AnswerType.YEAR)


# MEDIUM and HIGH: the answering sentence gives way to two that exclude each other.


def _has_statement(analysis: Analysis) -> bool:
    return statement(analysis) is not None


def _has_rival(analysis: Analysis) -> bool:
    return sides(analysis) is not None and not hinted_year(analysis)


def _has_claim(analysis: Analysis) -> bool:
    return claims(analysis) is not None


def _has_lone_claim(analysis: Analysis) -> bool:
    """Whether nothing that stays could be taken for the answer once its claim has fallen."""
    stays = (s.text for i, s in enumerate(analysis.sentences) if i not in analysis.answer_sentences)
    free = all(
        substitute_left(analysis, text) is None or support(analysis.query, text) < 0.3 for text in stays
    )
    return free and _has_claim(analysis)


def _not_of_the_day(analysis: Analysis) -> bool:
    timely = re.search(
        r"\b(?:now|current|currently|latest|today|this year|right now|present)\b", analysis.instance.query
    )
    return _has_rival(analysis) and timely is None


def _clash(
    analysis: Analysis,
    rng: random.Random,
    wordings: tuple[str, ...],
    reasoning: str,
    answer_first: bool = False,
) -> Draft | None:
    """Two statements of equal standing in the place of all that answers, in an order that the seed draws.

    With `answer_first` the first of them is the one with the answer.
    """
    found = sides(analysis)
    years = _two_later_years(analysis)
    free = [n for n in pools.NEW_SURNAMES if not has_word(f"{analysis.text} {analysis.alternative}", n)]
    houses = [name for name in pools.INVENTED_PLACES if not has_word(analysis.text, name)]
    if found is None or years is None or not free or len(houses) < 2:
        return None
    two = list(found)
    if not answer_first and rng.random() < 0.5:
        two.reverse()
    a, b = rng.sample(houses, 2)
    new = fill(
        rng, wordings, one=quoted(two[0]), two=quoted(two[1]), a=a, b=b, early=str(years[0]), late=str(years[1]),
        speaker=f"{rng.choice(pools.NEW_MALE + pools.NEW_FEMALE)} {rng.choice(free)}",
    )  # fmt: skip
    return said(analysis, new, reasoning)


def _two_later_years(analysis: Analysis) -> tuple[int, int] | None:
    """Two years in which sources may have spoken of what the passage tells; None where it tells of the present."""
    told = re.findall(r"\b(?:1[0-9]|20)\d\d\b", f"{analysis.text} {analysis.alternative} {analysis.query}")
    first = max(2018, *map(int, told)) + 1 if told else 2019
    return (first, first + 2) if first + 2 <= 2025 else None


def _reported(analysis: Analysis, rng: random.Random) -> Draft | None:
    return _clash(analysis, rng, say.REPORTED, "One and the same speaker is reported with two answers.")


def _drift(analysis: Analysis, rng: random.Random) -> Draft | None:
    return _clash(analysis, rng, say.DRIFT, "Two equally good sources of different dates give two answers.")


def _dates(analysis: Analysis, rng: random.Random) -> Draft | None:
    return _clash(analysis, rng, say.AUTHORITIES, "Two authorities of one rank give two dates.")


def _places(analysis: Analysis, rng: random.Random) -> Draft | None:
    return _clash(analysis, rng, say.PLACES, "Two sources of equal authority give two places.")


def _modal(analysis: Analysis, rng: random.Random) -> Draft | None:
    return _clash(
        analysis, rng, say.MODAL, "What one source calls certain an equal one calls impossible.", True
    )


def _has_choice(analysis: Analysis) -> bool:
    return not hinted_year(analysis) and (either_of(analysis) is not None or sides(analysis) is not None)


def _choice(
    analysis: Analysis, rng: random.Random, wordings: tuple[str, ...], reasoning: str
) -> Draft | None:
    """A rule that lets one of two claims hold, and both claims in an order that the seed draws."""
    found, told = either_of(analysis), sides(analysis)
    if found is None and told is None:
        return None
    if found is None:
        both = list(told or ())
        rng.shuffle(both)
        return said(analysis, fill(rng, say.EXCLUSIVE_STATEMENTS, one=both[0], two=both[1]), reasoning)
    either, *claimed = found
    rng.shuffle(claimed)
    one, two = claimed
    new = fill(
        rng, wordings, either=either, Either=capitalise(either), one=one, One=capitalise(one), two=two,
        Two=capitalise(two),
    )  # fmt: skip
    return said(analysis, new, reasoning)


def _xor(analysis: Analysis, rng: random.Random) -> Draft | None:
    return _choice(analysis, rng, say.EXCLUSIVE, "Only one of two values may hold, and both are asserted.")


def _exclusion(analysis: Analysis, rng: random.Random) -> Draft | None:
    if either_of(analysis) is None:
        return None
    return _choice(analysis, rng, say.EXCLUSION, "Two statements that rule each other out are both asserted.")


def _self_clash(
    analysis: Analysis, rng: random.Random, wordings: tuple[str, ...], reasoning: str
) -> Draft | None:
    found = claims(analysis)
    if found is None:
        return None
    claim, denial = found[0], denial_of(analysis, found[0])
    condition, failure = rng.choice(say.CONDITIONS)
    new = fill(
        rng, wordings, claim=claim, Claim=capitalise(claim), denial=denial, Denial=capitalise(denial),
        condition=condition, Condition=capitalise(condition), Failure=capitalise(failure),
    )  # fmt: skip
    return said(analysis, new, reasoning)


def _polarity(analysis: Analysis, rng: random.Random) -> Draft | None:
    return _self_clash(
        analysis,
        rng,
        say.POLARITY,
        "The answering statement is affirmed and denied with equal authority.",
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


def _adds_up(analysis: Analysis) -> bool:
    """Whether other numbers of the passage have the answer for their product or sum."""
    found = {int(n.replace(",", "")) for n in re.findall(r"\b\d[\d,]*\b", analysis.text)}
    whole = re.sub(r"\D", "", analysis.answer)
    total = int(whole) if whole else 0
    return any(n > 1 and n < total and (total % n == 0 or total - n in found) for n in found)


def _magnitude(analysis: Analysis, rng: random.Random) -> Draft | None:
    sentence = statement(analysis)
    huge = changed_number(analysis.answer, rng, factor=100)
    rival = substituted(analysis, sentence, huge) if sentence and huge else None
    if sentence is None or rival is None or huge is None or has_word(analysis.text, huge):
        return None
    if len(sentence.text.split()) > LONGEST_SAID or _adds_up(analysis):
        return None
    two = [sentence.text, rival]
    rng.shuffle(two)
    new = fill(rng, say.MAGNITUDE, plain_one=two[0], plain_two=two[1])
    after = following(analysis, sentence)
    if after is not None and leans(after.text):
        return None
    return with_replacement(
        analysis, sentence, new, analysis.instance.query, "The figure asked for is stated twice, a hundredfold apart."
    )  # fmt: skip


RULES: tuple[Rule, ...] = (
    *LOW_RULES,
    Rule("Contradiction in Reported Speech", MEDIUM, "one answer in a short claim or sentence; a value of its type",
         _has_rival, _reported, clash_of_values),
    Rule("Source-Timing Drift", MEDIUM, "as reported speech; the question is not about the present",
         _not_of_the_day, _drift, clash_of_values),
    Rule("Dual-authoritative Dates", MEDIUM, "a date in the one sentence that answers",
         lambda a: a.answer_type in _TIMELY and _has_rival(a), _dates, clash_of_values),
    Rule("Spatial Location Clash", MEDIUM, "a place in the one sentence that answers",
         lambda a: a.answer_type is AnswerType.PLACE and _has_rival(a), _places, clash_of_values),
    Rule("Modal Dilution", MEDIUM, "one answer in a short claim or sentence; a value of its type",
         _has_rival, _modal, clash_of_values),
    Rule("Direct Polarity Reversal on Safety", MEDIUM, "a question that parses to a short claim; one answer",
         _has_claim, _polarity, answer_stands),
    Rule("Order-of-Magnitude Numeric Clash", HIGH, "a number in the one sentence that answers",
         _is_plain_number, _magnitude, query_kept),
    Rule("Exclusive-Or Violation", HIGH, "one answer in a short claim or sentence; a value of its type",
         _has_choice, _xor, clash_of_values),
    Rule("Mutual Exclusion Claim", HIGH, "a question that parses to a short claim; one answer, and a value of its type",
         _has_choice, _exclusion, clash_of_values),
    Rule("Contradictory Universals", HIGH, "a question that parses to a short claim; one answer",
         _has_claim, _universals, answer_stands),
    Rule("Logical Biconditional Break", HIGH, "a question that parses to a short claim; no other value beside it",
         _has_lone_claim, _biconditional, answer_stands),
    Rule("Binary State Flip", HIGH, "a question that parses to a short claim; one answer",
         _has_claim, _flip, answer_stands),
)  # fmt: skip
