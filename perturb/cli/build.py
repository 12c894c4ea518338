"""`perturb build`: generate, verify, decide, select, export."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from perturb.cli.output import (
    check_choice,
    given_by_options,
    note,
    print_json,
    print_report,
    print_result,
    reject_option,
)
from perturb.cli.run_options import EndJsonOption, ReplayOption
from perturb.cli.working import is_quiet
from perturb.text.wording import counted

if TYPE_CHECKING:
    from perturb.config import BaseSetEntry, BuildConfig

RULES = "rules"
"""The demo that the rule engine makes and judges."""


def build_command(
    config: Annotated[
        Path | None, Argument(help="build.yaml; without one, replay the embedded round.")
    ] = None,
    demo: Annotated[
        str | None,
        Option(
            help="Build without models: rules, or from an embedded base set: demo or garage (ten passages)."
        ),
    ] = None,
    base_set: Annotated[Path | None, Option(help="Use this base set in place of the configured one.")] = None,
    base_format: Annotated[
        str,
        Option("--format", help="Format of --base-set: auto, jsonl, garage, refusalbench, squad or nq."),
    ] = "auto",
    limit: Annotated[int | None, Option(min=1, help="Use the first N base instances only.")] = None,
    name: Annotated[str | None, Option(help="Name of the run; its folder is OUT/NAME.")] = None,
    round_name: Annotated[str | None, Option("--round", help="Round; a new one gives new items.")] = None,
    seed: Annotated[int | None, Option(help="Seed of every draw.")] = None,
    out: Annotated[Path, Option(help="Folder that holds the runs.")] = Path("outputs"),
    executor: Annotated[
        str | None,
        Option(help="Where the work is done: local, processes or ray; as 'executor' in the file."),
    ] = None,
    until: Annotated[
        str | None,
        Option(
            metavar="RULE",
            help='Stop once each cell of each generator has enough accepted items: "cell >= 22".',
        ),
    ] = None,
    dry_run: Annotated[
        bool, Option("--dry-run", help="Show what the build would do and cost; do nothing.")
    ] = False,
    retry_unparsed: Annotated[
        bool, Option("--retry-unparsed", help="Call the models again where no reply could be read.")
    ] = False,
    replay: ReplayOption = None,
    fill: Annotated[
        bool, Option("--fill", help="With --replay: call the models for replies that the file lacks.")
    ] = False,
    force: Annotated[
        bool,
        Option("--force", help="Build from other data under this name; the old snapshot gets a dated name."),
    ] = False,
    json_output: EndJsonOption = False,
) -> None:
    """Build a benchmark, or resume one that was stopped.

    Example: perturb build build.yaml --dry-run
    """
    from perturb.building.run import build
    from perturb.files.resources import demo_recording
    from perturb.llm.recording import Replay, read_recording
    from perturb.records import JobOutcome
    from perturb.reports.runs import make_build_report

    if fill and replay is None:
        reject_option("--fill", "goes with --replay: leave it out")
    newly = (config, demo, base_set, round_name, seed, replay)
    embedded = demo_recording("recorded") if newly == (None,) * len(newly) else None
    replay = replay or embedded
    named = _named_set(demo, base_set, base_format)
    if demo is not None and config is None and name is None:
        name = demo
    changes = {"name": name, "round": round_name, "seed": seed, "executor": executor, "until": until}
    given = {key: value for key, value in changes.items() if value is not None}
    settings = _configure(config, given, named, limit, recorded=embedded is not None)
    recorded = None if replay is None else Replay(read_recording(replay), fill)
    if dry_run and recorded is not None:
        known = recorded.recording
        if json_output:
            print_json({"replies": len(known)})
        else:
            typer.echo(f"{counted(len(known), 'reply', 'replies')}: {known.path}")
        return
    if dry_run:
        _print_estimate(settings, out / settings.name, json_output)
        return
    retry = frozenset({JobOutcome.UNPARSED} if retry_unparsed else ())
    report = build(
        settings, out / settings.name, progress=not is_quiet(), retry=retry, replay=recorded, force=force
    )
    for warning in report.warnings:
        note(warning)
    if json_output:
        print_json(dict(report.facts))
    elif embedded is not None and report.snapshot is not None:
        _print_demo(report.run)
    else:
        print_report(make_build_report(report.facts, report.snapshot))
    if report.stopped is not None:
        note(f"perturb: {report.stopped}")
    elif report.snapshot is None:
        note(f"perturb: {report.run}: no snapshot was written: see why above, or with `perturb status`")
    if report.snapshot is None:
        raise typer.Exit(1)


def _print_demo(run: Path) -> None:
    """The report page of the demo, and a few lines for who has never seen one."""
    from perturb.reports.audit_page import make_page
    from perturb.reports.demo import describe_demo
    from perturb.reports.page import write_page

    page = write_page(make_page(run), run / "report.html", run / "audit")[0]
    for line in describe_demo(run, page):
        typer.echo(line)


def _configure(
    path: Path | None,
    options: Mapping[str, object],
    named: BaseSetEntry | None,
    limit: int | None,
    *,
    recorded: bool = False,
) -> BuildConfig:
    """The configuration with what the options change in it; a named base set keeps the limit of the configured one."""
    from perturb.config import BuildConfig, default_config, load_config, recorded_config

    default = recorded_config if recorded else default_config
    config = default() if path is None else load_config(path)
    changes = dict(options)
    if named is not None or limit is not None:
        entry = (named or config.base_set).model_copy(update={"limit": limit or config.base_set.limit})
        changes["base_set"] = entry
    if not changes:
        return config
    from pydantic import ValidationError

    from perturb.files.yaml_files import describe_fault

    try:
        return BuildConfig.model_validate({**config.model_dump(by_alias=True), **changes})
    except ValidationError as exc:
        fault = exc.errors(include_url=False)[0]
        reject_option(f"--{fault['loc'][0]}", describe_fault((), fault["type"], fault["msg"]))


def _named_set(demo: str | None, path: Path | None, form: str) -> BaseSetEntry | None:
    from perturb.config import BaseSetEntry
    from perturb.curation.base_sets import FORMAT_READERS, demo_path

    if demo is not None and path is not None:
        reject_option("--demo", "give --demo or --base-set, not both")
    if path is None and form != "auto":
        reject_option("--format", "goes with --base-set: leave it out")
    check_choice("--format", form, ("auto", *FORMAT_READERS))
    if demo is not None:
        name = "demo" if demo == RULES else demo
        with given_by_options():
            demo_path(name)
        return BaseSetEntry(demo=name)
    return None if path is None else BaseSetEntry(path=path, format=form)


def _print_estimate(config: BuildConfig, run: Path, json_output: bool) -> None:
    from perturb.building.estimate import estimate_build
    from perturb.building.plan import plan_build
    from perturb.ledger.quotas import measured_ends
    from perturb.reports.runs import make_estimate_report

    build_plan = plan_build(config)
    estimate = estimate_build(build_plan, measured_ends(run) if config.until else ())
    for warning in build_plan.base_set.warnings:
        note(warning)
    page = make_estimate_report(estimate, config.replicates, len(config.generators))
    print_result(estimate.to_dict(), page, json_output)
