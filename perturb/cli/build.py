"""`perturb build`: generate, verify, decide, select, export."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perturb.cli.output import money, note, print_json, print_table
from perturb.cli.wrong_use import check_choice, given_by_options, refuse

if TYPE_CHECKING:
    from perturb.build import BuildReport
    from perturb.config import BaseSetEntry, BuildConfig
    from perturb.estimate import Estimate


def build_command(
    config: Annotated[Path | None, typer.Argument(help="build.yaml; without one, the offline demo.")] = None,
    demo: Annotated[
        str | None,
        typer.Option(help="Use this embedded base set: demo (single passages) or garage (ten passages)."),
    ] = None,
    base_set: Annotated[
        Path | None, typer.Option(help="Use this base set in place of the configured one.")
    ] = None,
    base_format: Annotated[
        str, typer.Option("--format", help="Format of --base-set: auto, jsonl, nq, garage, refusalbench.")
    ] = "auto",
    limit: Annotated[int | None, typer.Option(min=1, help="Use the first N base instances only.")] = None,
    name: Annotated[str | None, typer.Option(help="Name of the run; its folder is OUT/NAME.")] = None,
    round_name: Annotated[
        str | None, typer.Option("--round", help="Round; a new one gives new items.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of every draw.")] = None,
    out: Annotated[Path, typer.Option(help="Folder that holds the runs.")] = Path("outputs"),
    executor: Annotated[
        str | None,
        typer.Option(help="Where the work is done: local, processes or ray; as 'executor' in the file."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be done and cost; do nothing.")
    ] = False,
    retry_unparsed: Annotated[
        bool, typer.Option("--retry-unparsed", help="Ask again where no reply could be read.")
    ] = False,
    json_output: Annotated[bool, typer.Option("--json", help="End with one JSON object on stdout.")] = False,
) -> None:
    """Build a benchmark, or go on with one that was stopped.

    Example: perturb build build.yaml --dry-run
    """
    from perturb.build import build
    from perturb.records import Outcome

    named = _named_set(demo, base_set, base_format)
    if demo is not None and config is None and name is None:
        name = demo
    changes = {"name": name, "round": round_name, "seed": seed, "executor": executor}
    settings = _configure(config, {key: value for key, value in changes.items() if value is not None})
    settings = _choose_base_set(settings, named, limit)
    if dry_run:
        _print_estimate(settings, json_output)
        return
    retry = frozenset({Outcome.UNPARSED} if retry_unparsed else ())
    report = build(settings, out / settings.name, progress=True, retry=retry)
    for warning in report.warnings:
        note(warning)
    if json_output:
        print_json(dict(report.facts))
    else:
        _print_report(report)
    if report.stopped is not None:
        note(f"perturb: {report.stopped}")
    elif report.snapshot is None:
        note(f"perturb: {report.run}: no snapshot was written: see why above, or with `perturb status`")
    if report.snapshot is None:
        raise typer.Exit(1)


def _configure(path: Path | None, changes: dict[str, object]) -> BuildConfig:
    from perturb.config import BuildConfig, default_config, load_config

    config = default_config() if path is None else load_config(path)
    if not changes:
        return config
    from pydantic import ValidationError

    from perturb.yaml_files import describe_fault

    try:
        return BuildConfig.model_validate({**config.model_dump(by_alias=True), **changes})
    except ValidationError as exc:
        fault = exc.errors(include_url=False)[0]
        refuse(f"--{fault['loc'][0]}", describe_fault((), fault["type"], fault["msg"]))


def _named_set(demo: str | None, path: Path | None, form: str) -> BaseSetEntry | None:
    """The base set that the options name, if they name one."""
    from perturb.config import BaseSetEntry
    from perturb.curate import demo_path
    from perturb.curate.sources import FORMS

    if demo is not None and path is not None:
        refuse("--demo", "give --demo or --base-set, not both")
    if path is None and form != "auto":
        refuse("--format", "goes with --base-set: leave it out")
    check_choice("--format", form, ("auto", *FORMS))
    if demo is not None:
        with given_by_options():
            demo_path(demo)
        return BaseSetEntry(demo=demo)
    return None if path is None else BaseSetEntry(path=path, format=form)


def _choose_base_set(config: BuildConfig, named: BaseSetEntry | None, limit: int | None) -> BuildConfig:
    entry = config.base_set
    if named is not None:
        entry = named.model_copy(update={"limit": entry.limit})
    if limit is not None:
        entry = entry.model_copy(update={"limit": limit})
    return config.model_copy(update={"base_set": entry})


def _print_estimate(config: BuildConfig, json_output: bool) -> None:
    from perturb.blueprint import draw_blueprint
    from perturb.estimate import estimate_build

    estimate: Estimate = estimate_build(draw_blueprint(config))
    if json_output:
        print_json(estimate.to_dict())
        return
    typer.echo(
        f"{estimate.instances} instances x {estimate.cells} cells x {config.replicates} replicates x"
        f" {len(config.generators)} generators = {estimate.jobs} jobs"
    )
    typer.echo(f"at most {estimate.calls} calls to models, about {money(estimate.cost_usd)}")
    if estimate.missing_keys:
        typer.echo(f"not set: {', '.join(estimate.missing_keys)}: export before the build")
    if estimate.models:
        print_table(
            ("model", "role", "calls", "prompt tokens", "reply tokens", "cost"),
            [
                (m.name, m.role, m.calls, m.prompt_tokens, m.completion_tokens, money(m.cost_usd))
                for m in estimate.models
            ],
        )
    if any(model.role == "generator" for model in estimate.models):
        _print_lever_service(estimate)


def _print_lever_service(estimate: Estimate) -> None:
    """How many jobs the levers may have, cell by cell, and which can have none; models only are offered levers."""
    rows = []
    for cell, jobs in estimate.levers.items():
        served = sorted(count for count in jobs.values() if count)
        span = f"{served[0]} to {served[-1]}" if served else "none"
        rows.append((cell, f"{len(served)} of {len(jobs)}", span))
    print_table(("cell", "levers that may fit", "jobs of one"), rows)
    for cell, jobs in estimate.levers.items():
        idle = [name for name, count in jobs.items() if not count]
        if len(idle) == len(jobs):
            typer.echo(f"no instance fits a lever of {cell}: its jobs end as not applicable, without a call")
        elif idle:
            typer.echo(f"no instance fits, in {cell}: {', '.join(idle)}")


def _print_report(report: BuildReport) -> None:
    facts = report.facts
    names = (
        "jobs",
        "candidates",
        "abstained",
        "unparsed",
        *(["not_applicable"] if facts["not_applicable"] else []),
        "rejected_by_checks",
        *(["near_duplicates"] if facts["near_duplicates"] else []),
        "errors",
        *(["faults"] if facts["faults"] else []),
        "votes",
        "accepted",
        "rows",
    )
    print_table(("stage", "count"), [(name.replace("_", " "), facts[name]) for name in names])
    typer.echo(f"cells with accepted items: {facts['cells_filled']}")
    if facts["calls"]:
        typer.echo(f"calls: {facts['calls']}, tokens: {facts['tokens']}, cost: {money(facts['cost_usd'])}")
    typer.echo(f"seconds: {facts['seconds']}")
    if report.snapshot is not None:
        typer.echo(f"snapshot: {report.snapshot}")
