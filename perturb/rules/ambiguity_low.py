"""Rules of P-Ambiguity at LOW: a second reading that falls away."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping

from perturb.records import Cell, Intensity, PerturbationClass
from perturb.rules import ambiguity_words as say
from perturb.rules import pools
from perturb.rules.ambiguity_gap import gap_of, sibling_title, with_note
from perturb.rules.ambiguity_rivals import deed_of
from perturb.rules.ambiguity_side import neighbour
from perturb.rules.analyse import Analysis
from perturb.rules.answers import AnswerType
from perturb.rules.doers import asserts_deed, is_clean, maybe_person
from perturb.rules.drafts import (
    answer_kept,
    answer_sentence,
    fill,
    in_style,
)
from perturb.rules.questions import inflected
from perturb.rules.rule import Draft, Rule
from perturb.rules.subjects import WORKS
from perturb.rules.topics import is_cased
from perturb.rules.words import capitalise, content_stems, has_word

LOW = Cell(PerturbationClass.AMBIGUITY, Intensity.LOW)


def _pronoun_fits(analysis: Analysis) -> bool:
    gap = gap_of(analysis)
    return (
        gap is not None
        and answer_sentence(analysis) is not None
        and (bool(gap.subject.sort in WORKS and gap.subject.noun) or gap.subject.sort in say.SIBLINGS)
        and not gap.left.lower().rstrip().endswith(" at")
        and gap.subject.noun not in ("band", "team", "club", "group")
        and not gap.subject.name.lower().endswith("s")
        and len(analysis.query.split()) - len(gap.subject.name.split()) >= 2
        and re.match(r"(?:who|when|where|how|what|which)\b", gap.left.lower()) is not None
        and not re.search(
            r"\b(?:a|an|this|that|his|her|its|their|\w+'s|my|first|last|of the|new|old)\s+$",
            gap.left,
            re.IGNORECASE,
        )
    )


def _pronoun(analysis: Analysis, rng: random.Random) -> Draft | None:
    gap = gap_of(analysis)
    if gap is None:
        return None
    subject = gap.subject
    if subject.sort in WORKS and subject.noun:
        decoy = rng.choice(say.WORK_DECOYS).format(noun=subject.noun, sibling=sibling_title(analysis, rng))
    else:
        decoy = neighbour(rng, subject.sort)
    if content_stems(decoy) & content_stems(analysis.query):
        return None
    question = re.sub(r"\s+", " ", gap.filled("its" if gap.possessive else "it")).strip()
    question = question[0].lower() + question[1:]
    query = rng.choice(say.FRONTS).format(full=subject.full, question=question)
    return with_note(
        analysis, _styled(analysis, query),
        fill(rng, say.DECOYS, decoy=decoy, full=subject.full, Full=capitalise(subject.full)),
        "The question uses a pronoun that could mean a decoy but plainly means the topic it names first.",
    )  # fmt: skip


_VERB_FAMILIES: Mapping[str, tuple[str, ...]] = {
    "sing": ("sing",),
    "play": ("play", "portray", "voice"),
    "write": ("write", "compose"),
    "think": ("invent", "discover", "design", "coin"),
    "make": ("make", "create", "direct", "draw", "paint"),
    "win": ("win",),
    "own": ("own", "sponsor", "kidnap"),
    "rule": ("determine", "issue", "control"),
}
_GROUP_FAMILIES = ("win", "own", "rule")
_POST = re.compile(
    r"who (?:is|was) the (?:[\w-]+ ){0,4}(?:president|leader|king|queen|minister|governor|emperor|chancellor)\b",
    re.I,
)


def _sense_family(analysis: Analysis) -> str | None:
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


def _sense_fits(analysis: Analysis) -> bool:
    return (
        _sense_family(analysis) is not None
        and answer_sentence(analysis) is not None
        and asserts_deed(analysis)
    )


def _sense(analysis: Analysis, rng: random.Random) -> Draft | None:
    family = _sense_family(analysis)
    if analysis.question is None or family is None:
        return None
    sense = rng.choice(say.SENSES[family])
    if has_word(f"{analysis.query} {analysis.text}", sense):
        return None
    query = _styled(
        analysis, rng.choice(say.SENSE_QUESTIONS).format(sense=sense, did=deed_of(analysis.question))
    )
    return Draft(
        query,
        analysis.instance.passages,
        f"The word {sense!r} has several senses, of which the context leaves one.",
    )


def _styled(analysis: Analysis, text: str) -> str:
    """A new question as the original is written; all in small letters where not every name in it is known."""
    styled = in_style(analysis, text)
    return styled if is_clean(analysis) or is_cased(analysis.instance.query) else styled.lower()


def _epithet_fits(analysis: Analysis) -> bool:
    gap = gap_of(analysis)
    return (
        gap is not None
        and bool(gap.subject.noun)
        and not gap.possessive
        and answer_sentence(analysis) is not None
        and not any(has_word(alias, gap.subject.noun) for c in analysis.clusters for alias in c.aliases)
    )


def _epithet(analysis: Analysis, rng: random.Random) -> Draft | None:
    gap = gap_of(analysis)
    if gap is None:
        return None
    first, second = rng.sample(pools.EPITHETS, 2)
    noun = gap.subject.noun
    names = [n for n in say.EPITHET_NAMES if "{noun}" in n or not gap.right.strip(" ?")]
    name = rng.choice(names).format(noun=noun, epithet=first)
    note = fill(rng, say.EPITHET_NOTES, full=gap.subject.full, epithet=first, other=second, noun=noun)
    return with_note(
        analysis, _styled(analysis, gap.filled(name)), note,
        "The topic is called by an epithet that the context ties to it alone.",
    )  # fmt: skip


LOW_RULES: tuple[Rule, ...] = (
    Rule("Dominant-sense Polysemy", LOW, "a who-question that parses; the answer is a person or a named body",
         _sense_fits, _sense, answer_kept),
    Rule("Salient-antecedent Pronoun", LOW, "the question names its topic, which is no person or group",
         _pronoun_fits, _pronoun, answer_kept),
    Rule("Resolvable Appositive Ambiguity", LOW, "the question names a topic of known kind",
         _epithet_fits, _epithet, answer_kept),
)  # fmt: skip
"""The rules of the cell."""
