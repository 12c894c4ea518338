"""Verify a snapshot: files and digests as written, and every row true to the taxonomy.

`check_snapshot` finds damage and edits. This also finds rows that were wrong when they were written, or were edited
together with their digests: a lever of another cell, a change outside of the target, a label that does not follow.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from perturb.catalogue import Catalogue, embedded_levers
from perturb.config import load_config
from perturb.errors import PerturbError, SnapshotError
from perturb.export.snapshot import Snapshot, check_snapshot, read_snapshot
from perturb.export.snapshot_rows import SnapshotRow
from perturb.records import EXPECTED_ANSWER, Cell, Intensity, PerturbationClass


@dataclass(frozen=True, slots=True)
class Verification:
    """What was found."""

    rows: int
    problems: tuple[str, ...]
    """One line each; none if the snapshot is sound."""
    notes: tuple[str, ...] = ()
    """What limits the check."""


def verify_snapshot(folder: Path, levers: Sequence[Path] = ()) -> Verification:
    """Compare a snapshot with its manifest, and every row with the catalogue (`levers` are folders with a user's own).

    Raises `SnapshotError` if the folder is no snapshot, `CatalogueError` if a lever folder cannot be read.
    """
    snapshot = read_snapshot(folder)
    problems = list(check_snapshot(folder))
    try:
        rows = snapshot.read_rows()
    except SnapshotError:
        return Verification(0, tuple(problems))
    catalogue = Catalogue.load(levers or _embedded_levers(snapshot)).with_classes(snapshot.classes)
    notes = []
    if snapshot.manifest["digests"].get("catalogue") != catalogue.digest:
        notes.append(
            "the snapshot was built with another catalogue of levers than this one: if it has levers of its own, give"
            " their folder with --levers"
        )
    for number, row in enumerate(rows):
        name = f"row {number} (id {row.get('id')!r})"
        problems += [f"{name}: {fault}" for fault in _row_faults(row, catalogue, snapshot.manifest)]
    return Verification(len(rows), tuple(problems), tuple(notes))


def _embedded_levers(snapshot: Snapshot) -> list[Path]:
    """Folders like `levers/side-clause` that the build named; those of a user have to be given."""
    with suppress(PerturbError):  # a configuration of another version: --levers names the folders
        return [one for one in load_config(snapshot.folder / "build.yaml").levers if embedded_levers(one)]
    return []


def _row_faults(row: SnapshotRow, catalogue: Catalogue, manifest: Mapping[str, Any]) -> Iterator[str]:
    try:
        cell = Cell(PerturbationClass(row["perturbation_class"]), Intensity(row["intensity"]))
    except (KeyError, ValueError):
        yield f"no such cell as {row.get('perturbation_class')}/{row.get('intensity')}"
        return
    if cell.perturbation_class not in catalogue.classes:
        yield f"there is no class {cell.perturbation_class}"
        return
    yield from _label_faults(row, cell, catalogue)
    yield from _target_faults(row, cell, catalogue)
    if row.get("round") != manifest["round"]:
        yield f"is of round '{row.get('round')}', the manifest says '{manifest['round']}'"
    yield from _vote_faults(row, cell, manifest)


def _vote_faults(row: SnapshotRow, cell: Cell, manifest: Mapping[str, Any]) -> Iterator[str]:
    """Votes of who does not judge the class, and what a unanimous panel could not have accepted."""
    verdicts = {vote["verifier"]: vote["verdict"] for vote in row.get("verifier_votes") or ()}
    judged = {one["name"]: one.get("classes") for one in manifest["verifiers"]}
    for name in verdicts:
        if judged.get(name) and cell.perturbation_class not in judged[name]:
            yield f"has a vote of {name}, which does not judge {cell.perturbation_class}"
    if manifest["panel"]["consensus"] == "unanimous":
        against = [name for name, verdict in verdicts.items() if verdict not in ("pass", "abstain")]
        if against or "pass" not in verdicts.values():
            yield f"the panel was to be unanimous, but no pass came from {', '.join(against) or 'anybody'}"


def _label_faults(row: SnapshotRow, cell: Cell, catalogue: Catalogue) -> Iterator[str]:
    expected = catalogue.expected_behavior(cell)
    if row.get("expected_rag_behavior") != expected:
        yield f"expects {row.get('expected_rag_behavior')}, but {cell} calls for {expected}"
    lever = catalogue.find(str(row.get("lever_selected")))
    if lever is None:
        yield f"the catalogue has no lever '{str(row.get('lever_selected'))[:80]}'"
    elif lever.cell != cell:
        yield f"its lever '{lever.name}' belongs to {lever.cell}, not to {cell}"
    elif (row.get(EXPECTED_ANSWER) or "") != lever.answer:
        yield f"its {EXPECTED_ANSWER} is {row.get(EXPECTED_ANSWER)!r}, its lever has {lever.answer or None!r}"


def _target_faults(row: SnapshotRow, cell: Cell, catalogue: Catalogue) -> Iterator[str]:
    target = catalogue.classes[cell.perturbation_class].target
    parts = ("query", "context")
    changed = [part for part in parts if row.get(f"perturbed_{part}") != row.get(f"original_{part}")]
    if not changed:
        yield "neither query nor context was changed"
    for part in changed:
        if part not in target:
            yield f"the {part} was changed, which {cell.perturbation_class} does not allow"
    for part in parts:
        if not str(row.get(f"perturbed_{part}") or "").strip():
            yield f"the {part} is empty"
