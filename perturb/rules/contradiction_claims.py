"""How the P-Contradiction rules say the answer and its rival, and where they say it."""

from __future__ import annotations

import re

from perturb.rules.analyse import Analysis, support
from perturb.rules.doers import is_clean
from perturb.rules.drafts import (
    answer_sentence,
    calm_place,
    following,
    leans,
    restated,
    rival_statement,
    statement,
    with_addition,
    with_replacement,
)
from perturb.rules.questions import inflected
from perturb.rules.rule import Draft
from perturb.rules.sentences import Sentence
from perturb.rules.words import capitalise

LONGEST_SAID = 24
"""Words of the longest claim that a source is made to make."""


LONGEST_QUOTED = 18
"""Words of the longest sentence of a passage that is said twice."""

_YEAR = re.compile(r"\b(?:1[0-9]\d\d|20\d\d)\b")
_UNSAYABLE = re.compile(
    r"\b(?:first time|last time|last year|this year|next|want to [A-Z])\b|"
    r"\b(?:does|is|was|has) the (?:\w+ )?\w+[^s\W]s of\b|\b(?:for|of|in|on|from|to|with|by|at)[ ?]*$",
    re.I,
)
"""Questions whose claim does not read well, or speaks of an unknown day."""


def claims(analysis: Analysis) -> tuple[str, str | None] | None:
    """What the question says with the answer and with the rival in it; None where that is no short, sound claim.

    The second is None where there is no rival.
    """
    question, sentence = analysis.question, answer_sentence(analysis)
    if question is None or question.wh == "which" or sentence is None or not analysis.single_answer:
        return None
    if not is_clean(analysis) or _UNSAYABLE.search(analysis.query) or _names_a_class(analysis, sentence):
        return None
    if _lacks_article(analysis):
        return None
    title = analysis.instance.passages[sentence.passage].title
    if support(analysis.instance.query, f"{title} {analysis.instance.passages[sentence.passage].text}") < 0.6:
        return None
    if re.match(r"(?:at least|around|about|by|nearly|over)\b", analysis.answer, re.I):
        return None
    plain, rival = question.claim(re.sub(r"^The ", "the ", analysis.answer)), analysis.alternative
    if len(plain.split()) > LONGEST_SAID:
        return None
    return plain, None if rival is None else question.claim(rival)


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


def sides(analysis: Analysis) -> tuple[str, str] | None:
    """Two sentences, one with the answer and one with the rival: claims, else the answering sentence said twice."""
    said = claims(analysis)
    if said is not None and said[1] is not None:
        return f"{capitalise(said[0])}.", f"{capitalise(said[1])}."
    sentence = statement(analysis)
    rival = rival_statement(analysis, sentence) if sentence else None
    if sentence is None or rival is None:
        return None
    dated = _YEAR.search(analysis.answer) is not None and len(set(_YEAR.findall(sentence.text))) > 1
    short = len(sentence.text.split()) <= LONGEST_QUOTED and not leans(sentence.text) and not dated
    return (sentence.text, rival) if short else None


def denial_of(analysis: Analysis, claim: str) -> str:
    """The claim denied, as a clause."""
    question = analysis.question
    if question is None:
        return f"it is not the case that {claim}"
    if question.wh == "who":
        answer = re.sub(r"^The ", "the ", analysis.answer)
        present = inflected(question.verb, "VBD") != question.verb and question.verb != "was"
        return f"it {'is' if present else 'was'} not {answer} who {question.after}"
    for verb in ("was", "were", "is", "are"):
        if re.match(rf"{verb}\b", analysis.query.split(" ", 1)[-1]) and claim.count(f" {verb} ") == 1:
            return claim.replace(f" {verb} ", f" {verb} not ")
    base = inflected(question.verb, "VB")
    helper = {"did": "did", "does": "does", "do": "do"}.get(analysis.query.split()[1].lower())
    if base is not None and helper is not None and claim.count(f" {question.verb} ") == 1:
        return claim.replace(f" {question.verb} ", f" {helper} not {base} ")
    return f"it is not true that {claim}"


def said(analysis: Analysis, new: str, reasoning: str, may_add: bool = False) -> Draft | None:
    """A draft with the new words in the place of whatever tells the answer.

    With `may_add` they are set beside it where they cannot take its place.
    """
    query, sentence = analysis.instance.query, statement(analysis)
    if sentence is not None:
        after = following(analysis, sentence)
        if after is None or not leans(after.text):
            return with_replacement(analysis, sentence, new, query, reasoning)
    passages = restated(analysis, new)
    if passages is not None:
        return Draft(query, passages, reasoning)
    home = answer_sentence(analysis)
    place = calm_place(analysis, home) if home is not None and may_add else None
    return None if place is None else with_addition(analysis, place, new, reasoning)
