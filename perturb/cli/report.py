"""`perturb report`: one HTML file about a run, or the models of several, with its figures and tables beside it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perturb.cli.output import print_json
from perturb.cli.pages import check_page_name, with_covariates
from perturb.cli.run_options import CovariatesOption
from perturb.wording import counted

if TYPE_CHECKING:
    from perturb.metrics.estimates import Estimate
    from perturb.report.model import Report

SIDE_BY_SIDE = Path("report.html")
"""Where the page on several runs goes unless told otherwise."""


def report_command(
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN",
            help="A run folder, such as outputs/demo, or a table of results. Several: one table of their models.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            help="The HTML file.  [default: RUN/report.html; of several runs: report.html]",
            callback=check_page_name,
        ),
    ] = None,
    items: Annotated[int, typer.Option(min=0, help="Items in the browser at most; 0 leaves it out.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the resamples.")] = 0,
    resamples: Annotated[int, typer.Option(min=2, help="Bootstrap resamples behind each interval.")] = 1000,
    shortcuts: Annotated[
        bool,
        typer.Option("--shortcuts", help="Of a build: add how far a part of each item gives its label away."),
    ] = False,
    models: CovariatesOption = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Write the report page, its figures (PNG, SVG) and its tables (CSV). Asks no model.

    Example: perturb report outputs/demo
    """
    from perturb.report.any_page import figures_folder, make_any_page
    from perturb.report.page import write_page

    html = out or _default_page(runs)
    together = _side_by_side(runs, resamples, seed) if len(runs) > 1 or models else None
    if together and len(runs) > 1:
        page, folder = together[0], html.with_suffix("")
    else:
        page = make_any_page(runs[0], items=items, resamples=resamples, seed=seed, shortcuts=shortcuts)
        folder = figures_folder(runs[0], html)
    page, covariates = with_covariates(page, models, together[1] if together else ())
    paths = write_page(page, html, folder)
    if json_output:
        ran = str(runs[0]) if len(runs) == 1 else [str(run) for run in runs]
        print_json(
            {"run": ran, "page": str(paths[0]), "files": [str(path) for path in paths[1:]], **covariates}
        )
        return
    typer.echo(str(paths[0]))
    typer.echo(f"{counted(len(paths) - 1, 'file')} of figures and tables: {folder}")


def _side_by_side(
    runs: list[Path], resamples: int, seed: int
) -> tuple[Report, list[tuple[str, dict[str, Estimate]]]]:
    from perturb.report.side_by_side import gather, make_side_by_side_page, scores_by_model

    found = gather(runs, resamples=resamples, seed=seed)
    return make_side_by_side_page(found), scores_by_model(found)


def _default_page(runs: list[Path]) -> Path:
    if len(runs) > 1:
        return SIDE_BY_SIDE
    return runs[0] / "report.html" if runs[0].is_dir() else runs[0].with_suffix(".html")
