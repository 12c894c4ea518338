"""Rivals of the answer: fresh statements that offer another value for what the question asks."""

from __future__ import annotations

import re

from perturb.records import PerturbationClass
from perturb.rules.checks.checked_item import CheckedItem
from perturb.rules.checks.cues import DISMISSAL, HIGH_CREDIBILITY, LOW_CREDIBILITY, NEGATION
from perturb.rules.checks.readings import holds_alias
from perturb.rules.checks.texts import content_stems, coverage, normal, stem, words
from perturb.rules.checks.values import ValueKind, numbers_in, values_in


def rivals_of(item: CheckedItem, *, credible_only: bool = True) -> list[str]:
    """Added sentences that offer a value of the answer's kind, other than the answer, for the question's claim.

    A sentence counts if it covers most of what the question asserts, or of what the supporting sentence says.
    With `credible_only`, statements that carry a cue against themselves are left out, and so are rounded numbers.
    """
    return [
        s
        for s in item.added
        if rival_values(item, _EPITHET.sub(" ", s))
        and _about_the_claim(item, s)
        and not (credible_only and _harmless(item, s))
    ]


_EPITHET = re.compile(r"[“\"'‘](?:[A-Z][\w-]* ?|of |the |and |in ){1,6}[”\"'’]")
"""A short name in quotation marks, which is a title or nickname and no value."""


def rival_values(item: CheckedItem, sentence: str) -> frozenset[str]:
    """Values that neither the question nor the answer's own sentence nor a sentence that was cut or edited held."""
    reading = item.reading
    if any(frozenset(words(sentence)) <= frozenset(words(old)) for old in item.removed):
        return frozenset()
    if reading.kind is ValueKind.PHRASE:
        if holds_alias(reading, sentence):
            return frozenset()
        return content_stems(sentence) - content_stems(reading.text) - content_stems(item.original.query)
    values = values_in(reading.kind, sentence) - reading.alias_values
    values -= values_in(reading.kind, item.original.query)
    for known in (*reading.support, *item.removed):
        values -= values_in(reading.kind, known)
    if reading.kind is ValueKind.NAME:
        asked = frozenset(words(item.original.query)) | reading.alias_stems
        values = frozenset(v for v in values if not frozenset(words(v)) & asked)
        if "who" in words(item.original.query):
            values = frozenset(v for v in values if not _is_place(v, sentence))
    return values


def _is_place(name: str, sentence: str) -> bool:
    """True if a single-word name stands after a preposition of place, so that it answers no who-question."""
    return " " not in name and f" in {name}" in normal(sentence)


def _about_the_claim(item: CheckedItem, sentence: str) -> bool:
    said = stems_said(item, sentence)
    if item.reading.kind is not ValueKind.PHRASE and makes_claim(item, sentence, 0.6):
        return True
    floor = 0.6 if item.reading.query_stems & said else 0.75
    plain = _plain_stems(sentence)
    supports = (content_stems(s) - item.reading.alias_stems for s in item.reading.support)
    return any(coverage(support, said) >= floor and plain & support for support in supports)


def makes_claim(item: CheckedItem, sentence: str, floor: float) -> bool:
    """True if the sentence covers `floor` of what the question asserts, its predicate included.

    Of the predicate at least one word must stand outside the names that the sentence mentions.
    """
    asked = item.reading.claim_stems
    said = stems_said(item, sentence)
    if len(asked) < 2 or coverage(asked, said) < floor or coverage(asked, content_stems(sentence)) < 0.34:
        return False
    return bool(asked & _plain_stems(sentence))


def _plain_stems(sentence: str) -> frozenset[str]:
    return frozenset(stem(word.lower()) for word in _PLAIN_WORD.findall(sentence))


_PLAIN_WORD = re.compile(r"(?<![\w'’])(?:[a-z][a-z'’-]+(?! [A-Z“\"‘])|^[A-Z][a-z]+)\b")
"""A word in lower case that does not stand before a name (as `film` does in `the film Jaws`)."""


_POINTS_BACK = re.compile(r"^[\"“'‘(]*(?:it|he|she|they|this|these|its|his|her|their)\b", re.I)


def stems_said(item: CheckedItem, sentence: str) -> frozenset[str]:
    """Content stems of a sentence; one that opens with a pronoun also speaks of what the passage opens with."""
    said = content_stems(sentence)
    if _POINTS_BACK.search(sentence) and item.sentences:
        said |= content_stems(item.sentences[0]) & item.reading.query_stems
    return said


def _harmless(item: CheckedItem, sentence: str) -> bool:
    of_clash = item.kind is PerturbationClass.CONTRADICTION
    if holds_alias(item.reading, sentence) and (not of_clash or HIGH_CREDIBILITY.search(sentence)):
        return True
    if LOW_CREDIBILITY.search(sentence) or DISMISSAL.search(sentence) or NEGATION.search(sentence):
        return True
    return item.reading.kind is ValueKind.NUMBER and rounds_the_answer(item, sentence)


def rounds_the_answer(item: CheckedItem, sentence: str) -> bool:
    """True if every number that is new in the sentence lies within a tenth of an accepted answer."""
    accepted = {n for answer in item.reading.all_aliases for n in numbers_in(answer)}
    fresh = numbers_in(sentence) - accepted - numbers_in(item.reading.text)
    return bool(fresh) and all(any(abs(n - a) <= 0.1 * abs(a) for a in accepted) for n in fresh)
