"""What commands share: how the help groups and lists them, and `--quiet`, `--verbose` and `--log FILE`."""

from __future__ import annotations

import functools
import inspect
import itertools
import json
import logging
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields, is_dataclass
from datetime import UTC, datetime
from logging import DEBUG, INFO, WARNING
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_type_hints

import typer.core
from typer import Option

from perturb.cli.output import UsageError, note, reject_option, styled
from perturb.errors import ConfigError
from perturb.files.resources import writing_errors
from perturb.records import JsonObject
from perturb.runtime import LOG


@dataclass(frozen=True)
class _MessageOptions:
    """The options that say how much a command tells while it works."""

    quiet: Annotated[
        bool, Option("--quiet", "-q", help="Show no progress and no messages while it runs.")
    ] = False
    verbose: Annotated[bool, Option("--verbose", "-v", help="Also say what is tried again, and why.")] = False
    log: Annotated[
        Path | None,
        Option(metavar="FILE", help="Append every event to this file: JSON lines, without keys."),
    ] = None


GroupT = TypeVar("GroupT")
# Whether the running command has --quiet; a context variable, so that functions need not pass it on.
_quiet_command: ContextVar[bool] = ContextVar("quiet", default=False)


def is_quiet() -> bool:
    """Whether the running command was told to show no progress."""
    return _quiet_command.get()


def working(command: Callable[..., None]) -> Callable[..., None]:
    """Add --quiet, --verbose and --log to a command.

    Also let a command declare a group of options as a data class. Typer reads the signature of what is returned
    here, which lists one option for each field; before `command` runs, their values become the data class again.
    """
    signature = inspect.signature(command, eval_str=True)
    groups: dict[str, type[Any]] = {}
    parameters: list[inspect.Parameter] = []
    for name, parameter in signature.parameters.items():
        if isinstance(parameter.annotation, type) and is_dataclass(parameter.annotation):
            groups[name] = parameter.annotation
            parameters += _options_of(parameter.annotation)
        else:
            parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
    parameters += _options_of(_MessageOptions)

    @functools.wraps(command)
    def run(**values: Any) -> None:
        messages = _take_group(_MessageOptions, values)
        if messages.quiet and messages.verbose:
            reject_option("--quiet", "contradicts --verbose: give one of them")
        _quiet_command.set(messages.quiet)
        arguments = {name: _take_group(group, values) for name, group in groups.items()}
        with _listening(messages):
            command(**arguments, **values)

    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _options_of(group: type[Any]) -> list[inspect.Parameter]:
    """A keyword parameter for each field of the data class."""
    hints, kind = get_type_hints(group, include_extras=True), inspect.Parameter.KEYWORD_ONLY
    return [
        inspect.Parameter(field.name, kind, default=field.default, annotation=hints[field.name])
        for field in fields(group)
    ]


def _take_group(group: type[GroupT], values: JsonObject) -> GroupT:
    """The data class of the values that are its fields, which are taken out of `values`."""
    return group(**{field.name: values.pop(field.name) for field in fields(group)})  # type: ignore[arg-type]


@contextmanager
def _listening(messages: _MessageOptions) -> Iterator[None]:
    """Within the block, write events to stderr and to the log file."""
    handlers: list[logging.Handler] = []
    if not messages.quiet:
        handlers.append(_Stderr(INFO if messages.verbose else WARNING))
    if messages.log is not None:
        handlers.append(_open_log(messages.log))
    level_before, propagated_before = LOG.level, LOG.propagate
    if messages.log is not None:
        LOG.setLevel(DEBUG)  # each handler drops what is below its own level
    else:
        LOG.setLevel(INFO if messages.verbose else WARNING)
    # the root logger would write every event on stderr a second time
    LOG.propagate = False
    for handler in handlers:
        LOG.addHandler(handler)
    try:
        yield
    finally:
        for handler in handlers:
            LOG.removeHandler(handler)
            handler.close()
        LOG.setLevel(level_before)
        LOG.propagate = propagated_before


class _Stderr(logging.Handler):
    """Writes each event on stderr, in a line above the progress bar."""

    def emit(self, record: logging.LogRecord) -> None:
        from tqdm import tqdm

        line = " ".join(record.getMessage().split())
        tqdm.write(styled(line, "yellow") if record.levelno >= WARNING else line, file=sys.stderr)


def _open_log(path: Path) -> logging.Handler:
    with writing_errors(path, ConfigError):
        handler = logging.FileHandler(path, encoding="utf-8")
    handler.setFormatter(_JsonLines())
    return handler


class _JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        from perturb.llm.redaction import redact

        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": getattr(record, "event", record.name),
            "message": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        return redact(json.dumps(line, ensure_ascii=False, default=str))


# Every command, by its heading in `perturb --help`.
WORKFLOW: Mapping[str, Sequence[str]] = {
    "Make a benchmark": ("init", "curate", "build", "status", "show", "view", "export", "levers", "schema"),
    "Check it": ("audit", "review", "report", "verify-snapshot", "compare", "power"),
    "Publish it": ("publish",),
    "Evaluate models": ("evaluate", "score", "refusal-index", "bas"),
}


class WorkflowGroup(typer.core.TyperGroup):
    """Lists its commands by `WORKFLOW`, and sets the environment variables that their options read."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse; the help does not show the environment variables."""
        for option in self.params:
            option.show_envvar = False  # type: ignore[attr-defined]
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command and set the environment variables of its options."""
        name, command, remaining = super().resolve_command(ctx, args)
        if name is not None:
            _name_variables(command, f"{ctx.auto_envvar_prefix}_{name}")
        return name, command, remaining

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a section for each part of the workflow; a group within it gets a single section."""
        parts = WORKFLOW if ctx.parent is None else {"Commands": tuple(self.commands)}
        for title, names in parts.items():
            with formatter.section(title):
                formatter.write_dl([(name, self.commands[name].get_short_help_str(1000)) for name in names])


# The options of the commands that ask models, by their heading in `--help` and in its order.
OPTION_GROUPS: Mapping[str, str] = {
    "Source": "base-set format column subset split levers knowledge recipe since mix seed demo replay fill",
    "Models": "model models generator verifier judge judge-rule solvers writer api-base request reply preset",
    "Calls": "prompt samples setting elicitation k confidence retry-unparsed retry-unscored batch batch-rows batch-poll"
    " wait executor planted-judgements",
    "Limits": "limit until budget-usd dry-run",
    "Output": "out name round force report json quiet verbose log help",
}

# The parser's name for the type of a value → the placeholder in the help; choices are listed instead.
_PLACEHOLDER_OF_TYPE = {"str": "TEXT", "path": "PATH", "int": "N", "float": "X"}


class WorkflowCommand(typer.core.TyperCommand):
    """Shows its options under headings if it has many, and each value by a placeholder."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse; every error names the command."""
        try:
            return super().parse_args(ctx, args)
        except UsageError as error:
            error.ctx = error.ctx or ctx
            raise

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, then the options: under the headings of `OPTION_GROUPS` if these name all of them."""
        by_name = {_long_name(parameter): parameter for parameter in self.get_params(ctx)}
        options = [name for name, parameter in by_name.items() if parameter.param_type_name == "option"]
        sections = {"Arguments": [name for name in by_name if name not in options]}
        groups = {title: names.split() for title, names in OPTION_GROUPS.items()}
        # headings help where there are many options: only commands that ask models have all theirs in the groups
        if set(options) <= set(itertools.chain(*groups.values())):
            for title, names in groups.items():
                sections[title] = [name for name in names if name in options]
        else:
            sections["Options"] = options
        for title, names in sections.items():
            records = [record for name in names if (record := by_name[name].get_help_record(ctx))]
            if records:
                with formatter.section(title):
                    formatter.write_dl([(_placeholders(option), text) for option, text in records])


def _long_name(parameter: Any) -> str:
    """The long spelling of an option without its dashes, or the name of an argument."""
    return str(max(parameter.opts, key=len)).lstrip("-")


def _placeholders(option: str) -> str:
    """An option as the help shows it, with a placeholder for its value.

    >>> _placeholders("--limit <int range>"), _placeholders("--by <list[class|intensity]>")
    ('--limit N', '--by class|intensity')
    """

    def placeholder(match: re.Match[str]) -> str:
        return " ".join(_PLACEHOLDER_OF_TYPE.get(kind.lower(), kind) for kind in match[1].split(","))

    # a type as the parser writes it: `<int range>`, `<list[class|intensity]>`, `<str,path>...`
    return re.sub(r"<(?:list\[)?([^]<>]+?)(?: range)?\]?>(?:\.\.\.)?", placeholder, option)


def _name_variables(command: Any, prefix: str) -> None:
    """Let each option read the environment variable `PREFIX_OPTION`.

    Versions before 0.2 named some variables after the parameter of the function; these are read too, with a warning.
    docs/README.md states the rule; the help does not repeat it for every option.
    """
    options = [option for option in command.params if option.param_type_name == "option"]
    names = {option.name: _variable(prefix, _long_name(option)) for option in options}
    for option in options:
        name, old_name = names[option.name], _variable(prefix, option.name)
        option.envvar, option.allow_from_autoenv, option.show_envvar = [name], False, False
        # the old name of one option may be the name of another today, which then has it
        if old_name not in names.values():
            option.envvar.append(old_name)
            if os.environ.get(old_name):
                note(f"{old_name} is now called {name}: rename the variable")


def _variable(*words: str) -> str:
    return "_".join(words).upper().replace("-", "_")


# The command that runs if the first word is not a command.
_DEFAULT_COMMAND = "table"
# An option of the command `run`, which runs if this option comes first.
_DEMO_OPTION = "--demo"


class TableGroup(WorkflowGroup):
    """Runs the command `table` if the first word is not a command; a file called `run` is written `./run`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Insert the command that the user left out."""
        if not args:
            ctx.fail(f"missing argument: give a TABLE, or one of the commands {', '.join(self.commands)}")
        if args[0] == _DEMO_OPTION:
            args = ["run", *args]
        first_words = {*self.commands, *ctx.help_option_names}
        if args[0] not in first_words:
            args = [_DEFAULT_COMMAND, *args]
        return super().parse_args(ctx, args)

    def format_usage(self, ctx: Any, formatter: Any) -> None:
        """Show both ways to call the group."""
        formatter.write_usage(ctx.command_path, "TABLE [OPTIONS]")
        formatter.write_usage(ctx.command_path, "COMMAND [ARGS]...")
