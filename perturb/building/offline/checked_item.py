"""The finished item as the offline verifiers see it: the original and the candidate, compared once.

`CheckedItem` has what the verifiers ask of an item, and `verdict` makes their verdict from objections. The first
verifier is here too: `check_target_diff` asks whether the class allows all changes, and whether these are neither too
small nor too large.

Of the candidate's sentences, those that the original lacks are *added*. An added sentence may be the edited form of a
*removed* sentence of the original. If it is not, it is *inserted*.
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

# Overlap with a removed sentence from which an added sentence is an edited form of it.
_EDITED = 0.6


@dataclass(frozen=True)
class CheckedItem:
    """An original and the candidate that was made from it."""

    original: BaseInstance
    candidate: Candidate
    target: frozenset[Target]

    @property
    def kind(self) -> PerturbationClass:
        """The perturbation class of the candidate's cell."""
        return self.candidate.cell.perturbation_class

    @property
    def low(self) -> bool:
        """True at LOW, where a careful reader must still answer."""
        return self.candidate.cell.intensity is Intensity.LOW

    @cached_property
    def beyond_reading(self) -> bool:
        """True if a text is too long or not prose, so that no verifier has an opinion."""
        versions = (self.original, self.candidate)
        return any(beyond_reading(version.query, version.passages) is not None for version in versions)

    @cached_property
    def reading(self) -> Reading:
        """The analysis of the original instance, which all of its candidates share."""
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
        """The passages as a reader of the candidate sees them: several passages come with their titles."""
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
        """The sentences of the candidate that the original lacks, including edited sentences."""
        return _missing_from(self.reading.sentences, self.sentences)

    @cached_property
    def removed(self) -> tuple[str, ...]:
        """The sentences of the original that the candidate lacks, including edited sentences."""
        return _missing_from(self.sentences, self.reading.sentences)

    @cached_property
    def inserted(self) -> tuple[str, ...]:
        """The added sentences that are not edited forms of removed sentences."""
        return tuple(s for s in self.added if not any(overlap(s, old) >= _EDITED for old in self.removed))

    @cached_property
    def query_stems(self) -> frozenset[str]:
        """Content stems of the candidate's question."""
        return content_stems(self.candidate.query)


def _missing_from(reference: tuple[str, ...], sentences: tuple[str, ...]) -> tuple[str, ...]:
    """The sentences that are not in `reference`, compared in normal form."""
    reference_sentences = {normal(sentence) for sentence in reference}
    return tuple(sentence for sentence in sentences if normal(sentence) not in reference_sentences)


# The items that were asked for last, by the identities of original and candidate and by the target.
_RECENT: OrderedDict[tuple[int, int, frozenset[Target]], CheckedItem] = OrderedDict()
# A few items are enough, since the verifiers of an item follow each other closely.
_RECENT_SIZE = 32


def checked_item(original: BaseInstance, candidate: Candidate, target: frozenset[Target]) -> CheckedItem:
    """The item of an original and a candidate. The verifiers, which are asked one after the other, share it."""
    # Instances hold dictionaries, so they have no hash. Identities are safe keys: a stored item keeps both records, so
    # that no other object can get their ids.
    key = (id(original), id(candidate), target)
    item = _RECENT.get(key)
    if item is None:
        item = _RECENT[key] = CheckedItem(original, candidate, target)
        if len(_RECENT) > _RECENT_SIZE:
            _RECENT.popitem(last=False)
    return item


@dataclass(frozen=True, slots=True)
class RuleVerdict:
    """The opinion of a rule-based verifier on a finished item."""

    passed: bool | None
    """None if the verifier has no opinion."""
    checks: Mapping[str, bool] = field(default_factory=dict)
    """The checks of `records.CHECK_NAMES` that this verifier judged."""
    predicted_behavior: str | None = None
    """The behaviour that it expects of a careful reader; None if it cannot tell."""
    issues: tuple[str, ...] = ()
    """Plain sentences, one for each fault."""


Check = Callable[[CheckedItem], RuleVerdict]
"""A verifier reads an item, and never the analysis by the generator that made it."""

NO_OPINION = RuleVerdict(passed=None)
"""The verdict on an item that a verifier has nothing to say about."""


def verdict(
    item: CheckedItem, findings: Mapping[str, list[str]], predicted: str | None = None
) -> RuleVerdict:
    """Make a verdict from findings: the name of each check, with one sentence for each objection.

    A check without objections is passed. `predicted`, if given, must be the behaviour that the item expects.
    """
    checks = {name: not objections for name, objections in findings.items()}
    issues = [sentence for objections in findings.values() for sentence in objections]
    if predicted is not None:
        checks["predicted_behavior"] = predicted == item.candidate.expected_behavior
        if not checks["predicted_behavior"] and not issues:
            issues.append(f"A careful reader would do {predicted}, not {item.candidate.expected_behavior}.")
    return RuleVerdict(all(checks.values()), checks, predicted, tuple(issues)) if checks else NO_OPINION


# The next constants are shares of the content words of the original that must remain.

# In MissingInfo at LOW, whose cut must not touch the answer.
_KEPT_AFTER_LOW_CUT = 0.2
# If no sentence with the answer was removed.
_KEPT_WITH_ANSWER = 0.5
# If sentences with the answer were replaced, and with them those that refer to them.
_KEPT_WITHOUT_ANSWER = 0.25
# Little remains of a passage of two sentences if one of them is replaced.
_KEPT_OF_TWO_SENTENCES = 0.1
# Share of the words after a cut that must come from the original.
_OLD_SHARE = 0.5

# Marks of a template that was not filled in, or of a reply that was not cleaned.
_MARKUP = re.compile(
    r"""
      \{[^{}]*\} | \{\{ | \}\} | \$\w+\$ | %\(\w+\)?s | %s\b                   # gaps of templates
    | </?[a-z][a-z0-9]*> | <[A-Z_\ ]+> | ``` | \*\*\w | \\n                      # HTML, Markdown, escapes
    | \bTODO\b | \[(?:TOPIC|ANSWER|ENTITY|NAME|X|Y|SLOT)\]                     # place-holders
    | \bNone\ (?=[a-z]+ed\b) | \bnan\b                                        # values of a program
    | ^\s*(?i:query|question|context|passage|answer)\s*:\s                     # headings of a prompt
    """,
    re.MULTILINE | re.VERBOSE,
)
BRACKETED = re.compile(r"\[[^\]]*\]")
"""A place-holder or a mark of an omission: "[redacted]"."""
# Levers that replace the whole passage on purpose.
_REWRITING_LEVERS = frozenset({"Entirely Irrelevant Context", "Audio-only Reference", "Zero-Row Table"})


def check_target_diff(item: CheckedItem) -> RuleVerdict:
    """Judge `target_compliance` for every class."""
    objections = _outside_target(item) + _size_of_change(item) + _markup(item)
    return verdict(item, {"target_compliance": objections})


def _outside_target(item: CheckedItem) -> list[str]:
    """One line for each change of a part that the class does not allow to change."""
    objections = []
    if "query" not in item.target and item.original.query != item.candidate.query:
        objections.append("The question was changed, though this class leaves it alone.")
    old_texts = [passage.text for passage in item.original.passages]
    new_texts = [passage.text for passage in item.candidate.passages]
    if "context" not in item.target and old_texts != new_texts:
        objections.append("A passage was changed, though this class leaves the context alone.")
    if len(old_texts) != len(new_texts):
        objections.append("The number of passages differs from the original.")
    return objections


def _size_of_change(item: CheckedItem) -> list[str]:
    """One line if too little or too much was changed."""
    if not item.query_changed and not item.context_changed:
        return ["Nothing was changed but blanks."]
    # New capitals or punctuation alone do not make a perturbation.
    if _only_marks_differ(item):
        return ["Only capitals or punctuation were changed."]
    if item.context_changed and _rewritten(item):
        return ["The context was rewritten almost entirely."]
    return []


def _only_marks_differ(item: CheckedItem) -> bool:
    pairs = ((item.original.query, item.candidate.query), (item.reading.text, item.text))
    return all(_lower_words(before) == _lower_words(after) for before, after in pairs if before != after)


def _lower_words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def _rewritten(item: CheckedItem) -> bool:
    """True if little of the original survives although the lever should only edit it.

    MissingInfo items may lose much, but what they keep must come from the original. In other classes, new sentences may
    replace the sentences that give the answer, and also the sentences that refer to these.
    """
    if item.candidate.lever in _REWRITING_LEVERS:
        return False
    before, after = content_stems(item.reading.text), content_stems(BRACKETED.sub(" ", item.text))
    share_kept = coverage(before, after)
    if item.kind is PerturbationClass.MISSING_INFO:
        lost_much = item.low and share_kept < _KEPT_AFTER_LOW_CUT
        return lost_much or coverage(after, before) < _OLD_SHARE
    # A sentence without content words, such as "It was The Who", takes nothing of the content with it.
    lost_with_answer = [
        content_stems(sentence) for sentence in item.removed if holds_alias(item.reading, sentence)
    ]
    if not any(lost_with_answer):
        return share_kept < _KEPT_WITH_ANSWER
    if len(item.reading.sentences) > 2:
        return share_kept < _KEPT_WITHOUT_ANSWER
    return share_kept < _KEPT_OF_TWO_SENTENCES


def _markup(item: CheckedItem) -> list[str]:
    """One line for each changed text with new markup, and one for an empty text."""
    objections = []
    pairs = (
        ("question", item.original.query, item.candidate.query),
        ("context", item.reading.text, item.text),
    )
    for name, before, after in pairs:
        marks = [match.group().strip() for match in _MARKUP.finditer(after)]
        # Some passages have such marks themselves.
        new_marks = [mark for mark in marks if mark not in before]
        if new_marks:
            objections.append(f"The {name} holds left-over markup: {new_marks[0]!r}.")
    if not item.text.strip() or not normal(item.candidate.query):
        objections.append("The question or the context is empty.")
    return objections
