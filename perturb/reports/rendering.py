"""A report rendered as one HTML file, as HTML for a notebook, or as text for a terminal; items as text.

The HTML file needs no network and no second file; figures (PNG, SVG) and tables (CSV) are written beside it. The
notebook and the terminal leave figures out, because their tables show the same. On a terminal cells wrap, and a table
that is still too wide is turned or split.
"""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from markupsafe import Markup
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from perturb.errors import ConfigError
from perturb.files.resources import writing_errors
from perturb.ledger.calls import reading
from perturb.ledger.plans import current_plan
from perturb.records import Facts, JsonObject
from perturb.reports.model import Report, Section, Table
from perturb.text.wording import counted, html_table, one_line, printable


def render_page(report: Report) -> str:
    """The report as the text of an HTML file."""
    from perturb.files.templating import asset, html_environment  # text is rendered without loading Jinja

    def assets(*names: str) -> Markup:
        return Markup("".join(asset(f"report/{name}") for name in names))  # noqa: S704 - our own files

    drawings = {
        figure.name: _inline(figure.drawing.svg) for section in report.sections for figure in section.figures
    }
    return (
        html_environment()
        .get_template("report/page.html.j2")
        .render(
            page=report,
            drawings=drawings,
            style=assets("base.css", "page.css", "items.css"),
            script=assets("sort.js", *(("items.js", "browser.js") if report.browser else ())),
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


def _script_data(items: Sequence[Facts]) -> Markup:
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
                headings = [column.heading for column in columns]
                rows = zip(*(column.texts for column in columns), strict=True)
                parts.append(html_table(table.title, headings, rows, table.notes))
    return "".join(parts)


# Blanks between two columns.
_GAP = 2
# The width in characters from which running text in a cell reads well.
_COMFORTABLE_TEXT = 24


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of a table on a terminal."""

    head: str
    """The heading, which may break over several lines."""
    cells: Sequence[str]
    right: bool
    """Whether the column holds numbers, which are never wrapped."""

    @property
    def full_width(self) -> int:
        """The width at which no cell wraps."""
        return max(map(cell_len, (*self.head.splitlines(), *self.cells)), default=0)

    @property
    def minimum_width(self) -> int:
        """The width below which a word or a number would be broken."""
        cells = self.cells if self.right else chain.from_iterable(map(str.split, self.cells))
        return max(map(cell_len, (*self.head.split(), *cells)), default=0)

    @property
    def comfortable_width(self) -> int:
        """The width from which the column reads well."""
        if self.right:
            return self.minimum_width
        return max(self.minimum_width, min(_COMFORTABLE_TEXT, self.full_width))


def render_text(report: Report, width: int = 80, *, colour: bool = False) -> str:
    """The report in lines of at most `width` columns; a single path or word may be longer.

    With `colour`, titles are bold.
    """

    def bold(text: str) -> str:
        return f"\x1b[1m{text}\x1b[0m" if colour and text else text

    head = (bold(_wrap(report.title, width)), _wrap(report.subtitle, width))
    blocks = ["\n".join(filter(None, head))]
    for section in report.sections:
        blocks += _section(section, width, bold)
    return "\n\n".join(filter(None, blocks))


def _section(section: Section, width: int, bold: Callable[[str], str]) -> Iterator[str]:
    """The blocks of a section: its title, its sentences and its tables."""
    tables = [table for table in section.tables if table.shown]
    has_text = tables or section.sentences or section.verdict
    # A terminal shows no figures. Without tables, the sentences of a section are about its figures.
    is_about_figures = section.figures and not section.tables
    if not has_text or is_about_figures:
        return
    if section.title:
        yield f"{bold(section.title)}\n{'─' * min(width, cell_len(section.title))}"
    sentences = [section.verdict, *section.sentences] if section.verdict else section.sentences
    yield "\n".join(_wrap(sentence, width) for sentence in sentences)
    for table in tables:
        notes = table.notes
        if len(table.rows) > table.shown:
            notes.append(f"{table.shown} of {len(table.rows)} rows shown; all of them: --json.")
        title = [bold(_wrap(table.title, width))] if table.title else []
        yield "\n".join([*title, *_table(table, width), *(_wrap(note, width) for note in notes)])


def _wrap(text: str, width: int) -> str:
    """The text in lines of at most `width` columns; only a single word may be longer."""
    # A number and its per cent sign stay on one line.
    lines = [""]
    for word in one_line(text).replace(" %", "\N{NO-BREAK SPACE}%").split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if lines[-1] and cell_len(longer) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return "\n".join(lines).replace("\N{NO-BREAK SPACE}", " ")


def _table(table: Table, width: int) -> list[str]:
    """The lines of a table: as it is if that fits, else with rows and columns swapped, else split into several."""
    columns = [
        _Column(
            one_line(column.heading), list(map(one_line, column.texts)), right=column.cell_format != "text"
        )
        for column in table.columns_shown
    ]
    if _fits(columns, width):
        return _draw(columns, width)
    # If an empty column is left out, the first columns may be fewer labels, and a number among them is a value.
    n_labels = sum(not column.right for column in columns[: table.n_label_columns])
    label_columns, value_columns = columns[:n_labels], columns[n_labels:]
    # Running text would make a column of a swapped table as wide as before, so only numbers are swapped.
    if label_columns and value_columns and all(column.right for column in value_columns):
        swapped = _swap(label_columns, value_columns)
        if _fits(swapped, width):
            return _draw(swapped, width)
    return _split(columns, n_labels, width)


def _swap(label_columns: Sequence[_Column], value_columns: Sequence[_Column]) -> list[_Column]:
    """A column for each row, with the labels of the row as its head. The first column has the names of the values."""
    names_of_labels = " / ".join(column.head for column in label_columns)
    swapped = [_Column(names_of_labels, [column.head for column in value_columns], right=False)]
    labels_of_rows = zip(*(column.cells for column in label_columns), strict=True)
    values_of_rows = zip(*(column.cells for column in value_columns), strict=True)
    for labels, values in zip(labels_of_rows, values_of_rows, strict=True):
        # A head breaks after each label and after each slash, as in "openai/gpt-4o", so that its column is narrow.
        head = "\n".join(filter(None, labels)).replace("/", "/\n")
        swapped.append(_Column(head, values, right=True))
    return swapped


def _fits(columns: Sequence[_Column], width: int) -> bool:
    return sum(column.comfortable_width for column in columns) + _GAP * (len(columns) - 1) <= width


def _split(columns: Sequence[_Column], n_labels: int, width: int) -> list[str]:
    """The lines of several tables below one another. Each starts with the columns that name the rows."""
    label_columns = columns[:n_labels]
    blocks: list[list[_Column]] = [[]]
    for column in columns[n_labels:]:
        if blocks[-1] and not _fits([*label_columns, *blocks[-1], column], width):
            blocks.append([])
        blocks[-1].append(column)
    lines: list[str] = []
    for block in blocks:
        if lines:
            lines.append("")
        lines += _draw([*label_columns, *block], width)
    return lines


def _fit_widths(columns: Sequence[_Column], width: int) -> list[int]:
    """The widths of columns that fit beside one another into a terminal of this width."""
    widths = [min(column.full_width, width) for column in columns]
    room = width - _GAP * (len(columns) - 1)
    # Narrow the widest column step by step: first down to what reads well, then to whole words, then to anything.
    for bounds in (
        [column.comfortable_width for column in columns],
        [column.minimum_width for column in columns],
        [1] * len(columns),
    ):
        while sum(widths) > room:
            shrinkable = [place for place, bound in enumerate(bounds) if widths[place] > bound]
            if not shrinkable:
                break
            widest = max(shrinkable, key=widths.__getitem__)
            widths[widest] -= 1
    return widths


def _draw(columns: Sequence[_Column], width: int) -> list[str]:
    """The lines of a table whose columns are narrowed to fit."""
    grid = Grid(
        box=None, pad_edge=False, padding=(0, _GAP, 0, 0), show_header=any(column.head for column in columns)
    )
    for column, column_width in zip(columns, _fit_widths(columns, width), strict=True):
        grid.add_column(
            Text(column.head),
            width=column_width,
            justify="right" if column.right else "left",
            vertical="top",
            overflow="fold",
        )
    for row in zip(*(column.cells for column in columns), strict=True):
        grid.add_row(*map(Text, row))
    out = io.StringIO()
    # Rich adds the gap after the last column too.
    Console(file=out, width=width + _GAP, color_system=None, highlight=False).print(grid)
    return [line.rstrip() for line in out.getvalue().splitlines()]


def shown_items(folder: Path) -> list[JsonObject]:
    """The items of a run, accepted or not, or those of a snapshot, as `describe_item` gives them, with their outcome.

    Raises `LedgerError` or `SnapshotError` if the folder holds neither.
    """
    from perturb.reports.run_data import choose_items, describe_row

    if (folder / "manifest.json").is_file():
        from perturb.snapshots.snapshot import read_snapshot

        return list(map(describe_row, read_snapshot(folder).read_rows()))
    with reading(folder) as db:
        return choose_items(db, current_plan(db, folder), sys.maxsize)[0]


# How a piece of a changed text is shown: taken out or put in, with brackets or in colours of the terminal.
_MARKS = {"same": "{}", "out": "[-{}-]", "in": "{{+{}+}}"}
_COLOURED = {"same": "{}", "out": "\x1b[9;31m{}\x1b[0m", "in": "\x1b[32m{}\x1b[0m"}


def render_item(item: Facts, *, colour: bool = False) -> str:
    """An item as text, its changes marked: `[-out-]` and `{+in+}`, or struck out in red and set in green.

    Characters that would control the terminal are replaced by blanks.
    """
    marks = _COLOURED if colour else _MARKS

    def text(pieces: Iterable[Sequence[str]]) -> str:
        return "".join(marks[kind].format(printable(words)) for kind, words in pieces if words)

    lines = [
        f"{item['cell']}, lever {item['lever']}, by {item['generator']}: {item['outcome']}",
        f"Question: {text(item['query'])}",
        *(f"Passage: {text(passage['pieces'])}" for passage in item["passages"]),
    ]
    if item["unchanged"]:
        lines.append(f"({counted(item['unchanged'], 'further passage')} not changed)")
    lines.append(f"Answers before the change: {', '.join(map(printable, item['answers']))}")
    lines.append(f"Expected now: {item['expected']}")
    if item["votes"]:
        votes = (f"{vote['verifier']} {vote['verdict']}" for vote in item["votes"])
        lines.append(f"Votes: {', '.join(votes)}")
    if item["reason"]:
        lines.append(f"Reason: {printable(item['reason'])}")
    return "\n".join(lines)
