"""A report as text that fits a terminal: cells wrap; a table that is too wide all the same is turned or split.

Figures are left out: what they show stands in the tables.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from perturb.reports.model import Report, Section, Table

_GAP = 2
_GOOD = 24
"""Characters in a line of a cell from which running text is good to read."""


@dataclass(frozen=True, slots=True)
class _Column:
    head: str
    cells: Sequence[str]
    right: bool
    """Whether it holds numbers: those are never wrapped."""

    @property
    def natural(self) -> int:
        return max(map(cell_len, (*self.head.splitlines(), *self.cells)), default=0)

    @property
    def least(self) -> int:
        """The width below which a word or a number would be broken."""
        cells = self.cells if self.right else chain.from_iterable(map(str.split, self.cells))
        return max(map(cell_len, (*self.head.split(), *cells)), default=0)

    @property
    def good(self) -> int:
        """The width from which it is good to read."""
        return self.least if self.right else max(self.least, min(_GOOD, self.natural))


def render_text(report: Report, width: int = 80, *, colour: bool = False) -> str:
    """The report in lines of at most `width` columns; a single path or word may be longer.

    With `colour`, titles are bold.
    """
    bold = "\x1b[1m{}\x1b[0m".format if colour else str
    title = bold(_wrap(report.title, width)) if report.title else ""
    subtitle = _wrap(report.subtitle, width)
    blocks = ["\n".join(filter(None, (title, subtitle)))]
    for section in report.sections:
        blocks += _section(section, width, bold)
    return "\n\n".join(block for block in blocks if block)


def _section(section: Section, width: int, bold: Callable[[str], str]) -> Iterator[str]:
    tables = [table for table in section.tables if table.shown]
    if not (tables or section.sentences or section.verdict) or (section.figures and not section.tables):
        return
    if section.title:
        yield f"{bold(section.title)}\n{'─' * min(width, cell_len(section.title))}"
    sentences = [section.verdict, *section.sentences] if section.verdict else section.sentences
    yield "\n".join(_wrap(sentence, width) for sentence in sentences)
    for table in tables:
        title = [bold(_wrap(table.title, width))] if table.title else []
        lines = [*title, *_table(table, width)]
        left = len(table.rows) - table.shown
        more = [f"{table.shown} of {len(table.rows)} rows."] if left > 0 else []
        yield "\n".join((*lines, *(_wrap(note, width) for note in (*table.notes, *more))))


def _wrap(text: str, width: int) -> str:
    lines = [""]
    for word in _clean(text).replace(" %", "\N{NO-BREAK SPACE}%").split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if lines[-1] and cell_len(longer) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return "\n".join(lines).replace("\N{NO-BREAK SPACE}", " ")


def _clean(text: str) -> str:
    """One line that cannot steer the terminal."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def _table(table: Table, width: int) -> list[str]:
    columns = [
        _Column(_clean(name), [_clean(text) for text in texts], form != "text")
        for name, form, texts in table.columns_shown
    ]
    if _fits(columns, width):
        return _draw(columns, width)
    labels = sum(not column.right for column in columns[: table.labels])
    if 0 < labels < len(columns) and all(column.right for column in columns[labels:]):
        rows = zip(*(one.cells for one in columns[:labels]), strict=True)
        heads = ["\n".join(filter(None, cells)).replace("/", "/\n") for cells in rows]
        rest = columns[labels:]
        names = _Column(
            " / ".join(one.head for one in columns[:labels]), [one.head for one in rest], right=False
        )
        cells = zip(*(one.cells for one in rest), strict=True)
        turned = [names, *(_Column(head, row, right=True) for head, row in zip(heads, cells, strict=True))]
        if _fits(turned, width):
            return _draw(turned, width)
    return _split(columns, labels, width)


def _fits(columns: Sequence[_Column], width: int) -> bool:
    return sum(column.good for column in columns) + _GAP * (len(columns) - 1) <= width


def _split(columns: Sequence[_Column], labels: int, width: int) -> list[str]:
    """Tables below one another, each with the columns that name the rows."""
    keys = list(columns[:labels])
    blocks: list[list[_Column]] = []
    for column in columns[labels:]:
        if not blocks or not _fits([*keys, *blocks[-1], column], width):
            blocks.append([])
        blocks[-1].append(column)
    lines = [[*_draw([*keys, *block], width), ""] for block in blocks or [[]]]
    return list(chain.from_iterable(lines))[:-1]


def _draw(columns: Sequence[_Column], width: int) -> list[str]:
    widths = [min(column.natural, width) for column in columns]
    room = width - _GAP * (len(columns) - 1)
    for bounds in (
        [column.good for column in columns],
        [column.least for column in columns],
        [1] * len(columns),
    ):
        while sum(widths) > room:
            able = [place for place, bound in enumerate(bounds) if widths[place] > bound]
            if not able:
                break
            widths[max(able, key=widths.__getitem__)] -= 1
    grid = Grid(
        box=None, pad_edge=False, padding=(0, _GAP, 0, 0), show_header=any(one.head for one in columns)
    )
    for column, size in zip(columns, widths, strict=True):
        grid.add_column(
            Text(column.head),
            width=size,
            justify="right" if column.right else "left",
            vertical="top",
            overflow="fold",
        )
    for row in zip(*(column.cells for column in columns), strict=True):
        grid.add_row(*map(Text, row))
    out = io.StringIO()
    Console(file=out, width=width + _GAP, color_system=None, highlight=False).print(grid)
    return [line.rstrip() for line in out.getvalue().splitlines()]
