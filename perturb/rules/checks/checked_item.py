"""The finished item as the verifiers see it: the original beside the candidate, compared once."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property

from perturb.prose import beyond_reading
from perturb.records import BaseInstance, Candidate, Intensity, PerturbationClass, Target
from perturb.rules.checks.readings import Reading, reading_of
from perturb.rules.checks.texts import content_stems, normal, overlap, sentences


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
        """Added sentences that are no edited form of a removed one."""
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
