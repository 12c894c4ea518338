"""Whether an instance is a sound base for an item that must keep its answer."""

from __future__ import annotations

import re

from perturb.rules.analyse import Analysis
from perturb.rules.answers import AnswerType
from perturb.rules.drafts import answer_sentence
from perturb.rules.false_premise_denials import SENSES
from perturb.rules.redaction import answer_spans
from perturb.rules.words import content_stems, stem

_SAYS_LITTLE = content_stems(
    "name names called kind type person people man woman character actor actress singer country city place state part "
    "year date day time song movie film show book number located many much long come take made make get got play plays "
    "first new whole list real following happen mean term word located role world lyric lyrics ever last history "
    "back map present "
    "belong game games just hit 1 one two oldest"
)
"""Words of questions that a statement need not repeat: "which city", "when did it happen"."""
_DECISIVE = content_stems(
    "finished completed ended killed real discovered invented operating most leave left stop stopped join died born "
    "original longest highest certified purpose capital"
)
"""Words of questions that change what is asked, so that the passage must say them."""
_TASK = re.compile(r"\b(?:express|convert|real|name for|explain|give|list|difference|most of|example)\b")
_LISTED_BEFORE = re.compile(r"\b[A-Z][\w.]+(?: of [A-Z]\w+)?(?:,? (?:and|or)|,) $")
_LISTED_AFTER = re.compile(r"(?: of [A-Z]\w+)?(?:,? (?:and|or)|,) [A-Z]\w+ [A-Z]")
"""A name right beside another."""
_UNSURE = re.compile(
    r"\b(?:essentially|arguably|allegedly|alleged|claim(?:s|ed)?|possibly|perhaps|probably|may|might|supposed(?:ly)?"
    r"|believed|thought to|said to|slated|due to take|attributed|rumou?red)\b"
)
_YEAR = re.compile(r"\b(?:1[0-9]|20)\d\d\b")
_POINTS = re.compile(r"\b(?:he|she|it|they|his|her|its|their|this|these|that|the)\b", re.IGNORECASE)


def answers_plainly(analysis: Analysis) -> bool:
    """Whether the passage states the answer for what is asked, with no other value of its kind beside it.

    Nearly all content words of the question stand in the context, every one that decides what is asked among them;
    the answering sentence names the topic or points back to it.
    """
    held = answer_sentence(analysis)
    if held is None or not _all_told(analysis):
        return False
    if _TASK.search(analysis.query.lower()) or _UNSURE.search(held.text):
        return False
    asked = content_stems(analysis.instance.query) - _SAYS_LITTLE
    topic = content_stems(analysis.topic.text) & asked if analysis.topic else frozenset()
    missing = asked - content_stems(f"{analysis.text} {_senses(analysis)}")
    if missing & _DECISIVE or len(missing) > 0.5 * len(asked) or len(missing & topic) > 0.5 * len(topic):
        return False
    said = content_stems(held.text)
    named = (
        bool(topic & said) or _POINTS.search(held.text) is not None or len(asked & said) >= 0.5 * len(asked)
    )
    return named and not _rivalled(analysis, held.text)


def _senses(analysis: Analysis) -> str:
    """Other words for the verb of the question."""
    verb = analysis.question.verb.lower() if analysis.question else ""
    return " ".join(
        words for key, words in SENSES.items() if stem(key) == stem(verb) or verb in words.split()
    )


def _all_told(analysis: Analysis) -> bool:
    """Whether nearly every accepted date stands in the context, so that none competes with what it says."""
    stated = {alias for cluster in analysis.clusters for alias in cluster.aliases}
    timely = analysis.answer_type in (AnswerType.DATE, AnswerType.YEAR)
    return not timely or len(set(analysis.instance.answers) - stated) < 2


def _rivalled(analysis: Analysis, text: str) -> bool:
    """Whether a sentence holds a second value of the answer's type."""
    spans = answer_spans(analysis, text)
    if analysis.answer_type not in (AnswerType.DATE, AnswerType.YEAR):
        return any(_LISTED_BEFORE.search(text[:s]) or _LISTED_AFTER.match(text[e:]) for s, e in spans)
    for start, end in reversed(spans):
        text = f"{text[:start]} {text[end:]}"
    others = set(_YEAR.findall(re.sub(r"\([^()]*\)", "", text)))
    return _YEAR.search(analysis.answer) is not None and not others <= set(_YEAR.findall(analysis.query))
