"""How the P-Contradiction rules say the answer and its rival, and where they say it."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import NamedTuple

from perturb.rules.ambiguity_rivals import hinted_year
from perturb.rules.analyse import Analysis, support
from perturb.rules.answer_person import is_clean, like_a_search
from perturb.rules.answers import AnswerType
from perturb.rules.contradiction_sources import Equals
from perturb.rules.drafts import (
    answer_sentence,
    leans,
    restated,
    rival_statement,
    statement,
)
from perturb.rules.question_parsing import inflected
from perturb.rules.rule import Draft
from perturb.rules.sentences import Sentence
from perturb.rules.words import capitalise, has_word

LONGEST_SAID = 24
"""Words of the longest claim that a source is made to make."""


LONGEST_QUOTED = 22
"""Words of the longest sentence of a passage that is said twice."""

_YEAR = re.compile(r"\b(?:1[0-9]\d\d|20\d\d)\b")
_SUNG = re.compile(r"who (?:sings|sang|sung)\b", re.IGNORECASE)
_UNSAYABLE = re.compile(
    r"\b(?:and in what|come from in|first time|last time|last year|this year|next|want to [A-Z])\b|"
    r"\b(?:does|is|was|has) the (?:\w+ )?\w+[^s\W]s of\b|\b(?:for|of|in|on|from|to|with|by|at)[ ?]*$",
    re.I,
)
"""Questions whose claim does not read well, or speaks of an unknown day."""


def claims(analysis: Analysis) -> tuple[str, str | None] | None:
    """What the question says with the answer and with the rival in it; None where that is no short, sound claim.

    The second is None where there is no rival.
    """
    question, sentence = analysis.question, answer_sentence(analysis)
    if question is None or question.wh == "which" or sentence is None or _is_list(analysis):
        return None
    if not is_clean(analysis) or _UNSAYABLE.search(analysis.query) or _names_a_class(analysis, sentence):
        return None
    if _lacks_article(analysis) or _reads_badly(analysis):
        return None
    title = analysis.instance.passages[sentence.passage].title
    if (
        support(analysis.instance.query, f"{title} {analysis.instance.passages[sentence.passage].text}")
        <= 0.5
    ):
        return None
    if re.match(r"(?:at least|around|about|by|nearly|over)\b", analysis.answer, re.I):
        return None
    plain, rival = question.claim(re.sub(r"^The ", "the ", analysis.answer)), analysis.alternative
    if len(plain.split()) > LONGEST_SAID:
        return None
    return plain, None if rival is None else question.claim(rival)


def _reads_badly(analysis: Analysis) -> bool:
    """Whether the claim would carry the question's shorthand, or a place with the wrong preposition."""
    question = analysis.question
    if question is None or like_a_search(analysis):
        return True
    if question.verb == "is" and re.search(r"\bin (?:19|20)\d\d$", analysis.answer):
        return True
    if question.gap != "place":
        return False
    bare = re.sub(r"^(?:in|at|on) ", "", analysis.answer, flags=re.IGNORECASE)
    said = re.search(rf"\bin {re.escape(bare)}", analysis.text) is not None
    return not question.before.endswith(question.verb) or not said


def _is_list(analysis: Analysis) -> bool:
    """Whether several answers are accepted that may hold together, so that a rival need not clash with the first."""
    question = analysis.question
    if analysis.single_answer or question is None:
        return False
    both = re.match(r"who play(?:s|ed)? (?:in|at)\b", analysis.query)
    return both is not None or question.gap not in ("subject", "date")


def _lacks_article(analysis: Analysis) -> bool:
    """Whether a when- or where-question speaks of something by a title set before a noun: "did Jaws shoot begin"."""
    topic, question = analysis.topic, analysis.question
    if topic is None or question is None or not re.search(r"\b(?:did|does) $", analysis.query[: topic.start]):
        return False
    following = analysis.query[topic.end :].split()
    return len(following) > 1 and following[0] != inflected(question.verb, "VB") and following[0].islower()


def _names_a_class(analysis: Analysis, sentence: Sentence) -> bool:
    """Whether a name is asked for and the answer only says what sort of thing it is: "a polyatomic ion"."""
    asked = re.match(r"what\b.*\b(?:name|term|word|called)\b", analysis.query, re.IGNORECASE)
    sort = rf"\b(?:is|are|was|were) an? (?:\w+ )?{re.escape(analysis.answer)}"
    kind = analysis.answer.islower() and len(re.sub(r"^(?:the|an?) ", "", analysis.answer).split()) == 2
    return asked is not None and (kind or re.search(sort, sentence.text, re.IGNORECASE) is not None)


def _only(analysis: Analysis, claim: str) -> str:
    """The claim about a singer as one that leaves no room for a second: "Neil Young alone sings Harvest"."""
    return (
        re.sub(r" (sings|sang|sung) ", r" alone \1 ", claim, count=1)
        if _SUNG.match(analysis.query)
        else claim
    )


class Sides(NamedTuple):
    """The answer's statement and its rival's, in this order."""

    sentences: tuple[str, str]
    clauses: tuple[str, str] | None
    """The same without capital and full stop; None where the statements are sentences of the passage."""


def sides(analysis: Analysis) -> Sides | None:
    """Two statements, one with the answer and one with the rival: claims, else the answering sentence said twice."""
    told = claims(analysis)
    if told is not None and told[1] is not None:
        one, two = _only(analysis, told[0]), _only(analysis, told[1])
        return Sides((f"{capitalise(one)}.", f"{capitalise(two)}."), (one, two))
    if re.match(r"(?:by|until|since|around|about)\b", analysis.answer, re.IGNORECASE):
        return None
    sentence = statement(analysis)
    rival = rival_statement(analysis, sentence) if sentence else None
    if sentence is None or rival is None or (_counts(analysis) and _SHARED_OUT.search(sentence.text)):
        return None
    dated = _YEAR.search(analysis.answer) is not None and len(set(_YEAR.findall(sentence.text))) > 1
    short = len(sentence.text.split()) <= LONGEST_QUOTED and not leans(sentence.text) and not dated
    return Sides((sentence.text, rival), None) if short else None


_SHARED_OUT = re.compile(r"\b(?:each|every|per)\b", re.IGNORECASE)
"""A sentence that tells how a number is made up of others."""


def _counts(analysis: Analysis) -> bool:
    return analysis.answer_type is AnswerType.NUMBER


def has_rival(analysis: Analysis) -> bool:
    """Whether there are two statements to set against each other, and no date beside them tells which is right."""
    return sides(analysis) is not None and not hinted_year(analysis)


def has_claim(analysis: Analysis) -> bool:
    """Whether the question makes a claim with its answer."""
    return claims(analysis) is not None


def adds_up(analysis: Analysis) -> bool:
    """Whether other numbers of the passage have the answer for their product or sum."""
    found = {int(n.replace(",", "")) for n in re.findall(r"\b\d[\d,]*\b", analysis.text)}
    whole = re.sub(r"\D", "", analysis.answer)
    total = int(whole) if whole else 0
    return any(n > 1 and n < total and (total % n == 0 or total - n in found) for n in found)


def known_text(analysis: Analysis) -> str:
    """All that an instance names, and the rival of its answer."""
    return f"{analysis.query} {analysis.text} {analysis.answer} {analysis.alternative or ''}"


def voices(pair: Equals) -> dict[str, str]:
    """The gaps of two sources, filled."""
    return {
        "a": pair.a, "b": pair.b, "A": capitalise(pair.a), "B": capitalise(pair.b), "v": pair.verb, "p": pair.past,
    }  # fmt: skip


def denied_value(analysis: Analysis) -> str:
    """The answer in the shortest form that is accepted, which a denial must cover: the year of a date."""
    people = analysis.answer_type is AnswerType.PERSON
    within = {
        alias
        for cluster in analysis.clusters
        for alias in cluster.aliases
        if has_word(analysis.answer, alias) and not (people and " " not in alias)
    }
    value = min((*within, analysis.answer), key=lambda form: (len(form), form))
    return re.sub(r"^The ", "the ", analysis.answer if _same(value, analysis.answer) else value)


def _same(one: str, two: str) -> bool:
    """Whether two forms differ in nothing but an article or a preposition at their head."""
    bare = [re.sub(r"^(?:(?:in|on|at|the|an?) )+", "", form, flags=re.IGNORECASE) for form in (one, two)]
    return bare[0] == bare[1]


def needs_denial(analysis: Analysis) -> bool:
    """Whether the denial of the very claim would leave a shorter accepted answer standing."""
    return not _same(denied_value(analysis), analysis.answer)


def denial_for(analysis: Analysis, claim: str, rng: random.Random) -> str:
    """The claim denied: by a cleft sentence, or in half of the cases where that is as clear by a plain one."""
    question = analysis.question
    if (
        question is not None
        and question.wh == "who"
        and " and " not in analysis.answer
        and rng.random() < 0.5
    ):
        doer = denied_value(analysis)
        if question.verb in ("is", "was"):
            return f"{doer} {question.verb} not{question.after.removeprefix(question.verb)}"
        if inflected(question.verb, "VBD") == question.verb:
            return f"{doer} never {question.after}"
    return denial_of(analysis, claim)


def denial_of(analysis: Analysis, claim: str) -> str:
    """The claim denied, as a clause that denies the answer and nothing else."""
    question = analysis.question
    if question is None:
        return f"it is not the case that {claim}"
    answer = denied_value(analysis)
    claim = question.claim(answer) if needs_denial(analysis) else claim
    if question.wh == "who":
        pair = analysis.answer.split(" and ")
        if len(pair) == 2 and needs_denial(analysis):
            return f"neither {pair[0]} nor {pair[1]} {question.after}"
        present = inflected(question.verb, "VBD") != question.verb and question.verb != "was"
        return f"it {'is' if present else 'was'} not {answer} who {question.after}"
    if question.gap in ("date", "place") and not question.after:
        past = re.match(r"\w+ (?:did|was|were)\b", analysis.query) is not None
        when = question.with_preposition(answer)
        return f"it {'was' if past else 'is'} not {when[0].lower()}{when[1:]} that {question.before}"
    for verb in ("was", "were", "is", "are"):
        if re.match(rf"{verb}\b", analysis.query.split(" ", 1)[-1]) and claim.count(f" {verb} ") == 1:
            return claim.replace(f" {verb} ", f" {verb} not ")
    return f"it is not true that {claim}"


def either_of(analysis: Analysis) -> tuple[str, str, str] | None:
    """The rule that one of two values holds, and the claims of each, as clauses in an order of no meaning.

    None where the question makes no sound claim or there is no rival.
    """
    question, told = analysis.question, claims(analysis)
    if question is None or told is None or told[1] is None or analysis.alternative is None:
        return None
    if re.search(r"\ban? (?:\w+ )?$", question.before):
        return None
    values = values_of(analysis)
    if values is None:
        return None
    first, second = sorted(values)
    rule = re.sub(r"\s+", " ", f"{question.before} either {first} or {second} {question.after}").strip()
    return rule, told[0], told[1]


def values_of(analysis: Analysis) -> tuple[str, str] | None:
    """The answer and its rival as the claim of the question has them: "in 1901", "in 1904"."""
    question = analysis.question
    if question is None or analysis.alternative is None:
        return None
    one, two = (
        re.sub(
            r"^(?:In|On|At) ",
            lambda m: m.group().lower(),
            question.with_preposition(re.sub(r"^The ", "the ", v)),
        )
        for v in (analysis.answer, analysis.alternative)
    )
    return one, two


def said(analysis: Analysis, tell: Callable[[], str | None], reasoning: str) -> Draft | None:
    """A draft with new words in the place of whatever tells the answer.

    Where a short wording leaves too little of the text, other wordings are tried.
    """
    least = 0.46 * sum(len(p.text.split()) for p in analysis.instance.passages)
    for _ in range(_TRIES):
        new = tell()
        passages = None if new is None else restated(analysis, new)
        if passages is None:
            return None
        if any(_FORETOLD.search(p.text) and p not in analysis.instance.passages for p in passages):
            return None
        if sum(len(p.text.split()) for p in passages) >= least:
            return Draft(analysis.instance.query, passages, reasoning)
    return None


_TRIES = 12
_FORETOLD = re.compile(
    r"(?<=[.”] )The (?:movie|film|sequel|series|show|album|game) (?:will|would|is set to)\b"
)
"""A sentence about a coming work that another sentence, which may be gone, has named."""
