"""`perturb report`: one HTML file about a run, with its figures and tables beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from perturb.cli.output import print_json


def report_command(
    run: Annotated[Path, typer.Argument(help="A run folder, such as outputs/demo.", show_default=False)],
    out: Annotated[Path | None, typer.Option(help="The HTML file.  [default: RUN/report.html]")] = None,
    items: Annotated[int, typer.Option(min=0, help="Items in the browser at most; 0 leaves it out.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the resamples.")] = 0,
    resamples: Annotated[int, typer.Option(min=1, help="Bootstrap resamples behind each interval.")] = 1000,
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Write the report page; figures (PNG, SVG) and tables (CSV) go to RUN/audit. Asks no model.

    Example: perturb report outputs/demo
    """
    from perturb.report.audit_page import ReportPlan, make_page
    from perturb.report.page import write_page

    page = make_page(run, ReportPlan(items, seed, resamples))
    paths = write_page(page, out or run / "report.html", run / "audit")
    if json_output:
        print_json({"run": str(run), "page": str(paths[0]), "files": [str(path) for path in paths[1:]]})
        return
    typer.echo(str(paths[0]))
    typer.echo(f"{len(paths) - 1} files of figures and tables: {run / 'audit'}")
