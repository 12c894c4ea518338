"""A report as a piece of HTML for a notebook: titles, sentences and tables; figures are left out."""

from __future__ import annotations

from perturb.notebook import html_table
from perturb.report.model import Report


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
