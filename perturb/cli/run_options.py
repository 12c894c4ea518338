"""The options of every command that asks models, and what they come to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from perturb.cli.output import note
from perturb.cli.usage_errors import check_repeats, reject_option

if TYPE_CHECKING:
    from perturb.evaluate import EvaluationReport, ModelNames
    from perturb.llm.batches import BatchLimits


ExecutorName = Literal["local", "processes", "ray"]
ModelOption = Annotated[
    list[str],
    typer.Option(
        help="Model under test: PROVIDER/MODEL, http://…, module:function, or a name from --models; repeatable.",
        show_default=False,
    ),
]
ModelsOption = Annotated[
    Path | None, typer.Option("--models", help="YAML file of models under names of your own.")
]
RequestOption = Annotated[
    str | None, typer.Option(help="JSON body for http://… models, with {query}, {passages}, {prompt}.")
]
ReplyOption = Annotated[str | None, typer.Option(help="Path to the text in the reply of http://… models.")]
BudgetOption = Annotated[
    float | None, typer.Option(min=0, help="Stop before the calls cost more than this; needs known prices.")
]
BatchOption = Annotated[
    bool, typer.Option("--batch", help="Ask by provider batches: half the price, hours instead of minutes.")
]
BatchRowsOption = Annotated[int, typer.Option(min=1, max=50_000, help="Requests in one batch at most.")]
BatchPollOption = Annotated[
    float,
    typer.Option(min=0.01, help="Seconds between the first looks after a batch; later ones are rarer."),
]
ExecutorOption = Annotated[
    ExecutorName, typer.Option(help="Where calls are made: this process, worker processes or a Ray cluster.")
]
BATCH_ROWS, BATCH_POLL = 10_000, 15.0
QuestionsArgument = Annotated[
    str,
    typer.Argument(
        metavar="QA",
        help="A .csv or .jsonl file, a snapshot folder, hub:OWNER/NAME, or faitheval:TASK.",
        show_default=False,
    ),
]
GraderOption = Annotated[
    str | None,
    typer.Option("--judge", help="The grader; needed unless every answer is a letter or a number."),
]
FormatOption = Annotated[
    str,
    typer.Option(
        "--format", help="auto, simpleqa, precisewikiqa, faitheval, medqa, aime, plain or snapshot."
    ),
]
DrawOption = Annotated[int | None, typer.Option(min=1, help="Draw so many questions, by the seed.")]
SeedOption = Annotated[int, typer.Option(min=0, help="Seed of the draws.")]
BootstrapOption = Annotated[int, typer.Option(min=2, help="Bootstrap resamples behind the intervals.")]
PageOption = Annotated[Path | None, typer.Option(help="Also write a report page: FILE.html.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print every figure as JSON.")]


def model_names(models: list[str], file: Path | None, request: str | None, reply: str | None) -> ModelNames:
    """How the names of models are understood; a model named twice is wrong use."""
    import json

    from perturb.evaluate import ModelNames

    check_repeats("--model", models)
    options: dict[str, Any] = {"file": file}
    if request is not None:
        try:
            options["request"] = json.loads(request)
        except ValueError as exc:
            reject_option("--request", f'not JSON ({exc}): write it as \'{{"query": "{{query}}"}}\'')
        if not isinstance(options["request"], dict):
            reject_option("--request", 'must be a JSON object: write it as \'{"query": "{query}"}\'')
    if reply is not None:
        options["reply"] = reply
    return ModelNames(**options)


def run_options(executor: ExecutorName, batch: bool, rows: int, poll: float) -> dict[str, Any]:
    """Where and how calls are made, as `RunOptions` takes it."""
    from perturb.config import ExecutorEntry
    from perturb.llm.batches import BatchLimits

    limits: BatchLimits | None = BatchLimits(max_rows=rows, first_look=poll) if batch else None
    return {"executor": ExecutorEntry(kind=executor), "batch": limits}


def run_and_report(run: Callable[[], EvaluationReport]) -> EvaluationReport:
    """The report of a run, its warnings said; an interrupt says what it leaves behind."""
    try:
        report = run()
    except KeyboardInterrupt as stop:
        for words in stop.args:
            note(words)
        raise
    for warning in report.warnings:
        note(warning)
    return report
