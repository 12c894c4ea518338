"""The offline verifiers, which judge the finished item by rules.

They share no code with the rules that generate, so that an error in the analysis of an instance is not repeated here.
A verifier abstains if it has no test for an item, and it is absent for a class on which it never has one. The check of
the answer constraint stands here too: the accepted answer is there if it must be, and otherwise it is gone without a
trace. That these rules agree with the generating rules validates neither.
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
from perturb.building.offline.contradiction import check_contradiction, makes_claim, rivals_of, stems_said
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


def check_answer_state(item: CheckedItem) -> RuleVerdict:
    """Judge `answer_constraint` and, where the state of the answer decides it, the predicted behaviour.

    No opinion where no accepted answer stands verbatim in the original, as with long-form answers.
    """
    if not item.reading.aliases:
        return NO_OPINION
    if item.low:
        return _answer_stands(item)
    if item.kind is PerturbationClass.MISSING_INFO:
        return _answer_is_gone(item)
    return verdict(item, {"answer_constraint": _lost(item)})


def _lost(item: CheckedItem) -> list[str]:
    """Outside MissingInfo an item must not come down to missing information."""
    if item.context_changed and not holds_alias(item.reading, item.text):
        return ["The accepted answer vanished, which is missing information and not this class's flaw."]
    return []


def _answer_stands(item: CheckedItem) -> RuleVerdict:
    against = _not_derivable(item) + _no_longer_asked(item) + _given_away(item)
    if not against:
        against = [
            f"An equally credible rival of the answer was brought in: {r!r}." for r in rivals_of(item)[:1]
        ]
    return verdict(item, {"answer_constraint": against}, ANSWER_CORRECTLY if not against else None)


def _not_derivable(item: CheckedItem) -> list[str]:
    if not item.context_changed:
        return []
    if not holds_alias(item.reading, item.text):
        return ["No accepted answer stands in the context any more."]
    if not item.reading.support:  # the answer runs over the end of a sentence: no sentence can be looked for
        return []
    standing = [s for s in item.sentences if holds_alias(item.reading, s)]
    support = content_stems(item.reading.support[0])
    best = max(standing, key=lambda s: coverage(support, content_stems(s)), default="")
    if coverage(support, content_stems(best)) < 0.45:
        return ["The sentence that supported the answer was taken apart."]
    asked = item.reading.claim_stems
    lost = (asked & support) - content_stems(item.text)
    if asked and len(lost) / len(asked) > 0.34:
        return ["The context lost words of the question that tie the answer to it."]
    undermined = [s for s in item.added if holds_alias(item.reading, s) and _newly_negated(item, s)]
    if undermined and not any(s for s in standing if s not in undermined):
        return [f"The answer is negated or doubted: {undermined[0]!r}."]
    return []


def _newly_negated(item: CheckedItem, sentence: str) -> bool:
    """True if a negation or dismissal stands near the answer that no original sentence had."""
    fresh = {
        m.group().lower() for m in re.finditer(f"{NEGATION.pattern}|{DISMISSAL.pattern}", sentence, re.I)
    }
    known = {word for s in item.reading.support for word in words(s)}
    return any(not set(words(mark)) <= known for mark in fresh)


_WH = re.compile(r"\b(who|whom|whose|when|where|why|how|which|what)\b", re.I)
_YES_NO = re.compile(
    r"^(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|shall|may|might|must)\b(?!.*\b(?:who|when|"
    r"where|which|what|how)\b)",
    re.I,
)
_CLASHES = {
    "who": "when where why how",
    "when": "who where why",
    "where": "who when why",
    "how": "who when where why",
}


def _no_longer_asked(item: CheckedItem) -> list[str]:
    if not item.query_changed:
        return []
    query = item.candidate.query
    if _YES_NO.search(query) and not _YES_NO.search(item.original.query):
        return ["The question became a yes-or-no question, which the accepted answer does not answer."]
    was, now = _asked_word(item.original.query), _asked_word(query)
    if now in _CLASHES.get(was, "").split() and not _same_ask(item):
        return [f"The question asked {was!r} and now asks {now!r}."]
    if _kept_through_names(item) < 0.5:
        return ["Little of the original question is left."]
    return []


def _kept_through_names(item: CheckedItem) -> float:
    """Share of the original question that is kept, also by way of an epithet that an added sentence explains."""
    asked = item.reading.query_stems
    explained = frozenset[str]().union(
        *(content_stems(s) for s in item.inserted if item.new_query_stems & content_stems(s))
    )
    return coverage(asked, item.query_stems | explained) if asked else 1.0


def _same_ask(item: CheckedItem) -> bool:
    """True if the question word of the original is still in the question."""
    return _asked_word(item.original.query) in words(item.candidate.query)


def _asked_word(query: str) -> str:
    found = _WH.search(query)
    word = found.group().lower() if found else ""
    return "who" if word in ("whom", "whose") else word


def _given_away(item: CheckedItem) -> list[str]:
    if not item.query_changed:
        return []
    told = [a for a in item.reading.all_aliases if len(a) > 1 and stands_in(a, item.candidate.query)]
    told = [alias for alias in told if not stands_in(alias, item.original.query)]
    return [f"The question now holds its answer {told[0]!r}."] if told else []


def _answer_is_gone(item: CheckedItem) -> RuleVerdict:
    shown = item.shown if _BRACKETED.search(item.reading.text) else _BRACKETED.sub(" ", item.shown)
    traces = traces_of(item.reading, item.candidate.query, shown)
    against = [f"The answer can be recovered from {trace}." for trace in traces[:2]]
    if not against:
        against = [
            f"Another value of the same type steps in as an answer: {s!r}." for s in _steps_in(item)[:1]
        ]
    predicted = ANSWER_CORRECTLY if against else item.candidate.expected_behavior
    return verdict(item, {"answer_constraint": against}, predicted)


def _steps_in(item: CheckedItem) -> list[str]:
    """Sentences that offer a value of the answer's kind together with most of what the question asserts.

    An edited form of the supporting sentence that now holds a value the passage never had counts as well.
    """
    reading = item.reading
    if reading.kind is ValueKind.PHRASE:
        return []
    known = values_in(reading.kind, " ".join((item.original.query, *reading.support)))
    countable = not (reading.kind is ValueKind.NUMBER and _HOW_MANY.search(item.original.query))
    found = []
    for sentence in item.sentences:
        values = values_in(reading.kind, _BRACKETED.sub(" ", sentence)) - known - reading.alias_values
        if reading.kind is ValueKind.NAME:
            values = _names_apart(values, item, sentence)
        if reading.kind is ValueKind.NUMBER:
            values = frozenset(v for v in values if float(v) > 12)
        fresh = values - values_in(reading.kind, reading.text)
        edited = sentence in item.added and any(overlap(sentence, s) >= 0.5 for s in reading.support)
        named = countable and makes_claim(item, sentence, _STEP_IN[reading.kind])
        if (fresh and edited) or (values and named):
            found.append(sentence)
    return found or _counted(item)


_PLACED = re.compile(r"\b(?:in|at|near|from|on|outside|to) (?:the )?$")


def _names_apart(values: frozenset[str], item: CheckedItem, sentence: str) -> frozenset[str]:
    """Names of two words or more that share no word with the question; for a where-question, places only."""
    asked = frozenset(words(item.original.query))
    apart = (v for v in values if " " in v and not frozenset(words(v)) & asked)
    if "where" not in asked:
        return frozenset(apart)
    plain = normal(sentence)
    return frozenset(v for v in apart if any(_PLACED.search(before[-20:]) for before in plain.split(v)[:-1]))


_STEP_IN = {ValueKind.DATE: 0.75, ValueKind.NUMBER: 0.9, ValueKind.NAME: 0.75}
"""Share of the question's content that a sentence with a value of the kind must cover to step in."""
_BRACKETED = re.compile(r"\[[^\]]*\]|\([^()]*\b(?:see|cf|pp?)\b[^()]*\)")
"""A place-holder, or a reference to another work."""


_HOW_MANY = re.compile(r"\bhow many (?:\w+ )?(\w+)", re.I)


def _counted(item: CheckedItem) -> list[str]:
    """Sentences that count, within three words, the very thing that a how-many question asks about."""
    asked = _HOW_MANY.search(item.original.query)
    if asked is None:
        return []
    nouns = content_stems(asked.group())
    found = []
    for sentence in item.sentences:
        said = words(_BRACKETED.sub(" ", sentence))
        near = (
            said[i : i + 4]
            for i, word in enumerate(said)
            if numbers_in(word) - numbers_in(item.original.query)
        )
        if any(stem(word) in nouns for span in near for word in span[1:]):
            found.append(sentence)
    return [s for s in found if coverage(item.reading.claim_stems, stems_said(item, s)) >= 0.5]


CHECK_VERSION = "9e601c323445c3b8"
"""Enters the id of every vote by a rule. Change it whenever a check decides differently."""

CHECKS: Mapping[str, Check] = {
    "target-diff": check_target_diff,
    "answer-state": check_answer_state,
    "contradiction": check_contradiction,
    "leftovers": check_leftovers,
    "fluency": check_fluency,
}
"""Name -> verifier, in the order in which they are asked."""

CLASSES_JUDGED: Mapping[str, frozenset[PerturbationClass]] = {
    "contradiction": frozenset(
        {PerturbationClass.CONTRADICTION, PerturbationClass.GRANULARITY, PerturbationClass.EPISTEMIC}
    ),
}
"""Name -> the classes on which a verifier may have an opinion, for those that have none on others."""


def judge_by_rule(
    check: str, original: BaseInstance, candidate: Candidate, target: frozenset[Target]
) -> RuleVerdict:
    """Ask the verifier called `check` about one item.

    `target` holds what the item's class may change. None has an opinion on texts that are too long, or no prose: see
    `perturb.text.matching`. Raises `ConfigError` if there is no such verifier.
    """
    if check not in CHECKS:
        known = ", ".join(CHECKS)
        raise ConfigError(f"there is no rule verifier '{check}': choose one of {known}")
    item = checked_item(original, candidate, target)
    return NO_OPINION if item.beyond_reading else CHECKS[check](item)
