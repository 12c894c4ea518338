"""`perturb audit`: do the verifiers agree, are they partial, and does the wording give labels away."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from perturb.cli import run_options as shared
from perturb.cli.output import print_result
from perturb.cli.usage_errors import reject_option

Grouping = StrEnum("Grouping", "CLASS INTENSITY LEVER GENERATOR LANGUAGE")
"""What pass rates can be listed by."""


def audit_command(
    source: Annotated[
        Path,
        typer.Argument(
            help="A run folder, or a table of votes; with --shortcuts, a run, a snapshot or a table of items.",
            show_default=False,
        ),
    ],
    shortcuts: Annotated[
        bool,
        typer.Option(
            "--shortcuts", help="Measure instead how far a part of each item alone gives its label away."
        ),
    ] = False,
    against: Annotated[
        Path | None, typer.Option(help="With --shortcuts: train on this earlier round, a run or a snapshot.")
    ] = None,
    by: Annotated[
        list[Grouping] | None,
        typer.Option(help="List rates by this; may be repeated. [default: class, intensity, language]"),
    ] = None,
    resamples: Annotated[int, typer.Option(min=1, help="Bootstrap resamples behind each interval.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of resamples and folds.")] = 0,
    json_output: shared.JsonOption = False,
) -> None:
    """Show agreement, self-preference and pass rates from stored votes; calls no model.

    For an evaluation with several judges it shows the same of the judges.

    Example: perturb audit outputs/demo --by class --by lever
    """
    groupings = by or (Grouping.CLASS, Grouping.INTENSITY, Grouping.LANGUAGE)
    if against is not None and not shortcuts:
        reject_option("--against", "needs --shortcuts: give both")
    if shortcuts:
        from perturb.api.stored import audit_shortcuts
        from perturb.report.shortcuts_section import make_shortcuts_report

        measured = audit_shortcuts(source, against=against, seed=seed, resamples=resamples)
        content, page = {"shortcuts": measured.to_dict()}, make_shortcuts_report(measured, groupings)
    else:
        from perturb.api.stored import audit
        from perturb.audit.audit_report import AuditReport
        from perturb.report.audit_sections import make_audit_report
        from perturb.report.judge_panel_section import make_panel_report

        report = audit(source, seed=seed, resamples=resamples)
        content = report.to_dict()
        page = (
            make_audit_report(report, groupings)
            if isinstance(report, AuditReport)
            else make_panel_report(report)
        )
    print_result(content, page, json_output)
