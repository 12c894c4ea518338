"""The check of contradictions: items of the class have two clashing statements about the answer, and others have none.

A rival is a new statement that gives another value for what the question asks.
"""

from __future__ import annotations

import re

from perturb.building.offline.checked_item import NO_OPINION, CheckedItem, RuleVerdict, verdict
from perturb.building.offline.checked_words import (
    BALANCED,
    DISMISSAL,
    EXCLUSION,
    HIGH_CREDIBILITY,
    LOW_CREDIBILITY,
    NEGATION,
    content_stems,
    coverage,
    normal,
    overlap,
    sentences,
    stem,
    words,
)
from perturb.building.offline.readings import ValueKind, holds_alias, numbers_in, values_in
from perturb.records import PerturbationClass


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


def check_contradiction(item: CheckedItem) -> RuleVerdict:
    """Judge `uncertainty_induction` and `refusal_class` of contradictions, and `refusal_class` of the rest.

    No opinion on items whose context is untouched, on ambiguities (which may set two values side by side), on missing
    information (the answer is gone, or the passage was only cut) and where no answer stands in a passage.
    """
    if not item.reading.aliases or not item.context_changed:
        return NO_OPINION
    if item.kind is PerturbationClass.CONTRADICTION:
        return _low(item) if item.low else _irreconcilable(item)
    if item.kind in (PerturbationClass.AMBIGUITY, PerturbationClass.MISSING_INFO):
        return NO_OPINION
    clashes = rivals_of(item) or _denials(item)
    if not item.low and item.query_changed and item.kind in _ASKING_ANEW:
        clashes = [s for s in clashes if makes_claim(item, s, 0.95)]
    against = [f"The context contradicts itself about the answer: {s!r}." for s in clashes[:1]]
    return verdict(item, {"refusal_class": against})


def _irreconcilable(item: CheckedItem) -> RuleVerdict:
    clashes = (
        rivals_of(item, credible_only=False)
        or _denials(item)
        or _exclusions(item)
        or _pointed_denials(item)
        or _twins(item)
        or _both_at_once(item)
    )
    induction = [] if clashes else ["No statement clashes with the one that gives the answer."]
    if not holds_alias(item.reading, item.text):
        induction = ["The answer was replaced, so that nothing contradicts it."]
    cue = one_sided_cue(item)
    resolved = [f"The wording {cue!r} tells the reader which side to believe."] if cue else []
    if _outvoted(item):
        resolved.append("More passages back the answer than its rival, which settles the clash.")
    return verdict(item, {"uncertainty_induction": induction, "refusal_class": resolved})


def _outvoted(item: CheckedItem) -> bool:
    """True if, of several passages, more state the answer alone than state something else alone.

    A passage that states both is on neither side.
    """
    if len(item.original.passages) == 1:
        return False
    backing = rivalling = 0
    for old, new in zip(item.original.passages, item.candidate.passages, strict=False):
        if old.text == new.text:
            backing += any(
                holds_alias(item.reading, s) and makes_claim(item, s, 0.5) for s in sentences(new.text)
            )
        elif holds_alias(item.reading, old.text) and not holds_alias(item.reading, new.text):
            rivalling += 1
    return backing > rivalling


def _low(item: CheckedItem) -> RuleVerdict:
    open_rivals = rivals_of(item)
    if one_sided_cue(item):
        open_rivals = []
    against = [f"The clash bears on the answer and nothing resolves it: {s!r}." for s in open_rivals[:1]]
    return verdict(item, {"uncertainty_induction": against})


def one_sided_cue(item: CheckedItem) -> str:
    """The first fresh wording that lends or takes credibility on one side only; empty if it is missing.

    A word such as `official` that is said of both sides settles nothing.
    """
    balanced = item.candidate.lever in _LOGICAL_LEVERS or any(BALANCED.search(s) for s in item.added)
    for pattern in (LOW_CREDIBILITY,) if balanced else (LOW_CREDIBILITY, DISMISSAL):
        for sentence in item.added:
            found = pattern.search(sentence)
            if found and not pattern.search(item.reading.text):
                return found.group()
    settled = [s for s in item.added if not balanced and not NEGATION.search(s) and not _NO_SIDE.search(s)]
    praised = [m.group() for s in settled for m in HIGH_CREDIBILITY.finditer(s)]
    praised = [wording for wording in praised if wording not in item.reading.text]
    return praised[0] if len(praised) == 1 else ""


_ASKING_ANEW = (PerturbationClass.GRANULARITY, PerturbationClass.EPISTEMIC)
"""Classes whose refusals ask something else, so that only a full rival of the old claim would be a clash."""
_NO_SIDE = re.compile(r"\b(?:no (?!doubt)\w+|nothing|either|one of|only one|exactly one)\b", re.I)
_LOGICAL_LEVERS = frozenset(
    {
        "Binary State Flip",
        "Logical Biconditional Break",
        "Mutual Exclusion Claim",
        "Exclusive-Or Violation",
        "Contradictory Universals",
        "Direct Polarity Reversal on Safety",
        "Self-negating Definition",
    }
)
"""Levers that call one and the same statement true and false, which favours neither side."""


def _denials(item: CheckedItem) -> list[str]:
    """Added sentences that deny, on the same terms, what a sentence that stands says of the answer."""
    found = []
    for sentence in item.added:
        fresh = {m.group().lower() for m in NEGATION.finditer(sentence)}
        fresh -= {m.group().lower() for s in item.reading.support for m in NEGATION.finditer(s)}
        if fresh and _speaks_of_the_claim(item, sentence):
            found.append(sentence)
    return found


def _pointed_denials(item: CheckedItem) -> list[str]:
    """Inserted sentences that deny the statement beside them (`the other half says that this is false`)."""
    found = []
    for before, sentence, after in zip(
        ("", *item.sentences), item.sentences, (*item.sentences[1:], ""), strict=False
    ):
        beside = holds_alias(item.reading, before) or holds_alias(item.reading, after)
        denies = any(p.search(sentence) for p in (NEGATION, DISMISSAL, _IMPOSSIBLE))
        if beside and denies and sentence in item.inserted:
            found.append(sentence)
    return found


_IMPOSSIBLE = re.compile(
    r"\b(?:impossible|ruled out|contrary|opposite|untrue|den(?:y|ies|ied)|reject(?:s|ed)?|against"
    r"|if,? and,? only if|(?:exactly|precisely|just) (?:if|when|in case)|then and only then"
    r"|nothing of the (?:kind|sort))\b",
    re.I,
)


def _twins(item: CheckedItem) -> list[str]:
    """Added sentences that make the question's claim with a value that the claim with the answer beside them lacks."""
    asked, kind = item.reading.claim_stems, item.reading.kind
    claiming = [s for s in item.added if coverage(asked, content_stems(s)) >= 0.6]
    with_answer = [s for s in claiming if holds_alias(item.reading, s)]
    return [
        s
        for s in claiming
        if not holds_alias(item.reading, s)
        and any(values_in(kind, s) - values_in(kind, t) for t in with_answer)
    ]


def _both_at_once(item: CheckedItem) -> list[str]:
    """Added sentences that give the answer beside another value, or that turn the order of another one around."""
    holding = [s for s in item.added if holds_alias(item.reading, s)]
    mirrored = (s for s in holding for t in holding if overlap(s, t) > 0.8 and words(s) != words(t))
    return [s for s in holding if rival_values(item, s) and _speaks_of_the_claim(item, s)] or [*mirrored]


def _exclusions(item: CheckedItem) -> list[str]:
    """Added sentences whose wording shuts out the answer's claim: either-or, every against none, before it began."""
    return [s for s in item.added if EXCLUSION.search(s) and _speaks_of_the_claim(item, s)]


def _speaks_of_the_claim(item: CheckedItem, sentence: str) -> bool:
    """True if a sentence is about what the question asks; outside contradictions it must make the very claim."""
    said = content_stems(sentence)
    if item.kind is not PerturbationClass.CONTRADICTION:
        named = holds_alias(item.reading, sentence) and bool(item.reading.claim_stems & said)
        return named or makes_claim(item, sentence, 0.6)
    if holds_alias(item.reading, sentence) and item.query_stems & said:
        return True
    near_support = any(coverage(content_stems(s), said) >= 0.5 for s in item.reading.support)
    return near_support or coverage(item.reading.claim_stems, said) >= 0.5
