"""The catalogue as a report: a list of levers, or one in full."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from perturb.records import Lever
from perturb.report.model import CellFormat, Report, Section, Table, counted

if TYPE_CHECKING:
    from perturb.catalogue import ClassEntry


def make_levers_report(
    levers: Sequence[Lever],
    ruled: Mapping[str, Mapping[str, Any]] | None = None,
    switched_off: Mapping[str, str] | None = None,
) -> Report:
    """Levers by cell; `ruled` tells of those with a rule how many of its items were read and fit."""
    columns: dict[str, CellFormat] = {"intensity": "text", "lever": "text"}
    rows: dict[str, list[tuple[str, ...]]] = {}
    for one in levers:
        found = map(str, ruled[one.name].values()) if ruled is not None else ()
        rows.setdefault(str(one.cell.perturbation_class), []).append(
            (str(one.cell.intensity), one.name, *found)
        )
    notes = [counted(len(levers), "lever")]
    if ruled is not None:
        columns |= {"fit": "text", "read": "text", "precondition": "text"}
        notes = [
            "fit: share of the items read by one person that were fit to publish; read: how many those were"
        ]
        notes += [f"switched off: {name} ({why})" for name, why in (switched_off or {}).items()]
    tables = [Table(name, name, columns, listed, shown=len(listed)) for name, listed in rows.items()]
    return Report("", "", (Section("levers", "", tables=tables), Section("notes", "", notes)))


def make_lever_report(lever: Lever, entry: ClassEntry, expected: str) -> Report:
    """One lever of the class `entry`; `expected` is what a model should do."""
    from perturb.features import Need, vocabulary

    features = {name for need in lever.needs for name in Need.read(need).features}
    parts = (name.partition(":") for name in sorted(features))
    facts = (
        f"May change: {', '.join(sorted(entry.target))}",
        f"Expected: {expected}",
        f"Needs: {'; '.join(lever.needs) or 'nothing: it fits every instance'}",
        *(f"  {group}:{name}: {vocabulary()[group][name]}" for group, _, name in parts),
        f"Intensity: {entry.criteria[lever.cell.intensity]}",
    )
    example = (
        f"Query: {lever.illustration.query}",
        f"Context: {lever.illustration.context}",
        f"Expected: {lever.illustration.expected}",
    )
    texts = (facts, (lever.instruction,), example)
    return Report(f"{lever.name} ({lever.cell})", "", tuple(Section("", "", text) for text in texts))
