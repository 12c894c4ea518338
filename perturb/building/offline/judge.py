"""The offline verifiers, which judge finished items by rules, and the check of the answer constraint.

The verifiers share no code with the rules that generate, so that they do not repeat an error of the generating
analysis. Agreement between the two still validates neither. A verifier abstains on an item for which it has no test.
It does not judge a class for which it has no test at all.

Functions named `_judge_…` return a verdict. Functions named `_object_if_…` return objections: at most one line on what
is wrong. The *support* are the sentences of the original that hold an accepted answer, and an *alias* is an accepted
answer that a passage holds. The *claim* is what the question says about the answer, see `readings`.
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

# The next constants are shares of content words.

# Of the words of the supporting sentence, so many must stand in the best remaining sentence with the answer.
_LEAST_SUPPORT = 0.45
# Of the words of the claim, the context may lose so many.
_MOST_LOST = 0.34
# Of the original question, so much must be kept.
_LEAST_KEPT = 0.5
# A sentence that holds so much of the claim, or of a supporting sentence, is about it.
_HALF = 0.5
# If a sentence holds so much of the claim, a reader may take its value for the answer.
_LEAST_CLAIM = {ValueKind.DATE: 0.75, ValueKind.NUMBER: 0.9, ValueKind.NAME: 0.75}

# Numbers up to this are in most texts: days, months, parts, places in a list.
_EVERYDAY_NUMBER = 12

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
    "who": ("when", "where", "why", "how"),
    "when": ("who", "where", "why"),
    "where": ("who", "when", "why"),
    "how": ("who", "when", "where", "why"),
}
# The end of the text before a place: "in ", "near the "
_PLACED = re.compile(r"\b(?:in|at|near|from|on|outside|to) (?:the )?$")
_DENIAL = re.compile(f"{NEGATION.pattern}|{DISMISSAL.pattern}", re.I)
# A place-holder, or a reference to another work.
_BRACKETED = re.compile(r"\[[^\]]*\]|\([^()]*\b(?:see|cf|pp?)\b[^()]*\)")
# "how many", a word that may describe the counted things, and their noun: "how many gold medals"
_HOW_MANY = re.compile(r"\bhow many (?:\w+ )?\w+", re.I)


def check_answer_state(item: CheckedItem) -> RuleVerdict:
    """Judge `answer_constraint`, and predict the behaviour if the state of the answer decides it.

    There is no opinion if the original holds no accepted answer verbatim, as with long-form answers.
    """
    if not item.reading.aliases:
        return NO_OPINION
    if item.low:
        return _judge_low(item)
    if item.kind is PerturbationClass.MISSING_INFO:
        return _judge_missing_info(item)
    objections = []
    if item.context_changed and not holds_alias(item.reading, item.text):
        objections = ["The accepted answer vanished, which is missing information and not this class's flaw."]
    return verdict(item, {"answer_constraint": objections})


def _judge_low(item: CheckedItem) -> RuleVerdict:
    """The verdict on an item at LOW: a careful reader must still give the accepted answer."""
    objections = _object_if_not_derivable(item) + _object_if_not_asked(item) + _object_if_given_away(item)
    rivals = [] if objections else rivals_of(item)
    if rivals:
        objections = [f"An equally credible rival of the answer was brought in: {rivals[0]!r}."]
    return verdict(item, {"answer_constraint": objections}, None if objections else ANSWER_CORRECTLY)


def _object_if_not_derivable(item: CheckedItem) -> list[str]:
    """One line if the changed context no longer gives the answer."""
    reading = item.reading
    if not item.context_changed:
        return []
    if not holds_alias(reading, item.text):
        return ["No accepted answer stands in the context any more."]
    if not reading.support:
        return []  # the answer spans two sentences, so no single sentence supports it
    answer_sentences = [sentence for sentence in item.sentences if holds_alias(reading, sentence)]
    support_stems = content_stems(reading.support[0])
    shares = (coverage(support_stems, content_stems(sentence)) for sentence in answer_sentences)
    if max(shares, default=0.0) < _LEAST_SUPPORT:
        return ["The sentence that supported the answer was taken apart."]
    lost_stems = support_stems - content_stems(item.text)
    if coverage(reading.claim_stems, lost_stems) > _MOST_LOST:
        return ["The context lost words of the question that tie the answer to it."]
    # A sentence that still states the answer plainly would settle it.
    if answer_sentences and all(_is_newly_negated(item, s) for s in answer_sentences):
        return [f"The answer is negated or doubted: {answer_sentences[0]!r}."]
    return []


def _is_newly_negated(item: CheckedItem, sentence: str) -> bool:
    """True if an added sentence has a negation or dismissal with a word that no supporting sentence has."""
    support_words = {word for supporting in item.reading.support for word in words(supporting)}
    denials = [match.group() for match in _DENIAL.finditer(sentence)]
    is_new = any(not support_words.issuperset(words(denial)) for denial in denials)
    return is_new and sentence in item.added


def _object_if_not_asked(item: CheckedItem) -> list[str]:
    """One line if the changed question asks for something else than the accepted answer."""
    if not item.query_changed:
        return []
    original, query = item.original.query, item.candidate.query
    if _YES_NO.search(query) and not _YES_NO.search(original):
        return ["The question became a yes-or-no question, which the accepted answer does not answer."]
    old_word, new_word = _question_word(original), _question_word(query)
    keeps_old_word = old_word in words(query)
    if new_word in _CLASHES.get(old_word, ()) and not keeps_old_word:
        return [f"The question asked {old_word!r} and now asks {new_word!r}."]
    if _share_kept(item) < _LEAST_KEPT:
        return ["Little of the original question is left."]
    return []


def _share_kept(item: CheckedItem) -> float:
    """Share of the original question that is kept, 0 to 1.

    A new word may stand for a part of the question. If an inserted sentence has the new word, all words of the sentence
    count as kept.
    """
    old_stems, kept = item.reading.query_stems, item.query_stems
    new_stems = item.query_stems - old_stems
    for sentence in item.inserted:
        if new_stems & content_stems(sentence):
            kept |= content_stems(sentence)
    return coverage(old_stems, kept) if old_stems else 1.0


def _question_word(query: str) -> str:
    """The question word in small letters, all forms of "who" as one; empty if there is none."""
    match = _WH.search(query)
    word = match.group().lower() if match else ""
    return "who" if word in ("whom", "whose") else word


def _object_if_given_away(item: CheckedItem) -> list[str]:
    """One line if the changed question holds an accepted answer."""
    if not item.query_changed:
        return []
    for alias in item.reading.all_aliases:
        is_new = stands_in(alias, item.candidate.query) and not stands_in(alias, item.original.query)
        # An answer of one letter would be found in most questions.
        if is_new and len(alias) > 1:
            return [f"The question now holds its answer {alias!r}."]
    return []


def _judge_missing_info(item: CheckedItem) -> RuleVerdict:
    """The verdict on missing information at MEDIUM or HIGH: nothing may give the answer or replace it."""
    # Place-holders that the edit put in do not count. Those of the original may be citations, so they stay.
    visible_text = item.shown if _BRACKETED.search(item.reading.text) else _BRACKETED.sub(" ", item.shown)
    traces = traces_of(item.reading, item.candidate.query, visible_text)
    objections = [f"The answer can be recovered from {trace}." for trace in traces[:2]]
    # Sentences that count are a second test, for questions with "how many" only.
    rivals = [] if traces else _sentences_with_rival(item) or _sentences_that_count(item)
    if rivals:
        objections = [f"Another value of the same type steps in as an answer: {rivals[0]!r}."]
    # A reader who can recover the answer would answer.
    predicted = ANSWER_CORRECTLY if objections else item.candidate.expected_behavior
    return verdict(item, {"answer_constraint": objections}, predicted)


def _sentences_with_rival(item: CheckedItem) -> list[str]:
    """The sentences that offer a value of the answer's kind together with most of what the question asserts.

    A supporting sentence that was edited to hold a new value counts as well.
    """
    reading = item.reading
    if reading.kind is ValueKind.PHRASE:
        return []
    known_values = values_in(reading.kind, " ".join((item.original.query, *reading.support)))
    original_values = values_in(reading.kind, reading.text)
    asks_how_many = reading.kind is ValueKind.NUMBER and _HOW_MANY.search(item.original.query)
    rivals = []
    for sentence in item.sentences:
        values = _rival_values(item, sentence) - known_values
        is_edited = sentence in item.added and any(overlap(sentence, s) >= _HALF for s in reading.support)
        has_new_value = is_edited and bool(values - original_values)
        # Sentences about "how many" hold many other numbers. `_sentences_that_count` judges them.
        makes_the_claim = not asks_how_many and makes_claim(item, sentence, _LEAST_CLAIM[reading.kind])
        if has_new_value or (values and makes_the_claim):
            rivals.append(sentence)
    return rivals


def _rival_values(item: CheckedItem, sentence: str) -> frozenset[str]:
    """The values of the answer's kind in a sentence that a reader may take for another answer."""
    kind = item.reading.kind
    values = values_in(kind, _BRACKETED.sub(" ", sentence)) - item.reading.alias_values
    if kind is ValueKind.NAME:
        return _names_apart(values, item, sentence)
    if kind is ValueKind.NUMBER:
        return frozenset(value for value in values if float(value) > _EVERYDAY_NUMBER)
    return values


def _names_apart(names: frozenset[str], item: CheckedItem, sentence: str) -> frozenset[str]:
    """Names of two words or more that share no word with the question; for a where-question, places only."""
    query_words = frozenset(words(item.original.query))
    unrelated = frozenset(name for name in names if " " in name and query_words.isdisjoint(words(name)))
    if "where" not in query_words:
        return unrelated
    return frozenset(name for name in unrelated if _stands_as_place(name, normal(sentence)))


def _stands_as_place(name: str, sentence: str) -> bool:
    """True if a preposition of place stands before the name somewhere in a sentence."""
    *texts_before, _ = sentence.split(name)
    # Twenty characters hold the longest preposition with its article.
    return any(_PLACED.search(before[-20:]) for before in texts_before)


def _sentences_that_count(item: CheckedItem) -> list[str]:
    """The sentences with a number at most three words before the thing that a how-many question asks about."""
    question = _HOW_MANY.search(item.original.query)
    if question is None or item.reading.kind is ValueKind.PHRASE:
        return []
    noun_stems = content_stems(question.group())
    query_numbers = numbers_in(item.original.query)
    counting = []
    for sentence in item.sentences:
        is_about_claim = coverage(item.reading.claim_stems, stems_of_sentence(item, sentence)) >= _HALF
        sentence_words = words(_BRACKETED.sub(" ", sentence))
        for index, word in enumerate(sentence_words):
            next_stems = {stem(next_word) for next_word in sentence_words[index + 1 : index + 4]}
            if is_about_claim and next_stems & noun_stems and numbers_in(word) - query_numbers:
                counting.append(sentence)
                break
    return counting


CHECK_VERSION = "9e601c323445c3b8"
"""Enters the id of every vote by a rule. Any other text will do: change it whenever a check decides differently."""

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
        raise ConfigError(f"there is no rule verifier '{check}': choose one of {', '.join(CHECKS)}")
    item = checked_item(original, candidate, target)
    return NO_OPINION if item.beyond_reading else CHECKS[check](item)
