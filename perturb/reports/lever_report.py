"""The catalogue as a report: a list of levers, or one in full."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from perturb.records import Cell, Lever
from perturb.reports.model import Report, Section, Table, table_columns
from perturb.text.wording import counted

if TYPE_CHECKING:
    from perturb.catalogue.classes import ClassEntry


def make_levers_report(levers: Sequence[Lever], without_rule: Sequence[Cell] | None = None) -> Report:
    """Levers by cell; with `without_rule`, those that have a rule, and the cells in which none has."""
    columns = table_columns("intensity | lever")
    if without_rule is not None:
        columns["rule"] = "text"
    rows: dict[str, list[tuple[str, ...]]] = {}
    for one in levers:
        rule = " ".join(filter(None, (one.rule.do, one.rule.what))) if one.rule else "-"
        told = () if without_rule is None else (rule,)
        rows.setdefault(str(one.cell.perturbation_class), []).append(
            (str(one.cell.intensity), one.name, *told)
        )
    notes = [counted(len(levers), "lever")]
    if without_rule:
        notes.append(f"no rule, a model is needed: {', '.join(map(str, without_rule))}")
    tables = [Table(name, name, columns, listed, shown=len(listed)) for name, listed in rows.items()]
    return Report("", "", (Section("levers", "", tables=tables), Section("notes", "", notes)))


def make_lever_report(lever: Lever, entry: ClassEntry, expected: str) -> Report:
    """One lever of the class `entry`; `expected` is what a model should do."""
    from perturb.catalogue.features import Need, vocabulary

    features = {name for need in lever.needs for name in Need.read(need).features}
    parts = (name.partition(":") for name in sorted(features))
    facts = (
        f"May change: {', '.join(sorted(entry.target))}",
        f"Expected: {expected}{f', {lever.answer}' if lever.answer else ''}",
        *([f"Its code means: {entry.refuse_when}"] if entry.refuse_when else []),
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
