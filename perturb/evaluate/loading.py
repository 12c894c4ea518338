"""Reads the items of an evaluation: a snapshot of ours, a data set on the Hub, or a file with rows of either."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from perturb.catalogue import Catalogue
from perturb.curate.garage import cited_text, split_marker
from perturb.curate.hub import PREFIX, HubSource, open_hub
from perturb.curate.rows import MAX_PASSAGE_CHARS, MAX_QUERY_CHARS, Header, Row, read_rows
from perturb.digests import digest
from perturb.errors import SnapshotError, SourceError
from perturb.evaluate.items import EvaluationItem
from perturb.export.controls import NO_INTENSITY, SUFFIX
from perturb.export.snapshot import check_snapshot, read_snapshot
from perturb.records import Cell, Intensity, Passage, PerturbationClass
from perturb.tables import ending_of, kind_of

_MANIFEST = "manifest.json"
_MAX_CONTEXT_CHARS = 40 * MAX_PASSAGE_CHARS


@dataclass(frozen=True, slots=True)
class ItemSource:
    """Where the items are."""

    name: str
    """A snapshot folder, a run folder with a snapshot in it, a `.jsonl` or `.parquet` file, or `OWNER/NAME` on the
    Hub, with `@REVISION` to hold on to a commit or a tag."""
    subset: str | None = None
    """The configuration, for a data set on the Hub with several."""
    split: str | None = None
    limit: int | None = None
    """Take the first so many items only, and their controls if the snapshot has any."""


@dataclass(frozen=True, slots=True)
class ItemSet:
    """The items of one snapshot."""

    name: str
    digest: str
    """Stands for the whole snapshot, whatever the limit."""
    round: str | None
    items: tuple[EvaluationItem, ...]
    warnings: tuple[str, ...] = ()


def load_items(source: ItemSource, catalogue: Catalogue) -> ItemSet:
    """Read every item, then apply the limit.

    Raises `SnapshotError` for a damaged snapshot and `SourceError` for anything else that cannot be evaluated: an id
    that stands twice, rows of two rounds, a malformed row.
    """
    folder = _snapshot_folder(Path(source.name))
    if folder is not None:
        return _limited(_from_snapshot(folder, catalogue), source.limit)
    label, rows = _other_rows(source)
    items, warnings, rounds = _read_all(rows, label, catalogue)
    whole = ItemSet(label, digest([one.to_payload() for one in items]), rounds, items, warnings)
    return _limited(whole, source.limit)


def items_of(rows: Iterable[Mapping[str, Any]]) -> Iterator[EvaluationItem]:
    """The items of a snapshot's rows, in their order, without a row that no evaluation takes.

    Those are rows with a fault, and rows whose expected behaviour is not that of their class and intensity.
    """
    catalogue, header = Catalogue.load(), Header("rows")
    for number, fields in enumerate(rows, start=1):
        try:
            item = _read_item(Row(Path("rows"), number, fields, header), catalogue)
        except SourceError:
            continue
        if item.expected_behavior == catalogue.expected_behavior(item.cell):
            yield item


def _limited(whole: ItemSet, limit: int | None) -> ItemSet:
    if not whole.items:
        reason = f" ({whole.warnings[0]})" if whole.warnings else ""
        raise SourceError(f"{whole.name}: holds no item that can be evaluated{reason}: check the source")
    if limit is None:
        return whole
    kept = [item for item in whole.items if not item.control][:limit]
    pairs = {f"{item.id}{SUFFIX}" for item in kept}
    return replace(whole, items=(*kept, *(item for item in whole.items if item.control and item.id in pairs)))


def _snapshot_folder(path: Path) -> Path | None:
    for folder in (path, path / "snapshot"):
        if (folder / _MANIFEST).is_file():
            return folder
    return None


def _from_snapshot(folder: Path, catalogue: Catalogue) -> ItemSet:
    snapshot = read_snapshot(folder)
    if problems := check_snapshot(folder):
        more = f" and {len(problems) - 1} more" if len(problems) > 1 else ""
        raise SnapshotError(
            f"{folder} is not as it was written: {problems[0]}{more}: restore it, or export the run again"
        )
    header = Header(str(snapshot.manifest.get("name") or folder.name))
    rows = (
        Row(snapshot.folder, number, fields, header)
        for number, fields in enumerate((*snapshot.read_rows(), *snapshot.read_controls()), start=1)
    )
    items, warnings, round_name = _read_all(rows, str(folder), catalogue)
    return ItemSet(header.name, snapshot.content_digest, round_name, items, warnings)


def _other_rows(source: ItemSource) -> tuple[str, Iterator[Row]]:
    """A label and the rows of a file, or of a data set that `datasets` loads."""
    path = Path(source.name)
    if path.is_file() or ending_of(path) is not None:
        return path.name, read_rows(path)
    name, _, revision = source.name.removeprefix(PREFIX).partition("@")
    on_hub = name.count("/") == 1 and (source.name.startswith(PREFIX) or not path.parent.is_dir())
    if not path.is_dir() and not on_hub:
        raise SourceError(f"{source.name}: no such snapshot: give a snapshot folder, a table, or OWNER/NAME")
    opened = open_hub(HubSource(name, revision or None, source.subset, source.split))
    label = f"{name}@{opened.revision}" if opened.revision else name
    return f"{label}/{source.subset}" if source.subset else label, opened.rows


def _read_all(
    rows: Iterable[Row], label: str, catalogue: Catalogue
) -> tuple[tuple[EvaluationItem, ...], tuple[str, ...], str | None]:
    items: dict[str, EvaluationItem] = {}
    rounds: dict[str, None] = {}
    mislabelled: list[str] = []
    for row in rows:
        item = _read_item(row, catalogue)
        if item.id in items:
            raise row.error("id", f"'{item.id}' stands twice: an item may be evaluated once only")
        if (name := row.optional_text("round")) is not None:
            rounds[name] = None
        if len(rounds) > 1:
            raise row.error(
                "round",
                f"differs from the rows before ({' and '.join(rounds)}): evaluate one snapshot at a time",
            )
        if item.expected_behavior == catalogue.expected_behavior(item.cell):
            items[item.id] = item
        else:
            mislabelled.append(item.id)
    warnings: tuple[str, ...] = ()
    if mislabelled:
        warnings = (
            f"{label}: {len(mislabelled)} items are left out (the first is '{mislabelled[0]}'): their expected"
            " behaviour is not that of their class and intensity",
        )
    return tuple(items.values()), warnings, next(iter(rounds), None)


def _read_item(row: Row, catalogue: Catalogue) -> EvaluationItem:
    identifier, base = row.identifier("id"), row.identifier("source_id")
    if identifier is None:
        raise row.error("id", "is missing: each item needs one")
    expected = row.text(row.fields.get("expected_rag_behavior"), "expected_rag_behavior", MAX_QUERY_CHARS)
    return EvaluationItem(
        id=identifier,
        base_id=base or identifier,
        cell=_cell(row),
        expected_behavior=catalogue.codes.get(expected.strip().upper(), expected),
        query=_query(row),
        passages=_passages(row),
        answers=row.answers("original_answers"),
        reference_answer=row.optional_text("reference_answer", MAX_PASSAGE_CHARS),
        domain=row.optional_text("domain"),
        lever=row.optional_text("lever_selected") or "",
        generator=row.optional_text("generator_model") or "",
        control=_is_control(row),
    )


def _cell(row: Row) -> Cell:
    parts: list[Any] = []
    for field, kind in (("perturbation_class", PerturbationClass), ("intensity", Intensity)):
        value: Any = row.fields.get(field)
        if field == "intensity" and _is_control(row):
            value = Intensity.LOW  # what was not perturbed must be answered
        try:
            parts.append(kind(value))
        except ValueError:
            known = ", ".join(kind)
            raise row.error(field, f"is {value!r}, which is none of {known}: correct it") from None
    return Cell(*parts)


def _is_control(row: Row) -> bool:
    return row.fields.get("intensity") == NO_INTENSITY


def _query(row: Row) -> str:
    """The perturbed question; rows of a class that leaves it alone may not repeat it."""
    for field in ("perturbed_query", "query", "original_query"):
        if row.fields.get(field) is not None:
            return row.text(row.fields[field], field, MAX_QUERY_CHARS)
    raise row.error("perturbed_query", "is missing: there is no question to ask")


def _passages(row: Row) -> tuple[Passage, ...]:
    """The passages as a model is to be shown them."""
    context, grounding = row.fields.get("perturbed_context"), row.fields.get("grounding")
    if isinstance(context, list):
        grounding, context = context, None
    texts = [_entry_text(row, entry, at) for at, entry in enumerate(grounding or ())]
    if len(texts) > 1:
        parts = _titled(context, texts) if isinstance(context, str) else None
        parts = parts or [split_marker(text) for text in texts]
        signal = _signal(row, len(parts))
        return tuple(
            Passage(text, title, "signal" if at in signal else "noise")
            for at, (title, text) in enumerate(parts)
        )
    if context is None:
        context = texts[0] if texts else row.fields.get("original_context")
    return (Passage(row.text(context, "perturbed_context", _MAX_CONTEXT_CHARS)),)


def _entry_text(row: Row, entry: Any, at: int) -> str:
    """The text of one entry of `grounding`: plain, or under its `cite_N` or `text` key."""
    text = entry
    if isinstance(entry, Mapping):
        text = cited_text(entry)
        text = entry.get("text") if text is None else text
    if not isinstance(text, str):
        raise row.error(f"grounding[{at}]", f"must be a passage, got {kind_of(text)}: correct the row")
    return text


def _titled(context: str, texts: list[str]) -> list[tuple[str, str]] | None:
    """Titles and texts of the passages that `context` numbers, in the order of `texts`.

    `texts` may be those of the passages as shown (ours), or of the passages before they were changed: then the context
    is parted at its numbers. None if neither gives as many passages.

    >>> _titled("[1] Mill: It stands.\\n\\n[2] It fell.", ["It stands.", "It fell."])
    [('Mill', 'It stands.'), ('', 'It fell.')]
    """
    return _walk(context, texts) or _parted(context, len(texts))


def _walk(context: str, texts: list[str]) -> list[tuple[str, str]] | None:
    parts, position = [], 0
    for number, text in enumerate(texts, start=1):
        head = f"[{number}] "
        end = f"\n\n[{number + 1}] " if number < len(texts) else ""
        found = context.find(text + end, position + len(head))
        if not context.startswith(head, position) or found < 0:
            return None
        title = context[position + len(head) : found]
        if title and not title.endswith(": "):
            return None
        parts.append((title.removesuffix(": "), text))
        position = found + len(text) + 2
    return parts if position - 2 == len(context) else None


def _parted(context: str, number: int) -> list[tuple[str, str]] | None:
    parts, rest = [], context.strip()
    for at in range(1, number + 1):
        if not rest.startswith(f"[{at}]"):
            return None
        piece, mark, following = rest.partition(f"\n[{at + 1}]")
        parts.append(split_marker(piece.strip()))
        rest = f"[{at + 1}]{following}" if mark else ""
    return None if rest else parts


def _signal(row: Row, passages: int) -> frozenset[int]:
    """Positions of the passages that bear on the question; all, where the row does not say."""
    listed = row.fields.get("signal_indices")
    if listed is None:
        return frozenset(range(passages))
    if not isinstance(listed, list) or not all(isinstance(at, int) and 0 <= at < passages for at in listed):
        raise row.error("signal_indices", "must list positions in the passages, from 0: correct the row")
    return frozenset(listed)
