"""How commands print, how they reject wrong use, and how they write a report page.

Results go to stdout, notes to stderr. The exit code is 2 if the command line itself is wrong: an unknown command or
option, a value that is invalid whatever the files hold, options that exclude each other, a missing argument. It is 1
for every other `PerturbError`, which depends on a file, a run, a data set or a service.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

import typer

from perturb.errors import PerturbError
from perturb.records import JsonObject

if TYPE_CHECKING:
    import sqlite3

    from perturb.ledger.plans import CurrentPlan
    from perturb.metrics.inputs import NamedEstimates
    from perturb.reports.model import Report


def shows_colours(stream: TextIO) -> bool:
    """Whether text on stdout or stderr may be coloured: on a terminal, unless `NO_COLOR` is set."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream.isatty()


def styled(text: str, colour: str) -> str:
    """A text for stderr, in the colour if stderr shows colours."""
    return typer.style(text, fg=colour) if shows_colours(sys.stderr) else text


def print_json(content: Any) -> None:
    """Print one JSON value on one line."""
    typer.echo(json.dumps(content, ensure_ascii=False, allow_nan=False))


def print_report(report: Report) -> None:
    """Print a report as text that fits the terminal: 80 columns if it is missing."""
    from perturb.reports.rendering import render_text

    columns = shutil.get_terminal_size((80, 24)).columns
    typer.echo(render_text(report, columns, colour=shows_colours(sys.stdout)))


def print_result(content: Any, report: Report, json_output: bool) -> None:
    """Print the content as JSON where that was asked for, else the report on it."""
    if json_output:
        print_json(content)
    else:
        print_report(report)


def note_unfinished(db: sqlite3.Connection, plan: CurrentPlan) -> None:
    """Say on stderr that jobs of a build are left, if any are."""
    if unfinished := plan.count_stages(db).unfinished:
        note(unfinished)


def note(message: str) -> None:
    """Say something that is not part of the result, on stderr."""
    line = " ".join(message.split())
    typer.echo(styled(line, "red") if line.startswith("perturb: ") else line, err=True)


def fail(message: str) -> NoReturn:
    """End the command with exit code 1, after its results are printed; `message` says what is missing from them."""
    note(f"perturb: {message}")
    raise typer.Exit(1)


# The exit code of wrong use.
USAGE_EXIT_CODE = 2

# What the parser raises; typer has no public name for it.
UsageError: Any = typer.BadParameter.__base__

# Patterns in the parser's messages, and what replaces them. Each applies to what the ones before it have made, as in
# "Invalid value for '--limit': 0 is not in the range x>=1." or "No such option '--limi'. Did you mean '--limit'?".
_PHRASES = (
    (r"^Invalid value(?: for '?([^:']+)'?)?: ", r"\1: "),
    (r"^: ", ""),
    ("Value error, ", ""),
    ("Input should be ", "must be "),
    ("must be greater than or equal to ", "must be at least "),
    ("must be less than or equal to ", "must be at most "),
    (r"must be a valid (integer|number), unable to parse.*", r"must be \1"),
    ("must be integer", "must be a whole number"),
    ("must be number", "must be a number"),
    (
        r"^(\S+): (?=(asks|contradicts|counts|estimates|fits|goes|is|must|needs|says|stands|stops|takes) )",
        r"\1 ",
    ),
    (r"\. (Did you mean)", r": did you mean"),
    (r"\. Choose from: ", ": choose from "),
    (r" \(Possible options: (.*)\)", r": did you mean \1?"),
)


def reject_option(option: str, message: str) -> NoReturn:
    """End the command as wrong use of `option`; `message` says what is wrong and what to do instead."""
    raise typer.BadParameter(message, param_hint=option)


def reject_given(options: Mapping[str, object], message: str) -> None:
    """End the command as wrong use if one of the options, by name, was given."""
    for name, value in options.items():
        if value:
            reject_option(name, message)


def check_address(option: str, address: str | None) -> None:
    """End the command as wrong use if the address of a server holds a password or a key."""
    from perturb.config import refuse_secret_address

    try:
        refuse_secret_address(address)
    except ValueError as exc:
        reject_option(option, str(exc))


def check_choice(option: str, value: str, choices: Collection[str]) -> None:
    """End the command as wrong use unless `value` is one of `choices`."""
    if value not in choices:
        reject_option(option, f"'{value}' is unknown: use {', '.join(choices)}")


def check_repeats(option: str, values: Iterable[str]) -> None:
    """End the command as wrong use if a value is given twice."""
    for value, times in Counter(values).items():
        if times > 1:
            reject_option(option, f"'{value}' is given {times} times: give each once")


def read_columns_option(values: list[str] | None, fields: Collection[str] = ()) -> dict[str, str]:
    """The pairs of `--column FIELD=COLUMN`. Anything else, or a field outside `fields`, is wrong use."""
    pairs = [value.partition("=") for value in values or ()]
    for field, _, column in pairs:
        if not field or not column:
            reject_option("--column", f"'{field}{column}' is not a pair: write FIELD=COLUMN")
        if fields and field not in fields:
            reject_option("--column", f"'{field}' is not a field: use {', '.join(fields)}")
    return {field: column for field, _, column in pairs}


@contextmanager
def given_by_options() -> Iterator[None]:
    """Within the block, a `PerturbError` is a fault of the command line: it ends the command as wrong use."""
    try:
        yield
    except PerturbError as exc:
        raise typer.BadParameter(str(exc)) from None


def describe(error: Any) -> str:
    """One line for a `UsageError`: which command, what is wrong, and which command explains more."""
    command = "perturb" if error.ctx is None else re.sub(r"[{}]", "", error.ctx.command_path)
    text = " ".join(error.format_message().split()).rstrip(".")
    for pattern, replacement in _PHRASES:
        text = re.sub(pattern, replacement, text, count=1)
    # the name of an option or a word in capitals stays as it is
    if text[1:2].islower():
        text = text[0].lower() + text[1:]
    return f"{command}: {text} (see {command} --help)"


def check_page_name(html: Path | None) -> Path | None:
    """The value of an option; wrong use unless it ends in .html: the folder of figures has the name without it."""
    if html is not None and html.suffix != ".html":
        raise typer.BadParameter(f"'{html}' cannot be the name of a page: give FILE.html")
    return html


def write_beside(html: Path | None, report: Report) -> None:
    """Write the page of `--report`, if that was given, and say where it is."""
    if html is None:
        return
    from perturb.reports.rendering import write_page

    paths = write_page(report, html, html.with_suffix(""))
    note(f"report: {paths[0]}, its figures and tables in {html.with_suffix('')}")


def with_covariates(
    page: Report, models: Path | None, values: Iterable[tuple[str, NamedEstimates]]
) -> tuple[Report, JsonObject]:
    """The page with a section on scores against the facts in the models file, and those figures for `--json`."""
    if models is None:
        return page, {}
    from perturb.evaluation.models_under_test import read_covariates
    from perturb.reports.covariates import covariates_section, report_covariates

    report = report_covariates(values, read_covariates(models))
    section = covariates_section(report)
    return replace(page, sections=(*page.sections, section)), {"covariates": report.to_dict()}
