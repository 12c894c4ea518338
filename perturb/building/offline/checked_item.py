"""The finished item as the offline verifiers see it: the original and the candidate, compared once.

It also holds the result of a check, and the check of target compliance: the class allows all changes, and they are
neither too small nor too large.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from perturb.building.offline.checked_words import content_stems, coverage, normal, overlap, sentences
from perturb.building.offline.readings import Reading, holds_alias, reading_of
from perturb.records import BaseInstance, Candidate, Intensity, PerturbationClass, Target
from perturb.text.matching import beyond_reading


@dataclass(frozen=True)
class CheckedItem:
    """One original with the candidate made of it."""

    original: BaseInstance
    candidate: Candidate
    target: frozenset[Target]

    @property
    def kind(self) -> PerturbationClass:
        """The perturbation class of the candidate's cell."""
        return self.candidate.cell.perturbation_class

    @property
    def intensity(self) -> Intensity:
        """The intensity of the candidate's cell."""
        return self.candidate.cell.intensity

    @property
    def low(self) -> bool:
        """True if the item must still be answered."""
        return self.candidate.cell.intensity is Intensity.LOW

    @cached_property
    def beyond_reading(self) -> bool:
        """True if a text is too long or no prose, so that no verifier has an opinion."""
        faults = (beyond_reading(one.query, one.passages) for one in (self.original, self.candidate))
        return any(fault is not None for fault in faults)

    @cached_property
    def reading(self) -> Reading:
        """What the original instance says, read once for each instance."""
        return reading_of(self.original)

    @cached_property
    def query_changed(self) -> bool:
        """True if the question differs in more than blanks."""
        return self.original.query.split() != self.candidate.query.split()

    @cached_property
    def context_changed(self) -> bool:
        """True if a passage differs in more than blanks."""
        before = [passage.text.split() for passage in self.original.passages]
        return before != [passage.text.split() for passage in self.candidate.passages]

    @cached_property
    def text(self) -> str:
        """The candidate's passages, one after the other."""
        if not self.context_changed:
            return self.reading.text
        return "\n".join(passage.text for passage in self.candidate.passages)

    @cached_property
    def shown(self) -> str:
        """All that a reader of the candidate sees of its passages: with several, their titles as well."""
        passages = self.candidate.passages
        titles = [passage.title for passage in passages] if len(passages) > 1 else []
        return "\n".join([*titles, self.text])

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """The sentences of the candidate's passages."""
        if not self.context_changed:
            return self.reading.sentences
        return tuple(s for passage in self.candidate.passages for s in sentences(passage.text))

    @cached_property
    def added(self) -> tuple[str, ...]:
        """Sentences of the candidate that the original lacks, changed ones included."""
        return _beyond(self.sentences, self.reading.sentences)

    @cached_property
    def removed(self) -> tuple[str, ...]:
        """Sentences of the original that the candidate lacks, changed ones included."""
        return _beyond(self.reading.sentences, self.sentences)

    @cached_property
    def inserted(self) -> tuple[str, ...]:
        """Added sentences that are not an edited form of a removed one."""
        return tuple(s for s in self.added if not any(overlap(s, old) >= 0.6 for old in self.removed))

    @cached_property
    def query_stems(self) -> frozenset[str]:
        """Content stems of the candidate's question."""
        return content_stems(self.candidate.query)

    @cached_property
    def new_query_stems(self) -> frozenset[str]:
        """Content stems of the question that the original question lacks."""
        return self.query_stems - self.reading.query_stems


def _beyond(these: tuple[str, ...], those: tuple[str, ...]) -> tuple[str, ...]:
    known = {normal(sentence) for sentence in those}
    return tuple(sentence for sentence in these if normal(sentence) not in known)


_RECENT: OrderedDict[tuple[int, int, frozenset[Target]], CheckedItem] = OrderedDict()
_RECENT_SIZE = 32


def checked_item(original: BaseInstance, candidate: Candidate, target: frozenset[Target]) -> CheckedItem:
    """The item of these two, shared between the verifiers that are asked about it one after the other.

    Keyed by identity: an item in the store keeps its two records alive, so that their ids stay theirs.
    """
    key = (id(original), id(candidate), target)
    item = _RECENT.get(key)
    if item is None:
        item = _RECENT[key] = CheckedItem(original, candidate, target)
        while len(_RECENT) > _RECENT_SIZE:
            _RECENT.popitem(last=False)
    return item


@dataclass(frozen=True, slots=True)
class RuleVerdict:
    """One rule-based verifier's opinion on one finished item."""

    passed: bool | None
    """None where it has no opinion."""
    checks: Mapping[str, bool] = field(default_factory=dict)
    """The checks of `records.CHECK_NAMES` that this verifier judged."""
    predicted_behavior: str | None = None
    """The behaviour it expects of a careful reader, where it can tell."""
    issues: tuple[str, ...] = ()
    """Plain sentences, one for each thing that is wrong."""


Check = Callable[[CheckedItem], RuleVerdict]
"""A verifier: reads an item, never the analysis of whoever made it."""

NO_OPINION = RuleVerdict(passed=None)
"""The verdict on an item that a verifier has nothing to say about."""


def verdict(
    item: CheckedItem, findings: Mapping[str, list[str]], predicted: str | None = None
) -> RuleVerdict:
    """Make a verdict of the findings: check name -> the sentences that speak against it.

    A check with no sentence against it holds. `predicted`, where given, is judged against the behaviour the
    item expects.
    """
    checks = {name: not against for name, against in findings.items()}
    issues = [sentence for against in findings.values() for sentence in against]
    if predicted is not None:
        checks["predicted_behavior"] = predicted == item.candidate.expected_behavior
        if not checks["predicted_behavior"] and not issues:
            issues.append(f"A careful reader would do {predicted}, not {item.candidate.expected_behavior}.")
    return RuleVerdict(all(checks.values()), checks, predicted, tuple(issues)) if checks else NO_OPINION


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
