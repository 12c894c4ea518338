"""How commands write a report page beside what they print."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from perturb.cli.output import note

if TYPE_CHECKING:
    from perturb.metrics.estimates import Estimate
    from perturb.report.model import Report


def check_page_name(html: Path | None) -> Path | None:
    """The value of an option; wrong use unless a page, with a folder of figures beside it, can have this name."""
    if html is not None and html.suffix != ".html":
        raise typer.BadParameter(f"'{html}' cannot be the name of a page: give FILE.html")
    return html


def write_beside(html: Path | None, report: Report) -> None:
    """Write the page that `--report` asks for, if it does, and say where it is."""
    if html is None:
        return
    from perturb.report.page import write_page

    paths = write_page(report, html, html.with_suffix(""))
    note(f"report: {paths[0]}, its figures and tables in {html.with_suffix('')}")


def with_covariates(
    page: Report, models: Path | None, values: Iterable[tuple[str, Mapping[str, Estimate]]]
) -> tuple[Report, dict[str, Any]]:
    """The page with a section on scores and what the models file says of the models, and the same for `--json`."""
    if models is None:
        return page, {}
    from perturb.evaluate.models_under_test import read_covariates
    from perturb.report.covariates_section import covariates_section
    from perturb.score.covariates import report_covariates

    found = report_covariates(values, read_covariates(models))
    section = covariates_section(found)
    return replace(page, sections=(*page.sections, section)), {"covariates": found.to_dict()}
