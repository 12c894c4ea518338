"""`perturb audit` checks the panel of verifiers from its votes; `perturb review` has people judge a sample of a run."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from typer import Argument, Option

from perturb.cli.output import (
    check_choice,
    given_by_options,
    note,
    note_unfinished,
    print_json,
    print_result,
    reject_given,
    reject_option,
)
from perturb.cli.run_options import JsonOption, PortOption, ResamplesOption, RunArgument, SeedOption
from perturb.cli.working import WorkflowCommand, WorkflowGroup
from perturb.records import Facts
from perturb.text.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perturb.auditing.rubric import Sample


# What pass rates can be listed by.
AuditGrouping = StrEnum("AuditGrouping", "CLASS INTENSITY LEVER GENERATOR LANGUAGE")


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
    resamples: ResamplesOption = 1000,
    seed: SeedOption = 0,
    json_output: JsonOption = False,
) -> None:
    """Show how many labels may be wrong, agreement, self-preference and pass rates, from stored votes.

    For an evaluation with several judges it shows the same of the judges.

    Example: perturb audit outputs/demo --by class --by lever
    """
    groupings = by or (AuditGrouping.CLASS, AuditGrouping.INTENSITY, AuditGrouping.LANGUAGE)
    if against is not None and not shortcuts:
        reject_option("--against", "needs --shortcuts: give both")
    if shortcuts:
        from perturb.api.figures import audit_shortcuts
        from perturb.reports.audit_page import make_shortcuts_report

        measured = audit_shortcuts(source, against=against, seed=seed, resamples=resamples)
        content, page = {"shortcuts": measured.to_dict()}, make_shortcuts_report(measured, groupings)
    else:
        from perturb.api.figures import audit
        from perturb.auditing.audit_report import AuditReport
        from perturb.reports.audit_sections import make_audit_report, make_judges_report

        report = audit(source, seed=seed, resamples=resamples)
        content = report.to_dict()
        page = (
            make_audit_report(report, groupings)
            if isinstance(report, AuditReport)
            else make_judges_report(report)
        )
    print_result(content, page, json_output)


review_app = typer.Typer(cls=WorkflowGroup, rich_markup_mode=None)


@review_app.callback(invoke_without_command=True)
def review_root(
    context: typer.Context,
    run: RunArgument,
) -> None:
    """Have people judge a sample of a run: draw it, serve it or read sheets, report, export.

    Of a build they judge items; of an evaluation, replies that its judge graded, without seeing its grades.

    Example: perturb review outputs/demo draw --per-cell 10
    """
    if context.invoked_subcommand is None:
        context.fail("missing command: give draw, serve, read, report or export")
    context.obj = run


@review_app.command("draw", cls=WorkflowCommand)
def draw_command(
    context: typer.Context,
    per_cell: Annotated[
        int | None, Option(min=1, help="Of a build: items from each cell.  [default: 10]")
    ] = None,
    seed: Annotated[int, Option(help="Seed of the draw.")] = 0,
    population: Annotated[
        Literal["accepted", "decided"] | None,
        Option(
            "--from",
            help="Of a build: accepted candidates only, or rejected ones as well.  [default: accepted]",
        ),
    ] = None,
    size: Annotated[
        int | None,
        Option(min=1, help="Of an evaluation: replies for each kind of judgement.  [default: 200]"),
    ] = None,
    kind: Annotated[
        list[str] | None,
        Option(
            help="Of an evaluation: judgements to check (grade, classification, quality, raf); repeatable."
            "  [default: all]"
        ),
    ] = None,
    target: Annotated[
        str | None,
        Option(
            "--for",
            metavar="RULE",
            help="Of an evaluation: as few replies as a corrected score needs, where they help most:"
            ' "ci(crs) <= 0.03" (plus or minus 0.03).',
        ),
    ] = None,
    sheet: Annotated[
        Path | None, Option(help="Where the sheet goes.  [default: RUN/review/sheet.csv]")
    ] = None,
    json_output: JsonOption = False,
) -> None:
    """Draw the sample and write it as a sheet; answers that are there already are kept.

    Example: perturb review outputs/demo draw --per-cell 10 --seed 1
    """
    from perturb.auditing.judged_replies import draw_replies
    from perturb.auditing.review_exports import sheet_text, write_text
    from perturb.auditing.review_items import load_items
    from perturb.auditing.rubric import GRADE_QUESTIONS, draw_candidates
    from perturb.ledger.evaluations import ReviewLedger, holds_items
    from perturb.ledger.plans import current_plan

    run: Path = context.obj
    for name in kind or ():
        check_choice("--kind", name, tuple(GRADE_QUESTIONS))
    if target is not None:
        options = {"--per-cell": per_cell, "--from": population, "--size": size, "--kind": kind}
        reject_given(options, "does not go with --for, which says how many to draw: leave it out")
    with ReviewLedger.of_run(run) as ledger:
        is_evaluation = holds_items(ledger.db)
        if target is not None:
            if not is_evaluation:
                reject_option("--for", "is for an evaluation: give --per-cell")
            ids, facts = _draw_by_rule(run, target, seed)
        elif is_evaluation:
            reject_given({"--per-cell": per_cell, "--from": population}, "is for a build: give --size")
            ids, facts = draw_replies(ledger.db, size or 200, seed, kind or ())
        else:
            reject_given({"--size": size, "--kind": kind}, "is for an evaluation: give --per-cell")
            plan = current_plan(ledger.db, run)
            note_unfinished(ledger.db, plan)
            ids, facts = draw_candidates(ledger.db, plan, per_cell or 10, seed, population or "accepted")
        # Answers to an earlier sample stay in the ledger.
        ledger.replace_sample(ids, facts)
        items = load_items(ledger.db, run)
    path = sheet or run / "review" / "sheet.csv"
    write_text(path, sheet_text(items))
    if json_output:
        print_json({"run": str(run), "items": len(items), "sheet": str(path), **facts})
        return
    typer.echo(f"{counted(len(items), 'item')}: {path}")
    typer.echo(f"fill in the sheet, or: perturb review {run} serve --annotator NAME")
    _note_sample(facts)


def _draw_by_rule(run: Path, rule_text: str, seed: int) -> Sample:
    """Draw the replies that the corrected score of a rule needs. The rule says how many, and of which kinds."""
    from perturb.evaluation.stop_rule import read_stop_rule
    from perturb.scoring.grades_needed import draw_for

    with given_by_options():
        rule = read_stop_rule(rule_text)
    return draw_for(run, rule.metric.name, rule.half_width, seed)


def _note_sample(facts: Facts) -> None:
    """Say on stderr what the sample lacks, or how many of the judged replies it has.

    Each way of drawing has one of these entries in its facts.
    """
    # Of a build: cells with too few candidates.
    for cell, drawn in facts.get("counts", {}).items():
        if drawn < facts["per_cell"]:
            note(f"short: {cell}: {drawn} of {facts['per_cell']}")
    # Of an evaluation, drawn by a rule: the grades that each model needs.
    for need in facts.get("needed", ()):
        judged = counted(need["judged"], "judged reply", "judged replies")
        note(
            f"{need['model']}: {need['needed']} of {judged} to grade, {need['graded']} of them are graded;"
            f" expected ± {need['half_width']:.3f}"
        )
    # Of an evaluation, drawn by number: the replies of each kind of judgement.
    for kind, count in facts.get("kinds", {}).items():
        note(
            f"{kind}: {count['drawn']} of {counted(count['judged'], 'reply', 'replies')} that a judge graded"
        )


@review_app.command("serve", cls=WorkflowCommand)
def serve_command(
    context: typer.Context,
    annotators: Annotated[
        list[str],
        Option("--annotator", help="Who reviews; repeat it for several people, who may work at once."),
    ],
    port: PortOption = 0,
) -> None:
    """Serve the review page on this machine until Ctrl-C: one address for all, and a token for each annotator.

    Example: perturb review outputs/demo serve --annotator ann --annotator ben
    """
    from perturb.auditing.rubric import check_names
    from perturb.reports.review_site import ReviewServer

    with given_by_options():
        check_names(annotators)
    run: Path = context.obj
    with ReviewServer(run, annotators, port) as server:
        for name, link in server.invitations.items():
            typer.echo(f"{name}: {link}")
        note("Ctrl-C ends the review; every answer is on disk already")
        server.wait()
        for session in server.sessions:
            note(f"{session.annotator}: {session.done} of {len(session.items)} items finished")


@review_app.command("read", cls=WorkflowCommand)
def read_command(
    context: typer.Context,
    sheet: Annotated[Path, Argument(help="The filled-in sheet (CSV).", show_default=False)],
    annotator: Annotated[
        str | None, Option(help="Who filled it in; not needed if it has a column 'annotator'.")
    ] = None,
) -> None:
    """Read a filled-in sheet into the run; its answers replace earlier ones of the same annotator.

    Example: perturb review outputs/demo read sheet.csv --annotator ann
    """
    from perturb.auditing.review_exports import read_sheet
    from perturb.auditing.review_items import load_items
    from perturb.auditing.rubric import check_names
    from perturb.ledger.evaluations import ReviewLedger

    if annotator is not None:
        with given_by_options():
            check_names([annotator])
    run: Path = context.obj
    with ReviewLedger.of_run(run) as ledger:
        answers = read_sheet(sheet, load_items(ledger.db, run), annotator)
        for answer in answers:
            ledger.record_answer(*answer)
    # two annotators of one item count twice: each has read it
    n_items = len({(item_id, person) for item_id, person, _question, _answer in answers})
    typer.echo(f"{counted(len(answers), 'answer')} about {counted(n_items, 'item')} read")


@review_app.command("report", cls=WorkflowCommand)
def report_command(
    context: typer.Context,
    seed: SeedOption = 0,
    resamples: ResamplesOption = 1000,
    json_output: JsonOption = False,
) -> None:
    """Show what people found: pass rates, agreement among them, and how far the panel or the judge can be trusted.

    Example: perturb review outputs/demo report --json
    """
    from perturb.auditing.judge_check import measure_judge
    from perturb.auditing.review_agreement import measure_review
    from perturb.ledger.calls import reading
    from perturb.ledger.evaluations import holds_items
    from perturb.ledger.plans import current_plan
    from perturb.reports.review_sections import make_judge_report, make_review_report

    run: Path = context.obj
    with reading(run) as db:
        if holds_items(db):
            judged = measure_judge(db, run, seed=seed, resamples=resamples)
            content, page = judged.to_dict(), make_judge_report(judged, str(run))
        else:
            plan = current_plan(db, run)
            note_unfinished(db, plan)
            report = measure_review(db, plan, run, seed=seed, resamples=resamples)
            content, page = report.to_dict(), make_review_report(report, str(run))
    print_result(content, page, json_output)


@review_app.command("export", cls=WorkflowCommand)
def export_command(
    context: typer.Context,
    tool: Annotated[
        Literal["label-studio", "argilla", "answers"],
        Option("--to", help="The format to write.", show_default=False),
    ],
    out: Annotated[Path | None, Option(help="Folder to write to.  [default: RUN/review/TOOL]")] = None,
) -> None:
    """Write the sample as import files of Label Studio or Argilla, or everybody's answers as a table.

    Example: perturb review outputs/demo export --to label-studio
    """
    from perturb.auditing.review_exports import answers_table, write_argilla, write_label_studio, write_text
    from perturb.auditing.review_items import load_items
    from perturb.ledger.calls import reading
    from perturb.ledger.evaluations import read_reviews

    run: Path = context.obj
    folder = out or run / "review" / tool
    with reading(run) as db:
        items = load_items(db, run)
        reviews = read_reviews(db)
    paths: Sequence[Path]
    if tool == "label-studio":
        paths = write_label_studio(items, folder)
    elif tool == "argilla":
        paths = write_argilla(items, folder, f"review-{run.resolve().name}")
    else:
        paths = (folder / "answers.csv",)
        write_text(paths[0], answers_table(items, reviews))
    for path in paths:
        typer.echo(str(path))
