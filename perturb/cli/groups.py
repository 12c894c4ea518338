"""A group one of whose commands needs no name: `refusal-index TABLE` beside `refusal-index run QA`.

The commands by what they are for, described in whole sentences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import typer.core

WORKFLOW: Mapping[str, Sequence[str]] = {
    "Make a benchmark": ("init", "curate", "build", "status", "view", "export", "levers", "schema"),
    "Check it": ("audit", "review", "report", "verify-snapshot", "compare", "power"),
    "Publish it": ("publish",),
    "Evaluate models": ("evaluate", "score", "refusal-index", "bas"),
}
"""Every command, under the heading that `perturb --help` shows it with."""


class WorkflowGroup(typer.core.TyperGroup):
    """Lists its commands by `WORKFLOW`; the variables of options stand in docs/environment.md, not in every line."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Before any help is written, take the variables out of it."""
        _hide_variables(self)
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a section for each part of the workflow; within a command, one."""
        parts = WORKFLOW if ctx.parent is None else {"Commands": tuple(self.commands)}
        for title, names in parts.items():
            with formatter.section(title):
                formatter.write_dl([(name, self.commands[name].get_short_help_str(1000)) for name in names])


def _hide_variables(command: Any) -> None:
    for parameter in command.params:
        parameter.show_envvar = False
    for inner in getattr(command, "commands", {}).values():
        _hide_variables(inner)


DEFAULT = "table"
"""The command that is meant where the first word names none."""

DEMO = "--demo"
"""An option of `run`, which is meant where it comes first."""


class TableGroup(WorkflowGroup):
    """Takes `table` as said where the first word is no command of the group; a file called `run` is `./run`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the command in where it is left out."""
        if not args:
            ctx.fail(f"missing argument: give a TABLE, or one of the commands {', '.join(self.commands)}")
        if args[0] == DEMO:
            args = ["run", *args]
        known = {*self.commands, *ctx.help_option_names}
        if args[0] not in known:
            args = [DEFAULT, *args]
        return super().parse_args(ctx, args)

    def format_usage(self, ctx: Any, formatter: Any) -> None:
        """Show both ways to call the group."""
        formatter.write_usage(ctx.command_path, "TABLE [OPTIONS]")
        formatter.write_usage(ctx.command_path, "COMMAND [ARGS]...")
