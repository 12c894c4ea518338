"""`perturb status`: where a run stands."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from perturb.cli.output import print_result

_WATCH_SECONDS = 2.0


def status_command(
    run: Annotated[Path, typer.Argument(help="A run folder, such as outputs/demo.", show_default=False)],
    watch: Annotated[
        bool,
        typer.Option(
            "--watch", help="Show it again every two seconds until nothing is left; end with Ctrl-C."
        ),
    ] = False,
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show what is done, failed and left of a build or evaluation, with calls, cost and causes of failures.

    Example: perturb status outputs/demo --watch
    """
    from perturb.evaluate.run_status import read_status
    from perturb.report.runs import make_status_report

    while True:
        content = read_status(run)
        if watch and not json_output:
            typer.echo("\x1b[2J\x1b[H", nl=False)
        print_result(content, make_status_report(content), json_output)
        if not (watch and content["left"]):
            return
        try:
            time.sleep(_WATCH_SECONDS)
        except KeyboardInterrupt:
            return
