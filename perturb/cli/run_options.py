"""Options that several commands share, and the data classes of options for commands that ask models."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer import Argument, Option

from perturb.cli.output import (
    check_address,
    check_choice,
    check_page_name,
    check_repeats,
    fail,
    note,
    print_json,
    print_report,
    print_result,
    reject_option,
    write_beside,
)
from perturb.cli.working import is_quiet
from perturb.records import Intensity, JsonObject

if TYPE_CHECKING:
    from perturb.evaluation.models_under_test import ModelNames, ModelSet
    from perturb.evaluation.question_formats import QuestionSet
    from perturb.evaluation.refusal_index import QuestionTask
    from perturb.evaluation.refusalbench import RefusalBench
    from perturb.evaluation.run import TaskMaker
    from perturb.evaluation.session import EvaluationReport
    from perturb.llm.recording import Replay
    from perturb.reports.model import Report

ExecutorName = Literal["local", "processes", "ray"]
CovariatesOption = Annotated[
    Path | None,
    Option("--models", help="YAML file that says family, size_b, release, … of the models by name."),
]
SeedOption = Annotated[int, Option(min=0, help="Seed of draws and resamples.")]
ResamplesOption = Annotated[int, Option(min=1, help="Bootstrap resamples behind each interval.")]
AtLeastTwoResamplesOption = Annotated[int, Option(min=2, help="Bootstrap resamples behind each interval.")]
PageOption = Annotated[
    Path | None,
    Option("--report", help="Also write a report page: FILE.html.", callback=check_page_name),
]
ClassesOption = Annotated[
    list[Path] | None,
    Option(
        "--levers",
        help="Folder with classes of your own, where a bare table has rows of them; repeatable.",
    ),
]
ClassOption = Annotated[
    str | None, Option("--class", metavar="CLASS", help="Only this class, say P-Ambiguity.")
]
IntensityOption = Annotated[Intensity | None, Option(help="Only this intensity.")]
ColumnOption = Annotated[
    list[str] | None,
    Option(
        "--column",
        metavar="FIELD=COLUMN",
        help="The column of a field, if it has another name in the table; repeatable.",
    ),
]
JsonOption = Annotated[bool, Option("--json", help="Print one JSON value, with every figure, and no text.")]
WaitOption = Annotated[
    bool,
    Option("--wait", help="Keep trying if a server does not answer at the start."),
]
BudgetOption = Annotated[
    float | None, Option(min=0, help="Stop before the calls cost more than this; needs known prices.")
]
FillOption = Annotated[
    bool, Option("--fill", help="With --replay: ask models for the replies that the file lacks.")
]
DryRunOption = Annotated[
    bool, Option("--dry-run", help="Print what would be done, its cost, and what is missing; do nothing.")
]
PortOption = Annotated[int, Option(min=0, max=65535, help="Port; 0 takes a free one.")]
RunArgument = Annotated[
    Path, Argument(metavar="RUN", help="A run folder, such as outputs/demo.", show_default=False)
]
ReplayOption = Annotated[
    Path | None,
    Option(help="Take replies from this file (of `perturb export RUN --replies`), not from models."),
]
HubSubsetOption = Annotated[str | None, Option(help="Configuration of a data set on the Hub.")]
HubSplitOption = Annotated[str | None, Option(help="Split of a data set on the Hub.")]


@dataclass(frozen=True, kw_only=True)
class ModelOptions:
    """The models under test, their decoding and their addresses."""

    model: Annotated[
        list[str] | None,
        Option(
            metavar="MODEL",
            help="Model under test: PROVIDER/MODEL, http://…, module:function, or a name from --models; repeatable.",
            show_default=False,
        ),
    ] = None
    judge_rule: Annotated[
        Literal["majority", "unanimity"] | None,
        Option(
            help="How many of several judges must say the same.  [default: judge_rule of --models, else majority]"
        ),
    ] = None
    models: Annotated[
        Path | None, Option("--models", help="YAML file of models under names of your own.")
    ] = None
    budget_usd: BudgetOption = None
    preset: Annotated[
        Literal["paper"] | None,
        Option(help="Ask the models under test with the decoding parameters of the paper."),
    ] = None
    api_base: Annotated[
        str | None,
        Option(
            metavar="URL",
            help="Server of each --model that names none, such as http://localhost:8000/v1, and of a --judge on a"
            " server of your own (hosted_vllm/…).",
        ),
    ] = None
    request: Annotated[
        str | None, Option(help="JSON body for http://… models, with {query}, {passages}, {prompt}.")
    ] = None
    reply: Annotated[str | None, Option(help="Path to the text in the reply of http://… models.")] = None


@dataclass(frozen=True, kw_only=True)
class CallOptions:
    """How models are called: batches, waiting, executor."""

    batch: Annotated[
        bool,
        Option("--batch", help="Use the provider's batch API: half the price, hours instead of minutes."),
    ] = False
    batch_rows: Annotated[int, Option(min=1, max=50_000, help="Requests in one batch at most.")] = 10_000
    batch_poll: Annotated[
        float,
        Option(min=0.01, help="Seconds between polls of a batch at first; later polls are rarer."),
    ] = 15.0
    wait: WaitOption = False
    executor: Annotated[
        ExecutorName,
        Option(help="Where calls are made: this process (local, processes) or a Ray cluster."),
    ] = "local"

    def run_options(self) -> JsonObject:
        """The options as arguments of `RunOptions`."""
        from perturb.llm.client import BatchLimits
        from perturb.llm.factory import ExecutorEntry

        limits = BatchLimits(max_rows=self.batch_rows, first_poll=self.batch_poll) if self.batch else None
        return {"executor": ExecutorEntry(kind=self.executor), "batch": limits, "wait": self.wait}


@dataclass(frozen=True, kw_only=True)
class AskOptions(CallOptions, ModelOptions):
    """Which models are asked, and how; or which recording replaces them."""

    replay: ReplayOption = None
    fill: FillOption = False
    demo: Annotated[bool, Option("--demo", help="Replay the embedded recording.")] = False
    dry_run: DryRunOption = False

    def print_estimate(
        self, prepared: tuple[RefusalBench | QuestionTask[Any], ModelSet], json_output: bool
    ) -> None:
        """Print the estimate of the run."""
        from perturb.building.estimate import estimate_run
        from perturb.reports.runs import make_run_estimate_report

        estimate = estimate_run(*prepared, self.budget_usd)
        print_result(estimate.to_dict(), make_run_estimate_report(estimate), json_output)

    def recorded(self, command: str, source: str | None) -> Replay | None:
        """The recording that replaces models, None without one. Rejects a call with neither a recording nor models."""
        from perturb.errors import RecordingError
        from perturb.files.resources import demo_recording
        from perturb.llm.recording import Replay, read_recording

        replay = self.replay
        if self.dry_run and (self.demo or replay):
            reject_option("--dry-run", "estimates calls, and replies are on record: leave one of them out")
        if self.demo:
            if source or self.model or replay or self.fill:
                reject_option("--demo", "stands alone: leave out the source, --model, --replay and --fill")
            replay = demo_recording(command)
            if replay is None:
                raise RecordingError(
                    f"no recording for `perturb {command} --demo` is embedded in this version: name a source and a"
                    " --model"
                )
        if replay is not None:
            if self.fill and not self.model:
                reject_option("--fill", "asks models: name them with --model and --judge")
            return Replay(read_recording(replay), self.fill)
        if self.fill:
            reject_option("--fill", "goes with --replay: leave it out")
        if source is None:
            reject_option("source", "is missing: name what is to be asked about")
        if not self.model:
            reject_option("--model", "is missing: name at least one")
        return None

    def plan(self, command: str, source: str | None) -> JsonObject:
        """The arguments that all plans of runs have in common. Rejects options as `recorded` and `names` do."""
        replay = self.recorded(command, source)
        return {
            "models": tuple(self.model or ()),
            "judge_rule": self.judge_rule,
            "names": self.names(command, replay),
            "replay": replay,
            "budget_usd": self.budget_usd,
            **self.run_options(),
        }

    def names(self, command: str, replay: Replay | None) -> ModelNames:
        """How names of models are understood. Rejects a model that is named twice."""
        from perturb.evaluation.models_under_test import PAPER_DECODING, ModelNames

        if self.preset is not None and replay is not None and not replay.fill:
            reject_option("--preset", "says how models are asked, and replies are on record: leave it out")
        check_repeats("--model", self.model or ())
        check_address("--api-base", self.api_base)
        options: JsonObject = {"file": self.models, "api_base": self.api_base}
        # Options that are not given must be absent, so that `ModelNames` uses its own defaults.
        if self.preset is not None:
            # the only preset is `paper`: the settings of the paper behind the command
            options["decoding"] = PAPER_DECODING[command]
        if self.request is not None:
            options["request"] = _read_request(self.request)
        if self.reply is not None:
            options["reply"] = self.reply
        return ModelNames(**options)


def _read_request(text: str) -> JsonObject:
    """The body of requests to an HTTP endpoint, from the JSON text of --request."""
    try:
        template = json.loads(text)
    except ValueError as exc:
        reject_option("--request", f'not JSON ({exc}): write it as \'{{"query": "{{query}}"}}\'')
    if not isinstance(template, dict):
        reject_option("--request", 'must be a JSON object: write it as \'{"query": "{query}"}\'')
    return template


@dataclass(frozen=True, kw_only=True)
class QuestionOptions(AskOptions):
    """The options of commands that ask questions."""

    questions: Annotated[
        str | None,
        Argument(
            metavar="QA",
            help="A .csv or .jsonl file, a snapshot folder, hub:OWNER/NAME, or faitheval:TASK.",
            show_default=False,
        ),
    ] = None
    judge: Annotated[
        list[str] | None,
        Option(
            "--judge",
            metavar="MODEL",
            help="Model that grades answers; needed unless every answer is a letter or a number. Repeat it for a"
            " panel.",
        ),
    ] = None
    form: Annotated[
        str,
        Option(
            "--format",
            help="auto, simpleqa, precisewikiqa, faitheval, medqa, mmlu, triviaqa, aime, plain or snapshot.",
        ),
    ] = "auto"
    limit: Annotated[int | None, Option(min=1, help="At most N questions, drawn by --seed.")] = None
    seed: SeedOption = 0
    report: Annotated[
        Path | None,
        Option(
            help="Also write a report page: FILE.html.  [with --demo: report.html in the run folder]",
            callback=check_page_name,
        ),
    ] = None
    json_output: JsonOption = False

    def ask(
        self,
        kind: Literal["refusal-index", "bas"],
        make_task: TaskMaker,
        out: Path | None,
        draw: Callable[[QuestionSet], QuestionSet] | None = None,
    ) -> EvaluationReport:
        """Ask the questions in the task of `make_task`; without `draw`, the sample is drawn by limit and seed."""
        from perturb.evaluation.loading import read_questions
        from perturb.evaluation.question_formats import FORMATS
        from perturb.evaluation.run import QuestionPlan, ask_questions, prepare_questions

        options = self.plan(kind, self.questions)
        check_choice("--format", self.form, FORMATS)
        questions = None
        if self.questions is not None:
            questions_read = read_questions(self.questions, self.form)
            questions = draw(questions_read) if draw else questions_read.draw(self.limit, self.seed)
        plan = QuestionPlan(
            kind=kind,
            questions=questions,
            judges=self.judge or (),
            make_task=make_task,
            out=out,
            **options,
        )
        if self.dry_run:
            self.print_estimate(prepare_questions(plan), self.json_output)
            raise typer.Exit
        return run_and_report(lambda: ask_questions(plan, progress=not is_quiet()))

    def show(self, finished: EvaluationReport, page: Report, results: Sequence[Any]) -> None:
        """Print the results and write their page; end with 1 if the run stopped before its end."""
        from perturb.reports.runs import describe_work

        write_beside(self.report or (finished.run / "report.html" if self.demo else None), page)
        if self.json_output:
            print_json({**finished.facts, "results": [result.to_dict() for result in results]})
        else:
            print_report(page)
            typer.echo(f"\n{describe_work(finished.facts)}\nTable: {finished.facts['table']}")
        if finished.stopped is not None:
            fail(finished.stopped)


def run_and_report(run: Callable[[], EvaluationReport]) -> EvaluationReport:
    """Run, print the warnings and return the report. On an interrupt, say which batches are still open at providers."""
    try:
        report = run()
    except KeyboardInterrupt as interrupt:
        for message in interrupt.args:
            note(message)
        raise
    for warning in report.warnings:
        note(warning)
    return report
