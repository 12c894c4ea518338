"""`perturb build`: generate, verify, decide, select, export."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from logging import INFO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from perturb.cli.output import (
    check_address,
    check_choice,
    check_repeats,
    given_by_options,
    note,
    print_json,
    print_report,
    print_result,
    read_columns_option,
    reject_option,
    shows_colours,
)
from perturb.cli.run_options import (
    BudgetOption,
    ColumnOption,
    DryRunOption,
    ExecutorName,
    FillOption,
    JsonOption,
    ReplayOption,
    WaitOption,
)
from perturb.cli.working import is_quiet
from perturb.records import JsonObject
from perturb.runtime import LOG
from perturb.text.wording import counted

if TYPE_CHECKING:
    from perturb.api.calls import BuildCall
    from perturb.building.results import BuildReport
    from perturb.config import BaseSetEntry, BuildConfig
    from perturb.llm.recording import Replay

# The demo whose items the rule engine writes and the offline checks judge.
RULES = "rules"
# The demo of deep flaws: a recorded round.
DEEP = "deep"
# The last line of the embedded demo.
NEXT_STEP = (
    "Next: `perturb init`, name models of your own in build.yaml, then `perturb build build.yaml --dry-run`"
)


def build_command(
    config: Annotated[
        Path | None, Argument(help="build.yaml; without one, replay the embedded round.")
    ] = None,
    demo: Annotated[
        str | None,
        Option(
            help="Build without models: rules (takes --base-set), or from an embedded base set: demo or garage."
            " deep replays a recorded round of deep flaws."
        ),
    ] = None,
    base_set: Annotated[
        Path | None, Option(help="File of your own questions, instead of the configured base set.")
    ] = None,
    base_format: Annotated[
        str,
        Option("--format", help="Format of --base-set: auto, jsonl, garage, refusalbench, squad or nq."),
    ] = "auto",
    column: ColumnOption = None,
    generator: Annotated[
        list[str] | None,
        Option(
            metavar="MODEL",
            help="Model that writes items: PROVIDER/MODEL or module:function; repeatable.  [default: the rule engine]",
            show_default=False,
        ),
    ] = None,
    verifier: Annotated[
        list[str] | None,
        Option(
            metavar="MODEL",
            help="Model that votes on items: PROVIDER/MODEL or module:function; repeatable."
            "  [default: the offline checks]",
            show_default=False,
        ),
    ] = None,
    api_base: Annotated[
        str | None,
        Option(
            metavar="URL",
            help="Server of each --generator and --verifier, such as http://localhost:8000/v1.",
        ),
    ] = None,
    budget_usd: BudgetOption = None,
    limit: Annotated[int | None, Option(min=1, help="At most N base instances: the first ones.")] = None,
    name: Annotated[str | None, Option(help="Name of the run; its folder is OUT/NAME.")] = None,
    round_name: Annotated[str | None, Option("--round", help="Round; a new one gives new items.")] = None,
    seed: Annotated[int | None, Option(help="Seed of every draw.")] = None,
    out: Annotated[Path, Option(help="Folder that holds the runs.")] = Path("outputs"),
    executor: Annotated[
        ExecutorName | None,
        Option(help="Where calls are made: this process (local, processes) or a Ray cluster."),
    ] = None,
    until: Annotated[
        str | None,
        Option(
            metavar="RULE",
            help='Stop once each cell of each generator has enough accepted items: "cell >= 22".',
        ),
    ] = None,
    dry_run: DryRunOption = False,
    retry_unparsed: Annotated[
        bool, Option("--retry-unparsed", help="Ask again if no reply could be read.")
    ] = False,
    replay: ReplayOption = None,
    fill: FillOption = False,
    force: Annotated[
        bool,
        Option("--force", help="Build from other data under this name; the old snapshot gets a dated name."),
    ] = False,
    wait: WaitOption = False,
    json_output: JsonOption = False,
) -> None:
    """Build a benchmark, or resume one that was stopped.

    Example: perturb build --base-set q.csv --generator openai/gpt-4o --verifier openai/gpt-4.1 --budget-usd 5
    """
    from perturb.api.calls import BuildCall
    from perturb.building.run import build
    from perturb.config import load_config
    from perturb.llm.recording import Replay, read_recording
    from perturb.records import JobOutcome

    if fill and replay is None:
        reject_option("--fill", "goes with --replay: leave it out")
    _check_models(config, demo, generator, verifier, api_base)
    # Any of these options means a round other than the embedded one.
    round_options = (config, base_set, round_name, seed, replay, generator, verifier)
    embedded = _embedded_round(demo, chosen=any(option is not None for option in round_options))
    # --demo names an embedded round, such as `deep`, or else a base set.
    named_set = _named_set(None if embedded else demo, base_set, base_format, column)
    start_config = None if config is None else load_config(config)
    if embedded is not None:
        start_config, replay = embedded.config, embedded.replies
    # Without a name of its own, a demo runs in OUT/DEMO.
    if demo is not None and base_set is None and config is None and name is None:
        name = demo
    options = {
        "name": name,
        "round": round_name,
        "seed": seed,
        "executor": executor,
        "until": until,
        "budget_usd": budget_usd,
    }
    changes = {field: value for field, value in options.items() if value is not None}
    base_set_entry = _base_set_entry(start_config, named_set, limit)
    settings = _resolve(BuildCall(start_config, changes, base_set_entry, generator, verifier, api_base), out)
    recorded = None if replay is None else Replay(read_recording(replay), fill)
    first_line = "" if start_config is not None or json_output else _describe_offline_parts(settings)
    if dry_run:
        _print_estimate(settings, out / settings.name, recorded, json_output, first_line)
        return
    report = build(
        settings,
        out / settings.name,
        progress=not is_quiet(),
        retry=frozenset({JobOutcome.UNPARSED} if retry_unparsed else ()),
        replay=recorded,
        force=force,
        wait=wait,
    )
    for warning in report.warnings:
        note(warning)
    if json_output:
        print_json(dict(report.facts))
    elif embedded is not None and report.snapshot is not None:
        _print_demo(report.run)
        # A first try, without any option, shows both embedded rounds.
        if demo is None and not changes:
            _replay_deep_round(out)
        typer.echo(NEXT_STEP)
    else:
        typer.echo(first_line, nl=False)
        _print_build(report)
    _exit_without_snapshot(report)


def _exit_without_snapshot(report: BuildReport) -> None:
    """Say why the build stopped or why it has no snapshot; without a snapshot, exit with 1."""
    if report.stopped is not None:
        note(f"perturb: {report.stopped}")
    elif report.snapshot is None:
        note(f"perturb: {report.run}: no snapshot was written: see why above, or with `perturb status`")
    if report.snapshot is None:
        raise typer.Exit(1)


@dataclass(frozen=True)
class _EmbeddedRound:
    """A recorded round that comes with the package: its configuration, and the file of its replies."""

    config: BuildConfig
    replies: Path


def _embedded_round(demo: str | None, *, chosen: bool) -> _EmbeddedRound | None:
    """The embedded round to replay; None if another round was `chosen` by options, or if one is to be built.

    `perturb build` without any such option replays one round, `--demo deep` another.
    """
    from perturb.config import recorded_config
    from perturb.files.resources import demo_recording

    if demo == DEEP and chosen:
        reject_option("--demo", "deep replays a round on record: leave the options about other rounds out")
    if chosen or demo not in (None, DEEP):
        return None
    round_name = demo or "recorded"
    replies = demo_recording(round_name)
    return None if replies is None else _EmbeddedRound(recorded_config(round_name), replies)


def _print_build(report: BuildReport) -> None:
    """The counts of the build, and the first item of its snapshot."""
    from perturb.reports.rendering import render_item, shown_items
    from perturb.reports.runs import make_build_report

    print_report(make_build_report(report.facts, report.snapshot))
    if report.snapshot is not None:
        item = render_item(shown_items(report.snapshot)[0], colour=shows_colours(sys.stdout))
        typer.echo(f"\nOne of its items:\n{item}\nMore: perturb show {report.run}")


def _print_demo(run: Path) -> None:
    """Write the report page of the demo, and print a few lines for a first-time reader."""
    from perturb.reports.audit_page import make_page
    from perturb.reports.rendering import write_page
    from perturb.reports.words import describe_demo

    page = write_page(make_page(run), run / "report.html", run / "audit")[0]
    for line in describe_demo(run, page):
        typer.echo(line)


def _replay_deep_round(out: Path) -> None:
    """Replay the recorded round of deep flaws, the second part of the demo."""
    from perturb.building.run import build
    from perturb.llm.recording import Replay, read_recording

    embedded = _embedded_round(DEEP, chosen=False)
    if embedded is None:
        return
    replay = Replay(read_recording(embedded.replies), fill=False)
    report = build(embedded.config, out / DEEP, progress=not is_quiet(), replay=replay)
    if report.snapshot is not None:
        typer.echo("\nA second round, of flaws that lie deep in several passages:")
        _print_demo(report.run)


def _check_models(
    config: Path | None,
    demo: str | None,
    generators: list[str] | None,
    verifiers: list[str] | None,
    api_base: str | None,
) -> None:
    """Reject models that are named twice, or together with a file or a demo that already says who works."""
    for option, models in (("--generator", generators), ("--verifier", verifiers)):
        check_repeats(option, models or ())
        if models and config is not None:
            reject_option(
                option, f"{config} names the models: leave out the file, or write the model into it"
            )
        if models and demo == RULES:
            reject_option(option, "--demo rules asks no models: leave one of them out")
    if api_base is not None and not (generators or verifiers):
        reject_option("--api-base", "is the server of --generator and --verifier: name a model")
    check_address("--api-base", api_base)


def _base_set_entry(
    config: BuildConfig | None, named_set: BaseSetEntry | None, limit: int | None
) -> JsonObject | None:
    """The base set, None if options leave the configured one as it is.

    Without `--limit`, a base set that options name has the limit of the configured one.
    """
    from perturb.config import default_config

    if named_set is None and limit is None:
        return None
    configured = (config or default_config()).base_set
    return (named_set or configured).model_copy(update={"limit": limit or configured.limit}).model_dump()


def _resolve(call: BuildCall, out: Path) -> BuildConfig:
    """The configuration. Its file is read already, so a fault here is that of an option, which the error names."""
    from perturb.errors import ConfigError

    try:
        return call.resolve(out)
    except ConfigError as exc:
        # "field 'budget_usd' must be …" → "--budget-usd must be …"
        message = re.sub(r"^field '(\w+)'", lambda match: "--" + match[1].replace("_", "-"), str(exc))
        raise typer.BadParameter(message) from None


def _describe_offline_parts(config: BuildConfig) -> str:
    """The first line of the output: what writes or verifies in place of a model; empty if models do both."""
    rules_write = any(generator.kind == "rules" for generator in config.generators)
    rules_verify = any(verifier.kind == "rules" for verifier in config.verifiers)
    if rules_write and rules_verify:
        return (
            "The rule engine writes and offline checks verify: name models with --generator and --verifier.\n"
        )
    if rules_write:
        return "The rule engine writes: name a model with --generator.\n"
    return "Offline checks verify: name models with --verifier.\n" if rules_verify else ""


def _named_set(
    demo: str | None, path: Path | None, form: str, column: list[str] | None
) -> BaseSetEntry | None:
    """The base set that `--demo` or `--base-set` names, None without either."""
    from perturb.config import BaseSetEntry
    from perturb.curation.base_sets import FORMAT_READERS, embedded_path

    if demo not in (None, RULES) and path is not None:
        reject_option("--demo", "give --demo or --base-set, not both")
    if path is None and form != "auto":
        reject_option("--format", "goes with --base-set: leave it out")
    if path is None and column:
        reject_option("--column", "goes with --base-set: leave it out")
    check_choice("--format", form, ("auto", *FORMAT_READERS))
    if demo is not None and path is None:
        name = "demo" if demo == RULES else demo
        with given_by_options():
            embedded_path(name)  # raises if there is no embedded set with this name
        return BaseSetEntry(demo=name)
    columns = read_columns_option(column) or None
    return None if path is None else BaseSetEntry(path=path.absolute(), format=form, columns=columns)


def _print_estimate(
    config: BuildConfig, run: Path, replay: Replay | None, json_output: bool, first_line: str
) -> None:
    """Print what the build would do and cost; for a replay, how many replies the file holds."""
    from perturb.building.estimate import estimate_build
    from perturb.building.plan import plan_build
    from perturb.ledger.ends import ends_of_run
    from perturb.reports.runs import make_estimate_report

    if replay is not None:
        replies = len(replay.recording)
        line = f"{counted(replies, 'reply', 'replies')}: {replay.recording.path}"
        typer.echo(json.dumps({"replies": replies}) if json_output else line)
        return
    build_plan = plan_build(config)
    estimate = estimate_build(build_plan, ends_of_run(run) if config.until else ())
    for warning in build_plan.base_set.warnings:
        note(warning)
    verbose = LOG.isEnabledFor(INFO)
    page = make_estimate_report(estimate, config.replicates, len(config.generators), verbose=verbose)
    typer.echo(first_line, nl=False)
    print_result(estimate.to_dict(), page, json_output)
