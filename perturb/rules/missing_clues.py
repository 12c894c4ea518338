"""What stands beside an answer and would betray it, or pass for it, once the answer alone is taken out."""

from __future__ import annotations

import re

from perturb.rules.analyse import Analysis
from perturb.rules.answer_leakage import number_left, substitute_left
from perturb.rules.answers import AnswerType
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

CREDIT = re.compile(r" ?\((?:(?:portrayed|played|voiced) by )?$")
"""What opens a bracket that holds a player and nothing else."""

ONE_OF_MANY = re.compile(
    r"\b(?:one of|what is one|name (?:one|two|a|an)|example of|an? (?:element|feature|reason|function|type|part)"
    r"|took part|takes? part|participat\w+"
    r"|purpose|used for|meaning|why|kinds? of|types? of|sorts? of|some of|such as)\b"
)
"""Questions that another member of a set would answer as well, or the description that is left."""
_APPOSITION_BEFORE = re.compile(
    r"(?:\b(?:the|an?|his|her|its|their)\b|['’]s?\b|^As\b)[^,.;]*,\s*$|\b(?:namely|viz\.|i\.e\.,?)\s*$"
)
_APPOSITION_AFTER = re.compile(
    r",? or\b(?! \d)|,\s*(?:an?|the|his|her|its|their|who|which|one of|then|also|later|formerly|now|\w+['’]s)\b"
)
_ROLE_BEFORE = re.compile(
    r"\b(?:wife|husband|son|daughter|brother|sister|father|mother|widow|king|queen|emperor),?\s*$", re.I
)
_AT = re.compile(r"(?:in|at|on|near|across|along|from|under) |(?:north|south|east|west|central)")
_ASKS_NAME = re.compile(r"\b(?:name of the|\w+['’]?s name)\b")
"""Questions whose own words describe what is named."""
_REDATED = re.compile(
    r"\b(?:previous|preceding|following|next|same) (?:day|night|evening|morning|week|month|year)\b"
)
_UNTIL = re.compile(r"\b(?:until|till|since|from \w+ to|between)\b")


def betrayed_beside(analysis: Analysis) -> bool:
    """Whether words that stay would let a reader work out the answer, or take something else for it."""
    where = analysis.instance.query.lower().startswith("where")
    return (
        not analysis.single_answer
        or (where and analysis.answer_type is not AnswerType.PLACE and not _AT.match(analysis.answer))
        or ONE_OF_MANY.search(analysis.query.lower()) is not None
        or _deducible(analysis)
        or _has_gloss(analysis)
        or _described(analysis)
        or _retold_time(analysis)
        or _rival_beside(analysis)
    )


def _described(analysis: Analysis) -> bool:
    """Whether an apposition or a role beside a mention says who or what is meant."""
    if analysis.answer_type in (AnswerType.DATE, AnswerType.YEAR, AnswerType.NUMBER) or _ASKS_NAME.search(
        analysis.query
    ):
        return False
    for index, mention in ((m.passage, m) for m in analysis.mentions):
        text = analysis.instance.passages[index].text
        own = next((s for s in analysis.sentences_in(index) if s.start <= mention.start < s.end), None)
        before = text[own.start if own else 0 : mention.start]
        if _APPOSITION_BEFORE.search(before) or _ROLE_BEFORE.search(before):
            return True
        if _APPOSITION_AFTER.match(text[mention.end :]):
            return True
    return False


def _retold_time(analysis: Analysis) -> bool:
    """Whether a time that is told by another one, or the end of a span that is asked for, stays in the text."""
    query = analysis.instance.query.lower()
    if query.startswith("when") and (
        not re.search(r"\d", analysis.answer) or _REDATED.search(analysis.text.lower())
    ):
        return True
    return query.startswith("how long") and _UNTIL.search(analysis.text.lower()) is not None


def _rival_beside(analysis: Analysis) -> bool:
    """Whether a value of the answer's type stays where a reader could take it for the answer.

    For a date that is any other one in the context, for the holder of a post any other person; for other names any in
    an answering sentence.
    """
    if analysis.answer_type is AnswerType.NUMBER:
        return False
    timely = analysis.instance.query.lower().startswith("when") or analysis.answer_type in (
        AnswerType.DATE,
        AnswerType.YEAR,
    )
    posted = re.match(
        r"who (?:is|was) the (?:current )?(?:ceo|coach|president|leader|head)\b", analysis.query.lower()
    )
    for index, passage in enumerate(analysis.instance.passages):
        rest = _blanked(analysis, passage.text)
        if (timely or posted) and substitute_left(analysis, rest):
            return True
        for sentence in analysis.sentences_in(index):
            held = any(
                m.passage == index and m.start < sentence.end and m.end > sentence.start
                for m in analysis.mentions
            )
            if held and not _cast(analysis) and _left_in(analysis, rest[sentence.start : sentence.end]):
                return True
    return False


def _left_in(analysis: Analysis, sentence: str) -> str | None:
    named = (
        analysis.answer_type in (AnswerType.PERSON, AnswerType.PLACE)
        or analysis.answer[:1].isupper()
        or analysis.instance.query.lower().startswith("where")
    )
    if analysis.answer_type is AnswerType.PERSON:
        sentence = _NO_PERSON.sub(" ", sentence)
    return substitute_left(analysis, sentence) if named else None


_NO_PERSON = re.compile(r"\b(?:at|in|near|album|film|novel|series) (?:the )?(?:[A-Z][\w'’]+ ?)+")
"""A place or a work, which nobody takes for a person."""


def _cast(analysis: Analysis) -> bool:
    """Whether every mention is a player set beside the part, so that other names are those of other parts."""
    asked = re.match(
        r"who(?: is the actor (?:that|who))? (?:plays?|played|voices?|voiced|portray)", analysis.query.lower()
    )
    if asked is None:
        return False
    return all(
        re.match(r",? (?:as|playing|played|plays)\b", text[m.end :]) or CREDIT.search(text[: m.start])
        for m in analysis.mentions
        for text in (analysis.instance.passages[m.passage].text,)
    )


def _blanked(analysis: Analysis, text: str) -> str:
    """A text of the same length with blanks in the place of every answer."""
    for start, end in answer_spans(analysis, text):
        text = text[:start] + " " * (end - start) + text[end:]
    return text


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
