"""A report as data: sections of sentences, figures and tables, for the terminal, an HTML page and CSV files.

This module does not know what a report is about; `rendering` renders it. A page of your own:

    from pathlib import Path
    from perturb.reports.figures import Mark, draw_bars
    from perturb.reports.model import Figure, Report, Section, Table
    from perturb.reports.rendering import render_text, write_page

    scores = {"one": 65.35, "two": 48.2}
    marks = [Mark(name, value) for name, value in scores.items()]
    figure = Figure("scores", "Scores", "Higher is better.", draw_bars(marks, x_label="score", form=".1f"))
    table = Table("scores", "Scores", {"model": "text", "score": "number"}, list(scores.items()))
    report = Report("My scores", "two models", (Section("scores", "Scores", (), (figure,), (table,)),))
    write_page(report, Path("scores.html"), Path("scores"))
    print(render_text(report, width=80))

A cell of a table may be a `perturb.metrics.inputs.Estimate`, shown with its interval.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from perturb.records import Facts
from perturb.text.wording import listed

if TYPE_CHECKING:
    from perturb.metrics.inputs import Estimate
    from perturb.reports.figures import Drawing

# How a value is shown: a share of 0.081 as 8.1 % (share), 8.1 (percent) or +8.1 (change); 8.1 points as +8.1.
CellFormat = Literal["text", "count", "share", "percent", "number", "points", "change", "usd"]

# None is shown as NA, or as unknown if it is a price.
CellValue: TypeAlias = "str | int | float | Estimate | None"
# The rows of a table as they are built: without the type, rows of texts alone would not pass for rows of values.
TableRows: TypeAlias = "list[list[CellValue]]"
# The formats as typed names: a dictionary of plain strings would not pass for one of formats.
TEXT: CellFormat = "text"
SHARE: CellFormat = "share"
COUNT: CellFormat = "count"
NUMBER: CellFormat = "number"
PERCENT: CellFormat = "percent"


def table_columns(head: str) -> dict[str, CellFormat]:
    """The columns of a table, as its head reads: names between bars, with their form unless they are text.

    >>> table_columns("model | replies: count")
    {'model': 'text', 'replies': 'count'}
    """
    names = (column.partition(": ") for column in head.split(" | "))
    return {name: _FORMS[form or "text"] for name, _, form in names}


_FORMS: Mapping[str, CellFormat] = {form: form for form in get_args(CellFormat)}


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of values: CSV has them as they are, text and page in the form of their column.

    An `Estimate` is one cell, with its interval; in CSV it takes three: the value, low and high. A note below the
    table says why an estimate or its interval is missing.
    """

    name: str
    """Name of the CSV file."""
    title: str
    head: str | Mapping[str, CellFormat]
    """The columns as `table_columns` reads them, or by name where a name is data and may hold any character."""
    rows: Sequence[Sequence[CellValue]]
    note: str = ""
    shown: int = 60
    """Rows in text and on the page; the rest is in the CSV file only. With 0 the table is in neither."""

    @classmethod
    def of(
        cls, name: str, title: str, columns: str, items: Iterable[Any], note: str = "", shown: int = 60
    ) -> Table:
        """A row for each item: `columns` is a head that names for each column an attribute, or key, of the item.

        A column that names none shows the attribute of its heading. A text that is None is left empty.

        >>> Table.of("cells", "Cells", "code = real | imaginary = imag: number", [1j]).rows
        [(0.0, 1.0)]
        """
        forms: dict[str, CellFormat] = {}
        attributes = []
        for column, form in table_columns(columns).items():
            head, _, attribute = column.partition(" = ")
            forms[head] = form
            attributes.append((attribute or head).split("."))
        rows = []
        for item in items:
            values = [reduce(_field, path, item) for path in attributes]
            rows.append(
                tuple(
                    "" if form == TEXT and value is None else value
                    for form, value in zip(forms.values(), values, strict=True)
                )
            )
        return cls(name, title, forms, rows, note, shown)

    @property
    def columns(self) -> Mapping[str, CellFormat]:
        """The form of each column, by its name."""
        return table_columns(self.head) if isinstance(self.head, str) else self.head

    @property
    def columns_shown(self) -> list[tuple[str, CellFormat, list[str]]]:
        """Name, form and values of the columns as they are shown; those without any text are left out."""
        columns = []
        for position, (name, form) in enumerate(self.columns.items()):
            texts = [show(row[position], form) for row in self.rows[: self.shown]]
            # A column that is empty in all rows would only take room. A table without rows keeps its head.
            if any(texts) or not texts:
                columns.append((name, form, texts))
        return columns

    @property
    def narrow(self) -> bool:
        """Whether it can stand beside a figure."""
        return len(self.columns) < 4

    @property
    def labels(self) -> int:
        """How many columns at the left name a row."""
        forms = list(self.columns.values())
        return next((position for position, form in enumerate(forms) if form != "text"), len(forms))

    @property
    def notes(self) -> list[str]:
        """The table's own note, then why estimates have no value or no interval."""
        # What is missing and why → column → labels of the rows, so that a single sentence covers all cells of a reason.
        missing: dict[tuple[str, str], dict[str, list[str]]] = {}
        for row in self.rows[: self.shown]:
            label = " / ".join(str(cell) for cell in row[: self.labels] if cell)
            for column, value in zip(self.columns, row, strict=True):
                if value is None or isinstance(value, str | int | float) or not value.reason:
                    continue
                if value.value is None or value.low is None:
                    gap = "NA" if value.value is None else "No interval"
                    column_name = "" if column == "value" else column
                    missing.setdefault((gap, value.reason), {}).setdefault(column_name, []).append(label)
        notes = [self.note] if self.note else []
        for (gap, reason), columns in missing.items():
            # Columns with the same gap in the same rows are named together.
            grouped: dict[tuple[str, ...], list[str]] = {}
            for column, labels in columns.items():
                grouped.setdefault(tuple(labels), []).append(column)
            cells = [
                " of ".join(filter(None, (", ".join(names), listed(labels))))
                for labels, names in grouped.items()
            ]
            notes.append(f"{gap}: {'; '.join(cells)}: {reason.removeprefix('no interval: ')}.")
        return notes

    def to_csv(self) -> str:
        """The whole table; an undefined value is an empty cell."""
        out = io.StringIO()
        writer = csv.writer(out)
        rows = [[_csv_values(value) for value in row] for row in self.rows]
        # A column is as wide as its widest cell: 1, or 3 with an interval, or 4 with a reason.
        widths = [max((len(row[column]) for row in rows), default=1) for column in range(len(self.columns))]
        suffixes = ("", " low", " high", " reason")
        header = []
        for name, width in zip(self.columns, widths, strict=True):
            header += [name + suffix for suffix in suffixes[:width]]
        writer.writerow(header)
        for row in rows:
            line: list[CellValue] = []
            for values, width in zip(row, widths, strict=True):
                line += [*values, *[None] * (width - len(values))]
            writer.writerow(line)
        return out.getvalue()


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing with what a reader needs to understand it."""

    name: str
    """Name of the PNG and SVG files."""
    title: str
    caption: str
    drawing: Drawing


@dataclass(frozen=True, slots=True)
class Section:
    """One chapter."""

    name: str
    """Its anchor."""
    title: str
    """Empty for a report of one chapter."""
    sentences: Sequence[str] = ()
    figures: Sequence[Figure] = ()
    tables: Sequence[Table] = ()
    verdict: str = ""
    """The conclusion in one sentence, which is printed first."""

    def __post_init__(self) -> None:
        """Leave out tables without rows: that there is nothing to list belongs in a sentence."""
        object.__setattr__(self, "tables", tuple(table for table in self.tables if table.rows))


@dataclass(frozen=True, slots=True)
class ItemBrowser:
    """Items to leaf through on the page, with filters."""

    note: str
    filters: Mapping[str, Sequence[str]]
    """Field → the values that can be chosen."""
    items: Sequence[Facts]
    """As `describe_item` and `describe_replies` of `perturb.reports.run_data` make them."""


@dataclass(frozen=True, slots=True)
class Report:
    """A whole report."""

    title: str
    subtitle: str
    sections: Sequence[Section]
    browser: ItemBrowser | None = None


def show(value: CellValue, form: CellFormat) -> str:
    """A value as readers see it.

    >>> show(0.5, "share"), show(-8.74, "points"), show(1600, "count"), show(None, "number"), show(None, "usd")
    ('50.0 %', '−8.7', '1,600', 'NA', 'unknown')
    >>> from perturb.metrics.inputs import Estimate
    >>> show(Estimate(0.5, 0.4, 0.6), "percent").replace("\N{NO-BREAK SPACE}", " ")
    '50.0 [40.0, 60.0]'
    """
    if value is None:
        return "unknown" if form == "usd" else "NA"
    if isinstance(value, str):
        return value
    if not isinstance(value, int | float):
        if value.value is None or value.low is None or value.high is None:
            return show(value.value, form)
        low, high = show(value.low, form), show(value.high, form)
        return f"{show(value.value, form)} [{low.removesuffix(' %')},\N{NO-BREAK SPACE}{high.removesuffix(' %')}]"
    texts: dict[CellFormat, str] = {
        "share": f"{100 * value:.1f} %",
        "percent": f"{100 * value:.1f}",
        "change": f"{100 * value:+.1f}",
        "points": f"{value:+.1f}",
        "number": f"{value:.3f}",
        "count": f"{value:,}",
        "usd": f"${value:,.2f}",
        "text": str(value),
    }
    return texts[form].replace("-", "−")


def _field(item: Any, name: str) -> Any:
    return item[name] if isinstance(item, Mapping) else getattr(item, name)


def _csv_values(value: CellValue) -> tuple[CellValue, ...]:
    """The cells that a value takes in CSV."""
    if value is None or isinstance(value, str | int | float):
        return (value,)
    return (value.value, value.low, value.high, *([value.reason] if value.reason else []))
