"""`perturb evaluate`: ask models about the items of a snapshot and have their replies judged."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from perturb.cli.output import note, print_json, print_report
from perturb.cli.wrong_use import check_repeats, refuse

if TYPE_CHECKING:
    from perturb.evaluate.contestants import ModelNames


def evaluate_command(
    snapshot: Annotated[
        str,
        typer.Argument(
            help="A snapshot or run folder, a .jsonl or .parquet file, or OWNER/NAME[@REVISION] on the Hub.",
            show_default=False,
        ),
    ],
    model: Annotated[
        list[str],
        typer.Option(
            help="Model under test: PROVIDER/MODEL, http://…, module:function, or a name from --models; repeatable.",
            show_default=False,
        ),
    ],
    judge: Annotated[
        str | None, typer.Option(help="Who judges replies that are not a code; named like a model.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Run folder. [default: outputs/evaluate-NAME]")] = None,
    models: Annotated[
        Path | None, typer.Option("--models", help="YAML file of models under names of your own.")
    ] = None,
    confidence: Annotated[
        bool, typer.Option("--confidence", help="Also ask for one of five levels of confidence.")
    ] = False,
    limit: Annotated[int | None, typer.Option(min=1, help="Use the first N items only.")] = None,
    budget_usd: Annotated[
        float | None, typer.Option(min=0, help="Stop before the calls cost more than this.")
    ] = None,
    retry_unscored: Annotated[
        bool, typer.Option("--retry-unscored", help="Ask the judge again where it could not be read.")
    ] = False,
    subset: Annotated[str | None, typer.Option(help="Configuration of a data set on the Hub.")] = None,
    split: Annotated[str | None, typer.Option(help="Split of a data set on the Hub.")] = None,
    request: Annotated[
        str | None, typer.Option(help="JSON body for http://… models, with {query}, {passages}, {prompt}.")
    ] = None,
    reply: Annotated[
        str | None, typer.Option(help="Path to the text in the reply of http://… models.")
    ] = None,
    batch: Annotated[
        bool,
        typer.Option("--batch", help="Ask by provider batches: half the price, hours instead of minutes."),
    ] = False,
    batch_rows: Annotated[
        int, typer.Option(min=1, max=50_000, help="Requests in one batch at most.")
    ] = 10_000,
    batch_poll: Annotated[
        float,
        typer.Option(min=0.01, help="Seconds between the first looks after a batch; later ones are rarer."),
    ] = 15.0,
    json_output: Annotated[bool, typer.Option("--json", help="End with one JSON object on stdout.")] = False,
) -> None:
    """Evaluate models on a snapshot, or go on with an evaluation that was stopped.

    Example: perturb evaluate outputs/demo/snapshot --model openai/gpt-4o --judge anthropic/claude-sonnet-4-5
    """
    from perturb.evaluate.loading import ItemSource
    from perturb.evaluate.run import evaluate
    from perturb.evaluate.setting import EvaluationPlan
    from perturb.llm.batches import BatchLimits

    check_repeats("--model", model)
    plan = EvaluationPlan(
        source=ItemSource(snapshot, subset, split, limit),
        models=tuple(model),
        judge=judge,
        out=out,
        variant="confidence" if confidence else "plain",
        names=_names(models, request, reply),
        budget_usd=budget_usd,
        retry_unscored=retry_unscored,
        batch=BatchLimits(max_rows=batch_rows, first_look=batch_poll) if batch else None,
    )
    try:
        report = evaluate(plan, progress=True)
    except KeyboardInterrupt as stop:
        for words in stop.args:
            note(words)
        raise
    for warning in report.warnings:
        note(warning)
    if json_output:
        print_json(dict(report.facts))
    else:
        from perturb.report.runs import make_evaluation_report

        print_report(make_evaluation_report(report.facts))
    if report.stopped is not None:
        note(f"perturb: {report.stopped}")
        raise typer.Exit(1)
    if not any(model["replies"] for model in report.facts["models"]):
        note(
            f"perturb: {report.facts['run']}: no model replied: see why above, then run the same command again"
        )
        raise typer.Exit(1)


def _names(file: Path | None, request: str | None, reply: str | None) -> ModelNames:
    import json

    from perturb.evaluate.contestants import ModelNames

    options: dict[str, Any] = {"file": file}
    if request is not None:
        try:
            options["request"] = json.loads(request)
        except ValueError as exc:
            refuse("--request", f'not JSON ({exc}): write it as \'{{"query": "{{query}}"}}\'')
        if not isinstance(options["request"], dict):
            refuse("--request", 'must be a JSON object: write it as \'{"query": "{query}"}\'')
    if reply is not None:
        options["reply"] = reply
    return ModelNames(**options)
