"""The offline verifiers, which judge finished items by rules, and the check of the answer constraint.

The verifiers share no code with the rules that generate, so that they do not repeat an error of the generating
analysis. Agreement between the two still validates neither. A verifier abstains on an item for which it has no test.
It does not judge a class for which it has no test at all.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from perturb.building.offline.checked_item import (
    NO_OPINION,
    Check,
    CheckedItem,
    RuleVerdict,
    check_target_diff,
    checked_item,
    verdict,
)
from perturb.building.offline.checked_words import (
    DISMISSAL,
    NEGATION,
    content_stems,
    coverage,
    normal,
    overlap,
    stands_in,
    stem,
    words,
)
from perturb.building.offline.contradiction import (
    check_contradiction,
    makes_claim,
    rivals_of,
    stems_of_sentence,
)
from perturb.building.offline.fluency import check_fluency
from perturb.building.offline.leftovers import check_leftovers
from perturb.building.offline.readings import ValueKind, holds_alias, numbers_in, traces_of, values_in
from perturb.errors import ConfigError
from perturb.records import ANSWER_CORRECTLY, BaseInstance, Candidate, PerturbationClass, Target

__all__ = [
    "CHECKS",
    "CHECK_VERSION",
    "CLASSES_JUDGED",
    "Check",
    "CheckedItem",
    "RuleVerdict",
    "judge_by_rule",
]


# The share of the supporting sentence's words that the best remaining sentence with the answer must hold.
_LEAST_SUPPORT = 0.45
# The share of the question's words that the context may lose.
_MOST_LOST = 0.34
# The share of the original question that must be kept.
_LEAST_KEPT = 0.5


def check_answer_state(item: CheckedItem) -> RuleVerdict:
    """Judge `answer_constraint`, and predict the behaviour if the state of the answer decides it.

    There is no opinion if the original holds no accepted answer verbatim, as with long-form answers.
    """
    if not item.reading.aliases:
        return NO_OPINION
    if item.low:
        return _still_answered(item)
    if item.kind is PerturbationClass.MISSING_INFO:
        return _answer_is_gone(item)
    return verdict(item, {"answer_constraint": _answer_vanished(item)})


def _answer_vanished(item: CheckedItem) -> list[str]:
    """One line if the answer vanished from an item of a class whose flaw is not missing information."""
    if item.context_changed and not holds_alias(item.reading, item.text):
        return ["The accepted answer vanished, which is missing information and not this class's flaw."]
    return []


def _still_answered(item: CheckedItem) -> RuleVerdict:
    """The verdict on an item at LOW: a careful reader must still give the accepted answer."""
    objections = _not_derivable(item) + _no_longer_asked(item) + _given_away(item)
    if not objections:
        objections = [
            f"An equally credible rival of the answer was brought in: {rival!r}."
            for rival in rivals_of(item)[:1]
        ]
    return verdict(item, {"answer_constraint": objections}, ANSWER_CORRECTLY if not objections else None)


def _not_derivable(item: CheckedItem) -> list[str]:
    """One line if the changed context no longer gives the answer."""
    if not item.context_changed:
        return []
    if not holds_alias(item.reading, item.text):
        return ["No accepted answer stands in the context any more."]
    if not item.reading.support:
        return []  # the answer spans two sentences, so no single sentence supports it
    stating = [s for s in item.sentences if holds_alias(item.reading, s)]
    support = content_stems(item.reading.support[0])
    best_share = max((coverage(support, content_stems(s)) for s in stating), default=0.0)
    if best_share < _LEAST_SUPPORT:
        return ["The sentence that supported the answer was taken apart."]
    claim = item.reading.claim_stems
    lost_words = (claim & support) - content_stems(item.text)
    if claim and len(lost_words) / len(claim) > _MOST_LOST:
        return ["The context lost words of the question that tie the answer to it."]
    undermined = [s for s in item.added if holds_alias(item.reading, s) and _newly_negated(item, s)]
    if undermined and set(stating) <= set(undermined):
        return [f"The answer is negated or doubted: {undermined[0]!r}."]
    return []


def _newly_negated(item: CheckedItem, sentence: str) -> bool:
    """True if a sentence has a negation or dismissal that no original sentence with the answer had."""
    denials = {
        match.group().lower()
        for match in re.finditer(f"{NEGATION.pattern}|{DISMISSAL.pattern}", sentence, re.I)
    }
    support_words = {word for s in item.reading.support for word in words(s)}
    return any(not set(words(mark)) <= support_words for mark in denials)


# The first question word of a question.
_WH = re.compile(r"\b(who|whom|whose|when|where|why|how|which|what)\b", re.I)
# A question that begins with an auxiliary; not "Is it known who …", which asks for a name.
_YES_NO = re.compile(
    r"^(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|shall|may|might|must)\b(?!.*\b(?:who|when|"
    r"where|which|what|how)\b)",
    re.I,
)
# Question word -> question words that ask for something else. "what" and "which" may ask for anything.
_CLASHES = {
    "who": "when where why how",
    "when": "who where why",
    "where": "who when why",
    "how": "who when where why",
}


def _no_longer_asked(item: CheckedItem) -> list[str]:
    """One line if the changed question asks for something else than the accepted answer."""
    if not item.query_changed:
        return []
    query = item.candidate.query
    if _YES_NO.search(query) and not _YES_NO.search(item.original.query):
        return ["The question became a yes-or-no question, which the accepted answer does not answer."]
    original_word, new_word = _asked_word(item.original.query), _asked_word(query)
    if new_word in _CLASHES.get(original_word, "").split() and not _keeps_question_word(item):
        return [f"The question asked {original_word!r} and now asks {new_word!r}."]
    if _share_kept(item) < _LEAST_KEPT:
        return ["Little of the original question is left."]
    return []


def _share_kept(item: CheckedItem) -> float:
    """Share of the original question that is kept, also if an added sentence explains a new word for a part of it."""
    query_stems = item.reading.query_stems
    explained = frozenset[str]().union(
        *(content_stems(s) for s in item.inserted if item.new_query_stems & content_stems(s))
    )
    return coverage(query_stems, item.query_stems | explained) if query_stems else 1.0


def _keeps_question_word(item: CheckedItem) -> bool:
    """True if the question word of the original is still in the question."""
    return _asked_word(item.original.query) in words(item.candidate.query)


def _asked_word(query: str) -> str:
    """The question word in small letters, all forms of "who" as one; empty if there is none."""
    match = _WH.search(query)
    word = match.group().lower() if match else ""
    return "who" if word in ("whom", "whose") else word


def _given_away(item: CheckedItem) -> list[str]:
    """One line if the changed question holds an accepted answer."""
    if not item.query_changed:
        return []
    aliases = [
        alias
        for alias in item.reading.all_aliases
        if len(alias) > 1
        and stands_in(alias, item.candidate.query)
        and not stands_in(alias, item.original.query)
    ]
    return [f"The question now holds its answer {aliases[0]!r}."] if aliases else []


def _answer_is_gone(item: CheckedItem) -> RuleVerdict:
    """The verdict on missing information at MEDIUM or HIGH: nothing may give the answer or replace it."""
    # Place-holders that the edit put in do not count. Those of the original may be citations, so they stay.
    visible_text = item.shown if _BRACKETED.search(item.reading.text) else _BRACKETED.sub(" ", item.shown)
    traces = traces_of(item.reading, item.candidate.query, visible_text)
    objections = [f"The answer can be recovered from {trace}." for trace in traces[:2]]
    if not objections:
        objections = [
            f"Another value of the same type steps in as an answer: {sentence!r}."
            for sentence in _values_that_step_in(item)[:1]
        ]
    # A reader who can recover the answer would answer.
    predicted = ANSWER_CORRECTLY if objections else item.candidate.expected_behavior
    return verdict(item, {"answer_constraint": objections}, predicted)


def _values_that_step_in(item: CheckedItem) -> list[str]:
    """The sentences that offer a value of the answer's kind together with most of what the question asserts.

    A supporting sentence that was edited to hold a new value counts as well.
    """
    reading = item.reading
    if reading.kind is ValueKind.PHRASE:
        return []
    known_values = values_in(reading.kind, " ".join((item.original.query, *reading.support)))
    # "how many" questions have their own test below, since their sentences hold many other numbers.
    countable = not (reading.kind is ValueKind.NUMBER and _HOW_MANY.search(item.original.query))
    rivals = []
    for sentence in item.sentences:
        values = values_in(reading.kind, _BRACKETED.sub(" ", sentence)) - known_values - reading.alias_values
        if reading.kind is ValueKind.NAME:
            values = _names_apart(values, item, sentence)
        if reading.kind is ValueKind.NUMBER:
            values = frozenset(v for v in values if float(v) > _EVERYDAY_NUMBER)
        new_values = values - values_in(reading.kind, reading.text)
        is_edited = sentence in item.added and any(overlap(sentence, s) >= _HALF for s in reading.support)
        makes_the_claim = countable and makes_claim(item, sentence, _LEAST_CLAIM[reading.kind])
        if (new_values and is_edited) or (values and makes_the_claim):
            rivals.append(sentence)
    return rivals or _counted(item)


# The end of the text before a place: "in ", "near the "
_PLACED = re.compile(r"\b(?:in|at|near|from|on|outside|to) (?:the )?$")


def _names_apart(values: frozenset[str], item: CheckedItem, sentence: str) -> frozenset[str]:
    """Names of two words or more that share no word with the question; for a where-question, places only."""
    query_words = frozenset(words(item.original.query))
    unrelated = (name for name in values if " " in name and not frozenset(words(name)) & query_words)
    if "where" not in query_words:
        return frozenset(unrelated)
    places = set()
    for name in unrelated:
        *texts_before, _ = normal(sentence).split(name)
        # Twenty characters hold the longest preposition with its article.
        if any(_PLACED.search(before[-20:]) for before in texts_before):
            places.add(name)
    return frozenset(places)


# Numbers up to this are in most texts: days, months, parts, places in a list.
_EVERYDAY_NUMBER = 12
# Share of a sentence or claim that an edited or counting sentence must hold to be about it.
_HALF = 0.5
# Share of the question's content that a sentence must cover for its value to be taken for the answer.
_LEAST_CLAIM = {ValueKind.DATE: 0.75, ValueKind.NUMBER: 0.9, ValueKind.NAME: 0.75}
# A place-holder, or a reference to another work.
_BRACKETED = re.compile(r"\[[^\]]*\]|\([^()]*\b(?:see|cf|pp?)\b[^()]*\)")


# "how many", a word that may describe the counted things, and their noun (group 1): "how many gold medals"
_HOW_MANY = re.compile(r"\bhow many (?:\w+ )?(\w+)", re.I)


def _counted(item: CheckedItem) -> list[str]:
    """The sentences with a number at most three words before the thing that a how-many question asks about."""
    question = _HOW_MANY.search(item.original.query)
    if question is None:
        return []
    nouns = content_stems(question.group())
    query_numbers = numbers_in(item.original.query)
    counting = []
    for sentence in item.sentences:
        sentence_words = words(_BRACKETED.sub(" ", sentence))
        after_numbers = (
            sentence_words[i + 1 : i + 4]
            for i, word in enumerate(sentence_words)
            if numbers_in(word) - query_numbers
        )
        if any(stem(word) in nouns for following in after_numbers for word in following):
            counting.append(sentence)
    return [s for s in counting if coverage(item.reading.claim_stems, stems_of_sentence(item, s)) >= _HALF]


CHECK_VERSION = "9e601c323445c3b8"
"""Enters the id of every vote by a rule. Change it whenever a check decides differently."""

CHECKS: Mapping[str, Check] = {
    "target-diff": check_target_diff,
    "answer-state": check_answer_state,
    "contradiction": check_contradiction,
    "leftovers": check_leftovers,
    "fluency": check_fluency,
}
"""Name -> verifier, in the order in which the verifiers are asked."""

CLASSES_JUDGED: Mapping[str, frozenset[PerturbationClass]] = {
    "contradiction": frozenset(
        {PerturbationClass.CONTRADICTION, PerturbationClass.GRANULARITY, PerturbationClass.EPISTEMIC}
    ),
}
"""Name -> the classes that a verifier judges. A verifier that is not listed judges all classes."""


def judge_by_rule(
    check: str, original: BaseInstance, candidate: Candidate, target: frozenset[Target]
) -> RuleVerdict:
    """Ask the verifier called `check` about one item.

    `target` holds the parts that the item's class may change. No verifier has an opinion on texts that are too long or
    not prose, see `perturb.text.matching`. Raises `ConfigError` if there is no such verifier.
    """
    if check not in CHECKS:
        names = ", ".join(CHECKS)
        raise ConfigError(f"there is no rule verifier '{check}': choose one of {names}")
    item = checked_item(original, candidate, target)
    return NO_OPINION if item.beyond_reading else CHECKS[check](item)
