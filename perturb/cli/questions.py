"""`perturb bas` and `perturb refusal-index`: score tables of answers, or ask models questions and score the replies."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from typer import Argument, Option

from perturb.cli import run_options as shared
from perturb.cli.output import (
    check_repeats,
    fail,
    note,
    print_result,
    read_columns_option,
    reject_option,
    with_covariates,
    write_beside,
)
from perturb.cli.working import TableGroup, WorkflowCommand, working
from perturb.errors import ConfigError
from perturb.records import JsonObject
from perturb.text.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perturb.scoring.confidence_report import ConfidenceOptions, GroupCalibration, Split, Transfer
    from perturb.scoring.confidence_table import ConfidenceGroup

bas_app = typer.Typer(
    cls=TableGroup,
    rich_markup_mode=None,
    help="Measure whether stated confidence supports decisions to answer or to abstain: from a TABLE, or by asking"
    " models.\n\nExample: perturb bas answers.csv --json",
)


# A way to ask for confidence.
ElicitationName = StrEnum(
    "ElicitationName",
    {
        "DIRECT": "direct",
        "REFLECTION": "reflection",
        "TOP_K": "top-k",
        "TOP_K_REFLECTION": "top-k-reflection",
    },
)
BinEdge = Literal["right", "left"]
MapName = Literal["isotonic", "platt", "temperature", "histogram"]

TablesArgument = Annotated[
    list[Path],
    Argument(
        metavar="TABLE",
        help="A .csv, .jsonl or .parquet table with the columns is_correct and confidence, and optionally model,"
        " elicitation, dataset, item_id and base_id; or the folder of a run. Several files are several models, or data"
        " sets where they name the same model.",
        show_default=False,
    ),
]
WeightOption = Annotated[
    str | None,
    Option(help="Also score under this density over the risk threshold: linear, quadratic, module:function."),
]
PercentOption = Annotated[bool, Option("--percent", help="Confidence is given from 0 to 100.")]
BinsOption = Annotated[int, Option(min=1, help="Bins of equal width behind the ECE.")]
EdgeOption = Annotated[BinEdge, Option("--ece-bins", help="Which of its edges an ECE bin includes.")]


@bas_app.command("table", cls=WorkflowCommand)
def confidence_table_command(
    tables: TablesArgument,
    percent: PercentOption = False,
    bins: BinsOption = 10,
    ece_bins: EdgeOption = "right",
    resamples: shared.AtLeastTwoResamplesOption = 1000,
    seed: shared.SeedOption = 0,
    weight: WeightOption = None,
    column: shared.ColumnOption = None,
    models: shared.CovariatesOption = None,
    report: shared.PageOption = None,
    json_output: shared.JsonOption = False,
) -> None:
    """Compute the Behavioral Alignment Score and related metrics; calls no model. The word `table` may be left out.

    Example: perturb bas table answers.csv others.csv --percent
    """
    from perturb.reports.bas_page import make_bas_page
    from perturb.scoring.confidence_report import ConfidenceOptions, score_confidence

    renamed = read_columns_option(column, ("model", "elicitation", "dataset", "item_id", "base_id"))
    precision = ConfidenceOptions(bins, resamples, seed, ece_bins, _checked_weight(weight))
    scores = score_confidence(tables, percent=percent, options=precision, columns=renamed)
    heads = {"BAS": "bas_uniform", "accuracy": "accuracy", "ECE": "ece", "AURC": "aurc"}
    values = (
        (group.group.model, {head: group.report.metrics[name] for head, name in heads.items()})
        for group in scores.groups
    )
    page, covariates = with_covariates(make_bas_page(scores, ", ".join(map(str, tables))), models, values)
    write_beside(report, page)
    if json_output:
        for group in scores.groups:
            _note_warnings(group.group)
    print_result({**scores.to_dict(), **covariates}, page, json_output)


@bas_app.command("run", cls=WorkflowCommand)
@working
def run_confidence_command(
    *,
    elicitation: Annotated[
        list[ElicitationName] | None,
        Option(help="How confidence is asked for; repeatable.  [default: direct]"),
    ] = None,
    k: Annotated[int, Option("--k", min=2, help="Answers that the top-k elicitations ask for.")] = 3,
    out: Annotated[
        Path | None,
        Option(help="The run folder; a stopped run resumes from it.  [default: outputs/bas-QA]"),
    ] = None,
    asking: shared.QuestionOptions,
) -> None:
    """Ask models questions and how sure they are, grade the answers, and score the confidence.

    Example: perturb bas run medqa.jsonl --model openai/gpt-4o --elicitation direct --elicitation top-k
    """
    from perturb.errors import SourceError
    from perturb.evaluation.bas import BasTask
    from perturb.reports.bas_page import make_bas_page
    from perturb.scoring.confidence_report import score_confidence

    check_repeats("--elicitation", elicitation or ())
    make_task = partial(BasTask.of, elicitations=elicitation or (), k=k)
    finished = asking.ask("bas", make_task, out)
    table = Path(finished.facts["table"])
    try:
        scores = score_confidence([table])
    except SourceError as exc:
        fail(str(exc))
    asking.show(finished, make_bas_page(scores, str(table)), scores.groups)


@bas_app.command("calibrate", cls=WorkflowCommand)
def calibrate_command(
    tables: TablesArgument,
    on: Annotated[
        Path | None, Option(help="Fit on this table and score the others.  [default: split each table]")
    ] = None,
    share: Annotated[
        float, Option(min=0.01, max=0.99, help="Share of a table's rows that the maps are fitted on.")
    ] = 0.5,
    method: Annotated[MapName, Option(help="The map that --save writes.")] = "isotonic",
    save: Annotated[Path | None, Option(help="Write the fitted maps to this JSON file.")] = None,
    apply: Annotated[Path | None, Option(help="Apply maps from this JSON file; fit none.")] = None,
    repeats: Annotated[int, Option(min=1, help="Draws for each size of the ablation.")] = 20,
    percent: PercentOption = False,
    bins: BinsOption = 10,
    ece_bins: EdgeOption = "right",
    resamples: shared.AtLeastTwoResamplesOption = 1000,
    seed: shared.SeedOption = 0,
    report: shared.PageOption = None,
    json_output: shared.JsonOption = False,
) -> None:
    """Fit maps from stated to calibrated confidence, and score rows they have not seen before and after.

    Example: perturb bas calibrate answers.csv --share 0.3 --save map.json
    """
    from perturb.reports.bas_page import make_bas_page
    from perturb.scoring.confidence_report import (
        ConfidenceOptions,
        Split,
        apply_saved,
        calibration_matrix,
        score_groups,
    )
    from perturb.scoring.confidence_table import load_maps, read_confidence_tables, save_maps

    if apply is not None and (on is not None or save is not None):
        reject_option("--apply", "fits no map, so --on and --save cannot be used with it: leave them out")
    precision = ConfidenceOptions(bins, resamples, seed, ece_bins)
    groups = read_confidence_tables(tables, percent=percent)
    # The maps come from a file, from another table, or from a part of each table.
    if apply is not None:
        maps = load_maps(apply)
        calibrations = [apply_saved(maps, group, precision) for group in groups]
    else:
        fitting_groups = read_confidence_tables([on], percent=percent) if on else ()
        split = Split(share, repeats=repeats)
        calibrations = [_fit(group, fitting_groups, split, precision) for group in groups]
    # Maps that each group has fitted on a part of itself are also tried on the other groups.
    transfers = () if apply or on else calibration_matrix(groups, method, Split(share), precision)
    if save is not None:
        save_maps(save, [calibration.saved_map(method) for calibration in calibrations])
        note(f"map: {save}")
    scores = score_groups(groups, precision)
    page = make_bas_page(scores, ", ".join(map(str, tables)), calibrations, transfers)
    write_beside(report, page)
    _note_calibrations(calibrations)
    # The page also has the scores before calibration, which `perturb bas` prints.
    printed_sections = [section for section in page.sections if section.name in ("calibration", "transfer")]
    content = _calibrations_as_json(calibrations, transfers)
    print_result(content, replace(page, sections=printed_sections), json_output)


def _note_calibrations(calibrations: Sequence[GroupCalibration]) -> None:
    """Say on stderr what to know about each table, and how many of its rows are not scored."""
    for calibration in calibrations:
        _note_warnings(calibration.group)
        if calibration.left_out:
            rows = counted(calibration.left_out, "row")
            note(f"note: {calibration.group.name}: {rows} that a map has learned from left out")


def _calibrations_as_json(
    calibrations: Sequence[GroupCalibration], transfers: Sequence[Transfer]
) -> JsonObject:
    """The object of `perturb bas calibrate --json`: a single group is printed by itself, several as a list."""
    results = [calibration.to_dict() for calibration in calibrations]
    if len(results) == 1:
        return results[0]
    content: JsonObject = {"results": results}
    if transfers:
        content["across"] = [transfer.to_dict() for transfer in transfers]
    return content


def _checked_weight(weight: str | None) -> str | None:
    from perturb.scoring.confidence_report import read_prior

    try:
        if weight is not None:
            read_prior(weight)
    except ConfigError as exc:
        reject_option("--weight", str(exc))
    return weight


def _fit(
    group: ConfidenceGroup,
    fitting_groups: tuple[ConfidenceGroup, ...],
    split: Split,
    precision: ConfidenceOptions,
) -> GroupCalibration:
    """Maps for a group, fitted on a part of it or on the matching group of `--on`.

    The only group of a table matches every group; of several, the one of the same name matches.
    """
    from perturb.scoring.confidence_report import calibrate_on, calibrate_within

    if not fitting_groups:
        return calibrate_within(group, split, precision)
    for fitting_group in fitting_groups:
        if len(fitting_groups) == 1 or fitting_group.name == group.name:
            return calibrate_on(fitting_group, group, split, precision)
    raise ConfigError(f"--on: that table has no rows of '{group.name}': give one that has")


def _note_warnings(group: ConfidenceGroup) -> None:
    for warning in group.warnings:
        note(f"note: {warning}")


refusal_index_app = typer.Typer(
    cls=TableGroup,
    rich_markup_mode=None,
    help="Measure whether models refuse what they do not know: from a TABLE, or by running two passes.\n\n"
    "Example: perturb refusal-index answers.csv --json",
)


# A first-pass prompt, from the one that invites refusals least to the one that invites them most.
SettingName = StrEnum("SettingName", "LOW NORMAL HIGH HIGHEST")


@refusal_index_app.command("table", cls=WorkflowCommand)
def passes_table_command(
    tables: Annotated[
        list[Path],
        Argument(
            metavar="TABLE",
            help="A .csv, .jsonl or .parquet table with the columns refused and wrong (0/1), and optionally model,"
            " setting, dataset and base_id; or the folder of a two-pass run. Several files are several data sets.",
            show_default=False,
        ),
    ],
    interval_by: Annotated[
        Literal["delta", "bootstrap"] | None,
        Option(
            "--interval",
            help="How the interval of the index is made.  [default: delta, or bootstrap where base_id repeats]",
        ),
    ] = None,
    resamples: shared.AtLeastTwoResamplesOption = 1000,
    seed: shared.SeedOption = 0,
    cv: Annotated[float, Option(min=0.001, help="Coefficient of variation to give a sample size for.")] = 0.1,
    column: shared.ColumnOption = None,
    models: shared.CovariatesOption = None,
    report: shared.PageOption = None,
    json_output: shared.JsonOption = False,
) -> None:
    """Compute the Refusal Index and related metrics from a table; calls no model. The word `table` may be left out.

    Example: perturb refusal-index table answers.csv --json
    """
    from perturb.reports.refusal_index_page import make_refusal_page
    from perturb.scoring.refusal_report import RefusalOptions, report_refusals

    renamed = read_columns_option(column, ("model", "setting", "dataset", "item_id", "base_id"))
    precision = RefusalOptions(interval_by=interval_by, resamples=resamples, seed=seed, cv=cv)
    try:
        refusals = report_refusals(tables, precision, renamed)
    except ValueError as exc:
        raise ConfigError(f"--interval: {exc}") from None
    heads = {"RI": "refusal_index", "correct": "correct_rate", "C/A": "c_over_a", "refused": "refusal_rate"}
    values = (
        (group.model or "", {head: group.metrics[name] for head, name in heads.items()})
        for group in refusals.groups
    )
    page, covariates = with_covariates(make_refusal_page(refusals), models, values)
    write_beside(report, page)
    print_result({**refusals.to_dict(), **covariates}, page, json_output)


@refusal_index_app.command("run", cls=WorkflowCommand)
@working
def run_passes_command(
    *,
    setting: Annotated[
        list[SettingName] | None,
        Option(help="A first-pass prompt; repeatable.  [default: all four]"),
    ] = None,
    samples: Annotated[
        int, Option(min=1, max=1000, help="Replies to each first-pass prompt, for P(Answering).")
    ] = 1,
    mix: Annotated[
        str | None, Option(help="A second set: as many questions of one as of the other are drawn.")
    ] = None,
    out: Annotated[
        Path | None,
        Option(help="The run folder; a stopped run resumes from it.  [default: outputs/refusal-index-QA]"),
    ] = None,
    asking: shared.QuestionOptions,
) -> None:
    """Ask models twice: in the first pass they may refuse, in the second they must answer what they refused.

    Example: perturb refusal-index run simple_qa.csv --model openai/gpt-4o --judge openai/gpt-4o-mini --out outputs/ri
    """
    from perturb.evaluation.loading import read_questions
    from perturb.evaluation.question_formats import QuestionSet, mix_questions
    from perturb.evaluation.refusal_index import RefusalIndexTask
    from perturb.reports.refusal_index_page import make_refusal_page
    from perturb.scoring.refusal_report import report_refusals

    def mixed(first: QuestionSet) -> QuestionSet:
        half = None if asking.limit is None else max(1, asking.limit // 2)
        second = read_questions(str(mix)).draw(half, asking.seed)
        return mix_questions(first.draw(half, asking.seed), second, asking.seed)

    make_task = partial(RefusalIndexTask.of, settings=[name.value for name in setting or ()], samples=samples)
    finished = asking.ask("refusal-index", make_task, out, mixed if mix else None)
    report = report_refusals([Path(finished.facts["table"])])
    asking.show(finished, make_refusal_page(report), report.groups)
    if all(row.wrong is None for row in finished.rows):
        fail(f"{finished.facts['table']}: no row is scored: see column 'unscored'")
