"""The question around its subject, as the P-Ambiguity rules take it apart."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from perturb.rules import pools
from perturb.rules.analyse import Analysis
from perturb.rules.drafts import answer_sentence, following, leans
from perturb.rules.question_parsing import is_verb, parse_question
from perturb.rules.rule import Draft
from perturb.rules.sentences import Sentence, inserted_after
from perturb.rules.subjects import WORKS, Subject, subject_of
from perturb.rules.words import content_stems, has_word, plain

_BEFORE_NAME = re.compile(
    r"(?:\bthe\s+)?(?:\b(?:tv\s+|television\s+)?(?:song|movie|film|show|book|novel|series|play|album|single|game|hymn|poem|"
    r"musical|city|river|country)\s+)?$",
    re.IGNORECASE,
)


_AUXILIARIES = frozenset(("did", "does", "do", "is", "was", "are", "were", "has", "have"))
_PREPOSITIONS = frozenset(
    ("of", "in", "on", "for", "at", "from", "to", "with", "about", "by", "into", "during", "after")
)


@dataclass(frozen=True, slots=True)
class Gap:
    """The question with its subject taken out."""

    subject: Subject
    left: str
    right: str
    possessive: bool

    def filled(self, words: str) -> str:
        """The question with other words in the place of the subject."""
        return f"{self.left}{words}{self.right}"


def gap_of(analysis: Analysis) -> Gap | None:
    """The question around its subject; None if it has none, or one that a pronoun would give away."""
    subject = subject_of(analysis)
    if subject is None or subject.span is None or subject.sort == "person":
        return None
    start, end = subject.span
    left, right = analysis.query[:start], analysis.query[end:]
    found = _BEFORE_NAME.search(left)
    left = left[: found.start()] if found else left
    possessive = right.startswith(("'s", "’s"))
    if re.search(r"\b(?:want|wanna|going|go|who did)\b(?: to)?\s*$", left.lower()):
        return None
    if not possessive and not _stands_free(left, right):
        return None
    if (
        not left.strip()
        or has_word(left + right, subject.name)
        or re.match(r"['’-]?\w", right[2:] if possessive else right)
    ):
        return None
    return Gap(subject, left, right[2:] if possessive else right, possessive)


def _stands_free(left: str, right: str) -> bool:
    """Whether a pronoun or another noun phrase could stand between the two pieces of a question."""
    before, after = left.lower().split(), right.lower().strip(" ?.").split()
    if not before or not (before[-1] in _AUXILIARIES | _PREPOSITIONS or is_verb(before[-1])):
        return False
    return not after or after[0] in _PREPOSITIONS or (before[-1] in _AUXILIARIES and is_verb(after[0]))


def work_gap_of(analysis: Analysis) -> Gap | None:
    gap = gap_of(analysis)
    if gap and plain(gap.subject.name.split()[0]) in pools.MALE_NAMES | pools.FEMALE_NAMES:
        return None
    return gap if gap and gap.subject.sort in WORKS and gap.subject.noun and not gap.possessive else None


def sibling_title(analysis: Analysis, rng: random.Random) -> str:
    free = [
        t
        for t in pools.SIBLING_TITLES
        if not content_stems(t) & content_stems(f"{analysis.text} {analysis.query}")
    ]
    return rng.choice(free) if free else rng.choice(pools.SIBLING_TITLES)


def sibling_claim(gap: Gap, words: str, value: str) -> str | None:
    """The question's claim about something else, with a value."""
    question = parse_question(gap.filled(words))
    return None if question is None else question.claim(value)


_HANGS = re.compile(
    r"\b(?:he|she|it|they|him|his|her|its|their|them|this|these|those|both|there|however|thus|then|later|afterwards?|"
    r"meanwhile|instead|therefore|also|still|again|next|another|other|same|latter|former|although|since|"
    r"years? (?:before|after)|the (?:song|film|movie|series|show|book|novel|album|game|city|country|team|band|event|"
    r"war|battle|company|organi[sz]ation|foundation|play|poem|story))\b|^\w+ (?:one|two)\b|^The \w+\b",
    re.IGNORECASE,
)
"""Words by which a sentence hangs on the one before it, or that could be taken of something new named there."""


def _opens_anew(sentence: Sentence) -> bool:
    """Whether a passage that opens with this sentence can have another one before it."""
    return sentence.complete and not leans(sentence.text) and not re.match(r"The [a-z]", sentence.text)


def _note_place(analysis: Analysis, answering: Sentence) -> Sentence | None:
    """The last sentence of the answering passage after which new words part nothing that hangs together."""
    for place in reversed(analysis.sentences_in(answering.passage)):
        after = following(analysis, place)
        alone = after is None or not (leans(after.text) or _HANGS.search(after.text))
        if place.complete and "\n" not in place.text and alone:
            return place
    return None


def with_note(analysis: Analysis, query: str, addition: str, reasoning: str) -> Draft | None:
    """A draft with a new question, and a sentence added at the end of the passage or where it parts nothing."""
    answering = answer_sentence(analysis)
    if answering is None:
        return None
    place, text = _note_place(analysis, answering), analysis.instance.passages[answering.passage].text
    if place is not None:
        text = inserted_after(text, place, addition)
    elif _opens_anew(analysis.sentences_in(answering.passage)[0]):
        text = f"{addition} {text}"
    else:
        return None
    return Draft(query, analysis.with_passage(answering.passage, text), reasoning)
