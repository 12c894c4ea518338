"""Rules of P-Contradiction at HIGH: logic or scale breaks on the very point that is asked."""

from __future__ import annotations

import random
import re

from perturb.records import Cell, Intensity, PerturbationClass
from perturb.rules import contradiction_high_words as say
from perturb.rules.ambiguity_rivals import hinted_year
from perturb.rules.analyse import Analysis, support
from perturb.rules.answer_leakage import substitute_left
from perturb.rules.answers import AnswerType
from perturb.rules.contradiction_claims import (
    LONGEST_SAID,
    adds_up,
    claims,
    denial_for,
    either_of,
    has_claim,
    known_text,
    needs_denial,
    said,
    sides,
    values_of,
    voices,
)
from perturb.rules.contradiction_sources import equals
from perturb.rules.drafts import (
    answer_stands,
    clash_of_values,
    fill,
    following,
    leans,
    query_kept,
    statement,
    substituted,
    with_replacement,
)
from perturb.rules.question_parsing import inflected
from perturb.rules.rule import Draft, Rule
from perturb.rules.values import changed_number
from perturb.rules.words import capitalise, has_word

HIGH = Cell(PerturbationClass.CONTRADICTION, Intensity.HIGH)

_STATES = ("says", "states", "reports", "maintains", "asserts")


def _has_lone_claim(analysis: Analysis) -> bool:
    """Whether nothing that stays could be taken for the answer once its claim has fallen."""
    stays = (s.text for i, s in enumerate(analysis.sentences) if i not in analysis.answer_sentences)
    free = all(
        substitute_left(analysis, text) is None or support(analysis.query, text) < 0.3 for text in stays
    )
    return free and has_claim(analysis)


def _has_choice(analysis: Analysis) -> bool:
    return not hinted_year(analysis) and (either_of(analysis) is not None or sides(analysis) is not None)


def _xor(analysis: Analysis, rng: random.Random) -> Draft | None:
    found, told = either_of(analysis), sides(analysis)

    def tell() -> str | None:
        if found is not None:
            either, *claimed = found
            rule = fill(rng, say.EITHER, either=either, Either=capitalise(either))
            return f"{rule} {_together(rng, claimed)}"
        if told is None:
            return None
        one, two = rng.sample(told.sentences, 2)
        x, y = sorted(
            re.sub("^(?:In|On|At|The) ", lambda m: m[0].lower(), v)
            for v in (analysis.answer, analysis.alternative or "")
        )
        rule = fill(rng, say.ONE_OF, x=x, y=y)
        return f"{rule} {one} {two} {rng.choice(say.BOTH_HOLD)}"

    return said(analysis, tell, "Only one of two values may hold, and both are asserted.")


def _together(rng: random.Random, claimed: list[str]) -> str:
    """Two claims asserted side by side, in an order that the seed draws."""
    one, two = rng.sample(claimed, 2)
    return fill(rng, say.TOGETHER, one=one, One=capitalise(one), two=two, Two=capitalise(two))


def _property(analysis: Analysis) -> tuple[str, str] | None:
    """What sort of rule keeps the two values apart, and the participle of the deed that is asked for."""
    question = analysis.question
    if question is None or either_of(analysis) is None:
        return None
    if question.gap == "date" and re.match(r"when (?:did|was|were) ", analysis.query, re.IGNORECASE):
        return "event", ""
    if question.gap == "number":
        return "number", ""
    if question.gap == "place" and not question.after:
        return "place", ""
    done = inflected(question.verb, "VBN")
    if question.wh != "who" or question.verb in ("is", "was") or done is None:
        return None
    if not re.match(r"\w+ (?:the |an? |his |her |their |[A-Z])", question.after):
        return None
    return ("part" if done in ("played", "portrayed", "voiced") else "deed"), done


def _exclusion(analysis: Analysis, rng: random.Random) -> Draft | None:
    found, values, sort = either_of(analysis), values_of(analysis), _property(analysis)
    if found is None or values is None or sort is None:
        return None

    def tell() -> str:
        first, second = rng.sample(values, 2)
        rule = fill(rng, say.PROPERTIES[sort[0]], first=first, second=second, done=sort[1])
        return f"{rule} {_together(rng, list(found[1:]))}"

    return said(analysis, tell, "What a general rule keeps apart is asserted together.")


def _self_clash(
    analysis: Analysis, rng: random.Random, wordings: tuple[str, ...], reasoning: str, **words: str
) -> Draft | None:
    """The claim and its denial, or what becomes of the claim under a rule, in the place of all that answers."""
    found = claims(analysis)
    if found is None:
        return None
    claim, denial = found[0], denial_for(analysis, found[0], rng)
    if needs_denial(analysis):
        wordings = tuple(w for w in wordings if "enial}" in w)
    return said(
        analysis,
        lambda: fill(
            rng, wordings, claim=claim, Claim=capitalise(claim), denial=denial, Denial=capitalise(denial), **words
        ),
        reasoning,
    )  # fmt: skip


def _universals(analysis: Analysis, rng: random.Random) -> Draft | None:
    return _self_clash(
        analysis, rng, say.EVERY, "All are said to make the statement, and none.",
        thing=rng.choice(say.THINGS), v=rng.choice(_STATES),
    )  # fmt: skip


def _flip(analysis: Analysis, rng: random.Random) -> Draft | None:
    return _self_clash(
        analysis, rng, say.FLIPS, "The answering statement is put in two states that exclude each other."
    )


def _biconditional(analysis: Analysis, rng: random.Random) -> Draft | None:
    pair = equals(rng, known_text(analysis))
    condition, failure = (part.format(**voices(pair)) for part in rng.choice(say.CONDITIONS))
    return _self_clash(
        analysis, rng, say.ONLY_IF, "The answer holds only under a condition that is said to fail.",
        condition=condition, Condition=capitalise(condition), failure=failure, Failure=capitalise(failure),
    )  # fmt: skip


def _is_plain_number(analysis: Analysis) -> bool:
    """Whether a number answers, and nothing in the passages ranks what has it."""
    ranked = re.search(r"\b(?:[a-z]{3,}est|(?:most|least) populous|second-\w+)\b", analysis.text)
    return analysis.answer_type is AnswerType.NUMBER and statement(analysis) is not None and ranked is None


def _magnitude(analysis: Analysis, rng: random.Random) -> Draft | None:
    sentence = statement(analysis)
    huge = changed_number(analysis.answer, rng, factor=100)
    rival = substituted(analysis, sentence, huge) if sentence and huge else None
    if sentence is None or rival is None or huge is None or has_word(analysis.text, huge):
        return None
    if len(sentence.text.split()) > LONGEST_SAID or adds_up(analysis):
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


HIGH_RULES: tuple[Rule, ...] = (
    Rule("Order-of-Magnitude Numeric Clash", HIGH, "a number in the one sentence that answers",
         _is_plain_number, _magnitude, query_kept),
    Rule("Exclusive-Or Violation", HIGH, "one answer in a short claim or sentence; a value of its type",
         _has_choice, _xor, clash_of_values),
    Rule("Mutual Exclusion Claim", HIGH, "a claim about a past date, a place, a number or a doer; a rival",
         lambda a: _has_choice(a) and _property(a) is not None, _exclusion, clash_of_values),
    Rule("Contradictory Universals", HIGH, "a question that parses to a short claim; one answer",
         has_claim, _universals, answer_stands),
    Rule("Logical Biconditional Break", HIGH, "a question that parses to a short claim; no other value beside it",
         _has_lone_claim, _biconditional, answer_stands),
    Rule("Binary State Flip", HIGH, "a question that parses to a short claim; one answer",
         has_claim, _flip, answer_stands),
)  # fmt: skip
"""The rules of the cell."""
