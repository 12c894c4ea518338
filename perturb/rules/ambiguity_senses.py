"""P-Ambiguity at LOW: words with several senses, of which the passage leaves one."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from functools import lru_cache

from perturb.rules import ambiguity_low_words as say
from perturb.rules.ambiguity_rivals import deed_of, vague_outing
from perturb.rules.analyse import Analysis, support
from perturb.rules.answer_person import asserts_deed, is_clean, maybe_person
from perturb.rules.answers import AnswerType
from perturb.rules.drafts import answer_sentence, in_style
from perturb.rules.question_parsing import inflected
from perturb.rules.rule import Draft
from perturb.rules.topics import is_cased
from perturb.rules.words import has_word

_VERB_FAMILIES: Mapping[str, tuple[str, ...]] = {
    "sing": ("sing",),
    "play": ("play", "portray", "voice"),
    "write": ("write", "compose"),
    "think": ("invent", "discover", "design", "coin"),
    "make": ("create", "direct"),
    "draw": ("draw", "paint"),
    "win": ("win",),
    "own": ("own",),
    "rule": ("determine", "issue", "control"),
}
_GROUP_FAMILIES = ("win", "own", "rule")
_POST = re.compile(
    r"who (?:is|was) the (?:[\w-]+ ){0,4}(?:president|leader|king|queen|minister|governor|emperor|chancellor)\b",
    re.I,
)


def _family(analysis: Analysis) -> str | None:
    """What sort of word with several senses may stand for the answer."""
    question = analysis.question
    if (
        question is None
        or question.wh != "who"
        or re.match(r"who \w+ (?:at|for|in|on|with) ", analysis.query)
    ):
        return None
    if question.verb in ("is", "was"):
        return "be" if analysis.answer_type is AnswerType.PERSON and _POST.match(analysis.query) else None
    verb = inflected(question.verb.lower(), "VB") or ""
    family = next((family for family, verbs in _VERB_FAMILIES.items() if verb in verbs), None)
    if family == "sing" and analysis.answer_type is not AnswerType.PERSON:
        return "perform" if analysis.answer[:1].isupper() else None
    if analysis.answer_type is AnswerType.PERSON or maybe_person(analysis):
        return None if family == "win" else family
    return family if family in _GROUP_FAMILIES and analysis.answer[:1].isupper() else None


def sense_fits(analysis: Analysis) -> bool:
    """Whether a plain word of the question can give way to one with several senses."""
    if answer_sentence(analysis) is None:
        return False
    return _told_in_full(analysis) or (_family(analysis) is not None and asserts_deed(analysis))


def _told_in_full(analysis: Analysis) -> bool:
    """Whether a verb of the question can give way, and the answering sentence tells what is asked."""
    sentence = answer_sentence(analysis)
    return (
        sentence is not None
        and bool(_reworded(analysis))
        and analysis.single_answer
        and asserts_deed(analysis)
        and support(analysis.query, f"{analysis.instance.passages[sentence.passage].title} {sentence.text}")
        >= 0.5
    )


def _reworded(analysis: Analysis) -> list[str]:
    """The question with a verb of several senses in the place of a plain one, in all the ways there are."""
    if vague_outing(analysis):
        return []
    query = analysis.query.rstrip("? ")
    return [
        pattern.sub(new, query, count=1)
        for pattern, words in _verbs()
        if pattern.search(query)
        for new in words
    ]


@lru_cache(maxsize=1)
def _verbs() -> tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]:
    return tuple((re.compile(pattern, re.IGNORECASE), words) for pattern, words in say.VERBS)


def sense(analysis: Analysis, rng: random.Random) -> Draft | None:
    """The question with a word of several senses in the place of a plain one."""
    verbs = _reworded(analysis) if _told_in_full(analysis) else []
    family = _family(analysis) if asserts_deed(analysis) else None
    if verbs and (family is None or rng.random() < 0.4):
        query = styled(analysis, rng.choice(verbs))
    elif family is not None and analysis.question is not None:
        noun = rng.choice(say.SENSES[family])
        if has_word(f"{analysis.query} {analysis.text}", noun):
            return None
        wording = rng.choice(say.SENSE_QUESTIONS)
        query = styled(analysis, wording.format(sense=noun, did=deed_of(analysis.question)))
    else:
        return None
    return Draft(
        query,
        analysis.instance.passages,
        "A word of the question has several senses; the context leaves one.",
    )


def styled(analysis: Analysis, text: str) -> str:
    """A new question as the original is written; all in small letters where not every name in it is known."""
    words = in_style(analysis, text)
    return words if is_clean(analysis) or is_cased(analysis.instance.query) else words.lower()
