"""The check of contradictions: an item of that class has two clashing statements about the answer, and others do not.

The words of this module:

- the *claim* of a question: its content words, without those that only name the kind of answer, such as "year";
- the *support*: the sentences of the original that hold an accepted answer;
- *added* sentences of the candidate are new or edited, and *inserted* ones are new;
- an *alias*: an accepted answer that a passage of the original holds;
- a *rival*: an added sentence that gives another value for what the question asks, such as "Ann Lee wrote Emma".
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

# The next constants are shares of the content words of a claim that a sentence must hold, from lax to strict.
# Share that the sentence itself must hold. A pronoun that refers to the subject may supply more.
_SHARE_WITHOUT_PRONOUN = 0.34
# A sentence that holds this share speaks of the claim.
_TOUCHES_CLAIM = 0.5
# A sentence that holds this share makes the claim.
_MAKES_CLAIM = 0.6
# Share of a supporting sentence that a sentence must repeat if it has no word of the question.
_REPEATS_SUPPORT = 0.75
# In effect all of the claim: one word in twenty may be missing.
_MAKES_WHOLE_CLAIM = 0.95

# Two sentences with a larger overlap than this have the same words, maybe in another order.
_SAME_WORDS = 0.8
# Distance from the answer, relative to it, up to which a number is a rounded answer.
_MOST_ROUNDING = 0.1
# A short name in quotation marks: a title or a nickname, not a value.
_EPITHET = re.compile(r"[“\"'‘](?:[A-Z][\w-]* ?|of |the |and |in ){1,6}[”\"'’]")
# A word in lower case that does not stand before a name (as `film` does in `the film Jaws`), or the first word.
_ORDINARY_WORD = re.compile(r"(?<![\w'’])(?:[a-z][a-z'’-]+(?! [A-Z“\"‘])|^[A-Z][a-z]+)\b")
# "It was …", "“Their album …"
_OPENS_WITH_PRONOUN = re.compile(r"^[\"“'‘(]*(?:it|he|she|they|this|these|its|his|her|their)\b", re.I)
# Classes whose items ask something new. Only a full rival of the original claim would clash in their context.
_ASKS_ANEW = (PerturbationClass.GRANULARITY, PerturbationClass.EPISTEMIC)
# "no record", "either", "exactly one": a sentence with such a word praises neither side.
_FAVOURS_NEITHER = re.compile(r"\b(?:no (?!doubt)\w+|nothing|either|one of|only one|exactly one)\b", re.I)
# Levers that call the same statement true and false, which favours neither side.
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
# Wordings by which a sentence denies the sentence beside it: "this is ruled out", "if and only if it is false"
_IMPOSSIBLE = re.compile(
    r"\b(?:impossible|ruled out|contrary|opposite|untrue|den(?:y|ies|ied)|reject(?:s|ed)?|against"
    r"|if,? and,? only if|(?:exactly|precisely|just) (?:if|when|in case)|then and only then"
    r"|nothing of the (?:kind|sort))\b",
    re.I,
)


def rivals_of(item: CheckedItem, *, credible_only: bool = True) -> list[str]:
    """The added sentences that answer the question with another value of the same kind.

    A sentence counts if it covers most of what the question asserts, or most of what a supporting sentence says.
    With `credible_only`, sentences that mark themselves as doubtful and sentences that round the answer do not count.
    """
    return [
        sentence
        for sentence in item.added
        if rival_values(item, _EPITHET.sub(" ", sentence))
        and _covers_claim_or_support(item, sentence)
        and not (credible_only and _is_harmless(item, sentence))
    ]


def rival_values(item: CheckedItem, sentence: str) -> frozenset[str]:
    """The values of a sentence that stand neither in the question, nor in the support, nor in a removed sentence."""
    reading = item.reading
    # A sentence that only lost words says nothing new.
    if any(frozenset(words(sentence)) <= frozenset(words(old)) for old in item.removed):
        return frozenset()
    # A phrase has no shape, so every new content word counts as a value.
    if reading.kind is ValueKind.PHRASE:
        if holds_alias(reading, sentence):
            return frozenset()
        return content_stems(sentence) - content_stems(reading.text) - content_stems(item.original.query)
    values = values_in(reading.kind, sentence) - reading.alias_values
    for text in (item.original.query, *reading.support, *item.removed):
        values -= values_in(reading.kind, text)
    if reading.kind is ValueKind.NAME:
        excluded_words = frozenset(words(item.original.query)) | reading.alias_stems
        values = frozenset(v for v in values if not frozenset(words(v)) & excluded_words)
        # A single name after "in" is a place, which cannot answer a who-question.
        if "who" in words(item.original.query):
            values = frozenset(v for v in values if " " in v or f" in {v}" not in normal(sentence))
    return values


def _covers_claim_or_support(item: CheckedItem, sentence: str) -> bool:
    """True if a sentence covers most of what the question asserts, or most of a supporting sentence."""
    sentence_stems = stems_of_sentence(item, sentence)
    if item.reading.kind is not ValueKind.PHRASE and makes_claim(item, sentence, _MAKES_CLAIM):
        return True
    # A sentence that shares nothing with the question must repeat more of the support.
    floor = _MAKES_CLAIM if item.reading.query_stems & sentence_stems else _REPEATS_SUPPORT
    ordinary_stems = _ordinary_stems(sentence)
    supports = (content_stems(supporting) - item.reading.alias_stems for supporting in item.reading.support)
    return any(coverage(stems, sentence_stems) >= floor and ordinary_stems & stems for stems in supports)


def makes_claim(item: CheckedItem, sentence: str, floor: float) -> bool:
    """True if the sentence covers the share `floor` of what the question asserts.

    At least one of the shared words must be an ordinary word, since a sentence may repeat names without the claim.
    """
    claim = item.reading.claim_stems
    if len(claim) < 2:
        return False  # a single word is too little to recognise a claim by
    covers_claim = coverage(claim, stems_of_sentence(item, sentence)) >= floor
    holds_enough = coverage(claim, content_stems(sentence)) >= _SHARE_WITHOUT_PRONOUN
    return covers_claim and holds_enough and bool(claim & _ordinary_stems(sentence))


def _ordinary_stems(sentence: str) -> frozenset[str]:
    """Stems of the ordinary words of a sentence, without its names."""
    return frozenset(stem(word.lower()) for word in _ORDINARY_WORD.findall(sentence))


def stems_of_sentence(item: CheckedItem, sentence: str) -> frozenset[str]:
    """Content stems of a sentence. A sentence that opens with a pronoun also speaks of the passage's first subject."""
    stems = content_stems(sentence)
    if _OPENS_WITH_PRONOUN.search(sentence) and item.sentences:
        stems |= content_stems(item.sentences[0]) & item.reading.query_stems
    return stems


def _is_harmless(item: CheckedItem, sentence: str) -> bool:
    """True if a reader would not take the new value of a sentence for the answer."""
    if holds_alias(item.reading, sentence):
        # In a contradiction, the sentence may hold both values. It is harmless only if it backs one of them.
        may_hold_both = item.kind is PerturbationClass.CONTRADICTION
        if not may_hold_both or HIGH_CREDIBILITY.search(sentence):
            return True
    if LOW_CREDIBILITY.search(sentence) or DISMISSAL.search(sentence) or NEGATION.search(sentence):
        return True
    return item.reading.kind is ValueKind.NUMBER and rounds_the_answer(item, sentence)


def rounds_the_answer(item: CheckedItem, sentence: str) -> bool:
    """True if every number that is new in the sentence lies within a tenth of an accepted answer."""
    accepted = {number for answer in item.reading.all_aliases for number in numbers_in(answer)}
    new_numbers = numbers_in(sentence) - accepted - numbers_in(item.reading.text)
    return bool(new_numbers) and all(
        any(abs(number - answer) <= _MOST_ROUNDING * abs(answer) for answer in accepted)
        for number in new_numbers
    )


def check_contradiction(item: CheckedItem) -> RuleVerdict:
    """Judge `uncertainty_induction` and `refusal_class` of contradictions, and `refusal_class` of other items.

    There is no opinion if no passage holds an answer or if the context is unchanged. There is none on ambiguities,
    which may set two values side by side, and none on missing information, where the answer or a part is gone.
    """
    if not item.reading.aliases or not item.context_changed:
        return NO_OPINION
    if item.kind is PerturbationClass.CONTRADICTION:
        return _resolved_clash(item) if item.low else _irreconcilable(item)
    if item.kind in (PerturbationClass.AMBIGUITY, PerturbationClass.MISSING_INFO):
        return NO_OPINION
    clashes = rivals_of(item) or _denials(item)
    # These items ask something new, so a sentence that merely shares words with the old question is allowed.
    if not item.low and item.query_changed and item.kind in _ASKS_ANEW:
        clashes = [s for s in clashes if makes_claim(item, s, _MAKES_WHOLE_CLAIM)]
    objections = [f"The context contradicts itself about the answer: {s!r}." for s in clashes[:1]]
    return verdict(item, {"refusal_class": objections})


def _irreconcilable(item: CheckedItem) -> RuleVerdict:
    """The verdict on a contradiction at MEDIUM or HIGH: it needs a clash that nothing in the context settles."""
    # From the plainest form of a clash to the faintest; any of them is enough.
    clashes = (
        rivals_of(item, credible_only=False)
        or _denials(item)
        or _exclusions(item)
        or _denials_of_neighbours(item)
        or _rivals_of_added_answer(item)
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
    """True if the answer is given by more unchanged passages than there are changed ones that no longer hold it.

    A changed passage that still holds the answer is on neither side.
    """
    if len(item.original.passages) == 1:
        return False
    n_backing = n_rivalling = 0
    # Another verifier objects if the number of passages differs.
    for old, new in zip(item.original.passages, item.candidate.passages, strict=False):
        if old.text != new.text:
            if holds_alias(item.reading, old.text) and not holds_alias(item.reading, new.text):
                n_rivalling += 1
        elif any(
            holds_alias(item.reading, sentence) and makes_claim(item, sentence, _TOUCHES_CLAIM)
            for sentence in sentences(new.text)
        ):
            n_backing += 1
    return n_backing > n_rivalling


def _resolved_clash(item: CheckedItem) -> RuleVerdict:
    """The verdict on a contradiction at LOW: a clash about the answer must be resolved by a cue."""
    open_rivals = [] if one_sided_cue(item) else rivals_of(item)
    objections = [f"The clash bears on the answer and nothing resolves it: {s!r}." for s in open_rivals[:1]]
    return verdict(item, {"uncertainty_induction": objections})


def one_sided_cue(item: CheckedItem) -> str:
    """The first new wording that makes one side more or less credible than the other; empty if there is none.

    A word such as `official` settles nothing if both sides have it.
    """
    balanced = item.candidate.lever in _LOGICAL_LEVERS or any(BALANCED.search(s) for s in item.added)
    # Where both sides have the same weight, each may dismiss the other.
    for pattern in (LOW_CREDIBILITY,) if balanced else (LOW_CREDIBILITY, DISMISSAL):
        for sentence in item.added:
            match = pattern.search(sentence)
            if match and not pattern.search(item.reading.text):
                return match.group()
    if balanced:
        return ""
    one_sided = [s for s in item.added if not NEGATION.search(s) and not _FAVOURS_NEITHER.search(s)]
    praise = [match.group() for s in one_sided for match in HIGH_CREDIBILITY.finditer(s)]
    new_praise = [wording for wording in praise if wording not in item.reading.text]
    # Two wordings may praise one side each.
    return new_praise[0] if len(new_praise) == 1 else ""


def _denials(item: CheckedItem) -> list[str]:
    """The added sentences that deny the claim in the question's own terms."""
    denials = []
    for sentence in item.added:
        # A negation that the support already had does not deny it.
        new_negations = _negations(sentence) - _negations("\n".join(item.reading.support))
        if new_negations and _speaks_of_the_claim(item, sentence):
            denials.append(sentence)
    return denials


def _negations(text: str) -> set[str]:
    return {match.group().lower() for match in NEGATION.finditer(text)}


def _denials_of_neighbours(item: CheckedItem) -> list[str]:
    """The inserted sentences that deny the sentence before or after them (`the other half says that this is false`)."""
    denials = []
    for index, sentence in enumerate(item.sentences):
        neighbours = (*item.sentences[max(0, index - 1) : index], *item.sentences[index + 1 : index + 2])
        is_beside_answer = any(holds_alias(item.reading, neighbour) for neighbour in neighbours)
        denies = any(pattern.search(sentence) for pattern in (NEGATION, DISMISSAL, _IMPOSSIBLE))
        if is_beside_answer and denies and sentence in item.inserted:
            denials.append(sentence)
    return denials


def _rivals_of_added_answer(item: CheckedItem) -> list[str]:
    """The added sentences that make the claim with another value than an added sentence that has the answer."""
    claim, kind = item.reading.claim_stems, item.reading.kind
    claiming = [s for s in item.added if coverage(claim, content_stems(s)) >= _MAKES_CLAIM]
    with_answer = [s for s in claiming if holds_alias(item.reading, s)]
    without_answer = [s for s in claiming if not holds_alias(item.reading, s)]
    return [
        rival
        for rival in without_answer
        if any(values_in(kind, rival) - values_in(kind, s) for s in with_answer)
    ]


def _both_at_once(item: CheckedItem) -> list[str]:
    """The added sentences that give the answer and another value, or that repeat another one in a new word order."""
    holding = [s for s in item.added if holds_alias(item.reading, s)]
    with_rival = [s for s in holding if rival_values(item, s) and _speaks_of_the_claim(item, s)]
    if with_rival:
        return with_rival
    # The same words in another order may say the opposite: "Ann beat Bob" and "Bob beat Ann".
    return [s for s in holding if any(overlap(s, t) > _SAME_WORDS and words(s) != words(t) for t in holding)]


def _exclusions(item: CheckedItem) -> list[str]:
    """The added sentences whose wording excludes the claim: either-or, every against none, a date before the start."""
    return [s for s in item.added if EXCLUSION.search(s) and _speaks_of_the_claim(item, s)]


def _speaks_of_the_claim(item: CheckedItem, sentence: str) -> bool:
    """True if a sentence is about what the question asks.

    Outside contradictions it must make the claim, or name the answer with a word of the claim. In contradictions it is
    enough to touch the claim or the support.
    """
    sentence_stems = content_stems(sentence)
    names_answer = holds_alias(item.reading, sentence)
    if item.kind is not PerturbationClass.CONTRADICTION:
        answers_claim = names_answer and bool(item.reading.claim_stems & sentence_stems)
        return answers_claim or makes_claim(item, sentence, _MAKES_CLAIM)
    if names_answer and item.query_stems & sentence_stems:
        return True
    near_support = any(
        coverage(content_stems(s), sentence_stems) >= _TOUCHES_CLAIM for s in item.reading.support
    )
    return near_support or coverage(item.reading.claim_stems, sentence_stems) >= _TOUCHES_CLAIM
