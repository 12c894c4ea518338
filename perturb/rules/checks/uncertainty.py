"""Uncertainty induction: question and passage together show the kind of flaw that the class stands for."""

from __future__ import annotations

import re

from perturb.records import ANSWER_CORRECTLY, Intensity, PerturbationClass
from perturb.rules.checks.checked_item import CheckedItem
from perturb.rules.checks.cues import (
    CRITERION,
    EVALUATIVE,
    LEVEL,
    MODAL,
    NAMESAKE,
    NEGATION,
    RESOLVING,
    UNSETTLED,
    any_of,
)
from perturb.rules.checks.impossible import clash_of_categories
from perturb.rules.checks.readings import holds_alias
from perturb.rules.checks.rivals import makes_claim, rivals_of
from perturb.rules.checks.texts import content_stems, coverage, normal, words
from perturb.rules.checks.values import ValueKind, names_in, values_in
from perturb.rules.checks.verdicts import NO_OPINION, RuleVerdict, verdict

_YES_NO = re.compile(
    r"^(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|might|must)\b", re.I
)
_REVERSAL = any_of(
    r"""
    never; not; \w+n['’]t; no longer; stop(?:ped)?; cease[ds]?; refus(?:e|es|ed|al|ing);
    fail(?:s|ed|ure)?; regret(?:s|ted)?; den(?:y|ies|ied); reject(?:s|ed|ion)?; declin(?:e|es|ed);
    abandon(?:s|ed)?; cancel(?:s|led|ed|lation)?; without; before; instead; despite; rather than; second;
    third; fourth; again; return(?:s|ed)?; other; else; resign(?:s|ed)?; abdicat(?:e|es|ed|ion); quit;
    retir(?:e|es|ed); bur(?:y|ied|ial); grave; tomb; die[ds]?; death; funeral; posthumous(?:ly)?; late;
    preced(?:e|es|ed|ing); widow(?:er)?; avoid(?:s|ed)?; lack(?:s|ed|ing)?; unable; forget; forgot;
    withdr[ae]w; remov(?:e|es|ed); only; sole; last; successor; since; because; why; how come; what made;
    what led; what caused; reason
    """
)
"""Words by which a question presupposes the opposite of what a passage may assert."""


def check_uncertainty(item: CheckedItem) -> RuleVerdict:
    """Judge `uncertainty_induction`, `intensity` and the predicted behaviour, class by class.

    Contradiction and missing information are left to the verifiers that read the state of the answer. Where the
    wording shows neither the flaw nor its absence there is no opinion.
    """
    judge = {
        PerturbationClass.AMBIGUITY: _ambiguity,
        PerturbationClass.FALSE_PREMISE: _false_premise,
        PerturbationClass.GRANULARITY: _granularity,
        PerturbationClass.EPISTEMIC: _epistemic,
    }.get(item.kind)
    return judge(item) if judge is not None else NO_OPINION


def _shown(item: CheckedItem, against: list[str], too_weak: list[str] | None = None) -> RuleVerdict:
    """The verdict where the verifier can tell: a flaw that is missing would let a reader answer."""
    behavior = item.candidate.expected_behavior
    if not item.low and (against or too_weak):
        behavior = ANSWER_CORRECTLY
    return verdict(item, {"uncertainty_induction": against, "intensity": too_weak or []}, behavior)


def _still_the_question(item: CheckedItem) -> bool:
    """True if the question asks what it asked, with nothing that could make it another question."""
    if not item.query_changed:
        return True
    first = _question_word(item.original.query) == _question_word(item.candidate.query)
    return first and item.kept_query_share >= 0.99


def _opens_alike(item: CheckedItem) -> bool:
    """True if the question still opens with the first three words of the original."""
    return words(item.candidate.query)[:3] == words(item.original.query)[:3]


def _question_word(query: str) -> str:
    found = re.search(r"\b(who|whom|whose|when|where|why|how|which|what)\b", query.lower())
    return found.group() if found else ""


# Ambiguity -----------------------------------------------------------------------------------------------------------

_DEICTIC = re.compile(
    r"\b(?:this|that|these|those|such)\s+(?!is\b|was\b|have\b|has\b|the\b)\w+|\b(?:that|this|which) one\b|\bthe one\b"
    r"|\b(?:he|she|they|it|him|her|them|his|its|their)\b",
    re.I,
)


def _ambiguity(item: CheckedItem) -> RuleVerdict:
    if item.low:
        return _resolvable(item)
    open_choice = any(UNSETTLED.search(s) for s in item.added)
    deictic = bool(_DEICTIC.search(item.candidate.query)) and not _DEICTIC.search(item.original.query)
    pronouns = any(_braided(s) for s in item.added)
    namesake = any(NAMESAKE.search(s) for s in item.added) and bool(rivals_of(item, credible_only=False))
    if item.candidate.lever in _STRUCTURAL_LEVERS:
        return NO_OPINION
    if not item.query_changed and item.candidate.lever != "Pure Homonymy Clash" and _still_stated(item):
        return _shown(item, ["A sentence of the original still settles the question."])
    if not (open_choice or deictic or pronouns or namesake or _two_values(item)):
        return _shown(item, ["Nothing in the question or the passage can be read in two ways."])
    if deictic and item.context_changed and not _two_values(item) and not open_choice and not pronouns:
        return _shown(
            item, ["The question points at something, but the passage offers only one thing it may be."]
        )
    return _shown(item, [])


def _still_stated(item: CheckedItem) -> bool:
    """True if an untouched sentence holds the answer and makes the question's claim."""
    standing = (s for s in item.reading.support if s in item.sentences)
    return any(makes_claim(item, s, 0.6) for s in standing) and not any(
        UNSETTLED.search(s) for s in item.added
    )


_STRUCTURAL_LEVERS = frozenset(
    {
        "PP-Attachment Ambiguity", "Either/Or Coordination Scope", "Comparative Subdeletion", "Quantifier Phrase Split",
        "Reduced Relative Clause Clash", "Nested Garden-path Sentence", "Stacked Quantifier & Negation Tangle",
        "Dangling VP Ellipsis", "Center-Embedding Maze", "Attachment Cascade", "Balanced Polysemy",
    }
)  # fmt: skip
"""Levers whose ambiguity lies in the syntax, which this verifier cannot see."""


def _braided(sentence: str) -> bool:
    """True if a pronoun of the sentence follows two names."""
    pronoun = re.search(r"\b(?:he|she|they|him|her|them|his)\b", sentence, re.I)
    return pronoun is not None and len(names_in(sentence)) >= 2


def _two_values(item: CheckedItem) -> bool:
    if item.reading.kind is ValueKind.PHRASE:
        return bool(item.added)
    fresh = {v for s in item.added for v in values_in(item.reading.kind, s)} - item.reading.alias_values
    fresh -= {v for s in item.removed for v in values_in(item.reading.kind, s)}
    return bool(fresh) and holds_alias(item.reading, item.text)


def _resolvable(item: CheckedItem) -> RuleVerdict:
    if not item.query_changed:
        return NO_OPINION
    wide = bool(_DEICTIC.search(item.candidate.query)) or bool(item.inserted)
    resolved = RESOLVING.search(item.candidate.query) or any(RESOLVING.search(s) for s in item.added)
    if wide and not resolved and item.kept_query_share < 0.8:
        return _shown(item, ["Nothing in the question or the passage settles which reading is meant."])
    return _shown(item, [])


# False premise -------------------------------------------------------------------------------------------------------


def _false_premise(item: CheckedItem) -> RuleVerdict:
    fresh = item.new_query_stems - item.reading.alias_stems
    impossible = clash_of_categories(item.candidate.query) and not clash_of_categories(item.original.query)
    if item.low:
        if impossible:
            return _shown(item, [], ["The presupposition is absurd, which is more than a side issue."])
        supported = fresh and fresh <= content_stems(item.reading.text)
        return _shown(
            item,
            ["The passage supports all that the question presupposes."] if supported or not fresh else [],
        )
    if impossible:
        return _shown(item, [])
    reversed_ = _fresh(_REVERSAL, item.candidate.query, item.original.query)
    if _still_the_question(item) and _opens_alike(item) and not reversed_:
        return _shown(
            item, [], ["The false part is a side issue: the original answer still answers the question."]
        )
    if item.intensity is Intensity.MEDIUM:
        if not _REVERSAL.search(item.candidate.query):
            return NO_OPINION
        anchored = coverage(item.query_stems, content_stems(item.reading.text)) >= 0.15
        return _shown(
            item, [] if anchored else ["The question has lost touch with the passage, so nothing clashes."]
        )
    return NO_OPINION


# Granularity ---------------------------------------------------------------------------------------------------------


def _granularity(item: CheckedItem) -> RuleVerdict:
    asked = {m.group().lower() for m in LEVEL.finditer(item.candidate.query)}
    fresh = asked - {m.group().lower() for m in LEVEL.finditer(item.original.query)}
    if item.low:
        return _level_is_given(item, fresh)
    if not item.query_changed:
        against = (
            []
            if any(LEVEL.search(s) for s in item.added)
            else ["Neither question nor passage shifts the level of detail."]
        )
        return _shown(item, against)
    if not fresh:
        if _still_the_question(item):
            return _shown(item, ["The question asks at its original level."])
        return NO_OPINION
    given = [s for s in item.added if _states_level(s, asked)]
    if given:
        return _shown(item, [f"The passage states a value at the level asked: {given[0]!r}."])
    return _shown(item, [])


def _level_is_given(item: CheckedItem, fresh: set[str]) -> RuleVerdict:
    if not fresh and not item.context_changed:
        return NO_OPINION
    broad = {"total", "overall", "combined", "average", "median"} & fresh
    if (
        broad
        and item.context_changed
        and not any(word in normal(item.text) for word in broad | {"total", "sum", "altogether", "in all"})
    ):
        return _shown(item, [f"The question asks for a {sorted(broad)[0]} that the passage does not state."])
    return _shown(item, [])


def _states_level(sentence: str, asked: set[str]) -> bool:
    sums = {
        "average",
        "mean",
        "median",
        "total",
        "overall",
        "combined",
        "aggregate",
        "proportion",
        "percentage",
    } & asked
    plain = normal(sentence)
    return (
        any(re.search(rf"\b{word}\b", plain) for word in sums)
        and bool(re.search(r"\d", plain))
        and not NEGATION.search(plain)
    )


# Epistemic mismatch --------------------------------------------------------------------------------------------------


def _epistemic(item: CheckedItem) -> RuleVerdict:
    asked, known = item.candidate.query, item.original.query
    evaluative = _fresh(EVALUATIVE, asked, known)
    modal = _fresh(MODAL, asked, known)
    if item.low:
        if not item.context_changed and not item.query_changed:
            return NO_OPINION
        if not evaluative and not modal and not item.added:
            return _shown(item, ["Neither question nor passage carries an evaluative or modal word."])
        return _criterion_stated(item, evaluative)
    if not evaluative and not modal:
        if _still_the_question(item):
            return _shown(item, ["The question carries no evaluative, modal or counterfactual word."])
        return NO_OPINION
    if _still_the_question(item) and not _YES_NO.search(asked) and not _decides(asked):
        return _shown(
            item, [], ["The judgement is a side remark: the original answer still answers the question."]
        )
    settled = [
        s
        for s in item.added
        if CRITERION.search(s) and _shares_term(s, evaluative | modal) and not NEGATION.search(s)
    ]
    if settled:
        return _shown(item, [f"The passage states a criterion for the judgement: {settled[0]!r}."])
    return _shown(item, [])


def _fresh(pattern: re.Pattern[str], text: str, known: str) -> set[str]:
    return {m.group().lower() for m in pattern.finditer(text)} - {
        m.group().lower() for m in pattern.finditer(known)
    }


_VERDICT_VERB = re.compile(
    r"\b(?:should|ought|would|will|might|must|could|deserves?|shall)\b|^(?:if|had|suppose|imagine|assuming|what if)\b",
    re.I,
)
_VERDICT_OBJECT = re.compile(
    r"\b(?:who|what|which|how|where|when)\b[^,?]{0,40}\b(?:best|better|worst|greatest|most|finest|beautiful|likely|probab\w+|"
    r"moral\w*|ethical|justified|right|wrong|fair|good|bad|expensive|worth|rank|chance|odds|future|predict\w*|forecast)\b",
    re.I,
)


def _decides(query: str) -> bool:
    """True if the question's own verb is modal or its wh-phrase evaluative, so that no fact can answer it."""
    return bool(_VERDICT_VERB.search(query) or _VERDICT_OBJECT.search(query))


_COMMON_SENSE_LEVERS = frozenset(
    {
        "Obvious Benefit",
        "Undesirable Effect Obvious",
        "Binary Desirability",
        "Heavier is Factual",
        "Strict Containment",
        "Weak Possibility vs. High Likelihood",
        "Commonness from Percentage",
    }
)
"""Levers whose evaluative word is settled by plain sense, without a criterion in the passage."""


def _criterion_stated(item: CheckedItem, evaluative: set[str]) -> RuleVerdict:
    if not evaluative or not item.context_changed or item.candidate.lever in _COMMON_SENSE_LEVERS:
        return NO_OPINION
    stated = any(CRITERION.search(s) or _shares_term(s, evaluative) for s in item.added)
    return _shown(item, [] if stated else [f"No sentence settles what {sorted(evaluative)[0]!r} means."])


def _shares_term(sentence: str, terms: set[str]) -> bool:
    said = content_stems(sentence)
    return any(content_stems(term) & said for term in terms) or any(term in words(sentence) for term in terms)
