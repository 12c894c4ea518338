"""What stands beside an answer and would betray it, or pass for it, once the answer alone is taken out."""

from __future__ import annotations

import re

from perturb.rules.analyse import Analysis
from perturb.rules.answers import AnswerType
from perturb.rules.leaks import number_left
from perturb.rules.pools import SMALL_NUMBERS
from perturb.rules.redaction import answer_spans

_SPAN_OF_TIME = re.compile(
    rf"\b(?:\d+|{'|'.join(SMALL_NUMBERS)})(?:st|nd|rd|th)?[- ]"
    r"(?:year|month|week|day|decade|season|anniversary|birthday)"
)
"""A length of time, from which a date may be worked out."""

_YEAR = re.compile(r"\b(?:1\d\d\d|20\d\d)\b")
_NAMED_SO = r"(?:known|called|nicknamed|dubbed|styled|referred to|abbreviated|alias|a\.?k\.?a\.?)"
_OTHER_NAME_AFTER = re.compile(rf"[^.;\n]{{0,40}}\b{_NAMED_SO}\b")
_OTHER_NAME_BEFORE = re.compile(rf"\b{_NAMED_SO}\b (?:\w+ )?as [^.;\n]{{2,40}},\s*$")


def betrayed_beside(analysis: Analysis) -> bool:
    """Whether words that stay would let a reader work out the answer, or take something else for it."""
    return _deducible(analysis) or _has_gloss(analysis)


def _deducible(analysis: Analysis) -> bool:
    """Whether a number or date might be worked out, or replaced, from figures or spans of time that stay."""
    if analysis.answer_type in (AnswerType.DATE, AnswerType.YEAR):
        dated = " ".join(analysis.sentences[i].text for i in analysis.answer_sentences)
        own = {year for alias in analysis.instance.answers for year in _YEAR.findall(alias)}
        return _SPAN_OF_TIME.search(dated) is not None or bool(set(_YEAR.findall(dated)) - own)
    if analysis.answer_type is not AnswerType.NUMBER:
        return False
    for mention in analysis.mentions:
        text = analysis.instance.passages[mention.passage].text
        after = text[mention.end :].split()
        unit = (analysis.answer.split()[1:2] or after[:1] or ["%"])[0].strip(".,")
        if len(re.findall(rf"\d\s?{re.escape(unit)}(?!\w)", text)) > 1:
            return True
    held = [analysis.sentences[i] for i in analysis.answer_sentences]
    bare = " ".join(s.text for s in held)
    for mention in analysis.mentions:
        bare = bare.replace(mention.text, " ")
    return number_left(bare) is not None


def _has_gloss(analysis: Analysis) -> bool:
    """Whether a bracket or another name beside the answer, or a place said to be near it, would give it away."""
    texts = [(p.text, span) for p in analysis.instance.passages for span in answer_spans(analysis, p.text)]
    if any(re.match(r"\s*[(,–—]?\s*\((?!born)[^()]*[a-z]", text[end:]) for text, (_, end) in texts):
        return True
    if any(_OTHER_NAME_AFTER.match(text[end:]) for text, (_, end) in texts):
        return True
    if any(_OTHER_NAME_BEFORE.search(text[:start]) for text, (start, _) in texts):
        return True
    near = re.search(r"\bnear(?:by)?\b", analysis.text) is not None
    return near and analysis.answer_type is AnswerType.PLACE
