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

The columns of a table are written as one text, `heading: format | heading: format`. The format is a `CellFormat`, and
text if it is left out. `Table.of` takes the rows from objects, and so its columns also name what they show:
`heading = attribute.path: format`. If the attribute is left out, its name is the heading. `metric_columns` writes the
columns for the values of a mapping, such as the metrics of a model.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

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
# Constants of the type `CellFormat`: mypy would take the literals in a dictionary for any strings.
TEXT: CellFormat = "text"
SHARE: CellFormat = "share"
COUNT: CellFormat = "count"
NUMBER: CellFormat = "number"
PERCENT: CellFormat = "percent"

_MOST_COLUMNS_BESIDE_FIGURE = 3


def table_columns(head: str) -> dict[str, CellFormat]:
    """Heading → format of the columns that a text names: see above.

    A column with ": " in its heading needs a format.

    >>> table_columns("model | replies: count | moved: all: share")
    {'model': 'text', 'replies': 'count', 'moved: all': 'share'}
    """
    columns = {}
    for column in head.split(" | "):
        heading, _, cell_format = column.rpartition(": ")
        columns[heading or column] = _FORMATS[cell_format] if heading else TEXT
    return columns


def metric_columns(path: str, headings: Mapping[str, str], cell_format: CellFormat = PERCENT) -> str:
    """Columns of `Table.of` for the values of the mapping at `path`; `headings` has a heading for each of its keys.

    >>> metric_columns("metrics", {"ece": "ECE", "detection_f1": "F1"})
    'ECE = metrics.ece: percent | F1 = metrics.detection_f1: percent'
    """
    return " | ".join(f"{heading} = {path}.{key}: {cell_format}" for key, heading in headings.items())


# A format's name → the same as a `CellFormat`.
_FORMATS: Mapping[str, CellFormat] = {cell_format: cell_format for cell_format in get_args(CellFormat)}


class ShownColumn(NamedTuple):
    """A column of a table as readers see it."""

    heading: str
    cell_format: CellFormat
    texts: list[str]
    """A text for each row."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of values. CSV has them as they are; text and page show them in the format of their column.

    An `Estimate` is one cell, with its interval; in CSV it takes three: the value, low and high. A note below the
    table says why an estimate or its interval is missing.
    """

    name: str
    """Name of the CSV file."""
    title: str
    head: str | Mapping[str, CellFormat]
    """The columns as `table_columns` reads them. Headings that are data may hold any character: they need a mapping."""
    rows: Sequence[Sequence[CellValue]]
    note: str = ""
    shown: int = 60
    """Rows in text and on the page; the rest is in the CSV file only. With 0 the table is in neither."""

    @classmethod
    def of(
        cls, name: str, title: str, columns: str, items: Iterable[Any], note: str = "", shown: int = 60
    ) -> Table:
        """A row for each item. `columns` names the attributes, or keys, to show: see the head of this module.

        A text that is None is left empty.

        >>> Table.of("cells", "Cells", "code = real | imaginary = imag: number", [1j]).rows
        [(0.0, 1.0)]
        """
        formats: dict[str, CellFormat] = {}
        attributes = []
        for column, cell_format in table_columns(columns).items():
            heading, _, attribute = column.rpartition(" = ")
            formats[heading or attribute] = cell_format
            attributes.append(attribute)
        rows = []
        for item in items:
            row = []
            for attribute, cell_format in zip(attributes, formats.values(), strict=True):
                value = _value_at(item, attribute)
                row.append("" if value is None and cell_format == TEXT else value)
            rows.append(tuple(row))
        return cls(name, title, formats, rows, note, shown)

    @property
    def columns(self) -> Mapping[str, CellFormat]:
        """Heading → format of each column."""
        return table_columns(self.head) if isinstance(self.head, str) else self.head

    @property
    def columns_shown(self) -> list[ShownColumn]:
        """The columns as they are shown, without those that are empty in all rows."""
        columns = []
        for position, (heading, cell_format) in enumerate(self.columns.items()):
            texts = [show(row[position], cell_format) for row in self.rows[: self.shown]]
            # A table without rows keeps its head.
            if any(texts) or not texts:
                columns.append(ShownColumn(heading, cell_format, texts))
        return columns

    @property
    def fits_beside_figure(self) -> bool:
        """Whether it is narrow enough to stand beside a figure."""
        return len(self.columns) <= _MOST_COLUMNS_BESIDE_FIGURE

    @property
    def n_label_columns(self) -> int:
        """How many columns at the left name a row: those of texts, up to the first of another format."""
        return len(list(takewhile(lambda cell_format: cell_format == TEXT, self.columns.values())))

    @property
    def notes(self) -> list[str]:
        """The table's own note, then a sentence for each reason why estimates lack a value or an interval.

        Such as "NA: accuracy of gpt / A: nothing was scored.", for the column accuracy in the row of gpt and A.
        """
        notes = [self.note] if self.note else []
        for (gap, reason), rows_of_column in self._missing().items():
            # Columns with the same gap in the same rows are named together.
            columns_of_rows: dict[tuple[str, ...], list[str]] = {}
            for column, rows in rows_of_column.items():
                columns_of_rows.setdefault(tuple(rows), []).append(column)
            cells = []
            for row_names, columns in columns_of_rows.items():
                cells.append(" of ".join(filter(None, (", ".join(columns), listed(row_names)))))
            notes.append(f"{gap}: {'; '.join(cells)}: {reason.removeprefix('no interval: ')}.")
        return notes

    def _missing(self) -> dict[tuple[str, str], dict[str, list[str]]]:
        """What is missing and why → column → the rows, as their labels name them."""
        missing: dict[tuple[str, str], dict[str, list[str]]] = {}
        for row in self.rows[: self.shown]:
            row_name = " / ".join(str(cell) for cell in row[: self.n_label_columns] if cell)
            for column, value in zip(self.columns, row, strict=True):
                if value is None or isinstance(value, str | int | float) or not value.reason:
                    continue
                if value.value is None or value.low is None:
                    gap = "NA" if value.value is None else "No interval"
                    column_name = "" if column == "value" else column
                    missing.setdefault((gap, value.reason), {}).setdefault(column_name, []).append(row_name)
        return missing

    def to_csv(self) -> str:
        """The whole table. An undefined value is an empty cell; an interval and a reason get columns of their own."""
        csv_columns: list[list[CellValue]] = []
        for position, heading in enumerate(self.columns):
            cells = [_csv_values(row[position]) for row in self.rows]
            suffixes = dict.fromkeys(suffix for cell in cells for suffix in cell) or [""]
            csv_columns += [[heading + suffix, *(cell.get(suffix) for cell in cells)] for suffix in suffixes]
        out = io.StringIO()
        csv.writer(out).writerows(zip(*csv_columns, strict=True))
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
        """Leave out tables without rows: a sentence should say that there is nothing to list."""
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


def show(value: CellValue, cell_format: CellFormat) -> str:
    """A value as readers see it.

    >>> show(0.5, "share"), show(-8.74, "points"), show(1600, "count"), show(None, "number"), show(None, "usd")
    ('50.0 %', '−8.7', '1,600', 'NA', 'unknown')
    >>> from perturb.metrics.inputs import Estimate
    >>> show(Estimate(0.5, 0.4, 0.6), "percent").replace("\N{NO-BREAK SPACE}", " ")
    '50.0 [40.0, 60.0]'
    """
    if value is None:
        return "unknown" if cell_format == "usd" else "NA"
    if isinstance(value, str):
        return value
    if not isinstance(value, int | float):
        if value.value is None or value.low is None or value.high is None:
            return show(value.value, cell_format)
        low, high = (show(end, cell_format).removesuffix(" %") for end in (value.low, value.high))
        return f"{show(value.value, cell_format)} [{low},\N{NO-BREAK SPACE}{high}]"
    shown_value = 100 * value if cell_format in ("share", "percent", "change") else value
    # Readers see the minus sign, U+2212, in place of the hyphen.
    return _TEMPLATES[cell_format].format(shown_value).replace("-", "−")


_TEMPLATES: Mapping[CellFormat, str] = {
    "share": "{:.1f} %",
    "percent": "{:.1f}",
    "change": "{:+.1f}",
    "points": "{:+.1f}",
    "number": "{:.3f}",
    "count": "{:,}",
    "usd": "${:,.2f}",
    "text": "{}",
}


def _value_at(item: Any, path: str) -> Any:
    """The value of an attribute, or key, of an item; dots lead to attributes of attributes.

    The last part of the path may be a key that has dots itself.
    """
    while path:
        if isinstance(item, Mapping) and path in item:
            return item[path]
        name, _, path = path.partition(".")
        item = item[name] if isinstance(item, Mapping) else getattr(item, name)
    return item


def _csv_values(value: CellValue) -> dict[str, CellValue]:
    """The cells of a value in CSV: what follows the heading of their column → the value."""
    if value is None or isinstance(value, str | int | float):
        return {"": value}
    values: dict[str, CellValue] = {"": value.value, " low": value.low, " high": value.high}
    if value.reason:
        values[" reason"] = value.reason
    return values
