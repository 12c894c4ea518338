"""`perturb bas`: whether stated confidence supports decisions to answer or to abstain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from perturb.cli import run_options as shared
from perturb.cli.default_command import TableGroup
from perturb.cli.output import note, print_result
from perturb.cli.pages import with_covariates, write_beside
from perturb.cli.usage_errors import check_repeats, read_columns_option, reject_option
from perturb.cli.working import working
from perturb.wording import counted

if TYPE_CHECKING:
    from perturb.score.confidence_report import ConfidenceOptions, GroupCalibration, Split
    from perturb.score.confidence_table import ConfidenceGroup

bas_app = typer.Typer(
    cls=TableGroup,
    rich_markup_mode=None,
    help="Measure whether stated confidence supports decisions to answer or to abstain: from a TABLE, or by asking"
    " models.\n\nExample: perturb bas answers.csv --json",
)


ElicitationName = StrEnum(
    "ElicitationName",
    {
        "DIRECT": "direct",
        "REFLECTION": "reflection",
        "TOP_K": "top-k",
        "TOP_K_REFLECTION": "top-k-reflection",
    },
)
"""A way to ask for confidence."""
BinEdge = Literal["right", "left"]
MapName = Literal["isotonic", "platt", "temperature", "histogram"]

TablesArgument = Annotated[
    list[Path],
    typer.Argument(
        metavar="TABLE",
        help="A .csv, .jsonl or .parquet table with the columns is_correct and confidence, and optionally model,"
        " elicitation, dataset, item_id and base_id; or the folder of a run. Several files are several models, or data"
        " sets where they name the same model.",
        show_default=False,
    ),
]
PercentOption = Annotated[bool, typer.Option("--percent", help="Confidence is given from 0 to 100.")]
BinsOption = Annotated[int, typer.Option(min=1, help="Bins of equal width behind the ECE.")]
EdgeOption = Annotated[BinEdge, typer.Option("--ece-bins", help="Which of its edges an ECE bin includes.")]


@bas_app.command("table")
def table_command(
    tables: TablesArgument,
    percent: PercentOption = False,
    bins: BinsOption = 10,
    ece_bins: EdgeOption = "right",
    resamples: shared.BootstrapOption = 1000,
    seed: shared.SeedOption = 0,
    weight: Annotated[
        str | None,
        typer.Option(help="Also score under this weight over the risk threshold t, a density: '3*t**2'."),
    ] = None,
    column: shared.ColumnOption = None,
    models: shared.CovariatesOption = None,
    report: shared.PageOption = None,
    json_output: shared.JsonOption = False,
) -> None:
    """Compute the Behavioral Alignment Score and related metrics; calls no model. The word `table` may be left out.

    Example: perturb bas table answers.csv others.csv --percent
    """
    from perturb.report.bas_page import make_bas_page
    from perturb.score.confidence_report import ConfidenceOptions, score_confidence

    renamed = read_columns_option(column, ("model", "elicitation", "dataset", "item_id", "base_id"))
    precision = ConfidenceOptions(bins, resamples, seed, ece_bins, _checked_weight(weight))
    found = score_confidence(tables, percent=percent, precision=precision, columns=renamed)
    heads = {"BAS": "bas_uniform", "accuracy": "accuracy", "ECE": "ece", "AURC": "aurc"}
    values = (
        (one.group.model, {head: one.report.metrics[name] for head, name in heads.items()})
        for one in found.groups
    )
    page, covariates = with_covariates(make_bas_page(found, _named(tables)), models, values)
    write_beside(report, page)
    if json_output:
        for one in found.groups:
            _note_warnings(one.group)
    print_result({**found.to_dict(), **covariates}, page, json_output)


@bas_app.command("run")
@working
def run_command(
    *,
    elicitation: Annotated[
        list[ElicitationName] | None,
        typer.Option(help="How confidence is asked for; may be repeated.  [default: direct]"),
    ] = None,
    k: Annotated[
        int, typer.Option("--k", min=2, help="Number of answers that the top-k elicitations ask for.")
    ] = 3,
    out: Annotated[
        Path | None,
        typer.Option(help="The run folder; a stopped run resumes from it.  [default: outputs/bas-QA]"),
    ] = None,
    asking: shared.QuestionOptions,
) -> None:
    """Ask models questions and how sure they are, grade the answers, and score the confidence.

    Example: perturb bas run medqa.jsonl --model openai/gpt-4o --elicitation direct --elicitation top-k
    """
    from perturb.errors import SourceError
    from perturb.evaluate.question_run import confidence_ways
    from perturb.report.bas_page import make_bas_page
    from perturb.score.confidence_report import score_confidence

    check_repeats("--elicitation", elicitation or ())
    ended = asking.ask("bas", confidence_ways(elicitation or (), k), out)
    table = Path(ended.facts["table"])
    try:
        found = score_confidence([table])
    except SourceError as exc:
        note(f"perturb: {exc}")
        raise typer.Exit(1) from None
    asking.show(ended, make_bas_page(found, str(table)), found.groups)


@bas_app.command("calibrate")
def calibrate_command(
    tables: TablesArgument,
    on: Annotated[
        Path | None, typer.Option(help="Fit on this table and score the others.  [default: split each table]")
    ] = None,
    share: Annotated[
        float, typer.Option(min=0.01, max=0.99, help="Share of a table's rows that the maps are fitted on.")
    ] = 0.5,
    method: Annotated[MapName, typer.Option(help="The map that --save writes.")] = "isotonic",
    save: Annotated[Path | None, typer.Option(help="Write the fitted maps to this JSON file.")] = None,
    apply: Annotated[Path | None, typer.Option(help="Apply maps from this JSON file; fit none.")] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Draws for each size of the ablation.")] = 20,
    percent: PercentOption = False,
    bins: BinsOption = 10,
    ece_bins: EdgeOption = "right",
    resamples: shared.BootstrapOption = 1000,
    seed: shared.SeedOption = 0,
    report: shared.PageOption = None,
    json_output: shared.JsonOption = False,
) -> None:
    """Fit maps from stated to calibrated confidence, and score rows they have not seen before and after.

    Example: perturb bas calibrate answers.csv --share 0.3 --save map.json
    """
    from perturb.report.bas_page import make_bas_page
    from perturb.score.calibration_maps import load_maps
    from perturb.score.calibration_matrix import calibration_matrix
    from perturb.score.confidence_report import ConfidenceOptions, Split, apply_saved, score_groups
    from perturb.score.confidence_table import read_confidence_tables

    if apply is not None and (on is not None or save is not None):
        reject_option("--apply", "fits no map, so --on and --save cannot stand beside it: leave them out")
    precision = ConfidenceOptions(bins, resamples, seed, ece_bins)
    groups = read_confidence_tables(tables, percent=percent)
    if apply is not None:
        maps = load_maps(apply)
        found = [apply_saved(maps, group, precision) for group in groups]
    else:
        calibration = read_confidence_tables([on], percent=percent) if on else ()
        found = [_fit(group, calibration, Split(share, repeats=repeats), precision) for group in groups]
    across = () if apply or on else calibration_matrix(groups, method, Split(share), precision)
    if save is not None:
        _save(save, found, method)
    page = make_bas_page(score_groups(groups, precision), _named(tables), found, across)
    write_beside(report, page)
    for one in found:
        _note_warnings(one.group)
        if one.left_out:
            note(
                f"note: {one.group.name}: {counted(one.left_out, 'row')} that a map has learned from left out"
            )
    results = [one.to_dict() for one in found]
    more = {"across": [one.to_dict() for one in across]} if across else {}
    content = results[0] if len(results) == 1 else {"results": results, **more}
    print_result(content, replace(page, sections=page.sections[-2 if across else -1 :]), json_output)


def _checked_weight(weight: str | None) -> str | None:
    from perturb.metrics.risk_priors import parse_prior

    try:
        if weight is not None:
            parse_prior(weight)
    except ValueError as exc:
        reject_option("--weight", str(exc))
    return weight


def _fit(
    group: ConfidenceGroup,
    calibration: tuple[ConfidenceGroup, ...],
    split: Split,
    precision: ConfidenceOptions,
) -> GroupCalibration:
    from perturb.errors import ConfigError
    from perturb.score.confidence_report import calibrate_on, calibrate_within

    if not calibration:
        return calibrate_within(group, split, precision)
    for other in calibration:
        if len(calibration) == 1 or other.name == group.name:
            return calibrate_on(other, group, split, precision)
    raise ConfigError(f"--on: that table has no rows of '{group.name}': give one that has")


def _note_warnings(group: ConfidenceGroup) -> None:
    for warning in group.warnings:
        note(f"note: {warning}")


def _save(path: Path, found: list[GroupCalibration], method: MapName) -> None:
    from perturb.score.calibration_maps import SavedMap, save_maps

    maps = [
        SavedMap(one.group.model, one.group.elicitation, one.scores.maps[method], one.fitted_on)
        for one in found
    ]
    save_maps(path, maps)
    note(f"map: {path}")


def _named(tables: Sequence[Path]) -> str:
    return ", ".join(map(str, tables))
