"""How commands write a report page beside what they print."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from perturb.cli.output import note
from perturb.cli.usage_errors import reject_option

if TYPE_CHECKING:
    from perturb.report.model import Report


def check_page_name(option: str, html: Path | None) -> None:
    """End the command as wrong use unless a page, with a folder of figures beside it, can have this name."""
    if html is not None and html.suffix != ".html":
        reject_option(option, f"'{html}' cannot be the name of a page: give FILE.html")


def write_beside(html: Path | None, report: Report) -> None:
    """Write the page that `--report` asks for, if it does, and say where it is."""
    if html is None:
        return
    from perturb.report.page import write_page

    paths = write_page(report, html, html.with_suffix(""))
    note(f"report: {paths[0]}, its figures and tables in {html.with_suffix('')}")
