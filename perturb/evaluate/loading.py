"""Reads the items of an evaluation: a snapshot of ours, a data set on the Hub, or a file with rows of either."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from perturb.catalogue import Catalogue
from perturb.classes import ClassEntry
from perturb.curate.hub import PREFIX, HubSource, open_hub
from perturb.curate.source_rows import Header, SourceRow, read_rows
from perturb.digests import digest
from perturb.errors import SnapshotError, SourceError
from perturb.export.accepted import accepted_items
from perturb.export.controls import SUFFIX
from perturb.export.snapshot import check_snapshot, read_snapshot
from perturb.items import read_item
from perturb.responses import Item
from perturb.store.calls import LEDGER_FILE, reading
from perturb.store.evaluations import holds_items
from perturb.store.plans import current_plan
from perturb.tables import ending_of
from perturb.wording import counted


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
    levers: tuple[Path, ...] = ()
    """Folders with a user's own classes, for rows without a manifest that states them."""


@dataclass(frozen=True, slots=True)
class ItemSet:
    """The items of one snapshot."""

    name: str
    digest: str
    """Stands for the whole snapshot, whatever the limit."""
    round: str | None
    items: tuple[Item, ...]
    warnings: tuple[str, ...] = ()
    classes: tuple[ClassEntry, ...] = ()
    """A user's own classes."""


def load_items(source: ItemSource) -> ItemSet:
    """Read every item, then apply the limit.

    Raises `SnapshotError` for a damaged snapshot and `SourceError` for anything else that cannot be evaluated: an id
    that appears twice, rows of two rounds, a malformed row.
    """
    path = Path(source.name)
    folder = next((one for one in (path, path / "snapshot") if (one / "manifest.json").is_file()), None)
    catalogue = Catalogue.load(source.levers)
    if folder is not None:
        return _limited(_from_snapshot(folder, catalogue), source.limit)
    label, rows = _other_rows(source)
    items, warnings, rounds = _read_all(rows, label, catalogue)
    shown = [replace(one, original_query=None, original_passages=()).to_payload() for one in items]
    own = catalogue.own_classes
    whole = ItemSet(label, digest(shown, *map(ClassEntry.to_payload, own)), rounds, items, warnings, own)
    return _limited(whole, source.limit)


def load_made_items(source: Path) -> tuple[Item, ...]:
    """The items that the panel of a build accepted, or, of anything but a run folder, those that `load_items` reads."""
    if not (source / LEDGER_FILE).is_file():
        return load_items(ItemSource(str(source))).items
    with reading(source) as db:
        return tuple(accepted_items(db, current_plan(db, source)))


def _limited(whole: ItemSet, limit: int | None) -> ItemSet:
    if not whole.items:
        reason = f" ({whole.warnings[0]})" if whole.warnings else ""
        raise SourceError(f"{whole.name}: holds no item that can be evaluated{reason}: check the source")
    if limit is None:
        return whole
    kept = [item for item in whole.items if not item.control][:limit]
    pairs = {f"{item.id}{SUFFIX}" for item in kept}
    return replace(whole, items=(*kept, *(item for item in whole.items if item.control and item.id in pairs)))


def _from_snapshot(folder: Path, catalogue: Catalogue) -> ItemSet:
    snapshot = read_snapshot(folder)
    if problems := check_snapshot(folder):
        more = f" and {len(problems) - 1} more" if len(problems) > 1 else ""
        raise SnapshotError(
            f"{folder} is not as it was written: {problems[0]}{more}: restore it, or export the run again"
        )
    header = Header(str(snapshot.manifest.get("name") or folder.name))
    rows = (
        SourceRow(snapshot.folder, number, fields, header)
        for number, fields in enumerate((*snapshot.read_rows(), *snapshot.read_controls()), start=1)
    )
    catalogue = catalogue.with_classes(snapshot.classes)
    items, warnings, round_name = _read_all(rows, str(folder), catalogue)
    own = catalogue.own_classes
    return ItemSet(header.name, snapshot.content_digest, round_name, items, warnings, own)


def _other_rows(source: ItemSource) -> tuple[str, Iterator[SourceRow]]:
    """A label and the rows of a file, or of a data set that `datasets` loads."""
    path = Path(source.name)
    if path.is_file() or ending_of(path) is not None:
        return path.name, read_rows(path)
    if (path / LEDGER_FILE).is_file():
        with reading(path) as db:
            left = "" if holds_items(db) else current_plan(db, path).count_stages(db).unfinished
        if left:
            raise SourceError(f"{source.name}: has no snapshot yet. {left}")
        raise SourceError(
            f"{source.name}: is a run without a snapshot: name a build that has one, or a table"
        )
    name, _, revision = source.name.removeprefix(PREFIX).partition("@")
    on_hub = name.count("/") == 1 and (source.name.startswith(PREFIX) or not path.parent.is_dir())
    if not path.is_dir() and not on_hub:
        raise SourceError(f"{source.name}: no such snapshot: give a snapshot folder, a table, or OWNER/NAME")
    opened = open_hub(HubSource(name, revision or None, source.subset, source.split))
    label = f"{name}@{opened.revision}" if opened.revision else name
    return f"{label}/{source.subset}" if source.subset else label, opened.rows


def _read_all(
    rows: Iterable[SourceRow], label: str, catalogue: Catalogue
) -> tuple[tuple[Item, ...], tuple[str, ...], str | None]:
    items: dict[str, Item] = {}
    rounds: dict[str, None] = {}
    mislabelled: list[str] = []
    for row in rows:
        item = read_item(row, catalogue)
        if item.id in items:
            raise row.error("id", f"'{item.id}' appears twice: an item may be evaluated once only")
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
            f"{label}: {counted(len(mislabelled), 'item')} left out (the first is '{mislabelled[0]}'): their expected"
            " behaviour is not that of their class and intensity",
        )
    return tuple(items.values()), warnings, next(iter(rounds), None)
