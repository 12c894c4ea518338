"""How commands print: plain tables on stdout, notes on stderr, one JSON object where asked."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import typer


def print_json(content: Any) -> None:
    """Print one JSON value on one line."""
    typer.echo(json.dumps(content, ensure_ascii=False, allow_nan=False))


def print_table(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print aligned columns: numbers to the right, texts to the left, `-` where there is nothing."""
    cells = [[_text(value) for value in row] for row in rows]
    widths = [max(len(line[i]) for line in [list(header), *cells]) for i in range(len(header))]
    numeric = [
        bool(rows) and all(isinstance(row[i], int | float | None) for row in rows) for i in range(len(header))
    ]
    for line in [list(header), *cells]:
        parts = [
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(line, widths, numeric, strict=True)
        ]
        typer.echo("  ".join(parts).rstrip())


def note(message: str) -> None:
    """Say something that is not part of the result, on stderr."""
    typer.echo(" ".join(message.split()), err=True)


def money(value: float | None) -> str:
    """An amount in USD, or that it is unknown.

    >>> money(None), money(1.5)
    ('unknown', '$1.50')
    """
    return "unknown" if value is None else f"${value:,.2f}"


def print_title(text: str) -> None:
    """Print the heading of a table below another."""
    typer.echo(f"\n{text}")


def number(value: float | None, form: str = ".3f") -> str:
    """A figure, or NA.

    >>> number(0.5), number(None)
    ('0.500', 'NA')
    """
    return "NA" if value is None else format(value, form)


def span(low: float | None, high: float | None, form: str = ".3f") -> str:
    """An interval, or NA.

    >>> span(0.25, 0.75, ".2f"), span(None, None)
    ('0.25 … 0.75', 'NA')
    """
    return "NA" if low is None or high is None else f"{low:{form}} … {high:{form}}"


def percent(value: float | None) -> str:
    """A share in percent, or NA.

    >>> percent(0.125)
    '12.5 %'
    """
    return "NA" if value is None else f"{100 * value:.1f} %"


def _text(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.2f}"
    return str(value)
