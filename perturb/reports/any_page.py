"""The report of whatever lies in a run folder or a table.

What a report is asked about: the run of a build, an evaluation, refusals in two passes, or stated confidence.
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from pathlib import Path

from perturb.errors import SourceError
from perturb.files.tables import column_names
from perturb.ledger.calls import LEDGER_FILE, reading
from perturb.ledger.evaluations import CONFIDENCE_TABLE, REFUSAL_TABLE, read_facts
from perturb.reports.model import Report
from perturb.scoring import confidence_table
from perturb.scoring.result_rows import REQUIRED


class SourceKind(Enum):
    """What a run folder or a table holds."""

    BUILD = "build"
    """The run of `perturb build`."""
    SCORES = "scores"
    """Replies to items: `perturb evaluate`, or a results table."""
    REFUSALS = "refusals"
    """Refusals and errors: `perturb refusal-index run`, or its table."""
    CONFIDENCE = "confidence"
    """Correctness and confidence: `perturb bas run`, or its table."""


_COLUMNS = {
    SourceKind.SCORES: REQUIRED,
    SourceKind.REFUSALS: ("refused", "wrong"),
    SourceKind.CONFIDENCE: confidence_table.NEEDED,
}


def source_kind(source: Path) -> SourceKind:
    """The kind of a run folder, by its table or ledger, or of a table, by its columns.

    Raises `SourceError` for any other file, `LedgerError` for a folder without a run.
    """
    if not source.is_dir():
        columns = set(column_names(source))
        for kind, needed in _COLUMNS.items():
            if set(needed) <= columns:
                return kind
        raise SourceError(
            f"{source}: holds no scores that are known: a table has the columns {', '.join(REQUIRED)};"
            " refused and wrong; or is_correct and confidence"
        )
    if (source / REFUSAL_TABLE).is_file():
        return SourceKind.REFUSALS
    if (source / CONFIDENCE_TABLE).is_file():
        return SourceKind.CONFIDENCE
    with reading(source) as db:
        return SourceKind.SCORES if "models" in read_facts(db) else SourceKind.BUILD


def make_any_page(
    source: Path, *, items: int = 1000, resamples: int = 1000, seed: int = 0, shortcuts: bool = False
) -> Report:
    """The report of a run or a table, by what it holds; up to `items` items can be leafed through.

    `shortcuts` adds the shortcut audit to the report of a build.

    Raises `SourceError` or `LedgerError` if it holds nothing that has a report.
    """
    kind = source_kind(source)
    if kind is SourceKind.BUILD:
        from perturb.reports.audit_page import make_page

        return make_page(source, items=items, resamples=resamples, seed=seed, shortcuts=shortcuts)
    page = _evaluation_page(source, kind, items, resamples, seed)
    if not (source / LEDGER_FILE).is_file():
        return page
    from perturb.reports.audit_sections import panel_section
    from perturb.reports.review_sections import checked_judge

    sections = (make(source, seed=seed, resamples=resamples) for make in (panel_section, checked_judge))
    return replace(page, sections=(*page.sections, *filter(None, sections)))


def _evaluation_page(source: Path, kind: SourceKind, items: int, resamples: int, seed: int) -> Report:
    if kind is SourceKind.REFUSALS:
        from perturb.reports.refusal_index_page import make_refusal_page
        from perturb.scoring.refusal_report import RefusalOptions, report_refusals

        return make_refusal_page(report_refusals([source], RefusalOptions(resamples=resamples, seed=seed)))
    if kind is SourceKind.CONFIDENCE:
        from perturb.reports.bas_page import make_bas_page
        from perturb.scoring.confidence_report import ConfidenceOptions, score_confidence

        precision = ConfidenceOptions(resamples=resamples, seed=seed)
        return make_bas_page(score_confidence([source], precision=precision), str(source))
    from perturb.reports.scores_page import make_run_page, make_scores_page
    from perturb.scoring.score_report import score

    if source.is_dir():
        return make_run_page(source, items=items, resamples=resamples, seed=seed)
    return make_scores_page(score(source, resamples=resamples, seed=seed))


def figures_folder(source: Path, page: Path) -> Path:
    """Where figures and tables of the report lie: `audit` in the run of a build that holds the page, else beside it."""
    inside = page.resolve().is_relative_to(source.resolve())
    return source / "audit" if inside and source_kind(source) is SourceKind.BUILD else page.with_suffix("")
