"""Passages restated around an ambiguity, without the sentences that would then point at nothing."""

from __future__ import annotations

import re

from perturb.records import Passage
from perturb.rules.analyse import Analysis
from perturb.rules.drafts import passage_of, restated
from perturb.rules.sentences import Sentence
from perturb.rules.subjects import subject_of
from perturb.rules.words import content_stems, has_word

_OPENS_DEFINITE = re.compile(r"(?:However, |Then |In \d{4},? )?[Tt]he ([a-z]{3,})\b")
_DEFINITE = re.compile(
    r"\b[Tt]he ([a-z]{3,})\b(?! (?:of|in|that|who|which|to|for|from|at|on|by|with|and|[a-z]+ (?:of|that|which|who))\b)"
)
_WORKS = frozenset(("movie", "film", "song", "album", "book", "novel", "series", "show", "track", "episode"))
_POINTING = re.compile(
    r"\b(?:[Tt]hese|[Tt]hose|[Tt]his|[Ss]uch) [a-z]|\b(?:the|its|their) (?:latter|former)\b"
)


def restated_soundly(analysis: Analysis, new: str) -> tuple[Passage, ...] | None:
    """The passages with new words for all that points to the answer; None if little would be left of them.

    A sentence that stood after a lost one goes as well if it opens with "the" and a noun that is not the subject's,
    or if it speaks by "the" or "these" of what only the lost words had named.
    """
    passages = restated(analysis, new)
    if passages is None:
        return None
    subject = subject_of(analysis)
    noun = "" if subject is None else subject.noun
    cleaned = []
    for index, passage in enumerate(passages):
        text = passage.text
        named = subject is not None and has_word(f"{analysis.query} {new} {text}", subject.name)
        for sentence in _pointless(analysis, index, text, f"{analysis.query} {new}", noun if named else ""):
            text = text.replace(sentence, " ", 1)
        cleaned.append(passage_of(passage, re.sub(r" {2,}", " ", text).strip()))
    return tuple(cleaned) if _enough_left(analysis, " ".join(p.text for p in cleaned)) else None


def _enough_left(analysis: Analysis, text: str) -> bool:
    """Whether the passages are not much shorter than before, and still speak of what they spoke of."""
    before, after = content_stems(analysis.text), content_stems(text)
    floor = _LEAST_SHARE if len(analysis.sentences) > _FEW_SENTENCES else _LEAST_SHARE / 2
    return len(text.split()) > _LEAST_LENGTH * len(analysis.text.split()) and len(
        before & after
    ) > floor * len(before)


_LEAST_LENGTH = 0.455
"""Share of the words that a passage has to keep."""
_LEAST_SHARE = 0.25
"""Share of the content words that a passage of more than a few sentences has to keep."""
_FEW_SENTENCES = 2


def _pointless(analysis: Analysis, index: int, text: str, asked: str, noun: str) -> list[str]:
    """The sentences left of a passage that lean on lost ones."""
    known, lost, found = f"{asked} {noun} {analysis.instance.passages[index].title}", "", []
    after_loss = False
    for sentence in analysis.sentences_in(index):
        if sentence.text not in text:
            after_loss, lost = True, f"{lost} {sentence.text}"
        elif lost and _leans_back(sentence, known, lost, noun, after_loss):
            found.append(sentence.text)
            after_loss, lost = True, f"{lost} {sentence.text}"
        else:
            after_loss, known = False, f"{known} {sentence.text}"
    return found


def _leans_back(sentence: Sentence, known: str, lost: str, noun: str, after_loss: bool) -> bool:
    """Whether a sentence points at something that only lost words had named."""
    there, gone = content_stems(known), content_stems(lost)
    opening = _OPENS_DEFINITE.match(sentence.text)
    if after_loss and opening and opening.group(1) != noun:
        stems = content_stems(opening.group(1))
        if not stems & there or opening.group(1) in _WORKS:
            return True
    if after_loss and _POINTING.search(sentence.text):
        return True
    if after_loss and any(
        match.group(1) in _WORKS and match.group(1) != noun and not content_stems(match.group(1)) & there
        for match in _DEFINITE.finditer(sentence.text)
    ):
        return True
    heads = (content_stems(match.group(1)) for match in _DEFINITE.finditer(sentence.text))
    return after_loss and any(head & gone and not head & there for head in heads)
