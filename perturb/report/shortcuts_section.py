"""What baselines tell from a part of each item, as a section of a report."""

from __future__ import annotations

from collections.abc import Collection

from perturb.audit.shortcut_baselines import VIEWS
from perturb.audit.shortcuts import TARGETS, Shortcuts
from perturb.report.figures import Mark, draw_intervals
from perturb.report.model import CellFormat, Figure, Report, Section, Table, show, table_columns
from perturb.wording import counted


def make_shortcuts_report(measured: Shortcuts, by: Collection[str]) -> Report:
    """The report of a shortcut audit by itself; `by` names the groupings to list."""
    size = f"{counted(measured.n_items, 'item')} of {counted(measured.n_bases, 'base instance')}"
    return Report(f"Shortcuts in {measured.source}", size, (shortcuts_section(measured, by),))


def shortcuts_section(measured: Shortcuts, by: Collection[str] = ("class", "intensity")) -> Section:
    """How well each baseline does, on what, and by which words."""
    scores = {(one.target, one.view): one for one in measured.scores}
    marks = [
        (label, [Mark.of(VIEWS[view], scores[target, view].macro_f1) for view in VIEWS])
        for target, label in TARGETS.items()
    ]
    figure = Figure(
        "shortcuts",
        "What baselines tell from a part of an item",
        "Macro-F1 with 95 % intervals over base instances. Chance is"
        f" {' and '.join(f'{one.chance_macro_f1:.2f} ({TARGETS[one.target]})' for one in measured.floors)}.",
        draw_intervals(marks, x_label="macro-F1", limits=(0.0, 1.0)),
    )
    return Section(
        "shortcuts",
        "Shortcuts",
        _sentences(measured),
        (figure,),
        (
            _scores(measured),
            *(_group(measured, name, name in by) for name in measured.scores[0].by),
            _words(measured),
        ),
        verdict=_verdict(measured),
    )


def _verdict(measured: Shortcuts) -> str:
    best, floor = measured.best("decision"), measured.floor("decision")
    f1 = best.macro_f1
    if f1.low is None or f1.low <= floor.chance_macro_f1:
        return "No baseline that sees a part of an item tells beyond chance whether it is to be answered."
    return (
        f"The label can be told from {VIEWS[best.view]} alone: macro-F1 {show(f1, 'number')}, where chance is"
        f" {floor.chance_macro_f1:.2f}."
    )


def _sentences(measured: Shortcuts) -> tuple[str, ...]:
    if measured.against is None:
        return ("Baselines are trained on four fifths of the base instances and tested on the others.",)
    return (
        f"Baselines are trained on {measured.against} and tested on {measured.source};"
        f" {counted(measured.shared_bases or 0, 'item')} of it share a base instance with the former.",
    )


def _scores(measured: Shortcuts) -> Table:
    columns = table_columns("target | seen")
    rows: list[tuple[object, ...]] = []
    for target, label in TARGETS.items():
        scores = [one for one in measured.scores if one.target == target]
        rows += [(label, VIEWS[one.view], one.accuracy, one.macro_f1) for one in scores]
        floor = measured.floor(target)
        rows.append((label, "chance", floor.chance_accuracy, floor.chance_macro_f1))
        rows.append((label, "majority", floor.majority_accuracy, floor.majority_macro_f1))
    return Table("shortcuts", "Baselines", columns | {"accuracy": "share", "macro-F1": "number"}, rows)  # type: ignore[arg-type]


def _group(measured: Shortcuts, name: str, listed: bool) -> Table:
    scores = [one for one in measured.scores if one.target == "decision"]
    columns: dict[str, CellFormat] = {name: "text", "items": "count"}
    columns |= dict.fromkeys((*(VIEWS[one.view] for one in scores), "majority"), "share")
    rows = [
        (first.name, first.accuracy.n, *(group.accuracy for group in groups), first.floor.majority_accuracy)
        for groups in zip(*(one.by[name] for one in scores), strict=True)
        for first in groups[:1]
    ]
    title = f"Accuracy on answer or refuse, by {name}"
    return Table(f"shortcuts-by-{name}", title, columns, rows, shown=len(rows) if listed else 0)


def _words(measured: Shortcuts) -> Table:
    rows = [
        (TARGETS[one.target], VIEWS[one.view], label, ", ".join(words))
        for one in measured.scores
        for label, words in one.words.items()
    ]
    columns = "target | seen | label | words"
    at_most = sum(one.target == "decision" for one in measured.scores for _ in one.words)
    note = "∅ stands for nothing at all. The words for each expected behaviour are in the CSV and the JSON."
    return Table("shortcut-words", "The most telling words", columns, rows, note, shown=at_most)
