"""Commands on a single run: `perturb status`, `show`, `view` and `export`."""

from __future__ import annotations

import sys
import time
from contextlib import closing
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from typer import Argument, Option

from perturb.cli.output import (
    check_choice,
    note,
    note_unfinished,
    print_json,
    print_result,
    reject_option,
    shows_colours,
)
from perturb.cli.run_options import ClassOption, IntensityOption, JsonOption, PortOption, RunArgument
from perturb.records import PUBLISHED_CLASSES, JsonObject, taxonomy_place
from perturb.text.wording import counted

if TYPE_CHECKING:
    from perturb.ledger.plans import PlanFacts
    from perturb.snapshots.card import ExportedReplies
    from perturb.snapshots.select import SelectionPlan
    from perturb.snapshots.snapshot import Snapshot

# How long `perturb status --watch` waits before it shows the status again.
_WATCH_SECONDS = 2.0


def status_command(
    run: RunArgument,
    watch: Annotated[
        bool,
        Option("--watch", help="Show it again every two seconds until nothing is left; end with Ctrl-C."),
    ] = False,
    json_output: JsonOption = False,
) -> None:
    """Show what is done, failed and left of a build or evaluation, with calls, cost and causes of failures.

    Example: perturb status outputs/demo --watch
    """
    from perturb.evaluation.status import read_status
    from perturb.reports.runs import make_status_report

    while True:
        content = read_status(run)
        if watch and not json_output:
            typer.echo("\x1b[2J\x1b[H", nl=False)  # clears the terminal
        print_result(content, make_status_report(content), json_output)
        if not (watch and content["left"]):
            return
        try:
            time.sleep(_WATCH_SECONDS)
        except KeyboardInterrupt:
            return


def show_command(
    source: Annotated[
        Path, Argument(metavar="RUN_OR_SNAPSHOT", help="A run or snapshot folder.", show_default=False)
    ],
    perturbation_class: ClassOption = None,
    intensity: IntensityOption = None,
    verdict: Annotated[
        Literal["accepted", "rejected", "undecided", "rejected_by_checks"] | None,
        Option(help="Only items with this verdict; a snapshot holds accepted items only."),
    ] = None,
    limit: Annotated[int, Option(min=1, help="At most N items: the first ones.")] = 5,
    json_output: JsonOption = False,
) -> None:
    """Show items with their changes marked: [-taken out-] and {+put in+}, or in colour on a terminal.

    Example: perturb show outputs/demo --class P-Ambiguity --verdict rejected --limit 3
    """
    from perturb.reports.rendering import render_item, shown_items

    items = shown_items(source)
    if perturbation_class is not None:
        classes = sorted({*PUBLISHED_CLASSES, *(item["class"] for item in items)}, key=taxonomy_place)
        check_choice("--class", perturbation_class, classes)
    chosen = [
        item
        for item in items
        if perturbation_class in (None, item["class"])
        and intensity in (None, item["intensity"])
        and verdict in (None, item["outcome"])
    ]
    if json_output:
        print_json(chosen[:limit])
        return
    colour = shows_colours(sys.stdout)
    for item in chosen[:limit]:
        typer.echo(render_item(item, colour=colour) + "\n")
    typer.echo(f"{min(limit, len(chosen))} of {counted(len(chosen), 'item')} shown")


def view_command(
    run: RunArgument,
    bundle: Annotated[
        Path | None,
        Option(metavar="DIR", help="Write the page as a static site into this folder instead of serving it."),
    ] = None,
    port: PortOption = 0,
) -> None:
    """Serve a page on this machine that shows a run, also while it works: figures, items, prompts, replies and votes.

    Example: perturb view outputs/demo
    """
    from perturb.reports.local_server import LocalServer
    from perturb.reports.site import ViewSite, open_view, write_bundle

    with closing(open_view(run, published=bundle is not None)) as view:
        if bundle is not None:
            items = write_bundle(view, bundle)
            typer.echo(f"{items} items: {bundle / 'index.html'}")
            return
        with LocalServer({"view": ViewSite(view)}, port) as server:
            typer.echo(server.links["view"])
            note("Ctrl-C ends the page; the run goes on")
            server.wait()


_Strategy = Literal["balanced", "natural", "hard"]


def export_command(
    run: RunArgument,
    out: Annotated[
        Path | None, Option(help="Where the snapshot goes; with --replies, RUN/snapshot by default.")
    ] = None,
    replies: Annotated[
        Path | None,
        Option(help="Also write what the models replied, to this .jsonl.gz; the snapshot names its digest."),
    ] = None,
    strategy: Annotated[
        _Strategy | None,
        Option(help="Default: balanced if a quota is given, else as in the run's configuration."),
    ] = None,
    per_generator: Annotated[int | None, Option(min=1, help="Rows for each generator.")] = None,
    min_per_cell: Annotated[int | None, Option(min=0, help="Floor for each generator and cell.")] = None,
    seed: Annotated[int | None, Option(help="Seed of the draw.")] = None,
    controls: Annotated[
        bool | None,
        Option("--controls/--no-controls", help="Add the unperturbed original of each row as a control."),
    ] = None,
    shortcuts: Annotated[
        bool, Option("--shortcuts", help="State on the card what baselines tell from a part of a row.")
    ] = False,
    max_wrong: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            help="Refuse if more labels may be wrong: the upper end of the interval, as in 0.03.",
        ),
    ] = None,
    reviewed: Annotated[
        Literal["drop-failed", "only-passed"] | None,
        Option(help="Leave out what people failed in `perturb review`, or all that they did not pass."),
    ] = None,
    training: Annotated[
        Literal["sft", "dpo"] | None,
        Option(help="Write training data for TRL instead, from all accepted items and their originals."),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        Option(
            help="With --training: a benchmark to keep unseen: a snapshot, a table, hub:OWNER/NAME; repeatable."
        ),
    ] = None,
    keep_levers: Annotated[
        bool, Option("--keep-levers", help="With --exclude: train on its levers, on other questions.")
    ] = False,
    replies_of: Annotated[
        list[Path] | None,
        Option(
            help="With --training dpo: an evaluation of the run's items, whose wrong replies are rejected; repeatable."
        ),
    ] = None,
    json_output: JsonOption = False,
) -> None:
    """Select rows and freeze a snapshot; calls no model. Of an evaluation, --replies writes the replies alone.

    Example: perturb export outputs/demo --out my-snapshot --per-generator 180 --min-per-cell 10
    """
    if training is not None:
        snapshot_options = (strategy, per_generator, min_per_cell, replies, max_wrong, reviewed)
        if shortcuts or any(option is not None for option in snapshot_options):
            reject_option(
                "--training",
                "takes every accepted item: leave --strategy, quotas, --shortcuts, --replies, --max-wrong and"
                " --reviewed out",
            )
        if controls is False:
            reject_option("--no-controls", "a training export needs the originals: leave it out")
        training_options = {
            "form": training,
            "exclude": tuple(exclude or ()),
            "keep_levers": keep_levers,
            "evaluations": tuple(replies_of or ()),
        }
        _export_training(run, out, training_options, seed, json_output)
        return
    if exclude or keep_levers or replies_of:
        reject_option("--training", "is missing: --exclude, --keep-levers and --replies-of belong to it")
    selection = {
        "strategy": strategy,
        "per_generator": per_generator,
        "min_per_cell": min_per_cell,
        "seed": seed,
        "reviewed": reviewed,
    }
    options = _SnapshotOptions(controls, shortcuts, max_wrong)
    _export_snapshot(run, out, replies, selection, options, json_output)


@dataclass(frozen=True)
class _SnapshotOptions:
    """What the snapshot has beside its rows, and the share of wrong labels above which none is written."""

    controls: bool | None
    shortcuts: bool
    max_wrong: float | None


def _export_snapshot(
    run: Path,
    out: Path | None,
    replies: Path | None,
    selection: JsonObject,
    options: _SnapshotOptions,
    json_output: bool,
) -> None:
    """Write the replies and the snapshot; `selection` has the options that replace those of the run, or None."""
    from perturb.building.results import export_snapshot
    from perturb.errors import LedgerError
    from perturb.ledger.calls import reading
    from perturb.ledger.plans import current_plan
    from perturb.snapshots.replies import export_replies, holds_evaluation

    given = {name: value for name, value in selection.items() if value is not None}
    if given.keys() & {"per_generator", "min_per_cell"}:
        given.setdefault("strategy", "balanced")
        if given["strategy"] == "natural":
            reject_option("--strategy natural", "takes no quotas: leave them out")
    if out is None and replies is None:
        reject_option("--out", "is missing: say where the snapshot goes")
    exported = None if replies is None else export_replies(run, replies)
    if exported is not None and not json_output:
        typer.echo(f"{counted(exported.replies, 'reply', 'replies')}: {exported.file}")
    if holds_evaluation(run):
        if exported is None:
            raise LedgerError(f"{run}: is an evaluation and has no snapshot: give --replies FILE, or a build")
        if json_output:
            print_json({"snapshot": None, "replies": _replies_as_json(exported)})
        return
    with reading(run) as db:
        plan = current_plan(db, run)
        note_unfinished(db, plan)
        configured = plan.facts.select
        snapshot = export_snapshot(
            db,
            plan,
            _selection_plan(given, plan.facts),
            out or run / "snapshot",
            created=datetime.now(UTC),
            controls=configured.controls if options.controls is None else options.controls,
            replies=exported,
            shortcuts=options.shortcuts or configured.shortcuts,
            max_wrong=options.max_wrong,
        )
    _print_snapshot(snapshot, exported, json_output)


def _selection_plan(given: JsonObject, facts: PlanFacts) -> SelectionPlan:
    """How to draw the rows. Options take precedence over the configuration of the run."""
    from perturb.snapshots.select import SelectionPlan

    configured = facts.select
    strategy = given.get("strategy", configured.strategy)
    return SelectionPlan(
        strategy=strategy,
        per_generator=given.get("per_generator", configured.per_generator),
        min_per_cell=given.get("min_per_cell", configured.min_per_cell),
        seed=given.get("seed", facts.seed),
        # only this strategy asks how hard an item must be
        at_least=configured.at_least if strategy == "hard" else None,
        reviewed=given.get("reviewed"),
        drop_repeats=True,
    )


def _print_snapshot(snapshot: Snapshot, exported: ExportedReplies | None, json_output: bool) -> None:
    counts = snapshot.manifest["counts"]
    shortfalls = snapshot.manifest["selection"]["shortfalls"]
    if json_output:
        content: JsonObject = {
            "snapshot": str(snapshot.folder),
            "content_digest": snapshot.content_digest,
            "rows": counts["rows"],
            "cells": counts["cells"],
            "shortfalls": shortfalls,
            "shortcuts": snapshot.manifest.get("shortcuts"),
            "certificate": snapshot.manifest.get("certificate"),
        }
        if exported is not None:
            content["replies"] = _replies_as_json(exported)
        print_json(content)
        return
    cells = counted(len(counts["cells"]), "cell")
    typer.echo(f"{counted(counts['rows'], 'row')} in {cells}: {snapshot.folder}")
    for missed in shortfalls:
        place = missed["cell"] or "all cells together"
        note(f"short: {missed['generator']}, {place}: {missed['got']} of {missed['wanted']}")


def _export_training(
    run: Path, out: Path | None, options: JsonObject, seed: int | None, json_output: bool
) -> None:
    """Write training data from the accepted items; `options` are fields of `TrainingPlan`."""
    if out is None:
        reject_option("--out", "is missing: say where the training data go")
    if options["keep_levers"] and not options["exclude"]:
        reject_option("--keep-levers", "needs --exclude: give both")
    if options["evaluations"] and options["form"] == "sft":
        reject_option("--replies-of", "needs --training dpo: there is nothing to reject in sft")
    from perturb.evaluation.training_export import TrainingPlan, export_training
    from perturb.ledger.calls import reading
    from perturb.ledger.plans import current_plan

    with reading(run) as db:
        plan = current_plan(db, run)
        note_unfinished(db, plan)
        chosen = TrainingPlan(**options, seed=plan.facts.seed if seed is None else seed)
        facts = export_training(db, plan, chosen, out)
    if json_output:
        print_json({"training": str(out), **facts})
        return
    sizes = ", ".join(f"{name} {split['examples']:,}" for name, split in facts["splits"].items())
    typer.echo(f"Examples: {sizes}: {out}")
    if not chosen.exclude:
        note(
            "nothing was excluded: do not score a model trained on this on a benchmark of the same questions"
        )
    elif facts["excluded"]["items"]:
        left_out = ", ".join(f"{n:,} by {reason}" for reason, n in facts["excluded"]["items"].items())
        note(f"items left out: {left_out}")


def _replies_as_json(exported: ExportedReplies) -> JsonObject:
    return {**asdict(exported), "file": str(exported.file)}
