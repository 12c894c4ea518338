"""A report as data, and as one HTML file that needs nothing else: no network, no second file, no build chain.

A page is made of sections, a section of sentences, figures and tables. Every figure is also written as PNG and SVG,
every table as CSV. What a page is about is none of this module's business.
"""

from __future__ import annotations

import base64
import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from markupsafe import Markup

from perturb.errors import ConfigError
from perturb.metrics.estimates import Estimate
from perturb.report.figures import Drawing
from perturb.report.html import asset, html_environment

Form = Literal["text", "count", "share", "percent", "number", "points", "usd"]
Value = str | int | float | Estimate | None


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table and how its values are shown."""

    name: str
    form: Form = "text"


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of values; CSV has them as they are, the page in the form of their column.

    An `Estimate` is one cell of the page, with its interval; in CSV it takes three: the value, low and high.
    """

    name: str
    """Name of the CSV file."""
    title: str
    columns: tuple[Column, ...]
    rows: Sequence[Sequence[Value]]
    note: str = ""
    shown: int = 60
    """Rows on the page; the rest is in the CSV file only. With 0 the table is not on the page at all."""

    @property
    def columns_shown(self) -> list[tuple[Column, list[str]]]:
        """The columns of the page with their values as they are shown; those without any text are left out."""
        columns = []
        for place, column in enumerate(self.columns):
            texts = [show(row[place], column.form) for row in self.rows[: self.shown]]
            if any(texts) or not texts:
                columns.append((column, texts))
        return columns

    def to_csv(self) -> str:
        """The whole table; an undefined value is an empty cell."""
        wide = {place for row in self.rows for place, value in enumerate(row) if isinstance(value, Estimate)}
        out = io.StringIO()
        writer = csv.writer(out)
        names = [column.name for column in self.columns]
        ends = [(f"{name} low", f"{name} high") if place in wide else () for place, name in enumerate(names)]
        writer.writerow([part for name, pair in zip(names, ends, strict=True) for part in (name, *pair)])
        for row in self.rows:
            writer.writerow(
                [part for place, value in enumerate(row) for part in _csv_cells(value, place in wide)]
            )
        return out.getvalue()


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing with what a reader needs to understand it."""

    name: str
    """Name of the PNG and SVG files."""
    title: str
    caption: str
    drawing: Drawing

    @property
    def source(self) -> str:
        """The SVG as an address that holds all of it."""
        return "data:image/svg+xml;base64," + base64.b64encode(self.drawing.svg.encode()).decode()


@dataclass(frozen=True, slots=True)
class Section:
    """One chapter of a page."""

    name: str
    """Its anchor."""
    title: str
    sentences: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    tables: tuple[Table, ...] = ()


@dataclass(frozen=True, slots=True)
class ItemBrowser:
    """Items to leaf through, with filters."""

    note: str
    filters: Mapping[str, Sequence[str]]
    """Field → the values that can be chosen."""
    items: Sequence[Mapping[str, Any]]
    """As `perturb.report.run_data` or `perturb.report.replies` makes them."""
    marks_changes: bool = True
    """Whether texts are shown as original beside perturbed, rather than once."""


@dataclass(frozen=True, slots=True)
class Page:
    """A whole report."""

    title: str
    subtitle: str
    sections: tuple[Section, ...]
    browser: ItemBrowser | None = None


def show(value: Value, form: Form) -> str:
    """A value as readers see it.

    >>> show(0.5, "share"), show(-8.74, "points"), show(1600, "count"), show(None, "number")
    ('50.0 %', '−8.7', '1,600', 'NA')
    >>> show(Estimate(0.5, 0.4, 0.6), "percent").replace("\N{NO-BREAK SPACE}", " ")
    '50.0 [40.0, 60.0]'
    """
    if isinstance(value, Estimate):
        if value.value is None or value.low is None or value.high is None:
            return show(value.value, form)
        ends = f"[{show(value.low, form)},\N{NO-BREAK SPACE}{show(value.high, form)}]"
        return f"{show(value.value, form)} {ends}"
    if value is None:
        return "NA"
    if isinstance(value, str):
        return value
    forms = {"share": f"{100 * value:.1f} %", "points": f"{value:+.1f}", "number": f"{value:.3f}"}
    forms["percent"] = f"{100 * value:.1f}"
    forms |= {"count": f"{value:,}", "usd": f"${value:,.2f}", "text": str(value)}
    return forms[form].replace("-", "−")


def render_page(page: Page) -> str:
    """The HTML file."""
    return (
        html_environment()
        .get_template("report/page.html.j2")
        .render(
            page=page,
            style=Markup(asset("report/base.css") + asset("report/page.css")),  # noqa: S704 - our own file
            script=Markup(asset("report/browser.js")),  # noqa: S704 - our own file
            data=_script_data(page.browser.items) if page.browser else "",
        )
    )


def write_page(page: Page, html: Path, folder: Path) -> tuple[Path, ...]:
    """Write the HTML file, and figures and tables into `folder`; return all paths, the page first.

    Raises `ConfigError` if a file cannot be written.
    """
    contents: dict[Path, bytes] = {html: render_page(page).encode("utf-8", "replace")}
    for section in page.sections:
        for figure in section.figures:
            contents[folder / "figures" / f"{figure.name}.svg"] = figure.drawing.svg.encode()
            contents[folder / "figures" / f"{figure.name}.png"] = figure.drawing.png
        for table in section.tables:
            contents[folder / "tables" / f"{table.name}.csv"] = table.to_csv().encode("utf-8", "replace")
    for path, content in contents.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        except OSError as exc:
            raise ConfigError(
                f"{path}: cannot be written ({exc.strerror or exc}): choose another place"
            ) from None
    return tuple(contents)


def _csv_cells(value: Value, wide: bool) -> tuple[Value, ...]:
    if isinstance(value, Estimate):
        return (value.value, value.low, value.high)
    return (value, None, None) if wide else (value,)


def _script_data(items: Sequence[Mapping[str, Any]]) -> Markup:
    """The items as JSON that can stand inside a script element, whatever their texts hold."""
    text = json.dumps(list(items), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return Markup(text)  # noqa: S704 - holds no character that could end the element
