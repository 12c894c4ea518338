"""Chat examples from items: what a model is asked, what it should reply and, for preferences, what it should not.

Prompts are those of an evaluation. An item to be refused is to be answered with its code, its original with the answer:
the same question, refused here and answered there, so that neither refusing nor answering always pays.

Keeps benchmarks unseen: no base instance, lever or near duplicate of theirs goes into training data.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Literal

from perturb.catalogue.classes import ClassEntry
from perturb.catalogue.levers import Catalogue
from perturb.errors import SourceError
from perturb.records import Item
from perturb.snapshots.freshness import (
    BaseIndex,
    Freshness,
    FreshnessIndex,
    RoundItem,
    measure_freshness,
    original_of,
    read_set,
)
from perturb.snapshots.items import items_of, render_prompt

Format = Literal["sft", "dpo"]
"""Prompt and completion, or prompt, chosen and rejected, as TRL's trainers name them."""

Replies = Mapping[str, Sequence[str]]
"""Item id -> what models wrongly replied to it."""

_KEPT = (
    "source_id",
    "perturbation_class",
    "intensity",
    "lever_selected",
    "generator_model",
    "licence",
    "source",
)

Row = dict[str, Any]


def make_examples(
    form: Format,
    rows: Sequence[Row],
    originals: Mapping[str, Row],
    replies: Replies,
    classes: Sequence[ClassEntry] = (),
) -> Iterator[Row]:
    """Examples of the rows of a build and of their originals, by base instance (`originals` are control rows).

    An original comes once; as a preference, once beside each code, so that every refusal has its counterpart. A wrong
    reply on record is what is rejected; without any, an item to be refused has its original's answer rejected, and one
    to be answered the code of its class. Raises `SourceError` for a row whose original, or text, cannot be read.
    """
    catalogue = Catalogue.load().with_classes(classes)
    codes = {name: one.refusal_code for name, one in catalogue.classes.items()}
    prompt = partial(render_prompt, own_codes=catalogue.own_codes)
    known = {item.id: item for item in items_of((*rows, *originals.values()), classes)}
    done: set[tuple[str, str]] = set()
    for row in rows:
        original = originals.get(row["source_id"], {})
        item, control = known.get(row["id"]), known.get(original.get("id", ""))
        if item is None or control is None:
            raise SourceError(
                f"item '{row['id']}': a training export needs each item with its unperturbed original, and one of the"
                " two cannot be read: build the run again"
            )
        code, answer = codes[item.cell.perturbation_class], control.answers[0]
        right, wrong = (item.answers[0], code) if item.answerable else (code, answer)
        rejected = list(dict.fromkeys(replies.get(item.id, ()))) or [wrong]
        for number, reply in enumerate(rejected if form == "dpo" else rejected[:1]):
            yield _example(
                form,
                row,
                item,
                (prompt(item), right, reply),
                "reply" if replies.get(item.id) else "item",
                number,
            )
        once = (item.base_id, code if form == "dpo" else "")
        if once not in done:
            done.add(once)
            yield _example(form, original, control, (prompt(control), answer, code), "original", len(done))


def _example(form: Format, row: Row, item: Item, said: tuple[str, str, str], kind: str, number: int) -> Row:
    texts = ("prompt", "completion") if form == "sft" else ("prompt", "chosen", "rejected")
    roles = ("user", "assistant", "assistant")
    spoken = zip(texts, roles, said, strict=False)
    chat = {name: [{"role": role, "content": text}] for name, role, text in spoken}
    return {"id": f"{item.id}-{number}", "kind": kind, **{name: row[name] for name in _KEPT}, **chat}


class Exclusion:
    """The sets that training data may not touch, their levers among it unless `levers` says no.

    Raises `SnapshotError` or `SourceError` if one of the `sources` cannot be read.
    """

    def __init__(self, sources: Sequence[str], *, levers: bool = True) -> None:
        self.items = tuple(item for source in sources for item in read_set(source).items)
        self._levers = {item.lever for item in self.items} if levers else set()
        self._bases = BaseIndex(self.items)
        self._index = FreshnessIndex(self.items)

    def apply(self, items: Sequence[RoundItem]) -> tuple[list[RoundItem], dict[str, int]]:
        """The items that may be trained on, and how many of the others fall by base instance, lever, near duplicate.

        A base instance is known again by its id or by its text, should it have another id there. Raises `SourceError`
        if no item is left.
        """
        reasons: Counter[str] = Counter()
        kept = []
        for item in items:
            if reason := self._reason(item):
                reasons[reason] += 1
            else:
                kept.append(item)
        if not kept:
            counts = ", ".join(f"{n} by {reason}" for reason, n in reasons.items())
            way = " or give --keep-levers" if "lever" in reasons else ""
            raise SourceError(
                f"--exclude: all {len(items)} accepted items are excluded ({counts}): build from other questions{way}"
            )
        return kept, dict(reasons)

    def _reason(self, item: RoundItem) -> str | None:
        if self._bases.find(item) or self._index.find(original_of(item)):
            return "base instance"
        if item.lever in self._levers:
            return "lever"
        return "near duplicate" if self._index.find(item) else None

    def prove(self, written: Iterable[RoundItem]) -> Freshness:
        """What `perturb compare` says of the excluded sets and what was written.

        Raises `SourceError` if anything of the former is in the latter.
        """
        fresh = measure_freshness(self.items, list(written))
        if fresh.near or fresh.same_base:
            raise SourceError(
                f"--exclude: {fresh.near} near duplicates and {fresh.same_base} items of the same base instance are"
                " left: nothing was written"
            )
        return fresh
