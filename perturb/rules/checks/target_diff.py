"""Target compliance: what the class may change was changed, nothing else was, and neither too little nor too much."""

from __future__ import annotations

import re

from perturb.records import Intensity, PerturbationClass
from perturb.rules.checks.checked_item import CheckedItem
from perturb.rules.checks.readings import holds_alias
from perturb.rules.checks.texts import content_stems, coverage, normal
from perturb.rules.checks.verdicts import RuleVerdict, verdict

MARKUP = re.compile(
    r"\{[^{}]*\}|\{\{|\}\}|</?[a-z][a-z0-9]*>|<[A-Z_ ]+>|```|\*\*\w|\$\w+\$|%\(\w+\)?s|%s\b|\\n|\bTODO\b"
    r"|\bNone (?=[a-z]+ed\b)|\bnan\b|\[(?:TOPIC|ANSWER|ENTITY|NAME|X|Y|SLOT)\]"
    r"|^\s*(?i:query|question|context|passage|answer)\s*:\s",
    re.M,
)
"""Marks of a template that was not filled in, or of a reply that was not cleaned."""

_BRACKETED = re.compile(r"\[[^\]]*\]")
REWRITING_LEVERS = frozenset({"Entirely Irrelevant Context", "Audio-only Reference", "Zero-Row Table"})
"""Levers that replace the whole passage on purpose."""


def check_target_diff(item: CheckedItem) -> RuleVerdict:
    """Judge `target_compliance` for every class."""
    against = _outside_target(item) + _size_of_change(item) + _markup(item)
    return verdict(item, {"target_compliance": against})


def _outside_target(item: CheckedItem) -> list[str]:
    against = []
    if "query" not in item.target and item.original.query != item.candidate.query:
        against.append("The question was changed, though this class leaves it alone.")
    if "context" not in item.target and _passage_texts(item, before=True) != _passage_texts(
        item, before=False
    ):
        against.append("A passage was changed, though this class leaves the context alone.")
    if len(item.original.passages) != len(item.candidate.passages):
        against.append("The number of passages differs from the original.")
    return against


def _passage_texts(item: CheckedItem, *, before: bool) -> list[str]:
    return [passage.text for passage in (item.original if before else item.candidate).passages]


def _size_of_change(item: CheckedItem) -> list[str]:
    if not item.query_changed and not item.context_changed:
        return ["Nothing was changed but blanks."]
    if _only_marks_differ(item):
        return ["Only capitals or punctuation were changed."]
    if item.context_changed and _rewritten(item):
        return ["The context was rewritten almost entirely."]
    return []


def _only_marks_differ(item: CheckedItem) -> bool:
    pairs = ((item.original.query, item.candidate.query), (item.reading.text, item.text))
    return all(_bare(before) == _bare(after) for before, after in pairs if before != after)


def _bare(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def _rewritten(item: CheckedItem) -> bool:
    """True if little of the original survives, for levers that are meant to edit it.

    MissingInfo items may lose much; what they keep must come from the original. Elsewhere the sentences that tell the
    answer may give way to others, and with them what leans on them.
    """
    if item.candidate.lever in REWRITING_LEVERS:
        return False
    before, after = content_stems(item.reading.text), content_stems(_BRACKETED.sub(" ", item.text))
    if item.kind is PerturbationClass.MISSING_INFO:
        floor = 0.2 if item.intensity is Intensity.LOW else 0.0
        return coverage(before, after) < floor or coverage(after, before) < 0.5
    told = frozenset().union(*(content_stems(s) for s in item.removed if holds_alias(item.reading, s)))
    floor = 0.25 if told and len(item.reading.sentences) > 2 else 0.5 if not told else 0.1
    return coverage(before, after) < floor


def _markup(item: CheckedItem) -> list[str]:
    against = []
    for name, before, after in (
        ("question", item.original.query, item.candidate.query),
        ("context", item.reading.text, item.text),
    ):
        if before == after:
            continue
        marks = [m.group().strip() for m in MARKUP.finditer(after)]
        marks = [mark for mark in marks if mark not in before]
        if marks:
            against.append(f"The {name} holds left-over markup: {marks[0]!r}.")
    if not item.text.strip() or not normal(item.candidate.query):
        against.append("The question or the context is empty.")
    return against
