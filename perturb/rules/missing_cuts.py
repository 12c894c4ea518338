"""Cutting what states an answer: its clause, its whole sentence, or the time expression alone."""

from __future__ import annotations

import re

from perturb.records import Passage
from perturb.rules.analyse import Analysis
from perturb.rules.answer_leakage import leak
from perturb.rules.answers import AnswerType
from perturb.rules.drafts import DANGLING, following
from perturb.rules.missing_clues import CREDIT
from perturb.rules.redaction import answer_spans, clean_title
from perturb.rules.sentences import without
from perturb.rules.words import capitalise

FEWEST_WORDS = 20
"""A passage must keep so many words when its answering sentences are cut."""


_CLAUSE = re.compile(
    r", (?:which|who|where|whose|(?:first |originally |officially |\w+ly )?(?:\w{3,}ed|written|sung|built|made|held|set"
    r"|shot|won|led|begun|given|known|seen|born))\b[^,;:()]*$"
)
"""What opens a clause that a sentence stands without, up to the answer."""


def without_clauses(analysis: Analysis) -> tuple[Passage, ...] | None:
    """The passages without the clause, between commas, that holds the one mention of the answer."""
    passages, cut = [], 0
    for index, passage in enumerate(analysis.instance.passages):
        text = passage.text
        spans = answer_spans(analysis, text)
        if len(spans) > 1 or (spans and cut):
            return None
        for start, end in spans:
            own = next((s for s in analysis.sentences_in(index) if s.start <= start < s.end), None)
            played = analysis.answer_type is AnswerType.PERSON
            if played and (credit := CREDIT.search(text[:start])) and text[end : end + 1] == ")":
                text, cut = text[: credit.start()] + text[end + 1 :], cut + 1
                continue
            opening = _CLAUSE.search(text[own.start : start]) if own else None
            closing = re.match(r"[^,;:().]*(?:,(?= [a-z])|(?=\.(?:\s|$)))", text[end:])
            if own is None or opening is None or closing is None:
                return None
            text = text[: own.start + opening.start()] + text[end + closing.end() :]
            cut += 1
        passages.append(Passage(text, clean_title(analysis, passage.title), passage.role))
    left = any(leak(analysis, p.text) for p in passages)
    return tuple(passages) if cut and not left else None


def without_answers(analysis: Analysis) -> tuple[Passage, ...] | None:
    """The passages without their answering sentences; None where too little or something dangling is left."""
    held = [analysis.sentences[i] for i in analysis.answer_sentences]
    if len(held) > 2:
        return None
    passages = []
    for index, passage in enumerate(analysis.instance.passages):
        cut = [s for s in held if s.passage == index]
        after = [n for n in (following(analysis, s) for s in cut) if n and n not in held]
        if after and any(following(analysis, s) in cut for s in cut):
            return None
        text = without(passage.text, cut) if cut else passage.text
        if cut and (len(text.split()) < FEWEST_WORDS or any(DANGLING.match(n.text) for n in after)):
            return None
        opened = any(s.start < 3 for s in cut)
        if (opened and COUNTS_ON.match(text)) or any(
            _COUNTS_ON_LAST.match(n.text) or _POINTS_BACK.search(n.text) for n in after
        ):
            return None
        passages.append(Passage(text, clean_title(analysis, passage.title), passage.role))
    return tuple(passages)


COUNTS_ON = re.compile(
    r"(?:The|This|These|Those|Its?|His|He|Her|She|Their|They|From then|Then|Since|Later"
    r"|For (?:example|instance)|Despite)\b"
    r"|[A-Z]\w+ (?:is|was|are|were|has|had|also|\w+ed)\b"
)
"""How a sentence opens that counts on an earlier one: "The Foundation", "From then", "Packer was"."""
_COUNTS_ON_LAST = re.compile(
    r"(?:The (?:new|other|latter|former|same|second|next)|From then|Since then|For (?:example|instance)|Despite|However"
    r"|These|This|Such)\b"
)
"""How a sentence opens that counts on the very last one."""
_POINTS_BACK = re.compile(
    r"\b(?:the (?:others?(?! hand)|latter|former|same|second|rest)|another|both|again|that (?:year|time))\b",
    re.IGNORECASE,
)
"""What leans on the sentence before it, wherever it stands."""


def without_time(text: str, start: int, end: int) -> str | None:
    """The text without the phrase of time around a date; None where the phrase is no mere adjunct."""
    own = re.match(r"(?:in|on)\s", text[start:end], re.IGNORECASE)
    found = re.search(r"\b(?:in|on)\s+(?:the\s+)?$", text[:start], re.IGNORECASE)
    if own is None and found is None:
        bracket = re.search(r"\s*\($", text[:start])
        if bracket and text[end : end + 1] == ")":
            return text[: bracket.start()] + text[end + 1 :]
        return None
    left = text[:start] if own or found is None else text[: found.start()]
    right = text[end:]
    if re.match(r"\s*(?:[–-]|to\b|until\b|and \d|[A-Z])", right):
        return None
    opens = not left.strip() or left.rstrip()[-1] in ".!?"
    if opens:
        return left + capitalise(right.lstrip(", ")) if right.startswith(",") else None
    word = left.split()[-1]
    if word[0].islower() and re.match(r"[.,;)]", right):
        return None
    if left.rstrip().endswith(",") and right.startswith(","):
        return left.rstrip()[:-1] + right[1:]
    return left.rstrip() + right
