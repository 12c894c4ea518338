"""`perturb evaluate` asks models about the items of a snapshot; `perturb score` scores their stored replies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn

import typer
from typer import Argument, Option

from perturb.cli import run_options as shared
from perturb.cli.output import (
    fail,
    given_by_options,
    note,
    print_report,
    print_result,
    reject_option,
    with_covariates,
    write_beside,
)
from perturb.cli.working import WorkflowCommand, is_quiet
from perturb.records import Facts
from perturb.text.wording import counted

if TYPE_CHECKING:
    from perturb.scoring.round_comparison import GateDecision
    from perturb.scoring.score_report import ScoreReport


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
    json_output: shared.JsonOption = False,
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
        judges=judge or (),
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
    # The second part of the demo. It is left out under --json, where a script expects a single value.
    if asking.demo and not json_output and out is None:
        _replay_deep_evaluation(options)
    if report.stopped is not None:
        fail(report.stopped)
    # No budget has stopped the run, yet nothing was measured: a script must not take this for a success.
    if not any(model["replies"] for model in report.facts["models"]):
        fail(f"{report.facts['run']}: no model replied: see why above, then run the same command again")


def _replay_deep_evaluation(options: Facts) -> None:
    """Replay what one model replied to the recorded deep round in both prompts, the second part of the demo."""
    from perturb.evaluation.refusalbench import EvaluationPlan, evaluate
    from perturb.files.resources import demo_recording
    from perturb.llm.recording import Replay, read_recording
    from perturb.reports.runs import make_evaluation_report

    recording = demo_recording("deep-evaluate")
    if recording is None:
        return
    replay = Replay(read_recording(recording), fill=False)
    report = evaluate(EvaluationPlan(source=None, **{**options, "replay": replay}), progress=not is_quiet())
    typer.echo("\nOne model on deep flaws, asked with the refusal codes and asked as in production:")
    print_report(make_evaluation_report(report.facts))


# What scores can be listed by.
ScoreGrouping = StrEnum("ScoreGrouping", "CLASS INTENSITY CELL DOMAIN LANGUAGE LEVER GENERATOR")


class BareReview(WorkflowCommand):
    """A command whose `--review` may be given without a value; the value is then empty."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Write `--review` as `--review=` where another option or the end follows."""
        next_arguments = [*args[1:], "--"] if args else []
        arguments = [
            "--review=" if argument == "--review" and next_argument.startswith("-") else argument
            for argument, next_argument in zip(args, next_arguments, strict=True)
        ]
        return super().parse_args(ctx, arguments)


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
    seed: shared.SeedOption = 0,
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
    if against is not None and gate is None:
        reject_option("--against", "goes with --gate: give both")
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
    # the page of --report has everything; the terminal gets a summary unless an option asks for more
    if not any((everything, by, item_response, metrics, part, review is not None, covariates)):
        content = make_scores_overview(report)
    if to is not None:
        files = _write_interchange(source, report, to[1], dataset)
        note(f"{counted(len(files), 'file')} in {to[1]}")
    if json_output:
        # The printed report shows the warnings itself.
        for warning in report.warnings:
            note(f"note: {warning}")
    facts = {**report.to_dict(), **covariate_facts}
    if gate is None:
        print_result(facts, content, json_output)
        return
    decisions = _decide_gate(gate, report, against)
    facts["gate"] = [{**asdict(decision), "margin": decision.margin.to_dict()} for decision in decisions]
    print_result(facts, content, json_output)
    _exit_by_gate(gate, decisions)


def _decide_gate(gate: str, report: ScoreReport, against: Path | None) -> tuple[GateDecision, ...]:
    """Whether each model passes the rule, by its scores and those of `--against`."""
    from perturb.scoring.round_comparison import check_gate, read_scores

    scores = {model.model: model.to_dict()["metrics"] for model in report.models}
    other_scores = None if against is None else read_scores(against)
    with given_by_options():
        return check_gate(gate, scores, other_scores)


def _exit_by_gate(gate: str, decisions: Sequence[GateDecision]) -> NoReturn:
    """Say how the gate decided on each model, and exit with 0, 1 or 3; one failure weighs more than any doubt."""
    for decision in decisions:
        outcome = {True: "holds", False: "does not hold", None: "is undecided"}[decision.passed]
        if decision.more_items:
            outcome += f": about {counted(decision.more_items, 'item')} more would decide"
        note(f"{decision.model}: {gate} {outcome}")
    passed = [decision.passed for decision in decisions]
    if False in passed:
        raise typer.Exit(1)
    raise typer.Exit(3 if None in passed else 0)


def _check_format(source: Path, to: tuple[str, Path] | None, dataset: str | None) -> None:
    """Reject a `--to` with an unknown format, or with a source or `--dataset` that does not go with the format."""
    form = to[0] if to else None
    if form not in (None, "every-eval-ever", "eval-results"):
        reject_option("--to", f"'{form}' is not a format: give every-eval-ever or eval-results")
    if (form == "eval-results") != (dataset is not None):
        reject_option("--dataset", "goes with --to eval-results: give both, as in --dataset org/my-benchmark")
    if form == "every-eval-ever" and not source.is_dir():
        reject_option("--to", "every-eval-ever needs the folder of an evaluation: a table has no replies")


def _write_interchange(source: Path, report: ScoreReport, folder: Path, dataset: str | None) -> list[Path]:
    """Write the format that `--to` names; `dataset` is given for `eval-results` alone."""
    from perturb.scoring.interchange import write_eval_results, write_every_eval_ever

    if dataset:
        return write_eval_results(report, folder, dataset)
    return write_every_eval_ever(source, report, folder)
