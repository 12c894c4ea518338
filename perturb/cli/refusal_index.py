"""`perturb refusal-index`: whether models refuse what they do not know, from a table or a two-pass run."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

import typer

from perturb.cli import run_options as shared
from perturb.cli.default_command import TableGroup
from perturb.cli.output import note, print_result
from perturb.cli.pages import with_covariates, write_beside
from perturb.cli.usage_errors import read_columns_option
from perturb.cli.working import working

refusal_index_app = typer.Typer(
    cls=TableGroup,
    rich_markup_mode=None,
    help="Measure whether models refuse what they do not know: from a TABLE, or by running two passes.\n\n"
    "Example: perturb refusal-index answers.csv --json",
)


SettingName = StrEnum("SettingName", "LOW NORMAL HIGH HIGHEST")
"""A first-pass prompt, from the one that invites refusals least to the one that invites them most."""


@refusal_index_app.command("table")
def table_command(
    tables: Annotated[
        list[Path],
        typer.Argument(
            metavar="TABLE",
            help="A .csv, .jsonl or .parquet table with the columns refused and wrong (0/1), and optionally model,"
            " setting, dataset and base_id; or the folder of a two-pass run. Several files are several data sets.",
            show_default=False,
        ),
    ],
    interval_by: Annotated[
        Literal["delta", "bootstrap"] | None,
        typer.Option(
            "--interval",
            help="How the interval of the index is made.  [default: delta, or bootstrap where base_id repeats]",
        ),
    ] = None,
    resamples: shared.BootstrapOption = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the resamples.")] = 0,
    cv: Annotated[
        float, typer.Option(min=0.001, help="Coefficient of variation to give a sample size for.")
    ] = 0.1,
    column: shared.ColumnOption = None,
    models: shared.CovariatesOption = None,
    report: shared.PageOption = None,
    json_output: shared.JsonOption = False,
) -> None:
    """Compute the Refusal Index and related metrics from a table; calls no model. The word `table` may be left out.

    Example: perturb refusal-index table answers.csv --json
    """
    from perturb.errors import ConfigError
    from perturb.report.refusal_index_page import make_refusal_page
    from perturb.score.refusal_report import RefusalOptions, report_refusals

    renamed = read_columns_option(column, ("model", "setting", "dataset", "item_id", "base_id"))
    precision = RefusalOptions(interval_by=interval_by, resamples=resamples, seed=seed, cv=cv)
    try:
        found = report_refusals(tables, precision, renamed)
    except ValueError as exc:
        raise ConfigError(f"--interval: {exc}") from None
    heads = {"RI": "refusal_index", "correct": "correct_rate", "C/A": "c_over_a", "refused": "refusal_rate"}
    values = (
        (one.model or "", {head: one.metrics[name] for head, name in heads.items()}) for one in found.groups
    )
    page, covariates = with_covariates(make_refusal_page(found), models, values)
    write_beside(report, page)
    print_result({**found.to_dict(), **covariates}, page, json_output)


@refusal_index_app.command("run")
@working
def run_command(
    *,
    setting: Annotated[
        list[SettingName] | None,
        typer.Option(help="A first-pass prompt; may be repeated.  [default: all four]"),
    ] = None,
    samples: Annotated[
        int, typer.Option(min=1, max=1000, help="Replies to each first-pass prompt, for P(Answering).")
    ] = 1,
    mix: Annotated[
        str | None, typer.Option(help="A second set: as many questions of one as of the other are drawn.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="The run folder; a stopped run resumes from it.  [default: outputs/refusal-index-QA]"
        ),
    ] = None,
    asking: shared.QuestionOptions,
) -> None:
    """Ask models twice: in the first pass they may refuse, in the second they must answer what they refused.

    Example: perturb refusal-index run simple_qa.csv --model openai/gpt-4o --judge openai/gpt-4o-mini --out outputs/ri
    """
    from perturb.evaluate.question_run import refusal_ways
    from perturb.evaluate.question_sets import read_questions
    from perturb.evaluate.questions import QuestionSet, mix_questions
    from perturb.report.refusal_index_page import make_refusal_page
    from perturb.score.refusal_report import report_refusals

    def mixed(first: QuestionSet) -> QuestionSet:
        half = None if asking.limit is None else max(1, asking.limit // 2)
        second = read_questions(str(mix)).draw(half, asking.seed)
        return mix_questions(first.draw(half, asking.seed), second, asking.seed)

    ways = refusal_ways([one.value for one in setting or ()], samples)
    ended = asking.ask("refusal-index", ways, out, mixed if mix else None)
    found = report_refusals([Path(ended.facts["table"])])
    asking.show(ended, make_refusal_page(found), found.groups)
    if all(row.wrong is None for row in ended.rows):
        note(f"perturb: {ended.facts['table']}: no row is scored: see column 'unscored'")
        raise typer.Exit(1)
