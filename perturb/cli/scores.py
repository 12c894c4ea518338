"""`perturb audit`: do the verifiers agree, are they partial, and does the wording give labels away.

`perturb score`: every refusal metric of stored results.

`perturb report`: one HTML file about a run, or the models of several, with its figures and tables beside it.
"""

from __future__ import annotations

from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer import Argument, Option

from perturb.cli import run_options as shared
from perturb.cli.output import (
    check_page_name,
    given_by_options,
    note,
    print_json,
    print_result,
    reject_option,
    with_covariates,
    write_beside,
)
from perturb.cli.run_options import CovariatesOption
from perturb.cli.working import WorkflowCommand
from perturb.text.wording import counted

if TYPE_CHECKING:
    from perturb.metrics.inputs import Estimate
    from perturb.reports.model import Report
    from perturb.scoring.score_report import ScoreReport

AuditGrouping = StrEnum("AuditGrouping", "CLASS INTENSITY LEVER GENERATOR LANGUAGE")
"""What pass rates can be listed by."""


def audit_command(
    source: Annotated[
        Path,
        Argument(
            help="The folder of a run, or a table of votes; with --shortcuts, a snapshot or a table of items too.",
            show_default=False,
        ),
    ],
    shortcuts: Annotated[
        bool,
        Option("--shortcuts", help="Measure instead how far a part of each item alone gives its label away."),
    ] = False,
    against: Annotated[
        Path | None, Option(help="With --shortcuts: train on this earlier round, a run or a snapshot.")
    ] = None,
    by: Annotated[
        list[AuditGrouping] | None,
        Option(help="List rates by this; repeatable. [default: class, intensity, language]"),
    ] = None,
    resamples: shared.ResamplesOption = 1000,
    seed: Annotated[int, Option(min=0, help="Seed of resamples and folds.")] = 0,
    json_output: shared.JsonOption = False,
) -> None:
    """Show how many labels may be wrong, agreement, self-preference and pass rates, from stored votes.

    For an evaluation with several judges it shows the same of the judges.

    Example: perturb audit outputs/demo --by class --by lever
    """
    groupings = by or (AuditGrouping.CLASS, AuditGrouping.INTENSITY, AuditGrouping.LANGUAGE)
    if against is not None and not shortcuts:
        reject_option("--against", "needs --shortcuts: give both")
    if shortcuts:
        from perturb.api.stored import audit_shortcuts
        from perturb.reports.audit_page import make_shortcuts_report

        measured = audit_shortcuts(source, against=against, seed=seed, resamples=resamples)
        content, page = {"shortcuts": measured.to_dict()}, make_shortcuts_report(measured, groupings)
    else:
        from perturb.api.stored import audit
        from perturb.auditing.audit_report import AuditReport
        from perturb.reports.audit_sections import make_audit_report, make_panel_report

        report = audit(source, seed=seed, resamples=resamples)
        content = report.to_dict()
        page = (
            make_audit_report(report, groupings)
            if isinstance(report, AuditReport)
            else make_panel_report(report)
        )
    print_result(content, page, json_output)


ScoreGrouping = StrEnum("ScoreGrouping", "CLASS INTENSITY CELL DOMAIN LANGUAGE LEVER GENERATOR")
"""What scores can be listed by."""


class BareReview(WorkflowCommand):
    """A command whose `--review` may stand without a value, which is then empty."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Give a bare `--review` its empty value."""
        following = [*args, "--"][1:]
        words = [
            "--review=" if word == "--review" and after.startswith("-") else word
            for word, after in zip(args, following, strict=True)
        ]
        return super().parse_args(ctx, words)


def score_command(
    source: Annotated[
        Path,
        Argument(
            help="The folder of an evaluation, or a .jsonl, .csv or .parquet table of results.",
            show_default=False,
        ),
    ],
    by: Annotated[
        list[ScoreGrouping] | None,
        Option(help="List scores by this; repeatable. [default: class, intensity]"),
    ] = None,
    models: Annotated[
        list[str] | None, Option("--model", metavar="MODEL", help="Score this model only; repeatable.")
    ] = None,
    unit: Annotated[
        Literal["base", "item"],
        Option(help="Resample base instances with all their items, or single items."),
    ] = "base",
    item_response: Annotated[
        bool,
        Option(
            "--item-response", help="Also fit abilities of models and difficulties of items; needs 4 models."
        ),
    ] = False,
    metrics: Annotated[
        list[str] | None,
        Option("--metric", help="Also compute a function of your own, module:function; repeatable."),
    ] = None,
    part: Annotated[
        Path | None,
        Option(
            metavar="SNAPSHOT",
            help="Also score the items of this snapshot alone, such as the hard ones.",
            show_default=False,
        ),
    ] = None,
    review: Annotated[
        str | None,
        Option(
            metavar="[FILE]",
            help="Also correct the scores by the grades that people gave: in the run, or in a table of"
            " `perturb review RUN export --to answers`.",
            show_default=False,
        ),
    ] = None,
    against: Annotated[
        Path | None,
        Option(help="With --gate: the other scores, as an evaluation, a table, or stored scores."),
    ] = None,
    gate: Annotated[
        str | None,
        Option(
            metavar="RULE",
            help='"crs >= against - 0.02" or "crs >= 0.6": exit with 0 if it holds, 1 if not, 3 if undecided.',
        ),
    ] = None,
    everything: Annotated[
        bool,
        Option("--all", help="Print every table. Options that ask for more do so too."),
    ] = False,
    to: Annotated[
        tuple[str, Path] | None,
        Option(
            metavar="FORMAT DIR",
            help="Also write the scores for others into a folder: `every-eval-ever`, with the replies, or"
            " `eval-results`, for the pages of models on the Hub.",
            show_default=False,
        ),
    ] = None,
    dataset: Annotated[
        str | None,
        Option(help="With --to eval-results: the snapshot's repository on the Hub.", show_default=False),
    ] = None,
    resamples: shared.ResamplesOption = 1000,
    seed: shared.ResampleSeedOption = 0,
    page: shared.PageOption = None,
    levers: shared.ClassesOption = None,
    covariates: shared.CovariatesOption = None,
    json_output: shared.JsonOption = False,
) -> None:
    """Show the scores of models from stored results; calls no model.

    Example: perturb score outputs/evaluation --by class --by domain
    """
    from perturb.reports.scores_breakdowns import HEADLINES
    from perturb.reports.scores_page import make_scores_overview, make_scores_page
    from perturb.scoring.score_report import score
    from perturb.scoring.table import read_results

    _check_format(source, to, dataset)
    grades = None
    if review is not None:
        from perturb.scoring.human_grades import read_grades

        grades = read_grades(source, Path(review) if review else None)
    report = score(
        read_results(source, levers or ()),
        resamples=resamples,
        seed=seed,
        unit=unit,
        item_response=item_response,
        models=models or (),
        metrics=metrics or (),
        part=part,
        grades=grades,
    )
    content = make_scores_page(report, by=by or (ScoreGrouping.CLASS, ScoreGrouping.INTENSITY))
    values = (
        (model.model, {head: model.metrics[name] for name, head in HEADLINES.items()})
        for model in report.models
    )
    content, covariate_facts = with_covariates(content, covariates, values)
    write_beside(page, content)
    if not any((everything, by, item_response, metrics, part, review is not None, covariates)):
        content = make_scores_overview(report)
    if to is not None:
        note(f"{counted(len(_write_for_others(source, report, to, dataset)), 'file')} in {to[1]}")
    if json_output:
        for warning in report.warnings:
            note(f"note: {warning}")
    if gate is None:
        if against is not None:
            reject_option("--against", "goes with --gate: give both")
        print_result({**report.to_dict(), **covariate_facts}, content, json_output)
        return
    from perturb.scoring.round_comparison import check_gate, read_scores

    own_scores = {model.model: model.to_dict()["metrics"] for model in report.models}
    other = None if against is None else read_scores(against)
    with given_by_options():
        decisions = check_gate(gate, own_scores, other)
    gate_facts = {
        "gate": [{**asdict(decision), "margin": decision.margin.to_dict()} for decision in decisions]
    }
    print_result({**report.to_dict(), **covariate_facts, **gate_facts}, content, json_output)
    for decision in decisions:
        word = {True: "holds", False: "does not hold", None: "is undecided"}[decision.passed]
        need = (
            f": about {counted(decision.more_items, 'item')} more would decide" if decision.more_items else ""
        )
        note(f"{decision.model}: {gate} {word}{need}")
    passed = [decision.passed for decision in decisions]
    raise typer.Exit(1 if False in passed else 3 if None in passed else 0)


def _check_format(source: Path, to: tuple[str, Path] | None, dataset: str | None) -> None:
    name = to[0] if to else None
    if name not in (None, "every-eval-ever", "eval-results"):
        reject_option("--to", f"'{name}' is not a format: give every-eval-ever or eval-results")
    if (name == "eval-results") != (dataset is not None):
        reject_option("--dataset", "goes with --to eval-results: give both, as in --dataset org/my-benchmark")
    if name == "every-eval-ever" and not source.is_dir():
        reject_option("--to", "every-eval-ever needs the folder of an evaluation: a table has no replies")


def _write_for_others(
    source: Path, report: ScoreReport, to: tuple[str, Path], dataset: str | None
) -> list[Path]:
    from perturb.scoring.interchange import write_eval_results, write_every_eval_ever

    return (
        write_eval_results(report, to[1], dataset)
        if dataset
        else write_every_eval_ever(source, report, to[1])
    )


SIDE_BY_SIDE = Path("report.html")
"""Where the page on several runs goes unless told otherwise."""


def report_command(
    runs: Annotated[
        list[Path],
        Argument(
            metavar="RUN",
            help="A run folder, such as outputs/demo, or a table of results. Several: one table of their models.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path | None,
        Option(
            help="The HTML file.  [default: RUN/report.html; of several runs: report.html]",
            callback=check_page_name,
        ),
    ] = None,
    items: Annotated[int, Option(min=0, help="Items in the browser at most; 0 leaves it out.")] = 1000,
    seed: shared.ResampleSeedOption = 0,
    resamples: Annotated[int, Option(min=2, help="Bootstrap resamples behind each interval.")] = 1000,
    shortcuts: Annotated[
        bool,
        Option("--shortcuts", help="Of a build: add how far a part of each item gives its label away."),
    ] = False,
    models: CovariatesOption = None,
    json_output: shared.PrintJsonOption = False,
) -> None:
    """Write the report page, its figures (PNG, SVG) and its tables (CSV). Asks no model.

    Example: perturb report outputs/demo
    """
    from perturb.reports.any_page import figures_folder, make_any_page
    from perturb.reports.rendering import write_page

    html = out or _default_page(runs)
    together = _side_by_side(runs, resamples, seed) if len(runs) > 1 or models else None
    if together and len(runs) > 1:
        page, folder = together[0], html.with_suffix("")
    else:
        page = make_any_page(runs[0], items=items, resamples=resamples, seed=seed, shortcuts=shortcuts)
        folder = figures_folder(runs[0], html)
    page, covariates = with_covariates(page, models, together[1] if together else ())
    paths = write_page(page, html, folder)
    if json_output:
        ran = str(runs[0]) if len(runs) == 1 else [str(run) for run in runs]
        print_json(
            {"run": ran, "page": str(paths[0]), "files": [str(path) for path in paths[1:]], **covariates}
        )
        return
    typer.echo(str(paths[0]))
    typer.echo(f"{counted(len(paths) - 1, 'file')} of figures and tables: {folder}")


def _side_by_side(
    runs: list[Path], resamples: int, seed: int
) -> tuple[Report, list[tuple[str, dict[str, Estimate]]]]:
    from perturb.reports.any_page import gather, make_side_by_side_page, scores_by_model

    side_by_side = gather(runs, resamples=resamples, seed=seed)
    return make_side_by_side_page(side_by_side), scores_by_model(side_by_side)


def _default_page(runs: list[Path]) -> Path:
    if len(runs) > 1:
        return SIDE_BY_SIDE
    return runs[0] / "report.html" if runs[0].is_dir() else runs[0].with_suffix(".html")
