"""Which items of a round repeat an earlier round: exact copies, near duplicates, the same lever on one base instance.

Texts are compared by their shingles, which are runs of three words. The *change* of an item is the set of shingles that
the perturbation added to its original and removed from it. An item is a near duplicate of another if both its text and
its change are similar. Text alone would not do: two items from one base instance share most of it. Two items have the
same base instance if their ids or questions are equal, or if one passage contains most of the other.

Rounds are read from a snapshot, a table, or a data set on the Hub. A build uses this module to avoid earlier items.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from perturb.errors import SnapshotError, SourceError, location
from perturb.files.resources import digest
from perturb.files.tables import ending_of
from perturb.records import NEAR_DUPLICATE, BaseInstance, Candidate, Facts
from perturb.text.matching import comparable, words

# The start of a source that names a data set on the Hub, as in `hub:OWNER/NAME`.
HUB_PREFIX = "hub:"

# The number of words in a shingle.
SHINGLE_WORDS = 3
# A text of fewer shingles occurs in other texts by chance.
FEWEST_SHINGLES = 3
# Two texts with this Jaccard similarity or more are similar.
TEXT_THRESHOLD = 0.8
# The share of the smaller change that the larger must contain: edits elsewhere do not belong to the perturbation.
CHANGE_THRESHOLD = 0.6
# Two passages come from the same base instance if the longer contains this share of the shorter one's shingles. A word
# added after every eighth word leaves 0.75.
CONTAINED_THRESHOLD = 0.7
# A lower share is enough for two items whose changes are similar too. Rewording eight of sixty words leaves about 0.6.
REWORDED_THRESHOLD = 0.45


class _Base(NamedTuple):
    """What a base instance is recognised by."""

    id: str
    question: str
    passage: str


@dataclass(frozen=True, slots=True)
class RoundItem:
    """The fields of an item that comparisons of rounds need."""

    id: str
    base_id: str
    query: str
    context: str
    original_query: str = ""
    original_context: str = ""
    """Empty, like `original_query`, if the set does not contain the original, or if this is an original."""
    perturbation_class: str = ""
    """Empty, like the fields below it, for an unperturbed item."""
    intensity: str = ""
    lever: str = ""
    generator: str = ""

    @property
    def base(self) -> _Base:
        """The base instance: id, question (only its letters and digits) and passage."""
        return _Base(self.base_id, "".join(filter(str.isalnum, comparable(self.query))), self.context)

    @property
    def cell(self) -> str:
        """Class and intensity."""
        return f"{self.perturbation_class}/{self.intensity}"


@dataclass(frozen=True, slots=True)
class ComparedSet:
    """The items of a round, with its name."""

    name: str
    """The path or the name on the Hub."""
    round: str | None
    items: tuple[RoundItem, ...]


def read_set(source: str | Path) -> ComparedSet:
    """Read a snapshot folder, a run folder with a snapshot, a table with its columns, or `hub:OWNER/NAME[@REVISION]`.

    Raises `SourceError` or `SnapshotError` if it cannot be read or is not one of these.
    """
    name = str(source)
    if name.startswith(HUB_PREFIX):
        from perturb.curation.hub import HubSource, open_hub

        repo, _, revision = name.removeprefix(HUB_PREFIX).partition("@")
        hub_rows = open_hub(HubSource(repo, revision or None, split="test")).rows
        return _collect(name, (row.fields for row in hub_rows))
    path = Path(source)
    if path.is_dir():
        if not (path / "manifest.json").exists() and (path / "snapshot").is_dir():
            path = path / "snapshot"
        from perturb.snapshots.snapshot import read_snapshot

        return _collect(name, read_snapshot(path).read_rows())
    if not path.is_file():
        raise SnapshotError(
            f"{path}: no such snapshot: give a snapshot folder, a table of items, or hub:OWNER/NAME"
        )
    if ending_of(path) is None:
        raise SourceError(f"{path}: not a set of items: give a snapshot folder, a table, or hub:OWNER/NAME")
    from perturb.curation.source_rows import read_rows

    return _collect(name, (row.fields for row in read_rows(path)))


def _collect(name: str, rows: Iterable[Facts]) -> ComparedSet:
    """The items of these rows; the set has a round only if all its rows have the same."""
    items: list[RoundItem] = []
    rounds: set[str] = set()
    for number, row in enumerate(rows, start=1):
        items.append(read_round_item(row, name, number))
        rounds.add(str(row.get("round") or ""))
    if not items:
        raise SourceError(f"{name}: no items: check the path")
    # A table may hold several rounds, and then none of them names it.
    common_round = rounds.pop() if len(rounds) == 1 else ""
    return ComparedSet(name, common_round or None, tuple(items))


def read_round_item(row: Facts, name: str, number: int) -> RoundItem:
    """The item in one row of the set `name`. Raises `SourceError` with the row number if a text is missing."""

    def required(*columns: str) -> str:
        text = _first_text(row, columns)
        if not text:
            raise SourceError(
                f"{location(name, number)}: no text in '{columns[0]}': give rows of a snapshot or a RefusalBench set"
            )
        return text

    def optional(*columns: str) -> str:
        return _first_text(row, columns)

    return RoundItem(
        id=optional("id", "unique_id") or str(number),
        base_id=required("source_id", "base_id"),
        query=required("perturbed_query", "query"),
        context=required("perturbed_context", "grounding"),
        original_query=optional("original_query"),
        original_context=optional("original_context"),
        perturbation_class=required("perturbation_class"),
        intensity=required("intensity"),
        lever=optional("lever_selected", "lever"),
        generator=optional("generator_model", "generator"),
    )


def _first_text(row: Facts, columns: Iterable[str]) -> str:
    """The text in the first of these columns that has one; a list of texts is joined. Empty if no column has a text."""
    for column in columns:
        value = row.get(column)
        if isinstance(value, list) and value and all(isinstance(passage, str) for passage in value):
            return "\n\n".join(value)
        if isinstance(value, str) and value:
            return value
    return ""


Shingles = frozenset[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Match:
    """An earlier item that a new one repeats."""

    id: str
    similarity: float
    """Jaccard similarity of the texts; 1 for the same words in the same order."""
    exact: bool
    """Whether question and context are the same, ignoring case, blanks and punctuation."""


class Overlap(NamedTuple):
    """The number of items, and how many of them repeat an earlier item in one of two ways."""

    items: int
    near_duplicate: int
    same_base_and_lever: int


@dataclass(frozen=True, slots=True)
class Freshness:
    """Counts over the items of the newer round."""

    items: int
    exact: int
    near: int
    """Near duplicates, including exact ones."""
    same_base_and_lever: int
    same_base: int
    by_lever: dict[str, Overlap]
    by_cell: dict[str, Overlap]
    pairs: tuple[tuple[str, Match], ...]
    """Id of a new item, and the earlier item that it repeats most closely."""
    old_items: int
    """Number of items of the older round."""
    old_bases: int
    """Number of base instances of the older round."""


class _ShingleIndex:
    """Texts by their shingles, to find the texts that share shingles with another."""

    def __init__(self) -> None:
        self.texts: list[Shingles] = []
        self._texts_with: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
        """Shingle → the positions of the texts that have it."""

    def add(self, text: Shingles) -> None:
        for shingle in text:
            self._texts_with[shingle].append(len(self.texts))
        self.texts.append(text)

    def containment(self, text: Shingles) -> Iterator[tuple[int, float]]:
        """The position of each text that shares a shingle, and the share of the shorter text that is in the longer."""
        shared: Counter[int] = Counter()
        for shingle in text:
            # `get`, since a look-up would add an empty entry
            shared.update(self._texts_with.get(shingle, ()))
        for position, count in shared.items():
            shorter = min(len(text), len(self.texts[position]))
            yield position, count / shorter if shorter >= FEWEST_SHINGLES else 0.0


class _IndexedItem(NamedTuple):
    """An item with what comparisons need of it."""

    id: str
    words: tuple[str, ...]
    shingles: Shingles
    change: Shingles

    @classmethod
    def of(cls, item: RoundItem) -> _IndexedItem:
        words = _words(item)
        shingles = _shingles(words)
        # An item whose original is unknown counts as its own original, so that its change is empty.
        original_shingles = _shingles(_words(original_of(item)))
        added = {("+", *shingle) for shingle in shingles - original_shingles}
        removed = {("-", *shingle) for shingle in original_shingles - shingles}
        return cls(item.id, words, shingles, frozenset(added | removed))


class FreshnessIndex:
    """The items of earlier rounds, indexed to find those that a new item repeats."""

    def __init__(self, items: Iterable[RoundItem] = ()) -> None:
        self._texts = _ShingleIndex()
        self._items: list[_IndexedItem] = []
        for item in items:
            self.add(item)

    def __len__(self) -> int:
        return len(self._items)

    def add(self, item: RoundItem) -> None:
        """Add an item to the index."""
        indexed = _IndexedItem.of(item)
        self._texts.add(indexed.shingles)
        self._items.append(indexed)

    def find(self, item: RoundItem) -> Match | None:
        """The indexed item that this item repeats most closely; None if it repeats none of them.

        A text that was cut, padded or reworded counts as similar only if the changes of both items are known. Otherwise
        every item of one base instance would repeat the others.
        """
        new = _IndexedItem.of(item)
        best: Match | None = None
        # sorted, so that the earliest item wins a tie
        for position, contained in sorted(self._texts.containment(new.shingles)):
            earlier = self._items[position]
            similarity = jaccard(new.shingles, earlier.shingles)
            is_reworded = contained >= REWORDED_THRESHOLD and bool(new.change and earlier.change)
            has_similar_text = similarity >= TEXT_THRESHOLD or is_reworded
            exact = new.words == earlier.words
            is_repeat = exact or (has_similar_text and _same_change(new.change, earlier.change))
            if is_repeat and (best is None or (exact, similarity) > (best.exact, best.similarity)):
                best = Match(earlier.id, similarity, exact)
        return best


class BaseIndex:
    """The base instances of sets, to find them again by id, by question, or by most of a passage."""

    def __init__(self, items: Iterable[RoundItem] = ()) -> None:
        self._passages = _ShingleIndex()
        self._bases: dict[_Base, None] = {}
        """The base instances in the order of `_passages`, each once."""
        self._ids: set[str] = set()
        self._with_question: defaultdict[str, set[str]] = defaultdict(set)
        """Question → the ids of the base instances that have it."""
        self._matches: dict[_Base, set[str]] = {}
        """Results of `find`, since the items of one base instance come many at a time."""
        for item in items:
            self.add(item)

    def add(self, item: RoundItem) -> None:
        """Add the base instance of an item to the index."""
        base = original_of(item).base
        if base not in self._bases:
            self._bases[base] = None
            self._ids.add(base.id)
            self._with_question[base.question].add(base.id)
            self._passages.add(_shingles(_split(base.passage)))
            self._matches.clear()

    def __len__(self) -> int:
        return len(self._ids)

    def find(self, item: RoundItem) -> set[str]:
        """The ids of the base instances that the item may come from; empty if it comes from none of them."""
        base = original_of(item).base
        if base not in self._matches:
            bases = list(self._bases)
            passages = self._passages.containment(_shingles(_split(base.passage)))
            by_passage = {
                bases[position].id for position, contained in passages if contained >= CONTAINED_THRESHOLD
            }
            by_id = {base.id} & self._ids
            self._matches[base] = by_passage | by_id | self._with_question.get(base.question, set())
        return self._matches[base]


def original_of(item: RoundItem) -> RoundItem:
    """The item before it was perturbed, or the item itself if its original is unknown; the result has no change."""
    if not (item.original_query and item.original_context):
        return item
    return replace(
        item, query=item.original_query, context=item.original_context, original_query="", original_context=""
    )


def measure_freshness(old: Sequence[RoundItem], new: Sequence[RoundItem]) -> Freshness:
    """Count the items of `new` that repeat items of `old`."""
    index, bases = FreshnessIndex(old), BaseIndex(old)
    levers = {(item.base_id, item.lever) for item in old if item.lever}
    pairs = [(item, match) for item in new if (match := index.find(item)) is not None]
    near = {item.id for item, _ in pairs}
    same_lever = {item.id for item in new if any((base, item.lever) in levers for base in bases.find(item))}
    return Freshness(
        items=len(new),
        exact=sum(match.exact for _, match in pairs),
        near=len(pairs),
        same_base_and_lever=len(same_lever),
        same_base=len([item for item in new if bases.find(item)]),
        by_lever=_overlaps(new, lambda item: item.lever, near, same_lever),
        by_cell=_overlaps(new, lambda item: item.cell, near, same_lever),
        pairs=tuple((item.id, match) for item, match in pairs),
        old_items=len(old),
        old_bases=len(bases),
    )


def jaccard(text: Shingles, other: Shingles) -> float:
    """Size of the intersection over size of the union; 1 for two empty sets.

    >>> jaccard(frozenset({("a",), ("b",)}), frozenset({("b",), ("c",)})).__round__(2)
    0.33
    """
    union = len(text | other)
    return len(text & other) / union if union else 1.0


def _overlaps(
    items: Sequence[RoundItem], group_of: Callable[[RoundItem], str], near: set[str], same_lever: set[str]
) -> dict[str, Overlap]:
    """The overlap of each group of items; `near` and `same_lever` are the ids of the items that repeat others."""
    sizes = Counter(map(group_of, items))
    near_duplicates = Counter(group_of(item) for item in items if item.id in near)
    with_lever = Counter(group_of(item) for item in items if item.id in same_lever)
    return {name: Overlap(sizes[name], near_duplicates[name], with_lever[name]) for name in sorted(sizes)}


def _words(item: RoundItem) -> tuple[str, ...]:
    """The words of question and context, with a mark between them."""
    return (*_split(item.query), "|", *_split(item.context))


def _split(text: str) -> list[str]:
    return words(comparable(text).replace("_", " "))


def _shingles(words: Sequence[str]) -> Shingles:
    # A short text has one shingle with all of its words.
    starts = range(max(1, len(words) - SHINGLE_WORDS + 1))
    return frozenset(tuple(words[start : start + SHINGLE_WORDS]) for start in starts)


def _same_change(change: Shingles, other_change: Shingles) -> bool:
    """Whether one change contains most of the other. If one is unknown, only the texts decide, and this is True."""
    smaller = min(len(change), len(other_change))
    return not smaller or len(change & other_change) >= CHANGE_THRESHOLD * smaller


class PriorRounds:
    """The items of the sets that a build avoids.

    Raises `SnapshotError` or `SourceError` if one of the `sources` cannot be read.
    """

    def __init__(self, sources: Sequence[str]) -> None:
        self.sets: tuple[ComparedSet, ...] = tuple(read_set(source) for source in sources)

    @cached_property
    def digest(self) -> str:
        """Digest of all texts to avoid. It enters the ids of jobs."""
        texts = (
            f"{item.base_id}\n{item.query}\n{item.context}" for earlier in self.sets for item in earlier.items
        )
        return digest(sorted(texts))

    @cached_property
    def _index(self) -> FreshnessIndex:
        return FreshnessIndex(item for earlier in self.sets for item in earlier.items)

    def find_repeat(self, instance: BaseInstance, candidate: Candidate) -> str | None:
        """The reason, in one line, if a candidate is a near duplicate of an avoided item; None if it is fresh."""
        match = self._index.find(perturbed_item(instance, candidate))
        if match is None:
            return None
        return f"{NEAR_DUPLICATE} item '{match.id}' of an avoided set (similarity {match.similarity:.2f})"


def perturbed_item(instance: BaseInstance, candidate: Candidate) -> RoundItem:
    """A candidate as an item of a round."""
    return replace(
        round_item(instance),
        id=candidate.id,
        query=candidate.query,
        context=candidate.context,
        original_query=instance.query,
        original_context=instance.context,
        perturbation_class=str(candidate.cell.perturbation_class),
        intensity=str(candidate.cell.intensity),
        lever=candidate.lever,
        generator=candidate.generator,
    )


def round_item(instance: BaseInstance) -> RoundItem:
    """A base instance as an unperturbed item."""
    return RoundItem(instance.id, instance.id, instance.query, instance.context)
