"""Wrong use of the command line: what it is, and how it is said in one line.

The rule of the exit codes: 2 if the words of the command line alone are wrong (an unknown command or option, a value
that no file could make right, options that exclude each other, an argument that is missing); 1 for whatever else a
`PerturbError` says, above all what depends on a file, a run, a data set or a service.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NoReturn

import typer

from perturb.errors import PerturbError

USAGE_EXIT_CODE = 2
"""The exit code of wrong use."""

UsageError: Any = typer.BadParameter.__base__
"""What the parser raises; typer has no public name for it."""

_PHRASES = (
    (r"^Invalid value(?: for '?([^:']+)'?)?: ", r"\1: "),
    (r"^: ", ""),
    ("Value error, ", ""),
    ("Input should be ", "must be "),
    (r"\. (Did you mean)", r": did you mean"),
    (r"\. Choose from: ", ": choose from "),
    (r" \(Possible options: (.*)\)", r": did you mean \1?"),
)
"""The parser's words -> ours."""


def reject_option(option: str, why: str) -> NoReturn:
    """End the command as wrong use of `option`; `why` says what to do instead."""
    raise typer.BadParameter(why, param_hint=option)


def reject_given(options: Mapping[str, object], why: str) -> None:
    """End the command as wrong use if one of the options, by name, was given."""
    for name, value in options.items():
        if value:
            reject_option(name, why)


def check_choice(option: str, value: str, choices: Collection[str]) -> None:
    """End the command as wrong use unless `value` is one of `choices`."""
    if value not in choices:
        reject_option(option, f"'{value}' is unknown: use {', '.join(choices)}")


def check_repeats(option: str, values: Iterable[str]) -> None:
    """End the command as wrong use if a value is given twice."""
    for value, times in Counter(values).items():
        if times > 1:
            reject_option(option, f"'{value}' is given {times} times: give each once")


def read_columns_option(given: list[str] | None, fields: Collection[str] = ()) -> dict[str, str]:
    """The pairs of `--column FIELD=COLUMN`; wrong use for anything else, and for a field that is none of `fields`."""
    pairs = [pair.partition("=") for pair in given or ()]
    for ours, _, theirs in pairs:
        if not ours or not theirs:
            reject_option("--column", f"'{ours}{theirs}' is not a pair: write FIELD=COLUMN")
        if fields and ours not in fields:
            reject_option("--column", f"'{ours}' is not a field: use {', '.join(fields)}")
    return {ours: theirs for ours, _, theirs in pairs}


@contextmanager
def given_by_options() -> Iterator[None]:
    """Within the block, a `PerturbError` is about the command line alone: it ends the command as wrong use."""
    try:
        yield
    except PerturbError as exc:
        raise typer.BadParameter(str(exc)) from None


def describe(error: Any) -> str:
    """One line for a `UsageError`: which command, what is wrong, where to read on."""
    command = "perturb" if error.ctx is None else re.sub(r"[{}]", "", error.ctx.command_path)
    text = " ".join(error.format_message().split()).rstrip(".")
    for theirs, ours in _PHRASES:
        text = re.sub(theirs, ours, text, count=1)
    if text[1:2].islower():
        text = text[0].lower() + text[1:]
    return f"{command}: {text} (see {command} --help)"
