"""The command line: parses, calls, prints, and is the only place that exits."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any, NoReturn

import typer
from typer import Option

from perturb.cli.authoring import curate_command, init_command, levers_command, schema_command
from perturb.cli.build import build_command
from perturb.cli.evaluate import BareReview, evaluate_command, score_command
from perturb.cli.output import USAGE_EXIT_CODE, UsageError, describe, styled
from perturb.cli.publish import publish_command, report_command, verify_snapshot_command
from perturb.cli.questions import bas_app, refusal_index_app
from perturb.cli.review import audit_command, review_app
from perturb.cli.rounds import compare_command, power_command
from perturb.cli.runs import export_command, show_command, status_command, view_command
from perturb.cli.working import WorkflowCommand, WorkflowGroup, working
from perturb.errors import PerturbError
from perturb.runtime import INTERRUPTED, exit_interrupted

app = typer.Typer(
    name="perturb",
    help="Build fresh benchmarks of selective refusal: perturb answerable questions, let a panel verify them, publish.",
    cls=WorkflowGroup,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "auto_envvar_prefix": "PERTURB"},
)


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    version: bool = Option(False, "--version", allow_from_autoenv=False, help="Print the version and exit."),
) -> None:
    """Read the options that stand before a command."""
    if version:
        from perturb.files.resources import code_version

        typer.echo(f"perturb {code_version()}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), err=True)
        raise typer.Exit(USAGE_EXIT_CODE)


# Name of each command → its function; those that call models are `working`, with --quiet and --log.
_COMMANDS: dict[str, Callable[..., None]] = {
    "init": init_command,
    "curate": working(curate_command),
    "build": working(build_command),
    "status": status_command,
    "show": show_command,
    "view": view_command,
    "export": export_command,
    "levers": levers_command,
    "schema": schema_command,
    "audit": audit_command,
    "report": report_command,
    "verify-snapshot": verify_snapshot_command,
    "compare": compare_command,
    "power": power_command,
    "publish": publish_command,
    "evaluate": working(evaluate_command),
    "score": score_command,
}
for _name, _command in _COMMANDS.items():
    app.command(_name, cls=BareReview if _name == "score" else WorkflowCommand)(_command)
app.add_typer(review_app, name="review")
app.add_typer(refusal_index_app, name="refusal-index")
app.add_typer(bas_app, name="bas")


@cache
def _command_line() -> Callable[..., Any]:
    """All commands with their options. Typer reads the signatures anew each time, which takes 0.1 s."""
    return typer.main.get_command(app)


def main() -> None:
    """Run the command line: exit 0 when done, 1 on a failure, 2 on wrong use, 130 when interrupted."""
    try:
        code = _command_line()(prog_name="perturb", standalone_mode=False)
    except PerturbError as exc:
        _fail(f"perturb: {exc}", 1)
    except UsageError as exc:
        _fail(describe(exc), USAGE_EXIT_CODE)
    except typer.Abort:
        code = INTERRUPTED
    except OSError as exc:  # a path that is too long, or a folder that may not be searched
        if exc.filename is None:
            raise
        _fail(f"perturb: {exc.filename}: {exc.strerror}: check the path and its permissions", 1)
    if code == INTERRUPTED:
        # litellm never awaits the coroutines of calls that were cancelled before they began, and Python would warn.
        warnings.filterwarnings("ignore", message="coroutine .* was never awaited", category=RuntimeWarning)
        exit_interrupted()
    sys.exit(code)


def _fail(message: str, code: int) -> NoReturn:
    sys.stderr.write(styled(" ".join(message.split()), "red") + "\n")
    sys.exit(code)
