"""How commands print: a report on stdout, notes on stderr, one JSON object where asked."""

from __future__ import annotations

import json
import os
import shutil
import sys
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    import sqlite3

    from perturb.report.model import Report
    from perturb.store.plans import CurrentPlan


def styled(text: str, colour: str, *, err: bool = True) -> str:
    """The text in a colour, where stderr (else stdout) is a terminal and `NO_COLOR` is not set."""
    stream = sys.stderr if err else sys.stdout
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or not stream.isatty()
    return text if plain else typer.style(text, fg=colour)


def print_json(content: Any) -> None:
    """Print one JSON value on one line."""
    typer.echo(json.dumps(content, ensure_ascii=False, allow_nan=False))


def print_report(report: Report) -> None:
    """Print a report as text that fits the terminal: 80 columns where there is none."""
    from perturb.report.text import render_text

    colour = styled("", "blue", err=False) != ""
    typer.echo(render_text(report, shutil.get_terminal_size((80, 24)).columns, colour=colour))


def print_result(content: Any, report: Report, json_output: bool) -> None:
    """Print the content as JSON where that was asked for, else the report on it."""
    if json_output:
        print_json(content)
    else:
        print_report(report)


def note_unfinished(db: sqlite3.Connection, plan: CurrentPlan) -> None:
    """Say on stderr that jobs of a build are left, if any are."""
    if left := plan.count_stages(db).unfinished:
        note(left)


def note(message: str) -> None:
    """Say something that is not part of the result, on stderr."""
    words = " ".join(message.split())
    typer.echo(styled(words, "red") if words.startswith("perturb: ") else words, err=True)
