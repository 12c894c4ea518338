"""`perturb evaluate`: ask models about the items of a snapshot and have their replies judged."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from perturb.cli import run_options as shared
from perturb.cli.output import given_by_options, note, print_result, reject_option
from perturb.cli.working import is_quiet


def evaluate_command(
    *,
    snapshot: Annotated[
        str | None,
        Argument(
            help="A snapshot or run folder, a .jsonl or .parquet file, or OWNER/NAME[@REVISION] on the Hub.",
            show_default=False,
        ),
    ] = None,
    asking: shared.AskOptions,
    judge: Annotated[
        list[str] | None,
        Option(
            metavar="MODEL",
            help="Model that judges replies other than refusal codes; named as --model is. Repeat it for a panel.",
        ),
    ] = None,
    out: Annotated[
        Path | None, Option(help="Run folder.  [default: outputs/evaluate-NAME, after the snapshot]")
    ] = None,
    confidence: Annotated[
        bool, Option("--confidence", help="Also ask for one of five levels of confidence.")
    ] = False,
    prompt: Annotated[
        list[str] | None,
        Option(
            metavar="codes|plain|FILE.j2",
            help="How models are asked: with the refusal codes, as in production, or by a template; repeatable."
            "  [default: codes]",
        ),
    ] = None,
    samples: Annotated[
        int, Option(min=1, help="How many times each model is asked about each item, in each prompt.")
    ] = 1,
    planted_judgements: Annotated[
        int | None,
        Option(
            min=0,
            help="Number of replies of known behaviour that each judge also reads; 0 for none."
            "  [default: 24 beside 200 replies or more]",
        ),
    ] = None,
    limit: Annotated[int | None, Option(min=1, help="At most N items: the first ones.")] = None,
    until: Annotated[
        str | None,
        Option(
            metavar="RULE",
            help='Stop a model once a score is known well enough: "ci(crs) <= 0.03" (plus or minus 0.03).',
        ),
    ] = None,
    retry_unscored: Annotated[
        bool,
        Option("--retry-unscored", help="Ask again if no judgement could be read."),
    ] = False,
    subset: shared.HubSubsetOption = None,
    split: shared.HubSplitOption = None,
    levers: shared.ClassesOption = None,
    json_output: shared.EndJsonOption = False,
) -> None:
    """Evaluate models on a snapshot, or resume an evaluation that was stopped.

    Example: perturb evaluate outputs/demo/snapshot --model openai/gpt-4o --judge anthropic/claude-sonnet-4-5
    """
    from perturb.evaluation.loading import ItemSource
    from perturb.evaluation.refusalbench import EvaluationPlan, evaluate, prepare_evaluation
    from perturb.evaluation.stop_rule import read_stop_rule
    from perturb.reports.runs import make_evaluation_report

    with given_by_options():
        rule = None if until is None else read_stop_rule(until)
    if until and asking.batch:
        reject_option("--until", "stops between replies, and a batch asks for all at once: leave out --batch")
    if asking.demo and (levers or judge or asking.judge_rule):
        reject_option("--demo", "stands alone: leave out --levers, --judge and --judge-rule")
    if until and samples > 1:
        reject_option("--until", "counts one reply to each item: leave out --samples")
    options = asking.plan("evaluate", snapshot)
    plan = EvaluationPlan(
        source=None if snapshot is None else ItemSource(snapshot, subset, split, limit, tuple(levers or ())),
        judge=tuple(judge or ()),
        out=out,
        variant="confidence" if confidence else "plain",
        prompts=tuple(prompt or ()),
        samples=samples,
        planted_judgements=planted_judgements,
        retry_unscored=retry_unscored,
        until=rule,
        **options,
    )
    if asking.dry_run:
        asking.print_estimate(prepare_evaluation(plan), json_output)
        return
    report = shared.run_and_report(lambda: evaluate(plan, progress=not is_quiet()))
    print_result(dict(report.facts), make_evaluation_report(report.facts), json_output)
    if report.stopped is not None:
        note(f"perturb: {report.stopped}")
        raise typer.Exit(1)
    if not any(model["replies"] for model in report.facts["models"]):
        run = report.facts["run"]
        note(f"perturb: {run}: no model replied: see why above, then run the same command again")
        raise typer.Exit(1)
