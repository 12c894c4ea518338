"""A report as data: sections of sentences, figures and tables, for the terminal, an HTML page and CSV files alike.

What a report is about is none of this module's business; `text.py` and `page.py` render it.

A report as one HTML file that needs nothing else, with its figures (PNG, SVG) and tables (CSV) beside it.

No network, no second file, no build chain.

A report as a piece of HTML for a notebook: titles, sentences and tables; figures are left out.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from markupsafe import Markup

from perturb.errors import ConfigError
from perturb.files.resources import asset, html_environment
from perturb.files.text_files import writing_errors
from perturb.runtime.notebook import html_table
from perturb.text.wording import listed

if TYPE_CHECKING:
    from perturb.metrics.inputs import Estimate
    from perturb.reports.figures import Drawing

CellFormat = Literal["text", "count", "share", "percent", "number", "points", "change", "usd"]
"""How a value is shown: a share of 0.081 as 8.1 % (share), 8.1 (percent) or +8.1 (change); 8.1 points as +8.1."""

CellValue: TypeAlias = "str | int | float | Estimate | None"
TEXT: CellFormat = "text"
SHARE: CellFormat = "share"
COUNT: CellFormat = "count"
NUMBER: CellFormat = "number"
PERCENT: CellFormat = "percent"


def table_columns(head: str) -> dict[str, CellFormat]:
    """The columns of a table, as its head reads: names between bars, with their form where they are no text.

    >>> table_columns("model | replies: count")
    {'model': 'text', 'replies': 'count'}
    """
    names = (column.partition(": ") for column in head.split(" | "))
    return {name: _FORMS[form or "text"] for name, _, form in names}


_FORMS: Mapping[str, CellFormat] = {form: form for form in get_args(CellFormat)}


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of values: CSV has them as they are, text and page in the form of their column.

    An `Estimate` is one cell, with its interval; in CSV it takes three: the value, low and high. Why an estimate or
    its interval is missing is said below the table.
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

    @property
    def columns(self) -> Mapping[str, CellFormat]:
        """The form of each column, by its name."""
        return table_columns(self.head) if isinstance(self.head, str) else self.head

    @property
    def columns_shown(self) -> list[tuple[str, CellFormat, list[str]]]:
        """Name, form and values of the columns as they are shown; those without any text are left out."""
        columns = []
        for place, (name, form) in enumerate(self.columns.items()):
            texts = [show(row[place], form) for row in self.rows[: self.shown]]
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
        return next((place for place, form in enumerate(forms) if form != "text"), len(forms))

    @property
    def notes(self) -> list[str]:
        """The table's own note, then why estimates have no value or no interval."""
        where: dict[tuple[str, str], dict[str, list[str]]] = {}
        for row in self.rows[: self.shown]:
            label = " / ".join(str(cell) for cell in row[: self.labels] if cell)
            for column, value in zip(self.columns, row, strict=True):
                if value is None or isinstance(value, str | int | float) or not value.reason:
                    continue
                if value.value is None or value.low is None:
                    lack = "NA" if value.value is None else "No interval"
                    named = "" if column == "value" else column
                    where.setdefault((lack, value.reason), {}).setdefault(named, []).append(label)
        notes = [self.note] if self.note else []
        for (lack, reason), columns in where.items():
            grouped: dict[tuple[str, ...], list[str]] = {}
            for column, labels in columns.items():
                grouped.setdefault(tuple(labels), []).append(column)
            parts = [
                " of ".join(filter(None, (", ".join(names), listed(labels))))
                for labels, names in grouped.items()
            ]
            notes.append(f"{lack}: {'; '.join(parts)}: {reason.removeprefix('no interval: ')}.")
        return notes

    def to_csv(self) -> str:
        """The whole table; an undefined value is an empty cell."""
        out = io.StringIO()
        writer = csv.writer(out)
        cells = [[_parts(value) for value in row] for row in self.rows]
        widths = [max((len(row[place]) for row in cells), default=1) for place in range(len(self.columns))]
        ends = ("", " low", " high", " reason")
        writer.writerow(
            [name + end for name, width in zip(self.columns, widths, strict=True) for end in ends[:width]]
        )
        for row in cells:
            padded = ([*cell, *[None] * (width - len(cell))] for cell, width in zip(row, widths, strict=True))
            writer.writerow([part for cell in padded for part in cell])
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
    """What it comes to, in one sentence that stands first."""

    def __post_init__(self) -> None:
        """Leave tables without rows out: what the title of one would say belongs in a sentence."""
        object.__setattr__(self, "tables", tuple(table for table in self.tables if table.rows))


@dataclass(frozen=True, slots=True)
class ItemBrowser:
    """Items to leaf through on the page, with filters."""

    note: str
    filters: Mapping[str, Sequence[str]]
    """Field → the values that can be chosen."""
    items: Sequence[Mapping[str, Any]]
    """As `perturb.reports.run_data` or `perturb.reports.run_data` makes them."""


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
    forms = {"share": f"{100 * value:.1f} %", "points": f"{value:+.1f}", "number": f"{value:.3f}"}
    forms |= {"percent": f"{100 * value:.1f}", "change": f"{100 * value:+.1f}"}
    forms |= {"count": f"{value:,}", "usd": f"${value:,.2f}", "text": str(value)}
    return forms[form].replace("-", "−")


def _parts(value: CellValue) -> tuple[CellValue, ...]:
    if value is None or isinstance(value, str | int | float):
        return (value,)
    return (value.value, value.low, value.high, *([value.reason] if value.reason else []))


def render_page(report: Report) -> str:
    """The HTML file."""
    drawings = {
        figure.name: _inline(figure.drawing.svg) for section in report.sections for figure in section.figures
    }
    return (
        html_environment()
        .get_template("report/page.html.j2")
        .render(
            page=report,
            drawings=drawings,
            style=_assets("base.css", "page.css", "items.css"),
            script=_assets("sort.js", *(("items.js", "browser.js") if report.browser else ())),
            data=_script_data(report.browser.items) if report.browser else "",
        )
    )


def write_page(report: Report, html: Path, folder: Path) -> tuple[Path, ...]:
    """Write the HTML file, and figures and tables into `folder`; return all paths, the page first.

    Raises `ConfigError` if a file cannot be written.
    """
    contents: dict[Path, bytes] = {html: render_page(report).encode("utf-8", "replace")}
    for section in report.sections:
        for figure in section.figures:
            contents[folder / "figures" / f"{figure.name}.svg"] = figure.drawing.svg.encode()
            contents[folder / "figures" / f"{figure.name}.png"] = figure.drawing.png
        for table in section.tables:
            contents[folder / "tables" / f"{table.name}.csv"] = table.to_csv().encode("utf-8", "replace")
    for path, content in contents.items():
        with writing_errors(path, ConfigError):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    return tuple(contents)


def _inline(svg: str) -> Markup:
    """A figure as part of a page, without what only a file needs; matplotlib has escaped every text in it."""
    svg = re.sub(
        r"<!--.*?-->|<metadata>.*?</metadata>|<style.*?</style>", "", svg[svg.index("<svg") :], flags=re.S
    )
    return Markup(re.sub(r' xmlns(?::\w+)?="[^"]*"', "", svg))  # noqa: S704 - see above


def _assets(*names: str) -> Markup:
    return Markup("".join(asset(f"report/{name}") for name in names))  # noqa: S704 - our own files


def _script_data(items: Sequence[Mapping[str, Any]]) -> Markup:
    """The items as JSON that can stand inside a script element, whatever their texts hold."""
    text = json.dumps(list(items), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return Markup(text)  # noqa: S704 - holds no character that could end the element


def render_fragment(report: Report) -> str:
    """The report without a page around it; every text is escaped."""
    parts = [html_table(report.title, notes=[report.subtitle] if report.subtitle else [])]
    for section in report.sections:
        parts.append(html_table(section.title, notes=section.sentences))
        for table in section.tables:
            if table.shown:
                columns = table.columns_shown
                rows = zip(*(texts for _, _, texts in columns), strict=True)
                parts.append(html_table(table.title, [name for name, _, _ in columns], rows, table.notes))
    return "".join(parts)
