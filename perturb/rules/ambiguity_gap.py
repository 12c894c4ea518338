"""The question around its subject, as the P-Ambiguity rules take it apart."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from perturb.rules import pools
from perturb.rules.analyse import Analysis
from perturb.rules.drafts import answer_sentence, calm_place
from perturb.rules.questions import is_verb, parse_question
from perturb.rules.rule import Draft
from perturb.rules.sentences import inserted_after
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


def with_note(analysis: Analysis, query: str, addition: str, reasoning: str) -> Draft | None:
    sentence = answer_sentence(analysis)
    sentence = None if sentence is None else calm_place(analysis, sentence)
    if sentence is None:
        return None
    text = analysis.instance.passages[sentence.passage].text
    return Draft(
        query, analysis.with_passage(sentence.passage, inserted_after(text, sentence, addition)), reasoning
    )
