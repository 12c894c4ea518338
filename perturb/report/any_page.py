"""The report of whatever lies in a run folder or a table."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from perturb.report.model import Report
from perturb.report.source_kind import SourceKind, source_kind
from perturb.store.calls import LEDGER_FILE


def make_any_page(
    source: Path, *, items: int = 1000, resamples: int = 1000, seed: int = 0, shortcuts: bool = False
) -> Report:
    """The report of a run or a table, by what it holds; up to `items` items can be leafed through.

    `shortcuts` adds the shortcut audit to the report of a build.

    Raises `SourceError` or `LedgerError` if it holds nothing that has a report.
    """
    kind = source_kind(source)
    if kind is SourceKind.BUILD:
        from perturb.report.audit_page import make_page

        return make_page(source, items=items, resamples=resamples, seed=seed, shortcuts=shortcuts)
    page = _evaluation_page(source, kind, items, resamples, seed)
    if not (source / LEDGER_FILE).is_file():
        return page
    from perturb.report.judge_panel_section import panel_section
    from perturb.report.judge_section import checked_judge

    sections = (make(source, seed=seed, resamples=resamples) for make in (panel_section, checked_judge))
    return replace(page, sections=(*page.sections, *filter(None, sections)))


def _evaluation_page(source: Path, kind: SourceKind, items: int, resamples: int, seed: int) -> Report:
    if kind is SourceKind.REFUSALS:
        from perturb.report.refusal_index_page import make_refusal_page
        from perturb.score.refusal_report import RefusalOptions, report_refusals

        return make_refusal_page(report_refusals([source], RefusalOptions(resamples=resamples, seed=seed)))
    if kind is SourceKind.CONFIDENCE:
        from perturb.report.bas_page import make_bas_page
        from perturb.score.confidence_report import ConfidenceOptions, score_confidence

        precision = ConfidenceOptions(resamples=resamples, seed=seed)
        return make_bas_page(score_confidence([source], precision=precision), str(source))
    from perturb.report.scores_page import make_run_page, make_scores_page
    from perturb.score.score_report import score

    if source.is_dir():
        return make_run_page(source, items=items, resamples=resamples, seed=seed)
    return make_scores_page(score(source, resamples=resamples, seed=seed))


def figures_folder(source: Path, page: Path) -> Path:
    """Where the figures and tables of the report lie: `audit` in the run of a build, else beside the page."""
    return source / "audit" if source_kind(source) is SourceKind.BUILD else page.with_suffix("")
