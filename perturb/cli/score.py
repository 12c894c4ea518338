"""`perturb score`: every refusal metric of stored results."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

import typer

from perturb.cli import run_options as shared
from perturb.cli.output import note, print_result
from perturb.cli.pages import with_covariates, write_beside

Grouping = StrEnum("Grouping", "CLASS INTENSITY CELL DOMAIN LANGUAGE LEVER GENERATOR")
"""What scores can be listed by."""


def score_command(
    source: Annotated[
        Path,
        typer.Argument(
            help="The folder of an evaluation, or a .jsonl, .csv or .parquet table of results.",
            show_default=False,
        ),
    ],
    by: Annotated[
        list[Grouping] | None,
        typer.Option(help="List scores by this; may be repeated. [default: class, intensity]"),
    ] = None,
    models: Annotated[
        list[str] | None, typer.Option("--model", help="Score this model only; may be repeated.")
    ] = None,
    unit: Annotated[
        Literal["base", "item"],
        typer.Option(help="Resample base instances with all their items, or single items."),
    ] = "base",
    item_response: Annotated[
        bool,
        typer.Option(
            "--item-response", help="Also fit abilities of models and difficulties of items; needs 4 models."
        ),
    ] = False,
    metrics: Annotated[
        list[str] | None,
        typer.Option("--metric", help="Also compute a function of your own, module:function; repeatable."),
    ] = None,
    part: Annotated[
        Path | None,
        typer.Option(
            metavar="SNAPSHOT",
            help="Also score the items of this snapshot alone, such as the hard ones.",
            show_default=False,
        ),
    ] = None,
    resamples: Annotated[int, typer.Option(min=1, help="Bootstrap resamples behind each interval.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the resamples.")] = 0,
    page: shared.PageOption = None,
    levers: shared.ClassesOption = None,
    covariates: shared.CovariatesOption = None,
    json_output: shared.JsonOption = False,
) -> None:
    """Show the scores of models from stored results; calls no model.

    Example: perturb score outputs/evaluation --by class --by domain
    """
    from perturb.report.scores_breakdowns import HEADLINES
    from perturb.report.scores_page import make_scores_page
    from perturb.score.result_sources import read_results
    from perturb.score.score_report import score

    report = score(
        read_results(source, levers or ()),
        resamples=resamples,
        seed=seed,
        unit=unit,
        item_response=item_response,
        models=models or (),
        metrics=metrics or (),
        part=part,
    )
    content = make_scores_page(report, by=by or (Grouping.CLASS, Grouping.INTENSITY))
    values = (
        (one.model, {head: one.metrics[name] for name, head in HEADLINES.items()}) for one in report.models
    )
    content, said = with_covariates(content, covariates, values)
    write_beside(page, content)
    if json_output:
        for warning in report.warnings:
            note(f"note: {warning}")
    print_result({**report.to_dict(), **said}, content, json_output)
