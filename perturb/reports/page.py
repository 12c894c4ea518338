"""A report as one HTML file that needs nothing else, with its figures (PNG, SVG) and tables (CSV) beside it.

No network, no second file, no build chain.

A report as a piece of HTML for a notebook: titles, sentences and tables; figures are left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from perturb.errors import ConfigError
from perturb.files.templating import asset, html_environment
from perturb.files.text_files import writing_errors
from perturb.reports.model import Report
from perturb.runtime.notebook import html_table


def render_page(report: Report) -> str:
    """The HTML file."""
    drawings = {
        figure.name: _inline(figure.drawing.svg) for section in report.sections for figure in section.figures
    }
    return (
        html_environment()
        .get_template("report/page.html.j2")
        .render(
            page=report,
            drawings=drawings,
            style=_assets("base.css", "page.css", "items.css"),
            script=_assets("sort.js", *(("items.js", "browser.js") if report.browser else ())),
            data=_script_data(report.browser.items) if report.browser else "",
        )
    )


def write_page(report: Report, html: Path, folder: Path) -> tuple[Path, ...]:
    """Write the HTML file, and figures and tables into `folder`; return all paths, the page first.

    Raises `ConfigError` if a file cannot be written.
    """
    contents: dict[Path, bytes] = {html: render_page(report).encode("utf-8", "replace")}
    for section in report.sections:
        for figure in section.figures:
            contents[folder / "figures" / f"{figure.name}.svg"] = figure.drawing.svg.encode()
            contents[folder / "figures" / f"{figure.name}.png"] = figure.drawing.png
        for table in section.tables:
            contents[folder / "tables" / f"{table.name}.csv"] = table.to_csv().encode("utf-8", "replace")
    for path, content in contents.items():
        with writing_errors(path, ConfigError):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    return tuple(contents)


def _inline(svg: str) -> Markup:
    """A figure as part of a page, without what only a file needs; matplotlib has escaped every text in it."""
    svg = re.sub(
        r"<!--.*?-->|<metadata>.*?</metadata>|<style.*?</style>", "", svg[svg.index("<svg") :], flags=re.S
    )
    return Markup(re.sub(r' xmlns(?::\w+)?="[^"]*"', "", svg))  # noqa: S704 - see above


def _assets(*names: str) -> Markup:
    return Markup("".join(asset(f"report/{name}") for name in names))  # noqa: S704 - our own files


def _script_data(items: Sequence[Mapping[str, Any]]) -> Markup:
    """The items as JSON that can stand inside a script element, whatever their texts hold."""
    text = json.dumps(list(items), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return Markup(text)  # noqa: S704 - holds no character that could end the element


def render_fragment(report: Report) -> str:
    """The report without a page around it; every text is escaped."""
    parts = [html_table(report.title, notes=[report.subtitle] if report.subtitle else [])]
    for section in report.sections:
        parts.append(html_table(section.title, notes=section.sentences))
        for table in section.tables:
            if table.shown:
                columns = table.columns_shown
                rows = zip(*(texts for _, _, texts in columns), strict=True)
                parts.append(html_table(table.title, [name for name, _, _ in columns], rows, table.notes))
    return "".join(parts)
